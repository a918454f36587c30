//! `--format gitlab`: the list of GitLab's code quality reports, which merge requests show on their lines.

use super::fingerprint;
use super::{Report, Shown, doubt, in_words};
use crate::diagnostic::Level;
use serde::Serialize;
use std::io::{self, Write};

/// Writes the list, and a line end after it.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    let issues: Vec<Issue<'_>> = report.findings.iter().map(|shown| issue(report, shown)).collect();
    serde_json::to_writer(&mut out, &issues)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'a str,
    categories: [&'a str; 1],
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

fn issue<'a>(report: &Report, shown: &'a Shown) -> Issue<'a> {
    let finding = &shown.finding;
    let (path, begin, end) = report.forge_place(shown);
    let is_elsewhere = path != shown.place.in_checkout;
    let inside = is_elsewhere.then(|| format!("in {}:{}", shown.place.path, shown.place.start.line));
    let parts =
        [Some(finding.message.clone()), finding.witness.as_ref().map(in_words), doubt(finding.confidence), inside];
    Issue {
        description: parts.into_iter().flatten().collect::<Vec<_>>().join("; "),
        check_name: finding.rule,
        // One list may be of several packages with files of the same names, and GitLab takes no fingerprint twice.
        fingerprint: fingerprint::hash(&[&shown.place.in_checkout, &shown.fingerprint]),
        severity: match finding.level {
            Level::Deny => "major",
            Level::Warn => "minor",
            Level::Advice | Level::Allow => "info",
        },
        categories: ["Bug Risk"],
        location: Location { path, lines: Lines { begin, end } },
    }
}
