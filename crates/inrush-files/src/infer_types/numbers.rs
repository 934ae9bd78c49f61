//! The numbers and truth values of a column: the type that holds all of them without a change. Those of several files come to one type as
//! if they were of one file.

use super::DECIMAL_DIGITS;
use inrush_core::column::ColumnType;
use inrush_core::column::check::{CellShape, ends_in_zero};

/// What a sample shows of a column's numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    ints: u64,
    points: u64,
    exponents: u64,
    /// Exponents that may be codes (`1E5`).
    code_exponents: u64,
    booleans: u64,
    min: i128,
    max: i128,
    int_digits: usize,
    /// Digits after the point: the minimum and the maximum.
    scales: Option<(usize, usize)>,
    /// A DOUBLE would lose digits of some value.
    beyond_double: bool,
    /// A DOUBLE would lose zeros at the end of some value.
    ends_in_zero: bool,
}

impl Numbers {
    /// Counts a cell of this shape, if it is a number or a truth value.
    pub(super) fn note(&mut self, shape: CellShape, cell: &[u8], texts_are_marked: bool) {
        match shape {
            CellShape::Int(value) => {
                self.ints += 1;
                (self.min, self.max) = (self.min.min(value), self.max.max(value));
                let digits = value.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1);
                self.int_digits = self.int_digits.max(digits);
            }
            CellShape::Point { int_digits, scale, .. } => {
                self.points += 1;
                self.int_digits = self.int_digits.max(int_digits);
                let (least, most) = self.scales.unwrap_or((scale, scale));
                self.scales = Some((least.min(scale), most.max(scale)));
                self.ends_in_zero |= ends_in_zero(cell);
            }
            CellShape::Exponent { may_be_code } => {
                self.exponents += 1;
                self.code_exponents += u64::from(may_be_code && !texts_are_marked);
            }
            CellShape::Boolean => self.booleans += 1,
            _ => return,
        }
        self.beyond_double |= shape != CellShape::Boolean && !shape.survives_double(cell);
    }

    /// Combines the numbers of two files.
    pub(super) fn and(&self, other: &Numbers) -> Numbers {
        let scales = match (self.scales, other.scales) {
            (Some((least, most)), Some((other_least, other_most))) => {
                Some((least.min(other_least), most.max(other_most)))
            }
            (one, other) => one.or(other),
        };
        Numbers {
            ints: self.ints + other.ints,
            points: self.points + other.points,
            exponents: self.exponents + other.exponents,
            code_exponents: self.code_exponents + other.code_exponents,
            booleans: self.booleans + other.booleans,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            int_digits: self.int_digits.max(other.int_digits),
            scales,
            beyond_double: self.beyond_double || other.beyond_double,
            ends_in_zero: self.ends_in_zero || other.ends_in_zero,
        }
    }

    /// The least and the greatest whole number; `None` if there is none.
    pub(crate) fn ints(&self) -> Option<(i128, i128)> {
        (self.ints > 0).then_some((self.min, self.max))
    }

    /// The most digits before and after the point; `None` if no number is written in digits alone.
    pub(crate) fn digits(&self) -> Option<(usize, usize)> {
        (self.ints + self.points > 0).then_some((self.int_digits, self.scales.map_or(0, |(_, most)| most)))
    }

    /// How many cells were counted.
    pub(super) fn count(&self) -> u64 {
        self.ints + self.points + self.exponents + self.booleans
    }

    /// Whether all exponents may be codes, and nothing has a point: `1E5` among whole numbers.
    pub(super) fn may_be_codes(&self) -> bool {
        self.exponents > 0 && self.code_exponents == self.exponents && self.points == 0
    }

    /// Whether a DOUBLE would lose zeros only.
    pub(super) fn loses_zeros_only(&self) -> bool {
        !self.beyond_double
    }

    /// The type that holds all of them; `None`: a text does.
    pub(super) fn ty(&self) -> Option<ColumnType> {
        let of_numbers = self.ints + self.points + self.exponents;
        let is_bit = (0..=1).contains(&self.min) && (0..=1).contains(&self.max);
        match () {
            () if self.count() == 0 || self.may_be_codes() => None,
            () if self.ints == self.count() => Some(self.int()),
            () if of_numbers == self.count() => self.point(),
            () if self.booleans + self.ints == self.count() && is_bit => {
                Some(ColumnType::Int { bytes: 1, unsigned: false, bool: true })
            }
            () => None,
        }
    }

    /// INT at least, because a sample has the first rows, which have small numbers.
    fn int(&self) -> ColumnType {
        let int = |bytes, unsigned| ColumnType::Int { bytes, unsigned, bool: false };
        if i32::try_from(self.min).is_ok() && i32::try_from(self.max).is_ok() {
            int(4, false)
        } else if i64::try_from(self.min).is_ok() && i64::try_from(self.max).is_ok() {
            int(8, false)
        } else if u64::try_from(self.min).is_ok() && u64::try_from(self.max).is_ok() {
            int(8, true)
        } else {
            // A number of 20 to 38 digits is a code rather than a quantity.
            ColumnType::Decimal { precision: DECIMAL_DIGITS, scale: 0, unsigned: false }
        }
    }

    /// Money has the same two to four digits after each point; all other numbers are measurements, and DOUBLE holds any scale, unless it
    /// would lose digits, or zeros at their end.
    fn point(&self) -> Option<ColumnType> {
        let decimal = |scale: usize| {
            let precision = (self.int_digits + scale).max(18);
            (precision <= DECIMAL_DIGITS.into() && scale <= 30).then_some(ColumnType::Decimal {
                precision: precision as u8,
                scale: scale as u8,
                unsigned: false,
            })
        };
        let is_exact = !self.beyond_double && !self.ends_in_zero;
        let double = || is_exact.then_some(ColumnType::Double { unsigned: false, digits: None });
        match self.scales {
            Some((least, most)) if least == most && (2..=4).contains(&most) && self.points == self.count() => {
                decimal(most).or_else(double)
            }
            scales if !is_exact && self.exponents == 0 => decimal(scales.map_or(0, |(_, most)| most)),
            _ => double(),
        }
    }
}
