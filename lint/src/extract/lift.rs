//! A lift: the whole package, compiled as it is, with its privacy opened where code is to be called.
//!
//! Nothing is copied out of its place. The adapter goes into the module of the function that it calls, so that privacy means nothing to it, and
//! is called from outside through an implementation of a public trait, so that the modules around it may stay private. Beside that,
//! clocks give the time that they are given, modules can be named within the package, and lints stop nothing.
//! All of it is told as edits of the package's files, which whoever compiles the package makes in a copy.

use super::adapter::{Adapted, adapt, number_in};
use super::clients::{CLIENT, CLOCKS, OUTCOMES, OWN_HTTP, OWN_RUNTIME, clock_module, maker_module};
use super::pieces::Files;
use super::slice::Slice;
use super::tokens::{Edit, Kind, Token, tokens};
use super::{Dependency, Extracted, NotExtracted, Reason, Strategy, UnitOf, outcomes, unit};
use crate::ir::{FileId, FunctionId, Name, Span};
use crate::module::Program;
use crate::source;
use crate::workspace::Requirements;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the trait through which a package that is taken whole is called. It has one function,
/// `call(lines: &[&[u8]], now: runtime::Now) -> runtime::Outcome`.
pub const CALL: &str = "ExtractedCall";

/// A package that is taken whole, opened for what is to be called in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The folder of its manifest.
    pub root: PathBuf,
    /// What changes in its files, each named from the folder.
    pub edits: Vec<(PathBuf, Vec<Edit>)>,
    /// What goes to the end of the crate's root file, beside what each subject has for it.
    pub root_text: String,
    /// The crate `http` that its HTTP client has its types from, by the name that text of ours gives it.
    pub http: Dependency,
}

/// A subject in a package that is taken whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifted {
    /// The package.
    pub package: Arc<Opened>,
    /// The file that the subject stands in, named from the package's folder.
    pub file: PathBuf,
    /// A word that stands in each line of text that is the subject's own.
    pub key: String,
    /// What changes in the package's files for it.
    pub edits: Vec<(PathBuf, Edit)>,
    /// What goes to the end of the crate's root file.
    pub root_text: String,
    /// Whether it needs values of an HTTP client's types.
    pub with_client: bool,
    /// Whether it needs [`Opened::http`] for them.
    pub with_response: bool,
    /// The type at the crate's root that implements [`CALL`].
    pub name: String,
    /// Unit and notes, as of code that was cut out. Its source is the text of the subject's own.
    pub code: Extracted,
}

fn no(reason: Reason, detail: impl Into<String>) -> NotExtracted {
    NotExtracted { strategy: Strategy::Lift, reason, detail: detail.into() }
}

/// What is lifted.
pub(super) struct Target<'t> {
    pub(super) function: FunctionId,
    pub(super) text_parameters: &'t [usize],
    pub(super) header: &'t str,
    /// Whether a slice of it was made, so that it is known what of a receiver is looked at.
    pub(super) is_sliced: bool,
}

