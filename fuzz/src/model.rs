//! The model: the grammar and the calendar a second time, plain and without haste.
//!
//! It shares nothing with the reference: texts are held against a picture of the form, and days are counted year by month.
//! Where the two differ, one of them is wrong.

/// The forms as pictures: `9` is any digit, `_` a blank or a digit, `d` a short day name, `l` a long one, `m` a month name.
const FORMS: [(Form, &str); 3] = [
    (Form::ImfFixdate, "d, 99 m 9999 99:99:99 GMT"),
    (Form::Rfc850, "l, 99-m-99 99:99:99 GMT"),
    (Form::Asctime, "d m _9 99:99:99 9999"),
];

/// The long names of the days, from Monday on; the short ones are their first three letters.
pub const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The names of the months.
pub const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The form of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    ImfFixdate,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    Rfc850,
    /// `Sun Nov  6 08:49:37 1994`
    Asctime,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Digits; `u64::MAX` also for more.
    Delay(u64),
    /// An HTTP-date.
    Date(Date),
    /// Neither.
    Malformed,
}

/// What an HTTP-date says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Seconds since 1970.
    pub unix: i64,
    /// The form it has.
    pub form: Form,
    /// Whether it names 23:59:60.
    pub leap_second: bool,
    /// Whether the day name is that of the date.
    pub day_name_fits: bool,
}

/// Reads a value, blanks around it or not, at a time in seconds since 1970 that decides on two-digit years.
pub fn read(value: &[u8], now: i64) -> Value {
    let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let start = value.iter().position(|byte| !blank(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    let text = &value[start..end];

    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let number = text.iter().fold(0_u128, |number, digit| (number * 10 + u128::from(digit - b'0')).min(1 << 64));
        return Value::Delay(u64::try_from(number).unwrap_or(u64::MAX));
    }
    let date = FORMS.iter().find_map(|&(form, picture)| date(text, form, picture, now));
    date.map_or(Value::Malformed, Value::Date)
}

/// A text of this form, if it is one and there is such a time.
fn date(text: &[u8], form: Form, picture: &str, now: i64) -> Option<Date> {
    let mut rest = text;
    // Numbers in the order of the form, each digit run one number.
    let mut numbers = [0_i64; 5];
    let mut count = 0;
    let (mut name, mut month) = (0, 0);
    let mut in_number = false;
    for wanted in picture.bytes() {
        let mut digit = None;
        match wanted {
            b'd' => (name, rest) = strip_three(rest, &DAYS)?,
            b'l' => {
                let (day, _) = strip_three(rest, &DAYS)?;
                (name, rest) = (day, rest.strip_prefix(DAYS[day].as_bytes())?);
            }
            b'm' => (month, rest) = strip_three(rest, &MONTHS)?,
            _ => {
                let (&byte, behind) = rest.split_first()?;
                rest = behind;
                match (wanted, byte) {
                    (b'9' | b'_', b'0'..=b'9') => digit = Some(i64::from(byte - b'0')),
                    (b'_', b' ') => digit = Some(0),
                    (b'9' | b'_', _) => return None,
                    _ if wanted == byte => {}
                    _ => return None,
                }
            }
        }
        if let Some(digit) = digit {
            count += usize::from(!in_number);
            numbers[count - 1] = numbers[count - 1] * 10 + digit;
        }
        in_number = digit.is_some();
    }
    if !rest.is_empty() {
        return None;
    }

    let (day, year, hour, minute, second) = match form {
        Form::ImfFixdate | Form::Rfc850 => (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]),
        Form::Asctime => (numbers[0], numbers[4], numbers[1], numbers[2], numbers[3]),
    };
    let leap_second = (hour, minute, second) == (23, 59, 60);
    if hour >= 24 || minute >= 60 || (second >= 60 && !leap_second) {
        return None;
    }
    let second_of_day = hour * 3600 + minute * 60 + second;
    let year = if form == Form::Rfc850 { full_year(year, (month, day, second_of_day), now) } else { year };
    if day < 1 || day > month_days(year, month) {
        return None;
    }
    let days = days_until(year, month) + day - 1;
    // 1970 began on a Thursday.
    let day_name_fits = (days + 3).rem_euclid(7) == name as i64;
    Some(Date { unix: days * 86_400 + second_of_day, form, leap_second, day_name_fits })
}

