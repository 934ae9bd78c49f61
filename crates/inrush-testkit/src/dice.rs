//! Repeatable random numbers for campaigns of faults: everything that a run draws comes from one seed, which is printed.

use std::time::{SystemTime, UNIX_EPOCH};

/// A small generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice of their own for something with this name, out of the run's seed: what one test draws shifts no other.
    pub fn of(name: &str) -> Self {
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(seed() ^ name)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True in so many of a hundred times.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// `FIRE_SEED`; else 1 in the short form, so that it is the same at each commit, and the clock's in the long one.
pub fn seed() -> u64 {
    static SEED: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("FIRE_SEED") {
        Ok(seed) => seed.parse().expect("FIRE_SEED is a number"),
        Err(_) if is_long() => SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs()),
        Err(_) => 1,
    })
}

/// Whether `scripts/fire` asks for the long form.
pub fn is_long() -> bool {
    std::env::var_os("FIRE").is_some()
}

/// The number of repetitions in the short or in the long form; `FIRE_TIMES` percent of that.
pub fn times(short: u64, long: u64) -> u64 {
    let percent = std::env::var("FIRE_TIMES").map_or(100, |times| times.parse().expect("FIRE_TIMES is a number"));
    ((if is_long() { long } else { short }) * percent / 100).max(1)
}
