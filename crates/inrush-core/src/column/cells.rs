//! Cells of a binary-view column, read straight from the views, and the column that results when some are rewritten.
//!
//! Reading them here, and not through `BinaryViewArray::value`, saves a third of a check's time on short cells (docs/notes/encode.md).

use arrow_array::{Array, BinaryViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};

use super::view::{INLINE, view};

/// The cells of one column.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    views: &'a [u128],
    inline: &'a [u8],
    buffers: &'a [Buffer],
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Cells<'a> {
    /// Reads from `column`.
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

    /// Returns the memory from the start of cell `row` on, and the cell's length. In most cases more bytes follow a short cell,
    /// and copying a fixed number of bytes is faster than copying few.
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

/// Collects rewritten cells; the source column does not change.
#[derive(Default)]
pub(super) struct Rewritten {
    /// The text of the cell that is being written, after the text of the finished ones.
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

    /// The text written since the last finished cell becomes cell `row`, which was `old`, of a column with `n_buffers`.
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

/// A view's offset has 31 bits; a rewritten cell is never near 1 GiB, so a buffer closed here stays below that.
const SIDE_BUFFER: usize = 1 << 30;
