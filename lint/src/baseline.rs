//! Baselines: the findings that were there before, so that only new ones are told.
//!
//! An entry knows its finding by the rule and a hash of the flagged text and the function around it, without layout: not by its line, and not by its file either.
//! So a finding that moved, or that a formatter laid out anew, stays old. Of several of the same kind as many are old as there are entries; one more is new.
//! An entry whose finding is gone is stale, and stale entries are told of, because they would let a new fault of the same kind pass.

use crate::report::{Report, Shown, flagged_hash};
use crate::workspace::nearest;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The form of the file; raised when an older version of the tool would misread it.
const VERSION: u32 = 1;

/// What a baseline's file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<Entry>,
}

/// One finding that was there before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The file, relative to the baseline's folder; for a published crate, in the crate. Where it was: the finding may have moved.
    pub file: String,
    /// The rule.
    pub rule: String,
    /// What the finding is known by.
    pub hash: String,
    /// The package with its version, where it is a published one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The beginning of the flagged text, for whoever reads the file.
    pub text: String,
}

impl Entry {
    /// That the entry is stale, for a reader.
    pub fn in_words(&self) -> String {
        format!("stale entry of the baseline: {} in {}: {}", self.rule, self.file, self.text)
    }
}

/// What became of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Entries whose findings are gone.
    pub stale: Vec<Entry>,
    /// Entries that are still needed, or about files that were not looked at.
    pub kept: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    version: u32,
    findings: Vec<Entry>,
}

impl Baseline {
    /// Everything that the report shows, with files relative to the folder.
    pub fn of(report: &Report, folder: &Path) -> Baseline {
        Baseline::from_entries(report.findings.iter().map(|shown| entry(report, shown, folder)).collect())
    }

    /// The entries in the order of the file.
    pub fn from_entries(mut entries: Vec<Entry>) -> Baseline {
        entries.sort();
        Baseline { entries }
    }

    /// Reads a baseline's file.
    ///
    /// # Errors
    ///
    /// Text that is no baseline, or one of a newer form.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let wrong = |what: String| format!("not a baseline: {what}; --write-baseline makes one");
        let json: serde_json::Value =
            serde_json::from_str(text).map_err(|error| wrong(format!("no JSON in line {}: {error}", error.line())))?;
        if !json.is_object() {
            return Err(wrong("no object with `version` and `findings`".to_owned()));
        }
        let contents: Contents = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if contents.version != VERSION {
            return Err(format!("a baseline of version {}; this program reads version {VERSION}", contents.version));
        }
        Ok(Baseline { entries: contents.findings })
    }

    /// The entries that the report shows no finding for, and of which `is_judged` says that this run could not have seen one.
    pub fn unseen(&self, report: &Report, folder: &Path, is_judged: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let mut open: Vec<Option<&Entry>> = self.entries.iter().map(Some).collect();
        let keys: Vec<Entry> = report.findings.iter().map(|shown| entry(report, shown, folder)).collect();
        for same_file in [true, false] {
            for key in &keys {
                take(&mut open, key, same_file);
            }
        }
        open.into_iter().flatten().filter(|entry| !is_judged(entry)).cloned().collect()
    }

    /// With these entries besides.
    pub fn with(mut self, more: Vec<Entry>) -> Baseline {
        self.entries.extend(more);
        Baseline::from_entries(self.entries)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of the file: one entry a line, sorted, so that two branches can each change it.
    pub fn to_text(&self) -> String {
        let lines: Vec<String> = self
            .entries
            .iter()
            .filter_map(|entry| serde_json::to_string(entry).ok())
            .map(|line| format!("    {line}"))
            .collect();
        let list = if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
        format!("{{\n  \"version\": {VERSION},\n  \"findings\": {list}\n}}\n")
    }

    /// Takes the findings that have an entry out of the report, where they are counted. `is_looked_at` tells of a file that an entry names whether this run would have
    /// seen a finding in it.
    pub fn apply(&self, report: &mut Report, folder: &Path, is_looked_at: impl Fn(&Entry) -> bool) -> Applied {
        let mut open: Vec<Option<&Entry>> = self.entries.iter().map(Some).collect();
        let keys: Vec<Entry> = report.findings.iter().map(|shown| entry(report, shown, folder)).collect();
        let mut is_old = vec![false; keys.len()];
        // Those in the same file first: of two of the same kind, the one that moved elsewhere may be the new one.
        for same_file in [true, false] {
            for (key, is_old) in keys.iter().zip(&mut is_old).filter(|(_, is_old)| !**is_old) {
                *is_old = take(&mut open, key, same_file);
            }
        }
        // What is there and only not shown, because of levels or confidence, makes no entry stale.
        let hidden: Vec<Entry> = report.hidden().iter().map(|shown| entry(report, shown, folder)).collect();
        for same_file in [true, false] {
            for key in &hidden {
                take(&mut open, key, same_file);
            }
        }
        let mut is_old = is_old.into_iter();
        let before = report.findings.len();
        report.findings.retain(|_| !is_old.next().unwrap_or(false));
        report.statistics.baselined += before - report.findings.len();
        let left: Vec<&Entry> = open.into_iter().flatten().collect();
        let (stale, unseen): (Vec<&Entry>, Vec<&Entry>) = left.into_iter().partition(|entry| is_looked_at(entry));
        let mut kept = self.entries.clone();
        for entry in &stale {
            if let Some(place) = kept.iter().position(|known| known == *entry) {
                kept.remove(place);
            }
        }
        debug_assert!(kept.len() >= unseen.len());
        Applied { stale: stale.into_iter().cloned().collect(), kept }
    }
}

