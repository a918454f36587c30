//! What a change causes where it touches nothing: a finding is told when it is not there without the change, and else stays silent.

#![cfg(unix)]

use crate::changes::{changed, commit, git, repository, since};
use crate::support::{CAPPED, Checkout, command, finish, manifest, run};

/// A client whose waits hang on constants of another file.
const CLIENT: &str = r#"mod limits;
use std::time::Duration;

pub fn pause(headers: &HeaderMap, backoff: Duration) -> Result<(), Error> {
    let text = headers.get("retry-after").and_then(|v| v.to_str().ok());
    let hint = text.and_then(|t| read(t)).unwrap_or(backoff).max(backoff);
    if hint > limits::LIMIT {
        return Err(Error::TooLong(hint));
    }
    std::thread::sleep(hint);
    Ok(())
}

pub fn read(t: &str) -> Option<Duration> {
    if let Ok(n) = t.parse::<u64>() {
        return Some(Duration::from_secs(n));
    }
    let when = httpdate::parse_http_date(t).ok()?;
    Some(when.duration_since(std::time::SystemTime::now()).unwrap_or(Duration::ZERO))
}

pub fn shorter(headers: &HeaderMap, backoff: Duration) {
    let text = headers.get("retry-after").and_then(|v| v.to_str().ok());
    let hint = text.and_then(|t| read(t)).unwrap_or(backoff).max(backoff);
    std::thread::sleep(hint.min(limits::HUGE));
}

pub fn named(headers: &HeaderMap, backoff: Duration) {
    let text = headers.get(limits::NAME).and_then(|v| v.to_str().ok());
    let hint = text.and_then(|t| t.parse().ok()).map(Duration::from_secs).unwrap_or(backoff).max(backoff);
    std::thread::sleep(hint);
}
"#;

const LIMITS: &str = r#"use std::time::Duration;
pub const LIMIT: Duration = Duration::from_secs(300);
pub const HUGE: Duration = Duration::from_secs(u64::MAX);
pub const NAME: &str = "x-other";
"#;

/// A client that reads dates in another file.
const DATES: &str = r#"mod date;
use std::time::Duration;
pub fn pause(headers: &HeaderMap, backoff: Duration) -> Result<(), Error> {
    let text = headers.get("retry-after").and_then(|v| v.to_str().ok());
    let hint = text.and_then(|t| date::parse_all(t)).unwrap_or(backoff);
    if hint > Duration::from_secs(300) {
        return Err(Error::TooLong(hint));
    }
    std::thread::sleep(hint.max(backoff));
    Ok(())
}
"#;

const DATE: &str = r#"use std::time::Duration;
pub fn parse_all(t: &str) -> Option<Duration> {
    if let Ok(n) = t.parse::<u64>() {
        return Some(Duration::from_secs(n));
    }
    let when = httpdate::parse_http_date(t).ok()?;
    Some(when.duration_since(std::time::SystemTime::now()).unwrap_or(Duration::ZERO))
}
"#;

/// A loop that retries, and a wait beside a lock.
const RETRIES: &str = r#"use std::time::Duration;
pub async fn get(client: &reqwest::Client) -> Result<reqwest::Response, Error> {
    for attempt in 0..5 {
        let response = client.get("x").send().await?;
        if response.status() == 429 {
            return Err(Error::Busy(response.headers().get("retry-after").cloned()));
        }
        if response.status().is_success() {
            return Ok(response);
        }
        tokio::time::sleep(Duration::from_millis(100 << attempt)).await;
    }
    Err(Error::Gone)
}

pub fn locked(m: &Mutex<u8>, headers: &HeaderMap, backoff: Duration) {
    let guard = m.lock().unwrap();
    let hint = headers.get("retry-after").and_then(|v| v.to_str().ok()).and_then(read).unwrap_or(backoff).max(backoff);
    if hint > Duration::from_secs(300) { return; }
    drop(guard);
    std::thread::sleep(hint);
}

fn read(t: &str) -> Option<Duration> {
    if let Ok(n) = t.parse::<u64>() {
        return Some(Duration::from_secs(n));
    }
    let when = httpdate::parse_http_date(t).ok()?;
    Some(when.duration_since(std::time::SystemTime::now()).unwrap_or(Duration::ZERO))
}
"#;

/// A repository with the files, all committed on `main`.
fn committed(files: &[(&str, &str)]) -> Checkout {
    let checkout = Checkout::package("");
    for (path, text) in files {
        checkout.write(path, text);
    }
    git(checkout.path(), &["init", "-q"]);
    commit(&checkout);
    checkout
}

