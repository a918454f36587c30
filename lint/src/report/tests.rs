//! Reports of hand-made findings, with snapshots of what they print.

mod machines;

use super::*;
use crate::diagnostic::{Step, StepKind, Witness};
use crate::workspace::{Package, SourceFile, Workspace};

/// A root of one package with the files, written to a folder of its own.
fn root(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let package = Package {
        name: Some("client".to_owned()),
        crate_name: "client".to_owned(),
        version: Some("1.2.3".to_owned()),
        root: folder.path().to_owned(),
        crate_roots: Vec::new(),
        selected: true,
    };
    let files = files.iter().map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        SourceFile { path, display: (*name).to_owned(), package: 0, is_test: false, text: None }
    });
    let workspace = Workspace { files: files.collect(), packages: vec![package] };
    (folder, Root { workspace, ..Root::default() })
}

/// Where the text stands in the file.
fn span(root: &Root, file: u32, text: &str) -> Span {
    let file = FileId(file);
    let whole = source::read(&root.workspace, file).unwrap();
    let start = whole.find(text).unwrap() as u32;
    Span { file, start, end: start + text.len() as u32 }
}

fn finding(span: Span, flow: Vec<Step>) -> Finding {
    Finding {
        rule: "capped_hint",
        level: Level::Deny,
        confidence: Confidence::High,
        span,
        message: "a wait longer than 60 s is cut to 60 s and then retried".to_owned(),
        label: "cut to 60 s here".to_owned(),
        help: "give up or defer when the server asks for more than you will wait".to_owned(),
        flow,
        witness: Some(Witness {
            header: "3600".to_owned(),
            subject: "waits 60 s".to_owned(),
            reference: "waits at least 3600 s".to_owned(),
            confirmed: false,
        }),
    }
}

fn step(span: Span, kind: StepKind, label: &str) -> Step {
    Step { span, kind, label: label.to_owned() }
}

fn report(root: Root, findings: Vec<Finding>) -> Report {
    let statistics = Statistics { packages: 1, files: 2, parsed: 2, bytes: 300, sites: 1, ..Statistics::default() };
    let analysis = Analysis {
        findings,
        suppressed: Vec::new(),
        unreadable: Vec::new(),
        statistics,
        blind: Vec::new(),
        reach: crate::Reach::default(),
    };
    let folder = root.workspace.packages[0].root.clone();
    let filter =
        Filter { level: &|_, level| level, confidence: Confidence::Medium, folder: &folder, checkout: &folder };
    let mut report = Report::new(vec![(root, analysis)], &filter);
    report.elapsed = Duration::from_millis(7);
    report
}

