//! Changes: the lines that were added or altered, and the findings that have to do with them.
//!
//! A finding belongs to a change when any place on the hint's way lies on a line that the change added or altered, or whose guard it removed.
//! So a change in a helper brings up the finding in the file that calls it, and a finding that only moved stays out.

mod diff;
mod git;
mod removal;

use crate::report::{Place, Report};
use crate::source::LineIndex;
use removal::Removal;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// What has changed, in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The folder that the paths are relative to.
    root: PathBuf,
    files: BTreeMap<String, Lines>,
}

/// The changed lines of a file, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lines {
    added: Vec<RangeInclusive<u32>>,
    removals: Vec<Removal>,
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
    /// What has changed since the base, in the git repositories around the folders.
    ///
    /// # Errors
    ///
    /// A folder in no repository, a base that is not there or has nothing in common with what is checked out, and whatever git complains of.
    pub fn since(folders: &[&Path], base: &str) -> Result<Vec<Changes>, Error> {
        let mut all: Vec<Changes> = Vec::new();
        for folder in folders {
            let is_known = folder
                .canonicalize()
                .is_ok_and(|folder| all.iter().any(|known| nearest_repository(&folder) == Some(known.root.as_path())));
            if !is_known {
                all.push(git::changes_since(folder, base)?);
            }
        }
        Ok(all)
    }

    /// What a difference in the unified form says. Its paths are relative to the repository around the folder, or to the folder.
    ///
    /// # Errors
    ///
    /// Text that is no such difference, and one of whose Rust files none is there.
    pub fn from_diff(text: &str, folder: &Path) -> Result<Changes, Error> {
        let parsed = diff::parse(text).map_err(Error::new)?;
        let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let repository = nearest_repository(&root).unwrap_or(&root).to_owned();
        let mut changes = Changes { root: repository.clone(), files: BTreeMap::new() };
        let mut missing = Vec::new();
        for (path, lines) in parsed.files.into_iter().filter(|(path, _)| path.ends_with(".rs")) {
            let bare = path.split_once('/').map_or(path.as_str(), |(_, rest)| rest);
            let candidates = [repository.join(bare), repository.join(&path), root.join(bare), root.join(&path)];
            match candidates.into_iter().find(|file| file.is_file()).and_then(|file| relative(&repository, &file)) {
                Some(file) => changes.files.entry(file).or_default().extend(lines),
                None => missing.push(path),
            }
        }
        match missing.first() {
            Some(first) if changes.files.is_empty() => Err(Error::new(format!(
                "none of the Rust files that the difference names is here, as `{first}`; its paths must be relative to `{}`",
                repository.display()
            ))),
            _ => Ok(changes),
        }
    }

    /// How many files changed.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    fn add_whole_file(&mut self, path: &str) {
        self.files.entry(path.to_owned()).or_default().added.push(1..=u32::MAX);
    }

    fn touch(&self, place: &Place, text: &str, lines: &LineIndex) -> bool {
        let Some(changed) =
            place.absolute.canonicalize().ok().and_then(|file| self.files.get(&relative(&self.root, &file)?))
        else {
            return false;
        };
        let (start, end) = (place.start.line, place.end.line);
        let last = lines.position(text, u32::MAX).line;
        let line = |number: u32| (1..=last).contains(&number).then(|| lines.line(text, number));
        changed.added.iter().any(|range| *range.start() <= end && start <= *range.end())
            || changed
                .removals
                .iter()
                .any(|removal| removal.altered(line).iter().any(|line| (start..=end).contains(line)))
    }
}

impl Lines {
    fn add(&mut self, line: u32) {
        match self.added.last_mut() {
            Some(range) if *range.end() + 1 == line => *range = *range.start()..=line,
            _ => self.added.push(line..=line),
        }
    }

    fn extend(&mut self, more: Lines) {
        self.added.extend(more.added);
        self.removals.extend(more.removals);
    }
}

/// Takes the findings out of the report that none of the changes has to do with. Returns how many those were.
pub fn keep_changed(report: &mut Report, changes: &[Changes]) -> usize {
    report.retain(|places| {
        places.iter().any(|(place, text, lines)| changes.iter().any(|changes| changes.touch(place, text, lines)))
    })
}

/// The nearest folder, upwards, that is a git repository's.
fn nearest_repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

fn relative(root: &Path, file: &Path) -> Option<String> {
    Some(file.strip_prefix(root).ok()?.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}
