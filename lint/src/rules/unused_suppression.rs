//! # unused_suppression
//!
//! A comment suppresses a rule where the rule finds nothing.
//!
//! ## Why
//!
//! The fault was mended, or it moved and is suppressed no longer.
//! A suppression that stays behind hides the next fault that somebody makes there, and its reason misleads whoever reads it.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//!
//! pub fn hint(headers: &HeaderMap) -> Option<String> {
//!     // retry-after: allow(capped_hint): the scheduler takes up the rest
//!     //                    ^^^^^^^^^^^ suppresses nothing
//!     Some(headers.get(RETRY_AFTER)?.to_str().ok()?.to_owned())
//! }
//! ```
//!
//! ```rust
//! use std::time::Duration;
//!
//! /// The limit was taken out, and the comment stayed.
//! pub fn pause(response: &ureq::http::Response<ureq::Body>, backoff: Duration) {
//!     let value = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
//!     let hint = value.and_then(|value| value.parse().ok()).map(Duration::from_secs).unwrap_or_default();
//!     // retry-after: allow(capped_hint): the next run goes on where this one ends
//!     //                    ^^^^^^^^^^^ suppresses nothing
//!     std::thread::sleep(hint.max(backoff));
//! }
//! ```
//!
//! ```rust
//! use http::header::{HeaderMap, RETRY_AFTER};
//!
//! /// Of two rules one is of use.
//! pub fn seconds(headers: &HeaderMap) -> Option<u64> {
//!     // retry-after: allow(integer_only, zero_fallback): this server is ours, and sends seconds
//!     //                                  ^^^^^^^^^^^^^ suppresses nothing
//!     headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()
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
//!     // retry-after: allow(capped_hint): the scheduler takes up the rest
//!     tokio::time::sleep(Duration::from_secs(hint.min(60))).await;
//! }
//! ```
//!
//! ```rust
//! use http::header::{HeaderMap, RETRY_AFTER};
//!
//! /// It stands at the end of the line that it is about.
//! pub fn seconds(headers: &HeaderMap) -> Option<u64> {
//!     headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok() // retry-after: allow(integer_only): this server is ours
//! }
//! ```
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! /// Nothing is wrong here, and nothing is suppressed.
//! pub fn hint(headers: &HeaderMap) -> Option<Duration> {
//!     let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
//!     match value.parse() {
//!         Ok(seconds) => Some(Duration::from_secs(seconds)),
//!         Err(_) => Some(httpdate::parse_http_date(value).ok()?.duration_since(std::time::SystemTime::now()).unwrap_or_default()),
//!     }
//! }
//! ```
//!
//! ## Limits
//!
//! A suppression counts as used when its rule finds something there at any level and confidence, so that switching a rule off makes none useless.
//! Suppressions in tests, benches and examples are not looked at.

use super::{Group, Rule};
use crate::diagnostic::Level;

/// The rule. Its findings are made where suppressions are applied, after all rules have spoken.
pub const RULE: Rule = Rule {
    id: "unused_suppression",
    group: Group::Suppression,
    level: Level::Warn,
    source: include_str!("unused_suppression.rs"),
    check: |_| Vec::new(),
};
