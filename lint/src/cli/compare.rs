//! `compare`: extracted code beside the reference.

use super::output::{self, Color};
use super::proof::{Bar, ProofArgs};
use super::{CLEAN, Common, FAILED, FOUND, Failure};
use clap::{Args, ValueEnum};
use retry_after_lint::diagnostic::Level;
use retry_after_lint::harness::lift::Lifting;
use retry_after_lint::harness::{self, Comparison, regressions};
use retry_after_lint::report::compare::{human, json, level};
use std::time::Duration;

/// What `compare --help` says besides.
pub(super) const AFTER_HELP: &str = "\
This command compiles and runs code:
  Each place that reads and parses the hint is cut out of its package and compiled with
  the crates that it needs, in the versions of the lockfile, build scripts and macros
  included; with --lift, and where nothing else is left, a copy of the whole package is.
  Then it is run beside the reference, in a process of its own with limits of time and
  memory, on the values of a corpus and on generated ones. The checkout's cargo
  configuration and toolchain are obeyed. Only for code you trust; `lint` runs nothing.
  Nothing is written but `retry-after` in the target folder.

Exit codes:
  0  no divergence at deny level (warnings do not fail the run unless --deny-warnings
     is given)
  1  divergences at deny level
  2  it could not do its work: wrong usage, an unknown SITE, places that read the
     hint and none of them compiled

Examples:
  cargo retry-after compare                         the package or workspace of the current folder
  cargo retry-after compare client:src/retry.rs --inputs 1000000
  cargo retry-after compare --lift                  each package whole too, as a check
  cargo retry-after compare --crate cargo@0.100.0   a published crate";

/// The flags of `compare`.
#[derive(Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    proof: ProofArgs,

    /// How many header values each place is asked about, those of the corpus included
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    inputs: u64,

    /// The seed of the generated ones; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Also compile each package whole, where its code stands, to see that what was cut out of it behaves the same
    ///
    /// SECONDS is what the builds of one package may take, 600 without it. Without the flag only packages with a place that could not be cut
    /// out and compiled are taken whole, for at most 120 seconds; 0 takes none.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "600")]
    lift: Option<u64>,

    /// How the result is written to standard output
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT", help_heading = "Output")]
    format: Format,

    /// Also tell what each place does with a few plain values, how it was cut out, and where the analysis says otherwise
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    verbose: bool,

    /// Only the result: no progress, no notes
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Fail on warnings too
    #[arg(long, help_heading = "Levels")]
    deny_warnings: bool,
}

/// How the result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Human,
    /// One JSON object
    Json,
}

/// How long a package may take to be compiled whole where nothing else is left, in seconds.
const FALLBACK: u64 = 120;

impl CompareArgs {
    fn lifting(&self) -> Option<Lifting> {
        let seconds = self.lift.unwrap_or(FALLBACK);
        (seconds > 0).then(|| Lifting { budget: Duration::from_secs(seconds), checks: self.lift.is_some() })
    }
}

/// Compares and returns the exit code.
pub(super) fn run(args: &CompareArgs, common: &Common) -> Result<u8, Failure> {
    let lifting = args.lifting();
    let targets = args.proof.targets("compare", lifting.is_some(), common)?;
    let mut all = Comparison::default();
    {
        let bar = Bar::new(args.quiet);
        for target in targets {
            let extra = regressions::read(&target.regressions, &target.subjects)?;
            let plan = target.plan(args.inputs, args.seed, lifting);
            let one = harness::compare(target.subjects.clone(), &extra, &plan, &bar)?;
            all.subjects.extend(one.subjects);
            all.notes.extend(one.notes);
        }
    }
    output::print(common.color, |out| match args.format {
        Format::Json => json::write(&all, out),
        Format::Human => {
            human::write(&all, args.verbose, &mut *out)?;
            if args.quiet { Ok(()) } else { human::write_summary(&all, out) }
        }
    })?;
    if !args.quiet {
        tell(&all, common.color);
    }
    Ok(exit_code(&all, args.deny_warnings))
}

fn tell(comparison: &Comparison, color: Option<Color>) {
    for note in &comparison.notes {
        output::complain("note", note, color);
    }
}

fn exit_code(comparison: &Comparison, deny_warnings: bool) -> u8 {
    let subjects = &comparison.subjects;
    if !subjects.is_empty() && !subjects.iter().any(harness::Compared::ran) {
        return FAILED;
    }
    let fails = if deny_warnings { Level::Warn } else { Level::Deny };
    let mut divergences = subjects.iter().flat_map(|compared| &compared.divergences);
    if divergences.any(|divergence| level(divergence) >= fails) { FOUND } else { CLEAN }
}
