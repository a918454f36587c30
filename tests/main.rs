//! End-to-end tests: the built binary, run as a user runs it, and the conventions of this workspace.

mod baseline;
mod book;
mod caused;
mod changes;
mod command_line;
mod compare;
mod delivery;
mod dependencies;
mod formats;
mod hostile;
mod lift;
mod odd_files;
mod packages;
mod parse;
mod readme;
mod settings;
mod support;
mod suppressions;
mod tidy;
