//! The search: which files mention the header, or something named like its value.
//!
//! Most code has nothing to do with the header, and parsing costs a hundred times what searching does. So every file is searched as bytes, and only
//! files that mention something are parsed.

use super::{Unreadable, check, fill};
use crate::ir::FileId;
use crate::workspace::Workspace;
use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The header's name in its spellings: `Retry-After`, `RETRY_AFTER`, `retryAfter`, `retry after`.
const HEADER: Pattern = Pattern { words: &["etry"], pattern: r"retry[-_ ]?after" };

/// Names that code gives to the wait a server asked for, and the words of errors that tell it. They are hints of their own only where the analysis finds
/// them scheduled on; a name too many here costs a parse, a name too few a finding.
const HINTS: &[Pattern] = &[
    // The wait, named for the retry: google.rpc.RetryInfo's `retry_delay`, "retry in 30 s".
    Pattern {
        words: &["etry"],
        pattern: r"retry[-_ ]?(?:hint|delay|in\b|info\b|wait\b|at\b|not[-_]?before|interval[-_]hint)",
    },
    Pattern { words: &["reset"], pattern: r"reset[-_]?after" },
    // The wait, named for who asked for it.
    Pattern { words: &["server"], pattern: r"server[-_]?(?:delay|hint|wait|backoff|retry|suggested|requested)" },
    Pattern { words: &["suggested"], pattern: r"suggested[-_]?(?:wait|delay|backoff|retry|pause)" },
    // `backoff_hint`, `hint_delay`.
    Pattern { words: &["ackoff"], pattern: r"backoff[-_]?hint" },
    Pattern { words: &["hint"], pattern: r"hint(?:ed)?[-_]?(?:wait|delay|backoff|pause)" },
    // The words of errors: "try again in 20s".
    Pattern { words: &["again "], pattern: r"try again (?:in|after)" },
    // Limits that tell when they end.
    Pattern { words: &["throttle"], pattern: r"throttle[-_]?(?:delay|wait|until|time)" },
];

/// What all code names that looks at the status of an answer: one literal, which most files do not have.
const STATUS: Pattern = Pattern { words: &["tatus"], pattern: "tatus" };

/// Beside it, one of the two statuses that come with a hint, or of what covers them. Looked for only beside a status and a retry.
const STATUSES: &[&str] = &[
    "TOO_MANY_REQUESTS",
    "SERVICE_UNAVAILABLE",
    "error_for_status",
    "is_server_error",
    "is_success",
    r"\b(?:429|503)\b",
];

/// And what does something again, or leaves that to others by an error named for it. First letters are left out, for they come in both cases.
const RETRIES: &[Pattern] = &[
    Pattern { words: &["ackoff"], pattern: "ackoff" },
    PAUSE,
    Pattern { words: &["ttempt"], pattern: "ttempt" },
    Pattern { words: &["atelimit", "ate_limit"], pattern: "ate_?[Ll]imit" },
];
const REPEATED: Pattern = Pattern { words: &["etry", "etries", "etriable"], pattern: "etr(?:y|ies|iable)" };
/// What code names that waits, which together with a retry is a wait before it.
const PAUSE: Pattern = Pattern { words: &["sleep"], pattern: "sleep" };

/// A pattern, and words in lower case of which any match holds one.
///
/// One pass through a file tells which words it has, at a speed that a pass for each pattern would divide by their number. A word is rare and of four
/// letters at least, no word stands in another or ends in two letters that another begins with, and a pattern is looked for only in files that have one of its words.
struct Pattern {
    words: &'static [&'static str],
    pattern: &'static str,
}

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
    /// Whether no file mentions anything, or has to be parsed to tell what is wrong with it.
    pub fn is_empty(&self) -> bool {
        self.with_nul.is_empty() && !self.mentions.iter().any(|mentions| mentions.is_of_use())
    }

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

