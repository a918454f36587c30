//! Where output goes, and whether it has colours.

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use retry_after_lint::report::one_line;
use std::io::{self, BufWriter, IsTerminal, Write};

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The flag first, then the variables: one set for every program, one that forces, and cargo's own.
fn choice(flag: Option<Color>, is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> ColorChoice {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let by_cargo = || match variable("CARGO_TERM_COLOR").as_deref() {
        Some("always") => Some(true),
        Some("never") => Some(false),
        _ => None,
    };
    let colours = match flag {
        Some(Color::Always) => true,
        Some(Color::Never) => false,
        None if is_set("NO_COLOR") => false,
        None if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") => true,
        None => by_cargo().unwrap_or_else(|| is_terminal && variable("TERM").as_deref() != Some("dumb")),
        Some(Color::Auto) => is_terminal,
    };
    if colours { ColorChoice::Always } else { ColorChoice::Never }
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Writes to standard output. That nobody reads on (`| head`) is no error.
pub(super) fn print(color: Option<Color>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let stdout = io::stdout();
    let choice = choice(color, stdout.is_terminal(), variable);
    let mut out = BufWriter::new(AutoStream::new(stdout.lock(), choice));
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is left in the buffer has nowhere to go.
            let _ = out.into_parts();
            Ok(())
        }
        result => result,
    }
}

/// Writes `word: text` to standard error, as cargo does.
pub(super) fn complain(word: &str, text: &str, color: Option<Color>) {
    let stderr = io::stderr();
    let choice = choice(color, stderr.is_terminal(), variable);
    let mut out = AutoStream::new(stderr.lock(), choice);
    let style = match word {
        "error" => clap_cargo::style::ERROR,
        "warning" => clap_cargo::style::WARN,
        _ => clap_cargo::style::NOTE,
    };
    // Where complaints cannot be written there is nowhere to complain of it.
    let _ = writeln!(out, "{style}{word}{style:#}: {}", one_line(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_comes_first_and_then_the_variables() {
        let with = |set: &'static [(&str, &str)]| {
            move |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(choice(Some(Color::Always), false, with(&[("NO_COLOR", "1")])), ColorChoice::Always);
        assert_eq!(choice(Some(Color::Never), true, with(&[("CLICOLOR_FORCE", "1")])), ColorChoice::Never);
        assert_eq!(choice(None, true, with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])), ColorChoice::Never);
        assert_eq!(choice(None, true, with(&[("NO_COLOR", "")])), ColorChoice::Always);
        assert_eq!(
            choice(None, false, with(&[("CLICOLOR_FORCE", "1"), ("CARGO_TERM_COLOR", "never")])),
            ColorChoice::Always
        );
        assert_eq!(choice(None, false, with(&[("CLICOLOR_FORCE", "0")])), ColorChoice::Never);
        assert_eq!(choice(None, false, with(&[("CARGO_TERM_COLOR", "always")])), ColorChoice::Always);
        assert_eq!(choice(None, true, with(&[("CARGO_TERM_COLOR", "never")])), ColorChoice::Never);
        assert_eq!(choice(None, true, with(&[("TERM", "dumb")])), ColorChoice::Never);
        assert_eq!(choice(None, false, with(&[])), ColorChoice::Never);
    }
}
