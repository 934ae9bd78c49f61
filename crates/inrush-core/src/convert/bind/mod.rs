//! Arrow arrays and record batches as values to be sent: by name for `:name`, by position for `?`.
//!
//! | Arrow | sent as |
//! |---|---|
//! | Null | NULL |
//! | Boolean, Int8 .. Int64 | signed integer |
//! | UInt8 .. UInt64 | unsigned integer |
//! | Float16, Float32; Float64 | FLOAT; DOUBLE |
//! | Decimal32 .. Decimal256 | text, digit for digit |
//! | Utf8, LargeUtf8, Utf8View | text |
//! | Binary, LargeBinary, BinaryView, FixedSizeBinary | bytes |
//! | Date32, Date64 | DATE |
//! | Timestamp without a zone | DATETIME |
//! | Timestamp with a zone | DATETIME as a clock in the zone of [`InZone`] shows it |
//! | Time32, Time64, Duration | TIME |
//! | FixedSizeList, List, LargeList of Float32 | bytes of a VECTOR |
//! | Dictionary, RunEndEncoded | their values |
//!
//! A field's name or metadata changes nothing: `arrow.uuid` is FixedSizeBinary(16) and is sent as 16 bytes, as a BINARY(16)
//! stores it. A value that would lose something is an error of the row: nanoseconds that are no whole microseconds, years beyond
//! 0 to 9999. All other types are refused by name before anything is sent.

mod decimal;
mod nested;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    GenericByteArray, GenericByteViewArray, GenericListArray, NullArray, OffsetSizeTrait, PrimitiveArray, RecordBatch,
    RunArray,
};
use arrow_schema::{DataType, TimeUnit};
use jiff::tz::TimeZone;

use crate::convert::column::Cells;
use crate::convert::column::arrays::{ArrayCells, Moments};
use crate::convert::columns::{BoundColumns, IntoColumn, places};
use crate::convert::{BoundColumn, BoxedRows, Rows};
use crate::error::Result;

/// Writes instants (timestamps with a zone) as a clock in a zone shows them, which should be the session's `time_zone`.
///
/// In a zone with summer time, the clock shows the same for two instants during one hour a year; in UTC it never does.
///
/// ```
/// # use inrush_core::convert::bind::InZone;
/// # use inrush_core::convert::Rows;
/// # use jiff::tz::TimeZone;
/// # fn write(rows: &dyn Rows) {}
/// # fn example(batch: &arrow_array::RecordBatch) {
/// write(&InZone(batch, TimeZone::UTC));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct InZone<T>(pub T, pub TimeZone);

/// Columns by the names of their fields, or by position. Each needs its placeholder: `RecordBatch::project` leaves others out.
impl Rows for RecordBatch {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        bind(self, names, n_params, None)
    }
}

impl Rows for InZone<&RecordBatch> {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        bind(self.0, names, n_params, Some(&self.1))
    }
}

fn bind<'a>(
    batch: &'a RecordBatch,
    names: &[Box<str>],
    n_params: usize,
    zone: Option<&TimeZone>,
) -> Result<BoxedRows<'a>> {
    let known: Vec<&str> = batch.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
    let places = places(&known, names, n_params)?;
    let columns = places.into_iter().map(|i| (name_of(batch, i), column(batch.column(i), zone))).collect();
    Ok(Box::new(BoundColumns::new(columns, Some(batch.num_rows()))?))
}

fn name_of(batch: &RecordBatch, i: usize) -> &str {
    batch.schema_ref().field(i).name()
}

/// The cells of an array of any layout.
pub(crate) fn column<'a>(array: &'a dyn Array, zone: Option<&TimeZone>) -> BoundColumn<'a> {
    let column = match array.data_type() {
        DataType::Dictionary(..) => nested::dictionary(array, zone),
        DataType::RunEndEncoded(..) => nested::runs(array, zone),
        DataType::FixedSizeList(..) | DataType::List(_) | DataType::LargeList(_) => nested::vectors(array),
        DataType::Timestamp(_, Some(_)) if zone.is_none() => return refused_instants(array),
        _ => numbers(array)
            .or_else(|| cells(array, zone).map(Cells::Array))
            .map(|cells| BoundColumn::new(cells, array.len()).with_nulls(array.nulls())),
    };
    column.unwrap_or_else(|| refused(array))
}

/// Those of an array of numbers, which are a slice of Rust's.
fn numbers(array: &dyn Array) -> Option<Cells<'_>> {
    match array.data_type() {
        DataType::Null => Some(Cells::Null),
        DataType::Int8 => primitive::<Int8Type>(array).map(Cells::Int8),
        DataType::Int16 => primitive::<Int16Type>(array).map(Cells::Int16),
        DataType::Int32 => primitive::<Int32Type>(array).map(Cells::Int32),
        DataType::Int64 => primitive::<Int64Type>(array).map(Cells::Int64),
        DataType::UInt8 => primitive::<UInt8Type>(array).map(Cells::UInt8),
        DataType::UInt16 => primitive::<UInt16Type>(array).map(Cells::UInt16),
        DataType::UInt32 => primitive::<UInt32Type>(array).map(Cells::UInt32),
        DataType::UInt64 => primitive::<UInt64Type>(array).map(Cells::UInt64),
        DataType::Float32 => primitive::<Float32Type>(array).map(Cells::Float32),
        DataType::Float64 => primitive::<Float64Type>(array).map(Cells::Float64),
        _ => None,
    }
}

