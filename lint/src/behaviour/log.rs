//! The log: what running the cases has shown, gathered for the rules.

use super::case::{Case, Need};
use super::emission::Emission;
use super::hazard::Hazard;
use super::read::HeaderName;
use super::refusal::{Refusal, Relay};
use super::shape::Shape;
use super::trail::{SourceIndex, Trail};
use super::value::{Code, FunctionValue, Kind, Origin, Value};
use crate::ir::{FunctionId, Name, OpaqueReason, Path, ScopeId, Span};
use crate::module::Resolved;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where a hint comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The place that names the header, or the field, parameter or method that is named like the hint.
    pub span: Span,
    /// The code it stands in.
    pub code: Code,
    /// What kind of source it is.
    pub kind: SourceKind,
    /// The place and code that read it, where that is another: a helper that is given the header's name.
    pub read_at: Option<(Span, Code)>,
    /// The closure that read it, if one did.
    pub closure: Option<Span>,
}

/// The kinds of sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A header that is read by its name.
    Header,
    /// A vendor's header that is named after it, and has no date form.
    Vendor(Name),
    /// The text of the header, as a parameter of a function that is named for it.
    Text,
    /// A value that is named like the hint and was parsed elsewhere.
    Named(Name),
    /// A wait that a server knows, by the name it goes by there.
    Wait(Name),
}

/// What a value comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SinkKind {
    /// Slept on.
    Slept,
    /// Returned from a function that nobody in the workspace calls with it.
    Returned,
    /// Stored in a place that outlives the function.
    Stored,
    /// Handed to a function that is not known.
    Passed,
    /// The wait between two requests of a loop, where the loop goes round.
    SentAgain,
}

/// What a value was when it got there.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// The kind of sink.
    pub kind: SinkKind,
    /// The sink.
    pub span: Span,
    /// The code it stands in.
    pub code: Code,
    /// The entry from which it was run.
    pub entry: Option<FunctionId>,
    /// The alternative: a time, a number, None or unknown; never a wrapper.
    pub value: Value,
    /// Whether it came inside an `Err`.
    pub in_error: bool,
    /// Where the future was made that ends after the wait, if it came as one.
    pub future: Option<Span>,
    /// Whether it is one piece of a wait that goes on after it.
    pub in_pieces: bool,
    /// The place that may end the wait before its time: a timeout around it.
    pub cut_by: Option<Span>,
    /// Whether it was stored through a lock's guard.
    pub behind_lock: bool,
    /// Whether it stands in a loop.
    pub in_loop: bool,
    /// Where a lock or permit was taken that is held meanwhile.
    pub holds: Option<Span>,
    /// Whether it is one of several things that are waited for at once.
    pub in_select: bool,
    /// Whether the thread is blocked by it, in asynchronous code.
    pub blocks: bool,
    /// What decided that the sink was reached.
    pub context: Trail,
}

impl Outcome {
    /// Whether it came as a future that ends after the wait.
    pub fn in_future(&self) -> bool {
        self.future.is_some()
    }

    /// The place that waits: the sink, or where the future was made that does.
    pub fn waits_at(&self) -> Span {
        self.future.unwrap_or(self.span)
    }
}

/// An attempt to read a number or a date from a hint's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attempt {
    /// The source of the text.
    pub source: SourceIndex,
    /// The case.
    pub case: Case,
    /// Where.
    pub span: Span,
    /// In which code.
    pub code: Code,
    /// Whether a date was sought, and not a number.
    pub date: bool,
    /// Whether it succeeded.
    pub success: bool,
}

/// A time that was made of a hint's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timed {
    /// The source of the number.
    pub source: SourceIndex,
    /// The case.
    pub case: Case,
    /// The number, as it was before anything held it up.
    pub number: u64,
    /// What it was taken to count, in nanoseconds.
    pub unit: u64,
    /// Where.
    pub span: Span,
}

impl Timed {
    /// How long the time is, in nanoseconds.
    pub fn time(&self) -> i128 {
        i128::from(self.number) * i128::from(self.unit)
    }
}

/// A read of the header whose value reached no sink in any case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    /// The read.
    pub span: Span,
    /// Where its value was lost sight of, if that is known.
    pub lost_at: Option<Span>,
    /// Whether an attempt to parse the value was seen.
    pub parsed: bool,
}

impl Unreached {
    /// Each place with what is to be said of it.
    pub fn in_words(&self) -> Vec<(Span, String)> {
        let why = match (self.lost_at, self.parsed) {
            (Some(_), _) => "its text goes where it could not be followed",
            (None, true) => "it is parsed, and then no wait, return, store or call with it was seen",
            (None, false) => "no attempt to parse it was seen",
        };
        let mut words = vec![(self.span, format!("a hint is read here, and its value reached nothing: {why}"))];
        words.extend(
            self.lost_at.map(|lost| (lost, "a hint's text goes into this, and could not be followed".to_owned())),
        );
        words
    }
}

