use std::time::{Duration, Instant, SystemTime};

pub trait Delay {
    fn after(&self, started: Instant, tries: u32, hint: Option<Duration>) -> Option<Duration>;
}

/// Doubles from 100 ms, for a minute at most.
pub struct Doubling;

impl Delay for Doubling {
    fn after(&self, started: Instant, tries: u32, hint: Option<Duration>) -> Option<Duration> {
        let own = Duration::from_millis(100 << tries.min(8));
        let wait = own.max(hint.unwrap_or_default());
        let end = started.elapsed().checked_add(wait)?;
        (end < Duration::from_secs(60)).then_some(wait)
    }
}

fn hint(headers: &reqwest::header::HeaderMap) -> Option<Duration> {
    let get = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let value = get("retry-after")?;
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    let now = get("date").and_then(|value| httpdate::parse_http_date(value).ok()).unwrap_or(SystemTime::now());
    Some(at.duration_since(now).unwrap_or_default())
}

pub async fn send<D: Delay>(
    delay: &D,
    client: &reqwest::Client,
    request: reqwest::Request,
) -> reqwest::Result<reqwest::Response> {
    let started = Instant::now();
    let mut tries = 0;
    loop {
        let Some(copy) = request.try_clone() else { return client.execute(request).await };
        let response = client.execute(copy).await?;
        if response.status() != 429 && response.status() != 503 {
            return Ok(response);
        }
        let Some(wait) = delay.after(started, tries, hint(response.headers())) else { return Ok(response) };
        tries += 1;
        tokio::time::sleep(wait).await;
    }
}
