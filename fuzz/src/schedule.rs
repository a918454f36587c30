//! The target `schedule`: a scenario through the reference, from the lines to the end of the wait.
//!
//! With all lengths from the receipt of the response, and `elapsed` what of that has gone by, for all scenarios:
//!
//! ```text
//! hint(line)   = delay                                       1, 2, 3
//!              | max(0, date - (Date + Age))                 with a Date
//!              | max(0, date - local wall clock at receipt)  without
//! hint         = max over all well-formed lines              9
//! hint(malformed) = hint(absent) = none                      2
//! bound        = max(hint, backoff)                          5
//! Defer(limit)    <=> hint > limit                           6
//! Defer(deadline) <=> not that, and max(bound, elapsed) >= deadline
//! permitted    = bound
//! Wait         =  bound + jitter, with 0 <= jitter <= most, and bound + jitter < deadline
//! end of wait  = receipt + bound + jitter                    4, whatever becomes of the wall clock
//! end of wait  = moment of cancellation, if that comes first 7
//! hint(write(wait)) >= wait                                  10
//! hint <= hint'  =>  permitted <= permitted'                 a larger hint never shortens the wait
//! hint(three forms of one instant) is one
//! with a Date, another local wall clock leaves hint and decision as they are
//! ```
//!
//! That the caller has to state that it may repeat the operation (8) is for the compiler to check.

use std::cell::Cell;
use std::fmt::Write;
use std::time::Duration;

use arbitrary::{Arbitrary, Unstructured};
use retry_after_core::{
    Basis, Cancellation, Clock, Decision, DeferReason, Event, Hint, ManualClock, Moment, Outcome, Pause, Reading,
    Receipt, Repeatable, RetryAfter, Tense, Timestamp, Wait, Waited,
};

use crate::model::{self, Form, Value};
use crate::parse::trimmed;
use crate::scenario::Scenario;

/// Checks the equations for one scenario; panics where one does not hold.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    if let Ok(scenario) = Scenario::arbitrary(&mut bytes) {
        check(&scenario);
    }
}

/// Checks the equations for one scenario; panics where one does not hold.
pub fn check(scenario: &Scenario) {
    let (lines, date, ages) = (scenario.lines(), scenario.date(), scenario.ages());
    let date = date.as_deref();
    let receipt = scenario.receipt(date, &ages);
    let reading = read(&lines, receipt);
    server_clock(scenario, date, &ages, &receipt);
    hint(&lines, &receipt, &reading);
    let decision = decide(scenario, &reading);
    boundaries(scenario, &reading, &decision);
    malformed_equals_absent(scenario, &lines, receipt, &decision);
    order_of_lines(&lines, receipt, &reading);
    larger_hint(scenario, receipt);
    three_forms(scenario, receipt);
    another_local_clock(scenario, &lines, date, &ages, &reading, &decision);
    written_and_read_back(scenario, receipt);
    if let Decision::Wait(wait) = decision {
        carried_out(scenario, &wait);
    }
    // Displaying anything works.
    let _ = write!(Nowhere, "{decision}");
}

/// A text that nobody keeps.
struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> std::fmt::Result {
        Ok(())
    }
}

fn read(lines: &[impl AsRef<[u8]>], receipt: Receipt) -> Reading {
    Reading::new(lines.iter().map(AsRef::as_ref), receipt)
}

fn decide(scenario: &Scenario, reading: &Reading) -> Decision {
    scenario.schedule().decide(reading, scenario.now(), Repeatable::Idempotent)
}

/// Whole nanoseconds since 1970, exactly.
fn nanoseconds(time: Timestamp) -> i128 {
    i128::from(time.unix_seconds()) * 1_000_000_000 + i128::from(time.subsecond_nanoseconds())
}

fn duration(nanoseconds: i128) -> Duration {
    let nanoseconds = u128::try_from(nanoseconds).unwrap();
    Duration::new((nanoseconds / 1_000_000_000) as u64, (nanoseconds % 1_000_000_000) as u32)
}

