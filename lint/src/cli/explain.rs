//! `explain`: a rule's page.

use super::{CLEAN, Failure, levels, output};
use clap::Args;
use retry_after_lint::rules::RULES;

/// The arguments of `explain`.
#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The rule, as in `error[RULE]`
    #[arg(value_name = "RULE")]
    rule: String,
}

/// Prints the page as the Markdown it is.
pub(super) fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let rule = levels::rule(&args.rule, RULES)?;
    output::print(None, |out| out.write_all(rule.page().as_bytes()))?;
    Ok(CLEAN)
}
