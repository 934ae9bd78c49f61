//! Which method writes a batch, what it can tell, and what keeps it together: a line a case.

use inrush_core::batch::{BatchFacts, BatchOptions, BatchPlan, OnBadRow, ResultDetail, RowsPerCommand, Scope, plan};
use inrush_core::column::{Column, ColumnType};
use inrush_core::error::{Kind, Result};
use inrush_core::profile::Profile;
use inrush_core::session::Statement;
use inrush_core::wire::ServerVersion;
use inrush_core::write::template::Template;
use inrush_core::write::{Method, Table};

const INSERT: &str = "INSERT INTO t (a) VALUES (?)";
const UPSERT: &str = "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a)";
const IGNORE: &str = "INSERT IGNORE INTO t (a) VALUES (?)";
const REPLACE: &str = "REPLACE INTO t (a) VALUES (?)";
const UPDATE: &str = "UPDATE t SET a = ?";
const DELETE: &str = "DELETE FROM t WHERE a = ?";
const CALL: &str = "CALL p(?)";
/// The id itself is given.
const GIVEN: &str = "INSERT INTO t (Id, a) VALUES (?, ?)";
const UNLISTED: &str = "INSERT INTO t VALUES (?, ?)";
const EXPRESSION: &str = "INSERT INTO t (a) VALUES (? + 1)";
const SELECT: &str = "INSERT INTO t (a) SELECT ?";
const NO_PLACEHOLDER: &str = "INSERT INTO t (a) VALUES (1)";

/// Servers of one line each; the words behind the name switch things on or off.
fn facts<'a>(words: &str, profile: &'a Profile, table: &'a Table) -> BatchFacts<'a> {
    let has = |word: &str| words.split(' ').any(|known| known == word);
    BatchFacts {
        profile,
        has_bulk: profile.bulk_execute,
        has_unit_results: profile.unit_results,
        splits_loads: false,
        local_infile: has("local"),
        multi_statements: has("multi"),
        in_transaction: has("inside"),
        autocommit: !has("manual"),
        table: (!has("unknown")).then_some(table),
        increment: profile.consecutive_ids.then_some(2),
    }
}

fn profile(words: &str) -> Profile {
    Profile::of(&ServerVersion::parse(match words.split(' ').next() {
        Some("maria-10.3") => "10.3.0-MariaDB",
        Some("maria-10.11") => "10.11.4-MariaDB",
        Some("maria") => "11.8.2-MariaDB",
        _ => "9.7.0",
    }))
}

fn table() -> Table {
    let column = |name: &str, auto_increment: bool| {
        let ty = ColumnType::Int { bytes: 4, unsigned: false, bool: false };
        Column {
            name: name.into(),
            ty,
            nullable: true,
            optional: true,
            has_default: false,
            auto_increment,
            generated: false,
            keeps_spelling: false,
            charset: None,
        }
    };
    let columns = vec![column("id", true), column("a", false)];
    Table { schema: "s".into(), name: "t".into(), engine: "InnoDB".into(), transactional: true, columns }
}

fn planned(words: &str, sql: &str, n_rows: usize, options: &BatchOptions, refused: &[Method]) -> Result<BatchPlan> {
    let (profile, table) = (profile(words), table());
    let statement = Statement::new(sql).unwrap();
    let refused: Vec<_> = refused.iter().map(|method| (*method, "no such thing".to_owned())).collect();
    let template = Template::parse(&statement);
    plan(&statement, &template, n_rows, options, &facts(words, &profile, &table), &refused)
}

fn auto() -> BatchOptions {
    BatchOptions::new()
}

fn by(method: Method) -> BatchOptions {
    BatchOptions::new().with_method(method)
}

/// What `auto` takes.
#[track_caller]
fn takes(words: &str, sql: &str, n_rows: usize, options: &BatchOptions, want: Method) {
    let plan = planned(words, sql, n_rows, options, &[]).unwrap();
    assert_eq!((plan.method, plan.may_fall_back), (want, true), "{plan:?}");
    assert!(!plan.reason.is_empty());
}

/// A method that was asked for is taken, and tells this.
#[track_caller]
fn detail(words: &str, sql: &str, options: &BatchOptions, want: ResultDetail, returning: Option<&str>) {
    let plan = planned(words, sql, 10, options, &[]).unwrap();
    assert_eq!((plan.detail, plan.returning.as_deref(), plan.may_fall_back), (want, returning, false), "{plan:?}");
    assert_eq!(plan.reason, "requested");
}

/// A method that was asked for is refused, in these words.
#[track_caller]
fn refuses(words: &str, sql: &str, options: &BatchOptions, why: &str) {
    let error = planned(words, sql, 10, options, &[]).unwrap_err();
    assert!(error.kind() == Kind::Config && !error.is_fatal(), "{error:?}");
    assert!(error.message().contains(why), "{error}");
    assert!(error.hint().is_some(), "{error}");
}

