//! Every rule's page is a test: its `Bad` examples give exactly the findings that their carets show, its `Good` ones none.
//!
//! `UPDATE_EXPECT=1 cargo test -p cargo-retry-after --test pages` writes the rules' part of the book under `docs/` anew.

mod support;

use retry_after_lint::rules::{RULES, Rule};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The sections of a page, in their order.
const SECTIONS: [&str; 4] = ["Why", "Bad", "Good", "Limits"];

/// A finding as carets draw it. The label may be a finding's label or its message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Drawn {
    line: usize,
    column: usize,
    width: usize,
    label: String,
}

/// A page, taken apart.
struct Page {
    title: String,
    summary: String,
    sections: Vec<(String, String)>,
}

impl Page {
    fn of(text: &str) -> Page {
        let mut parts = text.split("\n## ");
        let head = parts.next().unwrap_or_default();
        let (title, summary) = head.split_once('\n').unwrap_or((head, ""));
        let sections = parts.map(|part| {
            let (name, body) = part.split_once('\n').unwrap_or((part, ""));
            (name.trim().to_owned(), body.trim().to_owned())
        });
        Page { title: title.to_owned(), summary: summary.trim().to_owned(), sections: sections.collect() }
    }

    fn section(&self, name: &str) -> &str {
        self.sections.iter().find(|(section, _)| section == name).map_or("", |(_, body)| body)
    }

    /// The code of a section's examples.
    fn examples(&self, name: &str) -> Vec<String> {
        let mut examples: Vec<String> = Vec::new();
        let mut is_code = false;
        for line in self.section(name).lines() {
            match line.strip_prefix("```") {
                Some(info) if !is_code => {
                    assert_eq!(info, "rust", "{}: the language of an example", self.title);
                    is_code = true;
                    examples.push(String::new());
                }
                Some(_) => is_code = false,
                None if is_code => {
                    let example = examples.last_mut().expect("begun with its fence");
                    example.push_str(line);
                    example.push('\n');
                }
                None => {}
            }
        }
        assert!(!is_code, "{}: an example does not end", self.title);
        examples
    }
}

/// The findings that an example's carets draw: each comment of carets and a label is about the nearest line above it that is none.
fn drawn(example: &str) -> Vec<Drawn> {
    let mut all = Vec::new();
    let mut target = 0;
    for (index, line) in example.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("//").map(str::trim_start);
        let Some(carets) = comment.filter(|comment| comment.starts_with('^')) else {
            target = index + 1;
            continue;
        };
        let label = carets.trim_start_matches('^');
        let column = line.chars().take_while(|letter| *letter != '^').count() + 1;
        all.push(Drawn { line: target, column, width: carets.len() - label.len(), label: label.trim().to_owned() });
    }
    all
}

/// What the one rule finds in an example, each with the other text that the carets may show.
fn found(rule: &Rule, example: &str) -> Vec<(Drawn, String)> {
    let found = support::lint(example).into_iter().filter(|(finding, ..)| finding.rule == rule.id);
    found
        .map(|(finding, start, end)| {
            let ends_there = if end.line == start.line { end.column } else { u32::MAX };
            let first_line = example.lines().nth(start.line as usize - 1).unwrap_or_default().chars().count() + 1;
            let width = (ends_there as usize).min(first_line) - start.column as usize;
            let place = Drawn { line: start.line as usize, column: start.column as usize, width, label: finding.label };
            (place, finding.message)
        })
        .collect()
}

/// What is wrong with an example of the rule; empty where it is as it is drawn.
fn differences(rule: &Rule, example: &str) -> Vec<String> {
    let mut missing = drawn(example);
    let mut differences = Vec::new();
    for (place, message) in found(rule, example) {
        let by_message = Drawn { label: message, ..place.clone() };
        match missing.iter().position(|drawn| *drawn == place || *drawn == by_message) {
            Some(index) => drop(missing.remove(index)),
            None => differences.push(format!("found, not drawn: {place:?}")),
        }
    }
    differences.extend(missing.iter().map(|drawn| format!("drawn, not found: {drawn:?}")));
    differences
}

#[test]
fn every_page_has_its_parts() {
    for rule in RULES {
        let page = Page::of(&rule.page());
        assert_eq!(page.title, format!("# {}", rule.id));
        let is_sentence = page.summary.ends_with('.') && !page.summary.trim_end_matches('.').contains(". ");
        assert!(is_sentence && !page.summary.contains('\n'), "{}: one sentence says what: {:?}", rule.id, page.summary);
        let names: Vec<&str> = page.sections.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, SECTIONS, "{}: the sections", rule.id);
        for name in SECTIONS {
            assert!(!page.section(name).is_empty(), "{}: {name} is empty", rule.id);
        }
        assert!(!page.examples("Bad").is_empty(), "{}: no bad example", rule.id);
        assert!(!page.examples("Good").is_empty(), "{}: no good example", rule.id);
    }
}

