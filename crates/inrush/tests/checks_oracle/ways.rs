//! Every way to write a value into every type of column: what an execution stores is what each method of a batch and an inserter store, or
//! they refuse it with an error. So neither the size of a batch nor the method that `auto` takes changes a value.

use super::oracle::{Lane, has_type};
use super::values::{TYPES, printed_values};
use inrush::sans_io::batch::{BatchOptions, OnBadRow};
use inrush::sans_io::value::Value;
use inrush::sans_io::write::Method;
use inrush::{Config, InserterOptions, Statement, blocking};
use inrush_testkit::servers;
use std::collections::HashMap;

/// What the rows hold, by number, in binary form.
pub(super) type Stored = HashMap<usize, String>;

/// The ends of each type of number, and what lies beyond 2^53, as every kind of number.
fn ends() -> Vec<Value<'static>> {
    let mut values = Vec::new();
    for bits in [7, 8, 15, 16, 23, 24, 31, 32, 53, 63] {
        let end = 1_i128 << bits;
        for n in [-end - 1, -end, -end + 1, end - 1, end, end + 1] {
            values.extend(i64::try_from(n).ok().map(Value::Int));
            values.extend(u64::try_from(n).ok().map(Value::UInt));
            values.push(Value::Double(n as f64));
        }
        values.extend([end, -end].map(|n| Value::Float(n as f32)));
    }
    let doubles = [-1_234_567_890_123_456_768.0, 1_234_567_890_123_456_768.0, 9_007_199_254_740_994.0, 1e18, 1.5e18];
    values.extend(doubles.map(Value::Double));
    values.extend([18_446_744_073_709_549_568.0, 9_223_372_036_854_774_784.0, 1.8e19, 2e19].map(Value::Double));
    values.extend([34_000_000_000.0, -1.2e18, 9_000_000_000_000_000_000.0, 123_456_789.0].map(Value::Float));
    values.extend([u64::MAX, u64::MAX - 1].map(Value::UInt));
    values
}

/// All kinds of values, and of numbers many.
fn values() -> Vec<Value<'static>> {
    let bytes: [&[u8]; 8] = [b"", b"5", b"\x05", b"\0\x05", b"a", b"\xc3\xa9", b"\xff\xfe", &[0xff; 8]];
    printed_values().into_iter().chain(bytes.map(Value::Bytes)).collect()
}

