//! The files that a load would read: how fast they are read here, what would be refused, and in which order their rows come. How files are
//! read is the caller's business ([`Files`]).

use inrush::sans_io::Result;
use inrush::table::TableName;
use std::time::Duration;

/// Reads files as a load into the examined table would.
pub trait Files {
    /// Reads and checks their first rows, so many at most. Nothing is written.
    ///
    /// # Errors
    /// Those of a load: a file that cannot be read, a column that the table lacks.
    fn read(&mut self, rows: u64) -> Result<Source>;

    /// Loads their first rows, so many at most, into this table, in the order of the files; those that would be refused are left out.
    ///
    /// # Errors
    /// See [`Files::read`].
    fn load(&mut self, rows: u64, into: &TableName) -> Result<()>;
}

/// The first rows of the files.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Rows that were read and checked, those that would be refused among them.
    pub rows: u64,
    /// Bytes of their text, decompressed.
    pub bytes: u64,
    /// How long that took.
    pub elapsed: Duration,
    /// Rows that would be refused.
    pub refused: u64,
    /// Where the first of those is, and why.
    pub first_refused: Option<String>,
    /// The share of rows whose primary key is less than that of the row before, by the server; `None` without a probe or a key.
    pub descending: Option<f64>,
}

impl Source {
    /// Rows that are read a second.
    pub fn rows_a_second(&self) -> f64 {
        self.rows as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Bytes that are read a second.
    pub fn bytes_a_second(&self) -> f64 {
        self.bytes as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Reads as many rows as take about two seconds.
///
/// # Errors
/// Those of the files.
pub(super) fn read(files: &mut dyn Files) -> Result<Source> {
    let mut rows = FIRST_ROWS;
    loop {
        let source = files.read(rows)?;
        if source.rows < rows || source.elapsed >= ENOUGH {
            return Ok(source);
        }
        let times = 2.0 * ENOUGH.as_secs_f64() / source.elapsed.as_secs_f64().max(1e-3);
        rows = (rows as f64 * times.clamp(2.0, 16.0)) as u64;
    }
}

/// Few, since a row may have megabytes.
const FIRST_ROWS: u64 = 1000;
const ENOUGH: Duration = Duration::from_secs(1);
