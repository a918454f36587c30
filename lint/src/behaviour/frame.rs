//! Frames: the functions, closures and loops that are running.

use super::evaluate::Evaluator;
use super::shape::Shape;
use super::state::{Shared, World};
use super::value::{Code, TypeAt, Value};
use crate::ir::{Body, ExprId, Name, ScopeId, Span, Type};
use crate::names;
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

impl<'p> Evaluator<'p, '_> {
    /// The innermost frame.
    pub fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("code runs in a frame")
    }

    /// The code that runs.
    pub fn code(&self) -> Code {
        self.frame().code
    }

    /// Begins to run code. Names are looked at from within its package.
    pub fn push_frame(&mut self, frame: Frame<'p>) {
        names::look_from(Some(self.program.package_of(frame.scope)));
        self.frames.push(frame);
    }

    /// Ends the innermost frame.
    pub fn pop_frame(&mut self) -> Option<Frame<'p>> {
        let ended = self.frames.pop();
        names::look_from(self.frames.last().map(|frame| self.program.package_of(frame.scope)));
        ended
    }

    /// A number for a new frame.
    pub fn frame_id(&mut self) -> u64 {
        self.next_frame += 1;
        self.next_frame
    }

    /// The innermost frame, to be changed.
    pub fn current(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("code runs in a frame")
    }

    /// The loop or block that a label, or none, means.
    pub fn loop_frame(&mut self, label: Option<&Name>, blocks: bool) -> Option<&mut LoopFrame> {
        self.current().loops.iter_mut().rev().find(|frame| match label {
            Some(label) => frame.label.as_ref() == Some(label),
            None => !frame.is_block || (blocks && frame.label.is_none() && frame.is_block),
        })
    }

    /// Leaves the running function or closure with a value.
    pub fn leave(&mut self, value: Value, span: Span) {
        let value = value.chosen(span, &self.world.context.clone());
        let shared = self.world.shared.clone();
        self.current().returns.push((value, shared));
    }

    /// Runs the block of an `async`.
    pub fn run_async(&mut self, body: ExprId, span: Span) -> Option<Value> {
        let (code, arena, self_type, scope, parameters, shape) = {
            let frame = self.frame();
            let parameters = frame.parameters.clone();
            (frame.code, frame.body, frame.self_type.clone(), frame.scope, parameters, frame.shape.clone())
        };
        let id = self.frame().id;
        self.push_frame(Frame {
            code,
            body: arena,
            id,
            returns: Vec::new(),
            loops: Vec::new(),
            self_type,
            scope,
            parameters,
            output: None,
            closure: None,
            shape,
            called_at: Some(span),
        });
        self.asynchronous += 1;
        let value = self.eval(body, None);
        self.asynchronous -= 1;
        self.close(value, span)
    }

    /// Ends the innermost frame: all that it returned, as one value, and the joined state.
    pub fn close(&mut self, value: Option<Value>, span: Span) -> Option<Value> {
        let frame = self.pop_frame().expect("pushed by the caller");
        let mut values = Vec::new();
        let mut states = Vec::new();
        if let Some(output) = &frame.output {
            for value in value.iter().chain(frame.returns.iter().map(|(value, _)| value)) {
                self.note_type(value, output);
            }
        }
        if let Some(value) = value {
            values.push(value.chosen(span, &self.world.context.clone()));
            states.push(self.world.shared.clone());
        }
        for (value, shared) in frame.returns {
            values.push(value);
            states.push(shared);
        }
        let mut states = states.into_iter();
        let first = states.next()?;
        self.world.shared = states.fold(first, |a, b| Shared::join(a, b, span));
        Some(Value::one_of(values, span))
    }
}
