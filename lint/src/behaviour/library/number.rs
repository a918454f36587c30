//! Numbers: arithmetic, comparisons, casts, bounds.

use super::draw::takes_a_part;
use crate::behaviour::case::{Case, SECOND};
use crate::behaviour::evaluate::{Evaluator, inherit, step};
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::pattern::number_of;
use crate::behaviour::trail::{Event, Trail};
use crate::behaviour::value::{Kind, Origin, OriginStep, TypeAt, Value};
use crate::ir::{BinaryOp, Name, Span, Type};
use crate::names;
use std::cmp::Ordering;
use std::rc::Rc;

impl Evaluator<'_, '_> {
    /// `left op right`, for every pair of alternatives.
    pub fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Value {
        if matches!((&left.kind, &right.kind), (Kind::OneOf(_), _) | (_, Kind::OneOf(_))) {
            self.pay(1);
            let mut results = Vec::new();
            let is_makeshift = |value: &Value| {
                let alternatives = value.alternatives();
                let is_now = |value: &Value| matches!(value.kind, Kind::Date(_)) && !value.trail.is_some();
                alternatives.iter().any(Value::is_unknown) && alternatives.iter().any(is_now)
            };
            let outer = self.log.has_server_clock;
            self.log.has_server_clock |= is_makeshift(left) || is_makeshift(right);
            for left in left.alternatives() {
                for right in right.alternatives() {
                    results.push(self.binary(op, left, right, span));
                }
            }
            self.log.has_server_clock = outer;
            return Value::one_of(results, span);
        }
        let (now_left, now_right) = (self.present(left, right, span), self.present(right, left, span));
        let outer = self.log.has_server_clock;
        // Whose clock it is that was handed in is not known.
        self.log.has_server_clock |= now_left.is_some() || now_right.is_some();
        let (left, right) = (now_left.as_ref().unwrap_or(left), now_right.as_ref().unwrap_or(right));
        let result = self.of_two(op, left, right, span);
        self.log.has_server_clock = outer;
        result
    }

