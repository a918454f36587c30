//! The oracle: what a subject made of a header, beside what the reference makes of it, is agreement, a named divergence, or a
//! difference that is tolerated.
//!
//! It judges outcomes, not code, and knows no engine. Its names are those of the linter's rules wherever there is one, so that
//! what a run shows and what the source shows can be told to be the same fault. What a subject does in general (in which unit
//! it counts, what it waits without a hint, which dates it reads at all) decides on the name, so it is asked first; see [`Habits`].

use std::fmt;
use std::time::Duration;

use retry_after_core::{DateForm, Hint, Reading, Receipt, RetryAfter};

use super::inputs::date_text;
use super::subject::{Outcome, trim};

/// How a subject is asked once more.
pub type Ask<'a> = dyn FnMut(&[&[u8]]) -> Outcome + 'a;

/// Longer waits than this (136 years) are as good as any: what a subject that counts in smaller units saturates at.
const FOR_EVER: Duration = Duration::from_secs(u32::MAX as u64);

/// What the oracle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The subject does what the reference does, or waits longer for a reason of its own.
    Agrees,
    /// It does something else.
    Diverges(Divergence),
    /// It does something else, and one may argue about that: never a finding by itself.
    Tolerated(Tolerance),
}

/// How an outcome differs from the reference's, by the name of the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Divergence {
    /// The value is a date, and the subject reads dates in no form.
    IntegerOnly,
    /// The value is a date in a form that the subject does not read, though it reads another.
    PartialDate,
    /// The value is missing or malformed, and the subject waits for nothing, as it does for everything that it cannot read.
    ZeroFallback,
    /// The value is malformed, and the subject reads a wait from it.
    LenientNumber,
    /// The subject waits for less than it was asked to, or takes a long wait for no hint.
    CappedHint,
    /// The subject counts in another unit.
    UnitMismatch,
    /// The date is past and the subject waits because of it.
    PastDate,
    /// The subject waits less than a second too short.
    RoundedDownHint,
    /// The subject waits for another time than the date says, without being any of the above.
    WrongInstant,
    /// The subject panicked.
    PanickingParse,
}

/// A difference that is reported apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tolerance {
    /// A date whose day name is another day's is rejected; the grammar allows it.
    DayName,
    /// Second 60 is rejected, or read as the second before or after.
    LeapSecond,
    /// `+5` is taken as 5.
    PlusSign,
    /// A number above what a u64 holds is rejected; the reference takes it for the longest wait.
    AboveU64,
    /// A hint of more than a century is taken for none, since the subject cannot represent it.
    BeyondCentury,
    /// A past date is an error, which is right where the caller then uses its own backoff.
    PastDateError,
    /// The longest wait that the subject can represent stands for a longer one; it is more than a century.
    Saturated,
    /// A date that is none of the three forms, but can be read as a date, is.
    LenientDate,
    /// A two-digit year is taken for one of another century, in a date that lies decades away.
    TwoDigitYear,
    /// The subject reads dates and no number: a part of a reader, whose other part is its caller's.
    DateOnly,
    /// Of several lines another one than the longest is taken.
    SeveralLines,
}

/// Which headers are alike: a subject's divergences are told once for each name and family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// No line.
    Absent,
    /// Digits.
    Number,
    /// A date in the form that is written today.
    ImfFixdate,
    /// A date in the form of RFC 850.
    Rfc850,
    /// A date in the form of asctime.
    Asctime,
    /// Nothing that the grammar knows.
    Malformed,
}

impl Divergence {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::IntegerOnly,
        Self::PartialDate,
        Self::ZeroFallback,
        Self::LenientNumber,
        Self::CappedHint,
        Self::UnitMismatch,
        Self::PastDate,
        Self::RoundedDownHint,
        Self::WrongInstant,
        Self::PanickingParse,
    ];

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

impl Tolerance {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::DayName => "day_name",
            Self::LeapSecond => "leap_second",
            Self::PlusSign => "plus_sign",
            Self::AboveU64 => "above_u64",
            Self::BeyondCentury => "beyond_century",
            Self::PastDateError => "past_date_error",
            Self::Saturated => "saturated",
            Self::LenientDate => "lenient_date",
            Self::TwoDigitYear => "two_digit_year",
            Self::DateOnly => "date_only",
            Self::SeveralLines => "several_lines",
        }
    }
}

