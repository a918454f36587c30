//! Lifts: a subject's whole package, copied below the harness' folder, opened for it there, compiled and asked the same.
//!
//! ```text
//! lift-*/            the program that asks, a workspace of its own
//! lift-*/package/    the copy, with a manifest made from what cargo says of the package
//! ```
//!
//! What a slice leaves out, a lift has: so it shows whether the slice does what the code does in its place, and it is a way where there is no
//! slice. It takes as long as the package and all its dependencies take to compile, which is why there is a budget.

mod copy;
mod manifest;

use super::build::{self, Failure, Lock, ROUNDS, Trouble};
use super::layout::{self, Folder};
use super::{Compared, Error, Plan, Progress, merge, run};
use crate::extract::lift::{CALL, Lifted, Opened, declarations, runtime_name};
use crate::extract::{Edit, Extracted, Reason, edited};
use cargo_metadata::diagnostic::DiagnosticSpan;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How far lifts go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifting {
    /// How long the builds of one package may take.
    pub budget: Duration,
    /// Whether code that runs without is lifted too, to see whether it behaves alike.
    pub checks: bool,
}

/// What a lift came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lift {
    /// Beside the other way of extraction.
    pub verdict: Verdict,
    /// How long the builds of the package took, whichever subjects were in it. Zero where there was none.
    pub built_in: Duration,
}

/// What a lift says of the other way of extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both behave alike.
    Agrees,
    /// They do not: the other one is not faithful.
    Differs,
    /// There is no other one.
    Alone,
    /// It could not be made or compiled.
    Failed {
        /// The reason code.
        reason: &'static str,
        /// What exactly it was.
        detail: String,
    },
}

impl Verdict {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::Alone => "alone",
            Verdict::Failed { .. } => "failed",
        }
    }
}

/// A package and those of its subjects that are to be lifted, by number.
type Chosen = (Arc<Opened>, Vec<(usize, Lifted)>);

/// Which features of the package are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Features {
    Default,
    All,
}

/// Subjects of one package.
struct Batch<'a> {
    package: &'a Opened,
    subjects: Vec<(usize, &'a Lifted)>,
}

/// What came of a batch.
#[derive(Default)]
struct Built {
    /// With overflow checks, and without if there was time for it; each with the subjects in it.
    programs: Vec<(Vec<usize>, PathBuf, Option<PathBuf>)>,
    failed: BTreeMap<usize, Failure>,
    time: Duration,
    notes: Vec<String>,
}

/// Lifts what is to be lifted, runs it, and takes over what came of it.
pub(super) fn lift(
    folder: &Folder,
    all: &mut [Compared],
    extra: &[Vec<String>],
    plan: &Plan<'_>,
    lifting: Lifting,
    progress: &dyn Progress,
) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let mut packages: Vec<Chosen> = Vec::new();
    for (number, compared) in all.iter_mut().enumerate() {
        if compared.ran() && !lifting.checks {
            continue;
        }
        match &compared.subject.lift {
            None => {}
            Some(Err(refusal)) => compared.lift = Some(Lift::failed(refusal.reason, &refusal.detail, Duration::ZERO)),
            Some(Ok(lifted)) => {
                let place = packages.iter().position(|(package, _)| Arc::ptr_eq(package, &lifted.package));
                let place = place.unwrap_or_else(|| {
                    packages.push((lifted.package.clone(), Vec::new()));
                    packages.len() - 1
                });
                packages[place].1.push((number, lifted.clone()));
            }
        }
    }
    for (index, (package, subjects)) in packages.iter().enumerate() {
        progress.at("building whole packages", index, packages.len());
        let batch = Batch { package, subjects: subjects.iter().map(|(number, lifted)| (*number, lifted)).collect() };
        let built = batch.build(folder, plan, lifting.budget)?;
        notes.extend(built.notes);
        for (number, failure) in &built.failed {
            all[*number].lift = Some(Lift::failed(failure.reason, &failure.message, built.time));
        }
        for (numbers, checked, unchecked) in &built.programs {
            let results = crate::cores::in_parallel(numbers, |number| {
                let extra = extra.get(*number).map_or(&[][..], Vec::as_slice);
                let job = run::Job { number: *number, inputs: plan.inputs, seed: plan.seed, extra, aside: 0 };
                let unchecked = unchecked.as_ref().map(|program| run::run(program, &job));
                (run::run(checked, &job), unchecked)
            });
            for (number, (checked, unchecked)) in numbers.iter().zip(results) {
                let Some((_, lifted)) = subjects.iter().find(|(of, _)| of == number) else { continue };
                let mut twin = Compared::of_lift(&all[*number], &lifted.code);
                merge::merge(&mut twin, unchecked.transpose()?, Some(checked?));
                merge::settle(&mut all[*number], twin, built.time);
            }
        }
    }
    Ok(notes)
}

