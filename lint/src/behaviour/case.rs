//! Header cases: the concrete values that the code is run over, each standing for a whole kind.

/// The moment at which every case is received: seconds since the Unix epoch. A Monday noon; no case depends on which.
pub const NOW: i64 = 1_796_040_000;

/// Nanoseconds in a second.
pub const SECOND: i128 = 1_000_000_000;

/// The wait that a server knows in the case of an emission, in nanoseconds: no whole number of any unit above the nanosecond, nearer to the
/// second below than to the one above.
pub const WAIT: i128 = 2_345_678_901;

/// A wait of more nanoseconds than this is no hint: it came of a number or a difference that wrapped.
pub const WRAPPED: i128 = 1_000_000_000_000 * SECOND;

/// What the response carries in its Retry-After header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Case {
    /// A short delay, below every sensible cap.
    Small,
    /// A delay above every sensible cap.
    Huge,
    /// A date a little ahead, as an IMF-fixdate.
    NearDate,
    /// A date far ahead, as an IMF-fixdate.
    FarDate,
    /// Text that is neither number nor date.
    Garbage,
    /// No header at all.
    Absent,
    /// A field value that is not visible ASCII, so that `to_str` fails.
    NotText,
    /// A number that no integer type holds.
    Overflow,
    /// A delay of nothing.
    Zero,
    /// The largest number that a signed integer of 64 bits holds.
    Largest,
    /// A number a little above what 32 bits hold, which they would turn into seven.
    Wide,
    /// A number below zero.
    Negative,
    /// What floats read as a number that is none.
    NotANumber,
    /// The near date in RFC 850's form.
    Rfc850,
    /// The near date in asctime's form.
    Asctime,
    /// A date that is long past.
    PastDate,
    /// The near date, a quarter of a second later: a fraction of a second is left.
    LateDate,
    /// No response at all: a server knows a wait, [`WAIT`], and sends it. Not one of [`Case::ALL`].
    Emission,
}

impl Case {
    /// The cases in the order in which they are run. The first one tells whether the others are worth it.
    pub const ALL: [Case; 17] = [
        Case::Small,
        Case::Huge,
        Case::NearDate,
        Case::FarDate,
        Case::Garbage,
        Case::Absent,
        Case::NotText,
        Case::Overflow,
        Case::Zero,
        Case::Largest,
        Case::Wide,
        Case::Negative,
        Case::NotANumber,
        Case::Rfc850,
        Case::Asctime,
        Case::PastDate,
        Case::LateDate,
    ];

    /// The cases that make sense where only the parsed hint is seen, not its text.
    pub const PARSED: [Case; 5] = [Case::Small, Case::Huge, Case::Absent, Case::Zero, Case::Largest];

    /// The field value; None where there is none or where it is no text.
    pub fn text(self) -> Option<&'static str> {
        match self {
            Case::Small => Some("7"),
            Case::Huge => Some("10000000"),
            Case::NearDate => Some("Mon, 30 Nov 2026 12:00:07 GMT"),
            Case::FarDate => Some("Fri, 26 Mar 2027 05:46:40 GMT"),
            Case::Garbage => Some("soon"),
            Case::Overflow => Some("99999999999999999999999999999999999999999"),
            Case::Zero => Some("0"),
            Case::Largest => Some("9223372036854775807"),
            Case::Wide => Some("4294967303"),
            Case::Negative => Some("-5"),
            Case::NotANumber => Some("nan"),
            Case::Rfc850 => Some("Monday, 30-Nov-26 12:00:07 GMT"),
            Case::Asctime => Some("Mon Nov 30 12:00:07 2026"),
            Case::PastDate => Some("Sun, 06 Nov 1994 08:49:37 GMT"),
            Case::LateDate => Case::NearDate.text(),
            Case::Absent | Case::NotText | Case::Emission => None,
        }
    }

    /// The value of a vendor's header that is named after this one and has no date form, in units of so many nanoseconds.
    pub fn vendor_text(self, unit: i128) -> Option<String> {
        match self {
            Case::Small | Case::Huge | Case::Wide => Some((self.seconds()? * SECOND / unit).to_string()),
            _ if self.is_date() => Some("soon".to_owned()),
            _ => self.text().map(str::to_owned),
        }
    }

    /// How long the server asks the client to wait, in seconds; None where the header says nothing.
    pub fn seconds(self) -> Option<i128> {
        match self {
            Case::Small | Case::NearDate | Case::Rfc850 | Case::Asctime | Case::LateDate => Some(7),
            Case::Huge | Case::FarDate => Some(10_000_000),
            Case::Overflow => Some(i128::from(u64::MAX)),
            Case::Largest => Some(i128::from(i64::MAX)),
            Case::Wide => Some(4_294_967_303),
            Case::Zero | Case::PastDate => Some(0),
            Case::Garbage | Case::Absent | Case::NotText | Case::Negative | Case::NotANumber | Case::Emission => None,
        }
    }

    /// Whether the wait is above every sensible cap.
    pub fn is_long(self) -> bool {
        matches!(self, Case::Huge | Case::FarDate)
    }

    /// Whether the value is a date.
    pub fn is_date(self) -> bool {
        matches!(self, Case::NearDate | Case::FarDate | Case::Rfc850 | Case::Asctime | Case::PastDate | Case::LateDate)
    }

    /// The moment at which this case's response is received, in nanoseconds since the Unix epoch.
    pub fn now(self) -> i128 {
        let fraction = if self == Case::LateDate { SECOND / 4 } else { 0 };
        i128::from(NOW) * SECOND + fraction
    }

    /// Whether it is there to find one kind of fault, and says nothing where that kind cannot be: what must have been met before.
    pub fn needs(self) -> Option<Need> {
        match self {
            Case::Negative | Case::NotANumber => Some(Need::WideGrammar),
            Case::Wide => Some(Need::NarrowCast),
            Case::Rfc850 | Case::Asctime | Case::PastDate | Case::LateDate => Some(Need::Date),
            _ => None,
        }
    }
}

/// What an entry must have shown for some cases to be worth running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Need {
    /// Text is read as a number by more than digits: a signed integer or a float.
    WideGrammar,
    /// A number that was made from the hint is cast to fewer bits.
    NarrowCast,
    /// Text is read as a date.
    Date,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dates_lie_where_the_cases_say() {
        for case in [Case::NearDate, Case::FarDate] {
            let parsed = retry_after_date(case.text().unwrap());
            assert_eq!(i128::from(parsed - NOW), case.seconds().unwrap(), "{case:?}");
        }
    }

    /// Seconds since the Unix epoch of an IMF-fixdate, by counting days.
    fn retry_after_date(text: &str) -> i64 {
        crate::behaviour::library::time::imf_fixdate(text).expect("an IMF-fixdate")
    }
}
