//! Changes: what was altered since a base, and the findings that have to do with it.
//!
//! A finding belongs to a change when any place on the hint's way lies on a line that the change added or altered, or whose guard it removed.
//! So a change in a helper brings up the finding in the file that calls it, and a finding that only moved stays out.
//! It also belongs to the change when it was not there before: a constant in another file decides about findings whose places do not name its line. For that the
//! analysis runs a second time, over the files as they were.

mod before;
mod diff;
mod file;
mod git;
mod patch;
mod removal;
mod repositories;

pub use before::Before;

use crate::report::{Report, Shown};
use file::FileChange;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// What has changed, in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The folder that the paths are relative to, without links on its way.
    root: PathBuf,
    files: Vec<FileChange>,
    /// What the user should know.
    notes: Vec<String>,
}

/// Why it cannot be told what has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    fn new(message: impl Into<String>) -> Self {
        Error { message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Changes {
    /// What has changed since the base, in the git repositories that the files lie in. `groups` are the files of each root, with the folder that holds the root; in
    /// the repository around that folder the base is looked for, and a submodule is compared with the commit that the base names for it.
    ///
    /// # Errors
    ///
    /// A folder in no repository, a base that is not there or has nothing in common with what is checked out, and whatever git complains of.
    pub fn since(groups: &[(PathBuf, Vec<&Path>)], base: &str) -> Result<Vec<Changes>, Error> {
        repositories::changes_since(groups, base)
    }

    /// What a difference in the unified form says. Its paths are relative to the repository around the folder, or to the folder.
    ///
    /// # Errors
    ///
    /// Text that is no such difference, one of whose Rust files none is there, and one that speaks of other text than the files hold.
    pub fn from_diff(text: &str, folder: &Path) -> Result<Changes, Error> {
        patch::read(text, folder)
    }

    /// How many files changed.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// What the user should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Takes the findings out of the report that the changes have nothing to do with. Returns how many those were.
///
/// `before` are the files of each root as they were. `report_before` makes the report on them, with the same filter; it is asked for only where there are findings
/// that it could tell something about. `is_run` says that the witnesses of this report, but not of that one, come from a run.
pub fn keep_changed(
    report: &mut Report,
    before: &[Before],
    is_run: bool,
    report_before: impl FnOnce() -> Report,
) -> usize {
    let mut is_kept = report.test(|root, places| {
        places.iter().any(|(file, place, text, lines)| {
            let Some(change) = before.get(root).and_then(|before| before.change_of(*file)) else { return false };
            let last = lines.position(text, u32::MAX).line;
            let line = |number: u32| (1..=last).contains(&number).then(|| lines.line(text, number));
            change.touches(place.start.line, place.end.line, line)
        })
    });
    let is_open = |(shown, is_kept): (&Shown, &bool)| {
        !is_kept && before.get(shown.root()).is_some_and(|before| before.may_tell_apart)
    };
    if report.findings.iter().zip(&is_kept).any(is_open) {
        let old = report_before();
        let old: HashSet<_> = old.findings.iter().map(|shown| before::identity(shown, None, is_run)).collect();
        for (shown, is_kept) in report.findings.iter().zip(&mut is_kept) {
            if is_open((shown, is_kept)) {
                *is_kept = !old.contains(&before::identity(shown, before.get(shown.root()), is_run));
            }
        }
    }
    report.keep(&is_kept)
}

/// The nearest folder, upwards, that is a git repository's.
fn nearest_repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

fn relative(root: &Path, file: &Path) -> Option<String> {
    Some(file.strip_prefix(root).ok()?.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}
