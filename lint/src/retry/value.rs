//! What the walk computes with: values that a status decides, the ways through the code, and what is known of the workspace.

use crate::ir::{self, Body, ExprId, FunctionId, LocalId, Name, Parameter, ScopeId, Span, Type};
use crate::module::{Program, Resolved};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a value is, as far as it matters to a retry.
#[derive(Clone)]
pub(super) enum Kind<'p> {
    /// Nothing is known.
    Unknown,
    /// A known answer.
    Bool(bool),
    /// An open answer that can come out as `on` only because of the status.
    Open {
        /// The answer that needs the status.
        on: bool,
    },
    /// A number: the status itself, and what it is compared with.
    Number(i128),
    /// A text.
    Text(Name),
    /// An HTTP response whose headers can be seen.
    Response,
    /// A response's headers.
    Headers,
    /// What reading a body gives: the body, or an error of the transport.
    Content,
    /// An error. With `of_status` it stands for the answer of a server, and the headers are gone.
    Failure,
    /// `Ok(value)`.
    Ok(Rc<Value<'p>>),
    /// `Err(value)`.
    Err(Rc<Value<'p>>),
    /// `None`.
    Nothing,
    /// A variant or struct by its name, with its fields.
    Variant(Name, Rc<Vec<(Name, Value<'p>)>>),
    /// A tuple or list.
    List(Rc<Vec<Value<'p>>>),
    /// A range of numbers, both ends included.
    Range(i128, i128),
    /// A closure.
    Closure(Rc<Closure<'p>>),
    /// A function of the workspace.
    Function(FunctionId),
    /// An operation that a library will run again while it fails: what it gives, and where that was asked for.
    Repeated(Rc<Vec<(Path<'p>, Value<'p>)>>),
}

/// A value, where it was made, and what it has to do with the status and the hint.
#[derive(Clone)]
pub(super) struct Value<'p> {
    pub(super) kind: Kind<'p>,
    pub(super) span: Span,
    /// Whether the status decided what it is.
    pub(super) of_status: bool,
    /// Whether it was made from the hint.
    pub(super) hint: bool,
}

impl<'p> Value<'p> {
    pub(super) fn new(kind: Kind<'p>, span: Span) -> Self {
        Value { kind, span, of_status: false, hint: false }
    }

    pub(super) fn unknown(span: Span) -> Self {
        Value::new(Kind::Unknown, span)
    }

    /// The status of the case.
    pub(super) fn status(status: u16, span: Span) -> Self {
        Value { of_status: true, ..Value::new(Kind::Number(i128::from(status)), span) }
    }

    pub(super) fn hint(span: Span) -> Self {
        Value { hint: true, ..Value::unknown(span) }
    }

    /// Whether a caller that gets it can still come to the response's headers or to the hint.
    pub(super) fn carries(&self) -> bool {
        self.hint
            || match &self.kind {
                Kind::Response | Kind::Headers => true,
                Kind::Ok(inner) | Kind::Err(inner) => inner.carries(),
                Kind::Variant(_, fields) => fields.iter().any(|(_, field)| field.carries()),
                Kind::List(parts) => parts.iter().any(Value::carries),
                _ => false,
            }
    }

    /// Whether two values are the same as far as later branches can tell.
    pub(super) fn same(&self, other: &Value<'p>) -> bool {
        self.of_status == other.of_status
            && self.hint == other.hint
            && match (&self.kind, &other.kind) {
                (Kind::Bool(one), Kind::Bool(other)) => one == other,
                (Kind::Open { on: one }, Kind::Open { on: other }) => one == other,
                (Kind::Number(one), Kind::Number(other)) => one == other,
                (Kind::Ok(one), Kind::Ok(other)) | (Kind::Err(one), Kind::Err(other)) => one.same(other),
                (Kind::Variant(one, fields), Kind::Variant(other, others)) => {
                    one == other
                        && fields.len() == others.len()
                        && fields.iter().zip(others.iter()).all(|((_, one), (_, other))| one.same(other))
                }
                (Kind::List(one), Kind::List(other)) => {
                    Rc::ptr_eq(one, other)
                        || one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| one.same(other))
                }
                (Kind::Closure(one), Kind::Closure(other)) => Rc::ptr_eq(one, other),
                (Kind::Repeated(one), Kind::Repeated(other)) => Rc::ptr_eq(one, other),
                (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
            }
    }
}

/// A closure, with what it captured.
pub(super) struct Closure<'p> {
    pub(super) home: Home<'p>,
    pub(super) parameters: &'p [Parameter],
    pub(super) body: ExprId,
    pub(super) variables: Rc<Vec<Option<Value<'p>>>>,
}

/// The code that expressions stand in.
#[derive(Clone, Copy)]
pub(super) struct Home<'p> {
    pub(super) function: FunctionId,
    pub(super) body: &'p Body,
    pub(super) scope: ScopeId,
    pub(super) self_type: Option<&'p Type>,
}

/// Where the headers of a response were given up: an error was made that carries no wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Drop {
    /// The place.
    pub span: Span,
    /// The function it stands in.
    pub function: FunctionId,
    /// How.
    pub kind: DropKind,
    /// Whether the hint had been read there, and was left behind.
    pub had_hint: bool,
    /// Whether the error is named for a limit: `RateLimited`, `TooManyRequests`.
    pub is_limit: bool,
}

/// How headers are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropKind {
    /// `error_for_status`, which keeps the status only.
    ErrorForStatus,
    /// An error was built from what is left.
    Built,
    /// A field for the wait was filled with `None`.
    ExplicitNone,
}

