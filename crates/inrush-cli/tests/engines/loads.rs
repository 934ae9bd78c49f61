//! What `inrush load` does.

use crate::Behaviour;
use crate::ground::{Ground, Outcome};
use crate::place::Rows;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use std::io::Write as _;
use std::sync::Arc;

pub(crate) const BEHAVIOURS: &[Behaviour] = &[
    ("load CSV", |g| format_of(g, "people.csv", CSV.into())),
    ("load compressed CSV", |g| format_of(g, "people.csv.gz", gzip())),
    ("load JSON Lines", |g| format_of(g, "people.jsonl", JSON_LINES.into())),
    ("load Parquet", |g| format_of(g, "people.parquet", parquet())),
    ("load an Arrow file", |g| format_of(g, "people.arrow", arrow())),
    ("load by `load-data`", |g| method(g, "load-data")),
    ("load by `bulk`", |g| method(g, "bulk")),
    ("load by `multi-row-prepared`", |g| method(g, "multi-row-prepared")),
    ("load by `multi-row`", |g| method(g, "multi-row")),
    ("several lanes", several_lanes),
    ("types", types),
    ("values that a column cannot hold", checks),
    ("rows that only the server refuses", bad_rows),
    ("rows that a CHECK or a foreign key refuses", unfit_rows),
    ("`--mode upsert` of rows that only the server refuses", |g| bad_replacements(g, "upsert")),
    ("`--mode replace` of rows that only the server refuses", |g| bad_replacements(g, "replace")),
    ("`--mode ignore`", |g| mode(g, "ignore", "1,5,Ann|2,6,Bob|3,7,Cy", Rows::skipping(1, 2))),
    ("`--mode replace`", |g| mode(g, "replace", "1,50,Ann B.|2,60,Bob B.|3,7,Cy", Rows::stored(3))),
    ("`--mode upsert`", |g| mode(g, "upsert", "1,50,Ann B.|2,60,Bob B.|3,7,Cy", Rows::stored(3))),
    ("`--mode update`", |g| mode(g, "update", "1,50,Ann B.|2,60,Bob B.", Rows::skipping(2, 1))),
    ("`--mode delete`", |g| mode(g, "delete", "", Rows::skipping(2, 1))),
    ("`--create-table`", create_table),
    ("`--truncate`", truncate),
    ("`--atomic`", atomic),
    ("`--defer-indexes`", defer_indexes),
    ("`--sort key`", sorted),
    ("`--verify`", verify),
    ("killed, then the same command", resume),
];

const CSV: &str = "id,value,name\n1,5,Ann\n2,6,\"Bob, jr\"\n3,7,Zoë\n";
const JSON_LINES: &str = "{\"id\":1,\"value\":5,\"name\":\"Ann\"}\n{\"id\":2,\"value\":6,\"name\":\"Bob, jr\"}\n{\"id\":3,\"value\":7,\"name\":\"Zoë\"}\n";
const HELD: &str = "1,5,Ann|2,6,Bob, jr|3,7,Zoë";

fn format_of(ground: &Ground<'_>, file: &str, content: Vec<u8>) -> Outcome {
    ground.people("");
    ground.place.write(file, content);
    ground.stores(&format!("{file} --into people"), 3)?;
    assert_eq!(ground.held(), HELD);
    Ok(())
}

fn gzip() -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(CSV.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

fn columns() -> RecordBatch {
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef),
        ("value", Arc::new(Int32Array::from(vec![5, 6, 7]))),
        ("name", Arc::new(StringArray::from(vec!["Ann", "Bob, jr", "Zoë"]))),
    ])
    .unwrap()
}

