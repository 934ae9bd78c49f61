//! Errors that a program matches on: reason, table, column and constraint of each kind of violation on each server, for both shells;
//! rows that are missing or too many; conversions; pools; which errors are fatal.

use crate::cases::{Case, Route, Shell, Twin, in_cases};
use crate::transactions::on_each_server;
use crate::twins::with_twin;
use inrush::{Config, Error, InserterOptions, Pool, PoolOptions, Reason, blocking};
use inrush_testkit::closed_port::ClosedPort;
use inrush_testkit::patience::{Wait, until_some};
use inrush_testkit::servers::{self, Schema, Vendor};
use std::net::TcpListener;
use std::time::Duration;

fn tables(case: &Case) -> Schema {
    let schema = case.server.schema("reasons");
    schema.sql(
        "CREATE TABLE p (id INT PRIMARY KEY) ENGINE=InnoDB; \
         CREATE TABLE t (id INT PRIMARY KEY, u VARCHAR(40), n INT NOT NULL, s VARCHAR(3), small TINYINT, pid INT, c INT, \
           UNIQUE KEY u_key (u), CONSTRAINT fk FOREIGN KEY (pid) REFERENCES p (id), CONSTRAINT c_pos CHECK (c > 0)) ENGINE=InnoDB; \
         INSERT INTO p VALUES (1); INSERT INTO t (id, u, n, pid) VALUES (1, 'a', 1, 1)",
    );
    schema
}

/// `table, column, constraint`, `-` for none.
fn names(error: &Error) -> String {
    [error.table(), error.column(), error.constraint()].map(|name| name.unwrap_or("-")).join(", ")
}

/// A statement, its reason, and the names on MySQL and on MariaDB.
type Line = (&'static str, Reason, &'static str, &'static str);

const VIOLATIONS: &[Line] = &[
    ("INSERT INTO t (id, n) VALUES (1, 1)", Reason::UniqueViolation, "t, -, PRIMARY", "-, -, PRIMARY"),
    ("INSERT INTO t (id, u, n) VALUES (2, 'a', 1)", Reason::UniqueViolation, "t, -, u_key", "-, -, u_key"),
    ("INSERT INTO t (id, n, pid) VALUES (2, 1, 9)", Reason::ForeignKeyViolation, "t, pid, fk", "t, pid, fk"),
    ("DELETE FROM p", Reason::ForeignKeyViolation, "t, pid, fk", "t, pid, fk"),
    ("INSERT INTO t (id, n, c) VALUES (2, 1, 0)", Reason::CheckViolation, "-, -, c_pos", "t, -, c_pos"),
    ("INSERT INTO t (id, n) VALUES (2, NULL)", Reason::NotNullViolation, "-, n, -", "-, n, -"),
    ("INSERT INTO t (id) VALUES (2)", Reason::NotNullViolation, "-, n, -", "-, n, -"),
    ("UPDATE t SET s = 'abcdef'", Reason::DataTooLong, "-, s, -", "-, s, -"),
    ("UPDATE t SET small = 300", Reason::OutOfRange, "-, small, -", "-, small, -"),
    ("SELECT * FROM nowhere", Reason::Other, "-, -, -", "-, -, -"),
];

#[test]
fn violations_have_a_reason_and_names() {
    on_each_server(|case| {
        let schema = tables(case);
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        for (sql, reason, on_mysql, on_mariadb) in VIOLATIONS {
            let want = if case.server.vendor == Vendor::Mysql { on_mysql } else { on_mariadb };
            // As text, and prepared.
            let prepared = connection.prepare(sql).and_then(|statement| connection.execute(&statement).map(drop));
            for error in [connection.execute(*sql).unwrap_err(), prepared.unwrap_err()] {
                assert_eq!(
                    (error.reason(), &*names(&error), error.is_fatal()),
                    (*reason, *want, false),
                    "{sql}: {error:?}"
                );
            }
        }
        let error = connection.execute(VIOLATIONS[0].0).unwrap_err().while_doing("signing up");
        assert_eq!((error.constraint(), error.is_unique_violation()), (Some("PRIMARY"), true), "{error:?}");
    });
}

#[test]
fn a_step_of_a_pipeline_has_them_too() {
    on_each_server(|case| {
        let schema = tables(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut pipeline = connection.pipeline();
            pipeline.query(VIOLATIONS[1].0);
            pipeline.query("SELECT 1");
            let replies = wait!(pipeline.run()).unwrap();
            let error = replies.into_iter().next().unwrap().unwrap_err();
            assert_eq!((error.reason(), error.constraint()), (Reason::UniqueViolation, Some("u_key")), "{error:?}");
        });
    });
}

