//! Masks of an export: arrays of a batch, each masked value in the array's type.

use super::{ColumnMask, MaskRule, TableMasks, UniqueMasks};
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{DataType, TimeUnit};
use inrush_core::error::{Error, Result};
use jiff::civil::{Date, DateTime};
use jiff::{ToSpan as _, Unit};
use std::str::FromStr;
use std::sync::Arc;

/// Masks the columns of a batch, which are those of the masks, in their order.
///
/// # Errors
/// `Data` for a value that a rule does not fit, and for values of a unique column that become equal; neither has a value in it.
pub fn mask_batch(batch: &RecordBatch, masks: &TableMasks, unique: &UniqueMasks) -> Result<RecordBatch> {
    if batch.num_columns() != masks.masks.len() {
        return Err(Error::data("the table has other columns than its masks; nothing of it is written"));
    }
    let mut columns = Vec::with_capacity(batch.num_columns());
    for (at, (array, mask)) in batch.columns().iter().zip(&masks.masks).enumerate() {
        columns.push(match mask {
            Some(mask) if mask.rule != MaskRule::Keep => masked(array, mask, &|value| unique.note(at, mask, value))?,
            _ => array.clone(),
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
        .map_err(|error| Error::data(format!("masked values do not fit their columns: {error}")))
}

type Note<'a> = &'a dyn Fn(&[u8]) -> Result<()>;

fn masked(array: &ArrayRef, mask: &ColumnMask, note: Note<'_>) -> Result<ArrayRef> {
    if mask.rule == MaskRule::Null {
        return Ok(new_null_array(array.data_type(), array.len()));
    }
    let apply = |cell: &[u8]| -> Result<Vec<u8>> {
        let value = mask.apply(cell).map_err(|why| unfit(mask, why))?.unwrap_or_default();
        note(&value)?;
        Ok(value)
    };
    Ok(match array.data_type() {
        DataType::Utf8 => {
            let mut builder = StringBuilder::new();
            for cell in array.as_string::<i32>() {
                let value = cell.map(|cell| apply(cell.as_bytes())).transpose()?;
                builder.append_option(value.map(|value| String::from_utf8_lossy(&value).into_owned()));
            }
            Arc::new(builder.finish())
        }
        DataType::Binary => {
            let mut builder = BinaryBuilder::new();
            for cell in array.as_binary::<i32>() {
                builder.append_option(cell.map(&apply).transpose()?);
            }
            Arc::new(builder.finish())
        }
        DataType::Int8 => numbers::<Int8Type>(array, mask, &apply)?,
        DataType::Int16 => numbers::<Int16Type>(array, mask, &apply)?,
        DataType::Int32 => numbers::<Int32Type>(array, mask, &apply)?,
        DataType::Int64 => numbers::<Int64Type>(array, mask, &apply)?,
        DataType::UInt8 => numbers::<UInt8Type>(array, mask, &apply)?,
        DataType::UInt16 => numbers::<UInt16Type>(array, mask, &apply)?,
        DataType::UInt32 => numbers::<UInt32Type>(array, mask, &apply)?,
        DataType::UInt64 => numbers::<UInt64Type>(array, mask, &apply)?,
        DataType::Boolean => {
            let texts = array.as_boolean().iter().map(|bit| bit.map(|bit| if bit { "1" } else { "0" }));
            let bits = texts.map(|text| text.map(|text| Ok(apply(text.as_bytes())? != b"0")).transpose());
            Arc::new(bits.collect::<Result<arrow_array::BooleanArray>>()?)
        }
        DataType::Decimal128(precision, scale) => {
            let to_text = |value: i128| decimal_text(value, *scale);
            let from_text = |text: &str| decimal_value(text, *scale);
            let array = primitives::<Decimal128Type>(array, mask, &apply, &to_text, &from_text)?;
            let array = array.with_precision_and_scale(*precision, *scale);
            Arc::new(array.map_err(|_| unfit(mask, "it does not fit its DECIMAL"))?)
        }
        DataType::Date32 => {
            let to_text =
                |days: i32| EPOCH.checked_add(days.days()).map_or_else(|_| days.to_string(), |date| date.to_string());
            let from_text = |text: &str| {
                let date = Date::from_str(text).ok()?;
                Some((date - EPOCH).get_days())
            };
            Arc::new(primitives::<Date32Type>(array, mask, &apply, &to_text, &from_text)?)
        }
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let midnight = EPOCH.to_datetime(jiff::civil::Time::midnight());
            let to_text = |micros: i64| {
                let moment = midnight.checked_add(micros.microseconds());
                moment.map_or_else(|_| micros.to_string(), |moment| moment.strftime("%Y-%m-%d %H:%M:%S").to_string())
            };
            let from_text = |text: &str| {
                let span = DateTime::from_str(text).ok()?.since((Unit::Microsecond, midnight)).ok()?;
                Some(span.get_microseconds())
            };
            let array = primitives::<TimestampMicrosecondType>(array, mask, &apply, &to_text, &from_text)?;
            Arc::new(array.with_timezone_opt(zone.clone()))
        }
        _ => return Err(unfit(mask, "it has a type that this rule does not mask")),
    })
}

fn numbers<T>(array: &ArrayRef, mask: &ColumnMask, apply: &dyn Fn(&[u8]) -> Result<Vec<u8>>) -> Result<ArrayRef>
where
    T: ArrowPrimitiveType<Native: ToString + FromStr>,
{
    Ok(Arc::new(primitives::<T>(array, mask, apply, &|value| value.to_string(), &|text| text.parse().ok())?))
}

fn primitives<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    mask: &ColumnMask,
    apply: &dyn Fn(&[u8]) -> Result<Vec<u8>>,
    to_text: &dyn Fn(T::Native) -> String,
    from_text: &dyn Fn(&str) -> Option<T::Native>,
) -> Result<PrimitiveArray<T>> {
    let one = |value: T::Native| {
        let text = apply(to_text(value).as_bytes())?;
        let value = std::str::from_utf8(&text).ok().and_then(from_text);
        value.ok_or_else(|| unfit(mask, "what it becomes does not fit its type"))
    };
    array.as_primitive::<T>().iter().map(|value| value.map(one).transpose()).collect()
}

fn decimal_text(value: i128, scale: i8) -> String {
    let scale = usize::try_from(scale).unwrap_or(0);
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    format!("{}{whole}{}{fraction}", if value < 0 { "-" } else { "" }, if scale > 0 { "." } else { "" })
}

fn decimal_value(text: &str, scale: i8) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let missing = usize::try_from(scale).ok()?.checked_sub(fraction.len())?;
    format!("{whole}{fraction}{}", "0".repeat(missing)).parse().ok()
}

fn unfit(mask: &ColumnMask, why: &str) -> Error {
    Error::data(format!("the mask `{}` does not fit a value of the column `{}`: {why}", mask.rule, mask.column))
        .with_hint("`redact` and `hmac` take any text, `null` any value")
}

const EPOCH: Date = Date::constant(1970, 1, 1);
