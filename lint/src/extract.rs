//! Extraction: from a place that reads the hint to code that can be compiled and called by itself.
//!
//! A [`Subject`] is a place in the target that reads and parses the hint. Its [`Extracted`] text is one Rust module whose only public
//! functions are
//!
//! ```text
//! pub fn subject(lines: &[&[u8]], now: crate::runtime::Now) -> crate::runtime::Outcome
//! pub fn clock_reads() -> u64
//! ```
//!
//! `lines` are the values of the header, each once, already without the blanks around it; none of them means that the header is absent.
//! Whoever compiles the module gives it a `crate::runtime` with two types, of which it uses no more than this:
//!
//! ```text
//! #[derive(Clone, Copy)]
//! pub struct Now { pub wall: std::time::SystemTime, pub monotonic: std::time::Duration }
//! pub enum Outcome { Delay(std::time::Duration), None, Error, .. }
//! ```
//!
//! Every clock that the code reads by itself gives `now` instead, for this call on this thread; [`Extracted::reads_clock`] says whether
//! there is one, and `clock_reads` counts. Clocks inside dependencies are not covered.
//! A panic of the code goes through `subject`. Nothing of the target is run here, and nothing is written.

mod adapter;
mod attributes;
mod clients;
pub mod expected;
pub mod lift;
mod outcomes;
mod outline;
mod pieces;
mod slice;
mod subject;
mod tokens;
mod unit;

pub use tokens::{Edit, edited};

use self::expected::Expected;
use crate::behaviour::log::Log;
use crate::module::Program;

/// Finds the places of a program that read and parse the hint, in what the analysis saw of it, and cuts each out. More files may be taken in.
/// With `lifts`, the package of each is opened as well, see [`lift`].
///
/// It parses files: call it within [`crate::module::parse::with_large_stack`].
pub fn subjects(program: &mut Program<'_>, log: &Log, lifts: bool) -> Vec<Subject> {
    subject::subjects(program, log, lifts)
}

/// A place that reads the hint, and what became of its extraction.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// `package:file:line`, what `SITE` on the command line names or begins. Without a package, `file:line`.
    pub id: String,
    /// The package as reports name it; None without a manifest.
    pub package: Option<String>,
    /// As in findings: relative to the root, with `/`.
    pub file: String,
    /// The line of the place that reads the header, or of the function that is given its text. From 1.
    pub line: u32,
    /// The first and the last line of the item that holds the place.
    pub lines: (u32, u32),
    /// Lines of the file where the text is read as a number or a date, in order; findings about parsing are found again by them.
    pub parses: Vec<(String, u32)>,
    /// The item that holds the place, as a path: `network::retry::parse_retry_after`.
    pub item: String,
    /// Whether another subject hands it only a part of its work (dates alone, for one), so that what it refuses is no fault by itself.
    pub is_part: bool,
    /// The code, or why there is none.
    pub extraction: Result<Extracted, NotExtracted>,
    /// Its place in the package as a whole, or why it cannot be called there; None where that was not asked for.
    pub lift: Option<Result<lift::Lifted, NotExtracted>>,
    /// What the analysis says that the code does, for the headers of its cases that it is sure of.
    pub expected: Vec<Expected>,
}

impl Subject {
    /// Whether a line is among those that a run of the code goes through for certain: where it parses, and all of an item that was copied whole.
    pub fn covers(&self, file: &str, line: u32) -> bool {
        let is_whole = self.extraction.as_ref().is_ok_and(|code| code.strategy != Strategy::Outline);
        let (first, last) = self.lines;
        self.parses.iter().any(|(of, at)| of == file && *at == line)
            || is_whole && self.file == file && (first..=last).contains(&line)
    }
}

/// Code that can be compiled and called by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// How it was cut.
    pub strategy: Strategy,
    /// The text of one Rust module, as the head of this file describes it. Warnings in it mean nothing.
    pub source: String,
    /// The edition the code is written in: "2015", "2018", "2021" or "2024".
    pub edition: String,
    /// The crates that the code names, and no others. Subjects of one package agree about them; those of different packages may not.
    pub dependencies: Vec<Dependency>,
    /// Which unit the number in the result was taken for, and how that was found; None where it could not be, or where the result is no number.
    pub unit: Option<Unit>,
    /// Whether the code reads a clock, which is given time instead.
    pub reads_clock: bool,
    /// What the result stands for where it is not the plain delay (a deadline, an instant, ..), and other notes for the report.
    pub notes: Vec<String>,
}

