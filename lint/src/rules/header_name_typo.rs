//! # header_name_typo
//!
//! Headers are asked for a name that can never match `Retry-After`.
//!
//! ## Why
//!
//! A header's name is compared without regard to case and with regard to everything else.
//! `Retry After` and `retry_after` are other names, which no server sends: the lookup finds nothing, every time, and the client goes by its own backoff as if it had been told nothing.
//! Nothing fails, so nobody notices.
//!
//! ## Bad
//!
//! ```rust
//! use std::time::Duration;
//!
//! pub fn hint(response: &reqwest::Response) -> Option<Duration> {
//!     let value = response.headers().get("retry_after")?;
//!     //                                 ^^^^^^^^^^^^^ no header has this name
//!     value.to_str().ok()?.parse().ok().map(Duration::from_secs)
//! }
//! ```
//!
//! ```rust
//! use std::collections::HashMap;
//!
//! pub fn hint(answer: &HashMap<String, String>) -> Option<&String> {
//!     answer.get("Retry After")
//!     //         ^^^^^^^^^^^^^ no header has this name
//! }
//! ```
//!
//! ```rust
//! pub fn hint(response: &ureq::Response) -> Option<&str> {
//!     response.header("RetryAfter")
//!     //              ^^^^^^^^^^^^ no header has this name
//! }
//! ```
//!
//! ## Good
//!
//! ```rust
//! pub fn hint(headers: &http::HeaderMap) -> Option<&http::HeaderValue> {
//!     headers.get("Retry-After").or_else(|| headers.get(http::header::RETRY_AFTER))
//! }
//! ```
//!
//! ```rust
//! /// The body's field has this name.
//! pub fn hint(body: &serde_json::Value) -> Option<f64> {
//!     body.get("retry_after")?.as_f64()
//! }
//! ```
//!
//! ```rust
//! pub fn labels(tags: &mut std::collections::BTreeMap<&str, u64>, seconds: u64) {
//!     tags.insert("retry_after", seconds);
//! }
//! ```
//!
//! ## Limits
//!
//! Whether a table holds headers is told by its name, its type, or the call that gave it. A name with a blank in it is taken for a header's wherever something is looked up by it.

use super::{Group, Rule};
use crate::behaviour::Facts;
use crate::diagnostic::{Confidence, Finding, Level, Step, StepKind};
use crate::site;

/// The rule.
pub const RULE: Rule = Rule {
    id: "header_name_typo",
    group: Group::Read,
    level: Level::Deny,
    source: include_str!("header_name_typo.rs"),
    check,
};

fn check(facts: &Facts<'_, '_>) -> Vec<Finding> {
    site::misspellings(facts.program)
        .into_iter()
        .map(|misspelling| {
            let label = "no header has this name";
            Finding {
                rule: RULE.id,
                level: RULE.level,
                confidence: if misspelling.is_sure { Confidence::High } else { Confidence::Medium },
                span: misspelling.span,
                message: format!("`{}` can never match `Retry-After`", misspelling.text),
                label: label.to_owned(),
                help: "ask for `retry-after`, in any case; `http::header::RETRY_AFTER` cannot be misspelt".to_owned(),
                flow: vec![Step { span: misspelling.span, kind: StepKind::Read, label: label.to_owned() }],
                witness: None,
            }
        })
        .collect()
}
