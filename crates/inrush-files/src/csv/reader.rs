//! [`CsvReader`]: reads a stream of text and cuts it into batches of whole records.
//!
//! Invariant: `text` begins with the next record. A batch takes the front of `text`, and only the rest (less than one read) is copied to
//! the next batch's buffer. An error that ends the reading stays in `failed` until the records before it were returned.

use super::cut::{Cut, Rules, Stop, count_lines, open_quote_at_limit};
use super::parse::{CsvChunk, Parser, RECYCLED_BATCHES};
use super::recycle::Recycled;
use crate::decompress::Compression;
use crate::dialect::{CsvOptions, DEFAULT_RECORD, Dialect, MAX_BATCH};
use crate::file_source::{FileSource, RejectForm};
use crate::formats::{DateFormat, Proposal, propose};
use crate::infer_types::{Inference, Inferred, Texts, fit_row, settle};
use crate::input::{Input, Meter};
use crate::names::Renamed;
use crate::on_disk::OnDisk;
use crate::sniff::DetectedDialect;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_buffer::Buffer;
use encoding_rs::Encoding;
use inrush_core::error::{Error, Place, Result};
use inrush_core::load::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::load::{Batch, FieldUse, RawChunk, Source, Unchanged};
use resume::Stored;
use std::any::Any;
use std::io::Read;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A CSV or TSV file as a [`Source`].
pub struct CsvReader {
    name: Arc<str>,
    input: Input,
    meter: Arc<Meter>,
    compression: Compression,
    dialect: Dialect,
    names: Vec<String>,
    /// Parses raw chunks.
    parser: Arc<Parser>,
    batch_rows: usize,
    has_batch_rows: bool,
    /// The most records of a batch, also if [`CsvOptions::batch_rows`] is larger.
    max_rows: usize,
    batch_bytes: usize,
    max_record: usize,
    read_bytes: usize,
    /// Text from the next record on.
    text: Vec<u8>,
    /// The offset of `text` in the text of the input.
    text_at: u64,
    /// The line on which `text` begins, from 1.
    line: u64,
    /// The number of the record with which `text` begins, from 1.
    record: u64,
    /// The most records that are read of the source.
    limit: u64,
    /// See [`Source::reading`].
    reading: Mapping,
    /// The stored parts of the rest of the text, which are skipped.
    stored: Stored,
    /// The file, if the bytes can be read again.
    place_on_disk: Option<OnDisk>,
    /// The bytes come from standard input or a pipe.
    is_stream: bool,
    /// The text is another one than the file has, so its offsets are not the file's.
    is_rewritten: bool,
    /// Text buffers of batches, to be reused.
    texts: Recycled,
    renamed: Renamed,
    /// What was detected from the file's beginning.
    found: Option<DetectedDialect>,
    /// What helps to read a text that is not UTF-8.
    likely_encoding: Option<String>,
    /// The input ends with `text`.
    ended: bool,
    /// The error that ended the reading.
    failed: Option<Error>,
}

impl CsvReader {
    /// Reads CSV from any stream of (decompressed) bytes, named `name` in messages; reads the header at once.
    pub fn new(name: &str, bytes: impl Read + Send + 'static, options: &CsvOptions) -> Result<Self> {
        Self::with(name, Box::new(bytes), Meter::new(None), Compression::None, b',', options, READ_BYTES)
    }

