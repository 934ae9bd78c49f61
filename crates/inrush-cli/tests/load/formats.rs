//! JSON Lines, Parquet and Arrow on every server: each value of each type is compared with what was written; tables are made from
//! schemas; bad rows are written down so that they can be corrected and loaded.

use crate::place::{Place, Rows, everywhere};
use arrow_array::builder::{Float32Builder, MapBuilder, StringBuilder};
use arrow_array::types::{Float32Type, Int16Type, Int32Type};
use arrow_array::*;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

/// Name, array, column, how the column is asked for, and what it says in each row.
type Case = (&'static str, ArrayRef, &'static str, &'static str, [&'static str; 3]);

fn cases() -> Vec<Case> {
    let uuid = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some([0x5a; 16]), None, Some([0xff; 16])].into_iter(),
        16,
    )
    .unwrap();
    let uuid: ArrayRef = Arc::new(uuid);
    let micros = |values: [Option<i64>; 3]| TimestampMicrosecondArray::from(values.to_vec());
    let texts = vec![Some("short"), None, Some("with 'quotes', \\ and \n é 😀")];
    let dictionary: DictionaryArray<Int16Type> = vec![Some("red"), None, Some("red")].into_iter().collect();
    let list =
        ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None, Some(-3)]), None, Some(vec![])]);
    let vector = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
        [Some(vec![Some(0.5), Some(-1e-7)]), None, Some(vec![Some(3.0), Some(0.0)])],
        2,
    );
    let mut map = MapBuilder::new(None, StringBuilder::new(), Float32Builder::new());
    map.keys().append_value("a \"key\"");
    map.values().append_value(0.25);
    map.append(true).unwrap();
    map.append(false).unwrap();
    map.append(true).unwrap();
    let members = StructArray::from(vec![
        (
            Arc::new(Field::new("x", DataType::Int32, true)),
            Arc::new(Int32Array::from(vec![Some(1), None, None])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("y", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec!["é", "", "\"\n"])) as ArrayRef,
        ),
    ]);
    let decimal = |units: [Option<i128>; 3], precision, scale| {
        Arc::new(Decimal128Array::from(units.to_vec()).with_precision_and_scale(precision, scale).unwrap()) as ArrayRef
    };
    vec![
        ("i8", Arc::new(Int8Array::from(vec![Some(-128), None, Some(127)])), "TINYINT", "", ["-128", "NULL", "127"]),
        (
            "i64",
            Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)])),
            "BIGINT",
            "",
            ["-9223372036854775808", "NULL", "9223372036854775807"],
        ),
        (
            "u64",
            Arc::new(UInt64Array::from(vec![Some(0), None, Some(u64::MAX)])),
            "BIGINT UNSIGNED",
            "",
            ["0", "NULL", "18446744073709551615"],
        ),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])), "BOOL", "", ["1", "NULL", "0"]),
        (
            "bit",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            "BIT(1)",
            "bit+0",
            ["1", "NULL", "0"],
        ),
        (
            "f32",
            Arc::new(Float32Array::from(vec![Some(0.1), None, Some(f32::MAX)])),
            "FLOAT",
            "ABS(f32 - 0.1) < 1e-7",
            ["1", "NULL", "0"],
        ),
        (
            "f64",
            Arc::new(Float64Array::from(vec![Some(0.1), None, Some(-1.0 / 3.0)])),
            "DOUBLE",
            "",
            ["0.1", "NULL", "-0.3333333333333333"],
        ),
        (
            "dec",
            decimal([Some(-12345), None, Some(99_999_999_999_999_999_999)], 38, 2),
            "DECIMAL(38,2)",
            "",
            ["-123.45", "NULL", "999999999999999999.99"],
        ),
        (
            "date",
            Arc::new(Date32Array::from(vec![Some(-141_427), None, Some(2_932_896)])),
            "DATE",
            "",
            ["1582-10-15", "NULL", "9999-12-31"],
        ),
        (
            "at",
            Arc::new(micros([Some(-1), None, Some(1_700_000_000_123_456)])),
            "DATETIME(6)",
            "",
            ["1969-12-31 23:59:59.999999", "NULL", "2023-11-14 22:13:20.123456"],
        ),
        // Instants, which the load's session brings into its zone.
        (
            "instant",
            Arc::new(micros([Some(1_000_000), None, Some(1_700_000_000_000_000)]).with_timezone("America/New_York")),
            "TIMESTAMP(6) NULL",
            "UNIX_TIMESTAMP(instant)+0",
            ["1", "NULL", "1700000000"],
        ),
        (
            "nanos",
            Arc::new(TimestampNanosecondArray::from(vec![Some(1_000), None, Some(0)])),
            "DATETIME(6)",
            "",
            ["1970-01-01 00:00:00.000001", "NULL", "1970-01-01 00:00:00.000000"],
        ),
        (
            "time",
            Arc::new(Time64MicrosecondArray::from(vec![Some(86_399_999_999), None, Some(0)])),
            "TIME(6)",
            "",
            ["23:59:59.999999", "NULL", "00:00:00.000000"],
        ),
        (
            "span",
            Arc::new(DurationSecondArray::from(vec![Some(-3_020_399), None, Some(360_000)])),
            "TIME",
            "",
            ["-838:59:59", "NULL", "100:00:00"],
        ),
        (
            "seconds",
            Arc::new(DurationSecondArray::from(vec![Some(-3_020_399), None, Some(360_000)])),
            "INT",
            "",
            ["-3020399", "NULL", "360000"],
        ),
        (
            "text",
            Arc::new(StringArray::from(texts.clone())),
            "VARCHAR(40)",
            "HEX(text)",
            ["73686F7274", "NULL", "77697468202771756F746573272C205C20616E64200A20C3A920F09F9880"],
        ),
        ("large", Arc::new(LargeStringArray::from(texts)), "TEXT", "CHAR_LENGTH(`large`)", ["5", "NULL", "26"]),
        (
            "bytes",
            Arc::new(BinaryArray::from(vec![Some(&b"\x00\xff'"[..]), None, Some(b"")])),
            "VARBINARY(10)",
            "HEX(bytes)",
            ["00FF27", "NULL", ""],
        ),
        ("tag", Arc::new(dictionary.clone()), "VARCHAR(10)", "", ["red", "NULL", "red"]),
        ("member", Arc::new(dictionary), "ENUM('blue','red')", "", ["red", "NULL", "red"]),
        (
            "u_bytes",
            uuid.clone(),
            "BINARY(16)",
            "HEX(u_bytes)",
            ["5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A", "NULL", "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"],
        ),
        (
            "u_text",
            uuid,
            "CHAR(36)",
            "",
            ["5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a", "NULL", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
        ),
        ("list", Arc::new(list), "JSON", "JSON_EXTRACT(list, '$[2]')", ["-3", "NULL", "NULL"]),
        ("vector", Arc::new(vector), "JSON", "JSON_EXTRACT(`vector`, '$[0]')+0", ["0.5", "NULL", "3"]),
        (
            "map",
            Arc::new(map.finish()),
            "JSON",
            "JSON_EXTRACT(map, '$.\"a \\\\\"key\\\\\"\"')+0",
            ["0.25", "NULL", "NULL"],
        ),
        ("members", Arc::new(members), "JSON", "JSON_UNQUOTE(JSON_EXTRACT(members, '$.y'))", ["é", "", "\"\n"]),
    ]
}

