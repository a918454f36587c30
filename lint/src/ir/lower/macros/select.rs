//! `select!`, `join!`: futures that run side by side.

use super::super::{Low, Lowerer};
use super::arguments;
use crate::ir::{Op, SelectArm, Span};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Block, Expr, ExprBlock, Ident, Macro, Pat, Token, token};

/// An arm as written.
struct Branch {
    /// Pattern and future; None for `else`, `default` and `complete`.
    ready: Option<(Pat, Expr)>,
    /// What tokio asks before it polls the future.
    condition: Option<Expr>,
    body: Expr,
}

impl Parse for Branch {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_word = |word: &str| input.fork().call(Ident::parse_any).is_ok_and(|ident| ident == word);
        let is_fallback = (is_word("else") || is_word("default") || is_word("complete"))
            && (input.peek2(Token![=>]) || input.peek2(token::Paren));
        if is_fallback {
            input.call(Ident::parse_any)?;
            if input.peek(token::Paren) {
                // crossbeam: `default(timeout) => ..`
                input.parse::<proc_macro2::Group>()?;
            }
            input.parse::<Token![=>]>()?;
            return Ok(Branch { ready: None, condition: None, body: body(input)? });
        }
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<Token![=]>()?;
        let future: Expr = input.parse()?;
        let mut condition = None;
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            input.parse::<Token![if]>()?;
            condition = Some(input.parse()?);
        }
        input.parse::<Token![=>]>()?;
        Ok(Branch { ready: Some((pattern, future)), condition, body: body(input)? })
    }
}

/// The body of an arm; a block ends it without a comma.
fn body(input: ParseStream<'_>) -> syn::Result<Expr> {
    let body = if input.peek(token::Brace) {
        Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block: input.parse::<Block>()? })
    } else {
        input.parse()?
    };
    if input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
    }
    Ok(body)
}

impl Lowerer<'_> {
    /// `select!` as tokio and futures write it.
    pub(super) fn select(&mut self, call: &Macro, span: Span) -> Option<Low> {
        let parser = |input: ParseStream<'_>| {
            if input.peek(Ident) && input.peek2(Token![;]) {
                // `biased;`
                input.parse::<Ident>()?;
                input.parse::<Token![;]>()?;
            }
            let mut branches = Vec::new();
            while !input.is_empty() {
                branches.push(input.parse::<Branch>()?);
            }
            Ok(branches)
        };
        let branches = parser.parse2(call.tokens.clone()).ok()?;
        let mut arms = Vec::with_capacity(branches.len());
        for branch in &branches {
            let arm = self.scoped(|this| {
                let Some((pattern, future)) = &branch.ready else {
                    let future = this.unit(span);
                    return SelectArm { pattern: None, future, body: Some(this.id(&branch.body)) };
                };
                let mut future = this.id(future);
                if let Some(condition) = &branch.condition {
                    // It is computed, and says nothing of the values.
                    let condition = this.id(condition);
                    let discard = this.push(Op::Discard(vec![condition]), span);
                    future = this.push(Op::Block { body: vec![discard, future], has_value: true, label: None }, span);
                }
                let pattern = this.pattern(pattern);
                SelectArm { pattern: Some(pattern), future, body: Some(this.id(&branch.body)) }
            });
            arms.push(arm);
        }
        Some(self.low(Op::Select(arms), span))
    }

    /// `join!`, `try_join!`.
    pub(super) fn join(&mut self, call: &Macro, span: Span) -> Option<Low> {
        let futures = arguments::expressions(call.tokens.clone())?;
        let arms =
            self.ids(&futures).into_iter().map(|future| SelectArm { pattern: None, future, body: None }).collect();
        Some(self.low(Op::Select(arms), span))
    }
}
