//! Tests of lowering.

use super::lower;
use super::print::{print, type_text};
use crate::ir::{Body, FileId, FileIr, Name, Op, Owner, Span, TypeKind};
use insta::assert_snapshot;

fn lowered(text: &str) -> FileIr {
    match lower(FileId(0), text, Vec::new(), 0, false) {
        Ok(ir) => ir,
        Err(problem) => panic!("{}: {}", problem.line, problem.message),
    }
}

/// What the code lowers to as the body of a function.
fn code(code: &str) -> String {
    print(&lowered(&format!("fn f() {{ {code} }}")), "f")
}

fn body(ir: &FileIr) -> &Body {
    ir.functions[0].body.as_ref().expect("a body")
}

fn source(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

#[test]
fn shadowing_gives_a_new_local() {
    assert_snapshot!(code("let x = 1; let x = x + 1; { let x = x; } x"), @"|| {let x#0 = 1; let x#1 = (x#0 Add 1); {let x#2 = x#1;}; x#1}");
    assert_snapshot!(code("let d = a; let f = |d| d.g(); f(d)"), @"|| {let d#0 = ~a; let f#2 = |d#1| d#1.g(); f#2(d#0)}");
    assert_snapshot!(code("let (mut a, ref b) = t; let Max = 1; let MAX = 2; a; b"), @"|| {let (a#0, b#1) = ~t; let ~Max = 1; let ~MAX = 2; a#0; b#1}");
}

#[test]
fn ifs_are_one_branch() {
    assert_snapshot!(code("if a { 1 } else if let Some(x) = b && x > 2 { x } else { 3 }"), @"|| {branch [if ~a => {1} | if let ~Some(x#0) = ~b and (x#0 Greater 2) => {x#0} | => {3}]}");
    assert_snapshot!(code("if a && (b || c) { f() }"), @"|| {branch [if ~a and (~b Or ~c) => {~f()} | => ()]}");
    assert_snapshot!(code("if let Some(x) = y && let Ok(z) = x.parse::<u64>() && z > 0 { z } else { x }"), @"|| {branch [if let ~Some(x#0) = ~y and let ~Ok(z#1) = x#0.parse::<u64>() and (z#1 Greater 0) => {z#1} | => {~x}]}");
    assert_snapshot!(code("if (let Some(x) = y) { x }"), @"|| {branch [if branch ~y [~Some(x#0) => true | _ => false] => {x#0} | => ()]}");
}

#[test]
fn matches_and_guards() {
    assert_snapshot!(code("match g(1)? { Some(x @ 1..=5) if x > 2 => x, Err(E::A { n, .. }) | Ok(n) => n, NONE | -1 => 0, &[a, ..] => a, _ => panic!() }"), @"|| {branch ~g(1)? [~Some(x#0 @ 1..=5) if (x#0 Greater 2) => x#0 | ~Err(~E::A {n: n#1}) or ~Ok(n#1) => n#1 | ~NONE or -1 => 0 | &[a#2, ..] => a#2 | _ => panic]}");
    assert_snapshot!(code("match s { n if let Some(m) = n && m > 0 => m, ..=MIN => 1, b'0'..=b'9' => 2, (.., \"x\") => 3, _ if x => 4, y => y }"), @r#"|| {branch ~s [n#0 if let ~Some(m#1) = n#0 and (m#1 Greater 0) => m#1 | ..=~MIN => 1 | b'0'..=b'9' => 2 | (.., "x") => 3 | _ if ~x => 4 | y#2 => y#2]}"#);
    assert_snapshot!(code("matches!(e, E::A | E::B(x) if x > 3); let Some(v) = w else { return None };"), @"|| {branch ~e [~E::A or ~E::B(x#0) if (x#0 Greater 3) => true | _ => false]; let ~Some(v#1) = ~w else {return ~None};}");
}

#[test]
fn loops() {
    assert_snapshot!(code("while let Some(x) = it.next() && ok { x.go().await; }"), @"|| {loop branch [if let ~Some(x#0) = ~it.next() and ~ok => {x#0.go().await;} | => break]}");
    assert_snapshot!(code("'a: loop { if b { break 'a 5 } else { continue 'a } }"), @"|| {'a loop {branch [if ~b => {break 'a 5} | => {continue 'a}]}}");
    assert_snapshot!(code("for (i, x) in v.iter().enumerate() { s += x; *t <<= 2; u.v = i; }"), @"|| {for (i#0, x#1) in ~v.iter().enumerate() {~s Add= x#1; *~t ShiftLeft= 2; ~u.v = i#0;}}");
}

#[test]
fn closures_and_async() {
    assert_snapshot!(code("let c = move |a: u64, (b, _)| a.min(b).x.0[1]; async move { c(1).await? }"), @"|| {let c#2 = |a#0: u64, (b#1, _)| a#0.min(b#1).x.0[1]; async {c#2(1).await?}}");
    assert_snapshot!(code("retry(|n| async move { send(n).await }); async |x| x; unsafe { f() }"), @"|| {~retry(async |n#0| async {~send(n#0).await}); async |x#1| x#1; {~f()}}");
}

#[test]
fn other_expressions() {
    assert_snapshot!(code("Foo { a, b: 1, ..Default::default() }; <T as Tr>::f::<u8>(); <Vec<u8>>::new(); x as u64 as f64"), @"|| {~Foo {a: ~a, b: 1 ..~Default::default()}; ~<T>::Tr::f<u8>(); ~<Vec<u8>>::new(); ((~x as u64) as f64)}");
    assert_snapshot!(code("&mut *x; !-y; _ = z; a[..n]; (1..=2, ..3, 4..); [0; 4]; (); 1.5; 0xff_u8; 1f32; 340282366920938463463374607431768211456; 'c'; b\"by\"; c\"t\"; 9u64"), @r#"|| {&mut *~x; !-~y; let _ = ~z; ~a[..~n]; (1..=2, ..3, 4..); [0; _]; (); 1.5; 255; 1.0; 3.402823669209385e38; 'c'; b"by"; "t"; 9}"#);
    assert_snapshot!(code("'l: { let x; x = 1; break 'l x } const { 1 } return (1); r#match(r#type)"), @"|| {'l {let x#0; x#0 = 1; break 'l x#0}; {1}; return 1; ~match(~type)}");
}

#[test]
fn formats_name_their_values() {
    assert_snapshot!(code(r#"format!("{x} {:?} {0} {n:>5} {{}} {y} {:.*}", z, 2, w, n = 3)"#), @r#"|| {format("{} {} {} {} {{}} {} {}", ~x, ~z, ~z, 3, ~y, ~w)}"#);
    assert_snapshot!(code(r#"write!(f, "{}s", self.secs)?; anyhow!(e); concat!("a{", B, 1); format!(TEMPLATE, a)"#), @r#"|| {~f <- format("{}s", ~self.secs)?; format("{}", ~e); format("a{{{}1", ~B); format("{} {}", ~TEMPLATE, ~a)}"#);
    assert_snapshot!(code(r#"info!(target: "x", a = %b, ?c, d.e = 4, "wait {w}", 5); tracing::warn!(secs, "late"); println!()"#), @r#"|| {discard("x", ~b, ~c, 4, ~w, 5); discard(~secs); discard()}"#);
}

#[test]
fn macros_that_leave() {
    assert_snapshot!(code(r#"bail!("no {x}"); ensure!(a > 1, Bad { a }); bail!(e)"#), @r#"|| {return ~Err(format("no {}", ~x)); branch [if (~a Greater 1) => () | => return ~Err(~Bad {a: ~a})]; return ~Err(~e)}"#);
    assert_snapshot!(code(r#"assert!(a, "x"); assert_eq!(a, b); debug_assert!(c); todo!(); assert_matches!(a, Some(1))"#), @"|| {branch [if ~a => () | => panic]; branch [if (~a Equal ~b) => () | => panic]; discard(~c); panic; branch ~a [~Some(1) => () | _ => panic]}");
    assert_snapshot!(code("try!(a); ready!(b); dbg!(c); vec![1, 2]; vec![0; n]; cfg!(test)"), @r#"|| {~a?; ~b.await; ~c; [1, 2]; [0; _]; opaque Macro("cfg")()}"#);
}

#[test]
fn futures_side_by_side() {
    assert_snapshot!(
        code("tokio::select! { biased; _ = stop.cancelled() => return, Some(v) = rx.recv(), if ok => { v.go() } else => 3 }"), @"|| {select [_ = ~stop.cancelled() => return | ~Some(v#0) = {discard(~ok); ~rx.recv()} => {v#0.go()} | () => 3]}");
    assert_snapshot!(code("futures::select! { a = b => a, c = d.fuse() => { c }, default => 1, complete => 2 } join!(a(), b())"), @"|| {select [a#0 = ~b => a#0 | c#1 = ~d.fuse() => {c#1} | () => 1 | () => 2]; select [~a() | ~b()]}");
}

#[test]
fn unknown_macros_keep_what_can_be_read() {
    assert_snapshot!(code(r#"let x = 1; json!({"a": x.y, "b": [1, x], c: foo()}); unknown!(a, n = x); other! { let q = x; q.go() }"#), @r#"|| {let x#0 = 1; opaque Macro("json")("a", x#0.y, "b", [1, x#0], ~c, ~foo()); opaque Macro("unknown")(~a, x#0); opaque Macro("other")({let q#1 = x#0; q#1.go()})}"#);
    assert_snapshot!(code("let x = 1; html! { <p class=x>{ x.text() }</p> }; crossbeam::select! { recv(r) -> m => f(m) }"), @r#"|| {let x#0 = 1; opaque Macro("html")(x#0, x#0.text()); opaque Macro("select")(~r, ~f(~m))}"#);
    assert_snapshot!(code("pin!(x); pin! { let y = z; } y; cfg_if! { if #[cfg(a)] { 1 } else { 2 } }"), @r#"|| {~x; {let y#0 = ~z;}; y#0; branch [if opaque Macro("cfg")() => {1} | => {2}]}"#);
    let ir = lowered("fn f() { unknown!(a); println!(\"x\"); }");
    assert_eq!(ir.opaque.len(), 1);
}

#[test]
fn cfg_twins_are_arms() {
    assert_snapshot!(code("#[cfg(a)] let x = 1; #[cfg(not(a))] let x = 2; x"), @r#"|| {branch [if opaque Macro("cfg")() => let x#0 = 1 | => let x#0 = 2]; x#0}"#);
    assert_snapshot!(code("#[cfg(a)] { 1 } #[cfg(b)] { 2 }"), @r#"|| {branch [if opaque Macro("cfg")() => {1} | => {2}]}"#);
    assert_snapshot!(code("#[cfg(a)] return 1; #[cfg(test)] go(); #[cfg(not(test))] stay(); 2"), @r#"|| {branch [if opaque Macro("cfg")() => return 1 | => ()]; ~stay(); 2}"#);
    assert_snapshot!(code("#[cfg(a)] a.sleep(d).await; #[cfg(not(a))] b(d); match x { #[cfg(a)] A => 1, #[cfg(test)] B => 2, _ => 3 }"), @r#"|| {branch [if opaque Macro("cfg")() => ~a.sleep(~d).await | => ~b(~d)]; branch ~x [~A if opaque Macro("cfg")() => 1 | _ => 3]}"#);
}

#[test]
fn a_bom_and_a_shebang_shift_nothing() {
    let code = "fn größe(wert: u64) -> u64 {\r\n    /* ü */ wert.min(5).max(ü) as u64 + f(\"ß\", format!(\"é{wert}\"))?.b[0]\r\n}\r\n";
    for prelude in ["", "\u{feff}", "#!/usr/bin/env ü\r\n", "\u{feff}#!/bin/run\n", "#![allow(ü)]\n"] {
        let text = format!("{prelude}{code}");
        let ir = lowered(&text);
        let function = &ir.functions[0];
        assert_eq!(source(&text, function.name_span), "größe");
        assert_eq!(source(&text, function.span), code.trim_end());
        let mut seen = Vec::new();
        for expr in &body(&ir).exprs {
            seen.push(source(&text, expr.span));
            if let Op::Method { name, name_span, .. } = &expr.op {
                assert_eq!(source(&text, *name_span), &**name);
            }
        }
        for wanted in [
            "wert",
            "5",
            "wert.min(5)",
            "ü",
            "wert.min(5).max(ü)",
            "wert.min(5).max(ü) as u64",
            "\"ß\"",
            "format!(\"é{wert}\")",
            "f(\"ß\", format!(\"é{wert}\"))?",
            "f(\"ß\", format!(\"é{wert}\"))?.b",
            "f(\"ß\", format!(\"é{wert}\"))?.b[0]",
            "wert.min(5).max(ü) as u64 + f(\"ß\", format!(\"é{wert}\"))?.b[0]",
        ] {
            assert!(seen.contains(&wanted), "{wanted} in {seen:?}");
        }
        assert_eq!(seen.iter().filter(|text| **text == "wert").count(), 2, "{prelude:?}");
    }
}

#[test]
fn spans_take_in_what_belongs_to_them() {
    let text = "fn f() { (a + b) * c; if x { 1 } else if y { 2 } else { 3 }; match z { A | B if c => { d } _ => e, }; \
                'l: while p {} ; &mut q; !r; return s; |t: u8| -> u8 { t }; U { v, ..w }; 1..2; x = y; <A as B>::c(); unsafe { d }; \
                let k: u8 = 1 else { return }; loop { break 'l 3 } async move { e }; m!(a).b; for i in j {} c.await?; x as Vec<u8> }";
    let ir = lowered(text);
    let seen: Vec<&str> = body(&ir).exprs.iter().map(|expr| source(text, expr.span)).collect();
    for wanted in [
        "a + b",
        "(a + b) * c",
        "if x { 1 } else if y { 2 } else { 3 }",
        "match z { A | B if c => { d } _ => e, }",
        "'l: while p {}",
        "&mut q",
        "!r",
        "return s",
        "|t: u8| -> u8 { t }",
        "U { v, ..w }",
        "1..2",
        "x = y",
        "<A as B>::c()",
        "unsafe { d }",
        "let k: u8 = 1 else { return };",
        "loop { break 'l 3 }",
        "break 'l 3",
        "async move { e }",
        "m!(a).b",
        "m!(a)",
        "for i in j {}",
        "c.await",
        "c.await?",
        "x as Vec<u8>",
    ] {
        assert!(seen.contains(&wanted), "{wanted} in {seen:#?}");
    }
    let arms: Vec<&str> = body(&ir)
        .exprs
        .iter()
        .filter_map(|expr| match &expr.op {
            Op::Branch { arms, .. } => Some(arms.iter().map(|arm| source(text, arm.span))),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(arms, ["x { 1 }", "y { 2 }", "{ 3 }", "A | B if c => { d }", "_ => e", "p {}", "while"]);
}

#[test]
fn items_are_told() {
    let ir = lowered(
        "#[derive(Debug, serde::Deserialize)] pub struct A<T> { #[serde(default, rename = \"x\")] pub a: Option<T>, b: u8 } \
         #[cfg_attr(feature = \"s\", derive(Clone), serde(untagged))] enum E { U, T(u8, String), #[a] S { #[cfg_attr(x, serde(skip))] f: () } } \
         pub type R<T> = std::result::Result<T, E>; pub(crate) trait Tr: Send { const C: u8; const D: u8 = 1; fn req(&self); fn def(&mut self) -> u8 { 1 } } \
         impl<T: Clone> A<T> where T: Into<u8> { pub const MAX: u64 = 5; pub async fn m<F>(self: Arc<Self>, f: F, (a, b): (u8, u8)) -> Result<(), E> where F: Fn(u8) -> bool { } fn own() {} } \
         impl Tr for E { fn req(&self) {} } impl From<&HeaderMap> for A<u8> { fn from(h: &HeaderMap) -> Self { x } } \
         static S: &str = \"s\"; const fn cf() {} extern \"C\" { fn ext(); }",
    );
    let function = |name: &str| ir.functions.iter().find(|function| &*function.name == name).expect(name);
    let m = function("m");
    assert!(m.is_public && m.is_async && m.has_receiver && !m.is_test);
    assert_eq!(type_text(m.parameters[0].ty.as_ref().expect("a type")), "Arc<Self>");
    assert_eq!(m.output.as_ref().map(type_text).as_deref(), Some("Result<(), E>"));
    let generics: Vec<String> = m
        .generics
        .iter()
        .map(|(name, bounds)| format!("{name}: {}", bounds.iter().map(type_text).collect::<Vec<_>>().join(" + ")))
        .collect();
    assert_eq!(generics, ["T: Clone + Into<u8>", "F: Fn<u8, bool>"]);
    assert!(matches!(&m.owner, Owner::Inherent(ty) if type_text(ty) == "A<T>"));
    assert!(
        matches!(&function("from").owner, Owner::TraitImpl { of, ty } if type_text(of) == "From<&HeaderMap>" && type_text(ty) == "A<u8>")
    );
    assert!(function("from").is_public && !function("own").is_public && !function("own").has_receiver);
    assert!(matches!(&function("def").owner, Owner::Trait(name) if &**name == "Tr"));
    assert!(function("req").body.is_none() && function("ext").body.is_none() && function("def").body.is_some());
    assert_eq!(function("own").output, None);
    let constants: Vec<&str> = ir.constants.iter().map(|constant| &*constant.name).collect();
    assert_eq!(constants, ["C", "D", "MAX", "S"]);
    assert_eq!(print(&ir, "MAX"), "5");
    let TypeKind::Struct(fields) = &ir.types[0].kind else { panic!("a struct") };
    assert_eq!(
        (&*fields[0].name, fields[0].serde.as_str(), fields[0].is_public),
        ("a", "default , rename = \"x\"", true)
    );
    assert_eq!(ir.types[0].derives.iter().map(|name| &**name).collect::<Vec<_>>(), ["Debug", "Deserialize"]);
    let TypeKind::Enum(variants) = &ir.types[1].kind else { panic!("an enum") };
    assert_eq!(variants.iter().map(|variant| variant.fields.len()).collect::<Vec<_>>(), [0, 2, 1]);
    assert_eq!(variants[2].fields[0].serde, "skip");
    assert!(matches!(&ir.types[3].kind, TypeKind::Trait(methods) if methods.len() == 2));
    assert_eq!(ir.impls.len(), 3);
}

#[test]
fn uses_are_flattened() {
    let ir = lowered(
        "pub use a::{self, b::{c as d, self as e}, f::*, g::{h}}; use ::i::j; extern crate k as l; pub(crate) use m;",
    );
    let uses: Vec<String> = ir.scopes[0]
        .uses
        .iter()
        .map(|leaf| {
            format!(
                "{}{} {}",
                if leaf.is_public { "pub " } else { "" },
                leaf.path.join("::"),
                leaf.name.as_deref().unwrap_or("*")
            )
        })
        .collect();
    assert_eq!(
        uses,
        ["pub a a", "pub a::b::c d", "pub a::b e", "pub a::f *", "pub a::g::h h", "i::j j", "k l", "pub m m"]
    );
}

#[test]
fn blocks_have_scopes_for_their_items() {
    let ir = lowered(
        "mod m { fn outer() { use a::b; const N: u8 = 1; fn inner() { N } struct S; impl S { fn of(&self) {} } } } fn plain() {}",
    );
    let function = |name: &str| ir.functions.iter().find(|function| &*function.name == name).expect(name);
    let (outer, inner) = (function("outer"), function("inner"));
    let block = &ir.scopes[outer.scope.0 as usize];
    assert!(block.is_block && block.uses.len() == 1 && block.module == ["m".into()]);
    assert_eq!(block.parent, Some(outer.home));
    assert_eq!((inner.home, inner.scope), (outer.scope, outer.scope));
    assert_eq!(ir.constants[0].home, outer.scope);
    assert_eq!(function("of").home, outer.scope);
    assert_eq!(function("plain").scope.0, 0);
}

#[test]
fn tests_are_marked() {
    let ir = lowered(
        "#[cfg(test)] mod tests { fn a() {} impl X { fn b() {} } } #[test] fn c() {} #[tokio::test(flavor = \"x\")] async fn d() {} \
         #[cfg(any(test, feature = \"test-util\"))] fn e() {} #[cfg(all(test, unix))] fn f() {} #[cfg(not(test))] fn g() {} \
         #[cfg(any(test, unix))] fn h() {} #[cfg(test)] mod file; #[path = \"x.rs\"] mod placed; #[cfg(test)] impl Y { fn i() {} }",
    );
    let tests: Vec<&str> =
        ir.functions.iter().filter(|function| function.is_test).map(|function| &*function.name).collect();
    assert_eq!(tests, ["a", "b", "c", "d", "e", "f", "i"]);
    assert_eq!(&*ir.test_modules[0].1, "file");
    assert_eq!((&*ir.path_modules[0].1, ir.path_modules[0].2.as_str()), ("placed", "x.rs"));
}

#[test]
fn items_in_macros_are_found() {
    let ir = lowered(
        "lazy_static! { pub static ref A: u8 = 1; static ref B: String = f(); } thread_local! { static C: u8 = const { 2 } } \
         cfg_if! { if #[cfg(unix)] { fn d() {} mod e { fn f() {} } } else if #[cfg(test)] { fn g() {} } else { fn d() {} } } \
         cfg_rt! { pub fn h() {} impl X { fn i() {} } } macro_rules! m { () => { fn j() {} } } bitflags! { struct K: u32 { const L = 1; } } \
         impl Y { cfg_io! { fn n(&self) {} } } fn o() { thread_local!(static P: u8 = 3); } my! { fn q() -> u8; }",
    );
    let functions: Vec<&str> = ir.functions.iter().map(|function| &*function.name).collect();
    assert_eq!(functions, ["d", "f", "d", "h", "i", "n", "o"]);
    let constants: Vec<&str> = ir.constants.iter().map(|constant| &*constant.name).collect();
    assert_eq!(constants, ["A", "B", "C", "P"]);
}

#[test]
fn bodies_know_what_they_mention() {
    let ir = lowered(
        "fn f() { let local = 1; a::b(local); c.d(e::g); Some(X { h: 1 }.i); let Y { j, k: _ } = l; m!(n(o.p)); }",
    );
    let names = |names: &[Name]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&body(&ir).calls), "Some b c d g l n o");
    assert_eq!(names(&body(&ir).fields), "i j k p");
}
