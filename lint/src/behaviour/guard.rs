//! Guards: locks and permits that are alive at a place, as far as the code's shape tells.

use crate::ir::{Body, ExprId, LocalId, Op, Pattern, Span};

/// Where a lock or permit was taken that is still held at a place of a body: bound to a variable whose block has not ended and that was
/// not dropped, or a temporary of a `match` or `if let` around the place.
pub fn held_at(body: &Body, place: Span) -> Option<Span> {
    body.exprs.iter().find_map(|expr| match &expr.op {
        Op::Block { body: statements, .. } if expr.span.holds(place) => {
            statements.iter().filter(|statement| body.expr(**statement).span.end <= place.start).find_map(|statement| {
                let Op::Let { pattern: Pattern::Bind(local, None), value: Some(value), .. } = &body.expr(*statement).op
                else {
                    return None;
                };
                let taken = taken_at(body, *value)?;
                (!is_dropped(body, *local, place)).then_some(taken)
            })
        }
        Op::Branch { scrutinee: Some(scrutinee), arms } => {
            let inside = arms.iter().any(|arm| body.expr(arm.body).span.holds(place));
            if inside { temporary(body, *scrutinee) } else { None }
        }
        Op::Branch { scrutinee: None, arms } => {
            arms.iter().filter(|arm| body.expr(arm.body).span.holds(place)).find_map(|arm| {
                arm.conditions
                    .iter()
                    .filter(|condition| condition.pattern.is_some())
                    .find_map(|condition| temporary(body, condition.value))
            })
        }
        _ => None,
    })
}

/// Whether a place that is assigned to lies behind a lock's guard: `*lock.lock().unwrap()`.
pub fn through_lock(body: &Body, place: ExprId) -> bool {
    match &body.expr(place).op {
        Op::Dereference(inner) => is_guard(body, *inner),
        Op::Field { base, .. } => is_guard(body, *base) || through_lock(body, *base),
        _ => false,
    }
}

/// Whether the expression's value is a guard, taken here or under a name.
pub fn is_guard(body: &Body, value: ExprId) -> bool {
    let Op::Local(local) = body.expr(value).op else { return taken_at(body, value).is_some() };
    body.exprs.iter().any(|expr| match &expr.op {
        Op::Let { pattern: Pattern::Bind(bound, None), value: Some(value), .. } if *bound == local => {
            taken_at(body, *value).is_some()
        }
        _ => false,
    })
}

/// Whether the expression's value is a guard: `lock()`, `read().await`, `acquire().await?`.
fn taken_at(body: &Body, value: ExprId) -> Option<Span> {
    let mut value = value;
    loop {
        match &body.expr(value).op {
            Op::Await(inner) | Op::Try(inner) => value = *inner,
            Op::Method { receiver, name, .. }
                if matches!(&**name, "unwrap" | "expect" | "map_err" | "unwrap_or_else" | "ok") =>
            {
                value = *receiver;
            }
            Op::Method { name, arguments, .. } if arguments.is_empty() && takes_a_guard(name) => {
                return Some(body.expr(value).span);
            }
            _ => return None,
        }
    }
}

/// A guard that lives in the middle of an expression: `map.read().await.get(key)`.
fn temporary(body: &Body, value: ExprId) -> Option<Span> {
    let mut value = value;
    loop {
        match &body.expr(value).op {
            Op::Method { name, arguments, .. } if arguments.is_empty() && takes_a_guard(name) => {
                return Some(body.expr(value).span);
            }
            // What is copied out holds nothing.
            Op::Method { name, .. } if matches!(&**name, "cloned" | "copied" | "clone" | "to_owned" | "take") => {
                return None;
            }
            Op::Method { receiver, .. } => value = *receiver,
            Op::Await(inner) | Op::Try(inner) | Op::Reference { value: inner, .. } | Op::Dereference(inner) => {
                value = *inner
            }
            _ => return None,
        }
    }
}

fn takes_a_guard(name: &str) -> bool {
    matches!(
        name,
        "lock"
            | "read"
            | "write"
            | "lock_owned"
            | "read_owned"
            | "write_owned"
            | "acquire"
            | "acquire_owned"
            | "lock_arc"
            | "blocking_lock"
    )
}

/// Whether `drop(local)` stands before the place.
fn is_dropped(body: &Body, local: LocalId, place: Span) -> bool {
    body.exprs.iter().filter(|expr| expr.span.end <= place.start).any(|expr| match &expr.op {
        Op::Call { callee, arguments } => {
            matches!(&body.expr(*callee).op, Op::Path(path) if path.last() == "drop")
                && arguments
                    .iter()
                    .any(|argument| matches!(&body.expr(*argument).op, Op::Local(dropped) if *dropped == local))
        }
        _ => false,
    })
}