impl Lift {
    fn failed(reason: Reason, detail: &str, built_in: Duration) -> Lift {
        Lift { verdict: Verdict::Failed { reason: reason.code(), detail: detail.to_owned() }, built_in }
    }
}

impl Compared {
    /// The same subject as its lift has it.
    fn of_lift(compared: &Compared, code: &Extracted) -> Compared {
        let mut subject = compared.subject.clone();
        subject.extraction = Ok(code.clone());
        Compared::new(subject)
    }
}

impl Batch<'_> {
    fn build(&self, folder: &Folder, plan: &Plan<'_>, budget: Duration) -> Result<Built, Error> {
        let begin = Instant::now();
        let mut built = Built::default();
        let facts = match manifest::Facts::of(&self.package.root, plan) {
            Ok(facts) => facts,
            Err(message) => {
                let failure = super::failure(Reason::BuildFailed, message);
                built.failed = self.subjects.iter().map(|(number, _)| (*number, failure.clone())).collect();
                return Ok(built);
            }
        };
        let mut open: Vec<(usize, &Lifted)> = Vec::new();
        for (number, lifted) in &self.subjects {
            match facts.library_for(&lifted.file) {
                Ok(()) => open.push((*number, lifted)),
                Err(message) => {
                    built.failed.insert(*number, super::failure(Reason::NoAdapter, message));
                }
            }
        }
        for features in [Features::Default, Features::All] {
            if open.is_empty() || features == Features::All && !facts.has_more_features() {
                break;
            }
            let attempt = Attempt { batch: self, facts: &facts, folder, plan, features, begin, budget };
            let failed = attempt.build(open.clone(), &mut built)?;
            // What is not there, or does not compile, may want a feature that is off.
            open.retain(|(number, _)| failed.contains_key(number));
            for (number, failure) in failed {
                // The first reason is the plain one.
                built.failed.entry(number).or_insert(failure);
            }
            for (numbers, ..) in &built.programs {
                built.failed.retain(|number, _| !numbers.contains(number));
            }
        }
        built.time = begin.elapsed();
        Ok(built)
    }
}

/// The builds of a package with one set of features.
struct Attempt<'a> {
    batch: &'a Batch<'a>,
    facts: &'a manifest::Facts,
    folder: &'a Folder,
    plan: &'a Plan<'a>,
    features: Features,
    begin: Instant,
    budget: Duration,
}

