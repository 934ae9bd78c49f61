//! Compares two tables row by row without fetching them: the servers compute digests, and only rows that differ travel.
//!
//! ```text
//! columns, key -> cells (ranges of the key's first column, or beginnings of digests) -> sums of both sides
//!              -> the cells that differ -> digest and key of each of their rows -> rows that are missing, extra, different
//! ```
//! Invariant: a table is called equal only if each cell was summed on both sides, and no digest was NULL.

mod cells;
mod checkpoint;
mod pace;
mod rows;
mod side;

use crate::blocking::Connection;
use crate::table::TableName;
use crate::{Config, Error, Result};
pub use rows::{Difference, DifferenceKind};
use side::{Pair, Side};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What is compared, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct VerifyOptions {
    pub(crate) columns: Vec<String>,
    pub(crate) columns_alone: bool,
    pub(crate) subset: bool,
    pub(crate) condition: Option<String>,
    pub(crate) condition_of_first: Option<String>,
    pub(crate) lanes: usize,
    pub(crate) described: usize,
    pub(crate) rate: Option<NonZeroU64>,
    /// Whether tables without ranges are read at once all the same.
    pub(crate) rate_of_ranges: bool,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) snapshot: bool,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            columns_alone: false,
            subset: false,
            condition: None,
            condition_of_first: None,
            lanes: 2,
            described: 20,
            rate: None,
            rate_of_ranges: false,
            checkpoint: None,
            snapshot: false,
        }
    }
}

impl VerifyOptions {
    /// All columns that are not generated, all rows, two pairs of connections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only these columns, besides the key.
    pub fn with_columns(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Not the key either, unless these columns have all of one: for tables whose keys were made by each server for itself.
    pub fn with_columns_alone(mut self, alone: bool) -> Self {
        self.columns_alone = alone;
        self
    }

    /// Rows that only the second table has are no differences. Without a key, rows that both tables have are still counted.
    pub fn with_subset(mut self, subset: bool) -> Self {
        self.subset = subset;
        self
    }

    /// Only rows that fulfil this condition of SQL, in both tables.
    pub fn with_condition(mut self, sql: impl Into<String>) -> Self {
        self.condition = Some(sql.into());
        self
    }

    /// Only rows of the first table that fulfil this condition of SQL, with all rows of the second one: for a copy of some rows of a table.
    pub fn with_condition_of_first(mut self, sql: impl Into<String>) -> Self {
        self.condition_of_first = Some(sql.into());
        self
    }

    /// So many pairs of connections compare side by side, where the key begins with a number, a date or a time, bytes, or a text of one
    /// collation on two servers of one kind. Default: 2.
    pub fn with_lanes(mut self, n: usize) -> Self {
        self.lanes = n.max(1);
        self
    }

    /// At most so many rows a second are read of each table. An error for tables of more rows whose key has no ranges, as they are read at once.
    pub fn with_rate(mut self, rows: NonZeroU64) -> Self {
        (self.rate, self.rate_of_ranges) = (Some(rows), false);
        self
    }

    /// The same, but tables whose key has no ranges are read at once, whatever their size.
    pub fn with_rate_of_ranges(mut self, rows: NonZeroU64) -> Self {
        (self.rate, self.rate_of_ranges) = (Some(rows), true);
        self
    }

    /// Ranges that are equal are noted in this file, and a later comparison of the same tables with the same file skips them. It is removed
    /// when all are compared. The file of another comparison is an error, also if one of the tables was recreated or altered since.
    /// Default: none.
    pub fn with_checkpoint(mut self, file: impl Into<PathBuf>) -> Self {
        self.checkpoint = Some(file.into());
        self
    }

    /// Compares one state of both tables (of each, if they are on two servers) by [`ReadView`](crate::ReadView)s, which take a lock for
    /// milliseconds. Default: each query sees the rows of its moment, and rows that seem to differ are read once more.
    pub fn with_snapshot(mut self, snapshot: bool) -> Self {
        self.snapshot = snapshot;
        self
    }

    /// So many differences have their values: these cost a query each. Default: 20.
    pub fn with_described(mut self, n: usize) -> Self {
        self.described = n;
        self
    }
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Rows of the first table.
    pub rows: u64,
    /// Rows of the second table.
    pub other_rows: u64,
    /// Rows that the second table lacks.
    pub missing: u64,
    /// Rows that only the second table has.
    pub extra: u64,
    /// Rows whose key both tables have, with other values.
    pub different: u64,
    /// Ranges that an earlier run with the same checkpoint found equal, and that were not read again. Their rows are in the numbers above.
    pub earlier_ranges: u64,
    /// Rows of the first table in these ranges.
    pub earlier_rows: u64,
    /// The columns by which rows are found again; none: rows are compared as a whole.
    pub key: Vec<String>,
    /// The columns that were compared, in the first table's order.
    pub columns: Vec<String>,
}

impl Verified {
    /// Whether the tables have the same rows.
    pub fn is_equal(&self) -> bool {
        self.missing == 0 && self.extra == 0 && self.different == 0
    }

