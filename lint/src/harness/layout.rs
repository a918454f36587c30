//! The layout: which crates a harness is made of, and their files.
//!
//! ```text
//! core/       the reference
//! runtime/    inputs, oracle and driver
//! group-*/    subjects that need the same crates, one module each
//! lift-*/     a package that is taken whole, see `lift`
//! build/      cargo's target folder of them all, which the harnesses of published crates share
//! ```
//!
//! Each group is a workspace of its own: it needs no more crates than its code does, and where one of them cannot be had or compiled,
//! no other group is concerned. A file is only written if it changes, so that a second build does little.

use super::{Error, Plan};
use crate::extract::{Dependency, Extracted, Subject};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The runtime's files, which are those of `lint/runtime`.
pub const RUNTIME: &[(&str, &str)] = &[
    ("corpus.txt", include_str!("../../runtime/corpus.txt")),
    ("driver.rs", include_str!("../../runtime/driver.rs")),
    ("escape.rs", include_str!("../../runtime/escape.rs")),
    ("inputs.rs", include_str!("../../runtime/inputs.rs")),
    ("lib.rs", include_str!("../../runtime/lib.rs")),
    ("oracle.rs", include_str!("../../runtime/oracle.rs")),
    ("shrink.rs", include_str!("../../runtime/shrink.rs")),
    ("subject.rs", include_str!("../../runtime/subject.rs")),
    ("tally.rs", include_str!("../../runtime/tally.rs")),
    ("target.rs", include_str!("../../runtime/target.rs")),
    ("text.rs", include_str!("../../runtime/text.rs")),
    ("trial.rs", include_str!("../../runtime/trial.rs")),
];

/// The version of the crate that libFuzzer comes with.
const LIBFUZZER: &str = "0.4";

/// Subjects that need the same crates in the same edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The name of its crate, the same as long as it needs the same.
    pub(super) name: String,
    edition: String,
    dependencies: Vec<Dependency>,
    /// Its subjects, as numbers in the list of all.
    pub(super) numbers: Vec<usize>,
}

impl Group {
    /// The crates that its code names.
    pub(super) fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }
}

/// What a harness is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A program that asks by itself.
    Compare,
    /// A program for each subject that libFuzzer drives.
    Fuzz,
}

/// Puts the subjects that were extracted into groups.
pub(super) fn groups(subjects: &[Subject], plan: &Plan<'_>) -> Vec<Group> {
    // Programs of several plans can lie in one folder.
    let owner = plan.folder.file_name().unwrap_or_default().to_string_lossy();
    let mut groups: BTreeMap<(String, Vec<Dependency>), Vec<usize>> = BTreeMap::new();
    for (number, subject) in subjects.iter().enumerate() {
        let Ok(code) = &subject.extraction else { continue };
        let mut dependencies = code.dependencies.clone();
        dependencies.sort();
        groups.entry((code.edition.clone(), dependencies)).or_default().push(number);
    }
    let named = groups.into_iter().map(|((edition, dependencies), numbers)| {
        let name = format!("group-{:08x}", hash(&format!("{owner} {edition} {dependencies:?}")) as u32);
        Group { name, edition, dependencies, numbers }
    });
    named.collect()
}

/// FNV-1a: the same on every machine and in every version.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The folder of a harness, with what all groups share.
pub(super) struct Folder {
    path: PathBuf,
    build: PathBuf,
    purpose: Purpose,
}

impl Folder {
    /// Writes what all groups share, for comparing.
    pub(super) fn prepare(plan: &Plan<'_>) -> Result<Folder, Error> {
        Folder::prepare_for(plan, Purpose::Compare)
    }

