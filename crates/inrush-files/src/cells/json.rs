//! Nested values as JSON texts: lists are arrays, structs and maps are objects.
//!
//! Inside, bytes are hexadecimal texts, dates and times are texts, and a decimal of more digits than a DOUBLE distinguishes (15) is a
//! text too: servers read the numbers of a document as DOUBLEs. A NaN is written as NaN, which is not JSON, so a JSON column's check refuses
//! the row.

use super::text::{self, Writer, hex};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RunArray, UnionArray};
use arrow_schema::DataType;
use inrush_core::error::{Error, Result};
use inrush_core::load::ColumnKind;

/// Writes the values of an array as JSON. A text that has more than `max_bytes` ends within the value.
pub(super) fn writer(array: &dyn Array, max_bytes: usize) -> Result<Writer<'_>> {
    nested(array, Bounds { depth: 0, max_bytes })
}

/// What bounds the documents.
#[derive(Clone, Copy)]
struct Bounds {
    depth: usize,
    max_bytes: usize,
}

impl Bounds {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// The same for an array within others; also writes `null`.
fn nested(array: &dyn Array, bounds: Bounds) -> Result<Writer<'_>> {
    if bounds.depth > MAX_DEPTH {
        return Err(Error::data(format!("lists and structs are nested deeper than {MAX_DEPTH}")));
    }
    let write = values(array, bounds)?;
    Ok(match array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        None => write,
        Some(nulls) => {
            Box::new(move |row, out| if nulls.is_null(row) { out.extend_from_slice(b"null") } else { write(row, out) })
        }
    })
}

fn values(array: &dyn Array, bounds: Bounds) -> Result<Writer<'_>> {
    macro_rules! ints {
        ($ty:ty) => {{
            let values = array.as_primitive::<$ty>().values();
            Box::new(move |row: usize, out: &mut Vec<u8>| {
                out.extend_from_slice(itoa::Buffer::new().format(values[row]).as_bytes());
            })
        }};
    }
    macro_rules! strings {
        ($array:expr) => {{
            let array = $array;
            Box::new(move |row: usize, out: &mut Vec<u8>| string(array.value(row), out))
        }};
    }
    macro_rules! bytes {
        ($array:expr) => {{
            let array = $array;
            Box::new(move |row: usize, out: &mut Vec<u8>| {
                out.push(b'"');
                array.value(row).iter().for_each(|byte| hex(*byte, out));
                out.push(b'"');
            })
        }};
    }
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, out| out.extend_from_slice(b"null")),
        DataType::Boolean => {
            let values = array.as_boolean();
            Box::new(move |row, out| out.extend_from_slice(if values.value(row) { b"true" } else { b"false" }))
        }
        DataType::Int8 => ints!(Int8Type),
        DataType::Int16 => ints!(Int16Type),
        DataType::Int32 => ints!(Int32Type),
        DataType::Int64 => ints!(Int64Type),
        DataType::UInt8 => ints!(UInt8Type),
        DataType::UInt16 => ints!(UInt16Type),
        DataType::UInt32 => ints!(UInt32Type),
        DataType::UInt64 => ints!(UInt64Type),
        DataType::Utf8 => strings!(array.as_string::<i32>()),
        DataType::LargeUtf8 => strings!(array.as_string::<i64>()),
        DataType::Utf8View => strings!(array.as_string_view()),
        DataType::Binary => bytes!(array.as_binary::<i32>()),
        DataType::LargeBinary => bytes!(array.as_binary::<i64>()),
        DataType::BinaryView => bytes!(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => bytes!(array.as_fixed_size_binary()),
        DataType::List(_) => list::<i32>(array, bounds)?,
        DataType::LargeList(_) => list::<i64>(array, bounds)?,
        DataType::ListView(_) => list_view::<i32>(array, bounds)?,
        DataType::LargeListView(_) => list_view::<i64>(array, bounds)?,
        DataType::FixedSizeList(_, width) => {
            let (items, width) = (nested(array.as_fixed_size_list().values(), bounds.deeper())?, *width as usize);
            Box::new(move |row, out| elements(&items, row * width..(row + 1) * width, bounds, out))
        }
        DataType::Struct(fields) => {
            let members: Vec<(Vec<u8>, Writer<'_>)> = fields
                .iter()
                .zip(array.as_struct().columns())
                .map(|(field, column)| Ok((quoted(field.name()), nested(column, bounds.deeper())?)))
                .collect::<Result<_>>()?;
            Box::new(move |row, out| {
                object(members.iter().map(|(name, write)| (name, write)), out, |(name, write), out| {
                    out.extend_from_slice(name);
                    out.push(b':');
                    write(row, out);
                });
            })
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let (keys, items) = (nested(map.keys(), bounds.deeper())?, nested(map.values(), bounds.deeper())?);
            let ends = map.value_offsets();
            Box::new(move |row, out| {
                object(ends[row] as usize..ends[row + 1] as usize, out, |at, out| {
                    if out.len() > bounds.max_bytes {
                        return;
                    }
                    key(&keys, at, out);
                    out.push(b':');
                    items(at, out);
                });
            })
        }
        DataType::Dictionary(..) => {
            let keyed = array.as_any_dictionary();
            if keyed.values().is_empty() {
                return Ok(Box::new(|_, out| out.extend_from_slice(b"null")));
            }
            let (keys, items) = (keyed.normalized_keys(), nested(keyed.values(), bounds.deeper())?);
            Box::new(move |row, out| items(keys[row], out))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array, bounds)?,
            DataType::Int32 => runs::<Int32Type>(array, bounds)?,
            _ => runs::<Int64Type>(array, bounds)?,
        },
        DataType::Union(..) => union(array, bounds)?,
        DataType::Decimal32(precision, _)
        | DataType::Decimal64(precision, _)
        | DataType::Decimal128(precision, _)
        | DataType::Decimal256(precision, _)
            if *precision <= DOUBLE_DIGITS =>
        {
            text::writer(array, ColumnKind::Json)?
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => text::writer(array, ColumnKind::Json)?,
        _ => {
            let write = text::writer(array, ColumnKind::Json)?;
            Box::new(move |row, out| {
                out.push(b'"');
                write(row, out);
                out.push(b'"');
            })
        }
    })
}

