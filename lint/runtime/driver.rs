//! The driver: a program that asks one subject about many headers and tells what came of it, one JSON object a line.
//!
//! ```text
//! HARNESS --subject N --inputs N --seed N [--extra FILE [--aside N]] [--skip N]* [--from N] [--until N] [--trace]
//! HARNESS --subject N --seeds FOLDER        writes the fixed inputs as files, for libFuzzer to begin with
//!
//! {"event":"answer", ..}     what came of a header of the file, in its order; the last N of them, with --aside, count nowhere else
//! {"event":"progress", ..}   some inputs are done
//! {"event":"begin", ..}      with --trace, before each input
//! {"event":"end", ..}        everything
//! ```
//!
//! What the subject itself prints is told apart by the mark that these lines begin with. The subject may also loop for ever,
//! take all memory or end the process: whoever started it watches, starts it anew with `--trace` to learn which header it was,
//! and lets it skip that one.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::escape::{escape, unescape};
use super::inputs::Inputs;
use super::oracle::{Verdict, reference};
use super::subject::{self, Outcome, Subject};
use super::tally::Tally;
use super::text::{json, right, told};
use super::trial::Trial;

/// What a line of the driver begins with.
pub const MARK: &str = "\u{1e}";

/// Progress is told about this often.
const PROGRESS: Duration = Duration::from_millis(100);

/// What is asked for.
#[derive(Debug, Default)]
struct Options {
    subject: usize,
    inputs: usize,
    seed: u64,
    extra: Option<String>,
    aside: usize,
    skip: Vec<usize>,
    from: usize,
    until: Option<usize>,
    trace: bool,
    seeds: Option<String>,
}

