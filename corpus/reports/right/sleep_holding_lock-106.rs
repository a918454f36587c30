use reqwest::{Client, Response, header::HeaderMap};
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex;

fn hint(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?;
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    let now = || headers.get("date").and_then(|value| date(value.to_str().ok()?)).unwrap_or_else(SystemTime::now);
    match value.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => Some(date(value)?.duration_since(now()).unwrap_or_default()),
    }
}

pub async fn call(server: &Mutex<Client>, url: &str, patience: Duration) -> reqwest::Result<Response> {
    let mut backoff = Duration::from_millis(250);
    loop {
        // The guard lives as long as one request.
        let response = {
            let client = server.lock().await;
            client.get(url).send().await?
        };
        if !matches!(response.status().as_u16(), 429 | 503) {
            return Ok(response);
        }
        let wait = hint(response.headers()).map_or(backoff, |hint| hint.max(backoff));
        if wait > patience {
            return Ok(response);
        }
        tokio::time::sleep(wait).await;
        backoff = backoff.saturating_mul(2);
    }
}
