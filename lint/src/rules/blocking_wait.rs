//! # blocking_wait
//!
//! Asynchronous code blocks its thread while it waits, or cannot be stopped until the wait is over.
//!
//! ## Why
//!
//! `std::thread::sleep` in an `async fn` does not give the thread back to the runtime: it stands still for as long as the server asks.
//! With as many such waits as there are worker threads, the whole service stops answering, health checks and shutdown included; on a runtime with one
//! thread, a single 429 is enough.
//! It shows as timeouts in places that have nothing to do with the server that asked for the pause.
//! A task that looks at its signal to stop once in each round, and then sleeps on the hint, hears the signal when the server allows it: the shutdown that was meant to
//! take a second is ended by force, and what was not written is lost.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     std::thread::sleep(hint.map_or(backoff, |hint| hint.max(backoff)));
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the thread sleeps here, and with it every task on it
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::thread;
//! use std::time::Duration;
//!
//! /// Looks harmless by itself, and is called from the loop below.
//! fn wait_at_least(hint: Option<Duration>, backoff: Duration) {
//!     thread::sleep(hint.map_or(backoff, |hint| hint.max(backoff)));
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the thread sleeps here, and with it every task on it
//! }
//!
//! pub async fn fetch(client: &Client, url: &str) -> reqwest::Result<Response> {
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != StatusCode::TOO_MANY_REQUESTS {
//!             return Ok(response);
//!         }
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         let hint = value.and_then(|value| value.parse().ok()).map(Duration::from_secs);
//!         wait_at_least(hint, Duration::from_secs(1));
//!     }
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn retry_later(headers: HeaderMap, backoff: Duration, again: tokio::sync::mpsc::Sender<()>) {
//!     tokio::spawn(async move {
//!         let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!         std::thread::sleep(hint.unwrap_or(backoff).max(backoff));
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the thread sleeps here, and with it every task on it
//!         let _ = again.send(()).await;
//!     });
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, header::RETRY_AFTER};
//! use std::time::Duration;
//! use tokio_util::sync::CancellationToken;
//!
//! pub async fn poll(client: &Client, url: &str, token: CancellationToken) {
//!     while !token.is_cancelled() {
//!         let Ok(response) = client.get(url).send().await else { return };
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         let hint = value.and_then(|value| value.parse().ok()).map(Duration::from_secs);
//!         tokio::time::sleep(hint.unwrap_or_default().max(Duration::from_secs(1))).await;
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing can interrupt this wait
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
//!     tokio::time::sleep(hint.map_or(backoff, |hint| hint.max(backoff))).await;
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// A synchronous client has nothing but its thread to sleep with.
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let hint = value.and_then(|value| value.parse().ok()).map_or(backoff, Duration::from_secs);
//!     std::thread::sleep(hint.max(backoff));
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// A thread that is there for blocking.
//! pub async fn pause(headers: &HeaderMap, backoff: Duration) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok()).map(Duration::from_secs);
//!     let wait = hint.map_or(backoff, |hint| hint.max(backoff));
//!     let _ = tokio::task::spawn_blocking(move || std::thread::sleep(wait)).await;
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, header::RETRY_AFTER};
//! use std::time::Duration;
//! use tokio_util::sync::CancellationToken;
//!
//! /// Whichever comes first.
//! pub async fn poll(client: &Client, url: &str, token: CancellationToken) {
//!     while !token.is_cancelled() {
//!         let Ok(response) = client.get(url).send().await else { return };
//!         let value = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
//!         let hint = value.and_then(|value| value.parse().ok()).map(Duration::from_secs);
//!         tokio::select! {
//!             () = token.cancelled() => return,
//!             () = tokio::time::sleep(hint.unwrap_or_default().max(Duration::from_secs(1))) => {}
//!         }
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! A synchronous function that reads the header itself, and then sleeps, is judged by itself, even where asynchronous code calls it.
//! A wait that cannot be stopped is reported where the same function looks at a signal to stop elsewhere, with medium confidence; of other code it is not known
//! whether anybody wants to stop it.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::journey::journey;
use crate::behaviour::log::SinkKind;
use crate::behaviour::trail::SourceIndex;
use crate::behaviour::value::Code;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::names;

/// The rule.
pub const RULE: Rule = Rule {
    id: "blocking_wait",
    group: Group::Schedule,
    level: Level::Warn,
    source: include_str!("blocking_wait.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for index in 0..facts.log.sources.len() as SourceIndex {
        for outcome in facts.outcomes_of(index).filter(|outcome| outcome.kind == SinkKind::Slept) {
            if !outcome.value.trail.sources(false).contains(&index) {
                continue;
            }
            let deaf = !outcome.in_select && outcome.cut_by.is_none() && stops(facts, outcome.code);
            let (message, label, help, confidence) = if outcome.blocks {
                (
                    "asynchronous code blocks its thread for as long as the server asks",
                    "the thread sleeps here, and with it every task on it",
                    "await the runtime's own sleep",
                    Confidence::High,
                )
            } else if deaf {
                (
                    "the code is asked to stop in one place and cannot hear it while it waits for as long as the server asks",
                    "nothing can interrupt this wait",
                    "wait for the sleep and for the signal to stop at once: `select!`",
                    Confidence::Medium,
                )
            } else {
                continue;
            };
            let focus = Step { span: outcome.span, kind: StepKind::Slept, label: label.to_owned() };
            keep(
                &mut findings,
                Finding {
                    rule: RULE.id,
                    level: RULE.level,
                    confidence,
                    span: outcome.span,
                    message: message.to_owned(),
                    label: label.to_owned(),
                    help: help.to_owned(),
                    flow: journey(facts, outcome, focus),
                    witness: None,
                },
            );
        }
    }
    findings
}

/// Whether asynchronous code has a signal to stop in hand.
fn stops(facts: &Facts<'_, '_>, code: Code) -> bool {
    let Code::Function(id) = code else { return false };
    let function = facts.program.function(id);
    let is_signal = |name: &str| names::stops(name);
    let by_type = function.parameters.iter().filter_map(|parameter| parameter.ty.as_ref()?.peeled().last_segment());
    function.is_async
        && function.body.as_ref().is_some_and(|body| {
            body.calls.iter().any(|call| matches!(&**call, "is_cancelled" | "is_shutdown" | "cancelled"))
                || (body.calls.iter().any(|call| matches!(&**call, "borrow" | "load" | "has_changed"))
                    && (body.locals.iter().any(|local| is_signal(&local.name))
                        || body.fields.iter().any(|field| is_signal(field))))
        })
        || (function.is_async && by_type.into_iter().any(|ty| ty == "CancellationToken"))
}
