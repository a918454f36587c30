//! Sites: the functions that read, parse or schedule on the hint, and those that may come to one.
//!
//! A function is a site when it names the header, holds something that is named like the hint, or is named for reading it. What else may
//! come to a site, by the names of calls, is interesting: the evaluator looks into it even where no argument has to do with a hint.

use crate::ir::{Body, ExprId, Function, FunctionId, Literal, Name, Op, Owner, Pattern, Span, Type};
use crate::module::{Program, Resolved};
use crate::names;
use rustc_hash::FxHashSet;

/// The most callers that a name everybody uses may have, to say anything about who calls whom.
const CALLERS: usize = 12;

/// Functions that name the header, hold something that is named like the hint, or are named for reading it.
pub fn direct_functions(program: &Program<'_>) -> Vec<FunctionId> {
    let constants: FxHashSet<Name> = program
        .constants()
        .filter(|(_, constant)| {
            constant.body.as_ref().is_some_and(|body| body.exprs.iter().any(|expr| names_header(&expr.op)))
        })
        .map(|(_, constant)| constant.name.clone())
        .collect();
    let readers: FxHashSet<&Name> =
        program.functions().map(|(_, function)| &function.name).filter(|name| names::reads_hint(name)).collect();
    // A reader that is in another crate is one by its name.
    let is_elsewhere = |call: &Name| names::reads_hint(call) && !readers.contains(call);
    program
        .functions()
        .filter(|(_, function)| !function.is_test && !is_declared_safe(program, function))
        .filter(|(_, function)| {
            let Some(body) = &function.body else { return false };
            (names::reads_hint(&function.name) || converts_to_hint(function)) && !text_parameters(function).is_empty()
                || body.locals.iter().any(|local| names::is_hint(&local.name))
                || body.fields.iter().any(|field| names::is_hint(field))
                || body.calls.iter().any(|call| names::is_hint(call) || constants.contains(call) || is_elsewhere(call))
                || body.exprs.iter().any(|expr| names_header(&expr.op) || matches!(&expr.op, Op::Path(path) if constants.contains(path.last())))
                || body.exprs.iter().any(|expr| matches!(&expr.op, Op::Branch { arms, .. } if arms.iter().any(|arm| arm.pattern.as_ref().is_some_and(pattern_names_header))))
        })
        .map(|(id, _)| id)
        .collect()
}

/// Whether the function's own package declares it as a safe helper.
fn is_declared_safe(program: &Program<'_>, function: &Function) -> bool {
    let before = names::look_from(Some(program.package_of(function.scope)));
    let is_safe = names::is_safe_helper(&function.name);
    names::look_from(before);
    is_safe
}

/// A place that asks headers for a name that is almost the header's.
#[derive(Clone, Debug)]
pub struct Misspelling {
    /// The name.
    pub span: Span,
    /// What stands there.
    pub text: Name,
    /// Whether it is known that headers are asked, and not a body or a table.
    pub is_sure: bool,
}

/// Names that can never match the header, where headers are asked for them.
pub fn misspellings(program: &Program<'_>) -> Vec<Misspelling> {
    let mut found = Vec::new();
    for (_, function) in program.functions().filter(|(_, function)| !function.is_test) {
        let Some(body) = &function.body else { continue };
        for expr in &body.exprs {
            let (asked, arguments, asks) = match &expr.op {
                Op::Method { receiver, name, arguments, .. } => (Some(*receiver), arguments, &**name),
                Op::Call { callee, arguments } => match &body.expr(*callee).op {
                    Op::Path(path)
                        if path.segments.len() > 1 && &*path.segments[path.segments.len() - 2] == "HeaderName" =>
                    {
                        (None, arguments, "header")
                    }
                    Op::Path(path) => (None, arguments, path.last()),
                    _ => continue,
                },
                _ => continue,
            };
            let is_lookup = matches!(
                asks,
                "get"
                    | "get_all"
                    | "get_mut"
                    | "header"
                    | "contains_key"
                    | "remove"
                    | "insert"
                    | "append"
                    | "get_header"
                    | "header_value"
                    | "insert_header"
                    | "append_header"
                    | "get_str"
                    | "header_str"
                    | "first_value"
                    | "header_as_u64"
            );
            if !is_lookup {
                continue;
            }
            let Some((text, span)) = arguments.iter().find_map(|argument| misspelt(program, function, body, *argument))
            else {
                continue;
            };
            let of_headers = names::is_of_headers(asks) || asked.is_some_and(|asked| is_headers(function, asked, 0));
            // With a blank in it, the text is no key of anything else.
            if of_headers || text.contains(' ') {
                found.push(Misspelling { span, text, is_sure: of_headers });
            }
        }
    }
    found
}

