//! Differences in the unified form: which files they are about, and what each hunk puts in and takes away.

/// What a difference says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The path on the old side as it is written, with its prefix; None where the file was not there.
    pub(super) old: Option<String>,
    /// The path on the new side; None where the file is gone.
    pub(super) new: Option<String>,
    /// Whether it says in so many words that the file has another name now.
    pub(super) is_move: bool,
    /// Whether the old path stays as it is beside the new one.
    pub(super) is_copy: bool,
    /// Whether only this is known of it, that it is another one.
    pub(super) is_opaque: bool,
    /// The hunks, in their order.
    pub(super) hunks: Vec<Hunk>,
}

/// A place where something changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line of the new side, from 1, that it begins with, or that follows where it leaves nothing.
    pub(super) start: usize,
    pub(super) lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) mark: Mark,
    /// Without its end.
    pub(super) text: String,
    /// Where it stands in the difference, from 1.
    pub(super) number: usize,
}

/// On which side a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Both,
    Old,
    New,
}

/// Reads a difference. A series of them about one file gives a section each.
///
/// # Errors
///
/// Text that is no difference, a hunk that is cut off, and a difference from several commits at once, with the line.
pub(super) fn parse(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    // Whether the last section is complete, so that what comes is about another file.
    let mut is_closed = true;
    let mut is_any = text.trim().is_empty();
    let mut lines = text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).enumerate();
    while let Some((index, line)) = lines.next() {
        let wrong = |what: &str| format!("line {}: {what}", index + 1);
        if line.starts_with("@@@") || line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
            return Err(wrong("a difference from several commits at once; give one from a single base"));
        }
        if line.starts_with("@@ ") {
            let (old, new) = ranges(line).ok_or_else(|| wrong("not the head of a hunk"))?;
            // A hunk that leaves nothing names the line before it.
            let mut hunk = Hunk { start: new.0 + usize::from(new.1 == 0), lines: Vec::new() };
            let mut left = (old.1, new.1);
            while left.0 > 0 || left.1 > 0 {
                let (index, line) = lines.next().ok_or_else(|| wrong("the hunk is cut off"))?;
                hunk.take(line, index + 1, &mut left).map_err(|what| format!("line {}: {what}", index + 1))?;
            }
            if let Some(section) = sections.last_mut() {
                section.hunks.push(hunk);
            }
            (is_any, is_closed) = (true, true);
            continue;
        }
        let mut open = |is_closed: &mut bool| {
            if std::mem::replace(is_closed, false) || sections.is_empty() {
                sections.push(Section::default());
            }
            sections.len() - 1
        };
        if line.starts_with("diff --git ") {
            is_closed = true;
            is_any = true;
        } else if let Some(path) = line.strip_prefix("--- ") {
            let index = open(&mut is_closed);
            sections[index].old = path_of(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let index = open(&mut is_closed);
            sections[index].new = path_of(path);
            (is_any, is_closed) = (true, true);
        } else if let Some((word, path)) = ["rename", "copy"].iter().find_map(|word| {
            let rest = line.strip_prefix(word)?;
            Some((*word, rest.strip_prefix(" from ")?))
        }) {
            let index = open(&mut is_closed);
            // These lines have no prefix, all others may.
            sections[index].old = path_of(path).map(|path| format!("a/{path}"));
            (sections[index].is_move, sections[index].is_copy) = (true, word == "copy");
        } else if let Some(path) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            let index = open(&mut is_closed);
            sections[index].new = path_of(path).map(|path| format!("b/{path}"));
        } else if let Some(both) = line.strip_prefix("Binary files ").and_then(|rest| rest.strip_suffix(" differ")) {
            is_any = true;
            if let Some((old, new)) = both.rsplit_once(" and ") {
                let (old, new) = (path_of(old), path_of(new));
                sections.push(Section { old, new, is_opaque: true, ..Section::default() });
            }
            is_closed = true;
        }
    }
    if is_any {
        sections.retain(|section| section.old.is_some() || section.new.is_some());
        Ok(sections)
    } else {
        Err("there is no difference in it: give the output of `git diff` or `diff -u`".to_owned())
    }
}

impl Hunk {
    /// Takes a line; `left` are the lines that are still to come on each side.
    fn take(&mut self, line: &str, number: usize, left: &mut (usize, usize)) -> Result<(), &'static str> {
        let mark = match line.as_bytes().first() {
            Some(b'-') if left.0 > 0 => Mark::Old,
            Some(b'+') if left.1 > 0 => Mark::New,
            // An empty line of context may have lost its blank.
            Some(b' ') | None if left.0 > 0 && left.1 > 0 => Mark::Both,
            Some(b'\r') if line.len() == 1 && left.0 > 0 && left.1 > 0 => Mark::Both,
            Some(b'\\') => return Ok(()),
            _ => return Err("not a line of the hunk that its head announces"),
        };
        left.0 -= usize::from(mark != Mark::New);
        left.1 -= usize::from(mark != Mark::Old);
        let text = line.get(1..).unwrap_or_default().trim_end_matches('\r').to_owned();
        self.lines.push(Line { mark, text, number });
        Ok(())
    }
}

