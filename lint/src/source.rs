//! Source files: their text, and the cheap search that says which of them may matter.
//!
//! [`search`] looks through the bytes of every file; [`read`] gives the text of one. Both refuse the same files for the same reasons.

mod lines;
mod search;

pub(crate) use lines::char_boundary;
pub use lines::{LineIndex, Position};
pub(crate) use search::mentions;
pub use search::{Mentions, Search, search};

use crate::ir::FileId;
use crate::workspace::{SourceFile, Workspace};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// A file of more bytes than this is not read: no one writes it by hand.
pub const SIZE_LIMIT: u64 = 16 << 20;

/// A file that could not be read or parsed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// How reports name the file: relative to the root.
    pub file: String,
    /// Where it is, absolute; None for what has no place on the disk, a dependency whose sources cannot be had.
    pub path: Option<PathBuf>,
    /// The line, from 1; 1 where no line is to blame.
    pub line: u32,
    /// Why, and what to do.
    pub message: String,
}

impl Unreadable {
    /// A file of the workspace, with the line and the reason.
    pub fn new(file: &SourceFile, line: u32, message: impl Into<String>) -> Unreadable {
        Unreadable { file: file.display.clone(), path: Some(file.path.clone()), line, message: message.into() }
    }
}

/// Reads a file's text as it is: with a BOM, a shebang line and the line ends it has, so that places in it are places in the file.
///
/// # Errors
///
/// A file that cannot be opened, is not UTF-8 or is too large gives the reason.
pub fn read(workspace: &Workspace, file: FileId) -> Result<String, Unreadable> {
    let file = workspace.file(file);
    let mut bytes = Vec::new();
    fill(file, &mut bytes)?;
    check(file, &bytes)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(file, error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// Reads the file into the buffer, in place of what it held. Only regular files come here: to open a pipe would wait for someone to write into it.
fn fill(file: &SourceFile, bytes: &mut Vec<u8>) -> Result<(), Unreadable> {
    let unreadable = |message: String| Unreadable::new(file, 1, message);
    bytes.clear();
    if let Some(text) = &file.text {
        bytes.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    // The size is not asked for beforehand: the buffer is used for many files, and the limit holds for one that grows meanwhile, too.
    let read = File::open(&file.path).and_then(|opened| opened.take(SIZE_LIMIT + 1).read_to_end(bytes));
    match read {
        Ok(size) if size as u64 > SIZE_LIMIT => {
            let size = std::fs::metadata(&file.path).map_or(size as u64, |facts| facts.len());
            let (size, limit) = (size >> 20, SIZE_LIMIT >> 20);
            Err(unreadable(format!("not read: {size} MB, more than the {limit} MB that are read")))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(unreadable(format!("cannot be read: {}", crate::workspace::plain(&error)))),
    }
}

/// Whether the bytes are text as Rust takes it. NUL bytes are: in comments and literals they are allowed, elsewhere they are no code, as other characters are none.
fn check(file: &SourceFile, bytes: &[u8]) -> Result<(), Unreadable> {
    std::str::from_utf8(bytes).map(|_| ()).map_err(|error| not_utf8(file, bytes, error.valid_up_to()))
}

fn not_utf8(file: &SourceFile, bytes: &[u8], place: usize) -> Unreadable {
    // What an editor on Windows may write holds a NUL byte beside each letter.
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let what = if is_utf16 { "UTF-16, not UTF-8" } else { "not UTF-8" };
    Unreadable::new(file, line_at(bytes, place), format!("{what}: Rust source text must be; save it as UTF-8"))
}

fn line_at(bytes: &[u8], place: usize) -> u32 {
    1 + memchr::memchr_iter(b'\n', &bytes[..place]).count() as u32
}
