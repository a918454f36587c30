//! A target without libFuzzer: files in, one run for each, or generated inputs for some seconds.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::driver::{Generate, drive};

/// What a target's program does without libFuzzer.
///
/// `FILE|FOLDER..` runs the target on each file that is named, and on each in the folders. `--seconds N [--seed N]` runs it on
/// generated inputs. A finding panics; 2 is the exit code when something cannot be read or nothing is asked for.
pub fn program(
    name: &str,
    arguments: impl IntoIterator<Item = OsString>,
    generate: Generate,
    run: fn(&[u8]),
) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let number = |option: &str| {
        let place = arguments.iter().position(|argument| argument == option)?;
        arguments.get(place + 1)?.to_str()?.parse().ok()
    };
    if let Some(seconds) = number("--seconds") {
        return drive(name, generate, run, seconds, number("--seed").unwrap_or(1));
    }
    if arguments.is_empty() {
        eprintln!(
            "{name} FILE|FOLDER.. replays files, {name} --seconds N [--seed N] generates inputs; to fuzz, use cargo fuzz"
        );
        return ExitCode::from(2);
    }
    for path in arguments {
        let Ok(files) = files(Path::new(&path)) else {
            eprintln!("cannot read {}", path.to_string_lossy());
            return ExitCode::from(2);
        };
        for file in files {
            let Ok(data) = fs::read(&file) else {
                eprintln!("cannot read {}", file.display());
                return ExitCode::from(2);
            };
            eprintln!("{}", file.display());
            run(&data);
        }
    }
    ExitCode::SUCCESS
}

/// The file itself, or all files of a folder in the order of their names.
fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
