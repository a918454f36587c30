//! Dependencies: the sources of everything that `Cargo.lock` says a workspace is built of.
//!
//! They are looked for where cargo keeps them. What is not there is fetched, once for all, by cargo in a folder of its own; what cannot be had is listed.
//! The lock file knows neither features nor targets, so that some of what is listed may not be part of any build.

use super::cargo::{self, Cargo};
use super::lock::{Lock, Locked, Reached};
use super::{Error, Root, manifest, paths, registry, walk, workspace_folder};
use crate::source::Unreadable;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What brings a dependency in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Names and versions from the dependency to a package of the workspace, the shortest way.
    pub packages: Vec<(String, String)>,
    /// How many packages depend on it directly.
    pub dependents: usize,
    /// The lock file, absolute, and the line in which the dependency begins there.
    pub locked_at: (PathBuf, u32),
}

/// The dependencies of some workspaces.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// Their sources, each a root of its own, by name and version.
    pub roots: Vec<Root>,
    /// What brings each in, by `name@version`.
    pub ways: BTreeMap<String, Way>,
    /// Those whose sources cannot be had, and why.
    pub missing: Vec<Unreadable>,
}

/// Finds the dependencies of the packages that are reported on.
///
/// # Errors
///
/// When there is no lock file, or it cannot be read.
pub fn dependencies(roots: &[Root]) -> Result<Dependencies, Error> {
    let mut all = Dependencies::default();
    let home = cargo::home().ok_or_else(|| Error::new("neither CARGO_HOME nor a home folder is set"))?;
    let packages = roots.iter().filter(|root| !root.versioned).flat_map(|root| &root.workspace.packages);
    let mut workspaces: BTreeMap<PathBuf, BTreeSet<&str>> = BTreeMap::new();
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for package in packages.filter(|package| package.selected) {
        let Some(name) = &package.name else { continue };
        let top = workspace_folder(&package.root);
        folders.entry(top.clone()).or_default().push(package.root.clone());
        workspaces.entry(top).or_default().insert(name);
    }
    if workspaces.is_empty() {
        return Err(Error::new("files without a manifest have no dependencies to look at"));
    }
    for (top, names) in workspaces {
        let lock = Lock::read(&top.join("Cargo.lock"))?;
        let is_start = |package: &Locked| package.source.is_none() && names.contains(package.name.as_str());
        let starts = lock.packages.iter().enumerate().filter(|(_, package)| is_start(package));
        let starts: BTreeSet<usize> = starts.map(|(index, _)| index).collect();
        let local = local_packages(folders.get(&top).map_or(&[], Vec::as_slice));
        let reached = lock.reached_from(&starts);
        let find = |reached: &Reached| find(&lock.packages[reached.package], &home, &local);
        let mut found: Vec<Option<PathBuf>> = reached.iter().map(find).collect();
        let mut reason = String::new();
        let fetchable = |reached: &Reached| lock.packages[reached.package].source.is_some();
        if reached.iter().zip(&found).any(|(reached, found)| found.is_none() && fetchable(reached)) {
            reason = fetch(&top).err().map_or_else(String::new, |error| format!(" ({error})"));
            found = reached.iter().map(find).collect();
        }
        for (reached, folder) in reached.iter().zip(found) {
            all.take(&lock, &top.join("Cargo.lock"), reached, folder, &reason);
        }
    }
    all.roots.sort_by(|a, b| label(a).cmp(&label(b)));
    all.missing.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(all)
}

impl Dependencies {
    fn take(&mut self, lock: &Lock, file: &Path, reached: &Reached, folder: Option<PathBuf>, reason: &str) {
        let package = &lock.packages[reached.package];
        let name = format!("{}@{}", package.name, package.version);
        if self.ways.contains_key(&name) {
            return;
        }
        let named = |index: &usize| (lock.packages[*index].name.clone(), lock.packages[*index].version.clone());
        let way = Way {
            packages: reached.way.iter().map(named).collect(),
            dependents: reached.dependents,
            locked_at: (file.to_owned(), package.line),
        };
        self.ways.insert(name.clone(), way);
        match folder {
            Some(folder) => {
                let mut root = paths::discover_crate(&folder);
                root.versioned = true;
                self.roots.push(root);
            }
            None if package.source.is_none() => self.missing.push(Unreadable {
                file: name,
                path: None,
                line: 1,
                message: "not looked at: a dependency by path that was not found; name its folder to have it read"
                    .to_owned(),
            }),
            None => self.missing.push(Unreadable {
                file: name,
                path: None,
                line: 1,
                message: format!(
                    "not looked at: its sources are not under cargo's home, and could not be fetched{reason}"
                ),
            }),
        }
    }
}

/// The folder of a package's sources, if it is there.
fn find(package: &Locked, home: &Path, local: &BTreeMap<String, PathBuf>) -> Option<PathBuf> {
    match package.source.as_deref() {
        None => local.get(&package.name).cloned(),
        Some(source) if source.starts_with("git+") => {
            let (_, commit) = source.rsplit_once('#')?;
            checkouts(home, commit).find_map(|checkout| package_in(&checkout, package))
        }
        Some(_) => registry::unpacked(home, &package.name, &package.version),
    }
}

/// What cargo has checked out of a commit, of whichever repository.
fn checkouts(home: &Path, commit: &str) -> impl Iterator<Item = PathBuf> {
    let short = commit.get(..7).unwrap_or(commit).to_owned();
    let repositories = std::fs::read_dir(home.join("git").join("checkouts")).into_iter().flatten().flatten();
    repositories
        .map(move |repository| repository.path().join(&short))
        .filter(|checkout| checkout.join(".cargo-ok").is_file())
}

/// The folder in a checkout that holds the package.
fn package_in(checkout: &Path, package: &Locked) -> Option<PathBuf> {
    let manifests = walk::walk(checkout, false).manifests;
    let is_it = |manifest: &PathBuf| {
        let keys = manifest::read(manifest).ok().and_then(|manifest| manifest.package);
        keys.is_some_and(|keys| {
            keys.name == package.name && keys.version.as_ref().is_none_or(|version| *version == package.version)
        })
    };
    manifests.into_iter().find(is_it).and_then(|manifest| manifest.parent().map(Path::to_owned))
}

/// The packages that path dependencies lead to from the folders, by name.
fn local_packages(folders: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let mut open: Vec<PathBuf> = folders.to_vec();
    let mut seen: BTreeSet<PathBuf> = open.iter().cloned().collect();
    let mut found = BTreeMap::new();
    while let Some(folder) = open.pop() {
        let Some(keys) = manifest::read(&folder.join("Cargo.toml")).ok().and_then(|manifest| manifest.package) else {
            continue;
        };
        for path in &keys.dependency_paths {
            let target = paths::normal(&folder.join(path));
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
        found.insert(keys.name, folder);
    }
    found
}

/// Has cargo fetch everything that the lock file names.
fn fetch(top: &Path) -> Result<(), Error> {
    let output = Cargo::find(Some(top))?.fetch(&top.join("Cargo.toml"))?;
    if output.success { Ok(()) } else { Err(Error::new(cargo::first_error(&output.stderr))) }
}

fn label(root: &Root) -> Option<(&str, Option<&str>)> {
    let package = root.workspace.packages.first()?;
    Some((package.name.as_deref()?, package.version.as_deref()))
}
