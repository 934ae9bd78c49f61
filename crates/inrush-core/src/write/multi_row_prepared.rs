//! `INSERT INTO t (a, b) VALUES (?, ?), (?, ?) ..`: the VALUES list of the user's statement, written out for 1, 2, 4 .. rows. Each of
//! these statements is made once and prepared once; many rows are sent with the largest, the rest with one of each size that it
//! takes: 11 rows as 8 + 2 + 1.
//!
//! A parameter has one type in all rows as long as its values fit that: then the types are sent to the server only once, because
//! it keeps the types of a statement's last execution.

use super::Insert;
use super::prepared::{alone, refuse_default};
use super::row_source::RowSource;
use super::template::Template;
use super::{Command, Limits, Next, Writer};
use crate::convert::fast_path::{Nulls, RowBlock, put_bound_row};
use crate::convert::{BoundRows, RowBlockWriter, RowReader};
use crate::error::{Error, Result};
use crate::session::Statement;
use crate::session::cached_execute::LONG;
use crate::session::pipeline::Bound;
use crate::value::Value;
use crate::wire::{ParamType, stmt};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// See above.
#[derive(Clone, Debug)]
pub struct MultiRowPrepared {
    /// The user's own statement, and the range of its VALUES list.
    single: Statement,
    list: Range<usize>,
    n_params: usize,
    limits: Limits,
    /// Of one row, two, four .., each made when it is needed first, once for all clones.
    statements: Arc<[OnceLock<Statement>]>,
    /// Rows of the next statement at most: a power of two.
    n_next: usize,
    /// As far as known.
    types: Vec<ParamType>,
    scratch: Scratch,
}

/// What is known of the command that is being written.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// One bit a value, set for NULL.
    bitmap: Vec<u8>,
    /// Values that do not have their parameter's type.
    odd: Vec<(usize, ParamType)>,
    /// Where the values of the first, the first two, the first four .. rows end.
    ends: Vec<usize>,
    /// Bytes of the values of the last command.
    last_bytes: usize,
}

impl MultiRowPrepared {
    /// The statement must have a VALUES list with all of its placeholders.
    ///
    /// # Errors
    /// `Config` says why it cannot carry many rows.
    pub fn new(statement: &Statement, template: &Template, limits: Limits) -> Result<Self> {
        Self::of_list(statement, template.multi_row(statement)?.range.clone(), limits)
    }

    /// For the INSERT of a mapping.
    ///
    /// # Errors
    /// As [`MultiRowPrepared::new`].
    pub fn of_insert(insert: &Insert, limits: Limits) -> Result<Self> {
        Self::of_list(&insert.statement, insert.list.clone(), limits)
    }

    fn of_list(statement: &Statement, list: Range<usize>, limits: Limits) -> Result<Self> {
        let sql = statement.sql();
        let n_params = statement.marks().len();
        if n_params == 0 {
            return Err(Error::config("the statement has no placeholder, so that it carries no rows"));
        }
        if n_params > MAX_PLACEHOLDERS {
            return Err(Error::config(format!(
                "{n_params} placeholders are more than a server takes, {MAX_PLACEHOLDERS}"
            )));
        }
        // The statement itself is sent in one packet, too.
        let most = [
            ROWS,
            limits.rows,
            MAX_PLACEHOLDERS / n_params,
            limits.max_bytes.saturating_sub(sql.len()) / (list.len() + 1),
        ];
        let largest = down_to_power(most.into_iter().min().unwrap_or(1));
        Ok(Self {
            single: statement.clone(),
            list,
            n_params,
            limits,
            statements: (0..=largest.ilog2()).map(|_| OnceLock::new()).collect(),
            n_next: largest,
            types: vec![ParamType::UNKNOWN; n_params],
            scratch: Scratch::default(),
        })
    }

    /// The statement of so many rows, a power of two.
    fn statement(&self, n_rows: usize) -> Statement {
        let slot = &self.statements[n_rows.ilog2() as usize];
        slot.get_or_init(|| self.single.repeated(self.list.clone(), n_rows)).clone()
    }

    fn largest(&self) -> usize {
        1 << (self.statements.len() - 1)
    }

    /// Encodes rows until there are `n_most` or one more would be too long; returns how many there are.
    fn put_rows(&mut self, rows: &dyn BoundRows, range: Range<usize>, values: &mut RowBlock) -> Result<usize> {
        let Self { n_params, limits, types, scratch, .. } = self;
        let n_rows = range.len();
        let bytes_a_row = 2 * *n_params + n_params.div_ceil(8);
        scratch.bitmap.clear();
        scratch.bitmap.resize((n_rows * *n_params).div_ceil(8), 0);
        scratch.odd.clear();
        scratch.ends.clear();
        let mut reader = RowReader::new(rows, range.clone());
        let mut n = 0;
        while n < n_rows {
            // Up to where the rows of the next smaller statement end.
            let end = n_rows.min((n + 1).next_power_of_two());
            // Nothing where bitmap and types alone are too long: rows of NULLs have no values.
            let most = limits.bytes.min(limits.max_bytes).checked_sub(stmt::EXECUTE_HEAD + end * bytes_a_row);
            if let Some(most) = most {
                let nulls = Some(Nulls { bits: &mut scratch.bitmap, first: n * *n_params });
                let mut block_writer = RowBlockWriter { row_block: values, types, most, nulls };
                let n_put = rows.put_common(range.start + n..range.start + end, &mut block_writer);
                n += n_put;
                if n_put > 0 && n.is_power_of_two() {
                    scratch.ends.push(values.len());
                }
            }
            if n == end {
                continue;
            }
            let (_, read) = reader.rows(range.start + n)?;
            for row in read.chunks_exact(*n_params) {
                let (at, start) = (n * *n_params, values.len());
                let Scratch { bitmap, .. } = scratch;
                let mut null = |i: usize| bitmap[(at + i) / 8] |= 1 << ((at + i) % 8);
                let fits = values.put(|block, len| put_bound_row(row, types, block, len, &mut null))
                    || (scratch.put_row(at, row, types, values.bytes()))
                        .map_err(|error| error.at_row((range.start + n) as u64))?;
                n += 1;
                let n_bytes = stmt::EXECUTE_HEAD + n * bytes_a_row + values.len();
                let most = if n == 1 { limits.max_bytes } else { limits.bytes.min(limits.max_bytes) };
                if !fits || n_bytes > most {
                    values.truncate(start);
                    return Ok(n - 1);
                }
                if n.is_power_of_two() {
                    scratch.ends.push(values.len());
                }
            }
        }
        Ok(n_rows)
    }
}

