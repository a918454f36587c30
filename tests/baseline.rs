//! Baselines, from a user's side.

use crate::support::{CAPPED, Checkout, Outcome, manifest, run};

const FILE: &str = "retry-after-baseline.json";

fn written(library: &str) -> Checkout {
    let checkout = Checkout::package(library);
    let outcome = run(checkout.path(), &["--write-baseline"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{}", outcome.stderr);
    checkout
}

fn lint(checkout: &Checkout, arguments: &[&str]) -> Outcome {
    run(checkout.path(), &[&["lint", "--format", "json", "--baseline", FILE], arguments].concat())
}

fn text(checkout: &Checkout) -> String {
    std::fs::read_to_string(checkout.at(FILE)).unwrap()
}

#[test]
fn what_was_there_is_old_wherever_it_moves_and_however_it_is_laid_out() {
    let checkout = written(CAPPED);
    assert_eq!(text(&checkout).matches("\"rule\"").count(), 2);
    let commented = CAPPED.replace("secs.min(60)", "secs.min(/* a minute */ 60)");
    let outcome = lint(&checkout, &[]);
    assert_eq!((outcome.code, outcome.findings(), outcome.json()["stats"]["baselined"].as_u64()), (0, vec![], Some(2)));
    let laid_out = CAPPED.replace(
        "secs.min(60)",
        "{\n            secs\n                .min(\n                    60,\n                )\n        }",
    );
    for code in [format!("// more\n\n{CAPPED}"), laid_out, commented] {
        checkout.write("src/lib.rs", code);
        let outcome = lint(&checkout, &[]);
        assert_eq!((outcome.code, outcome.findings(), outcome.stderr.as_str()), (0, vec![], ""));
    }
    checkout.write("src/lib.rs", "mod moved;\n");
    checkout.write("src/moved.rs", CAPPED);
    let outcome = lint(&checkout, &[]);
    assert_eq!((outcome.findings(), outcome.stderr.as_str()), (vec![], ""), "in another file");
}

#[test]
fn a_second_one_of_the_same_kind_is_new() {
    let twice = CAPPED.replace(
        "        std::thread::sleep(Duration::from_secs(secs.min(60).max(5)));\n",
        "        std::thread::sleep(Duration::from_secs(secs.min(60).max(5)));\n        client.send();\n        std::thread::sleep(Duration::from_secs(secs.min(60).max(5)));\n",
    );
    let checkout = written(CAPPED);
    checkout.write("src/lib.rs", &twice);
    assert_eq!(lint(&checkout, &[]).findings(), ["capped_hint src/lib.rs:15"]);
    // A copy in another file is the new one.
    checkout.write("src/lib.rs", CAPPED);
    checkout.write("src/a.rs", CAPPED);
    let outcome = lint(&checkout, &[]);
    assert_eq!(outcome.findings(), ["integer_only src/a.rs:9", "capped_hint src/a.rs:13"]);
    assert_eq!(outcome.code, 1);
}

#[test]
fn stale_entries_are_told_of_and_pruned() {
    let checkout = written(CAPPED);
    checkout.write("src/lib.rs", CAPPED.replace("secs.min(60)", "secs"));
    let outcome = lint(&checkout, &["-A", "unbounded_wait"]);
    assert_eq!((outcome.code, outcome.findings()), (0, vec![]));
    assert!(
        outcome.stderr.contains("1 stale entry")
            && outcome.stderr.contains("stale entry of the baseline: capped_hint in src/lib.rs: min(60)"),
        "{}",
        outcome.stderr
    );
    let outcome = lint(&checkout, &["--prune-baseline"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.contains("1 stale entry taken out"), "{}", outcome.stderr);
    assert!(!text(&checkout).contains("capped_hint") && text(&checkout).contains("integer_only"));
    assert_eq!(lint(&checkout, &[]).stderr, "");
    checkout.write("src/lib.rs", CAPPED);
    assert_eq!(
        lint(&checkout, &["--prune-baseline"]).findings(),
        ["capped_hint src/lib.rs:13"],
        "pruning takes nothing in"
    );
}

#[test]
fn what_was_not_looked_at_or_is_not_shown_is_not_stale() {
    let checkout = Checkout::new(&[
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", &manifest("a")),
        ("a/src/lib.rs", CAPPED),
        ("b/Cargo.toml", &manifest("b")),
        ("b/src/lib.rs", CAPPED),
    ]);
    assert_eq!(run(checkout.path(), &["--workspace", "--write-baseline"]).code, 0);
    for arguments in
        [&["-p", "a"][..], &["-A", "capped_hint"], &["--confidence", "high"], &["b/src/lib.rs"], &["--workspace"]]
    {
        let outcome = lint(&checkout, arguments);
        assert_eq!((outcome.code, outcome.findings(), outcome.stderr.as_str()), (0, vec![], ""), "{arguments:?}");
    }
    let outcome = run(&checkout.at("a"), &["--format", "json", "--baseline", &format!("../{FILE}")]);
    assert_eq!((outcome.findings(), outcome.stderr.as_str()), (vec![], ""), "from another folder");
    let before = text(&checkout);
    assert_eq!(lint(&checkout, &["-p", "a", "--prune-baseline"]).code, 0);
    assert_eq!(text(&checkout), before);
}

#[test]
fn a_file_that_is_no_baseline_is_an_error() {
    let checkout = Checkout::package(CAPPED);
    let outcome = lint(&checkout, &[]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--write-baseline makes it"), "{}", outcome.stderr);
    checkout.write(FILE, "{");
    let outcome = lint(&checkout, &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains(&format!("{FILE}: not a baseline")), "{}", outcome.stderr);
    assert_eq!(run(checkout.path(), &["--write-baseline", "--changed-since", "main"]).code, 2);
    let outcome = run(checkout.path(), &["--write-baseline", "--baseline", "no/where.json"]);
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
}

#[test]
fn what_a_run_cannot_judge_stays_in_the_file() {
    // The fault in the helper is seen by way of its caller.
    let helper = "use std::time::Duration;\npub fn limit(hint: Duration) -> Duration {\n    hint.min(Duration::from_secs(60))\n}\n";
    let library = format!("pub mod helper;\n{CAPPED}")
        .replace("secs.min(60).max(5)", "secs")
        .replace("Duration::from_secs(secs)", "helper::limit(Duration::from_secs(secs))");
    let checkout = Checkout::package(&library);
    checkout.write("src/helper.rs", helper);
    assert_eq!(run(checkout.path(), &["--write-baseline"]).code, 0);
    let before = text(&checkout);
    assert!(before.contains("src/helper.rs"), "{before}");
    for arguments in [&["src/helper.rs"][..], &["src"]] {
        let outcome = lint(&checkout, arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{arguments:?}");
        for flag in ["--prune-baseline", "--write-baseline"] {
            let outcome = run(checkout.path(), &[arguments, &[flag]].concat());
            assert_eq!(outcome.code, 0, "{}", outcome.stderr);
            assert_eq!(text(&checkout), before, "{flag} {arguments:?}");
        }
    }
    // Nor does one that did not read everything.
    checkout.write("src/lib.rs", format!("{library}fn broken( {{\n"));
    let outcome = lint(&checkout, &[]);
    assert!(!outcome.stderr.contains("stale"), "{}", outcome.stderr);
    for flag in ["--prune-baseline", "--write-baseline"] {
        run(checkout.path(), &[flag]);
        assert_eq!(text(&checkout), before, "{flag}");
    }
    checkout.write("src/lib.rs", &library);
    assert_eq!(lint(&checkout, &[]).findings(), [""; 0]);
}

#[test]
fn stale_entries_stand_in_what_programs_read_and_may_fail_the_run() {
    let checkout = written(CAPPED);
    checkout.write("src/lib.rs", "pub fn f() {}\n");
    let outcome = lint(&checkout, &[]);
    assert_eq!((outcome.code, outcome.json()["stale"].as_array().unwrap().len()), (0, 2));
    assert_eq!(lint(&checkout, &["--deny-warnings"]).code, 1);
    let sarif = run(checkout.path(), &["--baseline", FILE, "--format", "sarif"]).stdout;
    assert_eq!(sarif.matches("stale entry of the baseline: ").count(), 2, "{sarif}");
}

#[test]
fn names_tell_nothing_of_the_machine_and_another_file_is_not_written_over() {
    let checkout = Checkout::new(&[("a/Cargo.toml", &manifest("a")), ("a/src/lib.rs", CAPPED), ("checks/x", "")]);
    let arguments = ["--write-baseline", "--baseline", "../checks/known.json"];
    assert_eq!(run(&checkout.at("a"), &arguments).code, 0);
    let text = std::fs::read_to_string(checkout.at("checks/known.json")).unwrap();
    assert!(text.contains("\"file\":\"../a/src/lib.rs\""), "{text}");
    let outcome = run(&checkout.at("a"), &["--baseline", "../checks/known.json", "--format", "json"]);
    assert_eq!((outcome.findings(), outcome.stderr.as_str()), (vec![], ""));
    let outcome = run(&checkout.at("a"), &["--write-baseline", "--baseline", "Cargo.toml"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("Cargo.toml: not a baseline"), "{}", outcome.stderr);
}

#[test]
fn what_cannot_be_read_and_holds_no_code_hides_nothing() {
    let checkout = written(CAPPED);
    checkout.write("src/lib.rs", "pub fn f() {}\n");
    checkout.write("templates/Cargo.toml", "[package]\nname = {{name}}\n");
    let outcome = lint(&checkout, &["."]);
    assert!(outcome.unreadable().contains_key("templates/Cargo.toml"), "{}", outcome.stdout);
    assert_eq!(outcome.json()["stale"].as_array().unwrap().len(), 2);
}
