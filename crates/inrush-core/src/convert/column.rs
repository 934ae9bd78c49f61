//! One column of values to be sent, wherever it lies: in a slice, in an Arrow array, or as one value for all rows.
//!
//! A cell is read when its row is asked for; nothing is copied before, except for decimals, which are written down once a column.
//! One enum over the common types, and cells of many rows are read at once, a column after the other: what kind they are is then
//! asked once in many rows (docs/notes/binding.md).

use arrow_array::{
    BinaryArray, BinaryViewArray, Float16Array, LargeBinaryArray, LargeStringArray, StringArray, StringViewArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::TimeUnit;
use jiff::tz::TimeZone;
use std::fmt;
use std::iter::{StepBy, Zip};
use std::ops::Range;
use std::slice::IterMut;
use std::sync::Arc;

use crate::convert::Bounds;
use crate::convert::put_value::{self, Block};
use crate::wire::value::{Date, DateTime, Time};
use crate::wire::{ParamType, Value};

/// Evaluates an expression with `$read` as the way from a row to its value, `None` if it cannot be sent: one instance of the
/// expression for each kind of cells. Rows that are NULL are not to be read.
macro_rules! with_reader {
    ($cells:expr, $read:ident => $do:expr) => {
        match $cells {
            Cells::Values(values) => with_reader!(@ $read, $do, |row| Some(values.value(row))),
            Cells::Constant(value) => with_reader!(@ $read, $do, |_| Some(*value)),
            Cells::Scalar(value) => with_reader!(@ $read, $do, |_| Some(value.value())),
            Cells::Null => with_reader!(@ $read, $do, |_| Some(Value::Null)),
            Cells::Bool(bits) => with_reader!(@ $read, $do, |row| Some(Value::Int(bits.value(row).into()))),
            Cells::Int8(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row].into()))),
            Cells::Int16(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row].into()))),
            Cells::Int32(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row].into()))),
            Cells::Int64(n) => with_reader!(@ $read, $do, |row| Some(Value::Int(n[row]))),
            Cells::UInt8(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row].into()))),
            Cells::UInt16(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row].into()))),
            Cells::UInt32(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row].into()))),
            Cells::UInt64(n) => with_reader!(@ $read, $do, |row| Some(Value::UInt(n[row]))),
            Cells::Float16(n) => with_reader!(@ $read, $do, |row| Some(Value::Float(n.value(row).to_f32()))),
            Cells::Float32(n) => with_reader!(@ $read, $do, |row| Some(Value::Float(n[row]))),
            Cells::Float64(n) => with_reader!(@ $read, $do, |row| Some(Value::Double(n[row]))),
            Cells::Utf8(texts) => with_reader!(@ $read, $do, |row| Some(Value::Text(texts.value(row)))),
            Cells::LargeUtf8(texts) => with_reader!(@ $read, $do, |row| Some(Value::Text(texts.value(row)))),
            Cells::Utf8View(texts) => with_reader!(@ $read, $do, |row| Some(Value::Text(texts.value(row)))),
            Cells::Binary(bytes) => with_reader!(@ $read, $do, |row| Some(Value::Bytes(bytes.value(row)))),
            Cells::LargeBinary(bytes) => with_reader!(@ $read, $do, |row| Some(Value::Bytes(bytes.value(row)))),
            Cells::BinaryView(bytes) => with_reader!(@ $read, $do, |row| Some(Value::Bytes(bytes.value(row)))),
            Cells::FixedSize { bytes, width } => {
                with_reader!(@ $read, $do, |row| Some(Value::Bytes(&bytes[row * width..(row + 1) * width])))
            }
            Cells::Vectors { numbers, ends } => with_reader!(@ $read, $do, |row| {
                Some(Value::Bytes(&numbers[4 * ends.at(row)..4 * ends.at(row + 1)]))
            }),
            Cells::Written { text, ends } => {
                with_reader!(@ $read, $do, |row| Some(Value::Text(&text[ends[row]..ends[row + 1]])))
            }
            Cells::Day(days) => {
                with_reader!(@ $read, $do, |row| Date::from_days_since_epoch(days[row]).map(Value::Date))
            }
            Cells::DayInMillis(millis) => with_reader!(@ $read, $do, |row| day_of_millis(millis[row]).map(Value::Date)),
            Cells::Moment(n, unit) => with_reader!(@ $read, $do, |row| {
                micros(n[row], *unit).and_then(DateTime::from_micros_since_epoch).map(Value::DateTime)
            }),
            Cells::Instant(n, unit, zone) => with_reader!(@ $read, $do, |row| {
                micros(n[row], *unit).and_then(|micros| civil(micros, zone)).map(Value::DateTime)
            }),
            Cells::TimeOfDay32(n, unit) => {
                with_reader!(@ $read, $do, |row| time_of_day(n[row].into(), *unit).map(Value::Time))
            }
            Cells::TimeOfDay64(n, unit) => with_reader!(@ $read, $do, |row| time_of_day(n[row], *unit).map(Value::Time)),
            Cells::Span(n, unit) => with_reader!(@ $read, $do, |row| {
                micros(n[row], *unit).and_then(Time::from_micros).map(Value::Time)
            }),
            Cells::Indexed { keys, column } => with_reader!(@ $read, $do, |row| column.value(keys.at(row))),
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
pub struct Column<'a> {
    cells: Cells<'a>,
    nulls: Option<NullBuffer>,
    /// `None`: one value for as many rows as there are.
    n_rows: Option<usize>,
}

