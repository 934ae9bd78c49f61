//! Results that own their connection: read elsewhere than where they were asked for, and what becomes of the connection.

use crate::cases::{Shell, everywhere};
use arrow_array::RecordBatchReader;
use futures_util::TryStreamExt as _;
use inrush::{ArrowOptions, Kind, PoolOptions, Result, blocking};
use inrush_testkit::patience::{patience, until};
use std::thread;

/// Three rows, and a value that is no whole number in the second.
const SQL: &str = "SELECT 1 id, '10' text UNION ALL SELECT 2, 'x' UNION ALL SELECT 3, '30'";

type Numbers = Vec<std::result::Result<(u32, u32), String>>;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

#[test]
fn rows_travel_and_a_misfit_ends_nothing() {
    everywhere(|case| {
        let said = |row: Result<(u32, u32)>| row.map_err(|error| error.to_string());
        let config = case.config();
        let (seen, alive): (Numbers, u32) = match case.shell {
            Shell::Blocking => {
                let connection = blocking::Connection::connect(&config).unwrap();
                let rows = blocking::ResultRows::open(connection, SQL, ()).unwrap();
                let seen = thread::spawn(move || rows.into_iter_as().map(said).collect()).join().unwrap();
                let connection = blocking::Connection::connect(&config).unwrap();
                let mut rows = blocking::ResultRows::open(connection, SQL, ()).unwrap();
                assert_eq!(rows.next_as::<(u32, &str)>().unwrap(), Some((1, "10")));
                (seen, rows.into_connection().query_one::<(u32,)>("SELECT 7", ()).unwrap().0)
            }
            Shell::Tokio => runtime().block_on(async {
                let connection = inrush::Connection::connect(&config).await.unwrap();
                let rows = inrush::ResultRows::open(connection, SQL, ()).await.unwrap();
                let seen = tokio::spawn(async move {
                    let (mut seen, mut rows) = (Vec::new(), rows.into_stream());
                    loop {
                        match rows.try_next().await {
                            Ok(None) => return seen,
                            Ok(Some(row)) => seen.push(Ok(row)),
                            Err(error) => seen.push(said(Err(error))),
                        }
                    }
                });
                let connection = inrush::Connection::connect(&config).await.unwrap();
                let mut rows = inrush::ResultRows::open(connection, SQL, ()).await.unwrap();
                assert_eq!(rows.next_as::<(u32, &str)>().await.unwrap(), Some((1, "10")));
                let mut connection = rows.into_connection();
                (seen.await.unwrap(), connection.query_one::<(u32,)>("SELECT 7", ()).await.unwrap().0)
            }),
        };
        assert_eq!((&seen[0], &seen[2], seen.len(), alive), (&Ok((1, 10)), &Ok((3, 30)), 3, 7));
        assert!(seen[1].as_ref().unwrap_err().contains("`x`"), "{:?}", seen[1]);
    });
}

