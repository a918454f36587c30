//! `explain`: the page of a rule or a group.

use super::levels::NameParser;
use super::{CLEAN, Failure, output};
use clap::Args;
use retry_after_lint::settings;

/// The arguments of `explain`.
#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The rule, as in `error[RULE]`, or a group of rules
    #[arg(value_name = "RULE", value_parser = NameParser { all: false }, hide_possible_values = true)]
    rule: String,
}

/// Prints the page as the Markdown it is.
pub(super) fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let page = settings::page(&args.rule)?;
    output::print(None, |out| out.write_all(page.as_bytes()))?;
    Ok(CLEAN)
}
