//! The reports of `corpus/reports/`: faults that people reported in public, each as a small piece of code that shows it.
//!
//! `cargo test -p cargo-retry-after --test reports -- --nocapture` prints how many are found.

mod support;

use retry_after_lint::rules::RULES;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

/// Faults that the linter does not find yet, each with the reason. One that is found has to go, so the list only shrinks.
const MISSED: &[(&str, &str, &str)] = &[
    ("unshared_hint-129", "unshared_hint", "a client that can be cloned, and nothing here that runs it twice"),
    (
        "epoch_emission-025",
        "invalid_emission",
        "a timestamp is all digits, and epoch_emission says what is wrong with it",
    ),
    (
        "invalid_emission-027",
        "rounded_down_emission",
        "a difference of whole seconds, which loses as much on one side as on the other",
    ),
    (
        "missing_header-077",
        "missing_header",
        "the text of a derive's attribute is all that tells that the wait is known",
    ),
    (
        "header_name_typo-036",
        "integer_only",
        "the names that are asked for are misspelt, so nothing tells that the header is meant",
    ),
    (
        "local_clock_date-074",
        "integer_only",
        "the reverse fault: a date only, the number is lost; partial_date will hold it",
    ),
    ("unbounded_wait-115", "capped_hint", "the limit is an option that is None unless the user sets it"),
    ("hint_dropped-043", "ignored_hint", "nothing retries in this code; the error is what is reported"),
    ("hint_dropped-045", "hint_dropped", "a struct that is no error, and a function that waits for it"),
    ("hint_dropped-045", "ignored_hint", "the same: the wait is an answer that nobody here sleeps on"),
    ("ignored_hint-055", "hint_dropped", "the headers are given up where it is retried: one finding, about the retry"),
    (
        "integer_only-058",
        "status_gate",
        "the hint is read whatever the status is, and nothing here tells what is retried",
    ),
    ("status_gate-108", "status_gate", "nothing here tells that a 503 is retried"),
    (
        "ignored_hint-051",
        "wall_clock_wait",
        "no hint is in this code; the clock is handed to whoever implements the trait",
    ),
    ("status_gate-108", "backoff_replaced", "an Option that nobody here waits for"),
    ("unbounded_wait-115", "backoff_replaced", "the hint is one of two answers of a closure in a closure"),
    ("unbounded_wait-115", "unbounded_wait", "the wait is returned, and nobody here sleeps on it"),
];

/// One report: the fault it is about, others that its code shows, and the code.
#[derive(Deserialize)]
struct Report {
    id: String,
    rule: String,
    also: Vec<String>,
    code: String,
    /// Whether the code itself shows that HTTP's hint is meant.
    evidence: bool,
}

fn reports() -> Vec<Report> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/reports/reports.jsonl");
    let text = fs::read_to_string(path).expect("corpus/reports/reports.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("one report a line")).collect()
}

/// The rules that the linter reports in the code.
fn reported(code: &str) -> BTreeSet<&'static str> {
    support::lint(code).into_iter().map(|(finding, ..)| finding.rule).collect()
}

#[test]
fn reported_faults_are_found() {
    let is_ours = |rule: &&String| RULES.iter().any(|known| known.id == *rule);
    let (mut main, mut others, mut silent) = ([0, 0], [0, 0], [0, 0]);
    let mut missed: BTreeSet<(String, String)> = BTreeSet::new();
    for report in reports() {
        let wanted: Vec<&String> = std::iter::once(&report.rule).chain(&report.also).filter(is_ours).collect();
        if wanted.is_empty() {
            continue;
        }
        // A panic finds nothing.
        let found = catch_unwind(|| reported(&report.code)).unwrap_or_default();
        for rule in wanted {
            let is_found = found.contains(rule.as_str());
            let count = match (report.evidence, *rule == report.rule) {
                (true, true) => &mut main,
                (true, false) => &mut others,
                // Nothing but the report tells that the hint is meant: finding it is welcome and no duty.
                (false, _) => &mut silent,
            };
            count[0] += usize::from(is_found);
            count[1] += 1;
            if report.evidence && !is_found {
                missed.insert((report.id.clone(), rule.clone()));
            }
        }
    }
    let [main, others, silent] = [main, others, silent].map(|[found, all]| format!("{found} of {all}"));
    println!("found: {main} reported faults, {others} beside them, {silent} where only the report tells what is meant");
    let known: BTreeSet<(String, String)> =
        MISSED.iter().map(|(id, rule, _)| ((*id).to_owned(), (*rule).to_owned())).collect();
    assert!(MISSED.iter().all(|(.., reason)| !reason.is_empty()), "each has its reason");
    let new: Vec<_> = missed.difference(&known).collect();
    assert!(new.is_empty(), "no longer found: {new:?}");
    let mended: Vec<_> = known.difference(&missed).collect();
    assert!(mended.is_empty(), "found, and to be taken off the list: {mended:?}");
}

/// What the reports ask for, written out: `corpus/reports/right/`, a file for each, named for its report.
#[test]
fn what_is_right_raises_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/reports/right");
    let known: BTreeSet<String> = reports().into_iter().map(|report| report.id).collect();
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("corpus/reports/right").flatten().map(|file| file.path()).collect();
    files.sort();
    assert!(files.len() >= 15, "only {} are written out", files.len());
    let mut raised = Vec::new();
    for file in files {
        let id = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        assert!(known.contains(&id), "{id} is no report");
        let code = fs::read_to_string(&file).expect("a text");
        for (finding, at, _) in support::lint(&code) {
            raised.push(format!("{id}.rs:{}: {}", at.line, finding.rule));
        }
    }
    assert!(raised.is_empty(), "nothing is wrong with these: {raised:#?}");
}
