//! What values become when they are written as text: the same as when they are bound, in columns of every type and in every
//! sql_mode.

use crate::cases::{Case, Route, Shell, on_servers};
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::convert::Rows;
use inrush::sans_io::value::{Date, DateTime, Time};
use inrush::sans_io::write::load_data::LoadData;
use inrush::sans_io::write::text::MultiRow;
use inrush::sans_io::write::{Command, Limits, Next, Writer};
use inrush::sans_io::write::{RowSource, Template};
use inrush::{Statement, Value, blocking};
use inrush_testkit::servers::{self, Server, Vendor};

/// A value, and what the column `c` holds of it (in binary form), or that the server refused it.
type Stored = Vec<Option<String>>;

const LIMITS: Limits = Limits { bytes: 1 << 20, max_bytes: 1 << 20, rows: 1000 };

/// One value a row, each in a statement of its own, so that no execution has a bearing on the next.
fn bound(connection: &mut blocking::Connection, label: &str) -> Stored {
    let ids = values().into_iter().enumerate().map(|(i, value)| {
        let insert = Statement::new(&format!("INSERT INTO t (id, c) VALUES (?, ?) /* {label} {i} */")).unwrap();
        (i, connection.execute(&insert, [Value::Int(i as i64), value]).is_ok())
    });
    let ids: Vec<_> = ids.collect();
    stored(connection, &ids)
}

/// The same by a writer.
fn written(connection: &mut blocking::Connection, mut writer: impl Writer) -> Stored {
    let rows: Vec<_> = values().into_iter().enumerate().map(|(i, value)| [Value::Int(i as i64), value]).collect();
    let rows = rows.bind(&[], 2).unwrap();
    let mut ids = Vec::new();
    for i in 0..rows.n_rows() {
        let Next::Command { command: Command::Query(text), n_rows: 1 } =
            writer.next(RowSource::Bound(&*rows), i..i + 1, Vec::new()).unwrap()
        else {
            panic!("row {i} is a command");
        };
        ids.push((i, connection.execute(&text, ()).is_ok()));
    }
    stored(connection, &ids)
}

/// The same by LOAD DATA. A row with a warning is one that the caller does not keep, but writes again as strictly as the others.
fn loaded(connection: &mut blocking::Connection) -> Stored {
    let statement = Statement::new("INSERT INTO t (id, c) VALUES (?, ?)").unwrap();
    let load = LoadData::new(&statement, &Template::parse(&statement), &columns(connection)).unwrap();
    let rows: Vec<_> = values().into_iter().enumerate().map(|(i, value)| [Value::Int(i as i64), value]).collect();
    let rows = rows.bind(&[], 2).unwrap();
    let mut ids = Vec::new();
    for i in 0..rows.n_rows() {
        let mut content = Vec::new();
        if load.encode(&*rows, i..i + 1, usize::MAX, &mut content).is_err() {
            ids.push((i, false));
            continue;
        }
        let outcome = connection.load_local(|name| load.statement(&content, name), &content[..]);
        let is_ok = outcome.as_ref().is_ok_and(|outcome| outcome.warnings == 0);
        if !is_ok {
            connection.execute("DELETE FROM t WHERE id = ?", (i as i64,)).unwrap();
        }
        ids.push((i, is_ok));
    }
    stored(connection, &ids)
}

fn columns(connection: &mut blocking::Connection) -> Vec<Column> {
    let sql = "SELECT column_name, column_type, character_set_name FROM information_schema.columns \
               WHERE table_schema = DATABASE() AND table_name = 't' ORDER BY ordinal_position";
    let columns: Vec<(String, String, Option<String>)> = connection.query(sql, ()).unwrap();
    let column = |(name, ty, charset): (String, String, Option<String>)| Column {
        charset,
        ..Column::new(name, ColumnType::parse(&ty))
    };
    columns.into_iter().map(column).collect()
}

