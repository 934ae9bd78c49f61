//! Every way to read a row gives the same Rust value, or the same error, of every type of column: one by one, all, through callbacks,
//! iterators, streams and pipelines, as text and in binary form. What a batch of Arrow holds is compared with what a row says (`arrow`).

mod arrow;

use crate::cases::{Case, Route, in_cases};
use crate::twins::with_twin;
use inrush::sans_io::value::{Date, DateTime, Time};
use inrush::sans_io::wire::ColumnDef;
use inrush::{FromRow, FromValue, Json, OwnedRow, ResultRows, Row, Value, blocking};
use inrush_testkit::servers::{self, Vendor};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What each column of a row is as each Rust type: `column, type: value`.
#[derive(Debug, Clone, PartialEq)]
struct All(Vec<String>);

impl FromRow<'_> for All {
    fn from_row(row: Row<'_>) -> inrush::Result<Self> {
        let mut all = Vec::new();
        for position in 0..row.columns().len() {
            macro_rules! as_each {
                ($($ty:ty),* $(,)?) => { $( all.push(show::<$ty>(row, position, stringify!($ty))); )* };
            }
            as_each!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, bool, f32, f64);
            as_each!(String, Box<str>, Arc<str>, Borrowed, Vec<u8>, BorrowedBytes, [u8; 4], [u8; 16], Vec<f32>);
            as_each!(Date, DateTime, Time, jiff::civil::Date, jiff::civil::DateTime, jiff::civil::Time);
            as_each!(jiff::SignedDuration, Duration, jiff::Timestamp, SystemTime);
            as_each!(chrono::NaiveDate, chrono::NaiveDateTime, chrono::NaiveTime, chrono::TimeDelta);
            as_each!(chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::FixedOffset>);
            as_each!(time::Date, time::PrimitiveDateTime, time::Time, time::Duration, time::OffsetDateTime);
            as_each!(uuid::Uuid, rust_decimal::Decimal, bigdecimal::BigDecimal, serde_json::Value, Json<f64>);
            as_each!(Option<i64>, Option<String>, Number, Name, Size);
        }
        Ok(Self(all))
    }
}

/// The error without the value that it shows, for which a text row has the server's spelling.
fn show<T: for<'r> FromValue<'r> + Debug>(row: Row<'_>, position: usize, ty: &str) -> String {
    let name = &row.columns()[position].name;
    match row.get::<T>(position) {
        Ok(value) => format!("{name}, {ty}: {value:?}"),
        Err(error) => format!("{name}, {ty}: {:?}, {:?}, {:?}", error.reason(), error.conversion(), error.hint()),
    }
}

#[derive(Debug, PartialEq, FromValue)]
struct Number(u32);

#[derive(Debug, PartialEq, FromValue)]
struct Name(String);

#[derive(Debug, PartialEq, FromValue)]
#[inrush(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

/// What borrows cannot leave its row.
#[derive(Debug, PartialEq)]
struct Borrowed(String);

impl FromValue<'_> for Borrowed {
    const KIND: &'static str = <&str as FromValue<'_>>::KIND;

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        <&str>::from_value(value, column).map(|text| Self(text.to_owned()))
    }
}

#[derive(Debug, PartialEq)]
struct BorrowedBytes(Vec<u8>);

impl FromValue<'_> for BorrowedBytes {
    const KIND: &'static str = <&[u8] as FromValue<'_>>::KIND;

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        <&[u8]>::from_value(value, column).map(|bytes| Self(bytes.to_vec()))
    }
}

