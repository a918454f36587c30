//! Retries: what is sent again without a look at the hint.
//!
//! The rules of the group `read` ask about code that does *not* read the header. So nothing can be learned from where a hint goes; what
//! is asked instead is where each status goes. Functions that look at a status are walked once for each of a few statuses, and what
//! comes round to the request again, by a loop, a library's driver or a policy, is compared: whatever a 200 does as well has other
//! reasons. Each way remembers whether the hint was used on it, and where the headers were given up.

mod call;
mod combinator;
mod compute;
mod crowd;
mod last;
mod pattern;
mod status;
mod value;
mod walk;

use crate::diagnostic::Confidence;
use crate::ir::{Body, FunctionId, Literal, Name, Op, Pattern, Span, Type};
use crate::module::Program;
use crate::names;
use crate::site::{direct_functions, names_header};
pub use crowd::Crowd;
pub use last::LastWait;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
pub use value::{Drop, DropKind};
use value::{Kind, Missing, Path, Surroundings, Value};
use walk::{Walk, is_of_trait};

/// The most expressions that are walked for one workspace.
const STEPS: u64 = 250_000;
/// How many calls away code that looks at a status is looked into.
const DISTANCE: usize = 4;

/// Where a way ends up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// At the head of a loop again.
    Round {
        /// The loop.
        around: Span,
        /// What goes round: a `continue`, or the loop's end.
        at: Span,
        /// Whether it counts attempts, and does not go through a list of things.
        is_count: bool,
    },
    /// In a library's function that repeats an operation.
    Driver {
        /// The call.
        at: Span,
    },
    /// In a retry policy that says yes.
    Policy {
        /// The answer.
        at: Span,
    },
    /// In a strategy that says an answer is worth another attempt; the wait is in the library.
    Strategy {
        /// The answer.
        at: Span,
    },
    /// With an error that leaves a function nobody in the workspace calls.
    Refused,
    /// With the function's result, whatever it is.
    Returned,
}

/// One way of one status.
#[derive(Clone, Debug)]
struct Record {
    status: u16,
    ending: Ending,
    function: FunctionId,
    test: Span,
    tests: Vec<(FunctionId, Span)>,
    in_hand: Option<Span>,
    wait: Option<Span>,
    read: Option<(Span, FunctionId)>,
    born: Option<(Span, FunctionId)>,
    dropped: Option<Drop>,
    doubt: bool,
    guessed: bool,
    unused: bool,
}

/// Something that is sent again, for some statuses, without the hint.
#[derive(Clone, Debug)]
pub struct Retry {
    /// How.
    pub ending: Ending,
    /// The function that the loop, driver or policy stands in.
    pub function: FunctionId,
    /// The statuses, of 429 and 503, that are sent again without the hint.
    pub statuses: Vec<u16>,
    /// The statuses for which the same function uses the hint, and where.
    pub read_for: Vec<(u16, Span, FunctionId)>,
    /// The last test that the status decided.
    pub test: Span,
    /// The test, in the function that reads the hint, which led past it.
    pub gate: Option<Span>,
    /// The functions in which the status decided a branch.
    pub tested_in: Vec<FunctionId>,
    /// Where the response was looked at.
    pub response: Option<Span>,
    /// The wait before the request goes out again.
    pub wait: Option<Span>,
    /// Where the headers were given up.
    pub dropped: Option<Drop>,
    /// Whether the response went where it could not be followed.
    pub doubt: bool,
    /// Whether a step was taken by a name.
    pub guessed: bool,
    /// Whether any failure is sent again, a 404 too.
    pub any_failure: bool,
    /// Whether names tell that a retry is meant, and not a poll.
    pub is_named: bool,
    /// Whether the hint was read on the way, and left unused.
    pub unused: bool,
    /// In how many places the same code stands, this one included.
    pub copies: usize,
}

impl Retry {
    /// Whether the same function uses the hint for a status that these are not: then a test of the status leads past it.
    pub fn is_gated(&self) -> bool {
        self.unused
            || self.read_for.iter().any(|(status, ..)| matches!(status, 429 | 503) && !self.statuses.contains(status))
    }

