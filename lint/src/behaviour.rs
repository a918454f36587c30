//! Behaviour: what each header case becomes at each sink.
//!
//! The functions that come near a hint are run, once for each header case: first those that read one, then whoever calls them, as far as
//! the hint travels. Where a value is slept on, returned to nobody, stored, handed on, or where a request goes out again, the outcome is
//! recorded with the trail that led there. [`Facts`] is that table; rules are queries over it.

mod call;
pub mod case;
mod declared;
pub mod emission;
mod evaluate;
mod flow;
mod frame;
mod guard;
pub mod hazard;
pub mod journey;
pub mod library;
pub mod log;
mod narrow;
mod pattern;
mod read;
pub mod refusal;
mod shape;
mod state;
mod store;
pub mod trail;
mod types;
pub mod value;

use crate::ir::{Function, FunctionId, Name, Owner, Pattern, Span, Type};
use crate::module::Program;
use crate::names;
use crate::retry::Retries;
use crate::site::{direct_functions, interesting, names_header, text_parameters};
use case::Case;
use evaluate::Evaluator;
use log::{Log, Outcome, SinkKind, Source};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use trail::Trail;
use value::{Code, Kind, Origin, OriginStep, TypeAt, Value};

/// The most entries that one workspace may have.
const ENTRIES: usize = 1_500;
/// The most callers of one function that are followed.
const CALLERS: usize = 12;
/// How often more files are taken in.
const ROUNDS: usize = 4;
/// The most expressions that are evaluated for one workspace.
const STEPS: u64 = 500_000;

/// What the analysis found out about one workspace, for the rules to query.
pub struct Facts<'p, 'w> {
    /// What was lowered.
    pub program: &'p Program<'w>,
    /// Everything that running the cases has shown.
    pub log: Log,
    /// What running the case of an emission has shown.
    pub emitted: Log,
    /// What is sent again without a look at the hint.
    pub retries: Retries,
}

impl Facts<'_, '_> {
    /// The function that a place stands in.
    pub fn function_at(&self, span: Span) -> Option<FunctionId> {
        self.program
            .functions()
            .filter(|(_, function)| function.span.holds(span))
            .min_by_key(|(_, function)| function.span.end - function.span.start)
            .map(|(id, _)| id)
    }

    /// The source.
    pub fn source(&self, index: trail::SourceIndex) -> &Source {
        &self.log.sources[index as usize]
    }

    /// Whether the header is named in one function or closure, and read and parsed in another that is given the name: a helper for many headers,
    /// which may be right for the others.
    pub fn is_for_many_headers(&self, source: &Source, parse: Span) -> bool {
        let Some(named) = self.function_at(source.span) else { return false };
        let Some(read) = source.read_at.and_then(|(read, _)| self.function_at(read)) else { return false };
        if let Some(closure) = source.closure.filter(|closure| !closure.holds(source.span)) {
            return closure.holds(parse);
        }
        // A third function that is named for the header is no helper for others.
        let parser = self.function_at(parse).filter(|parser| *parser != read);
        if parser.is_some_and(|parser| names::reads_hint(&self.program.function(parser).name)) {
            return false;
        }
        named != read && self.function_at(parse) != Some(named)
    }

    /// All outcomes of a source's cases.
    pub fn outcomes_of(&self, source: trail::SourceIndex) -> impl Iterator<Item = &Outcome> {
        self.log.outcomes.iter().filter(move |outcome| {
            outcome.value.trail.sources(true).contains(&source) || outcome.context.sources(true).contains(&source)
        })
    }
}

/// How a hint leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Travel {
    /// Not at all.
    No,
    /// Inside an error or a struct, which callers most often pass on as it is.
    Inside,
    /// As a wait, a number, an answer: whoever calls the function goes on with it.
    Plainly,
}

/// Runs the cases over a workspace, taking in files as the hint's way reaches them. The first ones are loaded.
pub fn observe(program: &mut Program<'_>) -> Log {
    let mut asked: BTreeSet<Name> = BTreeSet::new();
    for round in 1.. {
        let mut log = Log::default();
        let mut wanted = run_entries(program, &mut log);
        wanted.retain(|name| asked.insert(name.clone()));
        if round == ROUNDS || wanted.is_empty() || program.load_mentioning(&wanted) == 0 {
            return log;
        }
    }
    unreachable!("the last round returns")
}