#[test]
fn every_type_of_arrow_in_every_format_is_stored_without_loss() {
    everywhere("formats", |place| {
        let cases = cases();
        let definitions: Vec<String> = cases.iter().map(|(name, _, ty, ..)| format!("`{name}` {ty}")).collect();
        place.sql(&format!("CREATE TABLE t (n INT PRIMARY KEY, {})", definitions.join(", ")));
        let batch = batch(&cases);
        for ending in ["parquet", "arrow", "arrows"] {
            for method in ["auto", "multi-row"] {
                let name = format!("{method}.{ending}");
                write(place, &name, &batch);
                let done = place.load(&format!("{name} --into t --truncate --method {method}"));
                assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{name}: {done}");
                for (column, _, _, ask, want) in &cases {
                    let ask = if ask.is_empty() { format!("`{column}`") } else { (*ask).to_owned() };
                    let rows = place.schema.sql(&format!("SELECT {ask} FROM t ORDER BY n"));
                    let held: Vec<String> = rows.into_iter().map(|row| row[0].clone()).collect();
                    assert!(
                        held.iter().zip(want).all(|(held, want)| same(held, want)),
                        "{name}, `{column}`: {held:?} is not {want:?}"
                    );
                }
            }
        }
    });
}

/// The same text, or the same number: servers print the zeros of a fraction as they like.
fn same(held: &str, want: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    held == want || (number(held).is_some() && number(held) == number(want))
}

