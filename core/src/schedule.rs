//! The decision: wait how long, or defer until when and why.
//!
//! ```text
//! bound     = max(hint, backoff)               both from receipt; without a hint, the backoff
//! Defer     if hint > limit                    permitted at receipt + bound, because of the limit
//! Defer     if max(bound, elapsed) >= deadline permitted at receipt + bound, because of the deadline
//! Wait      until receipt + bound + jitter     jitter never negative, and short enough to start before the deadline
//! ```
//!
//! Neither limit nor deadline ever shortens a wait. The wait is computed once, and nothing but the monotonic clock
//! decides when it is over.

use core::fmt;
use core::time::Duration;

use crate::clock::{Moment, Seconds};
use crate::hint::{Hint, Outcome, Reading};

/// The client's side: its own backoff, jitter, limit and deadline, all from the receipt of the response.
///
/// ```
/// use retry_after_core::{Decision, DeferReason, Moment, Reading, Receipt, Repeatable, Schedule, Timestamp};
/// use std::time::Duration;
///
/// // The server asks for 30 s, the own backoff is 8 s, and 12 s of the task remain.
/// let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(1_796_034_600));
/// let reading = Reading::new([b"30".as_slice()], receipt);
/// let schedule = Schedule::new(Duration::from_secs(8)).with_deadline(Duration::from_secs(12));
///
/// let Decision::Defer(deferral) = schedule.decide(&reading, receipt.moment(), Repeatable::Idempotent) else {
///     panic!("no retry at 12 s");
/// };
/// assert_eq!(deferral.permitted_after(), Duration::from_secs(30));
/// assert_eq!(deferral.reason(), DeferReason::Deadline);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Schedule {
    backoff: Duration,
    jitter: Jitter,
    limit: Option<Duration>,
    deadline: Option<Duration>,
}

impl Schedule {
    /// A schedule with this backoff, the wait that the client would do of its own accord, and nothing else.
    ///
    /// A zero backoff permits what a zero hint must not be: an immediate retry.
    pub const fn new(backoff: Duration) -> Self {
        Self { backoff, jitter: Jitter::NONE, limit: None, deadline: None }
    }

    /// Adds jitter, which only lengthens a wait.
    pub const fn with_jitter(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// Adds a limit: a longer hint defers, so that a wrong date cannot block a worker for days.
    pub const fn with_limit(self, limit: Duration) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Adds a deadline, from receipt: a retry starts strictly before it or not at all.
    pub const fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Decides at `now`, a moment of the clock that the receipt was taken from.
    ///
    /// A hint grants no permission: that the operation may be repeated is for the caller to state, by `_repeatable`.
    pub fn decide(&self, reading: &Reading, now: Moment, _repeatable: Repeatable) -> Decision {
        let hint = reading.hint();
        let bound = hint.map_or(self.backoff, |hint| hint.delay().max(self.backoff));
        let receipt = reading.receipt().moment();
        let grounds = Grounds { reading: *reading, backoff: self.backoff };

        if let (Some(hint), Some(limit)) = (hint, self.limit) {
            if hint.delay() > limit {
                let reason = DeferReason::Limit;
                return Decision::Defer(Deferral { receipt, permitted: bound, reason, boundary: limit, grounds });
            }
        }
        let mut jitter = self.jitter;
        if let Some(deadline) = self.deadline {
            if bound.max(now.saturating_since(receipt)) >= deadline {
                let reason = DeferReason::Deadline;
                return Decision::Defer(Deferral { receipt, permitted: bound, reason, boundary: deadline, grounds });
            }
            jitter.most = jitter.most.min(deadline.saturating_sub(bound));
        }
        Decision::Wait(Wait { receipt, bound, jitter: jitter.amount(), grounds })
    }
}

/// The caller's statement that the operation may be sent again (RFC 9110, section 9.2.2).
///
/// There is no third variant: an operation that may not be repeated has no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repeatable {
    /// Sending it twice does what sending it once does.
    Idempotent,
    /// It is not idempotent, and the caller answers for sending it again: it knows, for instance, that the first one was
    /// never applied.
    CallerAccepts,
}

/// Additional waiting at random, so that many clients do not come back at once.
///
/// The randomness is the caller's: one draw for each wait, uniform over all of `u64`.
///
/// ```
/// use retry_after_core::Jitter;
/// use std::time::Duration;
///
/// let most = Duration::from_secs(10);
/// assert_eq!(Jitter::new(most, 0).amount(), Duration::ZERO);
/// assert_eq!(Jitter::new(most, u64::MAX / 2 + 1).amount(), Duration::from_secs(5));
/// assert!(Jitter::new(most, u64::MAX).amount() < most);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jitter {
    most: Duration,
    draw: u64,
}

impl Jitter {
    /// No jitter.
    pub const NONE: Self = Self { most: Duration::ZERO, draw: 0 };

    /// Jitter below `most`, of which `draw` chooses how much.
    #[must_use]
    pub const fn new(most: Duration, draw: u64) -> Self {
        Self { most, draw }
    }

