//! Only what a change brought: on git repositories that the tests make.

#![cfg(unix)]

use crate::support::{CAPPED, Checkout, Outcome, command, finish, manifest, run};
use std::path::Path;
use std::process::Command;

/// Two files: a client that waits, and the helper that it takes the hint from.
const CLIENT: &str = r#"use crate::helper::hint;

pub fn send(client: &Client) -> Response {
    loop {
        let response = client.send();
        if response.status() != 429 {
            return response;
        }
        let secs: u64 = hint(response.headers());
        println!("waiting");
        std::thread::sleep(Duration::from_secs(secs));
    }
}
"#;

const HELPER: &str = r#"pub fn hint(headers: &HeaderMap) -> u64 {
    let secs: u64 = match headers.get("retry-after").and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok()) {
        Some(secs) => secs,
        None => 5,
    };
    let own = 8;
    secs
}
"#;

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgSign=false",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn commit(checkout: &Checkout) {
    git(checkout.path(), &["add", "-A"]);
    git(checkout.path(), &["commit", "-q", "-m", "a commit", "--allow-empty"]);
}

/// A repository with a library file, on a branch `work` that has just left `main`.
pub(crate) fn repository(library: &str) -> Checkout {
    let checkout = Checkout::package(library);
    git(checkout.path(), &["init", "-q"]);
    commit(&checkout);
    git(checkout.path(), &["checkout", "-q", "-b", "work"]);
    checkout
}

pub(crate) fn since(checkout: &Checkout, base: &str) -> Outcome {
    run(checkout.path(), &["lint", "--format", "json", "--changed-since", base])
}

pub(crate) fn changed(checkout: &Checkout) -> Vec<String> {
    let outcome = since(checkout, "main");
    assert!(outcome.code < 2, "{}", outcome.stderr);
    outcome.findings()
}

#[test]
fn only_findings_on_changed_lines_are_shown_committed_or_not() {
    let checkout = repository(CAPPED);
    assert_eq!(changed(&checkout), [""; 0]);
    assert_eq!(since(&checkout, "main").code, 0);
    let altered = CAPPED.replace("secs.min(60)", "secs.min(30)");
    checkout.write("src/lib.rs", &altered);
    let expected = ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"];
    assert_eq!(changed(&checkout), expected, "both end in the line that changed");
    git(checkout.path(), &["add", "-A"]);
    assert_eq!(changed(&checkout), expected, "staged");
    commit(&checkout);
    assert_eq!(changed(&checkout), expected, "committed");
    assert_eq!(since(&checkout, "HEAD").findings(), [""; 0]);
    assert_eq!(since(&checkout, "main").code, 1);
}

#[test]
fn only_the_finding_that_was_added_is_shown() {
    let checkout = repository(CAPPED);
    checkout.write(
        "src/lib.rs",
        format!(
            "{CAPPED}\n{}",
            CAPPED.replace("use std::time::Duration;\n", "").replace("send(client: &C", "again(client: &C")
        ),
    );
    assert_eq!(changed(&checkout), ["integer_only src/lib.rs:24", "capped_hint src/lib.rs:28"]);
}

#[test]
fn what_others_did_on_the_base_meanwhile_is_no_change_of_ours() {
    let checkout = repository("pub mod theirs;\n");
    checkout.write("src/ours.rs", "");
    commit(&checkout);
    git(checkout.path(), &["checkout", "-q", "main"]);
    checkout.write("src/theirs.rs", CAPPED);
    commit(&checkout);
    git(checkout.path(), &["checkout", "-q", "work"]);
    git(checkout.path(), &["merge", "-q", "--no-edit", "main"]);
    assert_eq!(changed(&checkout), [""; 0]);
}

