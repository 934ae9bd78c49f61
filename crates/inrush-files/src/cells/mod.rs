//! Cells: columns of Arrow arrays of any type as texts in binary views, which is what checks and encoders take.
//!
//! Texts and bytes are not copied: their views point into the arrays' buffers. Numbers, dates and times are written in the spelling that the
//! checks pass unchanged; nested values are written as JSON. Nothing is rounded or refused: values that no column holds (a NaN, the year
//! 20000) are written too, and fail their check.
//!
//! Invariant: equal values have equal texts, however they are divided into arrays: checksums of a resumed load depend on it.

pub(crate) mod json;
pub(crate) mod known;
pub(crate) mod memo;
pub(crate) mod moment;
pub(crate) mod number;
mod text;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BinaryViewArray, RunArray};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use inrush_core::column::check::Known;
use inrush_core::column::{INLINE, view};
use inrush_core::error::{Error, Result};
use inrush_core::load::ColumnKind;
use memo::Memo;
use std::sync::Arc;

/// The format of the values of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    column_kind: ColumnKind,
    /// Sixteen bytes are a UUID.
    uuid: bool,
    /// The most bytes of a document.
    max_bytes: usize,
}

impl Style {
    /// For a field that goes into a column of this kind; `uuid` is true if its bytes are UUIDs.
    pub(crate) fn new(column_kind: ColumnKind, uuid: bool) -> Self {
        Self { column_kind, uuid: uuid || column_kind == ColumnKind::Uuid, max_bytes: usize::MAX }
    }

    /// A document of more bytes is an error: a short list of a few bytes may name a huge text many times.
    pub(crate) fn at_most(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }
}

/// Whether the 16 bytes of `field` are a UUID by its extension type.
pub(crate) fn is_uuid(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.uuid")
}

/// Whether the texts of `field` are JSON documents by its extension type.
pub(crate) fn is_document(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.json")
}

/// One column under construction.
#[derive(Debug)]
pub(crate) struct Cells {
    style: Style,
    views: Vec<u128>,
    null_rows: Vec<u32>,
    buffers: Vec<Buffer>,
    /// Texts written by this module, and the index of their buffer.
    side: Vec<u8>,
    side_slot: Option<usize>,
    /// What is known of all cells; `None` if there are none.
    known: Option<Known>,
    /// Texts of earlier values.
    memo: Memo,
    /// The last dictionary, and its values as cells.
    dictionary: Option<(ArrayRef, BinaryViewArray)>,
}

impl Cells {
    pub(crate) fn new(style: Style) -> Self {
        Self {
            style,
            views: Vec::new(),
            null_rows: Vec::new(),
            buffers: Vec::new(),
            side: Vec::new(),
            side_slot: None,
            known: None,
            memo: Memo::default(),
            dictionary: None,
        }
    }

