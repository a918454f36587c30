//! # unbounded_wait
//!
//! The hint is slept on, however long it is.
//!
//! ## Why
//!
//! A maintenance page says `Retry-After: 86400`, a broken proxy sends a date in the year 2099, a server counts in milliseconds: each of them is a valid
//! header.
//! The client that sleeps on it keeps its worker, its connection and its caller for as long; the queue behind it fills, and the process looks alive to
//! every probe.
//! The remedy is not a shorter sleep, which is a retry that comes too early (`capped_hint`), but no sleep: over a limit, the request is given back
//! together with the time at which it may be sent.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ slept on, however long the server says
//! }
//! ```
//!
//! ```rust
//! use std::time::{Duration, SystemTime};
//!
//! /// A blocking client, a number or a date.
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let hint = value.and_then(|value| match value.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(SystemTime::now()).ok(),
//!     });
//!     std::thread::sleep(backoff.max(hint.unwrap_or_default()));
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ slept on, however long the server says
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//! use tokio::time::{Instant, sleep_until};
//!
//! pub async fn fetch(client: &Client, url: &str) -> reqwest::Result<Response> {
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != StatusCode::SERVICE_UNAVAILABLE {
//!             return Ok(response);
//!         }
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         let seconds = value.and_then(|value| value.parse().ok()).unwrap_or(1);
//!         if let Some(at) = Instant::now().checked_add(Duration::from_secs(seconds)) {
//!             sleep_until(at).await;
//!           //^^^^^^^^^^^^^^^ slept on, however long the server says
//!         }
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! const LONGEST: Duration = Duration::from_secs(120);
//!
//! /// Over the limit the caller is told when, and nobody sleeps.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) -> Result<(), Duration> {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     if wait > LONGEST {
//!         return Err(wait);
//!     }
//!     tokio::time::sleep(wait).await;
//!     Ok(())
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//! use tokio::time::{Instant, sleep_until};
//!
//! /// A deadline of the whole call is a limit as well.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration, deadline: Instant) -> bool {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     match Instant::now().checked_add(wait) {
//!         Some(at) if at < deadline => {
//!             sleep_until(at).await;
//!             true
//!         }
//!         _ => false,
//!     }
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::{Duration, Instant};
//!
//! /// Kept, and never slept on: the scheduler takes other work until then.
//! pub struct Host {
//!     pub not_before: Option<Instant>,
//! }
//!
//! impl Host {
//!     pub fn note(&mut self, headers: &HeaderMap) {
//!         let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!         self.not_before = hint.and_then(|hint| Instant::now().checked_add(hint)).max(self.not_before);
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! A limit that only the caller knows, such as a `timeout` around the call, is not seen.
//! A sleep that `select!` ends on a signal is without a limit all the same: the signal may never come.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{journey, witness};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, SourceIndex};
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::names;

/// The rule.
pub const RULE: Rule = Rule {
    id: "unbounded_wait",
    group: Group::Schedule,
    level: Level::Warn,
    source: include_str!("unbounded_wait.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: Vec<&Outcome> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        for outcome in facts.outcomes_of(index).filter(|outcome| outcome.case.is_long() && outcome.cut_by.is_none()) {
            let sleeps = outcome.kind == SinkKind::Slept || (outcome.kind == SinkKind::Returned && outcome.in_future());
            let required = outcome.case.seconds().unwrap_or(0).saturating_mul(crate::behaviour::case::SECOND);
            if !sleeps
                || !outcome.value.trail.sources(false).contains(&index)
                || outcome.value.nanoseconds().is_none_or(|time| time < required)
            {
                continue;
            }
            // Held against a limit on the way, even if it is not known on which side of it.
            let limited = [&outcome.value.trail, &outcome.context].into_iter().any(|trail| {
                trail
                    .find(true, |node| {
                        node.event == Event::Compared
                            && node.sources().contains(&index)
                            && node.against.as_deref().is_some_and(names::is_ceiling)
                    })
                    .is_some()
            });
            if limited {
                continue;
            }
            // The same wait in two places of one function, of which one is compiled: one limit mends both.
            let is_twin = |other: &&Outcome| {
                other.code == outcome.code && other.span != outcome.span && other.value.trail.same(&outcome.value.trail)
            };
            if told.iter().any(is_twin) {
                continue;
            }
            told.push(outcome);
            let label = "slept on, however long the server says";
            let focus = Step { span: outcome.waits_at(), kind: StepKind::Slept, label: label.to_owned() };
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: if matches!(source.kind, SourceKind::Named(_)) {
                        Confidence::Medium
                    } else {
                        Confidence::High
                    },
                    span: outcome.waits_at(),
                    message: "the hint is slept on without any limit: a wrong date blocks the worker for days"
                        .to_owned(),
                    label: label.to_owned(),
                    help: "over a limit, do not sleep: give the request back with the time at which it may be sent"
                        .to_owned(),
                    flow: journey(facts, outcome, focus),
                    witness: Some(crate::diagnostic::Witness {
                        reference: "defers the request, with the time at which it may be sent".to_owned(),
                        ..witness(
                            if outcome.case == Case::Huge { Case::Huge } else { Case::FarDate },
                            &outcome.value,
                            "waits as long as it says",
                        )
                    }),
                },
            );
        }
    }
    findings
}
