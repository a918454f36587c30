//! What is wrong with a text that is no sequence of tokens: which delimiter is not closed or closes nothing, which text or comment does not end.

use super::ParseProblem;
use super::tokens::{Kind, Token, Tokens};

/// The first thing that is wrong with the tokens, given how many bytes stand before the code; None where it is not they that are wrong.
pub(super) fn find(text: &str, shift: usize) -> Option<ParseProblem> {
    let code = &text[shift..];
    let (tokens, comments) = Tokens::with_comments(code);
    let (place, message) = wrong_token(code, &tokens)
        .or_else(|| {
            let comment = comments.last().filter(|comment| is_open_comment(&code[(*comment).clone()]))?;
            Some((comment.start, "the comment that begins in column {} has no `*/`".to_owned()))
        })
        .or_else(|| delimiters(text, shift, &tokens))?;
    let (line, column) = position(text, shift + place);
    Some(ParseProblem { line, message: format!("not parsed: {}", message.replacen("{}", &column.to_string(), 1)) })
}

/// A text that does not end, or a character that no code has.
fn wrong_token(code: &str, tokens: &[Token]) -> Option<(usize, String)> {
    for token in tokens {
        let text = &code[token.start..token.end];
        match token.kind {
            Kind::Literal if token.end == code.len() && is_open_text(text) => {
                return Some((token.start, "the text that begins in column {} has no closing quote".to_owned()));
            }
            Kind::Punct(0) => {
                return Some((token.start, "a NUL byte, in column {}, outside of comments and texts".to_owned()));
            }
            Kind::Punct(b'`' | b'\\' | 1..=31 | 127) => {
                return Some((token.start, format!("{text:?}, in column {{}}, is no character of code")));
            }
            Kind::Word => {
                let is_odd = |c: char| !c.is_ascii() && !c.is_alphanumeric();
                // Marks that belong to a letter follow one.
                if let Some(c) = text.chars().next().filter(|c| is_odd(*c)) {
                    return Some((token.start, format!("`{c}`, in column {{}}, is no character of code")));
                }
            }
            _ => {}
        }
    }
    None
}

/// A delimiter that is not closed, is closed by another, or closes nothing.
fn delimiters(text: &str, shift: usize, tokens: &[Token]) -> Option<(usize, String)> {
    let code = &text[shift..];
    let at = |place: usize| position(text, shift + place);
    let mut open: Vec<(u8, usize)> = Vec::new();
    // The first block whose end does not stand below its beginning: judged by that, the one that lacks its own.
    let mut suspect = None;
    for token in tokens {
        match token.kind {
            Kind::Open(letter) => open.push((letter, token.start)),
            Kind::Close => {
                let close = code.as_bytes()[token.start];
                let Some((letter, start)) = open.pop() else {
                    return Some((token.start, format!("the `{}` in column {{}} closes nothing", close as char)));
                };
                if closing(letter) != close {
                    let (line, column) = at(token.start);
                    let there = if line == at(start).0 { String::new() } else { format!("line {line}, ") };
                    let message = format!(
                        "the `{}` in column {{}} is not closed: a `{}` stands in its place, in {there}column {column}",
                        letter as char, close as char
                    );
                    return Some((start, message));
                }
                let begins = line_start(code, start);
                let indent = code[begins..start].len() - code[begins..start].trim_start().len();
                if close == b'}' && suspect.is_none() && indentation(code, token.start).is_some_and(|end| end != indent)
                {
                    suspect = Some(start);
                }
            }
            _ => {}
        }
    }
    let (letter, start) = open.pop()?;
    let mut message = format!("the `{}` in column {{}} is not closed before the end of the file", letter as char);
    if let Some(suspect) = suspect.filter(|suspect| *suspect > start) {
        let (line, column) = at(suspect);
        message += &format!("; by the indentation, it is the one in line {line}, column {column}, that lacks its `}}`");
    }
    Some((start, message))
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// How far the token at the place is indented, if it is the first of its line.
fn indentation(code: &str, place: usize) -> Option<usize> {
    let before = &code[line_start(code, place)..place];
    before.trim_start().is_empty().then_some(before.len())
}

fn line_start(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |end| end + 1)
}

/// The line and the column of a place, from 1.
fn position(text: &str, place: usize) -> (u32, usize) {
    let start = line_start(text, place);
    let line = 1 + text[..start].matches('\n').count() as u32;
    // A byte order mark has no column.
    (line, 1 + text[start..place].trim_start_matches('\u{feff}').chars().count())
}

/// Whether a block comment lacks an end.
fn is_open_comment(comment: &str) -> bool {
    if !comment.starts_with("/*") {
        return false;
    }
    let (mut rest, mut depth) = (comment, 0_usize);
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("/*") {
            depth += 1;
            rest = &rest[2..];
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            rest = &rest[2..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    depth > 0
}

/// Whether a text lacks its closing quote.
fn is_open_text(literal: &str) -> bool {
    let Some(quote) = literal.find('"') else { return false };
    let (prefix, rest) = (&literal[..quote], &literal[quote + 1..]);
    if prefix.contains('\'') || prefix.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if prefix.contains('r') {
        return !rest.ends_with(&format!("\"{}", "#".repeat(prefix.matches('#').count())));
    }
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return false,
            '\\' => drop(letters.next()),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        let shift = super::super::prelude(text);
        find(text, shift).map(|problem| format!("{}: {}", problem.line, problem.message))
    }

    #[test]
    fn it_is_named_with_its_place() {
        for (text, wanted) in [
            (
                "fn f() {\n  g(1;\n}\n",
                "2: not parsed: the `(` in column 4 is not closed: a `}` stands in its place, in line 3, column 1",
            ),
            (
                "fn f() { g(1]; }",
                "1: not parsed: the `(` in column 11 is not closed: a `]` stands in its place, in column 13",
            ),
            ("\u{feff}fn f() {\n", "1: not parsed: the `{` in column 8 is not closed before the end of the file"),
            (
                "fn f() {\n    if a {\n        g();\n}\n\nfn h() {}\n",
                "1: not parsed: the `{` in column 8 is not closed before the end of the file; by the indentation, it is the one in line 2, column 10, that lacks its `}`",
            ),
            ("fn f() {\n}}\n", "2: not parsed: the `}` in column 2 closes nothing"),
            ("#!/x\nfn f() { \"abc; }\n", "2: not parsed: the text that begins in column 10 has no closing quote"),
            ("const A: &str = r#\"a\";", "1: not parsed: the text that begins in column 17 has no closing quote"),
            ("fn f() {}\n/* a /* b */\n", "2: not parsed: the comment that begins in column 1 has no `*/`"),
            ("fn f() {\n \0 }", "2: not parsed: a NUL byte, in column 2, outside of comments and texts"),
            ("fn f() { a(\u{201c}b\u{201d}) }", "1: not parsed: `\u{201c}`, in column 12, is no character of code"),
            ("fn f() { a\\b }", "1: not parsed: \"\\\\\", in column 11, is no character of code"),
        ] {
            assert_eq!(problem(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn sound_tokens_have_none() {
        for text in [
            "",
            "fn f() { \"a\\\"\" }",
            "// \0\nfn f() { '\"'; b'\"'; r#\"\"\"#; \"\0\" /* /* */ */ }",
            "größe",
            "fn {",
        ] {
            assert!(problem(text).is_none_or(|problem| text == "fn {" && problem.contains("not closed")), "{text}");
        }
    }
}
