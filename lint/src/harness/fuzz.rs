//! Fuzzing: the same harness under cargo-fuzz, for as long as somebody waits.
//!
//! Each subject has a corpus that is kept between runs, merged and minimised after each, and a folder of regressions, to which what is found is
//! added as small files. A divergence does not end the search. What ends the process (no end, no memory) is kept as well.

use super::build::{self, program};
use super::layout::{Folder, Group, Purpose, groups, target_name, write};
use super::{Error, Plan, Progress, escape, extracted, regressions};
use crate::extract::Subject;
use crate::harness::Compared;
use crate::workspace::plain;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Several subjects take turns, each for so long.
const TURN: Duration = Duration::from_secs(60);

/// The words of the grammar.
const WORDS: &[&str] = &[
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sun",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
    " GMT",
    "UTC",
    "+0000",
    ", ",
    "12:00:00",
    "23:59:60",
    "2026",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "4294967296",
    "-1",
    "NaN",
    "inf",
    "1e9",
    ".5",
    "+",
    "\\x0a",
];

/// How to fuzz.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Without a nightly compiler, and so without the address sanitizer.
    pub stable: bool,
    /// How long, all subjects together; None until stopped.
    pub time: Option<Duration>,
    /// Options that are handed to libFuzzer.
    pub libfuzzer: Vec<OsString>,
    /// The folder of regressions.
    pub regressions: PathBuf,
    /// Whether libFuzzer's own lines are shown.
    pub verbose: bool,
}

/// What came of a subject.
#[derive(Clone, Debug)]
pub struct Fuzzed {
    /// Its id.
    pub id: String,
    /// Why it could not be fuzzed.
    pub failure: Option<String>,
    /// How many inputs it was given.
    pub runs: u64,
    /// How many seconds libFuzzer ran.
    pub seconds: u64,
    /// Divergences that were not among its regressions, by name and family, each with the simplest header: now they are.
    pub new: Vec<(String, String)>,
    /// How many of its divergences were known.
    pub known: usize,
    /// How many inputs its corpus has.
    pub corpus: usize,
}

/// Looks whether all that is needed is there.
///
/// # Errors
///
/// When something is missing; the message says which command installs it.
pub fn check_tools(options: &Options) -> Result<(), Error> {
    let works = |command: &mut Command| {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !works(Command::new(program()).args(["fuzz", "--version"])) {
        return Err(Error::new("cargo-fuzz is not installed: `cargo install cargo-fuzz` installs it"));
    }
    if !options.stable && !works(Toolchain::Nightly.cargo().arg("--version")) {
        return Err(Error::new(
            "there is no nightly toolchain for the address sanitizer: `rustup toolchain install nightly` installs it; \
             or `--stable` does without",
        ));
    }
    Ok(())
}

/// Which cargo is started.
#[derive(Clone, Copy)]
enum Toolchain {
    Own,
    Nightly,
}

impl Toolchain {
    fn cargo(self) -> Command {
        let mut command = match self {
            Toolchain::Own => Command::new(program()),
            Toolchain::Nightly => {
                let mut command = Command::new("rustup");
                command.args(["run", "nightly", "cargo"]);
                // Those of a cargo that started us would be obeyed.
                for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
                    command.env_remove(variable);
                }
                command
            }
        };
        command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_MANIFEST_DIR");
        command
    }
}

/// A subject that can be fuzzed, with its folders.
struct Prey<'a> {
    number: usize,
    group: &'a Group,
    corpus: PathBuf,
    seeds: PathBuf,
    found: PathBuf,
    regressions: PathBuf,
}

