//! The copy of a package's folder.

use crate::harness::Error;
use crate::harness::layout::write_bytes;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes that are copied.
const BYTES: u64 = 256 << 20;
/// The most files.
const FILES: usize = 20_000;

/// Copies a package's folder, each file as `changed` has it, and takes away what else is there. Other packages within it, build results and
/// what version control keeps are left out, and so is the manifest.
///
/// What is too much to copy is told as text.
pub(super) fn copy(
    from: &Path,
    to: &Path,
    harness: &Path,
    changed: &dyn Fn(&Path, &str) -> Option<String>,
) -> Result<Result<(), String>, Error> {
    let mut wanted = BTreeSet::from([to.join("Cargo.toml")]);
    let mut bytes = 0;
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let folder = from.join(&below);
        let entries = fs::read_dir(&folder).map_err(|error| Error::io("read", &folder, &error))?;
        for entry in entries.flatten() {
            let (path, below) = (entry.path(), below.join(entry.file_name()));
            // Links to folders may lead anywhere, also upwards.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                let is_other = entry.file_name() == ".git"
                    || below == Path::new("target")
                    || path == harness
                    || path.join("CACHEDIR.TAG").exists()
                    || path.join("Cargo.toml").exists();
                if !is_other {
                    open.push(below);
                }
                continue;
            }
            let Ok(facts) = fs::metadata(&path) else { continue };
            if !facts.is_file() || below == Path::new("Cargo.toml") || below == Path::new("Cargo.lock") {
                continue;
            }
            bytes += facts.len();
            if bytes > BYTES || wanted.len() > FILES {
                return Ok(Err(format!("the package has more than {FILES} files or {} MB", BYTES >> 20)));
            }
            let text = fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
            let text = match std::str::from_utf8(&text).ok().and_then(|text| changed(&below, text)) {
                Some(changed) => changed.into_bytes(),
                None => text,
            };
            write_bytes(&to.join(&below), &text)?;
            wanted.insert(to.join(&below));
        }
    }
    remove_others(to, &wanted)?;
    Ok(Ok(()))
}

fn remove_others(folder: &Path, wanted: &BTreeSet<PathBuf>) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, &error))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_others(&path, wanted)?;
        } else if !wanted.contains(&path) {
            fs::remove_file(&path).map_err(|error| Error::io("remove", &path, &error))?;
        }
    }
    Ok(())
}