/// The whole program, for a list of subjects.
pub fn main(subjects: &[Subject]) -> ExitCode {
    let Some(options) = options(std::env::args().skip(1)) else {
        eprintln!("this program is started by cargo retry-after compare");
        return ExitCode::from(2);
    };
    let Some(subject) = subjects.iter().find(|subject| subject.number == options.subject) else {
        eprintln!("there is no subject {}", options.subject);
        return ExitCode::from(2);
    };
    if let Some(folder) = &options.seeds {
        return write_seeds(folder.as_ref());
    }
    let extra = match options.extra.as_ref().map(std::fs::read_to_string) {
        None => Vec::new(),
        Some(Ok(text)) => text.lines().map(unescape).collect(),
        Some(Err(error)) => {
            eprintln!("the file of headers cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    subject::catch_messages();
    run(*subject, &options, extra);
    ExitCode::SUCCESS
}

/// Writes the fixed inputs as files for [`target`](super::target).
fn write_seeds(folder: &std::path::Path) -> ExitCode {
    let mut inputs = Inputs::new(0);
    let mut lines = Vec::new();
    for number in 0..inputs.fixed() {
        inputs.next_into(&mut lines);
        let file = folder.join(format!("seed-{number:04}"));
        if let Err(error) = std::fs::write(&file, lines.join(&b'\n')) {
            eprintln!("{} cannot be written: {error}", file.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn options(arguments: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options { seed: 1, ..Options::default() };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next()?.parse::<usize>().ok();
        match argument.as_str() {
            "--subject" => options.subject = number()?,
            "--inputs" => options.inputs = number()?,
            "--seed" => options.seed = arguments.next()?.parse().ok()?,
            "--extra" => options.extra = Some(arguments.next()?),
            "--aside" => options.aside = number()?,
            "--skip" => options.skip.push(number()?),
            "--from" => options.from = number()?,
            "--until" => options.until = Some(number()?),
            "--seeds" => options.seeds = Some(arguments.next()?),
            "--trace" => options.trace = true,
            _ => return None,
        }
    }
    Some(options)
}

/// Headers are numbered: the fixed ones, then those of the file, then the generated ones. The probes of the habits are number 0.
fn run(subject: Subject, options: &Options, extra: Vec<Vec<Vec<u8>>>) {
    let is_told = options.trace && options.from == 0;
    let trial = Trial::telling(subject, &|lines| {
        if is_told {
            begin(0, lines);
        }
    });
    let mut tally = Tally::default();
    let mut hash = Hash::default();
    let mut inputs = Inputs::new(options.seed);
    let fixed = inputs.fixed();
    let total = extra.len() + fixed.max(options.inputs);
    let end = options.until.map_or(total, |until| until.saturating_sub(1).min(total));
    let mut told_at = Instant::now();
    let mut lines = Vec::new();
    let mut done = 0;
    for place in 0..end {
        let number = place + 1;
        let asked = place.checked_sub(fixed).filter(|index| *index < extra.len());
        match asked {
            Some(index) => lines.clone_from(&extra[index]),
            None => inputs.next_into(&mut lines),
        }
        if number < options.from || options.skip.contains(&number) {
            continue;
        }
        if options.trace {
            let slices: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            begin(number, &slices);
        }
        let mut worst = None;
        trial.judge_all(&lines, |judged| {
            if asked.is_none() {
                hash.add(&judged.outcome);
            }
            let weight = |verdict| match verdict {
                Verdict::Agrees => 0,
                Verdict::Tolerated(_) => 1,
                Verdict::Diverges(_) => 2,
            };
            let known = worst.as_ref().map(|(weight, _)| *weight);
            let weight = weight(judged.verdict);
            if known < Some(weight) {
                worst = Some((weight, judged));
            }
        });
        let is_aside = asked.is_some_and(|index| index + options.aside >= extra.len());
        done += usize::from(!is_aside);
        if let Some((_, judged)) = worst {
            if let Some(index) = asked {
                let kind = judged.name().map_or("agrees", |(name, _)| name);
                say(&format!(
                    r#"{{"event":"answer","index":{index},"kind":"{kind}","tolerated":{},"subject":{},"reference":{}}}"#,
                    matches!(judged.verdict, Verdict::Tolerated(_)),
                    json(&told(&judged.outcome)),
                    json(&right(judged.right))
                ));
            }
            if !is_aside {
                tally.add(&lines, judged);
            }
        }
        // The clock is not looked at each time.
        if number % 64 == 0 && told_at.elapsed() >= PROGRESS {
            told_at = Instant::now();
            say(&format!(r#"{{"event":"progress","number":{number},"total":{total}}}"#));
        }
    }
    if options.trace {
        begin(end + 1, &[]);
    }
    let mut plain: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut again = Inputs::new(options.seed);
    for _ in 0..again.fixed() {
        again.next_into(&mut lines);
        plain.push(lines.clone());
    }
    tally.shrink(&trial, |lines| plain.iter().any(|plain| plain == lines));
    let habits: Vec<String> = trial.habits().answers.iter().map(|(header, outcome)| habit(header, outcome)).collect();
    say(&format!(
        r#"{{"event":"end","inputs":{done},"fingerprint":"{:016x}","scale":{},"habits":[{}],"divergences":{},"tolerated":{}}}"#,
        hash.0,
        trial.scale().map_or("null".to_owned(), |scale| scale.to_string()),
        habits.join(","),
        tally.json(false),
        tally.json(true)
    ));
}

fn habit(header: &str, outcome: &Outcome) -> String {
    format!(r#"{{"header":{},"subject":{}}}"#, json(header), json(&told(outcome)))
}

/// Told before an input, so that it is known which one was the last.
fn begin(number: usize, lines: &[&[u8]]) {
    let (receipt, _) = super::inputs::receipt();
    let right = right(reference(lines, receipt).wait);
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
    say(&format!(
        r#"{{"event":"begin","number":{number},"header":{},"reference":{}}}"#,
        json(&escape(&lines)),
        json(&right)
    ));
}

fn say(object: &str) {
    let mut out = std::io::stdout().lock();
    // Nobody is there any more where this fails, and then nothing matters.
    let _ = writeln!(out, "\n{MARK}{object}");
    let _ = out.flush();
}

/// The hash of all outcomes (FNV-1a), for which two ways of saying that there is no hint are one.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Delay(wait) => {
                self.bytes(&[1]);
                self.bytes(&wait.as_nanos().to_le_bytes()[..12]);
            }
            Outcome::None | Outcome::Error => self.bytes(&[2]),
            Outcome::Panic(_) => self.bytes(&[3]),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
