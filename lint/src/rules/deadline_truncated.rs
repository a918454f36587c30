//! # deadline_truncated
//!
//! The wait is cut to the time that is left, and then the request is sent all the same.
//!
//! ## Why
//!
//! With two seconds left of a budget, a hint of a minute cannot be followed in time. Sleeping for the two seconds and trying once more gains nothing: the
//! server has said that it will refuse,
//! it is paid for one more request while it is down, and the caller learns two seconds later what was known at once.
//! Where the hint does not fit, the answer is there already: give up now, and say when.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration, deadline: Instant) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     let remaining = deadline.saturating_duration_since(Instant::now());
//!     tokio::time::sleep(wait.min(remaining)).await;
//!     //                      ^^^^^^^^^^^^^^ the wait ends with the time that is left
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//! use tokio::time::{Instant, sleep, timeout_at};
//!
//! pub async fn fetch(client: &Client, url: &str, deadline: Instant) -> reqwest::Result<Response> {
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != StatusCode::SERVICE_UNAVAILABLE || Instant::now() >= deadline {
//!             return Ok(response);
//!         }
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         let seconds = value.and_then(|value| value.parse().ok()).unwrap_or(1);
//!         let _ = timeout_at(deadline, sleep(Duration::from_secs(seconds))).await;
//!         //      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the wait ends with the time that is left
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration, time_left: Duration) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let hint = value.and_then(|value| value.parse().ok()).map_or(backoff, Duration::from_secs);
//!     let mut wait = hint.max(backoff);
//!     if wait > time_left {
//!     // ^^^^^^^^^^^^^^^^ the wait ends with the time that is left
//!         wait = time_left;
//!     }
//!     std::thread::sleep(wait);
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! pub struct TooLate {
//!     pub not_before: Option<Instant>,
//! }
//!
//! /// What does not fit is given back.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration, deadline: Instant) -> Result<(), TooLate> {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     if wait >= deadline.saturating_duration_since(Instant::now()) {
//!         return Err(TooLate { not_before: Instant::now().checked_add(wait) });
//!     }
//!     tokio::time::sleep(wait).await;
//!     Ok(())
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//! use tokio::time::{error::Elapsed, sleep, timeout};
//!
//! /// When the time is up, nothing more is sent.
//! pub async fn fetch(client: &Client, url: &str, remaining: Duration) -> Result<reqwest::Result<Response>, Elapsed> {
//!     let response = match client.get(url).send().await {
//!         Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => response,
//!         done => return Ok(done),
//!     };
//!     let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let seconds = value.and_then(|value| value.parse().ok()).unwrap_or(1);
//!     timeout(remaining, sleep(Duration::from_secs(seconds))).await?;
//!     Ok(client.get(url).send().await)
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! /// The deadline holds the own backoff down; a hint beyond it ends the loop.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration, deadline: Instant) -> bool {
//!     let remaining = deadline.saturating_duration_since(Instant::now());
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     if hint.is_some_and(|hint| hint > remaining) {
//!         return false;
//!     }
//!     tokio::time::sleep(backoff.min(remaining).max(hint.unwrap_or_default())).await;
//!     true
//! }
//! ```
//!
//! ## Limits
//!
//! What is the time that is left is known by its name: `deadline`, `remaining`, `time_left`, `expires`. A limit of another name is `capped_hint`.
//! A `timeout` around the sleep is reported where a loop is seen to send the request again after it.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::SECOND;
use crate::behaviour::journey::{journey, witness};
use crate::behaviour::log::{Outcome, SinkKind};
use crate::behaviour::trail::{Event, SourceIndex};
use crate::behaviour::value::{Kind, Origin, Value};
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;
use crate::names;

/// The rule.
pub const RULE: Rule = Rule {
    id: "deadline_truncated",
    group: Group::Schedule,
    level: Level::Deny,
    source: include_str!("deadline_truncated.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let outcomes: Vec<&Outcome> = facts.outcomes_of(index).collect();
        for outcome in
            outcomes.iter().filter(|outcome| outcome.case.is_long() && !outcome.in_pieces && !outcome.in_error)
        {
            let Some(span) = cut_at(outcome, &outcomes, index) else { continue };
            let label = "the wait ends with the time that is left";
            let focus = Step { span, kind: StepKind::Cut, label: label.to_owned() };
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: Confidence::High,
                    span,
                    message: "the wait is cut to the time that is left, and the request is sent again too early".to_owned(),
                    label: label.to_owned(),
                    help: "where the hint does not fit the time that is left, do not retry: give the request back with the time at which it may be sent".to_owned(),
                    flow: journey(facts, outcome, focus),
                    witness: Some(witness(outcome.case, &outcome.value, "waits for the time that is left")),
                },
            );
        }
    }
    findings
}

/// Where a wait was cut to a deadline, if it was.
fn cut_at(outcome: &Outcome, outcomes: &[&Outcome], source: SourceIndex) -> Option<Span> {
    if let Some(timeout) = outcome.cut_by.filter(|_| outcome.value.trail.sources(false).contains(&source)) {
        let again = outcomes.iter().any(|other| other.kind == SinkKind::SentAgain && other.case == outcome.case);
        return again.then_some(timeout);
    }
    if !matches!(outcome.kind, SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned) {
        return None;
    }
    let required = outcome.case.seconds()?.saturating_mul(SECOND);
    let short = match outcome.value.kind {
        Kind::Duration(time) | Kind::Instant(time) | Kind::Hint(time) => time < required,
        Kind::Unknown(_) => true,
        _ => false,
    };
    let of_deadline = |name: Option<&str>| name.is_some_and(names::is_deadline);
    let cut = outcome.value.trail.find(true, |node| {
        matches!(node.event, Event::Bound(true) | Event::Compared)
            && node.sources().contains(&source)
            && of_deadline(node.against.as_deref())
    })?;
    let by_choice = cut.event == Event::Compared;
    // A comparison says nothing by itself: what was chosen because of it must be the time that is left.
    (short && (!by_choice || is_time_left(&outcome.value))).then_some(cut.span)
}

/// Whether the value is known by its name to be the time that is left.
pub(super) fn is_time_left(value: &Value) -> bool {
    match &value.kind {
        Kind::Unknown(origin) => origin.way().filter_map(Origin::name).any(|name| names::is_deadline(name)),
        _ => false,
    }
}
