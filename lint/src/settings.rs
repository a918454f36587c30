//! Settings: what configuration files say about levels, names and paths, and where each thing was said.
//!
//! A file's settings are a `Layer`. For a package they are, the later one over the earlier: `[workspace.metadata.retry-after]` and `retry-after.toml` of the
//! workspace, then `[package.metadata.retry-after]` and `retry-after.toml` of the package. Flags of the command line come over all of them.
//! Levels and overrides are asked for a file, names for the package whose code is looked at.

mod show;
mod table;
mod target;
#[cfg(test)]
mod tests;

pub use show::show;
pub use target::{Target, page};

use crate::diagnostic::Level;
use crate::ir::FileId;
use crate::names::Vocabulary;
use crate::workspace::{self, Root, Workspace};
use globset::GlobMatcher;
use std::fmt;
use std::path::{Path, PathBuf};
use table::Place;

/// The file that holds settings, in the folder of a workspace, a package or of files without a manifest.
pub const FILE: &str = "retry-after.toml";

/// The settings of everything that one root holds.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    layers: Vec<Layer>,
    /// For each package, its layers, the weakest first.
    by_package: Vec<Vec<usize>>,
}

/// The settings of one table in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    /// How messages name the file.
    file: String,
    /// The folder of the file, which its paths are relative to.
    folder: PathBuf,
    /// The table in a manifest; empty in a file of its own.
    table: String,
    levels: Vec<LevelAt>,
    overrides: Vec<Override>,
    exclude: Vec<Said<Pattern>>,
    headers: Vec<Said<String>>,
    sleeps: Vec<Said<String>>,
    date_parsers: Vec<Said<String>>,
    safe_helpers: Vec<Said<String>>,
}

/// A level, and what it is given to.
type LevelAt = Said<(Target, Level)>;

/// Levels for some of the files.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    paths: Vec<Said<Pattern>>,
    levels: Vec<LevelAt>,
}

/// Something that was said in a line of a file.
#[derive(Clone, Debug)]
pub(crate) struct Said<T> {
    value: T,
    line: u32,
}

/// Files, as a glob that also stands for all that lies below what it matches.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    glob: GlobMatcher,
}

/// A level and where it was set: a file and a line; None for the rule's own.
type Decided<'a> = (Level, Option<(&'a Layer, u32)>);

