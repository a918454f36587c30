use http::HeaderMap;
use std::time::Duration;

pub fn adjust(meta: &HeaderMap, own: Duration) -> Duration {
    let hint = meta
        .get("retry-after-ms")
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse().ok())
        .map(Duration::from_millis);
    match hint {
        Some(hint) => own.max(hint),
        None => own,
    }
}
