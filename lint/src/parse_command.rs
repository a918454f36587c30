//! `cargo retry-after parse`: what a `Retry-After` value means, and what a client should do about it.
//!
//! For a person it answers in sentences. With `--jsonl` it answers a stream: one request a line on standard input, one answer
//! a line on standard output, in their order, in constant memory. A line that is no request is answered in its place by
//! `{"request_error": {"line": N, "message": "..."}}`, so that nothing is lost.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use retry_after_core::{
    Basis, Clock, DateForm, Decision, DeferReason, HttpDate, Jitter, Moment, Offset, Outcome, Reading, Receipt,
    Repeatable, RetryAfter, Schedule, SystemClock, Tense, Timestamp,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest request, in bytes; a longer line is answered by an error, and is not kept.
const LONGEST_LINE: usize = 1 << 20;

/// What a header value means and what a client should do.
#[derive(clap::Args, Debug)]
pub(crate) struct ParseArgs {
    /// The field value; several are several lines of one response
    #[arg(value_name = "VALUE", required_unless_present = "jsonl", allow_negative_numbers = true)]
    values: Vec<OsString>,

    /// Answer requests from standard input, one JSON object a line
    #[arg(long, conflicts_with_all = ["values", "date", "age", "now", "elapsed", "backoff", "limit", "deadline", "jitter"])]
    jsonl: bool,

    /// The response's Date
    #[arg(long, value_name = "HTTP-DATE")]
    date: Option<String>,

    /// The response's Age, in seconds; several are several lines
    #[arg(long, value_name = "SECONDS", requires = "date", allow_negative_numbers = true)]
    age: Vec<String>,

    /// The local wall clock at receipt, as an HTTP-date or in seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    now: Option<Timestamp>,

    /// How long ago the response was received, such as 3s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    elapsed: Option<Duration>,

    /// The client's own backoff, such as 8s; without it only the value is read
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    backoff: Option<Duration>,

    /// The longest hint that the client waits for
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "backoff")]
    limit: Option<Duration>,

    /// When the client gives up, from receipt
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "backoff")]
    deadline: Option<Duration>,

    /// The most that jitter adds to the wait
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "backoff")]
    jitter: Option<Duration>,
}

/// Runs the command. The exit code is 2 when standard input or output fails, else 0: a malformed value is an answer too.
pub(crate) fn run(args: ParseArgs) -> ExitCode {
    let done = if args.jsonl {
        let stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        answer_stream(io::stdin().lock(), stdout, SystemClock::new().wall())
    } else {
        let now = args.now.unwrap_or_else(|| SystemClock::new().wall());
        io::stdout().lock().write_all(answer_person(&args, now).as_bytes())
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// A duration such as `8s`, `500ms`, `2m`, `1h`, `1d` or plain seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let (factor, divisor) = match &text[digits.len()..] {
        "" | "s" => (1.0, 1.0),
        "ms" => (1.0, 1000.0),
        "m" | "min" => (60.0, 1.0),
        "h" => (3_600.0, 1.0),
        "d" => (86_400.0, 1.0),
        unit => return Err(format!("`{unit}` is no unit; use ms, s, m, h or d")),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 =
        digits.parse().ok().filter(|_| is_number).ok_or("a duration is a number with a unit, such as 8s")?;
    Duration::try_from_secs_f64(number * factor / divisor).map_err(|error| error.to_string())
}

/// A time as seconds since 1970 or an HTTP-date.
fn time(text: &str) -> Result<Timestamp, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(Timestamp::from_unix(seconds));
    }
    let date = HttpDate::parse(text.as_bytes(), SystemClock::new().wall());
    date.map(HttpDate::timestamp).map_err(|error| error.to_string())
}

