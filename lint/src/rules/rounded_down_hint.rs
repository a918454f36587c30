//! # rounded_down_hint
//!
//! What is left until the date is rounded down to whole seconds, and the client comes too early.
//!
//! ## Why
//!
//! At a quarter past the second there are 6.75 s left until a date seven seconds on; `as_secs` makes six of them.
//! The client knocks at the door while it is still closed, is refused, and the refusal names the same date or a later one.
//! Near the end nothing is left but a fraction, which is cut to zero: the client then spins until the second is full, and so does every other client that
//! was given the same date.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::SystemTime;
//!
//! pub fn seconds(headers: &HeaderMap) -> Option<u64> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     value.parse().ok().or_else(|| {
//!         let date = httpdate::parse_http_date(value).ok()?;
//!         Some(date.duration_since(SystemTime::now()).unwrap_or_default().as_secs())
//!         //                                                              ^^^^^^^^^ a fraction of a second is cut off here
//!     })
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let date = value.and_then(|value| httpdate::parse_http_date(value).ok()).map(DateTime::<Utc>::from);
//!     let hint = date.map(|date| {
//!         let seconds = (date - Utc::now()).num_seconds().max(0);
//!         //                                ^^^^^^^^^^^^^ a fraction of a second is cut off here
//!         Duration::from_secs(seconds as u64)
//!     });
//!     tokio::time::sleep(hint.unwrap_or(backoff)).await;
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::Duration;
//! use time::OffsetDateTime;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = OffsetDateTime::from(date) - OffsetDateTime::now_utc();
//!     u64::try_from(left.whole_seconds()).ok().map(Duration::from_secs)
//!     //                 ^^^^^^^^^^^^^^^ a fraction of a second is cut off here
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = date.duration_since(SystemTime::now()).map_or(0.0, |left| left.as_secs_f64());
//!     Some(Duration::from_secs(left as u64))
//!     //                       ^^^^^^^^^^^ a fraction of a second is cut off here
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// A duration keeps its fraction; it is cut for the log line alone.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO);
//!     tracing::info!("the server asks for {} s", left.as_secs());
//!     Some(left)
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// Rounded up before the cast.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = date.duration_since(SystemTime::now()).unwrap_or_default();
//!     Some(Duration::from_secs(left.as_secs_f64().ceil() as u64))
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::SystemTime;
//!
//! /// One more for the fraction.
//! pub fn seconds(headers: &HeaderMap) -> Option<u64> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = date.duration_since(SystemTime::now()).unwrap_or_default();
//!     Some(left.as_secs() + u64::from(left.subsec_nanos() > 0))
//! }
//! ```
//!
//! ## Limits
//!
//! The rule is about dates, where a fraction is the normal course; one in the number itself (`parse::<f64>()` and a cast) is outside the grammar.
//! Where the own backoff is a floor under the wait (`hint.max(backoff)`), a fraction that was cut before is not reported.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::{Case, SECOND};
use crate::behaviour::journey::{in_words, journey};
use crate::behaviour::trail::{Event, SourceIndex};
use crate::behaviour::value::Kind;
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "rounded_down_hint",
    group: Group::Parse,
    level: Level::Warn,
    source: include_str!("rounded_down_hint.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let left = 7 * SECOND - SECOND / 4;
    for index in 0..facts.log.sources.len() as SourceIndex {
        for outcome in facts.outcomes_of(index).filter(|outcome| outcome.case == Case::LateDate) {
            let trail = &outcome.value.trail;
            let Some(cut) = trail.find(false, |node| node.event == Event::Truncated && node.sources().contains(&index))
            else {
                continue;
            };
            let is_wait =
                matches!(outcome.value.kind, Kind::Integer(_) | Kind::Float(_) | Kind::Duration(_) | Kind::Instant(_));
            let short = outcome.value.nanoseconds().is_some_and(|time| time > 0 && time < left);
            if !is_wait || !short || trail.find(false, |node| node.event == Event::Bound(true)).is_some() {
                continue;
            }
            let label = "a fraction of a second is cut off here";
            let focus = Step { span: cut.span, kind: StepKind::Cut, label: label.to_owned() };
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: Confidence::High,
                    span: cut.span,
                    message: "what is left until the date is rounded down, and the client comes too early".to_owned(),
                    label: label.to_owned(),
                    help: "keep the `Duration` as it is, or round it up".to_owned(),
                    flow: journey(facts, outcome, focus),
                    witness: Some(Witness {
                        header: Case::LateDate.text().unwrap_or_default().to_owned(),
                        subject: format!(
                            "waits {} of the 6.75 s that are left",
                            in_words(outcome.value.nanoseconds().unwrap_or(0))
                        ),
                        reference: "waits at least 6.75 s".to_owned(),
                        confirmed: false,
                    }),
                },
            );
        }
    }
    findings
}
