//! One growing column of a batch: an Arrow builder for each [`ArrowTarget`], and how a value is appended to it.

use std::fmt::Write as _;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, Decimal256Builder,
    DurationMicrosecondBuilder, Float32Builder, Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder,
    ListBuilder, NullBuilder, StringBuilder, TimestampMicrosecondBuilder, UInt8Builder, UInt16Builder, UInt32Builder,
    UInt64Builder,
};

use super::field::{ArrowTarget, vector_item};
use super::{InvalidDates, Why, decimal};
use crate::value::Value;

/// A growing column.
#[derive(Debug)]
pub(super) struct ArrowColumn {
    builder: Builder,
    nullable: bool,
    /// Whether dates that no calendar has become NULL.
    nulls_dates: bool,
}

#[derive(Debug)]
enum Builder {
    Null(NullBuilder),
    Bool(BooleanBuilder),
    Int8(Int8Builder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    UInt8(UInt8Builder),
    UInt16(UInt16Builder),
    UInt32(UInt32Builder),
    UInt64(UInt64Builder),
    Bits(UInt64Builder),
    Float32(Float32Builder),
    Float64(Float64Builder),
    Decimal128(Decimal128Builder, u8, u8),
    Decimal256(Decimal256Builder, u8, u8),
    Date(Date32Builder),
    Moment(TimestampMicrosecondBuilder),
    Duration(DurationMicrosecondBuilder),
    Utf8(StringBuilder),
    DateText(StringBuilder, u8),
    Binary(BinaryBuilder),
    Vector(ListBuilder<Float32Builder>),
}

impl ArrowColumn {
    pub(super) fn new(target: ArrowTarget, nullable: bool, invalid_dates: InvalidDates) -> Self {
        let ty = target.data_type();
        let builder = match target {
            ArrowTarget::Null => Builder::Null(NullBuilder::new()),
            ArrowTarget::Bool => Builder::Bool(BooleanBuilder::new()),
            ArrowTarget::Int8 => Builder::Int8(Int8Builder::new()),
            ArrowTarget::Int16 => Builder::Int16(Int16Builder::new()),
            ArrowTarget::Int32 => Builder::Int32(Int32Builder::new()),
            ArrowTarget::Int64 => Builder::Int64(Int64Builder::new()),
            ArrowTarget::UInt8 => Builder::UInt8(UInt8Builder::new()),
            ArrowTarget::UInt16 => Builder::UInt16(UInt16Builder::new()),
            ArrowTarget::UInt32 => Builder::UInt32(UInt32Builder::new()),
            ArrowTarget::UInt64 => Builder::UInt64(UInt64Builder::new()),
            ArrowTarget::Bits => Builder::Bits(UInt64Builder::new()),
            ArrowTarget::Float32 => Builder::Float32(Float32Builder::new()),
            ArrowTarget::Float64 => Builder::Float64(Float64Builder::new()),
            ArrowTarget::Decimal128 { precision, scale } => {
                Builder::Decimal128(Decimal128Builder::new().with_data_type(ty), precision, scale)
            }
            ArrowTarget::Decimal256 { precision, scale } => {
                Builder::Decimal256(Decimal256Builder::new().with_data_type(ty), precision, scale)
            }
            ArrowTarget::Date => Builder::Date(Date32Builder::new()),
            ArrowTarget::Moment => Builder::Moment(TimestampMicrosecondBuilder::new()),
            ArrowTarget::Duration => Builder::Duration(DurationMicrosecondBuilder::new()),
            ArrowTarget::Utf8 => Builder::Utf8(StringBuilder::new()),
            ArrowTarget::DateText { decimals } => Builder::DateText(StringBuilder::new(), decimals),
            ArrowTarget::Binary => Builder::Binary(BinaryBuilder::new()),
            ArrowTarget::Vector => Builder::Vector(ListBuilder::new(Float32Builder::new()).with_field(vector_item())),
        };
        Self { builder, nullable, nulls_dates: invalid_dates == InvalidDates::Null }
    }