    fn of_two(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Value {
        match op {
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => self.compare(op, left, right, span),
            BinaryOp::And | BinaryOp::Or => left.map(Kind::Maybe).on(left.trail.both(&right.trail)),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    /// An integer that was parsed without a type in sight, and meets a float, is one as well: in Rust nothing else can meet it.
    fn note_float(&mut self, left: &Value, right: &Value) {
        for (one, other) in [(left, right), (right, left)] {
            if let (Kind::Integer(_), Kind::Float(_)) = (&one.kind, &other.kind) {
                self.note_number(one, "f64");
            }
        }
    }

    /// The present, where the value is an unknown moment that the header's date is held against: `now` was handed in.
    fn present(&self, value: &Value, other: &Value, span: Span) -> Option<Value> {
        let is_date = matches!(other.kind, Kind::Date(_)) && other.trail.carries_hint();
        match &value.kind {
            Kind::Unknown(origin) if is_date && !value.trail.is_some() && may_be_present(origin) => {
                Some(self.wall_now(span))
            }
            _ => None,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Value {
        if self.is_emission()
            && let Some(result) = self.emission_arithmetic(op, left, right, span)
        {
            return result;
        }
        self.note_float(left, right);
        // Jitter that is put to a whole hint takes nothing off it.
        let is_less = |side: &Value| {
            side.trail.find(false, |node| matches!(node.event, Event::Jitter(true) | Event::Part)).is_some()
        };
        let trail = match (op, is_less(left), is_less(right)) {
            (BinaryOp::Add, false, true) if left.trail.carries_hint() => left.trail.clone(),
            (BinaryOp::Add, true, false) if right.trail.carries_hint() => right.trail.clone(),
            _ => left.trail.both(&right.trail),
        };
        let trail = if takes_a_part(op, left, right) { step(Event::Part, span, &trail) } else { trail };
        let make = |kind: Kind| Value { kind, trail: trail.clone(), at: Some(span) };
        // A hint of unknown type takes the type of what it meets.
        let (left_kind, right_kind) = (adapted(&left.kind, &right.kind), adapted(&right.kind, &left.kind));
        let kind = match (&left_kind, &right_kind) {
            (Kind::Integer(a), Kind::Integer(b)) => integer(op, *a, *b),
            (Kind::Float(a), Kind::Float(b)) => float(op, *a, *b),
            (Kind::Float(a), Kind::Integer(b)) => float(op, *a, *b as f64),
            (Kind::Integer(a), Kind::Float(b)) => float(op, *a as f64, *b),
            (Kind::Hint(a), Kind::Hint(b)) => integer(op, *a, *b).map(as_duration),
            (Kind::Duration(a), Kind::Duration(b))
                if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) && matches!(right.kind, Kind::Integer(_)) =>
            {
                integer(op, *a, b / SECOND).map(as_duration)
            }
            (Kind::Duration(a), Kind::Duration(b))
                if op == BinaryOp::Multiply && matches!(left.kind, Kind::Integer(_)) =>
            {
                integer(op, a / SECOND, *b).map(as_duration)
            }
            (Kind::Duration(a), Kind::Duration(b)) => match op {
                BinaryOp::Divide => float(op, *a as f64, *b as f64),
                _ => integer(op, *a, *b).map(as_duration),
            },
            (Kind::Duration(a), Kind::Integer(b)) if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) => {
                integer(op, *a, *b).map(as_duration)
            }
            (Kind::Duration(a), Kind::Float(b)) if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) => {
                float(op, *a as f64, *b).map(as_duration)
            }
            (Kind::Integer(a), Kind::Duration(b)) if op == BinaryOp::Multiply => integer(op, *a, *b).map(as_duration),
            (Kind::Instant(a), Kind::Duration(b)) => integer(op, *a, *b)
                .map(|kind| if let Kind::Integer(number) = kind { Kind::Instant(number) } else { kind }),
            (Kind::Date(a), Kind::Duration(b)) => {
                if op == BinaryOp::Add && self.case == Case::Small && right.trail.carries_hint() {
                    self.hazard(HazardKind::WallClockMade, span, &right.trail);
                }
                integer(op, *a, *b).map(|kind| if let Kind::Integer(number) = kind { Kind::Date(number) } else { kind })
            }
            (Kind::Date(a), Kind::Integer(b)) if op == BinaryOp::Subtract && *b > 100_000_000 => {
                integer(op, *a, b.saturating_mul(SECOND)).map(as_duration)
            }
            (Kind::Integer(a), Kind::Date(b)) if op == BinaryOp::Subtract && *a > 100_000_000 => {
                integer(op, a.saturating_mul(SECOND), *b).map(as_duration)
            }
            (Kind::Instant(a), Kind::Instant(b)) | (Kind::Date(a), Kind::Date(b)) if op == BinaryOp::Subtract => {
                self.check_clock(left, right, span);
                integer(op, *a, *b).map(as_duration)
            }
            (Kind::Character(a), Kind::Character(b)) => {
                integer(op, i128::from(u32::from(*a)), i128::from(u32::from(*b)))
            }
            _ => None,
        };
        match kind {
            Some(kind) => make(kind),
            // Something unknown beside the hint: a factor, some jitter, the time gone by. The hint's size stays the best guess.
            None => {
                let keeps = match op {
                    BinaryOp::Add | BinaryOp::Multiply => left.is_unknown() || right.is_unknown(),
                    BinaryOp::Subtract | BinaryOp::Divide => right.is_unknown(),
                    _ => false,
                };
                // A date or an instant less an unknown one: the present, most likely.
                if let (BinaryOp::Subtract, true, Kind::Date(_) | Kind::Instant(_)) =
                    (op, right.is_unknown(), &left_kind)
                {
                    return left.nanoseconds().map_or_else(
                        || Value { trail: trail.clone(), ..Value::unknown(span) },
                        |time| make(Kind::Duration(time)),
                    );
                }
                let hint = if left.trail.carries_hint() {
                    Some(left)
                } else if right.trail.carries_hint() {
                    Some(right)
                } else {
                    None
                };
                match hint {
                    // A hint of zero on top of an unknown wait is as long as that wait.
                    Some(hint) if op == BinaryOp::Add && hint.nanoseconds() == Some(0) => {
                        Value { trail, ..Value::unknown(span) }
                    }
                    Some(hint) if keeps && !hint.is_unknown() => match self.jitter(op, beside(hint, left, right)) {
                        Some(shrinks) => make(hint.kind.clone()).on(step(Event::Jitter(shrinks), span, &trail)),
                        None => make(hint.kind.clone()),
                    },
                    // So it is with a hint that gave way to something unknown.
                    Some(hint) if keeps && self.jitter(op, beside(hint, left, right)).is_some() => {
                        let shrinks = self.jitter(op, beside(hint, left, right)).unwrap_or(false);
                        Value::unknown(span).on(step(Event::Jitter(shrinks), span, &trail))
                    }
                    _ if self.draw_with_constant(op, left, right, span) => Value { trail, ..Value::unknown(span) },
                    _ => match &left.kind {
                        // What is left until a deadline is still known by the deadline's name.
                        Kind::Unknown(origin) if op == BinaryOp::Subtract => {
                            let rest = Origin::new(OriginStep::Place(span), Some(origin.clone()), None);
                            Value { trail, ..Value::from_origin(rest, span) }
                        }
                        _ => Value { trail, ..Value::unknown(span) },
                    },
                }
            }
        }
    }

    /// Compares two values. Something unknown that a hint is compared with lies between the short hints and the long ones.
    fn compare(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Value {
        let trail = left.trail.both(&right.trail);
        // The header's name.
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            for (one, other) in [(left, right), (right, left)] {
                if let (Kind::Unknown(origin), Some(header)) = (&one.kind, self.header_name(other)) {
                    let source = self.log.header(&header, self.code(), None);
                    let is = self.is_header(origin.clone(), source, span);
                    return match (op, &is.kind) {
                        (BinaryOp::NotEqual, Kind::Bool(truth)) => is.map(Kind::Bool(!truth)),
                        _ => is,
                    };
                }
            }
        }
        self.check_clock(left, right, span);
        let (left_kind, right_kind) = (adapted(&left.kind, &right.kind), adapted(&right.kind, &left.kind));
        let ordering = match (&left_kind, &right_kind) {
            (Kind::Text(a), Kind::Text(b)) => Some(a.cmp(b)),
            (Kind::Bool(a), Kind::Bool(b)) => Some(a.cmp(b)),
            (Kind::Variant(a), Kind::Variant(b)) => {
                if a.name != b.name {
                    Some(if &*a.name == "None" { Ordering::Less } else { Ordering::Greater })
                } else {
                    match (a.fields.first(), b.fields.first()) {
                        (None, None) => Some(Ordering::Equal),
                        (Some((_, x)), Some((_, y)))
                            if a.fields.len() == 1
                                && !matches!(x.kind, Kind::OneOf(_))
                                && !matches!(y.kind, Kind::OneOf(_)) =>
                        {
                            let inner = self.compare(op, x, y, span);
                            return inner.on(trail.both(&x.trail).both(&y.trail));
                        }
                        _ => None,
                    }
                }
            }
            (Kind::Float(_), _) | (_, Kind::Float(_)) => match (as_float(&left_kind), as_float(&right_kind)) {
                (Some(a), Some(b)) => a.partial_cmp(&b),
                _ => None,
            },
            _ => match (
                number_of(&Value::with(left_kind.clone(), Trail::NONE)),
                number_of(&Value::with(right_kind.clone(), Trail::NONE)),
            ) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => None,
            },
        };
        let ordering =
            ordering.or_else(|| self.guess(left, right)).or_else(|| self.guess(right, left).map(Ordering::reverse));
        let zero = |kind: &Kind| {
            matches!(kind, Kind::Integer(0) | Kind::Duration(0))
                || matches!(kind, Kind::Float(number) if *number == 0.0)
        };
        let is_text = matches!(left.kind, Kind::Text(_) | Kind::Character(_) | Kind::NotText);
        let text_part = crate::behaviour::pattern::is_text_part(left) || crate::behaviour::pattern::is_text_part(right);
        // That two things are the same, of which neither is a number or a time, is no limit.
        let same_thing = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && [left, right].iter().all(|side| matches!(side.kind, Kind::Unknown(_) | Kind::Function(_) | Kind::Maybe));
        let event = if is_text || text_part || same_thing {
            Event::Tested
        } else if zero(&right_kind) || zero(&left_kind) || matches!(right.kind, Kind::Variant(_)) {
            Event::ComparedWithZero
        } else {
            Event::Compared
        };
        let against = [left, right].into_iter().find_map(|side| match &side.kind {
            Kind::Unknown(origin) if !side.trail.carries_hint() => held_against(origin),
            _ => None,
        });
        let trail = if trail.is_some() { Trail::bound(event, span, &trail, against) } else { Trail::NONE };
        let truth = ordering.map(|ordering| match op {
            BinaryOp::Equal => ordering == Ordering::Equal,
            BinaryOp::NotEqual => ordering != Ordering::Equal,
            BinaryOp::Less => ordering == Ordering::Less,
            BinaryOp::LessEqual => ordering != Ordering::Greater,
            BinaryOp::Greater => ordering == Ordering::Greater,
            _ => ordering != Ordering::Less,
        });
        Value { kind: truth.map_or(Kind::Maybe, Kind::Bool), trail, at: Some(span) }
    }

    /// How a hint compares with something unknown.
    fn guess(&self, hint: &Value, other: &Value) -> Option<Ordering> {
        // What was cut from the hint itself is less than the hint.
        let cut = |value: &Value| {
            value.is_unknown() && value.trail.find(false, |node| node.event == Event::Bound(true)).is_some()
        };
        if cut(other)
            && hint.trail.carries_hint()
            && !hint.is_unknown()
            && hint.trail.find(false, |node| node.event == Event::Bound(true)).is_none()
        {
            return Some(Ordering::Greater);
        }
        if !other.is_unknown() || other.trail.carries_hint() || !hint.trail.carries_hint() {
            return None;
        }
        let number = number_of(hint)?;
        Some(if number > 0 && (self.case.is_long() || self.case == Case::Overflow) {
            Ordering::Greater
        } else {
            Ordering::Less
        })
    }

    /// `min(a, b)`
    pub fn least(&mut self, a: &Value, b: &Value, span: Span) -> Value {
        self.bound(a, b, false, span)
    }

    /// `max(a, b)`
    pub fn greatest(&mut self, a: &Value, b: &Value, span: Span) -> Value {
        self.bound(a, b, true, span)
    }

    fn bound(&mut self, a: &Value, b: &Value, larger: bool, span: Span) -> Value {
        if matches!((&a.kind, &b.kind), (Kind::OneOf(_), _) | (_, Kind::OneOf(_))) {
            let mut results = Vec::new();
            for a in a.alternatives() {
                for b in b.alternatives() {
                    results.push(self.bound(a, b, larger, span));
                }
            }
            return Value::one_of(results, span);
        }
        self.note_float(a, b);
        // Nothing is less than something; two that are there are compared by what they hold.
        match (a.variant_name(), b.variant_name()) {
            (Some("Some"), Some("Some")) => {
                if let (Some(x), Some(y)) = (a.payload(), b.payload()) {
                    return Value::some(self.bound(&inherit(x.clone(), a), &inherit(y.clone(), b), larger, span));
                }
            }
            (Some("None"), Some("Some" | "None")) => return if larger { b.clone() } else { a.clone() },
            (Some("Some"), Some("None")) => return if larger { a.clone() } else { b.clone() },
            _ => {}
        }
        let (hint, other) = if a.trail.carries_hint() { (a, b) } else { (b, a) };
        let trail = a.trail.both(&b.trail);
        let both_hints = a.trail.carries_hint() && b.trail.carries_hint();
        let (hint_kind, other_kind) = (adapted(&hint.kind, &other.kind), adapted(&other.kind, &hint.kind));
        let ordering = match (as_float(&hint_kind), as_float(&other_kind)) {
            // What a server sends is more than its least and less than its most, as far as is known.
            _ if self.is_emission() && (hint.is_unknown() || other.is_unknown()) && hint.trail.carries_hint() => {
                Some(if larger { Ordering::Greater } else { Ordering::Less })
            }
            (Some(x), Some(y)) => match (
                number_of(&Value::with(hint_kind.clone(), Trail::NONE)),
                number_of(&Value::with(other_kind.clone(), Trail::NONE)),
            ) {
                (Some(x), Some(y)) if !matches!(hint_kind, Kind::Float(_)) && !matches!(other_kind, Kind::Float(_)) => {
                    Some(x.cmp(&y))
                }
                _ => x.partial_cmp(&y),
            },
            _ => self.guess(hint, other),
        };
        if !hint.trail.carries_hint() {
            // Neither is a hint; one may still be there because of one.
            let kind = match ordering {
                Some(order) => {
                    if (order == Ordering::Less) == larger {
                        other_kind
                    } else {
                        hint_kind
                    }
                }
                None => return Value { trail, ..Value::unknown(span) },
            };
            // An unknown own wait under or over a zero that a missing hint left is no zero.
            return Value { kind, trail, at: Some(span) };
        }
        if larger && let Kind::Integer(number) = hint.kind {
            self.log.floored.insert((self.case, span), number);
        }
        let Some(order) = ordering else {
            let trail = if both_hints { trail } else { hint.trail.clone() };
            return Value { trail, ..Value::unknown(span) };
        };
        let hint_wins = if larger { order != Ordering::Less } else { order != Ordering::Greater };
        // The smaller of two moments to wake at, or of two hints, cuts nothing by itself.
        if both_hints || (!larger && matches!(hint.kind, Kind::Instant(_))) {
            return if hint_wins {
                Value { kind: hint_kind, trail, at: Some(span) }
            } else {
                Value { kind: other_kind, trail, at: Some(span) }
            };
        }
        let event = if larger { Event::Floor(!hint_wins) } else { Event::Bound(!hint_wins) };
        let against = match &other.kind {
            Kind::Unknown(origin) => held_against(origin),
            _ => None,
        };
        let trail = Trail::bound(event, span, &hint.trail, against);
        if hint_wins {
            Value { kind: hint_kind, trail, at: Some(span) }
        } else {
            match other_kind {
                Kind::Unknown(_) => Value { trail, ..Value::unknown(span) },
                kind => Value { kind, trail, at: Some(span) },
            }
        }
    }

    /// A method on a number. The outer None: not one of a number's.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn number_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        let argument = arguments.first();
        let op = match name {
            "saturating_add" | "checked_add" | "wrapping_add" | "overflowing_add" | "add" => Some(BinaryOp::Add),
            "saturating_sub" | "checked_sub" | "wrapping_sub" | "sub" | "abs_diff" => Some(BinaryOp::Subtract),
            "saturating_mul" | "checked_mul" | "wrapping_mul" | "mul" => Some(BinaryOp::Multiply),
            "checked_div" | "div" | "div_euclid" | "saturating_div" => Some(BinaryOp::Divide),
            _ => None,
        };
        if let (Some(op), Some(argument)) = (op, argument) {
            let result = self.binary(op, receiver, argument, span);
            let result = if name == "saturating_sub" {
                self.each(&result, |_, value| {
                    if matches!(value.kind, Kind::Integer(number) if number < 0) {
                        value.map(Kind::Integer(0))
                    } else {
                        value.clone()
                    }
                })
            } else {
                result
            };
            return Some(Some(if name.starts_with("checked") {
                self.each(&result, |_, value| Value::some(value.clone()))
            } else {
                result
            }));
        }
        let float = as_float(&receiver.kind);
        Some(Some(match (name, argument) {
            ("div_ceil", Some(Value { kind: Kind::Integer(by), .. })) if *by > 0 => match receiver.kind {
                Kind::Integer(number) => receiver.map(Kind::Integer(-(-number).div_euclid(*by))),
                _ => receiver.clone(),
            },
            ("div_ceil", Some(_)) => receiver.clone(),
            ("min", Some(other)) => self.least(receiver, other, span),
            ("max", Some(other)) => self.greatest(receiver, other, span),
            ("clamp", Some(low)) => {
                let raised = self.greatest(receiver, low, span);
                self.least(&raised, arguments.get(1)?, span)
            }
            ("ceil" | "floor" | "round" | "trunc", None) => match receiver.kind {
                Kind::Float(number) => {
                    let whole = match name {
                        "ceil" => number.ceil(),
                        "floor" | "trunc" => number.floor(),
                        _ => number.round(),
                    };
                    let rounded = receiver.map(Kind::Float(whole));
                    if whole < number { self.truncated(rounded, span) } else { rounded }
                }
                _ => receiver.clone(),
            },
            ("is_nan", None) => self.number_test(float.is_some_and(f64::is_nan), receiver, span),
            ("is_finite", None) => self.number_test(float.is_some_and(f64::is_finite), receiver, span),
            ("is_infinite", None) => self.number_test(float.is_some_and(f64::is_infinite), receiver, span),
            ("is_sign_negative" | "is_negative", None) => {
                self.number_test(float.is_some_and(|number| number < 0.0), receiver, span)
            }
            ("is_sign_positive" | "is_positive", None) => {
                self.number_test(float.is_some_and(|number| number > 0.0), receiver, span)
            }
            ("is_zero", None) => self.compare(BinaryOp::Equal, receiver, &Value::plain(Kind::Integer(0), span), span),
            ("is_ascii_digit", None) => match receiver.kind {
                Kind::Integer(number) => self.digit_test((48..58).contains(&number), receiver, span),
                _ => return None,
            },
            ("is_ascii_whitespace" | "is_ascii_alphabetic", None) => match receiver.kind {
                Kind::Integer(number) => {
                    let byte = u8::try_from(number).unwrap_or(0);
                    self.tested(
                        if name == "is_ascii_whitespace" {
                            byte.is_ascii_whitespace()
                        } else {
                            byte.is_ascii_alphabetic()
                        },
                        receiver,
                        span,
                    )
                }
                _ => return None,
            },
            ("to_string" | "into" | "get" | "pow" | "abs" | "unsigned_abs" | "as_secs", _) => {
                match (&receiver.kind, want.and_then(|ty| ty.ty.last_segment())) {
                    (Kind::Integer(number), _) if name == "to_string" => {
                        receiver.map(Kind::Text(Rc::from(number.to_string())))
                    }
                    (_, Some("Duration")) if name == "into" => receiver.map(Kind::Duration(receiver.nanoseconds()?)),
                    _ => receiver.clone(),
                }
            }
            ("try_into", None) => Value::ok(receiver.clone()),
            // A value of a message's body, read as what it holds.
            ("as_u64" | "as_i64" | "as_f64" | "as_number", None) => Value::some(receiver.clone()),
            ("seconds" | "std_seconds", None) => receiver.map(Kind::Duration(receiver.nanoseconds()?)),
            ("milliseconds", None) => receiver.map(Kind::Duration(receiver.nanoseconds()? / 1_000)),
            ("minutes", None) => receiver.map(Kind::Duration(receiver.nanoseconds()?.saturating_mul(60))),
            ("mul_f64" | "mul_f32" | "powi" | "powf" | "sqrt" | "powd", _) => receiver.clone(),
            ("eq" | "lt" | "le" | "gt" | "ge" | "ne", Some(other)) => {
                let op = match name {
                    "eq" => BinaryOp::Equal,
                    "ne" => BinaryOp::NotEqual,
                    "lt" => BinaryOp::Less,
                    "le" => BinaryOp::LessEqual,
                    "gt" => BinaryOp::Greater,
                    _ => BinaryOp::GreaterEqual,
                };
                self.binary(op, receiver, other, span)
            }
            _ if names::is_hint(name) && arguments.is_empty() => receiver.clone(),
            _ => return None,
        }))
    }

