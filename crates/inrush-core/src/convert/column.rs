//! One column of values to be sent, from any storage: a slice, an Arrow array, or one value for all rows.
//!
//! A cell is read when its row is read. Nothing is copied before, except decimals, which are written once for each column. One
//! enum covers the common types, and cells of many rows are read at once, one column after the other: the kind of a column is
//! then checked once for many rows (docs/notes/binding.md).

#[cfg(feature = "arrow")]
pub(crate) mod arrays;
#[cfg(not(feature = "arrow"))]
#[path = "column/no_arrays.rs"]
mod arrays;

use arrays::{ArrayCells, Nulls, with_array_reader};
use std::fmt;
use std::iter::{StepBy, Zip};
use std::ops::Range;
use std::slice::IterMut;
use std::sync::Arc;

use crate::convert::Bounds;
use crate::convert::put_value::{self, Block};
use crate::value::DateTime;
use crate::value::Value;
use crate::wire::ParamType;

/// Evaluates an expression with `$read` as the function from a row to its value, `None` if it cannot be sent: one instance of the
/// expression for each kind of cells. Rows that are NULL must not be read.
macro_rules! with_reader {
    ($cells:expr, $read:ident => $do:expr) => {
        match $cells {
            Cells::Values(values) => with_reader!(@ $read, $do, |row| Some(values.value(row))),
            Cells::Constant(value) => with_reader!(@ $read, $do, |_| Some(*value)),
            Cells::Scalar(value) => with_reader!(@ $read, $do, |_| Some(value.value())),
            Cells::Null => with_reader!(@ $read, $do, |_| Some(Value::Null)),
            Cells::Int8(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row].into()))),
            Cells::Int16(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row].into()))),
            Cells::Int32(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row].into()))),
            Cells::Int64(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row]))),
            Cells::UInt8(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row].into()))),
            Cells::UInt16(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row].into()))),
            Cells::UInt32(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row].into()))),
            Cells::UInt64(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row]))),
            Cells::Float32(n) => with_reader!(@ $read, $do, |row| Some(Value::Float(n[row]))),
            Cells::Float64(n) => with_reader!(@ $read, $do, |row| Some(Value::Double(n[row]))),
            Cells::Array(array) => with_array_reader!(array, $read => $do),
            Cells::Refused { .. } => with_reader!(@ $read, $do, |_| None),
        }
    };
    (@ $read:ident, $do:expr, $reader:expr) => {{
        let $read = in_row($reader);
        $do
    }};
}

/// The values of one placeholder, one for each row. Made by [`IntoColumn`](crate::convert::IntoColumn).
#[derive(Clone)]
pub struct BoundColumn<'a> {
    cells: Cells<'a>,
    nulls: Option<Nulls>,
    /// `None`: one value for as many rows as there are.
    n_rows: Option<usize>,
}

impl<'a> BoundColumn<'a> {
    /// A column that cannot be sent, and why: reported when a statement is to be sent with it.
    pub(crate) fn refused(why: String, hint: Option<&'static str>) -> Self {
        Self::new(Cells::Refused { why: why.into(), hint }, 0)
    }

    pub(crate) fn new(cells: Cells<'a>, n_rows: usize) -> Self {
        Self { cells, nulls: None, n_rows: Some(n_rows) }
    }

    /// The same cell in all rows.
    pub(crate) fn constant(cells: Cells<'a>) -> Self {
        Self { cells, nulls: None, n_rows: None }
    }

    /// How many values there are; `None` for one value for all rows.
    pub fn n_rows(&self) -> Option<usize> {
        self.n_rows
    }

    /// Why it cannot be sent at all, and what to do about it.
    pub(crate) fn refusal(&self) -> Option<(&str, Option<&'static str>)> {
        match &self.cells {
            Cells::Refused { why, hint } => Some((why, *hint)),
            Cells::Array(array) => array.refusal(),
            _ => None,
        }
    }