    /// How sure it is that this is a retry of a response whose hint could be read.
    pub fn confidence(&self) -> Confidence {
        let at_once = self.wait.is_none();
        if self.doubt || self.any_failure && (at_once && matches!(self.ending, Ending::Round { .. }) || !self.is_named)
        {
            return Confidence::Low;
        }
        match self.ending {
            // Without a wait, the next round may ask another server.
            Ending::Round { is_count, .. } if at_once && !(is_count && self.is_named) => Confidence::Low,
            Ending::Round { .. } if at_once || self.any_failure || self.guessed => Confidence::Medium,
            Ending::Strategy { .. } => Confidence::Medium,
            _ if self.guessed || self.any_failure => Confidence::Medium,
            _ => Confidence::High,
        }
    }

    /// Where the headers were given up, if that was in another function than the one that retries.
    pub fn dropped_elsewhere(&self) -> Option<Drop> {
        self.dropped.filter(|dropped| dropped.function != self.function)
    }

    /// The place to report: the wait, or what goes round.
    pub fn place(&self) -> Span {
        match self.ending {
            Ending::Round { at, around, .. } => self.wait.filter(|wait| wait.file == around.file).unwrap_or(at),
            Ending::Driver { at } | Ending::Policy { at } | Ending::Strategy { at } => at,
            Ending::Refused | Ending::Returned => self.test,
        }
    }
}

/// An error that a response becomes, without the wait that the response may have told.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Where the headers were given up.
    pub dropped: Drop,
    /// The statuses, of 429 and 503, that become it.
    pub statuses: Vec<u16>,
    /// The test that the status decided.
    pub test: Span,
    /// Where the response was looked at.
    pub response: Option<Span>,
    /// Whether any failure becomes it, a 404 too.
    pub any_failure: bool,
    /// Whether the response went where it could not be followed.
    pub doubt: bool,
    /// Whether a step was taken by a name.
    pub guessed: bool,
}

/// A function that reads the hint for one status, and not for another.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The function.
    pub function: FunctionId,
    /// The test that leads past the hint.
    pub test: Span,
    /// Where the hint is read.
    pub read: Span,
    /// The status that is read for.
    pub read_for: u16,
    /// The status that is not.
    pub missed: u16,
    /// Whether the hint was read before the test, so that it is at hand for both.
    pub is_held: bool,
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Retries {
    /// What is sent again without the hint.
    pub retries: Vec<Retry>,
    /// Errors without the wait.
    pub refusals: Vec<Refusal>,
    /// Gates.
    pub gates: Vec<Gate>,
    /// Packages that retry, with the statuses that are known: by a loop, or by a function that says yes to a status and no to a 404.
    pub retried: BTreeSet<(u32, u16)>,
    /// Packages with a loop in a function that is named for retrying.
    pub loops: BTreeSet<u32>,
    /// Waits between two attempts of a request that was answered with 429 or 503, whether they are for the hint or not.
    pub waits: BTreeSet<Span>,
    /// Waits after which it may be all over.
    pub last_waits: Vec<LastWait>,
    /// Code that runs many times at once.
    pub crowds: Vec<Crowd>,
}

/// Walks every function that looks at a status. Files that a response is handed into are taken in, once.
pub fn observe(program: &mut Program<'_>) -> Retries {
    let (found, missing) = walk_all(program);
    let mut is_more = !missing.methods.is_empty() && program.load_mentioning(&missing.methods) > 0;
    for (scope, path) in &missing.paths {
        is_more |= program.load_module_of(*scope, path);
    }
    if is_more { walk_all(program).0 } else { found }
}

