//! How deep the syntax tree of a text can be at most, counted on tokens.
//!
//! A tree's depth comes from delimiters, prefix operators and keywords, chains of methods and operators, `else if` and generics. Each level
//! of such a tree takes a token, and `,` `;` and the end of a block part what does not nest. So the tokens of a kind that can nest are counted
//! from one such parting to the next, and each delimited group adds the depth of the deepest part in it. The count is never too small by
//! more than a small factor, which the stack allows for.
//! What stands in a macro's or attribute's delimiters is not parsed with the file; only its delimiters count.

#[cfg(test)]
mod tests;

use super::tokens::{Kind, Token, Tokens};
use super::{MAX_DEPTH, ParseProblem};
use std::ops::Range;

/// What a `box` pattern counts.
const BOX: usize = 64;

/// Finds text that would become too deep a tree.
///
/// # Errors
///
/// The line where it passes [`MAX_DEPTH`].
pub fn check(text: &str) -> Result<(), ParseProblem> {
    idle(text, 0).map(|_| ())
}

/// What need not be parsed of what follows that place, counted from there, if [`check`] lets it pass.
pub(super) fn idle(text: &str, from: usize) -> Result<Vec<Range<usize>>, ParseProblem> {
    scan(&text[from..], MAX_DEPTH).map(|(_, idle)| idle).map_err(|place| ParseProblem {
        line: 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..from + place]).count() as u32,
        message: format!(
            "not parsed: delimiters, operators, method calls or `else if` nest more than {MAX_DEPTH} deep here; \
             split this expression, or leave the file out"
        ),
    })
}

/// The depth of the text, or the place where it passes the limit.
pub(crate) fn measure(text: &str, limit: usize) -> Result<usize, usize> {
    scan(text, limit).map(|(depth, _)| depth)
}

/// The depth of the text and its comments, or the place where it passes the limit.
fn scan(text: &str, limit: usize) -> Result<(usize, Vec<Range<usize>>), usize> {
    let mut scan = Scan { text, levels: vec![Level::default()], before: None, earlier: None, has_closed_arm: false };
    let mut tokens = Tokens::new(text);
    for token in tokens.by_ref() {
        scan.take(token);
        let level = scan.level();
        if level.run + level.child > limit || scan.levels.len() > limit {
            return Err(token.start);
        }
    }
    Ok((scan.levels.iter().map(Level::depth).max().unwrap_or(0), tokens.comments))
}

/// What has been counted within one pair of delimiters.
#[derive(Default)]
struct Level {
    /// Tokens that can nest since the last parting.
    run: usize,
    /// The deepest group since the last parting.
    child: usize,
    /// The deepest part so far.
    deepest: usize,
    /// Generics and closure parameters that are open.
    frames: Vec<Frame>,
    /// Whether the content is a macro's or attribute's.
    is_quoted: bool,
    /// Whether a `use` line holds it.
    is_use: bool,
    /// Whether it is the body of a match arm.
    is_arm: bool,
}

/// An open `<` or `|`, within which a comma parts less than a whole element.
struct Frame {
    kind: Open,
    /// The counts at its start.
    run: usize,
    child: usize,
    /// The deepest part in it, up to the last comma.
    deepest: usize,
    /// Whether it holds what no generics hold, so that it is a comparison.
    is_expression: bool,
    /// Whether a `=` was seen since the last comma.
    has_equals: bool,
}

#[derive(PartialEq, Eq)]
enum Open {
    Angle,
    Pipe,
}

impl Level {
    /// The depth of all that is in it, what is still open included.
    fn depth(&self) -> usize {
        let open = self.frames.iter().map(|frame| frame.child.max(frame.deepest)).max();
        self.deepest.max(self.run + self.child.max(open.unwrap_or(0)))
    }

    /// Nothing that follows nests with what came before.
    fn part(&mut self) {
        self.deepest = self.depth();
        (self.run, self.child) = (0, 0);
        self.frames.clear();
        self.is_use = false;
    }

