//! # backoff_replaced
//!
//! The hint stands in for the client's own backoff, where the longer of the two is right.
//!
//! ## Why
//!
//! The hint says when the server is ready at the earliest; the backoff says how hard this client has been knocking. Each answers its own question, and
//! neither knows of the other.
//! `Retry-After: 0`, and a date that has just passed, are answers that real servers give while they restart. A client that waits for the hint alone
//! then sends the request again at once, as often as it is answered so: thousands of times a second, with every attempt used up before the server is
//! back.
//! "The hint should be able to shorten the wait: the server knows best." It knows about itself, and not about the other ten thousand clients that were
//! given the same number;
//! what keeps those apart is the backoff, with its growth and its jitter. A client that waits for the longer of the two loses a few seconds at most, and
//! only after it has failed several times.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, attempt: u32) {
//!     let backoff = Duration::from_millis(100).saturating_mul(1 << attempt.min(10));
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     tokio::time::sleep(hint.unwrap_or(backoff)).await;
//!     //                      ^^^^^^^^^^^^^^^^^^ a hint is used instead of the backoff, however short it is
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn fetch(client: &Client, url: &str) -> reqwest::Result<Response> {
//!     let mut backoff = Duration::from_millis(250);
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != StatusCode::TOO_MANY_REQUESTS {
//!             return Ok(response);
//!         }
//!         let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         let wait = match seconds {
//!         //         ^^^^^^^^^^^^^^^ a hint is used instead of the backoff, however short it is
//!             Some(seconds) => Duration::from_secs(seconds),
//!             None => backoff,
//!         };
//!         tokio::time::sleep(wait).await;
//!         backoff *= 2;
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::{Duration, SystemTime};
//!
//! /// A date that has passed is a hint of zero, and leaves no wait.
//! fn hint(response: &ureq::http::Response<ureq::Body>) -> Option<Duration> {
//!     let value = response.headers().get("retry-after")?.to_str().ok()?;
//!     match value.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => {
//!             let date = httpdate::parse_http_date(value).ok()?;
//!             Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
//!         }
//!     }
//! }
//!
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration) {
//!     let mut wait = backoff;
//!     if let Some(hint) = hint(response) {
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a hint is used instead of the backoff, however short it is
//!         wait = hint;
//!     }
//!     std::thread::sleep(wait);
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Whoever names no time is not asked again.
//! pub async fn fetch(client: &Client, url: &str) -> reqwest::Result<Response> {
//!     loop {
//!         let response = client.get(url).send().await?;
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         let Some(seconds) = value.and_then(|value| value.parse().ok()) else { return Ok(response) };
//!         tokio::time::sleep(Duration::from_secs(seconds)).await;
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing but the hint is waited for
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
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     tokio::time::sleep(backoff.max(hint.unwrap_or_default())).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// By hand, and in another order.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = match hint {
//!         Some(hint) if hint > backoff => hint,
//!         _ => backoff,
//!     };
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// What the server asks for, and the own backoff on top.
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let mut wait = backoff;
//!     if let Some(seconds) = value.and_then(|value| value.parse().ok()) {
//!         wait = wait.saturating_add(Duration::from_secs(seconds));
//!     }
//!     std::thread::sleep(wait);
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// A hint that is too short to be one gives way to the backoff.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.filter(|hint| *hint > backoff).unwrap_or(backoff);
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ## Limits
//!
//! What is reported is a hint of zero that ends in no wait. A short hint that is held up to a floor (`hint.max(Duration::from_secs(1))`) and only cuts a longer
//! backoff is left alone: such a client is impatient, and does not spin.
//! Where the hint alone is given back to the caller, who has the backoff, nothing is known, and nothing is said.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{journey, witness};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, Node, SourceIndex, Trail};
use crate::behaviour::value::{Code, Kind, Value};
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind, Witness};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "backoff_replaced",
    group: Group::Schedule,
    level: Level::Warn,
    source: include_str!("backoff_replaced.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut fallbacks: Vec<(Span, Finding)> = Vec::new();
    let mut told: Vec<Span> = Vec::new();
    // What is known to be the header goes before what is only named like it.
    let mut indices: Vec<SourceIndex> = (0..facts.log.sources.len() as SourceIndex).collect();
    indices.sort_by_key(|index| matches!(facts.source(*index).kind, SourceKind::Named(_)));
    for index in indices {
        let source = facts.source(index);
        let outcomes: Vec<&Outcome> = facts.outcomes_of(index).filter(|outcome| !outcome.in_error).collect();
        for outcome in outcomes.iter().filter(|outcome| outcome.case == Case::Zero) {
            if !is_zero(outcome) || !outcome.value.trail.sources(true).contains(&index) {
                continue;
            }
            let same_sink = |case: Case| {
                outcomes
                    .iter()
                    .filter(move |other| other.case == case && other.kind == outcome.kind && other.span == outcome.span)
            };
            // Where a hint of seven is the wait, one of zero is none.
            if !same_sink(Case::Small).any(|other| other.value.trail.carries_hint()) {
                continue;
            }
            if outcome.kind == SinkKind::Returned && !outcome.in_future() && !gives_a_wait(facts, outcome.code) {
                continue;
            }
            let is_own = |value: &Value| {
                !value.trail.carries_hint() && (value.is_unknown() || value.nanoseconds().is_some_and(|time| time > 0))
            };
            let named = matches!(source.kind, SourceKind::Named(_));
            let own = same_sink(Case::Absent).find(|other| is_own(&other.value)).map(|own| (*own, index));
            // A hint of a name may be there under two of them: the field, and what gives it to the wait.
            let own = own.or_else(|| {
                let others = (0..facts.log.sources.len() as SourceIndex).filter(|_| named);
                let all = others.flat_map(|index| facts.outcomes_of(index).map(move |other| (other, index)));
                all.filter(|(other, index)| {
                    other.case == Case::Absent
                        && (other.kind, other.span) == (outcome.kind, outcome.span)
                        && is_own(&other.value)
                        && chosen_at(&other.value.trail, *index).is_some()
                })
                .min_by_key(|(_, index)| *index)
            });
            let is_own_place = facts.log.own_waits.contains(&outcome.span);
            let (span, message, label) = match (own, outcome.kind) {
                // A wait of its own that the hint had no part in.
                (None, SinkKind::Slept) if outcome.in_loop && is_own_place => (
                    match hint_chosen_at(&outcome.value.trail, index) {
                        // That it lies within a limit is no choice of it for a backoff.
                        Some(_) if named && is_only_bound(&outcome.value.trail, index) => continue,
                        Some(span) => span,
                        None if named => continue,
                        None => outcome.waits_at(),
                    },
                    "the hint stands in for the own backoff, and one of zero leaves no wait at all",
                    "a hint is used instead of the backoff, however short it is",
                ),
                // A body's field may be one that the client fills itself.
                (None, _) if named => continue,
                (Some((own, index)), SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned) => (
                    match chosen_at(&own.value.trail, index).or_else(|| hint_chosen_at(&outcome.value.trail, index)) {
                        Some(span) => span,
                        None if outcome.kind == SinkKind::Slept && !named => outcome.waits_at(),
                        None => continue,
                    },
                    "the hint stands in for the own backoff, and one of zero leaves no wait at all",
                    "a hint is used instead of the backoff, however short it is",
                ),
                (None, SinkKind::Slept) if outcome.in_loop => (
                    outcome.waits_at(),
                    "the hint is the only wait between two tries: one of zero makes the client spin",
                    "nothing but the hint is waited for",
                ),
                (None, SinkKind::Returned) if outcome.in_future() => (
                    outcome.waits_at(),
                    "the hint is the only wait between two tries: one of zero makes the client spin",
                    "nothing but the hint is waited for",
                ),
                (None, SinkKind::SentAgain) => match skipped_at(&outcome.value.trail) {
                    Some(span) => (
                        span,
                        "the hint is the only wait between two tries: one of zero makes the client spin",
                        "a hint of zero is no wait at all",
                    ),
                    None => continue,
                },
                // A moment before which nothing is sent, kept for whoever sends.
                (own, SinkKind::Stored | SinkKind::Passed)
                    if matches!(outcome.value.kind, Kind::Instant(_)) && (own.is_some() || is_own_place) =>
                {
                    let place = hint_chosen_at(&outcome.value.trail, index)
                        .or_else(|| outcome.context.0.as_deref().map(|node| node.span))
                        .or_else(|| own.and_then(|(own, index)| chosen_at(&own.value.trail, index)));
                    let Some(span) = place else { continue };
                    (
                        span,
                        "the hint stands in for the own backoff, and one of zero leaves no wait at all",
                        "a hint is used instead of the backoff, however short it is",
                    )
                }
                _ => continue,
            };
            let seen = matches!(outcome.kind, SinkKind::Slept | SinkKind::SentAgain) || outcome.in_future();
            if named && told.contains(&outcome.span) {
                continue;
            }
            let focus = Step { span, kind: StepKind::Fallback, label: label.to_owned() };
            let finding = Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: if named || !seen { Confidence::Medium } else { Confidence::High },
                span,
                message: message.to_owned(),
                label: label.to_owned(),
                help: "wait for the longer of the two: `hint.max(backoff)`".to_owned(),
                flow: journey(facts, outcome, focus),
                witness: Some(Witness {
                    reference: "waits for its own backoff".to_owned(),
                    ..witness(outcome.case, &outcome.value, "retries at once")
                }),
            };
            if outcome.kind == SinkKind::Slept && span == outcome.waits_at() {
                fallbacks.push((outcome.span, finding));
            } else {
                told.push(outcome.span);
                keep(&mut findings, finding);
            }
        }
    }
    // The sleep is the place where no choice before it is.
    for (_, finding) in fallbacks.into_iter().filter(|(sink, _)| !told.contains(sink)) {
        keep(&mut findings, finding);
    }
    findings
}

