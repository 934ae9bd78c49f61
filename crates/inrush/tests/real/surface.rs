//! What a pool can do without a connection in hand, functions over whatever runs statements, and values of more types.

use crate::cases::{Route, Shell, in_cases};
use crate::twins::with_twin;
use inrush::{Executor, FromRow, Outcome, OwnedRow, Plus, Pool, Result, TransactionOptions, blocking, params};
use inrush_testkit::servers;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;

async fn add(db: &mut impl Executor, id: u32, name: &str) -> Result<Outcome> {
    db.execute("INSERT INTO t (id, name) VALUES (?, ?)", (id, name)).await
}

fn add_blocking(db: &mut impl blocking::Executor, id: u32, name: &str) -> Result<Outcome> {
    db.execute("INSERT INTO t (id, name) VALUES (?, ?)", (id, name))
}

/// A future that a task may run on any thread.
fn movable<F: Future + Send>(future: F) -> F {
    future
}

#[test]
fn a_pool_has_the_verbs_of_a_connection() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema("surface");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40)) ENGINE=InnoDB");
        let config = case.config().with_database(schema.name());
        let names = || schema.sql("SELECT name FROM t ORDER BY id").concat().join(" ");
        macro_rules! check {
            ($pool:ident, $add:ident $(, $wait:tt)?) => {{
                $add(&mut &$pool, 1, "Ann")$(.$wait)?.unwrap();
                let mut tx = $pool.begin()$(.$wait)?.unwrap();
                $add(&mut tx, 2, "Bob")$(.$wait)?.unwrap();
                let mut savepoint = tx.savepoint()$(.$wait)?.unwrap();
                $add(&mut savepoint, 3, "Cy")$(.$wait)?.unwrap();
                savepoint.rollback()$(.$wait)?.unwrap();
                assert_eq!(names(), "Ann");
                tx.commit()$(.$wait)?.unwrap();
                assert_eq!(names(), "Ann Bob");
                let mut tx = $pool.begin()$(.$wait)?.unwrap();
                $add(&mut tx, 4, "Dora")$(.$wait)?.unwrap();
                drop(tx);
                let mut connection = $pool.get()$(.$wait)?.unwrap();
                $add(&mut connection, 5, "Emil")$(.$wait)?.unwrap();
                drop(connection);
                assert_eq!(names(), "Ann Bob Emil");
                let statement = $pool.prepare("SELECT name FROM t WHERE id = :id")$(.$wait)?.unwrap();
                let mut rows = $pool.query_iter(&statement, params! { "id" => 2 })$(.$wait)?.unwrap();
                assert_eq!(rows.next_as::<&str>()$(.$wait)?.unwrap(), Some("Bob"));
                drop(rows);
                let id = 5;
                let mut found = String::new();
                let each = |row: inrush::Row<'_>| { found = row.get(0)?; Ok(()) };
                $pool.query_each(&statement, params! { id }, each)$(.$wait)?.unwrap();
                assert_eq!(found, "Emil");
                let by_map = BTreeMap::from([("id", 1)]);
                assert_eq!($pool.query_one::<String>(&statement, &by_map)$(.$wait)?.unwrap(), "Ann");
                assert_eq!($pool.query_result_sets("SELECT 1", ())$(.$wait)?.unwrap()[0].len(), 1);
                assert_eq!($pool.query_arrow("SELECT id FROM t", ())$(.$wait)?.unwrap()[0].num_rows(), 3);
                $pool.ping()$(.$wait)?.unwrap();
                assert_eq!($pool.config().database(), Some(schema.name()));
                let zoned: jiff::Zoned = "2024-02-29T23:59:58+01:00[Europe/Berlin]".parse().unwrap();
                let sql = "SELECT ?, ?, ?, ?, CAST(? AS CHAR)";
                let values = (NonZeroU32::MIN, i128::from(i64::MIN), IpAddr::V4(Ipv4Addr::LOCALHOST), 'ä', &zoned);
                let back: (NonZeroU32, i128, IpAddr, char, String) = $pool.query_one(sql, values)$(.$wait)?.unwrap();
                let want = (NonZeroU32::MIN, i128::from(i64::MIN), IpAddr::V4(Ipv4Addr::LOCALHOST), 'ä');
                assert_eq!((back.0, back.1, back.2, back.3), want);
                assert!(back.4.starts_with("2024-02-29 22:59:58"), "{}", back.4);
                assert_eq!($pool.status().in_use, 0);
            }};
        }
        let config = config.with_time_zone("+00:00").unwrap();
        match case.shell {
            Shell::Blocking => {
                let pool = blocking::Pool::new(&config).unwrap();
                check!(pool, add_blocking);
            }
            Shell::Tokio => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let pool = Pool::new(&config).unwrap();
                    check!(pool, add, await);
                    movable(add(&mut pool.begin().await.unwrap(), 9, "Ida")).await.unwrap();
                });
            }
        }
    });
}

