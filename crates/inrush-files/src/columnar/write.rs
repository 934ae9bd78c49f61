//! Writes rows directly as the text of a LOAD. Whole numbers, decimals and dates are written from their arrays into the lines if the known
//! range of an array satisfies its check; every other array becomes [`Cells`], which are checked and copied.

use super::{BatchShape, Rows};
use crate::cells::memo::Memo;
use crate::cells::{self, Style, known, number};
use crate::guard::guarded;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal64Type, Decimal128Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BinaryViewArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use inrush_core::column::check::{Check, Known};
use inrush_core::column::{self, INLINE, view};
use inrush_core::load::PassThrough;
use inrush_core::load::encode::load_data::{self, Lines};
use std::collections::BTreeMap;
use std::ops::Range;

impl Rows {
    /// See [`RawChunk::write`](inrush_core::load::RawChunk::write).
    pub(super) fn write_lines(
        &self,
        checks: &[Check],
        room: &dyn Fn(usize) -> Vec<u8>,
    ) -> Option<(PassThrough, Vec<u8>)> {
        let shape = &self.shape;
        if checks.len() != shape.taken.len() || shape.taken.is_empty() {
            return None;
        }
        let written = guarded(&shape.name, || {
            let kept: Option<Vec<_>> = self.arrays.iter().map(|arrays| kept(arrays, shape, checks)).collect();
            Ok(kept.map(|kept| {
                // The estimate does not contain the separators.
                let n_rows = (self.span.end - self.span.start) as usize;
                let mut text = room(self.bytes as usize + n_rows * shape.taken.len());
                let longest = write(&kept, &mut text);
                (text, longest)
            }))
        });
        let (text, longest) = written.ok()??;
        let rows = self.clone();
        let parse = move || rows.to_batch();
        Some((PassThrough::new(self.origin(), longest, self.memory(), parse), text))
    }

    /// Bytes that the arrays keep in memory; pages that several of them share count once.
    fn memory(&self) -> usize {
        if self.shape.is_part {
            let n_rows = (self.span.end - self.span.start) as usize;
            return self.bytes as usize + n_rows * self.shape.taken.len() * size_of::<u128>();
        }
        let mut pages = BTreeMap::new();
        let mut own = 0;
        for column in self.arrays.iter().flat_map(RecordBatch::columns) {
            let buffers = match column.data_type() {
                DataType::Utf8View => column.as_string_view().data_buffers(),
                DataType::BinaryView => column.as_binary_view().data_buffers(),
                _ => {
                    own += column.get_buffer_memory_size();
                    continue;
                }
            };
            own += column.len() * size_of::<u128>();
            pages.extend(buffers.iter().map(|page| (page.data_ptr(), page.capacity())));
        }
        own + pages.values().sum::<usize>()
    }
}

/// A column of some rows, all of whose cells pass their check unchanged.
struct PassedColumn {
    array: ArrayRef,
    nulls: Option<NullBuffer>,
    values: Values,
}

/// The source of its cells.
enum Values {
    Int32,
    Int64,
    Decimal64 { scale: i8 },
    Decimal128 { scale: i8 },
    Date,
    Cells(BinaryViewArray),
}

/// The columns of some rows, in the order of the uses. `None` unless every cell passes its check unchanged.
fn kept(arrays: &RecordBatch, shape: &BatchShape, checks: &[Check]) -> Option<Vec<PassedColumn>> {
    let columns = shape.taken.iter().zip(checks);
    columns.map(|(&(at, style), check)| kept_column(arrays.column(at), style, shape.utf8, check)).collect()
}

fn kept_column(array: &ArrayRef, style: Style, utf8: bool, check: &Check) -> Option<PassedColumn> {
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    let values = match array.data_type() {
        DataType::Int32 => Values::Int32,
        DataType::Int64 => Values::Int64,
        DataType::Decimal64(_, scale) => Values::Decimal64 { scale: *scale },
        DataType::Decimal128(_, scale) => Values::Decimal128 { scale: *scale },
        DataType::Date32 => Values::Date,
        _ => return cells_kept(array, style, utf8, check),
    };
    let known = known::of(array);
    let fits = fit_64_bits(known) || !matches!(values, Values::Decimal128 { .. });
    match fits && check.accepts_unchanged(known, nulls.is_some()) {
        true => Some(PassedColumn { array: array.clone(), nulls, values }),
        false => cells_kept(array, style, utf8, check),
    }
}

fn cells_kept(array: &ArrayRef, style: Style, utf8: bool, check: &Check) -> Option<PassedColumn> {
    let (known, cells) = cells::of(array, style).ok()?;
    let mut bad = Vec::new();
    let checked = check.run_knowing(known, &cells, utf8, &mut bad);
    let kept = bad.is_empty() && checked.is_untouched(&cells);
    kept.then(|| PassedColumn { array: array.clone(), nulls: None, values: Values::Cells(cells) })
}