/// The sentences for a person.
fn answer_person(args: &ParseArgs, now: Timestamp) -> String {
    let mut receipt = Receipt::new(Moment::default(), now);
    if let Some(date) = &args.date {
        receipt = receipt.with_date(date.as_bytes(), args.age.iter().map(String::as_bytes));
    }
    let lines: Vec<&[u8]> = args.values.iter().map(|value| value.as_encoded_bytes()).collect();
    let reading = Reading::new(lines.iter().copied(), receipt);
    let line = lines.get(reading.line()).copied().unwrap_or_default();

    let mut text = String::new();
    let mut say = |label: &str, sentence: String| {
        // A line for each sentence; writing to a String does not fail.
        let _ = writeln!(text, "{label:<11}{sentence}");
    };
    match (reading.outcome(), reading.value()) {
        (Outcome::Malformed(error), _) => {
            let shown = shown(line);
            // The escapes in front of the fault make it stand further right.
            let column = self::shown(&line[..error.position()]).chars().count();
            say("value", shown);
            say("", format!("{:column$}^ {}", "", error.kind()));
            say("meaning", format!("It is malformed at byte {}, and so it is no hint at all.", error.position()));
        }
        (_, Some(RetryAfter::Delay(seconds))) => {
            say("value", shown(line));
            let more = if seconds == u64::MAX { " or more, which is as much as can be counted" } else { "" };
            say("meaning", format!("It is a delay of {} from the receipt of the response{more}.", length(seconds)));
        }
        (_, Some(RetryAfter::Date(date))) => {
            say("value", shown(line));
            let form = match date.form() {
                DateForm::ImfFixdate => "an HTTP-date",
                DateForm::Rfc850 => "an HTTP-date in the obsolete form of RFC 850",
                DateForm::Asctime => "an HTTP-date in the obsolete form of asctime",
            };
            let hint = reading.hint().map(|hint| (hint.tense(), seconds_text(hint.delay()), hint.basis()));
            let when = match &hint {
                Some((Tense::Past { ago }, ..)) => format!("{} before", seconds_text(*ago)),
                Some((_, delay, _)) => format!("{delay} after"),
                None => String::new(),
            };
            let clock = match hint {
                Some((.., Basis::ServerDate)) => {
                    "the receipt of the response by the server's own clock, its Date and Age"
                }
                _ => "the receipt of the response by the local clock, for want of a Date",
            };
            say("meaning", format!("It is {form}, {date}, {when} {clock}."));
            if !date.day_name_fits() {
                say("note", "The day name is not that of the date; the date counts.".to_owned());
            }
            if date.is_leap_second() {
                say("note", "It names a leap second, which reads as the next second.".to_owned());
            }
        }
        (Outcome::Absent | Outcome::Hint(_), None) => say("meaning", "There is no hint.".to_owned()),
    }
    if lines.len() > 1 {
        let conflict = if reading.is_conflict() { "They differ" } else { "They agree" };
        let which = match reading.hint() {
            Some(_) => format!("the longest well-formed one binds, number {}", reading.line() + 1),
            None => "none is well-formed".to_owned(),
        };
        say("note", format!("There are {} lines. {conflict}; {which}.", lines.len()));
    }
    if let (Some(date), None) = (&args.date, receipt.server_time()) {
        let why = HttpDate::parse(date.trim_matches([' ', '\t']).as_bytes(), now).err();
        let why = why.map(|error| format!(" ({error})")).unwrap_or_default();
        say("note", format!("The Date is malformed{why} and counts for nothing."));
    }
    if let Some(skew) = receipt.skew().filter(|skew| !skew.by().is_zero()) {
        say("note", format!("The server's clock is {} the local one, which changes no wait.", offset_text(skew)));
    }

    let by_local_clock = |span: Duration| match HttpDate::from_unix(rounded_up(now.saturating_add(span))) {
        Some(date) => format!("{} after receipt, at {date} by the local clock", seconds_text(span)),
        None => format!("{} after receipt", seconds_text(span)),
    };
    let Some(backoff) = args.backoff else {
        match reading.hint() {
            Some(hint) if hint.delay().is_zero() => {
                say("come back", "At any time, as far as the server is concerned.".to_owned());
                say(
                    "reason",
                    "A hint of zero is no call for an immediate retry: the client's own backoff decides.".to_owned(),
                );
            }
            Some(hint) => {
                say("come back", format!("Not before {}.", by_local_clock(hint.delay())));
                say("reason", "A hint is a lower bound; the client's own backoff may be longer.".to_owned());
            }
            None => {
                say("come back", "After the client's own backoff.".to_owned());
                say("reason", "No hint is neither zero nor a permission to retry at once.".to_owned());
            }
        }
        return text;
    };

    let elapsed = Moment::default().saturating_add(args.elapsed.unwrap_or_default());
    let schedule = schedule(backoff, args.jitter, args.limit, args.deadline, draw(1));
    let bound = match reading.hint() {
        Some(hint) if hint.delay() > backoff => {
            format!(
                "The hint of {} is longer than the own backoff of {}",
                seconds_text(hint.delay()),
                seconds_text(backoff)
            )
        }
        Some(hint) => format!(
            "The own backoff of {} is not shorter than the hint of {}",
            seconds_text(backoff),
            seconds_text(hint.delay())
        ),
        None => format!("There is no hint, and the own backoff is {}", seconds_text(backoff)),
    };
    match schedule.decide(&reading, elapsed, Repeatable::Idempotent) {
        Decision::Wait(wait) => {
            let left = wait.remaining(elapsed);
            let from_now = if left == wait.from_receipt() {
                String::new()
            } else {
                format!(", which is {} from now", seconds_text(left))
            };
            say("come back", format!("Wait until {}{from_now}.", by_local_clock(wait.from_receipt())));
            let jitter = match wait.jitter() {
                Duration::ZERO => String::new(),
                jitter => format!("; jitter, drawn anew for each wait, adds {} here", seconds_text(jitter)),
            };
            say("reason", format!("{bound}{jitter}."));
        }
        Decision::Defer(deferral) => {
            say(
                "come back",
                format!("Do not wait here: a retry is permitted {}.", by_local_clock(deferral.permitted_after())),
            );
            let why = match deferral.reason() {
                DeferReason::Limit => {
                    format!("; that is above the limit on hints of {}", seconds_text(args.limit.unwrap_or_default()))
                }
                DeferReason::Deadline => format!(
                    "; no retry could start before the deadline of {}",
                    seconds_text(args.deadline.unwrap_or_default())
                ),
            };
            say("reason", format!("{bound}{why}, which never shortens a wait."));
        }
    }
    text
}

