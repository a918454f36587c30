//! # sleep_holding_lock
//!
//! The hint is slept on while a lock or a permit is held.
//!
//! ## Why
//!
//! Whoever holds a lock while it sleeps makes everybody sleep who wants it: one request that the server asked to wait stops all
//! the others, those to other servers among them, for as long as that one header says.
//!
//! ## Bad
//!
//! ```rust
//! use std::time::Duration;
//! use tokio::sync::Mutex;
//!
//! pub struct Client {
//!     http: reqwest::Client,
//!     turn: Mutex<()>,
//! }
//!
//! impl Client {
//!     pub async fn get(&self, url: &str) -> reqwest::Result<reqwest::Response> {
//!         let _turn = self.turn.lock().await;
//!         loop {
//!             let response = self.http.get(url).send().await?;
//!             let hint = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
//!             match hint {
//!                 Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
//!                 //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a lock or permit is held while this sleeps
//!                 None => return Ok(response),
//!             }
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::collections::HashMap;
//! use std::time::{Duration, Instant};
//! use tokio::sync::RwLock;
//!
//! pub struct Hosts {
//!     not_before: RwLock<HashMap<String, Instant>>,
//! }
//!
//! impl Hosts {
//!     pub async fn note(&self, host: &str, headers: &http::HeaderMap) {
//!         let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) else { return };
//!         let mut hosts = self.not_before.write().await;
//!         hosts.insert(host.to_owned(), Instant::now());
//!         tokio::time::sleep(Duration::from_secs(seconds)).await;
//!     //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a lock or permit is held while this sleeps
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//! use tokio::sync::Semaphore;
//!
//! pub async fn get(http: &reqwest::Client, permits: &Semaphore, url: &str) -> Option<reqwest::Response> {
//!     let permit = permits.acquire().await.ok()?;
//!     let response = http.get(url).send().await.ok()?;
//!     let Some(value) = response.headers().get("retry-after") else { return Some(response) };
//!     let seconds = value.to_str().ok()?.parse().ok()?;
//!     tokio::time::sleep(Duration::from_secs(seconds)).await;
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a lock or permit is held while this sleeps
//!     drop(permit);
//!     None
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use std::time::Duration;
//! use tokio::sync::Semaphore;
//!
//! pub async fn get(http: &reqwest::Client, permits: &Semaphore, url: &str) -> Option<reqwest::Response> {
//!     let permit = permits.acquire().await.ok()?;
//!     let response = http.get(url).send().await.ok()?;
//!     let Some(value) = response.headers().get("retry-after") else { return Some(response) };
//!     let seconds = value.to_str().ok()?.parse().ok()?;
//!     drop(permit);
//!     tokio::time::sleep(Duration::from_secs(seconds)).await;
//!     None
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//! use tokio::sync::Mutex;
//!
//! pub async fn pause(last: &Mutex<u64>, headers: &http::HeaderMap) {
//!     let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) else { return };
//!     {
//!         let mut last = last.lock().await;
//!         *last = seconds;
//!     }
//!     tokio::time::sleep(Duration::from_secs(seconds)).await;
//! }
//! ```
//!
//! ```rust
//! use std::sync::Mutex;
//! use std::time::Duration;
//!
//! pub fn pause(count: &Mutex<u32>, headers: &http::HeaderMap) {
//!     *count.lock().unwrap() += 1;
//!     if let Some(seconds) = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()) {
//!         std::thread::sleep(Duration::from_secs(seconds));
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! Only guards that are taken in the function that sleeps are seen, and those that a helper hands out are not.
//! A permit that is held on purpose, so that a server which is asked to rest gets no other request, is better told by a shared time
//! before which nothing is sent.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::journey::journey;
use crate::behaviour::log::SinkKind;
use crate::behaviour::trail::SourceIndex;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "sleep_holding_lock",
    group: Group::Schedule,
    level: Level::Warn,
    source: include_str!("sleep_holding_lock.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        for outcome in facts.outcomes_of(index).filter(|outcome| outcome.kind == SinkKind::Slept) {
            let Some(taken) = outcome.holds.filter(|_| outcome.value.trail.sources(false).contains(&index)) else {
                continue;
            };
            let label = "a lock or permit is held while this sleeps";
            let focus = Step { span: outcome.span, kind: StepKind::Slept, label: label.to_owned() };
            let mut flow = journey(facts, outcome, focus);
            flow.insert(
                0,
                Step { span: taken, kind: StepKind::Stored, label: "taken here, and not given back".to_owned() },
            );
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence: Confidence::High,
                    span: outcome.span,
                    message: "a lock or permit is held for as long as the server asks to wait".to_owned(),
                    label: label.to_owned(),
                    help: "end the guard's block, or drop it, before the sleep".to_owned(),
                    flow,
                    witness: None,
                },
            );
        }
    }
    findings
}
