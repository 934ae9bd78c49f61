//! Parquet: which row groups and columns are read, and where their arrays come from.
//!
//! Only the chosen columns are read and decoded. Texts and bytes come as views into the decoded pages, so that they are not copied on
//! the way to the wire. Every read is checked against the file's length before memory is taken for it, and what a batch takes is
//! counted before it is decoded ([`pages`]).

mod header;
mod pages;
mod runs;
mod window;

use crate::columnar::Arrays;
use crate::guard::guarded;
use crate::input::Meter;
use crate::on_disk::OnDisk;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use inrush_core::error::{Error, Result};
use pages::{Budget, Group};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, LogicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::Type;
use std::io::{BufReader, Read};
use std::sync::{Arc, Mutex};
use window::{Window, WindowReader};

/// A Parquet file.
pub(crate) struct Parquet {
    name: Arc<str>,
    file: FileBytes,
    metadata: ArrowReaderMetadata,
    schema: SchemaRef,
    /// The fields that are read.
    fields: Vec<usize>,
    /// Whether [`check_pages`](Self::check_pages) has passed for these fields.
    is_checked: bool,
    /// The row group that is being read.
    rows: Option<GroupRows>,
    /// The row that comes next.
    at: u64,
    /// Rows of a batch, by the footer.
    batch_rows: u64,
    /// The average of a row's bytes, by the footer.
    row_bytes: u64,
    /// The most bytes that a batch may take while it is decoded.
    memory: u64,
}

/// The rows of one row group.
struct GroupRows {
    reader: ParquetRecordBatchReader,
    budget: Arc<Budget>,
    /// The number of the row after its last one.
    end: u64,
    /// Rows of a batch.
    batch_rows: u64,
}

impl Parquet {
    /// Reads the footer. `batch_bytes` is the approximate maximum that is decoded at a time.
    pub(crate) fn open(name: &str, file: OnDisk, meter: Arc<Meter>, batch_bytes: usize, memory: usize) -> Result<Self> {
        let name: Arc<str> = name.into();
        let pages = FileBytes { file, meter, window: None };
        let metadata = guarded(&name, || load(&pages).map_err(|e| damaged(&name, &e)))?;
        let schema = marked(&metadata);
        let (rows, bytes) = metadata.metadata().row_groups().iter().fold((0u64, 0u64), |(rows, bytes), group| {
            (
                rows.saturating_add(group.num_rows().unsigned_abs()),
                bytes.saturating_add(group.total_byte_size().unsigned_abs()),
            )
        });
        let row_bytes = (bytes / rows.max(1)).max(1);
        let batch_rows = (batch_bytes as u64 / row_bytes.max(listed_bytes(&metadata))).clamp(1, DECODED_ROWS);
        let fields = (0..schema.fields().len()).collect();
        Ok(Self {
            name,
            file: pages,
            metadata,
            schema,
            fields,
            is_checked: false,
            rows: None,
            at: 0,
            batch_rows,
            row_bytes,
            memory: memory as u64,
        })
    }

