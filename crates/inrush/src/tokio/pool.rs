//! A pool for tasks: how they wait, open, check, and the maintenance task.

use super::Connection;
use super::maintenance::Maintenance;
use super::shell::{sleep_until, wait_until};
use crate::Result;
use crate::config::IntoConfig;
use crate::pool::ledger::Check;
use crate::pool::shared::{Next, Shared, patience};
use crate::pool::{PoolStatus, Pooled};
use crate::trace::Trace;
use crate::transact::Lines;
use crate::waiter::Waiter;
use inrush_core::session::{Clean, simple};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A connection from a [`Pool`].
pub type PooledConnection = Pooled<Connection>;

/// Connections for many tasks, the async twin of [`crate::blocking::Pool`]. Cheap to clone; all clones are the same pool.
///
/// A connection belongs to the runtime in which it was opened: use a pool within one runtime.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inrush::Result<()> {
/// # let shop = inrush_testkit::shop::open();
/// let url = "mysql://app@localhost/shop?pool-max=20&pool-min=2";
/// # let url = &shop.at(url);
/// let pool = inrush::Pool::new(url)?;
/// let mut connection = pool.get().await?;
/// connection.execute("UPDATE visits SET n = n + 1", ()).await?;
/// # let status = pool.status();
/// # assert_eq!((status.in_use, status.min, status.max), (1, 2, 20));
/// # assert_eq!(shop.ask("SELECT n FROM visits"), ["1"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Pool {
    pub(super) shared: Arc<Shared<Connection>>,
    maintenance: Arc<Maintenance>,
    pub(super) lines: Arc<Lines>,
}

impl Pool {
    /// A pool by the options of `config` ([`Config::with_pool`](crate::Config::with_pool)). Waits for nothing: connections are opened when they are needed,
    /// or in the background if some are to be kept (from the first [`Pool::get`] on, if it is made outside of a runtime).
    ///
    /// # Errors
    /// `Config` for a configuration that is invalid.
    pub fn new(config: impl IntoConfig) -> Result<Self> {
        let config = &config.into_config()?;
        let maintenance = Arc::new(Maintenance::default());
        let bell = Arc::clone(&maintenance);
        let shared = Shared::new(config, move || bell.ring())?;
        maintenance.start(&shared)?;
        Ok(Self { shared, maintenance, lines: Lines::new() })
    }

    /// Gets a connection: an idle one, a new one if there may be more, or the next that comes back.
    ///
    /// If the future is dropped before it is ready, it leaves nothing in the pool: no place in the queue, and no connection.
    ///
    /// # Errors
    /// [`Reason::PoolExhausted`](crate::Reason::PoolExhausted) and [`Reason::PoolTimedOut`](crate::Reason::PoolTimedOut) after
    /// [`PoolOptions::with_acquire_timeout`](crate::PoolOptions::with_acquire_timeout); [`Reason::PoolClosed`](crate::Reason::PoolClosed);
    /// those of [`Connection::connect`] if a new one cannot be opened.
    pub async fn get(&self) -> Result<PooledConnection> {
        self.get_by(None).await
    }

    /// The same, with this deadline.
    pub(super) async fn get_by(&self, limit: Option<Instant>) -> Result<PooledConnection> {
        Trace::acquire(&self.shared.config).follow(self.acquire(limit)).await
    }

    async fn acquire(&self, limit: Option<Instant>) -> Result<PooledConnection> {
        let asked = Instant::now();
        self.maintenance.start(&self.shared)?;
        let deadline = [self.shared.deadline(asked), limit].into_iter().flatten().min();
        let mut next = self.shared.take(asked)?;
        let mut refused = None;
        loop {
            next = match next {
                Next::Prepare(mut lent, cleaning, check) => match prepare(&mut lent, cleaning, check, deadline).await {
                    Ok(()) => {
                        lent.begin_use(asked);
                        return Ok(lent);
                    }
                    Err(_) => Next::Open(lent.replace()),
                },
                Next::Open(opening) => {
                    if let Some(at) = opening.not_before {
                        sleep_until(deadline.map_or(at, |deadline| deadline.min(at))).await;
                    }
                    if deadline.is_some_and(|at| Instant::now() >= at) {
                        return Err(self.shared.timed_out(asked, refused.as_ref()));
                    }
                    let began = Instant::now();
                    match Box::pin(Connection::for_pool(opening.config(), deadline)).await {
                        Ok(connection) => {
                            let mut lent = opening.opened(connection, began);
                            lent.begin_use(asked);
                            return Ok(lent);
                        }
                        Err(error) => opening.not_opened(error, &mut refused, asked, deadline)?,
                    }
                }
                Next::Wait(waiting) => match wait_until(&waiting.waiter, waiting.until(deadline)).await {
                    Some(acquired) => waiting.served(acquired)?,
                    None => waiting.not_served(asked, deadline, refused.as_ref())?,
                },
            };
        }
    }

    /// How long to wait for a connection.
    pub(super) fn acquire_timeout(&self) -> Option<Duration> {
        self.shared.options().acquire_timeout
    }

    /// The number of connections in each state.
    pub fn status(&self) -> PoolStatus {
        self.shared.status()
    }

    /// Closes idle connections, lends nothing any more, and releases the callers that wait; connections in use are closed when they come
    /// back. Does not wait.
    pub fn close(&self) {
        self.shared.close();
    }

    /// Closes it, and waits until all connections have come back, at most for `limit`. Returns whether they have.
    pub async fn close_and_wait(&self, limit: Duration) -> bool {
        let waiter = Arc::new(Waiter::new());
        self.shared.close_and_tell(&waiter);
        wait_until(&waiter, Instant::now().checked_add(limit)).await.is_some()
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("config", &self.shared.config).field("status", &self.status()).finish()
    }
}

/// Finishes a clean-up and makes sure that the connection is alive.
async fn prepare(
    lent: &mut Connection,
    cleaning: Option<Box<Clean>>,
    check: Check,
    deadline: Option<Instant>,
) -> Result<()> {
    match cleaning {
        Some(mut clean) => lent.finish(&mut *clean, patience(deadline)).await,
        None if check.needs_ping(|| lent.is_quiet()) => {
            lent.run_until(&mut simple::ping(), patience(deadline)).await.map(drop)
        }
        None => Ok(()),
    }
}
