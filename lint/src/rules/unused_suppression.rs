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
