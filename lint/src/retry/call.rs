//! Calls: what the libraries' functions do with a response and its status, and which functions of the workspace are looked into.

use super::Ending;
use super::status;
use super::value::{Drop, DropKind, Kind, Path, Value, Ways};
use super::walk::Walk;
use crate::ir::{Body, ExprId, FunctionId, LocalId, Name, Op, Span};
use crate::module::Resolved;
use crate::names;
use std::rc::Rc;

/// The most functions of one name that are all looked into.
const CANDIDATES: usize = 3;

impl<'p> Walk<'p, '_> {
    pub(super) fn call(&mut self, callee: ExprId, arguments: &'p [ExprId], span: Span, path: Path<'p>) -> Ways<'p> {
        let home = self.home();
        let Op::Path(written) = &home.body.expr(callee).op else {
            let ways = self.eval(callee, path);
            return self.then(ways, |walk, path, callee| {
                let ways = walk.eval_all(arguments, path);
                walk.over(ways, |walk, path, values| walk.apply(&callee, values, path))
            });
        };
        let name = written.last();
        let before = written.segments.len().checked_sub(2).map_or("", |place| &*written.segments[place]);
        let ways = self.eval_all(arguments, path);
        self.over(ways, |walk, mut path, mut values| {
            match (before, name, values.len()) {
                (_, "Err", 1) => {
                    let value = walk.construct("Err", values, span);
                    walk.refuse(&mut path, &value, span);
                    return vec![(path, value)];
                }
                ("Box" | "Arc" | "Rc" | "Pin" | "Cow", "new" | "pin" | "from", 1)
                | ("future", "ready" | "ok", 1)
                | ("Poll", "Ready", 1)
                | ("StatusCode", "from_u16" | "try_from", 1)
                | ("std" | "mem", "take", 1) => {
                    return vec![(path, Value { span, ..values.remove(0) })];
                }
                (_, "from_future" | "boxed", 1) => return vec![(path, values.remove(0))],
                _ => {}
            }
            if names::sleeps(name) || names::sleeps(before) && name == "new" {
                walk.wait(&mut path, &values, span);
            }
            let target = walk.around.resolve(home, written);
            if let Resolved::Functions(ids) = &target {
                let ids: Vec<FunctionId> = ids.iter().copied().filter(|id| walk.is_worth(*id)).collect();
                return walk.enter_any(&ids, name, values, span, path);
            }
            if let Some(operation) = driven(before, name, &values) {
                let results = walk.apply(&operation, Vec::new(), path.clone());
                let condition = (before == "RetryIf").then(|| values.last().cloned()).flatten();
                let results = match condition {
                    Some(condition) if values.len() > 2 => walk.filter(results, &condition),
                    _ => results,
                };
                return walk.finish(results, span);
            }
            if name.starts_with(char::is_uppercase) {
                let value = walk.construct(name, values, span);
                return vec![(path, value)];
            }
            if is_given_a_response(home.body, arguments, &values) {
                walk.missing.paths.push((home.scope, written.clone()));
            }
            walk.unknown_call(name, None, &values, span, path)
        })
    }

    pub(super) fn method(
        &mut self,
        receiver_id: ExprId,
        name: &'p Name,
        arguments: &'p [ExprId],
        span: Span,
        path: Path<'p>,
    ) -> Ways<'p> {
        let home = self.home();
        let before = path.read;
        let ways = self.eval(receiver_id, path);
        let variable = match &home.body.expr(receiver_id).op {
            Op::Local(local) => &*home.body.locals[local.0 as usize].name,
            _ => "",
        };
        let is_self = variable == "self";
        let looks = matches!(&**name, "status" | "status_code") && arguments.is_empty() && !is_self;
        self.then(ways, |walk, mut path, receiver| {
            if looks
                && matches!(receiver.kind, Kind::Unknown)
                && let Some(local) = variable_of(home.body, receiver_id)
            {
                // What has a status is a response.
                path.set(local, Value { kind: Kind::Response, ..receiver.clone() });
            }
            let ways = walk.eval_all(arguments, path);
            walk.over(ways, |walk, mut path, mut values| {
                if matches!(receiver.kind, Kind::Headers) {
                    // A name that a field holds for it, whatever it is set to.
                    for (value, argument) in values.iter_mut().zip(arguments) {
                        value.hint |= is_named_for_retrying(home.body, *argument);
                    }
                }
                if matches!(&**name, "is_some" | "is_none") && receiver.hint {
                    // Whether there is a hint is no wait yet.
                    path.read = before.or(path.read);
                }
                if is_self
                    && walk.is_missing(&receiver, name, values.len())
                    && is_given_a_response(home.body, arguments, &values)
                {
                    walk.missing.methods.insert(name.clone());
                }
                walk.method_on(&receiver, is_self, name, values, span, path)
            })
        })
    }

    fn method_on(
        &mut self,
        receiver: &Value<'p>,
        is_self: bool,
        name: &Name,
        mut values: Vec<Value<'p>>,
        span: Span,
        mut path: Path<'p>,
    ) -> Ways<'p> {
        let one = |path, kind, of_status| vec![(path, Value { kind, span, of_status, hint: receiver.hint })];
        match (&**name, values.len()) {
            (
                "clone" | "as_ref" | "as_mut" | "as_deref" | "borrow" | "borrow_mut" | "to_owned" | "copied" | "cloned"
                | "into" | "as_u16" | "as_u64" | "as_str" | "boxed" | "boxed_local" | "fuse" | "into_future"
                | "unwrap_err" | "iter" | "into_iter" | "by_ref" | "flatten" | "ok_or" | "ok_or_else" | "context"
                | "with_context" | "map_err" | "wrap_err" | "wrap_err_with" | "inspect" | "inspect_err" | "instrument"
                | "into_inner" | "lock" | "ok" | "err" | "unwrap" | "expect" | "unwrap_or_default" | "unwrap_or_else"
                | "unwrap_or" | "then" | "map" | "and_then" | "or_else" | "map_or" | "map_or_else" | "filter"
                | "is_some_and" | "is_ok_and" | "is_none_or" | "is_err_and" | "is_ok" | "is_err" | "is_some"
                | "is_none" | "then_some" | "transpose" | "or",
                _,
            ) if !is_self => {
                return self.combinator(receiver, name, values, span, path);
            }
            ("status" | "status_code", 0) if !is_self => {
                match receiver.kind {
                    Kind::Failure if path.dropped.is_none() => path.doubt = true,
                    Kind::Failure => {}
                    Kind::Response | Kind::Unknown => {
                        path.in_hand = Some(span);
                    }
                    _ => {}
                }
                if let Kind::Variant(_, fields) = &receiver.kind
                    && let Some((_, status)) = fields.iter().find(|(_, field)| field.of_status)
                {
                    return vec![(path, status.clone())];
                }
                return vec![(path, Value::status(self.status, span))];
            }
            ("error_for_status" | "error_for_status_ref", 0) => {
                path.in_hand = Some(span);
                if self.status < 400 {
                    return one(path, Kind::Ok(Rc::new(Value::new(Kind::Response, span))), true);
                }
                if &**name == "error_for_status" && !matches!(receiver.kind, Kind::Err(_)) {
                    let had_hint = path.read.is_none() && holds_hint(&path);
                    let function = self.home().function;
                    path.dropped.get_or_insert(Drop {
                        span,
                        function,
                        kind: DropKind::ErrorForStatus,
                        had_hint,
                        is_limit: false,
                    });
                }
                let failure = Value { of_status: true, ..Value::new(Kind::Failure, span) };
                return one(path, Kind::Err(Rc::new(failure)), true);
            }
            ("headers" | "headers_mut", 0)
                if matches!(receiver.kind, Kind::Response | Kind::Headers)
                    || matches!(receiver.kind, Kind::Unknown) && !is_self && path.in_hand.is_some() =>
            {
                return one(path, Kind::Headers, false);
            }
            ("into_parts", 0) => {
                let parts = vec![Value::new(Kind::Response, span), Value::new(Kind::Content, span)];
                return one(path, Kind::List(Rc::new(parts)), false);
            }
            (
                "text" | "json" | "bytes" | "into_string" | "into_json" | "chunk" | "body_json" | "body_string"
                | "to_bytes" | "read_to_string" | "text_with_charset" | "body_bytes" | "collect",
                0 | 1,
            ) if matches!(receiver.kind, Kind::Response | Kind::Unknown | Kind::Content) => {
                return one(path, Kind::Content, false);
            }
            ("contains", 1) => {
                let wanted = match values[0].kind {
                    Kind::Number(number) => Some(number),
                    _ => None,
                };
                if let Some(wanted) = wanted {
                    match &receiver.kind {
                        Kind::Range(low, high) => {
                            return one(path, Kind::Bool(*low <= wanted && wanted <= *high), values[0].of_status);
                        }
                        Kind::List(values_of)
                            if values_of.iter().all(|value| matches!(value.kind, Kind::Number(_))) =>
                        {
                            let found =
                                values_of.iter().any(|value| matches!(value.kind, Kind::Number(n) if n == wanted));
                            return one(path, Kind::Bool(found), values[0].of_status);
                        }
                        _ => {}
                    }
                }
            }
            ("is_status", 0) if matches!(receiver.kind, Kind::Failure) && receiver.of_status => {
                return one(path, Kind::Bool(true), true);
            }
            (
                "is_timeout" | "is_connect" | "is_request" | "is_body" | "is_decode" | "is_builder" | "is_redirect",
                0,
            ) if matches!(receiver.kind, Kind::Failure) && receiver.of_status => {
                return one(path, Kind::Bool(false), true);
            }
            ("retry", _) if matches!(receiver.kind, Kind::Closure(_) | Kind::Function(_)) => {
                let results = self.apply(receiver, Vec::new(), path.clone());
                return one(path, Kind::Repeated(Rc::new(results)), false);
            }
            _ => {}
        }
        if let Kind::Number(number) = receiver.kind
            && let Some(answer) = status::class(name, number)
        {
            return one(path, Kind::Bool(answer), receiver.of_status);
        }
        if let Kind::Repeated(results) = &receiver.kind {
            let results: Ways<'p> = (**results).clone();
            return match (&**name, values.len()) {
                ("when", 1) => {
                    let results = self.filter(results, &values[0]);
                    vec![(path, Value { kind: Kind::Repeated(Rc::new(results)), ..receiver.clone() })]
                }
                ("call", 0) => self.finish(results, receiver.span),
                ("adjust", _) => vec![(path, Value::hint(span))],
                _ => vec![(path, receiver.clone())],
            };
        }
        if let Kind::Headers = receiver.kind {
            let hint = receiver.hint || values.iter().any(|value| value.hint);
            let is_named = values.iter().all(|value| matches!(value.kind, Kind::Text(_) | Kind::Unknown));
            if reads(name) {
                return vec![(path, Value::hint(span))];
            }
            if hint || is_named && matches!(&**name, "get" | "get_all" | "contains_key" | "get_mut" | "remove" | "len")
            {
                return vec![(path, Value { hint, ..Value::unknown(span) })];
            }
            if matches!(&**name, "iter" | "values" | "keys" | "into_iter") {
                path.doubt = true;
                return vec![(path, Value::new(Kind::Headers, span))];
            }
        }
        if names::sleeps(name) {
            self.wait(&mut path, &values, span);
        }
        let ids = self.methods(receiver, is_self, name, values.len());
        values.insert(0, receiver.clone());
        if !ids.is_empty() {
            return self.enter_any(&ids, name, values, span, path);
        }
        let receiver = values.remove(0);
        self.unknown_call(name, Some(&receiver), &values, span, path)
    }

    /// What a tuple struct or variant of that name is.
    pub(super) fn construct(&self, name: &str, arguments: Vec<Value<'p>>, span: Span) -> Value<'p> {
        let mut arguments = arguments;
        match (name, arguments.len()) {
            ("Some", 1) => {
                let inner = arguments.remove(0);
                match inner.kind {
                    Kind::Unknown | Kind::Nothing => {
                        let hint = inner.hint;
                        let kind = Kind::Variant("Some".into(), Rc::new(vec![("0".into(), inner)]));
                        Value { hint, ..Value::new(kind, span) }
                    }
                    _ => Value { span, ..inner },
                }
            }
            ("Ok", 1) => {
                let inner = arguments.remove(0);
                let (of_status, hint) = (false, inner.hint);
                Value { kind: Kind::Ok(Rc::new(inner)), span, of_status, hint }
            }
            ("Err", 1) => {
                let inner = arguments.remove(0);
                let (of_status, hint) = (inner.of_status, inner.hint);
                Value { kind: Kind::Err(Rc::new(inner)), span, of_status, hint }
            }
            _ => {
                let hint = arguments.iter().any(|argument| argument.hint);
                let fields =
                    arguments.into_iter().enumerate().map(|(index, value)| (index.to_string().into(), value)).collect();
                Value { hint, ..Value::new(Kind::Variant(name.into(), Rc::new(fields)), span) }
            }
        }
    }

    /// Functions of the workspace that a method call can mean.
    fn methods(&self, receiver: &Value<'p>, is_self: bool, name: &str, arguments: usize) -> Vec<FunctionId> {
        let program = self.around.program;
        let fits = |id: &FunctionId| {
            let function = program.function(*id);
            function.has_receiver && function.parameters.len() == arguments + 1 && self.is_worth(*id)
        };
        if is_self {
            let home = self.home();
            if let Some(of) = home.self_type
                && let Resolved::Type(id) = program.resolve_type(home.scope, None, of)
            {
                let own: Vec<FunctionId> = program.methods_of(id, name).into_iter().filter(fits).collect();
                if !own.is_empty() {
                    return own.into_iter().take(CANDIDATES).collect();
                }
            }
        }
        let is_vague = names::is_common(name)
            || matches!(
                name,
                "send" | "execute" | "call" | "request" | "post" | "put" | "delete" | "patch" | "retry" | "oneshot"
            );
        if is_vague && !is_self || matches!(receiver.kind, Kind::Response | Kind::Headers) && is_vague {
            return Vec::new();
        }
        let ids: Vec<FunctionId> = program.methods_named(name).iter().copied().filter(fits).collect();
        if ids.len() > CANDIDATES { Vec::new() } else { ids }
    }

    /// Whether a method of the own type is in no file that was read.
    fn is_missing(&self, receiver: &Value<'p>, name: &str, arguments: usize) -> bool {
        self.methods(receiver, true, name, arguments).is_empty()
    }

    /// Whether it is worth looking into the function.
    fn is_worth(&self, id: FunctionId) -> bool {
        let function = self.around.program.function(id);
        function.body.is_some() && !function.is_test && self.around.relevant.contains(&id)
    }

    /// Looks into functions that a call may mean, one of them or another.
    fn enter_any(
        &mut self,
        ids: &[FunctionId],
        name: &str,
        values: Vec<Value<'p>>,
        span: Span,
        path: Path<'p>,
    ) -> Ways<'p> {
        let entered: Vec<FunctionId> = ids.iter().copied().filter(|id| self.may_enter(*id)).collect();
        if entered.is_empty() {
            return self.unknown_call(name, None, &values, span, path);
        }
        let mut all = Vec::new();
        for id in entered {
            let mut ways = self.function(id, values.clone(), path.clone());
            for (_, value) in &mut ways {
                // Where the value was made is of no use to whoever called; a hint stays one by what it came from.
                value.span = if matches!(value.kind, Kind::Nothing | Kind::Unknown) { span } else { value.span };
            }
            all.extend(ways);
        }
        self.join(all)
    }

    /// A call that cannot be looked into.
    fn unknown_call(
        &mut self,
        name: &str,
        receiver: Option<&Value<'p>>,
        values: &[Value<'p>],
        span: Span,
        mut path: Path<'p>,
    ) -> Ways<'p> {
        let function = self.home().function;
        if self.around.reading.contains(name) {
            path.read.get_or_insert((span, function));
        }
        let hint = receiver.is_some_and(|receiver| receiver.hint) || values.iter().any(|value| value.hint);
        if reads(name) {
            path.born.get_or_insert((span, function));
            return vec![(path, Value::hint(span))];
        }
        if hint && names::sleeps(name) {
            path.read.get_or_insert((span, function));
        }
        let sees = |value: &Value<'p>| value.carries() && !value.hint;
        let is_strategy = name == "default_on_request_success";
        if (is_strategy || values.iter().any(sees))
            && !names::only_looks(name)
            && !matches!(name, "drop" | "push" | "headers" | "header" | "extend" | "insert")
        {
            if is_strategy {
                // It says which answers reqwest-retry repeats, and looks at nothing else.
                path.in_hand = Some(span);
                path.guessed = true;
                let is_again = matches!(self.status, 429 | 500..);
                path.test(function, span);
                let kind = if is_again { Kind::Variant("Transient".into(), Rc::default()) } else { Kind::Nothing };
                return vec![(path, Value { of_status: true, ..Value::new(kind, span) })];
            }
            path.doubt = true;
        }
        if let Some(receiver) = receiver
            && matches!(receiver.kind, Kind::Response)
            && !matches!(
                name,
                "url"
                    | "version"
                    | "extensions"
                    | "content_length"
                    | "remote_addr"
                    | "into_body"
                    | "body"
                    | "body_mut"
                    | "copy_to"
                    | "bytes_stream"
                    | "extensions_mut"
                    | "cookies"
                    | "is_success"
                    | "into_reader"
                    | "map_body"
            )
        {
            path.doubt = true;
        }
        vec![(path, Value { hint, ..Value::unknown(span) })]
    }

    /// A wait: for the hint, or for a time of its own.
    fn wait(&self, path: &mut Path<'p>, values: &[Value<'p>], span: Span) {
        path.wait = Some(span);
        if values.iter().any(|value| value.hint) {
            path.read.get_or_insert((span, self.home().function));
        }
    }

    /// An error that is made while a response is in hand: whether the headers go with it.
    fn refuse(&self, path: &mut Path<'p>, error: &Value<'p>, span: Span) {
        if self.status < 400 || path.in_hand.is_none() || path.tested().is_none() || error.carries() {
            return;
        }
        let explicit = explicit_none(error);
        let had_hint = path.read.is_none() && holds_hint(path);
        let kind = if explicit.is_some() { DropKind::ExplicitNone } else { DropKind::Built };
        path.dropped.get_or_insert(Drop {
            span: explicit.unwrap_or(span),
            function: self.home().function,
            kind,
            had_hint,
            is_limit: is_limit(error),
        });
    }

    /// Keeps of an operation's results those that the condition repeats.
    fn filter(&mut self, results: Ways<'p>, condition: &Value<'p>) -> Ways<'p> {
        let mut kept = Vec::new();
        for (path, value) in results {
            let Kind::Err(error) = &value.kind else {
                kept.push((path, value));
                continue;
            };
            for (mut path, answer) in self.apply(condition, vec![(**error).clone()], path) {
                if matches!(answer.kind, Kind::Bool(false)) {
                    continue;
                }
                if !matches!(answer.kind, Kind::Bool(true)) {
                    path.guessed = true;
                }
                if answer.of_status {
                    path.test(self.home().function, answer.span);
                }
                kept.push((path, value.clone()));
            }
        }
        kept
    }

    /// An operation that is repeated while it fails: what fails is recorded, what succeeds goes on.
    fn finish(&mut self, results: Ways<'p>, span: Span) -> Ways<'p> {
        let function = self.home().function;
        for (path, value) in &results {
            let Kind::Err(error) = &value.kind else { continue };
            let is_final = matches!(&error.kind, Kind::Variant(name, _) if matches!(&**name, "Permanent" | "Abort"));
            if is_final || error.hint {
                continue;
            }
            let mut path = path.clone();
            if value.of_status || error.of_status {
                path.test(function, error.span);
            }
            self.record(Ending::Driver { at: span }, &path, function, false);
        }
        results
    }

    /// What `await` gives: an operation that is repeated begins here.
    pub(super) fn awaited(&mut self, path: Path<'p>, value: Value<'p>) -> Ways<'p> {
        match &value.kind {
            Kind::Repeated(results) => {
                let results: Ways<'p> = (**results).clone();
                let variables = path.variables.clone();
                let mut ways = self.finish(results, value.span);
                for (path, _) in &mut ways {
                    path.variables = variables.clone();
                }
                ways
            }
            _ => vec![(path, value)],
        }
    }

    /// Goes on with each way's arguments.
    fn over(
        &mut self,
        ways: Vec<(Path<'p>, Vec<Value<'p>>)>,
        mut next: impl FnMut(&mut Self, Path<'p>, Vec<Value<'p>>) -> Ways<'p>,
    ) -> Ways<'p> {
        let mut all = Vec::new();
        for (path, values) in ways {
            all.extend(next(self, path, values));
        }
        self.join(all)
    }
}

