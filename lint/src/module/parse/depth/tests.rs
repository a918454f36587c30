//! Tests of the bound on depth, and of the stack against it.

use super::super::{MAX_DEPTH, STACK, with_large_stack, with_stack};
use super::{check, measure};
use crate::ir::FileId;

/// Code that nests `count` deep, one kind each.
fn kinds(count: usize) -> Vec<(&'static str, String)> {
    let n = |text: &str| text.repeat(count);
    let body = |code: String| format!("fn f() {{ {code} }}");
    let around = |open: &str, inner: &str, close: &str| body(format!("{}{inner}{}", n(open), n(close)));
    vec![
        ("parentheses", around("(", "1", ")")),
        ("brackets", around("[", "1", "]")),
        ("blocks", around("{", "1", "}")),
        ("unsafe blocks", around("unsafe {", "1", "}")),
        ("async blocks", around("async {", "1", "}")),
        ("calls in arguments", around("f(", "1", ")")),
        ("closures in arguments", around("f(|a, b| ", "1", ")")),
        ("indexes", around("a[", "1", "]")),
        ("struct literals", around("A { a: ", "1", "}")),
        ("tuples", around("(1, ", "1", ", 2)")),
        ("not", around("!", "a", "")),
        ("negation", around("-", "a", "")),
        ("references", around("&", "a", "")),
        ("mutable references", around("&mut ", "a", "")),
        ("dereferences", around("*", "a", "")),
        ("prefix ranges", around(".. ", "a", "")),
        ("return", around("return ", "a", "")),
        ("break", around("break ", "a", "")),
        ("closures", around("|| ", "a", "")),
        ("closures with parameters", around("|a, b| ", "a", "")),
        ("closures with types", around("|a: A<B, C>, b| ", "a", "")),
        ("closures with results", around("|a| -> ", "A {}", "")),
        ("methods", around("", "a", ".m()")),
        ("methods of blocks", around("", "{}", ".m()")),
        ("fields", around("", "a", ".b")),
        ("tuple fields", around("", "a", ".0")),
        ("question marks", around("", "a", "?")),
        ("awaits", around("", "a", ".await")),
        ("calls of calls", around("", "a", "()")),
        ("indexes of indexes", around("", "a", "[0]")),
        ("casts", around("", "a", " as u8")),
        ("sums", around("", "a", " + a")),
        ("and", around("", "a", " && a")),
        ("or", around("", "a", " || a")),
        ("comparisons and", around("", "a", " && a < b && c > d")),
        ("assignments", around("a = ", "a", "")),
        ("compound assignments", around("a += ", "a", "")),
        ("ranges", around("", "a", ".. a")),
        ("let chains", body(format!("if {} true {{}}", n("let A = a && ")))),
        ("else if", body(format!("if a {{}} {}", n("else if a {} ")))),
        ("if in else", around("if a {} else { ", "1", "}")),
        ("if in condition", around("if ", "a", " {}")),
        ("match in scrutinee", around("match ", "a", " {}")),
        ("match in arms", around("match a { _ => ", "1", "}")),
        ("match arms after blocks", around("match a { (1, 2) => {} _ => ", "1", "}")),
        ("while", around("while a { ", "1", "}")),
        ("for", around("for a in b { ", "1", "}")),
        ("for in iterators", around("for a in ", "b", " {}")),
        ("for with struct patterns", around("for A {} in ", "b", " {}")),
        ("labels", around("'a: { ", "1", "}")),
        ("let else", around("let A = a else { ", "1", "};")),
        ("nested functions", around("fn f() { ", "1", "}")),
        ("modules", format!("{}{}", n("mod a { "), n("}"))),
        ("generics", format!("type A = {}u8{};", n("A<"), n(">"))),
        ("generics after commas", format!("type A = {}u8{};", n("A<u8, "), n(">"))),
        ("associated types", format!("type A = {}u8{};", n("A<B = "), n(">"))),
        ("qualified paths", format!("type A = {}u8{};", n("<"), n(" as A>::B"))),
        ("qualified expressions", around("<", "u8", " as A>::B")),
        ("turbofish", around("a::<", "u8", ">()")),
        ("bounds", format!("fn f<{}T{}>() {{}}", n("T: A<B: "), n(">"))),
        ("impl traits", format!("fn f() -> {}u8 {{}}", n("impl Fn() -> "))),
        ("function pointers", format!("type A = {}u8;", n("fn() -> "))),
        ("function pointers with lifetimes", format!("type A = {}u8;", n("for<'a, 'b> fn() -> "))),
        ("function pointers with parameters", format!("type A = {}u8{};", n("fn(u8, "), n(")"))),
        ("pointers", format!("type A = {}u8;", n("*const "))),
        ("reference types", format!("type A = {}u8;", n("&'a "))),
        ("tuple types", format!("type A = {}u8{};", n("("), n(",)"))),
        ("array types", format!("type A = {}u8{};", n("["), n("; 1]"))),
        ("tuple patterns", body(format!("let {}a{} = b;", n("("), n(",)")))),
        ("slice patterns", body(format!("let {}a{} = b;", n("["), n("]")))),
        ("struct patterns", body(format!("let {}a{} = b;", n("A { a: "), n("}")))),
        ("tuple struct patterns", body(format!("let {}a{} = b;", n("A("), n(")")))),
        ("reference patterns", body(format!("let {}a = b;", n("&")))),
        ("bindings", body(format!("let {}a = b;", n("a @ ")))),
        ("box patterns", body(format!("let {}a = b;", n("box ")))),
        ("use", format!("use {}a;", n("a::"))),
        ("use groups", format!("use {}a{};", n("a::{"), n("}"))),
        ("visibilities", format!("{} struct A;", n("pub("))),
        ("attributes with delimiters", format!("#[a{}{}] fn f() {{}}", n("("), n(")"))),
        ("macros in macros", body(format!("{}1{}", n("m!("), n(")")))),
        ("delimiters in macros", body(format!("m!({}1{})", n("("), n(")")))),
        ("operators in macros", body(format!("m!({}1)", n("!")))),
        ("methods in macros", body(format!("m!(a{})", n(".m()")))),
        ("operators in formats", body(format!("format!(\"{{}}\", {}1)", n("-")))),
        ("operators in macros in blocks", body(format!("{}m!({}1){}", n("{"), n("!"), n("}")))),
        ("methods in macros in parentheses", body(format!("{}m!(a{}){}", n("("), n(".m(|| 1)"), n(")")))),
        ("closures in macros in arguments", body(format!("{}m!({}1){}", n("f("), n("|a| "), n(")")))),
        (
            "statements in macros in blocks",
            body(format!("{}m!{{ let a = {}1; }}{}", n("if a {"), n("return "), n("}"))),
        ),
        ("generics in calls in chains", around("a::<", "u8", ">()") + &around("", "a", ".m()")),
        ("items in macros", format!("{}{}", n("m! { fn f() { "), n("} }"))),
        ("blanks that are not ASCII", body(n("if\u{2028}"))),
        ("unclosed", n("(")),
        ("unopened", n(")")),
        ("unclosed generics", format!("fn f<{}", n("<"))),
    ]
}