impl Family {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Number => "number",
            Self::ImfFixdate => "imf_fixdate",
            Self::Rfc850 => "rfc850",
            Self::Asctime => "asctime",
            Self::Malformed => "malformed",
        }
    }
}

/// What the reference makes of the lines.
#[derive(Clone, Copy, Debug)]
pub struct Right {
    /// The value of the line that binds.
    pub value: Option<RetryAfter>,
    /// How long the client has to stay away; None without a hint.
    pub wait: Option<Duration>,
}

/// Asks the reference.
pub fn reference(lines: &[&[u8]], receipt: Receipt) -> Right {
    // One line is the rule, and needs no look at the others.
    if let [line] = lines {
        let now = receipt.server_time().unwrap_or(receipt.wall());
        let value = RetryAfter::parse(line, now).ok();
        return Right { value, wait: value.map(|value| Hint::new(value, receipt).delay()) };
    }
    let reading = Reading::new(lines.iter().copied(), receipt);
    Right { value: reading.value(), wait: reading.hint().map(|hint| hint.delay()) }
}

/// The family of the lines, by what the reference made of them.
pub fn family(lines: &[&[u8]], right: &Right) -> Family {
    match right.value {
        Some(RetryAfter::Delay(_)) => Family::Number,
        Some(RetryAfter::Date(date)) => match date.form() {
            DateForm::ImfFixdate => Family::ImfFixdate,
            DateForm::Rfc850 => Family::Rfc850,
            DateForm::Asctime => Family::Asctime,
        },
        None if lines.is_empty() => Family::Absent,
        None => Family::Malformed,
    }
}

/// What a subject does in general, from a few plain headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Habits {
    /// What it makes of 1, 7, 120, a near date in each of the three forms, and of garbage, in this order.
    pub answers: Vec<(String, Outcome)>,
    /// Its outcome without a hint.
    garbage: Outcome,
    /// The wait it never goes below: that for `0`.
    floor: Duration,
    /// What it adds to each number.
    surplus: Duration,
    /// How many nanoseconds it waits for each second of a number; None where that is not the same for all.
    second: Option<u128>,
    /// Whether it reads numbers.
    reads_numbers: bool,
    /// Whether it reads dates in the form of IMF-fixdate, RFC 850, asctime.
    reads_dates: [bool; 3],
}

impl Habits {
    /// Asks the subject for them, for a response that was received then.
    pub fn of(receipt: Receipt, ask: &mut Ask<'_>) -> Self {
        let near = receipt.wall().unix_seconds().saturating_add(7);
        let mut headers: Vec<String> = ["1", "7", "120"].map(str::to_owned).to_vec();
        let forms = [DateForm::ImfFixdate, DateForm::Rfc850, DateForm::Asctime];
        headers.extend(forms.map(|form| date_text(near, form)));
        headers.push("soon".to_owned());
        let answers: Vec<(String, Outcome)> =
            headers.into_iter().map(|header| (header.clone(), ask(&[header.as_bytes()]))).collect();
        let outcome = |place: usize| answers[place].1.clone();
        let wait = |outcome: Outcome| if let Outcome::Delay(wait) = outcome { Some(wait) } else { None };

        let garbage = outcome(6);
        let reads = |outcome: Outcome| matches!(outcome, Outcome::Delay(_)) && outcome != garbage;
        let floor = wait(ask(&[b"0"])).unwrap_or_default();
        let numbers = [(1, outcome(0)), (7, outcome(1)), (120, outcome(2))];
        // A factor is one only if it is the same for all three; a floor or a limit is none.
        let factor = |seconds: u32, outcome: &Outcome| {
            let nanoseconds = wait(outcome.clone())?.as_nanos();
            Some(nanoseconds / u128::from(seconds)).filter(|each| each * u128::from(seconds) == nanoseconds)
        };
        let first = factor(1, &numbers[0].1);
        let is_same = numbers.iter().all(|(seconds, outcome)| factor(*seconds, outcome) == first);
        let second = first.filter(|each| is_same && *each != 0);
        let more = |place: usize, seconds: u64| wait(outcome(place))?.checked_sub(Duration::from_secs(seconds));
        let surplus = more(1, 7).filter(|surplus| Some(*surplus) == more(2, 120)).unwrap_or_default();
        Self {
            garbage: garbage.clone(),
            floor,
            surplus,
            second,
            reads_numbers: numbers.into_iter().any(|(_, outcome)| reads(outcome)),
            reads_dates: [3, 4, 5].map(|place| reads(outcome(place))),
            answers,
        }
    }

