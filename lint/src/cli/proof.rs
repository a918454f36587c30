//! What `compare` and `fuzz` have in common: which subjects, and where their code is compiled.

use super::output::{self, Color};
use super::{Common, Failure};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use retry_after_lint::extract::Subject;
use retry_after_lint::harness::lift::Lifting;
use retry_after_lint::harness::place::{self, Place};
use retry_after_lint::harness::{Plan, Progress};
use retry_after_lint::report::Unread;
use retry_after_lint::source::Unreadable;
use retry_after_lint::workspace::{self, Request, Root, Selection};
use std::path::PathBuf;
use std::time::Duration;

/// What is said at the start, because plain lint does nothing of the kind.
const TRUST: &str = "compiles and runs code of what it looks at, with the build scripts and macros of the crates that this code needs: only for code you trust";

/// The flags that choose subjects.
#[derive(Args)]
pub(super) struct ProofArgs {
    /// Only this place, or those whose id begins so: `package:file:line`
    #[arg(value_name = "SITE")]
    pub(super) site: Option<String>,

    /// Only this package of the workspace (can be given several times)
    #[arg(short, long, value_name = "SPEC", help_heading = "Package selection")]
    package: Vec<String>,

    /// All packages of the workspace
    #[arg(long, visible_alias = "all", help_heading = "Package selection")]
    workspace: bool,

    /// All packages of the workspace but this one (can be given several times)
    #[arg(long, value_name = "SPEC", help_heading = "Package selection")]
    exclude: Vec<String>,

    /// The manifest of the package or workspace
    #[arg(long, value_name = "PATH", help_heading = "Package selection")]
    manifest_path: Option<PathBuf>,

    /// A published crate (can be given several times)
    ///
    /// It is fetched by cargo from the registry that cargo is set up for. Without a version, the newest one.
    #[arg(long = "crate", value_name = "NAME[@VERSION]", conflicts_with_all = ["package", "workspace", "exclude", "manifest_path"], help_heading = "Package selection")]
    crates: Vec<String>,

    /// The target folder, below which `retry-after` holds all that is written
    ///
    /// Without it, CARGO_TARGET_DIR, or that of the workspace; for a published crate `target` in the current folder.
    #[arg(long, value_name = "DIRECTORY")]
    target_dir: Option<PathBuf>,

    /// The folder of headers that once showed a divergence and are asked about again, `regressions` in the harness' folder without it
    ///
    /// Name one inside the checkout to keep them under version control.
    #[arg(long, value_name = "DIRECTORY")]
    regressions: Option<PathBuf>,
}

/// A root, its subjects and their place.
pub(super) struct Target {
    pub(super) subjects: Vec<Subject>,
    pub(super) place: Place,
    pub(super) regressions: PathBuf,
}

impl Target {
    /// The plan for it.
    pub(super) fn plan(&self, inputs: u64, seed: u64, lift: Option<Lifting>) -> Plan<'_> {
        Plan {
            folder: self.place.folder.clone(),
            shared: self.place.shared.clone(),
            start: self.place.start.clone(),
            lockfile: self.place.lockfile.clone(),
            reference: retry_after_core::sources::FILES,
            inputs,
            seed,
            lift,
        }
    }
}