/// One way through the code so far.
#[derive(Clone)]
pub(super) struct Path<'p> {
    pub(super) variables: Rc<Vec<Option<Value<'p>>>>,
    /// Where the hint was used first.
    pub(super) read: Option<(Span, FunctionId)>,
    /// Where the hint came from first.
    pub(super) born: Option<(Span, FunctionId)>,
    /// Whether the response went where it could not be followed.
    pub(super) doubt: bool,
    /// Whether a step was taken by a name.
    pub(super) guessed: bool,
    /// Where the status of a response was looked at, in this round of the loop.
    pub(super) in_hand: Option<Span>,
    /// The last branches that the status decided, each with the function it stands in.
    pub(super) tests: Rc<Vec<(FunctionId, Span)>>,
    /// The last wait.
    pub(super) wait: Option<Span>,
    /// Where the headers were given up.
    pub(super) dropped: Option<Drop>,
}

impl<'p> Path<'p> {
    pub(super) fn new() -> Self {
        Path {
            variables: Rc::default(),
            read: None,
            born: None,
            doubt: false,
            guessed: false,
            in_hand: None,
            tests: Rc::default(),
            wait: None,
            dropped: None,
        }
    }

    pub(super) fn get(&self, local: LocalId) -> Option<&Value<'p>> {
        self.variables.get(local.0 as usize)?.as_ref()
    }

    pub(super) fn set(&mut self, local: LocalId, value: Value<'p>) {
        let variables = Rc::make_mut(&mut self.variables);
        let place = local.0 as usize;
        if variables.len() <= place {
            variables.resize(place + 1, None);
        }
        variables[place] = Some(value);
    }

    /// Whether the status decided any branch of this way.
    pub(super) fn tested(&self) -> Option<Span> {
        self.tests.last().map(|(_, span)| *span)
    }

    pub(super) fn test(&mut self, function: FunctionId, span: Span) {
        let tests = Rc::make_mut(&mut self.tests);
        tests.retain(|known| *known != (function, span));
        if tests.len() == TESTS {
            tests.remove(0);
        }
        tests.push((function, span));
    }

    /// What tells ways apart where they meet.
    fn key(&self) -> (bool, bool, bool, bool, bool, Option<Span>, Option<Drop>) {
        (
            self.read.is_some(),
            self.doubt,
            self.guessed,
            self.in_hand.is_some(),
            !self.tests.is_empty(),
            self.wait,
            self.dropped,
        )
    }
}

