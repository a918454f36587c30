//! # wall_clock_wait
//!
//! A delay is counted on the wall clock, which may jump.
//!
//! ## Why
//!
//! `Retry-After: 120` is two minutes from now, whatever the clock on the wall says. As a `SystemTime` or a `DateTime<Utc>` it depends on that clock:
//! when NTP sets it, or a virtual machine wakes up, the wait is over at once, or it lasts an hour.
//! `Instant` only goes forward.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! pub struct Host {
//!     pub not_before: Option<SystemTime>,
//! }
//!
//! impl Host {
//!     pub fn note(&mut self, headers: &HeaderMap) {
//!         let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         self.not_before = seconds.and_then(|seconds| SystemTime::now().checked_add(Duration::from_secs(seconds)));
//!         //                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a delay becomes a moment on the wall clock here
//!     }
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, TimeDelta, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//!
//! pub fn not_before(headers: &HeaderMap) -> Option<DateTime<Utc>> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<u32>().ok()?;
//!     Some(Utc::now() + TimeDelta::seconds(seconds.into()))
//!     //   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a delay becomes a moment on the wall clock here
//! }
//! ```
//!
//! ```rust
//! use std::time::{Duration, SystemTime};
//!
//! pub fn pause(response: &ureq::http::Response<ureq::Body>) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     if let Some(seconds) = value.and_then(|value| value.parse::<u32>().ok()) {
//!         let until = SystemTime::now() + Duration::from_secs(seconds.into());
//!         while let Ok(left) = until.duration_since(SystemTime::now()) {
//!         //                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a wait is measured on the wall clock here
//!             std::thread::sleep(left.min(Duration::from_secs(1)));
//!         }
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! pub struct Host {
//!     pub not_before: Option<Instant>,
//! }
//!
//! impl Host {
//!     pub fn note(&mut self, headers: &HeaderMap) {
//!         let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         self.not_before = seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
//!     }
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// A date of the server's is on the wall clock to begin with, and becomes a duration at once.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     Some(date.duration_since(SystemTime::now()).unwrap_or_default())
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// When the header came is noted for the log; the wait is counted by the runtime.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     tracing::debug!(at = ?SystemTime::now(), ?hint, "the server is busy");
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ## Limits
//!
//! This is advice, off unless it is asked for. What has to outlive the process can only be kept as a time on the wall clock; such code is right to.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::journey::journey_along;
use crate::behaviour::log::SourceKind;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "wall_clock_wait",
    group: Group::Schedule,
    level: Level::Advice,
    source: include_str!("wall_clock_wait.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let used: Vec<_> = facts
        .log
        .hazards
        .keys()
        .filter(|hazard| hazard.kind == HazardKind::WallClockUsed)
        .map(|hazard| hazard.source)
        .collect();
    for (hazard, trail) in &facts.log.hazards {
        let label = match hazard.kind {
            HazardKind::WallClockUsed => "a wait is measured on the wall clock here",
            // Where it is known what becomes of the moment, that is the place to change.
            HazardKind::WallClockMade if !used.contains(&hazard.source) => {
                "a delay becomes a moment on the wall clock here"
            }
            _ => continue,
        };
        // What is only named like a hint may be a date that the server gave, or a server's own window.
        if matches!(facts.source(hazard.source).kind, SourceKind::Named(_)) {
            continue;
        }
        let focus = Step { span: hazard.span, kind: StepKind::Stored, label: label.to_owned() };
        keep(
            &mut findings,
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: Confidence::High,
                span: hazard.span,
                message: "the local wait is measured on the wall clock, which may jump".to_owned(),
                label: label.to_owned(),
                help: "count a delay on `Instant`, from the receipt of the response".to_owned(),
                flow: journey_along(facts, &[trail], focus, None),
                witness: None,
            },
        );
    }
    findings
}
