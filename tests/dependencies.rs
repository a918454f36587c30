//! `--deps`: what a workspace is built of, from sources that the test puts where cargo keeps them.

use crate::support::{CAPPED, Checkout, Outcome, command, finish, manifest, run};
use std::process::Command;

const LOCK: &str = r#"version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["middle", "near"]

[[package]]
name = "near"
version = "0.1.0"

[[package]]
name = "middle"
version = "1.2.3"
source = "registry+https://example.org/index"
dependencies = ["client 0.1.0", "gone", "of-git"]

[[package]]
name = "client"
version = "0.1.0"
source = "registry+https://example.org/index"

[[package]]
name = "client"
version = "0.2.0"
source = "registry+https://example.org/index"

[[package]]
name = "gone"
version = "9.0.0"
source = "registry+https://example.org/index"

[[package]]
name = "of-git"
version = "0.1.0"
source = "git+https://example.org/x?branch=main#0123456789abcdef"
"#;

fn checkout() -> Checkout {
    let app = format!(
        "{}[dependencies]\nnear = {{ path = \"../near\" }}\n[package.metadata.retry-after.levels]\nall = \"allow\"\n",
        manifest("app")
    );
    let source = "home/registry/src/example";
    let suppressed = format!("// retry-after: allow-file(capped_hint, integer_only): says its author\n{CAPPED}");
    Checkout::new(&[
        ("app/Cargo.toml", &app),
        ("app/Cargo.lock", LOCK),
        ("app/src/lib.rs", CAPPED),
        ("near/Cargo.toml", &manifest("near")),
        ("near/src/lib.rs", "pub fn f() {}\n"),
        (&format!("{source}/middle-1.2.3/Cargo.toml"), &manifest("middle").replace("0.1.0", "1.2.3")),
        (&format!("{source}/middle-1.2.3/src/lib.rs"), "pub fn f() {}\n"),
        (&format!("{source}/middle-1.2.3/.cargo-ok"), ""),
        (&format!("{source}/client-0.1.0/Cargo.toml"), &manifest("client")),
        (&format!("{source}/client-0.1.0/src/lib.rs"), &suppressed),
        (&format!("{source}/client-0.1.0/.cargo-ok"), ""),
        (&format!("{source}/client-0.2.0/Cargo.toml"), &manifest("client").replace("0.1.0", "0.2.0")),
        (&format!("{source}/client-0.2.0/src/lib.rs"), CAPPED),
        (&format!("{source}/client-0.2.0/.cargo-ok"), ""),
        ("home/git/checkouts/x-77/0123456/.cargo-ok", ""),
        ("home/git/checkouts/x-77/0123456/Cargo.toml", "[workspace]\nmembers = [\"of-git\"]\n"),
        ("home/git/checkouts/x-77/0123456/of-git/Cargo.toml", &manifest("of-git")),
        ("home/git/checkouts/x-77/0123456/of-git/src/lib.rs", CAPPED),
    ])
}

fn lint(checkout: &Checkout, arguments: &[&str]) -> Outcome {
    let mut command = command(&checkout.at("app"));
    command.arg("lint").args(arguments).env("CARGO_HOME", checkout.at("home")).env("CARGO_NET_OFFLINE", "true");
    finish(&mut command)
}

