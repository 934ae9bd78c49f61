//! Inserters on real servers: what is acknowledged is stored, once, and nothing else, whatever happens. Faults are in [`faults`].

mod duplicates;
mod faults;
mod many_tables;
pub(crate) mod twin;

use crate::cases::{Case, Route, Shell, in_cases};
use inrush::{Config, Error, InserterOptions, PoolOptions, Result, params};
use inrush_testkit::patience::until;
use inrush_testkit::servers::{self, Schema};
use std::collections::BTreeMap;
use twin::{TwinInserter, Who};

/// All servers, both twins.
#[track_caller]
fn on_all(check: impl Fn(&Case) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], check);
}

pub(crate) fn config(case: &Case, schema: &Schema) -> Config {
    case.config().with_database(schema.name()).with_pool(PoolOptions::new().with_max(4))
}

/// A table whose rows say who wrote them: a number that comes once.
pub(crate) fn table(case: &Case) -> Schema {
    let schema = case.server.schema("inserter");
    schema.sql(
        "CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL UNIQUE, name VARCHAR(20), \
         CHECK (n <> 131313)) ENGINE=InnoDB",
    );
    schema
}

fn open(case: &Case, schema: &Schema, options: InserterOptions) -> TwinInserter {
    TwinInserter::new(case, &config(case, schema), "t", options)
}

/// The number of each row, and its id.
fn stored(schema: &Schema) -> BTreeMap<i64, u64> {
    let rows = schema.sql("SELECT n, id FROM t");
    rows.iter().map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap())).collect()
}

pub(crate) fn row(n: i64) -> (i64, String) {
    (n, format!("row {n}"))
}

#[track_caller]
fn check_all_good(ends: &[(i64, Result<inrush::Inserted>)]) {
    for (n, end) in ends {
        assert!(end.is_ok(), "{n}: {end:?}");
    }
}

/// What is stored is what was acknowledged, besides what nobody knows.
#[track_caller]
pub(crate) fn check_stored(schema: &Schema, ends: &[(i64, Result<inrush::Inserted>)]) {
    let stored = stored(schema);
    for (n, end) in ends {
        match end {
            Ok(inserted) => assert_eq!(stored.get(n), inserted.id.as_ref(), "{n}"),
            Err(error) if error.is_outcome_unknown() => {}
            Err(error) => assert!(!stored.contains_key(n), "{n} is stored, and yet: {error:?}"),
        }
    }
    let n_known = ends.iter().filter(|(_, end)| end.is_ok()).count();
    let is_unknown = |n: &i64| ends.iter().any(|(of, end)| of == n && matches!(end, Err(e) if e.is_outcome_unknown()));
    let n_others = stored.keys().filter(|n| is_unknown(n)).count();
    assert_eq!(stored.len(), n_known + n_others);
}

#[test]
fn one_caller_gets_the_id_of_his_row() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new());
        let ids: Vec<_> = (0..3).map(|n| inserter.insert(row(n)).unwrap().id.unwrap()).collect();
        assert_eq!(stored(&schema), BTreeMap::from([(0, ids[0]), (1, ids[1]), (2, ids[2])]));
        let status = inserter.status();
        assert_eq!((status.stored, status.batches, status.queued, status.in_flight), (3, 3, 0, 0));
        inserter.close().unwrap();
    });
}

#[test]
fn many_callers_share_few_batches() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new());
        let ends = inserter.crowd(Who::Many, 8, row);
        check_all_good(&ends);
        check_stored(&schema, &ends);
        let status = inserter.status();
        assert_eq!(status.stored, ends.len() as u64);
        assert!(status.batches < status.stored / 2, "{status:?}");
    });
}

#[test]
fn several_lanes_and_little_room() {
    on_all(|case| {
        let schema = table(case);
        let options = InserterOptions::new().with_lanes(3).with_batch_rows(5).with_queue_rows(10);
        let inserter = open(case, &schema, options);
        let ends = inserter.crowd(Who::Many, 4, row);
        check_all_good(&ends);
        check_stored(&schema, &ends);
        assert!(inserter.status().batches >= ends.len() as u64 / 5);
        let ends = inserter.insert_many((10_000..10_100).map(row));
        assert!(ends.iter().all(Result::is_ok) && ends.len() == 100);
    });
}

