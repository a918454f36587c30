//! Calls of what cannot be looked into: what their names and arguments still tell, and where hints leave the known code.

use super::super::evaluate::{Evaluator, step};
use super::super::guard::{held_at, is_guard};
use super::super::log::SinkKind;
use super::super::state::World;
use super::super::trail::{Event, Trail};
use super::super::value::{Closure, Code, Kind, Origin, OriginStep, Value};
use super::flat_trail;
use crate::ir::{Name, Op, Span};
use crate::names;
use std::rc::Rc;

impl Evaluator<'_, '_> {
    /// A call of something that cannot be looked into.
    pub fn unresolved_call(&mut self, name: &str, receiver: Option<&Value>, arguments: &[Value], span: Span) -> Value {
        if let Some(value) = self.declared_call(name, arguments, span) {
            return value;
        }
        let code = self.code();
        // A header's name among the arguments: the call reads the header, or sets it.
        if let Some((index, header)) = arguments
            .iter()
            .enumerate()
            .find_map(|(index, argument)| self.header_name(argument).map(|header| (index, header)))
        {
            let sets = (names::emits(name)
                && !(arguments.len() == 1 && receiver.is_some() && !matches!(arguments[index].kind, Kind::Tuple(_))))
                || matches!(arguments[index].kind, Kind::Tuple(_))
                || (receiver.is_some()
                    && index == 0
                    && arguments.len() > 1
                    && matches!(name, "header" | "add_header" | "insert_header" | "append_header" | "set_header"));
            if self.is_emission() {
                return self.emitting_call(name, &header, index, receiver, arguments, sets, span);
            }
            if !sets {
                return match name {
                    "contains_key" | "contains" | "has" | "has_header" => {
                        let text = self.read(&header, span);
                        let present = text.is_some();
                        let trail = text.map_or_else(|| self.read_option(&header, span).trail, |text| text.trail);
                        Value { kind: Kind::Bool(present), trail, at: Some(span) }
                    }
                    "get_all" | "get_many" | "get_all_bytes" | "values" | "headers_all" | "header_all" => {
                        let values: Vec<Value> = self.read(&header, span).into_iter().collect();
                        let trail = if values.is_empty() { self.read_option(&header, span).trail } else { Trail::NONE };
                        Value { kind: Kind::List(values.into()), trail, at: Some(span) }
                    }
                    _ => {
                        let value = self.read_option(&header, span);
                        self.accessor_type(name, value, span)
                    }
                };
            }
            self.world.shared.header_set = true;
            return receiver.cloned().unwrap_or_else(|| Value::unknown(span));
        }
        // A number that is written into a buffer: `itoa::Buffer::format`.
        if self.is_emission()
            && matches!(name, "format" | "into" | "from")
            && let [only] = arguments
            && matches!(only.kind, Kind::Integer(_))
        {
            return only.clone();
        }
        // A value in a message's body, by a key that is named like the hint.
        if let [Value { kind: Kind::Text(key), trail: Trail(None), .. }] = arguments
            && receiver.is_some()
            && names::is_hint(key)
            && !key.contains('-')
        {
            let key: Name = (&**key).into();
            let origin = Rc::new(Origin::new(OriginStep::Field(key.clone()), None, None));
            if let Some(named) = self.named_hint(&key, &origin, span) {
                return named;
            }
        }
        let tainted: Vec<&Value> = arguments
            .iter()
            .filter(|argument| argument.is_tainted() && !matches!(argument.kind, Kind::Closure(_)))
            .collect();
        if names::sleeps(name)
            && let Some(wait) = arguments.iter().rev().find(|argument| argument.is_tainted()).or(arguments.last())
        {
            self.sleep(wait, span);
            return Value::unknown(span);
        }
        if names::draws(name)
            && let Some(drawn) = self.draw(arguments, span)
        {
            return drawn;
        }
        // Closures run at some time, with whatever; those that are handed to a thread block only that.
        let asynchronous = self.asynchronous;
        if name.contains("spawn") || name == "block_in_place" {
            self.asynchronous = 0;
        }
        let mut given = Vec::new();
        for argument in arguments {
            if let Kind::Closure(closure) = &argument.kind {
                given.extend(self.run_unknown_closure(&closure.clone(), receiver, span));
            }
        }
        // What adjusts the waits of `backon` ends the attempts with `None`: no wait gives way there.
        if name == "adjust" {
            given = given
                .iter()
                .flat_map(|value| value.alternatives().to_vec())
                .filter(|value| value.variant_name() != Some("None"))
                .collect();
        }
        self.asynchronous = asynchronous;
        if !names::only_looks(name) {
            let context = self.world.context.clone();
            let is_own = |value: &Value| !value.is_tainted() && matches!(value.kind, Kind::Instant(time) if time > 0);
            if arguments.iter().any(is_own) {
                self.log.own_waits.insert(span);
            }
            if names::keeps(name)
                && let Some(Value { kind: Kind::Unknown(origin), .. }) = receiver
                && let Some(value) = arguments.last().filter(|value| value.carries_hint())
            {
                // What is kept in a collection or a cell is found again by whoever looks into it.
                let first = self.log.outcomes.len();
                self.keep_field(origin.clone(), "*".into(), value.clone(), span);
                // `guard.replace(at)`, as `*guard = Some(at)`.
                if arguments.len() == 1 && self.is_kept_behind_a_lock(span) {
                    self.log.stored_since(first).for_each(|outcome| outcome.behind_lock = true);
                }
            }
            // Text that only a statement is given cannot come back as a date: the call's own value is dropped.
            let comes_back = !self.frame().shape.drops(span);
            for value in &tainted {
                if comes_back {
                    self.escapes(value, span);
                }
                self.log.outcome(self.case, SinkKind::Passed, span, code, value, &context);
            }
            for value in given.iter().filter(|value| value.is_tainted()) {
                self.log.outcome(self.case, SinkKind::Passed, span, code, value, &context);
            }
            if !tainted.is_empty() {
                self.log.unresolved(span, name);
            }
            if let Some(receiver) = receiver.filter(|receiver| receiver.is_tainted()) {
                self.escapes(receiver, span);
                self.log.unresolved(span, name);
            }
        }
        if names::sends(name) {
            self.world.shared.sent = Some(span);
        }
        if names::may_wait(name) && !names::is_hint(name) && tainted.is_empty() && !receiver.is_some_and(is_semaphore) {
            self.world.shared.unknown_wait = true;
        }
        let mut trail = receiver.map_or(Trail::NONE, |receiver| receiver.trail.clone());
        for value in tainted.into_iter().chain(&given) {
            trail = trail.both(&flat_trail(value));
        }
        let base = receiver
            .and_then(|receiver| if let Kind::Unknown(origin) = &receiver.kind { Some(origin.clone()) } else { None });
        let step = if receiver.is_some() {
            OriginStep::Method(name.into(), span)
        } else {
            OriginStep::Call(name.into(), span)
        };
        let origin = Origin::new(step, base, None);
        if trail.is_some() {
            Value::from_origin(origin, span).on(trail)
        } else if arguments.is_empty() || names::reads_hint(name) {
            // A reader in another crate, which is given the headers, is one by its name.
            self.named_unknown(origin, span)
        } else {
            Value::from_origin(origin, span)
        }
    }

