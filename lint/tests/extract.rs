//! Extraction from small pieces of code: what is cut, what is refused, and that what is cut compiles and gives the outcomes it should.

use retry_after_lint::extract::expected::Outcome;
use retry_after_lint::extract::{self, Extracted, Reason, Strategy, Subject, UnitOf};
use retry_after_lint::module::{Program, parse};
use retry_after_lint::source;
use retry_after_lint::workspace::{self, Request};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The subjects of a package with these files.
fn subjects_of(files: &[(&str, &str)]) -> Vec<Subject> {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = "[package]\nname = \"example\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nhttp = \"1\"\nreqwest = \"0.12\"\nthiserror = \"2\"\n";
    for (path, text) in [("Cargo.toml", manifest)].iter().chain(files) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let roots = workspace::discover(&Request::Paths(vec![folder.path().to_owned()])).expect("the package");
    let workspace = &roots[0].workspace;
    parse::with_large_stack(|| {
        let mut program = Program::new(workspace);
        let found = source::search(workspace, &[], true);
        let files: Vec<_> = found.with_any().collect();
        program.load(&files);
        let log = retry_after_lint::behaviour::observe(&mut program);
        extract::subjects(&mut program, &log, false)
    })
}

fn only(text: &str) -> Subject {
    let mut subjects = subjects_of(&[("src/lib.rs", text)]);
    assert_eq!(subjects.len(), 1, "{subjects:#?}");
    subjects.remove(0)
}

fn extracted(subject: &Subject) -> &Extracted {
    subject.extraction.as_ref().unwrap_or_else(|problem| panic!("{}: {problem:?}", subject.id))
}

fn reason(text: &str) -> (Reason, String) {
    let problem = only(text).extraction.expect_err("a reason");
    (problem.reason, problem.detail)
}

/// The text between the module's own head and what stands for clocks.
fn copied(extracted: &Extracted) -> String {
    let after = extracted.source.split("clock_reads() -> u64 {").nth(1).expect("a head");
    let after = after.split_once('\n').expect("a line").1;
    after.split("mod extracted_clock").next().expect("the copy").trim().to_owned()
}

