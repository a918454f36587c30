//! What need not be parsed: comments. The parser makes six tokens of each line of documentation, which in published crates is often more
//! than the code.

use std::ops::Range;

/// The text with blanks for these ranges, and every other byte and line where it was. The ranges may lie in each other and come in any order.
pub(super) fn blank(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut bare = String::with_capacity(text.len());
    for range in ranges {
        if range.end <= bare.len() {
            continue;
        }
        let start = range.start.max(bare.len());
        bare.push_str(&text[bare.len()..start]);
        bare.extend(text[start..range.end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    bare.push_str(&text[bare.len()..]);
    bare
}

#[cfg(test)]
mod tests {
    use super::super::tokens::Tokens;
    use super::*;

    fn bare(text: &str) -> String {
        let mut tokens = Tokens::new(text);
        for _ in tokens.by_ref() {}
        blank(text, tokens.comments)
    }

    #[test]
    fn comments_become_blanks() {
        assert_eq!(
            bare("/// é\n//! of\n/* a\nb */ fn a() { \"// é\" }"),
            "      \n      \n    \n     fn a() { \"// é\" }"
        );
    }
}
