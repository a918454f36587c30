//! Findings: what a rule says, as plain data that every report format renders in its own way.

use crate::ir::Span;

/// How loudly a rule speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Not reported.
    Allow,
    /// Off until raised with `-W` or `-D`.
    Advice,
    /// Reported; fails the run only with `--deny-warnings`.
    Warn,
    /// Reported; the run exits with 1.
    Deny,
}

/// How much of the hint's way was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confidence {
    /// The wait itself was not found.
    Low,
    /// A step was inferred from a name or a guess.
    Medium,
    /// Every step on the path is known.
    High,
}

/// What happens to the hint at a step of its journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepKind {
    /// Read from the header, or from a place named like the hint.
    Read,
    /// Turned into a number or date.
    Parsed,
    /// Held below the hint.
    Cut,
    /// Thrown away because of a comparison.
    Dropped,
    /// Replaced by another value because there was none.
    Fallback,
    /// Stored in a field, variable or message.
    Stored,
    /// Handed to a caller.
    Returned,
    /// Handed to a function.
    Passed,
    /// Slept on.
    Slept,
    /// The program panics.
    Panics,
    /// The request is sent again.
    Retried,
    /// Sent as the header by a server.
    Sent,
}

impl StepKind {
    /// The word in machine-readable reports.
    pub fn as_str(self) -> &'static str {
        match self {
            StepKind::Read => "read",
            StepKind::Parsed => "parsed",
            StepKind::Cut => "cut",
            StepKind::Dropped => "dropped",
            StepKind::Fallback => "fallback",
            StepKind::Stored => "stored",
            StepKind::Returned => "returned",
            StepKind::Passed => "passed",
            StepKind::Slept => "slept",
            StepKind::Panics => "panics",
            StepKind::Retried => "retried",
            StepKind::Sent => "sent",
        }
    }
}

/// A labelled place on the hint's journey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The place.
    pub span: Span,
    /// What happens there.
    pub kind: StepKind,
    /// In words: "read here", "parsed as a number only".
    pub label: String,
}

/// A header value, what the code does with it, and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The value of the header; for an absent header, the empty text.
    pub header: String,
    /// What the code does: "waits 0 s".
    pub subject: String,
    /// What is right: "waits at least 120 s".
    pub reference: String,
    /// Whether a run of the code showed it.
    pub confirmed: bool,
}

/// One fault in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// The level in force.
    pub level: Level,
    /// How sure the analysis is.
    pub confidence: Confidence,
    /// The expression that does the wrong thing.
    pub span: Span,
    /// What the code does.
    pub message: String,
    /// The short label under the carets.
    pub label: String,
    /// What to do about it.
    pub help: String,
    /// The hint's journey, at most a dozen steps in the order of travel; the step at `span` is one of them.
    pub flow: Vec<Step>,
    /// A case that shows it.
    pub witness: Option<Witness>,
}
