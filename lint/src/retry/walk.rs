//! The walk: every way that one status can take through a function.
//!
//! A small interpreter beside the one of `behaviour`: there a header's value is known and everything else is open, here the status is.
//! What a branch cannot know, it takes both ways; each way remembers whether the hint was used on it, where it waited, and which test
//! the status decided. Where a way comes round to the request again, or leaves with an error, it is recorded.

use super::compute::{both, compute, of_constant, of_literal};
use super::value::{Closure, Home, Kind, Missing, Path, Surroundings, Value, Ways, join as meet};
use super::{Ending, Record};
use crate::ir::{BinaryOp, ExprId, FunctionId, Name, Op, Owner, Pattern, Span};
use crate::module::Resolved;
use crate::site::names_header;
use std::rc::Rc;

/// The most expressions that are walked for one function and status.
const STEPS: u32 = 15_000;
/// The most functions within functions.
const DEPTH: usize = 6;

/// A loop that is being walked.
struct LoopFrame<'p> {
    label: Option<Name>,
    span: Span,
    is_loop: bool,
    breaks: Ways<'p>,
    rounds: Vec<(Path<'p>, Span)>,
}

/// A function or closure that is being walked.
struct Frame<'p> {
    home: Home<'p>,
    returns: Ways<'p>,
    loops: Vec<LoopFrame<'p>>,
}

/// The walk of one status.
pub(super) struct Walk<'p, 'w> {
    pub(super) around: &'p Surroundings<'p, 'w>,
    pub(super) status: u16,
    pub(super) records: Vec<Record>,
    pub(super) steps: u32,
    /// Whether it matters where an answer was made.
    pub(super) places: bool,
    /// What a response was handed to that is in no file which was read.
    pub(super) missing: Missing,
    frames: Vec<Frame<'p>>,
}

impl<'p, 'w> Walk<'p, 'w> {
    pub(super) fn new(around: &'p Surroundings<'p, 'w>, status: u16) -> Self {
        Walk {
            around,
            status,
            records: Vec::new(),
            steps: 0,
            places: false,
            missing: Missing::default(),
            frames: Vec::new(),
        }
    }

