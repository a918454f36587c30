//! Walking folders: every `.rs` file and every manifest below a folder, on all cores, in a stable order.
//!
//! What git ignores, hidden files and cargo's target folders are left out. Links to folders are not followed: what they lead to inside the
//! folder is found where it is, what lies outside is not part of it, and so no loop and no journey through the whole disk is possible.

use ignore::gitignore::GitignoreBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What is below a folder.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The `.rs` files, sorted by the bytes of the paths.
    pub(super) files: Vec<PathBuf>,
    /// The `Cargo.toml` files, sorted.
    pub(super) manifests: Vec<PathBuf>,
    /// What is named like a source file or is a folder, cannot be read, and why; sorted.
    pub(super) odd: Vec<(PathBuf, String)>,
}

/// One thing that was seen.
enum Seen {
    File(PathBuf),
    Link(PathBuf),
    Manifest(PathBuf),
    Odd(PathBuf, String),
}

/// Walks the folder. `git` says whether its ignore files count.
pub(super) fn walk(folder: &Path, git: bool) -> Walked {
    let seen = Mutex::new(Vec::new());
    let git = git && !is_ignored_itself(folder);
    let mut builder = WalkBuilder::new(folder);
    builder.ignore(false).git_global(false).git_ignore(git).git_exclude(git).parents(git).follow_links(false);
    builder.filter_entry(|entry| entry.depth() == 0 || !is_cache(entry)).threads(threads());
    builder.build_parallel().run(|| {
        let mut batch = Batch { seen: Vec::new(), all: &seen };
        Box::new(move |entry| {
            match entry {
                Ok(entry) => batch.seen.extend(look_at(&entry)),
                Err(error) => batch.seen.extend(path_of(&error).map(|path| Seen::Odd(path, reason(&error)))),
            }
            WalkState::Continue
        })
    });
    sorted(folder, seen.into_inner().unwrap_or_default())
}

/// A thread's own list, handed in when the thread is done.
struct Batch<'a> {
    seen: Vec<Seen>,
    all: &'a Mutex<Vec<Seen>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if let Ok(mut all) = self.all.lock() {
            all.append(&mut self.seen);
        }
    }
}

fn look_at(entry: &DirEntry) -> Option<Seen> {
    let kind = entry.file_type()?;
    let path = entry.path();
    if entry.file_name() == "Cargo.toml" && !kind.is_dir() {
        return path.is_file().then(|| Seen::Manifest(path.to_owned()));
    }
    if kind.is_dir() || path.extension().is_none_or(|extension| extension != "rs") {
        return None;
    }
    let path = path.to_owned();
    Some(if kind.is_symlink() {
        Seen::Link(path)
    } else if !kind.is_file() {
        Seen::Odd(path, "not a regular file".to_owned())
    } else {
        Seen::File(path)
    })
}

fn sorted(folder: &Path, seen: Vec<Seen>) -> Walked {
    let mut walked = Walked::default();
    let mut links = Vec::new();
    for seen in seen {
        match seen {
            Seen::File(path) => walked.files.push(path),
            Seen::Link(path) => links.push(path),
            Seen::Manifest(path) => walked.manifests.push(path),
            Seen::Odd(path, reason) => walked.odd.push((path, reason)),
        }
    }
    if !links.is_empty() {
        follow(folder, links, &mut walked);
    }
    sort(&mut walked.files);
    walked.manifests.sort_unstable();
    walked.odd.sort_unstable();
    walked
}

/// Sorts by the bytes of the paths, which is many times faster than by their parts.
pub(super) fn sort(files: &mut [PathBuf]) {
    files.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
}

/// Takes in what links to files lead to, unless that is found where it is.
fn follow(folder: &Path, mut links: Vec<PathBuf>, walked: &mut Walked) {
    let Ok(inside) = folder.canonicalize() else { return };
    let mut known: BTreeSet<PathBuf> = walked.files.iter().filter_map(|path| path.canonicalize().ok()).collect();
    links.sort_unstable();
    for link in links {
        let target = link.canonicalize().and_then(|target| Ok((target.metadata()?, target)));
        match target {
            Err(error) => walked.odd.push((link, format!("a link that leads nowhere: {}", plain(&error)))),
            Ok((facts, _)) if facts.is_dir() => {}
            Ok((facts, _)) if !facts.is_file() => {
                walked.odd.push((link, "a link to what is not a regular file".to_owned()))
            }
            Ok((_, target)) if !target.starts_with(&inside) => {
                walked
                    .odd
                    .push((link, "a link that leads out of the folder; name its target to have it read".to_owned()));
            }
            Ok((_, target)) => {
                if known.insert(target) {
                    walked.files.push(link);
                }
            }
        }
    }
}

/// Whether the entry is a folder of build output or another cache.
fn is_cache(entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    is_folder
        && (entry.path().join("CACHEDIR.TAG").is_file()
            || entry.file_name() == "target" && entry.path().join(".rustc_info.json").is_file())
}

/// Whether git ignores the folder itself. What is named is looked at all the same, and then the rules that hide it cannot count for what is in it.
fn is_ignored_itself(folder: &Path) -> bool {
    if !folder.ancestors().skip(1).any(|above| above.join(".git").exists()) || folder.join(".git").exists() {
        return false;
    }
    for above in folder.ancestors().skip(1) {
        let rules = above.join(".gitignore");
        if rules.is_file() {
            let mut builder = GitignoreBuilder::new(above);
            // Rules that cannot be read hide nothing.
            let _ = builder.add(rules);
            if builder.build().is_ok_and(|rules| rules.matched_path_or_any_parents(folder, true).is_ignore()) {
                return true;
            }
        }
        if above.join(".git").exists() {
            break;
        }
    }
    false
}

/// As many as there are cores.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        _ => None,
    }
}

fn reason(error: &ignore::Error) -> String {
    error.io_error().map_or_else(|| "cannot be looked at".to_owned(), plain)
}

/// The operating system's words without its number.
pub fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
