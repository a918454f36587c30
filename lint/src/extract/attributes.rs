//! Attributes and conditions: what of a piece of text is compiled at all, and which attributes a copy of it keeps.

use super::tokens::{Edit, Kind, Token};

/// What a copy leaves out, and which of its tokens are gone with it.
pub(super) struct Pruned {
    pub(super) edits: Vec<Edit>,
    /// For each token whether it is gone.
    pub(super) is_gone: Vec<bool>,
}

/// Attributes that say something to the compiler which the copy needs.
const KEPT: &[&str] = &["repr", "default", "macro_export", "rustfmt", "track_caller", "async_trait"];
/// Attributes of the derive macro that makes errors.
const OF_ERRORS: &[&str] = &["error", "from", "source", "backtrace"];
/// Derives that std has.
const DERIVES: &[&str] = &["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// Leaves out documentation, attributes of other tools, derives of other crates, and what is under a condition that does not hold.
pub(super) fn prune(tokens: &[Token], is_error_derive: bool) -> Pruned {
    let mut pruned = Pruned { edits: Vec::new(), is_gone: vec![false; tokens.len()] };
    let mut at = 0;
    while at + 1 < tokens.len() {
        let opening = if tokens[at].text == "#" && tokens[at + 1].text == "[" {
            at + 1
        } else if tokens[at].text == "#"
            && tokens[at + 1].text == "!"
            && tokens.get(at + 2).is_some_and(|t| t.text == "[")
        {
            at + 2
        } else {
            at += 1;
            continue;
        };
        let end = tokens[opening].partner;
        let name = attribute_name(&tokens[opening + 1..end]);
        match name.as_str() {
            "derive" => derives(tokens, opening + 1, end, is_error_derive, &mut pruned),
            "cfg" => {
                let holds = tokens.get(opening + 2).is_none_or(|open| holds(&tokens[opening + 3..open.partner]));
                let last = if holds { end } else { end_of_thing(tokens, end + 1) };
                pruned.leave_out(tokens, at, last, "");
                at = last + 1;
                continue;
            }
            name if KEPT.contains(&name) || is_error_derive && OF_ERRORS.contains(&name) => {}
            _ => pruned.leave_out(tokens, at, end, ""),
        }
        at = end + 1;
    }
    pruned
}

impl Pruned {
    /// Replaces the tokens from one to another.
    pub(super) fn leave_out(&mut self, tokens: &[Token], first: usize, last: usize, text: &str) {
        let last = last.min(tokens.len() - 1);
        // The tokens of a documentation comment all have the range of the comment.
        let end = tokens[first..=last].iter().map(|token| token.range.end).max().unwrap_or(tokens[last].range.end);
        self.edits.push(Edit { range: tokens[first].range.start..end, text: text.to_owned() });
        self.is_gone[first..=last].fill(true);
    }
}

/// Whether the attributes that a text begins with let it be compiled.
pub(super) fn is_compiled(tokens: &[Token]) -> bool {
    let mut at = 0;
    while tokens.get(at).is_some_and(|token| token.text == "#") && tokens.get(at + 1).is_some_and(|t| t.text == "[") {
        let end = tokens[at + 1].partner;
        if tokens.get(at + 2).is_some_and(|token| token.text == "cfg")
            && let Some(open) = tokens.get(at + 3)
            && !holds(&tokens[at + 4..open.partner])
        {
            return false;
        }
        at = end + 1;
    }
    true
}

fn attribute_name(tokens: &[Token]) -> String {
    let names = tokens.iter().take_while(|token| matches!(token.text.as_str(), "::") || token.kind == Kind::Word);
    names.filter(|token| token.kind == Kind::Word).last().map(|token| token.text.clone()).unwrap_or_default()
}

/// Keeps the derives that a copy can have.
fn derives(tokens: &[Token], word: usize, end: usize, is_error_derive: bool, pruned: &mut Pruned) {
    let Some(open) = tokens.get(word + 1) else { return };
    let close = open.partner.min(end);
    pruned.is_gone[word + 2..close].fill(true);
    let mut kept = Vec::new();
    let mut start = word + 2;
    for part in tokens[word + 2..close].split(|token| token.text == ",") {
        let place = start..start + part.len();
        start = place.end + 1;
        let Some(last) = part.last() else { continue };
        // The macro that makes errors is needed by its whole path.
        pruned.is_gone[place].fill(!(is_error_derive && last.text == "Error"));
        if DERIVES.contains(&last.text.as_str()) || is_error_derive && last.text == "Error" {
            kept.push(part.iter().map(|token| token.text.as_str()).collect::<String>());
        }
    }
    let inside = tokens[word + 1].range.end..tokens[close].range.start;
    pruned.edits.push(Edit { range: inside, text: kept.join(", ") });
}

/// Whether a predicate of `cfg` holds in the copy: all features are taken to be there, on Linux, outside of tests.
fn holds(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first() else { return true };
    let inside = || -> Vec<&[Token]> {
        let close = tokens.len().saturating_sub(1);
        split(tokens.get(2..close).unwrap_or(&[]))
    };
    match first.text.as_str() {
        "not" => !inside().into_iter().all(holds),
        "all" => inside().into_iter().all(holds),
        "any" => inside().into_iter().any(holds),
        "feature" | "unix" | "debug_assertions" | "panic" => true,
        "target_os" => value(tokens) == "\"linux\"",
        "target_family" => value(tokens) == "\"unix\"",
        "target_arch" => !value(tokens).contains("wasm"),
        "target_pointer_width" => value(tokens) == "\"64\"",
        "target_has_atomic" => true,
        _ => false,
    }
}

fn value(tokens: &[Token]) -> &str {
    tokens.get(2).map_or("", |token| &token.text)
}

/// The parts between commas outside of parentheses.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (place, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            _ if token.text == "," && depth == 0 => {
                parts.push(&tokens[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// The last token of the statement, field, arm or item that begins here.
pub(super) fn end_of_thing(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while at < tokens.len() {
        let token = &tokens[at];
        match token.kind {
            Kind::Close => return at.saturating_sub(1),
            Kind::Open => {
                at = token.partner;
                let goes_on = tokens.get(at + 1).is_some_and(|next| {
                    matches!(
                        next.text.as_str(),
                        "." | "?" | "," | ";" | "else" | "=>" | "=" | ":" | "->" | "as" | "(" | "{"
                    ) || next.text == "where"
                        || token.text != "{"
                });
                if token.text == "{" && !goes_on {
                    return at;
                }
            }
            _ if token.text == ";" || token.text == "," => return at,
            _ => {}
        }
        at += 1;
    }
    tokens.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{edited, tokens};
    use super::*;

    fn pruned(text: &str) -> String {
        let tokens = tokens(text).unwrap();
        edited(text, prune(&tokens, false).edits).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn documentation_and_foreign_attributes_go() {
        assert_eq!(
            pruned("/// Text.\n#[derive(Debug, Serialize)] #[serde(rename = \"a\")] struct A;"),
            "#[derive(Debug)] struct A;"
        );
    }

    #[test]
    fn what_is_not_compiled_goes() {
        assert_eq!(
            pruned("fn f() { #[cfg(test)] { a(); } #[cfg(unix)] b(); #[cfg(not(feature = \"x\"))] c(); d() }"),
            "fn f() { b(); d() }"
        );
        assert_eq!(pruned("struct A { #[cfg(windows)] a: u8, b: u8 }"), "struct A { b: u8 }");
    }
}