    /// Walks a function with what its parameters are known to be. Gives the ways that leave it.
    pub(super) fn function(&mut self, id: FunctionId, arguments: Vec<Value<'p>>, mut path: Path<'p>) -> Ways<'p> {
        let function = self.around.program.function(id);
        let Some(body) = &function.body else { return vec![(path, Value::unknown(function.name_span))] };
        let Some(root) = body.root else { return vec![(path, Value::unknown(function.name_span))] };
        let home = Home { function: id, body, scope: function.scope, self_type: function.owner.self_type() };
        let caller = std::mem::take(&mut path.variables);
        self.frames.push(Frame { home, returns: Vec::new(), loops: Vec::new() });
        let mut arguments = arguments.into_iter();
        for parameter in &function.parameters {
            let value = arguments.next().unwrap_or_else(|| Value::unknown(function.name_span));
            path = self.bind(&parameter.pattern, &value, path);
        }
        let ways = self.eval(root, path);
        let mut ways = self.leave(ways);
        for (path, _) in &mut ways {
            path.variables = caller.clone();
        }
        ways
    }

    /// Ways that differ in nothing that matters become one.
    pub(super) fn join(&self, ways: Ways<'p>) -> Ways<'p> {
        meet(ways, self.places)
    }

    /// Ends a frame: what falls off its end and what returned.
    fn leave(&mut self, mut ways: Ways<'p>) -> Ways<'p> {
        if let Some(frame) = self.frames.pop() {
            ways.extend(frame.returns);
        }
        self.join(ways)
    }

    /// Whether there is room for one more function within functions, and it is not one of them.
    pub(super) fn may_enter(&self, id: FunctionId) -> bool {
        self.frames.len() < DEPTH && self.steps < STEPS && !self.frames.iter().any(|frame| frame.home.function == id)
    }

    /// The code that is being walked.
    pub(super) fn home(&self) -> Home<'p> {
        self.frames.last().expect("a frame is open while expressions are walked").home
    }

    /// Calls a closure, a function or a constructor with values.
    pub(super) fn apply(&mut self, callee: &Value<'p>, arguments: Vec<Value<'p>>, mut path: Path<'p>) -> Ways<'p> {
        match &callee.kind {
            Kind::Closure(closure) if self.frames.len() < DEPTH => {
                let is_here = std::ptr::eq(closure.home.body, self.home().body);
                let caller = path.variables.clone();
                if !is_here {
                    path.variables = closure.variables.clone();
                }
                self.frames.push(Frame { home: closure.home, returns: Vec::new(), loops: Vec::new() });
                let mut arguments = arguments.into_iter();
                for parameter in closure.parameters {
                    let value = arguments.next().unwrap_or_else(|| Value::unknown(callee.span));
                    path = self.bind(&parameter.pattern, &value, path);
                }
                let ways = self.eval(closure.body, path);
                let mut ways = self.leave(ways);
                if !is_here {
                    for (path, _) in &mut ways {
                        path.variables = caller.clone();
                    }
                }
                ways
            }
            Kind::Function(id) if self.may_enter(*id) => self.function(*id, arguments, path),
            Kind::Variant(name, fields) if fields.is_empty() => {
                let value = self.construct(name, arguments, callee.span);
                vec![(path, value)]
            }
            _ => {
                let hint = callee.hint || arguments.iter().any(|argument| argument.hint);
                vec![(path, Value { hint, ..Value::unknown(callee.span) })]
            }
        }
    }

    /// Evaluates each way's next expression.
    pub(super) fn then(
        &mut self,
        ways: Ways<'p>,
        mut next: impl FnMut(&mut Self, Path<'p>, Value<'p>) -> Ways<'p>,
    ) -> Ways<'p> {
        let mut all = Vec::new();
        for (path, value) in ways {
            all.extend(next(self, path, value));
        }
        self.join(all)
    }

    /// Evaluates expressions from left to right, each on every way.
    pub(super) fn eval_all(&mut self, ids: &[ExprId], path: Path<'p>) -> Vec<(Path<'p>, Vec<Value<'p>>)> {
        let mut ways = vec![(path, Vec::new())];
        for id in ids {
            let mut next = Vec::new();
            for (path, values) in ways {
                for (path, value) in self.eval(*id, path) {
                    let mut values: Vec<Value<'p>> = values.clone();
                    values.push(value);
                    next.push((path, values));
                }
            }
            next.truncate(16);
            ways = next;
        }
        ways
    }

    /// The ways through an expression. Empty where none comes out at its end.
    pub(super) fn eval(&mut self, id: ExprId, mut path: Path<'p>) -> Ways<'p> {
        let home = self.home();
        let expr = home.body.expr(id);
        let span = expr.span;
        self.steps += 1;
        if self.steps > STEPS {
            path.doubt = true;
            return vec![(path, Value::unknown(span))];
        }
        let plain = |path, kind| vec![(path, Value::new(kind, span))];
        match &expr.op {
            op if names_header(op) => {
                path.born.get_or_insert((span, home.function));
                vec![(path, Value::hint(span))]
            }
            Op::Literal(literal) => plain(path, of_literal(literal)),
            Op::Path(written) => {
                let value = self.path_value(written, span);
                vec![(path, value)]
            }
            Op::Local(local) => {
                let value = path.get(*local).cloned().unwrap_or_else(|| Value::unknown(span));
                if value.hint {
                    path.read.get_or_insert((span, home.function));
                }
                vec![(path, Value { span, ..value })]
            }
            Op::Call { callee, arguments } => self.call(*callee, arguments, span, path),
            Op::Method { receiver, name, name_span, arguments, .. } => {
                let place = Span { start: name_span.start, ..span };
                self.method(*receiver, name, arguments, place, path)
            }
            Op::Field { base, name } => {
                let ways = self.eval(*base, path);
                self.then(ways, |walk, mut path, base| {
                    let value = walk.field(&base, name, span);
                    if value.hint && !base.hint {
                        path.born.get_or_insert((span, home.function));
                    }
                    vec![(path, value)]
                })
            }
            Op::Index { base, index } => {
                let ways = self.eval_all(&[*base, *index], path);
                ways.into_iter()
                    .map(|(path, values)| {
                        let hint = values.iter().any(|value| value.hint);
                        (path, Value { hint, ..Value::unknown(span) })
                    })
                    .collect()
            }
            Op::Construct { path: written, fields, rest } => {
                let ids: Vec<ExprId> = fields.iter().map(|(_, value)| *value).chain(*rest).collect();
                let ways = self.eval_all(&ids, path);
                let name: Name = written.last().into();
                ways.into_iter()
                    .map(|(path, values)| {
                        let hint = values.iter().any(|value| value.hint);
                        let fields = fields.iter().map(|(name, _)| name.clone()).zip(values).collect();
                        (path, Value { hint, ..Value::new(Kind::Variant(name.clone(), Rc::new(fields)), span) })
                    })
                    .collect()
            }
            Op::Tuple(values) | Op::List(values) => {
                let ways = self.eval_all(values, path);
                ways.into_iter().map(|(path, values)| (path, Value::new(Kind::List(Rc::new(values)), span))).collect()
            }
            Op::Range { from, to, inclusive } => {
                let ids: Vec<ExprId> = from.iter().chain(to).copied().collect();
                let ways = self.eval_all(&ids, path);
                ways.into_iter()
                    .map(|(path, values)| {
                        let mut ends = values.iter().map(|value| match value.kind {
                            Kind::Number(number) => Some(number),
                            _ => None,
                        });
                        let low = if from.is_some() { ends.next().flatten() } else { Some(i128::MIN) };
                        let high = if to.is_some() { ends.next().flatten() } else { Some(i128::MAX) };
                        let kind = match (low, high) {
                            (Some(low), Some(high)) => Kind::Range(low, if *inclusive { high } else { high - 1 }),
                            _ => Kind::Unknown,
                        };
                        (path, Value::new(kind, span))
                    })
                    .collect()
            }
            Op::Cast { value, .. } | Op::Reference { value, .. } | Op::Dereference(value) => self.eval(*value, path),
            Op::Await(value) => {
                let ways = self.eval(*value, path);
                self.then(ways, |walk, path, value| walk.awaited(path, value))
            }
            Op::Binary { op, left, right } => self.binary(*op, *left, *right, span, path),
            Op::Not(value) => {
                let ways = self.eval(*value, path);
                ways.into_iter()
                    .map(|(path, value)| {
                        let kind = match value.kind {
                            Kind::Bool(known) => Kind::Bool(!known),
                            Kind::Open { on } => Kind::Open { on: !on },
                            _ => Kind::Unknown,
                        };
                        (path, Value { kind, ..value })
                    })
                    .collect()
            }
            Op::Negate(value) | Op::Repeat { value } => {
                let ways = self.eval(*value, path);
                ways.into_iter()
                    .map(|(path, value)| (path, Value { kind: Kind::Unknown, of_status: false, ..value }))
                    .collect()
            }
            Op::Block { body, has_value, label } => self.block(body, *has_value, label.as_ref(), span, path),
            Op::Let { pattern, value, otherwise, .. } => self.let_(pattern, *value, *otherwise, span, path),
            Op::Store { place, op, value } => {
                let before = path.read;
                let ways = self.eval(*value, path);
                self.then(ways, |walk, mut path, value| {
                    match &home.body.expr(*place).op {
                        Op::Local(local) => {
                            if value.hint {
                                path.read = before.or(path.read.filter(|_| op.is_some()));
                            }
                            let kept = op.is_none();
                            let hint = value.hint || op.is_some() && path.get(*local).is_some_and(|old| old.hint);
                            let value = if kept { value } else { Value::unknown(value.span) };
                            path.set(*local, Value { hint, ..value });
                        }
                        _ if value.hint => {
                            path.read.get_or_insert((value.span, walk.home().function));
                        }
                        _ => {}
                    }
                    vec![(path, Value::unknown(span))]
                })
            }
            Op::Branch { scrutinee, arms } => {
                let Some(scrutinee) = scrutinee else {
                    return self.arms(arms, Value::unknown(span), path);
                };
                let ways = self.eval(*scrutinee, path);
                self.then(ways, |walk, mut path, value| {
                    if value.hint {
                        path.read.get_or_insert((value.span, walk.home().function));
                    }
                    walk.arms(arms, value, path)
                })
            }
            Op::Loop { label, body } => self.loop_(label.as_ref(), None, true, *body, span, path),
            Op::For { label, pattern, iterator, body } => {
                let ways = self.eval(*iterator, path);
                self.then(ways, |walk, path, iterated| {
                    let is_count = matches!(home.body.expr(*iterator).op, Op::Range { .. });
                    let element = match &iterated.kind {
                        Kind::Headers => Value { kind: Kind::Headers, ..iterated },
                        _ => Value { hint: iterated.hint, ..Value::unknown(span) },
                    };
                    walk.loop_(label.as_ref(), Some((pattern, element)), is_count, *body, span, path)
                })
            }
            Op::Closure { parameters, body, .. } => {
                let closure = Closure { home, parameters, body: *body, variables: path.variables.clone() };
                plain(path, Kind::Closure(Rc::new(closure)))
            }
            Op::Async(body) => {
                self.frames.push(Frame { home, returns: Vec::new(), loops: Vec::new() });
                let ways = self.eval(*body, path);
                self.leave(ways)
            }
            Op::Try(value) => {
                let ways = self.eval(*value, path);
                self.then(ways, |walk, path, value| walk.try_(path, value, span))
            }
            Op::Return(value) => {
                let ways = match value {
                    Some(value) => self.eval(*value, path),
                    None => plain(path, Kind::Unknown),
                };
                self.returns(ways);
                Vec::new()
            }
            Op::Break { label, value } => {
                let ways = match value {
                    Some(value) => self.eval(*value, path),
                    None => plain(path, Kind::Unknown),
                };
                if let Some(frame) = self.loop_of(label.as_ref()) {
                    frame.breaks.extend(ways);
                }
                Vec::new()
            }
            Op::Continue { label } => {
                if let Some(frame) = self.loop_of(label.as_ref()) {
                    frame.rounds.push((path, span));
                }
                Vec::new()
            }
            Op::Panic => Vec::new(),
            Op::Format { values, .. } => {
                let ways = self.eval_all(values, path);
                ways.into_iter()
                    .map(|(path, values)| {
                        let hint = values.iter().any(|value| value.hint);
                        (path, Value { hint, ..Value::unknown(span) })
                    })
                    .collect()
            }
            Op::Select(arms) => {
                let mut all = Vec::new();
                for arm in arms {
                    let ways = self.eval(arm.future, path.clone());
                    all.extend(self.then(ways, |walk, path, value| {
                        let path = match &arm.pattern {
                            Some(pattern) => walk.fit(pattern, &value, path, span).yes,
                            None => Some(path),
                        };
                        match (path, arm.body) {
                            (Some(path), Some(body)) => walk.eval(body, path),
                            (Some(path), None) => vec![(path, value)],
                            (None, _) => Vec::new(),
                        }
                    }));
                }
                self.join(all)
            }
            Op::Discard(_) => plain(path, Kind::Unknown),
            Op::Opaque { children, .. } => {
                let ways = self.eval_all(children, path);
                ways.into_iter()
                    .map(|(mut path, values)| {
                        path.doubt |= values.iter().any(Value::carries);
                        (path, Value::unknown(span))
                    })
                    .collect()
            }
        }
    }

    fn returns(&mut self, ways: Ways<'p>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.returns.extend(ways);
        }
    }

    fn loop_of(&mut self, label: Option<&Name>) -> Option<&mut LoopFrame<'p>> {
        let loops = &mut self.frames.last_mut()?.loops;
        match label {
            Some(label) => loops.iter_mut().rev().find(|frame| frame.label.as_ref() == Some(label)),
            None => loops.iter_mut().rev().find(|frame| frame.is_loop),
        }
    }

    fn block(
        &mut self,
        body: &'p [ExprId],
        has_value: bool,
        label: Option<&Name>,
        span: Span,
        path: Path<'p>,
    ) -> Ways<'p> {
        if let Some(label) = label {
            let frame =
                LoopFrame { label: Some(label.clone()), span, is_loop: false, breaks: Vec::new(), rounds: Vec::new() };
            self.frames.last_mut().expect("a frame is open").loops.push(frame);
        }
        let home = self.home();
        let mut ways = vec![(path, Value::unknown(span))];
        for (index, id) in body.iter().enumerate() {
            let is_value = has_value && index + 1 == body.len();
            let is_let = matches!(home.body.expr(*id).op, Op::Let { .. } | Op::Store { .. });
            ways = self.then(ways, |walk, path, _| walk.eval(*id, path));
            if !is_value {
                for (path, value) in &mut ways {
                    if value.hint && !is_let {
                        path.read.get_or_insert((value.span, home.function));
                    }
                    *value = Value::unknown(span);
                }
                ways = self.join(ways);
            }
            if ways.is_empty() {
                break;
            }
        }
        if label.is_some()
            && let Some(frame) = self.frames.last_mut().and_then(|frame| frame.loops.pop())
        {
            ways.extend(frame.breaks);
        }
        ways
    }

    fn let_(
        &mut self,
        pattern: &'p Pattern,
        value: Option<ExprId>,
        otherwise: Option<ExprId>,
        span: Span,
        path: Path<'p>,
    ) -> Ways<'p> {
        let Some(value) = value else { return vec![(path, Value::unknown(span))] };
        let before = path.read;
        let ways = self.eval(value, path);
        self.then(ways, |walk, mut path, value| {
            // A hint that is only given another name is not used yet.
            if value.hint && otherwise.is_none() {
                path.read = before;
            } else if value.hint {
                path.read.get_or_insert((value.span, walk.home().function));
            }
            let Some(otherwise) = otherwise else {
                let path = walk.bind(pattern, &value, path);
                return vec![(path, Value::unknown(span))];
            };
            let fit = walk.fit(pattern, &value, path, span);
            if let Some(path) = fit.no {
                walk.eval(otherwise, path);
            }
            fit.yes.map(|path| (path, Value::unknown(span))).into_iter().collect()
        })
    }

    /// Walks a loop's body once: what comes to its end, or to a `continue`, goes round.
    fn loop_(
        &mut self,
        label: Option<&Name>,
        element: Option<(&'p Pattern, Value<'p>)>,
        is_count: bool,
        body: ExprId,
        span: Span,
        path: Path<'p>,
    ) -> Ways<'p> {
        let home = self.home();
        let is_for = element.is_some();
        let (entry, outer) = (path.clone(), path.clone());
        let mut path = path;
        path.in_hand = None;
        path.wait = None;
        path.tests = Rc::default();
        path.dropped = None;
        // A hint that was read before is that of another response.
        path.read = None;
        path.born = None;
        if let Some((pattern, element)) = element {
            path = self.bind(pattern, &element, path);
        }
        let frame = LoopFrame { label: label.cloned(), span, is_loop: true, breaks: Vec::new(), rounds: Vec::new() };
        self.frames.last_mut().expect("a frame is open").loops.push(frame);
        let ways = self.eval(body, path);
        let Some(frame) = self.frames.last_mut().and_then(|frame| frame.loops.pop()) else { return Vec::new() };
        let end = Span { start: span.end.saturating_sub(1), ..span };
        let rounds: Vec<(Path<'p>, Span)> =
            frame.rounds.into_iter().chain(ways.into_iter().map(|(path, _)| (path, end))).collect();
        for (path, at) in &rounds {
            self.record(Ending::Round { around: frame.span, at: *at, is_count }, path, home.function, false);
        }
        let mut after: Ways<'p> = frame.breaks;
        if is_for {
            after.extend(rounds.into_iter().map(|(path, _)| (path, Value::unknown(span))));
            after.push((entry, Value::unknown(span)));
        }
        for (path, _) in &mut after {
            path.in_hand = path.in_hand.or(outer.in_hand);
            path.wait = outer.wait;
            if path.tests.is_empty() {
                path.tests = outer.tests.clone();
            }
            path.dropped = path.dropped.or(outer.dropped);
            path.read = path.read.or(outer.read);
            path.born = path.born.or(outer.born);
        }
        self.join(after)
    }

    /// Records where a way ends up.
    pub(super) fn record(&mut self, ending: Ending, path: &Path<'p>, function: FunctionId, by_name: bool) {
        let Some(test) = path.tested() else { return };
        if path.in_hand.is_none() && path.dropped.is_none() {
            return;
        }
        self.records.push(Record {
            status: self.status,
            ending,
            function,
            test,
            tests: path.tests.to_vec(),
            in_hand: path.in_hand,
            wait: path.wait,
            read: path.read,
            born: path.born,
            dropped: path.dropped,
            doubt: path.doubt,
            guessed: path.guessed || by_name,
            unused: path.read.is_none() && super::call::holds_hint(path),
        });
    }

    /// What a path that names no variable is.
    pub(super) fn path_value(&self, written: &'p crate::ir::Path, span: Span) -> Value<'p> {
        let last = written.last();
        if last == "None" {
            return Value::new(Kind::Nothing, span);
        }
        let of_status = |parent: &Name| matches!(&**parent, "StatusCode" | "Status");
        let camel = written.segments.iter().rev().nth(1).is_some_and(of_status).then(|| super::status::constant(last));
        if let Some(number) = super::status::named(last).or_else(|| super::status::named(&camel?)) {
            return Value::new(Kind::Number(i128::from(number)), span);
        }
        if self.around.constants.contains(last) {
            return Value::hint(span);
        }
        let home = self.home();
        match self.around.resolve(home, written) {
            Resolved::Functions(ids) => Value::new(Kind::Function(ids[0]), span),
            Resolved::Constant(id) => {
                let constant = self.around.program.constant(id);
                let value = constant.body.as_ref().and_then(|body| of_constant(body, body.root?, 0));
                value.map_or_else(|| Value::unknown(span), |kind| Value::new(kind, span))
            }
            _ if last.starts_with(char::is_uppercase) && !last.chars().all(|c| c.is_uppercase() || c == '_') => {
                Value::new(Kind::Variant(last.into(), Rc::default()), span)
            }
            _ => Value::unknown(span),
        }
    }

    fn try_(&mut self, mut path: Path<'p>, value: Value<'p>, span: Span) -> Ways<'p> {
        match &value.kind {
            Kind::Ok(inner) => vec![(path, (**inner).clone())],
            Kind::Err(_) | Kind::Nothing => {
                if value.of_status {
                    path.test(self.home().function, span);
                }
                self.returns(vec![(path, value)]);
                Vec::new()
            }
            Kind::Content => {
                let mut failed = path.clone();
                failed.in_hand = None;
                failed.tests = Rc::default();
                self.returns(vec![(failed, Value::new(Kind::Err(Rc::new(Value::new(Kind::Failure, span))), span))]);
                vec![(path, Value::unknown(span))]
            }
            Kind::Unknown => {
                let failure = Value::new(Kind::Err(Rc::new(Value::new(Kind::Failure, span))), span);
                self.returns(vec![(path.clone(), failure)]);
                vec![(path, value)]
            }
            _ => vec![(path, value)],
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span, path: Path<'p>) -> Ways<'p> {
        let ways = self.eval(left, path);
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let absorbing = op == BinaryOp::Or;
            return self.then(ways, |walk, path, left| match left.kind {
                Kind::Bool(known) if known == absorbing => vec![(path, left)],
                _ => {
                    let ways = walk.eval(right, path);
                    ways.into_iter().map(|(path, right)| (path, both(&left, &right, absorbing, span))).collect()
                }
            });
        }
        self.then(ways, |walk, path, left| {
            let ways = walk.eval(right, path);
            ways.into_iter().map(|(path, right)| (path, compute(op, &left, &right, span))).collect()
        })
    }
}

/// Whether the function stands in an `impl` of a trait of this name.
pub(super) fn is_of_trait(owner: &Owner, name: &str) -> bool {
    matches!(owner, Owner::TraitImpl { of, .. } if of.last_segment() == Some(name))
}