/// The argument's text, where it is almost the header's name.
fn misspelt(program: &Program<'_>, function: &Function, body: &Body, id: ExprId) -> Option<(Name, Span)> {
    let expr = body.expr(id);
    match &expr.op {
        Op::Literal(Literal::Text(text)) if names::is_almost_header(text) => Some((text.clone(), expr.span)),
        Op::Reference { value, .. } => misspelt(program, function, body, *value),
        // The constant is the place to change.
        Op::Path(path) => match program.resolve(function.scope, function.owner.self_type(), path) {
            Resolved::Constant(id) => {
                let body = program.constant(id).body.as_ref()?;
                let root = body.expr(body.root?);
                match &root.op {
                    Op::Literal(Literal::Text(text)) if names::is_almost_header(text) => {
                        Some((text.clone(), root.span))
                    }
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether the expression is a message's headers, as far as names and written types tell.
fn is_headers(function: &Function, id: ExprId, depth: u32) -> bool {
    let Some(body) = &function.body else { return false };
    if depth > 4 {
        return false;
    }
    match &body.expr(id).op {
        Op::Local(local) => {
            let local = &body.locals[local.0 as usize];
            let ty = local.ty.as_ref().and_then(Type::last_segment);
            matches!(ty, Some("HeaderMap" | "Headers" | "Response")) || names::is_of_headers(&local.name)
        }
        Op::Field { name, .. } => names::is_of_headers(name),
        Op::Method { receiver, name, .. } => names::is_of_headers(name) || is_headers(function, *receiver, depth + 1),
        Op::Reference { value, .. } | Op::Dereference(value) | Op::Await(value) | Op::Try(value) => {
            is_headers(function, *value, depth + 1)
        }
        _ => false,
    }
}

/// Whether the expression names the header.
pub fn names_header(op: &Op) -> bool {
    match op {
        Op::Literal(Literal::Text(text)) => names::is_header_or_vendor(text),
        Op::Literal(Literal::Bytes(bytes)) => std::str::from_utf8(bytes).is_ok_and(names::is_header_or_vendor),
        Op::Path(path) => matches!(path.last(), "RETRY_AFTER" | "RetryAfter"),
        _ => false,
    }
}

fn pattern_names_header(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Literal(Literal::Text(text)) => names::is_header_or_vendor(text),
        Pattern::Path(path) => path.last() == "RETRY_AFTER",
        Pattern::Or(patterns) | Pattern::Tuple(patterns) | Pattern::TupleStruct(_, patterns) => {
            patterns.iter().any(pattern_names_header)
        }
        Pattern::Reference(inner) => pattern_names_header(inner),
        _ => false,
    }
}

/// The direct functions and all that may, by the names of calls, come to one of them.
pub fn interesting(program: &Program<'_>, direct: &[FunctionId]) -> FxHashSet<FunctionId> {
    let mut interesting: FxHashSet<FunctionId> = direct.iter().copied().collect();
    let mut frontier: Vec<FunctionId> = direct.to_vec();
    for _ in 0..8 {
        let mut next = Vec::new();
        for id in frontier {
            let name = &program.function(id).name;
            let callers = program.callers_of(name);
            if names::is_common(name) && callers.len() > CALLERS {
                continue;
            }
            for caller in callers {
                if interesting.insert(*caller) {
                    next.push(*caller);
                }
            }
        }
        frontier = next;
    }
    interesting
}

/// Whether it makes a type that is named for the hint from text: `impl FromStr for RetryAfter`.
fn converts_to_hint(function: &Function) -> bool {
    matches!(&function.owner, Owner::TraitImpl { of, ty } if matches!(of.last_segment(), Some("FromStr" | "TryFrom")) && ty.last_segment().is_some_and(names::reads_hint))
}

/// The parameters that can hold a header's text.
pub fn text_parameters(function: &Function) -> Vec<usize> {
    fn is_text(ty: &Type) -> bool {
        match ty.peeled() {
            Type::Slice(inner) => inner.last_segment() == Some("u8"),
            ty => match ty.last_segment() {
                Some("str" | "String" | "HeaderValue") => true,
                Some("Option") => ty.arguments().first().is_some_and(is_text),
                _ => false,
            },
        }
    }
    let is_reader = names::reads_hint(&function.name) || converts_to_hint(function);
    // Text that is named like the hint, in a function that reads text, is the hint's.
    let parses = function.body.as_ref().is_some_and(|body| {
        body.calls
            .iter()
            .any(|name| matches!(&**name, "parse" | "from_str" | "from_str_radix") || names::reads_date(name))
    });
    // So it is where the function hands it to a reader of hints.
    let hands_on = function.body.as_ref().is_some_and(|body| {
        body.exprs.iter().any(|expr| matches!(&expr.op, Op::Path(path) if names::reads_hint(path.last())))
    });
    (0..function.parameters.len())
        .filter(|index| {
            let parameter = &function.parameters[*index];
            let is_named = || match (&parameter.pattern, &function.body) {
                (Pattern::Bind(local, _), Some(body)) => {
                    let name = &body.locals[local.0 as usize].name;
                    names::is_hint(name) || names::mentions_retry_after(name)
                }
                _ => false,
            };
            parameter.ty.as_ref().is_some_and(is_text) && (is_reader || ((parses || hands_on) && is_named()))
        })
        .collect()
}
