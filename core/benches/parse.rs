//! Reading a value, beside the other crates that can: `cargo bench -p retry-after-core`.
//!
//! Each figure is for a batch of 256 values that differ, so that no branch learns the one date of the benchmark by heart.
//! Divide by 256, or take the items per second.
//!
//! Every crate is asked as its documentation says, from the type that it takes, and has to reach an instant or a number of
//! seconds. A crate that cannot read a form at all has no line there. In `malformed` every crate rejects every value.

#![allow(missing_docs)] // What divan's macros make.

use std::time::SystemTime;

use divan::{black_box, Bencher};
use retry_after_core::{HttpDate, RetryAfter, Timestamp};

fn main() {
    divan::main();
}

const BATCH: usize = 256;

fn now() -> Timestamp {
    Timestamp::from_unix(1_796_034_600)
}

/// Instants within some years of each other, so that all two-digit years are unambiguous for every crate.
fn fixdates() -> Vec<String> {
    (0..BATCH as i64).map(|n| HttpDate::from_unix(946_684_800 + n * 3_333_377).unwrap().to_string()).collect()
}

fn rfc850_dates() -> Vec<String> {
    let long = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let rewrite = |date: String| {
        let name = long.iter().find(|name| name.starts_with(&date[..3])).unwrap();
        format!("{name}, {}-{}-{} {}", &date[5..7], &date[8..11], &date[14..16], &date[17..])
    };
    fixdates().into_iter().map(rewrite).collect()
}

fn asctime_dates() -> Vec<String> {
    let rewrite = |date: String| {
        let day: u8 = date[5..7].parse().unwrap();
        format!("{} {} {day:2} {} {}", &date[..3], &date[8..11], &date[17..25], &date[12..16])
    };
    fixdates().into_iter().map(rewrite).collect()
}

fn delays() -> Vec<String> {
    // One to five digits, most of them two or three.
    (0..BATCH as u64).map(|n| (n * n * n % [10, 100, 1_000, 1_000, 100, 100_000][n as usize % 6]).to_string()).collect()
}

