//! Candidates: which code of the workspace a call can mean.

use super::super::evaluate::Evaluator;
use super::super::state::World;
use super::super::value::{Code, FunctionValue, Kind, Origin, OriginStep, TypeAt, Value};
use super::CANDIDATES;
use crate::ir::{FunctionId, Name, Owner, Path, Span, Type, TypeKind};
use crate::module::Resolved;
use crate::names;

impl Evaluator<'_, '_> {
    /// Runs each alternative on the same state, and joins the values and the states. None: none of them comes back.
    pub(super) fn on_each<T>(
        &mut self,
        alternatives: impl IntoIterator<Item = T>,
        span: Span,
        mut run: impl FnMut(&mut Self, T) -> Option<Value>,
    ) -> Option<Value> {
        let before = self.world.clone();
        let mut results = Vec::new();
        let mut worlds = Vec::new();
        let mut changes: Vec<Vec<Option<Value>>> = Vec::new();
        for alternative in alternatives {
            self.world = before.clone();
            self.changed_arguments = Vec::new();
            if let Some(result) = run(self, alternative) {
                results.push(result);
                worlds.push(self.world.clone());
                changes.push(std::mem::take(&mut self.changed_arguments));
            }
        }
        // An argument is afterwards what any of them made of it.
        let most = changes.iter().map(Vec::len).max().unwrap_or(0);
        self.changed_arguments = (0..most)
            .map(|index| {
                let ends: Option<Vec<Value>> =
                    changes.iter().map(|change| change.get(index).cloned().flatten()).collect();
                ends.map(|ends| Value::one_of(ends, span))
            })
            .collect();
        self.world = World::join(worlds, span)?;
        Some(Value::one_of(results, span))
    }

