//! # status_gate
//!
//! The hint is read for one status, and others are retried as well.
//!
//! ## Why
//!
//! `Retry-After` belongs to 503 as much as to 429: it was made for the first, and taken over for the second.
//! Code that reads it for a 429 only, and retries a 503 by its own backoff, is polite to a server that counts requests and rude to one that is going under.
//!
//! ## Bad
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     for attempt in 0..5 {
//!         let response = client.get(url).send().await?;
//!         if response.status() == 429 {
//!         // ^^^^^^^^^^^^^^^^^^^^^^^^ for 503 the hint is passed by
//!             let hint = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?));
//!             let own = Duration::from_secs(1 << attempt);
//!             tokio::time::sleep(hint.map_or(own, |hint| hint.max(own))).await;
//!         } else if response.status().is_server_error() {
//!             tokio::time::sleep(Duration::from_secs(1 << attempt)).await;
//!         } else {
//!             return Ok(response);
//!         }
//!     }
//!     client.get(url).send().await
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
//! use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
//!     if status != StatusCode::TOO_MANY_REQUESTS {
//!     // ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ for 503 the hint is passed by
//!         return None;
//!     }
//!     httpdate_or_seconds(headers.get(RETRY_AFTER)?.to_str().ok()?)
//! }
//!
//! pub fn is_retryable(status: StatusCode) -> bool {
//!     matches!(status.as_u16(), 429 | 503)
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
//! fn hint(response: &reqwest::Response) -> Option<Duration> {
//!     match response.status().as_u16() {
//!         503 => httpdate_or_seconds(response.headers().get("retry-after")?.to_str().ok()?),
//!     //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ for 429 the hint is passed by
//!         _ => None,
//!     }
//! }
//!
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     let mut own = Duration::from_secs(1);
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if !matches!(response.status().as_u16(), 429 | 503) {
//!             return Ok(response);
//!         }
//!         match hint(&response) {
//!             Some(hint) => tokio::time::sleep(hint.max(own)).await,
//!             None => tokio::time::sleep(own).await,
//!         }
//!         own *= 2;
//!     }
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
//! use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub fn hint(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
//!     if !is_retryable(status) {
//!         return None;
//!     }
//!     httpdate_or_seconds(headers.get(RETRY_AFTER)?.to_str().ok()?)
//! }
//!
//! pub fn is_retryable(status: StatusCode) -> bool {
//!     matches!(status.as_u16(), 429 | 503)
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
//! /// A 503 is not retried here, so nobody needs its hint.
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     let mut own = Duration::from_secs(1);
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != 429 {
//!             return Ok(response);
//!         }
//!         let hint = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?));
//!         tokio::time::sleep(hint.map_or(own, |hint| hint.max(own))).await;
//!         own *= 2;
//!     }
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
//! /// The hint is read whatever the status is, and the status decides about the own wait.
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     for attempt in 0..5 {
//!         let response = client.get(url).send().await?;
//!         let own = match response.status().as_u16() {
//!             429 => Duration::from_secs(5 << attempt),
//!             500..=504 => Duration::from_secs(1 << attempt),
//!             _ => return Ok(response),
//!         };
//!         let hint = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?));
//!         tokio::time::sleep(hint.map_or(own, |hint| hint.max(own))).await;
//!     }
//!     client.get(url).send().await
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
//! ## Limits
//!
//! 429 and 503 are asked about, and no others. A function that reads the hint for one of them counts where something in the same package retries the other, or is named for retrying: the linter does not always see that it is the same request.

use super::ignored_hint::{flow, statuses};
use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::retry::Gate;

/// The rule.
pub const RULE: Rule =
    Rule { id: "status_gate", group: Group::Read, level: Level::Warn, source: include_str!("status_gate.rs"), check };

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for retry in facts.retries.retries.iter().filter(|retry| retry.is_gated()) {
        // Where a function of its own passes the hint by, that is the place to change.
        let is_elsewhere = |gate: &&Gate| {
            gate.function != retry.function
                && retry.tested_in.contains(&gate.function)
                && retry.statuses.contains(&gate.missed)
        };
        if facts.retries.gates.iter().any(|gate| is_elsewhere(&gate)) {
            continue;
        }
        let span = retry.gate.unwrap_or(retry.test);
        let read_for: Vec<u16> = retry
            .read_for
            .iter()
            .map(|(status, ..)| *status)
            .filter(|status| matches!(status, 429 | 503) && !retry.statuses.contains(status))
            .collect();
        let name = &facts.program.function(retry.function).name;
        let missed = statuses(&retry.statuses);
        let message = match read_for.first() {
            Some(status) => {
                format!("`{name}` reads `Retry-After` after a response of {status}, and retries {missed} without it")
            }
            None => format!("`{name}` reads `Retry-After`, and retries {missed} without it"),
        };
        let label = format!("for {} the hint is passed by", statuses(&retry.statuses));
        let mut steps = flow(retry, Step { span, kind: StepKind::Passed, label: label.clone() });
        if let Some((status, span, _)) = retry.read_for.first() {
            let label = format!("used here, after {status}");
            steps.insert(0, Step { span: *span, kind: StepKind::Read, label });
        }
        keep(&mut findings, finding(span, retry.confidence(), message, label, steps));
    }
    for gate in &facts.retries.gates {
        let function = facts.program.function(gate.function);
        let package = facts.program.package_of(function.home);
        if facts.retries.retries.iter().any(|retry| retry.function == gate.function && retry.is_gated()) {
            continue;
        }
        let is_retried = facts.retries.retried.contains(&(package, gate.missed));
        if findings.iter().any(|known| known.span == gate.test) {
            continue;
        }
        let is_sure = is_retried || facts.retries.loops.contains(&package) || gate.is_held;
        let confidence = if is_sure { Confidence::Medium } else { Confidence::Low };
        let message = if is_retried || !gate.is_held {
            format!(
                "`{}` reads `Retry-After` for {} and not for {}, which is retried as well",
                function.name, gate.read_for, gate.missed,
            )
        } else {
            format!(
                "`{}` has the hint in hand for {} as well, and uses it for {} alone",
                function.name, gate.missed, gate.read_for,
            )
        };
        let label = format!("for {} the hint is passed by", gate.missed);
        let steps = vec![
            Step { span: gate.test, kind: StepKind::Passed, label: label.clone() },
            Step { span: gate.read, kind: StepKind::Read, label: format!("used here, after {}", gate.read_for) },
        ];
        keep(&mut findings, finding(gate.test, confidence, message, label, steps));
    }
    findings
}

fn finding(span: crate::ir::Span, confidence: Confidence, message: String, label: String, flow: Vec<Step>) -> Finding {
    Finding {
        rule: RULE.id,
        level: RULE.level,
        confidence,
        span,
        message,
        label,
        help: "read the hint for every status that is retried".to_owned(),
        flow,
        witness: None,
    }
}
