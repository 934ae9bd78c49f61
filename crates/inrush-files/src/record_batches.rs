//! Record batches of a program as a source: what another library reads or makes, and results of a query.

use crate::CsvOptions;
use crate::applies::FileKind;
use crate::columnar::{Arrays, Columnar, Cuts, SourceLocation, text_size};
use crate::file_source::FileSource;
use crate::input::Meter;
use crate::open::STREAM_HEAD;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush_core::error::{Error, Result};
use inrush_core::load::ledger::Mapping;
use std::sync::Arc;

/// The rows of `batches` as a source for a load. `options` say how they are cut; the first rows are read at once.
///
/// `name` appears in messages. A later run of the same load recognizes the source by it and by its first rows (64 KiB of them, as
/// lines of CSV): if the earlier run stopped half-way, stored rows are compared and left out; if it was finished, the later run is
/// refused. Rows of another kind or of another day therefore need another name.
///
/// # Errors
/// `Config` for options that only text has, and for batches without columns; `Data` where `batches` fails.
///
/// ```
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator};
/// use std::sync::Arc;
///
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// let schema = batch.schema();
/// let reader = RecordBatchIterator::new([Ok(batch)], schema);
/// let options = inrush_files::CsvOptions::default();
/// let mut source = inrush_files::record_batches("orders of 2026-11-25", reader, &options)?;
/// assert_eq!(source.fields(), ["id"]);
/// assert_eq!(source.next()?.map(|batch| batch.records()), Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn record_batches(
    name: &str,
    batches: impl RecordBatchReader + Send + 'static,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let mut source = columnar(name, batches, options)?;
    source.known_by_its_first(STREAM_HEAD as usize)?;
    Ok(Box::new(source))
}

/// The same for rows that no later run recognizes, such as those of standard input: a second load of them stores them a second time.
/// `name` appears in messages only.
///
/// # Errors
/// Those of [`record_batches`].
pub fn record_batches_once(
    name: &str,
    batches: impl RecordBatchReader + Send + 'static,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    Ok(Box::new(columnar(name, batches, options)?))
}

/// The same for rows that are known by their content: all of them are read at once, and stay in memory. A later run of the same part of a
/// [`NamedJob`](inrush_core::load::ledger::NamedJob) recognizes them by their number and their checksum, however they are batched.
///
/// # Errors
/// Those of [`record_batches`].
pub fn record_batches_by_content(
    name: &str,
    batches: impl RecordBatchReader + Send + 'static,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let schema = batches.schema();
    let all = batches.collect::<Result<Vec<_>, _>>().map_err(|e| failed(name, e))?;
    let again = all.clone();
    let of = |all: Vec<RecordBatch>| RecordBatchIterator::new(all.into_iter().map(Ok), schema.clone());
    let (n_rows, hash) = columnar(name, of(again), options)?.content()?;
    let mut source = columnar(name, of(all), options)?;
    source.known_by_content(n_rows, hash);
    source.expect_rows(n_rows);
    Ok(Box::new(source))
}

/// The same for rows that are known by their name alone, such as those of a table: a later run compares the stored rows of an unfinished load,
/// and takes one that is finished for loaded, whatever the rows are by then. They must come in one order in every run. `reading` is what else
/// must be the same when a load is continued.
///
/// # Errors
/// Those of [`record_batches`].
pub fn record_batches_by_name(
    name: &str,
    batches: impl RecordBatchReader + Send + 'static,
    options: &CsvOptions,
    reading: Mapping,
) -> Result<Box<dyn FileSource>> {
    let mut source = columnar(name, batches, options)?;
    source.known_by_content(0, 0);
    source.read_as(reading);
    Ok(Box::new(source))
}

fn columnar<B: RecordBatchReader + Send + 'static>(
    name: &str,
    batches: B,
    options: &CsvOptions,
) -> Result<Columnar<Given<B>>> {
    FileKind::Typed.check(name, options)?;
    let arrays = Given {
        name: name.into(),
        schema: batches.schema(),
        batches,
        fields: None,
        expected: None,
        n_read: 0,
        row_bytes: 0,
    };
    Ok(Columnar::new(name, arrays, Meter::new(None), Cuts::of(options), SourceLocation::Nowhere)?
        .renaming(options.names))
}

/// The batches as they are given, and which of their fields are wanted.
struct Given<B> {
    name: Arc<str>,
    schema: SchemaRef,
    batches: B,
    /// `None`: all.
    fields: Option<Vec<usize>>,
    /// The number of rows, if the caller has set it.
    expected: Option<u64>,
    n_read: u64,
    /// Bytes of a row in memory, by the first rows.
    row_bytes: u64,
}

impl<B: RecordBatchReader + Send + 'static> Arrays for Given<B> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn project(&mut self, fields: &[usize]) {
        self.fields = Some(fields.to_vec());
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let name = &*self.name;
        let Some(rows) = self.batches.next().transpose().map_err(|e| failed(name, e))? else {
            return Ok(None);
        };
        if self.n_read == 0 {
            self.row_bytes = (text_size(&rows) as u64).checked_div(rows.num_rows() as u64).unwrap_or(0);
        }
        self.n_read += rows.num_rows() as u64;
        let types = |rows: &SchemaRef| rows.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
        if types(&rows.schema()) != types(&self.schema) {
            return Err(Error::data(format!("cannot read `{name}`: a batch has other columns than its reader said")));
        }
        match &self.fields {
            Some(fields) => rows.project(fields).map(Some).map_err(|e| failed(name, e)),
            None => Ok(Some(rows)),
        }
    }

    /// A program's table comes in slices, or in batches that are each cut into parts.
    fn are_parts(&self) -> bool {
        true
    }

    fn expect_rows(&mut self, n: u64) {
        self.expected = Some(n);
    }

    fn left(&self) -> Option<(u64, u64)> {
        Some((self.expected?.saturating_sub(self.n_read), self.row_bytes))
    }

    fn skip(&mut self, _n_rows: u64) -> Result<u64> {
        Ok(0)
    }

    fn restart(&mut self) -> Result<bool> {
        Ok(false)
    }

    fn never_null(&self, field: usize) -> Option<bool> {
        (!self.schema.field(field).is_nullable()).then_some(true)
    }
}

/// An error of ours that passed through Arrow is returned unchanged.
fn failed(name: &str, error: ArrowError) -> Error {
    let what = format!("cannot read `{name}`");
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Error>() {
            Ok(ours) => ours.while_doing(&what),
            Err(other) => Error::data(format!("{what}: {other}")),
        },
        other => Error::data(format!("{what}: {other}")),
    }
}

#[cfg(test)]
mod tests;
