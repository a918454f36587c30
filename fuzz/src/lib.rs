//! Scenarios, oracle and fuzz targets that hold `retry-after-core` to its word.
//!
//! ```text
//! bytes -> scenario -> ask the reference -> compare with the model, the peers and the stated equations
//! ```
//!
//! - [`scenario`]: a response and a client, made from the fuzzer's bytes.
//! - [`model`]: the grammar and the calendar once more, slow and plain, for the reference to be compared with.
//! - [`peers`]: other crates that read the value, and the table of differences that are allowed.
//! - [`oracle`]: two outcomes in, agreement or a named divergence out.
//! - [`parse`] and [`schedule`]: the targets, each a `run(&[u8])` that panics on a finding.
//! - [`harness`]: what is compiled beside the extracted code of a target, see `cargo retry-after compare`.
//! - [`driver`]: generated inputs on stable, without libFuzzer.
//!
//! ```text
//! cargo +nightly fuzz run parse fuzz/corpus/parse corpus/fuzz/parse -- -dict=corpus/fuzz/retry-after.dict
//! cargo +nightly fuzz run schedule fuzz/corpus/schedule corpus/fuzz/schedule
//! cargo fuzz run --sanitizer none parse                                        on stable
//! cargo run --release -p retry-after-fuzz --bin parse -- --seconds 60          on stable, without libFuzzer
//! cargo run --release -p retry-after-fuzz --bin parse -- corpus/fuzz/parse     replays files, as the tests do
//! ```
//!
//! Under the address sanitizer most of the time goes to its stack bookkeeping and to libFuzzer's account of features;
//! `ASAN_OPTIONS=detect_stack_use_after_return=0` and `-entropic=0 -reduce_inputs=0` about double the executions per second.

pub mod driver;
/// The runtime of the harnesses that `cargo retry-after compare` writes, compiled here to be tested, and for its oracle.
#[path = "../../lint/runtime/lib.rs"]
pub mod harness;
pub mod model;
pub mod parse;
pub mod peers;
pub mod scenario;
pub mod schedule;

mod replay;

pub use harness::oracle;
pub use replay::program;

/// The program around a target's `run(&[u8])`: libFuzzer's under `cargo fuzz`, else one that replays files or generates inputs.
#[macro_export]
macro_rules! target {
    ($name:literal, $generate:path, $run:path) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $run(data));

        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::program($name, std::env::args_os().skip(1), $generate, $run)
        }
    };
}
