//! State: what the code that runs next can see, and how two ways that meet become one.

use super::trail::Trail;
use super::value::{Kind, Origin, Value};
use crate::ir::{Name, Span};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// A list that several ways share until one of them changes it: most branches change little, and each way has a state of its own.
#[derive(Clone, Debug)]
pub struct List<T>(Rc<Vec<T>>);

impl<T> List<T> {
    /// Whether both are one list that nobody has changed.
    fn is(&self, other: &List<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(list: Vec<T>) -> Self {
        List(Rc::new(list))
    }
}

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Clone> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        Rc::make_mut(&mut self.0)
    }
}

/// All that a way through the code has changed.
#[derive(Clone, Debug)]
pub struct World {
    /// The running function's variables.
    pub locals: List<Option<Value>>,
    /// What outlives the running function.
    pub shared: Shared,
    /// What decided that this way is taken.
    pub context: Trail,
}

/// What outlives a function.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Fields of unknown values that were stored to.
    pub fields: List<(Rc<Origin>, Name, Value)>,
    /// Unknown things that turned out to be the header, by a comparison of their name; the place that named it.
    pub headers: List<(Rc<Origin>, Span)>,
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
        World { locals: vec![None; locals].into(), shared: Shared::new(at), context: Trail::NONE }
    }

    /// The state where several ways meet.
    pub fn join(worlds: Vec<World>, at: Span) -> Option<World> {
        let mut worlds = worlds.into_iter();
        let first = worlds.next()?;
        Some(worlds.fold(first, |a, b| World::join_two(a, b, at)))
    }

    fn join_two(mut a: World, b: World, at: Span) -> World {
        if !a.locals.is(&b.locals) {
            for (index, other) in b.locals.iter().enumerate().take(a.locals.len()) {
                a.locals[index] = match (&a.locals[index], other) {
                    (Some(x), Some(y)) if !x.same(y) => Some(Value::one_of(vec![x.clone(), y.clone()], at)),
                    (None, Some(y)) => Some(y.clone()),
                    _ => continue,
                };
            }
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
            fields: Vec::new().into(),
            headers: Vec::new().into(),
            slept: Value::plain(Kind::Duration(0), at),
            sent: None,
            header_set: false,
            unknown_wait: false,
        }
    }

    /// The state where two ways meet.
    pub fn join(mut a: Shared, b: Shared, at: Span) -> Shared {
        if !a.fields.is(&b.fields) {
            for index in 0..a.fields.len() {
                let (origin, name, value) = &a.fields[index];
                let other = b.fields.iter().find(|(o, n, _)| o == origin && n == name);
                let other = other.map_or_else(|| Value::unknown(at), |(_, _, value)| value.clone());
                if !value.same(&other) {
                    a.fields[index].2 = Value::one_of(vec![value.clone(), other], at);
                }
            }
            for (origin, name, value) in b.fields.iter() {
                if !a.fields.iter().any(|(o, n, _)| o == origin && n == name) {
                    let value = Value::one_of(vec![value.clone(), Value::unknown(at)], at);
                    a.fields.push((origin.clone(), name.clone(), value));
                }
            }
        }
        if !a.headers.is(&b.headers) {
            for header in b.headers.iter() {
                if !a.headers.contains(header) {
                    a.headers.push(header.clone());
                }
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
