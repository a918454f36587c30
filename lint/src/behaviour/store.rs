//! Stores: assignments to variables, fields and what locks and references lead to.

use super::evaluate::Evaluator;
use super::log::SinkKind;
use super::shape::root_local;
use super::trail::{Event, Trail};
use super::value::{Kind, Origin, OriginStep, Value};
use crate::ir::{Body, ExprId, Name, Op, Span};
use std::rc::Rc;

impl Evaluator<'_, '_> {
    /// A struct or variant is made with the value in a field of it.
    pub fn made_of(&mut self, name: &Name, field: &Name, value: &Value) {
        if value.is_tainted() {
            self.log.stored(self.case, name, field, value);
        } else if self.is_emission() && value.is_unknown() {
            self.log.made.push(((name.clone(), field.clone()), value.clone()));
        }
    }

    /// `place = value`
    pub fn store(&mut self, place: ExprId, value: Value, span: Span) -> Option<()> {
        let body = self.frame().body;
        let shape_context = self.world.context.clone();
        let value = if shape_context.is_some() { value.chosen(span, &shape_context) } else { value };
        match &body.expr(place).op {
            Op::Local(local) => {
                let slot = local.0 as usize;
                let value = match self.world.locals.get(slot).and_then(Option::as_ref) {
                    Some(before) => over(before, value, span),
                    None => value,
                };
                self.world.locals[slot] = Some(value);
            }
            Op::Dereference(inner) | Op::Reference { value: inner, .. } => self.store_through(*inner, value, span)?,
            Op::Field { base, name } => {
                let base = *base;
                if let Some(local) = root_local(body, base)
                    && let Some(Some(current)) = self
                        .world
                        .locals
                        .get(local.0 as usize)
                        .cloned()
                        .as_ref()
                        .map(Option::as_ref)
                        .map(|v| v.cloned())
                {
                    let path = field_path(body, base);
                    if let Some(updated) = with_field(&current, &path, name, &value) {
                        self.world.locals[local.0 as usize] = Some(updated);
                        return Some(());
                    }
                }
                let base = self.eval(base, None)?;
                self.store_field(&base, name, value, span);
            }
            Op::Index { base, index } => {
                self.eval(*index, None)?;
                if value.is_tainted() {
                    let base = self.eval(*base, None)?;
                    self.store_field(&base, &"[]".into(), value, span);
                }
            }
            Op::Method { .. } | Op::Call { .. } => {
                let base = self.eval(place, None)?;
                self.store_field(&base, &"*".into(), value, span);
            }
            _ => {}
        }
        Some(())
    }

    /// `*place = value`: through a lock's guard or a reference, the place itself.
    fn store_through(&mut self, inner: ExprId, value: Value, span: Span) -> Option<()> {
        match &self.frame().body.expr(inner).op {
            Op::Local(local) => {
                let current = self.world.locals.get(local.0 as usize).cloned().flatten();
                if let Some(Value { kind: Kind::Unknown(origin), .. }) = &current {
                    let origin = origin.clone();
                    self.keep_field(origin, "*".into(), value.clone(), span);
                }
                self.world.locals[local.0 as usize] = Some(value);
                Some(())
            }
            _ => self.store(inner, value, span),
        }
    }

    fn store_field(&mut self, base: &Value, name: &Name, value: Value, span: Span) {
        for base in base.alternatives() {
            if let Kind::Unknown(origin) = &base.kind {
                self.keep_field(origin.clone(), name.clone(), value.clone(), span);
            }
        }
    }

    /// Remembers what an unknown thing's field holds from now on.
    pub fn keep_field(&mut self, origin: Rc<Origin>, name: Name, value: Value, span: Span) {
        let known = self.world.shared.fields.iter().find(|(known, field, _)| *known == origin && *field == name);
        let value = match known {
            Some((_, _, before)) => over(before, value, span),
            None => value,
        };
        if !value.is_tainted() && matches!(value.kind, Kind::Instant(time) if time > 0) {
            self.log.own_waits.insert(span);
        }
        if value.is_tainted() {
            self.log.outcome(self.case, SinkKind::Stored, span, self.code(), &value, &self.world.context.clone());
        }
        if value.carries_hint() || value.is_tainted() {
            let field = origin.way().find(|_| &*name == "*").map_or_else(
                || Some((origin.clone(), name.clone())),
                |_| {
                    let mut part = Some(origin.clone());
                    while let Some(current) = part {
                        if let (OriginStep::Field(field), Some(base)) = (&current.step, &current.base) {
                            return Some((base.clone(), field.clone()));
                        }
                        part = current.base.clone();
                    }
                    None
                },
            );
            if let Some((owner, field)) = field
                && let Some(ty) = owner.ty.as_ref().and_then(|ty| self.local_type(ty))
            {
                let type_name = self.program.type_item(ty).name.clone();
                self.log.stored(self.case, &type_name, &field, &value);
            }
        }
        let fields = &mut self.world.shared.fields;
        match fields.iter().position(|(known, field, _)| *known == origin && *field == name) {
            Some(place) => fields[place].2 = value,
            None if fields.len() < 256 => fields.push((origin, name, value)),
            None => {}
        }
    }
}

/// A wait that takes the place of a hint which nobody has waited for: it remembers that.
fn over(before: &Value, after: Value, span: Span) -> Value {
    let hint = before.alternatives().iter().find(|value| value.trail.carries_hint() && value.nanoseconds().is_some());
    let is_wait = !matches!(after.kind, Kind::Unit | Kind::Bool(_) | Kind::Text(_) | Kind::Variant(_) | Kind::OneOf(_));
    match hint {
        Some(hint) if is_wait && !after.is_tainted() => {
            let trail = Trail::new(Event::Overwritten, span, &[], &[&hint.trail]);
            after.on(trail)
        }
        _ => after,
    }
}

/// The names of the fields between a variable and a place below it.
fn field_path(body: &Body, mut place: ExprId) -> Vec<Name> {
    let mut path = Vec::new();
    loop {
        match &body.expr(place).op {
            Op::Field { base, name } => {
                path.push(name.clone());
                place = *base;
            }
            Op::Dereference(value) | Op::Reference { value, .. } => place = *value,
            _ => break,
        }
    }
    path.reverse();
    path
}

/// A struct's value with one field, below a path of fields, changed. None where a step is no struct.
fn with_field(value: &Value, path: &[Name], field: &Name, new: &Value) -> Option<Value> {
    if let Kind::OneOf(values) = &value.kind {
        let changed: Vec<Option<Value>> = values.iter().map(|value| with_field(value, path, field, new)).collect();
        if changed.iter().all(Option::is_none) {
            return None;
        }
        let values = changed.into_iter().zip(values.iter()).map(|(changed, value)| changed.unwrap_or(value.clone()));
        return Some(Value { kind: Kind::OneOf(values.collect()), ..value.clone() });
    }
    let Kind::Variant(variant) = &value.kind else { return None };
    let mut variant = (**variant).clone();
    let target = path.first().unwrap_or(field);
    let position = variant.fields.iter().position(|(name, _)| name == target);
    let replacement = match path {
        [] => new.clone(),
        [_, rest @ ..] => with_field(&variant.fields.get(position?)?.1, rest, field, new)?,
    };
    match position {
        Some(position) => variant.fields[position].1 = replacement,
        None => variant.fields.push((target.clone(), replacement)),
    }
    Some(Value { kind: Kind::Variant(Rc::new(variant)), ..value.clone() })
}
