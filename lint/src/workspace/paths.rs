//! Plain paths: files and folders, with or without manifests. No cargo is run.
//!
//! A folder is walked, each `Cargo.toml` in it starts a package, and a file belongs to the nearest one above it.
//! Where a path has no manifest of its own, that of the package around it gives the name; paths in the same package are looked at together.
//! Packages of one cargo workspace, or that depend on each other by path, are one [`Workspace`](super::Workspace); others in the same folder have
//! nothing to do with each other and are looked at one by one.

use super::manifest::{self, Manifest, PackageKeys, Problem};
use super::walk::{self, Walked};
use super::{BrokenManifest, Error, Package, Root, SourceFile};
use crate::ir::FileId;
use crate::source::Unreadable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// The folders whose files are tests by cargo's convention.
const TEST_FOLDERS: [&str; 3] = ["tests", "benches", "examples"];

/// Takes the paths as given on the command line.
pub(super) fn discover(paths: &[PathBuf]) -> Result<Vec<Root>, Error> {
    let mut groups: BTreeMap<(usize, PathBuf), Vec<Named>> = BTreeMap::new();
    let mut order: Vec<PathBuf> = Vec::new();
    for given in paths {
        let named = Named::look(given, paths.len() > 1)?;
        let key = named.around.clone().unwrap_or_else(|| named.path.clone());
        let place = order.iter().position(|known| *known == key).unwrap_or_else(|| {
            order.push(key.clone());
            order.len() - 1
        });
        groups.entry((place, key)).or_default().push(named);
    }
    let mut seen = HashSet::new();
    let roots = groups.into_values().flat_map(|group| {
        let mut builder = Builder::default();
        for named in &group {
            builder.take(named, (paths.len() > 1).then_some(&mut seen));
        }
        builder.finish()
    });
    Ok(roots.collect())
}

/// A folder of a published crate: git has no say, and names are relative to it.
pub(super) fn discover_crate(folder: &Path) -> Root {
    let named = Named { path: folder.to_owned(), prefix: String::new(), is_folder: true, around: None, git: false };
    let mut builder = Builder::default();
    builder.take(&named, None);
    builder.finish().into_iter().next().unwrap_or_default()
}

/// A path of the command line.
struct Named {
    path: PathBuf,
    /// What stands before the names of its files, or, for a file, its name.
    prefix: String,
    is_folder: bool,
    /// The folder of the package around it, where it has no manifest of its own.
    around: Option<PathBuf>,
    git: bool,
}

impl Named {
    fn look(given: &Path, keep_given: bool) -> Result<Named, Error> {
        let failed =
            |error: std::io::Error| Error::new(format!("cannot read `{}`: {}", given.display(), walk::plain(&error)));
        let facts = std::fs::metadata(given).map_err(failed)?;
        let path = normal(&std::path::absolute(given).map_err(failed)?);
        let is_folder = facts.is_dir();
        if !is_folder && !facts.is_file() {
            return Err(Error::new(format!("cannot read `{}`: not a regular file", given.display())));
        }
        if is_folder {
            std::fs::read_dir(&path).map_err(failed)?;
        } else if path.file_name().is_some_and(|name| name == "Cargo.toml") {
            let folder = match given.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder.display().to_string(),
                _ => ".".to_owned(),
            };
            return Err(Error::new(format!(
                "`{given}` is a manifest: name its folder, `{folder}`, or use `--manifest-path {given}`",
                given = given.display()
            )));
        } else if path.extension().is_some_and(|extension| !extension.eq_ignore_ascii_case("rs")) {
            // A script of cargo's may have no ending at all.
            return Err(Error::new(format!(
                "`{}` is no Rust source file: its name does not end in `.rs`",
                given.display()
            )));
        }
        let prefix = match (keep_given, is_folder) {
            (true, _) => slashed(given).trim_end_matches('/').to_owned(),
            (false, true) => String::new(),
            (false, false) => path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        };
        let own = is_folder && path.join("Cargo.toml").is_file();
        let around = if own {
            None
        } else {
            manifest::upwards(if is_folder { &path } else { path.parent().unwrap_or(&path) }).next()
        };
        // Only a package lends its name: a workspace without a root package does not own the files in it.
        let around =
            around.filter(|manifest| manifest::read(manifest).is_ok_and(|manifest| manifest.package.is_some()));
        let around = around.and_then(|manifest| manifest.parent().map(Path::to_owned));
        Ok(Named { path, prefix, is_folder, around, git: true })
    }
}

