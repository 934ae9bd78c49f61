//! Scalar values as text: a function for each type, chosen once for an array.

use super::{moment, number};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use inrush_core::error::{Error, Result};
use inrush_core::load::ColumnKind;

/// Writes the value of a row that is not NULL.
pub(super) type Writer<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

/// Whether `writer` writes it.
pub(super) fn is_scalar(ty: &DataType) -> bool {
    matches!(
        ty,
        DataType::Float16
            | DataType::Float32
            | DataType::Float64
            | DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
            | DataType::Date32
            | DataType::Date64
            | DataType::Timestamp(..)
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Duration(_)
            | DataType::Interval(_)
    )
}

/// Writes the values of an array of scalars for a column of this kind.
pub(super) fn writer(array: &dyn Array, kind: ColumnKind) -> Result<Writer<'_>> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    macro_rules! values {
        ($ty:ty, |$value:ident, $out:ident| $write:expr) => {{
            let values = array.as_primitive::<$ty>().values();
            Box::new(move |row: usize, $out: &mut Vec<u8>| {
                let $value = values[row];
                $write
            })
        }};
    }
    Ok(match array.data_type().clone() {
        DataType::Float16 => values!(Float16Type, |value, out| number::single(value.to_f32(), kind, out)),
        DataType::Float32 => values!(Float32Type, |value, out| number::single(value, kind, out)),
        DataType::Float64 => values!(Float64Type, |value, out| number::double(value, kind, out)),
        DataType::Decimal32(_, scale) => values!(Decimal32Type, |value, out| number::decimal(value, scale, out)),
        DataType::Decimal64(_, scale) => values!(Decimal64Type, |value, out| number::decimal(value, scale, out)),
        DataType::Decimal128(_, scale) => values!(Decimal128Type, |value, out| number::decimal(value, scale, out)),
        DataType::Decimal256(_, scale) => values!(Decimal256Type, |value, out| number::decimal(value, scale, out)),
        DataType::Date32 => values!(Date32Type, |value, out| moment::date(value.into(), out)),
        DataType::Date64 => values!(Date64Type, |value, out| moment::date_of_millis(value, out)),
        DataType::Timestamp(unit, zone) => {
            let zoned = zone.is_some();
            match unit {
                Second => values!(TimestampSecondType, |value, out| moment::moment(value, unit, zoned, out)),
                Millisecond => values!(TimestampMillisecondType, |value, out| moment::moment(value, unit, zoned, out)),
                Microsecond => values!(TimestampMicrosecondType, |value, out| moment::moment(value, unit, zoned, out)),
                Nanosecond => values!(TimestampNanosecondType, |value, out| moment::moment(value, unit, zoned, out)),
            }
        }
        DataType::Time32(Second) => values!(Time32SecondType, |value, out| moment::span(value.into(), Second, out)),
        DataType::Time32(_) => {
            values!(Time32MillisecondType, |value, out| moment::span(value.into(), Millisecond, out))
        }
        DataType::Time64(Nanosecond) => {
            values!(Time64NanosecondType, |value, out| moment::span(value, Nanosecond, out))
        }
        DataType::Time64(_) => values!(Time64MicrosecondType, |value, out| moment::span(value, Microsecond, out)),
        DataType::Duration(unit) => match unit {
            Second => values!(DurationSecondType, |value, out| moment::span(value, unit, out)),
            Millisecond => values!(DurationMillisecondType, |value, out| moment::span(value, unit, out)),
            Microsecond => values!(DurationMicrosecondType, |value, out| moment::span(value, unit, out)),
            Nanosecond => values!(DurationNanosecondType, |value, out| moment::span(value, unit, out)),
        },
        DataType::Interval(IntervalUnit::YearMonth) => {
            values!(IntervalYearMonthType, |value, out| interval(value, 0, 0, out))
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            values!(IntervalDayTimeType, |value, out| interval(
                0,
                value.days,
                i64::from(value.milliseconds) * 1_000_000,
                out
            ))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            values!(IntervalMonthDayNanoType, |value, out| interval(value.months, value.days, value.nanoseconds, out))
        }
        ty => return Err(unknown(&ty)),
    })
}

/// The error for a type that came with a later version of Arrow.
pub(super) fn unknown(ty: &DataType) -> Error {
    Error::config(format!("the servers have no type for {ty}")).with_hint("leave the field out: `--columns a,b,@skip`")
}

/// `P1M2DT0.5S`: servers have no interval columns, so it is sent as text.
fn interval(months: i32, days: i32, nanos: i64, out: &mut Vec<u8>) {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    let mut fraction = format!(".{:09}", nanos % 1_000_000_000);
    fraction.truncate(fraction.trim_end_matches(['0', '.']).len());
    let seconds = nanos / 1_000_000_000;
    out.extend_from_slice(format!("P{months}M{days}DT{sign}{seconds}{fraction}S").as_bytes());
}

/// `123e4567-e89b-12d3-a456-426614174000`.
pub(super) fn uuid(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push(b'-');
        }
        hex(*byte, &mut text);
    }
    text
}

/// Two digits.
pub(super) fn hex(byte: u8, out: &mut Vec<u8>) {
    out.extend([byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
}
