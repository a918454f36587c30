//! The table: what the analysis says of its cases, held against what a run of the extracted code gave.

use super::{Compared, Contradiction};
use crate::extract::expected::Outcome;

/// Takes the answers about the analysis' cases, which follow the first `asked` ones, and notes where they differ from what it says.
pub(super) fn hold(compared: &mut Compared, asked: usize) {
    let expected = &compared.subject.expected;
    // A process that ended gave no answers that could be told apart.
    if compared.answers.len() != asked + expected.len() {
        return;
    }
    let answers = compared.answers.split_off(asked);
    // In which unit it counts was found by the run alone.
    if compared.scale.is_some() {
        return;
    }
    for (expected, answer) in expected.iter().zip(answers) {
        let Some(run) = Outcome::of_words(&answer.subject) else { continue };
        compared.table.cases += 1;
        if !expected.allows(run) {
            let says: Vec<String> = expected.outcomes.iter().map(|outcome| outcome.told()).collect();
            let header = expected.header.clone();
            compared.table.differ.push(Contradiction { header, analysis: says.join(" or "), run: answer.subject });
        }
    }
}
