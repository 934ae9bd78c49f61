//! [`CsvReader`]: reads a stream of text and cuts it into batches of whole records.
//!
//! Invariant: `text` begins where the next record does. A batch takes the front of `text` with it, and only what lies
//! behind its last record (less than one read) is copied to the next batch's buffer.
//! Faults that end the reading wait in `failed` until the records before them have been delivered.

use super::columns::Columns;
use super::dialect::{CsvOptions, Dialect, MAX_BATCH};
use super::recycle::Recycled;
use super::stretch::{Fault, Rules, Stop, Stretch, Text, count_lines, open_quote_at_limit};
use crate::decompress::Compression;
use crate::file_source::{FileSource, RejectForm};
use crate::infer_types::{Inferred, NullTexts, fit_row, infer_types, share_null_texts};
use crate::input::{Input, Meter};
use crate::on_disk::OnDisk;
use arrow_array::{Array, ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema};
use encoding_rs::{Encoding, UTF_8};
use inrush_core::bulk::ledger::{ChunkLine, Identity};
use inrush_core::bulk::{Batch, FieldUse, Origin, Reject, Source, Taker};
use inrush_core::error::{Error, Place, Result};
use resume::Stored;
use std::io::Read;
use std::mem;
use std::sync::Arc;

/// A CSV or TSV file as a [`Source`].
pub struct CsvReader {
    name: Arc<str>,
    input: Input,
    meter: Arc<Meter>,
    compression: Compression,
    dialect: Dialect,
    names: Vec<String>,
    /// For each field, the texts that stand for NULL.
    nulls: Vec<Vec<Vec<u8>>>,
    uses: Vec<FieldUse>,
    batch_rows: usize,
    rows_were_asked_for: bool,
    batch_bytes: usize,
    max_record: usize,
    read_bytes: usize,
    /// Text from the next record on.
    text: Vec<u8>,
    /// Where `text` begins within all the text of the input.
    text_at: u64,
    /// The line on which `text` begins, from 1.
    line: u64,
    /// The number of the record with which `text` begins, from 1.
    record: u64,
    /// How many records of the whole source are read at most.
    limit: u64,
    /// What of the text from here on is stored already, and left out.
    stored: Stored,
    /// Where the bytes can be read again.
    place_on_disk: Option<OnDisk>,
    /// The bytes come from standard input or a pipe.
    is_stream: bool,
    /// Rows of the last batch: how many to expect in the next.
    last_rows: usize,
    /// Texts and views of batches that may be used no more.
    texts: Recycled,
    views: Recycled,
    /// The input ends where `text` does.
    ended: bool,
    /// Why there is no more text, if that is not its end.
    failed: Option<Error>,
}

impl CsvReader {
    /// Reads CSV from any stream of (decompressed) bytes, named `name` in messages; reads the header at once.
    pub fn new(name: &str, bytes: impl Read + Send + 'static, options: &CsvOptions) -> Result<Self> {
        Self::with(name, Box::new(bytes), Meter::new(None), Compression::None, b',', options, READ_BYTES)
    }

    /// `delimiter` is what the format takes by default; `read_bytes` is how much is read at a time.
    pub(crate) fn with(
        name: &str,
        bytes: Box<dyn Read + Send>,
        meter: Arc<Meter>,
        compression: Compression,
        delimiter: u8,
        options: &CsvOptions,
        read_bytes: usize,
    ) -> Result<Self> {
        let dialect = Dialect::new(options, delimiter)?;
        let input = Input::new(bytes, options.encoding).map_err(|e| cannot_read(name, 0, e))?;
        let mut reader = Self {
            name: name.into(),
            input,
            meter,
            compression,
            dialect,
            names: Vec::new(),
            nulls: Vec::new(),
            uses: Vec::new(),
            batch_rows: options.batch_rows.unwrap_or(DEFAULT_ROWS),
            rows_were_asked_for: options.batch_rows.is_some(),
            batch_bytes: options.batch_bytes,
            max_record: options.max_record,
            read_bytes,
            text: Vec::new(),
            text_at: 0,
            line: 1,
            record: 1,
            limit: options.limit.unwrap_or(u64::MAX),
            stored: Stored::default(),
            place_on_disk: None,
            is_stream: false,
            last_rows: 0,
            texts: Recycled::new(RECYCLED_BATCHES),
            views: Recycled::new(0),
            ended: false,
            failed: None,
        };
        reader.pass_lines(options.skip)?;
        reader.read_names(options.header)?;
        reader.nulls = vec![reader.dialect.nulls.clone(); reader.names.len()];
        reader.select(&every_field(reader.names.len(), false));
        Ok(reader)
    }

