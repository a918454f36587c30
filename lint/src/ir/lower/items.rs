//! Items: functions, constants, types, `impl`s, modules and `use` lines.

use super::Lowerer;
use super::attributes::{Cfg, attribute_arguments, is_test_function};
use crate::ir::{
    Constant, FieldItem, Function, ImplItem, Name, Owner, Parameter, Pattern, Scope, ScopeId, Span, Type, TypeItem,
    TypeKind, Use, VariantItem,
};
use syn::{
    Attribute, Fields, FnArg, Generics, ImplItem as SynImplItem, Item, Meta, ReceiverKind, Signature, TraitItem,
    UseTree, Visibility,
};

/// How deep braces may nest in a `use` line.
const MAX_USE_DEPTH: usize = 64;

/// Where items stand.
#[derive(Clone)]
pub(super) struct Place {
    /// The module or block.
    pub(super) scope: ScopeId,
    /// The `impl` or trait.
    owner: Owner,
    /// Whether its items are visible whatever they say: those of traits and of their `impl`s.
    is_public: bool,
    /// Whether it belongs to tests.
    is_test: bool,
    /// The type parameters of the `impl` or trait.
    generics: Vec<(Name, Vec<Type>)>,
}

impl Place {
    /// A module or block.
    pub(super) fn free(scope: ScopeId, is_test: bool) -> Self {
        Place { scope, owner: Owner::Free, is_public: false, is_test, generics: Vec::new() }
    }

    /// The file's own module.
    pub(super) fn file() -> Self {
        Place::free(ScopeId(0), false)
    }
}