    /// Appends the values of an array.
    pub(crate) fn append(&mut self, array: &ArrayRef) -> Result<()> {
        if self.side.len() >= SIDE_BUFFER {
            self.close_side();
        }
        self.views.reserve(array.len());
        let any: &dyn Array = array;
        let known = known::of(any);
        self.known = Some(self.known.map_or(known, |before| before.and(known)));
        let is_text = matches!(any.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let is_bytes = matches!(any.data_type(), DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
        match self.style.column_kind {
            // Bytes are documents, as for bound values.
            ColumnKind::Json if !is_text && !is_bytes && !is_indirect(any.data_type()) => return self.documents(any),
            ColumnKind::Bits if is_bytes || matches!(any.data_type(), DataType::FixedSizeBinary(_)) => {
                self.bits(any);
                return Ok(());
            }
            _ => {}
        }
        match any.data_type() {
            DataType::Null => (0..any.len()).for_each(|_| self.put_null()),
            DataType::Boolean => {
                let values = any.as_boolean();
                self.each(any, |row, cells| cells.put(if values.value(row) { b"1" } else { b"0" }));
            }
            DataType::Int8 => self.ints::<Int8Type>(any),
            DataType::Int16 => self.ints::<Int16Type>(any),
            DataType::Int32 => self.ints::<Int32Type>(any),
            DataType::Int64 => self.ints::<Int64Type>(any),
            DataType::UInt8 => self.ints::<UInt8Type>(any),
            DataType::UInt16 => self.ints::<UInt16Type>(any),
            DataType::UInt32 => self.ints::<UInt32Type>(any),
            DataType::UInt64 => self.ints::<UInt64Type>(any),
            DataType::Utf8 => self.spans(any, any.as_string::<i32>().values(), any.as_string::<i32>().value_offsets()),
            DataType::LargeUtf8 => {
                self.spans(any, any.as_string::<i64>().values(), any.as_string::<i64>().value_offsets());
            }
            DataType::Binary => {
                self.spans(any, any.as_binary::<i32>().values(), any.as_binary::<i32>().value_offsets());
            }
            DataType::LargeBinary => {
                self.spans(any, any.as_binary::<i64>().values(), any.as_binary::<i64>().value_offsets());
            }
            DataType::Utf8View => {
                let array = any.as_string_view();
                self.views_of(array.views(), array.data_buffers(), array.nulls());
            }
            DataType::BinaryView => {
                let array = any.as_binary_view();
                self.views_of(array.views(), array.data_buffers(), array.nulls());
            }
            DataType::FixedSizeBinary(width) => self.fixed(any, *width as usize),
            DataType::Duration(unit) if self.style.column_kind.is_exact_number() => match unit {
                TimeUnit::Second => self.ints::<DurationSecondType>(any),
                TimeUnit::Millisecond => self.ints::<DurationMillisecondType>(any),
                TimeUnit::Microsecond => self.ints::<DurationMicrosecondType>(any),
                TimeUnit::Nanosecond => self.ints::<DurationNanosecondType>(any),
            },
            DataType::Date32 => self.dates(any),
            DataType::Decimal32(_, scale) => self.decimals::<Decimal32Type>(any, *scale),
            DataType::Decimal64(_, scale) => self.decimals::<Decimal64Type>(any, *scale),
            DataType::Decimal128(_, scale) => self.decimals::<Decimal128Type>(any, *scale),
            DataType::Dictionary(..) => return self.dictionary(array),
            DataType::RunEndEncoded(..) => return self.runs(any),
            ty if text::is_scalar(ty) => self.scalars(any)?,
            _ => self.documents(any)?,
        }
        Ok(())
    }

    /// Bytes as the number whose bits they are. More bytes than a BIT has are not a number, and empty bytes are not either.
    fn bits(&mut self, any: &dyn Array) {
        let value = |row: usize| match any.data_type() {
            DataType::Binary => any.as_binary::<i32>().value(row),
            DataType::LargeBinary => any.as_binary::<i64>().value(row),
            DataType::BinaryView => any.as_binary_view().value(row),
            _ => any.as_fixed_size_binary().value(row),
        };
        self.each(any, |row, cells| {
            let bytes = value(row);
            let significant = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
            match significant.len() {
                _ if bytes.is_empty() => cells.put(b"0x"),
                0..=8 => {
                    let number = significant.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
                    cells.put(number.to_string().as_bytes());
                }
                _ => {
                    let digits: String = significant.iter().map(|byte| format!("{byte:02x}")).collect();
                    cells.put(format!("0x{digits}").as_bytes());
                }
            }
        });
    }

    /// What is known of the cells so far.
    pub(crate) fn known(&self) -> Known {
        self.known.unwrap_or_default()
    }

    /// The finished column.
    pub(crate) fn finish(mut self) -> Result<BinaryViewArray> {
        self.close_side();
        let nulls = (!self.null_rows.is_empty()).then(|| {
            let mut valid = vec![true; self.views.len()];
            self.null_rows.iter().for_each(|&row| valid[row as usize] = false);
            NullBuffer::from(valid)
        });
        BinaryViewArray::try_new(ScalarBuffer::from(self.views), self.buffers, nulls)
            .map_err(|e| Error::data(format!("a column could not be built: {e}")))
    }
}

impl Cells {
    fn ints<T: ArrowPrimitiveType<Native: itoa::Integer>>(&mut self, array: &dyn Array) {
        let values = array.as_primitive::<T>().values();
        let mut buffer = itoa::Buffer::new();
        self.each(array, |row, cells| match values[row].to_i64().and_then(number::int_view) {
            Some(view) => cells.views.push(view),
            None => cells.put(buffer.format(values[row]).as_bytes()),
        });
    }

    /// Decimals; short ones are written directly to their view.
    fn decimals<T: ArrowPrimitiveType<Native: itoa::Integer + number::Units + Into<i128>>>(
        &mut self,
        array: &dyn Array,
        scale: i8,
    ) {
        let values = array.as_primitive::<T>().values();
        let mut text = Vec::with_capacity(64);
        self.each(array, |row, cells| {
            let value = values[row];
            let view = |value| cells.memo.view(value, || number::decimal_view(value, scale));
            if let Some(view) = i64::try_from(value.into()).ok().and_then(view) {
                return cells.views.push(view);
            }
            text.clear();
            number::decimal(value, scale, &mut text);
            cells.put(&text);
        });
    }

    fn dates(&mut self, array: &dyn Array) {
        let values = array.as_primitive::<Date32Type>().values();
        let mut text = Vec::with_capacity(16);
        self.each(array, |row, cells| match cells.memo.date(values[row], &mut text) {
            Some(view) => cells.views.push(view),
            None => cells.put(&text),
        });
    }

    /// Values without nested values.
    fn scalars(&mut self, array: &dyn Array) -> Result<()> {
        let write = text::writer(array, self.style.column_kind)?;
        let mut text = Vec::with_capacity(64);
        self.each(array, |row, cells| {
            text.clear();
            write(row, &mut text);
            cells.put(&text);
        });
        Ok(())
    }

    fn documents(&mut self, array: &dyn Array) -> Result<()> {
        let max_bytes = self.style.max_bytes;
        let write = json::writer(array, max_bytes)?;
        let (mut text, mut all) = (Vec::new(), 0usize);
        self.each(array, |row, cells| {
            // The total is bounded as well, since batches are cut by an estimate.
            if all > max_bytes {
                return;
            }
            text.clear();
            write(row, &mut text);
            all += text.len();
            cells.put(&text);
        });
        if all <= max_bytes {
            return Ok(());
        }
        Err(Error::data(format!(
            "lists or structs have more than {} MiB as JSON, more than `--memory`",
            max_bytes >> 20
        ))
        .with_hint("raise `--memory`, or leave the field out: `--columns a,b,@skip`"))
    }

    /// Contiguous texts or bytes.
    fn spans<O: ArrowNativeType>(&mut self, array: &dyn Array, bytes: &Buffer, ends: &[O]) {
        if bytes.len() > i32::MAX as usize {
            return self.each(array, |row, cells| cells.put(&bytes[ends[row].as_usize()..ends[row + 1].as_usize()]));
        }
        let buffer = self.slot(bytes);
        self.each(array, |row, cells| {
            let (start, end) = (ends[row].as_usize(), ends[row + 1].as_usize());
            cells.views.push(view(&bytes[start..end], buffer, start));
        });
    }

    fn fixed(&mut self, array: &dyn Array, width: usize) {
        let array_of_bytes = array.as_fixed_size_binary();
        if self.style.uuid && width == 16 && self.style.column_kind != ColumnKind::Bytes {
            return self.each(array, |row, cells| cells.put(&text::uuid(array_of_bytes.value(row))));
        }
        self.each(array, |row, cells| cells.put(array_of_bytes.value(row)));
    }

    fn views_of(&mut self, views: &[u128], buffers: &[Buffer], nulls: Option<&NullBuffer>) {
        let slots: Vec<usize> = buffers.iter().map(|buffer| self.slot(buffer)).collect();
        for (row, &view) in views.iter().enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                self.put_null();
            } else {
                self.views.push(moved(view, &slots));
            }
        }
    }

