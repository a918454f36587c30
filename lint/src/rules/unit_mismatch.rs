//! # unit_mismatch
//!
//! Seconds are taken for milliseconds, or milliseconds for seconds.
//!
//! ## Why
//!
//! `Retry-After` counts seconds; `retry-after-ms` and `x-ms-retry-after-ms` count milliseconds. The types do not tell them apart: both are a `u64`.
//! Two minutes read as milliseconds are an eighth of a second, so every client that was told to stay away is back before the answer has left the log.
//! The other way round, a pause of half a second becomes eight minutes, and the job that hangs says no more than "retrying".
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let wait = match headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         Some(delay) => Duration::from_millis(delay),
//!         //             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ seconds are taken for milliseconds here
//!         None => backoff,
//!     };
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::Response;
//! use std::time::Duration;
//!
//! /// The service sends `retry-after-ms` beside the standard header.
//! pub async fn pause(response: &Response, backoff: Duration) {
//!     let millis = response.headers().get("retry-after-ms").and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
//!     let wait = if let Some(millis) = millis { Duration::from_secs(millis) } else { backoff };
//!     //                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ milliseconds are taken for seconds here
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// Milliseconds already, and made to milliseconds once more.
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff_ms: u64) {
//!     let value = response.headers().get("x-ms-retry-after-ms").and_then(|value| value.to_str().ok());
//!     let mut wait_ms = backoff_ms;
//!     if let Some(delay) = value.and_then(|value| value.parse::<u32>().ok()) {
//!         wait_ms = u64::from(delay) * 1_000;
//!         //        ^^^^^^^^^^^^^^^^^^^^^^^^ milliseconds are taken for seconds here
//!     }
//!     std::thread::sleep(Duration::from_millis(wait_ms));
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//!
//! /// The field's name says milliseconds, and whoever reads it takes them for that.
//! pub struct Limited {
//!     pub retry_after_ms: Option<u64>,
//! }
//!
//! pub fn limited(headers: &HeaderMap) -> Limited {
//!     let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).and_then(|value| value.parse::<u64>().ok());
//!     //                                                                                                  ^^^^^^^^^^^^^^ kept in `Limited`'s `retry_after_ms`, which counts another unit
//!     Limited { retry_after_ms: seconds }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// Each header in its own unit, the finer one first.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
//!     if let Some(millis) = text("retry-after-ms").and_then(|millis| millis.parse().ok()) {
//!         return Some(Duration::from_millis(millis));
//!     }
//!     let value = text(RETRY_AFTER.as_str())?;
//!     match value.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => {
//!             let date = httpdate::parse_http_date(value).ok()?;
//!             Some(date.duration_since(SystemTime::now()).unwrap_or_default())
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// The rest of the client counts in milliseconds.
//! pub async fn pause(headers: &HeaderMap, backoff_ms: u64) {
//!     let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
//!     let wait_ms = seconds.map_or(backoff_ms, |seconds| seconds.saturating_mul(1_000).max(backoff_ms));
//!     tokio::time::sleep(Duration::from_millis(wait_ms)).await;
//! }
//! ```
//!
//! ```rust
//! use http::HeaderMap;
//! use std::time::Duration;
//!
//! /// Whole seconds out of milliseconds, rounded up.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let millis: u64 = headers.get("x-ms-retry-after-ms")?.to_str().ok()?.parse().ok()?;
//!     Some(Duration::from_secs(millis.div_ceil(1_000)))
//! }
//! ```
//!
//! ## Limits
//!
//! A server that sends milliseconds in `Retry-After` is outside the standard, and a client made for it alone has to say so: `// retry-after:
//! allow(unit_mismatch)`.
//! Of a field or a parameter that is only named like the hint, the unit is not known; nothing is said there.
//! A number that leaves the code as a number, and whose name says no unit, has none yet, and is left alone as well.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::{Case, SECOND};
use crate::behaviour::journey::{header_text, in_words, journey, journey_along};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, SourceIndex, Trail};
use crate::behaviour::value::Kind;
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;
use crate::names;