/// The note of code whose result is a number that may be of any unit.
pub const UNKNOWN_UNIT: &str = "nothing says which unit the number has: taken as seconds";

impl Extracted {
    /// Whether the result is a number and nothing says of which unit.
    pub fn is_in_unknown_unit(&self) -> bool {
        self.unit.is_none() && self.notes.iter().any(|note| note == UNKNOWN_UNIT)
    }
}

/// How code is cut out of its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// A whole function and all that it needs, copied.
    Slice,
    /// The whole package as a dependency, with its privacy opened.
    Lift,
    /// The statements of a function from the read of the header to where the wait leaves them.
    Outline,
}

impl Strategy {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Slice => "slice",
            Strategy::Lift => "lift",
            Strategy::Outline => "outline",
        }
    }
}

/// The unit of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What one stands for.
    pub of: UnitOf,
    /// Where that is seen: `Duration::from_secs` in a caller, the name of a field.
    pub because: String,
}

/// What one stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitOf {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Minutes.
    Minutes,
    /// Seconds since 1970, a point in time and no delay.
    UnixSeconds,
}

/// A crate that extracted code names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The name that the code uses, with `_` for `-`.
    pub name: String,
    /// The package's name.
    pub package: String,
    /// The version requirement: `=1.2.3` where the target's lockfile says so, else as the target's manifest has it.
    pub version: String,
    /// Features beside the default ones.
    pub features: Vec<String>,
    /// Whether the default features are wanted.
    pub default_features: bool,
}

/// Why a place was not extracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotExtracted {
    /// The last strategy that was tried.
    pub strategy: Strategy,
    /// The reason code.
    pub reason: Reason,
    /// What it was in this place: the name of the variable, the type, the path.
    pub detail: String,
}

/// Reason codes of what was not extracted or did not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The item stands in a macro whose meaning is not known.
    MacroWrapped,
    /// The item is compiled only under a `cfg` that cannot be had.
    CfgOut,
    /// The code needs fields of a value that only the program makes.
    NeedsReceiver,
    /// No way is known to make the parameter from header lines, or to read a delay from the result.
    NoAdapter,
    /// The code needs a variable from outside of the cut.
    FreeVariable,
    /// A type that has to be written is written nowhere.
    TypeUnknown,
    /// The value leaves the code as a text or inside something that is not followed.
    EscapesAs,
    /// The header comes from a map that is not HTTP's.
    NotAnHttpHeaderMap,
    /// The header is read in a function that is a subject by itself.
    ReadInHelper,
    /// A path leads nowhere that is known.
    UnresolvedImport,
    /// More items or bytes than a subject may have.
    OverBudget,
    /// The package asks for a newer Rust.
    RustVersion,
    /// It was extracted and did not compile.
    BuildFailed,
    /// Extracted, it does not do what it does in its package.
    NotFaithful,
}

impl Reason {
    /// Its code in reports.
    pub fn code(self) -> &'static str {
        match self {
            Reason::MacroWrapped => "macro-wrapped",
            Reason::CfgOut => "cfg-out",
            Reason::NeedsReceiver => "needs-receiver",
            Reason::NoAdapter => "no-adapter",
            Reason::FreeVariable => "free-variable",
            Reason::TypeUnknown => "type-unknown",
            Reason::EscapesAs => "escapes-as",
            Reason::NotAnHttpHeaderMap => "not-an-http-header-map",
            Reason::ReadInHelper => "read-in-helper",
            Reason::UnresolvedImport => "unresolved-import",
            Reason::OverBudget => "over-budget",
            Reason::RustVersion => "rust-version",
            Reason::BuildFailed => "build-failed",
            Reason::NotFaithful => "not-faithful",
        }
    }
}
