//! The variables of a text: which it binds, and which it needs from outside.

use crate::extract::tokens::{Kind, tokens};
use std::collections::BTreeSet;
use syn::visit::Visit;
use syn::{Block, Expr, Pat};

/// The names that a pattern binds.
pub(super) fn bindings(pattern: &Pat) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            let name = pattern.ident.to_string();
            if !name.starts_with(char::is_uppercase) {
                self.0.insert(name);
            }
            syn::visit::visit_pat_ident(self, pattern);
        }
    }
    let mut names = Names(BTreeSet::new());
    names.visit_pat(pattern);
    names.0
}

pub(super) fn words(text: &str) -> BTreeSet<String> {
    let list = tokens(text).unwrap_or_default();
    list.into_iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect()
}

/// Variables in a text of statements that nothing in it binds.
pub(super) fn free_names(text: &str) -> BTreeSet<String> {
    let Ok(block) = syn::parse_str::<Block>(&format!("{{ {text} }}")) else { return BTreeSet::new() };
    let mut walker = Free { scopes: vec![BTreeSet::new()], free: BTreeSet::new() };
    walker.visit_block(&block);
    walker.free
}

/// Names without a path that a text calls: functions, and closures that are variables.
pub(super) fn called_names(text: &str) -> BTreeSet<String> {
    let list = tokens(text).unwrap_or_default();
    let calls = list.windows(2).enumerate().filter(|(place, pair)| {
        let before = place.checked_sub(1).map_or("", |before| list[before].text.as_str());
        pair[0].kind == Kind::Word
            && pair[1].text == "("
            && pair[0].text.starts_with(char::is_lowercase)
            && !matches!(before, "." | "::" | "fn")
            && !matches!(
                pair[0].text.as_str(),
                "if" | "match" | "while" | "in" | "return" | "else" | "let" | "for" | "mut" | "move" | "await"
            )
    });
    calls.map(|(_, pair)| pair[0].text.clone()).collect()
}

/// Whether an initialiser is a literal or a little more, with no variable in it.
pub(super) fn is_plain(text: &str) -> bool {
    let length = tokens(text).map_or(usize::MAX, |list| list.len());
    length < 12
        && free_names(&format!("{text};")).is_empty()
        && called_names(text).is_empty()
        && !text.contains(".await")
        && !text.contains('!')
}

struct Free {
    scopes: Vec<BTreeSet<String>>,
    free: BTreeSet<String>,
}

impl Free {
    fn bind(&mut self, pattern: &Pat) {
        let names = bindings(pattern);
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(names);
        }
    }

    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scopes.push(BTreeSet::new());
        visit(self);
        self.scopes.pop();
    }

    fn name(&mut self, name: &str) {
        let is_variable = name == "self" || name.starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        if is_variable && !self.scopes.iter().any(|scope| scope.contains(name)) {
            self.free.insert(name.to_owned());
        }
    }
}

impl<'ast> Visit<'ast> for Free {
    fn visit_block(&mut self, block: &'ast Block) {
        self.inside(|this| syn::visit::visit_block(this, block));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.visit_expr(otherwise);
            }
        }
        self.bind(&local.pat);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    self.name(&name.to_string());
                }
            }
            Expr::Call(call) => {
                // A function's name is none of a variable, unless it is bound as one.
                if !matches!(&*call.func, Expr::Path(_)) {
                    self.visit_expr(&call.func);
                }
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Closure(closure) => self.inside(|this| {
                closure.inputs.iter().for_each(|input| this.bind(input));
                this.visit_expr(&closure.body);
            }),
            Expr::If(branch) => {
                self.inside(|this| {
                    this.visit_expr(&branch.cond);
                    this.visit_block(&branch.then_branch);
                });
                if let Some((_, otherwise)) = &branch.else_branch {
                    self.visit_expr(otherwise);
                }
            }
            Expr::Let(binding) => {
                self.visit_expr(&binding.expr);
                self.bind(&binding.pat);
            }
            Expr::While(repeat) => self.inside(|this| {
                this.visit_expr(&repeat.cond);
                this.visit_block(&repeat.body);
            }),
            Expr::ForLoop(repeat) => {
                self.visit_expr(&repeat.expr);
                self.inside(|this| {
                    this.bind(&repeat.pat);
                    this.visit_block(&repeat.body);
                });
            }
            Expr::Match(branch) => {
                self.visit_expr(&branch.expr);
                for arm in &branch.arms {
                    self.inside(|this| {
                        this.bind(&arm.pat);
                        if let Pat::Guard(guard) = &arm.pat {
                            this.visit_expr(&guard.guard);
                        }
                        this.visit_expr(&arm.body);
                    });
                }
            }
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_macro(&mut self, _: &'ast syn::Macro) {}

    fn visit_pat(&mut self, _: &'ast Pat) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_nothing_binds_are_free() {
        let free = |text: &str| free_names(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(free("let a = b; if let Some(c) = f(a) && c > d { e.g(c) }"), "b d e");
        assert_eq!(free("x.map(|y| y + z); match w { v if v > u => v, _ => A }"), "u w x z");
        assert_eq!(free("for i in 0..n { s += i; } T::new(T { k: m })"), "m n s");
    }
}
