//! Patterns and conditions: which way they lead, and what the ways know then.

use super::compute::of_literal;
use super::value::{Kind, Path, Value, Ways};
use super::walk::Walk;
use crate::ir::{Arm, Literal, Name, Pattern, Span};
use crate::names;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Whether a pattern fits a value, and what the way knows then.
pub(super) struct Fit<'p> {
    pub(super) yes: Option<Path<'p>>,
    pub(super) no: Option<Path<'p>>,
}

impl<'p> Walk<'p, '_> {
    /// The ways through a branch's arms.
    pub(super) fn arms(&mut self, arms: &'p [Arm], value: Value<'p>, path: Path<'p>) -> Ways<'p> {
        let mut all = Vec::new();
        // Ways to the later arms, each with the variant that an arm above found and whose guard did not hold.
        let mut rest: Vec<(Option<&'p str>, Path<'p>)> = vec![(None, path)];
        for arm in arms {
            let mut next = Vec::new();
            for (known, path) in rest {
                let fit = match (&arm.pattern, known.zip(arm.pattern.as_ref().and_then(variant))) {
                    (_, Some((known, asked))) if known != asked => Fit { yes: None, no: Some(path) },
                    (Some(pattern), Some(_)) if takes_all(pattern) => {
                        Fit { yes: self.fit(pattern, &value, path, arm.span).yes, no: None }
                    }
                    (Some(pattern), _) => self.fit(pattern, &value, path, arm.span),
                    (None, _) => Fit { yes: Some(path), no: None },
                };
                next.extend(fit.no.map(|path| (known, path)));
                let mut holding: Vec<Path<'p>> = fit.yes.into_iter().collect();
                let found =
                    known.or_else(|| arm.pattern.as_ref().filter(|pattern| takes_all(pattern)).and_then(variant));
                for condition in &arm.conditions {
                    let mut holds = Vec::new();
                    for path in holding {
                        for (mut path, value) in self.eval(condition.value, path) {
                            if value.hint {
                                path.read.get_or_insert((value.span, self.home().function));
                            }
                            let fit = match &condition.pattern {
                                Some(pattern) => self.fit(pattern, &value, path, value.span),
                                None => self.decide(&value, path),
                            };
                            holds.extend(fit.yes);
                            next.extend(fit.no.map(|path| (found, path)));
                        }
                    }
                    holding = holds;
                }
                for path in self.join(holding.into_iter().map(|path| (path, value.clone())).collect()) {
                    all.extend(self.eval(arm.body, path.0));
                }
            }
            let mut apart: BTreeMap<Option<&'p str>, Ways<'p>> = BTreeMap::new();
            for (known, path) in next {
                apart.entry(known).or_default().push((path, value.clone()));
            }
            rest = Vec::new();
            for (known, ways) in apart {
                rest.extend(self.join(ways).into_iter().map(|(path, _)| (known, path)));
            }
            if rest.is_empty() {
                break;
            }
        }
        self.join(all)
    }

    /// Where a plain condition leads.
    pub(super) fn decide(&self, value: &Value<'p>, path: Path<'p>) -> Fit<'p> {
        let function = self.home().function;
        let decided = |mut path: Path<'p>| {
            path.test(function, value.span);
            path
        };
        match value.kind {
            Kind::Bool(answer) => {
                let path = if value.of_status { decided(path) } else { path };
                if answer { Fit { yes: Some(path), no: None } } else { Fit { yes: None, no: Some(path) } }
            }
            Kind::Open { on } => {
                let (with, without) = (decided(path.clone()), path);
                if on { Fit { yes: Some(with), no: Some(without) } } else { Fit { yes: Some(without), no: Some(with) } }
            }
            _ => Fit { yes: Some(path.clone()), no: Some(path) },
        }
    }

    /// Whether the pattern fits, and what it binds.
    pub(super) fn fit(&mut self, pattern: &'p Pattern, value: &Value<'p>, path: Path<'p>, span: Span) -> Fit<'p> {
        let function = self.home().function;
        let known = |walk: &mut Self, fits: bool, mut path: Path<'p>| {
            if value.of_status {
                path.test(function, span);
            }
            if fits {
                Fit { yes: Some(walk.bind(pattern, value, path)), no: None }
            } else {
                Fit { yes: None, no: Some(path) }
            }
        };
        let open = |walk: &mut Self, path: Path<'p>| {
            let mut failed = path.clone();
            let is_error = matches!(pattern, Pattern::TupleStruct(name, _) if name.last() == "Err");
            if matches!(value.kind, Kind::Content) && is_error {
                // The transport failed while the body came: that is no answer of the server any more.
                let mut path = path;
                path.in_hand = None;
                path.tests = Rc::default();
                return Fit { yes: Some(walk.bind(pattern, value, path)), no: Some(failed) };
            }
            if matches!(value.kind, Kind::Content) {
                failed.in_hand = None;
                failed.tests = Rc::default();
            }
            Fit { yes: Some(walk.bind(pattern, value, path)), no: Some(failed) }
        };
        match pattern {
            Pattern::Wild | Pattern::Rest => Fit { yes: Some(path), no: None },
            Pattern::Bind(_, None) => Fit { yes: Some(self.bind(pattern, value, path)), no: None },
            Pattern::Bind(local, Some(inner)) => {
                let mut fit = self.fit(inner, value, path, span);
                if let Some(path) = &mut fit.yes {
                    path.set(*local, value.clone());
                }
                fit
            }
            Pattern::Reference(inner) => self.fit(inner, value, path, span),
            Pattern::Literal(literal) => match (&of_literal(literal), &value.kind) {
                (Kind::Number(one), Kind::Number(other)) => known(self, one == other, path),
                (Kind::Bool(one), Kind::Bool(other)) => known(self, one == other, path),
                (Kind::Bool(answer), Kind::Open { .. }) => {
                    let fit = self.decide(value, path);
                    if *answer { fit } else { Fit { yes: fit.no, no: fit.yes } }
                }
                (Kind::Text(text), Kind::Number(number)) if value.of_status => {
                    known(self, text.parse() == Ok(*number), path)
                }
                _ => open(self, path),
            },
            Pattern::Range { from, to, inclusive } => {
                let Kind::Number(number) = value.kind else { return open(self, path) };
                let end = |walk: &Self, end: &Option<Box<Pattern>>, otherwise: i128| match end.as_deref() {
                    None => Some(otherwise),
                    Some(Pattern::Literal(Literal::Integer(end))) => Some(*end),
                    Some(Pattern::Path(end)) => match walk.path_value(end, span).kind {
                        Kind::Number(end) => Some(end),
                        _ => None,
                    },
                    Some(_) => None,
                };
                match (end(self, from, i128::MIN), end(self, to, i128::MAX)) {
                    (Some(low), Some(high)) => {
                        let below = if *inclusive { number <= high } else { number < high };
                        known(self, low <= number && below, path)
                    }
                    _ => open(self, path),
                }
            }
            Pattern::Path(written) if written.last() == "None" => match &value.kind {
                Kind::Nothing => known(self, true, path),
                Kind::Unknown | Kind::Failure | Kind::Open { .. } => open(self, path),
                _ => known(self, false, path),
            },
            Pattern::Path(written) => match (self.path_value(written, span).kind, &value.kind) {
                (Kind::Number(one), Kind::Number(other)) => known(self, one == *other, path),
                (Kind::Variant(one, _), Kind::Variant(other, _)) => known(self, one == *other, path),
                (_, Kind::Nothing) => known(self, false, path),
                _ => open(self, path),
            },
            Pattern::Or(patterns) => {
                let mut all: Option<Path<'p>> = None;
                let mut rest = Some(path);
                for pattern in patterns {
                    let Some(path) = rest.take() else { break };
                    let fit = self.fit(pattern, value, path, span);
                    all = all.or(fit.yes);
                    rest = fit.no;
                }
                Fit { yes: all, no: rest }
            }
            Pattern::TupleStruct(name, parts) => match (name.last(), &value.kind) {
                ("Ok", Kind::Ok(inner)) | ("Err", Kind::Err(inner)) => {
                    let inner = Value { of_status: value.of_status || inner.of_status, ..(**inner).clone() };
                    self.fit_first(parts, &inner, value, path, span)
                }
                ("Ok", Kind::Err(_)) | ("Err", Kind::Ok(_) | Kind::Response) => known(self, false, path),
                ("Some", Kind::Nothing) => known(self, false, path),
                ("Err" | "Ok" | "Some", Kind::Unknown) if !parts.iter().all(is_sure) => {
                    let kind = if name.last() == "Err" { Kind::Failure } else { Kind::Unknown };
                    let inner = Value { kind, ..value.clone() };
                    let fit = self.fit_first(parts, &inner, value, path.clone(), span);
                    Fit { yes: fit.yes, no: Some(path) }
                }
                ("Some", Kind::Unknown | Kind::Open { .. }) => open(self, path),
                ("Some", Kind::Variant(of, fields)) if &**of == "Some" => {
                    let inner = fields[0].1.clone();
                    self.fit_first(parts, &inner, value, path, span)
                }
                ("Some" | "Ok" | "Break" | "Ready", kind) if !matches!(kind, Kind::Unknown | Kind::Content) => {
                    self.fit_first(parts, &value.clone(), value, path, span)
                }
                ("Status" | "StatusCode", Kind::Unknown | Kind::Failure) => {
                    if self.status < 400 {
                        return Fit { yes: None, no: Some(path) };
                    }
                    let mut with = path.clone();
                    with.in_hand.get_or_insert(span);
                    with.test(function, span);
                    let mut parts = parts.iter();
                    if let Some(status) = parts.next() {
                        let status_value = Value::status(self.status, span);
                        let fit = self.fit(status, &status_value, with, span);
                        let Some(yes) = fit.yes else { return Fit { yes: None, no: Some(path) } };
                        with = yes;
                    }
                    if let Some(response) = parts.next() {
                        with = self.bind(response, &Value::new(Kind::Response, span), with);
                    }
                    Fit { yes: Some(with), no: Some(path) }
                }
                (name, Kind::Variant(of, fields)) => {
                    if name != &**of {
                        return known(self, false, path);
                    }
                    let mut path = path;
                    if value.of_status {
                        path.test(function, span);
                    }
                    let (mut yes, mut no) = (path, None);
                    for (pattern, (_, field)) in parts.iter().zip(fields.iter()) {
                        let fit = self.fit(pattern, field, yes.clone(), span);
                        no = no.or(fit.no);
                        match fit.yes {
                            Some(path) => yes = path,
                            None => return Fit { yes: None, no },
                        }
                    }
                    Fit { yes: Some(yes), no }
                }
                _ => open(self, path),
            },
            Pattern::Struct(name, _) => match &value.kind {
                Kind::Variant(of, _) => known(self, name.last() == &**of, path),
                _ => open(self, path),
            },
            Pattern::Tuple(parts) | Pattern::Slice(parts) => {
                let Kind::List(values) = &value.kind else {
                    return if matches!(pattern, Pattern::Tuple(_)) && parts.iter().all(is_sure) {
                        Fit { yes: Some(self.bind(pattern, value, path)), no: None }
                    } else {
                        open(self, path)
                    };
                };
                if parts.len() != values.len() || parts.iter().any(|part| matches!(part, Pattern::Rest)) {
                    return open(self, path);
                }
                let (mut yes, mut no) = (path, None);
                for (part, value) in parts.iter().zip(values.iter()) {
                    let fit = self.fit(part, value, yes, span);
                    no = no.or(fit.no);
                    match fit.yes {
                        Some(path) => yes = path,
                        None => return Fit { yes: None, no },
                    }
                }
                Fit { yes: Some(yes), no }
            }
        }
    }

    /// Fits the first part of a wrapper's pattern with what is wrapped.
    fn fit_first(
        &mut self,
        parts: &'p [Pattern],
        inner: &Value<'p>,
        value: &Value<'p>,
        mut path: Path<'p>,
        span: Span,
    ) -> Fit<'p> {
        if value.of_status && matches!(value.kind, Kind::Ok(_) | Kind::Err(_)) {
            path.test(self.home().function, span);
        }
        match parts.first() {
            Some(part) => self.fit(part, inner, path, span),
            None => Fit { yes: Some(path), no: None },
        }
    }

    /// Binds the variables of a pattern, whether it fits or not.
    pub(super) fn bind(&mut self, pattern: &'p Pattern, value: &Value<'p>, mut path: Path<'p>) -> Path<'p> {
        match pattern {
            Pattern::Bind(local, inner) => {
                let home = self.home();
                let variable = &home.body.locals[local.0 as usize];
                let mut value = value.clone();
                if matches!(value.kind, Kind::Unknown) && is_error(variable) {
                    value.kind = Kind::Failure;
                }
                if matches!(value.kind, Kind::Unknown | Kind::Failure) && !value.of_status {
                    if names::is_hint(&variable.name) {
                        value.hint = true;
                    } else if is_status_name(&variable.name)
                        && variable
                            .ty
                            .as_ref()
                            .is_none_or(|ty| matches!(ty.last_segment(), Some("StatusCode" | "u16" | "u32" | "i32")))
                    {
                        path.guessed |= variable.ty.as_ref().is_none_or(|ty| ty.last_segment() != Some("StatusCode"));
                        if matches!(value.kind, Kind::Failure) {
                            path.doubt |= path.dropped.is_none();
                        } else {
                            path.in_hand.get_or_insert(value.span);
                        }
                        value = Value::status(self.status, value.span);
                    }
                }
                path.set(*local, value.clone());
                match inner {
                    Some(inner) => self.bind(inner, &value, path),
                    None => path,
                }
            }
            Pattern::TupleStruct(name, parts) => {
                let failed = name.last() == "Err" && matches!(value.kind, Kind::Unknown | Kind::Content);
                for (index, part) in parts.iter().enumerate() {
                    let inner = match &value.kind {
                        _ if failed => Value::new(Kind::Failure, value.span),
                        Kind::Ok(inner) | Kind::Err(inner) if index == 0 => (**inner).clone(),
                        Kind::Variant(_, fields) => {
                            fields.get(index).map_or_else(|| Value::unknown(value.span), |(_, field)| field.clone())
                        }
                        Kind::Content => Value::unknown(value.span),
                        _ if parts.len() == 1 => value.clone(),
                        _ => Value { hint: value.hint, ..Value::unknown(value.span) },
                    };
                    path = self.bind(part, &inner, path);
                }
                path
            }
            Pattern::Struct(_, fields) => {
                for (name, part) in fields {
                    let inner = self.field(value, name, value.span);
                    path = self.bind(part, &inner, path);
                }
                path
            }
            Pattern::Tuple(parts) | Pattern::Slice(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let inner = match &value.kind {
                        Kind::List(values) => values.get(index).cloned().unwrap_or_else(|| Value::unknown(value.span)),
                        _ => Value { hint: value.hint, ..Value::unknown(value.span) },
                    };
                    path = self.bind(part, &inner, path);
                }
                path
            }
            Pattern::Or(parts) => match parts.first() {
                Some(part) => self.bind(part, value, path),
                None => path,
            },
            Pattern::Reference(inner) => self.bind(inner, value, path),
            _ => path,
        }
    }

    /// What a field holds.
    pub(super) fn field(&self, base: &Value<'p>, name: &Name, span: Span) -> Value<'p> {
        match &base.kind {
            Kind::Variant(_, fields) => {
                if let Some((_, field)) = fields.iter().find(|(field, _)| field == name) {
                    return Value { span, ..field.clone() };
                }
            }
            Kind::List(values) => {
                if let Some(value) = name.parse::<usize>().ok().and_then(|index| values.get(index)) {
                    return Value { span, ..value.clone() };
                }
            }
            Kind::Failure if !base.of_status => return Value { span, ..base.clone() },
            Kind::Response | Kind::Unknown | Kind::Failure => {
                if is_status_name(name) && !matches!(base.kind, Kind::Unknown) {
                    return Value::status(self.status, span);
                }
                if &**name == "headers" && !matches!(base.kind, Kind::Failure) {
                    return Value { hint: base.hint, ..Value::new(Kind::Headers, span) };
                }
            }
            _ => {}
        }
        Value { hint: base.hint || names::is_hint(name), ..Value::unknown(span) }
    }
}

