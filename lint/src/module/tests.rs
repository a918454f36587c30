//! Tests of module trees and resolution, on small workspaces written out to a folder.

use super::{Program, Resolved};
use crate::ir::{FileId, Name, Path, ScopeId, Type, TypeKind};
use crate::workspace::{Package, SourceFile, Workspace};
use std::fs;

/// A workspace of `package/path.rs` files; a package has `src/lib.rs` and `src/main.rs` as crate roots where they are there.
struct Fixture {
    _folder: tempfile::TempDir,
    workspace: Workspace,
}

fn fixture(files: &[(&str, &str)]) -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let mut workspace = Workspace::default();
    for (path, text) in files {
        let (package, _) = path.split_once('/').expect("a package");
        let absolute = folder.path().join(path);
        fs::create_dir_all(absolute.parent().expect("a folder")).expect("a folder");
        fs::write(&absolute, text).expect("a file");
        let index = workspace.packages.iter().position(|known| known.name.as_deref() == Some(package));
        let index = index.unwrap_or_else(|| {
            let root = folder.path().join(package);
            workspace.packages.push(Package {
                name: Some(package.to_owned()),
                crate_name: package.replace('-', "_"),
                version: None,
                crate_roots: vec![root.join("src/lib.rs"), root.join("src/main.rs"), root.join("src/bin/tool.rs")],
                root,
                selected: true,
            });
            workspace.packages.len() - 1
        });
        workspace.files.push(SourceFile {
            path: absolute,
            display: (*path).to_owned(),
            package: index as u32,
            is_test: false,
            text: None,
        });
    }
    Fixture { _folder: folder, workspace }
}

impl Fixture {
    fn file(&self, path: &str) -> FileId {
        FileId(self.workspace.files.iter().position(|file| file.display == path).expect(path) as u32)
    }

    /// All files, taken in.
    fn program(&self) -> Program<'_> {
        let mut program = Program::new(&self.workspace);
        program.load(&(0..self.workspace.files.len() as u32).map(FileId).collect::<Vec<_>>());
        assert_eq!(program.unparsed(), []);
        program
    }
}

fn path(text: &str) -> Path {
    Path { segments: text.split("::").map(Name::from).collect(), of: None, generics: Vec::new() }
}

fn scope_of(program: &Program<'_>, function: &str) -> ScopeId {
    program.functions().find(|(_, known)| &*known.name == function).map(|(_, known)| known.scope).expect(function)
}

fn shown(program: &Program<'_>, resolved: Resolved) -> String {
    match resolved {
        Resolved::Functions(ids) => {
            let place = |id| {
                let function = program.function(id);
                let file = &program.workspace().file(function.span.file).display;
                format!("{file} {}", function.name)
            };
            ids.into_iter().map(place).collect::<Vec<_>>().join(" + ")
        }
        Resolved::Constant(id) => format!("const {}", program.constant(id).name),
        Resolved::Type(id) => {
            let item = program.type_item(id);
            format!("type {} of {}", item.name, program.workspace().file(item.span.file).display)
        }
        Resolved::Variant(id, index) => match &program.type_item(id).kind {
            TypeKind::Enum(variants) => format!("variant {}", variants[index].name),
            _ => "no enum".to_owned(),
        },
        Resolved::External(path) => format!("external {path}"),
        Resolved::Unknown(path) => format!("unknown {path}"),
    }
}

/// What the path means within the function.
fn resolve(program: &Program<'_>, function: &str, text: &str) -> String {
    let (_, known) = program.functions().find(|(_, known)| &*known.name == function).expect(function);
    shown(program, program.resolve(known.scope, known.owner.self_type(), &path(text)))
}