/// Types, and a value of each.
const COLUMNS: &[(&str, &str)] = &[
    ("TINYINT", "-128"),
    ("BOOL", "TRUE"),
    ("TINYINT(3) ZEROFILL", "7"),
    ("SMALLINT UNSIGNED", "65535"),
    ("MEDIUMINT", "-8388608"),
    ("INT", "-2147483648"),
    ("INT(8) ZEROFILL", "42"),
    ("BIGINT", "1234567890123456"),
    ("BIGINT", "-9223372036854775808"),
    ("BIGINT UNSIGNED", "18446744073709551615"),
    ("YEAR", "2024"),
    ("YEAR", "'0000'"),
    ("BIT(1)", "b'1'"),
    ("BIT(32)", "b'01100001011000100110001101100100'"),
    ("DECIMAL(10,2)", "-7.50"),
    ("DECIMAL(10,0)", "7"),
    ("DECIMAL(10,2) ZEROFILL", "7.5"),
    ("FLOAT", "1.5"),
    ("FLOAT", "-32500000000"),
    ("FLOAT(7,2)", "1.5"),
    ("DOUBLE", "5"),
    ("DOUBLE", "-0e0"),
    ("DOUBLE", "0.1"),
    ("DOUBLE", "123456789012345"),
    ("DOUBLE", "999999999999999e0"),
    ("DOUBLE", "1e15"),
    ("DOUBLE", "1234567890123456768"),
    ("DOUBLE", "-1e300"),
    ("DOUBLE", "1.7976931348623157e308"),
    ("DOUBLE", "1e-5"),
    ("DOUBLE", "1.5e-14"),
    ("DOUBLE", "1e-15"),
    ("DOUBLE", "9.5e-16"),
    ("DOUBLE", "1e-20"),
    ("DOUBLE(10,2)", "1.5"),
    ("DOUBLE(10,2) ZEROFILL", "1.5"),
    ("DATE", "'2024-02-29'"),
    ("DATE", "'9999-12-31'"),
    ("DATETIME", "'2024-02-29 00:00:00'"),
    ("DATETIME(3)", "'2024-02-29 23:59:58.120'"),
    ("DATETIME(6)", "'9999-12-31 23:59:59.999999'"),
    ("TIMESTAMP(6) NULL", "'2024-02-29 23:59:58.123456'"),
    ("TIME", "'23:59:58'"),
    ("TIME(6)", "'-00:00:00.000001'"),
    ("TIME", "'838:59:59'"),
    ("CHAR(5)", "'abcd'"),
    ("VARCHAR(20)", "'17'"),
    ("VARCHAR(20)", "'1.50'"),
    ("VARCHAR(30)", "'2024-02-29 23:59:58'"),
    ("VARCHAR(20)", "'10:11:12'"),
    ("VARCHAR(20)", "'nan'"),
    ("TEXT", "'{\"a\": 1}'"),
    ("VARBINARY(20)", "x'00ff0102'"),
    ("BINARY(16)", "'1234567890123456'"),
    ("BLOB", "'5'"),
    ("CHAR(36)", "'0192f3a8-27c4-7000-8000-00000000c0de'"),
    ("ENUM('small','large','3')", "'large'"),
    ("SET('a','b')", "'a,b'"),
    ("JSON", "'[1, 2]'"),
    ("INT", "NULL"),
];

/// What only some servers have.
fn of_one_server(case: &Case) -> &'static [(&'static str, &'static str)] {
    match (case.server.vendor, &*case.server.name) {
        (Vendor::Mysql, _) => &[("VECTOR(2)", "STRING_TO_VECTOR('[1.5,-2]')")],
        (Vendor::Mariadb, "mariadb-11.8") => &[
            ("VECTOR(2)", "VEC_FromText('[1.5,-2]')"),
            ("UUID", "'0192f3a8-27c4-7000-8000-00000000c0de'"),
            ("INET6", "'::1'"),
        ],
        (Vendor::Mariadb, _) => &[("UUID", "'0192f3a8-27c4-7000-8000-00000000c0de'"), ("INET4", "'10.0.0.1'")],
    }
}

/// What the server computes: AVG of a DOUBLE, sums, counts.
const COMPUTED: &str = "AVG(c20) AS avg_double, SUM(c20) AS sum_double, AVG(c1) AS avg_int, SUM(c0) AS sum_int, COUNT(*) AS n, \
                        MAX(c10) AS year, MAX(c6) AS zeros, 1 = 1 AS truth, 1.50 AS literal, 1e0 AS real_literal";

