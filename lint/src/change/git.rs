//! Git, asked what has changed, so that nothing the repository configures is run.
//!
//! A repository's configuration can name programs: an external diff, text conversions, clean filters, a file system monitor, hooks, a way to fetch what a partial
//! clone lacks. Each is switched off by a flag, a variable or a setting that stands over the repository's; filters are first asked for by name.

use super::diff::{self, Section};
use super::file::FileChange;
use super::{Changes, Error};
use crate::workspace::program::{self, Output};
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

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

/// Settings over the repository's own: no monitor, no hooks, no file that says in which order files come, and nothing written: neither
/// what was learnt of the index, nor a part of it.
const SETTINGS: [(&str, &str); 6] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("core.splitIndex", "false"),
    ("diff.autoRefreshIndex", "false"),
    ("diff.orderFile", "/dev/null"),
];

/// How the difference is made: of Rust files, without context.
const DIFF: [&str; 13] = [
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
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "-O/dev/null",
];

/// A repository, and the git to ask about it.
pub(super) struct Git {
    program: PathBuf,
    folder: PathBuf,
    /// The folder of the files.
    top: PathBuf,
    /// Settings that switch off the filters.
    filters: Vec<(String, String)>,
}

impl Git {
    /// The git for a repository's folder.
    pub(super) fn open(folder: &Path) -> Result<Git, Error> {
        let program =
            program::find("git", None, Some(folder)).ok_or_else(|| Error::new("no `git` on the search path"))?;
        let mut git = Git { program, folder: folder.to_owned(), top: PathBuf::new(), filters: Vec::new() };
        git.top = git.top(folder)?;
        git.filters = git.filters()?;
        Ok(git)
    }

    /// What has changed since a commit, which the user calls `base`: its tree against the files as they are, those that git does not know yet among them.
    pub(super) fn changes_since(&self, commit: &str, base: &str) -> Result<Changes, Error> {
        let untracked =
            self.paths(&["ls-files", "--others", "--exclude-standard", "-z", "--full-name", "--", "*.rs"])?;
        let veiled = self.veiled()?;
        let mut sections = if veiled.is_empty() { self.difference(commit, base, None)? } else { Vec::new() };
        // A file that was moved without a word to git is gone in one place and unknown in another. With an index that names it, git follows it.
        let may_have_moved = !untracked.is_empty() && sections.iter().any(|section| section.new.is_none());
        let mut is_all_known = false;
        if may_have_moved || !veiled.is_empty() {
            let index = self.index(&untracked, &veiled)?;
            sections = self.difference(commit, base, Some(&index.path().join("index")))?;
            is_all_known = true;
        }
        let mut changes = Changes { root: self.top.clone(), ..Changes::default() };
        for section in sections {
            let bare = |path: &Option<String>, prefix: &str| {
                path.as_ref().map(|path| path.strip_prefix(prefix).unwrap_or(path).to_owned())
            };
            let (now, before) = (bare(&section.new, "b/"), bare(&section.old, "a/"));
            let text = match &now {
                Some(path) => std::fs::read(self.top.join(path)).unwrap_or_default(),
                None => Vec::new(),
            };
            let mut file = FileChange::unchanged("", &String::from_utf8_lossy(&text));
            // What git shows may have been through a conversion of line ends; lines it counts as they are.
            let _ = file.undo(&section.hunks, false);
            (file.now, file.before) = (now, before);
            changes.files.push(file.finish());
        }
        if !is_all_known {
            changes
                .files
                .extend(untracked.iter().map(|path| FileChange::added(&String::from_utf8_lossy(path)).finish()));
        }
        Ok(changes)
    }

    /// All files of a repository that the one around it does not know yet.
    pub(super) fn everything(&self) -> Result<Changes, Error> {
        let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--full-name", "--", "*.rs"];
        let paths = self.paths(&arguments)?;
        let files = paths.iter().map(|path| FileChange::added(&String::from_utf8_lossy(path)).finish());
        Ok(Changes { root: self.top.clone(), files: files.collect(), ..Changes::default() })
    }

    /// The commit that a tree names for the submodule at the path; None where it names none.
    pub(super) fn submodule(&self, commit: &str, path: &Path) -> Result<Option<String>, Error> {
        let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let output = self.asked(&["ls-tree", "-z", "--full-tree", commit, "--", &path])?;
        let text = String::from_utf8_lossy(&output);
        Ok(text.strip_prefix("160000 commit ").and_then(|rest| rest.split('\t').next()).map(str::to_owned))
    }