#[test]
fn bad_examples_have_the_findings_that_their_carets_draw() {
    let mut failures = String::new();
    for rule in RULES {
        for example in Page::of(&rule.page()).examples("Bad") {
            assert!(!drawn(&example).is_empty(), "{}: a bad example without carets:\n{example}", rule.id);
            let differences = differences(rule, &example);
            if !differences.is_empty() {
                let _ = writeln!(failures, "{}:\n{example}{}\n", rule.id, differences.join("\n"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn good_examples_have_no_finding() {
    let mut failures = String::new();
    for rule in RULES {
        for example in Page::of(&rule.page()).examples("Good") {
            assert!(drawn(&example).is_empty(), "{}: a good example with carets:\n{example}", rule.id);
            let differences = differences(rule, &example);
            if !differences.is_empty() {
                let _ = writeln!(failures, "{}:\n{example}{}\n", rule.id, differences.join("\n"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The book's page of a rule: its own page, with what decides when it speaks under the title.
fn book_page(rule: &Rule) -> String {
    let page = rule.page();
    let (title, rest) = page.split_once('\n').unwrap_or((&page, ""));
    let level = format!("{:?}", rule.level).to_lowercase();
    format!(
        "<!-- Made from the rule's file by `UPDATE_EXPECT=1 cargo test -p cargo-retry-after --test pages`. -->\n\n\
         {title}\n\n*Group `{}`, level {level}.*\n{rest}",
        rule.group.as_str()
    )
}

/// The book's list of all rules.
fn book_list() -> String {
    let mut list =
        "<!-- Made from the rule files by `UPDATE_EXPECT=1 cargo test -p cargo-retry-after --test pages`. -->\n\n\
                    # The rules\n\n\
                    A rule's name reads after \"allow\" and names the fault; the order is the way a hint travels.\n\
                    *Deny* fails the run, *warn* is told, *advice* is silent until `-W` or `-D` raises it.\n\n\
                    | group | rule | level | the fault |\n| --- | --- | --- | --- |\n"
            .to_owned();
    for rule in RULES {
        let level = format!("{:?}", rule.level).to_lowercase();
        let _ = writeln!(
            list,
            "| {} | [`{id}`](rules/{id}.md) | {level} | {} |",
            rule.group.as_str(),
            rule.summary().replace('|', "\\|"),
            id = rule.id,
        );
    }
    list
}

/// The book's contents, with a line for each rule below that of the list.
fn book_contents(contents: &str) -> String {
    let is_rule = |line: &&str| line.trim_start().starts_with("- [") && line.contains("](rules/");
    let mut lines = String::new();
    for line in contents.lines().filter(|line| !is_rule(line)) {
        let _ = writeln!(lines, "{line}");
        if line.ends_with("](rules.md)") {
            for rule in RULES {
                let _ = writeln!(lines, "  - [{id}](rules/{id}.md)", id = rule.id);
            }
        }
    }
    lines
}

#[test]
fn the_book_holds_the_pages() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    let contents = fs::read_to_string(book.join("SUMMARY.md")).expect("the book's contents");
    let mut files = vec![(book.join("SUMMARY.md"), book_contents(&contents)), (book.join("rules.md"), book_list())];
    files.extend(RULES.iter().map(|rule| (book.join(format!("rules/{}.md", rule.id)), book_page(rule))));
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    if update {
        fs::create_dir_all(book.join("rules")).expect("docs/src/rules");
    }
    for (path, wanted) in &files {
        if update {
            fs::write(path, wanted).expect("a page of the book");
        }
        let kept = fs::read_to_string(path).unwrap_or_default();
        assert!(kept == *wanted, "{} is not what the rules say; UPDATE_EXPECT=1 writes it anew", path.display());
    }
    for entry in fs::read_dir(book.join("rules")).expect("docs/src/rules").map(|entry| entry.expect("an entry").path())
    {
        let is_known = files.iter().any(|(path, _)| path.file_name() == entry.file_name());
        assert!(is_known, "{}: no rule has this page", entry.display());
    }
}

#[test]
fn carets_are_read_as_they_are_drawn() {
    let example = "fn f() {\n    a.min(b)\n    //^^^^^^ cut\n    // ^ here too\n}\n";
    let place = |column, width, label: &str| Drawn { line: 2, column, width, label: label.to_owned() };
    assert_eq!(drawn(example), [place(7, 6, "cut"), place(8, 1, "here too")]);
}

#[test]
fn an_example_that_is_off_is_told() {
    let rule = RULES.iter().find(|rule| rule.id == "capped_hint").expect("a rule");
    let example = Page::of(&rule.page()).examples("Bad").remove(0);
    assert_eq!(differences(rule, &example), Vec::<String>::new());
    let one_column_off = example.replacen("^ ", "  ", 1);
    let another_label = example.replacen("^ ", "^ never said ", 1);
    let without = example.replace('^', "-");
    assert_eq!(differences(rule, &one_column_off).len(), 2);
    assert_eq!(differences(rule, &another_label).len(), 2);
    assert_eq!(differences(rule, &without).len(), 1);
}
