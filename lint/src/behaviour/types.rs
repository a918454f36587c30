//! Types: what a type parameter stands for in a call, and what a number is that was parsed without a type beside it.
//!
//! Rust infers both from what comes later. Here the first case is run with a whole number for such a text; where the number then meets a
//! parameter, a field, a result or a function whose type is known, that type is remembered for the place, and the cases after it are run with it.

use super::evaluate::Evaluator;
use super::trail::Event;
use super::value::{Kind, Origin, TypeAt, Value};
use crate::ir::{Function, Name, Owner, Span, Type, is_number_type};
use std::rc::Rc;

/// How deep a type is looked into.
const DEPTH: usize = 6;

impl Evaluator<'_, '_> {
    /// What the function's type parameters stand for in a call with these types in its turbofish, whose surroundings ask for `want`.
    pub fn type_parameters(
        &self,
        function: &Function,
        turbofish: &[Type],
        want: Option<&TypeAt>,
    ) -> Vec<(Name, TypeAt)> {
        if function.generics.is_empty() {
            return Vec::new();
        }
        let of_impl = |name: &Name| match &function.owner {
            Owner::Inherent(ty) => mentions(ty, name, 0),
            Owner::TraitImpl { of, ty } => mentions(of, name, 0) || mentions(ty, name, 0),
            _ => false,
        };
        let own = function.generics.iter().map(|(name, _)| name).filter(|name| !of_impl(name));
        let mut known: Vec<(Name, TypeAt)> = own
            .zip(turbofish)
            .filter(|(_, ty)| !matches!(ty, Type::Other))
            .map(|(name, ty)| (name.clone(), self.type_here(ty)))
            .collect();
        if let (Some(output), Some(want)) = (&function.output, want) {
            unify(output, want, function, &mut known, 0);
        }
        known
    }

    /// The type as it is written in the running function, with its type parameters replaced.
    pub fn type_here(&self, ty: &Type) -> TypeAt {
        let frame = self.frame();
        // A parameter by itself is what the caller wrote, in the caller's own words.
        put(TypeAt { ty: ty.clone(), scope: frame.scope, self_type: frame.self_type.clone() }, &frame.parameters)
    }

    /// The value where this type is written for it: an unknown one is of that type, and a number that was parsed without one is found to be.
    pub fn taken_as(&mut self, value: Value, ty: Option<TypeAt>) -> Value {
        let Some(ty) = ty else { return value };
        self.note_type(&value, &ty);
        match &value.kind {
            Kind::Unknown(origin) if origin.ty.is_none() => {
                let origin = Origin::new(origin.step.clone(), origin.base.clone(), Some(ty));
                value.map(Kind::Unknown(Rc::new(origin)))
            }
            _ => value,
        }
    }

    /// Remembers what the value comes to be used as, where it is a number that was parsed without a type beside it.
    pub fn note_type(&mut self, value: &Value, ty: &TypeAt) {
        if !self.log.untyped_parses.is_empty() {
            self.note_written(value, &ty.ty, 0);
        }
    }

