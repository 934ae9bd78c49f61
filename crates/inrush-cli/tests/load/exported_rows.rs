//! Files of CSV and SQL are written of rows, without arrays: they have the same bytes as by way of arrays, and the same values are refused.

use crate::export::{ROWS, TYPES, export, names};
use crate::place::{Place, everywhere};
use crate::random_schemas;
use inrush_testkit::dice::{Dice, times};

const STYLES: &[&str] = &[
    "--format csv",
    "--format sql",
    "--format sql --no-create",
    "--format tsv",
    "--format csv --delimiter ;",
    "--format csv --delimiter | --quote ' --null NA",
    "--format csv --escape \\",
    "--format tsv --no-header --null 0",
    "--format csv --null 2024",
    "--format csv --null=",
    "--format csv --delimiter - --quote 1",
    "--format csv --delimiter : --quote .",
    "--format tsv --quote= --escape \\",
    "--format tsv --quote= --escape - --delimiter ;",
    "--format tsv --quote=",
    "--format csv --quote= --null 7 --delimiter |",
    "--format csv --split 2",
    "--format csv --rate 1000000",
];

/// Exports in both ways, with the same outcome. Of several values that are refused, rows and arrays may name another one first.
#[track_caller]
fn check(place: &Place, arguments: &str) {
    for folder in ["rows", "arrays"] {
        let _ = std::fs::remove_dir_all(place.path(folder));
    }
    let rows = export(place, &format!("{arguments} --to rows"));
    let arrays = export(place, &format!("{arguments} --to arrays --via-arrays"));
    assert_eq!(rows.code, arrays.code, "{arguments}: {rows}\n{arrays}");
    let files = names(place, "rows");
    assert_eq!(files, names(place, "arrays"), "{arguments}");
    for file in files.iter().filter(|file| *file != "manifest.json") {
        let [rows, arrays] =
            ["rows", "arrays"].map(|folder| std::fs::read(place.path(&format!("{folder}/{file}"))).unwrap());
        assert!(
            rows == arrays,
            "{arguments}: {file}\n{}\n{}",
            String::from_utf8_lossy(&rows),
            String::from_utf8_lossy(&arrays)
        );
    }
}

#[test]
fn every_type_in_every_style() {
    everywhere("export_rows", |place| {
        place.sql(&format!(
            "CREATE TABLE types ({TYPES}) CHARACTER SET utf8mb4; \
             CREATE TABLE more (id INT PRIMARY KEY, z INT(9) ZEROFILL, dz DECIMAL(12,3) ZEROFILL, fz FLOAT ZEROFILL, y YEAR, b9 BIT(9), bl BLOB, \
             bn BINARY(3), g GEOMETRY, t0 TIME, t3 TIME(3), d3 DATETIME(3), f FLOAT, d DOUBLE, n VARCHAR(9) NOT NULL, u CHAR(3) CHARACTER SET ucs2)"
        ));
        let columns = "id,ti,tu,b,su,mi,i,bi,bu,y,b1,b64,d,dd,f,db,dt,dtm,ts,tm,c,v,t,e,s,j,l,u,`a b``,\"c`";
        place.sql(&format!("SET time_zone = '+00:00'; INSERT INTO types ({columns}) VALUES {ROWS}"));
        place.sql(
            "INSERT INTO more VALUES (1, 7, 1.5, 2.25, 0, 511, x'00ff0a', x'01', ST_GeomFromText('POINT(1 2)', 4326), '-00:00:01', '-838:59:58.999', \
             '0001-01-01 00:00:00.001', -0e0, -0e0, '', ''), \
             (2, 0, 0, 0, 2024, 0, '', '', NULL, '838:59:59', '00:00:00', '9999-12-31 23:59:59.100', 3.40282e38, -1.7976931348623157e308, '\\\\N', 'é'), \
             (3, NULL, NULL, NULL, 1901, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 16777216, 9007199254740993, 'a\\'b\\Z\\0', NULL), \
             (4, 999999999, 999999999.999, 0.1, 2155, 1, 'x', 'abc', NULL, '00:00:00', '12:00:00.120', '2024-02-29', 1e-45, 5e-324, ' a', 'a')",
        );
        for style in STYLES {
            for table in ["types", "more"] {
                check(place, &format!("{table} --lanes 1 {style}"));
            }
        }
        check(place, "types more --lanes 2 --format csv --compress gzip --order key");
        check(place, "types --format csv --columns twice,id");
    });
}

/// Days that no calendar has, error values of ENUMs, empty ones without quotes, vectors.
#[test]
fn what_is_refused_or_replaced() {
    everywhere("export_rows_odd", |place| {
        place.sql(
            "SET sql_mode = 'ALLOW_INVALID_DATES'; CREATE TABLE days (id INT PRIMARY KEY, a DATE NOT NULL, b DATETIME(3), c TIMESTAMP NULL); \
             INSERT INTO days VALUES (1, '2024-02-29', '2024-02-29 01:02:03.4', NULL), (2, '2024-02-31', '2024-00-10 01:02:03', '2024-01-01'), \
             (3, '0000-00-00', '0000-00-00', '0000-00-00'), (4, '0000-12-31', '0000-01-01', NULL); \
             CREATE TABLE choices (id INT, a ENUM('x','y'), b ENUM('x','') NOT NULL, c SET('p','q')); \
             INSERT INTO choices VALUES (1, 'x', 'x', 'p'), (2, 0, '', ''), (3, NULL, 0, NULL)",
        );
        for style in ["csv", "sql", "tsv --quote= --escape \\"] {
            for dates in ["error", "null", "text"] {
                check(place, &format!("days --lanes 1 --format {style} --invalid-dates {dates}"));
            }
            for enums in ["error", "null", "empty"] {
                check(place, &format!("choices --lanes 1 --format {style} --invalid-enums {enums}"));
                check(place, &format!("choices --lanes 1 --format {style} --invalid-enums {enums} --columns id,b,c"));
            }
        }
        let has_vectors = place.server.name != "mariadb-10.11";
        if has_vectors {
            let value = if place.is_mysql() { "STRING_TO_VECTOR('[1,-2.5]')" } else { "VEC_FromText('[1,-2.5]')" };
            place.sql(&format!(
                "CREATE TABLE vectors (id INT, v VECTOR(2)); INSERT INTO vectors VALUES (1, {value}), (2, NULL)"
            ));
            for style in ["csv", "sql"] {
                check(place, &format!("vectors --lanes 1 --format {style}"));
            }
        }
    });
}

#[test]
fn random_tables() {
    everywhere("export_rows_random", |place| {
        let mut dice = Dice::of(&format!("rows {}", place.server.name));
        for _ in 0..times(6, 100) {
            random_schemas::make(place, "t", &mut dice);
            for _ in 0..3 {
                check(place, &format!("t --lanes 2 {}", STYLES[dice.below(STYLES.len() as u64) as usize]));
            }
            place.sql("DROP TABLE t");
        }
    });
}