/// `Date` plus the smallest `Age` that is neither malformed nor saturated.
fn server_clock(scenario: &Scenario, date: Option<&[u8]>, ages: &[Vec<u8>], receipt: &Receipt) {
    let date = date.map_or(Value::Malformed, |date| model::read(date, scenario.wall.unix()));
    let expected = match date {
        Value::Date(date) => {
            let members = ages.iter().flat_map(|line| line.split(|byte| *byte == b','));
            let seconds = members.filter_map(|member| match model::read(member, 0) {
                Value::Delay(seconds) if seconds < 2_147_483_648 => Some(seconds as i64),
                _ => None,
            });
            Some(date.unix + seconds.min().unwrap_or(0))
        }
        Value::Delay(_) | Value::Malformed => None,
    };
    assert_eq!(receipt.server_time(), expected.map(Timestamp::from_unix));
    let skew = receipt.skew().map(|skew| if skew.is_behind() { -to_signed(skew.by()) } else { to_signed(skew.by()) });
    let expected = receipt.server_time().map(|server| nanoseconds(server) - nanoseconds(receipt.wall()));
    assert_eq!(skew, expected);
}

fn to_signed(duration: Duration) -> i128 {
    i128::try_from(duration.as_nanos()).unwrap()
}

/// The longest well-formed line, by the model.
fn hint(lines: &[Vec<u8>], receipt: &Receipt, reading: &Reading) {
    let clock = receipt.server_time().unwrap_or(receipt.wall());
    let basis = if receipt.server_time().is_some() { Basis::ServerDate } else { Basis::LocalClock };
    let mut longest: Option<(Duration, Basis, usize)> = None;
    for (number, line) in lines.iter().enumerate() {
        let (delay, basis) = match model::read(line, clock.unix_seconds()) {
            Value::Malformed => continue,
            Value::Delay(u64::MAX) => (Duration::MAX, Basis::Receipt),
            Value::Delay(seconds) => (Duration::from_secs(seconds), Basis::Receipt),
            Value::Date(date) => {
                let ahead = i128::from(date.unix) * 1_000_000_000 - nanoseconds(clock);
                (duration(ahead.max(0)), basis)
            }
        };
        if longest.is_none_or(|(longest, ..)| delay > longest) {
            longest = Some((delay, basis, number));
        }
    }
    let hint = reading.hint();
    assert_eq!(hint.map(|hint| (hint.delay(), hint.basis(), reading.line())), longest);
    assert_eq!(reading.value().is_some(), hint.is_some());
    match (reading.outcome(), lines) {
        (Outcome::Absent, []) | (Outcome::Hint(_), _) => {}
        (Outcome::Malformed(error), [first, ..]) => {
            assert_eq!(RetryAfter::parse(first, clock), Err(error));
            assert_eq!(reading.line(), 0);
        }
        (outcome, _) => panic!("{outcome:?}"),
    }
    if let Some(hint) = hint {
        assert_eq!(hint.receipt(), receipt);
        match hint.tense() {
            Tense::Delay => assert_eq!(hint.basis(), Basis::Receipt),
            Tense::Future => assert!(!hint.delay().is_zero()),
            Tense::Past { .. } => assert!(hint.delay().is_zero()),
        }
    }
}

/// Limit, deadline, bound and jitter.
fn boundaries(scenario: &Scenario, reading: &Reading, decision: &Decision) {
    let hint = reading.hint().map(|hint| hint.delay());
    let bound = scenario.backoff().max(hint.unwrap_or(Duration::ZERO));
    let elapsed = scenario.now().saturating_since(scenario.start());
    let over_limit = scenario.limit.is_some_and(|limit| hint.is_some_and(|hint| hint > limit.duration()));
    let late = scenario.deadline.is_some_and(|deadline| bound >= deadline.duration() || elapsed >= deadline.duration());
    match decision {
        Decision::Defer(deferral) => {
            let reason = if over_limit { DeferReason::Limit } else { DeferReason::Deadline };
            assert_eq!(deferral.reason(), reason);
            assert!(over_limit || late);
            assert_eq!(deferral.permitted_after(), bound);
            assert_eq!(deferral.receipt(), scenario.start());
            assert_eq!(deferral.permitted_at(), scenario.start().saturating_add(bound));
            assert_eq!(deferral.hint(), reading.hint());
        }
        Decision::Wait(wait) => {
            assert!(!over_limit && !late);
            assert_eq!(wait.bound(), bound);
            assert_eq!(wait.receipt(), scenario.start());
            assert_eq!(wait.hint(), reading.hint());
            assert!(wait.jitter() <= scenario.jitter.duration());
            assert_eq!(wait.from_receipt(), bound.saturating_add(wait.jitter()));
            if let Some(deadline) = scenario.deadline {
                assert!(wait.from_receipt() < deadline.duration());
                // Where there is room for it, jitter is drawn from all of the room.
                let room = (deadline.duration() - bound).min(scenario.jitter.duration());
                drawn(wait.jitter(), room, scenario.draw);
            } else {
                drawn(wait.jitter(), scenario.jitter.duration(), scenario.draw);
            }
            assert_eq!(wait.remaining(scenario.now()), wait.from_receipt().saturating_sub(elapsed));
        }
    }
}

