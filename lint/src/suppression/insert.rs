//! Writing suppressions: comments put above the lines of findings.

use crate::module::parse::comment;
use crate::source::LineIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A text with suppressions in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The text.
    pub text: String,
    /// How many suppressions were put in.
    pub count: usize,
    /// The lines, from 1, where there is no room for one: the line begins and ends within a string or comment.
    pub without_room: Vec<u32>,
}

/// Puts suppressions of the rules at the lines, which count from 1: above the line, or behind it where that would be within a string.
/// The reason is one line of text.
pub fn insert(text: &str, places: &BTreeMap<u32, BTreeSet<&str>>, reason: &str) -> Inserted {
    let lines = LineIndex::new(text);
    let mut inserted = Inserted { text: text.to_owned(), count: 0, without_room: Vec::new() };
    // From the end on, so that places before stay where they are.
    for (line, rules) in places.iter().rev() {
        let start = lines.start(text, *line);
        let code = lines.line(text, *line);
        let start = start + text[start..].find(code).unwrap_or(0);
        let end = start + code.len();
        let names = rules.iter().copied().collect::<Vec<_>>().join(", ");
        let comment = format!("// retry-after: allow({names}): {reason}");
        let indent: String = code.chars().take_while(|letter| letter.is_whitespace()).collect();
        let line_end = if text[end..].starts_with('\r') { "\r\n" } else { "\n" };
        if let Some(place) = without_reason_above(text, &lines, *line, rules) {
            // One without a reason is what this one was meant to be.
            inserted.text.replace_range(place, &comment);
        } else if comment::has_room_at(text, start) {
            inserted.text.insert_str(start, &format!("{indent}{comment}{line_end}"));
        } else if comment::has_room_at(text, end) && !has_comment(code) {
            inserted.text.insert_str(end, &format!(" {comment}"));
        } else {
            inserted.without_room.push(*line);
            continue;
        }
        inserted.count += 1;
    }
    inserted.without_room.reverse();
    inserted
}

/// Where a suppression of some of the rules stands in the line above that says no reason.
fn without_reason_above(text: &str, lines: &LineIndex, line: u32, rules: &BTreeSet<&str>) -> Option<Range<usize>> {
    let above = line.checked_sub(1).filter(|above| *above > 0)?;
    let code = lines.line(text, above);
    let comment = code.trim();
    let names = comment.strip_prefix("// retry-after: allow(")?.trim_end_matches([':', ' ']).strip_suffix(')')?;
    let start = lines.start(text, above);
    let start = start + text[start..].find(comment)?;
    names.split(',').all(|name| rules.contains(name.trim())).then_some(start..start + comment.len())
}

/// Whether there may be a comment in the line that would swallow another.
fn has_comment(line: &str) -> bool {
    line.contains("//")
}
