//! Lowering: syntax tree to intermediate representation, once for each file.
//!
//! A `Lowerer` walks a file's items, and the bodies of its functions, and writes a [`FileIr`]. What is nested to the left in the syntax tree
//! (method chains, operators, `else if`) is lowered in a loop; the rest recurses, within the bounds that [`crate::module::parse`] checked
//! on the text. Every span is put together from tokens and from the spans of the parts: syn's own `Spanned` would print the whole
//! tree again for each node. Local names are resolved here, by scope; all other paths stay as written.
//!
//! Statements and match arms under `#[cfg(..)]` run on an unknown condition, those under `#[cfg(test)]` are left out. Two neighbours under
//! `cfg(x)` and `cfg(not(x))` are the arms of one branch, and a name that both bind is one local.

mod attributes;
mod bodies;
mod branches;
mod expressions;
mod items;
mod macros;
mod patterns;
#[cfg(test)]
mod print;
#[cfg(test)]
mod tests;
mod types;

use super::{FileId, FileIr, Name, OpaqueReason, Scope, ScopeId, Span};
use crate::module::parse::{self, ParseProblem, Places};
use bodies::BodyBuilder;
use macros::declared::Declared;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Parses and lowers one file, whose text is in memory.
///
/// `module` is the file's module path from its crate's root. The spans of the parser's source map are released on return. It recurses to
/// the depth that [`parse::check`] lets pass: call it within [`parse::with_large_stack`].
pub fn lower(file: FileId, text: &str, module: Vec<Name>, package: u32, is_test: bool) -> Result<FileIr, ParseProblem> {
    let result = parse::code(text).map(|code| {
        let (syntax, places) = code.into_parts();
        let scope = Scope { parent: None, package, module, is_block: false, is_test, uses: Vec::new() };
        let mut lowerer = Lowerer::new(file, text, places, scope);
        lowerer.declared = Declared::of(&syntax.items);
        lowerer.items(&syntax.items, &items::Place::file());
        lowerer.ir
    });
    proc_macro2::extra::invalidate_current_thread_spans();
    result
}

/// The state of lowering one file.
struct Lowerer<'t> {
    file: FileId,
    /// The whole text of the file.
    text: &'t str,
    /// Where the parser's spans are in the text.
    places: Places,
    /// Names seen, so that equal ones share their text.
    names: FxHashSet<Name>,
    /// Where identifiers are spelt, over and over.
    spelling: String,
    ir: FileIr,
    /// The body being lowered.
    body: BodyBuilder,
    /// How many expressions enclose the current one.
    depth: usize,
    /// How many macros enclose the current expression.
    macros: usize,
    /// The macros that the file declares.
    declared: Declared,
}

/// A lowered expression and the text it takes, its parentheses included.
#[derive(Clone, Copy)]
struct Low {
    id: super::ExprId,
    span: Span,
}

impl<'t> Lowerer<'t> {
    fn new(file: FileId, text: &'t str, places: Places, scope: Scope) -> Self {
        Lowerer {
            file,
            text,
            places,
            names: FxHashSet::default(),
            spelling: String::new(),
            ir: FileIr { scopes: vec![scope], ..FileIr::default() },
            body: BodyBuilder::default(),
            depth: 0,
            macros: 0,
            declared: Declared::default(),
        }
    }

    /// The shared copy of a name.
    fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Name = text.into();
        self.names.insert(name.clone());
        name
    }

    /// The name of an identifier, without `r#`.
    fn ident(&mut self, ident: &syn::Ident) -> Name {
        let mut text = std::mem::take(&mut self.spelling);
        text.clear();
        // A string takes whatever is written to it.
        let _ = write!(text, "{ident}");
        let name = self.name(text.strip_prefix("r#").unwrap_or(&text));
        self.spelling = text;
        name
    }

    /// The bytes a token takes.
    fn span(&self, span: proc_macro2::Span) -> Span {
        let range = self.places.of(span);
        Span { file: self.file, start: range.start as u32, end: range.end as u32 }
    }

    /// From the start of one token to the end of another.
    fn between(&self, first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
        self.span(first).to(self.span(last))
    }

    /// The source text of a span; empty if the span is not of this text.
    fn source(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Adds a scope.
    fn scope(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId(self.ir.scopes.len() as u32);
        self.ir.scopes.push(scope);
        id
    }

    /// Notes what could not be lowered.
    fn note(&mut self, span: Span, reason: OpaqueReason) {
        self.ir.opaque.push((span, reason));
    }
}