impl<'a> Column<'a> {
    /// What cannot be sent, and why: said when a statement is to be sent with it.
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

    /// Cells that are NULL whatever lies in their places.
    pub(crate) fn with_nulls(self, nulls: Option<&NullBuffer>) -> Self {
        Self { nulls: nulls.filter(|nulls| nulls.null_count() > 0).cloned(), ..self }
    }

    /// How many values there are; `None` for one that stands for all rows.
    pub fn n_rows(&self) -> Option<usize> {
        self.n_rows
    }

    /// Why it cannot be sent at all, and what to do about it.
    pub(crate) fn refusal(&self) -> Option<(&str, Option<&'static str>)> {
        match &self.cells {
            Cells::Refused { why, hint } => Some((why, *hint)),
            Cells::Indexed { column, .. } => column.refusal(),
            _ => None,
        }
    }

    /// The same column, with what all rows have in common looked up.
    pub(crate) fn bound<'s>(&'s self) -> Column<'s> {
        match &self.cells {
            Cells::Scalar(value) => Column { cells: Cells::Constant(value.value()), nulls: None, n_rows: None },
            _ => self.clone(),
        }
    }

    /// The value of a row; `None` if it is one that cannot be sent: see [`Column::why`].
    pub(crate) fn value(&self, row: usize) -> Option<Value<'_>> {
        match self.is_null(row) {
            true => Some(Value::Null),
            false => with_reader!(&self.cells, read => read(row)),
        }
    }

    /// Puts the values of some rows into every so many-th slot. What the cells are is asked once, not for each of them.
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
        if let (Cells::Moment(n, unit), None, Some((micros_within, fine))) = (&self.cells, &self.nulls, bounds.micros())
        {
            let is_within =
                |n| micros(n, *unit).is_some_and(|n| micros_within.contains(&n) && (fine || n % 1_000_000 == 0));
            return n[rows.clone()].iter().position(|n| !is_within(*n)).unwrap_or(rows.len());
        }
        with_reader!(&self.cells, read => self.n_held(read, rows, bounds))
    }

    #[inline(always)]
    fn n_held<'s>(&self, read: impl Fn(usize) -> Option<Value<'s>>, rows: Range<usize>, bounds: &Bounds) -> usize {
        // A copy that nothing else can change, so that its kind is looked at once.
        let bounds = bounds.clone();
        let is_out = |row| match self.is_null(row) {
            true => !bounds.holds(&Value::Null),
            false => !read(row).is_some_and(|value| bounds.holds(&value)),
        };
        rows.clone().position(is_out).unwrap_or(rows.len())
    }

    /// Adds what the value of each row takes in a sheet. False: one of them is not usual.
    pub(crate) fn measure<const HEAD: usize>(&self, rows: Range<usize>, ty: ParamType, lengths: &mut [usize]) -> bool {
        let rows = rows.zip(lengths);
        match &self.cells {
            // Whether it is a moment at all shows when it is put.
            Cells::Moment(n, unit) => self.measure_with::<HEAD>(
                |row| {
                    let micros = micros(n[row], *unit)?.rem_euclid(1_000_000);
                    Some(Value::DateTime(DateTime { micros: micros as u32, ..DateTime::default() }))
                },
                rows,
                ty,
            ),
            cells => with_reader!(cells, read => self.measure_with::<HEAD>(read, rows, ty)),
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

    /// Puts the value of each row where it begins in the block, and moves that to its end. False: one of them is not usual.
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
            Cells::Day(days) => format!("day {} after 1970-01-01 is not between the years 0 and 9999", days[row]),
            Cells::DayInMillis(millis) => {
                format!("{} ms after 1970-01-01 is not a whole day between the years 0 and 9999", millis[row])
            }
            Cells::Moment(n, unit) | Cells::Instant(n, unit, _) => {
                why_not(n[row], *unit, "a moment between the years 0 and 9999, after 1970-01-01")
            }
            Cells::TimeOfDay32(n, unit) => why_not(n[row].into(), *unit, "a time of day"),
            Cells::TimeOfDay64(n, unit) => why_not(n[row], *unit, "a time of day"),
            Cells::Span(n, unit) => why_not(n[row], *unit, "a TIME"),
            Cells::Indexed { keys, column } => column.why(keys.at(row)),
            _ => "it cannot be sent".to_owned(),
        }
    }
}

