//! # integer_only
//!
//! The value of `Retry-After` is read as a number only, so the date form is lost.
//!
//! ## Why
//!
//! A server may send `Retry-After: 120` or `Retry-After: Fri, 31 Dec 1999 23:59:59 GMT`, and a recipient accepts both (RFC 9110, 10.2.3).
//! Code that reads only the number treats a date like a broken header: it falls back to its own short backoff, or gives up.
//! Load balancers, content delivery networks and maintenance pages do send dates, and they send them when everybody is being asked to stay away.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     value.parse::<u64>().ok().map(Duration::from_secs)
//!     //    ^^^^^^^^^^^^^^ a date fails here
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let text = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let wait = match text.map(|text| text.trim().parse::<f64>()) {
//!     //                                           ^^^^^^^^^^^^^^ a date fails here
//!         Some(Ok(seconds)) => Duration::from_secs_f64(seconds).max(backoff),
//!         _ => backoff,
//!     };
//!     tokio::time::sleep(wait).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! pub enum RetryAfter {
//!     Delay(Duration),
//!     Date(SystemTime),
//! }
//!
//! fn parse(text: &str) -> Option<RetryAfter> {
//!     match text.parse() {
//!         Ok(seconds) => Some(RetryAfter::Delay(Duration::from_secs(seconds))),
//!         Err(_) => httpdate::parse_http_date(text).ok().map(RetryAfter::Date),
//!     }
//! }
//!
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     match parse(headers.get(RETRY_AFTER)?.to_str().ok()?)? {
//!         RetryAfter::Delay(delay) => Some(delay),
//!         RetryAfter::Date(_) => None,
//!         //                     ^^^^ a date is read and then thrown away
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
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     if let Ok(seconds) = value.parse::<u64>() {
//!         return Some(Duration::from_secs(seconds));
//!     }
//!     let date = httpdate::parse_http_date(value).ok()?;
//!     Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::str::FromStr;
//! use std::time::{Duration, SystemTime};
//!
//! pub struct Hint(Duration);
//!
//! impl FromStr for Hint {
//!     type Err = httpdate::Error;
//!
//!     fn from_str(text: &str) -> Result<Hint, httpdate::Error> {
//!         if let Ok(seconds) = text.parse::<u64>() {
//!             return Ok(Hint(Duration::from_secs(seconds)));
//!         }
//!         let date = httpdate::parse_http_date(text)?;
//!         Ok(Hint(date.duration_since(SystemTime::now()).unwrap_or_default()))
//!     }
//! }
//!
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     let hint: Hint = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
//!     Some(hint.0)
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::HeaderMap;
//! use std::time::Duration;
//!
//! /// A vendor's header that counts milliseconds has no date form.
//! pub fn wait(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get("retry-after-ms")?.to_str().ok()?;
//!     value.parse().ok().map(Duration::from_millis)
//! }
//! ```
//!
//! ## Limits
//!
//! Text that is handed to a function of another crate is taken to be read in full there.
//! Vendor headers that count milliseconds have no date form and are left alone.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{header_text, journey};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::{Event, SourceIndex, Trail};
use crate::behaviour::value::Kind;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind, Witness};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "integer_only",
    group: Group::Parse,
    level: Level::Deny,
    source: include_str!("integer_only.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        if matches!(source.kind, SourceKind::Named(_) | SourceKind::Vendor(_)) {
            continue;
        }
        // Text that went out of sight may have been read as a date there.
        if facts.log.escaped.contains_key(&(index, Case::NearDate)) {
            continue;
        }
        // The date may be read from the header by itself, beside the number.
        if reads_date_beside(facts, index) {
            continue;
        }
        let used = facts
            .outcomes_of(index)
            .filter(|outcome| matches!(outcome.case, Case::Small | Case::Huge) && is_wait(outcome))
            .min_by_key(|outcome| sink_rank(outcome));
        // A number that became a duration is used, even where its way could not be followed to an end.
        if used.is_none() && !facts.log.used.contains(&index) {
            continue;
        }
        let date_arrives = facts
            .outcomes_of(index)
            .any(|outcome| matches!(outcome.case, Case::NearDate | Case::FarDate) && is_wait(outcome));
        let attempts = |date: bool, success: bool| {
            let attempts = facts.log.attempts.iter().filter(move |attempt| {
                attempt.source == index
                    && attempt.case == Case::NearDate
                    && attempt.date == date
                    && attempt.success == success
            });
            attempts.map(|attempt| attempt.span).min_by_key(|span| (span.file, span.start))
        };
        let (place, is_thrown) = match attempts(true, true) {
            // A date is parsed, and nothing comes of it.
            Some(_) if used.is_none() => continue,
            Some(parse) if !date_arrives => (thrown_away(facts, index).unwrap_or(parse), true),
            Some(_) => continue,
            // Several numbers are read from a date's text: that is a date parser, written by hand.
            None if numbers_in_a_date(facts, index) > 1 => continue,
            None => match attempts(false, false).or_else(|| if date_arrives { None } else { refused(facts, index) }) {
                Some(parse) => (parse, false),
                // What is made of a date without reading it as one is no time.
                None => match attempts(false, true) {
                    Some(parse) => (parse, false),
                    None => continue,
                },
            },
        };
        let (span, label) = if is_thrown {
            (place, "a date is read and then thrown away")
        } else if facts.is_for_many_headers(source, place) {
            // A helper for many headers is right for the others: the call that names this one is to blame.
            (source.span, "the helper reads a number only")
        } else {
            (place, "a date fails here")
        };
        let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
        let finding = Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: if source.kind == SourceKind::Header && used.is_some() { Confidence::High } else { Confidence::Medium },
            span,
            message: "`Retry-After` is read as a number only; its date form is lost".to_owned(),
            label: label.to_owned(),
            help: "read the date form too, all three formats of it: `retry_after_core::parse` does, or `httpdate::parse_http_date` where the number fails".to_owned(),
            flow: match used {
                Some(used) => journey(facts, used, focus),
                None => vec![Step { span: source.span, kind: StepKind::Read, label: "the header is named here".to_owned() }, focus],
            },
            witness: Some(Witness {
                header: header_text(Case::NearDate),
                subject: "does not read the value".to_owned(),
                reference: "waits at least 7 s".to_owned(),
                confirmed: false,
            }),
        };
        match findings.iter_mut().find(|known| known.span == span) {
            Some(known) => known.confidence = known.confidence.max(finding.confidence),
            None => findings.push(finding),
        }
    }
    findings
}

