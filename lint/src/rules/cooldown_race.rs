//! # cooldown_race
//!
//! A time that several tasks share, before which nothing is sent, is overwritten without a look at the one that is there.
//!
//! ## Why
//!
//! Two requests of one client are answered at the same time, one with `Retry-After: 60` and one with `Retry-After: 1`. Whichever is
//! written last counts: the minute that the server asked for is gone, and every task goes on after a second.
//!
//! ## Bad
//!
//! ```rust
//! use std::sync::Mutex;
//! use std::time::{Duration, Instant};
//!
//! pub struct Gate {
//!     not_before: Mutex<Instant>,
//! }
//!
//! impl Gate {
//!     pub fn note(&self, headers: &http::HeaderMap) {
//!         if let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) {
//!             *self.not_before.lock().unwrap() = Instant::now() + Duration::from_secs(seconds);
//!           //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ an earlier time may take the place of a later one
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::sync::RwLock;
//! use std::time::{Duration, Instant};
//!
//! pub struct Limits {
//!     blocked: RwLock<Option<Instant>>,
//! }
//!
//! impl Limits {
//!     pub fn on_response(&self, headers: &http::HeaderMap) {
//!         let Some(value) = headers.get("retry-after").and_then(|value| value.to_str().ok()) else { return };
//!         let Ok(seconds) = value.parse() else { return };
//!         let until = Instant::now() + Duration::from_secs(seconds);
//!         *self.blocked.write().unwrap() = Some(until);
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ an earlier time may take the place of a later one
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::{Duration, Instant};
//! use tokio::sync::Mutex;
//!
//! pub async fn note(shared: &Mutex<Option<Instant>>, headers: &http::HeaderMap) {
//!     let wait = match headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         Some(seconds) => Duration::from_secs(seconds),
//!         None => return,
//!     };
//!     *shared.lock().await = Some(Instant::now() + wait);
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ an earlier time may take the place of a later one
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use std::sync::Mutex;
//! use std::time::{Duration, Instant};
//!
//! pub fn note(not_before: &Mutex<Instant>, headers: &http::HeaderMap) {
//!     if let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         let until = Instant::now() + Duration::from_secs(seconds);
//!         let mut not_before = not_before.lock().unwrap();
//!         *not_before = (*not_before).max(until);
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::sync::Mutex;
//! use std::time::{Duration, Instant};
//!
//! pub fn note(not_before: &Mutex<Instant>, headers: &http::HeaderMap) {
//!     if let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         let until = Instant::now() + Duration::from_secs(seconds);
//!         let mut not_before = not_before.lock().unwrap();
//!         if until > *not_before {
//!             *not_before = until;
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::{Duration, Instant};
//!
//! /// Nobody else can write what is borrowed for oneself alone.
//! pub struct Worker {
//!     not_before: Instant,
//! }
//!
//! impl Worker {
//!     pub fn note(&mut self, headers: &http::HeaderMap) {
//!         if let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) {
//!             self.not_before = Instant::now() + Duration::from_secs(seconds);
//!         }
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! Stores through a lock's guard are seen; maps of many hosts, atomics and channels are not, nor a time that is cleared after the sleep.
//! Whether two tasks can come to the store at once is not looked into: a lock says that somebody thinks so.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::journey;
use crate::behaviour::log::SinkKind;
use crate::behaviour::trail::{Event, SourceIndex};
use crate::behaviour::value::Kind;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "cooldown_race",
    group: Group::Schedule,
    level: Level::Warn,
    source: include_str!("cooldown_race.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        let stores =
            facts.outcomes_of(index).filter(|outcome| outcome.case == Case::Small && outcome.kind == SinkKind::Stored);
        for outcome in
            stores.filter(|outcome| outcome.behind_lock && outcome.value.trail.sources(false).contains(&index))
        {
            let is_moment = matches!(outcome.value.kind, Kind::Instant(_) | Kind::Date(_));
            let looked = |trail: &crate::behaviour::trail::Trail| {
                trail.find(true, |node| matches!(node.event, Event::Floor(_) | Event::Compared)).is_some()
            };
            // What is there already is looked at where it is there.
            let is_looked_at = facts.outcomes_of(index).any(|other| {
                other.case == Case::Small
                    && other.kind == SinkKind::Stored
                    && other.span == outcome.span
                    && (looked(&other.value.trail) || looked(&other.context))
            });
            if !is_moment || is_looked_at {
                continue;
            }
            let label = "an earlier time may take the place of a later one";
            let focus = Step { span: outcome.span, kind: StepKind::Stored, label: label.to_owned() };
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: Confidence::Medium,
                    span: outcome.span,
                    message: "a time that others wait for is overwritten without a look at it".to_owned(),
                    label: label.to_owned(),
                    help: "keep the later of the two: `*not_before = (*not_before).max(until)`".to_owned(),
                    flow: journey(facts, outcome, focus),
                    witness: None,
                },
            );
        }
    }
    findings
}
