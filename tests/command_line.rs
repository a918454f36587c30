//! The command line: exit codes, levels, what goes where.

use crate::support::{CAPPED, Checkout, command, finish, run};
use std::process::{Command, Stdio};

#[test]
fn the_exit_code_says_how_it_went() {
    let faulty = Checkout::package(CAPPED);
    let clean = Checkout::package("pub fn f() {}\n");
    let code = |checkout: &Checkout, arguments: &[&str]| run(checkout.path(), arguments).code;
    assert_eq!(code(&clean, &["lint"]), 0);
    assert_eq!(code(&faulty, &["lint"]), 1);
    assert_eq!(code(&faulty, &[]), 1, "lint is the default");
    assert_eq!(code(&faulty, &["retry-after", "."]), 1, "cargo's way");
    assert_eq!(code(&faulty, &["-A", "all"]), 0);
    assert_eq!(code(&faulty, &["-A", "all", "-W", "all"]), 0, "warnings do not fail");
    assert_eq!(code(&faulty, &["-A", "all", "-W", "all", "--deny-warnings"]), 1);
    assert_eq!(code(&faulty, &["-A", "all", "-D", "capped_hint"]), 1);
    assert_eq!(code(&faulty, &["-D", "capped_hint", "-A", "capped_hint,parse"]), 0);
    for wrong in [
        &["--nonsense"][..],
        &["-A", "no_such_rule"],
        &["nowhere"],
        &["src", "nowhere"],
        &["explain", "no_such_rule"],
        &["--format", "xml"],
        &["-p", "x", "src"],
    ] {
        let outcome = run(faulty.path(), wrong);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{wrong:?}");
        assert!(outcome.stderr.starts_with("error: "), "{wrong:?}: {}", outcome.stderr);
    }
    assert_eq!(code(&Checkout::new(&[("a.txt", "")]), &["."]), 2, "nothing to read");
}

#[test]
fn an_unknown_rule_is_answered_with_the_nearest() {
    let checkout = Checkout::package("");
    let outcome = run(checkout.path(), &["-D", "capped_hnit"]);
    assert!(outcome.stderr.contains("did you mean `capped_hint`?"), "{}", outcome.stderr);
}

#[test]
fn help_and_version_are_no_failure() {
    let checkout = Checkout::new(&[]);
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["lint", "--help"],
        &["retry-after", "lint", "-h"],
        &["explain", "--help"],
    ] {
        let outcome = run(checkout.path(), arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(!outcome.stdout.is_empty());
    }
    let help = run(checkout.path(), &["--help"]).stdout;
    assert!(help.contains("Exit codes:") && help.contains("cargo-retry-after lint path/to/checkout"), "{help}");
}

#[test]
fn rules_are_listed_and_explained() {
    let checkout = Checkout::new(&[]);
    let list = run(checkout.path(), &["rules", "--format", "json"]).json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap()).collect();
    assert!(!names.is_empty());
    let table = run(checkout.path(), &["rules"]).stdout;
    for name in names {
        assert!(table.lines().any(|line| line.starts_with(name)), "{name}");
        let page = run(checkout.path(), &["explain", name]);
        assert_eq!(page.code, 0);
        assert!(page.stdout.starts_with(&format!("# {name}\n")), "{name}: {}", page.stdout);
    }
}

#[test]
fn json_is_all_that_is_on_standard_output() {
    let checkout = Checkout::package(CAPPED);
    checkout.write("src/broken.rs", "// retry-after\nfn (");
    for extra in [&[][..], &["-v"], &["-q"]] {
        let outcome = run(checkout.path(), &[&["--format", "json", "--color", "always"], extra].concat());
        let json = outcome.json();
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["findings", "stats", "unreadable", "version"]);
        assert_eq!(outcome.stdout.matches('\n').count(), 1);
    }
}

#[test]
fn quiet_prints_findings_alone_and_verbose_tells_more() {
    let faulty = Checkout::package(CAPPED);
    let quiet = run(faulty.path(), &["-q"]);
    assert!(quiet.stdout.starts_with("error[") && !quiet.stdout.contains(" ms"), "{}", quiet.stdout);
    assert_eq!(quiet.stderr, "");
    let clean = run(Checkout::package("").path(), &["-q"]);
    assert_eq!((clean.stdout.as_str(), clean.stderr.as_str()), ("", ""));
    assert_eq!(run(faulty.path(), &["-q", "-v"]).code, 2);
}

