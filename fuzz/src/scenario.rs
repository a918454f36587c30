//! A scenario: a response that asks to be retried later, and a client with its clocks and its plans.
//!
//! It is made from the fuzzer's bytes by `Arbitrary`, so that a small change of the bytes is a small change of the story.

use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use retry_after_core::{Jitter, Moment, Receipt, Schedule, Timestamp};

use crate::model::{self, Form};

/// A response and a client.
#[derive(Arbitrary, Clone, Debug)]
pub struct Scenario {
    /// The `Retry-After` lines, at most three.
    pub lines: Lines,
    /// The response's `Date`, if it has one.
    pub date: Option<DateLine>,
    /// The lines of its `Age`.
    pub ages: Lines,
    /// The monotonic clock at receipt.
    pub receipt: Span,
    /// The local wall clock at receipt.
    pub wall: Wall,
    /// Nanoseconds of the local wall clock at receipt.
    pub wall_nanoseconds: u32,
    /// How long after the receipt the client decides.
    pub elapsed: Span,
    /// The client's own backoff, before the attempt lengthens it.
    pub backoff: Span,
    /// Which attempt it was, from 0 on: each one doubles the backoff, as clients do.
    pub attempt: u8,
    /// The most that jitter may add.
    pub jitter: Span,
    /// The draw that decides how much it adds.
    pub draw: u64,
    /// The limit on hints.
    pub limit: Option<Span>,
    /// The deadline, from receipt.
    pub deadline: Option<Span>,
    /// What somebody sets the wall clock to during the wait, and when from receipt.
    pub jump: Option<(Span, i64)>,
    /// When from receipt somebody cancels.
    pub cancellation: Option<Span>,
}

/// At most three lines.
#[derive(Clone, Debug)]
pub struct Lines(pub Vec<Line>);

impl<'a> Arbitrary<'a> for Lines {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let count = usize::from(u8::arbitrary(bytes)? % 4);
        (0..count).map(|_| Line::arbitrary(bytes)).collect::<Result<_>>().map(Self)
    }
}

/// A line of a field.
#[derive(Arbitrary, Clone, Debug)]
pub enum Line {
    /// Digits.
    Seconds(u16),
    /// Digits, up to all that there can be.
    ManySeconds(u64),
    /// Digits beyond what a u64 holds, perhaps.
    Digits(u128),
    /// A number with a sign.
    Signed(i32),
    /// A number with a fraction, or what floats have besides.
    Float(f64),
    /// A date, so many seconds after the receipt by the local clock.
    Date(DateForm, i32),
    /// A date at any time.
    FarDate(DateForm, i64),
    /// A date that ends in a leap second, or in what could be taken for one: the time is one of a few.
    Leap(DateForm, i32, u8),
    /// A date fifty years after the receipt by the local clock, give or take some seconds.
    Horizon(DateForm, i8),
    /// Another line with blanks around it.
    Padded(Box<Line>),
    /// Another line with one byte replaced.
    Changed(Box<Line>, u8, u8),
    /// Another line with one byte replaced by a neighbour, such as the colon behind the nine.
    Near(Box<Line>, u8, i8),
    /// Another line that says the same to whoever adds up digits without looking at them: of a number from there on, ten are
    /// moved from its tens to its ones, which then are no digit.
    Carried(Box<Line>, u8),
    /// Another line with its first three letters replaced by a day name.
    Renamed(Box<Line>, u8),
    /// Another line with its end cut off.
    Cut(Box<Line>, u8),
    /// Anything.
    Raw(Vec<u8>),
}

/// The form of a date.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum DateForm {
    /// IMF-fixdate.
    Fixdate,
    /// RFC 850.
    Rfc850,
    /// asctime.
    Asctime,
}

impl DateForm {
    /// In the model's words.
    pub fn form(self) -> Form {
        match self {
            Self::Fixdate => Form::ImfFixdate,
            Self::Rfc850 => Form::Rfc850,
            Self::Asctime => Form::Asctime,
        }
    }
}

impl Line {
    /// The bytes of the line, with dates relative to `now`, in seconds since 1970.
    pub fn render(&self, now: i64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(48);
        self.render_into(&mut bytes, now);
        bytes
    }

    /// Appends what [`Line::render`] returns.
    pub fn render_into(&self, out: &mut Vec<u8>, now: i64) {
        let start = out.len();
        match self {
            Self::Seconds(seconds) => print(out, format_args!("{seconds}")),
            Self::ManySeconds(seconds) => print(out, format_args!("{seconds}")),
            Self::Digits(digits) => print(out, format_args!("{digits}")),
            Self::Signed(number) => print(out, format_args!("{number:+}")),
            Self::Float(number) => print(out, format_args!("{number}")),
            Self::Date(form, offset) => model::write_into(out, now.saturating_add(i64::from(*offset)), form.form()),
            Self::FarDate(form, unix) => model::write_into(out, unix % 300_000_000_000, form.form()),
            Self::Leap(form, offset, time) => {
                let times =
                    ["23:59:60", "23:59:59", "23:59:61", "23:58:60", "22:59:60", "24:00:00", "23:60:00", "00:00:60"];
                model::write_into(out, now.saturating_add(i64::from(*offset)), form.form());
                // The time of day is where the colons are.
                if let Some(colon) = out[start..].iter().position(|byte| *byte == b':') {
                    let time = times[usize::from(*time) % times.len()];
                    out[start + colon - 2..][..8].copy_from_slice(time.as_bytes());
                }
            }
            Self::Horizon(form, offset) => {
                let horizon = model::fifty_years_after(now).saturating_add(i64::from(*offset));
                model::write_into(out, horizon, form.form());
            }
            Self::Padded(line) => {
                out.extend(b" \t");
                line.render_into(out, now);
                out.extend(b"\t ");
            }
            Self::Changed(line, position, byte) => {
                line.render_into(out, now);
                let bytes = &mut out[start..];
                if !bytes.is_empty() {
                    bytes[usize::from(*position) % bytes.len()] = *byte;
                }
            }
            Self::Near(line, position, distance) => {
                line.render_into(out, now);
                let bytes = &mut out[start..];
                if !bytes.is_empty() {
                    let position = usize::from(*position) % bytes.len();
                    bytes[position] = bytes[position].wrapping_add_signed(distance % 12);
                }
            }
            Self::Carried(line, from) => {
                line.render_into(out, now);
                let bytes = &mut out[start..];
                let from = usize::from(*from) % (bytes.len() + 1);
                let pair = |pair: &[u8]| matches!(pair, [b'1'..=b'9', b'0'..=b'9']);
                if let Some(place) = bytes[from..].windows(2).position(pair) {
                    bytes[from + place] -= 1;
                    bytes[from + place + 1] += 10;
                }
            }
            Self::Renamed(line, day) => {
                line.render_into(out, now);
                if let Some(name) = out[start..].get_mut(..3) {
                    name.copy_from_slice(&model::DAYS[usize::from(*day) % 7].as_bytes()[..3]);
                }
            }
            Self::Cut(line, end) => {
                line.render_into(out, now);
                let length = out.len() - start;
                out.truncate(start + usize::from(*end) % (length + 1));
            }
            Self::Raw(bytes) => out.extend_from_slice(bytes),
        }
    }
}

