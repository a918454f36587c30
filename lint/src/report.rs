//! Reports: one file a format, all made from one [`Report`].
//!
//! A report holds what is shown, with places as lines and columns and names as the user knows them; a format only lays it out.

pub mod cargo_json;
pub mod compare;
pub mod github;
pub mod gitlab;
pub mod human;
pub mod json;
pub mod sarif;
pub mod short;
pub mod statistics;

mod fingerprint;

pub use fingerprint::flagged_hash;

use crate::baseline::Entry;
use crate::diagnostic::{Confidence, Finding, Level, Witness};
use crate::ir::{FileId, Span};
use crate::source::{self, LineIndex, Position, Unreadable};
use crate::workspace::{Package, Root, Way};
use crate::{Analysis, Statistics};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a run has to tell.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings at a level that is reported, in the order of the roots and, in each, of file and place.
    pub findings: Vec<Shown>,
    /// Files that could not be read or parsed.
    pub unreadable: Vec<Unread>,
    /// Whether no file at all could be read.
    pub is_nothing_read: bool,
    /// Places on a hint's way that were not understood, and why.
    pub blind: Vec<(Place, String)>,
    /// What was odd about the workspaces themselves.
    pub notes: Vec<String>,
    /// Entries of the baseline whose findings are gone; None where there is no baseline.
    pub stale: Option<Vec<Entry>>,
    /// What brings each dependency in, by `name@version`; empty unless dependencies were looked at.
    pub ways: BTreeMap<String, Way>,
    /// The figures of all workspaces together.
    pub statistics: Statistics,
    /// How long the run took.
    pub elapsed: Duration,
    /// Findings that are there and not shown, because of their level or confidence.
    hidden: Vec<Shown>,
    /// The folder that names for a forge are relative to.
    checkout: PathBuf,
    texts: BTreeMap<(usize, FileId), Text>,
    packages: BTreeMap<(usize, u32), Package>,
}

/// A file that could not be read or parsed, with the names that reports show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The file, relative to its root.
    pub file: String,
    /// The file as a person at a terminal wants it: relative to the current folder where it lies in it.
    pub path: String,
    /// The file as a forge wants it: relative to the checkout where it lies in it.
    pub in_checkout: String,
    /// The line, from 1; 1 where no line is to blame.
    pub line: u32,
    /// Why, and what to do.
    pub message: String,
    /// Whether the work could not be done for it: it was named itself, or nothing else could be read.
    pub is_failure: bool,
    /// The published package that it is of, by name and version, or that it is itself where its sources cannot be had.
    pub package: Option<String>,
}

impl Unread {
    /// The names of what a root's analysis could not read, seen from the folder and from the checkout.
    pub fn new(root: &Root, file: Unreadable, folder: &Path, checkout: &Path) -> Unread {
        let package = root.workspace.packages.first().filter(|_| root.versioned);
        let package =
            package.and_then(|package| Some(format!("{}@{}", package.name.as_ref()?, package.version.as_ref()?)));
        let shown = |folder: &Path| match (&file.path, &package) {
            (None, _) => file.file.clone(),
            (_, Some(package)) => format!("{package}/{}", file.file),
            (Some(path), None) => seen_from(path, folder),
        };
        let (path, in_checkout) = (shown(folder), shown(checkout));
        let package = package.or_else(|| file.path.is_none().then(|| file.file.clone()));
        let (file, line, message) = (file.file, file.line, file.message);
        Unread { file, path, in_checkout, line, message, is_failure: false, package }
    }
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
    /// The file as a forge wants it: relative to the checkout where it lies in it.
    pub in_checkout: String,
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
    /// The folder that names for a forge are relative to: the checkout's.
    pub checkout: &'a Path,
}

/// A file's text, kept for the places in it.
#[derive(Debug)]
struct Text {
    text: String,
    lines: LineIndex,
    /// The file, absolute.
    path: PathBuf,
    /// The index of its package in its root.
    package: u32,
}