#[test]
fn auto_by_rows() {
    takes("mysql", INSERT, 1, &auto(), Method::Prepared);
    takes("mysql", INSERT, 2, &auto(), Method::MultiRow);
    takes("mysql", INSERT, 999, &auto(), Method::MultiRow);
    takes("mysql", INSERT, 1_000, &auto(), Method::MultiRowPrepared);
    takes("mysql local", INSERT, 999, &auto(), Method::MultiRow);
    takes("mysql local", INSERT, 1_000, &auto(), Method::LoadData);
    takes("mysql", INSERT, 2_000, &auto(), Method::MultiRowPrepared);
    takes("mysql local", INSERT, 2_000, &auto().with_bad_rows(OnBadRow::Skip), Method::MultiRowPrepared);
    takes("mysql local unknown", INSERT, 2_000, &auto(), Method::MultiRowPrepared);
    takes("maria", INSERT, 1, &auto(), Method::Prepared);
    takes("maria", INSERT, 2, &auto(), Method::Bulk);
    takes("maria local", INSERT, 1_000_000, &auto(), Method::Bulk);
}

#[test]
fn auto_by_statement() {
    for (sql, many) in
        [(INSERT, true), (UPSERT, true), (IGNORE, true), (REPLACE, true), (UNLISTED, true), (EXPRESSION, true)]
    {
        takes("mysql", sql, 1_000, &auto(), if many { Method::MultiRowPrepared } else { Method::Pipelined });
        takes("maria", sql, 1_000, &auto(), Method::Bulk);
    }
    for sql in [UPDATE, DELETE] {
        takes("mysql local multi", sql, 1_000, &auto(), Method::Pipelined);
        takes("maria", sql, 1_000, &auto(), Method::Bulk);
    }
    takes("mysql", SELECT, 1_000, &auto(), Method::Pipelined);
    takes("maria", CALL, 1_000, &auto(), Method::Pipelined);
    takes("mysql", NO_PLACEHOLDER, 1_000, &auto(), Method::Pipelined);
    takes("maria", NO_PLACEHOLDER, 1_000, &auto(), Method::Pipelined);
    for sql in [UPSERT, IGNORE, REPLACE, EXPRESSION] {
        takes("mysql local", sql, 5_000, &auto(), Method::MultiRowPrepared);
    }
}

#[test]
fn auto_by_what_must_be_told() {
    takes("mysql local", INSERT, 5_000, &auto().with_ids(true), Method::MultiRowPrepared);
    takes("mysql", INSERT, 50, &auto().with_ids(true), Method::MultiRow);
    takes("mysql", UPSERT, 50, &auto().with_ids(true), Method::Pipelined);
    takes("mysql", IGNORE, 50, &auto().with_ids(true), Method::Pipelined);
    takes("mysql", GIVEN, 50, &auto().with_ids(true), Method::Pipelined);
    takes("mysql unknown", INSERT, 50, &auto().with_ids(true), Method::Pipelined);
    takes("mysql", INSERT, 500, &auto().with_affected_each(true), Method::Pipelined);
    takes("maria", INSERT, 50, &auto().with_ids(true), Method::Bulk);
    takes("maria", UPDATE, 50, &auto().with_affected_each(true), Method::Bulk);
    takes("maria-10.11", INSERT, 50, &auto().with_ids(true), Method::MultiRow);
    takes("maria-10.11", INSERT, 500, &auto().with_ids(true), Method::MultiRowPrepared);
    takes("maria-10.11", UPDATE, 50, &auto().with_affected_each(true), Method::Pipelined);
    takes("maria-10.3", INSERT, 50, &auto().with_ids(true), Method::Pipelined);
}

#[test]
fn asked_for_and_what_it_tells() {
    for method in [Method::Row, Method::Prepared, Method::Pipelined] {
        for sql in [INSERT, UPSERT, UPDATE, DELETE, CALL, SELECT, NO_PLACEHOLDER] {
            detail("mysql", sql, &by(method).with_ids(true).with_affected_each(true), ResultDetail::EachReply, None);
        }
    }
    detail("maria multi", DELETE, &by(Method::MultiStatement).with_affected_each(true), ResultDetail::EachReply, None);
    for method in [Method::MultiRow, Method::MultiRowPrepared] {
        detail("mysql", INSERT, &by(method), ResultDetail::Nothing, None);
        detail("mysql", INSERT, &by(method).with_ids(true), ResultDetail::FirstId(2), None);
        detail("maria", INSERT, &by(method).with_ids(true), ResultDetail::ReturnedIds, Some(" RETURNING `id`"));
        detail("maria", UPSERT, &by(method).with_ids(true), ResultDetail::ReturnedIds, Some(" RETURNING `id`"));
        detail("maria", REPLACE, &by(method).with_ids(true), ResultDetail::ReturnedIds, Some(" RETURNING `id`"));
    }
    detail("maria", INSERT, &by(Method::Bulk), ResultDetail::Nothing, None);
    detail("maria", INSERT, &by(Method::Bulk).with_ids(true), ResultDetail::UnitResults, None);
    detail("maria", UPDATE, &by(Method::Bulk).with_affected_each(true), ResultDetail::UnitResults, None);
    detail("mysql local", INSERT, &by(Method::LoadData), ResultDetail::Nothing, None);
    detail("mysql local", UNLISTED, &by(Method::LoadData), ResultDetail::Nothing, None);
}