fn cells<'a>(array: &'a dyn Array, zone: Option<&TimeZone>) -> Option<ArrayCells<'a>> {
    match array.data_type() {
        DataType::Boolean => array.as_boolean_opt().map(|a| ArrayCells::Bool(a.values())),
        DataType::Float16 => array.as_primitive_opt().map(ArrayCells::Float16),
        DataType::Utf8 => array.as_string_opt().map(ArrayCells::Utf8),
        DataType::LargeUtf8 => array.as_string_opt().map(ArrayCells::LargeUtf8),
        DataType::Utf8View => array.as_string_view_opt().map(ArrayCells::Utf8View),
        DataType::Binary => array.as_binary_opt().map(ArrayCells::Binary),
        DataType::LargeBinary => array.as_binary_opt().map(ArrayCells::LargeBinary),
        DataType::BinaryView => array.as_binary_view_opt().map(ArrayCells::BinaryView),
        DataType::FixedSizeBinary(_) => array
            .as_fixed_size_binary_opt()
            .map(|a| ArrayCells::FixedSize { bytes: a.value_data(), width: a.value_size() }),
        DataType::Decimal32(_, scale) => array.as_primitive_opt::<Decimal32Type>().map(|a| decimal::written(a, *scale)),
        DataType::Decimal64(_, scale) => array.as_primitive_opt::<Decimal64Type>().map(|a| decimal::written(a, *scale)),
        DataType::Decimal128(_, scale) => {
            array.as_primitive_opt::<Decimal128Type>().map(|a| decimal::written(a, *scale))
        }
        DataType::Decimal256(_, scale) => {
            array.as_primitive_opt::<Decimal256Type>().map(|a| decimal::written(a, *scale))
        }
        DataType::Date32 => primitive::<Date32Type>(array).map(ArrayCells::Day),
        DataType::Date64 => primitive::<Date64Type>(array).map(ArrayCells::DayInMillis),
        DataType::Timestamp(unit, None) => timestamps(array, *unit).map(ArrayCells::Moment),
        DataType::Timestamp(unit, Some(_)) => {
            timestamps(array, *unit).zip(zone).map(|(moments, zone)| ArrayCells::Instant(moments, zone.clone()))
        }
        DataType::Time32(unit) => match unit {
            TimeUnit::Second => primitive::<Time32SecondType>(array),
            _ => primitive::<Time32MillisecondType>(array),
        }
        .map(|n| ArrayCells::TimeOfDay32(n, *unit)),
        DataType::Time64(unit) => match unit {
            TimeUnit::Nanosecond => primitive::<Time64NanosecondType>(array),
            _ => primitive::<Time64MicrosecondType>(array),
        }
        .map(|n| ArrayCells::TimeOfDay64(n, *unit)),
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => primitive::<DurationSecondType>(array),
            TimeUnit::Millisecond => primitive::<DurationMillisecondType>(array),
            TimeUnit::Microsecond => primitive::<DurationMicrosecondType>(array),
            TimeUnit::Nanosecond => primitive::<DurationNanosecondType>(array),
        }
        .map(|n| ArrayCells::Span(Moments { n, unit: *unit })),
        _ => None,
    }
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
    array.as_primitive_opt::<T>().map(|array| &**array.values())
}

fn timestamps(array: &dyn Array, unit: TimeUnit) -> Option<Moments<'_>> {
    let n = match unit {
        TimeUnit::Second => primitive::<TimestampSecondType>(array),
        TimeUnit::Millisecond => primitive::<TimestampMillisecondType>(array),
        TimeUnit::Microsecond => primitive::<TimestampMicrosecondType>(array),
        TimeUnit::Nanosecond => primitive::<TimestampNanosecondType>(array),
    };
    n.map(|n| Moments { n, unit })
}

fn refused<'a>(array: &dyn Array) -> BoundColumn<'a> {
    let hint = match array.data_type() {
        DataType::Interval(_) => "a TIME takes a Duration",
        DataType::Struct(_) => "give each of its fields as a column, or all as JSON text",
        _ => "cast it to a type that a column has, such as JSON text",
    };
    BoundColumn::refused(format!("nothing that a server knows is a {}", array.data_type()), Some(hint))
}

fn refused_instants<'a>(array: &dyn Array) -> BoundColumn<'a> {
    let why = format!("a {} is an instant, and servers take what a clock shows", array.data_type());
    BoundColumn::refused(why, Some("`InZone(&batch, zone)` says in which zone; give it the session's `time_zone`"))
}

macro_rules! arrays {
    ($([$($generics:tt)*] $array:ty),* $(,)?) => { $(
        impl<'c, $($generics)*> IntoColumn<'c> for &'c $array {
            fn into_column(self) -> BoundColumn<'c> {
                column(self, None)
            }
        }

        impl<'c, $($generics)*> IntoColumn<'c> for InZone<&'c $array> {
            fn into_column(self) -> BoundColumn<'c> {
                column(self.0, Some(&self.1))
            }
        }
    )* };
}

arrays! {
    [] dyn Array,
    [] ArrayRef,
    [] NullArray,
    [] BooleanArray,
    [] FixedSizeBinaryArray,
    [] FixedSizeListArray,
    [T: ArrowPrimitiveType] PrimitiveArray<T>,
    [T: ByteArrayType] GenericByteArray<T>,
    [T: ByteViewType + ?Sized] GenericByteViewArray<T>,
    [O: OffsetSizeTrait] GenericListArray<O>,
    [K: ArrowDictionaryKeyType] DictionaryArray<K>,
    [R: RunEndIndexType] RunArray<R>,
}

#[cfg(test)]
mod tests;
