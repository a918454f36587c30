//! Regressions: headers that once showed a divergence, a folder for each subject, to be asked about in every comparison.
//!
//! A file holds one header a line, as reports show it; lines that begin with `#` are remarks.

use super::Error;
use crate::extract::Subject;
use std::fs;
use std::path::{Path, PathBuf};

/// The headers for each subject, in the order of the names of the files.
///
/// # Errors
///
/// When a file that is there cannot be read.
pub fn read(folder: &Path, subjects: &[Subject]) -> Result<Vec<Vec<String>>, Error> {
    subjects.iter().map(|subject| of(&folder.join(key(subject)))).collect()
}

fn of(folder: &Path) -> Result<Vec<String>, Error> {
    let mut files: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect(),
        // Most subjects have none.
        Err(_) => return Ok(Vec::new()),
    };
    files.sort();
    let mut headers = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(|error| Error::io("read", &path, &error))?;
        headers.extend(text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned));
    }
    Ok(headers)
}

/// A name for the subject that stays when lines move: its package and item.
pub fn key(subject: &Subject) -> String {
    let package = subject.package.as_deref().unwrap_or("none");
    let name = format!("{package}.{}", subject.item.replace("::", "."));
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
    name.chars().map(|letter| if is_safe(letter) { letter } else { '_' }).collect()
}
