//! What can be known before the first row is known before anything is changed: for a file that cannot be read or whose first rows are bad
//! no table is emptied or made, no statement is run and no index dropped.

use crate::place::{Place, everywhere};
use arrow_array::{Int32Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::Write as _;
use std::sync::Arc;

/// What is done before the first row.
const OPTIONS: [&str; 5] =
    ["--truncate", "--before DELETE/**/FROM/**/people", "--atomic", "--atomic --truncate", "--defer-indexes"];

#[test]
fn a_table_keeps_its_rows_if_the_file_cannot_be_read() {
    everywhere("untouched", |place| {
        let table = "CREATE TABLE people (id INT PRIMARY KEY, age INT, KEY by_age (age))";
        let rows = (1..=10).map(|id| format!("({id}, {id})")).collect::<Vec<_>>().join(", ");
        place.sql(&format!("{table}; INSERT INTO people VALUES {rows}"));
        let definition = place.sql("SHOW CREATE TABLE people");
        let files = bad_files(place);
        for option in OPTIONS {
            // One of each kind: how the file is found out does not depend on the option.
            let is_tried = |args: &str| option == OPTIONS[0] || ["row.csv", "good.csv cut.csv.gz"].contains(&args);
            for (args, code, why) in files.iter().filter(|(args, ..)| is_tried(args)) {
                let done = place.load(&format!("{args} --into people {option}"));
                let held = place.sql("SELECT COUNT(*), SUM(age) FROM people");
                assert_eq!((done.code, held.as_str()), (*code, "10,55"), "{args} {option}: {done}");
                done.says(why);
                assert_eq!(place.sql("SHOW CREATE TABLE people"), definition, "{args} {option}: {done}");
                let copies = place.sql("SHOW TABLES LIKE 'people\\_\\_%'");
                assert_eq!(copies, "", "{args} {option}: {done}");
            }
        }
        // And what is good goes in.
        place.write("good.csv", "id,age\n21,21\n");
        let done = place.load("good.csv --into people --truncate");
        assert_eq!((done.code, place.sql("SELECT COUNT(*), SUM(age) FROM people").as_str()), (0, "1,21"), "{done}");
    });
}

#[test]
fn no_table_is_made_for_a_file_that_cannot_be_read() {
    everywhere("not_made", |place| {
        place.write("good.csv", "id,age\n1,2\n");
        let cannot = |args: &str| ["ragged.csv", "good.csv quote.csv", "lzo.parquet"].contains(&args);
        for (args, code, why) in bad_files(place).into_iter().filter(|(args, ..)| cannot(args)) {
            let done = place.load(&format!("{args} --into pets --create-table"));
            assert_eq!((done.code, place.sql("SHOW TABLES LIKE 'pets'").as_str()), (code, ""), "{args}: {done}");
            done.says(why);
        }
    });
}

/// A stream is looked into as well, and read as a whole all the same.
#[test]
fn standard_input_is_looked_into() {
    everywhere("looked_into", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, age INT); INSERT INTO people VALUES (1, 1)");
        let load = |text: &str| {
            place.forget();
            let mut command = place.command("- --into people --truncate --json -q");
            let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            place.done(&child.wait_with_output().unwrap())
        };
        let bad = load("id,age\n7,x\n");
        assert_eq!((bad.code, place.sql("SELECT id FROM people").as_str()), (2, "1"), "{bad}");
        let good = load("id,age\n7,7\n8,8\n");
        assert_eq!((good.code, place.sql("SELECT id FROM people ORDER BY id").as_str()), (0, "7|8"), "{good}");
    });
}

/// Arguments, the exit code and a part of the message.
fn bad_files(place: &Place) -> Vec<(&'static str, i32, &'static str)> {
    place.write("good.csv", "id,age\n11,11\n");
    place.write("header.csv", "id,height\n11,11\n");
    place.write("row.csv", "id,age\n11,x\n12,12\n");
    place.write("ragged.csv", "id,age\n11\n12,12\n");
    place.write("quote.csv", "id,age\n\"11,11\n12,12\n");
    place.write("empty.csv", "");
    place.write("broken.jsonl", "{\"id\": 11, \"age\": 11}\n{\"id\": 12, \"age\"\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"id,age\n").unwrap();
    for id in 0..2_000 {
        writeln!(packed, "{},{id}", id + 11).unwrap();
    }
    let packed = packed.finish().unwrap();
    place.write("cut.csv.gz", &packed[..packed.len() / 2]);
    place.write("lzo.parquet", parquet(3));
    place.write("brotli.parquet", parquet(4));
    vec![
        ("header.csv", 1, "field `height`: the table has no such column"),
        ("row.csv", 2, "`x` is not a whole number (row.csv, line 2, column `age`)"),
        ("ragged.csv", 2, "(ragged.csv, line 2"),
        ("quote.csv", 2, "a quote opens here and never closes (quote.csv, line 2"),
        ("empty.csv", 1, "`empty.csv` is empty"),
        ("broken.jsonl", 2, "(broken.jsonl, line 2"),
        ("cut.csv.gz", 2, "cannot read `cut.csv.gz` beyond byte "),
        ("lzo.parquet", 2, "column `id` of `lzo.parquet` is compressed by LZO, which is not read"),
        ("brotli.parquet", 2, "cannot read `brotli.parquet` as Parquet: "),
        // The first of two is good.
        ("good.csv row.csv", 2, "`x` is not a whole number (row.csv, line 2, column `age`)"),
        ("good.csv quote.csv", 2, "a quote opens here and never closes (quote.csv, line 2"),
        ("good.csv cut.csv.gz", 2, "cannot read `cut.csv.gz` beyond byte "),
    ]
}

/// A Parquet file that says that its columns are compressed by `codec`, which it has by another one.
fn parquet(codec: u8) -> Vec<u8> {
    let column = |first: i32| Arc::new(Int32Array::from_iter_values(first..first + 5)) as _;
    let rows = RecordBatch::try_from_iter([("id", column(11)), ("age", column(11))]).unwrap();
    let snappy = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(snappy)).unwrap();
    writer.write(&rows).unwrap();
    let mut bytes = writer.into_inner().unwrap();
    // Of a column's metadata, in Thrift's compact form: field 3, a list of one text, the path; field 4, a number, the codec (times two).
    for name in ["id", "age"] {
        let mut known = vec![0x19, 0x18, name.len() as u8];
        known.extend_from_slice(name.as_bytes());
        known.extend_from_slice(&[0x15, 2]);
        let at = bytes.windows(known.len()).position(|found| found == known).unwrap() + known.len() - 1;
        bytes[at] = 2 * codec;
    }
    bytes
}
