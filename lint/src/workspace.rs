//! The workspace: which packages there are and which `.rs` files they have.
//!
//! Nothing of the code is run: the cargo facts come from `cargo metadata --no-deps`, started in a neutral folder with the toolchain fixed.

use crate::ir::FileId;
use std::path::PathBuf;

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
    /// Whether it lies in a tests, benches or examples folder of its package.
    pub is_test: bool,
    /// Its size in bytes when it was found.
    pub size: u64,
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
}
