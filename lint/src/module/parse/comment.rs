//! Comments, and the code that each is about.
//!
//! Syntax trees hold no comments, and a file that cannot be parsed has no tree; so this is told from tokens: a comment behind code is about its line, one that
//! stands alone is about what begins below it, be that an item, a statement, an arm, an argument or a link of a chain of calls.

use super::prelude;
use super::tokens::{Kind, Token, Tokens};
use std::ops::Range;

/// A comment in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Where it stands.
    pub(crate) place: Range<usize>,
    /// The code that it is about: whole lines for one behind code; otherwise from the first line below it to the end of what begins there.
    /// Empty where there is none.
    pub(crate) about: Range<usize>,
    /// Whether it stands behind code in the same line.
    pub(crate) is_behind_code: bool,
}

/// The comments of the text that hold the word, in order.
pub(crate) fn holding(text: &str, word: &str) -> Vec<Comment> {
    if !text.contains(word) {
        return Vec::new();
    }
    let shift = prelude(text);
    let code = &text[shift..];
    let (tokens, comments) = Tokens::with_comments(code);
    let comments = comments.into_iter().filter(|place| code[place.clone()].contains(word));
    let moved = |range: Range<usize>| range.start + shift..range.end + shift;
    comments
        .map(|place| {
            let (about, is_behind_code) = about(code, &tokens, &place);
            Comment { place: moved(place), about: moved(about), is_behind_code }
        })
        .collect()
}

/// The code without its comments.
pub(crate) fn without(code: &str) -> String {
    let (_, comments) = Tokens::with_comments(code);
    let mut text = String::new();
    let mut at = 0;
    for comment in comments {
        text += &code[at..comment.start];
        at = comment.end;
    }
    text + &code[at..]
}

/// Whether a comment can be put at the place: it lies within no token and no comment.
pub(crate) fn has_room_at(text: &str, place: usize) -> bool {
    let shift = prelude(text);
    let Some(place) = place.checked_sub(shift) else { return false };
    let (tokens, comments) = Tokens::with_comments(&text[shift..]);
    let is_within = |range: Range<usize>| range.start < place && place < range.end;
    !tokens.iter().any(|token| is_within(token.start..token.end)) && !comments.into_iter().any(is_within)
}

fn about(text: &str, tokens: &[Token], comment: &Range<usize>) -> (Range<usize>, bool) {
    let line = line_start(text, comment.start);
    let next = tokens.partition_point(|token| token.start < comment.start);
    let is_behind_code = next.checked_sub(1).is_some_and(|last| tokens[last].end > line);
    if is_behind_code {
        return (line..line_end(text, comment.end), true);
    }
    let Some(first) = tokens.get(next) else { return (comment.end..comment.end, false) };
    let end = extent(text, tokens, next).max(line_end(text, first.start));
    (line_start(text, first.start)..end, false)
}

/// Where what begins with a token ends.
fn extent(text: &str, tokens: &[Token], first: usize) -> usize {
    let word = |index: usize| tokens.get(index).map_or("", |token| &text[token.start..token.end]);
    let mut start = first;
    while word(start) == "#" {
        let open = if word(start + 1) == "!" { start + 2 } else { start + 1 };
        if word(open) != "[" {
            break;
        }
        start = closing(tokens, open) + 1;
    }
    let Some(begin) = tokens.get(start) else { return text.len() };
    let end = match what(text, tokens, start) {
        What::Braced => end_of(text, tokens, start, |_, next| next != "else", ";"),
        What::Statement => end_of(text, tokens, start, |_, _| false, ";"),
        What::Link => end_of(text, tokens, start, |_, _| false, ";,."),
        What::Expression => end_of(
            text,
            tokens,
            start,
            |closed, next| closed == "}" && !matches!(next, "." | "?" | "=" | "|" | "else" | "as"),
            ";,",
        ),
    };
    end.max(begin.end)
}

/// What can begin below a comment.
enum What {
    /// An item that ends with its braces, or with a semicolon where it has none.
    Braced,
    /// An item or statement that ends with a semicolon.
    Statement,
    /// `.call(..)` in a chain.
    Link,
    /// Anything else.
    Expression,
}

fn what(text: &str, tokens: &[Token], start: usize) -> What {
    let word = |index: usize| tokens.get(index).map_or("", |token| &text[token.start..token.end]);
    if matches!(word(start), "." | "?") {
        return What::Link;
    }
    let mut index = start;
    if word(index) == "pub" {
        index += 1;
        if word(index) == "(" {
            index = closing(tokens, index) + 1;
        }
    }
    let plain = index;
    while matches!(word(index), "async" | "unsafe" | "const" | "extern" | "default")
        || (index > plain && tokens.get(index).is_some_and(|token| token.kind == Kind::Literal))
    {
        index += 1;
    }
    match (word(plain), word(index)) {
        (_, "fn" | "impl" | "mod" | "struct" | "enum" | "trait" | "union" | "macro_rules") => What::Braced,
        ("let" | "const" | "static" | "type" | "use", _) => What::Statement,
        _ => What::Expression,
    }
}