    pub(super) fn prepare_for(plan: &Plan<'_>, purpose: Purpose) -> Result<Folder, Error> {
        // Nothing of it belongs under version control.
        write(&plan.folder.join(".gitignore"), "*\n")?;
        let path = plan.folder.join(if purpose == Purpose::Fuzz { "fuzz" } else { "compare" });
        // Fuzzed programs are named by their number alone, and run for long.
        let build = if purpose == Purpose::Fuzz { path.join("build") } else { plan.shared.join("compare/build") };
        let core = package("retry-after-core", "2021", Table::from_iter([]));
        let features = table([("default", list(["std"])), ("std", list([])), ("sources", list([]))]);
        write_toml(&path.join("core"), with(core, "features", features))?;
        for (name, text) in plan.reference {
            write(&path.join("core/src").join(name), text)?;
        }
        let needs = table([("retry-after-core", Value::Table(table([("path", "../core".into())])))]);
        write_toml(&path.join("runtime"), package("retry-after-runtime", "2021", needs))?;
        for (name, text) in RUNTIME {
            write(&path.join("runtime/src").join(name), text)?;
        }
        Ok(Folder { path, build, purpose })
    }

    /// Cargo's target folder.
    pub(super) fn build(&self) -> &Path {
        &self.build
    }

    /// A folder with a package that is no harness.
    pub(super) fn shared(&self) -> PathBuf {
        self.path.join("core")
    }

    /// The folder of a group's crate.
    pub(super) fn group(&self, group: &Group) -> PathBuf {
        self.path.join(&group.name)
    }

    /// The folder of a package that is taken whole.
    pub(super) fn lift(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a group's crate with these of its subjects, and takes away what is left of others.
    pub(super) fn write_group<'a>(
        &self,
        group: &Group,
        numbers: &[usize],
        code: &dyn Fn(usize) -> Option<&'a Extracted>,
    ) -> Result<(), Error> {
        let folder = self.group(group);
        write_toml(&folder, self.manifest(group, numbers))?;
        let mut wanted = Vec::new();
        for (number, code) in numbers.iter().filter_map(|number| Some((number, code(*number)?))) {
            wanted.push(folder.join("src").join(module_file(*number)));
            write(&folder.join("src").join(module_file(*number)), &code.source)?;
        }
        let modules: String = numbers.iter().map(|number| format!("mod s{number};\n")).collect();
        let modules =
            format!("#![allow(warnings, clippy::all)]\n\nextern crate retry_after_runtime as runtime;\n\n{modules}");
        match self.purpose {
            Purpose::Compare => {
                let row = |number: &usize| format!("        {},\n", subject(*number, code(*number)));
                let rows: String = numbers.iter().map(row).collect();
                let main = format!(
                    "\nfn main() -> std::process::ExitCode {{\n    runtime::driver::main(&[\n{rows}    ])\n}}\n"
                );
                write(&folder.join("src/main.rs"), &(modules + &main))?;
                wanted.push(folder.join("src/main.rs"));
            }
            Purpose::Fuzz => {
                // Each subject is a program of its own, with its own coverage and its own crate of modules.
                for number in numbers {
                    let main = format!(
                        "#![allow(warnings, clippy::all)]\n#![cfg_attr(fuzzing, no_main)]\n\n\
                         extern crate retry_after_runtime as runtime;\n\nmod s{number};\n\n\
                         #[cfg(fuzzing)]\nlibfuzzer_sys::fuzz_target!(|data: &[u8]| runtime::target::run(\n    \
                         {},\n    data\n));\n\n\
                         #[cfg(not(fuzzing))]\nfn main() {{}}\n",
                        subject(*number, code(*number))
                    );
                    write(&folder.join("src").join(target_file(*number)), &main)?;
                    wanted.push(folder.join("src").join(target_file(*number)));
                }
            }
        }
        remove_others(&folder.join("src"), &wanted)
    }

