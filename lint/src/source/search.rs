//! The search: which files mention the header, or something named like its value.
//!
//! Most code has nothing to do with the header, and parsing costs a hundred times what searching does. So every file is searched as bytes, and only
//! files that mention something are parsed.

use super::{Unreadable, check, fill};
use crate::ir::FileId;
use crate::workspace::Workspace;
use regex::bytes::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The header's name in its spellings: `Retry-After`, `RETRY_AFTER`, `retryAfter`, `retry after`.
const HEADER: &str = r"retry[-_ ]?after";

/// Names that code gives to the wait a server asked for, and the words of errors that tell it. They are hints of their own only where the analysis finds
/// them scheduled on; a name too many here costs a parse, a name too few a finding.
///
/// Each begins with one rare word: a file is searched once for each of them, and that is four times faster than once for all of them together,
/// because the search for one word runs at the memory's speed.
const HINTS: &[&str] = &[
    // The wait, named for the retry: google.rpc.RetryInfo's `retry_delay`, "retry in 30 s"; `reset_after`.
    r"re(?:try[-_ ]?(?:hint|delay|in\b|info\b|wait\b|at\b|not[-_]?before|interval[-_]hint)|set[-_]?after)",
    // The wait, named for who asked for it.
    r"server[-_]?(?:delay|hint|wait|backoff|retry|suggested|requested)",
    r"suggested[-_]?(?:wait|delay|backoff|retry|pause)",
    // `backoff_hint`, `hint_delay`.
    r"backoff[-_]?hint",
    r"hint(?:ed)?[-_]?(?:wait|delay|backoff|pause)",
    // The words of errors: "try again in 20s".
    r"try again (?:in|after)",
    // Limits that tell when they end.
    r"throttle[-_]?(?:delay|wait|until|time)",
];

/// What all code names that looks at the status of an answer: one literal, which most files do not have.
const STATUS: &str = "tatus";

/// Beside it, one of the two statuses that come with a hint, or of what covers them.
const STATUSES: &[&str] = &[
    "TOO_MANY_REQUESTS",
    "SERVICE_UNAVAILABLE",
    "error_for_status",
    "is_server_error",
    "is_success",
    r"\b(?:429|503)\b",
];

/// And what does something again, or leaves that to others by an error named for it. First letters are left out, for they come in both cases.
const RETRIES: &[&str] = &["etr(?:y|ies|iable)", "ackoff", "sleep", "ttempt", "ate_?[Ll]imit"];

/// What code names that waits before it does something again: all of them.
const PAUSES: &[&str] = &["sleep", "etr(?:y|ies|iable)"];

/// What a file mentions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mentions {
    /// The header's name, in one of its spellings.
    pub header: bool,
    /// A name of the wait that a server asked for.
    pub hint: bool,
    /// A status and a retry, which may be one without a look at the header.
    pub retry: bool,
    /// A wait and a retry, of something whose status may be looked at in another file.
    pub pause: bool,
}

impl Mentions {
    /// Whether there is anything at all.
    pub fn any(self) -> bool {
        self.header || self.hint
    }

    fn is_of_use(self) -> bool {
        self.any() || self.retry || self.pause
    }
}

/// What was found in a workspace's files.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// For each file, in the order of the workspace's files.
    pub mentions: Vec<Mentions>,
    /// The files that cannot be read as text, in order. They mention nothing above.
    pub unreadable: Vec<(FileId, Unreadable)>,
    /// The files that hold a NUL byte, in order: whether it stands in code, where it must not, is seen when they are parsed.
    pub with_nul: Vec<FileId>,
    /// The bytes that were searched.
    pub bytes: u64,
}

impl Search {
    /// The files that mention the header, in order.
    pub fn with_header(&self) -> impl Iterator<Item = FileId> {
        self.those(|mentions| mentions.header)
    }

    /// The files that mention the header or a hint, in order.
    pub fn with_any(&self) -> impl Iterator<Item = FileId> {
        self.those(Mentions::any)
    }

    /// The files that may retry without a look at the header, in order: those that name a status and a retry, and, in the packages of these,
    /// those that wait before a retry.
    pub fn with_retry<'s>(&'s self, workspace: &'s Workspace) -> impl Iterator<Item = FileId> + 's {
        let package = |file: FileId| workspace.file(file).package;
        let packages: HashSet<u32> = self.those(|mentions| mentions.retry).map(package).collect();
        self.those(|mentions| mentions.retry || mentions.pause).filter(move |file| packages.contains(&package(*file)))
    }

    fn those(&self, wanted: impl Fn(Mentions) -> bool) -> impl Iterator<Item = FileId> {
        let places = self.mentions.iter().enumerate().filter(move |(_, mentions)| wanted(**mentions));
        places.map(|(index, _)| FileId(index as u32))
    }
}

/// How many files a thread takes at a time.
const SHARE: usize = 32;

