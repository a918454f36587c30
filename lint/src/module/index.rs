//! Where things are found by their names.

use crate::ir::{ConstantId, Function, FunctionId, Name, Owner, ScopeId, Type, TypeId};
use rustc_hash::FxHashMap;

/// The items of one name in one scope.
#[derive(Default)]
pub(super) struct Named {
    pub(super) functions: Vec<FunctionId>,
    pub(super) constants: Vec<ConstantId>,
    pub(super) types: Vec<TypeId>,
}

/// The `use` lines of one scope.
#[derive(Default)]
pub(super) struct Uses {
    /// By the name they give, places in the scope's list.
    pub(super) named: FxHashMap<Name, Vec<u32>>,
    /// The globs.
    pub(super) globs: Vec<u32>,
}

/// All indexes of a program.
#[derive(Default)]
pub(super) struct Index {
    /// Free items.
    pub(super) items: FxHashMap<ScopeId, FxHashMap<Name, Named>>,
    pub(super) uses: FxHashMap<ScopeId, Uses>,
    /// All functions, free ones too.
    pub(super) functions: FxHashMap<Name, Vec<FunctionId>>,
    pub(super) types: FxHashMap<Name, Vec<TypeId>>,
    pub(super) constants: FxHashMap<Name, Vec<ConstantId>>,
    /// Methods and associated functions.
    pub(super) methods: FxHashMap<Name, Vec<FunctionId>>,
    /// Those of `impl` blocks, by the last segment of the type and their own name.
    pub(super) members: FxHashMap<Name, FxHashMap<Name, Vec<FunctionId>>>,
    /// Those of traits, by the trait's name and their own.
    pub(super) defaults: FxHashMap<Name, FxHashMap<Name, Vec<FunctionId>>>,
    /// Associated constants, by the last segment of the type or the trait's name and their own.
    pub(super) values: FxHashMap<Name, FxHashMap<Name, Vec<ConstantId>>>,
    /// `impl Trait for Type` by the last segment of the type: places in the program's list.
    pub(super) impls: FxHashMap<Name, Vec<u32>>,
    pub(super) callers: FxHashMap<Name, Vec<FunctionId>>,
    pub(super) readers: FxHashMap<Name, Vec<FunctionId>>,
}

impl Index {
    /// Enters a function.
    pub(super) fn function(&mut self, id: FunctionId, function: &Function) {
        let name = &function.name;
        self.functions.entry(name.clone()).or_default().push(id);
        match &function.owner {
            Owner::Free => {
                let named = self.items.entry(function.home).or_default().entry(name.clone()).or_default();
                named.functions.push(id);
            }
            Owner::Inherent(ty) | Owner::TraitImpl { ty, .. } => {
                if let Some(last) = last_segment(ty) {
                    self.members.entry(last).or_default().entry(name.clone()).or_default().push(id);
                }
            }
            Owner::Trait(of) => {
                self.defaults.entry(of.clone()).or_default().entry(name.clone()).or_default().push(id);
            }
        }
        if function.owner != Owner::Free {
            self.methods.entry(name.clone()).or_default().push(id);
        }
        let Some(body) = &function.body else { return };
        for call in &body.calls {
            self.callers.entry(call.clone()).or_default().push(id);
        }
        for field in &body.fields {
            self.readers.entry(field.clone()).or_default().push(id);
        }
    }

    /// Enters a constant.
    pub(super) fn constant(&mut self, id: ConstantId, constant: &crate::ir::Constant) {
        let name = &constant.name;
        self.constants.entry(name.clone()).or_default().push(id);
        let owner = match &constant.owner {
            Owner::Free => {
                let named = self.items.entry(constant.home).or_default().entry(name.clone()).or_default();
                named.constants.push(id);
                return;
            }
            Owner::Inherent(ty) | Owner::TraitImpl { ty, .. } => last_segment(ty),
            Owner::Trait(of) => Some(of.clone()),
        };
        if let Some(owner) = owner {
            self.values.entry(owner).or_default().entry(name.clone()).or_default().push(id);
        }
    }

    /// Enters a type.
    pub(super) fn type_item(&mut self, id: TypeId, item: &crate::ir::TypeItem) {
        self.types.entry(item.name.clone()).or_default().push(id);
        let named = self.items.entry(item.scope).or_default().entry(item.name.clone()).or_default();
        named.types.push(id);
    }

    /// Enters the `use` lines of a scope.
    pub(super) fn uses(&mut self, id: ScopeId, scope: &crate::ir::Scope) {
        if scope.uses.is_empty() {
            return;
        }
        let uses = self.uses.entry(id).or_default();
        for (place, leaf) in scope.uses.iter().enumerate() {
            match &leaf.name {
                Some(name) => uses.named.entry(name.clone()).or_default().push(place as u32),
                None => uses.globs.push(place as u32),
            }
        }
    }
}

/// The last segment of a type's path, also of `dyn Trait`.
pub(super) fn last_segment(ty: &Type) -> Option<Name> {
    match ty.peeled() {
        Type::Path { path, .. } => path.last().cloned(),
        Type::Bounds(bounds) => bounds.first().and_then(last_segment),
        _ => None,
    }
}