/// The variable that an expression is, or refers to.
fn variable_of(body: &Body, id: ExprId) -> Option<LocalId> {
    match &body.expr(id).op {
        Op::Local(local) => Some(*local),
        Op::Reference { value, .. } | Op::Dereference(value) => variable_of(body, *value),
        _ => None,
    }
}

/// Whether the expression is a field that is named for retrying.
fn is_named_for_retrying(body: &Body, id: ExprId) -> bool {
    match &body.expr(id).op {
        Op::Field { name, .. } => names::is_retry(name),
        Op::Reference { value, .. } | Op::Dereference(value) => is_named_for_retrying(body, *value),
        Op::Method { receiver, name, .. } if matches!(&**name, "clone" | "as_str" | "as_ref") => {
            is_named_for_retrying(body, *receiver)
        }
        _ => false,
    }
}

/// Whether one of the arguments is a response, or a variable that is called one.
fn is_given_a_response(body: &Body, arguments: &[ExprId], values: &[Value<'_>]) -> bool {
    let is_called_one = |id: &ExprId| {
        variable_of(body, *id).is_some_and(|local| {
            matches!(&*body.locals[local.0 as usize].name, "response" | "resp" | "res" | "reply" | "answer" | "rsp")
        })
    };
    values.iter().any(|value| matches!(value.kind, Kind::Response)) || arguments.iter().any(is_called_one)
}

/// Whether a call of this name gives the hint.
fn reads(name: &str) -> bool {
    names::is_hint(name) || names::reads_hint(name) && !name.contains("error")
}

/// Whether a variable holds a hint.
pub(super) fn holds_hint(path: &Path<'_>) -> bool {
    path.variables.iter().flatten().any(|value| value.hint)
}

/// Whether an error is named for a limit.
fn is_limit(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Err(inner) | Kind::Ok(inner) => is_limit(inner),
        Kind::Variant(name, fields) => names::is_limit(name) || fields.iter().any(|(_, field)| is_limit(field)),
        _ => false,
    }
}

/// Where a field for the wait was filled with `None`.
fn explicit_none(value: &Value<'_>) -> Option<Span> {
    match &value.kind {
        Kind::Err(inner) | Kind::Ok(inner) => explicit_none(inner),
        Kind::Variant(_, fields) => {
            let is_none =
                fields.iter().any(|(name, field)| names::is_hint(name) && matches!(field.kind, Kind::Nothing));
            if is_none { Some(value.span) } else { fields.iter().find_map(|(_, field)| explicit_none(field)) }
        }
        _ => None,
    }
}

/// The operation among the arguments of a library's function that repeats it.
fn driven<'p>(before: &str, name: &str, values: &[Value<'p>]) -> Option<Value<'p>> {
    let repeats = matches!(name, "retry" | "retry_notify" | "retry_if" | "retry_async" | "retry_fn")
        || matches!(before, "Retry" | "RetryIf") && name == "spawn";
    if !repeats {
        return None;
    }
    let is_code = |value: &&Value<'p>| matches!(value.kind, Kind::Closure(_) | Kind::Function(_));
    values.iter().find(is_code).cloned()
}
