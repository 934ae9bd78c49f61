//! The cells into which the rows of both tables are cut: ranges of the first column of the key, else beginnings of the key's digest.

use super::checkpoint::Checkpoint;
use super::pace::Pace;
use super::rows::{self, Extra, no_digest};
use super::side::{Connections, Pair, Sql};
use super::{Difference, Verified, VerifyControl, VerifyOptions};
use crate::blocking::Connection;
use crate::parts::Bounds;
use crate::{Error, Kind, Result};
use inrush_core::verify;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Takes the differences.
pub(super) type Each<'a> = dyn FnMut(Difference) -> Result<()> + Send + 'a;

/// Rows, and the sums of their digests.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    rows: u64,
    sums: [String; 2],
}

/// The conditions of a cell on both sides.
type Cell = [String; 2];

/// What all lanes share.
struct Walk<'a, 'e> {
    pair: &'a Pair,
    sql: &'a [Sql; 2],
    options: &'a VerifyOptions,
    control: &'a VerifyControl,
    /// As the optimizer estimates.
    rows: u64,
    /// The ends of the cells; `None`: there is one cell.
    bounds: Option<Bounds>,
    pace: Option<Pace>,
    checkpoint: Option<&'a Checkpoint>,
    found: Mutex<(&'a mut Verified, &'a mut Each<'e>)>,
    /// Differences that got their values.
    described: AtomicUsize,
}

/// Compares all cells. Returns the connection that read the first table, if one was given.
pub(super) fn compare(
    pair: &mut Pair,
    reader: Option<Connection>,
    options: &VerifyOptions,
    control: &VerifyControl,
    each: &mut Each<'_>,
    verified: &mut Verified,
) -> Result<Option<Connection>> {
    let rows = pair.estimated_rows()?;
    let cell_rows = options.rate.map_or(CELL_ROWS, |rate| rate.get().min(CELL_ROWS));
    let (identity, column) = (pair.identity(), pair.range_column().map(str::to_owned));
    let find = || pair.bounds(rows, cell_rows);
    let checkpoint = match &options.checkpoint {
        Some(path) => Some(Checkpoint::open(path, &identity, column.as_deref(), find)?),
        None => None,
    };
    let bounds = match &checkpoint {
        Some(checkpoint) => checkpoint.bounds.clone(),
        None => pair.bounds(rows, cell_rows)?,
    };
    let pace = options.rate.map(Pace::new);
    if let Some(rate) = options.rate.filter(|rate| bounds.is_none() && rows > rate.get() && !options.rate_of_ranges) {
        return Err(Error::config(format!("{} cannot be compared at {rate} rows a second: it is read at once", pair.one.table))
            .with_hint("a rate needs a key that begins with a number, a date or a time, or with a text of one collation on both sides"));
    }
    let n_cells = bounds.as_ref().map_or(1, |bounds| bounds.literals.len() + 1);
    let is_given = reader.is_some();
    let lanes = match reader {
        Some(reader) => vec![pair.connections_by(reader)?],
        None => pair.connections(options.lanes.min(n_cells))?,
    };
    let walk = Walk {
        pair,
        sql: &pair.sql,
        options,
        control,
        rows,
        bounds,
        pace,
        checkpoint: checkpoint.as_ref(),
        found: Mutex::new((verified, each)),
        described: AtomicUsize::new(0),
    };
    let mut lanes = walk.run(lanes, n_cells)?;
    checkpoint.map_or(Ok(()), Checkpoint::remove)?;
    Ok(lanes.pop().filter(|_| is_given).map(|lane| lane.one))
}

impl Walk<'_, '_> {
    /// Compares all cells, each by one of the lanes. Returns the lanes.
    fn run(&self, lanes: Vec<Connections>, n_cells: usize) -> Result<Vec<Connections>> {
        let next = AtomicUsize::new(0);
        let lane = |mut connections: Connections| {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= n_cells {
                    return Ok(connections);
                }
                if let Err(error) = self.cell(&mut connections, at) {
                    // The other lanes take no further cell.
                    next.store(n_cells, Ordering::Relaxed);
                    return Err(error);
                }
            }
        };
        thread::scope(|scope| {
            let lanes: Vec<_> = lanes.into_iter().map(|connections| scope.spawn(|| lane(connections))).collect();
            let ends =
                lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            // All are waited for.
            ends.collect::<Vec<_>>().into_iter().collect()
        })
    }

