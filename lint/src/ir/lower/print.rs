//! A compact text of what a body lowers to, for tests: `#n` is a local, `~f` a path.

use crate::ir::{Arm, Body, Condition, ExprId, FileIr, Literal, Op, Parameter, Path, Pattern, Type};

/// The function or constant of that name.
pub(crate) fn print(ir: &FileIr, name: &str) -> String {
    if let Some(function) = ir.functions.iter().find(|function| &*function.name == name) {
        let Some(body) = &function.body else { return "no body".to_owned() };
        let parameters: Vec<String> = function.parameters.iter().map(|p| parameter(body, p)).collect();
        return format!("|{}| {}", parameters.join(", "), root(body));
    }
    let constant = ir.constants.iter().find(|constant| &*constant.name == name);
    constant.and_then(|constant| constant.body.as_ref()).map_or_else(|| "no body".to_owned(), root)
}

fn root(body: &Body) -> String {
    body.root.map_or_else(String::new, |root| expr(body, root))
}

/// One expression.
pub(crate) fn expr(body: &Body, id: ExprId) -> String {
    let of = |id: &ExprId| expr(body, *id);
    let maybe = |id: &Option<ExprId>| id.map_or_else(String::new, |id| expr(body, id));
    let list = |ids: &[ExprId]| ids.iter().map(|id| expr(body, *id)).collect::<Vec<_>>().join(", ");
    let labelled =
        |label: &Option<crate::ir::Name>| label.as_ref().map_or_else(String::new, |label| format!("'{label} "));
    match &body.expr(id).op {
        Op::Literal(value) => literal(value),
        Op::Path(named) => path(named),
        Op::Local(local) => format!("{}#{}", body.locals[local.0 as usize].name, local.0),
        Op::Call { callee, arguments } => format!("{}({})", of(callee), list(arguments)),
        Op::Method { receiver, name, generics, arguments, .. } => {
            let generics = if generics.is_empty() { String::new() } else { format!("::<{}>", types(generics)) };
            format!("{}.{name}{generics}({})", of(receiver), list(arguments))
        }
        Op::Field { base, name } => format!("{}.{name}", of(base)),
        Op::Index { base, index } => format!("{}[{}]", of(base), of(index)),
        Op::Construct { path: named, fields, rest } => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", of(value))).collect();
            let rest = rest.as_ref().map_or_else(String::new, |rest| format!(" ..{}", of(rest)));
            format!("{} {{{}{rest}}}", path(named), fields.join(", "))
        }
        Op::Tuple(values) => format!("({})", list(values)),
        Op::List(values) => format!("[{}]", list(values)),
        Op::Repeat { value } => format!("[{}; _]", of(value)),
        Op::Range { from, to, inclusive } => {
            format!("{}..{}{}", maybe(from), if *inclusive { "=" } else { "" }, maybe(to))
        }
        Op::Cast { value, ty } => format!("({} as {})", of(value), type_text(ty)),
        Op::Binary { op, left, right } => format!("({} {op:?} {})", of(left), of(right)),
        Op::Not(value) => format!("!{}", of(value)),
        Op::Negate(value) => format!("-{}", of(value)),
        Op::Reference { mutable, value } => format!("&{}{}", if *mutable { "mut " } else { "" }, of(value)),
        Op::Dereference(value) => format!("*{}", of(value)),
        Op::Block { body: inner, has_value, label } => {
            let statements: Vec<String> = inner.iter().map(of).collect();
            format!(
                "{}{{{}{}}}",
                labelled(label),
                statements.join("; "),
                if *has_value || inner.is_empty() { "" } else { ";" }
            )
        }
        Op::Let { pattern: binds, ty, value, otherwise } => {
            let ty = ty.as_ref().map_or_else(String::new, |ty| format!(": {}", type_text(ty)));
            let value = value.as_ref().map_or_else(String::new, |value| format!(" = {}", of(value)));
            let otherwise = otherwise.as_ref().map_or_else(String::new, |otherwise| format!(" else {}", of(otherwise)));
            format!("let {}{ty}{value}{otherwise}", pattern(body, binds))
        }
        Op::Store { place, op, value } => {
            format!("{} {}= {}", of(place), op.map_or_else(String::new, |op| format!("{op:?}")), of(value))
        }
        Op::Branch { scrutinee, arms } => {
            let arms: Vec<String> = arms.iter().map(|arm| arm_text(body, arm)).collect();
            let scrutinee = scrutinee.as_ref().map_or_else(String::new, |value| format!(" {}", of(value)));
            format!("branch{scrutinee} [{}]", arms.join(" | "))
        }
        Op::Loop { label, body: inner } => format!("{}loop {}", labelled(label), of(inner)),
        Op::For { label, pattern: binds, iterator, body: inner } => {
            format!("{}for {} in {} {}", labelled(label), pattern(body, binds), of(iterator), of(inner))
        }
        Op::Closure { parameters, body: inner, is_async } => {
            let parameters: Vec<String> = parameters.iter().map(|p| parameter(body, p)).collect();
            format!("{}|{}| {}", if *is_async { "async " } else { "" }, parameters.join(", "), of(inner))
        }
        Op::Async(inner) => format!("async {}", of(inner)),
        Op::Await(value) => format!("{}.await", of(value)),
        Op::Try(value) => format!("{}?", of(value)),
        Op::Return(value) => format!("return {}", maybe(value)).trim_end().to_owned(),
        Op::Break { label, value } => format!("break {}{}", labelled(label), maybe(value)).trim_end().to_owned(),
        Op::Continue { label } => format!("continue {}", labelled(label)).trim_end().to_owned(),
        Op::Panic => "panic".to_owned(),
        Op::Format { template, values, writer, .. } => {
            let writer = writer.as_ref().map_or_else(String::new, |writer| format!("{} <- ", of(writer)));
            format!("{writer}format({template:?}, {})", list(values))
        }
        Op::Select(arms) => {
            let arms: Vec<String> = arms
                .iter()
                .map(|arm| {
                    let binds =
                        arm.pattern.as_ref().map_or_else(String::new, |binds| format!("{} = ", pattern(body, binds)));
                    let inner = arm.body.as_ref().map_or_else(String::new, |inner| format!(" => {}", of(inner)));
                    format!("{binds}{}{inner}", of(&arm.future))
                })
                .collect();
            format!("select [{}]", arms.join(" | "))
        }
        Op::Discard(values) => format!("discard({})", list(values)),
        Op::Opaque { reason, children } => format!("opaque {reason:?}({})", list(children)),
    }
}

