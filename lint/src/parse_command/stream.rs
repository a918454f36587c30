//! The answers to a stream of requests, a line each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Duration;

use retry_after_core::{
    Basis, Decision, DeferReason, Moment, Offset, Outcome, Reading, Receipt, Repeatable, RetryAfter, Timestamp,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{draw, earlier, schedule};

/// The longest request, in bytes; a longer line is answered by an error, and is not kept.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// A line of the stream.
#[derive(Deserialize)]
#[serde(expecting = "a request, which is a JSON object", deny_unknown_fields)]
struct Request {
    /// Null: no header. That is another thing than a request without it.
    #[serde(default, deserialize_with = "present")]
    value: Option<Option<String>>,
    values: Option<Vec<String>>,
    value_hex: Option<String>,
    now_unix: Option<serde_json::Number>,
    date: Option<String>,
    age_s: Option<serde_json::Number>,
    age_header: Option<OneOrMany>,
    elapsed_s: Option<serde_json::Number>,
    backoff_s: Option<serde_json::Number>,
    limit_s: Option<serde_json::Number>,
    deadline_s: Option<serde_json::Number>,
    jitter_s: Option<serde_json::Number>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "age_header has to be a string or a list of strings")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// An answer, with null for what does not apply.
#[derive(Serialize)]
struct Answer {
    kind: &'static str,
    delay_s: Option<u64>,
    unix: Option<i64>,
    error: Option<AnswerError>,
    hint_s: Option<Seconds>,
    basis: Option<&'static str>,
    skew_s: Option<SignedSeconds>,
    conflict: bool,
    decision: Option<&'static str>,
    wait_s: Option<Seconds>,
    permitted_s: Option<Seconds>,
    reason: Option<&'static str>,
}

#[derive(Serialize)]
struct AnswerError {
    kind: &'static str,
    position: usize,
}

#[derive(Serialize)]
struct Refusal {
    request_error: RequestError,
}

#[derive(Serialize)]
struct RequestError {
    line: u64,
    message: String,
}

/// Seconds as a number of JSON: whole where they are whole, else the nearest one that is not below.
struct Seconds(Duration);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanos() {
            0 => serializer.serialize_u64(self.0.as_secs()),
            _ => serializer.serialize_f64(not_below(self.0)),
        }
    }
}

/// Signed seconds as a number of JSON.
struct SignedSeconds(Offset);

impl Serialize for SignedSeconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let by = self.0.by();
        match (by.subsec_nanos(), i64::try_from(by.as_secs())) {
            (0, Ok(seconds)) => serializer.serialize_i64(if self.0.is_behind() { -seconds } else { seconds }),
            _ => serializer.serialize_f64(if self.0.is_behind() { -by.as_secs_f64() } else { by.as_secs_f64() }),
        }
    }
}

pub(super) fn not_below(duration: Duration) -> f64 {
    let seconds = duration.as_secs_f64();
    match Duration::try_from_secs_f64(seconds) {
        Ok(back) if back < duration => seconds.next_up(),
        // It is exact to the nanosecond, above, or more than a Duration holds.
        _ => seconds,
    }
}

