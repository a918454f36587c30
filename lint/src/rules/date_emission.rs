//! # date_emission
//!
//! A server sends the date form of `Retry-After` where seconds would do.
//!
//! ## Why
//!
//! A date means the same to both sides only if their clocks agree, and clients' clocks do not.
//! One that runs behind waits too long, one that runs ahead comes too early, and many clients read the number only and lose a date altogether.
//! A delay needs no clock but the client's own, and every client reads it.
//!
//! ## Bad
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::IntoResponse;
//! use std::time::SystemTime;
//!
//! pub async fn throttled(next_access: SystemTime) -> impl IntoResponse {
//!     let when = httpdate::fmt_http_date(next_access);
//!     //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a date
//!     (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, when)])
//! }
//! ```
//!
//! ```rust
//! use chrono::{TimeDelta, Utc};
//! use http::{Response, header::RETRY_AFTER};
//!
//! pub fn refuse(wait: TimeDelta) -> http::Result<Response<()>> {
//!     let until = Utc::now() + wait;
//!     let text = until.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
//!     //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a date
//!     Response::builder().status(429).header(RETRY_AFTER, text).body(())
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use std::time::{Duration, SystemTime};
//!
//! pub fn refuse(wait: Duration) -> HttpResponse {
//!     let until = SystemTime::now() + wait;
//!     HttpResponse::ServiceUnavailable().insert_header(("Retry-After", httpdate::fmt_http_date(until))).finish()
//!     //                                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a date
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::IntoResponse;
//! use std::time::SystemTime;
//!
//! pub async fn throttled(next_access: SystemTime) -> impl IntoResponse {
//!     let left = next_access.duration_since(SystemTime::now()).unwrap_or_default();
//!     (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, (left.as_secs() + 1).to_string())])
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, HeaderValue, header::{LAST_MODIFIED, RETRY_AFTER}};
//! use std::time::SystemTime;
//!
//! /// Another header's date.
//! pub fn stamp(headers: &mut HeaderMap, modified: SystemTime) {
//!     if let Ok(value) = HeaderValue::from_str(&httpdate::fmt_http_date(modified)) {
//!         headers.insert(LAST_MODIFIED, value);
//!     }
//!     headers.insert(RETRY_AFTER, HeaderValue::from_static("120"));
//! }
//! ```
//!
//! ```rust
//! use http::{Response, header::RETRY_AFTER};
//!
//! /// An end that was announced as a date may be sent as one.
//! pub fn maintenance() -> http::Result<Response<()>> {
//!     Response::builder().status(503).header(RETRY_AFTER, "Fri, 31 Dec 2027 23:59:59 GMT").body(())
//! }
//! ```
//!
//! ## Limits
//!
//! A typed header that can be either form is left to whoever makes it.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::behaviour::trail::Event;
use crate::diagnostic::{Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "date_emission",
    group: Group::Emit,
    level: Level::Advice,
    source: include_str!("date_emission.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for emission in &facts.emitted.emissions {
        if !emission.is_computed() || emission.by_type || !emission.is_any_date() {
            continue;
        }
        let span = emission.last(Event::Converted).unwrap_or(emission.span);
        let label = "a date";
        let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
        if findings.iter().any(|known| known.span == span) {
            continue;
        }
        findings.push(Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: facts.emission_confidence(emission),
            span,
            message: "`Retry-After` is sent as a date where seconds would do".to_owned(),
            label: label.to_owned(),
            help: "send the seconds that are left, rounded up: a delay does not depend on the client's clock"
                .to_owned(),
            flow: facts.emission_journey(emission, focus),
            witness: None,
        });
    }
    findings
}
