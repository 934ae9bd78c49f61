//! Parquet: which row groups and columns are read, and where their arrays come from.
//!
//! Only the chosen columns are read and decoded. Texts and bytes come as views into the decoded pages, so that they are not copied on
//! the way to the wire. Every read is checked against the file's length before memory is taken for it.

use crate::columnar::Arrays;
use crate::expansion::expands_too_far;
use crate::guard::guarded;
use crate::input::Meter;
use crate::on_disk::OnDisk;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use inrush_core::error::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, LogicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::Type;
use std::io::{BufReader, Read};
use std::sync::Arc;

/// A Parquet file.
pub(crate) struct Parquet {
    name: Arc<str>,
    file: Pages,
    metadata: ArrowReaderMetadata,
    schema: SchemaRef,
    /// The fields that are read.
    fields: Vec<usize>,
    rows: Option<ParquetRecordBatchReader>,
    /// The row that comes next.
    at: u64,
    batch_rows: usize,
    /// About as many bytes has a row.
    row_bytes: u64,
    /// See [`expands_too_far`].
    memory: u64,
}

impl Parquet {
    /// Reads what the file says of itself. `batch_bytes` is about how much is decoded at a time, at most.
    pub(crate) fn open(name: &str, file: OnDisk, meter: Arc<Meter>, batch_bytes: usize, memory: usize) -> Result<Self> {
        let name: Arc<str> = name.into();
        let pages = Pages { file, meter };
        let metadata = guarded(&name, || load(&pages).map_err(|e| damaged(&name, &e)))?;
        let schema = marked(&metadata);
        let (rows, bytes) = metadata.metadata().row_groups().iter().fold((0u64, 0u64), |(rows, bytes), group| {
            (
                rows.saturating_add(group.num_rows().unsigned_abs()),
                bytes.saturating_add(group.total_byte_size().unsigned_abs()),
            )
        });
        let row_bytes = (bytes / rows.max(1)).max(1);
        // A list of millions of equal values is a few bytes of file, and its row is decoded as a whole.
        let listed = listed_bytes(&name, &metadata, memory as u64)?;
        let batch_rows = (batch_bytes as u64 / row_bytes.max(listed)).clamp(1, DECODED_ROWS) as usize;
        let fields = (0..schema.fields().len()).collect();
        Ok(Self {
            name,
            file: pages,
            metadata,
            schema,
            fields,
            rows: None,
            at: 0,
            batch_rows,
            row_bytes,
            memory: memory as u64,
        })
    }

    /// A reader from row `at` on.
    fn reader(&self) -> Result<ParquetRecordBatchReader, ParquetError> {
        let mut before = 0;
        let mut groups = Vec::new();
        let mut offset = 0;
        for (i, group) in self.metadata.metadata().row_groups().iter().enumerate() {
            let rows = u64::try_from(group.num_rows())
                .map_err(|_| ParquetError::General("a negative number of rows".into()))?;
            let end = before + rows;
            if self.at < end {
                if groups.is_empty() {
                    offset = self.at - before;
                }
                groups.push(i);
            }
            before = end;
        }
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), self.fields.iter().copied());
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone())
            .with_projection(mask)
            .with_row_groups(groups)
            .with_batch_size(self.batch_rows);
        if offset > 0 {
            builder = builder.with_offset(usize::try_from(offset).unwrap_or(usize::MAX));
        }
        builder.build()
    }

    /// Refuses what is known not to be readable by what the file says of itself, before a row of it is given away: columns of the
    /// chosen fields that are compressed by what is not built in, or that lie outside of the file.
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
                let start = column.dictionary_page_offset().unwrap_or(i64::MAX).min(column.data_page_offset());
                let end = start.checked_add(column.compressed_size()).and_then(|end| u64::try_from(end).ok());
                let (stored, plain) = (column.compressed_size(), column.uncompressed_size());
                if let Some(why) = expands_too_far(stored.unsigned_abs(), plain.unsigned_abs(), self.memory) {
                    return Err(damaged(&self.name, &format!("{} {why}", named()))
                        .with_hint("raise `--memory` if that is meant, or write the file in smaller row groups"));
                }
                if start < 0 || column.compressed_size() < 0 || end.is_none_or(|end| end > self.file.len()) {
                    return Err(damaged(&self.name, &format!("{} lies outside of the file", named())));
                }
            }
        }
        Ok(())
    }

    fn n_rows(&self) -> u64 {
        self.metadata.metadata().row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).sum()
    }
}

