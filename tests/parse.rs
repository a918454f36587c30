//! `parse`: the vectors through the built binary, and what a stream has to survive.

use crate::support::{Outcome, binary, command, finish, root, run};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

const NOW: i64 = 1_796_034_600;

/// Answers to a stream of lines, in their order.
fn stream(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let outcome = finish(command(root()).args(["parse", "--jsonl"]).write_stdin(input));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The vectors of a file with the answers to the requests that are made of them.
fn answered(file: &str, request: impl Fn(&Value) -> Value) -> Vec<(Value, Value)> {
    let text = std::fs::read_to_string(root().join("corpus/vectors").join(file)).unwrap();
    let vectors: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let requests: Vec<String> = vectors.iter().map(|vector| request(vector).to_string()).collect();
    let answers = stream(requests.join("\n"));
    assert_eq!(answers.len(), vectors.len());
    vectors.into_iter().zip(answers).collect()
}

/// Some fields of an object, those that it has.
fn fields(object: &Value, names: &[&str]) -> Map<String, Value> {
    let present = names.iter().filter(|name| !object[**name].is_null());
    present.map(|name| ((*name).to_owned(), object[*name].clone())).collect()
}

fn is_read_as(answer: &Value, kind: &Value, delay: &Value, unix: &Value, saturated: bool) -> bool {
    let right = match answer["kind"].as_str().unwrap() {
        "delay" if saturated => answer["delay_s"].as_u64().unwrap() >= 1 << 31,
        "delay" => answer["delay_s"] == *delay,
        "date" => answer["unix"] == *unix,
        "reject" => answer["error"]["kind"].is_string() && answer["error"]["position"].is_u64(),
        _ => false,
    };
    answer["kind"] == *kind && right
}

#[test]
fn all_values_of_the_vectors() {
    let pairs = answered("values.jsonl", |vector| {
        let mut request = fields(vector, &["now_unix"]);
        request.entry("now_unix").or_insert(json!(NOW));
        match &vector["input"] {
            Value::Null => request.insert("value_hex".to_owned(), vector["input_hex"].clone()),
            input => request.insert("value".to_owned(), input.clone()),
        };
        request.into()
    });
    let (mut rfc, mut lenient) = (0, 0);
    for (vector, answer) in pairs {
        let saturated = vector["saturated"] == true;
        let meets = is_read_as(&answer, &vector["kind"], &vector["delay_s"], &vector["unix"], saturated);
        if vector["strictness"] == "rfc" {
            assert!(meets, "{answer} for {vector}");
            rfc += 1;
        } else {
            let alternative = answer["kind"] == "reject"
                || is_read_as(&answer, &vector["alt_kind"], &vector["alt_delay_s"], &vector["alt_unix"], saturated);
            assert!(meets || alternative, "{answer} for {vector}");
            lenient += 1;
        }
    }
    assert_eq!((rfc, lenient), (660, 202));
}

/// Whether an answer's figure is the expected one, or at least that where only so much is expected.
fn assert_figure(answer: &Value, expect: &Value, name: &str, what: &Value) {
    match expect[format!("{}_at_least_s", name.trim_end_matches("_s"))].as_f64() {
        Some(at_least) => assert!(answer[name].as_f64().unwrap() >= at_least, "{name} of {what}: {answer}"),
        None => assert_eq!(answer[name].as_f64(), expect[name].as_f64(), "{name} of {what}: {answer}"),
    }
}

#[test]
fn all_timelines_of_the_vectors() {
    let names =
        ["now_unix", "date", "age_s", "age_header", "elapsed_s", "backoff_s", "limit_s", "deadline_s", "jitter_s"];
    let pairs = answered("timelines.jsonl", |vector| {
        let mut request = fields(vector, &names);
        match &vector["values"] {
            // Null, where there is no header.
            Value::Null => request.insert("value".to_owned(), vector["value"].clone()),
            values => request.insert("values".to_owned(), values.clone()),
        };
        request.into()
    });
    assert_eq!(pairs.len(), 122);
    for (vector, answer) in pairs {
        let (expect, what) = (&vector["expect"], &vector["name"]);
        assert_figure(&answer, expect, "hint_s", what);
        assert_eq!(answer["basis"], expect["basis"], "{what}: {answer}");
        assert_eq!(answer["skew_s"], expect["skew_s"], "{what}: {answer}");
        if expect["conflict"].is_boolean() {
            assert_eq!(answer["conflict"], expect["conflict"], "{what}: {answer}");
        }
        assert_eq!(answer["decision"], expect["decision"], "{what}: {answer}");
        if expect["decision"] == "wait" {
            let wait = answer["wait_s"].as_f64().unwrap();
            let (least, most) = (expect["wait_min_s"].as_f64().unwrap(), expect["wait_max_s"].as_f64().unwrap());
            assert!((least..=most).contains(&wait), "{what}: {answer}");
            assert!(expect["wait_below_s"].as_f64().is_none_or(|below| wait < below), "{what}: {answer}");
            assert_eq!((&answer["permitted_s"], &answer["reason"]), (&json!(null), &json!(null)), "{what}: {answer}");
        } else {
            assert_figure(&answer, expect, "permitted_s", what);
            assert_eq!((&answer["wait_s"], &answer["reason"]), (&json!(null), &expect["reason"]), "{what}: {answer}");
        }
    }
}

#[test]
fn what_is_no_request_is_answered_in_its_place() {
    let input = b"{\"value\": \"1\"}\nnonsense\n\n{\"value\": \"2\", \"backof_s\": 8}\n\xff\n{\"value\": \"3\"}";
    let answers = stream(*input);
    let seen: Vec<_> =
        answers.iter().map(|answer| (answer["delay_s"].as_u64(), answer["request_error"]["line"].as_u64())).collect();
    assert_eq!(
        seen,
        [(Some(1), None), (None, Some(2)), (None, Some(3)), (None, Some(4)), (None, Some(5)), (Some(3), None)]
    );
    // A misspelt name does not pass in silence: the request would be another one without it.
    let message = answers[3]["request_error"]["message"].as_str().unwrap();
    assert!(message.starts_with("unknown field `backof_s`, expected one of"), "{message}");
}

fn spawned() -> std::process::Child {
    let mut command = Command::new(binary());
    command.args(["parse", "--jsonl"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_in_silence() {
    let mut child = spawned();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || while input.write_all(b"{\"value\": \"120\"}\n").is_ok() {});
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"kind\":\"delay\",\"delay_s\":120,"), "{line}");
    drop(output);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    writer.join().unwrap();
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

#[test]
fn whoever_waits_for_an_answer_before_asking_on_gets_it() {
    let mut child = spawned();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for delay in [1, 20, 300] {
        writeln!(input, "{{\"value\": \"{delay}\"}}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["delay_s"], delay);
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn parse(arguments: &[&str]) -> Outcome {
    run(root(), &[&["parse"], arguments].concat())
}

#[test]
fn a_value_that_begins_with_a_minus() {
    for arguments in [&["-1"][..], &["--", "-1"], &["--backoff", "8s", "--", "-1"]] {
        let outcome = parse(arguments);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert!(outcome.stdout.starts_with("value      -1\n           ^ a sign is not allowed"), "{}", outcome.stdout);
    }
    // What could as well be a misspelt option is none of both, and the message says how to give it as a value.
    let outcome = parse(&["-soon"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("use '-- -s"), "{}", outcome.stderr);
    assert!(parse(&["--", "-soon"]).stdout.starts_with("value      -soon\n"));
    let outcome = parse(&["30", "--backoff", "-1s"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("a duration is a number with a unit, such as 8s"), "{}", outcome.stderr);
}

#[test]
fn the_worked_example_in_sentences() {
    let outcome = parse(&["30", "--backoff", "8s", "--deadline", "12s", "--now", "Mon, 30 Nov 2026 10:30:00 GMT"]);
    assert_eq!(
        outcome.stdout,
        "value      30\n\
         meaning    It is a delay of 30 s from the receipt of the response.\n\
         come back  Do not wait here: a retry is permitted 30 s after receipt, at Mon, 30 Nov 2026 10:30:30 GMT by the local \
         clock.\n\
         reason     The hint of 30 s is longer than the own backoff of 8 s; no retry could start before the deadline of 12 s, \
         which never shortens a wait.\n"
    );
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
}

#[test]
fn a_malformed_value_is_an_answer_and_wrong_usage_is_not() {
    let outcome = parse(&["Sun, 06 Nov 1994 08:61:37 GMT"]);
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stdout.contains("\n                               ^ the minute is above 59\n"),
        "{}",
        outcome.stdout
    );
    for wrong in [&[][..], &["120", "--deadline", "12s"], &["120", "--backoff", "8x"], &["--jsonl", "120"]] {
        let outcome = parse(wrong);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{wrong:?}");
        assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    }
    assert!(parse(&[]).stderr.contains("cargo retry-after parse [OPTIONS] <VALUE>..."));
    let help = parse(&["--help"]).stdout;
    assert!(help.contains("cargo retry-after parse --jsonl") && help.contains("value_hex"), "{help}");
}
