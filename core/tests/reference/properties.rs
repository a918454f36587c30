//! The statements as properties, over generated inputs that are the same in every run.

use std::time::Duration;

use retry_after_core::{
    Decision, DeferReason, ErrorKind, HttpDate, Jitter, Moment, Reading, Receipt, Repeatable, RetryAfter, Schedule,
    Timestamp,
};

use crate::random::Random;

const RUNS: u32 = if cfg!(miri) { 20 } else { 50_000 };

/// A value near the grammar: valid ones, valid ones with a few bytes changed, and noise.
fn value(random: &mut Random, around: i64) -> Vec<u8> {
    let mut value = match random.below(8) {
        0..=2 => (random.next() >> random.below(64)).to_string().into_bytes(),
        3 => std::iter::repeat_with(|| b'0' + random.below(10) as u8).take(25).collect(),
        4..=6 => date(random, around).into_bytes(),
        _ => {
            let length = random.below(40);
            (0..length).map(|_| b"0123456789 ,:-GMTSunovMday\t\x80\xff"[random.below(29) as usize]).collect()
        }
    };
    if random.one_in(3) {
        for _ in 0..=random.below(2) {
            if !value.is_empty() {
                let position = random.below(value.len() as u64) as usize;
                value[position] = random.next() as u8;
            }
        }
    }
    value
}

fn date(random: &mut Random, around: i64) -> String {
    let spread = 1 << random.below(36);
    let unix = around.saturating_add(random.below(spread) as i64 - spread as i64 / 2);
    let unix = unix.clamp(-62_167_219_200, 253_402_300_799);
    let fixdate = HttpDate::from_unix(unix).unwrap().to_string();
    three_forms(&fixdate)[random.below(3) as usize].clone()
}

/// The other forms of an IMF-fixdate, by moving its text about.
fn three_forms(fixdate: &str) -> [String; 3] {
    let (name, day, month, year, time) =
        (&fixdate[..3], &fixdate[5..7], &fixdate[8..11], &fixdate[12..16], &fixdate[17..25]);
    let long = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let long = long.iter().find(|long| long.starts_with(name)).unwrap();
    let blank_day = if let Some(digit) = day.strip_prefix('0') { format!(" {digit}") } else { day.to_owned() };
    [
        fixdate.to_owned(),
        format!("{long}, {day}-{month}-{} {time} GMT", &year[2..]),
        format!("{name} {month} {blank_day} {time} {year}"),
    ]
}

struct Case {
    receipt: Receipt,
    lines: Vec<Vec<u8>>,
    schedule: Schedule,
    backoff: Duration,
    limit: Option<Duration>,
    deadline: Option<Duration>,
    now: Moment,
}

fn case(random: &mut Random) -> Case {
    let wall = if random.one_in(8) { random.next() as i64 } else { crate::NOW + random.below(1 << 30) as i64 };
    let start = Moment::from_origin(random.duration());
    let mut receipt = Receipt::new(start, Timestamp::new(wall, random.below(1 << 32) as u32));
    if random.one_in(2) {
        let date = date(random, wall);
        let ages: Vec<_> = (0..random.below(3)).map(|_| value(random, wall)).collect();
        receipt = receipt.with_date(date.as_bytes(), ages.iter().map(Vec::as_slice));
    }
    let lines = (0..random.below(4)).map(|_| value(random, wall)).collect();
    let backoff = random.duration();
    let limit = random.sometimes(Random::duration);
    let deadline = random.sometimes(Random::duration);
    let mut schedule = Schedule::new(backoff).with_jitter(Jitter::new(random.duration(), random.next()));
    if let Some(limit) = limit {
        schedule = schedule.with_limit(limit);
    }
    if let Some(deadline) = deadline {
        schedule = schedule.with_deadline(deadline);
    }
    let now =
        if random.one_in(8) { Moment::from_origin(random.duration()) } else { start.saturating_add(random.duration()) };
    Case { receipt, lines, schedule, backoff, limit, deadline, now }
}

impl Case {
    fn reading(&self) -> Reading {
        Reading::new(self.lines.iter().map(Vec::as_slice), self.receipt)
    }

    fn decide(&self, reading: &Reading) -> Decision {
        self.schedule.decide(reading, self.now, Repeatable::Idempotent)
    }
}

#[test]
fn a_decision_keeps_all_statements() {
    let mut random = Random::new(2);
    let mut seen = [0_u32; 3];
    for _ in 0..RUNS {
        let case = case(&mut random);
        let reading = case.reading();
        let hint = reading.hint().map(|hint| hint.delay());
        let bound = hint.unwrap_or_default().max(case.backoff);
        let elapsed = case.now.saturating_since(case.receipt.moment());
        let over_limit = case.limit.map_or(false, |limit| hint.map_or(false, |hint| hint > limit));
        let over_deadline = case.deadline.map_or(false, |deadline| bound >= deadline || elapsed >= deadline);
        match case.decide(&reading) {
            Decision::Wait(wait) => {
                seen[0] += 1;
                assert!(!over_limit && !over_deadline);
                assert_eq!(wait.bound(), bound);
                assert!(wait.from_receipt() >= bound);
                if let Some(deadline) = case.deadline {
                    assert!(wait.from_receipt() < deadline);
                }
                // What is left, after what went by, is never less than all of it.
                assert!(wait.remaining(case.now).saturating_add(elapsed) >= wait.from_receipt());
            }
            Decision::Defer(deferral) => {
                seen[if over_limit { 1 } else { 2 }] += 1;
                assert_eq!(deferral.permitted_after(), bound);
                assert_eq!(deferral.reason(), if over_limit { DeferReason::Limit } else { DeferReason::Deadline });
                assert!(over_limit || over_deadline);
            }
        }
    }
    assert!(seen.iter().all(|&count| count > RUNS / 50 || cfg!(miri)), "{seen:?}");
}

