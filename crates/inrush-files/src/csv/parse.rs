//! Parses a [`Cut`](super::cut::Cut) chunk: complete records in, a [`Batch`] out. A chunk does not depend on the chunks before it, so
//! several threads can parse chunks at the same time.

use super::columns::Columns;
use super::cut::{count_lines, is_blank, is_end_mark};
use super::records::RecordChunk;
use super::recycle::{RECYCLED_BATCHES, Recycled};
use super::split::{Fields, Span, SplitRecord, Splitter, garbled_reason};
use crate::dialect::{CsvOptions, Dialect, Doubts};
use crate::formats::ValueFormats;
use crate::infer_types::Texts;
use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use encoding_rs::{Encoding, UTF_8};
use inrush_core::column::check::Check;
use inrush_core::error::{Error, InputFault, Place, Result};
use inrush_core::load::{Batch, FieldUse, Origin, PassThrough, RawChunk, Reject};
use inrush_core::write::Separators;
use memchr::memchr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

/// Properties of all records of a file.
#[derive(Debug)]
pub(super) struct Parser {
    name: Arc<str>,
    dialect: Dialect,
    names: Vec<String>,
    /// For each field, the texts that mean NULL.
    nulls: Vec<Vec<Vec<u8>>>,
    uses: Vec<FieldUse>,
    formats: Arc<ValueFormats>,
    /// Whether cells of these uses are rewritten.
    rewrites: bool,
    ragged: Ragged,
    doubts: Doubts,
    /// Blank lines are no records, although there is only one field.
    passes_blank_lines: bool,
    /// NULL is marked, so that no empty field is NULL.
    keeps_empties: bool,
    encoding: &'static Encoding,
    /// For each field, whether a quoted empty text was read as NULL. This is reported to the user once.
    quoted_empties: Arc<[AtomicBool]>,
    /// View buffers of batches, to be reused.
    views: Mutex<Recycled>,
}

/// A raw chunk, with its parser.
#[derive(Clone, Debug)]
pub(super) struct CsvChunk {
    pub(super) parser: Arc<Parser>,
    pub(super) records: RecordChunk,
}

impl RawChunk for CsvChunk {
    fn records(&self) -> u64 {
        self.records.n_records
    }

    fn bytes(&self) -> u64 {
        self.records.text.len() as u64
    }

    fn pass_through(&self, checks: &[Check]) -> Option<PassThrough> {
        self.parser.pass_through(self, checks)
    }

    fn parse(self: Box<Self>) -> Result<Batch> {
        self.parser.parse(&self.records)
    }
}

impl Parser {
    pub(super) fn new(
        name: Arc<str>,
        dialect: Dialect,
        names: &[String],
        encoding: &'static Encoding,
        options: &CsvOptions,
    ) -> Self {
        Self {
            name,
            quoted_empties: names.iter().map(|_| AtomicBool::default()).collect(),
            names: names.to_vec(),
            nulls: vec![dialect.nulls.clone(); names.len()],
            dialect,
            encoding,
            uses: Vec::new(),
            formats: Arc::new(options.formats.clone()),
            rewrites: false,
            passes_blank_lines: false,
            keeps_empties: options.rows_of_dump.is_some(),
            doubts: options.doubts,
            ragged: Ragged { ignores_extra: options.ignore_extra_fields, nulls_missing: options.null_missing_fields },
            views: Mutex::new(Recycled::new(0)),
        }
    }

    /// How types are inferred from the cells: in a dump NULL is written as such, and `NA` is a text.
    pub(super) fn texts(&self) -> Texts {
        if self.keeps_empties { Texts::NoNulls } else { Texts::Any }
    }