fn parquet() -> Vec<u8> {
    let batch = columns();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow() -> Vec<u8> {
    let batch = columns();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// `n` rows of CSV; `value` is ten times the id.
fn many(n: u64) -> String {
    let rows = (1..=n).map(|id| format!("{id},{},name {id}\n", id * 10));
    std::iter::once("id,value,name\n".to_owned()).chain(rows).collect()
}

/// How many rows `people` holds, how many ids, and the sums of both numbers.
const SUMS: &str = "SELECT COUNT(*), COUNT(DISTINCT id), SUM(id), SUM(value) FROM people";

fn sums(n: u64) -> String {
    let sum = n * (n + 1) / 2;
    format!("{n},{n},{sum},{}", sum * 10)
}

fn method(ground: &Ground<'_>, method: &str) -> Outcome {
    ground.people("");
    ground.place.write("people.csv", many(3_000));
    ground.stores(&format!("people.csv --into people --method {method} --batch 700"), 3_000)?;
    assert_eq!(ground.place.sql(SUMS), sums(3_000));
    Ok(())
}

fn several_lanes(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    ground.place.write("people.csv", many(20_000));
    ground.stores("people.csv --into people --lanes 4 --batch 500", 20_000)?;
    assert_eq!(ground.place.sql(SUMS), sums(20_000));
    Ok(())
}

/// Values at the edges of types, read back as the client program prints them.
fn types(ground: &Ground<'_>) -> Outcome {
    ground.table(
        "t",
        "id INT NOT NULL PRIMARY KEY, b BIGINT UNSIGNED, d DECIMAL(20,6), f DOUBLE, s VARCHAR(60) CHARACTER SET utf8mb4, x VARBINARY(10), \
         day DATE, at DATETIME(6), t TIME, y YEAR, j JSON",
        "id",
    );
    let rows = "id,b,d,f,s,x,day,at,t,y,j\n\
                1,18446744073709551615,12345678901234.567891,1e300,\"tab\tand \\ and 'quote'\",abc,2024-02-29,2024-02-29 23:59:59.123456,-838:59:59,2155,\"{\"\"a\"\": 1}\"\n\
                2,0,-0.000001,-0.5,😀,,1000-01-01,1000-01-01 00:00:00,00:00:00,1901,[]\n";
    ground.place.write("t.csv", rows);
    ground.stores("t.csv --into t", 2)?;
    let held = ground.place.sql("SELECT b, d, f, HEX(s), HEX(x), day, at, t, y, j FROM t ORDER BY id");
    assert_eq!(
        held,
        "18446744073709551615,12345678901234.567891,1e300,74616209616E64205C20616E64202771756F746527,616263,2024-02-29,\
         2024-02-29 23:59:59.123456,-838:59:59,2155,{\"a\": 1}|0,-0.000001,-0.5,F09F9880,,1000-01-01,1000-01-01 00:00:00.000000,00:00:00,1901,[]"
    );
    Ok(())
}

/// Found before anything is sent.
fn checks(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    let name = "x".repeat(41);
    ground.place.write("people.csv", format!("id,value,name\n1,5,Ann\n2,3000000000,Bob\n3,x,Cy\n4,8,{name}\n5,9,Di\n"));
    let done = ground.load("people.csv --into people --bad-rows divert:bad.csv")?;
    assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 3))), "{done}");
    assert_eq!(ground.held(), "1,5,Ann|5,9,Di");
    assert_eq!(ground.place.read("bad.csv"), format!("id,value,name\n2,3000000000,Bob\n3,x,Cy\n4,8,{name}\n"));
    Ok(())
}

/// Duplicates: the good rows of their chunk are stored, in each of the methods that the engine has.
fn bad_rows(ground: &Ground<'_>) -> Outcome {
    ground.people("(7,1,'before'),(1900,1,'before')");
    ground.place.write("people.csv", many(2_000));
    let done = ground.load("people.csv --into people --bad-rows divert:bad.csv --batch 500")?;
    assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(1_998, 2))), "{done}");
    assert_eq!(ground.place.read("bad.csv"), "id,value,name\n7,70,name 7\n1900,19000,name 1900\n");
    assert_eq!(ground.place.sql("SELECT COUNT(*), SUM(name = 'before') FROM people"), "2000,2");
    Ok(())
}

