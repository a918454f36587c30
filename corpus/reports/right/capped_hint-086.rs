use std::time::{Duration, SystemTime};

const LONGEST: Duration = Duration::from_secs(30);

/// What a server's answer means for this client.
pub enum Hint {
    None,
    Wait(Duration),
    TooLong(Duration),
}

impl Hint {
    pub fn from_headers(headers: &http::HeaderMap) -> Hint {
        let text = |name: http::HeaderName| headers.get(name)?.to_str().ok();
        let Some(value) = text(http::header::RETRY_AFTER) else { return Hint::None };
        let wait = if let Ok(seconds) = value.parse() {
            Duration::from_secs(seconds)
        } else if let Ok(at) = httpdate::parse_http_date(value) {
            let base = text(http::header::DATE).and_then(|date| httpdate::parse_http_date(date).ok());
            at.duration_since(base.unwrap_or_else(SystemTime::now)).unwrap_or_default()
        } else {
            return Hint::None;
        };
        if wait > LONGEST { Hint::TooLong(wait) } else { Hint::Wait(wait) }
    }
}

pub async fn gap(headers: &http::HeaderMap, own: Duration) -> Result<(), Duration> {
    let wait = match Hint::from_headers(headers) {
        Hint::None => own,
        Hint::Wait(wait) => wait.max(own),
        Hint::TooLong(wait) => return Err(wait),
    };
    tokio::time::sleep(wait).await;
    Ok(())
}