    /// What a server sends has lost a part here.
    fn truncated(&self, value: Value, span: Span) -> Value {
        if self.is_emission() && value.trail.is_some() {
            let trail = step(Event::Truncated, span, &value.trail);
            return value.on(trail);
        }
        value
    }

    fn number_test(&self, truth: bool, receiver: &Value, span: Span) -> Value {
        let trail =
            if receiver.trail.is_some() { step(Event::ComparedWithZero, span, &receiver.trail) } else { Trail::NONE };
        Value { kind: Kind::Bool(truth), trail, at: Some(span) }
    }

    /// `value as ty`
    pub fn cast(&mut self, value: &Value, ty: &Type, span: Span) -> Value {
        let wrap = |number: i128, bits: u32, signed: bool| {
            let modulus = 1_i128 << bits;
            let low = number.rem_euclid(modulus);
            if signed && low >= modulus / 2 { low - modulus } else { low }
        };
        let saturate =
            |number: f64, low: i128, high: i128| if number.is_nan() { 0 } else { (number as i128).clamp(low, high) };
        let (bits, signed) = match ty.last_segment() {
            Some("u8") => (8, false),
            Some("u16") => (16, false),
            Some("u32") => (32, false),
            Some("u64" | "usize") => (64, false),
            Some("i8") => (8, true),
            Some("i16") => (16, true),
            Some("i32") => (32, true),
            Some("i64" | "isize") => (64, true),
            Some("f32" | "f64") => {
                return match value.kind {
                    Kind::Integer(number) => value.map(Kind::Float(number as f64)),
                    _ => value.clone(),
                };
            }
            Some("char") => {
                return match value.kind {
                    Kind::Integer(number) => u32::try_from(number)
                        .ok()
                        .and_then(char::from_u32)
                        .map_or_else(|| value.clone(), |character| value.map(Kind::Character(character))),
                    _ => value.clone(),
                };
            }
            _ => return value.clone(),
        };
        let (low, high) =
            if signed { (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1) } else { (0, (1_i128 << bits) - 1) };
        let cast = match value.kind {
            Kind::Integer(number) => value.map(Kind::Integer(wrap(number, bits, signed))),
            Kind::Float(number) => value.map(Kind::Integer(saturate(number, low, high))),
            Kind::Character(character) => value.map(Kind::Integer(i128::from(u32::from(character)))),
            Kind::Bool(truth) => value.map(Kind::Integer(i128::from(truth))),
            _ => value.clone(),
        };
        self.check_cast(value, &cast, bits, span);
        match value.kind {
            Kind::Float(number) if number.fract() != 0.0 && value.trail.carries_hint() => {
                cast.on(step(Event::Truncated, span, &value.trail))
            }
            _ => cast,
        }
    }
}

