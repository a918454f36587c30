//! Exits: which part of an expression is the value that leaves with it.

use super::{Carver, range};
use crate::names;
use syn::Expr;
use syn::visit::Visit;

impl Carver<'_> {
    /// A value that a call takes which neither gives a wait nor computes one: `Sleep::new(wait)`.
    pub(super) fn handed_on(&self, expr: &Expr) -> Option<String> {
        let inner = unwrapped(expr);
        let Expr::Call(call) = inner else { return None };
        let Expr::Path(path) = &*call.func else { return None };
        let last = path.path.segments.last()?.ident.to_string();
        let is_handed = names::sleeps(&last)
            || last == "new" && !matches!(self.owner(&path.path).as_str(), "Duration" | "Some" | "Box");
        is_handed.then(|| self.exit_of(expr))
    }

    /// What leaves with an expression: the part of it that is the value.
    pub(super) fn exit_of(&self, expr: &Expr) -> String {
        let whole = || self.text[range(expr)].to_owned();
        let first = |parts: &mut dyn Iterator<Item = &Expr>| {
            let mut touched: Vec<&Expr> = parts.filter(|part| self.touches(&range(*part))).collect();
            touched.sort_by_key(|part| !self.mentioned(&range(*part)).is_some_and(|name| names::is_hint(&name)));
            touched.first().map(|part| self.exit_of(part))
        };
        let variable = || self.mentioned(&range(expr)).unwrap_or_else(whole);
        match expr {
            Expr::Await(inner) => self.exit_of(&inner.base),
            Expr::Try(inner) => self.exit_of(&inner.expr),
            Expr::Paren(inner) => self.exit_of(&inner.expr),
            Expr::Reference(inner) => self.exit_of(&inner.expr),
            Expr::Return(inner) => inner.expr.as_ref().map_or_else(variable, |inner| self.exit_of(inner)),
            Expr::Break(inner) => inner.expr.as_ref().map_or_else(variable, |inner| self.exit_of(inner)),
            Expr::Assign(assign) => self.exit_of(&assign.right),
            Expr::Call(call) => {
                let name = match &*call.func {
                    Expr::Path(path) => {
                        path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
                    }
                    _ => String::new(),
                };
                // A call that computes something of it, which is neither a wait nor a value around it.
                let is_around = names::sleeps(&name)
                    || name.starts_with(char::is_uppercase)
                    || matches!(name.as_str(), "new" | "pin" | "ready" | "spawn");
                if !is_around || range(expr).contains(&self.read) {
                    return whole();
                }
                first(&mut call.args.iter()).unwrap_or_else(whole)
            }
            Expr::MethodCall(call) => {
                let receiver = range(&*call.receiver);
                if self.touches(&receiver) {
                    return whole();
                }
                first(&mut call.args.iter()).unwrap_or_else(whole)
            }
            Expr::Struct(literal) => {
                let named = literal.fields.iter().find(|field| {
                    matches!(&field.member, syn::Member::Named(name) if names::is_hint(&name.to_string()))
                        && self.touches(&range(*field))
                });
                let field = named.or_else(|| {
                    literal
                        .fields
                        .iter()
                        .find(|field| self.touches(&range(*field)) || self.mentioned(&range(&field.expr)).is_some())
                });
                let Some(field) = field else { return variable() };
                let exit = self.exit_of(&field.expr);
                if let (syn::Member::Named(name), Expr::Path(_)) = (&field.member, &field.expr) {
                    let path = literal.path.segments.iter().map(|segment| segment.ident.to_string());
                    *self.field.borrow_mut() = Some((path.collect::<Vec<_>>().join("::"), name.to_string()));
                }
                exit
            }
            Expr::Tuple(tuple) => first(&mut tuple.elems.iter()).unwrap_or_else(variable),
            Expr::Array(array) => first(&mut array.elems.iter()).unwrap_or_else(variable),
            Expr::Binary(_) | Expr::Cast(_) | Expr::Field(_) | Expr::Path(_) | Expr::Unary(_) => whole(),
            Expr::Closure(closure) => self.exit_of(&closure.body),
            Expr::Macro(_) => variable(),
            Expr::Match(branch) if self.touches(&range(&*branch.expr)) => whole(),
            Expr::If(branch) if self.touches(&range(&*branch.cond)) => whole(),
            _ => {
                // In a branch, a block, a loop: the first expression that takes it.
                let mut finder = Taking { carver: self, found: None };
                finder.visit_inner(expr);
                finder.found.unwrap_or_else(variable)
            }
        }
    }
}

/// Finds the innermost call, literal or return that takes the value.
struct Taking<'c, 't> {
    carver: &'c Carver<'t>,
    found: Option<String>,
}

impl Taking<'_, '_> {
    fn visit_inner(&mut self, expr: &Expr) {
        syn::visit::visit_expr(self, expr);
    }
}

impl<'ast> Visit<'ast> for Taking<'_, '_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if self.found.is_some() || !self.carver.touches(&range(expr)) {
            return;
        }
        match expr {
            Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Struct(_)
            | Expr::Return(_)
            | Expr::Path(_)
            | Expr::Tuple(_)
            | Expr::Assign(_) => {
                self.found = Some(self.carver.exit_of(expr));
            }
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
}

fn unwrapped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Await(inner) => unwrapped(&inner.base),
        Expr::Try(inner) => unwrapped(&inner.expr),
        Expr::Paren(inner) => unwrapped(&inner.expr),
        other => other,
    }
}
