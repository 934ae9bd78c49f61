//! Cells of a binary-view column, read straight from the views, and the column that results when some are rewritten.
//!
//! A view is 16 bytes: the length (4 bytes, little endian), then either the bytes themselves (12 or fewer) or a prefix (4
//! bytes), the number of a buffer (4) and the offset in it (4). Reading them here, and not through
//! `BinaryViewArray::value`, saves a third of a check's time on short cells (docs/notes/encode.md).

use arrow_array::{Array, BinaryViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};

/// The cells of one column.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    views: &'a [u128],
    inline: &'a [u8],
    buffers: &'a [Buffer],
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Cells<'a> {
    /// Looks into `column`.
    pub fn new(column: &'a BinaryViewArray) -> Self {
        Self {
            views: column.views(),
            inline: column.views().inner().as_slice(),
            buffers: column.data_buffers(),
            nulls: column.nulls().filter(|n| n.null_count() > 0),
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Cell `row`; `None` is NULL.
    #[inline(always)]
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        if self.is_null(row) { None } else { Some(self.bytes(row)) }
    }

    /// True if some cell is NULL.
    pub fn has_nulls(&self) -> bool {
        self.nulls.is_some()
    }

    /// The length of the longest cell, in bytes; a NULL may have any.
    pub(super) fn longest(&self) -> u32 {
        self.views.iter().map(|view| *view as u32).max().unwrap_or_default()
    }

    /// True if cell `row` is NULL.
    #[inline(always)]
    pub fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|n| n.is_null(row))
    }

    /// All views; those of cells that are NULL may be any.
    pub fn views(&self) -> &'a [u128] {
        self.views
    }

    /// The bytes of cell `row`, whatever they are if it is NULL.
    #[inline(always)]
    pub fn bytes(&self, row: usize) -> &'a [u8] {
        let view = self.views[row];
        let len = view as u32 as usize;
        if len <= INLINE {
            let start = row * 16 + 4;
            &self.inline[start..start + len]
        } else {
            let buffer = (view >> 64) as u32 as usize;
            let offset = (view >> 96) as u32 as usize;
            &self.buffers[buffer].as_slice()[offset..offset + len]
        }
    }

    /// What lies in memory from the start of cell `row` on, and the cell's length: behind a short cell there usually is
    /// something, and copying a fixed number of bytes is faster than copying few.
    #[inline]
    pub fn bytes_and_more(&self, row: usize) -> (&'a [u8], usize) {
        let view = self.views[row];
        let len = view as u32 as usize;
        if len <= INLINE {
            (&self.inline[row * 16 + 4..], len)
        } else {
            let buffer = (view >> 64) as u32 as usize;
            let offset = (view >> 96) as u32 as usize;
            (&self.buffers[buffer].as_slice()[offset..], len)
        }
    }
}

/// Collects rewritten cells; the column they were taken from stays as it is.
#[derive(Default)]
pub(super) struct Rewritten {
    /// The text of the cell that is being written, behind those that are finished.
    pub(super) text: Vec<u8>,
    finished: usize,
    full: Vec<Vec<u8>>,
    cells: Vec<(u32, u128)>,
}

impl Rewritten {
    /// Drops what has been written to `text` since the last cell was finished.
    #[inline]
    pub(super) fn discard(&mut self) {
        self.text.truncate(self.finished);
    }

    /// What was written to `text` since the last cell was finished becomes cell `row`, which was `old`, of a column with `n_buffers`.
    pub(super) fn finish(&mut self, row: usize, old: &[u8], n_buffers: usize) {
        let cell = &self.text[self.finished..];
        if cell == old {
            return self.discard();
        }
        self.cells.push((row as u32, view(cell, n_buffers + self.full.len(), self.finished)));
        if cell.len() <= INLINE {
            return self.discard();
        }
        self.finished = self.text.len();
        if self.finished >= SIDE_BUFFER {
            self.full.push(std::mem::take(&mut self.text));
            self.finished = 0;
        }
    }

    /// The column with its rewritten cells; the column itself if there are none.
    pub(super) fn apply(self, column: &BinaryViewArray) -> BinaryViewArray {
        if self.cells.is_empty() {
            return column.clone();
        }
        let mut views = column.views().to_vec();
        for (row, view) in self.cells {
            views[row as usize] = view;
        }
        let mut buffers = column.data_buffers().to_vec();
        buffers.extend(self.full.into_iter().map(Buffer::from_vec));
        buffers.push(Buffer::from_vec(self.text));
        BinaryViewArray::new(ScalarBuffer::from(views), buffers, column.nulls().cloned())
    }
}

/// The view of bytes that, if they are too many for the view, lie at `at` of the buffer of this number.
#[inline]
pub fn view(bytes: &[u8], buffer: usize, at: usize) -> u128 {
    let len = bytes.len();
    match bytes.first_chunk::<4>() {
        Some(head) if len > INLINE => {
            len as u128 | u128::from(u32::from_le_bytes(*head)) << 32 | (buffer as u128) << 64 | (at as u128) << 96
        }
        _ => len as u128 | short(bytes) << 32,
    }
}

/// At most 12 bytes as a number, the first one lowest: as two numbers of a fixed length that overlap, not one byte after the other.
#[inline]
fn short(bytes: &[u8]) -> u128 {
    let both = |first: u64, last: u64, behind: usize| u128::from(first) | u128::from(last) << (8 * behind);
    let n = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        both(u64::from_le_bytes(*first), u64::from_le_bytes(*last), n - 8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        both(u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), n - 4)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        both(u16::from_le_bytes(*first).into(), u16::from_le_bytes(*last).into(), n - 2)
    } else {
        bytes.first().copied().unwrap_or_default().into()
    }
}

/// Cells up to this length, in bytes, lie in the view itself.
pub const INLINE: usize = 12;

/// A view's offset has 31 bits; a rewritten cell is never near 1 GiB, so a buffer closed here stays below that.
const SIDE_BUFFER: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_what_arrow_makes_of_the_bytes() {
        let text: Vec<u8> = (1..=40).collect();
        for len in 0..=text.len() {
            let array = BinaryViewArray::from_iter_values([&text[text.len() - len..]]);
            assert_eq!(view(&text[text.len() - len..], 0, 0), array.views()[0], "{len}");
        }
        assert_eq!(view(&text, 3, 5) >> 64, 3 | 5 << 32);
    }
}