/// What is told of one edit, by git and by its difference as a file: the same.
fn told(checkout: &Checkout, file: &str, from: &str, to: &str) -> Vec<String> {
    let text = std::fs::read_to_string(checkout.at(file)).unwrap();
    assert!(text.contains(from), "{from}");
    checkout.write(file, text.replacen(from, to, 1));
    let findings = changed(checkout);
    for arguments in [&["diff"][..], &["diff", "-U0"]] {
        let difference = git(checkout.path(), arguments);
        let outcome = finish(
            command(checkout.path()).args(["lint", "--format", "json", "--diff-file", "-"]).write_stdin(difference),
        );
        assert_eq!(outcome.findings(), findings, "{arguments:?} {}", outcome.stderr);
    }
    checkout.write(file, text);
    findings
}

#[test]
fn a_constant_of_another_file_decides() {
    let checkout = committed(&[("src/lib.rs", CLIENT), ("src/limits.rs", LIMITS)]);
    let told = |from: &str, to: &str| told(&checkout, "src/limits.rs", from, to);
    assert_eq!(told("from_secs(u64::MAX)", "from_secs(10)"), ["capped_hint src/lib.rs:25"]);
    assert_eq!(told("x-other", "retry-after"), ["integer_only src/lib.rs:30", "unbounded_wait src/lib.rs:31"]);
    assert_eq!(told("Duration::from_secs(300)", "Duration::MAX"), ["unbounded_wait src/lib.rs:10"]);
    assert_eq!(told("300", "200"), [""; 0], "still a limit");
    // A finding that is there already and gets worse is told.
    let capped = LIMITS.replace("from_secs(u64::MAX)", "from_secs(60)");
    let checkout = committed(&[("src/lib.rs", CLIENT), ("src/limits.rs", &capped)]);
    assert_eq!(self::told(&checkout, "src/limits.rs", "60", "30"), ["capped_hint src/lib.rs:25"]);
}

#[test]
fn what_a_helper_no_longer_reads_is_told_at_its_caller() {
    let checkout = committed(&[("src/lib.rs", DATES), ("src/date.rs", DATE)]);
    let (_, date) = DATE.split_once("    let when").unwrap();
    let branch = format!("    let when{}", date.strip_suffix("}\n").unwrap());
    assert_eq!(told(&checkout, "src/date.rs", &branch, "    None\n"), ["integer_only src/date.rs:3"]);
}

#[test]
fn a_guard_that_is_altered_no_longer_guards() {
    let checkout = committed(&[("src/lib.rs", DATES), ("src/date.rs", DATE)]);
    for condition in
        ["backoff > Duration::from_secs(300)", "false && hint > Duration::from_secs(300)", "hint > Duration::MAX"]
    {
        let findings = told(&checkout, "src/lib.rs", "hint > Duration::from_secs(300)", condition);
        assert_eq!(findings, ["unbounded_wait src/lib.rs:9"], "{condition}");
    }
}

#[test]
fn a_lock_an_async_function_and_a_status_decide_as_well() {
    let checkout = committed(&[("src/lib.rs", RETRIES)]);
    let told = |from: &str, to: &str| told(&checkout, "src/lib.rs", from, to);
    assert_eq!(told("    drop(guard);\n", ""), ["sleep_holding_lock src/lib.rs:20"]);
    assert_eq!(told("drop(guard)", "drop(m)"), ["sleep_holding_lock src/lib.rs:21"]);
    assert_eq!(told("pub fn locked", "pub async fn locked"), ["blocking_wait src/lib.rs:21"]);
    assert_eq!(told("== 429", "== 404"), ["ignored_hint src/lib.rs:11"]);
}

#[test]
fn a_suppression_that_is_taken_away_lets_its_finding_be_told() {
    let suppressed = CAPPED.replace(
        "        std::thread::sleep(",
        "        // retry-after: allow(capped_hint): a test\n        std::thread::sleep(",
    );
    let checkout = committed(&[("src/lib.rs", &suppressed)]);
    let line = "        // retry-after: allow(capped_hint): a test\n";
    assert_eq!(told(&checkout, "src/lib.rs", line, ""), ["capped_hint src/lib.rs:13"]);
}