fn stored(connection: &mut blocking::Connection, ids: &[(usize, bool)]) -> Stored {
    let statement = Statement::new("SELECT id, c FROM t WHERE id >= ? ORDER BY id").unwrap();
    let results = connection.query_result_sets(&statement, (-1,)).unwrap();
    let mut found = results[0].rows().map(|row| {
        let values: Vec<_> = row.values().map(Result::unwrap).collect();
        (values[0].as_i64().unwrap(), format!("{:?}", values[1]))
    });
    let mut next = found.next();
    let mut all = Vec::new();
    for (i, is_ok) in ids {
        let is_there = next.as_ref().is_some_and(|(id, _)| *id == *i as i64);
        assert_eq!(is_there, *is_ok, "value {i} is stored if the server said so");
        all.push(if is_there { std::mem::replace(&mut next, found.next()).map(|(_, text)| text) } else { None });
    }
    connection.execute("DELETE FROM t", ()).unwrap();
    all
}

/// What an execution makes something of that is hardly meant, and a text does not: a day in a number, a time in a day, a number that is no
/// day.
fn is_refused_as_text(server: &Server, ty: &str, value: &Value<'_>) -> bool {
    let is_number =
        ["TINYINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "YEAR"].iter().any(|number| ty.starts_with(number));
    let is_moment = ty.starts_with("DATE") || ty.starts_with("TIME");
    match value {
        Value::Date(_) | Value::DateTime(_) | Value::Time(_) => is_number || is_moment,
        Value::Double(_) | Value::UInt(_) => server.vendor == Vendor::Mysql && is_moment,
        Value::Text(_) => server.vendor == Vendor::Mysql && ty.starts_with("VECTOR"),
        _ => false,
    }
}

/// What MySQL makes of bound values: the fraction of a moment is lost in a text, and `-3e0` does not fit a BIT(64).
fn is_bent_when_bound(server: &Server, ty: &str, value: &Value<'_>) -> bool {
    let is_text =
        ["CHAR", "VARCHAR", "LONGTEXT", "BINARY", "VARBINARY", "BLOB"].iter().any(|text| ty.starts_with(text));
    server.vendor == Vendor::Mysql
        && match value {
            Value::DateTime(moment) => moment.micros > 0 && is_text,
            Value::Text(text) => *text == "-3e0" && ty == "BIT(64)",
            _ => false,
        }
}

fn values() -> Vec<Value<'static>> {
    let date = |year, month, day| Date { year, month, day };
    let moment = DateTime { date: date(2024, 2, 29), hour: 23, minute: 59, second: 58, micros: 0 };
    let time = Time { negative: true, days: 1, hours: 2, minutes: 3, seconds: 4, micros: 0 };
    let mut values = vec![Value::Null, Value::UInt(7), Value::UInt(u64::MAX)];
    values.extend([0, 1, 2, -3, 200, 101_112, 20_240_229, 20_240_229_235_958, i64::MIN, i64::MAX].map(Value::Int));
    values.extend([0.1, 1.5, 1e20, -3.4e38, 16_777_216.0].map(Value::Float));
    values.extend([0.0, -0.0, 1.0, 0.1, 1.5, 2.5, -2.5, 812.37, 1e15, 123_456_789.123_456_79].map(Value::Double));
    values.extend([1e16, 1e20, 1.5e-5, 1.5e-7, 1e300, 5e-324, f64::MAX, 1.0 / 3.0].map(Value::Double));
    values.extend(
        ["", "0", "1", "2", "a", "A", "1,a", "it's \"x\" `y`", r"\", r"\'", r"C:\new", "\0\x08\t\n\r\x1a%_"]
            .map(Value::Text),
    );
    values.extend(
        ["1.5", "-3e0", "é€🦀", "äöü", "a  ", "NULL", "\\N", "--", "/*", "2024-02-29", "2024-02-29 10:11:12.123456"]
            .map(Value::Text),
    );
    values.extend(
        [
            "10:11:12",
            "[1,2]",
            "{\"a\": \"\\\\\"}",
            "POINT(1 1)",
            "::1",
            "127.0.0.1",
            "00112233-4455-6677-8899-aabbccddeeff",
        ]
        .map(Value::Text),
    );
    let bytes: [&[u8]; 12] = [
        b"",
        b"1",
        b"5",
        b"a",
        b"\0'\\\"\xff\x1a\n\t",
        b"\\N",
        b"12345678",
        b"123456789abcdefg",
        b"\xc3\xa4",
        b"[1,2]",
        b"\xe6\x10\0\0\x01\x01\0\0\0\0\0\0\0\0\0\xf0?\0\0\0\0\0\0\xf0?",
        b"\0\0\x80?\0\0\0@",
    ];
    values.extend(bytes.map(Value::Bytes));
    values.extend(
        [date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), date(2023, 2, 29), date(0, 0, 0)].map(Value::Date),
    );
    values.extend(
        [
            moment,
            DateTime { micros: 123_456, ..moment },
            DateTime { micros: 500_000, ..moment },
            DateTime { date: date(1970, 1, 1), hour: 0, ..moment },
        ]
        .map(Value::DateTime),
    );
    values.extend(
        [
            time,
            Time { micros: 7, ..time },
            Time { negative: false, days: 34, hours: 22, minutes: 59, seconds: 59, micros: 0 },
        ]
        .map(Value::Time),
    );
    values
}

