//! Manifests of a package that is taken whole, and of the program that asks it, from what cargo says of the package: what it inherits from a
//! workspace is in that, and its tests and examples need not be.

use crate::extract::Dependency;
use crate::harness::Plan;
use crate::harness::build::program;
use crate::harness::layout::{self, hash, list, table};
use cargo_metadata::semver::{Version, VersionReq};
use cargo_metadata::{DependencyKind, Package, Target, TargetKind};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What cargo says of a package.
pub(super) struct Facts {
    package: Package,
    root: PathBuf,
    /// The root file of what is compiled as a library.
    library: PathBuf,
    edition: String,
    /// The root files of its programs.
    programs: Vec<PathBuf>,
    is_program: bool,
    /// `[patch]` of the workspace, with whole paths.
    patches: Table,
}

/// The crate `http` for text of our own.
pub(super) enum Http<'a> {
    /// The package depends on it itself, by this name in its manifest.
    OfPackage(String, &'a cargo_metadata::Dependency),
    /// It does not.
    Added(&'a Dependency),
}

impl Http<'_> {
    /// Its name in code.
    pub(super) fn name(&self) -> String {
        match self {
            Http::OfPackage(name, _) => name.replace('-', "_"),
            Http::Added(dependency) => dependency.name.clone(),
        }
    }

    /// Puts it into the manifest of the copy, where it must be there whichever features are on and whatever the target is.
    fn put(&self, manifest: &mut Table) {
        let own = match self {
            Http::Added(dependency) => layout::dependency(dependency),
            Http::OfPackage(name, dependency) => {
                let mut table = required(dependency);
                table.insert("optional".to_owned(), Value::Boolean(false));
                if dependency.optional {
                    let features = below(manifest, "features").iter_mut().filter_map(|(_, of)| of.as_array_mut());
                    features.for_each(|of| without_option(of, name));
                }
                (name.clone(), Value::Table(table))
            }
        };
        below(manifest, "dependencies").extend([own]);
    }
}

/// What a feature asks for, for a dependency that is there anyway.
fn without_option(feature: &mut Vec<Value>, name: &str) {
    let (option, weak) = (format!("dep:{name}"), format!("{name}?/"));
    feature.retain(|of| of.as_str() != Some(&option));
    for of in feature {
        if let Some(rest) = of.as_str().and_then(|of| of.strip_prefix(&weak)) {
            *of = format!("{name}/{rest}").into();
        }
    }
}

impl Facts {
    /// Asks cargo; what it has against the package is the error.
    pub(super) fn of(root: &Path, plan: &Plan<'_>) -> Result<Facts, String> {
        let manifest = root.join("Cargo.toml");
        let mut command = cargo_metadata::MetadataCommand::new();
        command.cargo_path(program()).current_dir(&plan.start).manifest_path(&manifest).no_deps();
        let facts = command.exec().map_err(|error| error.to_string())?;
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let wanted = real(&manifest);
        let package = facts.packages.into_iter().find(|package| real(package.manifest_path.as_std_path()) == wanted);
        let package = package.ok_or_else(|| format!("cargo knows no package of `{}`", manifest.display()))?;
        let is = |target: &&Target, kinds: &[TargetKind]| target.kind.iter().any(|kind| kinds.contains(kind));
        if package.targets.iter().any(|target| is(&target, &[TargetKind::ProcMacro])) {
            return Err("a package of procedural macros can only be called by the compiler".to_owned());
        }
        let kinds = [TargetKind::Lib, TargetKind::RLib, TargetKind::CDyLib, TargetKind::DyLib, TargetKind::StaticLib];
        let library = package.targets.iter().find(|target| is(target, &kinds));
        let bins: Vec<&Target> = package.targets.iter().filter(|target| is(target, &[TargetKind::Bin])).collect();
        // A program alone is a library whose `main` nobody calls.
        let chosen = library.or(bins.first().copied()).ok_or("the package has neither a library nor a program")?;
        let below = |target: &Target| {
            let path = target.src_path.as_std_path();
            let path = path.strip_prefix(root).map(Path::to_owned);
            path.or_else(|_| real(target.src_path.as_std_path()).strip_prefix(real(root)).map(Path::to_owned))
        };
        let Ok(path) = below(chosen) else { return Err("the package's code lies outside of its folder".to_owned()) };
        let workspace = facts.workspace_root.as_std_path();
        Ok(Facts {
            library: path,
            edition: chosen.edition.to_string(),
            programs: bins.iter().filter_map(|target| below(target).ok()).collect(),
            is_program: library.is_none(),
            patches: patches(workspace),
            root: root.to_owned(),
            package,
        })
    }

