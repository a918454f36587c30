//! Suppressions of hand-made findings.

use super::*;
use crate::diagnostic::Level;
use std::collections::{BTreeMap, BTreeSet};

const FILE: FileId = FileId(0);

fn finding(rule: &'static str, text: &str, at: &str) -> Finding {
    let start = text.find(at).unwrap() as u32;
    Finding {
        rule,
        level: Level::Deny,
        confidence: Confidence::High,
        span: Span { file: FILE, start, end: start + at.len() as u32 },
        message: String::new(),
        label: String::new(),
        help: String::new(),
        flow: Vec::new(),
        witness: None,
    }
}

/// What is left of a `capped_hint` at `min(` and what is reported, as `rule text: message`.
fn left(text: &str) -> Vec<String> {
    let mut applied = Applied { findings: vec![finding("capped_hint", text, "min(60)")], suppressed: Vec::new() };
    apply_in(FILE, text, &mut applied);
    let told = |finding: &Finding| {
        format!("{} {}", finding.rule, &text[finding.span.start as usize..finding.span.end as usize])
    };
    applied.findings.iter().map(told).collect()
}

#[test]
fn one_holds_for_its_line_for_what_is_below_or_for_the_file() {
    for text in [
        "f(a.min(60)); // retry-after: allow(capped_hint): because\n",
        "// retry-after: allow(capped_hint): because\nf(a.min(60));\n",
        "//retry-after:allow( capped_hint ) : because\nfn f() {\n  a;\n  a.min(60)\n}\n",
        "f(\n  /* retry-after: allow(capped_hint): because */\n  a.min(60),\n);\n",
        "fn f() {\n  a.min(60)\n}\n// retry-after: allow-file(capped_hint): because\n",
        "// retry-after: allow(capped_hint): because\n// and more words\n#[inline]\nfn f() { a.min(60) }\n",
    ] {
        assert_eq!(left(text), [""; 0], "{text}");
    }
}

#[test]
fn one_elsewhere_suppresses_nothing_and_is_told_of() {
    for text in [
        "// retry-after: allow(capped_hint): because\nf();\na.min(60);\n",
        "f(); // retry-after: allow(capped_hint): because\na.min(60);\n",
    ] {
        assert_eq!(left(text), ["capped_hint min(60)", "unused_suppression capped_hint"], "{text}");
    }
    assert_eq!(
        left("// retry-after: allow(capped_hint, zero_fallback): because\na.min(60);"),
        ["unused_suppression zero_fallback"]
    );
}

#[test]
fn without_a_reason_it_is_not_obeyed() {
    for text in ["a.min(60); // retry-after: allow(capped_hint)", "a.min(60); // retry-after: allow(capped_hint): -- "]
    {
        let comment = text[text.find("//").unwrap()..].trim_end();
        assert_eq!(left(text), ["capped_hint min(60)".to_owned(), format!("suppression_without_reason {comment}")]);
    }
}

#[test]
fn what_is_no_suppression_and_looks_like_one_is_told_of() {
    for (comment, place) in [
        ("retry-after: allow(caped_hint): because", "caped_hint"),
        ("retry-after: allow(all): because", "all"),
        ("retry-after: allow(unused_suppression): because", "unused_suppression"),
        ("retry-after: alow(capped_hint): because", "alow"),
        ("retry-after: allow: because", "allow"),
        ("retry-after: allow capped_hint: because", "allow"),
        ("retry-after: allow()", "allow"),
    ] {
        let mut expected = vec!["capped_hint min(60)".to_owned()];
        if comment.starts_with("retry-after: allow: ") {
            // Prose, as far as anyone can tell.
            assert_eq!(left(&format!("a.min(60); // {comment}\n")), expected);
            continue;
        }
        expected.push(format!("unknown_suppression {place}"));
        assert_eq!(left(&format!("a.min(60); // {comment}\n")), expected, "{comment}");
    }
}

