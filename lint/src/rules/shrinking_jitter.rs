//! # shrinking_jitter
//!
//! Jitter or a factor can make the wait shorter than the server asked for.
//!
//! ## Why
//!
//! Jitter is there to keep clients apart that were turned away in the same moment. Around the hint (`0.5..1.5`) it sends half of them back before the
//! server is ready,
//! and "full jitter" (`0..hint`) nearly all of them. Those are refused, and count as abuse where the limit is enforced by punishment.
//! The hint is a lower bound: jitter belongs on top of it.
//!
//! ## Bad
//!
//! ```rust
//! use rand::Rng;
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     tokio::time::sleep(wait.mul_f64(rand::rng().random_range(0.5..1.5))).await;
//!     //                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ may come to less than the hint here
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Full jitter is made for the own backoff, and not for a hint.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
//!     let most = seconds.map_or(backoff.as_millis() as u64, |seconds| seconds.saturating_mul(1_000));
//!     tokio::time::sleep(Duration::from_millis(rand::random_range(0..=most))).await;
//!     //                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ may come to less than the hint here
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let wait = value.and_then(|value| value.parse().ok()).map_or(backoff, Duration::from_secs);
//!     let jitter = Duration::from_millis(rand::random_range(0..500));
//!     std::thread::sleep(wait.saturating_sub(jitter));
//!     //                      ^^^^^^^^^^^^^^^^^^^^^^ may come to less than the hint here
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Halved on purpose, "since the server is always too careful".
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint / 2);
//!     //                                     ^^^^^^^^ comes to less than the hint here
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use rand::Rng;
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// On top.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     let jitter = Duration::from_millis(rand::rng().random_range(0..1_000));
//!     tokio::time::sleep(wait.saturating_add(jitter)).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// A factor that begins at one.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse::<u32>().ok());
//!     let wait = hint.map_or(backoff, |seconds| Duration::from_secs(seconds.into()));
//!     tokio::time::sleep(wait.mul_f64(rand::random_range(1.0..1.5))).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Only the own backoff is spread, and it gives way to a longer hint.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let spread = backoff.mul_f64(rand::random_range(0.5..1.5));
//!     tokio::time::sleep(hint.map_or(spread, |hint| hint.max(spread))).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Held up to the hint again.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.unwrap_or(backoff).mul_f64(rand::random_range(0.5..1.5));
//!     tokio::time::sleep(wait.max(hint.unwrap_or_default()).max(backoff)).await;
//! }
//! ```
//!
//! ## Limits
//!
//! A draw is known by its name: `random_range`, `gen_range`, `random`, and a function called `jitter`, whose answer may be less than what it was given.
//! A constant factor or a constant that is taken off (`hint * 9 / 10`, `seconds - 1`) is reported as well, unless so little is left that another unit must be
//! meant.
//! What a helper of another crate does with the wait is not known, and not reported.

use super::{Group, Rule, keep, unit_mismatch};
use crate::behaviour::Facts;
use crate::behaviour::case::{Case, SECOND};
use crate::behaviour::journey::{header_text, journey};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, Node, SourceIndex, Trail};
use crate::behaviour::value::Kind;
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "shrinking_jitter",
    group: Group::Schedule,
    level: Level::Warn,
    source: include_str!("shrinking_jitter.rs"),
    check,
};

/// A wait that is shorter than this part of the hint was not meant as a factor: another unit, or a number that did not fit.
const LEAST_PART: i128 = 20;

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let named = matches!(facts.source(index).kind, SourceKind::Named(_));
        // A short hint may give way to a backoff that is not known; a long one shows what becomes of it.
        let outcomes = facts.outcomes_of(index).filter(|outcome| matches!(outcome.case, Case::Small | Case::Huge));
        for outcome in outcomes.filter(|outcome| !outcome.in_error && !outcome.in_pieces) {
            // A number taken for another unit is less as well, and has a rule of its own.
            if !is_wait(outcome, index) || unit_mismatch::takes_for_milliseconds(outcome) {
                continue;
            }
            let (span, subject, label) = if let Some(span) = jittered(&outcome.value.trail, index) {
                (span, "may wait less than", "may come to less than the hint here")
            } else if let Some(span) = lessened(outcome).filter(|_| !named) {
                (span, "waits less than", "comes to less than the hint here")
            } else {
                continue;
            };
            let focus = Step { span, kind: StepKind::Cut, label: label.to_owned() };
            let seconds = outcome.case.seconds().unwrap_or(0);
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: Confidence::High,
                    span,
                    message: "jitter or a factor can make the wait shorter than the server asked for".to_owned(),
                    label: label.to_owned(),
                    help: "add jitter to the hint, never take it off: `hint + random(0..spread)`".to_owned(),
                    flow: journey(facts, outcome, focus),
                    witness: Some(Witness {
                        header: header_text(outcome.case),
                        subject: format!("{subject} {seconds} s"),
                        reference: format!("waits at least {seconds} s"),
                        confirmed: false,
                    }),
                },
            );
        }
    }
    findings
}

/// Whether it is a wait for the hint, and not one that a limit held down.
fn is_wait(outcome: &Outcome, source: SourceIndex) -> bool {
    let trail = &outcome.value.trail;
    matches!(outcome.kind, SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned)
        && trail.sources(false).contains(&source)
        && trail.find(false, |node| node.event == Event::Bound(true)).is_none()
}

/// Where a draw at random made the wait less than the hint, unless it was held up to the hint again.
fn jittered(trail: &Trail, source: SourceIndex) -> Option<Span> {
    let has_jitter = |trail: &Trail| {
        trail
            .find(false, |node| node.event == Event::Jitter(true) && node.sources().contains(&source))
            .map(|node| node.span)
    };
    let span = has_jitter(trail)?;
    let is_whole = |data: &Trail| {
        let is_less = |node: &Node| matches!(node.event, Event::Jitter(true) | Event::Part);
        data.sources(false).contains(&source) && data.find(false, is_less).is_none()
    };
    let is_held = trail.find(false, |node| {
        node.event == Event::Both
            && node.data.iter().any(|data| has_jitter(data).is_some())
            && node.data.iter().any(is_whole)
    });
    is_held.is_none().then_some(span)
}

/// Where arithmetic with constants made the wait less than the hint.
fn lessened(outcome: &Outcome) -> Option<Span> {
    let (Kind::Duration(time) | Kind::Instant(time)) = outcome.value.kind else { return None };
    let required = outcome.case.seconds()?.saturating_mul(SECOND);
    (time < required && time.saturating_mul(LEAST_PART) >= required).then(|| outcome.value.at.unwrap_or(outcome.span))
}
