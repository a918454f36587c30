//! Outlines: the statements of a function from the read of the header to where the wait leaves them.
//!
//! What a statement does to the value stays; what does not touch it goes. A condition that has nothing to do with the hint is taken to
//! hold, for the question is what becomes of a hint that is read. The value leaves where it is slept on, stored, returned or handed on.
//! What the code would wait by itself, without a hint, is nothing that the copy can know: [`OWN`] stands for it, and counts as no hint.

mod above;
mod exit;
mod free;
mod levels;
mod outside;
mod rewrite;
#[cfg(test)]
mod tests;

pub(super) use outside::OfSelf;

use free::{bindings, called_names, free_names, is_plain, words};
use levels::{Level, descend};
use outside::without_own_wait;
use rewrite::{Tries, apply};

use super::attributes::is_compiled;
use super::tokens::{Edit, Kind, Token, is_logger, tokens};
use super::{NotExtracted, Reason, Strategy};
use crate::names;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Block, Expr, Pat, Stmt};

/// What stands for a value of the code's own.
const OWN: &str = "OUTCOMES::own()";
/// How many definitions one after another are followed.
const DEFINITIONS: usize = 24;

/// What was cut out.
pub(super) struct Cut {
    /// Statements whose last one gives an outcome. `OUTCOMES::` stands for the module of outcomes.
    pub(super) text: String,
    /// Variables that the statements need, and how they use them.
    pub(super) free: Vec<(String, Use)>,
    /// Where the value goes.
    pub(super) exits: Vec<String>,
    /// Whether conditions were taken to hold.
    pub(super) assumes: bool,
    /// Whether a value of the code's own is stood for.
    pub(super) has_own: bool,
    /// Waits of the code's own that the hint is held against, taken for none.
    pub(super) outweighed: Vec<String>,
    /// Fields that the value leaves in: the type's or variant's path and the field's name. `FIELD_TYPE_n` stands for the n-th one's type.
    pub(super) fields: Vec<(String, String)>,
}

/// How a variable is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// `x.headers()`, `x.status()`
    Response,
    /// `x.get(..)` with the header's name.
    Headers,
    /// `x.parts.headers.get(..)`: the fields on the way.
    Fields(Vec<String>),
    /// `x.metadata()`: what gRPC wraps headers in.
    Metadata,
    /// It stands for something that was taken from `self`.
    OfSelf(OfSelf),
    /// In another way.
    Other,
}

/// Cuts out of a function's text the way of the header that is named at a byte of it.
///
/// With `given`, the header's text is the parameter of that name.
pub(super) fn cut(text: &str, read: usize, given: Option<&str>) -> Result<Cut, NotExtracted> {
    let no = |reason, detail: &str| NotExtracted { strategy: Strategy::Outline, reason, detail: detail.to_owned() };
    let Some(list) = tokens(text) else { return Err(no(Reason::MacroWrapped, "no Rust by itself")) };
    let Ok(function) = syn::parse_str::<syn::ImplItemFn>(text) else {
        return Err(no(Reason::MacroWrapped, "no function by itself"));
    };
    let mut levels = Vec::new();
    let mut read = read;
    match given {
        None => descend(&function.block, read, &mut levels),
        Some(_) => {
            read = usize::MAX;
            levels.push(Level { statements: &function.block.stmts, statement: 0, expr: None, gives_by_break: false });
        }
    }
    let mut problem = None;
    // The innermost block first; further out where a variable that is assigned to is declared there.
    for depth in (0..levels.len()).rev() {
        let mut carver = Carver::new(text, &list, read, &levels[..=depth]);
        carver.tainted.extend(given.map(str::to_owned));
        match carver.carve() {
            Ok(cut) => {
                return Ok(cut);
            }
            Err(found) => {
                problem.get_or_insert(found);
            }
        }
    }
    Err(problem.unwrap_or_else(|| no(Reason::EscapesAs, "the read stands in no statement")))
}

fn range(spanned: &impl Spanned) -> Range<usize> {
    spanned.span().byte_range()
}

