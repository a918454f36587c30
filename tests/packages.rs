//! Which packages and files are looked at, and how they are named.

use crate::support::{Checkout, Outcome, manifest, run};

/// A workspace of three packages, one of them the default.
fn workspace() -> Checkout {
    let root = "[workspace]\nresolver = \"2\"\nmembers = [\"crates/*\"]\ndefault-members = [\"crates/one\"]\nexclude = [\"crates/not\"]\n";
    Checkout::new(&[
        ("Cargo.toml", root),
        ("crates/one/Cargo.toml", &manifest("one")),
        ("crates/one/src/lib.rs", FAULT),
        ("crates/one/tests/a.rs", FAULT),
        ("crates/two/Cargo.toml", &manifest("two")),
        ("crates/two/src/main.rs", &format!("fn main() {{}}\n{FAULT}")),
        ("crates/two/examples/e.rs", FAULT),
        ("crates/three-x/Cargo.toml", &manifest("three-x")),
        ("crates/three-x/src/lib.rs", FAULT),
        ("crates/not/Cargo.toml", &manifest("not")),
        ("crates/not/src/lib.rs", FAULT),
    ])
}

const FAULT: &str =
    "pub fn wait(headers: &HeaderMap) -> Option<u64> { headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok() }\n";

/// The packages of the findings, each once.
fn packages(outcome: &Outcome) -> Vec<String> {
    let json = outcome.json();
    let mut names: Vec<String> =
        json["findings"].as_array().unwrap().iter().map(|f| f["package"].as_str().unwrap_or("-").to_owned()).collect();
    names.dedup();
    names
}

fn lint(checkout: &Checkout, folder: &str, arguments: &[&str]) -> Outcome {
    let mut all = vec!["lint", "--format", "json", "-W", "all", "--confidence", "low"];
    all.extend(arguments);
    run(&checkout.at(folder), &all)
}

#[test]
fn packages_are_selected_as_cargo_selects_them() {
    let checkout = workspace();
    let of = |folder: &str, arguments: &[&str]| packages(&lint(&checkout, folder, arguments));
    assert_eq!(of("", &[]), ["one"], "default-members");
    assert_eq!(of("", &["--workspace"]), ["one", "three-x", "two"]);
    assert_eq!(of("", &["-p", "two"]), ["two"]);
    assert_eq!(of("", &["-p", "two", "-p", "t*"]), ["three-x", "two"]);
    assert_eq!(of("", &["-p", "two@0.1.0"]), ["two"]);
    assert_eq!(of("", &["--workspace", "--exclude", "two"]), ["one", "three-x"]);
    assert_eq!(of("crates/two", &[]), ["two"]);
    assert_eq!(of("crates/two/src", &[]), ["two"]);
    assert_eq!(of("crates/two", &["--manifest-path", "../one/Cargo.toml"]), ["one"]);
}

