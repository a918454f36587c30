//! The linter on a package of one file.

use retry_after_lint::diagnostic::{Confidence, Finding};
use retry_after_lint::source::{LineIndex, Position};
use retry_after_lint::workspace::{self, Request};
use std::fs;

/// What is shown by default of what the linter finds in a package whose `src/lib.rs` is the text, each with the place where it begins and ends.
pub fn lint(text: &str) -> Vec<(Finding, Position, Position)> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a folder in it");
    fs::write(
        folder.path().join("Cargo.toml"),
        "[package]\nname = \"example\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )
    .expect("a manifest");
    fs::write(folder.path().join("src/lib.rs"), text).expect("the library");
    let roots = workspace::discover(&Request::Paths(vec![folder.path().to_owned()])).expect("the package");
    let analyses = roots.iter().map(|root| retry_after_lint::analyse(&root.workspace));
    let lines = LineIndex::new(text);
    let mut found = Vec::new();
    for analysis in analyses {
        assert!(analysis.unreadable.is_empty(), "{:?} in\n{text}", analysis.unreadable);
        let shown = analysis.findings.into_iter().filter(|finding| finding.confidence > Confidence::Low);
        found.extend(shown.map(|finding| {
            let place = |byte| lines.position(text, byte);
            let (start, end) = (place(finding.span.start), place(finding.span.end));
            (finding, start, end)
        }));
    }
    found
}