fn print(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a Vec does not fail.
    let _ = std::io::Write::write_fmt(out, text);
}

/// The response's `Date`.
#[derive(Arbitrary, Clone, Debug)]
pub enum DateLine {
    /// The server's clock is so many seconds ahead of the local one.
    Skewed(DateForm, i32),
    /// Any line, most of them no date.
    Line(Line),
}

impl DateLine {
    /// The bytes of the line, with the skew relative to `now`, in seconds since 1970.
    pub fn render(&self, now: i64) -> Vec<u8> {
        match self {
            Self::Skewed(form, skew) => model::write(now.saturating_add(i64::from(*skew)), form.form()).into_bytes(),
            Self::Line(line) => line.render(now),
        }
    }
}

/// A length of time, mostly one that occurs.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Span {
    /// Whole seconds.
    Seconds(u8),
    /// Whole seconds, up to some hours.
    ManySeconds(u16),
    /// Nanoseconds, up to some seconds.
    Nanoseconds(u32),
    /// Any length.
    Any(u64, u32),
    /// None.
    Zero,
    /// The longest there is.
    Longest,
}

impl Span {
    /// As a duration.
    pub fn duration(self) -> Duration {
        match self {
            Self::Seconds(seconds) => Duration::from_secs(seconds.into()),
            Self::ManySeconds(seconds) => Duration::from_secs(seconds.into()),
            Self::Nanoseconds(nanoseconds) => Duration::from_nanos(nanoseconds.into()),
            Self::Any(seconds, nanoseconds) => Duration::new(seconds, nanoseconds % 1_000_000_000),
            Self::Zero => Duration::ZERO,
            Self::Longest => Duration::MAX,
        }
    }
}

/// A local wall clock.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Wall {
    /// So many seconds after 30 November 2026.
    Present(i32),
    /// Any time.
    Any(i64),
    /// Never set.
    Unset,
}

impl Wall {
    /// Seconds since 1970.
    pub fn unix(self) -> i64 {
        match self {
            Self::Present(offset) => 1_796_034_600 + i64::from(offset),
            Self::Any(unix) => unix,
            Self::Unset => 0,
        }
    }
}

impl Scenario {
    /// The monotonic clock at receipt.
    pub fn start(&self) -> Moment {
        Moment::from_origin(self.receipt.duration())
    }

    /// The monotonic clock when the client decides.
    pub fn now(&self) -> Moment {
        self.start().saturating_add(self.elapsed.duration())
    }

    /// The local wall clock at receipt.
    pub fn wall(&self) -> Timestamp {
        Timestamp::new(self.wall.unix(), self.wall_nanoseconds % 1_000_000_000)
    }

    /// The bytes of the `Retry-After` lines.
    pub fn lines(&self) -> Vec<Vec<u8>> {
        self.lines.0.iter().map(|line| line.render(self.wall.unix())).collect()
    }

    /// The bytes of the `Age` lines.
    pub fn ages(&self) -> Vec<Vec<u8>> {
        self.ages.0.iter().map(|line| line.render(self.wall.unix())).collect()
    }

    /// The bytes of `Date`.
    pub fn date(&self) -> Option<Vec<u8>> {
        self.date.as_ref().map(|date| date.render(self.wall.unix()))
    }

    /// The receipt, with `Date` and `Age` as they were rendered.
    pub fn receipt(&self, date: Option<&[u8]>, ages: &[Vec<u8>]) -> Receipt {
        let receipt = Receipt::new(self.start(), self.wall());
        match date {
            Some(date) => receipt.with_date(date, ages.iter().map(Vec::as_slice)),
            None => receipt,
        }
    }

    /// The own backoff of this attempt.
    pub fn backoff(&self) -> Duration {
        self.backoff.duration().saturating_mul(1 << (self.attempt % 8))
    }

    /// The client's schedule.
    pub fn schedule(&self) -> Schedule {
        let mut schedule = Schedule::new(self.backoff()).with_jitter(Jitter::new(self.jitter.duration(), self.draw));
        if let Some(limit) = self.limit {
            schedule = schedule.with_limit(limit.duration());
        }
        if let Some(deadline) = self.deadline {
            schedule = schedule.with_deadline(deadline.duration());
        }
        schedule
    }
}