#[test]
fn old_findings_stay_silent_whatever_changes_beside_them() {
    let other = "pub fn other(x: u64) -> u64 {\n    // one\n    if x > 3 { return 3; }\n    x\n}\n";
    let checkout = committed(&[("src/lib.rs", &format!("mod other;\n{CAPPED}")), ("src/other.rs", other)]);
    let silent = |file: &str, from: &str, to: &str| {
        assert_eq!(told(&checkout, file, from, to), [""; 0], "{file}: {from} -> {to}");
    };
    silent("src/lib.rs", "mod other;\n", "mod other;\n\nfn more() {}\n");
    silent("src/lib.rs", "use std::time::Duration;\n", "");
    silent("src/lib.rs", "mod other;\n", "mod other;\n/// Sends.\n");
    silent("src/lib.rs", "pub fn send(", "fn send_again(");
    silent("src/lib.rs", "    loop {\n", "    let start = Instant::now();\n    loop {\n");
    silent("src/other.rs", "    if x > 3 { return 3; }\n", "");
    silent("src/other.rs", "// one", "// retry-after");
    silent("src/other.rs", "pub fn other", "fn retry_after_of");
    silent("src/other.rs", other, "");
    git(checkout.path(), &["mv", "src/other.rs", "src/another.rs"]);
    silent("src/lib.rs", "mod other;\n", "mod another;\n");
    git(checkout.path(), &["mv", "src/another.rs", "src/other.rs"]);
    git(checkout.path(), &["rm", "-q", "src/other.rs"]);
    silent("src/lib.rs", "mod other;\n", "");
}

#[test]
fn what_guarded_nothing_revives_nothing() {
    let beside = CAPPED.replace(
        "        std::thread::sleep(",
        "        if secs == 0 { metrics::count(secs); }\n        std::thread::sleep(",
    );
    let checkout = committed(&[("src/lib.rs", &beside)]);
    assert_eq!(told(&checkout, "src/lib.rs", "        if secs == 0 { metrics::count(secs); }\n", ""), [""; 0]);
}

#[test]
fn a_file_that_was_moved_without_a_word_to_git_is_not_new() {
    let checkout = repository("mod a;\n");
    checkout.write("src/a.rs", CAPPED);
    commit(&checkout);
    git(checkout.path(), &["branch", "-f", "main"]);
    let before = checkout.listing();
    checkout.write("src/lib.rs", "mod b;\n");
    std::fs::rename(checkout.at("src/a.rs"), checkout.at("src/b.rs")).unwrap();
    assert_eq!(changed(&checkout), [""; 0]);
    checkout.write("src/b.rs", CAPPED.replace("secs.min(60)", "secs.min(30)"));
    assert_eq!(changed(&checkout), ["integer_only src/b.rs:9", "capped_hint src/b.rs:13"]);
    let of_git = |listing: &std::collections::BTreeMap<std::path::PathBuf, Option<Vec<u8>>>| {
        let git = checkout.at(".git");
        listing
            .iter()
            .filter(|(path, _)| path.starts_with(&git))
            .map(|(p, t)| (p.clone(), t.clone()))
            .collect::<Vec<_>>()
    };
    assert!(of_git(&checkout.listing()) == of_git(&before), "git's folder was written into");
}

#[test]
fn files_that_git_takes_for_unaltered_are_looked_at_as_they_are() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let checkout = repository(CAPPED);
        git(checkout.path(), &["update-index", flag, "src/lib.rs"]);
        assert_eq!(changed(&checkout), [""; 0]);
        checkout.write("src/lib.rs", CAPPED.replace("secs.min(60)", "secs.min(30)"));
        assert_eq!(changed(&checkout).len(), 2, "{flag}");
    }
    // What a sparse checkout leaves out is not gone.
    let checkout = repository(CAPPED);
    git(checkout.path(), &["update-index", "--skip-worktree", "src/lib.rs"]);
    std::fs::remove_file(checkout.at("src/lib.rs")).unwrap();
    checkout.write("src/main.rs", "fn main() {}\n");
    assert_eq!(changed(&checkout), [""; 0]);
}

#[test]
fn nothing_is_written_into_the_folder_of_git() {
    let checkout = repository(CAPPED);
    // The same text at another time: git would note that.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    let file = std::fs::File::options().write(true).open(checkout.at("src/lib.rs")).unwrap();
    file.set_modified(later).unwrap();
    let before = checkout.listing();
    assert_eq!(changed(&checkout), [""; 0]);
    assert!(checkout.listing() == before);
    // Asked without care, it does.
    git(checkout.path(), &["diff", "--quiet", "main"]);
    git(checkout.path(), &["status"]);
    assert!(checkout.listing() != before, "the test shows nothing");
}

