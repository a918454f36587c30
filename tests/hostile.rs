//! Checkouts that want to be run: whatever they try, it is only read.
//!
//! Each hazard is a script that leaves a mark. It is shown first to be live, where cargo started inside the checkout would run it.

#![cfg(unix)]

use crate::support::{CAPPED, Checkout, command, finish};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A checkout with something that must not run, and the folder where the mark would be.
struct Trap {
    checkout: Checkout,
    marks: TempDir,
}

impl Trap {
    fn new(set: impl Fn(&Checkout, &Path)) -> Self {
        let trap = Trap { checkout: Checkout::package(CAPPED), marks: tempfile::tempdir().unwrap() };
        set(&trap.checkout, trap.marks.path());
        trap
    }

    fn has_mark(&self) -> bool {
        self.marks.path().join("mark").exists()
    }

    /// Shows that cargo, started inside, runs it; so that what follows proves something.
    fn is_live(&self, arguments: &[&str]) {
        let target = tempfile::tempdir().unwrap();
        let mut cargo = Command::new("cargo");
        for variable in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
            cargo.env_remove(variable);
        }
        cargo
            .current_dir(self.checkout.path())
            .env("CARGO_TARGET_DIR", target.path())
            .args(arguments)
            .output()
            .unwrap();
        assert!(self.has_mark(), "cargo {arguments:?} does not spring the trap");
        std::fs::remove_file(self.marks.path().join("mark")).unwrap();
        // What cargo wrote itself.
        let _ = std::fs::remove_file(self.checkout.at("Cargo.lock"));
    }

    /// Lints it in every way and looks for the mark and for any change.
    fn is_only_read(&self) {
        self.is_only_read_with(&[]);
    }

    fn is_only_read_with(&self, variables: &[(&str, &str)]) {
        let before = self.checkout.listing();
        let outside = tempfile::tempdir().unwrap();
        let path = self.checkout.path().to_str().unwrap();
        let manifest = self.checkout.at("Cargo.toml");
        let manifest = manifest.to_str().unwrap();
        let ways: [(&Path, &[&str]); 5] = [
            (outside.path(), &["lint", "--format", "json", path]),
            (outside.path(), &["lint", "--format", "json", "--manifest-path", manifest]),
            (self.checkout.path(), &["lint", "--format", "json"]),
            (self.checkout.path(), &["retry-after", "--format", "json", "--workspace"]),
            (self.checkout.path(), &["lint", "--format", "json", "."]),
        ];
        for (folder, arguments) in ways {
            let outcome = finish(command(folder).args(arguments).envs(variables.iter().copied()));
            assert!(outcome.code < 2, "{arguments:?}: {}", outcome.stderr);
            assert_eq!(outcome.json()["stats"]["packages"], 1, "{arguments:?}: {}", outcome.stdout);
            assert_eq!(outcome.findings(), ["integer_only src/lib.rs:9", "capped_hint src/lib.rs:13"], "{arguments:?}");
            assert!(
                !self.has_mark(),
                "{arguments:?} ran {}",
                std::fs::read_to_string(self.marks.path().join("mark")).unwrap()
            );
            assert!(self.checkout.listing() == before, "{arguments:?} changed the checkout");
        }
    }
}

#[test]
fn a_build_script_is_not_run() {
    let trap = Trap::new(|checkout, marks| {
        checkout
            .write("build.rs", format!("fn main() {{ std::fs::write(\"{}/mark\", \"\").unwrap(); }}", marks.display()));
        checkout.write("src/lib.rs", "");
    });
    trap.is_live(&["check", "--offline"]);
    trap.checkout.write("src/lib.rs", CAPPED);
    trap.is_only_read();
}

#[test]
fn a_compiler_of_its_configuration_is_not_run() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/rustc", marks);
        checkout.write(".cargo/config.toml", format!("[build]\nrustc = \"{}\"\n", checkout.at("tool/rustc").display()));
    });
    trap.is_live(&["check", "--offline"]);
    trap.is_only_read();
}

#[test]
fn a_wrapper_of_its_configuration_is_not_run() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/wrapper", marks);
        checkout.write(
            ".cargo/config.toml",
            format!(
                "[build]\nrustc-wrapper = \"{0}\"\nrustc-workspace-wrapper = \"{0}\"\n",
                checkout.at("tool/wrapper").display()
            ),
        );
    });
    trap.is_live(&["check", "--offline"]);
    trap.is_only_read();
}