#[test]
fn names_lead_through_modules_and_uses() {
    let fixture = fixture(&[
        (
            "a/src/lib.rs",
            "mod time; pub mod net; pub use net::{retry::Policy, retry as again}; use std::time as t; use core::time::Duration; \
             use time::*; pub const MAX: u64 = 1; use other_one::helper as h; \
             fn at() { use crate::net::retry::wait as pause; const INNER: u8 = 1; fn inner() {} } fn top() {}",
        ),
        (
            "a/src/time.rs",
            "pub fn parse() {} pub enum Kind { Date, Delay(u64) } pub use Kind::*; pub type Span = ::std::time::Duration;",
        ),
        (
            "a/src/net/mod.rs",
            "pub mod retry; mod deep { use super::retry::*; use super::super::time::{self, Kind as K}; fn low() {} }",
        ),
        (
            "a/src/net/retry.rs",
            "pub fn wait() {} pub struct Policy; impl Policy { pub const LIMIT: u64 = 3; pub fn new() -> Self { Self } fn own(&self) {} } \
             impl Default for Policy { fn default() -> Self { Policy } } pub trait Hint { fn hint(&self) {} fn must(&self); } \
             impl Hint for Policy { fn must(&self) {} }",
        ),
        ("other-one/src/lib.rs", "mod inside; pub use inside::helper; pub fn free() {}"),
        ("other-one/src/inside.rs", "pub fn helper() {}"),
    ]);
    let program = fixture.program();
    let at = |text: &str| resolve(&program, "top", text);
    assert_eq!(at("parse"), "a/src/time.rs parse");
    assert_eq!(at("time::parse"), "a/src/time.rs parse");
    assert_eq!(at("crate::time::parse"), "a/src/time.rs parse");
    assert_eq!(at("self::net::retry::wait"), "a/src/net/retry.rs wait");
    assert_eq!(at("again::wait"), "a/src/net/retry.rs wait");
    assert_eq!(at("Policy"), "type Policy of a/src/net/retry.rs");
    assert_eq!(at("Policy::new"), "a/src/net/retry.rs new");
    assert_eq!(at("Policy::LIMIT"), "const LIMIT");
    assert_eq!(at("Policy::default"), "a/src/net/retry.rs default");
    assert_eq!(at("Policy::hint"), "a/src/net/retry.rs hint");
    assert_eq!(at("Policy::must"), "a/src/net/retry.rs must");
    assert_eq!(at("Date"), "variant Date");
    assert_eq!(at("Kind::Delay"), "variant Delay");
    assert_eq!(at("MAX"), "const MAX");
    assert_eq!(at("h"), "other-one/src/inside.rs helper");
    assert_eq!(at("other_one::free"), "other-one/src/lib.rs free");
    assert_eq!(at("t::Duration::from_secs"), "external std::time::Duration::from_secs");
    assert_eq!(at("Duration::ZERO"), "external std::time::Duration::ZERO");
    assert_eq!(at("Span::from_secs"), "external std::time::Duration::from_secs");
    assert_eq!(at("tokio::time::sleep"), "external tokio::time::sleep");
    assert_eq!(at("Some"), "external std::option::Option::Some");
    assert_eq!(at("u64::MAX"), "external u64::MAX");
    assert_eq!(at("Instant::now"), "unknown Instant::now");
    assert_eq!(at("nothing"), "unknown nothing");
    assert_eq!(at("crate::net::nothing"), "unknown crate::net::nothing");
    let at = |text: &str| resolve(&program, "at", text);
    assert_eq!(at("pause"), "a/src/net/retry.rs wait");
    assert_eq!(at("INNER"), "const INNER");
    assert_eq!(at("inner"), "a/src/lib.rs inner");
    assert_eq!(at("top"), "a/src/lib.rs top");
    let at = |text: &str| resolve(&program, "low", text);
    assert_eq!(at("wait"), "a/src/net/retry.rs wait");
    assert_eq!(at("time::parse"), "a/src/time.rs parse");
    assert_eq!(at("K::Date"), "variant Date");
    assert_eq!(at("super::retry::wait"), "a/src/net/retry.rs wait");
    assert_eq!(at("super::super::MAX"), "const MAX");
    assert_eq!(at("top"), "unknown top");
    let at = |text: &str| resolve(&program, "own", text);
    assert_eq!(at("Self::new"), "a/src/net/retry.rs new");
    assert_eq!(at("Self::LIMIT"), "const LIMIT");
    assert_eq!(at("Self"), "type Policy of a/src/net/retry.rs");
    let policy = program.unique_type(0, "Policy").expect("one");
    assert_eq!(program.implementations("Default", policy, "default").len(), 1);
    assert_eq!(program.methods_of(policy, "own").len(), 1);
    assert!(program.unique_function(0, "wait").is_some());
    assert!(program.unique_function(1, "wait").is_none());
    let hint = program.unique_type(0, "Hint").expect("one");
    assert_eq!(program.methods_of(hint, "hint").len(), 1);
    let written =
        Type::Reference(std::sync::Arc::new(Type::Path { path: ["Span".into()].into(), arguments: [].into() }));
    let scope = scope_of(&program, "top");
    assert_eq!(shown(&program, program.resolve_type(scope, None, &written)), "external std::time::Duration");
    let qualified = Path {
        of: Some(Box::new(Type::Path { path: ["Policy".into()].into(), arguments: [].into() })),
        ..path("Hint::hint")
    };
    assert_eq!(shown(&program, program.resolve(scope, None, &qualified)), "a/src/net/retry.rs hint");
}

