//! Cargo workspaces: the packages that a manifest leads to, and those of them that were asked for.

use super::cargo::Cargo;
use super::manifest::{self, Manifest, PackageKeys, Problem};
use super::paths::{self, normal, slashed};
use super::walk::{self, Walked};
use super::{BrokenManifest, Error, Package, Root, Selection, SourceFile};
use crate::source::Unreadable;
use cargo_metadata::{Metadata, TargetKind};
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Finds the workspace and marks the packages that were asked for.
pub(super) fn discover(selection: &Selection) -> Result<Root, Error> {
    let manifest = start(selection)?;
    let folder = manifest.parent().unwrap_or(&manifest).to_owned();
    let top = workspace_root(&manifest);
    let (mut notes, mut broken) = (Vec::new(), Vec::new());
    let (members, walked) = match Cargo::find(Some(&top)).and_then(|cargo| cargo.metadata(&manifest)) {
        Ok(metadata) => {
            let members = Members::from_metadata(&metadata, &folder);
            let walked = walk_all(&members);
            (members, walked)
        }
        Err(reason) => {
            let walked = walk::walk(&top, true);
            let members = Members::from_manifests(&top, &folder, &walked, &mut broken);
            // One above may be the workspace's, which cannot be known of one that cannot be read.
            let above = manifest::upwards(&top).filter(|path| path.parent() != Some(&top));
            broken.extend(above.filter_map(|path| manifest::read(&path).err().map(|problem| (path, problem))));
            let told = "cargo could not read the workspace, its manifests were read instead";
            // A manifest that is named with what is wrong with it is most often what cargo stumbled over too.
            notes.push(if broken.is_empty() { format!("{told}: {reason}") } else { told.to_owned() });
            (members, walked)
        }
    };
    if members.packages.is_empty() {
        let reason = broken.first().map_or_else(String::new, |(path, problem)| {
            format!(": `{}`, line {}: {}", path.display(), problem.line, problem.message)
        });
        return Err(Error::new(format!("no package found from `{}`{reason}", manifest.display())));
    }
    let selected = members.select(selection)?;
    if !selected.contains(&true) {
        return Err(members.none_left(selection));
    }
    let members_root = members.root.clone();
    let mut root = build(members, &selected, walked);
    root.notes = notes;
    let instead = "what it says of packages and settings does not hold";
    for (path, problem) in broken {
        let folder = path.parent().unwrap_or(&path);
        let is_package = root.workspace.packages.iter().any(|package| package.selected && package.root == folder);
        let is_essential = is_package || path == manifest || top.starts_with(folder);
        let file = problem.of(relative(&members_root, &path), &path, instead);
        root.broken_manifests.push(BrokenManifest { file, is_essential });
    }
    Ok(root)
}

/// The manifest that was named, or the nearest one.
fn start(selection: &Selection) -> Result<PathBuf, Error> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map(|path| normal(&path)).map_err(|error| Error::new(walk::plain(&error)))
    };
    if let Some(path) = &selection.manifest_path {
        let facts = std::fs::metadata(path)
            .map_err(|error| Error::new(format!("cannot read `{}`: {}", path.display(), walk::plain(&error))))?;
        if !facts.is_file() {
            return Err(Error::new(format!("`{}` is not a manifest: name the Cargo.toml file", path.display())));
        }
        return absolute(path);
    }
    let folder = absolute(Path::new("."))?;
    manifest::upwards(&folder).next().ok_or_else(|| {
        Error::new(format!(
            "no Cargo.toml in `{}` or above it; name files or folders, or --manifest-path",
            folder.display()
        ))
    })
}

/// The outermost folder that may be the workspace's, by its manifests alone.
fn workspace_root(manifest: &Path) -> PathBuf {
    workspace_folder(manifest.parent().unwrap_or(manifest))
}

/// The folder of the workspace that a package's folder belongs to, by the manifests alone; the package's own where there is none.
pub fn workspace_folder(folder: &Path) -> PathBuf {
    let starts = |path: &PathBuf| manifest::starts_workspace(path);
    let above = manifest::upwards(folder).find(starts);
    above.and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_else(|| folder.to_owned())
}