/// A root in the making.
#[derive(Default)]
struct Builder {
    root: Root,
    /// The package of each folder that has a manifest.
    owners: FxHashMap<PathBuf, u32>,
    named: FxHashSet<PathBuf>,
    /// The folders whose manifests start a workspace.
    workspaces: FxHashSet<PathBuf>,
    /// Folders of packages, and where their path dependencies are.
    dependencies: Vec<(PathBuf, PathBuf)>,
}

impl Builder {
    fn take(&mut self, named: &Named, seen: Option<&mut HashSet<PathBuf>>) {
        let mut walked = if named.is_folder {
            walk::walk(&named.path, named.git)
        } else {
            self.named.insert(named.path.clone());
            Walked { files: vec![named.path.clone()], ..Walked::default() }
        };
        // The same file may be reached by two paths of the command line.
        if let Some(seen) = seen {
            walked.files.retain(|path| seen.insert(path.clone()));
        }
        let folders: HashSet<PathBuf> =
            walked.manifests.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
        let manifests = read_all(&walked.manifests);
        let test_paths = self.packages(named, &manifests, &walked);
        let base = if named.is_folder { named.path.as_path() } else { named.path.parent().unwrap_or(&named.path) };
        // Files come folder by folder.
        let mut folder = PathBuf::new();
        let (mut package, mut is_test_folder, mut has_test_paths) = (0, false, false);
        let folders_with_tests: HashSet<&Path> = test_paths.iter().filter_map(|path| path.parent()).collect();
        for path in walked.files {
            if let Some(parent) = path.parent().filter(|parent| parent.as_os_str() != folder.as_os_str()) {
                package = self.owner(parent);
                is_test_folder = named.is_folder && is_test_folder_of(base, &folders, parent);
                has_test_paths = named.is_folder && folders_with_tests.contains(parent);
                folder = parent.to_owned();
            }
            let is_test = is_test_folder || (has_test_paths && test_paths.contains(&path));
            let display = display(named, &path);
            self.root.workspace.files.push(SourceFile { path, display, package, is_test, text: None });
        }
        for (path, message) in walked.odd {
            let file = display(named, &path);
            self.root.unreadable.push(Unreadable { file, path: Some(path), line: 1, message });
        }
    }

    /// Makes the packages of the manifests and returns the files that are tests by their `path` keys.
    fn packages(
        &mut self,
        named: &Named,
        manifests: &[(PathBuf, Result<Manifest, Problem>)],
        walked: &Walked,
    ) -> HashSet<PathBuf> {
        let inherited = manifests
            .iter()
            .filter_map(|(_, manifest)| manifest.as_ref().ok()?.workspace.as_ref()?.version.clone())
            .next();
        let mut test_paths = HashSet::new();
        for (path, manifest) in manifests {
            let Some(folder) = path.parent() else { continue };
            if manifest.as_ref().is_ok_and(|manifest| manifest.workspace.is_some()) {
                self.workspaces.insert(folder.to_owned());
            }
            match manifest {
                Ok(Manifest { package: Some(keys), .. }) => {
                    test_paths.extend(self.package(folder, keys, inherited.as_deref(), &walked.files));
                }
                Ok(Manifest { package: None, .. }) => {}
                Err(reason) => {
                    let instead = "its files are taken as plain files, and its settings do not hold";
                    let file = reason.clone().of(display(named, path), path, instead);
                    self.root.broken_manifests.push(BrokenManifest { file, is_essential: false });
                    self.nameless(folder, &walked.files);
                }
            }
        }
        if let Some(folder) = &named.around
            && !self.owners.contains_key(folder)
            && let Ok(Manifest { package: Some(keys), .. }) = manifest::read(&folder.join("Cargo.toml"))
        {
            self.package(folder, &keys, None, &walked.files);
            // A folder of tests that is named is no module of the package around it.
            let base = if named.is_folder { &named.path } else { named.path.parent().unwrap_or(&named.path) };
            if TEST_FOLDERS.iter().any(|tests| base.starts_with(folder.join(tests)))
                && let Some(package) = self.root.workspace.packages.last_mut()
            {
                package.root = base.to_owned();
            }
        }
        // Files outside of every package.
        let base = if named.is_folder { &named.path } else { named.path.parent().unwrap_or(&named.path) };
        if named.around.is_none() && !self.owners.contains_key(base) {
            self.nameless(base, &walked.files);
        }
        test_paths
    }