/// Whether a pattern fits anything.
fn is_sure(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Wild | Pattern::Rest | Pattern::Bind(_, None))
}

/// Whether a variable holds an error, by its type or else by its name.
fn is_error(variable: &crate::ir::Local) -> bool {
    match variable.ty.as_ref().and_then(|ty| ty.last_segment()) {
        Some(ty) => ty.ends_with("Error"),
        None => {
            variable.ty.is_none()
                && (matches!(&*variable.name, "e" | "err" | "error")
                    || variable.name.ends_with("_err")
                    || variable.name.ends_with("_error"))
        }
    }
}

/// Whether a variable or field of this name holds a status.
pub(super) fn is_status_name(name: &str) -> bool {
    matches!(name, "status" | "status_code" | "http_status" | "response_status" | "resp_status" | "code_status")
}

/// The variant of `Result` or `Option` that a pattern asks for.
fn variant(pattern: &Pattern) -> Option<&str> {
    match pattern {
        Pattern::TupleStruct(path, _) | Pattern::Path(path) => {
            Some(path.last()).filter(|name| matches!(*name, "Ok" | "Err" | "Some" | "None"))
        }
        _ => None,
    }
}

/// Whether the pattern fits whatever is in its variant.
fn takes_all(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::TupleStruct(_, parts) => {
            parts.iter().all(|part| matches!(part, Pattern::Bind(_, None) | Pattern::Wild | Pattern::Rest))
        }
        _ => false,
    }
}
