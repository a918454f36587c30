use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

pub async fn relay(upstream: reqwest::Response) -> Response {
    let code = upstream.status();
    let retry_after = upstream.headers().get(header::RETRY_AFTER).cloned();
    let Ok(body) = upstream.bytes().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = code;
    if let Some(retry_after) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, retry_after);
    }
    response
}
