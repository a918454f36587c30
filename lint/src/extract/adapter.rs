//! Adapters: from the lines of a header to the parameters of a function, and from its result to an outcome.

mod results;

pub(super) use results::number_in;

use super::clients::{CLIENT, CLOCKS, OUTCOMES, stand_in};
use super::slice::{ModulePath, Slice, raw};
use super::{NotExtracted, Reason, Strategy};
use crate::ir::{FieldItem, Function, FunctionId, Name, Op, Owner, ScopeId, Type, TypeId, TypeKind};
use crate::module::Resolved;
use crate::names;

/// How deep in types within types a value is made.
const DEPTH: usize = 5;

/// What a value is made for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'n> {
    /// The name of the parameter or field.
    pub(super) name: &'n str,
    /// Whether a text of this place is the header's.
    pub(super) is_header_text: bool,
    pub(super) depth: usize,
}

/// How the parameters of one function are made.
pub(super) struct Maker<'s, 'a, 'w> {
    pub(super) slice: &'s mut Slice<'a, 'w>,
    pub(super) module: ModulePath,
    pub(super) scope: ScopeId,
    pub(super) self_type: Option<Type>,
    /// The names of generic parameters and their bounds.
    pub(super) generics: Vec<(Name, Vec<Type>)>,
    /// The name of the header, for functions that are given it.
    pub(super) header: String,
    /// Whether anything that was made holds the header.
    pub(super) is_fed: bool,
    /// Whether an absent header means that the code is not called.
    pub(super) needs_text: bool,
    /// Whether it needs a header's value of its own.
    pub(super) needs_value: bool,
    pub(super) notes: Vec<String>,
    /// Whether types of errors may be others than the code's.
    pub(super) is_outline: bool,
    /// The type of a receiver that is never looked into.
    pub(super) unread: Option<String>,
}

type Made = Result<String, NotExtracted>;

fn no(reason: Reason, detail: impl Into<String>) -> NotExtracted {
    NotExtracted { strategy: Strategy::Slice, reason, detail: detail.into() }
}

impl<'s, 'a, 'w> Maker<'s, 'a, 'w> {
    pub(super) fn new(slice: &'s mut Slice<'a, 'w>, function: &Function, header: &str) -> Self {
        Maker {
            module: slice.module_of(function.home),
            slice,
            scope: function.home,
            self_type: function.owner.self_type().cloned(),
            generics: function.generics.clone(),
            header: header.to_owned(),
            is_fed: false,
            needs_text: false,
            needs_value: false,
            notes: Vec::new(),
            is_outline: false,
            unread: None,
        }
    }

    fn up(&self) -> String {
        if self.module.is_empty() { "self::".to_owned() } else { "super::".repeat(self.module.len()) }
    }

    pub(super) fn http(&mut self) -> String {
        self.slice.with_client = true;
        self.slice.crates.insert("http".to_owned());
        format!("{}{CLIENT}", self.up())
    }

    /// The text of a value of the type.
    pub(super) fn make(&mut self, ty: &Type, wanted: Wanted<'_>) -> Made {
        if wanted.depth > DEPTH {
            return Err(no(Reason::NoAdapter, format!("{}: nested types", wanted.name)));
        }
        let deeper = Wanted { depth: wanted.depth + 1, ..wanted };
        match ty {
            Type::Reference(inner) | Type::MutableReference(inner) => {
                let is_text = matches!(&**inner, Type::Path { path, .. } if path.len() == 1 && &*path[0] == "str");
                if is_text {
                    return Ok(self.text(wanted));
                }
                if let Type::Slice(element) = &**inner {
                    if element.last_segment() == Some("u8") {
                        let text = self.text(wanted);
                        return Ok(format!("{text}.as_bytes()"));
                    }
                    let element = self.make(element, deeper)?;
                    return Ok(format!("&[{element}]"));
                }
                let value = self.make(inner, deeper)?;
                let mark = if matches!(ty, Type::MutableReference(_)) { "&mut " } else { "&" };
                Ok(format!("{mark}({value})"))
            }
            Type::Bounds(bounds) => self.of_bounds(bounds, wanted),
            Type::Tuple(parts) => {
                let parts: Result<Vec<String>, _> = parts.iter().map(|part| self.make(part, deeper)).collect();
                let parts = parts?;
                Ok(if parts.is_empty() { "()".to_owned() } else { format!("({},)", parts.join(", ")) })
            }
            Type::Path { path, arguments } => {
                if path.len() == 1
                    && let Some((_, bounds)) = self.generics.iter().find(|(name, _)| *name == path[0])
                {
                    let bounds = bounds.clone();
                    return self.of_bounds(&bounds, wanted);
                }
                self.of_path(path, arguments, wanted)
            }
            _ => Err(no(Reason::NoAdapter, format!("{}: its type", wanted.name))),
        }
    }

