//! The README's examples: what the commands print stands there as it is.
//!
//! `UPDATE_EXPECT=1 cargo test --workspace readme` writes it anew.

use crate::support::{root, run};
use std::fs;
use std::io::Read;
use std::process::Command;

const FENCE: &str = "```";

/// Runs the command of an example and returns what it prints.
fn print(command: &str) -> String {
    if command == "cargo test --workspace" {
        return end_of_all_tests();
    }
    if let Some(arguments) = command.strip_prefix("cargo run -r -- ") {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let outcome = run(root(), &arguments);
        assert!(outcome.code < 2, "{command}: {}", outcome.stderr);
        return outcome.stdout;
    }
    panic!("no way to test `{command}`");
}

/// The end of what all tests print: the results of the last two packages' examples. This test is one of all, so only the examples are run;
/// those on the rules' pages are about other crates, and are no tests unless cargo is asked for examples alone.
fn end_of_all_tests() -> String {
    let (mut both, writer) = std::io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root()).args(["test", "--workspace", "--doc", "--color", "never", "--", "--skip", "rules::"]);
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    // The command holds the ends that are written to; the text does not end before they are closed.
    drop(command);
    let mut text = String::new();
    both.read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success(), "{text}");
    let (last_but_one, _) = text.rmatch_indices("test result:").nth(1).expect("several packages have results");
    format!("...\n{}\n", text[last_but_one..].trim_end())
}

/// Times differ from run to run, and the number of tests from commit to commit.
pub(crate) fn without_figures(command: &str, text: &str) -> String {
    if command.starts_with("cargo test") {
        return text.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    }
    let words = text.split_inclusive([' ', '\n']);
    let is_time = |word: &str| word.trim_end() == "ms";
    let mut result: Vec<String> = Vec::new();
    for word in words {
        if is_time(word)
            && let Some(figure) = result.last_mut()
        {
            *figure = "N ".to_owned();
        }
        result.push(word.to_owned());
    }
    result.concat()
}

#[test]
fn the_examples_print_what_stands_there() {
    let path = root().join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let mut updated = String::new();
    let mut rest = text.as_str();
    let mut examples = 0;
    while let Some(start) = rest.find("```console\n$ ") {
        let block = start + "```console\n".len();
        let end = block + rest[block..].find(FENCE).expect("the block ends");
        let (command, shown) = rest[block + 2..end].split_once('\n').unwrap();
        updated.push_str(&rest[..block]);
        examples += 1;
        let printed = print(command);
        if std::env::var_os("UPDATE_EXPECT").is_none() {
            assert_eq!(
                without_figures(command, shown),
                without_figures(command, &printed),
                "`{command}` prints something else; UPDATE_EXPECT=1 takes it over"
            );
            updated.push_str(&rest[block..end]);
        } else {
            updated.push_str(&format!("$ {command}\n{printed}"));
        }
        rest = &rest[end..];
    }
    updated.push_str(rest);
    assert_eq!(examples, 2, "one command does the main job, one passes all tests");
    if updated != text {
        fs::write(path, updated).unwrap();
    }
}
