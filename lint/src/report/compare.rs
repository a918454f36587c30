//! What `compare` found: one file a format, both made from one [`Comparison`].

pub mod human;
pub mod json;

use crate::diagnostic::Level;
use crate::harness::{Comparison, Difference};
use crate::rules::RULES;
use std::collections::BTreeMap;

/// Divergences that warn. All others deny: those named after rules that do, and those that no rule is about (a loop without end, a crash).
const WARNS: &[&str] = &["partial_date", "lenient_number", "past_date", "rounded_down_hint"];

/// The level of a divergence: that of the rule it is named after, where there is one.
pub fn level(difference: &Difference) -> Level {
    let rule = RULES.iter().find(|rule| rule.id == difference.kind).map(|rule| rule.level);
    rule.unwrap_or(if WARNS.contains(&&*difference.kind) { Level::Warn } else { Level::Deny })
}

/// The ids of subjects that behave alike, by their fingerprint; only where there are several.
pub fn alike(comparison: &Comparison) -> BTreeMap<&str, Vec<&str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for compared in &comparison.subjects {
        if let Some(fingerprint) = &compared.fingerprint {
            groups.entry(fingerprint).or_default().push(&compared.subject.id);
        }
    }
    groups.retain(|_, ids| ids.len() > 1);
    groups
}
