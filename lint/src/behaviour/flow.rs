//! Flow: branches and loops, and what is remembered of the ways not taken.

use super::evaluate::{Evaluator, LoopFrame, reasons};
use super::log::SinkKind;
use super::narrow::Subject;
use super::state::World;
use super::trail::{Event, Trail};
use super::value::{Kind, Origin, OriginStep, TypeAt, Value, Variant};
use crate::ir::{Arm, Condition, ExprId, Name, Op, Pattern, Span};
use std::rc::Rc;

/// The most rounds of a loop whose every decision is known.
const ROUNDS: u32 = 48;

impl<'p> Evaluator<'p, '_> {
    /// Tries the arms in order; where a condition is not known, both ways are run.
    pub fn branch(
        &mut self,
        id: ExprId,
        scrutinee: Option<ExprId>,
        arms: &'p [Arm],
        span: Span,
        want: Option<&TypeAt>,
    ) -> Option<Value> {
        let scrutinee = match scrutinee {
            Some(scrutinee) => Some(self.eval(scrutinee, None)?),
            None => None,
        };
        let mut remaining: Vec<Value> = scrutinee.as_ref().map_or_else(Vec::new, |value| value.alternatives().to_vec());
        let outer_context = self.world.context.clone();
        let mut results: Vec<Value> = Vec::new();
        let mut worlds: Vec<World> = Vec::new();
        let mut came_past = Trail::NONE;
        let mut taken: Vec<Span> = Vec::new();
        let mut decided = Trail::NONE;
        let mut open = true;
        for arm in arms {
            if !open {
                continue;
            }
            self.pay(1 + arm.conditions.len());
            let mut misses: Vec<World> = Vec::new();
            let mut missed_because = Trail::NONE;
            let mut next_remaining = Vec::new();
            let mut because = came_past.clone();
            let mut possible = true;
            let mut fitting = Vec::new();
            if let (Some(pattern), Some(_)) = (&arm.pattern, &scrutinee) {
                let value = Value { kind: Kind::OneOf(remaining.clone().into()), trail: Trail::NONE, at: None };
                let (fits, rest) = self.split(pattern, &value, arm.span);
                self.forks += u64::from(!fits.is_empty() && !rest.is_empty());
                if !rest.is_empty() {
                    misses.push(self.world.clone());
                    missed_because = missed_because.both(&reasons(&rest));
                }
                next_remaining = rest;
                if fits.is_empty() {
                    possible = false;
                } else {
                    because = because.both(&reasons(&fits));
                    fitting.clone_from(&fits);
                    let value = Value::one_of(fits, arm.span);
                    self.bind(pattern, &value, arm.span);
                }
            }
            let narrowed = if possible { self.narrow(arm, &fitting) } else { None };
            let is_narrowed = narrowed.is_some();
            if let Some(narrowed) = narrowed {
                missed_because = missed_because.both(&narrowed.because);
                let holding = self.world.clone();
                if narrowed.subject == Subject::Matched {
                    next_remaining.extend(narrowed.fails);
                    fitting.clone_from(&narrowed.holds);
                } else {
                    self.set(narrowed.subject, arm, Value::one_of(narrowed.fails, arm.span));
                    next_remaining.extend(fitting.iter().cloned());
                }
                misses.push(std::mem::replace(&mut self.world, holding));
                self.set(narrowed.subject, arm, Value::one_of(narrowed.holds, arm.span));
            }
            if possible {
                for condition in &arm.conditions {
                    let before = self.world.clone();
                    let Some((yes, no)) = self.test_ways(condition) else {
                        possible = false;
                        break;
                    };
                    if let Some(no) = no.as_ref().filter(|_| !is_narrowed) {
                        let mut world = if yes.is_some() { before } else { self.world.clone() };
                        world.shared = self.world.shared.clone();
                        misses.push(world);
                        missed_because = missed_because.both(no);
                        next_remaining.append(&mut fitting);
                    }
                    match yes {
                        Some(yes) => because = because.both(&yes),
                        None => {
                            possible = false;
                            break;
                        }
                    }
                }
            }
            if possible {
                self.world.context = outer_context.both(&because);
                decided = decided.both(&because);
                // An arm without a pattern or condition of its own stands for the whole `if`.
                taken.push(if arm.pattern.is_some() { arm.span } else { span });
                if let Some(value) = self.eval(arm.body, want) {
                    let reached = self.world.context.clone();
                    results.push(
                        made_in(value, self.tail(arm.body), arm.span).chosen(span, &because).chosen(span, &reached),
                    );
                    // What follows runs under this arm's reason only where another arm would have left.
                    let leaves_elsewhere =
                        arms.iter().any(|other| !std::ptr::eq(other, arm) && self.frame().shape.leaves(other.body));
                    let mut world = self.world.clone();
                    if !leaves_elsewhere && !self.frame().shape.leaves(arm.body) {
                        world.context = outer_context.clone();
                    }
                    worlds.push(world);
                }
            }
            remaining = next_remaining;
            came_past = came_past.both(&missed_because);
            match World::join(misses, span) {
                Some(world) => {
                    self.world = world;
                    self.world.context = outer_context.clone();
                }
                None => open = false,
            }
        }
        if worlds.len() > 1 {
            self.forks += 1;
        }
        self.world = World::join(worlds, span)?;
        if decided.is_some() {
            let only = (taken.len() == 1).then(|| taken[0]);
            self.remember_untaken(id, span, only, &decided);
            if arms.iter().any(|arm| self.frame().shape.leaves(arm.body))
                && let Some(frame) = self.current().loops.last_mut()
            {
                frame.hint_decides = true;
            }
        }
        Some(Value::one_of(results, span))
    }

    /// The place of a block's value.
    fn tail(&self, id: ExprId) -> Span {
        let body = self.frame().body;
        let mut id = id;
        while let Op::Block { body: inner, has_value: true, .. } = &body.expr(id).op {
            match inner.last() {
                Some(last) => id = *last,
                None => break,
            }
        }
        body.expr(id).span
    }

    /// What an arm that was not taken would have changed is as it is because of the decision.
    fn remember_untaken(&mut self, id: ExprId, span: Span, taken: Option<Span>, because: &Trail) {
        let shape = self.frame().shape.clone();
        for local in shape.stores(id) {
            if let Some(Some(value)) = self.world.locals.get_mut(local.0 as usize)
                && !value.is_tainted()
            {
                *value = value.clone().chosen(span, because);
            }
        }
        let slept = &mut self.world.shared.slept;
        if shape.waits(id) && !slept.is_tainted() {
            *slept = Value { at: Some(taken.unwrap_or(span)), ..slept.clone() }.chosen(span, because);
        }
    }

    /// Why a condition can hold, and why it can fail; None where it does not come to an end.
    pub fn test_ways(&mut self, condition: &'p Condition) -> Option<(Option<Trail>, Option<Trail>)> {
        let value = self.eval(condition.value, None)?;
        let body = self.frame().body;
        let span = body.expr(condition.value).span;
        let (yes, no): (Vec<Value>, Vec<Value>) = match &condition.pattern {
            Some(pattern) => {
                let (fits, misses) = self.split(pattern, &value, span);
                if !fits.is_empty() {
                    let fits = Value::one_of(fits.clone(), span);
                    self.bind(pattern, &fits, span);
                }
                (fits, misses)
            }
            None => {
                let mut yes = Vec::new();
                let mut no = Vec::new();
                for value in value.alternatives() {
                    match value.kind {
                        Kind::Bool(true) => yes.push(value.clone()),
                        Kind::Bool(false) => no.push(value.clone()),
                        _ => {
                            yes.push(value.clone());
                            no.push(value.clone());
                        }
                    }
                }
                (yes, no)
            }
        };
        self.forks += u64::from(!yes.is_empty() && !no.is_empty());
        Some(((!yes.is_empty()).then(|| reasons(&yes)), (!no.is_empty()).then(|| reasons(&no))))
    }

    /// What is said of a loop stands at its first line: up to the condition of a `while`.
    pub fn loop_head(&self, body: ExprId, span: Span) -> Span {
        let arena = self.frame().body;
        match &arena.expr(body).op {
            Op::Branch { scrutinee: None, arms } => {
                let condition = arms.first().and_then(|arm| arm.conditions.last());
                condition.map_or(span, |condition| Span { end: arena.expr(condition.value).span.end, ..span })
            }
            _ => span,
        }
    }

    pub fn run_loop(
        &mut self,
        label: Option<&Name>,
        iteration: Option<(&'p Pattern, Value)>,
        body: ExprId,
        head: Span,
        span: Span,
    ) -> Option<Value> {
        let outer_slept = std::mem::replace(&mut self.world.shared.slept, Value::plain(Kind::Duration(0), span));
        let outer_sent = self.world.shared.sent.take();
        let outer_context = self.world.context.clone();
        let elements: Option<Rc<[Value]>> = match &iteration {
            Some((_, Value { kind: Kind::List(values), .. }))
                if values.len() <= 4 || values.iter().any(Value::is_tainted) =>
            {
                Some(values.clone())
            }
            _ => None,
        };
        let mut exits: Vec<(Value, World)> = Vec::new();
        let mut hint_decides = false;
        let mut sends = self.frame().shape.sends(body);
        let first_outcome = self.log.outcomes.len();
        self.iterations.push(head);
        let mut round = 0;
        loop {
            if let Some((pattern, iterator)) = &iteration {
                let element = match &elements {
                    Some(elements) => match elements.get(round as usize) {
                        Some(element) => element.clone(),
                        None => {
                            exits.push((Value::plain(Kind::Unit, span), self.world.clone()));
                            break;
                        }
                    },
                    None => {
                        // An unknown sequence may also be empty.
                        exits.push((Value::plain(Kind::Unit, span), self.world.clone()));
                        self.part(iterator, OriginStep::Inner, None, span)
                    }
                };
                if let Kind::Unknown(element) = &element.kind {
                    // What the last one turned out to be says nothing about this one.
                    let of_element = |header: &Origin| header.way().any(|part| *part == **element);
                    self.world.shared.headers.retain(|(header, _)| !of_element(header));
                }
                self.bind(pattern, &element, span);
            }
            let forks = self.forks;
            let before = self.world.locals.clone();
            self.world.shared.slept = Value::plain(Kind::Duration(0), span);
            self.world.shared.sent = None;
            self.world.shared.unknown_wait = false;
            self.current().loops.push(LoopFrame {
                label: label.cloned(),
                is_block: false,
                breaks: Vec::new(),
                continues: Vec::new(),
                hint_decides: false,
            });
            let value = self.eval(body, None);
            let frame = self.current().loops.pop().expect("pushed above");
            hint_decides |= frame.hint_decides;
            let mut next = frame.continues;
            if value.is_some() {
                next.push(self.world.clone());
            }
            exits.extend(frame.breaks);
            sends |= next.iter().any(|world| world.shared.sent.is_some());
            for world in &next {
                self.sent_again(world);
            }
            round += 1;
            let decided = self.forks == forks && elements.is_some() | iteration.is_none();
            let Some(mut world) = World::join(next, span) else { break };
            world.context = outer_context.clone();
            self.forget_spent(&mut world);
            self.world = world;
            let unchanged = self.world.locals.iter().zip(before.iter()).all(|(now, then)| match (now, then) {
                (Some(a), Some(b)) => a.same(b),
                (None, None) => true,
                _ => false,
            });
            let most = if decided { ROUNDS } else { 2 };
            if (elements.is_none() || round >= ROUNDS) && (round >= most || unchanged) || self.exhausted {
                if iteration.is_some() || exits.is_empty() {
                    exits.push((Value::plain(Kind::Unit, span), self.world.clone()));
                }
                break;
            }
        }
        self.iterations.pop();
        // A loop that sends nothing and runs until the hint is over sleeps it in pieces.
        if hint_decides && !sends {
            self.log.sleeps_in_pieces(first_outcome, None);
        }
        let (values, mut worlds): (Vec<_>, Vec<_>) = exits.into_iter().unzip();
        for world in &mut worlds {
            world.shared.sent = outer_sent;
            if !world.shared.slept.is_tainted() {
                world.shared.slept = outer_slept.clone();
            }
        }
        self.world = World::join(worlds, span)?;
        Some(Value::one_of(values, span))
    }

    /// A wait that was slept on is over: the next round's values are no hint because of it.
    pub fn forget_spent(&mut self, world: &mut World) {
        let slept: Vec<Trail> =
            world.shared.slept.alternatives().iter().map(|value| value.trail.clone()).filter(Trail::is_some).collect();
        if slept.is_empty() {
            return;
        }
        let at = self.here();
        for local in world.locals.iter_mut().flatten() {
            for trail in &slept {
                *local = without(local, trail, at);
            }
        }
        for (_, _, value) in world.shared.fields.iter_mut() {
            for trail in &slept {
                *value = without(value, trail, at);
            }
        }
    }

    fn sent_again(&mut self, world: &World) {
        let Some(sent) = world.shared.sent else { return };
        if world.shared.unknown_wait && !world.shared.slept.carries_hint() {
            return;
        }
        let slept = self.unslept(world);
        if slept.is_tainted() {
            self.log.outcome(self.case, SinkKind::SentAgain, sent, self.code(), &slept, &world.context);
        }
    }

    /// What was slept since the last request. Nothing at all counts as a wait of zero for the reason that led here.
    pub fn unslept(&self, world: &World) -> Value {
        let slept = world.shared.slept.clone();
        let nothing = matches!(slept.kind, Kind::Duration(0)) && !slept.is_tainted();
        let chosen = world
            .context
            .nodes(true)
            .find(|node| node.event == Event::Chosen && node.because.iter().any(|because| because.is_some()));
        match chosen {
            Some(node) if nothing => Value { at: Some(node.span), ..slept }.chosen(node.span, &world.context),
            _ => slept,
        }
    }
}

