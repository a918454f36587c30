//! The linter: from a Rust checkout to the faults in its handling of HTTP `Retry-After`.
//!
//! One way, one stage a module: [`workspace`] -> [`source`] -> [`module`] -> [`ir`] -> [`site`] -> [`behaviour`] -> [`rules`] -> [`diagnostic`] -> [`report`].
//! Beside it, from what [`behaviour`] saw: [`extract`], which cuts code out so that it can be run.

pub mod behaviour;
pub mod diagnostic;
pub mod extract;
pub mod ir;
pub mod module;
mod names;
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
    /// Reads of the header whose value reached no wait, return, store or call.
    pub unreached: usize,
}

/// Looks at one workspace. Runs nothing of it and writes nothing.
pub fn analyse(workspace: &Workspace) -> Analysis {
    module::parse::with_large_stack(|| analyse_here(workspace))
}

fn analyse_here(workspace: &Workspace) -> Analysis {
    let found = source::search(workspace);
    let mut program = module::Program::new(workspace);
    let candidates: Vec<ir::FileId> = found.with_any().filter(|file| !workspace.file(*file).is_test).collect();
    program.load(&candidates);
    let log = behaviour::observe(&mut program);
    let facts = behaviour::Facts { program: &program, log };
    let mut findings: Vec<Finding> = rules::RULES.iter().flat_map(|rule| (rule.check)(&facts)).collect();
    findings.sort_by_key(|finding| (finding.span, finding.rule));
    let mut unreadable: Vec<Unreadable> = found.unreadable.into_iter().map(|(_, unreadable)| unreadable).collect();
    unreadable.extend(program.unparsed().iter().map(|(file, line, message)| Unreadable {
        file: workspace.file(*file).display.clone(),
        line: *line,
        message: message.clone(),
    }));
    unreadable.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    unreadable.dedup();
    let (parsed, _) = program.parsed();
    let unreached = facts.log.unreached();
    let statistics = Statistics {
        packages: workspace.packages.iter().filter(|package| package.selected).count(),
        files: workspace.files.len(),
        parsed,
        bytes: found.bytes,
        sites: facts.log.sources.len(),
        opaque: facts.log.opaque.len(),
        unresolved: facts.log.unresolved.len(),
        over_budget: facts.log.exhausted.len(),
        unreached: unreached.len(),
    };
    let log = &facts.log;
    let mut blind: Vec<(ir::Span, String)> = log.opaque.iter().map(|(span, reason)| (*span, reason.clone())).collect();
    blind.extend(
        log.unresolved.iter().map(|(span, name)| (*span, format!("the call of `{name}` could not be followed"))),
    );
    blind.extend(unreached.into_iter().flat_map(|read| read.in_words()));
    blind.extend(log.exhausted.iter().map(|span| (*span, "the budget of the analysis ran out here".to_owned())));
    blind.sort();
    blind.dedup();
    Analysis { findings, unreadable, statistics, blind }
}
