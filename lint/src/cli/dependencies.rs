//! `--deps`: what a workspace is built of is looked at as well.

use super::Failure;
use clap::Args;
use retry_after_lint::report::Report;
use retry_after_lint::workspace::{self, Root, Way};
use std::collections::BTreeMap;

/// The flags.
#[derive(Args)]
pub(super) struct DependencyArgs {
    /// Also every dependency in Cargo.lock, each with what brings it in
    ///
    /// Sources are taken from where cargo keeps them; what is not there is fetched by cargo in a folder of its own. Settings of the workspace and suppressions in
    /// the dependencies' code are not obeyed for them; -A, -W and -D are. The lock file knows no features and targets, so some may be part of no build.
    #[arg(long, conflicts_with_all = ["crates", "changed_since", "diff_file", "add_suppressions", "show_settings"], help_heading = "Package selection")]
    deps: bool,
}

impl DependencyArgs {
    /// Whether the dependencies are looked at.
    pub(super) fn is_asked_for(&self) -> bool {
        self.deps
    }

    /// Finds the dependencies, if that is asked for, and puts them behind the roots. Returns what brings each in.
    pub(super) fn find(&self, roots: &mut Vec<Root>) -> Result<BTreeMap<String, Way>, Failure> {
        if !self.deps {
            return Ok(BTreeMap::new());
        }
        let found = workspace::dependencies(roots)?;
        if let Some(first) = roots.first_mut() {
            first.unreadable.extend(found.missing);
        }
        roots.extend(found.roots);
        Ok(found.ways)
    }

    /// Adds how many of the dependencies have findings.
    pub(super) fn tell(&self, report: &mut Report) {
        if !self.deps {
            return;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for shown in report.findings.iter().filter(|shown| shown.is_versioned) {
            *counts.entry(shown.package.as_deref().unwrap_or_default()).or_default() += 1;
        }
        let each: Vec<String> = counts.iter().map(|(package, count)| format!("{package} ({count})")).collect();
        let list = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
        report.notes.push(format!("{} of {} dependencies have findings{list}", counts.len(), report.ways.len()));
    }
}
