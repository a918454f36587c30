//! Narrowing: a test of a value with several alternatives says which of them come further.
//!
//! `if wait > LIMIT { return … }` is left by the long alternatives of `wait` and passed by the short ones. The test is tried with each
//! alternative alone, before it is run as it stands, so that a way holds no alternative that cannot be on it.

use super::evaluate::Evaluator;
use super::trail::Trail;
use super::value::{Kind, Value, Variant};
use crate::ir::{Arm, Body, ExprId, LocalId, Op};
use std::rc::Rc;

/// The most alternatives that are tried one by one.
const MOST: usize = 12;

/// What is tried with one alternative after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// What the arm's pattern binds.
    Matched,
    /// A variable that the conditions read.
    Local(LocalId),
}

/// The alternatives with which an arm's conditions can hold, and those with which they can fail; one that may do either is in both.
pub struct Narrowed {
    /// What was tried.
    pub subject: Subject,
    /// With these the conditions can hold; never empty.
    pub holds: Vec<Value>,
    /// With these they can fail; never empty.
    pub fails: Vec<Value>,
    /// Why they fail.
    pub because: Trail,
}

impl<'p> Evaluator<'p, '_> {
    /// Tries the arm's conditions with every alternative alone. None where that tells nothing: a single alternative, all of them alike,
    /// or conditions that do more than look.
    pub fn narrow(&mut self, arm: &'p Arm, matched: &[Value]) -> Option<Narrowed> {
        if arm.conditions.is_empty() || !arm.conditions.iter().all(|condition| self.only_looks(condition.value)) {
            return None;
        }
        let matched = expanded(matched);
        let (subject, alternatives) = if arm.pattern.is_some() && matched.len() > 1 {
            (Subject::Matched, matched)
        } else {
            let body = self.frame().body;
            let local = arm.conditions.iter().find_map(|condition| self.varied(body, condition.value))?;
            let value = self.world.locals.get(local.0 as usize)?.clone()?;
            (Subject::Local(local), expanded(value.alternatives()))
        };
        if alternatives.len() > MOST || !alternatives.iter().any(Value::carries_hint) {
            return None;
        }
        let start = self.world.clone();
        let forks = self.forks;
        let (mut holds, mut fails, mut because) = (Vec::new(), Vec::new(), Trail::NONE);
        for alternative in &alternatives {
            self.world = start.clone();
            self.set(subject, arm, alternative.clone());
            let (can_hold, failed) = self.try_conditions(arm);
            if can_hold {
                holds.push(alternative.clone());
            }
            if let Some(reason) = failed {
                because = because.both(&reason);
                fails.push(alternative.clone());
            }
        }
        let shared = self.world.shared.headers.clone();
        self.world = start;
        self.world.shared.headers = shared;
        self.forks = forks;
        let told = !holds.is_empty()
            && !fails.is_empty()
            && (holds.len() < alternatives.len() || fails.len() < alternatives.len());
        told.then_some(Narrowed { subject, holds, fails, because })
    }

    /// Puts the alternatives in the subject's place.
    pub fn set(&mut self, subject: Subject, arm: &'p Arm, value: Value) {
        match (subject, &arm.pattern) {
            (Subject::Matched, Some(pattern)) => self.bind(pattern, &value, arm.span),
            (Subject::Matched, None) => {}
            (Subject::Local(local), _) => self.world.locals[local.0 as usize] = Some(value),
        }
    }

    /// Whether all conditions can hold, and why one of them can fail.
    fn try_conditions(&mut self, arm: &'p Arm) -> (bool, Option<Trail>) {
        let mut failed: Option<Trail> = None;
        for condition in &arm.conditions {
            let Some((yes, no)) = self.test_ways(condition) else { return (false, failed) };
            if let Some(no) = no {
                failed = Some(failed.map_or_else(|| no.clone(), |failed| failed.both(&no)));
            }
            if yes.is_none() {
                return (false, failed);
            }
        }
        (true, failed)
    }

    /// The first variable of a condition that has several alternatives.
    fn varied(&self, body: &Body, condition: ExprId) -> Option<LocalId> {
        body.below(condition).find_map(|id| {
            let Op::Local(local) = body.expr(id).op else { return None };
            let value = self.world.locals.get(local.0 as usize)?.as_ref()?;
            (expanded(value.alternatives()).len() > 1 && value.carries_hint()).then_some(local)
        })
    }

    /// Whether an expression neither waits, sends, stores nor leaves.
    fn only_looks(&self, id: ExprId) -> bool {
        let shape = &self.frame().shape;
        !shape.waits(id) && !shape.sends(id) && !shape.leaves(id) && shape.stores(id).is_empty()
    }
}

/// The alternatives, with those inside of a `Some`, `Ok` or `Err` as alternatives of the whole.
fn expanded(values: &[Value]) -> Vec<Value> {
    let mut all = Vec::with_capacity(values.len());
    for value in values {
        expand(value, &mut all);
    }
    all
}

fn expand(value: &Value, all: &mut Vec<Value>) {
    match &value.kind {
        Kind::OneOf(values) => values.iter().for_each(|value| expand(value, all)),
        Kind::Variant(variant) if variant.fields.len() == 1 && all.len() <= MOST => {
            let (name, field) = &variant.fields[0];
            let mut inner = Vec::new();
            expand(field, &mut inner);
            if inner.len() < 2 {
                return all.push(value.clone());
            }
            all.extend(inner.into_iter().map(|field| Value {
                kind: Kind::Variant(Rc::new(Variant {
                    fields: vec![(name.clone(), field)],
                    name: variant.name.clone(),
                    ty: variant.ty,
                })),
                ..value.clone()
            }));
        }
        _ => all.push(value.clone()),
    }
}