/// The packages of a workspace.
struct Members {
    root: PathBuf,
    packages: Vec<Member>,
    /// The indices of those that cargo takes when none is named.
    default: Vec<usize>,
}

/// One of them.
struct Member {
    name: String,
    version: String,
    folder: PathBuf,
    crate_name: String,
    crate_roots: Vec<PathBuf>,
    test_roots: Vec<PathBuf>,
}

impl Members {
    fn from_metadata(metadata: &Metadata, folder: &Path) -> Members {
        let packages: Vec<Member> = metadata.workspace_packages().into_iter().map(Member::from_metadata).collect();
        let root = metadata.workspace_root.as_std_path().to_owned();
        let here = packages.iter().position(|package| package.folder == folder).filter(|_| folder != root);
        let members = metadata.workspace_packages().into_iter().enumerate();
        let is_default = |package: &cargo_metadata::Package| {
            // Cargo tells them since 1.71.
            !metadata.workspace_default_members.is_available()
                || metadata.workspace_default_members.contains(&package.id)
        };
        let default = match here {
            Some(index) => vec![index],
            None => members.filter(|(_, package)| is_default(package)).map(|(index, _)| index).collect(),
        };
        Members { root, packages, default }
    }

    /// What cargo would find, near enough: the packages below the workspace's folder that `members` names or that path dependencies lead to.
    fn from_manifests(root: &Path, folder: &Path, walked: &Walked, unread: &mut Vec<(PathBuf, Problem)>) -> Members {
        let mut known: BTreeMap<PathBuf, PackageKeys> = BTreeMap::new();
        let mut workspace = None;
        let mut broken = Vec::new();
        for path in &walked.manifests {
            let Some(place) = path.parent() else { continue };
            match manifest::read(path) {
                Ok(Manifest { package, workspace: keys }) => {
                    if place == root {
                        workspace = keys;
                    }
                    known.extend(package.map(|keys| (place.to_owned(), keys)));
                }
                Err(reason) => {
                    unread.push((path.clone(), reason));
                    broken.push(place);
                }
            }
        }
        let keys = workspace.unwrap_or_default();
        let (members, excluded) = (globs(&keys.members), globs(&keys.exclude));
        let named = |place: &Path| {
            place == root
                || place.strip_prefix(root).is_ok_and(|inside| members.is_match(inside) && !excluded.is_match(inside))
        };
        // A member whose manifest says nothing still has files; it goes by its folder's name.
        for place in broken.into_iter().filter(|place| *place == folder || (*place != root && named(place))) {
            let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            known.insert(place.to_owned(), PackageKeys { name, ..PackageKeys::default() });
        }
        let mut taken: BTreeSet<PathBuf> =
            known.keys().filter(|place| named(place) || *place == folder).cloned().collect();
        let mut open: Vec<PathBuf> = taken.iter().cloned().collect();
        while let Some(place) = open.pop() {
            for path in known.get(&place).into_iter().flat_map(|keys| &keys.dependency_paths) {
                let target = normal(&place.join(path));
                let is_excluded = target.strip_prefix(root).is_ok_and(|inside| excluded.is_match(inside));
                if known.contains_key(&target) && !is_excluded && taken.insert(target.clone()) {
                    open.push(target);
                }
            }
        }
        let packages: Vec<Member> = known
            .iter()
            .filter(|(place, _)| taken.contains(*place))
            .map(|(place, package)| Member::from_keys(place, package, keys.version.as_deref(), walked))
            .collect();
        let default = default_members(root, folder, &packages, keys.default_members.as_deref());
        Members { root: root.to_owned(), packages, default }
    }

    /// Which packages were asked for, as cargo's flags say.
    fn select(&self, selection: &Selection) -> Result<Vec<bool>, Error> {
        let wanted = Patterns::new(&selection.packages)?;
        let excluded = Patterns::new(&selection.exclude)?;
        for pattern in wanted.0.iter().chain(&excluded.0) {
            if !self.packages.iter().any(|package| pattern.matches(package)) {
                return Err(self.unknown(&pattern.text));
            }
        }
        let everything = selection.all || (selection.packages.is_empty() && !selection.exclude.is_empty());
        let chosen = |index: usize, package: &Member| match (everything, selection.packages.is_empty()) {
            (true, _) => true,
            (false, true) => self.default.contains(&index),
            (false, false) => wanted.matches(package),
        };
        let selected = self
            .packages
            .iter()
            .enumerate()
            .map(|(index, package)| chosen(index, package) && !excluded.matches(package));
        Ok(selected.collect())
    }

