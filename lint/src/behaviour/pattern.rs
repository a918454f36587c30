//! Patterns and parts: which values fit a pattern, what it binds, and what a part of an unknown value is.

use super::evaluate::{Evaluator, inherit, inner_type, step};
use super::read::HeaderName;
use super::trail::{Event, Trail};
use super::value::{Kind, Origin, OriginStep, TypeAt, Value, Variant};
use crate::ir::{Literal, Name, Path, Pattern, Span, Type, TypeId, TypeKind};
use crate::module::Resolved;
use crate::names;
use std::rc::Rc;

/// Whether a value fits a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    Maybe,
}

impl Fit {
    fn and(self, other: Fit) -> Fit {
        match (self, other) {
            (Fit::No, _) | (_, Fit::No) => Fit::No,
            (Fit::Yes, Fit::Yes) => Fit::Yes,
            _ => Fit::Maybe,
        }
    }
}

impl<'p> Evaluator<'p, '_> {
    /// The alternatives that fit the pattern, and those that do not; what may do either is in both. Their trails say why.
    pub fn split(&mut self, pattern: &'p Pattern, value: &Value, span: Span) -> (Vec<Value>, Vec<Value>) {
        let mut fits = Vec::new();
        let mut misses = Vec::new();
        for value in value.alternatives() {
            let mut reason = Trail::NONE;
            let fit = self.fit(pattern, value, span, &mut reason);
            let value = if reason.is_some() && !value.trail.same(&reason) {
                Value { trail: value.trail.both(&reason), ..value.clone() }
            } else {
                value.clone()
            };
            if fit != Fit::No {
                fits.push(value.clone());
            }
            if fit != Fit::Yes {
                misses.push(value);
            }
        }
        (fits, misses)
    }

    /// `reason` gathers the trails of what was looked at.
    fn fit(&mut self, pattern: &'p Pattern, value: &Value, span: Span, reason: &mut Trail) -> Fit {
        if let Kind::OneOf(values) = &value.kind {
            let fits: Vec<Fit> = values.clone().iter().map(|value| self.fit(pattern, value, span, reason)).collect();
            return if fits.iter().all(|fit| *fit == Fit::Yes) {
                Fit::Yes
            } else if fits.iter().all(|fit| *fit == Fit::No) {
                Fit::No
            } else {
                Fit::Maybe
            };
        }
        match pattern {
            Pattern::Wild | Pattern::Rest | Pattern::Bind(_, None) => Fit::Yes,
            Pattern::Bind(_, Some(inner)) | Pattern::Reference(inner) => self.fit(inner, value, span, reason),
            Pattern::Or(patterns) => {
                let mut best = Fit::No;
                for pattern in patterns {
                    match self.fit(pattern, value, span, reason) {
                        Fit::Yes => return Fit::Yes,
                        Fit::Maybe => best = Fit::Maybe,
                        Fit::No => {}
                    }
                }
                best
            }
            Pattern::Literal(literal) => {
                let literal = literal_kind(literal);
                self.fit_value(&literal, value, span, reason)
            }
            Pattern::Path(path) => self.fit_path(path, value, span, reason),
            Pattern::TupleStruct(path, patterns) => self.fit_variant(
                path,
                value,
                span,
                reason,
                |index| (index.to_string().into(), patterns.get(index)),
                patterns.len(),
            ),
            Pattern::Struct(path, fields) => self.fit_variant(
                path,
                value,
                span,
                reason,
                |index| {
                    fields.get(index).map_or_else(|| ("".into(), None), |(name, pattern)| (name.clone(), Some(pattern)))
                },
                fields.len(),
            ),
            Pattern::Tuple(patterns) => match &value.kind {
                Kind::Tuple(values) => {
                    let values = values.clone();
                    let mut fit = Fit::Yes;
                    for (pattern, value) in aligned(patterns, &values) {
                        fit = fit.and(self.fit(pattern, value, span, reason));
                    }
                    fit
                }
                _ if patterns
                    .iter()
                    .all(|pattern| matches!(pattern, Pattern::Wild | Pattern::Rest | Pattern::Bind(_, None))) =>
                {
                    Fit::Yes
                }
                _ => Fit::Maybe,
            },
            Pattern::Slice(patterns) => match &value.kind {
                Kind::List(values) => {
                    let rest =
                        patterns.iter().any(|pattern| matches!(pattern, Pattern::Rest | Pattern::Bind(_, Some(_))));
                    *reason = reason.both(&value.trail);
                    if values.len() == patterns.len() || (rest && values.len() + 1 >= patterns.len()) {
                        Fit::Yes
                    } else {
                        Fit::No
                    }
                }
                _ => Fit::Maybe,
            },
            Pattern::Range { from, to, inclusive } => {
                let Some(number) = number_of(value) else { return Fit::Maybe };
                let event = if is_text_part(value) { Event::NotNumber } else { Event::Compared };
                *reason = reason.both(&step(
                    event,
                    self.iterations.last().copied().filter(|_| event == Event::NotNumber).unwrap_or(span),
                    &value.trail,
                ));
                let mut fit = Fit::Yes;
                for (end, is_upper) in [(from, false), (to, true)] {
                    let Some(end) = end else { continue };
                    let bound = match &**end {
                        Pattern::Literal(literal) => number_of(&Value::plain(literal_kind(literal), span)),
                        Pattern::Path(path) => number_of(&self.path_value(path, span, None)),
                        _ => None,
                    };
                    let Some(bound) = bound else {
                        let big = self.case.is_long();
                        if value.trail.carries_hint() && is_upper && big {
                            return Fit::No;
                        }
                        fit = fit.and(if value.trail.carries_hint() { Fit::Yes } else { Fit::Maybe });
                        continue;
                    };
                    let inside = if !is_upper {
                        number >= bound
                    } else if *inclusive {
                        number <= bound
                    } else {
                        number < bound
                    };
                    fit = fit.and(if inside { Fit::Yes } else { Fit::No });
                }
                fit
            }
        }
    }

    fn fit_value(&mut self, wanted: &Kind, value: &Value, span: Span, reason: &mut Trail) -> Fit {
        if let (Kind::Text(text), Kind::Unknown(origin)) = (wanted, &value.kind)
            && names::is_header_or_vendor(text)
        {
            let vendor = (!names::is_header(text)).then(|| Name::from(&**text));
            let source = self.log.header(&HeaderName { at: span, vendor }, self.code(), None);
            let is = self.is_header(origin.clone(), source, span);
            *reason = reason.both(&is.trail);
            return if matches!(is.kind, Kind::Bool(true)) { Fit::Yes } else { Fit::No };
        }
        let fit = match (wanted, &value.kind) {
            (Kind::Bool(a), Kind::Bool(b)) => known(a == b),
            (Kind::Text(a), Kind::Text(b)) => known(a == b),
            (Kind::Character(a), Kind::Character(b)) => known(a == b),
            (Kind::Integer(a), Kind::Integer(b)) => known(a == b),
            (Kind::Integer(a), Kind::Hint(b)) => known(*a == b / super::case::SECOND),
            (Kind::Float(a), Kind::Float(b)) => known(a == b),
            (Kind::Duration(a), Kind::Duration(b)) => known(a == b),
            _ => Fit::Maybe,
        };
        let event = match (wanted, fit) {
            (Kind::Bool(_), _) | (_, Fit::Maybe) => None,
            (Kind::Integer(0) | Kind::Duration(0), _) => Some(Event::ComparedWithZero),
            (Kind::Text(_) | Kind::Character(_), _) => Some(Event::Tested),
            _ => Some(Event::Compared),
        };
        if value.trail.is_some() {
            *reason = reason.both(&event.map_or_else(|| value.trail.clone(), |event| step(event, span, &value.trail)));
        }
        fit
    }

    fn fit_path(&mut self, path: &'p Path, value: &Value, span: Span, reason: &mut Trail) -> Fit {
        if let Kind::Variant(variant) = &value.kind {
            *reason = reason.both(&value.trail);
            return known(same_variant(&variant.name, path.last()));
        }
        let constant = self.path_value(path, span, None);
        match &constant.kind {
            Kind::Unknown(_) | Kind::Function(_) => {}
            Kind::Variant(variant) if matches!(&*variant.name, "None") && !value.is_unknown() => return Fit::No,
            kind => return self.fit_value(&kind.clone(), value, span, reason),
        }
        *reason = reason.both(&value.trail);
        Fit::Maybe
    }

    fn fit_variant(
        &mut self,
        path: &Path,
        value: &Value,
        span: Span,
        reason: &mut Trail,
        part: impl Fn(usize) -> (Name, Option<&'p Pattern>),
        count: usize,
    ) -> Fit {
        match &value.kind {
            Kind::Variant(variant) => {
                // Which variant there is was decided by what is in it, where nothing else is known.
                *reason = reason.both(&if value.trail.is_some() || variant.ty.is_none() {
                    value.trail.clone()
                } else {
                    super::call::flat_trail(value)
                });
                if !same_variant(&variant.name, path.last()) && !self.names_type_of(path, variant) {
                    return Fit::No;
                }
                let variant = variant.clone();
                let mut fit = Fit::Yes;
                for index in 0..count {
                    let (name, Some(pattern)) = part(index) else { continue };
                    if matches!(pattern, Pattern::Rest) {
                        break;
                    }
                    let field = variant
                        .fields
                        .iter()
                        .find(|(known, _)| *known == name)
                        .map(|(_, value)| inherit(value.clone(), value));
                    let field = match field {
                        Some(field) => field,
                        None => continue,
                    };
                    fit = fit.and(self.fit(pattern, &field, span, reason));
                }
                fit
            }
            // A value that is not wrapped where the code expects a wrapper: our guess of its shape was wrong.
            Kind::Unknown(_) | Kind::Maybe => Fit::Maybe,
            _ => {
                *reason = reason.both(&value.trail);
                match path.last() {
                    "Some" | "Ok" => match part(0).1 {
                        Some(pattern) => self.fit(pattern, value, span, reason),
                        None => Fit::Yes,
                    },
                    "None" | "Err" => Fit::No,
                    _ => Fit::Maybe,
                }
            }
        }
    }

    /// Whether the path is the struct type itself, under a renaming `use` or as `Self`.
    fn names_type_of(&self, path: &Path, variant: &Variant) -> bool {
        let Some(ty) = variant.ty else { return false };
        let frame = self.frame();
        matches!(self.program.resolve(frame.scope, frame.self_type.as_ref(), path), Resolved::Type(other) if other == ty)
    }

    /// Binds the variables of a pattern. Alternatives that do not fit bind nothing.
    pub fn bind(&mut self, pattern: &'p Pattern, value: &Value, span: Span) {
        match pattern {
            Pattern::Wild | Pattern::Rest | Pattern::Literal(_) | Pattern::Path(_) | Pattern::Range { .. } => {}
            Pattern::Reference(inner) => self.bind(inner, value, span),
            Pattern::Bind(local, inner) => {
                let mut value = value.clone();
                if let Some(inner) = inner {
                    let (fits, _) = self.split(inner, &value, span);
                    self.bind(inner, &value, span);
                    value = Value::one_of(fits, span);
                }
                let declared = &self.frame().body.locals[local.0 as usize];
                let name = declared.name.clone();
                if let Kind::Unknown(origin) = &value.kind {
                    let ty = origin.ty.clone().or_else(|| declared.ty.as_ref().map(|ty| self.type_here(ty)));
                    let renamed_to_hint = names::is_hint(&name)
                        && value.trail.0.is_none()
                        && origin.name().is_some_and(|known| !names::is_hint(known));
                    if (origin.name().is_none() || renamed_to_hint) && !self.is_in_header(origin) {
                        // A name is all that is known of it from now on; where it comes from stays its identity.
                        let named = Origin::new(OriginStep::Field(name), Some(origin.clone()), ty);
                        value = if value.trail.is_some() {
                            value.map(Kind::Unknown(Rc::new(named)))
                        } else {
                            self.named_unknown(named, span)
                        };
                    }
                }
                self.world.locals[local.0 as usize] = Some(value);
            }
            Pattern::Or(patterns) => {
                let mut rest = value.alternatives().to_vec();
                for pattern in patterns {
                    let value = Value { kind: Kind::OneOf(rest.clone().into()), trail: Trail::NONE, at: value.at };
                    let (fits, misses) = self.split(pattern, &value, span);
                    if !fits.is_empty() {
                        let value = Value::one_of(fits, span);
                        self.bind(pattern, &value, span);
                    }
                    rest = misses;
                    if rest.is_empty() {
                        break;
                    }
                }
            }
            Pattern::Tuple(patterns) => {
                let rest = patterns.iter().position(|pattern| matches!(pattern, Pattern::Rest));
                for (index, pattern) in patterns.iter().enumerate() {
                    let mut values = Vec::new();
                    for value in value.alternatives() {
                        match &value.kind {
                            Kind::Tuple(parts) => {
                                let from_end = rest.is_some_and(|rest| index > rest);
                                let place = if from_end {
                                    (parts.len() + index).checked_sub(patterns.len())
                                } else {
                                    Some(index)
                                };
                                values.extend(place.and_then(|place| parts.get(place)).cloned());
                            }
                            _ => values.push(self.part(value, OriginStep::Field(index.to_string().into()), None, span)),
                        }
                    }
                    if !values.is_empty() {
                        let value = Value::one_of(values, span);
                        self.bind(pattern, &value, span);
                    }
                }
            }
            Pattern::Slice(patterns) => {
                for (index, pattern) in patterns.iter().enumerate() {
                    let mut values = Vec::new();
                    for value in value.alternatives() {
                        match &value.kind {
                            Kind::List(parts) => values.extend(parts.get(index).cloned()),
                            _ => values.push(self.part(value, OriginStep::Inner, None, span)),
                        }
                    }
                    if !values.is_empty() {
                        let value = Value::one_of(values, span);
                        self.bind(pattern, &value, span);
                    }
                }
            }
            Pattern::TupleStruct(path, patterns) => {
                let rest =
                    patterns.iter().position(|pattern| matches!(pattern, Pattern::Rest)).unwrap_or(patterns.len());
                for (index, pattern) in patterns.iter().enumerate().take(rest) {
                    self.bind_field(path, &index.to_string().into(), pattern, value, span);
                }
            }
            Pattern::Struct(path, fields) => {
                for (name, pattern) in fields {
                    self.bind_field(path, name, pattern, value, span);
                }
            }
        }
    }

    fn bind_field(&mut self, path: &'p Path, name: &Name, pattern: &'p Pattern, value: &Value, span: Span) {
        let mut values = Vec::new();
        for value in value.alternatives() {
            match &value.kind {
                Kind::Variant(variant) => {
                    if (same_variant(&variant.name, path.last()) || self.names_type_of(path, variant))
                        && let Some((_, field)) = variant.fields.iter().find(|(known, _)| known == name)
                    {
                        values.push(inherit(field.clone(), value));
                    }
                }
                Kind::Unknown(origin) => {
                    let wrapper = matches!(path.last(), "Some" | "Ok" | "Err");
                    let (step, ty) = if wrapper {
                        let ty =
                            origin.ty.as_ref().and_then(|ty| if path.last() == "Err" { None } else { inner_type(ty) });
                        (OriginStep::Inner, ty)
                    } else {
                        (OriginStep::Field(name.clone()), self.variant_field_type(path, name))
                    };
                    if let Some(stored) = (!wrapper).then(|| self.slot(path.last(), name)).flatten() {
                        values.push(stored);
                        continue;
                    }
                    let part = self.part(value, step, ty, span);
                    if !wrapper && self.is_emission() {
                        self.log.asks_slot(&part, path.last(), name);
                    }
                    values.push(inherit(part, value));
                }
                _ if matches!(path.last(), "Some" | "Ok") => values.push(value.clone()),
                _ => values.push(Value::unknown(span)),
            }
        }
        if !values.is_empty() {
            let value = Value::one_of(values, span);
            self.bind(pattern, &value, span);
        }
    }

    fn variant_field_type(&self, path: &Path, field: &str) -> Option<TypeAt> {
        let frame = self.frame();
        match self.program.resolve(frame.scope, frame.self_type.as_ref(), path) {
            Resolved::Variant(ty, _) => self.field_type(ty, Some(path.last()), field),
            Resolved::Type(ty) => self.field_type(ty, None, field),
            _ => None,
        }
    }

    /// The declared type of a field of a local struct, or of a variant of a local enum.
    pub fn field_type(&self, ty: TypeId, variant: Option<&str>, field: &str) -> Option<TypeAt> {
        let item = self.program.type_item(ty);
        let fields = match &item.kind {
            TypeKind::Struct(fields) => fields,
            TypeKind::Enum(variants) => &variants.iter().find(|known| Some(&*known.name) == variant)?.fields,
            _ => return None,
        };
        let field = fields.iter().find(|known| &*known.name == field)?;
        let self_type = Type::Path { path: [item.name.clone()].into(), arguments: [].into() };
        Some(TypeAt { ty: field.ty.clone(), scope: item.scope, self_type: Some(self_type) })
    }

    /// The local type that a type means, below references, smart pointers and locks.
    pub fn local_type(&self, ty: &TypeAt) -> Option<TypeId> {
        match self.program.resolve_type(ty.scope, ty.self_type.as_ref(), ty.ty.peeled()) {
            Resolved::Type(id) => Some(id),
            _ => None,
        }
    }

    /// What a field holds that was made with a hint in it elsewhere.
    fn slot(&mut self, owner: &str, field: &str) -> Option<Value> {
        let cases = self.log.known_slots.get(&(owner.into(), field.into()))?;
        self.log.met.0 += 1;
        let at = self.here();
        Some(cases.get(&self.case).map_or_else(|| Value::unknown(at), |values| Value::one_of(values.clone(), at)))
    }

    /// `base.name`
    pub fn field(&mut self, base: &Value, name: &Name, span: Span) -> Value {
        let results: Vec<Value> = base
            .alternatives()
            .to_vec()
            .iter()
            .map(|base| match &base.kind {
                Kind::Variant(variant) => match variant.fields.iter().find(|(known, _)| known == name) {
                    Some((_, value)) => inherit(value.clone(), base),
                    // Through a smart pointer or wrapper.
                    None if variant.fields.len() == 1 && matches!(&*variant.name, "Some" | "Ok") => {
                        self.field(&variant.fields[0].1.clone(), name, span)
                    }
                    None => Value::unknown(span),
                },
                Kind::Tuple(values) => name
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| values.get(index).cloned())
                    .unwrap_or_else(|| Value::unknown(span)),
                Kind::Unknown(origin) => {
                    if let Some((_, _, value)) =
                        self.world.shared.fields.iter().find(|(known, field, _)| known == origin && field == name)
                    {
                        return value.clone();
                    }
                    let local = origin.ty.as_ref().and_then(|ty| self.local_type(ty));
                    if let Some(stored) = local
                        .map(|local| self.program.type_item(local).name.clone())
                        .and_then(|owner| self.slot(&owner, name))
                    {
                        return stored;
                    }
                    let ty = local.and_then(|ty| self.field_type(ty, None, name));
                    let part = self.part(base, OriginStep::Field(name.clone()), ty, span);
                    if let Some(local) = local.filter(|_| self.is_emission()) {
                        self.log.asks_slot(&part, &self.program.type_item(local).name, name);
                    }
                    inherit(part, base)
                }
                // The only field of a newtype that was made by a function we did not look into.
                _ if &**name == "0" => base.clone(),
                _ => Value { trail: base.trail.clone(), ..Value::unknown(span) },
            })
            .collect();
        Value::one_of(results, span)
    }

    /// `base[index]`
    pub fn index(&mut self, base: &Value, index: &Value, span: Span) -> Value {
        if let Some(name) = self.header_name(index) {
            return match self.read(&name, span) {
                Some(value) => value,
                None => Value::unknown(span),
            };
        }
        self.each(base, |this, base| match (&base.kind, &index.kind) {
            (Kind::List(values), Kind::Integer(place)) => usize::try_from(*place)
                .ok()
                .and_then(|place| values.get(place).cloned())
                .unwrap_or_else(|| Value::unknown(span)),
            (Kind::Text(text), Kind::Integer(place)) => {
                match usize::try_from(*place).ok().and_then(|place| text.as_bytes().get(place)) {
                    Some(byte) => base.map(Kind::Integer(i128::from(*byte))),
                    None => Value { trail: base.trail.clone(), ..Value::unknown(span) },
                }
            }
            (Kind::Text(text), Kind::Variant(range)) => {
                let end = |name: &str| {
                    range.fields.iter().find(|(known, _)| &**known == name).map(|(_, value)| {
                        if let Kind::Integer(place) = value.kind { usize::try_from(place).ok() } else { None }
                    })
                };
                let from = end("from").unwrap_or(Some(0));
                let to = end("to")
                    .map_or(Some(text.len()), |to| to.map(|to| to + usize::from(&*range.name == "RangeInclusive")));
                match (from, to) {
                    (Some(from), Some(to)) => match text.get(from..to) {
                        Some(part) => base.map(Kind::Text(part.into())),
                        None => Value { trail: base.trail.clone(), ..Value::unknown(span) },
                    },
                    _ => base.clone(),
                }
            }
            (Kind::Text(_), _) => base.clone(),
            (Kind::Unknown(_), _) => this.part(base, OriginStep::Inner, None, span),
            _ => Value { trail: base.trail.clone(), ..Value::unknown(span) },
        })
    }

    /// A part of a value that is not known.
    pub fn part(&mut self, base: &Value, step: OriginStep, ty: Option<TypeAt>, span: Span) -> Value {
        match &base.kind {
            Kind::Unknown(origin) => {
                if let OriginStep::Field(name) = &step
                    && let Some((_, _, value)) =
                        self.world.shared.fields.iter().find(|(known, field, _)| known == origin && field == name)
                {
                    return value.clone();
                }
                let part = Origin::new(step, Some(origin.clone()), ty);
                self.named_unknown(part, span)
            }
            Kind::OneOf(values) => {
                let parts: Vec<Value> =
                    values.clone().iter().map(|value| self.part(value, step.clone(), ty.clone(), span)).collect();
                Value::one_of(parts, span)
            }
            _ => Value { trail: base.trail.clone(), ..Value::unknown(span) },
        }
    }

    /// An unknown value, unless its name or what was found out before says more.
    pub fn named_unknown(&mut self, origin: Origin, span: Span) -> Value {
        let value = Value::from_origin(origin, span);
        self.settle(value, span)
    }

    /// An unknown value that turns out to be the header's value, or a hint by its name.
    pub fn settle(&mut self, value: Value, span: Span) -> Value {
        let Kind::Unknown(origin) = &value.kind else { return value };
        if value.trail.is_some() {
            return value;
        }
        if self.is_emission() {
            let origin = origin.clone();
            return self.named_wait(&origin, span).unwrap_or(value);
        }
        if let Some((_, named_at)) = self.header_of(origin) {
            let source = self.log.source(named_at, self.code(), false, None);
            return self.text_of(source, named_at, span).unwrap_or(value);
        }
        let named = match &origin.step {
            OriginStep::Named(name) | OriginStep::Field(name) | OriginStep::Method(name, _) => {
                names::is_hint(name).then(|| name.clone())
            }
            OriginStep::Call(path, _) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                (names::is_hint(name) || names::reads_hint(name)).then(|| name.into())
            }
            _ => None,
        };
        match named {
            Some(name) => {
                let origin = origin.clone();
                self.named_hint(&name, &origin, span).unwrap_or(value)
            }
            None => value,
        }
    }

    /// The thing that turned out to be the header, if the unknown value is a part of it other than its name.
    fn header_of(&self, origin: &Origin) -> Option<(Rc<Origin>, Span)> {
        if self.world.shared.headers.is_empty() {
            return None;
        }
        let headers = &self.world.shared.headers;
        // The name itself was looked at; everything else below the same pair is its value.
        let is_name = origin.way().any(|part| {
            matches!(&part.step, OriginStep::Field(name) if &**name == "0")
                || matches!(&part.step, OriginStep::Method(name, _) if matches!(&**name, "name" | "key"))
                || matches!(&part.step, OriginStep::Field(name) if matches!(&**name, "name" | "key"))
        });
        if is_name {
            return None;
        }
        origin.way().skip(1).find_map(|part| headers.iter().find(|(header, _)| **header == *part)).cloned()
    }

    fn is_in_header(&self, origin: &Origin) -> bool {
        self.world.shared.headers.iter().any(|(header, _)| origin.way().any(|part| **header == *part))
    }

    /// What a place that is named like the hint holds in this case. None where its type says that it is something else.
    pub fn named_hint(&mut self, name: &Name, origin: &Rc<Origin>, span: Span) -> Option<Value> {
        let (is_option, leaf) = match &origin.ty {
            Some(ty) => {
                let outer = ty.ty.last_segment();
                let is_option = matches!(outer, Some("Option" | "Result"));
                let leaf = if is_option { ty.ty.arguments().first().and_then(Type::last_segment) } else { outer };
                (Some(is_option), leaf.map(str::to_owned))
            }
            None => (None, None),
        };
        let unit = names::unit_of(name);
        enum Shape {
            Duration,
            Integer,
            Float,
            Instant,
            Date,
            Any,
        }
        let shape = match leaf.as_deref() {
            Some("Duration" | "TimeDelta" | "SignedDuration" | "Span") => Shape::Duration,
            Some(
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize"
                | "NonZeroU64" | "NonZeroU32",
            ) => Shape::Integer,
            Some("f32" | "f64") => Shape::Float,
            Some("Instant") => Shape::Instant,
            Some("SystemTime" | "DateTime" | "OffsetDateTime" | "Timestamp" | "Zoned") => Shape::Date,
            None if origin.ty.is_none() || is_option == Some(true) => Shape::Any,
            _ => return None,
        };
        if self.is_emission() {
            return None;
        }
        let key = self.log.named_source(name, span, self.code());
        let trail = step(Event::Taken, span, &Trail::new(Event::Read(key), span, &[], &[]));
        let Some(seconds) = self.case.seconds().filter(|_| matches!(self.case, Case::Small | Case::Huge | Case::Zero))
        else {
            let absent = step(Event::Absent, span, &trail);
            return match (self.case, is_option) {
                (Case::Absent, Some(true) | None) => Some(Value::none(absent, span)),
                _ => None,
            };
        };
        let nanoseconds = seconds * super::case::SECOND;
        let kind = match shape {
            Shape::Duration => Kind::Duration(nanoseconds),
            Shape::Integer => Kind::Integer(nanoseconds / unit),
            Shape::Float => Kind::Float(nanoseconds as f64 / unit as f64),
            Shape::Instant => Kind::Instant(nanoseconds),
            Shape::Date => Kind::Date(nanoseconds + i128::from(super::case::NOW) * super::case::SECOND),
            Shape::Any => Kind::Hint(nanoseconds),
        };
        let value = Value { kind, trail, at: Some(span) };
        Some(if is_option == Some(true) { Value::some(value) } else { value })
    }
}

