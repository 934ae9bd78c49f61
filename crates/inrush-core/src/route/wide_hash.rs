//! The hash of PolarDB-X (databases in AUTO mode), whose partitions by HASH and KEY are ranges of it: 64 bits, and not a remainder.
//!
//! It begins like the hash of MySQL's KEY partitions and ends with MurmurHash3. The rules are those of the server's sources
//! (`polardbx-optimizer`, `partition/pruning`); what the server's own tests expect is in the tests below. It was never compared with a server.

use crate::column::order::latin1_swedish_weights;

/// The hash of a row's key while its values are added.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideHash {
    first: u64,
    second: u64,
}

impl WideHash {
    pub(super) fn new() -> Self {
        Self { first: 1, second: 4 }
    }

    pub(super) fn null(&mut self) {
        self.first ^= (self.first << 1) | 1;
    }

    /// A whole number of a column's own width, the lowest byte first. Its bytes are folded as if they were letters of latin1_swedish_ci.
    pub(super) fn number(&mut self, bytes: &[u8]) {
        self.cut();
        let blanks = bytes.iter().rev().take_while(|byte| **byte == b' ').count();
        let weights = latin1_swedish_weights();
        bytes[..bytes.len() - blanks].iter().for_each(|byte| self.add(weights[usize::from(*byte)]));
    }

    /// The weights of a text in utf8mb4_general_ci, which are characters too.
    pub(super) fn text(&mut self, weights: &str) {
        self.cut();
        for weight in weights.trim_end_matches(' ').chars().map(u32::from) {
            let [low, middle, high, _] = weight.to_le_bytes();
            self.add(low);
            self.add(middle);
            if high > 0 {
                self.add(high);
            }
        }
    }

    /// A moment as InnoDB stores it, the highest byte first. Here bytes have a sign, and the product is cut to its lowest byte.
    pub(super) fn moment(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let signed = i64::from(*byte as i8) as u64;
            let mixed = (self.first & 63).wrapping_add(self.second).wrapping_mul(signed) & 0xff;
            self.first ^= mixed.wrapping_add(self.first << 8);
            self.second = self.second.wrapping_add(3);
        }
    }

    /// The server keeps the least and the largest number for bounds.
    pub(super) fn finish(self) -> i64 {
        (murmur(self.first) as i64).clamp(i64::MIN + 1, i64::MAX - 1)
    }

    /// Numbers and texts are hashed from the lowest 32 bits on.
    fn cut(&mut self) {
        self.first &= u64::from(u32::MAX);
        self.second &= u64::from(u32::MAX);
    }

    #[inline]
    fn add(&mut self, weight: u8) {
        let mixed = (self.first & 63).wrapping_add(self.second).wrapping_mul(weight.into());
        self.first ^= mixed.wrapping_add(self.first << 8);
        self.second = self.second.wrapping_add(3);
    }
}

/// The first half of MurmurHash3 (x64, 128 bits, seed 0) of the eight bytes of a number.
fn murmur(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x87c3_7b91_1142_53d5).rotate_left(31).wrapping_mul(0x4cf5_ad43_2745_937f);
    // Both halves are combined with the length.
    let (mut low, mut high) = (mixed ^ 8, 8_u64);
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    finish(low).wrapping_add(finish(high))
}

fn finish(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ bits >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ bits >> 33
}

/// The bounds of a new table's `n` partitions: a hash below the first one is in the first partition.
pub(super) fn even_bounds(n: usize) -> Vec<i64> {
    let n = n.max(1) as i128;
    let width = 2 * (i128::from(i64::MAX) / n);
    (0..n).rev().map(|above| (i128::from(i64::MAX) - above * width) as i64).collect()
}

/// Of the hashes and partitions that the server's own tests expect (polardbx-sql, `polardbx-test/src/test/resources/partition/env`:
/// `PartitionTablePartRouteTest`, `PartitionTablePruningTest`, `PartitionTableTest`) all those of partitions by HASH and KEY.
#[cfg(test)]
mod tests {
    use super::*;

    /// A value as a column holds it.
    enum Is<'a> {
        Null,
        Long(u64),
        Int(u32),
        Text(&'a str),
        Moment(u64, u64, u64, [u64; 3]),
        /// A TIMESTAMP: the seconds since 1970 in four bytes.
        Instant(u32),
    }
    use Is::{Instant, Int, Long, Moment, Null, Text};

