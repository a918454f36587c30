//! # unshared_hint
//!
//! Many tasks ask one server, and each of them keeps the hint to itself.
//!
//! ## Why
//!
//! The hint is about the server, or about the account, and not about one request. A worker that is told to wait two minutes waits; the seven beside it
//! go on asking, are each refused in turn, and each refusal may lengthen the penalty for all.
//! When the wait is over, every worker has its own, and they come back one after the other at moments that no limit was made for.
//! One moment before which nothing is sent, which all of them look at before they send, costs a field.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::{Client, header::RETRY_AFTER};
//! use std::time::Duration;
//! use tokio::task::JoinSet;
//!
//! pub async fn fetch_all(client: Client, urls: Vec<String>) {
//!     let mut tasks = JoinSet::new();
//!     for url in urls {
//!         let client = client.clone();
//!         tasks.spawn(async move {
//!             while let Ok(response) = client.get(&url).send().await {
//!                 let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!                 let Some(seconds) = value.and_then(|value| value.parse().ok()) else { return };
//!                 tokio::time::sleep(Duration::from_secs(seconds)).await;
//!               //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ one of many waits here, and the others go on
//!             }
//!         });
//!     }
//!     tasks.join_all().await;
//! }
//! ```
//!
//! ```rust
//! use futures::{StreamExt, stream};
//! use reqwest::Client;
//! use std::time::Duration;
//!
//! async fn fetch(client: &Client, url: &str) -> Option<String> {
//!     loop {
//!         let response = client.get(url).send().await.ok()?;
//!         let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!         let Some(seconds) = value.and_then(|value| value.parse::<u64>().ok()) else { return response.text().await.ok() };
//!         tokio::time::sleep(Duration::from_secs(seconds.max(1))).await;
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ one of many waits here, and the others go on
//!     }
//! }
//!
//! pub async fn fetch_all(client: &Client, urls: Vec<String>) -> Vec<Option<String>> {
//!     stream::iter(&urls).map(|url| fetch(client, url)).buffer_unordered(8).collect().await
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn check_all(agent: &ureq::Agent, urls: &[String]) {
//!     std::thread::scope(|scope| {
//!         for url in urls {
//!             scope.spawn(move || {
//!                 while let Ok(response) = agent.get(url).call() {
//!                     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!                     let Some(seconds) = value.and_then(|value| value.parse().ok()) else { return };
//!                     std::thread::sleep(Duration::from_secs(seconds));
//!                   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ one of many waits here, and the others go on
//!                 }
//!             });
//!         }
//!     });
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::{Client, header::RETRY_AFTER};
//! use std::sync::{Arc, Mutex};
//! use std::time::Duration;
//! use tokio::{task::JoinSet, time::Instant};
//!
//! /// All of them look at one moment before they send, and whoever is refused puts it off.
//! pub async fn fetch_all(client: Client, urls: Vec<String>) {
//!     let not_before = Arc::new(Mutex::new(Instant::now()));
//!     let mut tasks = JoinSet::new();
//!     for url in urls {
//!         let (client, not_before) = (client.clone(), not_before.clone());
//!         tasks.spawn(async move {
//!             loop {
//!                 let until = *not_before.lock().unwrap();
//!                 tokio::time::sleep_until(until).await;
//!                 let Ok(response) = client.get(&url).send().await else { return };
//!                 let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!                 let Some(seconds) = value.and_then(|value| value.parse::<u32>().ok()) else { return };
//!                 let until = Instant::now() + Duration::from_secs(seconds.into());
//!                 let mut known = not_before.lock().unwrap();
//!                 *known = until.max(*known);
//!             }
//!         });
//!     }
//!     tasks.join_all().await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// One after the other: while this one waits, nobody sends.
//! pub async fn fetch_all(client: &Client, urls: Vec<String>) {
//!     for url in urls {
//!         while let Ok(response) = client.get(&url).send().await {
//!             let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!             let Some(seconds) = value.and_then(|value| value.parse().ok()) else { break };
//!             tokio::time::sleep(Duration::from_secs(seconds)).await;
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use futures::{StreamExt, stream};
//! use reqwest::{Client, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// What is refused is given back, with the time, to the one place that asks again.
//! async fn fetch(client: &Client, url: &str) -> Result<String, Option<Duration>> {
//!     let response = client.get(url).send().await.map_err(|_| None)?;
//!     if response.status() == 429 {
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         return Err(value.and_then(|value| value.parse().ok()).map(Duration::from_secs));
//!     }
//!     response.text().await.map_err(|_| None)
//! }
//!
//! pub async fn fetch_all(client: &Client, urls: Vec<String>) {
//!     let results: Vec<_> = stream::iter(&urls).map(|url| fetch(client, url)).buffer_unordered(8).collect().await;
//!     let longest = results.into_iter().filter_map(|result| result.err().flatten()).max();
//!     tokio::time::sleep(longest.unwrap_or_default()).await;
//! }
//! ```
//!
//! ## Limits
//!
//! This is advice, off unless it is asked for. Only tasks that are started where the linter can see it count: in a loop, by a stream, by a parallel
//! iterator. Whether they all ask the same server is not known. A task that takes a lock or a permit, or asks a limiter, is taken to look at something
//! that the others share.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::journey;
use crate::behaviour::log::SinkKind;
use crate::behaviour::value::Code;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::names;

/// The rule.
pub const RULE: Rule = Rule {
    id: "unshared_hint",
    group: Group::Schedule,
    level: Level::Advice,
    source: include_str!("unshared_hint.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    if facts.retries.crowds.is_empty() {
        return findings;
    }
    for outcome in &facts.log.outcomes {
        if outcome.case != Case::Small
            || outcome.kind != SinkKind::Slept
            || !outcome.value.trail.carries_hint()
            || outcome.behind_lock
            || outcome.holds.is_some()
        {
            continue;
        }
        let at = outcome.waits_at();
        let crowd = facts.retries.crowds.iter().find(|crowd| {
            let is_called =
                matches!(outcome.code, Code::Function(id) if crowd.calls.contains(&id) && !shares(facts, id));
            !crowd.is_shared && (crowd.inside.holds(at) || is_called)
        });
        let Some(crowd) = crowd else { continue };
        let label = "one of many waits here, and the others go on";
        let focus = Step { span: at, kind: StepKind::Slept, label: label.to_owned() };
        let mut flow = journey(facts, outcome, focus);
        flow.insert(
            0,
            Step { span: crowd.at, kind: StepKind::Passed, label: "this runs many of them at once".to_owned() },
        );
        keep(
            &mut findings,
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: Confidence::Medium,
                span: at,
                message: "each of many tasks waits for its own hint, and the others go on asking".to_owned(),
                label: label.to_owned(),
                help: "keep one moment before which nobody sends, that all of them look at; a later hint puts it off"
                    .to_owned(),
                flow,
                witness: None,
            },
        );
    }
    findings
}

/// Whether the function comes to something that all who call it can see and change.
fn shares(facts: &Facts<'_, '_>, id: crate::ir::FunctionId) -> bool {
    let body = facts.program.function(id).body.as_ref();
    body.is_some_and(|body| body.calls.iter().any(|call| names::shares(call)))
}