    /// The names of the fields: the header's, or `c1`, `c2` .. by the first record. Empty if the file is.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The bytes with a meaning in this file.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The encoding of the file: what its byte order mark says, else the declared one, else UTF-8.
    pub fn encoding(&self) -> &'static Encoding {
        self.input.encoding()
    }

    /// How the file is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// A byte that looks more like this file's delimiter: there is but one field, and its name holds that byte.
    pub fn likelier_delimiter(&self) -> Option<u8> {
        let [name] = &self.names[..] else { return None };
        b";\t|,".iter().copied().find(|byte| *byte != self.dialect.delimiter && name.as_bytes().contains(byte))
    }

    /// The first records, at most `max_bytes` of them but at least one, with all fields, unquoted empty ones as NULL.
    /// `next` will still deliver them; what is wrong behind them is left to it as well.
    pub fn sample(&mut self, max_bytes: usize) -> Result<Batch> {
        let uses = every_field(self.names.len(), true);
        let stretch = self.split(&uses, usize::MAX, max_bytes.min(MAX_SAMPLE));
        let text = Buffer::from(&self.text[..stretch.end]);
        self.batch(text, stretch, &uses)
    }
}

impl Source for CsvReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn fields(&self) -> &[String] {
        &self.names
    }

    /// A use of a field that does not exist is a mistake of the caller's, and panics.
    fn select(&mut self, uses: &[FieldUse]) {
        assert!(uses.iter().all(|use_| use_.index < self.names.len()), "a selected field exists");
        self.uses = uses.to_vec();
        self.views = Recycled::new(RECYCLED_BATCHES * uses.len());
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        let uses = mem::take(&mut self.uses);
        let batch = self.next_batch(&uses);
        self.uses = uses;
        batch
    }

    fn identity(&mut self) -> Result<Option<Identity>> {
        self.find_identity()
    }

    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>> {
        self.place_on_disk.as_ref().map(|file| file.hash_of_first(bytes)).transpose()
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        self.leave_out(stored, verify)
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        if !self.rows_were_asked_for {
            self.batch_rows = usize::MAX;
            self.batch_bytes = bytes.clamp(1, MAX_BATCH - self.max_record);
        }
    }
}

impl FileSource for CsvReader {
    fn meter(&self) -> Arc<Meter> {
        self.meter.clone()
    }

    fn reject_form(&self) -> RejectForm {
        RejectForm::Csv(self.dialect.clone())
    }

    fn as_csv(&self) -> Option<&CsvReader> {
        Some(self)
    }

    /// Takes the texts found for missing values as NULL from now on, each in its own field.
    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>> {
        let mut fields = infer_types(&self.sample(max_bytes)?.rows, NullTexts::Find);
        share_null_texts(&mut fields);
        let declared = self.nulls.clone();
        for (nulls, field) in self.nulls.iter_mut().zip(&fields) {
            nulls.extend(field.null_texts.iter().map(|text| text.clone().into_bytes()));
        }
        // Those that were quoted are still there, and make their field a text after all.
        let settled = infer_types(&self.sample(max_bytes)?.rows, NullTexts::AreTexts);
        for (i, (field, settled)) in fields.iter_mut().zip(settled).enumerate() {
            if field.ty != settled.ty {
                self.nulls[i].clone_from(&declared[i]);
                *field = settled;
            }
        }
        fit_row(&mut fields);
        Ok(fields)
    }
}

