//! A tally: what was found so far, once for each name and family of header, with the simplest header that shows it.

use std::fmt::Write;

use super::escape::escape;
use super::oracle::{Family, Verdict};
use super::shrink::shrink;
use super::text::{json, right, told};
use super::trial::{Judged, Trial};

/// What was found.
#[derive(Default)]
pub struct Tally {
    entries: Vec<Entry>,
}

/// Findings of one name and family.
pub struct Entry {
    /// The name and the family.
    pub name: (&'static str, Family),
    /// The header that shows it.
    pub lines: Vec<Vec<u8>>,
    /// What came of it.
    pub judged: Judged,
    /// How many headers showed it.
    pub count: u64,
}

impl Tally {
    /// Adds what came of a header; true if it is the first of its name and family.
    pub fn add(&mut self, lines: &[Vec<u8>], judged: Judged) -> bool {
        let Some(name) = judged.name() else { return false };
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.name == name) {
            entry.count += 1;
            return false;
        }
        self.entries.push(Entry { name, lines: lines.to_vec(), judged, count: 1 });
        true
    }

    /// What was found, in the order of finding.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Makes each header as simple as it can be.
    pub fn shrink(&mut self, trial: &Trial, is_simple: impl Fn(&[Vec<u8>]) -> bool) {
        for entry in self.entries.iter_mut().filter(|entry| !is_simple(&entry.lines)) {
            (entry.lines, entry.judged) = shrink(trial, &entry.lines, &entry.judged);
        }
    }

    /// As a list of JSON, of the divergences or of what is tolerated.
    pub fn json(&self, tolerated: bool) -> String {
        let mut out = String::from("[");
        let wanted = |entry: &&Entry| matches!(entry.judged.verdict, Verdict::Tolerated(_)) == tolerated;
        for (index, entry) in self.entries.iter().filter(wanted).enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let (name, family) = entry.name;
            let (header, subject, right) =
                (json(&escape(&entry.lines)), json(&told(&entry.judged.outcome)), json(&right(entry.judged.right)));
            let (family, count) = (family.name(), entry.count);
            // Writing to a String does not fail.
            let _ = write!(
                out,
                r#"{comma}{{"kind":"{name}","family":"{family}","header":{header},"subject":{subject},"reference":{right},"count":{count}}}"#
            );
        }
        out.push(']');
        out
    }
}
