//! Formats: what the whole command writes, where to, and how the wrong command line is answered.

use crate::support::{CAPPED, Checkout, command, finish, manifest, run};
use serde_json::Value;
use std::fs;

/// The rules of the findings in a SARIF log, each with its file and line.
fn results(log: &Value) -> Vec<String> {
    let results = log["runs"][0]["results"].as_array().unwrap().iter();
    results
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let file = place["artifactLocation"]["uri"].as_str().unwrap();
            format!("{} {file}:{}", result["ruleId"].as_str().unwrap(), place["region"]["startLine"])
        })
        .collect()
}

fn read(checkout: &Checkout, path: &str) -> Value {
    serde_json::from_slice(&fs::read(checkout.at(path)).unwrap()).unwrap()
}

#[test]
fn several_formats_are_written_by_one_run() {
    let checkout = Checkout::package(CAPPED);
    let every = ["short=a.txt", "json=b.json", "sarif=c.sarif", "github=d.txt", "gitlab=e.json", "cargo-json=f.json"];
    let mut arguments = vec!["--format", "human", "--color", "always"];
    arguments.extend(every.iter().flat_map(|format| ["--format", format]));
    let outcome = run(checkout.path(), &arguments);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("\u{1b}[") && outcome.stdout.contains("capped_hint"));
    let findings = ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"];
    let short = fs::read_to_string(checkout.at("a.txt")).unwrap();
    assert!(short.starts_with("src/lib.rs:9:114: error[integer_only]: "), "files have no colours: {short:?}");
    assert_eq!(results(&read(&checkout, "c.sarif")), findings);
    assert_eq!(read(&checkout, "b.json")["findings"].as_array().unwrap().len(), 2);
    assert_eq!(fs::read_to_string(checkout.at("d.txt")).unwrap().matches("::error file=src/lib.rs,line=").count(), 2);
    assert_eq!(read(&checkout, "e.json")[1]["location"]["lines"]["begin"], 13);
    assert_eq!(fs::read_to_string(checkout.at("f.json")).unwrap().lines().count(), 3);
}

#[test]
fn a_format_for_a_file_alone_leaves_standard_output_empty() {
    let checkout = Checkout::package(CAPPED);
    let outcome = run(checkout.path(), &["--format=sarif=out.sarif"]);
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (1, "", ""));
    assert_eq!(results(&read(&checkout, "out.sarif")).len(), 2);
}

#[test]
fn formats_that_cannot_be_written_are_a_failure() {
    let checkout = Checkout::package(CAPPED);
    for (arguments, told) in [
        (&["--format", "json", "--format", "sarif"][..], "two formats for standard output"),
        (&["--format", "json=a", "--format", "sarif=a"], "two formats for the file `a`"),
        (&["--format", "json="], "a file's name is missing"),
        (&["--format", "json=no/such/folder"], "cannot write `no/such/folder`"),
        (&["--format", "sarf=a"], "similar value exists: 'sarif'"),
    ] {
        let outcome = run(checkout.path(), arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}");
        assert!(outcome.stderr.contains(told), "{arguments:?}: {}", outcome.stderr);
    }
}

#[test]
fn every_machines_format_is_whole_without_a_finding() {
    let checkout = Checkout::package("pub fn f() {}\n");
    let print = |format: &str| run(checkout.path(), &["--format", format]).stdout;
    assert_eq!(print("github"), "");
    assert_eq!(print("gitlab"), "[]\n");
    assert_eq!(print("cargo-json"), "{\"reason\":\"build-finished\",\"success\":true}\n");
    assert_eq!(results(&serde_json::from_str(&print("sarif")).unwrap()), Vec::<String>::new());
    assert!(print("short").starts_with("no findings: 1 file in 1 package"));
}

#[test]
fn names_for_a_forge_begin_at_its_checkout() {
    let checkout = Checkout::new(&[("sub/Cargo.toml", &manifest("client")), ("sub/src/lib.rs", CAPPED)]);
    let print = |variable: &str, format: &str| {
        let mut command = command(&checkout.at("sub"));
        command.env_remove("GITHUB_WORKSPACE").env_remove("CI_PROJECT_DIR");
        finish(command.env(variable, checkout.path()).args(["--format", format])).stdout
    };
    assert!(print("GITHUB_WORKSPACE", "github").starts_with("::error file=sub/src/lib.rs,line=9,"));
    assert!(print("CI_PROJECT_DIR", "gitlab").contains("\"path\":\"sub/src/lib.rs\""));
    assert!(print("GITHUB_WORKSPACE", "short").starts_with("src/lib.rs:9:"), "a person stands in the folder");
    assert!(print("NOTHING", "github").starts_with("::error file=src/lib.rs,line=9,"));
}

#[test]
fn statistics_stand_behind_the_findings_and_beside_what_programs_read() {
    let checkout = Checkout::package(CAPPED);
    let human = run(checkout.path(), &["--statistics"]);
    assert!(human.stdout.contains("     1  capped_hint (error)\n"), "{}", human.stdout);
    assert!(
        human.stdout.contains("understood: 1 source of the hint, 0 of them without an outcome"),
        "{}",
        human.stdout
    );
    assert_eq!(human.stderr, "");
    let json = run(checkout.path(), &["--statistics", "--format", "json"]);
    assert_eq!(json.findings().len(), 2);
    assert!(json.stderr.contains("capped_hint (error)"), "{}", json.stderr);
}

