//! The harness: extracted code, compiled beside the reference and run against it.
//!
//! ```text
//! subjects -> crates on disk -> two builds -> one process for each subject -> what diverges
//!             (layout)          (build)       (run)                           (merge)
//! ```
//!
//! Code of the target is compiled and run here, and nowhere else in the linter; only the commands that say so come here.
//! All that is written lies below one folder, see [`Plan::folder`].

mod build;
/// A header as text: the runtime's own file, so that there is one way of writing it.
#[path = "../runtime/escape.rs"]
#[allow(dead_code, reason = "reading it back is the runtime's part")]
mod escape;
pub mod fuzz;
mod layout;
pub mod lift;
mod merge;
pub mod place;
pub mod regressions;
mod run;
mod table;

use crate::extract::{Extracted, Reason, Subject};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the work is done with.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The folder for all that is written, `target/retry-after` of the checkout.
    pub folder: PathBuf,
    /// The folder below which crates are compiled for comparing, [`Plan::folder`] or one that several plans share.
    pub shared: PathBuf,
    /// The folder that cargo is started in: its configuration and toolchain are obeyed.
    pub start: PathBuf,
    /// The lockfile of the target, whose versions are taken.
    pub lockfile: Option<PathBuf>,
    /// The reference's files and their texts.
    pub reference: &'a [(&'a str, &'a str)],
    /// How many inputs a subject is asked about.
    pub inputs: u64,
    /// The seed of the generated ones.
    pub seed: u64,
    /// How far packages are taken whole, for subjects that say how; None for not at all.
    pub lift: Option<lift::Lifting>,
}

/// What came of all subjects.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// In the order of the subjects.
    pub subjects: Vec<Compared>,
    /// What whoever reads the result should know.
    pub notes: Vec<String>,
}

/// What came of one subject.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The subject.
    pub subject: Subject,
    /// How far it came.
    pub status: Status,
    /// Why it came no further: a reason code.
    pub reason: Option<&'static str>,
    /// What exactly the reason was.
    pub detail: Option<String>,
    /// How many inputs it was asked about.
    pub inputs: u64,
    /// The hash of all its outcomes: subjects with the same one behave alike.
    pub fingerprint: Option<String>,
    /// Where nothing said which unit its number has, and it is not seconds: how many it gives for a second.
    pub scale: Option<f64>,
    /// What it does with a few plain headers, each with what it does.
    pub habits: Vec<(String, String)>,
    /// How it differs from the reference.
    pub divergences: Vec<Difference>,
    /// How it differs in what one may argue about.
    pub tolerated: Vec<Difference>,
    /// What came of the headers that were asked about besides, in their order.
    pub answers: Vec<Answer>,
    /// What came of taking its package whole; None where that was not tried.
    pub lift: Option<lift::Lift>,
    /// The hashes of its outcomes, without overflow checks and with them.
    prints: [Option<String>; 2],
    /// What the analysis had said beforehand, held against the run.
    pub table: Table,
}

/// The analysis' own table, held against a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// How many headers the analysis was sure about and the run gave an answer to.
    pub cases: usize,
    /// Those where both differ.
    pub differ: Vec<Contradiction>,
}

/// A header of which the analysis says something else than the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The header, escaped; empty for none.
    pub header: String,
    /// What the analysis says, in words.
    pub analysis: String,
    /// What the run gave.
    pub run: String,
}

/// How far a subject came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It ran, and two ways of extracting it behave alike.
    Verified,
    /// It ran.
    Compared,
    /// It could not be extracted.
    NotExtracted,
    /// It could not be compiled.
    BuildFailed,
}

impl Status {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::Compared => "compared",
            Status::NotExtracted => "not_extracted",
            Status::BuildFailed => "build_failed",
        }
    }
}

/// A way in which a subject differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name, a rule's where there is one.
    pub kind: String,
    /// The family of headers.
    pub family: String,
    /// The simplest header that shows it, escaped; empty for none.
    pub header: String,
    /// What the subject does with it.
    pub subject: String,
    /// What the reference does with it.
    pub reference: String,
    /// How many inputs showed it.
    pub count: u64,
}

/// What came of a header that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The name of the divergence; None where there is none, or only a tolerated one.
    pub kind: Option<String>,
    /// What the subject does.
    pub subject: String,
    /// What the reference does.
    pub reference: String,
}

/// Where the work is, for whoever waits for it.
pub trait Progress: Sync {
    /// It is at this now, in words, the so-and-so-many-th of so many.
    fn at(&self, step: &str, done: usize, total: usize);
}

