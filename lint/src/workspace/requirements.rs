//! What a package says about the crates it depends on, and which versions its lockfile has.

use super::{Package, manifest};
use semver::{Version, VersionReq};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::{Table, Value};

/// A lockfile of more bytes than this is not read.
const LOCK_SIZE_LIMIT: u64 = 16 << 20;

/// A crate that a package depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The package's name, where the manifest gives it another one.
    pub package: String,
    /// The version as the manifest asks for it; `*` where it does not say.
    pub version: String,
    /// Features.
    pub features: Vec<String>,
    /// Whether the default features are wanted.
    pub default_features: bool,
}

/// What a package's manifest and the lockfile above it say.
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    /// The edition of the package, "2015" where the manifest does not say.
    pub edition: String,
    /// Crates by the name that code uses.
    crates: BTreeMap<String, Requirement>,
    /// The versions in the lockfile, by package.
    locked: BTreeMap<String, Vec<Version>>,
}

impl Requirements {
    /// Reads the manifest of a package, of the workspace around it, and the nearest lockfile. What cannot be read is as if it were not there.
    pub fn of(package: &Package) -> Requirements {
        let mut requirements = Requirements { edition: "2015".to_owned(), ..Requirements::default() };
        let Some(table) = read(&package.root.join("Cargo.toml")) else {
            // Plain files: today's Rust.
            requirements.edition = "2024".to_owned();
            return requirements;
        };
        let workspace = workspace_table(&package.root, &table);
        let inherited = |key: &str| workspace.as_ref()?.get("package")?.get(key)?.as_str();
        if let Some(edition) = table.get("package").and_then(|package| package.get("edition")) {
            requirements.edition = edition.as_str().or_else(|| inherited("edition")).unwrap_or("2021").to_owned();
        }
        let of_workspace = workspace.as_ref().and_then(|workspace| workspace.get("dependencies"));
        let mut tables: Vec<&Table> = table.get("dependencies").and_then(Value::as_table).into_iter().collect();
        for target in table.get("target").and_then(Value::as_table).into_iter().flat_map(|targets| targets.values()) {
            tables.extend(target.get("dependencies").and_then(Value::as_table));
        }
        for (name, value) in tables.into_iter().flatten() {
            let requirement = requirement(name, value, of_workspace.and_then(|table| table.get(name)));
            requirements.crates.entry(name.replace('-', "_")).or_insert(requirement);
        }
        requirements.locked =
            package.root.ancestors().find_map(|folder| locked(&folder.join("Cargo.lock"))).unwrap_or_default();
        requirements
    }

    /// The names that code uses for the crates.
    pub fn names(&self) -> BTreeSet<String> {
        self.crates.keys().cloned().collect()
    }

    /// The crate of that name in code, or that code has another name for: see [`Requirements::renamed`].
    pub fn get(&self, name: &str) -> Option<&Requirement> {
        let by_package = || self.crates.get(self.renamed().find(|(_, usual)| usual == name)?.0);
        self.crates.get(name).or_else(by_package)
    }

    /// The crates that code calls otherwise than everybody does: its name for each, and the usual one. Those with a usual name that means
    /// another crate here, or that have several, are left out.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, String)> {
        let usual = |required: &Requirement| required.package.replace('-', "_");
        self.crates.iter().map(move |(name, required)| (name.as_str(), usual(required))).filter(move |(name, of)| {
            of != name
                && !self.crates.contains_key(of)
                && self.crates.values().filter(|other| usual(other) == *of).count() == 1
        })
    }

    /// The version of the crate `http` that the package's HTTP client has its header types from.
    pub fn version_of_http(&self) -> String {
        let is_old = |client: &str, last_old: Version| {
            let required = self.crates.get(client)?;
            let locked = self.locked(&required.package, &required.version).cloned();
            let oldest = || required.version.trim_start_matches(['^', '~', '=', ' ']).to_owned();
            let version = locked.or_else(|| Version::parse(&padded(&oldest())).ok())?;
            Some(version < last_old)
        };
        let first = |name: &str, major: u64, minor: u64| is_old(name, Version::new(major, minor, 0));
        if first("reqwest", 0, 10).unwrap_or(false) {
            return "0.1".to_owned();
        }
        let is_old = first("reqwest", 0, 12).or_else(|| first("hyper", 1, 0)).or_else(|| first("axum", 0, 7));
        if is_old.unwrap_or(false) { "0.2".to_owned() } else { "1".to_owned() }
    }

    /// The version of a package that the lockfile has and the requirement allows, the newest if there are several.
    pub fn locked(&self, package: &str, requirement: &str) -> Option<&Version> {
        let allowed = VersionReq::parse(requirement).unwrap_or(VersionReq::STAR);
        self.locked.get(package)?.iter().filter(|version| allowed.matches(version)).max()
    }
}

