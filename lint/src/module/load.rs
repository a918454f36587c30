//! Taking in files: read, parse and lower on all cores, then merge in the order of the files.

use super::parse::STACK;
use super::{Program, index};
use crate::ir::{ConstantId, FileId, FileIr, FunctionId, Name, ScopeId, TypeId};
use crate::{ir, source};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What became of one file: what it lowers to, or the line and the reason.
type Outcome = Result<FileIr, (u32, String)>;

impl Program<'_> {
    /// Takes in those of the files that are not in yet. Gives their number.
    pub(super) fn load_files(&mut self, mut files: Vec<FileId>) -> usize {
        files.sort_unstable();
        files.dedup();
        files.retain(|file| self.is_loaded.get(file.0 as usize) == Some(&false));
        for (file, outcome) in files.iter().zip(self.lower_all(&files)) {
            self.is_loaded[file.0 as usize] = true;
            match outcome {
                Ok(lowered) => {
                    self.parsed.push(*file);
                    self.merge(*file, lowered);
                }
                Err((line, message)) => self.unparsed.push((*file, line, message)),
            }
        }
        files.len()
    }

    fn lower_all(&self, files: &[FileId]) -> Vec<Outcome> {
        on_all_cores(files, STACK, |&file| {
            let text = source::read(self.workspace, file).map_err(|problem| (problem.line, problem.message))?;
            let facts = self.workspace.file(file);
            let module = self.tree.of_file(file).to_vec();
            let is_test = facts.is_test || self.is_test_module(facts.package, &module);
            ir::lower::lower(file, &text, module, facts.package, is_test)
                .map_err(|problem| (problem.line, problem.message))
        })
    }

    /// Whether a module is declared as a test's, or looks like one by its name.
    fn is_test_module(&self, package: u32, module: &[Name]) -> bool {
        module.iter().any(|name| matches!(&**name, "tests" | "test"))
            || module.last().is_some_and(|last| last.ends_with("_test") || last.ends_with("_tests"))
            || self.test_modules.iter().any(|(of, path)| *of == package && module.starts_with(path))
    }

    fn merge(&mut self, file: FileId, lowered: FileIr) {
        let base = self.scopes.len() as u32;
        // The line that declares it a test may have come in together with it.
        let is_test = self.is_test_module(self.workspace.file(file).package, self.tree.of_file(file));
        let shift = |scope: ScopeId| ScopeId(scope.0 + base);
        // So may the `#[path]` line that places it.
        let written = lowered.scopes.first().map_or(0, |scope| scope.module.len());
        let placed = self.tree.of_file(file).to_vec();
        for mut scope in lowered.scopes {
            let id = ScopeId(self.scopes.len() as u32);
            scope.module.splice(..written.min(scope.module.len()), placed.iter().cloned());
            scope.parent = scope.parent.map(shift);
            scope.is_test |= is_test;
            if !scope.is_block {
                self.tree.enter(scope.package, &scope.module, id);
            }
            self.index.uses(id, &scope);
            self.scopes.push(scope);
            self.scope_files.push(file);
        }
        for mut function in lowered.functions {
            let id = FunctionId(self.functions.len() as u32);
            (function.scope, function.home) = (shift(function.scope), shift(function.home));
            function.is_test |= is_test;
            self.index.function(id, &function);
            self.functions.push(function);
        }
        for mut constant in lowered.constants {
            let id = ConstantId(self.constants.len() as u32);
            (constant.scope, constant.home) = (shift(constant.scope), shift(constant.home));
            self.index.constant(id, &constant);
            self.constants.push(constant);
        }
        for mut item in lowered.types {
            let id = TypeId(self.types.len() as u32);
            item.scope = shift(item.scope);
            self.index.type_item(id, &item);
            self.types.push(item);
        }
        for mut item in lowered.impls {
            item.scope = shift(item.scope);
            if let (Some(_), Some(name)) = (&item.of, index::last_segment(&item.ty)) {
                self.index.impls.entry(name).or_default().push(self.impls.len() as u32);
            }
            self.impls.push(item);
        }
        self.opaque.extend(lowered.opaque);
        for (scope, name, written) in lowered.path_modules {
            self.place(file, shift(scope), name, &written);
        }
        for (scope, name) in lowered.test_modules {
            let scope = &self.scopes[(scope.0 + base) as usize];
            let module: Vec<Name> = scope.module.iter().cloned().chain([name]).collect();
            self.declare_test(scope.package, module);
        }
    }

    /// Follows a `#[path]` line.
    fn place(&mut self, file: FileId, scope: ScopeId, name: Name, written: &str) {
        let outer = &self.scopes[scope.0 as usize];
        let (package, path) = (outer.package, outer.module.iter().cloned().chain([name]).collect::<Vec<_>>());
        let inline = outer.module.get(self.tree.of_file(file).len()..).unwrap_or(&[]);
        let Some(target) = self.path_file(file, inline, written) else { return };
        if self.workspace.file(target).package != package {
            return;
        }
        if self.is_loaded[target.0 as usize] {
            let written = self.tree.of_file(target).len();
            for (index, scope) in self.scopes.iter_mut().enumerate() {
                if self.scope_files[index] != target {
                    continue;
                }
                scope.module.splice(..written.min(scope.module.len()), path.iter().cloned());
                if !scope.is_block {
                    self.tree.enter(package, &scope.module, ScopeId(index as u32));
                }
            }
        }
        self.tree.place(package, path, target);
    }

    /// Marks what was taken in of a module that turns out to be a test's.
    fn declare_test(&mut self, package: u32, module: Vec<Name>) {
        let mut is_any = false;
        for scope in &mut self.scopes {
            if scope.package == package && !scope.is_test && scope.module.starts_with(&module) {
                scope.is_test = true;
                is_any = true;
            }
        }
        if is_any {
            for function in &mut self.functions {
                function.is_test |= self.scopes[function.home.0 as usize].is_test;
            }
        }
        self.test_modules.push((package, module));
    }

    /// The files, not in yet, that contain one of the names as a whole word.
    pub(super) fn files_mentioning(&self, names: &BTreeSet<Name>) -> Vec<FileId> {
        let waiting: Vec<FileId> = (0..self.is_loaded.len())
            .filter(|&index| !self.is_loaded[index])
            .map(|index| FileId(index as u32))
            .collect();
        let alternatives: Vec<String> =
            names.iter().filter(|name| !name.is_empty()).map(|name| regex::escape(name)).collect();
        if alternatives.is_empty() {
            return Vec::new();
        }
        let Ok(pattern) = regex::bytes::Regex::new(&format!(r"(?-u:\b)(?:{})(?-u:\b)", alternatives.join("|"))) else {
            return Vec::new();
        };
        let found = on_all_cores(&waiting, 0, |&file| -> BTreeSet<Vec<u8>> {
            let Ok(text) = source::read(self.workspace, file) else { return BTreeSet::new() };
            pattern.find_iter(text.as_bytes()).map(|name| name.as_bytes().to_vec()).collect()
        });
        // A name that stands everywhere leads nowhere.
        let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
        for name in found.iter().flatten() {
            *counts.entry(name).or_default() += 1;
        }
        let leads = |names: &BTreeSet<Vec<u8>>| names.iter().any(|name| counts[name.as_slice()] <= FILES_FOR_A_NAME);
        waiting.into_iter().zip(&found).filter(|(_, names)| leads(names)).map(|(file, _)| file).collect()
    }
}

/// The most files that one name may bring in.
const FILES_FOR_A_NAME: usize = 24;

/// As many files are searched sooner than a thread is started.
const HANDFUL: usize = 16;

/// The results of `work` for all items, in their order. Each thread has that stack, or the usual one for 0.
fn on_all_cores<I: Sync, T: Send>(items: &[I], stack: usize, work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    // With the usual stack, this thread does for a handful.
    if stack == 0 && items.len() <= HANDFUL {
        return items.iter().map(work).collect();
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let run = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < items.len()) {
            let result = work(&items[index]);
            if let Ok(mut slot) = results[index].lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        let mut threads = 0;
        for _ in 0..cores {
            let mut builder = std::thread::Builder::new().name("worker".to_owned());
            if stack > 0 {
                builder = builder.stack_size(stack);
            }
            threads += usize::from(builder.spawn_scoped(scope, run).is_ok());
        }
        if threads == 0 {
            run();
        }
    });
    results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}