    /// A dictionary: its values are written once, however many keys refer to them.
    fn dictionary(&mut self, array: &ArrayRef) -> Result<()> {
        let keyed = array.as_any_dictionary();
        let values = keyed.values();
        if values.is_empty() {
            (0..array.len()).for_each(|_| self.put_null());
            return Ok(());
        }
        let written = self.written(values)?;
        self.indexed(&written, &keyed.normalized_keys(), array.nulls());
        Ok(())
    }

    fn runs(&mut self, array: &dyn Array) -> Result<()> {
        match array.data_type() {
            DataType::RunEndEncoded(ends, _) if ends.data_type() == &DataType::Int16 => {
                self.runs_of::<Int16Type>(array)
            }
            DataType::RunEndEncoded(ends, _) if ends.data_type() == &DataType::Int32 => {
                self.runs_of::<Int32Type>(array)
            }
            _ => self.runs_of::<Int64Type>(array),
        }
    }

    fn runs_of<R: RunEndIndexType>(&mut self, array: &dyn Array) -> Result<()> {
        let Some(runs) = array.as_any().downcast_ref::<RunArray<R>>() else {
            return Err(text::unknown(array.data_type()));
        };
        let keys: Vec<usize> = (0..runs.len()).map(|row| runs.get_physical_index(row)).collect();
        let written = self.written(runs.values())?;
        self.indexed(&written, &keys, None);
        Ok(())
    }

