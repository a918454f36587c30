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

use std::fmt::Write;

use http::HeaderValue;
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
            if data.iter().filter(|byte| **byte == b'-').count() != 2 {
                // No two-digit year: the time changes nothing, and more of them would show nothing new.
                break;
            }
            continue;
        }

        assert_eq!(padded(data, now), parsed.ok());
        match parsed {
            Ok(RetryAfter::Date(date)) => written_and_read_back(date),
            Ok(RetryAfter::Delay(seconds)) => {
                let mut text = Text::default();
                let _ = write!(text, "{seconds}");
                assert_eq!(RetryAfter::parse(text.bytes(), now), parsed);
            }
            Err(error) => assert!(error.position() <= data.len(), "{error}"),
        }

        let text = trimmed(data);
        let header = HeaderValue::from_bytes(text).ok();
        for peer in [Peer::Httpdate, Peer::Headers, Peer::RetryAfter] {
            let Some(reply) = peers::ask(peer, text, header.as_ref(), model) else { continue };
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

/// What the reference reads with blanks around the value.
fn padded(data: &[u8], now: Timestamp) -> Option<RetryAfter> {
    let mut short = [b'\t'; 64];
    if data.len() + 2 > short.len() {
        return RetryAfter::parse(&[b" ", data, b"\t"].concat(), now).ok();
    }
    short[0] = b' ';
    short[1..=data.len()].copy_from_slice(data);
    RetryAfter::parse(&short[..data.len() + 2], now).ok()
}

fn written_and_read_back(date: HttpDate) {
    let mut text = Text::default();
    let _ = write!(text, "{date}");
    let back = HttpDate::parse(text.bytes(), Timestamp::from_unix(0));
    let back = back.unwrap_or_else(|error| panic!("{date}: {error}"));
    assert_eq!(back.timestamp(), date.timestamp());
    assert_eq!((back.form(), back.is_leap_second()), (DateForm::ImfFixdate, date.is_leap_second()));
    assert!(back.day_name_fits());
    if !date.is_leap_second() {
        assert_eq!(HttpDate::from_unix(date.timestamp().unix_seconds()), Some(back));
    }
}

/// A short text on the stack; what is too long for it is cut off, and so is no date and no number any more.
struct Text {
    bytes: [u8; 40],
    length: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self { bytes: [0; 40], length: 0 }
    }
}

impl Text {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> std::fmt::Result {
        let room =
            self.bytes.get_mut(self.length..).and_then(|rest| rest.get_mut(..part.len())).ok_or(std::fmt::Error)?;
        room.copy_from_slice(part.as_bytes());
        self.length += part.len();
        Ok(())
    }
}

/// The value without the blanks around it, by other means than the reference.
pub(crate) fn trimmed(data: &[u8]) -> &[u8] {
    let blank = |byte: &u8| *byte != b' ' && *byte != b'\t';
    let start = data.iter().position(blank).unwrap_or(data.len());
    let end = data.iter().rposition(blank).map_or(start, |last| last + 1);
    &data[start..end]
}
