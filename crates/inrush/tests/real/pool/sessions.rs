//! As what the next user finds a session, whatever the last one did with it.

use super::twin::{TwinLent, TwinPool};
use super::{on_all, one, options};
use crate::cases::Case;
use inrush::{Config, ResetPolicy};
use inrush_testkit::patience::until;

/// What `leave` does must not be seen by `look`, which gives `want` in a fresh session.
#[track_caller]
fn check_clean(case: &Case, config: &Config, leave: &[&str], look: &str, stays: bool) {
    let pool = TwinPool::new(case, config);
    let mut lent = pool.get();
    let (id, want) = (lent.id(), lent.ask(look));
    for sql in leave {
        lent.query(sql);
    }
    drop(lent);
    let mut lent = pool.get();
    assert_eq!(lent.ask(look), want, "{leave:?}");
    // Nothing was thrown away that could be cleaned.
    assert_eq!(lent.id() == id, stays, "{leave:?}");
    drop(lent);
    // And a second time, with a session that was cleaned once.
    let mut lent = pool.get();
    for sql in leave {
        lent.query(sql);
    }
    drop(lent);
    assert_eq!(pool.get().ask(look), want, "{leave:?}, the second time");
}

/// What a session can be left with, and the question whose answer shows it.
const LEFT_BEHIND: &[(&[&str], &str)] = &[
    (&["SET @x = 1"], "SELECT @x IS NULL"),
    (&["SELECT @x := 1"], "SELECT @x IS NULL"),
    (&["SELECT 1 INTO @x"], "SELECT @x IS NULL"),
    (&["SET SESSION sort_buffer_size = 100000"], "SELECT @@session.sort_buffer_size"),
    (&["SET sql_mode = ''"], "SELECT @@sql_mode"),
    (&["SET time_zone = '+03:00'"], "SELECT @@time_zone"),
    (&["SET NAMES latin1"], "SELECT @@character_set_client"),
    (&["SET autocommit = 0"], "SELECT @@autocommit"),
    (&["SET SESSION TRANSACTION READ ONLY"], "SELECT @@session.{read_only}"),
    (&["SELECT GET_LOCK('inrush pool', 5)", "DO 1"], "SELECT IS_USED_LOCK('inrush pool') IS NULL"),
    (&["PREPARE s FROM 'SELECT 1'"], "SELECT 1"),
];

#[test]
fn the_next_user_finds_a_clean_session() {
    on_all(|case| {
        let read_only = match case.server.name.as_str() {
            "mariadb-10.11" => "tx_read_only",
            _ => "transaction_read_only",
        };
        for (leave, look) in LEFT_BEHIND {
            check_clean(case, &one(case), leave, &look.replace("{read_only}", read_only), true);
        }
    });
}

#[test]
fn temporary_tables_are_gone() {
    on_all(|case| {
        let schema = case.server.schema("pooltemporary");
        let pool = TwinPool::new(case, &one(case).with_database(schema.name()));
        for create in ["CREATE TEMPORARY TABLE t (a INT)", "CREATE TEMPORARY TABLE t SELECT 1 AS a"] {
            pool.get().query(create);
            assert_eq!(pool.get().try_query("SELECT * FROM t").unwrap_err().code(), 1146, "{create}");
        }
    });
}

#[test]
fn an_open_transaction_is_rolled_back_at_once() {
    on_all(|case| {
        let schema = case.server.schema("pooltransaction");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB; INSERT INTO t VALUES (1)");
        for reset in [ResetPolicy::WhenChanged, ResetPolicy::Always, ResetPolicy::Never] {
            let config = case.config().with_database(schema.name());
            let pool = TwinPool::new(case, &config.with_pool(options().with_max(1).with_reset(reset)));
            for begin in ["BEGIN", "XA START 'pool'"] {
                if begin != "BEGIN" && reset == ResetPolicy::Never {
                    continue;
                }
                let mut lent = pool.get();
                lent.query(begin);
                lent.query("UPDATE t SET id = 2");
                let id = lent.id();
                drop(lent);
                // Nobody has asked for the connection yet, and the row is free.
                schema.sql("SET innodb_lock_wait_timeout = 60; UPDATE t SET id = id + 0");
                assert_eq!(pool.get().ask("SELECT id FROM t"), "1");
                assert_eq!(pool.get().id() == id, begin == "BEGIN" || reset != ResetPolicy::Never);
            }
        }
    });
}

