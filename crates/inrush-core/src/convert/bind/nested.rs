//! Arrays made of other arrays: dictionaries, runs, and lists of numbers, which are vectors.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, DictionaryArray, OffsetSizeTrait, RunArray};
use arrow_buffer::{ArrowNativeType, ToByteSlice};
use arrow_schema::DataType;
use jiff::tz::TimeZone;
use std::ops::Range;
use std::sync::Arc;

use super::column;
use crate::convert::BoundColumn;
use crate::convert::column::Cells;
use crate::convert::column::arrays::{ArrayCells, Index};

/// A dictionary of anything: its cells are those of its values at its keys. `None` if it is none.
pub(super) fn dictionary<'a>(array: &'a dyn Array, zone: Option<&TimeZone>) -> Option<BoundColumn<'a>> {
    macro_rules! by_key {
        ($($key:ident => $index:ident),*) => {
            match array.data_type() {
                $(DataType::Dictionary(key, _) if **key == DataType::$index => {
                    let array: &DictionaryArray<$key> = array.as_dictionary_opt()?;
                    Some((Index::$index(array.keys().values()), array.values()))
                })*
                _ => None,
            }
        };
    }
    let (keys, values): (_, &ArrayRef) = by_key!(
        Int8Type => Int8, Int16Type => Int16, Int32Type => Int32, Int64Type => Int64,
        UInt8Type => UInt8, UInt16Type => UInt16, UInt32Type => UInt32, UInt64Type => UInt64
    )?;
    let column = Arc::new(column(values, zone));
    Some(BoundColumn::new(Cells::Array(ArrayCells::Indexed { keys, column }), array.len()).with_nulls(array.nulls()))
}

/// Runs of any type: one number for each row says which run the row belongs to. `None` if the array has no runs.
pub(super) fn runs<'a>(array: &'a dyn Array, zone: Option<&TimeZone>) -> Option<BoundColumn<'a>> {
    let DataType::RunEndEncoded(ends, _) = array.data_type() else { return None };
    let (keys, values) = match ends.data_type() {
        DataType::Int16 => keys_of_runs::<Int16Type>(array)?,
        DataType::Int32 => keys_of_runs::<Int32Type>(array)?,
        DataType::Int64 => keys_of_runs::<Int64Type>(array)?,
        _ => return None,
    };
    let column = Arc::new(column(values, zone));
    let cells = ArrayCells::Indexed { keys: Index::Owned(keys.into()), column };
    Some(BoundColumn::new(Cells::Array(cells), array.len()))
}

fn keys_of_runs<R: RunEndIndexType>(array: &dyn Array) -> Option<(Vec<usize>, &ArrayRef)> {
    let array = array.as_any().downcast_ref::<RunArray<R>>()?;
    let first = array.get_start_physical_index();
    let mut keys = Vec::with_capacity(array.len());
    // A slice of an array has runs that begin before it, and runs that end after it.
    for (run, end) in array.run_ends().sliced_values().enumerate() {
        keys.resize(end.as_usize().min(array.len()), first + run);
    }
    Some((keys, array.values()))
}

/// Lists of f32: their bytes are what a VECTOR holds. `None` for lists of anything else.
pub(super) fn vectors(array: &dyn Array) -> Option<BoundColumn<'_>> {
    match array.data_type() {
        DataType::FixedSizeList(_, width) => {
            let list = array.as_fixed_size_list_opt()?;
            let (numbers, width) = (list.values(), usize::try_from(*width).ok()?);
            let cells = ArrayCells::FixedSize { bytes: bytes(numbers)?, width: 4 * width };
            Some(without_holes(array, cells, numbers, |row| row * width..(row + 1) * width))
        }
        DataType::List(_) => of_any_length::<i32>(array, Index::Int32),
        DataType::LargeList(_) => of_any_length::<i64>(array, Index::Int64),
        _ => None,
    }
}

fn of_any_length<'a, O: OffsetSizeTrait>(
    array: &'a dyn Array,
    index: impl FnOnce(&'a [O]) -> Index<'a>,
) -> Option<BoundColumn<'a>> {
    let list = array.as_list_opt::<O>()?;
    let ends = list.value_offsets();
    let cells = ArrayCells::Vectors { numbers: bytes(list.values())?, ends: index(ends) };
    Some(without_holes(array, cells, list.values(), |row| ends[row].as_usize()..ends[row + 1].as_usize()))
}

/// The numbers in their memory layout.
#[cfg(target_endian = "little")]
fn bytes(numbers: &ArrayRef) -> Option<&[u8]> {
    numbers.as_primitive_opt::<Float32Type>().map(|numbers| numbers.values().to_byte_slice())
}

/// Wire bytes are little endian; a copy for big endian is not implemented.
#[cfg(target_endian = "big")]
fn bytes(_numbers: &ArrayRef) -> Option<&[u8]> {
    None
}

/// A vector has a number in each place.
fn without_holes<'a>(
    array: &dyn Array,
    cells: ArrayCells<'a>,
    numbers: &ArrayRef,
    range: impl Fn(usize) -> Range<usize>,
) -> BoundColumn<'a> {
    let has_hole = |row: &usize| array.is_valid(*row) && range(*row).any(|i| numbers.is_null(i));
    match (0..array.len()).filter(|_| numbers.null_count() > 0).find(has_hole) {
        Some(row) => BoundColumn::refused(format!("the vector of row {row} has a NULL in it"), None),
        None => BoundColumn::new(Cells::Array(cells), array.len()).with_nulls(array.nulls()),
    }
}
