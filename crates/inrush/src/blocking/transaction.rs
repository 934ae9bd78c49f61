//! Transactions on a blocking connection: the verbs, and the guards that roll back when they are dropped.
//!
//! Made of `tokio/transaction.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::shell::sleep;
use super::{Connection, PooledConnection};
use crate::deadlines::QueryTime;
use crate::guard::{Holder, are_connections};
use crate::pipeline::probe;
use crate::trace::Trace;
use crate::{Error, Result, transact, verbs};
use inrush_core::retry::fate::Stage;
use inrush_core::session::{TransactionOptions, transaction};
use std::time::Instant;

/// An open transaction: a connection whose work is committed together or not at all.
///
/// Every verb of [`Connection`] works on it. If it is dropped without [`commit`](Transaction::commit), it is rolled back at once; if
/// that fails, the connection is dead and the server rolls back.
///
/// A statement that commits by itself (CREATE, ALTER, DROP, TRUNCATE, LOCK TABLES ..) ends the transaction; so may the server, at a
/// deadlock. Later statements are refused before they are sent, because each would be committed by itself. LOAD DATA LOCAL takes
/// part in a transaction like an INSERT. Tables of engines without transactions (MyISAM, Aria) keep their rows.
#[derive(Debug)]
pub struct Transaction<'c> {
    connection: Holder<'c, Connection, PooledConnection>,
}

/// A part of a transaction that can be undone by itself. If it is dropped without [`release`](Savepoint::release), it is undone at once.
#[derive(Debug)]
pub struct Savepoint<'t> {
    connection: &'t mut Connection,
    depth: u32,
}

impl Connection {
    /// Begins a transaction. If one is open already, that is an error: the server would commit it silently.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// let mut tx = connection.begin()?;
    /// tx.execute("UPDATE accounts SET balance = balance - 10 WHERE id = 1", ())?;
    /// tx.execute("UPDATE accounts SET balance = balance + 10 WHERE id = 2", ())?;
    /// # assert_eq!(shop.ask("SELECT id, balance FROM accounts"), ["1 100", "2 100"]);
    /// tx.commit()?;
    /// # assert_eq!(shop.ask("SELECT id, balance FROM accounts"), ["1 90", "2 110"]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Config` if a transaction is open; `Io` if the connection is lost or a time-out passes.
    pub fn begin(&mut self) -> Result<Transaction<'_>> {
        self.begin_with(&TransactionOptions::new())
    }

    /// Begins a transaction with options: isolation, read-only, snapshot. Its retries concern closures only.
    ///
    /// # Errors
    /// Those of [`begin`](Connection::begin); `Server` if the server refuses the options.
    pub fn begin_with<E>(&mut self, options: &TransactionOptions<E>) -> Result<Transaction<'_>> {
        self.start_transaction(options)?;
        Ok(Transaction { connection: Holder::Borrowed(self) })
    }

    /// Begins a transaction whose guard is to be made.
    pub(super) fn start_transaction<E>(&mut self, options: &TransactionOptions<E>) -> Result<()> {
        self.settle()?;
        if self.session().is_transaction_unsure() {
            self.ping()?;
        }
        self.session().check_begin()?;
        let begin = transaction::Begin::new(options).in_one_flight(probe::is_clear(&self.config));
        self.run(begin)?;
        Ok(())
    }

    /// Runs `work` in a transaction: commits if it returns a value, rolls back if it returns an error or panics. It runs once;
    /// [`transaction_with`](Connection::transaction_with) runs it again, and passes on errors of the application's own.
    ///
    /// # Errors
    /// The closure's; those of BEGIN and COMMIT. [`is_outcome_unknown`](crate::Error::is_outcome_unknown): the answer to COMMIT was lost.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// let id = connection.transaction(|tx| {
    ///     let order = tx.execute("INSERT INTO orders (customer) VALUES (7)", ())?;
    ///     tx.execute("UPDATE customers SET n_orders = n_orders + 1 WHERE id = 7", ())?;
    ///     order.inserted_id()
    /// })?;
    /// # assert_eq!(shop.ask("SELECT orders.id, n_orders FROM orders, customers"), [format!("{id} 1")]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    pub fn transaction<T>(&mut self, work: impl FnOnce(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.attempt(&TransactionOptions::new(), work)
    }

    /// Runs `work` in a transaction with options, and again from its start after a deadlock or a similar error
    /// ([`is_retryable`](crate::Error::is_retryable)), as often as the options allow, with pauses between. It is not run again if the outcome of
    /// the COMMIT is unknown, nor if the connection was lost: [`Pool::transaction_with`](super::Pool::transaction_with) runs it over another one.
    ///
    /// # Errors
    /// The closure's, by type: see [`TransactionOptions::with_error`]. `Config` for [`TransactionOptions::with_exactly_once`], which needs a pool.
    /// Otherwise those of [`transaction`](Connection::transaction).
    ///
    /// ```
    /// # use inrush::TransactionOptions;
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// let options = TransactionOptions::new().with_retries(5);
    /// connection.transaction_with(&options, |tx| tx.execute("UPDATE stock SET n = n - 1 WHERE id = 3", ()))?;
    /// # assert_eq!(shop.ask("SELECT n FROM stock"), ["4"]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    pub fn transaction_with<T, E: From<Error>>(
        &mut self,
        options: &TransactionOptions<E>,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if options.needs_ledger() {
            return Err(transact::needs_pool().into());
        }
        let start = Instant::now();
        for n_runs in 1.. {
            let error = match self.attempt(options, &mut work) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let found = options.find(&error);
            match verbs::pause_before_rerun(options.retries, self.session(), found, n_runs, start) {
                Some(pause) => sleep(pause),
                None => return Err(error),
            }
        }
        unreachable!("the runs are counted without end")
    }

    fn attempt<T, E: From<Error>>(
        &mut self,
        options: &TransactionOptions<E>,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let trace = Trace::transaction(&self.config, self.session());
        let work = || {
            let mut tx = self.begin_with(options)?;
            match work(&mut tx) {
                Ok(value) => {
                    tx.commit()?;
                    Ok(value)
                }
                // Rolls back now, not when the guard is dropped: until then its locks would be held, through the pause too.
                Err(error) => {
                    let _ = tx.rollback();
                    Err(error)
                }
            }
        };
        let end = trace.around(work);
        trace.end(end.as_ref().err().and_then(|error| options.find(error)));
        end
    }

    /// Does what is due before the connection's next use: reads results that were not read to their end, and rolls back the transaction
    /// that a guard left open.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.drain();
        while let Some(debt) = self.session().debt() {
            self.run_now(debt)?;
        }
        Ok(())
    }
}

