//! One file before and after a change: where each of its lines was, and the text that it had.

use super::diff::{Hunk, Mark};
use super::removal::Removal;

/// A file that changed, as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileChange {
    /// Where it is now, relative to the repository; None where it is gone.
    pub(super) now: Option<String>,
    /// Where it was before; None where it was not there.
    pub(super) before: Option<String>,
    /// Whether what it was copied from is still there.
    pub(super) is_copy: bool,
    /// Its lines before the change.
    lines: Vec<Line>,
    /// For each line of now, from 1, which one it was before; 0 where it was none.
    origins: Vec<u32>,
    removals: Vec<Removal>,
}

/// A line as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    text: String,
    /// Which line it is now, if it is there unaltered.
    now: Option<u32>,
}

/// A hunk that says something else than the file does.
pub(super) struct Misfit {
    /// The line of the difference.
    pub(super) number: usize,
    /// The line of the file, and what stands there: None behind its end.
    pub(super) line: usize,
    pub(super) found: Option<String>,
}

impl FileChange {
    /// A file that is as it was, until hunks are undone.
    pub(super) fn unchanged(path: &str, text: &str) -> FileChange {
        let lines = text.lines().zip(1..).map(|(line, number)| Line { text: line.to_owned(), now: Some(number) });
        FileChange {
            now: Some(path.to_owned()),
            before: Some(path.to_owned()),
            lines: lines.collect(),
            ..FileChange::default()
        }
    }

    /// A file all of whose lines are new.
    pub(super) fn added(path: &str) -> FileChange {
        FileChange { now: Some(path.to_owned()), ..FileChange::default() }
    }

    /// Takes all its lines for new ones: how it was before is not known.
    pub(super) fn forget(&mut self) {
        self.lines.clear();
    }

    /// Takes back what the hunks did. Hunks of the latest change come first.
    ///
    /// # Errors
    ///
    /// Where the text must be the one that the hunks speak of and is another, the first place.
    pub(super) fn undo(&mut self, hunks: &[Hunk], must_fit: bool) -> Result<(), Misfit> {
        let after = std::mem::take(&mut self.lines);
        let mut next = 0;
        for hunk in hunks {
            let start = hunk.start.saturating_sub(1);
            if must_fit && (start > after.len() || start < next) {
                let number = hunk.lines.first().map_or(1, |line| line.number);
                return Err(Misfit { number, line: hunk.start, found: None });
            }
            self.lines.extend(after.get(next..start).unwrap_or_default().iter().cloned());
            next = next.max(start);
            let (mut removed, mut added) = (Vec::new(), Vec::new());
            for line in &hunk.lines {
                if line.mark == Mark::Old {
                    if !added.is_empty() {
                        self.note_removal(&after, next, &mut removed, &mut added);
                    }
                    removed.push(line.text.clone());
                    self.lines.push(Line { text: line.text.clone(), now: None });
                    continue;
                }
                let here = after.get(next);
                if must_fit && !here.is_some_and(|here| is_same(&here.text, &line.text)) {
                    let found = here.map(|here| here.text.clone());
                    return Err(Misfit { number: line.number, line: next + 1, found });
                }
                if line.mark == Mark::New {
                    added.push(line.text.clone());
                } else {
                    self.note_removal(&after, next, &mut removed, &mut added);
                    self.lines.extend(here.cloned());
                }
                next += 1;
            }
            self.note_removal(&after, next, &mut removed, &mut added);
        }
        self.lines.extend(after.get(next..).unwrap_or_default().iter().cloned());
        Ok(())
    }

    /// Ends a run of removed and added lines, before the line of that index.
    fn note_removal(&mut self, after: &[Line], next: usize, removed: &mut Vec<String>, added: &mut Vec<String>) {
        let following = after.get(next..).unwrap_or_default().iter().find_map(|line| line.now);
        let last = after.iter().rev().find_map(|line| line.now).unwrap_or(0);
        self.removals.extend(Removal::new(following.unwrap_or(last + 1), removed, added));
        removed.clear();
        added.clear();
    }

