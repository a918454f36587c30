//! Delivery: the scripts around the action and the hook, run as their services run them.
#![cfg(unix)]

use crate::support::{CAPPED, Checkout, binary, root};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

/// A runner of GitHub's: its folders, and the binary as the action's cache holds it.
struct Runner {
    folder: tempfile::TempDir,
}

impl Runner {
    fn new() -> Runner {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("tool/bin")).unwrap();
        symlink(binary(), folder.path().join("tool/bin/cargo-retry-after")).unwrap();
        Runner { folder }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a step of the action in the folder, with the inputs.
    fn step(&self, step: &str, folder: &Path, inputs: &[(&str, &str)]) -> Output {
        let mut command = Command::new(root().join("delivery/action.sh"));
        command.arg(step).current_dir(folder).env_remove("GITHUB_WORKSPACE").env_remove("CARGO");
        command.env("RUNNER_TEMP", self.folder.path()).env("FOLDER", self.at("tool"));
        command.env("GITHUB_OUTPUT", self.at("output")).env("GITHUB_STEP_SUMMARY", self.at("summary"));
        command.env("ARGUMENTS", "--workspace").env("CHANGED_SINCE", "").env("FAIL", "true");
        command.envs(inputs.iter().copied()).output().unwrap()
    }

    /// The outputs so far.
    fn outputs(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.at("output")).unwrap_or_default();
        text.lines().filter_map(|line| line.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    }
}

#[test]
fn the_action_annotates_and_fails_on_findings() {
    let (runner, checkout) = (Runner::new(), Checkout::package(CAPPED));
    let output = runner.step("run", checkout.path(), &[]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout.lines().filter(|line| line.starts_with("::error file=src/lib.rs,")).count(), 2, "{stdout}");
    let outputs = runner.outputs();
    assert_eq!(outputs["exit-code"], "1");
    assert!(fs::read_to_string(&outputs["sarif"]).unwrap().contains("\"ruleId\":\"capped_hint\""));
    let summary = fs::read_to_string(runner.at("summary")).unwrap();
    assert!(summary.starts_with("<pre>\nerror[integer_only]") && summary.contains("&lt;") == CAPPED.contains('<'));
}

#[test]
fn the_action_may_leave_findings_to_another_step_but_never_breakage() {
    let (runner, checkout) = (Runner::new(), Checkout::package(CAPPED));
    assert_eq!(runner.step("run", checkout.path(), &[("FAIL", "false")]).status.code(), Some(0));
    assert_eq!(runner.outputs()["exit-code"], "1");
    let broken = runner.step("run", checkout.path(), &[("FAIL", "false"), ("ARGUMENTS", "nowhere")]);
    assert_eq!(broken.status.code(), Some(2));
    assert_eq!(runner.outputs()["exit-code"], "2");
    let clean = runner.step("run", checkout.path(), &[("ARGUMENTS", "--workspace -A  all")]);
    assert_eq!(clean.status.code(), Some(0));
}

#[test]
fn inputs_of_the_action_are_no_commands() {
    let (runner, checkout) = (Runner::new(), Checkout::package("pub fn f() {}\n"));
    for text in ["$(touch mark)", "; touch mark", "`touch mark`", "* | touch mark"] {
        for input in ["ARGUMENTS", "CHANGED_SINCE"] {
            runner.step("run", checkout.path(), &[(input, text)]);
        }
    }
    assert!(!checkout.at("mark").exists() && !root().join("mark").exists());
}

#[test]
fn the_binary_in_the_cache_is_named_by_its_sources() {
    let runner = Runner::new();
    for _ in 0..2 {
        assert!(runner.step("key", root(), &[]).status.success());
    }
    let text = fs::read_to_string(runner.at("output")).unwrap();
    let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("key=")).collect();
    assert_eq!((keys.len(), keys[0].len()), (2, 32));
    assert_eq!(keys[0], keys[1]);
    assert!(runner.outputs()["folder"].ends_with(keys[0]));
}

#[test]
fn scripts_that_are_named_exist_and_can_be_run() {
    for (file, script) in [
        ("action.yml", "delivery/action.sh"),
        (".pre-commit-hooks.yaml", "delivery/hook.sh"),
        (".github/workflows/release.yml", "delivery/archive.sh"),
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.contains(script), "{file} names {script}");
        let mode = fs::metadata(root().join(script)).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{script} can be run");
        assert!(Command::new("bash").arg("-n").arg(root().join(script)).status().unwrap().success(), "{script}");
    }
}

#[test]
fn long_inputs_are_read_to_their_end_and_odd_ones_are_refused() {
    let (runner, checkout) = (Runner::new(), Checkout::package(CAPPED));
    let lines = "--workspace\n\n  -A all\n  -D zero_fallback\n";
    assert_eq!(runner.step("run", checkout.path(), &[("ARGUMENTS", lines)]).status.code(), Some(0));
    for fail in ["yes", "True", ""] {
        let output = runner.step("run", checkout.path(), &[("FAIL", fail)]);
        assert_eq!(output.status.code(), Some(2), "{fail}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("the input fail is true or false"));
    }
}

#[test]
fn code_scanning_is_told_of_what_lies_outside_of_the_change_too() {
    let (runner, checkout) = (Runner::new(), Checkout::package(CAPPED));
    let git = |arguments: &[&str]| {
        let own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").current_dir(checkout.path()).args(own).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "all"]);
    let output =
        runner.step("run", checkout.path(), &[("CHANGED_SINCE", "HEAD"), ("ARGUMENTS", "--workspace --deny-warnings")]);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(0), true), "{output:?}");
    assert!(fs::read_to_string(&runner.outputs()["sarif"]).unwrap().contains("\"ruleId\":\"capped_hint\""));
}
