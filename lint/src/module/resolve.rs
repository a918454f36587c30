//! From a path, as written in a scope, to what it means.

use super::prelude::{is_primitive, prelude};
use super::{Program, Resolved};
use crate::ir::{FileId, FunctionId, Name, Owner, Path, ScopeId, Type, TypeId, TypeKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How many `use` items and aliases one after another are followed.
const MAX_DEPTH: usize = 48;
/// How many look-ups one resolution may take, so that globs of globs end.
const MAX_STEPS: usize = 4096;

/// What a path, or the first part of one, means.
#[derive(Clone, Debug)]
enum Meaning {
    Module(u32, Vec<Name>),
    Functions(Vec<FunctionId>),
    Constant(crate::ir::ConstantId),
    Type(TypeId),
    Variant(TypeId, usize),
    External(String),
}

/// Whether a name is wanted as a value (a function, a constant) or as what may stand before `::` (a type, a module).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Space {
    Value,
    Type,
}

/// One resolution. It notes the files that would have to be taken in to get further.
pub(super) struct Resolver<'p, 'w> {
    program: &'p Program<'w>,
    missing: BTreeSet<FileId>,
    /// The file that the path stands in.
    home: Option<FileId>,
    /// The `use` items that are being followed.
    active: Vec<(ScopeId, u32)>,
    /// Globs that were looked through for a name.
    seen: FxHashSet<(ScopeId, u32, Name, Space)>,
    depth: usize,
    steps: usize,
}

impl<'p, 'w> Resolver<'p, 'w> {
    pub(super) fn new(program: &'p Program<'w>) -> Self {
        Resolver {
            program,
            missing: BTreeSet::new(),
            home: None,
            active: Vec::new(),
            seen: FxHashSet::default(),
            depth: 0,
            steps: 0,
        }
    }

    /// The files that were missed.
    pub(super) fn missing(self) -> Vec<FileId> {
        self.missing.into_iter().collect()
    }

    pub(super) fn resolve(&mut self, scope: ScopeId, self_type: Option<&Type>, path: &Path) -> Resolved {
        self.home = Some(self.program.scope_files[scope.0 as usize]);
        let meaning = self.expression(scope, self_type, path);
        self.resolved(meaning, &path.segments, path.of.as_deref())
    }

    pub(super) fn resolve_type(&mut self, scope: ScopeId, self_type: Option<&Type>, ty: &Type) -> Resolved {
        self.home = Some(self.program.scope_files[scope.0 as usize]);
        let meaning = self.written_type(scope, self_type, ty);
        let segments: &[Name] = match ty.peeled() {
            Type::Path { path, .. } => path,
            _ => &[],
        };
        self.resolved(meaning, segments, None)
    }

    fn resolved(&self, meaning: Option<Meaning>, segments: &[Name], of: Option<&Type>) -> Resolved {
        match meaning {
            Some(Meaning::Functions(ids)) => Resolved::Functions(ids),
            Some(Meaning::Constant(id)) => Resolved::Constant(id),
            Some(Meaning::Type(id)) => Resolved::Type(id),
            Some(Meaning::Variant(id, index)) => Resolved::Variant(id, index),
            Some(Meaning::External(path)) => Resolved::External(canonical(path).into()),
            Some(Meaning::Module(..)) | None => {
                let of = of.and_then(Type::last_segment).map(str::to_owned);
                let parts: Vec<String> = of.into_iter().chain(segments.iter().map(|name| name.to_string())).collect();
                Resolved::Unknown(parts.join("::").into())
            }
        }
    }

    fn expression(&mut self, scope: ScopeId, self_type: Option<&Type>, path: &Path) -> Option<Meaning> {
        if let Some(of) = &path.of {
            let last = path.segments.last()?;
            let meaning = self
                .written_type(scope, self_type, of)
                .and_then(|of| self.walk(of, std::slice::from_ref(last), Space::Value));
            // `<T as Trait>::f` of a type that is not known is the trait's own.
            return meaning.or_else(|| {
                (path.segments.len() > 1).then(|| self.path(scope, self_type, &path.segments, Space::Value))?
            });
        }
        self.path(scope, self_type, &path.segments, Space::Value)
    }

    fn written_type(&mut self, scope: ScopeId, self_type: Option<&Type>, ty: &Type) -> Option<Meaning> {
        let meaning = match ty.peeled() {
            Type::Path { path, .. } => self.path(scope, self_type, path, Space::Type)?,
            Type::Bounds(bounds) => return self.written_type(scope, self_type, bounds.first()?),
            _ => return None,
        };
        self.through_alias(meaning)
    }

    /// What a local alias stands for.
    fn through_alias(&mut self, meaning: Meaning) -> Option<Meaning> {
        if let Meaning::Type(id) = meaning
            && let item = self.program.type_item(id)
            && let TypeKind::Alias(ty) = &item.kind
        {
            return self.nested(|this| this.written_type(item.scope, None, ty));
        }
        Some(meaning)
    }

