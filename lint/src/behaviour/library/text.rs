//! Text, bytes and characters, header values among them.

use crate::behaviour::evaluate::{Evaluator, step};
use crate::behaviour::library::time::Forms;
use crate::behaviour::trail::Event;
use crate::behaviour::value::{Kind, TypeAt, Value};
use crate::ir::{Span, Type};
use crate::module::Resolved;
use crate::names;
use std::rc::Rc;

impl Evaluator<'_, '_> {
    /// A method on text. The outer None: not one of text's.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn text_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
        generics: &[Type],
        want: Option<&TypeAt>,
    ) -> Option<Option<Value>> {
        let is_text = matches!(receiver.kind, Kind::Text(_));
        let text: Rc<str> = if let Kind::Text(text) = &receiver.kind { text.clone() } else { "\u{fffd}".into() };
        let same = |content: &str| receiver.map(Kind::Text(content.into()));
        let number = |value: usize| receiver.map(Kind::Integer(value as i128));
        let argument = arguments.first();
        Some(Some(match (name, argument) {
            ("to_str" | "as_str_result" | "to_str_lossy_result", None) => {
                if is_text {
                    Value::ok(receiver.clone())
                } else {
                    let trail = step(Event::NotText, span, &receiver.trail);
                    Value::err(Value { trail: trail.clone(), ..Value::unknown(span) }).on(trail)
                }
            }
            (
                "as_str" | "as_bytes" | "to_string" | "to_owned" | "into_string" | "into_bytes" | "as_encoded_bytes"
                | "to_bytes" | "bytes_slice" | "into_boxed_str" | "into" | "to_ascii_string" | "value" | "as_slice"
                | "deref" | "to_string_lossy" | "to_vec" | "encode",
                None,
            ) => receiver.clone(),
            ("trim" | "trim_ascii" | "trim_matches" | "trim_start_matches" | "trim_end_matches", _) if is_text => {
                same(text.trim())
            }
            ("trim_start" | "trim_end" | "trim_left" | "trim_right" | "trim_ascii_start" | "trim_ascii_end", None)
                if is_text =>
            {
                same(text.trim())
            }
            ("to_lowercase" | "to_ascii_lowercase", None) if is_text => same(&text.to_ascii_lowercase()),
            ("to_uppercase" | "to_ascii_uppercase", None) if is_text => same(&text.to_ascii_uppercase()),
            ("trim" | "trim_start" | "trim_end" | "trim_ascii" | "to_lowercase" | "to_ascii_lowercase", _) => {
                receiver.clone()
            }
            ("len", None) => {
                let length = number(text.len());
                let trail = step(Event::Tested, span, &receiver.trail);
                if receiver.trail.is_some() { length.on(trail) } else { length }
            }
            ("is_empty", None) => self.tested(text.is_empty(), receiver, span),
            ("is_ascii", None) => self.tested(text.is_ascii() && is_text, receiver, span),
            ("starts_with" | "ends_with" | "contains", Some(pattern)) => {
                let truth = match &pattern.kind {
                    Kind::Text(pattern) => Some(match name {
                        "starts_with" => text.starts_with(&**pattern),
                        "ends_with" => text.ends_with(&**pattern),
                        _ => text.contains(&**pattern),
                    }),
                    Kind::Character(pattern) => Some(match name {
                        "starts_with" => text.starts_with(*pattern),
                        "ends_with" => text.ends_with(*pattern),
                        _ => text.contains(*pattern),
                    }),
                    Kind::Closure(_) | Kind::Function(_) => {
                        let characters: Vec<char> = match name {
                            "starts_with" => text.chars().take(1).collect(),
                            "ends_with" => text.chars().rev().take(1).collect(),
                            _ => text.chars().collect(),
                        };
                        return Some(Some(self.quantified(receiver, &characters, pattern, false, span)));
                    }
                    _ => None,
                };
                match truth {
                    Some(truth) => self.tested(truth, receiver, span),
                    None => receiver.map(Kind::Maybe),
                }
            }
            ("eq_ignore_ascii_case" | "eq" | "equals", Some(other)) => match &other.kind {
                Kind::Text(other) => self.tested(text.eq_ignore_ascii_case(other), receiver, span),
                _ => receiver.map(Kind::Maybe),
            },
            ("strip_prefix" | "strip_suffix", Some(pattern)) => {
                let stripped = match &pattern.kind {
                    Kind::Text(pattern) => Some(if name == "strip_prefix" {
                        text.strip_prefix(&**pattern)
                    } else {
                        text.strip_suffix(&**pattern)
                    }),
                    Kind::Character(pattern) => Some(if name == "strip_prefix" {
                        text.strip_prefix(*pattern)
                    } else {
                        text.strip_suffix(*pattern)
                    }),
                    _ => None,
                };
                match stripped {
                    Some(Some(rest)) => Value::some(same(rest)),
                    Some(None) => Value::none(step(Event::Tested, span, &receiver.trail), span),
                    None => return None,
                }
            }
            ("split_once" | "rsplit_once", Some(pattern)) => {
                let place = |separator: &Separator<'_>| {
                    let mut places = separator.places(&text);
                    if name == "split_once" { places.next() } else { places.last() }
                };
                match place(&Separator::of(pattern)?) {
                    Some((start, end)) => {
                        Value::some(receiver.map(Kind::Tuple([same(&text[..start]), same(&text[end..])].into())))
                    }
                    None => Value::none(step(Event::Tested, span, &receiver.trail), span),
                }
            }
            ("split" | "splitn" | "rsplit" | "split_terminator" | "split_inclusive" | "rsplitn", _) => {
                let separator = Separator::of(arguments.last()?).unwrap_or(Separator::Test);
                let most = match (name, arguments) {
                    ("splitn" | "rsplitn", [Value { kind: Kind::Integer(most), .. }, _]) => {
                        usize::try_from(*most).unwrap_or(usize::MAX)
                    }
                    _ => usize::MAX,
                };
                let parts = separator.parts(&text, most, name.starts_with('r'));
                receiver.map(Kind::List(parts.into_iter().map(same).collect()))
            }
            ("split_whitespace" | "split_ascii_whitespace", None) => {
                receiver.map(Kind::List(text.split_whitespace().map(same).collect()))
            }
            ("lines", None) => receiver.map(Kind::List(text.lines().map(same).collect())),
            ("chars", None) => {
                receiver.map(Kind::List(text.chars().take(64).map(|c| receiver.map(Kind::Character(c))).collect()))
            }
            ("bytes" | "iter" | "into_iter" | "iter_bytes", None) => receiver
                .map(Kind::List(text.bytes().take(64).map(|b| receiver.map(Kind::Integer(i128::from(b)))).collect())),
            ("char_indices", None) => receiver.map(Kind::List(
                text.char_indices()
                    .take(64)
                    .map(|(i, c)| receiver.map(Kind::Tuple([number(i), receiver.map(Kind::Character(c))].into())))
                    .collect(),
            )),
            ("get", Some(index)) => match index.kind {
                Kind::Integer(index) => {
                    match usize::try_from(index).ok().and_then(|index| text.as_bytes().get(index)) {
                        Some(byte) => Value::some(receiver.map(Kind::Integer(i128::from(*byte)))),
                        None => Value::none(step(Event::Tested, span, &receiver.trail), span),
                    }
                }
                _ => Value::some(receiver.clone()),
            },
            ("find" | "rfind", Some(pattern)) => {
                let place = match &pattern.kind {
                    Kind::Text(pattern) => text.find(&**pattern),
                    Kind::Character(pattern) => text.find(*pattern),
                    _ => return None,
                };
                match place {
                    Some(place) => Value::some(number(place)),
                    None => Value::none(step(Event::Tested, span, &receiver.trail), span),
                }
            }
            ("replace" | "replacen", Some(pattern)) => match (&pattern.kind, arguments.get(1).map(|value| &value.kind))
            {
                (Kind::Text(from), Some(Kind::Text(to))) => same(&text.replace(&**from, to)),
                (Kind::Character(from), Some(Kind::Text(to))) => same(&text.replace(*from, to)),
                _ => receiver.clone(),
            },
            ("split_first", None) => match text.as_bytes().split_first() {
                Some((first, rest)) => Value::some(receiver.map(Kind::Tuple(
                    [receiver.map(Kind::Integer(i128::from(*first))), same(&String::from_utf8_lossy(rest))].into(),
                ))),
                None => Value::none(step(Event::Tested, span, &receiver.trail), span),
            },
            ("first", None) => match text.as_bytes().first() {
                Some(byte) => Value::some(receiver.map(Kind::Integer(i128::from(*byte)))),
                None => Value::none(step(Event::Tested, span, &receiver.trail), span),
            },
            ("parse" | "parse_dyn", None) => return Some(self.parse(receiver, generics.first(), want, span)),
            ("cmp" | "partial_cmp", _) => Value { trail: receiver.trail.clone(), ..Value::unknown(span) },
            ("all" | "any", Some(function)) => {
                let characters: Vec<char> = text.chars().take(64).collect();
                self.quantified(receiver, &characters, function, name == "all", span)
            }
            ("is_sensitive", None) => receiver.map(Kind::Maybe),
            ("parse_from_rfc2822" | "parse_http_date" | "to_datetime", None) => self.parse_date(
                receiver,
                if name == "parse_from_rfc2822" { Forms::IMF_FIXDATE } else { Forms::ALL },
                span,
            ),
            _ => return None,
        }))
    }

    /// `all` or `any` over characters, with a predicate.
    fn quantified(&mut self, receiver: &Value, characters: &[char], predicate: &Value, all: bool, span: Span) -> Value {
        let mut known = true;
        let mut answer = all;
        for character in characters {
            let verdict = self.apply(predicate, vec![receiver.map(Kind::Character(*character))], span, None);
            match verdict.map(|verdict| verdict.kind) {
                Some(Kind::Bool(truth)) if truth != all => {
                    answer = truth;
                    break;
                }
                Some(Kind::Bool(_)) => {}
                _ => known = false,
            }
        }
        if known { self.tested(answer, receiver, span) } else { receiver.map(Kind::Maybe) }
    }

    /// `text.parse::<T>()`: the type decides. Without one in sight it is a whole number.
    pub fn parse(
        &mut self,
        text: &Value,
        turbofish: Option<&Type>,
        want: Option<&TypeAt>,
        span: Span,
    ) -> Option<Value> {
        let ty = match turbofish {
            Some(ty) if !matches!(ty, Type::Other) => Some(self.type_here(ty)),
            _ => want.cloned(),
        };
        let is_open = |ty: &TypeAt| {
            // A generic parameter that nobody fixed yet.
            ty.ty.last_segment().is_some_and(|name| name.len() <= 2 && name.chars().all(char::is_uppercase))
                && matches!(self.program.resolve_type(ty.scope, ty.self_type.as_ref(), &ty.ty), Resolved::Unknown(_))
        };
        let leaf = ty.map(|mut ty| {
            while matches!(ty.ty.last_segment(), Some("Option" | "Result" | "Vec" | "Poll"))
                && !ty.ty.arguments().is_empty()
            {
                ty.ty = ty.ty.arguments()[0].clone();
            }
            ty
        });
        let leaf = leaf.filter(|leaf| !is_open(leaf));
        let name = match &leaf {
            Some(leaf) => leaf.ty.last_segment().map(crate::ir::Name::from),
            None => self.parsed_type(span),
        };
        Some(match name.as_deref() {
            Some("u8") => self.parse_integer(text, false, 8, span),
            Some("u16") => self.parse_integer(text, false, 16, span),
            Some("u32" | "NonZeroU32") => self.parse_integer(text, false, 32, span),
            Some("u64" | "usize" | "NonZeroU64" | "AtomicU64") => self.parse_integer(text, false, 64, span),
            Some("u128") => self.parse_integer(text, false, 127, span),
            Some("i8") => self.parse_integer(text, true, 8, span),
            Some("i16") => self.parse_integer(text, true, 16, span),
            Some("i32") => self.parse_integer(text, true, 32, span),
            Some("i64" | "isize") => self.parse_integer(text, true, 64, span),
            Some("i128") => self.parse_integer(text, true, 127, span),
            Some("f32" | "f64") => self.parse_float(text, span),
            Some("String" | "HeaderValue" | "str" | "PathBuf" | "ByteString") => Value::ok(text.clone()),
            Some("HttpDate") if leaf.as_ref().is_none_or(|leaf| self.local_type(leaf).is_none()) => {
                self.parse_date(text, Forms::ALL, span)
            }
            Some(other) => {
                let leaf = leaf.expect("it has a name");
                match self.program.resolve_type(leaf.scope, leaf.self_type.as_ref(), &leaf.ty) {
                    Resolved::Type(local) => {
                        let ids = self.program.implementations("FromStr", local, "from_str");
                        match ids.first() {
                            Some(id) => return self.call_function(*id, vec![text.clone()], &[], span, None),
                            None => {
                                self.escapes(text, span);
                                Value { trail: text.trail.clone(), ..Value::unknown(span) }
                            }
                        }
                    }
                    _ if names::reads_date(other) || other == "Zoned" || other == "Timestamp" => {
                        self.parse_date(text, Forms::ALL, span)
                    }
                    _ if other == "Duration" || other == "TimeDelta" => self.parse_integer(text, false, 64, span),
                    _ => {
                        if text.trail.is_some() {
                            self.log.missing.insert(other.into());
                        }
                        self.escapes(text, span);
                        Value { trail: text.trail.clone(), ..Value::unknown(span) }
                    }
                }
            }
            None => self.parse_integer(text, false, 64, span),
        })
    }

    /// A method on a character.
    #[expect(clippy::option_option, reason = "as library_method")]
    pub fn character_method(
        &mut self,
        receiver: &Value,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Option<Option<Value>> {
        let Kind::Character(character) = receiver.kind else { return None };
        Some(Some(match name {
            "to_digit" => match character.to_digit(10) {
                Some(digit) => Value::some(receiver.map(Kind::Integer(i128::from(digit)))),
                None => Value::none(
                    self.failed(Event::NotNumber, self.iterations.last().copied().unwrap_or(span), receiver),
                    span,
                ),
            },
            "is_ascii_digit" | "is_numeric" | "is_digit" => self.digit_test(character.is_ascii_digit(), receiver, span),
            "is_alphabetic" | "is_ascii_alphabetic" => self.tested(character.is_alphabetic(), receiver, span),
            "is_alphanumeric" | "is_ascii_alphanumeric" => self.tested(character.is_alphanumeric(), receiver, span),
            "is_whitespace" | "is_ascii_whitespace" => self.tested(character.is_whitespace(), receiver, span),
            "eq" => match arguments.first().map(|argument| &argument.kind) {
                Some(Kind::Character(other)) => self.tested(character == *other, receiver, span),
                _ => receiver.map(Kind::Maybe),
            },
            "into" | "to_ascii_lowercase" | "to_string" | "clone" => receiver.clone(),
            _ => return None,
        }))
    }

    /// A test for a digit: it is how a hand-written parser refuses what is no number.
    pub fn digit_test(&mut self, truth: bool, receiver: &Value, span: Span) -> Value {
        let event = if truth { Event::Tested } else { Event::NotNumber };
        let at = self.iterations.last().copied().filter(|_| !truth).unwrap_or(span);
        Value { kind: Kind::Bool(truth), trail: self.failed(event, at, receiver), at: Some(span) }
    }
}

