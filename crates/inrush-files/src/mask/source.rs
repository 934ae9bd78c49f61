//! Masks of a load: a source whose batches hold masked cells. What it shows of records, in rejects and errors, is masked as well.

use super::ColumnMask;
use arrow_array::builder::BinaryViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use inrush_core::column::{Column, ColumnType};
use inrush_core::error::{Error, InputFault, Kind, Place, Result};
use inrush_core::load::batch::csv_line;
use inrush_core::load::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::load::sort::Stood;
use inrush_core::load::{Batch, FieldTarget, FieldUse, Matching, Origin, RawChunk, Reject, Source, Unchanged};
use std::sync::Arc;

/// A source of which nothing but masked values comes out.
pub struct MaskedSource {
    inner: Box<dyn Source>,
    /// Of each field.
    of_fields: Vec<Option<ColumnMask>>,
    /// Of each column of the batches, once the fields are chosen.
    masks: Arc<[Option<ColumnMask>]>,
    fingerprint: String,
}

impl MaskedSource {
    /// `of_fields` are the masks of the source's fields, in their order.
    pub fn new(inner: Box<dyn Source>, of_fields: Vec<Option<ColumnMask>>, fingerprint: &str) -> Self {
        let masks = of_fields.clone().into();
        Self { inner, of_fields, masks, fingerprint: fingerprint.to_owned() }
    }
}

/// The column of the table that each field goes into; for a field that only an expression names a column of texts of the field's name.
/// `computed` are the columns that `--set` computes, `named` the fields that its expressions name.
pub fn columns_of_fields(
    fields: &[String],
    columns: &[Column],
    matching: &Matching,
    (computed, named): (&[String], &[String]),
) -> Vec<Option<Column>> {
    let is_same = |one: &str, other: &str| one.trim().to_lowercase() == other.trim().to_lowercase();
    let by_name = |name: &str| {
        let column = columns.iter().find(|column| is_same(&column.name, name)).cloned();
        column.or_else(|| named.iter().any(|one| is_same(one, name)).then(|| Column::new(name.trim(), LONG_TEXT)))
    };
    let by_position = || {
        columns.iter().filter(|column| !column.generated && !computed.iter().any(|name| is_same(name, &column.name)))
    };
    match matching {
        Matching::ByName => fields.iter().map(|field| by_name(field)).collect(),
        Matching::ByPosition => by_position().cloned().map(Some).collect(),
        Matching::Listed(targets) => targets
            .iter()
            .map(|target| match target {
                FieldTarget::Column(name) | FieldTarget::Skip(name) => by_name(name),
            })
            .collect(),
    }
}

const LONG_TEXT: ColumnType = ColumnType::Text { bytes: u32::MAX };

impl Source for MaskedSource {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fields(&self) -> &[String] {
        self.inner.fields()
    }

    fn select(&mut self, uses: &[FieldUse]) {
        self.masks = uses.iter().map(|one| self.of_fields.get(one.index).cloned().flatten()).collect();
        self.inner.select(uses);
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        let batch = self.inner.next().map_err(hidden)?;
        batch.map(|batch| masked(batch, &self.masks)).transpose()
    }

    fn next_raw_chunk(&mut self) -> Result<Option<Box<dyn RawChunk>>> {
        let chunk = self.inner.next_raw_chunk().map_err(hidden)?;
        Ok(chunk.map(|inner| Box::new(MaskedChunk { inner, masks: self.masks.clone() }) as Box<dyn RawChunk>))
    }

    fn identity(&mut self) -> Result<Option<Identity>> {
        self.inner.identity()
    }

    /// Records of the file are shown nowhere: bad rows are written as lines of CSV, of masked cells.
    fn is_text(&self) -> bool {
        false
    }

    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>> {
        self.inner.hash_of_first(bytes)
    }

    fn reading(&self) -> Mapping {
        self.inner.reading().with("masks", &self.fingerprint)
    }

    fn time_zone(&self) -> Option<&str> {
        self.inner.time_zone()
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        self.inner.resume(stored, verify)
    }

    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool> {
        self.inner.compare(stored)
    }

    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>> {
        let batch = self.inner.peek(bytes).map_err(hidden)?;
        batch.map(|batch| masked(batch, &self.masks)).transpose()
    }

    fn can_peek(&self) -> bool {
        self.inner.can_peek()
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.inner.unchanged()
    }

    fn bytes_left(&self) -> Option<u64> {
        self.inner.bytes_left()
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        self.inner.set_batch_bytes(bytes);
    }
}

/// A raw chunk that is always parsed: its text must not pass.
struct MaskedChunk {
    inner: Box<dyn RawChunk>,
    masks: Arc<[Option<ColumnMask>]>,
}

impl RawChunk for MaskedChunk {
    fn records(&self) -> u64 {
        self.inner.records()
    }

    fn bytes(&self) -> u64 {
        self.inner.bytes()
    }

    fn parse(self: Box<Self>) -> Result<Batch> {
        masked(self.inner.parse().map_err(hidden)?, &self.masks)
    }
}