    fn package(
        &mut self,
        folder: &Path,
        keys: &PackageKeys,
        inherited: Option<&str>,
        files: &[PathBuf],
    ) -> Vec<PathBuf> {
        let crate_name = keys.library_name.as_deref().unwrap_or(&keys.name).replace('-', "_");
        let test_paths: Vec<PathBuf> = keys.test_paths.iter().map(|path| normal(&folder.join(path))).collect();
        let crate_roots = crate_roots(folder, keys, files);
        let only_tests = crate_roots.is_empty() && !test_paths.is_empty();
        let version = keys.version.clone().or_else(|| inherited.map(str::to_owned));
        self.dependencies
            .extend(keys.dependency_paths.iter().map(|path| (folder.to_owned(), normal(&folder.join(path)))));
        self.owners.insert(folder.to_owned(), self.root.workspace.packages.len() as u32);
        self.root.workspace.packages.push(Package {
            name: Some(keys.name.clone()),
            crate_name,
            version,
            root: folder.to_owned(),
            crate_roots,
            selected: true,
        });
        if only_tests {
            // A package of nothing but tests: the modules beside them are tests too.
            return files.iter().filter(|path| path.starts_with(folder)).cloned().collect();
        }
        test_paths
    }

    fn nameless(&mut self, folder: &Path, files: &[PathBuf]) {
        let crate_name =
            folder.file_name().map_or_else(|| "crate".to_owned(), |name| name.to_string_lossy().replace('-', "_"));
        let crate_roots = crate_roots(folder, &PackageKeys::default(), files);
        self.owners.insert(folder.to_owned(), self.root.workspace.packages.len() as u32);
        self.root.workspace.packages.push(Package {
            name: None,
            crate_name,
            version: None,
            root: folder.to_owned(),
            crate_roots,
            selected: true,
        });
    }

    fn owner(&self, folder: &Path) -> u32 {
        folder.ancestors().find_map(|folder| self.owners.get(folder).copied()).unwrap_or(0)
    }

    fn finish(mut self) -> Vec<Root> {
        let workspace = &mut self.root.workspace;
        workspace.files.sort_by(|a, b| a.display.cmp(&b.display));
        let groups = self.groups();
        let mut roots = split(self.root, &groups);
        for root in &mut roots {
            let files = root.workspace.files.iter().enumerate();
            let ids = files.filter(|(_, file)| !self.named.is_empty() && self.named.contains(&file.path));
            root.named = ids.map(|(index, _)| FileId(index as u32)).collect();
            drop_empty_packages(root);
        }
        roots
    }

    /// For each package, a number that those with something to do with each other share.
    fn groups(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.root.workspace.packages.len()).collect();
        let mut join = |a: u32, b: u32| {
            let (from, to) = (groups[a as usize], groups[b as usize]);
            groups.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        };
        // Which package is the first makes no difference to who is grouped with whom.
        let mut first_of: HashMap<&Path, u32> = HashMap::new();
        for (folder, package) in &self.owners {
            if let Some(workspace) = folder.ancestors().find(|above| self.workspaces.contains(*above)) {
                let first = *first_of.entry(workspace).or_insert(*package);
                join(*package, first);
            }
        }
        for (from, to) in &self.dependencies {
            if let (Some(from), Some(to)) = (self.owners.get(from), self.owners.get(to)) {
                join(*from, *to);
            }
        }
        groups
    }
}

/// One root for each group of packages, in the order of their first files. What is odd about the folder as a whole goes with the first.
fn split(mut root: Root, groups: &[usize]) -> Vec<Root> {
    let mut parts: Vec<(usize, Root, BTreeMap<u32, u32>)> = Vec::new();
    for mut file in std::mem::take(&mut root.workspace.files) {
        let package = file.package;
        let group = groups.get(package as usize).copied().unwrap_or_default();
        let index = parts.iter().rposition(|(known, ..)| *known == group).unwrap_or_else(|| {
            let mut part = Root::default();
            let mut places = BTreeMap::new();
            for (old, package) in root.workspace.packages.iter().enumerate().filter(|(old, _)| groups[*old] == group) {
                places.insert(old as u32, part.workspace.packages.len() as u32);
                part.workspace.packages.push(package.clone());
            }
            parts.push((group, part, places));
            parts.len() - 1
        });
        let (_, part, places) = &mut parts[index];
        file.package = places.get(&package).copied().unwrap_or_default();
        part.workspace.files.push(file);
    }
    let mut parts: Vec<Root> = parts.into_iter().map(|(_, part, _)| part).collect();
    if parts.is_empty() {
        return vec![root];
    }
    parts[0].unreadable = root.unreadable;
    parts[0].broken_manifests = root.broken_manifests;
    parts[0].notes = root.notes;
    parts
}