/// A value that an arm yields was chosen there, wherever it was made.
fn made_in(value: Value, tail: Span, arm: Span) -> Value {
    match (&value.kind, value.at) {
        (Kind::OneOf(_), _) => value,
        (_, Some(at)) if arm.holds(at) => value,
        _ => Value { at: Some(tail), ..value },
    }
}

/// The value without a trail that was slept on.
fn without(value: &Value, spent: &Trail, at: Span) -> Value {
    match &value.kind {
        Kind::OneOf(values) => {
            Value { kind: Kind::OneOf(values.iter().map(|value| without(value, spent, at)).collect()), ..value.clone() }
        }
        Kind::Variant(variant) if !variant.fields.is_empty() => {
            if !variant.fields.iter().any(|(_, field)| field.trail.same(spent)) && !value.trail.same(spent) {
                return value.clone();
            }
            let fields = variant.fields.iter().map(|(name, field)| (name.clone(), without(field, spent, at))).collect();
            let trail = if value.trail.same(spent) { Trail::NONE } else { value.trail.clone() };
            Value { kind: Kind::Variant(Rc::new(Variant { fields, ..(**variant).clone() })), trail, at: value.at }
        }
        _ if value.trail.same(spent) => Value::unknown(at),
        _ => value.clone(),
    }
}
