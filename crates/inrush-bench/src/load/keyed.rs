//! The data sets whose keys are what matters: T6 (random), T7 (ascending) and T8 (texts in a random order). Pure.
//!
//! ```text
//! place: u64 -> key, n, pad      a row depends on the seed and its place in the order of the keys alone
//! T6, T7   k BINARY(16), 32 hex digits in the file: the place, then 8 bytes that the place gives
//! T8       k VARCHAR(40): `Maple-OCEAN-0123456789012345`, two of 64 words and 52 bits of the place
//! ```
//! Invariant: the server orders keys as their places are ordered, and no two keys are equal. For T8 this holds in every collation that
//! ignores case and has `-` before digits and digits before letters, as all default collations of utf8mb4 do.

use crate::dataset::Dice;
use std::fmt::Write as _;

/// Which keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// 16 random bytes.
    Random,
    /// 16 bytes, each key above the one before it.
    Ascending,
    /// Words and digits in lower, upper and mixed case, in a random order.
    Words,
}

impl Keys {
    /// The names of the columns.
    pub const COLUMNS: [&str; 3] = ["k", "n", "pad"];

    /// The most secondary indexes that a table may have: on the number, and on the first characters of the text. Both are random.
    pub const MOST_INDEXES: usize = INDEXES.len();

    /// Whether the rows of the file are in another order than the keys.
    pub fn are_shuffled(self) -> bool {
        self != Keys::Ascending
    }

    /// The columns with their types, the key, and so many secondary indexes.
    pub(super) fn columns_ddl(self, indexes: usize) -> String {
        let key = if self == Keys::Words { "VARCHAR(40)" } else { "BINARY(16)" };
        let mut ddl = format!("k {key} NOT NULL PRIMARY KEY, n INT NOT NULL, pad VARCHAR(160) NOT NULL");
        INDEXES.iter().take(indexes).for_each(|index| ddl += &format!(", {index}"));
        ddl
    }

    /// The columns as the generator writes them.
    pub(super) fn shown_columns(self) -> [&'static str; 3] {
        [if self == Keys::Words { "k" } else { "LOWER(HEX(k))" }, "n", "pad"]
    }

    /// The column that is computed from a field, as `--set` takes it.
    pub(super) fn set(self) -> Option<&'static str> {
        (self != Keys::Words).then_some("k = UNHEX(@k)")
    }

    /// The places of all keys in the order of the file: rows of other numbers have other places.
    pub(super) fn places(self, seed: u64, rows: u64) -> impl Iterator<Item = u64> {
        (0..rows).map(move |number| match self {
            Keys::Ascending => number,
            // Sequences with different seeds have different first numbers, so no key comes twice.
            Keys::Random | Keys::Words => Dice::new(seed.wrapping_add(number.wrapping_mul(STEP))).next(),
        })
    }

    /// Writes the row of a place as a line of the file, without the line feed.
    pub(super) fn line(self, seed: u64, place: u64, line: &mut String) {
        let mut dice = Dice::new(seed ^ place.wrapping_mul(STEP));
        // Writing into memory does not fail.
        let _ = match self {
            Keys::Random | Keys::Ascending => write!(line, "{place:016x}{:016x}", dice.next()),
            Keys::Words => {
                let [first, second] = [place >> 58, place >> 52].map(|bits| word(bits, &mut dice));
                write!(line, "{first}-{second}-{:016}", place & NUMBER)
            }
        };
        let _ = write!(line, ",{},", dice.next() as i32);
        let begin = line.len();
        while line.len() - begin < PAD {
            let _ = write!(line, "{:016x}", dice.next());
        }
        line.truncate(begin + PAD);
    }
}

/// One of the words, by the low bits, in some case.
fn word(bits: u64, dice: &mut Dice) -> String {
    let word = WORDS.get((bits % 64) as usize).copied().unwrap_or_default();
    match dice.below(3) {
        0 => word.to_owned(),
        1 => word.to_uppercase(),
        _ => word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default(),
    }
}

