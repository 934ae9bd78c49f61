//! A range of the sorted sequence as a chunk of a load: a text of lines that were all checked when they were sorted. LOAD DATA
//! reads it unchanged; other methods, and replays, get its cells.

use super::record::Record;
use crate::column::check::{Check, Known};
use crate::column::view;
use crate::error::{Error, Result};
use crate::load::encode::load_data::{ENCODED, NULL};
use crate::load::stood::{RawRecords, Stood};
use crate::load::{Batch, Origin, PassThrough, RawChunk};
use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use std::mem;
use std::sync::Arc;

/// Lines of the sequence that are collected for a chunk.
#[derive(Debug, Default)]
pub struct SortedText {
    text: Vec<u8>,
    places: Vec<u64>,
    longest: usize,
    raw: Vec<u8>,
    /// Of the raw records, if they are kept; begins with 0.
    raw_ends: Vec<u64>,
}

/// What all chunks of a sequence have in common.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// What the sequence is called.
    pub name: Arc<str>,
    /// The sources, in the order of their numbers.
    pub sources: Arc<[Arc<str>]>,
    /// The names of the fields of a line.
    pub fields: Arc<[String]>,
    /// Whether records were kept exactly as in the sources.
    pub keeps_raw: bool,
}

impl SortedText {
    /// Takes the row that comes next.
    pub fn push(&mut self, record: &Record<'_>) {
        self.text.extend_from_slice(record.line);
        self.places.push(record.place.0);
        self.longest = self.longest.max(record.line.len());
        if self.raw_ends.is_empty() {
            self.raw_ends.push(0);
        }
        self.raw.extend_from_slice(record.raw);
        self.raw_ends.push(self.raw.len() as u64);
    }

    /// Bytes of its lines.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many rows it has.
    pub fn n_rows(&self) -> u64 {
        self.places.len() as u64
    }

    /// Its lines.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Takes a chunk of all its rows. The first row has the number `first_row` in the sequence, counted from 0, and its text
    /// begins at byte `start` of the sequence. Afterwards `self` is empty.
    pub fn take(&mut self, sequence: &Sequence, first_row: u64, start: u64) -> SortedChunk {
        let Self { text, places, longest, raw, raw_ends } = mem::take(self);
        let raw = sequence.keeps_raw.then(|| RawRecords { text: raw.into(), ends: raw_ends.into() });
        let (lines, span) = (places.len() as u64, start..start + text.len() as u64);
        let origin = Origin {
            source: sequence.name.clone(),
            first_record: first_row + 1,
            first_line: first_row + 1,
            span,
            text: Buffer::from(text),
            lines,
            verbatim: None,
            record_starts: Vec::new(),
            record_ends: Vec::new(),
            stood: Some(Stood::new(sequence.sources.clone(), places.into(), raw)),
        };
        SortedChunk { origin, longest, fields: sequence.fields.clone() }
    }
}

/// A range of a sorted sequence.
#[derive(Clone, Debug)]
pub struct SortedChunk {
    /// Without the places of single lines.
    origin: Origin,
    longest: usize,
    fields: Arc<[String]>,
}

impl RawChunk for SortedChunk {
    fn records(&self) -> u64 {
        self.origin.lines
    }

    fn bytes(&self) -> u64 {
        self.origin.text.len() as u64
    }

    fn pass_through(&self, _: &[Check]) -> Option<PassThrough> {
        let origin = Origin { verbatim: Some(ENCODED), ..self.origin.clone() };
        // A place takes 8 bytes.
        let memory = origin.text.len() + 8 * origin.lines as usize;
        let apart = self.clone();
        Some(PassThrough::new(origin, self.longest, memory, move || apart.batch()))
    }

    fn parse(self: Box<Self>) -> Result<Batch> {
        self.batch()
    }
}

