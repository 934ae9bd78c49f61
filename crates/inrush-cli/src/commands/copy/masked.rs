//! Compares a table whose columns were masked with its copy. No server can mask, so the rows of both are read here: the source's are masked once
//! more, and each becomes a number. Sums of these are compared first, and rows where the sums differ.
//!
//! Invariant: called equal only if each row of the source, masked, is in the copy as often as at the source. JSON and floating-point numbers, which
//! two servers show as different texts, are left to the comparison by the servers.

use super::plan::PlannedTable;
use super::rows::{self, CopyRows, RowsOf};
use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use arrow_schema::DataType;
use inrush::blocking::Connection;
use inrush::{Config, LoadOptions};
use inrush_core::load::checksum::checksum;
use inrush_core::{Error, Result};
use std::collections::HashMap;
use std::num::NonZeroU64;

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MaskedRows {
    /// Of the source.
    pub(super) rows: u64,
    /// Masked rows of the source that the copy lacks.
    pub(super) missing: u64,
    /// Rows of the copy that are none of the source's.
    pub(super) extra: u64,
}

/// Compares the rows that `reader` sees with those of the copy.
pub(super) fn compare(
    mut reader: Connection,
    table: &PlannedTable,
    target: &Config,
    rate: Option<NonZeroU64>,
    is_over: &dyn Fn() -> bool,
) -> Result<(MaskedRows, Connection)> {
    let mut other = Connection::connect(target)?;
    let (mut sums, mut excluded) = ([Sums::default(), Sums::default()], None);
    (sums[0], reader) = each_row(reader, RowsOf::source(table), table, &mut excluded, rate, is_over, Sums::add)?;
    (sums[1], other) = each_row(other, RowsOf::target(table), table, &mut excluded, rate, is_over, Sums::add)?;
    let mut found = MaskedRows { rows: sums[0].rows(), ..MaskedRows::default() };
    let [one, two] = &sums;
    let differ: Vec<bool> = one.0.iter().zip(&two.0).map(|(one, two)| one != two).collect();
    if differ.iter().any(|differ| *differ) {
        // More often at the source, or in the copy.
        let note = |sign: i64| {
            let differ = &differ;
            move |counted: &mut HashMap<u64, i64>, row: u64| {
                if differ[bucket(row)] {
                    *counted.entry(row).or_default() += sign;
                }
            }
        };
        let (mut counted, theirs);
        (counted, reader) = each_row(reader, RowsOf::source(table), table, &mut excluded, rate, is_over, note(1))?;
        (theirs, other) = each_row(other, RowsOf::target(table), table, &mut excluded, rate, is_over, note(-1))?;
        theirs.into_iter().for_each(|(row, times)| *counted.entry(row).or_default() += times);
        found.missing = counted.values().map(|times| (*times).max(0).unsigned_abs()).sum();
        found.extra = counted.values().map(|times| (*times).min(0).unsigned_abs()).sum();
    }
    other.close();
    Ok((found, reader))
}

/// The number of rows, and the sum of their numbers, of each bucket.
struct Sums(Vec<(u64, u128)>);

impl Default for Sums {
    fn default() -> Self {
        Self(vec![(0, 0); BUCKETS])
    }
}

impl Sums {
    fn add(&mut self, row: u64) {
        let (rows, sum) = &mut self.0[bucket(row)];
        *rows += 1;
        *sum += u128::from(row);
    }

    fn rows(&self) -> u64 {
        self.0.iter().map(|(rows, _)| rows).sum()
    }
}

fn bucket(row: u64) -> usize {
    (row % BUCKETS as u64) as usize
}

/// So that one wrong row among ten millions has a few thousand rows read once more.
const BUCKETS: usize = 4096;

/// Reads rows and gives each as a number to `note`. `excluded` is found by the first side and holds for both.
fn each_row<T: Default>(
    connection: Connection,
    rows: RowsOf,
    table: &PlannedTable,
    excluded: &mut Option<Vec<bool>>,
    rate: Option<NonZeroU64>,
    is_over: &dyn Fn() -> bool,
    note: impl Fn(&mut T, u64),
) -> Result<(T, Connection)> {
    let CopyRows { mut source, reader, schema } = rows::read(connection, rows, &LoadOptions::default(), rate, is_over)?;
    let excluded = excluded.get_or_insert_with(|| {
        let is_excluded = |field: &arrow_schema::FieldRef| {
            matches!(field.data_type(), DataType::Float32 | DataType::Float64)
                || field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.json")
        };
        schema.fields().iter().map(is_excluded).collect()
    });
    let masks = table.masks.iter().flat_map(|masks| &masks.masks.masks).map(Option::is_some).collect::<Vec<_>>();
    let (mut noted, mut line) = (T::default(), Vec::new());
    while let Some(batch) = source.next()? {
        if is_over() {
            return Err(super::interrupted());
        }
        if let Some(reject) = batch.rejects.first() {
            return Err(Error::data(format!("a row cannot be compared: {}", reject.reason)));
        }
        let columns: Vec<_> = batch.rows.columns().iter().map(|column| column.as_binary_view()).collect();
        for row in 0..batch.rows.num_rows() {
            line.clear();
            for (at, column) in columns.iter().enumerate().filter(|(at, _)| !excluded.get(*at).is_some_and(|is| *is)) {
                if column.is_null(row) {
                    line.push(0);
                    continue;
                }
                let cell = column.value(row);
                // A mask may make a value shorter than a BINARY column, which is filled up.
                let cell = if masks.get(at).is_some_and(|is| *is) { trimmed(cell) } else { cell };
                line.push(1);
                line.extend_from_slice(&(cell.len() as u64).to_le_bytes());
                line.extend_from_slice(cell);
            }
            note(&mut noted, checksum(&line));
        }
    }
    drop(source);
    let reader = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok((noted, reader.ok_or_else(|| Error::protocol("the connection was lost with its thread"))?))
}

fn trimmed(cell: &[u8]) -> &[u8] {
    let end = cell.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |last| last + 1);
    &cell[..end]
}
