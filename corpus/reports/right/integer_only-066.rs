use std::time::{Duration, Instant, SystemTime};

const COLD: Duration = Duration::from_secs(5);

pub struct Route {
    pub name: String,
    pub cold_until: Option<Instant>,
}

impl Route {
    pub fn mark(&mut self, status: u16, retry_after: Option<&str>, server_time: SystemTime) -> bool {
        if status != 429 && status != 503 {
            return false;
        }
        let hint = retry_after.and_then(|value| parse(value, server_time)).unwrap_or_default();
        let until = Instant::now().checked_add(hint.max(COLD));
        // Another answer may have asked for more.
        self.cold_until = self.cold_until.max(until);
        true
    }

    pub fn is_cold(&self, now: Instant) -> bool {
        self.cold_until.is_some_and(|until| now < until)
    }
}

fn parse(value: &str, server_time: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(server_time).unwrap_or(Duration::ZERO))
}
