//! Differences in the unified form: which lines of which files they add or alter, and where they take something away.

use super::removal::Removal;
use super::{Changes, Lines};

/// Reads a difference. Paths are those of the new side, as they are written, with their prefix.
///
/// # Errors
///
/// Text that is no difference, a hunk that is cut off, and a difference from several commits at once, with the line.
pub(super) fn parse(text: &str) -> Result<Changes, String> {
    let mut changes = Changes::default();
    let mut file: Option<String> = None;
    let mut is_any = text.trim().is_empty();
    let mut lines =
        text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let wrong = |what: &str| format!("line {}: {what}", index + 1);
        if line.starts_with("@@@") || line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
            return Err(wrong("a difference from several commits at once; give one from a single base"));
        }
        if line.starts_with("diff --git ") {
            file = None;
            is_any = true;
        } else if let Some(path) = line.strip_prefix("+++ ") {
            file = new_path(path);
            is_any = true;
            if let Some(file) = &file {
                changes.files.entry(file.clone()).or_default();
            }
        } else if let Some(both) = line.strip_prefix("Binary files ").and_then(|rest| rest.strip_suffix(" differ")) {
            is_any = true;
            if let Some(path) = both.rsplit_once(" and ").and_then(|(_, new)| new_path(new)) {
                changes.add_whole_file(&path);
            }
        } else if line.starts_with("@@ ") {
            let (old, new) = ranges(line).ok_or_else(|| wrong("not the head of a hunk"))?;
            let mut hunk = Hunk {
                line: new.0,
                old_left: old.1,
                new_left: new.1,
                lines: Lines::default(),
                removed: Vec::new(),
                added: Vec::new(),
                is_empty_before: new.1 == 0,
            };
            while hunk.old_left > 0 || hunk.new_left > 0 {
                let (index, line) = lines.next().ok_or_else(|| wrong("the hunk is cut off"))?;
                hunk.take(line).map_err(|what| format!("line {}: {what}", index + 1))?;
            }
            hunk.flush();
            if let Some(known) = file.as_ref().and_then(|file| changes.files.get_mut(file)) {
                known.extend(hunk.lines);
            }
            is_any = true;
        }
    }
    if is_any {
        Ok(changes)
    } else {
        Err("there is no difference in it: give the output of `git diff` or `diff -u`".to_owned())
    }
}

/// A hunk, line by line.
struct Hunk {
    /// The line of the new side that comes next.
    line: u32,
    old_left: u32,
    new_left: u32,
    lines: Lines,
    /// Lines of the run of changes at hand.
    removed: Vec<String>,
    added: Vec<String>,
    /// A hunk that adds nothing names the line before it.
    is_empty_before: bool,
}

impl Hunk {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let bare = || line.get(1..).unwrap_or_default().trim_end_matches('\r').to_owned();
        match line.as_bytes().first() {
            Some(b'-') if self.old_left > 0 => {
                if !self.added.is_empty() {
                    self.flush();
                }
                self.removed.push(bare());
                self.old_left -= 1;
            }
            Some(b'+') if self.new_left > 0 => {
                self.added.push(bare());
                self.lines.add(self.line);
                self.line += 1;
                self.new_left -= 1;
            }
            // An empty line of context may have lost its blank.
            Some(b' ') | None if self.old_left > 0 && self.new_left > 0 => {
                self.flush();
                self.line += 1;
                self.old_left -= 1;
                self.new_left -= 1;
            }
            Some(b'\\') => {}
            _ => return Err("not a line of the hunk that its head announces"),
        }
        Ok(())
    }

    /// Ends a run of removed and added lines.
    fn flush(&mut self) {
        let next = self.line + u32::from(self.is_empty_before);
        if let Some(removal) = Removal::new(next, &self.removed, &self.added) {
            self.lines.removals.push(removal);
        }
        self.removed.clear();
        self.added.clear();
    }
}

/// `@@ -a,b +c,d @@`: (a, b) and (c, d).
fn ranges(head: &str) -> Option<((u32, u32), (u32, u32))> {
    let (old, new) = head.strip_prefix("@@ -")?.split_once(" @@")?.0.split_once(" +")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

/// The path behind `+++`; None for no file.
fn new_path(text: &str) -> Option<String> {
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

    fn lines(text: &str, file: &str) -> Vec<u32> {
        let changes = parse(text).unwrap();
        let lines = &changes.files[file];
        (1..40).filter(|line| lines.added.iter().any(|range| range.contains(line))).collect()
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
            assert_eq!(new_path(written).unwrap_or_default(), path);
        }
    }

    #[test]
    fn lines_that_look_like_heads_are_lines_of_a_hunk() {
        let text = "--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@\n--- a/y.rs\n-@@ -1 +1 @@\n+++ b/y.rs\n+@@ -1 +1 @@\n";
        assert_eq!(lines(text, "b/x.rs"), [3, 4]);
        assert_eq!(parse(text).unwrap().files.len(), 1);
    }

    #[test]
    fn a_renamed_file_without_change_has_no_lines() {
        let text = "diff --git a/x.rs b/y.rs\nsimilarity index 100%\nrename from x.rs\nrename to y.rs\n";
        assert_eq!(parse(text).unwrap().files.len(), 0);
    }

    #[test]
    fn what_is_no_difference_is_an_error() {
        assert!(parse("hello\n").is_err());
        assert!(parse("").unwrap().files.is_empty());
        assert_eq!(parse("+++ b/x.rs\n@@ -1,2 +1,2 @@\n a\n").err().as_deref(), Some("line 2: the hunk is cut off"));
        assert_eq!(parse("+++ b/x.rs\n@@ what\n").err().as_deref(), Some("line 2: not the head of a hunk"));
        assert_eq!(
            parse("+++ b/x.rs\n@@ -1 +1 @@\nx\n").err().as_deref(),
            Some("line 3: not a line of the hunk that its head announces")
        );
        assert!(parse("diff --cc x.rs\n").is_err());
    }
}
