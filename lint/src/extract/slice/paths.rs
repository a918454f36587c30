//! The paths of a text that is copied: what each needs, and how the copy writes it.

use super::{Context, CopiedMacro, Slice, is_std, written_of};
use crate::extract::Reason;
use crate::extract::attributes::Pruned;
use crate::extract::clients::{self, CLOCKS};
use crate::extract::pieces::{FilePieces, PieceKind};
use crate::extract::tokens::{Edit, Kind, Token, WrittenPath, is_logger, paths};
use crate::ir::{FileId, Name, Owner, ScopeId, TypeKind};
use crate::module::Resolved;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

impl Slice<'_, '_> {
    /// Macros that log or print give nothing to anyone.
    pub(super) fn loud_macros(&mut self, context: &Context<'_>, pruned: &mut Pruned) {
        let list = context.tokens;
        for path in paths(list) {
            let last = *path.places.last().unwrap_or(&0);
            let (Some(bang), Some(open)) = (list.get(last + 1), list.get(last + 2)) else { continue };
            if bang.text != "!" || open.kind != Kind::Open || pruned.is_gone[last] {
                continue;
            }
            let name = path.names.last().map_or("", String::as_str);
            let of_loggers =
                path.names.len() > 1 && matches!(path.names[0].as_str(), "log" | "tracing" | "slog" | "defmt");
            if (path.names.len() == 1 || of_loggers) && is_logger(name) {
                pruned.leave_out(list, path.places[0], open.partner, "()");
            }
        }
    }

