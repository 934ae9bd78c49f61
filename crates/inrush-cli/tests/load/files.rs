//! Files in every shape that is read: what is in the table afterwards is what the file means.

use crate::place::{Place, Rows, everywhere, on};
use inrush_testkit::servers::{Server, Vendor, all};
use std::io::Write as _;
use std::process::Stdio;

const TABLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(50), age INT)";

#[test]
fn every_shape_of_a_file() {
    everywhere("shapes", |place| {
        place.sql(TABLE);
        for (name, file, args, held) in SHAPES {
            place.write(name, file);
            let done = place.load(&format!("{name} --into people --truncate {args}"));
            let n_rows = held.split('|').count() as u64;
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(n_rows))), "{name} {args}: {done}");
            assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), *held, "{name} {args}");
        }
    });
}

/// Name, content, options, and what the table holds then.
const SHAPES: &[(&str, &[u8], &str, &str)] = &[
    ("plain.csv", b"id,name,age\n1,Ann,30\n2,Bob,\n", "", "1,Ann,30|2,Bob,NULL"),
    ("no_last_end.csv", b"id,name,age\n1,Ann,30", "", "1,Ann,30"),
    ("crlf.csv", b"id,name,age\r\n1,Ann,30\r\n2,Bob,\r\n", "", "1,Ann,30|2,Bob,NULL"),
    ("mark.csv", b"\xef\xbb\xbfid,name\n1,Ann\n", "", "1,Ann,NULL"),
    ("quotes.csv", b"id,name\n1,\"a \"\"b\"\", c\nd\"\n\"2\",\"\"\n", "", "1,a \"b\", c\nd,NULL|2,,NULL"),
    ("specials.csv", b"id,name\n1,a\\b\tc'd\n2,\\N\n3,\\\n", "", "1,a\\b\tc'd,NULL|2,\\N,NULL|3,\\,NULL"),
    ("order.csv", b"age,name,id\n30,Ann,1\n", "", "1,Ann,30"),
    ("case.csv", b"ID,Name\n1,Ann\n", "", "1,Ann,NULL"),
    ("blank.csv", b"\nid,name\n\n1,Ann\n\n\n2,Bob\n", "", "1,Ann,NULL|2,Bob,NULL"),
    ("tabs.tsv", b"id\tname\n1\tA,nn\n", "", "1,A,nn,NULL"),
    ("said.txt", b"id\tname\n1\tAnn\n", "--format tsv", "1,Ann,NULL"),
    ("semicolons.csv", b"id;name\n1;A,nn\n", "--delimiter ;", "1,A,nn,NULL"),
    (
        "tabs_within.csv",
        b"id|name|age\n1|A\tn,n|30\n2| \xf0\x9f\x98\x80|\n",
        "--delimiter |",
        "1,A\tn,n,30|2, \u{1f600},NULL",
    ),
    ("letters.csv", b"1nTomn3\n", "--delimiter n --columns id,name,age --no-header", "1,Tom,3"),
    ("apostrophes.csv", b"id,name\n1,'A,nn'\n", "--quote '", "1,A,nn,NULL"),
    ("escape.csv", b"id,name\n1,\"A\\\"nn\"\n", "--escape \\", "1,A\"nn,NULL"),
    ("no_header.csv", b"1,Ann,30\n2,Bob,31\n", "--no-header", "1,Ann,30|2,Bob,31"),
    ("columns.csv", b"x,y,z\nAnn,-,1\n", "--columns name,@skip,id", "1,Ann,NULL"),
    ("columns2.csv", b"Ann,1\n", "--no-header --columns name,id", "1,Ann,NULL"),
    ("nulls.csv", b"id,name,age\n1,NA,-\n2,\"NA\",\n3,,-\n", "--null NA --null -", "1,NULL,NULL|2,NA,NULL|3,,NULL"),
    ("latin1.csv", b"id,name\n1,B\xf6b\n", "--encoding latin1", "1,B\u{f6}b,NULL"),
    ("utf16.csv", b"\xff\xfei\0d\0,\0n\0a\0m\0e\0\n\x001\0,\0\xf6\0\n\0", "", "1,\u{f6},NULL"),
    (
        "utf16le.csv",
        b"i\0d\0,\0n\0a\0m\0e\0\n\x001\0,\0\x3d\xd8\x00\xde\n\0",
        "--encoding utf-16le",
        "1,\u{1f600},NULL",
    ),
    ("skip.csv", b"written by a program\n\"on a day,\nid,name\n1,Ann\n", "--skip 2", "1,Ann,NULL"),
    ("limit.csv", b"id,name\n1,Ann\n2,Bob\n3,Cy\n", "--limit 2", "1,Ann,NULL|2,Bob,NULL"),
    ("wide.csv", b"id,name,a,b\n1,Ann,2,3\n", "--columns id,name,@a,@b", "1,Ann,NULL"),
    ("nul.csv", b"id,name\n1,a\0b\n", "", "1,a\0b,NULL"),
];