/// Runs all entries that the loaded part of the program has. Gives the names that would lead further.
fn run_entries(program: &Program<'_>, log: &mut Log) -> BTreeSet<Name> {
    let mut wanted = BTreeSet::new();
    let direct = direct_functions(program);
    log.interesting = interesting(program, &direct);
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut by_entry: FxHashMap<FunctionId, Vec<Outcome>> = FxHashMap::default();
    let mut order = Vec::new();
    // What names the header itself goes first, and whoever calls it: a budget that runs out takes the guesses.
    let (first, rest): (Vec<FunctionId>, Vec<FunctionId>) = direct.into_iter().partition(|id| {
        program.function(*id).body.as_ref().is_some_and(|body| body.exprs.iter().any(|expr| names_header(&expr.op)))
    });
    let mut queue: VecDeque<FunctionId> = first.into();
    let mut guesses: VecDeque<FunctionId> = rest.into();
    // First what reads a hint and what calls it; then, twice, what reads the fields that turned out to hold one.
    for _ in 0..3 {
        while let Some(id) = queue.pop_front().or_else(|| guesses.pop_front()) {
            let function = program.function(id);
            if function.is_test || function.body.is_none() || !seen.insert(id) {
                continue;
            }
            if by_entry.len() >= ENTRIES || log.steps > STEPS {
                log.over_budget(function.name_span);
                break;
            }
            order.push(id);
            let travel = run_entry(program, log, id);
            by_entry.insert(id, log.take_outcomes());
            if travel == Travel::No {
                continue;
            }
            if !names::is_common(&function.name) {
                wanted.insert(function.name.clone());
            }
            let (callers, left_out) = callers(program, id);
            left_out.into_iter().for_each(|caller| log.over_budget(program.function(caller).name_span));
            queue.extend(
                callers.into_iter().filter(|caller| travel == Travel::Plainly || schedules(program.function(*caller))),
            );
        }
        let new: Vec<(Name, Name)> =
            log.slots.keys().filter(|slot| !log.known_slots.contains_key(*slot)).cloned().collect();
        if new.is_empty() {
            break;
        }
        log.known_slots = log.slots.clone();
        for (owner, field) in new {
            if owner.len() > 4 {
                wanted.insert(owner.clone());
            }
            let numbered = field.parse::<u32>().is_ok();
            let own = program.readers_of_field(&field).iter().filter(|id| {
                numbered && program.function(**id).owner.self_type().and_then(Type::last_segment) == Some(&*owner)
            });
            let name = if numbered { &owner } else { &field };
            for reader in program.readers_of_field(name).iter().take(4 * CALLERS).chain(own) {
                // It may have run before without knowing what the field holds.
                seen.remove(reader);
                order.retain(|known| known != reader);
                queue.push_back(*reader);
            }
        }
    }
    // Whoever calls a function knows more of its parameters, and goes on with what it returns.
    let (inlined, others): (Vec<FunctionId>, Vec<FunctionId>) =
        order.into_iter().partition(|id| log.inlined.contains(id));
    for id in others {
        log.outcomes.extend(by_entry.remove(&id).unwrap_or_default());
    }
    // Unless all that came of the hint there is unknown: then it is the function itself that tells what it did with it.
    let above = Above::of(&log.outcomes);
    for id in inlined {
        let outcomes = by_entry.remove(&id).unwrap_or_default();
        log.outcomes.extend(outcomes.into_iter().filter(|outcome| !outcome.in_error && above.has_lost(outcome)));
    }
    wanted.extend(log.missing.iter().cloned());
    wanted.extend(log.unresolved.values().filter(|name| !name.is_empty() && !names::is_common(name)).cloned());
    wanted
}

