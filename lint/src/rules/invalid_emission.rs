//! # invalid_emission
//!
//! What a server sends as `Retry-After` is neither whole seconds nor an HTTP date.
//!
//! ## Why
//!
//! The value is one or more digits, counting seconds, or a date in the form `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 10.2.3 and 5.6.7).
//! A fraction, a unit, a sign, RFC 2822's `+0000` or RFC 3339 is thrown away by a client that reads strictly, and the server is hit by its short backoff.
//! Milliseconds are worse, for they are read: 2345 ms are a wait of 39 minutes.
//!
//! ## Bad
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::{AppendHeaders, IntoResponse};
//! use std::time::Duration;
//!
//! pub fn slow_down(wait: Duration) -> impl IntoResponse {
//!     let value = wait.as_secs_f64().to_string();
//!     //               ^^^^^^^^^^^^^ not whole seconds
//!     (StatusCode::TOO_MANY_REQUESTS, AppendHeaders([(RETRY_AFTER, value)]))
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use std::time::Instant;
//!
//! pub fn refuse(free_at: Instant) -> HttpResponse {
//!     let left = free_at.saturating_duration_since(Instant::now());
//!     HttpResponse::TooManyRequests().insert_header(("Retry-After", left.as_millis().to_string())).finish()
//!     //                                                                 ^^^^^^^^^^^ milliseconds
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use http::{HeaderMap, HeaderValue, header::RETRY_AFTER};
//!
//! pub fn write(headers: &mut HeaderMap, next: DateTime<Utc>) {
//!     if let Ok(value) = HeaderValue::from_str(&next.to_rfc2822()) {
//!         //                                         ^^^^^^^^^^^^ not an HTTP date
//!         headers.insert(RETRY_AFTER, value);
//!     }
//! }
//! ```
//!
//! ```rust
//! use http::Response;
//! use std::time::Duration;
//!
//! pub fn overloaded(pause: Duration) -> http::Result<Response<()>> {
//!     Response::builder().status(503).header("retry-after", format!("{pause:?}")).body(())
//!     //                                                    ^^^^^^^^^^^^^^^^^^^^ not whole seconds
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::{AppendHeaders, IntoResponse};
//! use std::time::Duration;
//!
//! pub fn slow_down(wait: Duration) -> impl IntoResponse {
//!     let value = format!("{:.0}", wait.as_secs_f64().ceil());
//!     (StatusCode::TOO_MANY_REQUESTS, AppendHeaders([(RETRY_AFTER, value)]))
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use std::time::Instant;
//!
//! /// The vendor's header counts milliseconds, the standard one seconds.
//! pub fn refuse(free_at: Instant) -> HttpResponse {
//!     let left = free_at.saturating_duration_since(Instant::now()).as_millis();
//!     HttpResponse::TooManyRequests()
//!         .insert_header(("Retry-After-Ms", left.to_string()))
//!         .insert_header(("Retry-After", left.div_ceil(1000).to_string()))
//!         .finish()
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use http::{HeaderMap, HeaderValue, header::RETRY_AFTER};
//!
//! pub fn write(headers: &mut HeaderMap, next: DateTime<Utc>) {
//!     let text = next.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
//!     if let Ok(value) = HeaderValue::from_str(&text) {
//!         headers.insert(RETRY_AFTER, value);
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! A constant is judged where it has a digit in it; other texts may be no header values at all.
//! A value that comes from another response is passed on as it was and left alone.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::behaviour::case::WAIT;
use crate::behaviour::emission::Emission;
use crate::behaviour::trail::Event;
use crate::diagnostic::{Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "invalid_emission",
    group: Group::Emit,
    level: Level::Deny,
    source: include_str!("invalid_emission.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for emission in &facts.emitted.emissions {
        let Some((label, message)) = fault(emission) else { continue };
        let negative = emission.last(Event::Signed).filter(|_| label == NEGATIVE);
        let span = negative.or(emission.last(Event::Converted)).unwrap_or(emission.span);
        let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
        let finding = Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: facts.emission_confidence(emission),
            span,
            message,
            label: label.to_owned(),
            help: "send whole seconds, rounded up: digits and nothing else".to_owned(),
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

/// The label of a difference that is not held above zero.
const NEGATIVE: &str = "may be negative";

/// What is wrong with the value: the label and the message.
fn fault(emission: &Emission) -> Option<(&'static str, String)> {
    let text = emission.text()?;
    if let Some(digits) = emission.digits() {
        // The wait in a smaller unit, give or take one of it.
        if emission.may_be_negative() {
            return Some((
                NEGATIVE,
                "what is sent as `Retry-After` lies below zero once the time has passed".to_owned(),
            ));
        }
        let (label, _) = [("milliseconds", 1_000_000), ("microseconds", 1_000), ("nanoseconds", 1)]
            .into_iter()
            .find(|(_, unit)| emission.is_computed() && (digits - WAIT / unit).abs() <= 1)?;
        return Some((label, format!("`Retry-After` is sent in {label}, and read as seconds")));
    }
    if emission.is_date() || (!emission.is_computed() && !text.bytes().any(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let has_letters = text.len() > 14 || text.contains(['%', '[', ':', 'T']);
    let label = if text.starts_with('-') {
        NEGATIVE
    } else if has_letters && !text.ends_with('s') {
        "not an HTTP date"
    } else {
        "not whole seconds"
    };
    Some((label, format!("`Retry-After` is sent as `{text}`, which is neither whole seconds nor an HTTP date")))
}
