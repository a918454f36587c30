use http::{HeaderMap, StatusCode, header};
use std::time::{Duration, SystemTime};

pub fn hint(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !resend(status) {
        return None;
    }
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    match text.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => {
            let sent = headers.get(header::DATE).and_then(|sent| httpdate::parse_http_date(sent.to_str().ok()?).ok());
            let now = sent.unwrap_or_else(SystemTime::now);
            Some(httpdate::parse_http_date(text).ok()?.duration_since(now).unwrap_or_default())
        }
    }
}

pub fn resend(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 503)
}
