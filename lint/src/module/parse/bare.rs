//! What need not be parsed: comments, and the bodies of modules that are for tests.
//!
//! The parser makes six tokens of each line of documentation, and nothing is looked for in tests; in published crates both together are often more than
//! the code.

use super::tokens::{Kind, Token};
use std::ops::Range;

/// The text with blanks for these ranges, and every other byte and line where it was. The ranges may lie in each other and come in any order.
pub(super) fn blank(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut bare = String::with_capacity(text.len());
    for range in ranges {
        if range.end <= bare.len() {
            continue;
        }
        let start = range.start.max(bare.len());
        bare.push_str(&text[bare.len()..start]);
        bare.extend(text[start..range.end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    bare.push_str(&text[bare.len()..]);
    bare
}

/// Finds the bodies of `#[cfg(test)] mod name { .. }` in a row of tokens.
#[derive(Default)]
pub(super) struct TestModules {
    state: State,
    /// What stands between their braces.
    pub(super) bodies: Vec<Range<usize>>,
}

/// How much of one was seen.
#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    Nothing,
    /// So many tokens of `#[cfg(test)]`.
    Attribute(usize),
    /// All of them, and what may stand before `mod`.
    Declared,
    /// Another attribute, this deep in its brackets.
    Other(usize),
    /// `mod`.
    Module,
    /// `mod name`.
    Named,
    /// The body from this place on, this deep; whether all is in it.
    Body { start: usize, depth: usize, is_whole: bool },
}

impl TestModules {
    /// Takes the next token of the text.
    pub(super) fn take(&mut self, token: Token, text: &str) {
        let word = || &text[token.start..token.end];
        self.state = match (self.state, token.kind) {
            (State::Body { start, depth: 1, is_whole }, Kind::Close) => {
                if is_whole {
                    self.bodies.push(start..token.start);
                }
                State::Nothing
            }
            (State::Body { start, depth, is_whole }, kind) => State::Body {
                start,
                depth: match kind {
                    Kind::Open(_) => depth + 1,
                    Kind::Close => depth - 1,
                    _ => depth,
                },
                // A module in a file of its own is a test's because of where it is declared.
                is_whole: is_whole && !(kind == Kind::Word && word() == "mod"),
            },
            (State::Attribute(1), Kind::Open(b'[')) => State::Attribute(2),
            (State::Attribute(2), Kind::Word) if word() == "cfg" => State::Attribute(3),
            (State::Attribute(3), Kind::Open(b'(')) => State::Attribute(4),
            (State::Attribute(4), Kind::Word) if word() == "test" => State::Attribute(5),
            (State::Attribute(5), Kind::Close) => State::Attribute(6),
            (State::Attribute(6), Kind::Close) => State::Declared,
            (State::Declared, Kind::Punct(b'#')) => State::Other(0),
            (State::Declared, Kind::Word) if word() == "pub" => State::Declared,
            (State::Declared, Kind::Word) if word() == "mod" => State::Module,
            (State::Other(depth), Kind::Open(_)) => State::Other(depth + 1),
            (State::Other(1), Kind::Close) => State::Declared,
            (State::Other(depth), Kind::Close) if depth > 0 => State::Other(depth - 1),
            (State::Other(depth), _) if depth > 0 => State::Other(depth),
            (State::Module, Kind::Word) => State::Named,
            (State::Named, Kind::Open(b'{')) => State::Body { start: token.end, depth: 1, is_whole: true },
            (_, Kind::Punct(b'#')) => State::Attribute(1),
            _ => State::Nothing,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::Tokens;
    use super::*;

    fn bare(text: &str) -> String {
        let mut tokens = Tokens::new(text);
        let mut modules = TestModules::default();
        for token in tokens.by_ref() {
            modules.take(token, text);
        }
        blank(text, [tokens.comments, modules.bodies].concat())
    }

    #[test]
    fn comments_become_blanks() {
        assert_eq!(
            bare("/// é\n//! of\n/* a\nb */ fn a() { \"// é\" }"),
            "      \n      \n    \n     fn a() { \"// é\" }"
        );
    }

    #[test]
    fn bodies_of_test_modules_become_blanks() {
        for (text, expected) in [
            ("#[cfg(test)] mod a { x } y", "#[cfg(test)] mod a {   } y"),
            (
                "#[cfg(test)] #[allow(x)] pub mod a { /* é */ { } } y",
                "#[cfg(test)] #[allow(x)] pub mod a {              } y",
            ),
            ("#[a] #[cfg(test)]\nmod a {\nx\n}", "#[a] #[cfg(test)]\nmod a {\n \n}"),
        ] {
            assert_eq!(bare(text), expected);
        }
        for text in [
            "#[cfg(not(test))] mod a { x }",
            "#[cfg(any(test, b))] mod a { x }",
            "#[cfg(test)] fn a() { x }",
            "#[cfg(test)] use a; mod b { x }",
            "#[cfg(test)] mod a { mod b; }",
            "#[cfg(test)] mod a; mod b { x }",
            "#[cfg(test)] mod a { x",
        ] {
            assert_eq!(bare(text), text);
        }
    }
}
