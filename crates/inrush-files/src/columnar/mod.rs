//! [`Columnar`]: files that hold typed columns, as a [`Source`] of text cells. Formats differ in the source of
//! their arrays ([`Arrays`]). This module decides which rows form a batch, which are skipped, and how cells are written.
//!
//! Invariant: rows are numbered from 0 in the order of the file, and `next_row` is the number of the first row of `pending`.

mod nan;
mod size;
mod types;
mod write;

use crate::cells::{Cells, Style, is_uuid};
use crate::dialect::{CsvOptions, HeaderNames};
use crate::file_source::{FileSource, RejectForm};
use crate::guard::guarded;
use crate::infer_types::{Inferred, Texts, fit_row};
use crate::input::Meter;
use crate::names::{Renamed, clean};
use crate::on_disk::{OnDisk, changed};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inrush_core::column::check::Check;
use inrush_core::error::{Error, Result};
use inrush_core::load::checksum::checksum;
use inrush_core::load::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::load::{Batch, FieldUse, Origin, PassThrough, RawChunk, Source, Unchanged};
use nan::without_nan;
use size::rows_of;
pub(crate) use size::text_size;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
pub use types::check_extensions;
use types::{infer, may_be_no_text};

/// A file of typed columns, with the names and the cuts of the options.
pub(crate) fn open(
    path: &str,
    arrays: impl Arrays,
    meter: Arc<Meter>,
    location: SourceLocation,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    Ok(Box::new(Columnar::new(path, arrays, meter, Cuts::of(options), location)?.renaming(options.names)))
}

/// A source of typed columns: a file of some format, read from its beginning to its end.
pub(crate) trait Arrays: Send + 'static {
    /// The fields of the file.
    fn schema(&self) -> SchemaRef;

    /// Chooses which fields are read from the next rows on, ascending.
    fn project(&mut self, fields: &[usize]);

    /// The next rows, those of the chosen fields only; `None` at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>>;

    /// Skips up to so many rows without reading them; returns the number of rows skipped.
    fn skip(&mut self, n_rows: u64) -> Result<u64>;

    /// Restarts at the first row; returns false if that is not possible.
    fn restart(&mut self) -> Result<bool>;

    /// The number of remaining rows and the average bytes of a row; `None` if the file does not contain them.
    fn left(&self) -> Option<(u64, u64)> {
        None
    }

    /// Whether its arrays may be parts of larger arrays, whose other parts are read before and after.
    fn are_parts(&self) -> bool {
        false
    }

    /// Sets the total number of rows, for a source that cannot know it.
    fn expect_rows(&mut self, n: u64) {
        let _ = n;
    }

    /// Whether a field is NULL in no row; `None` if the file does not contain that.
    fn never_null(&self, field: usize) -> Option<bool>;
}

/// Where a later run finds the rows again.
#[derive(Clone, Debug)]
pub(crate) enum SourceLocation {
    /// In a file.
    OnDisk(OnDisk),
    /// In a stream, if the later run gets the same one.
    Stream {
        /// Its name in the ledger.
        name: Arc<str>,
        /// The hash of its beginning.
        hash: u64,
    },
    /// In rows of a program that are all known.
    Content {
        /// Its name in the ledger.
        name: Arc<str>,
        n_rows: u64,
        /// The hash of all rows.
        hash: u64,
    },
    /// Nowhere: it is of one run.
    Nowhere,
}

/// How batches are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuts {
    /// The most rows of one batch; `None` if only bytes limit it.
    pub(crate) rows: Option<usize>,
    /// The approximate maximum of a batch's bytes, as text.
    pub(crate) bytes: usize,
    /// The most rows in all.
    pub(crate) limit: Option<u64>,
    /// The most bytes of a document.
    pub(crate) memory: usize,
    /// NaN is NULL.
    pub(crate) nan_is_null: bool,
}

impl Cuts {
    pub(crate) fn of(options: &CsvOptions) -> Self {
        Self {
            rows: options.batch_rows,
            bytes: options.batch_bytes,
            limit: options.limit,
            memory: options.memory,
            nan_is_null: !options.nulls.is_empty(),
        }
    }
}