impl Scratch {
    /// Appends one row's values by the slow path. The row's first value is the command's value `at`. Returns `false` if one of
    /// them is so long that it is sent ahead, so that the row must be a command of its own.
    fn put_row(&mut self, at: usize, row: &[Value<'_>], types: &mut [ParamType], out: &mut Vec<u8>) -> Result<bool> {
        for ((i, value), ty) in (at..).zip(row).zip(types) {
            match value {
                Value::Null => self.bitmap[i / 8] |= 1 << (i % 8),
                Value::Bytes(bytes) if bytes.len() > LONG => return Ok(false),
                Value::Text(text) if text.len() > LONG => return Ok(false),
                Value::Default => refuse_default(row)?,
                value if value.is_deferred() => refuse_default(row)?,
                _ => {
                    if !ty.takes(value) {
                        self.odd.push((i, ParamType::of(value)));
                    }
                    stmt::put_value(out, value);
                }
            }
        }
        Ok(true)
    }

    /// Bitmap and types of the first so many values.
    fn head(&mut self, n_values: usize, types: &mut [ParamType]) -> Vec<u8> {
        let n_bytes = n_values.div_ceil(8);
        let mut head = Vec::with_capacity(n_bytes + 2 * n_values);
        head.extend_from_slice(&self.bitmap[..n_bytes]);
        if let (Some(last), 1..) = (head.last_mut(), n_values % 8) {
            // Those of rows that are left for the next command.
            *last &= (1 << (n_values % 8)) - 1;
        }
        // Those of one row, then as often again as there is more: a copy for each doubling.
        head.extend(types.iter().flat_map(|ty| ty.bytes()).take(2 * n_values));
        while head.len() < n_bytes + 2 * n_values {
            let n_more = (head.len() - n_bytes).min(n_bytes + 2 * n_values - head.len());
            head.extend_from_within(n_bytes..n_bytes + n_more);
        }
        for (i, ty) in self.odd.iter().filter(|(i, _)| *i < n_values) {
            head[n_bytes + 2 * i..n_bytes + 2 * i + 2].copy_from_slice(&ty.bytes());
            // The next rows are likely to be like the last ones.
            types[i % types.len()] = *ty;
        }
        head
    }
}

impl Writer for MultiRowPrepared {
    fn next(&mut self, rows: RowSource<'_>, range: Range<usize>, mut spare: Vec<u8>) -> Result<Next> {
        let n_most = down_to_power(range.len().min(self.n_next));
        spare.reserve(self.scratch.last_bytes);
        let mut values = RowBlock::new(spare);
        rows.put_types(&mut self.types);
        let rows = rows.as_bound();
        let first = range.start;
        let n_rows = self.put_rows(rows, first..first + n_most, &mut values)?;
        if n_rows == 0 {
            let mut row = Vec::with_capacity(self.n_params);
            rows.row(first, &mut row)?;
            return alone(&self.statement(1), &row, self.limits.max_bytes).map_err(|e| e.at_row(first as u64));
        }
        let n_rows = down_to_power(n_rows);
        values.truncate(self.scratch.ends[n_rows.ilog2() as usize]);
        self.scratch.last_bytes = values.len() + values.len() / 8;
        // Long rows must not be encoded in vain again and again, and short rows should soon be sent in full statements again.
        self.n_next = match n_rows < n_most {
            true => n_rows,
            false if 2 * values.len() > self.limits.bytes => self.n_next,
            false => (2 * self.n_next).min(self.largest()),
        };
        let values = values.into_bytes();
        let n_values = n_rows * self.n_params;
        let head = self.scratch.head(n_values, &mut self.types);
        let bound = Bound::encoded(n_values, head, values);
        Ok(Next::Command { command: Command::Execute(self.statement(n_rows), bound), n_rows })
    }

    fn statements(&mut self, n_rows: usize) -> Vec<Statement> {
        let largest = self.largest();
        let sizes = (0..self.statements.len()).rev().map(|power| 1 << power);
        let sizes: Vec<usize> = sizes.filter(|n| n_rows & n != 0 || (*n == largest && n_rows >= *n)).collect();
        sizes.into_iter().map(|n| self.statement(n)).collect()
    }
}

/// The greatest power of two that is not greater; 1 for 0.
fn down_to_power(n: usize) -> usize {
    1 << n.max(1).ilog2()
}

/// A server counts placeholders with 16 bits.
const MAX_PLACEHOLDERS: usize = 65_535;

/// Rows of the largest statement (docs/notes/multi-row.md).
const ROWS: usize = 1024;

#[cfg(test)]
mod tests;
