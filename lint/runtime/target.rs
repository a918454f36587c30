//! The target: one input of libFuzzer's, which is header lines, one a line.
//!
//! A divergence does not end the search: the first of its name and family is shrunk and kept as a file, and the search goes on.
//! A panic is an outcome. What cannot be caught (a loop without end, all memory taken) ends it by libFuzzer's own limits.

use std::cell::RefCell;
use std::path::PathBuf;

use super::escape::escape;
use super::oracle::Verdict;
use super::shrink::shrink;
use super::subject::{self, Subject};
use super::tally::Tally;
use super::text::{right, told};
use super::trial::Trial;

/// The variable that names the folder for divergences.
pub const FOLDER: &str = "RETRY_AFTER_FOUND";

thread_local! {
    static SEARCH: RefCell<Option<Search>> = const { RefCell::new(None) };
}

struct Search {
    trial: Trial,
    tally: Tally,
    folder: Option<PathBuf>,
}

/// Asks the subject about the lines, and keeps what is new.
pub fn run(subject: Subject, data: &[u8]) {
    SEARCH.with(|search| {
        let mut search = search.borrow_mut();
        let search = search.get_or_insert_with(|| {
            subject::catch_messages();
            let folder = std::env::var_os(FOLDER).map(PathBuf::from);
            Search { trial: Trial::new(subject), tally: Tally::default(), folder }
        });
        search.take(&lines(data));
    });
}

/// The lines of an input: at most three, without what a field cannot hold.
fn lines(data: &[u8]) -> Vec<Vec<u8>> {
    let is_possible = |byte: &u8| !matches!(byte, b'\r' | 0);
    data.split(|byte| *byte == b'\n').take(3).map(|line| line.iter().copied().filter(is_possible).collect()).collect()
}

impl Search {
    fn take(&mut self, lines: &[Vec<u8>]) {
        let mut found = Vec::new();
        self.trial.judge_all(lines, |judged| found.push(judged));
        for judged in found {
            let Some((name, family)) = judged.name() else { continue };
            let is_divergence = matches!(judged.verdict, Verdict::Diverges(_));
            if !self.tally.add(lines, judged.clone()) || !is_divergence {
                continue;
            }
            let (lines, judged) = shrink(&self.trial, lines, &judged);
            eprintln!(
                "retry-after: {name}: with `Retry-After: {}` your code {}; right: {}",
                escape(&lines),
                told(&judged.outcome),
                right(judged.right)
            );
            if let Some(folder) = &self.folder {
                let file = folder.join(format!("{name}-{}", family.name()));
                if let Err(error) = std::fs::write(&file, format!("{}\n", escape(&lines))) {
                    eprintln!("retry-after: {} cannot be written: {error}", file.display());
                }
            }
        }
    }
}
