//! The rows of many record batches as one batch: stored whole or not at all.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use inrush::blocking::Connection;
use inrush::{BatchOptions, Result, Sql};
use inrush_core::Error;

/// What was done.
#[derive(Debug, Default)]
pub struct Done {
    /// Rows that were written.
    pub n_rows: u64,
    /// Rows that the server counts as affected.
    pub affected: u64,
    /// Rows that were left out, where the options say so: their numbers, counted from 0 over all record batches, and why.
    pub bad_rows: Vec<(u64, Error)>,
}

/// Runs a statement for every row: in a transaction of its own, or, if a transaction is open, after a savepoint in it.
///
/// # Errors
/// Those of [`Connection::execute_batch_with`], with the row counted over all record batches; `Data` if `batches` fails. Then no row is
/// stored, and a transaction of the caller continues.
pub fn execute(
    connection: &mut Connection,
    sql: &(impl Sql + ?Sized),
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    options: &BatchOptions,
) -> Result<Done> {
    // Each batch has a savepoint of its own, of another name.
    let [begin, keep, undo] = match connection.session().in_transaction() {
        true => {
            ["SAVEPOINT inrush_batches", "RELEASE SAVEPOINT inrush_batches", "ROLLBACK TO SAVEPOINT inrush_batches"]
        }
        false => ["START TRANSACTION", "COMMIT", "ROLLBACK"],
    };
    connection.execute(begin, ())?;
    let done = run(connection, sql, batches, options);
    match &done {
        Ok(_) => drop(connection.execute(keep, ())?),
        // The first error is what counts. Where this fails the server has undone more already.
        Err(_) if !connection.session().is_dead() => drop(connection.execute(undo, ())),
        Err(_) => {}
    }
    done
}

fn run(
    connection: &mut Connection,
    sql: &(impl Sql + ?Sized),
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    options: &BatchOptions,
) -> Result<Done> {
    let (mut done, mut taken) = (Done::default(), 0);
    for batch in batches {
        let batch = batch.map_err(of_arrow)?;
        inrush_files::check_extensions(&batch.schema())?;
        let report = connection.execute_batch_with(sql, &batch, options).map_err(|error| match error.row() {
            Some(row) => error.at_row(row + taken),
            None => error,
        })?;
        done.n_rows += report.n_rows;
        done.affected += report.affected;
        done.bad_rows.extend(report.bad_rows.into_iter().map(|bad| (bad.row + taken, bad.error)));
        taken += batch.num_rows() as u64;
    }
    Ok(done)
}

/// An error of a stream: one of ours that went through Arrow, or another producer's.
pub fn of_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => Error::data(other.to_string()),
        },
        other => Error::data(other.to_string()),
    }
}
