//! A slice: an item and everything of its package that it needs, copied into one module.
//!
//! The copy keeps the modules that the items stand in, so that privacy and `super` mean what they meant, and names them by paths from
//! place to place. `use` lines are not copied but made: for each name that a copied text begins a path with, one line that says where it
//! comes from.

use super::attributes::{is_compiled, prune};
use super::clients::{self, CLOCKS, Clock};
use super::pieces::{FilePieces, Files, Piece, PieceKind};
use super::tokens::{Edit, Kind, Token, WrittenPath, edited, methods, paths, tokens};
use super::{NotExtracted, Reason, Strategy};
use crate::ir::{FileId, FunctionId, Name, Owner, Path, ScopeId, Type, TypeId, TypeKind};
use crate::module::{Program, Resolved};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// The most pieces that one slice may have.
const PIECES: usize = 160;
/// The most bytes that one slice may have.
const BYTES: usize = 160_000;
/// How often the pieces that are kept may call for more.
const ROUNDS: usize = 24;

/// A module of the workspace: the package and the path from its crate's root.
pub(super) type ModulePath = Vec<Name>;

/// What of a piece is kept.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// Of an `impl`: these members; all where it is None.
    members: Option<BTreeSet<usize>>,
    /// What was looked at already: members, or `usize::MAX` for the whole or the head.
    done: HashSet<usize>,
    edits: Vec<Edit>,
    /// Of an `impl`: whether it becomes one without its trait.
    without_trait: bool,
}

/// A slice in the making.
pub(super) struct Slice<'a, 'w> {
    pub(super) program: &'a mut Program<'w>,
    pub(super) files: &'a mut Files,
    package: u32,
    /// Names of crates that the package depends on.
    known: BTreeSet<String>,
    kept: BTreeMap<(FileId, usize), Kept>,
    /// Types whose fields or variants are needed.
    whole: BTreeSet<TypeId>,
    /// Types that only own functions.
    owners: BTreeSet<TypeId>,
    /// Types of which a value without content will do.
    stubs: BTreeSet<TypeId>,
    /// Names of methods that are called.
    called: BTreeSet<String>,
    /// Words of the copied texts.
    words: BTreeSet<String>,
    imports: BTreeMap<ModulePath, BTreeMap<String, String>>,
    /// Texts that go into a module beside its items.
    pub(super) additions: BTreeMap<ModulePath, String>,
    macros: BTreeSet<(FileId, usize)>,
    /// Names of crates that are used.
    pub(super) crates: BTreeSet<String>,
    pub(super) clocks: Vec<Clock>,
    pub(super) reads_clock: bool,
    pub(super) with_client: bool,
    pub(super) problem: Option<(Reason, String)>,
    bytes: usize,
}

/// The text a piece of code is looked at in.
struct Context<'t> {
    scope: ScopeId,
    self_type: Option<Type>,
    module: ModulePath,
    /// Names of variables, which are no paths to items.
    locals: HashSet<Name>,
    /// Where the text begins in its file.
    offset: usize,
    tokens: &'t [Token],
}

impl<'a, 'w> Slice<'a, 'w> {
    pub(super) fn new(program: &'a mut Program<'w>, files: &'a mut Files, package: u32, known: BTreeSet<String>) -> Self {
        Slice {
            program,
            files,
            package,
            known,
            kept: BTreeMap::new(),
            whole: BTreeSet::new(),
            owners: BTreeSet::new(),
            stubs: BTreeSet::new(),
            called: BTreeSet::new(),
            words: BTreeSet::new(),
            imports: BTreeMap::new(),
            additions: BTreeMap::new(),
            macros: BTreeSet::new(),
            crates: BTreeSet::new(),
            clocks: Vec::new(),
            reads_clock: false,
            with_client: false,
            problem: None,
            bytes: 0,
        }
    }

    /// The module that a scope belongs to, below the copy's root.
    pub(super) fn module_of(&self, scope: ScopeId) -> ModulePath {
        let scope = self.program.scope(scope);
        let mut path = Vec::new();
        if scope.package != self.package {
            let package = &self.program.workspace().packages[scope.package as usize];
            path.push(package.crate_name.as_str().into());
        }
        path.extend(scope.module.iter().cloned());
        path
    }

    /// How a module names an item of another.
    pub(super) fn path_from(from: &[Name], to: &[Name], name: &str) -> String {
        let up = if from.is_empty() { "self::".to_owned() } else { "super::".repeat(from.len()) };
        let down: String = to.iter().map(|part| format!("{}::", raw(part))).collect();
        format!("{up}{down}{}", raw(name))
    }

    /// Keeps a function. With `without_trait`, a method of a trait's `impl` becomes one of the type's own.
    pub(super) fn function(&mut self, id: FunctionId, without_trait: bool) {
        let function = self.program.function(id);
        let (file, byte) = (function.name_span.file, function.name_span.start as usize);
        let owner = function.owner.clone();
        let (home, is_of_receiver) = (function.home, function.has_receiver);
        let Some(pieces) = self.files.get(self.program, file) else {
            return self.refuse(Reason::UnresolvedImport, "a file that cannot be read");
        };
        let Some((place, member)) = pieces.at(byte) else {
            return self.refuse(Reason::MacroWrapped, &self.program.function(id).name.to_string());
        };
        let of_std_trait = match &owner {
            Owner::TraitImpl { .. } => !without_trait,
            _ => false,
        };
        self.keep(file, place, if of_std_trait { None } else { member }, without_trait);
        if let Some(ty) = owner.self_type()
            && let Resolved::Type(ty) = self.resolve_type(home, ty)
        {
            if self.stubs.contains(&ty) {
                self.owners.insert(ty);
                if let Some(field) = self.field_read(id, ty) {
                    self.refuse(Reason::NeedsReceiver, &format!("self.{field}"));
                }
            } else if is_of_receiver || of_std_trait {
                self.whole.insert(ty);
            } else {
                self.owners.insert(ty);
            }
        }
        if let Owner::Trait(_) = owner {
            // A default method comes with its trait.
            self.keep(file, place, None, false);
        }
    }

