use std::time::Duration;
use tokio::sync::watch::Receiver;

const MOST: u64 = 300;

pub async fn send(
    client: &reqwest::Client,
    url: &str,
    mut stop: Receiver<bool>,
) -> reqwest::Result<reqwest::Response> {
    let mut own = Duration::from_secs(1);
    loop {
        let response = client.get(url).send().await?;
        if response.status() != reqwest::StatusCode::SERVICE_UNAVAILABLE {
            return Ok(response);
        }
        let hint = hint(response.headers());
        if *stop.borrow() || hint > Duration::from_secs(MOST) {
            return Ok(response);
        }
        tokio::select! {
            _ = stop.changed() => return Ok(response),
            () = tokio::time::sleep(hint.max(own)) => own = own.saturating_mul(2),
        }
    }
}

fn hint(headers: &reqwest::header::HeaderMap) -> Duration {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(value) = text("retry-after") else { return Duration::ZERO };
    match value.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let now = text("date").and_then(|date| httpdate::parse_http_date(date).ok());
            let now = now.unwrap_or_else(std::time::SystemTime::now);
            httpdate::parse_http_date(value)
                .ok()
                .and_then(|date| date.duration_since(now).ok())
                .unwrap_or_default()
        }
    }
}
