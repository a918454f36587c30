//! Settings: levels, overrides, declared names and excluded paths, from each place that they may stand in.

use crate::support::{CAPPED, Checkout, manifest, run};

const BOTH: [&str; 2] = ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"];

fn findings(checkout: &Checkout, arguments: &[&str]) -> Vec<String> {
    let outcome = run(checkout.path(), &[&["lint", "--format", "json"], arguments].concat());
    assert!(outcome.code < 2, "{}", outcome.stderr);
    outcome.findings()
}

fn with_metadata(library: &str, metadata: &str) -> Checkout {
    Checkout::new(&[("Cargo.toml", &format!("{}{metadata}", manifest("client"))), ("src/lib.rs", library)])
}

#[test]
fn each_place_holds_over_the_one_before() {
    let checkout =
        with_metadata(CAPPED, "[workspace]\n[workspace.metadata.retry-after.levels]\ncapped_hint = \"allow\"\n");
    assert_eq!(findings(&checkout, &[]), BOTH[..1], "the workspace's manifest");
    checkout.write("retry-after.toml", "[levels]\ncapped_hint = \"warn\"\ninteger_only = \"allow\"\n");
    assert_eq!(findings(&checkout, &[]), BOTH[1..], "a file of its own");
    assert_eq!(run(checkout.path(), &[]).code, 0, "a warning");
    assert_eq!(run(checkout.path(), &["--deny-warnings"]).code, 1);
    checkout.write(
        "Cargo.toml",
        format!("{}[workspace]\n[package.metadata.retry-after]\nlevels.integer_only = \"deny\"\n", manifest("client")),
    );
    assert_eq!(findings(&checkout, &[]), BOTH, "the package's manifest");
    assert_eq!(findings(&checkout, &["-A", "integer_only"]), BOTH[1..], "the command line");
    assert_eq!(findings(&checkout, &["-A", "all", "--isolated"]), [""; 0]);
    assert_eq!(run(checkout.path(), &["--exit-zero"]).code, 0);
}

#[test]
fn nothing_of_it_is_obeyed_when_isolated_and_a_named_file_stands_alone() {
    let checkout = with_metadata(CAPPED, "[package.metadata.retry-after]\nlevels.all = \"allow\"\n");
    assert_eq!(findings(&checkout, &[]), [""; 0]);
    assert_eq!(findings(&checkout, &["--isolated"]), BOTH);
    checkout.write("ci/strict.toml", "levels.capped_hint = \"allow\"\n");
    assert_eq!(findings(&checkout, &["--config", "ci/strict.toml"]), BOTH[..1]);
    let outcome = run(checkout.path(), &["--config", "nowhere.toml"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("cannot read `nowhere.toml`"), "{}", outcome.stderr);
}

#[test]
fn members_have_settings_of_their_own() {
    let checkout = Checkout::new(&[
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n[workspace.metadata.retry-after.levels]\ninteger_only = \"allow\"\n",
        ),
        ("a/Cargo.toml", &manifest("a")),
        ("a/src/lib.rs", CAPPED),
        ("b/Cargo.toml", &manifest("b")),
        ("b/src/lib.rs", CAPPED),
        ("b/retry-after.toml", "[levels]\ncapped_hint = \"allow\"\ninteger_only = \"warn\"\n"),
    ]);
    let expected = ["capped_hint a/src/lib.rs:13", "integer_only b/src/lib.rs:9"];
    assert_eq!(findings(&checkout, &["--workspace"]), expected);
    assert_eq!(findings(&checkout, &["."]), expected, "by paths, without cargo");
    let outcome = run(&checkout.at("b"), &["lint", "--format", "json", "src/lib.rs"]);
    assert_eq!(outcome.findings(), ["integer_only lib.rs:9"], "the package around a file");
}