    /// The same for other uses.
    pub(super) fn with_uses(&self, mut uses: Vec<FieldUse>) -> Self {
        if self.keeps_empties {
            uses.iter_mut().for_each(|use_| (use_.empty_is_null, use_.quoted_empty_is_null) = (false, false));
        }
        let views = Mutex::new(Recycled::new(RECYCLED_BATCHES * uses.len()));
        let (names, nulls, formats) = (self.names.clone(), self.nulls.clone(), Arc::clone(&self.formats));
        let rewrites = formats.concern(&uses, &names);
        Self {
            name: self.name.clone(),
            dialect: self.dialect.clone(),
            names,
            nulls,
            uses,
            formats,
            rewrites,
            views,
            quoted_empties: Arc::clone(&self.quoted_empties),
            ..*self
        }
    }

    /// The same, where blank lines are no records, although there is only one field.
    pub(super) fn passing_blank_lines(&self) -> Self {
        Self { passes_blank_lines: true, ..self.with_uses(self.uses.clone()) }
    }

    /// The same for other texts that mean NULL.
    pub(super) fn with_nulls(&self, nulls: Vec<Vec<Vec<u8>>>) -> Self {
        Self { nulls, ..self.with_uses(self.uses.clone()) }
    }

    /// The same for cells that are written in other ways.
    pub(super) fn with_formats(self, formats: ValueFormats) -> Self {
        let rewrites = formats.concern(&self.uses, &self.names);
        Self { formats: Arc::new(formats), rewrites, ..self }
    }

    pub(super) fn formats(&self) -> &ValueFormats {
        &self.formats
    }

    /// For each field, whether a quoted empty text was NULL so far.
    pub(super) fn quoted_empties(&self) -> Arc<[AtomicBool]> {
        Arc::clone(&self.quoted_empties)
    }

    pub(super) fn nulls(&self) -> &[Vec<Vec<u8>>] {
        &self.nulls
    }

