//! The vectors under corpus/vectors, which belong to no implementation.

use std::time::Duration;

use retry_after_core::{
    Basis, Decision, DeferReason, Jitter, Moment, Offset, Reading, Receipt, Repeatable, RetryAfter, Schedule, Timestamp,
};
use serde_json::Value;

const VALUES: &str = include_str!("../../../corpus/vectors/values.jsonl");
const TIMELINES: &str = include_str!("../../../corpus/vectors/timelines.jsonl");

fn lines(text: &str) -> impl Iterator<Item = Value> + '_ {
    let step = if cfg!(miri) { 41 } else { 1 };
    text.lines().step_by(step).map(|line| serde_json::from_str(line).unwrap())
}

fn raw_input(vector: &Value) -> Vec<u8> {
    if let Some(input) = vector["input"].as_str() {
        return input.as_bytes().to_vec();
    }
    let hex = vector["input_hex"].as_str().unwrap();
    (0..hex.len()).step_by(2).map(|start| u8::from_str_radix(&hex[start..start + 2], 16).unwrap()).collect()
}

/// Whether the value was read as one of these kinds with these figures.
fn agrees(parsed: &Option<RetryAfter>, kind: &Value, delay: &Value, unix: &Value, saturated: bool) -> bool {
    match (parsed, kind.as_str().unwrap()) {
        (None, "reject") => true,
        (Some(RetryAfter::Delay(seconds)), "delay") if saturated => *seconds >= 1 << 31,
        (Some(RetryAfter::Delay(seconds)), "delay") => Some(*seconds) == delay.as_u64(),
        (Some(RetryAfter::Date(date)), "date") => Some(date.timestamp().unix_seconds()) == unix.as_i64(),
        _ => false,
    }
}

#[test]
fn values() {
    let (mut rfc, mut lenient) = (0, 0);
    let mut failures = Vec::new();
    for vector in lines(VALUES) {
        let now = Timestamp::from_unix(vector["now_unix"].as_i64().unwrap_or(super::NOW));
        let parsed = RetryAfter::parse(&raw_input(&vector), now).ok();
        let saturated = vector["saturated"].as_bool() == Some(true);
        let is_rfc = vector["strictness"] == "rfc";
        let meets = agrees(&parsed, &vector["kind"], &vector["delay_s"], &vector["unix"], saturated);
        let meets_alternative = !is_rfc
            && (parsed.is_none()
                || agrees(&parsed, &vector["alt_kind"], &vector["alt_delay_s"], &vector["alt_unix"], saturated));
        if meets || meets_alternative {
            *(if is_rfc { &mut rfc } else { &mut lenient }) += 1;
        } else {
            failures.push(format!("{parsed:?} for {vector}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!((rfc, lenient) == (660, 202) || cfg!(miri), "{rfc} and {lenient}");
}

fn duration(value: &Value) -> Option<Duration> {
    value.as_f64().map(Duration::from_secs_f64)
}

fn signed_seconds(offset: Offset) -> i64 {
    let seconds = i64::try_from(offset.by().as_secs()).unwrap();
    assert_eq!(offset.by().subsec_nanos(), 0);
    if offset.is_behind() {
        -seconds
    } else {
        seconds
    }
}

#[test]
fn timelines() {
    let mut passed = 0;
    for vector in lines(TIMELINES) {
        // The jitter's draw is the client's own: none, some, and the most there can be.
        for draw in [0, u64::MAX / 3, u64::MAX] {
            timeline(&vector, draw);
        }
        passed += 1;
    }
    assert!(passed == 122 || cfg!(miri), "{passed}");
}

fn timeline(vector: &Value, draw: u64) {
    let expect = &vector["expect"];
    let name = &vector["name"];
    let start = Moment::from_origin(Duration::from_secs(1_000));
    let mut receipt = Receipt::new(start, Timestamp::from_unix(vector["now_unix"].as_i64().unwrap()));
    let age = match &vector["age_s"] {
        Value::Null => vector["age_header"].as_str().map(str::to_owned),
        age => Some(age.to_string()),
    };
    if let Some(date) = vector["date"].as_str() {
        receipt = receipt.with_date(date.as_bytes(), age.as_deref().map(str::as_bytes));
    }
    let values: Vec<&[u8]> = match &vector["values"] {
        Value::Array(values) => values.iter().map(|value| value.as_str().unwrap().as_bytes()).collect(),
        _ => vector["value"].as_str().map(str::as_bytes).into_iter().collect(),
    };
    let reading = Reading::new(values, receipt);

    let mut schedule = Schedule::new(duration(&vector["backoff_s"]).unwrap());
    if let Some(most) = duration(&vector["jitter_s"]) {
        schedule = schedule.with_jitter(Jitter::new(most, draw));
    }
    if let Some(limit) = duration(&vector["limit_s"]) {
        schedule = schedule.with_limit(limit);
    }
    if let Some(deadline) = duration(&vector["deadline_s"]) {
        schedule = schedule.with_deadline(deadline);
    }
    let now = start.saturating_add(duration(&vector["elapsed_s"]).unwrap_or_default());

    let hint = reading.hint();
    if let Some(at_least) = expect["hint_at_least_s"].as_u64() {
        assert!(hint.unwrap().delay().as_secs() >= at_least, "{name}");
    } else {
        assert_eq!(hint.map(|hint| hint.delay()), duration(&expect["hint_s"]), "{name}");
    }
    let basis = hint.map(|hint| match hint.basis() {
        Basis::Receipt => "receipt",
        Basis::ServerDate => "server_date",
        Basis::LocalClock => "local_clock",
    });
    assert_eq!(basis, expect["basis"].as_str(), "{name}");
    assert_eq!(receipt.skew().map(signed_seconds), expect["skew_s"].as_i64(), "{name}");
    if let Some(conflict) = expect["conflict"].as_bool() {
        assert_eq!(reading.is_conflict(), conflict, "{name}");
    }

    match schedule.decide(&reading, now, Repeatable::Idempotent) {
        Decision::Wait(wait) => {
            assert_eq!(expect["decision"], "wait", "{name}");
            let remaining = wait.remaining(now);
            assert!(remaining >= duration(&expect["wait_min_s"]).unwrap(), "{name}: {remaining:?}");
            assert!(remaining <= duration(&expect["wait_max_s"]).unwrap(), "{name}: {remaining:?}");
            if let Some(below) = duration(&expect["wait_below_s"]) {
                assert!(remaining < below, "{name}: {remaining:?}");
            }
        }
        Decision::Defer(deferral) => {
            assert_eq!(expect["decision"], "defer", "{name}");
            if let Some(at_least) = expect["permitted_at_least_s"].as_u64() {
                assert!(deferral.permitted_after().as_secs() >= at_least, "{name}");
            } else {
                assert_eq!(Some(deferral.permitted_after()), duration(&expect["permitted_s"]), "{name}");
            }
            let reason = match deferral.reason() {
                DeferReason::Limit => "limit",
                DeferReason::Deadline => "deadline",
            };
            assert_eq!(expect["reason"], reason, "{name}");
        }
    }
}
