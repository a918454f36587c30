//! Cargo, started so that it obeys nothing of the code that is looked at.
//!
//! Cargo takes its configuration (compiler, wrappers, credential helpers, aliases) from the folder it is started in and those above, and
//! from its home; rustup takes the toolchain from the folder it is started in and those above. So cargo is started in an empty folder of our own
//! that has nothing of that kind above it; to read manifests it is given an empty home as well.

use super::Error;
use super::program::{self, Output, is_inside};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Reading manifests takes a fraction of a second; a manifest that is a pipe would block for ever.
const READ_LIMIT: Duration = Duration::from_secs(60);
/// Fetching one crate, over a slow line.
const FETCH_LIMIT: Duration = Duration::from_secs(300);

/// Variables with these beginnings choose what cargo runs, or tell of the cargo that started us. The home, proxies, mirrors and tokens stay.
const DROPPED: &[&str] = &[
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "CARGO_BUILD_",
    "CARGO_ENCODED_",
    "CARGO_TARGET_",
    "CARGO_ALIAS_",
    "CARGO_UNSTABLE_",
    "CARGO_PROFILE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_BIN_",
    "CARGO_CRATE_",
    "CARGO_PRIMARY_",
    "CARGO_RUSTC_",
];

/// A cargo, and the empty folder it is started in.
pub(super) struct Cargo {
    program: PathBuf,
    folder: TempDir,
    avoid: Option<PathBuf>,
}

impl Cargo {
    /// The cargo that started us, else the first on the search path; never one inside the folder `avoid`.
    pub(super) fn find(avoid: Option<&Path>) -> Result<Cargo, Error> {
        let avoid = avoid.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        let program = program(avoid.as_deref()).ok_or_else(|| Error::new("no `cargo` on the search path"))?;
        let folder = neutral_folder(avoid.as_deref())?;
        Ok(Cargo { program, folder, avoid })
    }

    /// `cargo metadata --no-deps` of a manifest, which must be an absolute path.
    pub(super) fn metadata(&self, manifest: &Path) -> Result<cargo_metadata::Metadata, Error> {
        let home = self.folder.path().join("home");
        std::fs::create_dir_all(&home).map_err(|error| Error::new(super::plain(&error)))?;
        let mut command = self.command();
        command
            .env("CARGO_HOME", home)
            .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
            .arg(manifest);
        let output = run(command, READ_LIMIT)?;
        if !output.success {
            return Err(Error::new(first_error(&output.stderr)));
        }
        let text =
            String::from_utf8(output.stdout).map_err(|_| Error::new("cargo metadata printed what is not UTF-8"))?;
        cargo_metadata::MetadataCommand::parse(text).map_err(|error| Error::new(error.to_string()))
    }

    /// `cargo info NAME@VERSION`, which unpacks the crate's sources under cargo's home.
    pub(super) fn info(&self, spec: &str, offline: bool) -> Result<Output, Error> {
        // A workspace of our own, so that none is looked for above.
        let manifest = self.folder.path().join("Cargo.toml");
        std::fs::write(&manifest, "[workspace]\nresolver = \"2\"\n")
            .map_err(|error| Error::new(super::plain(&error)))?;
        let mut command = self.command();
        if let Some(home) = home() {
            command.env("CARGO_HOME", home);
        }
        command.arg("info");
        if offline {
            command.arg("--offline");
        }
        command.args(["--color", "never", "--"]).arg(spec);
        run(command, FETCH_LIMIT)
    }

    /// `cargo fetch --locked` of a manifest, which must be an absolute path: it puts what the lock file names under cargo's home, and writes nothing beside it.
    pub(super) fn fetch(&self, manifest: &Path) -> Result<Output, Error> {
        let mut command = self.command();
        if let Some(home) = home() {
            command.env("CARGO_HOME", home);
        }
        command.args(["fetch", "--locked", "--color", "never", "--manifest-path"]).arg(manifest);
        run(command, FETCH_LIMIT)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_dropped(name)) {
            command.env_remove(&name);
        }
        if let (Some(toolchain), Some(avoid)) = (std::env::var_os("RUSTUP_TOOLCHAIN"), &self.avoid)
            && is_inside(Path::new(&toolchain), avoid)
        {
            command.env_remove("RUSTUP_TOOLCHAIN");
        }
        command
    }
}

/// Cargo's home, absolute.
pub(super) fn home() -> Option<PathBuf> {
    match std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        Some(home) => std::path::absolute(home).ok(),
        None => std::env::home_dir().map(|home| home.join(".cargo")),
    }
}

fn is_dropped(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == "CARGO" || DROPPED.iter().any(|start| name.starts_with(start))
}

fn program(avoid: Option<&Path>) -> Option<PathBuf> {
    let name = format!("cargo{}", std::env::consts::EXE_SUFFIX);
    let started_by =
        std::env::var_os("CARGO").map(PathBuf::from).filter(|path| path.file_name() == Some(OsStr::new(&name)));
    program::find("cargo", started_by, avoid)
}

fn run(command: Command, limit: Duration) -> Result<Output, Error> {
    program::run(command, limit).map_err(Error::new)
}

/// An empty folder outside of `avoid` that has no configuration of cargo or rustup above it.
fn neutral_folder(avoid: Option<&Path>) -> Result<TempDir, Error> {
    let places = [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp"), PathBuf::from("/dev/shm")];
    for place in places {
        let Ok(place) = place.canonicalize() else { continue };
        if avoid.is_some_and(|avoid| place.starts_with(avoid)) || place.ancestors().any(configures) {
            continue;
        }
        if let Ok(folder) = tempfile::Builder::new().prefix("retry-after-").tempdir_in(place) {
            return Ok(folder);
        }
    }
    Err(Error::new("no folder for temporary files that is free of cargo configuration; set TMPDIR to one"))
}

fn configures(folder: &Path) -> bool {
    const FILES: [&str; 4] = [".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"];
    FILES.iter().any(|file| folder.join(file).symlink_metadata().is_ok())
}

/// Cargo's complaint without its progress lines: from `error:` on, in one line.
pub(super) fn first_error(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut lines = lines.skip_while(|line| !line.starts_with("error:")).peekable();
    if lines.peek().is_none() {
        return stderr.lines().last().unwrap_or("cargo failed and said nothing").trim().to_owned();
    }
    let text = lines.take(6).collect::<Vec<_>>().join(" ");
    text.trim_start_matches("error:").trim().replace("Caused by:", "because:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chooses_a_program_is_dropped_and_what_reaches_a_registry_stays() {
        for name in
            ["CARGO", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC", "CARGO_TARGET_DIR"]
        {
            assert!(is_dropped(OsStr::new(name)), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "RUSTUP_HOME",
            "RUSTUP_TOOLCHAIN",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "CARGO_REGISTRY_TOKEN",
            "PATH",
        ] {
            assert!(!is_dropped(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn a_folder_with_configuration_above_is_not_neutral() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!configures(folder.path()));
        std::fs::write(folder.path().join("rust-toolchain"), "stable").unwrap();
        assert!(configures(folder.path()));
    }

    #[test]
    fn the_complaint_is_told_without_progress() {
        let text = "    Updating index\nerror: failed to parse manifest\n\nCaused by:\n  no such registry\n";
        assert_eq!(first_error(text), "failed to parse manifest because: no such registry");
    }
}