    fn of_path(&mut self, path: &[Name], arguments: &[Type], wanted: Wanted<'_>) -> Made {
        let deeper = Wanted { depth: wanted.depth + 1, ..wanted };
        let self_type = self.self_type.clone();
        let last = path.last().map_or("", |last| last);
        if last == "Box"
            && let [inner] = arguments
        {
            let value = self.make(inner, deeper)?;
            return Ok(format!("::std::boxed::Box::new({value})"));
        }
        match self.slice.resolve(self.scope, self_type.as_ref(), path) {
            Resolved::Type(id) => {
                let item = self.slice.program.type_item(id);
                match &item.kind {
                    TypeKind::Struct(fields) => {
                        let (scope, name, fields) = (item.scope, item.name.clone(), fields.clone());
                        self.of_struct(id, scope, &name, &fields, wanted)
                    }
                    TypeKind::Alias(of) => {
                        let (of, scope) = (of.clone(), item.scope);
                        let of = with_arguments(of, arguments);
                        let was = std::mem::replace(&mut self.scope, scope);
                        let made = self.make(&of, deeper);
                        self.scope = was;
                        made
                    }
                    _ => Err(no(Reason::NoAdapter, format!("{}: {last}", wanted.name))),
                }
            }
            Resolved::External(of) | Resolved::Unknown(of) => self.of_external(&of, arguments, wanted),
            _ => Err(no(Reason::NoAdapter, format!("{}: {last}", wanted.name))),
        }
    }

