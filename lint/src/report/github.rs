//! `--format github`: workflow commands, which GitHub Actions turns into annotations on the lines of a pull request.
//!
//! GitHub shows ten errors and ten warnings of a step as annotations; the log has all, and SARIF has no such limit.

use super::{Report, Shown, doubt, in_words};
use crate::diagnostic::Level;
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes one command for each finding.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    report.findings.iter().try_for_each(|shown| writeln!(out, "{}", command(report, shown)))
}

fn command(report: &Report, shown: &Shown) -> String {
    let finding = &shown.finding;
    let command = match finding.level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Advice | Level::Allow => "notice",
    };
    let (file, line, end_line) = report.forge_place(shown);
    let mut place = format!("file={},line={line},endLine={end_line}", property(&file));
    let (start, end) = (shown.place.start, shown.place.end);
    let is_elsewhere = file != shown.place.in_checkout;
    // Columns are taken only where the lines are the same.
    if start.line == end.line && !is_elsewhere {
        place += &format!(",col={},endColumn={}", start.column, end.column);
    }
    let mut lines = vec![finding.message.clone()];
    if !finding.help.is_empty() {
        lines.push(format!("help: {}", finding.help));
    }
    lines.extend(finding.witness.as_ref().map(in_words));
    lines.extend(doubt(finding.confidence));
    if is_elsewhere {
        lines.push(format!("in {}:{}:{}", shown.place.path, start.line, start.column));
    }
    format!("::{command} {place},title={}::{}", property(finding.rule), message(&lines.join("\n")))
}

/// A message as the runner reads it: percent signs and line ends are written as their codes, so that no text can begin a command of its own.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property's value, in which the signs between properties are written as their codes as well.
fn property(text: &str) -> Cow<'_, str> {
    if text.contains(['%', '\r', '\n', ':', ',']) {
        message(text).replace(':', "%3A").replace(',', "%2C").into()
    } else {
        text.into()
    }
}
