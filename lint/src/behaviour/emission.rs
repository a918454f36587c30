//! Emissions: what a server puts into the header.
//!
//! A pass of its own, over one case: a server knows a wait of `WAIT`, an odd number of nanoseconds, and sends it. Whatever turns out to
//! hold a time (a remainder, a deadline, a number of milliseconds) is that wait, and what arrives in the header tells whether seconds were
//! rounded up, cut off, sent in another unit or as a point in time.

mod wait;

use super::Facts;
use super::case::Case;
use super::log::{Log, SourceKind};
use super::refusal;
use super::trail::Event;
use super::value::{Code, Kind, Value};
use crate::diagnostic::{Confidence, Step, StepKind};
use crate::ir::{FunctionId, Name, Op, Owner, Span, Type, TypeId, TypeKind};
use crate::module::{Program, Resolved};
use crate::names;
use crate::site::{interesting, names_header};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// How often more files are taken in.
const ROUNDS: usize = 3;
/// The most functions that are run.
const ENTRIES: usize = 400;
/// The most expressions that are evaluated for one workspace.
const STEPS: u64 = 150_000;
/// How many calls above an emission are looked at.
const ABOVE: usize = 4;

/// What a server sent.
#[derive(Clone, Debug)]
pub struct Emission {
    /// The place that names the header, or the conversion that is its value.
    pub header: Span,
    /// The call, pair or text that puts the value into the message.
    pub span: Span,
    /// The code it stands in.
    pub code: Code,
    /// The entry from which it was run.
    pub entry: Option<FunctionId>,
    /// The value: a number, a text, a time; never a wrapper, and one of its alternatives.
    pub value: Value,
    /// Whether it is how a type of this workspace that stands for the header writes itself.
    pub by_type: bool,
}