/// Opens the package of a function for it. `opened` is the package, if it was opened before.
pub(super) fn lift(
    program: &mut Program<'_>,
    files: &mut Files,
    requirements: &Requirements,
    target: &Target<'_>,
    opened: &mut Option<Arc<Opened>>,
) -> Result<Lifted, NotExtracted> {
    let function = program.function(target.function);
    let (home, at) = (function.home, function.name_span);
    let has_number = function.output.as_ref().is_some_and(number_in);
    let package = program.package_of(home);
    let root = program.workspace().packages[package as usize].root.clone();
    let key = format!("k{}x{}z", at.file.0, at.start);
    let mut slice = Slice::new(program, files, package, requirements);
    slice.is_lift = true;
    let adapted = adapt(&mut slice, target.function, target.text_parameters, target.header);
    let Adapted { mut notes, is_unread } =
        adapted.map_err(|problem| NotExtracted { strategy: Strategy::Lift, ..problem })?;
    if is_unread && !target.is_sliced {
        return Err(no(Reason::NeedsReceiver, "nothing tells which of its fields are read"));
    }
    let unit = if has_number { unit::of_result(slice.program, target.function) } else { None };
    if has_number && unit.is_none() {
        notes.push(super::UNKNOWN_UNIT.to_owned());
    }
    let mut edits = Vec::new();
    let mut source = String::new();
    for (module, text) in std::mem::take(&mut slice.additions) {
        let Some(anchor) = slice.anchors.get(&module).copied() else { continue };
        let (path, end) = place(&mut slice, &root, anchor)?;
        let text = own_line(&slice.in_code(in_place(&text, &key)));
        source.push_str(&text);
        edits.push((path, Edit { range: end..end, text }));
    }
    let (file, end) = place(&mut slice, &root, at)?;
    let call = format!(
        "impl crate::{CALL} for crate::Extracted{key} {{ fn call(lines: &[&[u8]], now: ::{OWN_RUNTIME}::Now) -> ::{OWN_RUNTIME}::Outcome {{ \
         crate::{CLOCKS}::set(now); crate::{OUTCOMES}_{key}::reset(); extracted_subject_{key}(lines) }} }}"
    );
    edits.push((file.clone(), Edit { range: end..end, text: own_line(&call) }));
    edits.extend(elapsed(&mut slice, &file, at.file));
    let of_results: Vec<&str> =
        slice.crates.iter().map(String::as_str).filter(|name| requirements.get(name).is_some()).collect();
    let outcomes = outcomes::module(unit.as_ref().map_or(UnitOf::Seconds, |unit| unit.of), &of_results);
    let outcomes = outcomes
        .replace(&format!("mod {OUTCOMES}"), &format!("pub mod {OUTCOMES}_{key}"))
        .replace("crate::runtime", &format!("::{OWN_RUNTIME}"));
    let outcomes = slice.in_code(outcomes);
    let root_text = own_line(&format!("pub struct Extracted{key}; #[allow(warnings)] {outcomes}"));
    let (with_client, with_response) = (slice.with_client, slice.with_response);
    let package = match opened {
        Some(opened) => opened.clone(),
        None => opened.insert(Arc::new(open(program, files, package, requirements)?)).clone(),
    };
    source.push_str(&call);
    source.push_str(&root_text);
    let reads_clock = package.edits.iter().any(|(_, edits)| edits.iter().any(|edit| edit.text.contains(CLOCKS)));
    if is_unread {
        notes.push("the receiver is never looked into".to_owned());
    }
    let code = Extracted {
        strategy: Strategy::Lift,
        source,
        edition: requirements.edition.clone(),
        dependencies: Vec::new(),
        unit,
        reads_clock,
        notes,
    };
    let name = format!("Extracted{key}");
    Ok(Lifted { package, file, name, key, edits, root_text, with_client, with_response, code })
}

/// Behind the item of an anchor: the file, named from the package's folder, and the byte.
fn place(slice: &mut Slice<'_, '_>, root: &Path, anchor: Span) -> Result<(PathBuf, usize), NotExtracted> {
    let path = &slice.program.workspace().file(anchor.file).path;
    let Ok(path) = path.strip_prefix(root).map(Path::to_owned) else {
        return Err(no(Reason::NoAdapter, "a type of another package"));
    };
    let pieces = slice.files.get(slice.program, anchor.file);
    let pieces = pieces.ok_or_else(|| no(Reason::UnresolvedImport, "a file that cannot be read"))?;
    let Some((place, _)) = pieces.at(anchor.start as usize) else {
        return Err(no(Reason::MacroWrapped, path.display().to_string()));
    };
    Ok((path, pieces.pieces[place].range.end))
}

