//! Types and paths, as written.

use super::Lowerer;
use crate::ir::{Name, Path, Type};
use std::sync::Arc;
use syn::{GenericArgument, PathArguments, ReturnType, TypeParamBound};

/// How deep a type may be nested; what is below is [`Type::Other`]. Types are boxes in boxes, and those who read them recurse.
const MAX_DEPTH: usize = 48;

impl Lowerer<'_> {
    /// A type.
    pub(super) fn ty(&mut self, ty: &syn::Type) -> Type {
        self.ty_at(ty, 0)
    }

    fn ty_at(&mut self, ty: &syn::Type, depth: usize) -> Type {
        if depth > MAX_DEPTH {
            return Type::Other;
        }
        let below = depth + 1;
        match ty {
            syn::Type::Path(path) => self.path_type(&path.path, below),
            syn::Type::Reference(reference) => {
                let inner = Arc::new(self.ty_at(&reference.elem, below));
                if reference.mutability.is_some() { Type::MutableReference(inner) } else { Type::Reference(inner) }
            }
            syn::Type::Tuple(tuple) => Type::Tuple(tuple.elems.iter().map(|ty| self.ty_at(ty, below)).collect()),
            syn::Type::Slice(slice) => Type::Slice(Arc::new(self.ty_at(&slice.elem, below))),
            syn::Type::Array(array) => Type::Slice(Arc::new(self.ty_at(&array.elem, below))),
            syn::Type::ImplTrait(bounds) => Type::Bounds(self.bounds_at(bounds.bounds.iter(), below).into()),
            syn::Type::TraitObject(bounds) => Type::Bounds(self.bounds_at(bounds.bounds.iter(), below).into()),
            syn::Type::Paren(inner) => self.ty_at(&inner.elem, below),
            syn::Type::Group(inner) => self.ty_at(&inner.elem, below),
            syn::Type::FnPtr(function) => {
                let inputs = function.inputs.iter().map(|input| self.ty_at(&input.ty, below)).collect();
                Type::Function(inputs, self.output_at(&function.output, below).map(Arc::new))
            }
            _ => Type::Other,
        }
    }

    /// A return type; None for unit.
    pub(super) fn output(&mut self, output: &ReturnType) -> Option<Type> {
        self.output_at(output, 0)
    }

    fn output_at(&mut self, output: &ReturnType, depth: usize) -> Option<Type> {
        match output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(self.ty_at(ty, depth)).filter(|ty| *ty != Type::Tuple(Arc::new([]))),
        }
    }

    /// The traits among some bounds.
    pub(super) fn bounds<'s>(&mut self, bounds: impl Iterator<Item = &'s TypeParamBound>) -> Vec<Type> {
        self.bounds_at(bounds, 0)
    }

    fn bounds_at<'s>(&mut self, bounds: impl Iterator<Item = &'s TypeParamBound>, depth: usize) -> Vec<Type> {
        bounds
            .filter_map(|bound| match bound {
                TypeParamBound::Trait(bound) => Some(self.path_type(&bound.path, depth)),
                _ => None,
            })
            .collect()
    }

    /// A path as a type: `From<&HeaderMap>` of an `impl`.
    pub(super) fn path_as_type(&mut self, path: &syn::Path) -> Type {
        self.path_type(path, 0)
    }

    fn path_type(&mut self, path: &syn::Path, depth: usize) -> Type {
        let arguments = match path.segments.last() {
            Some(last) => self.arguments(&last.arguments, depth),
            None => Vec::new(),
        };
        Type::Path { path: self.segments(path).into(), arguments: arguments.into() }
    }

    /// The type arguments of a segment: `Item = T` counts as `T`, after the others.
    fn arguments(&mut self, arguments: &PathArguments, depth: usize) -> Vec<Type> {
        match arguments {
            PathArguments::None => Vec::new(),
            PathArguments::AngleBracketed(arguments) => self.angle_bracketed_at(arguments, depth),
            PathArguments::Parenthesized(function) => {
                let mut types: Vec<Type> = function.inputs.iter().map(|input| self.ty_at(&input.ty, depth)).collect();
                types.push(self.output_at(&function.output, depth).unwrap_or(Type::Tuple(Arc::new([]))));
                types
            }
        }
    }

    /// The type arguments of a turbofish.
    pub(super) fn angle_bracketed(&mut self, arguments: &syn::AngleBracketedGenericArguments) -> Vec<Type> {
        self.angle_bracketed_at(arguments, 0)
    }

    fn angle_bracketed_at(&mut self, arguments: &syn::AngleBracketedGenericArguments, depth: usize) -> Vec<Type> {
        arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(self.ty_at(ty, depth)),
                GenericArgument::AssocType(associated) => Some(self.ty_at(&associated.ty, depth)),
                _ => None,
            })
            .collect()
    }

    fn segments(&mut self, path: &syn::Path) -> Vec<Name> {
        path.segments.iter().map(|segment| self.ident(&segment.ident)).collect()
    }

    /// A path in an expression or pattern.
    pub(super) fn path(&mut self, qualified: Option<&syn::QSelf>, path: &syn::Path) -> Path {
        let mut generics = Vec::new();
        for segment in &path.segments {
            generics.extend(self.arguments(&segment.arguments, 0));
        }
        Path { segments: self.segments(path), of: qualified.map(|of| Box::new(self.ty(&of.ty))), generics }
    }
}
