//! Rewrites: `?`, `return` and the code's own fallbacks, made fit for a cut.

use super::free::free_names;
use super::{OWN, range};
use crate::extract::tokens::Edit;
use std::collections::BTreeSet;
use std::ops::Range;
use syn::Expr;
use syn::visit::Visit;

/// Insertions at one place keep their order: outer ones first.
pub(super) fn apply(text: &str, edits: Vec<Edit>) -> String {
    let mut at: Vec<(usize, usize, String, bool)> = Vec::new();
    for (order, edit) in edits.into_iter().enumerate() {
        let is_insertion = edit.range.is_empty();
        at.push((edit.range.start, order, edit.text.clone(), is_insertion));
        if !is_insertion {
            let last = at.len() - 1;
            at[last].1 = usize::MAX - order;
            at.push((edit.range.start, usize::MAX, format!("\u{0}{}", edit.range.len()), false));
        }
    }
    let mut result = String::new();
    let mut done = 0;
    at.sort_by_key(|(place, order, ..)| (*place, *order));
    for (place, _, insert, _) in at {
        if place < done && !insert.starts_with('\u{0}') {
            continue;
        }
        if let Some(length) = insert.strip_prefix('\u{0}') {
            done = done.max(place + length.parse::<usize>().unwrap_or(0));
            continue;
        }
        if place > done {
            result.push_str(&text[done..place]);
            done = place;
        }
        result.push_str(&insert);
    }
    result.push_str(text.get(done..).unwrap_or(""));
    result
}

/// Finds `?` and `return` outside of closures, and fallbacks that are the code's own.
pub(super) struct Tries<'c> {
    /// A range, what goes before it, and what stands for its last byte; with `=` before it, what stands for all of it.
    pub(super) edits: Vec<(Range<usize>, String, String)>,
    pub(super) has_own: bool,
    pub(super) tainted: &'c BTreeSet<String>,
    pub(super) depth: usize,
}

impl Tries<'_> {
    fn replace(&mut self, range: Range<usize>, text: &str) {
        self.edits.push((range, String::new(), format!("={text}")));
    }
}

impl<'ast> Visit<'ast> for Tries<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Try(tried) if self.depth == 0 => {
                self.edits.push((
                    range(expr),
                    "(match OUTCOMES::Tried::tried(".to_owned(),
                    ") { ::std::result::Result::Ok(value) => value, ::std::result::Result::Err(outcome) => return outcome })".to_owned(),
                ));
                self.visit_expr(&tried.expr);
            }
            Expr::Return(_) | Expr::Continue(_) | Expr::Break(_) if self.depth == 0 => {
                self.replace(range(expr), "return OUTCOMES::Outcome::None");
            }
            Expr::MethodCall(call) => {
                self.visit_expr(&call.receiver);
                let name = call.method.to_string();
                for argument in &call.args {
                    let is_fallback =
                        matches!(name.as_str(), "unwrap_or" | "unwrap_or_else" | "map_or" | "map_or_else")
                            && std::ptr::eq(argument, &call.args[0]);
                    if is_fallback && self.is_own(argument) {
                        self.has_own = true;
                        // Lazily, so that it is seen whether it was taken.
                        if !name.ends_with("else") {
                            self.replace(range(&call.method), &format!("{name}_else"));
                        }
                        self.replace(range(argument), &format!("|| {OWN}"));
                    } else {
                        self.visit_expr(argument);
                    }
                }
            }
            Expr::Closure(closure) => {
                self.depth += 1;
                self.visit_expr(&closure.body);
                self.depth -= 1;
            }
            Expr::Async(_) => {}
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Tries<'_> {
    /// Whether a fallback needs what only the program has: `self`, a future, a variable that is no constant.
    fn is_own(&self, expr: &Expr) -> bool {
        use quote::ToTokens;
        let text = expr.to_token_stream().to_string();
        let names = free_names(&text);
        text.contains(". await") || names.iter().any(|name| !self.tainted.contains(name))
    }
}
