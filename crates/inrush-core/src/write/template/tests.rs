use crate::write::template::*;
use proptest::prelude::*;

fn parse(sql: &str) -> (Statement, Template) {
    let statement = Statement::new(sql).unwrap();
    let template = Template::parse(&statement);
    (statement, template)
}

/// The kind of the statement, its table, and its columns, in one line.
#[track_caller]
fn check(sql: &str, want: &str) {
    let (_, template) = parse(sql);
    let mut got = format!("{:?}", template.kind);
    for (is, word) in
        [(template.ignore, "ignore"), (template.on_duplicate, "on duplicate"), (template.returning, "returning")]
    {
        got += &if is { format!(" {word}") } else { String::new() };
    }
    if let Some(TableName { schema, name }) = template.table {
        got += &schema.map_or_else(|| format!(" [{name}]"), |schema| format!(" [{schema}].[{name}]"));
    }
    if let Some(columns) = template.columns {
        got += &format!(" {columns:?}");
    }
    assert_eq!(got, want);
}

/// The text of the VALUES list, the number of its rows, and its cells.
#[track_caller]
fn check_row(sql: &str, want: Option<(&str, usize, &str)>) {
    let (statement, template) = parse(sql);
    let got = template.row.map(|row| {
        let cell = |cell: &Cell| match cell {
            Cell::Placeholder(number) => number.to_string(),
            Cell::Default => "D".to_owned(),
            Cell::Other => "x".to_owned(),
        };
        let cells: Vec<_> = row.cells.iter().map(cell).collect();
        (statement.sql()[row.range].to_owned(), row.n_rows, cells.join(" "))
    });
    assert_eq!(got, want.map(|(text, n_rows, cells)| (text.to_owned(), n_rows, cells.to_owned())));
}

#[track_caller]
fn check_targets(sql: &str, want: &str) {
    let target = |target: &PlaceholderTarget| match target {
        PlaceholderTarget::Column(name) => name.clone(),
        PlaceholderTarget::Position(place) => place.to_string(),
        PlaceholderTarget::Expression => "x".to_owned(),
    };
    let (_, template) = parse(sql);
    assert_eq!(template.targets().iter().map(target).collect::<Vec<_>>().join(" "), want);
}

#[track_caller]
fn check_multi_row(sql: &str, want: Result<(), &str>) {
    let (statement, template) = parse(sql);
    let got = template.multi_row(&statement).map(|_| ());
    assert_eq!(
        got.as_ref().map_err(|error| error.message()),
        want.as_ref().map_err(|message| *message).copied().map(|()| &())
    );
}

#[track_caller]
fn check_end(sql: &str, want: Option<&str>) {
    let (statement, template) = parse(sql);
    assert_eq!(template.end().map(|end| &statement.sql()[..end]), want);
}