#[test]
fn one_that_is_nearly_right_is_told_of() {
    for text in [
        "/// retry-after: allow(capped_hint): because\nfn f() { a.min(60) }",
        "a.min(60); // retry-after allow(capped_hint): because",
        "a.min(60); /** retry-after: allow-file(capped_hint): because */",
        "// retry-after: allow(zero_fallback,\n// capped_hint): because\na.min(60);",
    ] {
        let word = if text.contains("file") { "allow-file" } else { "allow" };
        let mut found = left(text);
        found.sort();
        assert_eq!(found, ["capped_hint min(60)".to_owned(), format!("unknown_suppression {word}")], "{text}");
    }
}

#[test]
fn other_comments_and_texts_are_none() {
    for text in [
        "a.min(60); // Retry-After: 120",
        "a.min(60); // retry-after: 120",
        "a.min(60); // retry-after: the server (if any) says so",
        "a.min(60); // retry-after: allow the server some time",
        "/// // retry-after: allow(capped_hint): shown in documentation\nfn f() { a.min(60) }",
        "/// retry-after: allow(...) is how it is written\nfn f() { a.min(60) }",
        "a.min(60); // retry-after allow(the server) some time",
        "a.min(60); \"// retry-after: allow(capped_hint): because\";",
    ] {
        assert_eq!(left(text), ["capped_hint min(60)"], "{text}");
    }
}

#[test]
fn one_within_the_reach_of_another_is_of_use() {
    let text =
        "// retry-after: allow-file(capped_hint): because\nf(a.min(60)); // retry-after: allow(capped_hint): because\n";
    assert_eq!(left(text), [""; 0]);
}

#[test]
fn suppressions_are_written_where_they_hold() {
    let text = "\u{feff}fn f() {\r\n    a\r\n        .min(60);\r\n    g(\"x\r\n  y\", b.min(7), \"\r\n//\");\r\n}\r\n";
    let places = BTreeMap::from([
        (3, BTreeSet::from(["capped_hint", "a_rule"])),
        (5, BTreeSet::from(["capped_hint"])),
        (1, BTreeSet::from(["a_rule"])),
    ]);
    let inserted = insert(text, &places, "as agreed");
    assert_eq!((inserted.count, inserted.without_room.as_slice()), (2, &[5][..]));
    assert_eq!(
        inserted.text,
        "\u{feff}// retry-after: allow(a_rule): as agreed\r\nfn f() {\r\n    a\r\n        // retry-after: allow(a_rule, capped_hint): as agreed\r\n        .min(60);\r\n    g(\"x\r\n  y\", b.min(7), \"\r\n//\");\r\n}\r\n"
    );
    let text = "g(\"x\n  y\", a.min(60));\n";
    let behind = insert(text, &BTreeMap::from([(2, BTreeSet::from(["capped_hint"]))]), "as agreed").text;
    assert_eq!(behind, "g(\"x\n  y\", a.min(60)); // retry-after: allow(capped_hint): as agreed\n");
    assert_eq!(left(&behind), [""; 0]);
}

#[test]
fn one_without_a_reason_gets_it() {
    let places = BTreeMap::from([(3, BTreeSet::from(["capped_hint", "a_rule"]))]);
    for old in ["// retry-after: allow(capped_hint)", "// retry-after: allow(a_rule, capped_hint):"] {
        let text = format!("fn f() {{\n    {old}\n    a.min(60);\n}}\n");
        let inserted = insert(&text, &places, "as agreed");
        let wanted = "fn f() {\n    // retry-after: allow(a_rule, capped_hint): as agreed\n    a.min(60);\n}\n";
        assert_eq!((inserted.count, inserted.text.as_str()), (1, wanted));
    }
    let text = "fn f() {\n    // retry-after: allow(other)\n    a.min(60);\n}\n";
    assert!(insert(text, &places, "as agreed").text.contains("allow(other)\n"), "of another rule");
}
