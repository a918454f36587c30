//! The library: what functions and methods of std and of the usual crates do with the values of this analysis.
//!
//! Everything here is by name and by the kind of value that is met, so that it holds whichever crate's `Duration`, header map or date is
//! meant. A method that is not here, on a value that is not understood, is an unresolved call.

mod draw;
pub mod list;
pub mod number;
pub mod option;
pub mod text;
pub mod time;

use super::case::SECOND;
use super::evaluate::{Evaluator, step};
use super::trail::{Event, Trail};
use super::value::{FunctionValue, Kind, Origin, OriginStep, TypeAt, Value, Variant};
use crate::ir::{ExprId, Name, Op, Path, Span, Type};
use crate::names;
use std::rc::Rc;

/// Methods that give the same thing in another wrapping: a reference, a copy, a lock's guard, a builder.
const TRANSPARENT: &[&str] = &[
    "clone",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "to_owned",
    "borrow",
    "borrow_mut",
    "iter",
    "iter_mut",
    "into_iter",
    "by_ref",
    "cloned",
    "copied",
    "to_vec",
    "into_boxed",
    "boxed",
    "boxed_local",
    "fuse",
    "into_inner",
    "get_ref",
    "get_mut",
    "as_slice",
    "deref",
    "deref_mut",
    "to_utc",
    "with_timezone",
    "naive_utc",
    "and_utc",
    "assume_utc",
    "to_zoned",
    "timestamp_zoned",
    "into_future",
    "peekable",
    "into_std",
    "to_system_time",
    "into_string",
    "into_bytes",
    "as_pin_mut",
    "as_str_lossy",
    "instrument",
    "in_current_span",
    "shared",
    "upgrade",
    "unwrap_infallible",
    "into_owned",
    "as_header_value",
    "rev",
    "unsigned_abs",
    "abs",
    "get_ref_mut",
    "to_offset",
    "in_tz",
    "trunc",
    "fixed_offset",
];

impl Evaluator<'_, '_> {
    /// A constant of another crate.
    pub fn external_constant(&mut self, name: &str, path: &Path, span: Span, want: Option<&TypeAt>) -> Option<Value> {
        let last = path.last();
        let owner = path.segments.iter().rev().nth(1).map_or("", |segment| segment);
        let full = name;
        let kind = match (owner, last) {
            _ if last == "RETRY_AFTER" || full.ends_with("::RETRY_AFTER") => Kind::Text("retry-after".into()),
            ("HeaderName" | "KnownHeaderName" | "HeaderNames", "RetryAfter") => Kind::Text("retry-after".into()),
            (_, "None") => return Some(Value::none(Trail::NONE, span)),
            ("Duration" | "TimeDelta" | "SignedDuration", "ZERO") => Kind::Duration(0),
            ("Duration" | "TimeDelta" | "SignedDuration", "MAX") => Kind::Duration(i128::from(u64::MAX) * SECOND),
            ("Duration", "SECOND") => Kind::Duration(SECOND),
            ("Duration", "MINUTE") => Kind::Duration(60 * SECOND),
            ("Duration", "HOUR") => Kind::Duration(3_600 * SECOND),
            ("Duration", "MILLISECOND") => Kind::Duration(1_000_000),
            (_, "UNIX_EPOCH") => Kind::Date(0),
            ("u8", "MAX") => Kind::Integer(i128::from(u8::MAX)),
            ("u16", "MAX") => Kind::Integer(i128::from(u16::MAX)),
            ("u32", "MAX") => Kind::Integer(i128::from(u32::MAX)),
            ("i32", "MAX") => Kind::Integer(i128::from(i32::MAX)),
            ("i64" | "isize", "MAX") => Kind::Integer(i128::from(i64::MAX)),
            ("u64" | "usize", "MAX") => Kind::Integer(i128::from(u64::MAX)),
            ("u8" | "u16" | "u32" | "u64" | "usize", "MIN") => Kind::Integer(0),
            ("f64" | "f32", "MAX" | "INFINITY") => Kind::Float(f64::MAX),
            _ => {
                let is_constant =
                    last.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_') && !last.is_empty();
                let _ = want;
                if !is_constant {
                    return None;
                }
                let origin = Origin::new(OriginStep::Call(full.into(), Span { start: 0, end: 0, ..span }), None, None);
                return Some(Value::from_origin(origin, span));
            }
        };
        Some(Value::plain(kind, span))
    }