#[test]
fn tables_are_made_from_a_schema() {
    everywhere("made", |place| {
        write(place, "a.parquet", &batch(&cases()));
        let done = place.load("a.parquet --into made --create-table --key n");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        let ask = "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY FROM information_schema.COLUMNS \
                   WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'made' AND COLUMN_NAME IN \
                   ('n','u64','bool','dec','at','instant','text','bytes','u_bytes','span') ORDER BY ORDINAL_POSITION";
        let made = place.sql(ask).replace("bigint(20)", "bigint").replace("int(11)", "int");
        let want = "n,int,NO,PRI|u64,bigint unsigned,YES,|bool,tinyint(1),YES,|dec,decimal(38,2),YES,|at,datetime(6),YES,|\
                    instant,timestamp(6),YES,|span,time,YES,|text,varchar(64),YES,|bytes,varbinary(16),YES,|u_bytes,binary(16),YES,";
        assert_eq!(made, want);
        place.write("a.csv", "id,name,note\n1,Ann,\n2,Bob,x\n");
        let done = place.load("a.csv --into people --create-table --key name,id");
        assert_eq!(done.code, 0, "{done}");
        let made = place.sql(
            "SELECT COLUMN_NAME, IS_NULLABLE, COLUMN_KEY FROM information_schema.COLUMNS \
                              WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people' ORDER BY ORDINAL_POSITION",
        );
        assert_eq!(made, "id,NO,PRI|name,NO,PRI|note,YES,");
    });
}

#[test]
fn vectors_go_into_vector_columns_where_there_are_some() {
    everywhere("vectors", |place| {
        let has_vectors =
            place.sql("SELECT IF(VERSION() LIKE '%MariaDB%', VERSION() + 0 >= 11.7, VERSION() + 0 >= 9)") == "1";
        write(place, "v.parquet", &batch(&cases().into_iter().filter(|case| case.0 == "vector").collect::<Vec<_>>()));
        let done = place.load("v.parquet --into v --create-table");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        let held = place.sql(if has_vectors {
            "SELECT HEX(`vector`) FROM v ORDER BY n"
        } else {
            "SELECT `vector` FROM v ORDER BY n"
        });
        let want = if has_vectors { "0000003F95BFD6B3|NULL|0000404000000000" } else { "[0.5,-1e-7]|NULL|[3,0]" };
        assert_eq!(held, want);
    });
}