fn list<O: OffsetSizeTrait>(array: &dyn Array, bounds: Bounds) -> Result<Writer<'_>> {
    let list = array.as_list::<O>();
    let (items, ends) = (nested(list.values(), bounds.deeper())?, list.value_offsets());
    Ok(Box::new(move |row, out| elements(&items, ends[row].as_usize()..ends[row + 1].as_usize(), bounds, out)))
}

fn list_view<O: OffsetSizeTrait>(array: &dyn Array, bounds: Bounds) -> Result<Writer<'_>> {
    let list = array.as_list_view::<O>();
    let (items, starts, sizes) = (nested(list.values(), bounds.deeper())?, list.value_offsets(), list.value_sizes());
    Ok(Box::new(move |row, out| {
        let start = starts[row].as_usize();
        elements(&items, start..start + sizes[row].as_usize(), bounds, out);
    }))
}

fn runs<R: RunEndIndexType>(array: &dyn Array, bounds: Bounds) -> Result<Writer<'_>> {
    let Some(runs) = array.as_any().downcast_ref::<RunArray<R>>() else {
        return Err(text::unknown(array.data_type()));
    };
    let items = nested(runs.values(), bounds.deeper())?;
    Ok(Box::new(move |row, out| items(runs.get_physical_index(row), out)))
}

/// A union is written as the value of its row.
fn union(array: &dyn Array, bounds: Bounds) -> Result<Writer<'_>> {
    let Some(union) = array.as_any().downcast_ref::<UnionArray>() else {
        return Err(text::unknown(array.data_type()));
    };
    let DataType::Union(fields, _) = union.data_type() else { return Err(text::unknown(array.data_type())) };
    let children: Vec<(i8, &ArrayRef)> = fields.iter().map(|(id, _)| (id, union.child(id))).collect();
    let children: Vec<(i8, Writer<'_>)> =
        children.into_iter().map(|(id, child)| Ok((id, nested(child, bounds.deeper())?))).collect::<Result<_>>()?;
    Ok(Box::new(move |row, out| {
        let id = union.type_id(row);
        match children.iter().find(|(known, _)| *known == id) {
            Some((_, write)) => write(union.value_offset(row), out),
            None => out.extend_from_slice(b"null"),
        }
    }))
}

fn elements(items: &Writer<'_>, range: std::ops::Range<usize>, bounds: Bounds, out: &mut Vec<u8>) {
    out.push(b'[');
    for (i, at) in range.enumerate() {
        if out.len() > bounds.max_bytes {
            return;
        }
        if i > 0 {
            out.push(b',');
        }
        items(at, out);
    }
    out.push(b']');
}

fn object<T>(members: impl Iterator<Item = T>, out: &mut Vec<u8>, mut write: impl FnMut(T, &mut Vec<u8>)) {
    out.push(b'{');
    for (i, member) in members.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(member, out);
    }
    out.push(b'}');
}

/// The key of a map is a string in JSON, whatever its type.
fn key(keys: &Writer<'_>, at: usize, out: &mut Vec<u8>) {
    let start = out.len();
    keys(at, out);
    if out.get(start) != Some(&b'"') {
        let text = String::from_utf8_lossy(&out[start..]).into_owned();
        out.truncate(start);
        string(&text, out);
    }
}

fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string(text, &mut out);
    out
}

/// A text in quotes.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => {
                out.extend_from_slice(b"\\u00");
                hex(byte, out);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Bounds the stack. The nesting that a server accepts is limited by the check.
const MAX_DEPTH: usize = 100;

/// Digits that every DOUBLE keeps.
const DOUBLE_DIGITS: u8 = 15;