/// A file of typed columns.
pub(crate) struct Columnar<A> {
    name: Arc<str>,
    names: Vec<String>,
    renamed: Renamed,
    schema: SchemaRef,
    arrays: A,
    meter: Arc<Meter>,
    location: SourceLocation,
    /// What else must be the same when a load is continued.
    reading: Mapping,
    cuts: Cuts,
    /// The most rows of a batch if [`Cuts::rows`] is `None`.
    default_rows: usize,
    shape: Arc<BatchShape>,
    /// The fields that are read, ascending.
    read: Vec<usize>,
    /// Rows that were read and are not in a batch yet.
    pending: VecDeque<RecordBatch>,
    next_row: u64,
    /// Rows that went into batches, and their [`text_size`].
    given: (u64, u64),
    /// Rows that are skipped, ascending.
    stored: VecDeque<Stored>,
}

/// Properties of all batches of a file.
#[derive(Debug)]
struct BatchShape {
    name: Arc<str>,
    /// For each use, the index of its array and the style of its text.
    taken: Vec<(usize, Style)>,
    /// The columns of a batch.
    schema: SchemaRef,
    /// All columns hold text only.
    utf8: bool,
    /// Its arrays are parts of larger ones, which follow each other: a batch keeps its part of them.
    is_part: bool,
}

/// Rows of a batch, still in their own types.
#[derive(Clone)]
struct Rows {
    shape: Arc<BatchShape>,
    arrays: Vec<RecordBatch>,
    span: Range<u64>,
    bytes: u64,
}

impl RawChunk for Rows {
    fn records(&self) -> u64 {
        self.span.end - self.span.start
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn write(&self, checks: &[Check], room: &dyn Fn(usize) -> Vec<u8>) -> Option<(PassThrough, Vec<u8>)> {
        self.write_lines(checks, room)
    }

    fn parse(self: Box<Self>) -> Result<Batch> {
        self.to_batch()
    }
}

impl Rows {
    fn to_batch(&self) -> Result<Batch> {
        let shape = &self.shape;
        let column = |&(at, style): &(usize, Style)| {
            let mut cells = Cells::new(style);
            guarded(&shape.name, || self.arrays.iter().try_for_each(|arrays| cells.append(arrays.column(at))))
                .map_err(|error| error.while_doing(&format!("cannot read `{}`", shape.name)))?;
            Ok((cells.known(), Arc::new(cells.finish()?) as ArrayRef))
        };
        let (known, columns) = shape.taken.iter().map(column).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let origin = self.origin();
        let options = RecordBatchOptions::new().with_row_count(Some(origin.lines as usize));
        let rows = RecordBatch::try_new_with_options(shape.schema.clone(), columns, &options)
            .map_err(|e| Error::data(format!("a batch could not be built: {e}")))?;
        Ok(Batch { rows, utf8: shape.utf8, known, origin, rejects: Vec::new() })
    }

    /// A row counts as a line in places.
    fn origin(&self) -> Origin {
        Origin {
            source: self.shape.name.clone(),
            first_record: self.span.start + 1,
            first_line: self.span.start + 1,
            span: self.span.clone(),
            text: Buffer::default(),
            lines: self.span.end - self.span.start,
            verbatim: None,
            record_starts: Vec::new(),
            record_ends: Vec::new(),
            stood: None,
        }
    }
}

/// Rows that are stored.
#[derive(Clone, Debug)]
struct Stored {
    rows: Range<u64>,
    /// Their checksum, if it is still to be compared.
    checksum: Option<u64>,
}

impl<A: Arrays> Columnar<A> {
    /// Wraps an open file.
    pub(crate) fn new(name: &str, arrays: A, meter: Arc<Meter>, cuts: Cuts, location: SourceLocation) -> Result<Self> {
        let schema = arrays.schema();
        check_extensions(&schema)?;
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        if names.is_empty() {
            return Err(Error::config(format!("`{name}` has no columns")));
        }
        let is_part = arrays.are_parts();
        let mut columnar = Self {
            name: name.into(),
            schema,
            arrays,
            meter,
            location,
            reading: Mapping::default(),
            cuts,
            default_rows: DEFAULT_ROWS,
            shape: Arc::new(BatchShape {
                name: name.into(),
                taken: Vec::new(),
                schema: Arc::new(Schema::empty()),
                utf8: true,
                is_part,
            }),
            read: (0..names.len()).collect(),
            pending: VecDeque::new(),
            next_row: 0,
            given: (0, 0),
            stored: VecDeque::new(),
            names,
            renamed: Vec::new(),
        };
        let all: Vec<FieldUse> =
            (0..columnar.names.len()).map(|index| FieldUse { index, ..FieldUse::default() }).collect();
        columnar.select(&all);
        Ok(columnar)
    }

