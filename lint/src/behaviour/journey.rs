//! Journeys: a trail as the labelled places of a finding, in the order of travel.

use super::Facts;
use super::case::Case;
use super::log::{Outcome, SinkKind, SourceKind};
use super::trail::{Event, Trail};
use super::value::{Kind, Value};
use crate::diagnostic::{Step, StepKind, Witness};
use crate::ir::Span;

/// The most steps that a finding shows.
const STEPS: usize = 12;

/// The journey of an outcome. `focus` is the place that the finding is about; its step is always kept.
pub fn journey(facts: &Facts<'_, '_>, outcome: &Outcome, focus: Step) -> Vec<Step> {
    journey_along(facts, &[&outcome.value.trail, &outcome.context], focus, sink_step(outcome))
}

/// The journey along trails, the most telling first, to a place where it ends.
pub fn journey_along(facts: &Facts<'_, '_>, trails: &[&Trail], focus: Step, end: Option<Step>) -> Vec<Step> {
    let mut steps = Vec::new();
    for trail in trails {
        steps.extend(trail_steps(facts, trail, &focus));
    }
    // Where the header itself was seen, a variable that is named like it tells nothing new.
    let is_named = |step: &Step| step.kind == StepKind::Read && step.label.ends_with("holds the server's hint");
    if steps.iter().any(|step| step.kind == StepKind::Read && !is_named(step)) {
        steps.retain(|step| !is_named(step));
    }
    // The nearest node comes first on a trail; a journey begins at its source.
    steps.reverse();
    steps.sort_by_key(|step| rank(step.kind));
    // On the way that led here it stands where it happened: in a helper, before the value comes back.
    if !steps.contains(&focus) {
        let place = steps.iter().position(|step| rank(step.kind) > rank(focus.kind)).unwrap_or(steps.len());
        steps.insert(place, focus.clone());
    }
    steps.retain(|step| step.span != focus.span || *step == focus);
    if let Some(end) = end
        && end.span != focus.span
    {
        steps.push(end);
    }
    let mut seen: Vec<Span> = Vec::new();
    steps.retain(|step| {
        let new = !seen.contains(&step.span);
        seen.push(step.span);
        new
    });
    while steps.len() > STEPS {
        let spare = steps
            .iter()
            .rposition(|step| step.kind == StepKind::Returned && step.span != focus.span)
            .unwrap_or(steps.len() / 2);
        steps.remove(spare);
    }
    steps
}

fn rank(kind: StepKind) -> u8 {
    match kind {
        StepKind::Read => 0,
        StepKind::Parsed => 1,
        StepKind::Fallback
        | StepKind::Cut
        | StepKind::Dropped
        | StepKind::Stored
        | StepKind::Returned
        | StepKind::Passed => 2,
        StepKind::Slept | StepKind::Panics | StepKind::Retried | StepKind::Sent => 3,
    }
}

/// The steps on a trail, nearest to its end first; `focus` where the trail comes by its place.
fn trail_steps(facts: &Facts<'_, '_>, trail: &Trail, focus: &Step) -> Vec<Step> {
    let mut steps = Vec::new();
    for node in trail.nodes(true) {
        if node.span == focus.span || node.decided_at == Some(focus.span) {
            steps.push(focus.clone());
        }
        let mut push = |kind: StepKind, span: Span, label: String| steps.push(Step { span, kind, label });
        match node.event {
            Event::Read(source) => {
                let source = facts.source(source);
                let label = match &source.kind {
                    SourceKind::Header | SourceKind::Vendor(_) => "the header is named here".to_owned(),
                    SourceKind::Text => "the header's text comes in here".to_owned(),
                    SourceKind::Named(name) => format!("`{name}` holds the server's hint"),
                    SourceKind::Wait(name) => format!("`{name}` is the wait"),
                };
                if let Some((read, _)) = source.read_at.filter(|(read, _)| {
                    read.file != source.span.file || read.end < source.span.start || read.start > source.span.end
                }) {
                    push(StepKind::Read, read, "the header is read here".to_owned());
                }
                push(StepKind::Read, source.span, label);
            }
            Event::ParsedNumber | Event::NotNumber => push(StepKind::Parsed, node.span, "read as a number".to_owned()),
            Event::ParsedDate | Event::NotDate => push(StepKind::Parsed, node.span, "read as a date".to_owned()),
            Event::Bound(true) => push(StepKind::Cut, node.span, "held below the hint".to_owned()),
            Event::Returned(from) => {
                let name = &facts.program.function(from).name;
                push(StepKind::Returned, node.span, format!("comes back from `{name}`"));
            }
            _ => {}
        }
    }
    steps
}

fn sink_step(outcome: &Outcome) -> Option<Step> {
    let (kind, label) = match outcome.kind {
        SinkKind::Slept => (StepKind::Slept, "slept on here"),
        SinkKind::Returned => (StepKind::Returned, "returned to the caller as the wait"),
        SinkKind::Stored => (StepKind::Stored, "stored here"),
        SinkKind::Passed => (StepKind::Passed, "handed on here"),
        SinkKind::SentAgain => (StepKind::Retried, "the request is sent again"),
    };
    Some(Step { span: outcome.span, kind, label: label.to_owned() })
}

/// The static witness: the case's header, what the code came to, what is right.
pub fn witness(case: Case, value: &Value, instead: &str) -> Witness {
    let subject = match value.nanoseconds().filter(|_| !matches!(value.kind, Kind::Unknown(_))) {
        Some(nanoseconds) => format!("waits {}", in_words(nanoseconds)),
        None => instead.to_owned(),
    };
    let reference = match case.seconds() {
        Some(_) if case == Case::Overflow => "waits as long as can be represented, or defers the request".to_owned(),
        Some(seconds) => format!("waits at least {}", in_words(seconds * super::case::SECOND)),
        None => "has no hint, so the client's own backoff applies".to_owned(),
    };
    Witness { header: header_text(case), subject, reference, confirmed: false }
}

/// The header value of a case, as a witness shows it.
pub fn header_text(case: Case) -> String {
    match case {
        Case::NotText => "\\xe9".to_owned(),
        case => case.text().unwrap_or("").to_owned(),
    }
}

/// A time in words: `7 s`, `1.5 s`, `10000000 s`.
pub fn in_words(nanoseconds: i128) -> String {
    let (time, sign) = (nanoseconds.unsigned_abs(), if nanoseconds < 0 { "-" } else { "" });
    let (seconds, rest) = (time / 1_000_000_000, time % 1_000_000_000);
    let fraction = format!(".{rest:09}");
    format!("{sign}{seconds}{} s", fraction.trim_end_matches(['0', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_last_digit() {
        for (nanoseconds, words) in [
            (0, "0 s"),
            (7_000_000, "0.007 s"),
            (1_500_000_000, "1.5 s"),
            (-2_000_000_000, "-2 s"),
            (100 * super::super::case::SECOND, "100 s"),
            (i128::from(u64::MAX) * 1_000_000_000, "18446744073709551615 s"),
            (i128::from(u64::MAX) * 1_000_000_000 + 999_999_999, "18446744073709551615.999999999 s"),
        ] {
            assert_eq!(in_words(nanoseconds), words);
        }
    }
}
