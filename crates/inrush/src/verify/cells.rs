//! The parts into which the rows of both tables are cut: ranges of a key that is one whole number, else beginnings of the digest of the key.

use super::rows::{self, Extra, no_digest};
use super::side::{Connections, Pair, Sql};
use super::{Difference, Verified, VerifyControl, VerifyOptions};
use crate::blocking::Connection;
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
    sql: &'a [Sql; 2],
    options: &'a VerifyOptions,
    control: &'a VerifyControl,
    found: Mutex<(&'a mut Verified, &'a mut Each<'e>)>,
    /// Differences that got their values.
    described: AtomicUsize,
}

pub(super) fn compare(
    pair: &Pair,
    options: &VerifyOptions,
    control: &VerifyControl,
    each: &mut Each<'_>,
    verified: &mut Verified,
) -> Result<()> {
    let described = AtomicUsize::new(0);
    let walk = Walk { sql: &pair.sql, options, control, found: Mutex::new((verified, each)), described };
    match &pair.range_column {
        Some(column) => walk.by_ranges(pair, column),
        None => walk.by_beginnings(pair),
    }
}

impl Walk<'_, '_> {
    fn by_ranges(&self, pair: &Pair, column: &str) -> Result<()> {
        let mut lanes = vec![pair.again()?];
        let ends =
            lanes[0].both(|connection, side| ends(connection, &self.sql[side].table, column, &pair.condition))?;
        let both =
            |a: Ends, b: Ends| Ends { least: a.least.min(b.least), most: a.most.max(b.most), rows: a.rows.max(b.rows) };
        let n_sides = if self.options.subset { 1 } else { 2 };
        let ends = ends.into_iter().take(n_sides).flatten().reduce(both);
        let Some(Ends { least, most, rows }) = ends else { return Ok(()) };
        let step = ((most - least) / i128::from(rows.div_ceil(CELL_ROWS).max(1)) + 1).max(1);
        while lanes.len() < self.options.lanes && least + step * lanes.len() as i128 <= most {
            lanes.push(pair.again()?);
        }
        let next = Mutex::new(least);
        let take = || {
            let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
            let low = *next;
            *next += step;
            (low <= most).then(|| (low, (low + step - 1).min(most)))
        };
        let condition = |range| [0, 1].map(|side| pair.condition(side, Some(range)));
        let lane = |mut connections: Connections| {
            while let Some(range) = take() {
                let end = self.range(&mut connections, range, &condition);
                if end.is_err() {
                    // The other lanes take no further cell.
                    *next.lock().unwrap_or_else(PoisonError::into_inner) = most + 1;
                    return end;
                }
            }
            Ok(())
        };
        thread::scope(|scope| {
            let lanes: Vec<_> = lanes.into_iter().map(|connections| scope.spawn(|| lane(connections))).collect();
            let ends =
                lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            // All are waited for.
            ends.collect::<Vec<_>>().into_iter().collect()
        })
    }

    /// Compares a range, in halves as long as it has too many rows to fetch.
    fn range(
        &self,
        connections: &mut Connections,
        whole: (i128, i128),
        condition: &impl Fn((i128, i128)) -> Cell,
    ) -> Result<()> {
        let mut open = vec![whole];
        while let Some((low, high)) = open.pop() {
            self.check()?;
            let cell = condition((low, high));
            let [one, other] = self.sums(connections, &cell, None)?.map(|mut sums| sums.remove(""));
            let [n_one, n_other] = [&one, &other].map(|sums| sums.as_ref().map_or(0, |sums| sums.rows));
            if (low, high) == whole {
                self.count(n_one, n_other);
            }
            if one == other {
                continue;
            }
            if n_one.max(n_other) > FETCHED_ROWS && low < high {
                let middle = low + (high - low) / 2;
                open.extend([(middle + 1, high), (low, middle)]);
                continue;
            }
            self.report(connections, &cell)?;
        }
        Ok(())
    }

    fn by_beginnings(&self, pair: &Pair) -> Result<()> {
        let mut connections = pair.again()?;
        let estimates = connections.both(|connection, side| estimate(connection, &self.sql[side].table))?;
        let rows = estimates.into_iter().max().unwrap_or_default();
        let digits = (0..MAX_DIGITS).find(|digits| rows >> (4 * digits) < CELL_ROWS_OF_DIGESTS).unwrap_or(MAX_DIGITS);
        let all = [0, 1].map(|side| pair.condition(side, None));
        let [one, other] = self.sums(&mut connections, &all, Some(digits))?;
        let total = |sums: &BTreeMap<String, Sums>| sums.values().map(|sums| sums.rows).sum();
        self.count(total(&one), total(&other));
        let n_rows = |key: &str| [&one, &other].iter().filter_map(|sums| sums.get(key)).map(|sums| sums.rows).max();
        let mut differ: Vec<&str> =
            one.keys().chain(other.keys()).filter(|key| one.get(*key) != other.get(*key)).map(String::as_str).collect();
        differ.sort_unstable();
        differ.dedup();
        // Each round reads the tables again, so it takes as many as memory has room for.
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
            self.report(&mut connections, &cell)?;
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
            true => Err(Error::new(Kind::Interrupted, "the comparison was stopped")),
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

struct Ends {
    least: i128,
    most: i128,
    /// As the optimizer estimates.
    rows: u64,
}

/// `None`: there is no row.
fn ends(connection: &mut Connection, table: &str, column: &str, condition: &str) -> Result<Option<Ends>> {
    let query = format!("SELECT CONCAT(MIN({column})),CONCAT(MAX({column})) FROM {table} WHERE {condition}");
    let (least, most) = connection.query_one::<(Option<String>, Option<String>)>(&query, ())?;
    let number = |text: Option<String>| text.and_then(|text| text.parse::<i128>().ok());
    let Some((least, most)) = number(least).zip(number(most)) else { return Ok(None) };
    Ok(Some(Ends { least, most, rows: estimate(connection, table)? }))
}

/// The number of rows, as the optimizer estimates.
fn estimate(connection: &mut Connection, table: &str) -> Result<u64> {
    let mut rows = 0;
    connection.query_each(&format!("EXPLAIN SELECT * FROM {table}"), (), |row| {
        let at = row.columns().iter().position(|column| column.name == "rows");
        rows = at.and_then(|at| row.get::<Option<u64>>(at).ok().flatten()).unwrap_or(rows);
        Ok(())
    })?;
    Ok(rows)
}

/// Rows of a range that are summed at once.
const CELL_ROWS: u64 = 50_000;
/// Rows whose digests share a beginning.
const CELL_ROWS_OF_DIGESTS: u64 = 512;
/// 65,536 beginnings at most, which fit into memory.
const MAX_DIGITS: usize = 4;
/// Rows whose digests and keys are fetched at once.
const FETCHED_ROWS: u64 = 20_000;
