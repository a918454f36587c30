//! End-to-end tests: the built binary, run as a user runs it, and the conventions of this workspace.

mod book;
mod command_line;
mod delivery;
mod formats;
mod hostile;
mod odd_files;
mod packages;
mod parse;
mod readme;
mod support;
mod tidy;
