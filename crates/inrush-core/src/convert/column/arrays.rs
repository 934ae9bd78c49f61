//! Cells of Arrow arrays, as far as they are not slices of numbers: the feature `arrow`. Without it `no_arrays.rs` is in this place.

use arrow_array::{
    BinaryArray, BinaryViewArray, Float16Array, LargeBinaryArray, LargeStringArray, StringArray, StringViewArray,
};
use arrow_buffer::BooleanBuffer;
pub(crate) use arrow_buffer::NullBuffer as Nulls;
use arrow_schema::TimeUnit;
use jiff::tz::TimeZone;
use std::ops::Range;
use std::sync::Arc;

use super::BoundColumn;
use crate::value::{Date, Time};

/// See `with_reader`.
macro_rules! with_array_reader {
    ($cells:expr, $read:ident => $do:expr) => {{
        use $crate::convert::column::arrays::{self, ArrayCells};
        use $crate::zone::clock;
        use $crate::value::{Date, DateTime, Time, Value};
        match $cells {
            ArrayCells::Bool(bits) => with_reader!(@ $read, $do, |row| Some(Value::Int(bits.value(row).into()))),
            ArrayCells::Float16(n) => with_reader!(@ $read, $do, |row| Some(Value::Float(n.value(row).to_f32()))),
            ArrayCells::Utf8(texts) => with_reader!(@ $read, $do, |row| Some(Value::Text(texts.value(row)))),
            ArrayCells::LargeUtf8(texts) => with_reader!(@ $read, $do, |row| Some(Value::Text(texts.value(row)))),
            ArrayCells::Utf8View(texts) => with_reader!(@ $read, $do, |row| Some(Value::Text(texts.value(row)))),
            ArrayCells::Binary(bytes) => with_reader!(@ $read, $do, |row| Some(Value::Bytes(bytes.value(row)))),
            ArrayCells::LargeBinary(bytes) => with_reader!(@ $read, $do, |row| Some(Value::Bytes(bytes.value(row)))),
            ArrayCells::BinaryView(bytes) => with_reader!(@ $read, $do, |row| Some(Value::Bytes(bytes.value(row)))),
            ArrayCells::FixedSize { bytes, width } => {
                with_reader!(@ $read, $do, |row| Some(Value::Bytes(&bytes[row * width..(row + 1) * width])))
            }
            ArrayCells::Vectors { numbers, ends } => with_reader!(@ $read, $do, |row| {
                Some(Value::Bytes(&numbers[4 * ends.at(row)..4 * ends.at(row + 1)]))
            }),
            ArrayCells::Written { text, ends } => {
                with_reader!(@ $read, $do, |row| Some(Value::Text(&text[ends[row]..ends[row + 1]])))
            }
            ArrayCells::Day(days) => {
                with_reader!(@ $read, $do, |row| Date::from_days_since_epoch(days[row]).map(Value::Date))
            }
            ArrayCells::DayInMillis(millis) => {
                with_reader!(@ $read, $do, |row| arrays::day_of_millis(millis[row]).map(Value::Date))
            }
            ArrayCells::Moment(moments) => with_reader!(@ $read, $do, |row| {
                moments.micros(row).and_then(DateTime::from_micros_since_epoch).map(Value::DateTime)
            }),
            ArrayCells::Instant(instants, zone) => with_reader!(@ $read, $do, |row| {
                instants.micros(row).and_then(|micros| clock(micros, zone)).map(Value::DateTime)
            }),
            ArrayCells::TimeOfDay32(n, unit) => {
                with_reader!(@ $read, $do, |row| arrays::time_of_day(n[row].into(), *unit).map(Value::Time))
            }
            ArrayCells::TimeOfDay64(n, unit) => {
                with_reader!(@ $read, $do, |row| arrays::time_of_day(n[row], *unit).map(Value::Time))
            }
            ArrayCells::Span(spans) => with_reader!(@ $read, $do, |row| {
                spans.micros(row).and_then(Time::from_micros).map(Value::Time)
            }),
            ArrayCells::Indexed { keys, column } => with_reader!(@ $read, $do, |row| column.value(keys.at(row))),
        }
    }};
}
pub(super) use with_array_reader;

