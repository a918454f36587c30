//! The evaluator: runs one function's code in one header case.
//!
//! It is an interpreter over the intermediate representation. Where a condition is known, one way is taken and the reason is kept; where
//! it is not, both ways are run and their states joined. Loops run until nothing is decided any more, twice at most otherwise.

pub use super::frame::{Frame, LoopFrame};

use super::case::Case;
use super::guard::through_lock;
use super::hazard::HazardKind;
use super::log::{Log, SinkKind};
use super::pattern::literal_kind;
use super::shape::{Shape, root_local};
use super::state::World;
use super::trail::{Event, Trail};
use super::value::{Closure, Code, Kind, Origin, OriginStep, TypeAt, Value, Variant};
use crate::ir::{BinaryOp, Body, ExprId, LocalId, Name, Op, Span, Type};
use crate::module::Program;
use crate::names;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The most expressions that one entry may evaluate in one case.
const STEPS: u32 = 12_000;
/// The deepest nesting of expressions, calls included.
const DEPTH: u32 = 1_500;

/// Runs code in one case.
pub struct Evaluator<'p, 'w> {
    /// What was lowered.
    pub program: &'p Program<'w>,
    /// The case.
    pub case: Case,
    /// What is found out.
    pub log: &'p mut Log,
    /// The state of the way that is being run.
    pub world: World,
    /// The running functions and closures, the innermost last.
    pub frames: Vec<Frame<'p>>,
    /// How many expressions were evaluated.
    pub steps: u32,
    depth: u32,
    /// How many asynchronous functions, blocks and closures are running.
    pub asynchronous: u32,
    /// How many functions are running that were only guessed by their name.
    pub guesses: u32,
    /// How often both ways of a condition were taken.
    pub forks: u64,
    pub next_frame: u64,
    /// The running loops and folds, the innermost last.
    pub iterations: Vec<Span>,
    /// Whether the budget is used up; everything is unknown from then on.
    pub exhausted: bool,
    /// The parameters' values at the end of the last function that was run, the receiver's first.
    pub changed_arguments: Vec<Option<Value>>,
    /// Constants by their place, once evaluated.
    pub constants: FxHashMap<crate::ir::ConstantId, Option<Value>>,
}

impl<'p, 'w> Evaluator<'p, 'w> {
    /// An evaluator for one case.
    pub fn new(program: &'p Program<'w>, case: Case, log: &'p mut Log, at: Span) -> Self {
        // A run before this one may have been cut short within a package.
        names::look_from(None);
        Evaluator {
            program,
            case,
            log,
            world: World::new(0, at),
            frames: Vec::new(),
            steps: 0,
            depth: 0,
            asynchronous: 0,
            guesses: 0,
            forks: 0,
            next_frame: 0,
            iterations: Vec::new(),
            exhausted: false,
            changed_arguments: Vec::new(),
            constants: FxHashMap::default(),
        }
    }

    /// Pays for so many copies of the state, which cost more the more there is in it.
    pub fn pay(&mut self, copies: usize) {
        let size = 1 + (self.world.locals.len() + self.world.shared.fields.len()) / 6;
        self.steps += u32::try_from(copies * size).unwrap_or(STEPS);
    }

    /// The shape of a code's arena.
    pub fn shape(&mut self, code: Code, body: &Body) -> Rc<Shape> {
        self.log.shapes.entry(code).or_insert_with(|| Rc::new(Shape::of(body))).clone()
    }

    /// Evaluates an expression. None: the way ends inside it. `want` is the type that the surroundings ask for.
    pub fn eval(&mut self, id: ExprId, want: Option<&TypeAt>) -> Option<Value> {
        self.steps += 1;
        let body = self.frame().body;
        let span = body.expr(id).span;
        if self.steps > STEPS || self.depth > DEPTH {
            if !self.exhausted {
                self.exhausted = true;
                self.log.over_budget(span);
            }
            return Some(Value::unknown(span));
        }
        self.depth += 1;
        let value = self.eval_op(id, &body.expr(id).op, span, want);
        self.depth -= 1;
        value
    }

