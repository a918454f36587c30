//! Results: whether an outcome can be told from what code gives, and what it takes for types of the package's own.

use super::{DEPTH, Maker, outcomes, with_arguments};
use crate::extract::slice::{ModulePath, raw};
use crate::ir::{FieldItem, Name, ScopeId, Type, TypeId, TypeKind, is_number_type};
use crate::module::Resolved;
use crate::names;

impl Maker<'_, '_, '_> {
    /// Whether an outcome can be told from a value of the type. Local types get what it takes.
    pub(in crate::extract) fn gives_wait(
        &mut self,
        ty: &Type,
        scope: ScopeId,
        self_type: Option<&Type>,
        depth: usize,
    ) -> bool {
        if depth > DEPTH {
            return false;
        }
        let ty = match ty {
            Type::Reference(inner) | Type::MutableReference(inner) => inner,
            other => other,
        };
        let Type::Path { path, arguments } = ty else { return false };
        let last = path.last().map_or("", |last| last);
        match self.slice.resolve(scope, self_type, path) {
            Resolved::Type(id) => {
                let item = self.slice.program.type_item(id);
                let (kind, home, name) = (item.kind.clone(), item.scope, item.name.clone());
                match kind {
                    TypeKind::Alias(of) => {
                        // What is written at the alias is resolved where that stands.
                        let is_wrapper = matches!(of.last_segment(), Some("Option" | "Result"));
                        match arguments.first() {
                            Some(given) if is_wrapper => self.gives_wait(given, scope, self_type, depth + 1),
                            _ => self.gives_wait(&with_arguments(of, arguments), home, None, depth + 1),
                        }
                    }
                    TypeKind::Struct(fields) => self.struct_gives_wait(id, home, &name, &fields, depth),
                    TypeKind::Enum(variants) => self.enum_gives_wait(id, home, &name, &variants, depth),
                    TypeKind::Trait(_) => false,
                }
            }
            Resolved::External(of) => {
                let last = of.rsplit("::").next().unwrap_or_default();
                let library = of.split("::").next().unwrap_or_default();
                match last {
                    "Option" | "Result" | "Box" => {
                        arguments.first().is_some_and(|inner| self.gives_wait(inner, scope, self_type, depth + 1))
                    }
                    "Duration" | "SystemTime" | "Instant" | "TimeDelta" | "DateTime" | "NaiveDateTime"
                    | "OffsetDateTime" | "Timestamp" | "Zoned" | "SignedDuration" | "HttpDate" => {
                        let is_tokio = library == "tokio" && self.slice.is_lift;
                        if matches!(library, "chrono" | "time" | "jiff" | "httpdate") || is_tokio {
                            self.slice.crates.insert(library.to_owned());
                        }
                        true
                    }
                    _ => is_number_type(last),
                }
            }
            _ => is_number_type(last) || matches!(last, "Duration" | "SystemTime" | "Instant"),
        }
    }

    /// Lets an outcome be told from a type of the package's own, if it holds a wait.
    pub(in crate::extract) fn implement_for(&mut self, id: TypeId) {
        let item = self.slice.program.type_item(id);
        let (kind, home, name) = (item.kind.clone(), item.scope, item.name.clone());
        match kind {
            TypeKind::Struct(fields) => self.struct_gives_wait(id, home, &name, &fields, 1),
            TypeKind::Enum(variants) => self.enum_gives_wait(id, home, &name, &variants, 1),
            _ => false,
        };
    }

    fn struct_gives_wait(
        &mut self,
        id: TypeId,
        home: ScopeId,
        name: &Name,
        fields: &[FieldItem],
        depth: usize,
    ) -> bool {
        let Some(field) = self.payload(fields, home, depth) else { return false };
        let module = self.slice.module_of(home);
        self.slice.ty(id);
        let text = format!("{}::outcome(self.{})", outcomes(&module), raw(&fields[field].name));
        self.implement(id, &module, name, &text);
        true
    }

    fn enum_gives_wait(
        &mut self,
        id: TypeId,
        home: ScopeId,
        name: &Name,
        variants: &[crate::ir::VariantItem],
        depth: usize,
    ) -> bool {
        let module = self.slice.module_of(home);
        let mut arms = String::new();
        let mut is_any = false;
        for variant in variants {
            let Some(field) = self.payload(&variant.fields, home, depth) else { continue };
            is_any = true;
            let field = &variant.fields[field].name;
            arms.push_str(&format!(
                "{}::{} {{ {}: value, .. }} => {}::outcome(value), ",
                raw(name),
                raw(&variant.name),
                field,
                outcomes(&module)
            ));
        }
        if !is_any {
            return false;
        }
        self.slice.ty(id);
        let text =
            format!("#[allow(unreachable_patterns)] match self {{ {arms} _ => {}::Outcome::None }}", outcomes(&module));
        self.implement(id, &module, name, &text);
        true
    }

    /// The field that holds the wait: the one that is named for it, the only one, or the only one of a type of time.
    fn payload(&mut self, fields: &[FieldItem], home: ScopeId, depth: usize) -> Option<usize> {
        let named = fields.iter().position(|field| names::is_hint(&field.name));
        let of_time = |field: &FieldItem| {
            let inner = match field.ty.last_segment() {
                Some("Option") => field.ty.arguments().first(),
                _ => Some(&field.ty),
            };
            matches!(
                inner.and_then(Type::last_segment),
                Some("Duration" | "Instant" | "SystemTime" | "DateTime" | "OffsetDateTime" | "Timestamp")
            )
        };
        let times: Vec<usize> = (0..fields.len()).filter(|index| of_time(&fields[*index])).collect();
        let only = match (fields.len(), times.as_slice()) {
            (1, _) => Some(0),
            (_, [only]) => Some(*only),
            _ => None,
        };
        let candidate = named.or(only)?;
        self.gives_wait(&fields[candidate].ty, home, None, depth + 1).then_some(candidate)
    }

    fn implement(&mut self, id: TypeId, module: &ModulePath, name: &str, text: &str) {
        let at = self.slice.program.type_item(id).span;
        self.slice.anchors.entry(module.clone()).or_insert(at);
        let of = outcomes(module);
        let text = format!(
            "impl {of}::IntoOutcome for {} {{ fn outcome(self) -> {of}::Outcome {{ {text} }} }}\n\n",
            raw(name)
        );
        let addition = self.slice.additions.entry(module.clone()).or_default();
        if !addition.contains(&text) {
            addition.push_str(&text);
        }
    }
}

/// The number type within a result, if that is what it comes to.
pub(in crate::extract) fn number_in(ty: &Type) -> bool {
    match ty.peeled() {
        Type::Path { path, arguments } => match path.last().map(|last| &**last) {
            Some("Option" | "Result" | "Poll") => arguments.first().is_some_and(number_in),
            Some(name) => is_number_type(name),
            None => false,
        },
        _ => false,
    }
}