/// A pool of one connection: whoever gets it finds it usable, whether the results were read, left half-way or refused.
#[test]
fn a_pool_gets_its_connection_back() {
    everywhere(|case| {
        let config = case.config().with_pool(PoolOptions::default().with_max(1));
        let ids = |ids: Vec<u32>| assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
        match case.shell {
            Shell::Blocking => {
                let pool = blocking::Pool::new(&config).unwrap();
                let mut seen = vec![pool.get().unwrap().connection_id()];
                let rows = blocking::ResultRows::open(pool.get().unwrap(), SQL, ()).unwrap();
                assert_eq!(rows.into_iter_as::<(u32, String)>().count(), 3);
                seen.push(pool.get().unwrap().connection_id());
                let mut rows = blocking::ResultRows::open(pool.get().unwrap(), SQL, ()).unwrap();
                assert!(rows.next_row().unwrap().is_some());
                drop(rows);
                seen.push(pool.get().unwrap().query_one::<(u32,)>("SELECT CONNECTION_ID()", ()).unwrap().0);
                let refused = blocking::ResultRows::open(pool.get().unwrap(), "SELEC 1", ());
                assert_eq!(refused.unwrap_err().code(), 1064);
                seen.push(pool.get().unwrap().connection_id());
                ids(seen);
            }
            Shell::Tokio => runtime().block_on(async {
                let pool = inrush::Pool::new(&config).unwrap();
                let mut seen = vec![pool.get().await.unwrap().connection_id()];
                let rows = inrush::ResultRows::open(pool.get().await.unwrap(), SQL, ()).await.unwrap();
                assert_eq!(rows.into_stream::<(u32, String)>().try_collect::<Vec<_>>().await.unwrap().len(), 3);
                seen.push(pool.get().await.unwrap().connection_id());
                let rows = inrush::ResultRows::open(pool.get().await.unwrap(), SQL, ()).await.unwrap();
                let mut rows = rows.into_stream::<(u32, String)>();
                assert_eq!(rows.try_next().await.unwrap(), Some((1, "10".to_owned())));
                drop(rows);
                let mut connection = pool.get().await.unwrap();
                seen.push(connection.query_one::<(u32,)>("SELECT CONNECTION_ID()", ()).await.unwrap().0);
                drop(connection);
                let refused = inrush::ResultRows::open(pool.get().await.unwrap(), "SELEC 1", ()).await;
                assert_eq!(refused.unwrap_err().code(), 1064);
                seen.push(pool.get().await.unwrap().connection_id());
                ids(seen);
            }),
        }
    });
}

#[test]
fn record_batches_travel() {
    everywhere(|case| {
        let config = case.config();
        let options = ArrowOptions::default().with_batch_rows(2);
        let n_rows: Vec<usize> = match case.shell {
            Shell::Blocking => {
                let connection = blocking::Connection::connect(&config).unwrap();
                let batches = blocking::ResultBatches::open(connection, SQL, (), &options).unwrap();
                let reader: Box<dyn RecordBatchReader + Send> = Box::new(batches);
                assert_eq!(reader.schema().fields().len(), 2);
                thread::spawn(move || reader.map(|batch| batch.unwrap().num_rows()).collect()).join().unwrap()
            }
            Shell::Tokio => runtime().block_on(async {
                let connection = inrush::Connection::connect(&config).await.unwrap();
                let batches = inrush::ResultBatches::open(connection, SQL, (), &options).await.unwrap();
                let stream = batches.into_stream().map_ok(|batch| batch.num_rows());
                tokio::spawn(stream.try_collect()).await.unwrap().unwrap()
            }),
        };
        assert_eq!(n_rows, [2, 1]);
    });
}

/// The error of the server is inside of the reader's, and nothing follows it.
#[test]
fn a_reader_ends_with_its_error() {
    everywhere(|case| {
        if case.shell == Shell::Tokio {
            return;
        }
        let connection = blocking::Connection::connect(case.config()).unwrap();
        let killed = connection.connection_id();
        let sql = format!("SELECT 1 n UNION ALL SELECT SLEEP({})", 2 * patience().as_secs());
        let options = ArrowOptions::default().with_batch_rows(1);
        let killer = case.config();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut killer = blocking::Connection::connect(&killer).unwrap();
                let sleeps =
                    "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE ID = ? AND STATE = 'User sleep'";
                until("the sleep", || killer.query_one::<(u32,)>(sleeps, (killed,)).unwrap().0 > 0);
                killer.execute(&format!("KILL {killed}"), ()).unwrap();
            });
            let mut reader = match blocking::ResultBatches::open(connection, &sql, (), &options) {
                Ok(reader) => reader,
                // The server was still collecting rows.
                Err(error) => return assert!(error.is_fatal(), "{error}"),
            };
            let error = reader.by_ref().find_map(std::result::Result::err).unwrap();
            let arrow_schema::ArrowError::ExternalError(inner) = &error else { panic!("{error}") };
            let inner = inner.downcast_ref::<inrush::Error>().unwrap();
            assert!(matches!(inner.kind(), Kind::Server | Kind::Io) && inner.is_fatal(), "{inner}");
            assert!(reader.next().is_none());
        });
    });
}
