//! What a cut takes from outside and can do without: waits of the code's own that the hint is held against, and what stands behind `self`.

use super::free::{free_names, words};
use super::range;
use crate::extract::tokens::Edit;
use crate::names;
use syn::visit::Visit;
use syn::{BinOp, Block, Expr};

/// The text with a wait of the code's own taken for none where the hint is only held against it: compared with it, or the larger one taken.
///
/// What the code would wait by itself is nothing that a cut knows, and a hint that is longer is not changed by it. None where the variable
/// is no such wait, or is needed otherwise.
pub(super) fn without_own_wait(text: &str, name: &str) -> Option<String> {
    if !names::may_wait(name) {
        return None;
    }
    let mut held = Held { name, edits: Vec::new() };
    let text = rewritten(text, |block, base| {
        held.visit_block(block);
        std::mem::take(&mut held.edits).into_iter().map(|(start, end, text)| (start - base, end - base, text)).collect()
    })?;
    (!free_names(&text).contains(name)).then_some(text)
}

/// The text with variables for what it takes from `self`, and each of them: its name, the method's or field's, and whether it is a method.
/// None where it needs `self` otherwise.
pub(super) fn from_self(text: &str) -> Option<(String, Vec<OfSelf>)> {
    let mut taken = Taken::default();
    let text = rewritten(text, |block, base| {
        taken.visit_block(block);
        let edits = std::mem::take(&mut taken.edits).into_iter();
        edits.map(|(start, end, text)| (start - base, end - base, text)).collect()
    })?;
    (!words(&text).contains("self")).then_some((text, taken.found))
}

/// Something that is taken from `self`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::extract) struct OfSelf {
    /// The variable that stands for it.
    pub(in crate::extract) variable: String,
    /// The name of the method or field.
    pub(in crate::extract) name: String,
    pub(in crate::extract) is_method: bool,
}

type Replacement = (usize, usize, String);

/// A text of statements with replacements, which are found in it as a block.
fn rewritten(text: &str, find: impl FnOnce(&Block, usize) -> Vec<Replacement>) -> Option<String> {
    let block = syn::parse_str::<Block>(&format!("{{ {text} }}")).ok()?;
    // Behind the brace and the blank.
    let edits = find(&block, range(&block).start + 2).into_iter();
    let mut edits: Vec<Edit> = edits.map(|(start, end, text)| Edit { range: start..end, text }).collect();
    edits.sort_by_key(|edit| edit.range.start);
    let mut result = String::new();
    let mut done = 0;
    for Edit { range, text: with } in edits {
        result.push_str(text.get(done..range.start)?);
        result.push_str(&with);
        done = range.end;
    }
    result.push_str(text.get(done..)?);
    Some(result)
}

struct Held<'n> {
    name: &'n str,
    edits: Vec<Replacement>,
}

impl Held<'_> {
    /// Whether it is the own wait, or what a method without arguments or a field makes of it.
    fn is_own(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => path.path.is_ident(self.name),
            Expr::Field(field) => self.is_own(&field.base),
            Expr::MethodCall(call) => call.args.is_empty() && self.is_own(&call.receiver),
            Expr::Paren(inner) => self.is_own(&inner.expr),
            Expr::Reference(inner) => self.is_own(&inner.expr),
            Expr::Unary(inner) => self.is_own(&inner.expr),
            _ => false,
        }
    }

    fn replace(&mut self, expr: &Expr, text: String) {
        let range = range(expr);
        self.edits.push((range.start, range.end, text));
    }
}

impl<'ast> Visit<'ast> for Held<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        use quote::ToTokens;
        match expr {
            Expr::Binary(binary) if matches!(binary.op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)) => {
                let like = |other: &Expr| format!("OUTCOMES::no_wait_like(&({}))", other.to_token_stream());
                match (self.is_own(&binary.left), self.is_own(&binary.right)) {
                    (true, false) => self.replace(&binary.left, like(&binary.right)),
                    (false, true) => self.replace(&binary.right, like(&binary.left)),
                    _ => syn::visit::visit_expr(self, expr),
                }
            }
            Expr::MethodCall(call) if call.method == "max" && call.args.len() == 1 && self.is_own(&call.args[0]) => {
                self.visit_expr(&call.receiver);
                self.replace(&call.args[0], "OUTCOMES::no_wait()".to_owned());
            }
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

#[derive(Default)]
struct Taken {
    edits: Vec<Replacement>,
    found: Vec<OfSelf>,
}

impl Taken {
    fn take(&mut self, expr: &Expr, name: String, is_method: bool) {
        let variable = format!("{}_of_self", name.trim_start_matches("r#"));
        let range = range(expr);
        self.edits.push((range.start, range.end, variable.clone()));
        let found = OfSelf { variable, name, is_method };
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }
}

impl<'ast> Visit<'ast> for Taken {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let is_self = |expr: &Expr| matches!(expr, Expr::Path(path) if path.path.is_ident("self"));
        match expr {
            Expr::MethodCall(call) if call.args.is_empty() && is_self(&call.receiver) => {
                self.take(expr, call.method.to_string(), true);
            }
            Expr::Field(field) if is_self(&field.base) => match &field.member {
                syn::Member::Named(name) => self.take(expr, name.to_string(), false),
                syn::Member::Unnamed(_) => {}
            },
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_wait_that_the_hint_is_held_against_is_none() {
        let text = "if at.is_some_and(|at| backoff.deadline() <= at) { f(wait.max(backoff)); }";
        assert_eq!(
            without_own_wait(text, "backoff").unwrap(),
            "if at.is_some_and(|at| OUTCOMES::no_wait_like(&(at)) <= at) { f(wait.max(OUTCOMES::no_wait())); }"
        );
        assert_eq!(without_own_wait("sleep(wait + backoff);", "backoff"), None);
        assert_eq!(without_own_wait("if total < wait {}", "total"), None);
    }

    #[test]
    fn what_stands_behind_self_becomes_a_variable() {
        let (text, found) = from_self("let header = |name| self.headers().get(name).or(self.last);").unwrap();
        assert_eq!(text, "let header = |name| headers_of_self.get(name).or(last_of_self);");
        let names: Vec<_> = found.iter().map(|found| (found.name.as_str(), found.is_method)).collect();
        assert_eq!(names, [("headers", true), ("last", false)]);
        assert_eq!(from_self("f(self)"), None);
        assert_eq!(from_self("self.number(text)"), None);
    }
}
