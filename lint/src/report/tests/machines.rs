//! What programs read: each format's own rules, checked on reports of hand-made findings.

use super::*;
use serde_json::{Value, json};

/// What the writer of a format gives.
fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn sarif(report: &Report) -> Value {
    serde_json::from_str(&written(|out| sarif::write(report, out))).unwrap()
}

/// A report with a witness, a doubt, an odd file name, a finding over two lines and a file that was not read.
fn odd() -> (tempfile::TempDir, Report) {
    let (folder, root) = root(&[("src/a, b: 100%.rs", "fn f() { secs\n    .min(60) /* 幅 */ }\n")]);
    let fault = span(&root, 0, "secs\n    .min(60)");
    let finding = Finding { confidence: Confidence::Medium, level: Level::Warn, ..finding(fault, Vec::new()) };
    let analysis = Analysis {
        findings: vec![finding],
        suppressed: Vec::new(),
        unreadable: vec![Unreadable {
            file: "src/broken one.rs".to_owned(),
            path: Some(root.workspace.packages[0].root.join("src/broken one.rs")),
            line: 3,
            message: "expected `(`".to_owned(),
        }],
        statistics: Statistics::default(),
        blind: Vec::new(),
        reach: crate::Reach::default(),
    };
    let level = |_: &str, _: Level| Level::Warn;
    let place = root.workspace.packages[0].root.clone();
    let filter = Filter { level: &level, confidence: Confidence::Low, folder: &place, checkout: &place };
    (folder, Report::new(vec![(root, analysis)], &filter))
}

#[test]
fn annotations_are_one_line_each_and_no_text_can_begin_another() {
    let (_folder, report) = journey(CLIENT);
    insta::assert_snapshot!(written(|out| github::write(&report, out)), @"::error file=src/client.rs,line=5,endLine=5,col=16,endColumn=28,title=capped_hint::a wait longer than 60 s is cut to 60 s and then retried%0Ahelp: give up or defer when the server asks for more than you will wait%0Awitness: with `Retry-After: 3600` your code waits 60 s; right: waits at least 3600 s");
    let (_folder, report) = odd();
    let text = written(|out| github::write(&report, out));
    assert!(text.starts_with("::warning file=src/a%2C b%3A 100%25.rs,line=1,endLine=2,title=capped_hint::"), "{text}");
    assert!(text.ends_with("%0Amedium confidence: a step was inferred, not seen\n"), "{text}");
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn a_code_quality_report_has_what_gitlab_asks_for() {
    let (_folder, report) = journey(CLIENT);
    let list: Value = serde_json::from_str(&written(|out| gitlab::write(&report, out))).unwrap();
    assert_eq!(
        list,
        json!([{
            "description": "a wait longer than 60 s is cut to 60 s and then retried; witness: with `Retry-After: 3600` your code waits 60 s; right: waits at least 3600 s",
            "check_name": "capped_hint",
            "fingerprint": list[0]["fingerprint"],
            "severity": "major",
            "categories": ["Bug Risk"],
            "location": {"path": "src/client.rs", "lines": {"begin": 5, "end": 5}},
        }])
    );
    assert_eq!(list[0]["fingerprint"].as_str().unwrap().len(), 16);
    assert_ne!(list[0]["fingerprint"], report.findings[0].fingerprint.as_str(), "the file is part of it");
    assert_eq!(written(|out| gitlab::write(&Report::default(), out)), "[]\n");
}

#[test]
fn a_compilers_message_has_the_journey_as_its_spans() {
    let (folder, report) = journey(CLIENT);
    let text = written(|out| cargo_json::write(&report, out));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1..], [json!({"reason": "build-finished", "success": false})]);
    let path = |name: &str| json!(folder.path().join(name));
    let message = &lines[0];
    assert_eq!((&message["reason"], &message["manifest_path"]), (&json!("compiler-message"), &path("Cargo.toml")));
    let id = message["package_id"].as_str().unwrap();
    assert!(id.starts_with("path+file:///") && id.ends_with("#client@1.2.3"), "{id}");
    let diagnostic = &message["message"];
    assert_eq!(diagnostic["code"], json!({"code": "retry_after::capped_hint", "explanation": null}));
    assert_eq!((&diagnostic["level"], &diagnostic["$message_type"]), (&json!("error"), &json!("diagnostic")));
    let spans = diagnostic["spans"].as_array().unwrap();
    let shown: Vec<Value> = spans
        .iter()
        .map(|span| {
            json!([span["file_name"], span["line_start"], span["column_start"], span["is_primary"], span["label"]])
        })
        .collect();
    assert_eq!(
        shown,
        [
            json!([path("src/client.rs"), 5, 16, true, "cut to 60 s here"]),
            json!([path("src/client.rs"), 4, 16, false, "read here"]),
            json!([path("src/wait.rs"), 2, 5, false, "slept on here"]),
        ]
    );
    assert_eq!(
        spans[0]["text"],
        json!([{"text": "    let secs = secs.min(60);", "highlight_start": 16, "highlight_end": 28}])
    );
    let bytes = spans[0]["byte_start"].as_u64().unwrap() as usize..spans[0]["byte_end"].as_u64().unwrap() as usize;
    assert_eq!(&CLIENT[bytes], "secs.min(60)");
    let children: Vec<&str> =
        diagnostic["children"].as_array().unwrap().iter().map(|child| child["level"].as_str().unwrap()).collect();
    assert_eq!(children, ["help", "note"]);
    assert!(diagnostic["rendered"].as_str().unwrap().starts_with("error[capped_hint]: a wait longer"));
}