    fn of_external(&mut self, of: &str, arguments: &[Type], wanted: Wanted<'_>) -> Made {
        let deeper = Wanted { depth: wanted.depth + 1, ..wanted };
        let last = of.rsplit("::").next().unwrap_or_default();
        let is_http = of.starts_with("http::") || stand_in(of).is_some();
        let name = wanted.name;
        let clock = |function: &str, this: &Self| Ok(format!("{}{CLOCKS}::{function}()", this.up()));
        match last {
            "String" => {
                let text = self.text(wanted);
                Ok(format!("{text}.to_owned()"))
            }
            "Cow" => {
                let text = self.text(wanted);
                Ok(format!("::std::borrow::Cow::Borrowed({text})"))
            }
            "Option" => {
                let [inner] = arguments else { return Err(no(Reason::NoAdapter, format!("{name}: {of}"))) };
                let was = (self.is_fed, self.needs_text, self.needs_value);
                self.is_fed = false;
                let inner_made = self.make(inner, deeper);
                let is_fed = std::mem::replace(&mut self.is_fed, was.0);
                match inner_made {
                    Ok(made) if is_fed => {
                        self.is_fed = true;
                        let needs_own = self.needs_text && !was.1 || self.needs_value && !was.2;
                        if needs_own {
                            // An absent header is an absent value here.
                            (self.needs_text, self.needs_value) = (was.1, was.2);
                            let up = self.up();
                            return Ok(if made.contains("value") && !made.contains("text") {
                                let client = self.http();
                                format!(
                                    "{client}::value(lines).as_ref().map(|value| {})",
                                    made.replace("(&value)", "value").replace("&(value)", "value")
                                )
                            } else {
                                format!("{up}{OUTCOMES}::text(lines).map(|text| {made})")
                            });
                        }
                        Ok(format!("::std::option::Option::Some({made})"))
                    }
                    _ => {
                        (self.needs_text, self.needs_value) = (was.1, was.2);
                        Ok("::std::option::Option::None".to_owned())
                    }
                }
            }
            "Result" => {
                let Some(inner) = arguments.first() else { return Err(no(Reason::NoAdapter, format!("{name}: {of}"))) };
                let error = if self.is_outline { "::<_, ::std::convert::Infallible>" } else { "" };
                Ok(format!("::std::result::Result::Ok{error}({})", self.make(inner, deeper)?))
            }
            "Vec" => {
                let Some(inner) = arguments.first() else { return Err(no(Reason::NoAdapter, format!("{name}: {of}"))) };
                if inner.last_segment() == Some("String") && (name.contains("header") || wanted.is_header_text) {
                    self.is_fed = true;
                    return Ok(format!("{}{OUTCOMES}::raw_lines(lines)", self.up()));
                }
                Ok("::std::vec::Vec::new()".to_owned())
            }
            "HeaderValue" if is_http => {
                self.is_fed = true;
                self.needs_value = true;
                self.http();
                Ok("value".to_owned())
            }
            "HeaderMap" if is_http => {
                self.is_fed = true;
                Ok(format!("{}::headers(lines, {:?})", self.http(), self.header))
            }
            "Parts" | "Response" if is_http && self.slice.is_lift => {
                self.is_fed = true;
                Ok(self.answer_in_place(of, arguments))
            }
            "Parts" if is_http => {
                self.is_fed = true;
                Ok(format!("{}::response::<()>(lines, {:?}).into_parts().0", self.http(), self.header))
            }
            "Response" if is_http => {
                self.is_fed = true;
                let client = self.http();
                let body = if self.has_open_body(arguments) { "::<::std::vec::Vec<u8>>" } else { "" };
                Ok(format!("{client}::response{body}(lines, {:?})", self.header))
            }
            "StatusCode" if is_http && self.slice.is_lift => Ok(format!("{}::status()", self.http())),
            "StatusCode" if is_http => Ok(format!("{}::StatusCode::TOO_MANY_REQUESTS", self.http())),
            "HeaderName" if is_http && self.slice.is_lift => Ok(format!("{}::name({:?})", self.http(), self.header)),
            "HeaderName" if is_http => {
                let client = self.http();
                Ok(format!("{client}::HeaderName::from_static({:?})", self.header))
            }
            "SystemTime" => clock("wall", self),
            "Instant" if self.slice.is_lift && of.starts_with("tokio::") => {
                clock("monotonic", self).map(|now: String| format!("::{of}::from_std({now})"))
            }
            "Instant" => clock("monotonic", self),
            "Timestamp" if of.starts_with("jiff") => {
                self.slice.crates.insert("jiff".to_owned());
                Ok(format!("::jiff::Timestamp::try_from({}{CLOCKS}::wall()).unwrap()", self.up()))
            }
            "DateTime" if of.starts_with("chrono") => {
                self.slice.crates.insert("chrono".to_owned());
                Ok(format!("::chrono::DateTime::from({}{CLOCKS}::wall())", self.up()))
            }
            "OffsetDateTime" if of.starts_with("time") => {
                self.slice.crates.insert("time".to_owned());
                Ok(format!("::time::OffsetDateTime::from({}{CLOCKS}::wall())", self.up()))
            }
            "Duration" if of == "std::time::Duration" => {
                let is_own = ["default", "fallback", "backoff", "base", "delay", "initial"]
                    .iter()
                    .any(|part| name.contains(part));
                if !is_own {
                    return Err(no(Reason::FreeVariable, name));
                }
                self.notes
                    .push(format!("`{name}` is a wait of the code's own: a result that equals it counts as no hint"));
                Ok(format!("{}{OUTCOMES}::own_value()", self.up()))
            }
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
                if name.contains("status") || name.contains("code") {
                    return Ok(format!("429 as {last}"));
                }
                if name.contains("now") {
                    return Ok(format!(
                        "{}{CLOCKS}::wall().duration_since(::std::time::SystemTime::UNIX_EPOCH).unwrap().as_secs() as {last}",
                        self.up()
                    ));
                }
                if ["attempt", "retries", "retry_count", "tries", "count", "index"]
                    .iter()
                    .any(|part| name.contains(part))
                {
                    self.notes.push(format!("`{name}` is 1"));
                    return Ok(format!("1 as {last}"));
                }
                if ["default", "fallback", "backoff"].iter().any(|part| name.contains(part)) {
                    self.notes.push(format!(
                        "`{name}` is a wait of the code's own: a result that equals it counts as no hint"
                    ));
                    return Ok(format!("{}{OUTCOMES}::own_value()", self.up()));
                }
                Err(no(Reason::FreeVariable, name))
            }
            _ if of.contains("MetadataMap") || of.starts_with("tonic") => Err(no(Reason::NotAnHttpHeaderMap, of)),
            "HeaderMap" | "Headers" => Err(no(Reason::NotAnHttpHeaderMap, of)),
            _ => Err(no(Reason::NoAdapter, format!("{name}: {of}"))),
        }
    }

    /// Whether the type of an answer's body is open: not written, or a parameter of the function.
    fn has_open_body(&self, arguments: &[Type]) -> bool {
        arguments.first().is_none_or(|body| {
            let is_parameter =
                |path: &[Name]| path.len() == 1 && self.generics.iter().any(|(name, _)| *name == path[0]);
            matches!(body, Type::Path { path, .. } if is_parameter(path))
        })
    }

    /// What a conversion is from, for whoever calls it. In a copy the argument says it; where the package is taken whole, arguments are of any type.
    fn source_of(&self, of: &Type) -> String {
        let is_open = |name: &Name| self.generics.iter().any(|(open, _)| open == name);
        match of.arguments().first() {
            Some(source) if self.slice.is_lift && !is_any(source, &is_open) => type_text(source),
            _ => "_".to_owned(),
        }
    }

    /// An answer, or its head, where the package is taken whole: by the path of its own type, whichever version of whichever crate that is.
    fn answer_in_place(&mut self, of: &str, arguments: &[Type]) -> String {
        let client = self.http();
        if of.split("::").any(|segment| segment == "reqwest") {
            // Nothing but `http`'s type makes one of these.
            self.slice.with_response = true;
            return format!("::{of}::from({client}::response::<::std::vec::Vec<u8>>(lines, {:?}))", self.header);
        }
        let head = of.strip_suffix("Parts");
        let path = head.map_or_else(|| of.to_owned(), |module| format!("{module}Response"));
        let is_open = !arguments.is_empty() && self.has_open_body(arguments);
        let body = match head {
            Some(_) => "()",
            None if is_open => "::std::vec::Vec::<u8>::new()",
            None => "::std::default::Default::default()",
        };
        let part = if head.is_some() { ".into_parts().0" } else { "" };
        format!(
            "{{ let mut response = ::{path}::new({body}); *response.status_mut() = {client}::status(); \
             *response.headers_mut() = {client}::headers(lines, {:?}); response }}{part}",
            self.header
        )
    }

    fn of_bounds(&mut self, bounds: &[Type], wanted: Wanted<'_>) -> Made {
        for bound in bounds {
            match bound.last_segment() {
                Some("AsHeaderName" | "IntoHeaderName") => return Ok(format!("{:?}", self.header)),
                Some("AsRef" | "Into" | "ToString" | "Borrow" | "Display") => {
                    let of_bytes = matches!(bound.arguments().first(), Some(Type::Slice(_)));
                    let text = self.text(wanted);
                    return Ok(if of_bytes { format!("{text}.as_bytes()") } else { text });
                }
                _ => {}
            }
        }
        Err(no(Reason::NoAdapter, format!("{}: a generic type", wanted.name)))
    }

    /// A text: that of the header where it is wanted, the header's name where that is, else empty.
    fn text(&mut self, wanted: Wanted<'_>) -> String {
        if wanted.is_header_text || names::is_hint(wanted.name) {
            self.is_fed = true;
            self.needs_text = true;
            return "text".to_owned();
        }
        if ["name", "key", "header"].iter().any(|part| wanted.name.contains(part)) {
            return format!("{:?}", self.header);
        }
        "\"\"".to_owned()
    }

    fn of_struct(&mut self, id: TypeId, scope: ScopeId, name: &Name, fields: &[FieldItem], wanted: Wanted<'_>) -> Made {
        let home = self.slice.module_of(scope);
        self.slice.ty(id);
        let was = std::mem::replace(&mut self.scope, scope);
        let is_tuple = fields.first().is_some_and(|field| field.name.parse::<u32>().is_ok());
        let mut made = Vec::new();
        for field in fields {
            let field_name = if is_tuple { wanted.name.to_owned() } else { field.name.to_string() };
            let value = self.make(&field.ty, Wanted { name: &field_name, depth: wanted.depth + 1, ..wanted });
            match value {
                Ok(value) if is_tuple => made.push(value),
                Ok(value) => made.push(format!("{}: {value}", raw(&field.name))),
                Err(problem) => {
                    self.scope = was;
                    return Err(problem);
                }
            }
        }
        self.scope = was;
        let path = Slice::path_from(&self.module, &home, name);
        // Fields are private to the module and those below it.
        let is_open = fields.iter().all(|field| field.is_public) || self.module.starts_with(&home);
        if !is_open {
            return Err(no(Reason::NoAdapter, format!("{}: the fields of {name} are private", wanted.name)));
        }
        Ok(match (fields.is_empty(), is_tuple) {
            (true, _) => path,
            (_, true) => format!("{path}({})", made.join(", ")),
            (_, false) => format!("{path} {{ {} }}", made.join(", ")),
        })
    }
}

