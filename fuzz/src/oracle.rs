//! The oracle: what a subject made of a value, beside what the reference makes of it, is agreement or a named divergence.
//!
//! It judges outcomes, not code, and knows no engine. Its names are those of the linter's rules, so that what a run shows
//! and what the source shows can be told to be the same fault.

use std::fmt;
use std::time::Duration;

use retry_after_core::{DateForm, Hint, Receipt, RetryAfter};

/// What a subject does because of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stays away for this long after the receipt of the response.
    Wait(Duration),
    /// It takes the value for no hint, and is left with its own backoff.
    NoHint,
    /// It panicked.
    Panicked,
}

/// How an outcome differs from the reference's, by the name of the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Divergence {
    /// The value is a date, in the form that is written today, and the subject takes it for no hint.
    IntegerOnly,
    /// The value is a date in an obsolete form, and the subject takes it for no hint.
    PartialDate,
    /// The value is malformed, and the subject waits for nothing.
    ZeroFallback,
    /// The value is malformed, and the subject reads a wait from it.
    LenientNumber,
    /// The subject waits for less than a delay that it could have represented, or takes a long one for no hint.
    CappedHint,
    /// The subject's wait is a thousand times too short or too long.
    UnitMismatch,
    /// The date is past and the subject waits.
    PastDate,
    /// The subject waits less than a second too short.
    RoundedDownHint,
    /// The subject waits for another time than the date says, without being any of the above.
    WrongInstant,
    /// The subject panicked.
    PanickingParse,
}

impl Divergence {
    /// The name, as the linter's rules have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::IntegerOnly => "integer_only",
            Self::PartialDate => "partial_date",
            Self::ZeroFallback => "zero_fallback",
            Self::LenientNumber => "lenient_number",
            Self::CappedHint => "capped_hint",
            Self::UnitMismatch => "unit_mismatch",
            Self::PastDate => "past_date",
            Self::RoundedDownHint => "rounded_down_hint",
            Self::WrongInstant => "wrong_instant",
            Self::PanickingParse => "panicking_parse",
        }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What the reference does because of a value.
pub fn reference(value: &[u8], receipt: Receipt) -> (Option<RetryAfter>, Outcome) {
    let now = receipt.server_time().unwrap_or(receipt.wall());
    match RetryAfter::parse(value, now) {
        Ok(parsed) => (Some(parsed), Outcome::Wait(Hint::new(parsed, receipt).delay())),
        Err(_) => (None, Outcome::NoHint),
    }
}

/// The divergence of a subject's outcome from the reference's, if there is one.
///
/// A wait that is longer is one only where it cannot be the same wait: a client may always stay away longer.
pub fn divergence(value: &[u8], receipt: Receipt, subject: Outcome) -> Option<Divergence> {
    let (parsed, reference) = reference(value, receipt);
    if subject == reference {
        return None;
    }
    Some(match (parsed, reference, subject) {
        (_, _, Outcome::Panicked) => Divergence::PanickingParse,
        (None, _, Outcome::Wait(wait)) if wait.is_zero() => Divergence::ZeroFallback,
        (None, _, _) => Divergence::LenientNumber,
        (Some(RetryAfter::Date(date)), _, Outcome::NoHint) if date.form() == DateForm::ImfFixdate => {
            Divergence::IntegerOnly
        }
        (Some(RetryAfter::Date(_)), _, Outcome::NoHint) => Divergence::PartialDate,
        (Some(RetryAfter::Delay(_)), _, Outcome::NoHint) => Divergence::CappedHint,
        (Some(parsed), Outcome::Wait(right), Outcome::Wait(wait)) => {
            let thousand = |long: Duration, short: Duration| !short.is_zero() && long / 1000 == short;
            if thousand(right, wait) || thousand(wait, right) {
                Divergence::UnitMismatch
            } else if right.saturating_sub(wait) > Duration::ZERO && right.saturating_sub(wait) < Duration::from_secs(1)
            {
                Divergence::RoundedDownHint
            } else if let RetryAfter::Date(_) = parsed {
                if right.is_zero() { Divergence::PastDate } else { Divergence::WrongInstant }
            } else if wait < right {
                Divergence::CappedHint
            } else {
                Divergence::LenientNumber
            }
        }
        (Some(_), _, _) => unreachable!("a value that the reference reads makes it wait"),
    })
}

#[cfg(test)]
mod tests {
    use retry_after_core::{Moment, Timestamp};

    use super::*;

    fn named(value: &str, subject: Outcome) -> Option<&'static str> {
        let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(1_796_034_600));
        divergence(value.as_bytes(), receipt, subject).map(Divergence::name)
    }

    fn wait(milliseconds: u64) -> Outcome {
        Outcome::Wait(Duration::from_millis(milliseconds))
    }

    #[test]
    fn each_fault_has_its_name() {
        let soon = "Mon, 30 Nov 2026 10:31:30 GMT";
        assert_eq!(named("30", wait(30_000)), None);
        assert_eq!(named("soon", Outcome::NoHint), None);
        assert_eq!(named(soon, wait(90_000)), None);
        assert_eq!(named(soon, Outcome::NoHint), Some("integer_only"));
        assert_eq!(named("Mon Nov 30 10:31:30 2026", Outcome::NoHint), Some("partial_date"));
        assert_eq!(named("soon", wait(0)), Some("zero_fallback"));
        assert_eq!(named("+5", wait(5_000)), Some("lenient_number"));
        assert_eq!(named("3600", wait(60_000)), Some("capped_hint"));
        assert_eq!(named("99999999999999999999", Outcome::NoHint), Some("capped_hint"));
        assert_eq!(named("120", wait(120)), Some("unit_mismatch"));
        assert_eq!(named("120", wait(120_000_000)), Some("unit_mismatch"));
        assert_eq!(named("Mon, 30 Nov 2026 09:30:00 GMT", wait(3_600_000)), Some("past_date"));
        assert_eq!(named(soon, wait(89_001)), Some("rounded_down_hint"));
        assert_eq!(named(soon, wait(30_000)), Some("wrong_instant"));
        assert_eq!(named("30", wait(60_000)), Some("lenient_number"));
        assert_eq!(named("1", Outcome::Panicked), Some("panicking_parse"));
    }
}
