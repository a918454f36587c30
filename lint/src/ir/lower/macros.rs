//! Macros: a table of the known ones; others are tried as items, expressions and statements.
//!
//! A macro is known by the last segment of its path. Hygiene is ignored: names in its arguments mean what they mean around it.
//! What the known ones come to:
//!
//! | macros | operation |
//! |---|---|
//! | `format!`, `write!`, `anyhow!`, `concat!` .. | [`Op::Format`] |
//! | printing and logging | [`Op::Discard`] of the arguments, those that the text names too |
//! | `bail!`, `ensure!` | [`Op::Return`] of an `Err`, `ensure!` within a branch |
//! | `assert!` .. | a branch around [`Op::Panic`]; `debug_assert!` .. only compute their arguments |
//! | `panic!`, `todo!` .. | [`Op::Panic`] |
//! | `vec!` | [`Op::List`], [`Op::Repeat`] |
//! | `matches!` | [`Op::Branch`] |
//! | `select!`, `join!` .. | [`Op::Select`] |
//! | `dbg!`, `pin!` of an expression | their argument |
//! | `ready!` | [`Op::Await`] |
//! | `cfg!`, `line!`, `env!` .. | [`Op::Opaque`], which is not noted: there is nothing to know |

mod arguments;
pub(super) mod declared;
mod format;
mod select;
mod unknown;

use super::branches::plain_arm;
use super::{Low, Lowerer};
use crate::ir::{Arm, BinaryOp, ExprId, Op, OpaqueReason, Path, Span};
use crate::module::parse::{self, MAX_DEPTH};
use arguments::Argument;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Macro, Pat, Token};