impl fmt::Debug for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("n_rows", &self.n_rows).finish_non_exhaustive()
    }
}

/// Where the values lie.
#[derive(Clone)]
pub(crate) enum Cells<'a> {
    /// Of any type that has no variant of its own: a call a cell.
    Values(Arc<dyn Values + 'a>),
    Scalar(Arc<dyn Scalar + 'a>),
    /// A scalar that is bound.
    Constant(Value<'a>),
    Null,
    Bool(&'a BooleanBuffer),
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt8(&'a [u8]),
    UInt16(&'a [u16]),
    UInt32(&'a [u32]),
    UInt64(&'a [u64]),
    Float16(&'a Float16Array),
    Float32(&'a [f32]),
    Float64(&'a [f64]),
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    FixedSize {
        bytes: &'a [u8],
        width: usize,
    },
    /// Lists of f32, whose bytes are what a VECTOR holds.
    Vectors {
        numbers: &'a [u8],
        ends: Index<'a>,
    },
    /// Texts that were made for it: one behind the other, each from its end in `ends` to the next.
    Written {
        text: Arc<str>,
        ends: Arc<[usize]>,
    },
    Day(&'a [i32]),
    DayInMillis(&'a [i64]),
    Moment(&'a [i64], TimeUnit),
    /// As a clock in the zone shows it.
    Instant(&'a [i64], TimeUnit, TimeZone),
    TimeOfDay32(&'a [i32], TimeUnit),
    TimeOfDay64(&'a [i64], TimeUnit),
    Span(&'a [i64], TimeUnit),
    /// Each row has the value of another column at its key.
    Indexed {
        keys: Index<'a>,
        column: Arc<Column<'a>>,
    },
    Refused {
        why: Arc<str>,
        hint: Option<&'static str>,
    },
}

/// Numbers that are none below zero: keys, offsets.
#[derive(Clone)]
pub(crate) enum Index<'a> {
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt8(&'a [u8]),
    UInt16(&'a [u16]),
    UInt32(&'a [u32]),
    UInt64(&'a [u64]),
    Owned(Arc<[usize]>),
}

impl Index<'_> {
    #[inline]
    fn at(&self, row: usize) -> usize {
        match self {
            Self::Int8(n) => n[row] as usize,
            Self::Int16(n) => n[row] as usize,
            Self::Int32(n) => n[row] as usize,
            Self::Int64(n) => n[row] as usize,
            Self::UInt8(n) => n[row].into(),
            Self::UInt16(n) => n[row].into(),
            Self::UInt32(n) => n[row] as usize,
            Self::UInt64(n) => n[row] as usize,
            Self::Owned(n) => n[row],
        }
    }
}

/// Tells the compiler what kind of function it is.
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

/// `None` if it has a fraction of one, or is too large.
#[inline]
fn micros(n: i64, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Second => n.checked_mul(1_000_000),
        TimeUnit::Millisecond => n.checked_mul(1_000),
        TimeUnit::Microsecond => Some(n),
        TimeUnit::Nanosecond => (n % 1_000 == 0).then_some(n / 1_000),
    }
}

#[inline]
fn time_of_day(n: i64, unit: TimeUnit) -> Option<Time> {
    let micros = micros(n, unit)?;
    (0..86_400_000_000).contains(&micros).then(|| Time::from_micros(micros))?
}

fn day_of_millis(millis: i64) -> Option<Date> {
    let days = (millis % 86_400_000 == 0).then_some(millis / 86_400_000)?;
    Date::from_days_since_epoch(days.try_into().ok()?)
}

/// What a clock in the zone shows at an instant.
fn civil(micros: i64, zone: &TimeZone) -> Option<DateTime> {
    let instant = jiff::Timestamp::from_microsecond(micros).ok()?;
    let offset = zone.to_offset(instant).seconds();
    DateTime::from_micros_since_epoch(micros.checked_add(i64::from(offset) * 1_000_000)?)
}

fn why_not(n: i64, unit: TimeUnit, what: &str) -> String {
    let (short, is_finer) = match unit {
        TimeUnit::Second => ("s", false),
        TimeUnit::Millisecond => ("ms", false),
        TimeUnit::Microsecond => ("us", false),
        TimeUnit::Nanosecond => ("ns", n % 1_000 != 0),
    };
    match is_finer {
        true => format!("{n} ns has a fraction of a microsecond, which no column holds"),
        false => format!("{n} {short} is not {what}"),
    }
}
