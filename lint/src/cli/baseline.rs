//! Baselines: only the findings that were not there before.

use super::output::{self, Color};
use super::{CLEAN, Failure};
use clap::Args;
use retry_after_lint::baseline::{self, Baseline, Entry};
use retry_after_lint::report::{Report, Unread};
use retry_after_lint::workspace::{Root, normal, plain, workspace_folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file where none is named.
const FILE: &str = "retry-after-baseline.json";

/// No more stale entries than these are told one by one.
const TOLD: usize = 10;

/// The flags.
#[derive(Args)]
pub(super) struct BaselineArgs {
    /// Only the findings that this file does not hold
    ///
    /// A finding is known by its rule, the flagged text and the function around it, wherever it moves; a second one of the same kind is new. Entries whose finding is
    /// gone are told of, and fail the run with --deny-warnings.
    #[arg(long, value_name = "FILE", help_heading = "Changes")]
    baseline: Option<PathBuf>,

    /// Write the findings that would be shown to the file of --baseline, or to retry-after-baseline.json, and exit with 0
    ///
    /// Entries that the run cannot judge stay in the file: those of packages and paths that were not looked at, and all where a file could not be read.
    #[arg(long, conflicts_with_all = ["prune_baseline", "changed_since", "diff_file", "add_suppressions", "show_settings"], help_heading = "Changes")]
    write_baseline: bool,

    /// Take the entries whose finding is gone out of the file of --baseline, or of retry-after-baseline.json
    #[arg(long, conflicts_with_all = ["changed_since", "diff_file", "add_suppressions", "show_settings"], help_heading = "Changes")]
    prune_baseline: bool,
}

/// A baseline, and where it is.
pub(super) struct Known {
    baseline: Baseline,
    file: PathBuf,
}

impl BaselineArgs {
    /// Reads the file, if one is to be obeyed. One that is to be written anew is read as well, for what this run cannot judge stays in it.
    pub(super) fn read(&self) -> Result<Option<Known>, Failure> {
        if self.baseline.is_none() && !self.prune_baseline && !self.write_baseline {
            return Ok(None);
        }
        let file = self.file();
        let name = file.display();
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.write_baseline => {
                return Ok(Some(Known { baseline: Baseline::from_entries(Vec::new()), file }));
            }
            Err(error) => {
                let is_missing = error.kind() == std::io::ErrorKind::NotFound;
                let hint = if is_missing { "; --write-baseline makes it" } else { "" };
                return Err(Failure(format!("cannot read the baseline `{name}`: {}{hint}", plain(&error))));
            }
        };
        let baseline = Baseline::parse(&text).map_err(|reason| match self.write_baseline {
            true => Failure(format!("{name}: {reason}, but writes over nothing else: remove the file first")),
            false => Failure(format!("{name}: {reason}")),
        })?;
        Ok(Some(Known { baseline, file }))
    }

    /// Writes what the report shows, if that is asked for: then it is all there is to do.
    pub(super) fn write(
        &self,
        known: Option<(&Known, &LookedAt)>,
        report: &Report,
        color: Option<Color>,
    ) -> Result<Option<u8>, Failure> {
        let Some((Known { baseline, file }, looked_at)) = known.filter(|_| self.write_baseline) else {
            return Ok(None);
        };
        let folder = folder_of(file);
        let kept = baseline.unseen(report, &folder, |entry| looked_at.judges(entry, &folder, &report.unreadable));
        let written = Baseline::of(report, &folder);
        let (count, more) = (written.len(), kept.len());
        save(file, &written.with(kept))?;
        let findings = if count == 1 { "finding" } else { "findings" };
        let more = match more {
            0 => String::new(),
            more => format!("; {more} {} kept that this run cannot judge", entries(more)),
        };
        output::complain("note", &format!("{count} {findings} written to {}{more}", file.display()), color);
        Ok(Some(CLEAN))
    }

    /// Takes the old findings out of the report, and stale entries out of the file where that is asked for.
    pub(super) fn apply(&self, known: &Known, report: &mut Report, looked_at: &LookedAt) -> Result<(), Failure> {
        let Known { baseline, file } = known;
        let folder = folder_of(file);
        let unread = std::mem::take(&mut report.unreadable);
        let applied = baseline.apply(report, &folder, |entry| looked_at.judges(entry, &folder, &unread));
        let is_unread = unread.iter().any(hides_findings);
        report.unreadable = unread;
        let name = file.display();
        if self.prune_baseline {
            let count = applied.stale.len();
            save(file, &Baseline::from_entries(applied.kept))?;
            let why = if !looked_at.is_whole {
                "; only a part of the workspace was looked at, so none is judged"
            } else if is_unread {
                "; what could not be read may hide more"
            } else {
                ""
            };
            report.notes.push(format!("{name}: {count} stale {} taken out{why}", entries(count)));
            return Ok(());
        }
        report.notes.extend(baseline::unknown_rules(&applied.stale).into_iter().map(|what| format!("{name}: {what}")));
        report.stale = Some(applied.stale);
        Ok(())
    }

    /// Tells of stale entries: they would let a new fault of the same kind pass.
    pub(super) fn tell(&self, report: &Report, color: Option<Color>) {
        let stale = report.stale.as_deref().unwrap_or_default();
        if stale.is_empty() {
            return;
        }
        let (name, count) = (self.file(), stale.len());
        let message = format!(
            "{}: {count} stale {}: the fault is mended or gone; --prune-baseline takes {} out",
            name.display(),
            entries(count),
            if count == 1 { "it" } else { "them" }
        );
        output::complain("warning", &message, color);
        for entry in stale.iter().take(TOLD) {
            output::complain("warning", &entry.in_words(), color);
        }
    }

    fn file(&self) -> PathBuf {
        self.baseline.clone().unwrap_or_else(|| PathBuf::from(FILE))
    }
}

