//! A lexer that knows just enough of Rust to tell code from strings and comments. It never fails: on broken text it gives some tokens.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A raw identifier.
    RawWord,
    /// A number, text or character.
    Literal,
    /// `'a`.
    Lifetime,
    /// `(`, `[` or `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close,
    /// One character of punctuation.
    Punct(u8),
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The tokens of a text, without comments.
pub(super) struct Tokens<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Where the comments stood that were passed.
    pub(super) comments: Vec<Range<usize>>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Tokens { text, bytes: text.as_bytes(), at: 0, comments: Vec::new() }
    }

    /// All tokens, and apart from them all comments, in order.
    pub(super) fn with_comments(text: &'t str) -> (Vec<Token>, Vec<Range<usize>>) {
        let mut tokens = Tokens::new(text);
        let all = tokens.by_ref().collect();
        (all, tokens.comments)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The character at the current place, which is a boundary of characters.
    fn character(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t'..=b'\r' => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    let start = self.at;
                    self.at = memchr::memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |n| self.at + n);
                    self.comments.push(start..self.at);
                }
                b'/' if self.peek(1) == b'*' => {
                    let start = self.at;
                    self.skip_block_comment();
                    self.comments.push(start..self.at);
                }
                0x80.. => match self.character() {
                    // The same characters as proc-macro2.
                    Some(c) if c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}') => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            let Some(next) = memchr::memchr2(b'/', b'*', &self.bytes[self.at..]) else {
                self.at = self.bytes.len();
                return;
            };
            self.at += next;
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// Skips a text whose opening quote is at the current place.
    fn skip_text(&mut self) {
        self.at += 1;
        while let Some(next) = memchr::memchr2(b'"', b'\\', &self.bytes[self.at.min(self.bytes.len())..]) {
            self.at += next;
            if self.peek(0) == b'"' {
                self.at += 1;
                return;
            }
            self.at += 2;
        }
        self.at = self.bytes.len();
    }

    /// Skips a raw text, from its `#`s or its quote on. False if it is none.
    fn skip_raw_text(&mut self) -> bool {
        let hashes = self.bytes[self.at..].iter().take_while(|&&b| b == b'#').count();
        if self.peek(hashes) != b'"' {
            return false;
        }
        self.at += hashes + 1;
        while let Some(next) = memchr::memchr(b'"', &self.bytes[self.at..]) {
            self.at += next + 1;
            if self.bytes[self.at..].iter().take(hashes).filter(|&&b| b == b'#').count() == hashes {
                self.at += hashes;
                return true;
            }
        }
        self.at = self.bytes.len();
        true
    }

    /// Skips `'x'` or `'a`, and says which it was.
    fn skip_quote(&mut self) -> Kind {
        self.at += 1;
        if self.peek(0) == b'\\' {
            self.at += 2;
            while !matches!(self.peek(0), b'\'' | b'\n' | 0) {
                self.at += 1;
            }
            self.at += 1;
            return Kind::Literal;
        }
        let Some(c) = self.character() else { return Kind::Lifetime };
        if self.peek(c.len_utf8()) == b'\'' {
            self.at += c.len_utf8() + 1;
            return Kind::Literal;
        }
        self.skip_word();
        Kind::Lifetime
    }

    fn skip_word(&mut self) {
        loop {
            match self.peek(0) {
                b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.at += 1,
                0x80.. => match self.character() {
                    Some(c) if !c.is_whitespace() && !matches!(c, '\u{200e}' | '\u{200f}') => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn number(&mut self) -> Kind {
        self.skip_word();
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.skip_word();
        }
        Kind::Literal
    }

    /// A word, or a literal that starts with a letter.
    fn word(&mut self) -> Kind {
        let (first, second) = (self.peek(0), self.peek(1));
        match (first, second) {
            (b'b' | b'c', b'"') => {
                self.at += 1;
                self.skip_text();
                return Kind::Literal;
            }
            (b'b', b'\'') => {
                self.at += 1;
                self.skip_quote();
                return Kind::Literal;
            }
            (b'b' | b'c', b'r') | (b'r', b'#' | b'"') => {
                let start = self.at;
                self.at += if first == b'r' { 1 } else { 2 };
                if self.skip_raw_text() {
                    return Kind::Literal;
                }
                if first == b'r' {
                    self.at += 1;
                    self.skip_word();
                    return Kind::RawWord;
                }
                self.at = start;
            }
            _ => {}
        }
        self.skip_word();
        Kind::Word
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let kind = match *self.bytes.get(start)? {
            b'"' => {
                self.skip_text();
                Kind::Literal
            }
            b'\'' => self.skip_quote(),
            b'0'..=b'9' => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            open @ (b'(' | b'[' | b'{') => {
                self.at += 1;
                Kind::Open(open)
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                Kind::Close
            }
            0x80.. => {
                self.skip_word();
                Kind::Word
            }
            other => {
                self.at += 1;
                Kind::Punct(other)
            }
        };
        // An escape at the very end may have stepped over it.
        self.at = self.at.min(self.bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        if self.at == start {
            self.at += self.character().map_or(1, char::len_utf8);
        }
        Some(Token { kind, start, end: self.at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        Tokens::new(text).map(|token| &text[token.start..token.end]).collect()
    }

    #[test]
    fn code_is_told_from_strings_and_comments() {
        assert_eq!(tokens("a /* ( /* */ ( */ b // (\nc"), ["a", "b", "c"]);
        let text = "a /* b */ \"// no\" // c\r\n/* /* */ d */ '/' //";
        let (_, comments) = Tokens::with_comments(text);
        assert_eq!(
            comments.into_iter().map(|place| &text[place]).collect::<Vec<_>>(),
            ["/* b */", "// c\r", "/* /* */ d */", "//"]
        );
        assert_eq!(
            tokens(r##"x"(\"("r#"("("#br"("c"("b'('"##),
            ["x", r#""(\"(""#, r###"r#"("("#"###, r#"br"(""#, r#"c"(""#, "b'('"]
        );
        assert_eq!(tokens("'a 'b' '\\'' '(' 'static"), ["'a", "'b'", "'\\''", "'('", "'static"]);
        assert_eq!(
            tokens("r#if r 1.5 1..2 x.0.0 1.a"),
            ["r#if", "r", "1.5", "1", ".", ".", "2", "x", ".", "0.0", "1", ".", "a"]
        );
        assert_eq!(tokens("if\u{2028}größe"), ["if", "größe"]);
    }

    #[test]
    fn broken_text_ends() {
        for text in [
            "\"", "\"\\", "'", "'\\", "b'", "r#", "r##\"", "/*", "/* /*", "b", "br", "é", "'é", "\"\\é", "'\\é'",
            "r#\"é",
        ] {
            assert!(Tokens::new(text).count() <= 3, "{text}");
        }
    }
}