    /// Keeps the item that has a byte of a file.
    fn item_at(&mut self, file: FileId, byte: usize) {
        let Some(pieces) = self.files.get(self.program, file) else {
            return self.refuse(Reason::UnresolvedImport, "a file that cannot be read");
        };
        // What stands in a body comes with it.
        if let Some((place, member)) = pieces.at(byte) {
            self.keep(file, place, member, false);
        }
    }

    fn keep(&mut self, file: FileId, place: usize, member: Option<usize>, without_trait: bool) {
        let kept = self.kept.entry((file, place)).or_insert_with(|| Kept {
            members: Some(BTreeSet::new()),
            without_trait,
            ..Kept::default()
        });
        match member {
            None => kept.members = None,
            Some(member) => {
                if let Some(members) = &mut kept.members {
                    members.insert(member);
                }
            }
        }
    }

    /// Lets a value without content stand for those of a type.
    pub(super) fn stub(&mut self, id: TypeId) {
        self.stubs.insert(id);
        self.owners.insert(id);
    }

    /// Keeps a type as the owner of functions.
    pub(super) fn own(&mut self, scope: ScopeId, ty: &Type) {
        if let Resolved::Type(id) = self.resolve_type(scope, ty) {
            self.owners.insert(id);
        }
    }

    /// A field of the type that the function reads.
    fn field_read(&self, id: FunctionId, ty: TypeId) -> Option<Name> {
        let TypeKind::Struct(fields) = &self.program.type_item(ty).kind else { return None };
        let body = self.program.function(id).body.as_ref()?;
        fields.iter().map(|field| field.name.clone()).find(|name| body.fields.contains(name))
    }

    /// Keeps a type with its fields or variants.
    pub(super) fn ty(&mut self, id: TypeId) {
        self.whole.insert(id);
    }

    /// The types that are kept with their fields or variants.
    pub(super) fn whole_types(&self) -> Vec<TypeId> {
        self.whole.iter().copied().collect()
    }

    pub(super) fn refuse(&mut self, reason: Reason, detail: &str) {
        self.problem.get_or_insert((reason, detail.to_owned()));
    }

    fn resolve_type(&mut self, scope: ScopeId, ty: &Type) -> Resolved {
        if let Type::Path { path, .. } = ty.peeled() {
            self.program.load_module_of(scope, &written(path.clone()));
        }
        self.program.resolve_type(scope, None, ty)
    }

    pub(super) fn resolve(&mut self, scope: ScopeId, self_type: Option<&Type>, names: &[Name]) -> Resolved {
        let path = written(names.to_vec());
        self.program.load_module_of(scope, &path);
        let resolved = self.program.resolve(scope, self_type, &path);
        // What a glob of another crate may have brought in is no crate of its name.
        if let (Resolved::External(of), Some(first)) = (&resolved, names.first())
            && (is_std(first) || self.known.contains(&**first))
            && !of.starts_with(&**first)
            && of.ends_with(&names.join("::"))
        {
            let is_canonical = is_std(first) && is_std(of.split("::").next().unwrap_or_default());
            return match names.len() {
                1 => Resolved::Unknown(names[0].clone()),
                _ if is_canonical => resolved,
                _ => Resolved::External(names.join("::").into()),
            };
        }
        resolved
    }

    /// Follows all that is kept until nothing more is called for.
    pub(super) fn close(&mut self) -> Result<(), NotExtracted> {
        for _ in 0..ROUNDS {
            let before = (self.kept.len(), self.done(), self.whole.len(), self.called.len());
            self.follow_pieces();
            self.follow_types();
            if let Some((reason, detail)) = self.problem.take() {
                return Err(NotExtracted { strategy: Strategy::Slice, reason, detail });
            }
            if self.kept.len() > PIECES || self.bytes > BYTES {
                let detail = format!("{} items with {} bytes", self.kept.len(), self.bytes);
                return Err(NotExtracted { strategy: Strategy::Slice, reason: Reason::OverBudget, detail });
            }
            if before == (self.kept.len(), self.done(), self.whole.len(), self.called.len()) {
                return Ok(());
            }
        }
        Err(NotExtracted { strategy: Strategy::Slice, reason: Reason::OverBudget, detail: format!("{ROUNDS} rounds") })
    }

    fn done(&self) -> usize {
        self.kept.values().map(|kept| kept.done.len()).sum()
    }

