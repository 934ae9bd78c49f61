//! [`RecordReader`]: reads a stream of text and cuts it into chunks of whole records, for the parsers of text.
//!
//! Invariant: `text` begins with the next record. A chunk takes the front of `text`, and only the rest (less than one read) is copied to
//! the next chunk's buffer. An error that ends the reading stays in `failed` until the records before it were returned.

use super::cut::{Cut, Rules, Stop, count_lines, open_quote_at_limit};
use super::recycle::{RECYCLED_BATCHES, Recycled};
use crate::decompress::Compression;
use crate::dialect::{CsvOptions, DEFAULT_RECORD, Dialect, MAX_BATCH};
use crate::input::{Input, Meter};
use crate::opened_file::{OpenedFile, TextPlace};
use arrow_buffer::Buffer;
use encoding_rs::Encoding;
use inrush_core::error::{Error, Place, Result};
use inrush_core::load::ledger::Mapping;
use inrush_core::load::{Origin, Unchanged};
use inrush_core::write::Separators;
use memchr::memchr;
use resume::Stored;
use std::mem;
use std::sync::Arc;

/// A text as records: which bytes are a record is decided by the dialect.
pub(crate) struct RecordReader {
    name: Arc<str>,
    input: Input,
    meter: Arc<Meter>,
    compression: Compression,
    dialect: Dialect,
    /// Whether a blank line is a record.
    blank_is_record: bool,
    /// Whether records are read; before that, only a header is.
    has_begun: bool,
    batch_rows: usize,
    has_batch_rows: bool,
    /// The most records of a chunk, also if [`CsvOptions::batch_rows`] is larger.
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
    /// See [`Source::reading`](inrush_core::load::Source::reading).
    reading: Mapping,
    /// The stored parts of the rest of the text, which are skipped.
    stored: Stored,
    place: TextPlace,
    /// The text is another one than the file has, so its offsets are not the file's.
    is_rewritten: bool,
    /// Text buffers of chunks, to be reused.
    texts: Recycled,
    /// The input ends with `text`.
    ended: bool,
    /// The error that ended the reading.
    failed: Option<Error>,
}

/// Complete records, not parsed yet.
#[derive(Clone, Debug)]
pub(crate) struct RecordChunk {
    /// The name of the source.
    pub(crate) name: Arc<str>,
    /// The encoding of the file; the text is UTF-8.
    pub(crate) encoding: &'static Encoding,
    pub(crate) text: Buffer,
    /// The offset of `text` in the text of the input.
    pub(crate) at: u64,
    /// The number of its first record, from 1.
    pub(crate) first_record: u64,
    pub(crate) n_records: u64,
    /// The line on which it begins, from 1.
    pub(crate) first_line: u64,
    pub(crate) lines: u64,
    /// The malformed places, as offsets in `text`.
    pub(crate) malformed: Vec<usize>,
}

impl RecordChunk {
    /// The origin of the records, without the places of single records.
    pub(crate) fn origin(&self, verbatim: Option<Separators>) -> Origin {
        Origin {
            source: self.name.clone(),
            first_record: self.first_record,
            first_line: self.first_line,
            span: self.at..self.at + self.text.len() as u64,
            text: self.text.clone(),
            lines: self.lines,
            verbatim,
            record_starts: Vec::new(),
            record_ends: Vec::new(),
            stood: None,
        }
    }
}

impl RecordReader {
    /// `read_bytes` is the size of a read.
    pub(crate) fn new(file: OpenedFile<'_>, dialect: Dialect, options: &CsvOptions, read_bytes: usize) -> Result<Self> {
        let OpenedFile { path, bytes, meter, compression, place, is_rewritten } = file;
        let reading = dialect.reading(options);
        let mut input = Input::new(bytes, options.encoding).map_err(|e| cannot_read(path, 0, e))?;
        if options.cr_ends {
            input = input.with_lone_returns(&dialect);
        }
        let mut reader = Self {
            name: path.into(),
            input,
            meter,
            compression,
            dialect,
            blank_is_record: false,
            has_begun: false,
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
            place,
            is_rewritten,
            texts: Recycled::new(RECYCLED_BATCHES),
            ended: false,
            failed: None,
        };
        reader.pass_lines(options.skip)?;
        Ok(reader)
    }

    /// From here on there are records: the header, if there is one, was read.
    pub(crate) fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Whether blank lines are records from here on, as they are if a record has only one field.
    pub(crate) fn take_blank_lines(&mut self, takes: bool) {
        self.blank_is_record = takes;
    }

    /// Limits the records of chunks and samples from here on.
    pub(crate) fn limit_rows(&mut self, n: usize) {
        self.max_rows = n.max(1);
    }

    pub(crate) fn set_batch_bytes(&mut self, bytes: usize) {
        if !self.has_batch_rows {
            self.batch_rows = usize::MAX;
            self.batch_bytes = bytes.clamp(1, MAX_BATCH - self.max_record);
        }
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.input.encoding()
    }

    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    pub(crate) fn meter(&self) -> Arc<Meter> {
        self.meter.clone()
    }

    pub(crate) fn reading(&self) -> Mapping {
        self.reading.clone()
    }

    pub(crate) fn can_be_read_again(&self) -> bool {
        self.place.on_disk().is_some()
    }

    pub(crate) fn hash_of_first(&self, bytes: u64) -> Result<Option<u64>> {
        self.place.on_disk().map(|file| file.hash_of_first(bytes)).transpose()
    }