#[test]
fn files_without_a_manifest_take_the_nearest_file() {
    let checkout = Checkout::new(&[("retry-after.toml", "levels.capped_hint = \"allow\"\n"), ("deep/er/a.rs", CAPPED)]);
    assert_eq!(findings(&checkout, &["deep/er"]), ["integer_only a.rs:9"]);
}

#[test]
fn overrides_hold_for_their_paths_and_excluded_files_are_not_read() {
    let checkout = Checkout::package("pub mod old;\npub mod generated;\npub mod new;\n");
    for module in ["old", "generated", "new"] {
        checkout.write(&format!("src/{module}.rs"), CAPPED);
    }
    checkout.write(
        "retry-after.toml",
        "exclude = [\"src/gen*.rs\"]\n[[overrides]]\npaths = [\"src/old.rs\"]\nlevels = { schedule = \"allow\" }\n",
    );
    let found = ["integer_only src/new.rs:9", "capped_hint src/new.rs:13", "integer_only src/old.rs:9"];
    assert_eq!(findings(&checkout, &[]), found);
    assert_eq!(findings(&checkout, &["src/generated.rs"]).len(), 2, "named itself");
}

const DECLARED: &str = r#"pub fn send(client: &Client) -> Response {
    loop {
        let response = client.send();
        if response.status() != 429 {
            return response;
        }
        let secs: u64 = match response.headers().get("x-acme-come-back").and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok()) {
            Some(secs) => secs,
            None => 5,
        };
        client.take_a_nap(Duration::from_secs(secs.min(60).max(5)));
    }
}
"#;

#[test]
fn declared_headers_and_sleeps_are_understood() {
    let checkout = Checkout::package(DECLARED);
    assert_eq!(findings(&checkout, &[]), [""; 0]);
    checkout.write("retry-after.toml", "headers = [\"X-Acme-Come-Back\"]\nsleeps = [\"take_a_nap\"]\n");
    let outcome = run(checkout.path(), &["--format", "json"]);
    assert_eq!(outcome.findings(), ["capped_hint src/lib.rs:11"]);
    assert_eq!(outcome.json()["findings"][0]["confidence"], "high");
}

const BY_DATE: &str = r#"pub fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    match text.parse() {
        Ok(secs) => Some(Duration::from_secs(secs)),
        Err(_) => Some(clock::when(text).ok()?.duration_since(SystemTime::now()).unwrap_or_default()),
    }
}
mod clock { pub fn when(text: &str) -> Result<SystemTime, Error> { table(text) } fn table(text: &str) -> Result<SystemTime, Error> { Err(Error) } }
"#;

#[test]
fn a_declared_date_parser_reads_dates() {
    let checkout = Checkout::package(BY_DATE);
    let before = findings(&checkout, &["--confidence", "low"]);
    checkout.write("retry-after.toml", "date-parsers = [\"when\"]\n");
    assert_eq!(
        (before, findings(&checkout, &["--confidence", "low"])),
        (vec!["integer_only src/lib.rs:3".to_owned()], vec![])
    );
}

#[test]
fn a_safe_helper_is_not_looked_into() {
    let code = format!("{CAPPED}\npub fn again(client: &Client) {{\n    send(client);\n}}\n");
    let checkout = Checkout::package(&code);
    assert_eq!(findings(&checkout, &[]), BOTH);
    checkout.write("retry-after.toml", "safe-helpers = [\"send\"]\n");
    assert_eq!(findings(&checkout, &[]), [""; 0]);
}

