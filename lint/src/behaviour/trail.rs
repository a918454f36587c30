//! Trails: why a value is what it is.
//!
//! Every value that has to do with a hint carries a trail, a graph that is shared and never changed: `data` edges lead to the values it
//! was computed from, `because` edges to the values that decided it. A decision copies nothing and loses nothing: the reason for a
//! zero at the end of five functions is still the parse that failed in the first.

use crate::ir::{FunctionId, Name, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The number of a source of hints in [`super::Facts`].
pub type SourceIndex = u32;

/// What happened at one place of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The hint was read from a header, or from a place that is named like it.
    Read(SourceIndex),
    /// The hint had been parsed before it came in.
    Taken,
    /// The header was not there.
    Absent,
    /// The field value is not text.
    NotText,
    /// Text became a number.
    ParsedNumber,
    /// Text became a date.
    ParsedDate,
    /// A number became a time: so many of a unit of so many nanoseconds.
    Timed {
        /// The number.
        number: u64,
        /// The unit, in nanoseconds.
        unit: u64,
    },
    /// Text was no number.
    NotNumber,
    /// Text was no date.
    NotDate,
    /// The shape of the text was tested: a prefix, its length, whether it is digits.
    Tested,
    /// The hint was compared with something.
    Compared,
    /// The hint was compared with zero, or with its own absence.
    ComparedWithZero,
    /// The date had already passed.
    Past,
    /// A `min` or `clamp` between the hint and something that is not one; true where the other side won.
    Bound(bool),
    /// A `max` between the hint and something that is not one; true where the other side won.
    Floor(bool),
    /// Something drawn at random was put to the hint; true where that may make it less.
    Jitter(bool),
    /// A part of the hint was taken: a half, a fifth.
    Part,
    /// A fraction of a second was cut off.
    Truncated,
    /// A branch or a fallback chose the value.
    Chosen,
    /// A branch chose that there is nothing: None, or an error.
    ChosenNothing,
    /// A hint stood in this place before, unused, and gave way.
    Overwritten,
    /// The value was stored in a field, a variable outside the function or a message.
    Stored,
    /// The value came back from that function.
    Returned(FunctionId),
    /// What a server sends became another unit, or text.
    Converted,
    /// What a server sends is a difference that may lie below zero.
    Signed,
    /// Two trails that meet.
    Both,
}

impl Event {
    /// Whether what comes of it is no hint any more, only decided by one.
    fn ends_the_hint(self) -> bool {
        matches!(
            self,
            Event::Absent
                | Event::NotText
                | Event::NotNumber
                | Event::NotDate
                | Event::Tested
                | Event::Compared
                | Event::ComparedWithZero
                | Event::Past
                | Event::Overwritten
        )
    }
}

/// One place of a trail.
#[derive(Debug)]
pub struct Node {
    /// What happened.
    pub event: Event,
    /// Where. For a choice: the value that was chosen.
    pub span: Span,
    /// For a choice: the place that decided.
    pub decided_at: Option<Span>,
    /// For a bound: the name of what it was held against, where it has one.
    pub against: Option<Name>,
    /// What it was computed from.
    pub data: Vec<Trail>,
    /// What decided it.
    pub because: Vec<Trail>,
    /// The sources that its inputs are made from.
    inputs: Rc<[SourceIndex]>,
    /// The sources that it is made from itself: those of its inputs, unless it is only an answer about them.
    from: Rc<[SourceIndex]>,
    /// The sources it was computed from or decided by.
    touched: Rc<[SourceIndex]>,
}

/// What makes two nodes the same node.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    event: Event,
    span: Span,
    decided_at: Option<Span>,
    against: Option<Name>,
    data: Vec<*const Node>,
    because: Vec<*const Node>,
}

thread_local! {
    /// The nodes of the case that is being run. The same thing that happens twice for the same reason is one node, so that values that
    /// are alike can be told to be so by a look at their trails' addresses. Every node here is alive, so no address is used twice.
    static NODES: RefCell<FxHashMap<Key, Trail>> = RefCell::default();
}