fn is_zero(outcome: &Outcome) -> bool {
    match outcome.value.kind {
        Kind::Duration(time) | Kind::Hint(time) | Kind::Integer(time) | Kind::Instant(time) => time == 0,
        Kind::Float(number) => number == 0.0,
        _ => false,
    }
}

/// The choice, nearest to the wait, that was made because of what the hint is.
fn chosen_at(trail: &Trail, source: SourceIndex) -> Option<Span> {
    choice(trail, |node| node.because.iter().any(|because| because.sources(true).contains(&source)))
}

/// The choice of the hint that is nearest to the wait.
fn hint_chosen_at(trail: &Trail, source: SourceIndex) -> Option<Span> {
    choice(trail, |node| node.sources().contains(&source))
}

/// Whether the choice of the hint that is nearest to the wait was between it and a limit.
fn is_only_bound(trail: &Trail, source: SourceIndex) -> bool {
    let node = nearest_choice(trail, |node| node.sources().contains(&source));
    let inner = |node: &Node| node.data.first().and_then(|data| data.0.clone());
    node.is_some_and(|node| {
        inner(node).is_some_and(|inner| matches!(inner.event, Event::Bound(_)) && inner.span == node.span)
    })
}

/// Where the nearest choice of a kind was decided.
fn choice(trail: &Trail, is_it: impl Fn(&Node) -> bool) -> Option<Span> {
    nearest_choice(trail, is_it).map(|node| node.decided_at.unwrap_or(node.span))
}