#[test]
fn a_submodule_is_compared_with_the_commit_that_the_base_names() {
    let inner = Checkout::package("");
    git(inner.path(), &["init", "-q"]);
    commit(&inner);
    let outer = Checkout::new(&[("Cargo.toml", "[workspace]\nmembers = [\"sub\"]\nresolver = \"2\"\n")]);
    git(outer.path(), &["init", "-q"]);
    let url = inner.path().to_str().unwrap();
    git(outer.path(), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    commit(&outer);
    let expected = ["integer_only sub/src/lib.rs:9", "capped_hint sub/src/lib.rs:13"];
    assert_eq!(since(&outer, "HEAD").findings(), [""; 0]);
    outer.write("sub/src/lib.rs", CAPPED);
    assert_eq!(since(&outer, "HEAD").findings(), expected, "edited");
    git(&outer.at("sub"), &["commit", "-qam", "a commit"]);
    assert_eq!(since(&outer, "HEAD").findings(), expected, "committed below");
    git(outer.path(), &["add", "sub"]);
    assert_eq!(since(&outer, "HEAD").findings(), expected, "staged above");
    commit(&outer);
    assert_eq!(since(&outer, "HEAD~1").findings(), expected, "committed above");
    assert_eq!(since(&outer, "HEAD").findings(), [""; 0]);
    // From inside the submodule, its own history counts.
    let inside = run(&outer.at("sub"), &["lint", "--format", "json", "--changed-since", "HEAD", "."]);
    assert_eq!(inside.findings(), [""; 0]);
}

fn all_since_head(checkout: &Checkout) -> Vec<String> {
    run(checkout.path(), &["--workspace", "--format", "json", "--changed-since", "HEAD"]).findings()
}

#[test]
fn a_repository_that_the_one_around_it_does_not_know_is_new() {
    let checkout = committed(&[]);
    checkout.write("Cargo.toml", format!("{}\n[workspace]\nmembers = [\"in\"]\n", manifest("client")));
    checkout.write("in/Cargo.toml", manifest("inner"));
    checkout.write("in/src/lib.rs", CAPPED);
    commit(&checkout);
    assert_eq!(all_since_head(&checkout), [""; 0]);
    git(checkout.path(), &["rm", "-rq", "--cached", "in"]);
    commit_index(&checkout);
    git(&checkout.at("in"), &["init", "-q"]);
    git(&checkout.at("in"), &["add", "-A"]);
    git(&checkout.at("in"), &["commit", "-qm", "a commit"]);
    let expected = ["integer_only in/src/lib.rs:9", "capped_hint in/src/lib.rs:13"];
    assert_eq!(all_since_head(&checkout), expected);
    // What is left alone has a history of its own.
    checkout.write(".gitignore", "in\n");
    assert_eq!(all_since_head(&checkout), [""; 0]);
}

fn commit_index(checkout: &Checkout) {
    git(checkout.path(), &["commit", "-qm", "a commit"]);
}

#[test]
fn a_difference_of_another_state_is_refused() {
    let checkout = committed(&[("src/lib.rs", CAPPED)]);
    checkout.write("src/lib.rs", CAPPED.replace("secs.min(60)", "secs.min(30)"));
    let difference = git(checkout.path(), &["diff"]);
    let refused = |difference: &str, words: &str| {
        checkout.write("changes.diff", difference);
        let outcome = run(checkout.path(), &["--diff-file", "changes.diff"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(words) && outcome.stderr.contains("changes.diff: line "), "{}", outcome.stderr);
    };
    refused("--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -999 +999 @@\n-a\n+b\n", "whose line 999 is not there");
    checkout.write("src/lib.rs", CAPPED);
    refused(&difference, "the difference does not fit `src/lib.rs`, whose line 13 is `std::thread::sleep(");
    // One that only white space separates fits, and so does a series.
    let edited = CAPPED.replace("secs.min(60)", "secs.min(30)");
    checkout.write("src/lib.rs", edited.replace('\n', "\r\n"));
    checkout.write("changes.diff", &difference);
    assert_eq!(run(checkout.path(), &["--format", "json", "--diff-file", "changes.diff"]).findings().len(), 2);
    checkout.write("src/lib.rs", &edited);
    git(checkout.path(), &["commit", "-qam", "one"]);
    checkout.write("src/lib.rs", format!("// more\n{edited}"));
    git(checkout.path(), &["commit", "-qam", "two"]);
    let series = git(checkout.path(), &["format-patch", "--stdout", "HEAD~2"]);
    checkout.write("changes.diff", series);
    assert_eq!(
        run(checkout.path(), &["--format", "json", "--diff-file", "changes.diff"]).findings(),
        ["integer_only src/lib.rs:10", "capped_hint src/lib.rs:14"]
    );
    // A file that is not here, beside one that is.
    checkout.write(
        "changes.diff",
        format!("{}--- a/no.rs\n+++ b/no.rs\n@@ -1 +1 @@\n-a\n+b\n", git(checkout.path(), &["diff", "HEAD~1"])),
    );
    let outcome = run(checkout.path(), &["--diff-file", "changes.diff"]);
    assert!(outcome.stderr.contains("names a Rust file that is not here: `b/no.rs`"), "{}", outcome.stderr);
}
