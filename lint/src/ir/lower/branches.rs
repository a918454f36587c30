//! Branches, loops and blocks.

use super::attributes::{self, Cfg};
use super::items::Place;
use super::patterns::Names;
use super::{Low, Lowerer};
use crate::ir::{Arm, Condition, ExprId, Name, Op, OpaqueReason, Pattern, Span};
use syn::{BinOp, Block, Expr, Pat, Stmt};

/// How many statements at the end of a block are looked at as twins under `cfg`.
const MAX_TWINS: usize = 16;

impl Lowerer<'_> {
    /// `if`, and all the `else if` that follow it, as the arms of one branch.
    pub(super) fn if_chain(&mut self, branch: &syn::ExprIf) -> Low {
        let start = self.span(branch.if_token.span);
        let mut arms = Vec::new();
        let mut current = branch;
        let end = loop {
            arms.push(self.if_arm(current));
            let end = self.span(current.then_branch.brace_token.span.close());
            match current.else_branch.as_ref().map(|(_, next)| &**next) {
                Some(Expr::If(next)) => current = next,
                Some(last) => {
                    let body = self.expr(last);
                    arms.push(plain_arm(Vec::new(), body.id, body.span));
                    break body.span;
                }
                None => {
                    let nothing = Span { start: end.end, ..end };
                    let body = self.unit(nothing);
                    arms.push(plain_arm(Vec::new(), body, nothing));
                    break end;
                }
            }
        };
        self.low(Op::Branch { scrutinee: None, arms }, start.to(end))
    }

    fn if_arm(&mut self, branch: &syn::ExprIf) -> Arm {
        self.scoped(|this| {
            let mut conditions = Vec::new();
            let start = this.conditions(&branch.cond, &mut conditions);
            let body = this.block(&branch.then_branch, None, None);
            plain_arm(conditions, body.id, start.to(body.span))
        })
    }

    /// The operands of `&&`, each a condition of its own; what they bind is in scope from then on. Gives the text of the whole.
    fn conditions(&mut self, condition: &Expr, conditions: &mut Vec<Condition>) -> Span {
        let mut operands = Vec::new();
        let mut left = condition;
        while let Expr::Binary(binary) = left
            && let BinOp::And(_) = binary.op
        {
            operands.push(&*binary.right);
            left = &binary.left;
        }
        operands.push(left);
        let mut whole: Option<Span> = None;
        while let Some(operand) = operands.pop() {
            let span = match operand {
                Expr::Let(operand) => {
                    let value = self.expr(&operand.expr);
                    let pattern = self.pattern(&operand.pat);
                    conditions.push(Condition { value: value.id, pattern: Some(pattern) });
                    self.span(operand.let_token.span).to(value.span)
                }
                operand => {
                    let value = self.expr(operand);
                    conditions.push(Condition { value: value.id, pattern: None });
                    value.span
                }
            };
            whole = Some(whole.map_or(span, |whole| whole.to(span)));
        }
        whole.unwrap_or(Span { file: self.file, start: 0, end: 0 })
    }

    /// `let` outside the conditions of `if` and `while`, within `||` or parentheses: whether the pattern fits.
    pub(super) fn stray_let(&mut self, condition: &syn::ExprLet) -> Low {
        let value = self.expr(&condition.expr);
        let pattern = self.pattern(&condition.pat);
        let span = self.span(condition.let_token.span).to(value.span);
        self.fits(value.id, pattern, Vec::new(), span)
    }

    /// Whether a value fits a pattern and the conditions hold.
    pub(super) fn fits(&mut self, value: ExprId, pattern: Pattern, conditions: Vec<Condition>, span: Span) -> Low {
        let (yes, no) = (self.truth(true, span), self.truth(false, span));
        let arms = vec![
            Arm { pattern: Some(pattern), conditions, body: yes, span },
            Arm { pattern: Some(Pattern::Wild), conditions: Vec::new(), body: no, span },
        ];
        self.low(Op::Branch { scrutinee: Some(value), arms }, span)
    }

    pub(super) fn match_arms(&mut self, branch: &syn::ExprMatch) -> Low {
        let start = self.span(branch.match_token.span);
        let scrutinee = self.id(&branch.expr);
        let mut arms = Vec::with_capacity(branch.arms.len());
        for arm in &branch.arms {
            let cfg = Cfg::of(&arm.attrs);
            if cfg != Cfg::Test {
                arms.push(self.scoped(|this| this.match_arm(arm, cfg)));
            }
        }
        let end = self.span(branch.brace_token.span.close());
        self.low(Op::Branch { scrutinee: Some(scrutinee), arms }, start.to(end))
    }

    fn match_arm(&mut self, arm: &syn::Arm, cfg: Cfg) -> Arm {
        let start = self.pattern_start(&arm.pat).unwrap_or_else(|| self.span(arm.fat_arrow_token.spans[0]));
        let pattern = self.pattern(&arm.pat);
        let mut conditions = Vec::new();
        if let Cfg::Maybe(_) = cfg {
            conditions.push(self.unknown_condition(start));
        }
        if let Pat::Guard(guard) = &arm.pat {
            self.conditions(&guard.guard, &mut conditions);
        }
        let body = self.expr(&arm.body);
        Arm { pattern: Some(pattern), conditions, body: body.id, span: start.to(body.span) }
    }

    /// Pattern and guard of `matches!` and the like.
    pub(super) fn guarded(&mut self, pattern: &Pat, guard: Option<&Expr>) -> (Pattern, Vec<Condition>) {
        let lowered = self.pattern(pattern);
        let mut conditions = Vec::new();
        if let Some(guard) = guard {
            self.conditions(guard, &mut conditions);
        }
        (lowered, conditions)
    }

    /// Where a pattern starts, without printing it (the syntax tree of `a | b | ..` can be large).
    fn pattern_start(&self, pattern: &Pat) -> Option<Span> {
        let mut pattern = pattern;
        loop {
            match pattern {
                Pat::Guard(guard) => pattern = &guard.pat,
                Pat::Or(or) => pattern = or.cases.first()?,
                Pat::TupleStruct(tuple) if tuple.qself.is_none() => {
                    return Some(self.span(tuple.path.segments.first()?.ident.span()));
                }
                Pat::Struct(record) if record.qself.is_none() => {
                    return Some(self.span(record.path.segments.first()?.ident.span()));
                }
                Pat::Path(path) if path.qself.is_none() => {
                    return Some(self.span(path.path.segments.first()?.ident.span()));
                }
                Pat::Tuple(tuple) => return Some(self.span(tuple.paren_token.span.open())),
                Pat::Slice(slice) => return Some(self.span(slice.bracket_token.span.open())),
                Pat::Reference(reference) => return Some(self.span(reference.and_token.span)),
                other => return Some(self.span(syn::spanned::Spanned::span(other))),
            }
        }
    }

    /// `while`: a loop around a branch that breaks when the condition does not hold.
    pub(super) fn while_loop(&mut self, while_loop: &syn::ExprWhile) -> Low {
        let label = while_loop.label.as_ref().map(|label| self.label(&label.name));
        let token = self.span(while_loop.while_token.span);
        let arm = self.scoped(|this| {
            let mut conditions = Vec::new();
            let start = this.conditions(&while_loop.cond, &mut conditions);
            let body = this.block(&while_loop.body, None, None);
            plain_arm(conditions, body.id, start.to(body.span))
        });
        let span = token.to(arm.span);
        let leave = self.push(Op::Break { label: None, value: None }, token);
        let arms = vec![arm, plain_arm(Vec::new(), leave, token)];
        let body = self.push(Op::Branch { scrutinee: None, arms }, span);
        let start = while_loop.label.as_ref().map_or(token, |label| self.span(label.name.span()));
        self.low(Op::Loop { label, body }, start.to(span))
    }

    pub(super) fn endless_loop(&mut self, endless: &syn::ExprLoop) -> Low {
        let label = endless.label.as_ref().map(|label| self.label(&label.name));
        let body = self.block(&endless.body, None, None);
        let start = endless.label.as_ref().map_or(endless.loop_token.span, |label| label.name.span());
        let span = self.span(start).to(body.span);
        self.low(Op::Loop { label, body: body.id }, span)
    }

    pub(super) fn for_loop(&mut self, for_loop: &syn::ExprForLoop) -> Low {
        let label = for_loop.label.as_ref().map(|label| self.label(&label.name));
        let iterator = self.id(&for_loop.expr);
        let start = for_loop.label.as_ref().map_or(for_loop.for_token.span, |label| label.name.span());
        self.scoped(|this| {
            let pattern = this.pattern(&for_loop.pat);
            let body = this.block(&for_loop.body, None, None);
            let span = this.span(start).to(body.span);
            this.low(Op::For { label, pattern, iterator, body: body.id }, span)
        })
    }

    /// A block; `start` is the token before its brace that belongs to it.
    pub(super) fn block(&mut self, block: &Block, label: Option<Name>, start: Option<proc_macro2::Span>) -> Low {
        let braces = self.span(block.brace_token.span.join());
        let span = start.map_or(braces, |start| self.span(start).to(braces));
        self.statements(&block.stmts, label, span)
    }

    /// Statements with a scope of their own.
    pub(super) fn statements(&mut self, statements: &[Stmt], label: Option<Name>, span: Span) -> Low {
        self.scoped(|this| {
            let mut body = Vec::with_capacity(statements.len());
            let mut has_value = false;
            let mut rest = statements;
            while let Some(first) = rest.first() {
                let run = this.cfg_run(rest);
                if run > 0 {
                    has_value = this.cfg_statements(&rest[..run], &mut body);
                    rest = &rest[run..];
                    continue;
                }
                rest = &rest[1..];
                match this.statement(first, &mut Names::new()) {
                    Some((low, is_value)) => {
                        body.push(low.id);
                        has_value = is_value;
                    }
                    None => has_value = false,
                }
            }
            this.low(Op::Block { body, has_value, label }, span)
        })
    }

    /// A statement, and whether it would be the block's value. None for an item.
    pub(super) fn statement(&mut self, statement: &Stmt, names: &mut Names) -> Option<(Low, bool)> {
        match statement {
            Stmt::Local(binding) => Some((self.let_statement(binding, names), false)),
            Stmt::Expr(expr, semicolon) => Some((self.expr(expr), semicolon.is_none())),
            Stmt::Macro(call) => {
                let low = self.macro_statement(&call.mac)?;
                Some((low, call.semi_token.is_none()))
            }
            Stmt::Item(item) => {
                if !matches!(item, syn::Item::Macro(call) if call.ident.is_some()) {
                    let scope = self.block_scope();
                    let is_test = self.ir.scopes[scope.0 as usize].is_test;
                    self.item(item, &Place::free(scope, is_test));
                }
                None
            }
        }
    }

    /// How many of the first statements stand under one set of `cfg` twins; 0 if the first is under none.
    fn cfg_run(&self, statements: &[Stmt]) -> usize {
        let cfg = |statement: &Stmt| match statement {
            Stmt::Item(_) => Cfg::Always,
            other => Cfg::of(statement_attributes(other)),
        };
        let Some(Cfg::Maybe(mut last)) = statements.first().map(cfg) else {
            return usize::from(statements.first().map(cfg) == Some(Cfg::Test));
        };
        let has_value = |statement: &Stmt| matches!(statement, Stmt::Expr(_, None));
        let rest = &statements[1..];
        if has_value(&statements[0])
            && rest.len() < MAX_TWINS
            && rest.iter().all(|statement| has_value(statement) && matches!(cfg(statement), Cfg::Maybe(_)))
        {
            // At most one of them can be the block's value.
            return statements.len();
        }
        let mut run = 1;
        for statement in rest {
            match cfg(statement) {
                Cfg::Maybe(next) if attributes::exclude(&next, &last) => last = next,
                _ => break,
            }
            run += 1;
        }
        run
    }

    /// Statements under `cfg`: the arms of a branch on unknown conditions. Gives whether it would be the block's value.
    fn cfg_statements(&mut self, statements: &[Stmt], body: &mut Vec<ExprId>) -> bool {
        let mut names = Names::new();
        let mut arms = Vec::new();
        let mut is_value = true;
        for (index, statement) in statements.iter().enumerate() {
            if Cfg::of(statement_attributes(statement)) == Cfg::Test {
                return false;
            }
            let Some((low, has_value)) = self.statement(statement, &mut names) else { continue };
            is_value &= has_value;
            let is_else = index > 0 && index + 1 == statements.len();
            let conditions = if is_else { Vec::new() } else { vec![self.unknown_condition(low.span)] };
            arms.push(plain_arm(conditions, low.id, low.span));
        }
        let (Some(first), Some(last)) = (arms.first(), arms.last()) else { return false };
        let span = first.span.to(last.span);
        if !last.conditions.is_empty() {
            let nothing = Span { start: span.end, ..span };
            let unit = self.unit(nothing);
            arms.push(plain_arm(Vec::new(), unit, nothing));
        }
        body.push(self.push(Op::Branch { scrutinee: None, arms }, span));
        is_value
    }

    /// A condition that is decided by the build.
    pub(super) fn unknown_condition(&mut self, span: Span) -> Condition {
        let reason = OpaqueReason::Macro(self.name("cfg"));
        // Not noted: it is understood, there is just nothing to know.
        let value = self.push(Op::Opaque { reason, children: Vec::new() }, span);
        Condition { value, pattern: None }
    }

    fn let_statement(&mut self, binding: &syn::Local, names: &mut Names) -> Low {
        let (pattern, ty) = match &binding.pat {
            Pat::Type(typed) => (&*typed.pat, Some(self.ty(&typed.ty))),
            pattern => (pattern, None),
        };
        let value = binding.init.as_ref().map(|init| self.id(&init.expr));
        let otherwise = binding.init.as_ref().and_then(|init| init.diverge.as_ref()).map(|(_, block)| self.id(block));
        let pattern = self.pattern_with(pattern, names);
        if let Some(ty) = &ty {
            self.annotate(&pattern, ty);
        }
        let span = self.between(binding.let_token.span, binding.semi_token.span);
        self.low(Op::Let { pattern, ty, value, otherwise }, span)
    }
}

