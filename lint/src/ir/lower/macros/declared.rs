//! Macros that the file itself declares with `macro_rules!`: a call is the tokens of the arm that fits, with its arguments put in.
//!
//! Tokens keep their places: those of the arm lie where it is declared, those of an argument where the macro is called.

use super::super::{Low, Lowerer};
use super::macro_name;
use crate::ir::Span;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Block, Item, Macro};

/// How many calls within calls are looked into.
const MAX_NESTED: usize = 6;
/// How many tokens one file's calls come to, at most.
const MAX_TOKENS: usize = 200_000;

/// The macros that a file declares.
#[derive(Default)]
pub(in super::super) struct Declared {
    by_name: BTreeMap<String, Option<Rc<Vec<Rule>>>>,
    /// The text of the arms that are being lowered, the innermost last.
    pub(in super::super) within: Vec<Span>,
    tokens: usize,
}

/// One arm: what it takes, and what it stands for.
struct Rule {
    pattern: Vec<TokenTree>,
    body: Group,
}

/// What a variable of a pattern stands for.
#[derive(Clone)]
enum Bound {
    One(TokenStream),
    Each(Vec<Bindings>),
}

type Bindings = BTreeMap<String, Bound>;

impl Declared {
    /// The macros among the items and in their modules. A name that is declared twice is not known.
    pub(in super::super) fn of(items: &[Item]) -> Declared {
        let mut declared = Declared::default();
        declared.gather(items);
        declared
    }

    fn gather(&mut self, items: &[Item]) {
        let mut below: Vec<&Item> = items.iter().collect();
        while let Some(item) = below.pop() {
            match item {
                Item::Mod(module) => below.extend(module.content.iter().flat_map(|(_, items)| items)),
                Item::Macro(call) if call.mac.path.is_ident("macro_rules") => {
                    let Some(name) = &call.ident else { continue };
                    let name = name.unraw().to_string();
                    let rules = if self.by_name.contains_key(&name) { None } else { rules(call.mac.tokens.clone()) };
                    self.by_name.insert(name, rules.map(Rc::new));
                }
                _ => {}
            }
        }
    }
}

impl Lowerer<'_> {
    /// A call of a macro that the file declares. None where it is none, or no arm fits.
    pub(super) fn declared_macro(&mut self, call: &Macro, span: Span) -> Option<Low> {
        if call.path.segments.len() > 2 {
            return None;
        }
        let rules = self.declared.by_name.get(&macro_name(call))?.clone()?;
        if self.declared.within.len() >= MAX_NESTED {
            return None;
        }
        let (bindings, rule) = rules.iter().find_map(|rule| {
            let parser = |input: ParseStream<'_>| {
                let bindings = fit(&rule.pattern, input);
                if !input.is_empty() {
                    return Err(input.error("more than the arm takes"));
                }
                bindings
            };
            parser.parse2(call.tokens.clone()).ok().map(|bindings| (bindings, rule))
        })?;
        let tokens = put_in(rule.body.stream(), &bindings)?;
        self.declared.tokens += count(tokens.clone());
        if self.declared.tokens > MAX_TOKENS {
            return None;
        }
        let statements = Block::parse_within.parse2(tokens).ok()?;
        let body = self.span(rule.body.delim_span().join());
        let depth = 1 + crate::module::parse::measure(self.source(body), crate::module::parse::MAX_DEPTH).ok()?;
        if self.macros + depth > crate::module::parse::MAX_DEPTH {
            return None;
        }
        self.macros += depth;
        self.declared.within.push(body);
        let low = self.statements(&statements, None, body);
        self.declared.within.pop();
        self.macros -= depth;
        Some(Low { span, ..low })
    }

    /// A place within one text: what begins in an arm ends in it, though an argument ends elsewhere.
    pub(in super::super) fn within_one_text(&self, span: Span) -> Span {
        let Some(arm) = self.declared.within.last() else { return span };
        if arm.holds(span) || span.end <= arm.start || arm.end <= span.start {
            return span;
        }
        let rest = self.text.get(span.start as usize..).unwrap_or("");
        let line = rest.find('\n').unwrap_or(rest.len());
        Span { end: span.end.min(span.start + line as u32), ..span }
    }
}

fn count(tokens: TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|token| if let TokenTree::Group(group) = token { 1 + count(group.stream()) } else { 1 })
        .sum()
}

/// `(pattern) => { body }; ..`
fn rules(tokens: TokenStream) -> Option<Vec<Rule>> {
    let mut rules = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(pattern) = token else { return None };
        for arrow in ['=', '>'] {
            if !is_punct(tokens.next().as_ref(), arrow) {
                return None;
            }
        }
        let TokenTree::Group(body) = tokens.next()? else { return None };
        rules.push(Rule { pattern: pattern.stream().into_iter().collect(), body });
        if is_punct(tokens.peek(), ';') {
            tokens.next();
        }
    }
    Some(rules)
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// Takes from the input what the pattern asks for.
fn fit(pattern: &[TokenTree], input: ParseStream<'_>) -> syn::Result<Bindings> {
    let mut bindings = Bindings::new();
    let mut at = 0;
    while let Some(token) = pattern.get(at) {
        at += 1;
        match (token, pattern.get(at), pattern.get(at + 1), pattern.get(at + 2)) {
            (
                TokenTree::Punct(dollar),
                Some(TokenTree::Ident(name)),
                Some(TokenTree::Punct(_)),
                Some(TokenTree::Ident(kind)),
            ) if dollar.as_char() == '$' => {
                bindings.insert(name.unraw().to_string(), Bound::One(fragment(&kind.to_string(), input)?));
                at += 3;
            }
            (TokenTree::Punct(dollar), Some(TokenTree::Group(inner)), ..) if dollar.as_char() == '$' => {
                let inner: Vec<TokenTree> = inner.stream().into_iter().collect();
                at += 1;
                let (separator, how_often, taken) =
                    repetition(&pattern[at..]).ok_or_else(|| input.error("an odd arm"))?;
                at += taken;
                let mut rounds = Vec::new();
                loop {
                    let ahead = input.fork();
                    if let Some(separator) = separator.filter(|_| !rounds.is_empty())
                        && literally(separator, &ahead).is_err()
                    {
                        break;
                    }
                    if ahead.is_empty() {
                        break;
                    }
                    let before = ahead.cursor();
                    let Ok(round) = fit(&inner, &ahead) else { break };
                    if ahead.cursor() == before {
                        break;
                    }
                    syn::parse::discouraged::Speculative::advance_to(input, &ahead);
                    rounds.push(round);
                    if how_often == '?' {
                        break;
                    }
                }
                if how_often == '+' && rounds.is_empty() {
                    return Err(input.error("one at least"));
                }
                for name in variables(&inner) {
                    bindings.insert(name, Bound::Each(rounds.clone()));
                }
            }
            _ => literally(token, input)?,
        }
    }
    Ok(bindings)
}

