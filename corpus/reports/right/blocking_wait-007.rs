use chrono::{DateTime, NaiveDateTime, Utc};
use reqwest::{Client, StatusCode};
use std::time::Duration;

const FORMS: [&str; 3] = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

#[derive(Debug, thiserror::Error)]
pub enum PollError {
    #[error(transparent)]
    Transport(#[from] reqwest::Error),
    #[error("the server asks for {0:?}, which is longer than this job may take")]
    TooLong(Duration),
    #[error("{0}")]
    Status(StatusCode),
}

fn date(value: &str) -> Option<DateTime<Utc>> {
    FORMS.iter().find_map(|form| NaiveDateTime::parse_from_str(value, form).ok()).map(|date| date.and_utc())
}

fn pause(response: &reqwest::Response) -> Option<Duration> {
    let value = response.headers().get("retry-after")?.to_str().ok()?;
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let sent = response.headers().get("date").and_then(|value| date(value.to_str().ok()?)).unwrap_or_else(Utc::now);
    Some((date(value)? - sent).to_std().unwrap_or_default())
}

pub async fn poll(client: &Client, url: &str, most: Duration) -> Result<String, PollError> {
    let started = tokio::time::Instant::now();
    loop {
        let response = client.get(url).send().await?;
        match response.status() {
            StatusCode::OK => return Ok(response.text().await?),
            StatusCode::ACCEPTED | StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {}
            other => return Err(PollError::Status(other)),
        }
        let wait = pause(&response).unwrap_or_default().max(Duration::from_secs(1));
        if started.elapsed().saturating_add(wait) > most {
            return Err(PollError::TooLong(wait));
        }
        tokio::time::sleep(wait).await;
    }
}
