//! # panicking_parse
//!
//! A value of the header, or its absence, makes the program panic.
//!
//! ## Why
//!
//! The value comes from the network: from a proxy in front of the server, from a server in distress, or from someone who wants to see what happens.
//! One that is odd, huge or not even text ends the task or the process exactly while the server is failing, and a restart that sends the same request
//! again meets the same value.
//! `Duration::from_secs_f64`, `Instant + Duration`, chrono's `Duration::seconds` and a map of headers that is indexed panic without an `unwrap` in sight.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?;
//!     let seconds = value.to_str().unwrap().parse::<u64>().expect("a number of seconds");
//!     //                           ^^^^^^^^ panics on a value that is not as expected
//!     //                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ panics on a value that is not as expected
//!     Some(Duration::from_secs(seconds))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<f64>().ok());
//!     let hint = seconds.map(|seconds| Duration::from_secs_f64(seconds));
//!     //                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ panics on a negative number, on NaN and on infinity
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! pub struct Host {
//!     not_before: Instant,
//! }
//!
//! impl Host {
//!     pub fn note(&mut self, headers: &HeaderMap) {
//!         let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         if let Some(Ok(seconds)) = value.map(str::parse) {
//!             self.not_before = self.not_before.max(Instant::now() + Duration::from_secs(seconds));
//!             //                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ panics where the sum lies beyond what the clock can hold
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//!
//! pub fn not_before(headers: &HeaderMap) -> Option<chrono::DateTime<chrono::Utc>> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<i64>().ok()?;
//!     chrono::Utc::now().checked_add_signed(chrono::Duration::seconds(seconds))
//!     //                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ panics on a number that the duration cannot hold
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// Not every 429 comes with the header.
//! pub fn hint(response: &reqwest::Response) -> Option<Duration> {
//!     let text = response.headers()["retry-after"].to_str().ok()?;
//!     //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ panics where the header is missing
//!     Some(Duration::from_secs(text.parse().ok()?))
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Some servers send a fraction. What is no duration is no hint.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<f64>().ok()?;
//!     Duration::try_from_secs_f64(seconds).ok()
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! pub enum Next {
//!     At(Instant),
//!     Never,
//! }
//!
//! pub fn next(headers: &HeaderMap, backoff: Duration) -> Next {
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     Instant::now().checked_add(wait).map_or(Next::Never, Next::At)
//! }
//! ```
//!
//! ```rust
//! use axum::http::{HeaderMap, HeaderValue, StatusCode, header::RETRY_AFTER};
//!
//! /// A constant of the program's own cannot fail: nothing of it came in from outside.
//! pub fn refusal() -> (StatusCode, HeaderMap) {
//!     let mut headers = HeaderMap::new();
//!     headers.insert(RETRY_AFTER, "60".parse::<HeaderValue>().unwrap());
//!     (StatusCode::SERVICE_UNAVAILABLE, headers)
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// The digits before a unit that some proxies add.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     let digits = text.bytes().take_while(u8::is_ascii_digit).count();
//!     let seconds = text.get(..digits)?.parse().ok()?;
//!     Some(Duration::from_secs(seconds))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// The index comes after a look whether the header is there.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     if !headers.contains_key(RETRY_AFTER) {
//!         return None;
//!     }
//!     let seconds = headers[RETRY_AFTER].to_str().ok()?.parse().ok()?;
//!     Some(Duration::from_secs(seconds))
//! }
//! ```
//!
//! ## Limits
//!
//! A panic on a date that has passed belongs to `past_date`.
//! Where a value was parsed out of sight and is only named like the hint, whether it can be that large is not known: only arithmetic that fails on a
//! large one is reported there, with medium confidence.
//! Tests are not looked at.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::journey::{header_text, journey_along};
use crate::behaviour::log::SourceKind;
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "panicking_parse",
    group: Group::Parse,
    level: Level::Deny,
    source: include_str!("panicking_parse.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (hazard, trail) in facts.log.hazards.iter().filter(|(hazard, _)| hazard.kind.is_panic()) {
        // A date that has passed has a rule of its own.
        if hazard.case == Case::PastDate {
            continue;
        }
        // What panics on a plain number of seconds too does so for another reason.
        if facts
            .log
            .hazards
            .keys()
            .any(|other| other.span == hazard.span && other.case == Case::Small && other.kind == hazard.kind)
        {
            continue;
        }
        let source = facts.source(hazard.source);
        let named = matches!(source.kind, SourceKind::Named(_));
        // Whether a value that was parsed elsewhere can be as large as that is not known.
        if named && (hazard.kind == HazardKind::Panic || hazard.case == Case::Absent) {
            continue;
        }
        let (label, help) = match hazard.kind {
            HazardKind::Unwrap => {
                ("panics on a value that is not as expected", "treat a value that cannot be read as no hint")
            }
            HazardKind::Panic => {
                ("panics because of the header's value", "treat a value that cannot be read as no hint")
            }
            HazardKind::Index => (
                "panics where the text is shorter than expected",
                "use `get`, and treat a value that cannot be read as no hint",
            ),
            HazardKind::MissingKey => {
                ("panics where the header is missing", "use `get`, and treat a missing header as no hint")
            }
            HazardKind::FloatDuration => (
                "panics on a negative number, on NaN and on infinity",
                "read `1*DIGIT` into an integer, or use `Duration::try_from_secs_f64`",
            ),
            HazardKind::LargeDuration => {
                ("panics on a number that the duration cannot hold", "use the `try_` form, and saturate")
            }
            HazardKind::LateMoment => (
                "panics where the sum lies beyond what the clock can hold",
                "use `checked_add`, and defer the request where there is no such moment",
            ),
            _ => (
                "overflows on a large number: a panic, or a short wait where overflow checks are off",
                "use the saturating or checked form",
            ),
        };
        let focus = Step { span: hazard.span, kind: StepKind::Panics, label: label.to_owned() };
        let witness = Witness {
            header: header_text(hazard.case),
            subject: "panics".to_owned(),
            reference: match hazard.case {
                Case::Largest | Case::Overflow => {
                    "waits as long as can be represented, or defers the request".to_owned()
                }
                _ => "has no hint, so the client's own backoff applies".to_owned(),
            },
            confirmed: false,
        };
        keep(
            &mut findings,
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: if named { Confidence::Medium } else { Confidence::High },
                span: hazard.span,
                message: match hazard.case {
                    Case::Absent => "a missing header makes the program panic".to_owned(),
                    _ => "a value of the header makes the program panic".to_owned(),
                },
                label: label.to_owned(),
                help: help.to_owned(),
                flow: journey_along(facts, &[trail], focus, None),
                witness: Some(witness),
            },
        );
    }
    // A sum whose part panics already is mended together with it.
    let places: Vec<Span> = findings.iter().map(|finding| finding.span).collect();
    let is_around = |outer: Span, inner: Span| outer != inner && outer.holds(inner);
    findings.retain(|finding| !places.iter().any(|place| is_around(finding.span, *place)));
    findings
}
