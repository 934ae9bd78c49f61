use super::*;
use crate::params;
use inrush_core::column::ColumnType;
use inrush_core::wire::{ServerVersion, Vendor};

fn column(name: &str) -> Column {
    Column {
        name: name.into(),
        ty: ColumnType::parse(if name == "name" { "varchar(20)" } else { "int" }),
        nullable: true,
        optional: true,
        auto_increment: name == "id",
        generated: name == "twice",
        charset: (name == "name").then(|| "utf8mb4".into()),
        keeps_spelling: false,
        has_default: false,
    }
}

fn table() -> Table {
    Table {
        schema: "shop".into(),
        name: "people".into(),
        engine: "InnoDB".into(),
        transactional: true,
        columns: ["id", "name", "Age", "twice"].map(column).into(),
    }
}

fn name() -> TableName {
    TableName::parse("people").unwrap()
}

fn make(table: Option<&Table>, asked: Option<&[String]>, named: &[&str], exactly_once: bool) -> Result<RowShape> {
    let server = ServerVersion { vendor: Vendor::MySql, numbers: (9, 7, 0), text: String::new() };
    let rules = Rules::utc(server);
    let terms = Terms { exactly_once, on_duplicate: &OnDuplicate::Fail };
    RowShape::new(&name(), &Known { table, rules: &rules, at: Instant::now() }, asked, named, terms)
}

/// The clause after the values, on MySQL and on MariaDB.
#[track_caller]
fn check_tail(on_duplicate: OnDuplicate, mysql: Result<&str, &str>, mariadb: Result<&str, &str>) {
    for (vendor, numbers, want) in [(Vendor::MySql, (9, 7, 0), mysql), (Vendor::MariaDb, (11, 8, 0), mariadb)] {
        let rules = Rules::utc(ServerVersion { vendor, numbers, text: String::new() });
        let terms = Terms { exactly_once: false, on_duplicate: &on_duplicate };
        let known = Known { table: Some(&table()), rules: &rules, at: Instant::now() };
        let shape = RowShape::new(&name(), &known, None, &["id", "name"], terms);
        assert!(shape.as_ref().map_or(true, |shape| !shape.has_ids));
        let got = shape.as_ref().map(|shape| shape.statement.sql().split_once("VALUES (?, ?)").unwrap().1);
        assert_eq!(got.map_err(|e| e.message()), want);
    }
}

#[test]
fn what_becomes_of_a_key_that_is_there() {
    check_tail(OnDuplicate::Fail, Ok(""), Ok(""));
    let keep = Ok(" ON DUPLICATE KEY UPDATE `id` = `id`");
    check_tail(OnDuplicate::Keep, keep, keep);
    check_tail(
        OnDuplicate::UpdateColumns(vec!["NAME".into()]),
        Ok(" AS inrush_new ON DUPLICATE KEY UPDATE `NAME` = inrush_new.`NAME`"),
        Ok(" ON DUPLICATE KEY UPDATE `NAME` = VALUES(`NAME`)"),
    );
    check_tail(
        OnDuplicate::Update,
        Ok(" AS inrush_new ON DUPLICATE KEY UPDATE `id` = inrush_new.`id`, `name` = inrush_new.`name`"),
        Ok(" ON DUPLICATE KEY UPDATE `id` = VALUES(`id`), `name` = VALUES(`name`)"),
    );
    let refused = Err("column `age` cannot be updated: the rows have no value for it");
    check_tail(OnDuplicate::UpdateColumns(vec!["age".into()]), refused, refused);
}

#[track_caller]
fn check(asked: Option<&[&str]>, named: &[&str], want: Result<&str, &str>) {
    let asked: Option<Vec<String>> = asked.map(|names| names.iter().map(|&name| name.into()).collect());
    let shape = make(Some(&table()), asked.as_deref(), named, false);
    let got = shape.map(|shape| shape.statement.sql().to_owned());
    assert_eq!(got.as_deref().map_err(|e| e.message()), want);
}

#[test]
fn unless_told_it_is_what_the_server_does_not_make() {
    check(None, &[], Ok("INSERT INTO `people` (`name`, `Age`) VALUES (?, ?)"));
}
#[test]
fn the_first_row_may_name_them() {
    check(None, &["age", "id"], Ok("INSERT INTO `people` (`age`, `id`) VALUES (?, ?)"));
    check(None, &["nam"], Err("`people` has no column `nam`"));
}
#[test]
fn the_options_come_first() {
    check(Some(&["name"]), &["age"], Ok("INSERT INTO `people` (`name`) VALUES (?)"));
    check(Some(&["twice"]), &[], Err("column `twice` of `people` is generated and takes no value"));
}
#[test]
fn of_an_unknown_table_somebody_must_name_them() {
    let error = make(None, None, &[], false).unwrap_err();
    assert_eq!(error.message(), "the server does not report the columns of `people`");
    let shape = make(None, None, &["a`b"], true).unwrap();
    assert_eq!(shape.statement.sql(), "INSERT INTO `people` (`a``b`) VALUES (?)");
}
#[test]
fn exactly_once_needs_transactions() {
    let plain = Table { engine: "MyISAM".into(), transactional: false, ..table() };
    let error = make(Some(&plain), None, &[], true).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (Kind::Guarantee, "`people` is a table of MyISAM, which has no transactions")
    );
    assert!(!make(Some(&plain), None, &[], false).unwrap().is_transactional);
}

#[track_caller]
fn check_row(row: impl Params, want: Result<&[Value<'_>], &str>) {
    let shape = make(Some(&table()), None, &[], false).unwrap();
    let mut values = Vec::new();
    let replaced = shape.values(&row, &mut values);
    let got = replaced.as_ref().map(|replaced| {
        if let Some(replaced) = replaced {
            values.clear();
            replaced.row(0, &mut values).unwrap();
        }
        &values[..]
    });
    assert_eq!(
        got.map_err(|e| e.to_string()).as_deref().map_err(|e| e.as_str()),
        want.as_ref().map(|v| &v[..]).map_err(|e| *e)
    );
}

#[test]
fn rows_by_position_and_by_name() {
    check_row(("Ann", 40), Ok(&[Value::Text("Ann"), Value::Int(40)]));
    check_row(params! { "Age" => 40, "name" => "Ann" }, Ok(&[Value::Text("Ann"), Value::Int(40)]));
}
#[test]
fn what_a_column_cannot_hold_is_refused() {
    check_row((7, "x"), Err("`x` is not a whole number (column `Age`)"));
}
#[test]
fn what_means_the_same_is_sent_instead() {
    check_row(("Ann", " 40"), Ok(&[Value::Text("Ann"), Value::Text("40")]));
}
#[test]
fn ids_are_made_unless_the_row_has_its_own() {
    assert!(make(Some(&table()), None, &[], false).unwrap().has_ids);
    assert!(!make(Some(&table()), None, &["ID", "name"], false).unwrap().has_ids);
    assert!(!make(None, None, &["name"], false).unwrap().has_ids);
}
#[test]
fn rows_that_do_not_fit() {
    check_row(("Ann",), Err("a row of 1 values for 2 columns"));
    check_row(("Ann", 40, 7), Err("a row of 3 values for 2 columns"));
    check_row(params! { "name" => "Ann" }, Err("no value for `:Age`"));
}
