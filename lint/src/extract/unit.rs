//! Units: what one of a number stands for, found from what is done with it.

use super::adapter::number_in;
use super::{Unit, UnitOf};
use crate::ir::{Body, ExprId, FunctionId, LocalId, Name, Op, Pattern};
use crate::module::Program;
use crate::names;
use std::collections::HashSet;

/// How many callers up a number is followed.
const DEPTH: usize = 4;
/// How many callers of one function are looked at.
const CALLERS: usize = 12;

/// The unit of the number that a function gives.
pub(super) fn of_result(program: &Program<'_>, id: FunctionId) -> Option<Unit> {
    let mut seen = HashSet::new();
    above(program, id, &mut seen, 0).or_else(|| of_name(&program.function(id).name))
}

/// The unit that a name says.
pub(super) fn of_name(name: &str) -> Option<Unit> {
    let of = match names::unit_of(name) {
        1_000_000 => UnitOf::Milliseconds,
        1_000 => UnitOf::Microseconds,
        1 => UnitOf::Nanoseconds,
        60_000_000_000 => UnitOf::Minutes,
        _ => {
            let says = name.to_lowercase();
            let is_said = says.split('_').any(|word| matches!(word, "sec" | "secs" | "second" | "seconds" | "s"));
            return is_said.then(|| Unit { of: UnitOf::Seconds, because: format!("the name `{name}`") });
        }
    };
    Some(Unit { of, because: format!("the name `{name}`") })
}

/// The unit that a constructor of durations takes.
pub(super) fn of_constructor(name: &str) -> Option<UnitOf> {
    Some(match name {
        "from_secs" | "from_secs_f64" | "from_secs_f32" | "try_from_secs_f64" | "try_from_secs_f32" | "seconds"
        | "try_seconds" | "seconds_f64" | "from_secs_u64" => UnitOf::Seconds,
        "from_millis" | "milliseconds" | "try_milliseconds" => UnitOf::Milliseconds,
        "from_micros" | "microseconds" => UnitOf::Microseconds,
        "from_nanos" | "nanoseconds" => UnitOf::Nanoseconds,
        "from_mins" | "minutes" | "try_minutes" => UnitOf::Minutes,
        _ => return None,
    })
}

fn above(program: &Program<'_>, id: FunctionId, seen: &mut HashSet<FunctionId>, depth: usize) -> Option<Unit> {
    if depth > DEPTH || !seen.insert(id) {
        return None;
    }
    let name = program.function(id).name.clone();
    let callers: Vec<FunctionId> =
        program.callers_of(&name).iter().copied().filter(|caller| *caller != id).take(CALLERS).collect();
    for caller in callers {
        let function = program.function(caller);
        let Some(body) = &function.body else { continue };
        let calls = |op: &Op| match op {
            Op::Call { callee, .. } => matches!(&body.expr(*callee).op, Op::Path(path) if path.last() == &*name),
            Op::Method { name: method, .. } => *method == name,
            // Handed on as a path: `.and_then(parse)`.
            Op::Path(path) => path.last() == &*name,
            _ => false,
        };
        let start: Vec<ExprId> = ids(body).filter(|id| calls(&body.expr(*id).op)).collect();
        if start.is_empty() {
            continue;
        }
        match follow(body, start) {
            Followed::Unit(of, constructor) => {
                return Some(Unit { of, because: format!("`{constructor}` in `{}`", function.name) });
            }
            Followed::Named(unit) => return Some(unit),
            Followed::Returned => {
                if function.output.as_ref().is_some_and(number_in)
                    && let Some(unit) = above(program, caller, seen, depth + 1)
                {
                    return Some(unit);
                }
            }
            Followed::Stored(fields, _) => {
                let found = fields
                    .iter()
                    .filter(|field| names::is_hint(field))
                    .find_map(|field| of_field(program, field, seen, depth + 1));
                if found.is_some() {
                    return found;
                }
            }
            Followed::Nowhere => {}
        }
    }
    None
}

