use std::time::Duration;

pub struct Opts {
    pub backoff_limit: Duration,
    pub max_retry_after: Duration,
}

impl Default for Opts {
    fn default() -> Self {
        Opts { backoff_limit: Duration::from_secs(5), max_retry_after: Duration::from_secs(3600) }
    }
}

/// The pause before the next attempt; `None` ends the attempts.
pub fn pause(opts: &Opts, own: Duration, hint: Option<Duration>) -> Option<Duration> {
    let own = own.min(opts.backoff_limit);
    let pause = hint.map_or(own, |hint| hint.max(own));
    (pause <= opts.max_retry_after).then_some(pause)
}