#[test]
fn a_bad_row_fails_alone() {
    on_all(|case| {
        let schema = table(case);
        schema.sql("INSERT INTO t (n) VALUES (100000), (100001)");
        let options = InserterOptions::new().with_batch_rows(50);
        let inserter = open(case, &schema, options);
        // One in ten is a duplicate, one in a hundred breaks the table's CHECK, and another one is too long, which we see ourselves.
        let ends = inserter.crowd(Who::Many, 8, |n| match n % 100 {
            13 => (131_313, String::new()),
            50 => (n, "x".repeat(21)),
            _ if n % 10 == 7 => (100_000 + n % 2, String::new()),
            _ => row(n),
        });
        for (n, end) in &ends {
            let want = match n % 100 {
                13 => "violated",
                50 => "21 characters long",
                _ if n % 10 == 7 => "Duplicate",
                _ => {
                    assert!(end.is_ok(), "{n}: {end:?}");
                    continue;
                }
            };
            let error = end.as_ref().unwrap_err();
            let text = error.to_string();
            assert!(text.contains(want) || (want == "violated" && text.contains("failed")), "{n}: {text}");
            assert_eq!((error.row(), error.is_outcome_unknown()), (None, false));
        }
        schema.sql("DELETE FROM t WHERE n >= 100000");
        check_stored(&schema, &ends);
        let status = inserter.status();
        assert_eq!((status.queued, status.in_flight, status.unknown), (0, 0, 0));
        inserter.close().unwrap();
    });
}

#[test]
fn of_two_equal_rows_one_is_stored() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new().with_lanes(1));
        let ends = inserter.insert_many([row(1), row(2), row(1), row(3)]);
        assert_eq!(ends.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
        assert_eq!(stored(&schema).into_keys().collect::<Vec<_>>(), [1, 2, 3]);
    });
}

#[test]
fn names_decide_the_columns() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new());
        inserter.insert(params! { "name" => "a", "n" => 1 }).unwrap();
        inserter.insert(params! { "n" => 2, "name" => "b" }).unwrap();
        let error = inserter.insert(params! { "n" => 3 }).unwrap_err();
        assert_eq!(error.message(), "no value for `:name`");
        inserter.insert(("c", 4)).unwrap();
        assert_eq!(schema.sql("SELECT n, name FROM t ORDER BY n"), [["1", "a"], ["2", "b"], ["4", "c"]]);

        #[derive(inrush::ToRow)]
        struct Numbered<'a> {
            n: i32,
            #[inrush(rename = "name")]
            called: &'a str,
        }
        let inserter = open(case, &schema, InserterOptions::new());
        assert!(inserter.insert(Numbered { n: 6, called: "d" }).unwrap().id.is_some());

        let inserter = open(case, &schema, InserterOptions::new().with_columns(["id", "n"]));
        assert_eq!(inserter.insert((77, 5)).unwrap().id, None);
        assert_eq!(stored(&schema)[&5], 77);
    });
}

#[test]
fn a_table_that_is_not_there_is_every_callers_error() {
    on_all(|case| {
        let schema = table(case);
        let inserter = TwinInserter::new(case, &config(case, &schema), "nowhere", InserterOptions::new());
        let ends = inserter.insert_many([(1,), (2,)]);
        assert!(ends.iter().all(Result::is_err) && ends.len() == 2);
        // Until it is.
        schema.sql("CREATE TABLE nowhere (a INT)");
        inserter.insert((1,)).unwrap();
        assert_eq!(schema.sql("SELECT * FROM nowhere"), [["1"]]);
        let error: Error = inserter.insert((1, 2)).unwrap_err();
        assert_eq!(error.message(), "a row of 2 values for 1 columns");
        // A column that somebody widened is read anew before a value is refused.
        schema.sql("ALTER TABLE nowhere MODIFY a BIGINT");
        // At most once a second.
        until("the new column", || inserter.insert((1i64 << 40,)).is_ok());
        assert!(inserter.insert((u64::MAX,)).is_err());
    });
}

