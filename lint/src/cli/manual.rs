//! `manual`: the manual page, for the archives of a release.

use super::{CLEAN, Cli, Failure, output};
use clap::CommandFactory;

/// Prints the page in the form that `man` reads.
pub(super) fn run() -> Result<u8, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    output::print(None, |out| out.write_all(&page))?;
    Ok(CLEAN)
}
