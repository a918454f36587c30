//! # capped_hint
//!
//! The wait is held below what the server asked for, and then the request is sent again.
//!
//! ## Why
//!
//! The hint is a lower bound. A client that was told to stay away for ten minutes and comes back after one is refused again, costs the
//! server what it wanted to save, and is often banned for longer.
//! Dropping a long hint and using the own short backoff is worse: the longer the server asks for, the sooner the client returns.
//! "We clamp on purpose, so that nothing blocks for hours" is a good reason for a limit and a bad one for an early retry: over the limit, give the
//! request back to the caller together with the time at which it may be sent.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! const LONGEST: Duration = Duration::from_secs(60);
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.unwrap_or(backoff).min(LONGEST);
//!     //                                 ^^^^^^^^^^^^ a longer hint is cut here
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
//!     let wait = hint.filter(|seconds| *seconds <= 120).map_or(backoff, Duration::from_secs);
//!     //                               ^^^^^^^^^^^^^^^ a longer hint gives way here
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! const LONGEST: u64 = 60;
//!
//! pub fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let mut wait = backoff;
//!     if let Some(mut seconds) = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         if seconds > LONGEST {
//!         // ^^^^^^^^^^^^^^^^^ a longer hint gives way here
//!             seconds = LONGEST;
//!         }
//!         wait = wait.max(Duration::from_secs(seconds));
//!     }
//!     std::thread::sleep(wait);
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! const LONGEST: Duration = Duration::from_secs(60);
//!
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
//!
//! const LONGEST_BACKOFF: Duration = Duration::from_secs(60);
//!
//! /// The limit holds the client's own backoff down, and not the hint.
//! pub async fn pause(headers: &HeaderMap, attempt: u32) {
//!     let backoff = Duration::from_millis(100).saturating_mul(1 << attempt.min(20)).min(LONGEST_BACKOFF);
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! const PIECE: Duration = Duration::from_secs(1);
//!
//! /// A long wait in pieces is no shorter.
//! pub fn pause(headers: &HeaderMap, backoff: Duration, is_cancelled: impl Fn() -> bool) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let mut left = hint.map_or(backoff, |hint| hint.max(backoff));
//!     while !left.is_zero() && !is_cancelled() {
//!         let piece = left.min(PIECE);
//!         std::thread::sleep(piece);
//!         left -= piece;
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! A comparison with a limit whose outcome is an error, a stop or a deferral is right and is left alone.
//! Where a value is only named like the hint and its header was not seen, the confidence is medium.

use super::deadline_truncated::is_time_left;
use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{journey, witness};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, SourceIndex};
use crate::behaviour::value::Kind;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "capped_hint",
    group: Group::Schedule,
    level: Level::Deny,
    source: include_str!("capped_hint.rs"),
    check,
};

/// The ways in which a hint is held below its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Shortened,
    Dropped,
    Overwritten,
}

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        let outcomes: Vec<&Outcome> = facts.outcomes_of(index).collect();
        for outcome in outcomes.iter().filter(|outcome| outcome.case.is_long() && !outcome.in_pieces) {
            let Some((span, way)) = held_back(outcome, index) else { continue };
            if way == Way::Dropped
                && matches!(outcome.kind, SinkKind::Passed | SinkKind::Stored)
                // What nothing in a field means is for its readers to say.
                && (outcome.value.is_unknown() || outcome.value.variant_name() == Some("None"))
            {
                continue;
            }
            if way == Way::Dropped {
                // The comparison must be what keeps this hint from a place that shorter ones reach.
                let shorter_arrives = outcomes.iter().any(|other| {
                    other.case == Case::Small
                        && other.value.trail.carries_hint()
                        && other.in_error == outcome.in_error
                        && (other.span == outcome.span || (other.kind == outcome.kind && other.code == outcome.code))
                });
                // An error that stops is right; one that says there is no wait is not. Where a missing hint leaves a wait all the same, the
                // client's own, `None` ends the attempts.
                let is_none = outcome.value.variant_name() == Some("None");
                let is_stop = if is_none {
                    !outcome.in_error && waits_without(&outcomes, outcome, index)
                } else {
                    outcome.in_error
                };
                if !shorter_arrives || is_stop {
                    continue;
                }
            }
            let named = matches!(source.kind, SourceKind::Named(_));
            if named && matches!(outcome.kind, SinkKind::Passed | SinkKind::Stored) {
                continue;
            }
            let undecided = outcome.value.variant_name() == Some("None");
            // A field that is named like a hint, and a `None` whose meaning is the caller's: that is one guess upon another.
            let confidence = if named && undecided {
                Confidence::Low
            } else if named || undecided || matches!(outcome.kind, SinkKind::Passed | SinkKind::Stored) {
                Confidence::Medium
            } else {
                Confidence::High
            };
            let (message, label, kind) = match way {
                Way::Shortened => {
                    ("the wait is held below what the server asked for", "a longer hint is cut here", StepKind::Cut)
                }
                Way::Overwritten => (
                    "the hint is overwritten before anybody has waited for it",
                    "the hint gives way here",
                    StepKind::Cut,
                ),
                Way::Dropped => (
                    "a long hint gives way to a shorter wait, and the request is sent again too early",
                    "a longer hint gives way here",
                    StepKind::Dropped,
                ),
            };
            let focus = Step { span, kind, label: label.to_owned() };
            let finding = Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence,
                span,
                message: message.to_owned(),
                label: label.to_owned(),
                help: "wait at least as long as the server asked; over the limit, give the request back with the time at which it may be sent".to_owned(),
                flow: journey(facts, outcome, focus),
                witness: Some(witness(outcome.case, &outcome.value, if way == Way::Shortened { "waits no longer than its own limit" } else { "falls back to its own wait" })),
            };
            keep(&mut findings, finding);
        }
    }
    findings
}