    /// A call of another crate's function. The outer None: the call does not come back.
    pub fn external_call(
        &mut self,
        name: &str,
        called: &FunctionValue,
        arguments: Vec<Value>,
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        let segments: Vec<&str> = name.split("::").collect();
        let last = segments.last().copied().unwrap_or("");
        let owner = segments.iter().rev().nth(1).copied().unwrap_or("");
        let first = arguments.first().cloned();
        // Wrappers and conversions that keep the value.
        match (owner, last, arguments.len()) {
            (_, "Some", 1) => return Some(Value::some(arguments.into_iter().next()?)),
            (_, "Ok", 1) => return Some(Value::ok(arguments.into_iter().next()?)),
            (_, "Err", 1) => return Some(Value::err(arguments.into_iter().next()?)),
            (
                "Box" | "Arc" | "Rc" | "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" | "Cow"
                | "Pin" | "Reverse" | "Wrapping" | "Saturating" | "NonZeroU64" | "AtomicU64",
                "new" | "pin" | "from" | "Owned" | "Borrowed" | "default",
                1,
            )
            | (
                _,
                "Reverse" | "black_box" | "identity" | "ready" | "Borrowed" | "Owned" | "spawn" | "block_on" | "boxed"
                | "from_ref" | "spawn_local",
                1,
            )
            | ("mem" | "", "take" | "replace", _)
            | ("future", "pin", 1)
            | ("HeaderName", "from_static" | "from_lowercase" | "from", 1)
            | ("iter", "once", 1)
            | ("String" | "str" | "PathBuf" | "Bytes" | "BytesMut", "from" | "new", 1) => {
                return Some(self.await_if_spawned(last, first?, span));
            }
            ("HeaderName", "from_bytes" | "from_str" | "try_from" | "from_lowercase_str", 1) => {
                return Some(Value::ok(first?));
            }
            ("process", "exit" | "abort", _) => return None,
            ("ControlFlow", "Continue" | "Break", 1) | ("Either", "Left" | "Right", 1) => {
                let fields = vec![("0".into(), first?)];
                return Some(Value::plain(
                    Kind::Variant(Rc::new(Variant { name: last.into(), ty: None, fields })),
                    span,
                ));
            }
            _ => {}
        }
        if self.is_emission()
            && let Some(result) = self.emission_call(owner, last, &arguments, span)
        {
            return Some(result);
        }
        if let Some(first) = &first {
            if let Some(result) = self.time_call(owner, last, name, first, &arguments, span) {
                return Some(result);
            }
            if let Some(result) = self.conversion_call(owner, last, first, &arguments, span, want) {
                return Some(result);
            }
        } else if let Some(result) = self.clock_call(owner, last, span) {
            return Some(result);
        }
        match (last, arguments.len()) {
            ("min", 2) => return Some(self.least(&arguments[0], &arguments[1], span)),
            ("max", 2) => return Some(self.greatest(&arguments[0], &arguments[1], span)),
            ("min_by" | "min_by_key", 3) => return Some(self.least(&arguments[0], &arguments[1], span)),
            ("max_by" | "max_by_key", 3) => return Some(self.greatest(&arguments[0], &arguments[1], span)),
            ("clamp", 3) => {
                let low = self.greatest(&arguments[0], &arguments[1], span);
                return Some(self.least(&low, &arguments[2], span));
            }
            ("default", 0) => return Some(self.default_of(owner, want, span)),
            ("from_fn" | "once_with" | "lazy", 1) | ("catch_unwind" | "AssertUnwindSafe", 1) => {}
            _ => {}
        }
        // A method given by its path: `Option::is_some`, `Duration::as_secs`, `str::parse`.
        if let Some(first) = first {
            let receiver = &first;
            let generics = called.generics.clone();
            let known_owner = owner.chars().next().is_some_and(char::is_uppercase)
                || matches!(
                    owner,
                    "str" | "u64" | "u32" | "i64" | "f64" | "f32" | "u128" | "u16" | "usize" | "i32" | ""
                );
            if known_owner
                && !receiver.is_unknown()
                && (!owner.is_empty() || segments.len() > 1)
                && let Some(result) = self.library_method(receiver, last, &arguments[1..], span, &generics, want)
            {
                return result;
            }
        }
        // A function of the workspace that is known by another crate's name here.
        let is_foreign = matches!(
            segments.first().copied(),
            Some(
                "std"
                    | "tokio"
                    | "async_std"
                    | "smol"
                    | "futures"
                    | "futures_timer"
                    | "gloo_timers"
                    | "async_io"
                    | "httpdate"
                    | "chrono"
                    | "jiff"
                    | "wasmtimer"
                    | "embassy_time"
            )
        );
        if !is_foreign
            && segments.len() > 1
            && arguments.iter().any(|argument| argument.is_tainted() || self.header_name(argument).is_some())
            && !names::is_common(last)
        {
            self.log.missing.insert(last.into());
            let known: Vec<crate::ir::FunctionId> = self
                .program
                .functions_named(last)
                .iter()
                .copied()
                .filter(|id| {
                    let function = self.program.function(*id);
                    function.owner == crate::ir::Owner::Free
                        && function.parameters.len() == arguments.len()
                        && !function.is_test
                })
                .collect();
            if let [only] = known.as_slice() {
                return self.call_function(*only, arguments, &called.generics, span, want);
            }
        }
        if (names::sleeps(last)
            || matches!(
                (owner, last),
                ("Timer", "after" | "at")
                    | ("Delay", "new")
                    | ("TimeoutFuture" | "Timeout", "new")
                    | ("time", "delay_for" | "interval" | "sleep" | "sleep_until" | "interval_at")
                    | ("Sleep", "new" | "until")
            ))
            && let Some(wait) =
                arguments.iter().rev().find(|argument| argument.is_tainted()).or(arguments.last()).cloned()
        {
            let wait = if matches!(owner, "TimeoutFuture") {
                self.each(&wait, |_, value| match value.kind {
                    Kind::Integer(number) => value.map(Kind::Duration(number.saturating_mul(1_000_000))),
                    _ => value.clone(),
                })
            } else {
                wait
            };
            if name.contains("thread")
                || !matches!(
                    segments.first().copied(),
                    Some(
                        "tokio"
                            | "async_std"
                            | "smol"
                            | "futures_timer"
                            | "gloo_timers"
                            | "async_io"
                            | "time"
                            | "wasmtimer"
                            | "embassy_time"
                            | "Timer"
                            | "Delay"
                    )
                )
            {
                let first = self.log.outcomes.len();
                self.sleep(&wait, span);
                if self.asynchronous > 0 && name.contains("thread") {
                    self.log.slept_since(first).for_each(|outcome| outcome.blocks = true);
                }
                return Some(Value::unit());
            }
            return Some(Value { kind: Kind::Sleep(Rc::new(wait)), trail: Trail::NONE, at: Some(span) });
        }
        if last == "timeout" || last == "timeout_at" {
            // The inner future runs, perhaps not to its end.
            if let Some(inner) = arguments.get(1) {
                let first = self.log.outcomes.len();
                let inner = self.await_value(inner.clone(), span);
                self.log.slept_since(first).for_each(|outcome| outcome.cut_by = Some(span));
                return Some(Value::ok(inner));
            }
        }
        let made = self.unresolved_call(last, None, &arguments, span);
        Some(self.constructed_elsewhere(made, called, &arguments))
    }

