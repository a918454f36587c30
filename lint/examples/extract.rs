//! Prints what was extracted: `cargo run -p cargo-retry-after --example extract PATH [--out FOLDER]`. For whoever works on the extraction.
//!
//! With `--out`, each subject's module is written to `FOLDER/<number>.rs`, and what it depends on to `FOLDER/<number>.toml`.

use retry_after_lint::extract;
use retry_after_lint::module::{Program, parse};
use retry_after_lint::source;
use retry_after_lint::workspace::{self, Request};
use std::path::PathBuf;

fn main() {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut out: Option<PathBuf> = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--out" {
            out = arguments.next().map(PathBuf::from);
        } else {
            paths.push(argument.into());
        }
    }
    let roots = match workspace::discover(&Request::Paths(paths)) {
        Ok(roots) => roots,
        Err(error) => return eprintln!("{error}"),
    };
    for root in &roots {
        let workspace = &root.workspace;
        let subjects = parse::with_large_stack(|| {
            let mut program = Program::new(workspace);
            let found = source::search(workspace, &[], true);
            let files: Vec<_> = found.with_any().filter(|file| !workspace.file(*file).is_test).collect();
            program.load(&files);
            let log = retry_after_lint::behaviour::observe(&mut program);
            extract::subjects(&mut program, &log, false)
        });
        for (number, subject) in subjects.iter().enumerate() {
            match &subject.extraction {
                Ok(extracted) => {
                    let unit = extracted.unit.as_ref().map(|unit| format!(" {:?} by {}", unit.of, unit.because));
                    println!(
                        "{} {} {}{}",
                        subject.id,
                        subject.item,
                        extracted.strategy.name(),
                        unit.unwrap_or_default()
                    );
                    for note in &extracted.notes {
                        println!("    {note}");
                    }
                    if let Some(out) = &out {
                        write(out, number, subject, extracted);
                    }
                }
                Err(problem) => {
                    let strategy = problem.strategy.name();
                    println!(
                        "{} {} {strategy} {}: {}",
                        subject.id,
                        subject.item,
                        problem.reason.code(),
                        problem.detail
                    );
                }
            }
        }
    }
}

fn write(out: &std::path::Path, number: usize, subject: &extract::Subject, extracted: &extract::Extracted) {
    let mut table = format!("# {} {}\n# edition {}\n", subject.id, subject.item, extracted.edition);
    for dependency in &extracted.dependencies {
        table.push_str(&format!(
            "{} = {{ package = {:?}, version = {:?}, features = {:?}, default-features = {} }}\n",
            dependency.name, dependency.package, dependency.version, dependency.features, dependency.default_features
        ));
    }
    let written = std::fs::create_dir_all(out)
        .and_then(|()| std::fs::write(out.join(format!("{number}.rs")), &extracted.source))
        .and_then(|()| std::fs::write(out.join(format!("{number}.toml")), table));
    if let Err(error) = written {
        eprintln!("{}: {error}", out.display());
    }
}
