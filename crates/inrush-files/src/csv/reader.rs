//! [`CsvReader`]: reads a stream of text and cuts it into batches of whole records.
//!
//! Invariant: `text` begins where the next record does. A batch takes the front of `text` with it, and only what lies
//! behind its last record (less than one read) is copied to the next batch's buffer.
//! Faults that end the reading wait in `failed` until the records before them have been delivered.

use super::cut::{Cut, Rules, Stop, count_lines, open_quote_at_limit};
use super::parse::{Parser, Piece, RECYCLED_BATCHES};
use super::recycle::Recycled;
use crate::decompress::Compression;
use crate::dialect::{CsvOptions, Dialect, MAX_BATCH};
use crate::file_source::{FileSource, RejectForm};
use crate::infer_types::{Inferred, NullTexts, fit_row, infer_types, share_null_texts};
use crate::input::{Input, Meter};
use crate::on_disk::OnDisk;
use arrow_buffer::Buffer;
use encoding_rs::Encoding;
use inrush_core::bulk::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::bulk::{Batch, FieldUse, Source, Stretch, Taker, Unchanged};
use inrush_core::error::{Error, Place, Result};
use resume::Stored;
use std::any::Any;
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
    /// Takes apart what is cut.
    parser: Arc<Parser>,
    batch_rows: usize,
    rows_were_asked_for: bool,
    /// The most records of a batch, whatever was asked for.
    max_rows: usize,
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
    /// See [`Source::reading`].
    reading: Mapping,
    /// What of the text from here on is stored already, and left out.
    stored: Stored,
    /// Where the bytes can be read again.
    place_on_disk: Option<OnDisk>,
    /// The bytes come from standard input or a pipe.
    is_stream: bool,
    /// Blank lines are no records though there is but one field.
    passes_blank_lines: bool,
    /// Texts of batches that may be used no more.
    texts: Recycled,
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
        let reading = dialect.reading(options);
        let input = Input::new(bytes, options.encoding).map_err(|e| cannot_read(name, 0, e))?;
        let name: Arc<str> = name.into();
        let parser = Parser::new(name.clone(), dialect.clone(), Vec::new(), Vec::new(), input.encoding());
        let mut reader = Self {
            name,
            input,
            meter,
            compression,
            dialect,
            names: Vec::new(),
            parser: Arc::new(parser),
            batch_rows: options.batch_rows.unwrap_or(DEFAULT_ROWS),
            rows_were_asked_for: options.batch_rows.is_some(),
            max_rows: usize::MAX,
            batch_bytes: options.batch_bytes,
            max_record: options.max_record,
            read_bytes,
            text: Vec::new(),
            text_at: 0,
            line: 1,
            record: 1,
            limit: options.limit.unwrap_or(u64::MAX),
            reading,
            stored: Stored::default(),
            place_on_disk: None,
            is_stream: false,
            passes_blank_lines: false,
            texts: Recycled::new(RECYCLED_BATCHES),
            ended: false,
            failed: None,
        };
        reader.pass_lines(options.skip)?;
        reader.read_names(options.header)?;
        let nulls = vec![reader.dialect.nulls.clone(); reader.names.len()];
        let Self { name, dialect, names, .. } = &reader;
        let parser = Parser::new(name.clone(), dialect.clone(), names.clone(), nulls, reader.input.encoding());
        reader.parser = Arc::new(parser);
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
        let cut = self.cut(self.max_rows, max_bytes.min(MAX_SAMPLE));
        let parser = Arc::new(self.parser.with_uses(every_field(self.names.len(), true)));
        Box::new(self.piece(parser, Buffer::from(&self.text[..cut.end]), &cut)).parse()
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
        self.parser = Arc::new(self.parser.with_uses(uses.to_vec()));
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.next_stretch()?.map(Stretch::parse).transpose()
    }

    fn next_stretch(&mut self) -> Result<Option<Box<dyn Stretch>>> {
        Ok(self.next_piece()?.map(|piece| Box::new(piece) as Box<dyn Stretch>))
    }

    fn identity(&mut self) -> Result<Option<Identity>> {
        self.find_identity()
    }

    fn reading(&self) -> Mapping {
        self.reading.clone()
    }

    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>> {
        self.place_on_disk.as_ref().map(|file| file.hash_of_first(bytes)).transpose()
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        self.leave_out(stored, verify)
    }

    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool> {
        self.compare_stored(stored)
    }

    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>> {
        let cut = self.cut(self.batch_rows.min(self.max_rows), bytes.min(self.batch_bytes));
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let piece = self.piece(self.parser.clone(), Buffer::from(&self.text[..cut.end]), &cut);
        Box::new(piece).parse().map(Some)
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.place_on_disk.clone().map(|file| Arc::new(file) as Arc<dyn Unchanged>)
    }

    /// Of a compressed file by what the part that was read came to.
    fn bytes_left(&self) -> Option<u64> {
        let (read, here) = (self.meter.bytes_read(), self.text.len() as u64);
        let unread = u128::from(self.meter.total()?.saturating_sub(read));
        let expanded = unread * u128::from(self.text_at + here) / u128::from(read.max(1));
        Some(here + u64::try_from(expanded).ok()?)
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        if !self.rows_were_asked_for {
            self.batch_rows = usize::MAX;
            self.batch_bytes = bytes.clamp(1, MAX_BATCH - self.max_record);
        }
    }
}

