//! Rows of a table, read once and kept in memory: a sample without a file.

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::SchemaRef;
use inrush::blocking::{Connection, ResultBatches};
use inrush::sans_io::column::ident::quote_ident;
use inrush::sans_io::load::Source;
use inrush::sans_io::{Error, Kind, Result};
use inrush::table::TableName;
use inrush::{ArrowOptions, Config, InvalidDates};
use inrush_files::{CsvOptions, record_batches_once};
use std::time::{Duration, Instant};

/// Rows of a table.
pub struct RowsOfTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// Whether days are among them that no calendar has, such as `0000-00-00`: these rows have their dates as text.
    pub has_invalid_dates: bool,
}

impl RowsOfTable {
    /// Reads up to `n` rows, the first that the server has, about `bytes` bytes of them, and no more once `time` is over.
    ///
    /// # Errors
    /// `Config` for a table without rows; those of the server.
    pub fn read(config: &Config, table: &TableName, n: u64, bytes: usize, time: Duration) -> Result<Self> {
        let read = |dates| Self::read_as(dates, config, table, n, bytes, time);
        let rows = match read(InvalidDates::Refuse) {
            Err(error) if error.kind() == Kind::Data => read(InvalidDates::Text)?,
            rows => rows?,
        };
        match rows.n_rows() {
            0 => Err(Error::config(format!("{} has no rows to sample", table.quoted()))
                .with_hint("name a file: `inrush tune TABLE FILE`")),
            _ => Ok(rows),
        }
    }

    fn read_as(
        dates: InvalidDates,
        config: &Config,
        table: &TableName,
        n: u64,
        bytes: usize,
        time: Duration,
    ) -> Result<Self> {
        let began = Instant::now();
        let mut connection = Connection::connect(config)?;
        let columns = columns(&mut connection, table)?.join(", ");
        let sql = format!("SELECT {columns} FROM {} LIMIT {n}", table.quoted());
        let options = ArrowOptions::default().with_invalid_dates(dates);
        let mut result = ResultBatches::open(connection, &sql, (), &options)?;
        let schema = result.schema().clone();
        let (mut batches, mut n_bytes) = (Vec::new(), 0);
        for batch in result.by_ref() {
            let batch = batch.map_err(|error| Error::data(error.to_string()))?;
            n_bytes += batch.get_array_memory_size();
            batches.push(batch);
            if n_bytes >= bytes || began.elapsed() >= time {
                break;
            }
        }
        Ok(Self { schema, batches, has_invalid_dates: dates == InvalidDates::Text })
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> u64 {
        self.batches.iter().map(|batch| batch.num_rows() as u64).sum()
    }

    /// The first `n` of them as a source.
    ///
    /// # Errors
    /// Those of [`record_batches_once`].
    pub fn source(&self, n: u64) -> Result<Box<dyn Source>> {
        let mut left = n as usize;
        let mut first = Vec::new();
        for batch in &self.batches {
            let rows = batch.num_rows().min(left);
            if rows > 0 {
                first.push(Ok(batch.slice(0, rows)));
            }
            left -= rows;
        }
        let reader = RecordBatchIterator::new(first, self.schema.clone());
        Ok(record_batches_once("rows of the table", reader, &CsvOptions::default())?)
    }
}

/// The columns of a table that take values, quoted.
///
/// # Errors
/// `Server` if the server fails.
pub fn columns(connection: &mut Connection, table: &TableName) -> Result<Vec<String>> {
    let names = connection.query::<String>(
        "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? \
         AND COALESCE(GENERATION_EXPRESSION, '') = '' ORDER BY ORDINAL_POSITION",
        (&table.schema, &table.name),
    )?;
    Ok(names.iter().map(|name| quote_ident(name)).collect())
}
