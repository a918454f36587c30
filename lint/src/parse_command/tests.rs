//! The command, but for the process around it.

use std::io::Read;

use clap::Parser;
use serde_json::{Value, json};

use super::person::seconds_text;
use super::stream::{LONGEST_LINE, not_below, timestamp};
use super::*;

const NOW: i64 = 1_796_034_600;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    args: ParseArgs,
}

fn person(arguments: &[&str]) -> String {
    let program = Program::try_parse_from(["parse"].iter().chain(arguments)).unwrap_or_else(|error| panic!("{error}"));
    let now = program.args.now.unwrap_or(Timestamp::from_unix(NOW));
    answer_person(&program.args, now)
}

fn stream(input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    answer_stream(input, &mut output, || Timestamp::from_unix(NOW)).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn one(request: &Value) -> Value {
    let mut answers = stream(request.to_string().as_bytes());
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

#[test]
fn a_date_with_its_decision_in_sentences() {
    let text = person(&[
        "Mon, 30 Nov 2026 10:35:30 GMT",
        "--date",
        "Mon, 30 Nov 2026 10:35:00 GMT",
        "--backoff",
        "8s",
        "--deadline",
        "12s",
    ]);
    assert_eq!(
        text,
        "value      Mon, 30 Nov 2026 10:35:30 GMT\n\
         meaning    It is an HTTP-date, Mon, 30 Nov 2026 10:35:30 GMT, 30 s after the receipt of the response by the \
         server's own clock, its Date and Age.\n\
         note       The server's clock is 300 s (5 minutes) ahead of the local one, which changes no wait.\n\
         come back  Do not wait here: a retry is permitted 30 s after receipt, at Mon, 30 Nov 2026 10:30:30 GMT by the \
         local clock.\n\
         reason     The hint of 30 s is longer than the own backoff of 8 s; no retry could start before the deadline of \
         12 s, which never shortens a wait.\n"
    );
}

#[test]
fn a_malformed_value_is_shown_with_its_place() {
    let text = person(&["1.5"]);
    assert!(text.starts_with("value      1.5\n            ^ a fraction is not allowed"), "{text}");
    assert!(text.contains("come back  After the client's own backoff.\n"), "{text}");
    let text = person(&["120\u{1b}[31m", "--backoff", "8"]);
    assert!(text.starts_with("value      120\\x1b[31m\n              ^ "), "{text}");
    assert!(text.contains("Wait until 8 s after receipt"), "{text}");
    assert!(person(&["-1"]).contains("a sign is not allowed"));
}

#[test]
fn all_that_is_worth_a_note_has_one() {
    assert!(person(&["Tue, 30 Nov 2026 10:31:30 GMT"]).contains("The day name is not that of the date"));
    assert!(person(&["Thu, 31 Dec 2026 23:59:60 GMT"]).contains("leap second"));
    assert!(
        person(&["30", "soon"])
            .contains("There are 2 lines. They differ; the longest well-formed one binds, number 1.")
    );
    assert!(person(&["soon", "soon"]).contains("They agree; none is well-formed."));
    assert!(person(&["30", "--date", "yesterday"]).contains("The Date is malformed (neither"));
    assert!(person(&["99999999999999999999"]).contains("or more"));
    assert!(person(&["0"]).contains("no call for an immediate retry"));
    assert!(person(&["Mon, 30 Nov 2026 09:30:00 GMT"]).contains("3600 s (60 minutes) before the receipt"));
    let text = person(&["30", "--backoff", "8s", "--elapsed", "3s", "--jitter", "1s", "--now", "0"]);
    assert!(text.contains("from now") && text.contains("jitter, drawn anew") && text.contains("01 Jan 1970"), "{text}");
    let text = person(&["120", "--backoff", "8s", "--limit", "1m"]);
    assert!(text.contains("permitted 120 s after receipt") && text.contains("the limit on hints of 60 s"), "{text}");
}

#[test]
fn a_person_is_not_told_nanoseconds() {
    let text = |seconds, nanoseconds| seconds_text(Duration::new(seconds, nanoseconds));
    assert_eq!(text(8, 0), "8 s");
    assert_eq!(text(0, 1), "0.001 s");
    assert_eq!(text(1, 250_000_000), "1.25 s");
    assert_eq!(text(1, 999_999_999), "2 s");
    assert_eq!(text(299, 999_999_999), "300 s (5 minutes)");
    assert_eq!(text(849_375_375, 455_044_741), "849375376 s (about 27 years)");
    assert_eq!(text(u64::MAX, 999_999_999), "18446744073709551615 s (about 584554049254 years)");
}

#[test]
fn what_went_by_since_the_receipt_counts() {
    assert_eq!(earlier(Timestamp::new(5, 100), Duration::new(2, 101)), Timestamp::new(2, 999_999_999));
    assert_eq!(earlier(Timestamp::new(5, 100), Duration::new(2, 100)), Timestamp::from_unix(3));
    assert_eq!(earlier(Timestamp::from_unix(0), Duration::MAX).unix_seconds(), i64::MIN);
    assert!(person(&["30", "--elapsed", "3s"]).contains("by the local clock, which is 27 s from now.\n"));
    let over = person(&["30", "--elapsed", "31s", "--backoff", "8s"]);
    assert!(over.contains("come back  Now: the wait of 30 s from receipt is over.\n"), "{over}");
    // A request that does not say what the clock was then means that it is now what it is now.
    let answer = one(&json!({"value": "Mon, 30 Nov 2026 10:30:30 GMT", "elapsed_s": 10, "backoff_s": 8}));
    assert_eq!((&answer["hint_s"], &answer["wait_s"]), (&json!(40), &json!(30)));
}

#[test]
fn a_zero_hint_and_a_header_with_its_name() {
    let past = person(&["Fri, 31 Dec 1999 23:59:59 GMT", "--backoff", "8s"]);
    assert!(past.contains("reason     A date that is not to come is a hint of zero, which is no call"), "{past}");
    assert!(person(&["0", "--backoff", "8s"]).contains("reason     It is a hint of zero, which is no call"));
    assert!(person(&["Retry-After: 120"]).contains("Give the value alone"));
}

#[test]
fn durations_and_times_of_the_command_line() {
    assert_eq!(duration("8s"), Ok(Duration::from_secs(8)));
    assert_eq!(duration("8"), Ok(Duration::from_secs(8)));
    assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1_500)));
    assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
    assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
    assert_eq!(duration("1h"), Ok(Duration::from_secs(3_600)));
    assert_eq!(duration("1d"), Ok(Duration::from_secs(86_400)));
    for wrong in ["", "s", "-1s", "8 s", "1e3", "inf", "NaN", "8x", "1.2.3", "٣"] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
    assert_eq!(time("-5"), Ok(Timestamp::from_unix(-5)));
    assert_eq!(time("Mon, 30 Nov 2026 10:30:00 GMT"), Ok(Timestamp::from_unix(NOW)));
    assert!(time("today").is_err());
}

