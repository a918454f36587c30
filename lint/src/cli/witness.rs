//! `lint --witness`: what the analysis says of a header value, and what a run of the code does with it.

use super::Failure;
use super::output::{self, Color};
use super::proof::{self, Bar};
use retry_after_lint::diagnostic::{Finding, StepKind, Witness};
use retry_after_lint::extract::Subject;
use retry_after_lint::harness::{self, Answer, Compared, Comparison, Plan, place, regressions};
use retry_after_lint::ir::Span;
use retry_after_lint::rules::{Group, RULES};
use retry_after_lint::settings::Settings;
use retry_after_lint::source::{self, LineIndex};
use retry_after_lint::workspace::Root;
use retry_after_lint::{Analysis, Options};
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

/// How many inputs a place is asked about besides the witnesses: those of the corpus and some more.
const INPUTS: u64 = 20_000;

/// What a run has to say of a finding.
enum Said {
    /// It shows the fault.
    Confirmed(Option<Witness>),
    /// The fault is one that it would have to show, and it does not.
    Contradicted(Answer),
    /// Nothing, for this reason.
    Nothing(String),
}

/// Looks at each root, runs the code of what was found there, and marks the findings.
pub(super) fn analyse(
    roots: Vec<Root>,
    options: impl Fn(&Root, &Settings) -> Options,
    settings: &[Settings],
    quiet: bool,
    color: Option<Color>,
) -> Result<Vec<(Root, Analysis)>, Failure> {
    proof::trust("lint --witness", color);
    let mut runs = Vec::new();
    let mut elsewhere = Elsewhere(None);
    for (root, settings) in roots.into_iter().zip(settings) {
        let (mut analysis, subjects) =
            retry_after_lint::analyse_for_proof(&root.workspace, &options(&root, settings), false);
        if analysis.findings.iter().any(|finding| finding.witness.is_some()) {
            let notes = confirm(&root, &mut analysis.findings, subjects, elsewhere.of(&root)?, quiet)?;
            for note in notes.iter().filter(|_| !quiet) {
                output::complain("note", note, color);
            }
        }
        runs.push((root, analysis));
    }
    Ok(runs)
}

/// Where code of published crates is compiled, unless `CARGO_TARGET_DIR` says it: they have no target folder, and the current one is not ours.
struct Elsewhere(Option<TempDir>);

impl Elsewhere {
    /// The folder for a root's builds; None for its own target folder.
    fn of(&mut self, root: &Root) -> Result<Option<&Path>, Failure> {
        if !root.versioned || std::env::var_os("CARGO_TARGET_DIR").is_some_and(|path| !path.is_empty()) {
            return Ok(None);
        }
        if self.0.is_none() {
            let made = tempfile::tempdir();
            self.0 = Some(made.map_err(|error| Failure(format!("no folder for temporary files: {error}")))?);
        }
        Ok(self.0.as_ref().map(TempDir::path))
    }
}

fn confirm(
    root: &Root,
    findings: &mut [Finding],
    subjects: Vec<Subject>,
    target: Option<&Path>,
    quiet: bool,
) -> Result<Vec<String>, Failure> {
    let lines = Lines::new(root);
    // Which subjects a finding is about, and which of their answers is about its witness.
    let about: Vec<Vec<usize>> = findings.iter().map(|finding| subjects_of(finding, &subjects, &lines)).collect();
    let place = place::of(root, target)?;
    let mut extra = regressions::read(&place.folder.join("regressions"), &subjects)?;
    let first: Vec<usize> = extra.iter().map(Vec::len).collect();
    for (finding, about) in findings.iter().zip(&about) {
        for number in about {
            extra[*number].push(finding.witness.as_ref().map_or_else(String::new, |witness| witness.header.clone()));
        }
    }
    let plan = Plan {
        folder: place.folder,
        shared: place.shared,
        start: place.start,
        lockfile: place.lockfile,
        reference: retry_after_core::sources::FILES,
        inputs: INPUTS,
        seed: 1,
        lift: None,
    };
    // Only code that a finding is about is compiled.
    let wanted: Vec<usize> =
        (0..subjects.len()).filter(|number| about.iter().flatten().any(|about| about == number)).collect();
    let chosen: Vec<Subject> = wanted.iter().map(|number| subjects[*number].clone()).collect();
    let chosen_extra: Vec<Vec<String>> = wanted.iter().map(|number| extra[*number].clone()).collect();
    let bar = Bar::new(quiet);
    let comparison = harness::compare(chosen, &chosen_extra, &plan, &bar)?;
    drop(bar);

    let mut notes = Vec::new();
    let mut taken = first;
    let (mut confirmed, mut of) = (0, 0);
    for (finding, about) in findings.iter_mut().zip(&about) {
        let asked: Vec<(&Compared, usize)> = about
            .iter()
            .filter_map(|number| {
                taken[*number] += 1;
                Some((run_of(&comparison, &subjects[*number])?, taken[*number] - 1))
            })
            .collect();
        let Some(witness) = &mut finding.witness else { continue };
        of += 1;
        let (file, line) = lines.of(finding.span);
        let at = format!("{file}:{line}");
        match said(finding.rule, (&file, line), &asked) {
            Said::Confirmed(shown) => {
                confirmed += 1;
                if let Some(shown) = shown {
                    *witness = shown;
                }
                witness.confirmed = true;
            }
            Said::Contradicted(answer) => {
                notes.push(format!("{at}: {}: contradicted by a run", finding.rule));
                witness.subject = format!("{} in a run, which contradicts this finding", answer.subject);
                witness.reference = answer.reference;
            }
            Said::Nothing(reason) => notes.push(format!("{at}: {}: not confirmed: {reason}", finding.rule)),
        }
    }
    notes.push(format!("{confirmed} of {of} witnesses confirmed by a run"));
    Ok(notes)
}