    /// Parses a chunk of this file.
    pub(super) fn parse(&self, chunk: &RecordChunk) -> Result<Batch> {
        let parsed = self.records(chunk);
        let text = &chunk.text;
        let (mut line, mut counted) = (chunk.first_line, 0);
        let mut rejects = Vec::with_capacity(parsed.bad.len());
        for bad in &parsed.bad {
            line += count_lines(&text[counted..bad.start]);
            counted = bad.start;
            let (reason, fault, field) = self.reason(bad.fault);
            let column = field.and_then(|field| self.names.get(field)).map(|name| name.as_str().into());
            let place = Place { source: self.name.clone(), line, column };
            rejects.push(Reject::new(place, reason, fault, &text[bad.start..bad.end]));
        }
        let n_rows = parsed.columns.rows();
        parsed.columns.quoted_empties().for_each(|field| self.quoted_empties[field].store(true, Relaxed));
        let verbatim = self.verbatim(&parsed, text);
        let utf8 = self.encoding != UTF_8 || parsed.utf8;
        let fields = self.uses.iter().map(|use_| Field::new(&self.names[use_.index], DataType::BinaryView, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = parsed.columns.finish(text.clone(), parsed.side)?;
        self.lend(&columns);
        let columns = columns.into_iter().map(|column| Arc::new(column) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
        let rows = RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|e| Error::data(format!("a batch could not be built: {e}")))?;
        let origin = Origin { record_starts: parsed.starts, record_ends: parsed.ends, ..chunk.origin(verbatim) };
        let batch = Batch { rows, utf8, known: Vec::new(), origin, rejects };
        if self.rewrites { self.formats.applied(batch, &self.uses, &self.names) } else { Ok(batch) }
    }

    fn records(&self, chunk: &RecordChunk) -> Parsed {
        let text = chunk.text.as_slice();
        let n_records = chunk.n_records as usize;
        let mut parsed = Parsed {
            columns: self.columns(n_records),
            side: Vec::new(),
            starts: Vec::with_capacity(n_records),
            ends: Vec::with_capacity(n_records),
            bad: Vec::new(),
            missing: Vec::new(),
            utf8: true,
            only_rows: true,
            has_quoted: false,
        };
        let width = self.names.len();
        let mut fields = Fields { spans: Vec::with_capacity(BLOCK_SPANS + width), side: Vec::new() };
        let mut splitter = Splitter::new(&self.dialect, text, 0, true);
        let mut malformed = chunk.malformed.iter().peekable();
        let (mut start, mut block_start) = (0, 0);
        while start < text.len() {
            let (spans_before, side_before) = (fields.spans.len(), fields.side.len());
            let (end, n_fields, garbled) = match splitter.record(start, width, &mut fields) {
                SplitRecord::Record { end, fields, garbled } => (end, fields, garbled),
                SplitRecord::Comment { end } => (end, 0, None),
                // Impossible in a chunk that was cut by the same rules; it would be a bad record, not a lost one.
                SplitRecord::Incomplete { .. } => (text.len(), 0, None),
            };
            let mut is_malformed = false;
            while malformed.next_if(|at| **at < end).is_some() {
                is_malformed = true;
            }
            let record = &text[start..end];
            let is_passed = is_end_mark(record) || (self.passes_blank_lines && is_blank(record));
            let doubtful = self.doubtful(record, &fields.spans[spans_before..], &fields.side, text);
            if let Some(fault) = doubtful.filter(|_| garbled.is_none() && !is_malformed) {
                fields.spans.truncate(spans_before);
                fields.side.truncate(side_before);
                parsed.only_rows = false;
                parsed.bad.push(BadRecord { start, end, fault });
            } else if n_fields == width && garbled.is_none() && !is_malformed && !is_passed {
                parsed.starts.push(start as u32);
                parsed.ends.push(end as u32);
            } else if self.ragged.takes(n_fields, width) && garbled.is_none() && !is_malformed && !is_blank(record) {
                if n_fields < width {
                    parsed.missing.push((parsed.starts.len(), n_fields));
                    fields.fill(spans_before + width);
                }
                parsed.only_rows = false;
                parsed.starts.push(start as u32);
                parsed.ends.push(end as u32);
            } else {
                fields.spans.truncate(spans_before);
                fields.side.truncate(side_before);
                parsed.only_rows = false;
                // A comment has no fields. In a file of one column a blank line is a row, and is handled above.
                if !is_blank(record) && !self.dialect.is_comment(record) {
                    let fault = match garbled {
                        _ if is_malformed => Fault::Malformed,
                        Some(field) => Fault::Garbled(field),
                        None => Fault::Fields(n_fields),
                    };
                    parsed.bad.push(BadRecord { start, end, fault });
                }
            }
            start = end;
            if fields.spans.len() >= BLOCK_SPANS || start == text.len() {
                // The bytes are still in the cache, and complete records are complete characters: each ends in a line feed.
                let block = &text[block_start..start];
                parsed.utf8 &= simdutf8::basic::from_utf8(block).is_ok();
                parsed.only_rows &= memchr(b'\r', block).is_none();
                block_start = start;
                parsed.columns.append(text, &fields, width);
                fields.spans.clear();
            }
        }
        parsed.columns.set_missing(&parsed.missing);
        parsed.side = fields.side;
        parsed.has_quoted = splitter.has_quoted;
        parsed
    }

    /// Returns the fault of a record with a feature that no record of the sample had, so that it may be read in two ways.
    fn doubtful(&self, record: &[u8], spans: &[Span], side: &[u8], text: &[u8]) -> Option<Fault> {
        let Doubts { swallowing, backslashes } = self.doubts;
        let is_plain = |span: &Span| !span.is_aside();
        if backslashes && memchr(b'\\', record).is_some() {
            let is_odd = |span: &Span| memchr(b'\\', &text[span.start()..span.end()]).is_some();
            let is_null = |span: &Span| &text[span.start()..span.end()] == b"\\N";
            let odd = spans.iter().position(|span| is_plain(span) && is_odd(span) && !is_null(span));
            return odd.map(Fault::Escape);
        }
        let is_line = memchr(b'\n', record).is_none_or(|at| at + 1 == record.len());
        if !swallowing || is_line {
            return None;
        }
        let swallows = |span: &Span| {
            let inner = &(if span.is_aside() { side } else { text })[span.start()..span.end()];
            memchr(b'\n', inner).is_some() && memchr(self.dialect.delimiter, inner).is_some()
        };
        spans.iter().position(swallows).map(Fault::Swallows)
    }

    /// See [`Origin::verbatim`].
    fn verbatim(&self, parsed: &Parsed, text: &[u8]) -> Option<Separators> {
        let Dialect { delimiter, quote, escape, .. } = self.dialect;
        let enclosed_by = quote.filter(|_| parsed.has_quoted);
        let escapes = escape.is_some() && (quote.is_none() || parsed.has_quoted);
        let is_verbatim = parsed.only_rows && !escapes && text.ends_with(b"\n") && self.takes_all();
        is_verbatim.then_some(Separators { terminated_by: delimiter, enclosed_by })
    }

    /// Whether a row has all fields of its record, in order.
    fn takes_all(&self) -> bool {
        self.uses.len() == self.names.len() && self.uses.iter().enumerate().all(|(i, use_)| use_.index == i)
    }

    /// Columns with room for so many rows.
    fn columns(&self, n_rows: usize) -> Columns {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        Columns::new(&self.uses, &self.nulls, || views.take().unwrap_or_else(|| Vec::with_capacity(n_rows)))
    }

    fn lend(&self, columns: &[BinaryViewArray]) {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        columns.iter().for_each(|column| views.lend(column.views().inner()));
    }

    /// What is wrong, in words and as a value, and with which field.
    fn reason(&self, fault: Fault) -> (String, InputFault, Option<usize>) {
        match fault {
            Fault::Malformed => (format!("the text is not valid {}", self.encoding.name()), InputFault::Encoding, None),
            Fault::Garbled(field) => (garbled_reason(field), InputFault::TextAfterQuote, Some(field)),
            Fault::Swallows(field) => {
                let at = field + 1;
                let reason =
                    format!("field {at} begins with a quote that closes in a later line, behind other delimiters");
                (reason, InputFault::QuoteOverLines, Some(field))
            }
            Fault::Escape(field) => {
                let reason = format!("field {} has a backslash, which may escape what is behind it", field + 1);
                (reason, InputFault::Backslash, Some(field))
            }
            Fault::Fields(found) => {
                let expected = self.names.len();
                let reason = format!("expected {expected} fields, found {found}");
                (reason, InputFault::Width { expected, found }, None)
            }
        }
    }
}

/// The records of a chunk.
struct Parsed {
    columns: Columns,
    side: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    bad: Vec<BadRecord>,
    /// Rows that lack fields, and how many they have.
    missing: Vec<(usize, usize)>,
    /// All the text is valid UTF-8.
    utf8: bool,
    /// The text has only good records, and no CR.
    only_rows: bool,
    /// Some field is quoted.
    has_quoted: bool,
}

/// What becomes of records with another number of fields than the header has.
#[derive(Clone, Copy, Debug)]
struct Ragged {
    /// Fields beyond those of the header are left out.
    ignores_extra: bool,
    /// Missing fields are NULL.
    nulls_missing: bool,
}

impl Ragged {
    /// Whether a record of so many fields is a row of `width`.
    fn takes(self, n_fields: usize, width: usize) -> bool {
        if n_fields > width { self.ignores_extra } else { self.nulls_missing && n_fields > 0 }
    }
}

/// A record that is not a row.
struct BadRecord {
    start: usize,
    end: usize,
    fault: Fault,
}

/// What is wrong with a record.
#[derive(Clone, Copy)]
enum Fault {
    /// Text that is not valid in the declared encoding.
    Malformed,
    /// Text after the closing quote of this field.
    Garbled(usize),
    /// This number of fields.
    Fields(usize),
    /// The quotes around this field hold delimiters and line ends.
    Swallows(usize),
    /// This field has a backslash.
    Escape(usize),
}

/// Spans become views while they are still in the first-level cache: 2,048 of them take 16 KiB.
const BLOCK_SPANS: usize = 2048;

mod pass_through;