/// How a module names the one that makes outcomes.
pub(super) fn outcomes(module: &[Name]) -> String {
    let up = if module.is_empty() { "self::".to_owned() } else { "super::".repeat(module.len()) };
    format!("{up}{OUTCOMES}")
}

/// An alias's type with the arguments written at the alias: `Result<T>` for `std::result::Result<T, Error>`.
fn with_arguments(of: Type, given: &[Type]) -> Type {
    let Type::Path { path, arguments } = of else { return of };
    let is_parameter = |ty: &Type| matches!(ty, Type::Path { path, arguments } if path.len() == 1 && path[0].len() == 1 && arguments.is_empty());
    let mut given = given.iter();
    let arguments = arguments.iter().map(|argument| {
        let given = if is_parameter(argument) { given.next() } else { None };
        given.unwrap_or(argument).clone()
    });
    let arguments = arguments.collect();
    Type::Path { path, arguments }
}

/// A function as something that can be called with header lines.
pub(super) struct Adapted {
    pub(super) notes: Vec<String>,
    /// Whether the receiver is memory that the code must not look at.
    pub(super) is_unread: bool,
}

/// Puts a function `extracted_subject` beside the function that calls it.
pub(super) fn adapt(
    slice: &mut Slice<'_, '_>,
    id: FunctionId,
    text_parameters: &[usize],
    header: &str,
) -> Result<Adapted, NotExtracted> {
    let function: Function = slice.program.function(id).clone();
    let module = slice.module_of(function.home);
    if function.is_async {
        return Err(no(Reason::NoAdapter, "an async function"));
    }
    let Some(output) = &function.output else { return Err(no(Reason::EscapesAs, "no result")) };
    let self_type = function.owner.self_type().cloned();
    let mut maker = Maker::new(slice, &function, header);
    if !maker.gives_wait(output, function.home, self_type.as_ref(), 0) {
        return Err(no(Reason::EscapesAs, type_text(output)));
    }
    let mut arguments = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        if index == 0 && function.has_receiver {
            arguments.push(receiver(&mut maker, &function)?);
            continue;
        }
        let Some(ty) = &parameter.ty else { return Err(no(Reason::TypeUnknown, "a parameter")) };
        let name = parameter_name(&function, index);
        let wanted = Wanted { name: &name, is_header_text: text_parameters.contains(&index), depth: 0 };
        arguments.push(maker.make(ty, wanted)?);
    }
    if !maker.is_fed {
        return Err(no(Reason::NoAdapter, "no parameter takes the header"));
    }
    let of_std_trait = matches!(&function.owner, Owner::TraitImpl { of, .. } if matches!(of.last_segment(), Some("FromStr" | "TryFrom" | "From")));
    let callee = match &function.owner {
        Owner::Free => format!("self::{}", raw(&function.name)),
        Owner::TraitImpl { of, ty } if of_std_trait => {
            let source = maker.source_of(of);
            let of = match of.last_segment() {
                Some("FromStr") => "::std::str::FromStr".to_owned(),
                Some("TryFrom") => format!("::std::convert::TryFrom<{source}>"),
                _ => format!("::std::convert::From<{source}>"),
            };
            let ty = type_path(&mut maker, function.home, ty)?;
            format!("<{ty} as {of}>::{}", raw(&function.name))
        }
        Owner::TraitImpl { of, ty } if maker.slice.is_lift => {
            let ty = type_path(&mut maker, function.home, ty)?;
            format!("<{ty} as {}>::{}", type_text(of), raw(&function.name))
        }
        Owner::Inherent(ty) | Owner::TraitImpl { ty, .. } => {
            let ty = type_path(&mut maker, function.home, ty)?;
            format!("{ty}::{}", raw(&function.name))
        }
        Owner::Trait(of) => return Err(no(Reason::NeedsReceiver, format!("a default method of {of}"))),
    };
    let (needs_text, needs_value, notes) = (maker.needs_text, maker.needs_value, std::mem::take(&mut maker.notes));
    let unread = maker.unread.take();
    let of = outcomes(&module);
    let mut body = String::new();
    if let Some(ty) = &unread {
        body.push_str(&format!("    let mut receiver = ::std::mem::MaybeUninit::<{ty}>::zeroed();\n"));
    }
    if needs_text {
        body.push_str(&format!("    let Some(text) = {of}::text(lines) else {{ return {of}::Outcome::None }};\n"));
    }
    if needs_value {
        let client = maker.http();
        body.push_str(&format!(
            "    let Some(value) = {client}::value(lines) else {{ return {of}::Outcome::None }};\n"
        ));
    }
    body.push_str(&format!("    {of}::outcome({callee}({}))\n", arguments.join(", ")));
    let text = format!("pub fn extracted_subject(lines: &[&[u8]]) -> {of}::Outcome {{\n{body}}}\n\n");
    slice.anchors.insert(module.clone(), function.name_span);
    slice.additions.entry(module).or_default().push_str(&text);
    if !slice.is_lift {
        slice.function(id, !of_std_trait);
    }
    Ok(Adapted { notes, is_unread: unread.is_some() })
}