/// Writes the rows. Returns the length of the longest line.
///
/// Works on blocks of rows: formats each column's values, then assembles the lines. Formatting row by row gains little over cells that are
/// read again, since neighbouring values have different types (docs/notes/load-speed.md).
fn write(chunk: &[Vec<PassedColumn>], text: &mut Vec<u8>) -> usize {
    let mut lines = Lines::new(text);
    let mut formatted: Vec<Formatted> = Vec::new();
    for columns in chunk {
        formatted.resize_with(columns.len(), Formatted::default);
        let n_rows = columns.first().map_or(0, |column| column.array.len());
        let cells: Vec<_> = columns.iter().map(PassedColumn::cells).collect();
        for first in (0..n_rows).step_by(BLOCK_ROWS) {
            let n = BLOCK_ROWS.min(n_rows - first);
            columns.iter().zip(&mut formatted).for_each(|(column, formatted)| formatted.fill(column, first..first + n));
            for row in 0..n {
                for (cells, formatted) in cells.iter().zip(&formatted) {
                    match cells {
                        Some(cells) => lines.cell(cells, first + row),
                        None => formatted.put(row, &mut lines),
                    }
                }
                lines.end();
            }
        }
    }
    lines.finish()
}

impl PassedColumn {
    /// The values of some rows.
    fn part<T: ArrowPrimitiveType>(&self, rows: &Range<usize>) -> impl Iterator<Item = T::Native> {
        self.array.as_primitive::<T>().values()[rows.clone()].iter().copied()
    }

    fn cells(&self) -> Option<column::Cells<'_>> {
        if let Values::Cells(cells) = &self.values { Some(column::Cells::new(cells)) } else { None }
    }
}

/// Formatted values of a column, as the text of a LOAD.
#[derive(Default)]
struct Formatted {
    views: Vec<u128>,
    /// The texts that are too long for a view.
    long: Vec<u8>,
    /// A date in progress.
    other: Vec<u8>,
    memo: Memo,
}

impl Formatted {
    #[inline]
    fn put(&self, row: usize, lines: &mut Lines<'_>) {
        let view = self.views[row];
        let len = view as u32 as usize;
        if len <= INLINE {
            return lines.plain_view(view);
        }
        let start = (view >> 96) as usize;
        lines.plain(&self.long[start..start + len]);
    }

    fn fill(&mut self, column: &PassedColumn, rows: Range<usize>) {
        let Self { views, long, other, memo } = self;
        views.clear();
        long.clear();
        let mut rest = |text: &dyn Fn(&mut Vec<u8>)| {
            let start = long.len();
            text(long);
            view(&long[start..], 0, start)
        };
        match column.values {
            Values::Int32 => views.extend(column.part::<Int32Type>(&rows).map(|value| int(value.into(), &mut rest))),
            Values::Int64 => views.extend(column.part::<Int64Type>(&rows).map(|value| int(value, &mut rest))),
            Values::Decimal64 { scale } => {
                let units = column.part::<Decimal64Type>(&rows);
                views.extend(units.map(|units| decimal(units, scale, memo, &mut rest)));
            }
            Values::Decimal128 { scale } => {
                // They fit: `fit_64_bits`.
                let units = column.part::<Decimal128Type>(&rows).map(|units| units as i64);
                views.extend(units.map(|units| decimal(units, scale, memo, &mut rest)));
            }
            Values::Date => views.extend(column.part::<Date32Type>(&rows).map(|day| match memo.date(day, other) {
                Some(view) => view,
                None => rest(&|out| out.extend_from_slice(other)),
            })),
            Values::Cells(_) => {}
        }
        if let Some(nulls) = &column.nulls {
            let null = view(load_data::NULL, 0, 0);
            views.iter_mut().zip(rows).filter(|(_, row)| nulls.is_null(*row)).for_each(|(view, _)| *view = null);
        }
    }
}

#[inline]
fn int(value: i64, long: &mut impl FnMut(&dyn Fn(&mut Vec<u8>)) -> u128) -> u128 {
    number::int_view(value)
        .unwrap_or_else(|| long(&|out| out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes())))
}

#[inline]
fn decimal(units: i64, scale: i8, memo: &mut Memo, long: &mut impl FnMut(&dyn Fn(&mut Vec<u8>)) -> u128) -> u128 {
    let view = memo.view(units, || number::decimal_view(units, scale));
    view.unwrap_or_else(|| long(&|out| number::decimal(units, scale, out)))
}

/// Whether decimals of this range fit an `i64` in units.
fn fit_64_bits(known: Known) -> bool {
    matches!(known, Known::Decimal { int_digits, scale, .. } if int_digits + scale <= 18)
}

/// The values of a block, 16 bytes each, fit the first-level cache (docs/notes/load-speed.md).
const BLOCK_ROWS: usize = 256;

#[cfg(test)]
mod tests;
