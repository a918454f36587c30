//! Calls of what the project has declared by name: safe helpers, functions that wait, functions that read dates.
//!
//! They are taken at the project's word, and not looked into.

use super::evaluate::Evaluator;
use super::library::time::Forms;
use super::value::{Kind, Origin, OriginStep, Value};
use crate::ir::{Function, Span};
use crate::names;

impl Evaluator<'_, '_> {
    /// What a call of a function of the workspace gives if its name was declared: where it is called from, or by its own package.
    pub fn declared_function(&mut self, function: &Function, arguments: &[Value], span: Span) -> Option<Value> {
        let own = Some(self.program.package_of(function.scope));
        let from = names::look_from(own);
        let declared = self.declared_call(&function.name, arguments, span);
        names::look_from(from);
        let is_elsewhere = from.is_some() && from != own;
        declared.or_else(|| if is_elsewhere { self.declared_call(&function.name, arguments, span) } else { None })
    }

    /// What the call gives if the name was declared; the receiver is the first argument, where there is one.
    pub fn declared_call(&mut self, name: &str, arguments: &[Value], span: Span) -> Option<Value> {
        if names::is_safe_helper(name) {
            // It may wait by itself, and for as long as is right.
            self.world.shared.unknown_wait = true;
            return Some(self.named_unknown(Origin::new(OriginStep::Call(name.into(), span), None, None), span));
        }
        if names::is_declared_sleep(name)
            && let Some(wait) = arguments.iter().rev().find(|argument| argument.is_tainted()).or(arguments.last())
        {
            self.sleep(&wait.clone(), span);
            return Some(Value::unknown(span));
        }
        if names::is_declared_date_parser(name) {
            let is_text = |value: &Value| value.trail.is_some() && matches!(value.kind, Kind::Text(_) | Kind::NotText);
            let text = arguments.iter().find(|argument| argument.alternatives().iter().any(is_text))?.clone();
            return Some(self.each(&text, |this, text| this.parse_date(text, Forms::ALL, span)));
        }
        None
    }
}