/// Fuzzes the subjects in turns.
///
/// # Errors
///
/// When a folder cannot be written or cargo cannot be started. What fails for a subject is told in its place.
pub fn fuzz(
    subjects: Vec<Subject>,
    plan: &Plan<'_>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Fuzzed>, Error> {
    let groups = groups(&subjects, plan);
    let mut all: Vec<Compared> = subjects.into_iter().map(Compared::new).collect();
    let plain = Folder::prepare(plan)?;
    let folder = Folder::prepare_for(plan, Purpose::Fuzz)?;
    let dictionary = plan.folder.join("fuzz/retry-after.dict");
    write(&dictionary, &WORDS.iter().map(|word| format!("\"{word}\"\n")).collect::<String>())?;
    let seeds = plan.folder.join("fuzz/seeds");
    let mut prey = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        progress.at("building", index, groups.len());
        // What does not compile is found on the way that sets it aside.
        let built = build::build(&plain, group, plan, &|number| extracted(&all[number]))?;
        folder.write_group(group, &built.numbers, &|number| extracted(&all[number]))?;
        if let Some(number) = built.numbers.first() {
            write_seeds(&built.unchecked, *number, &seeds)?;
            if let Some(lockfile) = Some(plain.group(group).join("Cargo.lock")).filter(|path| path.is_file()) {
                let copy = folder.group(group).join("Cargo.lock");
                if !copy.exists() {
                    fs::copy(&lockfile, &copy).map_err(|error| Error::io("write", &copy, &error))?;
                }
            }
        }
        for (number, failure) in &built.failed {
            all[*number].fail(failure);
        }
        for number in built.numbers {
            let key = regressions::key(&all[number].subject);
            let below = |name: &str| plan.folder.join("fuzz").join(name).join(&key);
            let (corpus, found) = (below("corpus"), below("found"));
            prey.push(Prey {
                number,
                group,
                corpus,
                found,
                seeds: seeds.clone(),
                regressions: options.regressions.join(&key),
            });
        }
    }
    let mut results: Vec<Fuzzed> = all.iter().map(Fuzzed::of).collect();
    let is_limited = options.libfuzzer.iter().any(|option| is_limit(option));
    let end = options.time.map(|time| Instant::now() + time);
    let mut round = 0;
    while !prey.is_empty() {
        for (index, one) in prey.iter().enumerate() {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left < Duration::from_secs(1)) && round > 0 {
                return Ok(results);
            }
            // What is left is shared by those that had no turn yet.
            let share = left.map(|left| left / u32::try_from(prey.len() - index).unwrap_or(u32::MAX));
            let turn = share.map_or(TURN, |share| share.min(TURN)).max(Duration::from_secs(1));
            let turn = Some(turn).filter(|_| !is_limited);
            progress.at(&format!("fuzzing {}", results[one.number].id), index, prey.len());
            let hunt = Hunt { folder: &folder, dictionary: &dictionary, options, prey: one };
            hunt.run(turn, &mut results[one.number])?;
        }
        round += 1;
        if is_limited || end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        prey.retain(|one| results[one.number].failure.is_none());
    }
    Ok(results)
}

impl Fuzzed {
    fn of(compared: &Compared) -> Fuzzed {
        let reason =
            compared.reason.map(|reason| format!("{reason}: {}", compared.detail.as_deref().unwrap_or_default()));
        let id = compared.subject.id.clone();
        Fuzzed { id, failure: reason, runs: 0, seconds: 0, new: Vec::new(), known: 0, corpus: 0 }
    }
}

fn is_limit(option: &OsStr) -> bool {
    let option = option.to_string_lossy();
    option.starts_with("-max_total_time") || option.starts_with("-runs")
}

fn create(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, &error))
}