#[test]
fn circles_end() {
    let fixture = fixture(&[
        (
            "a/src/lib.rs",
            "mod b; mod c; pub use b::*; pub use c::*; use crate::x as y; use crate::y as x; type A = B; type B = A; type S = Self; \
             use a::a; fn top() {} mod m { pub struct X; impl X::X { fn X() {} } impl super::A { fn n() {} } fn low() {} }",
        ),
        ("a/src/b.rs", "pub use crate::c::*; pub use super::*;"),
        ("a/src/c.rs", "pub use crate::b::*; pub use self::*; pub fn found() {}"),
    ]);
    let program = fixture.program();
    let at = |text: &str| resolve(&program, "top", text);
    assert_eq!(at("found"), "a/src/c.rs found");
    assert_eq!(at("b::found"), "a/src/c.rs found");
    assert_eq!(at("x"), "unknown x");
    assert_eq!(at("A::n"), "unknown A::n");
    assert_eq!(at("S::n"), "unknown S::n");
    assert_eq!(at("lost"), "unknown lost");
    let at = |text: &str| resolve(&program, "low", text);
    assert_eq!(at("X::X"), "a/src/lib.rs X");
}

#[test]
fn globs_of_other_crates() {
    let fixture = fixture(&[
        ("a/src/lib.rs", "use std::time::*; mod own; fn one() {}"),
        ("a/src/own.rs", "use std::time::*; use chrono::*; pub struct Utc; fn two() { use super::*; }"),
    ]);
    let program = fixture.program();
    assert_eq!(resolve(&program, "one", "Duration::from_secs"), "external std::time::Duration::from_secs");
    assert_eq!(resolve(&program, "one", "Some"), "external std::option::Option::Some");
    assert_eq!(resolve(&program, "two", "Utc"), "type Utc of a/src/own.rs");
    assert_eq!(resolve(&program, "two", "Duration::from_secs"), "unknown Duration::from_secs");
}