/// `@@ -a,b +c,d @@`: (a, b) and (c, d).
fn ranges(head: &str) -> Option<((usize, usize), (usize, usize))> {
    let (old, new) = head.strip_prefix("@@ -")?.split_once(" @@")?.0.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

/// The path behind `---` or `+++`; None for no file.
fn path_of(text: &str) -> Option<String> {
    let path = if text.starts_with('"') {
        unquoted(text)
    } else {
        text.split('\t').next().unwrap_or(text).trim_end_matches('\r').to_owned()
    };
    (path != "/dev/null").then_some(path)
}

/// A path as git quotes one with odd characters.
fn unquoted(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes().skip(1).peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(b'r') => bytes.push(b'\r'),
                Some(digit @ b'0'..=b'3') => {
                    let mut value = u32::from(digit - b'0');
                    while let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                    bytes.push(value as u8);
                }
                Some(other) => bytes.push(other),
                None => break,
            },
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the new side that are new, of the only section.
    fn lines(text: &str, file: &str) -> Vec<usize> {
        let sections = parse(text).unwrap();
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].new.as_deref(), Some(file));
        let mut new = Vec::new();
        for hunk in &sections[0].hunks {
            let both = hunk.lines.iter().filter(|line| line.mark != Mark::Old).enumerate();
            new.extend(both.filter(|(_, line)| line.mark == Mark::New).map(|(index, _)| hunk.start + index));
        }
        new
    }

    #[test]
    fn added_and_altered_lines_are_those_of_the_new_side() {
        let text =
            "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1,0 +2,2 @@ fn f() {\n+a\n+b\n@@ -7 +9 @@\n-c\n+d\n";
        assert_eq!(lines(text, "b/x.rs"), [2, 3, 9]);
        let with_context = "--- x.rs\t2026-01-01\n+++ x.rs\t2026-01-02\n@@ -1,4 +1,5 @@\n a\n-b\n+B\n+C\n\n d\n\\ No newline at end of file\n";
        assert_eq!(lines(with_context, "x.rs"), [2, 3]);
    }

    #[test]
    fn paths_are_taken_as_git_writes_them() {
        for (written, path) in [
            ("b/with blank.rs\t", "b/with blank.rs"),
            ("\"b/gr\\303\\266\\303\\237e\\t\\\"x\\\".rs\"", "b/größe\t\"x\".rs"),
            ("/dev/null", ""),
        ] {
            assert_eq!(path_of(written).unwrap_or_default(), path);
        }
    }

    #[test]
    fn lines_that_look_like_heads_are_lines_of_a_hunk() {
        let text = "--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@\n--- a/y.rs\n-@@ -1 +1 @@\n+++ b/y.rs\n+@@ -1 +1 @@\n";
        assert_eq!(lines(text, "b/x.rs"), [3, 4]);
    }

    #[test]
    fn files_come_and_go_and_move() {
        let section = |old: Option<&str>, new: Option<&str>| Section {
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
            ..Section::default()
        };
        let text = "diff --git a/x.rs b/y.rs\nsimilarity index 100%\nrename from x.rs\nrename to y.rs\n\
                    diff --git a/u.rs b/v.rs\nsimilarity index 100%\ncopy from u.rs\ncopy to v.rs\n";
        assert_eq!(
            parse(text).unwrap(),
            [
                Section { is_move: true, ..section(Some("a/x.rs"), Some("b/y.rs")) },
                Section { is_move: true, is_copy: true, ..section(Some("a/u.rs"), Some("b/v.rs")) }
            ]
        );
        let text = "--- a/x.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- /dev/null\n+++ b/y.rs\n@@ -0,0 +1 @@\n+a\n";
        let sections = parse(text).unwrap();
        assert_eq!(sections.len(), 2);
        assert_eq!((sections[0].old.as_deref(), sections[0].new.as_deref()), (Some("a/x.rs"), None));
        assert_eq!((sections[1].old.as_deref(), sections[1].new.as_deref()), (None, Some("b/y.rs")));
        assert_eq!((sections[0].hunks[0].start, sections[1].hunks[0].start), (1, 1));
        // A series about one file.
        let one = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(parse(&format!("{one}{one}")).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_difference_is_an_error() {
        assert!(parse("hello\n").is_err());
        assert!(parse("").unwrap().is_empty());
        assert_eq!(parse("+++ b/x.rs\n@@ -1,2 +1,2 @@\n a\n").err().as_deref(), Some("line 2: the hunk is cut off"));
        assert_eq!(parse("+++ b/x.rs\n@@ what\n").err().as_deref(), Some("line 2: not the head of a hunk"));
        assert_eq!(
            parse("+++ b/x.rs\n@@ -1 +1 @@\nx\n").err().as_deref(),
            Some("line 3: not a line of the hunk that its head announces")
        );
        assert!(parse("diff --cc x.rs\n").is_err());
    }
}
