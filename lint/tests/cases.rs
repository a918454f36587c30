//! The cases of `corpus/cases/`: small pieces of code with the findings that they must have, and no others.

use retry_after_lint::diagnostic::Confidence;
use retry_after_lint::rules::RULES;
use retry_after_lint::source::{self, LineIndex};
use retry_after_lint::workspace::{self, Request};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Cases that the analysis does not get right yet, and why. One that passes has to leave the list, so that it can only become shorter.
const KNOWN: &[(&str, &str)] = &[
    ("files-cap-through-glob-reexport", "a comparison inside a helper whose name is known by a glob and a rename"),
    ("packages-clamp-behind-a-reexport", "the re-exporting package is not taken in by a type name alone"),
    ("client-translation-batch", "digits through a closure inside a fold: the place is the call instead"),
    ("date-accessor-forgets-it", "a newtype around an enum: which variant it holds is not carried through the field"),
    ("date-default-for-the-date", "the date arm yields a constant, which is a wait all the same"),
    ("date-newtype-over-httpdate", "the type of a constructor's part behind `map` inside FromStr"),
    ("date-hand-written-bytes", "a date parser over byte positions ends in something unknown"),
    ("digits-for-loop", "a loop over bytes from a function that takes a slice of unknown length"),
    ("named-matrix-milliseconds", "a function path (`Value::as_u64`) between a body's field and its use"),
    ("over-gate-moved-back", "two stores to one field in one function, joined before the second"),
    ("raw-find-then-capped", "a raw line found by its prefix in another function"),
    ("once-recursion-in-else", "a retry by recursion inside a boxed future"),
    ("trap-chunks-by-recursion", "pieces slept by recursion inside an async block"),
    ("trap-or-of-two-reads", "two readers of one header joined by `or`: one of them reads the date"),
    ("past-unsigned-seconds-underflow", "that an unsigned number cannot go below zero"),
    ("rounded-under-a-floor", "a short hint under a floor gives way to the unknown backoff"),
    ("unbounded-timeout-around-the-call", "a timeout in the caller of the function that sleeps"),
    ("blocking-helper-that-reads-the-header", "a function that is run by itself, and not from its asynchronous caller"),
    ("blocking-where-no-runtime-is", "the question whether there is a runtime"),
    ("deadline-timeout-and-one-more", "a request that is sent again without a loop"),
    ("jitter-pieces-by-division", "pieces that were made by a division, slept in a loop that counts"),
];

/// One case: a package, or a workspace of packages.
struct Case {
    name: String,
    files: BTreeMap<String, String>,
}

/// A finding at a place: file, line, rule.
type Place = (String, usize, String);

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/cases")
}

fn cases_of(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut fence: Option<String> = None;
    for line in text.lines() {
        match (&fence, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let (language, path) = info.split_once(' ').unwrap_or((info, ""));
                let path = match (language, path.trim()) {
                    ("toml", "") => "Cargo.toml",
                    (_, "") => "src/lib.rs",
                    (_, path) => path,
                };
                fence = Some(path.to_owned());
                let case = cases.last_mut().expect("a fence stands below a heading");
                assert!(
                    case.files.insert(path.to_owned(), String::new()).is_none(),
                    "{}: {path} stands there twice",
                    case.name
                );
            }
            (Some(_), Some("")) => fence = None,
            (Some(path), _) => {
                let file = cases.last_mut().and_then(|case| case.files.get_mut(path)).expect("made with the fence");
                file.push_str(line);
                file.push('\n');
            }
            (None, None) => {
                if let Some(name) = line.strip_prefix("## ") {
                    cases.push(Case { name: name.trim().to_owned(), files: BTreeMap::new() });
                }
            }
        }
    }
    cases
}