/// The most alternatives that are kept of one sink in one case.
const OUTCOMES: usize = 40;

/// Everything that was found out.
#[derive(Default)]
pub struct Log {
    /// The sources, in the order in which they were met.
    pub sources: Vec<Source>,
    by_place: FxHashMap<(Span, bool), SourceIndex>,
    /// The outcomes of the entry that is being run.
    pub outcomes: Vec<Outcome>,
    /// What each entry gave, case by case, whoever calls it.
    pub results: FxHashMap<(FunctionId, Case), Value>,
    outcome_places: FxHashMap<(Case, SinkKind, Span, bool), Vec<usize>>,
    /// The attempts to parse.
    pub attempts: BTreeSet<Attempt>,
    /// Sources whose text went where it could not be followed.
    pub escaped: BTreeMap<(SourceIndex, Case), Span>,
    /// Places where a value on a hint's way could not be understood.
    pub opaque: BTreeMap<Span, String>,
    /// Calls on a hint's way that could not be resolved.
    pub unresolved: BTreeMap<Span, Name>,
    /// Places where a wait is slept on, or a moment kept, that the hint has no part in.
    pub own_waits: BTreeSet<Span>,
    /// Entries that ran out of budget.
    pub exhausted: BTreeSet<Span>,
    /// Functions that were run as part of another, with a hint's source below them.
    pub inlined: BTreeSet<FunctionId>,
    /// The entry that is being run.
    pub entry: Option<FunctionId>,
    /// Functions that may come to a hint: they are looked into even where no argument has to do with one.
    pub interesting: FxHashSet<FunctionId>,
    /// Fields that hold a hint: by the type's or variant's name and the field's, by case.
    pub slots: BTreeMap<(Name, Name), BTreeMap<Case, Vec<Value>>>,
    /// The same, from the rounds before: what a field of an unknown value holds.
    pub known_slots: BTreeMap<(Name, Name), BTreeMap<Case, Vec<Value>>>,
    /// Whether one side of what is being computed may be the server's own time, and the local clock only where that is missing.
    pub has_server_clock: bool,
    /// Where a float was parsed.
    pub float_parses: FxHashSet<Span>,
    /// Where a number was parsed without a type beside it.
    pub untyped_parses: FxHashSet<Span>,
    /// Of those, the types that they turned out to be of.
    pub parsed_types: FxHashMap<Span, Name>,
    /// What the entry that is being run has shown to be worth a look.
    pub met_needs: BTreeSet<Need>,
    /// What the code does on the way that no sink shows.
    pub hazards: BTreeMap<Hazard, Trail>,
    /// The times that were made of the hints' numbers, whatever came of them.
    pub timed: BTreeMap<Timed, Trail>,
    /// The hint's number where something else was taken for being larger, by the place of the `max`.
    pub floored: FxHashMap<(Case, Span), i128>,
    /// What a random number was drawn from, at least, by the place of the draw.
    pub draws: FxHashMap<Span, f64>,
    /// How often a source was met, so that an entry can tell whether it met one: headers and text, then named ones.
    pub met: (u64, u64),
    /// Sources whose number became a duration or was compared with something.
    pub used: BTreeSet<SourceIndex>,
    /// The shapes of the code that was run.
    pub shapes: FxHashMap<Code, Rc<Shape>>,
    /// Functions as values, by the place of their path in the lowered code and the scope it is written in.
    pub functions: FxHashMap<(*const Path, ScopeId), Rc<FunctionValue>>,
    /// What paths mean, by their place in the lowered code and the scope they are written in.
    pub paths: FxHashMap<(*const Path, ScopeId), Resolved>,
    /// How many expressions were evaluated.
    pub steps: u64,
    /// What a server sent.
    pub emissions: Vec<Emission>,
    /// Refusals that know the wait and do not send it.
    pub refusals: Vec<Refusal>,
    /// Answers from further up that are passed on without the header.
    pub relays: Vec<Relay>,
    /// The names of the types that stand for the header.
    pub header_types: FxHashSet<Name>,
    /// Fields of unknown values that were read: where what they hold is met, and whose they are.
    pub asked_slots: Vec<(Rc<Origin>, (Name, Name))>,
    /// Fields that something unknown was put into.
    pub made: Vec<((Name, Name), Value)>,
    /// Names of functions that were called, seem to belong to the workspace and are not loaded.
    pub missing: BTreeSet<Name>,
}

