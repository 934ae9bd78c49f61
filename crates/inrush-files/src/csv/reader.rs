//! [`CsvReader`]: the records of a CSV or TSV file as batches. The [`RecordReader`] finds them, the [`Parser`] takes them apart.

use super::parse::{CsvChunk, Parser};
use super::records::{READ_BYTES, RecordReader};
use crate::decompress::Compression;
use crate::dialect::{CsvOptions, Dialect};
use crate::file_source::{FileSource, RejectForm};
use crate::formats::{DateFormat, Proposal, propose};
use crate::infer_types::{Inference, Inferred, Texts, fit_row, settle};
use crate::input::Meter;
use crate::names::{Renamed, clean};
use crate::opened_file::OpenedFile;
use crate::sniff::DetectedDialect;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use encoding_rs::Encoding;
use inrush_core::error::{Error, Result};
use inrush_core::load::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::load::{Batch, FieldUse, RawChunk, Source, Unchanged};
use std::any::Any;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A CSV or TSV file as a [`Source`].
pub struct CsvReader {
    records: RecordReader,
    names: Vec<String>,
    renamed: Renamed,
    /// Parses raw chunks.
    parser: Arc<Parser>,
    /// What was detected from the file's beginning.
    found: Option<DetectedDialect>,
    /// What helps to read a text that is not UTF-8.
    likely_encoding: Option<String>,
    time_zone: Option<String>,
}

impl CsvReader {
    /// Reads CSV from any stream of (decompressed) bytes, named `name` in messages; reads the header at once.
    pub fn new(name: &str, bytes: impl Read + Send + 'static, options: &CsvOptions) -> Result<Self> {
        Self::with(OpenedFile::of_bytes(name, bytes), b',', options, READ_BYTES)
    }

    /// `delimiter` is the format's default; `read_bytes` is the size of a read.
    pub(crate) fn with(file: OpenedFile<'_>, delimiter: u8, options: &CsvOptions, read_bytes: usize) -> Result<Self> {
        let mut records = RecordReader::new(file, Dialect::new(options, delimiter)?, options, read_bytes)?;
        let mut names = records.read_names(options.header)?;
        if !names.is_empty() {
            records.begin();
        }
        records.take_blank_lines(names.len() == 1);
        let renamed = if options.header { clean(&mut names, options.names) } else { Vec::new() };
        let parser =
            Parser::new(records.name().clone(), records.dialect().clone(), &names, records.encoding(), options);
        let mut reader = Self {
            records,
            names,
            renamed,
            parser: Arc::new(parser),
            found: None,
            likely_encoding: None,
            time_zone: None,
        };
        reader.select(&every_field(reader.names.len(), false));
        Ok(reader)
    }

    /// The names of the fields: those of the header, or `c1`, `c2` .. by the first record. Empty for an empty file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The special bytes of this file.
    pub fn dialect(&self) -> &Dialect {
        self.records.dialect()
    }

    /// The encoding of the file: that of its byte order mark, else the declared one, else UTF-8.
    pub fn encoding(&self) -> &'static Encoding {
        self.records.encoding()
    }

    /// How the file is compressed.
    pub fn compression(&self) -> Compression {
        self.records.compression()
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

    pub(crate) fn with_found(self, found: DetectedDialect, likely_encoding: Option<String>) -> Self {
        Self { found: Some(found), likely_encoding, ..self }
    }

    /// The zone in which its times are, if its file says it.
    pub(crate) fn with_time_zone(self, time_zone: Option<String>) -> Self {
        Self { time_zone, ..self }
    }

    /// Blank lines are not records from here on, although there is only one field.
    pub(crate) fn pass_blank_lines(&mut self) {
        self.records.take_blank_lines(false);
        self.parser = Arc::new(self.parser.passing_blank_lines());
    }

    /// The first records, at most `max_bytes` of them but at least one, with all fields, unquoted empty ones as NULL.
    /// `next` still returns them; it also reports errors after them.
    pub fn sample(&mut self, max_bytes: usize) -> Result<Batch> {
        let parser = self.parser.with_uses(every_field(self.names.len(), true));
        parser.parse(&self.records.sample(max_bytes))
    }
}

impl Source for CsvReader {
    fn name(&self) -> &str {
        self.records.name()
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
        let of = |records| Box::new(CsvChunk { parser: self.parser.clone(), records }) as Box<dyn RawChunk>;
        Ok(self.records.next(usize::MAX)?.map(of))
    }

    fn identity(&mut self) -> Result<Option<Identity>> {
        self.records.identity()
    }

    fn reading(&self) -> Mapping {
        self.records.reading()
    }

    fn time_zone(&self) -> Option<&str> {
        self.time_zone.as_deref()
    }

    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>> {
        self.records.hash_of_first(bytes)
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        self.records.resume(stored, verify)
    }

    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool> {
        self.records.compare(stored)
    }

    fn can_peek(&self) -> bool {
        true
    }

    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>> {
        self.parser.parse(&self.records.peek(bytes)?).map(Some)
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.records.unchanged()
    }

    fn bytes_left(&self) -> Option<u64> {
        self.records.bytes_left()
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        self.records.set_batch_bytes(bytes);
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
        self.records.meter()
    }

    fn renamed(&self) -> &[(usize, String, String)] {
        &self.renamed
    }

    fn reject_form(&self) -> RejectForm {
        RejectForm::Csv(self.dialect().clone())
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
        let is_all = self.records.is_all(sample.origin.text.len());
        let infer = |reader: &Self, sample: &Batch, texts| {
            let mut inference = Inference::new(reader.names.len(), texts);
            inference.note(&reader.parser.formats().applied_to_sample(&sample.rows)?, &sample.origin);
            Ok::<_, Error>(inference.judge(&reader.names, is_all))
        };
        let mut fields = infer(self, &sample, self.parser.texts())?;
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
        let texts = if texts == Texts::Any { self.parser.texts() } else { texts };
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
        self.records.can_be_read_again()
    }
}

fn every_field(n: usize, empty_is_null: bool) -> Vec<FieldUse> {
    (0..n).map(|index| FieldUse { index, empty_is_null, ..FieldUse::default() }).collect()
}

/// The most cells of a column that are tried.
const PROPOSAL_CELLS: usize = 1000;

#[cfg(test)]
mod tests;