    pub(crate) fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.place.on_disk().cloned().map(|file| Arc::new(file) as Arc<dyn Unchanged>)
    }

    /// For a compressed file it is estimated by the ratio so far.
    pub(crate) fn bytes_left(&self) -> Option<u64> {
        let (read, here) = (self.meter.bytes_read(), self.text.len() as u64);
        let unread = u128::from(self.meter.total()?.saturating_sub(read));
        let expanded = unread * u128::from(self.text_at + here) / u128::from(read.max(1));
        Some(here + u64::try_from(expanded).ok()?)
    }

    /// The next chunk, of at most this many records.
    pub(crate) fn next(&mut self, max_records: usize) -> Result<Option<RecordChunk>> {
        loop {
            self.pass_stored()?;
            if self.left() == 0 {
                return Ok(None);
            }
            let cut = self.cut(self.batch_rows.min(max_records), self.batch_bytes);
            if cut.end == 0 {
                return self.failed.take().map_or(Ok(None), Err);
            }
            if cut.records == 0 {
                self.drop_text(cut.end); // Blank lines only.
                continue;
            }
            let text = self.take_text(cut.end);
            let chunk = self.chunk(text, &cut);
            self.text_at += chunk.text.len() as u64;
            self.line += chunk.lines;
            self.record += chunk.n_records;
            self.input.forget_malformed_before(self.text_at);
            return Ok(Some(chunk));
        }
    }

    /// The first records, at most `max_bytes` of them but at least one. [`RecordReader::next`] still returns them; it also reports errors
    /// after them.
    pub(crate) fn sample(&mut self, max_bytes: usize) -> RecordChunk {
        let cut = self.cut(usize::MAX, max_bytes.min(MAX_SAMPLE));
        self.chunk(Buffer::from(&self.text[..cut.end]), &cut)
    }

    /// The records of the first chunk, if it were of so many bytes at most.
    ///
    /// # Errors
    /// Those after them too, as far as they are known.
    pub(crate) fn peek(&mut self, bytes: usize) -> Result<RecordChunk> {
        let cut = self.cut(self.batch_rows, bytes.min(self.batch_bytes));
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(self.chunk(Buffer::from(&self.text[..cut.end]), &cut)),
        }
    }

    /// Whether a sample of so many bytes is the rest of the file.
    pub(crate) fn is_all(&self, sample_bytes: usize) -> bool {
        self.ended && sample_bytes == self.text.len()
    }

    /// Skips complete lines of any length, holding no more than one read of them.
    fn pass_lines(&mut self, mut lines: u64) -> Result<()> {
        while lines > 0 {
            match memchr(b'\n', &self.text) {
                Some(at) => {
                    self.drop_text(at + 1);
                    lines -= 1;
                }
                None if self.ended => {
                    self.drop_text(self.text.len());
                    return Ok(());
                }
                None => {
                    self.drop_text(self.text.len());
                    self.read_on(0)?;
                }
            }
        }
        Ok(())
    }

    /// The number of records that may still be read.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.record - 1)
    }

    /// Cuts the front of the text, reading more as needed, until there is a chunk or the input ends.
    fn cut(&mut self, max_rows: usize, max_bytes: usize) -> Cut {
        let mut cut = Cut::new();
        if !self.has_begun {
            return cut; // An empty file.
        }
        loop {
            let rules = Rules {
                dialect: &self.dialect,
                blank_is_record: self.blank_is_record,
                max_record: self.max_record,
                max_records: self.left().min(max_rows.min(self.max_rows) as u64),
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

    /// The chunk of a cut; does not advance.
    fn chunk(&self, text: Buffer, cut: &Cut) -> RecordChunk {
        let end = self.text_at + text.len() as u64;
        let malformed = self.input.malformed().iter().filter(|&&at| at < end);
        RecordChunk {
            name: self.name.clone(),
            encoding: self.encoding(),
            at: self.text_at,
            first_record: self.record,
            n_records: cut.records,
            first_line: self.line,
            lines: cut.lines,
            malformed: malformed.map(|at| (at - self.text_at) as usize).collect(),
            text,
        }
    }

    /// Reads more: at least as much as there is of the record at `start`, so that repeated splitting stays linear.
    fn fill(&mut self, start: usize) {
        // A file that is not being loaded holds its header only: there may be thousands of files.
        let (read_bytes, room) = match self.has_begun {
            true => (self.read_bytes, self.batch_bytes + self.read_bytes),
            false => (self.read_bytes.min(HEADER_BYTES), 0),
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

    fn place_of(&self, at: usize) -> Place {
        Place { source: self.name.clone(), line: self.line + count_lines(&self.text[..at]), column: None }
    }

    fn unclosed(&self, open: usize) -> Error {
        Error::data("a quote opens here and never closes").at(self.place_of(open)).with_hint(QUOTE_HINT)
    }

    fn too_long(&self, start: usize) -> Error {
        let max = self.max_record;
        match open_quote_at_limit(&self.dialect, &self.text[start..start + max]) {
            Some(open) => Error::data(format!("a quote opens here and does not close within {max} bytes"))
                .at(self.place_of(start + open))
                .with_hint(QUOTE_HINT),
            None => {
                let error = Error::data(format!("a record is longer than {max} bytes")).at(self.place_of(start));
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

/// 256 KiB: larger reads were no faster (docs/notes/csv.md), and half of one is what a batch copies to the next.
pub(crate) const READ_BYTES: usize = 256 << 10;

/// 16 KiB: more than most headers have.
const HEADER_BYTES: usize = 16 << 10;

/// The default of a batch's records.
const DEFAULT_ROWS: usize = 64_000;

/// Keeps the offsets of a sample below 2^31.
const MAX_SAMPLE: usize = 64 << 20;

const QUOTE_HINT: &str = "if quotes are plain text in this file, `--quote ''` turns quoting off";

mod header;
mod resume;