    /// Whether the call's receiver is a lock's guard.
    fn is_kept_behind_a_lock(&self, span: Span) -> bool {
        let body = self.frame().body;
        body.exprs.iter().any(|expr| match &expr.op {
            Op::Method { receiver, name_span, .. } => {
                name_span.start == span.start && expr.span.end == span.end && is_guard(body, *receiver)
            }
            _ => false,
        })
    }

    /// A random number. One that is drawn from a range up to the hint, or made of it, is the hint with less or more put to it.
    fn draw(&mut self, arguments: &[Value], span: Span) -> Option<Value> {
        let (from, to) = match arguments {
            [Value { kind: Kind::Variant(range), .. }, ..] if range.name.starts_with("Range") => {
                let end = |name: &str| range.fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value);
                (end("from"), end("to"))
            }
            [only] => (None, Some(only)),
            _ => (None, None),
        };
        let starts_at_hint = from.is_some_and(Value::carries_hint);
        if let Some(hint) = from.filter(|_| starts_at_hint).or(to.filter(|to| to.carries_hint())) {
            let hint = hint.alternatives().first()?;
            return Some(hint.clone().on(step(Event::Jitter(!starts_at_hint), span, &hint.trail)));
        }
        let least = from.and_then(|from| match from.kind {
            Kind::Integer(number) => Some(number as f64),
            Kind::Float(number) => Some(number),
            _ => None,
        });
        self.log.draws.insert(span, least.unwrap_or(0.0));
        None
    }

    /// A call that is given the header's name, where a server's sending is looked at.
    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    fn emitting_call(
        &mut self,
        name: &str,
        header: &super::super::read::HeaderName,
        index: usize,
        receiver: Option<&Value>,
        arguments: &[Value],
        sets: bool,
        span: Span,
    ) -> Value {
        let is_pair = matches!(arguments[index].kind, Kind::Tuple(_));
        let sets = sets || (matches!(name, "new" | "header" | "from" | "raw_header") && arguments.len() == index + 2);
        if !sets {
            return Value::unknown(span);
        }
        // A pair was met where it was made; a request that carries the header is no answer.
        if !is_pair
            && !receiver.is_some_and(is_request)
            && let Some(value) = arguments.get(index + 1)
        {
            self.emit(header, value, span);
        }
        self.world.shared.header_set = true;
        receiver.cloned().unwrap_or_else(|| Value::unknown(span))
    }

    /// A closure in which the header is named may be called by code that is not known: it is run where it is made.
    pub fn run_emitting_closure(&mut self, closure: &Closure, span: Span) {
        if !self.is_emission() || self.frames.len() > 8 {
            return;
        }
        let body = self.frame().body;
        let within = body.expr(closure.expr).span;
        let names = body.exprs.iter().any(|expr| within.holds(expr.span) && crate::site::names_header(&expr.op));
        if names {
            let before = self.world.clone();
            self.run_unknown_closure(closure, None, span);
            self.world = before;
        }
    }

    /// An accessor that parses by itself: `get_as::<u64>(name)`, `header_u64(name)`.
    fn accessor_type(&mut self, name: &str, value: Value, span: Span) -> Value {
        let lower = name.to_ascii_lowercase();
        let integer = ["_u64", "_u32", "_usize", "_i64", "_int", "_u16", "as_integer", "_number"]
            .iter()
            .any(|end| lower.ends_with(end));
        let Some(text) = value.payload().cloned().filter(|_| integer) else { return value };
        let parsed = self.parse_integer(&text, false, 64, span);
        match parsed.variant_name() {
            Some("Ok") => Value::some(parsed.payload().cloned().unwrap_or_else(Value::unit)),
            _ => Value::none(parsed.trail.clone(), span),
        }
    }

    /// Runs a closure that was handed to something unknown, with unknown arguments.
    pub fn run_unknown_closure(&mut self, closure: &Closure, receiver: Option<&Value>, span: Span) -> Option<Value> {
        let parameters = match closure.code {
            Code::Function(id) => match &self.program.function(id).body.as_ref()?.expr(closure.expr).op {
                Op::Closure { parameters, .. } => parameters.len(),
                _ => 0,
            },
            Code::Constant(_) => 0,
        };
        let mut arguments = Vec::new();
        for index in 0..parameters {
            let argument = match receiver {
                Some(receiver) if receiver.is_unknown() && index == 0 => {
                    self.part(receiver, OriginStep::Inner, None, span)
                }
                _ => Value::unknown(span),
            };
            arguments.push(argument);
        }
        let before = self.world.clone();
        let result = self.call_closure(closure, arguments, span, None);
        // It may run never or later.
        self.world = World::join(vec![before, self.world.clone()], span)?;
        result
    }

    /// The value is slept on here.
    pub fn sleep(&mut self, wait: &Value, span: Span) {
        let (case, context) = (self.case, self.world.context.clone());
        let (span, code) = self.sleeper(span);
        let first = self.log.outcomes.len();
        self.log.outcome(case, SinkKind::Slept, span, code, wait, &context);
        let frame = self.frames.iter().rev().find(|frame| frame.code == code);
        let holds = frame.and_then(|frame| held_at(frame.body, span));
        let in_loop = !self.iterations.is_empty();
        self.log.slept_since(first).for_each(|outcome| {
            outcome.holds = holds;
            outcome.in_loop = in_loop;
        });
        if wait.alternatives().iter().any(|wait| !wait.is_tainted() && !matches!(wait.kind, Kind::Duration(0))) {
            self.log.own_waits.insert(span);
        }
        let slept = &self.world.shared.slept;
        let nothing_yet = slept.alternatives().iter().all(|slept| matches!(slept.kind, Kind::Duration(0)));
        self.world.shared.slept = if nothing_yet {
            wait.clone()
        } else if wait.is_tainted() || !slept.is_tainted() {
            Value::one_of(vec![wait.clone()], span)
        } else {
            slept.clone()
        };
        let mut world = std::mem::replace(&mut self.world, World::new(0, span));
        self.forget_spent(&mut world);
        self.world = world;
    }

    /// Where a wait is slept on: a function that is there to sleep is as good as the library's, so it is the place that calls it.
    fn sleeper(&self, span: Span) -> (Span, Code) {
        let mut place = (span, self.code());
        let mut frames = self.frames.iter().rev().peekable();
        while let Some(frame) = frames.next() {
            let is_sleep = match frame.code {
                Code::Function(id) => names::sleeps(&self.program.function(id).name),
                Code::Constant(_) => false,
            };
            match (frame.called_at, frames.peek()) {
                (Some(at), Some(outer)) if is_sleep => place = (at, outer.code),
                _ => break,
            }
        }
        place
    }

    /// `value.await`
    pub fn await_value(&mut self, value: Value, span: Span) -> Value {
        self.each(&value, |this, value| match &value.kind {
            Kind::Sleep(wait) => {
                let at = value.at.unwrap_or(span);
                this.sleep(&wait.clone(), at);
                Value::plain(Kind::Unit, span)
            }
            Kind::Closure(closure) => {
                this.call_closure(&closure.clone(), Vec::new(), span, None).unwrap_or_else(Value::unit)
            }
            _ => value.clone(),
        })
    }
}

/// Whether it is a request, or what makes one.
fn is_request(value: &Value) -> bool {
    let Kind::Unknown(origin) = &value.kind else { return false };
    origin.way().any(|step| match &step.step {
        OriginStep::Named(name) | OriginStep::Field(name) => names::is_request(name),
        _ => false,
    })
}

/// Whether it hands out permits: waiting for one is a matter of concurrency, which paces nothing.
fn is_semaphore(value: &Value) -> bool {
    let Kind::Unknown(origin) = &value.kind else { return false };
    origin.name().is_some_and(|name| names::permits(name))
        || origin.ty.as_ref().and_then(|ty| ty.ty.peeled().last_segment()).is_some_and(names::permits)
}
