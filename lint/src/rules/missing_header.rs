//! # missing_header
//!
//! A 429 or 503 is sent without `Retry-After` although the wait is known.
//!
//! ## Why
//!
//! A refusal without the header leaves every client to guess, and the impatient ones guess low.
//! Where the same code knows how long it will refuse, for its log line, its JSON body or its own table, the header costs one line.
//! A number in the body or in a vendor's header reaches only the clients that were written for this server.
//!
//! ## Bad
//!
//! ```rust
//! use axum::Json;
//! use axum::http::StatusCode;
//! use axum::response::{IntoResponse, Response};
//!
//! #[derive(serde::Serialize)]
//! pub struct Problem {
//!     pub status: u16,
//!     pub retry_after_seconds: Option<u64>,
//! }
//!
//! impl IntoResponse for Problem {
//!     fn into_response(self) -> Response {
//!         let code = StatusCode::from_u16(self.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
//!         //                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ without the header
//!         (code, Json(self)).into_response()
//!     }
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use std::time::Duration;
//!
//! pub fn refuse(retry_after: Duration) -> HttpResponse {
//!     let mut builder = HttpResponse::TooManyRequests();
//!     //                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ without the header
//!     builder.body(format!("come back in {} s", retry_after.as_secs() + 1))
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderValue, Response, StatusCode};
//!
//! pub fn refuse(retry_after_secs: u64) -> Response<()> {
//!     let mut response = Response::new(());
//!     *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
//!     //                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ without the header
//!     response.headers_mut().insert("x-ratelimit-after", HeaderValue::from(retry_after_secs));
//!     response
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use actix_web::http::header::RETRY_AFTER;
//! use std::time::Duration;
//!
//! pub fn refuse(wait_time: Duration) -> HttpResponse {
//!     let seconds = wait_time.as_secs() + 1;
//!     HttpResponse::TooManyRequests().insert_header((RETRY_AFTER, seconds)).body(format!("come back in {seconds} s"))
//! }
//! ```
//!
//! ```rust
//! use axum::http::StatusCode;
//! use axum::response::{IntoResponse, Response};
//!
//! /// Nothing is known of when there will be room.
//! pub fn full(waiting: usize) -> Response {
//!     (StatusCode::SERVICE_UNAVAILABLE, format!("{waiting} are waiting")).into_response()
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, HeaderValue, Response, StatusCode};
//!
//! fn announce(headers: &mut HeaderMap, seconds: u64) {
//!     headers.insert("retry-after", HeaderValue::from(seconds));
//! }
//!
//! /// The header is put in by a helper.
//! pub fn refuse(wait_secs: u64) -> Response<()> {
//!     let mut response = Response::new(());
//!     *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
//!     announce(response.headers_mut(), wait_secs);
//!     response
//! }
//! ```
//!
//! ## Limits
//!
//! Only files in which the header or a value named like it is mentioned are looked at.
//! That the wait is known is told from names; that a layer further out adds the header is seen only where it calls the function by its name.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "missing_header",
    group: Group::Emit,
    level: Level::Advice,
    source: include_str!("missing_header.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let refusals = facts.emitted.refusals.iter();
    refusals
        .map(|refusal| {
            let label = "without the header";
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: Confidence::Medium,
                span: refusal.span,
                message: format!(
                    "a {} is sent without `Retry-After`, although `{}` is known",
                    refusal.status, refusal.known
                ),
                label: label.to_owned(),
                help: "put the wait into the header, in whole seconds, rounded up".to_owned(),
                flow: vec![Step { span: refusal.span, kind: StepKind::Sent, label: label.to_owned() }],
                witness: None,
            }
        })
        .collect()
}