#[test]
fn files_are_loaded_when_they_are_reached() {
    let fixture = fixture(&[
        ("a/src/lib.rs", "mod b; pub mod c; use b::parse as p; fn top() { p(); crate::c::d::far(); helper() }"),
        ("a/src/b.rs", "pub use crate::c::d::parse;"),
        ("a/src/c.rs", "pub mod d;"),
        ("a/src/c/d.rs", "pub fn parse() {} pub fn far() {}"),
        ("a/src/e.rs", "pub fn helper() {} pub fn helpers() {}"),
        ("a/src/f.rs", "pub fn helpers() {}"),
        ("a/src/g.rs", "fn {"),
    ]);
    let mut program = Program::new(&fixture.workspace);
    program.load(&[fixture.file("a/src/lib.rs")]);
    assert_eq!(resolve(&program, "top", "p"), "unknown p");
    let scope = scope_of(&program, "top");
    assert!(program.load_module_of(scope, &path("p")));
    assert_eq!(resolve(&program, "top", "p"), "a/src/c/d.rs parse");
    assert!(!program.load_module_of(scope, &path("crate::c::d::far")));
    assert!(!program.load_module_of(scope, &path("nothing")));
    assert_eq!(program.load_mentioning(&["helper".into(), "absent".into()].into()), 1);
    assert_eq!(program.methods_named("helper").len(), 0);
    assert_eq!(program.functions_named("helper").len(), 1);
    assert_eq!(program.load_mentioning(&["helper".into()].into()), 0);
    let before = program.parsed().len();
    program.load(&[fixture.file("a/src/g.rs"), fixture.file("a/src/lib.rs")]);
    assert_eq!(program.parsed().len(), before);
    assert_eq!(program.unparsed().len(), 1);
    assert_eq!(program.unparsed()[0].1, 1);
    assert_eq!(program.callers_of("helper").len(), 1);
}

#[test]
fn twins_and_tests() {
    let fixture = fixture(&[
        (
            "a/src/lib.rs",
            "#[cfg(a)] fn twin() {} #[cfg(not(a))] fn twin() {} #[cfg(test)] mod checks; mod code; #[path = \"sub/odd.rs\"] mod even; \
             #[cfg(unix)] use code::sleep; #[cfg(not(unix))] use gloo::sleep; fn top() {}",
        ),
        ("a/src/main.rs", "mod code; fn main() { twin() } fn twin() {}"),
        (
            "a/src/code.rs",
            "pub fn sleep() {} #[cfg(test)] mod tests { fn inner() {} } #[tokio::test] async fn check() {}",
        ),
        ("a/src/checks.rs", "fn checked() {}"),
        ("a/src/sub/odd.rs", "pub fn oddly() { super::top() }"),
        ("a/src/bin/tool.rs", "fn tool() { crate::code::sleep() }"),
    ]);
    let program = fixture.program();
    let is_test = |name: &str| {
        program.functions().find(|(_, known)| &*known.name == name).is_some_and(|(_, known)| known.is_test)
    };
    assert!(is_test("checked") && is_test("inner") && is_test("check"));
    assert!(!is_test("sleep") && !is_test("top"));
    assert_eq!(resolve(&program, "top", "twin"), "a/src/lib.rs twin + a/src/lib.rs twin");
    assert_eq!(resolve(&program, "main", "twin"), "a/src/main.rs twin");
    assert_eq!(resolve(&program, "main", "crate::twin"), "a/src/main.rs twin");
    assert_eq!(resolve(&program, "top", "sleep"), "a/src/code.rs sleep");
    assert_eq!(resolve(&program, "top", "even::oddly"), "a/src/sub/odd.rs oddly");
    assert_eq!(resolve(&program, "oddly", "super::top"), "a/src/lib.rs top");
    assert_eq!(resolve(&program, "tool", "crate::code::sleep"), "a/src/code.rs sleep");
}

#[test]
fn ids_do_not_depend_on_the_cores() {
    let files: Vec<(String, String)> =
        (0..60).map(|n| (format!("a/src/m{n}.rs"), format!("fn f{n}() {{}}").repeat(n))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let fixture = fixture(&files);
    let names = |program: &Program<'_>| program.functions().map(|(_, known)| known.name.clone()).collect::<Vec<_>>();
    let first = names(&fixture.program());
    assert_eq!(first, names(&fixture.program()));
    assert!(first.is_sorted_by_key(|name| name[1..].parse::<u32>().ok()));
}
