//! The ten statements of what is right, each by name, with the worked examples.

use std::time::Duration;

use retry_after_core::{
    Basis, Decision, DeferReason, ErrorKind, HttpDate, Jitter, Moment, Offset, Outcome, Part, Reading, Receipt,
    Repeatable, RetryAfter, Schedule, Tense, Timestamp,
};

use crate::{moment, now, seconds};

fn receipt() -> Receipt {
    Receipt::new(moment(1_000), now())
}

fn read<const N: usize>(lines: [&str; N]) -> Reading {
    Reading::new(lines.iter().map(|line| line.as_bytes()), receipt())
}

fn decide(schedule: Schedule, reading: &Reading, elapsed: u64) -> Decision {
    schedule.decide(reading, moment(1_000 + elapsed), Repeatable::Idempotent)
}

/// The wait from now, in seconds; panics on a deferral.
fn wait(schedule: Schedule, reading: &Reading, elapsed: u64) -> Duration {
    match decide(schedule, reading, elapsed) {
        Decision::Wait(wait) => wait.remaining(moment(1_000 + elapsed)),
        Decision::Defer(deferral) => panic!("{deferral}"),
    }
}

/// From when on after receipt, in seconds, and why; panics on a wait.
fn deferred(schedule: Schedule, reading: &Reading, elapsed: u64) -> (Duration, DeferReason) {
    match decide(schedule, reading, elapsed) {
        Decision::Defer(deferral) => (deferral.permitted_after(), deferral.reason()),
        Decision::Wait(wait) => panic!("{wait}"),
    }
}

fn schedule() -> Schedule {
    Schedule::new(seconds(8))
}

fn error(value: &str) -> (ErrorKind, usize) {
    let error = RetryAfter::parse(value.as_bytes(), now()).unwrap_err();
    (error.kind(), error.position())
}

