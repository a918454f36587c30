//! Waits after the last attempt: whether a wait can be the last thing that is done before all is given up.
//!
//! A round of a loop that counts is followed from its wait to its end: whether a request goes out again before the loop ends, and
//! whether the count was looked at before the wait. What the wait is for is not asked here.

use crate::ir::{BinaryOp, Body, ExprId, FunctionId, LocalId, Name, Op, Pattern, Span};
use crate::module::Program;
use crate::names;
use std::collections::HashSet;

/// A wait that may come after the last attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWait {
    /// The function.
    pub function: FunctionId,
    /// The call that waits.
    pub wait: Span,
    /// What ends the attempts after it: the loop's head, or a test below the wait.
    pub ends: Span,
    /// Whether it stands in the loop itself, and not in a function that a loop calls for each round.
    pub in_loop: bool,
}

/// All such waits of a workspace.
pub(super) fn last_waits(program: &Program<'_>) -> Vec<LastWait> {
    let mut found = Vec::new();
    for (id, function) in program.functions().filter(|(_, function)| !function.is_test) {
        let Some(body) = function.body.as_ref().filter(|body| body.calls.iter().any(|call| names::sleeps(call))) else {
            continue;
        };
        let parents = parents(body);
        for (index, expr) in body.exprs.iter().enumerate() {
            let wait = ExprId(index as u32);
            if called(body, wait).is_some_and(names::sleeps)
                && let Some((ends, in_loop)) = (Last { body, parents: &parents }).ends_after(wait)
            {
                found.push(LastWait { function: id, wait: expr.span, ends, in_loop });
            }
        }
    }
    found
}

/// The expression around each one.
pub(super) fn parents(body: &Body) -> Vec<Option<ExprId>> {
    let mut parents = vec![None; body.exprs.len()];
    for (index, expr) in body.exprs.iter().enumerate() {
        expr.op.for_each_child(|child| parents[child.0 as usize] = Some(ExprId(index as u32)));
    }
    parents
}

/// The name of the function or method that an expression calls.
pub(super) fn called(body: &Body, id: ExprId) -> Option<&str> {
    match &body.expr(id).op {
        Op::Call { callee, .. } => match &body.expr(*callee).op {
            Op::Path(path) => Some(path.last()),
            _ => None,
        },
        Op::Method { name, .. } => Some(name),
        _ => None,
    }
}

/// What is counted: variables, and fields by their name.
#[derive(Default)]
struct Counted {
    locals: HashSet<LocalId>,
    fields: HashSet<Name>,
}

/// One body, looked at from its waits outwards.
struct Last<'b> {
    body: &'b Body,
    parents: &'b [Option<ExprId>],
}

