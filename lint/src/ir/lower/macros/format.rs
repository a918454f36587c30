//! Texts with placeholders.

use super::super::{Low, Lowerer};
use super::arguments::Argument;
use super::is_text;
use crate::ir::{ExprId, Name, Op, Span};
use std::collections::HashMap;
use syn::{Expr, ExprLit, Lit, LitStr};

impl Lowerer<'_> {
    /// A text made of a template and its arguments.
    pub(super) fn format(&mut self, writer: Option<ExprId>, arguments: &[Argument], span: Span) -> Low {
        let (template, values, styles) = match arguments.split_first() {
            Some((Argument { name: None, value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) }, rest)) => {
                self.template(text, rest)
            }
            // A template that is a macro or a constant, or a value to be shown: `anyhow!(error)`.
            _ => {
                let values: Vec<ExprId> = arguments.iter().map(|argument| self.id(&argument.value)).collect();
                let styles = vec![self.name(""); values.len()];
                (vec!["{}"; values.len()].join(" "), values, styles)
            }
        };
        let template = self.name(&template);
        self.low(Op::Format { template, values, styles, writer }, span)
    }

    /// What a printing macro computes: all arguments, and what its text names.
    pub(super) fn printed(&mut self, arguments: &[Argument]) -> Vec<ExprId> {
        let text = arguments.iter().position(|argument| argument.name.is_none() && is_text(&argument.value));
        let (fields, text) = arguments.split_at(text.unwrap_or(arguments.len()));
        let mut values: Vec<ExprId> = fields.iter().map(|field| self.id(&field.value)).collect();
        if let Some((Argument { value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. }, rest)) = text.split_first()
        {
            values.extend(self.template(text, rest).1);
        }
        values
    }

    /// `concat!`: literals are text, other arguments placeholders.
    pub(super) fn concat(&mut self, arguments: &[Argument], span: Span) -> Low {
        let mut template = String::new();
        let mut values = Vec::new();
        for argument in arguments {
            match &argument.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                    template.push_str(&text.value().replace('{', "{{").replace('}', "}}"));
                }
                Expr::Lit(ExprLit { lit: Lit::Int(integer), .. }) => template.push_str(integer.base10_digits()),
                other => {
                    template.push_str("{}");
                    values.push(self.id(other));
                }
            }
        }
        let template = self.name(&template);
        let styles = vec![self.name(""); values.len()];
        self.low(Op::Format { template, values, styles, writer: None }, span)
    }

    /// The text with `{}` for each placeholder (`{{` and `}}` stay), their values and how each is shown. Arguments that no placeholder
    /// shows come last.
    fn template(&mut self, literal: &LitStr, arguments: &[Argument]) -> (String, Vec<ExprId>, Vec<Name>) {
        let text = literal.value();
        let token = self.span(literal.span());
        // Where the text starts in the file, if it stands there without escapes.
        let start = self.source(token).find(&text).map(|offset| token.start + offset as u32);
        let mut positional = Vec::new();
        let mut named = HashMap::new();
        for argument in arguments {
            let value = self.id(&argument.value);
            match &argument.name {
                Some(name) => {
                    named.insert(name.as_str(), value);
                }
                None => positional.push(value),
            }
        }
        let mut is_shown = vec![false; positional.len()];
        let mut template = String::with_capacity(text.len());
        let mut values = Vec::new();
        let mut styles = Vec::new();
        let mut next = 0;
        let mut rest = text.as_str();
        while let Some(brace) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(brace);
            template.push_str(before);
            if from.starts_with("{{") || from.starts_with("}}") {
                template.push_str(&from[..2]);
                rest = &from[2..];
                continue;
            }
            let Some(end) = from.find('}').filter(|_| from.starts_with('{')) else {
                // No template after all: the text of another kind of macro.
                template.push_str(&from[..1]);
                rest = &from[1..];
                continue;
            };
            let placeholder = &from[1..end];
            let (argument, style) = placeholder.split_once(':').unwrap_or((placeholder, ""));
            if style.contains(".*") {
                // The precision is an argument of its own, before the value.
                if let Some(shown) = is_shown.get_mut(next) {
                    *shown = true;
                }
                next += 1;
            }
            let name = argument.trim();
            let position = if name.is_empty() {
                next += 1;
                Some(next - 1)
            } else {
                name.parse::<usize>().ok()
            };
            let value = match position {
                Some(position) => {
                    if let Some(shown) = is_shown.get_mut(position) {
                        *shown = true;
                    }
                    positional.get(position).copied()
                }
                None => match named.get(name) {
                    Some(&value) => Some(value),
                    None if is_name(name) => {
                        let offset = (text.len() - from.len() + 1) as u32
                            + (argument.len() - argument.trim_start().len()) as u32;
                        let span = start.map_or(token, |start| Span {
                            start: start + offset,
                            end: start + offset + name.len() as u32,
                            ..token
                        });
                        let name = self.name(name);
                        Some(self.name_expr(name, span).id)
                    }
                    None => None,
                },
            };
            match value {
                Some(value) => {
                    template.push_str("{}");
                    values.push(value);
                    styles.push(self.name(style.trim()));
                }
                None => template.push_str(&from[..=end]),
            }
            rest = &from[end + 1..];
        }
        template.push_str(rest);
        for (position, value) in positional.into_iter().enumerate() {
            if !is_shown[position] {
                template.push_str("{}");
                values.push(value);
                styles.push(self.name(""));
            }
        }
        (template, values, styles)
    }
}

/// Whether a placeholder's text is an identifier.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic()) && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}
