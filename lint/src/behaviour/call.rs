//! Calls: of functions, closures and methods, with the state that they change.

mod candidates;
mod unresolved;

use super::case::Case;
use super::evaluate::{Evaluator, Frame, step};
use super::library::number::may_be_present;
use super::log::SinkKind;
use super::state::Shared;
use super::trail::{Event, Trail};
use super::types::put;
use super::value::{Closure, Code, FunctionValue, Kind, Origin, OriginStep, TypeAt, Value, Variant};
use crate::ir::{ConstantId, ExprId, FunctionId, Name, Op, Path, Pattern, ScopeId, Span, Type, TypeId, TypeKind};
use crate::module::Resolved;
use crate::names;
use candidates::is_generic;
use candidates::last_two;
use std::rc::Rc;

/// The deepest nesting of calls.
const CALLS: usize = 24;
/// The largest body, in expressions, that is run although no hint is near.
const SMALL: usize = 80;
/// The most functions that a call may mean.
const CANDIDATES: usize = 4;

impl<'p> Evaluator<'p, '_> {
    /// What a path that is no variable stands for.
    pub fn path_value(&mut self, path: &Path, span: Span, want: Option<&TypeAt>) -> Value {
        let (scope, self_type) = (self.frame().scope, self.frame().self_type.clone());
        let resolved = self.resolve_path(path, scope, self_type.as_ref());
        match &resolved {
            Resolved::Constant(id) => return self.constant(*id, span),
            Resolved::Variant(ty, index) => {
                if let TypeKind::Enum(variants) = &self.program.type_item(*ty).kind
                    && let Some(variant) = variants.get(*index).filter(|variant| variant.fields.is_empty())
                {
                    return Value::plain(
                        Kind::Variant(Rc::new(Variant {
                            name: variant.name.clone(),
                            ty: Some(*ty),
                            fields: Vec::new(),
                        })),
                        span,
                    );
                }
            }
            Resolved::Type(ty) => {
                if let TypeKind::Struct(fields) = &self.program.type_item(*ty).kind
                    && fields.is_empty()
                {
                    let name = self.program.type_item(*ty).name.clone();
                    return Value::plain(
                        Kind::Variant(Rc::new(Variant { name, ty: Some(*ty), fields: Vec::new() })),
                        span,
                    );
                }
            }
            Resolved::External(name) | Resolved::Unknown(name) => {
                let last = path.last();
                if matches!(resolved, Resolved::Unknown(_))
                    && last.len() > 3
                    && last.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                {
                    self.log.missing.insert(last.into());
                }
                if let Some(value) = self.external_constant(name, path, span, want) {
                    return value;
                }
            }
            Resolved::Functions(_) => {}
        }
        let known = self.log.functions.get(&(path as *const Path, scope));
        if let Some(known) = known.filter(|known| known.self_type == self_type && known.resolved == resolved) {
            return Value::plain(Kind::Function(known.clone()), span);
        }
        let written = last_two(path);
        let value = Rc::new(FunctionValue { resolved, written, generics: path.generics.clone(), self_type, scope });
        self.log.functions.insert((path, scope), value.clone());
        Value::plain(Kind::Function(value), span)
    }

    /// What a path means. The answer is remembered, unless it depends on what `Self` is.
    fn resolve_path(&mut self, path: &Path, scope: ScopeId, self_type: Option<&Type>) -> Resolved {
        if path.of.is_some() || path.segments.first().is_some_and(|first| &**first == "Self") {
            return self.program.resolve(scope, self_type, path);
        }
        let program = self.program;
        self.log.paths.entry((path, scope)).or_insert_with(|| program.resolve(scope, self_type, path)).clone()
    }

    /// The value of a constant of the workspace, as if written at `span`.
    fn constant(&mut self, id: ConstantId, span: Span) -> Value {
        if let Some(known) = self.constants.get(&id) {
            let value = known.clone().unwrap_or_else(|| Value::unknown(span));
            return Value { at: Some(span), ..value };
        }
        // A constant that needs itself is unknown.
        self.constants.insert(id, None);
        let constant = self.program.constant(id);
        let value = constant.body.as_ref().and_then(|body| {
            let root = body.root?;
            let shape = self.shape(Code::Constant(id), body);
            let frame_id = self.frame_id();
            let outer = std::mem::replace(&mut self.world.locals, vec![None; body.locals.len()].into());
            let shared = std::mem::replace(&mut self.world.shared, Shared::new(span));
            let self_type = constant.owner.self_type().cloned();
            let output = Some(TypeAt { ty: constant.ty.clone(), scope: constant.scope, self_type: self_type.clone() });
            self.push_frame(Frame {
                code: Code::Constant(id),
                body,
                id: frame_id,
                returns: Vec::new(),
                loops: Vec::new(),
                self_type,
                scope: constant.scope,
                parameters: Rc::default(),
                output: output.clone(),
                closure: None,
                shape,
                called_at: Some(span),
            });
            let value = self.eval(root, output.as_ref());
            self.pop_frame();
            self.world.locals = outer;
            self.world.shared = shared;
            value
        });
        self.constants.insert(id, value.clone());
        let value = value.unwrap_or_else(|| Value::unknown(span));
        match &value.kind {
            // A list of names keeps the places of its elements: each names a header by itself.
            Kind::List(_) => value,
            _ => Value { at: Some(span), ..value },
        }
    }

    /// The name and local type that a struct expression makes.
    pub fn constructed(&self, path: &Path) -> (Name, Option<TypeId>) {
        let frame = self.frame();
        match self.program.resolve(frame.scope, frame.self_type.as_ref(), path) {
            Resolved::Type(ty) => (self.program.type_item(ty).name.clone(), Some(ty)),
            Resolved::Variant(ty, index) => match &self.program.type_item(ty).kind {
                TypeKind::Enum(variants) => (variants[index].name.clone(), Some(ty)),
                _ => (path.last().into(), Some(ty)),
            },
            _ => (path.last().into(), None),
        }
    }

    /// `callee(arguments)`
    pub fn call(&mut self, callee: ExprId, arguments: &[ExprId], span: Span, want: Option<&TypeAt>) -> Option<Value> {
        let body = self.frame().body;
        let function = match &body.expr(callee).op {
            Op::Path(path) => self.path_value(path, span, None),
            _ => self.eval(callee, None)?,
        };
        let parameter_types = match &function.kind {
            Kind::Function(function) => self.parameter_types(function),
            _ => Vec::new(),
        };
        let mut values = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let want = parameter_types.get(index).or(want.filter(|_| {
                arguments.len() == 1
                    && matches!(&body.expr(callee).op, Op::Path(path) if matches!(path.last(), "Some" | "Ok" | "Err"))
            }));
            let want = want.cloned();
            values.push(self.eval(*argument, want.as_ref())?);
        }
        let result = self.apply(&function, values.clone(), span, want)?;
        Some(result)
    }

    /// Calls a value with values.
    pub fn apply(
        &mut self,
        function: &Value,
        arguments: Vec<Value>,
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        if let Kind::OneOf(functions) = &function.kind {
            let mut results = Vec::new();
            for function in functions.clone().iter() {
                results.extend(self.apply(function, arguments.clone(), span, want));
            }
            return if results.is_empty() { None } else { Some(Value::one_of(results, span)) };
        }
        match &function.kind {
            Kind::Closure(closure) => self.call_closure(&closure.clone(), arguments, span, want),
            Kind::Function(called) => {
                let called = called.clone();
                match &called.resolved {
                    Resolved::Functions(ids) => {
                        self.call_functions(&ids.clone(), arguments, &called.generics, span, want)
                    }
                    Resolved::Variant(..) | Resolved::Type(_) => Some(self.construct_tuple(&called, arguments, span)),
                    Resolved::External(name) | Resolved::Unknown(name) => {
                        let name = name.clone();
                        self.external_call(&name, &called, arguments, span, want)
                    }
                    Resolved::Constant(_) => Some(self.unresolved_call("", None, &arguments, span)),
                }
            }
            // A clock that was handed in.
            Kind::Unknown(origin) if arguments.is_empty() && may_be_present(origin) => Some(self.wall_now(span)),
            Kind::Unknown(origin) => {
                let name = origin.name().cloned().unwrap_or_else(|| "".into());
                Some(self.unresolved_call(&name, None, &arguments, span))
            }
            _ => Some(self.unresolved_call("", None, &arguments, span)),
        }
    }

    fn construct_tuple(&mut self, called: &FunctionValue, arguments: Vec<Value>, span: Span) -> Value {
        let (ty, name) = match &called.resolved {
            Resolved::Variant(ty, index) => match &self.program.type_item(*ty).kind {
                TypeKind::Enum(variants) => (*ty, variants[*index].name.clone()),
                _ => (*ty, called.written.clone()),
            },
            Resolved::Type(ty) => (*ty, self.program.type_item(*ty).name.clone()),
            _ => return Value::unknown(span),
        };
        let fields: Vec<(Name, Value)> =
            arguments.into_iter().enumerate().map(|(index, value)| (index.to_string().into(), value)).collect();
        let types = self.parameter_types(called);
        for (index, (field, value)) in fields.iter().enumerate() {
            if let Some(ty) = types.get(index) {
                self.note_type(value, ty);
            }
            self.made_of(&name, field, value);
        }
        Value::plain(Kind::Variant(Rc::new(Variant { name, ty: Some(ty), fields })), span)
    }

    /// Calls a closure. In the frame that made it, it sees and changes that frame's variables.
    pub fn call_closure(
        &mut self,
        closure: &Closure,
        arguments: Vec<Value>,
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        if self.frames.len() > CALLS {
            self.log.over_budget(span);
            return Some(Value::unknown(span));
        }
        let (body, scope, self_type) = match closure.code {
            Code::Function(id) => {
                let function = self.program.function(id);
                (function.body.as_ref()?, function.scope, function.owner.self_type().cloned())
            }
            Code::Constant(id) => {
                let constant = self.program.constant(id);
                (constant.body.as_ref()?, constant.scope, constant.owner.self_type().cloned())
            }
        };
        // A closure knows what the function around it knows of its type parameters, as long as that one runs.
        let around = self.frames.iter().rev().find(|frame| frame.id == closure.frame);
        let known_types = around.map_or_else(Rc::default, |frame| frame.parameters.clone());
        let Op::Closure { parameters, body: inner, .. } = &body.expr(closure.expr).op else {
            return Some(Value::unknown(span));
        };
        let same_frame = self.frame().id == closure.frame;
        let outer = (!same_frame).then(|| std::mem::replace(&mut self.world.locals, closure.locals.clone()));
        let shape = self.shape(closure.code, body);
        let context = self.world.context.clone();
        self.push_frame(Frame {
            code: closure.code,
            body,
            id: closure.frame,
            returns: Vec::new(),
            loops: Vec::new(),
            self_type,
            scope,
            parameters: known_types,
            output: None,
            closure: Some(body.expr(closure.expr).span),
            shape,
            called_at: Some(span),
        });
        let single = parameters.len() == 1 && arguments.len() > 1;
        if single {
            let tuple = Value::plain(Kind::Tuple(arguments.into()), span);
            self.bind(&parameters[0].pattern, &tuple, span);
        } else {
            for (parameter, argument) in parameters.iter().zip(arguments) {
                let ty = parameter.ty.as_ref().map(|ty| self.type_here(ty));
                let argument = self.taken_as(argument, ty);
                self.bind(&parameter.pattern, &argument, span);
            }
        }
        let value = self.eval(*inner, want);
        let result = self.close(value, span);
        self.world.context = context;
        if let Some(outer) = outer {
            self.world.locals = outer;
        }
        result
    }

    /// Runs the functions, each on the same state, and joins what they give. None: none of them comes back.
    fn call_functions(
        &mut self,
        ids: &[FunctionId],
        arguments: Vec<Value>,
        turbofish: &[Type],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        let ids: Vec<FunctionId> =
            ids.iter().copied().filter(|id| self.program.function(*id).body.is_some()).take(CANDIDATES).collect();
        if ids.is_empty() {
            return Some(self.unresolved_call("", None, &arguments, span));
        }
        if ids.len() == 1 {
            return self.call_function(ids[0], arguments, turbofish, span, want);
        }
        let alternatives = ids.into_iter().map(|id| (id, arguments.clone()));
        self.on_each(alternatives, span, |this, (id, arguments)| {
            this.call_function(id, arguments, turbofish, span, want)
        })
    }

    /// Runs a function of the workspace with the arguments, the receiver first.
    pub fn call_function(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        turbofish: &[Type],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        let function = self.program.function(id);
        if let Some(value) = self.declared_function(function, &arguments, span) {
            return Some(value);
        }
        let Some(body) = &function.body else {
            return Some(self.unresolved_call(&function.name.clone(), None, &arguments, span));
        };
        let Some(root) = body.root else { return Some(Value::plain(Kind::Unit, span)) };
        let self_type = function.owner.self_type().cloned();
        let output = function.output.as_ref().map(|ty| TypeAt {
            ty: ty.clone(),
            scope: function.scope,
            self_type: self_type.clone(),
        });
        if self.frames.iter().any(|frame| frame.code == Code::Function(id)) {
            // A retry by recursion: the request goes out again after whatever was waited on the way.
            if names::sends(&function.name) || names::may_wait(&function.name) || self.world.shared.sent.is_some() {
                let slept = self.unslept(&self.world);
                if slept.is_tainted() && !(self.world.shared.unknown_wait && !slept.carries_hint()) {
                    let code = self.code();
                    let context = self.world.context.clone();
                    self.log.outcome(self.case, SinkKind::SentAgain, span, code, &slept, &context);
                }
            }
            if !names::sends(&function.name) && arguments.iter().any(Value::carries_hint) {
                // What is left of a wait goes round once more.
                self.log.sleeps_in_pieces(0, Some(Code::Function(id)));
            }
            return Some(self.taken_as(Value::unknown(span), output));
        }
        let near = arguments.iter().any(|argument| {
            argument.is_tainted()
                || self.header_name(argument).is_some()
                || matches!(argument.kind, Kind::Closure(_) | Kind::Function(_))
        });
        let interesting = self.log.interesting.contains(&id);
        if self.frames.len() > CALLS {
            if near || interesting {
                self.log.over_budget(span);
            }
            return Some(self.taken_as(Value::unknown(span), output));
        }
        if !near && !interesting && body.exprs.len() > SMALL {
            if names::sends(&function.name) {
                self.world.shared.sent = Some(span);
            }
            if names::may_wait(&function.name) && !names::is_hint(&function.name) {
                self.world.shared.unknown_wait = true;
            }
            let name = function.name.clone();
            return Some(self.named_unknown(Origin::new(OriginStep::Call(name, span), None, output), span));
        }
        if near || interesting {
            self.log.inlined.insert(id);
        }
        if names::sends(&function.name) {
            self.world.shared.sent = Some(span);
        }
        let shape = self.shape(Code::Function(id), body);
        let outer = std::mem::replace(&mut self.world.locals, vec![None; body.locals.len()].into());
        let context = self.world.context.clone();
        let frame_id = self.frame_id();
        let declared_output = output.clone();
        let interesting_source = arguments.iter().any(Value::is_tainted);
        let type_parameters: Rc<[(Name, TypeAt)]> = self.type_parameters(function, turbofish, want).into();
        let output = output.map(|output| put(output, &type_parameters));
        // A generic result is what the caller asks for.
        let output = match (&output, want) {
            (Some(output), Some(want)) if is_generic(&output.ty, &function.generics) => Some(want.clone()),
            _ => output,
        };
        self.push_frame(Frame {
            code: Code::Function(id),
            body,
            id: frame_id,
            returns: Vec::new(),
            loops: Vec::new(),
            self_type,
            scope: function.scope,
            parameters: type_parameters,
            output: output.clone(),
            closure: None,
            shape,
            called_at: Some(span),
        });
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let ty = parameter.ty.as_ref().map(|ty| self.type_here(ty));
            let argument = self.taken_as(argument, ty);
            self.bind(&parameter.pattern, &argument, span);
        }
        self.asynchronous += u32::from(function.is_async);
        let value = self.eval(root, output.as_ref());
        self.asynchronous -= u32::from(function.is_async);
        let alive = value.is_some();
        let finals: Vec<Option<Value>> = if alive {
            function
                .parameters
                .iter()
                .map(|parameter| match (&parameter.pattern, &parameter.ty) {
                    (Pattern::Bind(local, _), Some(Type::MutableReference(_))) => {
                        self.world.locals.get(local.0 as usize).cloned().flatten()
                    }
                    _ => None,
                })
                .collect()
        } else {
            Vec::new()
        };
        let result = self.close(value, span);
        self.world.locals = outer;
        self.world.context = context;
        self.changed_arguments = finals;
        let result = result?;
        if (names::reads_hint(&function.name) || names::is_hint(&function.name))
            && !self.is_emission()
            && self.case != Case::Zero
            && !result.is_tainted()
            && !interesting_source
            && result.alternatives().iter().any(has_unknown)
        {
            let name = function.name.clone();
            let origin = Rc::new(Origin::new(OriginStep::Call(name.clone(), span), None, declared_output));
            if let Some(named) = self.named_hint(&name, &origin, span) {
                return Some(named);
            }
        }
        Some(returned(result, id, span))
    }

    /// `receiver.name(arguments)`
    pub fn method(
        &mut self,
        receiver: ExprId,
        name: &Name,
        span: Span,
        generics: &[Type],
        arguments: &'p [ExprId],
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        let body = self.frame().body;
        let passes_want = matches!(
            &**name,
            "ok" | "unwrap"
                | "expect"
                | "unwrap_or"
                | "unwrap_or_default"
                | "unwrap_or_else"
                | "map_err"
                | "or"
                | "or_else"
                | "ok_or"
                | "ok_or_else"
                | "context"
                | "with_context"
                | "inspect_err"
                | "inspect"
                | "filter"
                | "transpose"
                | "flatten"
                | "min"
                | "max"
                | "clamp"
                | "clone"
                | "err"
                | "is_ok"
                | "wrap_err"
        );
        // `text.parse().map(Wrapper)`: the type of the wrapper's part is what is parsed.
        let mapped = match (&**name, arguments.first().map(|argument| &body.expr(*argument).op)) {
            ("map" | "and_then" | "map_ok", Some(Op::Path(path))) => match &self.path_value(path, span, None).kind {
                Kind::Function(function) => self.parameter_types(function).into_iter().next(),
                _ => None,
            },
            _ => None,
        };
        let value = self.eval(receiver, if passes_want { want } else { mapped.as_ref() })?;
        let mut values = Vec::with_capacity(arguments.len());
        let receiver_type = match &value.kind {
            Kind::Variant(variant) => variant.ty,
            Kind::Unknown(origin) => origin.ty.as_ref().and_then(|ty| self.local_type(ty)),
            _ => None,
        };
        let parameter_types: Vec<TypeAt> = receiver_type
            .and_then(|ty| self.program.methods_of(ty, name).first().copied())
            .map_or_else(Vec::new, |id| {
                let function = self.program.function(id);
                let self_type = function.owner.self_type().cloned();
                function
                    .parameters
                    .iter()
                    .skip(usize::from(function.has_receiver))
                    .map(|parameter| TypeAt {
                        ty: parameter.ty.clone().unwrap_or(Type::Other),
                        scope: function.scope,
                        self_type: self_type.clone(),
                    })
                    .collect()
            });
        for (index, argument) in arguments.iter().enumerate() {
            let want = parameter_types.get(index).cloned();
            values.push(self.eval(*argument, want.as_ref())?);
        }
        // Methods that change their receiver change the variable or field it stands in.
        if let Some(result) = self.mutating_method(receiver, &value, name, &values, span) {
            return Some(result);
        }
        self.changed_arguments = Vec::new();
        let result = self.apply_method(&value, name, values, span, generics, want);
        let changed = std::mem::take(&mut self.changed_arguments);
        for (index, changed) in changed.into_iter().enumerate() {
            let Some(changed) = changed else { continue };
            let place = if index == 0 { Some(receiver) } else { arguments.get(index - 1).copied() };
            let Some(place) = place else { continue };
            let is_place = index == 0 || matches!(body.expr(place).op, Op::Reference { mutable: true, .. });
            if let (true, Some(local)) = (is_place, direct_local(body, place)) {
                let slot = &mut self.world.locals[local.0 as usize];
                if slot.as_ref().is_some_and(|before| !before.same(&changed))
                    && (changed.is_tainted() || slot.as_ref().is_some_and(Value::is_tainted))
                    && !matches!(slot.as_ref().map(|v| &v.kind), Some(Kind::Unknown(_)) if index == 0)
                {
                    *slot = Some(changed);
                }
            }
        }
        result
    }

    /// Calls a method on a value, alternative by alternative.
    pub fn apply_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        arguments: Vec<Value>,
        span: Span,
        generics: &[Type],
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        let Kind::OneOf(values) = &receiver.kind else {
            return self.method_on(receiver, name, arguments, span, generics, want);
        };
        self.pay(values.len());
        self.on_each(values.clone().iter(), span, |this, value| {
            this.method_on(value, name, arguments.clone(), span, generics, want)
        })
    }

    fn method_on(
        &mut self,
        receiver: &Value,
        name: &Name,
        arguments: Vec<Value>,
        span: Span,
        generics: &[Type],
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        // A type's own methods come before what the library knows of methods by that name.
        let own = match &receiver.kind {
            Kind::Variant(variant) => variant.ty.map(|ty| self.program.methods_of(ty, name)),
            Kind::Unknown(origin) => origin.ty.clone().map(|ty| self.methods_of_type(&ty, name)),
            _ => None,
        }
        .unwrap_or_default();
        let own: Vec<FunctionId> = own.into_iter().filter(|id| self.program.function(*id).has_receiver).collect();
        if !own.is_empty() {
            let mut all = vec![receiver.clone()];
            all.extend(arguments);
            return self.call_functions(&own, all, generics, span, want);
        }
        if let Some(result) = self.library_method(receiver, name, &arguments, span, generics, want) {
            // What closures that ran meanwhile were given is no argument of this call.
            self.changed_arguments = Vec::new();
            return result;
        }
        if let Some(candidates) = self.methods_by_name(name, arguments.len(), receiver) {
            let mut all = vec![receiver.clone()];
            all.extend(arguments.iter().cloned());
            let before = self.world.clone();
            self.guesses += 1;
            let result = self.call_functions(&candidates, all, generics, span, want);
            self.guesses -= 1;
            if result.is_some() {
                return result;
            }
            // A method that was guessed by its name, and never comes back, was the wrong guess.
            self.world = before;
        }
        let result = self.unresolved_call(name, Some(receiver), &arguments, span);
        let is_number = generics.first().and_then(Type::last_segment).is_some_and(|ty| {
            matches!(ty, "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "f32" | "f64")
        });
        if is_number && arguments.iter().any(|argument| self.header_name(argument).is_some()) {
            let generic = generics[0].clone();
            return Some(self.each(&result, |this, value| match value.payload() {
                Some(text) => {
                    this.parse(&text.clone(), Some(&generic), None, span).unwrap_or_else(|| Value::unknown(span))
                }
                None => value.clone(),
            }));
        }
        Some(result)
    }
}