/// Walks every function that looks at a status, in the files that were read. Gives what was looked for elsewhere, too.
fn walk_all(program: &Program<'_>) -> (Retries, Missing) {
    let mut missing = Missing::default();
    let around = surroundings(program);
    let mut found =
        Retries { last_waits: last::last_waits(program), crowds: crowd::crowds(program), ..Retries::default() };
    if around.relevant.is_empty() {
        return (found, missing);
    }
    let mut records: Vec<Record> = Vec::new();
    let mut ids: Vec<FunctionId> = around.relevant.iter().copied().collect();
    // Policies and strategies are short and say the most: a budget that runs out takes the others.
    ids.sort_unstable_by_key(|id| {
        let owner = &program.function(*id).owner;
        (!is_of_trait(owner, "Policy") && !is_of_trait(owner, "RetryableStrategy"), *id)
    });
    let mut steps = 0;
    for id in ids {
        if steps > STEPS {
            break;
        }
        records.extend(walk_entry(&around, id, &mut steps, &mut found, &mut missing));
    }
    for (_, function) in program.functions().filter(|(_, function)| !function.is_test) {
        if names::is_retry(&function.name) && function.body.as_ref().is_some_and(has_loop) {
            found.loops.insert(program.package_of(function.home));
        }
    }
    gather(program, &records, &mut found);
    (found, missing)
}

fn has_loop(body: &Body) -> bool {
    body.exprs.iter().any(|expr| matches!(expr.op, Op::Loop { .. } | Op::For { .. }))
}

/// Walks one function for each status.
fn walk_entry(
    around: &Surroundings<'_, '_>,
    id: FunctionId,
    steps: &mut u64,
    found: &mut Retries,
    missing: &mut Missing,
) -> Vec<Record> {
    let function = around.program.function(id);
    if function.is_test || function.body.is_none() {
        return Vec::new();
    }
    let is_policy = &*function.name == "retry" && is_of_trait(&function.owner, "Policy");
    // Where the workspace has the trait it has the loop as well, and that is the place.
    let is_strategy =
        &*function.name == "handle" && is_of_trait(&function.owner, "RetryableStrategy") && !around.has_strategies;
    let has_callers = around.program.callers_of(&function.name).iter().any(|caller| *caller != id);
    let mut all = Vec::new();
    let mut returned: Vec<(u16, Vec<Record>)> = Vec::new();
    let mut answers: Vec<(u16, Option<bool>)> = Vec::new();
    for status in status::CASES {
        let mut walk = Walk::new(around, status);
        walk.places = is_policy || is_strategy;
        let arguments = function
            .parameters
            .iter()
            .map(|parameter| match parameter.ty.as_ref().map(|ty| (ty.last_segment(), ty)) {
                Some((Some("Response" | "HttpResponse"), _)) => Value::new(Kind::Response, function.name_span),
                Some((Some("HeaderMap"), _)) => Value::new(Kind::Headers, function.name_span),
                Some((Some("StatusCode"), _)) => Value::status(status, function.name_span),
                _ => Value::unknown(function.name_span),
            })
            .collect();
        let mut path = Path::new();
        if function
            .parameters
            .iter()
            .any(|parameter| parameter.ty.as_ref().and_then(Type::last_segment) == Some("StatusCode"))
        {
            path.in_hand = Some(function.name_span);
        }
        let ways = walk.function(id, arguments, path);
        let mut own = std::mem::take(&mut walk.records);
        let all_true = !ways.is_empty() && ways.iter().all(|(_, value)| matches!(value.kind, Kind::Bool(true)));
        let all_false = !ways.is_empty() && ways.iter().all(|(_, value)| matches!(value.kind, Kind::Bool(false)));
        answers.push((
            status,
            if all_true {
                Some(true)
            } else if all_false {
                Some(false)
            } else {
                None
            },
        ));
        for (mut path, value) in ways {
            if value.hint {
                path.read.get_or_insert((value.span, id));
            }
            walk.record(Ending::Returned, &path, id, false);
            let inner = match &value.kind {
                Kind::Err(_) => {
                    if !has_callers || path.dropped.is_some_and(|dropped| dropped.function == id) {
                        walk.record(Ending::Refused, &path, id, false);
                    }
                    continue;
                }
                Kind::Variant(some, fields) if &**some == "Some" => &fields[0].1,
                _ => &value,
            };
            let says_yes = !matches!(value.kind, Kind::Nothing | Kind::Unknown);
            if is_policy && says_yes {
                walk.record(Ending::Policy { at: value.span }, &path, id, false);
            }
            if is_strategy && matches!(&inner.kind, Kind::Variant(name, _) if &**name == "Transient") {
                walk.record(Ending::Strategy { at: value.span }, &path, id, true);
            }
        }
        *steps += u64::from(walk.steps);
        missing.paths.append(&mut walk.missing.paths);
        missing.methods.append(&mut walk.missing.methods);
        own.append(&mut walk.records);
        let (mine, others): (Vec<Record>, Vec<Record>) =
            own.into_iter().partition(|record| record.ending == Ending::Returned);
        returned.push((status, mine));
        all.extend(others);
    }
    let says = |status: u16, answer: bool| answers.contains(&(status, Some(answer)));
    if says(200, false) && says(404, false) {
        let package = around.program.package_of(function.home);
        found
            .retried
            .extend([429, 503].into_iter().filter(|status| says(*status, true)).map(|status| (package, status)));
    }
    // A function that waits and asks once more by itself does so for the status it reads for, and for no other.
    let asks_once_more = function.body.as_ref().is_some_and(|body| {
        body.calls.iter().any(|name| names::sleeps(name))
            && body.calls.iter().any(|name| names::sends(name))
            && !has_loop(body)
    });
    if !asks_once_more {
        gates(id, &returned, found);
    }
    all
}

