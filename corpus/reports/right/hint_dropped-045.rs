use std::time::{Duration, SystemTime};

pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
    /// How long the server asks to be left alone, from the receipt of this reply.
    pub retry_after: Option<Duration>,
}

impl From<(http::response::Parts, Vec<u8>)> for Reply {
    fn from((parts, body): (http::response::Parts, Vec<u8>)) -> Self {
        let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let date = |value: &str| httpdate::parse_http_date(value).ok();
        let retry_after = text(http::header::RETRY_AFTER).and_then(|value| match value.parse::<u64>() {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(_) => {
                let now = text(http::header::DATE).and_then(date).unwrap_or_else(SystemTime::now);
                date(value).map(|at| at.duration_since(now).unwrap_or_default())
            }
        });
        Reply { status: parts.status.as_u16(), body, retry_after }
    }
}

/// How long to wait before the next attempt; `None` where there should be none.
pub fn delay(reply: &Reply, tries: u32, limit: Duration) -> Option<Duration> {
    if !matches!(reply.status, 429 | 503) {
        return None;
    }
    let own = Duration::from_secs(2 << tries.min(5));
    let wait = reply.retry_after.map_or(own, |hint| hint.max(own));
    (wait <= limit).then_some(wait)
}
