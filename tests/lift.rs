//! `compare --lift`: small packages taken whole. Each compiles, so there are few.

use crate::support::{Checkout, Outcome, command, finish};
use serde_json::Value;
use std::collections::BTreeMap;
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

/// Packages that depend on `http` themselves: inherited from the workspace, of an older version and for one target, under another name, and
/// optional, with a client whose answers can only be made of that crate's. The client is small, stands outside, and has a published one's name.
const OWN_HTTP: &[(&str, &str)] = &[
    (
        "reqwest/Cargo.toml",
        "[package]\nname = \"reqwest\"\nversion = \"0.12.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\nhttp = \"1\"\n",
    ),
    (
        "reqwest/src/lib.rs",
        r#"pub use http::header;

pub struct Response(http::Response<Vec<u8>>);

impl Response {
    pub fn headers(&self) -> &http::HeaderMap {
        self.0.headers()
    }
}

impl<T: Into<Vec<u8>>> From<http::Response<T>> for Response {
    fn from(response: http::Response<T>) -> Response {
        Response(response.map(Into::into))
    }
}
"#,
    ),
    (
        "code/Cargo.toml",
        "[workspace]\nmembers = [\"*\"]\nexclude = [\"target\"]\nresolver = \"2\"\n\
         [workspace.dependencies]\nhttp = { version = \"1\", default-features = false }\n",
    ),
    (
        "code/inherits/Cargo.toml",
        "[package]\nname = \"inherits\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [dependencies]\nhttp = { workspace = true, features = [\"std\"] }\nreqwest = { path = \"../../reqwest\" }\n",
    ),
    (
        "code/inherits/src/lib.rs",
        r#"use http::header::RETRY_AFTER;
use std::time::Duration;

pub fn of_client(response: &reqwest::Response) -> Option<Duration> {
    let text = response.headers().get("retry-after")?.to_str().ok()?;
    text.parse().ok().map(Duration::from_secs)
}

pub fn of_parts(parts: &http::response::Parts, status: http::StatusCode) -> Option<Duration> {
    if status.is_success() {
        return None;
    }
    let text = parts.headers.get(RETRY_AFTER)?.to_str().ok()?;
    text.parse().ok().map(Duration::from_secs)
}
"#,
    ),
    (
        "code/of_target/Cargo.toml",
        "[package]\nname = \"of-target\"\nversion = \"0.1.0\"\n[target.'cfg(not(windows))'.dependencies]\nhttp = \"0.2\"\n\
         [target.'cfg(windows)'.dependencies]\nhttp = { version = \"0.2\", features = [] }\n",
    ),
    (
        "code/of_target/src/lib.rs",
        r#"extern crate http;

use std::time::Duration;

pub fn of_answer(response: &::http::Response<Vec<u8>>) -> Option<Duration> {
    let value = response.headers().get(::http::header::RETRY_AFTER)?;
    value.to_str().ok()?.parse().ok().map(Duration::from_secs)
}
"#,
    ),
    (
        "code/renames/Cargo.toml",
        "[package]\nname = \"renames\"\nversion = \"0.1.0\"\nedition = \"2018\"\n\
         [dependencies]\nweb = { package = \"http\", version = \"1\" }\ndates = { package = \"httpdate\", version = \"1\" }\n",
    ),
    (
        "code/renames/src/lib.rs",
        r#"use std::convert::TryFrom;
use std::time::{Duration, SystemTime};

pub fn of_map(headers: &web::HeaderMap) -> Option<Duration> {
    let text = headers.get(web::header::RETRY_AFTER)?.to_str().ok()?;
    let at = dates::parse_http_date(text).ok()?;
    at.duration_since(SystemTime::now()).ok()
}

pub mod deep {
    use web as net;

    pub fn of_answer<B>(response: &::web::Response<B>) -> Option<std::time::Duration> {
        if response.status() == net::StatusCode::OK {
            return None;
        }
        let text = response.headers().get(web::header::RETRY_AFTER)?.to_str().ok()?;
        text.parse().ok().map(std::time::Duration::from_secs)
    }
}

pub struct RetryAfter(Duration);

impl TryFrom<web::HeaderValue> for RetryAfter {
    type Error = String;

    fn try_from(value: web::HeaderValue) -> Result<Self, String> {
        RetryAfter::try_from(&value)
    }
}

impl TryFrom<&web::HeaderValue> for RetryAfter {
    type Error = String;

    fn try_from(value: &web::HeaderValue) -> Result<Self, String> {
        let text = value.to_str().map_err(|error| error.to_string())?;
        Ok(RetryAfter(Duration::from_secs(text.parse().map_err(|_| "no number".to_string())?)))
    }
}
"#,
    ),
    (
        "code/option/Cargo.toml",
        "[package]\nname = \"option\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [features]\ntypes = [\"dep:web\", \"web?/std\"]\n\
         [dependencies]\nhttp = \"0.2\"\nweb = { package = \"http\", version = \"1.1\", optional = true }\nreqwest = { path = \"../../reqwest\" }\n",
    ),
    (
        "code/option/src/lib.rs",
        r#"use http::header::RETRY_AFTER;
use std::time::Duration;

#[cfg(feature = "types")]
pub fn status() -> web::StatusCode {
    web::StatusCode::OK
}

pub fn of_old_answer<B>(response: &http::Response<B>) -> Option<Duration> {
    let text = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    text.parse().ok().map(Duration::from_secs)
}

pub fn of_other_client(response: &reqwest::Response) -> Option<Duration> {
    let text = response.headers().get("retry-after")?.to_str().ok()?;
    text.parse().ok().map(Duration::from_secs)
}
"#,
    ),
];

#[test]
fn a_package_that_depends_on_http_itself_is_taken_whole_with_its_own() {
    let checkout = Checkout::new(OWN_HTTP);
    let all = ["compare", "--format", "json", "--inputs", "2000", "--workspace", "--lift"];
    let outcome = finish(command(&checkout.at("code")).args(all).timeout(Duration::from_secs(900)));
    let json = outcome.json();
    let items: BTreeMap<&str, (&Value, &Value, &Value)> = json["subjects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["item"].as_str().unwrap(), (&one["status"], &one["strategy"], &one["lift"]["verdict"])))
        .collect();
    let right: (&Value, &Value, &Value) = (&"verified".into(), &"slice".into(), &"agrees".into());
    let wanted = [
        "RetryAfter::try_from",
        "deep::of_answer",
        "of_answer",
        "of_client",
        "of_map",
        "of_old_answer",
        "of_other_client",
        "of_parts",
    ];
    assert_eq!(items, wanted.into_iter().map(|item| (item, right)).collect(), "{json:#}");
}
