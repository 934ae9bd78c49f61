use super::*;
use crate::wire::{ColumnDef, ColumnFlags, ColumnType, RowFormat};

/// A row of texts, a column for each name.
fn with_row<T>(columns: &[&str], body: &[u8], check: impl FnOnce(Row<'_>) -> T) -> T {
    let columns: Vec<_> = columns
        .iter()
        .map(|name| ColumnDef {
            name: (*name).to_owned(),
            table: String::new(),
            schema: String::new(),
            collation: 45,
            length: 0,
            ty: ColumnType::MYSQL_TYPE_VAR_STRING,
            flags: ColumnFlags::empty(),
            decimals: 0,
        })
        .collect();
    check(Row::new(&columns, body, RowFormat::Text))
}

#[track_caller]
fn check(columns: &[&str], want: Result<[(usize, &str); 2], &str>) {
    with_row(columns, b"\x01x\x01y\x01z", |row| {
        let got = row.pick(&["a", "b"]).map(|values| values.map(|(at, value)| (at, value.as_str().unwrap())));
        assert_eq!(got.as_ref().map_err(|error| error.message()), want.as_ref().map_err(|error| *error));
    });
}

#[test]
fn names_in_any_order_and_case() {
    check(&["a", "b", "c"], Ok([(0, "x"), (1, "y")]));
    check(&["B", "c", "A"], Ok([(2, "z"), (0, "x")]));
    check(&["c", "a", "b"], Ok([(1, "y"), (2, "z")]));
}

#[test]
fn names_that_are_not_there_or_twice() {
    check(&["a", "c", "d"], Err("the result lacks `b`; it has `a`, `c`, `d`"));
    check(&["c", "d", "e"], Err("the result lacks `a`, `b`; it has `c`, `d`, `e`"));
    check(&["a", "A", "b"], Err("the result has two columns `a`"));
    check(&["a", "b", "a"], Err("the result has two columns `a`"));
    check(&["c", "a", "c"], Err("the result lacks `b`; it has `c`, `a`, `c`"));
}

#[test]
fn tuples_take_every_column() {
    with_row(&["a", "b"], b"\x0242\xFB", |row| {
        assert_eq!(<(u8, Option<&str>)>::from_row(row).unwrap(), (42, None));
        let error = <(u8, &str)>::from_row(row).unwrap_err();
        assert_eq!(error.message(), "column `b` holds NULL, which is not text (`&str`)");
        let error = <(u8,)>::from_row(row).unwrap_err();
        assert_eq!(error.message(), "a row of 2 columns is not one of 1");
    });
}

#[test]
fn one_column_is_its_value() {
    with_row(&["a"], b"\x0242", |row| {
        assert_eq!(u8::from_row(row).unwrap(), 42);
        assert_eq!(<Option<&str>>::from_row(row).unwrap(), Some("42"));
    });
    let error = with_row(&["a", "b"], b"\x0242\xFB", |row| u8::from_row(row).unwrap_err());
    assert_eq!(error.message(), "a row of 2 columns is not one of 1");
}
