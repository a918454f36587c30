//! Shrinking: the simplest header that still shows what a longer one did.

use super::oracle::Family;
use super::trial::{Judged, Trial};

/// No more headers than these are tried.
const TRIES: usize = 3_000;

/// The simplest lines near these with the same name and family, and what came of them.
pub fn shrink(trial: &Trial, lines: &[Vec<u8>], judged: &Judged) -> (Vec<Vec<u8>>, Judged) {
    let Some(name) = judged.name() else { return (lines.to_vec(), judged.clone()) };
    let mut search = Search { trial, name, tries: 0 };
    let mut best = (lines.to_vec(), judged.clone());
    while let Some(better) = search.step(&best.0) {
        best = better;
    }
    best
}

struct Search<'a> {
    trial: &'a Trial,
    name: (&'static str, Family),
    tries: usize,
}

impl Search<'_> {
    /// The first simpler header that does as well.
    fn step(&mut self, lines: &[Vec<u8>]) -> Option<(Vec<Vec<u8>>, Judged)> {
        for index in (0..lines.len()).filter(|_| lines.len() > 1) {
            let mut fewer = lines.to_vec();
            fewer.remove(index);
            if let Some(judged) = self.shows(&fewer) {
                return Some((fewer, judged));
            }
        }
        for (index, line) in lines.iter().enumerate() {
            for simpler in simpler(line) {
                let mut changed = lines.to_vec();
                changed[index] = simpler;
                if let Some(judged) = self.shows(&changed) {
                    return Some((changed, judged));
                }
            }
        }
        None
    }

    fn shows(&mut self, lines: &[Vec<u8>]) -> Option<Judged> {
        self.tries += 1;
        if self.tries > TRIES {
            return None;
        }
        let mut shown = None;
        self.trial.judge_all(lines, |judged| {
            if judged.name() == Some(self.name) && shown.is_none() {
                shown = Some(judged);
            }
        });
        shown
    }
}

/// Each is shorter, or as long with a smaller byte in one place by the order of simplicity.
fn simpler(line: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for length in [line.len() / 2, 4, 2, 1] {
        if length == 0 || length > line.len() {
            continue;
        }
        for start in (0..=line.len() - length).rev() {
            all.push([&line[..start], &line[start + length..]].concat());
        }
    }
    for (place, &byte) in line.iter().enumerate() {
        for &simple in b"0159a".iter().filter(|simple| rank(**simple) < rank(byte)) {
            let mut changed = line.to_vec();
            changed[place] = simple;
            all.push(changed);
        }
    }
    all
}

/// The simplest byte has the lowest.
fn rank(byte: u8) -> u16 {
    match byte {
        b'0'..=b'9' => u16::from(byte - b'0'),
        b'a' => 10,
        b'!'..=b'~' => 11 + u16::from(byte),
        _ => 300 + u16::from(byte),
    }
}