    /// The commit, which must be there.
    pub(super) fn submodule_commit(&self, commit: &str, base: &str) -> Result<String, Error> {
        let known = self.run(&["cat-file", "-e", &format!("{commit}^{{commit}}")], &[])?;
        if known.success {
            return Ok(commit.to_owned());
        }
        Err(Error::new(format!(
            "the submodule `{}` was at {commit} in `{base}`, and that commit is not there; fetch it first",
            self.folder.display()
        )))
    }

    /// Whether git is told to leave the path alone.
    pub(super) fn ignores(&self, path: &Path) -> Result<bool, Error> {
        let path = path.to_string_lossy();
        Ok(self.run(&["check-ignore", "-q", "--", &path], &[])?.success)
    }

    fn difference(&self, commit: &str, base: &str, index: Option<&Path>) -> Result<Vec<Section>, Error> {
        let mut command = self.command(&DIFF, &["--dst-prefix=b/", commit, "--", "*.rs"]);
        command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        let output = program::run(command, LIMIT).map_err(Error::new)?;
        if !output.success {
            return Err(self.failed(&output));
        }
        diff::parse(&String::from_utf8_lossy(&output.stdout))
            .map_err(|error| Error::new(format!("git's difference from `{base}` cannot be read: {error}")))
    }

    /// Files that git is told to take for unaltered, and that are there.
    fn veiled(&self) -> Result<Vec<Vec<u8>>, Error> {
        let mut paths = self.paths(&["ls-files", "-v", "-z", "--full-name", "--", "*.rs"])?;
        paths.retain(|line| line.first().is_some_and(|tag| tag.is_ascii_lowercase() || *tag == b'S'));
        let paths = paths.into_iter().filter_map(|line| line.get(2..).map(<[u8]>::to_vec));
        Ok(paths.filter(|path| self.top.join(&*String::from_utf8_lossy(path)).is_file()).collect())
    }

    /// A copy of the index, outside of the repository, that knows the untracked files and takes none for unaltered.
    fn index(&self, untracked: &[Vec<u8>], veiled: &[Vec<u8>]) -> Result<TempDir, Error> {
        let failed = |error: std::io::Error| Error::new(format!("cannot write a copy of git's index: {error}"));
        let own = self.asked(&["rev-parse", "--git-path", "index"])?;
        let own = self.folder.join(String::from_utf8_lossy(&own).trim_end_matches(['\n', '\r']));
        let folder = tempfile::Builder::new().prefix("retry-after-").tempdir().map_err(failed)?;
        let copy = folder.path().join("index");
        if own.exists() {
            std::fs::copy(&own, &copy).map_err(failed)?;
        }
        let empty = self.asked(&["hash-object", "-t", "blob", "--stdin"])?;
        let mut entries = Vec::new();
        for path in untracked {
            entries.extend_from_slice(b"100644 ");
            entries.extend_from_slice(empty.trim_ascii());
            entries.extend_from_slice(b" 0\t");
            entries.extend_from_slice(path);
            entries.push(0);
        }
        // An entry that is put in anew is under no flag, and git knows no time at which it was unaltered.
        for line in self.paths(&["ls-files", "-s", "-z", "--full-name", "--", "*.rs"])? {
            let path = line.iter().position(|byte| *byte == b'\t').map(|tab| line[tab + 1..].to_vec());
            if path.is_some_and(|path| veiled.contains(&path)) {
                entries.extend_from_slice(&line);
                entries.push(0);
            }
        }
        let path = folder.path().join("input");
        File::create(&path).and_then(|mut file| file.write_all(&entries)).map_err(failed)?;
        let mut command = self.command(&["update-index", "-z", "--index-info"], &[]);
        command.env("GIT_INDEX_FILE", &copy);
        let input = Stdio::from(File::open(&path).map_err(failed)?);
        let output = program::run_on(command, input, LIMIT).map_err(Error::new)?;
        if !output.success {
            return Err(self.failed(&output));
        }
        Ok(folder)
    }

    /// What git answers.
    fn asked(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let output = self.run(arguments, &[])?;
        if output.success { Ok(output.stdout) } else { Err(self.failed(&output)) }
    }

    /// What git answers, taken apart at its NUL bytes.
    fn paths(&self, arguments: &[&str]) -> Result<Vec<Vec<u8>>, Error> {
        let output = self.asked(arguments)?;
        Ok(output.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
    }

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
    pub(super) fn ancestor(&self, base: &str) -> Result<String, Error> {
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
        program::run(self.command(arguments, more), LIMIT).map_err(Error::new)
    }

    fn command(&self, arguments: &[&str], more: &[&str]) -> Command {
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
        command
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