/// A folder that is no package and holds no file of its own is not worth counting.
fn drop_empty_packages(root: &mut Root) {
    let workspace = &mut root.workspace;
    let used: BTreeSet<u32> = workspace.files.iter().map(|file| file.package).collect();
    let mut places = Vec::new();
    let mut kept = 0;
    for (index, package) in workspace.packages.iter().enumerate() {
        let keep = package.name.is_some() || used.contains(&(index as u32));
        places.push(keep.then_some(kept));
        kept += u32::from(keep);
    }
    for file in &mut workspace.files {
        file.package = places.get(file.package as usize).copied().flatten().unwrap_or(0);
    }
    let mut keep = places.iter().map(Option::is_some);
    workspace.packages.retain(|_| keep.next().unwrap_or(true));
}

/// The root files of the library and binaries: what the keys say, and what cargo finds by itself.
pub(super) fn crate_roots(folder: &Path, keys: &PackageKeys, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots: BTreeSet<PathBuf> = keys.root_paths.iter().map(|path| normal(&folder.join(path))).collect();
    // With a `/` at its end, so that a folder whose name only begins alike is not taken for it.
    let inside_of = folder.join("").into_os_string();
    let start = files.partition_point(|path| path.as_os_str() < inside_of.as_os_str());
    let is_inside = |path: &&PathBuf| path.as_os_str().as_encoded_bytes().starts_with(inside_of.as_encoded_bytes());
    let inside = files[start..].iter().take_while(is_inside);
    // Few files lie so near the root, and to take a path apart costs more than to count its separators.
    let is_near = |path: &&PathBuf| {
        let rest = &path.as_os_str().as_encoded_bytes()[inside_of.len()..];
        rest.starts_with(b"src") && rest.iter().filter(|byte| **byte == MAIN_SEPARATOR as u8).count() <= 3
    };
    let found = inside.filter(is_near).filter(|path| path.strip_prefix(folder).is_ok_and(is_found_root));
    roots.extend(found.cloned());
    roots.into_iter().collect()
}

/// `src/lib.rs`, `src/main.rs`, `src/bin/x.rs`, `src/bin/x/main.rs`.
fn is_found_root(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    match parts.iter().map(|part| &**part).collect::<Vec<_>>()[..] {
        ["src", file] => file == "lib.rs" || file == "main.rs",
        ["src", "bin", file] => file.ends_with(".rs"),
        ["src", "bin", _, file] => file == "main.rs",
        _ => false,
    }
}

/// Whether the folder is a test folder, or in one, of one of the packages around it, seen from the base.
pub(super) fn is_test_folder_of(base: &Path, packages: &HashSet<PathBuf>, folder: &Path) -> bool {
    // Most paths have no folder of such a name in them, and that is soon seen.
    let text = folder.as_os_str().as_encoded_bytes();
    if !TEST_FOLDERS.iter().any(|tests| memchr::memmem::find(text, tests.as_bytes()).is_some()) {
        return false;
    }
    let around = folder.ancestors().skip(1).take_while(|above| above.starts_with(base));
    around.filter(|above| *above == base || packages.contains(*above)).any(|above| {
        let first = folder.strip_prefix(above).ok().and_then(|path| path.components().next());
        matches!(first, Some(Component::Normal(name)) if TEST_FOLDERS.iter().any(|tests| name == *tests))
    })
}

/// Reads manifests on all cores, for a folder may hold hundreds of packages.
fn read_all(paths: &[PathBuf]) -> Vec<(PathBuf, Result<Manifest, Problem>)> {
    crate::cores::in_parallel(paths, |path| (path.clone(), manifest::read(path)))
}

fn display(named: &Named, path: &Path) -> String {
    if !named.is_folder {
        return named.prefix.clone();
    }
    // Found below the folder, a path begins with its text; to take both apart for each file costs more than all else that is done with names.
    let rest = path.to_str().zip(named.path.to_str()).and_then(|(path, folder)| path.strip_prefix(folder));
    let inside = match rest.and_then(|rest| rest.strip_prefix(MAIN_SEPARATOR)) {
        Some(inside) => slashed(Path::new(inside)),
        None => slashed(path.strip_prefix(&named.path).unwrap_or(path)),
    };
    match named.prefix.as_str() {
        "" => inside,
        prefix => format!("{prefix}/{inside}"),
    }
}

/// The path with `/` between its parts.
pub(super) fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(MAIN_SEPARATOR, "/") }
}

/// Without `.` and, where that needs no look at the disk, `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(result.components().next_back(), Some(Component::Normal(_))) => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
}
