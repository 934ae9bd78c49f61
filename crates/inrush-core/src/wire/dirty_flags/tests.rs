use super::*;

const NOTHING: DirtyFlags = DirtyFlags { state: false, identity: false, next_transaction: false, calls: false };
const STATE: DirtyFlags = DirtyFlags { state: true, ..NOTHING };
const IDENTITY: DirtyFlags = DirtyFlags { identity: true, ..NOTHING };
const NEXT: DirtyFlags = DirtyFlags { next_transaction: true, ..NOTHING };
const CALLS: DirtyFlags = DirtyFlags { calls: true, ..NOTHING };

fn look(sql: &str, multi: bool) -> DirtyFlags {
    let mut seen = DirtyFlags::default();
    seen.look_at(&[b"\x03", sql.as_bytes()].concat(), multi);
    seen
}

#[track_caller]
fn check(want: DirtyFlags, texts: &[&str]) {
    for sql in texts {
        assert_eq!(look(sql, false), want, "{sql}");
    }
}

#[test]
fn everyday_statements_leave_nothing() {
    check(
        NOTHING,
        &[
            "",
            "SELECT 1",
            "SELECT @@max_allowed_packet, @@session.sql_mode",
            "INSERT INTO blocks (locked, email) VALUES (1, 'ann@example.com')",
            "SELECT * FROM t WHERE a = ? FOR UPDATE SKIP LOCKED",
            "SELECT * FROM t LOCK IN SHARE MODE",
            "BEGIN",
            "COMMIT",
            "CREATE TABLE t (a INT, temporary_name INT)",
            "create or replace view v as select 1",
            "lockers",
            "SET sql_mode = ''",
            "UNLOCK TABLES",
            "SELECT @",
            "/* a comment",
            "-- a comment",
        ],
    );
}

#[test]
fn user_variables() {
    check(STATE, &["SELECT @y := 5", "SELECT a INTO @z FROM t", "SELECT a,@b:=1", "SELECT(@`a b` := 1)", "DO @'x':=1"]);
}

#[test]
fn locks() {
    check(
        STATE,
        &[
            "SELECT GET_LOCK('a', 1)",
            "select get_lock ('a', 1)",
            "SELECT service_get_write_locks('a', 'b', 0)",
            "SELECT `get_lock`('a', 1)",
            "LOCK TABLES t READ",
            " lock/**/tables t read",
            "/*!40000 LOCK TABLES t WRITE */",
            "/*M!100100 LOCK TABLES t WRITE */",
            "# first\n-- second\nLOCK TABLES t READ",
            "FLUSH TABLES WITH READ LOCK",
            "BACKUP STAGE START",
        ],
    );
}

#[test]
fn tables_and_handlers() {
    check(
        STATE,
        &[
            "CREATE TEMPORARY TABLE t SELECT 1",
            "create or replace temporary table t select 1",
            "HANDLER t OPEN",
            "XA START 'x'",
            "BEGIN NOT ATOMIC SET @a = 1; END",
        ],
    );
}

#[test]
fn roles_and_accounts() {
    check(IDENTITY, &["SET ROLE admin", "set/* */role none"]);
    let mut seen = DirtyFlags::default();
    seen.look_at(b"\x11ann\0", false);
    assert_eq!(seen, IDENTITY);
}

#[test]
fn a_program_in_a_text_may_do_anything() {
    check(DirtyFlags { state: true, identity: true, ..NOTHING }, &["EXECUTE IMMEDIATE 'SET ROLE x'", "execute s"]);
}

#[test]
fn the_next_transaction() {
    check(NEXT, &["SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "set transaction read only"]);
    check(NOTHING, &["SET SESSION TRANSACTION READ ONLY"]);
    for begins in ["BEGIN", "start transaction"] {
        let mut seen = NEXT;
        seen.look_at(&[b"\x03", begins.as_bytes()].concat(), false);
        assert_eq!(seen, NOTHING, "it began");
    }
}

#[test]
fn procedures() {
    check(CALLS, &["CALL p(1)", "call\n`p`()"]);
}

#[test]
fn behind_a_semicolon_only_where_that_is_allowed() {
    assert_eq!(look("SELECT 1; LOCK TABLES t READ", true), STATE);
    assert_eq!(look("SELECT 1; LOCK TABLES t READ", false), NOTHING);
}

#[test]
fn a_reset_ends_the_reports() {
    let mut seen = DirtyFlags::default();
    seen.look_at(b"\x1f", false);
    assert_eq!(seen, STATE);
}

#[test]
fn prepared_texts_count_executions_do_not() {
    let mut seen = DirtyFlags::default();
    seen.look_at(b"\x17@a := 1", false);
    assert_eq!(seen, NOTHING);
    seen.look_at(b"\x16SELECT @a := 1", false);
    assert_eq!(seen, STATE);
}

#[test]
fn no_text_is_too_odd() {
    for sql in ["/*!", "/*M!1", "/", "--", "@", "k", "lock", "K(", "ock(", "(((", "\u{80}@", "@\u{e9}"] {
        look(sql, true);
    }
}

#[test]
fn what_outdates_statements() {
    let check =
        |sql: &str, want: bool| assert_eq!(outdates_statements(sql.as_bytes(), false, Some("here")), want, "{sql}");
    for sql in ["USE there", " use `there`;", "/* x */ USE there", "SET sql_mode = ''", "set @@session.SQL_MODE='ANSI'"]
    {
        check(sql, true);
    }
    for sql in ["SET NAMES utf8mb4", "SET collation_connection = utf8mb4_bin", "-- x\nSET CHARACTER SET utf8mb4"] {
        check(sql, true);
    }
    for sql in [
        "USE here",
        "use `here` ;",
        "SELECT @@sql_mode",
        "SET @x = 1",
        "SET autocommit = 0",
        "UPDATE t SET a = 1",
        "",
        "/*",
    ] {
        check(sql, false);
    }
    let both = b"SELECT 1; USE there";
    assert_eq!([true, false].map(|multi| outdates_statements(both, multi, None)), [true, false]);
}