/// The unit of a number that is kept in a field, from those who read it.
fn of_field(program: &Program<'_>, field: &Name, seen: &mut HashSet<FunctionId>, depth: usize) -> Option<Unit> {
    if depth > DEPTH {
        return None;
    }
    for &reader in program.readers_of_field(field).iter().take(CALLERS) {
        let function = program.function(reader);
        let Some(body) = &function.body else { continue };
        let reads = |op: &Op| match op {
            Op::Field { name, .. } => name == field,
            Op::Local(local) => body.locals[local.0 as usize].name == *field,
            _ => false,
        };
        let start: Vec<ExprId> = ids(body).filter(|id| reads(&body.expr(*id).op)).collect();
        let found = match follow(body, start) {
            Followed::Unit(of, constructor) => {
                Some(Unit { of, because: format!("`{constructor}` in `{}`", function.name) })
            }
            Followed::Named(unit) => Some(unit),
            Followed::Returned | Followed::Stored(_, true) if function.output.as_ref().is_some_and(number_in) => {
                above(program, reader, seen, depth + 1)
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

enum Followed {
    Unit(UnitOf, String),
    Named(Unit),
    Returned,
    /// In fields of these names; and whether it is returned as well.
    Stored(Vec<Name>, bool),
    Nowhere,
}

fn ids(body: &Body) -> impl Iterator<Item = ExprId> {
    (0..body.exprs.len() as u32).map(ExprId)
}

/// Follows values through one body to a constructor of durations, or to a field or variable whose name says a unit.
fn follow(body: &Body, start: Vec<ExprId>) -> Followed {
    let mut parents: Vec<Vec<ExprId>> = vec![Vec::new(); body.exprs.len()];
    for id in ids(body) {
        body.expr(id).op.for_each_child(|child| parents[child.0 as usize].push(id));
    }
    let mut flowing: HashSet<ExprId> = start.iter().copied().collect();
    let mut open = start;
    let mut is_returned = false;
    let mut named: Option<Unit> = None;
    let mut stored: Vec<Name> = Vec::new();
    while let Some(id) = open.pop() {
        if Some(id) == body.root {
            is_returned = true;
        }
        for &parent in &parents[id.0 as usize] {
            let mut bound: Vec<LocalId> = Vec::new();
            let goes_on = match &body.expr(parent).op {
                Op::Call { callee, arguments } => {
                    let Op::Path(path) = &body.expr(*callee).op else { continue };
                    if arguments.contains(&id)
                        && let Some(unit) = of_constructor(path.last())
                    {
                        return Followed::Unit(unit, path.segments.join("::"));
                    }
                    *callee == id || matches!(path.last(), "Some" | "Ok")
                }
                Op::Method { receiver, name, arguments, .. } => {
                    for argument in arguments {
                        match &body.expr(*argument).op {
                            // `.min(MAX_WAIT_MS)`: what it is compared with says the unit.
                            Op::Path(path) if *receiver == id && of_constructor(path.last()).is_none() => {
                                named = named.or_else(|| of_name(path.last()));
                            }
                            Op::Path(path) if *receiver == id => {
                                if let Some(unit) = of_constructor(path.last()) {
                                    return Followed::Unit(unit, path.segments.join("::"));
                                }
                            }
                            Op::Closure { parameters, .. } if *receiver == id => {
                                for parameter in parameters {
                                    binds(&parameter.pattern, &mut bound);
                                }
                            }
                            _ => {}
                        }
                    }
                    *receiver == id && !matches!(&**name, "is_some" | "is_none" | "is_ok" | "is_err")
                        || matches!(&**name, "map" | "and_then" | "unwrap_or" | "or")
                }
                Op::Let { pattern, value, .. } if *value == Some(id) => {
                    binds(pattern, &mut bound);
                    true
                }
                Op::Branch { scrutinee, arms } => {
                    for arm in arms {
                        if *scrutinee == Some(id) {
                            arm.pattern.iter().for_each(|pattern| binds(pattern, &mut bound));
                        }
                        for condition in arm.conditions.iter().filter(|condition| condition.value == id) {
                            condition.pattern.iter().for_each(|pattern| binds(pattern, &mut bound));
                        }
                    }
                    arms.iter().any(|arm| arm.body == id)
                }
                Op::Store { place, value, .. } if *value == id => {
                    if let Op::Local(local) = body.expr(*place).op {
                        bound.push(local);
                    }
                    false
                }
                Op::Construct { fields, .. } => {
                    let field = fields.iter().find(|(_, value)| *value == id);
                    if let Some((name, _)) = field {
                        named = named.or_else(|| of_name(name));
                        stored.push(name.clone());
                    }
                    false
                }
                Op::Block { body: values, has_value, .. } => *has_value && values.last() == Some(&id),
                Op::Return(_) => {
                    is_returned = true;
                    false
                }
                Op::Closure { body, .. } => *body == id,
                Op::Tuple(_)
                | Op::Try(_)
                | Op::Await(_)
                | Op::Cast { .. }
                | Op::Binary { .. }
                | Op::Dereference(_)
                | Op::Reference { .. } => true,
                _ => false,
            };
            if goes_on && flowing.insert(parent) {
                open.push(parent);
            }
            for local in bound {
                if let Some(unit) = of_name(&body.locals[local.0 as usize].name) {
                    named = named.or(Some(unit));
                }
                for id in ids(body).filter(|id| matches!(body.expr(*id).op, Op::Local(used) if used == local)) {
                    if flowing.insert(id) {
                        open.push(id);
                    }
                }
            }
        }
    }
    match named {
        Some(unit) => Followed::Named(unit),
        None if !stored.is_empty() => Followed::Stored(stored, is_returned),
        None if is_returned => Followed::Returned,
        None => Followed::Nowhere,
    }
}

fn binds(pattern: &Pattern, bound: &mut Vec<LocalId>) {
    match pattern {
        Pattern::Bind(local, _) => bound.push(*local),
        Pattern::TupleStruct(_, inner) | Pattern::Tuple(inner) => inner.iter().for_each(|inner| binds(inner, bound)),
        Pattern::Reference(inner) => binds(inner, bound),
        _ => {}
    }
}