#[test]
fn usage() {
    let fails = |arguments: &[&str]| Program::try_parse_from(["parse"].iter().chain(arguments)).is_err();
    assert!(fails(&[]));
    assert!(fails(&["--jsonl", "120"]));
    assert!(fails(&["120", "--deadline", "12s"]));
    assert!(!fails(&["--jsonl"]));
    assert!(!fails(&["--", "-x"]));
    assert!(!fails(&[""]));
}

#[test]
fn a_request_and_its_answer() {
    let request = json!({"value": "30", "now_unix": NOW, "backoff_s": 8, "deadline_s": 12});
    assert_eq!(
        one(&request),
        json!({"kind": "delay", "delay_s": 30, "unix": null, "error": null, "hint_s": 30, "basis": "receipt",
               "skew_s": null, "conflict": false, "decision": "defer", "wait_s": null, "permitted_s": 30,
               "reason": "deadline"})
    );
    let answer = one(&json!({"value": null}));
    assert_eq!((&answer["kind"], &answer["decision"]), (&json!("absent"), &json!(null)));
    let answer = one(&json!({"value_hex": "31322e"}));
    assert_eq!((&answer["kind"], &answer["error"]), (&json!("reject"), &json!({"kind": "fraction", "position": 2})));
    let answer = one(&json!({"values": ["soon", "30"], "backoff_s": 0.1, "elapsed_s": 0.25}));
    assert_eq!((&answer["delay_s"], &answer["conflict"], &answer["wait_s"]), (&json!(30), &json!(true), &json!(29.75)));
    let answer = one(&json!({"value": "Mon, 30 Nov 2026 10:31:30 GMT", "date": "Mon, 30 Nov 2026 10:30:00 GMT",
                             "age_header": ["40", "30"], "age_s": 60, "now_unix": NOW as f64 + 0.5}));
    assert_eq!((&answer["hint_s"], &answer["skew_s"]), (&json!(60), &json!(29.5)));
}

