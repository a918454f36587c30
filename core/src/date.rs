//! HTTP-date (RFC 9110, section 5.6.7): three forms in, one out.
//!
//! ```text
//! IMF-fixdate    Sun, 06 Nov 1994 08:49:37 GMT
//! RFC 850        Sunday, 06-Nov-94 08:49:37 GMT
//! asctime        Sun Nov  6 08:49:37 1994
//! ```
//!
//! A recipient accepts all three; only the first is written. The grammar is followed to the letter, case included, with
//! what it leaves open decided so:
//!
//! - A day name that does not fit the date is accepted and noted: the grammar allows it, and the date is what counts.
//! - Second 60 is a leap second at 23:59 of any day, reads as the next second, and is rejected elsewhere.
//! - Years go from 0 to 9999, in the Gregorian calendar throughout.
//! - A two-digit year follows the fifty-year rule, see [`HttpDate::parse`].

use core::fmt;

use crate::clock::Timestamp;
use crate::error::{ErrorKind, ParseError, Part};

const DAY_NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTH_NAMES: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const SECONDS_PER_DAY: i64 = 86_400;

/// The first second of the year 0.
const FIRST_SECOND: i64 = -62_167_219_200;
/// The second after the last one of the year 9999: the leap second at its end.
const LAST_SECOND: i64 = 253_402_300_800;

/// An instant that an HTTP-date names, of the years 0 to 9999, with what is worth knowing about its spelling.
///
/// Its `Display` is the IMF-fixdate, whatever the form it was read from.
///
/// ```
/// use retry_after_core::{DateForm, HttpDate, Timestamp};
///
/// let now = Timestamp::from_unix(1_796_034_600);
/// let date = HttpDate::parse(b"Sunday, 06-Nov-94 08:49:37 GMT", now)?;
/// assert_eq!(date.timestamp(), Timestamp::from_unix(784_111_777));
/// assert_eq!(date.form(), DateForm::Rfc850);
/// assert_eq!(date.to_string(), "Sun, 06 Nov 1994 08:49:37 GMT");
/// # Ok::<(), retry_after_core::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HttpDate {
    seconds: i64,
    form: DateForm,
    day_name_fits: bool,
    leap_second: bool,
}