impl CsvReader {
    fn next_batch(&mut self, uses: &[FieldUse]) -> Result<Option<Batch>> {
        loop {
            self.pass_stored()?;
            if self.left() == 0 {
                return Ok(None);
            }
            let stretch = self.split(uses, self.batch_rows, self.batch_bytes);
            if stretch.end == 0 {
                return self.failed.take().map_or(Ok(None), Err);
            }
            let records = stretch.records();
            if records == 0 {
                self.drop_text(stretch.end); // Blank lines only.
                continue;
            }
            let rest = &self.text[stretch.end..];
            let room = self.batch_bytes + self.read_bytes;
            // Batches may have grown since.
            let spare = self.texts.take().filter(|spare| spare.capacity() >= room);
            let mut next = spare.unwrap_or_else(|| Vec::with_capacity(room.max(rest.len())));
            next.extend_from_slice(rest);
            self.text.truncate(stretch.end);
            let text = Buffer::from_vec(mem::replace(&mut self.text, next));
            if text.capacity() <= room {
                self.texts.lend(&text); // Not the buffer of an uncommonly long record.
            }
            self.last_rows = stretch.columns.rows();
            let batch = self.batch(text, stretch, uses)?;
            for column in batch.rows.columns() {
                if let Some(column) = column.as_any().downcast_ref::<BinaryViewArray>() {
                    self.views.lend(column.views().inner());
                }
            }
            self.text_at += batch.origin.text.len() as u64;
            self.line += batch.origin.lines;
            self.record += records;
            self.input.forget_malformed_before(self.text_at);
            return Ok(Some(batch));
        }
    }

    /// How many records may still be read.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.record - 1)
    }

    /// Splits the front of the text, reading on as needed, until there is a batch or no more to be had.
    fn split(&mut self, uses: &[FieldUse], max_rows: usize, max_bytes: usize) -> Stretch {
        let room = || self.views.take().unwrap_or_else(|| Vec::with_capacity(self.last_rows));
        let mut stretch = Stretch::new(Columns::new(uses, &self.nulls, room), self.last_rows);
        if self.names.is_empty() {
            return stretch; // An empty file.
        }
        loop {
            let rules = Rules {
                dialect: &self.dialect,
                width: self.names.len(),
                max_record: self.max_record,
                max_records: self.left().min(max_rows as u64),
                max_bytes,
            };
            let gap = self.stored.gap_end().map(|end| (end - self.text_at) as usize);
            let seen = gap.map_or(self.text.len(), |gap| gap.min(self.text.len()));
            let is_last = gap.is_none();
            let text = Text {
                bytes: &self.text[..seen],
                at: self.text_at,
                ends: self.ended && is_last,
                malformed: self.input.malformed(),
            };
            match stretch.advance(rules, text) {
                Stop::Full => return stretch,
                Stop::TooLong => {
                    self.failed.get_or_insert(self.too_long(stretch.end));
                    return stretch;
                }
                Stop::Incomplete { .. } if gap == Some(stretch.end) => return stretch,
                Stop::Incomplete { .. } if gap == Some(seen) || (self.ended && !is_last) => {
                    self.failed.get_or_insert(self.gap_is_torn());
                    return stretch;
                }
                Stop::Incomplete { open_quote: Some(at) } if self.ended => {
                    self.failed.get_or_insert(self.unclosed(at));
                    return stretch;
                }
                Stop::Incomplete { .. } if self.ended || self.failed.is_some() => return stretch,
                Stop::Incomplete { .. } => self.fill(stretch.end),
            }
        }
    }

    /// The batch of a stretch whose text is `text`; does not move on.
    fn batch(&self, text: Buffer, stretch: Stretch, uses: &[FieldUse]) -> Result<Batch> {
        let (mut line, mut counted) = (self.line, 0);
        let mut rejects = Vec::with_capacity(stretch.bad.len());
        for bad in &stretch.bad {
            line += count_lines(&text[counted..bad.start]);
            counted = bad.start;
            let (reason, field) = self.reason(bad.fault);
            let column = field.and_then(|field| self.names.get(field)).map(|name| name.as_str().into());
            let place = Place { source: self.name.clone(), line, column };
            rejects.push(Reject { place, reason, code: 0, raw: text[bad.start..bad.end].to_vec() });
        }
        let rows = stretch.columns.rows();
        let utf8 = self.encoding() != UTF_8 || stretch.utf8;
        let lines = stretch.lines(&text);
        let fields = uses.iter().map(|use_| Field::new(&self.names[use_.index], DataType::BinaryView, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = stretch.columns.finish(text.clone(), stretch.side)?;
        let columns = columns.into_iter().map(|column| Arc::new(column) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let rows = RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|e| Error::data(format!("a batch could not be built: {e}")))?;
        let origin = Origin {
            source: self.name.clone(),
            first_record: self.record,
            first_line: self.line,
            span: self.text_at..self.text_at + text.len() as u64,
            text,
            lines,
            record_starts: stretch.starts,
            record_ends: stretch.ends,
        };
        Ok(Batch { rows, utf8, origin, rejects })
    }

    fn reason(&self, fault: Fault) -> (String, Option<usize>) {
        match fault {
            Fault::Malformed => (format!("the text is not valid {}", self.encoding().name()), None),
            Fault::Garbled(field) => (garbled_reason(field), Some(field)),
            Fault::Fields(found) => (format!("expected {} fields, found {found}", self.names.len()), None),
        }
    }

    /// Reads on. At least as much again as there is of the record at `start`: so splitting it anew stays linear.
    fn fill(&mut self, start: usize) {
        let want = self.read_bytes.max(self.text.len() - start).min(self.max_record + self.read_bytes);
        if self.text.capacity() == 0 {
            self.text.reserve_exact(self.batch_bytes + self.read_bytes);
        }
        match self.input.fill(&mut self.text, want) {
            Ok(ended) => self.ended = ended,
            Err(error) => self.failed = Some(cannot_read(&self.name, self.input.bytes_read(), error)),
        }
    }

    /// Reads on where nothing can be done without more text.
    fn read_on(&mut self, start: usize) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.fill(start);
        Ok(())
    }

    /// Moves on over the first `n` bytes, which are no records.
    fn drop_text(&mut self, n: usize) {
        self.line += count_lines(&self.text[..n]);
        self.text_at += n as u64;
        self.text.drain(..n);
        self.input.forget_malformed_before(self.text_at);
    }

    fn place(&self, at: usize) -> Place {
        Place { source: self.name.clone(), line: self.line + count_lines(&self.text[..at]), column: None }
    }

    fn unclosed(&self, open: usize) -> Error {
        Error::data("a quote opens here and never closes").at(self.place(open)).with_hint(QUOTE_HINT)
    }

    fn too_long(&self, start: usize) -> Error {
        let max = self.max_record;
        match open_quote_at_limit(&self.dialect, &self.text[start..start + max]) {
            Some(open) => Error::data(format!("a quote opens here and does not close within {max} bytes"))
                .at(self.place(start + open))
                .with_hint(QUOTE_HINT),
            None => Error::data(format!("a record is longer than {max} bytes")).at(self.place(start)),
        }
    }
}