/// The files in which a finding would have been seen, and whether it can be told that one is gone.
pub(super) struct LookedAt {
    files: BTreeSet<PathBuf>,
    /// The published packages, by name and version; None where all dependencies were looked at, of which some may be there no more.
    published: Option<BTreeSet<String>>,
    /// Whether what leads to a finding was looked at with it: a whole workspace. A part of one may lack the callers that a fault is seen by.
    is_whole: bool,
}

impl LookedAt {
    /// Those of the roots that are reported on. `paths` are the paths that were named instead of a workspace.
    pub(super) fn of(roots: &[Root], paths: &[PathBuf], has_dependencies: bool) -> LookedAt {
        let files = roots.iter().filter(|root| !root.versioned).flat_map(|root| {
            let workspace = &root.workspace;
            let ids = workspace.file_ids().filter(|id| workspace.package_of(*id).selected);
            ids.map(|id| workspace.file(id).path.clone()).collect::<Vec<_>>()
        });
        let packages = roots.iter().flat_map(|root| root.workspace.packages.iter().map(move |package| (root, package)));
        let published = packages
            .clone()
            .filter(|(root, _)| root.versioned)
            .filter_map(|(_, package)| Some(format!("{}@{}", package.name.as_ref()?, package.version.as_ref()?)));
        let named: Vec<PathBuf> =
            paths.iter().map(|path| normal(&std::path::absolute(path).unwrap_or_default())).collect();
        let is_covered = |folder: &Path| named.iter().any(|path| folder.starts_with(path));
        let is_whole = paths.is_empty()
            || packages
                .filter(|(root, package)| !root.versioned && package.name.is_some())
                .all(|(_, package)| is_covered(&workspace_folder(&package.root)));
        LookedAt { files: files.collect(), published: (!has_dependencies).then(|| published.collect()), is_whole }
    }

    /// Whether it can be told that the finding of the entry is gone.
    fn judges(&self, entry: &Entry, folder: &Path, unread: &[Unread]) -> bool {
        // A finding hangs on the files of its own package or, in a workspace, on those of all.
        let is_hidden = unread.iter().any(|file| file.package == entry.package && hides_findings(file));
        self.is_whole && !is_hidden && self.holds(entry, folder)
    }

    /// Whether the finding of the entry would have been seen: its file was looked at, or is there no more.
    fn holds(&self, entry: &Entry, folder: &Path) -> bool {
        if let Some(package) = &entry.package {
            return self.published.as_ref().is_none_or(|published| published.contains(package));
        }
        let file = normal(&folder.join(&entry.file));
        self.files.contains(&file) || !file.exists()
    }
}

/// Whether findings may be lost with the file: sources, a package that cannot be had, a manifest that the work hangs on.
fn hides_findings(file: &Unread) -> bool {
    file.file.ends_with(".rs") || file.package.is_some() || file.is_failure
}

fn entries(count: usize) -> &'static str {
    if count == 1 { "entry" } else { "entries" }
}

fn folder_of(file: &Path) -> PathBuf {
    let absolute = normal(&std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
    absolute.parent().map(Path::to_owned).unwrap_or_default()
}

fn save(file: &Path, baseline: &Baseline) -> Result<(), Failure> {
    std::fs::write(file, baseline.to_text())
        .map_err(|error| Failure(format!("cannot write `{}`: {}", file.display(), plain(&error))))
}