impl Lowerer<'_> {
    /// The items of a module.
    pub(super) fn items(&mut self, items: &[Item], place: &Place) {
        let is_test = place.is_test || self.ir.scopes[place.scope.0 as usize].is_test;
        let place = Place { is_test, ..place.clone() };
        for item in items {
            self.item(item, &place);
        }
    }

    /// One item.
    pub(super) fn item(&mut self, item: &Item, place: &Place) {
        let scope = place.scope;
        match item {
            Item::Fn(function) => {
                let start = self.item_start(&function.vis, signature_start(&function.sig));
                let end = self.span(function.block.brace_token.span.close());
                let body = Some(&*function.block);
                self.function(&function.attrs, &function.vis, &function.sig, body, start.to(end), place);
            }
            Item::Const(constant) => {
                let span =
                    self.item_start(&constant.vis, constant.const_token.span).to(self.span(constant.semi_token.span));
                let is_public = self.is_public(&constant.vis, place);
                self.constant(&constant.ident, &constant.ty, Some(&constant.expr), span, is_public, place);
            }
            Item::Static(constant) => {
                let span =
                    self.item_start(&constant.vis, constant.static_token.span).to(self.span(constant.semi_token.span));
                let is_public = self.is_public(&constant.vis, place);
                self.constant(&constant.ident, &constant.ty, Some(&constant.expr), span, is_public, place);
            }
            Item::Struct(record) => {
                let kind = TypeKind::Struct(self.fields(&record.fields, false));
                let end = match (&record.fields, &record.semi_token) {
                    (_, Some(semicolon)) => semicolon.span,
                    (Fields::Named(fields), None) => fields.brace_token.span.close(),
                    _ => record.ident.span(),
                };
                let span = self.item_start(&record.vis, record.struct_token.span).to(self.span(end));
                self.type_item(&record.ident, &record.attrs, &record.vis, kind, span, place);
            }
            Item::Union(union) => {
                let kind = TypeKind::Struct(self.fields(&Fields::Named(union.fields.clone()), false));
                let span = self
                    .item_start(&union.vis, union.union_token.span)
                    .to(self.span(union.fields.brace_token.span.close()));
                self.type_item(&union.ident, &union.attrs, &union.vis, kind, span, place);
            }
            Item::Enum(choice) => {
                let variants = choice
                    .variants
                    .iter()
                    .map(|variant| VariantItem {
                        name: self.ident(&variant.ident),
                        fields: self.fields(&variant.fields, true),
                    })
                    .collect();
                let span =
                    self.item_start(&choice.vis, choice.enum_token.span).to(self.span(choice.brace_token.span.close()));
                self.type_item(&choice.ident, &choice.attrs, &choice.vis, TypeKind::Enum(variants), span, place);
            }
            Item::Type(alias) => {
                let kind = TypeKind::Alias(self.ty(&alias.ty));
                let span = self.item_start(&alias.vis, alias.type_token.span).to(self.span(alias.semi_token.span));
                self.type_item(&alias.ident, &alias.attrs, &alias.vis, kind, span, place);
            }
            Item::Trait(definition) => self.trait_item(definition, place),
            Item::Impl(implementation) => self.implementation(implementation, place),
            Item::Mod(module) => self.module(module, place),
            Item::Use(item) => {
                let is_public = !matches!(item.vis, Visibility::Inherited);
                let mut uses = Vec::new();
                self.use_tree(&item.tree, &mut Vec::new(), is_public, &mut uses, 0);
                self.ir.scopes[scope.0 as usize].uses.append(&mut uses);
            }
            Item::ExternCrate(item) => {
                if let Some((_, rename)) = &item.rename {
                    let is_public = !matches!(item.vis, Visibility::Inherited);
                    let leaf = Use { path: vec![self.ident(&item.ident)], name: Some(self.ident(rename)), is_public };
                    self.ir.scopes[scope.0 as usize].uses.push(leaf);
                }
            }
            Item::ForeignMod(foreign) => {
                for item in &foreign.items {
                    if let syn::ForeignItem::Fn(function) = item {
                        let start = self.item_start(&function.vis, signature_start(&function.sig));
                        let span = start.to(self.span(function.semi_token.span));
                        self.function(&function.attrs, &function.vis, &function.sig, None, span, place);
                    }
                }
            }
            // The body of a `macro_rules!` is a template, not code.
            Item::Macro(call) if call.ident.is_none() && Cfg::of(&call.attrs) != Cfg::Test => {
                self.item_macro(&call.mac, place);
            }
            _ => {}
        }
    }

    fn module(&mut self, module: &syn::ItemMod, place: &Place) {
        let name = self.ident(&module.ident);
        let is_test = place.is_test || Cfg::of(&module.attrs) == Cfg::Test;
        let Some((_, items)) = &module.content else {
            if let Some(path) = path_attribute(&module.attrs) {
                self.ir.path_modules.push((place.scope, name.clone(), path));
            }
            if is_test {
                self.ir.test_modules.push((place.scope, name));
            }
            return;
        };
        let outer = &self.ir.scopes[place.scope.0 as usize];
        let mut path = outer.module.clone();
        path.push(name);
        let scope = Scope {
            parent: Some(place.scope),
            package: outer.package,
            module: path,
            is_block: false,
            is_test,
            uses: Vec::new(),
        };
        let scope = self.scope(scope);
        self.items(items, &Place::free(scope, is_test));
    }

    fn implementation(&mut self, implementation: &syn::ItemImpl, place: &Place) {
        let ty = self.ty(&implementation.self_ty);
        let of = implementation.trait_.as_ref().map(|(path, _)| self.path_as_type(path));
        self.ir.impls.push(ImplItem { scope: place.scope, of: of.clone(), ty: ty.clone() });
        let is_public = of.is_some();
        let owner = match of {
            Some(of) => Owner::TraitImpl { of, ty },
            None => Owner::Inherent(ty),
        };
        let is_test = place.is_test || Cfg::of(&implementation.attrs) == Cfg::Test;
        let generics = self.generics(&implementation.generics);
        let place = Place { scope: place.scope, owner, is_public, is_test, generics };
        self.members(&implementation.items, &place);
    }

    /// The members of an `impl`.
    pub(super) fn members(&mut self, members: &[SynImplItem], place: &Place) {
        for item in members {
            match item {
                SynImplItem::Fn(function) => {
                    let start = self.item_start(&function.vis, signature_start(&function.sig));
                    let span = start.to(self.span(function.block.brace_token.span.close()));
                    self.function(&function.attrs, &function.vis, &function.sig, Some(&function.block), span, place);
                }
                SynImplItem::Const(constant) => {
                    let start = self.item_start(&constant.vis, constant.const_token.span);
                    let span = start.to(self.span(constant.semi_token.span));
                    let is_public = self.is_public(&constant.vis, place);
                    self.constant(&constant.ident, &constant.ty, Some(&constant.expr), span, is_public, place);
                }
                SynImplItem::Macro(call) => self.member_macro(&call.mac, place),
                _ => {}
            }
        }
    }

    fn trait_item(&mut self, definition: &syn::ItemTrait, place: &Place) {
        let name = self.ident(&definition.ident);
        let methods = definition
            .items
            .iter()
            .filter_map(|item| match item {
                TraitItem::Fn(function) => Some(self.ident(&function.sig.ident)),
                _ => None,
            })
            .collect();
        let start = definition.unsafety.map_or(definition.trait_token.span, |token| token.span);
        let span = self.item_start(&definition.vis, start).to(self.span(definition.brace_token.span.close()));
        self.type_item(&definition.ident, &definition.attrs, &definition.vis, TypeKind::Trait(methods), span, place);
        let place = Place {
            scope: place.scope,
            owner: Owner::Trait(name),
            is_public: matches!(definition.vis, Visibility::Public(_)),
            is_test: place.is_test || Cfg::of(&definition.attrs) == Cfg::Test,
            generics: self.generics(&definition.generics),
        };
        for item in &definition.items {
            match item {
                TraitItem::Fn(function) => {
                    let end = match (&function.default, &function.semi_token) {
                        (Some(block), _) => block.brace_token.span.close(),
                        (None, Some(semicolon)) => semicolon.span,
                        (None, None) => function.sig.paren_token.span.close(),
                    };
                    let span = self.span(signature_start(&function.sig)).to(self.span(end));
                    let body = function.default.as_ref();
                    self.function(&function.attrs, &Visibility::Inherited, &function.sig, body, span, &place);
                }
                TraitItem::Const(constant) => {
                    let span = self.between(constant.const_token.span, constant.semi_token.span);
                    let value = constant.default.as_ref().map(|(_, value)| value);
                    self.constant(&constant.ident, &constant.ty, value, span, place.is_public, &place);
                }
                _ => {}
            }
        }
    }

    fn function(
        &mut self,
        attributes: &[Attribute],
        visibility: &Visibility,
        signature: &Signature,
        block: Option<&syn::Block>,
        span: Span,
        place: &Place,
    ) {
        let name = self.ident(&signature.ident);
        let name_span = self.span(signature.ident.span());
        let mut generics = place.generics.clone();
        generics.extend(self.generics(&signature.generics));
        let has_receiver = signature.receiver().is_some();
        let mut parameters = Vec::with_capacity(signature.inputs.len());
        let (body, scope) = self.with_body(place.scope, |this| {
            for input in &signature.inputs {
                let parameter = this.parameter(input);
                parameters.push(parameter);
            }
            block.map(|block| this.block(block, None, None).id)
        });
        let function = Function {
            name,
            name_span,
            span,
            scope,
            home: place.scope,
            owner: place.owner.clone(),
            parameters,
            has_receiver,
            output: self.output(&signature.output),
            generics,
            is_public: self.is_public(visibility, place),
            is_async: signature.asyncness.is_some(),
            is_test: place.is_test || is_test_function(attributes),
            body: block.map(|_| body),
        };
        self.ir.functions.push(function);
    }

    fn parameter(&mut self, input: &FnArg) -> Parameter {
        match input {
            FnArg::Receiver(receiver) => {
                let this = Type::Path { path: [self.name("Self")].into(), arguments: [].into() };
                let ty = match &receiver.kind {
                    ReceiverKind::Reference(_, _, Some(_)) => Type::MutableReference(this.into()),
                    ReceiverKind::Reference(_, _, None) => Type::Reference(this.into()),
                    ReceiverKind::Typed(_, ty) => self.ty(ty),
                    _ => this,
                };
                let name = self.name("self");
                let local = self.bind(name, Some(ty.clone()));
                Parameter { pattern: Pattern::Bind(local, None), ty: Some(ty) }
            }
            FnArg::Typed(typed) => {
                let ty = self.ty(&typed.ty);
                let pattern = self.pattern(&typed.pat);
                self.annotate(&pattern, &ty);
                Parameter { pattern, ty: Some(ty) }
            }
        }
    }

    pub(super) fn constant(
        &mut self,
        ident: &syn::Ident,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
        span: Span,
        is_public: bool,
        place: &Place,
    ) {
        let name = self.ident(ident);
        let ty = self.ty(ty);
        let (body, scope) = self.with_body(place.scope, |this| value.map(|value| this.id(value)));
        let body = value.map(|_| body);
        self.ir.constants.push(Constant {
            name,
            span,
            scope,
            home: place.scope,
            owner: place.owner.clone(),
            ty,
            body,
            is_public,
        });
    }

    fn type_item(
        &mut self,
        ident: &syn::Ident,
        attributes: &[Attribute],
        visibility: &Visibility,
        kind: TypeKind,
        span: Span,
        place: &Place,
    ) {
        let name = self.ident(ident);
        let mut derives = Vec::new();
        for text in attribute_arguments(attributes, "derive") {
            for path in text.split(',') {
                // The last segment of `serde::Deserialize`.
                let last = path.rsplit("::").next().unwrap_or("").trim();
                if !last.is_empty() {
                    derives.push(self.name(last));
                }
            }
        }
        let is_public = self.is_public(visibility, place);
        self.ir.types.push(TypeItem { name, span, scope: place.scope, kind, derives, is_public });
    }

    fn fields(&mut self, fields: &Fields, is_variant: bool) -> Vec<FieldItem> {
        fields
            .iter()
            .enumerate()
            .map(|(index, field)| FieldItem {
                name: match &field.ident {
                    Some(ident) => self.ident(ident),
                    None => self.name(&index.to_string()),
                },
                ty: self.ty(&field.ty),
                is_public: is_variant || matches!(field.vis, Visibility::Public(_)),
                serde: attribute_arguments(&field.attrs, "serde").join(", "),
            })
            .collect()
    }

    /// Type parameters with the bounds of the list and of the where-clause.
    fn generics(&mut self, generics: &Generics) -> Vec<(Name, Vec<Type>)> {
        let mut list: Vec<(Name, Vec<Type>)> =
            generics.type_params().map(|param| (self.ident(&param.ident), self.bounds(param.bounds.iter()))).collect();
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let Type::Path { path, .. } = self.ty(&predicate.bounded_ty)
                && let [name] = &*path
            {
                let bounds = self.bounds(predicate.bounds.iter());
                match list.iter_mut().find(|(param, _)| param == name) {
                    Some((_, known)) => known.extend(bounds),
                    // A method's where-clause may bound a parameter of its `impl`.
                    None => list.push((name.clone(), bounds)),
                }
            }
        }
        list
    }

    /// The leaves of a `use`; `path` is what stands before the tree.
    fn use_tree(&mut self, tree: &UseTree, path: &mut Vec<Name>, is_public: bool, uses: &mut Vec<Use>, depth: usize) {
        if depth > MAX_USE_DEPTH {
            return;
        }
        let mark = path.len();
        let mut tree = tree;
        while let UseTree::Path(segment) = tree {
            path.push(self.ident(&segment.ident));
            tree = &segment.tree;
        }
        match tree {
            UseTree::Name(leaf) if leaf.ident == "self" => {
                // `use a::{self}` names `a`.
                uses.push(Use { path: path.clone(), name: path.last().cloned(), is_public });
            }
            UseTree::Rename(leaf) if leaf.ident == "self" && !path.is_empty() => {
                uses.push(Use { path: path.clone(), name: Some(self.ident(&leaf.rename)), is_public });
            }
            UseTree::Name(leaf) => {
                let name = self.ident(&leaf.ident);
                let path = path.iter().cloned().chain([name.clone()]).collect();
                uses.push(Use { path, name: Some(name), is_public });
            }
            UseTree::Rename(leaf) => {
                let name = self.ident(&leaf.ident);
                let path = path.iter().cloned().chain([name]).collect();
                uses.push(Use { path, name: Some(self.ident(&leaf.rename)), is_public });
            }
            UseTree::Glob(_) => uses.push(Use { path: path.clone(), name: None, is_public }),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, path, is_public, uses, depth + 1);
                }
            }
            UseTree::Path(_) => {}
        }
        path.truncate(mark);
    }

    fn is_public(&self, visibility: &Visibility, place: &Place) -> bool {
        place.is_public || matches!(visibility, Visibility::Public(_))
    }

    fn item_start(&self, visibility: &Visibility, otherwise: proc_macro2::Span) -> Span {
        self.span(match visibility {
            Visibility::Public(token) => token.span,
            Visibility::Restricted(restricted) => restricted.pub_token.span,
            _ => otherwise,
        })
    }
}

/// The text of `#[path = ".."]`.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// The first token of a function after its visibility.
fn signature_start(signature: &Signature) -> proc_macro2::Span {
    let safety = match &signature.safety {
        syn::Safety::Unsafe(token) => Some(token.span),
        syn::Safety::Safe(token) => Some(token.span),
        syn::Safety::Default => None,
    };
    let abi = signature.abi.as_ref().map(|abi| abi.extern_token.span);
    signature
        .constness
        .map(|token| token.span)
        .or(signature.asyncness.map(|token| token.span))
        .or(safety)
        .or(abi)
        .unwrap_or(signature.fn_token.span)
}
