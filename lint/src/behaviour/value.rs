//! Values: what an expression is in one header case.
//!
//! Values are concrete wherever they can be, so that units, casts and comparisons compute themselves, and are loosely typed: code that
//! cannot be typed without the compiler is still run. A value that differs by the way that led to it is [`Kind::OneOf`].

use super::case::SECOND;
use super::state::List;
use super::trail::Trail;
use crate::ir::{ConstantId, ExprId, FunctionId, Name, ScopeId, Span, Type, TypeId};
use crate::module::Resolved;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// A value, why it is what it is, and where it was written down.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Why.
    pub trail: Trail,
    /// The expression that made it, where it was not computed from a hint.
    pub at: Option<Span>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Not known in this analysis; where it comes from serves as its identity.
    Unknown(Rc<Origin>),
    /// `()`.
    Unit,
    /// A truth value.
    Bool(bool),
    /// A truth value that is not known.
    Maybe,
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
    /// A character.
    Character(char),
    /// Text, or a header's field value that is text.
    Text(Rc<str>),
    /// Bytes that are not text.
    NotText,
    /// A span of time in nanoseconds, of whichever library.
    Duration(i128),
    /// A monotonic instant, in nanoseconds from the receipt.
    Instant(i128),
    /// A wall-clock time, in nanoseconds from the Unix epoch.
    Date(i128),
    /// A hint whose type was not seen: a duration in nanoseconds, a number of seconds, or either in an Option.
    Hint(i128),
    /// A struct, or a variant of an enum; `Some`, `None`, `Ok` and `Err` too.
    Variant(Rc<Variant>),
    /// A tuple.
    Tuple(Rc<[Value]>),
    /// An array, a vector, an iterator.
    List(Rc<[Value]>),
    /// A closure.
    Closure(Rc<Closure>),
    /// A function, tuple struct or variant as a value.
    Function(Rc<FunctionValue>),
    /// A future that ends after the wait.
    Sleep(Rc<Value>),
    /// One of several, by the way that led here; never empty, never nested.
    OneOf(Rc<[Value]>),
}

/// A struct's or variant's value.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The struct's or the variant's name.
    pub name: Name,
    /// The local type.
    pub ty: Option<TypeId>,
    /// Its fields; tuple fields are `0`, `1`.
    pub fields: Vec<(Name, Value)>,
}

/// Code that has an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// A function.
    Function(FunctionId),
    /// A constant's value.
    Constant(ConstantId),
}

/// A closure with the variables it saw when it was made.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The code whose arena it lives in.
    pub code: Code,
    /// The closure's expression.
    pub expr: ExprId,
    /// The variables.
    pub locals: List<Option<Value>>,
    /// The frame it was made in; while that frame is the running one, its variables are used.
    pub frame: u64,
}

/// A function that is a value.
#[derive(Clone, Debug)]
pub struct FunctionValue {
    /// What its path means.
    pub resolved: Resolved,
    /// The last segments of its path as written: `Duration::from_secs`.
    pub written: Name,
    /// The turbofish.
    pub generics: Vec<Type>,
    /// The type `Self` stands for where it was written.
    pub self_type: Option<Type>,
    /// Where it was written.
    pub scope: ScopeId,
}

/// Where an unknown value comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The last step.
    pub step: OriginStep,
    /// What it was taken from.
    pub base: Option<Rc<Origin>>,
    /// Its type, where one was written.
    pub ty: Option<TypeAt>,
    /// A number made from the whole way, which is what two origins are compared by.
    identity: u64,
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for Origin {}

/// A type and where it was written, so that it can be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeAt {
    /// The type.
    pub ty: Type,
    /// The scope it was written in.
    pub scope: ScopeId,
    /// What `Self` is there.
    pub self_type: Option<Type>,
}

impl std::hash::Hash for TypeAt {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.scope.hash(state);
    }
}

/// The last step on the way of an unknown value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OriginStep {
    /// A parameter or variable.
    Named(Name),
    /// A field, or a variant's field.
    Field(Name),
    /// What an Option, Result, reference, lock, future or collection holds.
    Inner,
    /// What a method gave.
    Method(Name, Span),
    /// What a function gave.
    Call(Name, Span),
    /// Something else.
    Place(Span),
}

/// Names that most values have, made once.
struct Names {
    some: Name,
    none: Name,
    ok: Name,
    err: Name,
    first: Name,
}

thread_local! {
    static NAMES: Names =
        Names { some: "Some".into(), none: "None".into(), ok: "Ok".into(), err: "Err".into(), first: "0".into() };
}

impl Value {
    /// A value that has nothing to do with a hint.
    pub fn plain(kind: Kind, at: Span) -> Value {
        Value { kind, trail: Trail::NONE, at: Some(at) }
    }

