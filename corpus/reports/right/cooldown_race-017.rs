use std::time::Duration;
use tokio::sync::RwLock;
use tokio::time::{Instant, sleep_until};

#[derive(Default)]
pub struct Limit {
    until: RwLock<Option<Instant>>,
}

impl Limit {
    /// Holds everybody back, at least so long.
    pub async fn arm(&self, retry_after: Duration) {
        let Some(end) = Instant::now().checked_add(retry_after) else { return };
        let mut until = self.until.write().await;
        if until.is_none_or(|known| known < end) {
            *until = Some(end);
        }
    }

    /// Waits until nobody is held back any more, or says how long it would take.
    pub async fn pass(&self, patience: Duration) -> Result<(), Duration> {
        loop {
            let Some(end) = *self.until.read().await else { return Ok(()) };
            let left = end.saturating_duration_since(Instant::now());
            if left > patience {
                return Err(left);
            }
            sleep_until(end).await;
            let mut until = self.until.write().await;
            if *until == Some(end) {
                *until = None;
                return Ok(());
            }
        }
    }
}
