//! `compare`, `lint --witness` and `fuzz` on small checkouts. Each compiles, so there are few.

use crate::support::{Checkout, Outcome, command, finish, run};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// A parser that loses dates and reads garbage as zero; one that is right; and a place that cannot be cut out.
const CLIENT: &str = r#"use std::time::Duration;

pub fn wait(headers: &[(String, String)]) -> Duration {
    let value = headers.iter().find(|(name, _)| name == "retry-after").map(|(_, value)| value.as_str());
    value.map(parse_retry_after).unwrap_or(Duration::from_secs(5))
}

fn parse_retry_after(value: &str) -> Duration {
    Duration::from_secs(value.parse::<u64>().unwrap_or(0))
}
"#;

fn proof(checkout: &Checkout, arguments: &[&str]) -> Outcome {
    finish(command(checkout.path()).args(arguments).timeout(Duration::from_secs(900)))
}

fn subject<'a>(json: &'a Value, item: &str) -> &'a Value {
    let subjects = json["subjects"].as_array().unwrap();
    subjects.iter().find(|subject| subject["item"] == item).unwrap_or_else(|| panic!("no {item}: {json}"))
}

#[test]
fn a_parser_is_run_beside_the_reference() {
    let checkout = Checkout::package(CLIENT);
    let before = checkout.listing();
    let outcome = proof(&checkout, &["compare", "--format", "json", "--inputs", "5000"]);
    let json = outcome.json();
    assert_eq!((outcome.code, &json["version"]), (1, &Value::from(1)), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("compiles and runs code"), "{}", outcome.stderr);
    let parser = subject(&json, "parse_retry_after");
    assert_eq!(
        (&parser["status"], &parser["strategy"], &parser["package"], &parser["reason"]),
        (&"compared".into(), &"slice".into(), &"client".into(), &Value::Null)
    );
    assert_eq!(parser["inputs"], 5000);
    assert_eq!(parser["fingerprint"].as_str().unwrap().len(), 16);
    assert!(parser["table"]["cases"].as_u64().unwrap() >= 5, "{parser}");
    assert_eq!(parser["table"]["differ"], Value::Array(Vec::new()), "the analysis says the same as the run");
    assert_eq!(parser["parses"][0]["line"], 9);
    let divergences = parser["divergences"].as_array().unwrap();
    let shown = |kind: &str| divergences.iter().find(|divergence| divergence["kind"] == kind).unwrap();
    let words =
        |divergence: &Value| ["header", "subject", "reference"].map(|key| divergence[key].as_str().unwrap().to_owned());
    assert_eq!(words(shown("zero_fallback")), ["soon", "waits 0 s", "takes it for no hint"]);
    assert_eq!(words(shown("integer_only")), ["Mon, 30 Nov 2026 12:01:30 GMT", "waits 0 s", "waits 90 s"]);
    assert!(divergences.iter().all(|divergence| divergence["count"].as_u64().unwrap() > 0));

    // Nothing but the folder below the target folder was written.
    let harness = checkout.at("target");
    let after = checkout.listing();
    let rest: Vec<&PathBuf> =
        after.keys().filter(|path| !path.starts_with(&harness) && !before.contains_key(*path)).collect();
    assert_eq!(rest, Vec::<&PathBuf>::new());
    assert_eq!(std::fs::read_dir(&harness).unwrap().count(), 1, "target holds retry-after alone");
    assert!(before.iter().all(|(path, text)| after.get(path) == Some(text)), "what was there is unchanged");

    // The same seed gives the same result, in words too; a place is chosen by its id.
    let id = parser["id"].as_str().unwrap();
    let again = proof(&checkout, &["compare", id, "--format", "json", "--inputs", "5000"]);
    assert_eq!(subject(&again.json(), "parse_retry_after"), parser);
    assert_eq!(again.json()["subjects"].as_array().unwrap().len(), 1);
    let human = proof(&checkout, &["compare", "client:src", "--inputs", "5000"]);
    assert!(
        human.stdout.contains("error[integer_only]: with `Retry-After: Mon, 30 Nov 2026 12:01:30 GMT` your code waits 0 s; right: waits 90 s"),
        "{}",
        human.stdout
    );
    let unknown = proof(&checkout, &["compare", "client:src/nowhere.rs"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains(id), "the message names those that there are: {}", unknown.stderr);

    // What the analysis says of the same code is confirmed.
    let witness = proof(&checkout, &["lint", "--witness", "--format", "json"]);
    let json = witness.json();
    let findings = json["findings"].as_array().unwrap();
    let confirmed =
        |rule: &str| findings.iter().find(|finding| finding["rule"] == rule).unwrap()["witness"]["confirmed"].clone();
    assert_eq!(
        (confirmed("integer_only"), confirmed("zero_fallback")),
        (true.into(), true.into()),
        "{}",
        witness.stdout
    );
    assert!(witness.stderr.contains("compiles and runs code") && witness.stderr.contains("confirmed by a run"));

    // A header that is kept is asked about from then on.
    checkout.write("kept/client.parse_retry_after/mine", "# from a report\n123456 s\n");
    let kept = proof(&checkout, &["compare", "--format", "json", "--inputs", "5000", "--regressions", "kept"]);
    assert_eq!(subject(&kept.json(), "parse_retry_after")["inputs"], 5001);
}

#[test]
fn a_checkout_that_reads_no_hint_is_fine() {
    let checkout = Checkout::package("pub fn f() {}\n");
    let outcome = run(checkout.path(), &["compare", "--format", "json"]);
    assert_eq!((outcome.code, outcome.json()["subjects"].as_array().unwrap().len()), (0, 0), "{}", outcome.stderr);
    assert!(!checkout.at("target").exists(), "nothing is compiled for nothing");
}

#[test]
fn help_says_what_is_run() {
    let checkout = Checkout::new(&[]);
    for command in ["compare", "fuzz"] {
        let help = run(checkout.path(), &[command, "--help"]).stdout;
        assert!(help.contains("compiles and runs code") && help.contains("Exit codes:"), "{help}");
    }
    let lint = run(checkout.path(), &["lint", "--help"]).stdout;
    assert!(lint.contains("--witness") && lint.contains("compiles and runs code"), "{lint}");
}

#[cfg(unix)]
#[test]
fn a_missing_tool_is_named_with_the_command_that_installs_it() {
    use std::os::unix::fs::PermissionsExt;
    let checkout = Checkout::package(CLIENT);
    // A cargo that knows no other commands.
    checkout.write("tools/cargo", "#!/bin/sh\nexit 101\n");
    std::fs::set_permissions(checkout.at("tools/cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = finish(command(checkout.path()).args(["fuzz"]).env("PATH", checkout.at("tools")));
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("`cargo install cargo-fuzz` installs it"), "{}", outcome.stderr);
}
