//! Refusals and relays: answers that a server builds without the header, and what the code around them knows.
//!
//! What never reaches a header cannot be found by following values. These facts are read off the functions that build answers.

use crate::ir::{Body, ExprId, Function, FunctionId, Literal, Name, Op, Owner, Span, Type, TypeKind};
use crate::module::{Program, Resolved};
use crate::names;
use rustc_hash::FxHashSet;

/// A 429 or 503 that is built without the header where the wait is known.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The status.
    pub span: Span,
    /// The status' number.
    pub status: u16,
    /// What the wait is called.
    pub known: Name,
}

/// An answer from further up that is passed on without its headers.
#[derive(Clone, Debug)]
pub struct Relay {
    /// The status that is copied, or the list of the headers that are.
    pub span: Span,
    /// Whether it is a list of headers.
    pub is_list: bool,
}

/// Refusals that know the wait. `emitting` are the functions that name the header.
pub fn refusals(program: &Program<'_>, emitting: &FxHashSet<FunctionId>) -> Vec<Refusal> {
    let emitting_names: FxHashSet<&str> = emitting
        .iter()
        .map(|id| &*program.function(*id).name)
        .filter(|name| !names::is_common(name) && *name != "into_response")
        .collect();
    let mut found = Vec::new();
    for (id, function) in program.functions() {
        let Some(body) = &function.body else { continue };
        if function.is_test || emitting.contains(&id) || !builds_answers(function) {
            continue;
        }
        // Somebody else puts the header in: what it calls, or whoever calls it.
        let is_handled =
            body.calls.iter().any(|call| emitting_names.contains(&**call) || names::mentions_retry_after(call))
                || (!names::is_common(&function.name)
                    && program.callers_of(&function.name).iter().any(|caller| emitting.contains(caller)));
        if is_handled {
            continue;
        }
        let Some((span, status)) = built_status(body) else { continue };
        let Some(known) = known_wait(program, function, body) else { continue };
        found.push(Refusal { span, status, known });
    }
    found
}

/// Answers that are passed on without the header.
pub fn relays(program: &Program<'_>, emitting: &FxHashSet<FunctionId>) -> Vec<Relay> {
    let mut found = Vec::new();
    for (id, function) in program.functions() {
        let Some(body) = &function.body else { continue };
        if function.is_test || emitting.contains(&id) {
            continue;
        }
        if builds_answers(function)
            && let Some(span) = copied_status(function, body)
            && !body.calls.iter().any(|call| call.to_ascii_lowercase().contains("header"))
        {
            found.push(Relay { span, is_list: false });
        }
        if copies_headers(function, body) {
            for (_, constant) in program.constants() {
                let is_used =
                    body.exprs.iter().any(|expr| matches!(&expr.op, Op::Path(path) if path.last() == &*constant.name));
                let Some(list) = constant.body.as_ref().filter(|_| is_used) else { continue };
                let span = list.root.map_or(constant.span, |root| list.expr(root).span);
                if is_list_of_headers(list) && !found.iter().any(|relay: &Relay| relay.span == span) {
                    found.push(Relay { span, is_list: true });
                }
            }
        }
    }
    found
}

/// Whether the function gives a response of a server.
fn builds_answers(function: &Function) -> bool {
    fn names_answer(ty: &Type) -> bool {
        match ty.peeled() {
            Type::Bounds(bounds) => bounds.iter().any(names_answer),
            Type::Tuple(types) => types.iter().any(names_answer),
            ty => {
                matches!(
                    ty.last_segment(),
                    Some(
                        "Response"
                            | "HttpResponse"
                            | "IntoResponse"
                            | "Reply"
                            | "Responder"
                            | "ServiceResponse"
                            | "ResponseFuture"
                    )
                ) || ty.arguments().iter().any(names_answer)
            }
        }
    }
    let by_trait = matches!(&function.owner, Owner::TraitImpl { of, .. }
        if matches!(of.last_segment(), Some("IntoResponse" | "ResponseError" | "Responder" | "Middleware" | "Handler" | "Reply")));
    by_trait || function.output.as_ref().is_some_and(names_answer)
}

/// The parent of each expression.
fn parents(body: &Body) -> Vec<Option<ExprId>> {
    let mut parents = vec![None; body.exprs.len()];
    for (index, expr) in body.exprs.iter().enumerate() {
        expr.op.for_each_child(|child| parents[child.0 as usize] = Some(ExprId(index as u32)));
    }
    parents
}

/// A 429 or 503 that becomes an answer's status, and is not only looked at.
fn built_status(body: &Body) -> Option<(Span, u16)> {
    let parents = parents(body);
    body.exprs.iter().enumerate().find_map(|(index, expr)| {
        let status = match &expr.op {
            Op::Path(path) => match path.last() {
                "TOO_MANY_REQUESTS" | "TooManyRequests" => 429,
                "SERVICE_UNAVAILABLE" | "ServiceUnavailable" => 503,
                _ => return None,
            },
            Op::Literal(Literal::Integer(429)) => 429,
            Op::Literal(Literal::Integer(503)) => 503,
            _ => return None,
        };
        let this = ExprId(index as u32);
        let is_number = matches!(expr.op, Op::Literal(_));
        let parent = &body.expr(parents[index]?).op;
        let is_built = match parent {
            Op::Tuple(_) | Op::Construct { .. } | Op::Store { .. } => !is_number || matches!(parent, Op::Store { .. }),
            Op::Method { receiver, name, .. } if *receiver == this => &**name == "into_response",
            Op::Method { name, .. } => {
                matches!(&**name, "status" | "set_status" | "with_status" | "status_code")
                    || (!is_number && matches!(&**name, "unwrap_or" | "build" | "error_response"))
            }
            Op::Call { callee, .. } if *callee == this => true,
            Op::Call { callee, .. } => matches!(&body.expr(*callee).op, Op::Path(path)
                if matches!(path.last(), "new" | "build" | "builder" | "with_status" | "status" | "from_u16")
                    || path.last().to_ascii_lowercase().contains("response")),
            _ => false,
        };
        is_built.then_some((expr.span, status))
    })
}

