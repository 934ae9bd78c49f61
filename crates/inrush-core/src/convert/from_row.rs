//! A row as a Rust type: a tuple by position and the value of an only column here, a struct by `#[derive(FromRow)]`.

use crate::convert::FromValue;
use crate::error::{Error, Result};
use crate::value::Value;
use crate::wire::{ColumnDef, Row};

/// A Rust type that a row can become. It may borrow from the row.
pub trait FromRow<'r>: Sized {
    /// The columns that it reads by name; empty where it reads them by position, or does not say.
    const NAMES: &'static [&'static str] = &[];

    /// The row as this type. An error names the column that does not fit.
    fn from_row(row: Row<'r>) -> Result<Self>;
}

impl<'r> FromRow<'r> for Row<'r> {
    fn from_row(row: Row<'r>) -> Result<Self> {
        Ok(row)
    }
}

/// The value of the only column.
impl<'r, T: FromValue<'r>> FromRow<'r> for T {
    fn from_row(row: Row<'r>) -> Result<Self> {
        let [value] = row.to_array()?;
        row.convert(0, value)
    }
}

impl<'r> Row<'r> {
    /// All values, of exactly `N` columns.
    #[inline]
    pub fn to_array<const N: usize>(&self) -> Result<[Value<'r>; N]> {
        let n_columns = self.columns().len();
        if n_columns != N {
            return Err(Error::config(format!("a row of {n_columns} columns is not one of {N}")));
        }
        let mut values = [Value::Null; N];
        // Not by `zip`, whose `next` is a call of its own in some builds: a tenth of what a short row costs.
        let mut received = self.values();
        for slot in &mut values {
            let Some(value) = received.next() else { break };
            *slot = value?;
        }
        Ok(values)
    }

    /// The values of the columns with these names, each with its position. Columns may come in any order and any case; other
    /// columns are ignored.
    pub fn pick<const N: usize>(&self, names: &[&str; N]) -> Result<[(usize, Value<'r>); N]> {
        self.pick_with(names, &[false; N])
    }

    /// The same where the result may lack some of the columns, as `optional` says: their position is then `usize::MAX`.
    pub fn pick_with<const N: usize>(
        &self,
        names: &[&str; N],
        optional: &[bool; N],
    ) -> Result<[(usize, Value<'r>); N]> {
        let mut picked = [(usize::MAX, Value::Null); N];
        let mut next = 0;
        for (position, (value, column)) in self.values().zip(self.columns()).enumerate() {
            let value = value?;
            // As a rule columns come in the order of the names, so that one comparison finds each.
            let is_it = |name: &&str| self.is_named(column, name);
            let place = match names.get(next).is_some_and(is_it) {
                true => next,
                false => match names.iter().position(is_it) {
                    Some(place) => place,
                    None => continue,
                },
            };
            if picked[place].0 != usize::MAX {
                return Err(Error::config(format!("the result has two columns `{}`", names[place]))
                    .with_hint("an alias distinguishes them: `a.id AS a_id`"));
            }
            picked[place] = (position, value);
            next = place + 1;
        }
        match picked.iter().zip(optional).all(|((position, _), optional)| *position != usize::MAX || *optional) {
            true => Ok(picked),
            false => Err(self.lacks(names, &picked.map(|(position, _)| position), optional)),
        }
    }

    /// This row, in which the names of all columns that are looked for begin with `prefix`.
    pub fn with_prefix(self, prefix: &'static str) -> Result<Self> {
        match self.prefix() {
            "" => Ok(self.prefixed(prefix)),
            outer => {
                Err(Error::config(format!("a prefix within a prefix is not supported: `{prefix}` within `{outer}`")))
            }
        }
    }

    /// The row as this type; `None` if all columns that it reads by name are NULL, as a LEFT JOIN leaves them.
    pub fn to_option<T: FromRow<'r>>(self) -> Result<Option<T>> {
        let mut n_seen = 0;
        let mut is_null = true;
        for (value, column) in self.values().zip(self.columns()) {
            if T::NAMES.iter().any(|name| self.is_named(column, name)) {
                n_seen += 1;
                is_null &= value?.is_null();
            }
        }
        if n_seen > 0 && is_null { Ok(None) } else { T::from_row(self).map(Some) }
    }

    /// Whether a column has this name after the prefix.
    #[inline]
    fn is_named(&self, column: &ColumnDef, name: &str) -> bool {
        let prefix = self.prefix();
        if prefix.is_empty() {
            return *name == *column.name || name.eq_ignore_ascii_case(&column.name);
        }
        let behind = column.name.split_at_checked(prefix.len()).filter(|(start, _)| start.eq_ignore_ascii_case(prefix));
        behind.is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(name))
    }

    #[cold]
    fn lacks(&self, names: &[&str], positions: &[usize], optional: &[bool]) -> Error {
        let missing = names.iter().zip(positions).zip(optional);
        let missing = missing.filter(|((_, position), optional)| **position == usize::MAX && !**optional);
        let missing: Vec<_> = missing.map(|((name, _), _)| format!("`{}{name}`", self.prefix())).collect();
        let has: Vec<_> = self.columns().iter().map(|column| format!("`{}`", column.name)).collect();
        Error::config(format!("the result lacks {}; it has {}", missing.join(", "), has.join(", ")))
    }
}

macro_rules! tuples {
    ($(($n:literal: $($t:ident $i:tt),+))*) => { $(
        /// One element for each column.
        impl<'r, $($t: FromValue<'r>),+> FromRow<'r> for ($($t,)+) {
            fn from_row(row: Row<'r>) -> Result<Self> {
                let values = row.to_array::<$n>()?;
                Ok(($(row.convert::<$t>($i, values[$i])?,)+))
            }
        }
    )* };
}

for_tuples!(tuples);

#[cfg(test)]
mod tests;