    fn cell(&self, connections: &mut Connections, at: usize) -> Result<()> {
        self.check()?;
        if let Some([rows, other_rows]) = self.checkpoint.and_then(|checkpoint| checkpoint.equal(at)) {
            self.count(rows, other_rows);
            let (verified, _) = &mut *self.found.lock().unwrap_or_else(PoisonError::into_inner);
            verified.earlier_ranges += 1;
            verified.earlier_rows += rows;
            return Ok(());
        }
        let range = self.bounds.as_ref().and_then(|bounds| bounds.condition(at));
        let cell = [0, 1].map(|side| self.pair.condition(side, range.as_deref()));
        let Some(_) = range else { return self.by_beginnings(connections, &cell, None) };
        let [one, other] = self.sums(connections, &cell, None)?.map(|mut sums| sums.remove(""));
        let [n_one, n_other] = [&one, &other].map(|sums| sums.as_ref().map_or(0, |sums| sums.rows));
        self.count(n_one, n_other);
        if one == other {
            if let Some(checkpoint) = self.checkpoint {
                checkpoint.add(at, [n_one, n_other])?;
            }
        } else if n_one.max(n_other) > FETCHED_ROWS {
            self.by_beginnings(connections, &cell, Some(n_one.max(n_other)))?;
        } else {
            self.report(connections, &cell)?;
        }
        if let Some(pace) = &self.pace {
            pace.wait(n_one.max(n_other), || self.check())?;
        }
        Ok(())
    }

