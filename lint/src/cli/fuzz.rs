//! `fuzz`: the harness of `compare` under cargo-fuzz.

use super::output;
use super::proof::{Bar, ProofArgs};
use super::{CLEAN, Common, FAILED, FOUND, Failure};
use clap::Args;
use retry_after_lint::harness::fuzz::{self, Fuzzed, Options};
use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

/// What `fuzz --help` says besides.
pub(super) const AFTER_HELP: &str = "\
This command compiles and runs code:
  Each place that reads and parses the hint is cut out and compiled as `compare` does,
  and run under libFuzzer by cargo-fuzz. Only for code you trust; `lint` runs nothing.
  Nothing is written but `retry-after` in the target folder, and the folder of
  --regressions.

What it needs:
  cargo install cargo-fuzz
  rustup toolchain install nightly     for the address sanitizer; --stable does without

What is kept:
  The corpus of each place is kept between runs, merged and minimised. The first header
  of each new kind of divergence, made as simple as it can be, is saved as a regression,
  and `compare` asks about it from then on.

Exit codes:
  0  nothing new was found
  1  something new was found
  2  it could not do its work: wrong usage, a missing tool, an unknown SITE, no place
     that can be fuzzed

Examples:
  cargo retry-after fuzz                                     until stopped, all places in turns
  cargo retry-after fuzz client:src/retry.rs --time 600      ten minutes
  cargo retry-after fuzz --stable -- -runs=1000000           options of libFuzzer's own";

/// The flags of `fuzz`.
#[derive(Args)]
pub(super) struct FuzzArgs {
    #[command(flatten)]
    proof: ProofArgs,

    /// Without a nightly compiler, and so without the address sanitizer; faster
    #[arg(long)]
    stable: bool,

    /// How long, all places together; without it until stopped
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,

    /// Show all that libFuzzer says
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    verbose: bool,

    /// Only the result: no progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Options for libFuzzer
    #[arg(last = true, value_name = "LIBFUZZER OPTIONS")]
    libfuzzer: Vec<OsString>,
}

/// Fuzzes and returns the exit code.
pub(super) fn run(args: &FuzzArgs, common: &Common) -> Result<u8, Failure> {
    let mut options = Options {
        stable: args.stable,
        time: None,
        libfuzzer: args.libfuzzer.clone(),
        regressions: Default::default(),
        verbose: args.verbose,
    };
    fuzz::check_tools(&options)?;
    let targets = args.proof.targets("fuzz", false, common)?;
    let share = u64::try_from(targets.len().max(1)).unwrap_or(1);
    options.time = args.time.map(|seconds| Duration::from_secs((seconds / share).max(1)));
    let mut all = Vec::new();
    for target in targets {
        options.regressions.clone_from(&target.regressions);
        let bar = Bar::new(args.quiet || args.verbose);
        all.extend(fuzz::fuzz(target.subjects.clone(), &target.plan(0, 1, None), &options, &bar)?);
    }
    output::print(common.color, |out| all.iter().try_for_each(|fuzzed| tell(fuzzed, &mut *out)))?;
    if all.is_empty() {
        output::complain("note", "there is no place that reads the hint", common.color);
    }
    Ok(match &all[..] {
        [_, ..] if all.iter().all(|fuzzed| fuzzed.failure.is_some()) => FAILED,
        _ if all.iter().any(|fuzzed| !fuzzed.new.is_empty()) => FOUND,
        _ => CLEAN,
    })
}

fn tell(fuzzed: &Fuzzed, mut out: impl Write) -> io::Result<()> {
    let plain = |text: &str| annotate_snippets::normalize_untrusted_str(text);
    if let Some(failure) = &fuzzed.failure {
        return writeln!(out, "{}: not fuzzed: {}", plain(&fuzzed.id), plain(failure));
    }
    let Fuzzed { id, runs, seconds, known, corpus, .. } = fuzzed;
    let rate = runs / (*seconds).max(1);
    let new = fuzzed.new.len();
    writeln!(out, "{}: {runs} inputs, {rate} a second, {new} new, {known} known, corpus of {corpus}", plain(id))?;
    for (name, header) in &fuzzed.new {
        writeln!(out, "    new: {name}: `Retry-After: {}`", plain(header))?;
    }
    Ok(())
}
