use retry_after_core::{Decision, Reading, Receipt, Repeatable, Schedule, SystemClock, Clock};
use std::time::Duration;

pub async fn acquire(client: &reqwest::Client, url: &str, tries: u32) -> bool {
    let clock = SystemClock::new();
    let mut left = tries;
    let mut own = Duration::from_secs(1);
    while left > 0 {
        left -= 1;
        let sent = client.put(url).send().await;
        let receipt = Receipt::now(&clock);
        let hints = match &sent {
            Ok(response) if response.status().is_success() => return true,
            Ok(response) => response.headers().get_all(reqwest::header::RETRY_AFTER).into_iter().collect(),
            Err(_) => Vec::new(),
        };
        if left == 0 {
            break;
        }
        let reading = Reading::new(hints.iter().map(|value| value.as_bytes()), receipt);
        match Schedule::new(own).with_limit(Duration::from_secs(120)).decide(&reading, clock.monotonic(), Repeatable::Idempotent) {
            Decision::Wait(wait) => tokio::time::sleep(wait.from_receipt()).await,
            Decision::Defer(_) => break,
        }
        own *= 2;
    }
    false
}