    /// A value with a trail.
    pub fn with(kind: Kind, trail: Trail) -> Value {
        Value { kind, trail, at: None }
    }

    /// Unit.
    pub fn unit() -> Value {
        Value { kind: Kind::Unit, trail: Trail::NONE, at: None }
    }

    /// An unknown value made at a place.
    pub fn unknown(at: Span) -> Value {
        Value::plain(Kind::Unknown(Rc::new(Origin::new(OriginStep::Place(at), None, None))), at)
    }

    /// An unknown value with a known way.
    pub fn from_origin(origin: Origin, at: Span) -> Value {
        Value::plain(Kind::Unknown(Rc::new(origin)), at)
    }

    /// The same kind under another trail.
    pub fn on(mut self, trail: Trail) -> Value {
        self.trail = trail;
        self
    }

    /// Another kind under the same trail.
    pub fn map(&self, kind: Kind) -> Value {
        Value { kind, trail: self.trail.clone(), at: self.at }
    }

    /// The value with a decision on its trail. Alternatives each get it.
    pub fn chosen(self, decided_at: Span, because: &Trail) -> Value {
        if !because.is_some() {
            return self;
        }
        if let Kind::OneOf(values) = &self.kind {
            return Value {
                kind: Kind::OneOf(values.iter().map(|value| value.clone().chosen(decided_at, because)).collect()),
                ..self
            };
        }
        let at = self.at.unwrap_or(decided_at);
        let nothing = matches!(self.variant_name(), Some("None" | "Err"));
        let trail = self.trail.chosen(at, decided_at, nothing, because);
        Value { trail, ..self }
    }

    /// `Some(value)`.
    pub fn some(value: Value) -> Value {
        Value::holding(|names| &names.some, value)
    }

    /// `Ok(value)`.
    pub fn ok(value: Value) -> Value {
        Value::holding(|names| &names.ok, value)
    }

    /// `Err(value)`.
    pub fn err(value: Value) -> Value {
        Value::holding(|names| &names.err, value)
    }

    /// A variant around a value.
    fn holding(name: fn(&Names) -> &Name, value: Value) -> Value {
        let (trail, at) = (value.trail.clone(), value.at);
        let (name, place) = NAMES.with(|names| (name(names).clone(), names.first.clone()));
        Value { kind: Kind::Variant(Rc::new(Variant { name, ty: None, fields: vec![(place, value)] })), trail, at }
    }

    /// `None`.
    pub fn none(trail: Trail, at: Span) -> Value {
        let name = NAMES.with(|names| names.none.clone());
        Value { kind: Kind::Variant(Rc::new(Variant { name, ty: None, fields: Vec::new() })), trail, at: Some(at) }
    }

    /// The name of a variant or struct.
    pub fn variant_name(&self) -> Option<&str> {
        if let Kind::Variant(variant) = &self.kind { Some(&variant.name) } else { None }
    }

    /// The only payload of `Some`, `Ok`, `Err` or another tuple variant.
    pub fn payload(&self) -> Option<&Value> {
        if let Kind::Variant(variant) = &self.kind { variant.fields.first().map(|(_, value)| value) } else { None }
    }

    /// Whether it is not known.
    pub fn is_unknown(&self) -> bool {
        matches!(self.kind, Kind::Unknown(_))
    }

    /// Its alternatives; itself where there is only one.
    pub fn alternatives(&self) -> &[Value] {
        if let Kind::OneOf(values) = &self.kind { values } else { std::slice::from_ref(self) }
    }

    /// Whether it, or anything in it, has to do with a hint.
    pub fn is_tainted(&self) -> bool {
        self.trail.is_some()
            || match &self.kind {
                Kind::Variant(variant) => variant.fields.iter().any(|(_, value)| value.is_tainted()),
                Kind::Tuple(values) | Kind::List(values) | Kind::OneOf(values) => values.iter().any(Value::is_tainted),
                Kind::Sleep(value) => value.is_tainted(),
                Kind::Closure(closure) => closure.locals.iter().flatten().any(|value| value.trail.is_some()),
                _ => false,
            }
    }

    /// Whether it, or anything in it, is made from a hint.
    pub fn carries_hint(&self) -> bool {
        match &self.kind {
            Kind::Variant(variant) => variant.fields.iter().any(|(_, value)| value.carries_hint()),
            Kind::Tuple(values) | Kind::List(values) | Kind::OneOf(values) => values.iter().any(Value::carries_hint),
            Kind::Sleep(value) => value.carries_hint(),
            _ => self.trail.carries_hint(),
        }
    }