    fn follow_pieces(&mut self) {
        let keys: Vec<(FileId, usize)> = self.kept.keys().copied().collect();
        for (file, place) in keys {
            let Some(pieces) = self.files.get(self.program, file) else { continue };
            let piece = &pieces.pieces[place];
            let kept = &self.kept[&(file, place)];
            let mut parts: Vec<(usize, Range<usize>)> = Vec::new();
            match (piece.kind, &kept.members) {
                (PieceKind::Impl, members) => {
                    if !kept.without_trait {
                        parts.push((usize::MAX, piece.head.clone()));
                    }
                    let all = 0..piece.members.len();
                    let wanted = all.filter(|member| members.as_ref().is_none_or(|members| members.contains(member)));
                    parts.extend(wanted.map(|member| (member, piece.members[member].range.clone())));
                }
                _ => parts.push((usize::MAX, piece.range.clone())),
            }
            parts.retain(|(part, _)| !kept.done.contains(part));
            for (part, range) in parts {
                self.look_at(file, place, &pieces, piece, part, range);
            }
        }
    }

    /// Looks at one part of a piece: what it needs, and what has to be changed in its copy.
    fn look_at(&mut self, file: FileId, place: usize, pieces: &Rc<FilePieces>, piece: &Piece, part: usize, range: Range<usize>) {
        let Some(scope) = self.program.module_scope(file, &piece.modules) else { return };
        let text = &pieces.text[range.clone()];
        self.bytes += text.len();
        // The head of an `impl` has an open brace.
        let list = if part == usize::MAX && piece.kind == PieceKind::Impl { tokens(&format!("{text}}}")) } else { tokens(text) };
        let Some(list) = list else { return self.refuse(Reason::MacroWrapped, &piece.name) };
        let function = self.function_in(file, &range, piece, part);
        let mut context = Context {
            scope,
            self_type: None,
            module: self.module_of(scope),
            locals: HashSet::new(),
            offset: range.start,
            tokens: &list,
        };
        if let Some(id) = function {
            let function = self.program.function(id);
            context.scope = function.scope;
            context.self_type = function.owner.self_type().cloned();
            let body = function.body.as_ref();
            context.locals = body.into_iter().flat_map(|body| body.locals.iter().map(|local| local.name.clone())).collect();
        }
        let edits = self.needs(&context);
        let kept = self.kept.entry((file, place)).or_default();
        kept.done.insert(part);
        kept.edits.extend(edits);
    }

    fn function_in(&self, file: FileId, range: &Range<usize>, piece: &Piece, part: usize) -> Option<FunctionId> {
        if !matches!(piece.kind, PieceKind::Function | PieceKind::Impl) || piece.kind == PieceKind::Impl && part == usize::MAX {
            return None;
        }
        let name = if piece.kind == PieceKind::Impl { piece.members[part].name.clone() } else { piece.name.clone() };
        self.program
            .functions_named(&name)
            .iter()
            .copied()
            .find(|id| {
                let span = self.program.function(*id).name_span;
                span.file == file && range.contains(&(span.start as usize))
            })
    }

    /// Looks at a text that is put into a module: gives it as it has to stand there.
    pub(super) fn text_in(&mut self, text: &str, scope: ScopeId, self_type: Option<Type>, locals: HashSet<Name>) -> String {
        let Some(list) = tokens(text) else {
            self.refuse(Reason::MacroWrapped, "text that is no Rust by itself");
            return String::new();
        };
        let home = self.module_of(scope);
        let context = Context { scope, self_type, module: home, locals, offset: 0, tokens: &list };
        let edits = self.needs(&context);
        edited(text, edits)
    }

    /// What a text needs, and the edits it needs itself.
    fn needs(&mut self, context: &Context<'_>) -> Vec<Edit> {
        let list = context.tokens;
        let has_errors = list.windows(2).any(|pair| pair[0].text == "error" && pair[1].text == "(")
            && list.iter().any(|token| token.text == "Error");
        let mut pruned = prune(list, has_errors);
        self.loud_macros(context, &mut pruned);
        let gone = pruned.is_gone;
        let mut edits = pruned.edits;
        self.words.extend(list.iter().zip(&gone).filter(|(token, gone)| token.kind == Kind::Word && !**gone).map(|(token, _)| token.text.clone()));
        let live: Vec<Token> =
            list.iter().enumerate().map(|(place, token)| if gone[place] { Token { kind: Kind::Mark, text: " ".to_owned(), ..token.clone() } } else { token.clone() }).collect();
        self.called.extend(methods(&live).into_iter().map(str::to_owned));
        for (place, token) in live.iter().enumerate() {
            if token.text == "elapsed" && place > 0 && live[place - 1].text == "." {
                self.reads_clock = true;
                let path = Self::path_from(&context.module, &[CLOCKS.into()], "GivenElapsed");
                self.import(&context.module, "GivenElapsed", &path);
                edits.push(Edit { range: token.range.clone(), text: "elapsed_given".to_owned() });
            }
        }
        for path in paths(&live) {
            self.path(context, &live, &path, &mut edits);
        }
        self.block_imports(context);
        self.globs_and_traits(context);
        for edit in &mut edits {
            edit.range = edit.range.start + context.offset..edit.range.end + context.offset;
        }
        edits
    }