/// A text as it stands in the package: what is ours stands at the crate's root, and has names of the subject's own.
fn in_place(text: &str, key: &str) -> String {
    let mut text = text.to_owned();
    for name in [CLIENT, CLOCKS, OUTCOMES] {
        let mut done = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(name) {
            let mut before = &rest[..at];
            while let Some(shorter) = before.strip_suffix("super::").or_else(|| before.strip_suffix("self::")) {
                before = shorter;
            }
            done.push_str(before);
            done.push_str("crate::");
            done.push_str(name);
            if name == OUTCOMES {
                done.push('_');
                done.push_str(key);
            }
            rest = &rest[at + name.len()..];
        }
        done.push_str(rest);
        text = done;
    }
    text.replace("fn extracted_subject(", &format!("fn extracted_subject_{key}("))
}

/// The text on one line of its own, so that errors in it can be told from others.
fn own_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("///"));
    let text: String = lines.flat_map(|line| [line, " "]).collect();
    format!("\n{}\n", text.trim())
}

/// What is asked of points in time in the file: it is asked of the given clock.
fn elapsed(slice: &mut Slice<'_, '_>, path: &Path, file: FileId) -> Vec<(PathBuf, Edit)> {
    let Some(pieces) = slice.files.get(slice.program, file) else { return Vec::new() };
    let mut edits = Vec::new();
    for piece in pieces.pieces.iter().filter(|piece| pieces.text[piece.range.clone()].contains(".elapsed()")) {
        let list = pieces.tokens(&piece.range);
        for pair in list.windows(2).filter(|pair| pair[0].text == "." && pair[1].text == "elapsed") {
            let range = pair[1].range.start + piece.range.start..pair[1].range.end + piece.range.start;
            edits.push((path.to_owned(), Edit { range, text: "elapsed_given".to_owned() }));
        }
        let import = own_line(&format!("#[allow(unused_imports)] use crate::{CLOCKS}::GivenElapsed as _;"));
        edits.push((path.to_owned(), Edit { range: piece.range.end..piece.range.end, text: import }));
    }
    edits
}

/// What a package needs to be called in at all.
fn open(
    program: &mut Program<'_>,
    files: &mut Files,
    package: u32,
    requirements: &Requirements,
) -> Result<Opened, NotExtracted> {
    let root = program.workspace().packages[package as usize].root.clone();
    program.load_mentioning(&["now", "now_utc"].map(Name::from).into());
    let own: Vec<FileId> = program.workspace().file_ids().collect();
    let own: Vec<FileId> = own.into_iter().filter(|file| program.workspace().file(*file).package == package).collect();
    let mut slice = Slice::new(program, files, package, requirements);
    let mut edits = Vec::new();
    for file in own {
        let facts = slice.program.workspace().file(file);
        let Ok(path) = facts.path.strip_prefix(&root).map(Path::to_owned) else { continue };
        if facts.is_test {
            continue;
        }
        let Ok(text) = source::read(slice.program.workspace(), file) else { continue };
        let mut of_file = openings(&text);
        if slice.program.module_scope(file, &[]).is_some() && text.contains("now") {
            of_file.extend(slice.clock_edits(file));
        }
        proc_macro2::extra::invalidate_current_thread_spans();
        if !of_file.is_empty() {
            edits.push((path, of_file));
        }
    }
    let clocks = clock_module(&slice.clocks).replace("crate::runtime", &format!("::{OWN_RUNTIME}"));
    let clocks = slice.in_code(clocks);
    let root_text = format!(
        "#[doc(hidden)] #[allow(warnings)] pub trait {CALL} {{ fn call(lines: &[&[u8]], now: ::{OWN_RUNTIME}::Now) -> ::{OWN_RUNTIME}::Outcome; }}\n\
         #[allow(warnings)]\n{clocks}"
    );
    Ok(Opened { root, edits, root_text, http: super::subject::http_of_client(OWN_HTTP, requirements) })
}