/// Goes on from a token to the first of the letters that stands outside of any brackets, or behind a pair of brackets that ends it, given the closing one and
/// what follows it; at the latest to where the brackets around it close.
fn end_of(text: &str, tokens: &[Token], start: usize, ends: impl Fn(&str, &str) -> bool, letters: &str) -> usize {
    let word = |index: usize| tokens.get(index).map_or("", |token| &text[token.start..token.end]);
    let is_braced = letters == ";";
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(start) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close if depth == 0 => return index.checked_sub(1).map_or(token.start, |last| tokens[last].end),
            Kind::Close => {
                depth -= 1;
                let is_end = !is_braced || word(index) == "}";
                if depth == 0 && is_end && ends(word(index), word(index + 1)) {
                    return token.end;
                }
            }
            Kind::Punct(letter) if depth == 0 && index > start && letters.as_bytes().contains(&letter) => {
                return if letter == b'.' { tokens[index - 1].end } else { token.end };
            }
            _ => {}
        }
    }
    text.len()
}

/// The index of the token that closes the bracket.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

fn line_start(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |end| end + 1)
}

fn line_end(text: &str, place: usize) -> usize {
    text[place..].find('\n').map_or(text.len(), |end| place + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the only comment that holds an `X` is about.
    fn about(text: &str) -> &str {
        let comments = holding(text, "X");
        assert_eq!(comments.len(), 1, "{text}");
        text[comments[0].about.clone()].trim()
    }

    #[test]
    fn behind_code_it_is_about_the_line() {
        assert_eq!(about("a();\nb(\n  c); // X\nd();"), "c); // X");
        assert_eq!(about("fn f() { // X\n  a();\n}"), "fn f() { // X");
        assert_eq!(about("a(); /* X */ b();"), "a(); /* X */ b();");
    }

    #[test]
    fn alone_it_is_about_what_begins_below() {
        for code in [
            "fn f<A, B>(a: A, b: B) -> [u8; 3] where A: B {\n  a;\n  b\n}",
            "pub(crate) async unsafe extern \"C\" fn f() {\n  a;\n}",
            "#[inline]\n#[cfg(all(a, b))]\npub fn f() {\n  a;\n}",
            "impl<T> A<T> for B {\n  fn f() {}\n}",
            "pub const A: B = B {\n  c: 1,\n};",
            "let a = match b {\n  C => 1,\n  D => 2,\n};",
            "let Some(a) = b else {\n  return;\n};",
            "if a {\n  b();\n} else if c {\n  d();\n} else {\n  e();\n}",
            "a.b(c, d)\n  .e(|f| {\n    g();\n  })\n  .h();",
            "match a {\n  B => c,\n}",
            "C { d } => {\n  e();\n  f\n}",
            "C if d == 1 => e\n  .f(g, h),",
            "g(\n  h,\n  i,\n),",
            "struct A;",
        ] {
            assert_eq!(about(&format!("fn z() {{\n  a();\n  // X\n\n  // more\n  {code}\n  last();\n}}")), code);
        }
        assert_eq!(about("let a = b\n  // X\n  .c(|d| {\n    e.f()\n  })\n  .g(h);\n"), ".c(|d| {\n    e.f()\n  })");
        assert_eq!(about("a(\n  // X\n  b,\n  c,\n)"), "b,");
        assert_eq!(about("a(\n  // X\n  b, c.d(),\n  e\n)"), "b, c.d(),", "at least the line");
        assert_eq!(about("fn f() {\n  a\n  // X\n}"), "}");
        assert_eq!(about("fn f() {}\n// X\n"), "");
    }

    #[test]
    fn a_byte_order_mark_shifts_nothing() {
        assert_eq!(about("\u{feff}#!/x\n// X\na();\nb();"), "a();");
    }

    #[test]
    fn code_is_what_is_left_without_comments() {
        assert_eq!(without("f(/* a */ b, // c\n \"// d\")"), "f( b, \n \"// d\")");
        assert_eq!(without("/* open"), "");
    }

    #[test]
    fn words_in_strings_are_no_comments() {
        assert_eq!(holding("let a = \"// X\";", "X"), []);
    }

    #[test]
    fn broken_code_ends_somewhere() {
        for text in
            ["// X\n#", "// X\n#[", "// X\n}", "// X\npub(", "// X\nlet", "// X\nfn f(", "// X\n.", "// X\n#![a"]
        {
            assert_eq!(holding(text, "X").len(), 1, "{text}");
        }
    }

    #[test]
    fn there_is_no_room_within_a_text() {
        let text = "let a = \"b\nc\";\n/* d\ne */ f();\n";
        let at = |word: &str| has_room_at(text, text.find(word).unwrap());
        assert_eq!([at("let"), at("c\""), at("/*"), at("e */"), at("f()")], [true, false, true, false, true]);
    }
}