/// What stands behind `$(..)`: the separator, how often, and how many tokens that takes.
fn repetition(rest: &[TokenTree]) -> Option<(Option<&TokenTree>, char, usize)> {
    let how_often = |token: Option<&TokenTree>| match token {
        Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '*' | '+' | '?') => Some(punct.as_char()),
        _ => None,
    };
    if let Some(found) = how_often(rest.first()) {
        return Some((None, found, 1));
    }
    Some((rest.first(), how_often(rest.get(1))?, 2))
}

/// The names of a pattern's variables.
fn variables(pattern: &[TokenTree]) -> Vec<String> {
    let mut names = Vec::new();
    for (index, token) in pattern.iter().enumerate() {
        match (token, pattern.get(index + 1)) {
            (TokenTree::Punct(dollar), Some(TokenTree::Ident(name))) if dollar.as_char() == '$' => {
                names.push(name.unraw().to_string());
            }
            (TokenTree::Group(group), _) => names.extend(variables(&group.stream().into_iter().collect::<Vec<_>>())),
            _ => {}
        }
    }
    names
}

/// Takes the token itself.
fn literally(token: &TokenTree, input: ParseStream<'_>) -> syn::Result<()> {
    let found: TokenTree = input.parse()?;
    match (token, &found) {
        (TokenTree::Group(wanted), TokenTree::Group(group)) if wanted.delimiter() == group.delimiter() => {
            // A group without variables; one with them is not followed.
            if wanted.stream().to_string() == group.stream().to_string() {
                return Ok(());
            }
            Err(input.error("another group"))
        }
        (TokenTree::Group(_), _) => Err(input.error("no group")),
        _ if token.to_string() == found.to_string() => Ok(()),
        _ => Err(input.error("another token")),
    }
}

/// A fragment of a kind, as one token where it is an expression.
fn fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let whole = |tokens: TokenStream| TokenStream::from(TokenTree::Group(Group::new(Delimiter::None, tokens)));
    Ok(match kind {
        "expr" | "expr_2021" => whole(input.parse::<syn::Expr>()?.into_token_stream()),
        "ident" => input.call(syn::Ident::parse_any)?.into_token_stream(),
        "ty" => input.parse::<syn::Type>()?.into_token_stream(),
        "path" => input.parse::<syn::Path>()?.into_token_stream(),
        "pat" | "pat_param" => input.call(syn::Pat::parse_multi)?.into_token_stream(),
        "literal" => input.parse::<syn::Lit>()?.into_token_stream(),
        "lifetime" => input.parse::<syn::Lifetime>()?.into_token_stream(),
        "block" => input.parse::<Block>()?.into_token_stream(),
        "tt" => input.parse::<TokenTree>()?.into_token_stream(),
        _ => return Err(input.error("another kind of fragment")),
    })
}

/// An arm's tokens with the variables' values in their places.
fn put_in(tokens: TokenStream, bindings: &Bindings) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut result = TokenStream::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match (token, tokens.get(at)) {
            (TokenTree::Punct(dollar), Some(TokenTree::Ident(name))) if dollar.as_char() == '$' => {
                at += 1;
                match bindings.get(&name.unraw().to_string()) {
                    Some(Bound::One(value)) => result.extend(value.clone()),
                    Some(Bound::Each(_)) => return None,
                    // `$crate`
                    None => result.extend([TokenTree::Ident(name.clone())]),
                }
            }
            (TokenTree::Punct(dollar), Some(TokenTree::Group(inner))) if dollar.as_char() == '$' => {
                let names = variables(&inner.stream().into_iter().collect::<Vec<_>>());
                let rounds = names.iter().find_map(|name| match bindings.get(name) {
                    Some(Bound::Each(rounds)) => Some(rounds),
                    _ => None,
                })?;
                at += 1;
                let (separator, _, taken) = repetition(&tokens[at..])?;
                at += taken;
                for (index, round) in rounds.iter().enumerate() {
                    if let Some(separator) = separator.filter(|_| index > 0) {
                        result.extend([separator.clone()]);
                    }
                    let mut all = bindings.clone();
                    all.extend(round.clone());
                    result.extend(put_in(inner.stream(), &all)?);
                }
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Group::new(group.delimiter(), put_in(group.stream(), bindings)?);
                inner.set_span(group.span());
                result.extend([TokenTree::Group(inner)]);
            }
            _ => result.extend([token.clone()]),
        }
    }
    Some(result)
}
