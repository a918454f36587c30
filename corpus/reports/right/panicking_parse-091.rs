use std::time::{Duration, SystemTime};

const LONGEST: Duration = Duration::from_secs(60);

fn wanted(response: &reqwest::Response) -> Option<Duration> {
    let headers = response.headers();
    let text = headers.get("retry-after")?.to_str().ok()?;
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let sent = headers.get("date").and_then(|v| httpdate::parse_http_date(v.to_str().ok()?).ok());
    let date: SystemTime = text.parse::<httpdate::HttpDate>().ok()?.into();
    Some(date.duration_since(sent.unwrap_or_else(SystemTime::now)).unwrap_or_default())
}

/// Whether it is worth another attempt.
pub async fn cool_off(response: &reqwest::Response) -> bool {
    let wait = wanted(response).unwrap_or_default().max(Duration::from_secs(1));
    if wait > LONGEST {
        return false;
    }
    tokio::time::sleep(wait).await;
    true
}