    fn add(&mut self, difference: &Difference) {
        match difference.kind {
            DifferenceKind::Missing => self.missing += difference.times,
            DifferenceKind::Extra => self.extra += difference.times,
            DifferenceKind::Different => self.different += difference.times,
        }
    }
}

/// A comparison's progress, and the way to end it early, for another thread.
#[derive(Debug, Default)]
pub struct VerifyControl {
    rows: AtomicU64,
    is_over: AtomicBool,
}

impl VerifyControl {
    /// Nothing compared yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rows of the first table that were compared so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Ends the comparison after the queries that run; it fails with [`Kind::Interrupted`](crate::Kind::Interrupted).
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Compares two tables, and reports each difference to `each` as it is found.
///
/// The tables may be on two servers, of MySQL and MariaDB, with other character sets, collations and indexes; columns are found by name. A row
/// is found again by the primary key of the first table, or a unique key without NULL, if there is one. Rows that change meanwhile are read
/// once more before they are reported; without [`with_snapshot`](VerifyOptions::with_snapshot) both tables are as they are at the time of each
/// query.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// # connection.execute("CREATE TABLE copy LIKE people", ())?;
/// # connection.execute("INSERT INTO copy SELECT * FROM people", ())?;
/// # connection.execute("UPDATE copy SET age = age + 1 WHERE id = 2", ())?;
/// use inrush::{Config, VerifyControl, VerifyOptions, table::TableName, verify_tables};
/// let config = Config::parse(&shop.url())?;
/// let (people, copy) = (TableName::parse("people")?, TableName::parse("copy")?);
/// let mut found = Vec::new();
/// let verified = verify_tables((&config, &people), (&config, &copy), &VerifyOptions::new(), &VerifyControl::new(), |difference| {
///     found.push(difference.to_string());
///     Ok(())
/// })?;
/// assert_eq!((verified.rows, verified.different), (3, 1));
/// # assert_eq!(found.len(), 1);
/// # Ok::<(), inrush::Error>(())
/// ```
///
/// # Errors
/// `Config` for a table that is missing and columns that cannot be compared; those of the servers; those of `each`.
pub fn verify_tables(
    one: (&Config, &TableName),
    other: (&Config, &TableName),
    options: &VerifyOptions,
    control: &VerifyControl,
    mut each: impl FnMut(Difference) -> Result<()> + Send,
) -> Result<Verified> {
    compare(None, one, other, options, control, &mut each).map(|(verified, _)| verified)
}

/// [`verify_tables`] whose first table is read by this connection alone, and is as the connection sees it: in a transaction of a
/// [`ReadView`](crate::ReadView), the rows of that state. Its session's zone must be `+00:00`. Returns the connection, whose `sql_mode` is empty
/// now.
///
/// # Errors
/// Those of [`verify_tables`].
pub fn verify_seen_by(
    reader: Connection,
    one: (&Config, &TableName),
    other: (&Config, &TableName),
    options: &VerifyOptions,
    control: &VerifyControl,
    mut each: impl FnMut(Difference) -> Result<()> + Send,
) -> Result<(Verified, Connection)> {
    let (verified, reader) = compare(Some(reader), one, other, options, control, &mut each)?;
    Ok((verified, reader.ok_or_else(|| Error::protocol("the comparison kept its connection"))?))
}

fn compare(
    reader: Option<Connection>,
    one: (&Config, &TableName),
    other: (&Config, &TableName),
    options: &VerifyOptions,
    control: &VerifyControl,
    each: &mut cells::Each<'_>,
) -> Result<(Verified, Option<Connection>)> {
    let is_one_server = one.0.is_same_login(other.0);
    let (mut one, mut other) = (Side::open(one, options)?, Side::open(other, options)?);
    if let Some(condition) = &options.condition {
        one.check_condition(condition)?;
        other.check_condition(condition)?;
    }
    if let Some(condition) = &options.condition_of_first {
        one.check_condition(condition)?;
    }
    let mut pair = Pair::new(one, other, options, is_one_server)?;
    let mut verified = Verified { key: pair.key_names(), columns: pair.column_names(), ..Verified::default() };
    let reader = cells::compare(&mut pair, reader, options, control, each, &mut verified)?;
    Ok((verified, reader))
}
