//! Lists: arrays, vectors and iterators whose elements are known.

use crate::behaviour::evaluate::{Evaluator, reasons};

use crate::behaviour::value::{Kind, TypeAt, Value};
use crate::ir::Span;
use std::rc::Rc;

impl Evaluator<'_, '_> {
    /// A method on a list. The outer None: not one of its own.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn list_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        let Kind::List(values) = &receiver.kind else { return None };
        let values: Rc<[Value]> = values.clone();
        let list = |values: Vec<Value>| receiver.map(Kind::List(values.into()));
        let nothing = || Value::none(receiver.trail.both(&reasons(&values)), span);
        let found = |value: Option<&Value>| value.map_or_else(nothing, |value| Value::some(value.clone()));
        let argument = arguments.first();
        Some(Some(match (name, argument) {
            ("first" | "next" | "peek" | "front", None) => found(values.first()),
            ("last" | "next_back" | "back", None) => found(values.last()),
            ("nth" | "get", Some(index)) => match index.kind {
                Kind::Integer(index) => found(usize::try_from(index).ok().and_then(|index| values.get(index))),
                _ => return None,
            },
            ("len" | "count", None) => receiver.map(Kind::Integer(values.len() as i128)),
            ("is_empty", None) => receiver.map(Kind::Bool(values.is_empty())),
            (
                "collect" | "enumerate_none" | "as_slice" | "drain" | "skip_none" | "to_vec" | "into_vec" | "by_ref"
                | "inspect" | "sorted" | "dedup" | "unique",
                _,
            ) => {
                // A collected Option or Result of a list fails as its first failing element does.
                if name == "collect" {
                    if let Some(failed) =
                        values.iter().find(|value| matches!(value.variant_name(), Some("None" | "Err")))
                        && matches!(want.and_then(|ty| ty.ty.last_segment()), Some("Option" | "Result"))
                    {
                        return Some(Some(failed.clone()));
                    }
                    let is_text = matches!(want.and_then(|ty| ty.ty.last_segment()), Some("String"));
                    if values.iter().all(|value| matches!(value.kind, Kind::Character(_)))
                        && (is_text || want.is_none())
                        && !values.is_empty()
                    {
                        let text: String = values
                            .iter()
                            .filter_map(|value| {
                                if let Kind::Character(character) = value.kind { Some(character) } else { None }
                            })
                            .collect();
                        return Some(Some(
                            receiver.map(Kind::Text(text.into())).on(receiver.trail.both(&reasons(&values))),
                        ));
                    }
                }
                receiver.clone()
            }
            ("rev", None) => list(values.iter().rev().cloned().collect()),
            ("skip", Some(Value { kind: Kind::Integer(count), .. })) => {
                list(values.iter().skip(usize::try_from(*count).unwrap_or(0)).cloned().collect())
            }
            ("take", Some(Value { kind: Kind::Integer(count), .. })) => {
                list(values.iter().take(usize::try_from(*count).unwrap_or(0)).cloned().collect())
            }
            ("chain", Some(other)) => list([values.to_vec(), elements(other)?].concat()),
            ("enumerate", None) => list(
                values
                    .iter()
                    .enumerate()
                    .map(|(index, value)| {
                        Value::plain(
                            Kind::Tuple([Value::plain(Kind::Integer(index as i128), span), value.clone()].into()),
                            span,
                        )
                    })
                    .collect(),
            ),
            ("min" | "max", None) => {
                let mut best: Option<Value> = None;
                for value in values.iter() {
                    best = Some(match best {
                        None => value.clone(),
                        Some(best) if name == "min" => self.least(&best, value, span),
                        Some(best) => self.greatest(&best, value, span),
                    });
                }
                found(best.as_ref())
            }
            ("flatten", None) => list(
                values
                    .iter()
                    .filter(|value| !matches!(value.variant_name(), Some("None" | "Err")))
                    .map(|value| {
                        if value.variant_name().is_some() {
                            value.payload().cloned().unwrap_or_else(Value::unit)
                        } else {
                            value.clone()
                        }
                    })
                    .collect(),
            ),
            (
                "map" | "filter_map" | "flat_map" | "map_while" | "find_map" | "filter" | "find" | "any" | "all"
                | "position" | "for_each" | "take_while" | "skip_while" | "try_for_each",
                Some(function),
            ) => {
                return Some(self.over(receiver, &values, name, function, span));
            }
            ("fold" | "try_fold", Some(start)) => {
                let function = arguments.get(1)?;
                let mut state = start.clone();
                for value in values.iter() {
                    self.iterations.push(span);
                    let next = self.apply(function, vec![state.clone(), value.clone()], span, None);
                    self.iterations.pop();
                    let Some(next) = next else { return Some(None) };
                    if name == "try_fold" {
                        match next.variant_name() {
                            Some("None" | "Err") => return Some(Some(next)),
                            Some("Some" | "Ok") => state = next.payload().cloned().unwrap_or_else(Value::unit),
                            _ => state = next,
                        }
                    } else {
                        state = next;
                    }
                }
                if name == "try_fold" { Value::some(state) } else { state }
            }
            ("contains", Some(wanted)) if (self.header_name(wanted).is_some() || wanted.is_tainted()) => {
                receiver.map(Kind::Maybe)
            }
            ("windows" | "chunks" | "split" | "join" | "concat" | "sum" | "product", _) => {
                Value { trail: reasons(&values), ..Value::unknown(span) }
            }
            _ => return None,
        }))
    }

    fn over(&mut self, receiver: &Value, values: &[Value], name: &str, function: &Value, span: Span) -> Option<Value> {
        let mut kept = Vec::new();
        let mut reason = receiver.trail.clone();
        for (index, value) in values.iter().enumerate() {
            let Some(result) = self.apply(function, vec![value.clone()], span, None) else {
                if name == "for_each" {
                    continue;
                }
                return None;
            };
            let truth = match result.kind {
                Kind::Bool(truth) => Some(truth),
                _ => None,
            };
            match name {
                "map" => kept.push(result),
                "filter_map" | "flat_map" | "map_while" | "find_map" => {
                    for result in result.alternatives() {
                        match result.variant_name() {
                            Some("None" | "Err") => {
                                reason = reason.both(&result.trail);
                            }
                            Some("Some" | "Ok") => {
                                let inner = super::super::evaluate::inherit(
                                    result.payload().cloned().unwrap_or_else(Value::unit),
                                    result,
                                );
                                kept.push(inner);
                            }
                            _ => kept.push(result.clone()),
                        }
                    }
                    if name == "find_map" && !kept.is_empty() {
                        return Some(Value::some(Value::one_of(kept, span)));
                    }
                }
                "filter" | "find" | "take_while" | "skip_while" => {
                    reason = reason.both(&result.trail);
                    match truth {
                        Some(true) | None if name == "find" => {
                            return Some(Value::some(value.clone()).chosen(span, &result.trail));
                        }
                        Some(true) if name != "skip_while" => kept.push(value.clone()),
                        None => kept.push(value.clone()),
                        Some(false) if name == "skip_while" => {
                            kept.extend(values[index..].iter().cloned());
                            break;
                        }
                        Some(false) if name == "take_while" => break,
                        _ => {}
                    }
                }
                "any" | "all" | "position" => {
                    reason = reason.both(&result.trail);
                    match truth {
                        None => return Some(Value { kind: Kind::Maybe, trail: reason, at: Some(span) }),
                        Some(truth) if name == "any" && truth => {
                            return Some(Value { kind: Kind::Bool(true), trail: reason, at: Some(span) });
                        }
                        Some(truth) if name == "all" && !truth => {
                            return Some(Value { kind: Kind::Bool(false), trail: reason, at: Some(span) });
                        }
                        Some(true) if name == "position" => {
                            return Some(Value::some(Value {
                                kind: Kind::Integer(index as i128),
                                trail: reason,
                                at: Some(span),
                            }));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Some(match name {
            "find" | "find_map" | "position" => Value::none(reason, span),
            "any" => Value { kind: Kind::Bool(false), trail: reason, at: Some(span) },
            "all" => Value { kind: Kind::Bool(true), trail: reason, at: Some(span) },
            "for_each" => Value::plain(Kind::Unit, span),
            _ => Value { kind: Kind::List(kept.into()), trail: reason, at: Some(span) },
        })
    }
}

/// What an iterator over a list or an Option gives; None for what is neither, or not known.
pub(super) fn elements(value: &Value) -> Option<Vec<Value>> {
    if let Kind::List(values) = &value.kind {
        return Some(values.to_vec());
    }
    match value.variant_name()? {
        "Some" => Some(vec![value.payload()?.clone()]),
        "None" => Some(Vec::new()),
        _ => None,
    }
}
