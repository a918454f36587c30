//! Removals: lines that a change takes away, and the lines beside them that this alters.
//!
//! A guard that is gone changes what it guarded, though no line there was touched: `if secs > LIMIT { return Err(busy) }` above a sleep, `.max(backoff)` in a chain.
//! But most removals only shift lines. So a removal counts for the line below it when it holds a choice, or a name that the line has; and for the line
//! above it when it holds both.

use std::collections::BTreeSet;

/// Words that stand for a choice.
const CHOICES: &[&str] = &[
    "if",
    "else",
    "match",
    "while",
    "return",
    "break",
    "continue",
    "bail",
    "ensure",
    "filter",
    "min",
    "max",
    "clamp",
    "then",
    "ok_or",
    "or_else",
    "or",
    "unwrap_or",
    "unwrap_or_else",
    "map_or",
    "map_or_else",
    "checked_add",
    "saturating_add",
];

/// Words that say nothing about what code is about.
const COMMON: &[&str] = &[
    "let",
    "mut",
    "fn",
    "pub",
    "self",
    "Self",
    "use",
    "crate",
    "super",
    "mod",
    "impl",
    "for",
    "in",
    "loop",
    "as",
    "ref",
    "move",
    "async",
    "await",
    "const",
    "static",
    "struct",
    "enum",
    "trait",
    "type",
    "where",
    "dyn",
    "Some",
    "None",
    "Ok",
    "Err",
    "Option",
    "Result",
    "String",
    "str",
    "u64",
    "u32",
    "usize",
    "i64",
    "f64",
    "bool",
    "true",
    "false",
    "std",
    "into",
    "from",
    "clone",
    "to_string",
    "unwrap",
    "expect",
    "map",
    "and_then",
    "new",
    "Duration",
    "from_secs",
    "time",
    "parse",
    "get",
];

/// Lines that a change takes away at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Removal {
    /// The line of the new side that follows.
    next: u32,
    /// The names in what was removed.
    names: BTreeSet<String>,
    has_choice: bool,
    /// Whether nothing was put in its place.
    is_pure: bool,
}

impl Removal {
    /// None where what is gone was no code, guarded nothing, or was replaced by as much.
    pub(super) fn new(next: u32, removed: &[String], added: &[String]) -> Option<Removal> {
        if !removed.iter().any(|line| is_code(line)) {
            return None;
        }
        let choices = |lines: &[String]| {
            let words = lines.iter().filter(|line| is_code(line)).flat_map(|line| words(line));
            words.filter(|word| CHOICES.contains(word)).count() + lines.iter().filter(|line| line.contains('?')).count()
        };
        let is_pure = !added.iter().any(|line| is_code(line));
        if is_pure && is_aside(removed) {
            return None;
        }
        let has_choice = choices(removed) > choices(added);
        let names = removed.iter().filter(|line| is_code(line)).flat_map(|line| words(line));
        let names = names.filter(|word| !CHOICES.contains(word) && !COMMON.contains(word)).map(str::to_owned).collect();
        (is_pure || has_choice).then_some(Removal { next, names, has_choice, is_pure })
    }

    /// The lines of the new side that it alters; `line` gives the text of one, and None behind the last.
    pub(super) fn altered<'t>(&self, line: impl Fn(u32) -> Option<&'t str>) -> Vec<u32> {
        let mut altered = Vec::new();
        let below = (self.next..).map_while(|number| Some((number, line(number)?)));
        if let Some((number, text)) = below.into_iter().find(|(_, text)| is_code(text))
            && (self.has_choice || self.is_pure && self.shares_name(text))
        {
            altered.push(number);
        }
        if let Some(number) = self.next.checked_sub(1)
            && self.is_pure
            && self.has_choice
            && line(number).is_some_and(|text| is_code(text) && self.shares_name(text))
        {
            altered.push(number);
        }
        altered
    }

    fn shares_name(&self, text: &str) -> bool {
        words(text).any(|word| self.names.contains(word))
    }
}

