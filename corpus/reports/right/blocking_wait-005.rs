use reqwest::{Client, Response, StatusCode, header};
use retry_after_core::{Decision, Reading, Receipt, Repeatable, Schedule, SystemClock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub enum Streamed {
    Response(Response),
    Later(String),
    Stopped,
}

pub async fn stream(client: &Client, url: &str, stop: &CancellationToken) -> reqwest::Result<Streamed> {
    let clock = SystemClock::new();
    let mut own = Duration::from_millis(200);
    loop {
        let response = tokio::select! {
            _ = stop.cancelled() => return Ok(Streamed::Stopped),
            response = client.get(url).send() => response?,
        };
        if !matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            return Ok(Streamed::Response(response));
        }
        let lines = |name| response.headers().get_all(name).iter().map(|value| value.as_bytes());
        let mut receipt = Receipt::now(&clock);
        if let Some(date) = lines(header::DATE).next() {
            receipt = receipt.with_date(date, lines(header::AGE));
        }
        let reading = Reading::new(lines(header::RETRY_AFTER), receipt);
        let schedule = Schedule::new(own).with_limit(Duration::from_secs(600));
        let wait = match schedule.decide(&reading, retry_after_core::Clock::monotonic(&clock), Repeatable::Idempotent) {
            Decision::Wait(wait) => wait,
            Decision::Defer(deferral) => return Ok(Streamed::Later(deferral.to_string())),
        };
        tokio::select! {
            _ = stop.cancelled() => return Ok(Streamed::Stopped),
            _ = tokio::time::sleep(wait.from_receipt()) => {}
        }
        own = own.saturating_mul(2);
    }
}