    /// Compares a cell by the beginnings of its keys' digests. `counted`: its rows, if they are counted already.
    fn by_beginnings(&self, connections: &mut Connections, all: &Cell, counted: Option<u64>) -> Result<()> {
        let rows = counted.unwrap_or(self.rows);
        let digits = (0..MAX_DIGITS).find(|digits| rows >> (4 * digits) < CELL_ROWS_OF_DIGESTS).unwrap_or(MAX_DIGITS);
        let [one, other] = self.sums(connections, all, Some(digits))?;
        let total = |sums: &BTreeMap<String, Sums>| sums.values().map(|sums| sums.rows).sum();
        if counted.is_none() {
            self.count(total(&one), total(&other));
        }
        let n_rows = |key: &str| [&one, &other].iter().filter_map(|sums| sums.get(key)).map(|sums| sums.rows).max();
        let mut differ: Vec<&str> =
            one.keys().chain(other.keys()).filter(|key| one.get(*key) != other.get(*key)).map(String::as_str).collect();
        differ.sort_unstable();
        differ.dedup();
        // Each round reads the rows again, so it takes as many as memory has room for.
        let mut rest = &differ[..];
        while !rest.is_empty() {
            self.check()?;
            let mut rows = 0;
            let fits = |key: &&&str| {
                rows += n_rows(key).unwrap_or_default();
                rows <= FETCHED_ROWS
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rest = later;
            let list = now.iter().map(|key| format!("'{key}'")).collect::<Vec<_>>().join(",");
            let cell = [0, 1].map(|side: usize| {
                format!("LEFT({},{digits}) IN ({list}) AND {}", self.sql[side].key_digest, all[side])
            });
            self.report(connections, &cell)?;
        }
        Ok(())
    }

    /// The sums of both sides, by the beginning of the key's digest.
    fn sums(
        &self,
        connections: &mut Connections,
        cell: &Cell,
        digits: Option<usize>,
    ) -> Result<[BTreeMap<String, Sums>; 2]> {
        connections.both(|connection, side| {
            let sql = &self.sql[side];
            if !sql.documents.is_empty() {
                return sums_of_rows(connection, sql, &cell[side], digits);
            }
            let key = digits.map(|digits| (sql.key_digest.as_str(), digits));
            let query = verify::sums(&sql.table, &cell[side], key, &sql.digest);
            let mut found = BTreeMap::new();
            let rows = connection.query::<(Option<String>, u64, u64, String, String)>(&query, ())?;
            for (beginning, rows, digests, one, other) in rows {
                if rows != digests {
                    return Err(no_digest(&sql.table));
                }
                if rows > 0 {
                    found.insert(beginning.unwrap_or_default(), Sums { rows, sums: [one, other] });
                }
            }
            Ok(found)
        })
    }

    /// Reports the rows of a cell that differ.
    fn report(&self, connections: &mut Connections, cell: &Cell) -> Result<()> {
        let left = self.options.described.saturating_sub(self.described.load(Ordering::Relaxed));
        let extra = if self.options.subset { Extra::Equal } else { Extra::All };
        let described = rows::compare(connections, self.sql, cell, (left, extra), |difference| {
            let (verified, each) = &mut *self.found.lock().unwrap_or_else(PoisonError::into_inner);
            verified.add(&difference);
            each(difference)
        })?;
        self.described.fetch_add(described, Ordering::Relaxed);
        Ok(())
    }

    fn count(&self, rows: u64, other_rows: u64) {
        let (verified, _) = &mut *self.found.lock().unwrap_or_else(PoisonError::into_inner);
        verified.rows += rows;
        verified.other_rows += other_rows;
        self.control.rows.fetch_add(rows, Ordering::Relaxed);
    }

    fn check(&self) -> Result<()> {
        match self.control.is_over.load(Ordering::Relaxed) {
            true => Err(Error::new(Kind::Interrupted, "the comparison was stopped").with_hint(match self.checkpoint {
                Some(_) => "the same command continues after the ranges that were equal",
                None => "with a checkpoint, a later comparison continues after the ranges that were equal",
            })),
            false => Ok(()),
        }
    }
}

/// The sums of rows with documents, which are fetched for it.
fn sums_of_rows(
    connection: &mut Connection,
    sql: &Sql,
    condition: &str,
    digits: Option<usize>,
) -> Result<BTreeMap<String, Sums>> {
    let beginning = digits.map_or("''".to_owned(), |digits| format!("LEFT({},{digits})", sql.key_digest));
    let documents: String = sql.documents.iter().map(|document| format!(",{document}")).collect();
    let query = format!("SELECT {beginning},{}{documents} FROM {} WHERE {condition}", sql.digest, sql.table);
    let mut found = BTreeMap::<String, (u64, [u128; 2])>::new();
    connection.query_each(&query, (), |row| {
        let beginning = row.get::<Option<String>>(0)?.unwrap_or_default();
        let digest = rows::digest(&row, 1, 2, sql)?.ok_or_else(|| no_digest(&sql.table))?;
        let (n, sums) = found.entry(beginning).or_default();
        *n += 1;
        for (sum, part) in sums.iter_mut().zip(verify::parts(&digest)) {
            *sum += part;
        }
        Ok(())
    })?;
    let sums = |(n, sums): (u64, [u128; 2])| Sums { rows: n, sums: sums.map(|sum| sum.to_string()) };
    Ok(found.into_iter().map(|(beginning, of_rows)| (beginning, sums(of_rows))).collect())
}

/// Rows of a range that are summed at once.
const CELL_ROWS: u64 = 50_000;
/// Rows whose digests share a beginning.
const CELL_ROWS_OF_DIGESTS: u64 = 512;
/// 65,536 beginnings at most, which fit into memory.
const MAX_DIGITS: usize = 4;
/// Rows whose digests and keys are fetched at once.
const FETCHED_ROWS: u64 = 20_000;
