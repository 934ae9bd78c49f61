//! Types of other crates, instants, and structs with every option of the derive macros: the same is stored by every verb that takes
//! values, and comes back.

use crate::cases::{Case, Route, everywhere, in_cases};
use crate::twins::with_twin;
use crate::types::{Probe, both_forms, check_probes, filled, probe, probe_as};
use bigdecimal::BigDecimal;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use inrush::sans_io::wire::ColumnDef;
use inrush::{
    BatchOptions, BulkOptions, Config, FromRow, FromValue, Json, Kind, Method, PoolOptions, ToRow, ToValue, Value,
    blocking, params,
};
use inrush_testkit::servers::{self, Schema, Vendor};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use uuid::Uuid;

const UUID: Uuid = Uuid::from_u128(0x0192_f3a8_27c4_7000_8000_0000_0000_c0de);

/// 2024-02-29 23:59:58.000001 UTC.
fn leap_day() -> DateTime<Utc> {
    DateTime::from_timestamp_micros(1_709_251_198_000_001).unwrap()
}

fn probes(case: &Case) -> Vec<Probe> {
    let (day, moment) = (leap_day().date_naive(), leap_day().naive_utc());
    let instant = jiff::Timestamp::from_microsecond(leap_day().timestamp_micros()).unwrap();
    let date = time::Date::from_calendar_date(2024, time::Month::February, 29).unwrap();
    let clock = time::Time::from_hms_micro(23, 59, 58, 1).unwrap();
    let nines = format!("-{}.{}", "9".repeat(35), "9".repeat(30));
    let document: serde_json::Value = serde_json::from_str(r#"{"a": [1, null, "ä'\\"], "b": {"c": 2.5}}"#).unwrap();
    // The session's zone is +02:00.
    let literal = "'2024-03-01 01:59:58.000001'";
    let mut probes = vec![
        probe("BINARY(16)", "x'0192f3a827c470008000000000 00c0de'".replace(' ', "").as_str(), UUID),
        probe_as("CHAR(36)", "'0192f3a8-27c4-7000-8000-00000000c0de'", UUID.hyphenated(), UUID),
        probe_as("CHAR(32) CHARACTER SET ascii", "'0192f3a827c47000800000000000c0de'", UUID.simple(), UUID),
        probe(
            "DECIMAL(29,20)",
            "-123456789.12345678901234567890",
            Decimal::from_str("-123456789.12345678901234567890").unwrap(),
        ),
        probe("BIGINT", "-5", Decimal::from(-5)),
        probe("DECIMAL(65,30)", &nines, BigDecimal::from_str(&nines).unwrap()),
        probe("JSON", r#"'{"a": [1, null, "ä''\\\\"], "b": {"c": 2.5}}'"#, document.clone()),
        probe_as("LONGTEXT", "'[1,2]'", Json(vec![1_u8, 2]), Json(vec![1_u8, 2])),
        probe("DATE", "'2024-02-29'", day),
        probe("DATETIME(6)", "'2024-02-29 23:59:58.000001'", moment),
        probe("TIME(6)", "'23:59:58.000001'", moment.time()),
        probe("TIME(6)", "'-800:59:58.999999'", TimeDelta::microseconds(-2_883_598_999_999)),
        probe("TIMESTAMP(6) NULL", literal, leap_day()),
        probe("DATETIME(6)", literal, leap_day()),
        probe("DATE", "'2024-02-29'", date),
        probe("DATETIME(6)", "'2024-02-29 23:59:58.000001'", time::PrimitiveDateTime::new(date, clock)),
        probe("TIME(6)", "'23:59:58.000001'", clock),
        probe("TIME(6)", "'-800:59:58.999999'", time::Duration::microseconds(-2_883_598_999_999)),
        probe("TIMESTAMP(6) NULL", literal, time::PrimitiveDateTime::new(date, clock).assume_utc()),
        probe("TIMESTAMP(6) NULL", literal, instant),
        probe("DATETIME(6)", literal, SystemTime::from(instant)),
        probe("TIME(6)", "'01:00:00.000001'", Duration::from_micros(3_600_000_001)),
        probe::<Arc<str>>("VARCHAR(9)", "'ä'", "ä".into()),
        probe::<Box<str>>("VARCHAR(9)", "'ä'", "ä".into()),
    ];
    if case.server.vendor == Vendor::Mariadb && case.server.name == "mariadb-11.8" {
        let literal = "'0192f3a8-27c4-7000-8000-00000000c0de'";
        probes.push(probe_as("UUID", literal, UUID.hyphenated(), UUID));
        probes.push(probe("UUID", literal, UUID));
    }
    probes
}

#[test]
fn types_of_crates_come_back() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let (schema, probes) = (case.server.schema("crates"), probes(case));
        let config = case.config().with_time_zone("+02:00").unwrap();
        let mut twin = filled(case, config, schema.name(), &probes);
        check_probes(both_forms(&mut twin), &probes);
    });
}

