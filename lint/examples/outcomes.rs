//! Prints what the analysis saw: `cargo run -p cargo-retry-after --example outcomes PATH`. For whoever works on the analysis.

use retry_after_lint::behaviour::Facts;
use retry_after_lint::ir::Span;
use retry_after_lint::module::{Program, parse};
use retry_after_lint::source::{self, LineIndex};
use retry_after_lint::workspace::{self, Request};

fn main() {
    let paths = std::env::args_os().skip(1).map(Into::into).collect();
    let roots = match workspace::discover(&Request::Paths(paths)) {
        Ok(roots) => roots,
        Err(error) => return eprintln!("{error}"),
    };
    for root in &roots {
        let workspace = &root.workspace;
        let place = |span: Span| {
            let text = source::read(workspace, span.file).unwrap_or_default();
            let position = LineIndex::new(&text).position(&text, span.start);
            let code: String = text
                .get(span.start as usize..span.end as usize)
                .unwrap_or("")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .chars()
                .take(60)
                .collect();
            format!("{}:{}:{} `{code}`", workspace.file(span.file).display, position.line, position.column)
        };
        parse::with_large_stack(|| {
            let mut program = Program::new(workspace);
            let found = source::search(workspace, &[], true);
            let files: Vec<_> = found.with_any().filter(|file| !workspace.file(*file).is_test).collect();
            program.load(&files);
            let log = retry_after_lint::behaviour::observe(&mut program);
            let emitted = retry_after_lint::behaviour::emission::observe_emissions(&mut program);
            for emission in &emitted.emissions {
                println!("emitted {:?} {:?} {}", emission.text(), emission.is_computed(), place(emission.span));
            }
            program
                .load(&found.with_retry(workspace).filter(|file| !workspace.file(*file).is_test).collect::<Vec<_>>());
            let retries = retry_after_lint::retry::observe(&mut program);
            let facts = Facts { program: &program, log, emitted, retries };
            for retry in &facts.retries.retries {
                println!(
                    "retried {:?} at {} after {} read_for={:?} dropped={:?} doubt={} guessed={} any={}",
                    retry.statuses,
                    place(retry.place()),
                    place(retry.test),
                    retry.read_for.iter().map(|(status, span, _)| (status, place(*span))).collect::<Vec<_>>(),
                    retry.dropped.map(|dropped| place(dropped.span)),
                    retry.doubt,
                    retry.guessed,
                    retry.any_failure,
                );
            }
            for refusal in &facts.retries.refusals {
                println!(
                    "refused {:?} at {} after {} kind={:?} hint={} doubt={} guessed={} any={}",
                    refusal.statuses,
                    place(refusal.dropped.span),
                    place(refusal.test),
                    refusal.dropped.kind,
                    refusal.dropped.had_hint,
                    refusal.doubt,
                    refusal.guessed,
                    refusal.any_failure,
                );
            }
            for gate in &facts.retries.gates {
                println!(
                    "gate {} but not {}: {} read at {}",
                    gate.read_for,
                    gate.missed,
                    place(gate.test),
                    place(gate.read)
                );
            }
            for (index, source) in facts.log.sources.iter().enumerate() {
                println!("source {index} {:?} {}", source.kind, place(source.span));
            }
            for attempt in &facts.log.attempts {
                println!(
                    "attempt {} {:?} date={} success={} {}",
                    attempt.source,
                    attempt.case,
                    attempt.date,
                    attempt.success,
                    place(attempt.span)
                );
            }
            for outcome in &facts.log.outcomes {
                println!(
                    "{:?} {:?} {} error={} future={} pieces={}",
                    outcome.case,
                    outcome.kind,
                    place(outcome.span),
                    outcome.in_error,
                    outcome.in_future(),
                    outcome.in_pieces
                );
                println!("    value {:?}", outcome.value.kind);
                for (name, trail) in [("trail", &outcome.value.trail), ("context", &outcome.context)] {
                    for node in trail.nodes(true).take(12) {
                        println!("    {name} {:?} {}", node.event, place(node.span));
                    }
                }
            }
            for (slot, cases) in &facts.log.slots {
                println!("slot {slot:?} {:?}", cases.keys().collect::<Vec<_>>());
            }
            for ((source, case), span) in &facts.log.escaped {
                println!("escaped {source} {case:?} {}", place(*span));
            }
            for (span, name) in &facts.log.unresolved {
                println!("unresolved {name} {}", place(*span));
            }
        });
    }
}