/// Searches every file of the workspace, on all cores. `headers` are further names that count as the header's.
pub fn search(workspace: &Workspace, headers: &[String]) -> Search {
    let declared: Vec<Regex> =
        headers.iter().filter_map(|name| Regex::new(&format!("(?i-u){}", regex::escape(name))).ok()).collect();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = workspace.files.len().div_ceil(SHARE).clamp(1, cores);
    let mut parts = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(|| work(workspace, &declared, &next))).collect();
        let own = work(workspace, &declared, &next);
        workers.into_iter().filter_map(|worker| worker.join().ok()).chain([own]).collect::<Vec<_>>()
    });
    let mut result = Search { mentions: vec![Mentions::default(); workspace.files.len()], ..Search::default() };
    for part in &mut parts {
        for (file, mentions) in part.found.drain(..) {
            result.mentions[file.0 as usize] = mentions;
        }
        result.unreadable.append(&mut part.unreadable);
        result.with_nul.append(&mut part.with_nul);
        result.bytes += part.bytes;
    }
    result.unreadable.sort_by_key(|(file, _)| *file);
    result.with_nul.sort_unstable();
    result
}

/// What one thread found.
#[derive(Default)]
struct Part {
    found: Vec<(FileId, Mentions)>,
    unreadable: Vec<(FileId, Unreadable)>,
    with_nul: Vec<FileId>,
    bytes: u64,
}

fn work(workspace: &Workspace, declared: &[Regex], next: &AtomicUsize) -> Part {
    let mut part = Part::default();
    let mut bytes = Vec::new();
    loop {
        let start = next.fetch_add(SHARE, Ordering::Relaxed);
        let Some(files) = workspace.files.get(start..) else { return part };
        if files.is_empty() {
            return part;
        }
        for (index, file) in files.iter().take(SHARE).enumerate() {
            let id = FileId((start + index) as u32);
            match fill(file, &mut bytes).and_then(|()| check(file, &bytes)) {
                Ok(()) => {
                    part.bytes += bytes.len() as u64;
                    let mut mentions = mentions(&bytes);
                    mentions.header |= declared.iter().any(|name| name.is_match(&bytes));
                    if memchr::memchr(0, &bytes).is_some() {
                        part.with_nul.push(id);
                    }
                    if mentions.is_of_use() {
                        part.found.push((id, mentions));
                    }
                }
                Err(reason) => part.unreadable.push((id, reason)),
            }
        }
    }
}

/// What the bytes mention.
pub(crate) fn mentions(bytes: &[u8]) -> Mentions {
    static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(Patterns::new);
    // The patterns are constant and sound; were they not, every file would have to be read.
    PATTERNS
        .as_ref()
        .map_or(Mentions { header: true, hint: true, retry: true, pause: true }, |patterns| patterns.mentions(bytes))
}

/// The compiled patterns.
struct Patterns {
    header: Regex,
    hints: Vec<Regex>,
    status: Regex,
    statuses: Vec<Regex>,
    retries: Vec<Regex>,
    pauses: Vec<Regex>,
}

impl Patterns {
    fn new() -> Option<Patterns> {
        let compile = |pattern: &str| Regex::new(&format!("(?i-u){pattern}")).ok();
        let exactly = |pattern: &&str| Regex::new(&format!("(?-u){pattern}")).ok();
        Some(Patterns {
            status: exactly(&STATUS)?,
            statuses: STATUSES.iter().map(exactly).collect::<Option<_>>()?,
            pauses: PAUSES.iter().map(exactly).collect::<Option<_>>()?,
            retries: RETRIES.iter().map(exactly).collect::<Option<_>>()?,
            header: compile(HEADER)?,
            hints: HINTS.iter().map(|pattern| compile(pattern)).collect::<Option<_>>()?,
        })
    }

    fn mentions(&self, bytes: &[u8]) -> Mentions {
        let any = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(bytes));
        let all = |patterns: &[Regex]| patterns.iter().all(|pattern| pattern.is_match(bytes));
        Mentions {
            header: self.header.is_match(bytes),
            hint: any(&self.hints),
            retry: self.status.is_match(bytes) && any(&self.statuses) && any(&self.retries),
            pause: all(&self.pauses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_found_in_its_spellings() {
        for text in ["Retry-After", "RETRY_AFTER", "retryAfter", "retry after", "headers.retry_after()"] {
            assert!(mentions(text.as_bytes()).header, "{text}");
        }
        for text in ["retry the request after", "retry\nafter", "RetryPolicy", "after_retry"] {
            assert_eq!(mentions(text.as_bytes()), Mentions::default(), "{text}");
        }
    }

    #[test]
    fn names_of_hints_are_found_apart_from_the_header() {
        let hints = [
            "retry_hint",
            "retryDelay",
            "RetryInfo",
            "server_delay",
            "suggested_wait",
            "backoff_hint",
            "retry_in",
            "retry in 30 s",
            "serverRequestedDelay",
            "Please try again in 20s",
            "ratelimit_reset_after",
            "throttle_wait",
            "retry_at",
        ];
        for text in hints {
            assert_eq!(
                mentions(text.as_bytes()),
                Mentions { header: false, hint: true, retry: false, pause: false },
                "{text}"
            );
        }
        for text in ["retry_interval", "retry_info_log", "server_name", "wait for it"] {
            assert_eq!(mentions(text.as_bytes()), Mentions::default(), "{text}");
        }
        assert_eq!(
            mentions(b"retry_after or retry_hint"),
            Mentions { header: true, hint: true, retry: false, pause: false }
        );
    }
}
