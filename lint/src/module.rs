//! Modules: which item a path means.
//!
//! A [`Program`] holds everything that was lowered of one workspace, and resolves paths through module trees, `use` items (renames,
//! globs, re-exports) and the workspace's packages to items or, for what lies outside, to canonical paths
//! (`chrono::Duration::seconds`). It never fails: what could not be parsed is a list, and a name it does not find is
//! [`Resolved::Unknown`]. Files are taken in on demand: first those that mention the hint, later those that a call, a `use` or a type reaches.
//! Twins under different `cfg` are both kept.

pub mod parse;

use crate::ir::{ConstantId, FileId, Function, FunctionId, Constant, Name, OpaqueReason, Path, Scope, ScopeId, Span, Type, TypeId, TypeItem};
use crate::workspace::Workspace;
use std::collections::BTreeSet;

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// Functions of the workspace: one, or twins under different `cfg`.
    Functions(Vec<FunctionId>),
    /// A constant or static of the workspace.
    Constant(ConstantId),
    /// A struct, enum, trait or alias of the workspace.
    Type(TypeId),
    /// A variant of an enum of the workspace, by its index.
    Variant(TypeId, usize),
    /// An item of another crate, by its path through the `use` items that lead to it: `std::time::Duration::from_secs`.
    External(Name),
    /// Nothing by that name was found; the path as written.
    Unknown(Name),
}

/// Everything that was lowered of one workspace.
pub struct Program<'w> {
    workspace: &'w Workspace,
}

impl<'w> Program<'w> {
    /// An empty program over the workspace's files.
    pub fn new(workspace: &'w Workspace) -> Self {
        Program { workspace }
    }

    /// Parses and lowers the files, on all cores, and takes them in. Files already in are skipped.
    pub fn load(&mut self, files: &[FileId]) {
        let _ = files;
    }

    /// Loads every file of the workspace, not in yet, that contains one of the names as a whole word. Returns how many were taken in.
    pub fn load_mentioning(&mut self, names: &BTreeSet<Name>) -> usize {
        let _ = names;
        0
    }

    /// The workspace.
    pub fn workspace(&self) -> &'w Workspace {
        self.workspace
    }

    /// All functions, in a stable order.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        std::iter::empty()
    }

    /// The function.
    pub fn function(&self, id: FunctionId) -> &Function {
        let _ = id;
        unreachable!()
    }

    /// The constant.
    pub fn constant(&self, id: ConstantId) -> &Constant {
        let _ = id;
        unreachable!()
    }

    /// The type.
    pub fn type_item(&self, id: TypeId) -> &TypeItem {
        let _ = id;
        unreachable!()
    }

    /// The scope.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        let _ = id;
        unreachable!()
    }

    /// What the path means in the scope. `Self` is resolved with `self_type`. A path to an associated item of a local type
    /// (`RetryAfter::from_str`) gives the function or constant, from inherent impls first, then trait impls, then the trait's defaults.
    pub fn resolve(&self, scope: ScopeId, self_type: Option<&Type>, path: &Path) -> Resolved {
        let _ = (scope, self_type, path);
        unreachable!()
    }

    /// What the type's path means in the scope, through aliases: a local type, or the canonical path of an external one.
    pub fn resolve_type(&self, scope: ScopeId, self_type: Option<&Type>, ty: &Type) -> Resolved {
        let _ = (scope, self_type, ty);
        unreachable!()
    }

    /// All methods and associated functions of the workspace with this name.
    pub fn methods_named(&self, name: &str) -> &[FunctionId] {
        let _ = name;
        &[]
    }

    /// The methods or associated functions `name` of a local type: inherent ones first, then those of trait impls, then the defaults of the
    /// traits it implements. More than one only for `cfg` twins.
    pub fn methods_of(&self, ty: TypeId, name: &str) -> Vec<FunctionId> {
        let _ = (ty, name);
        Vec::new()
    }

    /// The function `method` of `impl trait_name for ty` (`FromStr`, `TryFrom`, `From`): one for each impl of that trait.
    pub fn implementations(&self, trait_name: &str, ty: TypeId, method: &str) -> Vec<FunctionId> {
        let _ = (trait_name, ty, method);
        Vec::new()
    }

    /// Functions whose body calls something by this name (a path's last segment or a method).
    pub fn callers_of(&self, name: &str) -> &[FunctionId] {
        let _ = name;
        &[]
    }

    /// Functions whose body reads a field of this name.
    pub fn readers_of_field(&self, name: &str) -> &[FunctionId] {
        let _ = name;
        &[]
    }

    /// What could not be lowered in the files taken in.
    pub fn opaque(&self) -> &[(Span, OpaqueReason)] {
        &[]
    }

    /// Files that could not be parsed, each with the line (from 1) and the reason.
    pub fn unparsed(&self) -> &[(FileId, u32, String)] {
        &[]
    }

    /// How many files were parsed, and their bytes.
    pub fn parsed(&self) -> (usize, u64) {
        (0, 0)
    }
}
