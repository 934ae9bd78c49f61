//! Columns of every kind: what stands in the file is what the table holds, and columns that are not in the file are left to
//! the server.

use crate::place::{Rows, everywhere};

/// One column, the fields of a file for it, and the stored values as this expression shows them.
#[rustfmt::skip]
const COLUMNS: &[(&str, &[&str], &str, &[&str])] = &[
    ("BIGINT UNSIGNED", &["0", "18446744073709551615", ""], "v", &["0", "18446744073709551615", "NULL"]),
    ("BIGINT", &["-9223372036854775808", "9223372036854775807"], "v", &["-9223372036854775808", "9223372036854775807"]),
    ("TINYINT(1)", &["true", "false", "yes", "no", "1", "0", ""], "v", &["1", "0", "1", "0", "1", "0", "NULL"]),
    ("BIT(1)", &["1", "0", "true", "false"], "v + 0", &["1", "0", "1", "0"]),
    ("BIT(10)", &["1023", "0x3ff", "0b11", "7"], "v + 0", &["1023", "1023", "3", "7"]),
    ("DECIMAL(30,10)", &["12345678901234567890.0123456789", "-0.5", "1e3"], "v", &["12345678901234567890.0123456789", "-0.5000000000", "1000.0000000000"]),
    ("DOUBLE", &["0.1", "-1.7976931348623157e308", "1e-300"], "v = 0.1 OR v < -1.7e308 OR v BETWEEN 0.9e-300 AND 1.1e-300", &["1", "1", "1"]),
    ("YEAR", &["1901", "2155", "2000"], "v", &["1901", "2155", "2000"]),
    ("TIME(3)", &["-838:59:59", "12:34:56.789", "00:00:00"], "v", &["-838:59:59.000", "12:34:56.789", "00:00:00.000"]),
    ("DATE", &["1000-01-01", "9999-12-31", "2013/01/05"], "v", &["1000-01-01", "9999-12-31", "2013-01-05"]),
    ("DATETIME(6)", &["2013-01-05T10:00:00.123456", "2013-01-05 10:00:00", "2013-01-05T10:00:00Z"], "v", &["2013-01-05 10:00:00.123456", "2013-01-05 10:00:00.000000", "2013-01-05 10:00:00.000000"]),
    ("ENUM('1','0','two','')", &["0", "two", "TWO"], "v", &["0", "two", "two"]),
    ("SET('a','b','c')", &["\"a,c\"", "b", "\"c,a\""], "v", &["a,c", "b", "a,c"]),
    ("VARCHAR(4)", &["\u{1f600}\u{1f600}\u{1f600}\u{1f600}", "a\\b'", "\"\"\"\""], "HEX(v)", &["F09F9880F09F9880F09F9880F09F9880", "615C6227", "22"]),
    ("VARCHAR(4) CHARACTER SET latin1", &["\u{f6}\u{20ac}"], "HEX(v)", &["F680"]),
    ("TEXT", &["", "\\N", "\\t", "a\tb"], "HEX(v)", &["", "5C4E", "5C74", "610962"]),
    ("JSON", &["\"{\"\"a\"\": [1, null]}\"", "3"], "JSON_EXTRACT(v, '$.a[0]') = 1 OR v + 0 = 3", &["1", "1"]),
    ("POINT", &["POINT(1 2)"], "ST_AsText(v)", &["POINT(1 2)"]),
];

#[test]
fn a_name_that_no_server_holds_is_refused() {
    everywhere("emoji", |place| {
        place.write("e.csv", "id,a\u{1f600}b\n1,2\n");
        let done = place.load("e.csv --into e --create-table");
        assert_eq!(done.code, 1, "{done}");
        done.says("column `a\u{1f600}b` cannot be created");
        assert_eq!(place.sql("SHOW TABLES LIKE 'e'"), "");
        // A character of three bytes is a name like any other.
        place.write("f.csv", "id,größe€\n1,2\n");
        let done = place.load("f.csv --into f --create-table");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT `größe€` FROM f"), "2");
    });
}