/// The rule.
pub const RULE: Rule = Rule {
    id: "unit_mismatch",
    group: Group::Parse,
    level: Level::Deny,
    source: include_str!("unit_mismatch.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        let (text, unit, confidence) = match &source.kind {
            SourceKind::Header | SourceKind::Text => ("7".to_owned(), "seconds", Confidence::High),
            SourceKind::Vendor(name) => (
                Case::Small.vendor_text(names::unit_of(name)).unwrap_or_default(),
                if names::unit_of(name) == SECOND { "seconds" } else { "milliseconds" },
                Confidence::High,
            ),
            SourceKind::Named(_) | SourceKind::Wait(_) => continue,
        };
        // What arrives in the right unit somewhere is a matter of the analysis, and not of the code.
        let right = |span: Span| {
            facts.outcomes_of(index).any(|other| {
                other.case == Case::Small
                    && other.span == span
                    && other.value.trail.carries_hint()
                    && other.value.nanoseconds() == Some(7 * SECOND)
            })
        };
        // A number that is kept under a name which says another unit. Where it is made a time by that name, that is the place.
        let mut kept: Vec<Finding> = Vec::new();
        let before = findings.len();
        for ((owner, field), cases) in &facts.log.slots {
            let counted = names::unit_of(field);
            let value = cases
                .get(&Case::Small)
                .and_then(|values| values.iter().find(|value| value.trail.sources(false).contains(&index)));
            let Some(value) = value else { continue };
            let number = match &value.kind {
                Kind::Variant(variant) if &*variant.name == "Some" => {
                    variant.fields.first().map(|(_, inner)| &inner.kind)
                }
                kind => Some(kind),
            };
            let Some(Kind::Integer(number)) = number else { continue };
            let says_unit = counted != SECOND || field.contains("sec");
            if !says_unit || number.saturating_mul(counted) == 7 * SECOND || !matches!(number, 7 | 7_000) {
                continue;
            }
            let Some(span) = value.at else { continue };
            let label = format!("kept in `{owner}`'s `{field}`, which counts another unit");
            let focus = Step { span, kind: StepKind::Stored, label: label.clone() };
            keep(
                &mut kept,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: Confidence::Medium,
                    span,
                    message: format!("the header counts {unit}, and its number is taken for another unit"),
                    label,
                    help: "keep a `Duration`, made in the header's own unit".to_owned(),
                    flow: journey_along(facts, &[&value.trail], focus, None),
                    witness: None,
                },
            );
        }
        // Behind a floor the small hint is gone, and the huge one still says in which unit it was taken.
        let is_asked = |case: Case| case == Case::Small || case == Case::Huge && source.kind == SourceKind::Header;
        for outcome in facts.outcomes_of(index).filter(|outcome| is_asked(outcome.case) && !outcome.in_error) {
            let (Kind::Duration(time) | Kind::Instant(time)) = outcome.value.kind else { continue };
            let required = outcome.case.seconds().unwrap_or(0).saturating_mul(SECOND);
            let is_huge = outcome.case == Case::Huge;
            let is_wait = matches!(outcome.kind, SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned)
                || outcome.kind == SinkKind::Stored && !is_huge;
            let is_short = time == required / 1_000;
            if !is_wait
                || right(outcome.span)
                || !outcome.value.trail.carries_hint()
                || !(is_short || time == required * 1_000 && !is_huge)
            {
                continue;
            }
            // Where the header's own number became the time, the fault is there; else it is where the number was changed.
            let header = if is_huge { header_text(outcome.case) } else { text.clone() };
            let own: Option<u64> = header.parse().ok();
            let made = outcome.value.trail.find(false, |node| match node.event {
                Event::Timed { number, unit } => Some(number) == own && i128::from(number) * i128::from(unit) == time,
                _ => false,
            });
            // What the small one told already is not told again.
            if is_huge && made.is_none_or(|node| findings.iter().any(|known| known.span == node.span)) {
                continue;
            }
            let span = made.map(|node| node.span).or(outcome.value.at).unwrap_or(outcome.span);
            let witness = Witness {
                header,
                subject: format!("waits {}", in_words(time)),
                reference: format!("waits at least {}", in_words(required)),
                confirmed: false,
            };
            keep(&mut findings, mismatch(facts, outcome, span, is_short, unit, confidence, witness));
        }
        // A short hint that gave way to something longer, or was found to be too long, was taken for another unit all the same.
        for timed in facts.log.timed.keys().filter(|timed| timed.source == index) {
            let required = 7 * SECOND;
            let is_short = timed.time() == required / 1_000;
            if timed.case != Case::Small
                || text.parse().ok() != Some(timed.number)
                || !(is_short || timed.time() == required * 1_000)
                || findings.iter().any(|known| known.span == timed.span)
            {
                continue;
            }
            let goes_through = |trail: &Trail| {
                trail.find(false, |node| node.span == timed.span && matches!(node.event, Event::Timed { .. })).is_some()
            };
            let waits: Vec<&Outcome> = facts
                .outcomes_of(index)
                .filter(|outcome| matches!(outcome.case, Case::Small | Case::Huge) && !outcome.in_error)
                .filter(|outcome| goes_through(&outcome.value.trail))
                .collect();
            let is_put_right = |outcome: &Outcome| {
                outcome.case.seconds().is_some_and(|seconds| outcome.value.nanoseconds() == Some(seconds * SECOND))
            };
            let is_wait = |outcome: &Outcome| {
                matches!(outcome.kind, SinkKind::Slept | SinkKind::SentAgain | SinkKind::Returned | SinkKind::Stored)
                    && !is_put_right(outcome)
            };
            if waits.iter().any(|outcome| is_put_right(outcome)) {
                continue;
            }
            let Some(outcome) = waits.into_iter().find(|outcome| outcome.case == Case::Small && is_wait(outcome))
            else {
                continue;
            };
            let witness = Witness {
                header: text.clone(),
                subject: format!("takes it for {}", in_words(timed.time())),
                reference: format!("waits at least {}", in_words(required)),
                confirmed: false,
            };
            keep(&mut findings, mismatch(facts, outcome, timed.span, is_short, unit, confidence, witness));
        }
        if findings.len() == before {
            kept.into_iter().for_each(|finding| keep(&mut findings, finding));
        }
    }
    findings
}

/// The finding where a number becomes a time in the wrong unit.
fn mismatch(
    facts: &Facts<'_, '_>,
    outcome: &Outcome,
    span: Span,
    is_short: bool,
    unit: &str,
    confidence: Confidence,
    witness: Witness,
) -> Finding {
    let label =
        if is_short { "seconds are taken for milliseconds here" } else { "milliseconds are taken for seconds here" };
    let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
    Finding {
        rule: RULE.id,
        level: RULE.level,
        confidence,
        span,
        message: format!("the header counts {unit}, and its number is taken for another unit"),
        label: label.to_owned(),
        help: "make the duration in the header's own unit".to_owned(),
        flow: journey(facts, outcome, focus),
        witness: Some(witness),
    }
}

/// Whether the header's number of seconds became a time of as many milliseconds.
pub(super) fn takes_for_milliseconds(outcome: &Outcome) -> bool {
    let is_so = |event: &Event| match *event {
        Event::Timed { number, unit } => {
            Some(i128::from(number)) == outcome.case.seconds() && i128::from(unit) == SECOND / 1_000
        }
        _ => false,
    };
    outcome.value.trail.find(false, |node| is_so(&node.event)).is_some()
}