#[test]
fn in_another_language_a_reason_is_the_same_and_no_name_is_wrong() {
    on_each_server(|case| {
        let schema = tables(case);
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        for language in ["de_DE", "fr_FR", "ja_JP"] {
            connection.execute(&format!("SET lc_messages = '{language}'")).unwrap();
            for (sql, reason, on_mysql, on_mariadb) in VIOLATIONS {
                let want = if case.server.vendor == Vendor::Mysql { on_mysql } else { on_mariadb };
                let error = connection.execute(*sql).unwrap_err();
                let got = names(&error);
                let right = got.split(", ").zip(want.split(", ")).all(|(got, want)| got == "-" || got == want);
                assert!(error.reason() == *reason && right, "{language}: {sql}: {got}: {error:?}");
            }
        }
    });
}

#[test]
fn a_batch_refuses_for_the_same_reasons() {
    on_each_server(|case| {
        let schema = tables(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let long = wait!(connection.execute_batch("INSERT INTO t (id, n, s) VALUES (?, ?, ?)", &[(2, 1, "abcdef")])).unwrap_err();
            assert!(long.is_data_too_long() && long.column() == Some("s") && long.row() == Some(0), "{long:?}");
            let null = wait!(connection.execute_batch("INSERT INTO t (id, n) VALUES (?, ?)", &[(2, Some(1)), (3, None)])).unwrap_err();
            assert!(null.is_not_null_violation() && null.column() == Some("n") && null.row() == Some(1), "{null:?}");
            let double = wait!(connection.execute_batch("INSERT INTO t (id, n) VALUES (?, ?)", &[(2, 1), (1, 1)])).unwrap_err();
            assert!(double.is_unique_violation() && double.constraint() == Some("PRIMARY"), "{double:?}");
        });
    });
}

#[test]
fn an_inserter_refuses_for_the_same_reasons() {
    on_each_server(|case| {
        let Shell::Blocking = case.shell else { return };
        let schema = tables(case);
        let pool = blocking::Pool::new(case.config().with_database(schema.name())).unwrap();
        let inserter = pool.inserter_with("t", &InserterOptions::new().with_columns(["id", "n", "s"])).unwrap();
        let double = inserter.insert((1, 1, None::<&str>)).unwrap_err();
        assert!(double.is_unique_violation() && double.constraint() == Some("PRIMARY"), "{double:?}");
        let long = inserter.insert((2, 1, "abcdef")).unwrap_err();
        assert!(long.is_data_too_long() && long.column() == Some("s"), "{long:?}");
    });
}

#[test]
fn rows_that_are_missing_or_too_many() {
    on_each_server(|case| {
        with_twin!(case, connection => {
            let none = "SELECT 1 FROM DUAL WHERE 1 = 0";
            let two = "SELECT 1 UNION ALL SELECT 2";
            let error = wait!(connection.query_one::<u8>(none, ())).unwrap_err();
            assert!(error.is_row_not_found() && error.reason() == Reason::RowNotFound, "{error:?}");
            for error in [wait!(connection.query_one::<u8>(two, ())), wait!(connection.query_opt::<u8>(two, ())).map(|_| 0)] {
                assert_eq!(error.unwrap_err().reason(), Reason::TooManyRows);
            }
            assert_eq!(wait!(connection.query_opt::<u8>(none, ())).unwrap(), None);
            assert_eq!(wait!(connection.query_first::<u8>(none, ())).unwrap(), None);
            assert_eq!(wait!(connection.query_first::<u8>(two, ())).unwrap(), Some(1));
            assert_eq!(wait!(connection.query_one::<u8>("SELECT ?", (7,))).unwrap(), 7);
        });
    });
}

#[test]
fn a_conversion_names_column_and_types() {
    on_each_server(|case| {
        with_twin!(case, connection => {
            let check = |error: Error, want: (&str, &str, &str)| {
                let conversion = error.conversion().unwrap();
                assert_eq!((&*conversion.column, conversion.from, conversion.to), want, "{error:?}");
                assert!(error.reason() == Reason::Conversion && error.column() == Some(want.0) && !error.is_fatal());
            };
            check(wait!(connection.query_one::<u8>("SELECT 18446744073709551615 AS n", ())).unwrap_err(), ("n", "BIGINT UNSIGNED", "u8"));
            check(wait!(connection.query_one::<(u8, String)>("SELECT 1, NULL AS name", ())).unwrap_err(), ("name", "NULL", "String"));
            check(wait!(connection.query::<f64>("SELECT 'abc' AS t", ())).unwrap_err(), ("t", "VARCHAR", "f64"));
            check(wait!(connection.query::<u8>("SELECT DATE '2020-01-02' AS d", ())).unwrap_err(), ("d", "DATE", "u8"));
        });
    });
}

fn options(wait_ms: u64) -> PoolOptions {
    PoolOptions::new().with_max(1).with_acquire_timeout(Some(Duration::from_millis(wait_ms)))
}

