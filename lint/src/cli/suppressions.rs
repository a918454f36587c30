//! `--add-suppressions`: writes a comment above each finding that is shown.

use super::output::{self, Color};
use super::{CLEAN, FAILED, Failure};
use clap::Args;
use retry_after_lint::report::Report;
use retry_after_lint::rules::{Group, RULES};
use retry_after_lint::suppression;
use retry_after_lint::workspace::plain;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The flags.
#[derive(Args)]
pub(super) struct SuppressionArgs {
    /// Write a suppression with this reason above every finding that would be shown
    ///
    /// It is a comment, `// retry-after: allow(RULE): REASON`, which neither rustc nor rustfmt minds. This is the only thing that changes source files.
    #[arg(long, value_name = "REASON", conflicts_with_all = ["isolated", "crates", "show_settings"], help_heading = "Configuration")]
    add_suppressions: Option<String>,
}

impl SuppressionArgs {
    /// Writes the suppressions if that is asked for: then it is all there is to do.
    pub(super) fn add(&self, report: &Report, color: Option<Color>) -> Result<Option<u8>, Failure> {
        let Some(reason) = self.add_suppressions.as_deref().map(str::trim) else { return Ok(None) };
        if !reason.chars().any(char::is_alphanumeric) || reason.contains(char::is_control) {
            return Err(Failure(
                "--add-suppressions needs a reason: one line that says why it does not matter".to_owned(),
            ));
        }
        let mut files: BTreeMap<&Path, BTreeMap<u32, BTreeSet<&str>>> = BTreeMap::new();
        let is_about_code =
            |rule: &str| !RULES.iter().any(|known| known.id == rule && known.group == Group::Suppression);
        for shown in report.findings.iter().filter(|shown| is_about_code(shown.finding.rule)) {
            let lines = files.entry(&shown.place.absolute).or_default();
            lines.entry(shown.place.start.line).or_default().insert(shown.finding.rule);
        }
        let (mut count, mut code) = (0, CLEAN);
        for (file, places) in &files {
            let failed = |error: std::io::Error| Failure(format!("{}: {}", file.display(), plain(&error)));
            let text = std::fs::read_to_string(file).map_err(failed)?;
            let inserted = suppression::insert(&text, places, reason);
            std::fs::write(file, inserted.text).map_err(failed)?;
            count += inserted.count;
            for line in inserted.without_room {
                let message = format!("{}:{line}: no room for a comment here; suppress it by hand", file.display());
                output::complain("warning", &message, color);
                code = FAILED;
            }
        }
        output::print(color, |out| {
            let plural = |count: usize| if count == 1 { "" } else { "s" };
            let files = files.len();
            writeln!(out, "{count} suppression{} added in {files} file{}", plural(count), plural(files))
        })?;
        Ok(Some(code))
    }
}