/// Whether the function reads the hint for one status on every way, and for another on none.
fn gates(id: FunctionId, returned: &[(u16, Vec<Record>)], found: &mut Retries) {
    let of = |status: u16| returned.iter().find(|(of, _)| *of == status).map_or(&[][..], |(_, records)| &records[..]);
    for (missed, read_for) in [(503, 429), (429, 503)] {
        let reads = of(read_for).iter().find_map(|record| {
            record.read?;
            record.born.or(record.read).filter(|(_, function)| *function == id)
        });
        let (Some((read, _)), misses) = (reads, of(missed)) else { continue };
        if misses.is_empty() || misses.iter().any(|record| record.read.is_some()) {
            continue;
        }
        if of(200).iter().any(|record| record.read.is_some()) {
            continue;
        }
        let test = misses.iter().find_map(|record| parting(&record.tests, id, read));
        if let Some(test) = test {
            let is_held = misses.iter().all(|record| record.born.is_some());
            found.gates.push(Gate { function: id, test, read, read_for, missed, is_held });
        }
    }
}

/// The test that parts ways with a place of its function: the last one before it, or else the last of all.
fn parting(tests: &[(FunctionId, Span)], function: FunctionId, place: Span) -> Option<Span> {
    let of_function = || tests.iter().filter(|(of, _)| *of == function).map(|(_, span)| *span);
    of_function()
        .filter(|test| test.start <= place.start)
        .max_by_key(|test| test.start)
        .or_else(|| of_function().next_back())
}