    fn note_written(&mut self, value: &Value, ty: &Type, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match &value.kind {
            Kind::OneOf(values) => {
                for value in values.clone().iter() {
                    self.note_written(value, ty, depth + 1);
                }
            }
            Kind::Integer(_) => {
                if let Some(name) = ty.last_segment() {
                    self.note_number(value, name);
                }
            }
            Kind::Variant(_) if matches!(value.variant_name(), Some("Some" | "Ok")) => {
                if let (Some("Option" | "Result" | "Poll"), Some(inner)) = (ty.last_segment(), ty.arguments().first())
                    && let Some(payload) = value.payload()
                {
                    self.note_written(&payload.clone(), inner, depth + 1);
                }
            }
            Kind::Tuple(values) => {
                if let Type::Tuple(types) = ty.peeled() {
                    for (value, ty) in values.clone().iter().zip(types.iter()) {
                        self.note_written(value, ty, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Remembers that the number is of this type, where it was parsed without one.
    pub fn note_number(&mut self, number: &Value, ty: &str) {
        if self.log.untyped_parses.is_empty() || !is_number_type(ty) || !matches!(number.kind, Kind::Integer(_)) {
            return;
        }
        let parses = &self.log.untyped_parses;
        let parsed = number
            .trail
            .find(false, |node| node.event == Event::ParsedNumber)
            .map(|node| node.span)
            .filter(|span| parses.contains(span));
        if let Some(span) = parsed {
            self.log.parsed_types.entry(span).or_insert_with(|| ty.into());
        }
    }

    /// What a text without a type beside it is parsed into at this place, as far as a case before this one has told.
    pub fn parsed_type(&mut self, span: Span) -> Option<Name> {
        let known = self.log.parsed_types.get(&span).cloned();
        if known.is_none() {
            self.log.untyped_parses.insert(span);
        }
        known
    }
}

/// The type, with the type parameters in it replaced.
pub(super) fn put(ty: TypeAt, known: &[(Name, TypeAt)]) -> TypeAt {
    match parameter(&ty.ty, known) {
        _ if known.is_empty() => ty,
        Some(known) => known.clone(),
        None => TypeAt { ty: replaced(&ty.ty, known, 0), ..ty },
    }
}

/// What the type is bound to, where it is a type parameter and nothing more.
fn parameter<'k>(ty: &Type, known: &'k [(Name, TypeAt)]) -> Option<&'k TypeAt> {
    match ty.peeled() {
        Type::Path { path, arguments } if path.len() == 1 && arguments.is_empty() => {
            known.iter().find(|(name, _)| *name == path[0]).map(|(_, ty)| ty)
        }
        _ => None,
    }
}

/// The type with type parameters replaced.
fn replaced(ty: &Type, known: &[(Name, TypeAt)], depth: usize) -> Type {
    if depth > DEPTH {
        return ty.clone();
    }
    if let Some(known) = parameter(ty, known) {
        return known.ty.clone();
    }
    let all = |types: &[Type]| types.iter().map(|ty| replaced(ty, known, depth + 1)).collect();
    match ty {
        Type::Path { path, arguments } if !arguments.is_empty() => {
            Type::Path { path: path.clone(), arguments: all(arguments) }
        }
        Type::Tuple(types) => Type::Tuple(all(types)),
        Type::Slice(inner) => Type::Slice(replaced(inner, known, depth + 1).into()),
        Type::Reference(inner) => Type::Reference(replaced(inner, known, depth + 1).into()),
        Type::MutableReference(inner) => Type::MutableReference(replaced(inner, known, depth + 1).into()),
        other => other.clone(),
    }
}

/// Learns from a result's type and what is asked for what the type parameters in it stand for.
fn unify(written: &Type, want: &TypeAt, function: &Function, known: &mut Vec<(Name, TypeAt)>, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let inner = |ty: &Type| TypeAt { ty: ty.clone(), ..want.clone() };
    match (written.peeled(), want.ty.peeled()) {
        (_, Type::Other) => {}
        (Type::Path { path, arguments }, _)
            if path.len() == 1
                && arguments.is_empty()
                && function.generics.iter().any(|(generic, _)| *generic == path[0])
                && !known.iter().any(|(name, _)| *name == path[0]) =>
        {
            known.push((path[0].clone(), want.clone()));
        }
        (Type::Path { path, arguments }, Type::Path { path: other, arguments: others })
            if path.last() == other.last() =>
        {
            for (written, want) in arguments.iter().zip(others.iter()) {
                unify(written, &inner(want), function, known, depth + 1);
            }
        }
        (Type::Tuple(types), Type::Tuple(others)) => {
            for (written, want) in types.iter().zip(others.iter()) {
                unify(written, &inner(want), function, known, depth + 1);
            }
        }
        (Type::Slice(written), Type::Slice(want)) => unify(written, &inner(want), function, known, depth + 1),
        _ => {}
    }
}

/// Whether the name stands somewhere in the type.
fn mentions(ty: &Type, name: &Name, depth: usize) -> bool {
    depth <= DEPTH
        && match ty.peeled() {
            Type::Path { path, arguments } => {
                (path.len() == 1 && path[0] == *name) || arguments.iter().any(|ty| mentions(ty, name, depth + 1))
            }
            Type::Tuple(types) | Type::Bounds(types) => types.iter().any(|ty| mentions(ty, name, depth + 1)),
            Type::Slice(inner) => mentions(inner, name, depth + 1),
            _ => false,
        }
}
