//! Runs: one process for one subject, within limits of time and memory.
//!
//! A panic is caught in the process. What cannot be caught there is learnt here: that nothing was heard for a while (a loop without end), or
//! how the process died (all memory taken, the stack overflowed, the process ended by the code itself). It is then started anew so that it tells
//! each header before it asks about it; the last one told was the one. That is reported as a fault of the subject, the header is left out, and
//! the rest is asked about again.

use super::{Answer, Difference, Error};
use crate::workspace::plain;
use serde::Deserialize;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use wait_timeout::ChildExt;

/// Nothing is heard for so long: the code does not come back. Sixty-four inputs take a millisecond.
const SILENCE: Duration = Duration::from_secs(6);
/// The same where each header is told before.
const SILENCE_EACH: Duration = Duration::from_secs(10);
/// How much address space a subject may have, in KiB.
#[cfg(unix)]
const MEMORY: u64 = 1024 * 1024;
/// After so many headers that end the process the rest is not asked about.
const STOPS: usize = 3;
/// What a line of the driver begins with.
const MARK: char = '\u{1e}';
/// The most of what a process says on standard error that is kept.
const SAID: u64 = 1 << 16;

/// What to ask a subject.
pub(super) struct Job<'a> {
    /// Its number.
    pub(super) number: usize,
    /// How many inputs.
    pub(super) inputs: u64,
    /// The seed of the generated ones.
    pub(super) seed: u64,
    /// Headers to be asked about besides, escaped.
    pub(super) extra: &'a [String],
    /// How many of them, the last ones, are asked about for the answer alone.
    pub(super) aside: usize,
}

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) end: End,
    /// For each header that was to be asked about besides.
    pub(super) answers: Vec<Option<Answer>>,
    /// Headers that ended the process, as differences.
    pub(super) stops: Vec<Difference>,
}

/// The driver's last word.
#[derive(Debug, Default, Deserialize)]
pub(super) struct End {
    pub(super) inputs: u64,
    pub(super) fingerprint: String,
    pub(super) scale: Option<f64>,
    pub(super) habits: Vec<Habit>,
    pub(super) divergences: Vec<Found>,
    pub(super) tolerated: Vec<Found>,
}

/// A plain header and what the subject does.
#[derive(Debug, Deserialize)]
pub(super) struct Habit {
    pub(super) header: String,
    pub(super) subject: String,
}

/// A difference, in the driver's words.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    pub(super) kind: String,
    pub(super) family: String,
    pub(super) header: String,
    pub(super) subject: String,
    pub(super) reference: String,
    pub(super) count: u64,
}

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Answer { index: usize, kind: String, tolerated: bool, subject: String, reference: String },
    Progress { number: usize },
    Begin { number: usize, header: String, reference: String },
    End(End),
}

/// Runs the program for the job.
pub(super) fn run(program: &Path, job: &Job<'_>) -> Result<Run, Error> {
    let folder =
        tempfile::tempdir().map_err(|error| Error::new(format!("no folder for temporary files: {}", plain(&error))))?;
    let extra = folder.path().join("extra");
    let text: String = job.extra.iter().map(|header| format!("{header}\n")).collect();
    super::layout::write(&extra, &text)?;
    let mut attempt = Attempt { program, job, folder: folder.path(), skip: Vec::new(), until: None };
    let mut run = Run { answers: vec![None; job.extra.len()], ..Run::default() };
    loop {
        let heard = attempt.start(None)?;
        for (index, answer) in heard.answers {
            if let Some(place) = run.answers.get_mut(index) {
                *place = Some(answer);
            }
        }
        if let Some(end) = heard.end {
            run.end = end;
            return Ok(run);
        }
        // Which one was it? All up to the last sign of progress went well.
        let closer = attempt.start(Some(heard.progress))?;
        let Some((number, header, reference)) = closer.last else {
            let told = Difference::stop(&heard.how, String::new(), String::new());
            run.stops.push(told);
            return Ok(run);
        };
        if closer.end.is_some() {
            // It was only slow, or it does not do the same each time; the second time all went well.
            attempt.skip.push(number);
            if attempt.skip.len() > STOPS {
                return Ok(run);
            }
            continue;
        }
        run.stops.push(Difference::stop(&closer.how, header, reference));
        attempt.skip.push(number);
        if number == 0 {
            // The plainest header ends it: there is nothing to be learnt.
            return Ok(run);
        }
        if attempt.skip.len() >= STOPS {
            attempt.until = Some(number);
        }
        if attempt.skip.len() > STOPS {
            return Ok(run);
        }
    }
}

struct Attempt<'a> {
    program: &'a Path,
    job: &'a Job<'a>,
    folder: &'a Path,
    skip: Vec<usize>,
    until: Option<usize>,
}

/// What was heard of a process before it ended.
#[derive(Default)]
struct Heard {
    end: Option<End>,
    answers: Vec<(usize, Answer)>,
    progress: usize,
    last: Option<(usize, String, String)>,
    how: How,
}

