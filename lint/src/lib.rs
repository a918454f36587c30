//! The linter: from a Rust checkout to the faults in its handling of HTTP `Retry-After`.
//!
//! One way, one stage a module: [`workspace`] -> [`source`] -> [`module`] -> [`ir`] -> [`site`] -> [`behaviour`] -> [`rules`] -> [`diagnostic`] -> [`report`].

pub mod behaviour;
pub mod diagnostic;
pub mod ir;
pub mod module;
pub mod report;
pub mod rules;
pub mod site;
pub mod source;
pub mod workspace;

use diagnostic::Finding;
use source::Unreadable;
use workspace::Workspace;

/// What one workspace came to.
pub struct Analysis {
    /// The findings of every rule at its default level and of every confidence, ordered by file and place.
    pub findings: Vec<Finding>,
    /// Files that could not be read or parsed.
    pub unreadable: Vec<Unreadable>,
    /// The figures.
    pub statistics: Statistics,
    /// What was not understood, for `-v`: the place and the reason.
    pub blind: Vec<(ir::Span, String)>,
}

/// The figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Packages looked at.
    pub packages: usize,
    /// `.rs` files searched.
    pub files: usize,
    /// Files parsed.
    pub parsed: usize,
    /// Bytes searched.
    pub bytes: u64,
    /// Places that read, parse, schedule on or emit the hint.
    pub sites: usize,
    /// Values that could not be understood on a hint's way.
    pub opaque: usize,
    /// Calls that could not be resolved on a hint's way.
    pub unresolved: usize,
    /// Evaluations that ran out of their budget.
    pub over_budget: usize,
}

/// Looks at one workspace. Runs nothing of it and writes nothing.
pub fn analyse(workspace: &Workspace) -> Analysis {
    let _ = workspace;
    Analysis { findings: Vec::new(), unreadable: Vec::new(), statistics: Statistics::default(), blind: Vec::new() }
}