    /// Runs a step that may lead back here.
    fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.steps += 1;
        if self.depth >= MAX_DEPTH || self.steps > MAX_STEPS {
            return None;
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    fn path(&mut self, scope: ScopeId, self_type: Option<&Type>, segments: &[Name], space: Space) -> Option<Meaning> {
        let (first, rest) = segments.split_first()?;
        if &**first == "Self" {
            // `Self` in the `impl` of an alias, or of a generic parameter, is that type.
            let meaning = match self_type? {
                Type::Path { path, .. } if path.len() == 1 && &*path[0] == "Self" => return None,
                ty => self.nested(|this| this.written_type(scope, None, ty))?,
            };
            return self.walk(meaning, rest, space);
        }
        let (meaning, rest) = self.head(scope, segments, space, false)?;
        self.walk(meaning, rest, space)
    }

    /// What the first segments mean, and the rest.
    fn head<'s>(
        &mut self,
        scope: ScopeId,
        segments: &'s [Name],
        space: Space,
        is_use: bool,
    ) -> Option<(Meaning, &'s [Name])> {
        let (first, mut rest) = segments.split_first()?;
        let home = self.program.scope(scope);
        let package = home.package;
        match &**first {
            "crate" | "$crate" => return Some((Meaning::Module(package, Vec::new()), rest)),
            "self" => {
                let mut module = home.module.clone();
                while let Some((next, after)) = rest.split_first()
                    && &**next == "super"
                {
                    module.pop();
                    rest = after;
                }
                return Some((Meaning::Module(package, module), rest));
            }
            "super" => {
                let mut module = home.module.clone();
                module.pop();
                while let Some((next, after)) = rest.split_first()
                    && &**next == "super"
                {
                    module.pop();
                    rest = after;
                }
                return Some((Meaning::Module(package, module), rest));
            }
            _ => {}
        }
        let wanted = if rest.is_empty() { space } else { Space::Type };
        if let Some(meaning) = self.name(scope, first, wanted) {
            return Some((meaning, rest));
        }
        if let Some(&package) = self.program.crates.get(first) {
            return Some((Meaning::Module(package, Vec::new()), rest));
        }
        if is_use {
            return Some((Meaning::External(first.to_string()), rest));
        }
        if let Some(path) = prelude(first) {
            return Some((Meaning::External(path.to_owned()), rest));
        }
        if is_primitive(first) {
            return Some((Meaning::External(first.to_string()), rest));
        }
        if let Some(meaning) = self.external_glob(scope, first) {
            return Some((meaning, rest));
        }
        let is_crate = !rest.is_empty() && !first.starts_with(char::is_uppercase);
        is_crate.then(|| (Meaning::External(first.to_string()), rest))
    }

    /// A name in a scope and the blocks and module around it.
    fn name(&mut self, scope: ScopeId, name: &Name, space: Space) -> Option<Meaning> {
        let mut scope = scope;
        loop {
            if let Some(meaning) = self.in_scope(scope, name, space) {
                return Some(meaning);
            }
            let home = self.program.scope(scope);
            match home.parent {
                Some(parent) if home.is_block => scope = parent,
                _ => return self.in_module(home.package, &home.module, name, space),
            }
        }
    }

    /// A name in a module, whichever files it is in.
    fn in_module(&mut self, package: u32, path: &[Name], name: &Name, space: Space) -> Option<Meaning> {
        let program = self.program;
        let module = program.tree.get(package, path)?;
        // Twins of a function under different `cfg` may be in twin modules.
        let mut twins = Vec::new();
        let mut scopes = module.scopes.clone();
        if path.is_empty() {
            // The roots of a library and of programs are no twins: the path's own crate comes first, then the library.
            let rank = |scope: &ScopeId| {
                let file = program.scope_files[scope.0 as usize];
                let roots = &program.workspace.package_of(file).crate_roots;
                let place = roots.iter().position(|root| *root == program.workspace.file(file).path);
                (self.home != Some(file), place, file)
            };
            scopes.sort_by_key(rank);
        }
        let mut found_in = None;
        for scope in scopes {
            let file = Some(program.scope_files[scope.0 as usize]);
            if path.is_empty() && found_in.is_some() && found_in != file {
                break;
            }
            match self.nested(|this| this.in_scope(scope, name, space)) {
                Some(Meaning::Functions(ids)) => {
                    found_in = file;
                    twins.extend(ids);
                }
                Some(meaning) if twins.is_empty() => return Some(meaning),
                _ => {}
            }
        }
        if !twins.is_empty() {
            twins.sort_unstable();
            twins.dedup();
            return Some(Meaning::Functions(twins));
        }
        let child: Vec<Name> = path.iter().cloned().chain([name.clone()]).collect();
        if program.tree.get(package, &child).is_some() {
            return Some(Meaning::Module(package, child));
        }
        self.missing.extend(module.files.iter().filter(|file| !program.is_loaded[file.0 as usize]));
        None
    }