    fn manifest(&self, group: &Group, numbers: &[usize]) -> Table {
        let mut needs: Table = group.dependencies.iter().map(dependency).collect();
        needs.insert("retry-after-runtime".to_owned(), Value::Table(table([("path", "../runtime".into())])));
        let mut manifest = package(&group.name, &group.edition, needs);
        manifest.insert("workspace".to_owned(), Value::Table(Table::new()));
        // Comparing is over in a second, and builds soon; fuzzing takes long, and pays for a slow build.
        let is_fuzz = self.purpose == Purpose::Fuzz;
        let release = table([
            ("opt-level", Value::Integer(if is_fuzz { 3 } else { 2 })),
            ("debug", Value::Boolean(false)),
            ("incremental", Value::Boolean(!is_fuzz)),
            ("overflow-checks", Value::Boolean(false)),
            ("panic", "unwind".into()),
        ]);
        let checked = table([("inherits", "release".into()), ("overflow-checks", Value::Boolean(true))]);
        let profiles = table([("release", Value::Table(release)), ("checked", Value::Table(checked))]);
        manifest.insert("profile".to_owned(), Value::Table(profiles));
        if self.purpose == Purpose::Fuzz {
            let fuzzer = table([("libfuzzer-sys", LIBFUZZER.into())]);
            let only = table([("cfg(fuzzing)", Value::Table(table([("dependencies", Value::Table(fuzzer))])))]);
            manifest.insert("target".to_owned(), Value::Table(only));
            let metadata = Value::Table(table([("cargo-fuzz", Value::Boolean(true))]));
            if let Some(Value::Table(package)) = manifest.get_mut("package") {
                package.insert("metadata".to_owned(), metadata);
                package.insert("autobins".to_owned(), Value::Boolean(false));
            }
            let bins = numbers.iter().map(|number| {
                let path = format!("src/{}", target_file(*number));
                Value::Table(table([("name", target_name(*number).into()), ("path", path.into())]))
            });
            manifest.insert("bin".to_owned(), Value::Array(bins.collect()));
        }
        manifest
    }
}

/// The expression for a subject of the crate.
fn subject(number: usize, code: Option<&Extracted>) -> String {
    let unknown_unit = code.is_some_and(Extracted::is_in_unknown_unit);
    format!("runtime::Subject {{ number: {number}, unknown_unit: {unknown_unit}, call: s{number}::subject }}")
}

/// The name of the program that libFuzzer drives for a subject.
pub(super) fn target_name(number: usize) -> String {
    format!("subject-{number}")
}

fn target_file(number: usize) -> String {
    format!("fuzz{number}.rs")
}

fn module_file(number: usize) -> String {
    format!("s{number}.rs")
}

/// The subject whose module is the file.
pub(super) fn subject_of(file: &str) -> Option<usize> {
    let name = file.rsplit(['/', '\\']).next()?;
    name.strip_prefix('s')?.strip_suffix(".rs")?.parse().ok()
}

pub(super) fn dependency(dependency: &Dependency) -> (String, Value) {
    let mut value = table([
        ("package", dependency.package.clone().into()),
        ("version", dependency.version.clone().into()),
        ("default-features", Value::Boolean(dependency.default_features)),
    ]);
    if !dependency.features.is_empty() {
        value.insert(
            "features".to_owned(),
            Value::Array(dependency.features.iter().cloned().map(Value::from).collect()),
        );
    }
    (dependency.name.clone(), Value::Table(value))
}

pub(super) fn package(name: &str, edition: &str, dependencies: Table) -> Table {
    let package = table([
        ("name", name.into()),
        ("version", "0.0.0".into()),
        ("edition", edition.into()),
        ("publish", Value::Boolean(false)),
    ]);
    table([("package", Value::Table(package)), ("dependencies", Value::Table(dependencies))])
}

fn with(mut manifest: Table, key: &str, value: Table) -> Table {
    manifest.insert(key.to_owned(), Value::Table(value));
    manifest
}

pub(super) fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

pub(super) fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> Value {
    Value::Array(words.into_iter().map(Value::from).collect())
}

pub(super) fn write_toml(folder: &Path, manifest: Table) -> Result<(), Error> {
    let text = format!("# Written by cargo retry-after, and written anew each time.\n{manifest}");
    write(&folder.join("Cargo.toml"), &text)
}

/// Writes the file if it is not there with this text.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Error> {
    write_bytes(path, text.as_bytes())
}

/// The same for what need not be text.
pub(super) fn write_bytes(path: &Path, text: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, &error))?;
    }
    fs::write(path, text).map_err(|error| Error::io("write", path, &error))
}

fn remove_others(folder: &Path, wanted: &[PathBuf]) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read", folder, &error))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| !wanted.contains(path)) {
        fs::remove_file(&path).map_err(|error| Error::io("remove", &path, &error))?;
    }
    Ok(())
}
