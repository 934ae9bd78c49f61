//! The strict replay of a chunk: multi-row INSERTs in strict mode, cut in halves until a bad row stands alone.
//!
//! A statement that fails by a row's fault undoes only itself; the transaction goes on. So one transaction replays the chunk.

use super::prepare::{self, Prepared, too_long};
use super::shared::Shared;
use super::{BadRows, modes};
use crate::blocking::Connection;
use inrush_core::bulk::Reject;
use inrush_core::bulk::encode::multi_row::Next;
use inrush_core::bulk::judge::{Warning, is_row_fault};
use inrush_core::bulk::modes::Counted;
use inrush_core::{Error, Place, Result};
use std::ops::Range;

/// How a replay ended.
pub(super) enum ReplayEnd {
    /// All rows but the rejected ones and those that the mode leaves out are in the open transaction.
    Done { counted: Counted, rejects: Vec<Reject>, noted: Vec<Warning> },
    /// A bad row, and bad rows stop the load.
    BadRow(Reject),
}

/// Replays the rows of `chunk` that our own checks let pass.
pub(super) fn replay(connection: &mut Connection, chunk: &Prepared, shared: &Shared) -> Result<ReplayEnd> {
    let stop = shared.options.bad_rows == BadRows::Stop;
    let mut end = (Counted::default(), Vec::new(), Vec::new());
    // A stack of ranges, the earliest on top: rows go in in their order, so of two equal keys the first is stored.
    let whole = 0..chunk.work.batch.rows.num_rows();
    let mut todo: Vec<Range<usize>> = std::iter::once(whole).collect();
    let mut sql = Vec::new();
    let mut places = chunk.work.batch.origin.places();
    while let Some(range) = todo.pop() {
        sql.clear();
        let (taken, n_rows) = match chunk.insert(range.clone(), &mut sql) {
            Next::Statement { rows, n_rows } => (rows, n_rows as u64),
            Next::End => continue,
            // It fits into a LOAD, which is sent in pieces, and not into a statement.
            Next::TooLong { row, bytes } => {
                todo.push(row + 1..range.end);
                let reason = too_long(bytes, shared.max_packet);
                let reject = prepare::reject(&chunk.work.batch, row, places.of(row), reason);
                if stop {
                    return Ok(ReplayEnd::BadRow(reject));
                }
                end.1.push(reject);
                continue;
            }
        };
        if taken.end < range.end {
            todo.push(taken.end..range.end);
        }
        match modes::store(connection, &chunk.plan, &sql, n_rows) {
            Ok((counted, noted)) => {
                end.0 += counted;
                end.2.extend(noted);
            }
            Err(error) if n_rows == 1 && chunk.plan.writing.skips(error.code()) => {
                end.0 += Counted { stored: 0, skipped: 1, changed: Some(0) };
            }
            Err(error) if is_row_fault(&error) && n_rows == 1 => {
                let row = taken.end - 1;
                let reject = refused(chunk, row, places.of(row), &error);
                if stop {
                    return Ok(ReplayEnd::BadRow(reject));
                }
                end.1.push(reject);
            }
            Err(error) if is_row_fault(&error) => halve(&mut todo, taken),
            Err(error) => return Err(error),
        }
        if !connection.session().in_transaction() && end.0.stored > 0 {
            return Err(Error::protocol("the transaction of a replay ended before its COMMIT"));
        }
    }
    Ok(ReplayEnd::Done { counted: end.0, rejects: end.1, noted: end.2 })
}

fn halve(todo: &mut Vec<Range<usize>>, range: Range<usize>) {
    let middle = range.start + range.len() / 2;
    todo.push(middle..range.end);
    todo.push(range.start..middle);
}

/// The reject of a row that the server refused.
fn refused(chunk: &Prepared, row: usize, mut place: Place, error: &Error) -> Reject {
    let warning = Warning { code: error.code(), message: error.message().to_owned() };
    if !warning.column().is_empty() {
        place.column = Some(warning.column().into());
    }
    let reason = format!("{} (server error {})", error.message(), error.code());
    Reject { code: error.code(), ..prepare::reject(&chunk.work.batch, row, place, reason) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_keep_the_order() {
        let mut todo: Vec<Range<usize>> = std::iter::once(9..10).collect();
        halve(&mut todo, 2..7);
        assert_eq!(todo, [9..10, 4..7, 2..4]);
    }
}