/// What came of the sources' cases where functions are called, as far as it is no error.
struct Above {
    seen: FxHashSet<(Case, trail::SourceIndex)>,
    /// Of those, what a wait or its absence is known of.
    known: FxHashSet<(Case, trail::SourceIndex)>,
}

impl Above {
    fn of(outcomes: &[Outcome]) -> Above {
        let mut above = Above { seen: FxHashSet::default(), known: FxHashSet::default() };
        for outcome in outcomes.iter().filter(|outcome| !outcome.in_error) {
            let is_known = outcome.value.nanoseconds().is_some() || outcome.value.variant_name() == Some("None");
            for &source in outcome.value.trail.sources(true) {
                above.seen.insert((outcome.case, source));
                if is_known {
                    above.known.insert((outcome.case, source));
                }
            }
        }
        above
    }

    /// Whether callers go on with what the outcome is about, and nothing is known of what comes of it there.
    fn has_lost(&self, outcome: &Outcome) -> bool {
        let is_in = |set: &FxHashSet<(Case, trail::SourceIndex)>| {
            outcome.value.trail.sources(false).iter().any(|source| set.contains(&(outcome.case, *source)))
        };
        is_in(&self.seen) && !is_in(&self.known)
    }
}

/// Whether the function looks like one that waits, bounds or decides, and not only passes on what it gets.
fn schedules(function: &Function) -> bool {
    let Some(body) = &function.body else { return false };
    body.calls.iter().any(|name| {
        names::sleeps(name)
            || names::may_wait(name)
            || names::is_hint(name)
            || matches!(&**name, "min" | "max" | "clamp")
    }) || body.fields.iter().any(|name| names::is_hint(name))
}

/// Who calls the function, as far as the name tells; and who does beyond the budget.
fn callers(program: &Program<'_>, id: FunctionId) -> (Vec<FunctionId>, Vec<FunctionId>) {
    let function = program.function(id);
    let mut callers: Vec<FunctionId> = program
        .callers_of(&function.name)
        .iter()
        .copied()
        .filter(|caller| *caller != id && !program.function(*caller).is_test)
        .collect();
    if let Owner::TraitImpl { of, .. } = &function.owner {
        // Conversions are called by other names than their own.
        let other = match of.last_segment() {
            Some("FromStr") => Some("parse"),
            Some("TryFrom") => Some("try_into"),
            Some("From") => Some("into"),
            _ => None,
        };
        if let Some(other) = other {
            callers
                .extend(program.callers_of(other).iter().copied().filter(|caller| !program.function(*caller).is_test));
        }
    }
    let most = if names::is_common(&function.name) { CALLERS } else { 4 * CALLERS };
    if callers.len() > most {
        // A name that everybody calls: only callers in the same file are near enough.
        callers.retain(|caller| program.function(*caller).span.file == function.span.file);
    }
    let left_out = callers.split_off(callers.len().min(4 * CALLERS));
    (callers, left_out)
}

/// Runs one function in every case that makes sense.
fn run_entry(program: &Program<'_>, log: &mut Log, id: FunctionId) -> Travel {
    let before = log.met;
    let mut travel = Travel::No;
    log.entry = Some(id);
    log.met_needs.clear();
    for case in Case::ALL {
        let (headers, named) = (log.met.0 > before.0, log.met.1 > before.1);
        let worth_it = match case {
            Case::Small => true,
            _ if case.needs().is_some_and(|need| !log.met_needs.contains(&need)) => false,
            _ if headers => true,
            _ => named && Case::PARSED.contains(&case),
        };
        if worth_it {
            travel = travel.max(run_case(program, log, id, case));
        }
    }
    log.entry = None;
    travel
}