    /// One value of several: flattened, the same ones once. More than `MOST` become unknown.
    pub fn one_of(values: Vec<Value>, at: Span) -> Value {
        const MOST: usize = 12;
        let mut flat: Vec<Value> = Vec::with_capacity(values.len());
        let enter = |flat: &mut Vec<Value>, value: Cow<'_, Value>| {
            if !flat.iter().any(|known| known.same(&value)) {
                flat.push(value.into_owned());
            }
        };
        for value in values {
            match &value.kind {
                Kind::OneOf(inner) => inner.iter().for_each(|value| enter(&mut flat, Cow::Borrowed(value))),
                _ => enter(&mut flat, Cow::Owned(value)),
            }
        }
        match flat.len() {
            0 => Value::unknown(at),
            1 => flat.remove(0),
            n if n > MOST => {
                // What has to do with the hint stays; the rest is one unknown.
                let mut kept: Vec<Value> = flat.into_iter().filter(Value::is_tainted).take(MOST - 1).collect();
                kept.push(Value::unknown(at));
                Value { trail: Trail::NONE, at: None, kind: Kind::OneOf(kept.into()) }
            }
            _ => Value { trail: Trail::NONE, at: None, kind: Kind::OneOf(flat.into()) },
        }
    }

    /// Whether both are the same value for the same reason.
    pub fn same(&self, other: &Value) -> bool {
        self.trail.same(&other.trail)
            && match (&self.kind, &other.kind) {
                (Kind::Unknown(a), Kind::Unknown(b)) => Rc::ptr_eq(a, b) || a == b,
                (Kind::Unit, Kind::Unit) | (Kind::NotText, Kind::NotText) | (Kind::Maybe, Kind::Maybe) => true,
                (Kind::Bool(a), Kind::Bool(b)) => a == b,
                (Kind::Integer(a), Kind::Integer(b)) => a == b,
                (Kind::Float(a), Kind::Float(b)) => a.to_bits() == b.to_bits(),
                (Kind::Character(a), Kind::Character(b)) => a == b,
                (Kind::Text(a), Kind::Text(b)) => a == b,
                (Kind::Duration(a), Kind::Duration(b))
                | (Kind::Instant(a), Kind::Instant(b))
                | (Kind::Date(a), Kind::Date(b))
                | (Kind::Hint(a), Kind::Hint(b)) => a == b,
                (Kind::Variant(a), Kind::Variant(b)) => {
                    Rc::ptr_eq(a, b)
                        || (a.name == b.name
                            && a.ty == b.ty
                            && a.fields.len() == b.fields.len()
                            && a.fields.iter().zip(&b.fields).all(|((_, x), (_, y))| x.same(y)))
                }
                (Kind::Tuple(a), Kind::Tuple(b))
                | (Kind::List(a), Kind::List(b))
                | (Kind::OneOf(a), Kind::OneOf(b)) => {
                    Rc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.same(y)))
                }
                (Kind::Closure(a), Kind::Closure(b)) => {
                    Rc::ptr_eq(a, b) || (a.code == b.code && a.expr == b.expr && a.frame == b.frame)
                }
                (Kind::Function(a), Kind::Function(b)) => {
                    Rc::ptr_eq(a, b) || (a.written == b.written && a.resolved == b.resolved)
                }
                (Kind::Sleep(a), Kind::Sleep(b)) => a.same(b),
                _ => false,
            }
    }

    /// As a span of time in nanoseconds, numbers taken as seconds; None for what is no time.
    pub fn nanoseconds(&self) -> Option<i128> {
        match self.kind {
            Kind::Duration(nanoseconds) | Kind::Hint(nanoseconds) | Kind::Instant(nanoseconds) => Some(nanoseconds),
            Kind::Date(nanoseconds) => Some(nanoseconds - i128::from(super::case::NOW) * SECOND),
            Kind::Integer(seconds) => Some(seconds.saturating_mul(SECOND)),
            Kind::Float(seconds) => Some((seconds * 1e9) as i128),
            _ => None,
        }
    }
}

impl Origin {
    /// What a step leads to from a base, with the type that was written for it.
    pub fn new(step: OriginStep, base: Option<Rc<Origin>>, ty: Option<TypeAt>) -> Origin {
        let mut hasher = DefaultHasher::new();
        step.hash(&mut hasher);
        base.as_ref().map(|base| base.identity).hash(&mut hasher);
        let identity = hasher.finish();
        Origin { step, base, ty, identity }
    }

    /// The last name on the way: of a parameter, field, method or function.
    pub fn name(&self) -> Option<&Name> {
        match &self.step {
            OriginStep::Named(name)
            | OriginStep::Field(name)
            | OriginStep::Method(name, _)
            | OriginStep::Call(name, _) => Some(name),
            OriginStep::Inner => self.base.as_ref().and_then(|base| base.name()),
            OriginStep::Place(_) => None,
        }
    }

    /// The place it began at and everything after it, nearest first.
    pub fn way(&self) -> impl Iterator<Item = &Origin> {
        std::iter::successors(Some(self), |origin| origin.base.as_deref())
    }
}