#[test]
fn a_package_that_is_not_there_is_wrong_usage() {
    let checkout = workspace();
    let outcome = lint(&checkout, "", &["-p", "tow"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("no package `tow`") && outcome.stderr.contains("`two`"), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
}

#[test]
fn files_are_named_from_the_root() {
    let checkout = workspace();
    assert_eq!(
        files(&lint(&checkout, "", &["--workspace"])),
        ["crates/one/src/lib.rs", "crates/three-x/src/lib.rs", "crates/two/src/main.rs"]
    );
    assert_eq!(files(&lint(&checkout, "", &["crates/one"])), ["src/lib.rs"]);
    assert_eq!(files(&lint(&checkout, "", &["crates/one/src/lib.rs"])), ["lib.rs"]);
    assert_eq!(
        files(&lint(&checkout, "", &["crates/one", "./crates/two/src/main.rs"])),
        ["crates/one/src/lib.rs", "./crates/two/src/main.rs"]
    );
}

/// The files of the findings, each once.
fn files(outcome: &Outcome) -> Vec<String> {
    let json = outcome.json();
    let mut names: Vec<String> =
        json["findings"].as_array().unwrap().iter().map(|f| f["file"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    names
}

#[test]
fn a_folder_is_looked_at_with_all_packages_in_it_and_without_its_tests() {
    let checkout = workspace();
    let outcome = lint(&checkout, "", &["."]);
    assert_eq!(packages(&outcome), ["not", "one", "three-x", "two"]);
    assert!(files(&outcome).iter().all(|file| file.contains("/src/")));
}

#[test]
fn a_test_that_is_named_itself_is_looked_at() {
    let checkout = workspace();
    assert_eq!(files(&lint(&checkout, "", &["crates/one/tests"])), ["a.rs"]);
    assert_eq!(files(&lint(&checkout, "", &["crates/one/tests/a.rs"])), ["a.rs"]);
}

#[test]
fn plain_files_have_no_package() {
    let checkout = Checkout::new(&[("a.rs", FAULT), ("b/c.rs", FAULT)]);
    assert_eq!(packages(&lint(&checkout, "", &["."])), ["-"]);
    assert_eq!(files(&lint(&checkout, "", &["."])), ["a.rs", "b/c.rs"]);
    assert_eq!(files(&lint(&checkout, "", &["a.rs", "a.rs", "."])), ["a.rs", "./b/c.rs"], "no file twice");
}

#[test]
fn a_broken_manifest_is_no_reason_to_give_up() {
    let checkout = Checkout::new(&[("Cargo.toml", "[package\n"), ("src/lib.rs", FAULT)]);
    for (arguments, code, word) in
        [(&[][..], 2, "error"), (&["."], 1, "warning"), (&["--manifest-path", "Cargo.toml"], 2, "error")]
    {
        let outcome = lint(&checkout, "", arguments);
        assert_eq!((outcome.code, files(&outcome)), (code, vec!["src/lib.rs".to_owned()]), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(&format!("{word}: Cargo.toml:1: not read: ")), "{}", outcome.stderr);
        assert!(outcome.unreadable()["Cargo.toml"].starts_with("not read: "));
    }
    let outcome =
        run(&checkout.at("src"), &["--manifest-path", "../Cargo.toml", "-q", "--exit-zero", "--format", "short"]);
    assert_eq!(outcome.code, 2, "what could not be done stays 2");
    assert!(outcome.stderr.contains("/Cargo.toml:1: not read: "), "{}", outcome.stderr);
}

#[test]
fn the_manifest_of_the_workspace_around_counts_too() {
    let checkout = workspace();
    checkout.write("Cargo.toml", "[workspace\n");
    let outcome = lint(&checkout, "crates/one", &[]);
    assert_eq!((outcome.code, packages(&outcome)), (2, vec!["one".to_owned()]), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("Cargo.toml:1: not read: "), "{}", outcome.stderr);
}

#[test]
fn what_is_only_read_along_does_not_count() {
    let checkout = workspace();
    let stats = |arguments: &[&str]| {
        let json = lint(&checkout, "", arguments).json();
        ["packages", "files"].map(|name| json["stats"][name].as_u64().unwrap())
    };
    assert_eq!(stats(&["-p", "two"]), [1, 2]);
    assert_eq!(stats(&["--workspace"]), [3, 5]);
    let plain = Checkout::new(&[("a.rs", FAULT), ("b.rs", "")]);
    let outcome = run(plain.path(), &["."]);
    assert!(outcome.stdout.contains(": 2 files, 1 parsed, "), "{}", outcome.stdout);
}

#[test]
fn without_a_manifest_nothing_is_guessed() {
    let checkout = Checkout::new(&[("a.rs", FAULT)]);
    let outcome = lint(&checkout, "", &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("no Cargo.toml"), "{}", outcome.stderr);
}

#[test]
fn build_output_hidden_files_and_what_git_ignores_are_left_out_unless_named() {
    let checkout = Checkout::new(&[
        ("Cargo.toml", &manifest("client")),
        ("src/lib.rs", FAULT),
        ("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55"),
        ("target/package/a.rs", FAULT),
        (".hidden/a.rs", FAULT),
        (".gitignore", "/vendor\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("vendor/a.rs", FAULT),
    ]);
    assert_eq!(files(&lint(&checkout, "", &["."])), ["src/lib.rs"]);
    assert_eq!(files(&lint(&checkout, "", &[])), ["src/lib.rs"]);
    for named in ["target/package", ".hidden", "vendor", "vendor/a.rs"] {
        assert_eq!(files(&lint(&checkout, "", &[named])), ["a.rs"], "{named}");
    }
}

#[test]
fn two_runs_say_the_same() {
    let checkout = workspace();
    let text = || {
        let mut json = lint(&checkout, "", &["."]).json();
        json["stats"]["elapsed_ms"] = 0.into();
        json.to_string()
    };
    assert_eq!(text(), text());
}

#[test]
fn to_leave_out_every_package_is_an_error() {
    let checkout = Checkout::package(FAULT);
    let outcome = lint(&checkout, "", &["--exclude", "client"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("`--exclude client` leaves out the only package, `client`,"), "{}", outcome.stderr);
    let outcome = lint(&workspace(), "", &["--workspace", "--exclude", "*"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("nothing to look at"), "{}", outcome.stderr);
}

#[test]
fn a_broken_member_is_told_once_and_looked_at_by_its_folders_name() {
    let checkout = workspace();
    checkout.write("crates/two/Cargo.toml", "[package\n");
    let outcome = lint(&checkout, "", &["--workspace"]);
    assert_eq!(outcome.stderr.matches("unclosed table").count(), 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("error: crates/two/Cargo.toml:1: not read: unclosed table"), "{}", outcome.stderr);
    assert_eq!(outcome.code, 2, "its own levels may be stricter");
    let outcome = lint(&checkout, "", &["-p", "one"]);
    assert!(
        outcome.stderr.contains("warning: crates/two/Cargo.toml:1: not read: unclosed table"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.code < 2);
    let outcome = lint(&checkout, "", &["--workspace"]);
    assert_eq!(packages(&outcome), ["one", "three-x", "two"]);
}
