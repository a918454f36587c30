//! Conventions of this workspace that a compiler does not hold.

use crate::support::{root, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of more lines than this needs a reason.
const LINES: usize = 700;

/// The files that are longer, and why that is right.
const LONG: &[(&str, &str)] = &[
    ("lint/src/ir.rs", "the types of the intermediate representation are one vocabulary, most of it documentation"),
    ("lint/src/behaviour/library.rs", "the table of functions by name, which is long because there are many"),
    ("lint/src/names.rs", "all that is guessed from a name stands in one place, and most of it is lists of words"),
    ("lint/src/behaviour/pattern.rs", "patterns and the parts of unknown values refine each other"),
];

/// The linter's stages that know syntax trees.
const SYNTAX: &[&str] = &["lint/src/module", "lint/src/ir/lower", "lint/src/extract"];

/// The linter's stages that touch the disk.
const DISK: &[&str] = &[
    "lint/src/workspace",
    "lint/src/source",
    "lint/src/cli",
    "lint/src/harness",
    "lint/src/change/git",
    "lint/src/change/patch",
];

#[test]
fn only_module_and_ir_know_syntax_trees() {
    forbid(
        "lint/src",
        &["syn::", "proc_macro2::"],
        SYNTAX,
        "facts from the intermediate representation are to be used instead",
    );
}

#[test]
fn only_workspace_source_and_the_command_line_touch_the_disk() {
    forbid("lint/src", &["std::fs", "fs::read", "File::open", "File::create"], DISK, "texts come from `source::read`");
    forbid("core/src", &["std::fs", "std::net", "std::io", "std::process", "std::env"], &[], "the reference computes");
}

#[test]
fn only_cargo_and_git_are_started_and_each_in_one_place() {
    forbid(
        "lint/src",
        &["Command::new", "process::Command"],
        &["lint/src/workspace/cargo.rs", "lint/src/workspace/program.rs", "lint/src/change/git.rs", "lint/src/harness"],
        "what is linted is never run",
    );
}

#[test]
fn only_the_commands_that_say_so_run_code() {
    let commands = ["compare", "fuzz", "proof", "witness"].map(|command| format!("lint/src/cli/{command}.rs"));
    let mut allowed: Vec<&str> = commands.iter().map(String::as_str).collect();
    // Reports know what came of it, as data.
    allowed.extend(["lint/src/harness", "lint/src/report/compare"]);
    forbid("lint/src", &["harness::"], &allowed, "plain lint never comes to the harness");
}

#[test]
fn what_harnesses_are_made_of_is_embedded_whole() {
    for (folder, list) in [("core/src", "core/src/sources.rs"), ("lint/runtime", "lint/src/harness/layout.rs")] {
        let text = fs::read_to_string(root().join(list)).unwrap();
        for path in sources(folder) {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            assert!(text.contains(&format!("(\"{name}\", include_str!(")), "{list} lacks {}", path.display());
        }
    }
}

#[test]
fn only_the_references_wait_sleeps() {
    for folder in ["core/src", "lint/src", "fuzz/src", "fuzz/fuzz_targets"] {
        forbid(folder, &["thread::sleep", "park_timeout"], &["core/src/wait.rs"], "time is an argument elsewhere");
    }
}

#[test]
fn no_stage_uses_a_later_one() {
    // The order of the stages; each may use those before it. `diagnostic` is plain data that all later ones share.
    let stages = [
        "workspace",
        "source",
        "ir",
        "module",
        "site",
        "retry",
        "behaviour",
        "extract",
        "harness",
        "rules",
        "suppression",
        "report",
        "settings",
        "change",
    ];
    for (place, stage) in stages.iter().enumerate() {
        let later: Vec<String> = stages[place + 1..].iter().map(|later| format!("crate::{later}")).collect();
        let later: Vec<&str> =
            later.iter().map(String::as_str).filter(|later| !is_known_exception(stage, later)).collect();
        for path in sources("lint/src").iter().filter(|path| is_below(path, &[&format!("lint/src/{stage}")])) {
            check(path, &later, "stages are one way");
        }
    }
}

/// The stages' types that are each other's vocabulary: a workspace's file has an id of the IR and its unreadable files are a source's.
fn is_known_exception(stage: &str, later: &str) -> bool {
    matches!(
        (stage, later),
        ("workspace", "crate::ir" | "crate::source")
            | ("source", "crate::ir")
            | ("ir", "crate::module")
            | ("behaviour", "crate::rules")
    )
}

#[test]
fn the_rules_folder_and_the_list_agree() {
    let list = run(root(), &["rules", "--format", "json"]).json();
    let listed: BTreeSet<String> =
        list.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap().to_owned()).collect();
    let files =
        sources("lint/src/rules").into_iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let files: BTreeSet<String> = files.filter(|name| name != "tests").collect();
    assert_eq!(files, listed, "files against the list in rules.rs");
}

