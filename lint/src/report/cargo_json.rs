//! `--format cargo-json`: the lines that `cargo check --message-format=json` writes, so that editors show findings as they show the compiler's.
//!
//! Each finding is one `compiler-message`; the journey's places are its secondary spans. Files are named by their whole paths, so that it does not matter
//! which folder a reader takes names to be relative to. `build-finished` is the last line.

use super::{Place, Report, Shown, doubt, human, in_words, severity};
use crate::diagnostic::Level;
use crate::ir::Span;
use crate::workspace::Package;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a rule's name stands behind, as a lint's name stands behind its tool's.
const TOOL: &str = "retry_after";

/// Writes the lines.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    for shown in &report.findings {
        let Some(message) = message(report, shown) else { continue };
        serde_json::to_writer(&mut out, &message)?;
        out.write_all(b"\n")?;
    }
    let finished = Finished { reason: "build-finished", success: report.count(Level::Deny) == 0 };
    serde_json::to_writer(&mut out, &finished)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Finished {
    reason: &'static str,
    success: bool,
}

#[derive(Serialize)]
struct Message {
    reason: &'static str,
    package_id: String,
    manifest_path: PathBuf,
    target: Target,
    message: Diagnostic,
}

/// The part of the package that the file belongs to, as far as it is known without cargo.
#[derive(Serialize)]
struct Target {
    kind: [&'static str; 1],
    crate_types: [&'static str; 1],
    name: String,
    src_path: PathBuf,
    edition: &'static str,
    doc: bool,
    doctest: bool,
    test: bool,
}

#[derive(Serialize)]
struct Diagnostic {
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    message: String,
    code: Option<Code>,
    level: &'static str,
    spans: Vec<DiagnosticSpan>,
    children: Vec<Diagnostic>,
    rendered: Option<String>,
}

#[derive(Serialize)]
struct Code {
    code: String,
    explanation: Option<String>,
}

#[derive(Serialize)]
struct DiagnosticSpan {
    file_name: String,
    byte_start: u32,
    byte_end: u32,
    line_start: u32,
    line_end: u32,
    column_start: u32,
    column_end: u32,
    is_primary: bool,
    text: Vec<Line>,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
    expansion: Option<()>,
}

#[derive(Serialize)]
struct Line {
    text: String,
    highlight_start: u32,
    highlight_end: u32,
}

fn message(report: &Report, shown: &Shown) -> Option<Message> {
    let finding = &shown.finding;
    let text = report.text(shown, finding.span)?;
    let package = report.packages.get(&(shown.root, text.package))?;
    let mut spans = vec![span(report, shown, finding.span, &shown.place, true, &finding.label)?];
    for (at, place, label) in report.journey(shown).into_iter().filter(|(at, ..)| *at != finding.span) {
        spans.extend(span(report, shown, at, place, false, label));
    }
    let mut children = Vec::new();
    if !finding.help.is_empty() {
        children.push(child("help", finding.help.clone()));
    }
    let notes = finding.witness.as_ref().map(in_words).into_iter().chain(doubt(finding.confidence));
    children.extend(notes.map(|note| child("note", note)));
    Some(Message {
        reason: "compiler-message",
        package_id: package_id(package),
        manifest_path: package.root.join("Cargo.toml"),
        target: target(package, &text.path),
        message: Diagnostic {
            message_type: "diagnostic",
            message: finding.message.clone(),
            code: Some(Code { code: format!("{TOOL}::{}", finding.rule), explanation: None }),
            level: severity(finding.level),
            spans,
            children,
            rendered: Some(human::plain(report, shown) + "\n\n"),
        },
    })
}

fn child(level: &'static str, message: String) -> Diagnostic {
    Diagnostic {
        message_type: "diagnostic",
        message,
        code: None,
        level,
        spans: Vec::new(),
        children: Vec::new(),
        rendered: None,
    }
}

fn span(
    report: &Report,
    shown: &Shown,
    span: Span,
    place: &Place,
    is_primary: bool,
    label: &str,
) -> Option<DiagnosticSpan> {
    let text = report.text(shown, span)?;
    let lines = (place.start.line..=place.end.line).map(|number| {
        let line = text.lines.line(&text.text, number);
        let width = line.chars().count() as u32;
        let start = if number == place.start.line { place.start.column } else { 1 };
        let end = if number == place.end.line { place.end.column } else { width + 1 };
        Line { text: line.to_owned(), highlight_start: start, highlight_end: end }
    });
    Some(DiagnosticSpan {
        file_name: text.path.to_string_lossy().into_owned(),
        byte_start: span.start,
        byte_end: span.end,
        line_start: place.start.line,
        line_end: place.end.line,
        column_start: place.start.column,
        column_end: place.end.column,
        is_primary,
        text: lines.collect(),
        label: (!label.is_empty()).then(|| label.to_owned()),
        suggested_replacement: None,
        suggestion_applicability: None,
        expansion: None,
    })
}

/// The package's id as cargo writes those of packages in folders.
fn package_id(package: &Package) -> String {
    let folder = super::sarif::file_address(&package.root);
    let version = package.version.as_deref().unwrap_or("0.0.0");
    match &package.name {
        Some(name) if package.root.file_name().is_some_and(|folder| folder == name.as_str()) => {
            format!("path+{folder}#{version}")
        }
        Some(name) => format!("path+{folder}#{name}@{version}"),
        None => format!("path+{folder}#{version}"),
    }
}

/// The binary whose root the file is, else the library, else what there is.
fn target(package: &Package, file: &Path) -> Target {
    let is_library = |root: &&PathBuf| root.file_name().is_some_and(|name| name == "lib.rs");
    let own = package.crate_roots.iter().find(|root| root.as_path() == file);
    let root = own.or_else(|| package.crate_roots.iter().find(is_library)).or(package.crate_roots.first());
    let root = root.map_or(file, PathBuf::as_path);
    let stem = root.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let in_bin = root.parent().and_then(Path::file_name).is_some_and(|folder| folder == "bin");
    let is_binary = stem == "main" || in_bin;
    let kind = if is_binary { "bin" } else { "lib" };
    let name = match (&package.name, in_bin) {
        (_, true) if stem != "main" => stem,
        (Some(name), _) if is_binary => name.clone(),
        _ => package.crate_name.clone(),
    };
    Target {
        kind: [kind],
        crate_types: [kind],
        name,
        src_path: root.to_owned(),
        edition: "2021",
        doc: true,
        doctest: !is_binary,
        test: true,
    }
}
