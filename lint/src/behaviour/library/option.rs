//! Option and Result: one table for both, since only one of them can stand in one place.

use crate::behaviour::evaluate::{Evaluator, inherit};
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::library::list::elements;
use crate::behaviour::trail::{Event, Trail};
use crate::behaviour::value::{Kind, TypeAt, Value};
use crate::ir::Span;

/// Methods of what is inside, that a failure passes through untouched when our guess of its wrapper was one too many.
pub const IS_WRAPPER_FREE: &[&str] = &[
    "parse",
    "to_str",
    "as_str",
    "trim",
    "as_bytes",
    "to_std",
    "as_secs",
    "min",
    "max",
    "to_string",
    "duration_since",
    "get",
    "to_lowercase",
    "value",
];

impl Evaluator<'_, '_> {
    /// A method on `Some`, `None`, `Ok` or `Err`. The outer None: not a method of theirs.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn option_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        let kind = receiver.variant_name()?;
        let is_good = matches!(kind, "Some" | "Ok");
        let is_result = matches!(kind, "Ok" | "Err");
        let payload = receiver
            .payload()
            .map(|payload| inherit(payload.clone(), receiver))
            .unwrap_or_else(|| receiver.map(Kind::Unit));
        let trail = receiver.trail.clone();
        let wrap = |value: Value| if is_result { Value::ok(value) } else { Value::some(value) };
        let none = || Value { ..Value::none(trail.clone(), span) };
        let truth = |truth: bool| {
            Some(Some(Value {
                kind: Kind::Bool(truth),
                trail: if trail.is_some() { trail.clone() } else { Trail::NONE },
                at: Some(span),
            }))
        };
        Some(match (name, arguments) {
            ("unwrap" | "expect" | "unwrap_unchecked" | "into_ok", _) => {
                if !is_good {
                    self.hazard(HazardKind::Unwrap, span, &trail);
                    return Some(None);
                }
                Some(payload)
            }
            ("unwrap_err" | "expect_err", _) => (!is_good).then_some(payload),
            ("unwrap_or", [fallback]) => Some(if is_good { payload } else { self.fall_back(fallback, span, &trail) }),
            ("unwrap_or_default", []) => Some(if is_good {
                payload
            } else {
                let default = self.default_of("", want, span);
                // Without a type in sight, the default of a parsed or read hint is a number's or a duration's: zero.
                let is_text = trail
                    .find(true, |node| {
                        matches!(node.event, Event::NotText | Event::NotNumber | Event::NotDate | Event::Absent)
                    })
                    .is_some_and(|node| node.event == Event::NotText);
                let default = if default.is_unknown() && want.is_none() && is_text {
                    Value::plain(Kind::Text("".into()), span)
                } else if default.is_unknown() && want.is_none() {
                    Value::plain(Kind::Hint(0), span)
                } else {
                    default
                };
                self.fall_back(&default, span, &trail)
            }),
            ("unwrap_or_else", [function]) => {
                if is_good {
                    Some(payload)
                } else {
                    let fallback = self.under(&trail, |this| {
                        this.apply(function, if is_result { vec![payload] } else { Vec::new() }, span, want)
                    })?;
                    Some(self.fall_back(&fallback, span, &trail))
                }
            }
            ("map", [function]) => match is_good {
                true => Some(wrap(self.under(&trail, |this| this.apply(function, vec![payload], span, None))?)),
                false => Some(receiver.clone()),
            },
            ("map_err", [function]) => match is_good {
                true => Some(receiver.clone()),
                false => {
                    let error = self.under(&trail, |this| this.apply(function, vec![payload], span, None))?;
                    Some(Value::err(error).chosen(span, &trail))
                }
            },
            ("and_then" | "flat_map" | "and_then_async", [function]) => match is_good {
                true => {
                    let result = self.under(&trail, |this| this.apply(function, vec![payload], span, want))?;
                    Some(result.chosen(span, &trail))
                }
                false => Some(receiver.clone()),
            },
            ("or_else", [function]) => match is_good {
                true => Some(receiver.clone()),
                false => {
                    let fallback = self.under(&trail, |this| {
                        this.apply(function, if is_result { vec![payload] } else { Vec::new() }, span, want)
                    })?;
                    Some(self.fall_back(&fallback, span, &trail))
                }
            },
            ("or", [fallback]) => Some(if is_good { receiver.clone() } else { self.fall_back(fallback, span, &trail) }),
            ("and", [other]) => Some(if is_good { other.clone().chosen(span, &trail) } else { receiver.clone() }),
            ("xor", [other]) => Some(if is_good { receiver.clone() } else { other.clone().chosen(span, &trail) }),
            ("map_or", [fallback, function]) => match is_good {
                true => self.under(&trail, |this| this.apply(function, vec![payload], span, want)),
                false => Some(self.fall_back(fallback, span, &trail)),
            },
            ("map_or_else", [fallback, function]) => match is_good {
                true => self.under(&trail, |this| this.apply(function, vec![payload], span, want)),
                false => {
                    let fallback = self.under(&trail, |this| {
                        this.apply(fallback, if is_result { vec![payload] } else { Vec::new() }, span, want)
                    })?;
                    Some(self.fall_back(&fallback, span, &trail))
                }
            },
            ("ok", []) => Some(if is_good { Value::some(payload) } else { none() }),
            ("err", []) => Some(if is_good { none() } else { Value::some(payload) }),
            ("ok_or", [error]) => {
                Some(if is_good { Value::ok(payload) } else { Value::err(error.clone()).chosen(span, &trail) })
            }
            ("ok_or_else", [function]) => match is_good {
                true => Some(Value::ok(payload)),
                false => {
                    let error = self.under(&trail, |this| this.apply(function, Vec::new(), span, None))?;
                    Some(Value::err(error).chosen(span, &trail))
                }
            },
            ("filter", [function]) => match is_good {
                false => Some(receiver.clone()),
                true => {
                    let verdict = self.under(&trail, |this| this.apply(function, vec![payload.clone()], span, None))?;
                    let mut kept = Vec::new();
                    for verdict in verdict.alternatives() {
                        let dropped = Value::none(verdict.trail.clone(), span);
                        match verdict.kind {
                            Kind::Bool(true) => kept.push(receiver.clone()),
                            Kind::Bool(false) => kept.push(if verdict.trail.is_some() { dropped } else { none() }),
                            _ => kept.extend([
                                receiver.clone(),
                                if verdict.trail.is_some() { dropped } else { Value::none(Trail::NONE, span) },
                            ]),
                        }
                    }
                    Some(Value::one_of(kept, span))
                }
            },
            ("is_some" | "is_ok", []) => return truth(is_good),
            ("is_none" | "is_err", []) => return truth(!is_good),
            ("is_some_and" | "is_ok_and", [function]) => match is_good {
                true => self.under(&trail, |this| this.apply(function, vec![payload], span, None)),
                false => return truth(false),
            },
            ("is_none_or", [function]) => match is_good {
                true => self.under(&trail, |this| this.apply(function, vec![payload], span, None)),
                false => return truth(true),
            },
            ("flatten", []) => match is_good {
                true if matches!(payload.kind, Kind::Variant(_) | Kind::OneOf(_)) => Some(payload),
                _ => Some(receiver.clone()),
            },
            ("transpose", []) => match (is_good, payload.variant_name()) {
                (true, Some("Some")) => {
                    Some(Value::some(Value::ok(payload.payload().cloned().unwrap_or_else(Value::unit))))
                }
                (true, Some("Ok")) => {
                    Some(Value::ok(Value::some(payload.payload().cloned().unwrap_or_else(Value::unit))))
                }
                (true, Some("None")) => Some(payload),
                (true, Some("Err")) => Some(payload),
                (false, _) if !is_result => Some(Value::ok(receiver.clone())),
                _ => Some(receiver.clone()),
            },
            ("zip", [other]) => Some(match (is_good, other.variant_name()) {
                (true, Some("Some")) => Value::some(Value::plain(
                    Kind::Tuple([payload, other.payload().cloned().unwrap_or_else(Value::unit)].into()),
                    span,
                )),
                (true, Some("None")) => other.clone(),
                (true, _) => Value::some(Value::plain(Kind::Tuple([payload, other.clone()].into()), span)),
                (false, _) => receiver.clone(),
            }),
            ("chain", [other]) => {
                Some(receiver.map(Kind::List([elements(receiver)?, elements(other)?].concat().into())))
            }
            (
                "inspect" | "inspect_err" | "context" | "with_context" | "wrap_err" | "wrap_err_with"
                | "change_context" | "attach_printable" | "as_ref" | "take" | "into_iter" | "iter" | "into_diagnostic"
                | "map_into" | "err_into",
                _,
            ) => {
                if let (Some(Kind::Closure(closure)), true) = (
                    arguments.first().map(|argument| argument.kind.clone()),
                    (name == "inspect" && is_good) || (name == "inspect_err" && !is_good),
                ) {
                    let _ = self.call_closure(&closure, vec![payload], span, None);
                }
                Some(receiver.clone())
            }
            ("min", [other]) if other.variant_name().is_some() => Some(self.option_order(receiver, other, false, span)),
            ("max", [other]) if other.variant_name().is_some() => Some(self.option_order(receiver, other, true, span)),
            ("next" | "last" | "nth" | "next_back" | "pop", _) => Some(receiver.clone()),
            ("copied" | "cloned" | "as_deref" | "as_mut" | "to_owned" | "clone", _) => Some(receiver.clone()),
            ("into", []) if is_result || !is_good => Some(receiver.clone()),
            ("get_or_insert" | "get_or_insert_with" | "insert" | "replace", _) => Some(if is_good {
                payload
            } else {
                arguments.first().cloned().unwrap_or_else(|| Value::unknown(span)).chosen(span, &trail)
            }),
            ("unwrap_or_log" | "unwrap_or_else_log", _) => None?,
            ("try_into", []) => return None,
            ("and_modify" | "find" | "flat_map_ok", _) => return None,
            _ => return None,
        })
    }

    /// `None < Some(_)`, and the larger or smaller payload otherwise.
    fn option_order(&mut self, a: &Value, b: &Value, larger: bool, span: Span) -> Value {
        match (a.payload(), b.payload()) {
            (Some(x), Some(y)) => {
                let (x, y) = (inherit(x.clone(), a), inherit(y.clone(), b));
                Value::some(if larger { self.greatest(&x, &y, span) } else { self.least(&x, &y, span) })
            }
            (Some(_), None) => {
                if larger {
                    a.clone().chosen(span, &b.trail)
                } else {
                    b.clone()
                }
            }
            (None, Some(_)) => {
                if larger {
                    b.clone().chosen(span, &a.trail)
                } else {
                    a.clone()
                }
            }
            (None, None) => a.clone(),
        }
    }

    /// A fallback was chosen because there was no value.
    fn fall_back(&mut self, fallback: &Value, span: Span, because: &Trail) -> Value {
        // A default that the caller hands in is the caller's.
        let here = match self.code() {
            crate::behaviour::value::Code::Function(id) => self.program.function(id).span,
            crate::behaviour::value::Code::Constant(id) => self.program.constant(id).span,
        };
        let elsewhere = |at: Span| at.file != here.file || at.start < here.start || at.end > here.end;
        let chosen = |value: &Value| {
            let handed_in = value.at.filter(|at| elsewhere(*at) && !value.is_unknown());
            Value { at: Some(handed_in.unwrap_or(span)), ..value.clone() }.chosen(span, because)
        };
        match &fallback.kind {
            Kind::OneOf(values) => Value { kind: Kind::OneOf(values.iter().map(chosen).collect()), ..fallback.clone() },
            _ => chosen(fallback),
        }
    }

    /// Runs something for a reason.
    pub fn under<T>(&mut self, because: &Trail, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.world.context.clone();
        self.world.context = outer.both(because);
        let result = run(self);
        self.world.context = outer;
        result
    }

    /// The trail of a failure that a comparison or test caused.
    pub fn failed(&self, event: Event, span: Span, of: &Value) -> Trail {
        if of.trail.is_some() { crate::behaviour::evaluate::step(event, span, &of.trail) } else { Trail::NONE }
    }
}