    fn eval_op(&mut self, id: ExprId, op: &'p Op, span: Span, want: Option<&TypeAt>) -> Option<Value> {
        Some(match op {
            Op::Literal(literal) => Value::plain(literal_kind(literal), span),
            Op::Path(path) => self.path_value(path, span, want),
            Op::Local(local) => self.local(*local, span),
            Op::Call { callee, arguments } => return self.call(*callee, arguments, span, want),
            Op::Method { receiver, name, name_span, generics, arguments } => {
                let focus = Span { start: name_span.start, ..span };
                return self.method(*receiver, name, focus, generics, arguments, want);
            }
            Op::Field { base, name } => {
                let base = self.eval(*base, None)?;
                self.field(&base, name, span)
            }
            Op::Index { base, index } => {
                let base = self.eval(*base, None)?;
                let index = self.eval(*index, None)?;
                if self.is_missing_header(&base, &index, span) {
                    return None;
                }
                self.index(&base, &index, span)
            }
            Op::Construct { path, fields, rest } => {
                let (name, ty) = self.constructed(path);
                let mut values = Vec::with_capacity(fields.len());
                for (field, value) in fields {
                    let want = ty.and_then(|ty| self.field_type(ty, Some(&name), field));
                    let value = self.eval(*value, want.as_ref())?;
                    if let Some(ty) = &want {
                        self.note_type(&value, ty);
                    }
                    self.made_of(&name, field, &value);
                    values.push((field.clone(), value));
                }
                if let Some(rest) = rest {
                    let rest = self.eval(*rest, None)?;
                    if let Kind::Variant(base) = &rest.kind {
                        for (field, value) in &base.fields {
                            if !values.iter().any(|(known, _)| known == field) {
                                values.push((field.clone(), value.clone()));
                            }
                        }
                    }
                }
                Value::plain(Kind::Variant(Rc::new(Variant { name, ty, fields: values })), span)
            }
            Op::Tuple(values) if values.is_empty() => Value::plain(Kind::Unit, span),
            Op::Tuple(values) => {
                let parts: Vec<Option<TypeAt>> = match want.map(|want| &want.ty) {
                    Some(Type::Tuple(types)) => {
                        types.iter().map(|ty| want.map(|want| TypeAt { ty: ty.clone(), ..want.clone() })).collect()
                    }
                    _ => Vec::new(),
                };
                let mut made = Vec::with_capacity(values.len());
                for (index, value) in values.iter().enumerate() {
                    let want = parts.get(index).cloned().flatten();
                    made.push(self.eval(*value, want.as_ref())?);
                }
                self.emit_pair(&made, span);
                Value::plain(Kind::Tuple(made.into()), span)
            }
            Op::List(values) => Value::plain(Kind::List(self.eval_all(values)?.into()), span),
            Op::Repeat { value } => {
                let value = self.eval(*value, None)?;
                if value.is_tainted() { value } else { Value::unknown(span) }
            }
            Op::Range { from, to, inclusive } => {
                let mut fields: Vec<(Name, Value)> = Vec::new();
                for (name, end) in [("from", from), ("to", to)] {
                    if let Some(end) = end {
                        fields.push((name.into(), self.eval(*end, None)?));
                    }
                }
                let name = if *inclusive { "RangeInclusive" } else { "Range" };
                Value::plain(Kind::Variant(Rc::new(Variant { name: name.into(), ty: None, fields })), span)
            }
            Op::Cast { value, ty } => {
                let value = self.eval(*value, None)?;
                self.each(&value, |this, value| this.cast(value, ty, span))
            }
            Op::Binary { op: BinaryOp::And, left, right } => return self.lazy(*left, *right, true, span),
            Op::Binary { op: BinaryOp::Or, left, right } => return self.lazy(*left, *right, false, span),
            Op::Binary { op, left, right } => {
                let left = self.eval(*left, None)?;
                let right = self.eval(*right, None)?;
                let result = self.binary(*op, &left, &right, span);
                self.check_operator(*op, &left, &right, &result, span);
                result
            }
            Op::Not(value) => {
                let value = self.eval(*value, None)?;
                self.each(&value, |_, value| match value.kind {
                    Kind::Bool(truth) => value.map(Kind::Bool(!truth)),
                    _ => value.map(Kind::Maybe),
                })
            }
            Op::Negate(value) => {
                let value = self.eval(*value, None)?;
                self.each(&value, |_, value| match value.kind {
                    Kind::Integer(number) => value.map(Kind::Integer(number.saturating_neg())),
                    Kind::Float(number) => value.map(Kind::Float(-number)),
                    Kind::Duration(time) => value.map(Kind::Duration(time.saturating_neg())),
                    _ => value.clone(),
                })
            }
            Op::Reference { value, .. } | Op::Dereference(value) => return self.eval(*value, want),
            Op::Block { body, has_value, label } => return self.block(body, *has_value, label.as_ref(), span, want),
            Op::Let { pattern, ty, value, otherwise } => {
                let want = ty.as_ref().map(|ty| self.type_here(ty));
                let value = match value {
                    Some(value) => self.eval(*value, want.as_ref())?,
                    None => return Some(Value::unit()),
                };
                let value = self.taken_as(value, want);
                match otherwise {
                    None => {
                        self.bind(pattern, &value, span);
                    }
                    Some(otherwise) => {
                        let (fits, misses) = self.split(pattern, &value, span);
                        let before = self.world.clone();
                        if !misses.is_empty() {
                            let because = reasons(&misses);
                            self.world.context = self.world.context.both(&because);
                            // A let-else block diverges; what it returns is recorded on the way.
                            let _ = self.eval(*otherwise, None);
                        }
                        self.world = before;
                        if fits.is_empty() {
                            return None;
                        }
                        let fits = Value::one_of(fits, span);
                        self.world.context = self.world.context.both(&reasons(fits.alternatives()));
                        self.bind(pattern, &fits, span);
                    }
                }
                Value::unit()
            }
            Op::Store { place, op, value } => {
                let want = root_local(self.frame().body, *place)
                    .and_then(|local| self.frame().body.locals[local.0 as usize].ty.clone())
                    .map(|ty| self.type_here(&ty));
                let mut value = self.eval(*value, want.as_ref())?;
                if let Some(op) = op {
                    let before = self.eval(*place, None)?;
                    let result = self.binary(*op, &before, &value, span);
                    self.check_operator(*op, &before, &value, &result, span);
                    value = result;
                }
                let locked = through_lock(self.frame().body, *place) && value.is_tainted();
                if locked {
                    let (first, context, code) = (self.log.outcomes.len(), self.world.context.clone(), self.code());
                    self.log.outcome(self.case, SinkKind::Stored, span, code, &value, &context);
                    self.log.stored_since(first).for_each(|outcome| outcome.behind_lock = true);
                }
                self.store(*place, value, span)?;
                Value::unit()
            }
            Op::Branch { scrutinee, arms } => return self.branch(id, *scrutinee, arms, span, want),
            Op::Loop { label, body } => {
                let head = self.loop_head(*body, span);
                return self.run_loop(label.as_ref(), None, *body, head, span);
            }
            Op::For { label, pattern, iterator, body } => {
                let head = Span { end: self.frame().body.expr(*iterator).span.end, ..span };
                let iterator = self.eval(*iterator, None)?;
                return self.run_loop(label.as_ref(), Some((pattern, iterator)), *body, head, span);
            }
            Op::Closure { .. } => {
                let closure = Closure {
                    code: self.frame().code,
                    expr: id,
                    locals: self.world.locals.clone(),
                    frame: self.frame().id,
                };
                self.run_emitting_closure(&closure, span);
                Value::plain(Kind::Closure(Rc::new(closure)), span)
            }
            Op::Async(body) => return self.run_async(*body, span),
            Op::Await(value) => {
                let value = self.eval(*value, want)?;
                self.await_value(value, span)
            }
            Op::Try(value) => {
                let value = self.eval(*value, want)?;
                return self.try_value(&value, span);
            }
            Op::Return(value) => {
                let want = self.frame().output.clone();
                let value = match value {
                    Some(value) => self.eval(*value, want.as_ref())?,
                    None => Value::plain(Kind::Unit, span),
                };
                self.leave(value, span);
                return None;
            }
            Op::Break { label, value } => {
                let value = match value {
                    Some(value) => self.eval(*value, None)?,
                    None => Value::plain(Kind::Unit, span),
                };
                let value = value.chosen(span, &self.world.context);
                let world = self.world.clone();
                if let Some(frame) = self.loop_frame(label.as_ref(), true) {
                    frame.breaks.push((value, world));
                }
                return None;
            }
            Op::Continue { label } => {
                let mut world = self.world.clone();
                if world.context.is_some() && !world.shared.slept.is_tainted() {
                    let slept = Value { at: Some(span), ..world.shared.slept.clone() };
                    world.shared.slept = slept.chosen(span, &world.context);
                }
                if let Some(frame) = self.loop_frame(label.as_ref(), false) {
                    frame.continues.push(world);
                }
                return None;
            }
            Op::Panic => {
                let context = self.world.context.clone();
                self.hazard(HazardKind::Panic, span, &context);
                return None;
            }
            Op::Format { template, values, styles, writer } => {
                let values = self.eval_all(values)?;
                if self.is_emission() {
                    self.emit_text(template, &values, styles, writer.is_some(), span);
                    return Some(self.shown(template, &values, styles, span));
                }
                if let Some(writer) = writer {
                    self.eval(*writer, None)?;
                }
                self.format(template, &values, span)
            }
            Op::Select(arms) => {
                let before = self.world.clone();
                let mut results = Vec::new();
                let mut worlds = Vec::new();
                let race = arms.iter().any(|arm| arm.body.is_some());
                for arm in arms {
                    if race {
                        self.world = before.clone();
                    }
                    let first = self.log.outcomes.len();
                    let Some(output) = self.eval(arm.future, None) else { continue };
                    let output = self.await_value(output, span);
                    if race {
                        self.log.slept_since(first).for_each(|outcome| outcome.in_select = true);
                    }
                    if let Some(pattern) = &arm.pattern {
                        self.bind(pattern, &output, span);
                    }
                    let result = match arm.body {
                        Some(body) => self.eval(body, want),
                        None => Some(output),
                    };
                    if let Some(result) = result {
                        results.push(result);
                        if race {
                            worlds.push(self.world.clone());
                        }
                    }
                }
                if !race {
                    return Some(Value::plain(Kind::Tuple(results.into()), span));
                }
                self.forks += 1;
                self.world = World::join(worlds, span)?;
                Value::one_of(results, span)
            }
            Op::Discard(values) => {
                self.eval_all(values)?;
                Value::unit()
            }
            Op::Opaque { reason, children } => {
                let values = self.eval_all(children)?;
                let tainted: Vec<_> = values.into_iter().filter(Value::is_tainted).collect();
                if !tainted.is_empty() {
                    self.log.opaque(span, reason);
                    for value in &tainted {
                        self.escapes(value, span);
                    }
                }
                Value::unknown(span)
            }
        })
    }