    /// How much it is: `most` times `draw` over 2^64, rounded down, so that it is below `most` where that is not zero.
    ///
    /// The upper half of the draw is what counts.
    #[must_use]
    pub const fn amount(self) -> Duration {
        const NANOSECONDS: u128 = 1_000_000_000;
        // A duration has less than 94 bits of nanoseconds, and the draw adds 32.
        let amount = (self.most.as_nanos() * (self.draw >> 32) as u128) >> 32;
        #[allow(clippy::cast_possible_truncation)] // Not longer than `most`, which is a Duration.
        let amount = Duration::new((amount / NANOSECONDS) as u64, (amount % NANOSECONDS) as u32);
        amount
    }
}

/// What to do about a response that asks to be retried later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Decision {
    /// Wait, then retry.
    Wait(Wait),
    /// Do not wait here. Give the task back with the time from which it is permitted, and retry then or never.
    Defer(Deferral),
}

/// A wait, as a span from the receipt of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wait {
    receipt: Moment,
    bound: Duration,
    jitter: Duration,
    grounds: Grounds,
}

impl Wait {
    /// The moment of receipt, from which the wait counts.
    #[must_use]
    pub const fn receipt(&self) -> Moment {
        self.receipt
    }

    /// The lower bound, from receipt: the longer one of hint and backoff.
    #[must_use]
    pub const fn bound(&self) -> Duration {
        self.bound
    }

    /// What jitter adds to the bound.
    #[must_use]
    pub const fn jitter(&self) -> Duration {
        self.jitter
    }

    /// All of it, from receipt: bound and jitter.
    #[must_use]
    pub const fn from_receipt(&self) -> Duration {
        self.bound.saturating_add(self.jitter)
    }

    /// What is left of it at `now`; zero when it is over.
    ///
    /// ```
    /// use retry_after_core::{Decision, Moment, Reading, Receipt, Repeatable, Schedule, Timestamp};
    /// use std::time::Duration;
    ///
    /// let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(0));
    /// let now = receipt.moment().saturating_add(Duration::from_secs(3));
    /// let reading = Reading::new([b"30".as_slice()], receipt);
    /// let decision = Schedule::new(Duration::from_secs(8)).decide(&reading, now, Repeatable::Idempotent);
    /// let Decision::Wait(wait) = decision else { panic!("nothing defers it") };
    /// assert_eq!(wait.remaining(now), Duration::from_secs(27));
    /// ```
    #[must_use]
    pub const fn remaining(&self, now: Moment) -> Duration {
        // A clock that shows less than at receipt is ahead of it by that much.
        let until_receipt = self.receipt.saturating_since(now);
        self.from_receipt().saturating_add(until_receipt).saturating_sub(now.saturating_since(self.receipt))
    }

    /// The hint, if there is one.
    #[must_use]
    pub const fn hint(&self) -> Option<Hint> {
        self.grounds.reading.hint()
    }
}

/// A retry that has to happen elsewhere or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deferral {
    receipt: Moment,
    permitted: Duration,
    reason: DeferReason,
    boundary: Duration,
    grounds: Grounds,
}

impl Deferral {
    /// The moment of receipt, from which the permission counts.
    #[must_use]
    pub const fn receipt(&self) -> Moment {
        self.receipt
    }

    /// From how long after receipt on a retry is permitted: the longer one of hint and backoff.
    #[must_use]
    pub const fn permitted_after(&self) -> Duration {
        self.permitted
    }

    /// From which moment on a retry is permitted, as far as the clock reaches.
    #[must_use]
    pub const fn permitted_at(&self) -> Moment {
        self.receipt.saturating_add(self.permitted)
    }

    /// Why there is no wait.
    #[must_use]
    pub const fn reason(&self) -> DeferReason {
        self.reason
    }

    /// The hint, if there is one.
    #[must_use]
    pub const fn hint(&self) -> Option<Hint> {
        self.grounds.reading.hint()
    }
}

/// Why a retry is deferred. Where both apply, it is the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeferReason {
    /// The hint is longer than the limit on hints.
    Limit,
    /// The retry could not start before the deadline.
    Deadline,
}

/// What a decision rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Grounds {
    reading: Reading,
    backoff: Duration,
}

impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait(wait) => wait.fmt(formatter),
            Self::Defer(deferral) => deferral.fmt(formatter),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "wait until {} after receipt", Seconds(self.from_receipt()))?;
        if !self.jitter.is_zero() {
            write!(formatter, ", of which jitter adds {}", Seconds(self.jitter))?;
        }
        write!(formatter, " ({})", self.grounds)
    }
}

impl fmt::Display for Deferral {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permitted = Seconds(self.permitted);
        let boundary = Seconds(self.boundary);
        match self.reason {
            DeferReason::Limit => {
                write!(
                    formatter,
                    "defer, permitted {permitted} after receipt: the hint is above the limit of {boundary}"
                )?;
            }
            DeferReason::Deadline => write!(
                formatter,
                "defer, permitted {permitted} after receipt: no retry can start before the deadline of {boundary}"
            )?,
        }
        write!(formatter, " ({})", self.grounds)
    }
}

impl fmt::Display for Grounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reading.outcome() {
            Outcome::Absent => formatter.write_str("no hint")?,
            Outcome::Malformed(error) => write!(formatter, "no hint, the value is malformed: {error}")?,
            Outcome::Hint(hint) => write!(formatter, "hint {hint}")?,
        }
        write!(formatter, "; own backoff {}", Seconds(self.backoff))
    }
}
