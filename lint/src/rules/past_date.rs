//! # past_date
//!
//! A date that has passed panics or wraps, instead of counting as a hint of zero.
//!
//! ## Why
//!
//! Clocks differ, responses are cached, and a retry may wait in a queue: that a date has passed when it is looked at is the normal course, not an error.
//! It asks for no wait of its own, so the client's own backoff is what is left.
//! A subtraction that cannot go below zero panics on it, or wraps to a wait of centuries; either way the one client whose clock runs fast is down, and
//! nobody can see why.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     if let Ok(seconds) = value.parse() {
//!         return Some(Duration::from_secs(seconds));
//!     }
//!     let date = httpdate::parse_http_date(value).ok()?;
//!     Some(date.duration_since(SystemTime::now()).expect("a date ahead"))
//!     //                                          ^^^^^^^^^^^^^^^^^^^^^^ panics when the date has passed
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//!
//! pub async fn pause(headers: &HeaderMap, backoff: std::time::Duration) {
//!     let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let hint = value.and_then(|value| httpdate::parse_http_date(value).ok()).map(|date| {
//!         let left = DateTime::<Utc>::from(date) - Utc::now();
//!         left.to_std().unwrap()
//!         //            ^^^^^^^^ panics when the date has passed
//!     });
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
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
//!     let left: Duration = (OffsetDateTime::from(date) - OffsetDateTime::now_utc()).try_into().expect("a date ahead");
//!     //                                                                                       ^^^^^^^^^^^^^^^^^^^^^^ panics when the date has passed
//!     Some(left)
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//! use time::{OffsetDateTime, format_description::well_known::Rfc2822};
//!
//! pub fn pause(headers: &HeaderMap) {
//!     let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     if let Some(Ok(date)) = value.map(|value| OffsetDateTime::parse(value, &Rfc2822)) {
//!         let left = (date - OffsetDateTime::now_utc()).whole_seconds() as u64;
//!         //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ wraps to a wait without an end when the date has passed
//!         std::thread::sleep(Duration::from_secs(left));
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// The error of `duration_since` is the past, and its zero is right.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let date = value.and_then(|value| httpdate::parse_http_date(value).ok());
//!     let hint = date.map(|date| date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO));
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = DateTime::<Utc>::from(date) - Utc::now();
//!     Some(Duration::from_millis(left.num_milliseconds().max(0) as u64))
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::{Duration, SystemTime, UNIX_EPOCH};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let at = date.duration_since(UNIX_EPOCH).ok()?;
//!     let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
//!     Some(at.saturating_sub(now))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use time::OffsetDateTime;
//!
//! /// Looked at first.
//! pub fn hint(headers: &HeaderMap) -> Option<std::time::Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     let left = OffsetDateTime::from(date) - OffsetDateTime::now_utc();
//!     if left.is_negative() {
//!         return Some(std::time::Duration::ZERO);
//!     }
//!     Some(left.unsigned_abs())
//! }
//! ```
//!
//! ## Limits
//!
//! A date that has passed and is taken for no hint at all leaves the client with its own backoff, which is what it should wait for; that is left alone.
//! What panics on dates that lie ahead as well is `panicking_parse`.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::{Case, WRAPPED};
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::journey::{header_text, in_words, journey, journey_along};
use crate::behaviour::log::{Outcome, SinkKind};
use crate::behaviour::trail::SourceIndex;
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule =
    Rule { id: "past_date", group: Group::Parse, level: Level::Warn, source: include_str!("past_date.rs"), check };

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let finding = |span, confidence, label: &str, subject: &str, flow| Finding {
        rule: RULE.id,
        level: RULE.level,
        confidence,
        span,
        message: "a date that has passed is not taken for a hint of zero".to_owned(),
        label: label.to_owned(),
        help: "take a date that has passed for a hint of zero, and wait for the own backoff".to_owned(),
        flow,
        witness: Some(Witness {
            header: header_text(Case::PastDate),
            subject: subject.to_owned(),
            reference: "has a hint of zero, so the client's own backoff applies".to_owned(),
            confirmed: false,
        }),
    };
    for (hazard, trail) in &facts.log.hazards {
        if hazard.case != Case::PastDate || !hazard.kind.is_panic() {
            continue;
        }
        // What panics on dates ahead as well is no fault of a past one.
        if facts
            .log
            .hazards
            .keys()
            .any(|other| other.span == hazard.span && matches!(other.case, Case::NearDate | Case::Small))
        {
            continue;
        }
        let label = "panics when the date has passed";
        let focus = Step { span: hazard.span, kind: StepKind::Panics, label: label.to_owned() };
        keep(
            &mut findings,
            finding(hazard.span, Confidence::High, label, "panics", journey_along(facts, &[trail], focus, None)),
        );
    }
    for index in 0..facts.log.sources.len() as SourceIndex {
        let outcomes: Vec<&Outcome> =
            facts.outcomes_of(index).filter(|outcome| outcome.case == Case::PastDate).collect();
        for outcome in &outcomes {
            let wrapped = outcome.value.trail.carries_hint()
                && matches!(
                    outcome.kind,
                    SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned | SinkKind::Stored
                )
                && outcome.value.nanoseconds().is_some_and(|time| time > WRAPPED);
            if wrapped {
                let label = "wraps to a wait without an end when the date has passed";
                // Where it wraps, not where it is waited for.
                let cast = facts.log.hazards.keys().find(|hazard| {
                    hazard.source == index && hazard.case == Case::PastDate && hazard.kind == HazardKind::NarrowCast
                });
                let span = cast.map(|cast| cast.span).or(outcome.value.at).unwrap_or(outcome.span);
                let focus = Step { span, kind: StepKind::Slept, label: label.to_owned() };
                keep(
                    &mut findings,
                    finding(span, Confidence::Medium, label, "waits without an end", journey(facts, outcome, focus)),
                );
            }
        }
        // What a longer wait or a limit stands behind wraps as well.
        for (timed, trail) in &facts.log.timed {
            if timed.source != index || timed.case != Case::PastDate || timed.time() <= WRAPPED || !findings.is_empty()
            {
                continue;
            }
            let cast = facts.log.hazards.keys().find(|hazard| {
                hazard.source == index && hazard.case == Case::PastDate && hazard.kind == HazardKind::NarrowCast
            });
            let span = cast.map_or(timed.span, |cast| cast.span);
            let label = "wraps to a wait without an end when the date has passed";
            let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
            let subject = format!("takes it for a wait of {}", in_words(timed.time()));
            let flow = journey_along(facts, &[trail], focus, None);
            keep(&mut findings, finding(span, Confidence::Medium, label, &subject, flow));
        }
    }
    findings
}