#[test]
fn errors_say_what_and_where() {
    assert_eq!(error(""), (ErrorKind::Empty, 0));
    assert_eq!(error(" \t"), (ErrorKind::Empty, 2));
    assert_eq!(error("-1"), (ErrorKind::Signed, 0));
    assert_eq!(error(" +5"), (ErrorKind::Signed, 1));
    assert_eq!(error("1.5"), (ErrorKind::Fraction, 1));
    assert_eq!(error("120s"), (ErrorKind::NotOnlyDigits, 3));
    assert_eq!(error("\t120, 120"), (ErrorKind::NotOnlyDigits, 4));
    assert_eq!(error("99999999999999999999x"), (ErrorKind::NotOnlyDigits, 20));
    assert_eq!(error("soon"), (ErrorKind::UnknownDayName, 0));
    assert_eq!(error("  sun, 06 Nov 1994 08:49:37 GMT"), (ErrorKind::UnknownDayName, 2));
    assert_eq!(error("Sun"), (ErrorKind::Expected(b','), 3));
    assert_eq!(error("Sunday 06-Nov-94 08:49:37 GMT"), (ErrorKind::Expected(b','), 6));
    assert_eq!(error("Sun,06 Nov 1994 08:49:37 GMT"), (ErrorKind::Expected(b' '), 4));
    assert_eq!(error("Sun, 6 Nov 1994 08:49:37 GMT"), (ErrorKind::ExpectedDigit(Part::Day), 6));
    assert_eq!(error("Sun, 06-Nov-1994 08:49:37 GMT"), (ErrorKind::Expected(b' '), 7));
    assert_eq!(error("Sun, 06 nov 1994 08:49:37 GMT"), (ErrorKind::UnknownMonth, 8));
    assert_eq!(error("Sun, 06 Nov1994 08:49:37 GMT"), (ErrorKind::Expected(b' '), 11));
    assert_eq!(error("Sun, 06 Nov 94 08:49:37 GMT"), (ErrorKind::ExpectedDigit(Part::Year), 14));
    assert_eq!(error("Sun, 06 Nov 1994T08:49:37 GMT"), (ErrorKind::Expected(b' '), 16));
    assert_eq!(error("Sun, 06 Nov 1994 8:49:37 GMT"), (ErrorKind::ExpectedDigit(Part::Hour), 18));
    assert_eq!(error("Sun, 06 Nov 1994 08.49:37 GMT"), (ErrorKind::Expected(b':'), 19));
    assert_eq!(error("Sun, 06 Nov 1994 08:4x:37 GMT"), (ErrorKind::ExpectedDigit(Part::Minute), 21));
    assert_eq!(error("Sun, 06 Nov 1994 08:49 GMT"), (ErrorKind::Expected(b':'), 22));
    assert_eq!(error("Sun, 06 Nov 1994 08:49:3 GMT"), (ErrorKind::ExpectedDigit(Part::Second), 24));
    assert_eq!(error("Sun, 06 Nov 1994 24:49:37 GMT"), (ErrorKind::HourOutOfRange, 17));
    assert_eq!(error("Sun, 06 Nov 1994 08:60:37 GMT"), (ErrorKind::MinuteOutOfRange, 20));
    assert_eq!(error("Sun, 06 Nov 1994 08:49:60 GMT"), (ErrorKind::SecondOutOfRange, 23));
    assert_eq!(error("Sun, 06 Nov 1994 08:49:37"), (ErrorKind::Expected(b' '), 25));
    assert_eq!(error("Sun, 06 Nov 1994 08:49:37 UTC"), (ErrorKind::NotGmt, 26));
    assert_eq!(error("Sun, 06 Nov 1994 08:49:37 GMT+1"), (ErrorKind::TrailingText, 29));
    assert_eq!(error("Sun, 31 Nov 1994 08:49:37 GMT"), (ErrorKind::NoSuchDay, 5));
    assert_eq!(error("Sunday, 06 Nov 1994 08:49:37 GMT"), (ErrorKind::Expected(b'-'), 10));
    assert_eq!(error("Sunday, 31-Nov-94 08:49:37 GMT"), (ErrorKind::NoSuchDay, 8));
    assert_eq!(error("Sunday, 06-Nov+94 08:49:37 GMT"), (ErrorKind::Expected(b'-'), 14));
    assert_eq!(error("Sunday, 06-Nov-1994 08:49:37 GMT"), (ErrorKind::Expected(b' '), 17));
    assert_eq!(error("Sun Nov 6 08:49:37 1994"), (ErrorKind::ExpectedDigit(Part::Day), 9));
    assert_eq!(error("Sun Nov 31 08:49:37 1994"), (ErrorKind::NoSuchDay, 8));
    assert_eq!(error("Sun Nov  6 08:49:37 94"), (ErrorKind::ExpectedDigit(Part::Year), 22));
    assert_eq!(error("Sun Nov  6 08:49:37 1994 GMT"), (ErrorKind::TrailingText, 24));
}

