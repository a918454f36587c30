//! The field value: `Retry-After = HTTP-date / delay-seconds` (RFC 9110, section 10.2.3).

use core::fmt;
use core::time::Duration;

use crate::clock::Timestamp;
use crate::date::HttpDate;
use crate::error::{ErrorKind, ParseError};

/// What a `Retry-After` value says: how long to stay away, or until when.
///
/// Its `Display` is the value to send; see [`RetryAfter::from_duration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// So many seconds after the receipt of the response. `u64::MAX` stands for itself and all that is above.
    Delay(u64),
    /// Not before this instant.
    Date(HttpDate),
}

impl RetryAfter {
    /// Reads a field value, with or without the blanks around it, which are not part of it (RFC 9110, section 5.5).
    ///
    /// A delay is `1*DIGIT` and nothing else. One too large to represent saturates: to drop it would be to come back
    /// sooner. `now` is the time by which a two-digit year is read, see [`HttpDate::parse`]: the response's `Date` plus
    /// `Age` where it has them, else the local wall clock at receipt. No other value depends on it.
    ///
    /// ```
    /// use retry_after_core::{RetryAfter, Timestamp};
    ///
    /// let now = Timestamp::from_unix(1_796_034_600);
    /// assert_eq!(RetryAfter::parse(b" 120 ", now), Ok(RetryAfter::Delay(120)));
    /// assert_eq!(RetryAfter::parse(b"99999999999999999999", now), Ok(RetryAfter::Delay(u64::MAX)));
    /// assert!(RetryAfter::parse(b"-1", now).is_err());
    /// assert!(RetryAfter::parse(b"Fri, 31 Dec 1999 23:59:59 GMT", now).is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// Everything else is malformed, and no hint. The error says what is wrong and at which byte of `value`.
    #[inline]
    pub fn parse(value: &[u8], now: Timestamp) -> Result<Self, ParseError> {
        // The common delay needs neither trimming nor saturation.
        if let Some(seconds) = short_delay(value) {
            return Ok(Self::Delay(seconds));
        }
        trimmed_value(value, now)
    }

    /// What a server sends to keep clients away for at least this long: whole seconds, rounded up.
    ///
    /// Not the date form, which needs both clocks to be right.
    ///
    /// ```
    /// use retry_after_core::RetryAfter;
    /// use std::time::Duration;
    ///
    /// assert_eq!(RetryAfter::from_duration(Duration::from_millis(1_001)).to_string(), "2");
    /// assert_eq!(RetryAfter::from_duration(Duration::ZERO).to_string(), "0");
    /// ```
    #[must_use]
    pub const fn from_duration(wait: Duration) -> Self {
        let rest = if wait.subsec_nanos() > 0 { 1 } else { 0 };
        Self::Delay(wait.as_secs().saturating_add(rest))
    }
}

/// The duration of delay-seconds. `u64::MAX` may have been more than that, and becomes the longest there is.
pub(crate) const fn delay(seconds: u64) -> Duration {
    if seconds == u64::MAX {
        Duration::MAX
    } else {
        Duration::from_secs(seconds)
    }
}

/// `1*DIGIT`, alone and too short to overflow. A short cut: [`any_delay`] reads the same values alike.
#[inline]
fn short_delay(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 19 {
        return None;
    }
    let mut seconds = 0;
    for &byte in value {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        seconds = seconds * 10 + u64::from(digit);
    }
    Some(seconds)
}

// Kept out of line, so that the short cut needs no stack.
#[inline(never)]
fn trimmed_value(value: &[u8], now: Timestamp) -> Result<RetryAfter, ParseError> {
    let text = trim_start(value);
    let blanks = value.len() - text.len();
    let text = trim_end(text);
    let parsed = match text.first() {
        None => Err(ParseError::new(ErrorKind::Empty, 0)),
        Some(b'+' | b'-') => Err(ParseError::new(ErrorKind::Signed, 0)),
        Some(b'0'..=b'9') => any_delay(text).map(RetryAfter::Delay),
        Some(_) => HttpDate::parse(text, now).map(RetryAfter::Date),
    };
    parsed.map_err(|error| error.behind(blanks))
}

/// `1*DIGIT` of any length.
fn any_delay(text: &[u8]) -> Result<u64, ParseError> {
    let mut seconds: u64 = 0;
    for (position, &byte) in text.iter().enumerate() {
        if !byte.is_ascii_digit() {
            let kind = if byte == b'.' { ErrorKind::Fraction } else { ErrorKind::NotOnlyDigits };
            return Err(ParseError::new(kind, position));
        }
        seconds = seconds.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
    }
    Ok(seconds)
}

/// A field value without the blanks around it: SP and HTAB, and no others.
pub(crate) fn trim(value: &[u8]) -> &[u8] {
    trim_end(trim_start(value))
}

fn trim_start(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    value
}

fn trim_end(mut value: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// The `Age` of a response (RFC 9111, section 5.1) in seconds, from all lines of the field, or zero.
///
/// Of several, on lines of their own or in one list, the smallest counts: the longer wait. A malformed one is ignored, and
/// so is a saturated one: 2^31 is what RFC 9111 (section 1.2.2) lets a cache say instead of a number that it cannot hold.
pub(crate) fn age<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    lines
        .into_iter()
        .flat_map(|line| line.split(|&byte| byte == b','))
        .map(trim)
        .filter(|age| !age.is_empty())
        .filter_map(|age| any_delay(age).ok())
        .filter(|&age| age < 1 << 31)
        .min()
        .unwrap_or(0)
}

impl fmt::Display for RetryAfter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delay(seconds) => seconds.fmt(formatter),
            Self::Date(date) => date.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From outside the short cut only shows in the time that it takes.
    #[test]
    fn the_short_cut_is_taken_up_to_nineteen_digits() {
        assert_eq!(short_delay(b"0"), Some(0));
        assert_eq!(short_delay(b"120"), Some(120));
        assert_eq!(short_delay(b"9999999999999999999"), Some(9_999_999_999_999_999_999));
        assert_eq!(short_delay(b"00000000000000000001"), None);
        assert_eq!(short_delay(b""), None);
    }
}