fn write_seeds(program: &Path, number: usize, folder: &Path) -> Result<(), Error> {
    create(folder)?;
    let output = Command::new(program).args(["--subject", &number.to_string(), "--seeds"]).arg(folder).output();
    let output = output.map_err(|error| Error::io("run", program, &error))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::new(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// One turn of one subject.
struct Hunt<'a> {
    folder: &'a Folder,
    dictionary: &'a Path,
    options: &'a Options,
    prey: &'a Prey<'a>,
}

impl Hunt<'_> {
    fn run(&self, turn: Option<Duration>, result: &mut Fuzzed) -> Result<(), Error> {
        let prey = self.prey;
        // What an interrupted run left there was either taken over or is found again.
        if prey.found.exists() {
            fs::remove_dir_all(&prey.found).map_err(|error| Error::io("remove", &prey.found, &error))?;
        }
        create(&prey.found)?;
        create(&prey.corpus)?;
        let mut command = self.cargo_fuzz("run");
        command.arg(target_name(prey.number)).arg(&prey.corpus).arg(&prey.seeds).arg("--");
        command.arg(format!("-dict={}", self.dictionary.display()));
        command.arg(format!("-artifact_prefix={}", prey.found.join("artifact-").display()));
        command.args(["-max_len=200", "-timeout=5", "-rss_limit_mb=2048"]);
        if let Some(turn) = turn {
            command.arg(format!("-max_total_time={}", turn.as_secs()));
        }
        command.args(&self.options.libfuzzer);
        let said = self.listen(command)?;
        result.runs += said.runs;
        result.seconds += said.seconds;
        let artifacts = self.take_over(result)?;
        if !said.status.success() && artifacts == 0 && said.runs == 0 {
            result.failure = Some(said.last.into_iter().collect::<Vec<_>>().join("\n"));
            return Ok(());
        }
        self.minimise(result)
    }

    fn cargo_fuzz(&self, command: &str) -> Command {
        let toolchain = if self.options.stable { Toolchain::Own } else { Toolchain::Nightly };
        let mut cargo = toolchain.cargo();
        // cargo-fuzz looks for a package that is none of its own, from the current folder upwards.
        cargo
            .current_dir(self.folder.shared())
            .args(["fuzz", command, "--fuzz-dir"])
            .arg(self.folder.group(self.prey.group));
        cargo.arg("--target-dir").arg(self.folder.build());
        cargo.args(["--sanitizer", if self.options.stable { "none" } else { "address" }]);
        cargo.env("RETRY_AFTER_FOUND", &self.prey.found);
        if std::env::var_os("ASAN_OPTIONS").is_none() {
            // Its stack bookkeeping takes most of the time, and is about code that is not safe.
            cargo.env("ASAN_OPTIONS", "detect_stack_use_after_return=0");
        }
        cargo
    }

    /// Runs it to its end, shows what the target says, and keeps what libFuzzer says last.
    fn listen(&self, mut command: Command) -> Result<Said, Error> {
        let name = command.get_program().display().to_string();
        let failed = |error: std::io::Error| Error::new(format!("cannot run {name}: {}", plain(&error)));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let mut said = Said { runs: 0, seconds: 0, last: VecDeque::new(), status: ExitStatus::default() };
        let begin = Instant::now();
        let mut started = None;
        if let Some(stderr) = child.stderr.take() {
            for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if line.starts_with("INFO: Running with entropic") {
                    started = Some(Instant::now());
                }
                if let Some(runs) = runs(&line) {
                    said.runs = said.runs.max(runs);
                }
                if self.options.verbose || line.starts_with("retry-after: ") {
                    eprintln!("{}", annotate_snippets::normalize_untrusted_str(&line));
                }
                said.last.push_back(line);
                if said.last.len() > 20 {
                    said.last.pop_front();
                }
            }
        }
        said.status = child.wait().map_err(failed)?;
        said.seconds = started.unwrap_or(begin).elapsed().as_secs().max(1);
        Ok(said)
    }

    /// Makes regressions of what was found; how many inputs ended the process.
    fn take_over(&self, result: &mut Fuzzed) -> Result<usize, Error> {
        let found = &self.prey.found;
        let entries = fs::read_dir(found).map_err(|error| Error::io("read", found, &error))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let mut artifacts = 0;
        result.known = 0;
        for path in paths {
            let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let (name, header) = match name.strip_prefix("artifact-") {
                None => (name, String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()),
                Some(kind) => {
                    artifacts += 1;
                    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').take(3).collect();
                    let kind = match kind.split('-').next() {
                        Some("timeout" | "slow") => "endless_loop-any",
                        Some("oom") => "out_of_memory-any",
                        _ => "crash-any",
                    };
                    (kind.to_owned(), escape::escape(&lines))
                }
            };
            let regression = self.prey.regressions.join(&name);
            if regression.exists() {
                result.known += 1;
                continue;
            }
            write(&regression, &format!("{header}\n"))?;
            result.new.push((name, header));
        }
        // What was new in an earlier turn is known in this one.
        result.known = result.known.saturating_sub(result.new.len());
        Ok(artifacts)
    }

    /// Merges what is new in the corpus and takes out what adds nothing.
    fn minimise(&self, result: &mut Fuzzed) -> Result<(), Error> {
        let mut command = self.cargo_fuzz("cmin");
        command.arg(target_name(self.prey.number)).arg(&self.prey.corpus);
        let said = self.listen(command)?;
        if !said.status.success() && self.options.verbose {
            eprintln!("the corpus was not minimised: {}", said.last.back().map_or("", String::as_str));
        }
        result.corpus = fs::read_dir(&self.prey.corpus).map_or(0, Iterator::count);
        Ok(())
    }
}

/// What libFuzzer said.
struct Said {
    runs: u64,
    seconds: u64,
    last: VecDeque<String>,
    status: ExitStatus,
}

/// The number of runs in a line of libFuzzer's: `#1024 pulse ..` or `Done 1024 runs in 1 second(s)`.
fn runs(line: &str) -> Option<u64> {
    let number = line.strip_prefix('#').or_else(|| line.strip_prefix("Done "))?;
    number.split_whitespace().next()?.trim_end_matches(':').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libfuzzers_lines_are_understood() {
        assert_eq!(runs("#524288\tpulse  cov: 400 ft: 900 corp: 120/3Kb exec/s: 87381 rss: 70Mb"), Some(524_288));
        assert_eq!(runs("Done 1000 runs in 1 second(s)"), Some(1_000));
        assert_eq!(runs("INFO: Loaded 1 modules"), None);
        assert!(
            is_limit(OsStr::new("-runs=5"))
                && is_limit(OsStr::new("-max_total_time=5"))
                && !is_limit(OsStr::new("-seed=1"))
        );
    }
}
