//! Levels: what `-A`, `-W` and `-D` make of the rules' own.

use super::Failure;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{ArgMatches, Args};
use retry_after_lint::diagnostic::Level;
use retry_after_lint::rules::{Group, RULES};
use retry_after_lint::settings::Target;
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// Takes the name of a rule or group as it is, and knows the names, for completions. What is none is answered with the nearest one, later.
#[derive(Clone)]
pub(super) struct NameParser {
    /// Whether `all` is a name.
    pub(super) all: bool,
}

impl TypedValueParser for NameParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let rules = RULES.iter().map(|rule| rule.id);
        let names = rules.chain(Group::ALL.map(Group::as_str)).chain(self.all.then_some("all"));
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// The flags. Their order on the command line counts, so they are read from the matches.
#[derive(Args)]
pub(super) struct LevelArgs {
    /// Do not report a rule
    ///
    /// Takes a rule, a group (read, parse, fallback, schedule, emit, suppression) or `all`, or several of them with commas between. Of several -A, -W and -D that name a rule, the last one given holds.
    #[arg(short = 'A', long, value_name = "RULE", value_delimiter = ',', value_parser = NameParser { all: true }, hide_possible_values = true, help_heading = "Levels")]
    allow: Vec<String>,
    /// Report a rule that is allowed or only advice; never lowers deny
    #[arg(short = 'W', long, value_name = "RULE", value_delimiter = ',', value_parser = NameParser { all: true }, hide_possible_values = true, help_heading = "Levels")]
    warn: Vec<String>,
    /// Report a rule and fail the run when it finds something
    #[arg(short = 'D', long, value_name = "RULE", value_delimiter = ',', value_parser = NameParser { all: true }, hide_possible_values = true, help_heading = "Levels")]
    deny: Vec<String>,
}

/// The changes, in the order given.
pub(super) struct Levels(Vec<(Level, Target)>);

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
        let changes = changes.into_iter().map(|(_, level, value)| Ok((level, Target::named(value)?)));
        changes.collect::<Result<_, Failure>>().map(Levels)
    }

    /// The level in force of a rule with this level otherwise.
    pub(super) fn of(&self, rule: &str, otherwise: Level) -> Level {
        self.changed(rule, otherwise).unwrap_or(otherwise)
    }

    /// The rules that some configuration may report, by their names: all that no flag switches off.
    pub(super) fn asked_for(&self) -> BTreeSet<&'static str> {
        RULES.iter().map(|rule| rule.id).filter(|rule| self.of(rule, Level::Deny) != Level::Allow).collect()
    }

    /// The level in force of a rule with this level otherwise; None where no flag names the rule.
    pub(super) fn changed(&self, rule: &str, otherwise: Level) -> Option<Level> {
        let changes = self.0.iter().filter(|(_, target)| target.applies_to(rule));
        changes.fold(None, |level, (change, _)| {
            Some(match change {
                Level::Warn => level.unwrap_or(otherwise).max(Level::Warn),
                change => *change,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(levels(&[]).asked_for().len(), RULES.len());
        let only =
            levels(&[(Level::Allow, Target::All), (Level::Warn, one), (Level::Allow, Target::Rule("past_date"))]);
        assert_eq!(only.asked_for().into_iter().collect::<Vec<_>>(), ["capped_hint"]);
    }
}
