//! Suppressions in the code, from a user's side.

use crate::support::{CAPPED, Checkout, run};
use std::process::Command;

fn lint(checkout: &Checkout, arguments: &[&str]) -> (Vec<String>, u64) {
    let outcome = run(checkout.path(), &[&["lint", "--format", "json"], arguments].concat());
    assert!(outcome.code < 2, "{}", outcome.stderr);
    (outcome.findings(), outcome.json()["stats"]["suppressed"].as_u64().unwrap())
}

/// [`CAPPED`] with the text in front of one line, which counts from 1.
fn with_line(line: usize, text: &str) -> String {
    let mut lines: Vec<&str> = CAPPED.lines().collect();
    lines.insert(line - 1, text);
    lines.join("\n") + "\n"
}

#[test]
fn a_suppressed_finding_is_counted_and_not_shown() {
    let checkout =
        Checkout::package(&with_line(13, "        // retry-after: allow(capped_hint): the queue asks again"));
    assert_eq!(lint(&checkout, &[]), (vec!["integer_only src/lib.rs:9".to_owned()], 1));
    let outcome = run(checkout.path(), &["-A", "integer_only"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.starts_with("no findings, 1 suppressed: "), "{}", outcome.stdout);
    let isolated = lint(&checkout, &["--isolated"]);
    assert_eq!(isolated, (vec!["integer_only src/lib.rs:9".to_owned(), "capped_hint src/lib.rs:14".to_owned()], 0));
    assert_eq!(lint(&checkout, &["-A", "all"]), (vec![], 0), "one that would not be shown is not counted");
}

#[test]
fn one_above_an_item_holds_for_all_of_it() {
    let checkout =
        Checkout::package(&with_line(3, "// retry-after: allow(capped_hint, integer_only): a mock server only"));
    assert_eq!(lint(&checkout, &[]), (vec![], 2));
}

#[test]
fn what_is_wrong_with_suppressions_is_found() {
    let checkout = Checkout::package(&format!(
        "// retry-after: allow-file(zero_fallback): long gone\n// retry-after: allow-file(capped)\n{CAPPED}"
    ));
    checkout.write("src/other.rs", "// retry-after: allow(capped_hint)\n");
    let (findings, _) = lint(&checkout, &[]);
    assert_eq!(
        findings,
        [
            "unused_suppression src/lib.rs:1",
            "unknown_suppression src/lib.rs:2",
            "integer_only src/lib.rs:11",
            "capped_hint src/lib.rs:15",
            "suppression_without_reason src/other.rs:1"
        ]
    );
    let outcome = run(checkout.path(), &["-A", "all", "-W", "suppression"]);
    assert_eq!(outcome.code, 0, "warnings");
    assert!(
        outcome.stdout.contains("warning[unused_suppression]") && outcome.stdout.contains("3 warnings"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn suppressions_are_added_obeyed_and_left_alone_by_rustfmt_and_rustc() {
    let code = "pub fn text() -> &'static str {\n    \"a\n  b\"\n}\n\npub fn wait(headers: &dyn Headers) -> Option<u64> {\n    let secs = headers\n        .get(\"retry-after\")?\n        .trim_start_matches(\"a long prefix that nobody ever sends\")\n        .trim_end_matches(\"x\")\n        .parse::<u64>()\n        .ok()?;\n    Some(secs.min(60))\n}\n\npub trait Headers {\n    fn get(&self, name: &str) -> Option<&str>;\n}\n";
    let checkout = Checkout::package(code);
    let (before, _) = lint(&checkout, &["--confidence", "low"]);
    assert_eq!(before, ["integer_only src/lib.rs:11", "capped_hint src/lib.rs:13"]);
    let outcome = run(checkout.path(), &["--confidence", "low", "--add-suppressions", "a mock, never sent"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "2 suppressions added in 1 file\n"), "{}", outcome.stderr);
    assert_eq!(lint(&checkout, &["--confidence", "low"]), (vec![], 2));
    let text = std::fs::read_to_string(checkout.at("src/lib.rs")).unwrap();
    assert!(
        text.contains("        // retry-after: allow(integer_only): a mock, never sent\n        .parse::<u64>()\n"),
        "{text}"
    );
    assert!(
        text.contains("    // retry-after: allow(capped_hint): a mock, never sent\n    Some(secs.min(60))\n"),
        "{text}"
    );
    let tool = |name: &str, arguments: &[&str]| {
        let output = Command::new(name).current_dir(checkout.path()).args(arguments).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
    };
    tool("rustfmt", &["--check", "--edition", "2021", "src/lib.rs"]);
    tool("rustc", &["--crate-type", "lib", "--emit", "metadata", "-D", "warnings", "-o", "out.rmeta", "src/lib.rs"]);
    let outcome = run(checkout.path(), &["--confidence", "low", "--add-suppressions", "again"]);
    assert_eq!(outcome.stdout, "0 suppressions added in 0 files\n");
    assert_eq!(std::fs::read_to_string(checkout.at("src/lib.rs")).unwrap(), text);
}

#[test]
fn a_reason_is_asked_for() {
    let checkout = Checkout::package(CAPPED);
    for reason in ["", " - ", "two\nlines", "a\u{1b}[31mb"] {
        let outcome = run(checkout.path(), &["--add-suppressions", reason]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{reason:?}");
    }
    assert_eq!(std::fs::read_to_string(checkout.at("src/lib.rs")).unwrap(), CAPPED);
}