impl Report {
    /// Puts together what the roots came to.
    pub fn new(runs: Vec<(Root, Analysis)>, filter: &Filter<'_>) -> Report {
        let mut report = Report { is_nothing_read: true, checkout: filter.checkout.to_owned(), ..Report::default() };
        for (index, (root, analysis)) in runs.into_iter().enumerate() {
            report.take(index, root, analysis, filter);
        }
        fingerprint::number(&mut report.findings);
        if report.is_nothing_read {
            report.unreadable.iter_mut().for_each(|file| file.is_failure = true);
        }
        report
    }

    /// Whether the work could not be done: nothing could be read, or not what was named.
    pub fn is_failure(&self) -> bool {
        self.is_nothing_read || self.unreadable.iter().any(|file| file.is_failure)
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
            let place = self.place(index, &root, finding.span, filter);
            let flow = finding.flow.iter().map(|step| self.place(index, &root, step.span, filter)).collect();
            let package = root.workspace.file(finding.span.file).package;
            self.packages
                .entry((index, package))
                .or_insert_with(|| root.workspace.package_of(finding.span.file).clone());
            let text = self.texts.get(&(index, finding.span.file));
            let fingerprint = fingerprint::of(&finding, &place, text.map_or("", |text| &text.text));
            let package = root.package_label(finding.span.file);
            let shown = Shown { finding, package, place, flow, fingerprint, is_versioned: root.versioned, root: index };
            let list = if is_hidden { &mut self.hidden } else { &mut self.findings };
            list.push(shown);
        }
        self.findings[first..].sort_by(|a, b| a.key().cmp(&b.key()));
        for (span, reason) in analysis.blind {
            let place = self.place(index, &root, span, filter);
            self.blind.push((place, reason));
        }
        let sources: Vec<Unreadable> = root.unreadable.iter().cloned().chain(analysis.unreadable).collect();
        let unread: BTreeSet<&PathBuf> = sources.iter().filter_map(|file| file.path.as_ref()).collect();
        self.is_nothing_read &= root.workspace.files.iter().all(|file| unread.contains(&file.path));
        let named: BTreeSet<&PathBuf> = root.named.iter().map(|id| &root.workspace.file(*id).path).collect();
        let manifests = root.broken_manifests.iter().map(|broken| (broken.file.clone(), broken.is_essential));
        let sources = sources.iter().map(|file| {
            let is_named = file.path.as_ref().is_some_and(|path| named.contains(path));
            (file.clone(), is_named)
        });
        for (file, is_failure) in manifests.chain(sources) {
            let unread = Unread { is_failure, ..Unread::new(&root, file, filter.folder, filter.checkout) };
            if !self.unreadable.contains(&unread) {
                self.unreadable.push(unread);
            }
        }
        self.notes.extend(root.notes.iter().cloned());
        add(&mut self.statistics, Statistics { suppressed, ..analysis.statistics });
    }

    /// Findings that are there and not shown, because of their level or confidence.
    pub fn hidden(&self) -> &[Shown] {
        &self.hidden
    }

    /// For each finding whether the test is true, given its root and every place of it (its own and those of its flow) with the text of the file and its lines.
    pub fn test(&self, test: impl Fn(usize, &[(FileId, &Place, &str, &LineIndex)]) -> bool) -> Vec<bool> {
        let of = |shown: &Shown| {
            let own = (shown.finding.span.file, &shown.place);
            let flow = shown.finding.flow.iter().map(|step| step.span.file).zip(&shown.flow);
            let places = std::iter::once(own).chain(flow).filter_map(|(file, place)| {
                let text = self.texts.get(&(shown.root, file))?;
                Some((file, place, text.text.as_str(), &text.lines))
            });
            test(shown.root, &places.collect::<Vec<_>>())
        };
        self.findings.iter().map(of).collect()
    }

    /// Keeps the findings for which there is a true. Returns how many were taken out.
    pub fn keep(&mut self, is_kept: &[bool]) -> usize {
        let before = self.findings.len();
        let mut is_kept = is_kept.iter();
        self.findings.retain(|_| is_kept.next().copied().unwrap_or(false));
        before - self.findings.len()
    }

    fn place(&mut self, index: usize, root: &Root, span: Span, filter: &Filter<'_>) -> Place {
        let file = root.workspace.file(span.file);
        let text = self.texts.entry((index, span.file)).or_insert_with(|| {
            // It was read before; if it is gone by now, its places are the file's beginning.
            let text = source::read(&root.workspace, span.file).unwrap_or_default();
            Text { lines: LineIndex::new(&text), text, path: file.path.clone(), package: file.package }
        });
        let start = text.lines.position(&text.text, span.start);
        let end = text.lines.position(&text.text, span.end);
        Place {
            file: file.display.clone(),
            path: shown_path(root, span.file, filter.folder),
            in_checkout: shown_path(root, span.file, filter.checkout),
            absolute: file.path.clone(),
            start,
            end,
        }
    }

    /// Where a forge shows the finding: the file in the checkout, and its lines. A dependency has no file there, but a line in the lock file.
    fn forge_place<'a>(&'a self, shown: &'a Shown) -> (String, u32, u32) {
        let package = shown.package.as_deref().filter(|_| shown.is_versioned);
        match package.and_then(|package| self.ways.get(package)) {
            Some(way) => (seen_from(&way.locked_at.0, &self.checkout), way.locked_at.1, way.locked_at.1),
            None => (shown.place.in_checkout.clone(), shown.place.start.line, shown.place.end.line),
        }
    }

    /// The text of the file that a place of a finding is in.
    fn text(&self, shown: &Shown, span: Span) -> Option<&Text> {
        self.texts.get(&(shown.root, span.file))
    }

    /// The places of a finding's journey with what happens there; the place of the fault is among them, with its own label.
    fn journey<'a>(&self, shown: &'a Shown) -> Vec<(Span, &'a Place, &'a str)> {
        let finding = &shown.finding;
        let steps = finding.flow.iter().zip(&shown.flow);
        let mut journey: Vec<(Span, &Place, &str)> =
            steps.map(|(step, place)| (step.span, place, step.label.as_str())).collect();
        if !journey.iter().any(|(span, ..)| *span == finding.span) {
            journey.push((finding.span, &shown.place, &finding.label));
        }
        journey
    }

    /// How many findings there are at a level.
    fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|shown| shown.finding.level == level).count()
    }
}

