//! Repositories: which of them the files lie in, and which of them holds which.
//!
//! The base is a commit of the repository around what is looked at. In a submodule below it, what is there is compared with the commit that the base names for the
//! submodule, wherever the submodule itself stands; a repository that the outer one knows nothing of is new altogether.

use super::git::Git;
use super::{Changes, Error, nearest_repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What has changed in the repositories around the files, group by group, each with the folder that holds it.
pub(super) fn changes_since(groups: &[(PathBuf, Vec<&Path>)], base: &str) -> Result<Vec<Changes>, Error> {
    // Each repository, with the one that it is looked at from.
    let mut repositories: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for (anchor, files) in groups {
        let anchor = anchor.canonicalize().unwrap_or_else(|_| anchor.clone());
        let around = nearest_repository(&anchor);
        let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
        let mut is_any = false;
        for folder in folders {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            let chain: Vec<&Path> = folder.ancestors().filter(|above| above.join(".git").exists()).collect();
            let Some(nearest) = chain.first() else {
                if around.is_none() && folder.starts_with(&anchor) {
                    return Err(none_around(&folder, base));
                }
                continue;
            };
            // Seen from the anchor's own repository, or from the outermost one below the anchor, or by itself.
            let top = match around {
                Some(around) if folder.starts_with(around) => around,
                _ => chain.iter().rev().find(|above| above.starts_with(&anchor)).unwrap_or(nearest),
            };
            for repository in chain.iter().filter(|repository| repository.starts_with(top)) {
                repositories.entry(repository.to_path_buf()).or_insert_with(|| top.to_owned());
            }
            is_any = true;
        }
        if !is_any {
            return Err(none_around(&anchor, base));
        }
    }
    let mut all = Vec::new();
    let mut known: BTreeMap<PathBuf, (Git, Option<String>)> = BTreeMap::new();
    // An outer one comes before those in it.
    for (folder, top) in repositories {
        let git = Git::open(&folder)?;
        let outer = folder.ancestors().skip(1).find(|above| above.starts_with(&top) && known.contains_key(*above));
        let commit = match outer.and_then(|outer| Some((outer, known.get(outer)?))) {
            None => Some(git.ancestor(base)?),
            Some((outer, (outer_git, outer_commit))) => {
                let path = folder.strip_prefix(outer).unwrap_or(&folder);
                let named =
                    outer_commit.as_ref().map(|commit| outer_git.submodule(commit, path)).transpose()?.flatten();
                match named {
                    Some(commit) => Some(git.submodule_commit(&commit, base)?),
                    // What the outer repository is told to leave alone has a history of its own.
                    None if outer_git.ignores(path)? => Some(git.ancestor(base)?),
                    None => None,
                }
            }
        };
        all.push(match &commit {
            Some(commit) => git.changes_since(commit, base)?,
            None => git.everything()?,
        });
        known.insert(folder, (git, commit));
    }
    Ok(all)
}

fn none_around(folder: &Path, base: &str) -> Error {
    Error::new(format!("`{}` is in no git repository, so nothing can have changed since `{base}`", folder.display()))
}
