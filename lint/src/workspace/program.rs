//! Programs of the user's, found and run so that none of the code that is looked at is taken for one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// What a finished program said.
pub(crate) struct Output {
    pub(crate) success: bool,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// The preferred one, else the first of the name on the search path; never one inside the folder `avoid`, nor one that hangs on the current folder.
pub(crate) fn find(name: &str, preferred: Option<PathBuf>, avoid: Option<&Path>) -> Option<PathBuf> {
    let usable =
        |path: &PathBuf| path.is_absolute() && path.is_file() && avoid.is_none_or(|avoid| !is_inside(path, avoid));
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    preferred.into_iter().chain(std::env::split_paths(&search_path).map(|folder| folder.join(&name))).find(usable)
}

/// Whether the path leads into the folder.
pub(crate) fn is_inside(path: &Path, folder: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| path.starts_with(folder)) || path.starts_with(folder)
}

/// Runs the command to its end, or ends it after the limit.
pub(crate) fn run(command: Command, limit: Duration) -> Result<Output, String> {
    run_on(command, Stdio::null(), limit)
}

/// Runs the command on an input to its end, or ends it after the limit.
pub(crate) fn run_on(mut command: Command, input: Stdio, limit: Duration) -> Result<Output, String> {
    let name = command.get_program().display().to_string();
    let failed = |error: std::io::Error| format!("cannot run {name}: {}", super::plain(&error));
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let stdout = read_aside(child.stdout.take());
    let stderr = read_aside(child.stderr.take());
    let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(limit), stderr.recv_timeout(limit)) else {
        // Errors here mean that it ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("{name} did not finish within {} s", limit.as_secs()));
    };
    let success = child.wait().as_ref().is_ok_and(ExitStatus::success);
    Ok(Output { success, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// Reads a pipe on a thread of its own, so that neither pipe can fill up while the other is read.
fn read_aside(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}
