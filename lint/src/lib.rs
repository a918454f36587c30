//! The linter: from a Rust checkout to the faults in its handling of HTTP `Retry-After`.
//!
//! One way, one stage a module: [`workspace`] -> [`source`] -> [`module`] -> [`ir`] -> [`site`] -> [`retry`] -> [`behaviour`] -> [`rules`] -> [`suppression`] ->
//! [`diagnostic`] -> [`report`].
//! Beside it, from what [`behaviour`] saw: [`extract`], which cuts code out so that it can be run.

pub mod baseline;
pub mod behaviour;
pub mod change;
pub mod cores;
pub mod diagnostic;
pub mod extract;
pub mod harness;
pub mod ir;
pub mod module;
mod names;
pub mod report;
pub mod retry;
pub mod rules;
pub mod settings;
pub mod site;
pub mod source;
pub mod suppression;
pub mod workspace;

pub use names::Vocabulary;

use behaviour::log::Log;
use diagnostic::Finding;
use extract::Subject;
use module::Program;
use retry::Retries;
use rules::Rule;
use source::{Search, Unreadable};
use std::collections::{BTreeSet, HashSet};
use workspace::Workspace;

/// What one workspace came to.
pub struct Analysis {
    /// The findings of every rule at its default level and of every confidence, ordered by file and place.
    pub findings: Vec<Finding>,
    /// The findings that a comment in the code suppresses, with its reason.
    pub suppressed: Vec<Finding>,
    /// Files that could not be read or parsed.
    pub unreadable: Vec<Unreadable>,
    /// The figures.
    pub statistics: Statistics,
    /// What was not understood, for `-v`: the place and the reason.
    pub blind: Vec<(ir::Span, String)>,
    /// What the findings may depend on.
    pub reach: Reach,
}

/// What an analysis looked into: a change elsewhere cannot alter what it came to.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The files that were parsed, or could not be.
    pub files: HashSet<ir::FileId>,
    /// Names: files that hold one of them were looked for.
    pub names: HashSet<ir::Name>,
    /// Further names of headers that files were searched for.
    pub headers: Vec<String>,
}

/// The figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Packages reported on; plain files are in none.
    pub packages: usize,
    /// `.rs` files in what is reported on. Packages that are only read along do not count.
    pub files: usize,
    /// Those of them that were parsed.
    pub parsed: usize,
    /// Bytes searched, in packages that are only read along too.
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
    /// Findings that would be shown and are suppressed in the code.
    pub suppressed: usize,
    /// Findings that would be shown and are in the baseline.
    pub baselined: usize,
}

/// What an analysis is told beforehand.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names that each package declares, in the order of the workspace's packages; none where it has no entry.
    pub vocabularies: Vec<Vocabulary>,
    /// Whether suppressions in the code are passed over.
    pub ignores_suppressions: bool,
    /// The rules whose findings are asked for, by their names; None for all. What only other rules need is left out, so that the statistics count less.
    pub rules: Option<BTreeSet<&'static str>>,
}

impl Options {
    /// Whether the rule's findings are asked for. Those about suppressions need the findings of all.
    fn asks_for(&self, rule: &Rule) -> bool {
        self.rules.as_ref().is_none_or(|rules| {
            rules.contains(rule.id)
                || rules::RULES.iter().any(|one| one.group == rules::Group::Suppression && rules.contains(one.id))
        })
    }

    fn asks_for_any(&self, needs: impl Fn(&Rule) -> bool) -> bool {
        rules::RULES.iter().any(|rule| needs(rule) && self.asks_for(rule))
    }
}

/// Looks at one workspace. Runs nothing of it and writes nothing.
pub fn analyse(workspace: &Workspace) -> Analysis {
    analyse_with(workspace, &Options::default())
}

/// Looks at one workspace as the options say. Runs nothing of it and writes nothing.
pub fn analyse_with(workspace: &Workspace, options: &Options) -> Analysis {
    let found = search(workspace, options);
    if found.is_empty() {
        return nothing(workspace, found);
    }
    module::parse::with_large_stack(|| observe(workspace, options, found).0)
}

/// Looks at one workspace as [`analyse_with`] does, and extracts the code of the places that read and parse the hint. Runs nothing of it either.
/// With `lifts`, the packages are opened as well, so that each can be called in its place.
pub fn analyse_for_proof(workspace: &Workspace, options: &Options, lifts: bool) -> (Analysis, Vec<Subject>) {
    let found = search(workspace, options);
    module::parse::with_large_stack(|| {
        let (analysis, mut program, log) = observe(workspace, options, found);
        let subjects = extract::subjects(&mut program, &log, lifts);
        (analysis, subjects)
    })
}

