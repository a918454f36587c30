//! Why a value is not a `Retry-After`: what is wrong, and at which byte.

use core::fmt;

/// A value that is neither `delay-seconds` nor an `HTTP-date` (RFC 9110, sections 10.2.3 and 5.6.7).
///
/// An error is a kind and a position. The position is a byte offset, counted from 0, into the value as it was given,
/// blanks around it included; it is the length of the value where more bytes are missing.
///
/// A malformed value is no hint. It is never to be read as zero: the client waits for its own backoff.
///
/// ```
/// use retry_after_core::{ErrorKind, RetryAfter, Timestamp};
///
/// let error = RetryAfter::parse(b"Sun, 06 Nov 1994 08:61:37 GMT", Timestamp::from_unix(0)).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::MinuteOutOfRange);
/// assert_eq!(error.position(), 20);
/// assert_eq!(error.to_string(), "the minute is above 59, at byte 20");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseError {
    kind: ErrorKind,
    position: usize,
}

/// A part of an HTTP-date, named in errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The day of the month: two digits, in asctime a blank and a digit too.
    Day,
    /// The year: four digits, two in the RFC 850 form.
    Year,
    /// The hour: two digits.
    Hour,
    /// The minute: two digits.
    Minute,
    /// The second: two digits.
    Second,
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing is there, or only blanks.
    Empty,
    /// A sign stands in front; delay-seconds are digits only.
    Signed,
    /// A decimal point follows the digits; delay-seconds are whole.
    Fraction,
    /// Something that is no digit follows the digits: a unit, a second value, a blank.
    NotOnlyDigits,
    /// It starts with neither a digit nor one of the day names `Mon` to `Sun` or `Monday` to `Sunday`, in that case.
    UnknownDayName,
    /// This byte, a separator of the date form, has to stand here.
    Expected(u8),
    /// A digit of this part has to stand here.
    ExpectedDigit(Part),
    /// Not one of the month names `Jan` to `Dec`, in that case.
    UnknownMonth,
    /// The month of that year has no such day.
    NoSuchDay,
    /// The hour is above 23.
    HourOutOfRange,
    /// The minute is above 59.
    MinuteOutOfRange,
    /// The second is above 59, or it is 60 elsewhere than at 23:59:60.
    SecondOutOfRange,
    /// The zone is not `GMT`, in that case.
    NotGmt,
    /// The date is complete, and more follows.
    TrailingText,
}

impl ParseError {
    pub(crate) const fn new(kind: ErrorKind, position: usize) -> Self {
        Self { kind, position }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where it is wrong: a byte offset from 0 into the value as it was given.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// The same error, in a text in front of which `blanks` bytes had been cut off.
    pub(crate) const fn behind(self, blanks: usize) -> Self {
        Self { kind: self.kind, position: self.position + blanks }
    }
}

impl ErrorKind {
    /// A stable name in snake case, for machines.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Signed => "signed",
            Self::Fraction => "fraction",
            Self::NotOnlyDigits => "not_only_digits",
            Self::UnknownDayName => "unknown_day_name",
            Self::Expected(_) => "expected_separator",
            Self::ExpectedDigit(_) => "expected_digit",
            Self::UnknownMonth => "unknown_month",
            Self::NoSuchDay => "no_such_day",
            Self::HourOutOfRange => "hour_out_of_range",
            Self::MinuteOutOfRange => "minute_out_of_range",
            Self::SecondOutOfRange => "second_out_of_range",
            Self::NotGmt => "not_gmt",
            Self::TrailingText => "trailing_text",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Day => "day of the month",
            Self::Year => "year",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
        })
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "the value is empty; it has to be whole seconds or an HTTP-date",
            Self::Signed => "a sign is not allowed; whole seconds are digits only, such as 120",
            Self::Fraction => "a fraction is not allowed; round up to whole seconds",
            Self::NotOnlyDigits => "only digits may follow a digit; whole seconds have no unit, such as 120",
            Self::UnknownDayName => {
                "neither digits nor a day name; it has to be whole seconds such as 120, or a date such as \
                 \"Sun, 06 Nov 1994 08:49:37 GMT\""
            }
            Self::Expected(b' ') => "exactly one blank has to stand here",
            Self::Expected(byte) => return write!(formatter, "'{}' has to stand here", char::from(*byte)),
            Self::ExpectedDigit(part) => return write!(formatter, "a digit of the {part} has to stand here"),
            Self::UnknownMonth => "not a month name; one of Jan to Dec, in this case, has to stand here",
            Self::NoSuchDay => "that month has no such day",
            Self::HourOutOfRange => "the hour is above 23",
            Self::MinuteOutOfRange => "the minute is above 59",
            Self::SecondOutOfRange => "the second is above 59; only the leap second 23:59:60 may be",
            Self::NotGmt => "the zone has to be GMT, in capitals",
            Self::TrailingText => "the date is complete here; nothing may follow",
        })
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, at byte {}", self.kind, self.position)
    }
}

#[cfg(feature = "std")]
impl std::error::Error for ParseError {}
