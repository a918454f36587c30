//! Expressions.

use super::{Low, Lowerer};
use crate::ir::{BinaryOp, ExprId, Literal, Name, Op, OpaqueReason, Parameter, Pattern, Span};
use crate::module::parse;
use syn::{BinOp, Expr, RangeLimits, UnOp};

impl Lowerer<'_> {
    /// An expression. What hangs to the left of it (receivers, bases, left operands) is walked in a loop.
    pub(super) fn expr(&mut self, expr: &Expr) -> Low {
        let mut outer = Vec::new();
        let mut innermost = expr;
        while let Some(left) = left_child(innermost) {
            outer.push(innermost);
            innermost = left;
        }
        self.depth += outer.len() + 1;
        let mut low = if self.depth > parse::MAX_DEPTH {
            let span = self.rough_span(innermost);
            self.opaque(OpaqueReason::Budget, Vec::new(), span)
        } else {
            self.atom(innermost)
        };
        self.depth -= outer.len() + 1;
        while let Some(expr) = outer.pop() {
            low = self.postfix(low, expr);
        }
        low
    }

    /// An expression whose text is of no interest.
    pub(super) fn id(&mut self, expr: &Expr) -> ExprId {
        self.expr(expr).id
    }

    pub(super) fn ids<'s>(&mut self, exprs: impl IntoIterator<Item = &'s Expr>) -> Vec<ExprId> {
        exprs.into_iter().map(|expr| self.id(expr)).collect()
    }

    fn optional(&mut self, expr: Option<&Expr>) -> Option<Low> {
        expr.map(|expr| self.expr(expr))
    }

    /// Adds an expression with its text.
    pub(super) fn low(&mut self, op: Op, span: Span) -> Low {
        Low { id: self.push(op, span), span }
    }

    /// The unit value.
    pub(super) fn unit(&mut self, span: Span) -> ExprId {
        self.push(Op::Tuple(Vec::new()), span)
    }

    /// A truth value.
    pub(super) fn truth(&mut self, value: bool, span: Span) -> ExprId {
        self.push(Op::Literal(Literal::Bool(value)), span)
    }

    /// Something that is not understood, which is noted.
    pub(super) fn opaque(&mut self, reason: OpaqueReason, children: Vec<ExprId>, span: Span) -> Low {
        self.note(span, reason.clone());
        self.low(Op::Opaque { reason, children }, span)
    }

    fn syntax(&mut self, what: &str, children: Vec<ExprId>, span: Span) -> Low {
        let what = self.name(what);
        self.opaque(OpaqueReason::Syntax(what), children, span)
    }

    /// What an expression makes of the lowered value to its left.
    fn postfix(&mut self, left: Low, expr: &Expr) -> Low {
        match expr {
            Expr::MethodCall(call) => {
                let name = self.ident(&call.method);
                self.calls(&name);
                let name_span = self.span(call.method.span());
                let generics = call.turbofish.as_ref().map_or_else(Vec::new, |types| self.angle_bracketed(types));
                let arguments = self.ids(&call.args);
                let span = left.span.to(self.span(call.paren_token.span.close()));
                self.low(Op::Method { receiver: left.id, name, name_span, generics, arguments }, span)
            }
            Expr::Call(call) => {
                let arguments = self.ids(&call.args);
                let span = left.span.to(self.span(call.paren_token.span.close()));
                self.low(Op::Call { callee: left.id, arguments }, span)
            }
            Expr::Field(field) => {
                let name = self.member(&field.member);
                self.reads(&name);
                let end = match &field.member {
                    syn::Member::Named(ident) => ident.span(),
                    syn::Member::Unnamed(index) => index.span,
                };
                let span = left.span.to(self.span(end));
                self.low(Op::Field { base: left.id, name }, span)
            }
            Expr::Index(index) => {
                let at = self.id(&index.index);
                let span = left.span.to(self.span(index.bracket_token.span.close()));
                self.low(Op::Index { base: left.id, index: at }, span)
            }
            Expr::Try(question) => {
                let span = left.span.to(self.span(question.question_token.span));
                self.low(Op::Try(left.id), span)
            }
            Expr::Await(wait) => {
                let span = left.span.to(self.span(wait.await_token.span));
                self.low(Op::Await(left.id), span)
            }
            Expr::Cast(cast) => {
                let ty = self.ty(&cast.ty);
                let end = self.type_end(&cast.ty).unwrap_or_else(|| self.span(cast.as_token.span));
                self.low(Op::Cast { value: left.id, ty }, left.span.to(end))
            }
            Expr::Binary(binary) => {
                let right = self.expr(&binary.right);
                let span = left.span.to(right.span);
                let (operator, is_store) = operator(&binary.op);
                let op = match (operator, is_store) {
                    (Some(op), false) => Op::Binary { op, left: left.id, right: right.id },
                    (op, _) => Op::Store { place: left.id, op, value: right.id },
                };
                self.low(op, span)
            }
            _ => left,
        }
    }

    /// An expression with nothing to its left.
    fn atom(&mut self, expr: &Expr) -> Low {
        match expr {
            Expr::Lit(literal) => {
                let span = self.span(literal.lit.span());
                match self.literal(&literal.lit) {
                    Some(value) => self.low(Op::Literal(value), span),
                    None => self.syntax("literal", Vec::new(), span),
                }
            }
            Expr::Path(path) => self.path_expr(path),
            Expr::Paren(inner) => Low { span: self.span(inner.paren_token.span.join()), ..self.expr(&inner.expr) },
            Expr::Group(inner) => self.expr(&inner.expr),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Reference(reference) => {
                let value = self.expr(&reference.expr);
                let span = self.span(reference.and_token.span).to(value.span);
                self.low(Op::Reference { mutable: reference.mutability.is_some(), value: value.id }, span)
            }
            Expr::RawAddr(address) => {
                let value = self.expr(&address.expr);
                let span = self.span(address.and_token.span).to(value.span);
                let mutable = matches!(address.mutability, syn::PointerMutability::Mut(_));
                self.low(Op::Reference { mutable, value: value.id }, span)
            }
            Expr::Tuple(tuple) => {
                let elements = self.ids(&tuple.elems);
                let span = self.span(tuple.paren_token.span.join());
                self.low(Op::Tuple(elements), span)
            }
            Expr::Array(array) => {
                let elements = self.ids(&array.elems);
                let span = self.span(array.bracket_token.span.join());
                self.low(Op::List(elements), span)
            }
            Expr::Repeat(repeat) => {
                let value = self.id(&repeat.expr);
                let span = self.span(repeat.bracket_token.span.join());
                self.low(Op::Repeat { value }, span)
            }
            Expr::Struct(record) => self.construct(record),
            Expr::Range(range) => self.range(range),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Macro(call) => self.macro_expr(&call.mac),
            _ => self.control(expr),
        }
    }

    /// An expression that directs the flow.
    fn control(&mut self, expr: &Expr) -> Low {
        match expr {
            Expr::If(branch) => self.if_chain(branch),
            Expr::Match(branch) => self.match_arms(branch),
            Expr::While(while_loop) => self.while_loop(while_loop),
            Expr::Loop(endless) => self.endless_loop(endless),
            Expr::ForLoop(for_loop) => self.for_loop(for_loop),
            Expr::Let(condition) => self.stray_let(condition),
            Expr::Block(block) => {
                let label = block.label.as_ref().map(|label| self.label(&label.name));
                let start = block.label.as_ref().map(|label| label.name.span());
                self.block(&block.block, label, start)
            }
            Expr::Unsafe(block) => self.block(&block.block, None, Some(block.unsafe_token.span)),
            Expr::Const(block) => self.block(&block.block, None, Some(block.const_token.span)),
            Expr::Async(block) => {
                let body = self.block(&block.block, None, None);
                let span = self.span(block.async_token.span).to(body.span);
                self.low(Op::Async(body.id), span)
            }
            Expr::TryBlock(block) => {
                let body = self.block(&block.block, None, None);
                let span = self.span(block.try_token.span).to(body.span);
                self.syntax("try", vec![body.id], span)
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Return(exit) => {
                let value = self.optional(exit.expr.as_deref());
                let start = self.span(exit.return_token.span);
                let span = value.map_or(start, |value| start.to(value.span));
                self.low(Op::Return(value.map(|value| value.id)), span)
            }
            Expr::Break(exit) => {
                let label = exit.label.as_ref().map(|label| self.label(label));
                let value = self.optional(exit.expr.as_deref());
                let start = self.span(exit.break_token.span);
                let start = exit.label.as_ref().map_or(start, |label| start.to(self.span(label.span())));
                let span = value.map_or(start, |value| start.to(value.span));
                self.low(Op::Break { label, value: value.map(|value| value.id) }, span)
            }
            Expr::Continue(exit) => {
                let label = exit.label.as_ref().map(|label| self.label(label));
                let start = self.span(exit.continue_token.span);
                let span = exit.label.as_ref().map_or(start, |label| start.to(self.span(label.span())));
                self.low(Op::Continue { label }, span)
            }
            Expr::Yield(pause) => {
                let value = self.optional(pause.expr.as_deref());
                let start = self.span(pause.yield_token.span);
                let span = value.map_or(start, |value| start.to(value.span));
                self.syntax("yield", value.into_iter().map(|value| value.id).collect(), span)
            }
            Expr::Verbatim(tokens) => {
                let span = self.tokens_span(tokens);
                let children = self.salvage(tokens.clone());
                self.syntax("unknown", children, span)
            }
            other => {
                let span = self.rough_span(other);
                self.syntax("unknown", Vec::new(), span)
            }
        }
    }

    fn path_expr(&mut self, path: &syn::ExprPath) -> Low {
        let start = match (&path.qself, path.path.segments.first()) {
            (Some(of), _) => of.lt_token.span,
            (None, Some(first)) => first.ident.span(),
            (None, None) => proc_macro2::Span::call_site(),
        };
        let end = path.path.segments.last().map_or(start, |last| match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.gt_token.span,
            syn::PathArguments::Parenthesized(arguments) => arguments.paren_token.span.close(),
            syn::PathArguments::None => last.ident.span(),
        });
        let span = self.between(start, end);
        if path.qself.is_none()
            && let Some(ident) = path.path.get_ident()
        {
            let name = self.ident(ident);
            return self.name_expr(name, span);
        }
        let path = self.path(path.qself.as_ref(), &path.path);
        self.mention(path, span)
    }

    /// A plain name: a variable in scope, or a path.
    pub(super) fn name_expr(&mut self, name: Name, span: Span) -> Low {
        if let Some(local) = self.local(&name) {
            return self.low(Op::Local(local), span);
        }
        self.mention(crate::ir::Path { segments: vec![name], of: None, generics: Vec::new() }, span)
    }

    fn mention(&mut self, path: crate::ir::Path, span: Span) -> Low {
        if let Some(last) = path.segments.last() {
            self.calls(last);
        }
        self.low(Op::Path(path), span)
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Low {
        let value = self.expr(&unary.expr);
        let (op, token) = match unary.op {
            UnOp::Deref(token) => (Op::Dereference(value.id), token.span),
            UnOp::Not(token) => (Op::Not(value.id), token.span),
            UnOp::Neg(token) => (Op::Negate(value.id), token.span),
            _ => return self.syntax("operator", vec![value.id], value.span),
        };
        let span = self.span(token).to(value.span);
        self.low(op, span)
    }

    fn construct(&mut self, record: &syn::ExprStruct) -> Low {
        let path = self.path(record.qself.as_ref(), &record.path);
        let mut fields = Vec::with_capacity(record.fields.len());
        for field in &record.fields {
            let name = self.member(&field.member);
            fields.push((name, self.id(&field.expr)));
        }
        let rest = self.optional(record.rest.as_deref()).map(|rest| rest.id);
        let close = record.brace_token.span.close();
        let start = match (&record.qself, record.path.segments.first()) {
            (Some(of), _) => of.lt_token.span,
            (None, Some(first)) => first.ident.span(),
            (None, None) => close,
        };
        let span = self.between(start, close);
        self.low(Op::Construct { path, fields, rest }, span)
    }

    fn range(&mut self, range: &syn::ExprRange) -> Low {
        let from = self.optional(range.start.as_deref());
        let to = self.optional(range.end.as_deref());
        let (tokens, inclusive) = match &range.limits {
            RangeLimits::HalfOpen(token) => (self.between(token.spans[0], token.spans[1]), false),
            RangeLimits::Closed(token) => (self.between(token.spans[0], token.spans[2]), true),
        };
        let start = from.map_or(tokens, |from| from.span);
        let span = start.to(to.map_or(tokens, |to| to.span));
        let (from, to) = (from.map(|low| low.id), to.map(|low| low.id));
        self.low(Op::Range { from, to, inclusive }, span)
    }

    fn assign(&mut self, assign: &syn::ExprAssign) -> Low {
        if let Expr::Infer(blank) = &*assign.left {
            // `_ = value` drops the value, as `let _ = value` does.
            let value = self.expr(&assign.right);
            let span = self.span(blank.underscore_token.span).to(value.span);
            let op = Op::Let { pattern: Pattern::Wild, ty: None, value: Some(value.id), otherwise: None };
            return self.low(op, span);
        }
        let place = self.expr(&assign.left);
        let value = self.expr(&assign.right);
        let span = place.span.to(value.span);
        self.low(Op::Store { place: place.id, op: None, value: value.id }, span)
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> Low {
        let start = closure.asyncness.map(|token| token.span);
        let start = start.or(closure.capture.map(|token| token.span)).unwrap_or(closure.inputs_begin.span);
        self.scoped(|this| {
            let parameters = closure.inputs.iter().map(|input| this.closure_parameter(input)).collect();
            let body = this.expr(&closure.body);
            let is_async = closure.asyncness.is_some() || matches!(*closure.body, Expr::Async(_));
            let span = this.span(start).to(body.span);
            this.low(Op::Closure { parameters, body: body.id, is_async }, span)
        })
    }

    fn closure_parameter(&mut self, input: &syn::Pat) -> Parameter {
        match input {
            syn::Pat::Type(typed) => {
                let ty = self.ty(&typed.ty);
                let pattern = self.pattern(&typed.pat);
                self.annotate(&pattern, &ty);
                Parameter { pattern, ty: Some(ty) }
            }
            other => Parameter { pattern: self.pattern(other), ty: None },
        }
    }

    /// The name of a label, without the apostrophe.
    pub(super) fn label(&mut self, label: &syn::Lifetime) -> Name {
        self.ident(&label.ident)
    }

    /// Where a type ends, for the kinds of types that casts name.
    fn type_end(&self, ty: &syn::Type) -> Option<Span> {
        let mut ty = ty;
        loop {
            return match ty {
                syn::Type::Path(path) => path.path.segments.last().map(|last| match &last.arguments {
                    syn::PathArguments::AngleBracketed(arguments) => self.span(arguments.gt_token.span),
                    syn::PathArguments::Parenthesized(arguments) => self.span(arguments.paren_token.span.close()),
                    syn::PathArguments::None => self.span(last.ident.span()),
                }),
                syn::Type::Infer(infer) => Some(self.span(infer.underscore_token.span)),
                syn::Type::Paren(inner) => Some(self.span(inner.paren_token.span.close())),
                syn::Type::Tuple(inner) => Some(self.span(inner.paren_token.span.close())),
                syn::Type::Array(inner) => Some(self.span(inner.bracket_token.span.close())),
                syn::Type::Slice(inner) => Some(self.span(inner.bracket_token.span.close())),
                syn::Type::Reference(inner) => {
                    ty = &inner.elem;
                    continue;
                }
                syn::Type::Ptr(inner) => {
                    ty = &inner.elem;
                    continue;
                }
                other => Some(self.span(syn::spanned::Spanned::span(other))),
            };
        }
    }

    /// The text of a rare expression, at the price of printing it.
    fn rough_span(&self, expr: &Expr) -> Span {
        self.span(syn::spanned::Spanned::span(expr))
    }

    /// The text from the first token to the last.
    pub(super) fn tokens_span(&self, tokens: &proc_macro2::TokenStream) -> Span {
        let mut spans = tokens.clone().into_iter().map(|token| token.span());
        match (spans.next(), spans.last()) {
            (Some(first), Some(last)) => self.between(first, last),
            (Some(only), None) => self.span(only),
            _ => Span { file: self.file, start: 0, end: 0 },
        }
    }
}

/// What an expression has to its left, if it is of a kind that nests to the left.
fn left_child(expr: &Expr) -> Option<&Expr> {
    Some(match expr {
        Expr::MethodCall(call) => &call.receiver,
        Expr::Call(call) => &call.func,
        Expr::Field(field) => &field.base,
        Expr::Index(index) => &index.expr,
        Expr::Try(question) => &question.expr,
        Expr::Await(wait) => &wait.base,
        Expr::Cast(cast) => &cast.expr,
        Expr::Binary(binary) => &binary.left,
        _ => return None,
    })
}

/// The operator, and whether it stores into its left side.
fn operator(op: &BinOp) -> (Option<BinaryOp>, bool) {
    let (op, is_store) = match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Subtract, false),
        BinOp::Mul(_) => (BinaryOp::Multiply, false),
        BinOp::Div(_) => (BinaryOp::Divide, false),
        BinOp::Rem(_) => (BinaryOp::Remainder, false),
        BinOp::And(_) => (BinaryOp::And, false),
        BinOp::Or(_) => (BinaryOp::Or, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::Shl(_) => (BinaryOp::ShiftLeft, false),
        BinOp::Shr(_) => (BinaryOp::ShiftRight, false),
        BinOp::Eq(_) => (BinaryOp::Equal, false),
        BinOp::Lt(_) => (BinaryOp::Less, false),
        BinOp::Le(_) => (BinaryOp::LessEqual, false),
        BinOp::Ne(_) => (BinaryOp::NotEqual, false),
        BinOp::Ge(_) => (BinaryOp::GreaterEqual, false),
        BinOp::Gt(_) => (BinaryOp::Greater, false),
        BinOp::AddAssign(_) => (BinaryOp::Add, true),
        BinOp::SubAssign(_) => (BinaryOp::Subtract, true),
        BinOp::MulAssign(_) => (BinaryOp::Multiply, true),
        BinOp::DivAssign(_) => (BinaryOp::Divide, true),
        BinOp::RemAssign(_) => (BinaryOp::Remainder, true),
        BinOp::BitXorAssign(_) => (BinaryOp::BitXor, true),
        BinOp::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        BinOp::BitOrAssign(_) => (BinaryOp::BitOr, true),
        BinOp::ShlAssign(_) => (BinaryOp::ShiftLeft, true),
        BinOp::ShrAssign(_) => (BinaryOp::ShiftRight, true),
        _ => return (None, true),
    };
    (Some(op), is_store)
}
