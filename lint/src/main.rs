//! `cargo retry-after`: the linter as a cargo subcommand.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
