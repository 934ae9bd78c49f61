//! The column that a typed field becomes in a new table. The type is the field's own; only lengths come from the data.

use crate::cells::is_uuid;
use crate::infer_types::{Inferred, text_type};
use arrow_array::cast::AsArray;
use arrow_array::types::GenericBinaryType;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use inrush_core::column::ColumnType;
use inrush_core::error::{Error, Result};
use std::sync::Arc;

/// Refuses columns whose Arrow values have no meaning by themselves: periods of pandas are numbers without their unit.
///
/// # Errors
/// `Data`, with the column's name.
pub fn check_extensions(schema: &Schema) -> Result<()> {
    let is_period =
        |field: &&Arc<Field>| field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "pandas.period");
    match schema.fields().iter().find(is_period) {
        None => Ok(()),
        Some(field) => Err(Error::data(format!(
            "column `{}` has periods of pandas, which are numbers without their unit",
            field.name()
        ))
        .with_hint("make them moments or texts first: `.dt.to_timestamp()`, `.astype(str)`")),
    }
}

/// Infers the column for `field`. `sample` has the file's first values, all of them if `whole`; `never_null` is known from the file itself.
pub(super) fn infer(field: &Field, sample: &[&ArrayRef], never_null: Option<bool>, whole: bool) -> Result<Inferred> {
    let mut longest = Longest::default();
    sample.iter().for_each(|array| longest.note(array.as_ref()));
    let no_null_seen = whole && sample.iter().all(|array| array.logical_null_count() == 0);
    let ty = column_type(field, field.data_type(), &longest, sample);
    let mut inferred = Inferred {
        max_chars: longest.chars,
        zoned: matches!(field.data_type(), DataType::Timestamp(_, Some(_))),
        ..Inferred::new(field.name(), ty, !never_null.unwrap_or(no_null_seen))
    };
    // Other types are known without a value.
    inferred.has_values = longest.chars > 0 || !inferred.is_text();
    Ok(inferred)
}

fn column_type(field: &Field, ty: &DataType, longest: &Longest, sample: &[&ArrayRef]) -> ColumnType {
    let int = |bytes, unsigned| ColumnType::Int { bytes, unsigned, bool: false };
    match ty {
        DataType::Boolean => ColumnType::Int { bytes: 1, unsigned: false, bool: true },
        DataType::Int8 => int(1, false),
        DataType::Int16 => int(2, false),
        DataType::Int32 => int(4, false),
        DataType::Int64 => int(8, false),
        DataType::UInt8 => int(1, true),
        DataType::UInt16 => int(2, true),
        DataType::UInt32 => int(4, true),
        DataType::UInt64 => int(8, true),
        DataType::Float16 | DataType::Float32 => ColumnType::Float { unsigned: false, digits: None },
        DataType::Float64 => ColumnType::Double { unsigned: false, digits: None },
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => decimal(*precision, *scale),
        DataType::Date32 | DataType::Date64 => ColumnType::Date,
        DataType::Timestamp(unit, None) => ColumnType::DateTime { fsp: fsp(*unit) },
        DataType::Timestamp(unit, Some(_)) if sample.iter().all(|array| fits_timestamp(array, *unit)) => {
            ColumnType::Timestamp { fsp: fsp(*unit) }
        }
        DataType::Timestamp(unit, Some(_)) => ColumnType::DateTime { fsp: fsp(*unit) },
        DataType::Time32(unit) | DataType::Time64(unit) => ColumnType::Time { fsp: fsp(*unit) },
        DataType::Duration(unit) if sample.iter().all(|array| fits_time(array, *unit)) => {
            ColumnType::Time { fsp: fsp(*unit) }
        }
        DataType::Duration(_) => int(8, false),
        DataType::FixedSizeBinary(16) if is_uuid(field) => ColumnType::Binary { bytes: 16 },
        DataType::FixedSizeBinary(width @ 0..=255) => ColumnType::Binary { bytes: (*width).max(1) as u32 },
        DataType::FixedSizeBinary(width) => bytes(*width as usize),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => bytes(longest.bytes + longest.bytes / 4),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if is_json(field) => ColumnType::Json,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => text_type(longest.chars, longest.bytes),
        DataType::Interval(_) => ColumnType::VarChar { chars: 64 },
        DataType::Null => ColumnType::VarChar { chars: 255 },
        DataType::Dictionary(_, values) => {
            let of_values: Vec<&ArrayRef> = sample.iter().map(|array| array.as_any_dictionary().values()).collect();
            column_type(field, values, longest, &of_values)
        }
        DataType::RunEndEncoded(_, values) => column_type(field, values.data_type(), longest, &[]),
        DataType::FixedSizeList(item, dim) if item.data_type() == &DataType::Float32 && (1..=16_383).contains(dim) => {
            ColumnType::Vector { dim: *dim as u32 }
        }
        _ => ColumnType::Json,
    }
}

