//! `--format sarif`: SARIF 2.1.0 (OASIS), the form in which code scanning services take findings.
//!
//! All rules are declared with their pages, whether they found something or not. The journey is a code flow, and the fingerprint a partial fingerprint, so
//! that a service knows a finding again when lines move. Columns count characters.

use super::{Place, Report, Shown, Text, Unread, confidence_word, doubt, in_words, severity};
use crate::diagnostic::Level;
use crate::ir::Span;
use crate::rules::{RULES, Rule};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What names are relative to: the reader knows where the checkout lies.
const BASE: &str = "%SRCROOT%";

/// The fingerprint's name, with the version of how it is made.
const FINGERPRINT: &str = "retryAfter/v1";

/// Writes the log, and a line end after it.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run(report)] };
    serde_json::to_writer(&mut out, &log)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'a str,
    invocations: [Invocation; 1],
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

/// A rule, declared.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Help,
    help_uri: String,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    enabled: bool,
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    tags: [&'static str; 2],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

/// A file that could not be read, or an entry of the baseline that is stale.
#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'a str,
    message: Message,
    locations: [Location; 1],
    code_flows: [CodeFlow; 1],
    partial_fingerprints: std::collections::BTreeMap<&'a str, &'a str>,
    properties: ResultProperties<'a>,
}

#[derive(Serialize)]
struct ResultProperties<'a> {
    confidence: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<WitnessObject<'a>>,
}

#[derive(Serialize)]
struct WitnessObject<'a> {
    header: &'a str,
    subject: &'a str,
    reference: &'a str,
    confirmed: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
struct ThreadFlow {
    locations: Vec<FlowLocation>,
}

#[derive(Serialize)]
struct FlowLocation {
    location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Message>,
}

/// A text; the format wants an object for each.
#[derive(Serialize)]
struct Message {
    text: String,
}

fn run(report: &Report) -> Run<'_> {
    Run {
        tool: Tool {
            driver: Driver {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
                semantic_version: env!("CARGO_PKG_VERSION"),
                information_uri: env!("CARGO_PKG_REPOSITORY"),
                rules: RULES.iter().map(|rule| descriptor(rule)).collect(),
            },
        },
        column_kind: "unicodeCodePoints",
        invocations: [Invocation {
            execution_successful: !report.is_failure(),
            tool_execution_notifications: report
                .unreadable
                .iter()
                .map(notification)
                .chain(report.stale.iter().flatten().map(|entry| Notification {
                    level: "warning",
                    message: Message { text: entry.in_words() },
                    locations: None,
                }))
                .collect(),
        }],
        results: report.findings.iter().map(|shown| result(report, shown)).collect(),
    }
}

fn descriptor(rule: &Rule) -> Descriptor {
    let text = format!("{} See {}", rule.summary(), rule.address());
    Descriptor {
        id: rule.id,
        short_description: Message { text: rule.summary() },
        full_description: Message { text: rule.summary() },
        help: Help { text, markdown: rule.page() },
        help_uri: rule.address(),
        default_configuration: Configuration { enabled: rule.level >= Level::Warn, level: severity(rule.level) },
        properties: RuleProperties { tags: ["reliability", rule.group.as_str()] },
    }
}

fn notification(file: &Unread) -> Notification {
    let region =
        Region { start_line: file.line.max(1), start_column: None, end_line: None, end_column: None, snippet: None };
    Notification {
        level: if file.is_failure { "error" } else { "warning" },
        message: Message { text: format!("{}: {}", file.in_checkout, file.message) },
        locations: Some([Location {
            physical_location: PhysicalLocation { artifact_location: artifact(&file.in_checkout), region },
            message: None,
        }]),
    }
}

fn result<'a>(report: &Report, shown: &'a Shown) -> SarifResult<'a> {
    let finding = &shown.finding;
    let mut sentences = vec![finding.message.clone()];
    sentences.extend(finding.witness.as_ref().map(in_words));
    if !finding.help.is_empty() {
        sentences.push(format!("help: {}", finding.help));
    }
    sentences.extend(doubt(finding.confidence));
    let steps = report.journey(shown).into_iter();
    let steps =
        steps.map(|(span, place, label)| FlowLocation { location: location(report, shown, span, place, Some(label)) });
    SarifResult {
        rule_id: finding.rule,
        rule_index: RULES.iter().position(|rule| rule.id == finding.rule),
        level: severity(finding.level),
        message: Message { text: sentences.join("\n") },
        locations: [match report.forge_place(shown) {
            (file, _, _) if file == shown.place.in_checkout => {
                location(report, shown, finding.span, &shown.place, None)
            }
            (file, start_line, _) => Location {
                physical_location: PhysicalLocation {
                    artifact_location: artifact(&file),
                    region: Region { start_line, start_column: None, end_line: None, end_column: None, snippet: None },
                },
                message: Some(Message { text: "the dependency is locked here".to_owned() }),
            },
        }],
        code_flows: [CodeFlow { thread_flows: [ThreadFlow { locations: steps.collect() }] }],
        partial_fingerprints: [(FINGERPRINT, shown.fingerprint.as_str())].into(),
        properties: ResultProperties {
            confidence: confidence_word(finding.confidence),
            package: shown.package.as_deref(),
            witness: finding.witness.as_ref().map(|witness| WitnessObject {
                header: &witness.header,
                subject: &witness.subject,
                reference: &witness.reference,
                confirmed: witness.confirmed,
            }),
        },
    }
}

fn location(report: &Report, shown: &Shown, span: Span, place: &Place, label: Option<&str>) -> Location {
    let text = report.text(shown, span);
    let snippet = text.and_then(|text: &Text| text.text.get(span.start as usize..span.end as usize));
    let region = Region {
        start_line: place.start.line,
        start_column: Some(place.start.column),
        end_line: Some(place.end.line),
        end_column: Some(place.end.column),
        snippet: snippet.map(|text| Message { text: text.to_owned() }),
    };
    // What is fetched lies outside of every checkout.
    let artifact_location = if shown.is_versioned {
        ArtifactLocation { uri: file_address(&place.absolute), uri_base_id: None }
    } else {
        artifact(&place.in_checkout)
    };
    Location {
        physical_location: PhysicalLocation { artifact_location, region },
        message: label.filter(|label| !label.is_empty()).map(|label| Message { text: label.to_owned() }),
    }
}

/// A file inside the checkout is named relative to it, another by its whole path.
fn artifact(path: &str) -> ArtifactLocation {
    if Path::new(path).is_absolute() {
        ArtifactLocation { uri: file_address(Path::new(path)), uri_base_id: None }
    } else {
        ArtifactLocation { uri: encoded(path), uri_base_id: Some(BASE) }
    }
}

/// The `file:` address of an absolute path.
pub(super) fn file_address(path: &Path) -> String {
    let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    format!("file://{}{}", if path.starts_with('/') { "" } else { "/" }, encoded(&path))
}

/// A path as part of an address: what has a meaning of its own there, or no place, is written as its bytes' codes (RFC 3986, 2.1).
fn encoded(path: &str) -> String {
    let mut address = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' => {
                address.push(byte.into());
            }
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_addresses() {
        assert_eq!(encoded("src/a b/ü%.rs"), "src/a%20b/%C3%BC%25.rs");
        assert_eq!(artifact("src/a.rs").uri_base_id, Some(BASE));
        #[cfg(unix)]
        assert_eq!((artifact("/x/a#.rs").uri.as_str(), artifact("/x").uri_base_id), ("file:///x/a%23.rs", None));
    }
}
