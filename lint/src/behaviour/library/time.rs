//! Time: durations, instants and dates of std, chrono, time, jiff, httpdate and whatever looks like them.

use crate::behaviour::case::SECOND;
use crate::behaviour::evaluate::{Evaluator, step};
use crate::behaviour::hazard::HazardKind;
use crate::behaviour::log::Timed;
use crate::behaviour::trail::Event;
use crate::behaviour::value::{Kind, Origin, OriginStep, TypeAt, Value};
use crate::ir::{BinaryOp, Span};
use crate::names;
use std::rc::Rc;

/// Seconds since the Unix epoch of an IMF-fixdate, the only form that the cases use. Not a parser for anybody's input.
pub fn imf_fixdate(text: &str) -> Option<i64> {
    let rest = text.trim().strip_suffix(" GMT")?;
    let (_, rest) = rest.split_once(", ")?;
    let mut parts = rest.split(' ');
    let day: i64 = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        .iter()
        .position(|name| *name == month)? as i64
        + 1;
    let year: i64 = parts.next()?.parse().ok()?;
    let mut clock = parts.next()?.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days from the civil calendar: years begin in March, so that the leap day is the last of a year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// Which forms of an HTTP-date, besides IMF-fixdate, a parser takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    /// RFC 850's.
    pub rfc850: bool,
    /// asctime's.
    pub asctime: bool,
}

impl Forms {
    /// All three, or as far as is known all three.
    pub const ALL: Forms = Forms { rfc850: true, asctime: true };
    /// IMF-fixdate alone.
    pub const IMF_FIXDATE: Forms = Forms { rfc850: false, asctime: false };

    /// The forms that a function takes, by its path and the texts it is given: a format names the form that it is for.
    pub fn of(path: &str, arguments: &[Value]) -> Forms {
        if ["rfc2822", "rfc_2822", "Rfc2822", "rfc1123", "rfc822", "rfc7231", "imf"]
            .iter()
            .any(|part| path.contains(part))
        {
            return Forms::IMF_FIXDATE;
        }
        let described = |argument: &Value| match &argument.kind {
            Kind::Function(function) => matches!(&*function.written, "Rfc2822" | "well_known::Rfc2822"),
            Kind::Variant(variant) => &*variant.name == "Rfc2822",
            _ => false,
        };
        if arguments.iter().flat_map(Value::alternatives).any(described) {
            return Forms::IMF_FIXDATE;
        }
        let format = arguments.iter().flat_map(Value::alternatives).find_map(|argument| match &argument.kind {
            Kind::Text(text) if text.contains('%') && !argument.trail.is_some() => Some(text.clone()),
            _ => None,
        });
        match format {
            Some(format) => {
                let format = format.trim_start();
                Forms {
                    rfc850: format.starts_with("%A") && format.contains('-'),
                    asctime: !format.contains(',') && format.starts_with("%a"),
                }
            }
            None => Forms::ALL,
        }
    }
}

impl Evaluator<'_, '_> {
    /// A clock: a function without arguments that tells the time.
    pub fn clock_call(&mut self, owner: &str, name: &str, span: Span) -> Option<Value> {
        Some(match (owner, name) {
            ("Duration" | "TimeDelta" | "SignedDuration", "zero") => Value::plain(Kind::Duration(0), span),
            ("Instant" | "SteadyClock", "now") => Value::plain(Kind::Instant(0), span),
            (
                "SystemTime" | "Utc" | "Local" | "OffsetDateTime" | "Timestamp" | "Zoned" | "DateTime",
                "now" | "now_utc" | "now_local" | "today",
            )
            | (_, "now_utc") => self.wall_now(span),
            _ => return None,
        })
    }

    /// The hint's number, where the value is what a `max` made of it and nothing was computed with that.
    fn before_floor(&self, value: &Value) -> Option<i128> {
        self.log.floored.get(&(self.case, value.at?)).copied().filter(|_| value.carries_hint())
    }

    /// A time that was made of a number, with the hint's own number remembered.
    fn timed(&mut self, made: Value, from: &Value, number: i128, unit: i128, span: Span) -> Value {
        let number = self.before_floor(from).unwrap_or(number);
        let (Ok(number), Ok(unit)) = (u64::try_from(number), u64::try_from(unit)) else { return made };
        if !from.trail.carries_hint() {
            return made;
        }
        let trail = step(Event::Timed { number, unit }, span, &from.trail);
        for &source in trail.sources(false) {
            let timed = Timed { source, case: self.case, number, unit, span };
            self.log.timed.entry(timed).or_insert_with(|| trail.clone());
        }
        made.on(trail)
    }

