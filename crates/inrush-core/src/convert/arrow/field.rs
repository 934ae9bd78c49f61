//! The Arrow type for a column of a result.

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};

use super::InvalidDates;
use crate::wire::{ColumnDef, ColumnFlags, ColumnType};

/// The Arrow type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrowTarget {
    Null,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    /// BIT(n): bytes, the first one the greatest.
    Bits,
    Float32,
    Float64,
    Decimal128 {
        precision: u8,
        scale: u8,
    },
    Decimal256 {
        precision: u8,
        scale: u8,
    },
    Date,
    Moment,
    Duration,
    Utf8,
    /// A date or moment as text with so many digits of a fraction.
    DateText {
        decimals: u8,
    },
    Binary,
    Vector,
}

impl ArrowTarget {
    pub(super) fn of(def: &ColumnDef, invalid_dates: InvalidDates) -> Self {
        use ColumnType::*;
        let unsigned = def.is_unsigned();
        match def.ty {
            MYSQL_TYPE_NULL => Self::Null,
            MYSQL_TYPE_TINY if unsigned => Self::UInt8,
            MYSQL_TYPE_TINY => Self::Int8,
            MYSQL_TYPE_YEAR => Self::UInt16,
            MYSQL_TYPE_SHORT if unsigned => Self::UInt16,
            MYSQL_TYPE_SHORT => Self::Int16,
            MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG if unsigned => Self::UInt32,
            MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG => Self::Int32,
            MYSQL_TYPE_LONGLONG if unsigned => Self::UInt64,
            MYSQL_TYPE_LONGLONG => Self::Int64,
            MYSQL_TYPE_BIT if def.length == 1 => Self::Bool,
            MYSQL_TYPE_BIT => Self::Bits,
            MYSQL_TYPE_FLOAT => Self::Float32,
            MYSQL_TYPE_DOUBLE => Self::Float64,
            MYSQL_TYPE_DECIMAL | MYSQL_TYPE_NEWDECIMAL => decimal(def),
            MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE if invalid_dates == InvalidDates::Text => {
                Self::DateText { decimals: 0 }
            }
            MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE => Self::Date,
            MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP if invalid_dates == InvalidDates::Text => {
                Self::DateText { decimals: def.decimals }
            }
            MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP => Self::Moment,
            MYSQL_TYPE_TIME => Self::Duration,
            MYSQL_TYPE_JSON => Self::Utf8,
            MYSQL_TYPE_GEOMETRY => Self::Binary,
            MYSQL_TYPE_VECTOR => Self::Vector,
            _ if def.collation == BINARY => Self::Binary,
            _ => Self::Utf8,
        }
    }

    pub(super) fn field(&self, def: &ColumnDef, invalid_dates: InvalidDates) -> Field {
        let is_date = matches!(self, Self::Date | Self::Moment);
        let nullable = !def.flags.contains(ColumnFlags::NOT_NULL_FLAG)
            || *self == Self::Null
            || (is_date && invalid_dates == InvalidDates::Null);
        Field::new(&def.name, self.data_type(), nullable)
    }

    pub(super) fn data_type(&self) -> DataType {
        match *self {
            Self::Null => DataType::Null,
            Self::Bool => DataType::Boolean,
            Self::Int8 => DataType::Int8,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::UInt8 => DataType::UInt8,
            Self::UInt16 => DataType::UInt16,
            Self::UInt32 => DataType::UInt32,
            Self::UInt64 | Self::Bits => DataType::UInt64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            // A scale is at most 38, so that the sign bit stays free.
            Self::Decimal128 { precision, scale } => DataType::Decimal128(precision, scale as i8),
            Self::Decimal256 { precision, scale } => DataType::Decimal256(precision, scale as i8),
            Self::Date => DataType::Date32,
            Self::Moment => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Duration => DataType::Duration(TimeUnit::Microsecond),
            Self::Utf8 | Self::DateText { .. } => DataType::Utf8,
            Self::Binary => DataType::Binary,
            Self::Vector => DataType::List(vector_item()),
        }
    }

    /// Bytes that a cell takes in addition to those of its value, at most.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Bool | Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 | Self::Date => 4,
            Self::Int64 | Self::UInt64 | Self::Bits | Self::Float64 | Self::Moment | Self::Duration => 8,
            Self::Decimal128 { .. } => 16,
            Self::Decimal256 { .. } | Self::DateText { .. } => 32,
            Self::Utf8 | Self::Binary | Self::Vector => 4,
        }
    }
}

/// The field of a vector's numbers.
pub(super) fn vector_item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Float32, false))
}

/// The length counts digits, a point if digits follow it, and a sign if there may be one.
fn decimal(def: &ColumnDef) -> ArrowTarget {
    let signs = u32::from(def.decimals > 0) + u32::from(!def.is_unsigned());
    // The scale of `SELECT @a` is 38 on MariaDB, a literal can have one more; nothing has more than 76 digits in all.
    let scale = def.decimals.min(MAX_DIGITS - 1);
    let precision = def.length.saturating_sub(signs).clamp(u32::from(scale.max(1)), u32::from(MAX_DIGITS)) as u8;
    match precision {
        0..=38 => ArrowTarget::Decimal128 { precision, scale },
        _ => ArrowTarget::Decimal256 { precision, scale },
    }
}

/// Decimal256's.
const MAX_DIGITS: u8 = 76;

/// The number of the collation that is none.
const BINARY: u16 = 63;
