//! The whole calendar, against one that only counts: a day on, a month on at the end of its days, a year on after twelve.

use retry_after_core::{DateForm, HttpDate, Timestamp};

use crate::random::Random;

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [(&str, u32); 12] = [
    ("Jan", 31),
    ("Feb", 28),
    ("Mar", 31),
    ("Apr", 30),
    ("May", 31),
    ("Jun", 30),
    ("Jul", 31),
    ("Aug", 31),
    ("Sep", 30),
    ("Oct", 31),
    ("Nov", 30),
    ("Dec", 31),
];

/// How far apart the days are that are looked at: all of them, but under an interpreter only some, of few years.
const STEP: usize = if cfg!(miri) { 23 } else { 1 };

#[derive(Clone, Copy)]
struct Day {
    year: u32,
    month: usize,
    day: u32,
    day_of_week: usize,
    /// The second it begins with, since 1970.
    unix: i64,
}

/// All days of the years 0 to 9999, or of three years for an interpreter.
fn all_days() -> impl Iterator<Item = Day> {
    // The first of January of the year 0 is a Saturday: that of 2000 is one, and 400 years are whole weeks.
    let first = Day { year: 0, month: 0, day: 1, day_of_week: 5, unix: -62_167_219_200 };
    let first = if cfg!(miri) { Day { year: 2023, day_of_week: 6, unix: 1_672_531_200, ..first } } else { first };
    let end = if cfg!(miri) { 2026 } else { 10_000 };
    std::iter::successors(Some(first), move |day| {
        let mut next =
            Day { day: day.day + 1, day_of_week: (day.day_of_week + 1) % 7, unix: day.unix + 86_400, ..*day };
        let leap = (next.year % 4 == 0 && next.year % 100 != 0) || next.year % 400 == 0;
        if next.day > MONTHS[next.month].1 + u32::from(next.month == 1 && leap) {
            next.day = 1;
            next.month += 1;
        }
        if next.month == 12 {
            next.month = 0;
            next.year += 1;
        }
        (next.year < end).then_some(next)
    })
}

/// All numbers of two digits, one after the other: a table is what makes eight million texts quick to write.
fn two_digits(number: u32) -> &'static str {
    const TABLE: &str = "\
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    &TABLE[number as usize * 2..][..2]
}

impl Day {
    fn imf_fixdate(&self, time: &str) -> String {
        let (century, year) = (two_digits(self.year / 100), two_digits(self.year % 100));
        let (name, month) = (&DAYS[self.day_of_week][..3], MONTHS[self.month].0);
        [name, ", ", two_digits(self.day), " ", month, " ", century, year, " ", time, " GMT"].concat()
    }

    fn rfc850(&self, time: &str) -> String {
        let (name, month) = (DAYS[self.day_of_week], MONTHS[self.month].0);
        [name, ", ", two_digits(self.day), "-", month, "-", two_digits(self.year % 100), " ", time, " GMT"].concat()
    }

    fn asctime(&self, time: &str) -> String {
        let (century, year) = (two_digits(self.year / 100), two_digits(self.year % 100));
        let (name, month) = (&DAYS[self.day_of_week][..3], MONTHS[self.month].0);
        let (blank, day) = if self.day < 10 { (" ", &two_digits(self.day)[1..]) } else { ("", two_digits(self.day)) };
        [name, " ", month, " ", blank, day, " ", time, " ", century, year].concat()
    }
}

