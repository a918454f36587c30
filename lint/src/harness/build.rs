//! Builds: a group's crate with overflow checks and without, and what to set aside so that the rest is built.

use super::layout::{self, Folder, Group};
use super::{Error, Plan};
use crate::extract::{Extracted, Reason};
use crate::workspace::plain;
use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// One build of one group, its dependencies included. What takes longer is beyond what anybody waits for.
const LIMIT: Duration = Duration::from_secs(900);

/// No more rounds of setting code aside and building the rest.
pub(super) const ROUNDS: usize = 12;

/// What came of a group.
pub(super) struct Built {
    /// The program without overflow checks.
    pub(super) unchecked: PathBuf,
    /// The program with them.
    pub(super) checked: PathBuf,
    /// The subjects in the programs.
    pub(super) numbers: Vec<usize>,
    /// The others.
    pub(super) failed: BTreeMap<usize, Failure>,
    /// What was done about the lockfile.
    pub(super) notes: Vec<String>,
}

/// Why a subject's code was not built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The reason code.
    pub(crate) reason: Reason,
    /// The first error.
    pub(crate) message: String,
}

/// Builds a group twice.
pub(super) fn build<'a>(
    folder: &Folder,
    group: &Group,
    plan: &Plan<'_>,
    code: &dyn Fn(usize) -> Option<&'a Extracted>,
) -> Result<Built, Error> {
    let mut numbers = group.numbers.clone();
    let mut failed = BTreeMap::new();
    let mut notes = Vec::new();
    let lock = Lock::copy(&folder.group(group), plan.lockfile.as_deref())?;
    let mut lock_is_fresh = lock == Lock::Copied;
    for _ in 0..ROUNDS {
        if numbers.is_empty() {
            break;
        }
        folder.write_group(group, &numbers, code)?;
        let manifest = folder.group(group).join("Cargo.toml");
        let mut programs = Vec::new();
        let mut trouble = Trouble::default();
        let job = Job { build: folder.build(), manifest: &manifest, plan, subject_of: &subject_of };
        for profile in ["release", "checked"] {
            match cargo(&job, profile, LIMIT)? {
                Ok(program) => programs.push(program),
                Err(errors) => {
                    trouble = errors;
                    break;
                }
            }
        }
        if let [unchecked, checked] = &programs[..] {
            if lock == Lock::None && !group.needs_nothing() {
                notes.push(format!("no lockfile: cargo chose {}", chosen(&folder.group(group), group)));
            }
            let (unchecked, checked) = (unchecked.clone(), checked.clone());
            return Ok(Built { unchecked, checked, numbers, failed, notes });
        }
        if trouble.of_subjects.is_empty() {
            // A lockfile that cannot be obeyed (of another cargo, of crates that are gone) is better than none only if it works.
            if lock_is_fresh && trouble.is_resolution {
                lock_is_fresh = false;
                notes.push(format!("the lockfile could not be used, cargo chose the versions: {}", trouble.first));
                Lock::drop(&folder.group(group))?;
                continue;
            }
            let failure = trouble.failure();
            failed.extend(numbers.drain(..).map(|number| (number, failure.clone())));
            break;
        }
        numbers.retain(|number| !trouble.of_subjects.contains_key(number));
        let failures = trouble.of_subjects.into_iter();
        failed.extend(failures.map(|(number, message)| (number, Failure { reason: reason_of(&message), message })));
    }
    // Whoever is left after the last round was never built.
    failed.extend(
        numbers.drain(..).map(|number| (number, super::failure(Reason::OverBudget, "too many rounds of building"))),
    );
    Ok(Built { unchecked: PathBuf::new(), checked: PathBuf::new(), numbers, failed, notes })
}

/// What is wrong with code that does not compile, where the compiler's error says what the cut lacked.
fn reason_of(message: &str) -> Reason {
    let is_of = |codes: &[&str]| codes.iter().any(|code| message.starts_with(&format!("error[{code}]")));
    if is_of(&["E0282", "E0283", "E0284"]) {
        Reason::TypeUnknown
    } else if message.contains("IntoOutcome") {
        Reason::EscapesAs
    } else {
        Reason::BuildFailed
    }
}

/// Errors of a build.
#[derive(Default)]
pub(super) struct Trouble {
    /// The first error of each subject that has one.
    pub(super) of_subjects: BTreeMap<usize, String>,
    /// The first error at all.
    first: String,
    /// Whether nothing was compiled at all.
    pub(super) is_resolution: bool,
    is_over_time: bool,
}

/// What is built.
pub(super) struct Job<'a> {
    /// Cargo's target folder.
    pub(super) build: &'a Path,
    pub(super) manifest: &'a Path,
    pub(super) plan: &'a Plan<'a>,
    /// Whose code a place is.
    pub(super) subject_of: &'a dyn Fn(&DiagnosticSpan) -> Option<usize>,
}

