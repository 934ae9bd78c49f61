//! docs/errors.md, written from the tables of the core: what a load and a program do about each error code of the servers.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use inrush_core::error::codes::{self, Connection};
use inrush_core::error::{Class, Error, Reason};
use inrush_core::write::answer::is_row_fault;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn the_reference_of_errors_is_up_to_date() {
    let path = repository("docs/errors.md");
    let page = page();
    if std::env::var_os("INRUSH_WRITE_ERRORS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap();
    let again = "INRUSH_WRITE_ERRORS=1 cargo test -p inrush-testkit --test error_codes";
    assert!(written == page, "docs/errors.md is out of date: {again}");
}

const INTRODUCTION: &str = "\
# Server errors by code

What `inrush load` does about an error of the server, and what the library reports of it: `error.reason()`,
`error.is_retryable()`, `error.is_fatal()` (the connection is closed). Codes that are not listed end a load with exit code 3;
their reason is `Other`. A test writes this page from the tables that the code uses. Messages of bad rows and what to do about
them: [bad-input.md](bad-input.md). What a retry is: [load.md](load.md#what-is-retried).

## The server, the network, other transactions

| code | what happened | a load | `reason()` | `is_retryable()` | the connection |
|---|---|---|---|---|---|
";

const ROWS: &str = "
## Errors of one row

A load stops at such a row, skips it or writes it into a file (`--bad-rows`). Other codes of the SQLSTATE classes 22, 23, 44 and
45 are errors of a row too: wrong values, constraints, views WITH CHECK OPTION, SIGNAL.

| code | name | SQLSTATE | `reason()` |
|---|---|---|---|
";

const RIGHTS: &str = "
## Users and rights

A load ends with exit code 1 if the login is refused (1045, 1698), else with 3. The reason is `AccessDenied`.

| code | name |
|---|---|
";

fn page() -> String {
    let described = described();
    let mut page = INTRODUCTION.to_owned();
    for (code, what) in &described {
        let error = Error::server(*code, *b"HY000", "");
        let (class, connection) = codes::of(*code);
        let _ = writeln!(
            page,
            "| {code} | {what} | {} | {} | {} | {} |",
            of_load(class),
            shown(error.reason()),
            if error.is_retryable() { "yes" } else { "" },
            match connection {
                Connection::Usable => "",
                Connection::Misplaced => "usable; a new one may lead to a better server",
                Connection::Closed => "closed",
            },
        );
    }
    page.push_str(ROWS);
    let reason = |code: u16, state: &[u8; 5]| Error::server(code, *state, "").reason();
    for (code, name, state) in NAMES.iter().filter(|(code, _, state)| reason(*code, state) != Reason::AccessDenied) {
        assert!(is_row_fault(&Error::server(*code, **state, "")), "{code} is no error of a row");
        let state_text = String::from_utf8_lossy(*state);
        let _ = writeln!(page, "| {code} | {name} | {state_text} | {} |", shown(reason(*code, state)));
    }
    page.push_str(RIGHTS);
    for (code, name, _) in NAMES.iter().filter(|(code, _, state)| reason(*code, state) == Reason::AccessDenied) {
        let _ = writeln!(page, "| {code} | {name} |");
    }
    page
}

/// What a load does about an error of a class.
fn of_load(class: Class) -> &'static str {
    match class {
        Class::Conflict => "retries",
        Class::ConflictOrLimit => "retries three times, then with smaller transactions",
        Class::NoId => "retries three times",
        Class::TooLarge => "stores the chunk in halves",
        Class::Full | Class::Unavailable => "retries over a new connection",
        Class::Lost => "retries over a new connection; after a COMMIT it first reads the ledger",
        Class::ReadOnly => "retries over a new connection if it has stored rows before",
        Class::Killed => "ends; retries over a new connection if this one is closed (KILL)",
        _ => "ends",
    }
}

fn shown(reason: Reason) -> String {
    if reason == Reason::Other { String::new() } else { format!("`{reason:?}`") }
}

/// The codes of the core's table with the comments behind them.
fn described() -> BTreeMap<u16, String> {
    let source = std::fs::read_to_string(repository("crates/inrush-core/src/error/codes.rs")).unwrap();
    let (_, table) = source.split_once("const TABLE: ").unwrap();
    let (table, _) = table.split_once("};\n").unwrap();
    let row = |line: &str| {
        let (entry, what) = line.trim().strip_prefix('(')?.split_once("// ")?;
        let code = entry.split(',').next()?;
        Some((if code == "OPTION_PREVENTS" { 1290 } else { code.parse().unwrap() }, what.to_owned()))
    };
    let described: BTreeMap<u16, String> = table.lines().filter_map(row).collect();
    for code in 0..=u16::MAX {
        let is_listed = codes::of(code) != (Class::Other, Connection::Usable);
        assert_eq!(described.contains_key(&code), is_listed, "{code}");
    }
    described
}

#[test]
fn every_code_with_a_reason_is_listed() {
    for code in 0..=u16::MAX {
        let has_reason = Error::server(code, *b"HY000", "").reason() != Reason::Other;
        let is_in_table = codes::of(code) != (Class::Other, Connection::Usable);
        assert_eq!(NAMES.iter().any(|(known, ..)| *known == code), has_reason && !is_in_table, "{code}");
    }
}

/// Codes that have a reason and no row in the core's table: the servers' names for them, and their SQLSTATEs.
const NAMES: [(u16, &str, &[u8; 5]); 29] = [
    (1022, "ER_DUP_KEY", b"23000"),
    (1044, "ER_DBACCESS_DENIED_ERROR", b"42000"),
    (1045, "ER_ACCESS_DENIED_ERROR", b"28000"),
    (1048, "ER_BAD_NULL_ERROR", b"23000"),
    (1062, "ER_DUP_ENTRY", b"23000"),
    (1142, "ER_TABLEACCESS_DENIED_ERROR", b"42000"),
    (1143, "ER_COLUMNACCESS_DENIED_ERROR", b"42000"),
    (1169, "ER_DUP_UNIQUE", b"23000"),
    (1216, "ER_NO_REFERENCED_ROW", b"23000"),
    (1217, "ER_ROW_IS_REFERENCED", b"23000"),
    (1227, "ER_SPECIFIC_ACCESS_DENIED_ERROR", b"42000"),
    (1263, "ER_WARN_NULL_TO_NOTNULL", b"22004"),
    (1264, "ER_WARN_DATA_OUT_OF_RANGE", b"22003"),
    (1364, "ER_NO_DEFAULT_FOR_FIELD", b"HY000"),
    (1370, "ER_PROCACCESS_DENIED_ERROR", b"42000"),
    (1406, "ER_DATA_TOO_LONG", b"22001"),
    (1451, "ER_ROW_IS_REFERENCED_2", b"23000"),
    (1452, "ER_NO_REFERENCED_ROW_2", b"23000"),
    (1586, "ER_DUP_ENTRY_WITH_KEY_NAME", b"23000"),
    (1698, "ER_ACCESS_DENIED_NO_PASSWORD_ERROR", b"28000"),
    (1761, "ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO", b"23000"),
    (1762, "ER_FOREIGN_DUPLICATE_KEY_WITHOUT_CHILD_INFO", b"23000"),
    (1820, "ER_MUST_CHANGE_PASSWORD", b"HY000"),
    (1859, "ER_DUP_UNKNOWN_IN_INDEX", b"23000"),
    (1862, "ER_MUST_CHANGE_PASSWORD_LOGIN", b"HY000"),
    (3118, "ER_ACCOUNT_HAS_BEEN_LOCKED (MySQL)", b"HY000"),
    (3819, "ER_CHECK_CONSTRAINT_VIOLATED (MySQL)", b"HY000"),
    (4025, "ER_CONSTRAINT_FAILED (MariaDB)", b"23000"),
    (4151, "ER_ACCOUNT_HAS_BEEN_LOCKED (MariaDB)", b"HY000"),
];

fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