#[test]
fn a_credential_helper_of_its_configuration_is_not_run() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/credentials", marks);
        let helper = checkout.at("tool/credentials");
        let helper = helper.display();
        checkout.write(
            ".cargo/config.toml",
            format!(
                "[registry]\nglobal-credential-providers = [\"{helper}\"]\n[registries.own]\nindex = \"sparse+http://127.0.0.1:9/\"\n\
                 credential-provider = [\"{helper}\"]\n[credential-alias]\n\"cargo:token\" = [\"{helper}\"]\n"
            ),
        );
    });
    trap.is_live(&["logout", "--registry", "own"]);
    trap.is_only_read();
    // A dependency from the registry that only its configuration knows: cargo cannot read the manifest then, and the manifest is read without it.
    let manifest = std::fs::read_to_string(trap.checkout.at("Cargo.toml")).unwrap();
    trap.checkout
        .write("Cargo.toml", format!("{manifest}[dependencies]\nsecret = {{ version = \"1\", registry = \"own\" }}\n"));
    trap.is_only_read();
}

#[test]
fn a_toolchain_by_path_is_not_run() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/bin/cargo", marks);
        checkout.trap("tool/bin/rustc", marks);
        checkout.write("rust-toolchain.toml", format!("[toolchain]\npath = \"{}\"\n", checkout.at("tool").display()));
    });
    if Command::new("rustup").arg("--version").output().is_ok_and(|output| output.status.success()) {
        trap.is_live(&["--version"]);
    }
    trap.is_only_read();
}

#[test]
fn an_alias_is_not_obeyed() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/rustc", marks);
        checkout.write(
            ".cargo/config.toml",
            format!(
                "[alias]\nmetadata = \"check\"\nretry-after = \"check\"\nlint = \"check\"\n[build]\nrustc = \"{}\"\n",
                checkout.at("tool/rustc").display()
            ),
        );
    });
    trap.is_live(&["retry-after", "--offline"]);
    trap.is_only_read();
}

#[test]
fn a_home_of_cargo_inside_the_checkout_configures_nothing() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/rustc", marks);
        checkout.write(
            ".cargo/config.toml",
            format!("[build]\nrustc = \"{0}\"\nrustc-wrapper = \"{0}\"\n", checkout.at("tool/rustc").display()),
        );
    });
    let home = trap.checkout.at(".cargo");
    trap.is_only_read_with(&[("CARGO_HOME", home.to_str().unwrap())]);
}

#[test]
fn a_cargo_on_the_search_path_inside_the_checkout_is_not_run() {
    let trap = Trap::new(|checkout, marks| checkout.trap("cargo", marks));
    let inside = trap.checkout.path().to_str().unwrap();
    let path = format!(".:{inside}:{}", std::env::var("PATH").unwrap());
    let cargo = trap.checkout.at("cargo");
    trap.is_only_read_with(&[("PATH", &path), ("CARGO", cargo.to_str().unwrap())]);
}

#[test]
fn a_folder_for_temporary_files_inside_the_checkout_is_not_used() {
    let trap = Trap::new(|checkout, marks| {
        checkout.trap("tool/rustc", marks);
        checkout.write("tmp/keep", "");
        checkout.write(".cargo/config.toml", format!("[build]\nrustc = \"{}\"\n", checkout.at("tool/rustc").display()));
    });
    let inside = trap.checkout.at("tmp");
    trap.is_only_read_with(&[("TMPDIR", inside.to_str().unwrap())]);
}

#[test]
fn a_manifest_that_is_a_pipe_blocks_nobody() {
    let checkout = Checkout::new(&[("src/lib.rs", CAPPED)]);
    assert!(Command::new("mkfifo").arg(checkout.at("Cargo.toml")).status().unwrap().success());
    let outcome = finish(command(checkout.path()).args(["lint", "--format", "json", "."]));
    assert_eq!(outcome.findings().len(), 2, "{}", outcome.stdout);
    assert_eq!(finish(command(checkout.path()).args(["lint", "--manifest-path", "Cargo.toml"])).code, 2);
}
