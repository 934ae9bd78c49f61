//! An inserter of either twin, and crowds of callers: threads for the one, tasks for the other.

use crate::cases::{Case, Shell};
use inrush::{Config, Inserted, Inserter, InserterOptions, InserterStatus, Params, Pool, PoolStatus, Result, blocking};
use std::sync::Arc;
use std::thread;
use tokio::runtime::Runtime;

/// An inserter of either twin, and its pool.
pub(crate) enum TwinInserter {
    Blocking(blocking::Inserter, blocking::Pool),
    Tokio(Inserter, Pool, Arc<Runtime>),
}

/// How many callers.
#[derive(Clone, Copy)]
pub(crate) enum Who {
    Few,
    Many,
    Thousands,
}

/// What became of the row of each number.
pub(crate) type Ends = Vec<(i64, Result<Inserted>)>;

impl TwinInserter {
    pub(crate) fn new(case: &Case, config: &Config, table: &str, options: InserterOptions) -> Self {
        match case.shell {
            Shell::Blocking => {
                let pool = blocking::Pool::new(config).unwrap();
                Self::Blocking(pool.inserter_with(table, &options).unwrap(), pool)
            }
            Shell::Tokio => {
                let runtime =
                    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
                let (inserter, pool) = runtime.block_on(async {
                    let pool = Pool::new(config).unwrap();
                    (pool.inserter_with(table, &options).unwrap(), pool)
                });
                Self::Tokio(inserter, pool, Arc::new(runtime))
            }
        }
    }

    pub(crate) fn insert(&self, row: impl Params + Send + Sync) -> Result<Inserted> {
        match self {
            Self::Blocking(inserter, _) => inserter.insert(row),
            Self::Tokio(inserter, _, runtime) => runtime.block_on(inserter.insert(row)),
        }
    }

    pub(crate) fn insert_many<P: Params + Sync>(&self, rows: impl IntoIterator<Item = P>) -> Vec<Result<Inserted>> {
        match self {
            Self::Blocking(inserter, _) => inserter.insert_many(rows),
            Self::Tokio(inserter, _, runtime) => runtime.block_on(inserter.insert_many(rows)),
        }
    }

    pub(crate) fn flush(&self) -> Result<()> {
        match self {
            Self::Blocking(inserter, _) => inserter.flush(),
            Self::Tokio(inserter, _, runtime) => runtime.block_on(inserter.flush()),
        }
    }

    pub(crate) fn close(&self) -> Result<()> {
        match self {
            Self::Blocking(inserter, _) => inserter.close(),
            Self::Tokio(inserter, _, runtime) => runtime.block_on(inserter.close()),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Blocking(inserter, _) => inserter.is_closed(),
            Self::Tokio(inserter, ..) => inserter.is_closed(),
        }
    }

    pub(crate) fn status(&self) -> InserterStatus {
        match self {
            Self::Blocking(inserter, _) => inserter.status(),
            Self::Tokio(inserter, ..) => inserter.status(),
        }
    }

    pub(crate) fn pool_status(&self) -> PoolStatus {
        match self {
            Self::Blocking(_, pool) => pool.status(),
            Self::Tokio(_, pool, _) => pool.status(),
        }
    }

    pub(crate) fn close_pool(&self) {
        match self {
            Self::Blocking(_, pool) => pool.close(),
            Self::Tokio(_, pool, _) => pool.close(),
        }
    }

    /// Each of many callers brings `n_rows` rows, one after the other; all numbers differ.
    pub(crate) fn crowd<P: Params + Send + Sync + 'static>(
        &self,
        who: Who,
        n_rows: i64,
        row: impl Fn(i64) -> P + Send + Sync + 'static,
    ) -> Ends {
        let row = Arc::new(row);
        match self {
            Self::Blocking(inserter, _) => {
                let callers: Vec<_> = (0..who.n_threads())
                    .map(|caller| {
                        let (inserter, row) = (inserter.clone(), Arc::clone(&row));
                        thread::spawn(move || {
                            numbers(caller, n_rows).map(|n| (n, inserter.insert(row(n)))).collect::<Vec<_>>()
                        })
                    })
                    .collect();
                callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
            }
            Self::Tokio(inserter, _, runtime) => runtime.block_on(async {
                let callers: Vec<_> = (0..who.n_tasks())
                    .map(|caller| {
                        let (inserter, row) = (inserter.clone(), Arc::clone(&row));
                        tokio::spawn(async move {
                            let mut ends = Vec::new();
                            for n in numbers(caller, n_rows) {
                                ends.push((n, inserter.insert(row(n)).await));
                            }
                            ends
                        })
                    })
                    .collect();
                let mut ends = Vec::new();
                for caller in callers {
                    ends.extend(caller.await.unwrap());
                }
                ends
            }),
        }
    }
}

impl Who {
    fn n_threads(self) -> i64 {
        match self {
            Self::Few => 4,
            Self::Many | Self::Thousands => 48,
        }
    }

    fn n_tasks(self) -> i64 {
        match self {
            Self::Few => 4,
            Self::Many => 200,
            Self::Thousands => 4096,
        }
    }
}

fn numbers(caller: i64, n_rows: i64) -> impl Iterator<Item = i64> {
    caller * n_rows..(caller + 1) * n_rows
}