#[test]
fn nothing_is_lost() {
    let long = format!("{{\"value\": \"{}\"}}", " ".repeat(LONGEST_LINE));
    let deep = "[".repeat(100_000);
    let lines = [
        "{\"value\": \"1\"}",
        "",
        "nonsense",
        "[]",
        "{}",
        "{\"value\": 5}",
        "{\"value\": \"1\", \"values\": []}",
        &long,
        &deep,
        "{\"value_hex\": \"3\"}",
        "{\"value_hex\": \"zz\"}",
        "{\"value\": \"1\", \"backoff_s\": -1}",
        "{\"value\": \"1\", \"age_s\": 1.5}",
        "{\"value\": \"\\ud800\"}",
        "{\"value\": \"1\"} {}",
        "{\"value\": \"2\", \"backof_s\": 1}",
        "{\"value\": \"2\"}\r",
    ];
    let mut input = lines.join("\n").into_bytes();
    input.extend(b"\n\xff\xfe\n{\"value\": \"3\"}");
    let answers = stream(&input);
    assert_eq!(answers.len(), lines.len() + 2);
    for (index, answer) in answers.iter().enumerate() {
        let number = index + 1;
        if [1, 17, 19].contains(&number) {
            assert_eq!(answer["kind"], "delay", "{answer}");
        } else {
            assert_eq!(answer["request_error"]["line"], number, "{answer}");
            assert!(!answer["request_error"]["message"].as_str().unwrap().is_empty());
        }
    }
    let message = |number: usize| answers[number - 1]["request_error"]["message"].as_str().unwrap();
    assert_eq!(message(2), "the line is empty; a request is a JSON object");
    assert_eq!(message(3), "it is not JSON at column 2: expected ident");
    assert_eq!(message(5), "the request has none of value, values and value_hex");
    assert_eq!(message(6), "invalid type: integer `5`, expected a string at column 11");
    assert!(message(16).starts_with("unknown field `backof_s`, expected one of `value`, `values`"), "{}", message(16));
    assert_eq!(stream(b"").len(), 0);
}

#[test]
fn figures_beyond_all_measure() {
    let answer = one(&json!({"value": "99999999999999999999", "backoff_s": 1e300, "elapsed_s": 1, "now_unix": 1e300}));
    assert_eq!(answer["delay_s"], json!(u64::MAX));
    assert!(answer["wait_s"].as_f64().unwrap() > 1e19);
    assert_eq!(not_below(Duration::new(1 << 53, 1)), 9_007_199_254_740_994.0);
    assert_eq!(not_below(Duration::from_millis(89_750)), 89.75);
    assert_eq!(timestamp(&serde_json::Number::from_f64(-0.25).unwrap()), Timestamp::new(-1, 750_000_000));
    let jittered = |number| Jitter::new(Duration::from_secs(60), draw(number)).amount();
    assert_ne!(jittered(1), jittered(2));
    assert_eq!(jittered(7), jittered(7));
}

/// An output that counts, so that a stream need not be kept.
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += memchr::memchr_iter(b'\n', bytes).count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_stream_is_answered_as_it_comes() {
    let line = b"{\"value\": \"120\", \"backoff_s\": 8}\n";
    let input = io::Read::take(io::repeat(0), 0).chain(io::Cursor::new(line.repeat(20_000)));
    let mut output = Count(0);
    answer_stream(input, &mut output, || Timestamp::from_unix(NOW)).unwrap();
    assert_eq!(output.0, 20_000);
}
