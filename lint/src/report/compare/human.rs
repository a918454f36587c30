//! `compare --format human`: for each subject what it does with a header and what is right, and at the end what was compared and what was not.

use super::{alike, level};
use crate::diagnostic::Level;
use crate::harness::lift::Verdict;
use crate::harness::{Compared, Comparison, Difference, Status};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();

/// Writes the subjects. With `verbose` also what each does with a few plain headers.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(comparison: &Comparison, verbose: bool, mut out: impl Write) -> io::Result<()> {
    for compared in comparison.subjects.iter().filter(|compared| compared.ran()) {
        subject(compared, verbose, &mut out)?;
    }
    for compared in comparison.subjects.iter().filter(|compared| !compared.ran()) {
        let reason = compared.reason.unwrap_or("unknown");
        let detail = compared.detail.as_deref().filter(|detail| !detail.is_empty());
        let detail = detail.map_or_else(String::new, |detail| format!(": {}", plain(detail)));
        let what = if compared.status == Status::BuildFailed { "not built" } else { "not extracted" };
        writeln!(out, "{BOLD}{}{BOLD:#} `{}`", plain(&compared.subject.id), plain(&compared.subject.item))?;
        writeln!(out, "    {what} ({}): {reason}{detail}", compared.strategy().name())?;
        lift(compared, &mut out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn subject(compared: &Compared, verbose: bool, out: &mut impl Write) -> io::Result<()> {
    let subject = &compared.subject;
    writeln!(out, "{BOLD}{}{BOLD:#} `{}`", plain(&subject.id), plain(&subject.item))?;
    let mut told: Vec<&str> = Vec::new();
    for difference in &compared.divergences {
        // The others of the name are the same fault with another family of headers.
        let same = || compared.divergences.iter().filter(|other| other.kind == difference.kind);
        if !verbose && told.contains(&&*difference.kind) {
            continue;
        }
        told.push(&difference.kind);
        let (style, word) = match level(difference) {
            Level::Deny => (ERROR, "error"),
            _ => (WARNING, "warning"),
        };
        writeln!(
            out,
            "    {style}{word}[{}]{style:#}: {} your code {}; right: {}",
            difference.kind,
            given(&difference.header),
            plain(&difference.subject),
            difference.reference
        )?;
        let count = if verbose { difference.count } else { same().map(|other| other.count).sum() };
        let more = match same().count() {
            1 => String::new(),
            _ if verbose => String::new(),
            families => format!(", {families} kinds of headers"),
        };
        match compared.inputs {
            0 => writeln!(out, "        the run ended there: it was asked about nothing else")?,
            inputs => writeln!(out, "        {count} of {inputs} inputs{more}")?,
        }
    }
    if compared.divergences.is_empty() {
        writeln!(out, "    {GOOD}no divergence{GOOD:#}")?;
    }
    if !compared.tolerated.is_empty() {
        let is_first = |(place, difference): &(usize, &Difference)| {
            compared.tolerated[..*place].iter().all(|earlier| earlier.kind != difference.kind)
        };
        let firsts = compared.tolerated.iter().enumerate().filter(|one| verbose || is_first(one));
        let names: Vec<String> = firsts.map(|(_, difference)| tolerated(difference)).collect();
        writeln!(out, "    tolerated: {}", names.join(", "))?;
    }
    if let Some(scale) = compared.scale {
        writeln!(out, "    its number has a unit of its own, {scale} to the second, found by asking")?;
    }
    for (header, does) in compared.habits.iter().filter(|_| verbose) {
        writeln!(out, "    {} it {}", given(header), plain(does))?;
    }
    for differs in compared.table.differ.iter().filter(|_| verbose) {
        writeln!(
            out,
            "    the analysis says otherwise: {} it {}, and in the run it {}",
            given(&differs.header),
            differs.analysis,
            plain(&differs.run)
        )?;
    }
    if verbose && compared.table.cases > 0 && compared.table.differ.is_empty() {
        writeln!(out, "    the analysis says the same of {} headers", compared.table.cases)?;
    }
    let notes = subject.extraction.as_ref().map_or(&[][..], |code| &code.notes);
    for note in notes.iter().filter(|_| verbose) {
        writeln!(out, "    note: {}", plain(note))?;
    }
    if let (Some(reason), Some(detail)) = (compared.reason, &compared.detail) {
        writeln!(out, "    {WARNING}extraction at fault{WARNING:#} ({reason}): {}", plain(detail))?;
    }
    lift(compared, out)?;
    let fingerprint = compared.fingerprint.as_deref().unwrap_or("none");
    let (status, strategy) = (compared.status.name(), compared.strategy().name());
    writeln!(out, "    {status} ({strategy}), {} inputs, behaviour {fingerprint}\n", compared.inputs)
}

/// What came of taking the package whole, where the status does not say it.
fn lift(compared: &Compared, out: &mut impl Write) -> io::Result<()> {
    match compared.lift.as_ref().map(|lift| &lift.verdict) {
        Some(Verdict::Failed { reason, detail }) => {
            writeln!(out, "    not lifted: {reason}: {}", plain(detail))
        }
        _ => Ok(()),
    }
}

fn tolerated(difference: &Difference) -> String {
    format!("{} ({})", difference.kind, given(&difference.header))
}

fn given(header: &str) -> String {
    match header {
        "" => "without `Retry-After`".to_owned(),
        "\\e" => "with an empty `Retry-After`".to_owned(),
        header => format!("with `Retry-After: {header}`"),
    }
}

/// Writes the last lines: how many were compared of how many there are, and which behave alike.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_summary(comparison: &Comparison, mut out: impl Write) -> io::Result<()> {
    for (fingerprint, ids) in alike(comparison) {
        writeln!(out, "behave alike ({fingerprint}): {}", ids.join(", "))?;
    }
    let all = &comparison.subjects;
    let count = |status: Status| all.iter().filter(|compared| compared.status == status).count();
    let ran = all.iter().filter(|compared| compared.ran()).count();
    let diverge = all.iter().filter(|compared| !compared.divergences.is_empty()).count();
    let verified = match count(Status::Verified) {
        0 => String::new(),
        verified => format!(" ({verified} verified)"),
    };
    let things = if all.len() == 1 { "place that reads the hint" } else { "places that read the hint" };
    let mut parts = vec![format!("{ran} of {} {things} compared{verified}", all.len())];
    match (ran, diverge) {
        // What was not compared is no agreement.
        (0, _) => {}
        (_, 0) => parts.push("none diverges".to_owned()),
        (_, 1) => parts.push("1 diverges".to_owned()),
        _ => parts.push(format!("{diverge} diverge")),
    }
    for (status, words) in [(Status::NotExtracted, "not extracted"), (Status::BuildFailed, "not built")] {
        if count(status) > 0 {
            parts.push(format!("{} {words}", count(status)));
        }
    }
    writeln!(out, "{}", parts.join(", "))
}

/// Nothing that the code says may steer the terminal.
fn plain(text: &str) -> String {
    annotate_snippets::normalize_untrusted_str(text)
}