    /// Macros that log or print give nothing to anyone.
    fn loud_macros(&mut self, context: &Context<'_>, pruned: &mut super::attributes::Pruned) {
        let list = context.tokens;
        for path in paths(list) {
            let last = *path.places.last().unwrap_or(&0);
            let (Some(bang), Some(open)) = (list.get(last + 1), list.get(last + 2)) else { continue };
            if bang.text != "!" || open.kind != Kind::Open || pruned.is_gone[last] {
                continue;
            }
            let name = path.names.last().map_or("", String::as_str);
            let of_loggers = path.names.len() > 1 && matches!(path.names[0].as_str(), "log" | "tracing" | "slog" | "defmt");
            let is_loud = matches!(
                name,
                "trace" | "debug" | "info" | "warn" | "error" | "event" | "log" | "println" | "eprintln" | "print" | "eprint"
                    | "counter" | "gauge" | "histogram"
            );
            if (path.names.len() == 1 || of_loggers) && is_loud {
                pruned.leave_out(list, path.places[0], open.partner, "()");
            }
        }
    }

    /// What one path of a text needs.
    fn path(&mut self, context: &Context<'_>, live: &[Token], path: &WrittenPath, edits: &mut Vec<Edit>) {
        let names: Vec<Name> = path.names.iter().map(|name| name.as_str().into()).collect();
        let first = &*names[0];
        // Stands for the module that makes outcomes, in text of our own.
        if first == "OUTCOMES" {
            return;
        }
        let after = live.get(path.places.last().unwrap_or(&0) + 1).map_or("", |token| token.text.as_str());
        let before = path.places[0].checked_sub(1).map_or("", |before| live[before].text.as_str());
        if names.len() == 1 && (context.locals.contains(&names[0]) || before == "'" || matches!(before, "fn" | "mod" | "struct" | "enum" | "trait")) {
            return;
        }
        if names.len() == 1 && after == ":" && first.starts_with(char::is_lowercase) {
            return;
        }
        if after == "!" && live.get(path.places.last().unwrap_or(&0) + 2).is_some_and(|open| open.kind == Kind::Open) {
            return self.macro_call(context, &names);
        }
        let scope = context.scope;
        if first == "Self" {
            self.path_of_self(context, &names, after);
            return;
        }
        let mut resolved = if path.is_global {
            Resolved::External(path.names.join("::").into())
        } else {
            self.resolve(scope, context.self_type.as_ref(), &names)
        };
        // The longest part that means something, for `Type::of_a_trait`.
        let mut length = names.len();
        while matches!(resolved, Resolved::Unknown(_)) && length > 1 {
            length -= 1;
            let part = self.resolve(scope, context.self_type.as_ref(), &names[..length]);
            if !matches!(part, Resolved::Functions(_)) {
                resolved = part;
            }
        }
        // Re-exported in ways that are not followed, the names of std's times are theirs.
        if let Resolved::Unknown(_) = resolved
            && let Some(at) = names.iter().rposition(|name| matches!(&**name, "Duration" | "Instant" | "SystemTime"))
            && self.program.unique_type(self.package, &names[at]).is_none()
        {
            resolved = Resolved::External(format!("std::time::{}", names[at..].join("::")).into());
            length = names.len();
        }
        let place_of = |count: usize| live[path.places[0]].range.start..live[path.places[count - 1]].range.end;
        let local = |this: &Self, scope: ScopeId, name: &str| Self::path_from(&context.module, &this.module_of(scope), name);
        let is_relative = matches!(first, "crate" | "self" | "super");
        // For an item of the workspace: the path to it, and how many names of the written path that is.
        let mut replacement: Option<(usize, String)> = None;
        match resolved {
            Resolved::Functions(ids) => {
                let ids = self.compiled(ids);
                for id in &ids {
                    self.function(*id, false);
                }
                let Some(first) = ids.first() else { return };
                let function = self.program.function(*first);
                match function.owner {
                    Owner::Free => replacement = Some((length, local(self, function.home, &function.name))),
                    _ => {
                        let owner = length.saturating_sub(1);
                        if owner > 0 && let Resolved::Type(ty) = self.resolve(scope, context.self_type.as_ref(), &names[..owner]) {
                            let item = self.program.type_item(ty);
                            replacement = Some((owner, local(self, item.scope, &item.name)));
                            self.owners.insert(ty);
                        }
                    }
                }
            }
            Resolved::Constant(id) => {
                let constant = self.program.constant(id);
                let (file, byte, home, name) = (constant.span.file, constant.span.start as usize, constant.home, constant.name.clone());
                let is_free = constant.owner == Owner::Free;
                self.item_at(file, byte);
                if is_free {
                    replacement = Some((length, local(self, home, &name)));
                } else if length > 1 && let Resolved::Type(ty) = self.resolve(scope, None, &names[..length - 1]) {
                    self.owners.insert(ty);
                    let item = self.program.type_item(ty);
                    replacement = Some((length - 1, local(self, item.scope, &item.name)));
                }
            }
            Resolved::Type(id) | Resolved::Variant(id, _) => {
                let count = if matches!(resolved, Resolved::Variant(..)) { length.saturating_sub(1).max(1) } else { length };
                let is_owner_only = length < names.len();
                if is_owner_only { self.owners.insert(id); } else { self.whole.insert(id); }
                let is_single_variant = matches!(resolved, Resolved::Variant(..)) && length == 1;
                let item = self.program.type_item(id);
                let path = local(self, item.scope, &item.name);
                replacement = Some((count, if is_single_variant { format!("{path}::{}", names[0]) } else { path }));
            }
            Resolved::External(of) => {
                let written_len = length;
                if let Some(clock) = clients::clock(&of) {
                    self.reads_clock = true;
                    if !self.clocks.contains(&clock) {
                        self.clocks.push(clock);
                    }
                    self.crates.extend(clock.dependency.map(str::to_owned));
                    let text = Self::path_from(&context.module, &[CLOCKS.into()], clock.function);
                    edits.push(Edit { range: place_of(written_len), text });
                    return;
                }
                return self.external(context, live, path, &names[..written_len], &of, after, edits);
            }
            Resolved::Unknown(_) => {
                if is_relative && names.len() > 1 {
                    // A module alone, most often in a `use` line of a body.
                    let is_module = before == "use" || after == "::";
                    if !is_module {
                        self.refuse(Reason::UnresolvedImport, &path.names.join("::"));
                    }
                }
                return;
            }
        }
        let Some((count, text)) = replacement else { return };
        let direct = self.resolve(scope, context.self_type.as_ref(), &names[..1]);
        let is_module_first = is_relative || count > 1 && matches!(direct, Resolved::Unknown(_));
        if is_module_first {
            edits.push(Edit { range: place_of(count), text });
        } else if count == 1 {
            self.import_local(context, first, &text);
        } else {
            edits.push(Edit { range: place_of(count), text });
        }
    }

