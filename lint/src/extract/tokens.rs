//! Tokens: a piece of source text as a flat list, with the places of its tokens and the paths among them.
//!
//! Texts are edited and not printed anew: what is copied stays as it was written, but for the ranges that an [`Edit`] replaces.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::ops::Range;

/// One token; a group is its opening and its closing token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// Bytes of the piece's text.
    pub(super) range: Range<usize>,
    /// For an opening token the place of its closing one in the list, and the other way round; else the token's own place.
    pub(super) partner: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Mark,
    Literal,
    Open,
    Close,
}

/// A path in the text: `a`, `a::b`, `crate::a::b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenPath {
    /// Its names.
    pub(super) names: Vec<String>,
    /// The place of each name in the list of tokens.
    pub(super) places: Vec<usize>,
    /// Whether `::` stands before it.
    pub(super) is_global: bool,
}

/// What replaces a range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes.
    pub range: Range<usize>,
    /// What stands there instead.
    pub text: String,
}

/// The tokens of a text; None if it is none of Rust's. The parser keeps the text until its spans are given up, which is done subject by subject.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let stream: TokenStream = text.parse().ok()?;
    let mut list = Vec::new();
    flatten(stream, &mut list);
    Some(list)
}

fn flatten(stream: TokenStream, list: &mut Vec<Token>) {
    let mut joined: Option<usize> = None;
    for tree in stream {
        let was_joined = joined.take();
        match tree {
            TokenTree::Group(group) => {
                let marks = match group.delimiter() {
                    Delimiter::Parenthesis => Some(("(", ")")),
                    Delimiter::Brace => Some(("{", "}")),
                    Delimiter::Bracket => Some(("[", "]")),
                    Delimiter::None => None,
                };
                let Some((open, close)) = marks else {
                    flatten(group.stream(), list);
                    continue;
                };
                let start = list.len();
                let range = group.span_open().byte_range();
                list.push(Token { text: open.to_owned(), kind: Kind::Open, range, partner: start });
                flatten(group.stream(), list);
                let end = list.len();
                list[start].partner = end;
                let range = group.span_close().byte_range();
                list.push(Token { text: close.to_owned(), kind: Kind::Close, range, partner: start });
            }
            TokenTree::Ident(word) => {
                let place = list.len();
                let text = word.to_string();
                let text = text.strip_prefix("r#").unwrap_or(&text).to_owned();
                list.push(Token { text, kind: Kind::Word, range: word.span().byte_range(), partner: place });
            }
            TokenTree::Literal(literal) => {
                let place = list.len();
                let range = literal.span().byte_range();
                list.push(Token { text: literal.to_string(), kind: Kind::Literal, range, partner: place });
            }
            TokenTree::Punct(mark) => {
                let range = mark.span().byte_range();
                let is_followed = mark.spacing() == Spacing::Joint;
                match was_joined {
                    // `::`, `..`, `=>`, `->` and the like are one; `<` and `>` and `?` stay alone, since generics close with several.
                    Some(place) if joins(&list[place].text, mark.as_char()) => {
                        list[place].text.push(mark.as_char());
                        list[place].range.end = range.end;
                        joined = is_followed.then_some(place);
                    }
                    _ => {
                        let place = list.len();
                        list.push(Token { text: mark.as_char().to_string(), kind: Kind::Mark, range, partner: place });
                        joined = is_followed.then_some(place);
                    }
                }
            }
        }
    }
}

fn joins(before: &str, next: char) -> bool {
    matches!(
        (before, next),
        (":", ':')
            | ("." | "..", '.')
            | ("..", '=')
            | ("=", '>' | '=')
            | ("-", '>' | '=')
            | ("&", '&')
            | ("|", '|')
            | ("!" | "+" | "*" | "/" | "%" | "<" | ">", '=')
    )
}