    /// Why no package is left to look at.
    fn none_left(&self, selection: &Selection) -> Error {
        let root = self.root.display();
        if selection.exclude.is_empty() {
            return Error::new(format!(
                "no package of `{root}` is taken by default; name one with -p, or use --workspace"
            ));
        }
        let flags: Vec<String> = selection.exclude.iter().map(|spec| format!("`--exclude {spec}`")).collect();
        let packages = match self.packages.as_slice() {
            [only] => format!("the only package, `{}`,", only.name),
            all => format!("every package that was asked for, of {},", all.len()),
        };
        Error::new(format!("{} leaves out {packages} of `{root}`: nothing to look at", flags.join(" ")))
    }

    fn unknown(&self, text: &str) -> Error {
        let names = self.packages.iter().map(|package| package.name.as_str());
        let near = crate::workspace::nearest(text, names);
        let hint = near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        Error::new(format!("no package `{text}` in the workspace `{}`{hint}", self.root.display()))
    }
}

impl Member {
    fn from_metadata(package: &cargo_metadata::Package) -> Member {
        let is_library = |kind: &TargetKind| {
            !matches!(
                kind,
                TargetKind::Bin | TargetKind::Test | TargetKind::Bench | TargetKind::Example | TargetKind::CustomBuild
            )
        };
        let path = |target: &cargo_metadata::Target| normal(target.src_path.as_std_path());
        let is_root = |target: &&cargo_metadata::Target| {
            target.kind.iter().any(|kind| is_library(kind) || *kind == TargetKind::Bin)
        };
        let is_test = |target: &&cargo_metadata::Target| {
            target.kind.iter().any(|kind| matches!(kind, TargetKind::Test | TargetKind::Bench | TargetKind::Example))
        };
        let library = package.targets.iter().find(|target| target.kind.iter().any(is_library));
        Member {
            name: package.name.to_string(),
            version: package.version.to_string(),
            folder: package.manifest_path.parent().map(|path| path.as_std_path().to_owned()).unwrap_or_default(),
            crate_name: library.map_or(package.name.as_str(), |target| target.name.as_str()).replace('-', "_"),
            crate_roots: package.targets.iter().filter(is_root).map(path).collect(),
            test_roots: package.targets.iter().filter(is_test).map(path).collect(),
        }
    }

    fn from_keys(folder: &Path, keys: &PackageKeys, inherited: Option<&str>, walked: &Walked) -> Member {
        Member {
            name: keys.name.clone(),
            version: keys.version.as_deref().or(inherited).unwrap_or("0.0.0").to_owned(),
            folder: folder.to_owned(),
            crate_name: keys.library_name.as_deref().unwrap_or(&keys.name).replace('-', "_"),
            crate_roots: paths::crate_roots(folder, keys, &walked.files),
            test_roots: keys.test_paths.iter().map(|path| normal(&folder.join(path))).collect(),
        }
    }

    /// Whether it consists of tests, benches or examples alone, so that every file in it is one.
    fn is_test_only(&self) -> bool {
        self.crate_roots.is_empty() && !self.test_roots.is_empty()
    }
}

fn default_members(root: &Path, folder: &Path, packages: &[Member], listed: Option<&[String]>) -> Vec<usize> {
    let at = |place: &Path| packages.iter().position(|package| package.folder == place);
    if let Some(index) = at(folder).filter(|_| folder != root) {
        return vec![index];
    }
    if let Some(listed) = listed {
        let listed = globs(listed);
        let inside = |package: &Member| package.folder.strip_prefix(root).is_ok_and(|inside| listed.is_match(inside));
        return (0..packages.len()).filter(|index| inside(&packages[*index])).collect();
    }
    at(root).map_or_else(|| (0..packages.len()).collect(), |index| vec![index])
}

