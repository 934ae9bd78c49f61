//! What a pool for threads does with a connection of its own choice: the verbs, and transactions that run again over another connection.
//!
//! Made of `tokio/pool_verbs.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::inserter::{advance, find_line};
use super::shell::sleep;
use super::{Connection, Pool, PooledConnection, ResultRows, Transaction};
use crate::once::{self, Finding, LinePlace};
use crate::trace::Trace;
use crate::transact::{self, Doubt, Failure, Lease};
use crate::{
    BatchOptions, BatchReport, Config, Error, FromRow, Outcome, Params, Result, ResultSet, Row, Sql, Statement,
    TransactionOptions,
};
use inrush_core::convert::Rows;
use inrush_core::profile::Cluster;
use inrush_core::retry::fate::Stage;
use inrush_core::retry::rerun::{Next, Rerun};
use std::time::Instant;

impl Pool {
    /// Runs `work` in a transaction, and again from its start as long as that may help, for 10 s: after a deadlock or a similar error
    /// ([`is_retryable`](crate::Error::is_retryable)), and over a new connection if the one that it ran on was lost before COMMIT was sent.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let pool = inrush::blocking::Pool::new(&shop.url())?;
    /// let left = pool.transaction(|tx| {
    ///     tx.execute("UPDATE stock SET n = n - 1 WHERE id = ?", (3,))?;
    ///     tx.query_one::<i64>("SELECT n FROM stock WHERE id = ?", (3,))
    /// })?;
    /// # assert_eq!((left, shop.ask("SELECT n FROM stock")), (4, vec!["4".to_owned()]));
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// The closure's; those of [`get`](Pool::get), BEGIN and COMMIT. [`is_outcome_unknown`](crate::Error::is_outcome_unknown): the answer to
    /// COMMIT was lost, and it is not run again.
    pub fn transaction<T>(&self, work: impl FnMut(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.transaction_with(&transact::OF_POOL, work)
    }

    /// Runs `work` in a transaction with options, and again as often as they allow ([`TransactionOptions::with_retries`]; default:
    /// never). [`TransactionOptions::with_error`] passes on errors of the application's own by type; with
    /// [`TransactionOptions::with_exactly_once`] a lost answer to COMMIT is settled.
    ///
    /// # Errors
    /// Those of [`transaction`](Pool::transaction). With [`TransactionOptions::with_exactly_once`] also `Config` if the pool's configuration has no database, and
    /// `Guarantee` if the ledger settles nothing there, or if its line was changed by another program.
    pub fn transaction_with<T, E: From<Error>>(
        &self,
        options: &TransactionOptions<E>,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let began = Instant::now();
        let mut rerun = Rerun::new(options.retries, options.needs_ledger());
        let mut lease = self.lines.lease(options, &self.shared.config)?;
        let mut doubt = None;
        loop {
            let end = match (doubt.take(), &mut lease) {
                (Some(doubt), Some(lease)) => self.settle_commit(doubt, lease),
                _ => self.attempt(options, &mut work, lease.as_mut()),
            };
            let mut failure = match end {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            match rerun.failed(failure.stage, failure.error(options), began.elapsed(), rand::random()) {
                Next::Again(pause) => {
                    drop(failure);
                    sleep(pause);
                }
                Next::Settle(pause) if failure.doubt.is_some() => {
                    doubt = failure.doubt.take();
                    drop(failure);
                    sleep(pause);
                }
                Next::Fail => return Err(failure.into_error()),
                Next::Settle(_) | Next::Unknown => return Err(failure.into_unknown()),
            }
        }
    }

    /// One run, over a connection that goes back to the pool before the next one: no run holds a connection through a pause.
    fn attempt<T, E: From<Error>>(
        &self,
        options: &TransactionOptions<E>,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
        lease: Option<&mut Lease>,
    ) -> Result<T, Failure<T, E>> {
        let mut connection = self.get().map_err(|e| (Stage::Before, e))?;
        let trace = Trace::transaction(&connection.config, connection.session());
        let end = trace.around(|| attempt_on(&mut connection, options, work, lease));
        trace.end(end.as_ref().err().and_then(|failure| failure.error(options)));
        if end.as_ref().is_err_and(|failure| failure.is_misplaced(options)) {
            drop(connection.detach());
        }
        end
    }

    /// Reads the outcome of a COMMIT without an answer from the ledger.
    fn settle_commit<T, E: From<Error>>(&self, doubt: Doubt<T>, lease: &mut Lease) -> Result<T, Failure<T, E>> {
        let ledger = lease.ledger();
        let found = match self.query_opt::<u64>(&ledger.line.settle(), ()) {
            Ok(found) => found,
            Err(error) => return Err(Failure::unsettled(error, doubt)),
        };
        match ledger.settled(doubt.before, found) {
            Finding::Committed => Ok(doubt.value),
            Finding::NotCommitted => Err(Failure::not_stored(doubt)),
            Finding::Unexpected => Err(Failure::unsettled(once::unexpected(), doubt)),
        }
    }

    /// [`Connection::query`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query`].
    pub fn query<T: for<'r> FromRow<'r>>(&self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<T>> {
        self.get()?.query(sql, params)
    }

    /// [`Connection::query_one`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_one`].
    pub fn query_one<T: for<'r> FromRow<'r>>(&self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<T> {
        self.get()?.query_one(sql, params)
    }

    /// [`Connection::query_opt`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_opt`].
    pub fn query_opt<T: for<'r> FromRow<'r>>(
        &self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
    ) -> Result<Option<T>> {
        self.get()?.query_opt(sql, params)
    }

    /// [`Connection::query_first`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_first`].
    pub fn query_first<T: for<'r> FromRow<'r>>(
        &self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
    ) -> Result<Option<T>> {
        self.get()?.query_first(sql, params)
    }

    /// Begins a transaction on a connection of its own, which goes back to the pool with the guard. Unlike
    /// [`transaction`](Pool::transaction) it is not run again.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let pool = inrush::blocking::Pool::new(&shop.url())?;
    /// let mut tx = pool.begin()?;
    /// tx.execute("UPDATE accounts SET balance = balance - 10 WHERE id = ?", (1,))?;
    /// tx.execute("UPDATE accounts SET balance = balance + 10 WHERE id = ?", (2,))?;
    /// tx.commit()?;
    /// # assert_eq!(shop.ask("SELECT id, balance FROM accounts"), ["1 90", "2 110"]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::begin`].
    pub fn begin(&self) -> Result<Transaction<'static>> {
        self.begin_with(&TransactionOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::begin_with`].
    pub fn begin_with<E>(&self, options: &TransactionOptions<E>) -> Result<Transaction<'static>> {
        let mut connection = self.get()?;
        connection.start_transaction(options)?;
        Ok(Transaction::of(connection))
    }

    /// [`Connection::query_iter`] over any connection, which goes back to the pool with the rows.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_iter`].
    pub fn query_iter(&self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<ResultRows<PooledConnection>> {
        ResultRows::open(self.get()?, sql, params)
    }

    /// [`Connection::query_each`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_each`].
    pub fn query_each(
        &self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
        each: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        self.get()?.query_each(sql, params, each)
    }

    /// [`Connection::query_result_sets`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_result_sets`].
    pub fn query_result_sets(&self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<ResultSet>> {
        self.get()?.query_result_sets(sql, params)
    }

    /// [`Connection::query_arrow`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::query_arrow`].
    #[cfg(feature = "arrow")]
    pub fn query_arrow(&self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<arrow_array::RecordBatch>> {
        self.get()?.query_arrow(sql, params)
    }

    /// Prepares a statement on any connection, so that a mistake in it shows now. The [`Statement`] can be used on each of them.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::prepare`].
    pub fn prepare(&self, sql: &str) -> Result<Statement> {
        self.get()?.prepare(sql)
    }

    /// Checks over any connection that the server answers.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::ping`].
    pub fn ping(&self) -> Result<()> {
        self.get()?.ping()
    }

    /// How its connections are opened.
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// [`Connection::execute`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::execute`].
    pub fn execute(&self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Outcome> {
        self.get()?.execute(sql, params)
    }

    /// [`Connection::execute_batch`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::execute_batch`].
    pub fn execute_batch(&self, sql: &(impl Sql + ?Sized), rows: &(impl Rows + ?Sized)) -> Result<BatchReport> {
        self.get()?.execute_batch(sql, rows)
    }

    /// [`Connection::execute_batch_with`] over any connection.
    ///
    /// # Errors
    /// Those of [`get`](Pool::get) and of [`Connection::execute_batch_with`].
    pub fn execute_batch_with(
        &self,
        sql: &(impl Sql + ?Sized),
        rows: &(impl Rows + ?Sized),
        options: &BatchOptions,
    ) -> Result<BatchReport> {
        self.get()?.execute_batch_with(sql, rows, options)
    }
}

fn attempt_on<T, E: From<Error>>(
    connection: &mut Connection,
    options: &TransactionOptions<E>,
    work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    lease: Option<&mut Lease>,
) -> Result<T, Failure<T, E>> {
    let mut ledger = match lease {
        None => None,
        Some(lease) => {
            check_cluster(connection, lease).map_err(|e| (Stage::Before, e))?;
            let ledger = lease.ledger();
            let at = find_line(connection, ledger).map_err(|e| (Stage::Before, once::unusable(e)))?;
            Some((ledger, at))
        }
    };
    let mut tx = connection.begin_with(options).map_err(|e| (Stage::Before, e))?;
    let value = match work(&mut tx) {
        Ok(value) => value,
        Err(error) => {
            // Rolls back now, not when the guard is dropped: until the connection is used again, its locks would be held.
            let _ = tx.rollback();
            return Err(Failure::own(error));
        }
    };
    if let Some((ledger, at)) = &mut ledger {
        let is_moved = advance(&mut tx, &ledger.line, *at).map_err(|e| (Stage::Open, once::unusable(e)))?;
        // Unless the COMMIT is answered, only a locking read shows where the line is.
        ledger.place = LinePlace::Unsure;
        if !is_moved {
            return Err((Stage::Open, once::unexpected()).into());
        }
    }
    match tx.commit_in_stages() {
        Ok(()) => {
            if let Some((ledger, at)) = ledger {
                ledger.place = LinePlace::At(at + 1);
            }
            Ok(value)
        }
        Err(failed) => Err(Failure::of_commit(failed, value, ledger.map(|(_, at)| at))),
    }
}

/// Refuses a server whose row locks do not reach all servers of its cluster. Checks once a pool.
fn check_cluster(connection: &mut Connection, lease: &Lease) -> Result<()> {
    if !lease.lines().is_checked() {
        let cluster = Cluster::read(&connection.texts(Cluster::QUERY)?);
        once::check_cluster(cluster, connection.session().profile())?;
        lease.lines().checked();
    }
    Ok(())
}