/// Code that is long, not deep.
fn flat(count: usize) -> Vec<(&'static str, String)> {
    let n = |text: &str| text.repeat(count);
    vec![
        ("attributes", format!("{} fn f() {{}}", n("#[a(b)] "))),
        ("inner attributes", n("#![a]\n")),
        ("doc comments", format!("{} fn f() {{}}", n("/// a\n"))),
        ("statements", format!("fn f() {{ {} }}", n("a.b().c(|d| e + 1)?; "))),
        ("ifs", format!("fn f() {{ {} }}", n("if a < b { c() } "))),
        ("arms", format!("fn f() {{ match a {{ {} }} }}", n("(A | B, 1) if a < 2 => { b() } X { a } => c, "))),
        ("functions", n("pub fn f<A: B<C>>(a: &mut D<E, F>) -> G<H> where I: J { 1 }\n")),
        ("elements", format!("const A: &[u8] = &[{}];", n("-1, A { b: 2 }, a.b(), "))),
        ("fields", format!("struct A {{ {} }}", n("pub a: Vec<Option<&'static str>>, "))),
        ("tokens of macros", format!("m! {{ {} }}", n("<a b=(c)> + "))),
        ("implementations", n("impl<T> A for B<T> { fn c(&self) {} }\n")),
    ]
}

/// Everything that is done with a file's text.
fn whole(text: &str) -> Result<(), String> {
    let ir = crate::ir::lower::lower(FileId(0), text, Vec::new(), 0, false).map_err(|problem| problem.message)?;
    drop(ir);
    Ok(())
}

#[test]
fn deep_input_is_refused_or_fits() {
    let sample = 64;
    let depths = kinds(sample).into_iter().map(|(_, text)| measure(&text, usize::MAX / 2));
    for (index, depth) in depths.enumerate() {
        let each = depth.unwrap_or(0) as f64 / sample as f64;
        // On the edge of what passes, and far beyond it.
        for count in [((MAX_DEPTH - 16) as f64 / each.max(1.0)) as usize, 100_000] {
            let (kind, text) = kinds(count).swap_remove(index);
            // Half the stack: what the count may be short by.
            let result = with_stack(STACK / 2, || whole(&text));
            let is_quoted = kind.contains("in macros") || kind.contains("in formats");
            if count == 100_000 && !is_quoted {
                assert!(result.is_err(), "{kind}");
            }
        }
    }
}

#[test]
fn long_input_passes() {
    for (kind, text) in flat(5_000) {
        assert_eq!(check(&text), Ok(()), "{kind}");
        assert_eq!(with_large_stack(|| whole(&text)), Ok(()), "{kind}");
    }
}

#[test]
fn depth_is_counted() {
    let depth = |text: &str| measure(text, 1000);
    assert_eq!(depth(""), Ok(0));
    assert_eq!(depth("a::b::c; d"), Ok(0));
    assert_eq!(depth("((1), 2)"), Ok(2));
    assert_eq!(depth("A<A<A<B>>>, A<B>"), depth("A<u8, A<u8, A<u8, B>>>, A<B>"));
    assert_eq!(depth("a(1)(2)(3)"), Ok(3));
    assert_eq!(depth("[a(1), a(2), a(3)]"), Ok(2));
    assert_eq!(depth("{ if a {} if a {} if a {} }"), depth("{ if a {} }"));
    assert_eq!(depth("m!(((1)))"), Ok(5));
    assert_eq!(depth("m!(! ! ! ! 1)"), Ok(3));
    assert!(depth("return !(! ! ! ! 1)") > Ok(5));
    assert!(depth("a::<A<A<A<A<A<u8>>>>>>().b.c.d.e") > Ok(9));
    assert_eq!(measure(&"(".repeat(20), 10), Err(9));
}

#[test]
fn the_line_is_told() {
    let text = format!("fn a() {{}}\nfn f() {{\n {}1{}\n}}", "(".repeat(5_000), ")".repeat(5_000));
    let problem = check(&text).expect_err("too deep");
    assert_eq!(problem.line, 3);
    assert!(problem.message.contains("split this expression"), "{}", problem.message);
}