    /// `delimiter` is the format's default; `read_bytes` is the size of a read.
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
        let mut input = Input::new(bytes, options.encoding).map_err(|e| cannot_read(name, 0, e))?;
        if options.cr_ends {
            input = input.with_lone_returns(&dialect);
        }
        let name: Arc<str> = name.into();
        let parser = Parser::new(name.clone(), dialect.clone(), Vec::new(), Vec::new(), input.encoding(), options);
        let mut reader = Self {
            name,
            input,
            meter,
            compression,
            dialect,
            names: Vec::new(),
            parser: Arc::new(parser),
            batch_rows: options.batch_rows.unwrap_or(DEFAULT_ROWS),
            has_batch_rows: options.batch_rows.is_some(),
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
            is_rewritten: false,
            texts: Recycled::new(RECYCLED_BATCHES),
            renamed: Vec::new(),
            found: None,
            likely_encoding: None,
            ended: false,
            failed: None,
        };
        reader.pass_lines(options.skip)?;
        reader.read_names(options.header)?;
        if options.header {
            reader.clean_names(options.names);
        }
        let nulls = vec![reader.dialect.nulls.clone(); reader.names.len()];
        let Self { name, dialect, names, .. } = &reader;
        let parser = Parser::new(name.clone(), dialect.clone(), names.clone(), nulls, reader.input.encoding(), options);
        reader.parser = Arc::new(parser);
        reader.select(&every_field(reader.names.len(), false));
        Ok(reader)
    }

    /// The names of the fields: those of the header, or `c1`, `c2` .. by the first record. Empty for an empty file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The special bytes of this file.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The encoding of the file: that of its byte order mark, else the declared one, else UTF-8.
    pub fn encoding(&self) -> &'static Encoding {
        self.input.encoding()
    }

    /// How the file is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// What was detected from the file's beginning; `None` if the options left nothing open.
    pub fn found(&self) -> Option<&DetectedDialect> {
        self.found.as_ref()
    }

    /// A hint for a text that is read as UTF-8 and is not UTF-8.
    pub fn likely_encoding(&self) -> Option<&str> {
        self.likely_encoding.as_deref()
    }

    /// For each field, whether an empty text in quotes was read as NULL so far, as for columns that hold no text. It may be read while
    /// other threads parse.
    pub fn quoted_empties(&self) -> Arc<[AtomicBool]> {
        self.parser.quoted_empties()
    }

    /// Marks that the bytes differ from those of the file.
    pub(crate) fn rewritten(self) -> Self {
        Self { is_rewritten: true, ..self }
    }

    pub(crate) fn with_found(self, found: DetectedDialect, likely_encoding: Option<String>) -> Self {
        Self { found: Some(found), likely_encoding, ..self }
    }

    /// The first records, at most `max_bytes` of them but at least one, with all fields, unquoted empty ones as NULL.
    /// `next` still returns them; it also reports errors after them.
    pub fn sample(&mut self, max_bytes: usize) -> Result<Batch> {
        let cut = self.cut(self.max_rows, max_bytes.min(MAX_SAMPLE));
        let parser = Arc::new(self.parser.with_uses(every_field(self.names.len(), true)));
        Box::new(self.chunk(parser, Buffer::from(&self.text[..cut.end]), &cut)).parse()
    }
}

