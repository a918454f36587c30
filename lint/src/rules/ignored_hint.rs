//! # ignored_hint
//!
//! A 429 or 503 is retried, and nobody looks whether the response says when.
//!
//! ## Why
//!
//! A server that answers 429 or 503 most often knows when it can be asked again, and says so in `Retry-After`.
//! A client that goes by its own backoff comes back while the server is still shedding load: each attempt is refused, costs both sides, and may lengthen the ban.
//! The response with its headers is at hand where the retry is decided; it only has to be looked at.
//!
//! ## Bad
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     let mut delay = Duration::from_millis(200);
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != reqwest::StatusCode::TOO_MANY_REQUESTS || delay > Duration::from_secs(30) {
//!             return Ok(response);
//!         }
//!         tokio::time::sleep(delay).await;
//!     //  ^^^^^^^^^^^^^^^^^^^^^^^^^ waits for a time of its own, whatever the response says
//!         delay *= 2;
//!     }
//! }
//! ```
//!
//! ```rust
//! use backon::{ExponentialBuilder, Retryable};
//!
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     (|| async { client.get(url).send().await?.error_for_status() })
//!         .retry(ExponentialBuilder::default().with_jitter())
//!     //   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ retried here, whatever the response says
//!         .when(|error| error.status().is_some_and(|status| status == 429 || status.is_server_error()))
//!         .await
//! }
//! ```
//!
//! ```rust
//! use http::{Request, Response};
//! use std::future::Ready;
//! use tower::retry::Policy;
//!
//! #[derive(Clone)]
//! pub struct Attempts(usize);
//!
//! impl<B: Clone, R, E> Policy<Request<B>, Response<R>, E> for Attempts {
//!     type Future = Ready<()>;
//!
//!     fn retry(&mut self, _: &mut Request<B>, result: &mut Result<Response<R>, E>) -> Option<Ready<()>> {
//!         match result {
//!             Ok(response) if matches!(response.status().as_u16(), 429 | 502..=504) && self.0 > 0 => {
//!                 self.0 -= 1;
//!                 Some(std::future::ready(()))
//!             //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ retried, whatever the response says
//!             }
//!             _ => None,
//!         }
//!     }
//!
//!     fn clone_request(&mut self, request: &Request<B>) -> Option<Request<B>> {
//!         Some(request.clone())
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<reqwest::Response> {
//!     let mut delay = Duration::from_millis(200);
//!     loop {
//!         let response = client.get(url).send().await?;
//!         if response.status() != reqwest::StatusCode::TOO_MANY_REQUESTS || delay > Duration::from_secs(30) {
//!             return Ok(response);
//!         }
//!         let hint = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?));
//!         tokio::time::sleep(hint.map_or(delay, |hint| hint.max(delay))).await;
//!         delay *= 2;
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
//! /// The body broke off. The answer itself was a success, and had nothing to say about when to come back.
//! pub async fn fetch(client: &reqwest::Client, url: &str) -> reqwest::Result<String> {
//!     for _ in 0..3 {
//!         let response = client.get(url).send().await?.error_for_status()?;
//!         match response.text().await {
//!             Ok(text) => return Ok(text),
//!             Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
//!         }
//!     }
//!     client.get(url).send().await?.text().await
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// The job is not ready: that is no refusal, and what is refused is given up.
//! pub async fn wait(client: &reqwest::Client, url: &str) -> Option<String> {
//!     loop {
//!         let response = client.get(url).send().await.ok()?;
//!         match response.status().as_u16() {
//!             200 => return response.text().await.ok(),
//!             202 => tokio::time::sleep(Duration::from_secs(1)).await,
//!             _ => return None,
//!         }
//!     }
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// Each attempt waits for what the last response asked for before it sends.
//! pub async fn fetch(host: &mut Host, url: &str) -> Option<reqwest::Response> {
//!     for _ in 0..4 {
//!         let response = host.execute_request(url).await.ok()?;
//!         if response.status() != 503 {
//!             return Some(response);
//!         }
//!         tokio::time::sleep(Duration::from_secs(1)).await;
//!     }
//!     None
//! }
//!
//! pub struct Host {
//!     client: reqwest::Client,
//!     not_before: tokio::time::Instant,
//! }
//!
//! impl Host {
//!     async fn execute_request(&mut self, url: &str) -> reqwest::Result<reqwest::Response> {
//!         tokio::time::sleep_until(self.not_before).await;
//!         let response = self.client.get(url).send().await?;
//!         if let Some(hint) = response.headers().get("retry-after").and_then(|value| httpdate_or_seconds(value.to_str().ok()?)) {
//!             self.not_before = self.not_before.max(tokio::time::Instant::now() + hint);
//!         }
//!         Ok(response)
//!     }
//! }
//!
//! fn httpdate_or_seconds(text: &str) -> Option<Duration> {
//!     match text.parse::<u32>() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds.into())),
//!         Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(std::time::SystemTime::now()).ok(),
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! Where the response goes into code that cannot be seen, or comes from there as an error, the finding is of low confidence. So it is where every failure is repeated, and nothing is named for a retry: that is a poll for something that is not up yet. Where the hint is used if an option says so, the rule is silent.

use super::{Group, Rule, keep};
use crate::behaviour::Facts;
use crate::diagnostic::{Finding, Level, Step, StepKind};
use crate::ir::Span;
use crate::retry::{Ending, Retry};
use std::collections::BTreeSet;

/// The rule.
pub const RULE: Rule =
    Rule { id: "ignored_hint", group: Group::Read, level: Level::Warn, source: include_str!("ignored_hint.rs"), check };

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut loops: BTreeSet<(Span, &[u16])> = BTreeSet::new();
    for retry in &facts.retries.retries {
        // Those have rules of their own, at the place to change.
        if retry.is_gated() || retry.dropped_elsewhere().is_some() {
            continue;
        }
        // Another wait of the same loop is no other fault.
        if let Ending::Round { around, .. } = retry.ending
            && !loops.insert((around, &retry.statuses))
        {
            continue;
        }
        let span = retry.place();
        let label = label(retry);
        let function = facts.program.function(retry.function);
        let again = match retry.ending {
            Ending::Round { .. } => "a loop",
            Ending::Driver { .. } => "a repeated operation",
            Ending::Policy { .. } | Ending::Strategy { .. } => "a retry policy",
            Ending::Refused | Ending::Returned => continue,
        };
        let copies =
            if retry.copies > 1 { format!(", in {} copies of this code", retry.copies) } else { String::new() };
        let finding = Finding {
            rule: RULE.id,
            level: RULE.level,
            confidence: retry.confidence(),
            span,
            message: format!(
                "{again} in `{}` sends the request again after a response of {} without reading its `Retry-After`{copies}",
                function.name,
                statuses(&retry.statuses),
            ),
            label: label.to_owned(),
            help: "read `Retry-After` from the response, and wait for the longer of it and the own backoff".to_owned(),
            flow: flow(retry, Step { span, kind: StepKind::Retried, label: label.to_owned() }),
            witness: None,
        };
        keep(&mut findings, finding);
    }
    findings
}

fn label(retry: &Retry) -> &'static str {
    match retry.ending {
        Ending::Round { .. } if retry.wait == Some(retry.place()) => {
            "waits for a time of its own, whatever the response says"
        }
        Ending::Round { .. } => "goes round at once, whatever the response says",
        Ending::Driver { .. } => "retried here, whatever the response says",
        _ => "retried, whatever the response says",
    }
}

/// "429 or 503".
pub(super) fn statuses(statuses: &[u16]) -> String {
    statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")
}

/// How the response comes to the retry.
pub(super) fn flow(retry: &Retry, focus: Step) -> Vec<Step> {
    let step = |span, kind, label: &str| Step { span, kind, label: label.to_owned() };
    let mut steps = Vec::new();
    if let Some(response) = retry.response {
        steps.push(step(response, StepKind::Read, "a response is in hand here"));
    }
    if Some(retry.test) != retry.response {
        steps.push(step(retry.test, StepKind::Passed, &format!("{} is told apart here", statuses(&retry.statuses))));
    }
    if let Some(dropped) = retry.dropped {
        steps.push(step(dropped.span, StepKind::Dropped, "the headers are given up here"));
    }
    if let Some(wait) = retry.wait {
        steps.push(step(wait, StepKind::Slept, "waits here"));
    }
    if !matches!(retry.ending, Ending::Refused | Ending::Returned) {
        steps.push(step(retry.place(), StepKind::Retried, "and the request is sent again"));
    }
    steps.retain(|step| step.span != focus.span);
    let place = steps.iter().position(|step| step.kind > focus.kind).unwrap_or(steps.len());
    steps.insert(place, focus);
    steps
}
