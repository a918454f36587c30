//! `rules`: the list of rules.

use super::{CLEAN, Failure, output};
use clap::{Args, ValueEnum};
use retry_after_lint::report::level_word;
use retry_after_lint::rules::{RULES, Rule};
use serde::Serialize;

/// The arguments of `rules`.
#[derive(Args)]
pub(super) struct RulesArgs {
    /// How the list is written
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    format: Format,
}

/// How the list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Human,
    /// A JSON array
    Json,
}

#[derive(Serialize)]
struct Row<'a> {
    rule: &'a str,
    group: &'a str,
    level: &'a str,
    summary: String,
}

/// Prints the list in the order of the hint's way.
pub(super) fn run(args: &RulesArgs) -> Result<u8, Failure> {
    let rows: Vec<Row<'_>> = RULES.iter().map(|rule| row(rule)).collect();
    output::print(None, |out| match args.format {
        Format::Json => {
            serde_json::to_writer(&mut *out, &rows)?;
            out.write_all(b"\n")
        }
        Format::Human => {
            let width = rows.iter().map(|row| row.rule.len()).max().unwrap_or(0);
            rows.iter().try_for_each(|row| {
                writeln!(out, "{:width$}  {:8}  {:6}  {}", row.rule, row.group, row.level, row.summary)
            })
        }
    })?;
    Ok(CLEAN)
}

fn row(rule: &Rule) -> Row<'static> {
    Row { rule: rule.id, group: rule.group.as_str(), level: level_word(rule.level), summary: rule.summary() }
}
