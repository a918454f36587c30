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
//! ## Limits
//!
//! Text that is handed to a function of another crate is taken to be read in full there.
//! Vendor headers that count milliseconds have no date form and are left alone.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{header_text, journey};
use crate::behaviour::log::{Attempt, Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::SourceIndex;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind, Witness};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule { id: "integer_only", group: Group::Parse, level: Level::Deny, source: include_str!("integer_only.rs"), check };

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        if matches!(source.kind, SourceKind::Named(_)) {
            continue;
        }
        let attempts: Vec<&Attempt> = facts.log.attempts.iter().filter(|attempt| attempt.source == index).collect();
        let dates = |date: bool, success: bool| attempts.iter().filter(move |attempt| attempt.case == Case::NearDate && attempt.date == date && attempt.success == success);
        // Text that went out of sight may have been read as a date there.
        if facts.log.escaped.contains_key(&(index, Case::NearDate)) {
            continue;
        }
        let Some(used) = facts.outcomes_of(index).filter(|outcome| outcome.case == Case::Small && outcome.value.trail.carries_hint()).min_by_key(|outcome| sink_rank(outcome)) else { continue };
        let date_arrives = facts.outcomes_of(index).any(|outcome| outcome.case == Case::NearDate && outcome.value.trail.carries_hint());
        let place = if dates(true, true).next().is_none() {
            dates(false, false).map(|attempt| attempt.span).min_by_key(|span| (span.file, span.start)).or_else(|| if date_arrives { None } else { refused(facts, index) })
        } else if !date_arrives {
            // A date is parsed, and nothing comes of it.
            dates(true, true).map(|attempt| attempt.span).min_by_key(|span| (span.file, span.start)).filter(|_| !unknown_arrives(facts, index))
        } else {
            None
        };
        let Some(parse) = place else { continue };
        // A helper for many headers is right for the others: the call that names this one is to blame.
        let (span, label) = match (facts.function_at(source.span), source.read_at.and_then(|(read, _)| facts.function_at(read))) {
            (Some(named), Some(read)) if named != read => (source.span, "the helper reads a number only"),
            _ => (parse, "a date fails here"),
        };
        let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
        let finding = Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: if source.kind == SourceKind::Header { Confidence::High } else { Confidence::Medium },
            span,
            message: "`Retry-After` is read as a number only; its date form is lost".to_owned(),
            label: label.to_owned(),
            help: "read the date form too, all three formats of it: `retry_after_core::parse` does, or `httpdate::parse_http_date` where the number fails".to_owned(),
            flow: journey(facts, used, focus),
            witness: Some(Witness {
                header: header_text(Case::NearDate),
                subject: "does not read the value".to_owned(),
                reference: "waits at least 90 s".to_owned(),
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

fn sink_rank(outcome: &Outcome) -> u8 {
    match outcome.kind {
        SinkKind::Slept => 0,
        SinkKind::SentAgain => 1,
        SinkKind::Returned => 2,
        SinkKind::Stored => 3,
        SinkKind::Passed => 4,
    }
}

/// Whether something that is not understood comes of a date: then nothing is certain.
fn unknown_arrives(facts: &Facts<'_, '_>, source: SourceIndex) -> bool {
    facts.outcomes_of(source).any(|outcome| outcome.case == Case::NearDate && outcome.value.is_unknown() && outcome.value.trail.is_some())
}

/// Where a hand-written number parser refuses a date: the test that makes the date end as the garbage does.
fn refused(facts: &Facts<'_, '_>, source: SourceIndex) -> Option<Span> {
    use crate::behaviour::trail::Event;
    let end = |case: Case| {
        facts.outcomes_of(source).filter(|outcome| outcome.case == case && !outcome.value.trail.carries_hint()).find_map(|outcome| {
            outcome.value.trail.find(true, |node| matches!(node.event, Event::NotNumber)).map(|node| node.span)
        })
    };
    let date = end(Case::NearDate)?;
    (end(Case::Garbage) == Some(date)).then_some(date)
}
