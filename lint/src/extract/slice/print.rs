//! The text of a slice.

use super::{ModulePath, Slice, raw};
use crate::extract::NotExtracted;
use crate::extract::attributes::prune;
use crate::extract::pieces::PieceKind;
use crate::extract::tokens::{Edit, edited, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

impl Slice<'_, '_> {
    /// The text of the slice's modules.
    pub(in crate::extract) fn print(&mut self) -> Result<String, NotExtracted> {
        let mut modules: BTreeMap<ModulePath, String> = BTreeMap::new();
        let mut macros = String::new();
        for ((file, place), copied) in self.macros.clone() {
            if let Some(pieces) = self.files.get(self.program, file) {
                let text = &pieces.text[pieces.pieces[place].range.clone()];
                let list = tokens(text).unwrap_or_default();
                let mut edits = prune(&list, false).edits;
                edits.extend(copied.edits);
                macros.push_str(&edited(text, edits).replace("#[macro_export]", ""));
                macros.push('\n');
            }
        }
        for ((file, place), kept) in self.kept.clone() {
            let Some(pieces) = self.files.get(self.program, file) else { continue };
            let piece = &pieces.pieces[place];
            let Some(scope) = self.program.module_scope(file, &piece.modules) else { continue };
            let module = self.module_of(scope);
            let into = |range: &Range<usize>| {
                let edits =
                    kept.edits.iter().filter(|edit| range.start <= edit.range.start && edit.range.end <= range.end);
                let edits = edits.map(|edit| Edit {
                    range: edit.range.start - range.start..edit.range.end - range.start,
                    text: edit.text.clone(),
                });
                edited(&pieces.text[range.clone()], edits.collect())
            };
            let mut text = String::new();
            match (piece.kind, &kept.members) {
                (PieceKind::Impl, None) => text.push_str(&into(&piece.range)),
                (PieceKind::Impl, Some(members)) => {
                    if members.is_empty() {
                        continue;
                    }
                    let stub = self
                        .owners
                        .iter()
                        .copied()
                        .find(|id| *self.program.type_item(*id).name == *piece.name && !self.whole.contains(id));
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

    pub(super) fn print_module(
        &self,
        module: &ModulePath,
        all: &BTreeSet<ModulePath>,
        texts: &BTreeMap<ModulePath, String>,
        depth: usize,
        source: &mut String,
    ) {
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