struct Carver<'t> {
    text: &'t str,
    list: &'t [Token],
    read: usize,
    levels: &'t [Level<'t>],
    tainted: BTreeSet<String>,
    /// Names that the kept text binds.
    bound: BTreeSet<String>,
    /// Names assigned to.
    assigned: BTreeSet<String>,
    exits: Vec<String>,
    assumes: bool,
    has_own: bool,
    /// Statements that were kept in case the hint comes into the variables that they bind.
    plain: Vec<(String, BTreeSet<String>)>,
    /// Fields that values leave in.
    fields: RefCell<Vec<(String, String)>>,
    /// The field that the value leaves in which is looked at, if it leaves as it is.
    field: RefCell<Option<(String, String)>>,
    /// Whether the value leaves a loop.
    is_broken_out: bool,
    /// Whether something else decides what becomes of the value after it was read.
    is_decided_elsewhere: bool,
}

impl<'t> Carver<'t> {
    fn new(text: &'t str, list: &'t [Token], read: usize, levels: &'t [Level<'t>]) -> Self {
        Carver {
            text,
            list,
            read,
            levels,
            tainted: BTreeSet::new(),
            bound: BTreeSet::new(),
            assigned: BTreeSet::new(),
            exits: Vec::new(),
            assumes: false,
            has_own: false,
            plain: Vec::new(),
            fields: RefCell::default(),
            field: RefCell::default(),
            is_broken_out: false,
            is_decided_elsewhere: false,
        }
    }

    fn carve(&mut self) -> Result<Cut, NotExtracted> {
        let no = |reason, detail: &str| NotExtracted { strategy: Strategy::Outline, reason, detail: detail.to_owned() };
        let Some(level) = self.levels.last() else { return Err(no(Reason::EscapesAs, "")) };
        let body = match level.expr {
            Some(expr) => {
                let mut kept = String::new();
                self.expression(expr, true, &mut kept);
                kept
            }
            None => self.statements(&level.statements[level.statement..], true),
        };
        if self.exits.is_empty() {
            return Err(no(Reason::EscapesAs, "the value leaves in no way that is known"));
        }
        if self.is_decided_elsewhere {
            return Err(no(Reason::FreeVariable, "a condition on something else changes the value"));
        }
        if self.is_broken_out && level.gives_by_break {
            return Err(no(Reason::EscapesAs, "the value leaves a loop and goes on"));
        }
        let mut text = self.without_idle(body);
        text.push_str("OUTCOMES::Outcome::None\n");
        // Definitions that the kept text needs, nearest first.
        let mut free = Vec::new();
        let mut done: BTreeSet<String> = BTreeSet::new();
        let mut of_self: Vec<OfSelf> = Vec::new();
        let mut outweighed = Vec::new();
        for _ in 0..DEFINITIONS {
            let called = called_names(&text).into_iter().filter(|name| self.is_declared(name));
            let missing: Vec<String> =
                free_names(&text).into_iter().chain(called).filter(|name| !done.contains(name)).collect();
            let Some(name) = missing.into_iter().next() else { break };
            done.insert(name.clone());
            match self.definition(&name) {
                Some(definition) => {
                    done.retain(|known| *known == name || !definition.contains(known.as_str()));
                    text = format!("{definition}\n{text}");
                    done.insert(name);
                }
                None => {
                    if self.assigned.contains(&name) {
                        return Err(no(Reason::FreeVariable, &name));
                    }
                    if let Some(taken) = of_self.iter().find(|taken| taken.variable == name) {
                        free.push((name, Use::OfSelf(taken.clone())));
                        continue;
                    }
                    if let Some(without) = without_own_wait(&text, &name) {
                        text = without;
                        outweighed.push(name);
                        continue;
                    }
                    let how = self.how_used(&text, &name);
                    if how == Use::Other
                        && let Some((definition, taken)) = self.definition_by_self(&name)
                    {
                        text = format!("{definition}\n{text}");
                        of_self.extend(taken);
                        continue;
                    }
                    free.push((name, how));
                }
            }
        }
        let items: String = self
            .levels
            .iter()
            .flat_map(|level| level.statements)
            .filter_map(|statement| match statement {
                Stmt::Item(item) => Some(format!("{}\n", &self.text[range(item)])),
                _ => None,
            })
            .collect();
        Ok(Cut {
            text: items + &text,
            free,
            exits: std::mem::take(&mut self.exits),
            assumes: self.assumes,
            has_own: self.has_own,
            outweighed,
            fields: self.fields.take(),
        })
    }

    /// The text without variables that nothing in it asks for: of what they hold later, and of which type, nothing is left.
    fn without_idle(&self, body: String) -> String {
        let mut body = body;
        for (text, names) in self.plain.iter().rev() {
            let without = body.replacen(text.as_str(), "", 1);
            if words(&without).is_disjoint(names) {
                body = without;
            }
        }
        body
    }

    /// Whether a range has to do with the hint.
    fn touches(&self, range: &Range<usize>) -> bool {
        range.contains(&self.read) || self.mentioned(range).is_some()
    }

    /// The first variable in a range that holds the hint.
    fn mentioned(&self, range: &Range<usize>) -> Option<String> {
        let list = self.list;
        list.iter().enumerate().filter(|(_, token)| range.contains(&token.range.start)).find_map(|(place, token)| {
            let before = place.checked_sub(1).map_or("", |before| list[before].text.as_str());
            let after = list.get(place + 1).map_or("", |after| after.text.as_str());
            let is_variable =
                token.kind == Kind::Word && before != "." && after != ":" && after != "::" && before != "::";
            if is_variable && self.tainted.contains(&token.text) {
                return Some(token.text.clone());
            }
            // `{name}` in a format string is no way out.
            None
        })
    }

    /// The kept text of statements.
    fn statements(&mut self, statements: &[Stmt], is_outermost: bool) -> String {
        let mut kept = String::new();
        for (place, statement) in statements.iter().enumerate() {
            let span = range(statement);
            let own: Vec<Token> = self.tokens_in(&span);
            if !is_compiled(&own) || is_logging(&own) {
                continue;
            }
            if !self.touches(&span) {
                // A variable that begins as a plain value may hold the hint later on.
                if let Stmt::Local(local) = statement
                    && let Some(init) = &local.init
                    && init.diverge.is_none()
                    && is_plain(&self.text[range(&*init.expr)])
                {
                    let text = format!("{}\n", &self.text[span]);
                    kept.push_str(&text);
                    let names = bindings(&local.pat);
                    self.bound.extend(names.iter().cloned());
                    self.plain.push((text, names));
                    continue;
                }
                let is_last = place + 1 == statements.len();
                if !is_outermost && diverges(statement) || is_outermost && is_last && diverges(statement) {
                    kept.push_str("return OUTCOMES::Outcome::None;\n");
                }
                continue;
            }
            match statement {
                Stmt::Local(local) => {
                    // `let _ = value` looks at nothing.
                    if matches!(local.pat, Pat::Wild(_)) {
                        continue;
                    }
                    // A value that is made to be handed on leaves with it.
                    if let Some(init) = &local.init
                        && !range(&*init.expr).contains(&self.read)
                        && let Some(exit) = self.handed_on(&init.expr)
                    {
                        kept.push_str(&self.leave(&exit));
                        return kept;
                    }
                    kept.push_str(&self.with_tries(span));
                    kept.push('\n');
                    let names = bindings(&local.pat);
                    self.tainted.extend(names.iter().cloned());
                    self.bound.extend(names);
                }
                Stmt::Expr(expr, _) => {
                    let is_tail = place + 1 == statements.len();
                    if self.expression(expr, is_tail, &mut kept) {
                        return kept;
                    }
                }
                Stmt::Macro(_) => {
                    if let Some(name) = self.mentioned(&span) {
                        kept.push_str(&self.leave(&name));
                        return kept;
                    }
                }
                Stmt::Item(_) => {}
            }
        }
        kept
    }

    fn owner(&self, path: &syn::Path) -> String {
        path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string()).unwrap_or_default()
    }

    /// Keeps what an expression statement does to the value. Returns whether the value has left for good.
    fn expression(&mut self, expr: &Expr, is_tail: bool, kept: &mut String) -> bool {
        match expr {
            Expr::Assign(assign) => {
                if let Expr::Path(path) = &*assign.left
                    && let Some(name) = path.path.get_ident()
                {
                    let name = name.to_string();
                    kept.push_str(&self.with_tries(range(expr)));
                    kept.push_str(";\n");
                    self.assigned.insert(name.clone());
                    self.tainted.insert(name);
                    return false;
                }
                let exit = self.exit_of(&assign.right);
                kept.push_str(&self.leave(&exit));
                true
            }
            Expr::If(branch) => {
                self.branch(branch, kept);
                false
            }
            Expr::Match(branch) => {
                let scrutinee = range(&*branch.expr);
                if !self.touches(&scrutinee) && range(expr).contains(&self.read) {
                    // The read lies in an arm: what decides for it is not part of this cut.
                    self.is_decided_elsewhere = true;
                    return true;
                }
                if !self.touches(&scrutinee) {
                    // The value leaves in one of the arms.
                    let exit = self.exit_of(expr);
                    kept.push_str(&self.leave(&exit));
                    return true;
                }
                kept.push_str(&format!("match {} {{\n", self.with_tries(scrutinee)));
                for arm in &branch.arms {
                    let was = self.tainted.clone();
                    let names = bindings(&arm.pat);
                    self.tainted.extend(names.iter().cloned());
                    self.bound.extend(names);
                    kept.push_str(&format!("{} => {{\n", &self.text[range(&arm.pat)]));
                    let body = self.body(&arm.body);
                    kept.push_str(&body);
                    kept.push_str("}\n");
                    self.tainted = self.assigned.union(&was).cloned().collect();
                }
                kept.push_str("}\n");
                false
            }
            Expr::Block(block) => {
                let body = self.statements(&block.block.stmts, false);
                kept.push_str(&format!("{{\n{body}}}\n"));
                false
            }
            Expr::Unsafe(block) => {
                let body = self.statements(&block.block.stmts, false);
                kept.push_str(&format!("unsafe {{\n{body}}}\n"));
                false
            }
            Expr::Binary(binary) if is_compound(&binary.op) => {
                if let Expr::Path(path) = &*binary.left
                    && let Some(name) = path.path.get_ident()
                {
                    kept.push_str(&self.with_tries(range(expr)));
                    kept.push_str(";\n");
                    self.assigned.insert(name.to_string());
                    self.tainted.insert(name.to_string());
                    return false;
                }
                let exit = self.exit_of(&binary.right);
                kept.push_str(&self.leave(&exit));
                true
            }
            Expr::Break(leaving) if leaving.expr.is_some() => {
                self.is_broken_out = true;
                let exit = self.exit_of(expr);
                kept.push_str(&self.leave(&exit));
                true
            }
            // A method that only looks at the value: `span.record(..)`, `metrics.observe(wait)`.
            Expr::MethodCall(call)
                if !is_tail && names::only_looks(&call.method.to_string()) && !range(expr).contains(&self.read) =>
            {
                false
            }
            // What an error carries beside a wait that was kept already is no second wait.
            _ if !self.exits.is_empty() && is_error(expr) => {
                kept.push_str("return OUTCOMES::Outcome::None;\n");
                true
            }
            // Called for what it does: its argument is what it does it with.
            Expr::Call(call) if !is_tail => {
                let touched = call.args.iter().find(|argument| self.touches(&range(*argument)));
                let exit = touched.map_or_else(|| self.exit_of(expr), |argument| self.exit_of(argument));
                kept.push_str(&self.leave(&exit));
                true
            }
            _ => {
                let exit = self.exit_of(expr);
                kept.push_str(&self.leave(&exit));
                true
            }
        }
    }

    /// The kept text of what stands behind an arrow or in braces.
    fn body(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Block(block) => self.statements(&block.block.stmts, false),
            _ if self.touches(&range(expr)) => {
                let mut kept = String::new();
                self.expression(expr, true, &mut kept);
                kept
            }
            Expr::Return(_) | Expr::Continue(_) | Expr::Break(_) => "return OUTCOMES::Outcome::None;\n".to_owned(),
            _ => String::new(),
        }
    }

    /// An `if` with all its `else if`.
    fn branch(&mut self, branch: &syn::ExprIf, kept: &mut String) {
        let mut branch = branch;
        let mut has_if = false;
        loop {
            let condition = range(&*branch.cond);
            let was = self.tainted.clone();
            let has_hint = self.touches(&condition);
            let body_touches = self.touches(&range(&branch.then_branch));
            let else_touches = branch.else_branch.as_ref().is_some_and(|(_, other)| self.touches(&range(&**other)));
            if has_hint || body_touches || !else_touches {
                let condition = self.condition(&branch.cond);
                let body = self.statements(&branch.then_branch.stmts, false);
                // On the way to the read a condition is taken to hold; after it, only where the value leaves unchanged.
                let is_after = !has_hint && !range(branch).contains(&self.read);
                self.is_decided_elsewhere |= is_after && assigns(&branch.then_branch, &was);
                kept.push_str(&format!("if {condition} {{\n{body}}}"));
                has_if = true;
            } else {
                // What comes before the branch that the hint takes did not hold.
                self.assumes = true;
            }
            self.tainted = self.assigned.union(&was).cloned().collect();
            match branch.else_branch.as_ref().map(|(_, other)| &**other) {
                Some(Expr::If(next)) => {
                    if has_if {
                        kept.push_str(" else ");
                    }
                    branch = next;
                }
                Some(Expr::Block(block)) => {
                    let body = self.statements(&block.block.stmts, false);
                    let before = if has_if { " else " } else { "" };
                    kept.push_str(&format!("{before}{{\n{body}}}\n"));
                    return;
                }
                _ => {
                    // An `else` that lost its branch.
                    if kept.ends_with(" else ") {
                        kept.push_str("{}");
                    }
                    kept.push('\n');
                    return;
                }
            }
        }
    }

    /// A condition: the parts that have to do with the hint; the others are taken to hold.
    fn condition(&mut self, cond: &Expr) -> String {
        let mut parts = Vec::new();
        conjuncts(cond, &mut parts);
        let mut kept = Vec::new();
        for part in parts {
            let span = range(part);
            if !self.touches(&span) {
                self.assumes = true;
                continue;
            }
            kept.push(self.with_tries(span));
            if let Expr::Let(binding) = part {
                let names = bindings(&binding.pat);
                self.tainted.extend(names.iter().cloned());
                self.bound.extend(names);
            }
        }
        if kept.is_empty() { "true".to_owned() } else { kept.join(" && ") }
    }

    fn leave(&mut self, exit: &str) -> String {
        self.exits.push(exit.split_whitespace().collect::<Vec<_>>().join(" "));
        let exit = self.edited_text(exit);
        let Some(field) = self.field.take() else { return format!("return OUTCOMES::outcome({exit});\n") };
        let mut fields = self.fields.borrow_mut();
        fields.push(field);
        format!("return OUTCOMES::outcome::<FIELD_TYPE_{}>({exit});\n", fields.len() - 1)
    }

    /// A range's text with `?`, `return` and the code's own fallbacks made fit for the cut.
    fn with_tries(&mut self, range: Range<usize>) -> String {
        let text = self.text[range].to_owned();
        self.edited_text(&text)
    }

    fn edited_text(&mut self, text: &str) -> String {
        // As an expression, a statement or a condition.
        let wrapped = format!("{{ {text} }}");
        let block =
            syn::parse_str::<Block>(&wrapped).or_else(|_| syn::parse_str::<Block>(&format!("{{ if {text} {{}} }}")));
        let Ok(block) = block else { return text.to_owned() };
        let shift = if syn::parse_str::<Block>(&wrapped).is_ok() { 2 } else { 5 };
        let Ok(block) = (if shift == 2 { syn::parse_str::<Block>(&wrapped) } else { Ok(block) }) else {
            return text.to_owned();
        };
        let mut edits = Tries { edits: Vec::new(), has_own: false, tainted: &self.tainted, depth: 0 };
        edits.visit_block(&block);
        self.has_own |= edits.has_own;
        let base = range(&block).start;
        let edits: Vec<(Range<usize>, String, String)> = edits.edits;
        let edits = edits.into_iter().flat_map(|(span, before, after)| {
            let start = (span.start - base).saturating_sub(shift);
            let end = (span.end - base).saturating_sub(shift);
            if before.is_empty() && after.starts_with("=") {
                return vec![Edit { range: start..end, text: after[1..].to_owned() }];
            }
            vec![Edit { range: start..start, text: before }, Edit { range: end - 1..end, text: after }]
        });
        let mut edits: Vec<Edit> = edits.collect();
        // A replaced range swallows those within it.
        let replaced: Vec<Range<usize>> =
            edits.iter().filter(|edit| edit.range.len() > 1).map(|edit| edit.range.clone()).collect();
        edits.retain(|edit| {
            !replaced
                .iter()
                .any(|outer| outer.start <= edit.range.start && edit.range.end <= outer.end && *outer != edit.range)
        });
        apply(text, edits)
    }

    fn tokens_in(&self, range: &Range<usize>) -> Vec<Token> {
        tokens(self.text.get(range.clone()).unwrap_or("")).unwrap_or_default()
    }
}

