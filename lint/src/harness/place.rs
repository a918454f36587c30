//! Places: where a target's harness goes, and where its lockfile is.

use super::Error;
use super::build::program;
use crate::workspace::Root;
use std::path::{Path, PathBuf};

/// Where a target is and where its harness goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder for all that is written of this target.
    pub folder: PathBuf,
    /// The folder whose builds it shares: for a published crate that of all of them.
    pub shared: PathBuf,
    /// The folder that cargo is started in.
    pub start: PathBuf,
    /// The lockfile, if there is one.
    pub lockfile: Option<PathBuf>,
}

/// The name of the folder below a target folder.
const NAME: &str = "retry-after";

/// The place for a root. `target` is the target folder that was named; else it is `CARGO_TARGET_DIR` or the one that cargo says, and for a
/// published crate that of the current folder.
///
/// # Errors
///
/// When the current folder is not known.
pub fn of(root: &Root, target: Option<&Path>) -> Result<Place, Error> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Error::io("find", path, &error));
    let named = target.map(Path::to_owned);
    let named =
        named.or_else(|| std::env::var_os("CARGO_TARGET_DIR").filter(|path| !path.is_empty()).map(PathBuf::from));
    let package = root.workspace.packages.iter().find(|package| package.selected);
    let package = package.or(root.workspace.packages.first());
    let Some(package) = package else { return Err(Error::new("there is no package")) };
    let exists = |path: PathBuf| Some(path).filter(|path| path.is_file());
    if root.versioned {
        let target = absolute(&named.unwrap_or_else(|| PathBuf::from("target")))?;
        let version = package.version.as_deref().unwrap_or("unknown");
        let name = format!("{}-{version}", package.name.as_deref().unwrap_or("crate"));
        let shared = target.join(NAME);
        let folder = shared.join(name);
        let lockfile = exists(package.root.join("Cargo.lock"));
        return Ok(Place { start: folder.clone(), folder, shared, lockfile });
    }
    let manifest = package.root.join("Cargo.toml");
    // Cargo's own word, with the checkout's configuration, which a build obeys as well.
    let mut command = cargo_metadata::MetadataCommand::new();
    command.cargo_path(program()).current_dir(&package.root).no_deps();
    let facts = if manifest.is_file() { command.exec().ok() } else { None };
    let top =
        facts.as_ref().map_or_else(|| package.root.clone(), |facts| facts.workspace_root.clone().into_std_path_buf());
    let own = facts.map_or_else(|| package.root.join("target"), |facts| facts.target_directory.into_std_path_buf());
    let target = match named {
        Some(named) => absolute(&named)?,
        None => own,
    };
    let folder = target.join(NAME);
    Ok(Place { shared: folder.clone(), folder, lockfile: exists(top.join("Cargo.lock")), start: top })
}
