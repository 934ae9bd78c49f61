//! The fast path for rows of common values: they are written with copies of a fixed number of bytes into memory that is already
//! allocated. It needs one comparison for each value to check the room, and no call (docs/notes/batches.md).
//!
//! A common value has its parameter's known type, and a text has at most 250 bytes. Any other value sends the whole row to the
//! slow path, which writes the same bytes for all common values.

use crate::convert::put_value::{BLOCK, Block, ROOM, put_cell, put_value};
use crate::convert::{BoundColumn, Order, Params, ValueVisitor};
use crate::value::Value;
use crate::wire::ParamType;
use std::ops::Range;

/// Appends rows to `bytes` through a block.
pub(crate) struct RowBlock {
    block: Block,
    len: usize,
    bytes: Vec<u8>,
}

impl RowBlock {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self { block: [0; BLOCK], len: 0, bytes }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + self.len
    }

    /// Appends a row of common values, as `put` writes it. `put` gets the block and the position where the row begins, and
    /// returns where it ends.
    #[inline(always)]
    pub(crate) fn put(&mut self, mut put: impl FnMut(&mut Block, usize) -> Option<usize>) -> bool {
        if let Some(end) = put(&mut self.block, self.len) {
            self.len = end;
            return true;
        }
        self.put_in_empty(put)
    }

    #[cold]
    fn put_in_empty(&mut self, mut put: impl FnMut(&mut Block, usize) -> Option<usize>) -> bool {
        self.flush();
        let end = put(&mut self.block, 0);
        self.len = end.unwrap_or(0);
        end.is_some()
    }

    /// Where rows of any kind are appended.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        self.flush();
        &mut self.bytes
    }

    /// Whether room was made for many rows.
    pub(crate) fn has_room(&self) -> bool {
        self.bytes.capacity() >= BLOCK
    }

    /// Makes room for `n_all` rows like the first `n`, within `most` bytes, so that growing does not copy all of them again and
    /// again.
    pub(crate) fn reserve_like(&mut self, n: usize, n_all: usize, most: usize) {
        if !self.has_room() && n >= SAMPLE {
            let all = (self.len() / n.max(1) + 1).saturating_mul(n_all).min(most);
            self.bytes.reserve((all + all / 8).saturating_sub(self.bytes.len()));
        }
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len.saturating_sub(self.bytes.len()));
        self.bytes.truncate(len);
    }

    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    fn flush(&mut self) {
        self.bytes.extend_from_slice(&self.block[..self.len]);
        self.len = 0;
    }
}

/// The NULL bitmap before the values of COM_STMT_EXECUTE: one bit for each value, set for NULL.
pub(crate) struct Nulls<'p> {
    pub(crate) bits: &'p mut [u8],
    /// The first value's number.
    pub(crate) first: usize,
}

impl Nulls<'_> {
    #[inline(always)]
    fn set(&mut self, i: usize) {
        let at = self.first + i;
        self.bits[at / 8] |= 1 << (at % 8);
    }
}

/// Where rows are put.
pub struct RowBlockWriter<'p> {
    pub(crate) row_block: &'p mut RowBlock,
    /// Of each value of a row.
    pub(crate) types: &'p [ParamType],
    /// Bytes of the block of rows at most.
    pub(crate) most: usize,
    /// `None`: as COM_STMT_BULK_EXECUTE has rows, with an indicator before each value.
    pub(crate) nulls: Option<Nulls<'p>>,
}

impl RowBlockWriter<'_> {
    /// How many values a row has.
    pub(crate) fn n_values(&self) -> usize {
        self.types.len()
    }

    /// The same with rows that are stored in columns: a column after the other, for some rows at once.
    pub(crate) fn put_columns<'c>(
        &mut self,
        columns: impl ExactSizeIterator<Item = &'c BoundColumn<'c>> + Clone,
        rows: Range<usize>,
    ) -> usize {
        if columns.len() != self.types.len() {
            return 0;
        }
        let mut n = 0;
        while n < rows.len() {
            let some = rows.start + n..rows.end.min(rows.start + n + SOME);
            let mut none = Nulls { bits: &mut [], first: 0 };
            let n_put = match &mut self.nulls {
                None => put_some::<1>(columns.clone(), some, self.types, self.row_block, self.most, &mut none),
                Some(nulls) => {
                    let mut nulls = Nulls { bits: nulls.bits, first: nulls.first + n * self.types.len() };
                    put_some::<0>(columns.clone(), some, self.types, self.row_block, self.most, &mut nulls)
                }
            };
            n += n_put;
            if n_put == 0 {
                break;
            }
        }
        n
    }

    /// The same with rows of cells: `cell` returns that of a row and a field, whose text or bytes are of the parameter's type.
    pub(crate) fn put_cells<'c>(
        &mut self,
        rows: Range<usize>,
        cell: impl Fn(usize, usize) -> Option<&'c [u8]>,
    ) -> usize {
        let n_cells = self.types.len();
        match &mut self.nulls {
            None => put_cell_rows::<1>(
                rows,
                n_cells,
                cell,
                self.row_block,
                self.most,
                &mut Nulls { bits: &mut [], first: 0 },
            ),
            Some(nulls) => put_cell_rows::<0>(rows, n_cells, cell, self.row_block, self.most, nulls),
        }
    }

    /// Appends rows until one cannot take the fast path or does not fit. Returns how many were appended.
    pub(crate) fn put<P: Params>(&mut self, rows: &[P], order: &Order) -> usize {
        let types = self.types;
        match &mut self.nulls {
            None => {
                put_all::<1, P>(rows, order, types, self.row_block, self.most, &mut Nulls { bits: &mut [], first: 0 })
            }
            Some(nulls) => put_all::<0, P>(rows, order, types, self.row_block, self.most, nulls),
        }
    }
}