fn arm_text(body: &Body, arm: &Arm) -> String {
    let binds = arm.pattern.as_ref().map_or_else(String::new, |binds| format!("{} ", pattern(body, binds)));
    let conditions: Vec<String> = arm
        .conditions
        .iter()
        .map(|Condition { value, pattern: binds }| match binds {
            Some(binds) => format!("let {} = {}", pattern(body, binds), expr(body, *value)),
            None => expr(body, *value),
        })
        .collect();
    let conditions = if conditions.is_empty() { String::new() } else { format!("if {} ", conditions.join(" and ")) };
    format!("{binds}{conditions}=> {}", expr(body, arm.body))
}

fn parameter(body: &Body, parameter: &Parameter) -> String {
    let ty = parameter.ty.as_ref().map_or_else(String::new, |ty| format!(": {}", type_text(ty)));
    format!("{}{ty}", pattern(body, &parameter.pattern))
}

fn pattern(body: &Body, of: &Pattern) -> String {
    let list = |patterns: &[Pattern], by: &str| patterns.iter().map(|p| pattern(body, p)).collect::<Vec<_>>().join(by);
    match of {
        Pattern::Wild => "_".to_owned(),
        Pattern::Rest => "..".to_owned(),
        Pattern::Bind(local, inner) => {
            let inner = inner.as_ref().map_or_else(String::new, |inner| format!(" @ {}", pattern(body, inner)));
            format!("{}#{}{inner}", body.locals[local.0 as usize].name, local.0)
        }
        Pattern::Literal(value) => literal(value),
        Pattern::Path(named) => path(named),
        Pattern::TupleStruct(named, patterns) => format!("{}({})", path(named), list(patterns, ", ")),
        Pattern::Struct(named, fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, p)| format!("{name}: {}", pattern(body, p))).collect();
            format!("{} {{{}}}", path(named), fields.join(", "))
        }
        Pattern::Tuple(patterns) => format!("({})", list(patterns, ", ")),
        Pattern::Slice(patterns) => format!("[{}]", list(patterns, ", ")),
        Pattern::Or(patterns) => list(patterns, " or "),
        Pattern::Range { from, to, inclusive } => {
            let end = |end: &Option<Box<Pattern>>| end.as_ref().map_or_else(String::new, |end| pattern(body, end));
            format!("{}..{}{}", end(from), if *inclusive { "=" } else { "" }, end(to))
        }
        Pattern::Reference(inner) => format!("&{}", pattern(body, inner)),
    }
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) => format!("{value:?}"),
        Literal::Text(value) => format!("{value:?}"),
        Literal::Bytes(value) => format!("b{:?}", String::from_utf8_lossy(value)),
        Literal::Byte(value) => format!("b'{}'", *value as char),
        Literal::Character(value) => format!("{value:?}"),
        Literal::Bool(value) => value.to_string(),
    }
}

fn path(path: &Path) -> String {
    let of = path.of.as_ref().map_or_else(String::new, |of| format!("<{}>::", type_text(of)));
    let generics = if path.generics.is_empty() { String::new() } else { format!("<{}>", types(&path.generics)) };
    format!("~{of}{}{generics}", path.segments.join("::"))
}

fn types(list: &[Type]) -> String {
    list.iter().map(type_text).collect::<Vec<_>>().join(", ")
}

/// A type.
pub(crate) fn type_text(ty: &Type) -> String {
    match ty {
        Type::Path { path, arguments } if arguments.is_empty() => path.join("::"),
        Type::Path { path, arguments } => format!("{}<{}>", path.join("::"), types(arguments)),
        Type::Reference(inner) => format!("&{}", type_text(inner)),
        Type::MutableReference(inner) => format!("&mut {}", type_text(inner)),
        Type::Tuple(list) => format!("({})", types(list)),
        Type::Slice(inner) => format!("[{}]", type_text(inner)),
        Type::Bounds(list) => format!("impl {}", list.iter().map(type_text).collect::<Vec<_>>().join(" + ")),
        Type::Function(inputs, output) => {
            let output = output.as_ref().map_or_else(String::new, |output| format!(" -> {}", type_text(output)));
            format!("fn({}){output}", types(inputs))
        }
        Type::Other => "?".to_owned(),
    }
}
