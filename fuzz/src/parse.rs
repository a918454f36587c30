//! The target `parse`: any bytes as a value.
//!
//! For all values `v` and all times `t`:
//!
//! ```text
//! reference(v, t)        = model(v, t)
//! reference(v)           = peer(v)                  but for the differences in `peers::ALLOWED`
//! reference(" v\t")      = reference(v)
//! position(error)       <= length(v)
//! reference(write(date)) = date                      and write() is an IMF-fixdate
//! ```
//!
//! The input is the value itself, so that its files can be read and written by hand.

use retry_after_core::{DateForm, HttpDate, RetryAfter, Timestamp};

use crate::model::{self, Form, Value};
use crate::peers::{self, Peer};

/// The times at which a value is read: they differ in the century of two-digit years, and lie at edges of that rule.
pub const TIMES: [i64; 8] = [
    1_796_034_600,   // 30 November 2026, the present of the vectors.
    946_684_799,     // The last second of 1999.
    4_102_444_800,   // The first second of 2100.
    68_212_800,      // 29 February 1972, noon.
    0,               // A clock that was never set.
    -62_167_219_200, // The first second of the year 0.
    253_402_300_799, // The last second of the year 9999.
    i64::MIN,
];

/// Checks the equations for one value; panics where one does not hold.
pub fn run(data: &[u8]) {
    for time in TIMES {
        let now = Timestamp::from_unix(time);
        let parsed = RetryAfter::parse(data, now);
        let model = model::read(data, time);
        assert_eq!(value(parsed.ok()), model, "the reference on the left, the model on the right");
        if time != TIMES[0] {
            if !matches!(model, Value::Date(date) if date.form == Form::Rfc850) && !data.contains(&b'-') {
                // No two-digit year: the time changes nothing, and more of them would show nothing new.
                break;
            }
            continue;
        }

        let padded = [b" ", data, b"\t"].concat();
        assert_eq!(RetryAfter::parse(&padded, now).ok(), parsed.ok());
        match parsed {
            Ok(RetryAfter::Date(date)) => written_and_read_back(date),
            Ok(RetryAfter::Delay(seconds)) => {
                assert_eq!(RetryAfter::parse(seconds.to_string().as_bytes(), now), parsed);
            }
            Err(error) => assert!(error.position() <= data.len(), "{error}"),
        }

        let text = trimmed(data);
        for peer in [Peer::Httpdate, Peer::Headers, Peer::RetryAfter] {
            let Some(reply) = peers::ask(peer, text, model) else { continue };
            if let Err(finding) = peers::explain(peer, text, model, reply) {
                panic!("{finding}");
            }
        }
    }
}

/// What the reference read, in the model's words.
pub fn value(parsed: Option<RetryAfter>) -> Value {
    match parsed {
        None => Value::Malformed,
        Some(RetryAfter::Delay(seconds)) => Value::Delay(seconds),
        Some(RetryAfter::Date(date)) => Value::Date(model::Date {
            unix: date.timestamp().unix_seconds(),
            form: match date.form() {
                DateForm::ImfFixdate => Form::ImfFixdate,
                DateForm::Rfc850 => Form::Rfc850,
                DateForm::Asctime => Form::Asctime,
            },
            leap_second: date.is_leap_second(),
            day_name_fits: date.day_name_fits(),
        }),
    }
}

fn written_and_read_back(date: HttpDate) {
    let text = date.to_string();
    let back = HttpDate::parse(text.as_bytes(), Timestamp::from_unix(0));
    let back = back.unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(back.timestamp(), date.timestamp());
    assert_eq!((back.form(), back.is_leap_second()), (DateForm::ImfFixdate, date.is_leap_second()));
    assert!(back.day_name_fits());
    if !date.is_leap_second() {
        let written = HttpDate::from_unix(date.timestamp().unix_seconds());
        assert_eq!(written.map(|date| date.to_string()), Some(text));
    }
}

fn trimmed(data: &[u8]) -> &[u8] {
    let blank = |byte: &u8| *byte != b' ' && *byte != b'\t';
    let start = data.iter().position(blank).unwrap_or(data.len());
    let end = data.iter().rposition(blank).map_or(start, |last| last + 1);
    &data[start..end]
}
