//! Merging: the runs of both builds to one result, and two ways of extraction to one subject.

use super::layout::hash;
use super::run::{Found, Run};
use super::{Compared, Difference, Status};
use crate::extract::Strategy;
use std::collections::BTreeMap;

/// Takes over what came of the build without overflow checks and of the one with them.
pub(super) fn merge(compared: &mut Compared, unchecked: Run, checked: Run) {
    compared.inputs = unchecked.end.inputs.min(checked.end.inputs);
    let (one, other) = (&unchecked.end.fingerprint, &checked.end.fingerprint);
    compared.fingerprint = match (one.is_empty(), other.is_empty()) {
        // A subject that ended the process at once has no outcomes to tell it from others.
        (true, _) | (_, true) => None,
        _ if one == other => Some(one.clone()),
        _ => Some(format!("{:016x}", hash(&format!("{one} {other}")))),
    };
    compared.scale = unchecked.end.scale;
    let habits = unchecked.end.habits.into_iter().map(|habit| (habit.header, habit.subject));
    compared.habits = habits.collect();
    let differences = |found: Vec<Found>| found.into_iter().map(Difference::from);
    compared.divergences = both(
        unchecked.stops.into_iter().chain(differences(unchecked.end.divergences)).collect(),
        checked.stops.into_iter().chain(differences(checked.end.divergences)).collect(),
    );
    compared.tolerated =
        both(differences(unchecked.end.tolerated).collect(), differences(checked.end.tolerated).collect());
    let answers = unchecked.answers.into_iter().zip(checked.answers);
    // A fault of either build is one.
    compared.answers = answers
        .filter_map(|pair| match pair {
            (Some(one), Some(other)) => Some(if one.kind.is_none() { other } else { one }),
            (one, other) => one.or(other),
        })
        .collect();
}

/// What both builds show is told once, with the counts of the one that shows it more; else it is told which one it is.
fn both(unchecked: Vec<Difference>, mut checked: Vec<Difference>) -> Vec<Difference> {
    let mut all = Vec::new();
    for mut difference in unchecked {
        let is_same = |other: &Difference| (&other.kind, &other.family) == (&difference.kind, &difference.family);
        match checked.iter().position(is_same) {
            Some(place) => difference.count = difference.count.max(checked.remove(place).count),
            None => difference.subject.push_str(" (without overflow checks)"),
        }
        all.push(difference);
    }
    all.extend(checked.into_iter().map(|mut difference| {
        difference.subject.push_str(" (with overflow checks)");
        difference
    }));
    all
}

impl From<Found> for Difference {
    fn from(found: Found) -> Self {
        let Found { kind, family, header, subject, reference, count } = found;
        Difference { kind, family, header, subject, reference, count }
    }
}

/// Makes one of two that are the same place, extracted in two ways: verified if they behave alike.
pub(super) fn verify(all: Vec<Compared>, notes: &mut Vec<String>) -> Vec<Compared> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<Compared> = Vec::new();
    for compared in all {
        let Some(&place) = places.get(&compared.subject.id) else {
            places.insert(compared.subject.id.clone(), kept.len());
            kept.push(compared);
            continue;
        };
        let first = &mut kept[place];
        match (first.ran(), compared.ran()) {
            (true, true) if first.fingerprint.is_some() && first.fingerprint == compared.fingerprint => {
                if compared.strategy() == Strategy::Slice {
                    *first = compared;
                }
                first.status = Status::Verified;
            }
            (true, true) => notes.push(format!(
                "{}: as {} and as {} the code does not behave alike, so one of them is not faithful",
                first.subject.id,
                first.strategy().name(),
                compared.strategy().name()
            )),
            (false, true) => *first = compared,
            _ => {}
        }
    }
    kept
}
