//! Files that are no Rust source text, or odd ones: told where it must be, and everything else is linted.

#![cfg(unix)]

use crate::support::{CAPPED, Checkout, Outcome, run};
use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Command;

/// The faults of [`CAPPED`] in a file, with lines moved.
fn faults(file: &str, moved: u32) -> [String; 2] {
    [format!("integer_only {file}:{}", 9 + moved), format!("capped_hint {file}:{}", 13 + moved)]
}

fn lint(checkout: &Checkout) -> Outcome {
    let outcome = run(checkout.path(), &["lint", "--format", "json", "."]);
    assert!(outcome.code < 2, "{}", outcome.stderr);
    outcome
}

#[test]
fn what_cannot_be_read_is_told_with_the_reason_and_the_rest_is_linted() {
    let checkout = Checkout::new(&[("good.rs", CAPPED)]);
    checkout.write("latin.rs", b"// caf\xe9, retry-after\nfn f() {}\n");
    checkout.write("nul.rs", "// retry-after\n\nfn f() { \0 }\n");
    checkout.write("nul_in_comment.rs", format!("// \0\n/* \0 */\n/// \0\nconst A: &str = \"\0\";\n{CAPPED}"));
    checkout.write("broken.rs", "// retry-after\nfn f( {\n");
    checkout.write("utf16.rs", "fn f() {}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    File::create(checkout.at("huge.rs")).unwrap().set_len(50 << 20).unwrap();
    symlink("nowhere.rs", checkout.at("dangling.rs")).unwrap();
    symlink("/dev/zero", checkout.at("device.rs")).unwrap();
    assert!(Command::new("mkfifo").arg(checkout.at("pipe.rs")).status().unwrap().success());

    let outcome = lint(&checkout);
    let unreadable = outcome.unreadable();
    let reasons = [
        ("latin.rs", "UTF-8"),
        ("nul.rs", "NUL"),
        ("broken.rs", ""),
        ("utf16.rs", "NUL"),
        ("huge.rs", "50 MB"),
        ("dangling.rs", "leads nowhere"),
        ("device.rs", "not a regular file"),
        ("pipe.rs", "not a regular file"),
    ];
    for (file, reason) in reasons {
        assert!(unreadable.get(file).is_some_and(|message| message.contains(reason)), "{file}: {unreadable:?}");
    }
    assert_eq!(unreadable.len(), reasons.len(), "{unreadable:?}");
    let json = outcome.json();
    let line = |file: &str| {
        json["unreadable"].as_array().unwrap().iter().find(|entry| entry["file"] == file).unwrap()["line"].clone()
    };
    assert_eq!((line("latin.rs"), line("nul.rs")), (1.into(), 3.into()));
    let mut found = outcome.findings();
    found.sort();
    let mut wanted = [faults("good.rs", 0), faults("nul_in_comment.rs", 4)].concat();
    wanted.sort();
    assert_eq!(found, wanted);
    assert!(outcome.stderr.contains("latin.rs:1: not UTF-8"), "{}", outcome.stderr);
}

#[test]
fn odd_text_is_linted_and_places_are_right() {
    let crlf = CAPPED.replace('\n', "\r\n");
    let checkout = Checkout::new(&[
        ("bom.rs", &format!("\u{feff}{CAPPED}")),
        ("both.rs", &format!("\u{feff}#!/usr/bin/env run-cargo-script\n{CAPPED}")),
        ("crlf.rs", &crlf),
        ("empty.rs", ""),
        ("shebang.rs", &format!("#!/usr/bin/env run-cargo-script\n{CAPPED}")),
        ("wide.rs", &format!("// 幅の広い文字\n{CAPPED}")),
    ]);
    let outcome = lint(&checkout);
    assert_eq!(outcome.unreadable().len(), 0, "{:?}", outcome.unreadable());
    let mut wanted: Vec<String> = [("bom.rs", 0), ("both.rs", 1), ("crlf.rs", 0), ("shebang.rs", 1), ("wide.rs", 1)]
        .iter()
        .flat_map(|(file, moved)| faults(file, *moved))
        .collect();
    wanted.sort();
    let mut found = outcome.findings();
    found.sort();
    assert_eq!(found, wanted);
    let json = outcome.json();
    let columns = |file: &str| {
        json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|f| f["file"] == file)
            .map(|f| f["column"].clone())
            .collect::<Vec<_>>()
    };
    for file in ["bom.rs", "both.rs", "crlf.rs", "shebang.rs"] {
        assert_eq!(columns(file), columns("wide.rs"), "{file}");
    }
}

#[test]
fn links_lead_in_circles_and_out_without_harm() {
    let checkout = Checkout::new(&[("a/good.rs", CAPPED), ("z.txt", CAPPED)]);
    let outside = Checkout::new(&[("secret.rs", CAPPED)]);
    symlink("..", checkout.at("a/up")).unwrap();
    symlink("/", checkout.at("a/everything")).unwrap();
    symlink("loop.rs", checkout.at("loop.rs")).unwrap();
    symlink("a/good.rs", checkout.at("again.rs")).unwrap();
    symlink("z.txt", checkout.at("linked.rs")).unwrap();
    symlink(outside.at("secret.rs"), checkout.at("out.rs")).unwrap();
    std::fs::create_dir(checkout.at("folder.rs")).unwrap();
    checkout.write("folder.rs/inner.rs", CAPPED);
    let outcome = lint(&checkout);
    let files: std::collections::BTreeSet<String> =
        outcome.findings().iter().map(|f| f.split([' ', ':']).nth(1).unwrap().to_owned()).collect();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["a/good.rs", "folder.rs/inner.rs", "linked.rs"]);
    let unreadable = outcome.unreadable();
    assert_eq!(unreadable.keys().collect::<Vec<_>>(), ["loop.rs", "out.rs"]);
    assert!(unreadable["out.rs"].contains("out of the folder"), "{unreadable:?}");
}

