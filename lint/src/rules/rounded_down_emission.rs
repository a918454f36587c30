//! # rounded_down_emission
//!
//! A server cuts the wait to whole seconds before it sends it, so clients come back too early.
//!
//! ## Why
//!
//! `Retry-After` counts whole seconds, and what is left of a window or a penalty hardly ever is a whole number of them.
//! `as_secs`, an integer division and `as u64` cut the rest off: 1.9 s are sent as `1`, half a second as `0`.
//! A client that does exactly as it is told comes back before the time is over, is refused once more, and may be counted as an offender for it.
//! `.max(1)` after the cut mends the zero and nothing else: 1.9 s are still sent as `1`.
//!
//! ## Bad
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::{IntoResponse, Response};
//! use std::time::{Duration, Instant};
//!
//! pub fn refuse(free_at: Instant) -> Response {
//!     let wait: Duration = free_at.saturating_duration_since(Instant::now());
//!     let seconds = wait.as_secs().max(1);
//!     //                 ^^^^^^^^^ the rest of a second is cut off
//!     (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds.to_string())]).into_response()
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use actix_web::http::header::RETRY_AFTER;
//!
//! fn in_seconds(millis: u64) -> u64 {
//!     let seconds = millis / 1000;
//!     //            ^^^^^^^^^^^^^ the rest of a second is cut off
//!     seconds
//! }
//!
//! pub fn refuse(remaining_ms: u64) -> HttpResponse {
//!     HttpResponse::ServiceUnavailable().insert_header((RETRY_AFTER, in_seconds(remaining_ms))).finish()
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, HeaderValue};
//!
//! pub struct Refused {
//!     pub wait_secs: f64,
//! }
//!
//! impl Refused {
//!     pub fn write(&self, headers: &mut HeaderMap) {
//!         headers.insert("Retry-After", HeaderValue::from(self.wait_secs.round() as u64));
//!         //                                                             ^^^^^^^ the rest of a second is cut off
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use axum::http::{StatusCode, header::RETRY_AFTER};
//! use axum::response::{IntoResponse, Response};
//! use std::time::{Duration, Instant};
//!
//! pub fn refuse(free_at: Instant) -> Response {
//!     let wait: Duration = free_at.saturating_duration_since(Instant::now());
//!     let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
//!     (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds.to_string())]).into_response()
//! }
//! ```
//!
//! ```rust
//! use actix_web::HttpResponse;
//! use actix_web::http::header::RETRY_AFTER;
//! use std::time::Duration;
//!
//! pub fn refuse(wait: Duration) -> HttpResponse {
//!     let seconds = (wait.as_millis() as f64 / 1000.0).ceil() as u64;
//!     HttpResponse::ServiceUnavailable().insert_header((RETRY_AFTER, seconds.max(1))).finish()
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, HeaderValue, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub struct Config {
//!     pub pause: Duration,
//! }
//!
//! /// A span that somebody chose is no remainder: it is sent as it was meant.
//! pub fn maintenance(config: &Config, headers: &mut HeaderMap) {
//!     headers.insert(RETRY_AFTER, HeaderValue::from(config.pause.as_secs()));
//! }
//! ```
//!
//! ## Limits
//!
//! A duration is taken for a remainder unless it was made of whole seconds or comes from a configuration; a number of seconds whose origin was not seen is taken to be right.
//! The difference of two numbers of whole seconds is left alone.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::behaviour::case::{SECOND, WAIT};
use crate::behaviour::trail::Event;
use crate::diagnostic::{Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "rounded_down_emission",
    group: Group::Emit,
    level: Level::Warn,
    source: include_str!("rounded_down_emission.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for emission in facts.emitted.emissions.iter().filter(|emission| emission.is_computed()) {
        let Some(sent) = emission.digits().filter(|sent| sent * SECOND < WAIT) else { continue };
        let Some(span) = emission.first(Event::Truncated) else { continue };
        let label = "the rest of a second is cut off";
        let focus = Step { span, kind: StepKind::Cut, label: label.to_owned() };
        let finding = Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: facts.emission_confidence(emission),
            span,
            message: format!(
                "the wait is cut to whole seconds before it is sent: 2.3 s go out as `{sent}`, and the client comes too early"
            ),
            label: label.to_owned(),
            help:
                "round up: `as_secs() + u64::from(subsec_nanos() > 0)`, `div_ceil` for milliseconds, `ceil` for a float"
                    .to_owned(),
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
