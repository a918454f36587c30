//! `Option`'s and `Result`'s own methods, for the walk of one status.

use super::value::{Kind, Path, Value, Ways};
use super::walk::Walk;
use crate::ir::Span;

impl<'p> Walk<'p, '_> {
    /// `Option`'s and `Result`'s own methods.
    pub(super) fn combinator(
        &mut self,
        receiver: &Value<'p>,
        name: &str,
        values: Vec<Value<'p>>,
        span: Span,
        mut path: Path<'p>,
    ) -> Ways<'p> {
        let first = values.into_iter();
        let mut first = first;
        let argument = first.next();
        let second = first.next();
        let answer = |path, answer: bool, of_status| {
            vec![(path, Value { kind: Kind::Bool(answer), span, of_status, hint: receiver.hint })]
        };
        let of_status = receiver.of_status;
        // What is inside, and whether that is sure.
        enum Inside<'p> {
            Good(Value<'p>),
            Bad(Value<'p>),
            Open,
        }
        let inside = match &receiver.kind {
            Kind::Ok(inner) => Inside::Good((**inner).clone()),
            Kind::Err(inner) => Inside::Bad((**inner).clone()),
            Kind::Nothing => Inside::Bad(Value::unknown(span)),
            Kind::Variant(some, fields) if &**some == "Some" => Inside::Good(fields[0].1.clone()),
            Kind::Unknown | Kind::Content | Kind::Failure | Kind::Open { .. } => Inside::Open,
            Kind::Bool(_) if matches!(name, "then" | "then_some") => Inside::Open,
            _ => Inside::Good(receiver.clone()),
        };
        match name {
            "is_ok" | "is_some" | "is_err" | "is_none" => match inside {
                Inside::Good(_) => answer(path, matches!(name, "is_ok" | "is_some"), of_status),
                Inside::Bad(_) => answer(path, matches!(name, "is_err" | "is_none"), of_status),
                Inside::Open => vec![(path, Value { hint: receiver.hint, ..Value::unknown(span) })],
            },
            "then" | "then_some" => {
                let Some(argument) = argument else { return vec![(path, Value::unknown(span))] };
                let mut all = Vec::new();
                let (mut yes, mut no) = (None, None);
                match receiver.kind {
                    Kind::Bool(true) => yes = Some(path),
                    Kind::Bool(false) => no = Some(path),
                    _ => (yes, no) = (Some(path.clone()), Some(path)),
                }
                if let Some(mut path) = no {
                    if of_status {
                        path.test(self.home().function, receiver.span);
                    }
                    all.push((path, Value { of_status, ..Value::new(Kind::Nothing, span) }));
                }
                if let Some(mut path) = yes {
                    if of_status {
                        path.test(self.home().function, receiver.span);
                    }
                    let ways =
                        if name == "then" { self.apply(&argument, Vec::new(), path) } else { vec![(path, argument)] };
                    all.extend(ways.into_iter().map(|(path, value)| (path, self.construct("Some", vec![value], span))));
                }
                self.join(all)
            }
            "is_some_and" | "is_ok_and" | "is_none_or" | "is_err_and" | "map_or" | "map_or_else" | "filter" => {
                let (otherwise, closure) = match (name, argument, second) {
                    ("map_or" | "map_or_else", Some(otherwise), Some(closure)) => (otherwise, closure),
                    (_, Some(closure), _) => (Value::new(Kind::Bool(name == "is_none_or"), span), closure),
                    _ => return vec![(path, Value::unknown(span))],
                };
                let wants_bad = name == "is_err_and";
                let payload = match inside {
                    Inside::Good(inner) if !wants_bad => inner,
                    Inside::Bad(inner) if wants_bad => inner,
                    Inside::Open => Value { hint: receiver.hint, ..Value::unknown(span) },
                    _ if name == "filter" => return vec![(path, receiver.clone())],
                    _ => return vec![(path, Value { span, of_status, ..otherwise })],
                };
                let is_open = matches!(receiver.kind, Kind::Unknown | Kind::Content | Kind::Failure);
                let ways = self.apply(&closure, vec![payload], path.clone());
                let mut all: Ways<'p> = ways
                    .into_iter()
                    .map(|(path, value)| match (name, &value.kind) {
                        ("filter", Kind::Bool(true)) => (path, receiver.clone()),
                        ("filter", Kind::Bool(false)) => {
                            let of_status = value.of_status;
                            (path, Value { of_status, ..Value::new(Kind::Nothing, span) })
                        }
                        ("filter", _) => (path, Value { hint: receiver.hint, ..Value::unknown(span) }),
                        _ => (path, value),
                    })
                    .collect();
                if is_open && name != "filter" {
                    all.push((path, Value { of_status: false, ..otherwise }));
                }
                self.join(all)
            }
            "map" | "and_then" => {
                let Some(closure) = argument else { return vec![(path, Value::unknown(span))] };
                match inside {
                    Inside::Good(inner) => {
                        let wrapped = matches!(receiver.kind, Kind::Ok(_));
                        let ways = self.apply(&closure, vec![inner], path);
                        ways.into_iter()
                            .map(|(path, value)| {
                                let hint = value.hint || receiver.hint;
                                let value = if name == "map" {
                                    self.construct(if wrapped { "Ok" } else { "Some" }, vec![value], span)
                                } else {
                                    value
                                };
                                (path, Value { hint, ..value })
                            })
                            .collect()
                    }
                    Inside::Bad(_) => vec![(path, receiver.clone())],
                    Inside::Open => {
                        let payload = Value { hint: receiver.hint, ..Value::unknown(span) };
                        let mut all = self.apply(&closure, vec![payload], path.clone());
                        for (_, value) in &mut all {
                            value.hint |= receiver.hint;
                        }
                        let failed = Value { hint: receiver.hint, ..Value::unknown(span) };
                        if name == "map" {
                            all = all.into_iter().map(|(path, _)| (path, failed.clone())).collect();
                        }
                        all.push((path, failed));
                        self.join(all)
                    }
                }
            }
            "map_err" | "or_else" | "unwrap_or_else" => {
                let Inside::Bad(inner) = inside else {
                    return match (inside, name) {
                        (Inside::Good(inner), "unwrap_or_else") => vec![(path, inner)],
                        _ => vec![(path, receiver.clone())],
                    };
                };
                let Some(closure) = argument else { return vec![(path, receiver.clone())] };
                if name == "unwrap_or_else" && matches!(closure.kind, Kind::Unknown) {
                    return vec![(path, Value::unknown(span))];
                }
                let before = path.dropped;
                let ways = self.apply(&closure, vec![inner.clone()], path);
                ways.into_iter()
                    .map(|(mut path, value)| {
                        path.dropped = before.or(path.dropped);
                        if name != "map_err" {
                            return (path, value);
                        }
                        let of_status = of_status || inner.of_status;
                        // What an unknown constructor makes of an error still is that error.
                        let payload = if matches!(value.kind, Kind::Unknown) { inner.clone() } else { value };
                        let error = self.construct("Err", vec![payload], span);
                        (path, Value { of_status, ..error })
                    })
                    .collect()
            }
            "ok" => match inside {
                Inside::Bad(_) => vec![(path, Value { of_status, ..Value::new(Kind::Nothing, span) })],
                Inside::Good(inner) => vec![(path, Value { of_status, ..inner })],
                Inside::Open => vec![(path, receiver.clone())],
            },
            "err" => match inside {
                Inside::Bad(inner) => vec![(path, Value { of_status, ..inner })],
                Inside::Good(_) => vec![(path, Value { of_status, ..Value::new(Kind::Nothing, span) })],
                Inside::Open => vec![(path, Value::new(Kind::Failure, span))],
            },
            "unwrap" | "expect" => match inside {
                Inside::Good(inner) => vec![(path, inner)],
                Inside::Bad(_) => Vec::new(),
                Inside::Open if matches!(receiver.kind, Kind::Content) => {
                    vec![(path, Value::unknown(span))]
                }
                Inside::Open => vec![(path, receiver.clone())],
            },
            "unwrap_err" => match inside {
                Inside::Bad(inner) => vec![(path, inner)],
                Inside::Good(_) => Vec::new(),
                Inside::Open => vec![(path, Value::new(Kind::Failure, span))],
            },
            "unwrap_or" | "unwrap_or_default" | "or" => match inside {
                Inside::Good(inner) => vec![(path, inner)],
                Inside::Bad(_) => {
                    let value = argument.unwrap_or_else(|| Value::unknown(span));
                    vec![(path, Value { of_status, ..value })]
                }
                Inside::Open => {
                    let hint = receiver.hint || argument.is_some_and(|argument| argument.hint);
                    vec![(path, Value { hint, ..Value::unknown(span) })]
                }
            },
            "ok_or" | "ok_or_else" | "context" | "with_context" | "wrap_err" | "wrap_err_with" | "transpose" => {
                match (&receiver.kind, name) {
                    (Kind::Nothing, "ok_or" | "ok_or_else") => {
                        let failure = Value::new(Kind::Failure, span);
                        let error = self.construct("Err", vec![failure], span);
                        vec![(path, Value { of_status, ..error })]
                    }
                    _ => vec![(path, receiver.clone())],
                }
            }
            "inspect" | "inspect_err" | "instrument" => vec![(path, receiver.clone())],
            _ => {
                if matches!(name, "lock" | "into_inner") && receiver.hint {
                    path.read.get_or_insert((span, self.home().function));
                }
                vec![(path, receiver.clone())]
            }
        }
    }
}
