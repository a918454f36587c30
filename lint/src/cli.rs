//! The command line: what is asked for, and the exit code that says how it went.
//!
//! One command a file; the flags of a command stand with it.

mod arguments;
mod baseline;
mod change;
mod compare;
mod completions;
mod configuration;
mod dependencies;
mod explain;
mod format;
mod fuzz;
mod levels;
mod lint;
mod manual;
mod output;
mod proof;
mod rules;
mod suppressions;
mod witness;

use crate::parse_command::ParseArgs;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use output::Color;
use std::ffi::OsString;
use std::fmt::Display;
use std::process::ExitCode;

/// No finding at a level that fails the run.
const CLEAN: u8 = 0;
/// Findings at a level that fails the run.
const FOUND: u8 = 1;
/// It could not do its work.
const FAILED: u8 = 2;

const ABOUT: &str = "Finds wrong handling of HTTP Retry-After in Rust code";

const LONG_ABOUT: &str = "\
Finds wrong handling of HTTP Retry-After in Rust code.

A server that answers 429 or 503 can say `Retry-After: 120`, or a date: the client must not come back sooner. Most clients get it wrong. This \
command follows the hint from the header to the wait, and shows where it is lost, read as zero or cut short.

Without a command it lints: the package of the current folder, or what is named. It reads source code and runs none of it.";

const AFTER_HELP: &str = "\
Exit codes:
  0  no finding at deny level (warnings do not fail the run unless --deny-warnings is given)
  1  findings at deny level
  2  it could not do its work: wrong usage, a named path or the manifest that cannot
     be read, or nothing readable at all

Examples:
  cargo retry-after                              the package or workspace of the current folder
  cargo retry-after --workspace -W all           all packages, advice included
  cargo retry-after --crate cargo@0.100.0        a published crate
  cargo retry-after --format sarif=out.sarif     a log for code scanning
  cargo retry-after -v --statistics              also what was not understood
  cargo-retry-after lint path/to/checkout        code you do not trust: see below
  cargo retry-after explain capped_hint          why a rule exists and what to do

Code you do not trust:
  Without --witness, no code of what is linted is run: no build script, compiler, wrapper,
  credential helper or toolchain that it names. But started as `cargo retry-after` inside
  a checkout, cargo itself obeys that checkout's aliases and toolchain file before this
  command starts. Start `cargo-retry-after lint PATH` from outside instead.";

const USAGE: &str = "\
cargo retry-after [OPTIONS]
       cargo retry-after [OPTIONS] PATH...
       cargo retry-after [OPTIONS] --crate NAME[@VERSION]...
       cargo retry-after COMMAND";

const LINT_USAGE: &str = "\
cargo retry-after lint [OPTIONS]
       cargo retry-after lint [OPTIONS] PATH...
       cargo retry-after lint [OPTIONS] --crate NAME[@VERSION]...";

#[derive(Parser)]
#[command(name = "cargo-retry-after", bin_name = "cargo retry-after", version, about = ABOUT, long_about = LONG_ABOUT, after_long_help = AFTER_HELP)]
#[command(after_help = "`--help` says more, `explain RULE` what a rule is about.", styles = clap_cargo::style::CLAP_STYLING)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true, max_term_width = 110, override_usage = USAGE)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    lint: lint::LintArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Command {
    /// Look for faults; the default
    #[command(after_long_help = AFTER_HELP, override_usage = LINT_USAGE)]
    Lint(lint::LintArgs),
    /// Compile the places that read the hint, and run them beside the reference
    #[command(after_long_help = compare::AFTER_HELP)]
    Compare(compare::CompareArgs),
    /// Run the same code under libFuzzer, for as long as you like
    #[command(after_long_help = fuzz::AFTER_HELP)]
    Fuzz(fuzz::FuzzArgs),
    /// Print a rule's page (what, why, examples, limits), or what a group of rules is about
    Explain(explain::ExplainArgs),
    /// List the rules
    Rules(rules::RulesArgs),
    /// Say what a header value means and what a client should do
    Parse(ParseArgs),
    /// Print a script that completes commands and flags in a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Manual,
}

/// What every command takes.
#[derive(Args)]
struct Common {
    /// When to use colours
    ///
    /// Without it, NO_COLOR, CLICOLOR_FORCE and CARGO_TERM_COLOR are obeyed, in this order, and then whether the output is a terminal.
    #[arg(long, global = true, value_name = "WHEN", value_enum, help_heading = "Output")]
    color: Option<Color>,
}

/// Does what the arguments ask for.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (cli, matches) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are no failure and go to standard output. That it cannot be printed changes nothing.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { FAILED } else { CLEAN });
        }
    };
    let color = cli.common.color;
    let result = match cli.command {
        None => lint::run(&cli.lint, &matches, color),
        Some(Command::Lint(args)) => lint::run(&args, matches.subcommand_matches("lint").unwrap_or(&matches), color),
        Some(Command::Compare(args)) => compare::run(&args, &cli.common),
        Some(Command::Fuzz(args)) => fuzz::run(&args, &cli.common),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Parse(args)) => return crate::parse_command::run(args),
        Some(Command::Completions(args)) => completions::run(&args),
        Some(Command::Manual) => manual::run(),
    };
    ExitCode::from(result.unwrap_or_else(|failure| {
        output::complain("error", &failure.0, color);
        FAILED
    }))
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<(Cli, ArgMatches), clap::Error> {
    let mut arguments: Vec<OsString> = arguments.collect();
    // Cargo hands on the subcommand's name as the first argument.
    if arguments.get(1).is_some_and(|argument| argument == "retry-after") {
        arguments.remove(1);
    }
    let matches =
        Cli::command().try_get_matches_from(arguments::command_first(arguments)).map_err(arguments::with_command)?;
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// Why the work could not be done.
struct Failure(String);

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn cargos_way_and_the_direct_way_are_the_same() {
        let paths = |arguments: &[&str]| {
            let (cli, _) = parse(arguments.iter().map(OsString::from)).ok()?;
            match cli.command {
                Some(Command::Lint(args)) => Some(args.paths),
                None => Some(cli.lint.paths),
                _ => None,
            }
        };
        for arguments in
            [&["x", "a"][..], &["x", "lint", "a"], &["x", "retry-after", "a"], &["x", "retry-after", "lint", "a"]]
        {
            assert_eq!(paths(arguments), Some(vec!["a".into()]), "{arguments:?}");
        }
        assert_eq!(paths(&["x", "explain", "a"]), None);
        assert_eq!(paths(&["x", "-A", "all", "lint", "a"]), Some(vec!["a".into()]));
    }
}