/// A value for the terminal: what is not printable ASCII is escaped.
fn shown(value: &[u8]) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    for &byte in value {
        match byte {
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.extend(std::ascii::escape_default(byte).map(char::from)),
        }
    }
    text
}

/// Exact decimal seconds.
fn seconds_text(duration: Duration) -> String {
    let fraction = format!("{:09}", duration.subsec_nanos());
    match fraction.trim_end_matches('0') {
        "" => length(duration.as_secs()),
        fraction => format!("{}.{fraction} s", duration.as_secs()),
    }
}

/// Seconds, and beyond some minutes what that is in larger units.
fn length(seconds: u64) -> String {
    let units = match seconds {
        0..=299 => return format!("{seconds} s"),
        300..=7_199 => (seconds as f64 / 60.0, "minutes"),
        7_200..=172_799 => (seconds as f64 / 3_600.0, "hours"),
        172_800..=63_072_000 => (seconds as f64 / 86_400.0, "days"),
        _ => (seconds as f64 / 31_556_952.0, "years"),
    };
    format!("{seconds} s (about {:.0} {})", units.0, units.1)
}

fn offset_text(offset: Offset) -> String {
    format!("{} {}", seconds_text(offset.by()), if offset.is_behind() { "behind" } else { "ahead of" })
}

fn rounded_up(time: Timestamp) -> i64 {
    time.unix_seconds().saturating_add(i64::from(time.subsecond_nanoseconds() > 0))
}

fn schedule(
    backoff: Duration,
    jitter: Option<Duration>,
    limit: Option<Duration>,
    deadline: Option<Duration>,
    draw: u64,
) -> Schedule {
    let mut schedule = Schedule::new(backoff);
    if let Some(most) = jitter {
        schedule = schedule.with_jitter(Jitter::new(most, draw));
    }
    if let Some(limit) = limit {
        schedule = schedule.with_limit(limit);
    }
    if let Some(deadline) = deadline {
        schedule = schedule.with_deadline(deadline);
    }
    schedule
}

/// The jitter's draw for a request, so that the same stream has the same answers. A client draws at random instead.
///
/// Only the upper 16 bits are drawn: a wait is then well below the deadline in the floating point of JSON too.
fn draw(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) & (0xffff << 48)
}

/// A line of the stream.
#[derive(Deserialize)]
#[serde(expecting = "a request is a JSON object")]
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

fn not_below(duration: Duration) -> f64 {
    let seconds = duration.as_secs_f64();
    match Duration::try_from_secs_f64(seconds) {
        Ok(back) if back < duration => seconds.next_up(),
        // It is exact to the nanosecond, above, or more than a Duration holds.
        _ => seconds,
    }
}