/// The form an HTTP-date is written in (RFC 9110, section 5.6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DateForm {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the one to write.
    ImfFixdate,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`, obsolete, with a two-digit year.
    Rfc850,
    /// `Sun Nov  6 08:49:37 1994`, obsolete.
    Asctime,
}

impl HttpDate {
    /// Reads an HTTP-date in any of its forms, with nothing around it.
    ///
    /// `now` decides the century of a two-digit year and nothing else: the date is the latest with those digits that is
    /// at most fifty years after `now` (RFC 9110: one that appears to be more than 50 years in the future is the most
    /// recent year in the past with the same last two digits). Fifty years on is the same day and time of the
    /// year fifty years later. The year comes first: 29 February of a year that turns out to have none is malformed.
    ///
    /// # Errors
    ///
    /// Says at which byte the text leaves the grammar, or which part is out of its range.
    pub fn parse(text: &[u8], now: Timestamp) -> Result<Self, ParseError> {
        match imf_fixdate_at_once(text) {
            Some(date) => Ok(date),
            None => any_form(text, now),
        }
    }

    /// The date of a whole second, if it lies in the years 0 to 9999.
    #[must_use]
    pub const fn from_unix(seconds: i64) -> Option<Self> {
        if seconds < FIRST_SECOND || seconds >= LAST_SECOND {
            return None;
        }
        Some(Self { seconds, form: DateForm::ImfFixdate, day_name_fits: true, leap_second: false })
    }

    /// The instant. A leap second is the second after it.
    #[must_use]
    pub const fn timestamp(self) -> Timestamp {
        Timestamp::from_unix(self.seconds)
    }

    /// The form it was written in.
    #[must_use]
    pub const fn form(self) -> DateForm {
        self.form
    }

    /// Whether the day name is that of the date. Where it is not, the date counts and the name is only noted.
    #[must_use]
    pub const fn day_name_fits(self) -> bool {
        self.day_name_fits
    }

    /// Whether it names a leap second, 23:59:60.
    #[must_use]
    pub const fn is_leap_second(self) -> bool {
        self.leap_second
    }
}

impl fmt::Display for HttpDate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let leap = i64::from(self.leap_second);
        let (days, second_of_day) = split_days(self.seconds - leap);
        let civil = Civil::from_days(days);
        write!(
            formatter,
            "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
            DAY_NAMES[day_of_week(days)],
            civil.day,
            MONTH_NAMES[usize::from(civil.month) - 1],
            civil.year,
            second_of_day / 3600,
            second_of_day / 60 % 60,
            second_of_day % 60 + leap,
        )
    }
}

/// An IMF-fixdate without fault, eight bytes at a time; anything else, valid or not, is `None`.
///
/// This is a mere short cut: [`any_form`] reads the same texts alike, and says what is wrong with the others.
/// A wrong day name and a leap second are left to it too. Byte by byte the same texts take close to three times as long.
fn imf_fixdate_at_once(text: &[u8]) -> Option<HttpDate> {
    let text: &[u8; 29] = text.try_into().ok()?;
    // "Sun, 06 " and "Nov 1994", " " and "08:49:37", " GMT", with what has to be there subtracted: a digit leaves 0 to 9,
    // a separator 0. A day name and a month name leave something, and are masked out.
    let start = word(text, 0) ^ u64::from_le_bytes(*b"\0\0\0, 00 ");
    let middle = word(text, 8) ^ u64::from_le_bytes(*b"\0\0\0 0000");
    let time = word(text, 17) ^ u64::from_le_bytes(*b"00:00:00");
    let day_name = start & 0xff_ffff;
    let month_name = middle & 0xff_ffff;
    let start = start & !0xff_ffff;
    let middle = middle & !0xff_ffff;
    // Adding 0x76 carries a byte above 9 into its top bit, adding 0x7f one above 0. The sum of a byte that has its own
    // top bit set may run over into the next, but then that bit alone condemns the text.
    let faults = (start | start.wrapping_add(0x7f76_767f_7f00_0000))
        | (middle | middle.wrapping_add(0x7676_7676_7f00_0000))
        | (time | time.wrapping_add(0x7676_7f76_767f_7676));
    if faults & 0x8080_8080_8080_8080 != 0 || text[16] != b' ' || text[25..] != *b" GMT" {
        return None;
    }

    #[allow(clippy::cast_possible_truncation)] // Three bytes are left in either.
    let (day_name, month_name) = (day_name as u32, month_name as u32);
    let month = month_number(month_name)?;

    let time = pairs(time);
    let (hour, minute, second) = (time as u8, (time >> 24) as u8, (time >> 48) as u8);
    let day = (pairs(start) >> 40) as u8;
    let years = pairs(middle);
    let year = u16::from((years >> 32) as u8) * 100 + u16::from((years >> 48) as u8);
    if hour > 23 || minute > 59 || second > 59 || day == 0 || day > days_in_month(year, month) {
        return None;
    }

    let days = Civil { year, month, day }.days();
    if DAY_WORDS[day_of_week(days)] != day_name {
        return None;
    }
    let seconds = days * SECONDS_PER_DAY + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some(HttpDate { seconds, form: DateForm::ImfFixdate, day_name_fits: true, leap_second: false })
}

/// Eight bytes of a text, the first one lowest.
fn word(text: &[u8; 29], start: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&text[start..start + 8]);
    u64::from_le_bytes(bytes)
}

/// Where a byte and the next are the digits of a two-digit number, that number in the place of the first.
const fn pairs(digits: u64) -> u64 {
    // No digit times ten plus a digit leaves its byte.
    digits * 10 + (digits >> 8)
}

/// A name of three letters as [`word`] has it.
const fn name(letters: &[u8; 3]) -> u32 {
    u32::from_le_bytes([letters[0], letters[1], letters[2], 0])
}

/// The short names of the days, from Monday on.
const DAY_WORDS: [u32; 7] =
    [name(b"Mon"), name(b"Tue"), name(b"Wed"), name(b"Thu"), name(b"Fri"), name(b"Sat"), name(b"Sun")];

/// The number of the month, from 1 on.
fn month_number(word: u32) -> Option<u8> {
    // The multiplication puts the twelve names into different places, found by trial; the table then tells the names
    // from all other words.
    #[rustfmt::skip]
    const MONTHS: [(u32, u8); 16] = [
        (name(b"Jul"), 7), (name(b"Nov"), 11), (0, 0), (name(b"Oct"), 10),
        (name(b"May"), 5), (name(b"Dec"), 12), (name(b"Mar"), 3), (name(b"Apr"), 4),
        (0, 0), (name(b"Sep"), 9), (0, 0), (0, 0),
        (name(b"Jan"), 1), (name(b"Jun"), 6), (name(b"Feb"), 2), (name(b"Aug"), 8),
    ];
    let (known, month) = MONTHS[(word.wrapping_mul(0x67e5) >> 28) as usize];
    (known == word && month != 0).then_some(month)
}

/// An HTTP-date in any form, byte by byte, with the place of a fault.
fn any_form(text: &[u8], now: Timestamp) -> Result<HttpDate, ParseError> {
    let mut cursor = Cursor { text, position: 0 };
    let (day_name, is_long) = cursor.day_name()?;
    let date = if is_long {
        rfc850(&mut cursor, day_name, now)?
    } else if cursor.peek() == Some(b' ') {
        asctime(&mut cursor, day_name)?
    } else {
        imf_fixdate(&mut cursor, day_name)?
    };
    cursor.end()?;
    Ok(date)
}

/// `, 06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(cursor: &mut Cursor<'_>, day_name: usize) -> Result<HttpDate, ParseError> {
    cursor.literal(b',')?;
    cursor.literal(b' ')?;
    let day_position = cursor.position;
    let day = cursor.two_digits(Part::Day)?;
    cursor.literal(b' ')?;
    let month = cursor.month()?;
    cursor.literal(b' ')?;
    let year = cursor.four_digit_year()?;
    cursor.literal(b' ')?;
    let time = cursor.time()?;
    cursor.gmt()?;
    let civil = Civil::new(year, month, day).ok_or(ParseError::new(ErrorKind::NoSuchDay, day_position))?;
    Ok(time.on(civil, DateForm::ImfFixdate, day_name))
}

