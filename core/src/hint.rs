//! A hint: the receipt of a response, and how long after it the server does not want to see the client.
//!
//! A delay counts from the receipt. A date is compared with the server's own clock, its `Date` plus `Age`, so that the
//! skew of the two clocks cancels out (RFC 9110, section 6.6.1); without a `Date`, with the local wall clock at receipt.
//! After that no wall clock has a say: a hint is a monotonic moment and a duration.

use core::fmt;
use core::time::Duration;

use crate::clock::{Clock, Moment, Offset, Seconds, Timestamp};
use crate::date::HttpDate;
use crate::error::ParseError;
use crate::parse::{age, delay, trim, RetryAfter};

/// The receipt of a response: both local clocks as they were then, and the server's clock where the response tells it.
///
/// ```
/// use retry_after_core::{Moment, Receipt, Timestamp};
///
/// let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(1_796_034_600))
///     .with_date(b"Mon, 30 Nov 2026 10:35:00 GMT", [b"10".as_slice()]);
/// assert_eq!(receipt.server_time(), Some(Timestamp::from_unix(1_796_034_910)));
/// assert_eq!(receipt.skew().unwrap().to_string(), "310 s ahead");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Receipt {
    moment: Moment,
    wall: Timestamp,
    server: Option<Timestamp>,
}

impl Receipt {
    /// A response that was received at this moment of the monotonic clock and this time of the local wall clock.
    #[must_use]
    pub const fn new(moment: Moment, wall: Timestamp) -> Self {
        Self { moment, wall, server: None }
    }

    /// A response that is being received now.
    #[must_use]
    pub fn now(clock: &impl Clock) -> Self {
        Self::new(clock.monotonic(), clock.wall())
    }

    /// Adds the response's `Date` and the lines of its `Age`, of which there may be none.
    ///
    /// A malformed `Date` is ignored, like one that is not there. A malformed or saturated `Age` is ignored; of several
    /// the smallest counts, which makes the longer wait.
    #[must_use]
    pub fn with_date<'a>(self, date: &[u8], age_lines: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let date = HttpDate::parse(trim(date), self.wall).ok();
        let server = date.map(|date| date.timestamp().saturating_add(Duration::from_secs(age(age_lines))));
        Self { server, ..self }
    }

    /// The moment of receipt.
    #[must_use]
    pub const fn moment(&self) -> Moment {
        self.moment
    }

    /// The local wall clock at receipt.
    #[must_use]
    pub const fn wall(&self) -> Timestamp {
        self.wall
    }

    /// The server's clock at receipt, `Date` plus `Age`, if the response has a `Date`.
    #[must_use]
    pub const fn server_time(&self) -> Option<Timestamp> {
        self.server
    }

    /// The server's clock minus the local one, if the response has a `Date`. For diagnostics: no wait depends on it.
    #[must_use]
    pub fn skew(&self) -> Option<Offset> {
        self.server.map(|server| server.offset_from(self.wall))
    }

    /// The time a date of this response is compared with.
    fn reference(&self) -> (Timestamp, Basis) {
        match self.server {
            Some(server) => (server, Basis::ServerDate),
            None => (self.wall, Basis::LocalClock),
        }
    }
}

/// What a hint counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// A delay, from the receipt of the response.
    Receipt,
    /// A date, compared with the response's own `Date` plus `Age`.
    ServerDate,
    /// A date, compared with the local wall clock at receipt, for want of a `Date`.
    LocalClock,
}

/// How a hint came by its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tense {
    /// It is a delay.
    Delay,
    /// It is a date to come.
    Future,
    /// It is a date that is not to come, which makes a hint of zero.
    Past {
        /// How long ago it was at receipt, by the clock it is compared with; zero for right now.
        ago: Duration,
    },
}

/// A server's request to stay away: from the receipt of the response, for this long.
///
/// It is a lower bound, and no permission: whether an operation may be repeated at all is not the server's to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hint {
    receipt: Receipt,
    delay: Duration,
    basis: Basis,
    tense: Tense,
}

