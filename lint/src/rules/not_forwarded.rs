//! # not_forwarded
//!
//! An answer from further up is passed on without its `Retry-After`.
//!
//! ## Why
//!
//! A proxy that copies status and body, or the headers of a list, passes on the refusal and keeps the time to itself.
//! Its client sees a 429 or 503 that says nothing, and comes back on its own short backoff, through the proxy, to the same server that asked for a rest.
//!
//! ## Bad
//!
//! ```rust
//! use axum::response::{IntoResponse, Response};
//!
//! // retry-after is not looked at here.
//! pub async fn relay(up: reqwest::Response) -> Response {
//!     let code = up.status();
//!     //            ^^^^^^^^ the status goes on, the header does not
//!     match up.bytes().await {
//!         Ok(body) => (code, body).into_response(),
//!         Err(_) => axum::http::StatusCode::BAD_GATEWAY.into_response(),
//!     }
//! }
//! ```
//!
//! ```rust
//! use http::HeaderMap;
//!
//! // What a client of ours may see; retry-after is missing.
//! const KEEP: &[&str] = &["content-type", "cache-control", "www-authenticate"];
//! //                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `Retry-After` is not on the list
//!
//! pub fn copy_allowed(from: &HeaderMap, to: &mut HeaderMap) {
//!     for (name, value) in from.iter().filter(|(name, _)| KEEP.contains(&name.as_str())) {
//!         to.append(name.clone(), value.clone());
//!     }
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use axum::response::{IntoResponse, Response};
//!
//! pub async fn relay(up: reqwest::Response) -> Response {
//!     let code = up.status();
//!     let headers = up.headers().clone();
//!     match up.bytes().await {
//!         Ok(body) => (code, headers, body).into_response(),
//!         Err(_) => axum::http::StatusCode::BAD_GATEWAY.into_response(),
//!     }
//! }
//! ```
//!
//! ```rust
//! use http::HeaderMap;
//!
//! const KEEP: &[&str] = &["content-type", "cache-control", "retry-after"];
//!
//! pub fn copy_allowed(from: &HeaderMap, to: &mut HeaderMap) {
//!     for (name, value) in from.iter().filter(|(name, _)| KEEP.contains(&name.as_str())) {
//!         to.append(name.clone(), value.clone());
//!     }
//! }
//! ```
//!
//! ```rust
//! use axum::response::{IntoResponse, Response};
//!
//! /// A client's own page about what went wrong further up, which answers for itself; no retry-after is due.
//! pub async fn page(up: reqwest::Response) -> Response {
//!     if up.status().is_success() {
//!         return up.text().await.unwrap_or_default().into_response();
//!     }
//!     (axum::http::StatusCode::BAD_GATEWAY, "try later").into_response()
//! }
//! ```
//!
//! ## Limits
//!
//! Only files in which the header or a wait is mentioned are looked at.
//! Headers that are copied by code that is not known are taken to be all of them.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "not_forwarded",
    group: Group::Emit,
    level: Level::Advice,
    source: include_str!("not_forwarded.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    let relays = facts.emitted.relays.iter();
    relays
        .map(|relay| {
            let (label, message) = if relay.is_list {
                ("`Retry-After` is not on the list", "headers are copied by a list that lacks `Retry-After`")
            } else {
                (
                    "the status goes on, the header does not",
                    "an answer's status and body are passed on without its `Retry-After`",
                )
            };
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: Confidence::Medium,
                span: relay.span,
                message: message.to_owned(),
                label: label.to_owned(),
                help: "pass `Retry-After` on as well, as it came".to_owned(),
                flow: vec![Step { span: relay.span, kind: StepKind::Passed, label: label.to_owned() }],
                witness: None,
            }
        })
        .collect()
}
