//! `--format human`: as rustc shows its errors, with the hint's journey as labels under the code.

use super::{Place, Report, Shown, Text, counted, doubt, in_words, one_line};
use crate::diagnostic::Level;
use crate::ir::FileId;
use crate::source::char_boundary;
use crate::workspace::Way;
use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{Annotation, AnnotationKind, Group, Renderer, Snippet};
use std::io::{self, Write};
use std::ops::Range;

/// How many columns are written where no terminal says how many it has.
pub const WIDTH: usize = DEFAULT_TERM_WIDTH;

/// Writes the findings. The text holds colours; a stream that shows none strips them. Of a line of code that does not fit into `width` columns, the part
/// around what is said about it is shown.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_findings(report: &Report, width: usize, mut out: impl Write) -> io::Result<()> {
    let renderer = Renderer::styled().term_width(width);
    let mut last = None;
    for shown in &report.findings {
        let package = shown.package.as_deref().filter(|_| shown.is_versioned);
        if package != last
            && let Some(way) = package.and_then(|package| report.ways.get(package))
        {
            write_way(way, &mut out)?;
        }
        last = package;
        writeln!(out, "{}\n", renderer.render(&[group(report, shown)]))?;
    }
    Ok(())
}

/// One finding without colours.
pub(super) fn plain(report: &Report, shown: &Shown) -> String {
    Renderer::plain().term_width(WIDTH).render(&[group(report, shown)])
}

/// Writes what brings a dependency in, as `cargo tree -i` does.
fn write_way(way: &Way, mut out: impl Write) -> io::Result<()> {
    for (depth, (name, version)) in way.packages.iter().enumerate() {
        let branch = if depth == 0 { String::new() } else { format!("{}└── ", "    ".repeat(depth - 1)) };
        writeln!(out, "{branch}{} v{}", one_line(name), one_line(version))?;
    }
    if way.dependents > 1 {
        writeln!(out, "and {} depend on it directly", counted(way.dependents - 1, "other package"))?;
    }
    writeln!(out)
}

/// Writes the last line: what was looked at and what came of it.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_summary(report: &Report, mut out: impl Write) -> io::Result<()> {
    let (errors, warnings) = (report.count(Level::Deny), report.count(Level::Warn));
    let found = match (errors, warnings) {
        (0, 0) if report.is_nothing_read => "nothing was read".to_owned(),
        (0, 0) => "no findings".to_owned(),
        (errors, 0) => counted(errors, "error"),
        (0, warnings) => counted(warnings, "warning"),
        (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    };
    let figures = report.statistics;
    let found = match figures.suppressed {
        0 => found,
        suppressed => format!("{found}, {suppressed} suppressed"),
    };
    let found = match figures.baselined {
        0 => found,
        old => format!("{found}, {old} in the baseline"),
    };
    let unread = match report.unreadable.len() {
        0 => String::new(),
        files => format!(", {} not read", counted(files, "file")),
    };
    let looked_at = super::looked_at(&figures);
    writeln!(out, "{found}: {looked_at}, {} parsed{unread}, {} ms", figures.parsed, report.elapsed.as_millis())?;
    // Of several, the worst; of those, the first.
    let worst = report.findings.iter().rev().max_by_key(|shown| (shown.finding.level, shown.finding.confidence));
    if let Some(shown) = worst {
        writeln!(out, "`cargo retry-after explain {}` says why it matters", shown.finding.rule)?;
    }
    Ok(())
}

fn group<'a>(report: &'a Report, shown: &'a Shown) -> Group<'a> {
    let finding = &shown.finding;
    let level = match finding.level {
        Level::Deny => annotate_snippets::Level::ERROR,
        _ => annotate_snippets::Level::WARNING,
    };
    let mut group = level.primary_title(one_line(&finding.message)).id(finding.rule).elements(snippets(report, shown));
    if !finding.help.is_empty() {
        group = group.element(annotate_snippets::Level::HELP.message(one_line(&finding.help)));
    }
    if let Some(witness) = &finding.witness {
        group = group.element(annotate_snippets::Level::NOTE.message(one_line(&in_words(witness))));
    }
    if let Some(note) = doubt(finding.confidence) {
        group = group.element(annotate_snippets::Level::NOTE.message(note));
    }
    group
}

