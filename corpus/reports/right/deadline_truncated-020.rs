use std::time::{Duration, Instant};

pub struct Budget {
    pub end: Instant,
}

impl Budget {
    /// Waits, or says at once that the wait would outlast the budget.
    pub async fn wait(&self, retry_after: Duration) -> bool {
        let left = self.end.saturating_duration_since(Instant::now());
        if retry_after >= left {
            return false;
        }
        tokio::time::sleep(retry_after).await;
        true
    }
}