/// Modules that can be named from the whole package, and lints that stop nothing.
fn openings(text: &str) -> Vec<Edit> {
    let shift = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let body = &text[shift..];
    let shift = if body.starts_with("#!") && !body.starts_with("#![") {
        shift + body.find('\n').unwrap_or(body.len())
    } else {
        shift
    };
    let Some(list) = tokens(&text[shift..]) else { return Vec::new() };
    let mut edits = Vec::new();
    let mut replace = |token: &Token, text: &str| {
        let range = token.range.start + shift..token.range.end + shift;
        edits.push(Edit { range, text: text.to_owned() });
    };
    let mut at = 0;
    while at < list.len() {
        let text_at = |place: usize| list.get(place).map_or("", |token| token.text.as_str());
        let opening = match (text_at(at), text_at(at + 1), text_at(at + 2)) {
            ("#", "[", _) => Some(at + 1),
            ("#", "!", "[") => Some(at + 2),
            _ => None,
        };
        if let Some(opening) = opening {
            let end = list[opening].partner;
            for pair in list[opening..end].windows(2) {
                let is_level = matches!(pair[0].text.as_str(), "deny" | "forbid" | "warn" | "expect");
                if is_level && pair[0].kind == Kind::Word && pair[1].text == "(" {
                    replace(&pair[0], "allow");
                }
            }
            at = end + 1;
            continue;
        }
        let is_module = list[at].kind == Kind::Word
            && text_at(at) == "mod"
            && list.get(at + 1).is_some_and(|name| name.kind == Kind::Word)
            && matches!(text_at(at + 2), ";" | "{");
        let has_visibility = at > 0 && (matches!(text_at(at - 1), "pub" | ")") || at > 1 && text_at(at - 2) == "$");
        if is_module && !has_visibility {
            replace(&list[at], "pub(crate) mod");
        }
        at += 1;
    }
    edits
}

/// What goes to the end of the crate's root file for the names that text of our own uses: crates that have to be declared, and the module that
/// makes values of an HTTP client's types. `root` is the text before it; `http` is the name that the manifest has for the crate `http` where
/// that is needed.
pub fn declarations(edition: &str, root: &str, with_client: bool, http: Option<&str>) -> String {
    let mut text = String::new();
    if edition == "2015" {
        text.push_str(&format!("extern crate {OWN_RUNTIME};\n"));
    }
    if let Some(name) = http {
        // Cargo refuses a second dependency on what the package depends on itself, so that one is called by both names.
        let renamed = if name == OWN_HTTP { String::new() } else { format!(" as {OWN_HTTP}") };
        text.push_str(&format!("extern crate {name}{renamed};\n"));
    }
    if root.contains("no_std") && !root.contains("extern crate std") {
        text.push_str("extern crate std;\n");
    }
    if with_client {
        text.push_str(&format!("#[allow(warnings)]\n{}", maker_module(http.is_some())));
    }
    text
}

/// The name by which the texts name the runtime.
pub fn runtime_name() -> &'static str {
    OWN_RUNTIME
}

#[cfg(test)]
mod tests {
    use super::super::tokens::edited;
    use super::*;

    #[test]
    fn lints_stop_nothing_and_modules_can_be_named() {
        let text = "\u{feff}#![deny(warnings)]\n#![cfg_attr(not(test), forbid(unsafe_code))]\nmod a;\npub mod b { mod c { #[deny(x)] fn deny() {} } }\npub(super) mod d;\n";
        assert_eq!(
            edited(text, openings(text)),
            "\u{feff}#![allow(warnings)]\n#![cfg_attr(not(test), allow(unsafe_code))]\npub(crate) mod a;\npub mod b { pub(crate) mod c { #[allow(x)] fn deny() {} } }\npub(super) mod d;\n"
        );
    }

    #[test]
    fn texts_name_what_is_at_the_root() {
        assert_eq!(
            in_place(
                "pub fn extracted_subject(lines: &[&[u8]]) -> super::super::extracted_outcome::Outcome { self::extracted_clock::wall() }",
                "k1z"
            ),
            "pub fn extracted_subject_k1z(lines: &[&[u8]]) -> crate::extracted_outcome_k1z::Outcome { crate::extracted_clock::wall() }"
        );
    }
}
