//! The harness on code written by hand: what is compiled, set aside, run, stopped and told apart.
//!
//! Each of these tests starts compilers, so there are few, with many subjects each.

use retry_after_lint::extract::expected::{self, Expected};
use retry_after_lint::extract::{Dependency, Extracted, Strategy, Subject};
use retry_after_lint::harness::{self, Compared, Comparison, Plan, Progress, Status, fuzz, regressions};
use std::path::Path;

struct Quiet;

impl Progress for Quiet {
    fn at(&self, _: &str, _: usize, _: usize) {}
}

fn subject(name: &str, body: &str) -> Subject {
    let source = format!(
        "use crate::runtime::{{Now, Outcome}};\nuse std::time::Duration;\n\
         pub fn subject(lines: &[&[u8]], now: Now) -> Outcome {{\n\
         let Some(text) = lines.first().and_then(|line| std::str::from_utf8(line).ok()) else {{ return Outcome::None }};\n\
         {body}\n}}\n\
         fn seconds(text: &str) -> Outcome {{ text.parse().map_or(Outcome::None, |wait| Outcome::Delay(Duration::from_secs(wait))) }}\n"
    );
    Subject {
        id: format!("made:src/{name}.rs:1"),
        package: Some("made".to_owned()),
        file: format!("src/{name}.rs"),
        line: 1,
        lines: (1, 9),
        parses: Vec::new(),
        is_part: false,
        item: name.to_owned(),
        lift: None,
        extraction: Ok(Extracted {
            strategy: Strategy::Slice,
            source,
            edition: "2021".to_owned(),
            dependencies: Vec::new(),
            unit: None,
            reads_clock: false,
            notes: Vec::new(),
        }),
        expected: Vec::new(),
    }
}

fn plan(folder: &Path) -> Plan<'static> {
    Plan {
        folder: folder.join("retry-after"),
        shared: folder.join("retry-after"),
        start: folder.to_owned(),
        lockfile: None,
        reference: retry_after_core::sources::FILES,
        inputs: 20_000,
        seed: 1,
        lift: None,
    }
}

fn compare(folder: &Path, subjects: Vec<Subject>, extra: &[Vec<String>]) -> Comparison {
    harness::compare(subjects, extra, &plan(folder), &Quiet).unwrap()
}

/// The divergences as `kind header: subject / reference`, without counts.
fn told(compared: &Compared) -> Vec<String> {
    let one = |difference: &harness::Difference| {
        format!("{} `{}`: {} / {}", difference.kind, difference.header, difference.subject, difference.reference)
    };
    compared.divergences.iter().map(one).collect()
}