/// Answers all requests. `now` is the wall clock at receipt for those that name none.
fn answer_stream(input: impl Read, mut output: impl Write, now: Timestamp) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        let read = read_line(&mut input, &mut line)?;
        number += 1;
        let answer = match read {
            Line::End => break,
            Line::TooLong => Err(format!("the line is longer than {LONGEST_LINE} bytes")),
            Line::Whole => answer(&line, number, now),
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

fn answer(line: &[u8], number: u64, now: Timestamp) -> Result<Answer, String> {
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

    let wall = match &request.now_unix {
        Some(number) => timestamp(number),
        None => now,
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
    let seconds_of = |name: &str, number: &Option<serde_json::Number>| {
        number.as_ref().map(|number| seconds(name, number)).transpose()
    };
    let elapsed = seconds_of("elapsed_s", &request.elapsed_s)?.unwrap_or_default();
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
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(what) if error.column() > 0 => format!("{what} at column {}", error.column()),
        Some(what) => what.to_owned(),
        None => text,
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
fn timestamp(number: &serde_json::Number) -> Timestamp {
    if let Some(seconds) = number.as_i64() {
        return Timestamp::from_unix(seconds);
    }
    let seconds = number.as_f64().unwrap_or(f64::MAX);
    // Casts from floating point saturate.
    Timestamp::new(seconds.floor() as i64, ((seconds - seconds.floor()) * 1e9) as u32)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::{Value, json};

    use super::*;

    const NOW: i64 = 1_796_034_600;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: ParseArgs,
    }

    fn person(arguments: &[&str]) -> String {
        let program =
            Program::try_parse_from(["parse"].iter().chain(arguments)).unwrap_or_else(|error| panic!("{error}"));
        let now = program.args.now.unwrap_or(Timestamp::from_unix(NOW));
        answer_person(&program.args, now)
    }

    fn stream(input: &[u8]) -> Vec<Value> {
        let mut output = Vec::new();
        answer_stream(input, &mut output, Timestamp::from_unix(NOW)).unwrap();
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
             note       The server's clock is 300 s (about 5 minutes) ahead of the local one, which changes no wait.\n\
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
        assert!(person(&["Mon, 30 Nov 2026 09:30:00 GMT"]).contains("3600 s (about 60 minutes) before the receipt"));
        let text = person(&["30", "--backoff", "8s", "--elapsed", "3s", "--jitter", "1s", "--now", "0"]);
        assert!(
            text.contains("from now") && text.contains("jitter, drawn anew") && text.contains("01 Jan 1970"),
            "{text}"
        );
        let text = person(&["120", "--backoff", "8s", "--limit", "1m"]);
        assert!(
            text.contains("permitted 120 s after receipt") && text.contains("the limit on hints of 60 s"),
            "{text}"
        );
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
        assert_eq!(
            (&answer["kind"], &answer["error"]),
            (&json!("reject"), &json!({"kind": "fraction", "position": 2}))
        );
        let answer = one(&json!({"values": ["soon", "30"], "backoff_s": 0.1, "elapsed_s": 0.25}));
        assert_eq!(
            (&answer["delay_s"], &answer["conflict"], &answer["wait_s"]),
            (&json!(30), &json!(true), &json!(29.75))
        );
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
            "{\"value\": \"2\", \"unheard_of\": 1}\r",
        ];
        let mut input = lines.join("\n").into_bytes();
        input.extend(b"\n\xff\xfe\n{\"value\": \"3\"}");
        let answers = stream(&input);
        assert_eq!(answers.len(), lines.len() + 2);
        for (index, answer) in answers.iter().enumerate() {
            let number = index + 1;
            if [1, 16, 18].contains(&number) {
                assert_eq!(answer["kind"], "delay", "{answer}");
            } else {
                assert_eq!(answer["request_error"]["line"], number, "{answer}");
                assert!(!answer["request_error"]["message"].as_str().unwrap().is_empty());
            }
        }
        assert_eq!(answers[2]["request_error"]["message"], "expected ident at column 2");
        assert_eq!(answers[4]["request_error"]["message"], "the request has none of value, values and value_hex");
        assert_eq!(stream(b"").len(), 0);
    }

    #[test]
    fn figures_beyond_all_measure() {
        let answer =
            one(&json!({"value": "99999999999999999999", "backoff_s": 1e300, "elapsed_s": 1, "now_unix": 1e300}));
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
        answer_stream(input, &mut output, Timestamp::from_unix(NOW)).unwrap();
        assert_eq!(output.0, 20_000);
    }
}