#[test]
fn locks_are_let_go_at_once() {
    on_all(|case| {
        let schema = case.server.schema("poollocks");
        schema.sql("CREATE TABLE t (id INT)");
        let pool = TwinPool::new(case, &one(case).with_database(schema.name()));
        pool.get().query("LOCK TABLES t WRITE");
        schema.sql("SET lock_wait_timeout = 60; INSERT INTO t VALUES (1)");
        let name = format!("'{}'", schema.name());
        pool.get().query(&format!("SELECT GET_LOCK({name}, 1)"));
        assert_eq!(schema.sql(&format!("SELECT GET_LOCK({name}, 60)")), [["1"]]);
        assert_eq!(pool.get().ask("SELECT COUNT(*) FROM t"), "1");
    });
}

#[test]
fn the_default_schema_is_the_pools() {
    on_all(|case| {
        let (home, other) = (case.server.schema("poolhome"), case.server.schema("poolother"));
        let leave = format!("USE {}", other.name());
        check_clean(case, &one(case).with_database(home.name()), &[&leave], "SELECT DATABASE()", true);
        check_clean(case, &one(case), &[&leave], "SELECT DATABASE() IS NULL", true);
    });
}

#[test]
fn roles_are_the_pools() {
    on_all(|case| {
        // As unique as a schema's name, and no longer: MySQL's names of roles have at most 32 characters.
        let role = case.server.schema("role").name().to_owned();
        case.server.sql(&format!("CREATE ROLE {role}; GRANT {role} TO CURRENT_USER()"));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let leave = format!("SET ROLE {role}");
            check_clean(case, &one(case), &[&leave], "SELECT COALESCE(CURRENT_ROLE(), 'NONE')", false);
        }));
        case.server.sql(&format!("DROP ROLE {role}"));
        result.unwrap();
    });
}

#[test]
fn another_account_is_left_again() {
    on_all(|case| {
        let pool = TwinPool::new(case, &one(case));
        let mut lent = pool.get();
        let want = lent.ask("SELECT CURRENT_USER()");
        let root = case.config().with_user("root").with_password(&case.server.root_password);
        match &mut lent {
            TwinLent::Blocking(lent) => lent.change_user(&root).unwrap(),
            TwinLent::Tokio(lent, runtime) => runtime.block_on(lent.change_user(&root)).unwrap(),
        }
        assert_ne!(lent.ask("SELECT CURRENT_USER()"), want);
        drop(lent);
        assert_eq!(pool.get().ask("SELECT CURRENT_USER()"), want);
    });
}

#[test]
fn a_procedure_that_failed_half_way_leaves_nothing() {
    on_all(|case| {
        let schema = case.server.schema("poolcall");
        let config = one(case).with_database(schema.name());
        let pool = TwinPool::new(case, &config);
        pool.get().query("CREATE PROCEDURE p() BEGIN SET @x = 1; SIGNAL SQLSTATE '45000'; END");
        let mut lent = pool.get();
        assert_eq!(lent.try_query("CALL p()").unwrap_err().code(), 1644);
        assert_eq!(lent.ask("SELECT 1"), "1");
        drop(lent);
        assert_eq!(pool.get().ask("SELECT @x IS NULL"), "1");
    });
}

/// A reset forgets it, and nothing else that these tests do: it tells whether there was one.
const MARK: &str = "SELECT LAST_INSERT_ID(123)";

#[track_caller]
fn check_reset(case: &Case, config: &Config, use_it: impl Fn(&mut TwinLent<'_>), is_reset: bool) {
    let pool = TwinPool::new(case, config);
    let mut lent = pool.get();
    use_it(&mut lent);
    lent.query(MARK);
    drop(lent);
    assert_eq!(pool.get().ask("SELECT LAST_INSERT_ID()"), if is_reset { "0" } else { "123" });
}

#[test]
fn an_unchanged_session_is_not_reset() {
    on_all(|case| {
        let schema = case.server.schema("poolunchanged");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (0)");
        let config = one(case).with_database(schema.name());
        check_reset(case, &config, |_| (), false);
        check_reset(case, &config, |lent| drop(lent.query("SET @x = 1")), true);
        let uses_much = |lent: &mut TwinLent<'_>| {
            for sql in ["SELECT 1", "INSERT INTO t VALUES (1)", "BEGIN", "UPDATE t SET id = 2 WHERE id = 1", "COMMIT"] {
                lent.query(sql);
            }
            lent.try_query("INSERT INTO t VALUES (2)").unwrap_err();
            lent.query("DELETE FROM t WHERE id = 2");
            lent.prepared("SELECT id FROM t WHERE id = ?");
            // A transaction left open is rolled back, not reset.
            lent.query("BEGIN");
        };
        check_reset(case, &config, uses_much, false);
    });
}