    /// The same column, after the lookups that are the same for all rows.
    pub(crate) fn bound<'s>(&'s self) -> BoundColumn<'s> {
        match &self.cells {
            Cells::Scalar(value) => BoundColumn { cells: Cells::Constant(value.value()), nulls: None, n_rows: None },
            _ => self.clone(),
        }
    }

    /// The value of a row; `None` if it is one that cannot be sent: see [`BoundColumn::why`].
    pub(crate) fn value(&self, row: usize) -> Option<Value<'_>> {
        match self.is_null(row) {
            true => Some(Value::Null),
            false => with_reader!(&self.cells, read => read(row)),
        }
    }

    /// Puts the values of some rows into every so many-th slot. The kind of the cells is checked once, not for each of them.
    ///
    /// # Errors
    /// The row whose value cannot be sent.
    pub(crate) fn fill<'s>(&'s self, rows: Range<usize>, slots: &mut [Value<'s>], stride: usize) -> Result<(), usize> {
        let slots = rows.zip(slots.iter_mut().step_by(stride));
        match &self.cells {
            Cells::Values(values) if self.nulls.is_none() => values.fill(slots),
            cells => with_reader!(cells, read => self.fill_with(read, slots))?,
        }
        Ok(())
    }

    #[inline(always)]
    fn fill_with<'o, 's: 'o>(
        &self,
        read: impl Fn(usize) -> Option<Value<'s>>,
        mut slots: impl Iterator<Item = (usize, &'o mut Value<'s>)>,
    ) -> Result<(), usize> {
        let Some(nulls) = &self.nulls else {
            return slots.try_for_each(|(row, slot)| read(row).map(|value| *slot = value).ok_or(row));
        };
        slots.try_for_each(|(row, slot)| {
            let value = if nulls.is_null(row) { Some(Value::Null) } else { read(row) };
            value.map(|value| *slot = value).ok_or(row)
        })
    }

    /// How many of the rows, from the first on, are within the bounds.
    pub(crate) fn n_within(&self, rows: Range<usize>, bounds: &Bounds) -> usize {
        if let (Some(moments), None, Some((micros_within, fine))) = (self.moments(), &self.nulls, bounds.micros()) {
            return moments.n_within(rows, |n| micros_within.contains(&n) && (fine || n % 1_000_000 == 0));
        }
        with_reader!(&self.cells, read => self.n_held(read, rows, bounds))
    }

    #[inline(always)]
    fn n_held<'s>(&self, read: impl Fn(usize) -> Option<Value<'s>>, rows: Range<usize>, bounds: &Bounds) -> usize {
        // A copy that nothing else can change, so that its kind is checked only once.
        let bounds = bounds.clone();
        let is_out = |row| match self.is_null(row) {
            true => !bounds.holds(&Value::Null),
            false => !read(row).is_some_and(|value| bounds.holds(&value)),
        };
        rows.clone().position(is_out).unwrap_or(rows.len())
    }

    /// Adds the bytes that the value of each row takes in a block of rows. Returns `false` if one of them cannot take the fast path.
    pub(crate) fn measure<const HEAD: usize>(&self, rows: Range<usize>, ty: ParamType, lengths: &mut [usize]) -> bool {
        let rows = rows.zip(lengths);
        match self.moments() {
            // Whether it is a moment at all shows when it is put.
            Some(moments) => self.measure_with::<HEAD>(
                |row| {
                    let micros = moments.micros(row)?.rem_euclid(1_000_000);
                    Some(Value::DateTime(DateTime { micros: micros as u32, ..DateTime::default() }))
                },
                rows,
                ty,
            ),
            None => with_reader!(&self.cells, read => self.measure_with::<HEAD>(read, rows, ty)),
        }
    }

    #[inline(always)]
    fn measure_with<'s, 'l, const HEAD: usize>(
        &self,
        read: impl Fn(usize) -> Option<Value<'s>>,
        mut rows: impl Iterator<Item = (usize, &'l mut usize)>,
        ty: ParamType,
    ) -> bool {
        rows.all(|(row, length)| {
            let value = if self.is_null(row) { Some(Value::Null) } else { read(row) };
            let n_bytes = value.and_then(|value| put_value::length::<HEAD>(&value, ty));
            *length += n_bytes.unwrap_or(0);
            n_bytes.is_some()
        })
    }

    /// Puts the value of each row at its position in the block, and moves that position to the value's end. Returns `false` if
    /// one of them cannot take the fast path.
    pub(crate) fn put<const HEAD: usize>(
        &self,
        rows: Range<usize>,
        ty: ParamType,
        block: &mut Block,
        ends: &mut [usize],
        null: impl FnMut(usize),
    ) -> bool {
        let rows = rows.zip(ends);
        with_reader!(&self.cells, read => self.put_with::<HEAD>(read, rows, ty, block, null))
    }

    #[inline(always)]
    fn put_with<'s, 'e, const HEAD: usize>(
        &self,
        read: impl Fn(usize) -> Option<Value<'s>>,
        mut rows: impl Iterator<Item = (usize, &'e mut usize)>,
        ty: ParamType,
        block: &mut Block,
        mut null: impl FnMut(usize),
    ) -> bool {
        rows.all(|(row, end)| {
            let value = if self.is_null(row) { Some(Value::Null) } else { read(row) };
            let at = value.and_then(|value| put_value::put_value::<HEAD>(&value, ty, block, *end, || null(row)));
            *end = at.unwrap_or(*end);
            at.is_some()
        })
    }

    #[inline]
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// What is wrong with the value of a row.
    #[cold]
    pub(crate) fn why(&self, row: usize) -> String {
        match &self.cells {
            Cells::Array(array) => array.why(row),
            _ => "it cannot be sent".to_owned(),
        }
    }

    #[inline]
    fn moments(&self) -> Option<arrays::Moments<'_>> {
        match &self.cells {
            Cells::Array(array) => array.moments(),
            _ => None,
        }
    }
}

impl fmt::Debug for BoundColumn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("n_rows", &self.n_rows).finish_non_exhaustive()
    }
}

/// Where the values are stored.
#[derive(Clone)]
pub(crate) enum Cells<'a> {
    /// Of any type that has no variant of its own: a call a cell.
    Values(Arc<dyn Values + 'a>),
    Scalar(Arc<dyn Scalar + 'a>),
    /// A scalar that is bound.
    Constant(Value<'a>),
    Null,
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt8(&'a [u8]),
    UInt16(&'a [u16]),
    UInt32(&'a [u32]),
    UInt64(&'a [u64]),
    Float32(&'a [f32]),
    Float64(&'a [f64]),
    Array(ArrayCells<'a>),
    Refused {
        why: Arc<str>,
        hint: Option<&'static str>,
    },
}

/// Specifies the function's type for the compiler.
#[inline(always)]
fn in_row<'s, F: Fn(usize) -> Option<Value<'s>>>(read: F) -> F {
    read
}

/// Values of a type that only its owner knows.
pub(crate) trait Values: Send + Sync {
    fn value(&self, row: usize) -> Value<'_>;

    fn fill<'s>(&'s self, slots: Slots<'_, 's>);
}

/// Rows, and where their values go.
pub(crate) type Slots<'o, 's> = Zip<Range<usize>, StepBy<IterMut<'o, Value<'s>>>>;

/// A value of a type that only its owner knows.
pub(crate) trait Scalar: Send + Sync {
    fn value(&self) -> Value<'_>;
}
