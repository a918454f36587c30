//! `cargo +nightly fuzz run schedule`: see [`retry_after_fuzz::schedule`].
// cargo-fuzz sets this cfg, and cargo does not know it.
#![allow(unexpected_cfgs)]
#![cfg_attr(fuzzing, no_main)]

retry_after_fuzz::target!("schedule", retry_after_fuzz::driver::scenario, retry_after_fuzz::schedule::run);