    /// Appends a cell, or nothing if it is refused.
    pub(super) fn push(&mut self, value: &Value<'_>) -> Result<(), Why> {
        if value.is_null() {
            if !self.nullable {
                return Err(Why::Null);
            }
            self.push_null();
            return Ok(());
        }
        match &mut self.builder {
            Builder::Null(_) => return Err(Why::Shape),
            Builder::Bool(b) => b.append_value(value.bits().ok_or(Why::Shape)? != 0),
            Builder::Int8(b) => b.append_value(signed(value)?),
            Builder::Int16(b) => b.append_value(signed(value)?),
            Builder::Int32(b) => b.append_value(signed(value)?),
            Builder::Int64(b) => b.append_value(signed(value)?),
            Builder::UInt8(b) => b.append_value(unsigned(value)?),
            Builder::UInt16(b) => b.append_value(unsigned(value)?),
            Builder::UInt32(b) => b.append_value(unsigned(value)?),
            Builder::UInt64(b) => b.append_value(unsigned(value)?),
            Builder::Bits(b) => b.append_value(value.bits().ok_or(Why::Shape)?),
            Builder::Float32(b) => b.append_value(float(value)?),
            Builder::Float64(b) => b.append_value(value.as_f64().ok_or(Why::Shape)?),
            Builder::Decimal128(b, precision, scale) => {
                b.append_value(decimal::parse_128(bytes(value)?, *precision, *scale)?);
            }
            Builder::Decimal256(b, precision, scale) => {
                b.append_value(decimal::parse_256(bytes(value)?, *precision, *scale)?);
            }
            Builder::Date(b) => match value.as_date().and_then(|date| date.days_since_epoch()) {
                None if self.nulls_dates => b.append_null(),
                days => b.append_value(days.ok_or(Why::Date)?),
            },
            Builder::Moment(b) => match value.as_date_time().and_then(|moment| moment.micros_since_epoch()) {
                None if self.nulls_dates => b.append_null(),
                micros => b.append_value(micros.ok_or(Why::Date)?),
            },
            Builder::Duration(b) => {
                b.append_value(value.as_time().and_then(|time| time.as_micros()).ok_or(Why::Shape)?);
            }
            Builder::Utf8(b) => b.append_value(simdutf8::basic::from_utf8(bytes(value)?).map_err(|_| Why::Utf8)?),
            Builder::DateText(b, decimals) => match value {
                Value::Bytes(_) => b.append_value(value.as_str().ok_or(Why::Utf8)?),
                _ => {
                    // Writing to a builder does not fail.
                    let _ = write!(b, "{}", value.printed(*decimals));
                    b.append_value("");
                }
            },
            Builder::Binary(b) => b.append_value(bytes(value)?),
            Builder::Vector(b) => {
                let (numbers, []) = bytes(value)?.as_chunks() else { return Err(Why::Shape) };
                numbers.iter().for_each(|number| b.values().append_value(f32::from_le_bytes(*number)));
                b.append(true);
            }
        }
        Ok(())
    }

    /// Returns the finished column, and begins the next one.
    pub(super) fn finish(&mut self) -> ArrayRef {
        let builder: &mut dyn ArrayBuilder = match &mut self.builder {
            Builder::Null(b) => b,
            Builder::Bool(b) => b,
            Builder::Int8(b) => b,
            Builder::Int16(b) => b,
            Builder::Int32(b) => b,
            Builder::Int64(b) => b,
            Builder::UInt8(b) => b,
            Builder::UInt16(b) => b,
            Builder::UInt32(b) => b,
            Builder::UInt64(b) | Builder::Bits(b) => b,
            Builder::Float32(b) => b,
            Builder::Float64(b) => b,
            Builder::Decimal128(b, ..) => b,
            Builder::Decimal256(b, ..) => b,
            Builder::Date(b) => b,
            Builder::Moment(b) => b,
            Builder::Duration(b) => b,
            Builder::Utf8(b) | Builder::DateText(b, _) => b,
            Builder::Binary(b) => b,
            Builder::Vector(b) => b,
        };
        builder.finish()
    }

    fn push_null(&mut self) {
        match &mut self.builder {
            Builder::Null(b) => b.append_null(),
            Builder::Bool(b) => b.append_null(),
            Builder::Int8(b) => b.append_null(),
            Builder::Int16(b) => b.append_null(),
            Builder::Int32(b) => b.append_null(),
            Builder::Int64(b) => b.append_null(),
            Builder::UInt8(b) => b.append_null(),
            Builder::UInt16(b) => b.append_null(),
            Builder::UInt32(b) => b.append_null(),
            Builder::UInt64(b) | Builder::Bits(b) => b.append_null(),
            Builder::Float32(b) => b.append_null(),
            Builder::Float64(b) => b.append_null(),
            Builder::Decimal128(b, ..) => b.append_null(),
            Builder::Decimal256(b, ..) => b.append_null(),
            Builder::Date(b) => b.append_null(),
            Builder::Moment(b) => b.append_null(),
            Builder::Duration(b) => b.append_null(),
            Builder::Utf8(b) | Builder::DateText(b, _) => b.append_null(),
            Builder::Binary(b) => b.append_null(),
            Builder::Vector(b) => b.append_null(),
        }
    }
}

fn signed<T: TryFrom<i64>>(value: &Value<'_>) -> Result<T, Why> {
    value.as_i64().and_then(|n| T::try_from(n).ok()).ok_or(Why::Shape)
}

fn unsigned<T: TryFrom<u64>>(value: &Value<'_>) -> Result<T, Why> {
    value.as_u64().and_then(|n| T::try_from(n).ok()).ok_or(Why::Shape)
}

/// Parses the text directly, not through f64, which would round twice.
fn float(value: &Value<'_>) -> Result<f32, Why> {
    match value {
        Value::Float(n) => Ok(*n),
        _ => value.as_str().and_then(|text| text.parse().ok()).ok_or(Why::Shape),
    }
}

fn bytes<'a>(value: &Value<'a>) -> Result<&'a [u8], Why> {
    value.as_bytes().ok_or(Why::Shape)
}