#[test]
fn malformed_lines_change_nothing() {
    let mut random = Random::new(3);
    for _ in 0..RUNS {
        let mut case = case(&mut random);
        let with = case.decide(&case.reading());
        case.lines
            .retain(|line| RetryAfter::parse(line, case.receipt.server_time().unwrap_or(case.receipt.wall())).is_ok());
        match (with, case.decide(&case.reading())) {
            (Decision::Wait(with), Decision::Wait(without)) => {
                assert_eq!((with.bound(), with.jitter()), (without.bound(), without.jitter()));
            }
            (Decision::Defer(with), Decision::Defer(without)) => {
                assert_eq!((with.permitted_at(), with.reason()), (without.permitted_at(), without.reason()));
            }
            (with, without) => panic!("{with}, but {without}"),
        }
    }
}

#[test]
fn a_larger_hint_never_shortens_the_wait() {
    let mut random = Random::new(4);
    for _ in 0..RUNS {
        let mut case = case(&mut random);
        let small = random.next() >> random.below(64);
        let large = small.saturating_add(random.next() >> random.below(64));
        let mut start = |seconds: u64| {
            case.lines = vec![seconds.to_string().into_bytes()];
            match case.decide(&case.reading()) {
                Decision::Wait(wait) => (wait.bound(), true),
                Decision::Defer(deferral) => (deferral.permitted_after(), false),
            }
        };
        let (small_bound, small_waits) = start(small);
        let (large_bound, large_waits) = start(large);
        assert!(large_bound >= small_bound);
        // What was too long to wait for does not become short enough by growing.
        assert!(small_waits || !large_waits);
    }
}

#[test]
fn the_three_forms_of_one_instant_agree() {
    let mut random = Random::new(5);
    for _ in 0..RUNS {
        let unix = crate::NOW + random.below(49 * 31_556_952) as i64;
        let forms = three_forms(&HttpDate::from_unix(unix).unwrap().to_string());
        for form in forms {
            let date = HttpDate::parse(form.as_bytes(), crate::now()).unwrap();
            assert_eq!(date.timestamp().unix_seconds(), unix, "{form}");
        }
    }
}

#[test]
fn with_a_date_the_local_clock_changes_nothing() {
    let mut random = Random::new(6);
    for _ in 0..RUNS {
        let date = HttpDate::from_unix(crate::NOW + random.below(1 << 30) as i64).unwrap().to_string();
        let line = value(&mut random, crate::NOW);
        let hint = |wall: i64| {
            let receipt = Receipt::new(Moment::default(), Timestamp::from_unix(wall)).with_date(date.as_bytes(), []);
            let hint = Reading::new([line.as_slice()], receipt).hint();
            hint.map(|hint| (hint.delay(), hint.basis(), hint.tense()))
        };
        assert_eq!(hint(crate::NOW), hint(random.next() as i64));
    }
}

#[test]
fn written_and_read_back_is_at_least_the_original() {
    let mut random = Random::new(7);
    for _ in 0..RUNS {
        let wait = random.duration();
        let text = RetryAfter::from_duration(wait).to_string();
        let receipt = Receipt::new(Moment::default(), crate::now());
        let delay = Reading::new([text.as_bytes()], receipt).hint().unwrap().delay();
        assert!(delay >= wait);
        assert!(delay.saturating_sub(wait) < Duration::from_secs(1) || text == u64::MAX.to_string());
    }
}

#[test]
fn the_same_bytes_with_blanks_around_them_are_the_same_value() {
    let mut random = Random::new(8);
    for _ in 0..RUNS {
        let line = value(&mut random, crate::NOW);
        let plain = RetryAfter::parse(&line, crate::now());
        let padded = [b" \t", line.as_slice(), b"\t "].concat();
        let padded = RetryAfter::parse(&padded, crate::now());
        assert_eq!(plain.ok(), padded.ok());
        // The position counts the blanks, and lies in the value or at its end.
        if let (Err(plain), Err(padded)) = (plain, padded) {
            assert!(plain.position() <= line.len());
            assert_eq!(plain.kind(), padded.kind());
            if plain.kind() != ErrorKind::Empty {
                assert_eq!(plain.position() + 2, padded.position());
            }
        }
    }
}

#[test]
fn a_number_is_a_delay_if_and_only_if_it_is_digits() {
    let mut random = Random::new(9);
    for _ in 0..RUNS {
        let length = 1 + random.below(24);
        let line: Vec<u8> = (0..length)
            .map(|_| if random.one_in(60) { random.next() as u8 } else { b'0' + random.below(10) as u8 })
            .collect();
        let trimmed = String::from_utf8_lossy(&line).trim_matches(|blank| blank == ' ' || blank == '\t').to_owned();
        let expected = if !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
            Some(RetryAfter::Delay(trimmed.parse().unwrap_or(u64::MAX)))
        } else {
            None
        };
        assert_eq!(RetryAfter::parse(&line, crate::now()).ok(), expected, "{line:?}");
    }
}