    /// The same with cleaned names, as for the names of a header.
    pub(crate) fn renaming(mut self, how: HeaderNames) -> Self {
        self.renamed = clean(&mut self.names, how);
        let all: Vec<FieldUse> = (0..self.names.len()).map(|index| FieldUse { index, ..FieldUse::default() }).collect();
        self.select(&all);
        self
    }

    /// Identifies the rows by the source's name and their first ones: as many as have so many bytes as lines of CSV, however they are batched.
    pub(crate) fn known_by_its_first(&mut self, bytes: usize) -> Result<()> {
        let (mut text, mut read) = (Vec::new(), VecDeque::new());
        while text.len() < bytes
            && let Some(rows) = self.take_pending()?
        {
            // A line has at least one byte.
            let front = rows.slice(0, rows.num_rows().min(bytes));
            let span = 0..front.num_rows() as u64;
            let batch = Rows { shape: self.shape.clone(), span, bytes: 0, arrays: vec![front] }.to_batch()?;
            let lines = (0..batch.rows.num_rows()).map(|row| batch.raw(row));
            lines
                .take_while(|line| {
                    text.extend_from_slice(line);
                    text.len() < bytes
                })
                .for_each(drop);
            read.push_back(rows);
        }
        read.append(&mut self.pending);
        self.pending = read;
        self.location = SourceLocation::Stream { name: self.name.clone(), hash: checksum(&text) };
        Ok(())
    }

    /// Adds to what must be the same when a load is continued.
    pub(crate) fn read_as(&mut self, reading: Mapping) {
        self.reading = reading;
    }

    /// Identifies the rows by all of them.
    pub(crate) fn known_by_content(&mut self, n_rows: u64, hash: u64) {
        self.location = SourceLocation::Content { name: self.name.clone(), n_rows, hash };
    }

    /// The number of all rows, and a checksum of their names and cells, however they are batched.
    pub(crate) fn content(mut self) -> Result<(u64, u64)> {
        let mut hash = checksum(self.names.join("\0").as_bytes());
        let (mut n_rows, mut block) = (0, Vec::with_capacity(2 * CONTENT_BLOCK));
        let mut add = |block: &mut Vec<u8>| {
            block.extend_from_slice(&hash.to_le_bytes());
            hash = checksum(block);
            block.clear();
        };
        while let Some(rows) = self.take_pending()? {
            let span = n_rows..n_rows + rows.num_rows() as u64;
            n_rows = span.end;
            let batch = Rows { shape: self.shape.clone(), span, bytes: 0, arrays: vec![rows] }.to_batch()?;
            for row in 0..batch.rows.num_rows() {
                block.extend_from_slice(&batch.raw(row));
                if block.len() >= CONTENT_BLOCK {
                    add(&mut block);
                }
            }
        }
        add(&mut block);
        Ok((n_rows, hash))
    }

    /// The next rows before `end`, as one batch; `None` if there are none. `whole` returns all of them, whatever their size.
    fn rows_to(&mut self, end: u64, whole: bool) -> Result<Option<Rows>> {
        let first = self.next_row;
        let (max_rows, max_bytes) = match whole {
            true => (usize::MAX, usize::MAX),
            false => (self.cuts.rows.unwrap_or(self.default_rows), self.cuts.bytes),
        };
        let (mut arrays, mut n_rows, mut bytes) = (Vec::new(), 0usize, 0usize);
        while self.next_row < end && n_rows < max_rows && bytes < max_bytes {
            let Some(rows) = self.take_pending()? else { break };
            let room = usize::try_from(end - self.next_row).unwrap_or(usize::MAX).min(max_rows - n_rows);
            let taken = rows.num_rows().min(room).min(rows_of(&rows, max_bytes - bytes));
            let front = rows.slice(0, taken);
            if taken < rows.num_rows() {
                self.pending.push_front(rows.slice(taken, rows.num_rows() - taken));
            }
            n_rows += taken;
            bytes += text_size(&front);
            arrays.push(front);
            self.next_row += taken as u64;
        }
        self.given = (self.given.0 + n_rows as u64, self.given.1 + bytes as u64);
        let shape = self.shape.clone();
        Ok((n_rows > 0).then(|| Rows { shape, arrays, span: first..self.next_row, bytes: bytes as u64 }))
    }

