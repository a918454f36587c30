//! What comes with a type or trait that is copied: its `impl` blocks and the methods that are called on it.

use super::{Slice, is_std, written};
use crate::extract::attributes::is_compiled;
use crate::extract::pieces::{FilePieces, Piece, PieceKind};
use crate::extract::tokens::{paths, tokens};
use crate::ir::{FileId, FunctionId, Name, Owner, TypeId, TypeKind};
use crate::module::Resolved;
use std::collections::BTreeSet;

impl Slice<'_, '_> {
    /// Types that are kept, what they implement, and the methods that are called on them.
    pub(super) fn follow_types(&mut self) {
        let whole: Vec<TypeId> = self.whole.iter().copied().collect();
        for id in whole {
            let item = self.program.type_item(id);
            let (span, name, is_trait) = (item.span, item.name.clone(), matches!(item.kind, TypeKind::Trait(_)));
            let Some(pieces) = self.files.get(self.program, span.file) else { continue };
            let kind_fits = |piece: &&Piece| piece.range.contains(&(span.start as usize)) && piece.name == *name;
            let Some(place) = pieces.pieces.iter().position(|piece| kind_fits(&piece)) else { continue };
            self.keep(span.file, place, None, false);
            if is_trait {
                self.impls(&name, true);
            } else {
                self.impls(&name, false);
            }
        }
        let types: Vec<TypeId> = self.whole.iter().chain(&self.owners).copied().collect();
        for id in types {
            for method in self.called.clone() {
                for function in self.program.methods_of(id, &method) {
                    if !matches!(self.program.function(function).owner, Owner::Trait(_))
                        && self.is_compiled(function)
                        && self.is_wanted(function)
                    {
                        self.function(function, false);
                    }
                }
            }
        }
    }

    /// Whether a method comes by its name alone: those of traits come with the trait's `impl`.
    pub(super) fn is_wanted(&self, id: FunctionId) -> bool {
        match &self.program.function(id).owner {
            Owner::TraitImpl { of, .. } => of.last_segment().is_some_and(|of| self.takes_impl(of)),
            _ => true,
        }
    }

    /// Keeps the `impl` blocks of a type, or those of a trait for types that are not the workspace's.
    pub(super) fn impls(&mut self, name: &str, of_trait: bool) {
        let files: Vec<FileId> = self.kept.keys().map(|(file, _)| *file).collect::<BTreeSet<_>>().into_iter().collect();
        let mut files = files;
        if of_trait {
            // Wherever the trait is mentioned.
            self.program.load_mentioning(&[Name::from(name)].into());
            files = (0..self.program.workspace().files.len() as u32)
                .map(FileId)
                .filter(|file| {
                    self.program.module_scope(*file, &[]).is_some() && !self.program.workspace().file(*file).is_test
                })
                .take(300)
                .collect();
        }
        for file in files {
            let Some(pieces) = self.files.get(self.program, file) else { continue };
            for (place, piece) in pieces.pieces.iter().enumerate().filter(|(_, piece)| piece.kind == PieceKind::Impl) {
                let Some(of) = &piece.of_trait else { continue };
                if self.kept.get(&(file, place)).is_some_and(|kept| kept.members.is_none()) {
                    continue;
                }
                let fits = if of_trait {
                    of == name && !self.is_type_of_workspace(&piece.name)
                        || of == name && self.is_kept_type(&piece.name)
                } else {
                    piece.name == name && self.takes_impl(of)
                };
                if fits && is_compiled(&pieces.tokens(&piece.range)) && self.is_cheap(file, &pieces, piece) {
                    self.keep(file, place, None, false);
                }
            }
        }
    }

    /// Whether an `impl` names no crate that the copy would not need without it.
    pub(super) fn is_cheap(&self, file: FileId, pieces: &FilePieces, piece: &Piece) -> bool {
        if piece.of_trait.as_deref() != Some("From") {
            return true;
        }
        let Some(scope) = self.program.module_scope(file, &piece.modules) else { return true };
        let head = format!("{}}}", &pieces.text[piece.head.clone()]);
        let Some(list) = tokens(&head) else { return false };
        paths(&list).iter().all(|path| {
            let names: Vec<Name> = path.names.iter().map(|name| name.as_str().into()).collect();
            match self.program.resolve(scope, None, &written(names)) {
                Resolved::External(of) => {
                    let first = of.split("::").next().unwrap_or_default();
                    is_std(first) || !of.contains("::") || self.crates.contains(first) || first == "http"
                }
                Resolved::Type(id) => self.whole.contains(&id),
                _ => true,
            }
        })
    }

    pub(super) fn is_type_of_workspace(&self, name: &str) -> bool {
        self.program.unique_type(self.package, name).is_some()
    }

    pub(super) fn is_kept_type(&self, name: &str) -> bool {
        self.whole.iter().any(|id| &*self.program.type_item(*id).name == name)
    }

    /// Whether an `impl` of a trait is needed, by what the copied code says.
    pub(super) fn takes_impl(&self, of: &str) -> bool {
        let says = |words: &[&str]| words.iter().any(|word| self.words.contains(*word));
        match of {
            "FromStr" => says(&["parse", "from_str", "FromStr"]),
            "TryFrom" => says(&["try_from", "try_into", "TryFrom"]),
            "From" => true,
            "Into" => says(&["into"]),
            "Display" => says(&["to_string", "format", "write", "Display", "Error", "println"]),
            "Error" => says(&["Error", "dyn"]),
            "Debug" | "Clone" | "Copy" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash" | "Default" | "Deref"
            | "DerefMut" | "Add" | "Sub" | "Mul" | "Div" | "AddAssign" | "SubAssign" | "AsRef" | "Borrow"
            | "Iterator" | "IntoIterator" | "Neg" | "Not" => true,
            "Serialize" | "Deserialize" | "Drop" => false,
            _ => self.whole.iter().any(|id| {
                let item = self.program.type_item(*id);
                matches!(item.kind, TypeKind::Trait(_)) && &*item.name == of
            }),
        }
    }
}