const TYPES: &[&str] = &[
    "TINYINT",
    "INT",
    "BIGINT",
    "BIGINT UNSIGNED",
    "DECIMAL(30,6)",
    "FLOAT",
    "DOUBLE",
    "BIT(8)",
    "BIT(64)",
    "YEAR",
    "DATE",
    "TIME",
    "TIME(6)",
    "DATETIME",
    "DATETIME(6)",
    "TIMESTAMP(6) NULL",
    "CHAR(50)",
    "VARCHAR(200)",
    "VARCHAR(200) CHARACTER SET latin1",
    "LONGTEXT",
    "BINARY(12)",
    "VARBINARY(200)",
    "BLOB",
    "ENUM('1','a','2')",
    "SET('1','a','b')",
    "JSON",
    "GEOMETRY",
    "POINT",
    "VECTOR(2)",
    "UUID",
    "INET6",
    "INET4",
];

fn has_type(server: &Server, ty: &str) -> bool {
    match ty {
        "VECTOR(2)" => server.name != "mariadb-10.11",
        "UUID" | "INET6" | "INET4" => server.vendor == Vendor::Mariadb,
        _ => true,
    }
}

/// Each mode, and the types on which it may have a bearing.
const MODES: &[(&str, &[&str])] = &[
    ("", TYPES),
    ("ANSI_QUOTES", &["INT", "LONGTEXT", "BLOB"]),
    ("NO_BACKSLASH_ESCAPES", &["INT", "LONGTEXT", "BLOB"]),
    ("ANSI_QUOTES,NO_BACKSLASH_ESCAPES", &["VARCHAR(200)", "DATETIME(6)", "VARBINARY(200)"]),
];

#[test]
fn values_as_text_are_stored_as_bound_ones() {
    on_servers(servers::with_local_infile(), |server| {
        let schema = server.schema("literals");
        let mut connection = connect(server, schema.name());
        for (mode, types) in MODES {
            connection.execute(&format!("SET sql_mode = 'STRICT_ALL_TABLES,{mode}'"), ()).unwrap();
            for ty in types.iter().filter(|ty| has_type(server, ty)) {
                connection.execute("DROP TABLE IF EXISTS t", ()).unwrap();
                connection.execute(&format!("CREATE TABLE t (id INT PRIMARY KEY, c {ty})"), ()).unwrap();
                connection.execute("BEGIN", ()).unwrap();
                let want = bound(&mut connection, &format!("{mode} {ty}"));
                for (way, got) in ways(&mut connection) {
                    for (value, (want, got)) in values().iter().zip(want.iter().zip(&got)) {
                        // What LOAD DATA refuses or warns of goes another way; what it stores must be right.
                        let may_refuse = way == "load-data" || is_refused_as_text(server, ty, value);
                        let is_known = may_refuse && got.is_none() || is_bent_when_bound(server, ty, value);
                        let place = format!("{} {mode} {ty} {way} {value:?}", server.name);
                        assert!(want == got || is_known, "{place}: {want:?} but {got:?}");
                    }
                }
                connection.execute("ROLLBACK", ()).unwrap();
            }
        }
    });
}