#[test]
fn cargos_own_reader_takes_the_messages() {
    for (_folder, report) in [journey(CLIENT), odd()] {
        let text = written(|out| cargo_json::write(&report, out));
        let messages: Vec<_> =
            cargo_metadata::Message::parse_stream(text.as_bytes()).map(|message| message.unwrap()).collect();
        let [cargo_metadata::Message::CompilerMessage(message), cargo_metadata::Message::BuildFinished(_)] =
            messages.as_slice()
        else {
            panic!("{text}")
        };
        assert!(message.message.spans.iter().any(|span| span.is_primary));
        assert_eq!(message.target.name, "client");
    }
}

#[test]
fn a_span_over_two_lines_highlights_both() {
    let (_folder, report) = odd();
    let text = written(|out| cargo_json::write(&report, out));
    let message: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        message["message"]["spans"][0]["text"],
        json!([
            {"text": "fn f() { secs", "highlight_start": 10, "highlight_end": 14},
            {"text": "    .min(60) /* 幅 */ }", "highlight_start": 1, "highlight_end": 13},
        ])
    );
    assert!(text.ends_with("{\"reason\":\"build-finished\",\"success\":true}\n"), "a warning fails no build");
}

/// The keys that SARIF 2.1.0 has for each kind of object that is written, and whether the standard wants them.
const SARIF: &[(&str, &[&str], &[&str])] = &[
    ("log", &["version", "runs"], &["$schema"]),
    ("run", &["tool"], &["columnKind", "invocations", "results"]),
    ("tool", &["driver"], &[]),
    ("driver", &["name"], &["version", "semanticVersion", "informationUri", "rules"]),
    (
        "rule",
        &["id"],
        &["shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration", "properties"],
    ),
    ("help", &["text"], &["markdown"]),
    ("message", &["text"], &[]),
    ("configuration", &[], &["enabled", "level"]),
    ("invocation", &["executionSuccessful"], &["toolExecutionNotifications"]),
    ("notification", &["message"], &["level", "locations"]),
    (
        "result",
        &["message"],
        &["ruleId", "ruleIndex", "level", "locations", "codeFlows", "partialFingerprints", "properties"],
    ),
    ("location", &[], &["physicalLocation", "message"]),
    ("place", &[], &["artifactLocation", "region"]),
    ("artifact", &[], &["uri", "uriBaseId"]),
    ("region", &[], &["startLine", "startColumn", "endLine", "endColumn", "snippet"]),
    ("flow", &["threadFlows"], &[]),
    ("thread", &["locations"], &[]),
    ("step", &[], &["location"]),
];

/// Which kind of object stands under a key of another.
fn kind_below(kind: &str, key: &str) -> Option<&'static str> {
    Some(match (kind, key) {
        ("log", "runs") => "run",
        (_, "tool") => "tool",
        (_, "driver") => "driver",
        (_, "rules") => "rule",
        (_, "help") => "help",
        (_, "defaultConfiguration") => "configuration",
        (_, "invocations") => "invocation",
        (_, "toolExecutionNotifications") => "notification",
        (_, "results") => "result",
        (_, "codeFlows") => "flow",
        (_, "threadFlows") => "thread",
        ("thread", "locations") => "step",
        (_, "locations" | "location") => "location",
        (_, "physicalLocation") => "place",
        (_, "artifactLocation") => "artifact",
        (_, "region") => "region",
        (_, "message" | "snippet" | "shortDescription" | "fullDescription") => "message",
        _ => return None,
    })
}

