//! Builds Arrow's binary-view columns from spans: a view of up to 12 bytes holds them, a longer one points into the text
//! or into the side buffer.
//!
//! ```text
//! bits 0..32    length
//! bits 32..128  the bytes, if at most 12; else their first four, the buffer's index, the offset in it
//! ```

use super::split::{Fields, Span};
use arrow_array::BinaryViewArray;
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use inrush_core::column::{INLINE, view};
use inrush_core::error::{Error, Result};
use inrush_core::load::FieldUse;

/// The columns of a batch under construction.
#[derive(Debug)]
pub(super) struct Columns {
    columns: Vec<CsvColumn>,
    rows: usize,
}

#[derive(Debug)]
struct CsvColumn {
    field: usize,
    /// The views of the texts that mean NULL, as far as a view holds them.
    nulls: Vec<u128>,
    /// The longer ones.
    long_nulls: Vec<Vec<u8>>,
    /// A quoted empty field is NULL.
    takes_no_empty: bool,
    /// There was one.
    met_quoted_empty: bool,
    views: Vec<u128>,
    null_rows: Vec<u32>,
}

impl Columns {
    /// One column for each use; `nulls` are each field's texts for NULL, `room` gives a vector for views.
    pub(super) fn new(uses: &[FieldUse], nulls: &[Vec<Vec<u8>>], mut room: impl FnMut() -> Vec<u128>) -> Self {
        let column = |use_: &FieldUse| {
            let (short, long_nulls): (Vec<_>, Vec<_>) =
                nulls[use_.index].iter().cloned().partition(|null| null.len() <= INLINE);
            CsvColumn {
                field: use_.index,
                nulls: short.iter().map(|null| view(null, 0, 0)).chain(use_.empty_is_null.then_some(EMPTY)).collect(),
                long_nulls,
                takes_no_empty: use_.quoted_empty_is_null,
                met_quoted_empty: false,
                views: room(),
                null_rows: Vec::new(),
            }
        };
        Self { columns: uses.iter().map(column).collect(), rows: 0 }
    }

    /// Appends whole rows of `width` spans each.
    pub(super) fn append(&mut self, text: &[u8], fields: &Fields, width: usize) {
        // An empty file has no header, so no fields and no rows.
        let rows = fields.spans.chunks_exact(width.max(1));
        for column in &mut self.columns {
            let views = rows.clone().map(|row| view_of(text, &fields.side, row[column.field]));
            let before = column.views.len();
            column.views.extend(views);
            if column.nulls.is_empty() && column.long_nulls.is_empty() {
                continue;
            }
            // Views of equal short texts are equal, so one integer comparison is enough.
            for (i, (view, row)) in column.views[before..].iter_mut().zip(rows.clone()).enumerate() {
                let span = row[column.field];
                let is_null = column.nulls.contains(view) || is_any_of(&column.long_nulls, text, span);
                let is_quoted_empty = is_null && column.takes_no_empty && *view == EMPTY && span.is_literal();
                column.met_quoted_empty |= is_quoted_empty;
                if is_null && (!span.is_literal() || is_quoted_empty) {
                    *view = EMPTY;
                    column.null_rows.push((self.rows + i) as u32);
                }
            }
        }
        self.rows += rows.len();
    }

    /// The fields of these rows from a place on are not there: they are NULL, also in a column of text.
    pub(super) fn set_missing(&mut self, rows: &[(usize, usize)]) {
        for column in &mut self.columns {
            let missing = rows.iter().filter(|(_, n_fields)| column.field >= *n_fields);
            column.null_rows.extend(missing.map(|(row, _)| *row as u32));
        }
    }

    /// The fields in which a quoted empty text was NULL.
    pub(super) fn quoted_empties(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().filter(|column| column.met_quoted_empty).map(|column| column.field)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The finished arrays.
    pub(super) fn finish(self, text: Buffer, side: Vec<u8>) -> Result<Vec<BinaryViewArray>> {
        let mut buffers = vec![text];
        if !side.is_empty() {
            buffers.push(Buffer::from_vec(side));
        }
        let rows = self.rows;
        self.columns
            .into_iter()
            .map(|column| {
                let nulls = null_buffer(&column.null_rows, rows);
                BinaryViewArray::try_new(ScalarBuffer::from(column.views), buffers.clone(), nulls)
                    .map_err(|e| Error::data(format!("a column could not be built: {e}")))
            })
            .collect()
    }
}

fn is_any_of(texts: &[Vec<u8>], text: &[u8], span: Span) -> bool {
    !texts.is_empty() && !span.is_aside() && texts.iter().any(|one| **one == text[span.start()..span.end()])
}

/// The view of a field. Sixteen bytes are read at once if the text has that many.
#[inline(always)]
fn view_of(text: &[u8], side: &[u8], span: Span) -> u128 {
    let bytes = if span.is_aside() { side } else { text };
    let (start, end) = (span.start(), span.end());
    let Some(head) = bytes[start..].first_chunk::<16>() else { return view_near_end(bytes, span) };
    let head = u128::from_le_bytes(*head);
    match MASKS.get(end - start) {
        Some(mask) => (end - start) as u128 | (head & mask) << 32,
        None => long_view(head as u32, span),
    }
}

#[cold]
fn view_near_end(bytes: &[u8], span: Span) -> u128 {
    view(&bytes[span.start()..span.end()], span.is_aside().into(), span.start())
}

#[inline(always)]
fn long_view(head: u32, span: Span) -> u128 {
    (span.end() - span.start()) as u128
        | u128::from(head) << 32
        | u128::from(span.is_aside()) << 64
        | (span.start() as u128) << 96
}

fn null_buffer(null_rows: &[u32], rows: usize) -> Option<NullBuffer> {
    if null_rows.is_empty() {
        return None;
    }
    let mut valid = vec![true; rows];
    for &row in null_rows {
        valid[row as usize] = false;
    }
    Some(NullBuffer::from(valid))
}

/// The view of an empty field.
const EMPTY: u128 = 0;

/// The low bytes that belong to a short field, by its length.
const MASKS: [u128; INLINE + 1] = {
    let mut masks = [0; INLINE + 1];
    let mut len = 0;
    while len <= INLINE {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};
