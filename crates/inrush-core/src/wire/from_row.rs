//! A row as a Rust type: a tuple by position here, a struct by `#[derive(FromRow)]`.

use crate::error::{Error, Result};
use crate::wire::{FromValue, Row, Value};

/// A Rust type that a row can become. It may borrow from the row.
pub trait FromRow<'r>: Sized {
    /// The row as this type. An error names the column that does not fit.
    fn from_row(row: Row<'r>) -> Result<Self>;
}

impl<'r> FromRow<'r> for Row<'r> {
    fn from_row(row: Row<'r>) -> Result<Self> {
        Ok(row)
    }
}

impl<'r> Row<'r> {
    /// All values, of exactly `N` columns.
    pub fn to_array<const N: usize>(&self) -> Result<[Value<'r>; N]> {
        let n_columns = self.columns().len();
        if n_columns != N {
            return Err(Error::config(format!("a row of {n_columns} columns is not one of {N}")));
        }
        let mut values = [Value::Null; N];
        for (slot, value) in values.iter_mut().zip(self.values()) {
            *slot = value?;
        }
        Ok(values)
    }

    /// A value of this row, that of column `position`, as a Rust type.
    pub fn convert<T: FromValue<'r>>(&self, position: usize, value: Value<'r>) -> Result<T> {
        T::from_value(value).ok_or_else(|| self.misfit::<T>(position, &value))
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

tuples! {
    (1: A 0)
    (2: A 0, B 1)
    (3: A 0, B 1, C 2)
    (4: A 0, B 1, C 2, D 3)
    (5: A 0, B 1, C 2, D 3, E 4)
    (6: A 0, B 1, C 2, D 3, E 4, F 5)
    (7: A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (9: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (10: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (11: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (12: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}