/// A hint of unknown type as the type of what it meets; a bare number beside a duration counts seconds.
fn adapted(kind: &Kind, other: &Kind) -> Kind {
    match (kind, other) {
        (Kind::Integer(seconds), Kind::Duration(_)) => Kind::Duration(seconds.saturating_mul(SECOND)),
        (Kind::Hint(nanoseconds), Kind::Integer(_)) => Kind::Integer(nanoseconds / SECOND),
        (Kind::Hint(nanoseconds), Kind::Float(_)) => Kind::Float(*nanoseconds as f64 / 1e9),
        (Kind::Hint(nanoseconds), Kind::Duration(_) | Kind::Instant(_) | Kind::Date(_)) => Kind::Duration(*nanoseconds),
        _ => kind.clone(),
    }
}

fn as_float(kind: &Kind) -> Option<f64> {
    match kind {
        Kind::Integer(number)
        | Kind::Duration(number)
        | Kind::Instant(number)
        | Kind::Date(number)
        | Kind::Hint(number) => Some(*number as f64),
        Kind::Float(number) => Some(*number),
        Kind::Character(character) => Some(f64::from(u32::from(*character))),
        _ => None,
    }
}

/// The name of what a hint was held against: of the deadline, where it is the time that is left until one.
fn held_against(origin: &Origin) -> Option<Name> {
    let deadline = origin.way().filter_map(Origin::name).find(|name| names::is_deadline(name));
    deadline.or(origin.name()).cloned()
}

