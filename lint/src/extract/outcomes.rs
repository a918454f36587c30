//! Outcomes: text that turns what code gives into an outcome, for the types a wait comes in.

use super::UnitOf;
use super::clients::{CLOCKS, OUTCOMES};

/// A fallback of the code's own, which the copy has no value for, in whole seconds. A result that equals it is no hint's.
const OWN: u64 = 3_133_731;

/// The module that turns results into outcomes.
pub(super) fn module(unit: UnitOf, crates: &[&str]) -> String {
    let has = |name: &str| crates.contains(&name);
    let mut text = format!(
        "mod {OUTCOMES} {{
    use ::std::convert::TryFrom;
    use ::std::time::{{Duration, Instant, SystemTime}};
    pub use crate::runtime::Outcome;
    pub trait IntoOutcome {{ fn outcome(self) -> Outcome; }}
    thread_local! {{ static OWN_TAKEN: ::std::cell::Cell<bool> = const {{ ::std::cell::Cell::new(false) }}; }}
    pub fn reset() {{ OWN_TAKEN.set(false); }}
    pub fn outcome<T: IntoOutcome>(value: T) -> Outcome {{
        if OWN_TAKEN.get() {{ return Outcome::None; }}
        match value.outcome() {{
            Outcome::Delay(delay) if delay == Duration::from_secs({OWN}) || delay == Duration::from_millis({OWN}) => Outcome::None,
            outcome => outcome,
        }}
    }}
    pub fn text<'a>(lines: &[&'a [u8]]) -> Option<&'a str> {{
        let line = lines.first()?;
        let is_visible = line.iter().all(|byte| *byte == b'\\t' || (b' '..=b'~').contains(byte));
        if is_visible {{ ::std::str::from_utf8(line).ok() }} else {{ None }}
    }}
    pub fn raw_lines(lines: &[&[u8]]) -> ::std::vec::Vec<::std::string::String> {{
        let lines = lines.iter().filter_map(|line| ::std::str::from_utf8(line).ok());
        lines.map(|line| ::std::format!(\"retry-after: {{line}}\")).collect()
    }}
    /// What `?` leaves with.
    pub trait Tried {{ type Value; fn tried(self) -> Result<Self::Value, Outcome>; }}
    impl<T> Tried for Option<T> {{ type Value = T; fn tried(self) -> Result<T, Outcome> {{ self.ok_or(Outcome::None) }} }}
    impl<T, E> Tried for Result<T, E> {{ type Value = T; fn tried(self) -> Result<T, Outcome> {{ self.map_err(|_| Outcome::Error) }} }}
    /// A value of the code's own, that nothing is known of.
    pub trait Own {{ fn own() -> Self; fn no_wait() -> Self; }}
    /// In the place of a fallback: whatever is made of it is no hint's.
    pub fn own<T: Own>() -> T {{ OWN_TAKEN.set(true); T::own() }}
    /// In the place of a parameter: a result that equals it is no hint's.
    pub fn own_value<T: Own>() -> T {{ T::own() }}
    /// In the place of a wait of the code's own that a hint is held against.
    pub fn no_wait<T: Own>() -> T {{ T::no_wait() }}
    pub fn no_wait_like<T: Own>(_: &T) -> T {{ T::no_wait() }}
    impl Own for Duration {{
        fn own() -> Self {{ Duration::from_secs({OWN}) }}
        fn no_wait() -> Self {{ Duration::ZERO }}
    }}
    impl Own for Instant {{
        fn own() -> Self {{ super::{CLOCKS}::monotonic() + Duration::from_secs({OWN}) }}
        fn no_wait() -> Self {{ super::{CLOCKS}::monotonic() }}
    }}
    impl Own for SystemTime {{
        fn own() -> Self {{ super::{CLOCKS}::wall() + Duration::from_secs({OWN}) }}
        fn no_wait() -> Self {{ super::{CLOCKS}::wall() }}
    }}
    impl<T: Own> Own for Option<T> {{ fn own() -> Self {{ None }} fn no_wait() -> Self {{ None }} }}
    impl IntoOutcome for Outcome {{ fn outcome(self) -> Outcome {{ self }} }}
    impl IntoOutcome for Duration {{ fn outcome(self) -> Outcome {{ Outcome::Delay(self) }} }}
    impl IntoOutcome for SystemTime {{
        fn outcome(self) -> Outcome {{
            Outcome::Delay(self.duration_since(super::{CLOCKS}::wall()).unwrap_or(Duration::ZERO))
        }}
    }}
    impl IntoOutcome for Instant {{
        fn outcome(self) -> Outcome {{ Outcome::Delay(self.saturating_duration_since(super::{CLOCKS}::monotonic())) }}
    }}
    impl<T: IntoOutcome> IntoOutcome for Option<T> {{
        fn outcome(self) -> Outcome {{ self.map_or(Outcome::None, IntoOutcome::outcome) }}
    }}
    impl<T: IntoOutcome, E> IntoOutcome for Result<T, E> {{
        fn outcome(self) -> Outcome {{ self.map_or_else(|_| Outcome::Error, IntoOutcome::outcome) }}
    }}
    impl<T: IntoOutcome + Clone> IntoOutcome for &T {{ fn outcome(self) -> Outcome {{ self.clone().outcome() }} }}
    impl<T: IntoOutcome + Clone> IntoOutcome for &mut T {{ fn outcome(self) -> Outcome {{ self.clone().outcome() }} }}
    impl<T: IntoOutcome> IntoOutcome for ::std::boxed::Box<T> {{ fn outcome(self) -> Outcome {{ (*self).outcome() }} }}
    impl IntoOutcome for ::std::string::String {{ fn outcome(self) -> Outcome {{ Outcome::Error }} }}
"
    );
    let nanoseconds: u64 = match unit {
        UnitOf::Nanoseconds => 1,
        UnitOf::Microseconds => 1_000,
        UnitOf::Milliseconds => 1_000_000,
        UnitOf::Seconds | UnitOf::UnixSeconds => 1_000_000_000,
        UnitOf::Minutes => 60_000_000_000,
    };
    let own = match unit {
        UnitOf::Milliseconds => format!("{OWN}_000"),
        _ => OWN.to_string(),
    };
    let after = match unit {
        UnitOf::UnixSeconds => {
            "let at = SystemTime::UNIX_EPOCH.checked_add(saturating(nanoseconds)); at.map_or(Outcome::Delay(Duration::MAX), IntoOutcome::outcome)"
        }
        _ => "Outcome::Delay(saturating(nanoseconds))",
    };
    text.push_str(&format!(
        "    fn saturating(nanoseconds: u128) -> Duration {{
        let seconds = nanoseconds / 1_000_000_000;
        u64::try_from(seconds).map_or(Duration::MAX, |seconds| Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32))
    }}
    fn number(nanoseconds: u128) -> Outcome {{ {after} }}
