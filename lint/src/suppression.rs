//! Suppressions: comments that say "not here, because".
//!
//! `// retry-after: allow(RULE): the reason` holds for its line or, alone in a line, for what begins below it; `// retry-after: allow-file(RULE): the reason` for
//! the whole file. [`apply`] takes out what they hold for, and reports those without a reason, with a name that is none, and those that suppress nothing.
//! Whether one suppresses something does not hang on levels: a rule that is switched off for a while makes no suppression a useless one.

mod insert;
#[cfg(test)]
mod tests;

pub use insert::{Inserted, insert};

use crate::diagnostic::{Confidence, Finding};
use crate::ir::{FileId, Span};
use crate::module::parse::comment::{self, Comment};
use crate::rules::{Group, RULES, Rule, suppression_without_reason, unknown_suppression, unused_suppression};
use crate::source;
use crate::workspace::{Workspace, nearest};
use std::ops::Range;

/// How a suppression begins, after the slashes.
const START: &str = "retry-after:";
/// What such a comment holds in any case, with or without its colon.
const NAME: &str = "retry-after";
/// For a line or for what begins below.
const ALLOW: &str = "allow";
/// For a file.
const ALLOW_FILE: &str = "allow-file";

/// What became of the findings.
#[derive(Debug, Default)]
pub struct Applied {
    /// What is left, and what is wrong with suppressions.
    pub findings: Vec<Finding>,
    /// What was suppressed.
    pub suppressed: Vec<Finding>,
}

/// Reads the suppressions of the files and applies them. Files that cannot be read have none.
pub fn apply(workspace: &Workspace, files: impl Iterator<Item = FileId>, findings: Vec<Finding>) -> Applied {
    let mut applied = Applied { findings, suppressed: Vec::new() };
    for file in files.filter(|file| !workspace.file(*file).is_test) {
        if let Ok(text) = source::read(workspace, file) {
            apply_in(file, &text, &mut applied);
        }
    }
    applied
}

fn apply_in(file: FileId, text: &str, applied: &mut Applied) {
    let mut reports = Vec::new();
    for comment in comment::holding(text, NAME) {
        let directive = match parse(text, &comment) {
            Ok(Some(directive)) => directive,
            Ok(None) => continue,
            Err(mistake) => {
                reports.push(unknown(file, mistake));
                continue;
            }
        };
        for (name, place) in &directive.rules {
            let Some(rule) = RULES.iter().find(|rule| rule.id == name && rule.group != Group::Suppression) else {
                reports.push(unknown(file, unknown_rule(name, place)));
                continue;
            };
            let (here, rest) = std::mem::take(&mut applied.findings).into_iter().partition::<Vec<_>, _>(|finding| {
                finding.rule == rule.id && finding.span.file == file && directive.holds_for(finding.span)
            });
            applied.findings = rest;
            if !directive.has_reason {
                reports.push(report(
                    &suppression_without_reason::RULE,
                    file,
                    &directive.place,
                    "a suppression says no reason, and is not obeyed".to_owned(),
                    "no reason".to_owned(),
                    "say after a colon why the rule does not matter here: `allow(RULE): the reason`".to_owned(),
                ));
                applied.findings.extend(here);
                break;
            }
            // One that stands within another's reach may be all it suppresses.
            let is_used = !here.is_empty()
                || applied.suppressed.iter().any(|finding| {
                    finding.rule == rule.id && finding.span.file == file && directive.holds_for(finding.span)
                });
            if !is_used {
                reports.push(report(
                    &unused_suppression::RULE,
                    file,
                    place,
                    format!("a suppression of {name} suppresses nothing"),
                    "suppresses nothing".to_owned(),
                    "take it away: what it was for is mended, or has moved".to_owned(),
                ));
            }
            applied.suppressed.extend(here);
        }
    }
    applied.findings.extend(reports);
}

/// A suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Directive {
    /// The comment.
    place: Range<usize>,
    /// The names of the rules, and where each stands.
    rules: Vec<(String, Range<usize>)>,
    has_reason: bool,
    /// The code that it holds for; None for the whole file.
    about: Option<Range<usize>>,
    is_behind_code: bool,
}

impl Directive {
    fn holds_for(&self, span: Span) -> bool {
        let Some(about) = &self.about else { return true };
        let (start, end) = (span.start as usize, span.end as usize);
        // An expression of several lines may have its comment behind the last.
        about.contains(&start) || (self.is_behind_code && about.contains(&end))
    }
}

/// Something that looks like a suppression and is none.
struct Mistake {
    place: Range<usize>,
    message: String,
    label: String,
    help: String,
}

