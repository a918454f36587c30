//! Header lines as text that can be read, written by hand and read back.

use std::fmt::Write;

/// Lines as one line of ASCII: `\xNN` for what is not printed as it is, `\n` between lines. No line at all is the empty text,
/// and an empty line `\e`.
pub fn escape(lines: &[impl AsRef<[u8]>]) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            text.push_str("\\n");
        }
        for &byte in line.as_ref() {
            match byte {
                b'\\' => text.push_str("\\\\"),
                b' '..=b'~' => text.push(char::from(byte)),
                // Writing to a String does not fail.
                _ => {
                    let _ = write!(text, "\\x{byte:02x}");
                }
            }
        }
        if line.as_ref().is_empty() && lines.len() == 1 {
            text.push_str("\\e");
        }
    }
    text
}

/// The lines that [`escape`] wrote. What is not an escape of its own stands for itself.
pub fn unescape(text: &str) -> Vec<Vec<u8>> {
    if text.is_empty() {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let mut lines = vec![Vec::new()];
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        let mut length = 1;
        let mut meant = Some(byte);
        if byte == b'\\' {
            length = 2;
            match bytes.get(place + 1) {
                Some(b'\\') => {}
                Some(b'e') => meant = None,
                Some(b'n') => {
                    lines.push(Vec::new());
                    meant = None;
                }
                Some(b'x') => {
                    let digits = text.get(place + 2..place + 4);
                    match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                        Some(byte) => (meant, length) = (Some(byte), 4),
                        None => length = 1,
                    }
                }
                _ => length = 1,
            }
        }
        if let (Some(line), Some(byte)) = (lines.last_mut(), meant) {
            line.push(byte);
        }
        place += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_read_back() {
        let cases: [&[&[u8]]; 7] =
            [&[], &[b""], &[b"120"], &[b"a\\n", b"\xff\x00"], &[b"", b""], &[b"Sun, 06 Nov"], &[b"\\x4", b"\t"]];
        for lines in cases {
            let text = escape(lines);
            assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
            assert_eq!(unescape(&text), lines, "{text}");
        }
        assert_eq!(escape(&[b""; 0]), "");
        assert_eq!(unescape("\\q"), [b"\\q"]);
    }
}