/// Rows that a CHECK or a foreign key refuses, if an INSERT says so there: a LOAD DATA may not. By the method that is chosen.
fn unfit_rows(ground: &Ground<'_>) -> Outcome {
    let schema = ground.place.schema.name();
    let refuses = |row: &str| ground.place.server.try_sql(&format!("INSERT INTO `{schema}`.{row}")).is_err();
    ground.table("t", "id INT NOT NULL PRIMARY KEY, value INT NOT NULL, CHECK (value >= 0)", "id");
    // Where keys lead to other tables, those have no partitions.
    ground.place.sql(
        "CREATE TABLE parents (id INT NOT NULL PRIMARY KEY); INSERT INTO parents VALUES (1), (2); \
         CREATE TABLE children (id INT NOT NULL PRIMARY KEY, value INT NOT NULL, FOREIGN KEY (value) REFERENCES parents (id))",
    );
    for (table, sign) in [("t", "-"), ("children", "")] {
        let is_refused = refuses(&format!("{table} VALUES (-1, {sign}9)"));
        ground.place.sql(&format!("DELETE FROM {table}"));
        let row = |id: u64| match id % 50 {
            7 => format!("{id},{sign}9\n"),
            _ => format!("{id},{}\n", 1 + id % 2),
        };
        ground.place.write("rows.csv", format!("id,value\n{}", (1..=400).map(row).collect::<String>()));
        ground.place.forget();
        let done = ground.load(&format!("rows.csv --into {table} --bad-rows divert:bad-{table}.csv --batch 100"))?;
        let want = if is_refused { (4, Rows::rejecting(392, 8)) } else { (0, Rows::stored(400)) };
        assert_eq!(done.rows().map(|rows| (done.code, rows)), Some(want), "{table}: {done}");
        let n_rows = if is_refused { "392,392" } else { "400,392" };
        assert_eq!(ground.place.sql(&format!("SELECT COUNT(*), SUM(value IN (1, 2)) FROM {table}")), n_rows);
    }
    Ok(())
}

/// Rows that a CHECK refuses, among others that replace what is there. An engine without CHECKs stores them. Every node of a cluster has
/// the same rows afterwards.
fn bad_replacements(ground: &Ground<'_>, mode: &str) -> Outcome {
    const N: i64 = 400;
    ground.table("t", "id INT NOT NULL PRIMARY KEY, value INT NOT NULL, CHECK (value >= 0)", "id");
    let bad = format!("INSERT INTO `{}`.t VALUES (-1, -1)", ground.place.schema.name());
    let has_checks = ground.place.server.try_sql(&bad).is_err();
    ground.place.sql("DELETE FROM t");
    let old: Vec<String> = (3..=N).step_by(3).map(|id| format!("({id}, 1)")).collect();
    ground.place.sql(&format!("INSERT INTO t VALUES {}", old.join(",")));
    // Each is behind rows that are there and rows that are new.
    let value = |id: i64| if id % 40 == 35 { -1 } else { id * 10 };
    let rows: String = (1..=N).map(|id| format!("{id},{}\n", value(id))).collect();
    ground.place.write("t.csv", format!("id,value\n{rows}"));
    let done = ground.load(&format!("t.csv --into t --mode {mode} --bad-rows divert:bad.csv --batch 100"))?;
    let bad: Vec<i64> = (1..=N).filter(|id| has_checks && value(*id) < 0).collect();
    let n_bad = bad.len() as u64;
    let want = if has_checks { (4, Rows::rejecting(N as u64 - n_bad, n_bad)) } else { (0, Rows::stored(N as u64)) };
    assert_eq!(done.rows().map(|rows| (done.code, rows)), Some(want), "{done}");
    // Of a row that was there and is refused, the old one stays.
    let held = |id: i64| if bad.contains(&id) { if id % 3 == 0 { Some(1) } else { None } } else { Some(value(id)) };
    let held: Vec<i64> = (1..=N).filter_map(held).collect();
    let want = [held.len().to_string(), held.iter().sum::<i64>().to_string()];
    ground.holds_everywhere("SELECT COUNT(*), SUM(value) FROM t", &want);
    Ok(())
}