/// Begins a new case: nodes that nobody holds any more are given back.
pub fn forget_nodes() {
    NODES.with(|nodes| nodes.borrow_mut().clear());
}

/// A trail; empty for a value that has nothing to do with a hint.
#[derive(Clone, Debug, Default)]
pub struct Trail(pub Option<Rc<Node>>);

/// The most reasons that meet in one node; more than that say nothing more.
const REASONS: usize = 24;

impl Trail {
    /// The trail of a value that has nothing to do with a hint.
    pub const NONE: Trail = Trail(None);

    /// A new trail that starts or goes on with an event.
    pub fn new(event: Event, span: Span, data: &[&Trail], because: &[&Trail]) -> Trail {
        let keep =
            |trails: &[&Trail]| trails.iter().filter(|trail| trail.is_some()).map(|trail| (*trail).clone()).collect();
        Trail::node(event, span, None, None, keep(data), keep(because))
    }

    fn node(
        event: Event,
        span: Span,
        decided_at: Option<Span>,
        against: Option<Name>,
        data: Vec<Trail>,
        because: Vec<Trail>,
    ) -> Trail {
        let addresses = |trails: &[Trail]| trails.iter().filter_map(|trail| trail.0.as_ref().map(Rc::as_ptr)).collect();
        let key = Key {
            event,
            span,
            decided_at,
            against: against.clone(),
            data: addresses(&data),
            because: addresses(&because),
        };
        NODES.with(|nodes| {
            let mut nodes = nodes.borrow_mut();
            if let Some(known) = nodes.get(&key) {
                return known.clone();
            }
            let gather = |trails: &mut dyn Iterator<Item = &Rc<[SourceIndex]>>| {
                let mut sources: Vec<SourceIndex> = trails.flat_map(|sources| sources.iter().copied()).collect();
                if let Event::Read(source) = event {
                    sources.push(source);
                }
                sources.sort_unstable();
                sources.dedup();
                Rc::from(sources)
            };
            let inputs: Rc<[SourceIndex]> =
                gather(&mut data.iter().filter_map(|trail| trail.0.as_ref().map(|node| &node.from)));
            let from = if event.ends_the_hint() { Rc::from([]) } else { inputs.clone() };
            let touched =
                gather(&mut data.iter().chain(&because).filter_map(|trail| trail.0.as_ref().map(|node| &node.touched)));
            let trail =
                Trail(Some(Rc::new(Node { event, span, decided_at, against, data, because, inputs, from, touched })));
            nodes.insert(key, trail.clone());
            trail
        })
    }

    /// The trail of a value that was held against something.
    pub fn bound(event: Event, span: Span, hint: &Trail, against: Option<Name>) -> Trail {
        Trail::node(event, span, None, against, vec![hint.clone()], Vec::new())
    }