/// Ways through the code, each with the value that it gives.
pub(super) type Ways<'p> = Vec<(Path<'p>, Value<'p>)>;

/// The most tests that a way remembers.
const TESTS: usize = 8;
/// The most ways that are kept where they meet.
const WAYS: usize = 24;

/// Ways that differ in nothing that matters become one; with `places`, values that were made at different places matter.
pub(super) fn join(ways: Ways<'_>, places: bool) -> Ways<'_> {
    if ways.len() < 2 {
        return ways;
    }
    let mut joined: Ways<'_> = Vec::new();
    for (path, value) in ways {
        let key = path.key();
        let full = joined.len() >= WAYS;
        let known = joined
            .iter_mut()
            .find(|(known, of)| known.key() == key && (full || of.same(&value) && (!places || of.span == value.span)));
        match known {
            Some((known, of)) => {
                if !of.same(&value) {
                    *of = Value { hint: of.hint || value.hint, ..Value::unknown(of.span) };
                }
                meet(known, &path);
            }
            None if full => {}
            None => joined.push((path, value)),
        }
    }
    joined
}

/// Takes what another way knows of the variables into one that goes on for both.
fn meet<'p>(path: &mut Path<'p>, other: &Path<'p>) {
    if Rc::ptr_eq(&path.variables, &other.variables) {
        return;
    }
    let length = path.variables.len().max(other.variables.len());
    let mut changed: Vec<(usize, Option<Value<'p>>)> = Vec::new();
    for place in 0..length {
        let (one, two) = (path.variables.get(place).cloned().flatten(), other.variables.get(place).cloned().flatten());
        match (one, two) {
            (Some(one), Some(two)) if one.same(&two) => {}
            (None, None) | (Some(_), None) => {}
            (None, Some(two)) => changed.push((place, Some(two))),
            (Some(one), Some(two)) => {
                let value = Value { hint: one.hint || two.hint, ..Value::unknown(one.span) };
                changed.push((place, Some(value)));
            }
        }
    }
    if !changed.is_empty() {
        let variables = Rc::make_mut(&mut path.variables);
        variables.resize(length, None);
        for (place, value) in changed {
            variables[place] = value;
        }
    }
}

/// What the walk knows of the workspace.
pub(super) struct Surroundings<'p, 'w> {
    pub(super) program: &'p Program<'w>,
    /// Functions worth looking into.
    pub(super) relevant: FxHashSet<FunctionId>,
    /// Names of functions that come to a hint.
    pub(super) reading: FxHashSet<Name>,
    /// Names of constants that hold the header's name.
    pub(super) constants: FxHashSet<Name>,
    /// Whether the workspace declares the trait of strategies itself.
    pub(super) has_strategies: bool,
    /// What paths were found to mean: each is come by once for every status.
    pub(super) resolved: RefCell<FxHashMap<(*const ir::Path, ScopeId), Resolved>>,
}

impl<'p> Surroundings<'p, '_> {
    /// What the path means where it stands. It is remembered, unless it hangs on what `Self` is.
    pub(super) fn resolve(&self, home: Home<'p>, written: &'p ir::Path) -> Resolved {
        let find = || self.program.resolve(home.scope, home.self_type, written);
        if written.of.is_some() || written.segments.first().is_some_and(|first| &**first == "Self") {
            return find();
        }
        self.resolved.borrow_mut().entry((std::ptr::from_ref(written), home.scope)).or_insert_with(find).clone()
    }
}

/// Code that was looked for and not found: by paths, each with the scope it was written in, and by names of own methods.
#[derive(Default)]
pub(super) struct Missing {
    pub(super) paths: Vec<(ScopeId, crate::ir::Path)>,
    pub(super) methods: BTreeSet<Name>,
}