    /// How many nanoseconds it waits for each second of a number, if that is the same for all numbers.
    pub fn second(&self) -> Option<u128> {
        self.second
    }

    fn unit_differs(&self) -> bool {
        self.second.is_some_and(|second| second != 1_000_000_000)
    }

    /// Whether the outcome is what the subject does without a hint.
    fn is_no_hint(&self, outcome: &Outcome) -> bool {
        matches!(outcome, Outcome::None | Outcome::Error) || *outcome == self.garbage
    }

    fn reads_date(&self, form: DateForm) -> bool {
        let place = match form {
            DateForm::ImfFixdate => 0,
            DateForm::Rfc850 => 1,
            DateForm::Asctime => 2,
        };
        self.reads_dates[place]
    }
}

/// Judges a subject's outcome for the lines beside the reference's; `ask` asks the subject about others, received at the same time.
///
/// A wait that is longer is a divergence only where it cannot be the same wait: a client may always stay away longer.
pub fn judge(lines: &[&[u8]], right: &Right, subject: &Outcome, habits: &Habits, ask: &mut Ask<'_>) -> Verdict {
    if matches!((subject, right.wait), (Outcome::Delay(wait), Some(right)) if *wait == right) {
        return Verdict::Agrees;
    }
    let verdict = match (right.value, right.wait) {
        _ if matches!(subject, Outcome::Panic(_)) => Verdict::Diverges(Divergence::PanickingParse),
        (Some(value), Some(wait)) => of_hint(value, wait, subject, habits, ask),
        _ => of_no_hint(lines, subject, habits),
    };
    if lines.len() > 1 && verdict != Verdict::Agrees {
        // What it makes of a line alone is asked, and judged, by itself.
        let is_its_own = |line: &&[u8]| {
            let alone = ask(&[line]);
            alone == *subject || habits.is_no_hint(&alone) && habits.is_no_hint(subject)
        };
        if lines.iter().any(is_its_own) {
            return Verdict::Tolerated(Tolerance::SeveralLines);
        }
    }
    verdict
}

fn of_no_hint(lines: &[&[u8]], subject: &Outcome, habits: &Habits) -> Verdict {
    let Outcome::Delay(wait) = subject else { return Verdict::Agrees };
    let nothing = Outcome::Delay(Duration::ZERO);
    if lines.is_empty() {
        // Without a header there is nothing to read: a wait is the subject's own.
        return if wait.is_zero() { Verdict::Diverges(Divergence::ZeroFallback) } else { Verdict::Agrees };
    }
    if *subject == habits.garbage {
        return if *subject == nothing { Verdict::Diverges(Divergence::ZeroFallback) } else { Verdict::Agrees };
    }
    let line = trim(lines[0]);
    if matches!(line, [b'+', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)) {
        return Verdict::Tolerated(Tolerance::PlusSign);
    }
    // A number has no letters beside those of exponents and of floats' names; a date has both letters and colons, or dashes.
    let letters = line.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = line.iter().filter(|byte| byte.is_ascii_digit()).count();
    if letters >= 3 && digits >= 3 || line.contains(&b':') {
        return Verdict::Tolerated(Tolerance::LenientDate);
    }
    Verdict::Diverges(Divergence::LenientNumber)
}

fn of_hint(value: RetryAfter, right: Duration, subject: &Outcome, habits: &Habits, ask: &mut Ask<'_>) -> Verdict {
    match subject {
        Outcome::Delay(wait) if *wait > right => longer(value, right, *wait, habits),
        subject if habits.is_no_hint(subject) => dropped(value, right, subject, habits),
        Outcome::Delay(wait) => shorter(value, right, *wait, habits, ask),
        _ => dropped(value, right, subject, habits),
    }
}

