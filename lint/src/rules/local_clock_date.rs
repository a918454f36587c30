//! # local_clock_date
//!
//! A date of the server's clock is held against the local clock, although the response carries a date of its own.
//!
//! ## Why
//!
//! `Retry-After: Mon, 30 Nov 2026 12:00:07 GMT` is a time on the server's clock. A client whose clock is two minutes fast finds that it has passed, and
//! comes at once;
//! one whose clock is an hour slow waits for an hour and seven seconds.
//! The response's `Date` says what the server's clock showed when it was sent: the difference of the two is the delay that was meant, whatever the local
//! clock shows.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
//!     //        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the server's date is held against the local clock here
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use reqwest::{Response, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(response: &Response, backoff: Duration) {
//!     let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let date = value.and_then(|value| httpdate::parse_http_date(value).ok()).map(DateTime::<Utc>::from);
//!     let hint = date.map(|date| (date - Utc::now()).to_std().unwrap_or_default());
//!     //                          ^^^^^^^^^^^^^^^^^ the server's date is held against the local clock here
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use time::{Duration, OffsetDateTime};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     Some((OffsetDateTime::from(date) - OffsetDateTime::now_utc()).max(Duration::ZERO))
//!     //    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the server's date is held against the local clock here
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! fn date(headers: &HeaderMap, name: &reqwest::header::HeaderName) -> Option<SystemTime> {
//!     httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
//! }
//!
//! /// Both dates are of the same clock.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let sent_at = date(headers, &DATE)?;
//!     Some(date(headers, &RETRY_AFTER)?.duration_since(sent_at).unwrap_or(Duration::ZERO))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! /// A number of seconds is counted from the receipt, on the client's own clock.
//! pub fn not_before(headers: &HeaderMap) -> Option<Instant> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
//!     Instant::now().checked_add(Duration::from_secs(seconds))
//! }
//! ```
//!
//! ```rust
//! use std::time::{Duration, SystemTime};
//!
//! /// The headers are not in hand here: there is no `Date` to hold the value against.
//! pub fn parse_retry_after(value: &str) -> Option<Duration> {
//!     if let Ok(seconds) = value.parse() {
//!         return Some(Duration::from_secs(seconds));
//!     }
//!     let date = httpdate::parse_http_date(value).ok()?;
//!     Some(date.duration_since(SystemTime::now()).unwrap_or_default())
//! }
//! ```
//!
//! ## Limits
//!
//! This is advice, off unless it is asked for: with both clocks kept by NTP the difference is small.
//! A response that came out of a cache is older than its `Date` says by its `Age`; whether that is added is not looked at.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::journey::journey_along;
use crate::behaviour::log::SourceKind;
use crate::behaviour::trail::Event;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "local_clock_date",
    group: Group::Parse,
    level: Level::Advice,
    source: include_str!("local_clock_date.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (hazard, trail) in &facts.log.hazards {
        let source = facts.source(hazard.source);
        // Without the headers in hand there is no Date to hold it against.
        if hazard.kind != HazardKind::LocalClock || hazard.case != Case::NearDate || source.kind != SourceKind::Header {
            continue;
        }
        // A date that was kept meanwhile is held against the clock at another time.
        if trail.find(false, |node| node.event == Event::Stored).is_some() {
            continue;
        }
        // Only where the header is read: elsewhere its response's other headers are out of reach.
        if source.read_at.map_or(source.code, |(_, code)| code) != hazard.code {
            continue;
        }
        // Before the header is read, it is the date of an earlier response, which was kept.
        if source.read_at.is_some_and(|(read, _)| read.file == hazard.span.file && hazard.span.start < read.start) {
            continue;
        }
        let label = "the server's date is held against the local clock here";
        let focus = Step { span: hazard.span, kind: StepKind::Parsed, label: label.to_owned() };
        keep(
            &mut findings,
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: Confidence::Medium,
                span: hazard.span,
                message:
                    "a date of the server's clock is compared with the local clock, although the response has a Date"
                        .to_owned(),
                label: label.to_owned(),
                help: "subtract the response's own `Date` (plus `Age`), so that the clocks' skew cancels out"
                    .to_owned(),
                flow: journey_along(facts, &[trail], focus, None),
                witness: None,
            },
        );
    }
    findings
}