/// Searches every file of the workspace, on all cores. `headers` are further names that count as the header's; `retries` says whether files that only
/// retry are looked for too.
pub fn search(workspace: &Workspace, headers: &[String], retries: bool) -> Search {
    let declared: Vec<Regex> =
        headers.iter().filter_map(|name| Regex::new(&format!("(?i-u){}", regex::escape(name))).ok()).collect();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = workspace.files.len().div_ceil(SHARE).clamp(1, cores);
    let mut parts = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (1..threads).map(|_| scope.spawn(|| work(workspace, &declared, retries, &next))).collect();
        let own = work(workspace, &declared, retries, &next);
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

fn work(workspace: &Workspace, declared: &[Regex], retries: bool, next: &AtomicUsize) -> Part {
    let mut part = Part::default();
    let (mut bytes, mut lowered) = (Vec::new(), Vec::new());
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
                    let mut mentions = mentions_in(&bytes, retries, &mut lowered);
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
    mentions_in(bytes, true, &mut Vec::new())
}

/// What the bytes mention, with or without what only retries. The buffer takes them in lower case.
fn mentions_in(bytes: &[u8], retries: bool, lowered: &mut Vec<u8>) -> Mentions {
    static SEARCHERS: [LazyLock<Option<Searcher>>; 2] =
        [LazyLock::new(|| Searcher::new(false)), LazyLock::new(|| Searcher::new(true))];
    // The patterns are constant and sound; were they not, every file would have to be read.
    let everything = Mentions { header: true, hint: true, retry: retries, pause: retries };
    SEARCHERS[usize::from(retries)].as_ref().map_or(everything, |searcher| searcher.mentions(bytes, lowered))
}

/// The compiled patterns.
struct Searcher {
    words: AhoCorasick,
    header: Wanted,
    hints: Vec<Wanted>,
    retries: Option<Retries>,
}

/// The patterns of code that only retries.
struct Retries {
    status: Wanted,
    statuses: Vec<Regex>,
    /// All but `repeated`.
    others: Vec<Wanted>,
    pause: Wanted,
    repeated: Wanted,
}

/// A compiled pattern.
struct Wanted {
    /// Its words, as bits.
    words: u32,
    pattern: Regex,
}

impl Wanted {
    fn is_in(&self, bytes: &[u8], found: u32) -> bool {
        self.may_be(found) && self.pattern.is_match(bytes)
    }

    fn may_be(&self, found: u32) -> bool {
        self.words & found != 0
    }
}

impl Searcher {
    fn new(retries: bool) -> Option<Searcher> {
        let mut words: Vec<&str> = Vec::new();
        let mut compile = |pattern: &Pattern, flags: &str| {
            let mut bits = 0;
            for word in pattern.words {
                let place = words.iter().position(|known| known == word).unwrap_or_else(|| {
                    words.push(word);
                    words.len() - 1
                });
                bits |= 1 << place;
            }
            Some(Wanted { words: bits, pattern: Regex::new(&format!("({flags}:{})", pattern.pattern)).ok()? })
        };
        let (any_case, exactly) = ("?i-u", "?-u");
        Some(Searcher {
            header: compile(&HEADER, any_case)?,
            hints: HINTS.iter().map(|pattern| compile(pattern, any_case)).collect::<Option<_>>()?,
            retries: match retries {
                false => None,
                true => Some(Retries {
                    status: compile(&STATUS, exactly)?,
                    statuses: STATUSES
                        .iter()
                        .map(|text| Regex::new(&format!("({exactly}:{text})")).ok())
                        .collect::<Option<_>>()?,
                    others: RETRIES.iter().map(|pattern| compile(pattern, exactly)).collect::<Option<_>>()?,
                    pause: compile(&PAUSE, exactly)?,
                    repeated: compile(&REPEATED, exactly)?,
                }),
            },
            words: AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok()?,
        })
    }

    fn mentions(&self, bytes: &[u8], lowered: &mut Vec<u8>) -> Mentions {
        lowered.clear();
        lowered.extend(bytes.iter().map(u8::to_ascii_lowercase));
        let found = self.words.find_iter(&*lowered).fold(0, |found, word| found | 1 << word.pattern().as_u32());
        if found == 0 {
            return Mentions::default();
        }
        Mentions {
            header: self.header.is_in(bytes, found),
            hint: self.hints.iter().any(|wanted| wanted.is_in(bytes, found)),
            retry: self.retries.as_ref().is_some_and(|retries| retries.may_retry(bytes, found)),
            pause: self.retries.as_ref().is_some_and(|retries| retries.may_pause(bytes, found)),
        }
    }
}

impl Retries {
    fn may_retry(&self, bytes: &[u8], found: u32) -> bool {
        self.others.iter().chain([&self.repeated]).any(|wanted| wanted.may_be(found))
            && self.status.is_in(bytes, found)
            && self.statuses.iter().any(|pattern| pattern.is_match(bytes))
            && (self.others.iter().any(|wanted| wanted.is_in(bytes, found)) || self.repeats(bytes, found))
    }

    /// Whether something is repeated here. The path of a module says where a name comes from, and a classifier that a client somewhere else repeats.
    fn repeats(&self, bytes: &[u8], found: u32) -> bool {
        let names_elsewhere = |rest: &[u8]| {
            [&b"::"[..], b"_classifier", b"ableClassifier", b"able_error_kind"]
                .iter()
                .any(|word| rest.starts_with(word))
        };
        self.repeated.may_be(found)
            && self.repeated.pattern.find_iter(bytes).any(|repeat| !names_elsewhere(&bytes[repeat.end()..]))
    }

    fn may_pause(&self, bytes: &[u8], found: u32) -> bool {
        self.repeated.may_be(found) && self.pause.is_in(bytes, found) && self.repeated.is_in(bytes, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn mentions(bytes: &[u8]) -> Mentions {
        let all = super::mentions(bytes);
        let few = mentions_in(bytes, false, &mut Vec::new());
        assert_eq!(few, Mentions { retry: false, pause: false, ..all });
        all
    }

    #[test]
    fn words_do_not_hide_each_other() {
        let patterns = HINTS.iter().chain(RETRIES).chain([&HEADER, &STATUS, &PAUSE, &REPEATED]);
        let words: BTreeSet<&str> = patterns.flat_map(|pattern| pattern.words.iter().copied()).collect();
        for word in &words {
            assert!(word.len() >= 4 && *word == word.to_ascii_lowercase(), "{word}");
            for other in words.iter().filter(|other| *other != word) {
                assert!(!word.contains(other), "{other} stands in {word}");
                // Of three letters on: where one ends a name and begins the next, no pattern is in either.
                let shared = (2..word.len()).find(|&from| other.starts_with(&word[from..]) && word.len() - from > 2);
                assert_eq!(shared, None, "{word} ends as {other} begins");
            }
        }
        assert!(words.len() <= 32);
    }

    #[test]
    fn a_retry_and_a_pause_are_found() {
        let found = |text: &str| (mentions(text.as_bytes()).retry, mentions(text.as_bytes()).pause);
        assert_eq!(found("if response.status() == 429 { attempts += 1 }"), (true, false));
        assert_eq!(found("match StatusCode { SERVICE_UNAVAILABLE => Error::RateLimit }"), (true, false));
        assert_eq!(found("status.is_success() || retriable"), (true, false));
        assert_eq!(found("for retries in 0..3 { sleep(pause) }"), (false, true));
        assert_eq!(found("STATUS 429 RETRY SLEEP"), (false, false));
        assert_eq!(found("status 4290 retry"), (false, false));
        assert_eq!(found("status().is_success() retry::ErrorKind with_retry_classifier"), (false, false));
        assert_eq!(found("status().is_success() retry::again(retry)"), (true, false));
    }

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