    /// A name that stands alone and means an item of the workspace: a line for it, unless it is in the same module.
    fn import_local(&mut self, context: &Context<'_>, name: &str, path: &str) {
        let own = Self::path_from(&context.module, &context.module, name);
        if path != own {
            self.import(&context.module, name, path);
        }
    }

    fn import(&mut self, module: &[Name], name: &str, path: &str) {
        self.imports.entry(module.to_vec()).or_default().entry(name.to_owned()).or_insert_with(|| path.to_owned());
    }

    /// A path that leads out of the workspace.
    #[expect(clippy::too_many_arguments, reason = "the parts of one path")]
    fn external(&mut self, context: &Context<'_>, live: &[Token], path: &WrittenPath, names: &[Name], of: &str, after: &str, edits: &mut Vec<Edit>) {
        let first = &*names[0];
        let direct = if path.is_global { Resolved::Unknown("".into()) } else { self.resolve(context.scope, context.self_type.as_ref(), &names[..1]) };
        let is_relative = matches!(first, "crate" | "self" | "super");
        match direct {
            // The first name comes from a `use`, or is there without one.
            Resolved::External(direct) if !is_relative => {
                if !direct.contains("::") || is_prelude(&direct, first) {
                    return;
                }
                let text = self.external_path(context, &direct);
                if names.len() == 1 || !direct.is_empty() {
                    self.import(&context.module, first, &text);
                }
            }
            Resolved::Functions(_) | Resolved::Constant(_) | Resolved::Type(_) | Resolved::Variant(..) if !is_relative => {}
            _ => {
                let text = self.external_path(context, of);
                let is_group = after == "::" && names.len() == 1;
                let as_written = format!("::{}", path.names[..names.len()].join("::"));
                if text != as_written || is_relative || is_group && text != as_written {
                    let range = live[path.places[0]].range.start..live[path.places[names.len() - 1]].range.end;
                    edits.push(Edit { range, text });
                }
            }
        }
    }

    /// How a copy names what lies outside.
    fn external_path(&mut self, context: &Context<'_>, path: &str) -> String {
        if let Some(below) = clients::stand_in(path) {
            self.with_client = true;
            self.crates.insert("http".to_owned());
            if below.ends_with("::Url") {
                self.crates.insert("url".to_owned());
            }
            let up = if context.module.is_empty() { "self::".to_owned() } else { "super::".repeat(context.module.len()) };
            return format!("{up}{below}");
        }
        let first = path.split("::").next().unwrap_or_default();
        if !is_std(first) {
            self.crates.insert(first.to_owned());
        }
        format!("::{path}")
    }

    fn path_of_self(&mut self, context: &Context<'_>, names: &[Name], after: &str) {
        let Some(self_type) = context.self_type.clone() else { return };
        let ty = match self.resolve_type(context.scope, &self_type) {
            Resolved::Type(ty) => ty,
            _ => return,
        };
        if names.len() == 1 {
            if matches!(after, "{" | "(") || matches!(self.program.type_item(ty).kind, TypeKind::Alias(_)) {
                self.whole.insert(ty);
            }
            return;
        }
        match self.resolve(context.scope, Some(&self_type), names) {
            Resolved::Functions(ids) => {
                for id in self.compiled(ids) {
                    self.function(id, false);
                }
            }
            Resolved::Constant(id) => {
                let span = self.program.constant(id).span;
                self.item_at(span.file, span.start as usize);
            }
            Resolved::Variant(..) => {
                self.whole.insert(ty);
            }
            _ => {}
        }
    }

