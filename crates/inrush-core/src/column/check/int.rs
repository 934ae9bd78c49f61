//! TINYINT to BIGINT. `1.0` and `1e3` are exact and become `1` and `1000`; `1.7` would be rounded silently and is bad.

use super::number::{self, Number};
use super::{CellValidator, Short, Verdict, Why};
use crate::convert::bounds::Within;

#[derive(Clone, Debug)]
pub(super) struct IntValidator {
    min: i64,
    max: u64,
    bool: bool,
    /// Numbers with at most this many digits are never too large.
    sure_digits: usize,
}

impl IntValidator {
    pub(super) fn new(bytes: u8, unsigned: bool, bool: bool) -> Self {
        let (min, max) = number::range(bytes, unsigned);
        Self { min, max, bool, sure_digits: max.ilog10() as usize }
    }

    #[inline]
    pub(super) fn holds(&self, value: i64) -> bool {
        (self.min..=self.max.min(i64::MAX as u64) as i64).contains(&value)
    }

    pub(super) fn within(&self) -> Within {
        Within::Int { min: self.min, max: self.max }
    }

    pub(super) fn int(&self, value: i64) -> Verdict {
        if self.holds(value) { Verdict::Keep } else { Verdict::Bad(Why::Range) }
    }

    pub(super) fn uint(&self, value: u64) -> Verdict {
        if value <= self.max { Verdict::Keep } else { Verdict::Bad(Why::Range) }
    }

    /// The servers round, and store 0 for what is no number.
    pub(super) fn double(&self, value: f64) -> Verdict {
        if value.is_nan() {
            Verdict::Bad(Why::Shape)
        } else if value.is_finite() && value.fract() != 0.0 {
            Verdict::Bad(Why::Fraction)
        } else if self.fits(value as i128) {
            Verdict::Keep
        } else {
            Verdict::Bad(Why::Range)
        }
    }

    fn fits(&self, value: i128) -> bool {
        i128::from(self.min) <= value && value <= i128::from(self.max)
    }

    #[cold]
    fn validate_uncommon(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let text = number::trim(cell);
        if self.bool
            && let Some(truth) = number::truth(text)
        {
            out.push(b'0' + u8::from(truth));
            return Verdict::Rewrite;
        }
        let Some(number) = Number::parse(text) else { return Verdict::Bad(Why::Shape) };
        if number.scale() > 0 {
            return Verdict::Bad(Why::Fraction);
        }
        match number.to_integer() {
            Some(value) if self.fits(value) => {
                number.write_plain(out);
                Verdict::Rewrite
            }
            _ => Verdict::Bad(Why::Range),
        }
    }
}

impl CellValidator for IntValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let (negative, digits) = match cell {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, cell),
        };
        match number::digits(digits) {
            // `-0` is left to the slow path: not every server takes it into an unsigned column.
            Some(value) if !negative && value <= self.max => Verdict::Keep,
            Some(value) if negative && value != 0 && value <= self.min.unsigned_abs() => Verdict::Keep,
            _ => self.validate_uncommon(cell, out),
        }
    }

    #[inline]
    fn accepts_short(&self, cell: Short) -> bool {
        cell.digits().is_some_and(|n| n <= self.sure_digits)
    }
}