/// `, 06-Nov-94 08:49:37 GMT`
fn rfc850(cursor: &mut Cursor<'_>, day_name: usize, now: Timestamp) -> Result<HttpDate, ParseError> {
    cursor.literal(b',')?;
    cursor.literal(b' ')?;
    let day_position = cursor.position;
    let day = cursor.two_digits(Part::Day)?;
    cursor.literal(b'-')?;
    let month = cursor.month()?;
    cursor.literal(b'-')?;
    let year = cursor.two_digits(Part::Year)?;
    cursor.literal(b' ')?;
    let time = cursor.time()?;
    cursor.gmt()?;
    let civil = in_century(year, month, day, time, now).ok_or(ParseError::new(ErrorKind::NoSuchDay, day_position))?;
    Ok(time.on(civil, DateForm::Rfc850, day_name))
}

/// ` Nov  6 08:49:37 1994`
fn asctime(cursor: &mut Cursor<'_>, day_name: usize) -> Result<HttpDate, ParseError> {
    // The blank that makes it asctime.
    cursor.position += 1;
    let month = cursor.month()?;
    cursor.literal(b' ')?;
    let day_position = cursor.position;
    let day = if cursor.peek() == Some(b' ') {
        cursor.position += 1;
        cursor.digit(Part::Day)?
    } else {
        cursor.two_digits(Part::Day)?
    };
    cursor.literal(b' ')?;
    let time = cursor.time()?;
    cursor.literal(b' ')?;
    let year = cursor.four_digit_year()?;
    let civil = Civil::new(year, month, day).ok_or(ParseError::new(ErrorKind::NoSuchDay, day_position))?;
    Ok(time.on(civil, DateForm::Asctime, day_name))
}

/// The latest date with this two-digit year that is at most fifty years after `now`, within the years 0 to 9999.
fn in_century(year: u8, month: u8, day: u8, time: Time, now: Timestamp) -> Option<Civil> {
    let now_seconds = now.unix_seconds().clamp(FIRST_SECOND, LAST_SECOND);
    let (now_days, now_second_of_day) = split_days(now_seconds);
    let now_civil = Civil::from_days(now_days);
    let is_too_late = |year: u16| {
        // The leap second at the end of a year belongs to that year here: it is later than all of its other seconds.
        (year, month, day, time.second_of_day())
            > (now_civil.year + 50, now_civil.month, now_civil.day, now_second_of_day)
    };
    let mut candidate = (now_civil.year + 50) / 100 * 100 + u16::from(year);
    if candidate > 9999 || (candidate >= 100 && is_too_late(candidate)) {
        candidate -= 100;
    }
    Civil::new(candidate, month, day)
}

