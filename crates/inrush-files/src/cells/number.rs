//! Numbers in the shortest spelling that reads back to the same value.

use arrow_buffer::i256;
use inrush_core::value::{INLINE, view};

/// A whole number of units of a decimal.
pub(super) trait Units: Copy {
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
pub(super) fn decimal(units: impl Units, scale: i8, out: &mut Vec<u8>) {
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

/// The view of a decimal with these digits, if there are some before its point and a view holds it.
#[inline]
pub(super) fn decimal_view(digits: &[u8], scale: i8) -> Option<u128> {
    let scale = usize::try_from(scale).ok().filter(|&scale| scale > 0)?;
    let int = digits.len().checked_sub(scale).filter(|&int| int > 0)?;
    // One more of a negative number is its sign, and a sign alone would stand before the point.
    if digits.len() >= INLINE || digits[int - 1] == b'-' {
        return None;
    }
    let bytes = view(digits, 0, 0) >> VIEW_BYTES;
    let before = bytes & ((1 << (8 * int)) - 1);
    let behind = bytes >> (8 * int) << (8 * (int + 1));
    let point = u128::from(b'.') << (8 * int);
    Some((digits.len() + 1) as u128 | (before | point | behind) << VIEW_BYTES)
}

/// Where the bytes begin in a view, in bits.
const VIEW_BYTES: u32 = 32;

/// A DOUBLE; what is no number is written as a word that no check takes for one.
pub(super) fn double(value: f64, out: &mut Vec<u8>) {
    float(zmij::Buffer::new().format(value), out);
}

/// A FLOAT, in as many digits as tell it from its neighbours among the FLOATs.
pub(super) fn single(value: f32, out: &mut Vec<u8>) {
    if value.abs() > NEAR_THE_END {
        // The fewest digits of the last FLOATs are beyond them, and servers read a DOUBLE first.
        return double(value.into(), out);
    }
    float(zmij::Buffer::new().format(value), out);
}

fn float(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// Close to the greatest FLOAT.
const NEAR_THE_END: f32 = 3.4e38;