    fn hash(values: &[Is<'_>]) -> i64 {
        let mut hash = WideHash::new();
        for value in values {
            match *value {
                Null => hash.null(),
                Long(number) => hash.number(&number.to_le_bytes()),
                Int(number) => hash.number(&number.to_le_bytes()),
                Text(text) => hash.text(&text.to_uppercase()),
                Moment(year, month, day, [hour, minute, second]) => {
                    let days = (year * 13 + month) << 5 | day;
                    let packed = (days << 17 | hour << 12 | minute << 6 | second) + (1 << 39);
                    hash.moment(&packed.to_be_bytes()[3..]);
                }
                Instant(seconds) => hash.moment(&seconds.to_be_bytes()),
            }
        }
        hash.finish()
    }

    #[track_caller]
    fn check(values: &[Is<'_>], want: i64) {
        assert_eq!(hash(values), want);
    }

    /// The server counts partitions from 1 on.
    #[track_caller]
    fn check_in(n: usize, values: &[Is<'_>], want: usize) {
        let hash = hash(values);
        assert_eq!(even_bounds(n).iter().position(|bound| hash < *bound), Some(want - 1));
    }

    const NOON_OF_2012: Is<'_> = Moment(2012, 12, 12, [11, 11, 11]);
    const NOON_OF_2014: Is<'_> = Moment(2014, 12, 12, [11, 11, 11]);

    #[test]
    fn texts() {
        check(&[Text("A")], -6301204508261176706);
        check(&[Text("B")], 5644686251539320610);
        check_in(16, &[Text("A")], 3);
        check_in(16, &[Text("B")], 13);
    }

    /// 101 and 200 to 202 have one hash: their lowest bytes are `e` and letters like E.
    #[test]
    fn numbers() {
        check(&[Long(100)], 8273138365905483981);
        check(&[Long(102)], -77186888605717507);
        check_in(16, &[Long(100)], 16);
        check_in(16, &[Long(102)], 8);
        for number in [101, 200, 201, 202] {
            check(&[Long(number)], -6627188659413746981);
            check_in(16, &[Long(number)], 3);
        }
        check_in(4, &[Int(99)], 1);
        check_in(4, &[Int(200)], 4);
        check_in(8, &[Long((1 << 63) + 1)], 1);
        // Those of 1 and 2, and of 3 and 4, the tests name together.
        for (number, part) in [(1, 2), (2, 11), (3, 28), (4, 14), (5, 23), (6, 17)] {
            check_in(32, &[Long(number)], part);
        }
    }

    #[test]
    fn moments() {
        check(&[NOON_OF_2012], 5519846415197951056);
        check(&[NOON_OF_2014], 886354672744048346);
    }

    #[test]
    fn nulls() {
        check_in(64, &[Null], 24);
        check_in(64, &[Null, Null, Null], 47);
        // 2020-12-12 00:00:00 at +08:00.
        check_in(64, &[Null, Instant(1_607_702_400), Long(10_000)], 9);
    }

    #[test]
    fn several_columns() {
        for (number, hash, part) in
            [(100, -84305945870013729, 8), (101, 8368428506638561721, 16), (102, -84305945870013729, 8)]
        {
            check(&[Long(number), NOON_OF_2012, Text("A")], hash);
            check_in(16, &[Long(number), NOON_OF_2012, Text("A")], part);
        }
        for number in [200, 201, 202] {
            check(&[Long(number), NOON_OF_2014, Text("B")], 1024589809683604276);
            check_in(16, &[Long(number), NOON_OF_2014, Text("B")], 9);
        }
        check_in(4, &[Int(10), Text("a"), Moment(2020, 12, 12, [0; 3])], 2);
    }

    #[test]
    fn bounds() {
        assert_eq!(even_bounds(1), [i64::MAX]);
        assert_eq!(even_bounds(2), [1, i64::MAX]);
        let many = even_bounds(8192);
        assert!(many.len() == 8192 && many.windows(2).all(|pair| pair[0] < pair[1]) && many[8191] == i64::MAX);
    }
}
