//! Reports: one file a format, all made from one [`Report`].
//!
//! A report holds what is shown, with places as lines and columns and names as the user knows them; a format only lays it out.

pub mod human;
pub mod json;

mod fingerprint;

pub use fingerprint::flagged_hash;

use crate::Analysis;
use crate::Statistics;
use crate::diagnostic::{Confidence, Finding, Level};
use crate::ir::{FileId, Span};
use crate::source::{self, LineIndex, Position, Unreadable};
use crate::workspace::{Root, Way};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a run has to tell.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings at a level that is reported, in the order of the roots and, in each, of file and place.
    pub findings: Vec<Shown>,
    /// Files that could not be read or parsed.
    pub unreadable: Vec<Unreadable>,
    /// Places on a hint's way that were not understood, and why.
    pub blind: Vec<(Place, String)>,
    /// What was odd about the workspaces themselves.
    pub notes: Vec<String>,
    /// What brings each dependency in, by `name@version`; empty unless dependencies were looked at.
    pub ways: BTreeMap<String, Way>,
    /// The figures of all workspaces together.
    pub statistics: Statistics,
    /// How long the run took.
    pub elapsed: Duration,
    /// Findings that are there and not shown, because of their level or confidence.
    hidden: Vec<Shown>,
    texts: BTreeMap<(usize, FileId), Text>,
}

/// A finding, with the names and places that reports show.
#[derive(Debug)]
pub struct Shown {
    /// The finding, at the level in force.
    pub finding: Finding,
    /// The package; None without a manifest.
    pub package: Option<String>,
    /// The expression that does the wrong thing.
    pub place: Place,
    /// The places of the finding's flow, in the same order.
    pub flow: Vec<Place>,
    /// What stays the same when lines move.
    pub fingerprint: String,
    /// Whether it is in a published crate, which its package is named with the version of.
    pub is_versioned: bool,
    /// Which of the roots it is from.
    root: usize,
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, relative to its root.
    pub file: String,
    /// The file as a person at a terminal wants it: relative to the current folder where it lies in it.
    pub path: String,
    /// Where the file is, absolute.
    pub absolute: PathBuf,
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

/// What decides which findings are shown.
pub struct Filter<'a> {
    /// The level in force of a rule whose level is otherwise the second argument: its own, or the configured one.
    pub level: &'a dyn Fn(&str, Level) -> Level,
    /// The least confidence that is shown.
    pub confidence: Confidence,
    /// The current folder.
    pub folder: &'a Path,
}

/// A file's text, kept for the places in it.
#[derive(Debug)]
struct Text {
    text: String,
    lines: LineIndex,
}

impl Report {
    /// Puts together what the roots came to.
    pub fn new(runs: Vec<(Root, Analysis)>, filter: &Filter<'_>) -> Report {
        let mut report = Report::default();
        for (index, (root, analysis)) in runs.into_iter().enumerate() {
            report.take(index, root, analysis, filter);
        }
        fingerprint::number(&mut report.findings);
        report
    }

    fn take(&mut self, index: usize, root: Root, analysis: Analysis, filter: &Filter<'_>) {
        let first = self.findings.len();
        let is_shown = |finding: &Finding| {
            (filter.level)(finding.rule, finding.level) >= Level::Warn
                && finding.confidence >= filter.confidence
                && is_reported(&root, finding.span.file)
        };
        let suppressed = analysis.suppressed.iter().filter(|finding| is_shown(finding)).count();
        for mut finding in analysis.findings {
            let is_hidden = !is_shown(&finding);
            finding.level = (filter.level)(finding.rule, finding.level);
            if is_hidden && !is_reported(&root, finding.span.file) {
                continue;
            }
            let place = self.place(index, &root, finding.span, filter.folder);
            let flow = finding.flow.iter().map(|step| self.place(index, &root, step.span, filter.folder)).collect();
            let text = self.texts.get(&(index, finding.span.file));
            let fingerprint = fingerprint::of(&finding, &place, text.map_or("", |text| &text.text));
            let package = root.package_label(finding.span.file);
            let shown = Shown { finding, package, place, flow, fingerprint, is_versioned: root.versioned, root: index };
            let list = if is_hidden { &mut self.hidden } else { &mut self.findings };
            list.push(shown);
        }
        self.findings[first..].sort_by(|a, b| a.key().cmp(&b.key()));
        for (span, reason) in analysis.blind {
            let place = self.place(index, &root, span, filter.folder);
            self.blind.push((place, reason));
        }
        for unreadable in root.unreadable.into_iter().chain(analysis.unreadable) {
            if !self.unreadable.contains(&unreadable) {
                self.unreadable.push(unreadable);
            }
        }
        self.notes.extend(root.notes);
        add(&mut self.statistics, Statistics { suppressed, ..analysis.statistics });
    }

