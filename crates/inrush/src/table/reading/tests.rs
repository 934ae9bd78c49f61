//! Queries and what follows from their answers.

use super::*;
use inrush_core::wire::{ServerVersion, Vendor};

fn name(name: &str) -> TableName {
    TableName { schema: "shop".into(), name: name.into() }
}

fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|text| (*text).to_owned()).collect()).collect()
}

/// Answers one query after the other: a part of the query, and the answer.
#[track_caller]
fn talk(reader: Reader, vendor: Vendor, answers: &[(&str, &[&[&str]])]) -> NamedObject {
    let version = ServerVersion { vendor, numbers: (9, 7, 0), text: String::new() };
    let mut reading = Reading::new(name("t"), reader, &Profile::of(&version));
    for (part, answer) in answers {
        let query = reading.query().expect(part);
        assert!(query.contains(part), "{query}");
        reading.take(rows(answer)).unwrap();
    }
    assert_eq!(reading.query(), None);
    reading.found()
}

fn column_names(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

const TABLE: (&str, &[&[&str]]) = ("information_schema.TABLES", &[&["BASE TABLE", "InnoDB", "YES", "shop", "t", "0"]]);
const VIEW: (&str, &[&[&str]]) = ("information_schema.TABLES", &[&["VIEW", "", "", "shop", "t", "0"]]);
const NOTHING: (&str, &[&[&str]]) = ("information_schema.TABLES", &[]);
const DEFINITION: (&str, &[&[&str]]) = ("SHOW CREATE TABLE `shop`.`t`", &[&["t", "CREATE TABLE `t` (..)"]]);
const COLUMNS: (&str, &[&[&str]]) = (
    "information_schema.COLUMNS",
    &[&["id", "int", "NO", "0", "auto_increment", "", ""], &["more", "longtext", "YES", "0", "", "utf8mb4", ""]],
);

#[test]
fn a_load_asks_for_table_and_columns() {
    let NamedObject::Table(table) = talk(Reader::Load, Vendor::MySql, &[TABLE, COLUMNS]) else { panic!() };
    assert_eq!((table.engine.as_str(), table.transactional), ("InnoDB", true));
    assert_eq!(column_names(&table), ["id", "more"]);
    assert!(table.columns[0].auto_increment && table.columns[0].optional && !table.columns[0].nullable);
}
#[test]
fn json_is_told_by_its_check_on_mariadb() {
    let checks = ("CHECK_CONSTRAINTS", &[&["json_valid(`more`)"][..], &["`id` > 0"]][..]);
    let NamedObject::Table(table) = talk(Reader::Load, Vendor::MariaDb, &[TABLE, COLUMNS, checks]) else { panic!() };
    assert_eq!(table.columns[1].ty, ColumnType::Json);
}
#[test]
fn a_load_is_told_what_is_missing() {
    let schema = ("SCHEMATA", &[&["1"][..]][..]);
    assert_eq!(talk(Reader::Load, Vendor::MySql, &[NOTHING, schema]), NamedObject::NoTable);
    assert_eq!(talk(Reader::Load, Vendor::MySql, &[NOTHING, ("SCHEMATA", &[])]), NamedObject::NoSchema);
    assert_eq!(talk(Reader::Batch, Vendor::MySql, &[NOTHING]), NamedObject::NoTable);
}
#[test]
fn a_view_has_columns_for_a_batch() {
    assert!(matches!(talk(Reader::Load, Vendor::MySql, &[VIEW]), NamedObject::View(view) if view.columns.is_empty()));
    let NamedObject::View(view) = talk(Reader::Batch, Vendor::MySql, &[VIEW, DEFINITION, COLUMNS]) else { panic!() };
    assert_eq!(column_names(&view), ["id", "more"]);
}
#[test]
fn a_temporary_table_hides_the_other_one() {
    let temporary = ("SHOW CREATE", &[&["t", "CREATE TEMPORARY TABLE `t` (..)"][..]][..]);
    assert_eq!(talk(Reader::Batch, Vendor::MySql, &[TABLE, temporary]), NamedObject::Temporary);
    let both: (&str, &[&[&str]]) =
        ("information_schema.TABLES", &[TABLE.1[0], &["TEMPORARY", "InnoDB", "YES", "shop", "t", "0"]]);
    assert_eq!(talk(Reader::Batch, Vendor::MariaDb, &[both]), NamedObject::Temporary);
}
/// A user who may not see the definition may see the columns.
#[test]
fn a_definition_that_is_kept_back() {
    let answers = [TABLE, ("SHOW CREATE", &[][..]), COLUMNS];
    assert!(matches!(talk(Reader::Batch, Vendor::MySql, &answers), NamedObject::Table(_)));
}
/// A KILL QUERY may change the answers.
#[test]
fn what_a_kill_may_have_answered_is_queried_again() {
    let bent = ("information_schema.COLUMNS", &[][..]);
    let NamedObject::Table(table) = talk(Reader::Batch, Vendor::MySql, &[TABLE, DEFINITION, bent, bent, COLUMNS])
    else {
        panic!()
    };
    assert_eq!(column_names(&table), ["id", "more"]);
    let answers = [TABLE, DEFINITION, bent, bent, bent, bent, bent, bent];
    let NamedObject::Table(table) = talk(Reader::Batch, Vendor::MySql, &answers) else { panic!() };
    assert!(table.columns.is_empty());

    let mut reading = Reading::new(name("t"), Reader::Batch, &Profile::of(&ServerVersion::parse("9.7.0")));
    let kill = || {
        Error::server(
            1449,
            *b"HY000",
            "The user specified as a definer ('mysql.infoschema'@'localhost') does not exist",
        )
    };
    for _ in 0..5 {
        reading.refused(kill()).unwrap();
        assert!(reading.query().unwrap().contains("information_schema.TABLES"));
    }
    reading.refused(kill()).unwrap();
    assert_eq!((reading.query(), reading.found()), (None, NamedObject::NoTable));
}
#[track_caller]
fn check_refusal(code: u16, state: &[u8; 5], want: bool) {
    assert_eq!(is_refused_for_good(&Error::server(code, *state, "x")), want, "{code}");
}
#[test]
fn a_missing_right_stays_missing() {
    check_refusal(1142, b"42000", true);
    check_refusal(1146, b"42S02", true);
    check_refusal(1104, b"42000", true);
}
#[test]
fn what_was_interrupted_is_no_answer() {
    check_refusal(1317, b"70100", false);
    check_refusal(3024, b"HY000", false);
    check_refusal(1969, b"70100", false);
    check_refusal(1205, b"HY000", false);
    assert!(!is_refused_for_good(&Error::server(1142, *b"42000", "x").fatal()));
    assert!(!is_refused_for_good(&Error::protocol("x")));
}
#[test]
fn a_query_that_is_refused_has_no_rows() {
    let reading = || Reading::new(name("t"), Reader::Batch, &Profile::of(&ServerVersion::parse("9.7.0")));
    let mut denied = reading();
    denied.refused(Error::server(1142, *b"42000", "denied")).unwrap();
    assert_eq!(denied.found(), NamedObject::NoTable);
    assert_eq!(reading().refused(Error::server(1317, *b"70100", "interrupted")).unwrap_err().code(), 1317);
}
#[test]
fn an_odd_answer_is_an_error() {
    let mut reading = Reading::new(name("t"), Reader::Load, &Profile::of(&ServerVersion::parse("9.7.0")));
    reading.take(rows(TABLE.1)).unwrap();
    assert!(reading.take(rows(&[&["id"]])).is_err());
}

#[track_caller]
fn found(lower_case_table_names: &str, names: &[&str], want: Option<&str>) {
    let row = |name: &&str| ["BASE TABLE", "InnoDB", "YES", "shop", name, lower_case_table_names].map(str::to_owned);
    let one = the_one_meant(names.iter().map(row).collect(), &name("Orders"));
    assert_eq!(one.map(|row| row[4].clone()).as_deref(), want);
}

#[test]
fn among_alike_names_the_exact_one_is_meant() {
    found("0", &["orders", "Orders", "ORDERS"], Some("Orders"));
    found("0", &["orders", "Örders"], None);
    found("1", &["orders"], Some("orders"));
    found("2", &["Örders", "ORDERS"], Some("ORDERS"));
    found("0", &[], None);
}
#[test]
fn literals_cannot_be_left() {
    assert_eq!(literal("a'b"), "CONVERT(x'612762' USING utf8mb4)");
    assert_eq!(literal(""), "''");
}