/// An error of reading, without the values that it may hold.
fn hidden(error: Error) -> Error {
    if error.kind() != Kind::Data {
        return error;
    }
    let place = error.place().cloned();
    let error = Error::data("the file cannot be read here; masks hide why, because the message may hold a value")
        .with_hint("`inrush load --dry-run` without masks shows it, where its values may be seen");
    match place {
        Some(place) => error.at(place),
        None => error,
    }
}

/// The batch with masked cells. A row that has a value which its rule does not fit becomes a reject.
fn masked(batch: Batch, masks: &[Option<ColumnMask>]) -> Result<Batch> {
    let n_rows = batch.rows.num_rows();
    let lines = lines(&batch);
    // The first unfit value of a row: row, column, why.
    let mut unfit: Vec<(usize, usize, &'static str)> = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(batch.rows.num_columns());
    for (at, column) in batch.rows.columns().iter().enumerate() {
        let Some(mask) = masks.get(at).and_then(Option::as_ref) else {
            columns.push(column.clone());
            continue;
        };
        let mut builder = BinaryViewBuilder::with_capacity(n_rows);
        for (row, cell) in column.as_binary_view().iter().enumerate() {
            match cell.map(|cell| mask.apply(cell)) {
                None => builder.append_null(),
                Some(Ok(value)) => builder.append_option(value),
                Some(Err(why)) => {
                    builder.append_value(HIDDEN);
                    unfit.push((row, at, why));
                }
            }
        }
        columns.push(Arc::new(builder.finish()));
    }
    let known = (0..columns.len())
        .map(|at| match masks.get(at) {
            Some(Some(_)) | None => Default::default(),
            Some(None) => batch.known.get(at).copied().unwrap_or_default(),
        })
        .collect();
    let mut rejects: Vec<Reject> = batch.rejects.into_iter().map(without_record).collect();
    unfit.sort_unstable();
    unfit.dedup_by_key(|(row, ..)| *row);
    let source = batch.origin.source.clone();
    for &(row, at, why) in &unfit {
        let cell = |column: &ArrayRef| column.is_valid(row).then(|| column.as_binary_view().value(row).to_vec());
        let (name, rule) = match masks.get(at).and_then(Option::as_ref) {
            Some(mask) => (mask.column().to_owned(), mask.rule().to_string()),
            None => Default::default(),
        };
        let line = lines.get(row).copied().unwrap_or(batch.origin.first_line);
        let place = Place { source: source.clone(), line, column: Some(name.into()) };
        let reason = format!("the mask `{rule}` does not fit the value: {why}");
        rejects.push(Reject::new(place, reason, InputFault::Other, csv_line(columns.iter().map(cell))));
    }
    rejects.sort_by_key(|reject| reject.place.line);

    let keeps: Vec<usize> = match unfit.is_empty() {
        true => (0..n_rows).collect(),
        false => (0..n_rows).filter(|row| unfit.binary_search_by_key(row, |(row, ..)| *row).is_err()).collect(),
    };
    if !unfit.is_empty() {
        let kept = |column: &ArrayRef| {
            let cells = column.as_binary_view();
            let kept = keeps.iter().map(|&row| cells.is_valid(row).then(|| cells.value(row)));
            Arc::new(kept.collect::<BinaryViewArray>()) as ArrayRef
        };
        columns = columns.iter().map(kept).collect();
    }
    let names = batch.rows.schema();
    let field = |(field, _): (&Arc<Field>, &ArrayRef)| Field::new(field.name(), DataType::BinaryView, true);
    let schema = Schema::new(names.fields().iter().zip(&columns).map(field).collect::<Vec<_>>());
    let options = RecordBatchOptions::new().with_row_count(Some(keeps.len()));
    let rows = RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
        .map_err(|error| Error::data(format!("masked cells are no batch: {error}")))?;
    let only = |offsets: &[u32]| match offsets.is_empty() {
        true => Vec::new(),
        false => keeps.iter().filter_map(|&row| offsets.get(row).copied()).collect(),
    };
    let origin = Origin {
        verbatim: None,
        record_starts: only(&batch.origin.record_starts),
        record_ends: only(&batch.origin.record_ends),
        stood: Some(Stood::of_lines(source, keeps.iter().filter_map(|&row| lines.get(row).copied()))),
        ..batch.origin
    };
    Ok(Batch { rows, utf8: batch.utf8, known, origin, rejects })
}

/// The line of each row.
fn lines(batch: &Batch) -> Vec<u64> {
    let mut places = batch.origin.places();
    (0..batch.rows.num_rows()).map(|row| places.of(row).line).collect()
}

/// A record that did not become a row: its fields are not known, so that none of it can be shown.
fn without_record(reject: Reject) -> Reject {
    Reject {
        reason: "the record cannot be read; masks hide why, because the reason may hold a value".into(),
        fault: InputFault::Other,
        raw: csv_line([Some(HIDDEN)]),
        ..reject
    }
}

/// Stands for what cannot be masked.
const HIDDEN: &[u8] = b"(hidden)";