/// A place in a text that is being read.
struct Cursor<'a> {
    text: &'a [u8],
    position: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn fail<T>(&self, kind: ErrorKind) -> Result<T, ParseError> {
        Err(ParseError::new(kind, self.position))
    }

    fn starts_with(&self, word: &str) -> bool {
        self.text[self.position..].starts_with(word.as_bytes())
    }

    fn literal(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.peek() != Some(byte) {
            return self.fail(ErrorKind::Expected(byte));
        }
        self.position += 1;
        Ok(())
    }

    /// The three letters here, or what no name is.
    fn short_name(&self) -> u32 {
        match self.text[self.position..] {
            [first, second, third, ..] => name(&[first, second, third]),
            _ => 0,
        }
    }

    /// The number of the day, from Monday on, and whether the name is the long one.
    fn day_name(&mut self) -> Result<(usize, bool), ParseError> {
        let short = self.short_name();
        let Some(day) = DAY_WORDS.iter().position(|&word| word == short) else {
            return self.fail(ErrorKind::UnknownDayName);
        };
        self.position += 3;
        let rest = &self.text[self.position..];
        // Seven comparisons with a constant cost less than one with a name looked up.
        let long_rest = match day {
            0 | 4 | 6 => rest.starts_with(b"day").then_some(3),
            1 => rest.starts_with(b"sday").then_some(4),
            2 => rest.starts_with(b"nesday").then_some(6),
            3 => rest.starts_with(b"rsday").then_some(5),
            _ => rest.starts_with(b"urday").then_some(5),
        };
        self.position += long_rest.unwrap_or(0);
        Ok((day, long_rest.is_some()))
    }

    /// The number of the month, from 1 on.
    fn month(&mut self) -> Result<u8, ParseError> {
        let Some(month) = month_number(self.short_name()) else {
            return self.fail(ErrorKind::UnknownMonth);
        };
        self.position += 3;
        Ok(month)
    }

    fn digit(&mut self, part: Part) -> Result<u8, ParseError> {
        match self.peek() {
            Some(byte @ b'0'..=b'9') => {
                self.position += 1;
                Ok(byte - b'0')
            }
            _ => self.fail(ErrorKind::ExpectedDigit(part)),
        }
    }

    fn two_digits(&mut self, part: Part) -> Result<u8, ParseError> {
        if let [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] = self.text[self.position..] {
            self.position += 2;
            return Ok((tens - b'0') * 10 + (ones - b'0'));
        }
        // One of the two is missing, and this says which.
        self.digit(part).and_then(|_| self.digit(part))
    }

    fn four_digit_year(&mut self) -> Result<u16, ParseError> {
        Ok(u16::from(self.two_digits(Part::Year)?) * 100 + u16::from(self.two_digits(Part::Year)?))
    }

    /// `08:49:37`
    fn time(&mut self) -> Result<Time, ParseError> {
        let start = self.position;
        let hour = self.two_digits(Part::Hour)?;
        self.literal(b':')?;
        let minute = self.two_digits(Part::Minute)?;
        self.literal(b':')?;
        let second = self.two_digits(Part::Second)?;
        if hour > 23 {
            return Err(ParseError::new(ErrorKind::HourOutOfRange, start));
        }
        if minute > 59 {
            return Err(ParseError::new(ErrorKind::MinuteOutOfRange, start + 3));
        }
        if second > 59 && (hour, minute, second) != (23, 59, 60) {
            return Err(ParseError::new(ErrorKind::SecondOutOfRange, start + 6));
        }
        Ok(Time { hour, minute, second })
    }

    /// ` GMT`
    fn gmt(&mut self) -> Result<(), ParseError> {
        self.literal(b' ')?;
        if !self.starts_with("GMT") {
            return self.fail(ErrorKind::NotGmt);
        }
        self.position += 3;
        Ok(())
    }

    fn end(&self) -> Result<(), ParseError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.fail(ErrorKind::TrailingText),
        }
    }
}

/// A time of day; the second goes up to 60.
#[derive(Clone, Copy)]
struct Time {
    hour: u8,
    minute: u8,
    second: u8,
}

impl Time {
    /// Up to 86 400, for a leap second.
    fn second_of_day(self) -> i64 {
        i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }

