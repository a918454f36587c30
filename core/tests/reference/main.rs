//! The reference against facts: vectors, the calendar, and the ten statements of what is right.

mod calendar;
mod properties;
mod random;
mod statements;
mod vectors;
mod waiting;

use std::time::Duration;

use retry_after_core::{Moment, Timestamp};

/// Monday, 30 November 2026, 10:30:00 GMT: the "now" of the vectors.
const NOW: i64 = 1_796_034_600;

fn now() -> Timestamp {
    Timestamp::from_unix(NOW)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn moment(seconds: u64) -> Moment {
    Moment::from_origin(Duration::from_secs(seconds))
}