fn connect(server: &Server, schema: &str) -> blocking::Connection {
    let case = Case { server: server.clone(), route: Route::Unix, shell: Shell::Blocking };
    let config = case.config().with_database(schema).with_multi_statements(true).with_local_infile(true);
    blocking::Connection::connect(&config).unwrap()
}

fn ways(connection: &mut blocking::Connection) -> [(&'static str, Stored); 2] {
    let statement = Statement::new("INSERT INTO t (id, c) VALUES (?, ?)").unwrap();
    let template = Template::parse(&statement);
    let escapes = !connection.session().no_backslash_escapes();
    let multi_row = MultiRow::new(&statement, &template, LIMITS, escapes).unwrap();
    [("multi-row", written(connection, multi_row)), ("load-data", loaded(connection))]
}

/// A statement, rows of two numbers for it, and what the expression in it comes to in each row.
#[track_caller]
fn check_expression(connection: &mut blocking::Connection, insert: &str, rows: &[(i64, i64)], want: &str) {
    connection.execute("DELETE FROM t", ()).unwrap();
    let statement = Statement::new(insert).unwrap();
    let template = Template::parse(&statement);
    let bound = rows.bind(&[], 2).unwrap();
    for n_rows in [1, 1000] {
        let limits = Limits { rows: n_rows, ..LIMITS };
        let mut writer = MultiRow::new(&statement, &template, limits, true).unwrap();
        let mut row = 0;
        while row < rows.len() {
            let Next::Command { command: Command::Query(text), n_rows } =
                writer.next(RowSource::Bound(&*bound), row..rows.len(), Vec::new()).unwrap()
            else {
                panic!("a command")
            };
            let results = connection.query_result_sets(&text, ());
            assert!(results.is_ok(), "{}: {results:?}", String::from_utf8_lossy(&text));
            row += n_rows;
        }
        let got = connection.query_one::<(Option<String>,)>("SELECT GROUP_CONCAT(c ORDER BY id) FROM t", ()).unwrap();
        assert_eq!(got.0.as_deref(), Some(want), "{insert}");
        connection.execute("DELETE FROM t", ()).unwrap();
    }
}

#[test]
fn values_stand_where_placeholders_stood() {
    on_servers(servers::with_local_infile(), |server| {
        let schema = server.schema("expressions");
        let mut connection = connect(server, schema.name());
        connection.execute("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT UNIQUE, c INT)", ()).unwrap();
        let c = &mut connection;
        let rows = &[(1, -3), (2, 4)];
        check_expression(c, "INSERT INTO t (a, c) VALUES (?, 5-?)", rows, "8,1");
        check_expression(c, "INSERT INTO t (a, c) VALUES (?,5--?)", rows, "2,9");
        check_expression(c, "INSERT INTO t (a, c) VALUES (?, -?)", rows, "3,-4");
        check_expression(c, "INSERT t (a, c) VALUE (?, NOT?OR 0) -- (?, 1)", rows, "0,0");
        check_expression(c, "INSERT t (a, c) VALUES (?, 1), (NULL, ?); # end", rows, "1,-3,1,4");
        check_expression(c, "INSERT INTO t (a, c) VALUES (?, 7=?) /* end */ ;", rows, "0,0");
        check_expression(c, "REPLACE INTO t (a, c) VALUES (? /* , */, (SELECT ? + 1))", rows, "-2,5");
        check_expression(c, "INSERT INTO t (a, c) VALUES (? DIV 9, ?) ON DUPLICATE KEY UPDATE c = c - 10", rows, "-13");
        check_expression(c, "INSERT INTO t (a, c) VALUES (?, /* ') */ ABS(?) ^ 1) -- it's", rows, "2,5");
    });
}