/// Whether the lines are whole statements that neither leave, nor give anything a value, nor stand in a chain: without them, what follows comes about as before.
fn is_aside(lines: &[String]) -> bool {
    /// Choices that by themselves only decide whether what they hold is done.
    const WEAK: &[&str] = &["if", "else", "match", "while"];
    let code = || lines.iter().filter(|line| is_code(line));
    let leaves = |line: &String| {
        line.contains('?')
            || line.contains("&mut ")
            || words(line).any(|word| CHOICES.contains(&word) && !WEAK.contains(&word))
            || words(line).any(|word| word.starts_with("panic") || word.starts_with("assert") || word == "exit")
    };
    let count = |letter: char| lines.iter().map(|line| line.matches(letter).count()).sum::<usize>();
    let is_whole = [('{', '}'), ('(', ')'), ('[', ']')].iter().all(|(open, close)| count(*open) == count(*close));
    let ends = |line: &&String| line.trim_end().ends_with([';', '}']);
    is_whole
        && lines.iter().rfind(|line| is_code(line) || line.contains('}')).as_ref().is_some_and(ends)
        && !code().any(|line| leaves(line) || gives_value(line) || line.trim_start().starts_with('.'))
}

/// Whether something gets a value in the line.
fn gives_value(line: &str) -> bool {
    if words(line).any(|word| matches!(word, "const" | "static")) {
        return true;
    }
    // `if let` and `while let` give one to what stands in their own block only.
    if ["if let ", "while let ", "=> "].iter().any(|what| line.contains(what)) {
        return false;
    }
    let bytes = line.as_bytes();
    (0..bytes.len()).filter(|place| bytes[*place] == b'=').any(|place| {
        let before = place.checked_sub(1).map(|before| bytes[before]);
        let is_comparison = matches!(before, Some(b'=' | b'!' | b'<' | b'>')) || bytes.get(place + 1) == Some(&b'=');
        !is_comparison && bytes.get(place + 1) != Some(&b'>')
    })
}

/// Whether the line holds more than blanks, a comment or what closes brackets.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.starts_with("//") && line.chars().any(|letter| !"{}()[];,".contains(letter))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.filter(|word| word.len() > 1 && !word.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines altered when the removed lines, which stand before the line of that number, are replaced by the added ones.
    fn altered(removed: &[&str], added: &[&str], next: u32, text: &str) -> Vec<u32> {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let lines: Vec<&str> = text.lines().collect();
        let line = |number: u32| lines.get((number as usize).checked_sub(1)?).copied();
        Removal::new(next, &owned(removed), &owned(added)).map_or_else(Vec::new, |removal| removal.altered(line))
    }

    #[test]
    fn a_guard_alters_what_it_guarded() {
        let text = "fn f() {\n\n    // wait\n    sleep(secs);\n}\n";
        assert_eq!(altered(&["    if secs > 60 {", "        return;", "    }"], &[], 2, text), [4]);
        assert_eq!(altered(&["    let secs = secs.max(own);"], &[], 2, text), [4]);
        let text = "let d = hint(x)\n    .checked();\n";
        assert_eq!(altered(&["    .filter(|hint| ok(hint))"], &[], 2, text), [2, 1]);
        let text = "if let Ok(secs) = text.number() { return secs }\nNone\n";
        assert_eq!(altered(&["if let Ok(date) = date(text) { return date }"], &[], 2, text), [2, 1]);
    }

    #[test]
    fn lines_that_have_nothing_to_do_with_it_are_not_altered() {
        let text = "fn f() {\n    sleep(secs);\n}\n";
        for removed in
            ["    // if secs > 60", "", "    }", "    let other = 3;", "    println!(\"hello\");", "use a::b;"]
        {
            assert_eq!(altered(&[removed], &[], 2, text), [0_u32; 0], "{removed}");
        }
        // They guard nothing, although they name what is slept on.
        for removed in [
            &["    if secs == 0 { metrics::count(secs); }"][..],
            &["    if let Some(secs) = hint {", "        count(secs);", "    }"],
            &["    log::info!(\"{}\", secs);"],
            &["    match secs {", "        0 => count(),", "        _ => {}", "    }"],
        ] {
            assert_eq!(altered(removed, &[], 2, text), [0_u32; 0], "{removed:?}");
        }
        for removed in [
            &["    if secs > 60 { secs = 60; }"][..],
            &["    if secs > 60 {"],
            &["    if secs > 60 { panic!() }"],
            &["    check(secs)?;"],
            &["    limit(&mut secs);"],
        ] {
            assert_eq!(altered(removed, &[], 2, text), [2], "{removed:?}");
        }
        assert_eq!(altered(&["    if a { b() }"], &["    if a { c() }"], 2, text), [0_u32; 0], "replaced");
        assert_eq!(altered(&["    if a {", "  b() }"], &["    b()"], 2, text), [2], "the choice is gone");
    }
}