    /// Says that all is undone.
    pub(super) fn finish(mut self) -> FileChange {
        let length = self.lines.iter().filter_map(|line| line.now).max().unwrap_or(0);
        self.origins = vec![0; length as usize + 1];
        for (line, number) in self.lines.iter().zip(1..) {
            if let Some(now) = line.now {
                self.origins[now as usize] = number;
            }
        }
        self
    }

    /// The text before the change.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }

    /// Which line, from 1, a line of now was before; None where it is new.
    pub(super) fn origin(&self, line: u32) -> Option<u32> {
        self.origins.get(line as usize).copied().filter(|origin| *origin > 0)
    }

    /// Whether the lines of now, up to the end, have to do with the change. `line` gives the text of one.
    pub(super) fn touches<'t>(&self, start: u32, end: u32, line: impl Fn(u32) -> Option<&'t str> + Copy) -> bool {
        let is_new = (start..=end).any(|line| self.origin(line).is_none());
        let altered = || self.removals.iter().flat_map(|removal| removal.altered(line));
        is_new || altered().any(|line| (start..=end).contains(&line))
    }
}

/// Whether two lines differ in nothing but white space, which programs that make differences may be told to pass over.
fn is_same(one: &str, other: &str) -> bool {
    let dense = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    one == other || dense(one) == dense(other)
}

#[cfg(test)]
mod tests {
    use super::super::diff;
    use super::*;

    fn undone(text: &str, difference: &str) -> Result<FileChange, String> {
        let mut file = FileChange::unchanged("x.rs", text);
        for section in diff::parse(difference).unwrap().iter().rev() {
            file.undo(&section.hunks, true).map_err(|misfit| format!("{} {}", misfit.number, misfit.line))?;
        }
        Ok(file.finish())
    }

    const HEAD: &str = "--- a/x.rs\n+++ b/x.rs\n";

    #[test]
    fn what_a_hunk_did_is_taken_back() {
        let file = undone("a\nB\nc\nd\n", &format!("{HEAD}@@ -1,4 +1,4 @@\n a\n-b\n+B\n-x\n c\n+d\n")).unwrap();
        assert_eq!(file.text(), "a\nb\nx\nc\n");
        assert_eq!((1..=5).map(|line| file.origin(line)).collect::<Vec<_>>(), [Some(1), None, Some(4), None, None]);
        let file = undone("a\nc\n", &format!("{HEAD}@@ -2 +1,0 @@\n-b\n")).unwrap();
        assert_eq!(file.text(), "a\nb\nc\n");
        assert_eq!(file.origin(2), Some(3));
        let file = undone("", &format!("{HEAD}@@ -1,2 +0,0 @@\n-a\n-b\n")).unwrap();
        assert_eq!(file.text(), "a\nb\n");
    }

    #[test]
    fn a_series_is_taken_back_from_its_end() {
        let series = format!("{HEAD}@@ -1,0 +1,2 @@\n+x\n+y\n{HEAD}@@ -3 +3 @@\n-a\n+b\n@@ -2 +2 @@\n-y\n+z\n");
        assert_eq!(undone("x\nz\nb\n", &series).err().as_deref(), Some("12 2"), "hunks are in order");
        let series = format!("{HEAD}@@ -1,0 +1,2 @@\n+x\n+y\n{HEAD}@@ -2,2 +2,2 @@\n-y\n-a\n+z\n+b\n");
        let file = undone("x\nz\nb\nc\n", &series).unwrap();
        assert_eq!(file.text(), "a\nc\n");
        assert_eq!((1..=4).map(|line| file.origin(line)).collect::<Vec<_>>(), [None, None, None, Some(2)]);
    }

    #[test]
    fn a_hunk_of_another_text_does_not_fit() {
        let hunk = format!("{HEAD}@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert_eq!(undone("a\nb\n", &hunk).err().as_deref(), Some("6 2"), "not applied");
        assert_eq!(undone("a\n", &hunk).err().as_deref(), Some("6 2"), "shorter");
        assert_eq!(undone("x\nc\n", &hunk).err().as_deref(), Some("4 1"), "something else");
        assert!(undone("\ta\n  c\n", &hunk).is_ok(), "white space");
        assert_eq!(undone("a\n", &format!("{HEAD}@@ -9 +9 @@\n-b\n+c\n")).err().as_deref(), Some("4 9"));
    }
}
