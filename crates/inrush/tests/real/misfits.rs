//! Values that are no Rust value: which error, and that the connection goes on. Days that no calendar has; zones.

use crate::cases::{Case, Route, Twin, everywhere, in_cases};
use inrush::sans_io::value::Date;
use inrush::{FromRow, Kind, Result, ToValue};
use inrush_testkit::servers;
use jiff::{SignedDuration, civil};

/// All rows of a query, as text (no values) or in binary form.
fn query<T: for<'r> FromRow<'r> + Send>(twin: &mut Twin, sql: &str, is_binary: bool) -> Result<Vec<T>> {
    let statement = twin.prepare(sql)?;
    match (twin, is_binary) {
        (Twin::Blocking(c), false) => c.query(sql, ()),
        (Twin::Blocking(c), true) => c.query(&statement, ()),
        (Twin::Tokio(c, runtime), false) => runtime.block_on(c.query(sql, ())),
        (Twin::Tokio(c, runtime), true) => runtime.block_on(c.query(&statement, ())),
    }
}

/// The error of a query in both forms; the connection goes on.
#[track_caller]
fn check_misfit<T: for<'r> FromRow<'r> + Send + std::fmt::Debug>(twin: &mut Twin, sql: &str, want: &str) {
    for is_binary in [false, true] {
        let error = query::<T>(twin, sql, is_binary).unwrap_err();
        assert_eq!((error.kind(), error.message(), error.is_fatal()), (Kind::Data, want, false));
        assert_eq!(twin.ask("SELECT 'on'"), "on");
    }
}

#[test]
fn what_does_not_fit_is_named_and_the_rest_is_read() {
    everywhere(|case| {
        let schema = case.server.schema("misfits");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        twin.execute("CREATE TABLE t (id INT PRIMARY KEY, n SMALLINT, s VARCHAR(9), d DECIMAL(4,1), b BLOB)").unwrap();
        let more = (3..200).map(|id| format!(", ({id}, 1, 'x', 1, 'x')")).collect::<String>();
        twin.execute(&format!("INSERT INTO t VALUES (1, 300, 'abc', 1.5, x'FF'), (2, NULL, NULL, NULL, NULL){more}"))
            .unwrap();
        let of = |column| format!("SELECT {column} FROM t ORDER BY id");
        let u8_name = "which is not a whole number that fits `u8`";
        check_misfit::<(u8,)>(&mut twin, &of("n"), &format!("column `n` holds `300`, {u8_name}"));
        check_misfit::<(u8,)>(&mut twin, &of("n + 0 AS m"), &format!("column `m` holds `300`, {u8_name}"));
        check_misfit::<(i16,)>(
            &mut twin,
            &of("n"),
            "column `n` holds NULL, which is not a whole number that fits `i16`",
        );
        check_misfit::<(String,)>(&mut twin, &of("s"), "column `s` holds NULL, which is not text (`String`)");
        check_misfit::<(i64,)>(
            &mut twin,
            &of("d"),
            "column `d` holds `1.5`, which is not a whole number that fits `i64`",
        );
        check_misfit::<(String,)>(&mut twin, &of("b"), "column `b` holds `\u{FFFD}`, which is not text (`String`)");
        check_misfit::<(f64,)>(&mut twin, &of("s"), "column `s` holds `abc`, which is not a number (`f64`)");
        let sizes = query::<(Option<i16>,)>(&mut twin, &of("n"), true).unwrap();
        assert_eq!((sizes.len(), sizes[0], sizes[1]), (199, (Some(300),), (None,)));
    });
}

fn with_invalid_dates(case: &Case, test: impl FnOnce(&mut Twin)) {
    let schema = case.server.schema("invaliddates");
    let mut twin = case.open_with(&case.config().with_database(schema.name()));
    twin.execute("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'").unwrap();
    twin.execute("CREATE TABLE t (id INT, d DATE NOT NULL, m DATETIME(2) NULL)").unwrap();
    let rows = "(1, '2024-02-29', '2024-02-29 23:59:58.25'), (2, '0000-00-00', '0000-00-00 00:00:00'), \
                (3, '2024-02-31', '2024-02-31 00:00:00'), (4, '2024-00-00', NULL)";
    twin.execute(&format!("INSERT INTO t VALUES {rows}")).unwrap();
    test(&mut twin);
}

