//! What MariaDB does with COM_STMT_BULK_EXECUTE, and what every server does with rows that the bound writers made.
//! `docs/notes/bulk.md` tells the same in words.

use crate::cases::{Case, Route, Twin, in_cases, texts};
use inrush::sans_io::convert::{BoundRows, Rows};
use inrush::sans_io::session::Pipeline;
use inrush::sans_io::session::pipeline::{Decision, Flight, NextCommand, Reply};
use inrush::sans_io::value::{Date, DateTime, Time};
use inrush::sans_io::wire::{MariaDbCapabilities, Row, Vendor};
use inrush::sans_io::write::RowSource;
use inrush::sans_io::write::template::Template;
use inrush::sans_io::write::{Bulk, Limits, MultiRowPrepared, Next, PreparedWriter, Writer};
use inrush::{Result, Statement, Value};
use inrush_testkit::servers::{self, Schema, Server};

/// All commands of a batch in one flight, and what was said of each.
struct Flown<'a> {
    writer: &'a mut dyn Writer,
    rows: &'a dyn BoundRows,
    at: usize,
    /// Rows of each command.
    n_rows: Vec<usize>,
    /// Affected rows or the error's code, of each command.
    heard: Vec<i64>,
    /// Generated id and affected rows of each row, from unit results.
    units: Vec<(u64, u64)>,
}

impl Flight for &mut Flown<'_> {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        if self.at == self.rows.n_rows() {
            return next.end();
        }
        match self.writer.next(RowSource::Bound(self.rows), self.at..self.rows.n_rows(), Vec::new())? {
            Next::Command { command, n_rows } => {
                self.at += n_rows;
                self.n_rows.push(n_rows);
                next.send(&command)
            }
            Next::TooLong { bytes } => panic!("{bytes} bytes"),
        }
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        self.heard.push(match reply {
            Ok(Reply::Done(outcome)) => outcome.affected as i64,
            Ok(other) => panic!("{other:?}"),
            Err(error) => -i64::from(error.code()),
        });
        Ok(())
    }

    fn row(&mut self, _step: u64, row: Row<'_>) -> Result<()> {
        let numbers: Vec<u64> = row.values().map(|value| value.unwrap().as_u64().unwrap()).collect();
        self.units.push((numbers[0], numbers[1]));
        Ok(())
    }
}

/// Rows of each command; affected rows, or minus the error's code, of each; unit results.
type Said = (Vec<usize>, Vec<i64>, Vec<(u64, u64)>);