/// An arm without a scrutinee.
pub(super) fn plain_arm(conditions: Vec<Condition>, body: ExprId, span: Span) -> Arm {
    Arm { pattern: None, conditions, body, span }
}

/// The attributes of a statement, those that syn gives to its expression included.
fn statement_attributes(statement: &Stmt) -> &[syn::Attribute] {
    match statement {
        Stmt::Local(binding) => &binding.attrs,
        Stmt::Macro(call) => &call.attrs,
        Stmt::Expr(expr, _) => expression_attributes(expr),
        Stmt::Item(_) => &[],
    }
}

fn expression_attributes(expr: &Expr) -> &[syn::Attribute] {
    let mut expr = expr;
    loop {
        // On a statement such as `#[cfg(x)] a.b().await?;` syn hands the attribute to the leftmost part.
        let (attributes, left): (&[syn::Attribute], Option<&Expr>) = match expr {
            Expr::MethodCall(inner) => (&inner.attrs, Some(&inner.receiver)),
            Expr::Call(inner) => (&inner.attrs, Some(&inner.func)),
            Expr::Field(inner) => (&inner.attrs, Some(&inner.base)),
            Expr::Index(inner) => (&inner.attrs, Some(&inner.expr)),
            Expr::Try(inner) => (&inner.attrs, Some(&inner.expr)),
            Expr::Await(inner) => (&inner.attrs, Some(&inner.base)),
            Expr::Binary(inner) => (&inner.attrs, Some(&inner.left)),
            Expr::Cast(inner) => (&inner.attrs, Some(&inner.expr)),
            Expr::Assign(inner) => (&inner.attrs, Some(&inner.left)),
            Expr::Block(inner) => (&inner.attrs, None),
            Expr::If(inner) => (&inner.attrs, None),
            Expr::Match(inner) => (&inner.attrs, None),
            Expr::Loop(inner) => (&inner.attrs, None),
            Expr::ForLoop(inner) => (&inner.attrs, None),
            Expr::While(inner) => (&inner.attrs, None),
            Expr::Unsafe(inner) => (&inner.attrs, None),
            Expr::Return(inner) => (&inner.attrs, None),
            Expr::Break(inner) => (&inner.attrs, None),
            Expr::Continue(inner) => (&inner.attrs, None),
            Expr::Macro(inner) => (&inner.attrs, None),
            Expr::Path(inner) => (&inner.attrs, None),
            Expr::Lit(inner) => (&inner.attrs, None),
            Expr::Paren(inner) => (&inner.attrs, None),
            Expr::Struct(inner) => (&inner.attrs, None),
            Expr::Tuple(inner) => (&inner.attrs, None),
            Expr::Reference(inner) => (&inner.attrs, None),
            Expr::Unary(inner) => (&inner.attrs, None),
            Expr::Async(inner) => (&inner.attrs, None),
            Expr::Closure(inner) => (&inner.attrs, None),
            _ => (&[], None),
        };
        match left {
            Some(left) if attributes.is_empty() => expr = left,
            _ => return attributes,
        }
    }
}