#[test]
fn colours_follow_the_flag_and_the_variables() {
    let checkout = Checkout::package(CAPPED);
    let has_colour = |arguments: &[&str], variables: &[(&str, &str)]| {
        let outcome = finish(command(checkout.path()).args(arguments).envs(variables.iter().copied()));
        outcome.stdout.contains("\u{1b}[")
    };
    assert!(!has_colour(&[], &[]), "no terminal");
    assert!(has_colour(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(has_colour(&["lint", "--color=always"], &[]));
    assert!(has_colour(&[], &[("CARGO_TERM_COLOR", "always")]));
    assert!(has_colour(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colour(&[], &[("CARGO_TERM_COLOR", "always"), ("NO_COLOR", "1")]));
    assert!(!has_colour(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let checkout = Checkout::package(CAPPED);
    let mut child = Command::new(crate::support::binary())
        .current_dir(checkout.path())
        .args(["lint", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_published_crate_that_does_not_exist_is_an_error() {
    let checkout = Checkout::new(&[]);
    for spec in ["", "a b", "../x", "a@"] {
        let outcome = run(checkout.path(), &["--crate", spec]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{spec}");
        assert!(outcome.stderr.contains("names no crate"), "{}", outcome.stderr);
    }
}

#[test]
fn a_group_is_explained_and_slips_are_answered() {
    let checkout = Checkout::package(CAPPED);
    let page = run(checkout.path(), &["explain", "fallback"]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    assert!(
        page.stdout.starts_with("# fallback\n") && page.stdout.contains("- `zero_fallback` (deny): "),
        "{}",
        page.stdout
    );
    for (arguments, told) in [
        (&["explain", "CAPPED_HINT"][..], "did you mean `capped_hint`?"),
        (&["explain", "fallbck"], "did you mean `fallback`?"),
        (&["-A", "CAPPED_HINT"], "did you mean `capped_hint`?"),
        (&["-D", "warnings"], "--deny-warnings"),
        (&["--explain", "capped_hint"], "`explain` is a command: `cargo retry-after explain`"),
        (&["--show-settings", "--format", "json"], "cannot be used with"),
    ] {
        let outcome = run(checkout.path(), arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(outcome.stderr.contains(told) && !outcome.stderr.contains("--baseline"), "{}", outcome.stderr);
    }
    let help = run(checkout.path(), &["help", "explain"]);
    assert_eq!((help.code, help.stdout), (0, run(checkout.path(), &["explain", "--help"]).stdout));
}

#[test]
fn help_fits_into_a_hundred_columns() {
    let checkout = Checkout::new(&[]);
    for arguments in [&["--help"][..], &["-h"], &["compare", "--help"], &["fuzz", "--help"], &["parse", "--help"]] {
        let help = run(checkout.path(), arguments).stdout;
        // A line that the program wraps once more leaves a word or two by themselves.
        let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
        assert_eq!(wide, [""; 0], "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error_where_nothing_else_is() {
    let checkout = Checkout::package("pub mod a;\n");
    checkout.write("src/a.rs", "// retry-after\nfn f() {\n    g(1;\n}\n");
    let message = "not parsed: the `(` in column 6 is not closed: a `}` stands in its place, in line 4, column 1\n";
    for (folder, arguments, name) in
        [("", &["src/a.rs"][..], "src/a.rs"), ("src", &["a.rs"], "a.rs"), ("", &["-q", "src/a.rs"], "src/a.rs")]
    {
        let outcome = run(&checkout.at(folder), arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}");
        assert_eq!(outcome.stderr, format!("error: {name}:3: {message}"), "{arguments:?}");
        assert_eq!(outcome.stdout.starts_with("nothing was read: 1 file in 1 package"), !arguments.contains(&"-q"));
    }
    for arguments in [&[][..], &["-q"]] {
        let outcome = run(&checkout.at("src"), arguments);
        assert_eq!((outcome.code, outcome.stderr), (0, format!("warning: a.rs:3: {message}")), "{arguments:?}");
    }
}

#[test]
fn messages_are_without_the_numbers_of_the_system() {
    let checkout = Checkout::package(CAPPED);
    for arguments in [
        &["--baseline", "no/where.json"][..],
        &["--write-baseline", "--baseline", "no/where.json"],
        &["--format", "json=no/where.json"],
        &["--diff-file", "no/where.diff"],
        &["--config", "no/where.toml"],
        &["no/where.rs"],
    ] {
        let outcome = run(checkout.path(), arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}");
        assert!(outcome.stderr.contains("no such file or directory"), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("os error"), "{}", outcome.stderr);
    }
}

#[cfg(unix)]
#[test]
fn no_name_of_a_file_begins_a_line() {
    let checkout = Checkout::package("");
    checkout.write("src/a\n::stop-commands::x\r::y\n.rs", "// retry-after\nfn x( {");
    checkout.write("src/b\n::error::x\n.rs", CAPPED);
    checkout.write("retry-after-baseline.json", "{\"version\":1,\"findings\":[{\"file\":\"x\\n::error::y\",\"rule\":\"a\",\"hash\":\"1\",\"text\":\"z\\n::error::\"}]}");
    for format in ["human", "short", "github", "json", "cargo-json", "gitlab", "sarif"] {
        let outcome = run(checkout.path(), &["-v", "--format", format, "--baseline", "retry-after-baseline.json", "."]);
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        let both = format!("{}\n{}", outcome.stdout, outcome.stderr);
        let own = |line: &&str| format == "github" && line.contains("file=src/b%0A%3A%3Aerror");
        let lines = both.split(['\n', '\r']).filter(|line| line.starts_with("::") && !own(line));
        assert_eq!(lines.collect::<Vec<_>>(), [""; 0], "{format}");
    }
}
