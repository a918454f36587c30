//! Levels: what `-A`, `-W` and `-D` make of the rules' own.

use super::Failure;
use clap::{ArgMatches, Args};
use retry_after_lint::diagnostic::Level;
use retry_after_lint::rules::{Group, RULES, Rule};
use retry_after_lint::workspace::nearest;

/// The flags. Their order on the command line counts, so they are read from the matches.
#[derive(Args)]
pub(super) struct LevelArgs {
    /// Do not report a rule
    ///
    /// Takes a rule, a group (read, parse, fallback, schedule, emit) or `all`. Of several -A, -W and -D that name a rule, the last one given holds.
    #[arg(short = 'A', long, value_name = "RULE", value_delimiter = ',', help_heading = "Levels")]
    allow: Vec<String>,
    /// Report a rule that is allowed or only advice; never lowers deny
    #[arg(short = 'W', long, value_name = "RULE", value_delimiter = ',', help_heading = "Levels")]
    warn: Vec<String>,
    /// Report a rule and fail the run when it finds something
    #[arg(short = 'D', long, value_name = "RULE", value_delimiter = ',', help_heading = "Levels")]
    deny: Vec<String>,
}

/// The changes, in the order given.
pub(super) struct Levels(Vec<(Level, Target)>);

/// What a change applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    All,
    Group(Group),
    Rule(&'static str),
}

const GROUPS: [Group; 5] = [Group::Read, Group::Parse, Group::Fallback, Group::Schedule, Group::Emit];

impl Levels {
    /// Reads the flags in their order.
    pub(super) fn from_matches(matches: &ArgMatches) -> Result<Levels, Failure> {
        let mut changes = Vec::new();
        for (flag, level) in [("allow", Level::Allow), ("warn", Level::Warn), ("deny", Level::Deny)] {
            let values = matches.get_many::<String>(flag).into_iter().flatten();
            changes.extend(
                matches.indices_of(flag).into_iter().flatten().zip(values).map(|(place, value)| (place, level, value)),
            );
        }
        changes.sort_by_key(|(place, ..)| *place);
        let changes = changes.into_iter().map(|(_, level, value)| Ok((level, target(value, RULES)?)));
        changes.collect::<Result<_, Failure>>().map(Levels)
    }

    /// The level in force of a rule with this level of its own.
    pub(super) fn of(&self, rule: &str, own: Level) -> Level {
        let group = RULES.iter().find(|known| known.id == rule).map(|known| known.group);
        let applies = |target: Target| match target {
            Target::All => true,
            Target::Group(named) => group == Some(named),
            Target::Rule(named) => named == rule,
        };
        self.0.iter().filter(|(_, target)| applies(*target)).fold(own, |level, (change, _)| match change {
            Level::Warn => level.max(Level::Warn),
            change => *change,
        })
    }
}

/// The rule that the name means, or the complaint with the nearest one.
pub(super) fn rule<'a>(name: &str, rules: &'a [&'static Rule]) -> Result<&'a &'static Rule, Failure> {
    rules.iter().find(|rule| rule.id == name).ok_or_else(|| unknown("rule", name, rules.iter().map(|rule| rule.id)))
}

fn target(name: &str, rules: &[&'static Rule]) -> Result<Target, Failure> {
    if name == "all" {
        return Ok(Target::All);
    }
    if let Some(group) = GROUPS.into_iter().find(|group| group.as_str() == name) {
        return Ok(Target::Group(group));
    }
    if let Some(rule) = rules.iter().find(|rule| rule.id == name) {
        return Ok(Target::Rule(rule.id));
    }
    let names = rules.iter().map(|rule| rule.id).chain(GROUPS.iter().map(|group| group.as_str())).chain(["all"]);
    Err(unknown("rule or group", name, names))
}

fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    let hint = nearest(name, names)
        .map_or_else(|| "`cargo retry-after rules` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
    Failure(format!("no {kind} `{name}`; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: &'static str) -> &'static Rule {
        Box::leak(Box::new(Rule { id, group: Group::Schedule, level: Level::Deny, source: "", check: |_| Vec::new() }))
    }

    #[test]
    fn changes_apply_in_order_and_a_warning_only_raises() {
        let levels = |changes: &[(Level, Target)]| Levels(changes.to_vec());
        let one = Target::Rule("capped_hint");
        assert_eq!(levels(&[]).of("capped_hint", Level::Deny), Level::Deny);
        assert_eq!(
            levels(&[(Level::Allow, Target::All), (Level::Warn, one)]).of("capped_hint", Level::Deny),
            Level::Warn
        );
        assert_eq!(levels(&[(Level::Warn, Target::All)]).of("capped_hint", Level::Deny), Level::Deny);
        assert_eq!(levels(&[(Level::Warn, Target::All)]).of("wall_clock_wait", Level::Advice), Level::Warn);
        assert_eq!(levels(&[(Level::Deny, one), (Level::Allow, one)]).of("capped_hint", Level::Warn), Level::Allow);
        assert_eq!(levels(&[(Level::Allow, one)]).of("zero_fallback", Level::Deny), Level::Deny);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let rules = [rule("capped_hint"), rule("integer_only")];
        let message = |name| target(name, &rules).err().map(|failure| failure.0);
        assert_eq!(message("capped_hint"), None);
        assert_eq!(
            message("capped_hints").as_deref(),
            Some("no rule or group `capped_hints`; did you mean `capped_hint`?")
        );
        assert_eq!(message("schedul").as_deref(), Some("no rule or group `schedul`; did you mean `schedule`?"));
        assert_eq!(message("xyzzy").as_deref(), Some("no rule or group `xyzzy`; `cargo retry-after rules` lists them"));
    }
}
