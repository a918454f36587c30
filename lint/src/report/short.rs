//! `--format short`: one finding a line, as compilers' short forms are, for editors and for `grep`.

use super::{Report, one_line, severity};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

/// Writes the findings. The text holds colours; a stream that shows none strips them.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    for shown in &report.findings {
        let word = severity(shown.finding.level);
        let colour = if word == "error" { AnsiColor::BrightRed } else { AnsiColor::Yellow };
        let style = Style::new().bold().fg_color(Some(colour.into()));
        let (path, start) = (one_line(&shown.place.path), shown.place.start);
        let message = one_line(&shown.finding.message);
        let rule = shown.finding.rule;
        writeln!(out, "{path}:{}:{}: {style}{word}[{rule}]{style:#}: {message}", start.line, start.column)?;
    }
    Ok(())
}
