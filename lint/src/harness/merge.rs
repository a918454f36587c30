//! Merging: the runs of both builds to one result, and two ways of extraction to one subject.

use super::layout::hash;
use super::lift::{Lift, Verdict};
use super::run::{Found, Run};
use super::{Compared, Difference, Status};
use crate::extract::Reason;
use std::collections::BTreeMap;
use std::time::Duration;

/// Takes over what came of the build without overflow checks and of the one with them, or of the one that there is.
pub(super) fn merge(compared: &mut Compared, unchecked: Option<Run>, checked: Option<Run>) {
    let print = |run: &Option<Run>| {
        // A subject that ended the process at once has no outcomes to tell it from others.
        run.as_ref().map(|run| run.end.fingerprint.clone()).filter(|print| !print.is_empty())
    };
    compared.prints = [print(&unchecked), print(&checked)];
    let is_both = unchecked.is_some() && checked.is_some();
    compared.fingerprint = match &compared.prints {
        [Some(one), Some(other)] if one != other => Some(format!("{:016x}", hash(&format!("{one} {other}")))),
        [Some(one), Some(_)] => Some(one.clone()),
        [one, other] if !is_both => one.clone().or_else(|| other.clone()),
        _ => None,
    };
    let (unchecked, checked) = match (unchecked, checked) {
        (Some(unchecked), Some(checked)) => (unchecked, checked),
        (one, other) => return alone(compared, one.or(other).unwrap_or_default()),
    };
    compared.inputs = unchecked.end.inputs.min(checked.end.inputs);
    compared.scale = unchecked.end.scale;
    let habits = unchecked.end.habits.into_iter().map(|habit| (habit.header, habit.subject));
    compared.habits = habits.collect();
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

/// Takes over what came of the only build.
fn alone(compared: &mut Compared, run: Run) {
    compared.inputs = run.end.inputs;
    compared.scale = run.end.scale;
    compared.habits = run.end.habits.into_iter().map(|habit| (habit.header, habit.subject)).collect();
    compared.divergences = run.stops.into_iter().chain(differences(run.end.divergences)).collect();
    compared.tolerated = differences(run.end.tolerated).collect();
    compared.answers = run.answers.into_iter().flatten().collect();
}

fn differences(found: Vec<Found>) -> impl Iterator<Item = Difference> {
    found.into_iter().map(Difference::from)
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

/// Makes one of two that are the same place, extracted in two ways.
pub(super) fn verify(all: Vec<Compared>) -> Vec<Compared> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<Compared> = Vec::new();
    for compared in all {
        match places.get(&compared.subject.id) {
            Some(&place) => settle(&mut kept[place], compared, Duration::ZERO),
            None => {
                places.insert(compared.subject.id.clone(), kept.len());
                kept.push(compared);
            }
        }
    }
    kept
}

/// Takes over what came of a second way of extraction, a lift: the place is verified if both behave alike; else the lift counts, and the first
/// way is at fault.
pub(super) fn settle(first: &mut Compared, mut second: Compared, built_in: Duration) {
    let lift = |verdict| Some(Lift { verdict, built_in });
    if !second.ran() {
        return;
    }
    if !first.ran() {
        second.lift = lift(Verdict::Alone);
        *first = second;
        return;
    }
    if agree(first, &second) {
        first.status = Status::Verified;
        first.lift = lift(Verdict::Agrees);
        return;
    }
    second.reason = Some(Reason::NotFaithful.code());
    second.detail = Some(format!("as {} {}", first.strategy().name(), unlike(first, &second)));
    second.lift = lift(Verdict::Differs);
    *first = second;
}

/// Whether they behave alike in each build that both have.
fn agree(one: &Compared, other: &Compared) -> bool {
    let pairs = || one.prints.iter().zip(&other.prints);
    let is_any = pairs().any(|(one, other)| one.is_some() && one == other);
    is_any && pairs().all(|(one, other)| one.is_none() || other.is_none() || one == other)
}

/// In what they are not alike, as far as it can be shown.
fn unlike(first: &Compared, second: &Compared) -> String {
    let mut habits = second.habits.iter().filter_map(|(header, does)| {
        let (_, other) = first.habits.iter().find(|(of, _)| of == header)?;
        (other != does).then_some((header, other, does))
    });
    let of = |compared: &Compared, wanted: &Difference| {
        let mut all = compared.divergences.iter().chain(&compared.tolerated);
        all.find(|difference| difference.header == wanted.header).map(|difference| difference.subject.clone())
    };
    if let Some((header, first, second)) = habits.next() {
        return format!("it {first} with `Retry-After: {header}`, and {second} in its package");
    }
    for shown in second.divergences.iter().chain(&second.tolerated) {
        let known = of(first, shown);
        if known.as_ref() != Some(&shown.subject) {
            let known = known.unwrap_or_else(|| "does as the reference".to_owned());
            return format!("it {known} with `Retry-After: {}`, and {} in its package", shown.header, shown.subject);
        }
    }
    for shown in first.divergences.iter().chain(&first.tolerated) {
        if of(second, shown).is_none() {
            return format!("it {} with `Retry-After: {}`, and does not in its package", shown.subject, shown.header);
        }
    }
    "it does other than in its package, with headers that no report shows".to_owned()
}
