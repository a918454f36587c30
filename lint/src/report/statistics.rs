//! `--statistics`: how often each rule spoke, what was looked at, and how much of it was understood.

use super::{Report, counted, severity};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the figures, the rules with the most findings first.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(report: &Report, mut out: impl Write) -> io::Result<()> {
    let mut rules: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for shown in &report.findings {
        *rules.entry((shown.finding.rule, severity(shown.finding.level))).or_default() += 1;
    }
    let mut rules: Vec<((&str, &str), usize)> = rules.into_iter().collect();
    rules.sort_by_key(|(rule, count)| (std::cmp::Reverse(*count), *rule));
    for ((rule, word), count) in rules {
        writeln!(out, "{count:>6}  {rule} ({word})")?;
    }
    let figures = report.statistics;
    writeln!(
        out,
        "looked at: {}, {} kB; {} parsed; {} not read; {} ms",
        super::looked_at(&figures),
        figures.bytes.div_ceil(1000),
        figures.parsed,
        report.unreadable.len(),
        report.elapsed.as_millis()
    )?;
    writeln!(
        out,
        "understood: {} of the hint, {} of them without an outcome; {} not understood, {} not followed, {} out of budget",
        counted(figures.sites, "source"),
        figures.unreached,
        counted(figures.opaque, "value"),
        counted(figures.unresolved, "call"),
        counted(figures.over_budget, "function"),
    )
}
