//! Lines: from a byte's place in a file to its line and column.

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters. A tab is one; a BOM is none.
    pub column: u32,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Looks for the line ends. A line ends with `\n`; a `\r` before it belongs to no column that is ever asked for.
    pub fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1));
        LineIndex { starts: starts.collect() }
    }

    /// The line and column of a byte of the text the index was made from. A place behind the end is the end; one inside a character is its start.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let offset = char_boundary(text, offset as usize);
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts[line - 1];
        let before = text.get(start..offset).unwrap_or_default();
        let before = if start == 0 { before.trim_start_matches('\u{feff}') } else { before };
        Position { line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    /// The text of a line, from 1, without its end; empty where there is no such line.
    pub fn line<'t>(&self, text: &'t str, line: u32) -> &'t str {
        let Some(start) = (line as usize).checked_sub(1).and_then(|index| self.starts.get(index)) else { return "" };
        let end = self.starts.get(line as usize).copied().unwrap_or(text.len());
        let line = text.get(*start..end).unwrap_or_default().trim_end_matches(['\n', '\r']);
        if *start == 0 { line.trim_start_matches('\u{feff}') } else { line }
    }

    /// Where a line, from 1, begins; the text's end where there is no such line.
    pub fn start(&self, text: &str, line: u32) -> usize {
        (line as usize).checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or(text.len())
    }
}

/// The nearest boundary of a character at or before the place; the end where the place is behind it.
pub(crate) fn char_boundary(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str, offset: u32) -> (u32, u32) {
        let position = LineIndex::new(text).position(text, offset);
        (position.line, position.column)
    }

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        assert_eq!(position("ab\ncd", 0), (1, 1));
        assert_eq!(position("ab\ncd", 2), (1, 3));
        assert_eq!(position("ab\ncd", 3), (2, 1));
        assert_eq!(position("é→x", 5), (1, 3));
        assert_eq!(position("\tx", 1), (1, 2));
        assert_eq!(position("", 0), (1, 1));
    }

    #[test]
    fn carriage_returns_and_marks_of_byte_order_shift_nothing() {
        assert_eq!(position("a\r\nb", 3), (2, 1));
        assert_eq!(position("\u{feff}ab", 3), (1, 1));
        assert_eq!(position("\u{feff}ab\nc", 6), (2, 1));
    }

    #[test]
    fn places_outside_or_inside_a_character_are_moved_to_one_that_is() {
        assert_eq!(position("ab", 99), (1, 3));
        assert_eq!(position("aé", 2), (1, 2));
    }

    #[test]
    fn a_line_comes_without_its_end() {
        let text = "\u{feff}one\r\ntwo\n";
        let index = LineIndex::new(text);
        assert_eq!(
            [index.line(text, 1), index.line(text, 2), index.line(text, 3), index.line(text, 9)],
            ["one", "two", "", ""]
        );
        assert_eq!(index.start(text, 2), 8);
    }
}
