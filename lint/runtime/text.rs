//! Outcomes in words.

use std::fmt::Write;
use std::time::Duration;

use super::subject::Outcome;

/// What a subject does.
pub fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Delay(wait) => format!("waits {}", seconds(*wait)),
        Outcome::None => "takes it for no hint".to_owned(),
        Outcome::Error => "gives an error".to_owned(),
        Outcome::Panic(message) => format!("panics: {}", message.lines().next().unwrap_or_default()),
    }
}

/// What the reference does: it waits, or there is no hint.
pub fn right(wait: Option<Duration>) -> String {
    match wait {
        Some(Duration::MAX) => "waits as long as can be said".to_owned(),
        Some(wait) => format!("waits {}", seconds(wait)),
        None => "takes it for no hint".to_owned(),
    }
}

/// Seconds with as many decimals as it takes.
fn seconds(wait: Duration) -> String {
    let mut text = wait.as_secs().to_string();
    if wait.subsec_nanos() > 0 {
        let decimals = format!(".{:09}", wait.subsec_nanos());
        text.push_str(decimals.trim_end_matches('0'));
    }
    text.push_str(" s");
    text
}

/// The text as a JSON string.
pub fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if u32::from(control) < 32 => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_read_well() {
        assert_eq!(told(&Outcome::Delay(Duration::from_millis(6_750))), "waits 6.75 s");
        assert_eq!(told(&Outcome::Panic("over\nflow".to_owned())), "panics: over");
        assert_eq!(right(Some(Duration::MAX)), "waits as long as can be said");
        assert_eq!(json("a\"\n\\"), r#""a\"\u000a\\""#);
    }
}