    /// The next rows of the file, as they are to be read.
    fn next_arrays(&mut self) -> Result<Option<RecordBatch>> {
        let rows = self.arrays.next()?;
        Ok(if self.cuts.nan_is_null { rows.map(without_nan) } else { rows })
    }

    /// Whether a field is NULL in no row; `None` if only reading its rows shows that.
    fn never_null(&self, field: usize) -> Option<bool> {
        let may_have_nan = self.cuts.nan_is_null && self.schema.field(field).data_type().is_floating();
        if may_have_nan { None } else { self.arrays.never_null(field) }
    }

    /// The next pending rows, at least one.
    fn take_pending(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let rows = match self.pending.pop_front() {
                Some(rows) => rows,
                None => match self.next_arrays()? {
                    Some(rows) => rows,
                    None => return Ok(None),
                },
            };
            if rows.num_rows() > 0 {
                return Ok(Some(rows));
            }
        }
    }

    /// Skips the rows before `end`.
    fn pass(&mut self, end: u64) -> Result<()> {
        while self.next_row < end {
            let left = end - self.next_row;
            if self.pending.is_empty() {
                let skipped = self.arrays.skip(left)?;
                self.next_row += skipped;
                if skipped == left {
                    return Ok(());
                }
            }
            let left = usize::try_from(end - self.next_row).unwrap_or(usize::MAX);
            let Some(rows) = self.take_pending()? else { return Ok(()) };
            let passed = left.min(rows.num_rows());
            self.next_row += passed as u64;
            self.pending.push_front(rows.slice(passed, rows.num_rows() - passed));
        }
        Ok(())
    }

    /// Skips stored rows; reads and compares them if they have a checksum.
    fn pass_stored(&mut self, stored: &Stored) -> Result<()> {
        let Some(checksum) = stored.checksum else { return self.pass(stored.rows.end) };
        let batch = self.rows_to(stored.rows.end, true)?.map(|rows| Box::new(rows).parse()).transpose()?;
        let same = batch.is_some_and(|batch| batch.origin.span == stored.rows && batch.checksum() == checksum);
        if same { Ok(()) } else { Err(self.changed(&stored.rows)) }
    }

    fn changed(&self, rows: &Range<u64>) -> Error {
        changed(&self.name, &format!("rows {} to {} have changed since", rows.start + 1, rows.end))
    }
}

impl<A: Arrays> Source for Columnar<A> {
    fn name(&self) -> &str {
        &self.name
    }

    fn fields(&self) -> &[String] {
        &self.names
    }

    fn select(&mut self, uses: &[FieldUse]) {
        let mut fields: Vec<usize> = uses.iter().map(|use_| use_.index).collect();
        fields.sort_unstable();
        fields.dedup();
        let place = |use_: &FieldUse| fields.partition_point(|&field| field < use_.index);
        let style = |use_: &FieldUse| {
            Style::new(use_.column_kind, is_uuid(self.schema.field(use_.index))).at_most(self.cuts.memory)
        };
        let column = |use_: &FieldUse| Field::new(&self.names[use_.index], DataType::BinaryView, true);
        self.shape = Arc::new(BatchShape {
            name: self.name.clone(),
            taken: uses.iter().map(|use_| (place(use_), style(use_))).collect(),
            schema: Arc::new(Schema::new(uses.iter().map(column).collect::<Vec<_>>())),
            utf8: uses.iter().all(|use_| !may_be_no_text(self.schema.field(use_.index).data_type())),
            is_part: self.arrays.are_parts(),
        });
        if fields != self.read {
            let places: Vec<usize> =
                fields.iter().filter_map(|field| self.read.iter().position(|read| read == field)).collect();
            // Rows of a sample have all fields.
            self.pending.iter_mut().for_each(|rows| *rows = projected(rows, &places));
            self.arrays.project(&fields);
            self.read = fields;
        }
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.next_raw_chunk()?.map(|raw_chunk| raw_chunk.parse()).transpose()
    }

