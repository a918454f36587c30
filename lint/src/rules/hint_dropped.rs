//! # hint_dropped
//!
//! A response becomes an error that does not carry its wait.
//!
//! ## Why
//!
//! The headers are there for as long as the response is.
//! `error_for_status` keeps the status and throws the rest away, and so does an error that is built from the status and the body: whoever decides about the retry then cannot know what the server asked for, even if he wants to.
//! An error that has a field for the wait and says `None` is worse, for it claims that the server said nothing.
//!
//! ## Bad
//!
//! ```rust
//! use std::time::Duration;
//!
//! async fn once(client: &reqwest::Client, url: &str) -> reqwest::Result<String> {
//!     client.get(url).send().await?.error_for_status()?.text().await
//!     //                            ^^^^^^^^^^^^^^^^^^ the headers of 503 are gone after this
//! }
//!
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<String> {
//!     let mut attempts = 0;
//!     loop {
//!         match once(client, url).await {
//!             Err(error) if error.status().is_some_and(|status| status.is_server_error()) && attempts < 5 => attempts += 1,
//!             result => return result,
//!         }
//!         tokio::time::sleep(Duration::from_secs(1 << attempts)).await;
//!     }
//! }
//! ```
//!
//! ```rust
//! pub enum ClientError {
//!     RateLimited(String),
//!     Http(reqwest::Error),
//! }
//!
//! pub async fn call(client: &reqwest::Client, url: &str) -> Result<String, ClientError> {
//!     let response = client.get(url).send().await.map_err(ClientError::Http)?;
//!     if response.status() == 429 {
//!         let text = response.text().await.map_err(ClientError::Http)?;
//!         return Err(ClientError::RateLimited(text));
//!         //     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the error for 429 carries no wait
//!     }
//!     response.text().await.map_err(ClientError::Http)
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub enum Failure {
//!     Busy(Option<Duration>),
//!     Other,
//! }
//!
//! pub async fn call(client: &reqwest::Client, url: &str) -> Result<String, Failure> {
//!     let response = client.get(url).send().await.map_err(|_| Failure::Other)?;
//!     let status = response.status();
//!     let hint = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?));
//!     if status.is_success() {
//!         return response.text().await.map_err(|_| Failure::Other);
//!     }
//!     tracing::warn!(?hint, %status, "refused");
//!     Err(Failure::Other)
//! //  ^^^^^^^^^^^^^^^^^^^ the hint of 429 or 503 was read, and is left behind
//! }
//!
//! fn httpdate_or_seconds(text: &str) -> Option<Duration> {
//!     match text.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(std::time::SystemTime::now()).ok(),
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! /// Nobody here retries, and the error is no more about one status than about another.
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<String> {
//!     client.get(url).send().await?.error_for_status()?.text().await
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub enum ClientError {
//!     RateLimited(Option<Duration>),
//!     Http(reqwest::Error),
//! }
//!
//! pub async fn call(client: &reqwest::Client, url: &str) -> Result<String, ClientError> {
//!     let response = client.get(url).send().await.map_err(ClientError::Http)?;
//!     if response.status() == 429 {
//!         let hint = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?));
//!         return Err(ClientError::RateLimited(hint));
//!     }
//!     response.text().await.map_err(ClientError::Http)
//! }
//!
//! fn httpdate_or_seconds(text: &str) -> Option<Duration> {
//!     match text.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(std::time::SystemTime::now()).ok(),
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub enum ClientError {
//!     /// The whole response: whoever gets it can look at its headers.
//!     RateLimited(reqwest::Response),
//!     Http(reqwest::Error),
//! }
//!
//! pub async fn call(client: &reqwest::Client, url: &str) -> Result<String, ClientError> {
//!     let response = client.get(url).send().await.map_err(ClientError::Http)?;
//!     if response.status() == 429 {
//!         return Err(ClientError::RateLimited(response));
//!     }
//!     response.text().await.map_err(ClientError::Http)
//! }
//! ```
//!
//! ## Limits
//!
//! An error that is built for every failure alike is reported only where the linter sees that it is retried: much code never is. What an error of another package holds is not known; where the response is handed to code that cannot be seen, the finding is of low confidence.

use super::ignored_hint::{flow, statuses};
use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::retry::{Drop, DropKind, Gate, Refusal};

/// The rule.
pub const RULE: Rule =
    Rule { id: "hint_dropped", group: Group::Read, level: Level::Warn, source: include_str!("hint_dropped.rs"), check };

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for retry in &facts.retries.retries {
        let explicit = retry.dropped.filter(|dropped| dropped.kind == DropKind::ExplicitNone);
        let Some(dropped) = retry.dropped_elsewhere().or(explicit) else { continue };
        // What a loop of its own says at last, when the hint had its chance in it.
        let has_loop = |drop: Drop| facts.retries.retries.iter().any(|other| other.function == drop.function);
        if retry.is_gated() || dropped.had_hint && has_loop(dropped) {
            continue;
        }
        let label = label(dropped, &retry.statuses);
        let message = format!(
            "the response of {} loses its `Retry-After` here, and `{}` retries it",
            statuses(&retry.statuses),
            facts.program.function(retry.function).name,
        );
        let steps = flow(retry, Step { span: dropped.span, kind: StepKind::Dropped, label: label.clone() });
        keep(&mut findings, finding(dropped, retry.confidence(), message, label, steps));
    }
    let retrying: Vec<_> = facts.retries.retries.iter().map(|retry| retry.function).collect();
    for refusal in &facts.retries.refusals {
        let dropped = refusal.dropped;
        if retrying.contains(&dropped.function) && !dropped.had_hint {
            continue;
        }
        // A hint that is in hand, and used for another status alone, is status_gate's.
        let is_gated =
            |gate: &Gate| gate.is_held && gate.function == dropped.function && refusal.statuses.contains(&gate.missed);
        if dropped.had_hint && facts.retries.gates.iter().any(is_gated) {
            continue;
        }
        let Some(confidence) = confidence(facts, refusal) else { continue };
        let label = label(dropped, &refusal.statuses);
        let message = if dropped.had_hint {
            format!(
                "the `Retry-After` of {} was read, and the error that is returned does not carry it",
                statuses(&refusal.statuses)
            )
        } else {
            format!(
                "the error that stands for {} carries no wait, though the response had one to tell",
                statuses(&refusal.statuses)
            )
        };
        let mut steps = Vec::new();
        if let Some(response) = refusal.response {
            steps.push(Step { span: response, kind: StepKind::Read, label: "a response is in hand here".to_owned() });
        }
        if Some(refusal.test) != refusal.response && refusal.test != dropped.span {
            let label = format!("{} is told apart here", statuses(&refusal.statuses));
            steps.push(Step { span: refusal.test, kind: StepKind::Passed, label });
        }
        steps.retain(|step| step.span != dropped.span);
        steps.push(Step { span: dropped.span, kind: StepKind::Dropped, label: label.clone() });
        keep(&mut findings, finding(dropped, confidence, message, label, steps));
    }
    findings
}

/// How sure it is that an error matters which nobody here was seen to retry.
fn confidence(facts: &Facts<'_, '_>, refusal: &Refusal) -> Option<Confidence> {
    let dropped = refusal.dropped;
    if refusal.doubt {
        return Some(Confidence::Low);
    }
    if dropped.had_hint {
        // The loop's last word, after it gave the hint its chance.
        let loops = facts.retries.retries.iter().any(|retry| {
            retry.function == dropped.function && retry.statuses.iter().any(|status| refusal.statuses.contains(status))
        });
        return (!loops).then_some(Confidence::Medium);
    }
    if refusal.any_failure || dropped.kind == DropKind::ErrorForStatus {
        return None;
    }
    Some(if dropped.is_limit && !refusal.guessed { Confidence::Medium } else { Confidence::Low })
}

fn label(dropped: Drop, of: &[u16]) -> String {
    let of = statuses(of);
    match dropped.kind {
        _ if dropped.had_hint => format!("the hint of {of} was read, and is left behind"),
        DropKind::ErrorForStatus => format!("the headers of {of} are gone after this"),
        DropKind::ExplicitNone => format!("says that the server asked for no wait, after {of}"),
        DropKind::Built => format!("the error for {of} carries no wait"),
    }
}

fn finding(dropped: Drop, confidence: Confidence, message: String, label: String, flow: Vec<Step>) -> Finding {
    Finding {
        rule: RULE.id,
        level: RULE.level,
        confidence,
        span: dropped.span,
        message,
        label,
        help: "read `Retry-After` before the response is consumed, and keep it in the error (`Option<Duration>`)"
            .to_owned(),
        flow,
        witness: None,
    }
}