fn mode(ground: &Ground<'_>, mode: &str, held: &str, rows: Rows) -> Outcome {
    ground.people("(1,5,'Ann'),(2,6,'Bob')");
    ground.place.write("people.csv", "id,value,name\n1,50,Ann B.\n2,60,Bob B.\n3,7,Cy\n");
    let done = ground.load(&format!("people.csv --into people --mode {mode}"))?;
    assert_eq!((done.code, done.rows()), (0, Some(rows)), "{done}");
    assert_eq!(ground.held(), held);
    Ok(())
}

fn create_table(ground: &Ground<'_>) -> Outcome {
    ground.place.write("people.csv", CSV);
    ground.stores("people.csv --into people --create-table --key id", 3)?;
    assert_eq!(ground.held(), HELD);
    Ok(())
}

fn truncate(ground: &Ground<'_>) -> Outcome {
    ground.people("(1,1,'before'),(9,1,'before')");
    ground.place.write("people.csv", CSV);
    ground.stores("people.csv --into people --truncate", 3)?;
    assert_eq!(ground.held(), HELD);
    Ok(())
}

fn atomic(ground: &Ground<'_>) -> Outcome {
    ground.people("(9,1,'before')");
    ground.place.write("people.csv", CSV);
    ground.stores("people.csv --into people --atomic", 3)?;
    assert_eq!(ground.held(), format!("{HELD}|9,1,before"));
    // Without a way back: a load that fails changes nothing.
    ground.place.write("more.csv", "id,value,name\n10,5,Ed\n9,6,again\n");
    let done = ground.load("more.csv --into people --atomic")?;
    assert_eq!(done.code, 2, "{done}");
    assert_eq!(ground.held(), format!("{HELD}|9,1,before"));
    Ok(())
}

fn defer_indexes(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    ground.place.sql("CREATE INDEX by_value ON people (value)");
    ground.place.write("people.csv", CSV);
    ground.stores("people.csv --into people --defer-indexes", 3)?;
    assert_eq!(ground.held(), HELD);
    assert_eq!(ground.place.schema.sql("SHOW INDEX FROM people WHERE Key_name = 'by_value'").len(), 1);
    Ok(())
}

fn sorted(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    let mut rows: Vec<String> = (1..=5_000_u64).map(|id| format!("{id},{},name {id}\n", id * 10)).collect();
    rows.sort();
    ground.place.write("people.csv", format!("id,value,name\n{}", rows.concat()));
    ground.stores("people.csv --into people --sort key --batch 1000", 5_000)?;
    assert_eq!(ground.place.sql(SUMS), sums(5_000));
    Ok(())
}

fn verify(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    ground.place.write("people.csv", many(1_000));
    ground.stores("people.csv --into people --verify", 1_000)?;
    assert_eq!(ground.place.sql(SUMS), sums(1_000));
    Ok(())
}

/// Behind the COMMIT of a chunk, before its answer is known. With a ledger the same command stores what is missing. Without one it
/// stores nothing twice where the table has a key: what is there is skipped by `--mode ignore`.
fn resume(ground: &Ground<'_>) -> Outcome {
    ground.people("");
    ground.place.write("people.csv", many(10_000));
    let mode = if ground.is_exactly_once() { "" } else { " --mode ignore" };
    let arguments = ground.arguments(&format!("people.csv --into people --lanes 2 --batch 500{mode}"));
    let killed = ground.place.command(&arguments).env("INRUSH_FAULT", "commit.sent:7").output().unwrap();
    assert_eq!(killed.status.code(), None, "it is not killed: {}", String::from_utf8_lossy(&killed.stderr));
    let done = ground.place.go_on(&arguments);
    assert_eq!(done.code, 0, "{done}");
    assert_eq!(ground.place.sql(SUMS), sums(10_000));
    if ground.is_exactly_once() {
        assert!(done.json["resumed"]["rows"].as_u64().unwrap() >= 500, "{}", done.stdout);
        let again = ground.place.go_on(&arguments);
        assert!(again.code == 0 && again.stdout.contains("already-loaded"), "{again}\n{}", again.stdout);
        assert_eq!(ground.place.sql(SUMS), sums(10_000));
    }
    Ok(())
}