    /// What one path of a text needs.
    pub(super) fn path(&mut self, context: &Context<'_>, live: &[Token], path: &WrittenPath, edits: &mut Vec<Edit>) {
        let names: Vec<Name> = path.names.iter().map(|name| name.as_str().into()).collect();
        let first = &*names[0];
        // Stands for the module that makes outcomes, in text of our own.
        if first == "OUTCOMES" {
            return;
        }
        let after = live.get(path.places.last().unwrap_or(&0) + 1).map_or("", |token| token.text.as_str());
        let before = path.places[0].checked_sub(1).map_or("", |before| live[before].text.as_str());
        if names.len() == 1
            && (context.locals.contains(&names[0])
                || before == "'"
                || matches!(before, "fn" | "mod" | "struct" | "enum" | "trait"))
        {
            return;
        }
        if names.len() == 1 && after == ":" && first.starts_with(char::is_lowercase) {
            return;
        }
        if after == "!" && live.get(path.places.last().unwrap_or(&0) + 2).is_some_and(|open| open.kind == Kind::Open) {
            let is_own = self.macro_call(context, &names);
            if is_own && names.len() > 1 {
                // It is copied to the root, and is found by its name.
                let last = path.places[names.len() - 1];
                let range = live[path.places[0]].range.start..live[last].range.start;
                edits.push(Edit { range, text: String::new() });
            }
            return;
        }
        let scope = context.scope;
        if first == "Self" {
            self.path_of_self(context, &names, after);
            return;
        }
        let mut resolved = if path.is_global {
            Resolved::External(self.usual(&path.names.join("::")).into())
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
        let local =
            |this: &Self, scope: ScopeId, name: &str| Self::path_from(&context.module, &this.module_of(scope), name);
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
                        if owner > 0
                            && let Resolved::Type(ty) = self.resolve(scope, context.self_type.as_ref(), &names[..owner])
                        {
                            let item = self.program.type_item(ty);
                            replacement = Some((owner, local(self, item.scope, &item.name)));
                            self.owners.insert(ty);
                        }
                    }
                }
            }
            Resolved::Constant(id) => {
                let constant = self.program.constant(id);
                let (file, byte, home, name) =
                    (constant.span.file, constant.span.start as usize, constant.home, constant.name.clone());
                let is_free = constant.owner == Owner::Free;
                self.item_at(file, byte);
                if is_free {
                    replacement = Some((length, local(self, home, &name)));
                } else if length > 1
                    && let Resolved::Type(ty) = self.resolve(scope, None, &names[..length - 1])
                {
                    self.owners.insert(ty);
                    let item = self.program.type_item(ty);
                    replacement = Some((length - 1, local(self, item.scope, &item.name)));
                }
            }
            Resolved::Type(id) | Resolved::Variant(id, _) => {
                let count =
                    if matches!(resolved, Resolved::Variant(..)) { length.saturating_sub(1).max(1) } else { length };
                let is_owner_only = length < names.len();
                if is_owner_only {
                    self.owners.insert(id);
                } else {
                    self.whole.insert(id);
                }
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
                return self.external(context, live, path, &names[..written_len], &of, edits);
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
    pub(super) fn import_local(&mut self, context: &Context<'_>, name: &str, path: &str) {
        let own = Self::path_from(&context.module, &context.module, name);
        if path != own {
            self.import(&context.module, name, path);
        }
    }

    pub(super) fn import(&mut self, module: &[Name], name: &str, path: &str) {
        self.imports.entry(module.to_vec()).or_default().entry(name.to_owned()).or_insert_with(|| path.to_owned());
    }

    /// A path that leads out of the workspace.
    pub(super) fn external(
        &mut self,
        context: &Context<'_>,
        live: &[Token],
        path: &WrittenPath,
        names: &[Name],
        of: &str,
        edits: &mut Vec<Edit>,
    ) {
        let first = &*names[0];
        let direct = if path.is_global {
            Resolved::Unknown("".into())
        } else {
            self.resolve(context.scope, context.self_type.as_ref(), &names[..1])
        };
        let is_relative = matches!(first, "crate" | "self" | "super");
        match direct {
            // The first name comes from a `use`, or is there without one.
            Resolved::External(direct) if !is_relative => {
                // A crate by its own name is there without a `use`.
                if *direct == *first || is_prelude(&direct, first) {
                    return;
                }
                let text = self.external_path(context, &direct);
                if names.len() == 1 || !direct.is_empty() {
                    self.import(&context.module, first, &text);
                }
            }
            Resolved::Functions(_) | Resolved::Constant(_) | Resolved::Type(_) | Resolved::Variant(..)
                if !is_relative => {}
            _ => {
                let text = self.external_path(context, of);
                let as_written = format!("::{}", path.names[..names.len()].join("::"));
                if text != as_written || is_relative {
                    // The `::` before a global path goes with it.
                    let first = if path.is_global { path.places[0] - 1 } else { path.places[0] };
                    let range = live[first].range.start..live[path.places[names.len() - 1]].range.end;
                    edits.push(Edit { range, text });
                }
            }
        }
    }

    /// How a copy names what lies outside.
    pub(super) fn external_path(&mut self, context: &Context<'_>, path: &str) -> String {
        if let Some(below) = clients::stand_in(path) {
            self.with_client = true;
            self.crates.insert("http".to_owned());
            if below.ends_with("::Url") {
                self.crates.insert("url".to_owned());
            }
            let up =
                if context.module.is_empty() { "self::".to_owned() } else { "super::".repeat(context.module.len()) };
            return format!("{up}{below}");
        }
        let first = path.split("::").next().unwrap_or_default();
        if !is_std(first) {
            self.crates.insert(first.to_owned());
        }
        format!("::{path}")
    }

    pub(super) fn path_of_self(&mut self, context: &Context<'_>, names: &[Name], after: &str) {
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

    /// A macro that is called; whether it is the package's own.
    pub(super) fn macro_call(&mut self, context: &Context<'_>, names: &[Name]) -> bool {
        let last = names.last().map_or("", |name| name);
        let package = self.program.scope(context.scope).package;
        let ids: Vec<FileId> = self
            .program
            .workspace()
            .file_ids()
            .filter(|file| self.program.workspace().file(*file).package == package)
            .collect();
        if is_std_macro(last) && names.len() == 1 {
            return false;
        }
        // A macro of the package may stand in any file; most often it is the same or the root.
        let wanted: BTreeSet<Name> = [Name::from("macro_rules")].into();
        let own = self.program.file_of(context.scope);
        let mut candidates: Vec<FileId> = vec![own];
        let _ = self.program.load_mentioning(&wanted);
        candidates.extend(
            ids.into_iter().filter(|file| *file != own && !self.program.workspace().file(*file).is_test).take(400),
        );
        if names.len() == 1 || matches!(&*names[0], "crate") {
            for file in candidates {
                if self.program.module_scope(file, &[]).is_none() {
                    continue;
                }
                let Some(pieces) = self.files.get(self.program, file) else { continue };
                let found = pieces.pieces.iter().position(|piece| piece.kind == PieceKind::Macro && piece.name == last);
                if let Some(place) = found {
                    self.macro_rules(context, file, place, &pieces);
                    return true;
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
        false
    }

    /// A macro of the package's own: what it needs is needed where it is called.
    pub(super) fn macro_rules(&mut self, context: &Context<'_>, file: FileId, place: usize, pieces: &Rc<FilePieces>) {
        let piece = &pieces.pieces[place];
        let list = pieces.tokens(&piece.range);
        let names_crate = list.windows(2).any(|pair| pair[0].text == "$" && pair[1].text == "crate");
        if let Some(known) = self.macros.get(&(file, place)) {
            // Paths from the crate's root become paths from where it is called, which is one place or none.
            if names_crate && known.module != context.module {
                self.refuse(
                    Reason::UnresolvedImport,
                    &format!("$crate in {}!, called from several modules", piece.name),
                );
            }
            return;
        }
        self.macros.insert((file, place), CopiedMacro { module: context.module.clone(), edits: Vec::new() });
        let inner = Context {
            scope: context.scope,
            self_type: None,
            module: context.module.clone(),
            locals: HashSet::new(),
            offset: 0,
            tokens: &list,
        };
        let needed = self.needs(&inner);
        if names_crate {
            let edits = self.without_crate(&list, &needed, &piece.name);
            self.macros.insert((file, place), CopiedMacro { module: context.module.clone(), edits });
        }
    }

    /// What becomes of `$crate` in the copy of a macro, which has another crate's root: paths from it lead from where the macro is called.
    fn without_crate(&mut self, list: &[Token], needed: &[Edit], name: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        for path in paths(list) {
            let first = path.places[0];
            let is_dollar = path.names[0] == "crate" && first > 0 && list[first - 1].text == "$";
            let Some(last) = path.places.last().copied().filter(|_| is_dollar) else { continue };
            let start = list[first - 1].range.start;
            let is_macro = list.get(last + 1).is_some_and(|next| next.text == "!");
            let moved = needed.iter().find(|edit| edit.range.start == list[first].range.start);
            match moved {
                // Macros are all at the root of the copy, and are found by their names.
                _ if is_macro => edits.push(Edit { range: start..list[last].range.start, text: String::new() }),
                Some(moved) => edits.push(Edit { range: start..moved.range.end, text: moved.text.clone() }),
                None => self.refuse(Reason::UnresolvedImport, &format!("${} in {name}!", path.names.join("::"))),
            }
        }
        edits
    }

    /// `use` lines in a body are copied with it; what they bring in has to be there.
    pub(super) fn block_imports(&mut self, context: &Context<'_>) {
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
    pub(super) fn globs_and_traits(&mut self, context: &Context<'_>) {
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

    pub(super) fn is_a_dependency(&self, name: &str) -> bool {
        self.crates.contains(name)
    }
}

/// Whether a name is there without a `use`.
/// Whether a name is there without a `use`, in code of every edition.
fn is_prelude(path: &str, name: &str) -> bool {
    let is_new = matches!(name, "TryFrom" | "TryInto" | "FromIterator");
    !is_new && crate::module::prelude_path(name).is_some_and(|known| known == path)
}

fn is_std_macro(name: &str) -> bool {
    matches!(
        name,
        "assert"
            | "assert_eq"
            | "assert_ne"
            | "cfg"
            | "column"
            | "compile_error"
            | "concat"
            | "dbg"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "env"
            | "file"
            | "format"
            | "format_args"
            | "include_str"
            | "line"
            | "matches"
            | "module_path"
            | "option_env"
            | "panic"
            | "stringify"
            | "thread_local"
            | "todo"
            | "unimplemented"
            | "unreachable"
            | "vec"
            | "write"
            | "writeln"
    )
}

fn is_std_trait(name: &str) -> bool {
    matches!(
        name,
        "FromStr"
            | "Write"
            | "Read"
            | "BufRead"
            | "Seek"
            | "Borrow"
            | "BorrowMut"
            | "Deref"
            | "DerefMut"
            | "Hash"
            | "Hasher"
            | "Error"
            | "TryFrom"
            | "TryInto"
            | "Add"
            | "Sub"
            | "Mul"
            | "Div"
            | "Rem"
            | "Neg"
            | "Not"
            | "FromIterator"
            | "Any"
            | "Pattern"
    )
}

/// Traits of widely used crates that are imported for their methods.
fn is_known_trait(name: &str) -> bool {
    matches!(
        name,
        "TimeZone"
            | "Datelike"
            | "Timelike"
            | "SubsecRound"
            | "DurationRound"
            | "Context"
            | "WrapErr"
            | "OptionExt"
            | "ResultExt"
            | "ToSpan"
            | "HeaderMapExt"
            | "FromPrimitive"
            | "ToPrimitive"
    )
}