/// Where the server takes fields that may be quoted from the file's own text, a bare NULL would be one.
#[test]
fn the_word_null_is_a_text_like_others() {
    everywhere("null", |place| {
        place.sql(TABLE);
        for text in ["id,name\n1,NULL\n2,\"b\"\n", "id,name\n1,\"NULL\"\n2,b\n", "id,name\n1,NULL\n2,b\n"] {
            place.write("null.csv", text.as_bytes());
            let done = place.load("null.csv --into people --truncate");
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{text}: {done}");
            let names = place.sql("SELECT GROUP_CONCAT(COALESCE(name, 'nothing') ORDER BY id) FROM people");
            assert_eq!(names, "NULL,b", "{text}");
        }
    });
}

/// The server is told how the file's own text is to be read where that will do, and is sent another where it will not.
#[test]
fn text_is_sent_as_it_stands() {
    const FORMS: [(&str, &str, &str); 4] = [
        ("bare", "1,Ann,30\n2,B\tb,31\n", "TERMINATED BY X'2C' ESCAPED"),
        ("quoted", "1,\"An\"\"n\",30\n2,\"B\nb\",31\n", "TERMINATED BY X'2C' OPTIONALLY ENCLOSED BY X'22' ESCAPED"),
        ("slashed", "1,A\\nn,30\n2,\"B\nb\",31\n", "TERMINATED BY X'09' ESCAPED"),
        ("with_null", "1,\"Ann\",30\n2,B,\n", "TERMINATED BY X'09' ESCAPED"),
    ];
    let has_samples = |server: &Server| server.local_infile && server.vendor == Vendor::Mysql;
    on(all().into_iter().filter(has_samples).collect(), "stands", |place| {
        // It may be full of other tests' statements.
        place.sql("TRUNCATE TABLE performance_schema.events_statements_summary_by_digest");
        for (form, text, told) in FORMS {
            place.sql(&format!("CREATE TABLE {form} (id INT PRIMARY KEY, name VARCHAR(50), age INT)"));
            place.write("people.csv", text);
            let done = place.load(&format!("people.csv --into {form} --no-header --columns id,name,age"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{form}: {done}");
            let sql = format!(
                "SELECT query_sample_text FROM performance_schema.events_statements_summary_by_digest \
                 WHERE schema_name = DATABASE() AND digest_text LIKE 'LOAD DATA %{form}%'"
            );
            let statement = place.sql(&sql);
            assert!(statement.contains(told), "{form}: {statement}");
        }
    });
}

#[test]
fn compressed_files() {
    everywhere("compressed", |place| {
        place.sql(TABLE);
        let text = b"id,name\n1,Ann\n2,Bob\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for name in ["people.csv", "others.csv"] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text).unwrap();
        }
        place.write("people.csv.gz", &gzip);
        place.write("people", &gzip);
        place.write("people.csv.zst", zstd::encode_all(&text[..], 3).unwrap());
        place.write("people.zip", zip.finish().unwrap().into_inner());
        place.write("short.csv.gz", &gzip[..gzip.len() - 12]);
        for name in ["people.csv.gz", "people", "people.csv.zst", "people.zip#others.csv"] {
            let done = place.load(&format!("{name} --into people --truncate"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{name}: {done}");
        }
        let done = place.load("people.zip --into people");
        assert_eq!(done.code, 1, "{done}");
        done.says("people.csv");
        done.says("others.csv");
        let done = place.load("short.csv.gz --into people --truncate");
        assert_eq!(done.code, 2, "{done}");
        done.says("cannot read `short.csv.gz`");
        let held: u64 = place.sql("SELECT COUNT(*) FROM people").parse().unwrap();
        assert_eq!(held, done.rows().map_or(2, |rows| rows.stored), "{done}");
    });
}

#[test]
fn several_files_each_with_its_own_order() {
    everywhere("several", |place| {
        place.sql(TABLE);
        place.write("a.csv", "id,name\n1,Ann\n2,Bob\n");
        place.write("b.csv", "age,id,name\n30,3,Cy\n");
        place.write("c.tsv", "name\tid\nDee\t4\n");
        let done = place.load("a.csv b.csv c.tsv --into people");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(4))), "{done}");
        assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), "1,Ann,NULL|2,Bob,NULL|3,Cy,30|4,Dee,NULL");
        let files: Vec<_> =
            done.json["stored_records"].as_array().unwrap().iter().map(|r| r["source"].clone()).collect();
        assert_eq!(files, ["a.csv", "b.csv", "c.tsv"]);

        // A bad row in the second of them: both places are named by their file.
        place.write("b.csv", "id,name\n5,Eve\n6,Fay,1\n");
        let done = place.load("a.csv b.csv --into people --bad-rows divert:bad.csv");
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(1, 3))), "{done}");
        assert_eq!(place.read("bad.csv"), "id,name\n1,Ann\n2,Bob\n6,Fay,1\n");
        let log = place.read("bad.csv.log");
        let places: Vec<_> = log.lines().map(|line| line.split('\t').take(2).collect::<Vec<_>>()).collect();
        assert_eq!(places, [["a.csv", "2"], ["a.csv", "3"], ["b.csv", "3"]]);
    });
}

