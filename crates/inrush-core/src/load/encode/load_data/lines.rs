//! The text of a LOAD field by field, for rows that are not columns of cells (yet): [`encode`](super::encode) writes the same of cells
//! that no check rewrote, and that text is what rows without a text of their own are summed by ([`Batch::checksum`]).
//!
//! [`Batch::checksum`]: crate::load::Batch::checksum

use super::{ENCODED, NULL};
use crate::column::{Cells, INLINE};
use crate::write::block::Block;
use crate::write::load_text::{SPECIAL, escape};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BinaryViewArray};
use std::ops::Range;

/// Appends lines to a buffer, which has all of them once they are [finished](Lines::finish).
pub struct Lines<'o> {
    block: Block<'o>,
    /// Where the line begins that is being written.
    start: usize,
    longest: usize,
}

impl<'o> Lines<'o> {
    /// Appends to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let block = Block::new(out);
        Self { start: block.total(), block, longest: 0 }
    }

    /// Appends a field that is stored in its view and has no byte that must be escaped: up to 12 bytes.
    #[inline]
    pub fn plain_view(&mut self, view: u128) {
        let len = view as u32 as usize;
        debug_assert!(len <= INLINE, "a view of {len} bytes holds none of them");
        self.block.put_16(view >> 32, len, ENCODED.terminated_by);
    }

    /// A field without any byte that must be escaped.
    #[inline]
    pub fn plain(&mut self, text: &[u8]) {
        self.block.put(text);
        self.block.push(ENCODED.terminated_by);
    }

    /// A cell, whatever it is.
    #[inline]
    pub fn cell(&mut self, cells: &Cells<'_>, row: usize) {
        if cells.is_null(row) {
            return self.plain(NULL);
        }
        self.block.copy_escaped(cells.bytes_and_more(row), SPECIAL, escape);
        self.block.push(ENCODED.terminated_by);
    }

    /// Ends a line of at least one field.
    #[inline]
    pub fn end(&mut self) {
        // Every field is followed by a separator; the last field's separator is replaced by the line end.
        self.block.set_last(b'\n');
        let end = self.block.total();
        self.longest = self.longest.max(end - self.start);
        self.start = end;
    }

    /// Writes what is still held back. Returns the length of the longest line, in bytes, its end included.
    pub fn finish(self) -> usize {
        self.block.finish();
        self.longest
    }
}

/// Appends rows of columns of cells, as they are.
pub(crate) fn of_cells(columns: &[ArrayRef], rows: Range<usize>, out: &mut Vec<u8>) {
    let columns: Vec<&BinaryViewArray> = columns.iter().map(|column| column.as_binary_view()).collect();
    let columns: Vec<Cells<'_>> = columns.into_iter().map(Cells::new).collect();
    let mut lines = Lines::new(out);
    for row in rows {
        columns.iter().for_each(|cells| lines.cell(cells, row));
        lines.end();
    }
    lines.finish();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::view;

    #[test]
    fn fields_and_lines() {
        let cells = BinaryViewArray::from_iter([Some("a\tb"), None, Some("a text that is longer than a view\n")]);
        let cells = Cells::new(&cells);
        let mut out = b"before\n".to_vec();
        let mut lines = Lines::new(&mut out);
        lines.plain_view(view(b"", 0, 0));
        lines.plain_view(view(b"123456789.12", 0, 0));
        lines.end();
        lines.plain(b"7");
        lines.plain(NULL);
        lines.end();
        (0..3).for_each(|row| lines.cell(&cells, row));
        lines.end();
        let want = "\t123456789.12\n7\t\\N\na\\tb\t\\N\ta text that is longer than a view\\n\n";
        assert_eq!(lines.finish(), 44);
        assert_eq!(String::from_utf8(out).unwrap(), format!("before\n{want}"));
    }

    #[test]
    fn lines_beyond_a_block() {
        let mut out = Vec::new();
        let mut lines = Lines::new(&mut out);
        for i in 0..10_000u32 {
            lines.plain_view(view(i.to_string().as_bytes(), 0, 0));
            lines.plain(format!("{i:030}").as_bytes());
            lines.end();
        }
        assert_eq!(lines.finish(), 36);
        let want: String = (0..10_000).map(|i| format!("{i}\t{i:030}\n")).collect();
        assert!(out == want.as_bytes());
    }
}
