//! Numbers in the spelling that the column stores as the same value, as a rule the shortest one.

use arrow_buffer::i256;
use inrush_core::load::ColumnKind;
use inrush_core::value::Value;
use std::io::Write as _;

/// A whole number of units of a decimal.
pub(crate) trait Units: Copy {
    fn write_digits(self, put: impl FnOnce(&str));
}

macro_rules! units {
    ($($native:ty),*) => { $(
        impl Units for $native {
            #[inline]
            fn write_digits(self, put: impl FnOnce(&str)) {
                put(itoa::Buffer::new().format(self));
            }
        }
    )* };
}

units!(i32, i64, i128);

impl Units for i256 {
    fn write_digits(self, put: impl FnOnce(&str)) {
        put(&self.to_string());
    }
}

/// `12345` of scale 2 is `123.45`, of scale -2 it is `1234500`.
pub(crate) fn decimal(units: impl Units, scale: i8, out: &mut Vec<u8>) {
    units.write_digits(|digits| {
        let unsigned = digits.strip_prefix('-').unwrap_or(digits);
        if unsigned.len() < digits.len() {
            out.push(b'-');
        }
        let scale = i16::from(scale);
        if scale <= 0 {
            out.extend_from_slice(unsigned.as_bytes());
            if unsigned != "0" {
                out.extend(std::iter::repeat_n(b'0', scale.unsigned_abs().into()));
            }
            return;
        }
        let scale = scale as usize;
        match unsigned.len().checked_sub(scale).filter(|&int| int > 0) {
            Some(int) => {
                out.extend_from_slice(&unsigned.as_bytes()[..int]);
                out.push(b'.');
                out.extend_from_slice(&unsigned.as_bytes()[int..]);
            }
            None => {
                out.extend_from_slice(b"0.");
                out.extend(std::iter::repeat_n(b'0', scale - unsigned.len()));
                out.extend_from_slice(unsigned.as_bytes());
            }
        }
    });
}

/// The view of a whole number, if it is one of up to ten digits.
#[inline]
pub(crate) fn int_view(value: i64) -> Option<u128> {
    let number = value.unsigned_abs();
    if number < EIGHT_DIGITS {
        let (digits, len) = digits(number, 1);
        return Some(signed(value < 0, digits.into(), len));
    }
    let (head, tail) = (number / EIGHT_DIGITS, eight_digits(number % EIGHT_DIGITS) | ZEROS);
    (head < 100).then(|| {
        let (head, len) = digits(head, 1);
        signed(value < 0, u128::from(head) | u128::from(tail) << (8 * len), len + 8)
    })
}

/// The view of as many units of a decimal, if they have up to eight digits and an ordinary scale.
#[inline]
pub(crate) fn decimal_view(units: i64, scale: i8) -> Option<u128> {
    let number = units.unsigned_abs();
    let scale = usize::try_from(scale).ok().filter(|scale| ORDINARY_SCALES.contains(scale))?;
    (number < EIGHT_DIGITS).then(|| {
        let (digits, len) = digits(number, scale + 1);
        let at = 8 * (len - scale);
        let (before, behind) = (digits & ((1 << at) - 1), digits >> at);
        let bytes = u128::from(before | u64::from(b'.') << at) | u128::from(behind) << (at + 8);
        signed(units < 0, bytes, len + 1)
    })
}

/// The view of up to twelve bytes, the first one lowest, a sign among them.
#[inline]
fn signed(is_negative: bool, bytes: u128, len: usize) -> u128 {
    match is_negative {
        false => len as u128 | bytes << VIEW_BYTES,
        true => (len + 1) as u128 | (bytes << 8 | u128::from(b'-')) << VIEW_BYTES,
    }
}

/// The digits of a number of up to eight digits, the first one lowest, and their count; leading zeros make it `at_least` so many. All are
/// computed at once, not one pair after the other (docs/notes/load-speed.md).
#[inline]
fn digits(number: u64, at_least: usize) -> (u64, usize) {
    let digits = eight_digits(number);
    // A bit in the last place that must stay.
    let left_out = (digits | 1 << (64 - 8 * at_least)).trailing_zeros() as usize / 8;
    ((digits | ZEROS) >> (8 * left_out), 8 - left_out)
}

