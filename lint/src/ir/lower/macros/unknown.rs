//! Macros that are not in the table: as items, expressions or statements, whichever their tokens are.

use super::super::attributes::{Cfg, cfg_of};
use super::super::branches::plain_arm;
use super::super::items::Place;
use super::super::{Low, Lowerer};
use super::{arguments, macro_name};
use crate::ir::{ExprId, Op, OpaqueReason, Span};
use proc_macro2::{Delimiter, Punct, Spacing, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Block, Expr, ImplItem, Item, Macro, Stmt, Token};

/// How deep in the groups of tokens that are no Rust expressions are looked for.
const MAX_SALVAGE: usize = 16;
/// How deep in braces items are looked for.
const MAX_GROUPS: usize = 4;

impl Lowerer<'_> {
    /// A macro of which only the arguments can be understood.
    pub(super) fn unknown_macro(&mut self, call: &Macro, span: Span) -> Low {
        let children = self.children(call.tokens.clone());
        let reason = OpaqueReason::Macro(self.name(&macro_name(call)));
        self.opaque(reason, children, span)
    }

    fn children(&mut self, tokens: TokenStream) -> Vec<ExprId> {
        if let Some(arguments) = arguments::parse(tokens.clone()) {
            return arguments.iter().map(|argument| self.id(&argument.value)).collect();
        }
        if let Ok(statements) = Block::parse_within.parse2(tokens.clone()) {
            let span = self.tokens_span(&tokens);
            return vec![self.statements(&statements, None, span).id];
        }
        self.salvage(tokens)
    }

    /// The expressions among tokens of another language.
    pub(in super::super) fn salvage(&mut self, tokens: TokenStream) -> Vec<ExprId> {
        let mut found = Vec::new();
        self.scoped(|this| this.salvage_at(tokens, 0, &mut found));
        found
    }

    fn salvage_at(&mut self, tokens: TokenStream, depth: usize, found: &mut Vec<ExprId>) {
        for part in parts(tokens) {
            let stream: TokenStream = part.iter().cloned().collect();
            if let Ok(expr) = syn::parse2::<Expr>(stream) {
                found.push(self.id(&expr));
                continue;
            }
            for token in part {
                match token {
                    TokenTree::Group(group) if depth < MAX_SALVAGE => self.salvage_at(group.stream(), depth + 1, found),
                    TokenTree::Ident(ident) => {
                        let name = self.ident(&ident);
                        if let Some(local) = self.local(&name) {
                            let span = self.span(ident.span());
                            found.push(self.push(Op::Local(local), span));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// `cfg_if!` among statements: a branch on unknown conditions.
    pub(super) fn cfg_if(&mut self, call: &Macro, span: Span) -> Option<Low> {
        let parser = |input: ParseStream<'_>| {
            let mut branches = Vec::new();
            loop {
                let is_if = input.peek(Token![if]);
                let mut attributes = Vec::new();
                if is_if {
                    input.parse::<Token![if]>()?;
                    attributes = input.call(syn::Attribute::parse_outer)?;
                }
                branches.push((attributes, input.parse::<Block>()?));
                if input.is_empty() {
                    return Ok(branches);
                }
                input.parse::<Token![else]>()?;
            }
        };
        let branches = parser.parse2(call.tokens.clone()).ok()?;
        let mut arms = Vec::new();
        for (attributes, block) in &branches {
            let cfg = Cfg::of(attributes);
            if cfg == Cfg::Test {
                continue;
            }
            let conditions = if cfg == Cfg::Always { Vec::new() } else { vec![self.unknown_condition(span)] };
            let body = self.block(block, None, None);
            arms.push(plain_arm(conditions, body.id, body.span));
        }
        if arms.last().is_some_and(|last| !last.conditions.is_empty()) {
            let unit = self.unit(span);
            arms.push(plain_arm(Vec::new(), unit, span));
        }
        Some(self.low(Op::Branch { scrutinee: None, arms }, span))
    }

    /// `pin!(x);` leaves its variable as it is, `pin! { let x = .. }` binds it for what follows.
    pub(super) fn pin_statement(&mut self, call: &Macro) -> Low {
        let span = self.macro_span(call);
        let bindings = |input: ParseStream<'_>| {
            if input.peek(Token![let]) { Block::parse_within(input) } else { Err(input.error("no binding")) }
        };
        let bound = self.within_macro(call, |this| {
            let statements = bindings.parse2(call.tokens.clone()).ok()?;
            let body = statements.iter().filter_map(|statement| match statement {
                Stmt::Local(_) => this.statement(statement, &mut Default::default()).map(|(low, _)| low.id),
                _ => None,
            });
            let body = body.collect();
            Some(this.low(Op::Block { body, has_value: false, label: None }, span))
        });
        match bound {
            Some(Some(low)) => low,
            _ => self.macro_expr(call),
        }
    }

    /// A macro among items: its tokens as items, or those in its braces.
    pub(in super::super) fn item_macro(&mut self, call: &Macro, place: &Place) {
        self.within_macro(call, |this| this.item_tokens(call.tokens.clone(), place, 0));
    }

    fn item_tokens(&mut self, tokens: TokenStream, place: &Place, depth: usize) {
        if let Some(items) = items(tokens.clone()) {
            self.items(&items, place);
            return;
        }
        if depth >= MAX_GROUPS {
            return;
        }
        // `if #[cfg(..)] { .. } else { .. }` and the like.
        let mut cfg = Cfg::Always;
        let mut is_attribute = false;
        for token in tokens {
            let is_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
            match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    if cfg != Cfg::Test {
                        self.item_tokens(group.stream(), place, depth + 1);
                    }
                    cfg = Cfg::Always;
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket && is_attribute => {
                    cfg = cfg_of(group.stream());
                }
                _ => {}
            }
            is_attribute = is_hash;
        }
    }

    /// A macro among the members of an `impl`.
    pub(in super::super) fn member_macro(&mut self, call: &Macro, place: &Place) {
        self.within_macro(call, |this| {
            let parser = |input: ParseStream<'_>| {
                let mut members = Vec::new();
                while !input.is_empty() {
                    members.push(input.parse::<ImplItem>()?);
                }
                Ok(members)
            };
            if let Ok(members) = parser.parse2(call.tokens.clone()) {
                this.members(&members, place);
            }
        });
    }
}

/// The tokens as items, with what `lazy_static!` and `thread_local!` add to and take from statics put right.
fn items(tokens: TokenStream) -> Option<Vec<Item>> {
    let parser = |input: ParseStream<'_>| {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse::<Item>()?);
        }
        Ok(items)
    };
    if let Ok(items) = parser.parse2(tokens.clone()) {
        return Some(items);
    }
    let mut plain: Vec<TokenTree> = Vec::new();
    let mut is_static = false;
    for token in tokens {
        let is_ref = matches!(&token, TokenTree::Ident(ident) if ident == "ref");
        if is_static && is_ref {
            continue;
        }
        let starts = matches!(&token, TokenTree::Ident(ident) if ident == "static");
        is_static = starts;
        plain.push(token);
    }
    if !plain.iter().any(|token| matches!(token, TokenTree::Ident(ident) if ident == "static")) {
        return None;
    }
    if !matches!(plain.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == ';') {
        plain.push(TokenTree::Punct(Punct::new(';', Spacing::Alone)));
    }
    parser.parse2(plain.into_iter().collect()).ok()
}

/// Tokens between commas, semicolons, `=>`, and single `:` and `=`.
fn parts(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut tokens = tokens.into_iter().peekable();
    let mut is_joined = false;
    while let Some(token) = tokens.next() {
        let mut is_parting = false;
        let mut joins = false;
        if let TokenTree::Punct(punct) = &token {
            joins = punct.spacing() == Spacing::Joint;
            is_parting = match punct.as_char() {
                ',' | ';' => true,
                ':' => !joins && !is_joined,
                '=' if !is_joined && !joins => true,
                '=' if !is_joined && matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '>') => {
                    tokens.next();
                    joins = false;
                    true
                }
                _ => false,
            };
        }
        is_joined = joins;
        if is_parting {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