    /// Decodes rows; the lanes convert the values to text.
    fn next_raw_chunk(&mut self) -> Result<Option<Box<dyn RawChunk>>> {
        let limit = self.cuts.limit.unwrap_or(u64::MAX);
        while let Some(stored) = self.stored.front().filter(|stored| stored.rows.start <= self.next_row).cloned() {
            self.stored.pop_front();
            self.pass_stored(&stored)?;
        }
        let end = self.stored.front().map_or(u64::MAX, |stored| stored.rows.start).min(limit);
        match self.rows_to(end, false)? {
            // The file ends before rows that are stored.
            None if self.next_row < limit && !self.stored.is_empty() => Err(self.changed(&self.stored[0].rows)),
            rows => Ok(rows.map(|rows| Box::new(rows) as Box<dyn RawChunk>)),
        }
    }

    fn identity(&mut self) -> Result<Option<Identity>> {
        match &self.location {
            SourceLocation::OnDisk(place) => place.identity().map(Some),
            SourceLocation::Stream { name, hash } => {
                Ok(Some(Identity { name: name.to_string(), size: None, modified: None, hash: *hash }))
            }
            SourceLocation::Content { name, n_rows, hash } => {
                Ok(Some(Identity { name: name.to_string(), size: Some(*n_rows), modified: None, hash: *hash }))
            }
            SourceLocation::Nowhere => Ok(None),
        }
    }

    fn reading(&self) -> Mapping {
        let limit = self.cuts.limit.map_or("none".into(), |limit| limit.to_string());
        Mapping::default().with("format", "typed").with("limit", limit).and(self.reading.clone())
    }

    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>> {
        match &self.location {
            SourceLocation::OnDisk(place) => place.hash_of_first(bytes).map(Some),
            SourceLocation::Stream { .. } | SourceLocation::Content { .. } | SourceLocation::Nowhere => Ok(None),
        }
    }

    fn is_text(&self) -> bool {
        false
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        let is_compared = verify && !stored.is_empty() && self.compare(stored)?;
        let checksum = |line: &ChunkLine| (verify && !is_compared).then_some(line.checksum);
        self.stored = stored.iter().map(|line| Stored { rows: line.span.clone(), checksum: checksum(line) }).collect();
        Ok(())
    }

    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool> {
        if !self.arrays.restart()? {
            return Ok(false);
        }
        (self.pending, self.next_row) = (VecDeque::new(), 0);
        for line in stored {
            self.pass(line.span.start)?;
            self.pass_stored(&Stored { rows: line.span.clone(), checksum: Some(line.checksum) })?;
        }
        self.arrays.restart()?;
        (self.pending, self.next_row) = (VecDeque::new(), 0);
        Ok(true)
    }

    /// A file that can be read again is restarted, so that a file that is not being loaded holds no rows.
    fn can_peek(&self) -> bool {
        true
    }

    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>> {
        let read = self.meter.bytes_read();
        let is_fresh = self.pending.is_empty() && self.next_row == 0;
        let Some(rows) = self.take_pending()? else { return Ok(None) };
        let most = self.cuts.rows.unwrap_or(self.default_rows).min(rows_of(&rows, bytes.min(self.cuts.bytes)));
        let limit = usize::try_from(self.cuts.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let front = rows.slice(0, rows.num_rows().min(most).min(limit));
        let span = self.next_row..self.next_row + front.num_rows() as u64;
        let front = Rows { shape: self.shape.clone(), span, bytes: 0, arrays: vec![front] };
        if is_fresh && self.arrays.restart()? {
            self.meter.move_to(read);
        } else {
            self.pending.push_front(rows);
        }
        front.to_batch().map(Some)
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        match &self.location {
            SourceLocation::OnDisk(place) => Some(Arc::new(place.clone())),
            SourceLocation::Stream { .. } | SourceLocation::Content { .. } | SourceLocation::Nowhere => None,
        }
    }

    /// Estimated by the average of the rows so far.
    fn bytes_left(&self) -> Option<u64> {
        let (unread, row_bytes) = self.arrays.left()?;
        let here: u64 = self.pending.iter().map(|rows| rows.num_rows() as u64).sum();
        let limit = self.cuts.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.next_row));
        let rows = unread.saturating_add(here).min(limit);
        let row_bytes = self.given.1.checked_div(self.given.0).unwrap_or(row_bytes);
        Some(rows.saturating_mul(row_bytes))
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        if self.cuts.rows.is_none() {
            (self.default_rows, self.cuts.bytes) = (usize::MAX, bytes.max(1));
        }
    }
}

