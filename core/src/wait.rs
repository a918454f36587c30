//! Carries out a wait. This is the only place of the crate that sleeps, and what it sleeps by is the monotonic clock.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::{Clock, ManualClock, SystemClock};
use crate::schedule::Wait;

/// A request to stop waiting, shared by all its clones.
///
/// ```
/// use retry_after_core::Cancellation;
///
/// let cancellation = Cancellation::new();
/// let elsewhere = cancellation.clone();
/// elsewhere.cancel();
/// assert!(cancellation.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    shared: Arc<(Mutex<bool>, Condvar)>,
}

impl Cancellation {
    /// One that has not been requested.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends all waits under it at once, those to come too.
    pub fn cancel(&self) {
        *self.state() = true;
        self.shared.1.notify_all();
    }

    /// Whether it has been requested.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.state()
    }

    fn state(&self) -> MutexGuard<'_, bool> {
        // A bool is whole whatever became of the thread that held it.
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clock that can let time go by.
pub trait Pause: Clock {
    /// Returns after `at_most` this long, at once on a cancellation, and earlier for any other reason if it likes to.
    fn pause(&self, at_most: Duration, cancellation: &Cancellation);
}

impl Pause for SystemClock {
    fn pause(&self, at_most: Duration, cancellation: &Cancellation) {
        let cancelled = cancellation.state();
        if !*cancelled {
            // The guard and whether it timed out are of no interest: the caller looks at the clock and the cancellation.
            drop(cancellation.shared.1.wait_timeout(cancelled, at_most));
        }
    }
}

impl Pause for ManualClock {
    fn pause(&self, at_most: Duration, _cancellation: &Cancellation) {
        self.advance_to_next_event(self.monotonic().saturating_add(at_most));
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Waited {
    /// In full: the retry may start.
    Completed,
    /// By a cancellation: the retry may not start.
    Cancelled {
        /// What was left of the wait.
        remaining: Duration,
    },
}

impl Wait {
    /// Blocks until the wait is over or cancelled.
    ///
    /// Setting the wall clock meanwhile changes nothing. A cancellation that comes when the wait is already over, with
    /// nothing remaining, still means that the retry may not start.
    ///
    /// ```
    /// use retry_after_core::{
    ///     Cancellation, Clock, Decision, Event, ManualClock, Moment, Reading, Receipt, Repeatable, Schedule, Timestamp, Waited,
    /// };
    /// use std::time::Duration;
    ///
    /// let clock = ManualClock::new(Timestamp::from_unix(1_796_034_600));
    /// let reading = Reading::new([b"30".as_slice()], Receipt::now(&clock));
    /// let decision = Schedule::new(Duration::from_secs(8)).decide(&reading, clock.monotonic(), Repeatable::Idempotent);
    /// let Decision::Wait(wait) = decision else { panic!("nothing defers it") };
    ///
    /// // Somebody sets the wall clock to tomorrow while the wait lasts.
    /// clock.plan(Moment::from_origin(Duration::from_secs(5)), Event::SetWall(Timestamp::from_unix(1_796_121_000)));
    /// assert_eq!(wait.run(&clock, &Cancellation::new()), Waited::Completed);
    /// assert_eq!(clock.monotonic(), Moment::from_origin(Duration::from_secs(30)));
    /// ```
    pub fn run(&self, clock: &impl Pause, cancellation: &Cancellation) -> Waited {
        loop {
            let remaining = self.remaining(clock.monotonic());
            if cancellation.is_cancelled() {
                return Waited::Cancelled { remaining };
            }
            if remaining.is_zero() {
                return Waited::Completed;
            }
            clock.pause(remaining, cancellation);
        }
    }
}