fn fly(connection: &mut Twin, writer: &mut dyn Writer, rows: &[Vec<Value<'_>>]) -> Said {
    let n_params = rows[0].len();
    let bound = rows.bind(&[], n_params).unwrap();
    let mut flown = Flown { writer, rows: &*bound, at: 0, n_rows: Vec::new(), heard: Vec::new(), units: Vec::new() };
    connection.run(Pipeline::new(&mut flown)).unwrap().unwrap();
    (flown.n_rows, flown.heard, flown.units)
}

fn bulk(connection: &mut Twin, sql: &str, unit_results: bool, rows: &[Vec<Value<'_>>]) -> Said {
    fly(connection, &mut Bulk::new(&Statement::new(sql).unwrap(), LIMITS, unit_results).unwrap(), rows)
}

fn writers(statement: &Statement, limits: Limits, vendor: Vendor) -> Vec<Box<dyn Writer>> {
    let template = Template::parse(statement);
    let mut all: Vec<Box<dyn Writer>> = vec![
        Box::new(PreparedWriter::new(statement, limits)),
        Box::new(MultiRowPrepared::new(statement, &template, limits).unwrap()),
    ];
    if vendor == Vendor::MariaDb {
        all.push(Box::new(Bulk::new(statement, limits, false).unwrap()));
    }
    all
}

/// Every kind of value, NULL first, last and in between; a type that changes under way; both signs.
#[test]
fn every_value_arrives_by_every_bound_writer() {
    let day = Date { year: 2024, month: 2, day: 29 };
    let full = [
        Value::Int(-7),
        Value::UInt(u64::MAX),
        Value::Double(-0.1),
        Value::Float(1.5),
        Value::Text("ä€🦀'\\"),
        Value::Bytes(b"\0\xff'\\"),
        Value::Date(day),
        Value::DateTime(DateTime { date: day, hour: 23, minute: 59, second: 58, micros: 7 }),
        Value::Time(Time { negative: true, days: 1, hours: 2, minutes: 3, seconds: 4, micros: 500_000 }),
        Value::Text("12.50"),
    ];
    let want = [
        "-7",
        "18446744073709551615",
        "-0.1",
        "1.5",
        "ä€🦀'\\",
        "00FF275C",
        "2024-02-29",
        "2024-02-29 23:59:58.000007",
        "-26:03:04.500000",
        "12.50",
    ];
    let null = [Value::Null; 10];
    // The same numbers as other types.
    let mut other = full;
    other[0] = Value::Text("-7");
    other[1] = Value::Text("18446744073709551615");
    other[3] = Value::Double(1.5);
    other[6] = Value::Text("2024-02-29");
    other[9] = Value::Double(12.5);
    let few = [null, full, null, other, full, null];
    let rows: Vec<Vec<Value<'_>>> = few.iter().cycle().take(77).map(|row| row.to_vec()).collect();
    in_cases(servers::all(), &[Route::Unix], |case| {
        let columns = "n INT PRIMARY KEY AUTO_INCREMENT, a INT, b BIGINT UNSIGNED, c DOUBLE, d FLOAT, e VARCHAR(20), f VARBINARY(20), \
                       g DATE, h DATETIME(6), i TIME(6), j DECIMAL(6,2)";
        let (_schema, mut connection) = with_table(case, "boundvalues", columns);
        let statement =
            Statement::new("INSERT INTO t (a, b, c, d, e, f, g, h, i, j) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .unwrap();
        let vendor = connection.session().version().vendor;
        for mut writer in writers(&statement, Limits { rows: 16, ..LIMITS }, vendor) {
            connection.execute("TRUNCATE TABLE t").unwrap();
            let (n_rows, heard, _) = fly(&mut connection, &mut *writer, &rows);
            let affected: Vec<i64> = n_rows.iter().map(|n| *n as i64).collect();
            assert_eq!((heard, n_rows.iter().sum::<usize>()), (affected, 77));
            let got =
                texts(&connection.query("SELECT a, b, c, d, e, HEX(f), g, h, i, j FROM t ORDER BY n").unwrap()[0]);
            for (i, row) in got.iter().enumerate() {
                let expected = if i % 6 == 0 || i % 6 == 2 || i % 6 == 5 { &["NULL"; 10] } else { &want };
                assert_eq!(row, expected, "row {i}");
            }
        }
    });
}

/// Rows that no packet holds, and values that need parts, between ordinary ones.
#[test]
fn long_rows_arrive() {
    let long = "x".repeat(700_000);
    let rows: Vec<Vec<Value<'_>>> =
        ["a", &long, "b", &long[..100_000], &long[..300_000]].iter().map(|text| vec![Value::Text(text); 2]).collect();
    in_cases(servers::all(), &[Route::Unix], |case| {
        let columns = "n INT PRIMARY KEY AUTO_INCREMENT, a LONGTEXT, b LONGTEXT";
        let (_schema, mut connection) = with_table(case, "boundlong", columns);
        let statement = Statement::new("INSERT INTO t (a, b) VALUES (?, ?)").unwrap();
        let vendor = connection.session().version().vendor;
        // As if that were all a server takes.
        for mut writer in writers(&statement, Limits { max_bytes: 1_000_000, ..LIMITS }, vendor) {
            connection.execute("TRUNCATE TABLE t").unwrap();
            let (n_rows, heard, _) = fly(&mut connection, &mut *writer, &rows);
            assert!(heard.iter().all(|n| *n > 0) && n_rows.iter().sum::<usize>() == 5, "{heard:?}");
            let lengths = "SELECT GROUP_CONCAT(LENGTH(a), ' ', LENGTH(b), ' ', a = b ORDER BY n) FROM t";
            let want = "1 1 1,700000 700000 1,1 1 1,100000 100000 1,300000 300000 1";
            assert_eq!(connection.ask(lengths), want);
        }
    });
}

/// A packet of INSERTs that fails stores nothing; one of UPDATEs or DELETEs is as many statements, and keeps what came before.
#[test]
fn a_packet_that_fails_in_the_middle() {
    let three = [[1, 10], [2, 999], [3, 10]].map(|[id, v]| vec![Value::Int(v), Value::Int(id)]);
    in_cases(of_vendor("mariadb"), &[Route::Unix], |case| {
        let (_schema, mut connection) = with_table(case, "bulkfails", "id INT PRIMARY KEY, v TINYINT");
        let insert = "INSERT INTO t (v, id) VALUES (?, ?)";
        assert_eq!(bulk(&mut connection, insert, false, &three).1, [-1264]);
        assert_eq!(row_number(&mut connection), "2");
        assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), "0");
        connection.execute("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)").unwrap();
        for begin in ["DO 1", "BEGIN"] {
            connection.execute(begin).unwrap();
            assert_eq!(bulk(&mut connection, "UPDATE t SET v = ? WHERE id = ?", false, &three).1, [-1264]);
            // Every row is the first of its own statement.
            assert_eq!(row_number(&mut connection), "1");
            assert_eq!(connection.ask("SELECT GROUP_CONCAT(v ORDER BY id) FROM t"), "10,0,0", "{begin}");
            connection.execute("ROLLBACK").unwrap();
            let stays = if begin == "BEGIN" { "0,0,0" } else { "10,0,0" };
            assert_eq!(connection.ask("SELECT GROUP_CONCAT(v ORDER BY id) FROM t"), stays, "{begin}");
            connection.execute("UPDATE t SET v = 0").unwrap();
        }
    });
}

/// DEFAULT and NULL, in an INSERT and in an UPDATE; in an expression the server refuses it.
#[test]
fn a_row_may_say_default() {
    in_cases(of_vendor("mariadb"), &[Route::Unix], |case| {
        let columns = "id INT PRIMARY KEY AUTO_INCREMENT, v INT NOT NULL DEFAULT 7, w INT DEFAULT 8";
        let (_schema, mut connection) = with_table(case, "bulkdefault", columns);
        let rows = [vec![Value::Default, Value::Null], vec![Value::Int(1), Value::Default]];
        assert_eq!(bulk(&mut connection, "INSERT INTO t (v, w) VALUES (?, ?)", false, &rows).1, [2]);
        assert_eq!(all(&mut connection), "1 7 -,2 1 8");
        let rows = [vec![Value::Int(5), Value::Int(1)], vec![Value::Default, Value::Int(2)]];
        assert_eq!(bulk(&mut connection, "UPDATE t SET v = ? WHERE id = ?", false, &rows).1, [2]);
        assert_eq!(all(&mut connection), "1 5 -,2 7 8");
        let refused = bulk(&mut connection, "INSERT INTO t (v) VALUES (? + 1)", false, &[vec![Value::Default]]);
        assert_eq!(refused.1, [-4032]);
    });
}

/// Each row's id and count, of every kind of statement, behind its PREPARE in one flight.
#[test]
fn unit_results_tell_of_each_row() {
    let unit = MariaDbCapabilities::MARIADB_CLIENT_BULK_UNIT_RESULTS;
    in_cases(of_vendor("mariadb"), &[Route::Unix], |case| {
        let columns = "id INT PRIMARY KEY AUTO_INCREMENT, k INT UNIQUE, v INT";
        let (_schema, mut connection) = with_table(case, "bulkunits", columns);
        let agreed = connection.session().mariadb_capabilities().contains(unit);
        assert_eq!(agreed, connection.session().version().is_at_least(11, 5, 0));
        let rows = |pairs: &[(i64, i64)]| -> Vec<Vec<Value<'static>>> {
            pairs.iter().map(|(a, b)| vec![Value::Int(*a), Value::Int(*b)]).collect()
        };
        let insert = "INSERT INTO t (k, v) VALUES (?, ?)";
        if !agreed {
            // A server that does not know the flag refuses the packet and stores nothing.
            assert_eq!(bulk(&mut connection, insert, true, &rows(&[(1, 1)])).1, [-1295]);
            return;
        }
        let mut units = |sql: &str, pairs: &[(i64, i64)]| bulk(&mut connection, sql, true, &rows(pairs)).2;
        assert_eq!(units(insert, &[(1, 1), (2, 2), (3, 3)]), [(1, 1), (2, 1), (3, 1)]);
        let ignore = "INSERT IGNORE INTO t (k, v) VALUES (?, ?)";
        assert_eq!(units(ignore, &[(4, 4), (1, 1)]).iter().map(|unit| unit.1).collect::<Vec<_>>(), [1, 0]);
        let upsert = "INSERT INTO t (k, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)";
        // New, changed, the same.
        assert_eq!(units(upsert, &[(5, 5), (1, 9), (2, 2)]).iter().map(|unit| unit.1).collect::<Vec<_>>(), [1, 2, 0]);
        let update = "UPDATE t SET v = ? WHERE k = ?";
        assert_eq!(units(update, &[(8, 1), (2, 2), (8, 99)]), [(0, 1), (0, 0), (0, 0)]);
        assert_eq!(units("DELETE FROM t WHERE k = ? OR v = ?", &[(1, 2), (99, 99)]), [(0, 2), (0, 0)]);
    });
}

