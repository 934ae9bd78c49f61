//! A pool of either twin, and what it lends.

use crate::cases::{Case, Shell, texts};
use inrush::sans_io::session::ResultSet;
use inrush::{Config, Pool, PoolStatus, PooledConnection, Result, blocking};
use inrush_testkit::patience::{Wait, until_some};
use std::time::Duration;
use tokio::runtime::Runtime;

/// A pool of either twin.
pub(super) enum TwinPool {
    Blocking(blocking::Pool),
    Tokio(Pool, Runtime),
}

/// A connection of either.
pub(super) enum TwinLent<'a> {
    Blocking(blocking::PooledConnection),
    Tokio(PooledConnection, &'a Runtime),
}

impl TwinPool {
    pub(super) fn new(case: &Case, config: &Config) -> Self {
        match case.shell {
            Shell::Blocking => Self::Blocking(blocking::Pool::new(config).unwrap()),
            Shell::Tokio => {
                // Its own thread, so that the housekeeper runs while the test does something else.
                let runtime =
                    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
                let pool = runtime.block_on(async { Pool::new(config).unwrap() });
                Self::Tokio(pool, runtime)
            }
        }
    }

    pub(super) fn try_get(&self) -> Result<TwinLent<'_>> {
        match self {
            Self::Blocking(pool) => pool.get().map(TwinLent::Blocking),
            Self::Tokio(pool, runtime) => runtime.block_on(pool.get()).map(|lent| TwinLent::Tokio(lent, runtime)),
        }
    }

    #[track_caller]
    pub(super) fn get(&self) -> TwinLent<'_> {
        self.try_get().unwrap()
    }

    /// The same with an acquire time-out that is short for another reason: a busy server gets as many attempts as it needs.
    #[track_caller]
    pub(super) fn get_at_last(&self) -> TwinLent<'_> {
        until_some("a connection", || match self.try_get() {
            Err(error) if error.is_timeout() => None,
            lent => Some(lent.unwrap()),
        })
    }

    pub(super) fn status(&self) -> PoolStatus {
        match self {
            Self::Blocking(pool) => pool.status(),
            Self::Tokio(pool, _) => pool.status(),
        }
    }

    pub(super) fn close(&self) {
        match self {
            Self::Blocking(pool) => pool.close(),
            Self::Tokio(pool, _) => pool.close(),
        }
    }

    pub(super) fn close_and_wait(&self, limit: Duration) -> bool {
        match self {
            Self::Blocking(pool) => pool.close_and_wait(limit),
            Self::Tokio(pool, runtime) => runtime.block_on(pool.close_and_wait(limit)),
        }
    }

    /// Waits until the status is as wanted.
    #[track_caller]
    pub(super) fn until(&self, want: impl Fn(PoolStatus) -> bool) {
        let wait = Wait::begin();
        while !want(self.status()) {
            wait.pause(format_args!("another status than {:?}", self.status()));
        }
    }
}

impl TwinLent<'_> {
    pub(super) fn try_query(&mut self, sql: &str) -> Result<Vec<ResultSet>> {
        match self {
            Self::Blocking(lent) => lent.query_result_sets(sql, ()),
            Self::Tokio(lent, runtime) => runtime.block_on(lent.query_result_sets(sql, ())),
        }
    }

    #[track_caller]
    pub(super) fn query(&mut self, sql: &str) -> Vec<Vec<String>> {
        let results = self.try_query(sql).unwrap_or_else(|e| panic!("{sql}: {e:?}"));
        results.first().map(texts).unwrap_or_default()
    }

    /// The first value of the first row.
    #[track_caller]
    pub(super) fn ask(&mut self, sql: &str) -> String {
        self.query(sql)[0][0].clone()
    }

    /// Runs it as a prepared statement with the value 1.
    pub(super) fn prepared(&mut self, sql: &str) {
        match self {
            Self::Blocking(lent) => drop(lent.query_result_sets(sql, (1,)).unwrap()),
            Self::Tokio(lent, runtime) => drop(runtime.block_on(lent.query_result_sets(sql, (1,))).unwrap()),
        }
    }

    pub(super) fn id(&self) -> u32 {
        match self {
            Self::Blocking(lent) => lent.connection_id(),
            Self::Tokio(lent, _) => lent.connection_id(),
        }
    }
}