    fn in_scope(&mut self, scope: ScopeId, name: &Name, space: Space) -> Option<Meaning> {
        let program = self.program;
        if let Some(named) = program.index.items.get(&scope).and_then(|items| items.get(name)) {
            let ty = named.types.first().map(|&id| Meaning::Type(id));
            let function = (!named.functions.is_empty()).then(|| Meaning::Functions(named.functions.clone()));
            let value = function.or(named.constants.first().map(|&id| Meaning::Constant(id)));
            let found = if space == Space::Value { value.or(ty) } else { ty };
            if found.is_some() {
                return found;
            }
        }
        let uses = program.index.uses.get(&scope)?;
        let mut external = None;
        for &place in uses.named.get(name).into_iter().flatten() {
            match self.follow(scope, place, space) {
                Some(found @ Meaning::External(_)) => external = external.or(Some(found)),
                Some(found) => return Some(found),
                None => {}
            }
        }
        if external.is_some() {
            return external;
        }
        for &place in &uses.globs {
            if !self.seen.insert((scope, place, name.clone(), space)) {
                continue;
            }
            let found = match self.follow(scope, place, Space::Type) {
                Some(Meaning::Module(package, path)) => self.nested(|this| this.in_module(package, &path, name, space)),
                Some(Meaning::Type(id)) => self.variant(id, name),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a `use` item brings in.
    fn follow(&mut self, scope: ScopeId, place: u32, space: Space) -> Option<Meaning> {
        if self.active.contains(&(scope, place)) {
            return None;
        }
        let path = &self.program.scope(scope).uses[place as usize].path;
        self.active.push((scope, place));
        let found = self.nested(|this| {
            let (meaning, rest) = this.head(scope, path, space, true)?;
            this.walk(meaning, rest, space)
        });
        self.active.pop();
        found
    }

    /// A name that only the one glob of another crate can have brought in.
    fn external_glob(&mut self, scope: ScopeId, name: &Name) -> Option<Meaning> {
        let program = self.program;
        let mut scope = scope;
        let mut only = None;
        loop {
            for &place in program.index.uses.get(&scope).into_iter().flat_map(|uses| &uses.globs) {
                match self.follow(scope, place, Space::Type) {
                    // Traits and extensions are what such globs are for; a second glob leaves it open.
                    Some(Meaning::External(_)) if only.is_some() => return None,
                    Some(Meaning::External(path)) => only = Some(path),
                    Some(Meaning::Module(package, path)) => {
                        let module = program.tree.get(package, &path)?;
                        if module.files.iter().any(|file| !program.is_loaded[file.0 as usize]) {
                            return None;
                        }
                    }
                    _ => {}
                }
            }
            let home = program.scope(scope);
            match home.parent {
                Some(parent) if home.is_block => scope = parent,
                _ => break,
            }
        }
        only.map(|path| Meaning::External(format!("{path}::{name}")))
    }

    /// What the rest of a path means below its first part.
    fn walk(&mut self, meaning: Meaning, rest: &[Name], space: Space) -> Option<Meaning> {
        let mut meaning = meaning;
        let mut rest = rest;
        while let Some((name, after)) = rest.split_first() {
            let wanted = if after.is_empty() { space } else { Space::Type };
            meaning = match meaning {
                Meaning::Module(package, path) => match &**name {
                    "self" => Meaning::Module(package, path),
                    _ => self.nested(|this| this.in_module(package, &path, name, wanted))?,
                },
                Meaning::Type(_) => match self.through_alias(meaning)? {
                    Meaning::Type(id) => self.associated(id, name, wanted)?,
                    other => {
                        meaning = other;
                        continue;
                    }
                },
                Meaning::External(path) => Meaning::External(format!("{path}::{name}")),
                Meaning::Functions(_) | Meaning::Constant(_) | Meaning::Variant(..) => return None,
            };
            rest = after;
        }
        Some(meaning)
    }

    fn variant(&self, id: TypeId, name: &Name) -> Option<Meaning> {
        let TypeKind::Enum(variants) = &self.program.type_item(id).kind else { return None };
        let index = variants.iter().position(|variant| variant.name == *name)?;
        Some(Meaning::Variant(id, index))
    }

    /// An item of a type: a variant, function or constant.
    fn associated(&mut self, id: TypeId, name: &Name, space: Space) -> Option<Meaning> {
        if let Some(variant) = self.variant(id, name) {
            return Some(variant);
        }
        if space == Space::Type {
            // An associated type; to look among functions would come back here for the type of their `impl`.
            return None;
        }
        let program = self.program;
        let functions = program.methods_of(id, name);
        if !functions.is_empty() {
            return Some(Meaning::Functions(functions));
        }
        let constants = program.index.values.get(&program.type_item(id).name)?.get(name)?;
        let is_of = |constant: &crate::ir::Constant| match &constant.owner {
            Owner::Trait(_) => constant.home == program.type_item(id).scope,
            owner => owner.self_type().is_some_and(|ty| program.is_type(constant.home, ty, id)),
        };
        constants
            .iter()
            .find(|&&constant| is_of(program.constant(constant)))
            .map(|&constant| Meaning::Constant(constant))
    }
}

/// `core` and `alloc` are `std` to those who ask what something is.
fn canonical(path: String) -> String {
    match path.split_once("::") {
        Some(("core" | "alloc", rest)) => format!("std::{rest}"),
        _ => path,
    }
}