impl Last<'_> {
    /// What ends the attempts after the wait, and whether a loop's round was followed to it. None where another request may follow, or
    /// where it was asked before the wait whether there is one.
    fn ends_after(&self, wait: ExprId) -> Option<(Span, bool)> {
        let around = self.loop_around(wait);
        let counted = around.map_or_else(Counted::default, |around| self.counted(around));
        let mut child = wait;
        let mut ends: Option<(Span, bool)> = None;
        while let Some(parent) = self.parents[child.0 as usize] {
            match &self.body.expr(parent).op {
                Op::Block { body, .. } => {
                    let at = body.iter().position(|id| *id == child)?;
                    if ends.is_none() && body[..at].iter().any(|id| self.stops_before(*id, &counted)) {
                        return None;
                    }
                    for id in &body[at + 1..] {
                        if self.sends(*id) {
                            return None;
                        }
                        if ends.is_some() {
                            continue;
                        }
                        match &self.body.expr(*id).op {
                            Op::Continue { .. } => break,
                            Op::Return(_) | Op::Break { .. } | Op::Panic => return None,
                            _ => {}
                        }
                        if let Some(test) = self.gives_up(*id, &counted, around.is_some()) {
                            return Some((test, around.is_some())).filter(|_| self.ends_for_good(*id, around));
                        }
                    }
                }
                Op::Branch { scrutinee, arms } if ends.is_none() => {
                    let is_condition = *scrutinee == Some(child)
                        || arms.iter().any(|arm| arm.conditions.iter().any(|condition| condition.value == child));
                    let is_head = self.is_head(parent);
                    if !is_condition && !is_head && self.tests_budget(parent, &counted) {
                        return None;
                    }
                }
                Op::Loop { .. } | Op::For { .. } if ends.is_some() => return None,
                Op::Loop { body, .. } => {
                    let head = *body;
                    let Op::Branch { arms, .. } = &self.body.expr(head).op else { return None };
                    let test = arms.first()?.conditions.first()?.value;
                    if !self.is_head(head) || !self.mentions(test, &counted) {
                        return None;
                    }
                    ends = Some((self.body.expr(test).span, true));
                }
                Op::For { pattern, iterator, .. } => {
                    let mut bound = HashSet::new();
                    locals(pattern, &mut bound);
                    let of_list = || {
                        let delays = Counted { locals: bound.clone(), fields: HashSet::new() };
                        self.mentions(wait, &delays)
                    };
                    if !self.is_finite_range(*iterator) && !(self.has_no_range(*iterator) && of_list()) {
                        return None;
                    }
                    ends = Some((self.body.expr(*iterator).span, true));
                }
                // What is left to somebody else to run is not followed.
                Op::Closure { .. } if ends.is_none() => return None,
                Op::Async(_) if ends.is_none() && around.is_some_and(|around| self.is_within(around, parent)) => {
                    return None;
                }
                Op::Closure { .. } | Op::Async(_) => return ends,
                _ => {}
            }
            child = parent;
        }
        ends
    }

    /// Whether `outer` is somewhere around `inner`.
    fn is_within(&self, outer: ExprId, inner: ExprId) -> bool {
        let mut at = Some(inner);
        while let Some(id) = at {
            if id == outer {
                return true;
            }
            at = self.parents[id.0 as usize];
        }
        false
    }

    fn loop_around(&self, id: ExprId) -> Option<ExprId> {
        let mut at = self.parents[id.0 as usize];
        while let Some(id) = at {
            match self.body.expr(id).op {
                Op::Loop { .. } | Op::For { .. } => return Some(id),
                Op::Closure { .. } => return None,
                _ => at = self.parents[id.0 as usize],
            }
        }
        None
    }

    /// Whether the branch is what a `while` became: the first thing in a loop, with an arm that does nothing but break.
    fn is_head(&self, branch: ExprId) -> bool {
        let is_first = self.parents[branch.0 as usize]
            .is_some_and(|parent| matches!(self.body.expr(parent).op, Op::Loop { body, .. } if body == branch));
        let Op::Branch { arms, .. } = &self.body.expr(branch).op else { return false };
        is_first && arms.last().is_some_and(|arm| matches!(self.body.expr(arm.body).op, Op::Break { value: None, .. }))
    }

    /// What the loop's rounds count: the variables of its head, what is stored from its own old value, and what is made of those.
    fn counted(&self, around: ExprId) -> Counted {
        let mut counted = Counted::default();
        if let Op::For { pattern, .. } = &self.body.expr(around).op {
            locals(pattern, &mut counted.locals);
        }
        for id in self.body.below(around) {
            let Op::Store { place, op, value } = &self.body.expr(id).op else { continue };
            match &self.body.expr(*place).op {
                Op::Local(local) => {
                    let own = Counted { locals: HashSet::from([*local]), fields: HashSet::new() };
                    if op.is_some() || self.mentions(*value, &own) {
                        counted.locals.insert(*local);
                    }
                }
                Op::Field { name, .. } => {
                    let own = Counted { locals: HashSet::new(), fields: HashSet::from([name.clone()]) };
                    if op.is_some() || self.mentions(*value, &own) {
                        counted.fields.insert(name.clone());
                    }
                }
                _ => {}
            }
        }
        for id in self.body.below(around) {
            if let Op::Let { pattern, value: Some(value), .. } = &self.body.expr(id).op
                && self.mentions(*value, &counted)
                && !self.sends(*value)
            {
                locals(pattern, &mut counted.locals);
            }
        }
        counted
    }

    fn any_below(&self, id: ExprId, test: impl FnMut(ExprId) -> bool) -> bool {
        self.body.below(id).any(test)
    }

    fn mentions(&self, id: ExprId, counted: &Counted) -> bool {
        self.any_below(id, |id| match &self.body.expr(id).op {
            Op::Local(local) => counted.locals.contains(local),
            Op::Field { name, .. } => counted.fields.contains(name),
            _ => false,
        })
    }

    /// Whether a request may go out below the expression, or code runs that nothing is known of.
    fn sends(&self, id: ExprId) -> bool {
        self.any_below(id, |id| match &self.body.expr(id).op {
            Op::Await(value) => !called(self.body, *value).is_some_and(names::sleeps),
            Op::Call { callee, .. } if matches!(self.body.expr(*callee).op, Op::Local(_)) => true,
            _ => called(self.body, id)
                .is_some_and(|name| names::sends(name) && !name.starts_with(char::is_uppercase) || name == "poll"),
        })
    }

    /// Whether a condition looks at the time.
    fn looks_at_clock(&self, id: ExprId) -> bool {
        self.any_below(id, |id| called(self.body, id).is_some_and(|name| matches!(name, "now" | "elapsed")))
    }

    /// Whether names tell that it is asked how many attempts, or how much time, there is left.
    fn names_budget(&self, id: ExprId) -> bool {
        self.any_below(id, |id| match &self.body.expr(id).op {
            Op::Local(local) => names::is_budget(&self.body.locals[local.0 as usize].name),
            Op::Field { name, .. } => names::is_budget(name),
            Op::Path(path) => names::is_budget(path.last()),
            _ => called(self.body, id).is_some_and(|name| names::is_budget(name) || name.starts_with("next")),
        })
    }

    /// Whether a branch's conditions ask how many attempts there are left.
    fn tests_budget(&self, branch: ExprId, counted: &Counted) -> bool {
        let Op::Branch { scrutinee, arms } = &self.body.expr(branch).op else { return false };
        let conditions = arms.iter().flat_map(|arm| &arm.conditions).map(|condition| condition.value);
        scrutinee.iter().copied().chain(conditions).any(|id| {
            !self.sends(id) && (self.mentions(id, counted) || self.looks_at_clock(id) || self.names_budget(id))
        })
    }

    fn leaves(&self, id: ExprId) -> bool {
        self.any_below(id, |id| {
            matches!(self.body.expr(id).op, Op::Return(_) | Op::Break { .. } | Op::Panic | Op::Try(_))
        })
    }

    /// Whether a statement above the wait stops where no attempt is left.
    fn stops_before(&self, id: ExprId, counted: &Counted) -> bool {
        match &self.body.expr(id).op {
            Op::Branch { scrutinee, arms } => {
                let stops = self.tests_budget(id, counted) && arms.iter().any(|arm| self.leaves(arm.body));
                // What never comes out again at the end of its arm is no way to the wait.
                let mut ways = arms.iter().map(|arm| arm.body).filter(|body| !self.diverges(*body));
                stops
                    || scrutinee.is_some_and(|id| self.stops_before(id, counted))
                    || ways.any(|body| self.stops_before(body, counted))
            }
            op => {
                let asks = match op {
                    Op::Let { value: Some(value), otherwise: Some(_), .. } | Op::Try(value) => {
                        !self.sends(*value) && (self.mentions(*value, counted) || self.names_budget(*value))
                    }
                    _ => false,
                };
                let mut below = asks;
                op.for_each_child(|child| below |= self.stops_before(child, counted));
                below
            }
        }
    }

    /// Whether the expression never comes to its end.
    fn diverges(&self, id: ExprId) -> bool {
        match &self.body.expr(id).op {
            Op::Return(_) | Op::Break { .. } | Op::Continue { .. } | Op::Panic => true,
            Op::Block { body, .. } => body.iter().any(|id| self.diverges(*id)),
            Op::Branch { arms, .. } => arms.iter().all(|arm| self.diverges(arm.body)),
            _ => false,
        }
    }

    /// The test below the wait that gives up where the count or the time is used up.
    fn gives_up(&self, id: ExprId, counted: &Counted, in_loop: bool) -> Option<Span> {
        let id = match &self.body.expr(id).op {
            Op::Return(Some(value)) => *value,
            _ => id,
        };
        // Whether there is another attempt may be the answer itself.
        if let Op::Binary { op, .. } = &self.body.expr(id).op
            && !in_loop
            && is_comparison(*op)
            && self.names_budget(id)
        {
            return Some(self.body.expr(id).span);
        }
        let Op::Branch { scrutinee, arms } = &self.body.expr(id).op else { return None };
        let mut tests = scrutinee.iter().copied().chain(arms.iter().flat_map(|arm| &arm.conditions).map(|c| c.value));
        let test = tests.find(|test| {
            self.looks_at_clock(*test) || in_loop && (self.mentions(*test, counted) || self.names_budget(*test))
        })?;
        arms.iter().any(|arm| self.fails(arm.body, in_loop)).then(|| self.body.expr(test).span)
    }

    /// Whether an arm ends the attempts: it leaves the loop, or fails where there is none.
    fn fails(&self, id: ExprId, in_loop: bool) -> bool {
        self.any_below(id, |id| match &self.body.expr(id).op {
            Op::Return(_) | Op::Break { .. } => in_loop,
            Op::Call { .. } => !in_loop && called(self.body, id).is_some_and(|name| matches!(name, "Err" | "Break")),
            _ => false,
        })
    }

    /// Whether no request follows where the loop is left.
    fn ends_for_good(&self, test: ExprId, around: Option<ExprId>) -> bool {
        let Some(around) = around else { return true };
        // A return leaves the function; a break goes on below the loop.
        let returns = self.any_below(test, |id| matches!(self.body.expr(id).op, Op::Return(_)));
        returns || !self.sends_after(around)
    }

    fn sends_after(&self, id: ExprId) -> bool {
        let mut child = id;
        while let Some(parent) = self.parents[child.0 as usize] {
            match &self.body.expr(parent).op {
                Op::Block { body, .. } => {
                    let at = body.iter().position(|id| *id == child).unwrap_or(0);
                    if body[at + 1..].iter().any(|id| self.sends(*id)) {
                        return true;
                    }
                }
                Op::Loop { .. } | Op::For { .. } => return true,
                Op::Closure { .. } => return false,
                _ => {}
            }
            child = parent;
        }
        false
    }

    /// Whether a range with an end is gone through.
    fn is_finite_range(&self, iterator: ExprId) -> bool {
        self.any_below(iterator, |id| matches!(&self.body.expr(id).op, Op::Range { to: Some(_), .. }))
    }

    fn has_no_range(&self, iterator: ExprId) -> bool {
        !self.any_below(iterator, |id| matches!(&self.body.expr(id).op, Op::Range { .. }))
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// The variables that a pattern binds.
fn locals(pattern: &Pattern, found: &mut HashSet<LocalId>) {
    match pattern {
        Pattern::Bind(local, inner) => {
            found.insert(*local);
            if let Some(inner) = inner {
                locals(inner, found);
            }
        }
        Pattern::TupleStruct(_, parts) | Pattern::Tuple(parts) | Pattern::Slice(parts) | Pattern::Or(parts) => {
            parts.iter().for_each(|part| locals(part, found));
        }
        Pattern::Struct(_, fields) => fields.iter().for_each(|(_, part)| locals(part, found)),
        Pattern::Reference(inner) => locals(inner, found),
        Pattern::Wild | Pattern::Rest | Pattern::Literal(_) | Pattern::Path(_) | Pattern::Range { .. } => {}
    }
}