/// What came of the subject; two ways of extracting it are one there.
fn run_of<'a>(comparison: &'a Comparison, subject: &Subject) -> Option<&'a Compared> {
    comparison.subjects.iter().find(|compared| compared.subject.id == subject.id)
}

fn said(rule: &str, at: (&str, u32), asked: &[(&Compared, usize)]) -> Said {
    let mut reason = "no code that reads and parses the hint could be told to be its place".to_owned();
    let mut denied = None;
    for (compared, index) in asked {
        if !compared.ran() {
            let detail = compared.detail.as_deref().unwrap_or_default();
            reason = format!(
                "{} ({}): {detail}",
                compared.status.name().replace('_', " "),
                compared.reason.unwrap_or_default()
            );
            continue;
        }
        let answer = compared.answers.get(*index);
        if answer.is_some_and(|answer| answer.kind.as_deref() == Some(rule)) {
            return Said::Confirmed(None);
        }
        if let Some(shown) = compared.divergences.iter().find(|divergence| divergence.kind == rule) {
            return Said::Confirmed(Some(Witness {
                header: shown.header.clone(),
                subject: shown.subject.clone(),
                reference: shown.reference.clone(),
                confirmed: true,
            }));
        }
        match answer.filter(|_| is_of_the_parse(rule) && compared.subject.covers(at.0, at.1)) {
            Some(answer) => denied = Some(answer.clone()),
            None => reason = "what the code was cut out of goes on after the cut".to_owned(),
        }
    }
    denied.map_or(Said::Nothing(reason), Said::Contradicted)
}

/// Whether the fault is one of parsing, which was run from beginning to end where it is the code's own. A fallback or a cap may come later.
fn is_of_the_parse(rule: &str) -> bool {
    RULES.iter().any(|known| known.id == rule && known.group == Group::Parse)
}

/// The subjects that read or parse where the finding's journey does.
fn subjects_of(finding: &Finding, subjects: &[Subject], lines: &Lines<'_>) -> Vec<usize> {
    let steps = finding.flow.iter().filter(|step| matches!(step.kind, StepKind::Read | StepKind::Parsed));
    let spans = steps.map(|step| step.span).chain([finding.span]);
    let places: Vec<(String, u32)> = spans.map(|span| lines.of(span)).collect();
    let is_at = |subject: &Subject| {
        let read = (subject.file.clone(), subject.line);
        places.contains(&read) || subject.parses.iter().any(|parse| places.contains(parse))
    };
    (0..subjects.len()).filter(|number| finding.witness.is_some() && is_at(&subjects[*number])).collect()
}

/// The lines of places in a root's files.
struct Lines<'a> {
    root: &'a Root,
    texts: std::cell::RefCell<BTreeMap<u32, (String, LineIndex)>>,
}

impl<'a> Lines<'a> {
    fn new(root: &'a Root) -> Self {
        Lines { root, texts: Default::default() }
    }

    fn of(&self, span: Span) -> (String, u32) {
        let workspace = &self.root.workspace;
        let mut texts = self.texts.borrow_mut();
        let (text, index) = texts.entry(span.file.0).or_insert_with(|| {
            // It was read before; if it is gone by now, its places are the file's beginning.
            let text = source::read(workspace, span.file).unwrap_or_default();
            let index = LineIndex::new(&text);
            (text, index)
        });
        (workspace.file(span.file).display.clone(), index.position(text, span.start).line)
    }
}
