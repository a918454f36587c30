//! The two clocks: a monotonic one to wait by, and a wall clock to compare dates with.
//!
//! Everything else in this crate takes "now" as an argument; only a [`Clock`] reads one. Both types of time are plain
//! data, so that they exist without `std` and a test can name any of them.

use core::fmt;
use core::time::Duration;

/// A moment on a monotonic clock: the time since that clock's origin, which is arbitrary.
///
/// Moments of two clocks cannot be compared. The wall clock plays no part in it, so that setting that one changes no wait.
///
/// ```
/// use retry_after_core::Moment;
/// use std::time::Duration;
///
/// let receipt = Moment::from_origin(Duration::from_secs(100));
/// let now = Moment::from_origin(Duration::from_secs(103));
/// assert_eq!(now.saturating_since(receipt), Duration::from_secs(3));
/// assert_eq!(receipt.saturating_since(now), Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(Duration);

impl Moment {
    /// The moment that lies this long after the clock's origin.
    #[must_use]
    pub const fn from_origin(since: Duration) -> Self {
        Self(since)
    }

    /// The time since the clock's origin.
    #[must_use]
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// The time that went by since `earlier`, or zero if that is later.
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment that lies this much later, or the last one there is.
    #[must_use]
    pub const fn saturating_add(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }
}

/// A time of the wall clock: seconds and nanoseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    // The order of the fields is the order of time.
    seconds: i64,
    nanoseconds: u32,
}

impl Timestamp {
    /// A whole number of seconds since 1970, negative before.
    #[must_use]
    pub const fn from_unix(seconds: i64) -> Self {
        Self { seconds, nanoseconds: 0 }
    }

    /// Seconds since 1970 and, always forward from there, nanoseconds; those above 999 999 999 count as that many.
    ///
    /// ```
    /// use retry_after_core::Timestamp;
    ///
    /// // Half a second before 1970.
    /// assert_eq!(Timestamp::new(-1, 500_000_000).unix_seconds(), -1);
    /// assert_eq!(Timestamp::new(0, u32::MAX).subsecond_nanoseconds(), 999_999_999);
    /// ```
    #[must_use]
    pub const fn new(seconds: i64, nanoseconds: u32) -> Self {
        Self { seconds, nanoseconds: if nanoseconds > 999_999_999 { 999_999_999 } else { nanoseconds } }
    }

    /// Seconds since 1970, rounded down.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// The nanoseconds past [`unix_seconds`](Self::unix_seconds), below 1 000 000 000.
    #[must_use]
    pub const fn subsecond_nanoseconds(self) -> u32 {
        self.nanoseconds
    }

    /// The time this much later, or the last one there is.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let nanoseconds = self.nanoseconds + duration.subsec_nanos();
        let carry = i64::from(nanoseconds / 1_000_000_000);
        let seconds = self.seconds.saturating_add_unsigned(duration.as_secs()).saturating_add(carry);
        Self { seconds, nanoseconds: nanoseconds % 1_000_000_000 }
    }

    /// How far this time is ahead of `other`, or behind it.
    #[must_use]
    pub fn offset_from(self, other: Self) -> Offset {
        let behind = self < other;
        let (late, early) = if behind { (other, self) } else { (self, other) };
        // Two i64 are at most u64::MAX apart, and the later one has at least a second more where it borrows.
        let borrow = late.nanoseconds < early.nanoseconds;
        let seconds = late.seconds.abs_diff(early.seconds) - u64::from(borrow);
        let nanoseconds = late.nanoseconds + if borrow { 1_000_000_000 } else { 0 } - early.nanoseconds;
        Offset { behind, by: Duration::new(seconds, nanoseconds) }
    }
}

#[cfg(feature = "std")]
impl From<std::time::SystemTime> for Timestamp {
    /// Any time of the system, before 1970 too; what an `i64` of seconds cannot hold becomes the nearest it can.
    fn from(time: std::time::SystemTime) -> Self {
        match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => Self::from_unix(0).saturating_add(after),
            Err(error) => {
                let before = error.duration();
                let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
                match before.subsec_nanos() {
                    0 => Self::from_unix(-seconds),
                    nanoseconds => Self { seconds: -seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds },
                }
            }
        }
    }
}

/// The signed difference of two times.
///
/// As a *skew* it is the server's clock minus the local one at receipt: ahead means that the local clock is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offset {
    behind: bool,
    by: Duration,
}

impl Offset {
    /// Whether the first time is the earlier one.
    #[must_use]
    pub const fn is_behind(self) -> bool {
        self.behind
    }

    /// The size of the difference.
    #[must_use]
    pub const fn by(self) -> Duration {
        self.by
    }

    /// The difference if the first time is not the earlier one, else zero.
    #[must_use]
    pub const fn ahead_or_zero(self) -> Duration {
        if self.behind {
            Duration::ZERO
        } else {
            self.by
        }
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", Seconds(self.by), if self.behind { "behind" } else { "ahead" })
    }
}