fn cannot_read(name: &str, bytes_read: u64, error: std::io::Error) -> Error {
    let doing = format!("cannot read `{name}` beyond byte {bytes_read} of its text");
    match error.raw_os_error() {
        Some(_) => Error::io(doing, error),
        None => Error::data(format!("{doing}: {error}")), // A decompressor's word: the file is damaged or cut short.
    }
}

fn garbled_reason(field: usize) -> String {
    format!("text follows the closing quote of field {}", field + 1)
}

fn every_field(n: usize, empty_is_null: bool) -> Vec<FieldUse> {
    (0..n).map(|index| FieldUse { index, empty_is_null, taker: Taker::Text }).collect()
}

/// 256 KiB: larger reads were no faster (docs/notes/csv.md), and half of one is what a batch copies to the next.
pub(crate) const READ_BYTES: usize = 256 << 10;

/// More batches than a loader has under way at a time.
const RECYCLED_BATCHES: usize = 16;

/// The most records of a batch, as long as nobody says how large batches are to be.
const DEFAULT_ROWS: usize = 64_000;

/// Keeps the offsets of a sample within 31 bits.
const MAX_SAMPLE: usize = 64 << 20;

const QUOTE_HINT: &str = "if quotes are plain text in this file, `--quote ''` turns quoting off";

mod head;
mod resume;
#[cfg(test)]
mod tests;
