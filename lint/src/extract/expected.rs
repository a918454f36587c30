//! What the analysis says that the code of a subject does, case by case: the side of the table that a run can be held against.
//!
//! Where both differ, one of them is wrong: the interpreter misunderstands the code, or the cut is not faithful.

use super::{Extracted, Strategy, UnitOf};
use crate::behaviour::case::{Case, SECOND};
use crate::behaviour::log::{Log, SinkKind};
use crate::behaviour::trail::SourceIndex;
use crate::behaviour::value::{Code, Kind, Value};
use crate::ir::FunctionId;
use crate::names;
use std::collections::BTreeSet;

/// What the analysis says of one header.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The header, escaped as in reports; empty for none.
    pub header: String,
    /// Whether it is a date, so that a moment later it means less.
    pub is_date: bool,
    /// What may come of it, one of these by the way that the code takes.
    pub outcomes: Vec<Outcome>,
}

/// What comes of a header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A wait of so many seconds.
    Wait(f64),
    /// No hint, or an error.
    Nothing,
    /// A panic.
    Panic,
}

/// What is known of the subject.
pub(super) struct About {
    pub(super) function: FunctionId,
    /// Whether it reads the header by itself; else it is given its text.
    pub(super) reads: bool,
    /// Where its hint comes from.
    pub(super) sources: BTreeSet<SourceIndex>,
}

/// The deepest that a wait lies within options, results and structs.
const DEPTH: usize = 6;

/// What the analysis says of each case that it knows all ways of.
pub(super) fn expected(log: &Log, about: &About, code: &Extracted) -> Vec<Expected> {
    let cases = Case::ALL.into_iter().filter(|case| *case != Case::LateDate);
    cases
        .filter_map(|case| {
            Some(Expected {
                header: header(case, about)?,
                is_date: case.is_date(),
                outcomes: outcomes(log, about, code, case)?,
            })
        })
        .collect()
}

/// The header of a case; None where the copy is not asked about it as the code is.
fn header(case: Case, about: &About) -> Option<String> {
    match case {
        Case::Absent => about.reads.then(String::new),
        Case::NotText => about.reads.then(|| "\\xff".to_owned()),
        _ => case.text().map(str::to_owned),
    }
}

fn outcomes(log: &Log, about: &About, code: &Extracted, case: Case) -> Option<Vec<Outcome>> {
    let mut found = Vec::new();
    let unit = code.unit.as_ref().map_or(UnitOf::Seconds, |unit| unit.of);
    if code.strategy != Strategy::Outline {
        flatten(log.results.get(&(about.function, case))?, unit, DEPTH, &mut found)?;
    } else {
        let mine = |sources: &[SourceIndex]| sources.iter().any(|source| about.sources.contains(source));
        let here = log
            .outcomes
            .iter()
            .filter(|outcome| outcome.case == case && outcome.code == Code::Function(about.function));
        // What is sent again waited somewhere else.
        let here =
            here.filter(|outcome| outcome.kind != SinkKind::SentAgain && mine(outcome.value.trail.sources(true)));
        for outcome in here {
            // An error may carry the wait, or be all that comes of it.
            if outcome.in_error {
                found.push(Outcome::Nothing);
            }
            if !matches!(outcome.value.kind, Kind::Unit) {
                flatten(&outcome.value, unit, DEPTH, &mut found)?;
            }
        }
    }
    let panics = log
        .hazards
        .keys()
        .any(|hazard| hazard.case == case && hazard.kind.is_panic() && about.sources.contains(&hazard.source));
    match code.strategy {
        _ if !panics => {}
        // Where it panics may lie behind the cut.
        Strategy::Outline => return None,
        _ => found.push(Outcome::Panic),
    }
    (!found.is_empty()).then_some(found)
}

/// The outcomes that a value stands for; None where one of them is not known.
fn flatten(value: &Value, unit: UnitOf, depth: usize, found: &mut Vec<Outcome>) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let wait = |nanoseconds: i128| Outcome::Wait(nanoseconds.max(0) as f64 / SECOND as f64);
    let outcome = match &value.kind {
        Kind::OneOf(values) => return values.iter().try_for_each(|value| flatten(value, unit, depth, found)),
        Kind::Sleep(inner) => return flatten(inner, unit, depth, found),
        Kind::Variant(variant) => match &*variant.name {
            "None" | "Err" => Outcome::Nothing,
            _ => {
                let mut fields = variant.fields.iter().filter(|(_, field)| field.is_tainted());
                let named = variant.fields.iter().find(|(name, _)| names::is_hint(name));
                let only = (variant.fields.len() == 1).then(|| &variant.fields[0]);
                let field = named.or(only).or_else(|| fields.next().filter(|_| fields.next().is_none()));
                return flatten(&field?.1, unit, depth, found);
            }
        },
        Kind::Integer(number) => match unit {
            UnitOf::UnixSeconds => wait(number.saturating_mul(SECOND) - Case::Small.now()),
            unit => wait(number.saturating_mul(nanoseconds(unit))),
        },
        Kind::Float(number) if unit != UnitOf::UnixSeconds => {
            Outcome::Wait((number * nanoseconds(unit) as f64 / SECOND as f64).max(0.0))
        }
        Kind::Duration(_) | Kind::Instant(_) | Kind::Date(_) | Kind::Hint(_) => wait(value.nanoseconds()?),
        _ => return None,
    };
    if !found.contains(&outcome) {
        found.push(outcome);
    }
    Some(())
}

fn nanoseconds(unit: UnitOf) -> i128 {
    match unit {
        UnitOf::Nanoseconds => 1,
        UnitOf::Microseconds => 1_000,
        UnitOf::Milliseconds => 1_000_000,
        UnitOf::Seconds | UnitOf::UnixSeconds => SECOND,
        UnitOf::Minutes => 60 * SECOND,
    }
}

impl Expected {
    /// Whether what a run gave is one of the outcomes, within what a date may be rounded by.
    pub fn allows(&self, run: Outcome) -> bool {
        let slack = |wait: f64| if self.is_date { 1.01 } else { wait.abs() * 1e-6 };
        self.outcomes.iter().any(|outcome| match (outcome, run) {
            (Outcome::Wait(wait), Outcome::Wait(run)) => (wait - run).abs() <= slack(*wait),
            (outcome, run) => *outcome == run,
        })
    }
}

impl Outcome {
    /// It in words.
    pub fn told(self) -> String {
        match self {
            Outcome::Wait(seconds) => format!("waits {seconds} s"),
            Outcome::Nothing => "takes it for no hint".to_owned(),
            Outcome::Panic => "panics".to_owned(),
        }
    }

    /// What a run says in words; None where they say something else.
    pub fn of_words(words: &str) -> Option<Outcome> {
        if let Some(seconds) = words.strip_prefix("waits ").and_then(|rest| rest.split(' ').next()) {
            return seconds.parse().ok().map(Outcome::Wait);
        }
        match words {
            "takes it for no hint" | "gives an error" => Some(Outcome::Nothing),
            _ => words.starts_with("panics").then_some(Outcome::Panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_says_is_held_against_what_is_expected() {
        let expected =
            |is_date| Expected { header: String::new(), is_date, outcomes: vec![Outcome::Wait(7.0), Outcome::Nothing] };
        let allows = |is_date, words| expected(is_date).allows(Outcome::of_words(words).unwrap());
        assert!(allows(false, "waits 7 s") && allows(false, "gives an error"));
        assert!(!allows(false, "waits 6.75 s") && allows(true, "waits 6.75 s"));
        assert!(!allows(false, "panics: overflow"));
        assert_eq!(Outcome::of_words("ends the process"), None);
    }
}