/// The findings that the code's own comments ask for: those that must be there, and those that may be.
fn expected(case: &Case) -> (BTreeSet<Place>, BTreeSet<Place>) {
    let (mut must, mut may) = (BTreeSet::new(), BTreeSet::new());
    for (path, text) in &case.files {
        for (index, line) in text.lines().enumerate() {
            let Some((_, marker)) = line.split_once("//~") else { continue };
            let (target, rules) = match marker.strip_prefix('?') {
                Some(rules) => (&mut may, rules),
                None => (&mut must, marker),
            };
            target.extend(rules.split_whitespace().map(|rule| (path.clone(), index + 1, rule.to_owned())));
        }
    }
    (must, may)
}

/// The rules that a file of cases marks, from its line `Rules: ..`: ids and groups. A file without one is about the first three.
fn rules_of(text: &str) -> BTreeSet<&'static str> {
    let named = text
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .find_map(|line| line.strip_prefix("Rules: "))
        .unwrap_or("integer_only, zero_fallback, capped_hint");
    let names: Vec<&str> = named.split(',').map(|name| name.trim().trim_end_matches('.')).collect();
    for name in &names {
        assert!(
            RULES.iter().any(|rule| rule.id == *name || rule.group.as_str() == *name),
            "no rule and no group: {name}"
        );
    }
    RULES
        .iter()
        .filter(|rule| names.iter().any(|name| *name == rule.id || *name == rule.group.as_str()))
        .map(|rule| rule.id)
        .collect()
}

fn found(case: &Case, rules: &BTreeSet<&'static str>, folder: &Path) -> BTreeSet<Place> {
    for (path, text) in &case.files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder for the case");
        std::fs::write(path, text).expect("the case's file");
    }
    if !case.files.contains_key("Cargo.toml") {
        std::fs::write(
            folder.join("Cargo.toml"),
            "[package]\nname = \"case\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        )
        .expect("a manifest");
    }
    let roots = workspace::discover(&Request::Paths(vec![folder.to_owned()])).expect("the case's folder");
    let mut places = BTreeSet::new();
    for root in roots {
        let analysis = retry_after_lint::analyse(&root.workspace);
        assert!(analysis.unreadable.is_empty(), "{}: {:?}", case.name, analysis.unreadable);
        let told = analysis.findings.iter().filter(|finding| finding.confidence > Confidence::Low);
        for finding in told.filter(|finding| rules.contains(finding.rule)) {
            let text = source::read(&root.workspace, finding.span.file).expect("it was read before");
            let line = LineIndex::new(&text).position(&text, finding.span.start).line;
            let file = root
                .workspace
                .file(finding.span.file)
                .path
                .strip_prefix(folder)
                .expect("below the folder")
                .to_str()
                .expect("ascii")
                .to_owned();
            places.insert((file, line as usize, finding.rule.to_owned()));
        }
    }
    places
}

#[test]
fn every_case_has_its_findings_and_no_others() {
    let mut failures = Vec::new();
    let mut count = 0;
    let only = std::env::var("CASE").ok();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(corpus()).expect("corpus/cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case file");
        let rules = rules_of(&text);
        for case in cases_of(&text) {
            if only.as_ref().is_some_and(|only| !case.name.contains(only.as_str())) {
                continue;
            }
            count += 1;
            let folder = tempfile::tempdir().expect("a folder");
            let folder = folder.path().canonicalize().expect("it is there");
            let (must, may) = expected(&case);
            let Ok(found) = std::panic::catch_unwind(|| found(&case, &rules, &folder)) else {
                failures.push(format!("{}: panics", case.name));
                continue;
            };
            let mut lines: Vec<String> = must.difference(&found).map(|place| format!("  missing {place:?}")).collect();
            lines.extend(
                found
                    .difference(&must)
                    .filter(|place| !may.contains(*place))
                    .map(|place| format!("  extra   {place:?}")),
            );
            let is_known = KNOWN.iter().any(|(known, _)| *known == case.name);
            if is_known && lines.is_empty() {
                failures.push(format!("{}: passes, and still stands in KNOWN", case.name));
            }
            if !lines.is_empty() && !is_known {
                failures.push(format!(
                    "{} ({}):\n{}",
                    case.name,
                    file.file_name().expect("a file").to_string_lossy(),
                    lines.join("\n")
                ));
            }
        }
    }
    assert!(count > 0, "no case was run");
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
}
