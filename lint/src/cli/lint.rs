//! `lint`: the default command.

use super::arguments;
use super::baseline::{BaselineArgs, LookedAt};
use super::change::ChangeArgs;
use super::configuration::{self, ConfigurationArgs};
use super::dependencies::DependencyArgs;
use super::format::{Destination, DestinationParser, Destinations, checkout};
use super::levels::{LevelArgs, Levels};
use super::output::{self, Color};
use super::suppressions::SuppressionArgs;
use super::{CLEAN, FAILED, FOUND, Failure, witness};
use clap::{ArgMatches, Args, ValueEnum};
use retry_after_lint::cores::in_parallel;
use retry_after_lint::diagnostic::{Confidence, Level};
use retry_after_lint::report::{Filter, Report, Unread};
use retry_after_lint::settings::Settings;
use retry_after_lint::workspace::{self, Request, Root, Selection};
use retry_after_lint::{Analysis, Options};
use std::path::PathBuf;
use std::time::Instant;

/// Without -v, no more unreadable files than these are told one by one.
const TOLD: usize = 10;

/// The flags of `lint`.
#[derive(Args)]
pub(super) struct LintArgs {
    /// Files and folders to look at instead of a cargo workspace
    ///
    /// A folder need not hold a manifest. No cargo is started for it. What git ignores, hidden files and cargo's build output are left out, unless they are
    /// named themselves.
    #[arg(value_name = "PATH", conflicts_with_all = ["package", "workspace", "exclude", "manifest_path", "crates"])]
    pub(super) paths: Vec<PathBuf>,

    /// Only this package of the workspace (can be given several times)
    ///
    /// Takes a name, a pattern like `my-*`, or NAME@VERSION. The other packages are still read, to follow calls into them.
    #[arg(short, long, value_name = "SPEC", help_heading = "Package selection")]
    package: Vec<String>,

    /// All packages of the workspace
    #[arg(long, visible_alias = "all", help_heading = "Package selection")]
    workspace: bool,

    /// All packages of the workspace but this one (can be given several times)
    #[arg(long, value_name = "SPEC", help_heading = "Package selection")]
    exclude: Vec<String>,

    /// The manifest of the package or workspace
    #[arg(long, value_name = "PATH", help_heading = "Package selection")]
    manifest_path: Option<PathBuf>,

    /// A published crate (can be given several times)
    ///
    /// It is fetched by cargo, in a folder of its own, from the registry that cargo is set up for. Without a version, the newest one.
    #[arg(long = "crate", value_name = "NAME[@VERSION]", conflicts_with_all = ["package", "workspace", "exclude", "manifest_path"], help_heading = "Package selection")]
    crates: Vec<String>,

    #[command(flatten)]
    dependencies: DependencyArgs,

    /// How findings are written, and where to (can be given several times)
    ///
    /// Without a file, to standard output; one format can go there. Without this flag, human. For example: `--format human --format sarif=out.sarif`.
    #[arg(long, value_parser = DestinationParser, value_name = "FORMAT[=FILE]", help_heading = "Output")]
    format: Vec<Destination>,

    /// The least confidence that is shown
    ///
    /// High: every step on the hint's way is known. Medium: a step was inferred from a name or a guess. Low: the wait itself was not found.
    #[arg(long, value_enum, default_value_t = Least::Medium, value_name = "LEAST", help_heading = "Output")]
    confidence: Least,

    /// Confirm each finding's witness by a run of the code
    ///
    /// This compiles and runs code of what is linted, as `compare` does: only for code you trust. Without it nothing is run.
    #[arg(long, help_heading = "Output")]
    witness: bool,

    /// Also tell what was not understood, with its place and the reason
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    verbose: bool,

    /// Only the findings, and what could not be read: no summary, no notes
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Also tell how often each rule spoke, and how much was understood
    ///
    /// Behind the findings, or on standard error where a program reads standard output.
    #[arg(long, help_heading = "Output")]
    statistics: bool,

    #[command(flatten)]
    change: ChangeArgs,

    #[command(flatten)]
    baseline: BaselineArgs,

    #[command(flatten)]
    configuration: ConfigurationArgs,

    #[command(flatten)]
    suppressions: SuppressionArgs,

    #[command(flatten)]
    levels: LevelArgs,

    /// Fail on warnings too
    #[arg(long, help_heading = "Levels")]
    deny_warnings: bool,

    /// Exit with 0 whatever is found; what could not be done still exits with 2
    #[arg(long, conflicts_with = "deny_warnings", help_heading = "Levels")]
    exit_zero: bool,
}

/// The least confidence that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Least {
    /// Everything
    Low,
    /// What is likely
    Medium,
    /// What is certain
    High,
}