#[test]
fn files_that_git_does_not_know_are_new() {
    let checkout = repository("pub mod new;\n");
    checkout.write("src/new.rs", CAPPED);
    assert_eq!(changed(&checkout), ["integer_only src/new.rs:9", "capped_hint src/new.rs:13"]);
    checkout.write(".git/info/exclude", "new.rs\n");
    assert_eq!(changed(&checkout), [""; 0], "git is told to leave it alone");
}

#[test]
fn a_renamed_file_and_shifted_lines_revive_nothing() {
    let checkout = repository(CAPPED);
    checkout.write("src/lib.rs", "pub mod moved;\n");
    checkout.write("src/moved.rs", CAPPED);
    assert_eq!(changed(&checkout).len(), 2, "a copy that git does not know is new");
    git(checkout.path(), &["checkout", "-q", "src"]);
    std::fs::remove_file(checkout.at("src/moved.rs")).unwrap();
    git(checkout.path(), &["mv", "src/lib.rs", "src/main.rs"]);
    assert_eq!(changed(&checkout), [""; 0], "renamed");
    checkout.write("src/main.rs", CAPPED.replacen("use std::time::Duration;\n\n", "", 1));
    assert_eq!(changed(&checkout), [""; 0], "renamed, and shifted by lines that are gone");
    checkout.write("src/main.rs", format!("// more\n\nfn other() {{}}\n\n{CAPPED}"));
    assert_eq!(changed(&checkout), [""; 0], "renamed, and shifted by lines that are new");
    commit(&checkout);
    assert_eq!(changed(&checkout), [""; 0]);
}

fn two_files() -> Checkout {
    let checkout = repository("pub mod client;\npub mod helper;\n");
    git(checkout.path(), &["checkout", "-q", "main"]);
    checkout.write("src/client.rs", CLIENT);
    checkout.write("src/helper.rs", HELPER);
    commit(&checkout);
    git(checkout.path(), &["checkout", "-q", "-B", "work"]);
    checkout
}

#[test]
fn a_finding_that_the_change_causes_in_another_file_is_shown() {
    let checkout = two_files();
    assert_eq!(changed(&checkout), [""; 0]);
    checkout.write("src/helper.rs", HELPER.replace("    secs\n", "    secs.min(own)\n"));
    assert_eq!(changed(&checkout), ["capped_hint src/helper.rs:7"]);
    // The cap stands in the client, which was not touched; the helper began to read the header.
    let checkout = two_files();
    git(checkout.path(), &["checkout", "-q", "main"]);
    checkout.write("src/client.rs", CLIENT.replace("from_secs(secs)", "from_secs(secs.min(60))"));
    checkout.write("src/helper.rs", "pub fn hint(headers: &HeaderMap) -> u64 {\n    5\n}\n");
    commit(&checkout);
    git(checkout.path(), &["checkout", "-q", "-B", "work"]);
    checkout.write("src/helper.rs", HELPER);
    assert_eq!(
        changed(&checkout),
        ["capped_hint src/client.rs:11", "backoff_replaced src/helper.rs:2", "integer_only src/helper.rs:2"]
    );
}

