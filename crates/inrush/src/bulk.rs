//! Rows that come one at a time for one connection, the part that both twins of a `BulkInserter` share: what is queued, when
//! it is written, what is counted.

use crate::table::TableName;
use crate::{BatchOptions, BatchReport, Error, Params, Result, Statement};
use inrush_core::column::ident::quote_ident;
use inrush_core::convert::RowBuffer;
use inrush_core::write::Method;

/// How a bulk inserter writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkOptions {
    pub(crate) batch: BatchOptions,
    rows: usize,
    bytes: usize,
}

/// The outcome of the rows of a bulk inserter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkReport {
    /// Rows that were written.
    pub n_rows: u64,
    /// Rows that the server counts as affected.
    pub affected: u64,
    /// Warnings of the server.
    pub warnings: u64,
    /// How many batches they went in.
    pub batches: u64,
}

impl BulkOptions {
    /// The best method, batches of 10,000 rows or 4 MiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the write method.
    #[must_use]
    pub fn with_method(mut self, method: impl Into<Option<Method>>) -> Self {
        self.batch = self.batch.with_method(method);
        self
    }

    /// Writes as soon as so many rows are queued. Default: 10,000.
    #[must_use]
    pub fn with_rows(mut self, n: usize) -> Self {
        self.rows = n.max(1);
        self
    }

    /// Writes as soon as so many bytes are queued. Default: 4 MiB.
    #[must_use]
    pub fn with_bytes(mut self, n: usize) -> Self {
        self.bytes = n.max(1);
        self
    }
}

impl From<BatchReport> for BulkReport {
    fn from(report: BatchReport) -> Self {
        Self { n_rows: report.n_rows, affected: report.affected, warnings: report.warnings, batches: 1 }
    }
}

impl Default for BulkOptions {
    fn default() -> Self {
        Self { batch: BatchOptions::new(), rows: 10_000, bytes: 4 << 20 }
    }
}

/// Rows that wait, and those that were written.
#[derive(Debug)]
pub(crate) struct Bulk {
    table: String,
    columns: Vec<Box<str>>,
    pub(crate) statement: Statement,
    pub(crate) options: BulkOptions,
    pub(crate) rows: RowBuffer,
    report: BulkReport,
    has_failed: bool,
}

impl Bulk {
    pub(crate) fn new(table: &str, columns: &[&str], options: BulkOptions) -> Result<Self> {
        let name = TableName::parse(table)?;
        if columns.is_empty() {
            return Err(Error::config(format!("no columns for the rows of `{table}`")));
        }
        let quoted = match name.schema.is_empty() {
            true => quote_ident(&name.name),
            false => name.quoted(),
        };
        let list: Vec<_> = columns.iter().map(|column| quote_ident(column)).collect();
        let marks = vec!["?"; columns.len()].join(", ");
        Ok(Self {
            table: table.to_owned(),
            columns: columns.iter().map(|&column| column.into()).collect(),
            statement: Statement::new(&format!("INSERT INTO {quoted} ({}) VALUES ({marks})", list.join(", ")))?,
            options,
            rows: RowBuffer::new(columns.len()),
            report: BulkReport::default(),
            has_failed: false,
        })
    }

    /// Queues a row. Returns `true` if it is time to write.
    ///
    /// # Errors
    /// `Config` for a row that does not fit the columns; it is left out.
    pub(crate) fn push(&mut self, row: &impl Params) -> Result<bool> {
        self.check()?;
        let number = self.report.n_rows + self.rows.n_rows() as u64;
        let values = row.values(&self.columns).map_err(|e| e.at_row(number))?;
        self.rows.push(values.as_ref()).map_err(|e| e.at_row(number))?;
        Ok(self.rows.n_rows() >= self.options.rows || self.rows.n_bytes() >= self.options.bytes)
    }

    /// Records how the queued rows were written.
    pub(crate) fn written(&mut self, end: Result<BulkReport>) -> Result<()> {
        let n_before = self.report.n_rows;
        let n_queued = self.rows.n_rows();
        self.rows.clear();
        match end {
            Ok(report) => {
                self.report.n_rows += report.n_rows;
                self.report.affected += report.affected;
                self.report.warnings += report.warnings;
                self.report.batches += report.batches;
                Ok(())
            }
            Err(error) => {
                self.has_failed = true;
                // Counted from the first row that was pushed.
                let error = match error.row() {
                    Some(row) => error.at_row(n_before + row),
                    None => error,
                };
                let doing =
                    format!("rows {n_before} to {} for `{}` were not written", n_before + n_queued as u64, self.table);
                Err(error.while_doing(&doing))
            }
        }
    }

    /// The report of all rows.
    pub(crate) fn report(&self) -> Result<BulkReport> {
        self.check().map(|()| self.report)
    }

    pub(crate) fn queued(&self) -> u64 {
        self.rows.n_rows() as u64
    }

    pub(crate) fn flushed(&self) -> u64 {
        self.report.n_rows
    }

    pub(crate) fn affected(&self) -> u64 {
        self.report.affected
    }

    /// The number of rows that were not written when it is dropped, and their table.
    pub(crate) fn left_behind(&self) -> Option<(u64, &str)> {
        let n_rows = self.queued();
        if n_rows == 0 {
            return None;
        }
        #[cfg(feature = "tracing")]
        tracing::error!(table = %self.table, rows = n_rows, "a BulkInserter was dropped before its rows were written");
        Some((n_rows, &self.table))
    }

    fn check(&self) -> Result<()> {
        match self.has_failed {
            false => Ok(()),
            true => Err(Error::config(format!("rows for `{}` failed before, so nothing more is written", self.table))),
        }
    }
}

#[cfg(test)]
mod tests;