    /// A macro that is called.
    fn macro_call(&mut self, context: &Context<'_>, names: &[Name]) {
        let last = names.last().map_or("", |name| name);
        let package = self.program.scope(context.scope).package;
        let ids: Vec<FileId> = self.program.workspace().file_ids().filter(|file| self.program.workspace().file(*file).package == package).collect();
        if is_std_macro(last) && names.len() == 1 {
            return;
        }
        // A macro of the package may stand in any file; most often it is the same or the root.
        let wanted: BTreeSet<Name> = [Name::from("macro_rules")].into();
        let own = self.program.file_of(context.scope);
        let mut candidates: Vec<FileId> = vec![own];
        let _ = self.program.load_mentioning(&wanted);
        candidates.extend(ids.into_iter().filter(|file| *file != own && !self.program.workspace().file(*file).is_test).take(400));
        if names.len() == 1 || matches!(&*names[0], "crate") {
            for file in candidates {
                if self.program.module_scope(file, &[]).is_none() {
                    continue;
                }
                let Some(pieces) = self.files.get(self.program, file) else { continue };
                let found = pieces.pieces.iter().position(|piece| piece.kind == PieceKind::Macro && piece.name == last);
                if let Some(place) = found {
                    self.macro_rules(context, file, place, &pieces);
                    return;
                }
            }
        }
        match self.resolve(context.scope, None, names) {
            Resolved::External(of) if !is_std(of.split("::").next().unwrap_or_default()) && of.contains("::") => {
                let text = self.external_path(context, &of);
                if names.len() == 1 {
                    self.import(&context.module, last, &text);
                }
            }
            Resolved::External(_) => {}
            _ if names.len() > 1 => {
                let first = names[0].to_string();
                if !is_std(&first) {
                    self.crates.insert(first);
                }
            }
            _ => self.refuse(Reason::UnresolvedImport, &format!("{last}!")),
        }
    }

    /// A macro of the package's own: what it needs is needed where it is called.
    fn macro_rules(&mut self, context: &Context<'_>, file: FileId, place: usize, pieces: &Rc<FilePieces>) {
        let piece = &pieces.pieces[place];
        if !self.macros.insert((file, place)) {
            return;
        }
        let list = pieces.tokens(&piece.range);
        if list.windows(2).any(|pair| pair[0].text == "$" && pair[1].text == "crate") {
            return self.refuse(Reason::UnresolvedImport, &format!("$crate in {}!", piece.name));
        }
        let inner = Context {
            scope: context.scope,
            self_type: None,
            module: context.module.clone(),
            locals: HashSet::new(),
            offset: 0,
            tokens: &list,
        };
        let _ = self.needs(&inner);
    }

