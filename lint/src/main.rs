//! `cargo retry-after`: the linter as a cargo subcommand.

mod cli;
mod parse_command;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