    /// What another crate's constructor gave has the type that it is called on, where nothing of ours went into it.
    fn constructed_elsewhere(&self, value: Value, called: &FunctionValue, arguments: &[Value]) -> Value {
        let Some((ty, function)) = called.written.split_once("::") else { return value };
        let constructs =
            matches!(function, "new" | "default") || function.starts_with("with_") || function.starts_with("from_");
        let ours = |argument: &Value| {
            matches!(&argument.kind, Kind::Closure(_) | Kind::Function(_))
                || argument.is_tainted()
                || self.holds_ours(argument)
        };
        match &value.kind {
            Kind::Unknown(origin)
                if constructs
                    && origin.ty.is_none()
                    && ty.starts_with(|first: char| first.is_ascii_uppercase())
                    && !arguments.iter().any(ours) =>
            {
                let ty = TypeAt {
                    ty: Type::Path { path: [ty.into()].into(), arguments: [].into() },
                    scope: called.scope,
                    self_type: called.self_type.clone(),
                };
                value.map(Kind::Unknown(Rc::new(Origin::new(origin.step.clone(), origin.base.clone(), Some(ty)))))
            }
            _ => value,
        }
    }

    /// Whether a value is, or may be, of a type of this workspace.
    fn holds_ours(&self, value: &Value) -> bool {
        value.alternatives().iter().any(|value| match &value.kind {
            Kind::Variant(variant) => {
                variant.ty.is_some() || variant.fields.iter().any(|(_, field)| self.holds_ours(field))
            }
            Kind::Unknown(origin) => match &origin.ty {
                Some(ty) => self.local_type(ty).is_some(),
                None => true,
            },
            _ => false,
        })
    }

    fn await_if_spawned(&mut self, name: &str, value: Value, span: Span) -> Value {
        if matches!(name, "spawn" | "block_on" | "spawn_local") { self.await_value(value, span) } else { value }
    }