impl ProofArgs {
    /// Says what is going to happen, and finds the subjects that were asked for; with `lifts`, their packages too.
    pub(super) fn targets(&self, command: &str, lifts: bool, common: &Common) -> Result<Vec<Target>, Failure> {
        trust(command, common.color);
        let roots = workspace::discover(&self.request())?;
        let mut targets = Vec::new();
        let mut known = Vec::new();
        for root in &roots {
            let (analysis, mut subjects) =
                retry_after_lint::analyse_for_proof(&root.workspace, &retry_after_lint::Options::default(), lifts);
            tell(root, &analysis.unreadable, common.color);
            if root.versioned {
                name_versions(root, &mut subjects);
            }
            known.extend(subjects.iter().map(|subject| subject.id.clone()));
            let is_wanted = |subject: &Subject| {
                let named = self.site.as_deref().is_none_or(|site| is_site(&subject.id, site));
                named && is_selected(root, subject)
            };
            subjects.retain(is_wanted);
            if !subjects.is_empty() {
                let place = place::of(root, self.target_dir.as_deref())?;
                let regressions = self.regressions.clone().unwrap_or_else(|| place.folder.join("regressions"));
                targets.push(Target { subjects, place, regressions });
            }
        }
        match &self.site {
            Some(site) if targets.is_empty() => Err(Failure(unknown_site(site, &known))),
            _ => Ok(targets),
        }
    }

    fn request(&self) -> Request {
        if !self.crates.is_empty() {
            return Request::Crates(self.crates.clone());
        }
        Request::Project(Selection {
            manifest_path: self.manifest_path.clone(),
            packages: self.package.clone(),
            all: self.workspace,
            exclude: self.exclude.clone(),
        })
    }
}

/// Says that code will be compiled and run.
pub(super) fn trust(command: &str, color: Option<Color>) {
    output::complain("note", &format!("`{command}` {TRUST}"), color);
}

/// A prefix names whole parts: `a:src/b.rs:1` is not `a:src/b.rs:12`, and `cli` is not `client`.
fn is_site(id: &str, site: &str) -> bool {
    let rest = id.strip_prefix(site);
    rest.is_some_and(|rest| rest.is_empty() || site.ends_with([':', '/']) || rest.starts_with([':', '/', '@']))
}

fn unknown_site(site: &str, known: &[String]) -> String {
    let mut text = format!("no place that reads the hint has the id `{site}` or one that begins so");
    if known.is_empty() {
        text.push_str("; there is none at all");
    } else {
        text.push_str("; there are ");
        text.push_str(&known.join(", "));
    }
    text
}

/// Reports name published crates with their version.
fn name_versions(root: &Root, subjects: &mut [Subject]) {
    for subject in subjects {
        let package = root.workspace.packages.iter().find(|package| package.name == subject.package);
        if let Some((name, version)) = package.and_then(|package| package.name.as_ref().zip(package.version.as_ref())) {
            let label = format!("{name}@{version}");
            subject.id = format!("{label}:{}:{}", subject.file, subject.line);
            subject.package = Some(label);
        }
    }
}

fn is_selected(root: &Root, subject: &Subject) -> bool {
    root.versioned || root.workspace.packages.iter().any(|package| package.selected && package.name == subject.package)
}

fn tell(root: &Root, unreadable: &[Unreadable], color: Option<Color>) {
    for note in &root.notes {
        output::complain("note", note, color);
    }
    let folder = std::env::current_dir().unwrap_or_default();
    for file in root.broken_manifests.iter().map(|broken| &broken.file).chain(&root.unreadable).chain(unreadable) {
        let Unread { path, line, message, .. } = Unread::new(root, file.clone(), &folder, &folder);
        output::complain("warning", &format!("{path}:{line}: {message}"), color);
    }
}

/// A bar on the terminal; nothing where standard error is none.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(quiet: bool) -> Bar {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {pos}/{len} [{elapsed}]") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }
}

impl Progress for Bar {
    fn at(&self, step: &str, done: usize, total: usize) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(step.to_owned());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_whole_prefix() {
        let id = "client@1.0.0:src/retry.rs:12";
        for site in ["client", "client@1.0.0", "client@1.0.0:src", "client@1.0.0:src/", "client@1.0.0:src/retry.rs:12"]
        {
            assert!(is_site(id, site), "{site}");
        }
        for site in ["cli", "client@1", "client@1.0.0:src/retry.rs:1", "x", "client@1.0.0:src/retry.rs:12:1"] {
            assert!(!is_site(id, site), "{site}");
        }
    }
}
