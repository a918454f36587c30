//! The README's examples: what the commands print stands there as it is.
//!
//! `UPDATE_EXPECT=1 cargo test --workspace readme` writes it anew.

use crate::support::{root, run};
use std::fs;

const FENCE: &str = "```";

/// Runs the command of an example and returns what it prints.
fn print(command: &str) -> String {
    if let Some(arguments) = command.strip_prefix("cargo run -r -- ") {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let outcome = run(root(), &arguments);
        assert!(outcome.code < 2, "{command}: {}", outcome.stderr);
        return outcome.stdout;
    }
    panic!("no way to test `{command}`");
}

/// Times and counts of tests differ from run to run and from commit to commit.
fn without_figures(text: &str) -> String {
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
        if command.starts_with("cargo test") {
            updated.push_str(&rest[block..end]);
        } else {
            examples += 1;
            let printed = print(command);
            if std::env::var_os("UPDATE_EXPECT").is_none() {
                assert_eq!(
                    without_figures(shown),
                    without_figures(&printed),
                    "`{command}` prints something else; UPDATE_EXPECT=1 takes it over"
                );
                updated.push_str(&rest[block..end]);
            } else {
                updated.push_str(&format!("$ {command}\n{printed}"));
            }
        }
        rest = &rest[end..];
    }
    updated.push_str(rest);
    assert!(examples > 0);
    if updated != text {
        fs::write(path, updated).unwrap();
    }
}