/// A duration as exact decimal seconds, such as `1.5 s`.
pub(crate) struct Seconds(pub(crate) Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.as_secs())?;
        let mut rest = self.0.subsec_nanos();
        if rest > 0 {
            formatter.write_str(".")?;
            let mut unit = 100_000_000;
            while rest > 0 {
                write!(formatter, "{}", rest / unit)?;
                rest %= unit;
                unit /= 10;
            }
        }
        formatter.write_str(" s")
    }
}

/// A source of both times.
pub trait Clock {
    /// Now, by a clock that never goes back and that nobody sets.
    fn monotonic(&self) -> Moment;

    /// Now, by the wall clock, which may be wrong and may jump.
    fn wall(&self) -> Timestamp;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn monotonic(&self) -> Moment {
        (**self).monotonic()
    }

    fn wall(&self) -> Timestamp {
        (**self).wall()
    }
}

/// The clocks of the operating system.
///
/// The monotonic clock's origin is the creation of this value; copies share it.
/// Where the system stops that clock while the machine sleeps, a wait lasts longer by that time, never shorter.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    origin: std::time::Instant,
}

#[cfg(feature = "std")]
impl SystemClock {
    /// A clock whose origin is now.
    #[must_use]
    pub fn new() -> Self {
        Self { origin: std::time::Instant::now() }
    }
}

#[cfg(feature = "std")]
impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
impl Clock for SystemClock {
    fn monotonic(&self) -> Moment {
        Moment::from_origin(self.origin.elapsed())
    }

    fn wall(&self) -> Timestamp {
        std::time::SystemTime::now().into()
    }
}

/// A clock that moves only when told to, so that two runs of a test are equal.
///
/// Pausing on it takes no time: it moves ahead by the pause, and what was planned for moments on the way happens there.
///
/// ```
/// use retry_after_core::{Clock, ManualClock, Moment, Timestamp};
/// use std::time::Duration;
///
/// let clock = ManualClock::new(Timestamp::from_unix(1_000));
/// clock.advance(Duration::from_secs(5));
/// assert_eq!(clock.monotonic(), Moment::from_origin(Duration::from_secs(5)));
/// assert_eq!(clock.wall(), Timestamp::from_unix(1_005));
///
/// clock.set_wall(Timestamp::from_unix(0));
/// assert_eq!(clock.monotonic(), Moment::from_origin(Duration::from_secs(5)));
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct ManualClock {
    state: std::sync::Mutex<Manual>,
}

/// Something planned for a moment of a [`ManualClock`].
#[cfg(feature = "std")]
#[derive(Clone, Debug)]
pub enum Event {
    /// Somebody sets the wall clock.
    SetWall(Timestamp),
    /// Somebody cancels.
    Cancel(crate::wait::Cancellation),
}

#[cfg(feature = "std")]
#[derive(Debug)]
struct Manual {
    monotonic: Moment,
    wall: Timestamp,
    planned: Vec<(Moment, Event)>,
}

#[cfg(feature = "std")]
impl ManualClock {
    /// A clock at its origin, whose wall clock shows this time.
    #[must_use]
    pub fn new(wall: Timestamp) -> Self {
        Self { state: std::sync::Mutex::new(Manual { monotonic: Moment::default(), wall, planned: Vec::new() }) }
    }

    /// Sets the wall clock, and leaves the monotonic one as it is.
    pub fn set_wall(&self, wall: Timestamp) {
        self.state().wall = wall;
    }

    /// Plans an event for a moment; one in the past happens at the next advance.
    pub fn plan(&self, moment: Moment, event: Event) {
        self.state().planned.push((moment, event));
    }

    /// Lets this much time go by on both clocks.
    pub fn advance(&self, duration: Duration) {
        let target = self.monotonic().saturating_add(duration);
        while self.advance_to_next_event(target) {}
    }

    /// Goes on to the next planned event and lets it happen, or to `target` if nothing is planned up to there.
    /// Tells whether an event happened.
    pub(crate) fn advance_to_next_event(&self, target: Moment) -> bool {
        let mut state = self.state();
        let next = (0..state.planned.len()).min_by_key(|&index| state.planned[index].0);
        let next = next.filter(|&index| state.planned[index].0 <= target);
        let moment = next.map_or(target, |index| state.planned[index].0);
        let step = moment.saturating_since(state.monotonic);
        state.monotonic = state.monotonic.saturating_add(step);
        state.wall = state.wall.saturating_add(step);
        let event = next.map(|index| state.planned.remove(index).1);
        match &event {
            Some(Event::SetWall(wall)) => state.wall = *wall,
            Some(Event::Cancel(cancellation)) => cancellation.cancel(),
            None => {}
        }
        event.is_some()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Manual> {
        // No code that may panic runs under this lock, so that a poisoned state is still a whole one.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(feature = "std")]
impl Clock for ManualClock {
    fn monotonic(&self) -> Moment {
        self.state().monotonic
    }

    fn wall(&self) -> Timestamp {
        self.state().wall
    }
}