/// The subject takes a hint for none.
fn dropped(value: RetryAfter, right: Duration, subject: &Outcome, habits: &Habits) -> Verdict {
    if right.is_zero() {
        // The longer of nothing and the own backoff is the own backoff.
        let is_past = matches!(value, RetryAfter::Date(_));
        let fails = is_past && *subject == Outcome::Error && habits.reads_dates.contains(&true);
        return if fails { Verdict::Tolerated(Tolerance::PastDateError) } else { Verdict::Agrees };
    }
    Verdict::Diverges(match value {
        RetryAfter::Delay(_) if !habits.reads_numbers => return Verdict::Tolerated(Tolerance::DateOnly),
        RetryAfter::Delay(u64::MAX) => return Verdict::Tolerated(Tolerance::AboveU64),
        RetryAfter::Delay(_) if right > FOR_EVER => return Verdict::Tolerated(Tolerance::BeyondCentury),
        RetryAfter::Delay(_) => Divergence::CappedHint,
        RetryAfter::Date(_) if !habits.reads_dates.contains(&true) => Divergence::IntegerOnly,
        RetryAfter::Date(date) if !habits.reads_date(date.form()) => Divergence::PartialDate,
        RetryAfter::Date(date) if is_decades(date.form(), right) => return Verdict::Tolerated(Tolerance::TwoDigitYear),
        RetryAfter::Date(_) if right > FOR_EVER => return Verdict::Tolerated(Tolerance::BeyondCentury),
        RetryAfter::Date(date) if date.is_leap_second() => return Verdict::Tolerated(Tolerance::LeapSecond),
        RetryAfter::Date(date) if !date.day_name_fits() => return Verdict::Tolerated(Tolerance::DayName),
        RetryAfter::Date(_) => Divergence::CappedHint,
    })
}

/// The subject waits for less.
fn shorter(value: RetryAfter, right: Duration, wait: Duration, habits: &Habits, ask: &mut Ask<'_>) -> Verdict {
    if right == Duration::MAX && wait.as_secs() == u64::MAX {
        // All seconds that there are.
        return Verdict::Agrees;
    }
    if wait >= FOR_EVER {
        return Verdict::Tolerated(Tolerance::Saturated);
    }
    let is_date = matches!(value, RetryAfter::Date(_));
    if !is_date && habits.unit_differs() || is_date && is_thousandth(wait, right) {
        return Verdict::Diverges(Divergence::UnitMismatch);
    }
    let missing = right - wait;
    let is_leap = matches!(value, RetryAfter::Date(date) if date.is_leap_second());
    if is_leap && missing <= Duration::from_secs(2) {
        return Verdict::Tolerated(Tolerance::LeapSecond);
    }
    if missing < Duration::from_secs(1) {
        return Verdict::Diverges(Divergence::RoundedDownHint);
    }
    let RetryAfter::Date(date) = value else { return Verdict::Diverges(Divergence::CappedHint) };
    if is_decades(date.form(), right) {
        return Verdict::Tolerated(Tolerance::TwoDigitYear);
    }
    // Where a number of that size ends alike, it is the size that matters.
    let number = ask(&[right.as_secs().to_string().as_bytes()]);
    let is_limit = matches!(number, Outcome::Delay(of_number) if of_number <= wait && of_number < right);
    Verdict::Diverges(if is_limit { Divergence::CappedHint } else { Divergence::WrongInstant })
}

/// The subject waits for longer.
fn longer(value: RetryAfter, right: Duration, wait: Duration, habits: &Habits) -> Verdict {
    let RetryAfter::Date(date) = value else {
        let is_fault = habits.unit_differs();
        return if is_fault { Verdict::Diverges(Divergence::UnitMismatch) } else { Verdict::Agrees };
    };
    let slack = Duration::from_secs(if date.is_leap_second() { 2 } else { 1 });
    let expected = right.saturating_add(habits.surplus).saturating_add(slack);
    if wait <= expected.max(habits.floor) || habits.is_no_hint(&Outcome::Delay(wait)) {
        return Verdict::Agrees;
    }
    if is_decades(date.form(), wait) {
        return Verdict::Tolerated(Tolerance::TwoDigitYear);
    }
    Verdict::Diverges(if right.is_zero() {
        Divergence::PastDate
    } else if is_thousandth(right, wait) {
        Divergence::UnitMismatch
    } else {
        Divergence::WrongInstant
    })
}