/// Why nothing could be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn new(message: impl Into<String>) -> Self {
        Error(message.into())
    }

    fn io(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Error(format!("cannot {what} `{}`: {}", path.display(), crate::workspace::plain(error)))
    }
}

/// Compiles the subjects' code and runs it beside the reference. `extra` are headers that each of them is asked about besides, escaped.
///
/// # Errors
///
/// When the folder cannot be written, or cargo cannot be started. What fails for a subject is told in its place.
pub fn compare(
    subjects: Vec<Subject>,
    extra: &[Vec<String>],
    plan: &Plan<'_>,
    progress: &dyn Progress,
) -> Result<Comparison, Error> {
    let mut notes = Vec::new();
    let groups = layout::groups(&subjects, plan);
    let mut all: Vec<Compared> = subjects.into_iter().map(Compared::new).collect();
    let folder = layout::Folder::prepare(plan)?;
    let mut ready = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        progress.at("building", index, groups.len());
        let code = |number: usize| extracted(&all[number]);
        let built = build::build(&folder, group, plan, &code)?;
        notes.extend(built.notes);
        for (number, failure) in built.failed {
            all[number].fail(&failure);
        }
        ready.extend(built.numbers.into_iter().map(|number| (number, built.unchecked.clone(), built.checked.clone())));
    }
    let done = AtomicUsize::new(0);
    let results = crate::cores::in_parallel(&ready, |(number, unchecked, checked)| {
        let mut extra = extra.get(*number).cloned().unwrap_or_default();
        let expected = &all[*number].subject.expected;
        extra.extend(expected.iter().map(|expected| expected.header.clone()));
        let job =
            run::Job { number: *number, inputs: plan.inputs, seed: plan.seed, extra: &extra, aside: expected.len() };
        let both = [unchecked, checked].map(|program| run::run(program, &job));
        progress.at("comparing", done.fetch_add(1, Ordering::Relaxed) + 1, ready.len());
        both
    });
    for ((number, ..), [unchecked, checked]) in ready.iter().zip(results) {
        let compared = &mut all[*number];
        merge::merge(compared, Some(unchecked?), Some(checked?));
        table::hold(compared, extra.get(*number).map_or(0, Vec::len));
    }
    if let Some(lifting) = plan.lift {
        notes.extend(lift::lift(&folder, &mut all, extra, plan, lifting, progress)?);
    }
    let differ: usize = all.iter().map(|compared| compared.table.differ.len()).sum();
    if differ > 0 {
        let cases: usize = all.iter().map(|compared| compared.table.cases).sum();
        notes.push(format!(
            "the analysis says otherwise than the run in {differ} of {cases} cases: one of them is wrong; --verbose lists them"
        ));
    }
    notes.sort();
    notes.dedup();
    Ok(Comparison { subjects: merge::verify(all), notes })
}

fn extracted(compared: &Compared) -> Option<&Extracted> {
    compared.subject.extraction.as_ref().ok()
}

impl Compared {
    fn new(subject: Subject) -> Self {
        let refusal = subject.extraction.as_ref().err();
        let status = if refusal.is_some() { Status::NotExtracted } else { Status::Compared };
        let (reason, detail) = (refusal.map(|no| no.reason.code()), refusal.map(|no| no.detail.clone()));
        Compared {
            status,
            reason,
            detail,
            subject,
            inputs: 0,
            fingerprint: None,
            scale: None,
            habits: Vec::new(),
            divergences: Vec::new(),
            tolerated: Vec::new(),
            answers: Vec::new(),
            lift: None,
            prints: [None, None],
            table: Table::default(),
        }
    }

    fn fail(&mut self, failure: &build::Failure) {
        self.status = Status::BuildFailed;
        self.reason = Some(failure.reason.code());
        self.detail = Some(failure.message.clone());
    }

    /// Whether its code ran.
    pub fn ran(&self) -> bool {
        self.status <= Status::Compared
    }

    /// The strategy by which it was extracted, or by which that was tried last.
    pub fn strategy(&self) -> crate::extract::Strategy {
        match &self.subject.extraction {
            Ok(code) => code.strategy,
            Err(refusal) => refusal.strategy,
        }
    }
}

/// A failure of a reason that is not the code's own.
pub(crate) fn failure(reason: Reason, message: impl Into<String>) -> build::Failure {
    build::Failure { reason, message: message.into() }
}