impl Source for CsvReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn fields(&self) -> &[String] {
        &self.names
    }

    /// Panics if a use names a field that does not exist.
    fn select(&mut self, uses: &[FieldUse]) {
        assert!(uses.iter().all(|use_| use_.index < self.names.len()), "a selected field exists");
        self.parser = Arc::new(self.parser.with_uses(uses.to_vec()));
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.next_raw_chunk()?.map(RawChunk::parse).transpose()
    }

    fn next_raw_chunk(&mut self) -> Result<Option<Box<dyn RawChunk>>> {
        Ok(self.next_chunk()?.map(|chunk| Box::new(chunk) as Box<dyn RawChunk>))
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

    fn can_peek(&self) -> bool {
        true
    }

    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>> {
        let cut = self.cut(self.batch_rows.min(self.max_rows), bytes.min(self.batch_bytes));
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let chunk = self.chunk(self.parser.clone(), Buffer::from(&self.text[..cut.end]), &cut);
        Box::new(chunk).parse().map(Some)
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.place_on_disk.clone().map(|file| Arc::new(file) as Arc<dyn Unchanged>)
    }

    /// For a compressed file it is estimated by the ratio so far.
    fn bytes_left(&self) -> Option<u64> {
        let (read, here) = (self.meter.bytes_read(), self.text.len() as u64);
        let unread = u128::from(self.meter.total()?.saturating_sub(read));
        let expanded = unread * u128::from(self.text_at + here) / u128::from(read.max(1));
        Some(here + u64::try_from(expanded).ok()?)
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        if !self.has_batch_rows {
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

    fn renamed(&self) -> &[(usize, String, String)] {
        &self.renamed
    }

    fn reject_form(&self) -> RejectForm {
        RejectForm::Csv(self.dialect.clone())
    }

    fn proposals(&mut self, fields: &[String], max_bytes: usize) -> Result<Vec<Proposal>> {
        let sample = self.sample(max_bytes)?;
        let given = Arc::clone(&self.parser);
        let names = self.names.iter().zip(sample.rows.columns()).filter(|(name, _)| fields.contains(name));
        let of = |(name, column): (&String, &ArrayRef)| {
            let cells: Vec<&[u8]> = column.as_binary_view().iter().flatten().take(PROPOSAL_CELLS).collect();
            propose(name, &cells, given.formats())
        };
        Ok(names.filter_map(of).collect())
    }

    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>> {
        let sample = self.sample(max_bytes)?;
        let is_all = self.is_all(&sample);
        let infer = |reader: &Self, sample: &Batch, texts| {
            let mut inference = Inference::new(reader.names.len(), texts);
            inference.note(&reader.parser.formats().applied_to_sample(&sample.rows)?, &sample.origin);
            Ok::<_, Error>(inference.judge(&reader.names, is_all))
        };
        let mut fields = infer(self, &sample, Texts::Any)?;
        if fields.iter().any(|field| !field.is_text() && !field.null_texts.is_empty()) {
            // Quoted ones remain, and make their field a text.
            let parser = Arc::clone(&self.parser);
            self.read_as(&fields);
            let sample = self.sample(max_bytes);
            self.parser = parser;
            settle(&mut fields, infer(self, &sample?, Texts::NoNulls)?);
        }
        fit_row(&mut fields);
        Ok(fields)
    }

    fn infer_from_records(&mut self, n: u64, texts: Texts) -> Result<Vec<Inferred>> {
        self.select(&every_field(self.names.len(), true));
        let mut inference = Inference::new(self.names.len(), texts);
        let (mut seen, mut ended) = (0, false);
        while seen < n && !ended {
            match self.next()? {
                Some(batch) => {
                    let rows = batch.rows.slice(0, (n - seen).min(batch.rows.num_rows() as u64) as usize);
                    inference.note(&self.parser.formats().applied_to_sample(&rows)?, &batch.origin);
                    seen += batch.records();
                }
                None => ended = true,
            }
        }
        Ok(inference.judge(&self.names, ended))
    }

    fn read_as(&mut self, fields: &[Inferred]) {
        let mut nulls = self.parser.nulls().to_vec();
        let mut formats = self.parser.formats().clone();
        for (nulls, field) in nulls.iter_mut().zip(fields).filter(|(_, field)| !field.is_text()) {
            nulls.extend(field.null_texts.iter().map(|text| text.clone().into_bytes()));
        }
        for (name, field) in self.names.iter().zip(fields).filter(|(_, field)| !field.is_text()) {
            let found = field.date_format.clone();
            formats.dates.extend(found.map(|format| DateFormat { column: Some(name.clone()), format }));
        }
        self.parser = Arc::new(self.parser.with_nulls(nulls).with_formats(formats));
    }

    fn can_be_read_again(&self) -> bool {
        self.place_on_disk.is_some()
    }
}

impl CsvReader {
    /// Blank lines are not records from here on, although there is only one field.
    pub(crate) fn pass_blank_lines(&mut self) {
        self.parser = Arc::new(self.parser.passing_blank_lines());
    }

    /// Limits the records of batches and samples from here on.
    pub(crate) fn limit_rows(&mut self, n: usize) {
        self.max_rows = n.max(1);
    }

    /// Whether a sample is the rest of the file.
    pub(crate) fn is_all(&self, sample: &Batch) -> bool {
        self.ended && sample.origin.text.len() == self.text.len()
    }

    fn next_chunk(&mut self) -> Result<Option<CsvChunk>> {
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
            let chunk = self.chunk(self.parser.clone(), text, &cut);
            self.text_at += chunk.text.len() as u64;
            self.line += chunk.lines;
            self.record += chunk.n_records;
            self.input.forget_malformed_before(self.text_at);
            return Ok(Some(chunk));
        }
    }

    /// The number of records that may still be read.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.record - 1)
    }

    /// Cuts the front of the text, reading more as needed, until there is a batch or the input ends.
    fn cut(&mut self, max_rows: usize, max_bytes: usize) -> Cut {
        let mut cut = Cut::new();
        if self.names.is_empty() {
            return cut; // An empty file.
        }
        loop {
            let rules = Rules {
                dialect: &self.dialect,
                blank_is_record: self.names.len() == 1 && !self.parser.passes_blank_lines(),
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

    /// The first `n` bytes of the text with their memory; the rest is copied.
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
            self.texts.lend(&text); // Not the buffer of an unusually long record.
        }
        text
    }

    /// The raw chunk of a cut; does not advance.
    fn chunk(&self, parser: Arc<Parser>, text: Buffer, cut: &Cut) -> CsvChunk {
        let end = self.text_at + text.len() as u64;
        CsvChunk {
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

    /// Reads more: at least as much as there is of the record at `start`, so that repeated splitting stays linear.
    fn fill(&mut self, start: usize) {
        // A file that is not being loaded holds its header only: there may be thousands of files.
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

    /// Reads more, or returns the error that ended the reading.
    fn read_on(&mut self, start: usize) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.fill(start);
        Ok(())
    }

    /// Skips the first `n` bytes, which are not records.
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
            None => {
                let error = Error::data(format!("a record is longer than {max} bytes")).at(self.place(start));
                // Records of JSON are as long as there is memory for.
                if max < DEFAULT_RECORD { error.with_hint("raise `--memory` if that is meant") } else { error }
            }
        }
    }
}

fn cannot_read(name: &str, bytes_read: u64, error: std::io::Error) -> Error {
    if let Some(own) = error.get_ref().and_then(|error| error.downcast_ref::<Error>()) {
        let (message, hint) = (format!("{} (`{name}`)", own.message()), own.hint().unwrap_or_default());
        return Error::new(own.kind(), message).with_hint(hint.replace("FILE", name));
    }
    let doing = format!("cannot read `{name}` beyond byte {bytes_read} of its text");
    match error.raw_os_error() {
        Some(_) => Error::io(doing, error),
        None => Error::data(format!("{doing}: {error}")), // From a decompressor: the file is damaged or truncated.
    }
}

fn every_field(n: usize, empty_is_null: bool) -> Vec<FieldUse> {
    (0..n).map(|index| FieldUse { index, empty_is_null, ..FieldUse::default() }).collect()
}

/// The most cells of a column that are tried.
const PROPOSAL_CELLS: usize = 1000;

/// 256 KiB: larger reads were no faster (docs/notes/csv.md), and half of one is what a batch copies to the next.
pub(crate) const READ_BYTES: usize = 256 << 10;

/// 16 KiB: more than most headers have.
const HEADER_BYTES: usize = 16 << 10;

/// The default of a batch's records.
const DEFAULT_ROWS: usize = 64_000;

/// Keeps the offsets of a sample below 2^31.
const MAX_SAMPLE: usize = 64 << 20;

const QUOTE_HINT: &str = "if quotes are plain text in this file, `--quote ''` turns quoting off";

mod head;
mod resume;
#[cfg(test)]
mod tests;
