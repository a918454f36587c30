//! Manifests read without cargo: the few keys that say what a package is and where its files are.

use super::walk;
use crate::source::Unreadable;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table whose texts are those of the file: a folder may hold hundreds of manifests, and few of their keys are asked for.
type Table<'t> = DeTable<'t>;
type Value<'t> = Spanned<DeValue<'t>>;

/// A manifest of more bytes than this is not read.
const SIZE_LIMIT: u64 = 16 << 20;

/// What a `Cargo.toml` says.
#[derive(Clone, Debug, Default)]
pub(super) struct Manifest {
    /// None for a workspace without a root package.
    pub(super) package: Option<PackageKeys>,
    /// The workspace that starts here.
    pub(super) workspace: Option<WorkspaceKeys>,
}

/// What `[package]` and the targets say.
#[derive(Clone, Debug, Default)]
pub(super) struct PackageKeys {
    pub(super) name: String,
    /// None when it is inherited from the workspace.
    pub(super) version: Option<String>,
    pub(super) library_name: Option<String>,
    /// The `path` keys of the library and binaries, relative to the manifest.
    pub(super) root_paths: Vec<String>,
    /// The `path` keys of tests, benches and examples.
    pub(super) test_paths: Vec<String>,
    /// The `path` keys of path dependencies.
    pub(super) dependency_paths: Vec<String>,
}

/// What `[workspace]` says.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkspaceKeys {
    pub(super) members: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) default_members: Option<Vec<String>>,
    pub(super) version: Option<String>,
}

/// Why a manifest cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The line, from 1.
    pub(super) line: u32,
    pub(super) message: String,
}

impl Problem {
    /// The manifest among the files that cannot be read. `file` is how reports name it.
    pub(super) fn of(self, file: String, path: &Path, instead: &str) -> Unreadable {
        let message = format!("not read: {}; {instead}", self.message);
        Unreadable { file, path: Some(path.to_owned()), line: self.line, message }
    }
}

/// Reads a manifest; the reason when it cannot be read.
pub(super) fn read(path: &Path) -> Result<Manifest, Problem> {
    parse(&text_of(path).map_err(|message| Problem { line: 1, message })?)
}

/// Whether the manifest can be read and starts a workspace. Most need not be parsed to see that they do not; an escape may spell the word in another way.
pub(super) fn starts_workspace(path: &Path) -> bool {
    let may_start = |text: &String| ["workspace", "\\"].iter().any(|word| text.contains(word));
    let text = text_of(path).ok().filter(may_start);
    text.is_some_and(|text| parse(&text).is_ok_and(|manifest| manifest.workspace.is_some()))
}

/// The text of a manifest or of another file that people keep beside it; the reason when it cannot be read. Pipes and the like are not opened.
pub(crate) fn text_of(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| walk::plain(&error))?;
    if !facts.is_file() {
        return Err("not a regular file".to_owned());
    }
    if facts.len() > SIZE_LIMIT {
        return Err(format!("larger than {} MB", SIZE_LIMIT >> 20));
    }
    let bytes = std::fs::read(path).map_err(|error| walk::plain(&error))?;
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}

fn parse(text: &str) -> Result<Manifest, Problem> {
    let text = text.trim_start_matches('\u{feff}');
    let table = DeTable::parse(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = 1 + before.matches('\n').count() as u32;
        Problem { line, message: error.message().replace('\n', ", ") }
    })?;
    let table = table.get_ref();
    Ok(Manifest { package: package(table), workspace: table.get("workspace").and_then(as_table).map(workspace) })
}

fn package(table: &Table<'_>) -> Option<PackageKeys> {
    let package = as_table(table.get("package").or_else(|| table.get("project"))?)?;
    let targets = |kind: &str| -> Vec<String> {
        let entries = table.get(kind).and_then(|value| value.get_ref().as_array()).into_iter().flatten();
        entries.filter_map(|target| text(as_table(target)?.get("path"))).collect()
    };
    let library = table.get("lib").and_then(as_table);
    let mut root_paths: Vec<String> = library.and_then(|library| text(library.get("path"))).into_iter().collect();
    root_paths.extend(targets("bin"));
    Some(PackageKeys {
        name: text(package.get("name"))?,
        version: text(package.get("version")),
        library_name: library.and_then(|library| text(library.get("name"))),
        root_paths,
        test_paths: ["test", "bench", "example"].into_iter().flat_map(targets).collect(),
        dependency_paths: dependency_paths(table),
    })
}

fn dependency_paths(table: &Table<'_>) -> Vec<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let entries = kinds.iter().filter_map(|kind| as_table(table.get(*kind)?)).flat_map(|table| table.values());
    entries.filter_map(|dependency| text(as_table(dependency)?.get("path"))).collect()
}

fn workspace(table: &Table<'_>) -> WorkspaceKeys {
    let list = |key: &str| -> Option<Vec<String>> {
        Some(table.get(key)?.get_ref().as_array()?.iter().filter_map(|value| text(Some(value))).collect())
    };
    WorkspaceKeys {
        members: list("members").unwrap_or_default(),
        exclude: list("exclude").unwrap_or_default(),
        default_members: list("default-members"),
        version: text(table.get("package").and_then(as_table).and_then(|package| package.get("version"))),
    }
}

fn as_table<'v, 't>(value: &'v Value<'t>) -> Option<&'v Table<'t>> {
    value.get_ref().as_table()
}

fn text(value: Option<&Value<'_>>) -> Option<String> {
    value?.get_ref().as_str().map(str::to_owned)
}

/// The manifests of the folder and of those above it, nearest first.
pub(super) fn upwards(folder: &Path) -> impl Iterator<Item = PathBuf> {
    folder.ancestors().map(|folder| folder.join("Cargo.toml")).filter(|manifest| manifest.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_that_matter_are_read_and_the_others_are_of_no_account() {
        let manifest = parse(
            "[package]\nname = \"a-b\"\nversion.workspace = true\nfuture-key = 1\n[lib]\npath = \"lib.rs\"\n[[bin]]\nname = \"x\"\npath = \"x.rs\"\n\
             [[test]]\nname = \"e2e\"\npath = \"main.rs\"\n[dependencies]\nserde = \"1\"\nb = { path = \"../b\" }\n[workspace]\nmembers = [\"c/*\"]\npackage.version = \"1.0.0\"\n",
        )
        .unwrap();
        let package = manifest.package.unwrap();
        assert_eq!((package.name.as_str(), package.version), ("a-b", None));
        assert_eq!(package.root_paths, ["lib.rs", "x.rs"]);
        assert_eq!(package.test_paths, ["main.rs"]);
        assert_eq!(package.dependency_paths, ["../b"]);
        let workspace = manifest.workspace.unwrap();
        assert_eq!((workspace.members, workspace.version), (vec!["c/*".to_owned()], Some("1.0.0".to_owned())));
    }

    #[test]
    fn a_manifest_of_odd_types_is_no_package() {
        assert!(parse("package = 5").unwrap().package.is_none());
        assert!(parse("[package]\nname = 5").unwrap().package.is_none());
        let problem = parse("[package]\nname = \"a\"\nversion = \n").unwrap_err();
        assert_eq!(problem.line, 3, "{problem:?}");
    }
}