/// Whether the sink gets a wait where there is no hint.
fn waits_without(outcomes: &[&Outcome], outcome: &Outcome, source: SourceIndex) -> bool {
    outcomes.iter().any(|other| {
        let own = if other.value.variant_name() == Some("Some") { other.value.payload() } else { None };
        let own = own.unwrap_or(&other.value);
        let is_same = (other.kind, other.span, other.in_error) == (outcome.kind, outcome.span, outcome.in_error)
            && other.value.trail.sources(true).contains(&source);
        match other.case {
            Case::Absent => is_same && (own.is_unknown() || own.nanoseconds().is_some_and(|time| time > 0)),
            // A short hint that was held against an unknown wait became that wait: the client's own is in it already.
            Case::Small | Case::NearDate => {
                is_same
                    && own.is_unknown()
                    && own.trail.find(false, |node| matches!(node.event, Event::Floor(_))).is_some()
            }
            _ => false,
        }
    })
}

/// Where and how a long hint was held back, if it was.
fn held_back(outcome: &Outcome, source: SourceIndex) -> Option<(Span, Way)> {
    let value = &outcome.value;
    let required = outcome.case.seconds()?.saturating_mul(crate::behaviour::case::SECOND);
    let is_wait = match value.kind {
        Kind::Duration(time) | Kind::Instant(time) | Kind::Hint(time) => Some(time < required),
        Kind::Integer(_) | Kind::Float(_) => Some(value.nanoseconds().is_some_and(|time| time < required)),
        Kind::Unknown(_) => Some(true),
        Kind::Variant(_) => Some(value.variant_name() == Some("None")),
        _ => None,
    }?;
    if !is_wait {
        return None;
    }
    if let Some(cut) =
        value.trail.find(false, |node| node.event == Event::Bound(true) && node.sources().contains(&source))
    {
        let until_deadline = cut.against.as_deref().is_some_and(crate::names::is_deadline);
        return (!until_deadline).then_some((cut.span, Way::Shortened));
    }
    if value.trail.carries_hint() {
        return None;
    }
    let mut node = value.trail.0.as_deref();
    while let Some(current) = node {
        match current.event {
            Event::Overwritten if current.because.iter().any(|trail| trail.sources(false).contains(&source)) => {
                return Some((current.span, Way::Overwritten));
            }
            Event::Chosen | Event::Returned(_) | Event::Both | Event::Floor(_) => {
                node = current.data.first().and_then(|trail| trail.0.as_deref())
            }
            _ => break,
        }
    }
    let compared = [&value.trail, &outcome.context].into_iter().find_map(|trail| {
        let node = trail.find(true, |node| {
            matches!(node.event, Event::Compared | Event::NotNumber | Event::Absent | Event::Past)
        })?;
        (node.event == Event::Compared && node.sources().contains(&source)).then_some(node)
    })?;
    // A wait that gives way to the time that is left has a rule of its own.
    let until_deadline = compared.against.as_deref().is_some_and(crate::names::is_deadline) && is_time_left(value);
    (!until_deadline).then_some((compared.span, Way::Dropped))
}
