use std::time::{Duration, SystemTime};

pub trait HeaderExt {
    /// How long the server wants to be left alone, from now on.
    fn retry_after(&self) -> Option<Duration>;
}

impl<B> HeaderExt for http::Response<B> {
    fn retry_after(&self) -> Option<Duration> {
        let text = self.headers().get(http::header::RETRY_AFTER)?.to_str().ok()?.trim();
        match text.parse::<u64>() {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(_) => {
                let at = httpdate::parse_http_date(text).ok()?;
                let sent = self.headers().get(http::header::DATE).and_then(|sent| sent.to_str().ok());
                let now = sent.and_then(|sent| httpdate::parse_http_date(sent).ok());
                Some(at.duration_since(now.unwrap_or_else(SystemTime::now)).unwrap_or_default())
            }
        }
    }
}
