//! Modules: which item a path means.
//!
//! A [`Program`] holds everything that was lowered of one workspace, and resolves paths through module trees, `use` items (renames,
//! globs, re-exports) and the workspace's packages to items or, for what lies outside, to canonical paths
//! (`chrono::Duration::seconds`). It never fails: what could not be parsed is a list, and a name it does not find is
//! [`Resolved::Unknown`]. Files are taken in on demand: first those that mention the hint, later those that a call, a `use` or a type reaches.
//! Twins under different `cfg` are both kept.

mod index;
mod load;
pub mod parse;
mod prelude;
mod resolve;
#[cfg(test)]
mod tests;
mod tree;

use crate::ir::{
    Constant, ConstantId, FileId, Function, FunctionId, ImplItem, Name, OpaqueReason, Owner, Path, Scope, ScopeId,
    Span, Type, TypeId, TypeItem,
};
use crate::workspace::Workspace;
use index::Index;
pub(crate) use prelude::prelude as prelude_path;
use resolve::Resolver;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tree::Tree;

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
    functions: Vec<Function>,
    constants: Vec<Constant>,
    types: Vec<TypeItem>,
    scopes: Vec<Scope>,
    /// For each scope, its file.
    scope_files: Vec<FileId>,
    impls: Vec<ImplItem>,
    index: Index,
    tree: Tree,
    /// Crates of the workspace: the names that paths use for them, and their packages.
    crates: FxHashMap<Name, u32>,
    by_path: FxHashMap<PathBuf, FileId>,
    /// For each file, whether it was taken in (or could not be).
    is_loaded: Vec<bool>,
    /// Modules that are declared under `#[cfg(test)]`.
    test_modules: Vec<(u32, Vec<Name>)>,
    opaque: Vec<(Span, OpaqueReason)>,
    unparsed: Vec<(FileId, u32, String)>,
    parsed: Vec<FileId>,
    /// Names that files were searched for.
    sought: BTreeSet<Name>,
}

impl<'w> Program<'w> {
    /// An empty program over the workspace's files.
    pub fn new(workspace: &'w Workspace) -> Self {
        let crates = workspace.packages.iter().enumerate();
        let files = workspace.files.iter().enumerate();
        Program {
            workspace,
            functions: Vec::new(),
            constants: Vec::new(),
            types: Vec::new(),
            scopes: Vec::new(),
            scope_files: Vec::new(),
            impls: Vec::new(),
            index: Index::default(),
            tree: Tree::new(workspace),
            crates: crates.map(|(index, package)| (package.crate_name.as_str().into(), index as u32)).collect(),
            by_path: files.map(|(index, file)| (file.path.clone(), FileId(index as u32))).collect(),
            is_loaded: vec![false; workspace.files.len()],
            test_modules: Vec::new(),
            opaque: Vec::new(),
            unparsed: Vec::new(),
            parsed: Vec::new(),
            sought: BTreeSet::new(),
        }
    }

    /// Parses and lowers the files, on all cores, and takes them in. Files already in are skipped.
    pub fn load(&mut self, files: &[FileId]) {
        self.load_files(files.to_vec());
    }

    /// Loads every file of the workspace, not in yet, that contains one of the names as a whole word. Returns how many were taken in.
    pub fn load_mentioning(&mut self, names: &BTreeSet<Name>) -> usize {
        self.sought.extend(names.iter().cloned());
        let files = self.files_mentioning(names);
        self.load_files(files)
    }

    /// Loads the files that hold, or lead on to, what the path means in the scope. Returns whether any was taken in.
    pub fn load_module_of(&mut self, scope: ScopeId, path: &Path) -> bool {
        let mut is_any = false;
        // Each round may follow one more re-export into the next file.
        for _ in 0..8 {
            let mut resolver = Resolver::new(self);
            resolver.resolve(scope, None, path);
            let missing = resolver.missing();
            if missing.is_empty() {
                break;
            }
            is_any |= self.load_files(missing) > 0;
        }
        is_any
    }

