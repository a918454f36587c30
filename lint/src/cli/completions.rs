//! `completions`: what a shell needs to complete commands and flags.

use super::{CLEAN, Cli, Failure, output};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// The program's name: shells complete `cargo-retry-after`; what stands behind `cargo retry-after` is up to cargo's own script.
const PROGRAM: &str = "cargo-retry-after";

/// The arguments of `completions`.
#[derive(Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    let mut command = Cli::command().bin_name(PROGRAM);
    clap_complete::generate(args.shell, &mut command, PROGRAM, &mut script);
    let mut script = String::from_utf8(script)?;
    if args.shell == Shell::Bash {
        // The generator names the commands of a program with hyphens in one way where it chooses among them and in another where it finds them.
        let (chosen, found) = (PROGRAM.replace('-', "__"), PROGRAM.replace('-', "__subcmd__"));
        script = script.replace(&format!("{found}__subcmd__"), &format!("{chosen}__subcmd__"));
    }
    output::print(None, |out| out.write_all(script.as_bytes()))?;
    Ok(CLEAN)
}
