//! The evaluator: runs one function's code in one header case.
//!
//! It is an interpreter over the intermediate representation. Where a condition is known, one way is taken and the reason is kept; where
//! it is not, both ways are run and their states joined. Loops run until nothing is decided any more, twice at most otherwise.

use super::case::Case;
use super::log::{Log, SinkKind};
use super::shape::{Shape, root_local};
use super::state::{Shared, World};
use super::trail::{Event, Trail};
use super::value::{Closure, Code, Kind, Origin, OriginStep, TypeAt, Value, Variant};
use crate::ir::{Arm, BinaryOp, Body, Condition, ExprId, FunctionId, Literal, LocalId, Name, Op, Pattern, ScopeId, Span, Type};
use crate::module::Program;
use std::collections::HashMap;
use std::rc::Rc;

/// The most expressions that one entry may evaluate in one case.
const STEPS: u32 = 40_000;
/// The deepest nesting of expressions, calls included.
const DEPTH: u32 = 1_500;
/// The most rounds of a loop whose every decision is known.
const ROUNDS: u32 = 48;

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
    shapes: HashMap<Code, Rc<Shape>>,
    /// How many expressions were evaluated.
    pub steps: u32,
    depth: u32,
    forks: u64,
    next_frame: u64,
    /// The running loops and folds, the innermost last.
    pub iterations: Vec<Span>,
    /// Whether the budget is used up; everything is unknown from then on.
    pub exhausted: bool,
    /// The parameters' values at the end of the last function that was run, the receiver's first.
    pub changed_arguments: Vec<Option<Value>>,
    /// Constants by their place, once evaluated.
    pub constants: HashMap<crate::ir::ConstantId, Option<Value>>,
}

/// A running function or closure.
pub struct Frame<'p> {
    /// The code.
    pub code: Code,
    /// Its arena.
    pub body: &'p Body,
    /// Its number; closures made in it remember it.
    pub id: u64,
    /// What it returned so far, and the state then.
    pub returns: Vec<(Value, Shared)>,
    /// Its running loops, the innermost last.
    pub loops: Vec<LoopFrame>,
    /// What `Self` is.
    pub self_type: Option<Type>,
    /// Where its paths are resolved.
    pub scope: ScopeId,
    /// The type it gives.
    pub output: Option<TypeAt>,
    /// The closure's expression, where it is one.
    pub closure: Option<Span>,
    /// The shape of the arena.
    pub shape: Rc<Shape>,
}

/// A running loop, or a labelled block.
pub struct LoopFrame {
    label: Option<Name>,
    is_block: bool,
    breaks: Vec<(Value, World)>,
    continues: Vec<World>,
    /// Whether a hint decides when it ends.
    hint_decides: bool,
}

/// The outcome of a test: the values and reasons with which it holds and with which it does not.
struct Test {
    yes: Option<Trail>,
    no: Option<Trail>,
}

impl<'p, 'w> Evaluator<'p, 'w> {
    /// An evaluator for one case.
    pub fn new(program: &'p Program<'w>, case: Case, log: &'p mut Log, at: Span) -> Self {
        Evaluator {
            program,
            case,
            log,
            world: World::new(0, at),
            frames: Vec::new(),
            shapes: HashMap::new(),
            steps: 0,
            depth: 0,
            forks: 0,
            next_frame: 0,
            iterations: Vec::new(),
            exhausted: false,
            changed_arguments: Vec::new(),
            constants: HashMap::new(),
        }
    }

