//! The wait: where a server's code first shows that something is one, and what its operations make of it.

use super::super::case::{Case, NOW, SECOND, WAIT};
use super::super::evaluate::{Evaluator, step};
use super::super::read::HeaderName;
use super::super::trail::{Event, Trail};
use super::super::value::{Code, Kind, Origin, OriginStep, Value};
use super::{is_display_of_header, is_written_by_type, raw_line, record};
use crate::ir::{BinaryOp, FunctionId, Name, Owner, Span};
use crate::names;
use std::rc::Rc;

impl Evaluator<'_, '_> {
    /// Whether a server's sending is looked at, and not a client's reading.
    pub fn is_emission(&self) -> bool {
        self.case == Case::Emission
    }

    /// The value goes out under the header's name.
    pub fn emit(&mut self, name: &HeaderName, value: &Value, span: Span) {
        if name.vendor.is_some() || !self.is_emission() {
            return;
        }
        let code = self.code();
        // A test of the value that led here: what is sent is what passed it.
        let is_guarded = self
            .world
            .context
            .find(true, |node| matches!(node.event, Event::Compared | Event::ComparedWithZero | Event::Tested))
            .is_some();
        let value = if is_guarded {
            self.each(value, |_, value| {
                if value.trail.is_some() {
                    value.clone().on(Trail::bound(Event::Floor(false), span, &value.trail, None))
                } else {
                    value.clone()
                }
            })
        } else {
            value.clone()
        };
        record(self.log, name.at, span, code, &value, false);
    }

    /// A pair of the header's name and a value.
    pub fn emit_pair(&mut self, parts: &[Value], span: Span) {
        if let [name, value] = parts
            && self.is_emission()
            && matches!(name.kind, Kind::Text(_))
            && let Some(name) = self.header_name(name)
        {
            self.emit(&name, &value.clone(), span);
        }
    }

    /// A text that holds the header as a raw line, or that a typed header writes.
    pub fn emit_text(&mut self, template: &str, values: &[Value], styles: &[Name], is_written: bool, span: Span) {
        if !self.is_emission() {
            return;
        }
        if let Some((before, line)) = raw_line(template) {
            let held = line.matches("{}").count();
            let shown = self.shown(
                line,
                &values[before.min(values.len())..(before + held).min(values.len())],
                &styles[before.min(styles.len())..],
                span,
            );
            let name = HeaderName { at: span, vendor: None };
            self.emit(&name, &shown, span);
        }
        if is_written
            && template == "{}"
            && let Code::Function(id) = self.code()
            && self.frame().closure.is_none()
            && is_display_of_header(self.program, id)
            && is_written_by_type(self.program, &self.log.header_types, id)
        {
            let shown = self.shown(template, values, styles, span);
            let code = self.code();
            record(self.log, span, span, code, &shown, true);
        }
    }

    /// A text of values, each in its style.
    pub fn shown(&mut self, template: &str, values: &[Value], styles: &[Name], span: Span) -> Value {
        if let [Value { kind: Kind::OneOf(alternatives), .. }] = values {
            let all = alternatives.clone();
            let shown =
                all.iter().map(|value| self.shown(template, std::slice::from_ref(value), styles, span)).collect();
            return Value::one_of(shown, span);
        }
        let mut trail =
            values.iter().fold(Trail::NONE, |trail, value| trail.both(&super::super::call::flat_trail(value)));
        let mut text = String::new();
        let mut rest = template;
        for (index, value) in values.iter().enumerate() {
            let Some((before, after)) = rest.split_once("{}") else { break };
            text.push_str(before);
            let style = styles.get(index).map_or("", |style| style);
            // A time of unknown length, shown for whoever debugs.
            let value = match &value.kind {
                Kind::Unknown(origin)
                    if style.contains('?') && is_duration(origin) && is_remainder(origin) && !value.trail.is_some() =>
                {
                    &self.taken(Kind::Duration(WAIT), &origin.clone(), span)
                }
                _ => value,
            };
            trail = trail.both(&value.trail);
            match written(value, style) {
                Some(part) => text.push_str(&part),
                None => return Value { trail, ..Value::unknown(span) },
            }
            rest = after;
        }
        text.push_str(rest);
        let is_formed = values.iter().any(|value| !matches!(value.kind, Kind::Text(_) | Kind::Integer(_)));
        let trail = if trail.is_some() && is_formed { step(Event::Converted, span, &trail) } else { trail };
        Value { kind: Kind::Text(text.into()), trail, at: Some(span) }
    }