#[derive(Debug, Clone, Copy, PartialEq, FromValue, ToValue)]
#[inrush(rename_all = "snake_case")]
enum State {
    InStock,
    #[inrush(rename = "gone")]
    SoldOut,
}

#[derive(Debug, Clone, Copy, PartialEq, FromValue, ToValue)]
struct Id(u32);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Size {
    width: u32,
    tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, FromRow, ToRow)]
struct Price {
    price: Decimal,
    #[inrush(rename = "changed_at")]
    changed: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, FromRow, ToRow)]
struct Item {
    id: Id,
    state: State,
    #[inrush(flatten)]
    price: Price,
    #[inrush(json)]
    size: Size,
    #[inrush(json)]
    old_size: Option<Size>,
    #[inrush(with = "yes_or_no")]
    sold: bool,
    code: Uuid,
    #[inrush(skip)]
    seen: bool,
}

/// What an `Item` is when a query leaves a column out.
#[derive(Debug, PartialEq, FromRow)]
struct Short {
    id: Id,
    #[inrush(default)]
    code: Option<Uuid>,
    #[inrush(default)]
    state: Option<State>,
}

mod yes_or_no {
    use super::*;

    pub(super) fn to_value(sold: &bool) -> Value<'_> {
        Value::Text(if *sold { "yes" } else { "no" })
    }

    pub(super) fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<bool> {
        match value.as_str()? {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }
}

fn item(id: u32) -> Item {
    let size = |width| Size { width, tags: vec!["it's".to_owned(), "ä\\".to_owned()] };
    Item {
        id: Id(id),
        state: if id.is_multiple_of(2) { State::InStock } else { State::SoldOut },
        price: Price {
            price: Decimal::new(i64::from(id) * 101, 2),
            changed: leap_day() + TimeDelta::seconds(id.into()),
        },
        size: size(id),
        old_size: id.is_multiple_of(3).then(|| size(0)),
        sold: id.is_multiple_of(2),
        code: Uuid::from_u128(id.into()),
        seen: false,
    }
}

const COLUMNS: [&str; 8] = ["id", "state", "price", "changed_at", "size", "old_size", "sold", "code"];

fn items(case: &Case) -> (Schema, Config) {
    let schema = case.server.schema("items");
    schema.sql(
        "CREATE TABLE items (id INT UNSIGNED PRIMARY KEY, state ENUM('in_stock', 'gone') NOT NULL, price DECIMAL(9,2) NOT NULL, \
         changed_at TIMESTAMP(6) NULL, size JSON NOT NULL, old_size JSON, sold VARCHAR(3) NOT NULL, code BINARY(16) NOT NULL)",
    );
    let config = case
        .config()
        .with_database(schema.name())
        .with_time_zone("-05:30")
        .unwrap()
        .with_multi_statements(true)
        .with_local_infile(true);
    (schema, config)
}

fn insert() -> String {
    let marks: Vec<_> = COLUMNS.iter().map(|name| format!(":{name}")).collect();
    format!("INSERT INTO items ({}) VALUES ({})", COLUMNS.join(", "), marks.join(", "))
}