    /// Evaluates expressions in order.
    pub fn eval_all(&mut self, ids: &[ExprId]) -> Option<Vec<Value>> {
        ids.iter().map(|id| self.eval(*id, None)).collect()
    }

    /// Applies a function to each alternative of a value.
    pub fn each(&mut self, value: &Value, mut apply: impl FnMut(&mut Self, &Value) -> Value) -> Value {
        let Kind::OneOf(values) = &value.kind else { return apply(self, value) };
        let at = value.at.or_else(|| values.iter().find_map(|value| value.at));
        let results: Vec<_> = values.clone().iter().map(|value| apply(self, value)).collect();
        let at = at.unwrap_or_else(|| self.here());
        Value::one_of(results, at)
    }

    /// Some place in the running code, for values that need one.
    pub fn here(&self) -> Span {
        let body = self.frame().body;
        body.root.map_or(Span { file: crate::ir::FileId(0), start: 0, end: 0 }, |root| body.expr(root).span)
    }

    fn local(&mut self, local: LocalId, span: Span) -> Value {
        match self.world.locals.get(local.0 as usize) {
            Some(Some(value)) => self.settle(value.clone(), span),
            _ => {
                let declared = &self.frame().body.locals[local.0 as usize];
                let ty = declared.ty.as_ref().map(|ty| self.type_here(ty));
                self.named_unknown(Origin::new(OriginStep::Named(declared.name.clone()), None, ty), span)
            }
        }
    }

