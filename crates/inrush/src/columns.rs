//! `columns!`: many sets of values, a column each.

/// Names columns for placeholders: `columns! { name: &names, "full name" => &others, country: scalar("NZ") }`.
///
/// A column is a slice, `Vec` or array of [values](crate::ToValue), an Arrow array, or one value for all rows ([`scalar`](crate::scalar)).
/// All are borrowed.
///
/// ```
/// use inrush::{columns, scalar};
///
/// # let shop = inrush_testkit::shop::open();
/// # shop.ask("DELETE FROM people; ALTER TABLE people ADD country CHAR(2)");
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// let (names, ages) = (vec!["Ann", "Bea"], [Some(31_u8), None]);
/// let people = columns! { name: &names, age: &ages, country: scalar("NZ") };
/// let insert = "INSERT INTO people (name, age, country) VALUES (:name, :age, :country)";
/// connection.execute_batch(insert, &people)?;
/// # assert_eq!(shop.ask("SELECT name, age, country FROM people ORDER BY name"), ["Ann 31 NZ", "Bea NULL NZ"]);
/// # Ok::<(), inrush::Error>(())
/// ```
#[macro_export]
macro_rules! columns {
    ($($name:tt $is:tt $column:expr),* $(,)?) => {
        $crate::sans_io::convert::Columns::new(vec![
            $(($crate::__column_name!($name $is), $crate::sans_io::convert::IntoColumn::into_column($column))),*
        ])
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __column_name {
    ($name:ident :) => {
        stringify!($name).trim_start_matches("r#")
    };
    ($name:expr =>) => {
        $name
    };
}

#[cfg(test)]
mod tests {
    use crate::sans_io::convert::Rows as _;
    use crate::{Value, scalar};

    #[test]
    fn names_are_identifiers_and_texts() {
        let (ids, kinds, name) = ([1, 2], vec!["x", "y"], String::from("full name"));
        let columns =
            columns! { id: &ids, r#type: &kinds, "näme" => scalar(Some(1.5)), (name.as_str()) => scalar("z") };
        let names = ["full name", "näme", "type", "id"].map(Box::from);
        let bound = columns.bind(&names, 4).unwrap();
        let mut values = Vec::new();
        bound.row(1, &mut values).unwrap();
        assert_eq!(values, [Value::Text("z"), Value::Double(1.5), Value::Text("y"), Value::Int(2)]);
        assert!(columns! {}.bind(&[], 0).is_err());
    }
}