    /// The rows from `at` to the end of their row group, `batch_rows` at a time at most.
    fn group(&self, batch_rows: u64) -> Result<GroupRows> {
        let groups = self.metadata.metadata().row_groups();
        let (mut start, mut index) = (0, 0);
        while let Some(group) = groups.get(index).filter(|group| n_rows_of(group).saturating_add(start) <= self.at) {
            start = n_rows_of(group).saturating_add(start);
            index += 1;
        }
        let n_rows = groups.get(index).map_or(0, n_rows_of);
        let batch_rows = batch_rows.min(self.memory / self.row_width().max(1));
        if batch_rows == 0 {
            return Err(damaged(&self.name, &format!("its rows have {} MiB each", self.row_width() >> 20))
                .with_hint("raise `--memory` if that is meant, or leave the column out: `--columns a,b,@skip`"));
        }
        let budget = Arc::new(Budget::new(self.memory, batch_rows, self.metadata.parquet_schema().num_columns()));
        let metadata = self.metadata.metadata().clone();
        let group = Group { bytes: self.file.clone(), metadata, index, budget: budget.clone() };
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), self.fields.iter().copied());
        let selectors = [(self.at - start, false), (n_rows - (self.at - start), true)].map(|(n, is_read)| {
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            if is_read { RowSelector::select(n) } else { RowSelector::skip(n) }
        });
        let selection = (self.at > start).then(|| RowSelection::from(selectors.to_vec()));
        let reader = guarded(&self.name, || {
            let fields = Some(self.metadata.schema().fields());
            parquet_to_arrow_field_levels(self.metadata.parquet_schema(), mask, fields)
                .and_then(|levels| {
                    ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, batch_rows as usize, selection)
                })
                .map_err(|e| damaged(&self.name, &e))
        })?;
        Ok(GroupRows { reader, budget, end: n_rows.saturating_add(start), batch_rows })
    }

    /// Bytes of a row in arrays, without its texts and lists.
    fn row_width(&self) -> u64 {
        let parquet = self.metadata.parquet_schema();
        let leaves = (0..parquet.num_columns())
            .filter(|&leaf| self.fields.contains(&parquet.get_column_root_idx(leaf)))
            .map(|leaf| parquet.column(leaf))
            .filter(|column| column.max_rep_level() == 0);
        let stored = leaves.map(|column| pages::width(&column)).fold(0, u64::saturating_add);
        let arrays = self.fields.iter().map(|&field| width_of(self.schema.field(field).data_type()));
        stored.max(arrays.fold(0, u64::saturating_add))
    }

    /// Checks the columns of the chosen fields before the first row is returned: refuses an unsupported compression, and columns whose
    /// bytes are outside of the file.
    fn check_pages(&self) -> Result<()> {
        let parquet = self.metadata.parquet_schema();
        for group in self.metadata.metadata().row_groups() {
            let columns = group.columns().iter().enumerate();
            for (leaf, column) in columns.filter(|(leaf, _)| self.fields.contains(&parquet.get_column_root_idx(*leaf)))
            {
                let named = || format!("column `{}` of `{}`", parquet.column(leaf).path().string(), self.name);
                if let Some(codec) = not_built_in(column.compression()) {
                    return Err(Error::data(format!("{} is compressed by {codec}, which is not read", named()))
                        .with_hint("write the file with another compression: zstd, snappy, gzip, LZ4 or none"));
                }
                let dictionary = column.dictionary_page_offset().filter(|at| !is_none(*at));
                let start = dictionary.unwrap_or(i64::MAX).min(column.data_page_offset());
                let end = start.checked_add(column.compressed_size()).and_then(|end| u64::try_from(end).ok());
                if start < 0 || column.compressed_size() < 0 || end.is_none_or(|end| end > self.file.len()) {
                    return Err(damaged(&self.name, &format!("{} lies outside of the file", named())));
                }
            }
        }
        Ok(())
    }

    fn n_rows(&self) -> u64 {
        self.metadata.metadata().row_groups().iter().map(n_rows_of).fold(0, u64::saturating_add)
    }
}

/// Some writers store 0 if a column has no dictionary; no page can be at offset 0, which holds the file's magic number.
fn is_none(dictionary_page_offset: i64) -> bool {
    dictionary_page_offset == 0
}

fn n_rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

impl Arrays for Parquet {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn project(&mut self, fields: &[usize]) {
        self.fields = fields.to_vec();
        (self.is_checked, self.rows) = (false, None);
    }