fn as_duration(kind: Kind) -> Kind {
    match kind {
        Kind::Integer(number) => Kind::Duration(number),
        Kind::Float(number) => Kind::Duration(number as i128),
        other => other,
    }
}

fn integer(op: BinaryOp, a: i128, b: i128) -> Option<Kind> {
    Some(Kind::Integer(match op {
        BinaryOp::Add => a.saturating_add(b),
        BinaryOp::Subtract => a.saturating_sub(b),
        BinaryOp::Multiply => a.saturating_mul(b),
        BinaryOp::Divide => a.checked_div(b)?,
        BinaryOp::Remainder => a.checked_rem(b)?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::ShiftLeft => a.checked_mul(1_i128.checked_shl(u32::try_from(b).ok()?)?)?,
        BinaryOp::ShiftRight => a.checked_shr(u32::try_from(b).ok()?)?,
        _ => return None,
    }))
}

fn float(op: BinaryOp, a: f64, b: f64) -> Option<Kind> {
    Some(Kind::Float(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a % b,
        _ => return None,
    }))
}

/// Whether an unknown value can be the present: by its type or its name a moment, and by no name on its way the end or the begin of something.
pub fn may_be_present(origin: &Origin) -> bool {
    let is_moment = |ty: &TypeAt| {
        let given = match ty.ty.peeled() {
            Type::Function(_, output) => output.as_deref(),
            // `impl Fn() -> T`: the last argument is what it gives.
            Type::Bounds(bounds) => bounds.first().and_then(|bound| bound.arguments().last()),
            other => Some(other),
        };
        given.and_then(Type::last_segment).is_some_and(|ty| {
            matches!(
                ty,
                "SystemTime" | "OffsetDateTime" | "UtcDateTime" | "DateTime" | "Timestamp" | "Zoned" | "HttpDate"
            )
        })
    };
    let mut is_typed = false;
    let mut is_named = false;
    for part in origin.way() {
        is_typed |= part.ty.as_ref().is_some_and(is_moment);
        if let Some(name) = part.name() {
            is_named |= names::is_present(name);
            if names::is_other_moment(name) {
                return false;
            }
        }
    }
    is_typed || is_named
}

/// The other side of an operation.
fn beside<'v>(one: &Value, left: &'v Value, right: &'v Value) -> &'v Value {
    if std::ptr::eq(one, left) { right } else { left }
}