#[test]
fn what_each_kind_of_code_comes_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut lifted = subject("numbers", "seconds(text)");
    if let Ok(code) = &mut lifted.extraction {
        code.strategy = Strategy::Lift;
    }
    let subjects = vec![
        subject("numbers", "seconds(text)"),
        subject("twin", "match seconds(text) { Outcome::None => Outcome::Error, outcome => outcome }"),
        subject("broken", "let wait: u8 = text; seconds(text)"),
        subject("broken_later", "let copy = text.to_owned(); drop(copy); drop(copy); seconds(text)"),
        subject("zero", "match seconds(text) { Outcome::None => Outcome::Delay(Duration::ZERO), outcome => outcome }"),
        subject(
            "overflow",
            "match text.parse::<u64>() { Ok(wait) => Outcome::Delay(Duration::from_millis(wait * 1000)), Err(_) => Outcome::None }",
        ),
        subject("endless", "while text == \"7200\" { std::hint::black_box(now); } seconds(text)"),
        subject(
            "greedy",
            "if text == \"3600\" { let mut all = Vec::new(); loop { all.push(vec![1_u8; 1 << 28]); std::hint::black_box(&all); } } seconds(text)",
        ),
        subject(
            "quitter",
            "if text == \"86400\" { std::process::exit(0) } println!(\"noise {{}} {text}\"); seconds(text)",
        ),
        lifted,
        subject("endless_probe", "while text == \"7\" { std::hint::black_box(now); } seconds(text)"),
    ];
    let mut extra = vec![Vec::new(); subjects.len()];
    extra[0] = ["Mon, 30 Nov 2026 12:00:07 GMT", "7", "soon", "+5"].map(str::to_owned).to_vec();
    extra[6] = vec!["7200".to_owned(), "7".to_owned()];
    let says = |header: &str, outcome| Expected { header: header.to_owned(), is_date: false, outcomes: vec![outcome] };
    let mut subjects = subjects;
    subjects[0].expected = vec![
        says("7", expected::Outcome::Wait(7.0)),
        says("soon", expected::Outcome::Wait(0.0)),
        says("", expected::Outcome::Nothing),
    ];
    let result = compare(folder.path(), subjects, &extra);
    let of = |name: &str| {
        result.subjects.iter().find(|compared| compared.subject.item == name).unwrap_or_else(|| panic!("{name}"))
    };

    let numbers = of("numbers");
    assert_eq!(numbers.status, Status::Verified, "slice and lift behave alike: {:?}", result.notes);
    assert_eq!(numbers.inputs, 20_004);
    assert_eq!(told(numbers)[0], "integer_only `Mon, 30 Nov 2026 12:01:30 GMT`: takes it for no hint / waits 90 s");
    assert!(numbers.divergences.iter().all(|difference| difference.kind == "integer_only"), "{:?}", told(numbers));
    let tolerated: Vec<&str> = numbers.tolerated.iter().map(|difference| difference.kind.as_str()).collect();
    assert!(tolerated.contains(&"plus_sign") && tolerated.contains(&"above_u64"), "{tolerated:?}");
    let kinds: Vec<Option<&str>> = numbers.answers.iter().map(|answer| answer.kind.as_deref()).collect();
    assert_eq!(kinds, [Some("integer_only"), None, None, None]);
    // What the analysis said of it beforehand is held against the run, and counts nowhere else.
    assert_eq!(numbers.table.cases, 3);
    let differ: Vec<&str> = numbers.table.differ.iter().map(|differs| differs.header.as_str()).collect();
    assert_eq!(differ, ["soon"], "{:?}", numbers.table);
    assert!(result.notes.iter().any(|note| note.contains("in 1 of 3 cases")), "{:?}", result.notes);

    assert_eq!(of("twin").fingerprint, numbers.fingerprint, "an error and no hint are alike");
    assert_ne!(of("zero").fingerprint, numbers.fingerprint);
    assert!(told(of("zero")).contains(&"zero_fallback `soon`: waits 0 s / takes it for no hint".to_owned()));

    for (name, error) in [("broken", "mismatched types"), ("broken_later", "use of moved value")] {
        let broken = of(name);
        assert_eq!((broken.status, broken.reason), (Status::BuildFailed, Some("build-failed")));
        assert!(broken.detail.as_ref().unwrap().contains(error), "{broken:?}");
    }

    let overflow = told(of("overflow"));
    assert!(
        overflow.iter().any(|told| told.contains("panics: attempt to multiply with overflow (with overflow checks)"))
    );
    assert!(
        overflow.iter().any(|told| told.starts_with("capped_hint") && told.contains("(without overflow checks)")),
        "{overflow:?}"
    );

    let endless = of("endless");
    assert_eq!(told(endless)[0], "endless_loop `7200`: does not come back within 10 s / waits 7200 s");
    assert!(endless.inputs > 19_000, "the others are asked about: {}", endless.inputs);
    // A header that it is asked about for its habits is told by itself too.
    assert_eq!(told(of("endless_probe")), ["endless_loop `7`: does not come back within 10 s / waits 7 s"]);
    if cfg!(unix) {
        let greedy = told(of("greedy"));
        // On a slow machine the time is over before the memory is.
        let stopped = ["out_of_memory `3600`: takes all memory", "endless_loop `3600`: does not come back within 10 s"];
        assert!(stopped.iter().any(|limit| greedy[0].starts_with(limit)), "{greedy:?}");
    }
    let quitter = told(of("quitter"));
    assert!(quitter[0].starts_with("crash `86400`: ends the process"), "{quitter:?}");

    let written: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(written, ["retry-after"], "nothing is written anywhere else");
}

