//! Transactions on an async connection: the verbs, and the guards; the rollback of a dropped one is the connection's next use.

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
/// Every verb of [`Connection`] works on it. If it is dropped without [`commit`](Transaction::commit), the connection's next use rolls it
/// back, before anything else, or its return to a pool does: a drop cannot wait. Until then its locks are held; so prefer
/// [`rollback`](Transaction::rollback) where you can.
///
/// A statement that commits by itself (CREATE, ALTER, DROP, TRUNCATE, LOCK TABLES ..) ends the transaction; so may the server, at a
/// deadlock. Later statements are refused before they are sent, because each would be committed by itself. LOAD DATA LOCAL takes
/// part in a transaction like an INSERT. Tables of engines without transactions (MyISAM, Aria) keep their rows.
#[derive(Debug)]
pub struct Transaction<'c> {
    connection: Holder<'c, Connection, PooledConnection>,
}

/// A part of a transaction that can be undone by itself. If it is dropped without [`release`](Savepoint::release), the next use undoes it.
#[derive(Debug)]
pub struct Savepoint<'t> {
    connection: &'t mut Connection,
    depth: u32,
}

impl Connection {
    /// Begins a transaction. If one is open already, that is an error: the server would commit it silently.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::Connection::connect(&shop.url()).await?;
    /// let mut tx = connection.begin().await?;
    /// tx.execute("UPDATE accounts SET balance = balance - 10 WHERE id = 1", ()).await?;
    /// tx.execute("UPDATE accounts SET balance = balance + 10 WHERE id = 2", ()).await?;
    /// # assert_eq!(shop.ask("SELECT id, balance FROM accounts"), ["1 100", "2 100"]);
    /// tx.commit().await?;
    /// # assert_eq!(shop.ask("SELECT id, balance FROM accounts"), ["1 90", "2 110"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Config` if a transaction is open; `Io` if the connection is lost or a time-out passes.
    pub async fn begin(&mut self) -> Result<Transaction<'_>> {
        self.begin_with(&TransactionOptions::new()).await
    }

    /// Begins a transaction with options: isolation, read-only, snapshot. Its retries concern closures only.
    ///
    /// # Errors
    /// Those of [`begin`](Connection::begin); `Server` if the server refuses the options.
    pub async fn begin_with<E>(&mut self, options: &TransactionOptions<E>) -> Result<Transaction<'_>> {
        self.start_transaction(options).await?;
        Ok(Transaction { connection: Holder::Borrowed(self) })
    }

    /// Begins a transaction whose guard is to be made.
    pub(super) async fn start_transaction<E>(&mut self, options: &TransactionOptions<E>) -> Result<()> {
        self.settle().await?;
        if self.session().is_transaction_unsure() {
            self.ping().await?;
        }
        self.session().check_begin()?;
        let begin = transaction::Begin::new(options).in_one_flight(probe::is_clear(&self.config));
        self.run(begin).await?;
        Ok(())
    }

    /// Runs `work` in a transaction: commits if it returns a value, rolls back if it returns an error or panics. It runs once;
    /// [`transaction_with`](Connection::transaction_with) runs it again, and passes on errors of the application's own.
    ///
    /// # Errors
    /// The closure's; those of BEGIN and COMMIT. [`is_outcome_unknown`](crate::Error::is_outcome_unknown): the answer to COMMIT was lost.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::Connection::connect(&shop.url()).await?;
    /// let id = connection.transaction(async |tx| {
    ///     let order = tx.execute("INSERT INTO orders (customer) VALUES (7)", ()).await?;
    ///     tx.execute("UPDATE customers SET n_orders = n_orders + 1 WHERE id = 7", ()).await?;
    ///     order.inserted_id()
    /// }).await?;
    /// # assert_eq!(shop.ask("SELECT orders.id, n_orders FROM orders, customers"), [format!("{id} 1")]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn transaction<T>(&mut self, work: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.attempt(&TransactionOptions::new(), work).await
    }

    /// Runs `work` in a transaction with options, and again from its start after a deadlock or a similar error
    /// ([`is_retryable`](crate::Error::is_retryable)), as often as the options allow, with pauses between. It is not run again if the outcome of
    /// the COMMIT is unknown, nor if the connection was lost: [`Pool::transaction_with`](super::Pool::transaction_with) runs it over another one.
    ///
    /// A closure that may run again must not change what it borrows: it must be [`Clone`], as closures are that borrow by `&` or own clones.
    /// Counters and the like go into an atomic or a mutex.
    ///
    /// # Errors
    /// The closure's, by type: see [`TransactionOptions::with_error`]. `Config` for [`TransactionOptions::with_exactly_once`], which needs a pool.
    /// Otherwise those of [`transaction`](Connection::transaction).
    ///
    /// ```
    /// # use inrush::TransactionOptions;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::Connection::connect(&shop.url()).await?;
    /// let options = TransactionOptions::new().with_retries(5);
    /// connection.transaction_with(&options, async |tx| tx.execute("UPDATE stock SET n = n - 1 WHERE id = 3", ()).await).await?;
    /// # assert_eq!(shop.ask("SELECT n FROM stock"), ["4"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn transaction_with<T, E: From<Error>>(
        &mut self,
        options: &TransactionOptions<E>,
        work: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T, E> + Clone,
    ) -> Result<T, E> {
        if options.needs_ledger() {
            return Err(transact::needs_pool().into());
        }
        let start = Instant::now();
        for n_runs in 1.. {
            let error = match self.attempt(options, work.clone()).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let found = options.find(&error);
            match verbs::pause_before_rerun(options.retries, self.session(), found, n_runs, start) {
                Some(pause) => sleep(pause).await,
                None => return Err(error),
            }
        }
        unreachable!("the runs are counted without end")
    }

    async fn attempt<T, E: From<Error>>(
        &mut self,
        options: &TransactionOptions<E>,
        work: impl AsyncFnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let trace = Trace::transaction(&self.config, self.session());
        let work = async {
            let mut tx = self.begin_with(options).await?;
            match work(&mut tx).await {
                Ok(value) => {
                    tx.commit().await?;
                    Ok(value)
                }
                // Rolls back now, not when the guard is dropped: until then its locks would be held, through the pause too.
                Err(error) => {
                    let _ = tx.rollback().await;
                    Err(error)
                }
            }
        };
        let end = trace.along(work).await;
        trace.end(end.as_ref().err().and_then(|error| options.find(error)));
        end
    }

    /// Does what is due before the connection's next use: reads results that were not read to their end, and rolls back the transaction
    /// that a guard left open.
    pub(crate) async fn settle(&mut self) -> Result<()> {
        self.drain().await;
        while let Some(debt) = self.session().debt() {
            self.run_now(debt).await?;
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
    pub async fn commit(self) -> Result<()> {
        self.commit_in_stages().await.map_err(|(_, error)| error)
    }

    /// The same; an error has the stage that the transaction had reached.
    pub(super) async fn commit_in_stages(mut self) -> Result<(), (Stage, Error)> {
        let mut commit = transaction::Commit::default();
        let time = QueryTime::without_kill(&self.connection.config);
        self.connection.run_within(time, &mut commit).await.map_err(|e| verbs::not_committed(&commit, e))
    }

    /// Rolls back.
    ///
    /// # Errors
    /// `Io` if the connection is lost or a time-out passes. The server then rolls back by itself.
    pub async fn rollback(mut self) -> Result<()> {
        self.connection.session_mut().abandon(1);
        self.connection.settle().await
    }

    /// Sets a savepoint: a part that can be undone by itself.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::Connection::connect(&shop.url()).await?;
    /// let mut tx = connection.begin().await?;
    /// tx.execute("INSERT INTO orders (customer) VALUES (7)", ()).await?;
    /// let mut extras = tx.savepoint().await?;
    /// # extras.execute("UPDATE stock SET n = n - 1", ()).await?;
    /// match extras.execute("INSERT INTO gifts (customer) VALUES (7)", ()).await {
    ///     Ok(_) => extras.release().await?,
    ///     Err(_) => extras.rollback().await?, // the order stays
    /// }
    /// tx.commit().await?;
    /// # assert_eq!(shop.ask("SELECT orders.customer, stock.n FROM orders, stock"), ["7 5"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Config` if the transaction is over; `Io` if the connection is lost or a time-out passes.
    pub async fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        savepoint(&mut self.connection).await
    }
}

impl Savepoint<'_> {
    /// Keeps what was done since, as part of the surrounding transaction or savepoint.
    ///
    /// # Errors
    /// `Config` if the transaction is over; `Server` if the server has no such savepoint any more; `Io` if the connection is lost or a
    /// time-out passes.
    pub async fn release(self) -> Result<()> {
        self.connection.run(transaction::release(self.depth)).await.map(drop)
    }

    /// Undoes what was done since.
    ///
    /// # Errors
    /// `Io` if the connection is lost or a time-out passes. The server then rolls back by itself.
    pub async fn rollback(self) -> Result<()> {
        self.connection.session_mut().abandon(self.depth);
        self.connection.settle().await
    }

    /// Sets a savepoint inside this one.
    ///
    /// # Errors
    /// `Config` if the transaction is over; `Io` if the connection is lost or a time-out passes.
    pub async fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        savepoint(self.connection).await
    }
}

async fn savepoint(connection: &mut Connection) -> Result<Savepoint<'_>> {
    connection.settle().await?;
    let depth = connection.run(transaction::savepoint(connection.session())).await?;
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