    /// A function that makes or reads a time.
    pub fn time_call(
        &mut self,
        owner: &str,
        name: &str,
        full: &str,
        first: &Value,
        arguments: &[Value],
        span: Span,
    ) -> Option<Value> {
        let fallible = name.starts_with("try_") || name.starts_with("saturating_");
        let of_chrono = owner == "TimeDelta"
            || full.starts_with("chrono::")
            || (owner == "Duration"
                && matches!(name, "seconds" | "milliseconds" | "minutes")
                && !full.starts_with("time::"));
        let is_emission = self.is_emission();
        let is_signed = of_chrono || owner == "SignedDuration" || full.starts_with("time::");
        let scaled = |this: &mut Self, nanoseconds: i128| {
            for value in first.alternatives() {
                this.note_number(
                    value,
                    if name.contains("_f") {
                        "f64"
                    } else if is_signed {
                        "i64"
                    } else {
                        "u64"
                    },
                );
                this.log.used.extend(value.trail.sources(false));
            }
            this.each(first, |this, value| match value.kind {
                Kind::Integer(number) => {
                    let time = number.saturating_mul(nanoseconds);
                    // chrono's durations hold milliseconds in 64 bits and panic beyond.
                    if !fallible && of_chrono && time > i128::from(i64::MAX) * 1_000_000 {
                        this.hazard(HazardKind::LargeDuration, span, &value.trail);
                    }
                    let made = value.map(Kind::Duration(time));
                    this.timed(made, value, number, nanoseconds, span)
                }
                Kind::Float(number) => {
                    let seconds = number * (nanoseconds as f64 / 1e9);
                    // The methods that are named for seconds alone are of a signed type.
                    let least = if name.starts_with("seconds") { -9.22e18 } else { 0.0 };
                    if !fallible && !(least..if least < 0.0 { 9.22e18 } else { 1.844e19 }).contains(&seconds) {
                        this.hazard(HazardKind::FloatDuration, span, &value.trail);
                    }
                    value.map(Kind::Duration((number * nanoseconds as f64) as i128))
                }
                Kind::Hint(hint) => value.map(Kind::Duration(hint)),
                // So many of a unit: a server that sends them again has lost nothing.
                Kind::Unknown(ref origin)
                    if is_emission
                        && nanoseconds >= SECOND
                        && (!name.contains("_f")
                            || origin.way().any(|part| part.name().is_some_and(|name| &**name == "ceil"))) =>
                {
                    let step = OriginStep::Method("from_secs".into(), span);
                    value.map(Kind::Unknown(Rc::new(Origin::new(step, Some(origin.clone()), None))))
                }
                // Which of two numbers is larger is not known, and one of them is the hint's.
                Kind::Unknown(_) => match this.before_floor(value) {
                    Some(number) => this.timed(value.clone(), value, number, nanoseconds, span),
                    None => value.clone(),
                },
                _ => value.clone(),
            })
        };
        let is_duration =
            matches!(owner, "Duration" | "TimeDelta" | "SignedDuration" | "StdDuration" | "Span" | "CoreDuration")
                || owner.ends_with("Duration");
        if is_duration {
            let unit =
                match name.trim_start_matches("try_").trim_start_matches("from_").trim_start_matches("saturating_") {
                    "secs" | "seconds" | "secs_f64" | "secs_f32" | "seconds_f64" | "seconds_f32"
                    | "secs_saturating" => Some(SECOND),
                    "millis" | "milliseconds" | "millis_f64" => Some(1_000_000),
                    "micros" | "microseconds" => Some(1_000),
                    "nanos" | "nanoseconds" => Some(1),
                    "mins" | "minutes" => Some(60 * SECOND),
                    "hours" => Some(3_600 * SECOND),
                    "days" => Some(86_400 * SECOND),
                    "weeks" => Some(7 * 86_400 * SECOND),
                    "std" => None,
                    _ => None,
                };
            if name == "new" && arguments.len() == 2 {
                return Some(scaled(self, SECOND));
            }
            if name == "from_std" || name == "try_from" || name == "from" {
                return Some(if name == "from" {
                    first.clone()
                } else {
                    self.each(first, |_, value| Value::ok(value.clone()))
                });
            }
            if let Some(unit) = unit {
                let made = scaled(self, unit);
                return Some(if name.starts_with("try_") {
                    self.each(&made, |_, value| match value.kind {
                        Kind::Duration(time) if time < 0 && name.starts_with("try_from") => {
                            let trail = if value.trail.is_some() {
                                step(Event::ComparedWithZero, span, &value.trail)
                            } else {
                                value.trail.clone()
                            };
                            Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
                        }
                        _ => Value::some(value.clone()),
                    })
                } else {
                    made
                });
            }
        }
        // Text that is read as a date.
        let text = arguments.iter().find(|argument| {
            argument
                .alternatives()
                .iter()
                .any(|value| value.trail.is_some() && matches!(value.kind, Kind::Text(_) | Kind::NotText))
        });
        if let Some(text) = text {
            let by_name = names::reads_date(name)
                || (matches!(
                    owner,
                    "OffsetDateTime"
                        | "PrimitiveDateTime"
                        | "DateTime"
                        | "HttpDate"
                        | "NaiveDateTime"
                        | "Zoned"
                        | "Timestamp"
                        | "SystemTime"
                        | "UtcDateTime"
                ) && matches!(name, "parse" | "from_str" | "try_from" | "strptime" | "parse_with"))
                || full.contains("date_header")
                || (full.contains("rfc2822") && name.contains("parse"));
            if by_name {
                let text = text.clone();
                let forms = Forms::of(full, arguments);
                return Some(self.each(&text, |this, text| this.parse_date(text, forms, span)));
            }
        }
        match (owner, name) {
            (
                "SystemTime" | "DateTime" | "OffsetDateTime" | "Timestamp" | "HttpDate" | "StdSystemTime"
                | "UtcDateTime" | "Zoned",
                "from" | "try_from" | "from_std" | "from_utc" | "from_naive_utc_and_offset",
            ) => Some(if name.starts_with("try") { Value::ok(first.clone()) } else { first.clone() }),
            ("Instant", "from_std" | "from") => Some(first.clone()),
            (
                "OffsetDateTime" | "Timestamp" | "DateTime" | "NaiveDateTime" | "Utc",
                "from_unix_timestamp" | "from_second" | "from_timestamp" | "timestamp_opt" | "from_timestamp_opt",
            ) => {
                let date = self.each(first, |_, value| match value.kind {
                    Kind::Integer(seconds) => value.map(Kind::Date(seconds.saturating_mul(SECOND))),
                    _ => value.clone(),
                });
                Some(self.each(&date, |_, value| Value::some(value.clone())))
            }
            _ => None,
        }
    }

