//! The order of arguments: a command may stand behind flags, and a word that is neither command nor path is answered with the nearest command.

use super::Cli;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use retry_after_lint::workspace::nearest;
use std::ffi::OsString;
use std::path::Path;

/// Puts the command first where flags stand before it: `-A all lint PATH` is `lint -A all PATH`. Behind a path, the word is a path too.
pub(super) fn command_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let commands = commands();
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let is_command = |argument: &OsString| commands.iter().any(|command| argument == command.as_str());
    // `help COMMAND`, as other programs have it, unless there is something of that name to look at.
    if arguments.get(1).is_some_and(|argument| argument == "help") && !Path::new("help").exists() {
        let command = arguments.get(2).filter(|argument| is_command(argument)).cloned();
        return arguments.into_iter().take(1).chain(command).chain(["--help".into()]).collect();
    }
    let place = (2..end).find(|place| is_command(&arguments[*place]) && are_flags(&arguments[..*place]));
    if let Some(place) = place {
        let command = arguments.remove(place);
        arguments.insert(1, command);
    }
    arguments
}

/// Whether the arguments, the program's name first, are whole by themselves and hold neither a path nor a command.
fn are_flags(arguments: &[OsString]) -> bool {
    Cli::command()
        .try_get_matches_from(arguments)
        .is_ok_and(|matches| !matches.contains_id("paths") && matches.subcommand_name().is_none())
}

/// What to say of a word that was taken for a path and leads nowhere: the command that it may have been meant for.
pub(super) fn hint(path: &Path) -> Option<String> {
    let word = path.to_str().filter(|word| !word.contains(['.', '/', '\\']))?;
    if path.exists() {
        return None;
    }
    if word == "help" {
        return Some("`--help` tells what there is".to_owned());
    }
    let commands = commands();
    let near = nearest(word, commands.iter().map(String::as_str))?;
    Some(if near == word {
        format!("behind a path, `{near}` is a path: write the command first")
    } else {
        format!("did you mean the command `{near}`?")
    })
}

/// A flag that is none and is called like a command is answered with the command, and not with the flag that is most like it.
pub(super) fn with_command(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(flag)) =
        error.get(ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)
    else {
        return error;
    };
    let commands = commands();
    if let Some(near) = nearest(flag.trim_start_matches('-'), commands.iter().map(String::as_str)) {
        let tip = format!("`{near}` is a command: `cargo retry-after {near}`");
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The names of the commands that are shown.
fn commands() -> Vec<String> {
    let cli = Cli::command();
    cli.get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_behind_flags_comes_first() {
        let ordered = |line: &str| {
            let arguments = line.split(' ').map(OsString::from).collect();
            command_first(arguments).into_iter().map(|argument| argument.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(ordered("x -A all lint a").join(" "), "x lint -A all a");
        assert_eq!(ordered("x --color never explain capped_hint").join(" "), "x explain --color never capped_hint");
        for same in
            ["x lint a", "x a lint", "x -- lint", "x -A lint", "x -p lint", "x explain rules", "x lint lint", "x"]
        {
            assert_eq!(ordered(same).join(" "), same);
        }
        assert_eq!(ordered("x help"), ["x", "--help"]);
        assert_eq!(ordered("x help explain"), ["x", "explain", "--help"]);
        assert_eq!(ordered("x -p lint lint").join(" "), "x lint -p lint");
    }

    #[test]
    fn a_word_near_a_command_is_answered_with_it() {
        let hint = |word: &str| hint(Path::new(word));
        assert_eq!(hint("lnt").as_deref(), Some("did you mean the command `lint`?"));
        assert_eq!(hint("explian").as_deref(), Some("did you mean the command `explain`?"));
        assert_eq!(hint("nowhere"), None);
        assert_eq!(hint("src"), None, "it exists");
        assert_eq!(hint("./lnt"), None);
    }
}