    /// The values of a dictionary as cells; the batches of a file mostly share one dictionary.
    fn written(&mut self, values: &ArrayRef) -> Result<BinaryViewArray> {
        if let Some((known, written)) = &self.dictionary
            && Arc::ptr_eq(known, values)
        {
            return Ok(written.clone());
        }
        let mut cells = Cells::new(self.style);
        cells.append(values)?;
        let written = cells.finish()?;
        self.dictionary = Some((values.clone(), written.clone()));
        Ok(written)
    }

    fn indexed(&mut self, values: &BinaryViewArray, keys: &[usize], nulls: Option<&NullBuffer>) {
        let slots: Vec<usize> = values.data_buffers().iter().map(|buffer| self.slot(buffer)).collect();
        let views = values.views();
        for (row, &key) in keys.iter().enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) || values.is_null(key) {
                self.put_null();
            } else {
                self.views.push(moved(views[key], &slots));
            }
        }
    }

    /// Calls `put` for each row that is not NULL.
    fn each(&mut self, array: &dyn Array, mut put: impl FnMut(usize, &mut Self)) {
        match array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
            None => (0..array.len()).for_each(|row| put(row, self)),
            Some(nulls) => {
                for row in 0..array.len() {
                    if nulls.is_null(row) { self.put_null() } else { put(row, self) }
                }
            }
        }
    }

    #[inline]
    fn put(&mut self, text: &[u8]) {
        if text.len() <= INLINE {
            return self.views.push(view(text, 0, 0));
        }
        let slot = match self.side_slot {
            Some(slot) => slot,
            None => {
                self.buffers.push(Buffer::default());
                *self.side_slot.insert(self.buffers.len() - 1)
            }
        };
        self.views.push(view(text, slot, self.side.len()));
        self.side.extend_from_slice(text);
    }

    fn put_null(&mut self) {
        self.null_rows.push(self.views.len() as u32);
        self.views.push(0);
    }

    /// The index of a buffer in the column; the arrays of a file often share the last ones.
    fn slot(&mut self, buffer: &Buffer) -> usize {
        let known = self
            .buffers
            .iter()
            .rev()
            .take(SHARED_BUFFERS)
            .position(|other| other.ptr_eq(buffer) && other.len() == buffer.len());
        match known {
            Some(from_end) => self.buffers.len() - 1 - from_end,
            None => {
                self.buffers.push(buffer.clone());
                self.buffers.len() - 1
            }
        }
    }

    fn close_side(&mut self) {
        if let Some(slot) = self.side_slot.take() {
            self.buffers[slot] = Buffer::from_vec(std::mem::take(&mut self.side));
        }
    }
}

/// One array as cells, and what is known of them. Views are not converted.
pub(crate) fn of(array: &ArrayRef, style: Style) -> Result<(Known, BinaryViewArray)> {
    match array.data_type() {
        DataType::Utf8View => Ok((known::of(array), array.as_string_view().clone().to_binary_view())),
        DataType::BinaryView if style.column_kind != ColumnKind::Bits => {
            Ok((Known::Nothing, array.as_binary_view().clone()))
        }
        _ => {
            let mut cells = Cells::new(style);
            cells.append(array)?;
            Ok((cells.known(), cells.finish()?))
        }
    }
}

/// A type whose values are in another array.
fn is_indirect(ty: &DataType) -> bool {
    matches!(ty, DataType::Dictionary(..) | DataType::RunEndEncoded(..) | DataType::Null)
}

/// A view of another array, with the indexes of its buffers in this column.
#[inline]
fn moved(view: u128, slots: &[usize]) -> u128 {
    if view as u32 as usize <= INLINE {
        return view;
    }
    let slot = slots[(view >> 64) as u32 as usize] as u128;
    view & !(u128::from(u32::MAX) << 64) | slot << 64
}

/// A view's offset has 31 bits; an array may add some hundred MiB to an open buffer.
const SIDE_BUFFER: usize = 256 << 20;

/// The last buffers that are compared.
const SHARED_BUFFERS: usize = 8;

#[cfg(test)]
mod tests;
