//! Other crates that read the value, and the differences from the reference that are allowed to them.
//!
//! A difference is allowed only if it is in the table [`ALLOWED`], by its name and for the crates named there. Anything
//! else is a finding, in this crate or in theirs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use http::HeaderValue;

use crate::model::{self, Form, Value};

/// A crate that reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// httpdate: dates only.
    Httpdate,
    /// headers: a number or httpdate's dates. Does not tell what it read; it is asked whether it equals the expected.
    Headers,
    /// retry-after: a number or chrono's dates.
    RetryAfter,
}

/// What a peer made of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// So many seconds.
    Delay(u64),
    /// Seconds since 1970.
    Date(i64),
    /// It does not read it.
    Rejected,
    /// It reads it, and not as what was expected.
    Other,
    /// It panicked.
    Panicked,
}

/// A difference from the reference that is allowed, and why.
#[derive(Debug)]
pub struct Allowed {
    /// Its name.
    pub name: &'static str,
    /// The crates it is allowed to.
    pub peers: &'static [Peer],
    /// The reason, by the text of the RFC.
    pub reason: &'static str,
    /// Whether a difference is of this kind: the value without blanks around it, what the model reads, and the reply.
    applies: fn(&[u8], Value, Reply) -> bool,
}

/// The last second of 2019: the fifty years from then end with 2069, and so does the century that the peers take for good.
const FIXED_CENTURY: i64 = 1_577_836_799;

