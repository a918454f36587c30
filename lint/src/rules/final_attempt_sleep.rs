//! # final_attempt_sleep
//!
//! After the last attempt it waits once more, and then fails.
//!
//! ## Why
//!
//! The wait is there for the request that follows it. After the last attempt none follows: whoever called is kept waiting, for as long as the server
//! named, and then told what was known before.
//! With `Retry-After: 120` that is two minutes in which a user sees nothing, a queue stands still, and a deadline further up passes; and the error that
//! comes in the end says nothing of how long it would have been.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn fetch(client: &Client, url: &str) -> Result<Response, String> {
//!     for attempt in 0..3u32 {
//!         let response = client.get(url).send().await.map_err(|error| error.to_string())?;
//!         if response.status() != StatusCode::TOO_MANY_REQUESTS {
//!             return Ok(response);
//!         }
//!         let hint = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         let backoff = Duration::from_secs(1 << attempt);
//!         tokio::time::sleep(backoff.max(Duration::from_secs(hint.unwrap_or(0)))).await;
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waited after the last attempt too
//!     }
//!     Err("still limited".to_owned())
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn upload(agent: &ureq::Agent, url: &str, body: &str, most: u32) -> Result<(), u16> {
//!     let mut attempts = 0;
//!     while attempts < most {
//!         attempts += 1;
//!         match agent.post(url).send(body) {
//!             Ok(_) => return Ok(()),
//!             Err(ureq::Error::StatusCode(429 | 503)) => std::thread::sleep(Duration::from_secs(1)),
//!             //                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waited after the last attempt too
//!             Err(_) => return Err(0),
//!         }
//!     }
//!     Err(503)
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// It waits first, and looks at the count then.
//! pub async fn fetch(client: &Client, url: &str) -> Option<String> {
//!     let mut failures = 0;
//!     loop {
//!         let response = client.get(url).send().await.ok()?;
//!         if response.status() == StatusCode::OK {
//!             return response.text().await.ok();
//!         }
//!         let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         tokio::time::sleep(Duration::from_secs(seconds.unwrap_or(5))).await;
//!       //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waited after the last attempt too
//!         failures += 1;
//!         if failures == 5 {
//!             return None;
//!         }
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Whoever called learns at once that it is over, and has the response with the server's hint.
//! pub async fn fetch(client: &Client, url: &str) -> reqwest::Result<Response> {
//!     let mut attempt = 0u32;
//!     loop {
//!         let response = client.get(url).send().await?;
//!         attempt += 1;
//!         if response.status() != StatusCode::TOO_MANY_REQUESTS || attempt == 3 {
//!             return Ok(response);
//!         }
//!         let hint = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         let backoff = Duration::from_secs(1 << attempt);
//!         tokio::time::sleep(backoff.max(Duration::from_secs(hint.unwrap_or(0)))).await;
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// The first attempt is outside the loop, and each wait has its own.
//! pub fn upload(agent: &ureq::Agent, url: &str, body: &str) -> Result<(), ureq::Error> {
//!     let mut result = agent.post(url).send(body);
//!     for attempt in 0..4 {
//!         let Err(ureq::Error::StatusCode(429 | 503)) = result else { break };
//!         std::thread::sleep(Duration::from_secs(1 << attempt));
//!         result = agent.post(url).send(body);
//!     }
//!     result.map(drop)
//! }
//! ```
//!
//! ```rust
//! use reqwest::{Client, Response, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// The waits are a list, and where it ends the response is given back.
//! pub async fn fetch(client: &Client, url: &str, delays: &[Duration]) -> reqwest::Result<Response> {
//!     let mut delays = delays.iter();
//!     loop {
//!         let response = client.get(url).send().await?;
//!         let is_busy = matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
//!         let Some(own) = delays.next().filter(|_| is_busy) else { return Ok(response) };
//!         let hint = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
//!         tokio::time::sleep(Duration::from_secs(hint.unwrap_or(0)).max(*own)).await;
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! This is advice, off unless it is asked for: nothing is sent too early by it.
//! The loop has to stand in the function that waits; a count that is kept elsewhere is not followed. A `while` that only looks at the clock is left
//! alone: whether a wait is the last is not known before it has passed.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::behaviour::case::Case;
use crate::behaviour::journey::journey;
use crate::behaviour::log::SinkKind;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::ir::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "final_attempt_sleep",
    group: Group::Schedule,
    level: Level::Advice,
    source: include_str!("final_attempt_sleep.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for last in &facts.retries.last_waits {
        let function = facts.program.function(last.function);
        let meets =
            |span: Span| span.file == last.wait.file && span.start < last.wait.end && last.wait.start < span.end;
        let is_inside = |span: Span| function.span.holds(span);
        let slept = |place: &dyn Fn(Span) -> bool| {
            facts.log.outcomes.iter().find(|outcome| {
                outcome.case == Case::Small
                    && outcome.kind == SinkKind::Slept
                    && outcome.value.trail.carries_hint()
                    && (place(outcome.span) || place(outcome.waits_at()))
            })
        };
        let hinted = slept(&meets);
        // A function that waits for whoever retries: for the hint, or where there is none for a time of its own.
        let beside = if last.in_loop { None } else { slept(&is_inside) };
        if hinted.is_none() && beside.is_none() && !facts.retries.waits.iter().any(|wait| meets(*wait)) {
            continue;
        }
        let label = "waited after the last attempt too";
        let focus = Step { span: last.wait, kind: StepKind::Slept, label: label.to_owned() };
        let end = Step {
            span: last.ends,
            kind: StepKind::Returned,
            label: "and then this ends it, without another attempt".to_owned(),
        };
        let mut flow = hinted.map_or_else(|| vec![focus.clone()], |outcome| journey(facts, outcome, focus.clone()));
        flow.push(end);
        keep(
            &mut findings,
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: if hinted.is_some() && last.in_loop { Confidence::High } else { Confidence::Medium },
                span: last.wait,
                message: "after the last attempt it waits once more, and then fails".to_owned(),
                label: label.to_owned(),
                help: "see before the wait whether another attempt follows; where none does, give back the time the server named".to_owned(),
                flow,
                witness: None,
            },
        );
    }
    findings
}