#[derive(Debug, FromRow, PartialEq)]
struct Person {
    id: u32,
    name: String,
}

/// Rows of any columns that can be kept, a struct with a column that it does not have, rows of an iterator, any error of an application.
#[test]
fn rows_and_errors_of_any_kind() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema("anykind");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40)) ENGINE=InnoDB");
        let config = case.config().with_database(schema.name()).with_time_zone("+02:00").unwrap();
        let options = TransactionOptions::new().with_boxed_error();
        let no_number =
            |text: &str| -> std::result::Result<u32, Box<dyn std::error::Error + Send + Sync>> { Ok(text.parse()?) };
        with_twin!(case, config, connection => {
            let mut bulk = connection.bulk("t", &["id", "name"]).unwrap();
            wait!(bulk.extend(["Ann", "Bob"].iter().zip(1..).map(|(name, id)| (id, *name)))).unwrap();
            assert_eq!(wait!(bulk.finish()).unwrap().n_rows, 2);

            let plus = "SELECT t.*, id * 10 tens FROM t WHERE id > ? ORDER BY id";
            let rows: Vec<Plus<Person, i64>> = wait!(connection.query(plus, (1,))).unwrap();
            assert_eq!(rows, [Plus(Person { id: 2, name: "Bob".into() }, 20)]);
            let error = wait!(connection.query::<Plus<Person, i64>>("SELECT 5 tens, id, name FROM t", ())).unwrap_err();
            assert!(error.message().contains("the last column, `name`"), "{error}");

            for (sql, is_binary) in [("SELECT name, id, TIMESTAMP '2024-02-29 12:00:00' at FROM t ORDER BY id", false), ("SELECT name, id, TIMESTAMP '2024-02-29 12:00:00' at FROM t WHERE id > ? ORDER BY id", true)] {
                let rows: Vec<OwnedRow> = match is_binary {
                    true => wait!(connection.query(sql, (0,))).unwrap(),
                    false => wait!(connection.query(sql, ())).unwrap(),
                };
                let names = std::thread::spawn(move || {
                    let at = rows[0].get::<jiff::Timestamp>("at").unwrap();
                    assert_eq!(at.to_string(), "2024-02-29T10:00:00Z");
                    assert_eq!(rows[0].columns().len(), 3);
                    assert_eq!(rows[1].to::<Person>().unwrap(), Person { id: 2, name: "Bob".into() });
                    rows.iter().map(|row| row.get::<String>(0).unwrap()).collect::<Vec<_>>()
                });
                assert_eq!(names.join().unwrap(), ["Ann", "Bob"]);
            }
        });
        match case.shell {
            Shell::Blocking => {
                let pool = blocking::Pool::new(&config).unwrap();
                let end = pool.transaction_with(&options, |tx| {
                    tx.execute("DELETE FROM t", ())?;
                    no_number("ten")
                });
                assert!(end.unwrap_err().is::<std::num::ParseIntError>());
            }
            Shell::Tokio => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let pool = Pool::new(&config).unwrap();
                    let end = pool.transaction_with(&options, async |tx| {
                        tx.execute("DELETE FROM t", ()).await?;
                        no_number("ten")
                    });
                    assert!(end.await.unwrap_err().is::<std::num::ParseIntError>());
                });
            }
        }
        assert_eq!(schema.sql("SELECT COUNT(*) FROM t")[0][0], "2");
    });
}