/// The paths among the tokens, in order. Names after a dot (fields and methods), lifetimes and keywords are none; the names of macros are.
pub(super) fn paths(tokens: &[Token]) -> Vec<WrittenPath> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let before = at.checked_sub(1).map(|before| tokens[before].text.as_str());
        let starts = token.kind == Kind::Word && !is_keyword(&token.text) && !matches!(before, Some("." | "'" | "::"));
        let is_global = before == Some("::")
            && at
                .checked_sub(2)
                .is_none_or(|before| !matches!(tokens[before].kind, Kind::Word) && tokens[before].text != ">");
        if !starts && !(is_global && token.kind == Kind::Word) {
            at += 1;
            continue;
        }
        let mut path = WrittenPath { names: vec![token.text.clone()], places: vec![at], is_global };
        while let (Some(colons), Some(name)) = (tokens.get(at + 1), tokens.get(at + 2)) {
            if colons.text != "::" || name.kind != Kind::Word {
                break;
            }
            at += 2;
            path.names.push(name.text.clone());
            path.places.push(at);
        }
        found.push(path);
        at += 1;
    }
    found
}

/// The names of methods that are called: `.name(` and `.name::<`.
pub(super) fn methods(tokens: &[Token]) -> Vec<&str> {
    let is_method = |place: &usize| {
        let place = *place;
        tokens[place].kind == Kind::Word
            && place > 0
            && tokens[place - 1].text == "."
            && tokens.get(place + 1).is_some_and(|next| matches!(next.text.as_str(), "(" | "::"))
    };
    (0..tokens.len()).filter(is_method).map(|place| tokens[place].text.as_str()).collect()
}

/// The text with the edits made. Of two that overlap, the longer one counts.
pub fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        if edit.range.start < done {
            continue;
        }
        result.push_str(&text[done..edit.range.start]);
        result.push_str(&edit.text);
        done = edit.range.end;
    }
    result.push_str(&text[done..]);
    result
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "async"
            | "await"
            | "break"
            | "const"
            | "continue"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "false"
            | "fn"
            | "for"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "pub"
            | "ref"
            | "return"
            | "static"
            | "struct"
            | "trait"
            | "true"
            | "type"
            | "unsafe"
            | "use"
            | "where"
            | "while"
            | "_"
    )
}

/// Whether a macro of this name only tells what happens: it logs, prints or counts.
pub(super) fn is_logger(name: &str) -> bool {
    matches!(
        name,
        "trace"
            | "debug"
            | "info"
            | "warn"
            | "error"
            | "event"
            | "log"
            | "println"
            | "eprintln"
            | "print"
            | "eprint"
            | "counter"
            | "gauge"
            | "histogram"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths_of(text: &str) -> Vec<String> {
        paths(&tokens(text).unwrap()).iter().map(|path| path.names.join("::")).collect()
    }

    #[test]
    fn paths_are_whole_and_fields_are_none() {
        assert_eq!(paths_of("a::b(x.y.z(), crate::c::D { e: 1 })"), ["a::b", "x", "crate::c::D", "e"]);
        assert_eq!(paths_of("fn f<'a>(v: &'a str) -> u8 { 0..n }"), ["f", "v", "str", "u8", "n"]);
        assert_eq!(paths_of("Vec::<u8>::new() + ::std::x()"), ["Vec", "u8", "std::x"]);
    }

    #[test]
    fn edits_replace_ranges() {
        let text = "let a = b;";
        let edit = |range, text: &str| Edit { range, text: text.to_owned() };
        assert_eq!(edited(text, vec![edit(8..9, "c"), edit(4..5, "x")]), "let x = c;");
        assert_eq!(edited(text, vec![edit(4..5, "x"), edit(4..9, "y")]), "let y;");
    }

    #[test]
    fn methods_are_called() {
        assert_eq!(methods(&tokens("a.b().c::<u8>().d.e(1)").unwrap()), ["b", "c", "e"]);
    }
}