#[test]
fn errors_speak_to_a_person_and_have_a_name_each() {
    let values = [
        "",
        "-1",
        "1.5",
        "120s",
        "soon",
        "Sun,06",
        "Sun, x",
        "Sun, 06 nov",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT+1",
    ];
    let mut names = std::collections::BTreeSet::new();
    let mut texts = std::collections::BTreeSet::new();
    for value in values {
        let error = RetryAfter::parse(value.as_bytes(), now()).unwrap_err();
        let text = error.to_string();
        assert!(text.ends_with(&format!(", at byte {}", error.position())), "{text}");
        assert!(error.kind().name().chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'));
        names.insert(error.kind().name());
        texts.insert(error.kind().to_string());
    }
    assert_eq!((names.len(), texts.len()), (values.len(), values.len()));
    let text = |value: &str| RetryAfter::parse(value.as_bytes(), now()).unwrap_err().to_string();
    assert_eq!(text("Sun, 06 Nov 1994 08.49"), "':' has to stand here, at byte 19");
    assert_eq!(text("Sun,06"), "exactly one blank has to stand here, at byte 4");
    for (start, part) in [
        ("Sun, ", "day of the month"),
        ("Sun, 06 Nov ", "year"),
        ("Sun, 06 Nov 1994 ", "hour"),
        ("Sun, 06 Nov 1994 08:", "minute"),
        ("Sun, 06 Nov 1994 08:49:", "second"),
    ] {
        assert_eq!(
            text(&format!("{start}x")),
            format!("a digit of the {part} has to stand here, at byte {}", start.len())
        );
    }
    let _: &dyn std::error::Error = &RetryAfter::parse(b"", now()).unwrap_err();
}

#[test]
fn statement_1_a_day_name_that_does_not_fit_is_accepted_and_noted() {
    for (value, fits) in [
        ("Sun, 06 Nov 1994 08:49:37 GMT", true),
        ("Mon, 06 Nov 1994 08:49:37 GMT", false),
        ("Sunday, 06-Nov-94 08:49:37 GMT", true),
        ("Tuesday, 06-Nov-94 08:49:37 GMT", false),
        ("Sun Nov  6 08:49:37 1994", true),
        ("Sat Nov 06 08:49:37 1994", false),
    ] {
        let date = HttpDate::parse(value.as_bytes(), now()).unwrap();
        assert_eq!(date.timestamp().unix_seconds(), 784_111_777);
        assert_eq!(date.day_name_fits(), fits, "{value}");
    }
}

#[test]
fn statement_1_a_leap_second_is_the_next_second() {
    for value in ["Sat, 31 Dec 2016 23:59:60 GMT", "Saturday, 31-Dec-16 23:59:60 GMT", "Sat Dec 31 23:59:60 2016"] {
        let date = HttpDate::parse(value.as_bytes(), now()).unwrap();
        assert_eq!(date.timestamp().unix_seconds(), 1_483_228_800);
        assert!(date.is_leap_second() && date.day_name_fits());
        assert_eq!(date.to_string(), "Sat, 31 Dec 2016 23:59:60 GMT");
    }
    assert!(!HttpDate::parse(b"Sat, 31 Dec 2016 23:59:59 GMT", now()).unwrap().is_leap_second());
}

#[test]
fn statement_1_the_century_of_a_two_digit_year_follows_the_server_if_its_date_is_there() {
    // The local clock was never set.
    let unset = Receipt::new(moment(0), Timestamp::from_unix(0));
    let line = b"Monday, 30-Nov-26 10:32:00 GMT".as_slice();
    let informed = unset.with_date(b"Mon, 30 Nov 2026 10:30:00 GMT", []);
    assert_eq!(Reading::new([line], informed).hint().unwrap().delay(), seconds(120));
    // By the local clock alone 26 means 1926, 50 years being the most.
    assert_eq!(Reading::new([line], unset).hint().unwrap().delay(), Duration::ZERO);
}

#[test]
fn statement_1_blanks_around_a_value_are_no_part_of_it() {
    for value in ["120", " 120", "120 ", "\t 120 \t"] {
        assert_eq!(RetryAfter::parse(value.as_bytes(), now()), Ok(RetryAfter::Delay(120)));
    }
    for value in ["\n120", "120\r", "\u{a0}120", "1 20", "120\u{b}"] {
        assert!(RetryAfter::parse(value.as_bytes(), now()).is_err(), "{value:?}");
    }
}

#[test]
fn statement_2_malformed_equals_absent() {
    for value in ["", "-1", "soon", "120s", "1.5", "+5", "Sun, 06 Nov 1994 08:49:37", "0x0"] {
        let reading = read([value]);
        assert_eq!(reading.hint(), None);
        assert!(matches!(reading.outcome(), Outcome::Malformed(_)));
        assert_eq!(wait(schedule(), &reading, 0), seconds(8));
        assert_eq!(reading.value(), None);
    }
    assert_eq!(read([]).outcome(), Outcome::Absent);
    assert_eq!(wait(schedule(), &read([]), 0), seconds(8));
}

#[test]
fn statement_2_a_number_too_large_saturates() {
    let largest = u64::MAX.to_string();
    for value in ["18446744073709551616", "99999999999999999999", "9999999999999999999999999999999999999999", &largest]
    {
        assert_eq!(RetryAfter::parse(value.as_bytes(), now()), Ok(RetryAfter::Delay(u64::MAX)));
        assert_eq!(read([value]).hint().unwrap().delay(), Duration::MAX);
    }
    assert_eq!(RetryAfter::parse(b"18446744073709551614", now()), Ok(RetryAfter::Delay(u64::MAX - 1)));
    assert_eq!(read(["18446744073709551614"]).hint().unwrap().delay(), seconds(u64::MAX - 1));
    assert_eq!(RetryAfter::parse(b"0000000000000000000000000000000120", now()), Ok(RetryAfter::Delay(120)));
    assert_eq!(RetryAfter::parse(b"9999999999999999999", now()), Ok(RetryAfter::Delay(9_999_999_999_999_999_999)));
    assert_eq!(RetryAfter::parse(b"10000000000000000000", now()), Ok(RetryAfter::Delay(10_000_000_000_000_000_000)));
}

#[test]
fn statement_3_the_client_whose_clock_is_five_minutes_slow() {
    let receipt = receipt().with_date(b"Mon, 30 Nov 2026 10:35:00 GMT", []);
    let reading = Reading::new([b"Mon, 30 Nov 2026 10:36:30 GMT".as_slice()], receipt);
    let hint = reading.hint().unwrap();
    assert_eq!(hint.delay(), seconds(90));
    assert_eq!(hint.basis(), Basis::ServerDate);
    assert_eq!(hint.tense(), Tense::Future);
    let skew = hint.skew().unwrap();
    assert!(!skew.is_behind());
    assert_eq!(skew.by(), seconds(300));
    assert_eq!(
        decide(schedule(), &reading, 0).to_string(),
        "wait until 90 s after receipt (hint 90 s from receipt, a date compared with the response's own Date and Age; the \
         server's clock is 300 s ahead of the local one; own backoff 8 s)"
    );
}

#[test]
fn statement_3_the_client_whose_clock_is_five_minutes_fast() {
    let receipt = receipt().with_date(b"Mon, 30 Nov 2026 10:25:00 GMT", []);
    let reading = Reading::new([b"Mon, 30 Nov 2026 10:26:30 GMT".as_slice()], receipt);
    let hint = reading.hint().unwrap();
    assert_eq!(hint.delay(), seconds(90));
    assert_eq!(hint.ahead_of_local(), Some((true, seconds(300))));
    assert!(decide(schedule(), &reading, 0).to_string().contains("the server's clock is 300 s behind the local one"));
}

trait Skewed {
    fn ahead_of_local(&self) -> Option<(bool, Duration)>;
}

impl Skewed for retry_after_core::Hint {
    fn ahead_of_local(&self) -> Option<(bool, Duration)> {
        self.skew().map(|skew| (skew.is_behind(), skew.by()))
    }
}

#[test]
fn statement_3_without_a_date_the_local_clock_at_receipt_counts() {
    for date in [None, Some("yesterday")] {
        let receipt = match date {
            Some(date) => receipt().with_date(date.as_bytes(), [b"5".as_slice()]),
            None => receipt(),
        };
        let hint = Reading::new([b"Mon, 30 Nov 2026 10:31:30 GMT".as_slice()], receipt).hint().unwrap();
        assert_eq!(hint.delay(), seconds(90));
        assert_eq!(hint.basis(), Basis::LocalClock);
        assert_eq!(hint.skew(), None);
    }
    // Part of a second of the local clock is not lost.
    let receipt = Receipt::new(moment(0), Timestamp::new(crate::NOW, 250_000_000));
    let hint = Reading::new([b"Mon, 30 Nov 2026 10:31:30 GMT".as_slice()], receipt).hint().unwrap();
    assert_eq!(hint.delay(), Duration::from_millis(89_750));
}

#[test]
fn statement_3_age_is_added_and_the_longer_wait_counts() {
    let cases: [(&[&str], u64); 16] = [
        (&[], 0),
        (&["30"], 30),
        (&[" 30 "], 30),
        (&["30", "10"], 10),
        (&["10", "30"], 10),
        (&["30, 10"], 10),
        (&["30,"], 30),
        (&[""], 0),
        (&["-5"], 0),
        (&["1.5"], 0),
        (&["soon", "20"], 20),
        (&["99999999999999999999"], 0),
        (&["99999999999999999999", "7"], 7),
        (&["2147483648"], 0),
        (&["2147483647"], 2_147_483_647),
        (&["0", "50"], 0),
    ];
    for (ages, counts) in cases {
        let receipt = receipt().with_date(b"Mon, 30 Nov 2026 10:30:00 GMT", ages.iter().map(|age| age.as_bytes()));
        assert_eq!(receipt.server_time(), Some(Timestamp::from_unix(crate::NOW + counts as i64)), "{ages:?}");
        let hint = Reading::new([b"Mon, 30 Nov 2026 10:31:00 GMT".as_slice()], receipt).hint().unwrap();
        assert_eq!(hint.delay(), seconds(60_u64.saturating_sub(counts)), "{ages:?}");
    }
}

#[test]
fn statement_3_a_past_date_is_a_hint_of_zero_and_stays_distinguishable() {
    let reading = read(["Mon, 30 Nov 2026 09:30:00 GMT"]);
    let hint = reading.hint().unwrap();
    assert_eq!(hint.delay(), Duration::ZERO);
    assert_eq!(hint.tense(), Tense::Past { ago: seconds(3_600) });
    assert_eq!(wait(schedule(), &reading, 0), seconds(8));
    assert_eq!(read(["Mon, 30 Nov 2026 10:30:00 GMT"]).hint().unwrap().tense(), Tense::Past { ago: Duration::ZERO });
    assert_eq!(read(["Mon, 30 Nov 2026 10:30:01 GMT"]).hint().unwrap().tense(), Tense::Future);
    assert_eq!(read(["0"]).hint().unwrap().tense(), Tense::Delay);
}

#[test]
fn statement_3_a_hint_keeps_its_receipt() {
    let reading = read(["30"]);
    assert_eq!(reading.receipt(), &receipt());
    assert_eq!(reading.hint().unwrap().receipt().moment(), moment(1_000));
    assert_eq!(reading.hint().unwrap().receipt().wall(), now());
    let Decision::Wait(wait) = decide(schedule(), &reading, 0) else { panic!() };
    assert_eq!((wait.receipt(), wait.bound(), wait.jitter()), (moment(1_000), seconds(30), Duration::ZERO));
    assert_eq!(wait.hint(), reading.hint());
}

#[test]
fn statement_4_time_already_gone_by_counts() {
    let reading = read(["30"]);
    for (elapsed, remaining) in [(0, 30), (3, 27), (29, 1), (30, 0), (40, 0)] {
        assert_eq!(wait(schedule(), &reading, elapsed), seconds(remaining));
    }
    // A clock that shows less than at receipt does not shorten the wait.
    let Decision::Wait(wait) = schedule().decide(&reading, moment(990), Repeatable::CallerAccepts) else { panic!() };
    assert_eq!(wait.remaining(moment(990)), seconds(40));
}

#[test]
fn statement_5_the_longer_of_hint_and_backoff_and_no_immediate_retry() {
    assert_eq!(wait(schedule(), &read(["1"]), 0), seconds(8));
    assert_eq!(wait(schedule(), &read(["8"]), 0), seconds(8));
    assert_eq!(wait(schedule(), &read(["9"]), 0), seconds(9));
    assert_eq!(wait(schedule(), &read(["0"]), 0), seconds(8));
    assert_eq!(wait(Schedule::new(Duration::ZERO), &read(["0"]), 0), Duration::ZERO);
}

#[test]
fn statement_5_jitter_only_adds() {
    let reading = read(["30"]);
    for (draw, added) in [(0, 0), (u64::MAX / 4 + 1, 1), (u64::MAX / 2 + 1, 2), (1 << 33, 0)] {
        let jittered = wait(schedule().with_jitter(Jitter::new(seconds(4), draw)), &reading, 0);
        assert!(jittered >= seconds(30 + added) && jittered < seconds(31 + added), "{jittered:?}");
    }
    assert_eq!(Jitter::new(Duration::MAX, u64::MAX).amount().as_secs(), u64::MAX - (1 << 32));
    let jitter = Jitter::new(Duration::from_nanos(1 << 33), 3 << 32).amount();
    assert_eq!(jitter, Duration::from_nanos(6));
}

#[test]
fn statement_6_the_server_asks_for_30_own_backoff_is_8_and_12_remain() {
    let schedule = schedule().with_deadline(seconds(12));
    let reading = read(["30"]);
    assert_eq!(deferred(schedule, &reading, 0), (seconds(30), DeferReason::Deadline));
    let Decision::Defer(deferral) = decide(schedule, &reading, 0) else { panic!() };
    assert_eq!(deferral.permitted_at(), moment(1_030));
    assert_eq!(deferral.receipt(), moment(1_000));
    assert_eq!(deferral.hint(), reading.hint());
    assert_eq!(
        deferral.to_string(),
        "defer, permitted 30 s after receipt: no retry can start before the deadline of 12 s (hint 30 s from receipt, a \
         delay; own backoff 8 s)"
    );
}

#[test]
fn statement_6_a_limit_defers_and_never_shortens() {
    let schedule = schedule().with_limit(seconds(60));
    assert_eq!(wait(schedule, &read(["59"]), 0), seconds(59));
    assert_eq!(wait(schedule, &read(["60"]), 0), seconds(60));
    assert_eq!(deferred(schedule, &read(["61"]), 0), (seconds(61), DeferReason::Limit));
    assert_eq!(deferred(schedule, &read(["99999999999999999999"]), 0), (Duration::MAX, DeferReason::Limit));
    assert_eq!(
        decide(schedule, &read(["61"]), 0).to_string(),
        "defer, permitted 61 s after receipt: the hint is above the limit of 60 s (hint 61 s from receipt, a delay; own \
         backoff 8 s)"
    );
    // It limits hints, not the own backoff, which still counts for when it is permitted.
    let patient = Schedule::new(seconds(100)).with_limit(seconds(60));
    assert_eq!(wait(patient, &read(["1"]), 0), seconds(100));
    assert_eq!(wait(patient, &read([]), 0), seconds(100));
    assert_eq!(deferred(patient, &read(["70"]), 0), (seconds(100), DeferReason::Limit));
}

#[test]
fn statement_6_a_retry_starts_strictly_before_the_deadline() {
    let schedule = schedule().with_deadline(seconds(12));
    assert_eq!(wait(schedule, &read(["11"]), 0), seconds(11));
    assert_eq!(deferred(schedule, &read(["12"]), 0), (seconds(12), DeferReason::Deadline));
    // The bound is over, but so is the time.
    assert_eq!(wait(schedule, &read(["1"]), 11), Duration::ZERO);
    assert_eq!(deferred(schedule, &read(["1"]), 12), (seconds(8), DeferReason::Deadline));
    assert_eq!(deferred(schedule, &read([]), 12), (seconds(8), DeferReason::Deadline));
    assert_eq!(deferred(schedule.with_limit(seconds(20)), &read(["21"]), 0), (seconds(21), DeferReason::Limit));
    assert_eq!(deferred(schedule.with_limit(seconds(20)), &read(["20"]), 0), (seconds(20), DeferReason::Deadline));
}

#[test]
fn statement_6_jitter_gives_way_to_the_deadline() {
    for draw in [0, 1 << 40, u64::MAX / 2, u64::MAX] {
        let jitter = Jitter::new(seconds(10), draw);
        let jittered = wait(schedule().with_deadline(seconds(12)).with_jitter(jitter), &read(["11"]), 0);
        assert!(jittered >= seconds(11) && jittered < seconds(12), "{jittered:?}");
    }
    // One nanosecond of room leaves no jitter at all.
    let tight = schedule().with_deadline(Duration::new(11, 1)).with_jitter(Jitter::new(seconds(10), u64::MAX));
    assert_eq!(wait(tight, &read(["11"]), 0), seconds(11));
    // The draw spreads over the room there is, so that not everybody comes back just before the deadline.
    let half = Jitter::new(seconds(10), u64::MAX / 2 + 1);
    assert_eq!(wait(schedule().with_deadline(seconds(12)).with_jitter(half), &read(["10"]), 0), seconds(11));
    let shown = decide(schedule().with_deadline(seconds(12)).with_jitter(half), &read(["10"]), 0).to_string();
    assert!(shown.starts_with("wait until 11 s after receipt, of which jitter adds 1 s ("), "{shown}");
}

#[test]
fn statement_9_the_longest_valid_line_binds_and_a_conflict_is_visible() {
    let date = "Mon, 30 Nov 2026 10:31:30 GMT";
    let cases: [(&[&str], Option<u64>, usize, bool); 12] = [
        (&["30", "30"], Some(30), 0, false),
        (&["30", " 30\t"], Some(30), 0, false),
        (&["30", "120"], Some(120), 1, true),
        (&["120", "30"], Some(120), 0, true),
        (&["30", date], Some(90), 1, true),
        (&["300", date], Some(300), 0, true),
        (&["90", date], Some(90), 0, true),
        (&["soon", "30"], Some(30), 1, true),
        (&["30", "soon"], Some(30), 0, true),
        (&["soon", "later"], None, 0, true),
        (&["soon", "soon"], None, 0, false),
        (&["0", "soon", "30", "5", "30"], Some(30), 2, true),
    ];
    for (lines, hint, line, conflict) in cases {
        let reading = Reading::new(lines.iter().map(|line| line.as_bytes()), receipt());
        assert_eq!(reading.hint().map(|hint| hint.delay()), hint.map(seconds), "{lines:?}");
        assert_eq!((reading.line(), reading.is_conflict()), (line, conflict), "{lines:?}");
        assert_eq!(reading.value().is_some(), hint.is_some());
    }
    // The error is that of the first line.
    assert_eq!(read(["-1", "1.5"]).outcome(), read(["-1"]).outcome());
}

#[test]
fn statement_10_a_server_sends_whole_seconds_rounded_up() {
    for (wait, sent) in [
        (Duration::ZERO, "0"),
        (Duration::from_nanos(1), "1"),
        (Duration::from_millis(1_500), "2"),
        (seconds(120), "120"),
        (Duration::MAX, "18446744073709551615"),
    ] {
        let text = RetryAfter::from_duration(wait).to_string();
        assert_eq!(text, sent);
        let reading = read([&text]);
        assert!(reading.hint().unwrap().delay() >= wait);
    }
}

#[test]
fn a_value_displays_as_what_would_be_sent() {
    let date = RetryAfter::parse(b"Sunday, 06-Nov-94 08:49:37 GMT", now()).unwrap();
    assert_eq!(date.to_string(), "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(RetryAfter::Delay(120).to_string(), "120");
}

#[test]
fn a_decision_displays_its_grounds() {
    let shown = |lines: &[&str]| {
        let reading = Reading::new(lines.iter().map(|line| line.as_bytes()), receipt());
        decide(Schedule::new(Duration::from_millis(1_050)), &reading, 0).to_string()
    };
    assert_eq!(shown(&[]), "wait until 1.05 s after receipt (no hint; own backoff 1.05 s)");
    assert_eq!(
        shown(&["soon"]),
        "wait until 1.05 s after receipt (no hint, the value is malformed: neither digits nor a day name; it has to be whole \
         seconds such as 120, or a date such as \"Sun, 06 Nov 1994 08:49:37 GMT\", at byte 0; own backoff 1.05 s)"
    );
    assert_eq!(
        shown(&["Mon, 30 Nov 2026 10:29:00 GMT"]),
        "wait until 1.05 s after receipt (hint 0 s, a date that was past by 60 s, compared with the local clock; own \
         backoff 1.05 s)"
    );
    assert_eq!(Basis::Receipt.to_string(), "the receipt");
    // No skew, no words on it.
    let exact = receipt().with_date(b"Mon, 30 Nov 2026 10:30:00 GMT", []);
    let hint = Reading::new([b"30".as_slice()], exact).hint().unwrap();
    assert_eq!(hint.to_string(), "30 s from receipt, a delay");
}

fn parts(offset: Offset) -> (bool, Duration) {
    (offset.is_behind(), offset.by())
}

#[test]
fn timestamps_saturate_and_subtract_exactly() {
    let last = Timestamp::new(i64::MAX, 999_999_999);
    let first = Timestamp::from_unix(i64::MIN);
    assert_eq!(last.saturating_add(seconds(1)).unix_seconds(), i64::MAX);
    assert_eq!(first.saturating_add(seconds(u64::MAX)), Timestamp::from_unix(i64::MAX));
    assert_eq!(first.saturating_add(seconds(u64::MAX - 1)), Timestamp::from_unix(i64::MAX - 1));
    assert_eq!(now().saturating_add(Duration::MAX).unix_seconds(), i64::MAX);
    assert_eq!(Timestamp::from_unix(0).saturating_add(seconds(7)), Timestamp::from_unix(7));
    assert_eq!(
        Timestamp::new(5, 600_000_000).saturating_add(Duration::from_millis(500)),
        Timestamp::new(6, 100_000_000)
    );

    assert_eq!(parts(last.offset_from(first)), (false, Duration::new(u64::MAX, 999_999_999)));
    assert_eq!(parts(first.offset_from(last)), (true, Duration::new(u64::MAX, 999_999_999)));
    assert_eq!(parts(now().offset_from(now())), (false, Duration::ZERO));
    let (early, late) = (Timestamp::new(1, 900_000_000), Timestamp::new(3, 100_000_000));
    assert_eq!(parts(late.offset_from(early)), (false, Duration::from_millis(1_200)));
    assert_eq!(parts(early.offset_from(late)), (true, Duration::from_millis(1_200)));
    let (early, late) = (Timestamp::new(1, 100_000_000), Timestamp::new(1, 900_000_000));
    assert_eq!(parts(late.offset_from(early)), (false, Duration::from_millis(800)));
    assert_eq!(late.offset_from(early).ahead_or_zero(), Duration::from_millis(800));
    assert_eq!(early.offset_from(late).ahead_or_zero(), Duration::ZERO);
    assert_eq!(Timestamp::new(7, 1_000_000_000).subsecond_nanoseconds(), 999_999_999);
    assert_eq!(Timestamp::new(7, 999_999_999).subsecond_nanoseconds(), 999_999_999);
    assert_eq!(Timestamp::new(7, 5).subsecond_nanoseconds(), 5);
}

#[test]
fn the_system_time_becomes_a_timestamp_before_1970_too() {
    use std::time::UNIX_EPOCH;
    assert_eq!(Timestamp::from(UNIX_EPOCH), Timestamp::from_unix(0));
    assert_eq!(Timestamp::from(UNIX_EPOCH + Duration::from_millis(1_500)), Timestamp::new(1, 500_000_000));
    assert_eq!(Timestamp::from(UNIX_EPOCH - seconds(2)), Timestamp::from_unix(-2));
    assert_eq!(Timestamp::from(UNIX_EPOCH - Duration::from_millis(1_500)), Timestamp::new(-2, 500_000_000));
}

#[test]
fn moments_saturate() {
    assert_eq!(moment(5).saturating_add(Duration::MAX), Moment::from_origin(Duration::MAX));
    assert_eq!(moment(5).saturating_since(moment(7)), Duration::ZERO);
    assert_eq!(moment(7).saturating_since(moment(5)), seconds(2));
    assert_eq!(moment(7).since_origin(), seconds(7));
}
