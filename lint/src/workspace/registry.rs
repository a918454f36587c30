//! Published crates: fetched by cargo under its home, where it keeps the sources of dependencies as well.

use super::cargo::{self, Cargo};
use super::{Error, Root, paths};
use std::path::{Path, PathBuf};

/// Finds or fetches `NAME` or `NAME@VERSION`.
pub(super) fn discover(spec: &str) -> Result<Root, Error> {
    let (name, version) = spec.split_once('@').map_or((spec, None), |(name, version)| (name, Some(version)));
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte))
    };
    if !is_word(name) || name.starts_with('-') || !version.is_none_or(is_word) {
        return Err(Error::new(format!("`{spec}` names no crate: use NAME or NAME@VERSION")));
    }
    let home = cargo::home().ok_or_else(|| Error::new("neither CARGO_HOME nor a home folder is set"))?;
    // A full version that is there already needs no cargo.
    let there = version.and_then(|version| unpacked(&home, name, version.trim_start_matches('=')));
    let folder = there.map_or_else(|| fetch(&home, spec, name), Ok)?;
    let mut root = paths::discover_crate(&folder);
    root.versioned = true;
    Ok(root)
}

/// Has cargo fetch and unpack it; without a network, what was fetched before will do.
fn fetch(home: &Path, spec: &str, name: &str) -> Result<PathBuf, Error> {
    let failed = |reason: &str| Error::new(format!("cannot fetch crate `{spec}`: {reason}"));
    let cargo = Cargo::find(None).map_err(|error| failed(&error.to_string()))?;
    let mut output = cargo.info(spec, false)?;
    if !output.success {
        let reason = cargo::first_error(&output.stderr);
        output = cargo.info(spec, true)?;
        if !output.success {
            return Err(failed(&reason));
        }
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().find_map(|line| line.strip_prefix("version:")?.split_whitespace().next());
    let version = version.ok_or_else(|| failed("cargo did not say which version it is"))?;
    let folder = unpacked(home, name, version);
    folder.ok_or_else(|| failed("cargo fetched it, but its sources are not under cargo's home"))
}

/// The folder of the unpacked sources, the youngest when several registries have a crate of the name and version.
pub(super) fn unpacked(home: &Path, name: &str, version: &str) -> Option<PathBuf> {
    let registries = std::fs::read_dir(home.join("registry").join("src")).ok()?;
    let folders = registries.flatten().map(|registry| registry.path().join(format!("{name}-{version}")));
    // Cargo writes this file last: without it, the folder may be half unpacked.
    let complete =
        folders.filter_map(|folder| Some((folder.join(".cargo-ok").metadata().ok()?.modified().ok()?, folder)));
    complete.max().map(|(_, folder)| folder)
}