impl SortedChunk {
    /// The cells of its lines.
    fn batch(&self) -> Result<Batch> {
        let (text, n_fields, n_rows) = (&self.origin.text, self.fields.len(), self.origin.lines as usize);
        let mut columns: Vec<ColumnBuilder> = (0..n_fields).map(|_| ColumnBuilder::with_room(n_rows)).collect();
        let (mut starts, mut ends) = (Vec::with_capacity(n_rows), Vec::with_capacity(n_rows));
        let mut unescaped = Vec::new();
        let (mut line, mut start, mut field) = (0, 0, 0);
        let (mut is_escaped, mut behind_escape) = (false, usize::MAX);
        for at in memchr::memchr3_iter(ENCODED.terminated_by, b'\n', b'\\', text) {
            if at == behind_escape {
                continue;
            }
            if text[at] == b'\\' {
                (is_escaped, behind_escape) = (true, at + 1);
                continue;
            }
            let column = columns.get_mut(field).ok_or_else(not_a_line)?;
            column.push(text, start..at, is_escaped, &mut unescaped);
            (start, field, is_escaped) = (at + 1, field + 1, false);
            if text[at] == b'\n' {
                if field != n_fields {
                    return Err(not_a_line());
                }
                starts.push(line as u32);
                ends.push(start as u32);
                (line, field) = (start, 0);
            }
        }
        if starts.len() != n_rows || line != text.len() {
            return Err(not_a_line());
        }
        let buffers = [text.clone(), Buffer::from(unescaped)];
        let schema = Schema::new(
            self.fields.iter().map(|name| Field::new(name, DataType::BinaryView, true)).collect::<Vec<_>>(),
        );
        let arrays = columns.into_iter().map(|column| column.finish(&buffers)).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
        let rows = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options).map_err(cannot_build)?;
        let origin = Origin { record_starts: starts, record_ends: ends, ..self.origin.clone() };
        Ok(Batch { rows, utf8: false, known: vec![Known::Checked; n_fields], origin, rejects: Vec::new() })
    }
}

/// A column under construction.
struct ColumnBuilder {
    views: Vec<u128>,
    is_valid: Vec<bool>,
}

impl ColumnBuilder {
    fn with_room(n_rows: usize) -> Self {
        Self { views: Vec::with_capacity(n_rows), is_valid: Vec::with_capacity(n_rows) }
    }

    fn push(&mut self, text: &[u8], field: std::ops::Range<usize>, is_escaped: bool, unescaped: &mut Vec<u8>) {
        let bytes = &text[field.clone()];
        if !is_escaped {
            self.views.push(view(bytes, TEXT, field.start));
        } else if bytes == NULL {
            self.views.push(0);
        } else {
            let start = unescaped.len();
            unescape(bytes, unescaped);
            self.views.push(view(&unescaped[start..], UNESCAPED, start));
        }
        self.is_valid.push(!is_escaped || bytes != NULL);
    }

    fn finish(self, buffers: &[Buffer; 2]) -> Result<ArrayRef> {
        let nulls = Some(NullBuffer::from(self.is_valid)).filter(|nulls| nulls.null_count() > 0);
        let array = BinaryViewArray::try_new(ScalarBuffer::from(self.views), buffers.to_vec(), nulls);
        Ok(Arc::new(array.map_err(cannot_build)?))
    }
}

/// Numbers of a column's buffers.
const TEXT: usize = 0;
const UNESCAPED: usize = 1;

/// What [`escape`](crate::load::encode) wrote.
fn unescape(field: &[u8], out: &mut Vec<u8>) {
    let mut bytes = field.iter();
    while let Some(&byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next() {
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'0') => 0,
                Some(other) => *other,
                None => byte,
            },
            other => other,
        });
    }
}

fn not_a_line() -> Error {
    Error::protocol("a sorted line does not have the fields that it was written with")
}