impl Arrays for Parquet {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn project(&mut self, fields: &[usize]) {
        self.fields = fields.to_vec();
        self.rows = None;
    }

    fn left(&self) -> Option<(u64, u64)> {
        Some((self.n_rows().saturating_sub(self.at), self.row_bytes))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if self.at >= self.n_rows() {
            return Ok(None);
        }
        if self.rows.is_none() {
            self.check_pages()?;
            self.rows = Some(guarded(&self.name, || self.reader().map_err(|e| damaged(&self.name, &e)))?);
        }
        let (name, rows) = (&self.name, &mut self.rows);
        let next = guarded(name, || rows.as_mut().and_then(Iterator::next).transpose().map_err(|e| damaged(name, &e)))?;
        match next {
            Some(rows) => {
                self.at += rows.num_rows() as u64;
                Ok(Some(rows))
            }
            None => Err(damaged(&self.name, &format!("it ends behind row {} of {}", self.at, self.n_rows()))),
        }
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
///
/// # Errors
/// `Data` if that is more than `memory`.
fn listed_bytes(name: &str, metadata: &ArrowReaderMetadata, memory: u64) -> Result<u64> {
    let mut most = 0;
    for group in metadata.metadata().row_groups() {
        let rows = group.num_rows().unsigned_abs().max(1);
        let mut listed = 0u64;
        for column in group.columns().iter().filter(|column| column.column_descr().max_rep_level() > 0) {
            let bytes = (column.num_values().unsigned_abs() / rows).saturating_mul(LISTED_BYTES);
            if bytes > memory {
                return Err(Error::data(format!(
                    "cannot read `{name}`: a row of column `{}` has {} values on average, which take {} MiB, and a row may take {} MiB",
                    column.column_path().string(),
                    column.num_values().unsigned_abs() / rows,
                    bytes >> 20,
                    memory >> 20
                ))
                .with_hint("write the values as rows of a table of their own, or raise `--memory`"));
            }
            listed = listed.saturating_add(bytes);
        }
        most = most.max(listed);
    }
    Ok(most)
}

/// A value of a list with its two levels.
const LISTED_BYTES: u64 = 12;

/// What the file says of itself, with views for texts and bytes where the reader can make them.
fn load(pages: &Pages) -> Result<ArrowReaderMetadata, ParquetError> {
    let metadata = ArrowReaderMetadata::load(pages, ArrowReaderOptions::new())?;
    let viewed = Schema::new_with_metadata(
        metadata.schema().fields().iter().map(|field| viewed(field)).collect::<Vec<_>>(),
        metadata.schema().metadata().clone(),
    );
    let options = ArrowReaderOptions::new().with_schema(Arc::new(viewed));
    Ok(ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata))
}

fn viewed(field: &Field) -> Field {
    let of = |ty: &DataType| match ty {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        _ => None,
    };
    let ty = match field.data_type() {
        DataType::Dictionary(_, values) => of(values),
        ty => of(ty),
    };
    field.clone().with_data_type(ty.unwrap_or_else(|| field.data_type().clone()))
}

/// The schema, with a mark on fields that Parquet says are UUIDs or JSON.
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

/// The name of a compression that cannot be undone.
fn not_built_in(compression: Compression) -> Option<&'static str> {
    match compression {
        Compression::LZO => Some("LZO"),
        Compression::BROTLI(_) => Some("Brotli"),
        _ => None,
    }
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::data(format!("cannot read `{name}` as Parquet: {error}"))
}

/// The file's bytes: read at their place, counted, and never more than there are.
#[derive(Clone)]
struct Pages {
    file: OnDisk,
    meter: Arc<Meter>,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file.size()
    }
}

impl ChunkReader for Pages {
    type T = BufReader<Box<dyn Read + Send>>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::with_capacity(HEADER_BYTES, Box::new(self.file.from(start))))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF(format!("it names {length} bytes at {start}, and has {}", self.len())));
        }
        let mut bytes = vec![0; length];
        self.file.from(start).read_exact(&mut bytes)?;
        self.meter.add(length as u64);
        Ok(bytes.into())
    }
}

/// As many rows are decoded at a time: what the reader's authors found to be fast, and what stays in a near cache.
const DECODED_ROWS: u64 = 8192;

/// The header of a page is read by itself, and has some ten bytes but for its statistics.
const HEADER_BYTES: usize = 4 << 10;
