use super::*;
use crate::session::lost_answer::any_may_be_stored;
use crate::session::{Session, Transport};
use crate::wire::Status;
use Effect::{AutocommitOff, Ends, Lasts, Nothing, Rollback, Rows};

#[track_caller]
fn check(want: Effect, texts: &[&str]) {
    for text in texts {
        assert_eq!(Effect::of(text.as_bytes(), Dialect::default()), want, "{text}");
        assert_eq!(Effect::at_a_glance(text.as_bytes(), false, Dialect::default()), want, "{text}");
    }
}

#[test]
fn reads() {
    check(
        Nothing,
        &["SELECT 1", " select * from t where a in (1, 2)", "(SELECT 1) UNION (SELECT 2)", "SELECT COUNT(*)"],
    );
    check(
        Nothing,
        &["SELECT a FROM t WHERE b = 'f(x) FOR UPDATE; DROP'", "SELECT `nextval`", "SELECT '\\'', COUNT (a)"],
    );
    check(
        Nothing,
        &["WITH x AS (SELECT 1) SELECT * FROM x", "VALUES ROW(1), ROW(2)", "TABLE t", "DO SLEEP(1)", "DO 0"],
    );
    check(Nothing, &["SHOW TABLES", "DESCRIBE t", "EXPLAIN UPDATE t SET a = 1", "EXPLAIN SELECT f(1)", "USE x"]);
    check(Nothing, &["", ";", " -- COMMIT\n", "/* COMMIT */", "SELECT 1;", "SELECT 1; SELECT 2", "#"]);
    check(Nothing, &["SELECT @a := 1", "SAVEPOINT a", "RELEASE SAVEPOINT a", "ROLLBACK TO a", "ROLLBACK WORK TO a"]);
}
#[test]
fn what_may_write_is_no_read() {
    check(
        Rows,
        &["SELECT f(1)", "SELECT s.count(1)", "SELECT `f`(1)", "SELECT \"f\"(1)", "SELECT NEXTVAL(s)", "DO f()"],
    );
    check(
        Rows,
        &["SELECT NEXT VALUE FOR s", "SELECT a FROM t FOR UPDATE", "SELECT a INTO @a FROM t", "SELECT f /* */ (1)"],
    );
    check(
        Rows,
        &["WITH x AS (SELECT 1) UPDATE t SET a = 1", "WITH x AS (SELECT 1) DELETE FROM t", "SELECT /*! f(1) */"],
    );
    check(Rows, &["EXPLAIN ANALYZE SELECT 1", "SELECT 1; SELECT f(1)", "SELECT 'a', f(1)", "SELECT 'a''b', f('''')"]);
}
#[test]
fn a_literal_ends_where_the_session_says() {
    let check = |no_backslash_escapes, want| {
        let dialect = Dialect { no_backslash_escapes, ansi_quotes: false };
        assert_eq!(Effect::of(br"SELECT 'a\', f(1), '", dialect), want);
    };
    check(false, Nothing);
    check(true, Rows);
}
#[test]
fn in_doubt_about_double_quotes_a_text_may_do_anything() {
    let text = br#"SELECT "a\", f(1), ""#;
    assert_eq!(Effect::of(text, Dialect::default()), Lasts);
    assert_eq!(Effect::of_prepared(text), Lasts);
    assert_eq!(Effect::of(text, Dialect { ansi_quotes: true, ..Dialect::default() }), Rows);
    assert_eq!(Effect::of(br#"SELECT "a\"b", f2"#, Dialect::default()), Nothing);
}
#[test]
fn rows() {
    check(
        Rows,
        &[
            "INSERT INTO t VALUES (1)",
            "update t set a = 1",
            "DELETE FROM t",
            "REPLACE t VALUES (1)",
            "/*x*/ INSERT t SET a = 1",
        ],
    );
    check(
        Rows,
        &["LOAD DATA LOCAL INFILE 'x' INTO TABLE t", "LOAD XML INFILE 'x' INTO TABLE t", "INSERT t VALUES (1);"],
    );
    check(Rows, &["INSERT t VALUES (1); INSERT t VALUES (2)", "SELECT 1; INSERT t VALUES (1)"]);
}
#[test]
fn what_lasts() {
    check(
        Lasts,
        &["COMMIT", "CREATE TABLE t (a INT)", "DROP TABLE t", "CALL p()", "TRUNCATE t", "ALTER TABLE t ADD a INT"],
    );
    check(
        Lasts,
        &["INSERT t VALUES (1); COMMIT", "EXECUTE x", "XA COMMIT 'a'", "LOAD INDEX INTO CACHE t", "KILL 1", "x"],
    );
    check(
        Lasts,
        &["SELECT 1 INTO OUTFILE 'x'", "BEGIN NOT ATOMIC SELECT 1; END", "ANALYZE TABLE t", "1", "?", "'COMMIT'"],
    );
    check(
        Lasts,
        &["SET GLOBAL a = 1", "SET @@GLOBAL.a = 1", "SET PERSIST a = 1", "SET PASSWORD = 'x'", "SET DEFAULT ROLE a"],
    );
    check(
        Lasts,
        &["SET STATEMENT a = 1 FOR INSERT INTO t VALUES (1)", "/*!50000 COMMIT */", "BEGIN; INSERT t VALUES (1)"],
    );
}
#[test]
fn settings_of_the_session() {
    check(Nothing, &["SET NAMES utf8mb4", "SET @a = 1, @b = 'x'", "SET SESSION a = 1", "SET TRANSACTION READ ONLY"]);
    check(Rows, &["SET @a = f(1)", "SET @a = (SELECT 1)"]);
    check(AutocommitOff, &["SET autocommit = 0", "set AUTOCOMMIT=off;", "SET SESSION autocommit = 0"]);
    check(Ends, &["SET autocommit = 1", "SET autocommit = 0, autocommit = 1", "SET autocommit = ON"]);
}
#[test]
fn transactions() {
    check(
        Ends,
        &["BEGIN", "BEGIN WORK", "START TRANSACTION READ ONLY", "LOCK TABLES t WRITE", "UNLOCK TABLES", "begin;"],
    );
    check(Rollback, &["ROLLBACK", "ROLLBACK WORK", "ROLLBACK AND CHAIN"]);
    check(Lasts, &["START SLAVE", "START GROUP_REPLICATION"]);
}
#[test]
fn at_a_glance_reads_no_further_than_it_must() {
    let pass_through = |text: &str, is_one| Effect::at_a_glance(text.as_bytes(), is_one, Dialect::default());
    assert_eq!(pass_through("INSERT t VALUES ('; COMMIT')", false), Rows);
    assert_eq!(pass_through("INSERT t VALUES (1); COMMIT", false), Lasts);
    assert_eq!(pass_through("INSERT t VALUES (1), (", true), Rows);
    assert_eq!(pass_through("SELECT f(1)", true), Rows);
}

/// A session as its last answer left it.
fn session(inside: bool, autocommit: bool, refused: bool) -> Session {
    let mut session = Session::new(Transport::Tcp);
    session.status = Status::empty();
    session.status.set(Status::SERVER_STATUS_IN_TRANS, inside);
    session.status.set(Status::SERVER_STATUS_AUTOCOMMIT, autocommit);
    if refused {
        session.refused(1213);
    }
    session
}

#[track_caller]
fn stored(session: &Session, effects: &[Effect], want: bool) {
    assert_eq!(any_may_be_stored(effects.iter().copied(), session), want, "{effects:?}");
}

#[test]
fn without_a_transaction_each_statement_is_committed() {
    let session = session(false, true, false);
    stored(&session, &[], false);
    stored(&session, &[Nothing, Rollback, AutocommitOff], false);
    stored(&session, &[Rows], true);
    stored(&session, &[Lasts], true);
    stored(&session, &[Ends], false);
    stored(&session, &[Nothing, Rows], true);
    stored(&session, &[AutocommitOff, Rows, Rows], false);
    stored(&session, &[AutocommitOff, Rows, Ends], true);
    stored(&session, &[Ends, Rows], false);
    stored(&session, &[Ends, Rows, Rows], true);
    stored(&session, &[Ends, Rows, Lasts], true);
}
#[test]
fn in_a_transaction_what_is_lost_is_rolled_back() {
    let session = session(true, true, false);
    stored(&session, &[Rows], false);
    stored(&session, &[Nothing, Rows, Nothing], false);
    // The first one may have ended the transaction.
    stored(&session, &[Rows, Rows], true);
    stored(&session, &[Rollback, Rows], true);
    stored(&session, &[Ends], true);
    stored(&session, &[Lasts], true);
}
#[test]
fn an_error_may_have_ended_it() {
    stored(&session(true, true, true), &[Rows], true);
    stored(&session(true, true, true), &[Ends], true);
    stored(&session(true, false, true), &[Rows, Rows], false);
}
#[test]
fn an_error_is_an_answer_unless_a_proxy_sent_it() {
    let after = |code| {
        let mut session = session(false, true, false);
        session.refused(code);
        Rows.may_be_stored(&session)
    };
    assert_eq!((after(1213), after(1053), after(2006), after(2013)), (false, false, true, true));
}
#[test]
fn with_autocommit_off_nothing_is_committed() {
    for inside in [false, true] {
        stored(&session(inside, false, false), &[Rows, Rows], false);
        stored(&session(inside, false, false), &[Rows, Lasts], true);
    }
    stored(&session(false, false, false), &[Ends, Rows], false);
    stored(&session(true, false, false), &[Ends], true);
    stored(&session(true, false, false), &[Rows, Rollback, Ends], false);
}
