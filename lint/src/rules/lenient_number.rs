//! # lenient_number
//!
//! The number's grammar is wider than digits, and what it lets in does harm.
//!
//! ## Why
//!
//! A delay is `1*DIGIT`: no sign, no fraction, no exponent, no `NaN`. Rust's signed integers and floats take all of that.
//! `-5` cast to `u64` is a wait of half a trillion years, and cast from a float it is no wait at all; `nan` fails every comparison with a limit and gets
//! past it; a number
//! above 32 bits that is cast to `u32` comes out as a few seconds.
//! What such a value means is nothing: it is no hint, and the client's own backoff applies.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<i64>().ok()?;
//!     //                                                     ^^^^^^^^^^^^^^ takes a number below zero for a delay
//!     Some(Duration::from_secs(seconds as u64))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let seconds: Option<f64> = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!     //                                                                                        ^^^^^^^ takes a number below zero for a delay
//!     let hint = seconds.map(|seconds| Duration::from_secs(seconds.ceil() as u64));
//!     tokio::time::sleep(hint.unwrap_or(backoff)).await;
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let seconds: u64 = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
//!     Some(Duration::from_secs(1) * seconds as u32)
//!     //                            ^^^^^^^^^^^^^^ cuts a large number down to fewer bits
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//!
//! pub struct Limited {
//!     pub retry_after: Option<f64>,
//! }
//!
//! pub fn limited(headers: &HeaderMap) -> Limited {
//!     let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).and_then(|value| value.parse::<f64>().ok());
//!     //                                                                                                      ^^^^^^^^^^^^^^ takes a number below zero for a delay
//!     Limited { retry_after }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<u64>().ok()?;
//!     Some(Duration::from_secs(seconds))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// A fraction is taken, and nothing else that a float lets in.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<f64>().ok()?;
//!     if !seconds.is_finite() || seconds < 0.0 {
//!         return None;
//!     }
//!     Some(Duration::from_secs(seconds.ceil() as u64))
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// A number below zero is no number of seconds, and fails here.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<i64>().ok()?;
//!     u64::try_from(seconds).ok().map(Duration::from_secs)
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Digits only, and as many as there may be: what no integer holds is the longest wait.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
//!         return None;
//!     }
//!     Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)))
//! }
//! ```
//!
//! ## Limits
//!
//! A wider grammar that does no harm is left alone: Rust's unsigned integers take a leading `+`, and a fraction in a float that is rounded up is a longer
//! wait.
//! A panic that such a number leads to further on is `panicking_parse` there, and this rule where it is read.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::{Case, SECOND, WRAPPED};
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::journey::{header_text, in_words, journey, journey_along};
use crate::behaviour::log::{Outcome, SourceKind};
use crate::behaviour::trail::{Event, Node, SourceIndex, Trail};
use crate::behaviour::value::{Kind, Value};
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "lenient_number",
    group: Group::Parse,
    level: Level::Warn,
    source: include_str!("lenient_number.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let named = matches!(facts.source(index).kind, SourceKind::Named(_));
        for outcome in facts.outcomes_of(index).filter(|outcome| outcome.value.trail.carries_hint()) {
            let Some((span, label)) = harm(facts, index, outcome) else { continue };
            let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
            let subject = match outcome.value.nanoseconds() {
                Some(time) if time < 0 => "waits for a time below zero".to_owned(),
                Some(time) => format!("waits {}", in_words(time)),
                None => "has a wait that is no number".to_owned(),
            };
            let confidence = if named { Confidence::Medium } else { Confidence::High };
            let flow = journey(facts, outcome, focus);
            keep(&mut findings, finding(span, label, confidence, &subject, outcome.case, flow));
        }
        // What is stored, and read again by others.
        let stored = facts.log.slots.values().flat_map(|cases| {
            [Case::Negative, Case::NotANumber].into_iter().flat_map(|case| {
                let short = cases
                    .get(&Case::Small)
                    .is_some_and(|values| values.iter().any(|value| value.trail.sources(false).contains(&index)));
                let values = if short { cases.get(&case).map_or(&[][..], Vec::as_slice) } else { &[] };
                values.iter().map(move |value| (case, value))
            })
        });
        for (case, value) in stored {
            let Some((span, label)) = no_delay(facts, case, value, index) else { continue };
            if findings.iter().any(|finding| finding.span == span) {
                continue;
            }
            let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
            findings.push(finding(
                span,
                label,
                Confidence::High,
                "keeps a wait that ends at once",
                case,
                journey_along(facts, &[&value.trail], focus, None),
            ));
        }
        // One that wrapped, and that a longer wait or a limit stands behind.
        for (timed, trail) in &facts.log.timed {
            if timed.source != index || timed.case != Case::Negative || timed.time() <= WRAPPED {
                continue;
            }
            let Some(span) = parsed_at(facts, trail, index) else { continue };
            if findings.iter().any(|finding| finding.span == span) {
                continue;
            }
            let label = "takes a number below zero for a delay";
            let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
            let subject = format!("takes it for a wait of {}", in_words(timed.time()));
            let flow = journey_along(facts, &[trail], focus, None);
            findings.push(finding(span, label, Confidence::High, &subject, timed.case, flow));
        }
        // A number that only wider grammars take, and that panics further on. Where it is one too large for a float's digits alone that does, so
        // does infinity.
        for (hazard, trail) in facts
            .log
            .hazards
            .iter()
            .filter(|(hazard, _)| hazard.source == index && hazard.kind == HazardKind::FloatDuration)
        {
            let Some(parsed) = trail.find(true, is_number_of(index)).map(|node| node.span) else { continue };
            let (label, header) = match hazard.case {
                Case::Negative | Case::NotANumber => {
                    ("takes a sign, NaN and infinity for a delay", header_text(hazard.case))
                }
                Case::Overflow if facts.log.float_parses.contains(&parsed) => {
                    ("takes infinity for a delay", "inf".to_owned())
                }
                _ => continue,
            };
            let span = place(facts, index, parsed);
            if findings.iter().any(|finding| finding.span == span) {
                continue;
            }
            let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
            let flow = journey_along(facts, &[trail], focus, None);
            let mut finding = finding(span, label, Confidence::High, "panics", Case::NotANumber, flow);
            if let Some(witness) = &mut finding.witness {
                witness.header = header;
            }
            findings.push(finding);
        }
    }
    findings
}