/// Lints and returns the exit code.
pub(super) fn run(args: &LintArgs, matches: &ArgMatches, color: Option<Color>) -> Result<u8, Failure> {
    let start = Instant::now();
    let levels = Levels::from_matches(matches)?;
    let destinations = Destinations::new(&args.format)?;
    let folder = std::env::current_dir().unwrap_or_default();
    let hint = || args.paths.iter().find_map(|path| arguments::hint(path));
    let mut roots = workspace::discover(&args.request()).map_err(|error| match hint() {
        Some(hint) => Failure(format!("{error}; {hint}")),
        None => error.into(),
    })?;
    let ways = args.dependencies.find(&mut roots)?;
    let settings = args.configuration.read(&mut roots, &folder, args.paths.is_empty())?;
    if let Some(code) = args.configuration.show(&roots, &settings, &levels, color)? {
        return Ok(code);
    }
    if roots.iter().all(|root| root.workspace.files.is_empty() && root.unreadable.is_empty()) {
        return Err(Failure("no Rust source files there".to_owned()));
    }
    let known = args.baseline.read()?;
    let looked_at = known.as_ref().map(|_| LookedAt::of(&roots, &args.paths, args.dependencies.is_asked_for()));
    let baseline = known.as_ref().zip(looked_at.as_ref());
    let changes = args.change.read(&roots, &folder)?;
    let is_isolated = args.configuration.is_isolated();
    // A baseline also knows findings of rules that are switched off.
    let rules = known.is_none().then(|| levels.asked_for());
    let options = |root: &Root, settings: &Settings| Options {
        vocabularies: settings.vocabularies(),
        // What is published speaks to its own authors, not to those who look at it.
        ignores_suppressions: is_isolated || root.versioned,
        rules: rules.clone(),
    };
    let mut runs = if args.witness {
        witness::analyse(roots, options, &settings, args.quiet, color)?
    } else {
        analyse(roots, &settings, options)
    };
    for ((root, analysis), settings) in runs.iter_mut().zip(&settings) {
        configuration::set_levels(root, analysis, settings);
    }
    let filter = Filter {
        level: &|rule, otherwise| levels.of(rule, otherwise),
        confidence: args.confidence.into(),
        folder: &folder,
        checkout: &checkout(&folder),
    };
    let before = ChangeArgs::before(&runs, changes.as_deref());
    let mut report = Report::new(runs, &filter);
    report.ways = ways;
    if let Some(code) = args.baseline.write(baseline, &report, color)? {
        return Ok(code);
    }
    if let Some((known, looked_at)) = baseline {
        args.baseline.apply(known, &mut report, looked_at)?;
    }
    if let Some(changes) = &changes {
        args.change.apply(&mut report, changes, &before, args.witness, || {
            let roots: Vec<Root> = before.iter().map(|before| before.root.clone()).collect();
            let mut runs = analyse(roots, &settings, options);
            for ((root, analysis), settings) in runs.iter_mut().zip(&settings) {
                configuration::set_levels(root, analysis, settings);
            }
            Report::new(runs, &filter)
        });
    }
    args.dependencies.tell(&mut report);
    report.elapsed = start.elapsed();
    if let Some(code) = args.suppressions.add(&report, color)? {
        return Ok(code);
    }

    destinations.write(&report, args.quiet, args.statistics, color)?;
    tell(&report, args, color);
    let code = exit_code(&report, args);
    // The process ends, and takes its memory with it faster than it could be given back file by file.
    std::mem::forget(report);
    Ok(code)
}

/// Looks at each root. An analysis uses all cores where there is work for them; most crates are too small for that, so several are looked at at a time.
fn analyse(
    roots: Vec<Root>,
    settings: &[Settings],
    options: impl Fn(&Root, &Settings) -> Options + Sync,
) -> Vec<(Root, Analysis)> {
    // The largest first: begun last, it would leave the other cores idle at the end.
    let mut order: Vec<usize> = (0..roots.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(roots[*index].workspace.files.len()));
    let mut analyses = in_parallel(&order, |index| {
        let root = &roots[*index];
        (*index, retry_after_lint::analyse_with(&root.workspace, &options(root, &settings[*index])))
    });
    analyses.sort_by_key(|(index, _)| *index);
    roots.into_iter().zip(analyses.into_iter().map(|(_, analysis)| analysis)).collect()
}

impl LintArgs {
    fn request(&self) -> Request {
        if !self.paths.is_empty() {
            Request::Paths(self.paths.clone())
        } else if !self.crates.is_empty() {
            Request::Crates(self.crates.clone())
        } else {
            Request::Project(Selection {
                manifest_path: self.manifest_path.clone(),
                packages: self.package.clone(),
                all: self.workspace,
                exclude: self.exclude.clone(),
            })
        }
    }
}

impl From<Least> for Confidence {
    fn from(least: Least) -> Self {
        match least {
            Least::Low => Confidence::Low,
            Least::Medium => Confidence::Medium,
            Least::High => Confidence::High,
        }
    }
}

/// What is no finding goes to standard error. What could not be read is told even where quiet was asked for: it is neither a summary nor a note.
fn tell(report: &Report, args: &LintArgs, color: Option<Color>) {
    let say = |file: &Unread| {
        let word = if file.is_failure { "error" } else { "warning" };
        output::complain(word, &format!("{}:{}: {}", file.path, file.line, file.message), color);
    };
    let limit = if args.verbose { usize::MAX } else { TOLD };
    for is_failure in [true, false] {
        let files: Vec<&Unread> = report.unreadable.iter().filter(|file| file.is_failure == is_failure).collect();
        files.iter().take(limit).for_each(|file| say(file));
        if files.len() > limit {
            let word = if is_failure { "error" } else { "warning" };
            let more = files.len() - limit;
            output::complain(word, &format!("{more} more files were not read; -v lists them"), color);
        }
    }
    if !args.quiet || args.deny_warnings {
        args.baseline.tell(report, color);
    }
    if args.quiet {
        return;
    }
    for note in &report.notes {
        output::complain("note", note, color);
    }
    for (place, reason) in report.blind.iter().filter(|_| args.verbose) {
        output::complain(
            "note",
            &format!("{}:{}:{}: {reason}", place.path, place.start.line, place.start.column),
            color,
        );
    }
}

fn exit_code(report: &Report, args: &LintArgs) -> u8 {
    if report.is_failure() {
        return FAILED;
    }
    if args.exit_zero {
        return CLEAN;
    }
    let fails = if args.deny_warnings { Level::Warn } else { Level::Deny };
    let is_stale = args.deny_warnings && report.stale.iter().flatten().next().is_some();
    if is_stale || report.findings.iter().any(|shown| shown.finding.level >= fails) { FOUND } else { CLEAN }
}
