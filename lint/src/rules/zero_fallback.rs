//! # zero_fallback
//!
//! A missing or malformed hint becomes a wait of zero.
//!
//! ## Why
//!
//! A malformed `Retry-After` says nothing, and a missing one says nothing either; the client's own backoff is what is left.
//! Reading it as zero turns a plea for time into an immediate retry, and a fleet of clients into a hammer on a server that is already down.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap) {
//!     let seconds = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok()).unwrap_or(0);
//!     //                                                                                                       ^^^^^^^^^^^^ a missing or malformed hint becomes an immediate retry
//!     tokio::time::sleep(Duration::from_secs(seconds)).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! fn wait(headers: &HeaderMap) -> Duration {
//!     match headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         Some(seconds) => Duration::from_secs(seconds),
//!         None => Duration::ZERO,
//!         //      ^^^^^^^^^^^^^^ a missing or malformed hint becomes an immediate retry
//!     }
//! }
//!
//! pub fn pause(headers: &HeaderMap) {
//!     std::thread::sleep(wait(headers));
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     let seconds = text.parse::<u64>().unwrap_or_default();
//!     //                                ^^^^^^^^^^^^^^^^^^^ a missing or malformed hint becomes an immediate retry
//!     Some(Duration::from_secs(seconds))
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok()).map(Duration::from_secs);
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// A date that has passed asks for no wait: that zero is right.
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     let date = httpdate::parse_http_date(headers.get(RETRY_AFTER)?.to_str().ok()?).ok()?;
//!     Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0);
//!     tokio::time::sleep(Duration::from_secs(seconds).max(backoff)).await;
//! }
//! ```
//!
//! ## Limits
//!
//! A zero that stands in an error only for its message is left alone, and so is a zero that a later test or `max` turns into a wait.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{journey, witness};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, Node, SourceIndex, Trail};
use crate::behaviour::value::Kind;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "zero_fallback",
    group: Group::Fallback,
    level: Level::Deny,
    source: include_str!("zero_fallback.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut trails: Vec<(Span, &Trail)> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        let outcomes: Vec<&Outcome> = facts.outcomes_of(index).collect();
        for outcome in &outcomes {
            if !matches!(outcome.case, Case::Garbage | Case::Absent | Case::NotText | Case::NearDate | Case::Overflow)
                || outcome.in_error
                || !is_zero(outcome)
                || outcome.value.trail.carries_hint()
            {
                continue;
            }
            let Some(span) = chosen_at(&outcome.value.trail, index) else { continue };
            // The same place must be one where a hint that can be read is the wait.
            let counts = outcomes.iter().any(|other| {
                other.case == Case::Small
                    && other.kind == outcome.kind
                    && other.span == outcome.span
                    && other.value.trail.carries_hint()
                    && (other.in_future() || !matches!(outcome.value.kind, Kind::Unit))
            });
            // Where the same failure leads to a wait as well, by what the client is set to, the zero is its own choice.
            let zero_by = decisions(&outcome.value.trail, index);
            let zero_at = innermost(&outcome.value.trail, index);
            let by_own_choice = outcomes.iter().any(|other| {
                other.case == outcome.case
                    && other.kind == outcome.kind
                    && other.span == outcome.span
                    && (other.value.is_unknown() || other.value.nanoseconds().is_some_and(|time| time > 0))
                    && !other.value.trail.carries_hint()
                    && other.value.trail.find(true, |node| Some(node.span) == zero_at).is_none()
                    && decisions(&other.value.trail, index).iter().any(|decision| zero_by.contains(decision))
            });
            if !counts || by_own_choice {
                continue;
            }
            let label = "a missing or malformed hint becomes an immediate retry";
            let focus = Step { span, kind: StepKind::Fallback, label: label.to_owned() };
            let confidence = match (&source.kind, outcome.kind) {
                (SourceKind::Header, SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned) => Confidence::High,
                _ => Confidence::Medium,
            };
            let missing = outcome.case == Case::Absent;
            let finding = Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence,
                span,
                message: format!(
                    "a {} `Retry-After` becomes a wait of zero",
                    if missing { "missing" } else { "malformed" }
                ),
                label: label.to_owned(),
                help: "keep it absent (`None`) and wait for the client's own backoff".to_owned(),
                flow: journey(facts, outcome, focus),
                witness: Some(witness(outcome.case, &outcome.value, "retries at once")),
            };
            keep(&mut findings, finding);
            trails.push((span, &outcome.value.trail));
        }
    }
    // What only hands on a zero that another place is to blame for goes with that place.
    let holds = |trail: &Trail, place: Span| trail.find(true, |node| node.span == place).is_some();
    let trails_of = |place: Span| trails.iter().filter(move |(span, _)| *span == place).map(|(_, trail)| *trail);
    let places: Vec<Span> = findings.iter().map(|finding| finding.span).collect();
    findings.retain(|finding| {
        let is_before =
            |place: Span| place != finding.span && !trails_of(place).all(|trail| holds(trail, finding.span));
        !trails_of(finding.span).all(|trail| places.iter().any(|place| is_before(*place) && holds(trail, *place)))
    });
    findings
}

