//! `compare --lift`: small packages taken whole. Each compiles, so there are few.

use crate::support::{Checkout, Outcome, command, finish};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Private modules, a clock, a receiver that is never looked into, a lint that would stop the build, and a package that inherits.
const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nmembers = [\"client\", \"broken\"]\nresolver = \"2\"\n[workspace.package]\nversion = \"0.3.0\"\nedition = \"2021\"\n",
    ),
    (
        "client/Cargo.toml",
        "[package]\nname = \"my-client\"\nversion.workspace = true\nedition.workspace = true\n[features]\nextra = []\n[lints.rust]\nunused = \"deny\"\n",
    ),
    (
        "client/src/lib.rs",
        r#"#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]
//! A client.

mod retry;
mod settings;

/// Sends.
pub struct Client {
    name: String,
}

impl Client {
    /// One.
    pub fn new() -> Client {
        Client { name: settings::NAME.to_string() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn parse_retry_after(&self, value: &str) -> Option<u64> {
        retry::inner::seconds(value)
    }

    /// How long to wait.
    pub fn wait(&self, retry_after: &str) -> std::time::Duration {
        match self.parse_retry_after(retry_after) {
            Some(secs) => std::time::Duration::from_secs(secs),
            None => retry::after(retry_after).unwrap_or(std::time::Duration::from_secs(9)),
        }
    }
}
"#,
    ),
    ("client/src/settings.rs", "pub(crate) const NAME: &str = env!(\"CARGO_PKG_NAME\");\n"),
    (
        "client/src/retry.rs",
        r#"use std::time::{Duration, SystemTime};

pub(crate) mod inner {
    pub(crate) fn seconds(value: &str) -> Option<u64> {
        value.parse::<u64>().ok().filter(|secs| *secs <= LIMIT)
    }

    const LIMIT: u64 = 1_000;
}

/// A point in time, in seconds since 1970.
pub(crate) fn after(retry_after: &str) -> Option<Duration> {
    let at: u64 = retry_after.parse().ok()?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Duration::from_secs(at.saturating_sub(now.as_secs())))
}
"#,
    ),
    ("broken/Cargo.toml", "[package]\nname = \"broken\"\nversion.workspace = true\nedition.workspace = true\n"),
    (
        "broken/src/lib.rs",
        "pub fn parse_retry_after(value: &str) -> Option<std::time::Duration> {\n    value.parse().ok().map(std::time::Duration::from_secs)\n}\n\npub fn other() -> u8 {\n    \"no number\"\n}\n",
    ),
];

fn compare(checkout: &Checkout, arguments: &[&str]) -> Outcome {
    let all = [&["compare", "--format", "json", "--inputs", "5000"], arguments].concat();
    finish(command(checkout.path()).args(all).timeout(Duration::from_secs(900)))
}

fn subject<'a>(json: &'a Value, item: &str) -> &'a Value {
    let subjects = json["subjects"].as_array().unwrap();
    subjects.iter().find(|subject| subject["item"] == item).unwrap_or_else(|| panic!("no {item}: {json:#}"))
}

#[test]
fn what_was_cut_out_is_held_to_its_package() {
    let checkout = Checkout::new(FILES);
    let before = checkout.listing();
    let outcome = compare(&checkout, &["--workspace", "--lift"]);
    let json = outcome.json();
    for item in ["Client::parse_retry_after", "retry::after"] {
        let one = subject(&json, item);
        assert_eq!(
            (&one["status"], &one["strategy"], &one["lift"]["verdict"]),
            (&"verified".into(), &"slice".into(), &"agrees".into()),
            "{one:#}"
        );
    }
    // A package that does not compile keeps nobody from being compared.
    let one = subject(&json, "parse_retry_after");
    assert_eq!((&one["status"], &one["strategy"]), (&"compared".into(), &"slice".into()), "{one:#}");
    assert_eq!(
        (&one["lift"]["verdict"], &one["lift"]["reason"]),
        (&"failed".into(), &"build-failed".into()),
        "{one:#}"
    );
    assert!(one["lift"]["detail"].as_str().unwrap().contains("mismatched types"), "{one:#}");

    // The checkout is as it was.
    let harness = checkout.at("target");
    let after = checkout.listing();
    let new: Vec<&PathBuf> =
        after.keys().filter(|path| !path.starts_with(&harness) && !before.contains_key(*path)).collect();
    assert_eq!(new, Vec::<&PathBuf>::new());
    assert!(before.iter().all(|(path, text)| after.get(path) == Some(text)), "what was there is unchanged");
}

/// A constant that a macro makes, which is nowhere to be found.
const WRAPPED: &str = r#"mod made {
    macro_rules! limits {
        ($($name:ident = $value:expr;)*) => { $(pub const $name: u64 = $value;)* };
    }
    limits! { MOST = 60; }
}

pub fn parse_retry_after(value: &str) -> Option<std::time::Duration> {
    let secs: u64 = value.parse().ok()?;
    Some(std::time::Duration::from_secs(secs.min(made::MOST)))
}
"#;

#[test]
fn a_place_that_cannot_be_cut_out_is_run_in_its_package() {
    let checkout = Checkout::package(WRAPPED);
    let json = compare(&checkout, &[]).json();
    let one = subject(&json, "parse_retry_after");
    assert_eq!(
        (&one["status"], &one["strategy"], &one["lift"]["verdict"]),
        (&"compared".into(), &"lift".into(), &"alone".into()),
        "{one:#}"
    );
    let kinds: Vec<&str> =
        one["divergences"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"capped_hint") && kinds.contains(&"integer_only"), "{kinds:?}");
    let none = compare(&checkout, &["--lift=0"]);
    let json = none.json();
    let one = subject(&json, "parse_retry_after");
    assert_eq!(one["lift"], Value::Null);
    assert_ne!(one["strategy"], "lift");
}

/// A type that a macro makes and that has the name of one of std's, which it is taken for.
const NAMESAKE: &str = r#"mod time {
    macro_rules! wait {
        ($name:ident) => {
            pub struct $name(u64);
            impl $name {
                pub fn from_secs(secs: u64) -> $name { $name(secs.min(60)) }
                pub fn as_secs(&self) -> u64 { self.0 }
            }
        };
    }
    wait!(Duration);
}

pub fn parse_retry_after(value: &str) -> Option<u64> {
    let wait = time::Duration::from_secs(value.parse().ok()?);
    Some(wait.as_secs())
}

pub fn wait(retry_after: &str) {
    if let Some(secs) = parse_retry_after(retry_after) {
        std::thread::sleep(std::time::Duration::from_secs(secs));
    }
}
"#;

#[test]
fn what_was_cut_out_and_does_otherwise_is_a_fault_of_the_extraction() {
    let checkout = Checkout::package(NAMESAKE);
    let json = compare(&checkout, &["--lift"]).json();
    let one = subject(&json, "parse_retry_after");
    assert_eq!(
        (&one["status"], &one["strategy"], &one["reason"], &one["lift"]["verdict"]),
        (&"compared".into(), &"lift".into(), &"not-faithful".into(), &"differs".into()),
        "{one:#}"
    );
    let detail = one["detail"].as_str().unwrap();
    assert!(detail.contains("waits 120 s with `Retry-After: 120`, and waits 60 s in its package"), "{detail}");
    let kinds: Vec<&str> =
        one["divergences"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"capped_hint"), "what the package does is what counts: {kinds:?}");
}