fn run_case(program: &Program<'_>, log: &mut Log, id: FunctionId, case: Case) -> Travel {
    let function = program.function(id);
    let texts = if case == Case::Emission { Vec::new() } else { text_parameters(function) };
    trail::forget_nodes();
    let mut evaluator = Evaluator::new(program, case, log, function.name_span);
    let self_type = function.owner.self_type().cloned();
    let mut arguments = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let at = TypeAt {
            ty: parameter.ty.clone().unwrap_or(Type::Other),
            scope: function.scope,
            self_type: self_type.clone(),
        };
        if texts.contains(&index) {
            arguments.push(evaluator.text_argument(id, &at, function.name_span));
            continue;
        }
        let name: Name = match &parameter.pattern {
            Pattern::Bind(local, _) => {
                function.body.as_ref().map_or_else(|| "".into(), |body| body.locals[local.0 as usize].name.clone())
            }
            _ => index.to_string().into(),
        };
        arguments.push(Value::from_origin(Origin::new(OriginStep::Named(name), None, Some(at)), function.name_span));
    }
    // Whatever is wrong with the evaluator must not lose the other functions' findings.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| evaluator.run(id, arguments)));
    let steps = evaluator.steps;
    log.steps += u64::from(steps);
    let result = match result {
        Ok(result) => result,
        Err(_) => {
            log.over_budget(function.name_span);
            None
        }
    };
    let Some(result) = result else { return Travel::No };
    if case == Case::Emission {
        emission::returned(program, log, id, &result);
    }
    log.results.insert((id, case), result.clone());
    log.outcome(case, SinkKind::Returned, function.name_span, Code::Function(id), &result, &Trail::NONE);
    travel(&result)
}

/// How a hint leaves with a function's result.
fn travel(result: &Value) -> Travel {
    let plain = result.alternatives().iter().any(|value| match &value.kind {
        Kind::Variant(variant) => match &*variant.name {
            "Some" | "Ok" => variant
                .fields
                .first()
                .is_some_and(|(_, inner)| travel(&evaluate::inherit(inner.clone(), value)) == Travel::Plainly),
            "None" => value.trail.is_some(),
            _ => false,
        },
        Kind::Unit | Kind::Closure(_) | Kind::Function(_) => false,
        Kind::Unknown(_) => value.trail.carries_hint(),
        Kind::Tuple(parts) | Kind::List(parts) => parts.iter().any(|part| travel(part) == Travel::Plainly),
        _ => value.is_tainted(),
    });
    if plain {
        Travel::Plainly
    } else if result.carries_hint() {
        Travel::Inside
    } else {
        Travel::No
    }
}

impl Evaluator<'_, '_> {
    /// The header's text as an argument of a function that is named for reading it.
    fn text_argument(&mut self, id: FunctionId, ty: &TypeAt, span: Span) -> Value {
        let source = self.log.source(span, Code::Function(id), true, None);
        let is_option = ty.ty.peeled().last_segment() == Some("Option");
        match self.text_of(source, span, span) {
            Some(text) if is_option => Value::some(text),
            Some(text) => text,
            None if is_option => {
                let read = Trail::new(trail::Event::Read(source), span, &[], &[]);
                Value::none(Trail::new(trail::Event::Absent, span, &[&read], &[]), span)
            }
            None => Value::plain(Kind::Text("".into()), span),
        }
    }

    /// Runs a function as an entry.
    fn run(&mut self, id: FunctionId, arguments: Vec<Value>) -> Option<Value> {
        let function = self.program.function(id);
        let body = function.body.as_ref()?;
        let root = body.root?;
        let self_type = function.owner.self_type().cloned();
        let output = function.output.as_ref().map(|ty| TypeAt {
            ty: ty.clone(),
            scope: function.scope,
            self_type: self_type.clone(),
        });
        let shape = self.shape(Code::Function(id), body);
        let frame = self.frame_id();
        self.world = state::World::new(body.locals.len(), function.name_span);
        self.frames.push(evaluate::Frame {
            code: Code::Function(id),
            body,
            id: frame,
            returns: Vec::new(),
            loops: Vec::new(),
            self_type,
            scope: function.scope,
            parameters: std::rc::Rc::default(),
            output: output.clone(),
            closure: None,
            shape,
            called_at: None,
        });
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let argument = self.settle(argument, function.name_span);
            self.bind(&parameter.pattern, &argument, function.name_span);
        }
        self.asynchronous += u32::from(function.is_async);
        let value = self.eval(root, output.as_ref());
        self.asynchronous -= u32::from(function.is_async);
        self.close(value, function.name_span)
    }
}