    /// A wait that the server knows, as it is first met.
    fn wait(&mut self, kind: Kind, origin: Option<&Origin>, span: Span) -> Value {
        let name: Name = origin.and_then(Origin::name).cloned().unwrap_or_else(|| "".into());
        let code = self.code();
        let source = self.log.wait_source(span, code, &name);
        let trail = Trail::new(Event::Read(source), span, &[], &[]);
        Value { kind, trail, at: Some(span) }
    }

    /// Something unknown that is taken for a wait: with more or less trust, as its name speaks for it.
    fn taken(&mut self, kind: Kind, origin: &Origin, span: Span) -> Value {
        let value = self.wait(kind, Some(origin), span);
        if origin.name().is_some_and(|name| names::is_wait(name)) {
            return value;
        }
        let trail = step(Event::Taken, span, &value.trail);
        value.on(trail)
    }

    /// A method on something unknown that says what it is: a time.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn wait_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Option<Option<Value>> {
        let Kind::Unknown(origin) = &receiver.kind else { return None };
        if receiver.trail.is_some() {
            return None;
        }
        let origin = origin.clone();
        match (name, arguments) {
            (
                "as_secs" | "as_millis" | "as_micros" | "as_nanos" | "as_secs_f64" | "as_secs_f32" | "as_millis_f64"
                | "as_millis_f32" | "subsec_nanos" | "subsec_millis" | "subsec_micros" | "num_seconds"
                | "num_milliseconds" | "num_minutes" | "whole_seconds" | "whole_milliseconds" | "whole_minutes"
                | "as_seconds_f64" | "as_seconds_f32" | "subsec_nanoseconds",
                [],
            ) if is_remainder(&origin) => {
                let wait = self.taken(Kind::Duration(WAIT), &origin, span);
                self.time_method(&wait, name, arguments, span)
            }
            (
                "timestamp"
                | "timestamp_millis"
                | "unix_timestamp"
                | "unix_timestamp_nanos"
                | "as_second"
                | "as_millisecond"
                | "to_rfc2822"
                | "to_rfc3339"
                | "timestamp_micros",
                [],
            ) => {
                let date = self.wait(Kind::Date(moment()), Some(&origin), span);
                self.time_method(&date, name, arguments, span)
            }
            ("format" | "strftime", [pattern]) if is_pattern(pattern) => {
                let date = self.wait(Kind::Date(moment()), Some(&origin), span);
                self.time_method(&date, name, arguments, span)
            }
            ("to_string", []) if is_date_type(&origin) => {
                let date = self.wait(Kind::Date(moment()), Some(&origin), span);
                self.time_method(&date, "to_rfc3339", arguments, span)
            }
            (
                "duration_since"
                | "saturating_duration_since"
                | "checked_duration_since"
                | "signed_duration_since"
                | "since",
                [other],
            ) if matches!(other.kind, Kind::Instant(_) | Kind::Date(_)) || is_present(other) => {
                if matches!(other.kind, Kind::Date(0)) {
                    let date = self.wait(Kind::Date(moment()), Some(&origin), span);
                    return self.time_method(&date, name, arguments, span);
                }
                let wait = self.wait(Kind::Duration(WAIT), Some(&origin), span);
                Some(Some(if name.starts_with("saturating") || name.starts_with("signed") || name == "since" {
                    wait
                } else {
                    Value::ok(wait)
                }))
            }
            ("checked_sub" | "saturating_sub" | "sub", [other]) => {
                let difference = self.emission_arithmetic(BinaryOp::Subtract, receiver, other, span)?;
                Some(Some(if name == "checked_sub" { Value::some(difference) } else { difference }))
            }
            ("elapsed", []) => {
                let past = self.wait(Kind::Duration(WAIT), Some(&origin), span);
                Some(Some(past))
            }
            _ => None,
        }
    }

    /// What a name tells in this case: a number of milliseconds is the wait in milliseconds, a float of seconds the wait in seconds.
    pub fn named_wait(&mut self, origin: &Rc<Origin>, span: Span) -> Option<Value> {
        let name = match &origin.step {
            OriginStep::Named(name)
            | OriginStep::Field(name)
            | OriginStep::Method(name, _)
            | OriginStep::Call(name, _) => name.clone(),
            _ => return None,
        };
        let leaf = origin.ty.as_ref().and_then(|ty| {
            let ty = ty.ty.peeled();
            ty.last_segment().map(str::to_owned)
        });
        let unit = names::unit_of(&name);
        let is_number = matches!(
            leaf.as_deref(),
            None | Some("u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "i128" | "isize")
        );
        if !names::is_wait(&name) || !is_remainder(origin) {
            return None;
        }
        if unit < SECOND
            && is_number
            && !(leaf.is_none() && matches!(origin.step, OriginStep::Method(..) | OriginStep::Call(..)))
        {
            return Some(self.wait(Kind::Integer(WAIT / unit), Some(origin), span));
        }
        if matches!(leaf.as_deref(), Some("f32" | "f64")) {
            return Some(self.wait(Kind::Float(WAIT as f64 / unit as f64), Some(origin), span));
        }
        None
    }

    /// Arithmetic in which a wait first shows: the present taken from an end, the time gone by from the whole.
    pub fn emission_arithmetic(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) -> Option<Value> {
        let (tainted_left, tainted_right) = (left.trail.carries_hint(), right.trail.carries_hint());
        let trail = left.trail.both(&right.trail);
        match (op, &left.kind, &right.kind) {
            (BinaryOp::Subtract, Kind::Unknown(origin), Kind::Duration(_) | Kind::Date(_) | Kind::Instant(_)) => {
                Some(self.wait(Kind::Duration(WAIT), Some(&origin.clone()), span))
            }
            (BinaryOp::Subtract, Kind::Instant(_) | Kind::Date(_), Kind::Unknown(origin)) if !tainted_left => {
                // The time gone by.
                Some(self.wait(Kind::Duration(WAIT), Some(&origin.clone()), span))
            }
            (BinaryOp::Subtract, Kind::Unknown(origin), Kind::Integer(number)) if !tainted_right => {
                let unit = present_unit(*number)?;
                let origin = origin.clone();
                let left = self.wait(Kind::Integer(in_unit(unit)), Some(&origin), span);
                Some(if is_signed(&origin) { left.clone().on(step(Event::Signed, span, &left.trail)) } else { left })
            }
            (BinaryOp::Subtract, Kind::Unknown(_), Kind::Integer(_)) => Some(Value::unknown(span)),
            (BinaryOp::Subtract, Kind::Unknown(end), Kind::Unknown(present)) if is_present(right) => {
                let end = end.clone();
                let leaf = [&end, present].into_iter().find_map(|origin| {
                    origin.ty.as_ref().and_then(|ty| ty.ty.peeled().last_segment().map(str::to_owned))
                });
                let unit = [&end, present]
                    .into_iter()
                    .filter_map(|origin| origin.name())
                    .map(|name| names::unit_of(name))
                    .min()?;
                let kind = match leaf.as_deref() {
                    Some("Instant" | "SystemTime" | "DateTime" | "OffsetDateTime" | "Timestamp" | "NaiveDateTime") => {
                        Kind::Duration(WAIT)
                    }
                    Some("u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "i128") => Kind::Integer(in_unit(unit)),
                    Some("f64" | "f32") => Kind::Float(WAIT as f64 / unit as f64),
                    _ => return None,
                };
                let left = self.wait(kind, Some(&end), span);
                Some(if is_signed(&end) { left.clone().on(step(Event::Signed, span, &left.trail)) } else { left })
            }
            // Both were known to the nanosecond: what is left is as odd as they were.
            (BinaryOp::Subtract, Kind::Duration(_), Kind::Duration(_)) if tainted_left && tainted_right => {
                Some(Value { kind: Kind::Duration(WAIT), trail, at: Some(span) })
            }
            // Whole units of both: what was cut from what has gone by is in what is left.
            (BinaryOp::Subtract, Kind::Integer(_), Kind::Integer(_)) if tainted_left && tainted_right => {
                Some(Value::unknown(span))
            }
            (BinaryOp::Add, Kind::Date(time), Kind::Unknown(origin)) if !tainted_left && is_remainder(origin) => {
                Some(self.wait(Kind::Date(time + WAIT), Some(&origin.clone()), span))
            }
            (BinaryOp::Add, Kind::Instant(time), Kind::Unknown(origin)) if !tainted_left && is_remainder(origin) => {
                Some(self.wait(Kind::Instant(time + WAIT), Some(&origin.clone()), span))
            }
            (BinaryOp::Add, Kind::Integer(number), Kind::Unknown(origin))
            | (BinaryOp::Add, Kind::Unknown(origin), Kind::Integer(number)) => {
                let unit = present_unit(*number)?;
                Some(self.wait(Kind::Integer(number + in_unit(unit)), Some(&origin.clone()), span))
            }
            (BinaryOp::Divide, Kind::Integer(a), Kind::Integer(b)) if tainted_left && *b != 0 && a % b != 0 => {
                Some(Value { kind: Kind::Integer(a / b), trail: step(Event::Truncated, span, &trail), at: Some(span) })
            }
            // A flag that rounds up: `+ u64::from(rest > 0)`.
            (_, Kind::Integer(_), Kind::Bool(truth)) => {
                let one = right.map(Kind::Integer(i128::from(*truth)));
                Some(self.binary(op, left, &one, span))
            }
            _ => None,
        }
    }

    /// A method on a known time whose result tells how it is sent.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn emission_time_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Option<Option<Value>> {
        let on = |kind: Kind, event: Event| {
            let trail =
                if receiver.trail.is_some() { step(event, span, &receiver.trail) } else { receiver.trail.clone() };
            Some(Some(Value { kind, trail, at: Some(span) }))
        };
        let cut = |time: i128, unit: i128| if time % unit == 0 { Event::Converted } else { Event::Truncated };
        match (&receiver.kind, name) {
            (Kind::Duration(time), "as_secs" | "num_seconds" | "whole_seconds" | "get_seconds") => {
                on(Kind::Integer(time.div_euclid(SECOND)), cut(*time, SECOND))
            }
            (Kind::Duration(time), "num_minutes" | "whole_minutes") => {
                on(Kind::Integer(time / (60 * SECOND)), cut(*time, 60 * SECOND))
            }
            (Kind::Duration(time), "as_millis" | "num_milliseconds" | "whole_milliseconds") => {
                on(Kind::Integer(time / 1_000_000), Event::Converted)
            }
            (Kind::Duration(time), "as_millis_f64" | "as_millis_f32") => {
                on(Kind::Float(*time as f64 / 1e6), Event::Converted)
            }
            (Kind::Duration(time), "as_secs_f64" | "as_secs_f32" | "as_seconds_f64" | "as_seconds_f32") => {
                on(Kind::Float(*time as f64 / 1e9), Event::Converted)
            }
            (Kind::Duration(time), "subsec_nanos" | "subsec_nanoseconds") => {
                on(Kind::Integer(time % SECOND), Event::Converted)
            }
            (Kind::Duration(time), "subsec_micros") => on(Kind::Integer(time % SECOND / 1_000), Event::Converted),
            (Kind::Duration(time), "subsec_millis") => on(Kind::Integer(time % SECOND / 1_000_000), Event::Converted),
            // A moment is most often a whole second; the difference of two loses on both sides.
            (Kind::Date(time), "timestamp" | "unix_timestamp" | "as_second") => {
                on(Kind::Integer(-(-time).div_euclid(SECOND)), Event::Converted)
            }
            (Kind::Date(time), "timestamp_millis" | "as_millisecond") => {
                on(Kind::Integer(time / 1_000_000), Event::Converted)
            }
            (Kind::Date(_), "to_rfc2822") => on(Kind::Text("Mon, 30 Nov 2026 12:00:02 +0000".into()), Event::Converted),
            (Kind::Date(_), "to_rfc3339" | "to_rfc3339_opts" | "format_rfc3339") => {
                on(Kind::Text("2026-11-30T12:00:02+00:00".into()), Event::Converted)
            }
            (Kind::Date(_), "format" | "strftime" | "format_with_items") => match &arguments.first()?.kind {
                Kind::Text(pattern) if pattern.ends_with("GMT") => {
                    on(Kind::Text("Mon, 30 Nov 2026 12:00:02 GMT".into()), Event::Converted)
                }
                Kind::Text(pattern) => on(Kind::Text(pattern.clone()), Event::Converted),
                Kind::Function(function) if function.written.ends_with("Rfc2822") => {
                    on(Kind::Text("Mon, 30 Nov 2026 12:00:02 +0000".into()), Event::Converted)
                }
                Kind::Function(function) if function.written.ends_with("Rfc3339") => {
                    on(Kind::Text("2026-11-30T12:00:02Z".into()), Event::Converted).map(|text| text.map(Value::ok))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A function that makes what is sent of a value: `HeaderValue::from`, `fmt_http_date`, a typed header's constructor.
    pub fn emission_call(&mut self, owner: &str, name: &str, arguments: &[Value], span: Span) -> Option<Value> {
        let first = arguments.first()?;
        match (owner, name) {
            ("HeaderValue", "from" | "from_bytes_unchecked" | "from_maybe_shared_unchecked" | "from_static") => {
                Some(first.clone())
            }
            ("HeaderValue", "from_str" | "try_from" | "from_bytes" | "from_maybe_shared" | "from_shared") => {
                Some(Value::ok(first.clone()))
            }
            (_, "fmt_http_date") | ("HttpDate", "from") => Some(self.each(first, |this, value| {
                let value = match &value.kind {
                    Kind::Unknown(origin) if !value.trail.is_some() => {
                        let origin = origin.clone();
                        this.wait(Kind::Date(moment()), Some(&origin), span)
                    }
                    _ => value.clone(),
                };
                match value.kind {
                    Kind::Date(_) => Value {
                        kind: Kind::Text("Mon, 30 Nov 2026 12:00:02 GMT".into()),
                        trail: step(Event::Converted, span, &value.trail),
                        at: Some(span),
                    },
                    _ => value,
                }
            })),
            ("RetryAfter", "delay" | "Delay") => {
                // The typed headers cut what is below a second, as `as_secs` does.
                let sent = self.each(first, |this, value| match &value.kind {
                    Kind::Duration(_) => this
                        .emission_time_method(value, "as_secs", &[], span)
                        .flatten()
                        .unwrap_or_else(|| value.clone()),
                    Kind::Unknown(origin) if !value.trail.is_some() && is_remainder(origin) && is_duration(origin) => {
                        let origin = origin.clone();
                        let wait = this.taken(Kind::Duration(WAIT), &origin, span);
                        this.emission_time_method(&wait, "as_secs", &[], span).flatten().unwrap_or(wait)
                    }
                    _ => value.clone(),
                });
                let name = HeaderName { at: span, vendor: None };
                self.emit(&name, &sent, span);
                Some(Value::unknown(span))
            }
            _ => None,
        }
    }

    /// `value.into()` where a conversion of the workspace says what becomes of the value.
    pub fn own_conversion(&mut self, receiver: &Value, span: Span) -> Option<Value> {
        let name = match &receiver.kind {
            Kind::Variant(variant) => variant.ty.map(|ty| self.program.type_item(ty).name.clone()),
            Kind::Unknown(origin) => {
                let ty = origin.ty.as_ref().and_then(|ty| self.local_type(ty));
                ty.map(|ty| self.program.type_item(ty).name.clone())
            }
            _ => None,
        }?;
        let found: Vec<FunctionId> = self
            .program
            .methods_named("from")
            .iter()
            .copied()
            .filter(|id| match &self.program.function(*id).owner {
                Owner::TraitImpl { of, ty } => {
                    of.last_segment() == Some("From")
                        && of.arguments().iter().any(|from| from.peeled().last_segment() == Some(&*name))
                        && matches!(ty.peeled().last_segment(), Some("HeaderValue" | "Header" | "String"))
                }
                _ => false,
            })
            .collect();
        match found.as_slice() {
            [only] => self.call_function(*only, vec![receiver.clone()], &[], span, None),
            _ => None,
        }
    }
}

/// The moment at which the wait ends, in nanoseconds from the Unix epoch.
fn moment() -> i128 {
    i128::from(NOW) * SECOND + WAIT
}

/// The wait in whole units: seconds that came as a difference of two are taken to be rounded up.
fn in_unit(unit: i128) -> i128 {
    if unit >= SECOND { -(-WAIT).div_euclid(unit) } else { WAIT / unit }
}

/// The unit in which a number is the present, in nanoseconds.
fn present_unit(number: i128) -> Option<i128> {
    let now = i128::from(NOW) * SECOND;
    [SECOND, 1_000_000, 1_000, 1].into_iter().find(|unit| number == now / unit)
}

/// Whether it is how a date is to be written: a pattern of `strftime`, or a form that is known by its name.
fn is_pattern(value: &Value) -> bool {
    match &value.kind {
        Kind::Text(pattern) => pattern.contains('%') && &**pattern != "%s",
        Kind::Function(function) => ["Rfc2822", "Rfc3339"].iter().any(|form| function.written.ends_with(form)),
        _ => false,
    }
}

/// Whether something unknown is a date by its type, and is shown as one.
fn is_date_type(origin: &Origin) -> bool {
    let ty = origin.ty.as_ref().and_then(|ty| ty.ty.last_segment());
    matches!(ty, Some("Timestamp" | "Zoned" | "DateTime" | "OffsetDateTime"))
}

/// Whether something unknown is named like the present.
fn is_present(value: &Value) -> bool {
    let Kind::Unknown(origin) = &value.kind else { return false };
    origin.name().is_some_and(|name| names::is_present(name))
}

/// Whether the number is written as one that may lie below zero.
fn is_signed(origin: &Origin) -> bool {
    let ty = origin.ty.as_ref().and_then(|ty| ty.ty.peeled().last_segment().map(str::to_owned));
    matches!(ty.as_deref(), Some("i32" | "i64" | "i128"))
}

fn is_duration(origin: &Origin) -> bool {
    let ty = origin.ty.as_ref().and_then(|ty| ty.ty.peeled().last_segment().map(str::to_owned));
    matches!(ty.as_deref(), Some("Duration" | "TimeDelta"))
}

/// Whether an unknown time may be what is left of a wait. What is configured, and what was made of whole seconds, is not.
fn is_remainder(origin: &Origin) -> bool {
    if origin.way().any(|step| match &step.step {
        OriginStep::Method(name, _) | OriginStep::Call(name, _) => names::makes_whole_seconds(name),
        _ => false,
    }) {
        return false;
    }
    let mut names = origin.way().filter_map(|step| match &step.step {
        OriginStep::Named(name) | OriginStep::Field(name) | OriginStep::Method(name, _) | OriginStep::Call(name, _) => {
            Some(name)
        }
        _ => None,
    });
    let is_configured = |name: &Name| names::is_configured(name);
    match names.next() {
        Some(last) if names::is_span(last) || is_configured(last) => false,
        Some(_) => !names.any(is_configured),
        None => true,
    }
}

/// What a value is written as by `{}`, or by another style.
fn written(value: &Value, style: &str) -> Option<String> {
    Some(match &value.kind {
        Kind::Text(text) => text.to_string(),
        Kind::Integer(number) => number.to_string(),
        Kind::Character(character) => character.to_string(),
        Kind::Float(number) => {
            match style.strip_prefix('.').map(|digits| digits.trim_end_matches('?').parse::<usize>()) {
                Some(Ok(digits)) => format!("{number:.digits$}"),
                _ => number.to_string(),
            }
        }
        Kind::Duration(time) if style.contains('?') => {
            format!("{:?}", std::time::Duration::from_nanos(u64::try_from(*time).ok()?))
        }
        Kind::Variant(variant) if matches!(&*variant.name, "Some" | "Ok") && style.contains('?') => {
            format!("{}({})", variant.name, written(&variant.fields.first()?.1, style)?)
        }
        _ => return None,
    })
}