/// What text is split at.
enum Separator<'a> {
    Text(&'a str),
    Characters(Vec<char>),
    /// A test that is not known: whatever is no letter and no digit.
    Test,
}

impl<'a> Separator<'a> {
    fn of(pattern: &'a Value) -> Option<Separator<'a>> {
        match &pattern.kind {
            Kind::Text(text) if !text.is_empty() => Some(Separator::Text(text)),
            Kind::Character(character) => Some(Separator::Characters(vec![*character])),
            Kind::List(values) => values
                .iter()
                .map(|value| if let Kind::Character(character) = value.kind { Some(character) } else { None })
                .collect::<Option<Vec<char>>>()
                .map(Separator::Characters),
            Kind::Closure(_) | Kind::Function(_) => Some(Separator::Test),
            _ => None,
        }
    }

    /// Where it stands: its starts and ends in bytes, from the front.
    fn places(&self, text: &str) -> std::vec::IntoIter<(usize, usize)> {
        let places: Vec<(usize, usize)> = match self {
            Separator::Text(part) => {
                text.match_indices(part).map(|(start, found)| (start, start + found.len())).collect()
            }
            Separator::Characters(characters) => {
                text.match_indices(&**characters).map(|(start, found)| (start, start + found.len())).collect()
            }
            Separator::Test => text
                .match_indices(|character: char| !character.is_alphanumeric())
                .map(|(start, found)| (start, start + found.len()))
                .collect(),
        };
        places.into_iter()
    }

    /// The parts between, no more than `most`; from the back where `backwards`.
    fn parts<'t>(&self, text: &'t str, most: usize, backwards: bool) -> Vec<&'t str> {
        let places: Vec<(usize, usize)> = self.places(text).collect();
        let used = places.len().min(most.saturating_sub(1));
        let places = if backwards { &places[places.len() - used..] } else { &places[..used] };
        let starts = std::iter::once(0).chain(places.iter().map(|(_, end)| *end));
        let ends = places.iter().map(|(start, _)| *start).chain(std::iter::once(text.len()));
        let mut parts: Vec<&str> = starts.zip(ends).map(|(start, end)| &text[start..end]).collect();
        if backwards {
            parts.reverse();
        }
        parts
    }
}