fn finding(span: Span, label: &str, confidence: Confidence, subject: &str, case: Case, flow: Vec<Step>) -> Finding {
    Finding {
        rule: RULE.id,
        level: RULE.level,
        confidence,
        span,
        message: "the number's grammar is wider than digits, and what it lets in does harm".to_owned(),
        label: label.to_owned(),
        help: "take digits only, into an unsigned integer of 64 bits, and saturate".to_owned(),
        flow,
        witness: Some(Witness {
            header: header_text(case),
            subject: subject.to_owned(),
            reference: match case {
                Case::Wide => "waits at least 4294967303 s, or defers the request".to_owned(),
                _ => "has no hint, so the client's own backoff applies".to_owned(),
            },
            confirmed: false,
        }),
    }
}

/// Where a value came in that is no delay and does not count as absent, and what it is.
fn no_delay(facts: &Facts<'_, '_>, case: Case, value: &Value, source: SourceIndex) -> Option<(Span, &'static str)> {
    if let (Some("Some"), Some(inner)) = (value.variant_name(), value.payload()) {
        return no_delay(facts, case, inner, source);
    }
    let harmful = match value.kind {
        Kind::Float(number) => number.is_nan() || number < 0.0,
        _ => value.nanoseconds().is_some_and(|time| time <= 0 || time > WRAPPED),
    };
    let label = if case == Case::Negative {
        "takes a number below zero for a delay"
    } else {
        "takes a sign, NaN and infinity for a delay"
    };
    if harmful { Some((parsed_at(facts, &value.trail, source)?, label)) } else { None }
}

/// Where a harmful number came in, and what it is.
fn harm(facts: &Facts<'_, '_>, source: SourceIndex, outcome: &Outcome) -> Option<(Span, &'static str)> {
    match outcome.case {
        Case::Negative | Case::NotANumber => no_delay(facts, outcome.case, &outcome.value, source),
        Case::Wide => {
            let cast = facts.log.hazards.keys().find(|hazard| {
                hazard.source == source && hazard.case == Case::Wide && hazard.kind == HazardKind::NarrowCast
            })?;
            let short = outcome.value.nanoseconds().is_some_and(|time| time < 4_294_967_303 * SECOND)
                && outcome.value.trail.find(false, |node| node.event == Event::Bound(true)).is_none();
            short.then_some((cast.span, "cuts a large number down to fewer bits"))
        }
        _ => None,
    }
}

/// Where the text became a number, or where the header is named that a helper for many headers reads for.
fn parsed_at(facts: &Facts<'_, '_>, trail: &Trail, source: SourceIndex) -> Option<Span> {
    trail.find(true, is_number_of(source)).map(|node| place(facts, source, node.span))
}

/// The place to change of those two.
fn place(facts: &Facts<'_, '_>, index: SourceIndex, parsed: Span) -> Span {
    let source = facts.source(index);
    if facts.is_for_many_headers(source, parsed) { source.span } else { parsed }
}

fn is_number_of(source: SourceIndex) -> impl Fn(&Node) -> bool {
    move |node| node.event == Event::ParsedNumber && node.sources().contains(&source)
}