#[test]
fn standard_input() {
    everywhere("stdin", |place| {
        place.sql(TABLE);
        for text in ["id,name\n1,Ann\n2,Bob\n", ""] {
            let mut load = place.command("- --into people --json -q").stdin(Stdio::piped()).spawn().unwrap();
            load.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let done = place.done(&load.wait_with_output().unwrap());
            if text.is_empty() {
                done.says("error: `-` is empty: it has not even a header");
            } else {
                assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
            }
        }
    });
}

#[test]
fn what_is_diverted_can_be_loaded_again_as_it_is() {
    everywhere("divert_again", |place| {
        for (name, file, args, header) in DIVERTED {
            place.sql("DROP TABLE IF EXISTS people; CREATE TABLE people (id INT PRIMARY KEY, `first, name` VARCHAR(50), UNIQUE KEY (`first, name`))");
            place.write(name, file);
            let first = place.load(&format!("{name} --into people --bad-rows divert:bad {args}"));
            assert_eq!((first.code, first.rows()), (4, Some(Rows::rejecting(1, 2))), "{name}: {first}");
            assert!(
                place.read("bad").trim_start_matches('\u{feff}').starts_with(header),
                "{name}: {}",
                place.read("bad")
            );
            let log = place.read("bad.log");
            assert_eq!(log.lines().count(), 2, "{log}");
            // Nothing is corrected but what is in the table; so every byte must come back.
            place.sql("TRUNCATE people");
            let second = place.load(&format!("bad --into people --bad-rows skip {args}"));
            assert_eq!((second.code, second.rows()), (4, Some(Rows::rejecting(1, 1))), "{name}: {second}");
            assert_eq!(place.sql("SELECT * FROM people"), "3,\u{f6} \"a\"\nb", "{name}");
            for name in ["bad", "bad.log"] {
                std::fs::remove_file(place.path(name)).unwrap();
            }
        }
    });
}

/// Three rows: good, `x` for a number, a name for the second time.
const DIVERTED: &[(&str, &[u8], &str, &str)] = &[
    (
        "a.csv",
        "id,\"first, name\"\n1,\"\u{f6} \"\"a\"\"\nb\"\nx,y\n3,\"\u{f6} \"\"a\"\"\nb\"".as_bytes(),
        "",
        "id,\"first, name\"\n",
    ),
    (
        "b.csv",
        "id,\"first, name\"\r\n1,\"\u{f6} \"\"a\"\"\nb\"\r\nx,y\r\n3,\"\u{f6} \"\"a\"\"\nb\"\r\n".as_bytes(),
        "",
        "id,\"first, name\"\n",
    ),
    (
        "c.csv",
        b"id,\"first, name\"\n1,\"\xf6 \"\"a\"\"\nb\"\nx,y\n3,\"\xf6 \"\"a\"\"\nb\"\n",
        "--encoding latin1",
        "id,\"first, name\"\n",
    ),
    ("d.csv", b"1,\"\xf6 \"\"a\"\"\nb\"\nx,y\n3,\"\xf6 \"\"a\"\"\nb\"\n", "--encoding latin1 --no-header", "x,y\n"),
    (
        "e.tsv",
        "id\tfirst, name\n1\t\"\u{f6} \"\"a\"\"\nb\"\nx\ty\n3\t\"\u{f6} \"\"a\"\"\nb\"\n".as_bytes(),
        "--format tsv",
        "id\tfirst, name\n",
    ),
];

#[test]
fn a_reject_file_is_never_written_over() {
    everywhere("divert_over", |place: &Place| {
        place.sql(TABLE);
        place.write("a.csv", "id,name\nx,Ann\n");
        place.write("bad.csv", "precious");
        let done = place.load("a.csv --into people --bad-rows divert:bad.csv");
        assert_eq!(done.code, 1, "{done}");
        done.says("error: `bad.csv` exists: it may hold rows of an earlier load\nhint: ");
        assert_eq!(place.read("bad.csv"), "precious");
        place.write("b.csv", "id;name\n");
        let done = place.load("a.csv b.csv --into people --bad-rows divert:c.csv --delimiter ,");
        assert_eq!(done.code, 1, "{done}");
        // Neither a load without bad rows nor one that fails before its first row leaves a file behind.
        place.write("good.csv", "id,name\n1,Ann\n");
        assert_eq!(place.load("good.csv --into people --bad-rows divert:d.csv").code, 0);
        assert_eq!(place.load("good.csv --into people --bad-rows divert:d.csv --time-zone Europe/Berlin").code, 3);
        let mut names: Vec<_> = std::fs::read_dir(place.folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["a.csv", "b.csv", "bad.csv", "good.csv"]);
    });
}