fn cannot_build(error: arrow_schema::ArrowError) -> Error {
    Error::data(format!("a batch could not be built: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Cells;
    use crate::load::encode::load_data::Lines;
    use crate::load::sort::SourcePlace;
    use arrow_array::cast::AsArray;

    /// A chunk of rows of two cells.
    fn chunk(rows: &[[Option<&str>; 2]], keeps_raw: bool) -> SortedChunk {
        let mut text = SortedText::default();
        for (i, row) in rows.iter().enumerate() {
            let mut line = Vec::new();
            let mut lines = Lines::new(&mut line);
            for cell in row {
                let array = BinaryViewArray::from_iter([cell.map(str::as_bytes)]);
                lines.cell(&Cells::new(&array), 0);
            }
            lines.end();
            lines.finish();
            let raw = format!("raw {i}\r\n");
            let place = SourcePlace::new(i % 2, 100 - i as u64);
            text.push(&Record { key: b"", place, line: &line, raw: raw.as_bytes() });
        }
        let sequence = Sequence {
            name: "a.csv, sorted".into(),
            sources: ["a.csv".into(), "b.csv".into()].into(),
            fields: ["a".to_owned(), "b".to_owned()].into(),
            keeps_raw,
        };
        text.take(&sequence, 10, 1000)
    }

    #[test]
    fn cells_are_those_that_were_written() {
        let long = "a long text\\ with \t and \n in it";
        let rows = [
            [Some("1"), Some("")],
            [None, Some(long)],
            [Some("\\N"), Some("\\")],
            [Some("a\0b"), None],
            [Some("ends with \\\\"), Some("\t")],
        ];
        let batch = Box::new(chunk(&rows, false)).parse().unwrap();
        let cells = |column: usize| {
            let column = batch.rows.column(column).as_binary_view();
            column.iter().map(|cell| cell.map(|cell| String::from_utf8(cell.to_vec()).unwrap())).collect::<Vec<_>>()
        };
        for column in 0..2 {
            let want: Vec<_> = rows.iter().map(|row| row[column].map(str::to_owned)).collect();
            assert_eq!(cells(column), want);
        }
        assert_eq!(batch.checksum(), crate::load::checksum::checksum(&chunk(&rows, false).origin.text));
    }

    #[test]
    fn rows_have_the_places_of_their_sources() {
        let rows = [[Some("1"), Some("x")], [Some("2"), Some("y")], [Some("3"), Some("z")]];
        let batch = Box::new(chunk(&rows, true)).parse().unwrap();
        let place = |batch: &Batch, row| {
            let place = batch.origin.place(row);
            (place.source.to_string(), place.line, String::from_utf8(batch.raw(row)).unwrap())
        };
        assert_eq!(place(&batch, 1), ("b.csv".into(), 99, "raw 1\r\n".into()));
        let (first, second) = batch.cut(2).unwrap();
        assert_eq!(place(&first, 0), ("a.csv".into(), 100, "raw 0\r\n".into()));
        assert_eq!(place(&second, 0), ("a.csv".into(), 98, "raw 2\r\n".into()));
        assert_eq!((first.origin.span.clone(), second.origin.span.clone()), (1000..1008, 1008..1012));
        assert_eq!((second.origin.first_record, second.origin.first_line), (13, 13));
        assert_eq!(first.origin.places().of(1).line, 99);
        // Where no raw records were kept: a line of CSV.
        let batch = Box::new(chunk(&rows, false)).parse().unwrap();
        assert_eq!(batch.raw(1), b"2,y\n");
    }

    #[test]
    fn lines_of_other_fields_are_refused() {
        let mut text = SortedText::default();
        text.push(&Record { key: b"", place: SourcePlace(0), line: b"1\n", raw: b"" });
        let good = chunk(&[[Some("1"), Some("2")]], false);
        let sequence =
            Sequence { name: "s".into(), sources: ["s".into()].into(), fields: good.fields.clone(), keeps_raw: false };
        assert!(Box::new(text.take(&sequence, 0, 0)).parse().is_err());
    }
}
