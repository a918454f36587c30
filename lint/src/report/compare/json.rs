//! `compare --format json`: one object on one line.

use crate::harness::lift::{Lift, Verdict};
use crate::harness::{Compared, Comparison, Contradiction, Difference};
use serde::Serialize;
use std::io::{self, Write};

/// Raised when a reader of the old form would misread the new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Object<'a> {
    version: u32,
    subjects: Vec<SubjectObject<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct SubjectObject<'a> {
    id: &'a str,
    package: Option<&'a str>,
    file: &'a str,
    line: u32,
    item: &'a str,
    parses: Vec<PlaceObject<'a>>,
    status: &'a str,
    reason: Option<&'a str>,
    detail: Option<&'a str>,
    strategy: &'a str,
    lift: Option<LiftObject<'a>>,
    inputs: u64,
    fingerprint: Option<&'a str>,
    divergences: Vec<DifferenceObject<'a>>,
    tolerated: Vec<DifferenceObject<'a>>,
    table: TableObject<'a>,
}

/// What the analysis had said, held against the run.
#[derive(Serialize)]
struct TableObject<'a> {
    cases: usize,
    differ: Vec<ContradictionObject<'a>>,
}

#[derive(Serialize)]
struct ContradictionObject<'a> {
    header: &'a str,
    analysis: &'a str,
    run: &'a str,
}

#[derive(Serialize)]
struct PlaceObject<'a> {
    file: &'a str,
    line: u32,
}

/// What came of taking the package whole: `agrees`, `differs`, `alone` or `failed`.
#[derive(Serialize)]
struct LiftObject<'a> {
    verdict: &'a str,
    reason: Option<&'a str>,
    detail: Option<&'a str>,
    built_in_ms: u64,
}

#[derive(Serialize)]
struct DifferenceObject<'a> {
    kind: &'a str,
    header: &'a str,
    subject: &'a str,
    reference: &'a str,
    count: u64,
}

/// Writes the result, and a line end after it.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(comparison: &Comparison, mut out: impl Write) -> io::Result<()> {
    let subjects = comparison.subjects.iter().map(subject).collect();
    serde_json::to_writer(&mut out, &Object { version: VERSION, subjects, notes: &comparison.notes })?;
    out.write_all(b"\n")
}

fn subject(compared: &Compared) -> SubjectObject<'_> {
    let subject = &compared.subject;
    SubjectObject {
        id: &subject.id,
        package: subject.package.as_deref(),
        file: &subject.file,
        line: subject.line,
        item: &subject.item,
        parses: subject.parses.iter().map(|(file, line)| PlaceObject { file, line: *line }).collect(),
        status: compared.status.name(),
        reason: compared.reason,
        detail: compared.detail.as_deref(),
        strategy: compared.strategy().name(),
        lift: compared.lift.as_ref().map(lift),
        inputs: compared.inputs,
        fingerprint: compared.fingerprint.as_deref(),
        divergences: compared.divergences.iter().map(difference).collect(),
        tolerated: compared.tolerated.iter().map(difference).collect(),
        table: TableObject {
            cases: compared.table.cases,
            differ: compared.table.differ.iter().map(contradiction).collect(),
        },
    }
}

fn lift(lift: &Lift) -> LiftObject<'_> {
    let (reason, detail) = match &lift.verdict {
        Verdict::Failed { reason, detail } => (Some(*reason), Some(detail.as_str())),
        _ => (None, None),
    };
    let built_in_ms = u64::try_from(lift.built_in.as_millis()).unwrap_or(u64::MAX);
    LiftObject { verdict: lift.verdict.name(), reason, detail, built_in_ms }
}

fn contradiction(contradiction: &Contradiction) -> ContradictionObject<'_> {
    let Contradiction { header, analysis, run } = contradiction;
    ContradictionObject { header, analysis, run }
}

fn difference(difference: &Difference) -> DifferenceObject<'_> {
    let Difference { kind, header, subject, reference, count, .. } = difference;
    DifferenceObject { kind, header, subject, reference, count: *count }
}