pub(super) fn parameter_name(function: &Function, index: usize) -> String {
    match &function.parameters[index].pattern {
        crate::ir::Pattern::Bind(local, _) => {
            function.body.as_ref().map_or(String::new(), |body| body.locals[local.0 as usize].name.to_string())
        }
        _ => String::new(),
    }
}

fn type_path(maker: &mut Maker<'_, '_, '_>, scope: ScopeId, ty: &Type) -> Result<String, NotExtracted> {
    let Type::Path { path, .. } = ty.peeled() else { return Err(no(Reason::NoAdapter, type_text(ty))) };
    match maker.slice.resolve(scope, None, path) {
        Resolved::Type(id) => {
            let item = maker.slice.program.type_item(id);
            Ok(Slice::path_from(&maker.module, &maker.slice.module_of(item.scope), &item.name))
        }
        _ => Err(no(Reason::NoAdapter, type_text(ty))),
    }
}

/// The receiver of a method: a value without content where none of its fields are read, else one that is made like a parameter.
fn receiver(maker: &mut Maker<'_, '_, '_>, function: &Function) -> Result<String, NotExtracted> {
    let needs = |detail: &str| no(Reason::NeedsReceiver, detail);
    let Some(ty) = function.owner.self_type().cloned() else { return Err(needs("a trait's method")) };
    let Type::Path { path, .. } = ty.peeled() else { return Err(needs(&type_text(&ty))) };
    let Resolved::Type(id) = maker.slice.resolve(function.home, None, path) else { return Err(needs(&type_text(&ty))) };
    let mark = match function.parameters.first().and_then(|parameter| parameter.ty.as_ref()) {
        Some(Type::Reference(_)) => "&",
        Some(Type::MutableReference(_)) => "&mut ",
        _ => "",
    };
    let item = maker.slice.program.type_item(id);
    let (kind, home, name) = (item.kind.clone(), item.scope, item.name.clone());
    let body = function.body.as_ref();
    let is_reference = !mark.is_empty();
    let uses_self = body.is_some_and(|body| {
        body.exprs
            .iter()
            .any(|expr| matches!(expr.op, Op::Local(local) if &*body.locals[local.0 as usize].name == "self"))
    });
    let fields: &[FieldItem] = match &kind {
        TypeKind::Struct(fields) => fields,
        _ if uses_self => return Err(needs(&name)),
        _ => &[],
    };
    let read: Vec<&FieldItem> =
        fields.iter().filter(|field| body.is_some_and(|body| body.fields.contains(&field.name))).collect();
    if read.is_empty() {
        if maker.slice.is_lift && !matches!(&kind, TypeKind::Struct(fields) if fields.is_empty()) {
            // The type is what it is, and making one may take a whole client.
            if !is_reference {
                return Err(needs(&name));
            }
            maker.unread = Some(Slice::path_from(&maker.module, &maker.slice.module_of(home), &name));
            let cast = if mark == "&" { "&*receiver.as_ptr()" } else { "&mut *receiver.as_mut_ptr()" };
            return Ok(format!("unsafe {{ {cast} }}"));
        }
        // Never looked into, so a value without content will do.
        maker.slice.stub(id);
        let module = maker.slice.module_of(home);
        return Ok(format!("{mark}{}", Slice::path_from(&maker.module, &module, &name)));
    }
    let carries = |field: &FieldItem| {
        matches!(field.ty.last_segment(), Some("HeaderMap" | "Response" | "StatusCode" | "HeaderValue"))
            || names::is_hint(&field.name)
    };
    if let Some(field) = read.iter().find(|field| !carries(field)) {
        return Err(needs(&format!("self.{}", field.name)));
    }
    let made = maker.make(&ty, Wanted { name: "self", is_header_text: false, depth: 0 });
    made.map(|made| format!("{mark}({made})")).map_err(|problem| needs(&problem.detail))
}

