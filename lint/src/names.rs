//! Names: what a name alone tells. Everything that is guessed from a name is decided here.

mod vocabulary;

pub use vocabulary::{Vocabulary, is_declared_date_parser, is_declared_sleep, is_safe_helper};
pub(crate) use vocabulary::{look_from, put_in_force};

use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// Whether the text is the header's name, in any case.
pub fn is_header(text: &str) -> bool {
    text.trim().trim_end_matches(':').eq_ignore_ascii_case("retry-after")
}

/// Whether the text is this header's name, or a vendor's header: named after it (`retry-after-ms`, `x-ms-retry-after-ms`), or declared by the project.
pub fn is_header_or_vendor(text: &str) -> bool {
    let lower = text.trim().trim_end_matches(':').to_ascii_lowercase();
    if vocabulary::is_header(&lower) {
        return true;
    }
    lower.contains("retry-after")
        && lower.len() < 48
        && lower.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether the text is meant to be the header's name and is not: a blank or an underscore in place of the hyphen, or nothing there.
pub fn is_almost_header(text: &str) -> bool {
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let separators = text.chars().filter(|c| !c.is_ascii_alphanumeric()).count();
    let wrong = text.contains([' ', '_']) || separators == 0 || text.ends_with(':');
    letters.eq_ignore_ascii_case("retryafter") && separators < 3 && wrong
}

/// Whether something of this name is a message's headers, or one of them.
pub fn is_of_headers(name: &str) -> bool {
    words(name).iter().any(|word| matches!(word.as_str(), "header" | "headers" | "hdrs" | "hdr"))
}

/// Lower-case words of an identifier in snake, camel or kebab case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last_lower = false;
    for c in name.chars() {
        if c == '_' || c == '-' || (c.is_uppercase() && last_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        last_lower = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Words that make a name with "retry after" in it mean something else than the server's hint: a limit, a switch, a default.
const NOT_THE_HINT: &[&str] = &[
    "max",
    "min",
    "maximum",
    "minimum",
    "default",
    "limit",
    "cap",
    "respect",
    "use",
    "honor",
    "honour",
    "ignore",
    "has",
    "is",
    "should",
    "no",
    "not",
    "enable",
    "enabled",
    "parse",
    "set",
    "with",
    "count",
    "header",
    "headers",
    "name",
    "do",
    "does",
    "did",
    "test",
    "fallback",
    "never",
    "supports",
    "support",
    "can",
    "policy",
    "strategy",
    "error",
    "err",
    "own",
    "fixed",
    "base",
    "total",
    "config",
    "builder",
    "field",
    "key",
    "failures",
    "attempts",
    "errors",
    "times",
    "retries",
    "tries",
    "attempt",
    "re",
    "regex",
    "pattern",
    "failure",
    "success",
    "layer",
    "middleware",
    "jitter",
    "factor",
    "multiplier",
    "mode",
    "unsafe",
    "possible",
    "execution",
    "if",
    "when",
    "and",
    "or",
];

/// Whether something of this name is a most that a wait is held against.
pub fn is_ceiling(name: &str) -> bool {
    words(name).iter().any(|word| {
        ["max", "maximum", "limit", "cap", "ceiling", "most", "longest", "threshold", "bound", "patience"]
            .contains(&word.as_str())
    })
}

/// Whether a call of this name comes to something that others can see and change: a lock, a permit, a limiter, a channel.
pub fn shares(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "lock",
        "write",
        "acquire",
        "load",
        "store",
        "swap",
        "semaphore",
        "permit",
        "limiter",
        "gate",
        "throttle",
        "cooldown",
        "notify",
        "ready",
        "broadcast",
        "watch",
    ];
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether something of this name says how many attempts, or how much time, there is left.
pub fn is_budget(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "attempt",
        "attempts",
        "tries",
        "retries",
        "remaining",
        "left",
        "budget",
        "deadline",
        "elapsed",
        "timeout",
        "exhausted",
        "last",
    ];
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether something of this name is the time that is left, or the moment at which it ends.
pub fn is_deadline(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["deadline", "remaining", "time_left", "left", "expires", "expiry"].iter().any(|part| name.contains(part))
}

/// Whether something of this name tells that the work is to stop.
pub fn stops(name: &str) -> bool {
    words(name).iter().any(|word| {
        [
            "stop",
            "stopped",
            "stopping",
            "shutdown",
            "cancel",
            "cancelled",
            "canceled",
            "cancellation",
            "quit",
            "exit",
            "abort",
            "aborted",
        ]
        .contains(&word.as_str())
    })
}

/// Whether a method of this name keeps its last argument in a collection or a cell.
pub fn keeps(name: &str) -> bool {
    matches!(
        name,
        "insert"
            | "push"
            | "push_back"
            | "store"
            | "set"
            | "replace"
            | "swap"
            | "fetch_max"
            | "insert_mut"
            | "upsert"
            | "put"
    )
}

/// Whether a call of this name draws at random.
pub fn draws(name: &str) -> bool {
    matches!(
        name,
        "random_range"
            | "gen_range"
            | "random"
            | "gen"
            | "rand"
            | "jitter"
            | "sample"
            | "sample_single"
            | "f64"
            | "f32"
            | "uniform"
            | "thread_rng_range"
    )
}

/// A question about a name whose answer is remembered by each thread: the analysis asks the same of the same names over and over.
/// Each analysis has a thread of its own, and so its own vocabulary.
macro_rules! remembered {
    ($(#[$docs:meta])* pub fn $asked:ident = $answer:ident) => {
        $(#[$docs])*
        pub fn $asked(name: &str) -> bool {
            thread_local! {
                static ANSWERS: RefCell<FxHashMap<Box<str>, bool>> = RefCell::default();
            }
            ANSWERS.with_borrow_mut(|answers| {
                if let Some(known) = answers.get(name) {
                    return *known;
                }
                let answer = $answer(name);
                answers.insert(name.into(), answer);
                answer
            })
        }
    };
}

remembered! {
    /// Whether a variable, field, parameter or method of this name holds what the server asked for.
    pub fn is_hint = names_hint
}
remembered! {
    /// Whether a function of this name reads the hint's text, so that a text parameter of it is the header's value.
    pub fn reads_hint = names_reader
}
remembered! {
    /// Whether a function or method of this name waits for the time it is given.
    pub fn sleeps = names_sleep
}
remembered! {
    /// Whether something of this name may wait by itself, for a time of its own.
    pub fn may_wait = names_wait
}
remembered! {
    /// Whether something of this name hands out permits to run.
    pub fn permits = names_permits
}
remembered! {
    /// Whether a call of this name sends a request.
    pub fn sends = names_request
}
remembered! {
    /// Whether a call of this name puts a header into a message.
    pub fn emits = names_emission
}
remembered! {
    /// Whether a call of this name only looks: it measures, records or prints.
    pub fn only_looks = names_look
}

/// Words for a time that is left, or an end of it.
const WAITS: &[&str] = &[
    "wait",
    "left",
    "remaining",
    "remainder",
    "delay",
    "after",
    "reset",
    "retry",
    "until",
    "cooldown",
    "backoff",
    "due",
    "sleep",
    "penalty",
    "delta",
    "millis",
    "rest",
    "unlock",
    "blocked",
    "expires",
];

/// Whether a number of this name is a wait that a server knows.
pub fn is_wait(name: &str) -> bool {
    words(name).iter().any(|word| WAITS.contains(&word.as_str()))
        && !words(name)
            .iter()
            .any(|word| ["at", "now", "max", "min", "default", "timestamp", "epoch", "count"].contains(&word.as_str()))
}

/// Whether a name says that the wait of a refusal is known there: `retry_after_secs`, `wait_time`, `reset_in`.
pub fn knows_wait(name: &str) -> bool {
    if is_hint(name) {
        return true;
    }
    let words = words(name);
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    any(&["wait", "cooldown", "reset", "remaining", "unlock", "blocked"])
        && any(&["secs", "seconds", "sec", "ms", "millis", "time", "duration", "until", "in"])
        && !any(&["max", "min", "default", "total", "timeout", "limit", "config"])
}

/// Whether the name has the header's words in it, whatever else it says.
pub fn mentions_retry_after(name: &str) -> bool {
    let words = words(name);
    words.windows(2).any(|pair| pair[0] == "retry" && pair[1] == "after")
        || words.iter().any(|word| word == "retryafter")
}

/// Whether a moment of this name is the begin or the end of something, and not the present.
pub fn is_other_moment(name: &str) -> bool {
    is_deadline(name)
        || is_limit(name)
        || words(name).iter().any(|word| {
            matches!(
                word.as_str(),
                "until"
                    | "expiration"
                    | "expired"
                    | "end"
                    | "ends"
                    | "reset"
                    | "resets"
                    | "last"
                    | "next"
                    | "before"
                    | "first"
                    | "start"
                    | "started"
                    | "begin"
                    | "latest"
                    | "earliest"
                    | "max"
                    | "min"
                    | "since"
                    | "created"
                    | "modified"
            )
        })
}

/// Whether something of this name is the present.
pub fn is_present(name: &str) -> bool {
    matches!(
        &*words(name).join("_"),
        "now"
            | "current_time"
            | "present"
            | "now_ms"
            | "now_secs"
            | "now_ts"
            | "unix_now"
            | "now_unix"
            | "now_millis"
            | "time_now"
            | "current_timestamp"
    )
}

/// Whether something of this name holds what was configured, which is no remainder of anything.
pub fn is_configured(name: &str) -> bool {
    let whole = name.rsplit("::").next().unwrap_or(name);
    (whole.len() > 2 && whole.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        || words(name).iter().any(|word| {
            [
                "config",
                "configuration",
                "conf",
                "cfg",
                "settings",
                "setting",
                "options",
                "opts",
                "policy",
                "default",
                "defaults",
                "args",
                "cli",
                "env",
                "params",
                "preset",
            ]
            .contains(&word.as_str())
        })
}

/// Whether something of this name is a whole span that somebody chose: a window, a period.
pub fn is_span(name: &str) -> bool {
    words(name).last().is_some_and(|word| {
        [
            "window",
            "period",
            "interval",
            "ttl",
            "timeout",
            "quota",
            "retention",
            "lease",
            "cap",
            "max",
            "min",
            "size",
            "uptime",
            "elapsed",
            "age",
        ]
        .contains(&word.as_str())
    })
}

/// Whether a function of this name makes a time of whole seconds.
pub fn makes_whole_seconds(name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name).trim_start_matches("try_");
    matches!(
        last,
        "from_secs"
            | "from_mins"
            | "from_hours"
            | "from_days"
            | "from_weeks"
            | "seconds"
            | "minutes"
            | "hours"
            | "days"
            | "weeks"
            | "try_seconds"
            | "try_minutes"
    )
}

/// Whether something of this name is a request.
pub fn is_request(name: &str) -> bool {
    words(name).iter().any(|word| ["req", "request", "client", "requests"].contains(&word.as_str()))
}

fn names_hint(name: &str) -> bool {
    let words = words(name);
    if words.iter().any(|word| NOT_THE_HINT.contains(&word.as_str())) {
        return false;
    }
    let has = |first: &str, second: &str| words.windows(2).any(|pair| pair[0] == first && pair[1] == second);
    let whole = words.concat();
    has("retry", "after")
        || whole.starts_with("retryafter")
        || has("retry", "hint")
        || has("backoff", "hint")
        || has("wait", "hint")
        || has("delay", "hint")
        || has("hinted", "delay")
        || has("hinted", "wait")
        || has("server", "delay")
        || has("server", "wait")
        || has("server", "hint")
        || has("server", "backoff")
        || has("server", "asked")
        || has("server", "requested")
        || has("server", "suggested")
        || has("suggested", "delay")
        || has("suggested", "wait")
        || has("suggested", "backoff")
        || has("requested", "delay")
        || has("requested", "wait")
        || has("requested", "backoff")
}

fn names_reader(name: &str) -> bool {
    let words = words(name);
    let has = words.windows(2).any(|pair| pair[0] == "retry" && pair[1] == "after")
        || words.iter().any(|word| word == "retryafter");
    has && !words.iter().any(|word| {
        [
            "format",
            "fmt",
            "emit",
            "write",
            "encode",
            "serialize",
            "to",
            "insert",
            "set",
            "with",
            "build",
            "render",
            "display",
            "should",
            "is",
            "has",
        ]
        .contains(&word.as_str())
    })
}

/// The nanoseconds of one unit of a number of this name: a number called `retry_after_ms` counts milliseconds.
pub fn unit_of(name: &str) -> i128 {
    let words = words(name);
    let any = |units: &[&str]| words.iter().any(|word| units.contains(&word.as_str()));
    // A vendor whose header counts milliseconds without saying so.
    let is_amazon = words.iter().any(|word| word == "amz") && mentions_retry_after(name);
    if is_amazon || any(&["ms", "millis", "milliseconds", "msec", "msecs", "millisecond"]) {
        1_000_000
    } else if any(&["us", "micros", "microseconds"]) {
        1_000
    } else if any(&["ns", "nanos", "nanoseconds"]) {
        1
    } else if any(&["minutes", "mins"]) {
        60 * SECOND
    } else {
        SECOND
    }
}

fn names_sleep(name: &str) -> bool {
    let words = words(name);
    let any = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let last = words.last().map_or("", String::as_str);
    is_declared_sleep(name)
        || (any(&["sleep", "sleeper", "snooze"])
            && !any(&["set", "with", "calculate", "compute", "get", "time", "duration", "next"]))
        || matches!(name, "delay_for" | "pause" | "delay_until" | "sleep_until" | "wait_for" | "park_timeout")
        || last == "sleep"
}

fn names_wait(name: &str) -> bool {
    let words = words(name);
    words.iter().enumerate().any(|(index, word)| {
        // Whoever has to do with "retry after" has to do with a number.
        let is_header = word == "retry" && words.get(index + 1).is_some_and(|next| next == "after");
        !is_header
            && [
                "wait", "backoff", "delay", "sleep", "pause", "tick", "acquire", "ready", "throttle", "cooldown",
                "limit", "limiter", "retry", "until", "recv", "notified", "snooze", "yield",
            ]
            .contains(&word.as_str())
    })
}

fn names_permits(name: &str) -> bool {
    words(name).iter().any(|word| ["semaphore", "sem", "permit", "permits", "concurrency"].contains(&word.as_str()))
}

fn names_request(name: &str) -> bool {
    let words = words(name);
    let any = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    any(&[
        "send", "execute", "request", "fetch", "call", "dispatch", "perform", "post", "attempt", "oneshot", "transmit",
        "download", "upload", "submit",
    ]) && !any(&["builder", "clone", "new", "build", "callback", "attempts", "headers", "header", "id"])
}

fn names_emission(name: &str) -> bool {
    let first = words(name).into_iter().next().unwrap_or_default();
    ["insert", "append", "set", "add", "with", "put", "push", "replace", "entry", "write", "emit", "try"]
        .contains(&first.as_str())
        && !name.starts_with("try_get")
}

fn names_look(name: &str) -> bool {
    let words = words(name);
    let any = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    any(&[
        "record",
        "observe",
        "log",
        "trace",
        "debug",
        "warn",
        "info",
        "print",
        "println",
        "metric",
        "metrics",
        "histogram",
        "gauge",
        "counter",
        "increment",
        "describe",
        "report",
        "telemetry",
        "assert",
        "display",
        "message",
        "msg",
        "progress",
        "field",
        "attribute",
        "annotate",
        "style",
        "format",
        "fmt",
        "humanize",
        "label",
        "event",
        "tag",
        "notify",
        "status",
        "bar",
        "title",
    ])
}

/// Whether a function of this name, given text, tries to read a date.
pub fn reads_date(name: &str) -> bool {
    let whole = name.to_ascii_lowercase();
    is_declared_date_parser(name)
        || ([
            "http_date",
            "httpdate",
            "rfc2822",
            "rfc_2822",
            "rfc7231",
            "rfc1123",
            "rfc822",
            "rfc850",
            "asctime",
            "imf",
            "strptime",
            "parse_from_str",
            "systemtime",
            "system_time",
            "datetime",
            "date_time",
            "date_header",
            "retry_date",
        ]
        .iter()
        .any(|part| whole.contains(part))
            || words(name).iter().any(|word| word == "date" || word == "dates"))
            && !whole.contains("rfc3339")
            && !whole.contains("iso8601")
}

/// Methods that std and every library have: their name alone says nothing about which is meant.
const COMMON_METHODS: &[&str] = &[
    "new",
    "get",
    "set",
    "insert",
    "remove",
    "push",
    "pop",
    "len",
    "is_empty",
    "iter",
    "next",
    "into",
    "from",
    "clone",
    "as_ref",
    "as_mut",
    "to_string",
    "to_owned",
    "parse",
    "map",
    "and_then",
    "unwrap",
    "expect",
    "ok",
    "err",
    "min",
    "max",
    "clamp",
    "filter",
    "find",
    "contains",
    "header",
    "headers",
    "status",
    "body",
    "text",
    "json",
    "bytes",
    "build",
    "name",
    "value",
    "values",
    "key",
    "keys",
    "id",
    "url",
    "method",
    "lock",
    "read",
    "write",
    "poll",
    "await",
    "as_str",
    "as_bytes",
    "to_str",
    "trim",
    "split",
    "join",
    "abs",
    "add",
    "sub",
    "mul",
    "div",
    "eq",
    "ne",
    "cmp",
    "partial_cmp",
    "hash",
    "fmt",
    "drop",
    "default",
    "deref",
    "index",
    "extend",
    "count",
    "sum",
    "first",
    "last",
    "take",
    "skip",
    "chain",
    "zip",
    "fold",
    "any",
    "all",
    "collect",
    "start",
    "stop",
    "run",
    "close",
    "flush",
    "into_inner",
    "borrow",
    "to_vec",
    "unwrap_or",
    "unwrap_or_else",
    "or",
    "or_else",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "source",
    "description",
    "cause",
    "kind",
    "code",
    "error",
    "message",
    "data",
    "inner",
    "config",
    "client",
    "copied",
    "cloned",
    "entry",
    "append",
    "replace",
    "sort",
    "retain",
    "clear",
];

/// Whether an error of this name says that a limit was reached, or that the server is busy.
pub fn is_limit(name: &str) -> bool {
    let words = words(name);
    let has = |first: &str, second: &str| words.windows(2).any(|pair| pair[0] == first && pair[1].starts_with(second));
    has("rate", "limit")
        || has("too", "many")
        || has("service", "unavailable")
        || words.iter().any(|word| {
            ["ratelimit", "ratelimited", "throttled", "throttling", "throttle", "overloaded", "unavailable", "busy"]
                .contains(&word.as_str())
        })
}

/// Whether the name is one of a retry: of its count, its wait, or of what does it.
pub fn is_retry(name: &str) -> bool {
    words(name).iter().any(|word| {
        [
            "retry",
            "retries",
            "retried",
            "retrying",
            "retryable",
            "retriable",
            "attempt",
            "attempts",
            "tries",
            "backoff",
            "resend",
        ]
        .contains(&word.as_str())
    })
}

/// Whether a name alone says nothing about which function is meant.
pub fn is_common(name: &str) -> bool {
    COMMON_METHODS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_told_from_limits_and_switches() {
        for name in [
            "retry_after",
            "retryAfter",
            "retry_after_secs",
            "server_delay",
            "retry_hint",
            "suggested_wait",
            "requested_delay",
        ] {
            assert!(is_hint(name), "{name}");
        }
        for name in [
            "max_retry_after",
            "respect_retry_after",
            "default_retry_after",
            "retry_delay",
            "retry_after_header",
            "backoff",
            "after_retry",
        ] {
            assert!(!is_hint(name), "{name}");
        }
    }

    #[test]
    fn units_are_read_from_names() {
        assert_eq!(unit_of("retry_after_ms"), 1_000_000);
        assert_eq!(unit_of("retry_after"), 1_000_000_000);
    }
}