    fn comma(&mut self) {
        match self.frames.last_mut() {
            None => {
                let is_use = self.is_use;
                self.part();
                self.is_use = is_use;
            }
            Some(frame) => {
                frame.has_equals = false;
                frame.deepest = frame.deepest.max(self.run.saturating_sub(frame.run) + self.child);
                (self.run, self.child) = (frame.run, 0);
            }
        }
    }

    /// Notes that the innermost generics, if any, hold an expression.
    fn expression(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.is_expression = true;
        }
    }

    fn open(&mut self, kind: Open) {
        self.run += 1;
        let child = std::mem::take(&mut self.child);
        let frame = Frame { kind, run: self.run, child, deepest: 0, is_expression: false, has_equals: false };
        self.frames.push(frame);
    }

    /// Ends the innermost frame if it is of that kind.
    fn close(&mut self, kind: &Open) {
        if self.frames.last().is_some_and(|frame| frame.kind == *kind)
            && let Some(frame) = self.frames.pop()
        {
            if frame.is_expression {
                self.child = self.child.max(frame.child).max(frame.deepest);
                self.expression();
            } else {
                let inside = self.run.saturating_sub(frame.run) + self.child;
                self.child = inside.max(frame.child).max(frame.deepest);
                self.run = frame.run;
            }
        }
    }

    /// What looked like open generics or parameters was none.
    fn forget_frames(&mut self) {
        for frame in self.frames.drain(..) {
            self.child = self.child.max(frame.child).max(frame.deepest);
        }
    }
}

struct Scan<'t> {
    text: &'t str,
    levels: Vec<Level>,
    /// The last token and the one before it.
    before: Option<Token>,
    earlier: Option<Token>,
    /// Whether the last token ended the body of a match arm.
    has_closed_arm: bool,
}

