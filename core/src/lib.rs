//! What an HTTP `Retry-After` value means, and how long a client has to wait because of it (RFC 9110, section 10.2.3).
//!
//! `Retry-After` is a lower bound: the client must not come back sooner. This crate reads the value in all its forms and
//! computes a wait that is never shorter than what the server asked for.
//!
//! ```text
//! bytes -> RetryAfter -> Hint -> Decision -> wait
//! ```
//!
//! - [`RetryAfter`] is what a value says: a delay or a date. A malformed value is a [`ParseError`], never zero.
//! - [`Hint`] is what it means for one response: the [`Receipt`] and a duration. [`Reading`] makes it from all lines.
//! - [`Decision`] is what a client does, given its own [`Schedule`]: wait, or defer until when and why.
//! - [`Wait::run`] carries it out, by the monotonic clock, and can be cancelled.
//!
//! ```
//! use retry_after_core::{Decision, Reading, Receipt, Repeatable, Schedule, Cancellation, Clock, ManualClock, Timestamp, Waited};
//! use std::time::Duration;
//!
//! let clock = ManualClock::new(Timestamp::from_unix(1_796_034_600));
//! // On receipt of a 503:
//! let receipt = Receipt::now(&clock).with_date(b"Mon, 30 Nov 2026 10:30:00 GMT", []);
//! let reading = Reading::new([b"Mon, 30 Nov 2026 10:31:30 GMT".as_slice()], receipt);
//!
//! let schedule = Schedule::new(Duration::from_secs(8)).with_limit(Duration::from_secs(3600));
//! match schedule.decide(&reading, clock.monotonic(), Repeatable::Idempotent) {
//!     Decision::Wait(wait) => assert_eq!(wait.run(&clock, &Cancellation::new()), Waited::Completed),
//!     Decision::Defer(deferral) => panic!("{deferral}"),
//! }
//! assert_eq!(clock.wall(), Timestamp::from_unix(1_796_034_690));
//! ```
//!
//! It has no dependency. Reading and deciding allocate nothing and need no `std`; without the feature `std`, which is on by
//! default, only the clocks and the wait itself are missing. No input panics or overflows: what cannot be represented
//! becomes the longest there is.

#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod clock;
mod date;
mod error;
mod hint;
mod parse;
mod schedule;
#[cfg(feature = "sources")]
#[doc(hidden)]
pub mod sources;
#[cfg(feature = "std")]
mod wait;

pub use clock::{Clock, Moment, Offset, Timestamp};
#[cfg(feature = "std")]
pub use clock::{Event, ManualClock, SystemClock};
pub use date::{DateForm, HttpDate};
pub use error::{ErrorKind, ParseError, Part};
pub use hint::{Basis, Hint, Outcome, Reading, Receipt, Tense};
pub use parse::RetryAfter;
pub use schedule::{Decision, DeferReason, Deferral, Jitter, Repeatable, Schedule, Wait};
#[cfg(feature = "std")]
pub use wait::{Cancellation, Pause, Waited};

/// The examples of the README are tested like those of the documentation.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