#[test]
fn a_table_without_transactions_gets_its_rows_one_by_one() {
    on_all(|case| {
        let schema = case.server.schema("inserter");
        schema.sql("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT UNIQUE, name VARCHAR(20)) ENGINE=MyISAM");
        let inserter = open(case, &schema, InserterOptions::new().with_lanes(1));
        inserter.insert(row(0)).unwrap();
        let ends = inserter.insert_many([row(1), row(2), row(1), row(3)]);
        assert_eq!(ends.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
        assert_eq!(stored(&schema).into_keys().collect::<Vec<_>>(), [0, 1, 2, 3]);
        let error = open(case, &schema, InserterOptions::new().with_exactly_once(true)).insert(row(9)).unwrap_err();
        assert_eq!(error.message(), "`t` is a table of MyISAM, which has no transactions");
    });
}

#[test]
fn a_deadlock_is_tried_again() {
    on_all(|case| {
        for options in [InserterOptions::new(), InserterOptions::new().with_exactly_once(true)] {
            let schema = table(case);
            // The first INSERT of each connection loses.
            let trigger = "CREATE TRIGGER loses BEFORE INSERT ON t FOR EACH ROW IF @lost IS NULL THEN SET @lost = 1; \
                 SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'lost'; END IF";
            case.open_with(&config(case, &schema)).execute(trigger).unwrap();
            let inserter = open(case, &schema, options);
            let ends = inserter.crowd(Who::Few, 4, row);
            check_all_good(&ends);
            check_stored(&schema, &ends);
        }
    });
}

#[test]
fn a_closed_inserter_takes_nothing() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new());
        inserter.insert(row(1)).unwrap();
        inserter.flush().unwrap();
        inserter.close().unwrap();
        inserter.close().unwrap();
        assert_eq!(inserter.insert(row(2)).unwrap_err().message(), "the inserter is closed");
        assert!(inserter.is_closed());
        // Its connection is back.
        assert_eq!(inserter.pool_status().in_use, 0);
        assert_eq!(stored(&schema).len(), 1);
    });
}

#[test]
fn a_closed_pool_writes_nothing_more() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new());
        inserter.insert(row(1)).unwrap();
        inserter.close_pool();
        let ends: Vec<_> = (2..5).map(|n| (n, inserter.insert(row(n)))).collect();
        for (_, end) in &ends {
            assert_eq!(end.as_ref().unwrap_err().message(), "the pool is closed");
        }
        assert_eq!(stored(&schema).len(), 1);
        inserter.close().unwrap();
    });
}

#[test]
fn exactly_once_keeps_a_line_and_takes_it_away() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new().with_exactly_once(true).with_lanes(2));
        let ends = inserter.crowd(Who::Few, 10, row);
        check_all_good(&ends);
        check_stored(&schema, &ends);
        let lines = schema.sql("SELECT SUM(batch), COUNT(DISTINCT inserter) FROM inrush_inserter");
        assert_eq!(lines, [[inserter.status().batches.to_string(), "1".to_owned()]]);
        inserter.close().unwrap();
        assert_eq!(schema.sql("SELECT COUNT(*) FROM inrush_inserter"), [["0"]]);
    });
}

#[test]
fn exactly_once_says_what_rights_it_lacks() {
    on_all(|case| {
        let schema = table(case);
        let user = format!("u_{}", schema.name().chars().rev().take(20).collect::<String>());
        case.server.sql(&format!(
            "CREATE USER '{user}'@'%' IDENTIFIED BY 'x'; GRANT INSERT, SELECT ON {}.t TO '{user}'@'%'",
            schema.name()
        ));
        let config = config(case, &schema).with_user(&user).with_password("x");
        let inserter = TwinInserter::new(case, &config, "t", InserterOptions::new().with_exactly_once(true));
        let error = inserter.insert(row(1)).unwrap_err();
        case.server.sql(&format!("DROP USER '{user}'@'%'"));
        assert!(error.message().starts_with("cannot keep the ledger `inrush_inserter`"), "{error:?}");
        assert!(error.hint().unwrap().contains("CREATE"), "{error:?}");
        assert_eq!(stored(&schema).len(), 0);
    });
}

#[test]
fn tasks_by_the_thousands() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        if case.shell == Shell::Blocking {
            return;
        }
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new());
        let ends = inserter.crowd(Who::Thousands, 2, row);
        check_all_good(&ends);
        assert_eq!(ends.len(), 8192);
        check_stored(&schema, &ends);
        let status = inserter.status();
        assert!(status.batches < 400, "{status:?}");
    });
}