/// Compares the statuses.
fn gather(program: &Program<'_>, records: &[Record], found: &mut Retries) {
    // Where a way of that status uses the hint, no other of the same place is a fault: the choice is an option.
    type Place = (Ending, Option<Span>, Option<Drop>);
    let place = |record: &Record| -> Place {
        (
            record.ending,
            record.wait,
            record.dropped.filter(|dropped| dropped.function != record.function || record.ending == Ending::Refused),
        )
    };
    let usual: BTreeSet<(Ending, Option<Span>)> =
        records.iter().filter(|record| record.status == 200).map(|record| (record.ending, record.wait)).collect();
    let failing: BTreeSet<(Ending, Option<Span>)> =
        records.iter().filter(|record| record.status == 404).map(|record| (record.ending, record.wait)).collect();
    let used: FxHashSet<(u16, Ending, Option<Span>)> = records
        .iter()
        .filter(|record| record.read.is_some())
        .map(|record| (record.status, record.ending, record.wait))
        .collect();
    let mut retries: BTreeMap<Place, Retry> = BTreeMap::new();
    let mut refusals: BTreeMap<Span, Refusal> = BTreeMap::new();
    for record in records.iter().filter(|record| matches!(record.status, 429 | 503) && record.read.is_none()) {
        let key = (record.ending, record.wait);
        if used.contains(&(record.status, record.ending, record.wait)) {
            continue;
        }
        if record.ending == Ending::Refused {
            let Some(dropped) = record.dropped else { continue };
            let generic = records
                .iter()
                .any(|other| other.status == 404 && other.dropped.is_some_and(|other| other.span == dropped.span));
            let refusal = refusals.entry(dropped.span).or_insert_with(|| Refusal {
                dropped,
                statuses: Vec::new(),
                test: record.test,
                response: record.in_hand,
                any_failure: generic,
                doubt: record.doubt,
                guessed: record.guessed,
            });
            if !refusal.statuses.contains(&record.status) {
                refusal.statuses.push(record.status);
            }
            refusal.doubt &= record.doubt;
            refusal.guessed &= record.guessed;
            continue;
        }
        if usual.contains(&key) {
            continue;
        }
        let read_for: Vec<(u16, Span, FunctionId)> = records
            .iter()
            .filter(|other| other.function == record.function && other.ending != Ending::Refused)
            .filter(|other| other.read.is_some())
            .filter_map(|other| other.born.or(other.read).map(|(span, function)| (other.status, span, function)))
            .collect();
        let gate = read_for.iter().find_map(|(_, read, function)| parting(&record.tests, *function, *read));
        let retry = retries.entry(place(record)).or_insert_with(|| Retry {
            ending: record.ending,
            function: record.function,
            statuses: Vec::new(),
            read_for: Vec::new(),
            test: record.test,
            gate,
            tested_in: record.tests.iter().map(|(function, _)| *function).collect(),
            response: record.in_hand,
            wait: record.wait,
            dropped: record.dropped,
            doubt: record.doubt,
            guessed: record.guessed,
            any_failure: failing.contains(&key),
            is_named: is_named(program, record.function),
            unused: record.unused,
            copies: 1,
        });
        if !retry.statuses.contains(&record.status) {
            retry.statuses.push(record.status);
        }
        for read in read_for {
            if !retry.read_for.contains(&read) {
                retry.read_for.push(read);
            }
        }
        retry.unused &= record.unused;
        retry.doubt &= record.doubt;
        retry.guessed &= record.guessed;
    }
    for record in records.iter().filter(|record| !usual.contains(&(record.ending, record.wait))) {
        if matches!((record.status, record.ending), (429 | 503, Ending::Round { .. })) {
            found.waits.extend(record.wait);
        }
        // A loop that any failure sends round, and that waits for nothing, may as well be one over pages.
        let may_be_pages = failing.contains(&(record.ending, record.wait)) && record.wait.is_none();
        if matches!(record.status, 429 | 503)
            && !matches!(record.ending, Ending::Refused | Ending::Returned)
            && !may_be_pages
        {
            found.retried.insert((program.package_of(program.function(record.function).home), record.status));
        }
    }
    let mut copies: BTreeMap<(Name, u32, u32, Vec<u16>), usize> = BTreeMap::new();
    for mut retry in retries.into_values() {
        retry.statuses.sort_unstable();
        let function = program.function(retry.function);
        let length = function.span.end - function.span.start;
        let from = retry.place().start.saturating_sub(function.span.start);
        // The same lines at the same place of a function of the same name and length: code that was generated, or copied.
        match copies.entry((function.name.clone(), length, from, retry.statuses.clone())) {
            std::collections::btree_map::Entry::Occupied(known)
                if found.retries[*known.get()].function != retry.function =>
            {
                found.retries[*known.get()].copies += 1;
            }
            entry => {
                entry.or_insert(found.retries.len());
                found.retries.push(retry);
            }
        }
    }
    found.refusals = refusals.into_values().collect();
}

/// Whether the function, or something in it, is named for retrying.
fn is_named(program: &Program<'_>, id: FunctionId) -> bool {
    let function = program.function(id);
    names::is_retry(&function.name)
        || function.body.as_ref().is_some_and(|body| {
            body.locals.iter().any(|local| names::is_retry(&local.name))
                || body.calls.iter().chain(&body.fields).any(|name| names::is_retry(name))
        })
}