#[test]
fn dependencies_are_those_of_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let mut date = subject(
        "date",
        "match httpdate::parse_http_date(text) { Ok(date) => date.duration_since(now.wall).map_or(Outcome::Error, Outcome::Delay), \
         Err(_) => seconds(text) }",
    );
    if let Ok(code) = &mut date.extraction {
        code.dependencies.push(Dependency {
            name: "httpdate".to_owned(),
            package: "httpdate".to_owned(),
            version: "=1.0.3".to_owned(),
            features: Vec::new(),
            default_features: true,
        });
    }
    let mut nowhere = subject("nowhere", "seconds(text)");
    if let Ok(code) = &mut nowhere.extraction {
        code.dependencies.push(Dependency {
            name: "nowhere".to_owned(),
            package: "httpdate".to_owned(),
            version: "=0.0.99".to_owned(),
            features: Vec::new(),
            default_features: true,
        });
    }
    let result = compare(folder.path(), vec![date, nowhere], &[]);
    let [date, nowhere] = &result.subjects[..] else { panic!("{result:?}") };
    assert_eq!((date.status, told(date)), (Status::Compared, Vec::new()), "httpdate reads all three forms");
    assert_eq!(nowhere.status, Status::BuildFailed);
    assert!(nowhere.detail.as_ref().unwrap().contains("failed to select a version"), "{nowhere:?}");
    assert!(result.notes.iter().any(|note| note == "no lockfile: cargo chose httpdate 1.0.3"), "{:?}", result.notes);
}

/// Needs cargo-fuzz; without it only the message is looked at.
#[test]
fn fuzzing_keeps_what_it_finds_for_the_next_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = fuzz::Options {
        stable: true,
        libfuzzer: vec!["-runs=20000".into(), "-seed=1".into()],
        regressions: folder.path().join("kept"),
        ..fuzz::Options::default()
    };
    if let Err(missing) = fuzz::check_tools(&options) {
        assert!(missing.to_string().contains("`cargo install cargo-fuzz` installs it"), "{missing}");
        return;
    }
    let made = || vec![subject("numbers", "seconds(text)"), subject("broken", "let wait: u8 = text; seconds(text)")];
    let first = fuzz::fuzz(made(), &plan(folder.path()), &options, &Quiet).unwrap();
    let [numbers, broken] = &first[..] else { panic!("{first:?}") };
    assert!(broken.failure.as_ref().unwrap().starts_with("build-failed: error[E0308]"), "{broken:?}");
    assert_eq!(numbers.failure, None);
    assert!(numbers.runs >= 20_000 && numbers.corpus > 0, "{numbers:?}");
    assert!(numbers.new.iter().any(|(name, _)| name == "integer_only-imf_fixdate"), "{numbers:?}");

    options.libfuzzer[0] = "-runs=1000".into();
    let again = fuzz::fuzz(made(), &plan(folder.path()), &options, &Quiet).unwrap();
    assert_eq!((&again[0].new, again[0].known), (&Vec::new(), numbers.new.len()), "known by now");

    let headers = regressions::read(&options.regressions, &made()).unwrap();
    assert_eq!((headers[0].len(), headers[1].len()), (numbers.new.len(), 0));
    let replayed = compare(folder.path(), made(), &headers);
    assert!(replayed.subjects[0].answers.iter().all(|answer| answer.kind.as_deref() == Some("integer_only")));
    assert_eq!(replayed.subjects[0].answers.len(), headers[0].len());
}
