//! YEAR: 1901 to 2155, and 0000. A year of one or two digits is bad: `0` is 2000 as a text and 0000 as a number.

use super::number::{self, Number};
use super::{CellValidator, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct YearValidator;

impl YearValidator {
    /// `0` is the year 0000 for a number, 2000 for a text; so it is sent as neither.
    pub(super) fn uint(&self, year: u64, out: &mut Vec<u8>) -> Verdict {
        match year {
            1901..=2155 => Verdict::Keep,
            0 => {
                out.extend_from_slice(b"0000");
                Verdict::Rewrite
            }
            1..=99 => Verdict::Bad(Why::ShortYear),
            _ => Verdict::Bad(Why::Range),
        }
    }
}

impl CellValidator for YearValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let text = number::trim(cell);
        match (text.len(), number::digits(text)) {
            (_, None) => match Number::parse(text).and_then(Number::to_integer) {
                Some(year @ 1901..=2155) => {
                    out.extend_from_slice(itoa::Buffer::new().format(year).as_bytes());
                    Verdict::Rewrite
                }
                _ => Verdict::Bad(Why::Shape),
            },
            (1..=2, _) => Verdict::Bad(Why::ShortYear),
            (4, Some(0 | 1901..=2155)) if text.len() == cell.len() => Verdict::Keep,
            (4, Some(0 | 1901..=2155)) => {
                out.extend_from_slice(text);
                Verdict::Rewrite
            }
            _ => Verdict::Bad(Why::Range),
        }
    }
}

/// The cells of a column of whole numbers, where `0` is a number.
#[derive(Clone, Debug)]
pub(super) struct NumericYearValidator;

impl CellValidator for NumericYearValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match number::digits(cell) {
            Some(0) => YearValidator.uint(0, out),
            _ => YearValidator.validate(cell, out),
        }
    }
}
