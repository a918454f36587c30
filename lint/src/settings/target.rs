//! What a level can be given to: a rule, a group, or all of them.

use crate::report::level_word;
use crate::rules::{Group, RULES, Rule};
use crate::workspace::nearest;
use std::fmt;

/// What a level is given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Every rule.
    All,
    /// The rules of a group.
    Group(Group),
    /// One rule, by its id.
    Rule(&'static str),
}

impl Target {
    /// What the name means.
    ///
    /// # Errors
    ///
    /// A name that is none gives the complaint, with the name that is nearest.
    pub fn named(name: &str) -> Result<Target, String> {
        Target::among(name, RULES)
    }

    fn among(name: &str, rules: &[&'static Rule]) -> Result<Target, String> {
        if name == "all" {
            return Ok(Target::All);
        }
        if let Some(group) = Group::ALL.into_iter().find(|group| group.as_str() == name) {
            return Ok(Target::Group(group));
        }
        if let Some(rule) = rules.iter().find(|rule| rule.id == name) {
            return Ok(Target::Rule(rule.id));
        }
        let names = rules.iter().map(|rule| rule.id).chain(Group::ALL.iter().map(|group| group.as_str()));
        Err(unknown("rule or group", name, names.chain(["all"])))
    }

    /// Whether the rule is meant.
    pub fn applies_to(self, rule: &str) -> bool {
        match self {
            Target::All => true,
            Target::Group(named) => RULES.iter().any(|known| known.id == rule && known.group == named),
            Target::Rule(named) => named == rule,
        }
    }

    /// How much it narrows down: of two that mean the same rule, the narrower one decides.
    pub(super) fn narrowness(self) -> u8 {
        match self {
            Target::All => 0,
            Target::Group(_) => 1,
            Target::Rule(_) => 2,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::All => "all",
            Target::Group(group) => group.as_str(),
            Target::Rule(id) => id,
        })
    }
}

/// The page of the rule or group of that name.
///
/// # Errors
///
/// A name that is none gives the complaint, with the name that is nearest.
pub fn page(name: &str) -> Result<String, String> {
    if let Some(rule) = RULES.iter().find(|rule| rule.id == name) {
        return Ok(rule.page());
    }
    if let Some(group) = Group::ALL.into_iter().find(|group| group.as_str() == name) {
        return Ok(page_of(group));
    }
    let names = RULES.iter().map(|rule| rule.id).chain(Group::ALL.iter().map(|group| group.as_str()));
    Err(unknown("rule or group", name, names))
}

/// A group's page, as Markdown: what it is about, and its rules.
fn page_of(group: Group) -> String {
    let name = group.as_str();
    let mut page = format!("# {name}\n\nA group of rules. {}\n\n", group.about());
    for rule in RULES.iter().filter(|rule| rule.group == group) {
        page += &format!("- `{}` ({}): {}\n", rule.id, level_word(rule.level), rule.summary());
    }
    page + &format!("\n`-A {name}`, `-W {name}` and `-D {name}` set the level of them all.\n")
}

fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    if name == "warnings" {
        return format!("no {kind} `warnings`; --deny-warnings makes the run fail on them");
    }
    let hint = nearest(name, names)
        .map_or_else(|| "`cargo retry-after rules` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
    format!("no {kind} `{name}`; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Level;

    fn rule(id: &'static str) -> &'static Rule {
        Box::leak(Box::new(Rule { id, group: Group::Schedule, level: Level::Deny, source: "", check: |_| Vec::new() }))
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let rules = [rule("capped_hint"), rule("integer_only")];
        let message = |name| Target::among(name, &rules).err();
        assert_eq!(message("capped_hint"), None);
        assert_eq!(
            message("capped_hints").as_deref(),
            Some("no rule or group `capped_hints`; did you mean `capped_hint`?")
        );
        assert_eq!(message("schedul").as_deref(), Some("no rule or group `schedul`; did you mean `schedule`?"));
        assert_eq!(
            message("CAPPED_HINT").as_deref(),
            Some("no rule or group `CAPPED_HINT`; did you mean `capped_hint`?")
        );
        assert_eq!(message("xyzzy").as_deref(), Some("no rule or group `xyzzy`; `cargo retry-after rules` lists them"));
    }
}
