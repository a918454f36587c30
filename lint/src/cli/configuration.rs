//! Configuration: which files are obeyed, and `--show-settings`.

use super::levels::Levels;
use super::output::{self, Color};
use super::{CLEAN, Failure};
use clap::Args;
use retry_after_lint::Analysis;
use retry_after_lint::cores::in_parallel;
use retry_after_lint::settings::{self, Settings};
use retry_after_lint::workspace::Root;
use std::path::{Path, PathBuf};

/// The flags.
#[derive(Args)]
pub(super) struct ConfigurationArgs {
    /// Obey this file of settings and no other
    ///
    /// Without it, `[workspace.metadata.retry-after]` and `[package.metadata.retry-after]` in Cargo.toml and `retry-after.toml` beside it hold, a package's over
    /// its workspace's. -A, -W and -D hold over all of them.
    #[arg(long, value_name = "FILE", conflicts_with = "isolated", help_heading = "Configuration")]
    config: Option<PathBuf>,

    /// Obey nothing of what is linted: no settings and no suppressions
    #[arg(long, help_heading = "Configuration")]
    isolated: bool,

    /// Print what holds and where each setting comes from, instead of linting
    #[arg(long, conflicts_with = "format", help_heading = "Configuration")]
    show_settings: bool,
}

impl ConfigurationArgs {
    /// Whether suppressions in the code are obeyed as well.
    pub(super) fn is_isolated(&self) -> bool {
        self.isolated
    }

    /// Reads the settings of each root, and takes out of it what they exclude.
    /// Where they are a `whole` workspace, patterns that match nothing in it are noted.
    pub(super) fn read(&self, roots: &mut [Root], folder: &Path, whole: bool) -> Result<Vec<Settings>, Failure> {
        let find = |root: &Root| match self.isolated {
            true => Ok(Settings::default()),
            false => Settings::find(root, self.config.as_deref(), folder),
        };
        let found = in_parallel(roots, find);
        let mut all = Vec::new();
        for (root, settings) in roots.iter_mut().zip(found) {
            let settings = settings?;
            if whole && !root.versioned {
                root.notes.extend(settings.unmatched(root));
            }
            settings.exclude(root);
            all.push(settings);
        }
        Ok(all)
    }

    /// Prints the settings if that is asked for: then it is all there is to do.
    pub(super) fn show(
        &self,
        roots: &[Root],
        all: &[Settings],
        levels: &Levels,
        color: Option<Color>,
    ) -> Result<Option<u8>, Failure> {
        if !self.show_settings {
            return Ok(None);
        }
        output::print(color, |out| {
            roots.iter().zip(all).try_for_each(|(root, settings)| {
                out.write_all(settings::show(root, settings, &|rule, level| levels.changed(rule, level)).as_bytes())
            })
        })?;
        Ok(Some(CLEAN))
    }
}

/// Gives the findings the levels that are configured for their files.
pub(super) fn set_levels(root: &Root, analysis: &mut Analysis, settings: &Settings) {
    for finding in analysis.findings.iter_mut().chain(&mut analysis.suppressed) {
        finding.level = settings.level(&root.workspace, finding.span.file, finding.rule, finding.level);
    }
}