impl Log {
    /// The source at a place, made when it is new.
    pub fn source(&mut self, span: Span, code: Code, is_text: bool, read_at: Option<(Span, Code)>) -> SourceIndex {
        let kind = if is_text { SourceKind::Text } else { SourceKind::Header };
        let index = self.intern(span, code, kind);
        if let (Some(read_at), source) = (read_at, &mut self.sources[index as usize]) {
            source.read_at.get_or_insert(read_at);
        }
        index
    }

    /// The source for a header that is read by its name.
    pub fn header(&mut self, name: &HeaderName, code: Code, read_at: Option<(Span, Code)>) -> SourceIndex {
        let kind = name.vendor.clone().map_or(SourceKind::Header, SourceKind::Vendor);
        let index = self.intern(name.at, code, kind);
        if let Some(read_at) = read_at {
            self.sources[index as usize].read_at.get_or_insert(read_at);
        }
        index
    }

    /// Remembers the closure that a header was read in.
    pub fn read_in_closure(&mut self, source: SourceIndex, closure: Option<Span>) {
        self.sources[source as usize].closure = closure;
    }

    /// Sleeps of a wait in pieces, one after the other, cut nothing: those recorded from a place on, or in one code.
    pub fn sleeps_in_pieces(&mut self, from: usize, code: Option<Code>) {
        for outcome in self.outcomes.iter_mut().skip(from) {
            if outcome.kind == SinkKind::Slept && code.is_none_or(|code| code == outcome.code) {
                outcome.in_pieces = true;
            }
        }
    }

    /// The source for a name that stands for a hint.
    pub fn named_source(&mut self, name: &Name, span: Span, code: Code) -> SourceIndex {
        self.intern(span, code, SourceKind::Named(name.clone()))
    }

    /// The source for a wait that a server knows.
    pub fn wait_source(&mut self, span: Span, code: Code, name: &Name) -> SourceIndex {
        self.intern(span, code, SourceKind::Wait(name.clone()))
    }

    /// Whose field a value that is not known was read from.
    pub fn slot_of(&self, value: &Value) -> Option<(Name, Name)> {
        let Kind::Unknown(origin) = &value.kind else { return None };
        origin
            .way()
            .find_map(|part| self.asked_slots.iter().find(|(asked, _)| **asked == *part).map(|(_, slot)| slot.clone()))
    }

    /// Remembers whose field an unknown value is.
    pub fn asks_slot(&mut self, value: &Value, owner: &str, field: &str) {
        if let Kind::Unknown(origin) = &value.kind
            && !self.asked_slots.iter().any(|(known, _)| known == origin)
        {
            self.asked_slots.push((origin.clone(), (owner.into(), field.into())));
        }
    }

    fn intern(&mut self, span: Span, code: Code, kind: SourceKind) -> SourceIndex {
        let is_named = matches!(kind, SourceKind::Named(_));
        if is_named {
            self.met.1 += 1;
        } else {
            self.met.0 += 1;
        }
        let next = self.sources.len() as SourceIndex;
        let index = *self.by_place.entry((span, is_named)).or_insert(next);
        if index == next {
            self.sources.push(Source { span, code, kind, read_at: None, closure: None });
        }
        index
    }

    /// Records what a value is at a sink, alternative by alternative, without its wrappers.
    pub fn outcome(&mut self, case: Case, kind: SinkKind, span: Span, code: Code, value: &Value, context: &Trail) {
        self.flatten(case, kind, span, code, value, context, (false, None), 0);
    }

    #[expect(clippy::too_many_arguments, reason = "one record's fields, handed down a recursion")]
    fn flatten(
        &mut self,
        case: Case,
        kind: SinkKind,
        span: Span,
        code: Code,
        value: &Value,
        context: &Trail,
        (in_error, future): (bool, Option<Span>),
        depth: u32,
    ) {
        if depth > 6 {
            return;
        }
        match &value.kind {
            Kind::OneOf(values) => {
                for value in values.iter() {
                    self.flatten(case, kind, span, code, value, context, (in_error, future), depth);
                }
                return;
            }
            Kind::Sleep(inner) => {
                let future = future.or(value.at).or(Some(span));
                return self.flatten(case, kind, span, code, inner, context, (in_error, future), depth + 1);
            }
            Kind::Tuple(values) | Kind::List(values) => {
                for value in values.iter().filter(|value| value.is_tainted()) {
                    self.flatten(case, kind, span, code, value, context, (in_error, future), depth + 1);
                }
                return;
            }
            Kind::Variant(variant) if !matches!(&*variant.name, "None") && !variant.fields.is_empty() => {
                let in_error = in_error || matches!(&*variant.name, "Err" | "Break");
                for (_, field) in &variant.fields {
                    let field = super::evaluate::inherit(field.clone(), value);
                    if field.is_tainted() || matches!(&*variant.name, "Some" | "Ok") {
                        self.flatten(case, kind, span, code, &field, context, (in_error, future), depth + 1);
                    }
                }
                return;
            }
            _ => {}
        }
        if !value.is_tainted() && !context.is_some() {
            return;
        }
        let entry = self.entry;
        let places = self.outcome_places.entry((case, kind, span, in_error)).or_default();
        let outcomes = &self.outcomes;
        if places.len() >= OUTCOMES
            || places.iter().any(|place| outcomes[*place].value.same(value) && outcomes[*place].context.same(context))
        {
            return;
        }
        places.push(outcomes.len());
        self.outcomes.push(Outcome {
            case,
            kind,
            span,
            code,
            entry,
            value: value.clone(),
            in_error,
            future,
            in_pieces: false,
            cut_by: None,
            blocks: false,
            in_select: false,
            in_loop: false,
            behind_lock: false,
            holds: None,
            context: context.clone(),
        });
    }