    /// The package's name and version.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.package.name, self.package.version)
    }

    /// The root file of what is compiled, named from the package's folder.
    pub(super) fn library(&self) -> &Path {
        &self.library
    }

    pub(super) fn edition(&self) -> &str {
        &self.edition
    }

    /// Whether the file can be part of what is compiled; why not, where that is certain.
    pub(super) fn library_for(&self, file: &Path) -> Result<(), String> {
        let is_other = file != self.library && self.programs.iter().any(|program| program == file);
        if is_other { Err("it stands in a program beside the library".to_owned()) } else { Ok(()) }
    }

    /// The name of the folder for it, the same as long as it is the same package.
    pub(super) fn folder_name(&self, with_all_features: bool) -> String {
        let all = if with_all_features { "-all" } else { "" };
        format!("lift-{:08x}{all}", hash(&self.root.display().to_string()) as u32)
    }

    fn features(&self) -> Vec<String> {
        let is_stable =
            |name: &&String| *name != "default" && !["nightly", "unstable"].iter().any(|word| name.contains(word));
        self.package.features.keys().filter(is_stable).cloned().collect()
    }

    /// Whether there are features beside the default ones.
    pub(super) fn has_more_features(&self) -> bool {
        let default = self.package.features.get("default").map_or(&[][..], Vec::as_slice);
        self.features().iter().any(|feature| !default.contains(feature))
    }

    /// What stands for this version of the crate `http` in the copy: the package's own dependency, if that comes to the same.
    pub(super) fn http<'a>(&'a self, wanted: &'a Dependency) -> Http<'a> {
        let is_same = |dependency: &&cargo_metadata::Dependency| {
            dependency.kind == DependencyKind::Normal
                && dependency.name == wanted.package
                && is_one_line(&dependency.req, &wanted.version)
        };
        match self.package.dependencies.iter().find(is_same) {
            Some(own) => Http::OfPackage(own.rename.as_ref().unwrap_or(&own.name).clone(), own),
            None => Http::Added(wanted),
        }
    }

    /// The manifest of the copy.
    pub(super) fn package(&self, http: Option<&Http<'_>>, runtime: &str) -> Table {
        let facts = &self.package;
        let mut package = table([
            ("name", facts.name.to_string().into()),
            ("version", facts.version.to_string().into()),
            ("edition", self.edition.clone().into()),
            ("authors", list(facts.authors.iter().map(String::as_str))),
            ("publish", Value::Boolean(false)),
        ]);
        for name in ["autolib", "autobins", "autoexamples", "autotests", "autobenches"] {
            package.insert(name.to_owned(), Value::Boolean(false));
        }
        // What code may ask for with `env!`.
        let texts = [
            ("description", &facts.description),
            ("license", &facts.license),
            ("repository", &facts.repository),
            ("homepage", &facts.homepage),
            ("links", &facts.links),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                package.insert(name.to_owned(), text.clone().into());
            }
        }
        let script = facts.targets.iter().find(|target| target.kind.contains(&TargetKind::CustomBuild));
        let script = script.and_then(|target| target.src_path.as_std_path().strip_prefix(&self.root).ok());
        let build = script.map_or(Value::Boolean(false), |path| path.display().to_string().into());
        package.insert("build".to_owned(), build);
        let name = facts.name.replace('-', "_");
        // A program's crate has another name than the library of its package would; nothing depends on it.
        let name = if self.is_program { format!("{name}_program") } else { self.library_name(&name) };
        let library = table([
            ("name", name.into()),
            ("path", self.library.display().to_string().into()),
            ("doctest", Value::Boolean(false)),
        ]);
        let features = facts.features.iter().map(|(name, of)| (name.clone(), list(of.iter().map(String::as_str))));
        let mut manifest = table([
            ("package", Value::Table(package)),
            ("lib", Value::Table(library)),
            ("features", Value::Table(features.collect())),
        ]);
        for dependency in &facts.dependencies {
            let section = match dependency.kind {
                DependencyKind::Normal => "dependencies",
                DependencyKind::Build => "build-dependencies",
                _ => continue,
            };
            let place = match &dependency.target {
                None => &mut manifest,
                Some(target) => below(below(&mut manifest, "target"), &target.to_string()),
            };
            let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
            below(place, section).insert(name.clone(), Value::Table(required(dependency)));
        }
        let own = below(&mut manifest, "dependencies");
        let path = table([("package", "retry-after-runtime".into()), ("path", "../../runtime".into())]);
        own.insert(runtime.to_owned(), Value::Table(path));
        if let Some(http) = http {
            http.put(&mut manifest);
        }
        manifest
    }

    fn library_name(&self, fallback: &str) -> String {
        let is_it = |target: &&Target| target.src_path.as_std_path().ends_with(&self.library);
        let target =
            self.package.targets.iter().find(|target| is_it(target) && !target.kind.contains(&TargetKind::Bin));
        target.map_or_else(|| fallback.to_owned(), |target| target.name.replace('-', "_"))
    }

    /// The manifest of the program.
    pub(super) fn program(&self, with_all_features: bool) -> Table {
        let mut package = table([("package", self.package.name.to_string().into()), ("path", "package".into())]);
        if with_all_features {
            package.insert("features".to_owned(), list(self.features().iter().map(String::as_str)));
        }
        let needs = table([
            ("extracted_package", Value::Table(package)),
            ("retry-after-runtime", Value::Table(table([("path", "../runtime".into())]))),
        ]);
        let mut manifest = layout::package(&self.folder_name(with_all_features), "2021", needs);
        manifest.insert("workspace".to_owned(), Value::Table(Table::new()));
        // The package is compiled once and asked for a second: what counts is how soon it is there. What asks does most of the work.
        let level = |level| Value::Table(table([("opt-level", Value::Integer(level))]));
        let optimised = table([("*", level(0)), ("retry-after-runtime", level(2)), ("retry-after-core", level(2))]);
        let release = table([
            ("opt-level", Value::Integer(1)),
            ("debug", Value::Boolean(false)),
            ("incremental", Value::Boolean(true)),
            ("codegen-units", Value::Integer(64)),
            ("overflow-checks", Value::Boolean(false)),
            ("panic", "unwind".into()),
            ("package", Value::Table(optimised)),
        ]);
        let checked = table([("inherits", "release".into()), ("overflow-checks", Value::Boolean(true))]);
        let profiles = table([("release", Value::Table(release)), ("checked", Value::Table(checked))]);
        manifest.insert("profile".to_owned(), Value::Table(profiles));
        if !self.patches.is_empty() {
            manifest.insert("patch".to_owned(), Value::Table(self.patches.clone()));
        }
        manifest
    }
}

