//! The unit of work: a [`Batch`] of rows as Arrow columns, with its [`Origin`] so that every row can be named again.
//!
//! Invariant: a batch owns exactly the text that contains its records; data that lives longer than the batch is copied
//! ([`Reject::raw`]). A batch is one chunk, and a chunk is one transaction; it is [cut](Batch::cut) only where the server refuses
//! transactions of its size.

use super::stood::Stood;
use crate::column::check::Known;
use crate::error::{InputFault, Place};
use crate::write::Separators;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, RecordBatch};
use arrow_buffer::Buffer;
use std::ops::Range;
use std::sync::Arc;

/// A batch of rows to be stored in a table.
#[derive(Debug)]
pub struct Batch {
    /// The rows: one column per mapped source field, in the order of the mapping.
    pub rows: RecordBatch,
    /// True if every text in `rows` is known to be valid UTF-8; if false, text targets must check each cell.
    pub utf8: bool,
    /// What else is known about the columns, in their order. If it is shorter than the columns, nothing is known about the
    /// others.
    pub known: Vec<Known>,
    /// Where the rows come from.
    pub origin: Origin,
    /// Records in this range of the source that never became rows (ragged, not decodable), in order of their lines.
    pub rejects: Vec<Reject>,
}

impl Batch {
    /// Returns the number of its records: rows and rejects.
    pub fn records(&self) -> u64 {
        (self.rows.num_rows() + self.rejects.len()) as u64
    }

    /// Returns its size in bytes of the source: of its text, or of its cells if it has none.
    pub fn bytes(&self) -> u64 {
        match self.origin.text.len() {
            0 => self.rows.columns().iter().map(|column| cell_bytes(column.as_binary_view())).sum(),
            n => n as u64,
        }
    }

    /// Returns row `row` in the form in which a person corrects it: the record exactly as in the source, line end included. If
    /// the source is not text, returns its cells as a line of CSV, NULL as an unquoted `\N`.
    pub fn raw(&self, row: usize) -> Vec<u8> {
        match &self.origin.stood {
            Some(stood) => {
                if let Some(raw) = stood.raw(row) {
                    return raw.to_vec();
                }
            }
            None if !self.origin.record_starts.is_empty() => return self.origin.raw(row).to_vec(),
            None => {}
        }
        let cell = |column: &ArrayRef| {
            let column = column.as_binary_view();
            column.is_valid(row).then(|| column.value(row).to_vec())
        };
        csv_line(self.rows.columns().iter().map(cell))
    }

    /// Returns the size of a row in bytes: of its record in the source, or of its cells.
    pub fn row_bytes(&self, row: usize) -> usize {
        match (self.origin.record_starts.get(row), self.origin.record_ends.get(row)) {
            (Some(start), Some(end)) => (end - start) as usize,
            _ => self.rows.columns().iter().map(|column| column.as_binary_view().views()[row] as u32 as usize).sum(),
        }
    }

    /// Cuts the batch before row `row`. Returns two consecutive batches that cover its range of the source. Returns `None` if one
    /// side would have no row, or if it is not known which side its rejects belong to.
    pub fn cut(&self, row: usize) -> Option<(Batch, Batch)> {
        let (origin, n_rows) = (&self.origin, self.rows.num_rows());
        if row == 0 || row >= n_rows {
            return None;
        }
        let at = match origin.record_starts.get(row) {
            Some(&start) => start as usize,
            None if self.rejects.is_empty() => 0,
            None => return None,
        };
        let is_text = at > 0;
        let lines = match is_text {
            true => memchr::memchr_iter(b'\n', &origin.text[..at]).count() as u64,
            false => origin.lines.min(row as u64),
        };
        let cut_line = origin.first_line + lines;
        let (before, behind): (Vec<_>, Vec<_>) =
            self.rejects.iter().cloned().partition(|reject| reject.place.line < cut_line);
        let place = origin.span.start + if is_text { at as u64 } else { row as u64 };
        let moved = |offsets: &[u32]| offsets.iter().map(|offset| offset - at as u32).collect::<Vec<_>>();
        let first = Origin {
            span: origin.span.start..place,
            text: origin.text.slice_with_length(0, at),
            lines,
            record_starts: origin.record_starts.iter().take(row).copied().collect(),
            record_ends: origin.record_ends.iter().take(row).copied().collect(),
            stood: origin.stood.as_ref().map(|stood| stood.part(0..row)),
            ..origin.clone()
        };
        let second = Origin {
            first_record: origin.first_record + (row + before.len()) as u64,
            first_line: cut_line,
            span: place..origin.span.end,
            text: origin.text.slice(at),
            lines: origin.lines - lines,
            record_starts: moved(origin.record_starts.get(row..).unwrap_or_default()),
            record_ends: moved(origin.record_ends.get(row..).unwrap_or_default()),
            stood: origin.stood.as_ref().map(|stood| stood.part(row..n_rows)),
            ..origin.clone()
        };
        let part = |rows, origin, rejects| Batch { rows, utf8: self.utf8, known: self.known.clone(), origin, rejects };
        Some((part(self.rows.slice(0, row), first, before), part(self.rows.slice(row, n_rows - row), second, behind)))
    }

