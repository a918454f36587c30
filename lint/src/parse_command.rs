//! `cargo retry-after parse`: what a `Retry-After` value means, and what a client should do about it.
//!
//! For a person it answers in sentences. With `--jsonl` it answers a stream: one request a line on standard input, one answer
//! a line on standard output, in their order, in constant memory. A line that is no request is answered in its place by
//! `{"request_error": {"line": N, "message": "..."}}`, so that nothing is lost.

mod person;
mod stream;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Duration;

use retry_after_core::{Clock, HttpDate, Jitter, Schedule, SystemClock, Timestamp};

use person::answer_person;
use stream::answer_stream;

const USAGE: &str = "\
cargo retry-after parse [OPTIONS] <VALUE>...
       cargo retry-after parse --jsonl";

const AFTER_HELP: &str = "\
Durations are numbers with a unit: 250ms, 8s, 2m, 1h, 1d; without one they are seconds.

Examples:
  cargo retry-after parse 120 --backoff 8s --deadline 1m
  cargo retry-after parse 'Fri, 31 Dec 1999 23:59:59 GMT' --date 'Fri, 31 Dec 1999 23:59:29 GMT'
  cargo retry-after parse 30 120                two lines of one response
  cargo retry-after parse -- -soon              a value that begins with a minus

--jsonl answers each line of standard input by a line on standard output:
  {\"value\": \"120\", \"backoff_s\": 8, \"deadline_s\": 60}
  The value is one of value (null: no header), values (a list: several lines) and value_hex.
  Beside it: now_unix, date, age_s, age_header, elapsed_s, backoff_s, limit_s, deadline_s, jitter_s.
  A line that is no such request is answered in its place by {\"request_error\": {\"line\": N, \"message\": \"...\"}}.

Exit codes:
  0  it answered, be the value well-formed or not
  2  wrong usage, or standard input or output fails";

/// What a header value means and what a client should do.
#[derive(clap::Args, Debug)]
#[command(override_usage = USAGE, after_long_help = AFTER_HELP)]
pub(crate) struct ParseArgs {
    /// The field value, without the header's name; several are several lines of one response
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

    /// The local wall clock at receipt, as an HTTP-date or in seconds since 1970 [default: now, less what has elapsed]
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    now: Option<Timestamp>,

    /// How long ago the response was received, such as 3s
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_hyphen_values = true)]
    elapsed: Option<Duration>,

    /// The client's own backoff, such as 8s; without it only the value is read
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_hyphen_values = true)]
    backoff: Option<Duration>,

    /// The longest hint that the client waits for
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "backoff", allow_hyphen_values = true)]
    limit: Option<Duration>,

    /// When the client gives up, from receipt
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "backoff", allow_hyphen_values = true)]
    deadline: Option<Duration>,

    /// The most that jitter adds to the wait
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "backoff", allow_hyphen_values = true)]
    jitter: Option<Duration>,
}

/// Runs the command. The exit code is 2 when standard input or output fails, else 0: a malformed value is an answer too.
pub(crate) fn run(args: ParseArgs) -> ExitCode {
    let done = if args.jsonl {
        let stdout = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        answer_stream(io::stdin().lock(), stdout, wall)
    } else {
        let now = args.now.unwrap_or_else(|| earlier(wall(), args.elapsed.unwrap_or_default()));
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

/// The local wall clock, now.
fn wall() -> Timestamp {
    SystemClock::new().wall()
}

/// The time this much earlier, or the first one there is.
fn earlier(time: Timestamp, span: Duration) -> Timestamp {
    let borrow = time.subsecond_nanoseconds() < span.subsec_nanos();
    let nanoseconds = time.subsecond_nanoseconds() + if borrow { 1_000_000_000 } else { 0 } - span.subsec_nanos();
    let seconds = time.unix_seconds().saturating_sub_unsigned(span.as_secs()).saturating_sub(i64::from(borrow));
    Timestamp::new(seconds, nanoseconds)
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
    let date = HttpDate::parse(text.as_bytes(), wall());
    date.map(HttpDate::timestamp).map_err(|error| error.to_string())
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
