//! A [`Sink`] that keeps everything, up to a limit in bytes.

use crate::error::{Error, Kind, Result};
use crate::session::Outcome;
use crate::session::results::Sink;
use crate::value::Value;
use crate::wire::{ColumnDef, Malformed, Row, RowFormat};
use jiff::tz::TimeZone;

/// Keeps all results of a reply.
#[derive(Debug)]
pub struct Collect {
    results: Vec<ResultSet>,
    current: Option<ResultSet>,
    n_bytes: usize,
    max_bytes: usize,
}

/// One result: a result set with its rows, or the outcome of a statement without one.
#[derive(Clone, Debug)]
pub struct ResultSet {
    columns: Vec<ColumnDef>,
    format: RowFormat,
    /// The session's, if it is known.
    zone: Option<TimeZone>,
    bytes: Vec<u8>,
    /// Where each row's bytes end.
    ends: Vec<usize>,
    outcome: Option<Outcome>,
}

impl Collect {
    /// Keeps at most `max_bytes` of rows.
    pub fn new(max_bytes: usize) -> Self {
        Self { results: Vec::new(), current: None, n_bytes: 0, max_bytes }
    }

    /// All results, in order.
    pub fn into_results(self) -> Vec<ResultSet> {
        self.results
    }

    /// Takes the results so far out. Their bytes still count, unless `forget`.
    pub fn take_results(&mut self, forget: bool) -> Vec<ResultSet> {
        if forget {
            self.n_bytes = 0;
        }
        std::mem::take(&mut self.results)
    }

    /// The first result, which is the only one of most statements.
    pub fn into_first(self) -> Option<ResultSet> {
        self.results.into_iter().next()
    }
}

impl ResultSet {
    /// The columns; none if the statement had no result set.
    pub fn columns(&self) -> &[ColumnDef] {
        &self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            Row::new(&self.columns, &self.bytes[start..self.ends[i]], self.format).in_zone(self.zone.as_ref())
        })
    }

    /// The value in row `row`, column `column`; None if there is no such place. Reads the row from its start.
    pub fn value(&self, row: usize, column: usize) -> Option<Value<'_>> {
        self.rows().nth(row)?.values().nth(column)?.ok()
    }

    /// Its outcome.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }
}

impl Sink for Collect {
    fn columns(&mut self, columns: &[ColumnDef]) -> Result<()> {
        self.current = Some(ResultSet { columns: columns.to_vec(), ..ResultSet::without_rows() });
        Ok(())
    }

    fn row(&mut self, row: Row<'_>) -> Result<()> {
        // Read once here, so that later readers never meet a malformed row.
        row.values().try_for_each(|value| value.map(drop)).map_err(|e: Malformed| Error::from(e))?;
        let result = self.current.get_or_insert_with(ResultSet::without_rows);
        self.n_bytes += row.body().len() + size_of::<usize>();
        if self.n_bytes > self.max_bytes {
            return Err(Error::new(Kind::Config, format!("the result has more than {} bytes", self.max_bytes))
                .with_hint("read it row by row, or ask for less"));
        }
        if result.ends.is_empty() {
            (result.format, result.zone) = (row.format(), row.zone().cloned());
        }
        result.bytes.extend_from_slice(row.body());
        result.ends.push(result.bytes.len());
        Ok(())
    }

    fn end(&mut self, outcome: &Outcome) -> Result<()> {
        // Results without rows count too: a server that sends results without end must not fill the memory.
        self.n_bytes += size_of::<ResultSet>() + outcome.info.len();
        if self.n_bytes > self.max_bytes.saturating_add(SLACK) {
            return Err(Error::new(Kind::Config, format!("the results have more than {} bytes", self.max_bytes)));
        }
        let result = self.current.take().unwrap_or_else(ResultSet::without_rows);
        self.results.push(ResultSet { outcome: Some(outcome.clone()), ..result });
        Ok(())
    }
}

impl ResultSet {
    fn without_rows() -> Self {
        let (columns, bytes, ends) = (Vec::new(), Vec::new(), Vec::new());
        Self { columns, format: RowFormat::Text, zone: None, bytes, ends, outcome: None }
    }
}

/// Room for the frames of results themselves, so that a small limit is one on rows.
const SLACK: usize = 64 * 1024;