#[test]
fn asked_for_and_refused() {
    refuses("mysql", INSERT, &by(Method::Bulk), "only MariaDB");
    refuses("maria", CALL, &by(Method::Bulk), "INSERT, REPLACE, UPDATE and DELETE");
    refuses("maria", NO_PLACEHOLDER, &by(Method::Bulk), "no placeholder");
    refuses("maria-10.11", INSERT, &by(Method::Bulk).with_ids(true), "11.5");
    refuses("maria-10.11", INSERT, &by(Method::Bulk).with_affected_each(true), "11.5");
    refuses("mysql", INSERT, &by(Method::MultiStatement), "multi-statements=true");
    refuses("mysql multi", CALL, &by(Method::MultiStatement), "as many results");
    refuses("mysql multi", " call\nP(?)", &by(Method::MultiStatement), "as many results");
    detail("mysql multi", "call_it SET a = ?", &by(Method::MultiStatement), ResultDetail::EachReply, None);
    for method in [Method::MultiRow, Method::MultiRowPrepared] {
        for sql in [UPDATE, DELETE, CALL, SELECT] {
            refuses("maria", sql, &by(method), "cannot write this batch");
        }
        refuses("mysql", NO_PLACEHOLDER, &by(method), "no placeholder");
        refuses("mysql", INSERT, &by(method).with_affected_each(true), "how many rows each");
        for sql in [UPSERT, IGNORE, REPLACE, GIVEN, UNLISTED] {
            refuses("mysql", sql, &by(method).with_ids(true), "the id of each row");
        }
        refuses("maria", IGNORE, &by(method).with_ids(true), "the id of each row");
        refuses("maria-10.3", INSERT, &by(method).with_ids(true), "the id of each row");
        refuses("mysql unknown", INSERT, &by(method).with_ids(true), "the id of each row");
    }
    refuses("mysql", INSERT, &by(Method::LoadData), "local-infile=1");
    refuses("mysql local unknown", INSERT, &by(Method::LoadData), "columns of its table");
    refuses("mysql local", INSERT, &by(Method::LoadData).with_ids(true), "the id of each row");
    for sql in [UPSERT, IGNORE, REPLACE, UPDATE, DELETE, CALL] {
        refuses("mysql local", sql, &by(Method::LoadData), "a plain INSERT");
    }
    for sql in [EXPRESSION, SELECT, NO_PLACEHOLDER] {
        refuses("mysql local", sql, &by(Method::LoadData), "all placeholders");
    }
    refuses("maria", "INSERT INTO t (a) VALUES (?) RETURNING id", &auto(), "RETURNING");
}

/// A method that the server refused is not tried again, and the reason names it.
#[test]
fn refused_by_the_server() {
    for (words, n_rows, refused, want) in [
        ("mysql local", 5_000, &[Method::LoadData][..], Method::MultiRowPrepared),
        ("mysql local", 5_000, &[Method::LoadData, Method::MultiRowPrepared], Method::MultiRow),
        ("maria", 5_000, &[Method::Bulk], Method::MultiRowPrepared),
        ("maria", 100, &[Method::Bulk], Method::MultiRowPrepared),
        ("maria", 99, &[Method::Bulk], Method::MultiRow),
        ("maria", 5_000, &[Method::Bulk, Method::MultiRowPrepared, Method::MultiRow], Method::Pipelined),
    ] {
        let plan = planned(words, INSERT, n_rows, &auto(), refused).unwrap();
        let last = refused.last().unwrap();
        assert_eq!(plan.method, want);
        assert!(plan.reason.ends_with(&format!("`{last}` was refused: no such thing")), "{plan:?}");
    }
    let all = [Method::Bulk, Method::MultiRowPrepared, Method::MultiRow, Method::Pipelined];
    assert_eq!(planned("maria", INSERT, 5_000, &auto(), &all).unwrap_err().kind(), Kind::Config);
}

#[test]
fn scopes() {
    #[track_caller]
    fn check(words: &str, is_one: bool, want: Scope) {
        let (profile, table) = (profile(words), table());
        assert_eq!(Scope::of(is_one, &facts(words, &profile, &table)), want, "{words} {is_one}");
    }
    check("mysql", true, Scope::Autocommit);
    check("mysql", false, Scope::Transaction);
    check("mysql inside", true, Scope::Autocommit);
    check("mysql inside", false, Scope::Savepoint);
    check("mysql manual", true, Scope::Autocommit);
    check("mysql manual", false, Scope::Savepoint);
    check("mysql manual inside", true, Scope::Autocommit);
    check("mysql manual inside", false, Scope::Savepoint);
}

#[test]
fn what_a_command_carries() {
    for method in Method::ALL {
        let want = match method.name() {
            "row" | "prepared" | "pipelined" => RowsPerCommand::Single,
            "load-data" => RowsPerCommand::File,
            _ => RowsPerCommand::Many,
        };
        assert_eq!(method.rows_per_command(), want, "{method}");
    }
}
