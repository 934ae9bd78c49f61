//! Estimates the bytes of rows as text, by which batches are cut. The memory of arrays is no measure: a number takes more memory than its
//! digits, and a value of a dictionary less than its copies.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, RecordBatch, RunArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

/// The number of the first `rows` that have about so many bytes of text; at least one.
pub(super) fn rows_of(rows: &RecordBatch, bytes: usize) -> usize {
    let all = text_size(rows);
    if all / 2 <= bytes {
        return usize::MAX;
    }
    let mut taken = (rows.num_rows() as u128 * bytes as u128 / all as u128).max(1) as usize;
    // The long rows may be the first.
    while taken > 1 && text_size(&rows.slice(0, taken)) / 2 > bytes {
        taken /= 2;
    }
    taken
}

/// The approximate bytes of the cells of `rows`.
pub(crate) fn text_size(rows: &RecordBatch) -> usize {
    sum(rows.columns().iter().map(|column| size_of(column)))
}

fn size_of(column: &dyn Array) -> usize {
    let each = match column.data_type() {
        DataType::Utf8View => return views(column.as_string_view().views()).sum(),
        DataType::BinaryView => return views(column.as_binary_view().views()).sum(),
        DataType::Null => 0,
        DataType::Boolean => 1,
        DataType::Int8 | DataType::UInt8 => 3,
        DataType::Int16 | DataType::UInt16 => 5,
        DataType::Int32 | DataType::UInt32 | DataType::Int64 | DataType::UInt64 => 8,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => 8,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => 10,
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) => 10,
        DataType::Timestamp(..) => 22,
        DataType::List(_) => return items(column.as_list::<i32>().values(), column.as_list::<i32>().value_offsets()),
        DataType::LargeList(_) => {
            return items(column.as_list::<i64>().values(), column.as_list::<i64>().value_offsets());
        }
        DataType::Map(..) => return items(column.as_map().entries(), column.as_map().value_offsets()),
        DataType::ListView(_) => {
            return named_items(column.as_list_view::<i32>().values(), column.as_list_view::<i32>().value_sizes());
        }
        DataType::LargeListView(_) => {
            return named_items(column.as_list_view::<i64>().values(), column.as_list_view::<i64>().value_sizes());
        }
        DataType::FixedSizeList(..) => {
            let values = column.as_fixed_size_list().values();
            return size_of(values).saturating_add(values.len().saturating_mul(ITEM_BYTES));
        }
        DataType::Struct(_) => return sum(column.as_struct().columns().iter().map(|member| size_of(member))),
        DataType::Dictionary(..) => {
            let keyed = column.as_any_dictionary();
            let keys = keyed.normalized_keys();
            return named(keyed.values(), (0..keys.len()).filter(|&row| column.is_valid(row)).map(|row| keys[row]));
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => return runs::<Int16Type>(column),
            DataType::Int32 => return runs::<Int32Type>(column),
            _ => return runs::<Int64Type>(column),
        },
        _ => return column.to_data().get_slice_memory_size().unwrap_or(0),
    };
    each * column.len()
}

/// The items of contiguous lists.
fn items<O: ArrowNativeType>(values: &dyn Array, ends: &[O]) -> usize {
    let (Some(start), Some(end)) = (ends.first(), ends.last()) else { return 0 };
    let (start, end) = (start.as_usize(), end.as_usize());
    let n = end.saturating_sub(start);
    size_of(&*values.slice(start, n)).saturating_add(n.saturating_mul(ITEM_BYTES))
}

/// The items of lists that may share them.
fn named_items<O: ArrowNativeType>(values: &dyn Array, sizes: &[O]) -> usize {
    let n = sum(sizes.iter().map(|size| size.as_usize()));
    let each = (size_of(values) / values.len().max(1)).saturating_add(ITEM_BYTES);
    n.saturating_mul(each)
}

fn runs<R: RunEndIndexType>(column: &dyn Array) -> usize {
    let Some(runs) = column.as_any().downcast_ref::<RunArray<R>>() else { return 0 };
    named(runs.values(), (0..runs.len()).map(|row| runs.get_physical_index(row)))
}

/// The values at these places.
fn named(values: &dyn Array, places: impl Iterator<Item = usize>) -> usize {
    let lengths: Vec<usize> = match values.data_type() {
        DataType::Utf8 => lengths(values.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => lengths(values.as_string::<i64>().value_offsets()),
        DataType::Binary => lengths(values.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => lengths(values.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => views(values.as_string_view().views()).collect(),
        DataType::BinaryView => views(values.as_binary_view().views()).collect(),
        _ => return places.count().saturating_mul(size_of(values) / values.len().max(1)),
    };
    sum(places.map(|place| lengths.get(place).copied().unwrap_or(0)))
}

fn lengths<O: ArrowNativeType>(ends: &[O]) -> Vec<usize> {
    ends.windows(2).map(|ends| ends[1].as_usize() - ends[0].as_usize()).collect()
}

fn views(views: &[u128]) -> impl Iterator<Item = usize> {
    views.iter().map(|view| *view as u32 as usize)
}

fn sum(sizes: impl Iterator<Item = usize>) -> usize {
    sizes.fold(0, usize::saturating_add)
}

/// The bytes around an item of a list: a comma, and quotes or `null`.
const ITEM_BYTES: usize = 4;
