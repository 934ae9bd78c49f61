//! `#[derive(FromRow)]` and `#[derive(ToRow)]`: rows that need no server become structs, and structs rows.
#![allow(clippy::unwrap_used)]

use inrush::sans_io::convert::Rows as _;
use inrush::sans_io::wire::{ColumnDef, ColumnFlags, ColumnType, Row, RowFormat};
use inrush::{FromRow, Params, Result, Statement, ToRow, Value};

#[derive(Debug, FromRow, PartialEq, ToRow)]
struct Person<'r> {
    id: u64,
    #[inrush(rename = "full_name")]
    name: &'r str,
    age: Option<u8>,
}

#[derive(Debug, FromRow, PartialEq, ToRow)]
struct Owned {
    id: i64,
    r#type: String,
}

#[derive(Debug, FromRow, PartialEq, ToRow)]
struct Point<T>(T, T);

#[derive(Debug, FromRow, PartialEq, ToRow)]
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

/// The same values for one execution and for a row of a batch.
#[track_caller]
fn check_values<P: Params + Sync>(row: &P, sql: &str, want: Result<&[Value<'_>], &str>) {
    let statement = Statement::new(sql).unwrap();
    let one = row.values(statement.names());
    assert_eq!(one.as_ref().map(AsRef::as_ref).map_err(|error| error.message()), want);
    let mut values = Vec::new();
    let rows = std::slice::from_ref(row);
    let bound = rows.bind(statement.names(), statement.marks().len());
    let got = bound.as_ref().map_err(|error| error.message()).map(|bound| bound.row(0, &mut values).unwrap());
    assert_eq!(got.map(|()| &values[..]), want);
}

#[test]
fn fields_go_to_the_placeholders_of_their_names() {
    let ann = Person { id: 7, name: "Ann", age: None };
    let (id, name) = (Value::UInt(7), Value::Text("Ann"));
    check_values(&ann, "INSERT INTO t VALUES (:id, :full_name, :age)", Ok(&[id, name, Value::Null]));
    check_values(&ann, "INSERT INTO t VALUES (:age, :full_name, :id)", Ok(&[Value::Null, name, id]));
    check_values(&ann, "UPDATE t SET full_name = :full_name WHERE id = :id", Ok(&[name, id]));
    check_values(&ann, "UPDATE t SET a = :id, b = :id WHERE id = :id", Ok(&[id, id, id]));
    assert_eq!((Person::COLUMNS, Owned::COLUMNS), (&["id", "full_name", "age"][..], &["id", "type"][..]));
    let owned = Owned { id: 1, r#type: "x".to_owned() };
    check_values(&owned, "INSERT INTO t VALUES (:type, :id)", Ok(&[Value::Text("x"), Value::Int(1)]));
    let keyed = Keyed { key: 7_u8, value: Some("v"), note: b"n" };
    let values = [Value::Bytes(b"n"), Value::Text("v"), Value::UInt(7)];
    check_values(&keyed, "INSERT INTO t VALUES (:note, :value, :key)", Ok(&values));
}

#[test]
fn fields_without_names_go_by_position() {
    let point = Point(1_i32, -2);
    check_values(&point, "INSERT INTO t VALUES (?, ?)", Ok(&[Value::Int(1), Value::Int(-2)]));
    check_values(&point, "INSERT INTO t VALUES (:y, :x)", Ok(&[Value::Int(1), Value::Int(-2)]));
    let twice = "placeholder `:x` comes twice, so values need names";
    check_values(&point, "INSERT INTO t VALUES (:x, :x)", Err(twice));
    assert!(Point::<i32>::COLUMNS.is_empty());
}

#[test]
fn a_placeholder_without_a_field_is_named() {
    let ann = Person { id: 7, name: "Ann", age: None };
    check_values(&ann, "INSERT INTO t VALUES (:id, :name)", Err("no value for `:name`"));
    check_values(&ann, "INSERT INTO t VALUES (?, ?, ?)", Err("the statement has no placeholder `:id`"));
}

#[derive(Debug, FromRow, PartialEq, ToRow)]
#[inrush(rename_all = "camelCase")]
struct Renamed {
    unit_price: u32,
    #[inrush(rename = "n")]
    n_pieces: u8,
}

#[derive(Debug, FromRow, PartialEq)]
struct Order {
    id: u64,
    #[inrush(flatten, prefix = "buyer_")]
    buyer: Owned,
    #[inrush(flatten, prefix = "seller_")]
    seller: Option<Owned>,
    #[inrush(flatten)]
    price: Option<Renamed>,
    #[inrush(default = "new".to_owned())]
    state: String,
}

#[derive(Debug, Clone, Copy, PartialEq, inrush::FromValue, inrush::ToValue)]
#[inrush(repr)]
#[repr(i16)]
enum Level {
    Low = -1,
    High = 300,
}

#[test]
fn names_in_another_case() {
    check(&["unitPrice", "n"], &[Some("5"), Some("2")], Ok(Renamed { unit_price: 5, n_pieces: 2 }));
    let renamed = Renamed { unit_price: 5, n_pieces: 2 };
    check_values(&renamed, "VALUES (:n, :unitPrice)", Ok(&[Value::UInt(2), Value::UInt(5)]));
}

#[test]
fn structs_in_a_row_by_their_prefix_or_not_at_all() {
    let names = ["id", "buyer_id", "Buyer_Type", "seller_id", "seller_type", "unitPrice", "n"];
    let buyer = || Owned { id: 7, r#type: "x".to_owned() };
    let none = Order { id: 1, buyer: buyer(), seller: None, price: None, state: "new".to_owned() };
    check(&names, &[Some("1"), Some("7"), Some("x"), None, None, None, None], Ok(none));
    let seller = Some(Owned { id: 8, r#type: "y".to_owned() });
    let price = Some(Renamed { unit_price: 5, n_pieces: 2 });
    let all = Order { id: 1, buyer: buyer(), seller, price, state: "new".to_owned() };
    check(&names, &[Some("1"), Some("7"), Some("x"), Some("8"), Some("y"), Some("5"), Some("2")], Ok(all));
    // Some of its columns are NULL, and must not be.
    let values = [Some("1"), Some("7"), Some("x"), Some("8"), None, None, None];
    check::<Order>(&names, &values, Err("column `seller_type` holds NULL, which is not text (`String`)"));
    let lacks = "the result lacks `buyer_id`, `buyer_type`; it has `id`";
    check::<Order>(&["id"], &[Some("1")], Err(lacks));
}

#[test]
fn enums_that_are_numbers() {
    check(&["level"], &[Some("300")], Ok((Level::High,)));
    check(&["level"], &[Some("-1")], Ok((Level::Low,)));
    check::<(Level,)>(
        &["level"],
        &[Some("0")],
        Err("column `level` holds `0`, which is not the number of a variant (`Level`)"),
    );
    check_values(&(Level::Low,), "VALUES (?)", Ok(&[Value::Int(-1)]));
}