#[test]
fn a_number_that_a_double_would_round_is_a_decimal() {
    everywhere("no_double", |place| {
        place.write("n.csv", "id,n,f\n1,9007199254740993.5,0.30000000000000004\n2,1.25,0.1\n");
        let done = place.load("n.csv --into n --create-table");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT n FROM n WHERE id = 1"), "9007199254740993.50");
        assert_eq!(place.sql("SELECT f FROM n WHERE id = 1"), "0.30000000000000004");
    });
}

#[test]
fn every_kind_of_column() {
    everywhere("columns", |place| {
        for (number, (ty, fields, shown, held)) in COLUMNS.iter().enumerate() {
            place.sql(&format!("CREATE TABLE t{number} (id INT PRIMARY KEY, v {ty})"));
            let rows: String = fields.iter().enumerate().map(|(i, field)| format!("{i},{field}\n")).collect();
            place.write("t.csv", format!("id,v\n{rows}"));
            let done = place.load(&format!("t.csv --into t{number}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(fields.len() as u64))), "{ty}: {done}");
            assert_eq!(place.sql(&format!("SELECT {shown} FROM t{number} ORDER BY id")), held.join("|"), "{ty}");
        }
    });
}

#[test]
fn bytes_are_stored_as_they_are() {
    everywhere("bytes", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, a BLOB, b VARBINARY(300), c BINARY(2))");
        let all: Vec<u8> = (0..=255).flat_map(|b| if b == b'"' { vec![b, b] } else { vec![b] }).collect();
        let mut file = b"id,a,b,c\n1,\"".to_vec();
        file.extend([&all[..], b"\",\"", &all, b"\",\xff\0\n2,,,\n"].concat());
        place.write("t.csv", file);
        let done = place.load("t.csv --into t");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        let hex: String = (0..=255).map(|b| format!("{b:02X}")).collect();
        assert_eq!(place.sql("SELECT HEX(a), HEX(b), HEX(c) FROM t ORDER BY id"), format!("{hex},{hex},FF00|,,0000"));
    });
}

#[test]
fn columns_that_are_not_in_the_file_are_left_to_the_server() {
    everywhere("defaults", |place| {
        place.sql(
            "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), pay INT NOT NULL DEFAULT 7, \
             made TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, twice INT AS (pay * 2), \
             hidden INT NOT NULL DEFAULT 9 INVISIBLE)",
        );
        place.write("t.csv", "id,name\n,Ann\n,Bob\n10,Cy\n");
        let done = place.load("t.csv --into t --lanes 1");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        let all = "SELECT id, name, pay, made > '2020-01-01', twice, hidden FROM t ORDER BY id";
        assert_eq!(place.sql(all), "1,Ann,7,1,14,9|2,Bob,7,1,14,9|10,Cy,7,1,14,9");
        place.write("t.csv", "name,pay,hidden\nDee,1,2\n");
        assert_eq!(place.load("t.csv --into t").code, 0);
        assert_eq!(place.sql("SELECT pay, twice, hidden FROM t WHERE name = 'Dee'"), "1,2,2");
        // A zero is a value like any other, and not a wish for a new id.
        place.write("t.csv", "id,name\n0,Eve\n");
        assert_eq!(place.load("t.csv --into t").code, 0);
        assert_eq!(place.sql("SELECT id FROM t WHERE name = 'Eve'"), "0");
    });
}

#[test]
fn times_are_brought_into_the_zone() {
    everywhere("zones", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, s TIMESTAMP)");
        place.write("t.csv", "id,d,s\n1,2013-07-01T10:00:00Z,2013-07-01T10:00:00Z\n2,2013-07-01 10:00:00+02:00,2013-07-01T10:00:00+0200\n3,2013-07-01T10:00:00,2013-07-01 10:00:00\n");
        for (zone, held) in [
            (
                "+00:00",
                "1,2013-07-01 10:00:00,2013-07-01 10:00:00|2,2013-07-01 08:00:00,2013-07-01 08:00:00|3,2013-07-01 10:00:00,2013-07-01 10:00:00",
            ),
            (
                "-05:00",
                "1,2013-07-01 05:00:00,2013-07-01 10:00:00|2,2013-07-01 03:00:00,2013-07-01 08:00:00|3,2013-07-01 10:00:00,2013-07-01 15:00:00",
            ),
        ] {
            let done = place.load(&format!("t.csv --into t --truncate --time-zone {zone}"));
            assert_eq!((done.code, done.json["time_zone"].as_str()), (0, Some(zone)), "{done}");
            assert_eq!(place.sql("SET time_zone = '+00:00'; SELECT * FROM t ORDER BY id"), held, "{zone}");
        }
    });
}

