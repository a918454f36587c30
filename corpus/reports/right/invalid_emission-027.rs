use chrono::{DateTime, Utc};

pub fn header_value(left: chrono::TimeDelta) -> http::HeaderValue {
    let milliseconds = left.num_milliseconds().max(0) as u64;
    http::HeaderValue::from(milliseconds.div_ceil(1000).max(1))
}

pub fn stamp(response: &mut http::Response<()>, end: DateTime<Utc>) {
    response.headers_mut().insert(http::header::RETRY_AFTER, header_value(end - Utc::now()));
}
