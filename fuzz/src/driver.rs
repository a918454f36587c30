//! A plain driver for stable: generated inputs, in this process, without coverage and without libFuzzer.
//!
//! It finds less cleverly and runs much faster. The same seed gives the same inputs, and so the same end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arbitrary::{Arbitrary, Unstructured};

use crate::scenario::Line;

/// Makes an input of a target, in the empty vector, from bytes that look random.
pub type Generate = fn(&[u8], &mut Vec<u8>);

/// Inputs of the target `parse`: a line of a scenario, near the grammar or far from it.
pub fn value(random: &[u8], input: &mut Vec<u8>) {
    match Line::arbitrary(&mut Unstructured::new(random)) {
        Ok(line) => line.render_into(input, crate::parse::TIMES[0]),
        Err(_) => input.extend_from_slice(random),
    }
}

/// Inputs of the target `schedule`: the bytes as they are.
pub fn scenario(random: &[u8], input: &mut Vec<u8>) {
    input.extend_from_slice(random);
}

/// Runs a target on generated inputs for some time, and tells how many there were.
///
/// Ends at the first finding, with its input in hexadecimal and exit code 1.
pub fn drive(name: &str, generate: Generate, run: fn(&[u8]), seconds: u64, seed: u64) -> ExitCode {
    let begin = Instant::now();
    let time = Duration::from_secs(seconds);
    let mut random = Random(seed);
    let mut runs: u64 = 0;
    let mut bytes = [0; 192];
    let mut input = Vec::with_capacity(256);
    loop {
        // The clock is not looked at each time.
        for _ in 0..1024 {
            let length = 24 + (random.next() % 168) as usize;
            for chunk in bytes[..length].chunks_mut(8) {
                chunk.copy_from_slice(&random.next().to_le_bytes()[..chunk.len()]);
            }
            input.clear();
            generate(&bytes[..length], &mut input);
            if catch_unwind(AssertUnwindSafe(|| run(&input))).is_err() {
                let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
                eprintln!("{name}: finding after {runs} runs and {:.1} s: {hex}", begin.elapsed().as_secs_f64());
                return ExitCode::FAILURE;
            }
            runs += 1;
        }
        if begin.elapsed() >= time {
            let rate = runs as f64 / begin.elapsed().as_secs_f64();
            println!("{name}: {runs} runs without a finding, {rate:.0} a second");
            return ExitCode::SUCCESS;
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