#[test]
fn a_read_that_comes_to_nothing_is_counted_and_told() {
    let lost = "pub fn f(headers: &HeaderMap) {\n    let value = headers.get(\"retry-after\");\n    other::take(&value.map(other::thing));\n}\n\npub fn g(headers: &HeaderMap) {\n    let _ = headers.get(\"retry-after\");\n}\n";
    let checkout = Checkout::package(lost);
    let outcome = run(checkout.path(), &["-v", "--statistics"]);
    assert_eq!(outcome.code, 0);
    let told: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("its value reached nothing")).collect();
    assert!(
        told.iter().any(|line| line.starts_with("note: src/lib.rs:7:25: a hint is read here")),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stdout.contains(", 0 of them without an outcome"), "{}", outcome.stdout);
    let quiet = run(checkout.path(), &[]);
    assert_eq!(quiet.stderr, "", "only -v lists them");
}

#[test]
fn the_manual_and_completions_are_printed() {
    let checkout = Checkout::new(&[]);
    for (shell, word) in
        [("bash", "complete -F"), ("zsh", "#compdef"), ("fish", "complete -c"), ("powershell", "Register")]
    {
        let outcome = run(checkout.path(), &["completions", shell]);
        assert_eq!(outcome.code, 0);
        assert!(outcome.stdout.contains(word) && outcome.stdout.contains("explain"), "{shell}");
    }
    assert!(run(checkout.path(), &["manual"]).stdout.contains(".TH cargo-retry-after"));
    assert_eq!(run(checkout.path(), &["completions", "cmd"]).code, 2);
}

#[test]
fn a_command_may_stand_behind_flags_and_a_slip_is_answered_with_the_nearest() {
    let checkout = Checkout::package(CAPPED);
    assert_eq!(run(checkout.path(), &["-A", "all", "lint", "src"]).code, 0);
    assert_eq!(run(checkout.path(), &["--color", "never", "rules"]).code, 0);
    for (arguments, told) in [
        (&["lnt"][..], "error: cannot read `lnt`: no such file or directory; did you mean the command `lint`?\n"),
        (&["src", "lint"], "behind a path, `lint` is a path: write the command first"),
        (&["lint", "help"], "`--help` tells what there is"),
    ] {
        let outcome = run(checkout.path(), arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
}

#[test]
fn flags_that_exclude_each_other_are_answered_with_the_ways_there_are() {
    let checkout = Checkout::package(CAPPED);
    let outcome = run(checkout.path(), &["--crate", "serde", "src"]);
    assert_eq!(outcome.code, 2);
    let usage = "Usage: cargo retry-after [OPTIONS]\n       cargo retry-after [OPTIONS] PATH...\n       cargo retry-after [OPTIONS] --crate NAME[@VERSION]...\n";
    assert!(outcome.stderr.contains(usage), "{}", outcome.stderr);
}

#[test]
fn a_file_of_another_kind_is_wrong_usage() {
    let checkout = Checkout::package(CAPPED);
    checkout.write("README.md", "text");
    checkout.write("script", format!("#!/usr/bin/env cargo\n{CAPPED}"));
    for (file, told) in [
        ("README.md", "`README.md` is no Rust source file: its name does not end in `.rs`"),
        ("Cargo.toml", "`Cargo.toml` is a manifest: name its folder, `.`, or use `--manifest-path Cargo.toml`"),
    ] {
        let outcome = run(checkout.path(), &["lint", file]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
    assert_eq!(run(checkout.path(), &["lint", "script"]).code, 1, "a script needs no ending");
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_flags_and_values() {
    use std::process::Command;
    let checkout = Checkout::new(&[]);
    let mut script = run(checkout.path(), &["completions", "bash"]).stdout;
    script.push_str(
        "function=$(complete -p cargo-retry-after | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n\
         try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); \"$function\" \"$1\" \"${@: -1}\" \"${@: -2:1}\"; echo \"${COMPREPLY[*]}\"; }\n\
         try cargo-retry-after expl\ntry cargo-retry-after lint --stat\ntry cargo-retry-after lint --format c\ntry cargo-retry-after completions b\n",
    );
    let Ok(output) = Command::new("bash").arg("-c").arg(&script).output() else {
        eprintln!("no bash here: nothing to complete in");
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(
        answers,
        ["explain", "--statistics", "cargo-json", "bash"],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn labels_that_are_far_apart_in_a_line_are_shown_apart() {
    let filler = format!("let _ = \"{}\"; ", "x".repeat(3000));
    let line = CAPPED.replace('\n', " ").replace("std::thread", &format!("{filler}std::thread"));
    let checkout = Checkout::package(&line);
    let outcome = run(checkout.path(), &["-A", "all", "-D", "capped_hint"]);
    let longest = outcome.stdout.lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| longest < 600), "{longest:?}: {}", outcome.stdout);
    assert!(outcome.stdout.contains("a longer hint is cut here") && outcome.stdout.contains("read as a number"));
}
