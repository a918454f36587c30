//! `Cargo.lock`: every package that a workspace is built of, and which brings in which.

use super::Error;
use super::manifest;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use toml::{Table, Value};

/// A package as the lock file names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Locked {
    pub(super) name: String,
    pub(super) version: String,
    /// Where it comes from (`registry+https://..`, `git+https://..#commit`); None for a package of the workspace, or one named by a path.
    pub(super) source: Option<String>,
    /// The line of the lock file in which it begins.
    pub(super) line: u32,
}

/// The packages and their edges.
#[derive(Debug)]
pub(super) struct Lock {
    pub(super) packages: Vec<Locked>,
    /// For each package, those that it depends on.
    needs: Vec<Vec<usize>>,
}

/// A package that is reached from where one started.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reached {
    pub(super) package: usize,
    /// The shortest way back to a start, the package itself first.
    pub(super) way: Vec<usize>,
    /// How many of the packages that are reached depend on it directly.
    pub(super) dependents: usize,
}

impl Lock {
    /// Reads the file.
    pub(super) fn read(file: &Path) -> Result<Lock, Error> {
        let name = file.display();
        let text = manifest::text_of(file).map_err(|reason| {
            Error::new(format!(
                "cannot read `{name}`: {reason}; `cargo generate-lockfile` makes it, and --deps needs it"
            ))
        })?;
        Lock::parse(&text).map_err(|reason| Error::new(format!("`{name}` is no lock file: {reason}")))
    }

    fn parse(lines: &str) -> Result<Lock, String> {
        let table: Table = lines.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
        let entries = table.get("package").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        // Cargo writes one table after the other.
        let numbered = lines.lines().enumerate().filter(|(_, line)| line.trim() == "[[package]]");
        let starts = numbered.map(|(index, _)| index as u32 + 1).chain(std::iter::repeat(1));
        let packages: Vec<Locked> = entries
            .iter()
            .zip(starts)
            .map(|(entry, line)| {
                Some(Locked {
                    line,
                    name: text(entry, "name")?,
                    version: text(entry, "version")?,
                    source: text(entry, "source"),
                })
            })
            .collect::<Option<_>>()
            .ok_or("a package without name or version")?;
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, package) in packages.iter().enumerate() {
            by_name.entry(&package.name).or_default().push(index);
        }
        // `name`, `name version` or `name version (source)`, as much as tells it from others.
        let meant = |words: &str| {
            let mut words = words.splitn(3, ' ');
            let candidates = by_name.get(words.next()?)?;
            let (version, source) = (words.next(), words.next().map(|source| source.trim_matches(['(', ')'])));
            candidates.iter().copied().find(|index| {
                let package = &packages[*index];
                version.is_none_or(|version| version == package.version)
                    && source.is_none_or(|source| {
                        package.source.as_deref().is_some_and(|known| known == source || known.starts_with(source))
                    })
            })
        };
        let needs = entries.iter().map(|entry| {
            let list = entry.get("dependencies").and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).filter_map(meant).collect()
        });
        let needs = needs.collect();
        Ok(Lock { packages, needs })
    }

    /// Everything that is reached from the starts, but not those themselves; nearest first.
    pub(super) fn reached_from(&self, starts: &BTreeSet<usize>) -> Vec<Reached> {
        let mut from: BTreeMap<usize, Option<usize>> = starts.iter().map(|start| (*start, None)).collect();
        let mut open: VecDeque<usize> = starts.iter().copied().collect();
        let mut order = Vec::new();
        let mut dependents: BTreeMap<usize, usize> = BTreeMap::new();
        while let Some(package) = open.pop_front() {
            for &needed in &self.needs[package] {
                *dependents.entry(needed).or_default() += 1;
                if let std::collections::btree_map::Entry::Vacant(place) = from.entry(needed) {
                    place.insert(Some(package));
                    order.push(needed);
                    open.push_back(needed);
                }
            }
        }
        let way = |package: usize| {
            std::iter::successors(Some(package), |package| from.get(package).copied().flatten()).collect::<Vec<_>>()
        };
        order
            .into_iter()
            .map(|package| Reached {
                package,
                way: way(package),
                dependents: dependents.get(&package).copied().unwrap_or(0),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["a", "b 2.0.0"]
[[package]]
name = "a"
version = "1.0.0"
source = "registry+https://x"
dependencies = ["b 1.0.0", "c 1.0.0 (git+https://y)"]
[[package]]
name = "b"
version = "1.0.0"
source = "registry+https://x"
[[package]]
name = "b"
version = "2.0.0"
source = "registry+https://x"
dependencies = ["c 1.0.0 (git+https://y)"]
[[package]]
name = "c"
version = "1.0.0"
source = "registry+https://x"
[[package]]
name = "c"
version = "1.0.0"
source = "git+https://y#0123456789"
dependencies = ["a"]
"#;

    #[test]
    fn what_is_reached_is_known_with_its_shortest_way() {
        let lock = Lock::parse(LOCK).unwrap();
        let reached = lock.reached_from(&BTreeSet::from([0]));
        let told: Vec<(usize, Vec<usize>, usize)> =
            reached.into_iter().map(|reached| (reached.package, reached.way, reached.dependents)).collect();
        assert_eq!(
            told,
            [(1, vec![1, 0], 2), (3, vec![3, 0], 1), (2, vec![2, 1, 0], 1), (5, vec![5, 1, 0], 2)],
            "the c of the registry is reached by nobody"
        );
    }

    #[test]
    fn what_is_no_lock_file_is_told() {
        assert!(Lock::parse("[[package]]\nname = \"a\"\n").is_err());
        assert!(Lock::parse("[[package").is_err());
        assert!(Lock::parse("").unwrap().packages.is_empty());
    }
}
