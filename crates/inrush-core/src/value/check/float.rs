//! FLOAT and DOUBLE: any number in their range. Rounding to the nearest float is what these types are for; a number that
//! would become 0 or infinity is bad.

use super::number::{self, Number};
use super::{Judge, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct FloatJudge {
    max: f64,
    /// The smallest number that does not become 0.
    min: f64,
    unsigned: bool,
    digits: Option<(u8, u8)>,
}

impl FloatJudge {
    pub(super) fn single(unsigned: bool, digits: Option<(u8, u8)>) -> Self {
        Self { max: f32::MAX.into(), min: f32::MIN_POSITIVE.into(), unsigned, digits }
    }

    pub(super) fn double(unsigned: bool, digits: Option<(u8, u8)>) -> Self {
        Self { max: f64::MAX, min: f64::MIN_POSITIVE, unsigned, digits }
    }

    #[cold]
    fn judge_unusual(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let text = number::trim(cell);
        let Some(number) = Number::parse(text) else { return Verdict::Bad(Why::Shape) };
        // A number is ASCII, and Rust reads every shape that `Number` reads.
        let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f64>().ok()).unwrap_or(f64::NAN);
        if value.abs() > self.max || value.is_nan() || (self.unsigned && value < 0.0) {
            return Verdict::Bad(Why::Range);
        }
        if !number.is_zero() && value.abs() < self.min {
            return Verdict::Bad(Why::Underflow);
        }
        if let Some((m, d)) = self.digits {
            if number.int_digits() > m.saturating_sub(d).into() {
                return Verdict::Bad(Why::Range);
            }
            if number.scale() > d.into() {
                return Verdict::Bad(Why::Fraction);
            }
        }
        if text.len() == cell.len() && is_usual(cell) && !(number.is_zero() && number.negative) {
            return Verdict::Keep;
        }
        if number.int_digits() + number.scale() <= PLAIN_DIGITS {
            number.write_plain(out);
        } else {
            out.extend_from_slice(text);
        }
        Verdict::Rewrite
    }
}

impl Judge for FloatJudge {
    #[inline]
    fn judge(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        // Without an exponent, 30 characters cannot leave the range of a FLOAT.
        if self.digits.is_none() && cell.len() <= 30 && is_plain(cell) && !(self.unsigned && cell[0] == b'-') {
            return Verdict::Keep;
        }
        self.judge_unusual(cell, out)
    }
}

/// `12` or `-12.5`, at least one digit on each side of a point.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let mut points = 0;
    let mut others = 0;
    for byte in unsigned {
        points += u32::from(*byte == b'.');
        others += u32::from(!byte.is_ascii_digit());
    }
    points == others
        && points <= 1
        && unsigned.first().is_some_and(u8::is_ascii_digit)
        && unsigned.last() != Some(&b'.')
}

/// The same, with an exponent or not.
fn is_usual(text: &[u8]) -> bool {
    let mantissa = text.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(text.len());
    is_plain(&text[..mantissa])
}

/// A number that is rewritten is written out without an exponent up to so many digits.
const PLAIN_DIGITS: u64 = 40;