/// What the function calls the wait that it knows: a parameter, variable, field that it reads, or a field of its own type.
fn known_wait(program: &Program<'_>, function: &Function, body: &Body) -> Option<Name> {
    let is_time = |ty: &Type| {
        let ty = if matches!(ty.last_segment(), Some("Option")) { ty.arguments().first().unwrap_or(ty) } else { ty };
        !matches!(ty.peeled().last_segment(), Some("bool" | "String" | "str" | "Vec"))
    };
    let local = body
        .locals
        .iter()
        .find(|local| names::knows_wait(&local.name) && local.ty.as_ref().is_none_or(is_time))
        .map(|local| local.name.clone());
    local.or_else(|| body.fields.iter().find(|field| names::knows_wait(field)).cloned()).or_else(|| {
        let own = function.owner.self_type()?;
        let Resolved::Type(ty) = program.resolve_type(function.scope, Some(own), own) else { return None };
        let TypeKind::Struct(fields) = &program.type_item(ty).kind else { return None };
        let is_error = function.has_receiver && !matches!(function.owner, Owner::Inherent(_));
        fields
            .iter()
            .find(|field| is_error && names::knows_wait(&field.name) && is_time(&field.ty))
            .map(|field| field.name.clone())
    })
}

/// The status of an answer from further up that becomes the status of the own one.
fn copied_status(function: &Function, body: &Body) -> Option<Span> {
    let is_upstream = function.parameters.iter().any(|parameter| {
        parameter.ty.as_ref().is_some_and(|ty| match ty.peeled() {
            Type::Path { path, .. } => {
                path.len() > 1
                    && matches!(&*path[0], "reqwest" | "awc" | "ureq" | "surf" | "isahc")
                    && path.last().is_some_and(|last| &**last == "Response")
            }
            _ => false,
        })
    }) || body.exprs.iter().any(
        |expr| matches!(&expr.op, Op::Method { name, arguments, .. } if &**name == "send" && arguments.is_empty()),
    );
    let reads_body = body.calls.iter().any(|call| matches!(&**call, "bytes" | "text" | "bytes_stream" | "into_body"));
    if !is_upstream || !reads_body {
        return None;
    }
    let parents = parents(body);
    let passes_on = |id: ExprId| {
        parents[id.0 as usize].is_some_and(|parent| match &body.expr(parent).op {
            Op::Tuple(_) => true,
            Op::Method { receiver, name, .. } => *receiver != id && &**name == "status",
            _ => false,
        })
    };
    body.exprs.iter().enumerate().find_map(|(index, expr)| {
        let Op::Method { name, arguments, name_span, .. } = &expr.op else { return None };
        if &**name != "status" || !arguments.is_empty() {
            return None;
        }
        let id = ExprId(index as u32);
        let span = Span { start: name_span.start, ..expr.span };
        if passes_on(id) {
            return Some(span);
        }
        // Through a variable.
        let Op::Let { pattern: crate::ir::Pattern::Bind(local, _), .. } = &body.expr(parents[index]?).op else {
            return None;
        };
        let is_passed = body.exprs.iter().enumerate().any(|(use_index, used)| {
            matches!(&used.op, Op::Local(used) if used == local) && passes_on(ExprId(use_index as u32))
        });
        is_passed.then_some(span)
    })
}

/// Whether the function copies some of one message's headers into another.
fn copies_headers(function: &Function, body: &Body) -> bool {
    let has = |names: &[&str]| body.calls.iter().any(|call| names.contains(&&**call));
    let maps = function
        .parameters
        .iter()
        .filter(|parameter| parameter.ty.as_ref().is_some_and(|ty| ty.peeled().last_segment() == Some("HeaderMap")))
        .count();
    has(&["contains", "any"])
        && has(&["append", "insert"])
        && (maps > 1 || (has(&["headers"]) && has(&["headers_mut"])))
}

/// Whether the constant lists names of headers that answers carry, and not this one.
fn is_list_of_headers(list: &Body) -> bool {
    const KNOWN: &[&str] = &[
        "content-type",
        "cache-control",
        "etag",
        "last-modified",
        "www-authenticate",
        "expires",
        "vary",
        "content-encoding",
    ];
    let texts: Vec<String> = list
        .exprs
        .iter()
        .filter_map(|expr| match &expr.op {
            Op::Literal(Literal::Text(text)) => Some(text.to_ascii_lowercase()),
            Op::Path(path) => Some(path.last().to_ascii_lowercase().replace('_', "-")),
            _ => None,
        })
        .collect();
    texts.len() > 1
        && texts.iter().any(|text| KNOWN.contains(&text.as_str()))
        && !texts.iter().any(|text| text == "retry-after")
}