/// The error of a pool of either shell: `close` or ask for a second connection. A busy server gets as many attempts at the first one as
/// it needs.
fn of_pool(case: &Case, config: &Config, holds: bool, closes: bool) -> Error {
    match case.shell {
        Shell::Blocking => {
            let pool = blocking::Pool::new(config).unwrap();
            let _held = holds.then(|| until_some("a connection", || pool.get().ok()));
            if closes {
                pool.close();
            }
            pool.get().unwrap_err()
        }
        Shell::Tokio => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let pool = Pool::new(config).unwrap();
                let (wait, mut held) = (Wait::begin(), None);
                while holds && held.is_none() {
                    wait.check("a connection");
                    held = pool.get().await.ok();
                }
                if closes {
                    pool.close();
                }
                pool.get().await.unwrap_err()
            })
        }
    }
}

#[test]
fn pools_say_why_there_is_no_connection() {
    on_each_server(|case| {
        let config = case.config().with_pool(options(100));
        let exhausted = of_pool(case, &config, true, false);
        assert_eq!(
            (exhausted.reason(), exhausted.is_timeout(), exhausted.is_fatal()),
            (Reason::PoolExhausted, true, false)
        );
        let closed = of_pool(case, &config, false, true);
        assert_eq!((closed.reason(), closed.is_timeout(), closed.is_fatal()), (Reason::PoolClosed, false, false));
        // It accepts, and then says nothing.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = config.with_port(silent.local_addr().unwrap().port());
        let late = of_pool(case, &config, false, false);
        assert_eq!(
            (late.reason(), late.is_timeout(), late.is_fatal()),
            (Reason::PoolTimedOut, true, false),
            "{late:?}"
        );
    });
}

#[test]
fn only_a_dead_connection_is_fatal() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Unix], |case| {
        // Nobody is there; a password that is wrong.
        let nobody = ClosedPort::new();
        let elsewhere = case.config().with_port(nobody.number()).with_socket("/nowhere/inrush.sock");
        let wrong = case.config().with_password("wrong");
        for (config, want) in [(elsewhere, (Reason::ConnectionRefused, true)), (wrong, (Reason::AccessDenied, false))] {
            let error = Twin::connect(case.shell, &config).unwrap_err();
            assert!(!error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
            assert_eq!((error.reason(), error.is_retryable()), want, "{error:?}");
        }
        let mut connection = case.open();
        let error = connection.execute("SELECT nothing").unwrap_err();
        assert!(!error.is_fatal(), "{error:?}");
        let id = connection.session().connection_id();
        case.server.sql(&format!("KILL {id}"));
        let error = connection.execute("SELECT 1").unwrap_err();
        assert!(error.is_fatal() && error.reason() == Reason::ConnectionLost, "{error:?}");
        assert_eq!(connection.execute("SELECT 1").unwrap_err().reason(), Reason::ConnectionLost);
    });
}

#[test]
fn who_was_in_the_way_is_a_reason() {
    on_each_server(|case| {
        let schema = crate::transactions::table(case);
        let open = || case.open_with(&case.config().with_database(schema.name()));
        let (mut one, mut other) = (open(), open());
        let lock = |id: u8, how: &str| format!("SELECT v FROM t WHERE id = {id} FOR UPDATE {how}");
        one.execute("BEGIN").unwrap();
        one.execute(&lock(1, "")).unwrap();
        other.execute("SET innodb_lock_wait_timeout = 1").unwrap();
        for how in ["NOWAIT", ""] {
            let error = other.execute(&lock(1, how)).unwrap_err();
            assert_eq!(
                (error.reason(), error.is_retryable(), error.is_fatal()),
                (Reason::LockTimedOut, true, false),
                "{error:?}"
            );
        }
        other.execute("SET innodb_lock_wait_timeout = 60").unwrap();
        other.execute("BEGIN").unwrap();
        other.execute(&lock(2, "")).unwrap();
        let errors = std::thread::scope(|scope| {
            let waits = scope.spawn(move || one.execute(&lock(2, "")).err());
            [other.execute(&lock(1, "")).err(), waits.join().unwrap()]
        });
        // One of the two is rolled back, and the other one gets its row.
        let errors: Vec<_> = errors.into_iter().flatten().collect();
        assert!(
            matches!(&errors[..], [error] if error.reason() == Reason::Deadlock && error.is_retryable()),
            "{errors:?}"
        );
    });
}

#[test]
fn a_server_that_is_full_says_so() {
    on_each_server(|case| {
        let schema = case.server.schema("full");
        let user = format!("full_{}", schema.name().rsplit('_').next().unwrap());
        let make = format!(
            "CREATE USER '{user}'@'%' IDENTIFIED BY 'pass' WITH MAX_USER_CONNECTIONS 1; GRANT ALL ON `{}`.* TO '{user}'@'%'",
            schema.name()
        );
        case.server.sql(&make);
        let config = case.config().with_user(&user).with_password("pass").with_tls(inrush::TlsMode::Required);
        let _held = case.open_with(&config);
        let error = Twin::connect(case.shell, &config).unwrap_err();
        case.server.sql(&format!("DROP USER '{user}'@'%'"));
        assert_eq!(
            (error.reason(), error.is_retryable(), error.is_fatal()),
            (Reason::ServerFull, true, false),
            "{error:?}"
        );
    });
}