/// Whether a date with a two-digit year is so far away that the century is what one may differ about.
fn is_decades(form: DateForm, wait: Duration) -> bool {
    const DECADES: Duration = Duration::from_secs(20 * 365 * 86_400);
    form == DateForm::Rfc850 && wait >= DECADES
}

/// Whether one is the other in milliseconds taken for seconds, give or take one of them.
fn is_thousandth(short: Duration, long: Duration) -> bool {
    !short.is_zero() && short.as_millis().abs_diff(u128::from(long.as_secs())) <= 1
}

#[cfg(test)]
mod tests {
    use super::super::inputs;
    use super::super::subject::{Now, Subject};
    use super::super::trial::Trial;
    use super::*;
    use retry_after_core::Timestamp;

    /// The names for a header, of a subject that knows the present.
    fn names(call: fn(&[&[u8]], Now) -> Outcome, header: &str) -> Vec<&'static str> {
        let trial = Trial::new(Subject { number: 0, unknown_unit: false, call });
        let mut names = Vec::new();
        trial.judge_all(&[header.as_bytes().to_vec()], |judged| {
            names.extend(judged.name().map(|(name, _)| name).filter(|name| !names.contains(name)));
        });
        names
    }

    fn text<'a>(lines: &[&'a [u8]]) -> Option<&'a str> {
        std::str::from_utf8(lines.first()?).ok()
    }

    fn correct(lines: &[&[u8]], _: Now) -> Outcome {
        let (receipt, _) = inputs::receipt();
        reference(lines, receipt).wait.map_or(Outcome::None, Outcome::Delay)
    }

    fn seconds(lines: &[&[u8]], _: Now) -> Outcome {
        text(lines)
            .and_then(|text| text.parse().ok())
            .map_or(Outcome::None, |wait| Outcome::Delay(Duration::from_secs(wait)))
    }

    const SOON: &str = "Mon, 30 Nov 2026 12:01:30 GMT";

    #[test]
    fn the_reference_agrees_with_itself() {
        for header in
            ["30", "soon", "99999999999999999999", "Monday, 30-Nov-26 12:01:30 GMT", "Mon Nov 30 11:00:00 2026"]
        {
            assert_eq!(names(correct, header), Vec::<&str>::new(), "{header}");
        }
    }

    #[test]
    fn numbers_alone() {
        assert_eq!(names(seconds, "30"), Vec::<&str>::new());
        assert_eq!(names(seconds, "soon"), Vec::<&str>::new());
        assert_eq!(names(seconds, SOON), ["integer_only"]);
        assert_eq!(names(seconds, "Mon Nov 30 12:01:30 2026"), ["integer_only"], "no date at all is the one fault");
        assert_eq!(names(seconds, "Sun, 06 Nov 1994 08:49:37 GMT"), Vec::<&str>::new(), "past: no hint is as good");
        assert_eq!(names(seconds, "+5"), ["plus_sign"]);
        assert_eq!(names(seconds, "18446744073709551616"), ["above_u64"]);
    }

    #[test]
    fn zeros_caps_and_units() {
        let zero = |lines: &[&[u8]], now| match seconds(lines, now) {
            Outcome::Delay(wait) => Outcome::Delay(wait),
            _ => Outcome::Delay(Duration::ZERO),
        };
        assert_eq!(names(zero, "soon"), ["zero_fallback"]);
        assert_eq!(names(zero, SOON), ["integer_only"]);
        let own = |lines: &[&[u8]], now| match seconds(lines, now) {
            Outcome::Delay(wait) => Outcome::Delay(wait.min(Duration::from_secs(60))),
            _ => Outcome::Delay(Duration::from_secs(5)),
        };
        assert_eq!(names(own, "soon"), Vec::<&str>::new(), "its own wait");
        assert_eq!(names(own, "3600"), ["capped_hint"]);
        assert_eq!(names(own, "60000"), ["capped_hint"], "a thousandth by chance is no other unit");
        assert_eq!(names(own, SOON), ["integer_only"]);
        let milliseconds = |lines: &[&[u8]], now| match seconds(lines, now) {
            Outcome::Delay(wait) => Outcome::Delay(wait / 1000),
            outcome => outcome,
        };
        assert_eq!(names(milliseconds, "120"), ["unit_mismatch"]);
        let long = |lines: &[&[u8]], now| match seconds(lines, now) {
            Outcome::Delay(wait) => Outcome::Delay(wait.saturating_mul(1000)),
            outcome => outcome,
        };
        assert_eq!(names(long, "120"), ["unit_mismatch"]);
        let panics = |lines: &[&[u8]], _| match text(lines).unwrap().parse() {
            Ok(wait) => Outcome::Delay(Duration::from_secs(wait)),
            Err(_) if lines[0] == b"soon" => Outcome::None,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(names(panics, "x"), ["panicking_parse"]);
    }

    #[test]
    fn floats() {
        let float = |lines: &[&[u8]], _| match text(lines).and_then(|text| text.parse::<f64>().ok()) {
            Some(wait) => Outcome::Delay(Duration::from_secs(wait as u64)),
            None => Outcome::None,
        };
        for header in ["1.5", "-5", "NaN", "1e3", "inf"] {
            assert_eq!(names(float, header), ["lenient_number"], "{header}");
        }
    }

    #[test]
    fn dates() {
        fn date(lines: &[&[u8]], now: Now, forms: &[DateForm]) -> Result<Duration, Outcome> {
            let (receipt, _) = inputs::receipt();
            match reference(lines, receipt).value {
                Some(RetryAfter::Delay(seconds)) => Ok(Duration::from_secs(seconds)),
                Some(RetryAfter::Date(date)) if forms.contains(&date.form()) => {
                    let now = Timestamp::from(now.wall);
                    let ahead = date.timestamp().offset_from(now);
                    if ahead.is_behind() { Err(Outcome::Error) } else { Ok(ahead.by()) }
                }
                _ => Err(Outcome::None),
            }
        }
        let one = |lines: &[&[u8]], now| match date(lines, now, &[DateForm::ImfFixdate]) {
            Ok(wait) => Outcome::Delay(wait),
            Err(outcome) => outcome,
        };
        assert_eq!(names(one, SOON), Vec::<&str>::new());
        assert_eq!(names(one, "Mon Nov 30 12:01:30 2026"), ["partial_date"]);
        assert_eq!(names(one, "Sun, 06 Nov 1994 08:49:37 GMT"), ["past_date_error"]);
        let rounded = |lines: &[&[u8]], now| match date(lines, now, &[DateForm::ImfFixdate]) {
            Ok(wait) => Outcome::Delay(Duration::from_secs(wait.as_secs())),
            Err(_) => Outcome::None,
        };
        assert_eq!(names(rounded, SOON), ["rounded_down_hint"]);
        let hour = |lines: &[&[u8]], now| match date(lines, now, &[DateForm::ImfFixdate]) {
            Ok(wait) if text(lines).unwrap().contains(':') => Outcome::Delay(wait + Duration::from_secs(3600)),
            Ok(wait) => Outcome::Delay(wait),
            Err(_) => Outcome::None,
        };
        assert_eq!(names(hour, SOON), ["wrong_instant"]);
        let limited = |lines: &[&[u8]], now| match date(lines, now, &[DateForm::ImfFixdate]) {
            Ok(wait) => Outcome::Delay(wait.min(Duration::from_secs(60))),
            Err(_) => Outcome::None,
        };
        assert_eq!(names(limited, SOON), ["capped_hint"]);
        let dropped = |lines: &[&[u8]], now| match date(lines, now, &[DateForm::ImfFixdate]) {
            Ok(wait) if wait < Duration::from_secs(60) => Outcome::Delay(wait),
            _ => Outcome::None,
        };
        assert_eq!(names(dropped, SOON), ["capped_hint"]);
    }
}