#[test]
fn a_named_file_that_cannot_be_read_is_a_failure() {
    let checkout = Checkout::new(&[("good.rs", CAPPED)]);
    checkout.write("latin.rs", b"// caf\xe9\n");
    let code = |arguments: &[&str]| run(checkout.path(), arguments).code;
    assert_eq!(code(&["lint", "latin.rs"]), 2);
    assert_eq!(code(&["lint", "good.rs", "latin.rs"]), 2);
    assert_eq!(code(&["lint", "."]), 1);
    std::fs::remove_file(checkout.at("good.rs")).unwrap();
    assert_eq!(code(&["lint", "."]), 2, "nothing readable at all");
}

/// Deeper than any parser's stack.
const DEPTH: usize = 100_000;

#[test]
fn deep_nesting_of_every_kind_overflows_nothing() {
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    let body = |text: String| format!("// retry-after\nfn f() {{ let x = {text}; }}\n");
    let texts = [
        ("parentheses", body(nested("(", "1", ")"))),
        ("brackets", body(nested("[", "1", "]"))),
        ("blocks", body(nested("{", "1", "}"))),
        ("negations", body(nested("!", "true", ""))),
        ("minuses", body(nested("-", "1", ""))),
        ("references", body(nested("&", "1", ""))),
        ("dereferences", body(nested("*", "p", ""))),
        ("methods", body(nested("", "x", ".f()"))),
        ("fields", body(nested("", "x", ".f"))),
        ("tries", body(nested("", "x", "?"))),
        ("awaits", body(nested("", "x", ".await"))),
        ("indices", body(nested("", "x", "[0]"))),
        ("calls", body(nested("", "x", "()"))),
        ("casts", body(nested("", "x", " as u8"))),
        ("sums", body(nested("1 + ", "1", ""))),
        ("conjunctions", body(nested("a && ", "b", ""))),
        ("assignments", body(nested("a = ", "b", ""))),
        ("closures", body(nested("|| ", "1", ""))),
        ("returns", body(nested("return ", "1", ""))),
        ("ifs", body(nested("if a { 1 } else ", "{ 1 }", ""))),
        ("nested_ifs", body(nested("if a { ", "1", " }"))),
        ("matches", body(nested("match a { _ => ", "1", " }"))),
        ("loops", body(nested("loop { ", "", " }"))),
        ("labels", body(nested("'a: loop { ", "", " }"))),
        ("macros", body(nested("f!(", "1", ")"))),
        ("generics", format!("// retry-after\nfn f(x: {}) {{}}\n", nested("Vec<", "u8", ">"))),
        ("reference_types", format!("// retry-after\nfn f(x: {}) {{}}\n", nested("&", "u8", ""))),
        ("tuple_types", format!("// retry-after\nfn f(x: {}) {{}}\n", nested("(", "u8", ",)"))),
        ("pointers", format!("// retry-after\nfn f(x: {}) {{}}\n", nested("*const ", "u8", ""))),
        ("functions_types", format!("// retry-after\nfn f(x: {}) {{}}\n", nested("fn() -> ", "u8", ""))),
        ("bounds", format!("// retry-after\nfn f(x: {}) {{}}\n", nested("impl A<", "u8", ">"))),
        ("turbofish", body(format!("f::<{}>()", nested("Vec<", "u8", ">")))),
        ("patterns", format!("// retry-after\nfn f() {{ let {} = x; }}\n", nested("(", "a", ",)"))),
        ("reference_patterns", format!("// retry-after\nfn f() {{ let {} = x; }}\n", nested("&", "a", ""))),
        ("alternatives", format!("// retry-after\nfn f() {{ match x {{ {} => 1 }} }}\n", nested("1 | ", "2", ""))),
        ("bindings", format!("// retry-after\nfn f() {{ match x {{ {} => 1 }} }}\n", nested("a @ ", "2", ""))),
        ("attributes", format!("// retry-after\n{}fn f() {{}}\n", "#[a]\n".repeat(DEPTH))),
        ("attribute_tokens", format!("// retry-after\n#[a{}]\nfn f() {{}}\n", nested("(", "", ")"))),
        ("modules", format!("// retry-after\n{}", nested("mod a { ", "", " }"))),
        ("nested_functions", format!("// retry-after\n{}", nested("fn f() { ", "", " }"))),
        ("uses", format!("// retry-after\nuse {};\n", nested("a::{", "b", "}"))),
        ("long_path", format!("// retry-after\nuse {}b;\n", "a::".repeat(DEPTH))),
        ("comments", format!("// retry-after\n{}\nfn f() {{}}\n", nested("/* ", "", " */"))),
        ("unclosed", format!("// retry-after\nfn f() {{ {}", "(".repeat(DEPTH))),
        ("statements", format!("// retry-after\nfn f() {{ {} }}\n", "g(); ".repeat(DEPTH))),
    ];
    let checkout = Checkout::new(&[("good.rs", CAPPED)]);
    for (name, text) in &texts {
        checkout.write(&format!("{name}.rs"), text);
    }
    let start = std::time::Instant::now();
    let outcome = lint(&checkout);
    let unreadable = outcome.unreadable();
    for file in unreadable.keys() {
        assert!(!unreadable[file].is_empty(), "{file}");
    }
    let mut found = outcome.findings();
    found.sort();
    let mut wanted = faults("good.rs", 0);
    wanted.sort();
    assert_eq!(found, wanted, "{unreadable:?}");
    assert!(start.elapsed().as_secs() < 60, "it took {:?}", start.elapsed());
}
