use backon::{ExponentialBuilder, Retryable};
use reqwest::{Client, Response, StatusCode};
use std::time::{Duration, SystemTime};

const LONGEST: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub enum Failure {
    Busy { status: StatusCode, hint: Duration },
    Other(reqwest::Error),
}

fn hint(response: &Response) -> Duration {
    let value = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let Some(text) = value(reqwest::header::RETRY_AFTER) else { return Duration::ZERO };
    if let Ok(seconds) = text.parse() {
        return Duration::from_secs(seconds);
    }
    let parse = |text| httpdate::parse_http_date(text).ok();
    let now = value(reqwest::header::DATE).and_then(parse).unwrap_or_else(SystemTime::now);
    parse(text).and_then(|at| at.duration_since(now).ok()).unwrap_or_default()
}

async fn once(client: &Client, url: &str) -> Result<Response, Failure> {
    let response = client.post(url).send().await.map_err(Failure::Other)?;
    let status = response.status();
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        return Err(Failure::Busy { status, hint: hint(&response) });
    }
    response.error_for_status().map_err(Failure::Other)
}

pub async fn attest(client: &Client, url: &str) -> Result<Response, Failure> {
    (|| once(client, url))
        .retry(ExponentialBuilder::default().with_jitter())
        .when(|failure| matches!(failure, Failure::Busy { hint, .. } if *hint <= LONGEST))
        .adjust(|failure, own| match failure {
            Failure::Busy { hint, .. } => own.map(|own| own.max(*hint)),
            Failure::Other(_) => own,
        })
        .await
}
