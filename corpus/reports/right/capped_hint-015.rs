use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub enum SendError {
    RateLimited { retry_after: Duration },
    Exhausted,
    Transport(reqwest::Error),
}

fn server_time(headers: &HeaderMap) -> SystemTime {
    headers
        .get(DATE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| httpdate::parse_http_date(value).ok())
        .unwrap_or_else(SystemTime::now)
}

fn asked(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(server_time(headers)).unwrap_or(Duration::ZERO))
}

pub async fn send(client: &reqwest::Client, url: &str, attempts: u32) -> Result<reqwest::Response, SendError> {
    let mut backoff = Duration::from_millis(500);
    for attempt in 1..=attempts {
        let response = client.get(url).send().await.map_err(SendError::Transport)?;
        if !matches!(response.status().as_u16(), 429 | 503) {
            return Ok(response);
        }
        let wait = backoff.max(asked(response.headers()).unwrap_or_default());
        if wait > LONGEST {
            return Err(SendError::RateLimited { retry_after: wait });
        }
        if attempt < attempts {
            tokio::time::sleep(wait).await;
            backoff *= 2;
        }
    }
    Err(SendError::Exhausted)
}
