//! Frames: the functions, closures and loops that are running.

use super::shape::Shape;
use super::state::{Shared, World};
use super::value::{Code, TypeAt, Value};
use crate::ir::{Body, Name, ScopeId, Span, Type};
use std::rc::Rc;

/// A running function or closure.
pub struct Frame<'p> {
    /// The code.
    pub code: Code,
    /// Its arena.
    pub body: &'p Body,
    /// Its number; closures made in it remember it.
    pub id: u64,
    /// What it returned so far, and the state then.
    pub returns: Vec<(Value, Shared)>,
    /// Its running loops, the innermost last.
    pub loops: Vec<LoopFrame>,
    /// What `Self` is.
    pub self_type: Option<Type>,
    /// Where its paths are resolved.
    pub scope: ScopeId,
    /// What its type parameters stand for, as far as that is known.
    pub parameters: Rc<[(Name, TypeAt)]>,
    /// The type it gives.
    pub output: Option<TypeAt>,
    /// The closure's expression, where it is one.
    pub closure: Option<Span>,
    /// The shape of the arena.
    pub shape: Rc<Shape>,
    /// The call that runs it; None for an entry.
    pub called_at: Option<Span>,
}

/// A running loop, or a labelled block.
pub struct LoopFrame {
    /// Its label.
    pub label: Option<Name>,
    /// Whether it is a labelled block.
    pub is_block: bool,
    /// The values and states with which it was left.
    pub breaks: Vec<(Value, World)>,
    /// The states with which it goes round.
    pub continues: Vec<World>,
    /// Whether a hint decides when it ends.
    pub hint_decides: bool,
}
