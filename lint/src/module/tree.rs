//! The module tree of each package, by the convention of file names.

use super::Program;
use crate::ir::{FileId, Name, ScopeId};
use crate::workspace::Workspace;
use rustc_hash::FxHashMap;
use std::path::{Component, Path};

/// The modules of all packages.
#[derive(Default)]
pub(super) struct Tree {
    /// For each package, its modules by their path.
    packages: Vec<FxHashMap<Vec<Name>, Module>>,
    /// For each file, its module path.
    of_file: Vec<Vec<Name>>,
}

/// What a module path stands for.
#[derive(Default)]
pub(super) struct Module {
    /// Files that hold it; several for `lib.rs` and `main.rs`, and for twins.
    pub(super) files: Vec<FileId>,
    /// Its scopes, of files that were taken in.
    pub(super) scopes: Vec<ScopeId>,
}

impl Tree {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let mut tree = Tree { packages: Vec::new(), of_file: Vec::with_capacity(workspace.files.len()) };
        tree.packages.resize_with(workspace.packages.len(), FxHashMap::default);
        for (index, file) in workspace.files.iter().enumerate() {
            let id = FileId(index as u32);
            let path = module_path(workspace, id);
            tree.module(file.package, &path).files.push(id);
            tree.of_file.push(path);
        }
        tree
    }

    /// The module path of a file.
    pub(super) fn of_file(&self, file: FileId) -> &[Name] {
        &self.of_file[file.0 as usize]
    }

    /// The module of that path, if there is any.
    pub(super) fn get(&self, package: u32, path: &[Name]) -> Option<&Module> {
        self.packages.get(package as usize)?.get(path)
    }

    fn module(&mut self, package: u32, path: &[Name]) -> &mut Module {
        let modules = &mut self.packages[package as usize];
        for length in 0..path.len() {
            if !modules.contains_key(&path[..length]) {
                modules.insert(path[..length].to_vec(), Module::default());
            }
        }
        modules.entry(path.to_vec()).or_default()
    }

    /// Enters a scope under its module path.
    pub(super) fn enter(&mut self, package: u32, path: &[Name], scope: ScopeId) {
        self.module(package, path).scopes.push(scope);
    }

    /// Gives a file another module path: that of a `#[path]` line.
    pub(super) fn place(&mut self, package: u32, path: Vec<Name>, file: FileId) {
        let module = self.module(package, &path);
        if !module.files.contains(&file) {
            module.files.push(file);
        }
        self.of_file[file.0 as usize] = path;
    }
}

impl Program<'_> {
    /// The file that a `#[path]` line names: relative to the file's folder, and to the inline modules around the line.
    pub(super) fn path_file(&self, from: FileId, inline: &[Name], written: &str) -> Option<FileId> {
        let mut folder = self.workspace.file(from).path.parent()?.to_path_buf();
        if !inline.is_empty() {
            let stem = self.workspace.file(from).path.file_stem()?.to_str()?;
            if !matches!(stem, "mod" | "lib" | "main") {
                folder.push(stem);
            }
            folder.extend(inline.iter().map(|name| &**name));
        }
        let mut wanted = std::path::PathBuf::new();
        for component in folder.join(written).components() {
            match component {
                Component::ParentDir => {
                    wanted.pop();
                }
                Component::CurDir => {}
                other => wanted.push(other),
            }
        }
        self.by_path.get(&wanted).copied()
    }
}

/// The module path of a file by its place among the crate roots of its package.
fn module_path(workspace: &Workspace, id: FileId) -> Vec<Name> {
    let file = workspace.file(id);
    let package = workspace.package_of(id);
    if package.crate_roots.contains(&file.path) {
        return Vec::new();
    }
    let folders = package.crate_roots.iter().filter_map(|root| root.parent());
    let folder = folders.filter(|folder| file.path.starts_with(folder)).max_by_key(|folder| folder.as_os_str().len());
    let (relative, is_in_crate) = match folder {
        Some(folder) => (file.path.strip_prefix(folder), true),
        None => (file.path.strip_prefix(&package.root), false),
    };
    let relative = relative.unwrap_or(Path::new(file.path.file_name().unwrap_or_default()));
    let mut path: Vec<Name> = relative
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().as_ref().into())
        .collect();
    if path.last().is_some_and(|last| matches!(&**last, "mod") || (!is_in_crate && matches!(&**last, "lib" | "main"))) {
        path.pop();
    }
    if !is_in_crate && path.first().is_some_and(|first| &**first == "src") {
        path.remove(0);
    }
    path
}