    fn left(&self) -> Option<(u64, u64)> {
        Some((self.n_rows().saturating_sub(self.at), self.row_bytes))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while self.at < self.n_rows() {
            let group = match &mut self.rows {
                Some(group) => group,
                None => {
                    if !self.is_checked {
                        self.check_pages()?;
                        self.is_checked = true;
                    }
                    let group = self.group(self.batch_rows)?;
                    self.rows.insert(group)
                }
            };
            group.budget.begin_batch();
            let next = guarded(&self.name, || group.reader.next().transpose().map_err(|e| damaged(&self.name, &e)));
            match next {
                Ok(Some(rows)) if self.at + rows.num_rows() as u64 <= group.end => {
                    self.at += rows.num_rows() as u64;
                    return Ok(Some(rows));
                }
                Ok(None) if self.at == group.end => self.rows = None,
                Ok(_) => {
                    return Err(damaged(&self.name, &format!("row {} ends its row group at another row", self.at)));
                }
                Err(error) => match group.budget.take_refused() {
                    Some(refused) if refused.may_shrink => {
                        let batch_rows = (group.batch_rows / SHRINK).max(1);
                        self.rows = Some(self.group(batch_rows)?);
                    }
                    Some(refused) => return Err(damaged(&self.name, &refused.why).with_hint(refused.hint)),
                    None => return Err(error),
                },
            }
        }
        Ok(None)
    }

    fn skip(&mut self, n_rows: u64) -> Result<u64> {
        let passed = n_rows.min(self.n_rows().saturating_sub(self.at));
        self.at += passed;
        self.rows = None;
        Ok(passed)
    }

    fn restart(&mut self) -> Result<bool> {
        (self.at, self.rows) = (0, None);
        Ok(true)
    }

    /// By the schema, or by the statistics of all row groups.
    fn never_null(&self, field: usize) -> Option<bool> {
        let known = self.schema.field(field);
        if !known.is_nullable() {
            return Some(true);
        }
        if known.data_type().is_nested() {
            return Some(false);
        }
        let parquet = self.metadata.parquet_schema();
        let leaf = (0..parquet.num_columns()).find(|&leaf| parquet.get_column_root_idx(leaf) == field)?;
        let nulls =
            self.metadata.metadata().row_groups().iter().map(|group| group.column(leaf).statistics()?.null_count_opt());
        Some(nulls.into_iter().all(|nulls| nulls == Some(0)))
    }
}

/// How many bytes the lists of a row take when they are decoded, on average of the row group where they take most.
fn listed_bytes(metadata: &ArrowReaderMetadata) -> u64 {
    let of_group = |group: &RowGroupMetaData| {
        let lists = group.columns().iter().filter(|column| column.column_descr().max_rep_level() > 0);
        let values = lists.map(|column| column.num_values().unsigned_abs()).fold(0, u64::saturating_add);
        (values / n_rows_of(group).max(1)).saturating_mul(LISTED_BYTES)
    };
    metadata.metadata().row_groups().iter().map(of_group).max().unwrap_or(0)
}

/// A value of a list with its two levels.
const LISTED_BYTES: u64 = 12;

/// Bytes of a value in an array, without its texts and lists.
fn width_of(ty: &DataType) -> u64 {
    match ty {
        DataType::FixedSizeBinary(width) => width.unsigned_abs().into(),
        DataType::FixedSizeList(item, n) => u64::from(n.unsigned_abs()).saturating_mul(width_of(item.data_type())),
        DataType::Struct(fields) => fields.iter().map(|field| width_of(field.data_type())).fold(0, u64::saturating_add),
        ty => ty.primitive_width().unwrap_or(16) as u64,
    }
}

/// Reads the footer, and chooses views for texts and bytes where the reader supports them.
fn load(pages: &FileBytes) -> Result<ArrowReaderMetadata, ParquetError> {
    let metadata = ArrowReaderMetadata::load(pages, ArrowReaderOptions::new())?;
    let viewed = Schema::new_with_metadata(
        metadata.schema().fields().iter().map(|field| viewed(field)).collect::<Vec<_>>(),
        metadata.schema().metadata().clone(),
    );
    let options = ArrowReaderOptions::new().with_schema(Arc::new(viewed));
    Ok(ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata))
}

fn viewed(field: &Field) -> Field {
    field.clone().with_data_type(viewed_type(field.data_type()))
}