/// All differences that are allowed.
pub const ALLOWED: &[Allowed] = &[
    Allowed {
        name: "day_name_checked",
        peers: &[Peer::Httpdate, Peer::Headers, Peer::RetryAfter],
        reason: "RFC 9110 5.6.7 gives the day name no part in the instant; RFC 5322 3.3 asks that it be right. To reject and \
                 to accept are both within their letter, and a rejected date leaves the own backoff.",
        applies: |_, model, reply| {
            matches!(model, Value::Date(date) if !date.day_name_fits) && reply == Reply::Rejected
        },
    },
    Allowed {
        name: "no_leap_second",
        peers: &[Peer::Httpdate, Peer::Headers, Peer::RetryAfter],
        reason: "RFC 9110 5.6.7 has two digits for the second and says nothing on 60, RFC 5322 3.3 permits it. Rejected, or \
                 read as the second before, it is a second in decades.",
        applies: |_, model, reply| match (model, reply) {
            (Value::Date(date), Reply::Rejected | Reply::Other) => date.leap_second,
            (Value::Date(date), Reply::Date(unix)) => date.leap_second && unix == date.unix - 1,
            _ => false,
        },
    },
    Allowed {
        name: "before_1970",
        peers: &[Peer::Httpdate, Peer::Headers],
        reason: "RFC 9110 10.2.3 asks for a time to come. A date before 1970 is past for every client, and a past date means \
                 the own backoff, as no hint does.",
        applies: |_, model, reply| match (model, reply) {
            (Value::Date(date), Reply::Rejected) => date.unix < 0,
            _ => false,
        },
    },
    Allowed {
        name: "fixed_century",
        peers: &[Peer::Httpdate, Peer::Headers, Peer::RetryAfter],
        reason: "RFC 9110 5.6.7 makes the century depend on now. These take 1970 to 2069 for good, which differs for \
                 two-digit years only: another century, or no such day in it.",
        applies: |text, model, reply| {
            let two_digit_year = |value| matches!(value, Value::Date(date) if date.form == Form::Rfc850);
            let fixed = model::read(text, FIXED_CENTURY);
            match (fixed, reply) {
                _ if !two_digit_year(model) && !two_digit_year(fixed) => false,
                (Value::Date(date), Reply::Date(unix)) => date.unix == unix,
                (Value::Date(date), Reply::Rejected) => !date.day_name_fits,
                (Value::Malformed, Reply::Rejected) => true,
                (_, Reply::Other) => true,
                _ => false,
            }
        },
    },
    Allowed {
        name: "plus_sign",
        peers: &[Peer::Headers, Peer::RetryAfter],
        reason: "RFC 9110 10.2.3 has 1*DIGIT. Rust's number parser also takes a leading plus; what it reads is what was meant.",
        applies: |text, model, reply| {
            let digits = text.strip_prefix(b"+").unwrap_or_default();
            let seconds = match model::read(digits, 0) {
                Value::Delay(seconds) => seconds,
                _ => return false,
            };
            model == Value::Malformed && (reply == Reply::Delay(seconds) || reply == Reply::Other)
        },
    },
    Allowed {
        name: "no_saturation",
        peers: &[Peer::Headers, Peer::RetryAfter],
        reason: "RFC 9110 sets no largest delay; RFC 9111 1.2.2 lets a cache saturate. A number above u64 that is rejected \
                 is a fault of the peer, but one that no client of this age will meet.",
        applies: |_, model, reply| model == Value::Delay(u64::MAX) && reply == Reply::Rejected,
    },
    Allowed {
        name: "more_blanks",
        peers: &[Peer::Httpdate, Peer::Headers],
        reason: "RFC 9110 5.5 has SP and HTAB around a value. httpdate trims line ends and form feeds too, which no field \
                 value can hold.",
        applies: |text, model, reply| {
            let trimmed = text.trim_ascii();
            // Of the blanks of ASCII, trim_ascii leaves the vertical tab.
            let trimmed = trimmed.strip_prefix(b"\x0b").or(trimmed.strip_suffix(b"\x0b")).unwrap_or(trimmed);
            model == Value::Malformed && trimmed.len() < text.len() && matches!(reply, Reply::Date(_) | Reply::Other)
        },
    },
    Allowed {
        name: "unchecked_byte",
        peers: &[Peer::Httpdate, Peer::Headers],
        reason: "RFC 9110 5.6.7 has a blank between year and time of the RFC 850 form. httpdate 1.0.3 takes any byte there. It \
                 says nothing, and recipients are encouraged to be robust.",
        applies: |text, model, reply| {
            let Some(comma) = text.iter().position(|byte| *byte == b',') else { return false };
            let mut mended = text.trim_ascii().to_vec();
            // It trims first, and a blank in front of the comma is no day name anyway.
            let place = comma + ", 06-Nov-94".len();
            if model != Value::Malformed || mended.get(place).is_none_or(|byte| *byte == b' ') {
                return false;
            }
            mended[place] = b' ';
            match (model::read(&mended, FIXED_CENTURY), reply) {
                (Value::Date(date), Reply::Date(unix)) => date.form == Form::Rfc850 && date.unix == unix,
                (Value::Date(date), Reply::Other) => date.form == Form::Rfc850,
                _ => false,
            }
        },
    },
    Allowed {
        name: "robust_date",
        peers: &[Peer::RetryAfter],
        reason: "RFC 9110 5.6.7: recipients are encouraged to be robust in parsing timestamps. chrono takes any case, any \
                 run of blanks, none at all, and numbers of fewer or more digits.",
        applies: |_, model, reply| model == Value::Malformed && matches!(reply, Reply::Date(_)),
    },
];

/// What a peer makes of a value that has no blanks around it, given as text and, if it can be one, as a header's value.
///
/// `None` if it cannot be asked: a date crate about no date, a header crate about what no header can hold.
pub fn ask(peer: Peer, text: &[u8], header: Option<&HeaderValue>, expected: Value) -> Option<Reply> {
    match peer {
        Peer::Httpdate => {
            let text = std::str::from_utf8(text).ok()?;
            if let Value::Delay(_) = expected {
                return None;
            }
            Some(guarded(|| match httpdate::parse_http_date(text) {
                Ok(time) => Reply::Date(unix(time)),
                Err(_) => Reply::Rejected,
            }))
        }
        Peer::Headers => {
            use headers::Header;
            let header = header?;
            let right = match expected {
                Value::Delay(seconds) => Some(headers::RetryAfter::delay(std::time::Duration::from_secs(seconds))),
                // It cannot hold a time before 1970 or after 9999: making one panics.
                Value::Date(date) if (0..253_402_300_800).contains(&date.unix) => {
                    Some(headers::RetryAfter::date(UNIX_EPOCH + std::time::Duration::from_secs(date.unix as u64)))
                }
                _ => None,
            };
            Some(guarded(|| match headers::RetryAfter::decode(&mut std::iter::once(header)) {
                Err(_) => Reply::Rejected,
                Ok(read) if Some(&read) == right.as_ref() => match expected {
                    Value::Delay(seconds) => Reply::Delay(seconds),
                    Value::Date(date) => Reply::Date(date.unix),
                    Value::Malformed => Reply::Other,
                },
                Ok(_) => Reply::Other,
            }))
        }
        Peer::RetryAfter => {
            let header = header?;
            Some(guarded(|| match retry_after::RetryAfter::try_from(header) {
                Ok(retry_after::RetryAfter::Delay(delay)) => Reply::Delay(delay.as_secs()),
                Ok(retry_after::RetryAfter::DateTime(time)) => Reply::Date(unix(time)),
                Err(_) => Reply::Rejected,
            }))
        }
    }
}