impl dyn FileSource {
    /// The reader, if it is one of CSV.
    pub fn as_csv(&self) -> Option<&CsvReader> {
        (self as &dyn Any).downcast_ref()
    }
}

impl FileSource for CsvReader {
    fn meter(&self) -> Arc<Meter> {
        self.meter.clone()
    }

    fn reject_form(&self) -> RejectForm {
        RejectForm::Csv(self.dialect.clone())
    }

    /// Takes the texts found for missing values as NULL from now on, each in its own field.
    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>> {
        let mut fields = infer_types(&self.sample(max_bytes)?.rows, NullTexts::Find);
        share_null_texts(&mut fields);
        let declared = self.parser.nulls().to_vec();
        let mut nulls = declared.clone();
        for (nulls, field) in nulls.iter_mut().zip(&fields) {
            nulls.extend(field.null_texts.iter().map(|text| text.clone().into_bytes()));
        }
        self.parser = Arc::new(self.parser.with_nulls(nulls.clone()));
        // Those that were quoted are still there, and make their field a text after all.
        let sample = self.sample(max_bytes)?;
        let settled = infer_types(&sample.rows, NullTexts::AreTexts);
        for (i, (field, settled)) in fields.iter_mut().zip(settled).enumerate() {
            if field.ty != settled.ty {
                nulls[i].clone_from(&declared[i]);
                *field = settled;
            }
        }
        self.parser = Arc::new(self.parser.with_nulls(nulls));
        // Behind the sample a value may be missing.
        fields.iter_mut().for_each(|field| field.nullable |= !self.is_all(&sample));
        fit_row(&mut fields);
        Ok(fields)
    }
}

impl CsvReader {
    /// Says that a blank line is no record, though there is but one field.
    pub(crate) fn pass_blank_lines(&mut self) {
        self.passes_blank_lines = true;
    }

    /// No batch and no sample has more records from here on.
    pub(crate) fn limit_rows(&mut self, n: usize) {
        self.max_rows = n.max(1);
    }

    /// Whether nothing follows a sample.
    pub(crate) fn is_all(&self, sample: &Batch) -> bool {
        self.ended && sample.origin.text.len() == self.text.len()
    }

    fn next_piece(&mut self) -> Result<Option<Piece>> {
        loop {
            self.pass_stored()?;
            if self.left() == 0 {
                return Ok(None);
            }
            let cut = self.cut(self.batch_rows.min(self.max_rows), self.batch_bytes);
            if cut.end == 0 {
                return self.failed.take().map_or(Ok(None), Err);
            }
            if cut.records == 0 {
                self.drop_text(cut.end); // Blank lines only.
                continue;
            }
            let text = self.take_text(cut.end);
            let piece = self.piece(self.parser.clone(), text, &cut);
            self.text_at += piece.text.len() as u64;
            self.line += piece.lines;
            self.record += piece.n_records;
            self.input.forget_malformed_before(self.text_at);
            return Ok(Some(piece));
        }
    }