    /// `use` lines in a body are copied with it; what they bring in has to be there.
    fn block_imports(&mut self, context: &Context<'_>) {
        let mut scope = context.scope;
        while self.program.scope(scope).is_block {
            let uses = self.program.scope(scope).uses.clone();
            for leaf in uses.iter().filter(|leaf| leaf.name.is_some()) {
                match self.resolve(scope, None, &leaf.path) {
                    Resolved::Functions(ids) => {
                        for id in self.compiled(ids) {
                            self.function(id, false);
                        }
                    }
                    Resolved::Type(id) => {
                        self.whole.insert(id);
                    }
                    Resolved::Constant(id) => {
                        let span = self.program.constant(id).span;
                        self.item_at(span.file, span.start as usize);
                    }
                    _ => {}
                }
            }
            match self.program.scope(scope).parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
    }

    /// Globs of other crates, and traits that are named nowhere but in their `use` line.
    fn globs_and_traits(&mut self, context: &Context<'_>) {
        let mut scope = context.scope;
        while let (true, Some(parent)) = (self.program.scope(scope).is_block, self.program.scope(scope).parent) {
            scope = parent;
        }
        let uses = self.program.scope(scope).uses.clone();
        for leaf in &uses {
            let first = &*leaf.path[0];
            let written = leaf.path.join("::");
            let last = leaf.path.last().map_or("", |last| last);
            let wanted = match &leaf.name {
                None => is_std(first) || clients::stand_in(&written).is_some(),
                Some(name) => {
                    let is_trait = is_std(first) && is_std_trait(last) || is_known_trait(last);
                    is_trait && (&**name == "_" || &**name == last)
                }
            };
            if !wanted || matches!(first, "crate" | "self" | "super") {
                continue;
            }
            let of = match self.resolve(scope, None, &leaf.path) {
                Resolved::External(of) => of.to_string(),
                _ => written,
            };
            if leaf.name.is_some() && !is_std(first) && !self.is_a_dependency(first) {
                continue;
            }
            let text = self.external_path(context, &of);
            match &leaf.name {
                None => self.import(&context.module, &format!("* {text}"), &format!("{text}::*")),
                Some(_) => self.import(&context.module, &format!("_ {text}"), &text),
            }
        }
        // Extension traits of the workspace: a method that is called and that an imported trait has.
        for leaf in uses.iter().filter(|leaf| leaf.name.is_some()) {
            let Resolved::Type(id) = self.program.resolve(scope, None, &written_of(&leaf.path)) else { continue };
            let item = self.program.type_item(id);
            let TypeKind::Trait(methods) = &item.kind else { continue };
            if methods.iter().any(|method| self.called.contains(&**method)) {
                let path = Self::path_from(&context.module, &self.module_of(item.scope), &item.name);
                let name = item.name.to_string();
                self.whole.insert(id);
                self.import(&context.module, &name, &path);
            }
        }
    }

    fn is_a_dependency(&self, name: &str) -> bool {
        self.crates.contains(name)
    }

    /// Of twins, those that are compiled.
    fn compiled(&mut self, ids: Vec<FunctionId>) -> Vec<FunctionId> {
        let kept: Vec<FunctionId> = ids.iter().copied().filter(|id| self.is_compiled(*id)).collect();
        if kept.is_empty() { ids } else { kept }
    }

    /// Whether the function's own condition holds.
    fn is_compiled(&mut self, id: FunctionId) -> bool {
        let span = self.program.function(id).name_span;
        let Some(pieces) = self.files.get(self.program, span.file) else { return true };
        let Some((place, member)) = pieces.at(span.start as usize) else { return true };
        let piece = &pieces.pieces[place];
        let range = member.map_or(&piece.range, |member| &piece.members[member].range);
        is_compiled(&pieces.tokens(range))
    }

    /// Types that are kept, what they implement, and the methods that are called on them.
    fn follow_types(&mut self) {
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
                    if !matches!(self.program.function(function).owner, Owner::Trait(_)) && self.is_compiled(function) && self.is_wanted(function) {
                        self.function(function, false);
                    }
                }
            }
        }
    }

    /// Whether a method comes by its name alone: those of traits come with the trait's `impl`.
    fn is_wanted(&self, id: FunctionId) -> bool {
        match &self.program.function(id).owner {
            Owner::TraitImpl { of, .. } => of.last_segment().is_some_and(|of| self.takes_impl(of)),
            _ => true,
        }
    }

    /// Keeps the `impl` blocks of a type, or those of a trait for types that are not the workspace's.
    fn impls(&mut self, name: &str, of_trait: bool) {
        let files: Vec<FileId> = self.kept.keys().map(|(file, _)| *file).collect::<BTreeSet<_>>().into_iter().collect();
        let mut files = files;
        if of_trait {
            // Wherever the trait is mentioned.
            self.program.load_mentioning(&[Name::from(name)].into());
            files = (0..self.program.workspace().files.len() as u32).map(FileId).filter(|file| self.program.module_scope(*file, &[]).is_some() && !self.program.workspace().file(*file).is_test).take(300).collect();
        }
        for file in files {
            let Some(pieces) = self.files.get(self.program, file) else { continue };
            for (place, piece) in pieces.pieces.iter().enumerate().filter(|(_, piece)| piece.kind == PieceKind::Impl) {
                let Some(of) = &piece.of_trait else { continue };
                if self.kept.get(&(file, place)).is_some_and(|kept| kept.members.is_none()) {
                    continue;
                }
                let fits = if of_trait { of == name && !self.is_type_of_workspace(&piece.name) || of == name && self.is_kept_type(&piece.name) } else { piece.name == name && self.takes_impl(of) };
                if fits && is_compiled(&pieces.tokens(&piece.range)) && self.is_cheap(file, &pieces, piece) {
                    self.keep(file, place, None, false);
                }
            }
        }
    }

    /// Whether an `impl` names no crate that the copy would not need without it.
    fn is_cheap(&self, file: FileId, pieces: &FilePieces, piece: &Piece) -> bool {
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

    fn is_type_of_workspace(&self, name: &str) -> bool {
        self.program.unique_type(self.package, name).is_some()
    }

    fn is_kept_type(&self, name: &str) -> bool {
        self.whole.iter().any(|id| &*self.program.type_item(*id).name == name)
    }

    /// Whether an `impl` of a trait is needed, by what the copied code says.
    fn takes_impl(&self, of: &str) -> bool {
        let says = |words: &[&str]| words.iter().any(|word| self.words.contains(*word));
        match of {
            "FromStr" => says(&["parse", "from_str", "FromStr"]),
            "TryFrom" => says(&["try_from", "try_into", "TryFrom"]),
            "From" => true,
            "Into" => says(&["into"]),
            "Display" => says(&["to_string", "format", "write", "Display", "Error", "println"]),
            "Error" => says(&["Error", "dyn"]),
            "Debug" | "Clone" | "Copy" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash" | "Default" | "Deref" | "DerefMut" | "Add"
            | "Sub" | "Mul" | "Div" | "AddAssign" | "SubAssign" | "AsRef" | "Borrow" | "Iterator" | "IntoIterator" | "Neg" | "Not" => true,
            "Serialize" | "Deserialize" | "Drop" => false,
            _ => self.whole.iter().any(|id| {
                let item = self.program.type_item(*id);
                matches!(item.kind, TypeKind::Trait(_)) && &*item.name == of
            }),
        }
    }

    /// The text of the slice's modules.
    pub(super) fn print(&mut self) -> Result<String, NotExtracted> {
        let mut modules: BTreeMap<ModulePath, String> = BTreeMap::new();
        let mut macros = String::new();
        for (file, place) in self.macros.clone() {
            if let Some(pieces) = self.files.get(self.program, file) {
                let text = &pieces.text[pieces.pieces[place].range.clone()];
                let list = tokens(text).unwrap_or_default();
                macros.push_str(&edited(text, prune(&list, false).edits).replace("#[macro_export]", ""));
                macros.push('\n');
            }
        }
        for ((file, place), kept) in self.kept.clone() {
            let Some(pieces) = self.files.get(self.program, file) else { continue };
            let piece = &pieces.pieces[place];
            let Some(scope) = self.program.module_scope(file, &piece.modules) else { continue };
            let module = self.module_of(scope);
            let into = |range: &Range<usize>| {
                let edits = kept.edits.iter().filter(|edit| range.start <= edit.range.start && edit.range.end <= range.end);
                let edits = edits.map(|edit| Edit { range: edit.range.start - range.start..edit.range.end - range.start, text: edit.text.clone() });
                edited(&pieces.text[range.clone()], edits.collect())
            };
            let mut text = String::new();
            match (piece.kind, &kept.members) {
                (PieceKind::Impl, None) => text.push_str(&into(&piece.range)),
                (PieceKind::Impl, Some(members)) => {
                    if members.is_empty() {
                        continue;
                    }
                    let stub = self.owners.iter().copied().find(|id| &*self.program.type_item(*id).name == piece.name && !self.whole.contains(id));
                    if kept.without_trait || stub.is_some() && piece.of_trait.is_none() {
                        text.push_str(&format!("impl {} {{\n", piece.name));
                    } else {
                        text.push_str(&into(&piece.head));
                    }
                    for member in members {
                        text.push_str("    ");
                        text.push_str(&into(&piece.members[*member].range));
                        text.push('\n');
                    }
                    text.push('}');
                }
                _ => text.push_str(&into(&piece.range)),
            }
            let module = modules.entry(module).or_default();
            module.push_str(text.trim());
            module.push_str("\n\n");
        }
        for id in self.owners.clone() {
            if self.whole.contains(&id) {
                continue;
            }
            let item = self.program.type_item(id);
            let text = format!("pub struct {};\n\n", raw(&item.name));
            modules.entry(self.module_of(item.scope)).or_default().push_str(&text);
        }
        for (module, text) in &self.additions {
            modules.entry(module.clone()).or_default().push_str(text);
        }
        let mut source = macros;
        let mut all: BTreeSet<ModulePath> = modules.keys().cloned().collect();
        for module in modules.keys() {
            for length in 0..module.len() {
                all.insert(module[..length].to_vec());
            }
        }
        self.print_module(&Vec::new(), &all, &modules, 0, &mut source);
        Ok(source)
    }

    fn print_module(&self, module: &ModulePath, all: &BTreeSet<ModulePath>, texts: &BTreeMap<ModulePath, String>, depth: usize, source: &mut String) {
        let mut globs = Vec::new();
        for (name, path) in self.imports.get(module).into_iter().flatten().filter(|_| texts.contains_key(module)) {
            match name.split_once(' ') {
                Some(("*", _)) => globs.push(format!("use {path};\n")),
                Some(("_", _)) => {
                    let last = path.rsplit("::").next().unwrap_or_default();
                    let is_named = self.imports[module].contains_key(last);
                    if !is_named {
                        source.push_str(&format!("use {path} as _;\n"));
                    }
                }
                _ if path.rsplit("::").next() == Some(name.as_str()) => source.push_str(&format!("use {path};\n")),
                _ => source.push_str(&format!("use {path} as {};\n", raw(name))),
            }
        }
        source.extend(globs);
        if let Some(text) = texts.get(module) {
            source.push_str(text);
        }
        let children = all.iter().filter(|child| child.len() == depth + 1 && child.starts_with(module));
        for child in children {
            source.push_str(&format!("pub mod {} {{\n", raw(&child[depth])));
            self.print_module(child, all, texts, depth + 1, source);
            source.push_str("}\n");
        }
    }
}