    /// Whether it has to do with a hint.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Whether both are the same trail, or both empty.
    pub fn same(&self, other: &Trail) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The trail of a value that was computed from two, or is decided by two.
    pub fn both(&self, other: &Trail) -> Trail {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return if self.is_some() { self.clone() } else { other.clone() };
        };
        if Rc::ptr_eq(a, b) {
            return self.clone();
        }
        let parts = |trail: &Trail| -> Vec<Trail> {
            match &trail.0 {
                Some(node) if node.event == Event::Both => node.data.clone(),
                _ => vec![trail.clone()],
            }
        };
        let mut all = parts(self);
        let known = all.len();
        for part in parts(other) {
            if all.len() < REASONS && !all.iter().any(|known| known.same(&part)) {
                all.push(part);
            }
        }
        if all.len() == known { self.clone() } else { Trail::node(Event::Both, a.span, None, None, all, Vec::new()) }
    }

    /// The reasons that two ways have in common.
    pub fn common(&self, other: &Trail) -> Trail {
        let (Some(a), Some(b)) = (&self.0, &other.0) else { return Trail::NONE };
        if Rc::ptr_eq(a, b) {
            return self.clone();
        }
        let parts = |node: &Rc<Node>, trail: &Trail| {
            if node.event == Event::Both { node.data.clone() } else { vec![trail.clone()] }
        };
        let theirs = parts(b, other);
        parts(a, self)
            .into_iter()
            .filter(|part| theirs.iter().any(|other| other.same(part)))
            .fold(Trail::NONE, |common, part| common.both(&part))
    }

    /// The trail of a value that was chosen by a decision: a hint stays a hint, whatever else remembers why it was taken.
    pub fn chosen(&self, at: Span, decided_at: Span, nothing: bool, because: &Trail) -> Trail {
        if !because.is_some() || self.same(because) || self.was_chosen_by(because) {
            return self.clone();
        }
        Trail::node(
            if nothing { Event::ChosenNothing } else { Event::Chosen },
            at,
            Some(decided_at),
            None,
            if self.is_some() { vec![self.clone()] } else { Vec::new() },
            vec![because.clone()],
        )
    }

    /// Whether the decision, with all its parts, is already what chose the value.
    fn was_chosen_by(&self, because: &Trail) -> bool {
        let mut node = self.0.as_deref();
        while let Some(current) = node.filter(|node| matches!(node.event, Event::Chosen | Event::ChosenNothing)) {
            if current.because.iter().any(|known| known.same(because)) {
                return true;
            }
            node = current.data.first().and_then(|trail| trail.0.as_deref());
        }
        false
    }

    /// The nodes from the end to the sources, nearest first, each once. `because` edges are followed where `control` is true.
    pub fn nodes(&self, control: bool) -> Nodes<'_> {
        Nodes { queue: self.0.as_deref().into_iter().collect(), seen: FxHashSet::default(), control }
    }

    /// The first node, nearest to the end, for which the question is answered with yes.
    pub fn find(&self, control: bool, mut wanted: impl FnMut(&Node) -> bool) -> Option<&Node> {
        self.nodes(control).find(|node| wanted(node))
    }

    /// Whether the value itself comes from a hint, and was not merely decided by one.
    pub fn carries_hint(&self) -> bool {
        self.0.as_ref().is_some_and(|node| !node.from.is_empty())
    }

    /// The sources the value comes from or, with `control`, was decided by.
    pub fn sources(&self, control: bool) -> &[SourceIndex] {
        match &self.0 {
            Some(node) if control => &node.touched,
            Some(node) => &node.from,
            None => &[],
        }
    }
}

impl Node {
    /// The sources that its inputs are made from.
    pub fn sources(&self) -> &[SourceIndex] {
        &self.inputs
    }

    /// Whether it is made from a hint.
    pub fn is_hint(&self) -> bool {
        !self.from.is_empty()
    }
}

/// The nodes of a trail, breadth first.
pub struct Nodes<'t> {
    queue: VecDeque<&'t Node>,
    seen: FxHashSet<*const Node>,
    control: bool,
}

impl<'t> Iterator for Nodes<'t> {
    type Item = &'t Node;

    fn next(&mut self) -> Option<&'t Node> {
        loop {
            let node = self.queue.pop_front()?;
            if self.seen.insert(std::ptr::from_ref(node)) {
                let because = if self.control { node.because.as_slice() } else { &[] };
                self.queue.extend(node.data.iter().chain(because).filter_map(|trail| trail.0.as_deref()));
                return Some(node);
            }
        }
    }
}

impl Drop for Node {
    /// Long trails are taken apart in a loop, so that dropping them does not recurse.
    fn drop(&mut self) {
        let mut stack: Vec<Trail> = std::mem::take(&mut self.data);
        stack.append(&mut self.because);
        while let Some(trail) = stack.pop() {
            if let Some(Ok(mut node)) = trail.0.map(Rc::try_unwrap) {
                stack.append(&mut node.data);
                stack.append(&mut node.because);
            }
        }
    }
}