/// Runs cargo for it; the program, or what was wrong with the code.
pub(super) fn cargo(job: &Job<'_>, profile: &str, limit: Duration) -> Result<Result<PathBuf, Trouble>, Error> {
    let mut command = Command::new(program());
    command
        .current_dir(&job.plan.start)
        .args(["build", "--message-format", "json", "--color", "never", "--profile", profile, "--manifest-path"])
        .arg(job.manifest)
        .arg("--target-dir")
        .arg(job.build)
        // Those of a cargo that started us are about another package.
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let name = command.get_program().display().to_string();
    let mut child = command.spawn().map_err(|error| Error::new(format!("cannot run {name}: {}", plain(&error))))?;
    let stdout = read_aside(child.stdout.take());
    let stderr = read_aside(child.stderr.take());
    let end = Instant::now() + limit;
    let left = || end.saturating_duration_since(Instant::now());
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(limit), stderr.recv_timeout(left())) else {
        // Errors here mean that it ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return Ok(Err(Trouble::over_time(limit)));
    };
    let success = child.wait().is_ok_and(|status| status.success());
    let mut executable = None;
    let mut trouble = Trouble { is_resolution: true, ..Trouble::default() };
    for message in Message::parse_stream(stdout.as_slice()).flatten() {
        match message {
            Message::CompilerArtifact(artifact) => {
                trouble.is_resolution = false;
                executable = artifact.executable.map(PathBuf::from).or(executable);
            }
            Message::CompilerMessage(message) if is_error(&message.message) => {
                trouble.is_resolution = false;
                trouble.add(&message.message, job.subject_of);
            }
            _ => {}
        }
    }
    match executable {
        Some(executable) if success => Ok(Ok(executable)),
        _ => {
            if trouble.first.is_empty() {
                trouble.first = first_error(&String::from_utf8_lossy(&stderr));
            }
            Ok(Err(trouble))
        }
    }
}

impl Trouble {
    /// The build took too long.
    pub(super) fn over_time(limit: Duration) -> Trouble {
        let first = format!("the build did not end within {} s", limit.as_secs());
        Trouble { first, is_over_time: true, ..Trouble::default() }
    }

    /// It as the reason of all that was to be built.
    pub(super) fn failure(self) -> Failure {
        let reason = if self.first.contains("rustc") && self.first.contains("requires") {
            Reason::RustVersion
        } else if self.is_over_time {
            Reason::OverBudget
        } else {
            Reason::BuildFailed
        };
        Failure { reason, message: self.first }
    }

    fn add(&mut self, message: &Diagnostic, subject_of: &dyn Fn(&DiagnosticSpan) -> Option<usize>) {
        let text = match &message.code {
            Some(code) => format!("error[{}]: {}", code.code, message.message),
            None => format!("error: {}", message.message),
        };
        if self.first.is_empty() {
            self.first.clone_from(&text);
        }
        let mut spans: Vec<&DiagnosticSpan> = message.spans.iter().collect();
        spans.sort_by_key(|span| !span.is_primary);
        if let Some(number) = spans.into_iter().find_map(|span| expanded(span, subject_of)) {
            self.of_subjects.entry(number).or_insert(text);
        }
    }
}

/// The subject in whose module the place is.
fn subject_of(span: &DiagnosticSpan) -> Option<usize> {
    layout::subject_of(&span.file_name)
}

/// The subject whose code the place is, or the macro that it came from is used in.
fn expanded(span: &DiagnosticSpan, subject_of: &dyn Fn(&DiagnosticSpan) -> Option<usize>) -> Option<usize> {
    let mut span = span;
    loop {
        match (subject_of(span), &span.expansion) {
            (Some(number), _) => return Some(number),
            (None, Some(expansion)) => span = &expansion.span,
            (None, None) => return None,
        }
    }
}

fn is_error(message: &Diagnostic) -> bool {
    matches!(message.level, DiagnosticLevel::Error | DiagnosticLevel::Ice)
}

impl Group {
    fn needs_nothing(&self) -> bool {
        self.dependencies().is_empty()
    }
}

/// Where a group's lockfile came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// From the target.
    Copied,
    /// The target has none.
    None,
}

impl Lock {
    /// Takes over the target's lockfile, if it is another one than the last time: cargo takes out what is not needed.
    pub(super) fn copy(group: &Path, lockfile: Option<&Path>) -> Result<Lock, Error> {
        let Some(text) = lockfile.and_then(|path| fs::read_to_string(path).ok()) else { return Ok(Lock::None) };
        let kept = group.join("target.lock");
        if fs::read_to_string(&kept).ok().as_deref() != Some(&*text) || !group.join("Cargo.lock").exists() {
            layout::write(&group.join("Cargo.lock"), &text)?;
            layout::write(&kept, &text)?;
        }
        Ok(Lock::Copied)
    }

    pub(super) fn drop(group: &Path) -> Result<(), Error> {
        let path = group.join("Cargo.lock");
        fs::remove_file(&path).map_err(|error| Error::io("remove", &path, &error))
    }
}

/// The versions of the group's dependencies in its lockfile, in words.
fn chosen(folder: &Path, group: &Group) -> String {
    let text = fs::read_to_string(folder.join("Cargo.lock")).unwrap_or_default();
    let lock: toml::Table = text.parse().unwrap_or_default();
    let packages = lock.get("package").and_then(toml::Value::as_array).map_or(&[][..], Vec::as_slice);
    let word = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let is_named = |name: &String| group.dependencies().iter().any(|dependency| dependency.package == *name);
    let versions = packages.iter().filter_map(|package| Some((word(package, "name")?, word(package, "version")?)));
    let versions: Vec<String> =
        versions.filter(|(name, _)| is_named(name)).map(|(name, version)| format!("{name} {version}")).collect();
    versions.join(", ")
}

/// The cargo that started us, else the one on the search path.
pub(super) fn program() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

/// Reads a pipe on a thread of its own, so that neither pipe can fill up while the other is read.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still of use.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// Cargo's complaint without its progress lines, in one line.
fn first_error(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let text: Vec<&str> = lines.skip_while(|line| !line.starts_with("error")).take(8).collect();
    let text = if text.is_empty() { vec![stderr.lines().last().unwrap_or("cargo said nothing")] } else { text };
    text.join(" ")
}
