//! Fingerprints: what a finding is known by when the lines around it move.
//!
//! Hashed are the rule, the file, the function around the place and the flagged text without its white space and trailing commas; the same fault a second
//! time in one function gets a number. So neither lines above it nor a formatter change it, and a new fault of the same kind is new.

use super::{Place, Report, Shown};
use crate::diagnostic::Finding;
use std::collections::BTreeMap;

/// The hash, before findings of equal hash are numbered.
pub(super) fn of(finding: &Finding, place: &Place, text: &str) -> String {
    let flagged = text.get(finding.span.start as usize..finding.span.end as usize).unwrap_or_default();
    let before = text.get(..finding.span.start as usize).unwrap_or_default();
    hash(&[finding.rule, &place.file, function_around(before), &without_layout(flagged)])
}

/// The hash of a few texts, with their borders.
pub(super) fn hash(parts: &[&str]) -> String {
    format!("{:016x}", fnv(parts.iter().flat_map(|part| part.bytes().chain([0]))))
}

/// What a finding is known by wherever it moves, and its flagged text without layout: hashed are the rule, the function around, and the text without white space,
/// braces and trailing commas, which formatters put in and take out.
pub fn flagged_hash(report: &Report, shown: &Shown) -> (String, String) {
    let text = report.texts.get(&(shown.root, shown.finding.span.file)).map_or("", |text| &text.text);
    let span = shown.finding.span;
    let flagged = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let before = text.get(..span.start as usize).unwrap_or_default();
    let dense = without_layout(&crate::module::parse::comment::without(flagged));
    let bare: String = dense.chars().filter(|letter| !"{},;".contains(*letter)).collect();
    let parts = [shown.finding.rule, function_around(before), &bare];
    (format!("{:016x}", fnv(parts.into_iter().flat_map(|part| part.bytes().chain([0])))), dense)
}

/// Numbers findings of equal hash, in the order they are reported.
pub(super) fn number(findings: &mut [Shown]) {
    let mut seen: BTreeMap<(Option<String>, String), u32> = BTreeMap::new();
    for shown in findings {
        let count = seen.entry((shown.package.clone(), shown.fingerprint.clone())).or_default();
        if *count > 0 {
            shown.fingerprint = format!("{:016x}", fnv(shown.fingerprint.bytes().chain(count.to_le_bytes())));
        }
        *count += 1;
    }
}

fn without_layout(text: &str) -> String {
    let dense: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    dense.replace(",)", ")").replace(",]", "]").replace(",}", "}")
}

/// The name behind the last `fn` before the place. An approximation that needs no syntax: it only has to be the same for the same code.
fn function_around(before: &str) -> &str {
    let mut rest = before;
    while let Some(place) = rest.rfind("fn ") {
        let is_word = !rest[..place].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let name = before[place + 3..].trim_start();
        let end = name.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(name.len());
        if is_word && end > 0 {
            return &name[..end];
        }
        rest = &rest[..place];
    }
    ""
}

/// Fowler, Noll and Vo's hash in its 1a form with 64 bits: short, and the same on every machine and for every version of the tool.
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv("".bytes()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("foobar".bytes()), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_function_around_is_the_nearest_before() {
        assert_eq!(function_around("fn a() {}\npub async fn b<T>(x: T) { x"), "b");
        assert_eq!(function_around("fn a() { let often = 1; x.hyphen "), "a");
        assert_eq!(function_around("let x ="), "");
    }

    #[test]
    fn layout_does_not_count() {
        assert_eq!(without_layout("x.min(\n    MAX,\n)"), without_layout("x.min(MAX)"));
    }
}