    /// The innermost frame.
    pub fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("code runs in a frame")
    }

    /// The shape of a code's arena.
    pub fn shape(&mut self, code: Code, body: &Body) -> Rc<Shape> {
        self.shapes.entry(code).or_insert_with(|| Rc::new(Shape::of(body))).clone()
    }

    /// A number for a new frame.
    pub fn frame_id(&mut self) -> u64 {
        self.next_frame += 1;
        self.next_frame
    }

    /// The name of the function whose code runs, closures counting as the function they stand in.
    pub fn function_name(&self) -> Name {
        match self.frame().code {
            Code::Function(id) => self.program.function(id).name.clone(),
            Code::Constant(id) => self.program.constant(id).name.clone(),
        }
    }

    /// The type as written here.
    pub fn type_here(&self, ty: &Type) -> TypeAt {
        TypeAt { ty: ty.clone(), scope: self.frame().scope, self_type: self.frame().self_type.clone() }
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
            Op::Literal(literal) => literal_value(literal, span),
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
                self.index(&base, &index, span)
            }
            Op::Construct { path, fields, rest } => {
                let (name, ty) = self.constructed(path);
                let mut values = Vec::with_capacity(fields.len());
                for (field, value) in fields {
                    let want = ty.and_then(|ty| self.field_type(ty, Some(&name), field));
                    let value = self.eval(*value, want.as_ref())?;
                    if value.is_tainted() {
                        self.log.stored(self.case, &name, field, &value);
                    }
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
                    Some(Type::Tuple(types)) => types.iter().map(|ty| want.map(|want| TypeAt { ty: ty.clone(), ..want.clone() })).collect(),
                    _ => Vec::new(),
                };
                let mut made = Vec::with_capacity(values.len());
                for (index, value) in values.iter().enumerate() {
                    let want = parts.get(index).cloned().flatten();
                    made.push(self.eval(*value, want.as_ref())?);
                }
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
                self.binary(*op, &left, &right, span)
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
                let value = match (&value.kind, want) {
                    (Kind::Unknown(origin), Some(ty)) if origin.ty.is_none() => {
                        let origin = Origin::new(origin.step.clone(), origin.base.clone(), Some(ty));
                        value.map(Kind::Unknown(Rc::new(origin)))
                    }
                    _ => value,
                };
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
                let want = root_local(self.frame().body, *place).and_then(|local| self.frame().body.locals[local.0 as usize].ty.clone()).map(|ty| self.type_here(&ty));
                let mut value = self.eval(*value, want.as_ref())?;
                if let Some(op) = op {
                    let before = self.eval(*place, None)?;
                    value = self.binary(*op, &before, &value, span);
                }
                self.store(*place, value, span)?;
                Value::unit()
            }
            Op::Branch { scrutinee, arms } => return self.branch(id, *scrutinee, arms, span, want),
            Op::Loop { label, body } => return self.run_loop(label.as_ref(), None, *body, span),
            Op::For { label, pattern, iterator, body } => {
                let iterator = self.eval(*iterator, None)?;
                return self.run_loop(label.as_ref(), Some((pattern, iterator)), *body, span);
            }
            Op::Closure { .. } => {
                let closure = Closure { code: self.frame().code, expr: id, locals: Rc::new(self.world.locals.clone()), frame: self.frame().id };
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
            Op::Panic => return None,
            Op::Format { template, values, writer } => {
                let values = self.eval_all(values)?;
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
                    let Some(output) = self.eval(arm.future, None) else { continue };
                    let output = self.await_value(output, span);
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
                    if !maybe || matches!(right.kind, Kind::Bool(truth) if truth != and) || right.alternatives().iter().any(|value| matches!(value.kind, Kind::Bool(truth) if truth != and)) {
                        results.extend(right.alternatives().iter().filter(|value| !maybe || matches!(value.kind, Kind::Bool(truth) if truth != and)).map(|value| value.clone().chosen(span, &because)));
                        if maybe && right.alternatives().iter().all(|value| matches!(value.kind, Kind::Bool(truth) if truth != and)) {
                            results.retain(|value| !matches!(value.kind, Kind::Maybe));
                        }
                    } else if let Some(last) = results.iter_mut().rev().find(|value| matches!(value.kind, Kind::Maybe)) {
                        last.trail = last.trail.both(&reasons(right.alternatives()));
                    }
                }
                self.world = World::join(worlds, span)?;
                Some(Value::one_of(results, span))
            }
            (None, None) => None,
        }
    }

    fn block(&mut self, body: &[ExprId], has_value: bool, label: Option<&Name>, span: Span, want: Option<&TypeAt>) -> Option<Value> {
        if let Some(label) = label {
            self.current().loops.push(LoopFrame { label: Some(label.clone()), is_block: true, breaks: Vec::new(), continues: Vec::new(), hint_decides: false });
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

    fn current(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("code runs in a frame")
    }

    fn loop_frame(&mut self, label: Option<&Name>, blocks: bool) -> Option<&mut LoopFrame> {
        self.current().loops.iter_mut().rev().find(|frame| match label {
            Some(label) => frame.label.as_ref() == Some(label),
            None => !frame.is_block || (blocks && frame.label.is_none() && frame.is_block),
        })
    }

    /// Leaves the running function or closure with a value.
    pub fn leave(&mut self, value: Value, span: Span) {
        let value = value.chosen(span, &self.world.context.clone());
        let shared = self.world.shared.clone();
        self.current().returns.push((value, shared));
    }

    fn run_async(&mut self, body: ExprId, span: Span) -> Option<Value> {
        let (code, arena, self_type, scope, shape) = {
            let frame = self.frame();
            (frame.code, frame.body, frame.self_type.clone(), frame.scope, frame.shape.clone())
        };
        let id = self.frame().id;
        self.frames.push(Frame { code, body: arena, id, returns: Vec::new(), loops: Vec::new(), self_type, scope, output: None, closure: None, shape });
        let value = self.eval(body, None);
        self.close(value, span)
    }

    /// Ends the innermost frame: all that it returned, as one value, and the joined state.
    pub fn close(&mut self, value: Option<Value>, span: Span) -> Option<Value> {
        let frame = self.frames.pop().expect("pushed by the caller");
        let mut values = Vec::new();
        let mut states = Vec::new();
        if let Some(value) = value {
            values.push(value.chosen(span, &self.world.context.clone()));
            states.push(self.world.shared.clone());
        }
        for (value, shared) in frame.returns {
            values.push(value);
            states.push(shared);
        }
        let mut states = states.into_iter();
        let first = states.next()?;
        self.world.shared = states.fold(first, |a, b| Shared::join(a, b, span));
        Some(Value::one_of(values, span))
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
        let because = reasons(value.alternatives().iter().filter(|value| matches!(value.variant_name(), Some("Some" | "Ok"))).cloned().collect::<Vec<_>>().as_slice());
        self.world.context = self.world.context.both(&because);
        Some(Value::one_of(good, span))
    }

    fn branch(&mut self, id: ExprId, scrutinee: Option<ExprId>, arms: &'p [Arm], span: Span, want: Option<&TypeAt>) -> Option<Value> {
        let scrutinee = match scrutinee {
            Some(scrutinee) => Some(self.eval(scrutinee, None)?),
            None => None,
        };
        let mut remaining: Vec<Value> = scrutinee.as_ref().map_or_else(Vec::new, |value| value.alternatives().to_vec());
        let outer_context = self.world.context.clone();
        let mut results: Vec<Value> = Vec::new();
        let mut worlds: Vec<World> = Vec::new();
        let mut came_past = Trail::NONE;
        let mut taken: Vec<Span> = Vec::new();
        let mut decided = Trail::NONE;
        let mut open = true;
        for arm in arms {
            if !open {
                continue;
            }
            let mut misses: Vec<World> = Vec::new();
            let mut missed_because = Trail::NONE;
            let mut next_remaining = Vec::new();
            let mut because = came_past.clone();
            let mut possible = true;
            let mut fitting = Vec::new();
            if let (Some(pattern), Some(_)) = (&arm.pattern, &scrutinee) {
                let value = Value { kind: Kind::OneOf(remaining.clone().into()), trail: Trail::NONE, at: None };
                let (fits, rest) = self.split(pattern, &value, arm.span);
                self.forks += u64::from(!fits.is_empty() && !rest.is_empty());
                if !rest.is_empty() {
                    misses.push(self.world.clone());
                    missed_because = missed_because.both(&reasons(&rest));
                }
                next_remaining = rest;
                if fits.is_empty() {
                    possible = false;
                } else {
                    because = because.both(&reasons(&fits));
                    fitting.clone_from(&fits);
                    let value = Value::one_of(fits, arm.span);
                    self.bind(pattern, &value, arm.span);
                }
            }
            if possible {
                for condition in &arm.conditions {
                    let before = self.world.clone();
                    let Some(test) = self.test(condition) else {
                        possible = false;
                        break;
                    };
                    if let Some(no) = &test.no {
                        let mut world = if test.yes.is_some() { before } else { self.world.clone() };
                        world.shared = self.world.shared.clone();
                        misses.push(world);
                        missed_because = missed_because.both(no);
                        next_remaining.append(&mut fitting);
                    }
                    match test.yes {
                        Some(yes) => because = because.both(&yes),
                        None => {
                            possible = false;
                            break;
                        }
                    }
                }
            }
            if possible {
                self.world.context = outer_context.both(&because);
                decided = decided.both(&because);
                // An arm without a pattern or condition of its own stands for the whole `if`.
                taken.push(if arm.pattern.is_some() { arm.span } else { span });
                if let Some(value) = self.eval(arm.body, want) {
                    let reached = self.world.context.clone();
                    results.push(made_in(value, self.tail(arm.body), arm.span).chosen(span, &because).chosen(span, &reached));
                    // What follows runs under this arm's reason only where another arm would have left.
                    let leaves_elsewhere = arms.iter().any(|other| !std::ptr::eq(other, arm) && self.frame().shape.leaves(other.body));
                    let mut world = self.world.clone();
                    if !leaves_elsewhere && !self.frame().shape.leaves(arm.body) {
                        world.context = outer_context.clone();
                    }
                    worlds.push(world);
                }
            }
            remaining = next_remaining;
            came_past = came_past.both(&missed_because);
            match World::join(misses, span) {
                Some(world) => {
                    self.world = world;
                    self.world.context = outer_context.clone();
                }
                None => open = false,
            }
        }
        if worlds.len() > 1 {
            self.forks += 1;
        }
        self.world = World::join(worlds, span)?;
        if decided.is_some() {
            let only = (taken.len() == 1).then(|| taken[0]);
            self.remember_untaken(id, span, only, &decided);
            if arms.iter().any(|arm| self.frame().shape.leaves(arm.body)) {
                if let Some(frame) = self.current().loops.last_mut() {
                    frame.hint_decides = true;
                }
            }
        }
        Some(Value::one_of(results, span))
    }

    /// The place of a block's value.
    fn tail(&self, id: ExprId) -> Span {
        let body = self.frame().body;
        let mut id = id;
        while let Op::Block { body: inner, has_value: true, .. } = &body.expr(id).op {
            match inner.last() {
                Some(last) => id = *last,
                None => break,
            }
        }
        body.expr(id).span
    }

    /// What an arm that was not taken would have changed is as it is because of the decision.
    fn remember_untaken(&mut self, id: ExprId, span: Span, taken: Option<Span>, because: &Trail) {
        let shape = self.frame().shape.clone();
        for local in shape.stores(id) {
            if let Some(Some(value)) = self.world.locals.get_mut(local.0 as usize) {
                if !value.is_tainted() {
                    *value = value.clone().chosen(span, because);
                }
            }
        }
        let slept = &mut self.world.shared.slept;
        if shape.waits(id) && !slept.is_tainted() {
            *slept = Value { at: Some(taken.unwrap_or(span)), ..slept.clone() }.chosen(span, because);
        }
    }

    fn test(&mut self, condition: &'p Condition) -> Option<Test> {
        let value = self.eval(condition.value, None)?;
        let body = self.frame().body;
        let span = body.expr(condition.value).span;
        let (yes, no): (Vec<Value>, Vec<Value>) = match &condition.pattern {
            Some(pattern) => {
                let (fits, misses) = self.split(pattern, &value, span);
                if !fits.is_empty() {
                    let fits = Value::one_of(fits.clone(), span);
                    self.bind(pattern, &fits, span);
                }
                (fits, misses)
            }
            None => {
                let mut yes = Vec::new();
                let mut no = Vec::new();
                for value in value.alternatives() {
                    match value.kind {
                        Kind::Bool(true) => yes.push(value.clone()),
                        Kind::Bool(false) => no.push(value.clone()),
                        _ => {
                            yes.push(value.clone());
                            no.push(value.clone());
                        }
                    }
                }
                (yes, no)
            }
        };
        self.forks += u64::from(!yes.is_empty() && !no.is_empty());
        Some(Test { yes: (!yes.is_empty()).then(|| reasons(&yes)), no: (!no.is_empty()).then(|| reasons(&no)) })
    }

    fn run_loop(&mut self, label: Option<&Name>, iteration: Option<(&'p Pattern, Value)>, body: ExprId, span: Span) -> Option<Value> {
        let outer_slept = std::mem::replace(&mut self.world.shared.slept, Value::plain(Kind::Duration(0), span));
        let outer_sent = self.world.shared.sent.take();
        let outer_context = self.world.context.clone();
        let elements: Option<Rc<[Value]>> = match &iteration {
            Some((_, Value { kind: Kind::List(values), .. })) if values.len() <= 4 || values.iter().any(Value::is_tainted) => Some(values.clone()),
            _ => None,
        };
        let mut exits: Vec<(Value, World)> = Vec::new();
        let mut hint_decides = false;
        let first_outcome = self.log.outcomes.len();
        self.iterations.push(span);
        let mut round = 0;
        loop {
            if let Some((pattern, iterator)) = &iteration {
                let element = match &elements {
                    Some(elements) => match elements.get(round as usize) {
                        Some(element) => element.clone(),
                        None => {
                            exits.push((Value::plain(Kind::Unit, span), self.world.clone()));
                            break;
                        }
                    },
                    None => {
                        // An unknown sequence may also be empty.
                        exits.push((Value::plain(Kind::Unit, span), self.world.clone()));
                        self.part(iterator, OriginStep::Inner, None, span)
                    }
                };
                self.bind(pattern, &element, span);
            }
            let forks = self.forks;
            let before = self.world.locals.clone();
            self.world.shared.slept = Value::plain(Kind::Duration(0), span);
            self.world.shared.sent = None;
            self.world.shared.unknown_wait = false;
            self.current().loops.push(LoopFrame { label: label.cloned(), is_block: false, breaks: Vec::new(), continues: Vec::new(), hint_decides: false });
            let value = self.eval(body, None);
            let frame = self.current().loops.pop().expect("pushed above");
            hint_decides |= frame.hint_decides;
            let mut next = frame.continues;
            if value.is_some() {
                next.push(self.world.clone());
            }
            exits.extend(frame.breaks);
            for world in &next {
                self.sent_again(world);
            }
            round += 1;
            let decided = self.forks == forks && elements.is_some() | iteration.is_none();
            let Some(mut world) = World::join(next, span) else { break };
            world.context = outer_context.clone();
            self.forget_spent(&mut world);
            self.world = world;
            let unchanged = self.world.locals.iter().zip(&before).all(|(now, then)| match (now, then) {
                (Some(a), Some(b)) => a.same(b),
                (None, None) => true,
                _ => false,
            });
            let most = if decided { ROUNDS } else { 2 };
            if (elements.is_none() || round >= ROUNDS) && (round >= most || unchanged) || self.exhausted {
                if iteration.is_some() || exits.is_empty() {
                    exits.push((Value::plain(Kind::Unit, span), self.world.clone()));
                }
                break;
            }
        }
        self.iterations.pop();
        // A loop that sends nothing and runs until the hint is over sleeps it in pieces.
        if hint_decides && !self.frame().shape.sends(body) {
            self.log.sleeps_in_pieces(first_outcome, None);
        }
        let (values, mut worlds): (Vec<_>, Vec<_>) = exits.into_iter().unzip();
        for world in &mut worlds {
            world.shared.sent = outer_sent;
            if !world.shared.slept.is_tainted() {
                world.shared.slept = outer_slept.clone();
            }
        }
        self.world = World::join(worlds, span)?;
        Some(Value::one_of(values, span))
    }

    /// A wait that was slept on is over: the next round's values are no hint because of it.
    pub fn forget_spent(&mut self, world: &mut World) {
        let slept: Vec<Trail> = world.shared.slept.alternatives().iter().map(|value| value.trail.clone()).filter(Trail::is_some).collect();
        if slept.is_empty() {
            return;
        }
        let at = self.here();
        for local in world.locals.iter_mut().flatten() {
            for trail in &slept {
                *local = without(local, trail, at);
            }
        }
        for (_, _, value) in &mut world.shared.fields {
            for trail in &slept {
                *value = without(value, trail, at);
            }
        }
    }

    fn sent_again(&mut self, world: &World) {
        let Some(sent) = world.shared.sent else { return };
        if world.shared.unknown_wait && !world.shared.slept.carries_hint() {
            return;
        }
        let slept = self.unslept(world);
        if slept.is_tainted() {
            self.log.outcome(self.case, SinkKind::SentAgain, sent, self.code(), &slept, &world.context);
        }
    }

    /// What was slept since the last request. Nothing at all counts as a wait of zero for the reason that led here.
    pub fn unslept(&self, world: &World) -> Value {
        let slept = world.shared.slept.clone();
        let nothing = matches!(slept.kind, Kind::Duration(0)) && !slept.is_tainted();
        let chosen = world.context.nodes(true).find(|node| node.event == Event::Chosen && node.because.iter().any(|because| because.is_some()));
        match chosen {
            Some(node) if nothing => Value { at: Some(node.span), ..slept }.chosen(node.span, &world.context),
            _ => slept,
        }
    }

    /// The code that runs.
    pub fn code(&self) -> Code {
        self.frame().code
    }

    /// The entry that is being evaluated: the outermost function.
    pub fn entry(&self) -> Option<FunctionId> {
        match self.frames.first()?.code {
            Code::Function(id) => Some(id),
            Code::Constant(_) => None,
        }
    }

    fn store(&mut self, place: ExprId, value: Value, span: Span) -> Option<()> {
        let body = self.frame().body;
        let shape_context = self.world.context.clone();
        let value = if shape_context.is_some() { value.chosen(span, &shape_context) } else { value };
        match &body.expr(place).op {
            Op::Local(local) => {
                let slot = local.0 as usize;
                let value = match self.world.locals.get(slot).and_then(Option::as_ref) {
                    Some(before) => over(before, value, span),
                    None => value,
                };
                self.world.locals[slot] = Some(value);
            }
            Op::Dereference(inner) | Op::Reference { value: inner, .. } => self.store_through(*inner, value, span)?,
            Op::Field { base, name } => {
                let base = *base;
                if let Some(local) = root_local(body, base) {
                    if let Some(Some(current)) = self.world.locals.get(local.0 as usize).cloned().as_ref().map(Option::as_ref).map(|v| v.cloned()) {
                        let path = field_path(body, base);
                        if let Some(updated) = with_field(&current, &path, name, &value) {
                            self.world.locals[local.0 as usize] = Some(updated);
                            return Some(());
                        }
                    }
                }
                let base = self.eval(base, None)?;
                self.store_field(&base, name, value, span);
            }
            Op::Index { base, index } => {
                self.eval(*index, None)?;
                if value.is_tainted() {
                    let base = self.eval(*base, None)?;
                    self.store_field(&base, &"[]".into(), value, span);
                }
            }
            Op::Method { .. } | Op::Call { .. } => {
                let base = self.eval(place, None)?;
                self.store_field(&base, &"*".into(), value, span);
            }
            _ => {}
        }
        Some(())
    }

    /// `*place = value`: through a lock's guard or a reference, the place itself.
    fn store_through(&mut self, inner: ExprId, value: Value, span: Span) -> Option<()> {
        match &self.frame().body.expr(inner).op {
            Op::Local(local) => {
                let current = self.world.locals.get(local.0 as usize).cloned().flatten();
                if let Some(Value { kind: Kind::Unknown(origin), .. }) = &current {
                    let origin = origin.clone();
                    self.keep_field(origin, "*".into(), value.clone(), span);
                }
                self.world.locals[local.0 as usize] = Some(value);
                Some(())
            }
            _ => self.store(inner, value, span),
        }
    }

    fn store_field(&mut self, base: &Value, name: &Name, value: Value, span: Span) {
        for base in base.alternatives() {
            if let Kind::Unknown(origin) = &base.kind {
                self.keep_field(origin.clone(), name.clone(), value.clone(), span);
            }
        }
    }

    /// Remembers what an unknown thing's field holds from now on.
    pub fn keep_field(&mut self, origin: Rc<Origin>, name: Name, value: Value, span: Span) {
        let known = self.world.shared.fields.iter().find(|(known, field, _)| *known == origin && *field == name);
        let value = match known {
            Some((_, _, before)) => over(before, value, span),
            None => value,
        };
        if value.is_tainted() {
            self.log.outcome(self.case, SinkKind::Stored, span, self.code(), &value, &self.world.context.clone());
        }
        if value.carries_hint() || value.is_tainted() {
            let field = origin.way().find(|_| &*name == "*").map_or_else(|| Some((origin.clone(), name.clone())), |_| {
                let mut part = Some(origin.clone());
                while let Some(current) = part {
                    if let (OriginStep::Field(field), Some(base)) = (&current.step, &current.base) {
                        return Some((base.clone(), field.clone()));
                    }
                    part = current.base.clone();
                }
                None
            });
            if let Some((owner, field)) = field {
                if let Some(ty) = owner.ty.as_ref().and_then(|ty| self.local_type(ty)) {
                    let type_name = self.program.type_item(ty).name.clone();
                    self.log.stored(self.case, &type_name, &field, &value);
                }
            }
        }
        let fields = &mut self.world.shared.fields;
        match fields.iter().position(|(known, field, _)| *known == origin && *field == name) {
            Some(place) => fields[place].2 = value,
            None if fields.len() < 256 => fields.push((origin, name, value)),
            None => {}
        }
    }
}

/// A wait that takes the place of a hint which nobody has waited for: it remembers that.
fn over(before: &Value, after: Value, span: Span) -> Value {
    let hint = before.alternatives().iter().find(|value| value.trail.carries_hint() && value.nanoseconds().is_some());
    let is_wait = !matches!(after.kind, Kind::Unit | Kind::Bool(_) | Kind::Text(_) | Kind::Variant(_) | Kind::OneOf(_));
    match hint {
        Some(hint) if is_wait && !after.is_tainted() => {
            let trail = Trail::new(Event::Overwritten, span, &[], &[&hint.trail]);
            after.on(trail)
        }
        _ => after,
    }
}

/// A value that an arm yields was chosen there, wherever it was made.
fn made_in(value: Value, tail: Span, arm: Span) -> Value {
    match (&value.kind, value.at) {
        (Kind::OneOf(_), _) => value,
        (_, Some(at)) if at.file == arm.file && arm.start <= at.start && at.end <= arm.end => value,
        _ => Value { at: Some(tail), ..value },
    }
}

/// The value without a trail that was slept on.
fn without(value: &Value, spent: &Trail, at: Span) -> Value {
    match &value.kind {
        Kind::OneOf(values) => Value { kind: Kind::OneOf(values.iter().map(|value| without(value, spent, at)).collect()), ..value.clone() },
        Kind::Variant(variant) if !variant.fields.is_empty() => {
            if !variant.fields.iter().any(|(_, field)| field.trail.same(spent)) && !value.trail.same(spent) {
                return value.clone();
            }
            let fields = variant.fields.iter().map(|(name, field)| (name.clone(), without(field, spent, at))).collect();
            let trail = if value.trail.same(spent) { Trail::NONE } else { value.trail.clone() };
            Value { kind: Kind::Variant(Rc::new(Variant { fields, ..(**variant).clone() })), trail, at: value.at }
        }
        _ if value.trail.same(spent) => Value::unknown(at),
        _ => value.clone(),
    }
}

/// The names of the fields between a variable and a place below it.
fn field_path(body: &Body, mut place: ExprId) -> Vec<Name> {
    let mut path = Vec::new();
    loop {
        match &body.expr(place).op {
            Op::Field { base, name } => {
                path.push(name.clone());
                place = *base;
            }
            Op::Dereference(value) | Op::Reference { value, .. } => place = *value,
            _ => break,
        }
    }
    path.reverse();
    path
}

/// A struct's value with one field, below a path of fields, changed. None where a step is no struct.
fn with_field(value: &Value, path: &[Name], field: &Name, new: &Value) -> Option<Value> {
    let Kind::Variant(variant) = &value.kind else { return None };
    let mut variant = (**variant).clone();
    let target = path.first().unwrap_or(field);
    let position = variant.fields.iter().position(|(name, _)| name == target);
    let replacement = match path {
        [] => new.clone(),
        [_, rest @ ..] => with_field(&variant.fields.get(position?)?.1, rest, field, new)?,
    };
    match position {
        Some(position) => variant.fields[position].1 = replacement,
        None => variant.fields.push((target.clone(), replacement)),
    }
    Some(Value { kind: Kind::Variant(Rc::new(variant)), ..value.clone() })
}

/// The reasons of several alternatives as one.
pub fn reasons(values: &[Value]) -> Trail {
    values.iter().fold(Trail::NONE, |trail, value| trail.both(&value.trail))
}

/// A payload with its container's reason, where it has none of its own.
pub fn inherit(payload: Value, container: &Value) -> Value {
    if payload.is_tainted() || !container.trail.is_some() { payload } else { Value { trail: container.trail.clone(), ..payload } }
}

/// The type inside `Option<T>`, `Result<T, E>`, a lock or another container.
pub fn inner_type(ty: &TypeAt) -> Option<TypeAt> {
    ty.ty.arguments().first().map(|inner| TypeAt { ty: inner.clone(), ..ty.clone() })
}

fn literal_value(literal: &Literal, span: Span) -> Value {
    let kind = match literal {
        Literal::Integer(number) => Kind::Integer(*number),
        Literal::Float(number) => Kind::Float(*number),
        Literal::Text(text) => Kind::Text(Rc::from(&**text)),
        Literal::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Kind::Text(Rc::from(text)),
            Err(_) => Kind::NotText,
        },
        Literal::Byte(byte) => Kind::Integer(i128::from(*byte)),
        Literal::Character(character) => Kind::Character(*character),
        Literal::Bool(truth) => Kind::Bool(*truth),
    };
    Value::plain(kind, span)
}

/// A trail that goes on with one more event.
pub fn step(event: Event, span: Span, from: &Trail) -> Trail {
    Trail::new(event, span, &[from], &[])
}