impl Transaction<'_> {
    /// The guard of a transaction that was begun on a connection of a pool.
    pub(super) fn of(connection: PooledConnection) -> Self {
        Self { connection: Holder::Owned(connection) }
    }

    /// Commits. An error with [`is_outcome_unknown`](crate::Error::is_outcome_unknown) means that the answer was lost: the
    /// transaction may be committed or not. If the server ended the transaction by itself before, nothing is sent and an error
    /// is returned.
    ///
    /// # Errors
    /// `Io` if the answer is lost; `Server` if the server refuses to commit, or ended the transaction before.
    /// [`is_retryable`](crate::Error::is_retryable) returns whether the same transaction may succeed when it is run again.
    pub fn commit(self) -> Result<()> {
        self.commit_in_stages().map_err(|(_, error)| error)
    }

    /// The same; an error has the stage that the transaction had reached.
    pub(super) fn commit_in_stages(mut self) -> Result<(), (Stage, Error)> {
        let mut commit = transaction::Commit::default();
        let time = QueryTime::without_kill(&self.connection.config);
        self.connection.run_within(time, &mut commit).map_err(|e| verbs::not_committed(&commit, e))
    }

    /// Rolls back.
    ///
    /// # Errors
    /// `Io` if the connection is lost or a time-out passes. The server then rolls back by itself.
    pub fn rollback(mut self) -> Result<()> {
        self.connection.session_mut().abandon(1);
        self.connection.settle()
    }

    /// Sets a savepoint: a part that can be undone by itself.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// let mut tx = connection.begin()?;
    /// tx.execute("INSERT INTO orders (customer) VALUES (7)", ())?;
    /// let mut extras = tx.savepoint()?;
    /// # extras.execute("UPDATE stock SET n = n - 1", ())?;
    /// match extras.execute("INSERT INTO gifts (customer) VALUES (7)", ()) {
    ///     Ok(_) => extras.release()?,
    ///     Err(_) => extras.rollback()?, // the order stays
    /// }
    /// tx.commit()?;
    /// # assert_eq!(shop.ask("SELECT orders.customer, stock.n FROM orders, stock"), ["7 5"]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Config` if the transaction is over; `Io` if the connection is lost or a time-out passes.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        savepoint(&mut self.connection)
    }
}

impl Savepoint<'_> {
    /// Keeps what was done since, as part of the surrounding transaction or savepoint.
    ///
    /// # Errors
    /// `Config` if the transaction is over; `Server` if the server has no such savepoint any more; `Io` if the connection is lost or a
    /// time-out passes.
    pub fn release(self) -> Result<()> {
        self.connection.run(transaction::release(self.depth)).map(drop)
    }

    /// Undoes what was done since.
    ///
    /// # Errors
    /// `Io` if the connection is lost or a time-out passes. The server then rolls back by itself.
    pub fn rollback(self) -> Result<()> {
        self.connection.session_mut().abandon(self.depth);
        self.connection.settle()
    }

    /// Sets a savepoint inside this one.
    ///
    /// # Errors
    /// `Config` if the transaction is over; `Io` if the connection is lost or a time-out passes.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        savepoint(self.connection)
    }
}

fn savepoint(connection: &mut Connection) -> Result<Savepoint<'_>> {
    connection.settle()?;
    let depth = connection.run(transaction::savepoint(connection.session()))?;
    Ok(Savepoint { connection, depth })
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        self.connection.abandon(1);
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        self.connection.abandon(self.depth);
    }
}

are_connections!(Transaction, Savepoint);