#[test]
fn a_struct_is_stored_alike_by_every_verb() {
    assert_eq!(Item::COLUMNS, COLUMNS);
    everywhere(|case| {
        let (_schema, config) = items(case);
        with_twin!(case, config.clone(), connection => {
            wait!(connection.execute(&insert(), item(1))).unwrap();
            let two = wait!(connection.prepare(&insert())).unwrap();
            let mut pipeline = connection.pipeline();
            pipeline.execute(&two, item(2)).execute(&two, item(3));
            for reply in wait!(pipeline.run()).unwrap() {
                reply.unwrap();
            }
            let mut next = 4;
            let mut methods = Method::ALL.to_vec();
            methods.retain(|method| match method {
                Method::LoadData => case.server.local_infile,
                Method::Bulk => case.server.vendor == Vendor::Mariadb,
                _ => true,
            });
            for method in methods {
                let rows: Vec<Item> = (next..next + 7).map(item).collect();
                next += 7;
                let options = BatchOptions::new().with_method(method);
                let report = wait!(connection.execute_batch_with(&insert(), &rows, &options)).unwrap();
                assert_eq!(report.affected, 7, "{method:?}");
            }
            let mut bulk = connection.bulk_with("items", &COLUMNS, &BulkOptions::new().with_rows(4)).unwrap();
            for id in next..next + 6 {
                wait!(bulk.push(item(id))).unwrap();
            }
            assert_eq!(wait!(bulk.finish()).unwrap().n_rows, 6);
            next += 6;
            let found: Vec<Item> = wait!(connection.query("SELECT * FROM items ORDER BY id", ())).unwrap();
            assert_eq!(found, (1..next).map(item).collect::<Vec<_>>());
            let found: Vec<Item> = wait!(connection.query("SELECT * FROM items WHERE id > ? ORDER BY id", (0,))).unwrap();
            assert_eq!(found.len() as u32, next - 1);
            let short: Short = wait!(connection.query_one("SELECT id, code FROM items WHERE id = 2", ())).unwrap();
            assert_eq!(short, Short { id: Id(2), code: Some(Uuid::from_u128(2)), state: None });
        });
    });
}

#[test]
fn an_inserter_and_a_pool_keep_the_zone() {
    everywhere(|case| {
        let (_schema, config) = items(case);
        let pool = blocking::Pool::new(config.with_pool(PoolOptions::new().with_max(2))).unwrap();
        let inserter = pool.inserter("items").unwrap();
        for answer in inserter.insert_many((1..40).map(item)) {
            answer.unwrap();
        }
        inserter.close().unwrap();
        // A session that somebody changed is reset, and has its zone again.
        for _ in 0..3 {
            let found: Vec<Item> = pool.query("SELECT * FROM items ORDER BY id", ()).unwrap();
            assert_eq!(found, (1..40).map(item).collect::<Vec<_>>());
            pool.execute("SET time_zone = '+11:00'", ()).unwrap();
        }
        let mut own = pool.get().unwrap();
        own.execute("SET time_zone = '+03:00'", ()).unwrap();
        // The server tells that it has changed.
        assert_eq!(own.query_one::<Item>("SELECT * FROM items WHERE id = 7", ()).unwrap(), item(7));
        own.reset().unwrap();
        assert_eq!(own.query_one::<Item>("SELECT * FROM items WHERE id = 7", ()).unwrap(), item(7));
    });
}

#[test]
fn without_a_zone_an_instant_is_refused() {
    everywhere(|case| {
        let (_schema, _) = items(case);
        with_twin!(case, case.config(), connection => {
            let error = wait!(connection.execute("SELECT ?, ?", (1, leap_day()))).unwrap_err();
            let why = "value 2 cannot be sent: it is an instant, and the session's time zone is not known";
            assert_eq!((error.kind(), error.message()), (Kind::Config, why));
            assert!(error.hint().unwrap().contains("time-zone=+00:00"), "{error:?}");
            let error = wait!(connection.query_one::<DateTime<Utc>>("SELECT NOW()", ())).unwrap_err();
            assert!(error.message().ends_with("which is not an instant (`chrono::DateTime<Utc>`)"), "{error:?}");
            assert!(error.hint().unwrap().contains("time-zone=+00:00"), "{error:?}");
            // Set by the session itself it is known, since the servers tell.
            wait!(connection.execute("SET time_zone = '+00:00'", ())).unwrap();
            let now: DateTime<Utc> = wait!(connection.query_one("SELECT ?", (leap_day(),))).unwrap();
            assert_eq!(now, leap_day());
        });
        let error = case.config().with_time_zone("Mars/Base").unwrap_err();
        assert_eq!(error.message(), "`Mars/Base` is not a time zone");
    });
}