    /// Findings that are there and not shown, because of their level or confidence.
    pub fn hidden(&self) -> &[Shown] {
        &self.hidden
    }

    /// Keeps the findings of which the test is true, given every place of one (its own and those of its flow) with the text of the file and its lines.
    /// Returns how many were taken out.
    pub fn retain(&mut self, keep: impl Fn(&[(&Place, &str, &LineIndex)]) -> bool) -> usize {
        let before = self.findings.len();
        let texts = &self.texts;
        self.findings.retain(|shown| {
            let own = (shown.finding.span.file, &shown.place);
            let flow = shown.finding.flow.iter().map(|step| step.span.file).zip(&shown.flow);
            let places = std::iter::once(own).chain(flow).filter_map(|(file, place)| {
                let text = texts.get(&(shown.root, file))?;
                Some((place, text.text.as_str(), &text.lines))
            });
            keep(&places.collect::<Vec<_>>())
        });
        before - self.findings.len()
    }

    fn place(&mut self, index: usize, root: &Root, span: Span, folder: &Path) -> Place {
        let text = self.texts.entry((index, span.file)).or_insert_with(|| {
            // It was read before; if it is gone by now, its places are the file's beginning.
            let text = source::read(&root.workspace, span.file).unwrap_or_default();
            Text { lines: LineIndex::new(&text), text }
        });
        let file = root.workspace.file(span.file);
        let start = text.lines.position(&text.text, span.start);
        let end = text.lines.position(&text.text, span.end);
        Place {
            file: file.display.clone(),
            path: shown_path(root, span.file, folder),
            absolute: file.path.clone(),
            start,
            end,
        }
    }
}

impl Shown {
    fn key(&self) -> (&str, Position, Position, &str, &str) {
        (&self.place.file, self.place.start, self.place.end, self.finding.rule, &self.finding.message)
    }
}

fn is_reported(root: &Root, file: FileId) -> bool {
    root.workspace.package_of(file).selected && !root.workspace.file(file).is_test
}

fn shown_path(root: &Root, file: FileId, folder: &Path) -> String {
    let display = &root.workspace.file(file).display;
    if root.versioned {
        return format!("{}/{display}", root.package_label(file).unwrap_or_default());
    }
    let path: PathBuf = root.workspace.file(file).path.clone();
    let path = path.strip_prefix(folder).unwrap_or(&path);
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

fn add(sum: &mut Statistics, more: Statistics) {
    sum.packages += more.packages;
    sum.files += more.files;
    sum.parsed += more.parsed;
    sum.bytes += more.bytes;
    sum.sites += more.sites;
    sum.opaque += more.opaque;
    sum.unresolved += more.unresolved;
    sum.over_budget += more.over_budget;
    sum.suppressed += more.suppressed;
    sum.baselined += more.baselined;
}

/// The word for a level in machine-readable reports.
pub fn level_word(level: Level) -> &'static str {
    match level {
        Level::Allow => "allow",
        Level::Advice => "advice",
        Level::Warn => "warn",
        Level::Deny => "deny",
    }
}

/// The word for a confidence.
pub fn confidence_word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

#[cfg(test)]
mod tests;