/// The trail of a value and of everything in it.
pub fn flat_trail(value: &Value) -> Trail {
    match &value.kind {
        Kind::Variant(variant) => {
            variant.fields.iter().fold(value.trail.clone(), |trail, (_, field)| trail.both(&flat_trail(field)))
        }
        Kind::Tuple(values) | Kind::List(values) | Kind::OneOf(values) => {
            values.iter().fold(value.trail.clone(), |trail, value| trail.both(&flat_trail(value)))
        }
        Kind::Sleep(inner) => value.trail.both(&flat_trail(inner)),
        _ => value.trail.clone(),
    }
}

/// The value as a function gave it back: the call becomes a step of its journey.
fn returned(value: Value, from: FunctionId, span: Span) -> Value {
    match &value.kind {
        Kind::OneOf(values) => Value {
            kind: Kind::OneOf(values.iter().map(|value| returned(value.clone(), from, span)).collect()),
            ..value.clone()
        },
        _ if value.trail.is_some() => {
            let trail = step(Event::Returned(from), span, &value.trail);
            value.on(trail)
        }
        _ => value,
    }
}

/// Whether something in it is not known.
fn has_unknown(value: &Value) -> bool {
    match &value.kind {
        Kind::Unknown(_) => true,
        Kind::Variant(variant) => variant.fields.iter().any(|(_, field)| has_unknown(field)),
        Kind::OneOf(values) => values.iter().any(has_unknown),
        _ => false,
    }
}

/// The variable that an expression is, below references.
fn direct_local(body: &crate::ir::Body, place: ExprId) -> Option<crate::ir::LocalId> {
    match &body.expr(place).op {
        Op::Local(local) => Some(*local),
        Op::Reference { value, .. } | Op::Dereference(value) => direct_local(body, *value),
        _ => None,
    }
}