/// The suppression that a comment is; None for any other comment.
fn parse(text: &str, comment: &Comment) -> Result<Option<Directive>, Mistake> {
    let whole = &text[comment.place.clone()];
    let Some(body) = whole.strip_prefix("//").or_else(|| whole.strip_prefix("/*")) else { return Ok(None) };
    // Documentation shows suppressions, and is none; but one that is all there is to a line was meant.
    let is_documentation = body.starts_with(['/', '!', '*']);
    let body = body.strip_suffix("*/").unwrap_or(body).trim_end().trim_start_matches(['/', '!', '*']);
    let (has_colon, rest) = match (body.trim_start().strip_prefix(START), body.trim_start().strip_prefix(NAME)) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Ok(None),
    };
    let rest = rest.trim_start();
    let length = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '_'));
    let (word, after) = rest.split_at(length.unwrap_or(rest.len()));
    let start = comment.place.start + (rest.as_ptr() as usize - whole.as_ptr() as usize);
    let mistake = |message: String, label: &str, help: String| Mistake {
        place: start..start + word.len(),
        message,
        label: label.to_owned(),
        help,
    };
    let form = || "write `// retry-after: allow(RULE): the reason`, or `allow-file` for the whole file".to_owned();
    if is_documentation || !has_colon {
        let is_meant = (word == ALLOW || word == ALLOW_FILE) && after.starts_with('(') && names_rule(after);
        let (message, label) = if is_documentation {
            ("a suppression in a documentation comment is not obeyed", "documentation")
        } else {
            ("a suppression without a colon behind `retry-after` is not obeyed", "no colon before it")
        };
        return if is_meant { Err(mistake(message.to_owned(), label, form())) } else { Ok(None) };
    }
    if word != ALLOW && word != ALLOW_FILE {
        // `retry-after: 120` in a comment is about the header.
        if !after.starts_with('(') {
            return Ok(None);
        }
        let help =
            nearest(word, [ALLOW, ALLOW_FILE].into_iter()).map_or_else(form, |near| format!("did you mean `{near}`?"));
        return Err(mistake(format!("`{word}` is no suppression"), "not known", help));
    }
    let inside = after.trim_start().strip_prefix('(').and_then(|inside| inside.split_once(')'));
    let Some((names, behind)) = inside.filter(|(names, _)| !names.trim().is_empty()) else {
        // `retry-after: allow us some time` is prose.
        if !after.trim_start().starts_with('(') && !after.trim().is_empty() && !names_rule(after) {
            return Ok(None);
        }
        if after.trim_start().starts_with('(') && !after.contains(')') {
            let message = "a suppression's list of rules does not end in its line".to_owned();
            let help = "write the whole list in one line, or one comment for each rule".to_owned();
            return Err(mistake(message, "no `)` in this line", help));
        }
        return Err(mistake("a suppression names no rule".to_owned(), "of which rule?", form()));
    };
    let rules = names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(|name| {
        let start = comment.place.start + (name.as_ptr() as usize - whole.as_ptr() as usize);
        (name.to_owned(), start..start + name.len())
    });
    let reason = behind.trim_start().strip_prefix(':').unwrap_or_default();
    Ok(Some(Directive {
        place: comment.place.start..comment.place.start + whole.trim_end().len(),
        rules: rules.collect(),
        has_reason: reason.chars().any(char::is_alphanumeric),
        about: (word == ALLOW).then(|| comment.about.clone()),
        is_behind_code: comment.is_behind_code,
    }))
}

fn names_rule(text: &str) -> bool {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .any(|word| RULES.iter().any(|rule| rule.id == word))
}

fn unknown_rule(name: &str, place: &Range<usize>) -> Mistake {
    let is_group = name == "all" || Group::ALL.iter().any(|group| group.as_str() == name);
    let own = RULES.iter().filter(|rule| rule.group == Group::Suppression).any(|rule| rule.id == name);
    let rules = RULES.iter().filter(|rule| rule.group != Group::Suppression).map(|rule| rule.id);
    let help = match nearest(name, rules) {
        _ if is_group => "name the rules themselves: a group would hide what nobody has looked at yet".to_owned(),
        _ if own => "mend the suppression, or set the rule's level in the settings".to_owned(),
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cargo retry-after rules` lists them".to_owned(),
    };
    Mistake {
        place: place.clone(),
        message: format!("a suppression names `{name}`, which is no rule that can be suppressed"),
        label: "no rule".to_owned(),
        help,
    }
}

fn unknown(file: FileId, mistake: Mistake) -> Finding {
    report(&unknown_suppression::RULE, file, &mistake.place, mistake.message, mistake.label, mistake.help)
}

fn report(rule: &Rule, file: FileId, place: &Range<usize>, message: String, label: String, help: String) -> Finding {
    Finding {
        rule: rule.id,
        level: rule.level,
        confidence: Confidence::High,
        span: Span { file, start: place.start as u32, end: place.end as u32 },
        message,
        label,
        help,
        flow: Vec::new(),
        witness: None,
    }
}
