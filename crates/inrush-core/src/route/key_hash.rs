//! The hash of KEY partitions (ALGORITHM = 2): `Field::hash` of the servers, over the bytes in which a row holds the value.
//!
//! Numbers, YEAR and in MySQL DATE are hashed by the rules of latin1_swedish_ci, as if their bytes were letters; all else as bytes. From the servers'
//! sources (`sql_partition.cc`, `my_hash_sort_simple`, `my_hash_sort_bin`); compared with where servers put rows by the test `partition_oracle`.

use crate::column::order::latin1_swedish_weights;

/// The hash of a row's key while its values are added.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyHash {
    first: u64,
    second: u64,
}

impl KeyHash {
    pub(super) fn new() -> Self {
        Self { first: 1, second: 4 }
    }

    pub(super) fn null(&mut self) {
        self.first ^= (self.first << 1) | 1;
    }

    /// BINARY, VARBINARY.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.add(*byte));
    }

    /// What a row holds of a number or a moment.
    pub(super) fn stored(&mut self, bytes: &[u8]) {
        let blanks = bytes.iter().rev().take_while(|byte| **byte == b' ').count();
        let weights = latin1_swedish_weights();
        bytes[..bytes.len() - blanks].iter().for_each(|byte| self.add(weights[usize::from(*byte)]));
    }

    #[inline]
    fn add(&mut self, weight: u8) {
        let mixed = (self.first & 63).wrapping_add(self.second).wrapping_mul(weight.into());
        self.first ^= mixed.wrapping_add(self.first << 8);
        self.second = self.second.wrapping_add(3);
    }

    /// The servers keep 32 bits.
    pub(super) fn finish(self) -> u32 {
        self.first as u32
    }
}