#[test]
fn lines_of_json() {
    everywhere("jsonl", |place| {
        place.sql("CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, d DECIMAL(40,20), t VARCHAR(20), b BOOL, j JSON, w DATETIME)");
        let text = "{\"id\":18446744073709551615,\"d\":12345678901234567890.12345678901234567890,\"t\":\"B\\u00f6b \\\"x\\\"\",\"b\":true}\n\n\
                    {\"w\":\"2024-02-29T10:00:00Z\",\"id\":2,\"j\":{\"a\": [1, null]},\"t\":\"\"}\n\
                    {\"id\":3,\"j\":\"text\",\"b\":null}\n";
        place.write("a.jsonl", text);
        place.write("b.ndjson.gz", gzip(text.as_bytes()));
        for args in ["a.jsonl", "b.ndjson.gz"] {
            let done = place.load(&format!("{args} --into t --truncate"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
            assert_eq!(done.json["replays"], 0, "{done}");
            let held = place.sql("SELECT id, d, t, b, JSON_EXTRACT(j, '$'), w FROM t ORDER BY id");
            let want = "2,NULL,,NULL,{\"a\": [1, null]},2024-02-29 10:00:00|3,NULL,NULL,NULL,\"text\",NULL|\
                        18446744073709551615,12345678901234567890.12345678901234567890,B\u{f6}b \"x\",1,NULL,NULL";
            assert_eq!(held, want, "{args}");
        }
    });
}

/// The text of such a line is no field, though a line has only one.
#[test]
fn lines_of_json_with_one_name() {
    everywhere("jsonl_one", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(100))");
        place.write("a.jsonl", "{\"name\":\"Ann\"}\n{\"name\":\"Bob, or \\\"B\\\"\"}\n{\"name\":null}\n");
        place.write("b.json", "[{\"name\":\"Ann\"}, {\"name\":\"Bob, or \\\"B\\\"\"}, {\"name\":null}]");
        place.write("plain.jsonl", "{\"name\":\"Ann\"}\n{\"name\":\"Bob\"}\n");
        for (file, want) in
            [("a.jsonl", "Ann|Bob, or \"B\"|NULL"), ("b.json", "Ann|Bob, or \"B\"|NULL"), ("plain.jsonl", "Ann|Bob")]
        {
            let done = place.load(&format!("{file} --into t --truncate"));
            assert_eq!(done.code, 0, "{done}");
            assert_eq!(place.sql("SELECT name FROM t ORDER BY id"), want, "{file}: {done}");
            assert_eq!(done.json["replays"], 0, "{file}: {done}");
        }
    });
}

#[test]
fn bad_lines_of_json_are_corrected_and_loaded() {
    everywhere("jsonl_bad", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, t VARCHAR(5))");
        place.write(
            "a.jsonl",
            "{\"id\":1,\"t\":\"a\"}\n{\"id\":2,\"t\":\"much too long\"}\n{\"id\":3,\"t\":\n{\"id\":4}\n{\"t\":\"x\"}\n",
        );
        let done = place.load("a.jsonl --into t --bad-rows divert:bad.jsonl");
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 3))), "{done}");
        assert_eq!(place.read("bad.jsonl"), "{\"id\":2,\"t\":\"much too long\"}\n{\"id\":3,\"t\":\n{\"t\":\"x\"}\n");
        assert!(place.read("bad.jsonl.log").contains("a.jsonl\t3\t\t0\tnot valid JSON: a value is missing"));
        place.write("bad.jsonl", "{\"id\":2,\"t\":\"short\"}\n{\"id\":3,\"t\":null}\n{\"t\":\"x\",\"id\":5}\n");
        let done = place.load("bad.jsonl --into t");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), "1,a|2,short|3,NULL|4,NULL|5,x");
    });
}

#[test]
fn bad_rows_of_parquet_become_lines_of_csv() {
    everywhere("parquet_bad", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(5), at DATETIME(6))");
        let names = StringArray::from(vec![Some("a"), Some("much, \"too\" long"), None, Some("")]);
        let at = TimestampMicrosecondArray::from(vec![Some(0), Some(1), Some(2), None]);
        let columns: Vec<(&str, ArrayRef)> =
            vec![("n", Arc::new(Int32Array::from(vec![1, 2, 1, 4]))), ("t", Arc::new(names)), ("when", Arc::new(at))];
        write(place, "a.parquet", &RecordBatch::try_from_iter(columns).unwrap());
        let done = place.load("a.parquet --into t --columns id,name,at --bad-rows divert:bad.csv");
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 2))), "{done}");
        let rejects =
            "id,name,at\n2,\"much, \"\"too\"\" long\",1970-01-01 00:00:00.000001\n1,\\N,1970-01-01 00:00:00.000002\n";
        assert_eq!(place.read("bad.csv"), rejects);
        place.write("bad.csv", rejects.replace("much, \"\"too\"\" long", "short").replace("\n1,", "\n3,"));
        let done = place.load("bad.csv --into t --null \\N");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        assert_eq!(place.sql("SELECT id, name FROM t ORDER BY id"), "1,a|2,short|3,NULL|4,");
    });
}