/// Compiles a subject that needs no crate, and gives the outcomes of some values.
fn outcomes(extracted: &Extracted, values: &[&str]) -> Vec<String> {
    assert_eq!(extracted.dependencies, []);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("subject.rs", &extracted.source);
    write(
        "main.rs",
        "mod subject;
        pub mod runtime {
            #[derive(Clone, Copy)]
            pub struct Now { pub wall: std::time::SystemTime, pub monotonic: std::time::Duration }
            #[derive(Debug)]
            pub enum Outcome { Delay(std::time::Duration), None, Error }
        }
        fn main() {
            let now = runtime::Now { wall: std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000), monotonic: std::time::Duration::from_secs(5) };
            for value in std::env::args().skip(1) {
                println!(\"{:?}\", subject::subject(&[value.as_bytes()], now));
            }
            println!(\"{:?} {}\", subject::subject(&[], now), subject::clock_reads());
        }",
    );
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let program = folder.path().join("main");
    let built = Command::new(rustc)
        .args(["--edition", &extracted.edition, "-o"])
        .arg(&program)
        .arg(folder.path().join("main.rs"))
        .output()
        .expect("a compiler");
    assert!(built.status.success(), "{}\n{}", String::from_utf8_lossy(&built.stderr), extracted.source);
    let run = Command::new(Path::new(&program)).args(values).output().expect("a run");
    String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_function_comes_with_what_it_needs_of_other_modules() {
    let subjects = subjects_of(&[
        ("src/lib.rs", "pub mod limits;\nmod retry;\npub use limits::MAX_WAIT;\n"),
        (
            "src/limits.rs",
            "use std::time::Duration;\n/// The most.\npub const MAX_WAIT: Duration = Duration::from_secs(60);\npub fn unused() {}\n",
        ),
        (
            "src/retry.rs",
            "use crate::MAX_WAIT;
use log::warn;
use std::time::Duration;

/// Reads it.
#[must_use]
pub fn parse_retry_after(value: &str) -> Option<Duration> {
    let seconds = digits(value)?;
    warn!(\"waiting {seconds}\");
    Some(Duration::from_secs(seconds).min(MAX_WAIT))
}

fn digits(text: &str) -> Option<u64> { text.trim().parse().ok() }
",
        ),
    ]);
    let subject = subjects.iter().find(|subject| subject.item == "retry::parse_retry_after").expect("the function");
    let extracted = extracted(subject);
    assert_eq!(extracted.strategy, Strategy::Slice);
    insta::assert_snapshot!(copied(extracted), @"
    pub mod limits {
    use ::std::time::Duration;
    pub const MAX_WAIT: Duration = Duration::from_secs(60);

    }
    pub mod retry {
    use ::std::time::Duration;
    use super::limits::MAX_WAIT;
    pub fn parse_retry_after(value: &str) -> Option<Duration> {
        let seconds = digits(value)?;
        ();
        Some(Duration::from_secs(seconds).min(MAX_WAIT))
    }

    fn digits(text: &str) -> Option<u64> { text.trim().parse().ok() }

    pub fn extracted_subject(lines: &[&[u8]]) -> super::extracted_outcome::Outcome {
        let Some(text) = super::extracted_outcome::text(lines) else { return super::extracted_outcome::Outcome::None };
        super::extracted_outcome::outcome(self::parse_retry_after(text))
    }

    }
    ");
    let given = outcomes(extracted, &["7", "700", "soon"]);
    assert_eq!(given, ["Delay(7s)", "Delay(60s)", "None", "None 0"]);
}

#[test]
fn an_associated_function_needs_no_more_of_its_type_than_the_name() {
    let subject = only(
        "use std::time::Duration;
        pub struct Client { pool: database::Pool, secret: [u8; 32] }
        impl Client {
            fn parse_retry_after(value: &str) -> Option<Duration> { Self::seconds(value).map(Duration::from_secs) }
            fn seconds(value: &str) -> Option<u64> { value.parse().ok() }
            pub fn connect(&self) -> database::Connection { self.pool.connect() }
        }",
    );
    let extracted = extracted(&subject);
    let copied = copied(extracted);
    assert!(copied.contains("pub struct Client;") && !copied.contains("connect"), "{copied}");
    assert_eq!(outcomes(extracted, &["7"]), ["Delay(7s)", "None 0"]);
}

#[test]
fn a_conversion_gives_an_outcome_for_each_variant_and_clocks_are_given_time() {
    let subjects = subjects_of(&[(
        "src/lib.rs",
        "use std::str::FromStr;
        use std::time::{Duration, Instant, SystemTime};
        #[derive(Debug, serde::Deserialize)]
        pub enum RetryAfter { Delay(Duration), At(SystemTime), Never }
        pub struct Malformed;
        impl FromStr for RetryAfter {
            type Err = Malformed;
            fn from_str(value: &str) -> Result<Self, Self::Err> {
                if value == \"never\" { return Ok(RetryAfter::Never); }
                let seconds: u64 = value.parse().map_err(|_| Malformed)?;
                if seconds > 100 { return Ok(RetryAfter::At(SystemTime::now() + Duration::from_secs(seconds))); }
                Ok(RetryAfter::Delay(Duration::from_secs(seconds)))
            }
        }
        pub fn parse_retry_after(value: &str) -> Result<RetryAfter, Malformed> { value.parse() }",
    )]);
    let subject = subjects.iter().find(|subject| subject.item == "RetryAfter::from_str").expect("the conversion");
    let extracted = extracted(subject);
    assert!(extracted.reads_clock);
    assert_eq!(
        outcomes(extracted, &["7", "120", "never", "soon"]),
        ["Delay(7s)", "Delay(120s)", "None", "Error", "None 1"]
    );
}

#[test]
fn the_unit_of_a_number_is_found_in_its_callers() {
    let subjects = subjects_of(&[(
        "src/lib.rs",
        "fn retry_after(value: &str) -> u64 { value.parse::<u64>().map(|n| n * 1000).unwrap_or(0) }
        pub fn wait(value: &str) { let pause = retry_after(value); std::thread::sleep(std::time::Duration::from_millis(pause)); }",
    )]);
    let subject = subjects.iter().find(|subject| subject.item == "retry_after").expect("the function");
    let extracted = extracted(subject);
    assert_eq!(extracted.unit.as_ref().map(|unit| unit.of), Some(UnitOf::Milliseconds));
    assert_eq!(outcomes(extracted, &["7", "soon"]), ["Delay(7s)", "Delay(0ns)", "None 0"]);
}

#[test]
fn an_unknown_unit_is_said() {
    let subject = only("pub fn parse_retry_after(value: &str) -> Option<u32> { value.parse().ok() }");
    let extracted = extracted(&subject);
    assert_eq!(extracted.unit, None);
    assert!(extracted.notes.iter().any(|note| note.contains("nothing says which unit")), "{:?}", extracted.notes);
}

#[test]
fn a_chain_in_an_async_function_is_cut_from_the_read_to_the_sleep() {
    let subject = only(
        "use reqwest::header::RETRY_AFTER;
        use std::time::Duration;
        const MOST: u64 = 60;
        impl Client {
            pub async fn send(&self) -> Result<reqwest::Response, Error> {
                loop {
                    let response = self.http.send().await?;
                    if response.status() != 429 { return Ok(response); }
                    let seconds = response.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok()).unwrap_or(self.pause);
                    let seconds = seconds.min(MOST);
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                }
            }
        }
        pub struct Client { http: reqwest::Client, pause: u64 }",
    );
    let extracted = extracted(&subject);
    assert_eq!(extracted.strategy, Strategy::Outline);
    let names: Vec<&str> = extracted.dependencies.iter().map(|dependency| &*dependency.name).collect();
    assert_eq!(names, ["http"], "the client is not built");
    assert!(copied(extracted).contains("seconds.min(MOST)"));
    insta::assert_snapshot!(copied(extracted), @r#"
    use ::std::time::Duration;
    use self::extracted_client::header::RETRY_AFTER;
    const MOST: u64 = 60;

    pub fn extracted_subject(lines: &[&[u8]]) -> self::extracted_outcome::Outcome {
        let mut response = self::extracted_client::response::<::std::vec::Vec<u8>>(lines, "retry-after");
        { let seconds = response.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok()).unwrap_or_else(|| self::extracted_outcome::own());
    let seconds = seconds.min(MOST);
    return self::extracted_outcome::outcome(Duration::from_secs(seconds));
    self::extracted_outcome::Outcome::None
     }
    }
    "#);
}

#[test]
fn what_the_hint_is_held_against_and_what_self_gives_is_stood_for() {
    // A policy that takes the longer of the server's wait and its own.
    let policy = only(
        "impl Policy for Retry {
            fn retry(&mut self, response: &http::Response<()>) -> Option<Sleep> {
                let backoff = self.backoff.next();
                if self.honours && let Some(secs) = response.headers().get(\"retry-after\").and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok()) {
                    let delay = std::time::Duration::from_secs(secs);
                    if backoff.duration() <= delay { return Some(sleep(delay)); }
                }
                Some(backoff)
            }
        }",
    );
    let code = extracted(&policy);
    assert!(copied(code).contains("extracted_outcome::no_wait_like(&(delay)) <= delay"), "{}", copied(code));
    assert!(code.notes.iter().any(|note| note.contains("`backoff`") && note.contains("taken for none")));

    // Headers that a method gives, read through a closure; a variable that only something else needs.
    let report = only(
        "pub struct Report { headers: Option<http::HeaderMap>, body: Vec<u8> }
        impl Report {
            fn headers(&self) -> Option<&http::HeaderMap> { self.headers.as_ref() }
            pub async fn wait(&self) -> Result<Wait, Error> {
                let header = |name: &str| self.headers().and_then(|headers| headers.get(name)).and_then(|value| value.to_str().ok());
                let wait: Option<u64> = header(\"retry-after\").and_then(|text| text.parse().ok());
                let mut rest = Vec::new();
                self.read(&mut rest).await?;
                Ok(Wait { retry_after: wait })
            }
        }
        pub struct Wait { retry_after: Option<u64> }",
    );
    let text = copied(extracted(&report));
    assert!(text.contains("headers_of_self_value") && !text.contains("rest"), "{text}");
    assert!(text.contains("outcome::<Option<u64>>(wait)"), "{text}");
}

#[test]
fn the_type_of_a_number_is_that_of_the_field_it_leaves_in() {
    let subject = only(
        "pub enum Failure { Exhausted { status: tonic::Status, retry_after_seconds: u64 }, Other(tonic::Status) }
        impl From<tonic::Status> for Failure {
            fn from(status: tonic::Status) -> Self {
                if let Some(seconds) = status.metadata().get(\"retry-after\").and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok()) {
                    return Failure::Exhausted { status, retry_after_seconds: seconds };
                }
                Failure::Other(status)
            }
        }",
    );
    let code = extracted(&subject);
    assert!(copied(code).contains("outcome::<u64>(seconds)"), "{}", copied(code));
    assert!(code.notes.iter().any(|note| note.contains("gRPC")), "{:?}", code.notes);
    // Both the copy and the analysis lose dates.
    let date = code_expects(&subject, "Mon, 30 Nov 2026 12:00:07 GMT");
    assert!(date.is_none_or(|outcomes| outcomes.contains(&Outcome::Nothing)));
    assert!(code_expects(&subject, "7").is_none_or(|outcomes| outcomes.contains(&Outcome::Wait(7.0))));
}

/// What the analysis says of a header.
fn code_expects(subject: &Subject, header: &str) -> Option<Vec<Outcome>> {
    let found = subject.expected.iter().find(|expected| expected.header == header);
    found.map(|expected| expected.outcomes.clone())
}

#[test]
fn what_the_analysis_says_of_a_function_comes_with_it() {
    let subject = only(
        "pub fn parse_retry_after(value: &str) -> std::time::Duration {
            std::time::Duration::from_secs(value.parse::<u64>().unwrap_or(0).min(60))
        }",
    );
    let says = |header| code_expects(&subject, header).expect("a case that is known");
    assert_eq!(says("7"), [Outcome::Wait(7.0)]);
    assert_eq!(says("10000000"), [Outcome::Wait(60.0)]);
    assert_eq!(says("soon"), [Outcome::Wait(0.0)]);
    let run = outcomes(extracted(&subject), &["7", "10000000", "soon"]);
    assert_eq!(run[..3], ["Delay(7s)", "Delay(60s)", "Delay(0ns)"]);
}

#[test]
fn what_cannot_be_cut_has_a_reason() {
    let found = reason(
        "use reqwest::header::RETRY_AFTER;
        impl Client {
            pub fn wait(&self, response: &reqwest::Response) -> Option<u64> {
                let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.parse::<u64>().ok()?;
                Some(seconds.min(self.most))
            }
        }
        pub struct Client { most: u64 }",
    );
    assert_eq!(found, (Reason::FreeVariable, "self".to_owned()));
}

#[test]
fn a_function_that_does_a_part_is_marked() {
    let subjects = subjects_of(&[(
        "src/lib.rs",
        "use http::HeaderMap;
        pub fn retry_after(headers: &HeaderMap) -> Option<u64> {
            let text = headers.get(\"retry-after\")?.to_str().ok()?;
            text.parse::<u64>().ok().or_else(|| from_date(text))
        }
        fn from_date(text: &str) -> Option<u64> { httpdate::parse_http_date(text).ok()?.elapsed().ok().map(|d| d.as_secs()) }",
    )]);
    let parts: Vec<(&str, bool)> = subjects.iter().map(|subject| (&*subject.item, subject.is_part)).collect();
    assert_eq!(parts, [("retry_after", false), ("from_date", true)]);
}

#[test]
fn an_error_that_is_derived_comes_with_the_crate_that_derives_it() {
    for (import, derive) in [("", "thiserror::Error"), ("use thiserror::Error;", "Error"), ("", "::thiserror::Error")] {
        let subject = only(&format!(
            "{import}
            #[derive(Debug, {derive})]
            pub enum Problem {{ #[error(\"bad {{0}}\")] Bad(String) }}
            pub fn parse_retry_after(value: &str) -> Result<std::time::Duration, Problem> {{
                value.parse().map(std::time::Duration::from_secs).map_err(|_| Problem::Bad(value.to_owned()))
            }}"
        ));
        let code = extracted(&subject);
        let names: Vec<&str> = code.dependencies.iter().map(|dependency| &*dependency.name).collect();
        assert_eq!(names, ["thiserror"], "{derive}: {}", copied(code));
    }
}

#[test]
fn a_macro_of_the_package_may_name_its_root() {
    let subjects = subjects_of(&[
        (
            "src/lib.rs",
            "pub mod limits { pub const MOST: u64 = 60; pub fn seconds(n: u64) -> std::time::Duration { std::time::Duration::from_secs(n) } }
            #[macro_export]
            macro_rules! capped { ($n:expr) => { $crate::shorter!($crate::limits::seconds($n), $crate::limits::MOST) }; }
            #[macro_export]
            macro_rules! shorter { ($n:expr, $most:expr) => { ::std::cmp::min($n, $crate::limits::seconds($most)) }; }
            pub mod client;",
        ),
        (
            "src/client.rs",
            "pub mod retry {
                pub fn parse_retry_after(value: &str) -> Option<std::time::Duration> {
                    value.parse::<u64>().ok().map(|n| crate::capped!(n))
                }
            }",
        ),
    ]);
    let subject = subjects.iter().find(|subject| subject.item.ends_with("parse_retry_after")).expect("the parser");
    assert_eq!(outcomes(extracted(subject), &["7", "61", "x"]), ["Delay(7s)", "Delay(60s)", "None", "None 0"]);
}

#[test]
fn a_conversion_named_for_the_hint_is_a_subject_though_nobody_calls_it() {
    let subjects = subjects_of(&[(
        "src/lib.rs",
        "use std::str::FromStr;
        use std::time::Duration;
        pub struct RetryAfter(Duration);
        impl FromStr for RetryAfter {
            type Err = std::num::ParseIntError;
            fn from_str(s: &str) -> Result<Self, Self::Err> { Ok(RetryAfter(Duration::from_secs(s.parse()?))) }
        }
        pub mod header {
            use std::time::Duration;
            pub enum RetryAfter { Delay(Duration), Never }
            impl TryFrom<&http::HeaderValue> for RetryAfter {
                type Error = ();
                fn try_from(value: &http::HeaderValue) -> Result<Self, ()> {
                    let text = value.to_str().map_err(|_| ())?;
                    match text.parse::<u64>() { Ok(seconds) => Ok(RetryAfter::Delay(Duration::from_secs(seconds))), Err(_) => Ok(RetryAfter::Never) }
                }
            }
        }",
    )]);
    let found: Vec<(&str, bool)> =
        subjects.iter().map(|subject| (&*subject.item, subject.extraction.is_ok())).collect();
    assert_eq!(found, [("RetryAfter::from_str", true), ("header::RetryAfter::try_from", true)]);
}

#[test]
fn a_run_goes_through_all_of_an_item_that_was_copied_and_no_more() {
    let subject = only(
        "pub fn parse_retry_after(value: &str) -> Option<u64> {
            let text = value.trim();
            text.parse().ok()
        }
        pub fn other() {}",
    );
    let covered: Vec<u32> = (0..8).filter(|line| subject.covers("src/lib.rs", *line)).collect();
    assert_eq!(covered, [1, 2, 3, 4]);
    assert!(!subject.covers("src/other.rs", 2));
}

#[test]
fn what_panics_behind_a_cut_is_not_said_of_the_cut() {
    let subject = only(
        "use reqwest::header::RETRY_AFTER;
        use std::time::{Duration, Instant};
        pub struct Failure { pub retry_after: Option<u64> }
        pub async fn fetch(client: &reqwest::Client) -> Result<(), Failure> {
            let response = client.get(\"http://localhost\").send().await.map_err(|_| Failure { retry_after: None })?;
            let seconds = response.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok());
            Err(Failure { retry_after: seconds })
        }
        pub async fn again(client: &reqwest::Client) {
            if let Err(failure) = fetch(client).await
                && let Some(seconds) = failure.retry_after
            {
                let until = Instant::now() + Duration::from_secs(seconds);
                tokio::time::sleep_until(until.into()).await;
            }
        }",
    );
    assert_eq!(extracted(&subject).strategy, Strategy::Outline);
    assert!(
        subject.expected.iter().all(|expected| !expected.outcomes.contains(&Outcome::Panic)),
        "{:?}",
        subject.expected
    );
}
