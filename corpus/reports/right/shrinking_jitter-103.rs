use backon::{BackoffBuilder, ConstantBuilder};
use std::time::Duration;

/// Up to a tenth more than what was asked for, and never less.
pub fn interval(retry_after: u64) -> Duration {
    let hint = Duration::from_secs(retry_after);
    hint.saturating_add(Duration::from_secs_f64(0.1 * rand::random::<f64>() * 60.0))
}

pub fn plan(seconds: u64) -> impl Iterator<Item = Duration> {
    ConstantBuilder::default().with_delay(interval(seconds)).build()
}