/// Takes the first three letters of one of the names away, and tells which one.
fn strip_three<'a>(text: &'a [u8], names: &[&str]) -> Option<(usize, &'a [u8])> {
    let (letters, rest) = text.split_first_chunk::<3>()?;
    let name = names.iter().position(|name| name.as_bytes().first_chunk() == Some(letters))?;
    Some((name, rest))
}

/// The latest year with these digits in which that day and time is at most fifty years ahead; one of 0 to 9999.
fn full_year(digits: i64, (month, day, second_of_day): (usize, i64, i64), now: i64) -> i64 {
    let now = now.clamp(days_until(0, 0) * 86_400, days_until(10_000, 0) * 86_400 - 1);
    let (now_year, now_month, now_day) = calendar_day(now.div_euclid(86_400));
    let horizon = (now_year + 50, now_month, now_day, now.rem_euclid(86_400));
    let fits = |year: &i64| (*year, month, day, second_of_day) <= horizon;
    (0..=horizon.0.min(9_999) / 100).rev().map(|century| century * 100 + digits).find(fits).unwrap_or(digits)
}

/// The same day and time of the year, fifty years later; the day after where there is no 29 February.
pub fn fifty_years_after(unix: i64) -> i64 {
    let unix = unix.clamp(days_until(0, 0) * 86_400, days_until(9_950, 0) * 86_400 - 1);
    let (year, month, day) = calendar_day(unix.div_euclid(86_400));
    (days_until(year + 50, month) + day - 1) * 86_400 + unix.rem_euclid(86_400)
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

/// The number of days of a month, which counts from 0.
fn month_days(year: i64, month: usize) -> i64 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01 to the first of a month, which counts from 0, of a year that is not negative.
fn days_until(year: i64, month: usize) -> i64 {
    // The leap years before this one, of which the year 0 is the first.
    let leap_years = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    year * 365 + leap_years - 719_528 + (0..month).map(|month| month_days(year, month)).sum::<i64>()
}

/// Year, month from 0 and day of a day counted from 1970-01-01 on, of the years 0 to 9999.
fn calendar_day(days: i64) -> (i64, usize, i64) {
    // A first guess by the mean length of a year, at most one too large.
    let mut year = (days + 719_528) * 400 / 146_097 + 1;
    while days_until(year, 0) > days {
        year -= 1;
    }
    let mut day = days - days_until(year, 0) + 1;
    let mut month = 0;
    while day > month_days(year, month) {
        day -= month_days(year, month);
        month += 1;
    }
    (year, month, day)
}

/// Writes an instant in a form; one outside the years 0 to 9999 is moved to their nearest second.
pub fn write(unix: i64, form: Form) -> String {
    let mut text = Vec::with_capacity(40);
    write_into(&mut text, unix, form);
    String::from_utf8_lossy(&text).into_owned()
}

/// Appends what [`write()`] returns.
///
/// Written digit by digit, since generated inputs are dates for the most part and `format!` would take half of the time.
pub fn write_into(text: &mut Vec<u8>, unix: i64, form: Form) {
    let unix = unix.clamp(days_until(0, 0) * 86_400, days_until(10_000, 0) * 86_400 - 1);
    let days = unix.div_euclid(86_400);
    let second = unix.rem_euclid(86_400);
    let (year, month, day) = calendar_day(days);
    let (month, name) = (MONTHS[month].as_bytes(), DAYS[(days + 3).rem_euclid(7) as usize].as_bytes());
    let digit = |number: i64| b'0' + (number % 10) as u8;
    let two = |number: i64| [digit(number / 10), digit(number)];
    let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| text.extend_from_slice(part));
    let time = [two(second / 3600), two(second / 60 % 60), two(second % 60)];
    let time: [&[u8]; 5] = [&time[0], b":", &time[1], b":", &time[2]];
    match form {
        Form::ImfFixdate => {
            put(&[&name[..3], b", ", &two(day), b" ", month, b" ", &two(year / 100), &two(year), b" "]);
            put(&time);
            put(&[b" GMT"]);
        }
        Form::Rfc850 => {
            put(&[name, b", ", &two(day), b"-", month, b"-", &two(year), b" "]);
            put(&time);
            put(&[b" GMT"]);
        }
        Form::Asctime => {
            let tens = if day < 10 { b' ' } else { digit(day / 10) };
            put(&[&name[..3], b" ", month, b" ", &[tens, digit(day)], b" "]);
            put(&time);
            put(&[b" ", &two(year / 100), &two(year)]);
        }
    }
}