fn human(report: &Report) -> String {
    let mut out = Vec::new();
    human::write_findings(report, human::WIDTH, &mut out).unwrap();
    human::write_summary(report, &mut out).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

fn json(report: &Report) -> serde_json::Value {
    let mut out = Vec::new();
    json::write(report, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

const CLIENT: &str = "use crate::wait::pause;\n\nfn on_busy(headers: &HeaderMap) {\n    let secs = headers.get(RETRY_AFTER).and_then(number);\n    let secs = secs.min(60);\n    pause(secs);\n}\n";
const WAIT: &str = "pub fn pause(secs: u64) {\n    thread::sleep(Duration::from_secs(secs));\n}\n";

fn journey(client: &str) -> (tempfile::TempDir, Report) {
    let (folder, root) = root(&[("src/client.rs", client), ("src/wait.rs", WAIT)]);
    let fault = span(&root, 0, "secs.min(60)");
    let flow = vec![
        step(span(&root, 0, "headers.get(RETRY_AFTER)"), StepKind::Read, "read here"),
        step(fault, StepKind::Cut, "cut to 60 s here"),
        step(span(&root, 1, "thread::sleep(Duration::from_secs(secs))"), StepKind::Slept, "slept on here"),
    ];
    let findings = vec![finding(fault, flow)];
    (folder, report(root, findings))
}

#[test]
fn a_journey_through_two_files_as_a_person_sees_it() {
    let (_folder, report) = journey(CLIENT);
    insta::assert_snapshot!(human(&report), @r#"
    error[capped_hint]: a wait longer than 60 s is cut to 60 s and then retried
     --> src/client.rs:5:16
      |
    4 |     let secs = headers.get(RETRY_AFTER).and_then(number);
      |                ------------------------ read here
    5 |     let secs = secs.min(60);
      |                ^^^^^^^^^^^^ cut to 60 s here
      |
     ::: src/wait.rs:2:5
      |
    2 |     thread::sleep(Duration::from_secs(secs));
      |     ---------------------------------------- slept on here
      |
      = help: give up or defer when the server asks for more than you will wait
      = note: witness: with `Retry-After: 3600` your code waits 60 s; right: waits at least 3600 s

    1 error: 2 files in 1 package, 2 parsed, 7 ms
    `cargo retry-after explain capped_hint` says why it matters
    "#);
}

#[test]
fn the_json_object_has_exactly_the_fields_of_its_description() {
    let (_folder, report) = journey(CLIENT);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&report)).unwrap(), @r#"
    {
      "findings": [
        {
          "column": 16,
          "confidence": "high",
          "end_column": 28,
          "end_line": 5,
          "file": "src/client.rs",
          "fingerprint": "b6938a047ff7a8f9",
          "flow": [
            {
              "column": 16,
              "file": "src/client.rs",
              "label": "read here",
              "line": 4,
              "step": "read"
            },
            {
              "column": 16,
              "file": "src/client.rs",
              "label": "cut to 60 s here",
              "line": 5,
              "step": "cut"
            },
            {
              "column": 5,
              "file": "src/wait.rs",
              "label": "slept on here",
              "line": 2,
              "step": "slept"
            }
          ],
          "help": "give up or defer when the server asks for more than you will wait",
          "level": "deny",
          "line": 5,
          "message": "a wait longer than 60 s is cut to 60 s and then retried",
          "package": "client",
          "rule": "capped_hint",
          "witness": {
            "confirmed": false,
            "header": "3600",
            "reference": "waits at least 3600 s",
            "subject": "waits 60 s"
          }
        }
      ],
      "stats": {
        "bytes": 300,
        "elapsed_ms": 7,
        "files": 2,
        "opaque": 0,
        "over_budget": 0,
        "packages": 1,
        "parsed": 2,
        "sites": 1,
        "suppressed": 0,
        "unresolved": 0
      },
      "unreadable": [],
      "version": 1
    }
    "#);
}

#[test]
fn wide_characters_tabs_and_carriage_returns_do_not_move_the_carets() {
    let (_folder, report) =
        journey("\u{feff}fn f() {\r\n\t/* 幅の広い */ let secs = secs.min(60); // headers.get(RETRY_AFTER)\r\n}\r\n");
    insta::assert_snapshot!(human(&report), @r#"
    error[capped_hint]: a wait longer than 60 s is cut to 60 s and then retried
     --> src/client.rs:2:24
      |
    2 |     /* 幅の広い */ let secs = secs.min(60); // headers.get(RETRY_AFTER)
      |                               ^^^^^^^^^^^^     ------------------------ read here
      |                               |
      |                               cut to 60 s here
      |
     ::: src/wait.rs:2:5
      |
    2 |     thread::sleep(Duration::from_secs(secs));
      |     ---------------------------------------- slept on here
      |
      = help: give up or defer when the server asks for more than you will wait
      = note: witness: with `Retry-After: 3600` your code waits 60 s; right: waits at least 3600 s

    1 error: 2 files in 1 package, 2 parsed, 7 ms
    `cargo retry-after explain capped_hint` says why it matters
    "#);
    let object = json(&report);
    assert_eq!((&object["findings"][0]["line"], &object["findings"][0]["column"]), (&2.into(), &24.into()));
}

#[test]
fn of_a_long_line_the_part_that_matters_is_shown() {
    let before = "let x = 1; ".repeat(400);
    let after = "/* ゆっくり */".repeat(400);
    let (_folder, report) = journey(&format!("fn f() {{ {before}secs.min(60); headers.get(RETRY_AFTER) {after} }}\n"));
    let text = human(&report);
    insta::assert_snapshot!(text.lines().take(7).collect::<Vec<_>>().join("\n"), @"
    error[capped_hint]: a wait longer than 60 s is cut to 60 s and then retried
     --> src/client.rs:1:4410
      |
    1 | ... x = 1; let x = 1; let x = 1; let x = 1; secs.min(60); headers.get(RETRY_AFTER) /* ゆっくり *//* ゆっくり *//* ゆっくり *//* ゆっ...
      |                                             ^^^^^^^^^^^^  ------------------------ read here
      |                                             |
      |                                             cut to 60 s here
    ");
    assert!(text.lines().all(|line| line.chars().count() < 250), "{text}");
}

#[test]
fn the_short_form_is_a_line_each() {
    let (_folder, report) = journey(CLIENT);
    let mut out = Vec::new();
    short::write(&report, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("\u{1b}[1m"), "it has colours: {text:?}");
    insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @"src/client.rs:5:16: error[capped_hint]: a wait longer than 60 s is cut to 60 s and then retried");
}

#[test]
fn statistics_count_rules_and_what_was_understood() {
    let (_folder, report) = journey(CLIENT);
    let mut out = Vec::new();
    statistics::write(&report, &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @"
         1  capped_hint (error)
    looked at: 2 files in 1 package, 1 kB; 2 parsed; 0 not read; 7 ms
    understood: 1 source of the hint, 0 of them without an outcome; 0 values not understood, 0 calls not followed, 0 functions out of budget
    ");
}

#[test]
fn a_control_character_in_the_code_does_not_reach_the_terminal() {
    let (_folder, report) = journey("fn f() { /* \u{1b}[2J */ secs.min(60) /* headers.get(RETRY_AFTER) */ }\n");
    let mut out = Vec::new();
    human::write_findings(&report, human::WIDTH, &mut out).unwrap();
    assert!(!String::from_utf8(out).unwrap().contains("\u{1b}[2J"));
}

#[test]
fn a_fingerprint_stays_when_lines_move_and_differs_for_a_second_fault() {
    let of = |client: &str| journey(client).1.findings[0].fingerprint.clone();
    let before = of(CLIENT);
    assert_eq!(before, of(&format!("// a new line\n{CLIENT}")));
    assert_ne!(before, of(&CLIENT.replace("on_busy", "on_error")));

    let (_folder, root) = root(&[("src/a.rs", "fn f() { a.min(60); a.min(60) }")]);
    let first = span(&root, 0, "a.min(60)");
    let second = Span { start: first.start + 11, end: first.end + 11, ..first };
    let report = report(root, vec![finding(second, Vec::new()), finding(first, Vec::new())]);
    let prints: Vec<_> = report.findings.iter().map(|shown| &shown.fingerprint).collect();
    assert_eq!(report.findings[0].place.start.column, 10);
    assert_ne!(prints[0], prints[1]);
}

#[test]
fn what_is_allowed_unsure_or_a_test_is_left_out() {
    let (_folder, root) = root(&[("src/a.rs", "a.min(60)")]);
    let fault = span(&root, 0, "a.min(60)");
    let findings =
        || vec![finding(fault, Vec::new()), Finding { confidence: Confidence::Low, ..finding(fault, Vec::new()) }];
    let shown = |root: Root, level: &dyn Fn(&str, Level) -> Level| {
        let analysis = Analysis {
            findings: findings(),
            suppressed: Vec::new(),
            unreadable: Vec::new(),
            statistics: Statistics::default(),
            blind: Vec::new(),
            reach: crate::Reach::default(),
        };
        Report::new(
            vec![(root, analysis)],
            &Filter { level, confidence: Confidence::Medium, folder: Path::new("/"), checkout: Path::new("/") },
        )
        .findings
        .len()
    };
    assert_eq!(shown(root.clone(), &|_, level| level), 1);
    assert_eq!(shown(root.clone(), &|_, _| Level::Advice), 0);
    let mut test = root.clone();
    test.workspace.files[0].is_test = true;
    assert_eq!(shown(test, &|_, level| level), 0);
    let mut other = root;
    other.workspace.packages[0].selected = false;
    assert_eq!(shown(other, &|_, level| level), 0);
}