impl Scan<'_> {
    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn word(&self, token: Option<Token>) -> &str {
        match token {
            Some(Token { kind: Kind::Word, start, end }) => &self.text[start..end],
            _ => "",
        }
    }

    fn is_punct(token: Option<Token>, punct: u8) -> bool {
        token.is_some_and(|token| token.kind == Kind::Punct(punct))
    }

    /// Whether an operand ends just before: an operator here is a binary one.
    fn is_infix(&self) -> bool {
        match self.before.map(|token| token.kind) {
            Some(Kind::Word) => !is_keyword(self.word(self.before)),
            Some(Kind::RawWord | Kind::Literal | Kind::Close) => true,
            Some(Kind::Punct(b'?' | b'>')) => true,
            _ => false,
        }
    }

    /// Whether delimiters here are a macro's or an attribute's.
    fn is_quote(&self) -> bool {
        if Self::is_punct(self.before, b'#') {
            return true;
        }
        if Self::is_punct(self.before, b'!') {
            return match self.earlier.map(|token| token.kind) {
                Some(Kind::Word) => !is_keyword(self.word(self.earlier)),
                Some(Kind::RawWord | Kind::Punct(b'#')) => true,
                _ => false,
            };
        }
        // `macro_rules! name { .. }`
        Self::is_punct(self.earlier, b'!') && self.before.is_some_and(|token| token.kind == Kind::Word)
    }

    fn take(&mut self, token: Token) {
        self.part_after_block(token);
        match token.kind {
            Kind::Open(_) => {
                let is_quote = self.is_quote();
                let is_attribute =
                    is_quote && (Self::is_punct(self.before, b'#') || Self::is_punct(self.earlier, b'#'));
                let is_arm = Self::is_punct(self.before, b'>') && Self::is_punct(self.earlier, b'=');
                let outer = self.level();
                outer.run += usize::from(!is_attribute && !outer.is_quoted);
                let inner =
                    Level { is_quoted: outer.is_quoted || is_quote, is_use: outer.is_use, is_arm, ..Level::default() };
                self.levels.push(inner);
            }
            Kind::Close => {
                let inner = self.levels.pop().unwrap_or_default();
                self.has_closed_arm = inner.is_arm;
                let depth = inner.depth() + usize::from(inner.is_quoted);
                let outer = self.level();
                outer.child = outer.child.max(depth);
            }
            _ if self.level().is_quoted => {}
            Kind::Word => self.take_word(token),
            Kind::Punct(punct) => self.take_punct(punct, token.start),
            Kind::RawWord | Kind::Literal | Kind::Lifetime => {}
        }
        self.earlier = self.before;
        self.before = Some(token);
    }

    /// Parts after `}` if the next token cannot go on with what the block belongs to.
    fn part_after_block(&mut self, token: Token) {
        let Some(Token { kind: Kind::Close, start, .. }) = self.before else { return };
        if self.text.as_bytes()[start] != b'}' {
            return;
        }
        let parts = match token.kind {
            Kind::Word => !matches!(&self.text[token.start..token.end], "else" | "as" | "in" | "where"),
            Kind::RawWord | Kind::Literal | Kind::Lifetime => true,
            Kind::Punct(b'#') => true,
            Kind::Punct(b'.' | b'?') => false,
            // A block ends its arm, comma or not.
            _ => self.has_closed_arm,
        };
        if parts {
            self.level().part();
        }
    }

    fn take_word(&mut self, token: Token) {
        let word = &self.text[token.start..token.end];
        let is_use = word == "use";
        let is_keyword = is_keyword(word);
        let is_of_types = matches!(
            word,
            "dyn"
                | "impl"
                | "for"
                | "fn"
                | "mut"
                | "const"
                | "unsafe"
                | "extern"
                | "as"
                | "crate"
                | "self"
                | "Self"
                | "super"
        );
        let level = self.level();
        level.is_use |= is_use;
        level.run += match word {
            // syn copies the rest of the tokens at each `box`.
            "box" => BOX,
            _ => usize::from(is_keyword),
        };
        if is_keyword && !is_of_types {
            level.expression();
        }
    }

    fn take_punct(&mut self, punct: u8, start: usize) {
        let is_infix = self.is_infix();
        let joins = |token: Option<Token>| match token {
            Some(Token { kind: Kind::Punct(before), end, .. }) if end == start => before,
            _ => 0,
        };
        let joined = joins(self.before);
        let is_doubled = self.text.as_bytes().get(start + 1) == Some(&punct);
        let level = self.level();
        match punct {
            b',' => return level.comma(),
            b';' => return level.part(),
            b'#' | b'$' | b'\'' => return,
            // `#![..]`
            b'!' if joined == b'#' => return,
            b':' if joined == b':' => {
                // Taken back: a path is flat, but the tree of a `use` is not.
                if !level.is_use {
                    level.run = level.run.saturating_sub(1);
                }
                return;
            }
            b'<' => {
                return level.open(Open::Angle);
            }
            b'>' if joined == b'=' => {
                // `=>` ends a pattern.
                return level.forget_frames();
            }
            b'>' if joined == b'-' => return,
            b'>' => {
                level.run += 1;
                return level.close(&Open::Angle);
            }
            b'=' if matches!(
                joined,
                b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'.'
            ) =>
            {
                return level.expression();
            }
            b'=' => {
                if let Some(frame) = level.frames.last_mut() {
                    frame.is_expression |= frame.has_equals;
                    frame.has_equals = true;
                }
            }
            b'|' if joined == b'|' => level.expression(),
            b'|' if is_infix && level.frames.last().is_some_and(|frame| frame.kind == Open::Pipe) => {
                return level.close(&Open::Pipe);
            }
            b'|' if !is_infix => {
                level.expression();
                if is_doubled {
                    level.run += 1;
                } else {
                    level.open(Open::Pipe);
                }
                return;
            }
            b'&' | b'*' | b'-' | b'!' if !is_infix => {}
            b'+' | b'?' | b':' => {}
            _ => level.expression(),
        }
        level.run += 1;
    }
}

/// Words that open or carry on something that nests.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "async"
            | "await"
            | "become"
            | "box"
            | "break"
            | "const"
            | "continue"
            | "do"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "fn"
            | "for"
            | "gen"
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
            | "try"
            | "type"
            | "unsafe"
            | "use"
            | "where"
            | "while"
            | "yield"
    )
}