#[test]
fn a_removed_guard_changes_the_line_it_guarded() {
    let guarded = CAPPED.replace(
        "        std::thread::sleep(Duration::from_secs(secs.min(60).max(5)));\n",
        "        if secs > 60 {\n            return response;\n        }\n        std::thread::sleep(Duration::from_secs(secs.min(60).max(5)));\n",
    );
    let checkout = repository(&guarded);
    checkout.write("src/lib.rs", CAPPED);
    assert_eq!(changed(&checkout), ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"]);
    // A line that has nothing to do with it, at the same place.
    let checkout = repository(&guarded.replace(
        "        if secs > 60 {\n            return response;\n        }\n",
        "        println!(\"hello\");\n",
    ));
    checkout.write("src/lib.rs", CAPPED);
    assert_eq!(changed(&checkout), [""; 0]);
}

#[test]
fn a_base_that_is_not_there_is_an_error_and_never_an_empty_result() {
    let checkout = repository(CAPPED);
    for (base, words) in [
        ("mian", "no commit `mian`"),
        ("", "no commit ``"),
        ("--output=x", "no commit `--output=x`"),
        ("HEAD:src", "no commit"),
    ] {
        let outcome = run(checkout.path(), &["--format", "json", &format!("--changed-since={base}")]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{base}");
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
    git(checkout.path(), &["checkout", "-q", "--orphan", "alone"]);
    // The same files in the same second would be the same commit.
    checkout.write("alone.txt", "alone");
    commit(&checkout);
    let outcome = since(&checkout, "main");
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("no common ancestor"), "{}", outcome.stderr);
    let outcome = since(&Checkout::package(CAPPED), "main");
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("in no git repository"), "{}", outcome.stderr);
}

#[test]
fn a_package_below_the_repository_and_paths_are_compared_as_well() {
    let checkout = Checkout::new(&[("crates/a b/Cargo.toml", &manifest("a")), ("crates/a b/src/größe.rs", "")]);
    checkout.write("crates/a b/src/lib.rs", "#[path = \"größe.rs\"]\npub mod size;\n");
    git(checkout.path(), &["init", "-q"]);
    commit(&checkout);
    checkout.write("crates/a b/src/größe.rs", CAPPED);
    let arguments = ["lint", "--format", "json", "--changed-since", "main"];
    assert_eq!(run(&checkout.at("crates/a b"), &arguments).findings().len(), 2);
    assert_eq!(run(checkout.path(), &[&arguments[..], &["crates"]].concat()).findings().len(), 2);
    assert_eq!(run(checkout.path(), &[&arguments[..], &["crates/a b/src/größe.rs"]].concat()).findings().len(), 2);
    assert_eq!(
        run(&checkout.at("crates/a b"), &["lint", "--format", "json", "--changed-since", "main", "src/lib.rs"])
            .findings()
            .len(),
        0
    );
}

#[test]
fn attributes_hide_no_file_from_review() {
    let checkout = repository(CAPPED);
    checkout.write(".gitattributes", "*.rs binary -diff\n");
    checkout.write("src/lib.rs", CAPPED.replace("secs.min(60)", "secs.min(30)"));
    assert_eq!(changed(&checkout).len(), 2);
}

#[test]
fn a_difference_from_a_file_or_from_standard_input_does_the_same() {
    let checkout = repository(CAPPED);
    checkout.write("src/lib.rs", CAPPED.replace("secs.min(60)", "secs.min(30)"));
    let expected = ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"];
    for arguments in [
        &["diff"][..],
        &["diff", "-U0"],
        &["diff", "--no-prefix"],
        &["diff", "-U9", "--src-prefix=i/", "--dst-prefix=w/"],
    ] {
        let difference = git(checkout.path(), arguments);
        checkout.write("changes.diff", &difference);
        let outcome = run(checkout.path(), &["--format", "json", "--diff-file", "changes.diff"]);
        assert_eq!(outcome.findings(), expected, "{arguments:?}");
        let outcome = finish(
            command(&checkout.at("src")).args(["lint", "--format", "json", "--diff-file", "-"]).write_stdin(difference),
        );
        assert_eq!(outcome.findings(), expected, "{arguments:?}");
    }
    checkout.write("changes.diff", "");
    assert_eq!(run(checkout.path(), &["--format", "json", "--diff-file", "changes.diff"]).findings(), [""; 0]);
    for (text, words) in [
        ("what is this\n", "no difference in it"),
        ("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n", "the hunk is cut off"),
        ("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n", "none of the Rust files"),
    ] {
        checkout.write("changes.diff", text);
        let outcome = run(checkout.path(), &["--diff-file", "changes.diff"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{text}");
        assert!(outcome.stderr.contains(words) && outcome.stderr.contains("changes.diff"), "{}", outcome.stderr);
    }
    assert_eq!(run(checkout.path(), &["--diff-file", "nowhere.diff"]).code, 2);
}

#[test]
fn nothing_that_the_repository_configures_is_run() {
    let checkout = repository(CAPPED);
    let marks = tempfile::tempdir().unwrap();
    let mark = marks.path().join("mark");
    checkout.trap("tool/x", marks.path());
    let trap = checkout.at("tool/x");
    let trap = trap.to_str().unwrap();
    for name in ["post-index-change", "post-checkout", "fsmonitor-watchman"] {
        checkout.trap(&format!(".git/hooks/{name}"), marks.path());
    }
    for (key, value) in [
        ("core.fsmonitor", trap),
        ("core.pager", trap),
        ("core.sshCommand", trap),
        ("diff.external", trap),
        ("diff.mine.command", trap),
        ("diff.mine.textconv", trap),
        ("filter.a=b.clean", trap),
        ("filter.a=b.smudge", trap),
        ("filter.a=b.required", "true"),
        ("filter.long.process", trap),
        ("pager.diff", trap),
        ("alias.diff", &format!("!{trap}")),
        ("remote.origin.url", &format!("ext::{trap}")),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
        ("extensions.partialClone", "origin"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.relative", "true"),
        ("diff.interHunkContext", "9"),
        ("color.diff", "always"),
        ("diff.renames", "false"),
    ] {
        // The configuration is written as a file: git itself would start what was set before.
        let section = key.rsplit_once('.').unwrap();
        let (head, sub) = section.0.split_once('.').map_or((section.0, None), |(head, sub)| (head, Some(sub)));
        let header = sub.map_or_else(|| format!("[{head}]"), |sub| format!("[{head} \"{sub}\"]"));
        let known = std::fs::read_to_string(checkout.at(".git/config")).unwrap();
        checkout.write(".git/config", format!("{known}{header}\n\t{} = \"{value}\"\n", section.1));
    }
    checkout.write(".git/info/attributes", "*.rs diff=mine filter=a=b\n*.toml filter=long\n");
    checkout.write(".gitattributes", "*.rs diff=mine filter=a=b\n");
    checkout.write("src/lib.rs", CAPPED.replace("secs.min(60)", "secs.min(30)"));
    checkout.write("src/new.rs", "fn f() {}\n");
    // It is live: the same question to git as it is springs the trap.
    let _ = Command::new("git").current_dir(checkout.path()).args(["diff", "main"]).output().unwrap();
    assert!(mark.exists(), "the trap is not live");
    std::fs::remove_file(&mark).unwrap();
    let before = checkout.listing();
    let outcome = since(&checkout, "main");
    assert!(!mark.exists(), "ran {}", std::fs::read_to_string(&mark).unwrap());
    assert_eq!(outcome.findings(), ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"], "{}", outcome.stderr);
    assert!(checkout.listing() == before, "the checkout was changed");
    // A commit that a partial clone lacks is not fetched.
    let outcome = since(&checkout, "1234567890123456789012345678901234567890");
    assert_eq!(outcome.code, 2);
    assert!(!mark.exists(), "ran {}", std::fs::read_to_string(&mark).unwrap());
}

#[test]
fn a_git_inside_the_checkout_is_not_run() {
    let checkout = repository(CAPPED);
    let marks = tempfile::tempdir().unwrap();
    checkout.trap("git", marks.path());
    let path = format!(".:{}:{}", checkout.path().display(), std::env::var("PATH").unwrap());
    let outcome = finish(
        command(checkout.path()).args(["lint", "--format", "json", "--changed-since", "main"]).env("PATH", path),
    );
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(!marks.path().join("mark").exists());
}

#[test]
fn how_much_is_not_shown_is_said() {
    let checkout = repository(CAPPED);
    checkout.write("src/other.rs", "");
    let outcome = run(checkout.path(), &["--changed-since", "main"]);
    assert!(
        outcome.stderr.contains("1 Rust file changed since main; findings that have nothing to do with that: 2"),
        "{}",
        outcome.stderr
    );
}