    /// The value of `Default::default()` for a type.
    pub fn default_of(&mut self, owner: &str, want: Option<&TypeAt>, span: Span) -> Value {
        let wanted = want.and_then(|ty| ty.ty.last_segment().map(str::to_owned));
        let name = if matches!(owner, "Default" | "") { wanted.as_deref().unwrap_or("") } else { owner };
        let kind = match name {
            "Duration" | "TimeDelta" | "SignedDuration" => Kind::Duration(0),
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
                Kind::Integer(0)
            }
            "f32" | "f64" => Kind::Float(0.0),
            "bool" => Kind::Bool(false),
            "String" | "str" => Kind::Text("".into()),
            "Option" => return Value::none(Trail::NONE, span),
            "Vec" => Kind::List(Rc::from(Vec::new())),
            _ => {
                // A local struct that derives it is made of its fields' defaults.
                let local = want.and_then(|ty| self.local_type(ty));
                let Some(local) = local
                    .filter(|local| self.program.type_item(*local).derives.iter().any(|derive| &**derive == "Default"))
                else {
                    return Value::unknown(span);
                };
                let item = self.program.type_item(local);
                let crate::ir::TypeKind::Struct(fields) = &item.kind else { return Value::unknown(span) };
                let fields = fields
                    .iter()
                    .map(|field| {
                        let ty = TypeAt { ty: field.ty.clone(), scope: item.scope, self_type: None };
                        (field.name.clone(), self.default_of("", Some(&ty), span))
                    })
                    .collect();
                Kind::Variant(Rc::new(super::value::Variant { name: item.name.clone(), ty: Some(local), fields }))
            }
        };
        Value::plain(kind, span)
    }

    /// A method on one value. The outer None: the library does not know it; the inner None: it does not come back.
    #[expect(clippy::option_option, reason = "the inner None is a call that does not come back")]
    pub fn library_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        generics: &[Type],
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        if TRANSPARENT.contains(&name)
            && arguments.len() <= 1
            && !(matches!(receiver.kind, Kind::Unknown(_))
                && !arguments.is_empty()
                && arguments.iter().any(Value::is_tainted))
        {
            return Some(Some(receiver.clone()));
        }
        // Comparisons with the header's name.
        if let (Kind::Unknown(origin), [argument], "eq_ignore_ascii_case" | "eq" | "equals") =
            (&receiver.kind, arguments, name)
            && let Some(header) = self.header_name(argument)
        {
            let source = self.log.header(&header, self.code(), None);
            return Some(Some(self.is_header(origin.clone(), source, span)));
        }
        if matches!(name, "lock" | "read" | "write" | "borrow" | "borrow_mut" | "load" | "try_lock" | "get_mut")
            && !receiver.is_unknown()
            && receiver.is_tainted()
        {
            return Some(Some(receiver.clone()));
        }
        // What was kept in a collection and is looked up there.
        let is_time = matches!(receiver.kind, Kind::Date(_) | Kind::Instant(_) | Kind::Duration(_) | Kind::Hint(_));
        if is_time
            && receiver.is_tainted()
            && matches!(
                name,
                "get"
                    | "get_mut"
                    | "peek"
                    | "remove"
                    | "pop"
                    | "entry"
                    | "first"
                    | "last"
                    | "front"
                    | "back"
                    | "load_full"
            )
            && arguments.iter().all(|argument| !argument.is_tainted())
        {
            return Some(Some(Value::some(receiver.clone())));
        }
        // A raw line is looked at for the header's name: the line is the header then.
        if let (Kind::Unknown(origin), [argument], "starts_with" | "contains" | "strip_prefix" | "trim_start_matches") =
            (&receiver.kind, arguments, name)
            && let Some(header) = self.header_name(argument)
        {
            let source = self.log.header(&header, self.code(), None);
            if name == "starts_with" || name == "contains" {
                let line = Origin::new(OriginStep::Field("line".into()), Some(origin.clone()), None);
                return Some(Some(self.is_header(Rc::new(line), source, span)));
            }
            return Some(Some(match self.text_of(source, span, span) {
                Some(text) => Value::some(text),
                None => self.read_option(&header, span),
            }));
        }
        match &receiver.kind {
            Kind::Variant(variant)
                if matches!(&*variant.name, "Some" | "None" | "Ok" | "Err") && variant.ty.is_none() =>
            {
                if let Some(result) = self.option_method(receiver, name, arguments, span, want) {
                    return Some(result);
                }
                // Our guess of a wrapper may be one too many.
                if matches!(&*variant.name, "Some" | "Ok") {
                    let inner = variant
                        .fields
                        .first()
                        .map_or_else(Value::unit, |(_, inner)| super::evaluate::inherit(inner.clone(), receiver));
                    return self.library_method(&inner, name, arguments, span, generics, want);
                }
                if option::IS_WRAPPER_FREE.contains(&name) {
                    return Some(Some(receiver.clone()));
                }
                None
            }
            Kind::Text(_) | Kind::NotText => self
                .text_method(receiver, name, arguments, span, generics, want)
                .or_else(|| self.wrapped(receiver, name, arguments, span, want)),
            Kind::Character(_) => self.character_method(receiver, name, arguments, span),
            Kind::Integer(_) | Kind::Float(_) => self
                .number_method(receiver, name, arguments, span, want)
                .or_else(|| self.wrapped(receiver, name, arguments, span, want)),
            Kind::Duration(_) | Kind::Instant(_) | Kind::Date(_) => self
                .time_method(receiver, name, arguments, span)
                .or_else(|| self.wrapped(receiver, name, arguments, span, want)),
            Kind::Hint(_) => self.hint_method(receiver, name, arguments, span, want),
            Kind::Bool(_) | Kind::Maybe => self.bool_method(receiver, name, arguments, span),
            Kind::List(_) => self.list_method(receiver, name, arguments, span, want),
            Kind::Sleep(wait) if matches!(name, "tick" | "poll" | "poll_tick" | "wait" | "next" | "recv") => {
                let wait = wait.clone();
                self.sleep(&wait, receiver.at.unwrap_or(span));
                Some(Some(Value::unit()))
            }
            // What a future is wrapped in still waits.
            Kind::Sleep(_)
                if matches!(
                    name,
                    "then"
                        | "map"
                        | "await"
                        | "boxed_local"
                        | "inspect"
                        | "left_future"
                        | "right_future"
                        | "shared"
                        | "map_ok"
                        | "never_error"
                ) =>
            {
                Some(Some(receiver.clone()))
            }
            Kind::Sleep(_) => matches!(name, "as_mut" | "boxed" | "fuse" | "map" | "await" | "into" | "instrument")
                .then(|| Some(receiver.clone())),
            Kind::Unknown(_) => self.unknown_method(receiver, name, arguments, span, want),
            Kind::Tuple(_) if matches!(name, "into" | "max" | "min") => Some(Some(receiver.clone())),
            _ => None,
        }
    }

    /// A method of Option or Result on a bare value: our guess of its shape lacks the wrapper.
    #[expect(clippy::option_option, reason = "as library_method")]
    fn wrapped(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        if !receiver.is_tainted() {
            return None;
        }
        let wrapped = Value::some(receiver.clone());
        self.option_method(&wrapped, name, arguments, span, want)
    }

    /// A method on a hint of unknown type: it is whatever the method takes.
    #[expect(clippy::option_option, reason = "as library_method")]
    fn hint_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        let Kind::Hint(nanoseconds) = receiver.kind else { return None };
        let duration = receiver.map(Kind::Duration(nanoseconds));
        match name {
            "as_secs"
            | "as_millis"
            | "as_secs_f64"
            | "as_secs_f32"
            | "as_micros"
            | "as_nanos"
            | "num_seconds"
            | "num_milliseconds"
            | "whole_seconds"
            | "whole_milliseconds"
            | "to_std"
            | "is_zero"
            | "saturating_duration_since"
            | "duration_since"
            | "subsec_nanos"
            | "checked_duration_since"
            | "signed_duration_since" => self.time_method(&duration, name, arguments, span),
            "min" | "max" | "clamp" | "saturating_add" | "checked_add" | "saturating_sub" | "saturating_mul"
            | "checked_mul" | "checked_sub" | "mul_f64" | "mul_f32" | "pow" | "ceil" | "floor" | "round" => {
                let typed = match arguments.first().map(|argument| &argument.kind) {
                    Some(Kind::Integer(_)) => receiver.map(Kind::Integer(nanoseconds / SECOND)),
                    Some(Kind::Float(_)) => receiver.map(Kind::Float(nanoseconds as f64 / 1e9)),
                    None => receiver.map(Kind::Float(nanoseconds as f64 / 1e9)),
                    _ => duration,
                };
                self.library_method(&typed, name, arguments, span, &[], want)
            }
            "to_string" | "into" | "try_into" | "get" => Some(Some(receiver.clone())),
            // The default of a text that could not be had is an empty one.
            "parse" | "trim" | "is_empty" | "to_str" | "as_str" | "len" | "chars" | "bytes" | "as_bytes"
                if nanoseconds == 0
                    && receiver.trail.find(false, |node| matches!(node.event, Event::Taken)).is_none() =>
            {
                let text = receiver.map(Kind::Text("".into()));
                self.text_method(&text, name, arguments, span, &[], want)
            }
            "parse" => Some(Some(Value::ok(receiver.clone()))),
            _ => self.wrapped(receiver, name, arguments, span, want),
        }
    }

    #[expect(clippy::option_option, reason = "as library_method")]
    fn bool_method(&mut self, receiver: &Value, name: &str, arguments: &[Value], span: Span) -> Option<Option<Value>> {
        let decide = |this: &mut Self, make: &mut dyn FnMut(&mut Self) -> Option<Value>| -> Option<Value> {
            let none = Value::none(receiver.trail.clone(), span).on(receiver.trail.clone());
            match receiver.kind {
                Kind::Bool(true) => Some(Value::some(make(this)?).chosen(span, &receiver.trail)),
                Kind::Bool(false) => Some(none),
                _ => {
                    let made = make(this);
                    let some = made.map(|value| Value::some(value).chosen(span, &receiver.trail));
                    Some(Value::one_of(some.into_iter().chain([none]).collect(), span))
                }
            }
        };
        match name {
            "then_some" => Some(decide(self, &mut |_| arguments.first().cloned())),
            "then" => {
                let function = arguments.first()?.clone();
                Some(decide(self, &mut |this| this.apply(&function, Vec::new(), span, None)))
            }
            "not" => Some(Some(match receiver.kind {
                Kind::Bool(truth) => receiver.map(Kind::Bool(!truth)),
                _ => receiver.clone(),
            })),
            "load" | "into" => Some(Some(receiver.clone())),
            _ => None,
        }
    }

    /// A method on a value that is not known: Option's and Result's are run as far as they can be.
    #[expect(clippy::option_option, reason = "as library_method")]
    fn unknown_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        let Kind::Unknown(origin) = &receiver.kind else { return None };
        if self.is_emission() {
            if let Some(result) = self.wait_method(receiver, name, arguments, span) {
                return Some(result);
            }
            if matches!(name, "into" | "try_into" | "to_string")
                && arguments.is_empty()
                && let Some(made) = self.own_conversion(receiver, span)
            {
                return Some(Some(made));
            }
        }
        let inner_type = origin.ty.as_ref().and_then(super::evaluate::inner_type);
        let inner = |this: &mut Self| {
            let part = this.part(receiver, OriginStep::Inner, inner_type.clone(), span);
            super::evaluate::inherit(part, receiver)
        };
        let calls_nothing =
            arguments.iter().all(|argument| !argument.is_tainted() && self.header_name(argument).is_none());
        let result = match (name, arguments) {
            (
                "unwrap" | "expect" | "unwrap_or_default" | "lock" | "write" | "as_str" | "as_bytes" | "to_lowercase"
                | "to_ascii_lowercase" | "trim" | "to_string" | "to_str" | "into" | "load" | "read" | "get" | "await"
                | "unwrap_unchecked" | "unwrap_err" | "as_slice" | "ok" | "err" | "context" | "with_context"
                | "map_err" | "ok_or" | "ok_or_else" | "inspect" | "inspect_err" | "flatten" | "transpose" | "try_into"
                | "get_or_insert_with" | "as_deref",
                _,
            ) if calls_nothing
                && !(name == "get" && !arguments.is_empty())
                && !(matches!(name, "read" | "write") && !arguments.is_empty()) =>
            {
                let same = matches!(
                    name,
                    "as_str"
                        | "as_bytes"
                        | "to_lowercase"
                        | "to_ascii_lowercase"
                        | "trim"
                        | "to_string"
                        | "into"
                        | "ok"
                        | "err"
                        | "context"
                        | "with_context"
                        | "map_err"
                        | "ok_or"
                        | "ok_or_else"
                        | "inspect"
                        | "inspect_err"
                );
                if matches!(name, "map_err" | "ok_or_else" | "unwrap_or_else" | "with_context")
                    && let Some(Kind::Closure(closure)) = arguments.first().map(|argument| argument.kind.clone())
                {
                    let _ = self.run_unknown_closure(&closure, None, span);
                }
                if same { receiver.clone() } else { inner(self) }
            }
            ("unwrap_or", [fallback]) => {
                let part = inner(self);
                Value::one_of(vec![part, fallback.clone()], span)
            }
            ("or", [fallback]) => Value::one_of(vec![receiver.clone(), fallback.clone()], span),
            ("unwrap_or_else", [function]) => {
                let part = inner(self);
                let before = self.world.clone();
                let takes = self.part(receiver, OriginStep::Field("Err".into()), None, span);
                let fallback = self.apply(function, vec![takes], span, want);
                self.world = super::state::World::join(vec![before, self.world.clone()], span)?;
                Value::one_of([part].into_iter().chain(fallback).collect(), span)
            }
            ("or_else", [function]) => {
                let before = self.world.clone();
                let takes = self.part(receiver, OriginStep::Field("Err".into()), None, span);
                let fallback = self.apply(function, vec![takes], span, want);
                self.world = super::state::World::join(vec![before, self.world.clone()], span)?;
                Value::one_of([receiver.clone()].into_iter().chain(fallback).collect(), span)
            }
            ("map" | "and_then" | "filter_map" | "find_map" | "flat_map" | "then", [function])
                if matches!(function.kind, Kind::Closure(_) | Kind::Function(_)) =>
            {
                let part = inner(self);
                let before = self.world.clone();
                let made = self.apply(function, vec![part], span, want);
                self.world = super::state::World::join(vec![before, self.world.clone()], span)?;
                match made {
                    Some(made) if made.is_tainted() => {
                        let made =
                            if name == "map" { self.each(&made, |_, value| Value::some(value.clone())) } else { made };
                        if name == "find_map" || name == "filter_map" {
                            made
                        } else {
                            Value::one_of(vec![made, receiver.clone()], span)
                        }
                    }
                    _ => Value::from_origin(
                        Origin::new(OriginStep::Method(name.into(), span), Some(origin.clone()), None),
                        span,
                    ),
                }
            }
            ("map_or" | "map_or_else", [fallback, function]) => {
                let part = inner(self);
                let before = self.world.clone();
                let fallback = if name == "map_or" {
                    Some(fallback.clone())
                } else {
                    self.apply(fallback, vec![Value::unknown(span)], span, want)
                };
                let made = self.apply(function, vec![part], span, want);
                self.world = super::state::World::join(vec![before, self.world.clone()], span)?;
                Value::one_of(fallback.into_iter().chain(made).collect(), span)
            }
            (
                "find" | "filter" | "position" | "any" | "all" | "is_some_and" | "skip_while" | "take_while",
                [function],
            ) if matches!(function.kind, Kind::Closure(_) | Kind::Function(_)) => {
                let part = inner(self);
                let verdict = self.apply(function, vec![part.clone()], span, None)?;
                match (name, &verdict.kind) {
                    ("find", Kind::Bool(true)) if verdict.is_tainted() => Value::some(part),
                    ("find" | "filter", Kind::Bool(false)) if verdict.is_tainted() => {
                        Value::none(verdict.trail.clone(), span)
                    }
                    ("any" | "is_some_and", Kind::Bool(_)) => verdict,
                    ("filter", _) => receiver.clone(),
                    ("find", _) => part,
                    _ => verdict.map(Kind::Maybe),
                }
            }
            ("for_each" | "inspect", [function]) if matches!(function.kind, Kind::Closure(_)) => {
                let part = inner(self);
                let _ = self.apply(function, vec![part], span, None);
                Value::unit()
            }
            ("is_some" | "is_none" | "is_ok" | "is_err" | "is_empty", []) => receiver.map(Kind::Maybe),
            ("min" | "max", [other]) if other.is_tainted() => {
                if name == "min" {
                    self.least(receiver, other, span)
                } else {
                    self.greatest(receiver, other, span)
                }
            }
            ("clamp", [low, high]) if low.is_tainted() || high.is_tainted() => {
                let low = self.greatest(receiver, low, span);
                self.least(&low, high, span)
            }
            ("min" | "max" | "clamp" | "saturating_add" | "saturating_sub" | "saturating_mul", _)
                if receiver.trail.is_some() =>
            {
                match (name, arguments) {
                    ("min", [limit]) | ("clamp", [_, limit]) => self.least(receiver, limit, span),
                    _ => receiver.clone(),
                }
            }
            // A hint that gave way to something unknown, and a part of that or a draw.
            ("mul_f64" | "mul_f32", [factor]) if receiver.carries_hint() => {
                self.binary(crate::ir::BinaryOp::Multiply, receiver, factor, span)
            }
            ("div_f64" | "div_f32", [divisor]) if receiver.carries_hint() => {
                self.binary(crate::ir::BinaryOp::Divide, receiver, divisor, span)
            }
            ("checked_add" | "saturating_add" | "add" | "checked_sub", [other]) if other.is_tainted() => {
                let sum = self.binary(crate::ir::BinaryOp::Add, receiver, other, span);
                if name.starts_with("checked") { Value::some(sum) } else { sum }
            }
            (
                "duration_since" | "saturating_duration_since" | "checked_duration_since" | "signed_duration_since",
                [other],
            ) if other.is_tainted() => Value { trail: other.trail.clone(), ..Value::unknown(span) },
            (
                "next" | "last" | "first" | "next_back" | "nth" | "pop" | "peek" | "split_once" | "rsplit_once"
                | "split" | "lines" | "chars" | "bytes" | "windows" | "splitn" | "pop_front" | "recv" | "enumerate"
                | "zip" | "skip" | "take" | "chain" | "collect" | "step_by",
                _,
            ) if calls_nothing => {
                if matches!(name, "collect" | "skip" | "take" | "chain" | "step_by") {
                    receiver.clone()
                } else if name == "enumerate" {
                    let part = inner(self);
                    let _ = part;
                    return None;
                } else {
                    inner(self)
                }
            }
            ("unwrap_or_default", []) => {
                let part = inner(self);
                let default = self.default_of("", want, span);
                Value::one_of(vec![part, default], span)
            }
            _ => return None,
        };
        Some(Some(result))
    }

    /// Methods that change the place they are called on. None: it is none of them, or the place is not known.
    pub fn mutating_method(
        &mut self,
        receiver: ExprId,
        value: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Option<Value> {
        let body = self.frame().body;
        let mut place = receiver;
        while let Op::Reference { value, .. } | Op::Dereference(value) = &body.expr(place).op {
            place = *value;
        }
        let local = match &body.expr(place).op {
            Op::Local(local) => *local,
            Op::Method { receiver: inner, name: inner_name, .. } if matches!(&**inner_name, "by_ref" | "as_mut") => {
                match &body.expr(*inner).op {
                    Op::Local(local) => *local,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let (result, changed) = match (&value.kind, name, arguments) {
            (Kind::List(values), "next" | "pop_front", []) => match values.split_first() {
                Some((first, rest)) => (Value::some(first.clone()), value.map(Kind::List(rest.into()))),
                None => (Value::none(value.trail.clone(), span), value.clone()),
            },
            (Kind::List(values), "next_back" | "pop" | "pop_back", []) => match values.split_last() {
                Some((last, rest)) => (Value::some(last.clone()), value.map(Kind::List(rest.into()))),
                None => (Value::none(value.trail.clone(), span), value.clone()),
            },
            (Kind::List(values), "push" | "push_back", [new]) if values.len() < 64 => {
                let mut values = values.to_vec();
                values.push(new.clone());
                (Value::unit(), value.map(Kind::List(values.into())))
            }
            (Kind::Variant(variant), "take", []) if matches!(&*variant.name, "Some" | "None") => {
                (value.clone(), Value::none(Trail::NONE, span))
            }
            (Kind::Variant(variant), "replace" | "insert", [new]) if matches!(&*variant.name, "Some" | "None") => {
                (value.clone(), Value::some(new.clone()))
            }
            (Kind::OneOf(_) | Kind::Hint(_), "take", []) if value.is_tainted() => {
                (value.clone(), Value::none(Trail::NONE, span))
            }
            (Kind::Text(text), "push", [Value { kind: Kind::Character(character), trail, .. }]) if text.len() < 64 => {
                let grown = Value {
                    kind: Kind::Text(format!("{text}{character}").into()),
                    trail: value.trail.both(trail),
                    at: value.at,
                };
                (Value::unit(), grown)
            }
            _ => return None,
        };
        self.world.locals[local.0 as usize] = Some(changed);
        Some(result)
    }

    /// `format!`: a text whose values are known is known.
    pub fn format(&mut self, template: &str, values: &[Value], span: Span) -> Value {
        let trail = values.iter().fold(Trail::NONE, |trail, value| trail.both(&super::call::flat_trail(value)));
        let mut text = String::new();
        let mut rest = template;
        for value in values {
            let Some((before, after)) = rest.split_once("{}") else { break };
            text.push_str(before);
            match &value.kind {
                Kind::Text(part) => text.push_str(part),
                Kind::Integer(number) => text.push_str(&number.to_string()),
                Kind::Character(character) => text.push(*character),
                _ => return Value { trail, ..Value::unknown(span) },
            }
            rest = after;
        }
        text.push_str(rest);
        Value { kind: Kind::Text(text.into()), trail, at: Some(span) }
    }

    /// A test of the text's shape.
    pub fn tested(&self, truth: bool, of: &Value, span: Span) -> Value {
        let trail = if of.trail.is_some() { step(Event::Tested, span, &of.trail) } else { Trail::NONE };
        Value { kind: Kind::Bool(truth), trail, at: Some(span) }
    }
}

/// The name of a function value, for what only the name tells.
pub fn function_name(value: &Value) -> Option<Name> {
    if let Kind::Function(function) = &value.kind { Some(function.written.clone()) } else { None }
}
