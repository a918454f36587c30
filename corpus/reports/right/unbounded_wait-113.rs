use headers::{Date, HeaderMapExt};
use std::time::{Duration, SystemTime};
use ureq::http::HeaderMap;

#[derive(Debug)]
pub enum CheckError {
    Http(ureq::Error),
    Later(Duration),
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?;
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let sent = headers.typed_get::<Date>().map_or_else(SystemTime::now, SystemTime::from);
    Some(until.duration_since(sent).unwrap_or(Duration::ZERO))
}

pub fn check(agent: &ureq::Agent, url: &str, longest: Duration) -> Result<u16, CheckError> {
    let mut own = Duration::from_secs(1);
    for _ in 0..5 {
        let response =
            agent.get(url).config().http_status_as_error(false).build().call().map_err(CheckError::Http)?;
        let status = response.status().as_u16();
        if status != 429 && status != 503 {
            return Ok(status);
        }
        let wait = retry_after(response.headers()).unwrap_or_default().max(own);
        if wait > longest {
            return Err(CheckError::Later(wait));
        }
        std::thread::sleep(wait);
        own *= 2;
    }
    agent.get(url).call().map(|response| response.status().as_u16()).map_err(CheckError::Http)
}
