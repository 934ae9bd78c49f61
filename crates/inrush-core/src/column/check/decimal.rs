//! DECIMAL(p,s): at most p-s digits before the point, at most s after it. A server would round more digits after the point with
//! only a note; they are bad unless they are zeros.

use super::number::{self, Number};
use super::{CellValidator, Short, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct DecimalValidator {
    int_digits: usize,
    scale: usize,
    unsigned: bool,
}

impl DecimalValidator {
    pub(super) fn new(precision: u8, scale: u8, unsigned: bool) -> Self {
        Self { int_digits: precision.saturating_sub(scale).into(), scale: scale.into(), unsigned }
    }

    /// A whole number by its sign and its size.
    pub(super) fn int(&self, negative: bool, size: u64) -> Verdict {
        let n_digits = size.checked_ilog10().map_or(0, |log| log as usize + 1);
        if n_digits > self.int_digits || (self.unsigned && negative) { Verdict::Bad(Why::Range) } else { Verdict::Keep }
    }

    /// Whether a FLOAT, which a server converts to a DOUBLE first, gives the same number as its own digits, rounded to the
    /// column's.
    pub(super) fn rounds_alike(&self, n: f32) -> bool {
        let rounded = |n: f64| format!("{n:.*}", self.scale);
        n.to_string().parse().is_ok_and(|shortest| rounded(shortest) == rounded(n.into()))
    }

    /// Whether it keeps all decimals with at most this many digits before and after the point.
    pub(super) fn accepts_all(&self, int_digits: usize, scale: usize, negative: bool) -> bool {
        int_digits <= self.int_digits && scale <= self.scale && !(self.unsigned && negative)
    }

    #[cold]
    fn validate_uncommon(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let Some(number) = Number::parse(number::trim(cell)) else { return Verdict::Bad(Why::Shape) };
        if number.int_digits() > self.int_digits as u64 || (self.unsigned && number.negative && !number.is_zero()) {
            return Verdict::Bad(Why::Range);
        }
        if number.scale() > self.scale as u64 {
            return Verdict::Bad(Why::Fraction);
        }
        number.write_plain(out);
        Verdict::Rewrite
    }
}

impl CellValidator for DecimalValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let unsigned = match cell {
            [b'-', rest @ ..] if !self.unsigned => rest,
            _ => cell,
        };
        let int = number::digit_run(unsigned);
        if int == 0 || int > self.int_digits {
            return self.validate_uncommon(cell, out);
        }
        match &unsigned[int..] {
            [] => Verdict::Keep,
            [b'.', fraction @ ..]
                if !fraction.is_empty() && fraction.len() <= self.scale && number::all_digits(fraction) =>
            {
                Verdict::Keep
            }
            _ => self.validate_uncommon(cell, out),
        }
    }

    #[inline]
    fn accepts_short(&self, cell: Short) -> bool {
        cell.number().is_some_and(|(int, fraction)| int <= self.int_digits && fraction <= self.scale)
    }
}
