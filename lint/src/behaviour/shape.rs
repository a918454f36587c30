//! Shapes: what the evaluator wants to know of a body before it runs it.

use crate::ir::{Body, ExprId, LocalId, Op, Pattern, Span};
use crate::names;
use std::collections::HashSet;

/// For every expression of a body: what it may store to, and whether it may leave before its end.
#[derive(Debug, Default)]
pub struct Shape {
    leaves: Vec<bool>,
    waits: Vec<bool>,
    sends: Vec<bool>,
    stores: Vec<Vec<LocalId>>,
    dropped: HashSet<Span>,
}

impl Shape {
    /// Looks through the body once.
    pub fn of(body: &Body) -> Shape {
        let mut shape = Shape {
            leaves: vec![false; body.exprs.len()],
            waits: vec![false; body.exprs.len()],
            sends: vec![false; body.exprs.len()],
            stores: vec![Vec::new(); body.exprs.len()],
            dropped: HashSet::new(),
        };
        let mut done = vec![false; body.exprs.len()];
        if let Some(root) = body.root {
            shape.visit(body, root, &mut done);
        }
        shape
    }

    /// Visits in post-order on a stack of its own, so that deep bodies need no deep recursion.
    fn visit(&mut self, body: &Body, root: ExprId, done: &mut [bool]) {
        let mut stack = vec![(root, false)];
        while let Some((id, children_done)) = stack.pop() {
            let index = id.0 as usize;
            if done[index] {
                continue;
            }
            if !children_done {
                stack.push((id, true));
                body.expr(id).op.for_each_child(|child| stack.push((child, false)));
                continue;
            }
            done[index] = true;
            let op = &body.expr(id).op;
            let mut leaves =
                matches!(op, Op::Return(_) | Op::Break { .. } | Op::Continue { .. } | Op::Try(_) | Op::Panic);
            let mut stores = Vec::new();
            let called = match op {
                Op::Method { name, .. } => Some(&**name),
                Op::Call { callee, .. } => match &body.expr(*callee).op {
                    Op::Path(path) => Some(path.last()),
                    Op::Local(local) => Some(&*body.locals[local.0 as usize].name),
                    _ => None,
                },
                _ => None,
            };
            let mut waits = matches!(op, Op::Await(_))
                || called.is_some_and(|name| {
                    names::sleeps(name) || (names::may_wait(name) && !names::is_hint(name) && !names::reads_hint(name))
                });
            let mut sends = called.is_some_and(names::sends) || tries_what_was_handed_in(body, op);
            match op {
                Op::Store { place, .. } => stores.extend(root_local(body, *place)),
                Op::Block { body: statements, has_value, .. } => {
                    let kept = usize::from(*has_value);
                    for statement in &statements[..statements.len().saturating_sub(kept)] {
                        self.dropped.insert(made_by(body, *statement));
                    }
                }
                _ => {}
            }
            op.for_each_child(|child| {
                leaves |= self.leaves[child.0 as usize];
                waits |= self.waits[child.0 as usize];
                sends |= self.sends[child.0 as usize];
                stores.extend(self.stores[child.0 as usize].iter().copied());
            });
            if matches!(op, Op::Closure { .. } | Op::Async(_)) {
                leaves = false;
            }
            stores.sort_unstable();
            stores.dedup();
            self.leaves[index] = leaves;
            self.waits[index] = waits;
            self.sends[index] = sends;
            // Only branches are asked for their stores later, but every ancestor needs its children's.
            self.stores[index] = stores;
        }
    }

    /// Whether the expression may return, break, continue or fail before its end.
    pub fn leaves(&self, id: ExprId) -> bool {
        self.leaves.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// Whether it may wait for anything.
    pub fn waits(&self, id: ExprId) -> bool {
        self.waits.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// Whether it may send a request.
    pub fn sends(&self, id: ExprId) -> bool {
        self.sends.get(id.0 as usize).copied().unwrap_or(false)
    }

    /// Whether nothing is made of what the call at this place gives.
    pub fn drops(&self, call: Span) -> bool {
        self.dropped.contains(&call)
    }

    /// The variables it may store to.
    pub fn stores(&self, id: ExprId) -> &[LocalId] {
        self.stores.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }
}

/// The call behind a statement: `send(x)` for `send(x).await?;` and for `let _ = send(x).await;`.
fn made_by(body: &Body, mut statement: ExprId) -> Span {
    loop {
        match &body.expr(statement).op {
            Op::Await(inner) | Op::Try(inner) => statement = *inner,
            Op::Let { pattern: Pattern::Wild, value: Some(value), .. } => statement = *value,
            Op::Method { receiver, name, .. } if matches!(&**name, "ok" | "unwrap" | "expect") => statement = *receiver,
            // A method's call is known by its name's place, without the receiver.
            Op::Method { name_span, .. } => return Span { start: name_span.start, ..body.expr(statement).span },
            _ => return body.expr(statement).span,
        }
    }
}

/// Whether it looks at what a function gives that was handed in: such a one may be the request.
fn tries_what_was_handed_in(body: &Body, op: &Op) -> bool {
    let (Op::Branch { scrutinee: Some(value), .. } | Op::Let { value: Some(value), .. } | Op::Try(value)) = op else {
        return false;
    };
    let mut value = *value;
    while let Op::Await(inner) | Op::Try(inner) | Op::Reference { value: inner, .. } = &body.expr(value).op {
        value = *inner;
    }
    match &body.expr(value).op {
        Op::Call { callee, .. } => match body.expr(*callee).op {
            Op::Local(local) => !names::stops(&body.locals[local.0 as usize].name),
            _ => false,
        },
        _ => false,
    }
}

/// The variable that a place belongs to: `x` for `x`, `x.a.b`, `x[i]`, `*x`.
pub fn root_local(body: &Body, mut place: ExprId) -> Option<LocalId> {
    loop {
        match &body.expr(place).op {
            Op::Local(local) => return Some(*local),
            Op::Field { base, .. } | Op::Index { base, .. } => place = *base,
            Op::Dereference(value) | Op::Reference { value, .. } => place = *value,
            _ => return None,
        }
    }
}
