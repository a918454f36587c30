//! # partial_date
//!
//! The date is read in some of the three forms of an HTTP-date, and not in all.
//!
//! ## Why
//!
//! A recipient must take three forms: IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), RFC 850 (`Sunday, 06-Nov-94 08:49:37 GMT`) and asctime (`Sun Nov  6
//! 08:49:37 1994`).
//! A parser of mail dates (RFC 2822) takes the first one only, so everything looks right until an old server, or a script that prints `ctime`, asks for
//! an hour of peace.
//! Then the date counts as garbage, the client falls back to a second of its own, and nothing in the log says that a hint was there.
//!
//! ## Bad
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     if let Ok(seconds) = value.parse() {
//!         return Some(Duration::from_secs(seconds));
//!     }
//!     let date = DateTime::parse_from_rfc2822(value).ok()?;
//!     //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ dates in the two older forms fail here
//!     Some((date.with_timezone(&Utc) - Utc::now()).to_std().unwrap_or_default())
//! }
//! ```
//!
//! ```rust
//! use http::{HeaderMap, header::RETRY_AFTER};
//! use std::time::Duration;
//! use time::{OffsetDateTime, format_description::well_known::Rfc2822};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     match value.parse::<u64>() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => {
//!             let date = OffsetDateTime::parse(value, &Rfc2822).ok()?;
//!             //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ dates in the two older forms fail here
//!             Some(Duration::try_from(date - OffsetDateTime::now_utc()).unwrap_or(Duration::ZERO))
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use chrono::{NaiveDateTime, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! fn seconds(value: &str) -> Option<Duration> {
//!     value.parse().ok().map(Duration::from_secs)
//! }
//!
//! fn until(value: &str) -> Option<Duration> {
//!     let date = NaiveDateTime::parse_from_str(value, "%a, %d %b %Y %H:%M:%S GMT").ok()?.and_utc();
//!     //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ dates in the two older forms fail here
//!     Some((date - Utc::now()).to_std().unwrap_or_default())
//! }
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let value = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!     let hint = value.and_then(|value| seconds(value).or_else(|| until(value)));
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     if let Ok(seconds) = value.parse() {
//!         return Some(Duration::from_secs(seconds));
//!     }
//!     let date = httpdate::parse_http_date(value).ok()?;
//!     Some(date.duration_since(SystemTime::now()).unwrap_or_default())
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, NaiveDateTime, Utc};
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! const OLDER_FORMS: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
//!
//! /// The mail date first, then the two forms that it does not know.
//! fn parse_date(value: &str) -> Option<DateTime<Utc>> {
//!     if let Ok(date) = DateTime::parse_from_rfc2822(value) {
//!         return Some(date.with_timezone(&Utc));
//!     }
//!     for form in OLDER_FORMS {
//!         if let Ok(date) = NaiveDateTime::parse_from_str(value, form) {
//!             return Some(date.and_utc());
//!         }
//!     }
//!     None
//! }
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     match value.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => Some((parse_date(value)? - Utc::now()).to_std().unwrap_or_default()),
//!     }
//! }
//! ```
//!
//! ```rust
//! use chrono::{DateTime, Utc};
//! use reqwest::header::{HeaderMap, LAST_MODIFIED, RETRY_AFTER};
//! use std::time::{Duration, SystemTime};
//!
//! /// The mail date is another header's.
//! pub fn age(headers: &HeaderMap) -> Option<chrono::Duration> {
//!     let date = DateTime::parse_from_rfc2822(headers.get(LAST_MODIFIED)?.to_str().ok()?).ok()?;
//!     Some(Utc::now() - date.with_timezone(&Utc))
//! }
//!
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     let number = value.parse().map(Duration::from_secs).ok();
//!     number.or_else(|| {
//!         let date = SystemTime::from(value.parse::<httpdate::HttpDate>().ok()?);
//!         Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
//!     })
//! }
//! ```
//!
//! ## Limits
//!
//! A parser whose code is not seen, and whose library is not known, counts as complete.
//! Where no date is read at all, that is `integer_only`.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::{header_text, journey};
use crate::behaviour::log::{Outcome, SinkKind, SourceKind};
use crate::behaviour::trail::SourceIndex;
use crate::diagnostic::Witness;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "partial_date",
    group: Group::Parse,
    level: Level::Warn,
    source: include_str!("partial_date.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let source = facts.source(index);
        if matches!(source.kind, SourceKind::Named(_) | SourceKind::Vendor(_)) {
            continue;
        }
        // Text that went out of sight may be read as a date there.
        if [Case::NearDate, Case::Rfc850, Case::Asctime]
            .iter()
            .any(|case| facts.log.escaped.contains_key(&(index, *case)))
        {
            continue;
        }
        let parsed = |case: Case| {
            let attempts = facts
                .log
                .attempts
                .iter()
                .filter(move |attempt| attempt.source == index && attempt.case == case && attempt.date);
            attempts
                .filter(|attempt| attempt.success)
                .map(|attempt| attempt.span)
                .min_by_key(|span| (span.file, span.start))
        };
        let Some(span) = parsed(Case::NearDate) else { continue };
        let lost: Vec<Case> =
            [Case::Rfc850, Case::Asctime].into_iter().filter(|case| parsed(*case).is_none()).collect();
        let Some(&first) = lost.first() else { continue };
        let arrives = facts
            .outcomes_of(index)
            .filter(|outcome| outcome.case == Case::NearDate && outcome.value.trail.carries_hint());
        let Some(outcome) = arrives.min_by_key(|outcome| rank(outcome)) else { continue };
        // A form that no date parser took may have been read by hand.
        let by_hand = |case: Case| {
            facts
                .outcomes_of(index)
                .any(|other| other.case == case && other.value.trail.carries_hint() && !other.in_error)
        };
        if lost.iter().all(|case| by_hand(*case)) {
            continue;
        }
        let label = match lost.as_slice() {
            [Case::Rfc850] => "a date in RFC 850's form fails here",
            [Case::Asctime] => "a date in asctime's form fails here",
            _ => "dates in the two older forms fail here",
        };
        let focus = Step { span, kind: StepKind::Parsed, label: label.to_owned() };
        keep(
            &mut findings,
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: Confidence::High,
                span,
                message: "the date parser takes only some of the three forms of an HTTP-date".to_owned(),
                label: label.to_owned(),
                help: "read all three forms: `retry_after_core::parse` does, or `httpdate::parse_http_date`".to_owned(),
                flow: journey(facts, outcome, focus),
                witness: Some(Witness {
                    header: header_text(first),
                    subject: "has no hint".to_owned(),
                    reference: "waits at least 7 s".to_owned(),
                    confirmed: false,
                }),
            },
        );
    }
    findings
}

fn rank(outcome: &Outcome) -> u8 {
    match outcome.kind {
        SinkKind::Slept => 0,
        SinkKind::SentAgain => 1,
        SinkKind::Returned => 2,
        SinkKind::Stored | SinkKind::Passed => 3,
    }
}
