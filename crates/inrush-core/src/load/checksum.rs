//! Checksums of batches: the ledger uses them to check that a source still has the text that was stored.

use super::Batch;
use super::encode::load_data;
use std::hash::Hasher;
use twox_hash::XxHash3_64;

impl Batch {
    /// Returns a checksum of its range of the source: the same text gives the same number in every version (XXH3, 64 bits). Rows
    /// without a text have that of the text of a LOAD ([`Lines`](load_data::Lines)), from their cells as they are in the batch.
    pub fn checksum(&self) -> u64 {
        if !self.origin.text.is_empty() {
            return checksum(&self.origin.text);
        }
        let (mut hasher, mut lines) = (XxHash3_64::with_seed(0), Vec::new());
        let n_rows = self.rows.num_rows();
        for first in (0..n_rows).step_by(PIECE_ROWS) {
            lines.clear();
            load_data::of_cells(self.rows.columns(), first..n_rows.min(first + PIECE_ROWS), &mut lines);
            hasher.write(&lines);
        }
        hasher.finish()
    }
}

/// See [`Batch::checksum`].
pub fn checksum(text: &[u8]) -> u64 {
    XxHash3_64::oneshot(text)
}

/// Summed at a time, of rows without a text: their lines stay in a near cache.
const PIECE_ROWS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Origin;
    use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch};
    use arrow_buffer::Buffer;
    use std::sync::Arc;

    fn origin() -> Origin {
        Origin {
            source: "a.csv".into(),
            first_record: 1,
            first_line: 1,
            span: 0..0,
            text: Buffer::from(&b""[..]),
            lines: 0,
            verbatim: None,
            record_starts: Vec::new(),
            record_ends: Vec::new(),
            stood: None,
        }
    }

    #[test]
    fn the_same_text_has_the_same_number_in_every_version() {
        assert_eq!(checksum(b"1,Ann\n"), checksum(b"1,Ann\n"));
        assert_eq!(checksum(b""), 0x2d06_8005_38d3_94c2, "XXH3's own value of nothing");
    }

    #[test]
    fn cells_of_no_text_are_told_apart() {
        let of = |a: &[Option<&str>]| {
            let column: ArrayRef = Arc::new(a.iter().map(|cell| cell.map(str::as_bytes)).collect::<BinaryViewArray>());
            let rows = RecordBatch::try_from_iter_with_nullable([("a", column, true)]).unwrap();
            Batch { rows, utf8: true, known: Vec::new(), origin: origin(), rejects: Vec::new() }.checksum()
        };
        let cells: [&[Option<&str>]; 6] =
            [&[None], &[Some("")], &[Some("a"), Some("bc")], &[Some("ab"), Some("c")], &[Some("abc")], &[None, None]];
        let numbers: std::collections::BTreeSet<u64> = cells.iter().map(|cells| of(cells)).collect();
        assert_eq!(numbers.len(), cells.len());
    }

    #[test]
    fn cells_of_no_text_are_summed_as_lines_of_a_load() {
        // More than a piece, of all lengths, and the same ones as a part of others.
        let cells: Vec<Option<String>> = (0..2500)
            .map(|i| (i % 7 > 0).then(|| (0..i % 90).map(|j| char::from((i + j) as u8 & 127)).collect()))
            .collect();
        let column: ArrayRef =
            Arc::new(cells.iter().map(|cell| cell.as_deref().map(str::as_bytes)).collect::<BinaryViewArray>());
        let columns = [("a", column.clone(), true), ("b", column, true)];
        let rows = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let origin = origin();
        let batch = |rows| Batch { rows, utf8: true, known: Vec::new(), origin: origin.clone(), rejects: Vec::new() };
        let field = |cell: &Option<String>| {
            let Some(cell) = cell else { return "\\N".into() };
            cell.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\0', "\\0")
        };
        let lines: Vec<String> = cells.iter().map(field).map(|field: String| format!("{field}\t{field}\n")).collect();
        assert_eq!(batch(rows.clone()).checksum(), checksum(lines.concat().as_bytes()));
        assert_eq!(batch(rows.slice(100, 1200)).checksum(), checksum(lines[100..1300].concat().as_bytes()));
    }
}
