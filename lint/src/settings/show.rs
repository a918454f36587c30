//! `--show-settings`: what holds, and where each thing comes from.

use super::{FILE, Layer, Override, Said, Settings};
use crate::diagnostic::Level;
use crate::report::{level_word, one_line};
use crate::rules::RULES;
use crate::workspace::Root;
use std::fmt::Write as _;

/// The settings of a root as a text: for each package that is reported on, the level of every rule with the place that decided it, then overrides, names
/// and excluded paths. `flags` gives the level that the command line makes of one, where it changes it.
pub fn show(root: &Root, settings: &Settings, flags: &dyn Fn(&str, Level) -> Option<Level>) -> String {
    let mut out = String::new();
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let selected = root.workspace.packages.iter().enumerate().filter(|(_, package)| package.selected);
    for (index, package) in selected {
        let name = package
            .name
            .as_deref()
            .map_or_else(|| "files without a manifest".to_owned(), |name| format!("package {name}"));
        let _ = writeln!(out, "{name}");
        let _ = writeln!(out, "  levels");
        for rule in RULES {
            let (level, place) = settings.decided(index, None, rule.id, rule.level);
            let origin = place.map_or_else(|| "default".to_owned(), |(layer, line)| layer.line(line));
            let (level, origin) = match flags(rule.id, level) {
                Some(flagged) => (flagged, "command line".to_owned()),
                None => (level, origin),
            };
            let _ = writeln!(out, "    {:width$}  {:6}  {origin}", rule.id, level_word(level));
        }
        for layer in settings.layers_of(index) {
            for over in &layer.overrides {
                show_override(&mut out, layer, over);
            }
        }
        let layers: Vec<&Layer> = settings.layers_of(index).collect();
        show_list(&mut out, "excluded paths", &layers, |layer| {
            layer.exclude.iter().map(|said| (said.value.text.as_str(), said.line)).collect()
        });
        for (title, list) in LISTS {
            show_list(&mut out, title, &layers, |layer| {
                list(layer).iter().map(|said| (said.value.as_str(), said.line)).collect()
            });
        }
    }
    if settings.layers.is_empty() {
        let _ = writeln!(
            out,
            "no settings found: neither `[workspace.metadata.retry-after]` or `[package.metadata.retry-after]` in Cargo.toml nor {FILE}; all is as by default"
        );
    }
    out
}

/// The lists of names, as they are titled.
const LISTS: [(&str, Names); 4] = [
    ("headers", |layer| &layer.headers),
    ("sleeps", |layer| &layer.sleeps),
    ("date parsers", |layer| &layer.date_parsers),
    ("safe helpers", |layer| &layer.safe_helpers),
];

/// One of a layer's lists of names.
type Names = fn(&Layer) -> &Vec<Said<String>>;

fn show_override(out: &mut String, layer: &Layer, over: &Override) {
    let paths: Vec<&str> = over.paths.iter().map(|said| said.value.text.as_str()).collect();
    let _ = writeln!(out, "  levels in {}", one_line(&paths.join(", ")));
    for said in &over.levels {
        let (target, level) = said.value;
        let _ = writeln!(out, "    {target}  {}  {}", level_word(level), one_line(&layer.line(said.line)));
    }
}

fn show_list<'a>(out: &mut String, title: &str, layers: &[&'a Layer], list: impl Fn(&'a Layer) -> Vec<(&'a str, u32)>) {
    if layers.iter().all(|layer| list(layer).is_empty()) {
        return;
    }
    let _ = writeln!(out, "  {title}");
    for layer in layers {
        for (text, line) in list(layer) {
            let _ = writeln!(out, "    {}  {}", one_line(text), one_line(&layer.line(line)));
        }
    }
}
