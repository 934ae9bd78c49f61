use super::*;

const ANSI: Dialect = Dialect { no_backslash_escapes: false, ansi_quotes: true };

/// The statements of at most so many rows and bytes, or why there is one only.
fn cut(dialect: Dialect, sql: &str, max_rows: u64, max_bytes: usize) -> Vec<String> {
    let split = match SplitInsert::parse(sql.as_bytes(), dialect) {
        Ok(split) => split,
        Err(uncut) => return vec![uncut.to_string()],
    };
    let mut n_rows = 0;
    let pieces: Vec<String> = split
        .pieces(PieceLimits { max_bytes, max_rows })
        .map(|piece| {
            assert_eq!(piece.first_row, n_rows + 1, "{sql}");
            n_rows += piece.rows().len() as u64;
            let mut out = Vec::new();
            split.write(piece.rows(), &mut out);
            String::from_utf8(out).unwrap()
        })
        .collect();
    assert_eq!(n_rows, split.n_rows(), "{sql}");
    assert_eq!(pieces.len() > 1, split.exceeds(&PieceLimits { max_bytes, max_rows }), "{sql}");
    pieces
}

#[track_caller]
fn check(sql: &str, max_rows: u64, want: &[&str]) {
    assert_eq!(cut(Dialect::default(), sql, max_rows, usize::MAX), want, "{sql}");
}

#[track_caller]
fn is_not_cut(sql: &str, want: &str) {
    assert_eq!(cut(Dialect::default(), sql, 1, usize::MAX), [want], "{sql}");
}

#[test]
fn between_two_rows() {
    check("INSERT INTO t VALUES (1),(2),(3)", 2, &["INSERT INTO t VALUES (1),(2)", "INSERT INTO t VALUES (3)"]);
    check("INSERT INTO t VALUES (1) , (2);", 1, &["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"]);
    check("INSERT INTO t VALUES\n(1),\n(2)\n; -- end", 2, &["INSERT INTO t VALUES\n(1),\n(2)"]);
    check("insert t value(1),(2)", 1, &["insert t value(1)", "insert t value(2)"]);
    check(
        "/* a */REPLACE `d`.`t` (`a`,b) VALUES ('),(', 1),(\")\", 2)",
        1,
        &["REPLACE `d`.`t` (`a`,b) VALUES ('),(', 1)", "REPLACE `d`.`t` (`a`,b) VALUES (\")\", 2)"],
    );
    check(
        "INSERT LOW_PRIORITY IGNORE INTO t PARTITION (p0, p1) (a) VALUES (1),/* ( */(2)",
        1,
        &[
            "INSERT LOW_PRIORITY IGNORE INTO t PARTITION (p0, p1) (a) VALUES (1)",
            "INSERT LOW_PRIORITY IGNORE INTO t PARTITION (p0, p1) (a) VALUES (2)",
        ],
    );
    check("INSERT INTO t () VALUES (),()", 1, &["INSERT INTO t () VALUES ()", "INSERT INTO t () VALUES ()"]);
}

#[test]
fn what_follows_the_rows_is_in_each() {
    check(
        "INSERT INTO t VALUES (1),(2) ON DUPLICATE KEY UPDATE a = VALUES(a), b = IF(a > 1, 'x', b)",
        1,
        &[
            "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a), b = IF(a > 1, 'x', b)",
            "INSERT INTO t VALUES (2) ON DUPLICATE KEY UPDATE a = VALUES(a), b = IF(a > 1, 'x', b)",
        ],
    );
    check(
        "INSERT INTO t VALUES (1),(2) AS new(x) ON DUPLICATE KEY UPDATE a = new.x;",
        1,
        &[
            "INSERT INTO t VALUES (1) AS new(x) ON DUPLICATE KEY UPDATE a = new.x",
            "INSERT INTO t VALUES (2) AS new(x) ON DUPLICATE KEY UPDATE a = new.x",
        ],
    );
}

#[test]
fn by_bytes() {
    let sql = "INSERT INTO t VALUES (1),(22),(3)";
    let check = |max_bytes, want: &[&str]| {
        assert_eq!(cut(Dialect::default(), sql, u64::MAX, max_bytes), want, "{max_bytes}");
    };
    check(33, &[sql]);
    check(32, &["INSERT INTO t VALUES (1),(22)", "INSERT INTO t VALUES (3)"]);
    check(29, &["INSERT INTO t VALUES (1),(22)", "INSERT INTO t VALUES (3)"]);
    check(28, &["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (22)", "INSERT INTO t VALUES (3)"]);
    check(0, &["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (22)", "INSERT INTO t VALUES (3)"]);
}

