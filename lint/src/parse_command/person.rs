//! The answer for a person: what a value means, when a client may come back, and why, a sentence each.

use std::fmt::Write as _;
use std::time::Duration;

use retry_after_core::{
    Basis, DateForm, Decision, DeferReason, HttpDate, Moment, Offset, Outcome, Reading, Receipt, Repeatable,
    RetryAfter, Tense, Timestamp,
};

use super::{ParseArgs, draw, schedule};

/// The sentences for a person.
pub(super) fn answer_person(args: &ParseArgs, now: Timestamp) -> String {
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
            if line.trim_ascii_start().get(..12).is_some_and(|name| name.eq_ignore_ascii_case(b"retry-after:")) {
                say("note", "Give the value alone, without the name of the header.".to_owned());
            }
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
    let elapsed = Moment::default().saturating_add(args.elapsed.unwrap_or_default());
    let from_now = |left: Duration, all: Duration| match left == all {
        true => String::new(),
        false => format!(", which is {} from now", seconds_text(left)),
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
                let left = hint.delay().saturating_sub(elapsed.since_origin());
                say(
                    "come back",
                    format!("Not before {}{}.", by_local_clock(hint.delay()), from_now(left, hint.delay())),
                );
                say("reason", "A hint is a lower bound; the client's own backoff may be longer.".to_owned());
            }
            None => {
                say("come back", "After the client's own backoff.".to_owned());
                say("reason", "No hint is neither zero nor a permission to retry at once.".to_owned());
            }
        }
        return text;
    };

    let schedule = schedule(backoff, args.jitter, args.limit, args.deadline, draw(1));
    let own = seconds_text(backoff);
    let bound = match reading.hint() {
        Some(hint) if hint.delay() > backoff => {
            format!("The hint of {} is longer than the own backoff of {own}", seconds_text(hint.delay()))
        }
        Some(hint) if hint.delay().is_zero() => {
            let zero = match hint.tense() {
                Tense::Past { .. } => "A date that is not to come is a hint of zero",
                Tense::Delay | Tense::Future => "It is a hint of zero",
            };
            format!("{zero}, which is no call for an immediate retry: the own backoff of {own} counts")
        }
        Some(hint) => {
            format!("The own backoff of {own} is not shorter than the hint of {}", seconds_text(hint.delay()))
        }
        None => format!("There is no hint, and the own backoff is {own}"),
    };
    match schedule.decide(&reading, elapsed, Repeatable::Idempotent) {
        Decision::Wait(wait) => {
            let left = wait.remaining(elapsed);
            if left.is_zero() {
                say(
                    "come back",
                    format!("Now: the wait of {} from receipt is over.", seconds_text(wait.from_receipt())),
                );
            } else {
                let from_now = from_now(left, wait.from_receipt());
                say("come back", format!("Wait until {}{from_now}.", by_local_clock(wait.from_receipt())));
            }
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

/// Seconds for a person, rounded up: to thousandths, and beyond some minutes to whole ones.
pub(super) fn seconds_text(duration: Duration) -> String {
    let rest = duration.subsec_nanos();
    if duration.as_secs() >= 300 {
        return length(duration.as_secs().saturating_add(u64::from(rest > 0)));
    }
    let thousandths = duration.as_secs() * 1000 + u64::from(rest.div_ceil(1_000_000));
    let fraction = format!("{:03}", thousandths % 1000);
    match fraction.trim_end_matches('0') {
        "" => length(thousandths / 1000),
        fraction => format!("{}.{fraction} s", thousandths / 1000),
    }
}

/// Seconds, and beyond some minutes what that is in larger units.
fn length(seconds: u64) -> String {
    let (unit, name) = match seconds {
        0..=299 => return format!("{seconds} s"),
        300..=7_199 => (60, "minutes"),
        7_200..=172_799 => (3_600, "hours"),
        172_800..=63_072_000 => (86_400, "days"),
        _ => (31_556_952, "years"),
    };
    let about = if seconds.is_multiple_of(unit) { "" } else { "about " };
    format!("{seconds} s ({about}{:.0} {name})", seconds as f64 / unit as f64)
}

fn offset_text(offset: Offset) -> String {
    format!("{} {}", seconds_text(offset.by()), if offset.is_behind() { "behind" } else { "ahead of" })
}

fn rounded_up(time: Timestamp) -> i64 {
    time.unix_seconds().saturating_add(i64::from(time.subsecond_nanoseconds() > 0))
}