/// Where the values are stored.
#[derive(Clone)]
pub(crate) enum ArrayCells<'a> {
    Bool(&'a BooleanBuffer),
    Float16(&'a Float16Array),
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
    /// Texts that were made for it: one after the other, each from its end in `ends` to the next.
    Written {
        text: Arc<str>,
        ends: Arc<[usize]>,
    },
    Day(&'a [i32]),
    DayInMillis(&'a [i64]),
    Moment(Moments<'a>),
    /// As a clock in the zone shows it.
    Instant(Moments<'a>, TimeZone),
    TimeOfDay32(&'a [i32], TimeUnit),
    TimeOfDay64(&'a [i64], TimeUnit),
    Span(Moments<'a>),
    /// Each row has the value of another column at its key.
    Indexed {
        keys: Index<'a>,
        column: Arc<BoundColumn<'a>>,
    },
}

impl ArrayCells<'_> {
    /// Those of timestamps without a zone.
    #[inline]
    pub(super) fn moments(&self) -> Option<Moments<'_>> {
        match self {
            Self::Moment(moments) => Some(*moments),
            _ => None,
        }
    }

    pub(super) fn refusal(&self) -> Option<(&str, Option<&'static str>)> {
        match self {
            Self::Indexed { column, .. } => column.refusal(),
            _ => None,
        }
    }

    /// What is wrong with the value of a row.
    #[cold]
    pub(super) fn why(&self, row: usize) -> String {
        match self {
            Self::Day(days) => format!("day {} after 1970-01-01 is not between the years 0 and 9999", days[row]),
            Self::DayInMillis(millis) => {
                format!("{} ms after 1970-01-01 is not a whole day between the years 0 and 9999", millis[row])
            }
            Self::Moment(Moments { n, unit }) | Self::Instant(Moments { n, unit }, _) => {
                why_not(n[row], *unit, "a moment between the years 0 and 9999, after 1970-01-01")
            }
            Self::TimeOfDay32(n, unit) => why_not(n[row].into(), *unit, "a time of day"),
            Self::TimeOfDay64(n, unit) => why_not(n[row], *unit, "a time of day"),
            Self::Span(Moments { n, unit }) => why_not(n[row], *unit, "a TIME"),
            Self::Indexed { keys, column } => column.why(keys.at(row)),
            _ => "it cannot be sent".to_owned(),
        }
    }
}

impl BoundColumn<'_> {
    /// Sets the NULLs: these cells are NULL whatever their places hold.
    pub(crate) fn with_nulls(self, nulls: Option<&Nulls>) -> Self {
        Self { nulls: nulls.filter(|nulls| nulls.null_count() > 0).cloned(), ..self }
    }
}

/// Numbers of a unit of time.
#[derive(Clone, Copy)]
pub(crate) struct Moments<'a> {
    pub(crate) n: &'a [i64],
    pub(crate) unit: TimeUnit,
}

impl Moments<'_> {
    /// The microseconds of a row; `None` if it has a fraction of one, or is too large.
    #[inline(always)]
    pub(super) fn micros(&self, row: usize) -> Option<i64> {
        micros(self.n[row], self.unit)
    }

    /// How many of the rows, from the first on, have microseconds that are within.
    #[inline]
    pub(super) fn n_within(&self, rows: Range<usize>, is_within: impl Fn(i64) -> bool) -> usize {
        let is_out = |n: &i64| !micros(*n, self.unit).is_some_and(&is_within);
        self.n[rows.clone()].iter().position(is_out).unwrap_or(rows.len())
    }
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
    pub(super) fn at(&self, row: usize) -> usize {
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
pub(super) fn time_of_day(n: i64, unit: TimeUnit) -> Option<Time> {
    let micros = micros(n, unit)?;
    (0..86_400_000_000).contains(&micros).then(|| Time::from_micros(micros))?
}

pub(super) fn day_of_millis(millis: i64) -> Option<Date> {
    let days = (millis % 86_400_000 == 0).then_some(millis / 86_400_000)?;
    Date::from_days_since_epoch(days.try_into().ok()?)
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