/// What the walk has to know of the workspace: what is worth looking into, and what comes to a hint.
fn surroundings<'p, 'w>(program: &'p Program<'w>) -> Surroundings<'p, 'w> {
    let constants: FxHashSet<Name> = program
        .constants()
        .filter(|(_, constant)| {
            constant.body.as_ref().is_some_and(|body| body.exprs.iter().any(|expr| names_header(&expr.op)))
        })
        .map(|(_, constant)| constant.name.clone())
        .collect();
    let declares = |(_, item): (_, &crate::ir::TypeItem)| {
        matches!(item.kind, crate::ir::TypeKind::Trait(_)) && &*item.name == "RetryableStrategy"
    };
    let has_strategies = program.types().any(declares);
    let direct = direct_functions(program);
    let reading = reading(program, &direct);
    let mut relevant: FxHashSet<FunctionId> = program
        .functions()
        .filter(|(_, function)| !function.is_test)
        .filter(|(_, function)| function.body.as_ref().is_some_and(looks_at_status))
        .map(|(id, _)| id)
        .collect();
    if relevant.is_empty() {
        return Surroundings {
            program,
            relevant: FxHashSet::default(),
            reading,
            constants,
            has_strategies,
            resolved: RefCell::default(),
        };
    }
    relevant.extend(direct.iter().copied().filter(|id| !program.function(*id).is_test));
    let mut frontier: Vec<FunctionId> = relevant.iter().copied().collect();
    for _ in 0..DISTANCE {
        let mut next = Vec::new();
        for id in frontier {
            let name = &program.function(id).name;
            let callers = program.callers_of(name);
            if names::is_common(name) && callers.len() > 12 {
                continue;
            }
            next.extend(
                callers.iter().copied().filter(|caller| !program.function(*caller).is_test && relevant.insert(*caller)),
            );
        }
        frontier = next;
    }
    Surroundings { program, relevant, reading, constants, has_strategies, resolved: RefCell::default() }
}

/// Names of functions that come to a hint: those that name the header or a hint, and who calls them.
fn reading(program: &Program<'_>, direct: &[FunctionId]) -> FxHashSet<Name> {
    let mut seen: FxHashSet<FunctionId> = direct.iter().copied().collect();
    let mut frontier: Vec<FunctionId> = direct.to_vec();
    for _ in 0..DISTANCE {
        let mut next = Vec::new();
        for id in frontier {
            let name = &program.function(id).name;
            if names::is_common(name) {
                continue;
            }
            next.extend(program.callers_of(name).iter().copied().filter(|caller| seen.insert(*caller)));
        }
        frontier = next;
    }
    seen.into_iter()
        .map(|id| program.function(id))
        .filter(|function| !function.is_test && !names::is_common(&function.name))
        .map(|function| function.name.clone())
        .collect()
}

/// Whether the body tests a status, or gives up a response's headers for its status.
fn looks_at_status(body: &Body) -> bool {
    body.calls.iter().any(|call| {
        matches!(
            &**call,
            "error_for_status"
                | "is_server_error"
                | "is_client_error"
                | "is_success"
                | "default_on_request_success"
                | "as_u16"
        )
    }) || body.exprs.iter().any(|expr| match &expr.op {
        Op::Literal(literal) => is_status(literal),
        Op::Path(path) => matches!(path.last(), "TOO_MANY_REQUESTS" | "SERVICE_UNAVAILABLE"),
        Op::Branch { arms, .. } => arms.iter().any(|arm| arm.pattern.as_ref().is_some_and(tests_status)),
        _ => false,
    })
}

fn is_status(literal: &Literal) -> bool {
    matches!(literal, Literal::Integer(429 | 503))
        || matches!(literal, Literal::Text(text) if matches!(&**text, "429" | "503"))
}

fn tests_status(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Literal(literal) => is_status(literal),
        Pattern::Path(path) => matches!(path.last(), "TOO_MANY_REQUESTS" | "SERVICE_UNAVAILABLE"),
        Pattern::Or(parts) | Pattern::Tuple(parts) => parts.iter().any(tests_status),
        Pattern::TupleStruct(path, parts) => {
            matches!(path.last(), "StatusCode" | "Status") || parts.iter().any(tests_status)
        }
        Pattern::Range { from, .. } => {
            matches!(from.as_deref(), Some(Pattern::Literal(Literal::Integer(400..=503))))
        }
        Pattern::Reference(inner) => tests_status(inner),
        _ => false,
    }
}