/// What the server does not take in bulk it refuses, and the connection goes on.
#[test]
fn statements_that_bulk_does_not_know() {
    in_cases(of_vendor("mariadb"), &[Route::Unix], |case| {
        let (_schema, mut connection) = with_table(case, "bulkrefused", "id INT");
        for sql in ["SELECT ?", "DO ?", "SET @a = ?", "INSERT INTO t SELECT ?", "CALL nothing(?)"] {
            let said = bulk(&mut connection, sql, false, &[vec![Value::Int(1)]]).1;
            assert!(said == [-1295] || said == [-1305], "{sql}: {said:?}");
        }
        assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), "0");
    });
}

/// MySQL prepares a statement anew when a parameter's type is not the one it expects: once, not at each execution.
#[test]
fn types_that_a_column_does_not_have_cost_one_preparation() {
    in_cases(of_vendor("mysql"), &[Route::Unix], |case| {
        let (_schema, mut connection) = with_table(case, "reprepared", "a INT, b DECIMAL(9,2), c DATETIME, d DOUBLE");
        let statement = Statement::new("INSERT INTO t VALUES (?, ?, ?, ?)").unwrap();
        let row = [Value::Text("1"), Value::Double(1.5), Value::Text("2024-01-01"), Value::Int(1)].to_vec();
        let mut writer =
            MultiRowPrepared::new(&statement, &Template::parse(&statement), Limits { rows: 8, ..LIMITS }).unwrap();
        fly(&mut connection, &mut writer, &vec![row; 80]);
        let status = connection.query("SHOW SESSION STATUS LIKE 'Com_stmt_reprepare'").unwrap();
        let n: u32 = texts(&status[0])[0][1].parse().unwrap();
        assert!(n <= 1, "{n} times");
    });
}

fn of_vendor(vendor: &str) -> Vec<Server> {
    servers::all().into_iter().filter(|server| server.instance.starts_with(vendor)).collect()
}

fn all(connection: &mut Twin) -> String {
    connection.ask("SELECT GROUP_CONCAT(id, ' ', v, ' ', COALESCE(w, '-') ORDER BY id) FROM t")
}

fn row_number(connection: &mut Twin) -> String {
    connection.execute("GET DIAGNOSTICS CONDITION 1 @r = ROW_NUMBER").unwrap();
    connection.ask("SELECT @r")
}

/// The schema comes first so that it is dropped last.
fn with_table(case: &Case, name: &str, columns: &str) -> (Schema, Twin) {
    let schema = case.server.schema(name);
    let mut connection = case.open_with(&case.config().with_database(schema.name()));
    connection.execute(&format!("CREATE TABLE t ({columns})")).unwrap();
    (schema, connection)
}

const LIMITS: Limits = Limits { bytes: 1 << 20, max_bytes: 1 << 24, rows: 1 << 20 };
