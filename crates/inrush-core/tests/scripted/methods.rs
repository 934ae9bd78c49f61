//! Which method writes rows, of batches and of loads; what a batch's method reports, and what keeps the batch together: a line a case.

use inrush_core::batch::{BatchFacts, BatchOptions, OnBadRow, Reported, ResultDetail, Scope, choose, reported};
use inrush_core::column::{Column, ColumnType};
use inrush_core::error::{Error, Kind, Result};
use inrush_core::profile::Profile;
use inrush_core::session::Statement;
use inrush_core::wire::ServerVersion;
use inrush_core::write::template::Template;
use inrush_core::write::{Allowed, Choice, Chooser, LocalInfile, Method, Need, Obstacle, RowsPerCommand, Table};

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
        splits_loads: has("split"),
        in_transaction: has("inside"),
        autocommit: !has("manual"),
        table: (!has("unknown")).then_some(table),
        increment: profile.consecutive_ids.then_some(2),
    }
}

fn profile(words: &str) -> Profile {
    let mut profile = Profile::of(&ServerVersion::parse(match words.split(' ').next() {
        Some("maria-10.3") => "10.3.0-MariaDB",
        Some("maria-10.11") => "10.11.4-MariaDB",
        Some("maria") => "11.8.2-MariaDB",
        Some("oceanbase") => "5.7.25-OceanBase-v4.2.1.7",
        Some("tidb") => "8.0.11-TiDB-v8.5.1",
        _ => "9.7.0",
    }));
    profile.local_infile = words.contains("local");
    profile
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

fn planned(
    words: &str,
    sql: &str,
    n_rows: usize,
    options: &BatchOptions,
    refused: &[Method],
) -> Result<(Choice, Reported)> {
    let (profile, table) = (profile(words), table());
    let statement = Statement::new(sql).unwrap();
    let template = Template::parse(&statement);
    let facts = facts(words, &profile, &table);
    let choice = chosen(choose(&statement, &template, n_rows, options, &facts)?, refused)?;
    let reported = reported(choice.method, &template, options, &facts);
    Ok((choice, reported))
}

/// The choice after these methods were refused one by one.
fn chosen(mut chooser: Chooser, refused: &[Method]) -> Result<Choice> {
    for method in refused {
        chooser.refuse(*method, &no_such_thing())?;
    }
    Ok(chooser.choice().clone())
}

fn no_such_thing() -> Error {
    Error::server(1295, *b"HY000", "no such thing")
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
    let (choice, _) = planned(words, sql, n_rows, options, &[]).unwrap();
    assert_eq!((choice.method, choice.may_fall_back), (want, true), "{choice:?}");
    assert!(!choice.reason.is_empty());
}

/// A method that was asked for is taken, and tells this.
#[track_caller]
fn detail(words: &str, sql: &str, options: &BatchOptions, want: ResultDetail, returning: Option<&str>) {
    let (choice, reported) = planned(words, sql, 10, options, &[]).unwrap();
    assert_eq!((reported.detail, reported.returning.as_deref()), (want, returning), "{reported:?}");
    assert_eq!((&*choice.reason, choice.may_fall_back), ("requested", false));
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
        takes("mysql local", sql, 1_000, &auto(), Method::Pipelined);
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
    for method in [Method::Prepared, Method::Pipelined] {
        for sql in [INSERT, UPSERT, UPDATE, DELETE, CALL, SELECT, NO_PLACEHOLDER] {
            detail("mysql", sql, &by(method).with_ids(true).with_affected_each(true), ResultDetail::EachReply, None);
        }
    }
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
    refuses("mysql", INSERT, &by(Method::Bulk), "a command of MariaDB");
    refuses("maria", CALL, &by(Method::Bulk), "INSERT, REPLACE, UPDATE and DELETE");
    refuses("maria", NO_PLACEHOLDER, &by(Method::Bulk), "no placeholder");
    refuses("maria-10.11", INSERT, &by(Method::Bulk).with_ids(true), "11.5");
    refuses("maria-10.11", INSERT, &by(Method::Bulk).with_affected_each(true), "11.5");
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
    refuses("mysql local split", INSERT, &by(Method::LoadData), "wsrep_load_data_splitting");
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
        let (choice, _) = planned(words, INSERT, n_rows, &auto(), refused).unwrap();
        assert_eq!(choice.method, want);
        let last = refused.last().unwrap();
        assert_eq!(choice.reason, format!("`{last}` was refused: no such thing (error 1295)"));
    }
    let all = [Method::Bulk, Method::MultiRowPrepared, Method::MultiRow, Method::Pipelined];
    assert_eq!(planned("maria", INSERT, 5_000, &auto(), &all).unwrap_err().kind(), Kind::Config);
}