impl Hint {
    /// What a value means for a response received then.
    ///
    /// ```
    /// use retry_after_core::{Basis, Hint, Moment, Receipt, RetryAfter, Timestamp};
    /// use std::time::Duration;
    ///
    /// // The local clock is five minutes slow; the response's own Date cancels that.
    /// let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(1_796_034_600))
    ///     .with_date(b"Mon, 30 Nov 2026 10:35:00 GMT", []);
    /// let value = RetryAfter::parse(b"Mon, 30 Nov 2026 10:36:30 GMT", receipt.wall())?;
    /// let hint = Hint::new(value, receipt);
    /// assert_eq!(hint.delay(), Duration::from_secs(90));
    /// assert_eq!(hint.basis(), Basis::ServerDate);
    /// # Ok::<(), retry_after_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn new(value: RetryAfter, receipt: Receipt) -> Self {
        match value {
            RetryAfter::Delay(seconds) => {
                Self { receipt, delay: delay(seconds), basis: Basis::Receipt, tense: Tense::Delay }
            }
            RetryAfter::Date(date) => {
                let (reference, basis) = receipt.reference();
                let ahead = date.timestamp().offset_from(reference);
                let is_past = ahead.is_behind() || ahead.by().is_zero();
                let tense = if is_past { Tense::Past { ago: ahead.by() } } else { Tense::Future };
                Self { receipt, delay: ahead.ahead_or_zero(), basis, tense }
            }
        }
    }

    /// The response's receipt, from which the delay counts.
    #[must_use]
    pub const fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// How long after the receipt the client has to stay away.
    #[must_use]
    pub const fn delay(&self) -> Duration {
        self.delay
    }

    /// What it counts from.
    #[must_use]
    pub const fn basis(&self) -> Basis {
        self.basis
    }

    /// Whether it is a delay, a date to come or one that is past.
    #[must_use]
    pub const fn tense(&self) -> Tense {
        self.tense
    }

    /// The server's clock minus the local one, if the response has a `Date`.
    #[must_use]
    pub fn skew(&self) -> Option<Offset> {
        self.receipt.skew()
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", Seconds(self.delay))?;
        match self.tense {
            Tense::Delay => formatter.write_str(" from receipt, a delay")?,
            Tense::Future => write!(formatter, " from receipt, a date compared with {}", self.basis)?,
            Tense::Past { ago } => {
                write!(formatter, ", a date that was past by {}, compared with {}", Seconds(ago), self.basis)?;
            }
        }
        match self.skew() {
            Some(skew) if !skew.by().is_zero() => {
                write!(
                    formatter,
                    "; the server's clock is {skew}{} the local one",
                    if skew.is_behind() { "" } else { " of" }
                )
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Receipt => "the receipt",
            Self::ServerDate => "the response's own Date and Age",
            Self::LocalClock => "the local clock",
        })
    }
}

/// What all `Retry-After` lines of a response come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    outcome: Outcome,
    receipt: Receipt,
    value: Option<RetryAfter>,
    line: usize,
    conflict: bool,
}

/// Whether there is a hint, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The response has no such line.
    Absent,
    /// No line is well-formed; the error is the first line's. Means the same as no line at all.
    Malformed(ParseError),
    /// The longest of the well-formed lines.
    Hint(Hint),
}

impl Reading {
    /// Reads the `Retry-After` lines of a response in their order.
    ///
    /// Of several, the longest well-formed one binds; of equal ones the first.
    ///
    /// ```
    /// use retry_after_core::{Moment, Reading, Receipt, Timestamp};
    /// use std::time::Duration;
    ///
    /// let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(1_796_034_600));
    /// let reading = Reading::new([b"30".as_slice(), b"soon", b"120"], receipt);
    /// assert_eq!(reading.hint().unwrap().delay(), Duration::from_secs(120));
    /// assert_eq!(reading.line(), 2);
    /// assert!(reading.is_conflict());
    /// ```
    #[must_use]
    pub fn new<'a>(lines: impl IntoIterator<Item = &'a [u8]>, receipt: Receipt) -> Self {
        let mut reading = Self { outcome: Outcome::Absent, receipt, value: None, line: 0, conflict: false };
        let mut first = None;
        let (now, _) = receipt.reference();
        for (number, line) in lines.into_iter().enumerate() {
            let text = trim(line);
            reading.conflict |= *first.get_or_insert(text) != text;
            match (RetryAfter::parse(line, now), reading.outcome) {
                (Err(error), Outcome::Absent) => reading.outcome = Outcome::Malformed(error),
                (Err(_), _) => {}
                (Ok(value), outcome) => {
                    let hint = Hint::new(value, receipt);
                    if !matches!(outcome, Outcome::Hint(longest) if longest.delay >= hint.delay) {
                        reading = Self { outcome: Outcome::Hint(hint), value: Some(value), line: number, ..reading };
                    }
                }
            }
        }
        reading
    }

    /// Whether there is a hint, and if not, why.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The hint, if there is one.
    #[must_use]
    pub const fn hint(&self) -> Option<Hint> {
        match self.outcome {
            Outcome::Hint(hint) => Some(hint),
            Outcome::Absent | Outcome::Malformed(_) => None,
        }
    }

    /// The value of the line that binds, if there is one.
    #[must_use]
    pub const fn value(&self) -> Option<RetryAfter> {
        self.value
    }

    /// The index, from 0 on, of the line that binds, or else of the first.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Whether there are lines that differ by more than the blanks around them.
    #[must_use]
    pub const fn is_conflict(&self) -> bool {
        self.conflict
    }

    /// The response's receipt.
    #[must_use]
    pub const fn receipt(&self) -> &Receipt {
        &self.receipt
    }
}