#[test]
fn every_way_to_write_stores_what_an_execution_stores() {
    let mut differ = Vec::new();
    for server in servers::with_local_infile() {
        let lane = Lane::on(&server);
        let config = Config::from_url(&lane.schema.url()).unwrap().with_local_infile(true);
        let config = config.with_multi_statements(true).with_time_zone("+00:00").unwrap();
        let mut connection = blocking::Connection::connect(&config).unwrap();
        let pool = blocking::Pool::new(config).unwrap();
        for (number, ty) in TYPES.into_iter().filter(|ty| has_type(&server.name, ty)).enumerate() {
            // A table of its own: what an inserter knows of one may be a minute old.
            let table = &format!("w{number}");
            connection.execute(&format!("CREATE TABLE {table} (id INT PRIMARY KEY, c {ty} NULL)"), ()).unwrap();
            let values = values_for(ty);
            let want = executed(&mut connection, table, &values);
            let mut check = |way: &str, got: Stored| {
                for (id, got) in got {
                    let value = values[id];
                    if let Some(want) = want.get(&id).filter(|want| **want != got)
                        && !is_bent_by_execute(&server.name, ty, &value)
                    {
                        differ.push(format!("{}, {ty}, {way}: {value:?} is {got}, and {want} by execute", server.name));
                    }
                }
            };
            for method in Method::ALL {
                if let Some(got) = batched(&mut connection, table, method, &values) {
                    check(method.name(), got);
                }
            }
            check("inserter", inserted(&pool, &mut connection, table, &values));
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

/// All values for a column of this type.
pub(super) fn values_for(ty: &str) -> Vec<Value<'static>> {
    if is_number(ty) { ends().into_iter().chain(values()).collect() } else { values() }
}

fn is_number(ty: &str) -> bool {
    ["tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "bit"]
        .iter()
        .any(|number| ty.starts_with(number))
}

/// What a server makes of a bound value, and a batch, which knows the column, does not.
pub(super) fn is_bent_by_execute(server: &str, ty: &str, value: &Value<'_>) -> bool {
    let is_text = ["char", "varchar", "tinytext", "longblob", "varbinary", "binary", "json"]
        .iter()
        .any(|text| ty.starts_with(text));
    match value {
        // MySQL loses fractions of seconds where they become text, and what it makes of -00:00:00 is no time.
        Value::DateTime(moment) => server.contains("mysql") && is_text && moment.micros > 0,
        Value::Time(time) => server.contains("mysql") && (is_text || time.as_micros() == Some(0)),
        // A zero has a sign or none; MySQL stores the greatest number for the DOUBLEs next to it.
        Value::Double(n) if *n >= 9.2e18 && ty == "bigint" => server.contains("mysql"),
        Value::Double(n) => *n == 0.0 && (is_text || ty.ends_with("unsigned")),
        Value::Float(n) => *n == 0.0 && (is_text || ty.ends_with("unsigned")),
        // MariaDB cuts numbers to a quarter of the bytes that they may have.
        Value::Int(_) | Value::UInt(_) => server.contains("mariadb") && ty.ends_with("utf32"),
        _ => false,
    }
}

/// Each value in a statement of its own, so that no execution has a bearing on the next. What the server bends with a warning is left out.
pub(super) fn executed(connection: &mut blocking::Connection, table: &str, values: &[Value<'_>]) -> Stored {
    connection.execute("BEGIN", ()).unwrap();
    for (id, value) in values.iter().enumerate() {
        let kind = std::mem::discriminant(value);
        let insert = Statement::new(&format!("INSERT INTO {table} (id, c) VALUES (?, ?) /* {kind:?} */")).unwrap();
        let outcome = connection.execute(&insert, [Value::Int(id as i64), *value]);
        if outcome.is_ok_and(|outcome| outcome.warnings > 0) {
            connection.execute(&format!("DELETE FROM {table} WHERE id = ?"), (id as i64,)).unwrap();
        }
    }
    connection.execute("COMMIT", ()).unwrap();
    take(connection, table)
}

/// One batch of all values; `None` for a method that this server or this table does not have.
pub(super) fn batched(
    connection: &mut blocking::Connection,
    table: &str,
    method: Method,
    values: &[Value<'_>],
) -> Option<Stored> {
    let rows: Vec<_> = values.iter().enumerate().map(|(id, value)| [Value::Int(id as i64), *value]).collect();
    let options = BatchOptions::new().with_method(method).with_bad_rows(OnBadRow::Skip);
    let report = connection.execute_batch_with(&format!("INSERT INTO {table} (id, c) VALUES (?, ?)"), &rows, &options);
    match report {
        Ok(report) => assert_eq!(report.n_rows + report.bad_rows.len() as u64, rows.len() as u64),
        Err(error) => {
            assert_eq!(error.kind(), inrush::Kind::Config, "{method:?}: {error:?}");
            return None;
        }
    }
    Some(take(connection, table))
}

/// Each of the numbers in a batch of its own.
fn inserted(pool: &blocking::Pool, connection: &mut blocking::Connection, table: &str, values: &[Value<'_>]) -> Stored {
    let options = InserterOptions::new().with_columns(["id", "c"]);
    let inserter = pool.inserter_with(table, &options).unwrap();
    std::thread::scope(|scope| {
        for part in 0..PARTS {
            let inserter = &inserter;
            scope.spawn(move || {
                for (id, value) in values.iter().enumerate().skip(part).step_by(PARTS) {
                    // Refused values are the others' business: they have an error.
                    let _ = inserter.insert([Value::Int(id as i64), *value]);
                }
            });
        }
    });
    inserter.close().unwrap();
    take(connection, table)
}

pub(super) fn take(connection: &mut blocking::Connection, table: &str) -> Stored {
    let select = Statement::new(&format!("SELECT id, c FROM {table} WHERE id >= ?")).unwrap();
    let results = connection.query_result_sets(&select, (0,)).unwrap();
    let stored = results[0].rows().map(|row| {
        let values: Vec<_> = row.values().map(Result::unwrap).collect();
        (values[0].as_i64().unwrap() as usize, format!("{:?}", values[1]))
    });
    let stored = stored.collect();
    connection.execute(&format!("DELETE FROM {table}"), ()).unwrap();
    stored
}

const PARTS: usize = 16;
