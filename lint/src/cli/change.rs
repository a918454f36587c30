//! Changes: only the findings that have to do with one.

use super::Failure;
use clap::Args;
use retry_after_lint::Analysis;
use retry_after_lint::change::{self, Before, Changes};
use retry_after_lint::report::Report;
use retry_after_lint::workspace::{Root, plain};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The flags.
#[derive(Args)]
pub(super) struct ChangeArgs {
    /// Only the findings that have to do with what changed since a git branch, tag or commit
    ///
    /// Compared is the commit from which BASE and HEAD have parted with the files as they are, those that are not committed or not even known to git among them.
    /// A finding is shown when any place of it (where the header is read, parsed, held down, slept on, or a helper in between) lies on a line that was added or
    /// altered, or whose guard was removed; and when it is not there without the change, wherever it stands. To know that, the files as they were are looked at too.
    #[arg(long, value_name = "BASE", conflicts_with_all = ["diff_file", "crates"], help_heading = "Changes")]
    changed_since: Option<String>,

    /// Only the findings that have to do with a difference, as `git diff` or `diff -u` write it; - reads it from standard input
    ///
    /// It must be of the files as they are: one that says something else of a line is refused.
    #[arg(long, value_name = "FILE", conflicts_with = "crates", help_heading = "Changes")]
    diff_file: Option<PathBuf>,
}

impl ChangeArgs {
    /// What has changed; None where everything is asked for.
    pub(super) fn read(&self, roots: &[Root], folder: &Path) -> Result<Option<Vec<Changes>>, Failure> {
        if let Some(base) = &self.changed_since {
            let groups: Vec<(PathBuf, Vec<&Path>)> = roots.iter().map(|root| group(root, folder)).collect();
            return Ok(Some(Changes::since(&groups, base)?));
        }
        let Some(file) = &self.diff_file else { return Ok(None) };
        let mut bytes = Vec::new();
        let name = if file.as_os_str() == "-" {
            std::io::stdin().read_to_end(&mut bytes)?;
            "standard input".to_owned()
        } else {
            bytes = std::fs::read(file)
                .map_err(|error| Failure(format!("cannot read `{}`: {}", file.display(), plain(&error))))?;
            file.display().to_string()
        };
        // Lines of other files need not be UTF-8.
        let changes = Changes::from_diff(&String::from_utf8_lossy(&bytes), folder);
        Ok(Some(vec![changes.map_err(|error| Failure(format!("{name}: {error}")))?]))
    }

    /// The roots as they were before the changes.
    pub(super) fn before(runs: &[(Root, Analysis)], changes: Option<&[Changes]>) -> Vec<Before> {
        let changes = changes.unwrap_or_default();
        runs.iter().map(|(root, analysis)| Before::new(root, &analysis.reach, changes)).collect()
    }

    /// Takes the other findings out of the report. `report_before` makes the one on the roots as they were.
    pub(super) fn apply(
        &self,
        report: &mut Report,
        changes: &[Changes],
        before: &[Before],
        is_run: bool,
        report_before: impl FnOnce() -> Report,
    ) {
        let others = change::keep_changed(report, before, is_run, report_before);
        report.notes.extend(changes.iter().flat_map(Changes::notes).cloned());
        let files: usize = changes.iter().map(Changes::files).sum();
        let since = self.changed_since.as_ref().map_or_else(String::new, |base| format!(" since {base}"));
        report.notes.push(format!(
            "{files} Rust {} changed{since}; findings that have nothing to do with that: {others}",
            if files == 1 { "file" } else { "files" }
        ));
    }
}

/// The folder that holds what is reported on of a root, and the files of it. The base is one of the current folder's repository, where that holds it all.
fn group<'r>(root: &'r Root, current: &Path) -> (PathBuf, Vec<&'r Path>) {
    let workspace = &root.workspace;
    let selected = workspace.packages.iter().filter(|package| package.selected);
    let folders: Vec<&Path> = selected.map(|package| folder_of(&package.root)).collect();
    let mut anchor = folders.first().map(|folder| folder.to_path_buf()).unwrap_or_default();
    while !folders.iter().all(|folder| folder.starts_with(&anchor)) && anchor.pop() {}
    let is_near = |path: &Path| path.starts_with(&anchor);
    let files =
        workspace.file_ids().filter(|id| workspace.package_of(*id).selected || is_near(&workspace.file(*id).path));
    let files = files.map(|id| workspace.file(id).path.as_path()).collect();
    if anchor.starts_with(current) {
        anchor = current.to_path_buf();
    }
    (anchor, files)
}

/// A package of plain files may have the file itself for its folder.
fn folder_of(path: &Path) -> &Path {
    if path.is_file() { path.parent().unwrap_or(path) } else { path }
}
