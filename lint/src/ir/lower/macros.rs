//! Macros: a table of the known ones; others are tried as items, expressions and statements.

use super::items::Place;
use super::{Low, Lowerer};
use crate::ir::{ExprId, OpaqueReason};

impl Lowerer<'_> {
    pub(super) fn macro_expr(&mut self, call: &syn::Macro) -> Low {
        let name = call.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let name = self.name(&name);
        let span = self.between(call.path.segments[0].ident.span(), call.delimiter.span().close());
        self.opaque(OpaqueReason::Macro(name), Vec::new(), span)
    }
    pub(super) fn macro_statement(&mut self, call: &syn::Macro) -> Option<Low> {
        Some(self.macro_expr(call))
    }
    pub(super) fn item_macro(&mut self, _call: &syn::Macro, _place: &Place) {}
    pub(super) fn member_macro(&mut self, _call: &syn::Macro, _place: &Place) {}
    pub(super) fn salvage(&mut self, _tokens: proc_macro2::TokenStream) -> Vec<ExprId> {
        Vec::new()
    }
}
