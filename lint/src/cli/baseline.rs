//! Baselines: only the findings that were not there before.

use super::output::{self, Color};
use super::{CLEAN, Failure};
use clap::Args;
use retry_after_lint::baseline::{self, Baseline, Entry};
use retry_after_lint::report::Report;
use retry_after_lint::workspace::{Root, plain};
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
    /// gone are told of.
    #[arg(long, value_name = "FILE", help_heading = "Changes")]
    baseline: Option<PathBuf>,

    /// Write the findings that would be shown to the file of --baseline, or to retry-after-baseline.json, and exit with 0
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
    /// Reads the file, if one is to be obeyed.
    pub(super) fn read(&self) -> Result<Option<Known>, Failure> {
        if self.write_baseline || (self.baseline.is_none() && !self.prune_baseline) {
            return Ok(None);
        }
        let file = self.file();
        let name = file.display();
        let text = std::fs::read_to_string(&file).map_err(|error| {
            let hint = if error.kind() == std::io::ErrorKind::NotFound { "; --write-baseline makes it" } else { "" };
            Failure(format!("cannot read the baseline `{name}`: {}{hint}", plain(&error)))
        })?;
        let baseline = Baseline::parse(&text).map_err(|reason| Failure(format!("{name}: {reason}")))?;
        Ok(Some(Known { baseline, file }))
    }

    /// Writes what the report shows, if that is asked for: then it is all there is to do.
    pub(super) fn write(&self, report: &Report, color: Option<Color>) -> Result<Option<u8>, Failure> {
        if !self.write_baseline {
            return Ok(None);
        }
        let file = self.file();
        let baseline = Baseline::of(report, &folder_of(&file));
        save(&file, &baseline)?;
        let count = baseline.len();
        let findings = if count == 1 { "finding" } else { "findings" };
        output::complain("note", &format!("{count} {findings} written to {}", file.display()), color);
        Ok(Some(CLEAN))
    }

    /// Takes the old findings out of the report, and stale entries out of the file where that is asked for. `roots` are what was looked at.
    pub(super) fn apply(&self, known: &Known, report: &mut Report, looked_at: &LookedAt) -> Result<(), Failure> {
        let Known { baseline, file } = known;
        let folder = folder_of(file);
        let applied = baseline.apply(report, &folder, |entry| looked_at.holds(entry, &folder));
        let name = file.display();
        if self.prune_baseline {
            let count = applied.stale.len();
            save(file, &Baseline::from_entries(applied.kept))?;
            report.notes.push(format!("{name}: {count} stale {} taken out", entries(count)));
            return Ok(());
        }
        if !applied.stale.is_empty() {
            let count = applied.stale.len();
            report.notes.push(format!(
                "{name}: {count} stale {}: the fault is mended or gone; --prune-baseline takes {} out",
                entries(count),
                if count == 1 { "it" } else { "them" }
            ));
            for Entry { file, rule, text, .. } in applied.stale.iter().take(TOLD) {
                report.notes.push(format!("{name}: stale: {rule} in {file}: {text}"));
            }
        }
        report.notes.extend(baseline::unknown_rules(&applied.stale).into_iter().map(|what| format!("{name}: {what}")));
        Ok(())
    }

    fn file(&self) -> PathBuf {
        self.baseline.clone().unwrap_or_else(|| PathBuf::from(FILE))
    }
}

/// The files in which a finding would have been seen.
pub(super) struct LookedAt {
    files: BTreeSet<PathBuf>,
    has_published: bool,
}

impl LookedAt {
    /// Those of the roots that are reported on.
    pub(super) fn of(roots: &[Root]) -> LookedAt {
        let files = roots.iter().filter(|root| !root.versioned).flat_map(|root| {
            let workspace = &root.workspace;
            let ids = workspace.file_ids().filter(|id| workspace.package_of(*id).selected);
            ids.map(|id| workspace.file(id).path.clone()).collect::<Vec<_>>()
        });
        LookedAt { files: files.collect(), has_published: roots.iter().any(|root| root.versioned) }
    }

    /// Whether the finding of the entry would have been seen: its file was looked at, or is there no more.
    fn holds(&self, entry: &Entry, folder: &Path) -> bool {
        if entry.package.is_some() {
            return self.has_published;
        }
        let file = folder.join(&entry.file);
        self.files.contains(&file) || !file.exists()
    }
}

fn entries(count: usize) -> &'static str {
    if count == 1 { "entry" } else { "entries" }
}

fn folder_of(file: &Path) -> PathBuf {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    absolute.parent().map(Path::to_owned).unwrap_or_default()
}

fn save(file: &Path, baseline: &Baseline) -> Result<(), Failure> {
    std::fs::write(file, baseline.to_text())
        .map_err(|error| Failure(format!("cannot write `{}`: {}", file.display(), plain(&error))))
}