fn is_zero(outcome: &Outcome) -> bool {
    match outcome.value.kind {
        Kind::Duration(time) | Kind::Hint(time) | Kind::Integer(time) | Kind::Instant(time) => time == 0,
        Kind::Float(number) => number == 0.0,
        Kind::Date(_) => outcome.value.nanoseconds() == Some(0),
        // A future that is ready at once, where others end after a wait.
        Kind::Unit => outcome.kind == SinkKind::Returned,
        _ => false,
    }
}

/// Where the zero was chosen because the hint could not be had: the choice nearest to the zero itself.
fn chosen_at(trail: &Trail, source: SourceIndex) -> Option<Span> {
    let mut node: Option<&Node> = trail.0.as_deref();
    let mut place = None;
    while let Some(current) = node {
        if matches!(current.event, Event::Chosen | Event::ChosenNothing)
            && current.because.iter().any(|because| failed(because, source))
        {
            place = Some(to_blame(current, source));
        }
        node = current.data.first().and_then(|data| data.0.as_deref());
    }
    place
}

/// The place of the zero itself, chosen because the hint could not be had.
fn innermost(trail: &Trail, source: SourceIndex) -> Option<Span> {
    let mut node: Option<&Node> = trail.0.as_deref();
    let mut place = None;
    while let Some(current) = node {
        if matches!(current.event, Event::Chosen | Event::ChosenNothing)
            && current.because.iter().any(|because| failed(because, source))
        {
            place = Some(current.span);
        }
        node = current.data.first().and_then(|data| data.0.as_deref());
    }
    place
}

/// The places at which it was decided, because the hint could not be had.
fn decisions(trail: &Trail, source: SourceIndex) -> Vec<Span> {
    let mut node: Option<&Node> = trail.0.as_deref();
    let mut places = Vec::new();
    while let Some(current) = node {
        if matches!(current.event, Event::Chosen | Event::ChosenNothing)
            && current.because.iter().any(|because| failed(because, source))
        {
            places.extend(current.decided_at);
        }
        node = current.data.first().and_then(|data| data.0.as_deref());
    }
    places
}

/// What was chosen because of an answer that itself was chosen because the hint could not be had: the answer is to blame, unless it says just that.
fn to_blame(node: &Node, source: SourceIndex) -> Span {
    let mut node = node;
    while let Some(reason) = node.because.iter().find_map(|because| answer(because, source)) {
        node = reason;
    }
    node.span
}

/// The choice behind a reason that was made because the hint could not be had: below way-points, and below choices for other reasons.
fn answer(because: &Trail, source: SourceIndex) -> Option<&Node> {
    let mut queue: Vec<&Node> = because.0.as_deref().into_iter().collect();
    while let Some(node) = queue.pop() {
        let way_point = match node.event {
            Event::Both | Event::Returned(_) | Event::ComparedWithZero => true,
            Event::Chosen if node.is_hint() => false,
            Event::Chosen if node.because.iter().any(|because| failed(because, source)) => return Some(node),
            Event::Chosen => true,
            _ => false,
        };
        if way_point {
            queue.extend(node.data.iter().filter_map(|trail| trail.0.as_deref()));
        }
    }
    None
}

/// Whether the reason is that the hint was missing or could not be read.
fn failed(because: &Trail, source: SourceIndex) -> bool {
    let mut cause = None;
    for node in because.nodes(true) {
        match node.event {
            Event::Absent | Event::NotText | Event::NotNumber | Event::NotDate | Event::Tested => {
                cause = Some(true);
                break;
            }
            Event::Past | Event::Compared => {
                cause = Some(false);
                break;
            }
            _ => {}
        }
    }
    cause == Some(true) && because.sources(true).contains(&source)
}