    /// The waits that were recorded from a place on.
    pub fn slept_since(&mut self, first: usize) -> impl Iterator<Item = &mut Outcome> {
        self.outcomes.iter_mut().skip(first).filter(|outcome| outcome.kind == SinkKind::Slept)
    }

    /// The stores that were recorded from a place on.
    pub fn stored_since(&mut self, first: usize) -> impl Iterator<Item = &mut Outcome> {
        self.outcomes.iter_mut().skip(first).filter(|outcome| outcome.kind == SinkKind::Stored)
    }

    /// The outcomes of the entry that was run, out of the way of the next.
    pub fn take_outcomes(&mut self) -> Vec<Outcome> {
        self.outcome_places.clear();
        std::mem::take(&mut self.outcomes)
    }

    /// Records an attempt to parse text.
    pub fn attempt(&mut self, case: Case, trail: &Trail, span: Span, code: Code, date: bool, success: bool) {
        for &source in trail.sources(false) {
            self.attempts.insert(Attempt { source, case, span, code, date, success });
        }
    }

    /// Records that a hint's text went where it cannot be followed.
    pub fn escape(&mut self, case: Case, trail: &Trail, span: Span) {
        for &source in trail.sources(false) {
            self.escaped.entry((source, case)).or_insert(span);
        }
    }

    /// Records that a struct's field was made with a hint in it.
    pub fn stored(&mut self, case: Case, type_name: &Name, field: &Name, value: &Value) {
        if matches!(&**type_name, "Some" | "Ok" | "Err") {
            return;
        }
        let values = self.slots.entry((type_name.clone(), field.clone())).or_default().entry(case).or_default();
        if values.len() < 8 && !values.iter().any(|known| known.same(value)) {
            values.push(value.clone());
        }
    }

    /// Records a value that is not understood.
    pub fn opaque(&mut self, span: Span, reason: &OpaqueReason) {
        let text = match reason {
            OpaqueReason::Macro(name) => format!("the macro {name}! is not understood"),
            OpaqueReason::Syntax(name) => format!("{name} is not understood"),
            OpaqueReason::Budget => "nested too deeply".to_owned(),
        };
        self.opaque.insert(span, text);
    }

    /// Records a call that could not be resolved.
    pub fn unresolved(&mut self, span: Span, name: &str) {
        self.unresolved.entry(span).or_insert_with(|| name.into());
    }

    /// The reads of the header, or of its text, whose value reached no sink. Values that are only named like the hint are no reads.
    pub fn unreached(&self) -> Vec<Unreached> {
        let mut reached: FxHashSet<SourceIndex> = FxHashSet::default();
        // That a function that gives nothing came to its end is no use of the hint.
        let is_end =
            |outcome: &&Outcome| outcome.kind == SinkKind::Returned && matches!(outcome.value.kind, Kind::Unit);
        for outcome in self.outcomes.iter().filter(|outcome| !is_end(outcome)) {
            reached.extend(outcome.value.trail.sources(true));
            reached.extend(outcome.context.sources(true));
        }
        let slots = self.slots.values().flat_map(BTreeMap::values).flatten();
        slots.for_each(|value| reached.extend(value.trail.sources(true)));
        let indexed = (0..)
            .zip(&self.sources)
            .filter(|(index, source)| !matches!(source.kind, SourceKind::Named(_)) && !reached.contains(index));
        indexed
            .map(|(index, source)| Unreached {
                span: source.span,
                lost_at: self.escaped.iter().find(|((of, _), _)| *of == index).map(|(_, span)| *span),
                parsed: self.attempts.iter().any(|attempt| attempt.source == index),
            })
            .collect()
    }

    /// Records that the budget ran out.
    pub fn over_budget(&mut self, span: Span) {
        self.exhausted.insert(span);
    }
}
