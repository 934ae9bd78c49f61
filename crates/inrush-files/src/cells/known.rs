//! The range of an array's cells, computed from its values in a fraction of the time that checking each cell takes.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use inrush_core::column::check::Known;

/// The range of its values. The values of NULL rows count too, which can only widen it.
pub(crate) fn of(array: &dyn Array) -> Known {
    match array.data_type() {
        DataType::Int8 => int::<Int8Type>(array),
        DataType::Int16 => int::<Int16Type>(array),
        DataType::Int32 => int::<Int32Type>(array),
        DataType::Int64 => int::<Int64Type>(array),
        DataType::UInt8 => int::<UInt8Type>(array),
        DataType::UInt16 => int::<UInt16Type>(array),
        DataType::UInt32 => int::<UInt32Type>(array),
        DataType::Decimal32(_, scale) => decimal::<Decimal32Type>(array, *scale),
        DataType::Decimal64(_, scale) => decimal::<Decimal64Type>(array, *scale),
        DataType::Decimal128(_, scale) => decimal::<Decimal128Type>(array, *scale),
        DataType::Date32 => {
            let within = array.as_primitive::<Date32Type>().values().iter().all(|day| DAYS.contains(day));
            if within { Known::Date } else { Known::Nothing }
        }
        DataType::Utf8 => spans(array.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => spans(array.as_string::<i64>().value_offsets()),
        DataType::Utf8View => {
            let lengths = array.as_string_view().views().iter().map(|view| *view as u32);
            Known::Text { longest: lengths.max().unwrap_or_default() }
        }
        _ => Known::Nothing,
    }
}

/// Texts between these offsets.
fn spans<O: ArrowNativeType>(ends: &[O]) -> Known {
    let longest = ends.windows(2).map(|ends| ends[1].as_usize() - ends[0].as_usize()).max().unwrap_or_default();
    u32::try_from(longest).map_or(Known::Nothing, |longest| Known::Text { longest })
}

fn int<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &dyn Array) -> Known {
    let size = Size::of(array.as_primitive::<T>().values().iter().map(|value| (*value).into().into()));
    // A column's end is that of its values' bits.
    let max = i64::try_from(size.most).unwrap_or(i64::MAX);
    Known::Int { min: if size.negative { -1 - max } else { 0 }, max }
}

fn decimal<T: ArrowPrimitiveType<Native: Into<i128>>>(array: &dyn Array, scale: i8) -> Known {
    let Ok(scale) = usize::try_from(scale) else { return Known::Nothing };
    let size = Size::of(array.as_primitive::<T>().values().iter().map(|value| (*value).into()));
    let n_digits = size.most.checked_ilog10().map_or(1, |log| log as usize + 1);
    Known::Decimal { int_digits: n_digits.saturating_sub(scale).max(1), scale, negative: size.negative }
}

/// A bound of the numbers' distance from zero, at most twice the largest: it is computed faster than the minimum and the maximum.
struct Size {
    /// All bits that are set in one of them; for negative numbers the distance may be one more.
    most: u128,
    negative: bool,
}

impl Size {
    fn of(values: impl Iterator<Item = i128>) -> Self {
        let (bits, signs) = values.fold((0, 0), |(bits, signs), value| {
            let sign = value >> 127;
            (bits | (value ^ sign), signs | sign)
        });
        let bits: i128 = bits;
        let most = u128::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0);
        Self { most, negative: signs < 0 }
    }
}

/// From 0001-01-01 to 9999-12-31.
const DAYS: std::ops::RangeInclusive<i32> = -719_162..=2_932_896;