#[test]
fn what_a_member_declares_is_its_own_word() {
    let call = CAPPED.replace("pub fn send", "pub fn fetch");
    let metadata = "[package.metadata.retry-after]\nsafe-helpers = [\"fetch\"]\n";
    let checkout = Checkout::new(&[
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", &format!("{}{metadata}", manifest("a"))),
        ("a/src/lib.rs", &call),
        ("b/Cargo.toml", &manifest("b")),
        ("b/src/lib.rs", &call),
    ]);
    let of_b = ["integer_only b/src/lib.rs:9", "capped_hint b/src/lib.rs:13"];
    assert_eq!(findings(&checkout, &["--workspace"]), of_b);
    assert_eq!(findings(&checkout, &["-p", "b"]), of_b);
    let shown = run(checkout.path(), &["--workspace", "--show-settings"]).stdout;
    assert_eq!(shown.matches("safe helpers").count(), 1, "{shown}");
    // The workspace's word is everyone's.
    checkout.write("retry-after.toml", "safe-helpers = [\"fetch\"]\n");
    assert_eq!(findings(&checkout, &["--workspace"]), [""; 0]);
}

#[test]
fn what_can_match_nothing_is_told() {
    let checkout = Checkout::package(CAPPED);
    for (text, told) in [
        ("exclude = [\"src\",\n \"../x\"]\n", "retry-after.toml:2: `../x` in `exclude` matches nothing"),
        ("exclude = [\"/abs/**\"]\n", "retry-after.toml:1: `/abs/**` in `exclude` matches nothing"),
        ("exclude = [\"!src\"]\n", "retry-after.toml:1: `!src` in `exclude` matches nothing"),
        ("[[overrides]]\npaths = [\"../x\"]\nlevels.all = \"warn\"\n", "retry-after.toml:2: `../x` in `paths`"),
    ] {
        checkout.write("retry-after.toml", text);
        let outcome = run(checkout.path(), &[]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{text}");
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
    checkout.write("retry-after.toml", "exclude = [\"vendored/**\"]\n");
    let outcome = run(checkout.path(), &[]);
    assert_eq!(outcome.stderr, "note: retry-after.toml:1: `vendored/**` in `exclude` matches no file\n");
    let checkout = with_metadata(CAPPED, "[package.metadata.retry_after]\nexclude = [\"src\"]\n");
    let outcome = run(checkout.path(), &[]);
    assert_eq!(outcome.stderr, "error: Cargo.toml:5: `retry_after` is not read; did you mean `retry-after`?\n");
}

#[test]
fn without_settings_it_is_said_where_they_would_be() {
    let outcome = run(Checkout::package(CAPPED).path(), &["--show-settings"]);
    assert!(outcome.stdout.contains("no settings found: neither ") && outcome.stdout.contains("retry-after.toml"));
}

#[test]
fn a_mistake_is_told_with_its_line_and_does_nothing_else() {
    let checkout = with_metadata(CAPPED, "[package.metadata.retry-after]\nlevel.all = \"allow\"\n");
    let outcome = run(checkout.path(), &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_eq!(outcome.stderr, "error: Cargo.toml:6: unknown key `level`; did you mean `levels`?\n");
    checkout.write("Cargo.toml", manifest("client"));
    checkout.write("retry-after.toml", "[levels\n");
    let outcome = run(checkout.path(), &[]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.starts_with("error: retry-after.toml:1: "), "{}", outcome.stderr);
}

#[test]
fn what_holds_is_shown_with_where_it_comes_from() {
    let checkout = with_metadata(CAPPED, "[package.metadata.retry-after.levels]\ncapped_hint = \"warn\"\n");
    checkout.write(
        "retry-after.toml",
        "exclude = [\"gen\"]\nsleeps = [\"nap\"]\n[levels]\nparse = \"allow\"\n[[overrides]]\npaths = [\"src/old\"]\nlevels.all = \"warn\"\n",
    );
    let outcome = run(checkout.path(), &["--show-settings", "-D", "fallback"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let lines: Vec<String> =
        outcome.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for expected in [
        "package client",
        "capped_hint warn Cargo.toml:6",
        "integer_only allow retry-after.toml:4",
        "zero_fallback deny command line",
        "levels in src/old",
        "all warn retry-after.toml:7",
        "excluded paths",
        "gen retry-after.toml:1",
        "nap retry-after.toml:2",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}: {}", outcome.stdout);
    }
}
