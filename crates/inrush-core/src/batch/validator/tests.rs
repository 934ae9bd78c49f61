//! Rows in, an error with its place or rows out.

use crate::batch::validator::*;
use crate::column::ColumnType;
use crate::convert::Rows;
use crate::wire::ServerVersion;
use jiff::tz::TimeZone;

fn column(name: &str, ty: &str) -> Column {
    Column {
        nullable: name != "id",
        optional: name != "id",
        generated: name == "twice",
        ..Column::new(name, ColumnType::parse(ty))
    }
}

fn validator(columns: &[Option<Column>]) -> Validator {
    let rules = Rules::new(TimeZone::unknown(), ServerVersion::parse("9.7.4"));
    Validator::new(&columns.iter().map(Option::as_ref).collect::<Vec<_>>(), &rules)
}

fn people() -> Validator {
    validator(&[Some(column("id", "int")), Some(column("age", "tinyint")), None, Some(column("old", "tinyint(1)"))])
}

type Person<'a> = (i64, i64, &'a str, Value<'a>);

#[track_caller]
fn all_rows(rows: &dyn BoundRows) -> Vec<Vec<Value<'_>>> {
    let row = |row| {
        let mut values = vec![Value::Null];
        rows.row(row, &mut values).unwrap();
        values.split_off(1)
    };
    let all: Vec<_> = (0..rows.n_rows()).map(row).collect();
    for (from, to) in [(0, all.len()), (1, all.len()), (all.len() - 1, all.len() - 1)] {
        let mut several = vec![Value::Null];
        rows.rows(from..to, &mut several).unwrap();
        assert_eq!(several[1..], all[from..to].concat());
    }
    all
}

#[test]
fn good_rows_stay_as_they_are() {
    let rows: [Person<'_>; 2] = [(1, 30, "not checked", Value::Int(1)), (2, -3, "x", Value::Null)];
    let bound = rows.bind(&[], 4).unwrap();
    let replaced = people().check(&*bound).unwrap();
    assert_eq!(replaced.n_replaced(), 0);
    assert!(std::ptr::addr_eq(replaced.rows(), &raw const *bound));
}
#[test]
fn what_is_rewritten_is_in_its_place() {
    let rows: [Person<'_>; 4] = [
        (1, 30, "a", Value::Text("true")),
        (2, 31, "b", Value::Int(0)),
        (3, 32, "c", Value::Bytes(b"1")),
        (4, 33, "d", Value::Text(" 1 ")),
    ];
    let bound = rows.bind(&[], 4).unwrap();
    let replaced = people().check(&*bound).unwrap();
    let last: Vec<Value<'_>> = all_rows(replaced.rows()).iter().map(|row| row[3]).collect();
    assert_eq!(last, [Value::Text("1"), Value::Int(0), Value::Text("1"), Value::Text("1")]);
    assert_eq!(all_rows(replaced.rows())[3][..3], [Value::Int(4), Value::Int(33), Value::Text("d")]);
    assert_eq!(replaced.n_replaced(), 3);
}
#[test]
fn the_first_bad_value_is_named() {
    let rows: [Person<'_>; 3] = [(1, 30, "", Value::Null), (2, 999, "", Value::Null), (3, -999, "", Value::Null)];
    let bound = rows.bind(&[], 4).unwrap();
    let error = people().check(&*bound).unwrap_err();
    assert_eq!((error.kind(), error.row()), (Kind::Data, Some(1)));
    assert_eq!(error.message(), "`999` is out of range for TINYINT (-128 to 127)");
    assert_eq!(
        error.to_string(),
        "`999` is out of range for TINYINT (-128 to 127) (column `age`) (row 1 of the batch, counted from 0)"
    );
}
#[test]
fn all_bad_rows_are_found_and_the_others_rewritten() {
    let rows: [Person<'_>; 4] = [
        (1, 30, "", Value::Text("yes")),
        (2, 999, "", Value::Text("yes")),
        (3, 31, "", Value::Text("perhaps")),
        (4, 32, "", Value::Text("no")),
    ];
    let bound = rows.bind(&[], 4).unwrap();
    let (replaced, bad) = people().bad_rows(&*bound).unwrap();
    assert_eq!(bad.iter().map(Error::row).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert_eq!(bad[1].message(), "`perhaps` is not a whole number, true or false");
    assert_eq!((all_rows(&replaced)[0][3], all_rows(&replaced)[3][3]), (Value::Text("1"), Value::Text("0")));
    assert_eq!((all_rows(&replaced)[1][3], replaced.n_replaced()), (Value::Text("yes"), 2));
}
#[test]
fn a_row_that_has_no_values_is_an_error_of_its_own() {
    let rows = vec![vec![1, 2, 3, 0], vec![1, 2]];
    let bound = rows.bind(&[], 4).unwrap();
    assert_eq!(people().check(&*bound).unwrap_err().kind(), Kind::Config);
    assert_eq!(people().bad_rows(&*bound).unwrap_err().row(), Some(1));
}
#[test]
fn null_default_and_what_takes_no_value() {
    let only = |name| validator(&[Some(column(name, "int"))]);
    #[track_caller]
    fn check(validator: &Validator, value: Value<'_>, want: Result<(), &str>) {
        let rows = [(value,)];
        let bound = rows.bind(&[], 1).unwrap();
        let got = validator.check(&*bound).map(|replaced| assert_eq!(replaced.n_replaced(), 0));
        assert_eq!(got.map_err(|e| e.message().to_owned()), want.map_err(str::to_owned));
    }
    check(&only("id"), Value::Null, Err("NULL into NOT NULL column"));
    check(&only("id"), Value::Default, Err("DEFAULT into a column that has none"));
    check(&only("age"), Value::Null, Ok(()));
    check(&only("age"), Value::Default, Ok(()));
    check(&only("twice"), Value::Int(1), Err("column `twice` is generated and takes no value"));
    check(&only("twice"), Value::Default, Ok(()));
    let none: [(i32,); 0] = [];
    assert!(only("twice").check(&*none.bind(&[], 1).unwrap()).is_ok());
}
#[test]
fn a_hint_says_what_to_do() {
    let rows = [("2024-02-29T10:00:00Z",)];
    let bound = rows.bind(&[], 1).unwrap();
    let error = validator(&[Some(column("at", "datetime"))]).check(&*bound).unwrap_err();
    assert_eq!(error.message(), "`2024-02-29T10:00:00Z` has an offset, and the session's time zone is not known");
    assert!(error.hint().unwrap().contains("SET time_zone"));
}
#[test]
fn targets_are_found_by_name_and_by_place() {
    let table = Table {
        schema: "s".into(),
        name: "t".into(),
        engine: "InnoDB".into(),
        transactional: true,
        columns: vec![column("id", "int"), column("Größe", "int")],
    };
    let targets = [
        PlaceholderTarget::Column("ID".into()),
        PlaceholderTarget::Column("gRÖSSE".into()),
        PlaceholderTarget::Column("GRÖßE".into()),
        PlaceholderTarget::Position(1),
        PlaceholderTarget::Position(2),
        PlaceholderTarget::Expression,
    ];
    let names: Vec<Option<&str>> =
        columns_of(&targets, &table).iter().map(|column| column.map(|column| column.name.as_str())).collect();
    assert_eq!(names, [Some("id"), None, Some("Größe"), Some("Größe"), None, None]);
}