#[test]
fn values_that_are_the_same_in_every_statement() {
    for value in [
        "-1.5e-3",
        "0x4142",
        "x'41', b'1', N'a'",
        "NULL, TRUE, default",
        "_binary 'a''b\\')', _utf8mb4 0x41 COLLATE utf8mb4_bin",
        "CONVERT('a' USING latin1)",
        "CAST('{}' AS JSON), cast(1 as unsigned)",
        "ST_GeomFromText('POINT(1 1)', 4326)",
        "DATE '2026-01-31', timestamp'2026-01-31 00:00:00'",
        "(1 + 2) * 3, 'a' 'b'",
    ] {
        let sql = format!("INSERT INTO t VALUES ({value}),({value})");
        assert_eq!(cut(Dialect::default(), &sql, 1, usize::MAX).len(), 2, "{sql}");
    }
}

#[test]
fn others_are_not_cut() {
    let unsteady =
        |what: &str, row| format!("the value of `{what}` in row {row} might be another one in another statement");
    for what in ["NOW()", "UUID()", "@a", "?", "a", "CURRENT_TIMESTAMP", "LAST_INSERT_ID()", "(SELECT 1)", "NEXTVAL(s)"]
    {
        let word = what.trim_start_matches('(').split(['(', ' ', 'a']).next().unwrap();
        let word = if word.is_empty() { &what[..1] } else { word };
        is_not_cut(&format!("INSERT INTO t VALUES (1),({what})"), &unsteady(word, 2));
    }
    is_not_cut(
        "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = NOW()",
        "the value of `NOW` after the rows might be another one in another statement",
    );
    is_not_cut(
        "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = CURRENT_TIMESTAMP",
        "the value of `CURRENT_TIMESTAMP` after the rows might be another one in another statement",
    );
    for sql in [
        "",
        "UPDATE t SET a = 1",
        "INSERT INTO t SELECT 1",
        "INSERT INTO t SET a = 1",
        "INSERT INTO t VALUES ROW(1)",
        "INSERT INTO t VALUES",
        "INSERT INTO t VALUES (1",
        "INSERT INTO t VALUES (1),",
        "INSERT INTO t VALUES (1),('a)",
        "INSERT INTO t VALUES (1); DELETE FROM t",
        "INSERT INTO t VALUES (1) RETURNING a",
        "INSERT INTO t VALUES (1) /*! , (2) */",
        "INSERT INTO t VALUES (1 /*! , 2 */)",
        "INSERT INTO 't' VALUES (1)",
        "WITH a AS (SELECT 1) INSERT INTO t VALUES (1)",
    ] {
        is_not_cut(sql, "it is no plain INSERT or REPLACE with VALUES");
    }
}

#[test]
fn a_row_that_fits_into_no_statement() {
    let split =
        SplitInsert::parse(b"INSERT INTO t VALUES (1),(22),(3) ON DUPLICATE KEY UPDATE a = 1", Dialect::default())
            .unwrap();
    let whole = "INSERT INTO t VALUES (22) ON DUPLICATE KEY UPDATE a = 1".len();
    assert!(split.check_rows(whole).is_ok());
    let error = split.check_rows(whole - 1).unwrap_err();
    assert_eq!(
        (error.message(), error.row()),
        ("row 2 of the statement has 4 bytes, and the server takes statements of 54", Some(1))
    );
}

#[test]
fn quotes_are_those_of_the_session() {
    let sql = "INSERT INTO \"t\" (\"a\") VALUES ('\\')'),(2)";
    assert_eq!(cut(ANSI, sql, 1, usize::MAX).len(), 2);
    assert_eq!(cut(Dialect::default(), sql, 1, usize::MAX), ["it is no plain INSERT or REPLACE with VALUES"]);
    let named = "INSERT INTO t VALUES (\"a\")";
    assert_eq!(cut(ANSI, named, 1, 0), ["the value of `\"a\"` in row 1 might be another one in another statement"]);
}