/// `jitter` is the share of `room` that the draw is of its whole, to a billionth of the room and a nanosecond.
fn drawn(jitter: Duration, room: Duration, draw: u64) {
    let share = draw as f64 / 18_446_744_073_709_551_616.0;
    let difference = (room.as_secs_f64() * share - jitter.as_secs_f64()).abs();
    assert!(difference <= room.as_secs_f64() / 1e9 + 2e-9, "{jitter:?} of {room:?}");
}

/// Where and why a decision permits a retry.
fn permitted(decision: &Decision) -> (Duration, Option<DeferReason>, Duration) {
    match decision {
        Decision::Wait(wait) => (wait.bound(), None, wait.jitter()),
        Decision::Defer(deferral) => (deferral.permitted_after(), Some(deferral.reason()), Duration::ZERO),
    }
}

fn malformed_equals_absent(scenario: &Scenario, lines: &[Vec<u8>], receipt: Receipt, decision: &Decision) {
    let clock = receipt.server_time().unwrap_or(receipt.wall()).unix_seconds();
    let valid: Vec<_> = lines.iter().filter(|line| model::read(line, clock) != Value::Malformed).collect();
    assert_eq!(permitted(&decide(scenario, &read(&valid, receipt))), permitted(decision));
}

fn order_of_lines(lines: &[Vec<u8>], receipt: Receipt, reading: &Reading) {
    let reversed: Vec<_> = lines.iter().rev().collect();
    let reversed = read(&reversed, receipt);
    assert_eq!(reversed.hint().map(|hint| hint.delay()), reading.hint().map(|hint| hint.delay()));
    assert_eq!(reversed.is_conflict(), reading.is_conflict());
    let differ = lines.iter().any(|line| trimmed(line) != trimmed(&lines[0]));
    assert_eq!(reading.is_conflict(), differ);
}

fn larger_hint(scenario: &Scenario, receipt: Receipt) {
    let small = scenario.draw >> (scenario.draw % 61);
    let large = small.saturating_add(u64::from(scenario.wall_nanoseconds));
    let decide = |seconds: u64| decide(scenario, &read(&[seconds.to_string().into_bytes()], receipt));
    let (small, large) = (permitted(&decide(small)), permitted(&decide(large)));
    assert!(small.0 <= large.0);
    assert!(small.1.is_none() || large.1.is_some());
}

fn three_forms(scenario: &Scenario, receipt: Receipt) {
    let clock = receipt.server_time().unwrap_or(receipt.wall()).unix_seconds();
    // Within 49 years of now, where a two-digit year is beyond doubt, and within the calendar.
    if !(-60_000_000_000..250_000_000_000).contains(&clock) {
        return;
    }
    let unix = clock + scenario.draw as i64 % (49 * 31_556_952);
    let hints = [Form::ImfFixdate, Form::Rfc850, Form::Asctime].map(|form| {
        let text = model::write(unix, form);
        let hint = read(&[text.into_bytes()], receipt).hint().map(|hint| (hint.delay(), hint.tense(), hint.basis()));
        assert!(hint.is_some());
        hint
    });
    assert_eq!(hints[0], hints[1]);
    assert_eq!(hints[0], hints[2]);
}