/// The parts of a chain of `&&`.
fn conjuncts<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
            conjuncts(&binary.left, parts);
            conjuncts(&binary.right, parts);
        }
        other => parts.push(other),
    }
}

fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp;
    matches!(
        op,
        BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::DivAssign(_) | BinOp::RemAssign(_)
    )
}

/// Whether an expression gives an `Err`.
fn is_error(expr: &Expr) -> bool {
    match expr {
        Expr::Return(leaving) => leaving.expr.as_ref().is_some_and(|inner| is_error(inner)),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Err")),
        _ => false,
    }
}

/// Whether a block assigns to one of the variables.
fn assigns(block: &Block, variables: &BTreeSet<String>) -> bool {
    struct Assigned<'v>(&'v BTreeSet<String>, bool);
    impl<'ast> Visit<'ast> for Assigned<'_> {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            let place = match expr {
                Expr::Assign(assign) => Some(&*assign.left),
                Expr::Binary(binary) if is_compound(&binary.op) => Some(&*binary.left),
                _ => None,
            };
            if let Some(Expr::Path(path)) = place {
                self.1 |= path.path.get_ident().is_some_and(|name| self.0.contains(&name.to_string()));
            }
            syn::visit::visit_expr(self, expr);
        }
    }
    let mut assigned = Assigned(variables, false);
    assigned.visit_block(block);
    assigned.1
}

/// Whether a statement ends the way it stands on.
fn diverges(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(Expr::Return(_) | Expr::Continue(_) | Expr::Break(_), _) => true,
        Stmt::Macro(call) => {
            call.mac.path.segments.last().is_some_and(|last| {
                matches!(last.ident.to_string().as_str(), "bail" | "panic" | "unreachable" | "todo")
            })
        }
        _ => false,
    }
}

/// Whether a statement is a call of a macro that logs.
fn is_logging(list: &[Token]) -> bool {
    let Some(bang) = list.iter().position(|token| token.text == "!") else { return false };
    let is_path = list[..bang].iter().all(|token| token.kind == Kind::Word || token.text == "::");
    let last = bang.checked_sub(1).map_or("", |last| list[last].text.as_str());
    is_path && (is_logger(last) || last == "dbg")
}