    pub(super) fn parameter_types(&self, function: &FunctionValue) -> Vec<TypeAt> {
        match &function.resolved {
            Resolved::Functions(ids) => ids.first().map_or_else(Vec::new, |id| {
                let function = self.program.function(*id);
                let self_type = function.owner.self_type().cloned();
                function
                    .parameters
                    .iter()
                    .map(|parameter| TypeAt {
                        ty: parameter.ty.clone().unwrap_or(Type::Other),
                        scope: function.scope,
                        self_type: self_type.clone(),
                    })
                    .collect()
            }),
            Resolved::Variant(ty, index) => match &self.program.type_item(*ty).kind {
                TypeKind::Enum(variants) => {
                    let scope = self.program.type_item(*ty).scope;
                    variants[*index]
                        .fields
                        .iter()
                        .map(|field| TypeAt { ty: field.ty.clone(), scope, self_type: None })
                        .collect()
                }
                _ => Vec::new(),
            },
            Resolved::Type(ty) => match &self.program.type_item(*ty).kind {
                TypeKind::Struct(fields) => {
                    let scope = self.program.type_item(*ty).scope;
                    fields.iter().map(|field| TypeAt { ty: field.ty.clone(), scope, self_type: None }).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The methods that a type has: of a local type, or of every implementation of the traits that bound it.
    pub(super) fn methods_of_type(&self, ty: &TypeAt, name: &str) -> Vec<FunctionId> {
        if let Some(local) = self.local_type(ty) {
            let item = self.program.type_item(local);
            if let TypeKind::Trait(_) = item.kind {
                return self.methods_of_trait(&item.name.clone(), name);
            }
            return self.program.methods_of(local, name);
        }
        let bounds: Vec<Type> = match ty.ty.peeled() {
            Type::Bounds(bounds) => bounds.to_vec(),
            Type::Path { path, .. } if path.len() == 1 => match self.frame().code {
                Code::Function(id) => self
                    .program
                    .function(id)
                    .generics
                    .iter()
                    .find(|(generic, _)| *generic == path[0])
                    .map_or_else(Vec::new, |(_, bounds)| bounds.clone()),
                Code::Constant(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        bounds.iter().filter_map(Type::last_segment).flat_map(|bound| self.methods_of_trait(bound, name)).collect()
    }

    fn methods_of_trait(&self, of: &str, name: &str) -> Vec<FunctionId> {
        let all = self.program.methods_named(name);
        let found: Vec<FunctionId> = all
            .iter()
            .copied()
            .filter(|id| {
                let function = self.program.function(*id);
                !function.is_test
                    && function.body.is_some()
                    && match &function.owner {
                        Owner::TraitImpl { of: known, .. } => known.last_segment() == Some(of),
                        Owner::Trait(known) => &**known == of,
                        _ => false,
                    }
            })
            .collect();
        if found.len() > CANDIDATES { Vec::new() } else { found }
    }

    /// Methods of the workspace that a call on a value of unknown type can mean: few, of a telling name.
    pub(super) fn methods_by_name(&self, name: &str, arguments: usize, receiver: &Value) -> Option<Vec<FunctionId>> {
        if names::is_common(name) {
            return None;
        }
        let foreign = match &receiver.kind {
            Kind::Unknown(origin) => self.foreign_type(origin),
            _ => None,
        };
        let package = self.program.scope(self.frame().scope).package;
        let matching: Vec<FunctionId> = self
            .program
            .methods_named(name)
            .iter()
            .copied()
            .filter(|id| {
                let function = self.program.function(*id);
                // A type of another crate has only the methods that this workspace's traits give it.
                let fits = match &foreign {
                    Some(foreign) => matches!(&function.owner, Owner::TraitImpl { ty, .. }
                        if foreign.as_ref().is_none_or(|foreign| ty.last_segment() == Some(&**foreign))),
                    None => true,
                };
                fits && function.has_receiver
                    && function.parameters.len() == arguments + 1
                    && function.body.is_some()
                    && !function.is_test
            })
            .collect();
        let near: Vec<FunctionId> = matching
            .iter()
            .copied()
            .filter(|id| self.program.scope(self.program.function(*id).scope).package == package)
            .collect();
        let chosen = if near.is_empty() { matching } else { near };
        let fits = matches!(
            receiver.kind,
            Kind::Unknown(_)
                | Kind::Text(_)
                | Kind::NotText
                | Kind::Hint(_)
                | Kind::Duration(_)
                | Kind::Integer(_)
                | Kind::Date(_)
                | Kind::Variant(_)
        );
        (fits && !chosen.is_empty() && chosen.len() <= 3).then_some(chosen)
    }

    /// The name of the other crate's type that a value has. Some(None): a type of another crate without a known name, as what
    /// a method of such a type gave is. Types with parameters may hold, and give out, what is this workspace's own.
    #[expect(clippy::option_option, reason = "the inner None is a foreign type without a name")]
    fn foreign_type(&self, origin: &Origin) -> Option<Option<Name>> {
        let mut origin = origin;
        let mut exact = true;
        loop {
            if let Some(ty) = &origin.ty {
                let peeled = ty.ty.peeled();
                let resolved = self.program.resolve_type(ty.scope, ty.self_type.as_ref(), peeled);
                let foreign = matches!(&resolved, Resolved::External(path) if !path.starts_with("std::"))
                    && (exact || peeled.arguments().is_empty());
                return foreign.then(|| peeled.last_segment().map(Name::from).filter(|_| exact));
            }
            if !matches!(origin.step, OriginStep::Method(..) | OriginStep::Inner) {
                return None;
            }
            exact = false;
            origin = origin.base.as_deref()?;
        }
    }
}

/// Whether the type is, or wraps, a generic parameter.
pub(super) fn is_generic(ty: &Type, generics: &[(Name, Vec<Type>)]) -> bool {
    match ty.peeled() {
        Type::Path { path, arguments } => {
            (path.len() == 1 && generics.iter().any(|(name, _)| *name == path[0]))
                || arguments.iter().any(|argument| is_generic(argument, generics))
        }
        _ => false,
    }
}

/// The last two segments of a path, as `A::b`.
pub(super) fn last_two(path: &Path) -> Name {
    match path.segments.as_slice() {
        [.., a, b] => format!("{a}::{b}").into(),
        [a] => a.clone(),
        [] => "".into(),
    }
}
