//! COM_STMT_BULK_EXECUTE of the user's own statement, for any use of its placeholders: INSERT, REPLACE, an upsert, UPDATE,
//! DELETE.
//!
//! A packet contains the type of each parameter once: that of its first value in the packet. A value of another type begins the
//! next packet, so that no value is read with a wrong type.

use super::prepared::alone;
use super::row_source::RowSource;
use super::{BulkBody, Command, Limits, Next, Writer};
use crate::convert::fast_path::{RowBlock, SAMPLE, put_bulk_row};
use crate::convert::{BoundRows, RowBlockWriter, RowReader};
use crate::error::{Error, Result};
use crate::session::Statement;
use crate::wire::ParamType;
use crate::wire::bulk_execute::{BULK_HEAD, SEND_TYPES, SEND_UNIT_RESULTS, put_row};
use std::ops::Range;

/// See above.
#[derive(Clone, Debug)]
pub struct Bulk {
    statement: Statement,
    limits: Limits,
    flags: u16,
    types: Vec<ParamType>,
    /// Bytes of the last command.
    last_bytes: usize,
}

impl Bulk {
    /// `unit_results`: the reply is a result set with a row for each row, its generated id and its affected rows. Only where the
    /// login agreed on that (`MARIADB_CLIENT_BULK_UNIT_RESULTS`).
    ///
    /// # Errors
    /// `Config` for a statement without placeholders: servers refuse it.
    pub fn new(statement: &Statement, limits: Limits, unit_results: bool) -> Result<Self> {
        let n_params = statement.marks().len();
        if n_params == 0 {
            return Err(Error::config("the statement has no placeholder, so that it cannot be executed in bulk"));
        }
        let flags = SEND_TYPES | if unit_results { SEND_UNIT_RESULTS } else { 0 };
        let types = vec![ParamType::UNKNOWN; n_params];
        Ok(Self { statement: statement.clone(), limits, flags, types, last_bytes: 0 })
    }

    /// Appends rows until one does not fit; returns how many there are.
    fn put_rows(&mut self, rows: &dyn BoundRows, range: Range<usize>, out: &mut RowBlock) -> Result<usize> {
        let Limits { bytes, max_bytes, .. } = self.limits;
        let n_rows = range.len();
        let mut reader = RowReader::new(rows, range.clone());
        let mut n = 0;
        while n < n_rows {
            let end = if out.has_room() { n_rows } else { n_rows.min(n + SAMPLE) };
            let most = bytes.min(max_bytes).saturating_sub(BULK_HEAD);
            n += rows.put_common(
                range.start + n..range.start + end,
                &mut RowBlockWriter { row_block: out, types: &self.types, most, nulls: None },
            );
            out.reserve_like(n, n_rows, bytes);
            if n == end {
                continue;
            }
            let (n_read, values) = reader.rows(range.start + n)?;
            for row in values.chunks_exact(values.len() / n_read) {
                let start = out.len();
                let fits = out.put(|block, at| put_bulk_row(row, &self.types, block, at))
                    || put_row(row, &mut self.types, max_bytes, out.bytes());
                let most = if n == 0 { max_bytes } else { bytes.min(max_bytes) };
                if !fits || BULK_HEAD + out.len() > most {
                    out.truncate(start);
                    return Ok(n);
                }
                n += 1;
            }
            out.reserve_like(n, n_rows, bytes);
        }
        Ok(n_rows)
    }
}

impl Writer for Bulk {
    /// A row that is too long for a packet becomes an execution of its own, whose reply is a plain OK in any case.
    fn next(&mut self, rows: RowSource<'_>, range: Range<usize>, mut bytes: Vec<u8>) -> Result<Next> {
        let n_params = self.types.len();
        bytes.reserve(self.last_bytes);
        bytes.extend_from_slice(&self.flags.to_le_bytes());
        bytes.resize(FLAGS + 2 * n_params, 0);
        let mut row_block = RowBlock::new(bytes);
        self.types.fill(ParamType::UNKNOWN);
        rows.put_types(&mut self.types);
        let rows = rows.as_bound();
        let first = range.start;
        let n_rows =
            self.put_rows(rows, first..range.end.min(first.saturating_add(self.limits.rows.max(1))), &mut row_block)?;
        if n_rows == 0 {
            let mut row = Vec::with_capacity(n_params);
            rows.row(first, &mut row)?;
            return alone(&self.statement, &row, self.limits.max_bytes).map_err(|e| e.at_row(first as u64));
        }
        let mut bytes = row_block.into_bytes();
        for (told, ty) in bytes[FLAGS..].chunks_exact_mut(2).zip(&self.types) {
            told.copy_from_slice(&ty.bytes());
        }
        self.last_bytes = bytes.len() + bytes.len() / 8;
        let body = BulkBody { n_params, bytes };
        Ok(Next::Command { command: Command::Bulk(self.statement.clone(), body), n_rows })
    }

    fn statements(&mut self, _n_rows: usize) -> Vec<Statement> {
        vec![self.statement.clone()]
    }
}

/// Bytes of the flags.
const FLAGS: usize = 2;

#[cfg(test)]
mod tests;