/// The nearest choice of a kind on the way that the value itself has come.
fn nearest_choice(trail: &Trail, is_it: impl Fn(&Node) -> bool) -> Option<&Node> {
    let mut node = trail.0.as_deref();
    while let Some(current) = node {
        if current.event == Event::Chosen && is_it(current) {
            return Some(current);
        }
        node = current.data.first().and_then(|data| data.0.as_deref());
    }
    None
}

/// Where a hint of zero was told from others, and no wait chosen for it.
fn skipped_at(trail: &Trail) -> Option<Span> {
    let node = trail.0.as_deref().filter(|node| node.event == Event::Chosen)?;
    let by_zero = node
        .because
        .iter()
        .any(|because| because.0.as_deref().is_some_and(|reason| reason.event == Event::ComparedWithZero));
    by_zero.then_some(node.span)
}

/// Whether a function gives a wait in any case, and no Option of one.
fn gives_a_wait(facts: &Facts<'_, '_>, code: Code) -> bool {
    let Code::Function(id) = code else { return false };
    let output = facts.program.function(id).output.as_ref().and_then(|ty| ty.peeled().last_segment());
    output.is_some_and(|ty| ty.ends_with("Duration") || matches!(ty, "TimeDelta" | "u64" | "u32" | "f64" | "Instant"))
}