fn written(names: Vec<Name>) -> Path {
    Path { segments: names, of: None, generics: Vec::new() }
}

fn written_of(names: &[Name]) -> Path {
    written(names.to_vec())
}

/// A name as it has to be written.
pub(super) fn raw(name: &str) -> String {
    let is_keyword = matches!(name, "async" | "await" | "box" | "dyn" | "final" | "gen" | "macro" | "match" | "mod" | "move" | "override" | "ref" | "static" | "struct" | "trait" | "try" | "type" | "use" | "virtual" | "where" | "yield" | "loop" | "in" | "impl" | "enum" | "const" | "extern" | "fn" | "for" | "if" | "abstract" | "become" | "do" | "priv");
    if is_keyword { format!("r#{name}") } else { name.to_owned() }
}

pub(super) fn is_std(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}

/// Whether a name is there without a `use`.
fn is_prelude(path: &str, name: &str) -> bool {
    crate::module::prelude_path(name).is_some_and(|known| known == path)
}

fn is_std_macro(name: &str) -> bool {
    matches!(
        name,
        "assert" | "assert_eq" | "assert_ne" | "cfg" | "column" | "compile_error" | "concat" | "dbg" | "debug_assert" | "debug_assert_eq"
            | "debug_assert_ne" | "env" | "file" | "format" | "format_args" | "include_str" | "line" | "matches" | "module_path"
            | "option_env" | "panic" | "stringify" | "thread_local" | "todo" | "unimplemented" | "unreachable" | "vec" | "write" | "writeln"
    )
}

fn is_std_trait(name: &str) -> bool {
    matches!(
        name,
        "FromStr" | "Write" | "Read" | "BufRead" | "Seek" | "Borrow" | "BorrowMut" | "Deref" | "DerefMut" | "Hash" | "Hasher" | "Error"
            | "TryFrom" | "TryInto" | "Add" | "Sub" | "Mul" | "Div" | "Rem" | "Neg" | "Not" | "FromIterator" | "Any" | "Pattern"
    )
}

/// Traits of widely used crates that are imported for their methods.
fn is_known_trait(name: &str) -> bool {
    matches!(
        name,
        "TimeZone" | "Datelike" | "Timelike" | "SubsecRound" | "DurationRound" | "Context" | "WrapErr" | "OptionExt" | "ResultExt"
            | "ToSpan" | "HeaderMapExt" | "FromPrimitive" | "ToPrimitive"
    )
}
