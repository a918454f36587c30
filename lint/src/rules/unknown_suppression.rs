//! # unknown_suppression
//!
//! A comment means to suppress a rule, and names none or is written wrongly.
//!
//! ## Why
//!
//! A slip of the keyboard makes a suppression that does nothing, while its author believes in it.
//! Groups and `all` cannot be suppressed: they would hide what nobody has looked at yet.
//!
//! ## Bad
//!
//! ```rust
//! use reqwest::header::{HeaderMap, RETRY_AFTER};
//! use std::time::Duration;
//!
//! pub async fn pause(headers: &HeaderMap) {
//!     let hint = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(5);
//!     // retry-after: allow(caped_hint): the scheduler takes up the rest
//!     //                    ^^^^^^^^^^ no rule
//!     tokio::time::sleep(Duration::from_secs(hint.min(60))).await;
//! }
//! ```
//!
//! ```rust
//! // retry-after: ignore(capped_hint): the scheduler takes up the rest
//! //              ^^^^^^ not known
//! pub mod scheduler {}
//! ```
//!
//! ```rust
//! /// retry-after: allow(capped_hint): the scheduler takes up the rest
//! //               ^^^^^ documentation
//! pub mod scheduler {}
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
//! // retry-after: 120 is what the server says when it restarts
//! pub const RESTART: u64 = 120;
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
//! ## Limits
//!
//! Only comments that begin with `retry-after`, in small letters, are looked at, and of those only what has the form of a suppression. One without the colon, or
//! in a documentation comment, is reported only where it names a rule.

use super::{Group, Rule};
use crate::diagnostic::Level;

/// The rule. Its findings are made where suppressions are applied, after all rules have spoken.
pub const RULE: Rule = Rule {
    id: "unknown_suppression",
    group: Group::Suppression,
    level: Level::Warn,
    source: include_str!("unknown_suppression.rs"),
    check: |_| Vec::new(),
};
