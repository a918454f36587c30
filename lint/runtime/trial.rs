//! A trial: a subject that is asked about headers, with the oracle beside it.

use std::time::Duration;

use retry_after_core::Receipt;

use super::inputs;
use super::oracle::{self, Family, Habits, Verdict};
use super::subject::{Now, Outcome, Subject};

/// A subject and its habits.
pub struct Trial {
    subject: Subject,
    habits: Habits,
    second: u128,
}

/// A second, in nanoseconds.
const SECOND: u128 = 1_000_000_000;

/// What came of asking it about one header at one time.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What the oracle says.
    pub verdict: Verdict,
    /// What kind of header it is.
    pub family: Family,
    /// What the subject did.
    pub outcome: Outcome,
    /// How long the reference waits; None without a hint.
    pub right: Option<Duration>,
}

impl Judged {
    /// The name under which it is told and the family of header it was; None where all is well.
    pub fn name(&self) -> Option<(&'static str, Family)> {
        match self.verdict {
            Verdict::Agrees => None,
            Verdict::Diverges(divergence) => Some((divergence.name(), self.family)),
            Verdict::Tolerated(tolerance) => Some((tolerance.name(), self.family)),
        }
    }
}

impl Trial {
    /// Asks the subject for its habits. Where nobody knows the unit of its numbers, what it makes of 1, 7 and 120 tells it.
    pub fn new(subject: Subject) -> Self {
        Self::telling(subject, &|_| {})
    }

    /// The same, and each header is told before it is asked about, for the one that the subject does not come back from.
    pub fn telling(subject: Subject, tell: &dyn Fn(&[&[u8]])) -> Self {
        let (receipt, now) = inputs::receipt();
        let habits = Habits::of(receipt, &mut |lines| {
            tell(lines);
            subject.ask(lines, now)
        });
        let mut trial = Self { subject, habits, second: SECOND };
        if let Some(second) = trial.habits.second().filter(|second| subject.unknown_unit && *second != SECOND) {
            trial.second = second;
            trial.habits = Habits::of(receipt, &mut |lines| trial.ask(lines, now));
        }
        trial
    }

    /// How many seconds the number 1 was found to stand for, where that is not one.
    pub fn scale(&self) -> Option<f64> {
        Some(self.second as f64 / SECOND as f64).filter(|_| self.second != SECOND)
    }

    fn ask(&self, lines: &[&[u8]], now: Now) -> Outcome {
        match self.subject.ask(lines, now) {
            Outcome::Delay(wait) if self.second != SECOND => {
                let nanoseconds = wait.as_nanos().saturating_mul(SECOND) / self.second;
                let seconds = u64::try_from(nanoseconds / SECOND).unwrap_or(u64::MAX);
                Outcome::Delay(Duration::new(seconds, (nanoseconds % SECOND) as u32))
            }
            outcome => outcome,
        }
    }

    /// What it does in general.
    pub fn habits(&self) -> &Habits {
        &self.habits
    }

    /// Asks about lines that were received then.
    pub fn judge(&self, lines: &[&[u8]], receipt: Receipt, now: Now) -> Judged {
        let outcome = self.ask(lines, now);
        let right = oracle::reference(lines, receipt);
        let ask = &mut |lines: &[&[u8]]| self.ask(lines, now);
        let verdict = oracle::judge(lines, &right, &outcome, &self.habits, ask);
        Judged { verdict, family: oracle::family(lines, &right), outcome, right: right.wait }
    }

    /// Asks about lines, received at each of the times that make a difference.
    pub fn judge_all(&self, lines: &[Vec<u8>], mut each: impl FnMut(Judged)) {
        let mut room: [&[u8]; 3] = [b""; 3];
        let many: Vec<&[u8]>;
        let slices = match room.get_mut(..lines.len()) {
            Some(room) => {
                for (place, line) in room.iter_mut().zip(lines) {
                    *place = line;
                }
                &*room
            }
            None => {
                many = lines.iter().map(Vec::as_slice).collect();
                &many
            }
        };
        for (receipt, now) in inputs::receipts(lines) {
            each(self.judge(slices, receipt, now));
        }
    }
}
