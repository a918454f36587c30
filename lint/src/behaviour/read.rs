//! Reads: where a header's name is given and what comes back, and where text becomes a number or a date.

use super::case::{Case, Need, SECOND};
use super::evaluate::{Evaluator, step};
use super::hazard::HazardKind;
use super::library::time::Forms;
use super::log::SourceKind;
use super::trail::{Event, SourceIndex, Trail};
use super::value::{Kind, Origin, OriginStep, Value};
use crate::ir::{Name, Span};
use crate::names;
use std::rc::Rc;

/// The near date's moment, in seconds since the Unix epoch.
const NEAR: i64 = super::case::NOW + 7;

/// A header's name as a value, with the place that gave it.
#[derive(Clone, Debug)]
pub struct HeaderName {
    /// The place.
    pub at: Span,
    /// The vendor's name, where it is not the header itself.
    pub vendor: Option<Name>,
}

impl Evaluator<'_, '_> {
    /// The header's name, if the value is it.
    pub fn header_name(&self, value: &Value) -> Option<HeaderName> {
        if value.trail.is_some() {
            return None;
        }
        value.alternatives().iter().find_map(|value| match &value.kind {
            Kind::Text(text) if names::is_header_or_vendor(text) => {
                let vendor = (!names::is_header(text)).then(|| Name::from(&**text));
                value.at.map(|at| HeaderName { at, vendor })
            }
            Kind::Variant(variant) if variant.fields.len() == 1 => self.header_name(&variant.fields[0].1),
            _ => None,
        })
    }

    /// The header's text in this case, bare: None where the case has no header.
    pub fn text_of(&mut self, source: SourceIndex, read_at: Span, span: Span) -> Option<Value> {
        let trail = Trail::new(Event::Read(source), read_at, &[], &[]);
        match self.case {
            Case::Absent => None,
            Case::NotText => Some(Value { kind: Kind::NotText, trail, at: Some(span) }),
            case => {
                let text = match &self.log.sources[source as usize].kind {
                    SourceKind::Vendor(name) => case.vendor_text(names::unit_of(name)),
                    _ => case.text().map(str::to_owned),
                };
                text.map(|text| Value { kind: Kind::Text(text.into()), trail, at: Some(span) })
            }
        }
    }

    /// What reading the header gives: the bare text, or None (the value) where the case has no header.
    pub fn read(&mut self, name: &HeaderName, span: Span) -> Option<Value> {
        if self.world.shared.header_set || self.is_emission() {
            return Some(Value::unknown(span));
        }
        let code = self.code();
        let closure = self.frame().closure;
        let source = self.log.header(name, code, Some((span, code)));
        self.log.read_in_closure(source, closure);
        self.text_of(source, span, span)
    }

    /// `Some(text)` or `None`.
    pub fn read_option(&mut self, name: &HeaderName, span: Span) -> Value {
        match self.read(name, span) {
            // A vendor's header may be missing where the standard one is there.
            Some(text) if name.vendor.is_some() => {
                Value::one_of(vec![Value::some(text), Value::none(Trail::NONE, span)], span)
            }
            Some(text) => Value::some(text),
            None => {
                let code = self.code();
                let source = self.log.header(name, code, Some((span, code)));
                let read = Trail::new(Event::Read(source), span, &[], &[]);
                Value::none(step(Event::Absent, span, &read), span)
            }
        }
    }

    /// `headers["retry-after"]` of a map that has no such key: the program panics there. What panics is a map; a JSON object gives nothing instead.
    pub fn is_missing_header(&mut self, base: &Value, index: &Value, span: Span) -> bool {
        let Some(name) = self.header_name(index).filter(|_| self.case == Case::Absent) else { return false };
        if self.world.shared.header_set || self.is_emission() || !is_map(base) {
            return false;
        }
        let trail = self.read_option(&name, span).trail;
        self.hazard(HazardKind::MissingKey, span, &trail);
        true
    }

    /// An unknown name is compared with the header's: it is the header's, unless the case has none. What it belongs to is the header then.
    pub fn is_header(&mut self, origin: Rc<Origin>, source: SourceIndex, span: Span) -> Value {
        if self.is_emission() {
            return Value::plain(Kind::Maybe, span);
        }
        let read = Trail::new(Event::Read(source), span, &[], &[]);
        if self.case == Case::Absent {
            return Value { kind: Kind::Bool(false), trail: step(Event::Absent, span, &read), at: Some(span) };
        }
        let named_at = self.log.sources[source as usize].span;
        let owner = origin.base.clone().unwrap_or_else(|| origin.clone());
        if !self.world.shared.headers.iter().any(|(known, _)| *known == owner) {
            self.world.shared.headers.push((owner, named_at));
        }
        Value { kind: Kind::Bool(true), trail: read, at: Some(span) }
    }

