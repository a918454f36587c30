//! Patterns: what they bind, and what they ask of a value.

use super::Lowerer;
use crate::ir::{Literal, LocalId, Name, Pattern, Type};
use std::collections::HashMap;
use syn::{Expr, Lit, Member, Pat, RangeLimits};

/// How deep a pattern may be nested; what is below is [`Pattern::Wild`].
const MAX_DEPTH: usize = 64;

/// The names bound so far in one whole pattern: the same name in another alternative is the same local.
pub(super) type Names = HashMap<Name, LocalId>;

impl Lowerer<'_> {
    /// A pattern; the names it binds are in scope from here on.
    pub(super) fn pattern(&mut self, pattern: &Pat) -> Pattern {
        self.pattern_with(pattern, &mut Names::new())
    }

    /// A pattern that shares its names with others: a name in `names` is bound to its local again.
    pub(super) fn pattern_with(&mut self, pattern: &Pat, names: &mut Names) -> Pattern {
        self.pattern_at(pattern, names, 0)
    }

    fn pattern_at(&mut self, pattern: &Pat, names: &mut Names, depth: usize) -> Pattern {
        if depth > MAX_DEPTH {
            return Pattern::Wild;
        }
        let below = depth + 1;
        match pattern {
            Pat::Ident(ident) => self.binding(ident, names, below),
            Pat::Guard(guard) => self.pattern_at(&guard.pat, names, below),
            Pat::Lit(literal) => self.literal(&literal.lit).map_or(Pattern::Wild, Pattern::Literal),
            Pat::Or(or) => Pattern::Or(self.patterns(or.cases.iter(), names, below)),
            Pat::Paren(inner) => self.pattern_at(&inner.pat, names, below),
            Pat::Path(path) => Pattern::Path(self.path(path.qself.as_ref(), &path.path)),
            Pat::Range(range) => Pattern::Range {
                from: range.start.as_ref().map(|bound| Box::new(self.bound(bound))),
                to: range.end.as_ref().map(|bound| Box::new(self.bound(bound))),
                inclusive: matches!(range.limits, RangeLimits::Closed(_)),
            },
            Pat::Reference(inner) => Pattern::Reference(Box::new(self.pattern_at(&inner.pat, names, below))),
            Pat::Rest(_) => Pattern::Rest,
            Pat::Slice(slice) => Pattern::Slice(self.patterns(slice.elems.iter(), names, below)),
            Pat::Tuple(tuple) => Pattern::Tuple(self.patterns(tuple.elems.iter(), names, below)),
            Pat::TupleStruct(tuple) => {
                let path = self.path(tuple.qself.as_ref(), &tuple.path);
                if let Some(name) = path.segments.last() {
                    self.reads(&name.clone());
                }
                Pattern::TupleStruct(path, self.patterns(tuple.elems.iter(), names, below))
            }
            Pat::Struct(record) => {
                let path = self.path(record.qself.as_ref(), &record.path);
                let mut fields = Vec::with_capacity(record.fields.len());
                for field in &record.fields {
                    let name = self.member(&field.member);
                    self.reads(&name);
                    fields.push((name, self.pattern_at(&field.pat, names, below)));
                }
                Pattern::Struct(path, fields)
            }
            Pat::Type(typed) => {
                let pattern = self.pattern_at(&typed.pat, names, below);
                let ty = self.ty(&typed.ty);
                self.annotate(&pattern, &ty);
                pattern
            }
            Pat::Verbatim(tokens) => self.verbatim(tokens.clone(), names, below),
            _ => Pattern::Wild,
        }
    }

    fn patterns<'s>(
        &mut self,
        patterns: impl Iterator<Item = &'s Pat>,
        names: &mut Names,
        depth: usize,
    ) -> Vec<Pattern> {
        patterns.map(|pattern| self.pattern_at(pattern, names, depth)).collect()
    }

    fn binding(&mut self, ident: &syn::PatIdent, names: &mut Names, depth: usize) -> Pattern {
        let name = self.ident(&ident.ident);
        let is_plain = ident.by_ref.is_none() && ident.mutability.is_none() && ident.subpat.is_none();
        if is_plain && name.starts_with(char::is_uppercase) {
            return Pattern::Path(crate::ir::Path { segments: vec![name], of: None, generics: Vec::new() });
        }
        let local = match names.get(&name) {
            Some(&local) => {
                self.rebind(name, local);
                local
            }
            None => {
                let local = self.bind(name.clone(), None);
                names.insert(name, local);
                local
            }
        };
        let inner = ident.subpat.as_ref().map(|(_, inner)| Box::new(self.pattern_at(inner, names, depth)));
        Pattern::Bind(local, inner)
    }

    /// An end of a range pattern.
    fn bound(&mut self, bound: &Expr) -> Pattern {
        match bound {
            Expr::Lit(literal) => self.literal(&literal.lit).map_or(Pattern::Wild, Pattern::Literal),
            Expr::Path(path) => Pattern::Path(self.path(path.qself.as_ref(), &path.path)),
            _ => Pattern::Wild,
        }
    }

    /// `box pattern`.
    fn verbatim(&mut self, tokens: proc_macro2::TokenStream, names: &mut Names, depth: usize) -> Pattern {
        let mut tokens = tokens.into_iter();
        let is_box = matches!(tokens.next(), Some(proc_macro2::TokenTree::Ident(ident)) if ident == "box");
        match syn::parse::Parser::parse2(Pat::parse_single, tokens.collect()) {
            Ok(inner) if is_box => Pattern::Reference(Box::new(self.pattern_at(&inner, names, depth))),
            _ => Pattern::Wild,
        }
    }

    /// Notes the written type at the variable that a pattern binds as a whole.
    pub(super) fn annotate(&mut self, pattern: &Pattern, ty: &Type) {
        if let Pattern::Bind(local, _) = pattern {
            self.set_type(*local, ty.clone());
        }
    }

    /// A field's name.
    pub(super) fn member(&mut self, member: &Member) -> Name {
        match member {
            Member::Named(ident) => self.ident(ident),
            Member::Unnamed(index) => self.name(&index.index.to_string()),
        }
    }

    /// A literal; None for what is none (a literal of a suffix that makes no sense).
    pub(super) fn literal(&mut self, literal: &Lit) -> Option<Literal> {
        Some(match literal {
            Lit::Str(text) => Literal::Text(self.name(&text.value())),
            Lit::CStr(text) => Literal::Text(self.name(&text.value().to_string_lossy())),
            Lit::ByteStr(bytes) => Literal::Bytes(bytes.value().into()),
            Lit::Byte(byte) => Literal::Byte(byte.value()),
            Lit::Char(character) => Literal::Character(character.value()),
            Lit::Bool(flag) => Literal::Bool(flag.value),
            Lit::Int(integer) if !integer.suffix().starts_with('f') => match integer.base10_digits().parse() {
                Ok(value) => Literal::Integer(value),
                Err(_) => Literal::Float(integer.base10_digits().parse().ok()?),
            },
            Lit::Int(integer) => Literal::Float(integer.base10_digits().parse().ok()?),
            Lit::Float(float) => Literal::Float(float.base10_digits().parse().ok()?),
            _ => return None,
        })
    }
}
