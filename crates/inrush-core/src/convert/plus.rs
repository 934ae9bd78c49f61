//! A struct and one more column, which it does not have.

use crate::convert::{FromRow, FromValue};
use crate::error::{Error, Result};
use crate::value::Value;
use crate::wire::Row;

/// A row as a struct and the value of its last column: `SELECT people.*, COUNT(*) FROM ..` as `Plus<Person, i64>`. The struct reads its
/// columns by name (`#[derive(FromRow)]`).
///
/// ```
/// # use inrush_core::{convert::{FromRow, Plus}, Result};
/// fn busiest<P>(rows: Vec<Plus<P, i64>>) -> Option<P> {
///     rows.into_iter().max_by_key(|Plus(_, n_orders)| *n_orders).map(|Plus(person, _)| person)
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plus<T, U>(pub T, pub U);

impl<'r, T: FromRow<'r>, U: FromValue<'r>> FromRow<'r> for Plus<T, U> {
    const NAMES: &'static [&'static str] = T::NAMES;

    fn from_row(row: Row<'r>) -> Result<Self> {
        let last = row.columns().len().checked_sub(1).ok_or_else(|| Error::config("a row without columns"))?;
        if T::NAMES.iter().any(|name| name.eq_ignore_ascii_case(&row.columns()[last].name)) {
            return Err(Error::config(format!(
                "the last column, `{}`, is one of the struct",
                row.columns()[last].name
            ))
            .with_hint("what `Plus` adds to the struct stands last: `SELECT people.*, COUNT(*) n_orders ..`"));
        }
        let value = row.values().nth(last).unwrap_or(Ok(Value::Null))?;
        Ok(Self(T::from_row(row)?, row.convert(last, value)?))
    }
}
