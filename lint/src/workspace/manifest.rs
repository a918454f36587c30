//! Manifests read without cargo: the few keys that say what a package is and where its files are.

use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A manifest of more bytes than this is not read.
const SIZE_LIMIT: u64 = 4 << 20;

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

/// Reads a manifest; the reason when it cannot be read.
pub(super) fn read(path: &Path) -> Result<Manifest, String> {
    parse(&contents(path)?)
}

/// A manifest's text; the reason when it cannot be read.
pub(super) fn contents(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("not a regular file".to_owned());
    }
    if facts.len() > SIZE_LIMIT {
        return Err(format!("larger than {} MB", SIZE_LIMIT >> 20));
    }
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}

fn parse(text: &str) -> Result<Manifest, String> {
    let table: Table =
        text.trim_start_matches('\u{feff}').parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(Manifest {
        package: package(&table),
        workspace: table.get("workspace").and_then(Value::as_table).map(workspace),
    })
}

fn package(table: &Table) -> Option<PackageKeys> {
    let package = table.get("package").or_else(|| table.get("project"))?.as_table()?;
    let targets = |kind: &str| -> Vec<String> {
        let entries = table.get(kind).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(|target| text(target.get("path"))).collect()
    };
    let library = table.get("lib");
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

fn dependency_paths(table: &Table) -> Vec<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let entries = kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()).flat_map(Table::values);
    entries.filter_map(|dependency| text(dependency.get("path"))).collect()
}

fn workspace(table: &Table) -> WorkspaceKeys {
    let list = |key: &str| -> Option<Vec<String>> {
        Some(table.get(key)?.as_array()?.iter().filter_map(|value| text(Some(value))).collect())
    };
    WorkspaceKeys {
        members: list("members").unwrap_or_default(),
        exclude: list("exclude").unwrap_or_default(),
        default_members: list("default-members"),
        version: text(table.get("package").and_then(|package| package.get("version"))),
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
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
        assert!(parse("[package").is_err());
    }
}
