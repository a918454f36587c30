use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use std::time::{Duration, SystemTime};

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

pub fn pause(headers: &HeaderMap) -> Option<Duration> {
    let raw = text(headers, RETRY_AFTER)?;
    let digits = !raw.is_empty() && raw.bytes().all(|b| b.is_ascii_digit());
    if digits {
        // More digits than fit are a very long time.
        return Some(raw.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let at = httpdate::parse_http_date(raw).ok()?;
    let now = text(headers, DATE).and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or_else(SystemTime::now);
    at.duration_since(now).ok().or(Some(Duration::ZERO))
}
