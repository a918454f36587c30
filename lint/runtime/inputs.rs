//! The inputs: header lines, first the plain ones, then the corpus, then generated ones, near the grammar and far from it.
//!
//! The same seed gives the same inputs in the same order.

use std::fmt::{self, Write};
use std::time::{Duration, UNIX_EPOCH};

use retry_after_core::{DateForm, HttpDate, Moment, Receipt, Timestamp};

use super::escape::unescape;
use super::subject::Now;

/// The wall clock at receipt, in seconds since 1970: a Monday noon, which is also that of the linter's cases.
pub const WALL: i64 = 1_796_040_000;

/// The monotonic clock at receipt.
const MONOTONIC: Duration = Duration::from_secs(86_400);

/// How far the wall clock is past the second where it is not at its beginning. A date is on the second; what is left until then
/// is not, and may be rounded.
const FRACTION: u32 = 250_000_000;

/// The values of the corpus of vectors, one a line, as [`unescape`] reads them.
const CORPUS: &str = include_str!("corpus.txt");

/// Values that stand for many, the simplest first.
const PLAIN: [&str; 41] = [
    "",
    "soon",
    "120",
    "0",
    "1",
    "7",
    "60",
    "300",
    "3600",
    "86400",
    "604800",
    "10000000",
    "2147483648",
    "4294967296",
    "4294967297",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "18446744073709552",
    "99999999999999999999999999999999999999999",
    "-1",
    "-5",
    "+5",
    "-0",
    "1.5",
    "0.5",
    "1.0",
    "1e3",
    "1e400",
    "NaN",
    "inf",
    "-inf",
    "-9223372036854775808",
    "0x10",
    "1_000",
    "5, 10",
    "5s",
    "5 seconds",
    "\\e",
    "\\xff",
    "2026-11-30T12:01:30Z",
];

/// Dates that stand for many, in seconds from the receipt, the simplest first.
const OFFSETS: [i64; 12] = [
    90,
    7,
    3_600,
    86_400,
    10_000_000,
    -90,
    -3_600,
    // That of the RFC's example, 6 November 1994.
    784_111_777 - WALL,
    // Of the same day in fifty years less a day, and in ninety-nine.
    1_577_836_800,
    3_124_137_600,
    // The last second there is a date for, and the first.
    253_402_300_799 - WALL,
    -62_167_219_200 - WALL,
];

/// The times at which a response with these lines is received: with a date among them also between two seconds.
pub fn receipts(lines: &[impl AsRef<[u8]>]) -> impl Iterator<Item = (Receipt, Now)> {
    let has_date = lines.iter().any(|line| line.as_ref().contains(&b':'));
    let fractions: &[u32] = if has_date { &[0, FRACTION] } else { &[0] };
    fractions.iter().map(|&fraction| {
        let wall = UNIX_EPOCH + Duration::new(WALL as u64, fraction);
        let receipt = Receipt::new(Moment::from_origin(MONOTONIC), Timestamp::new(WALL, fraction));
        (receipt, Now { wall, monotonic: MONOTONIC })
    })
}

/// The time at which the plain probes are asked.
pub fn receipt() -> (Receipt, Now) {
    let wall = UNIX_EPOCH + Duration::from_secs(WALL as u64);
    let receipt = Receipt::new(Moment::from_origin(MONOTONIC), Timestamp::from_unix(WALL));
    (receipt, Now { wall, monotonic: MONOTONIC })
}

/// The date in the form. Outside of the years 0 to 9999 it is the nearest one inside.
pub fn date_text(unix: i64, form: DateForm) -> String {
    let mut text = String::new();
    write_date(&mut text, unix, form);
    text
}

fn write_date(out: &mut String, unix: i64, form: DateForm) {
    let unix = unix.clamp(-62_167_219_200, 253_402_300_799);
    let start = out.len();
    if let Some(date) = HttpDate::from_unix(unix) {
        put(out, format_args!("{date}"));
    }
    if form == DateForm::ImfFixdate {
        return;
    }
    // `Sun, 06 Nov 1994 08:49:37 GMT`
    let text = out[start..].to_owned();
    out.truncate(start);
    let (day, month, year, time) = (&text[5..7], &text[8..11], &text[12..16], &text[17..25]);
    match form {
        DateForm::Rfc850 => {
            const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
            let name = NAMES.iter().find(|name| name.starts_with(&text[..3])).unwrap_or(&"Monday");
            put(out, format_args!("{name}, {day}-{month}-{} {time} GMT", &year[2..]))
        }
        _ => put(out, format_args!("{} {month} {:>2} {time} {year}", &text[..3], day.trim_start_matches('0'))),
    }
}

fn put(out: &mut String, text: fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    let _ = out.write_fmt(text);
}

/// All inputs in their order.
pub struct Inputs {
    fixed: std::vec::IntoIter<Vec<Vec<u8>>>,
    random: Random,
    text: String,
}

impl Inputs {
    /// The plain ones, the corpus, and after these as many as are asked for, by the seed.
    pub fn new(seed: u64) -> Self {
        let forms = [DateForm::ImfFixdate, DateForm::Rfc850, DateForm::Asctime];
        let plain = PLAIN.iter().map(|text| unescape(text));
        let dates =
            OFFSETS.iter().flat_map(|offset| forms.map(|form| vec![date_text(WALL + offset, form).into_bytes()]));
        let corpus = CORPUS.lines().map(unescape);
        let mut fixed: Vec<Vec<Vec<u8>>> = plain.chain(dates).chain(corpus).collect();
        fixed.push(vec![b"30".to_vec(), b"120".to_vec()]);
        Self { fixed: fixed.into_iter(), random: Random(seed), text: String::new() }
    }