/// A part of a file with what is said about it.
struct Part<'a> {
    file: FileId,
    place: &'a Place,
    spans: Vec<(Range<usize>, bool, String)>,
}

/// The file with the fault first, then the others in the order of the journey.
fn snippets<'a>(report: &'a Report, shown: &'a Shown) -> Vec<Snippet<'a, Annotation<'a>>> {
    let finding = &shown.finding;
    let range = |span: crate::ir::Span| span.start as usize..span.end as usize;
    let mut parts = vec![Part {
        file: finding.span.file,
        place: &shown.place,
        spans: vec![(range(finding.span), true, finding.label.clone())],
    }];
    for (step, place) in finding.flow.iter().zip(&shown.flow) {
        if step.span == finding.span {
            continue;
        }
        let index = parts.iter().position(|part| part.file == step.span.file).unwrap_or_else(|| {
            parts.push(Part { file: step.span.file, place, spans: Vec::new() });
            parts.len() - 1
        });
        let spans = &mut parts[index].spans;
        match spans.iter_mut().find(|(known, is_fault, _)| *known == range(step.span) && !is_fault) {
            Some((_, _, label)) if !label.contains(&step.label) => *label = format!("{label}, {}", step.label),
            Some(_) => {}
            None => spans.push((range(step.span), false, step.label.clone())),
        }
    }
    let texts = parts.into_iter().filter_map(|part| Some((report.texts.get(&(shown.root, part.file))?, part)));
    texts.flat_map(|(text, part)| apart(text, part).into_iter().filter_map(|part| snippet(text, part))).collect()
}

/// How many columns may lie between what is said about one line: what is farther apart is shown apart, for the code between would be printed with it.
const GAP: usize = 200;

/// The part in parts, the one with the fault first, of which none holds places of one line that are far from each other.
fn apart<'a>(text: &Text, mut part: Part<'a>) -> Vec<Part<'a>> {
    let at = |place: usize| text.lines.position(&text.text, place as u32);
    let is_far = |one: &Range<usize>, other: &Range<usize>| {
        let (before, after) = if one.start <= other.start { (one, other) } else { (other, one) };
        let (end, start) = (at(before.end), at(after.start));
        end.line == start.line && (start.column as usize) > end.column as usize + GAP
    };
    let mut parts: Vec<Part<'a>> = Vec::new();
    for span in std::mem::take(&mut part.spans) {
        match parts.iter_mut().find(|known| !known.spans.iter().any(|(other, ..)| is_far(other, &span.0))) {
            Some(known) => known.spans.push(span),
            None => parts.push(Part { file: part.file, place: part.place, spans: vec![span] }),
        }
    }
    parts
}

/// Only the lines from the first to the last span are handed on, so that a large file costs no more than a small one.
fn snippet<'a>(text: &'a Text, part: Part<'a>) -> Option<Snippet<'a, Annotation<'a>>> {
    let first = part.spans.iter().map(|(span, ..)| span.start).min()?;
    let last = part.spans.iter().map(|(span, ..)| span.end).max()?;
    let first_line = text.lines.position(&text.text, first as u32).line;
    let last_line = text.lines.position(&text.text, last as u32).line;
    let mut from = text.lines.start(&text.text, first_line);
    if text.text[from..].starts_with('\u{feff}') {
        from += '\u{feff}'.len_utf8();
    }
    let to = text.lines.start(&text.text, last_line + 1).max(from);
    let window = text.text.get(from..to)?;
    let inside = |place: usize| char_boundary(window, place.saturating_sub(from));
    let annotations = part.spans.into_iter().map(|(span, is_fault, label)| {
        let kind = if is_fault { AnnotationKind::Primary } else { AnnotationKind::Context };
        let (start, end) = (inside(span.start), inside(span.end));
        kind.span(start..end.max(start)).label(one_line(&label))
    });
    Some(
        Snippet::source(window)
            .line_start(first_line as usize)
            .path(one_line(&part.place.path))
            .annotations(annotations),
    )
}