/// Why settings cannot be obeyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    fn new(message: String) -> Self {
        Error { message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Settings {
    /// Reads the files that hold for a root. A file that was named takes the place of every other one. What is published says nothing about
    /// how it is linted, so a root of published sources has only the named file.
    ///
    /// # Errors
    ///
    /// A file that is no TOML, a key or value that is not known, or a named file that cannot be read, with the file and the line.
    /// A manifest that cannot be read is left to those who look for packages in it.
    pub fn find(root: &Root, named: Option<&Path>, folder: &Path) -> Result<Settings, Error> {
        let mut settings = Settings::default();
        if let Some(named) = named {
            let text = workspace::text_of(named)
                .map_err(|reason| Error::new(format!("cannot read `{}`: {reason}", named.display())))?;
            let absolute = std::path::absolute(named).unwrap_or_else(|_| named.to_owned());
            settings.layers.extend(table::read(&absolute, &named.display().to_string(), &text, Place::Whole)?);
        }
        for package in &root.workspace.packages {
            let mut layers = Vec::new();
            if named.is_some() {
                layers.extend(0..settings.layers.len());
            } else if !root.versioned {
                for (file, place) in candidates(package.name.is_some(), &package.root) {
                    layers.extend(settings.take(&file, place, folder)?);
                }
            }
            settings.by_package.push(layers);
        }
        Ok(settings)
    }

    /// Reads one table of one file, unless it was read for another package. None where there is none.
    fn take(&mut self, file: &Path, place: Place, folder: &Path) -> Result<Option<usize>, Error> {
        let name = shown(file, folder);
        let known = self.layers.iter().position(|layer| layer.file == name && layer.is_at(place));
        if known.is_some() || !file.exists() {
            return Ok(known);
        }
        let text = match workspace::text_of(file) {
            Ok(text) => text,
            Err(reason) if place == Place::Whole => {
                return Err(Error::new(format!("{name}: cannot be read: {reason}")));
            }
            Err(_) => return Ok(None),
        };
        // Most manifests hold no settings, and need not be parsed once more to see that. An escape may spell the name in another way.
        if place != Place::Whole && !names_settings(&text) {
            return Ok(None);
        }
        let layer = match table::read(file, &name, &text, place) {
            // A manifest that is no TOML has been told of already, or is nobody's.
            Err(_) if place != Place::Whole && text.parse::<toml::Table>().is_err() => None,
            layer => layer?,
        };
        self.layers.extend(layer.clone());
        Ok(layer.map(|_| self.layers.len() - 1))
    }

    /// The level of a rule in a file, before any flag.
    pub fn level(&self, workspace: &Workspace, file: FileId, rule: &str, own: Level) -> Level {
        let file = workspace.file(file);
        self.decided(file.package as usize, Some(&file.path), rule, own).0
    }

    /// The level of a rule in a package, or in a file of it, with the place that decided it.
    fn decided(&self, package: usize, path: Option<&Path>, rule: &str, own: Level) -> Decided<'_> {
        let mut decided: Decided<'_> = (own, None);
        for layer in self.layers_of(package) {
            let here = layer.overrides.iter().filter(|over| {
                path.is_some_and(|path| over.paths.iter().any(|pattern| pattern.value.matches(&layer.folder, path)))
            });
            for said in layer.levels.iter().chain(here.flat_map(|over| &over.levels)) {
                let (target, level) = said.value;
                if target.applies_to(rule) {
                    decided = (level, Some((layer, said.line)));
                }
            }
        }
        decided
    }

    /// The names that each package declares: its workspace's and its own.
    pub fn vocabularies(&self) -> Vec<Vocabulary> {
        let names = |list: &[Said<String>]| list.iter().map(|said| said.value.clone()).collect();
        let of = |package: usize| {
            let mut all = Vocabulary::default();
            for layer in self.layers_of(package) {
                all.extend(&Vocabulary {
                    headers: names(&layer.headers),
                    sleeps: names(&layer.sleeps),
                    date_parsers: names(&layer.date_parsers),
                    safe_helpers: names(&layer.safe_helpers),
                });
            }
            all
        };
        (0..self.by_package.len()).map(of).collect()
    }

    /// The patterns that match no file of the root, as messages with their lines. Only a whole workspace tells.
    pub fn unmatched(&self, root: &Root) -> Vec<String> {
        let mut messages = Vec::new();
        for layer in &self.layers {
            let lists = std::iter::once(("exclude", &layer.exclude))
                .chain(layer.overrides.iter().map(|over| ("paths", &over.paths)));
            for (key, said) in lists.flat_map(|(key, list)| list.iter().map(move |said| (key, said))) {
                let matches = |path: &Path| said.value.matches(&layer.folder, path);
                let lies_below = root.workspace.packages.iter().any(|package| package.root.starts_with(&layer.folder));
                if lies_below && !root.workspace.files.iter().any(|file| matches(&file.path)) {
                    messages.push(format!(
                        "{}: `{}` in `{key}` matches no file",
                        layer.line(said.line),
                        said.value.text
                    ));
                }
            }
        }
        messages
    }

    /// Takes the excluded files out of the root, but for those that were named themselves.
    pub fn exclude(&self, root: &mut Root) {
        if self.layers.iter().all(|layer| layer.exclude.is_empty()) {
            return;
        }
        let named: Vec<PathBuf> = root.named.iter().map(|id| root.workspace.file(*id).path.clone()).collect();
        root.workspace.files.retain(|file| {
            named.contains(&file.path)
                || !self
                    .layers_of(file.package as usize)
                    .any(|layer| layer.exclude.iter().any(|pattern| pattern.value.matches(&layer.folder, &file.path)))
        });
        let files = root.workspace.files.iter().enumerate();
        root.named =
            files.filter(|(_, file)| named.contains(&file.path)).map(|(index, _)| FileId(index as u32)).collect();
    }

    fn layers_of(&self, package: usize) -> impl Iterator<Item = &Layer> {
        self.by_package.get(package).into_iter().flatten().map(|index| &self.layers[*index])
    }
}

impl Layer {
    fn is_at(&self, place: Place) -> bool {
        match place {
            Place::Whole => self.table.is_empty(),
            Place::Workspace => self.table.starts_with("workspace"),
            Place::Package => self.table.starts_with("package"),
        }
    }

    /// How a line of it is named: `Cargo.toml:7`.
    fn line(&self, line: u32) -> String {
        format!("{}:{line}", self.file)
    }
}

impl Pattern {
    fn matches(&self, folder: &Path, path: &Path) -> bool {
        let Ok(inside) = path.strip_prefix(folder) else { return false };
        inside.ancestors().any(|part| !part.as_os_str().is_empty() && self.glob.is_match(part))
    }
}

/// The files that may hold settings for a package, or for files without a manifest, the weakest first.
fn candidates(has_manifest: bool, folder: &Path) -> Vec<(PathBuf, Place)> {
    if !has_manifest {
        // The nearest one; a repository's folder is as far as it is looked for.
        let mut above = Vec::new();
        for folder in folder.ancestors() {
            above.push(folder.join(FILE));
            if folder.join(".git").exists() {
                break;
            }
        }
        return above.into_iter().find(|file| file.is_file()).map(|file| (file, Place::Whole)).into_iter().collect();
    }
    let top = workspace::workspace_folder(folder);
    let mut files = vec![(top.join("Cargo.toml"), Place::Workspace), (top.join(FILE), Place::Whole)];
    files.push((folder.join("Cargo.toml"), Place::Package));
    if top != folder {
        files.push((folder.join(FILE), Place::Whole));
    }
    files
}

fn shown(file: &Path, folder: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap_or(file);
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// Whether a manifest may hold settings, or what was meant for them. An escape may spell the name in another way.
fn names_settings(text: &str) -> bool {
    ["retry-after", "retry_after", "\\"].iter().any(|word| text.contains(word))
}