/// Cells that every check keeps are written straight, and nobody has their rows one by one until the server refuses one of them.
#[test]
fn the_server_refuses_a_row_of_parquet() {
    everywhere("parquet_refused", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(9,2), day DATE, name VARCHAR(9))");
        let ids = (0..3000).map(|i| if i == 1700 { 17 } else { i });
        let prices = (0..3000).map(|i| (i % 10 != 3).then_some(i * 7));
        let prices = Decimal128Array::from_iter(prices).with_precision_and_scale(9, 2).unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int32Array::from_iter_values(ids))),
            ("price", Arc::new(prices)),
            ("day", Arc::new(Date32Array::from_iter_values(0..3000))),
            ("name", Arc::new(StringArray::from_iter_values((0..3000).map(|i| format!("n{i}"))))),
        ];
        write(place, "a.parquet", &RecordBatch::try_from_iter(columns).unwrap());
        let done = place.load("a.parquet --into t --batch 1000 --lanes 1 --bad-rows divert:bad.csv");
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2999, 1))), "{done}");
        assert_eq!(place.read("bad.csv"), "id,price,day,name\n17,119.00,1974-08-28,n1700\n");
        let stored =
            place.sql("SELECT COUNT(*), SUM(price), SUM(price IS NULL), MAX(day), SUM(name = CONCAT('n', id)) FROM t");
        assert_eq!(stored, "2999,283318.00,300,1978-03-19,2999");
    });
}

#[test]
fn a_file_of_any_format_is_mended_and_goes_on_where_it_stopped() {
    everywhere("formats_resumed", |place| {
        for name in ["a.parquet", "a.arrow", "a.arrows", "a.jsonl"] {
            place.sql("DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(5))");
            let file = |last: &str| {
                let names = ["a", "b", "c", "d", last];
                if name == "a.jsonl" {
                    let line = |(i, name)| format!("{{\"id\":{i},\"name\":\"{name}\"}}\n");
                    return place.write(name, names.iter().enumerate().map(line).collect::<String>());
                }
                let ids: ArrayRef = Arc::new(Int32Array::from_iter_values(0..5));
                let names: ArrayRef = Arc::new(StringArray::from(names.to_vec()));
                write(place, name, &RecordBatch::try_from_iter([("id", ids), ("name", names)]).unwrap());
            };
            let command = format!("{name} --into t --batch 2 --lanes 1");
            file("much too long");
            let stopped = place.load(&command);
            assert_eq!((stopped.code, stopped.rows()), (2, Some(Rows::stopping(4, 1))), "{name}: {stopped}");
            file("e");
            let limited = place.go_on(&format!("{command} --limit 4"));
            assert_eq!(limited.code, 5, "{name}: {limited}");
            limited.says("limit was `none` and is `4`");
            let done = place.go_on(&command);
            assert_eq!(
                (done.code, place.sql("SELECT GROUP_CONCAT(name ORDER BY id SEPARATOR '') FROM t").as_str()),
                (0, "abcde"),
                "{name}: {done}"
            );
            let again = place.go_on(&command);
            assert_eq!((again.code, place.sql("SELECT COUNT(*) FROM t").as_str()), (0, "5"), "{name}: {again}");
        }
    });
}

/// The columns of all cases, behind one that numbers the rows.
fn batch(cases: &[Case]) -> RecordBatch {
    let field = |(name, array, ..): &Case| {
        let field = Field::new(*name, array.data_type().clone(), true);
        let mut marks = field.metadata().clone();
        marks.insert("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
        if name.starts_with("u_") { field.with_metadata(marks) } else { field }
    };
    let fields = std::iter::once(Field::new("n", DataType::Int32, false)).chain(cases.iter().map(field));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let columns = std::iter::once(numbers).chain(cases.iter().map(|case| case.1.clone()));
    RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), columns.collect()).unwrap()
}

fn write(place: &Place, name: &str, batch: &RecordBatch) {
    let file = File::create(place.path(name)).unwrap();
    match name.rsplit_once('.').unwrap().1 {
        "parquet" => {
            let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
            writer.write(batch).unwrap();
            writer.close().unwrap();
        }
        "arrow" => {
            let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
            writer.write(batch).unwrap();
            writer.finish().unwrap();
        }
        _ => {
            let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
            writer.write(batch).unwrap();
            writer.finish().unwrap();
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