/// The name of the allowed difference that explains a reply, if one does; `Ok(None)` if there is no difference.
///
/// # Errors
///
/// The difference is not allowed: a finding.
pub fn explain(peer: Peer, text: &[u8], model: Value, reply: Reply) -> Result<Option<&'static str>, String> {
    let equal = match (model, reply) {
        (Value::Delay(seconds), Reply::Delay(theirs)) => seconds == theirs,
        (Value::Date(date), Reply::Date(theirs)) => date.unix == theirs,
        (Value::Malformed, Reply::Rejected) => true,
        _ => false,
    };
    if equal {
        return Ok(None);
    }
    match ALLOWED.iter().find(|allowed| allowed.peers.contains(&peer) && (allowed.applies)(text, model, reply)) {
        Some(allowed) => Ok(Some(allowed.name)),
        None => {
            Err(format!("{peer:?} says {reply:?} and the reference {model:?} to {:?}", text.escape_ascii().to_string()))
        }
    }
}

fn unix(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs() as i64,
        // Rounded down, should there ever be a fraction.
        Err(before) => -(before.duration().as_secs_f64().ceil() as i64),
    }
}

fn guarded(ask: impl FnOnce() -> Reply) -> Reply {
    catch_unwind(AssertUnwindSafe(ask)).unwrap_or(Reply::Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_034_600;

    fn difference(peer: Peer, text: &str) -> Option<&'static str> {
        let model = model::read(text.as_bytes(), NOW);
        let header = HeaderValue::from_bytes(text.as_bytes()).ok();
        let reply = ask(peer, text.as_bytes(), header.as_ref(), model).unwrap();
        explain(peer, text.as_bytes(), model, reply).unwrap()
    }

    #[test]
    fn every_allowed_difference_exists() {
        let cases = [
            (Peer::Httpdate, "Mon, 06 Nov 1994 08:49:37 GMT", "day_name_checked"),
            (Peer::Httpdate, "Sat, 31 Dec 2016 23:59:60 GMT", "no_leap_second"),
            (Peer::Headers, "Fri, 31 Dec 1965 23:59:59 GMT", "before_1970"),
            (Peer::Httpdate, "Thursday, 15-Jan-71 00:00:00 GMT", "fixed_century"),
            (Peer::RetryAfter, "+5", "plus_sign"),
            (Peer::Headers, "99999999999999999999", "no_saturation"),
            (Peer::Httpdate, "Sun, 06 Nov 1994 08:49:37 GMT\n", "more_blanks"),
            (Peer::Httpdate, "Sunday, 06-Nov-94T08:49:37 GMT", "unchecked_byte"),
            (Peer::RetryAfter, "sun,6 nov 1994 8:49:37 GMT", "robust_date"),
        ];
        for (peer, text, name) in cases {
            assert_eq!(difference(peer, text), Some(name), "{peer:?} {text:?}");
        }
        let mut names: Vec<_> = cases.iter().map(|case| case.2).collect();
        names.dedup();
        assert_eq!(names, ALLOWED.iter().map(|allowed| allowed.name).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_not_allowed_is_a_finding() {
        let text = b"120";
        assert!(explain(Peer::RetryAfter, text, Value::Delay(120), Reply::Delay(12)).is_err());
        assert!(explain(Peer::RetryAfter, text, Value::Delay(120), Reply::Rejected).is_err());
        assert!(explain(Peer::Httpdate, b"Sun Nov  6", Value::Malformed, Reply::Panicked).is_err());
    }
}
