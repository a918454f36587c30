//! `--format json`: one object on one line.

use super::{Place, Report, Shown, confidence_word, level_word};
use crate::baseline::Entry;
use serde::Serialize;
use std::io::{self, Write};

/// Raised when a reader of the old form would misread the new one.
const VERSION: u32 = 1;

/// Writes the report, and a line end after it.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    let object = Object {
        version: VERSION,
        findings: report.findings.iter().map(finding).collect(),
        unreadable: report
            .unreadable
            .iter()
            .map(|file| UnreadableFile { file: &file.file, line: file.line, message: &file.message })
            .collect(),
        stale: report.stale.as_deref(),
        stats: stats(report),
        dependencies: (!report.ways.is_empty()).then(|| dependencies(report)),
    };
    serde_json::to_writer(&mut out, &object)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Object<'a> {
    version: u32,
    findings: Vec<FindingObject<'a>>,
    unreadable: Vec<UnreadableFile<'a>>,
    /// Only where there is a baseline: its entries whose findings are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<&'a [Entry]>,
    stats: Stats,
    /// Only where dependencies were looked at: those with findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    dependencies: Option<Vec<DependencyObject<'a>>>,
}

#[derive(Serialize)]
struct DependencyObject<'a> {
    package: &'a str,
    /// From the dependency to a package of the workspace.
    path: Vec<String>,
    dependents: usize,
    findings: usize,
}

#[derive(Serialize)]
struct FindingObject<'a> {
    rule: &'a str,
    level: &'a str,
    confidence: &'a str,
    package: Option<&'a str>,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    message: &'a str,
    help: &'a str,
    flow: Vec<StepObject<'a>>,
    witness: Option<WitnessObject<'a>>,
    fingerprint: &'a str,
}

#[derive(Serialize)]
struct StepObject<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    step: &'a str,
    label: &'a str,
}

#[derive(Serialize)]
struct WitnessObject<'a> {
    header: &'a str,
    subject: &'a str,
    reference: &'a str,
    confirmed: bool,
}

#[derive(Serialize)]
struct UnreadableFile<'a> {
    file: &'a str,
    line: u32,
    message: &'a str,
}

#[derive(Serialize)]
struct Stats {
    packages: usize,
    files: usize,
    parsed: usize,
    bytes: u64,
    sites: usize,
    opaque: usize,
    unresolved: usize,
    over_budget: usize,
    suppressed: usize,
    /// Only where there is a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baselined: Option<usize>,
    elapsed_ms: u64,
}

fn finding(shown: &Shown) -> FindingObject<'_> {
    let Shown { finding, place, .. } = shown;
    let flow = finding.flow.iter().zip(&shown.flow).map(|(step, Place { file, start, .. })| StepObject {
        file,
        line: start.line,
        column: start.column,
        step: step.kind.as_str(),
        label: &step.label,
    });
    FindingObject {
        rule: finding.rule,
        level: level_word(finding.level),
        confidence: confidence_word(finding.confidence),
        package: shown.package.as_deref(),
        file: &place.file,
        line: place.start.line,
        column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
        message: &finding.message,
        help: &finding.help,
        flow: flow.collect(),
        witness: finding.witness.as_ref().map(|witness| WitnessObject {
            header: &witness.header,
            subject: &witness.subject,
            reference: &witness.reference,
            confirmed: witness.confirmed,
        }),
        fingerprint: &shown.fingerprint,
    }
}

fn dependencies(report: &Report) -> Vec<DependencyObject<'_>> {
    let findings = |package: &str| {
        let of_it = |shown: &&Shown| shown.is_versioned && shown.package.as_deref() == Some(package);
        report.findings.iter().filter(of_it).count()
    };
    let all = report.ways.iter().map(|(package, way)| DependencyObject {
        package,
        path: way.packages.iter().map(|(name, version)| format!("{name}@{version}")).collect(),
        dependents: way.dependents,
        findings: findings(package),
    });
    all.filter(|dependency| dependency.findings > 0).collect()
}

fn stats(report: &Report) -> Stats {
    let figures = report.statistics;
    Stats {
        packages: figures.packages,
        files: figures.files,
        parsed: figures.parsed,
        bytes: figures.bytes,
        sites: figures.sites,
        opaque: figures.opaque,
        unresolved: figures.unresolved,
        over_budget: figures.over_budget,
        suppressed: figures.suppressed,
        baselined: (figures.baselined > 0).then_some(figures.baselined),
        elapsed_ms: report.elapsed.as_millis().try_into().unwrap_or(u64::MAX),
    }
}