    /// Text read as a whole number, as `FromStr` of the integer types does. `bits` bounds the result: (signed, bits).
    pub fn parse_integer(&mut self, text: &Value, signed: bool, bits: u32, span: Span) -> Value {
        let Kind::Text(content) = &text.kind else { return self.not_a_number(text, span) };
        if signed {
            self.log.met_needs.insert(Need::WideGrammar);
        }
        let parsed =
            content.strip_prefix('+').unwrap_or(content).parse::<i128>().ok().filter(|_| !content.starts_with("+-"));
        let fits = parsed.filter(|number| {
            let bits = bits.min(127);
            if signed {
                *number < 1 << (bits - 1).min(126) && *number >= -(1 << (bits - 1).min(126))
            } else {
                *number >= 0 && (bits >= 127 || *number < 1 << bits)
            }
        });
        match fits {
            Some(number) => self.parsed_number(text, Kind::Integer(number), span),
            None => self.not_a_number(text, span),
        }
    }

    /// Text read as a float.
    pub fn parse_float(&mut self, text: &Value, span: Span) -> Value {
        let Kind::Text(content) = &text.kind else { return self.not_a_number(text, span) };
        self.log.met_needs.insert(Need::WideGrammar);
        match content.parse::<f64>() {
            Ok(number) => {
                self.log.float_parses.insert(span);
                self.parsed_number(text, Kind::Float(number), span)
            }
            Err(_) => self.not_a_number(text, span),
        }
    }

    fn parsed_number(&mut self, text: &Value, kind: Kind, span: Span) -> Value {
        let (case, code) = (self.case, self.code());
        self.log.attempt(case, &text.trail, span, code, false, true);
        Value::ok(Value {
            kind,
            trail: if text.trail.is_some() { step(Event::ParsedNumber, span, &text.trail) } else { Trail::NONE },
            at: Some(span),
        })
    }

    fn not_a_number(&mut self, text: &Value, span: Span) -> Value {
        if !text.trail.is_some() {
            return match text.kind {
                Kind::Text(_) => Value::err(Value::unknown(span)),
                _ => Value::unknown(span),
            };
        }
        let (case, code) = (self.case, self.code());
        self.log.attempt(case, &text.trail, span, code, false, false);
        let trail = step(Event::NotNumber, span, &text.trail);
        Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
    }

    /// Text read as a date by a parser that takes an IMF-fixdate, and the other forms or not.
    pub fn parse_date(&mut self, text: &Value, forms: Forms, span: Span) -> Value {
        let (case, code) = (self.case, self.code());
        let time = match &text.kind {
            Kind::Text(content) => super::library::time::imf_fixdate(content).or(match case {
                Case::Rfc850 if forms.rfc850 && Some(&**content) == case.text() => Some(NEAR),
                Case::Asctime if forms.asctime && Some(&**content) == case.text() => Some(NEAR),
                _ => None,
            }),
            _ => None,
        };
        if time.is_some() && text.trail.is_some() {
            self.log.met_needs.insert(Need::Date);
        }
        self.log.attempt(case, &text.trail, span, code, true, time.is_some());
        match time {
            Some(seconds) => {
                let trail = step(Event::ParsedDate, span, &text.trail);
                Value::ok(Value { kind: Kind::Date(i128::from(seconds) * SECOND), trail, at: Some(span) })
            }
            None => {
                let trail = step(Event::NotDate, span, &text.trail);
                Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
            }
        }
    }

    /// The present on the wall clock.
    pub fn wall_now(&self, span: Span) -> Value {
        Value::plain(Kind::Date(self.case.now()), span)
    }

    /// A hint's value goes where it cannot be followed: text may still be parsed there.
    pub fn escapes(&mut self, value: &Value, span: Span) {
        for value in value.alternatives() {
            match &value.kind {
                Kind::Text(_) | Kind::NotText => {
                    let (case, trail) = (self.case, value.trail.clone());
                    self.log.escape(case, &trail, span);
                }
                Kind::Variant(variant) => {
                    for (_, field) in &variant.fields.clone() {
                        self.escapes(field, span);
                    }
                }
                Kind::Tuple(values) | Kind::List(values) => {
                    for value in values.iter() {
                        self.escapes(value, span);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether what is indexed is a map of headers, by its type where one is written, else by its name.
fn is_map(base: &Value) -> bool {
    let Kind::Unknown(origin) = &base.kind else { return false };
    match origin.ty.as_ref().and_then(|ty| ty.ty.last_segment()) {
        Some(ty) => matches!(ty, "HeaderMap" | "HashMap" | "BTreeMap" | "IndexMap" | "Headers"),
        None => {
            let is_wrapper = |origin: &&Origin| matches!(origin.step, OriginStep::Inner);
            let named = origin.way().find(|origin| !is_wrapper(origin));
            named.and_then(Origin::name).is_some_and(|name| name.to_lowercase().contains("header"))
        }
    }
}
