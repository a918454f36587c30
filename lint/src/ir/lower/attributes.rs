//! Attributes: conditions of compilation, tests, and the texts of others.

use syn::{Attribute, Meta};

/// Under which condition something is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cfg {
    /// In every build that is not a test.
    Always,
    /// In tests only.
    Test,
    /// By a condition that is not known: its text, without blanks.
    Maybe(String),
}

impl Cfg {
    /// What the `#[cfg(..)]` among the attributes ask for.
    pub(super) fn of(attributes: &[Attribute]) -> Cfg {
        let mut result = Cfg::Always;
        for attribute in attributes {
            if !attribute.path().is_ident("cfg") {
                continue;
            }
            let Meta::List(list) = &attribute.meta else { continue };
            result = match (result, predicate(list.tokens.to_string())) {
                (_, Cfg::Test) => return Cfg::Test,
                (Cfg::Maybe(first), Cfg::Maybe(second)) => Cfg::Maybe(format!("{first},{second}")),
                (Cfg::Always, other) | (other, _) => other,
            };
        }
        result
    }
}

/// What `cfg(..)`, the content of an attribute, asks for.
pub(super) fn cfg_of(attribute: proc_macro2::TokenStream) -> Cfg {
    let mut tokens = attribute.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(proc_macro2::TokenTree::Ident(name)), Some(proc_macro2::TokenTree::Group(group))) if name == "cfg" => {
            predicate(group.stream().to_string())
        }
        _ => Cfg::Always,
    }
}

/// What a predicate of `cfg` asks for.
fn predicate(mut text: String) -> Cfg {
    text.retain(|c| !c.is_whitespace());
    match text.as_str() {
        "not(test)" => Cfg::Always,
        text if needs_test(text) => Cfg::Test,
        _ => Cfg::Maybe(text),
    }
}

/// Whether one condition is the negation of the other.
pub(super) fn exclude(one: &str, other: &str) -> bool {
    let negates = |a: &str, b: &str| {
        a.strip_prefix("not(").and_then(|inner| inner.strip_suffix(')')).is_some_and(|inner| inner == b)
    };
    negates(one, other) || negates(other, one)
}

/// Whether a `cfg` predicate, written without blanks, holds in tests only.
fn needs_test(predicate: &str) -> bool {
    let inside = |name: &str| predicate.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some(parts) = inside("all") {
        return predicates(parts).any(needs_test);
    }
    if let Some(parts) = inside("any") {
        return !parts.is_empty() && predicates(parts).all(needs_test);
    }
    let is_test_feature = |feature: &str| {
        feature.split(['-', '_']).any(|word| matches!(word, "test" | "tests" | "testing" | "mock" | "mocks"))
    };
    matches!(predicate, "test" | "doctest" | "doc" | "fuzzing" | "loom" | "miri")
        || predicate.strip_prefix("feature=\"").and_then(|name| name.strip_suffix('"')).is_some_and(is_test_feature)
}

/// The parts of a list that are separated by commas outside of parentheses.
fn predicates(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|part| !part.is_empty())
}

/// Whether attributes make a function a test.
pub(super) fn is_test_function(attributes: &[Attribute]) -> bool {
    Cfg::of(attributes) == Cfg::Test
        || attributes.iter().any(|attribute| {
            attribute.path().segments.last().is_some_and(|last| {
                let name = last.ident.to_string();
                matches!(name.as_str(), "test" | "rstest" | "test_case" | "bench" | "quickcheck" | "proptest")
                    || name.ends_with("_test")
            })
        })
}

/// The texts between the parentheses of all attributes of that name, those in `cfg_attr` too.
pub(super) fn attribute_arguments(attributes: &[Attribute], name: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for attribute in attributes {
        let Meta::List(list) = &attribute.meta else { continue };
        if list.path.is_ident(name) {
            texts.push(list.tokens.to_string());
        } else if list.path.is_ident("cfg_attr") {
            let mut is_named = false;
            for token in list.tokens.clone() {
                match token {
                    proc_macro2::TokenTree::Group(group) if is_named => texts.push(group.stream().to_string()),
                    proc_macro2::TokenTree::Ident(ident) => is_named = ident == name,
                    _ => is_named = false,
                }
            }
        }
    }
    texts
}
