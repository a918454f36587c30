//! # suppression_without_reason
//!
//! A comment suppresses a rule and does not say why.
//!
//! ## Why
//!
//! Whoever reads it later has to find out anew whether the fault is none here, or only was in the way.
//! Such a suppression is not obeyed: what it is for is still found.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(5);
//!     tokio::time::sleep(Duration::from_secs(hint.min(60))).await; // retry-after: allow(capped_hint)
//!     //                                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no reason
//! }
//! ```
//!
//! ```rust
//! use http::header::{HeaderMap, RETRY_AFTER};
//!
//! pub fn seconds(headers: &HeaderMap) -> Option<u64> {
//!     // retry-after: allow(integer_only)
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no reason
//!     headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn pause(response: &ureq::http::Response<ureq::Body>) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let seconds: u64 = value.and_then(|value| value.parse().ok()).unwrap_or(5);
//!     // retry-after: allow(capped_hint):
//!   //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no reason
//!     std::thread::sleep(Duration::from_secs(seconds.min(60)));
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(5);
//!     // retry-after: allow(capped_hint): the caller waits for the rest of the time
//!     tokio::time::sleep(Duration::from_secs(hint.min(60))).await;
//! }
//! ```
//!
//! ```rust
//! use http::header::{HeaderMap, RETRY_AFTER};
//!
//! pub fn seconds(headers: &HeaderMap) -> Option<u64> {
//!     headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok() // retry-after: allow(integer_only): this server is ours
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn pause(response: &ureq::http::Response<ureq::Body>) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let seconds: u64 = value.and_then(|value| value.parse().ok()).unwrap_or(5);
//!     // retry-after: allow(capped_hint): a probe that nobody waits for, and one request a minute
//!     std::thread::sleep(Duration::from_secs(seconds.min(60)));
//! }
//! ```
//!
//! ## Limits
//!
//! Any word after the colon is taken for a reason.

use super::{Group, Rule};
use crate::diagnostic::Level;

/// The rule. Its findings are made where suppressions are applied, after all rules have spoken.
pub const RULE: Rule = Rule {
    id: "suppression_without_reason",
    group: Group::Suppression,
    level: Level::Warn,
    source: include_str!("suppression_without_reason.rs"),
    check: |_| Vec::new(),
};