    /// How many of them come before the generated ones.
    pub fn fixed(&self) -> usize {
        self.fixed.len()
    }

    /// Puts the next one into `lines`.
    pub fn next_into(&mut self, lines: &mut Vec<Vec<u8>>) {
        if let Some(next) = self.fixed.next() {
            *lines = next;
            return;
        }
        let count = match self.random.below(24) {
            0 => 2,
            1 => 3,
            _ => 1,
        };
        lines.resize_with(count, Vec::new);
        for line in lines {
            self.line(line);
        }
    }

    fn line(&mut self, line: &mut Vec<u8>) {
        line.clear();
        self.text.clear();
        let random = &mut self.random;
        let bits = random.next();
        match random.below(16) {
            // Numbers of every length, those of a few digits most.
            0..=2 => put(&mut self.text, format_args!("{}", bits >> random.below(64))),
            3 => put(&mut self.text, format_args!("{}", bits >> (48 + random.below(16)))),
            4 => {
                let digits = 1 + random.below(45);
                for _ in 0..digits {
                    self.text.push(char::from(b'0' + random.below(10) as u8));
                }
            }
            5 => put(&mut self.text, format_args!("{:+}", (bits as i64) >> random.below(64))),
            6 => {
                // Half of all bit patterns are numbers too large or too small for anybody.
                let number = if bits & 1 == 0 { f64::from_bits(bits) } else { (bits >> 40) as f64 / 1024.0 };
                match bits & 2 {
                    0 => put(&mut self.text, format_args!("{number}")),
                    _ => put(&mut self.text, format_args!("{number:e}")),
                }
            }
            7..=12 => {
                let form = match random.below(3) {
                    0 => DateForm::ImfFixdate,
                    1 => DateForm::Rfc850,
                    _ => DateForm::Asctime,
                };
                let offset = match random.below(8) {
                    0..=2 => random.below(7_200) as i64 - 3_600,
                    3 => random.below(4 * 86_400) as i64 - 2 * 86_400,
                    4 => random.below(80_000_000) as i64 - 10_000_000,
                    5 => 50 * 31_556_952 + random.below(200_000) as i64 - 100_000,
                    6 => random.below(6_400_000_000) as i64 - 3_200_000_000,
                    _ => random.below(315_569_520_000) as i64 - 62_167_219_200 - WALL,
                };
                write_date(&mut self.text, WALL + offset, form);
                self.vary_date();
            }
            13 => self.text.push_str(WORDS[self.random.below(WORDS.len() as u64) as usize]),
            14 => {
                put(&mut self.text, format_args!("{}{}", bits >> 50, UNITS[random.below(UNITS.len() as u64) as usize]))
            }
            _ => {
                let length = random.below(40);
                line.extend((0..length).map(|_| match random.next() {
                    byte if byte & 256 == 0 => byte as u8,
                    byte => b' ' + (byte % 95) as u8,
                }));
            }
        }
        line.extend_from_slice(self.text.as_bytes());
        self.near_miss(line);
        // A line of a field holds no line end, and no NUL.
        line.retain(|byte| !matches!(byte, b'\n' | b'\r' | 0));
    }

    /// One date in eight gets another day name or a time at the edge.
    fn vary_date(&mut self) {
        match self.random.below(16) {
            0 => {
                let name = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][self.random.below(7) as usize];
                self.text.replace_range(..3, name);
            }
            1 => {
                const TIMES: [&str; 6] = ["23:59:60", "23:59:59", "24:00:00", "23:60:00", "00:00:00", "22:59:60"];
                if let Some(colon) = self.text.find(':') {
                    let time = TIMES[self.random.below(6) as usize];
                    self.text.replace_range(colon - 2..colon + 6, time);
                }
            }
            _ => {}
        }
    }

    /// One line in eight is changed in a byte, cut off, or has something around it.
    fn near_miss(&mut self, line: &mut Vec<u8>) {
        let random = &mut self.random;
        let place = random.below(line.len() as u64 + 1) as usize;
        match random.below(40) {
            0 => line.truncate(place),
            1 => line.insert(place, b"0 -+.,:eT\t"[random.below(10) as usize]),
            2 if place < line.len() => {
                line.remove(place);
            }
            3 if place < line.len() => line[place] = line[place].wrapping_add(random.below(5) as u8).wrapping_sub(2),
            4 => {
                line.insert(0, b" \t"[random.below(2) as usize]);
                line.push(b" \t,;"[random.below(4) as usize]);
            }
            _ => {}
        }
    }
}

/// Words that are found where a number should be.
const WORDS: [&str; 10] = [
    "never",
    "now",
    "tomorrow",
    "null",
    "undefined",
    "true",
    "Infinity",
    "-Infinity",
    "nan",
    "Thu Jan 01 1970 00:00:00 GMT+0000",
];

/// What is found behind a number.
const UNITS: [&str; 8] = ["s", " seconds", "ms", "m", ".5", ",5", "e3", ".0"];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