    /// A conversion between numbers and texts, by its path.
    pub fn conversion_call(
        &mut self,
        owner: &str,
        name: &str,
        first: &Value,
        arguments: &[Value],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        match (name, crate::ir::is_number_type(owner)) {
            ("from_str" | "from_str_radix" | "from_ascii" | "from_ascii_radix", true) => {
                let ty = crate::ir::Type::Path { path: [owner.into()].into(), arguments: [].into() };
                Some(self.each(first, |this, text| match text.kind {
                    Kind::Text(_) | Kind::NotText => {
                        this.parse(text, Some(&ty), None, span).unwrap_or_else(|| Value::unknown(span))
                    }
                    _ => Value { trail: text.trail.clone(), ..Value::unknown(span) },
                }))
            }
            ("from", true) => Some(first.clone()),
            ("try_from", true) => {
                let ty = crate::ir::Type::Path { path: [owner.into()].into(), arguments: [].into() };
                Some(self.each(first, |this, value| {
                    let cast = this.cast(value, &ty, span);
                    if cast.same(value) || !matches!(value.kind, Kind::Integer(_)) {
                        Value::ok(value.clone())
                    } else {
                        let trail = this.failed(Event::NotNumber, span, value);
                        Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
                    }
                }))
            }
            ("min" | "max", true) if arguments.len() == 2 => Some(if name == "min" {
                self.least(first, &arguments[1], span)
            } else {
                self.greatest(first, &arguments[1], span)
            }),
            ("from_utf8" | "from_utf8_unchecked" | "from_ascii_str", _) => {
                Some(self.each(first, |this, text| match text.kind {
                    Kind::NotText => {
                        let trail = this.failed(Event::NotText, span, text);
                        Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
                    }
                    _ => Value::ok(text.clone()),
                }))
            }
            ("from_utf8_lossy", _) => Some(self.each(first, |_, text| {
                if matches!(text.kind, Kind::NotText) { text.map(Kind::Text("\u{fffd}".into())) } else { text.clone() }
            })),
            ("from_str" | "parse", false)
                if matches!(first.kind, Kind::Text(_) | Kind::NotText | Kind::OneOf(_))
                    && first.is_tainted()
                    && (owner == "FromStr" || owner == "str") =>
            {
                Some(self.each(first, |this, text| {
                    this.parse(text, None, want, span).unwrap_or_else(|| Value::unknown(span))
                }))
            }
            ("from" | "into", false) if matches!(owner, "From" | "Into" | "String" | "Cow") => Some(first.clone()),
            _ => None,
        }
    }

