//! State: what the code that runs next can see, and how two ways that meet become one.

use super::trail::Trail;
use super::value::{Kind, Origin, Value};
use crate::ir::{Name, Span};
use std::rc::Rc;

/// All that a way through the code has changed.
#[derive(Clone, Debug)]
pub struct World {
    /// The running function's variables.
    pub locals: Vec<Option<Value>>,
    /// What outlives the running function.
    pub shared: Shared,
    /// What decided that this way is taken.
    pub context: Trail,
}

/// What outlives a function.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Fields of unknown values that were stored to.
    pub fields: Vec<(Rc<Origin>, Name, Value)>,
    /// Unknown things that turned out to be the header, by a comparison of their name; the place that named it.
    pub headers: Vec<(Rc<Origin>, Span)>,
    /// The waits since the round of the loop began, as one value.
    pub slept: Value,
    /// The last place that sent a request since the round of the loop began.
    pub sent: Option<Span>,
    /// Whether this very code has set the header: what it reads back then is its own.
    pub header_set: bool,
    /// Whether something that may wait, and is not understood, was awaited.
    pub unknown_wait: bool,
}

impl World {
    /// The state at a function's start.
    pub fn new(locals: usize, at: Span) -> World {
        World { locals: vec![None; locals], shared: Shared::new(at), context: Trail::NONE }
    }

    /// The state where several ways meet.
    pub fn join(worlds: Vec<World>, at: Span) -> Option<World> {
        let mut worlds = worlds.into_iter();
        let first = worlds.next()?;
        Some(worlds.fold(first, |a, b| World::join_two(a, b, at)))
    }

    fn join_two(mut a: World, b: World, at: Span) -> World {
        for (mine, other) in a.locals.iter_mut().zip(b.locals) {
            *mine = match (mine.take(), other) {
                (Some(x), Some(y)) if x.same(&y) => Some(x),
                (Some(x), Some(y)) => Some(Value::one_of(vec![x, y], at)),
                (x, y) => x.or(y),
            };
        }
        a.shared = Shared::join(a.shared, b.shared, at);
        // Where ways meet, only what they have in common is still a reason; what they yielded and stored has its own.
        a.context = a.context.common(&b.context);
        a
    }
}

impl Shared {
    /// Nothing has happened yet.
    pub fn new(at: Span) -> Shared {
        Shared {
            fields: Vec::new(),
            headers: Vec::new(),
            slept: Value::plain(Kind::Duration(0), at),
            sent: None,
            header_set: false,
            unknown_wait: false,
        }
    }

    /// The state where two ways meet.
    pub fn join(mut a: Shared, b: Shared, at: Span) -> Shared {
        for (origin, name, value) in &mut a.fields {
            let other = b.fields.iter().find(|(o, n, _)| o == origin && n == name);
            let other = other.map_or_else(|| Value::unknown(at), |(_, _, value)| value.clone());
            if !value.same(&other) {
                *value = Value::one_of(vec![value.clone(), other], at);
            }
        }
        for (origin, name, value) in b.fields {
            if !a.fields.iter().any(|(o, n, _)| *o == origin && *n == name) {
                a.fields.push((origin, name, Value::one_of(vec![value, Value::unknown(at)], at)));
            }
        }
        for header in b.headers {
            if !a.headers.contains(&header) {
                a.headers.push(header);
            }
        }
        if !a.slept.same(&b.slept) {
            a.slept = Value::one_of(vec![a.slept, b.slept], at);
        }
        a.sent = a.sent.or(b.sent);
        a.header_set |= b.header_set;
        a.unknown_wait |= b.unknown_wait;
        a
    }
}