/// Whether a type has a parameter in it, or cannot be written.
fn is_any(ty: &Type, is_parameter: &dyn Fn(&Name) -> bool) -> bool {
    let any = |types: &[Type]| types.iter().any(|ty| is_any(ty, is_parameter));
    match ty {
        Type::Path { path, arguments } => path.len() == 1 && is_parameter(&path[0]) || any(arguments),
        Type::Reference(inner) | Type::MutableReference(inner) | Type::Slice(inner) => is_any(inner, is_parameter),
        Type::Tuple(parts) => any(parts),
        _ => true,
    }
}

pub(super) fn type_text(ty: &Type) -> String {
    let list = |types: &[Type]| types.iter().map(type_text).collect::<Vec<_>>().join(", ");
    match ty {
        Type::Path { path, arguments } if arguments.is_empty() => path.join("::"),
        Type::Path { path, arguments } => format!("{}<{}>", path.join("::"), list(arguments)),
        Type::Reference(inner) => format!("&{}", type_text(inner)),
        Type::MutableReference(inner) => format!("&mut {}", type_text(inner)),
        Type::Tuple(parts) => format!("({})", list(parts)),
        Type::Slice(inner) => format!("[{}]", type_text(inner)),
        Type::Bounds(bounds) => format!("impl {}", list(bounds)),
        Type::Function(..) => "a function".to_owned(),
        Type::Other => "_".to_owned(),
    }
}
