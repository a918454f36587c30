use std::time::{Duration, SystemTime};

pub enum Outcome {
    Ok,
    TooMany { retry_after: Option<Duration> },
}

pub fn classify(code: u16, retry_after: Option<&str>, received: SystemTime) -> Outcome {
    if !matches!(code, 429 | 503) {
        return Outcome::Ok;
    }
    let retry_after = retry_after.and_then(|value| {
        if let Ok(seconds) = value.parse::<u64>() {
            Some(Duration::from_secs(seconds))
        } else {
            let at = httpdate::parse_http_date(value).ok()?;
            Some(at.duration_since(received).unwrap_or_default())
        }
    });
    Outcome::TooMany { retry_after }
}