/// What comes of a workspace without a file that matters.
fn nothing(workspace: &Workspace, found: Search) -> Analysis {
    let statistics = Statistics {
        packages: packages(workspace),
        files: workspace.file_ids().filter(|file| workspace.package_of(*file).selected).count(),
        bytes: found.bytes,
        ..Statistics::default()
    };
    let unreadable = sorted(found.unreadable.into_iter().map(|(_, unreadable)| unreadable).collect());
    Analysis {
        findings: Vec::new(),
        suppressed: Vec::new(),
        unreadable,
        statistics,
        blind: Vec::new(),
        reach: Reach::default(),
    }
}

/// How many packages are looked at for their own sake.
fn packages(workspace: &Workspace) -> usize {
    workspace.packages.iter().filter(|package| package.selected && package.name.is_some()).count()
}

fn search(workspace: &Workspace, options: &Options) -> Search {
    source::search(workspace, &further_headers(options), options.asks_for_any(Rule::needs_retries))
}

/// The further names of headers that the packages declare, each once.
fn further_headers(options: &Options) -> Vec<String> {
    let headers: BTreeSet<&String> = options.vocabularies.iter().flat_map(|own| &own.headers).collect();
    headers.into_iter().cloned().collect()
}

fn sorted(mut unreadable: Vec<Unreadable>) -> Vec<Unreadable> {
    unreadable.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    unreadable.dedup();
    unreadable
}

fn observe<'w>(workspace: &'w Workspace, options: &Options, found: Search) -> (Analysis, Program<'w>, Log) {
    names::put_in_force(&options.vocabularies);
    let mut program = Program::new(workspace);
    let wanted = found.with_any().chain(found.with_nul.iter().copied());
    let candidates: Vec<ir::FileId> = wanted.filter(|file| !workspace.file(*file).is_test).collect();
    program.load(&candidates);
    let log = behaviour::observe(&mut program);
    let emitted = if options.asks_for_any(Rule::needs_emissions) {
        behaviour::emission::observe_emissions(&mut program)
    } else {
        Log::default()
    };
    let retries = if options.asks_for_any(Rule::needs_retries) {
        // What only retries comes in last: the hint's way does not lead there.
        let retrying = found.with_retry(workspace).filter(|file| !workspace.file(*file).is_test);
        program.load(&retrying.collect::<Vec<_>>());
        retry::observe(&mut program)
    } else {
        Retries::default()
    };
    let facts = behaviour::Facts { program: &program, log, emitted, retries };
    let asked = rules::RULES.iter().filter(|rule| options.asks_for(rule));
    let findings: Vec<Finding> = asked.flat_map(|rule| (rule.check)(&facts)).collect();
    let suppression::Applied { mut findings, suppressed } = if options.ignores_suppressions {
        suppression::Applied { findings, ..suppression::Applied::default() }
    } else {
        // A suppression names the header, so that only those files can hold one.
        suppression::apply(workspace, found.with_header(), findings)
    };
    findings.sort_by_key(|finding| (finding.span, finding.rule));
    let mut unreadable: Vec<Unreadable> = found.unreadable.into_iter().map(|(_, unreadable)| unreadable).collect();
    let unparsed = program.unparsed().iter();
    unreadable
        .extend(unparsed.map(|(file, line, message)| Unreadable::new(workspace.file(*file), *line, message.clone())));
    let unreadable = sorted(unreadable);
    let is_selected = |file: &ir::FileId| workspace.package_of(*file).selected;
    let unreached = facts.log.unreached();
    let statistics = Statistics {
        packages: packages(workspace),
        files: workspace.file_ids().filter(is_selected).count(),
        parsed: program.parsed().iter().filter(|file| is_selected(file)).count(),
        bytes: found.bytes,
        sites: facts.log.sources.len(),
        opaque: facts.log.opaque.len(),
        unresolved: facts.log.unresolved.len(),
        over_budget: facts.log.exhausted.len(),
        unreached: unreached.len(),
        ..Statistics::default()
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
    let log = facts.log;
    let reach = Reach {
        files: program.loaded().collect(),
        names: program.sought().iter().cloned().collect(),
        headers: further_headers(options),
    };
    (Analysis { findings, suppressed, unreadable, statistics, blind, reach }, program, log)
}