/// Holds every object against the table; what is not in it, free property bags aside, is plain.
fn check(value: &Value, kind: &'static str) {
    if let Value::Array(values) = value {
        return values.iter().for_each(|value| check(value, kind));
    }
    let object = value.as_object().unwrap_or_else(|| panic!("{kind} is an object: {value}"));
    let (_, wanted, known) = SARIF.iter().find(|(name, ..)| *name == kind).expect("in the table");
    for key in *wanted {
        assert!(object.contains_key(*key), "{kind} without {key}: {value}");
    }
    for (key, value) in object {
        assert!(wanted.contains(&key.as_str()) || known.contains(&key.as_str()), "{kind} has no {key}");
        if let Some(below) = kind_below(kind, key) {
            check(value, below);
        }
    }
    if kind == "region" {
        let number = |key: &str| object.get(key).map(|value| value.as_u64().expect("a number"));
        assert!(number("startLine") >= Some(1), "{value}");
        if let (Some(end), Some(end_column)) = (number("endLine"), number("endColumn")) {
            assert!((Some(end), Some(end_column)) > (number("startLine"), number("startColumn")), "{value}");
        }
    }
    if let Some(level) = object.get("level") {
        assert!(["none", "note", "warning", "error"].contains(&level.as_str().unwrap()), "{level}");
    }
}

#[test]
fn sarif_is_made_of_the_standards_parts() {
    for (_folder, report) in [journey(CLIENT), odd()] {
        check(&sarif(&report), "log");
    }
    check(&sarif(&Report::default()), "log");
}

#[test]
fn sarif_declares_every_rule_with_its_page() {
    let log = sarif(&Report::default());
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["results"], json!([]), "no findings are an empty list, not a missing one");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let declared: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(declared, crate::rules::RULES.iter().map(|rule| rule.id).collect::<Vec<_>>());
    for (rule, declared) in crate::rules::RULES.iter().zip(rules) {
        assert_eq!(declared["help"]["markdown"], rule.page());
        assert!(declared["helpUri"].as_str().unwrap().ends_with(&format!("{}.md", rule.id)));
        assert_eq!(declared["defaultConfiguration"]["enabled"], rule.level >= Level::Warn);
    }
}

#[test]
fn a_sarif_result_has_its_rule_place_journey_and_fingerprint() {
    let (_folder, report) = journey(CLIENT);
    let log = sarif(&report);
    let result = &log["runs"][0]["results"][0];
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    assert_eq!(result["level"], "error");
    assert_eq!(
        result["locations"],
        json!([{"physicalLocation": {
            "artifactLocation": {"uri": "src/client.rs", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 5, "startColumn": 16, "endLine": 5, "endColumn": 28, "snippet": {"text": "secs.min(60)"}},
        }}])
    );
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let steps: Vec<(&Value, &Value)> = steps
        .iter()
        .map(|step| {
            (&step["location"]["message"]["text"], &step["location"]["physicalLocation"]["region"]["startLine"])
        })
        .collect();
    assert_eq!(
        steps,
        [
            (&json!("read here"), &json!(4)),
            (&json!("cut to 60 s here"), &json!(5)),
            (&json!("slept on here"), &json!(2))
        ]
    );
    assert_eq!(result["partialFingerprints"], json!({"retryAfter/v1": report.findings[0].fingerprint}));
    assert_eq!(result["properties"]["witness"]["header"], "3600");
}

#[test]
fn sarif_names_odd_files_by_address_and_tells_what_was_not_read() {
    let (_folder, report) = odd();
    let log = sarif(&report);
    let run = &log["runs"][0];
    assert_eq!(run["results"][0]["level"], "warning");
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a%2C%20b%3A%20100%25.rs");
    assert_eq!((&place["region"]["endLine"], &place["region"]["endColumn"]), (&json!(2), &json!(13)));
    let told = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(told["message"]["text"], "src/broken one.rs: expected `(`");
    assert_eq!(told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/broken%20one.rs");
}

#[test]
fn files_outside_of_the_checkout_keep_their_whole_name() {
    let (folder, root) = root(&[("src/a.rs", "a.min(60)")]);
    let fault = span(&root, 0, "a.min(60)");
    let analysis = Analysis {
        findings: vec![finding(fault, Vec::new())],
        suppressed: Vec::new(),
        unreadable: Vec::new(),
        statistics: Statistics::default(),
        blind: Vec::new(),
        reach: crate::Reach::default(),
    };
    let elsewhere = folder.path().join("elsewhere");
    let source = folder.path().join("src");
    let filter =
        Filter { level: &|_, level| level, confidence: Confidence::Low, folder: &source, checkout: &elsewhere };
    let report = Report::new(vec![(root, analysis)], &filter);
    assert_eq!(report.findings[0].place.path, "a.rs");
    let log = sarif(&report);
    let artifact = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert!(artifact["uri"].as_str().unwrap().starts_with("file:///"), "{artifact}");
    assert_eq!(artifact["uriBaseId"], Value::Null);
}
