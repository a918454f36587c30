//! A subject: code under test as a function from header lines and a time to an outcome.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, SystemTime};

/// The time at which a response was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The wall clock.
    pub wall: SystemTime,
    /// The monotonic clock, since its origin.
    pub monotonic: Duration,
}

/// What a subject makes of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It waits for this long after the receipt of the response.
    Delay(Duration),
    /// It takes it for no hint, and is left with its own backoff.
    None,
    /// It gives an error.
    Error,
    /// It panicked, and said this.
    Panic(String),
}

/// Extracted code.
#[derive(Clone, Copy)]
pub struct Subject {
    /// Its number in the list that it was made from.
    pub number: usize,
    /// Whether its outcome is a number of which nobody knows the unit.
    pub unknown_unit: bool,
    /// The code. Lines come without the blanks around them; none means that the header is absent.
    pub call: fn(&[&[u8]], Now) -> Outcome,
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

impl Subject {
    /// What the code makes of the lines, blanks around them or not. A panic is an outcome too.
    pub fn ask(&self, lines: &[&[u8]], now: Now) -> Outcome {
        // HTTP libraries hand on a value without them.
        let mut room: [&[u8]; 4] = [b""; 4];
        let many: Vec<&[u8]>;
        let lines = match room.get_mut(..lines.len()) {
            Some(room) => {
                for (place, line) in room.iter_mut().zip(lines) {
                    *place = trim(line);
                }
                &*room
            }
            None => {
                many = lines.iter().map(|line| trim(line)).collect();
                &many
            }
        };
        let call = self.call;
        catch_unwind(AssertUnwindSafe(|| call(lines, now))).unwrap_or_else(|payload| {
            let told = PANIC.with(|said| said.borrow_mut().take());
            let payload = payload.downcast_ref::<String>().cloned();
            Outcome::Panic(told.or(payload).unwrap_or_else(|| "no message".to_owned()))
        })
    }
}

/// Makes panics tell their message to [`Subject::ask`] and nobody else. Replaces the hook of whoever came before, libFuzzer's too.
pub fn catch_messages() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        PANIC.with(|said| *said.borrow_mut() = text);
    }));
}

/// Without the blanks around it: SP and HTAB, and no others.
pub fn trim(line: &[u8]) -> &[u8] {
    let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let start = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    &line[start..end]
}