    /// Returns the lines on which the first and the last row begin, like [`Origin::place`], but without counting all lines in
    /// between. For sorted rows these are lines of the sorted text, because neighbours are not adjacent in the sources.
    pub fn row_lines(&self) -> (u64, u64) {
        let origin = &self.origin;
        if origin.stood.is_some() {
            return (origin.first_line, origin.first_line + origin.lines.saturating_sub(1));
        }
        match (self.rows.num_rows(), origin.record_starts.last()) {
            (0, _) => (origin.first_line, origin.first_line),
            (_, Some(&last)) => {
                let behind = memchr::memchr_iter(b'\n', &origin.text[last as usize..]).count() as u64;
                (origin.place(0).line, origin.first_line + origin.lines.saturating_sub(behind))
            }
            (n_rows, None) => (origin.place(0).line, origin.place(n_rows - 1).line),
        }
    }
}

/// How many bytes are in cells.
fn cell_bytes(column: &BinaryViewArray) -> u64 {
    column.views().iter().map(|view| u64::from(*view as u32)).sum()
}

/// A line of CSV: every text in quotes that needs them or would be NULL without them.
pub fn csv_line<T: AsRef<[u8]>>(cells: impl IntoIterator<Item = Option<T>>) -> Vec<u8> {
    let mut line = Vec::new();
    for (i, cell) in cells.into_iter().enumerate() {
        if i > 0 {
            line.push(b',');
        }
        let Some(cell) = cell else {
            line.extend_from_slice(NULL_IN_CSV);
            continue;
        };
        let cell = cell.as_ref();
        if !cell.is_empty() && cell != NULL_IN_CSV && !cell.iter().any(|byte| b",\"\r\n".contains(byte)) {
            line.extend_from_slice(cell);
            continue;
        }
        line.push(b'"');
        for &byte in cell {
            line.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
        }
        line.push(b'"');
    }
    line.push(b'\n');
    line
}

/// Stands for NULL in a line of CSV that we write; `--null '\N'` reads it back.
const NULL_IN_CSV: &[u8] = b"\\N";

/// Where the rows of a batch come from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The source's name as the user wrote it.
    pub source: Arc<str>,
    /// The number of the batch's first record within the source, counted from 1, header not counted.
    pub first_record: u64,
    /// The line on which `text` begins, counted from 1.
    pub first_line: u64,
    /// Its range in the source: bytes of the decompressed and decoded text, as many as `text` has. If the source is not text:
    /// rows, counted from 0.
    pub span: Range<u64>,
    /// The text that contains the rows, decompressed and decoded; empty for sources that are not text.
    pub text: Buffer,
    /// How many lines end in `text`.
    pub lines: u64,
    /// The separators between the fields of `text`. Set if `text` consists only of rows, each ended by a line feed alone, and
    /// their fields are the columns of the batch, unchanged and in their order.
    pub verbatim: Option<Separators>,
    /// For row `i`, the half-open range of its record in `text` (line end included) is
    /// `record_starts[i]..record_ends[i]`; empty for sources that are not text, and of a [`PassThrough`](super::PassThrough).
    pub record_starts: Vec<u32>,
    /// See `record_starts`.
    pub record_ends: Vec<u32>,
    /// Set if the rows were sorted: the place of each row in the sources. All other fields then describe the sorted text.
    pub stood: Option<Stood>,
}

impl Origin {
    /// The place of row `row`. Counts newlines in the text before it: for messages, not for every row.
    pub fn place(&self, row: usize) -> Place {
        if let Some(place) = self.stood.as_ref().and_then(|stood| stood.place(row)) {
            return place;
        }
        let line = match self.record_starts.get(row) {
            Some(&start) => self.first_line + memchr::memchr_iter(b'\n', &self.text[..start as usize]).count() as u64,
            None => self.first_record + row as u64,
        };
        Place { source: self.source.clone(), line, column: None }
    }

    /// Returns the places of many rows, which must be requested in ascending order: the text is scanned only once.
    pub fn places(&self) -> Places<'_> {
        Places { origin: self, at: 0, line: self.first_line }
    }

    /// Returns the record of row `row` exactly as in the source, line end included; empty for sources that are not text.
    pub fn raw(&self, row: usize) -> &[u8] {
        match (self.record_starts.get(row), self.record_ends.get(row)) {
            (Some(&start), Some(&end)) => &self.text[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// See [`Origin::places`].
#[derive(Debug)]
pub struct Places<'a> {
    origin: &'a Origin,
    at: usize,
    line: u64,
}

impl Places<'_> {
    /// Returns the place of row `row`, which must not come before the last requested one.
    pub fn of(&mut self, row: usize) -> Place {
        match self.origin.record_starts.get(row) {
            Some(&start) if start as usize >= self.at && self.origin.stood.is_none() => {
                let text = &self.origin.text[self.at..start as usize];
                self.line += memchr::memchr_iter(b'\n', text).count() as u64;
                self.at = start as usize;
                Place { source: self.origin.source.clone(), line: self.line, column: None }
            }
            _ => self.origin.place(row),
        }
    }
}

/// A row that was refused, by us or by the server, with everything that a person needs to correct it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// File, line and, where one field is at fault, column.
    pub place: Place,
    /// Why, as in an error message: lower case, no final dot, the value in backticks.
    pub reason: String,
    /// The same as a value to match on.
    pub fault: InputFault,
    /// The server's error code, 0 if we found it ourselves.
    pub code: u16,
    /// The record exactly as in the source, line end included.
    pub raw: Vec<u8>,
}

impl Reject {
    /// A row that we refused.
    pub fn new(place: Place, reason: impl Into<String>, fault: InputFault, raw: impl Into<Vec<u8>>) -> Self {
        Self { place, reason: reason.into(), fault, code: 0, raw: raw.into() }
    }
}

#[cfg(test)]
mod tests;