fn malformed() -> Vec<String> {
    let near_misses = ["-1", "1.5", "soon", "120s", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Nov 1994 08:49:37 GMT"];
    (0..BATCH).map(|n| near_misses[n % near_misses.len()].to_owned()).collect()
}

/// Reads each value of a batch.
fn batch<T>(bencher: Bencher<'_, '_>, values: Vec<String>, read: impl Fn(&str) -> T + Sync) {
    bencher.counter(divan::counter::ItemsCount::new(BATCH)).bench(|| {
        for value in &values {
            // By reference: to copy a result of several words would cost more than to read a short delay.
            black_box(&read(black_box(value)));
        }
    });
}

/// The same for a crate that takes header values.
fn header_batch<T>(bencher: Bencher<'_, '_>, values: Vec<String>, read: impl Fn(&http::HeaderValue) -> T + Sync) {
    let values: Vec<http::HeaderValue> = values.iter().map(|value| value.parse().unwrap()).collect();
    bencher.counter(divan::counter::ItemsCount::new(BATCH)).bench(|| {
        for value in &values {
            black_box(&read(black_box(value)));
        }
    });
}

fn ours(value: &str) -> Result<RetryAfter, retry_after_core::ParseError> {
    RetryAfter::parse(value.as_bytes(), now())
}

fn httpdate(value: &str) -> Result<SystemTime, httpdate::Error> {
    httpdate::parse_http_date(value)
}

fn headers(value: &http::HeaderValue) -> Result<headers::RetryAfter, headers::Error> {
    use headers::Header;
    headers::RetryAfter::decode(&mut std::iter::once(value))
}

fn retry_after_crate(value: &http::HeaderValue) -> Result<retry_after::RetryAfter, retry_after::FromHeaderValueError> {
    value.try_into()
}

/// A group of one form: what is shared by all crates that read all forms, and what others are asked beside.
macro_rules! form {
    ($form:ident, $values:expr $(, $name:ident => $read:expr)*) => {
        mod $form {
            use super::*;

            #[divan::bench]
            fn a_retry_after_core(bencher: Bencher<'_, '_>) {
                batch(bencher, $values, ours);
            }

            #[divan::bench]
            fn headers(bencher: Bencher<'_, '_>) {
                header_batch(bencher, $values, super::headers);
            }

            #[divan::bench]
            fn retry_after(bencher: Bencher<'_, '_>) {
                header_batch(bencher, $values, super::retry_after_crate);
            }

            $(
                #[divan::bench]
                fn $name(bencher: Bencher<'_, '_>) {
                    batch(bencher, $values, $read);
                }
            )*
        }
    };
}

const CHRONO_IMF: &str = "%a, %d %b %Y %H:%M:%S GMT";
const CHRONO_850: &str = "%A, %d-%b-%y %H:%M:%S GMT";
const CHRONO_ASC: &str = "%a %b %e %H:%M:%S %Y";

fn chrono(value: &str, format: &str) -> Option<i64> {
    let date = chrono::NaiveDateTime::parse_from_str(value, format).ok()?;
    Some(date.and_utc().timestamp())
}

fn jiff(value: &str, format: &str) -> Option<i64> {
    let date = jiff::fmt::strtime::parse(format, value).ok()?.to_datetime().ok()?;
    Some(jiff::tz::Offset::UTC.to_timestamp(date).ok()?.as_second())
}

const TIME_IMF: &[time::format_description::BorrowedFormatItem<'_>] = time::macros::format_description!(
    "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
);
const TIME_ASC: &[time::format_description::BorrowedFormatItem<'_>] = time::macros::format_description!(
    "[weekday repr:short] [month repr:short] [day padding:space] [hour]:[minute]:[second] [year]"
);

fn time(value: &str, format: &[time::format_description::BorrowedFormatItem<'_>]) -> Option<i64> {
    Some(time::PrimitiveDateTime::parse(value, format).ok()?.assume_utc().unix_timestamp())
}

form!(
    imf_fixdate,
    fixdates(),
    httpdate => super::httpdate,
    chrono => |value: &str| super::chrono(value, CHRONO_IMF),
    chrono_rfc2822 => |value: &str| chrono::DateTime::parse_from_rfc2822(value).map(|date| date.timestamp()),
    jiff => |value: &str| super::jiff(value, CHRONO_IMF),
    jiff_rfc2822 => |value: &str| jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value),
    time => |value: &str| super::time(value, TIME_IMF)
);

form!(
    rfc850,
    rfc850_dates(),
    httpdate => super::httpdate,
    chrono => |value: &str| super::chrono(value, CHRONO_850),
    jiff => |value: &str| super::jiff(value, CHRONO_850)
);

form!(
    asctime,
    asctime_dates(),
    httpdate => super::httpdate,
    chrono => |value: &str| super::chrono(value, CHRONO_ASC),
    jiff => |value: &str| super::jiff(value, CHRONO_ASC),
    time => |value: &str| super::time(value, TIME_ASC)
);

form!(
    delay_seconds,
    delays(),
    u64_from_str => |value: &str| value.parse::<u64>()
);

form!(
    malformed,
    super::malformed(),
    httpdate => super::httpdate,
    u64_from_str => |value: &str| value.parse::<u64>()
);

/// What the short cut of eight bytes at a time saves: with a wrong day name the same dates go byte by byte.
mod imf_fixdate_byte_by_byte {
    use super::*;

    #[divan::bench]
    fn a_retry_after_core(bencher: Bencher<'_, '_>) {
        let names = ["Mon", "Tue"];
        let renamed = |date: String| {
            let name = names.iter().find(|name| !date.starts_with(**name)).unwrap();
            format!("{name}{}", &date[3..])
        };
        batch(bencher, fixdates().into_iter().map(renamed).collect(), ours);
    }
}

/// All the way from the bytes to a decision.
mod decide {
    use std::time::Duration;

    use retry_after_core::{Moment, Reading, Receipt, Repeatable, Schedule};

    use super::*;

    #[divan::bench]
    fn a_retry_after_core(bencher: Bencher<'_, '_>) {
        let schedule = Schedule::new(Duration::from_secs(8)).with_limit(Duration::from_secs(3600));
        batch(bencher, fixdates(), |value| {
            let receipt = Receipt::new(Moment::default(), now()).with_date(b"Mon, 30 Nov 2026 10:30:00 GMT", []);
            schedule.decide(&Reading::new([value.as_bytes()], receipt), receipt.moment(), Repeatable::Idempotent)
        });
    }
}
