//! Numbers that look random and are the same in every run.

use std::time::Duration;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    /// Mostly what occurs, sometimes the extremes, with a fraction half of the time.
    pub(crate) fn duration(&mut self) -> Duration {
        let seconds = match self.below(8) {
            0 => 0,
            1..=3 => self.below(100),
            4..=5 => self.below(100_000),
            6 => self.next() >> self.below(64),
            _ => u64::MAX - self.below(3),
        };
        Duration::new(seconds, if self.one_in(2) { 0 } else { self.below(1_000_000_000) as u32 })
    }

    pub(crate) fn sometimes<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.one_in(2) {
            Some(value(self))
        } else {
            None
        }
    }
}