#[test]
fn days_that_no_calendar_has() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        with_invalid_dates(case, |twin| {
            let what = "which is not a day of the calendar (`jiff::civil::Date`)";
            for (id, day) in [(2, "0000-00-00"), (3, "2024-02-31"), (4, "2024-00-00")] {
                let sql = format!("SELECT d FROM t WHERE id = {id}");
                check_misfit::<(civil::Date,)>(twin, &sql, &format!("column `d` holds `{day}`, {what}"));
                for is_binary in [false, true] {
                    assert_eq!(query::<(String,)>(twin, &sql, is_binary).unwrap(), [(day.to_owned(),)]);
                    assert_eq!(
                        query::<(Date,)>(twin, &sql, is_binary).unwrap(),
                        [(Date::parse(day.as_bytes()).unwrap(),)]
                    );
                }
            }
            for is_binary in [false, true] {
                let moments = query::<(Option<String>,)>(twin, "SELECT m FROM t ORDER BY id", is_binary).unwrap();
                let moments: Vec<_> = moments.iter().map(|(moment,)| moment.as_deref()).collect();
                let [fine, zero] = ["2024-02-29 23:59:58.25", "0000-00-00 00:00:00.00"];
                assert_eq!(moments, [Some(fine), Some(zero), Some("2024-02-31 00:00:00.00"), None]);
            }
        });
    });
}

#[test]
fn a_timestamp_is_the_same_instant_in_every_zone() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let schema = case.server.schema("zones");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        twin.execute("CREATE TABLE t (at TIMESTAMP(6) NULL, wall DATETIME(6))").unwrap();
        twin.execute("SET time_zone = '+02:00'").unwrap();
        let summer = civil::date(2024, 7, 1).at(1, 30, 0, 123_456_000);
        let insert = twin.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
        twin.query_result_sets(&insert, &[summer.to_value(), summer.to_value()]).unwrap();
        let june = |hour, minute| civil::date(2024, 6, 30).at(hour, minute, 0, 123_456_000);
        for (zone, shown) in [("+02:00", summer), ("+00:00", june(23, 30)), ("-05:30", june(18, 0))] {
            twin.execute(&format!("SET time_zone = '{zone}'")).unwrap();
            for is_binary in [false, true] {
                let sql = "SELECT at, wall, UNIX_TIMESTAMP(at) FROM t";
                let rows: Vec<(civil::DateTime, civil::DateTime, String)> = query(&mut twin, sql, is_binary).unwrap();
                assert_eq!(rows, [(shown, summer, "1719790200.123456".to_owned())], "{zone}");
            }
        }
    });
}

#[test]
fn what_no_column_holds_is_refused() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let schema = case.server.schema("outofrange");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        twin.execute("CREATE TABLE t (d DATE, m DATETIME(6), t TIME(6), b BIT(3), y YEAR, n DECIMAL(3,1))").unwrap();
        let (hours, year) = (SignedDuration::from_hours, civil::date(-1, 1, 1));
        let refused: [(&str, &dyn ToValue); 9] = [
            ("d", &year),
            ("m", &year.at(0, 0, 0, 0)),
            ("t", &hours(839)),
            ("t", &hours(-100_000)),
            ("t", &SignedDuration::MAX),
            ("t", &SignedDuration::MIN),
            ("b", &8_u8),
            ("y", &1900_u16),
            ("n", &100_i32),
        ];
        for (column, value) in refused {
            let insert = twin.prepare(&format!("INSERT INTO t ({column}) VALUES (?)")).unwrap();
            let error = twin.query_result_sets(&insert, &[value.to_value()]).unwrap_err();
            // MariaDB would bend dates and times with a warning or without one: they are not even sent.
            let want = if "dmt".contains(column) { Kind::Config } else { Kind::Server };
            assert!(error.kind() == want && !error.is_fatal(), "{column} {:?}: {error}", value.to_value());
        }
        assert_eq!(twin.ask("SELECT COUNT(*) FROM t"), "0");
    });
}