    fn on(self, civil: Civil, form: DateForm, day_name: usize) -> HttpDate {
        let days = civil.days();
        HttpDate {
            seconds: days * SECONDS_PER_DAY + self.second_of_day(),
            form,
            day_name_fits: day_of_week(days) == day_name,
            leap_second: self.second == 60,
        }
    }
}

/// A day of the Gregorian calendar, in the years 0 to 9999.
#[derive(Clone, Copy)]
struct Civil {
    year: u16,
    month: u8,
    day: u8,
}

impl Civil {
    /// The day, if there is one.
    fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        (day >= 1 && day <= days_in_month(year, month)).then_some(Self { year, month, day })
    }

    /// The days since 1970-01-01, negative before.
    fn days(self) -> i64 {
        const DAYS_BEFORE_MONTH: [u16; 13] = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        // Counted from the first of January of the year -399, a cycle of the calendar before the year 1, so that nothing
        // is negative in the year 0.
        const UNIX_EPOCH: u32 = 719_162 + 146_097;
        let past_years = u32::from(self.year) + 399;
        let leap_day = u32::from(self.month > 2 && is_leap(self.year));
        let days = past_years * 365 + past_years / 4 - past_years / 100
            + past_years / 400
            + u32::from(DAYS_BEFORE_MONTH[usize::from(self.month)])
            + leap_day
            + u32::from(self.day - 1);
        i64::from(days) - i64::from(UNIX_EPOCH)
    }

    /// The day that is this many days after 1970-01-01, which has to lie in the years 0 to 9999.
    ///
    /// Counts years from March, so that the leap day is the last of its year and a month's start is a linear formula.
    fn from_days(days: i64) -> Self {
        // A cycle of the calendar is 400 years, and one is added so that nothing is negative in the year 0.
        const DAYS_PER_CYCLE: u32 = 146_097;
        const UNIX_EPOCH: i64 = 719_468 + DAYS_PER_CYCLE as i64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below 2^22 in these years.
        let since_march = (days + UNIX_EPOCH) as u32;
        let cycle = since_march / DAYS_PER_CYCLE;
        let day_of_cycle = since_march % DAYS_PER_CYCLE;
        let year_of_cycle =
            (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
        let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = cycle * 400 + year_of_cycle + u32::from(month <= 2) - 400;
        #[allow(clippy::cast_possible_truncation)] // At most 9999, 12 and 31.
        let civil = Self { year: year as u16, month: month as u8, day: day as u8 };
        civil
    }
}

const fn is_leap(year: u16) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// `month` counts from 1 to 12.
fn days_in_month(year: u16, month: u8) -> u8 {
    const DAYS: [u8; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    DAYS[usize::from(month)] + u8::from(month == 2 && is_leap(year))
}

/// The days since 1970 and the second of the last one.
fn split_days(seconds: i64) -> (i64, i64) {
    (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY))
}

/// From Monday, 0, to Sunday, 6. 1970 began on a Thursday.
fn day_of_week(days: i64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Below 7.
    let day = (days + 3).rem_euclid(7) as usize;
    day
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The short cut reads what it is made for; from outside it only shows in the time that it takes.
    #[test]
    fn the_short_cut_is_taken() {
        // A step of 11 days, 13 hours and some seconds comes past all months, days, hours, minutes, seconds and centuries.
        for seconds in (FIRST_SECOND..LAST_SECOND).step_by(if cfg!(miri) { 999_999_999 } else { 1_000_003 * 9 + 17 }) {
            let date = HttpDate::from_unix(seconds).unwrap();
            let mut buffer = Text { bytes: [0; 29], length: 0 };
            fmt::Write::write_fmt(&mut buffer, format_args!("{date}")).unwrap();
            assert_eq!(imf_fixdate_at_once(&buffer.bytes), Some(date), "{date}");
        }
        for text in [
            "Sun, 06 Nov 1994 00:00:00 GMT",
            "Sun, 06 Nov 1994 23:59:59 GMT",
            "Tue, 29 Feb 2000 08:49:37 GMT",
            "Sat, 01 Jan 0000 00:00:00 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ] {
            assert!(imf_fixdate_at_once(text.as_bytes()).is_some(), "{text}");
        }
    }

    struct Text {
        bytes: [u8; 29],
        length: usize,
    }

    impl fmt::Write for Text {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.bytes[self.length..][..part.len()].copy_from_slice(part.as_bytes());
            self.length += part.len();
            Ok(())
        }
    }
}