/// Takes an entry for the finding, if there is one left.
fn take(open: &mut [Option<&Entry>], key: &Entry, same_file: bool) -> bool {
    let fits = |entry: &&Entry| {
        entry.rule == key.rule
            && entry.hash == key.hash
            && (!same_file || (&entry.file, &entry.package) == (&key.file, &key.package))
    };
    match open.iter_mut().find(|entry| entry.as_ref().is_some_and(fits)) {
        Some(entry) => entry.take().is_some(),
        None => false,
    }
}

fn entry(report: &Report, shown: &Shown, folder: &Path) -> Entry {
    /// How much of the flagged text is kept.
    const LENGTH: usize = 60;
    let (hash, text) = flagged_hash(report, shown);
    let text = match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    let package = shown.is_versioned.then(|| shown.package.clone()).flatten();
    let file = if package.is_some() { shown.place.file.clone() } else { relative(&shown.place.absolute, folder) };
    Entry { file, rule: shown.finding.rule.to_owned(), hash, package, text }
}

/// The file seen from the folder, with `/`, and with `..` where it lies elsewhere: the name must not tell of the machine. Where the two have nothing in common,
/// its whole path.
fn relative(file: &Path, folder: &Path) -> String {
    let mut up = PathBuf::new();
    let above = folder.ancestors().find_map(|above| {
        let inside = file.strip_prefix(above).ok().filter(|_| above.parent().is_some());
        let name = inside.map(|inside| up.join(inside));
        up.push("..");
        name
    });
    above.as_deref().unwrap_or(file).to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// A rule that an entry names and that is none any more, with the nearest one.
pub fn unknown_rules(entries: &[Entry]) -> Vec<String> {
    let known = || crate::rules::RULES.iter().map(|rule| rule.id);
    let mut names: Vec<&str> =
        entries.iter().map(|entry| entry.rule.as_str()).filter(|name| !known().any(|rule| rule == *name)).collect();
    names.sort_unstable();
    names.dedup();
    let told = |name: &str| {
        let hint = nearest(name, known()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("no rule `{name}`{hint}")
    };
    names.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(file: &str, hash: &str) -> Entry {
        Entry {
            file: file.to_owned(),
            rule: "capped_hint".to_owned(),
            hash: hash.to_owned(),
            package: None,
            text: "min(\"60\")".to_owned(),
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written_one_entry_a_line() {
        let baseline = Baseline::from_entries(vec![entry("b.rs", "2"), entry("a.rs", "1")]);
        let text = baseline.to_text();
        assert_eq!(
            text,
            "{\n  \"version\": 1,\n  \"findings\": [\n    {\"file\":\"a.rs\",\"rule\":\"capped_hint\",\"hash\":\"1\",\"text\":\"min(\\\"60\\\")\"},\n    {\"file\":\"b.rs\",\"rule\":\"capped_hint\",\"hash\":\"2\",\"text\":\"min(\\\"60\\\")\"}\n  ]\n}\n"
        );
        assert_eq!(Baseline::parse(&text), Ok(baseline));
        let empty = Baseline::from_entries(Vec::new());
        assert_eq!(Baseline::parse(&empty.to_text()), Ok(empty));
    }

    #[test]
    fn a_file_elsewhere_is_named_from_the_folder() {
        let name = |file: &str| relative(Path::new(file), Path::new("/home/a/checks"));
        assert_eq!(name("/home/a/checks/src/b.rs"), "src/b.rs");
        assert_eq!(name("/home/a/src/b.rs"), "../src/b.rs");
        assert_eq!(name("/srv/b.rs"), "/srv/b.rs", "nothing in common");
    }

    #[test]
    fn another_file_is_refused() {
        for text in
            ["", "{}", "[]", "{\"version\": 1, \"findings\": [{}]}", "{\"version\": 1, \"findings\": [], \"more\": 1}"]
        {
            assert!(Baseline::parse(text).is_err_and(|error| error.starts_with("not a baseline: ")), "{text}");
        }
        assert!(Baseline::parse("{\"version\": 2, \"findings\": []}").is_err_and(|error| error.contains("version 2")));
    }

    #[test]
    fn an_entry_stands_for_one_finding_and_the_same_file_comes_first() {
        let (here, there) = (entry("a.rs", "1"), entry("b.rs", "1"));
        let mut open = vec![Some(&here), Some(&there)];
        assert!(take(&mut open, &there, true));
        assert_eq!(open, [Some(&here), None]);
        assert!(!take(&mut open, &there, true));
        assert!(take(&mut open, &there, false));
        assert!(!take(&mut open, &there, false));
    }
}