impl Attempt<'_> {
    /// Builds with as many of the subjects as compile; gives the others.
    fn build(&self, mut open: Vec<(usize, &Lifted)>, built: &mut Built) -> Result<BTreeMap<usize, Failure>, Error> {
        let mut failed = BTreeMap::new();
        let name = self.facts.folder_name(self.features == Features::All);
        let folder = self.folder.lift(&name);
        let lock = Lock::copy(&folder, self.plan.lockfile.as_deref())?;
        let mut lock_is_fresh = lock == Lock::Copied;
        let left = || self.budget.saturating_sub(self.begin.elapsed());
        for _ in 0..ROUNDS {
            if open.is_empty() {
                return Ok(failed);
            }
            let begin = Instant::now();
            let trouble = if left().is_zero() {
                Trouble::over_time(self.budget)
            } else {
                if let Err(refusal) = self.write(&folder, &open)? {
                    failed.extend(open.iter().map(|(number, _)| (*number, refusal.clone())));
                    return Ok(failed);
                }
                let subject_of = |span: &DiagnosticSpan| {
                    let has_key = |lifted: &Lifted| span.text.iter().any(|line| line.text.contains(&lifted.key));
                    open.iter().find(|(_, lifted)| has_key(lifted)).map(|(number, _)| *number)
                };
                let job = build::Job {
                    build: self.folder.build(),
                    manifest: &folder.join("Cargo.toml"),
                    plan: self.plan,
                    subject_of: &subject_of,
                };
                match build::cargo(&job, "checked", left())? {
                    Ok(checked) => {
                        // It takes about as long once more.
                        let has_time = left() > begin.elapsed();
                        let unchecked = if has_time { build::cargo(&job, "release", left())?.ok() } else { None };
                        if unchecked.is_none() {
                            built.notes.push(format!(
                                "{}: taken whole, it was only built with overflow checks within the budget of {} s",
                                self.facts.name(),
                                self.budget.as_secs()
                            ));
                        }
                        let numbers = open.iter().map(|(number, _)| *number).collect();
                        built.programs.push((numbers, checked, unchecked));
                        return Ok(failed);
                    }
                    Err(trouble) => trouble,
                }
            };
            if !trouble.of_subjects.is_empty() {
                open.retain(|(number, _)| !trouble.of_subjects.contains_key(number));
                let failures = trouble.of_subjects.into_iter();
                failed.extend(failures.map(|(number, message)| (number, super::failure(Reason::BuildFailed, message))));
                continue;
            }
            if lock_is_fresh && trouble.is_resolution {
                lock_is_fresh = false;
                Lock::drop(&folder)?;
                continue;
            }
            let failure = trouble.failure();
            failed.extend(open.drain(..).map(|(number, _)| (number, failure.clone())));
        }
        let failure = super::failure(Reason::OverBudget, "too many rounds of building");
        failed.extend(open.drain(..).map(|(number, _)| (number, failure.clone())));
        Ok(failed)
    }

    /// Writes the copy and the program that asks it.
    fn write(&self, folder: &Path, open: &[(usize, &Lifted)]) -> Result<Result<(), Failure>, Error> {
        let with_client = open.iter().any(|(_, lifted)| lifted.with_client);
        let package = self.batch.package;
        let http = open.iter().any(|(_, lifted)| lifted.with_response).then(|| self.facts.http(&package.http));
        let name_of_http = http.as_ref().map(manifest::Http::name);
        let mut edits: BTreeMap<PathBuf, Vec<Edit>> = package.edits.iter().cloned().collect();
        for (path, edit) in open.iter().flat_map(|(_, lifted)| &lifted.edits) {
            edits.entry(path.clone()).or_default().push(edit.clone());
        }
        let library = self.facts.library();
        edits.entry(library.to_owned()).or_default();
        let target = folder.join("package");
        let changed = |path: &Path, text: &str| -> Option<String> {
            let edits = edits.get(path)?;
            let mut text = edited(text, edits.clone());
            if path == library {
                let declared = declarations(self.facts.edition(), &text, with_client, name_of_http.as_deref());
                text.push_str(&format!("\n{declared}{}", package.root_text));
                text.extend(open.iter().map(|(_, lifted)| lifted.root_text.as_str()));
            }
            Some(text)
        };
        if let Err(refusal) = copy::copy(&package.root, &target, &self.plan.folder, &changed)? {
            return Ok(Err(super::failure(Reason::OverBudget, refusal)));
        }
        layout::write_toml(&target, self.facts.package(http.as_ref(), runtime_name()))?;
        layout::write_toml(folder, self.facts.program(self.features == Features::All))?;
        let row = |(number, lifted): &(usize, &Lifted)| {
            let unknown_unit = lifted.code.is_in_unknown_unit();
            format!(
                "        runtime::Subject {{ number: {number}, unknown_unit: {unknown_unit}, \
                 call: <package::{} as package::{CALL}>::call }},\n",
                lifted.name
            )
        };
        let rows: String = open.iter().map(row).collect();
        let main = format!(
            "#![allow(warnings, clippy::all)]\n\nextern crate extracted_package as package;\nextern crate retry_after_runtime as runtime;\n\n\
             fn main() -> std::process::ExitCode {{\n    runtime::driver::main(&[\n{rows}    ])\n}}\n"
        );
        layout::write(&folder.join("src/main.rs"), &main)?;
        Ok(Ok(()))
    }
}
