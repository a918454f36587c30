//! `cargo +nightly fuzz run parse`: see [`retry_after_fuzz::parse`].
// cargo-fuzz sets this cfg, and cargo does not know it.
#![allow(unexpected_cfgs)]
#![cfg_attr(fuzzing, no_main)]

retry_after_fuzz::target!("parse", retry_after_fuzz::driver::value, retry_after_fuzz::parse::run);
