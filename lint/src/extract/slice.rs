//! A slice: an item and everything of its package that it needs, copied into one module.
//!
//! The copy keeps the modules that the items stand in, so that privacy and `super` mean what they meant, and names them by paths from
//! place to place. `use` lines are not copied but made: for each name that a copied text begins a path with, one line that says where it
//! comes from.

mod clocks;
mod impls;
mod paths;
mod print;

use super::attributes::{is_compiled, prune};
use super::clients::{CLOCKS, Clock};
use super::pieces::{FilePieces, Files, Piece, PieceKind};
use super::tokens::{Edit, Kind, Token, edited, methods, paths, tokens};
use super::{NotExtracted, Reason, Strategy};
use crate::ir::{FileId, FunctionId, Name, Owner, Path, ScopeId, Span, Type, TypeId, TypeKind};
use crate::module::{Program, Resolved};
use crate::workspace::Requirements;
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

/// A macro of the package's own that is copied.
#[derive(Clone, Debug, Default)]
struct CopiedMacro {
    /// The module that it is called from first.
    module: ModulePath,
    /// What changes in it.
    edits: Vec<Edit>,
}

/// A slice in the making.
pub(super) struct Slice<'a, 'w> {
    pub(super) program: &'a mut Program<'w>,
    pub(super) files: &'a mut Files,
    package: u32,
    /// Names of crates that the package depends on.
    known: BTreeSet<String>,
    /// The usual names of crates that it has others for. A copy has them by those.
    renamed: BTreeMap<String, String>,
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
    /// An item of each module that has such a text.
    pub(super) anchors: BTreeMap<ModulePath, Span>,
    /// Whether the texts go into the package itself, beside its own items, and nothing is copied.
    pub(super) is_lift: bool,
    macros: BTreeMap<(FileId, usize), CopiedMacro>,
    /// Names of crates that are used.
    pub(super) crates: BTreeSet<String>,
    pub(super) clocks: Vec<Clock>,
    pub(super) reads_clock: bool,
    pub(super) with_client: bool,
    /// Whether it needs an answer of the crate `http`, to make a client's own of it.
    pub(super) with_response: bool,
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
    pub(super) fn new(
        program: &'a mut Program<'w>,
        files: &'a mut Files,
        package: u32,
        requirements: &Requirements,
    ) -> Self {
        let renamed = requirements.renamed().map(|(name, usual)| (name.to_owned(), usual));
        let renamed: BTreeMap<String, String> = renamed.collect();
        let mut known = requirements.names();
        known.extend(renamed.values().cloned());
        Slice {
            renamed,
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
            anchors: BTreeMap::new(),
            is_lift: false,
            macros: BTreeMap::new(),
            crates: BTreeSet::new(),
            clocks: Vec::new(),
            reads_clock: false,
            with_client: false,
            with_response: false,
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
            return self.refuse(Reason::MacroWrapped, &self.program.function(id).name.clone());
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
            self.program.load_module_of(scope, &written(path.to_vec()));
        }
        self.program.resolve_type(scope, None, ty)
    }

    /// What a path means. What is of another crate is told by the crate's usual name.
    pub(super) fn resolve(&mut self, scope: ScopeId, self_type: Option<&Type>, names: &[Name]) -> Resolved {
        match self.resolve_as_written(scope, self_type, names) {
            Resolved::External(of) => Resolved::External(self.usual(&of).into()),
            resolved => resolved,
        }
    }

    /// A path out of the package, by the usual name of its crate.
    pub(super) fn usual(&self, path: &str) -> String {
        let (first, rest) = path.split_at(path.find("::").unwrap_or(path.len()));
        self.renamed.get(first).map_or_else(|| path.to_owned(), |usual| format!("{usual}{rest}"))
    }

    /// A text of ours with the names that code has for crates.
    pub(super) fn in_code(&self, text: String) -> String {
        self.renamed.iter().fold(text, |text, (name, usual)| {
            let sought = format!("::{usual}::");
            let mut parts = text.split(&sought);
            let mut done = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                // What follows a name is a module of something else.
                let is_below = done.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '>'));
                done.push_str(&format!("::{}::{part}", if is_below { usual } else { name }));
            }
            done
        })
    }

    fn resolve_as_written(&mut self, scope: ScopeId, self_type: Option<&Type>, names: &[Name]) -> Resolved {
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
    fn look_at(
        &mut self,
        file: FileId,
        place: usize,
        pieces: &Rc<FilePieces>,
        piece: &Piece,
        part: usize,
        range: Range<usize>,
    ) {
        let Some(scope) = self.program.module_scope(file, &piece.modules) else { return };
        let text = &pieces.text[range.clone()];
        self.bytes += text.len();
        // The head of an `impl` has an open brace.
        let list = if part == usize::MAX && piece.kind == PieceKind::Impl {
            tokens(&format!("{text}}}"))
        } else {
            tokens(text)
        };
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
            context.locals =
                body.into_iter().flat_map(|body| body.locals.iter().map(|local| local.name.clone())).collect();
        }
        let edits = self.needs(&context);
        let kept = self.kept.entry((file, place)).or_default();
        kept.done.insert(part);
        kept.edits.extend(edits);
    }

    pub(super) fn function_in(
        &self,
        file: FileId,
        range: &Range<usize>,
        piece: &Piece,
        part: usize,
    ) -> Option<FunctionId> {
        if !matches!(piece.kind, PieceKind::Function | PieceKind::Impl)
            || piece.kind == PieceKind::Impl && part == usize::MAX
        {
            return None;
        }
        let name = if piece.kind == PieceKind::Impl { piece.members[part].name.clone() } else { piece.name.clone() };
        self.program.functions_named(&name).iter().copied().find(|id| {
            let span = self.program.function(*id).name_span;
            span.file == file && range.contains(&(span.start as usize))
        })
    }

    /// Looks at a text that is put into a module: gives it as it has to stand there.
    pub(super) fn text_in(
        &mut self,
        text: &str,
        scope: ScopeId,
        self_type: Option<Type>,
        locals: HashSet<Name>,
    ) -> String {
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
        self.words.extend(
            list.iter()
                .zip(&gone)
                .filter(|(token, gone)| token.kind == Kind::Word && !**gone)
                .map(|(token, _)| token.text.clone()),
        );
        let live: Vec<Token> = list
            .iter()
            .enumerate()
            .map(|(place, token)| {
                if gone[place] {
                    Token { kind: Kind::Mark, text: " ".to_owned(), ..token.clone() }
                } else {
                    token.clone()
                }
            })
            .collect();
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
}

fn written(names: Vec<Name>) -> Path {
    Path { segments: names, of: None, generics: Vec::new() }
}

fn written_of(names: &[Name]) -> Path {
    written(names.to_vec())
}

/// A name as it has to be written.
pub(super) fn raw(name: &str) -> String {
    let is_keyword = matches!(
        name,
        "async"
            | "await"
            | "box"
            | "dyn"
            | "final"
            | "gen"
            | "macro"
            | "match"
            | "mod"
            | "move"
            | "override"
            | "ref"
            | "static"
            | "struct"
            | "trait"
            | "try"
            | "type"
            | "use"
            | "virtual"
            | "where"
            | "yield"
            | "loop"
            | "in"
            | "impl"
            | "enum"
            | "const"
            | "extern"
            | "fn"
            | "for"
            | "if"
            | "abstract"
            | "become"
            | "do"
            | "priv"
    );
    if is_keyword { format!("r#{name}") } else { name.to_owned() }
}

pub(super) fn is_std(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc")
}