/// The table below a key, made if it is not there.
fn below<'t>(table: &'t mut Table, key: &str) -> &'t mut Table {
    if !table.get(key).is_some_and(Value::is_table) {
        table.insert(key.to_owned(), Value::Table(Table::new()));
    }
    table.get_mut(key).and_then(Value::as_table_mut).expect("a table is there by now")
}

/// Whether cargo would take one version for both requirements: the same major one, or minor one before 1. `version` is a version, or its beginning.
fn is_one_line(requirement: &VersionReq, version: &str) -> bool {
    let digits = version.trim_start_matches('=');
    let full = format!("{digits}{}", ".0".repeat(3_usize.saturating_sub(digits.split('.').count())));
    let Ok(version) = Version::parse(&full) else { return false };
    let line = |major: u64, minor: Option<u64>| if major > 0 { (major, None) } else { (0, minor) };
    let wanted = line(version.major, Some(version.minor));
    // A requirement of anything, or of a range, is met by what the client has as well.
    requirement.matches(&version) || requirement.comparators.iter().any(|of| line(of.major, of.minor) == wanted)
}

fn required(dependency: &cargo_metadata::Dependency) -> Table {
    let mut required = table([
        ("version", dependency.req.to_string().into()),
        ("default-features", Value::Boolean(dependency.uses_default_features)),
        ("optional", Value::Boolean(dependency.optional)),
        ("features", list(dependency.features.iter().map(String::as_str))),
    ]);
    let mut put = |key: &str, value: &str| required.insert(key.to_owned(), value.into());
    if dependency.rename.is_some() {
        put("package", &dependency.name);
    }
    if let Some(path) = &dependency.path {
        put("path", path.as_str());
    }
    if let Some(registry) = &dependency.registry {
        put("registry-index", registry);
    }
    let source = dependency.source.as_ref().map(|source| source.to_string()).unwrap_or_default();
    if let Some(git) = source.strip_prefix("git+") {
        let git = git.split('#').next().unwrap_or(git);
        let (url, query) = git.split_once('?').unwrap_or((git, ""));
        put("git", url);
        for pair in query.split('&').filter_map(|pair| pair.split_once('=')) {
            if matches!(pair.0, "branch" | "tag" | "rev") {
                put(pair.0, pair.1);
            }
        }
    }
    required
}

/// What the workspace puts in the place of published crates.
fn patches(workspace: &Path) -> Table {
    let text = std::fs::read_to_string(workspace.join("Cargo.toml")).unwrap_or_default();
    let manifest: Table = text.parse().unwrap_or_default();
    let mut patches = manifest.get("patch").and_then(Value::as_table).cloned().unwrap_or_default();
    for patch in patches.iter_mut().flat_map(|(_, of)| of.as_table_mut()).flat_map(|of| of.iter_mut()) {
        if let Some(path) = patch.1.get_mut("path")
            && let Some(text) = path.as_str().map(str::to_owned)
        {
            *path = workspace.join(text).display().to_string().into();
        }
    }
    patches
}