const INDEXES: [&str; 2] = ["KEY n_1 (n)", "KEY pad_2 (pad(16))"];

/// Bytes of `pad`: a row has 160 with its key and its number.
const PAD: usize = 140;

/// The bits of a place that T8 writes as a number.
const NUMBER: u64 = (1 << 52) - 1;

/// The step of SplitMix64, which [`Dice`] uses: an odd number, so that no two products are equal.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// In their order: a place's first bits choose one.
const WORDS: [&str; 64] = [
    "acorn", "amber", "anchor", "apple", "arrow", "autumn", "badger", "bamboo", "basil", "beacon", "birch", "bronze",
    "candle", "canyon", "cedar", "cherry", "cliff", "clover", "copper", "coral", "dawn", "delta", "desert", "dune",
    "eagle", "ember", "falcon", "fern", "flint", "forest", "garnet", "ginger", "glacier", "granite", "harbour",
    "hazel", "heron", "island", "ivory", "jasper", "juniper", "lagoon", "lantern", "lemon", "linen", "maple", "meadow",
    "mint", "nutmeg", "ocean", "olive", "onyx", "opal", "orchid", "pebble", "pine", "quartz", "raven", "saffron",
    "silver", "spruce", "thistle", "velvet", "willow",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const ALL: [Keys; 3] = [Keys::Random, Keys::Ascending, Keys::Words];

    fn lines(keys: Keys, seed: u64, rows: u64) -> Vec<(u64, String)> {
        let line = |place| {
            let mut line = String::new();
            keys.line(seed, place, &mut line);
            (place, line)
        };
        keys.places(seed, rows).map(line).collect()
    }

    /// The key as a collation that ignores case compares it.
    fn folded(line: &str) -> String {
        line.split(',').next().unwrap().to_lowercase()
    }

    #[test]
    fn keys_are_ordered_as_places() {
        for keys in ALL {
            let mut lines = lines(keys, 7, 5_000);
            let ascends = lines.is_sorted_by_key(|(place, _)| *place);
            assert_eq!(ascends, !keys.are_shuffled(), "{keys:?}");
            lines.sort_unstable();
            assert!(lines.windows(2).all(|two| folded(&two[0].1) < folded(&two[1].1)), "{keys:?}");
        }
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn neighbours_in_the_file_are_none_in_the_table() {
        for keys in [Keys::Random, Keys::Words] {
            let places: Vec<u64> = keys.places(7, 5_000).collect();
            let ascending = places.windows(2).filter(|two| two[0] < two[1]).count();
            assert!((2_300..2_700).contains(&ascending), "{keys:?}: {ascending}");
        }
    }

    #[test]
    fn a_row_is_as_long_as_it_says() {
        for keys in ALL {
            for (_, line) in lines(keys, 7, 500) {
                let fields: Vec<&str> = line.split(',').collect();
                let [key, n, pad] = fields[..] else { panic!("{line}") };
                assert!(key.len() <= if keys == Keys::Words { 40 } else { 32 }, "{line}");
                assert!(n.parse::<i32>().is_ok() && pad.len() == PAD, "{line}");
            }
        }
        let first_words: BTreeSet<String> =
            lines(Keys::Words, 7, 3_000).iter().map(|(_, line)| line[..1].to_owned()).collect();
        assert!(first_words.contains("a") && first_words.contains("A"), "both cases");
    }

    #[test]
    fn another_seed_gives_other_rows() {
        for keys in ALL {
            assert_ne!(lines(keys, 7, 10), lines(keys, 8, 10), "{keys:?}");
        }
    }

    #[test]
    fn indexes_are_part_of_the_table() {
        let ddl = Keys::Random.columns_ddl(1);
        assert!(ddl.contains("KEY n_1 (n)") && !ddl.contains("pad_2"), "{ddl}");
        assert!(Keys::Words.columns_ddl(2).ends_with("KEY pad_2 (pad(16))"));
    }
}