impl Shown {
    /// Which of the roots it is from.
    pub fn root(&self) -> usize {
        self.root
    }

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
    seen_from(&root.workspace.file(file).path, folder)
}

/// The path seen from the folder, where it lies in it.
fn seen_from(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
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
    sum.unreached += more.unreached;
}

/// The word for a level where a compiler's words are expected.
fn severity(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Advice | Level::Allow => "note",
    }
}

/// What the witness shows, as a sentence without its end.
fn in_words(witness: &Witness) -> String {
    let given = if witness.header.is_empty() {
        "without `Retry-After`".to_owned()
    } else {
        format!("with `Retry-After: {}`", witness.header)
    };
    let seen = if witness.confirmed { " (seen in a run)" } else { "" };
    format!("witness: {given} your code {}{seen}; right: {}", witness.subject, witness.reference)
}

/// What a reader should know of a finding that is not certain.
fn doubt(confidence: Confidence) -> Option<String> {
    let is_doubtful = confidence < Confidence::High;
    is_doubtful.then(|| format!("{} confidence: a step was inferred, not seen", confidence_word(confidence)))
}

/// The text with signs for its control characters and line ends: a name of a file must not begin a line of its own, which a service that reads the output may
/// take for a command.
pub fn one_line(text: &str) -> String {
    annotate_snippets::normalize_untrusted_str(text).replace('\n', "␊").replace('\r', "␍")
}

/// `1 file`, `2 files`.
fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// `2 files in 1 package`; without packages where there are only plain files.
fn looked_at(figures: &Statistics) -> String {
    let files = counted(figures.files, "file");
    if figures.packages == 0 { files } else { format!("{files} in {}", counted(figures.packages, "package")) }
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
