//! The body under construction: its arena, its variables and which of them are in scope.

use super::Lowerer;
use crate::ir::{Body, Expr, ExprId, Local, LocalId, Name, Op, ScopeId, Span, Type};
use std::collections::{HashMap, HashSet};

/// A body while it is lowered.
#[derive(Default)]
pub(super) struct BodyBuilder {
    exprs: Vec<Expr>,
    locals: Vec<Local>,
    calls: HashSet<Name>,
    fields: HashSet<Name>,
    /// For each name, the bindings in scope, the innermost last.
    visible: HashMap<Name, Vec<LocalId>>,
    /// The names bound so far, to be unbound when their scope ends.
    bound: Vec<Name>,
    /// The scope that holds the function, and that of the items in its blocks once there is one.
    pub(super) outer: Option<ScopeId>,
    pub(super) inner: Option<ScopeId>,
}

impl BodyBuilder {
    /// The finished body.
    pub(super) fn finish(self, root: Option<ExprId>) -> Body {
        let sorted = |names: HashSet<Name>| {
            let mut names: Vec<Name> = names.into_iter().collect();
            names.sort_unstable();
            names
        };
        let BodyBuilder { mut exprs, mut locals, calls, fields, .. } = self;
        exprs.shrink_to_fit();
        locals.shrink_to_fit();
        Body { exprs, locals, root, calls: sorted(calls), fields: sorted(fields) }
    }
}

impl Lowerer<'_> {
    /// Adds an expression.
    pub(super) fn push(&mut self, op: Op, span: Span) -> ExprId {
        let id = ExprId(self.body.exprs.len() as u32);
        let span = self.within_one_text(span);
        self.body.exprs.push(Expr { op, span });
        id
    }

    /// Adds a variable and binds its name.
    pub(super) fn bind(&mut self, name: Name, ty: Option<Type>) -> LocalId {
        let id = LocalId(self.body.locals.len() as u32);
        self.body.locals.push(Local { name: name.clone(), ty });
        self.rebind(name, id);
        id
    }

    /// Binds a name to a variable that is there already.
    pub(super) fn rebind(&mut self, name: Name, id: LocalId) {
        self.body.visible.entry(name.clone()).or_default().push(id);
        self.body.bound.push(name);
    }

    /// Gives a variable the type that was written at its binding.
    pub(super) fn set_type(&mut self, id: LocalId, ty: Type) {
        self.body.locals[id.0 as usize].ty = Some(ty);
    }

    /// The variable of that name.
    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        self.body.visible.get(name)?.last().copied()
    }

    /// Runs `inside` with a scope for variables of its own.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.body.bound.len();
        let result = inside(self);
        self.unbind(mark);
        result
    }

    fn unbind(&mut self, mark: usize) {
        while self.body.bound.len() > mark {
            if let Some(name) = self.body.bound.pop()
                && let Some(ids) = self.body.visible.get_mut(&name)
            {
                ids.pop();
            }
        }
    }

    /// Notes that the body calls, or mentions, a function or method of that name.
    pub(super) fn calls(&mut self, name: &Name) {
        if !self.body.calls.contains(name) {
            self.body.calls.insert(name.clone());
        }
    }

    /// Notes that the body reads a field of that name.
    pub(super) fn reads(&mut self, name: &Name) {
        if !self.body.fields.contains(name) {
            self.body.fields.insert(name.clone());
        }
    }

    /// Lowers a body of its own, out of the reach of the current one's variables. Gives the body, and the scope its paths are resolved in.
    pub(super) fn with_body(
        &mut self,
        scope: ScopeId,
        inside: impl FnOnce(&mut Self) -> Option<ExprId>,
    ) -> (Body, ScopeId) {
        let fresh = BodyBuilder { outer: Some(scope), ..BodyBuilder::default() };
        let saved = std::mem::replace(&mut self.body, fresh);
        let root = inside(self);
        let done = std::mem::replace(&mut self.body, saved);
        let scope = done.inner.unwrap_or(scope);
        (done.finish(root), scope)
    }

    /// The scope of the items that stand in blocks of the current body. One for the whole function: a path does not say which block it is in.
    pub(super) fn block_scope(&mut self) -> ScopeId {
        if let Some(scope) = self.body.inner {
            return scope;
        }
        let parent = self.body.outer.unwrap_or(ScopeId(0));
        let outer = &self.ir.scopes[parent.0 as usize];
        let scope = crate::ir::Scope {
            parent: Some(parent),
            package: outer.package,
            module: outer.module.clone(),
            is_block: true,
            is_test: outer.is_test,
            uses: Vec::new(),
        };
        let id = self.scope(scope);
        self.body.inner = Some(id);
        id
    }
}
