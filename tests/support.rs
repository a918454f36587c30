//! A checkout made by the test, and the binary run on it.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Code with one place where a long wait is cut short.
pub(crate) const CAPPED: &str = r#"use std::time::Duration;

pub fn send(client: &Client) -> Response {
    loop {
        let response = client.send();
        if response.status() != 429 {
            return response;
        }
        let secs: u64 = match response.headers().get("retry-after").and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok()) {
            Some(secs) => secs,
            None => 5,
        };
        std::thread::sleep(Duration::from_secs(secs.min(60).max(5)));
    }
}
"#;

/// A folder of files.
pub(crate) struct Checkout {
    folder: TempDir,
}

impl Checkout {
    /// With the files, each a path and its text.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let checkout = Checkout { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            checkout.write(path, text);
        }
        checkout
    }

    /// A package with one library file.
    pub(crate) fn package(library: &str) -> Self {
        Checkout::new(&[("Cargo.toml", &manifest("client")), ("src/lib.rs", library)])
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A script that leaves a mark in the folder `marks` when it is run, and fails.
    #[cfg(unix)]
    pub(crate) fn trap(&self, path: &str, marks: &Path) {
        use std::os::unix::fs::PermissionsExt;
        self.write(path, format!("#!/bin/sh\necho \"$0\" \"$@\" >> '{}/mark'\nexit 1\n", marks.display()));
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Every file and folder with what it holds, to see that nothing was changed.
    pub(crate) fn listing(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = BTreeMap::new();
        let mut open = vec![self.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path.clone());
                }
                let text = if path.is_file() { fs::read(&path).ok() } else { None };
                all.insert(path, text);
            }
        }
        all
    }
}

/// A manifest of a package.
pub(crate) fn manifest(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
}

/// What a run came to.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Standard output as JSON, which must be all that is on it.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The findings as `rule file:line`.
    pub(crate) fn findings(&self) -> Vec<String> {
        let json = self.json();
        let findings = json["findings"].as_array().unwrap().iter();
        findings
            .map(|f| format!("{} {}:{}", f["rule"].as_str().unwrap(), f["file"].as_str().unwrap(), f["line"]))
            .collect()
    }

    /// What could not be read, with the reason.
    pub(crate) fn unreadable(&self) -> BTreeMap<String, String> {
        let json = self.json();
        let files = json["unreadable"].as_array().unwrap().iter();
        files.map(|f| (f["file"].as_str().unwrap().to_owned(), f["message"].as_str().unwrap().to_owned())).collect()
    }
}

/// The built binary. It is built here, because cargo builds no binary of another package for a test.
pub(crate) fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let mut build = std::process::Command::new(env!("CARGO"));
        build.current_dir(root()).args([
            "build",
            "--quiet",
            "--package",
            "cargo-retry-after",
            "--message-format",
            "json",
        ]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let output = build.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let built = messages.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
        built.expect("cargo names the binary")
    })
}

/// The workspace of these tests.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The binary in the folder, without the variables that the cargo which runs these tests has set.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(folder).timeout(std::time::Duration::from_secs(120));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let of_cargo = text.starts_with("CARGO") && text != "CARGO_HOME";
        if of_cargo || text == "RUSTUP_TOOLCHAIN" || text == "NO_COLOR" || text == "CLICOLOR_FORCE" {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs the binary in the folder.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Outcome {
    finish(command(folder).args(arguments))
}

/// Runs the command to its end.
pub(crate) fn finish(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Outcome {
        code: output.status.code().expect("it ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