/// How a process ended before its time.
#[derive(Debug, Default, PartialEq, Eq)]
enum How {
    /// It was ended, because nothing was heard of it any more.
    #[default]
    Silent,
    /// It ran out of memory.
    Memory,
    /// Its stack overflowed.
    Stack,
    /// It ended by itself, with this status.
    Ended(String),
}

impl Attempt<'_> {
    /// Starts the program, with each header told before from that number on.
    fn start(&self, trace: Option<usize>) -> Result<Heard, Error> {
        let mut command = limited(self.program);
        command.current_dir(self.folder).env("RUST_BACKTRACE", "0");
        let mut number = |name: &str, value: u64| {
            command.arg(name).arg(value.to_string());
        };
        number("--subject", self.job.number as u64);
        number("--inputs", self.job.inputs);
        number("--seed", self.job.seed);
        number("--aside", self.job.aside as u64);
        for skip in &self.skip {
            number("--skip", *skip as u64);
        }
        if let Some(until) = self.until {
            number("--until", until as u64);
        }
        if let Some(from) = trace {
            number("--from", from as u64);
            command.arg("--trace");
        }
        command.arg("--extra").arg(self.folder.join("extra"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error| Error::io("run", self.program, &error);
        let mut child = command.spawn().map_err(failed)?;
        let heard = listen(&mut child, if trace.is_some() { SILENCE_EACH } else { SILENCE });
        // Errors here mean that it ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        Ok(heard)
    }
}

/// The program within the limit of memory, where the system has a shell that sets one.
fn limited(program: &Path) -> Command {
    #[cfg(unix)]
    {
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(format!("ulimit -v {MEMORY} 2>/dev/null; ulimit -c 0 2>/dev/null; exec \"$0\" \"$@\""))
            .arg(program);
        command
    }
    #[cfg(not(unix))]
    Command::new(program)
}

/// Hears the process out, or until nothing is heard any more.
fn listen(child: &mut Child, silence: Duration) -> Heard {
    let mut heard = Heard::default();
    let (sender, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if line.starts_with(MARK) && sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    let (said, stderr) = mpsc::channel();
    if let Some(pipe) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut text = Vec::new();
            // What is beyond the limit is read and forgotten, so that the pipe cannot fill up.
            let _ = pipe.by_ref().take(SAID).read_to_end(&mut text);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            let _ = said.send(text);
        });
    }
    loop {
        match lines.recv_timeout(silence) {
            Ok(line) => heard.take(&line),
            Err(RecvTimeoutError::Timeout) => {
                heard.how = How::Silent;
                return heard;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Its output has ended, and so does it, unless the code closed the output. It closes it a moment before it has ended.
    let text = stderr.recv_timeout(silence);
    match (child.wait_timeout(silence), text) {
        (Ok(Some(status)), Ok(text)) => heard.how = How::of(status, &String::from_utf8_lossy(&text)),
        (_, Ok(text)) => heard.how = How::of_text(&String::from_utf8_lossy(&text)).unwrap_or_default(),
        _ => heard.how = How::Silent,
    }
    heard
}

impl Heard {
    fn take(&mut self, line: &str) {
        // A line that the code wrote with the driver's mark is no word of the driver's.
        let Ok(event) = serde_json::from_str(line.trim_start_matches(MARK)) else { return };
        match event {
            Event::Answer { index, kind, tolerated, subject, reference } => {
                let kind = Some(kind).filter(|kind| !tolerated && kind != "agrees");
                self.answers.push((index, Answer { kind, subject, reference }));
            }
            Event::Progress { number } => self.progress = number,
            Event::Begin { number, header, reference } => self.last = Some((number, header, reference)),
            Event::End(end) => self.end = Some(end),
        }
    }
}

impl How {
    fn of(status: ExitStatus, said: &str) -> How {
        How::of_text(said).unwrap_or_else(|| How::Ended(status.to_string()))
    }

    fn of_text(said: &str) -> Option<How> {
        if said.contains("memory allocation of") || said.contains("capacity overflow") {
            Some(How::Memory)
        } else if said.contains("overflowed its stack") {
            Some(How::Stack)
        } else {
            None
        }
    }
}

impl Difference {
    fn stop(how: &How, header: String, reference: String) -> Difference {
        let (kind, subject) = match how {
            How::Silent => ("endless_loop", format!("does not come back within {} s", SILENCE_EACH.as_secs())),
            How::Memory => ("out_of_memory", "takes all memory and ends the process".to_owned()),
            How::Stack => ("crash", "overflows the stack and ends the process".to_owned()),
            How::Ended(status) => ("crash", format!("ends the process ({status})")),
        };
        Difference { kind: kind.to_owned(), family: "any".to_owned(), header, subject, reference, count: 1 }
    }
}