fn put_some<'c, const HEAD: usize>(
    columns: impl Iterator<Item = &'c BoundColumn<'c>> + Clone,
    rows: Range<usize>,
    types: &[ParamType],
    row_block: &mut RowBlock,
    most: usize,
    nulls: &mut Nulls<'_>,
) -> usize {
    let mut lengths = [0; SOME];
    let columns = columns.zip(types).enumerate();
    let mut is_common =
        columns.clone().map(|(_, (column, ty))| column.measure::<HEAD>(rows.clone(), *ty, &mut lengths));
    if !is_common.all(|common| common) {
        return 0;
    }
    if row_block.len > BLOCK / 2 {
        row_block.flush();
    }
    let Some(most) = most.checked_sub(row_block.bytes.len()) else { return 0 };
    let most = most.min(BLOCK - ROOM);
    let (mut ends, mut n, mut end) = ([0; SOME], 0, row_block.len);
    for (length, place) in lengths.iter().zip(&mut ends).take(rows.len()) {
        if end + length > most {
            break;
        }
        *place = end;
        end += length;
        n += 1;
    }
    let rows = rows.start..rows.start + n;
    for (i, (column, ty)) in columns {
        let null = |row: usize| {
            if HEAD == 0 {
                nulls.set((row - rows.start) * types.len() + i);
            }
        };
        if !column.put::<HEAD>(rows.clone(), *ty, &mut row_block.block, &mut ends[..n], null) {
            return 0;
        }
    }
    row_block.len = end;
    n
}

fn put_all<const HEAD: usize, P: Params>(
    rows: &[P],
    order: &Order,
    types: &[ParamType],
    row_block: &mut RowBlock,
    most: usize,
    nulls: &mut Nulls<'_>,
) -> usize {
    let mut n = 0;
    loop {
        let RowBlock { block, len, bytes } = &mut *row_block;
        // If there are too many bytes already, not even a row without bytes fits.
        let Some(most) = most.checked_sub(bytes.len()) else { return n };
        let nulls = Nulls { bits: nulls.bits, first: nulls.first + n * types.len() };
        let mut pen = Pen::<HEAD> { block, at: *len, types, nulls };
        for row in &rows[n..] {
            if !row.visit(order, types.len(), &mut pen) || pen.at > most {
                break;
            }
            *len = pen.at;
            pen.nulls.first += types.len();
            n += 1;
        }
        // A full block is no reason to stop.
        if n == rows.len() || *len == 0 || *len >= most {
            return n;
        }
        row_block.flush();
    }
}

fn put_cell_rows<'c, const HEAD: usize>(
    rows: Range<usize>,
    n_cells: usize,
    cell: impl Fn(usize, usize) -> Option<&'c [u8]>,
    row_block: &mut RowBlock,
    most: usize,
    nulls: &mut Nulls<'_>,
) -> usize {
    for (n, row) in rows.clone().enumerate() {
        let start = row_block.len();
        let fits = row_block.put(|block, at| {
            (0..n_cells).try_fold(at, |at, i| {
                let null = || {
                    if HEAD == 0 {
                        nulls.set(n * n_cells + i);
                    }
                };
                put_cell::<HEAD>(cell(row, i), block, at, null)
            })
        });
        if !fits {
            return n;
        }
        if row_block.len() > most {
            row_block.truncate(start);
            return n;
        }
    }
    rows.len()
}

/// Writes the values of a row.
struct Pen<'p, const HEAD: usize> {
    block: &'p mut Block,
    at: usize,
    types: &'p [ParamType],
    nulls: Nulls<'p>,
}

impl<const HEAD: usize> ValueVisitor<'_> for Pen<'_, HEAD> {
    #[inline(always)]
    fn take(&mut self, i: usize, value: Value<'_>) -> bool {
        let null = || {
            if HEAD == 0 {
                self.nulls.set(i);
            }
        };
        let end = put_value::<HEAD>(&value, self.types[i], self.block, self.at, null);
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }
}

/// Writes one row at `at` in the format of COM_STMT_BULK_EXECUTE, and returns where it ends; `None` if it has no room or cannot
/// take the fast path.
#[inline(always)]
pub(crate) fn put_bulk_row(row: &[Value<'_>], types: &[ParamType], block: &mut Block, at: usize) -> Option<usize> {
    put_row::<1>(row, types, block, at, |_| ())
}

/// The same in the format of COM_STMT_EXECUTE; `null` receives the position of each NULL.
#[inline(always)]
pub(crate) fn put_bound_row(
    row: &[Value<'_>],
    types: &[ParamType],
    block: &mut Block,
    at: usize,
    null: impl FnMut(usize),
) -> Option<usize> {
    put_row::<0>(row, types, block, at, null)
}

#[inline(always)]
fn put_row<const HEAD: usize>(
    row: &[Value<'_>],
    types: &[ParamType],
    block: &mut Block,
    at: usize,
    mut null: impl FnMut(usize),
) -> Option<usize> {
    let types = types.get(..row.len())?;
    let mut at = at;
    for i in 0..row.len() {
        at = put_value::<HEAD>(&row[i], types[i], block, at, || null(i))?;
    }
    Some(at)
}

/// Rows that are measured to estimate the length of the others.
pub(crate) const SAMPLE: usize = 16;

/// The number of rows that are written together, one column after the other.
const SOME: usize = 32;

#[cfg(test)]
mod tests;