impl<A: Arrays> Columnar<A> {
    /// The types of all fields by these rows, which are all of the file if `is_all`.
    fn inferred(&self, rows: &[&RecordBatch], is_all: bool) -> Result<Vec<Inferred>> {
        let column = |i: usize| rows.iter().map(|rows| rows.column(i)).collect::<Vec<_>>();
        let fields = self.schema.fields().iter().enumerate();
        let named = |(i, field): (usize, &Arc<Field>)| {
            let inferred = infer(field, &column(i), self.never_null(i), is_all)?;
            Ok(Inferred { name: self.names[i].clone(), ..inferred })
        };
        fields.map(named).collect()
    }
}

/// A type for two parts of a file: a duration is a TIME in one part, and too long for that in another.
fn widened(field: Inferred, other: &Inferred) -> Inferred {
    use inrush_core::column::ColumnType::{Int, Time};
    match (&field.ty, &other.ty) {
        (Time { .. }, Int { .. }) => Inferred { ty: other.ty.clone(), ..field }.widened_by(other),
        (Int { .. }, Time { .. }) => {
            let other = Inferred { ty: field.ty.clone(), ..other.clone() };
            field.widened_by(&other)
        }
        _ => field.widened_by(other),
    }
}

impl<A: Arrays> FileSource for Columnar<A> {
    fn renamed(&self) -> &[(usize, String, String)] {
        &self.renamed
    }

    fn expect_rows(&mut self, n: u64) {
        self.arrays.expect_rows(n);
    }

    fn meter(&self) -> Arc<Meter> {
        self.meter.clone()
    }

    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>> {
        let mut bytes: usize = self.pending.iter().map(text_size).sum();
        let mut ended = false;
        while bytes < max_bytes && !ended {
            match self.next_arrays()? {
                Some(rows) => {
                    bytes += text_size(&rows);
                    self.pending.push_back(rows);
                }
                None => ended = true,
            }
        }
        let mut fields = self.inferred(&self.pending.iter().collect::<Vec<_>>(), ended)?;
        fit_row(&mut fields);
        Ok(fields)
    }

    fn infer_from_records(&mut self, n: u64, _texts: Texts) -> Result<Vec<Inferred>> {
        let mut fields: Option<Vec<Inferred>> = None;
        let (mut seen, mut ended) = (0, false);
        while seen < n && !ended {
            let Some(rows) = self.next_arrays()? else {
                ended = true;
                continue;
            };
            let rows = rows.slice(0, (n - seen).min(rows.num_rows() as u64) as usize);
            seen += rows.num_rows() as u64;
            let of_batch = self.inferred(&[&rows], true)?;
            fields = Some(match fields {
                None => of_batch,
                Some(fields) => fields.into_iter().zip(&of_batch).map(|(field, other)| widened(field, other)).collect(),
            });
        }
        let mut fields = match fields {
            Some(fields) => fields,
            None => self.inferred(&[], true)?,
        };
        fields.iter_mut().enumerate().for_each(|(i, field)| {
            field.nullable |= !ended && self.never_null(i) != Some(true);
        });
        fit_row(&mut fields);
        Ok(fields)
    }

    fn can_be_read_again(&self) -> bool {
        matches!(self.location, SourceLocation::OnDisk(_))
    }

    fn reject_form(&self) -> RejectForm {
        RejectForm::Cells
    }
}

/// The columns with these indexes.
fn projected(rows: &RecordBatch, places: &[usize]) -> RecordBatch {
    rows.project(places).unwrap_or_else(|_| rows.clone())
}

/// The default of a batch's rows, as for CSV.
const DEFAULT_ROWS: usize = 64_000;

/// Bytes of lines that are summed at a time.
const CONTENT_BLOCK: usize = 64 << 10;

#[cfg(test)]
mod tests;