    /// The workspace.
    pub fn workspace(&self) -> &'w Workspace {
        self.workspace
    }

    /// All functions, in a stable order.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter().enumerate().map(|(index, function)| (FunctionId(index as u32), function))
    }

    /// All constants and statics, in a stable order.
    pub fn constants(&self) -> impl Iterator<Item = (ConstantId, &Constant)> {
        self.constants.iter().enumerate().map(|(index, constant)| (ConstantId(index as u32), constant))
    }

    /// All types and traits, in a stable order.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, &TypeItem)> {
        self.types.iter().enumerate().map(|(index, item)| (TypeId(index as u32), item))
    }

    /// The function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The constant.
    pub fn constant(&self, id: ConstantId) -> &Constant {
        &self.constants[id.0 as usize]
    }

    /// The type.
    pub fn type_item(&self, id: TypeId) -> &TypeItem {
        &self.types[id.0 as usize]
    }

    /// The scope.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// The file that the scope is in.
    pub fn file_of(&self, id: ScopeId) -> FileId {
        self.scope_files[id.0 as usize]
    }

    /// The scope of a file's own module, or of modules written out in it. None if the file is not in, or has no such module.
    pub fn module_scope(&self, file: FileId, inline: &[Name]) -> Option<ScopeId> {
        let in_file = |index: &usize| self.scope_files[*index] == file && !self.scopes[*index].is_block;
        let own = (0..self.scopes.len()).filter(in_file).find(|index| self.scopes[*index].parent.is_none())?;
        let module: Vec<Name> = self.scopes[own].module.iter().chain(inline).cloned().collect();
        let index = (0..self.scopes.len()).filter(in_file).find(|index| self.scopes[*index].module == module)?;
        Some(ScopeId(index as u32))
    }

    /// What the path means in the scope. `Self` is resolved with `self_type`. A path to an associated item of a local type
    /// (`RetryAfter::from_str`) gives the function or constant, from inherent impls first, then trait impls, then the trait's defaults.
    ///
    /// External paths are canonical as far as `use` items tell: `core` and `alloc` are given as `std`, prelude names by their path in `std`
    /// (`std::option::Option::Some`), primitive types by their name (`u64::MAX`). A path of several segments whose first is in lower case and
    /// not known is taken for another crate's.
    pub fn resolve(&self, scope: ScopeId, self_type: Option<&Type>, path: &Path) -> Resolved {
        Resolver::new(self).resolve(scope, self_type, path)
    }

    /// What the type's path means in the scope, through aliases: a local type, or the canonical path of an external one. References and
    /// smart pointers are looked through; of `impl A + B` and `dyn A + B` it is the first trait.
    pub fn resolve_type(&self, scope: ScopeId, self_type: Option<&Type>, ty: &Type) -> Resolved {
        Resolver::new(self).resolve_type(scope, self_type, ty)
    }

    /// All methods and associated functions of the workspace with this name.
    pub fn methods_named(&self, name: &str) -> &[FunctionId] {
        self.index.methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// All functions, methods and associated functions of the workspace with this name.
    pub fn functions_named(&self, name: &str) -> &[FunctionId] {
        self.index.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// The only function of that name, free or not, among those of the package taken in.
    pub fn unique_function(&self, package: u32, name: &str) -> Option<FunctionId> {
        only(self.index.functions.get(name)?.iter().copied(), |&id| self.package_of(self.function(id).home) == package)
    }

    /// The only type of that name among those of the package taken in.
    pub fn unique_type(&self, package: u32, name: &str) -> Option<TypeId> {
        only(self.index.types.get(name)?.iter().copied(), |&id| self.package_of(self.type_item(id).scope) == package)
    }

    /// The only constant of that name, associated or not, among those of the package taken in.
    pub fn unique_constant(&self, package: u32, name: &str) -> Option<ConstantId> {
        only(self.index.constants.get(name)?.iter().copied(), |&id| self.package_of(self.constant(id).home) == package)
    }

    /// The index of the package that the scope belongs to.
    pub fn package_of(&self, scope: ScopeId) -> u32 {
        self.scope(scope).package
    }

    /// The methods or associated functions `name` of a local type: inherent ones first, then those of trait impls, then the defaults of the
    /// traits it implements. More than one only for `cfg` twins, and for several impls of a generic trait (`From<A>`, `From<B>`).
    pub fn methods_of(&self, ty: TypeId, name: &str) -> Vec<FunctionId> {
        let item = self.type_item(ty);
        let of_type = self.index.members.get(&item.name).and_then(|members| members.get(name));
        let candidates: Vec<FunctionId> =
            of_type.into_iter().flatten().copied().filter(|&id| self.belongs(id, ty)).collect();
        let (inherent, of_traits): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|&id| matches!(self.function(id).owner, Owner::Inherent(_)));
        if !inherent.is_empty() {
            return inherent;
        }
        if !of_traits.is_empty() {
            return of_traits;
        }
        if let crate::ir::TypeKind::Trait(_) = item.kind {
            return self.trait_functions(ty, name);
        }
        let impls = self.index.impls.get(&item.name).map_or(&[][..], Vec::as_slice);
        let mut defaults = Vec::new();
        for &place in impls {
            let implementation = &self.impls[place as usize];
            let Some(of) = &implementation.of else { continue };
            if self.index.defaults.get(of.last_segment().unwrap_or("")).is_none_or(|trait_| !trait_.contains_key(name))
            {
                continue;
            }
            if self.is_type(implementation.scope, &implementation.ty, ty)
                && let Resolved::Type(of) = self.resolve_type(implementation.scope, None, of)
            {
                defaults
                    .extend(self.trait_functions(of, name).into_iter().filter(|&id| self.function(id).body.is_some()));
            }
        }
        defaults.sort_unstable();
        defaults.dedup();
        defaults
    }

    /// The function `method` of `impl trait_name for ty` (`FromStr`, `TryFrom`, `From`): one for each impl of that trait.
    pub fn implementations(&self, trait_name: &str, ty: TypeId, method: &str) -> Vec<FunctionId> {
        let members = self.index.members.get(&self.type_item(ty).name).and_then(|members| members.get(method));
        let is_of = |id: FunctionId| match &self.function(id).owner {
            Owner::TraitImpl { of, .. } => of.last_segment() == Some(trait_name),
            _ => false,
        };
        members.into_iter().flatten().copied().filter(|&id| is_of(id) && self.belongs(id, ty)).collect()
    }

    /// Functions whose body calls something by this name (a path's last segment or a method).
    pub fn callers_of(&self, name: &str) -> &[FunctionId] {
        self.index.callers.get(name).map_or(&[], Vec::as_slice)
    }

    /// Functions whose body reads a field of this name.
    pub fn readers_of_field(&self, name: &str) -> &[FunctionId] {
        self.index.readers.get(name).map_or(&[], Vec::as_slice)
    }

    /// What could not be lowered in the files taken in.
    pub fn opaque(&self) -> &[(Span, OpaqueReason)] {
        &self.opaque
    }

    /// Files that could not be parsed, each with the line (from 1) and the reason.
    pub fn unparsed(&self) -> &[(FileId, u32, String)] {
        &self.unparsed
    }

    /// The files that were parsed.
    pub fn parsed(&self) -> &[FileId] {
        &self.parsed
    }

    /// The files that were taken in, or could not be.
    pub fn loaded(&self) -> impl Iterator<Item = FileId> {
        let files = self.is_loaded.iter().enumerate().filter(|(_, is_loaded)| **is_loaded);
        files.map(|(index, _)| FileId(index as u32))
    }

    /// The names for which files were searched.
    pub fn sought(&self) -> &BTreeSet<Name> {
        &self.sought
    }

    /// The functions of that name that the trait itself declares.
    fn trait_functions(&self, of: TypeId, name: &str) -> Vec<FunctionId> {
        let item = self.type_item(of);
        let declared = self.index.defaults.get(&item.name).and_then(|members| members.get(name));
        declared.into_iter().flatten().copied().filter(|&id| self.function(id).home == item.scope).collect()
    }

    /// Whether a function stands in an `impl` of the type.
    fn belongs(&self, id: FunctionId, ty: TypeId) -> bool {
        let function = self.function(id);
        function.owner.self_type().is_some_and(|of| self.is_type(function.home, of, ty))
    }

    /// Whether a type written in a scope is that one. An `impl` may stand where the type's name comes from a file not taken in:
    /// then the same name in the same package counts.
    fn is_type(&self, scope: ScopeId, written: &Type, ty: TypeId) -> bool {
        match self.resolve_type(scope, None, written) {
            Resolved::Type(id) => id == ty || self.is_twin(id, ty),
            Resolved::Unknown(_) => self.package_of(scope) == self.package_of(self.type_item(ty).scope),
            _ => false,
        }
    }

    /// Whether two types have the same name in the same module, under different `cfg`.
    fn is_twin(&self, one: TypeId, other: TypeId) -> bool {
        let (one, other) = (self.type_item(one), self.type_item(other));
        let module = |item: &TypeItem| (self.scope(item.scope).package, &self.scope(item.scope).module);
        one.name == other.name && module(one) == module(other)
    }
}

/// The only one that fits.
fn only<T>(items: impl Iterator<Item = T>, fits: impl Fn(&T) -> bool) -> Option<T> {
    let mut fitting = items.filter(fits);
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}
