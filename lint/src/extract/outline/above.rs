//! What stands above the read: the variables that the cut needs from there, and how it uses those that it cannot define.

use super::free::{bindings, words};
use super::levels::Level;
use super::outside::{OfSelf, from_self};
use super::{Carver, Use, range};
use crate::extract::tokens::{Kind, tokens};
use syn::Stmt;

impl<'t> Carver<'t> {
    /// Whether a `let` above the read binds the name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.levels.iter().any(|level| {
            level.statements[..level.statement]
                .iter()
                .any(|statement| matches!(statement, Stmt::Local(local) if bindings(&local.pat).contains(name)))
        })
    }

    /// The `let` above the read that binds a name, where it can be computed without what only the program has.
    pub(super) fn definition(&mut self, name: &str) -> Option<String> {
        let local = self.local(name)?;
        let text = &self.text[range(local)];
        let is_closed = !words(text).contains("self") && self.is_computed(local);
        is_closed.then(|| self.with_tries(range(local)))
    }

    /// The same, where it takes no more of `self` than fields and what methods give, with variables for them.
    pub(super) fn definition_by_self(&mut self, name: &str) -> Option<(String, Vec<OfSelf>)> {
        let local = self.local(name)?;
        if !self.is_computed(local) {
            return None;
        }
        from_self(&self.with_tries(range(local)))
    }

    /// The `let` above the read that binds a name.
    pub(super) fn local(&self, name: &str) -> Option<&'t syn::Local> {
        let levels: &'t [Level<'t>] = self.levels;
        let above = levels.iter().rev().flat_map(|level| level.statements[..level.statement].iter().rev());
        above.into_iter().find_map(|statement| match statement {
            Stmt::Local(local) if bindings(&local.pat).contains(name) => Some(local),
            _ => None,
        })
    }

    /// Whether an initialiser is a value of its own: literals, constants, durations, parts of an answer.
    pub(super) fn is_computed(&self, local: &syn::Local) -> bool {
        let Some(init) = &local.init else { return false };
        let text = &self.text[range(&*init.expr)];
        if text.contains(".await") {
            return false;
        }
        let list = tokens(text).unwrap_or_default();
        let calls_out = list.iter().enumerate().any(|(place, token)| {
            token.kind == Kind::Word
                && matches!(
                    token.text.as_str(),
                    "send" | "execute" | "request" | "call" | "run" | "post" | "lock" | "poll" | "next" | "recv"
                )
                && list.get(place + 1).is_some_and(|next| next.text == "(")
        });
        !calls_out && list.len() < 80
    }

    pub(super) fn how_used(&self, text: &str, name: &str) -> Use {
        let list = tokens(text).unwrap_or_default();
        let mut found = Use::Other;
        for (place, token) in list.iter().enumerate() {
            if token.text != name || token.kind != Kind::Word {
                continue;
            }
            let next = |count: usize| list.get(place + count).map_or("", |token| token.text.as_str());
            if next(1) == "."
                && matches!(next(2), "headers" | "status" | "headers_mut" | "into_parts")
                && next(3) == "("
            {
                return Use::Response;
            }
            if next(1) == "." && next(2) == "metadata" && next(3) == "(" {
                return Use::Metadata;
            }
            let mut fields = Vec::new();
            let mut step = 1;
            while next(step) == "."
                && !matches!(next(step + 2), "(" | "::")
                && list.get(place + step + 1).is_some_and(|field| field.kind == Kind::Word)
            {
                fields.push(next(step + 1).to_owned());
                step += 2;
            }
            if fields.last().is_some_and(|last| last == "headers") {
                return Use::Fields(fields);
            }
            if next(1) == "." && matches!(next(2), "get" | "get_all" | "typed_get" | "contains_key") && next(3) == "(" {
                found = Use::Headers;
            }
        }
        found
    }
}
