//! FLOAT and DOUBLE: any number in their range. These types round to the nearest float; a number that would become 0 or infinity
//! is bad.

use super::number::{self, Number};
use super::{CellValidator, Short, Verdict, Why};
use crate::convert::bounds::Within;

#[derive(Clone, Debug)]
pub(super) struct FloatValidator {
    max: f64,
    single: bool,
    unsigned: bool,
    digits: Option<(u8, u8)>,
}

impl FloatValidator {
    pub(super) fn single(unsigned: bool, digits: Option<(u8, u8)>) -> Self {
        Self { max: f32::MAX.into(), single: true, unsigned, digits }
    }

    pub(super) fn double(unsigned: bool, digits: Option<(u8, u8)>) -> Self {
        Self { max: f64::MAX, single: false, unsigned, digits }
    }

    /// Whether the column surely takes the number, rounded to the nearest one it has.
    #[inline]
    pub(super) fn holds(&self, value: f64) -> bool {
        let in_range = value.abs() <= self.max && (value.is_sign_positive() || !self.unsigned) && self.digits.is_none();
        in_range && (value == 0.0 || !self.single || value as f32 != 0.0)
    }

    pub(super) fn within(&self) -> Option<Within> {
        let Self { max, single, unsigned, digits } = *self;
        digits.is_none().then_some(Within::Double { max, unsigned, single })
    }

    #[cold]
    fn validate_uncommon(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let text = number::trim(cell);
        let Some(number) = Number::parse(text) else { return Verdict::Bad(Why::Shape) };
        // A number is ASCII, and Rust reads every form that `Number` reads.
        let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f64>().ok()).unwrap_or(f64::NAN);
        if value.abs() > self.max || value.is_nan() || (self.unsigned && value < 0.0) {
            return Verdict::Bad(Why::Range);
        }
        let stored = if self.single { f64::from(value as f32) } else { value };
        if !number.is_zero() && stored == 0.0 {
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
        if number.is_zero() && self.unsigned {
            out.push(b'0');
        } else {
            number.write_json(text, out);
        }
        Verdict::Rewrite
    }
}

impl CellValidator for FloatValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        // Without an exponent, 30 characters cannot leave the range of a FLOAT.
        if self.digits.is_none() && cell.len() <= 30 && is_plain(cell) && !(self.unsigned && cell[0] == b'-') {
            return Verdict::Keep;
        }
        self.validate_uncommon(cell, out)
    }

    #[inline]
    fn accepts_short(&self, cell: Short) -> bool {
        self.digits.is_none() && cell.number().is_some()
    }
}

/// `12` or `-12.5`, at least one digit on each side of a point.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let int = number::digit_run(unsigned);
    match &unsigned[int..] {
        [] => int > 0,
        [b'.', fraction @ ..] => int > 0 && !fraction.is_empty() && number::digit_run(fraction) == fraction.len(),
        _ => false,
    }
}