/// Walks the workspace's folder, and the packages that lie outside of it.
fn walk_all(members: &Members) -> Walked {
    let mut walked = walk::walk(&members.root, true);
    // A folder that git ignores below the root is a package all the same when cargo says so.
    let reached: BTreeSet<PathBuf> =
        walked.manifests.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
    for package in members.packages.iter().filter(|package| !reached.contains(&package.folder)) {
        let more = walk::walk(&package.folder, true);
        walked.files.extend(more.files);
        walked.manifests.extend(more.manifests);
        walked.odd.extend(more.odd);
    }
    walk::sort(&mut walked.files);
    walked.files.dedup();
    walked
}

/// Each file to the nearest package above it; those of packages that are no members are left out.
fn build(members: Members, selected: &[bool], walked: Walked) -> Root {
    let folders: HashSet<PathBuf> =
        walked.manifests.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
    let owners: HashMap<&Path, usize> =
        members.packages.iter().enumerate().map(|(index, package)| (package.folder.as_path(), index)).collect();
    let test_roots: HashSet<&PathBuf> = members.packages.iter().flat_map(|package| &package.test_roots).collect();
    let place = |folder: &Path| -> Option<(usize, bool)> {
        let around = folder.ancestors().find(|above| folders.contains(*above) || owners.contains_key(above))?;
        let index = owners.get(around).copied()?;
        let package = &members.packages[index];
        let base = if folder.starts_with(&members.root) { &members.root } else { &package.folder };
        Some((index, package.is_test_only() || paths::is_test_folder_of(base, &folders, folder)))
    };
    let mut root = Root::default();
    // Files come folder by folder.
    let mut last: (PathBuf, Option<(usize, bool)>) = (PathBuf::new(), None);
    for path in walked.files {
        if let Some(folder) = path.parent().filter(|folder| folder.as_os_str() != last.0.as_os_str()) {
            last = (folder.to_owned(), place(folder));
        }
        let Some((package, is_test_folder)) = last.1 else { continue };
        let is_test = is_test_folder || test_roots.contains(&path);
        let display = relative(&members.root, &path);
        root.workspace.files.push(SourceFile { path, display, package: package as u32, is_test, text: None });
    }
    root.workspace.files.sort_by(|a, b| a.display.cmp(&b.display));
    for (path, message) in walked.odd {
        let file = relative(&members.root, &path);
        root.unreadable.push(Unreadable { file, path: Some(path), line: 1, message });
    }
    let packages = members.packages.into_iter().zip(selected).map(|(package, selected)| Package {
        name: Some(package.name),
        crate_name: package.crate_name,
        version: Some(package.version),
        root: package.folder,
        crate_roots: package.crate_roots,
        selected: *selected,
    });
    root.workspace.packages = packages.collect();
    root
}

/// The path seen from the root, with `..` for a package beside it.
fn relative(root: &Path, path: &Path) -> String {
    let mut up = PathBuf::new();
    for above in root.ancestors() {
        if let Ok(inside) = path.strip_prefix(above) {
            return slashed(&up.join(inside));
        }
        up.push("..");
    }
    slashed(path)
}

fn globs(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build();
        // A pattern that is none names nothing.
        builder = glob.map_or(builder.clone(), |glob| builder.add(glob).clone());
    }
    builder.build().unwrap_or_default()
}

/// What `-p` and `--exclude` take.
struct Patterns(Vec<Pattern>);

/// `name`, `na*`, `name@version`.
struct Pattern {
    text: String,
    name: globset::GlobMatcher,
    version: Option<String>,
}

impl Patterns {
    fn new(texts: &[String]) -> Result<Patterns, Error> {
        texts.iter().map(|text| Pattern::new(text)).collect::<Result<_, _>>().map(Patterns)
    }

    fn matches(&self, package: &Member) -> bool {
        self.0.iter().any(|pattern| pattern.matches(package))
    }
}

impl Pattern {
    fn new(text: &str) -> Result<Pattern, Error> {
        let (name, version) =
            text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version.to_owned())));
        let glob =
            Glob::new(name).map_err(|error| Error::new(format!("`{text}` names no package: {}", error.kind())))?;
        Ok(Pattern { text: text.to_owned(), name: glob.compile_matcher(), version })
    }

    fn matches(&self, package: &Member) -> bool {
        self.name.is_match(&package.name) && self.version.as_ref().is_none_or(|version| *version == package.version)
    }
}
