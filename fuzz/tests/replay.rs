//! All seeds and regressions, and a deterministic stretch of generated inputs, through both targets on stable.

use std::fs;
use std::path::Path;

use retry_after_fuzz::{parse, schedule};

/// Runs a target on all files of a folder under corpus/fuzz and tells how many there are.
fn replay(folder: &str, run: fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fuzz").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in &files {
        // Shown where the target panics.
        println!("{}", file.display());
        run(&fs::read(file).unwrap());
    }
    files.len()
}

#[test]
fn seeds_and_regressions_of_parse() {
    assert!(replay("parse", parse::run) > 50);
    replay("regressions/parse", parse::run);
}

#[test]
fn seeds_and_regressions_of_schedule() {
    assert!(replay("schedule", schedule::run) > 50);
    replay("regressions/schedule", schedule::run);
}

#[test]
fn vectors_are_seeds_too() {
    let vectors = include_str!("../../corpus/vectors/values.jsonl");
    let mut count = 0;
    for line in vectors.lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        if let Some(input) = vector["input"].as_str() {
            parse::run(input.as_bytes());
        }
        count += 1;
    }
    assert!(count > 800, "{count}");
}

/// Bytes that look random and are the same in every run.
fn generated(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend((mixed ^ (mixed >> 31)).to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

#[test]
fn generated_scenarios() {
    for seed in 0..20_000 {
        schedule::run(&generated(seed, 40 + seed as usize % 120));
    }
}

#[test]
fn a_scenario_is_the_same_in_every_run() {
    use arbitrary::{Arbitrary, Unstructured};
    use retry_after_fuzz::scenario::Scenario;
    let story = || {
        let bytes = generated(7, 200);
        format!("{:?}", Scenario::arbitrary(&mut Unstructured::new(&bytes)).unwrap())
    };
    assert_eq!(story(), story());
}

/// The corpus that harnesses carry is that of the vectors; `UPDATE_EXPECT=1` takes it over.
#[test]
fn harnesses_carry_the_vectors() {
    use retry_after_fuzz::harness::escape::escape;
    let mut values: Vec<Vec<u8>> = Vec::new();
    for line in include_str!("../../corpus/vectors/values.jsonl").lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let bytes = match vector["input"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => {
                let hex = vector["input_hex"].as_str().unwrap();
                let bytes = (0..hex.len()).step_by(2).map(|place| u8::from_str_radix(&hex[place..place + 2], 16));
                bytes.collect::<Result<_, _>>().unwrap()
            }
        };
        if !values.contains(&bytes) {
            values.push(bytes);
        }
    }
    let text: String = values.iter().map(|value| format!("{}\n", escape(&[value]))).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lint/runtime/corpus.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == text, "UPDATE_EXPECT=1 takes the vectors over");
}