/// Answers all requests. `now` reads the wall clock, for those that do not say what it was at receipt.
pub(super) fn answer_stream(input: impl Read, mut output: impl Write, now: impl Fn() -> Timestamp) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        let read = read_line(&mut input, &mut line)?;
        number += 1;
        let answer = match read {
            Line::End => break,
            Line::TooLong => Err(format!("the line is longer than {LONGEST_LINE} bytes")),
            Line::Whole => answer(&line, number, &now),
        };
        match answer {
            Ok(answer) => serde_json::to_writer(&mut output, &answer)?,
            Err(message) => {
                serde_json::to_writer(&mut output, &Refusal { request_error: RequestError { line: number, message } })?;
            }
        }
        output.write_all(b"\n")?;
        // Whoever waits for the answer before asking on gets it.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line without its end into `line`. Of one that is too long, the rest is passed over.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut has_begun = false;
    let mut is_too_long = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() && !has_begun {
            return Ok(Line::End);
        }
        let end = memchr::memchr(b'\n', buffer);
        let part = &buffer[..end.unwrap_or(buffer.len())];
        is_too_long |= line.len() + part.len() > LONGEST_LINE;
        if !is_too_long {
            line.extend_from_slice(part);
        }
        let is_last = end.is_some() || buffer.is_empty();
        let consumed = part.len() + usize::from(end.is_some());
        input.consume(consumed);
        has_begun = true;
        if is_last {
            return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

fn answer(line: &[u8], number: u64, now: impl Fn() -> Timestamp) -> Result<Answer, String> {
    if line.trim_ascii().is_empty() {
        return Err("the line is empty; a request is a JSON object".to_owned());
    }
    let request: Request = serde_json::from_slice(line).map_err(|error| message(&error))?;
    let values: Vec<Vec<u8>> = match (request.value, request.values, request.value_hex) {
        // A null beside another of the three is as good as nothing.
        (Some(Some(value)), None, None) => vec![value.into_bytes()],
        (None | Some(None), Some(values), None) => values.into_iter().map(String::into_bytes).collect(),
        (None | Some(None), None, Some(digits)) => vec![bytes(&digits)?],
        (Some(None), None, None) => Vec::new(),
        (None, None, None) => return Err("the request has none of value, values and value_hex".to_owned()),
        _ => return Err("the request has more than one of value, values and value_hex".to_owned()),
    };

    let seconds_of = |name: &str, number: &Option<serde_json::Number>| {
        number.as_ref().map(|number| seconds(name, number)).transpose()
    };
    let elapsed = seconds_of("elapsed_s", &request.elapsed_s)?.unwrap_or_default();
    let wall = match &request.now_unix {
        Some(number) => timestamp(number),
        None => earlier(now(), elapsed),
    };
    let mut ages = match request.age_header {
        Some(OneOrMany::One(age)) => vec![age],
        Some(OneOrMany::Many(ages)) => ages,
        None => Vec::new(),
    };
    if let Some(age) = &request.age_s {
        ages.push(whole_seconds("age_s", age)?.to_string());
    }
    let mut receipt = Receipt::new(Moment::default(), wall);
    if let Some(date) = &request.date {
        receipt = receipt.with_date(date.as_bytes(), ages.iter().map(String::as_bytes));
    }
    let backoff = seconds_of("backoff_s", &request.backoff_s)?;
    let limit = seconds_of("limit_s", &request.limit_s)?;
    let deadline = seconds_of("deadline_s", &request.deadline_s)?;
    let jitter = seconds_of("jitter_s", &request.jitter_s)?;

    let reading = Reading::new(values.iter().map(Vec::as_slice), receipt);
    let hint = reading.hint();
    let (kind, delay_s, unix) = match (reading.outcome(), reading.value()) {
        (_, Some(RetryAfter::Delay(seconds))) => ("delay", Some(seconds), None),
        (_, Some(RetryAfter::Date(date))) => ("date", None, Some(date.timestamp().unix_seconds())),
        (Outcome::Malformed(_), None) => ("reject", None, None),
        (Outcome::Absent | Outcome::Hint(_), None) => ("absent", None, None),
    };
    let error = match reading.outcome() {
        Outcome::Malformed(error) => Some(AnswerError { kind: error.kind().name(), position: error.position() }),
        Outcome::Absent | Outcome::Hint(_) => None,
    };
    let mut answer = Answer {
        kind,
        delay_s,
        unix,
        error,
        hint_s: hint.map(|hint| Seconds(hint.delay())),
        basis: hint.map(|hint| match hint.basis() {
            Basis::Receipt => "receipt",
            Basis::ServerDate => "server_date",
            Basis::LocalClock => "local_clock",
        }),
        skew_s: receipt.skew().map(SignedSeconds),
        conflict: reading.is_conflict(),
        decision: None,
        wait_s: None,
        permitted_s: None,
        reason: None,
    };
    if let Some(backoff) = backoff {
        let now = Moment::default().saturating_add(elapsed);
        let schedule = schedule(backoff, jitter, limit, deadline, draw(number));
        match schedule.decide(&reading, now, Repeatable::Idempotent) {
            Decision::Wait(wait) => {
                answer.decision = Some("wait");
                answer.wait_s = Some(Seconds(wait.remaining(now)));
            }
            Decision::Defer(deferral) => {
                answer.decision = Some("defer");
                answer.permitted_s = Some(Seconds(deferral.permitted_after()));
                answer.reason = Some(match deferral.reason() {
                    DeferReason::Limit => "limit",
                    DeferReason::Deadline => "deadline",
                });
            }
        }
    }
    Ok(answer)
}

/// What serde_json says, without the line that it counts by itself: each request is a text of its own.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&text);
    let place = match error.column() {
        0 => String::new(),
        column => format!(" at column {column}"),
    };
    match error.classify() {
        serde_json::error::Category::Data => format!("{what}{place}"),
        _ => format!("it is not JSON{place}: {what}"),
    }
}

fn bytes(digits: &str) -> Result<Vec<u8>, String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).ok_or("value_hex has to be hexadecimal digits");
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Ok((digit(*high)? * 16 + digit(*low)?) as u8),
        _ => Err("value_hex has to be an even number of digits"),
    });
    pairs.collect::<Result<_, _>>().map_err(str::to_owned)
}

/// A length of time; one too long for a Duration becomes the longest.
fn seconds(name: &str, number: &serde_json::Number) -> Result<Duration, String> {
    if let Some(seconds) = number.as_u64() {
        return Ok(Duration::from_secs(seconds));
    }
    match number.as_f64() {
        Some(seconds) if seconds >= 0.0 => Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        _ => Err(format!("{name} must not be negative")),
    }
}

fn whole_seconds(name: &str, number: &serde_json::Number) -> Result<u64, String> {
    let seconds = seconds(name, number)?;
    match seconds.subsec_nanos() {
        0 => Ok(seconds.as_secs()),
        _ if seconds == Duration::MAX => Ok(u64::MAX),
        _ => Err(format!("{name} has to be whole seconds")),
    }
}

/// A time since 1970; one that is too far away becomes the nearest there is.
pub(super) fn timestamp(number: &serde_json::Number) -> Timestamp {
    if let Some(seconds) = number.as_i64() {
        return Timestamp::from_unix(seconds);
    }
    let seconds = number.as_f64().unwrap_or(f64::MAX);
    // Casts from floating point saturate.
    Timestamp::new(seconds.floor() as i64, ((seconds - seconds.floor()) * 1e9) as u32)
}