#[test]
fn every_dependency_is_looked_at_and_what_brings_it_in_is_told() {
    let checkout = checkout();
    let before = checkout.listing();
    let outcome = lint(&checkout, &["--deps", "--format", "json"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let json = outcome.json();
    let found: Vec<String> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            format!(
                "{} {} {}:{}",
                f["package"].as_str().unwrap(),
                f["rule"].as_str().unwrap(),
                f["file"].as_str().unwrap(),
                f["line"]
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "client@0.1.0 integer_only src/lib.rs:10",
            "client@0.1.0 capped_hint src/lib.rs:14",
            "of-git@0.1.0 integer_only src/lib.rs:9",
            "of-git@0.1.0 capped_hint src/lib.rs:13",
        ],
        "the workspace's settings are about its own code, an author's suppressions about theirs, and client 0.2.0 is used by nobody"
    );
    assert_eq!(
        json["dependencies"][0],
        serde_json::json!({"package": "client@0.1.0", "path": ["client@0.1.0", "middle@1.2.3", "app@0.1.0"], "dependents": 1, "findings": 2})
    );
    assert_eq!(json["stats"]["packages"], 5);
    let missing = outcome.unreadable();
    assert_eq!(missing.keys().collect::<Vec<_>>(), ["gone@9.0.0"]);
    assert!(missing["gone@9.0.0"].starts_with("not looked at: "), "{missing:?}");
    let changed: Vec<_> = checkout
        .listing()
        .into_iter()
        .filter(|(path, text)| path.starts_with(checkout.at("app")) && before.get(path) != Some(text))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
}

#[test]
fn findings_are_grouped_by_package_under_what_brings_it_in() {
    let outcome = lint(&checkout(), &["--deps", "-A", "integer_only"]);
    let way = "client v0.1.0\n└── middle v1.2.3\n    └── app v0.1.0\n\nerror[capped_hint]";
    assert!(outcome.stdout.starts_with(way), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\nof-git v0.1.0\n└── middle v1.2.3\n"), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("2 of 5 dependencies have findings: client@0.1.0 (1), of-git@0.1.0 (1)"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn without_a_lock_file_it_is_an_error() {
    let outcome = run(Checkout::package(CAPPED).path(), &["--deps"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("cargo generate-lockfile"), "{}", outcome.stderr);
    assert_eq!(run(Checkout::new(&[("a.rs", CAPPED)]).path(), &["--deps", "a.rs"]).code, 2);
}

/// The ways are those that cargo knows: held against `cargo tree -i` on this workspace.
#[test]
fn what_is_reached_is_what_cargo_knows() {
    let root = crate::support::root();
    let outcome = run(root, &["--deps", "-p", "retry-after-core", "--format", "json"]);
    assert!(outcome.code < 2, "{}", outcome.stderr);
    let tree = Command::new(env!("CARGO"))
        .current_dir(root)
        .args([
            "tree",
            "--locked",
            "--offline",
            "-p",
            "retry-after-core",
            "--prefix",
            "none",
            "--target",
            "all",
            "--all-features",
            "-e",
            "all",
        ])
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names: std::collections::BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    let packages = outcome.json()["stats"]["packages"].as_u64().unwrap() as usize + outcome.unreadable().len();
    assert!(packages >= names.len(), "{packages} against {names:?}");
}

#[test]
fn a_forge_shows_a_dependency_where_it_is_locked() {
    let checkout = checkout();
    let lock = std::fs::read_to_string(checkout.at("app/Cargo.lock")).unwrap();
    let line = 1 + lock.lines().position(|line| line == "name = \"client\"").unwrap() - 1;
    let github = lint(&checkout, &["--deps", "--format", "github"]).stdout;
    assert!(
        github.starts_with(&format!("::error file=Cargo.lock,line={line},endLine={line},title=integer_only::")),
        "{github}"
    );
    assert!(github.contains("%0Ain client@0.1.0/src/lib.rs:10:"), "{github}");
    let gitlab = lint(&checkout, &["--deps", "--format", "gitlab"]).stdout;
    assert!(gitlab.contains("\"path\":\"Cargo.lock\"") && !gitlab.contains("\"path\":\"client"), "{gitlab}");
    let sarif = lint(&checkout, &["--deps", "--format", "sarif"]).json();
    let result = &sarif["runs"][0]["results"][0];
    let place = |location: &serde_json::Value| {
        location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(place(&result["locations"][0]), "Cargo.lock");
    assert!(place(&result["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]).starts_with("file:///"));
    assert!(lint(&checkout, &["--deps", "-q", "--format", "short"]).stderr.contains("gone@9.0.0:1: not looked at: "));
}
