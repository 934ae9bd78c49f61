//! A batch of text whose cells are rewritten as SQL writes them. A row with a cell that does not fit becomes a reject.

use super::{Rule, ValueFormats};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use inrush_core::column::{INLINE, view};
use inrush_core::error::{Error, InputFault, Result};
use inrush_core::load::{Batch, ColumnKind, FieldUse, Reject};
use std::collections::BTreeMap;
use std::sync::Arc;

impl ValueFormats {
    /// Whether any cell of these uses would be rewritten.
    pub(crate) fn concern(&self, uses: &[FieldUse], names: &[String]) -> bool {
        uses.iter().any(|use_| !matches!(self.rule(&names[use_.index], use_.column_kind), Rule::Keep))
    }

    /// The batch with its cells as SQL writes them.
    pub(crate) fn applied(&self, batch: Batch, uses: &[FieldUse], names: &[String]) -> Result<Batch> {
        let mut columns = batch.rows.columns().to_vec();
        let mut misfits = BTreeMap::new();
        for (i, use_) in uses.iter().enumerate() {
            let rule = self.rule(&names[use_.index], use_.column_kind);
            if let Rule::Keep = rule {
                continue;
            }
            let misfit = |row: usize, cell: &[u8]| {
                misfits.entry(row).or_insert_with(|| (use_.index, rule.reason(cell)));
            };
            columns[i] = Arc::new(rewritten(columns[i].as_binary_view(), &rule, misfit)?);
        }
        let misfits: Vec<_> =
            misfits.into_iter().map(|(row, (field, why))| (row, names[field].as_str(), why)).collect();
        without(batch, columns, &misfits)
    }

    /// A sample in which each cell that is a number or a date in these formats is written as SQL does, so that its type is inferred. A
    /// text that is a number in SQL but not in these formats does not count as a number.
    pub(crate) fn applied_to_sample(&self, sample: &RecordBatch) -> Result<RecordBatch> {
        if !self.is_any() || sample.num_columns() == 0 {
            return Ok(sample.clone());
        }
        let schema = sample.schema();
        let columns = sample.columns().iter().zip(schema.fields()).map(|(column, field)| {
            let number = self.rule(field.name(), ColumnKind::Float);
            let date = self.rule(field.name(), ColumnKind::Moment);
            let mut cells = Builder::default();
            for cell in column.as_binary_view() {
                let Some(cell) = cell else {
                    cells.put_null();
                    continue;
                };
                if let Some(truth) = std::str::from_utf8(cell).ok().and_then(|cell| self.truth(cell)) {
                    cells.put([if truth { b"true" } else { b"false" }, b""]);
                    continue;
                }
                let is_moment = !matches!(date, Rule::Keep) && cells.try_put(|out| date.rewrite(cell, out));
                if is_moment || (!matches!(number, Rule::Keep) && cells.try_put(|out| number.rewrite(cell, out))) {
                    continue;
                }
                let was_number = !matches!(number, Rule::Keep) && inrush_core::column::check::is_number(cell);
                cells.put([cell, if was_number { b"?" } else { b"" }]);
            }
            Ok(Arc::new(cells.finish()?) as ArrayRef)
        });
        RecordBatch::try_new(schema.clone(), columns.collect::<Result<_>>()?).map_err(cannot_build)
    }
}

fn rewritten(
    column: &BinaryViewArray,
    rule: &Rule<'_>,
    mut misfit: impl FnMut(usize, &[u8]),
) -> Result<BinaryViewArray> {
    let mut cells = Builder::default();
    for (row, cell) in column.iter().enumerate() {
        match cell {
            None => cells.put_null(),
            Some(b"") => cells.put([b"", b""]),
            Some(cell) if cells.try_put(|out| rule.rewrite(cell, out)) => {}
            Some(cell) => {
                misfit(row, cell);
                cells.put_null();
            }
        }
    }
    cells.finish()
}

/// The batch with these columns, without these rows: each with its field and what is wrong with it.
fn without(mut batch: Batch, columns: Vec<ArrayRef>, misfits: &[(usize, &str, String)]) -> Result<Batch> {
    let n_rows = batch.rows.num_rows();
    let mut keeps = vec![true; n_rows];
    let mut places = batch.origin.places();
    let rejects: Vec<_> = misfits
        .iter()
        .map(|(row, field, reason)| {
            keeps[*row] = false;
            let mut place = places.of(*row);
            place.column = Some((*field).into());
            Reject::new(place, reason.as_str(), InputFault::Other, batch.origin.raw(*row))
        })
        .collect();
    let columns = match misfits {
        [] => columns,
        _ => columns.iter().map(|column| kept(column.as_binary_view(), &keeps)).collect::<Result<_>>()?,
    };
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows - misfits.len()));
    batch.rows = RecordBatch::try_new_with_options(batch.rows.schema(), columns, &options).map_err(cannot_build)?;
    let kept = |offsets: &[u32]| offsets.iter().zip(&keeps).filter_map(|(at, keep)| keep.then_some(*at)).collect();
    batch.origin.record_starts = kept(&batch.origin.record_starts);
    batch.origin.record_ends = kept(&batch.origin.record_ends);
    // The text is not that of the cells.
    batch.origin.verbatim = None;
    batch.rejects.extend(rejects);
    batch.rejects.sort_by_key(|reject| reject.place.line);
    Ok(batch)
}

fn kept(column: &BinaryViewArray, keeps: &[bool]) -> Result<ArrayRef> {
    let rows = || keeps.iter().enumerate().filter_map(|(row, keep)| keep.then_some(row));
    let views: Vec<u128> = rows().map(|row| column.views()[row]).collect();
    let nulls = column.nulls().map(|nulls| NullBuffer::from_iter(rows().map(|row| nulls.is_valid(row))));
    let column = BinaryViewArray::try_new(ScalarBuffer::from(views), column.data_buffers().to_vec(), nulls);
    column.map(|column| Arc::new(column) as ArrayRef).map_err(cannot_build)
}

/// A column under construction.
#[derive(Default)]
struct Builder {
    views: Vec<u128>,
    valid: Vec<bool>,
    long: Vec<u8>,
}

impl Builder {
    fn put_null(&mut self) {
        self.views.push(0);
        self.valid.push(false);
    }

    fn put(&mut self, parts: [&[u8]; 2]) {
        self.try_put(|out| {
            parts.iter().for_each(|part| out.extend_from_slice(part));
            true
        });
    }

    /// Takes what is written, if there is something.
    fn try_put(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let start = self.long.len();
        if !write(&mut self.long) {
            self.long.truncate(start);
            return false;
        }
        self.views.push(view(&self.long[start..], 0, start));
        self.valid.push(true);
        if self.long.len() - start <= INLINE {
            self.long.truncate(start);
        }
        true
    }

    fn finish(self) -> Result<BinaryViewArray> {
        let nulls = NullBuffer::from(self.valid);
        let buffers = vec![Buffer::from_vec(self.long)];
        BinaryViewArray::try_new(ScalarBuffer::from(self.views), buffers, Some(nulls)).map_err(cannot_build)
    }
}

fn cannot_build(error: arrow_schema::ArrowError) -> Error {
    Error::data(format!("a batch could not be built: {error}"))
}
