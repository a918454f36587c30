//! Source files: their text, and the cheap search that says which of them may matter.

use crate::ir::FileId;
use crate::workspace::Workspace;

/// A file that could not be read or parsed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// How reports name the file.
    pub file: String,
    /// The line, from 1; 1 where no line is to blame.
    pub line: u32,
    /// Why, and what to do.
    pub message: String,
}

/// Reads a file's text. A file that is not UTF-8, holds NUL bytes or is too large gives the reason.
pub fn read(workspace: &Workspace, file: FileId) -> Result<String, Unreadable> {
    let _ = (workspace, file);
    unreachable!()
}