/// What the server's own INSERT takes, a load takes: a column that a trigger fills, and that fails where it does not.
#[test]
fn columns_that_a_trigger_fills() {
    everywhere("filled", |place| {
        let table =
            "DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT NOT NULL)";
        let trigger = "CREATE TRIGGER fill BEFORE INSERT ON t FOR EACH ROW \
             SET NEW.age = IF(NEW.id < 3, 7, NEW.age)";
        place.write("a.csv", "id,name\n1,Ann\n2,Bob\n");
        place.write("b.csv", "id,name\n1,Ann\n2,Bob\n3,Cy\n");
        place.sql(table);
        place.load("a.csv --into t").says("column `age` is NOT NULL without a default, and no field fills it");
        place.sql(&format!("{table}; {trigger}"));
        let done = place.load("a.csv --into t");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), "1,Ann,7|2,Bob,7");
        place.sql(&format!("{table}; CREATE TRIGGER look BEFORE INSERT ON t FOR EACH ROW SET @seen = NEW.id"));
        place.forget();
        for method in ["auto", "multi-row", "multi-row-prepared"] {
            let done = place.load(&format!("b.csv --into t --method {method}"));
            assert_eq!(done.code, 2, "{method}: {done}");
            done.says("Field 'age' doesn't have a default value (server error 1364)");
            assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0", "{method}");
        }
        let done = place.load("a.csv --into t --method load-data");
        assert_eq!(done.code, 1, "{done}");
    });
}

/// Tables such as WordPress makes them: `0000-00-00` is a value and a default, on servers that allow it.
#[test]
fn zero_dates_where_they_are_allowed() {
    everywhere("zero", |place| {
        let table = "SET SESSION sql_mode = ''; DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, \
             d DATE NOT NULL DEFAULT '0000-00-00', m DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00', \
             s TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00')";
        let zero = "0000-00-00,0000-00-00 00:00:00,0000-00-00 00:00:00";
        let rows = || place.sql("SELECT d, m, s FROM t ORDER BY id");
        let hint = "`--unchecked zero-dates` stores it";
        let fields = "id,d,m,s\n1,0000-00-00,0000-00-00 00:00:00,0000-00-00\n2,2024-01-31,2024-01-31,2024-01-31\n";
        place.write("a.csv", fields);
        place.write("b.csv", "id\n1\n");
        let day = "2024-01-31,2024-01-31 00:00:00,2024-01-31 00:00:00";
        for method in ["auto", "multi-row", "multi-row-prepared"] {
            place.sql(table);
            place.forget();
            let done = place.load(&format!("a.csv --into t --method {method}"));
            assert_eq!(done.code, 2, "{done}");
            done.says("`0000-00-00` is not a date");
            done.says(hint);
            let done = place.load(&format!("a.csv --into t --method {method} --unchecked zero-dates"));
            assert_eq!((done.code, rows()), (0, format!("{zero}|{day}")), "{method}: {done}");
            place.sql("TRUNCATE t");
            // MySQL takes the default whatever its mode is.
            let done = place.load(&format!("b.csv --into t --method {method}"));
            if place.is_mysql() {
                assert_eq!((done.code, rows()), (0, zero.to_owned()), "{method}: {done}");
            } else {
                assert_eq!((done.code, rows()), (2, String::new()), "{method}: {done}");
                done.says(hint);
                let done = place.load(&format!("b.csv --into t --method {method} --unchecked zero-dates"));
                assert_eq!((done.code, rows()), (0, zero.to_owned()), "{method}: {done}");
            }
        }
        place.load("b.csv --into t --unchecked dates").says("it takes `unique`, `foreign-keys`, `zero-dates`");
    });
}