#[test]
fn every_way_to_read_a_row_gives_the_same() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let schema = case.server.schema("ways");
        let columns: Vec<_> = COLUMNS.iter().chain(of_one_server(case)).collect();
        let declared: Vec<_> = columns.iter().enumerate().map(|(i, (ty, _))| format!("c{i} {ty}")).collect();
        let literals: Vec<_> = columns.iter().map(|(_, literal)| *literal).collect();
        let config = case.config().with_database(schema.name()).with_time_zone("+02:00").unwrap();
        with_twin!(case, config, connection => {
            wait!(connection.execute(&format!("CREATE TABLE t ({})", declared.join(", ")), ())).unwrap();
            wait!(connection.execute(&format!("INSERT INTO t VALUES ({})", literals.join(", ")), ())).unwrap();
            let mut differ = Vec::new();
            for sql in ["SELECT * FROM t", &format!("SELECT {COMPUTED} FROM t")] {
                let prepared = wait!(connection.prepare(sql)).unwrap();
                let want: All = wait!(connection.query_one(sql, ())).unwrap();
                let mut check = |way: &str, got: All| {
                    let pairs = want.0.iter().zip(&got.0).filter(|(want, got)| want != got);
                    differ.extend(pairs.map(|(want, got)| format!("{way}: {got}\n    and not {want}")));
                };
                macro_rules! ways {
                    ($form:literal, $sql:expr) => {
                        let owned: OwnedRow = wait!(connection.query_one($sql, ())).unwrap();
                        check(concat!($form, ", OwnedRow"), owned.to().unwrap());
                        check(concat!($form, ", query_one"), wait!(connection.query_one($sql, ())).unwrap());
                        check(concat!($form, ", query_opt"), wait!(connection.query_opt($sql, ())).unwrap().unwrap());
                        check(concat!($form, ", query_first"), wait!(connection.query_first($sql, ())).unwrap().unwrap());
                        check(concat!($form, ", query"), wait!(connection.query($sql, ())).unwrap().remove(0));
                        let mut each = None;
                        wait!(connection.query_each($sql, (), |row| { each = Some(All::from_row(row)?); Ok(()) })).unwrap();
                        check(concat!($form, ", query_each"), each.unwrap());
                        let results = wait!(connection.query_result_sets($sql, ())).unwrap();
                        check(concat!($form, ", query_result_sets"), All::from_row(results[0].rows().next().unwrap()).unwrap());
                        let mut rows = wait!(connection.query_iter($sql, ())).unwrap();
                        check(concat!($form, ", next_as"), wait!(rows.next_as()).unwrap().unwrap());
                        drop(rows);
                        let mut rows = wait!(connection.query_iter($sql, ())).unwrap();
                        check(concat!($form, ", next_row"), All::from_row(wait!(rows.next_row()).unwrap().unwrap()).unwrap());
                        drop(rows);
                    };
                }
                ways!("text", sql);
                ways!("binary", &prepared);
                let mut pipeline = connection.pipeline();
                pipeline.query(sql).execute(&prepared, ());
                for (form, reply) in ["text", "binary"].into_iter().zip(wait!(pipeline.run()).unwrap()) {
                    check(&format!("{form}, pipeline"), reply.unwrap().rows().unwrap().remove(0));
                }
            }
            assert!(differ.is_empty(), "{}: {} differ:\n{}", case.server.name, differ.len(), differ.join("\n"));
        });
    });
}

/// Results that own their connection: an iterator, a stream.
#[test]
fn owned_rows_give_the_same() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let config = case.config().with_time_zone("+02:00").unwrap();
        let sql = "SELECT CAST('2024-02-29 23:59:58' AS DATETIME) AS moment, CAST('9999-12-31' AS DATE) AS day, 7 AS n, 1e300 AS x";
        let mut connection = blocking::Connection::connect(&config).unwrap();
        let want: All = connection.query_one(sql, ()).unwrap();
        assert!(
            want.0.iter().any(|line| line.starts_with("moment, jiff::Timestamp: 2024-02-29T21:59:58Z")),
            "{want:?}"
        );
        let prepared = connection.prepare(sql).unwrap();
        let open = || blocking::Connection::connect(&config).unwrap();
        for rows in [
            blocking::ResultRows::open(open(), sql, ()).unwrap(),
            blocking::ResultRows::open(open(), &prepared, ()).unwrap(),
        ] {
            assert_eq!(rows.into_iter_as().collect::<inrush::Result<Vec<All>>>().unwrap(), std::slice::from_ref(&want));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            use futures_util::TryStreamExt as _;
            for is_prepared in [false, true] {
                let connection = inrush::Connection::connect(&config).await.unwrap();
                let rows = match is_prepared {
                    true => ResultRows::open(connection, &prepared, ()).await.unwrap(),
                    false => ResultRows::open(connection, sql, ()).await.unwrap(),
                };
                let rows: Vec<All> = rows.into_stream().try_collect().await.unwrap();
                assert_eq!(rows, std::slice::from_ref(&want));
            }
        });
    });
}
