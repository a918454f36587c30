use http::header::{DATE, RETRY_AFTER};
use std::time::{Duration, Instant, SystemTime};

pub struct Backoff {
    pub start: Instant,
    pub span: Duration,
}

pub fn set_backoff(headers: &http::HeaderMap) -> Backoff {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let date = |value| httpdate::parse_http_date(value).ok();
    let span = text(RETRY_AFTER).and_then(|value| {
        value.parse().map(Duration::from_secs).ok().or_else(|| {
            let now = text(DATE).and_then(date).unwrap_or_else(SystemTime::now);
            date(value).map(|at| at.duration_since(now).unwrap_or_default())
        })
    });
    Backoff { start: Instant::now(), span: span.unwrap_or_default().max(Duration::from_secs(1)) }
}