fn parse(text: &str, now: i64) -> HttpDate {
    HttpDate::parse(text.as_bytes(), Timestamp::from_unix(now)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// How many days `every_day_of_all_years` looks at.
const DAY_COUNT: usize = if cfg!(miri) { 48 } else { 3_652_425 };

// Two tests, so that they run side by side.
#[test]
fn every_day_of_all_years_as_imf_fixdate() {
    let mut count = 0;
    for day in all_days().step_by(STEP) {
        let fixdate = day.imf_fixdate("08:49:37");
        let date = parse(&fixdate, 0);
        assert_eq!(date.timestamp().unix_seconds(), day.unix + 31_777, "{fixdate}");
        assert!(date.day_name_fits(), "{fixdate}");
        assert_eq!(date.form(), DateForm::ImfFixdate);
        // Writing costs the most by far, and the ends of the months are where it can go wrong.
        if day.day == 1 || day.day >= 28 {
            assert_eq!(date.to_string(), fixdate);
        }
        count += 1;
    }
    assert_eq!(count, DAY_COUNT);
}

#[test]
fn every_day_of_all_years_as_asctime() {
    let mut count = 0;
    for day in all_days().step_by(STEP) {
        let asctime = day.asctime("08:49:37");
        let date = parse(&asctime, 0);
        assert_eq!(date.timestamp().unix_seconds(), day.unix + 31_777, "{asctime}");
        assert!(date.day_name_fits(), "{asctime}");
        assert_eq!(date.form(), DateForm::Asctime);
        count += 1;
    }
    assert_eq!(count, DAY_COUNT);
}

#[test]
fn all_days_within_49_years_of_a_sliding_now_as_rfc_850() {
    // With 49 years nothing lies near the edge of the rule. The now slides by 13 years and some days.
    let days: Vec<Day> = all_days().filter(|day| (1850..2250).contains(&day.year)).step_by(STEP.min(97)).collect();
    for now in (-1_800_000_000_i64..6_000_000_000).step_by((if cfg!(miri) { 40 } else { 13 }) * 31_622_400) {
        for day in days.iter().filter(|day| (day.unix - now).abs() < 49 * 31_557_600) {
            let text = day.rfc850("08:49:37");
            let date = parse(&text, now);
            assert_eq!(date.timestamp().unix_seconds(), day.unix + 31_777, "{text} at {now}");
            assert!(date.day_name_fits(), "{text}");
            assert_eq!(date.form(), DateForm::Rfc850);
        }
    }
}

#[test]
fn every_second_of_a_day_in_all_forms() {
    let day = all_days().find(|day| (day.year, day.month, day.day) == (2024, 1, 29)).unwrap();
    for second in (0..86_400).step_by(if cfg!(miri) { 9_973 } else { 1 }) {
        let time = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
        for text in [day.imf_fixdate(&time), day.rfc850(&time), day.asctime(&time)] {
            assert_eq!(parse(&text, super::NOW).timestamp().unix_seconds(), day.unix + second, "{text}");
        }
    }
}

#[test]
fn every_two_digit_number_in_every_place() {
    let months = [(1_u32, "Jan", 31_u32), (2, "Feb", 29), (4, "Apr", 30), (12, "Dec", 31)];
    for number in (0..100).step_by(if cfg!(miri) { 31 } else { 1 }) {
        for (_, month, days) in months {
            let is_day = (1..=days).contains(&number);
            for text in [
                format!("Sun, {number:02} {month} 2024 08:49:37 GMT"),
                format!("Sunday, {number:02}-{month}-24 08:49:37 GMT"),
                format!("Sun {month} {number:02} 08:49:37 2024"),
            ] {
                assert_eq!(HttpDate::parse(text.as_bytes(), crate::now()).is_ok(), is_day, "{text}");
            }
        }
        for (time, valid) in [
            (format!("{number:02}:49:37"), number < 24),
            (format!("08:{number:02}:37"), number < 60),
            (format!("08:49:{number:02}"), number < 60),
            (format!("23:59:{number:02}"), number <= 60),
            (format!("23:58:{number:02}"), number < 60),
            (format!("22:59:{number:02}"), number < 60),
        ] {
            for text in [
                format!("Sun, 06 Nov 1994 {time} GMT"),
                format!("Sunday, 06-Nov-94 {time} GMT"),
                format!("Sun Nov  6 {time} 1994"),
            ] {
                assert_eq!(HttpDate::parse(text.as_bytes(), crate::now()).is_ok(), valid, "{text}");
            }
        }
    }
}

#[test]
fn february_has_29_days_in_leap_years_only() {
    for year in (0..10_000).step_by(if cfg!(miri) { 997 } else { 1 }) {
        let leap = if year % 100 == 0 { year % 400 == 0 } else { year % 4 == 0 };
        for text in [format!("Sun, 29 Feb {year:04} 08:49:37 GMT"), format!("Sun Feb 29 08:49:37 {year:04}")] {
            assert_eq!(HttpDate::parse(text.as_bytes(), crate::now()).is_ok(), leap, "{text}");
        }
    }
}

/// A date with any one byte replaced by any other is read by neither or by both ways of reading an IMF-fixdate: the short
/// cut and the one that also says what is wrong. A wrong day name goes the second way and shows what that one makes of it.
#[test]
fn any_one_byte_changed() {
    let valid = b"Sun, 06 Nov 1994 08:49:37 GMT";
    let mut accepted = 0;
    for position in 0..valid.len() {
        for byte in (0..=255).step_by(if cfg!(miri) { 51 } else { 1 }) {
            let mut text = *valid;
            text[position] = byte;
            let short_way = HttpDate::parse(&text, crate::now());
            let mut other_day = text;
            if position >= 3 {
                other_day[..3].copy_from_slice(b"Mon");
            }
            let long_way = HttpDate::parse(&other_day, crate::now());
            assert_eq!(short_way.map(HttpDate::timestamp), long_way.map(HttpDate::timestamp), "{text:?}");
            accepted += u32::from(short_way.is_ok());
        }
    }
    // By hand: day 3+8 (06, 16, 26; 01 to 09 twice counted), and so on. That it is not zero and not all is what matters.
    assert!((50..150).contains(&accepted) || cfg!(miri), "{accepted}");
}

#[test]
fn all_truncations_are_malformed_and_say_where() {
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
        for end in 0..text.len() {
            let error = HttpDate::parse(&text.as_bytes()[..end], crate::now()).unwrap_err();
            assert!(error.position() <= end, "{text} up to {end}: {error}");
        }
        let longer = format!("{text} ");
        assert_eq!(HttpDate::parse(longer.as_bytes(), crate::now()).unwrap_err().position(), text.len());
    }
}

#[test]
fn write_and_read_back() {
    let mut random = Random::new(1);
    let (first, after) = (-62_167_219_200_i64, 253_402_300_800_i64);
    for _ in 0..if cfg!(miri) { 20 } else { 200_000 } {
        let unix = first + random.below((after - first) as u64) as i64;
        let date = HttpDate::from_unix(unix).unwrap();
        assert_eq!(parse(&date.to_string(), 0), date);
    }
    for edge in [first, first + 1, after - 1] {
        assert_eq!(parse(&HttpDate::from_unix(edge).unwrap().to_string(), 0).timestamp().unix_seconds(), edge);
    }
    assert_eq!(HttpDate::from_unix(first - 1), None);
    assert_eq!(HttpDate::from_unix(after), None);
}

#[test]
fn the_leap_second_at_the_end_of_the_year_9999_has_a_text() {
    let text = "Fri, 31 Dec 9999 23:59:60 GMT";
    let date = parse(text, 0);
    assert_eq!(date.timestamp().unix_seconds(), 253_402_300_800);
    assert!(date.is_leap_second() && date.day_name_fits());
    assert_eq!(date.to_string(), text);
}

#[test]
fn the_fifty_year_rule_at_its_edges() {
    // Of all dates with the same two digits of the year, the latest that is at most fifty years ahead.
    let at = |text: &str, now: &str| parse(text, parse(now, 0).timestamp().unix_seconds()).to_string();
    let now = "Mon, 30 Nov 2026 10:30:00 GMT";
    assert_eq!(at("Monday, 30-Nov-76 10:30:00 GMT", now), "Mon, 30 Nov 2076 10:30:00 GMT");
    assert_eq!(at("Tuesday, 30-Nov-76 10:30:01 GMT", now), "Tue, 30 Nov 1976 10:30:01 GMT");
    assert_eq!(at("Wednesday, 01-Dec-76 00:00:00 GMT", now), "Wed, 01 Dec 1976 00:00:00 GMT");
    assert_eq!(at("Sunday, 01-Nov-76 23:59:59 GMT", now), "Sun, 01 Nov 2076 23:59:59 GMT");
    assert_eq!(at("Saturday, 01-Jan-77 00:00:00 GMT", now), "Sat, 01 Jan 1977 00:00:00 GMT");
    assert_eq!(at("Thursday, 31-Dec-26 23:59:60 GMT", now), "Thu, 31 Dec 2026 23:59:60 GMT");

    // A leap second is later than all other seconds of its day.
    let end = "Thu, 31 Dec 2026 23:59:59 GMT";
    assert_eq!(at("Thursday, 31-Dec-76 23:59:59 GMT", end), "Thu, 31 Dec 2076 23:59:59 GMT");
    assert_eq!(at("Friday, 31-Dec-76 23:59:60 GMT", end), "Fri, 31 Dec 1976 23:59:60 GMT");

    // Fifty years after 29 February there is none: the day before is not too late, the day after is.
    let leap = "Tue, 29 Feb 2028 12:00:00 GMT";
    assert_eq!(at("Monday, 28-Feb-78 12:00:01 GMT", leap), "Mon, 28 Feb 2078 12:00:01 GMT");
    assert_eq!(at("Wednesday, 01-Mar-78 00:00:00 GMT", leap), "Wed, 01 Mar 1978 00:00:00 GMT");

    // The year comes first, and then there is such a day or not.
    assert_eq!(at("Tuesday, 29-Feb-00 00:00:00 GMT", now), "Tue, 29 Feb 2000 00:00:00 GMT");
    for now in ["Mon, 01 Jan 1900 00:00:00 GMT", "Thu, 29 Feb 2080 00:00:00 GMT"] {
        let now = parse(now, 0).timestamp();
        assert!(HttpDate::parse(b"Tuesday, 29-Feb-00 00:00:00 GMT", now).is_err());
    }
    assert!(HttpDate::parse(b"Monday, 29-Feb-27 00:00:00 GMT", crate::now()).is_err());
    assert!(HttpDate::parse(b"Monday, 30-Feb-00 00:00:00 GMT", crate::now()).is_err());

    // At the ends of the calendar there is no century to choose from.
    assert_eq!(at("Sunday, 06-Nov-94 08:49:37 GMT", "Sat, 01 Jan 0000 00:00:00 GMT"), "Sat, 06 Nov 0094 08:49:37 GMT");
    assert_eq!(at("Sunday, 06-Nov-30 08:49:37 GMT", "Fri, 31 Dec 9999 00:00:00 GMT"), "Thu, 06 Nov 9930 08:49:37 GMT");
    assert_eq!(at("Friday, 31-Dec-99 23:59:59 GMT", "Fri, 31 Dec 9990 00:00:00 GMT"), "Fri, 31 Dec 9999 23:59:59 GMT");
    assert_eq!(at("Friday, 31-Dec-99 23:59:59 GMT", "Wed, 31 Dec 9949 23:59:59 GMT"), "Fri, 31 Dec 9999 23:59:59 GMT");
    assert_eq!(at("Friday, 01-Jan-00 00:00:00 GMT", "Sat, 01 Jan 0050 00:00:00 GMT"), "Fri, 01 Jan 0100 00:00:00 GMT");
    assert_eq!(
        at("Saturday, 01-Jan-00 00:00:01 GMT", "Sat, 01 Jan 0050 00:00:00 GMT"),
        "Sat, 01 Jan 0000 00:00:01 GMT"
    );
    for now in [i64::MIN, i64::MAX] {
        let date = HttpDate::parse(b"Sunday, 06-Nov-94 08:49:37 GMT", Timestamp::from_unix(now)).unwrap();
        assert_eq!(
            date.to_string(),
            if now < 0 { "Sat, 06 Nov 0094 08:49:37 GMT" } else { "Sun, 06 Nov 9994 08:49:37 GMT" }
        );
    }
}
