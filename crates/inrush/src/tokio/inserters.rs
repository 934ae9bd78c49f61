//! The inserters of many tables, written by the same few tasks.

use super::shell::wait;
use super::{Inserter, Pool};
use crate::Result;
use crate::inserter::shared::Shared;
use crate::inserter::tables::{self, Tables};
use crate::inserter::workers::Workers;
use crate::inserter::{InserterOptions, InserterStatus, MAX_SPARE_BYTES_OF_MANY};
use std::fmt;
use std::sync::Arc;

/// The inserters of many tables, which share a few tasks and connections: thousands of tables take no more of them than one. Cheap to
/// clone; all clones are the same.
///
/// The tables take turns: one whose batch is written comes after all others that have rows. A batch holds rows of one table. While a batch
/// waits for a lock, it keeps its connection: tables that are locked for long hold up the others once there are as many of them as lanes.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inrush::Result<()> {
/// # let shop = inrush_testkit::shop::open();
/// # shop.ask("CREATE TABLE visits_1 (page VARCHAR(40)); CREATE TABLE visits_2 (page VARCHAR(40))");
/// let pool = inrush::Pool::new(&shop.url())?;
/// let inserters = pool.inserters_with(&inrush::InserterOptions::new().with_lanes(4))?;
/// for (customer, page) in [(1, "/"), (2, "/"), (1, "/help")] {
///     inserters.table(&format!("visits_{customer}"))?.insert((page,)).await?;
/// }
/// inserters.close().await?;
/// # assert_eq!(inserters.status().stored, 3);
/// # assert_eq!(shop.ask("SELECT COUNT(*) FROM visits_1"), ["2"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Inserters(Arc<Owner>);

/// What all clones have in common. The tasks end with it and with the last of its inserters.
struct Owner {
    tables: Tables<Inserter>,
    workers: Arc<Workers>,
    pool: Pool,
}

impl Pool {
    /// Inserters for many tables, written by two tasks together.
    ///
    /// # Errors
    /// `Config` outside of a runtime.
    pub fn inserters(&self) -> Result<Inserters> {
        self.inserters_with(&InserterOptions::new())
    }

    /// The same with options for all these inserters. [`with_lanes`](InserterOptions::with_lanes) sets how many batches are written at the
    /// same time, of all tables together.
    ///
    /// # Errors
    /// The same, and `Config` for options that make no sense.
    pub fn inserters_with(&self, options: &InserterOptions) -> Result<Inserters> {
        options.check()?;
        let workers = self.workers(options.lanes)?;
        Ok(Inserters(Arc::new(Owner { tables: Tables::new(options), workers, pool: self.clone() })))
    }
}

impl Inserters {
    /// The inserter of a table, `name` or `schema.name`; for each name there is one. Does not wait: the table is read when the first
    /// row comes.
    ///
    /// # Errors
    /// `Config` for an invalid name; `Interrupted` once they are closed.
    pub fn table(&self, table: &str) -> Result<Inserter> {
        let Owner { tables, workers, pool } = &*self.0;
        tables.get(table, |options| {
            let shared = Shared::new(table, options.clone(), rand::random(), MAX_SPARE_BYTES_OF_MANY)?;
            workers.add(&shared)?;
            Ok(Inserter::new(shared, pool, None))
        })
    }

    /// Removes the inserter of a table that gets no more rows, and returns it. Its last clone closes it; queued rows are written.
    pub fn remove(&self, table: &str) -> Option<Inserter> {
        self.0.tables.remove(table)
    }

    /// Waits until every row that was brought before, of any table, has its answer.
    ///
    /// # Errors
    /// Rows that were not stored and whose callers had gone without this error. Each is reported once; of several tables, the first table's.
    pub async fn flush(&self) -> Result<()> {
        let all = self.0.tables.all();
        let waiters: Vec<_> = all.iter().map(|inserter| inserter.shared().flush()).collect();
        for waiter in waiters {
            wait(&waiter).await;
        }
        tables::heard(all.iter().map(Inserter::shared))
    }

    /// Takes no more rows and no more tables, writes the queued rows, and waits for that. This applies to all clones.
    ///
    /// # Errors
    /// Those of [`flush`](Inserters::flush).
    pub async fn close(&self) -> Result<()> {
        self.0.workers.close();
        let all = self.0.tables.all();
        let waiters: Vec<_> = all.iter().map(|inserter| inserter.shared().close_and_tell()).collect();
        for waiter in waiters {
            wait(&waiter).await;
        }
        if let Some(end) = self.0.workers.wait_for_end() {
            wait(&end).await;
        }
        tables::heard(all.iter().map(Inserter::shared))
    }

    /// The rows that wait, and what became of the rows so far, of all tables that are not [removed](Inserters::remove).
    pub fn status(&self) -> InserterStatus {
        tables::sum(self.0.tables.all().iter().map(Inserter::status))
    }
}

impl fmt::Debug for Inserters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inserters").field("status", &self.status()).finish_non_exhaustive()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.workers.close();
    }
}
