//! The workspace: which packages there are and which `.rs` files they have.
//!
//! Nothing of the code is run: the cargo facts come from `cargo metadata --no-deps`, started in a neutral folder with the toolchain fixed,
//! and where plain paths are named no cargo is started at all.
//! [`discover`] turns what the command line names into [`Root`]s, each a [`Workspace`] of its own and what was odd about it.

mod cargo;
mod dependencies;
mod lock;
mod manifest;
mod paths;
pub(crate) mod program;
mod project;
mod registry;
mod requirements;
mod walk;

pub use dependencies::{Dependencies, Way, dependencies};
pub(crate) use manifest::text_of;
pub use paths::normal;
pub use project::workspace_folder;
pub use requirements::{Requirement, Requirements};
pub use walk::plain;

use crate::ir::FileId;
use crate::source::Unreadable;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A package, or a set of plain files without a manifest.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name; None without a manifest.
    pub name: Option<String>,
    /// The name other crates use for its library in paths, with `_` for `-`.
    pub crate_name: String,
    /// Its version.
    pub version: Option<String>,
    /// The folder of its manifest.
    pub root: PathBuf,
    /// The root files of its library and binaries (`src/lib.rs`, `src/main.rs`, `src/bin/x.rs`, what `path` keys say), absolute.
    pub crate_roots: Vec<PathBuf>,
    /// Whether findings in it are reported (`-p` may leave it out; it is still used to resolve calls).
    pub selected: bool,
}

/// One `.rs` file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// How reports name it: relative to the root, with `/`.
    pub display: String,
    /// The index of its package.
    pub package: u32,
    /// Whether it lies in a tests, benches or examples folder of its package, or of a package or workspace around that one.
    /// A file that is named itself, or a folder's that is named itself, is none.
    pub is_test: bool,
    /// Its text, where that is another one than on the disk: as it was before a change.
    pub text: Option<Arc<str>>,
}

/// A group of packages that are resolved together, and their files.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// The packages.
    pub packages: Vec<Package>,
    /// All files; a [`FileId`] is an index into it.
    pub files: Vec<SourceFile>,
}

impl Workspace {
    /// The file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The file's package.
    pub fn package_of(&self, id: FileId) -> &Package {
        &self.packages[self.file(id).package as usize]
    }

    /// The ids of all files, in order.
    pub fn file_ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }
}

/// What the command line names.
#[derive(Clone, Debug)]
pub enum Request {
    /// A cargo workspace, found from a manifest or from the current folder.
    Project(Selection),
    /// Files and folders, as given.
    Paths(Vec<PathBuf>),
    /// Published crates: `NAME` or `NAME@VERSION`.
    Crates(Vec<String>),
}

/// Which packages of a cargo workspace.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The manifest; otherwise the nearest one from the current folder upwards.
    pub manifest_path: Option<PathBuf>,
    /// These packages: names, globs of names, `name@version`.
    pub packages: Vec<String>,
    /// All packages of the workspace.
    pub all: bool,
    /// All but these.
    pub exclude: Vec<String>,
}

/// A workspace that was found, and what was odd about it.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// The packages and files.
    pub workspace: Workspace,
    /// What looked like a source file and cannot be read: a pipe, a link that leads nowhere, a folder that may not be opened.
    pub unreadable: Vec<Unreadable>,
    /// The manifests that cannot be read.
    pub broken_manifests: Vec<BrokenManifest>,
    /// What the user should know: that cargo could not read the workspace, what was done instead.
    pub notes: Vec<String>,
    /// Whether reports name its packages with their version.
    pub versioned: bool,
    /// The files that were named themselves.
    pub named: Vec<FileId>,
}

/// A manifest that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenManifest {
    /// The manifest, and what is wrong with it.
    pub file: Unreadable,
    /// Whether the work hangs on it: it was named or found from the current folder, is their workspace's, or that of a package that is reported on.
    pub is_essential: bool,
}

impl Root {
    /// How reports name the file's package: None without a manifest.
    pub fn package_label(&self, id: FileId) -> Option<String> {
        let package = self.workspace.package_of(id);
        let name = package.name.as_ref()?;
        match &package.version {
            Some(version) if self.versioned => Some(format!("{name}@{version}")),
            _ => Some(name.clone()),
        }
    }
}

/// Why there is nothing to look at.
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

/// Finds the packages and files that are named. The order of everything is the same on every run.
///
/// # Errors
///
/// When a path does not exist, no manifest is found, a package is not in the workspace, or a crate cannot be fetched.
pub fn discover(request: &Request) -> Result<Vec<Root>, Error> {
    match request {
        Request::Project(selection) => project::discover(selection).map(|root| vec![root]),
        Request::Paths(paths) => paths::discover(paths),
        Request::Crates(specs) => specs.iter().map(|spec| registry::discover(spec)).collect(),
    }
}

/// The name most like the text, if one is like enough to be a slip of the keyboard, or begins as the text does. Capital letters make no difference.
pub fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = text.to_lowercase();
    let length = lower.chars().count();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let whole = strsim::damerau_levenshtein(&lower, &name);
        let beginning: String = name.chars().take(length).collect();
        // Of a few letters, too much begins like them.
        if length < 4 { whole } else { whole.min(strsim::damerau_levenshtein(&lower, &beginning) + 1) }
    };
    let limit = length.max(3) / 3;
    names.map(|name| (likeness(name), name)).filter(|(distance, _)| *distance <= limit).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_a_slip_or_a_beginning_away() {
        let names = ["capped_hint", "explain", "parse", "read"];
        let near = |text: &str| nearest(text, names.into_iter());
        for (text, name) in [
            ("CAPPED_HINT", "capped_hint"),
            ("caped-hint", "capped_hint"),
            ("capped", "capped_hint"),
            ("expl", "explain"),
        ] {
            assert_eq!(near(text), Some(name), "{text}");
        }
        for text in ["cap", "part", "xyzzy", ""] {
            assert_eq!(near(text), None, "{text}");
        }
    }
}
