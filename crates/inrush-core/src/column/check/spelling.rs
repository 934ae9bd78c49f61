//! Checks the spelling of cells in a column that was created for a file. The type was detected from a sample. A cell after the
//! sample that would have led to another type is bad: an INT would store `00123` as 123, without any warning. A column that the
//! user created promises nothing: there a number may be spelt in any way.

use super::shape::{CellShape, ends_in_zero};
use super::short::Short;
use super::{CellValidator, Task, Verdict, Why};
use crate::column::ColumnType;

/// The spelling that a type keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    /// Whole numbers: no zeros or `+` in front, no point, no exponent.
    Whole,
    /// `true`, `false`, 0 and 1.
    Truth,
    /// Numbers without an exponent, and with at most so many digits after the point.
    Decimal {
        scale: usize,
    },
    /// Numbers that a DOUBLE gives back: all their digits, and no zero at the end.
    Double,
    /// Dates, times and both, as [`CellShape`] knows them.
    Date,
    Time,
    DateTime,
    /// UUIDs that a UUID column gives back.
    Uuid,
    /// Objects and arrays.
    Document,
}

impl Promise {
    /// The promise for a type that is detected from a sample; `None`: the type keeps any text.
    pub(super) fn of(ty: &ColumnType) -> Option<Self> {
        Some(match ty {
            ColumnType::Int { bool: true, .. } => Self::Truth,
            ColumnType::Int { .. } => Self::Whole,
            ColumnType::Decimal { scale: 0, .. } => Self::Whole,
            ColumnType::Decimal { scale, .. } => Self::Decimal { scale: (*scale).into() },
            ColumnType::Double { .. } => Self::Double,
            ColumnType::Date => Self::Date,
            ColumnType::Time { .. } => Self::Time,
            ColumnType::DateTime { .. } => Self::DateTime,
            ColumnType::Uuid => Self::Uuid,
            ColumnType::Json => Self::Document,
            _ => return None,
        })
    }

    fn is_kept_by(self, cell: &[u8]) -> bool {
        match (self, CellShape::of(cell)) {
            (Self::Whole, CellShape::Int(_))
            | (Self::Truth, CellShape::Boolean | CellShape::Int(0 | 1))
            | (Self::Decimal { .. }, CellShape::Int(_))
            | (Self::Date, CellShape::Date)
            | (Self::Time, CellShape::Time { .. })
            | (Self::DateTime, CellShape::Date | CellShape::DateTime { .. })
            | (Self::Uuid, CellShape::Uuid { stays: true })
            | (Self::Document, CellShape::Document) => true,
            (Self::Decimal { scale: most }, CellShape::Point { scale, .. }) => scale <= most,
            (Self::Double, shape @ (CellShape::Int(_) | CellShape::Point { .. } | CellShape::Exponent { .. })) => {
                shape.survives_double(cell) && !ends_in_zero(cell)
            }
            _ => false,
        }
    }

    /// Whether a cell that the validator keeps by its fast check (digits, or digits around a point) keeps its spelling.
    #[inline(always)]
    fn is_kept_by_short(self, cell: Short) -> bool {
        match self {
            Self::Whole | Self::Decimal { .. } => !cell.has_leading_zero(),
            Self::Double => {
                let ends_in_zero = cell.ends_in(b'0') && cell.number().is_some_and(|(_, fraction)| fraction > 1);
                !cell.has_leading_zero() && !ends_in_zero
            }
            _ => false,
        }
    }

    /// Whether the validator itself keeps only values that the server returns unchanged.
    fn is_that_of_the_judge(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::DateTime)
    }
}

/// Runs a task with a validator that keeps spellings as well.
pub(super) struct Keeping<T> {
    pub(super) task: T,
    pub(super) promise: Promise,
}

impl<T: Task> Task for Keeping<T> {
    type Done = T::Done;

    fn with(self, validator: &impl CellValidator, is_text: bool) -> T::Done {
        self.task.with(&Spelt { validator, promise: self.promise }, is_text)
    }
}

struct Spelt<'a, J> {
    validator: &'a J,
    promise: Promise,
}

impl<J: CellValidator> CellValidator for Spelt<'_, J> {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match self.validator.validate(cell, out) {
            Verdict::Keep if self.promise.is_that_of_the_judge() => Verdict::Keep,
            Verdict::Bad(why) => Verdict::Bad(why),
            verdict if self.promise.is_kept_by(cell) => verdict,
            _ => Verdict::Bad(Why::Spelling),
        }
    }

    #[inline]
    fn accepts_short(&self, cell: Short) -> bool {
        self.validator.accepts_short(cell) && self.promise.is_kept_by_short(cell)
    }
}
