use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::time::Duration;

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

pub fn reject(wait: Duration) -> Response {
    let mut response = (StatusCode::TOO_MANY_REQUESTS, "too many requests").into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait).max(1)));
    response
}
