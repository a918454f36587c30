//! The arguments of macros that take expressions.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Token};

/// One argument: an expression, or `name = expression`.
pub(super) struct Argument {
    /// The name before `=` or `:`.
    pub(super) name: Option<String>,
    /// The expression, without the `%` or `?` of tracing.
    pub(super) value: Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = name(input)?;
        // How tracing is to show it.
        if input.peek(Token![%]) {
            input.parse::<Token![%]>()?;
        } else if input.peek(Token![?]) {
            input.parse::<Token![?]>()?;
        }
        Ok(Argument { name, value: input.parse()? })
    }
}

/// `name =`, `a.b.c =`, `"name" =`, `target:`, if the argument starts so.
fn name(input: ParseStream<'_>) -> syn::Result<Option<String>> {
    let is_equals =
        |input: ParseStream<'_>| input.peek(Token![=]) && !input.peek(Token![==]) && !input.peek(Token![=>]);
    let ahead = input.fork();
    let mut name = String::new();
    if ahead.peek(LitStr) {
        name = ahead.parse::<LitStr>()?.value();
        let is_colon = ahead.peek(Token![:]) && !ahead.peek(Token![::]);
        if !is_equals(&ahead) && !is_colon {
            return Ok(None);
        }
    } else if ahead.peek(Ident::peek_any) {
        name.push_str(&ahead.call(Ident::parse_any)?.to_string());
        if ahead.peek(Token![:]) && !ahead.peek(Token![::]) {
            input.call(Ident::parse_any)?;
            input.parse::<Token![:]>()?;
            return Ok(Some(name));
        }
        while ahead.peek(Token![.]) && ahead.peek2(Ident::peek_any) {
            ahead.parse::<Token![.]>()?;
            name.push('.');
            name.push_str(&ahead.call(Ident::parse_any)?.to_string());
        }
        if !is_equals(&ahead) {
            return Ok(None);
        }
    } else {
        return Ok(None);
    }
    if ahead.peek(Token![:]) {
        ahead.parse::<Token![:]>()?;
    } else {
        ahead.parse::<Token![=]>()?;
    }
    syn::parse::discouraged::Speculative::advance_to(input, &ahead);
    Ok(Some(name))
}

/// Arguments between commas; None if they are something else.
pub(super) fn parse(tokens: TokenStream) -> Option<Vec<Argument>> {
    Punctuated::<Argument, Token![,]>::parse_terminated.parse2(tokens).ok().map(|list| list.into_iter().collect())
}

/// Expressions between commas; None if they are something else.
pub(super) fn expressions(tokens: TokenStream) -> Option<Vec<Expr>> {
    Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens).ok().map(|list| list.into_iter().collect())
}
