use jiff::{SignedDuration, Timestamp};
use reqwest::{Client, Response, StatusCode};
use std::time::Duration;

const GIVE_UP: Duration = Duration::from_secs(30);

/// All three forms of a date, as a moment.
fn moment(value: &str) -> Option<Timestamp> {
    httpdate::parse_http_date(value).ok()?.try_into().ok()
}

fn seconds_or_date(response: &Response) -> Option<Duration> {
    let header = |name: &str| response.headers().get(name)?.to_str().ok();
    let value = header("Retry-After")?;
    if value.chars().all(|c| c.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    let now = header("Date").and_then(moment).unwrap_or_else(Timestamp::now);
    let left: SignedDuration = moment(value)?.duration_since(now);
    Some(left.try_into().unwrap_or(Duration::ZERO))
}

pub async fn fetch(client: &Client, url: &str) -> reqwest::Result<Response> {
    let mut own = Duration::from_millis(200);
    loop {
        let response = client.get(url).send().await?;
        let busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&response.status());
        if !busy {
            return Ok(response);
        }
        let wait = std::cmp::max(own, seconds_or_date(&response).unwrap_or(Duration::ZERO));
        if wait > GIVE_UP {
            return Ok(response);
        }
        tokio::time::sleep(wait).await;
        own *= 2;
    }
}
