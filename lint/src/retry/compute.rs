//! Numbers and answers: what literals, comparisons and conjunctions come to, and whether the status decided it.

use super::value::{Kind, Value};
use crate::ir::{BinaryOp, ExprId, Literal, Op, Span};
use std::rc::Rc;

/// What a literal is.
pub(super) fn of_literal<'p>(literal: &Literal) -> Kind<'p> {
    match literal {
        Literal::Integer(number) => Kind::Number(*number),
        Literal::Bool(answer) => Kind::Bool(*answer),
        Literal::Text(text) => Kind::Text(text.clone()),
        _ => Kind::Unknown,
    }
}

/// What a constant holds, where it is a number or a list of numbers.
pub(super) fn of_constant<'p>(body: &crate::ir::Body, id: ExprId, depth: u32) -> Option<Kind<'p>> {
    if depth > 6 {
        return None;
    }
    let expr = body.expr(id);
    match &expr.op {
        Op::Literal(Literal::Integer(number)) => Some(Kind::Number(*number)),
        Op::Path(path) => super::status::named(path.last()).map(|number| Kind::Number(i128::from(number))),
        Op::Reference { value, .. } | Op::Cast { value, .. } => of_constant(body, *value, depth + 1),
        Op::Block { body: parts, has_value: true, .. } if parts.len() == 1 => of_constant(body, parts[0], depth + 1),
        Op::List(parts) => {
            let kinds: Option<Vec<Kind<'p>>> = parts.iter().map(|part| of_constant(body, *part, depth + 1)).collect();
            Some(Kind::List(Rc::new(kinds?.into_iter().map(|kind| Value::new(kind, expr.span)).collect())))
        }
        _ => None,
    }
}

/// `left && right`, or `left || right` where `absorbing` is true.
pub(super) fn both<'p>(left: &Value<'p>, right: &Value<'p>, absorbing: bool, span: Span) -> Value<'p> {
    let hint = left.hint || right.hint;
    let make = |kind, of_status| Value { kind, span, of_status, hint };
    match (&left.kind, &right.kind) {
        // The left one is neutral: it is the right one, and both are needed where the right one is neutral too.
        (Kind::Bool(_), Kind::Bool(known)) => {
            make(Kind::Bool(*known), right.of_status || left.of_status && *known != absorbing)
        }
        (Kind::Bool(_), _) if left.of_status => make(Kind::Open { on: !absorbing }, true),
        (Kind::Bool(_), _) => Value { span, hint, ..right.clone() },
        (_, Kind::Bool(known)) if *known == absorbing => make(Kind::Bool(absorbing), right.of_status),
        (_, Kind::Bool(_)) if right.of_status => make(Kind::Open { on: !absorbing }, true),
        (_, Kind::Bool(_)) => Value { span, hint, ..left.clone() },
        (Kind::Open { on }, _) if *on != absorbing => make(Kind::Open { on: *on }, true),
        (_, Kind::Open { on }) if *on != absorbing => make(Kind::Open { on: *on }, true),
        _ => make(Kind::Unknown, false),
    }
}

/// Comparisons and arithmetic of known numbers.
pub(super) fn compute<'p>(op: BinaryOp, left: &Value<'p>, right: &Value<'p>, span: Span) -> Value<'p> {
    let of_status = left.of_status || right.of_status;
    let hint = left.hint || right.hint;
    let number = |value: &Value<'p>| match &value.kind {
        Kind::Number(number) => Some(*number),
        Kind::Text(text) if of_status => text.parse().ok(),
        _ => None,
    };
    let kind = match (number(left), number(right)) {
        (Some(left), Some(right)) => match op {
            BinaryOp::Equal => Kind::Bool(left == right),
            BinaryOp::NotEqual => Kind::Bool(left != right),
            BinaryOp::Less => Kind::Bool(left < right),
            BinaryOp::LessEqual => Kind::Bool(left <= right),
            BinaryOp::Greater => Kind::Bool(left > right),
            BinaryOp::GreaterEqual => Kind::Bool(left >= right),
            BinaryOp::Divide if right != 0 => Kind::Number(left / right),
            BinaryOp::Remainder if right != 0 => Kind::Number(left % right),
            _ => Kind::Unknown,
        },
        _ => match (&left.kind, &right.kind, op) {
            (Kind::Variant(one, fields), Kind::Variant(other, others), BinaryOp::Equal | BinaryOp::NotEqual)
                if fields.is_empty() && others.is_empty() =>
            {
                Kind::Bool((one == other) == (op == BinaryOp::Equal))
            }
            (Kind::Nothing, Kind::Number(_) | Kind::Variant(..), BinaryOp::Equal) => Kind::Bool(false),
            (Kind::Nothing, Kind::Number(_) | Kind::Variant(..), BinaryOp::NotEqual) => Kind::Bool(true),
            (Kind::Bool(one), Kind::Bool(other), BinaryOp::Equal) => Kind::Bool(one == other),
            (Kind::Bool(one), Kind::Bool(other), BinaryOp::NotEqual | BinaryOp::BitXor) => Kind::Bool(one != other),
            _ => return Value { hint, ..Value::unknown(span) },
        },
    };
    Value { of_status: of_status && !matches!(kind, Kind::Unknown), kind, span, hint }
}