#[test]
fn what_cannot_be_written_is_told_before_anything_is_sent() {
    everywhere(|case| {
        let schema = case.server.schema("unwritten");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY, v JSON)");
        let good =
            || BTreeMap::from([(vec![1_u8], 1)]).into_values().map(|n| (n.to_string(), n)).collect::<BTreeMap<_, _>>();
        let bad = BTreeMap::from([([1_u8, 2], 1)]);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let error = wait!(connection.execute("INSERT INTO t VALUES (?, ?)", (1, Json(&bad)))).unwrap_err();
            assert_eq!(error.kind(), Kind::Data);
            assert_eq!(error.message(), "value 2 cannot be sent: it cannot be written as JSON: key must be a string");
            let (good, bad) = (Json(good()), Json(bad.clone()));
            let rows: Vec<Vec<&(dyn ToValue + Sync)>> = vec![vec![&1, &good], vec![&2, &bad], vec![&3, &good]];
            let error = wait!(connection.execute_batch("INSERT INTO t VALUES (?, ?)", &rows)).unwrap_err();
            assert_eq!((error.kind(), error.row()), (Kind::Data, Some(1)), "{error:?}");
            let skipping = BatchOptions::new().with_bad_rows(inrush::OnBadRow::Skip);
            let report = wait!(connection.execute_batch_with("INSERT INTO t VALUES (?, ?)", &rows, &skipping)).unwrap();
            assert_eq!((report.affected, report.bad_rows.len(), report.bad_rows[0].row), (2, 1, 1));
            let mut bulk = connection.bulk("t", &["id", "v"]).unwrap();
            let error = wait!(bulk.push((4, &bad))).unwrap_err();
            assert!(error.message().starts_with("value 2 cannot be sent"), "{error:?}");
            wait!(bulk.push((5, &good))).unwrap();
            wait!(bulk.finish()).unwrap();
            // A large one goes in parts, as any other.
            let large = Json(vec!["x".repeat(1 << 20); 3]);
            wait!(connection.execute("INSERT INTO t VALUES (:id, :v)", params! { "id" => 6, "v" => &large })).unwrap();
            let back: Json<Vec<String>> = wait!(connection.query_one("SELECT v FROM t WHERE id = 6", ())).unwrap();
            assert_eq!(back, large);
            // JSON that is not of the type says where it is not.
            let error = wait!(connection.query_one::<Json<Vec<u8>>>("SELECT v FROM t WHERE id = 1", ())).unwrap_err();
            assert!(error.message().contains("invalid type: map, expected a sequence at line 1 column 0"), "{error:?}");
        });
        assert_eq!(schema.sql("SELECT id FROM t ORDER BY id"), [["1"], ["3"], ["5"], ["6"]]);
    });
}

#[test]
fn a_number_that_the_server_computes_as_a_double_says_so() {
    everywhere(|case| {
        with_twin!(case, case.config(), connection => {
            let error = wait!(connection.query_one::<i64>("SELECT 1e0 + ?", (1,))).unwrap_err();
            assert!(error.hint().unwrap().contains("CAST(.. AS SIGNED)"), "{error:?}");
        });
    });
}

#[test]
fn an_instant_that_a_zone_shows_twice_is_refused() {
    let day = NaiveDate::from_ymd_opt(2024, 10, 27).unwrap();
    let twice = day.and_hms_opt(0, 30, 0).unwrap().and_utc();
    let mut memory = Vec::new();
    let zone = inrush::sans_io::zone::find("Europe/Berlin").unwrap();
    let values = [twice.to_value()];
    let error = inrush::sans_io::convert::resolve::resolve(&values, Some(&zone), &mut memory).unwrap_err();
    assert!(error.message().ends_with("2024-10-27 02:30:00, twice"), "{error:?}");
}