#[test]
fn no_file_is_too_long_without_a_reason() {
    for folder in ["core", "lint", "fuzz", "tests"] {
        for path in sources(folder).iter().filter(|path| !is_unit_test(path)) {
            let lines = fs::read_to_string(root().join(path)).unwrap().lines().count();
            let reason = LONG.iter().find(|(long, _)| Path::new(long) == path);
            assert!(lines <= LINES || reason.is_some(), "{}: {lines} lines", path.display());
            assert!(lines > LINES || reason.is_none(), "{}: no longer long", path.display());
        }
    }
}

#[test]
fn every_file_opens_by_saying_what_it_is() {
    for folder in ["core/src", "lint/src", "fuzz/src", "fuzz/fuzz_targets", "tests"] {
        for path in sources(folder) {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            let first = text.lines().find(|line| !line.starts_with("#![")).unwrap_or_default();
            assert!(first.starts_with("//! "), "{}: {first}", path.display());
        }
    }
}

#[test]
fn documents_name_only_files_that_exist() {
    for document in ["README.md", "ARCHITECTURE.md"] {
        let Ok(text) = fs::read_to_string(root().join(document)) else { continue };
        let quoted =
            text.lines().filter(|line| !line.starts_with("    ")).flat_map(|line| line.split('`').skip(1).step_by(2));
        let is_path = |word: &&str| {
            let places = ["core/", "lint/", "fuzz/", "corpus/", "tests/", "docs/", ".ci/"];
            places.iter().any(|place| word.starts_with(place)) && !word.contains(['*', ' ', '<'])
        };
        for path in quoted.filter(is_path) {
            assert!(root().join(path).exists(), "{document}: `{path}` does not exist");
        }
    }
}

#[test]
fn the_map_of_the_code_is_whole() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let map = text.split("\n## ").find_map(|section| section.strip_prefix("Code map\n")).expect("a code map");
    let named: Vec<&str> = map.split('`').skip(1).step_by(2).map(|place| place.trim_end_matches('/')).collect();
    // A file stands for the folder of its name as well, unless some of that is named by itself.
    let folder_of = |place: &str| match place.strip_suffix(".rs") {
        Some(folder) if named.iter().any(|other| Path::new(other).starts_with(folder)) => place.to_owned(),
        Some(folder) => folder.to_owned(),
        None => place.to_owned(),
    };
    for path in ["core", "lint", "fuzz", "tests"].into_iter().flat_map(sources) {
        let is_named = named.iter().any(|place| path == Path::new(place) || path.starts_with(folder_of(place)));
        assert!(is_named, "{} is not on the map", path.display());
    }
}

#[test]
fn the_linter_passes_on_itself() {
    let outcome = run(root(), &["--workspace", "--format", "json", "--confidence", "low"]);
    assert_eq!((outcome.code, outcome.findings()), (0, Vec::new()), "{}", outcome.stderr);
}

/// No file below the folder, but for those below the allowed places, has one of the words in its code.
fn forbid(folder: &str, words: &[&str], allowed: &[&str], reason: &str) {
    for path in sources(folder).iter().filter(|path| !is_unit_test(path) && !is_below(path, allowed)) {
        check(path, words, reason);
    }
}

fn check(path: &Path, words: &[&str], reason: &str) {
    let text = fs::read_to_string(root().join(path)).unwrap();
    for (index, line) in code(&text).lines().enumerate() {
        let word = words.iter().find(|word| line.contains(**word));
        assert!(word.is_none(), "{}:{}: `{}` does not belong here: {reason}", path.display(), index + 1, word.unwrap());
    }
}

/// Whether the file is one of the places, or lies in a folder of that name.
fn is_below(path: &Path, places: &[&str]) -> bool {
    places.iter().any(|place| path.starts_with(place) || path == Path::new(&format!("{place}.rs")))
}

/// Whether the file holds nothing but unit tests.
fn is_unit_test(path: &Path) -> bool {
    path.starts_with("lint/src") && path.iter().any(|part| part == "tests" || part == "tests.rs")
}

/// The `.rs` files below a folder of the workspace, in order.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The text without comments, strings and unit tests, with the same lines.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut code = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = string_length(rest) {
            length
        } else {
            code.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        code.extend(rest[..skipped].chars().filter(|letter| *letter == '\n'));
        rest = &rest[skipped..];
    }
    code
}

/// The length of the string or character literal that the text begins with.
fn string_length(text: &str) -> Option<usize> {
    if text.starts_with("'\"'") {
        return Some(3);
    }
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let length = raw[hashes + 1..].find(&end)?;
            return Some(1 + hashes + 1 + length + end.len());
        }
    }
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.find(|letter| {
        let is_end = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        is_end
    })?;
    Some(end + 2)
}

#[test]
fn code_is_what_is_left_without_comments_strings_and_tests() {
    let text =
        "let a = \"syn::\"; // syn::\nlet b = r#\"syn::\"x\"#; '\"' + syn2;\n#[cfg(test)]\nmod tests { syn:: }\n";
    assert_eq!(code(text), "let a = ; \nlet b = ;  + syn2;\n");
}