/// `1.2` as `1.2.0`.
fn padded(version: &str) -> String {
    let parts = version.split('.').count();
    format!("{version}{}", ".0".repeat(3_usize.saturating_sub(parts)))
}

fn requirement(name: &str, value: &Value, of_workspace: Option<&Value>) -> Requirement {
    let inherits = value.get("workspace").and_then(Value::as_bool).unwrap_or(false);
    let base = if inherits { of_workspace } else { None };
    let text = |key: &str| {
        let own = value.get(key).or_else(|| base.and_then(|base| base.get(key)));
        own.and_then(Value::as_str).map(str::to_owned)
    };
    let version =
        value.as_str().or_else(|| base.and_then(Value::as_str)).map(str::to_owned).or_else(|| text("version"));
    let lists =
        [Some(value), base].into_iter().flatten().filter_map(|value| value.get("features").and_then(Value::as_array));
    let features = lists.flatten().filter_map(|feature| feature.as_str().map(str::to_owned));
    let default = [Some(value), base].into_iter().flatten().find_map(|value| {
        value.get("default-features").or_else(|| value.get("default_features")).and_then(Value::as_bool)
    });
    Requirement {
        package: text("package").unwrap_or_else(|| name.to_owned()),
        version: version.unwrap_or_else(|| "*".to_owned()),
        features: features.collect(),
        default_features: default.unwrap_or(true),
    }
}

/// `[workspace]` of the manifest itself or of one in a folder above.
fn workspace_table(root: &Path, own: &Table) -> Option<Table> {
    let of = |table: &Table| table.get("workspace").and_then(Value::as_table).cloned();
    of(own).or_else(|| root.ancestors().skip(1).find_map(|folder| of(&read(&folder.join("Cargo.toml"))?)))
}

fn read(path: &Path) -> Option<Table> {
    manifest::text_of(path).ok()?.trim_start_matches('\u{feff}').parse().ok()
}

fn locked(path: &Path) -> Option<BTreeMap<String, Vec<Version>>> {
    let facts = std::fs::metadata(path).ok()?;
    if !facts.is_file() || facts.len() > LOCK_SIZE_LIMIT {
        return None;
    }
    let table: Table = std::fs::read_to_string(path).ok()?.parse().ok()?;
    let mut versions: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for package in table.get("package")?.as_array()? {
        let (Some(name), Some(version)) = (package.get("name"), package.get("version")) else { continue };
        if let (Some(name), Some(Ok(version))) = (name.as_str(), version.as_str().map(Version::parse)) {
            versions.entry(name.to_owned()).or_default().push(version);
        }
    }
    Some(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lockfile_or_the_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "Cargo.toml",
            "[package]\nname = \"a\"\nedition = \"2021\"\n[dependencies]\nhttp = \"1\"\n[dependencies.date-lib]\npackage = \"httpdate\"\nversion = \"1.0\"\ndefault-features = false\nfeatures = [\"x\"]\n",
        );
        write(
            "Cargo.lock",
            "version = 4\n[[package]]\nname = \"http\"\nversion = \"0.2.12\"\n[[package]]\nname = \"http\"\nversion = \"1.3.1\"\n",
        );
        let package = Package {
            name: None,
            crate_name: "a".to_owned(),
            version: None,
            root: folder.path().to_owned(),
            crate_roots: Vec::new(),
            selected: true,
        };
        let requirements = Requirements::of(&package);
        assert_eq!(requirements.edition, "2021");
        assert_eq!(requirements.locked("http", "1").unwrap().to_string(), "1.3.1");
        assert_eq!(requirements.locked("httpdate", "1"), None);
        let date = requirements.get("date_lib").unwrap();
        assert_eq!((&*date.package, &*date.version, date.default_features), ("httpdate", "1.0", false));
        assert_eq!(date.features, ["x"]);
    }
}
