//! The text of this crate, as data: a program that generates code which is held to the reference writes it out beside that code.
//!
//! So such a program works alone wherever it is installed, and the reference that it writes is the one it was built with.

/// The files of `src` by their names.
pub const FILES: &[(&str, &str)] = &[
    ("clock.rs", include_str!("clock.rs")),
    ("date.rs", include_str!("date.rs")),
    ("error.rs", include_str!("error.rs")),
    ("hint.rs", include_str!("hint.rs")),
    ("lib.rs", include_str!("lib.rs")),
    ("parse.rs", include_str!("parse.rs")),
    ("schedule.rs", include_str!("schedule.rs")),
    ("sources.rs", include_str!("sources.rs")),
    ("wait.rs", include_str!("wait.rs")),
];
