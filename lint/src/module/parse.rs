//! Parsing: text to syntax tree, guarded against input that would overflow a parser's stack.
//!
//! syn descends by recursion, and so does the drop of its tree. So [`check`] bounds the depth of the tree beforehand, on tokens (module `depth`), and
//! parsing runs on a thread with a [`STACK`] that is large enough for what it lets pass, in debug builds too. A test holds the two together.

mod bare;
pub(crate) mod comment;
mod depth;
mod problem;
mod tokens;

pub use depth::check;
pub(crate) use depth::measure;

use std::ops::Range;
use std::panic::resume_unwind;

/// The depth of syntax tree that is still parsed. Code written by hand stays below 100.
pub const MAX_DEPTH: usize = 4096;

/// The stack of a thread that parses, or walks what was parsed. Only what is used of it takes memory.
pub const STACK: usize = 512 << 20;

/// Why a file could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseProblem {
    /// The line, from 1.
    pub line: u32,
    /// The reason, and what to do where there is something to do.
    pub message: String,
}

/// A file's syntax tree.
pub struct Parsed {
    /// The tree.
    pub syntax: syn::File,
    /// How many bytes (of a BOM and a shebang line) stand before the text that spans count from.
    pub shift: u32,
}

/// Parses a whole file that [`check`] has let pass.
///
/// # Errors
///
/// The first place where it is not Rust as syn knows it.
pub fn file(text: &str) -> Result<Parsed, ParseProblem> {
    let shift = prelude(text);
    match syn::parse_str::<syn::File>(&text[shift..]) {
        Ok(syntax) => Ok(Parsed { syntax, shift: shift as u32 }),
        // What is wrong with the tokens themselves is told better from our own.
        Err(error) => Err(problem::find(text, shift).unwrap_or_else(|| {
            let before = text[..shift].matches('\n').count();
            let start = error.span().start();
            let line = before + start.line.max(1);
            let message = format!("not parsed: {error}, in column {}", start.column + 1);
            ParseProblem { line: line as u32, message }
        })),
    }
}

/// A file's syntax tree without its comments and tests, and where its spans are in the file.
pub(crate) struct Code {
    /// The tree. Comments of documentation are no attributes in it, and test modules are empty.
    pub(crate) syntax: syn::File,
    places: Places,
}

/// Where the spans of a parsed text are in its file, in bytes.
pub(crate) struct Places {
    /// How many bytes stand before what the parser was given.
    shift: usize,
    /// Where each line begins, if all is ASCII outside of comments: then columns are bytes.
    lines: Option<Vec<usize>>,
}

impl Code {
    /// The tree and the places apart.
    pub(crate) fn into_parts(self) -> (syn::File, Places) {
        (self.syntax, self.places)
    }
}

impl Places {
    /// The bytes that a span takes.
    pub(crate) fn of(&self, span: proc_macro2::Span) -> Range<usize> {
        // A span's byte range is found by counting characters from the nearest place asked for before, which costs as much as parsing does.
        let Some(lines) = &self.lines else {
            let range = span.byte_range();
            return range.start + self.shift..range.end + self.shift;
        };
        let place = |at: proc_macro2::LineColumn| {
            lines.get(at.line.saturating_sub(1)).map_or(0, |start| start + at.column) + self.shift
        };
        place(span.start())..place(span.end())
    }
}

/// Parses a whole file as [`file`] does, its depth checked, but for what need not be parsed.
///
/// # Errors
///
/// As [`check`] and [`file`] have them.
pub(crate) fn code(text: &str) -> Result<Code, ParseProblem> {
    let shift = prelude(text);
    let bare = bare::blank(&text[shift..], depth::idle(text, shift)?);
    let Ok(syntax) = syn::parse_str::<syn::File>(&bare) else {
        // What is wrong is told of the text as it is.
        let whole = |parsed: Parsed| Code { syntax: parsed.syntax, places: Places { shift, lines: None } };
        return file(text).map(whole);
    };
    let lines = bare.is_ascii().then(|| {
        let ends = memchr::memchr_iter(b'\n', bare.as_bytes());
        std::iter::once(0).chain(ends.map(|end| end + 1)).collect()
    });
    Ok(Code { syntax, places: Places { shift, lines } })
}

/// Runs `work` on a thread with a [`STACK`].
///
/// # Panics
///
/// If `work` does. Where no such thread can be had, `work` runs on this one.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    with_stack(STACK, work)
}

fn with_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> T {
    let work = std::sync::Mutex::new(Some(work));
    let run = || work.lock().ok().and_then(|mut work| work.take()).map(|work| work());
    let result = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("deep".to_owned()).stack_size(size);
        match builder.spawn_scoped(scope, run) {
            Ok(thread) => thread.join(),
            Err(_) => Ok(run()),
        }
    });
    match result {
        Ok(Some(value)) => value,
        Ok(None) => unreachable!("the work is taken once"),
        Err(panic) => resume_unwind(panic),
    }
}

/// How many bytes a BOM and a shebang line take at the start of a file.
fn prelude(text: &str) -> usize {
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rest = &text[bom..];
    let Some(after) = rest.strip_prefix("#!") else { return bom };
    // `#![..]` is an attribute, with blanks and comments between its tokens or not.
    if tokens::Tokens::new(after).next().is_some_and(|token| token.kind == tokens::Kind::Open(b'[')) {
        return bom;
    }
    bom + rest.find('\n').unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_precedes_the_text() {
        assert_eq!(prelude("fn main() {}"), 0);
        assert_eq!(prelude("\u{feff}fn main() {}"), 3);
        assert_eq!(prelude("#!/usr/bin/env run\nfn main() {}"), 18);
        assert_eq!(prelude("\u{feff}#!/x\nfn main() {}"), 7);
        assert_eq!(prelude("#! /* a comment */ [allow(dead_code)]"), 0);
        assert_eq!(prelude("#!/usr/bin/env"), 14);
    }

    #[test]
    fn comments_are_no_code_and_places_stay() {
        let names = |text: &str| {
            let code = code(text).unwrap_or_else(|problem| panic!("{}", problem.message));
            let idents = code.syntax.items.iter().filter_map(|item| match item {
                syn::Item::Fn(function) => Some(code.places.of(function.sig.ident.span())),
                _ => None,
            });
            idents.map(|range| text[range].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names("#!/x/* é\n// é\nfn a() {}\n/** é */ fn bc() {} // é"), ["a", "bc"]);
        assert_eq!(names("\u{feff}/// é\nfn a() { \"é\n\" }\n\nfn größe() {} fn d() {}"), ["a", "größe", "d"]);
    }

    #[test]
    fn a_problem_has_its_line() {
        let line = |text: &str| file(text).err().map(|problem| problem.line);
        assert_eq!(line("fn a() {}\nfn {}\n"), Some(2));
        assert_eq!(line("#!/bin/x\n\nfn {}\n"), Some(3));
        assert_eq!(line("\u{feff}fn a() {\r\n"), Some(1));
        assert_eq!(line(""), None);
    }

    #[test]
    fn work_with_a_large_stack_may_panic() {
        assert_eq!(with_large_stack(|| 3), 3);
        assert!(std::panic::catch_unwind(|| with_large_stack(|| panic!("on purpose"))).is_err());
    }
}