/// A DECIMAL has at most 65 digits, 30 of them after the point; other decimals become text.
fn decimal(precision: u8, scale: i8) -> ColumnType {
    let behind = u8::try_from(scale).unwrap_or(0);
    let all = u32::from(precision.max(behind)) + u32::from((-i16::from(scale)).max(0).unsigned_abs());
    if all > 65 || behind > 30 {
        return ColumnType::VarChar { chars: all + 2 };
    }
    ColumnType::Decimal { precision: all as u8, scale: behind, unsigned: false }
}

fn bytes(wanted: usize) -> ColumnType {
    match SIZES.iter().find(|size| **size as usize >= wanted) {
        Some(&bytes) => ColumnType::VarBinary { bytes },
        None if wanted < (1 << 16) => ColumnType::Blob { bytes: 0xffff },
        None if wanted < (1 << 24) => ColumnType::Blob { bytes: 0xff_ffff },
        None => ColumnType::Blob { bytes: u32::MAX },
    }
}

fn fsp(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond | TimeUnit::Nanosecond => 6,
    }
}

fn is_json(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.json")
}

/// A TIMESTAMP ends in January 2038, on most servers.
fn fits_timestamp(array: &dyn Array, unit: TimeUnit) -> bool {
    within(array, 1, i64::from(i32::MAX), per_second(unit))
}

fn fits_time(array: &dyn Array, unit: TimeUnit) -> bool {
    const LIMIT: i64 = 838 * 3600 + 59 * 60 + 59;
    within(array, -LIMIT, LIMIT, per_second(unit))
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Whether all values, in seconds, are between these two.
fn within(array: &dyn Array, least: i64, most: i64, per_second: i64) -> bool {
    let data = array.to_data();
    let Some(values) = data.buffers().first() else { return true };
    let values = &values.typed_data::<i64>()[data.offset()..data.offset() + data.len()];
    values
        .iter()
        .enumerate()
        .all(|(row, value)| array.is_null(row) || (least..=most).contains(&value.div_euclid(per_second)))
}

/// The longest text of a sample.
#[derive(Debug, Default)]
struct Longest {
    chars: usize,
    bytes: usize,
}

impl Longest {
    fn note(&mut self, array: &dyn Array) {
        match array.data_type() {
            DataType::Utf8 => self.strings(array.as_string::<i32>().iter()),
            DataType::LargeUtf8 => self.strings(array.as_string::<i64>().iter()),
            DataType::Utf8View => self.strings(array.as_string_view().iter()),
            DataType::Binary => self.spans::<i32>(array),
            DataType::LargeBinary => self.spans::<i64>(array),
            DataType::BinaryView => {
                array.as_binary_view().iter().flatten().for_each(|cell| self.bytes = self.bytes.max(cell.len()))
            }
            DataType::Dictionary(..) => self.note(array.as_any_dictionary().values().as_ref()),
            DataType::RunEndEncoded(..) => {
                let data = array.to_data();
                if let Some(values) = data.child_data().get(1) {
                    self.note(&arrow_array::make_array(values.clone()));
                }
            }
            _ => {}
        }
    }

    fn strings<'a>(&mut self, cells: impl Iterator<Item = Option<&'a str>>) {
        for cell in cells.flatten() {
            self.bytes = self.bytes.max(cell.len());
            if cell.len() > self.chars {
                self.chars = self.chars.max(cell.chars().count());
            }
        }
    }

    fn spans<O: OffsetSizeTrait>(&mut self, array: &dyn Array) {
        array
            .as_bytes::<GenericBinaryType<O>>()
            .iter()
            .flatten()
            .for_each(|cell| self.bytes = self.bytes.max(cell.len()));
    }
}

/// The lengths a VARBINARY gets.
const SIZES: &[u32] = &[16, 32, 64, 128, 255];

/// Bytes that need not be UTF-8.
pub(super) fn may_be_no_text(ty: &DataType) -> bool {
    match ty {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => may_be_no_text(values),
        DataType::RunEndEncoded(_, values) => may_be_no_text(values.data_type()),
        _ => false,
    }
}