/// Whether the function that reads the header here reads it once more, and that text as a date whose value arrives.
fn reads_date_beside(facts: &Facts<'_, '_>, index: SourceIndex) -> bool {
    let source = facts.source(index);
    let here = facts.function_at(source.span);
    let is_beside = |other: SourceIndex| {
        let beside = facts.source(other);
        other != index
            && beside.kind == source.kind
            && beside.span != source.span
            && facts.function_at(beside.span) == here
    };
    let reads_date =
        |other: SourceIndex| {
            facts.log.attempts.iter().any(|attempt| {
                attempt.source == other && attempt.case == Case::NearDate && attempt.date && attempt.success
            }) && facts.outcomes_of(other).any(|outcome| outcome.case == Case::NearDate && is_wait(outcome))
        };
    here.is_some() && (0..facts.log.sources.len() as SourceIndex).any(|other| is_beside(other) && reads_date(other))
}

/// At how many places a number is read from a part of a date.
fn numbers_in_a_date(facts: &Facts<'_, '_>, source: SourceIndex) -> usize {
    let attempts = facts.log.attempts.iter().filter(|attempt| {
        attempt.source == source && attempt.case == Case::NearDate && attempt.success && !attempt.date
    });
    attempts.map(|attempt| attempt.span).collect::<std::collections::BTreeSet<_>>().len()
}

/// Whether the outcome is a wait made from the hint. Text with the number in it, for a log line or a message, is none.
fn is_wait(outcome: &Outcome) -> bool {
    let is_message = matches!(outcome.value.kind, Kind::Text(_))
        && outcome
            .value
            .trail
            .find(false, |node| matches!(node.event, Event::ParsedNumber | Event::ParsedDate))
            .is_some();
    outcome.value.trail.carries_hint() && !is_message
}

/// Where the date's case ends with nothing, because of a date that was read.
fn thrown_away(facts: &Facts<'_, '_>, source: SourceIndex) -> Option<Span> {
    facts
        .outcomes_of(source)
        .filter(|outcome| outcome.case == Case::NearDate && !outcome.value.trail.carries_hint())
        .find_map(|outcome| {
            let mut node = outcome.value.trail.0.as_deref();
            let mut place = None;
            while let Some(current) = node {
                let from_date = |trail: &Trail| {
                    trail
                        .find(true, |node| {
                            matches!(node.event, Event::ParsedDate | Event::NotNumber | Event::Absent | Event::Compared)
                        })
                        .is_some_and(|node| node.event == Event::ParsedDate)
                };
                if matches!(current.event, Event::Chosen | Event::ChosenNothing)
                    && current.because.iter().any(from_date)
                {
                    place = Some(current.span);
                }
                node = current.data.first().and_then(|data| data.0.as_deref());
            }
            place
        })
}

fn sink_rank(outcome: &Outcome) -> u8 {
    match outcome.kind {
        SinkKind::Slept => 0,
        SinkKind::SentAgain => 1,
        SinkKind::Returned => 2,
        SinkKind::Stored => 3,
        SinkKind::Passed => 4,
    }
}

/// Where a hand-written number parser refuses a date: the test that makes the date end as the garbage does.
fn refused(facts: &Facts<'_, '_>, source: SourceIndex) -> Option<Span> {
    let end = |case: Case| {
        facts
            .outcomes_of(source)
            .filter(|outcome| outcome.case == case && !outcome.value.trail.carries_hint())
            .find_map(|outcome| {
                outcome.value.trail.find(true, |node| matches!(node.event, Event::NotNumber)).map(|node| node.span)
            })
    };
    let date = end(Case::NearDate)?;
    (end(Case::Garbage) == Some(date)).then_some(date)
}