"
    ));
    for ty in ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"] {
        let small = matches!(ty, "u8" | "u16" | "i8" | "i16");
        let own = if small { format!("{ty}::MAX") } else { format!("{own}u64 as {ty}") };
        text.push_str(&format!(
            "    impl IntoOutcome for {ty} {{ fn outcome(self) -> Outcome {{ number(u128::try_from(self).unwrap_or(0).saturating_mul({nanoseconds})) }} }}
    impl Own for {ty} {{ fn own() -> Self {{ {own} }} fn no_wait() -> Self {{ 0 }} }}
"
        ));
    }
    for ty in ["f32", "f64"] {
        text.push_str(&format!(
            "    impl IntoOutcome for {ty} {{ fn outcome(self) -> Outcome {{ number((self as f64 * {nanoseconds}f64) as u128) }} }}
    impl Own for {ty} {{ fn own() -> Self {{ {own}u64 as {ty} }} fn no_wait() -> Self {{ 0.0 }} }}
"
        ));
    }
    if has("chrono") {
        text.push_str(&format!(
            "    impl IntoOutcome for ::chrono::Duration {{ fn outcome(self) -> Outcome {{ Outcome::Delay(self.to_std().unwrap_or(Duration::ZERO)) }} }}
    impl<Z: ::chrono::TimeZone> IntoOutcome for ::chrono::DateTime<Z> {{
        fn outcome(self) -> Outcome {{
            let now: ::chrono::DateTime<::chrono::Utc> = super::{CLOCKS}::wall().into();
            self.with_timezone(&::chrono::Utc).signed_duration_since(now).outcome()
        }}
    }}
    impl IntoOutcome for ::chrono::NaiveDateTime {{ fn outcome(self) -> Outcome {{ ::chrono::DateTime::<::chrono::Utc>::from_utc(self, ::chrono::Utc).outcome() }} }}
"
        ));
    }
    if has("time") {
        text.push_str(&format!(
            "    impl IntoOutcome for ::time::Duration {{ fn outcome(self) -> Outcome {{ Outcome::Delay(Duration::try_from(self).unwrap_or(Duration::ZERO)) }} }}
    impl IntoOutcome for ::time::OffsetDateTime {{
        fn outcome(self) -> Outcome {{ (self - ::time::OffsetDateTime::from(super::{CLOCKS}::wall())).outcome() }}
    }}
"
        ));
    }
    if has("jiff") {
        text.push_str(
            "    impl IntoOutcome for ::jiff::SignedDuration { fn outcome(self) -> Outcome { Outcome::Delay(Duration::try_from(self).unwrap_or(Duration::ZERO)) } }
    impl IntoOutcome for ::jiff::Timestamp { fn outcome(self) -> Outcome { SystemTime::from(self).outcome() } }
    impl IntoOutcome for ::jiff::Zoned { fn outcome(self) -> Outcome { self.timestamp().outcome() } }
",
        );
    }
    if has("tokio") {
        text.push_str("    impl IntoOutcome for ::tokio::time::Instant { fn outcome(self) -> Outcome { self.into_std().outcome() } }\n");
    }
    if has("httpdate") {
        text.push_str("    impl IntoOutcome for ::httpdate::HttpDate { fn outcome(self) -> Outcome { SystemTime::from(self).outcome() } }\n");
    }
    if has("headers") {
        text.push_str("    impl IntoOutcome for ::headers::Date { fn outcome(self) -> Outcome { SystemTime::from(self).outcome() } }\n");
    }
    text.push_str("}\n");
    text
}
