//! Levels: the blocks around the read of a header, of which the cut takes one.

use super::range;
use std::ops::Range;
use syn::{Block, Expr, Stmt};

/// A block around the read, and the statement in it that the read stands in; or an arm's expression without a block.
pub(super) struct Level<'b> {
    pub(super) statements: &'b [Stmt],
    pub(super) statement: usize,
    pub(super) expr: Option<&'b Expr>,
    /// Whether it is the body of a loop whose `break` gives a value that goes on.
    pub(super) gives_by_break: bool,
}

/// The blocks around a byte, outermost first. Only those whose value goes nowhere but out: what a `let` makes of a block's value belongs to it.
pub(super) fn descend<'b>(block: &'b Block, read: usize, levels: &mut Vec<Level<'b>>) {
    let Some(statement) = block.stmts.iter().position(|statement| range(statement).contains(&read)) else { return };
    levels.push(Level { statements: &block.stmts, statement, expr: None, gives_by_break: false });
    match &block.stmts[statement] {
        Stmt::Local(local) => {
            if let Some(init) = &local.init {
                descend_into(&init.expr, read, true, levels);
            }
        }
        Stmt::Expr(expr, _) => descend_into(expr, read, false, levels),
        _ => {}
    }
}

fn descend_into<'b>(expr: &'b Expr, read: usize, is_value: bool, levels: &mut Vec<Level<'b>>) {
    let inside = |spanned: &dyn Fn() -> Range<usize>| spanned().contains(&read);
    match expr {
        Expr::Async(block) => descend(&block.block, read, levels),
        Expr::Await(inner) => descend_into(&inner.base, read, is_value, levels),
        Expr::Try(inner) => descend_into(&inner.expr, read, is_value, levels),
        Expr::Paren(inner) => descend_into(&inner.expr, read, is_value, levels),
        Expr::Return(inner) => {
            if let Some(inner) = &inner.expr {
                descend_into(inner, read, is_value, levels);
            }
        }
        Expr::Call(call) => {
            if let Some(argument) = call.args.iter().find(|argument| inside(&|| range(*argument))) {
                descend_into(argument, read, true, levels);
            }
        }
        Expr::MethodCall(call) => {
            if inside(&|| range(&*call.receiver)) {
                descend_into(&call.receiver, read, true, levels);
            } else if !is_combinator(&call.method.to_string())
                && let Some(argument) = call.args.iter().find(|argument| inside(&|| range(*argument)))
            {
                descend_into(argument, read, true, levels);
            }
        }
        Expr::Closure(closure) => match &*closure.body {
            Expr::Block(block) => descend(&block.block, read, levels),
            body => descend_into(body, read, true, levels),
        },
        Expr::Loop(repeat) if is_value => {
            let depth = levels.len();
            descend(&repeat.body, read, levels);
            levels[depth..].iter_mut().for_each(|level| level.gives_by_break = true);
        }
        _ if is_value => {}
        Expr::Block(block) => descend(&block.block, read, levels),
        Expr::Unsafe(block) => descend(&block.block, read, levels),
        Expr::Loop(repeat) => descend(&repeat.body, read, levels),
        Expr::While(repeat) => descend(&repeat.body, read, levels),
        Expr::ForLoop(repeat) => descend(&repeat.body, read, levels),
        Expr::If(branch) => {
            if inside(&|| range(&branch.then_branch)) {
                descend(&branch.then_branch, read, levels);
            } else if let Some((_, otherwise)) = &branch.else_branch
                && inside(&|| range(&**otherwise))
                && let Expr::Block(block) = &**otherwise
            {
                descend(&block.block, read, levels);
            }
        }
        Expr::Match(branch) => {
            let Some(arm) = branch.arms.iter().find(|arm| inside(&|| range(&*arm.body))) else { return };
            match &*arm.body {
                Expr::Block(block) => descend(&block.block, read, levels),
                body => {
                    levels.push(Level { statements: &[], statement: 0, expr: Some(body), gives_by_break: false });
                    descend_into(body, read, false, levels);
                }
            }
        }
        _ => {}
    }
}

/// Whether what a closure gives goes on in the expression that the closure is part of.
fn is_combinator(method: &str) -> bool {
    matches!(
        method,
        "map"
            | "and_then"
            | "or_else"
            | "map_or"
            | "map_or_else"
            | "unwrap_or_else"
            | "filter"
            | "filter_map"
            | "find_map"
            | "find"
            | "then"
            | "ok_or_else"
            | "map_err"
            | "flat_map"
            | "inspect"
            | "is_some_and"
            | "is_none_or"
            | "is_ok_and"
            | "or_insert_with"
            | "get_or_insert_with"
    )
}
