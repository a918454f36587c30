//! The book: what its commands print stands there as it is, and every flag, file and page that it names exists.
//!
//! Each page's commands are run by a shell in a package of its own, with the files that the page shows behind a `<!-- file: PATH -->`.
//! `UPDATE_EXPECT=1 cargo test --test e2e book` writes what they print anew.

use crate::readme::without_figures;
use crate::support::{Checkout, binary, command, root, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Flags of this command's that other work brings; once they are there, nothing here changes.
const COMING: &[&str] = &[
    "--changed-since",
    "--diff-file",
    "--baseline",
    "--write-baseline",
    "--prune-baseline",
    "--add-suppressions",
    "--show-settings",
    "--exit-zero",
    "--deps",
    "--config",
    "--isolated",
];

/// The book's pages but those made from the rules, with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let folder = root().join("docs/src");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A fenced block of a page.
struct Block<'t> {
    language: &'t str,
    /// The file it is, if the comment above it says so.
    file: Option<&'t str>,
    text: &'t str,
    /// Where its text begins on the page.
    start: usize,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut place = 0;
    while let Some(fence) = page[place..].find("\n```").map(|found| place + found + 4) {
        let line_end = fence + page[fence..].find('\n').expect("a line ends");
        let end = line_end + page[line_end..].find("\n```").expect("a block ends") + 1;
        let above = page[place..fence].trim_end_matches("```").trim_end();
        let file = above.rsplit('\n').next().and_then(|line| line.strip_prefix("<!-- file: ")?.strip_suffix(" -->"));
        let start = (line_end + 1).min(end);
        blocks.push(Block { language: &page[fence..line_end], file, text: &page[start..end], start });
        place = end + 3;
    }
    blocks
}

/// The commands of a block, each with what is shown below it.
fn commands(text: &str) -> Vec<(&str, String)> {
    let mut commands: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, String::new())),
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => panic!("a console block begins with a command: {line}"),
        }
    }
    commands
}

/// A folder in which `cargo-retry-after` is the binary of this build.
#[cfg(unix)]
fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(binary(), folder.path().join("cargo-retry-after")).unwrap();
    folder
}

/// What a shell prints for the command, with the checkout's place as a reader would see it.
#[cfg(unix)]
fn print(checkout: &Checkout, programs: &Path, line: &str) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([programs.to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(checkout.path()).arg("-c").arg(format!("{{ {line}; }} 2>&1")).stdin(std::process::Stdio::null());
    // What the cargo that runs this test has set is no part of a reader's shell.
    for (name, _) in command(checkout.path()).get_envs().filter(|(_, value)| value.is_none()) {
        shell.env_remove(name);
    }
    shell.env("PATH", path).env("CHECKOUT", checkout.path()).env("LC_ALL", "C");
    let output = shell.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.replace(&checkout.path().to_string_lossy().into_owned(), "~/client")
}

#[cfg(unix)]
#[test]
fn its_commands_print_what_stands_there() {
    let programs = programs();
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut run = 0;
    for (path, page) in pages() {
        let checkout = Checkout::package("pub fn f() {}\n");
        let mut updated = String::new();
        let mut done = 0;
        for block in blocks(&page) {
            if let Some(file) = block.file {
                checkout.write(file, block.text);
            }
            if block.language != "console" {
                continue;
            }
            updated += &page[done..block.start];
            done = block.start + block.text.len();
            for (line, shown) in commands(block.text) {
                run += 1;
                let printed = print(&checkout, programs.path(), line);
                let same = without_figures("", &printed) == without_figures("", &shown);
                assert!(
                    same || update,
                    "{}: `{line}` prints something else; UPDATE_EXPECT=1 takes it over:\n{printed}",
                    path.display()
                );
                updated += &format!("$ {line}\n{}", if same { &shown } else { &printed });
            }
        }
        updated += &page[done..];
        if updated != page {
            fs::write(path, updated).unwrap();
        }
    }
    assert!(run >= 10, "the book has examples: {run}");
}

#[test]
fn every_flag_it_names_exists() {
    let mut known: BTreeSet<String> = COMING.iter().map(|flag| (*flag).to_owned()).collect();
    for arguments in [
        &["--help"][..],
        &["lint", "--help"],
        &["parse", "--help"],
        &["rules", "--help"],
        &["compare", "--help"],
        &["fuzz", "--help"],
    ] {
        let help = run(root(), arguments).stdout;
        let words = help.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
        known.extend(words.filter(|word| word.starts_with('-')).map(str::to_owned));
    }
    for (path, page) in pages().into_iter().filter(|(_, page)| !page.starts_with("<!-- Made from")) {
        let blocks = blocks(&page);
        let shell = blocks.iter().filter(|block| block.language == "sh").flat_map(|block| block.text.lines());
        let inline = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let ours = shell.chain(inline).map(|code| {
            code.split(" | ").next().unwrap_or(code).split(" -- ").next().unwrap_or(code).trim_end_matches(['\\', ' '])
        });
        let ours = ours
            .filter(|code| code.contains("retry-after") && !code.contains("cargo install") || code.starts_with("--"));
        for word in
            ours.flat_map(|code| code.split([' ', '[', '=', ',', ']', '\\'])).filter(|word| word.starts_with('-'))
        {
            let is_known = word.trim_start_matches('-').is_empty() || known.contains(word);
            assert!(is_known, "{}: there is no `{word}`", path.display());
        }
    }
}

#[test]
fn its_links_and_contents_lead_somewhere() {
    let folder = root().join("docs/src");
    let contents = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    for (path, page) in pages() {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || contents.contains(&format!("]({name})")), "{name} is not in the contents");
        for target in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or(target);
            let exists = target.contains("://") || file.is_empty() || folder.join(file).is_file();
            assert!(exists, "{name}: `{target}` leads nowhere");
        }
    }
}

#[test]
fn the_action_takes_the_inputs_that_the_book_tells() {
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let inputs = action.split("\ninputs:\n").nth(1).unwrap().split("\noutputs:\n").next().unwrap();
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ") && line.ends_with(':');
    let inputs: Vec<&str> = inputs.lines().filter(is_name).map(|line| line.trim().trim_end_matches(':')).collect();
    let page = fs::read_to_string(root().join("docs/src/ci.md")).unwrap();
    let told: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(told, inputs);
}
