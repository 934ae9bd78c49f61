use crate::convert::{Params, Rows};
use crate::value::Value;
use crate::write::Command;
use crate::write::text::*;

pub(crate) const LIMITS: Limits = Limits { bytes: 1000, max_bytes: 1000, rows: 1000 };

/// The texts of all commands for these rows.
#[track_caller]
pub(crate) fn commands<P: Params + Sync>(mut writer: impl Writer, rows: &[P]) -> Vec<String> {
    let n_params = rows.first().map_or(0, |row| row.values(&[]).unwrap().as_ref().len());
    let bound = rows.bind(&[], n_params).unwrap();
    let mut texts = Vec::new();
    let mut row = 0;
    while row < rows.len() {
        match writer.next(RowSource::Bound(&*bound), row..rows.len(), Vec::new()).unwrap() {
            Next::Command { command: Command::Query(text), n_rows } => {
                texts.push(String::from_utf8(text).unwrap());
                row += n_rows;
            }
            Next::Command { command, .. } => panic!("no text: {command:?}"),
            Next::TooLong { bytes } => {
                texts.push(format!("{bytes} bytes"));
                row += 1;
            }
        }
    }
    texts
}

#[track_caller]
fn check_with<P: Params + Sync>(sql: &str, limits: Limits, rows: &[P], want: &[&str]) {
    let statement = Statement::new(sql).unwrap();
    let writer = MultiRow::new(&statement, &Template::parse(&statement), limits, true).unwrap();
    assert_eq!(commands(writer, rows), want);
}

#[track_caller]
fn check<P: Params + Sync>(sql: &str, rows: &[P], want: &str) {
    check_with(sql, LIMITS, rows, &[want]);
}

const PAIRS: &[(i32, &str)] = &[(1, "a"), (-2, "it's")];

#[test]
fn many_rows() {
    check("INSERT INTO t (a, b) VALUES (?, ?)", PAIRS, "INSERT INTO t (a, b) VALUES (1,'a'),(-2,'it''s')");
    check("INSERT t VALUES (:a,:b)", PAIRS, "INSERT t VALUES (1,'a'),(-2,'it''s')");
    check("INSERT t VALUES (DEFAULT)", &[(), ()], "INSERT t VALUES (DEFAULT),(DEFAULT)");
    check("REPLACE t VALUES ( ? , NOW() , ? )", PAIRS, "REPLACE t VALUES (1, NOW() ,'a'),(-2, NOW() ,'it''s')");
    check("INSERT t VALUES (?,1),(?,2)", PAIRS, "INSERT t VALUES (1,1),('a',2),(-2,1),('it''s',2)");
}

#[test]
fn what_follows_the_rows_stays() {
    check(
        "INSERT t VALUES (?,?) ON DUPLICATE KEY UPDATE a = 1",
        PAIRS,
        "INSERT t VALUES (1,'a'),(-2,'it''s') ON DUPLICATE KEY UPDATE a = 1",
    );
    check("INSERT t VALUES (?,?) /* by: me */", PAIRS, "INSERT t VALUES (1,'a'),(-2,'it''s') /* by: me */");
    check("INSERT t VALUES (?,?) -- (?)", PAIRS, "INSERT t VALUES (1,'a'),(-2,'it''s') -- (?)");
    check("INSERT t VALUES (?,?) RETURNING id; -- end", PAIRS, "INSERT t VALUES (1,'a'),(-2,'it''s') RETURNING id");
    check(
        "INSERT t VALUES (-- a, b\n ?, ? # c\n) ;",
        PAIRS,
        "INSERT t VALUES (-- a, b\n1,'a'# c\n),(-- a, b\n-2,'it''s'# c\n)",
    );
}

#[test]
fn values_do_not_run_into_the_text() {
    check("INSERT t VALUES (5-?, ?)", &[(-3, 1)], "INSERT t VALUES (5--3,1)");
    check("INSERT t VALUES (5--?, 5 - ?)", &[(3, -3)], "INSERT t VALUES (5--3, 5 --3)");
    check("INSERT t VALUES (?-?)", &[(1, -3)], "INSERT t VALUES (1--3)");
    check("INSERT t VALUES (NOT?AND?)", &[(1, 2)], "INSERT t VALUES (NOT 1 AND 2)");
    check("INSERT t VALUES (?DIV ?)", &[(1, 2)], "INSERT t VALUES (1 DIV 2)");
    check("INSERT t VALUES (??)", &[(1, 2)], "INSERT t VALUES (1 2)");
    check("INSERT t VALUES ('a'? 'b')", &[("x",)], "INSERT t VALUES ('a' 'x' 'b')");
    check("INSERT t VALUES (0.?)", &[(1,)], "INSERT t VALUES (0. 1)");
}

#[test]
fn cut_by_rows_and_by_bytes() {
    let sql = "INSERT t VALUES (?)";
    let rows = [(1,), (2,), (3,)];
    let whole = "INSERT t VALUES (1),(2),(3)";
    check_with(sql, Limits { bytes: 27, ..LIMITS }, &rows, &[whole]);
    check_with(sql, Limits { max_bytes: 27, ..LIMITS }, &rows, &[whole]);
    let cut = &["INSERT t VALUES (1),(2)", "INSERT t VALUES (3)"];
    check_with(sql, Limits { bytes: 26, ..LIMITS }, &rows, cut);
    check_with(sql, Limits { max_bytes: 26, ..LIMITS }, &rows, cut);
    check_with(sql, Limits { rows: 2, ..LIMITS }, &rows, cut);
    check_with(
        "INSERT t VALUES (?) -- c",
        Limits { bytes: 31, ..LIMITS },
        &rows,
        &["INSERT t VALUES (1),(2) -- c", "INSERT t VALUES (3) -- c"],
    );
}

#[test]
fn a_long_row_travels_alone_or_not_at_all() {
    let limits = Limits { bytes: 24, max_bytes: 30, rows: 10 };
    let rows = [("a",), ("long value",), ("much longer value",), ("b",)];
    check_with(
        "INSERT t VALUES (?)",
        limits,
        &rows,
        &["INSERT t VALUES ('a')", "INSERT t VALUES ('long value')", "37 bytes", "INSERT t VALUES ('b')"],
    );
}

#[test]
fn the_row_of_a_number_that_is_none_is_named() {
    let statement = Statement::new("INSERT t VALUES (?)").unwrap();
    let mut writer = MultiRow::new(&statement, &Template::parse(&statement), LIMITS, true).unwrap();
    let rows = [(1.0,), (f64::NAN,)];
    let error = writer.next(RowSource::Bound(&*rows.bind(&[], 1).unwrap()), 0..2, Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "`NaN` is not a number that a column holds (row 1 of the batch, counted from 0)");
}

#[test]
fn quotes_that_are_read_in_two_ways_are_refused() {
    let statement = Statement::new(r"INSERT t VALUES ('\'', ?)").unwrap();
    assert!(MultiRow::new(&statement, &Template::parse(&statement), LIMITS, true).is_ok());
    assert!(MultiRow::new(&statement, &Template::parse(&statement), LIMITS, false).is_err());
}

#[test]
fn values_of_every_kind_in_one_row() {
    let statement = Statement::new("INSERT t VALUES (?, ?, ?)").unwrap();
    let rows = [[Value::Null, Value::Default, Value::Bytes(b"\x00'\\")]];
    let writer = MultiRow::new(&statement, &Template::parse(&statement), LIMITS, false).unwrap();
    assert_eq!(commands(writer, &rows), ["INSERT t VALUES (NULL,DEFAULT,_binary'\0''\\')"]);
}