    /// A method on a duration, an instant or a date. The outer None: not one of theirs.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn time_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Option<Option<Value>> {
        let (Kind::Duration(time) | Kind::Instant(time) | Kind::Date(time)) = receiver.kind else { return None };
        if self.is_emission()
            && let Some(result) = self.emission_time_method(receiver, name, arguments, span)
        {
            return Some(result);
        }
        let argument = arguments.first();
        let checked = |this: &mut Self, value: Value| this.each(&value, |_, value| Value::some(value.clone()));
        Some(Some(match (name, argument) {
            // A Unix timestamp stays the date that it is, whatever its unit.
            (
                "timestamp"
                | "unix_timestamp"
                | "timestamp_millis"
                | "as_second"
                | "as_millisecond"
                | "unix_timestamp_nanos",
                None,
            ) if matches!(receiver.kind, Kind::Date(_)) => receiver.clone(),
            (
                "as_secs" | "num_seconds" | "whole_seconds" | "as_seconds" | "timestamp" | "unix_timestamp"
                | "as_second" | "get_seconds",
                None,
            ) => {
                let seconds = receiver.map(Kind::Integer(time.div_euclid(SECOND)));
                if time % SECOND != 0 && receiver.trail.carries_hint() {
                    seconds.on(step(Event::Truncated, span, &receiver.trail))
                } else {
                    seconds
                }
            }
            (
                "as_millis" | "num_milliseconds" | "whole_milliseconds" | "timestamp_millis" | "as_millisecond"
                | "as_millis_u64",
                None,
            ) => receiver.map(Kind::Integer(time / 1_000_000)),
            ("as_micros" | "num_microseconds" | "whole_microseconds", None) => {
                receiver.map(Kind::Integer(time / 1_000))
            }
            ("as_nanos" | "num_nanoseconds" | "whole_nanoseconds", None) => receiver.map(Kind::Integer(time)),
            ("num_minutes" | "whole_minutes", None) => receiver.map(Kind::Integer(time / (60 * SECOND))),
            ("total", Some(unit)) => receiver.map(Kind::Float(time as f64 / nanoseconds_of(unit))),
            ("as_secs_f64" | "as_secs_f32" | "as_seconds_f64" | "as_seconds_f32", _) => {
                receiver.map(Kind::Float(time as f64 / 1e9))
            }
            ("subsec_nanos" | "subsec_millis" | "subsec_micros", None) => receiver.map(Kind::Integer(0)),
            ("is_zero", None) => self.binary(BinaryOp::Equal, receiver, &Value::plain(Kind::Duration(0), span), span),
            ("is_negative", None) => {
                self.binary(BinaryOp::Less, receiver, &Value::plain(Kind::Duration(0), span), span)
            }
            ("is_positive", None) => {
                self.binary(BinaryOp::Greater, receiver, &Value::plain(Kind::Duration(0), span), span)
            }
            ("min", Some(other)) => self.least(receiver, other, span),
            ("max", Some(other)) => self.greatest(receiver, other, span),
            ("clamp", Some(low)) => {
                let raised = self.greatest(receiver, low, span);
                self.least(&raised, arguments.get(1)?, span)
            }
            ("to_std" | "try_into" | "into_std_checked" | "unsigned_duration", None) => {
                if time < 0 && matches!(receiver.kind, Kind::Duration(_)) {
                    let trail = self.failed(Event::Past, span, receiver);
                    Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
                } else {
                    Value::ok(receiver.clone())
                }
            }
            (
                "duration_since"
                | "checked_duration_since"
                | "saturating_duration_since"
                | "signed_duration_since"
                | "since"
                | "duration_until"
                | "until"
                | "sub"
                | "checked_sub"
                | "saturating_sub"
                | "checked_sub_signed",
                Some(other),
            ) => {
                let (from, to) = if matches!(name, "duration_until" | "until") {
                    (other.clone(), receiver.clone())
                } else {
                    (receiver.clone(), other.clone())
                };
                let difference = self.binary(BinaryOp::Subtract, &from, &to, span);
                self.each(&difference, |this, difference| match difference.kind {
                    Kind::Duration(time)
                        if time < 0
                            && !name.starts_with("signed")
                            && !matches!(name, "sub" | "duration_until" | "until" | "since") =>
                    {
                        let trail = this.failed(Event::Past, span, difference);
                        match name {
                            "saturating_duration_since" | "saturating_sub" => {
                                difference.map(Kind::Duration(0)).on(trail)
                            }
                            "checked_sub" | "checked_duration_since" => Value::none(trail, span),
                            _ => Value::err(difference.map(Kind::Duration(-time)).on(trail.clone())).on(trail),
                        }
                    }
                    _ if matches!(
                        name,
                        "duration_since"
                            | "since"
                            | "until"
                            | "checked_duration_since"
                            | "checked_sub"
                            | "checked_sub_signed"
                    ) =>
                    {
                        // std's on an Instant gives the duration itself; the table for Option sees through a wrapper too many.
                        if matches!(receiver.kind, Kind::Instant(_)) && name == "duration_since" {
                            difference.clone()
                        } else {
                            Value::ok(difference.clone())
                        }
                    }
                    _ => difference.clone(),
                })
            }
            ("elapsed", None) => match receiver.kind {
                Kind::Instant(time) => receiver.map(Kind::Duration((-time).max(0))),
                _ => Value::ok(receiver.map(Kind::Duration(0))),
            },
            ("add" | "saturating_add" | "add_signed" | "overflowing_add", Some(other)) => {
                self.binary(BinaryOp::Add, receiver, other, span)
            }
            ("checked_add" | "checked_add_signed", Some(other)) => {
                let sum = self.binary(BinaryOp::Add, receiver, other, span);
                checked(self, sum)
            }
            ("mul" | "saturating_mul", Some(other)) => self.binary(BinaryOp::Multiply, receiver, other, span),
            ("checked_mul", Some(other)) => {
                let product = self.binary(BinaryOp::Multiply, receiver, other, span);
                checked(self, product)
            }
            ("mul_f64" | "mul_f32", Some(other)) => self.binary(BinaryOp::Multiply, receiver, other, span),
            ("div_f64" | "div_f32" | "checked_div", Some(other)) => {
                self.binary(BinaryOp::Divide, receiver, other, span)
            }
            (
                "into"
                | "to_zoned"
                | "to_string"
                | "timestamp_subsec_nanos"
                | "to_offset"
                | "date_naive"
                | "replace_nanosecond"
                | "to_chrono"
                | "system_time"
                | "tz"
                | "time"
                | "date"
                | "and_local_timezone"
                | "earliest"
                | "single"
                | "assume_offset"
                | "to_utc_datetime"
                | "inner"
                | "to_system_time",
                _,
            ) => receiver.clone(),
            ("eq" | "lt" | "le" | "gt" | "ge", Some(other)) => {
                let op = match name {
                    "eq" => BinaryOp::Equal,
                    "lt" => BinaryOp::Less,
                    "le" => BinaryOp::LessEqual,
                    "gt" => BinaryOp::Greater,
                    _ => BinaryOp::GreaterEqual,
                };
                self.binary(op, receiver, other, span)
            }
            _ if names::is_hint(name) && arguments.is_empty() => receiver.clone(),
            _ => return None,
        }))
    }
}

/// How many nanoseconds the unit has that a value names: `Unit::Millisecond`. Seconds where it names none.
fn nanoseconds_of(unit: &Value) -> f64 {
    let name = match &unit.kind {
        Kind::Function(function) => function.written.rsplit("::").next().unwrap_or_default().to_owned(),
        Kind::Variant(variant) => variant.name.to_string(),
        _ => String::new(),
    };
    match name.as_str() {
        "Hour" => 3.6e12,
        "Minute" => 6e10,
        "Millisecond" => 1e6,
        "Microsecond" => 1e3,
        "Nanosecond" => 1.0,
        _ => 1e9,
    }
}