fn another_local_clock(
    scenario: &Scenario,
    lines: &[Vec<u8>],
    date: Option<&[u8]>,
    ages: &[Vec<u8>],
    reading: &Reading,
    decision: &Decision,
) {
    let Some(date) = date else { return };
    // A Date with a two-digit year is itself read by the local clock.
    if !matches!(model::read(date, 0), Value::Date(date) if date.form != Form::Rfc850) {
        return;
    }
    let wall = Timestamp::new(scenario.draw as i64, 5);
    let receipt = Receipt::new(scenario.start(), wall).with_date(date, ages.iter().map(Vec::as_slice));
    let other = read(lines, receipt);
    let seen = |hint: Hint| (hint.delay(), hint.basis(), hint.tense());
    assert_eq!(other.hint().map(seen), reading.hint().map(seen));
    assert_eq!(permitted(&decide(scenario, &other)), permitted(decision));
}

fn written_and_read_back(scenario: &Scenario, receipt: Receipt) {
    let wait = scenario.backoff();
    let value = RetryAfter::from_duration(wait).to_string();
    let delay = read(&[value.clone().into_bytes()], receipt).hint().map(|hint| hint.delay());
    let delay = delay.unwrap_or_else(|| panic!("{value} is no hint"));
    assert!(delay >= wait);
    assert!(delay - wait < Duration::from_secs(1) || value == u64::MAX.to_string());
    assert!(value.bytes().all(|byte| byte.is_ascii_digit()));
}

/// The wait itself, on a manual clock, with a wall clock that jumps and somebody who cancels.
fn carried_out(scenario: &Scenario, wait: &Wait) {
    let from_start = |span: Duration| scenario.start().saturating_add(span);
    let clock = ManualClock::new(scenario.wall());
    clock.advance(scenario.now().since_origin());
    if let Some((after, unix)) = scenario.jump {
        clock.plan(from_start(after.duration()), Event::SetWall(Timestamp::from_unix(unix)));
    }
    let cancellation = Cancellation::new();
    if let Some(after) = scenario.cancellation {
        clock.plan(from_start(after.duration()), Event::Cancel(cancellation.clone()));
    }
    let begin = clock.monotonic();
    let remaining = wait.remaining(begin);
    let end = begin.since_origin().checked_add(remaining).map(Moment::from_origin);
    let Some(end) = end else {
        // It would outlast the clock, which then stands still.
        return;
    };
    let waited = wait.run(&Watched(&clock, Cell::new(0)), &cancellation);
    let cancelled_at = scenario.cancellation.map(|after| from_start(after.duration()).max(begin));
    match cancelled_at {
        // At the very end, it depends on what else was planned for that moment.
        Some(moment) if moment == end && waited == (Waited::Cancelled { remaining: Duration::ZERO }) => {}
        Some(moment) if moment < end => {
            assert_eq!(waited, Waited::Cancelled { remaining: wait.remaining(moment) });
            assert_eq!(clock.monotonic(), moment);
        }
        _ => {
            assert_eq!(waited, Waited::Completed);
            assert_eq!(clock.monotonic(), end);
            assert!(clock.monotonic().saturating_since(wait.receipt()) >= wait.bound());
        }
    }
}

/// A clock that is never asked for more than is left to wait, and never for the wall clock.
///
/// A wait pauses once, and once more for each of the two events that may interrupt it: more of them are no wait that ends.
struct Watched<'a>(&'a ManualClock, Cell<u8>);

impl Clock for Watched<'_> {
    fn monotonic(&self) -> Moment {
        self.0.monotonic()
    }

    fn wall(&self) -> Timestamp {
        panic!("a wait has no use for the wall clock")
    }
}

impl Pause for Watched<'_> {
    fn pause(&self, at_most: Duration, cancellation: &Cancellation) {
        assert!(!at_most.is_zero());
        self.1.set(self.1.get() + 1);
        assert!(self.1.get() <= 3, "it pauses again and again");
        self.0.pause(at_most, cancellation);
    }
}

/// That a schedule is what it was given: a check of the scenario itself.
#[cfg(test)]
mod tests {
    use retry_after_core::Schedule;

    use super::*;

    #[test]
    fn an_empty_input_is_no_finding() {
        run(&[]);
    }

    #[test]
    fn a_schedule_without_anything_waits_for_its_backoff() {
        let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(0));
        let decision = Schedule::new(Duration::from_secs(8)).decide(
            &read(&[[0_u8; 0]; 0], receipt),
            Moment::default(),
            Repeatable::CallerAccepts,
        );
        assert_eq!(permitted(&decision), (Duration::from_secs(8), None, Duration::ZERO));
    }
}