#[test]
fn inserts() {
    check("INSERT INTO t (a, b) VALUES (?, ?)", r#"Insert [t] ["a", "b"]"#);
    check("insert t values (?)", "Insert [t]");
    check("INSERT\tLOW_PRIORITY IGNORE\nINTO s.t VALUE(?)", "Insert ignore [s].[t]");
    check("INSERT DELAYED t () VALUES ()", "Insert [t] []");
    check("INSERT HIGH_PRIORITY INTO t VALUES (1)", "Insert [t]");
    check("REPLACE DELAYED INTO t (a) VALUES (?)", r#"Replace [t] ["a"]"#);
    check("REPLACE t SET a = ?", "Replace [t]");
    check("INSERT INTO t PARTITION (p0, p1) (a) VALUES (?)", r#"Insert [t] ["a"]"#);
    check("INSERT INTO t (t.a, s.t.b) VALUES (?, ?)", r#"Insert [t] ["a", "b"]"#);
    check("INSERT INTO t SELECT ?", "Insert [t]");
    check("INSERT INTO t (a) SELECT ? FROM u", r#"Insert [t] ["a"]"#);
    check("INSERT INTO t (SELECT ?)", "Insert [t]");
}

#[test]
fn what_follows_the_rows() {
    check("INSERT t VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a)", "Insert on duplicate [t]");
    check("INSERT t VALUES (?) AS n ON DUPLICATE KEY UPDATE a = n.a", "Insert on duplicate [t]");
    check("INSERT t VALUES (?) AS n(x) ON DUPLICATE KEY UPDATE a = x", "Insert on duplicate [t]");
    check("INSERT t (a) SELECT ? ON DUPLICATE KEY UPDATE a = 1", r#"Insert on duplicate [t] ["a"]"#);
    check("INSERT t SELECT (SELECT 1 ON DUPLICATE KEY UPDATE a)", "Insert [t]");
    check("INSERT t VALUES (?) RETURNING id, a", "Insert returning [t]");
    check("INSERT t VALUES (?) ON DUPLICATE KEY UPDATE a=1 RETURNING *", "Insert on duplicate returning [t]");
    check("INSERT t VALUES (?) ON DUPLICATE KEY UPDATE returning = 1, a = b + returning", "Insert on duplicate [t]");
    check("INSERT t (returning) VALUES ((SELECT returning FROM u))", r#"Insert [t] ["returning"]"#);
}

#[test]
fn updates_and_deletes() {
    check("UPDATE t SET a = ? WHERE id = ?", "Update [t]");
    check("UPDATE LOW_PRIORITY IGNORE s.t AS x SET x.a = ? LIMIT 1", "Update ignore [s].[t]");
    check("UPDATE t x SET a = ?", "Update [t]");
    check("UPDATE t, u SET t.a = ?", "Update");
    check("UPDATE t JOIN u USING (id) SET a = ?", "Update");
    check("UPDATE (SELECT 1) d, t SET a = ?", "Update");
    check("DELETE FROM t WHERE id = ?", "Delete [t]");
    check("DELETE LOW_PRIORITY QUICK IGNORE FROM s.t PARTITION (p) x WHERE id = ?", "Delete ignore [s].[t]");
    check("DELETE FROM t", "Delete [t]");
    check("DELETE FROM t RETURNING id", "Delete returning [t]");
    check("DELETE FROM t ORDER BY id LIMIT ?", "Delete [t]");
    check("DELETE t FROM t JOIN u", "Delete");
    check("DELETE FROM t, u USING t JOIN u", "Delete");
    check("DELETE FROM t USING t JOIN u", "Delete");
    check("DELETE HISTORY FROM t", "Delete");
}

#[test]
fn all_else_is_other() {
    for sql in [
        "",
        ";",
        "SELECT ?",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "CALL p(?)",
        "(SELECT 1)",
        "EXPLAIN INSERT t VALUES (1)",
        "INSERT t VALUES (1); DELETE FROM t",
        "; INSERT t VALUES (1)",
        "INSERT t VALUES ('open",
        "INSERT t VALUES (1) /*! x",
        "? INSERT t VALUES (1)",
        "`INSERT` t VALUES (1)",
        "INSERTED t VALUES (1)",
    ] {
        check(sql, "Other");
        check_row(sql, None);
    }
}

#[test]
fn names_and_quotes() {
    check(
        "INSERT INTO `my``db`.`a.b` (`values`, `c``d`, größe) VALUES (?,?,?)",
        r#"Insert [my`db].[a.b] ["values", "c`d", "größe"]"#,
    );
    check(r#"INSERT INTO "s"."t" ("a", "b""c") VALUES ("x", ?)"#, r#"Insert [s].[t] ["a", "b\"c"]"#);
    check("INSERT INTO 't' VALUES (?)", "Insert");
    check("INSERT INTO s . t (a) VALUES (?)", r#"Insert [s].[t] ["a"]"#);
    check("INSERT INTO s.values VALUES (?)", "Insert [s].[values]");
    check("INSERT INTO value VALUE (?)", "Insert [value]");
    check(
        "INSERT INTO t (duplicate, update_, ignore_) VALUES (?)",
        r#"Insert [t] ["duplicate", "update_", "ignore_"]"#,
    );
    check("INSERT INTO 1a$ (x) VALUES (?)", r#"Insert [1a$] ["x"]"#);
}

#[test]
fn comments_anywhere() {
    check("/* a */ INSERT /*+ SET_VAR(x=1) */ INTO -- b\n t # c\n (a) VALUES (?)", r#"Insert [t] ["a"]"#);
    check("INSERT /* IGNORE */ t VALUES (?)", "Insert [t]");
    check("INSERT /*! IGNORE */ INTO t VALUES (?)", "Insert ignore [t]");
    check("INSERT /*!80000 IGNORE */ INTO t VALUES (?)", "Insert ignore [t]");
    check("INSERT INTO t VALUES (?) /*M!100100 RETURNING id */", "Insert returning [t]");
    check("INSERT t VALUES (?) -- ; DELETE FROM t", "Insert [t]");
}

#[test]
fn rows() {
    check_row("INSERT t (a, b) VALUES (?, ?)", Some(("(?, ?)", 1, "0 1")));
    check_row("INSERT t VALUE(:a,DEFAULT,NOW(),:b)", Some(("(?,DEFAULT,NOW(),?)", 1, "0 D x 1")));
    check_row(
        "INSERT t VALUES ( ? + 1, f(?, g(?, ',)')), -?, default(a) )",
        Some(("( ? + 1, f(?, g(?, ',)')), -?, default(a) )", 1, "x x x x")),
    );
    check_row("INSERT t VALUES (?,1),\n(?,2) , (3,?);", Some(("(?,1),\n(?,2) , (3,?)", 3, "")));
    check_row("INSERT t VALUES ()", Some(("()", 1, "")));
    check_row(
        "INSERT t VALUES ((SELECT a FROM u LIMIT 1, 1), _binary'x', ?)",
        Some(("((SELECT a FROM u LIMIT 1, 1), _binary'x', ?)", 1, "x x 0")),
    );
    check_row("INSERT t VALUES (/* ) */ ? -- )\n, '?)')", Some(("(/* ) */ ? -- )\n, '?)')", 1, "0 x")));
    check_row(r"INSERT t VALUES ('it''s \') ,(', ?)", Some((r"('it''s \') ,(', ?)", 1, "x 0")));
    check_row(
        "INSERT t VALUES (?) AS n(a, b) ON DUPLICATE KEY UPDATE a = n.a, b = (1, 2) RETURNING a",
        Some(("(?)", 1, "0")),
    );
    check_row("REPLACE INTO t VALUES (?) -- tail", Some(("(?)", 1, "0")));
}

#[test]
fn no_rows() {
    for sql in [
        "INSERT t SET a = ?",
        "INSERT t SELECT ?",
        "INSERT t VALUES ROW(?)",
        "INSERT t VALUES",
        "INSERT t VALUES (?",
        "INSERT t VALUES (?),",
        "INSERT t VALUES (?,)",
        "INSERT t VALUES (?) UNION SELECT 1",
        "INSERT t VALUES (?) ON DUPLICATE",
        "INSERT t VALUES (?))",
        "INSERT t VALUES (?, /*! 1, */ ?)",
        "INSERT t /*! VALUES (1), */ (?)",
        "UPDATE t SET a = ?",
        "INSERT t (a b) VALUES (?)",
        "INSERT t VALUES (?) , (?) x",
        "INSERT a.b.c VALUES (?)",
    ] {
        check_row(sql, None);
    }
}

#[test]
fn targets_of_rows() {
    check_targets("INSERT t (a, b, c) VALUES (?, ? + 1, ?)", "a x c");
    check_targets("INSERT t VALUES (1, ?, f(?), ?)", "1 x 3");
    check_targets("INSERT t (a, b) VALUES (?, 1), (2, ?)", "a b");
    check_targets("INSERT t (a) VALUES (?, ?)", "a x");
    check_targets("INSERT t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = ?, b = b + ?", "a a x");
    check_targets("INSERT t (a) SELECT ?", "x");
}

#[test]
fn targets_of_assignments() {
    check_targets("INSERT t SET a = ?, `b``c` := ?, t.d = (?), e = ? + 1", "a b`c x x");
    check_targets("INSERT t SET a = ? AS n ON DUPLICATE KEY UPDATE b = ?", "a b");
    check_targets("UPDATE t SET a = ?, b = b + ?, s.t.c = ? WHERE id = ? AND x = ?", "a x c x x");
    check_targets("UPDATE t SET a = ? ORDER BY id LIMIT ?", "a x");
    check_targets("UPDATE t SET a = ? DIV 2, b = ?", "x b");
    check_targets("UPDATE t SET a = IF(?, ?, 1), b = ? RETURNING a", "x x b");
    check_targets("UPDATE t JOIN u SET t.a = ?", "x");
    check_targets("DELETE FROM t WHERE a = ?", "x");
}

#[test]
fn many_rows() {
    check_multi_row("INSERT t VALUES (?, ?)", Ok(()));
    check_multi_row("INSERT t VALUES (NOW())", Ok(()));
    check_multi_row("INSERT t SELECT ?", Err("the statement has no VALUES list that could carry many rows"));
    check_multi_row("UPDATE t SET a = ?", Err("an UPDATE cannot carry many rows"));
    check_multi_row("DELETE FROM t WHERE a = ?", Err("a DELETE cannot carry many rows"));
    check_multi_row("SELECT ?", Err("only an INSERT or REPLACE can carry many rows"));
    check_multi_row(
        "INSERT t VALUES (:a) ON DUPLICATE KEY UPDATE b = :b",
        Err("placeholder `:b` stands outside of the VALUES list, so many rows cannot share the statement"),
    );
    check_multi_row(
        "INSERT t VALUES (?) ON DUPLICATE KEY UPDATE b = ?",
        Err("placeholder 2 stands outside of the VALUES list, so many rows cannot share the statement"),
    );
}

#[test]
fn where_a_statement_ends() {
    check_end("DELETE FROM t ; -- done", Some("DELETE FROM t"));
    check_end("DELETE FROM t /*! LIMIT 1 */ ;;", Some("DELETE FROM t /*! LIMIT 1 */"));
    check_end("DO 1; DO 2;", Some("DO 1; DO 2"));
    check_end("DO '; ' # '", Some("DO '; '"));
    check_end("", Some(""));
    check_end("DO 'a", None);
    check_end("DO /*! 'a'", None);
}

#[test]
fn the_text_of_the_table() {
    let (statement, template) = parse("INSERT INTO `s` . `t` PARTITION (p0) (a) VALUES (?)");
    assert_eq!(template.table_text(&statement), "`s` . `t` PARTITION (p0)");
}

/// Parts of texts that are close to statements.
const PIECES: &[&str] = &[
    "INSERT ",
    "REPLACE ",
    "UPDATE ",
    "DELETE ",
    "INTO ",
    "FROM ",
    "t ",
    "`a``b` ",
    "\"q\" ",
    "'s' ",
    "VALUES ",
    "SET ",
    "(",
    ")",
    ",",
    "?",
    "=",
    ".",
    ";",
    " ON DUPLICATE KEY UPDATE ",
    " AS n",
    " RETURNING ",
    "/*! ",
    "*/",
    "/*",
    "-- ",
    "\n",
    "'",
    "\"",
    "`",
    "\\",
    "DEFAULT",
    "a",
    "é",
    "1",
];

proptest! {
    #[test]
    fn any_text_is_taken(sql in ".{0,60}") {
        inrush_testkit::fuzz_harness::template(sql.as_bytes());
    }

    #[test]
    fn near_statements_are_taken(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        inrush_testkit::fuzz_harness::template(pieces.concat().as_bytes());
    }
}