/// The chooser of a load. The words after the server's name are `on`, `off` (of `local_infile`), `split`, `serial`, `triggers`, `unbound`,
/// `lax`.
fn of_load(words: &str, requested: Option<Method>) -> Result<Chooser> {
    let has = |word: &str| words.split(' ').any(|known| known == word);
    let obstacle = |why: &'static str| Obstacle { why: why.into(), hint: Some("another one can") };
    let need = Need {
        not_bindable: has("unbound").then(|| obstacle("a BIT cannot be bound")),
        no_load_data: has("lax").then(|| obstacle("LOAD DATA could bend values")),
        load_is_serial: has("serial"),
        has_triggers: has("triggers"),
        ..Need::of_load(requested)
    };
    let local_infile = match (has("on"), has("off")) {
        (true, _) => LocalInfile::On,
        (_, true) => LocalInfile::Off,
        _ => LocalInfile::Unknown,
    };
    Chooser::new(need, Allowed::new(&profile(words), local_infile, has("split")))
}

#[test]
fn loads_by_auto() {
    use Method::*;
    for (words, refused, want, why) in [
        ("mysql", &[][..], LoadData, "does not report"),
        ("mysql on", &[], LoadData, "the server allows LOAD DATA LOCAL, its fastest way in"),
        ("maria on", &[], LoadData, "the server allows"),
        ("mysql off", &[], MultiRowPrepared, "the server has `local_infile` off, so LOAD DATA LOCAL is not allowed"),
        ("maria off", &[], Bulk, "`local_infile` off"),
        ("mysql off unbound", &[], MultiRow, "`local_infile` off"),
        ("maria off unbound", &[], MultiRow, "`local_infile` off"),
        ("mysql on serial", &[], MultiRowPrepared, "would wait for each other"),
        ("maria serial", &[], Bulk, "would wait for each other"),
        ("maria serial triggers", &[], MultiRowPrepared, "would wait for each other"),
        ("maria off triggers", &[], MultiRowPrepared, "`local_infile` off"),
        ("maria on triggers", &[LoadData], MultiRowPrepared, "`load-data` was refused: "),
        ("maria serial unbound", &[], MultiRow, "would wait for each other"),
        ("mysql on lax", &[], MultiRowPrepared, "LOAD DATA could bend values"),
        ("oceanbase on", &[], MultiRowPrepared, "commits while it runs"),
        ("tidb on", &[], MultiRow, "drops rows that a CHECK refuses"),
        ("maria off lax unbound", &[], MultiRow, "LOAD DATA could bend values"),
        ("maria on split", &[], Bulk, "wsrep_load_data_splitting"),
        ("mysql on", &[LoadData], MultiRowPrepared, "`load-data` was refused: no such thing (error 1295)"),
        ("mysql on", &[LoadData, MultiRowPrepared], MultiRow, "`multi-row-prepared` was refused: "),
        ("maria on", &[LoadData], Bulk, "`load-data` was refused: "),
        ("maria on", &[LoadData, Bulk], MultiRowPrepared, "`bulk` was refused: "),
        ("maria on", &[LoadData, Bulk, MultiRowPrepared], MultiRow, "`multi-row-prepared` was refused: "),
        ("maria on unbound", &[LoadData], MultiRow, "`load-data` was refused: "),
        // A method that was only measured beside the chosen one.
        ("maria on", &[Bulk], LoadData, "the server allows"),
        ("maria on", &[Bulk, LoadData], MultiRowPrepared, "`load-data` was refused: "),
    ] {
        let choice = chosen(of_load(words, None).unwrap(), refused).unwrap();
        assert_eq!((choice.method, choice.may_fall_back), (want, true), "{words}: {choice:?}");
        assert!(choice.reason.contains(why), "{words}: {choice:?}");
    }
}

