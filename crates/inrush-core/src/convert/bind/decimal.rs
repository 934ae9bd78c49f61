//! Decimals as text, digit for digit, a column at once: one memory for all of them.

use arrow_array::types::DecimalType;
use arrow_array::{Array, PrimitiveArray};
use arrow_buffer::i256;

use crate::convert::column::arrays::ArrayCells;

/// Writes down all that are not NULL.
pub(super) fn written<'a, T: DecimalType>(array: &PrimitiveArray<T>, scale: i8) -> ArrayCells<'a>
where
    T::Native: Units,
{
    let mut text = String::with_capacity(array.len() * ROOM);
    let mut ends = Vec::with_capacity(array.len() + 1);
    ends.push(0);
    for (row, units) in array.values().iter().enumerate() {
        if !array.is_null(row) {
            units.digits(|digits| put(digits, scale, &mut text));
        }
        ends.push(text.len());
    }
    ArrayCells::Written { text: text.into(), ends: ends.into() }
}

/// A whole number of units of a decimal's last digit.
pub(super) trait Units {
    /// Its digits, with a sign if it is below zero.
    fn digits(&self, put: impl FnOnce(&str));
}

macro_rules! units {
    ($($ty:ty),*) => { $(
        impl Units for $ty {
            fn digits(&self, put: impl FnOnce(&str)) {
                put(itoa::Buffer::new().format(*self));
            }
        }
    )* };
}

units!(i32, i64, i128);

impl Units for i256 {
    fn digits(&self, put: impl FnOnce(&str)) {
        match self.to_i128() {
            Some(units) => units.digits(put),
            None => put(&self.to_string()),
        }
    }
}

/// `-5` with a scale of 2 is `-0.05`; with one of -2 it is `-500`.
fn put(digits: &str, scale: i8, out: &mut String) {
    let digits = match digits.strip_prefix('-') {
        Some(digits) => {
            out.push('-');
            digits
        }
        None => digits,
    };
    let zeros = |n: usize, out: &mut String| (0..n).for_each(|_| out.push('0'));
    let n_behind = usize::from(scale.max(0).unsigned_abs());
    if n_behind == 0 {
        out.push_str(digits);
        if digits != "0" {
            zeros(usize::from(scale.unsigned_abs()), out);
        }
        return;
    }
    let (before, behind) = digits.split_at(digits.len().saturating_sub(n_behind));
    out.push_str(if before.is_empty() { "0" } else { before });
    out.push('.');
    zeros(n_behind - behind.len(), out);
    out.push_str(behind);
}

/// A guess at the length of one.
const ROOM: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(units: impl Units, scale: i8, want: &str) {
        let mut out = String::new();
        units.digits(|digits| put(digits, scale, &mut out));
        assert_eq!(out, want);
    }

    #[test]
    fn whole() {
        check(0, 0, "0");
        check(-12, 0, "-12");
        check(i32::MIN, 0, "-2147483648");
    }
    #[test]
    fn with_a_fraction() {
        check(0, 2, "0.00");
        check(5, 2, "0.05");
        check(-5, 2, "-0.05");
        check(-1250_i64, 2, "-12.50");
        check(i128::MAX, 38, "1.70141183460469231731687303715884105727");
    }
    #[test]
    fn with_more_than_128_bits() {
        check(i256::from_i128(-1), 1, "-0.1");
        let large = i256::from_i128(i128::MAX).wrapping_mul(i256::from_i128(1000));
        check(large, 3, "170141183460469231731687303715884105727.000");
        check(large.wrapping_neg(), 50, "-0.00000000170141183460469231731687303715884105727000");
    }
    #[test]
    fn of_hundreds() {
        check(-5, -2, "-500");
        check(0, -2, "0");
    }
}
