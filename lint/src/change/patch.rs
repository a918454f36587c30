//! Differences from a file: held against the files that are there, and undone in them.

use super::diff::{self, Section};
use super::file::{FileChange, Misfit};
use super::{Changes, Error, nearest_repository, relative};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The places where a path of a difference may mean to be: below which folder, and with or without its first part.
struct Ways<'a> {
    folders: [&'a Path; 2],
}

/// One of them, by its number.
type Way = usize;

impl Ways<'_> {
    fn all(&self) -> std::ops::Range<Way> {
        0..2 * self.folders.len()
    }

    fn path(&self, written: &str, way: Way) -> PathBuf {
        let folder = self.folders[way / 2];
        let bare = written.split_once('/').map_or(written, |(_, rest)| rest);
        folder.join(if way.is_multiple_of(2) { bare } else { written })
    }
}

/// What a difference says that was made of the files as they are.
pub(super) fn read(text: &str, folder: &Path) -> Result<Changes, Error> {
    let sections = diff::parse(text).map_err(Error::new)?;
    let sections: Vec<Section> = sections.into_iter().filter(is_about_rust).collect();
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = nearest_repository(&folder).unwrap_or(&folder).to_owned();
    let ways = Ways { folders: [&root, &folder] };
    let way_of = |section: &Section| {
        let new = section.new.as_ref()?;
        ways.all().find(|way| ways.path(new, *way).is_file())
    };
    let usual = sections.iter().find_map(way_of).unwrap_or(0);
    // Of a series, the last one is undone first: each speaks of the files as it left them.
    let mut open: BTreeMap<PathBuf, FileChange> = BTreeMap::new();
    let mut done: Vec<FileChange> = Vec::new();
    let mut missing: Vec<&str> = Vec::new();
    for section in sections.iter().rev() {
        let way = way_of(section).unwrap_or(usual);
        let mut file = match &section.new {
            None => FileChange::default(),
            Some(new) => {
                let path = ways.path(new, way);
                match open.remove(&path).or_else(|| on_disk(&path, &root)) {
                    Some(file) => file,
                    None => {
                        missing.push(new);
                        continue;
                    }
                }
            }
        };
        if section.is_opaque {
            file.forget();
        }
        file.undo(&section.hunks, true).map_err(|misfit| {
            let path = section.new.as_ref().map(|new| ways.path(new, way)).unwrap_or_default();
            unfit(&misfit, &relative(&root, &path).unwrap_or_default())
        })?;
        match &section.old {
            None => {
                file.before = None;
                done.push(file);
            }
            Some(old) => {
                // Without such words, the old side is another name for the same file, as in `diff -u x.rs.orig x.rs`.
                let written = if section.is_move { old } else { section.new.as_ref().unwrap_or(old) };
                let path = ways.path(written, way);
                file.before = relative(&root, &path);
                file.is_copy |= section.is_copy;
                if section.is_copy || (section.new.is_none() && path.exists()) {
                    done.push(file);
                } else {
                    open.insert(path, file);
                }
            }
        }
    }
    done.extend(open.into_values());
    // What was taken away and is there all the same has not changed.
    done.retain(|file| file.now.is_some() || file.before.as_ref().is_some_and(|before| !root.join(before).exists()));
    let mut changes = Changes { files: done.into_iter().map(FileChange::finish).collect(), ..Changes::default() };
    if let Some(first) = missing.last() {
        if changes.files.is_empty() {
            return Err(Error::new(format!(
                "none of the Rust files that the difference names is here, as `{first}`; its paths must be relative to `{}`",
                root.display()
            )));
        }
        let note = match missing.len() {
            1 => format!("the difference names a Rust file that is not here: `{first}`"),
            count => format!("the difference names {count} Rust files that are not here, as `{first}`"),
        };
        changes.notes.push(note);
    }
    changes.root = root;
    Ok(changes)
}

fn is_about_rust(section: &Section) -> bool {
    [&section.old, &section.new].into_iter().flatten().any(|path| path.ends_with(".rs"))
}

fn on_disk(path: &Path, root: &Path) -> Option<FileChange> {
    if !path.is_file() {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(FileChange::unchanged(&relative(root, path)?, &String::from_utf8_lossy(&bytes)))
}

fn unfit(misfit: &Misfit, file: &str) -> Error {
    let found = match &misfit.found {
        Some(text) => format!("is `{}`", text.trim()),
        None => "is not there".to_owned(),
    };
    Error::new(format!(
        "line {}: the difference does not fit `{file}`, whose line {} {found}: it is of another state of the files",
        misfit.number, misfit.line
    ))
}