#[test]
fn loads_as_requested() {
    use Method::*;
    for (words, method) in [
        ("mysql on", LoadData),
        ("maria on serial", LoadData),
        ("maria on", Bulk),
        ("mysql on", MultiRowPrepared),
        ("mysql on", MultiRow),
        ("maria split lax unbound", MultiRow),
    ] {
        let choice = of_load(words, Some(method)).unwrap().choice().clone();
        assert_eq!(choice, Choice { method, reason: "requested".into(), may_fall_back: false });
    }
    for (words, method, why) in [
        ("mysql off", LoadData, "`load-data` cannot write this load: the server has `local_infile` off"),
        ("maria on split", LoadData, "wsrep_load_data_splitting"),
        ("oceanbase on", LoadData, "commits while it runs"),
        ("tidb on", LoadData, "drops rows that a CHECK refuses"),
        ("mysql on lax", LoadData, "LOAD DATA could bend values"),
        ("mysql on", Bulk, "it is a command of MariaDB"),
        ("maria on unbound", Bulk, "`bulk` cannot write this load: a BIT cannot be bound"),
        ("mysql on unbound", MultiRowPrepared, "a BIT cannot be bound"),
        ("mysql on", Pipelined, "`pipelined` cannot write this load"),
        ("mysql on", Prepared, "each row is a statement"),
    ] {
        let error = of_load(words, Some(method)).unwrap_err();
        assert!(error.kind() == Kind::Config && error.message().contains(why), "{words}: {error}");
        assert!(error.hint().is_some(), "{words}: {error}");
    }
}

#[test]
fn only_what_auto_has_chosen_is_tried_beside_another() {
    let both = Some([Method::LoadData, Method::Bulk]);
    for (words, requested, want) in [
        ("maria on", None, both),
        ("maria", None, both),
        ("mysql on", None, None),
        ("maria on", Some(Method::LoadData), None),
        ("maria on unbound", None, None),
        ("maria off", None, None),
        ("maria on lax", None, None),
    ] {
        assert_eq!(of_load(words, requested).unwrap().to_try(), want, "{words}");
    }
}

/// A refusal by another method than the chosen one changes nothing, and one of a requested method is its error.
#[test]
fn whose_refusal_counts() {
    let mut chooser = of_load("maria on", None).unwrap();
    assert!(
        chooser.falls_back(Method::Bulk, &no_such_thing()) && !chooser.falls_back(Method::MultiRow, &no_such_thing())
    );
    assert!(!chooser.refuse(Method::Bulk, &no_such_thing()).unwrap());
    chooser.switch(Method::Bulk, "it was faster".into());
    assert!(chooser.refuse(Method::Bulk, &no_such_thing()).unwrap());
    assert_eq!(chooser.choice().method, Method::LoadData);
    assert!(!of_load("maria on", Some(Method::Bulk)).unwrap().falls_back(Method::Bulk, &no_such_thing()));
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
            "prepared" | "pipelined" => RowsPerCommand::Single,
            "load-data" => RowsPerCommand::File,
            _ => RowsPerCommand::Many,
        };
        assert_eq!(method.rows_per_command(), want, "{method}");
    }
}