/// The values of eight digits, the first one lowest: halves are divided in parallel until each byte has one digit.
#[inline]
fn eight_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    // A hundredth and a tenth, exact for what is below 10000 and 100.
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let pairs = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((pairs - 10 * tens) << 8)
}

const EIGHT_DIGITS: u64 = 100_000_000;
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// A digit before the point, and the digits after it, are at most eight.
const ORDINARY_SCALES: std::ops::Range<usize> = 1..8;

/// Where the bytes begin in a view, in bits.
const VIEW_BYTES: u32 = 32;

/// A DOUBLE; a value that is not a number is written as a word that fails every check.
///
/// It is what a server stores of the same number when it is bound. In a whole number that is each of its digits: the shortest ones that are
/// read as the same DOUBLE are those of another whole number beyond 2^53. In a text, and in bytes, it is the server's own spelling.
pub(crate) fn double(value: f64, kind: ColumnKind, out: &mut Vec<u8>) {
    match kind {
        ColumnKind::Integer | ColumnKind::Bits if (BEYOND_SHORTEST..BEYOND_ALL).contains(&value.abs()) => {
            out.extend_from_slice(itoa::Buffer::new().format(value as i128).as_bytes());
        }
        ColumnKind::Text | ColumnKind::Bytes if value.is_finite() => {
            // Writing to memory does not fail.
            let _ = write!(out, "{}", Value::Double(value));
        }
        _ => float(zmij::Buffer::new().format(value), out),
    }
}

/// A FLOAT, in the digits that distinguish it from its neighbours among the FLOATs; for columns that hold more, all of its digits.
pub(crate) fn single(value: f32, kind: ColumnKind, out: &mut Vec<u8>) {
    // The shortest texts of the greatest FLOATs are above them, and servers read a DOUBLE first.
    if value.abs() > NEAR_THE_END || matches!(kind, ColumnKind::Integer | ColumnKind::Bits | ColumnKind::Double) {
        return double(value.into(), kind, out);
    }
    if matches!(kind, ColumnKind::Text | ColumnKind::Bytes) {
        let _ = write!(out, "{}", Value::Float(value));
        return;
    }
    float(zmij::Buffer::new().format(value), out);
}

fn float(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// 2^53: all whole numbers below are DOUBLEs.
const BEYOND_SHORTEST: f64 = 9_007_199_254_740_992.0;
/// 2^64: no column holds a whole number from there on.
const BEYOND_ALL: f64 = 18_446_744_073_709_551_616.0;
/// Close to the greatest FLOAT.
const NEAR_THE_END: f32 = 3.4e38;

#[cfg(test)]
mod tests {
    use super::*;
    use inrush_core::column::view;

    /// Each writer gives the same text.
    #[track_caller]
    fn check(value: i64) {
        let size = value.unsigned_abs();
        let known = (size < 100 * EIGHT_DIGITS).then(|| view(value.to_string().as_bytes(), 0, 0));
        assert_eq!(int_view(value), known, "{value}");
        for scale in [-1, 0, 1, 2, 5, 7, 8] {
            let mut text = Vec::new();
            decimal(value, scale, &mut text);
            let viewed = (size < EIGHT_DIGITS && (1..8).contains(&scale)).then(|| view(&text, 0, 0));
            assert_eq!(decimal_view(value, scale), viewed, "{value} of scale {scale}");
        }
    }

    #[test]
    fn a_view_has_the_digits() {
        for power in (0..18).map(|n| 10i64.pow(n)) {
            for value in [power - 1, power, power + 1, 2 * power + 7, 9 * power] {
                [value, -value].into_iter().for_each(check);
            }
        }
        [i64::MIN, i64::MAX].into_iter().for_each(check);
        (0..200_000).for_each(|n: i64| check((n * 7_919 + n * n * 104_729) % 11_000_000_000));
    }
}
