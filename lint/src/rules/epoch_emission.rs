//! # epoch_emission
//!
//! A Unix timestamp is sent as the delay.
//!
//! ## Why
//!
//! Digits in `Retry-After` are a delay from now on, never a point in time.
//! A timestamp is all digits, so every client reads it, and as a wait of some fifty-five years: one that honours it never comes back, one that caps it comes back at its cap, and nobody sees an error.
//! It is easily done where the same number goes into `X-RateLimit-Reset`, which for many vendors is a timestamp.
//!
//! ## Bad
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use http::HeaderMap;
//!
//! pub struct Bucket {
//!     pub resets: DateTime<Utc>,
//! }
//!
//! impl Bucket {
//!     pub fn write(&self, headers: &mut HeaderMap) -> Result<(), http::header::InvalidHeaderValue> {
//!         headers.insert("retry-after", self.resets.timestamp().to_string().parse()?);
//!         //                                        ^^^^^^^^^^^ a point in time
//!         Ok(())
//!     }
//! }
//! ```
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::{IntoResponse, Response};
//! use std::time::{Duration, SystemTime, UNIX_EPOCH};
//!
//! pub fn refuse(wait: Duration) -> Response {
//!     let until = SystemTime::now() + wait;
//!     let seconds = until.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
//!     //                                                                 ^^^^^^^^^ a point in time
//!     (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds.to_string())]).into_response()
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use actix_web::http::header::{HeaderValue, RETRY_AFTER};
//! use chrono::Utc;
//!
//! pub fn refuse(wait_secs: i64) -> HttpResponse {
//!     let mut response = HttpResponse::TooManyRequests().finish();
//!     let until = Utc::now().timestamp() + wait_secs;
//!     response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(until));
//!     //                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a point in time
//!     response
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use http::HeaderMap;
//!
//! pub struct Bucket {
//!     pub resets: DateTime<Utc>,
//! }
//!
//! impl Bucket {
//!     pub fn write(&self, headers: &mut HeaderMap) -> Result<(), http::header::InvalidHeaderValue> {
//!         let seconds = (self.resets.timestamp() - Utc::now().timestamp()).max(1);
//!         headers.insert("retry-after", seconds.to_string().parse()?);
//!         Ok(())
//!     }
//! }
//! ```
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::{IntoResponse, Response};
//! use std::time::{SystemTime, UNIX_EPOCH};
//!
//! /// The reset is a timestamp, the delay is not.
//! pub fn refuse(reset_at: u64) -> Response {
//!     let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
//!     let seconds = reset_at.saturating_sub(now);
//!     let headers = [("x-ratelimit-reset", reset_at.to_string()), (RETRY_AFTER.as_str(), seconds.to_string())];
//!     (StatusCode::TOO_MANY_REQUESTS, headers).into_response()
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use actix_web::http::header::RETRY_AFTER;
//! use std::time::SystemTime;
//!
//! /// The date form is a point in time, and says so.
//! pub fn refuse(until: SystemTime) -> HttpResponse {
//!     HttpResponse::TooManyRequests().insert_header((RETRY_AFTER, httpdate::fmt_http_date(until))).finish()
//! }
//! ```
//!
//! ## Limits
//!
//! A number whose origin was not seen is taken to be a delay, whatever its name.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::behaviour::case::{NOW, SECOND};
use crate::behaviour::trail::Event;
use crate::diagnostic::{Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "epoch_emission",
    group: Group::Emit,
    level: Level::Deny,
    source: include_str!("epoch_emission.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for emission in &facts.emitted.emissions {
        let Some(digits) = emission.digits().filter(|digits| is_point_in_time(*digits)) else { continue };
        // What a function gives is a point in time rightly, most often; to send it is the fault.
        let from_a_function = emission
            .value
            .trail
            .find(false, |node| matches!(node.event, Event::Converted | Event::Truncated | Event::Returned(_)))
            .is_some_and(|node| matches!(node.event, Event::Returned(_)));
        let made = emission.last(Event::Converted).or(emission.last(Event::Truncated)).filter(|_| !from_a_function);
        let span = made.unwrap_or(emission.span);
        let label = "a point in time";
        let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
        let finding = Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: facts.emission_confidence(emission),
            span,
            message: format!("`Retry-After` is sent as a Unix timestamp, `{digits}`, and read as a delay of decades"),
            label: label.to_owned(),
            help: "send what is left: the end less the present, in whole seconds, rounded up".to_owned(),
            flow: facts.emission_journey(emission, focus),
            witness: None,
        };
        match findings.iter_mut().find(|known| known.span == span) {
            Some(known) => known.confidence = known.confidence.max(finding.confidence),
            None => findings.push(finding),
        }
    }
    findings
}

/// Whether the number is a moment within a day of the present, in some unit.
fn is_point_in_time(number: i128) -> bool {
    let present = i128::from(NOW) * SECOND;
    [SECOND, 1_000_000, 1_000, 1].into_iter().any(|unit| (number - present / unit).abs() < 86_400 * SECOND / unit)
}
