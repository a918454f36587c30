//! The files as they were before a change, beside those of now.

use super::Changes;
use super::file::FileChange;
use crate::Reach;
use crate::ir::FileId;
use crate::report::Shown;
use crate::source::{self, Position};
use crate::workspace::{Root, SourceFile, Workspace};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A root as it was before some changes.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// The packages and files, with the text that they had.
    pub root: Root,
    /// Whether an analysis of it may come to something else.
    pub may_tell_apart: bool,
    /// Files that changed, by their number now; with their number before.
    changed: HashMap<FileId, (FileId, FileChange)>,
}

/// What makes two findings, one from before and one of now, the same.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Identity<'a> {
    root: usize,
    rule: &'a str,
    file: FileId,
    start: (u32, u32),
    end: (u32, u32),
    message: &'a str,
    /// What the code does with the witness, unless that is from a run.
    subject: Option<&'a str>,
}

impl Before {
    /// The root as it was, and what an analysis of it now has looked into.
    pub fn new(root: &Root, reach: &Reach, changes: &[Changes]) -> Before {
        let mut folders = Folders::default();
        let mut workspace = root.workspace.clone();
        let mut before = Before::default();
        let by_place = folders.files(&root.workspace, changes);
        let place = |changes: &Changes, path: &Option<String>| {
            path.as_ref().and_then(|path| by_place.get(&changes.root.join(path))).copied()
        };
        let all = || changes.iter().flat_map(|changes| changes.files.iter().map(move |file| (changes, file)));
        // All of now is taken away before anything is put back: two files may have changed places.
        for now in all().filter_map(|(changes, file)| place(changes, &file.now)) {
            set_text(&mut workspace.files[now.0 as usize], "");
        }
        for (changes, file) in all() {
            let now = place(changes, &file.now);
            let then = place(changes, &file.before).or_else(|| {
                let found = folders.source_file(&changes.root.join(file.before.as_ref()?), &workspace)?;
                workspace.files.push(found);
                Some(FileId(workspace.files.len() as u32 - 1))
            });
            // What a copy was made from is itself a file of the change, or as it was.
            if let Some(then) = then.filter(|_| !file.is_copy) {
                set_text(&mut workspace.files[then.0 as usize], &file.text());
            }
            before.may_tell_apart |= match (now, then) {
                (None, None) => false,
                (Some(now), None) => reach.holds(now),
                (Some(now), Some(then)) if now == then => reach.holds(now) || reach.leads_into(&file.text()),
                _ => true,
            };
            if let Some(now) = now {
                before.changed.insert(now, (then.unwrap_or(now), file.clone()));
            }
        }
        before.root = Root { workspace, versioned: root.versioned, ..Root::default() };
        before
    }

    /// What has changed in the file.
    pub(super) fn change_of(&self, file: FileId) -> Option<&FileChange> {
        self.changed.get(&file).map(|(_, change)| change)
    }

    /// Where a place on an unaltered line was.
    fn origin(&self, file: FileId, position: Position) -> (FileId, (u32, u32)) {
        let here = (position.line, position.column);
        match self.changed.get(&file) {
            Some((then, change)) => (*then, (change.origin(position.line).unwrap_or(0), position.column)),
            None => (file, here),
        }
    }
}

/// What the finding is known by. One of now is told by where it was `before`. Where witnesses were run, they are left out.
pub(super) fn identity<'a>(shown: &'a Shown, before: Option<&Before>, is_run: bool) -> Identity<'a> {
    let finding = &shown.finding;
    let file = finding.span.file;
    let place = |position: Position| match before {
        Some(before) => before.origin(file, position),
        None => (file, (position.line, position.column)),
    };
    let ((file, start), (_, end)) = (place(shown.place.start), place(shown.place.end));
    let subject = finding.witness.as_ref().filter(|_| !is_run).map(|witness| witness.subject.as_str());
    Identity { root: shown.root(), rule: finding.rule, file, start, end, message: &finding.message, subject }
}

fn set_text(file: &mut SourceFile, text: &str) {
    file.text = Some(Arc::from(text));
}

/// Folders of a workspace, by where they really are.
#[derive(Default)]
struct Folders {
    real: BTreeMap<PathBuf, PathBuf>,
    /// A file that is known in each.
    samples: BTreeMap<PathBuf, usize>,
}

impl Folders {
    /// The files that some change names, by where they really are.
    fn files(&mut self, workspace: &Workspace, changes: &[Changes]) -> BTreeMap<PathBuf, FileId> {
        let mut by_place = BTreeMap::new();
        if changes.iter().all(|changes| changes.files.is_empty()) {
            return by_place;
        }
        for (index, file) in workspace.files.iter().enumerate() {
            let (Some(folder), Some(name)) = (file.path.parent(), file.path.file_name()) else { continue };
            let real = self.real.entry(folder.to_owned()).or_insert_with(|| {
                let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
                self.samples.insert(real.clone(), index);
                real
            });
            by_place.insert(real.join(name), FileId(index as u32));
        }
        by_place
    }

    /// A file that is gone, as part of the package that it was in. None where it was in none of them, or is no Rust.
    fn source_file(&self, path: &Path, workspace: &Workspace) -> Option<SourceFile> {
        let folder = path.parent()?;
        let (name, text) = (path.file_name()?, Some(Arc::from("")));
        if path.extension().is_none_or(|extension| extension != "rs") {
            return None;
        }
        let roots = workspace.packages.iter().enumerate().filter_map(|(index, package)| {
            let root = package.root.canonicalize().ok()?;
            let rest = path.strip_prefix(&root).ok()?.to_owned();
            Some((rest.components().count(), index, root, rest))
        });
        let (_, package, root, rest) = roots.min_by_key(|(depth, ..)| *depth)?;
        let slashed = |path: &Path| path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        // In a folder that is still there it is what the others there are; else what it would be by its path.
        let inside = folder.ancestors().take_while(|above| above.starts_with(&root));
        if let Some((above, index)) = inside.filter_map(|above| Some((above, *self.samples.get(above)?))).next() {
            let known = &workspace.files[index];
            let more = folder.strip_prefix(above).ok()?;
            let is_test = known.is_test || more.components().any(|part| is_test_folder(part.as_os_str()));
            let display = Path::new(&known.display).parent().unwrap_or(Path::new("")).join(more).join(name);
            let path = known.path.parent()?.join(more).join(name);
            return Some(SourceFile { path, display: slashed(&display), package: known.package, is_test, text });
        }
        let is_test = rest.components().next().is_some_and(|first| is_test_folder(first.as_os_str()));
        let path = workspace.packages[package].root.join(&rest);
        Some(SourceFile { path, display: slashed(&rest), package: package as u32, is_test, text })
    }
}

fn is_test_folder(name: &std::ffi::OsStr) -> bool {
    ["tests", "benches", "examples"].iter().any(|known| name == *known)
}

impl Reach {
    /// Whether the file was looked into.
    fn holds(&self, file: FileId) -> bool {
        self.files.contains(&file)
    }

    /// Whether an analysis would look into a file of that text.
    fn leads_into(&self, text: &str) -> bool {
        let mentions = source::mentions(text.as_bytes());
        if mentions.any() || mentions.retry || mentions.pause || text.contains('\0') {
            return true;
        }
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        text.split(|letter: char| !is_word(letter)).any(|word| self.names.contains(word))
            || self.names.iter().any(|name| !name.chars().all(is_word) && text.contains(&**name))
            || self.headers.iter().any(|name| text.to_lowercase().contains(&name.to_lowercase()))
    }
}
