//! Parts of a hint, and what is drawn at random and put to it.

use crate::behaviour::evaluate::Evaluator;
use crate::behaviour::value::{Kind, OriginStep, Value};
use crate::ir::{BinaryOp, Span};

impl Evaluator<'_, '_> {
    /// Remembers what comes of a number drawn at random and a constant (`0.5 + random()`) as a draw of its own; false where it is none.
    pub(super) fn draw_with_constant(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> bool {
        let constant = |value: &Value| match value.kind {
            Kind::Integer(number) => Some(number as f64),
            Kind::Float(number) => Some(number),
            _ => None,
        };
        let least = match (op, self.drawn(left), constant(right), constant(left), self.drawn(right)) {
            (BinaryOp::Add, Some(least), Some(number), ..) | (BinaryOp::Add, .., Some(number), Some(least)) => {
                least + number
            }
            (BinaryOp::Multiply, Some(least), Some(number), ..)
            | (BinaryOp::Multiply, .., Some(number), Some(least))
                if number >= 0.0 =>
            {
                least * number
            }
            (BinaryOp::Subtract, Some(least), Some(number), ..) => least - number,
            _ => return false,
        };
        self.log.draws.insert(span, least);
        true
    }

    /// The least that a value can be, if it is drawn at random.
    fn drawn(&self, value: &Value) -> Option<f64> {
        let Kind::Unknown(origin) = &value.kind else { return None };
        origin.way().find_map(|origin| match &origin.step {
            OriginStep::Method(_, span) | OriginStep::Call(_, span) | OriginStep::Place(span) => {
                self.log.draws.get(span).copied()
            }
            _ => None,
        })
    }

    /// Whether a value is drawn at random, and whether the operation with it can make the other side less.
    pub(super) fn jitter(&self, op: BinaryOp, value: &Value) -> Option<bool> {
        let Kind::Unknown(origin) = &value.kind else { return None };
        let draw = self.drawn(value);
        let named = origin.name().is_some_and(|name| name.to_ascii_lowercase().contains("jitter"));
        match (op, draw) {
            (BinaryOp::Subtract, Some(_)) => Some(true),
            (BinaryOp::Subtract, None) if named => Some(true),
            (BinaryOp::Multiply, Some(least)) => Some(least < 1.0),
            (BinaryOp::Add, Some(least)) => Some(least < 0.0),
            _ => None,
        }
    }
}

/// Whether the operation takes a good part of a hint, a half or a fifth, and no other unit.
pub(super) fn takes_a_part(op: BinaryOp, left: &Value, right: &Value) -> bool {
    let part = |value: &Value| match value.kind {
        Kind::Integer(number) => number as f64,
        Kind::Float(number) => number,
        _ => 1.0,
    };
    match op {
        BinaryOp::Divide => left.carries_hint() && (1.0..LEAST_PART).contains(&part(right)) && part(right) > 1.0,
        BinaryOp::Multiply => [(left, right), (right, left)].into_iter().any(|(hint, factor)| {
            hint.carries_hint()
                && matches!(factor.kind, Kind::Float(number) if number * LEAST_PART > 1.0 && number < 1.0)
        }),
        _ => false,
    }
}

/// What is divided by more than this was not meant as a part.
const LEAST_PART: f64 = 20.0;
