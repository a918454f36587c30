use reqwest::{Client, Response, StatusCode};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

#[derive(Debug)]
pub enum ApiError {
    Busy { retry_after: Duration },
    Http(reqwest::Error),
}

#[derive(Clone)]
pub struct Api {
    http: Client,
    not_before: Arc<Mutex<Option<Instant>>>,
}

impl Api {
    fn blocked(&self) -> Option<Duration> {
        let until = (*self.not_before.lock().unwrap())?;
        until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    fn block(&self, wait: Duration) {
        let until = Instant::now().checked_add(wait);
        let mut known = self.not_before.lock().unwrap();
        *known = (*known).max(until);
    }

    pub async fn get(&self, url: &str) -> Result<String, ApiError> {
        if let Some(retry_after) = self.blocked() {
            return Err(ApiError::Busy { retry_after });
        }
        let response = self.http.get(url).send().await.map_err(ApiError::Http)?;
        if matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            let retry_after = wait(&response).unwrap_or(Duration::from_secs(60));
            self.block(retry_after);
            return Err(ApiError::Busy { retry_after });
        }
        response.text().await.map_err(ApiError::Http)
    }
}

fn wait(response: &Response) -> Option<Duration> {
    let value = response.headers().get("retry-after")?.to_str().ok()?;
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = response.headers().get("date").and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok());
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(date.unwrap_or_else(SystemTime::now)).unwrap_or_default())
}