impl Emission {
    /// The field value that is sent, where it is known.
    pub fn text(&self) -> Option<String> {
        match &self.value.kind {
            Kind::Text(text) => Some(text.to_string()),
            Kind::Integer(number) => Some(number.to_string()),
            Kind::Float(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// The emitted value as seconds, where it is whole digits.
    pub fn digits(&self) -> Option<i128> {
        let text = self.text()?;
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) { None } else { text.parse().ok() }
    }

    /// Whether it is a point in time, in the one form that may be sent.
    pub fn is_date(&self) -> bool {
        match &self.value.kind {
            Kind::Text(text) => super::library::time::imf_fixdate(text).is_some(),
            Kind::Date(_) => true,
            _ => false,
        }
    }

    /// Whether it is a point in time, in whichever form of a date, valid or not.
    pub fn is_any_date(&self) -> bool {
        self.is_date()
            || self.text().is_some_and(|text| {
                text.len() > 14 && text.bytes().any(|byte| byte.is_ascii_alphabetic()) && text.contains(':')
            })
    }

    /// Whether it is a difference of signed numbers that nothing holds above zero.
    pub fn may_be_negative(&self) -> bool {
        self.last(Event::Signed).is_some()
            && self
                .value
                .trail
                .find(true, |node| {
                    matches!(node.event, Event::Floor(_) | Event::Compared | Event::ComparedWithZero | Event::Tested)
                })
                .is_none()
    }

    /// Whether the value was computed from a wait that the server knows.
    pub fn is_computed(&self) -> bool {
        self.value.trail.carries_hint()
    }

    /// The place at which something first happened to the value on its way.
    pub fn first(&self, event: Event) -> Option<Span> {
        self.value.trail.nodes(false).filter(|node| node.event == event).last().map(|node| node.span)
    }

    /// The place at which something last happened to the value on its way.
    pub fn last(&self, event: Event) -> Option<Span> {
        self.value.trail.find(false, |node| node.event == event).map(|node| node.span)
    }
}

impl Facts<'_, '_> {
    /// The way of a value from the wait to the message. `focus` is the place that a finding is about.
    pub fn emission_journey(&self, emission: &Emission, focus: Step) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for node in emission.value.trail.nodes(false) {
            let (kind, label) = match node.event {
                Event::Read(source) => match &self.emitted.sources[source as usize].kind {
                    SourceKind::Wait(name) if !name.is_empty() => {
                        (StepKind::Read, format!("a wait is known here, from `{name}`"))
                    }
                    _ => (StepKind::Read, "a wait is known here".to_owned()),
                },
                Event::Truncated => (StepKind::Cut, "what is below the unit is cut off".to_owned()),
                Event::Converted => (StepKind::Parsed, "takes another form here".to_owned()),
                Event::Returned(from) => {
                    (StepKind::Returned, format!("comes back from `{}`", self.program.function(from).name))
                }
                _ => continue,
            };
            steps.push(Step { span: node.span, kind, label });
        }
        steps.reverse();
        match steps.iter().position(|step| step.span == focus.span && step.kind != StepKind::Returned) {
            Some(place) => steps[place] = focus,
            None if focus.span != emission.span => steps.push(focus),
            None => {}
        }
        let mut seen: Vec<Span> = Vec::new();
        steps.retain(|step| {
            let new = !seen.contains(&step.span) && step.span != emission.span;
            seen.push(step.span);
            new
        });
        steps.truncate(11);
        let label = if emission.by_type { "the header's value is made here" } else { "sent as `Retry-After` here" };
        steps.push(Step { span: emission.span, kind: StepKind::Sent, label: label.to_owned() });
        steps
    }

    /// How sure it is that the emitted value is what it is taken for.
    pub fn emission_confidence(&self, emission: &Emission) -> Confidence {
        let is_guessed = emission.value.trail.find(false, |node| node.event == Event::Taken).is_some();
        if emission.by_type || is_guessed { Confidence::Medium } else { Confidence::High }
    }
}

/// Runs everything that emits, in the case of an emission, taking in files as the way leads there.
pub fn observe_emissions(program: &mut Program<'_>) -> Log {
    let mut asked: BTreeSet<Name> = BTreeSet::new();
    for round in 1.. {
        let mut log = Log::default();
        let mut wanted = run_entries(program, &mut log);
        wanted.retain(|name| asked.insert(name.clone()));
        if round == ROUNDS || wanted.is_empty() || program.load_mentioning(&wanted) == 0 {
            let types = header_types(program, &mut wanted);
            let emitting = emitting_functions(program, &types).into_iter().collect();
            log.refusals = refusal::refusals(program, &emitting);
            log.relays = refusal::relays(program, &emitting);
            return log;
        }
    }
    unreachable!("the last round returns")
}

/// The functions that an emission may happen in.
fn emitting_functions(program: &Program<'_>, types: &FxHashSet<Name>) -> Vec<FunctionId> {
    let mut constants: FxHashSet<Name> = FxHashSet::default();
    for (_, constant) in program.constants() {
        if constant.body.as_ref().is_some_and(|body| body.exprs.iter().any(|expr| names_header(&expr.op))) {
            constants.insert(constant.name.clone());
        }
    }
    program
        .functions()
        .filter(|(_, function)| !function.is_test)
        .filter(|(id, function)| {
            let Some(body) = &function.body else { return false };
            is_written_by_type(program, types, *id)
                || body.exprs.iter().any(|expr| match &expr.op {
                    Op::Path(path) => {
                        names_header(&expr.op)
                            || constants.contains(path.last())
                            || path.segments.iter().any(|segment| &**segment == "RetryAfter")
                    }
                    Op::Format { template, .. } => raw_line(template).is_some(),
                    op => names_header(op),
                })
        })
        .map(|(id, _)| id)
        .collect()
}

/// The types of the workspace that stand for the header, and those that their values are made of.
fn header_types(program: &Program<'_>, missing: &mut BTreeSet<Name>) -> FxHashSet<Name> {
    let mut found: FxHashSet<Name> = FxHashSet::default();
    let mut frontier: Vec<TypeId> = Vec::new();
    for (id, item) in program.types() {
        if matches!(&*item.name, "RetryAfter" | "RetryAfterHeader") && !matches!(item.kind, TypeKind::Trait(_)) {
            found.insert(item.name.clone());
            frontier.push(id);
        }
    }
    for _ in 0..2 {
        let mut next = Vec::new();
        for id in frontier {
            let item = program.type_item(id);
            let fields: Vec<&Type> = match &item.kind {
                TypeKind::Struct(fields) => fields.iter().map(|field| &field.ty).collect(),
                TypeKind::Enum(variants) => {
                    variants.iter().flat_map(|variant| variant.fields.iter().map(|field| &field.ty)).collect()
                }
                _ => Vec::new(),
            };
            for ty in fields {
                match program.resolve_type(item.scope, None, ty.peeled()) {
                    Resolved::Type(inner) => {
                        if found.insert(program.type_item(inner).name.clone()) {
                            next.push(inner);
                        }
                    }
                    // It may stand in a file that was not read yet.
                    _ => missing.extend(ty.peeled().last_segment().filter(|name| name.len() > 6).map(Name::from)),
                }
            }
        }
        frontier = next;
    }
    found
}

/// Whether the function is how a type that stands for the header becomes its value: a conversion to `HeaderValue`, or the `Display` of a
/// typed header.
fn is_written_by_type(program: &Program<'_>, types: &FxHashSet<Name>, id: FunctionId) -> bool {
    if types.is_empty() {
        return false;
    }
    let function = program.function(id);
    let is_ours = |ty: &Type| ty.peeled().last_segment().is_some_and(|name| types.contains(name));
    let of_type = match &function.owner {
        Owner::Inherent(ty) => is_ours(ty),
        Owner::TraitImpl { of, ty } => is_ours(ty) || of.arguments().iter().any(is_ours),
        _ => false,
    };
    of_type && (gives_header_value(program, id) || is_display_of_header(program, id))
}

fn gives_header_value(program: &Program<'_>, id: FunctionId) -> bool {
    let function = program.function(id);
    let is_value = |ty: &Type| ty.peeled().last_segment() == Some("HeaderValue");
    let to_self = matches!(&function.owner, Owner::TraitImpl { ty, .. } if is_value(ty));
    function.output.as_ref().is_some_and(|output| {
        is_value(output)
            || output.peeled().arguments().first().is_some_and(is_value)
            || (to_self && matches!(output.last_segment(), Some("Self" | "Result")))
    })
}

fn is_display_of_header(program: &Program<'_>, id: FunctionId) -> bool {
    let Owner::TraitImpl { of, ty } = &program.function(id).owner else { return false };
    let name = ty.peeled().last_segment();
    of.last_segment() == Some("Display")
        && program.functions().any(|(_, other)| {
            matches!(&other.owner, Owner::TraitImpl { of, ty } if ty.peeled().last_segment() == name
                && matches!(of.last_segment(), Some("Header" | "TypedHeader" | "IntoHeaderValue" | "TryIntoHeaderValue")))
        })
}

/// What follows the header's name in a raw line: how many placeholders stand before it, and the literal text after it.
fn raw_line(template: &str) -> Option<(usize, &str)> {
    let place = template.to_ascii_lowercase().find("retry-after:")?;
    let before = template.get(..place)?;
    if !before.is_empty() && !before.ends_with('\n') {
        return None;
    }
    let rest = template.get(place + "retry-after:".len()..)?;
    let line = rest.split(['\r', '\n']).next().unwrap_or(rest);
    // A line for a person, not for the wire.
    if !rest.starts_with(' ') || !template.contains("\r\n") {
        return None;
    }
    Some((before.matches("{}").count(), line.trim()))
}

fn run_entries(program: &Program<'_>, log: &mut Log) -> BTreeSet<Name> {
    let mut wanted = BTreeSet::new();
    let types = header_types(program, &mut wanted);
    let direct = emitting_functions(program, &types);
    if direct.is_empty() {
        return wanted;
    }
    log.header_types = types;
    log.interesting = interesting(program, &direct);
    log.interesting.extend(interesting_below(program, &direct));
    let mut level: FxHashMap<FunctionId, usize> = direct.iter().map(|id| (*id, 0)).collect();
    let mut queue: VecDeque<FunctionId> = direct.into_iter().collect();
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut by_entry: FxHashMap<FunctionId, Vec<Emission>> = FxHashMap::default();
    let mut order: Vec<FunctionId> = Vec::new();
    let mut traced: FxHashSet<(Name, Name)> = FxHashSet::default();
    for _ in 0..4 {
        while let Some(id) = queue.pop_front() {
            let function = program.function(id);
            if function.is_test || function.body.is_none() || !seen.insert(id) {
                continue;
            }
            if order.len() >= ENTRIES || log.steps > STEPS {
                log.over_budget(function.name_span);
                break;
            }
            let above = level.get(&id).copied().unwrap_or(0);
            log.entry = Some(id);
            let travel = super::run_case(program, log, id, Case::Emission);
            log.entry = None;
            log.take_outcomes();
            let emissions = std::mem::take(&mut log.emissions);
            let emits = !emissions.is_empty();
            // Where a value stems from a field, whoever fills that field is of interest.
            let mut asked: Vec<(Name, Name)> = Vec::new();
            for emission in &emissions {
                asked.extend(log.slot_of(&emission.value));
            }
            let made = std::mem::take(&mut log.made);
            for (slot, value) in &made {
                if traced.contains(slot) {
                    asked.extend(log.slot_of(value));
                }
            }
            for slot in asked {
                if traced.insert(slot.clone()) {
                    for maker in makers(program, &slot.0) {
                        level.entry(maker).or_insert(0);
                        seen.remove(&maker);
                        queue.push_back(maker);
                    }
                    if slot.0.len() > 4 {
                        wanted.insert(slot.0.clone());
                    }
                }
            }
            by_entry.insert(id, emissions);
            order.retain(|known| *known != id);
            order.push(id);
            if above < ABOVE && (emits || travel != super::Travel::No) {
                if !names::is_common(&function.name) {
                    wanted.insert(function.name.clone());
                }
                for caller in super::callers(program, id).0 {
                    level.entry(caller).or_insert(above + 1);
                    queue.push_back(caller);
                }
            }
        }
        let new: Vec<(Name, Name)> = log
            .slots
            .keys()
            .filter(|slot| !log.known_slots.contains_key(*slot) && traced.contains(*slot))
            .cloned()
            .collect();
        if new.is_empty() {
            break;
        }
        log.known_slots = log
            .slots
            .iter()
            .filter(|(slot, _)| traced.contains(*slot))
            .map(|(slot, values)| (slot.clone(), values.clone()))
            .collect();
        // What emits a field's value runs again, now that it is known what the field holds.
        for id in &order {
            seen.remove(id);
            queue.push_back(*id);
        }
    }
    let all: Vec<(FunctionId, Emission)> = order
        .into_iter()
        .flat_map(|id| by_entry.remove(&id).unwrap_or_default().into_iter().map(move |emission| (id, emission)))
        .collect();
    for (id, emission) in &all {
        // Whoever calls the function knows more of what it is given.
        let is_known_above = log.inlined.contains(id)
            && all.iter().any(|(other, above)| {
                !log.inlined.contains(other) && above.span == emission.span && !above.value.is_unknown()
            });
        if !is_known_above {
            log.emissions.push(emission.clone());
        }
    }
    wanted.extend(log.missing.iter().cloned());
    wanted
}

/// Functions that make a struct or variant of this name.
fn makers(program: &Program<'_>, name: &Name) -> Vec<FunctionId> {
    const MOST: usize = 24;
    program
        .functions()
        .filter(|(_, function)| !function.is_test)
        .filter(|(_, function)| {
            function.body.as_ref().is_some_and(|body| {
                body.exprs.iter().any(|expr| match &expr.op {
                    Op::Construct { path, .. } => path.last() == &**name || path.last() == "Self",
                    Op::Path(path) => path.last() == &**name,
                    _ => false,
                })
            })
        })
        .map(|(id, _)| id)
        .take(MOST)
        .collect()
}

/// What the functions call, two calls deep, where the name says which function is meant.
fn interesting_below(program: &Program<'_>, direct: &[FunctionId]) -> FxHashSet<FunctionId> {
    let mut all: FxHashSet<FunctionId> = FxHashSet::default();
    let mut frontier: Vec<FunctionId> = direct.to_vec();
    for _ in 0..2 {
        let mut next = Vec::new();
        for id in frontier {
            let Some(body) = &program.function(id).body else { continue };
            for name in body.calls.iter().filter(|name| !names::is_common(name)) {
                let called = program.functions_named(name);
                if called.len() <= 4 {
                    next.extend(called.iter().copied().filter(|id| all.insert(*id)));
                }
            }
        }
        frontier = next;
    }
    all
}

/// What a function of a type that stands for the header gives is the header's value.
pub(super) fn returned(program: &Program<'_>, log: &mut Log, id: FunctionId, result: &Value) {
    let types = std::mem::take(&mut log.header_types);
    if is_written_by_type(program, &types, id) && gives_header_value(program, id) {
        let span = program.function(id).name_span;
        record(log, span, span, Code::Function(id), result, true);
    }
    log.header_types = types;
}

fn record(log: &mut Log, header: Span, span: Span, code: Code, value: &Value, by_type: bool) {
    for value in value.alternatives() {
        match &value.kind {
            Kind::Variant(variant) => {
                if matches!(&*variant.name, "Some" | "Ok")
                    && let Some((_, inner)) = variant.fields.first()
                {
                    let inner = super::evaluate::inherit(inner.clone(), value);
                    record(log, header, span, code, &inner, by_type);
                }
            }
            Kind::List(values) => {
                for inner in values.iter() {
                    record(log, header, span, code, inner, by_type);
                }
            }
            _ => {
                let entry = log.entry;
                let is_known = log
                    .emissions
                    .iter()
                    .any(|known| known.span == span && known.value.same(value) && known.entry == entry);
                if !is_known && log.emissions.len() < 1_000 {
                    log.emissions.push(Emission { header, span, code, entry, value: value.clone(), by_type });
                }
            }
        }
    }
}
