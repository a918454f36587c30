//! The rules: each a page, a [`Rule`] and a query over what the header cases became.

pub mod backoff_replaced;
pub mod blocking_wait;
pub mod capped_hint;
pub mod cooldown_race;
pub mod date_emission;
pub mod deadline_truncated;
pub mod epoch_emission;
pub mod final_attempt_sleep;
pub mod header_name_typo;
pub mod hint_dropped;
pub mod ignored_hint;
pub mod integer_only;
pub mod invalid_emission;
pub mod lenient_number;
pub mod local_clock_date;
pub mod missing_header;
pub mod not_forwarded;
pub mod panicking_parse;
pub mod partial_date;
pub mod past_date;
pub mod rounded_down_emission;
pub mod rounded_down_hint;
pub mod shrinking_jitter;
pub mod sleep_holding_lock;
pub mod status_gate;
pub mod suppression_without_reason;
pub mod unbounded_wait;
pub mod unit_mismatch;
pub mod unknown_suppression;
pub mod unshared_hint;
pub mod unused_suppression;
pub mod wall_clock_wait;
pub mod zero_fallback;

use crate::behaviour::Facts;
use crate::diagnostic::{Finding, Level};

/// Where on the hint's way a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// How the header is read.
    Read,
    /// How the value is parsed.
    Parse,
    /// What stands in for a missing hint.
    Fallback,
    /// How the wait is scheduled.
    Schedule,
    /// What a server sends.
    Emit,
    /// How rules are suppressed in the code.
    Suppression,
}

impl Group {
    /// All groups, in the order of the hint's way.
    pub const ALL: [Group; 6] =
        [Group::Read, Group::Parse, Group::Fallback, Group::Schedule, Group::Emit, Group::Suppression];

    /// What its rules are about, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Group::Read => "How the header is read, and whether it is read at all before a request is sent again.",
            Group::Parse => "How the header's value becomes a number or a date, and what of it is lost.",
            Group::Fallback => "What stands in for a hint that is missing or cannot be read.",
            Group::Schedule => {
                "How the wait is made of the hint: whether it is as long as the server asked, and what it holds up."
            }
            Group::Emit => "What a server puts into the header, or forgets to.",
            Group::Suppression => "How findings are suppressed by comments in the code.",
        }
    }

    /// The group's name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Read => "read",
            Group::Parse => "parse",
            Group::Fallback => "fallback",
            Group::Schedule => "schedule",
            Group::Emit => "emit",
            Group::Suppression => "suppression",
        }
    }
}

/// One rule.
pub struct Rule {
    /// Its name, which reads after "allow".
    pub id: &'static str,
    /// Its group.
    pub group: Group,
    /// Its level unless configured otherwise.
    pub level: Level,
    /// The rule file's own text; its `//!` header is the page that `explain` prints.
    pub source: &'static str,
    /// The query.
    pub check: fn(&Facts<'_, '_>) -> Vec<Finding>,
}

impl Rule {
    /// The rule's page: the `//!` header of its file, as Markdown.
    pub fn page(&self) -> String {
        let lines = self.source.lines().take_while(|line| line.starts_with("//!"));
        lines.map(|line| line.trim_start_matches("//!").strip_prefix(' ').unwrap_or("")).collect::<Vec<_>>().join("\n")
            + "\n"
    }

    /// The first paragraph of the page, in one line: what the fault is.
    pub fn summary(&self) -> String {
        let page = self.page();
        let lines = page.lines().skip_while(|line| line.is_empty() || line.starts_with('#'));
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Whether its query asks what is sent again without a look at the hint.
    pub fn needs_retries(&self) -> bool {
        matches!(self.id, "ignored_hint" | "status_gate" | "hint_dropped" | "final_attempt_sleep" | "unshared_hint")
    }

    /// Whether its query asks what a server puts into the header.
    pub fn needs_emissions(&self) -> bool {
        self.group == Group::Emit
    }

    /// Where the page can be read on the net.
    pub fn address(&self) -> String {
        format!("{}/blob/main/docs/src/rules/{}.md", env!("CARGO_PKG_REPOSITORY"), self.id)
    }
}

/// Keeps a finding, unless its place has one that is at least as sure.
fn keep(findings: &mut Vec<Finding>, finding: Finding) {
    match findings.iter_mut().find(|known| known.span == finding.span) {
        Some(known) if known.confidence >= finding.confidence => {}
        Some(known) => *known = finding,
        None => findings.push(finding),
    }
}

/// All rules, in the order of the hint's way; last those about suppressions.
pub const RULES: &[&Rule] = &[
    &header_name_typo::RULE,
    &ignored_hint::RULE,
    &status_gate::RULE,
    &hint_dropped::RULE,
    &integer_only::RULE,
    &partial_date::RULE,
    &lenient_number::RULE,
    &panicking_parse::RULE,
    &unit_mismatch::RULE,
    &past_date::RULE,
    &rounded_down_hint::RULE,
    &local_clock_date::RULE,
    &zero_fallback::RULE,
    &capped_hint::RULE,
    &deadline_truncated::RULE,
    &backoff_replaced::RULE,
    &shrinking_jitter::RULE,
    &unbounded_wait::RULE,
    &blocking_wait::RULE,
    &sleep_holding_lock::RULE,
    &final_attempt_sleep::RULE,
    &cooldown_race::RULE,
    &unshared_hint::RULE,
    &wall_clock_wait::RULE,
    &invalid_emission::RULE,
    &epoch_emission::RULE,
    &rounded_down_emission::RULE,
    &date_emission::RULE,
    &missing_header::RULE,
    &not_forwarded::RULE,
    &unused_suppression::RULE,
    &unknown_suppression::RULE,
    &suppression_without_reason::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_needs_what_its_query_asks() {
        for rule in RULES {
            let code = rule.source.lines().filter(|line| !line.starts_with("//"));
            let asks = |words: &[&str]| code.clone().any(|line| words.iter().any(|word| line.contains(word)));
            assert_eq!(rule.needs_retries(), asks(&["facts.retries"]), "{}", rule.id);
            assert!(rule.needs_emissions() || !asks(&["facts.emitted", "refusal::"]), "{}", rule.id);
        }
    }

    #[test]
    fn the_first_paragraph_is_the_summary() {
        let rule =
            |source| Rule { id: "a_rule", group: Group::Read, level: Level::Warn, source, check: |_| Vec::new() };
        let source = "//! # a_rule\n//!\n//! What it\n//! is about.\n//!\n//! ## Why\n//!\n//! Because.\n";
        assert_eq!(rule(source).summary(), "What it is about.");
        assert_eq!(rule("").summary(), "");
    }
}