impl Lowerer<'_> {
    /// A macro as an expression.
    pub(super) fn macro_expr(&mut self, call: &Macro) -> Low {
        let span = self.macro_span(call);
        self.within_macro(call, |this| {
            let known = this.declared_macro(call, span).or_else(|| this.known(call, span));
            known.unwrap_or_else(|| this.unknown_macro(call, span))
        })
        .unwrap_or_else(|| self.opaque(OpaqueReason::Budget, Vec::new(), span))
    }

    /// A macro as a statement; None if it stands for items.
    pub(super) fn macro_statement(&mut self, call: &Macro) -> Option<Low> {
        match macro_name(call).as_str() {
            "cfg_if" => {
                let span = self.macro_span(call);
                let branch = self.within_macro(call, |this| this.cfg_if(call, span));
                branch.unwrap_or_else(|| Some(self.opaque(OpaqueReason::Budget, Vec::new(), span)))
            }
            "thread_local" | "lazy_static" | "task_local" => {
                let scope = self.block_scope();
                let is_test = self.ir.scopes[scope.0 as usize].is_test;
                self.item_macro(call, &super::items::Place::free(scope, is_test));
                None
            }
            "pin" => Some(self.pin_statement(call)),
            _ => Some(self.macro_expr(call)),
        }
    }

    /// Runs `inside` unless parsing the macro's arguments could take too much stack.
    fn within_macro<T>(&mut self, call: &Macro, inside: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let text = self.source(self.span(call.delimiter.span().join()));
        // The delimiters themselves were parsed with what is around them.
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        let depth = 1 + parse::measure(inner, MAX_DEPTH).unwrap_or(MAX_DEPTH);
        if self.macros + depth > MAX_DEPTH {
            return None;
        }
        self.macros += depth;
        let result = inside(self);
        self.macros -= depth;
        Some(result)
    }

    fn macro_span(&self, call: &Macro) -> Span {
        let end = call.delimiter.span().close();
        self.between(call.path.segments.first().map_or(end, |first| first.ident.span()), end)
    }

    /// A macro of the table; None if it is not in it, or its arguments are not as they should be.
    fn known(&mut self, call: &Macro, span: Span) -> Option<Low> {
        let name = macro_name(call);
        Some(match name.as_str() {
            "format" | "format_args" | "anyhow" | "eyre" | "format_err" | "format_compact" | "formatcp" => {
                let arguments = macro_arguments(call)?;
                self.format(None, &arguments, span)
            }
            "concat" => {
                let arguments = macro_arguments(call)?;
                self.concat(&arguments, span)
            }
            "write" | "writeln" => {
                let arguments = macro_arguments(call)?;
                let (writer, rest) = arguments.split_first()?;
                let writer = self.id(&writer.value);
                self.format(Some(writer), rest, span)
            }
            "print" | "println" | "eprint" | "eprintln" | "trace" | "debug" | "info" | "warn" | "error" | "log"
            | "event" | "span" | "trace_span" | "debug_span" | "info_span" | "warn_span" | "error_span"
            | "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
                let arguments = macro_arguments(call)?;
                let values = self.printed(&arguments);
                self.low(Op::Discard(values), span)
            }
            "panic" | "todo" | "unreachable" | "unimplemented" | "panic_any" => self.low(Op::Panic, span),
            "bail" => {
                let arguments = macro_arguments(call)?;
                let exit = self.return_error(&arguments, span);
                Low { id: exit, span }
            }
            "ensure" => {
                let arguments = macro_arguments(call)?;
                let (condition, rest) = arguments.split_first()?;
                let condition = self.id(&condition.value);
                let exit = self.return_error(rest, span);
                self.unless(condition, exit, span)
            }
            "assert" => {
                let arguments = macro_arguments(call)?;
                let condition = self.id(&arguments.first()?.value);
                let panic = self.push(Op::Panic, span);
                self.unless(condition, panic, span)
            }
            "assert_eq" | "assert_ne" => {
                let arguments = macro_arguments(call)?;
                let [left, right, ..] = arguments.as_slice() else { return None };
                let (left, right) = (self.id(&left.value), self.id(&right.value));
                let op = if name == "assert_eq" { BinaryOp::Equal } else { BinaryOp::NotEqual };
                let condition = self.push(Op::Binary { op, left, right }, span);
                let panic = self.push(Op::Panic, span);
                self.unless(condition, panic, span)
            }
            "matches" => self.matches(call, span, None)?,
            "assert_matches" => {
                let panic = self.push(Op::Panic, span);
                self.matches(call, span, Some(panic))?
            }
            "vec" | "smallvec" => self.vec(call, span)?,
            "select" | "select_biased" => self.select(call, span)?,
            "join" | "try_join" => self.join(call, span)?,
            "try" => {
                let value = self.only_argument(call)?;
                self.low(Op::Try(value), span)
            }
            "ready" => {
                let value = self.only_argument(call)?;
                self.low(Op::Await(value), span)
            }
            "dbg" | "pin" | "pin_mut" | "black_box" => {
                let value = self.only_argument(call)?;
                Low { id: value, span }
            }
            "cfg_if" => self.cfg_if(call, span)?,
            "cfg" | "line" | "column" | "file" | "module_path" | "env" | "option_env" | "include_str"
            | "include_bytes" | "stringify" => {
                let reason = OpaqueReason::Macro(self.name(&name));
                self.low(Op::Opaque { reason, children: Vec::new() }, span)
            }
            "compile_error" => self.low(Op::Tuple(Vec::new()), span),
            _ => return None,
        })
    }

    fn only_argument(&mut self, call: &Macro) -> Option<ExprId> {
        let arguments = macro_arguments(call)?;
        let [argument] = arguments.as_slice() else { return None };
        Some(self.id(&argument.value))
    }

    /// `if condition {} else { otherwise }`.
    fn unless(&mut self, condition: ExprId, otherwise: ExprId, span: Span) -> Low {
        let unit = self.unit(span);
        let holds = vec![crate::ir::Condition { value: condition, pattern: None }];
        let arms = vec![plain_arm(holds, unit, span), plain_arm(Vec::new(), otherwise, span)];
        self.low(Op::Branch { scrutinee: None, arms }, span)
    }

    /// `return Err(..)`.
    fn return_error(&mut self, arguments: &[Argument], span: Span) -> ExprId {
        let error = match arguments {
            // `bail!(error)` of a value.
            [Argument { name: None, value, .. }] if !is_text(value) => self.id(value),
            _ => self.format(None, arguments, span).id,
        };
        let err = Path { segments: vec![self.name("Err")], of: None, generics: Vec::new() };
        let callee = self.push(Op::Path(err), span);
        let value = self.push(Op::Call { callee, arguments: vec![error] }, span);
        self.push(Op::Return(Some(value)), span)
    }

    /// `matches!(value, pattern if condition)`; `otherwise` is the arm of what does not match, for an assertion.
    fn matches(&mut self, call: &Macro, span: Span, otherwise: Option<ExprId>) -> Option<Low> {
        let parser = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let mut guard = None;
            if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                guard = Some(input.parse::<Expr>()?);
            }
            // A trailing comma, or the message of an assertion.
            input.parse::<proc_macro2::TokenStream>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = parser.parse2(call.tokens.clone()).ok()?;
        let value = self.id(&value);
        self.scoped(|this| {
            let (pattern, conditions) = this.guarded(&pattern, guard.as_ref());
            let Some(otherwise) = otherwise else { return Some(this.fits(value, pattern, conditions, span)) };
            let unit = this.unit(span);
            let arms = vec![
                Arm { pattern: Some(pattern), conditions, body: unit, span },
                Arm { pattern: Some(crate::ir::Pattern::Wild), conditions: Vec::new(), body: otherwise, span },
            ];
            Some(this.low(Op::Branch { scrutinee: Some(value), arms }, span))
        })
    }

    fn vec(&mut self, call: &Macro, span: Span) -> Option<Low> {
        let repeat = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            input.parse::<Expr>()?;
            Ok(value)
        };
        if let Ok(value) = repeat.parse2(call.tokens.clone()) {
            let value = self.id(&value);
            return Some(self.low(Op::Repeat { value }, span));
        }
        let values = arguments::expressions(call.tokens.clone())?;
        let values = self.ids(&values);
        Some(self.low(Op::List(values), span))
    }
}

fn macro_arguments(call: &Macro) -> Option<Vec<Argument>> {
    arguments::parse(call.tokens.clone())
}

/// The last segment of a macro's path.
fn macro_name(call: &Macro) -> String {
    let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// Whether an expression is a text literal.
fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
}