#[test]
fn one_that_knows_no_reports_is_reset_each_time() {
    on_all(|case| {
        let config = case.config().with_pool(options().with_max(1).with_reset(ResetPolicy::Always));
        check_reset(case, &config, |_| (), true);
    });
}

#[test]
fn a_guard_that_was_dropped_is_rolled_back() {
    on_all(|case| {
        let schema = case.server.schema("poolguard");
        schema.sql("CREATE TABLE t (id INT)");
        let pool = TwinPool::new(case, &one(case).with_database(schema.name()));
        for _ in 0..3 {
            match &mut pool.get() {
                TwinLent::Blocking(lent) => {
                    drop(lent.begin().unwrap().execute("INSERT INTO t VALUES (1)", ()).unwrap())
                }
                TwinLent::Tokio(lent, runtime) => runtime.block_on(async {
                    lent.begin().await.unwrap().execute("INSERT INTO t VALUES (1)", ()).await.unwrap();
                }),
            }
            let mut lent = pool.get();
            assert_eq!(lent.ask("SELECT COUNT(*) FROM t"), "0");
            lent.query("INSERT INTO t VALUES (2)");
            lent.query("DELETE FROM t");
        }
    });
}

#[test]
fn a_user_who_resets_by_himself_is_watched_all_the_same() {
    on_all(|case| {
        let pool = TwinPool::new(case, &one(case));
        let mut lent = pool.get();
        match &mut lent {
            TwinLent::Blocking(lent) => lent.reset().unwrap(),
            TwinLent::Tokio(lent, runtime) => runtime.block_on(lent.reset()).unwrap(),
        }
        lent.query("SET @x = 1");
        drop(lent);
        assert_eq!(pool.get().ask("SELECT @x IS NULL"), "1");
    });
}

#[test]
fn results_that_were_broken_off_are_nobodys_concern() {
    on_all(|case| {
        let pool = TwinPool::new(case, &one(case));
        for n_rows in [3, 1_000_000] {
            let sql = format!(
                "SELECT a.n, REPEAT('x', 100) FROM (WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s \
                 WHERE n < 1000) SELECT n FROM s) a, (WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s \
                 WHERE n < 1000) SELECT n FROM s) b LIMIT {n_rows}"
            );
            match &mut pool.get() {
                TwinLent::Blocking(lent) => drop(lent.query_iter(&sql, ()).unwrap().next_row().unwrap()),
                TwinLent::Tokio(lent, runtime) => runtime.block_on(async {
                    lent.query_iter(&sql, ()).await.unwrap().next_row().await.unwrap();
                }),
            }
            assert_eq!(pool.get().ask("SELECT 42"), "42");
        }
    });
}

/// A fact to warn of, not a wish: no text and no report shows it.
#[test]
fn what_a_function_alone_locks_is_not_noticed() {
    on_all(|case| {
        let schema = case.server.schema("poolfunction");
        let lock = schema.name();
        schema.sql(&format!("CREATE FUNCTION f() RETURNS INT DETERMINISTIC NO SQL RETURN GET_LOCK('{lock}', 0)"));
        let is_free = format!("SELECT IS_FREE_LOCK('{lock}')");
        for (reset, want) in [(ResetPolicy::WhenChanged, "0"), (ResetPolicy::Always, "1")] {
            let config = case.config().with_database(schema.name());
            let pool = TwinPool::new(case, &config.with_pool(options().with_max(1).with_reset(reset)));
            pool.get().query("SELECT f()");
            assert_eq!(pool.get().ask(&is_free), want, "{reset:?}");
            drop(pool);
            // The server releases it when it notices that the connection is closed.
            until("the lock is free", || schema.sql(&is_free) == [["1"]]);
        }
    });
}
