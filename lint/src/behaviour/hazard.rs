//! Hazards: what code does on the hint's way that no sink shows: where it panics, where it wraps, and which clock it counts on.

use super::case::{Case, Need, SECOND};
use super::evaluate::Evaluator;
use super::trail::{SourceIndex, Trail};
use super::value::{Code, Kind, Value};
use crate::ir::{BinaryOp, Span};

/// Something that happened on the way, in one case, because of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hazard {
    /// The source whose value led to it.
    pub source: SourceIndex,
    /// The case.
    pub case: Case,
    /// What happened.
    pub kind: HazardKind,
    /// Where.
    pub span: Span,
    /// In which code.
    pub code: Code,
}

/// The kinds of hazards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HazardKind {
    /// `unwrap` or `expect` of what is not there.
    Unwrap,
    /// A macro that panics is reached.
    Panic,
    /// An index or a range beyond the end.
    Index,
    /// A map is indexed by a key that it does not have.
    MissingKey,
    /// A float that no duration can be made of: not a number, infinite or below zero.
    FloatDuration,
    /// A number that the duration's type cannot hold.
    LargeDuration,
    /// A moment beyond what the clock's type can hold.
    LateMoment,
    /// Arithmetic on integers or durations that overflows: a panic, or a wrapped value where overflow checks are off.
    Overflow,
    /// A number is cast to fewer bits than it needs.
    NarrowCast,
    /// A moment on the wall clock is made from a delay.
    WallClockMade,
    /// Such a moment is held against the wall clock.
    WallClockUsed,
    /// A date is held against the local clock.
    LocalClock,
}

impl HazardKind {
    /// Whether the program panics there.
    pub fn is_panic(self) -> bool {
        !matches!(
            self,
            HazardKind::NarrowCast | HazardKind::WallClockMade | HazardKind::WallClockUsed | HazardKind::LocalClock
        )
    }
}

impl Evaluator<'_, '_> {
    /// Records what happened, for every source that had a part in it.
    pub fn hazard(&mut self, kind: HazardKind, span: Span, trail: &Trail) {
        // A wait that a server knows itself is nobody's input.
        if self.is_emission() {
            return;
        }
        // A guess at what a method is says nothing about panics in it.
        if kind == HazardKind::Panic && self.guesses > 0 {
            return;
        }
        let code = self.code();
        for &source in trail.sources(true) {
            self.log
                .hazards
                .entry(Hazard { source, case: self.case, kind, span, code })
                .or_insert_with(|| trail.clone());
        }
    }

    /// Looks at the result of an operator of the language, which is checked or wraps, for more than its type can hold.
    pub fn check_operator(&mut self, op: BinaryOp, left: &Value, right: &Value, result: &Value, span: Span) {
        if !matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply) {
            return;
        }
        let (left, right) = (left.alternatives(), right.alternatives());
        if left.len() * right.len() == 1 && result.trail.carries_hint() {
            self.check_moment(op, &left[0], &right[0], span);
        }
        for value in result.alternatives().iter().filter(|value| value.trail.carries_hint()) {
            let overflows = match value.kind {
                Kind::Integer(number) => number > i128::from(u64::MAX) || number < i128::from(i64::MIN),
                Kind::Duration(time) => time > i128::from(u64::MAX).saturating_mul(SECOND),
                _ => false,
            };
            if overflows {
                let trail = value.trail.clone();
                self.hazard(HazardKind::Overflow, span, &trail);
            }
        }
    }

    /// `moment + duration`, where the moment's type holds seconds in a signed integer of 64 bits at most.
    fn check_moment(&mut self, op: BinaryOp, left: &Value, right: &Value, span: Span) {
        if op != BinaryOp::Add {
            return;
        }
        let (Kind::Duration(time) | Kind::Hint(time)) = right.kind else { return };
        if !right.trail.carries_hint() {
            return;
        }
        let is_moment = match &left.kind {
            Kind::Instant(_) | Kind::Date(_) => true,
            Kind::Unknown(origin) => origin.ty.as_ref().and_then(|ty| ty.ty.last_segment()).is_some_and(|ty| {
                matches!(ty, "Instant" | "SystemTime" | "DateTime" | "OffsetDateTime" | "Zoned" | "Timestamp")
            }),
            _ => false,
        };
        let most = i128::from(i64::MAX) * SECOND;
        let start = if let Kind::Date(date) = left.kind { date } else { SECOND };
        if is_moment && start.saturating_add(time) > most {
            self.hazard(HazardKind::LateMoment, span, &right.trail);
        }
    }

    /// A date or a moment that is held against the wall clock.
    pub fn check_clock(&mut self, left: &Value, right: &Value, span: Span) {
        for (one, other) in [(left, right), (right, left)] {
            if !matches!((&one.kind, &other.kind), (Kind::Date(_), Kind::Date(_)))
                || !one.trail.carries_hint()
                || other.trail.is_some()
            {
                continue;
            }
            let kind = match self.case {
                case if case.is_date() && !self.log.has_server_clock => HazardKind::LocalClock,
                Case::Small => HazardKind::WallClockUsed,
                _ => continue,
            };
            let trail = one.trail.clone();
            self.hazard(kind, span, &trail);
        }
    }

    /// A number that was made from the hint is cast: fewer bits than it may need are worth a case of their own.
    pub fn check_cast(&mut self, before: &Value, after: &Value, bits: u32, span: Span) {
        if !before.trail.carries_hint() {
            return;
        }
        if bits < 64 {
            self.log.met_needs.insert(Need::NarrowCast);
        }
        if let (Kind::Integer(a), Kind::Integer(b)) = (&before.kind, &after.kind)
            && a != b
        {
            let trail = before.trail.clone();
            self.hazard(HazardKind::NarrowCast, span, &trail);
        }
    }
}