/// Without views the texts of a list are copied for each reference, and a dictionary may hold one huge text.
fn viewed_type(ty: &DataType) -> DataType {
    let inner = |field: &Arc<Field>| Arc::new(viewed(field));
    match ty {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, values) if values.is_string() || values.is_binary() => viewed_type(values),
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, n) => DataType::FixedSizeList(inner(item), *n),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        ty => ty.clone(),
    }
}

/// The schema, with extension names for UUIDs and JSON.
fn marked(metadata: &ArrowReaderMetadata) -> SchemaRef {
    let roots: &[Arc<Type>] = match metadata.parquet_schema().root_schema() {
        Type::GroupType { fields, .. } => fields,
        Type::PrimitiveType { .. } => &[],
    };
    let mark = |(i, field): (usize, &Arc<Field>)| {
        let logical =
            roots.get(i).filter(|root| root.is_primitive()).and_then(|root| root.get_basic_info().logical_type_ref());
        let extension = match logical {
            Some(LogicalType::Uuid) => "arrow.uuid",
            Some(LogicalType::Json) => "arrow.json",
            _ => return field.clone(),
        };
        let mut known = field.metadata().clone();
        known.insert("ARROW:extension:name".to_owned(), extension.to_owned());
        Arc::new(field.as_ref().clone().with_metadata(known))
    };
    let schema = metadata.schema();
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(mark).collect::<Vec<_>>()))
}

/// The name of an unsupported compression.
fn not_built_in(compression: Compression) -> Option<&'static str> {
    match compression {
        Compression::LZO => Some("LZO"),
        _ => None,
    }
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::data(format!("cannot read `{name}` as Parquet: {error}"))
}

/// The file's bytes, read at any offset, counted, and checked against its length.
#[derive(Clone)]
struct FileBytes {
    file: OnDisk,
    meter: Arc<Meter>,
    /// For a column of an object: its bytes are requested ahead.
    window: Option<Arc<Mutex<Window>>>,
}

impl FileBytes {
    /// The same bytes for the reader of one column, which has `bytes` bytes from `at` on and is one of `n_columns`.
    fn of_column(&self, at: u64, bytes: u64, n_columns: usize) -> Self {
        let step = (WINDOWS / (2 * n_columns.max(1) as u64)).clamp(LEAST_STEP, MOST_STEP);
        let window = Window::new(&self.file, at, bytes, step).map(|window| Arc::new(Mutex::new(window)));
        Self { window, ..self.clone() }
    }
}

impl Length for FileBytes {
    fn len(&self) -> u64 {
        self.file.size()
    }
}

impl ChunkReader for FileBytes {
    type T = BufReader<Box<dyn Read + Send>>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let from: Box<dyn Read + Send> = match &self.window {
            Some(window) => Box::new(WindowReader::new(window, start)),
            None => Box::new(self.file.from(start)),
        };
        Ok(BufReader::with_capacity(HEADER_BYTES, from))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF(format!("it names {length} bytes at {start}, and has {}", self.len())));
        }
        let mut bytes = vec![0; length];
        match &self.window {
            Some(window) => WindowReader::new(window, start).read_exact(&mut bytes)?,
            None => self.file.exact(start, length as u64).read_exact(&mut bytes)?,
        }
        self.meter.add(length as u64);
        Ok(bytes.into())
    }
}

/// 64 MiB: the bytes under way for all columns of an object.
const WINDOWS: u64 = 64 << 20;

/// 256 KiB, and 8 MiB: bytes of a range.
const LEAST_STEP: u64 = 256 << 10;
const MOST_STEP: u64 = 8 << 20;

/// A batch that takes too much memory is read again with so many times fewer rows.
const SHRINK: u64 = 8;

/// Rows that are decoded at a time: the reader's default, which fits the cache.
const DECODED_ROWS: u64 = 8192;

/// The header of a page is read separately, and has some ten bytes besides its statistics.
const HEADER_BYTES: usize = 4 << 10;

#[cfg(test)]
mod tests;
