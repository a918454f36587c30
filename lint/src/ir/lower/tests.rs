//! Tests of lowering.

use super::lower;
use super::print::{print, type_text};
use crate::ir::{FileId, FileIr, Op, Owner, Span};
use insta::assert_snapshot;

fn lowered(text: &str) -> FileIr {
    match lower(FileId(0), text, Vec::new(), 0, false) {
        Ok(ir) => ir,
        Err(problem) => panic!("{}: {}", problem.line, problem.message),
    }
}

/// The body of `fn f` with that code.
fn body(code: &str) -> String {
    print(&lowered(&format!("fn f() {{ {code} }}")), "f")
}

#[test]
fn smoke() {
    for code in [
        "let x = 1; let x = x + 1; x",
        "if a { 1 } else if let Some(x) = b && x > 2 { x } else { 3 }",
        "if a { f() }",
        "match g(1)? { Some(x @ 1..=5) if x > 2 => x, Err(E::A { n, .. }) | Ok(n) => n, NONE | -1 => 0, _ => panic!() }",
        "while let Some(x) = it.next() { x.go().await; }",
        "'a: loop { break 'a 5 } ",
        "for (i, x) in v.iter().enumerate() { s += x; continue; }",
        "let Some(x) = y else { return None }; x",
        "let c = move |a: u64, (b, _)| a.min(b).x.0[1]; async { c(1).await? }",
        r#"format!("{x} {:?} {0} {n:>5} {{}} {y}", z, n = 3)"#,
        r#"info!(target: "x", a = %b, ?c, d.e = 4, "wait {w}", 5)"#,
        r#"bail!("no {x}"); ensure!(a > 1, "bad"); assert_eq!(a, b); todo!()"#,
        "matches!(e, E::A | E::B(x) if x > 3)",
        "vec![1, 2]; vec![0; n]",
        "tokio::select! { biased; _ = stop.cancelled() => return, v = rx.recv(), if ok => { v.go() } else => 3 }",
        "futures::join!(a(), b())",
        r#"json!({"a": x.y, "b": [1, z], c: foo()})"#,
        "unknown!(a, b => c); unknown2! { let q = 1; q.go() }",
        "#[cfg(a)] let x = 1; #[cfg(not(a))] let x = 2; x",
        "#[cfg(a)] { 1 } #[cfg(b)] { 2 }",
        "#[cfg(a)] return 1; #[cfg(test)] go(); 2",
        "Foo { a, b: 1, ..Default::default() }; <T as Tr>::f::<u8>(); x as u64 as f64; &mut *x; !-y; _ = z; a[..n]; 1..=2",
        "pin!(x); pin! { let y = z; } y; dbg!(w); cfg_if! { if #[cfg(a)] { 1 } else { 2 } }",
    ] {
        println!("{code}\n    {}", body(code));
    }
}
