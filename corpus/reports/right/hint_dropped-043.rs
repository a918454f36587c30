use reqwest::{Client, Response, StatusCode};
use std::time::{Duration, SystemTime};

#[derive(Debug, thiserror::Error)]
pub enum SdkError {
    #[error("rate limited: {message}")]
    RateLimit { message: String, retry_after: Option<Duration> },
    #[error("unavailable")]
    Unavailable { retry_after: Option<Duration> },
    #[error(transparent)]
    Http(#[from] reqwest::Error),
}

fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(reqwest::header::RETRY_AFTER)?.to_str().ok()?;
    value.parse::<u64>().map(Duration::from_secs).ok().or_else(|| {
        let at = httpdate::parse_http_date(value).ok()?;
        let date = response.headers().get(reqwest::header::DATE).and_then(|date| date.to_str().ok());
        let now = date.and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or_else(SystemTime::now);
        Some(at.duration_since(now).unwrap_or(Duration::ZERO))
    })
}

pub async fn call(client: &Client, url: &str) -> Result<String, SdkError> {
    let response = client.get(url).send().await?;
    let retry_after = retry_after(&response);
    match response.status() {
        StatusCode::TOO_MANY_REQUESTS => {
            let message = response.text().await.unwrap_or_default();
            Err(SdkError::RateLimit { message, retry_after })
        }
        StatusCode::SERVICE_UNAVAILABLE => Err(SdkError::Unavailable { retry_after }),
        _ => Ok(response.error_for_status()?.text().await?),
    }
}
