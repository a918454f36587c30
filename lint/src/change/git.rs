//! Git, asked what has changed, so that nothing the repository configures is run.
//!
//! A repository's configuration can name programs: an external diff, text conversions, clean filters, a file system monitor, hooks, a way to fetch what a partial
//! clone lacks. Each is switched off by a flag, a variable or a setting that stands over the repository's; filters are first asked for by name.

use super::{Changes, Error, diff};
use crate::workspace::program::{self, Output};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// No difference takes longer to find.
const LIMIT: Duration = Duration::from_secs(120);

/// Variables that would have git look elsewhere, run something, or read paths in another way.
const DROPPED: [&str; 13] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_TRACE2_EVENT",
];

/// Settings over the repository's own: no monitor, no hooks, no file that says in which order files come.
const SETTINGS: [(&str, &str); 4] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("diff.orderFile", "/dev/null"),
];

/// A repository, and the git to ask about it.
struct Git {
    program: PathBuf,
    folder: PathBuf,
    /// Settings that switch off the filters.
    filters: Vec<(String, String)>,
}

/// What has changed in the repository around the folder since it parted from `base`: the tree of their common ancestor against the files as they are, those
/// that git does not know yet among them.
pub(super) fn changes_since(folder: &Path, base: &str) -> Result<Changes, Error> {
    let around = folder.ancestors().find(|above| above.join(".git").exists());
    let around = around.ok_or_else(|| {
        Error::new(format!(
            "`{}` is in no git repository, so nothing can have changed since `{base}`",
            folder.display()
        ))
    })?;
    let program = program::find("git", None, around.canonicalize().ok().as_deref())
        .ok_or_else(|| Error::new("no `git` on the search path"))?;
    let mut git = Git { program, folder: around.to_owned(), filters: Vec::new() };
    let top = git.top(folder)?;
    git.filters = git.filters()?;
    let ancestor = git.ancestor(base)?;
    let output = git.run(
        &[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--text",
            "--no-relative",
            "--ignore-submodules=all",
            "-M",
            "-l0",
            "-U0",
        ],
        &["--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", &ancestor, "--", "*.rs"],
    )?;
    if !output.success {
        return Err(git.failed(&output));
    }
    let parsed = diff::parse(&String::from_utf8_lossy(&output.stdout))
        .map_err(|error| Error::new(format!("git's difference from `{base}` cannot be read: {error}")))?;
    let mut changes = Changes { root: top, ..Changes::default() };
    for (path, lines) in parsed.files {
        changes.files.insert(path.strip_prefix("b/").unwrap_or(&path).to_owned(), lines);
    }
    let untracked = git.run(&["ls-files", "--others", "--exclude-standard", "-z", "--full-name", "--", "*.rs"], &[])?;
    if !untracked.success {
        return Err(git.failed(&untracked));
    }
    for path in untracked.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        changes.add_whole_file(&String::from_utf8_lossy(path));
    }
    Ok(changes)
}

impl Git {
    /// The folder of the files, which must hold the one that is asked about.
    fn top(&self, folder: &Path) -> Result<PathBuf, Error> {
        let output = self.run(&["rev-parse", "--show-toplevel"], &[])?;
        if !output.success {
            return Err(self.failed(&output));
        }
        let top = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end_matches(['\n', '\r']));
        let top = top.canonicalize().unwrap_or(top);
        if !folder.canonicalize().is_ok_and(|folder| folder.starts_with(&top)) {
            return Err(Error::new(format!(
                "the repository `{}` keeps its files in `{}`, which does not hold `{}`",
                self.folder.display(),
                top.display(),
                folder.display()
            )));
        }
        Ok(top)
    }

    /// Every filter that is configured, switched off.
    fn filters(&self) -> Result<Vec<(String, String)>, Error> {
        let output = self.run(
            &["config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$"],
            &[],
        )?;
        let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .map(|name| {
                let value = if name.ends_with(".required") { "false" } else { "" };
                (name, value.to_owned())
            })
            .collect())
    }

    /// The commit from which the base and what is checked out have parted.
    fn ancestor(&self, base: &str) -> Result<String, Error> {
        let commit = format!("{base}^{{commit}}");
        let known = self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit], &[])?;
        if !known.success || base.is_empty() {
            return Err(Error::new(format!(
                "no commit `{base}` in `{}`; name a branch, tag or commit that is there, or fetch it first",
                self.folder.display()
            )));
        }
        let base_commit = String::from_utf8_lossy(&known.stdout).trim().to_owned();
        let output = self.run(&["merge-base", &base_commit, "HEAD"], &[])?;
        let ancestor = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if !output.success || ancestor.is_empty() {
            return Err(Error::new(format!(
                "`{base}` and what is checked out have no common ancestor in `{}`; in a shallow clone, fetch more of the history \
                 (`git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout)",
                self.folder.display()
            )));
        }
        Ok(ancestor)
    }

    fn run(&self, arguments: &[&str], more: &[&str]) -> Result<Output, Error> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).arg("--no-pager").args(arguments).args(more);
        for name in DROPPED {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        // What a partial clone lacks is not fetched: the repository says with which program.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        for (name, value) in self.settings() {
            command.env(name, value);
        }
        program::run(command, LIMIT).map_err(Error::new)
    }

    /// Settings as variables, after those that the user has given in the same way.
    fn settings(&self) -> Vec<(String, OsString)> {
        let given = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        let own = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut variables = Vec::new();
        let mut count = given;
        for (name, value) in own.chain(self.filters.iter().cloned()) {
            variables.push((format!("GIT_CONFIG_KEY_{count}"), name.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{count}"), value.into()));
            count += 1;
        }
        variables.push(("GIT_CONFIG_COUNT".to_owned(), count.to_string().into()));
        variables
    }

    fn failed(&self, output: &Output) -> Error {
        let reason =
            output.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("git failed and said nothing");
        let reason = reason.trim_start_matches("fatal: ").trim_start_matches("error: ");
        let folder = self.folder.display();
        // Containers check out as another user than they run as.
        let hint = if output.stderr.contains("safe.directory") {
            format!("; if you trust it, `git config --global --add safe.directory {folder}`")
        } else {
            String::new()
        };
        Error::new(format!("git cannot tell what changed in `{folder}`: {reason}{hint}"))
    }
}