use super::case::Case;

fn known(truth: bool) -> Fit {
    if truth { Fit::Yes } else { Fit::No }
}

/// Our own guess of a wrapper may be Some where the code says Ok; a compiler would not let both meet.
fn same_variant(name: &str, wanted: &str) -> bool {
    name == wanted || matches!((name, wanted), ("Some", "Ok") | ("Ok", "Some") | ("None", "Err") | ("Err", "None"))
}

/// What a literal is, in an expression or a pattern.
pub fn literal_kind(literal: &Literal) -> Kind {
    match literal {
        Literal::Integer(number) => Kind::Integer(*number),
        Literal::Float(number) => Kind::Float(*number),
        Literal::Text(text) => Kind::Text(Rc::from(&**text)),
        Literal::Bytes(bytes) => std::str::from_utf8(bytes).map_or(Kind::NotText, |text| Kind::Text(Rc::from(text))),
        Literal::Byte(byte) => Kind::Integer(i128::from(*byte)),
        Literal::Character(character) => Kind::Character(*character),
        Literal::Bool(truth) => Kind::Bool(*truth),
    }
}

/// A number for comparisons: seconds for hints, characters by their code, floats to the nearest below.
pub fn number_of(value: &Value) -> Option<i128> {
    match value.kind {
        Kind::Integer(number) | Kind::Duration(number) | Kind::Instant(number) | Kind::Date(number) => Some(number),
        Kind::Hint(nanoseconds) => Some(nanoseconds / super::case::SECOND),
        Kind::Float(number) => Some(number as i128),
        Kind::Character(character) => Some(i128::from(u32::from(character))),
        _ => None,
    }
}

/// Whether a number or character is a piece of a header's text, which no parse has made a number of yet.
pub fn is_text_part(value: &Value) -> bool {
    value.trail.carries_hint()
        && value
            .trail
            .find(false, |node| matches!(node.event, Event::ParsedNumber | Event::ParsedDate | Event::Taken))
            .is_none()
        && matches!(value.kind, Kind::Character(_) | Kind::Integer(_))
}

/// Patterns of a tuple beside the values they meet, around a rest pattern.
fn aligned<'a, 'b>(patterns: &'a [Pattern], values: &'b [Value]) -> Vec<(&'a Pattern, &'b Value)> {
    match patterns.iter().position(|pattern| matches!(pattern, Pattern::Rest)) {
        None => patterns.iter().zip(values).collect(),
        Some(rest) => {
            let after = patterns.len() - rest - 1;
            let tail = values.len().saturating_sub(after);
            patterns[..rest].iter().zip(values).chain(patterns[rest + 1..].iter().zip(&values[tail..])).collect()
        }
    }
}
