use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue};

pub struct Bucket {
    pub resets: DateTime<Utc>,
}

impl Bucket {
    pub fn write(&self, out: &mut HeaderMap, now: DateTime<Utc>) {
        let left = (self.resets - now).to_std().unwrap_or_default();
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        out.insert("retry-after", HeaderValue::from(seconds.max(1)));
    }
}