    fn lazy(&mut self, left: ExprId, right: ExprId, and: bool, span: Span) -> Option<Value> {
        let left = self.eval(left, None)?;
        let mut results = Vec::new();
        let mut undecided = Vec::new();
        for value in left.alternatives() {
            match value.kind {
                Kind::Bool(truth) if truth != and => results.push(value.clone()),
                _ => undecided.push(value.clone()),
            }
        }
        if undecided.is_empty() {
            return Some(Value::one_of(results, span));
        }
        let maybe = undecided.iter().any(|value| !matches!(value.kind, Kind::Bool(_)));
        let because = reasons(&undecided);
        let before = (maybe || !results.is_empty()).then(|| self.world.clone());
        let right = self.eval(right, None);
        match (right, before) {
            (Some(right), None) => Some(right.chosen(span, &because)),
            (right, Some(before)) => {
                if maybe {
                    results.push(Value { kind: Kind::Maybe, trail: because.clone(), at: Some(span) });
                }
                let after = self.world.clone();
                let mut worlds = vec![before];
                if let Some(right) = right {
                    worlds.push(after);
                    // What is not known on the left leaves only one answer certain: the one that the right side alone gives.
                    if !maybe
                        || matches!(right.kind, Kind::Bool(truth) if truth != and)
                        || right
                            .alternatives()
                            .iter()
                            .any(|value| matches!(value.kind, Kind::Bool(truth) if truth != and))
                    {
                        results.extend(
                            right
                                .alternatives()
                                .iter()
                                .filter(|value| !maybe || matches!(value.kind, Kind::Bool(truth) if truth != and))
                                .map(|value| value.clone().chosen(span, &because)),
                        );
                        if maybe
                            && right
                                .alternatives()
                                .iter()
                                .all(|value| matches!(value.kind, Kind::Bool(truth) if truth != and))
                        {
                            results.retain(|value| !matches!(value.kind, Kind::Maybe));
                        }
                    } else if let Some(last) = results.iter_mut().rev().find(|value| matches!(value.kind, Kind::Maybe))
                    {
                        last.trail = last.trail.both(&reasons(right.alternatives()));
                    }
                }
                self.world = World::join(worlds, span)?;
                Some(Value::one_of(results, span))
            }
            (None, None) => None,
        }
    }