    /// How many records may still be read.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.record - 1)
    }

    /// Cuts the front of the text, reading on as needed, until there is a batch or no more to be had.
    fn cut(&mut self, max_rows: usize, max_bytes: usize) -> Cut {
        let mut cut = Cut::new();
        if self.names.is_empty() {
            return cut; // An empty file.
        }
        loop {
            let rules = Rules {
                dialect: &self.dialect,
                blank_is_record: self.names.len() == 1 && !self.passes_blank_lines,
                max_record: self.max_record,
                max_records: self.left().min(max_rows as u64),
                max_bytes,
            };
            let gap = self.stored.gap_end().map(|end| (end - self.text_at) as usize);
            let seen = gap.map_or(self.text.len(), |gap| gap.min(self.text.len()));
            let is_last = gap.is_none();
            match cut.advance(rules, &self.text[..seen], self.ended && is_last) {
                Stop::Full => return cut,
                Stop::TooLong => {
                    self.failed.get_or_insert(self.too_long(cut.end));
                    return cut;
                }
                Stop::Incomplete { .. } if gap == Some(cut.end) => return cut,
                Stop::Incomplete { .. } if gap == Some(seen) || (self.ended && !is_last) => {
                    self.failed.get_or_insert(self.gap_is_torn());
                    return cut;
                }
                Stop::Incomplete { open_quote: Some(at) } if self.ended => {
                    self.failed.get_or_insert(self.unclosed(at));
                    return cut;
                }
                Stop::Incomplete { .. } if self.ended || self.failed.is_some() => return cut,
                Stop::Incomplete { .. } => self.fill(cut.end),
            }
        }
    }

    /// The first `n` bytes of the text, whose memory goes with them; what is behind them is copied.
    fn take_text(&mut self, n: usize) -> Buffer {
        let rest = &self.text[n..];
        let room = self.batch_bytes + self.read_bytes;
        // Batches may have grown since.
        let spare = self.texts.take().filter(|spare| spare.capacity() >= room);
        let mut next = spare.unwrap_or_else(|| Vec::with_capacity(room.max(rest.len())));
        next.extend_from_slice(rest);
        self.text.truncate(n);
        let text = Buffer::from_vec(mem::replace(&mut self.text, next));
        if text.capacity() <= room {
            self.texts.lend(&text); // Not the buffer of an uncommonly long record.
        }
        text
    }

    /// What was cut; does not move on.
    fn piece(&self, parser: Arc<Parser>, text: Buffer, cut: &Cut) -> Piece {
        let end = self.text_at + text.len() as u64;
        Piece {
            parser,
            at: self.text_at,
            first_record: self.record,
            n_records: cut.records,
            first_line: self.line,
            lines: cut.lines,
            malformed: self.input.malformed().iter().copied().filter(|&at| at < end).collect(),
            text,
        }
    }

    /// Reads on. At least as much again as there is of the record at `start`: so splitting it anew stays linear.
    fn fill(&mut self, start: usize) {
        // Of a file whose turn has not come, no more than its header is held: there may be thousands of them.
        let (read_bytes, room) = match self.names.is_empty() {
            true => (self.read_bytes.min(HEADER_BYTES), 0),
            false => (self.read_bytes, self.batch_bytes + self.read_bytes),
        };
        let want = read_bytes.max(self.text.len() - start).min(self.max_record + read_bytes);
        if self.text.capacity() < room {
            self.text.reserve_exact(room - self.text.len());
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

fn every_field(n: usize, empty_is_null: bool) -> Vec<FieldUse> {
    (0..n).map(|index| FieldUse { index, empty_is_null, taker: Taker::Text }).collect()
}

/// 256 KiB: larger reads were no faster (docs/notes/csv.md), and half of one is what a batch copies to the next.
pub(crate) const READ_BYTES: usize = 256 << 10;

/// 16 KiB: more than most headers have.
const HEADER_BYTES: usize = 16 << 10;

/// The most records of a batch, as long as nobody says how large batches are to be.
const DEFAULT_ROWS: usize = 64_000;

/// Keeps the offsets of a sample within 31 bits.
const MAX_SAMPLE: usize = 64 << 20;

const QUOTE_HINT: &str = "if quotes are plain text in this file, `--quote ''` turns quoting off";

mod head;
mod resume;
#[cfg(test)]
mod tests;
