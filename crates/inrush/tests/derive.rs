//! `#[derive(FromRow)]`: rows that need no server become structs.
#![allow(clippy::unwrap_used)]

use inrush::core::wire::{ColumnDef, ColumnFlags, ColumnType, Row, RowFormat};
use inrush::{FromRow, Result};

#[derive(Debug, FromRow, PartialEq)]
struct Person<'r> {
    id: u64,
    #[inrush(rename = "full_name")]
    name: &'r str,
    age: Option<u8>,
}

#[derive(Debug, FromRow, PartialEq)]
struct Owned {
    id: i64,
    r#type: String,
}

#[derive(Debug, FromRow, PartialEq)]
struct Point<T>(T, T);

#[derive(Debug, FromRow, PartialEq)]
struct Keyed<'r, K, V>
where
    K: Copy,
{
    key: K,
    value: Option<V>,
    note: &'r [u8],
}

fn columns(names: &[&str]) -> Vec<ColumnDef> {
    let column = |name: &&str| ColumnDef {
        name: (*name).to_owned(),
        table: String::new(),
        schema: String::new(),
        collation: 45,
        length: 0,
        ty: ColumnType::MYSQL_TYPE_VAR_STRING,
        flags: ColumnFlags::empty(),
        decimals: 0,
    };
    names.iter().map(column).collect()
}

/// A text row; `None` is NULL.
fn body(values: &[Option<&str>]) -> Vec<u8> {
    let mut body = Vec::new();
    for value in values {
        match value {
            None => body.push(0xFB),
            Some(text) => {
                body.push(text.len() as u8);
                body.extend(text.as_bytes());
            }
        }
    }
    body
}

#[track_caller]
fn check<T>(names: &[&str], values: &[Option<&str>], want: Result<T, &str>)
where
    T: for<'r> FromRow<'r> + PartialEq + std::fmt::Debug,
{
    let (columns, body) = (columns(names), body(values));
    let got = T::from_row(Row::new(&columns, &body, RowFormat::Text));
    assert_eq!(got.as_ref().map_err(|error| error.message()), want.as_ref().map_err(|error| *error));
}

#[test]
fn columns_by_name_in_any_order_and_case() {
    let want = || Ok(Owned { id: 7, r#type: "x".to_owned() });
    check(&["id", "type"], &[Some("7"), Some("x")], want());
    check(&["TYPE", "other", "Id"], &[Some("x"), None, Some("7")], want());
}

#[test]
fn fields_that_borrow() {
    let columns = columns(&["id", "full_name", "age"]);
    let body = body(&[Some("18446744073709551615"), Some("Ann"), None]);
    let row = Row::new(&columns, &body, RowFormat::Text);
    let person = Person::from_row(row).unwrap();
    assert_eq!(person, Person { id: u64::MAX, name: "Ann", age: None });
    assert!(body.as_ptr_range().contains(&person.name.as_ptr()));
}

#[test]
fn structs_with_parameters() {
    check(&["x", "y"], &[Some("1"), Some("-2")], Ok(Point(1_i32, -2)));
    check(&["x", "y"], &[Some("1.5"), Some("2")], Ok(Point(1.5, 2.0)));
    let columns = columns(&["key", "value", "note"]);
    let body = body(&[Some("7"), None, Some("n")]);
    let keyed = Keyed::<u8, String>::from_row(Row::new(&columns, &body, RowFormat::Text)).unwrap();
    assert_eq!(keyed, Keyed { key: 7, value: None, note: b"n" });
}

#[test]
fn what_does_not_fit_is_named() {
    let owned = |names: &[&str], values: &[Option<&str>], want| check::<Owned>(names, values, Err(want));
    owned(&["id", "name"], &[Some("7"), None], "the result lacks `type`; it has `id`, `name`");
    owned(&["id", "type", "ID"], &[Some("7"), Some("x"), Some("8")], "the result has two columns `id`");
    owned(&["id", "type"], &[Some("7"), None], "column `type` holds NULL, which is not text (`String`)");
    let too_large = "column `id` holds `9223372036854775808`, which is not a whole number that fits `i64`";
    owned(&["id", "type"], &[Some("9223372036854775808"), Some("x")], too_large);
    check::<Point<i32>>(&["x"], &[Some("1")], Err("a row of 1 columns is not one of 2"));
}
