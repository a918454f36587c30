//! Crowds: code that runs many times at once, by tasks, threads and streams.

use super::last::{called, parents};
use crate::ir::{Body, ExprId, FunctionId, Op, Span};
use crate::module::{Program, Resolved};
use crate::names;

/// Code that runs many times at once.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The call that makes it so.
    pub at: Span,
    /// The closure or block that runs.
    pub inside: Span,
    /// The functions that it calls itself.
    pub calls: Vec<FunctionId>,
    /// Whether it comes to something that all who run it can see and change: a lock, a permit, a limiter.
    pub is_shared: bool,
}

/// All crowds of a workspace.
pub(super) fn crowds(program: &Program<'_>) -> Vec<Crowd> {
    let mut found = Vec::new();
    for (id, function) in program.functions().filter(|(_, function)| !function.is_test) {
        let Some(body) = function.body.as_ref().filter(|body| body.calls.iter().any(|call| is_crowd(call))) else {
            continue;
        };
        let look = Look { program, function: id, body, parents: &parents(body) };
        for index in 0..body.exprs.len() {
            look.crowd(ExprId(index as u32), &mut found);
        }
    }
    found
}

fn is_crowd(name: &str) -> bool {
    is_spawn(name)
        || matches!(
            name,
            "for_each_concurrent"
                | "try_for_each_concurrent"
                | "buffer_unordered"
                | "try_buffer_unordered"
                | "buffered"
                | "try_buffered"
                | "join_all"
                | "try_join_all"
                | "par_iter"
                | "into_par_iter"
                | "par_bridge"
        )
}

fn is_spawn(name: &str) -> bool {
    matches!(name, "spawn" | "spawn_blocking" | "spawn_local" | "spawn_on" | "spawn_scoped")
}

/// One function, looked through for crowds.
struct Look<'b, 'p, 'w> {
    program: &'p Program<'w>,
    function: FunctionId,
    body: &'b Body,
    parents: &'b [Option<ExprId>],
}

impl Look<'_, '_, '_> {
    fn crowd(&self, id: ExprId, found: &mut Vec<Crowd>) {
        let Some(name) = called(self.body, id).filter(|name| is_crowd(name)) else { return };
        let (receiver, arguments) = match &self.body.expr(id).op {
            Op::Method { receiver, arguments, .. } => (Some(*receiver), arguments),
            Op::Call { arguments, .. } => (None, arguments),
            _ => return,
        };
        let mut runs: Vec<ExprId> = Vec::new();
        match name {
            "for_each_concurrent" | "try_for_each_concurrent" | "join_all" | "try_join_all" => runs.extend(arguments),
            "buffer_unordered" | "try_buffer_unordered" | "buffered" | "try_buffered" => runs.extend(receiver),
            // The closure is handed to what is called on the parallel iterator.
            "par_iter" | "into_par_iter" | "par_bridge" => {
                let mut at = self.parents[id.0 as usize];
                while let Some(Op::Method { arguments, .. }) = at.map(|at| &self.body.expr(at).op) {
                    runs.extend(arguments);
                    at = at.and_then(|at| self.parents[at.0 as usize]);
                }
            }
            _ if self.is_repeated(id) => runs.extend(arguments),
            _ => {}
        }
        for run in runs {
            for inner in self.body.below(run) {
                let expr = self.body.expr(inner);
                if !matches!(expr.op, Op::Closure { .. } | Op::Async(_)) && !(inner == run && is_spawn(name)) {
                    continue;
                }
                if found.iter().any(|crowd| crowd.inside.holds(expr.span)) {
                    continue;
                }
                found.push(Crowd {
                    at: self.body.expr(id).span,
                    inside: expr.span,
                    calls: self.calls(inner),
                    is_shared: self.is_shared(inner),
                });
            }
        }
    }

    /// Whether the expression stands in a loop, or in a closure that an iterator runs for each element.
    fn is_repeated(&self, id: ExprId) -> bool {
        let mut child = id;
        while let Some(parent) = self.parents[child.0 as usize] {
            match &self.body.expr(parent).op {
                Op::For { iterator, .. } if *iterator != child => return true,
                Op::Loop { .. } => return true,
                Op::Method { name, arguments, .. }
                    if arguments.contains(&child)
                        && matches!(&**name, "map" | "for_each" | "flat_map" | "filter_map") =>
                {
                    return true;
                }
                _ => child = parent,
            }
        }
        false
    }

    fn calls(&self, id: ExprId) -> Vec<FunctionId> {
        let function = self.program.function(self.function);
        let mut calls = Vec::new();
        for id in self.body.below(id) {
            match &self.body.expr(id).op {
                Op::Call { callee, .. } => {
                    if let Op::Path(path) = &self.body.expr(*callee).op
                        && let Resolved::Functions(ids) =
                            self.program.resolve(function.scope, function.owner.self_type(), path)
                    {
                        calls.extend(ids.iter().copied());
                    }
                }
                Op::Method { name, .. } if !names::is_common(name) => {
                    let of_name = self.program.functions().filter(|(_, function)| function.name == *name);
                    calls.extend(of_name.map(|(id, _)| id).take(2));
                }
                _ => {}
            }
        }
        calls
    }

    fn is_shared(&self, id: ExprId) -> bool {
        self.body.below(id).any(|id| called(self.body, id).is_some_and(names::shares))
    }
}