    fn block(
        &mut self,
        body: &[ExprId],
        has_value: bool,
        label: Option<&Name>,
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        if let Some(label) = label {
            self.current().loops.push(LoopFrame {
                label: Some(label.clone()),
                is_block: true,
                breaks: Vec::new(),
                continues: Vec::new(),
                hint_decides: false,
            });
            let value = self.block(body, has_value, None, span, want);
            let frame = self.current().loops.pop().expect("pushed above");
            let mut values = Vec::new();
            let mut worlds = Vec::new();
            if let Some(value) = value {
                values.push(value);
                worlds.push(self.world.clone());
            }
            for (value, world) in frame.breaks {
                values.push(value);
                worlds.push(world);
            }
            self.world = World::join(worlds, span)?;
            return Some(Value::one_of(values, span));
        }
        let mut last = None;
        for (index, id) in body.iter().enumerate() {
            let is_value = has_value && index + 1 == body.len();
            last = Some(self.eval(*id, if is_value { want } else { None })?);
        }
        Some(if has_value { last.unwrap_or_else(Value::unit) } else { Value::plain(Kind::Unit, span) })
    }

    /// `value?`
    pub fn try_value(&mut self, value: &Value, span: Span) -> Option<Value> {
        let mut good = Vec::new();
        let mut failed = Vec::new();
        for value in value.alternatives() {
            match value.variant_name() {
                Some("None" | "Err") => failed.push(value.clone()),
                Some("Some" | "Ok") => good.push(inherit(value.payload().cloned().unwrap_or_else(Value::unit), value)),
                _ => good.push(match &value.kind {
                    Kind::Unknown(origin) => {
                        let ty = origin.ty.as_ref().and_then(inner_type);
                        let part = self.part(value, OriginStep::Inner, ty, span);
                        inherit(part, value)
                    }
                    _ => value.clone(),
                }),
            }
        }
        if !failed.is_empty() {
            let shared = self.world.shared.clone();
            for value in failed {
                let value = value.chosen(span, &self.world.context.clone());
                self.current().returns.push((value, shared.clone()));
            }
        }
        if good.is_empty() {
            return None;
        }
        let because = reasons(
            value
                .alternatives()
                .iter()
                .filter(|value| matches!(value.variant_name(), Some("Some" | "Ok")))
                .cloned()
                .collect::<Vec<_>>()
                .as_slice(),
        );
        self.world.context = self.world.context.both(&because);
        Some(Value::one_of(good, span))
    }
}

/// The reasons of several alternatives as one.
pub fn reasons(values: &[Value]) -> Trail {
    values.iter().fold(Trail::NONE, |trail, value| trail.both(&value.trail))
}

/// A payload with its container's reason, where it has none of its own.
pub fn inherit(payload: Value, container: &Value) -> Value {
    if payload.is_tainted() || !container.trail.is_some() {
        payload
    } else {
        Value { trail: container.trail.clone(), ..payload }
    }
}

/// The type inside `Option<T>`, `Result<T, E>`, a lock or another container.
pub fn inner_type(ty: &TypeAt) -> Option<TypeAt> {
    ty.ty.arguments().first().map(|inner| TypeAt { ty: inner.clone(), ..ty.clone() })
}

/// A trail that goes on with one more event.
pub fn step(event: Event, span: Span, from: &Trail) -> Trail {
    Trail::new(event, span, &[from], &[])
}
