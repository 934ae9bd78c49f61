//! Many sets of values for one statement: rows (slices of tuples, of `params!`, of structs) or columns. How they lie in memory
//! is their own affair; whoever writes them asks for one row of values at a time.

use crate::error::{Error, Result};
use crate::wire::{Params, Value};

/// Many sets of values for the placeholders of one statement.
///
/// Rows are slices of what a single execution takes ([`Params`]); columns are put together by `columns!` or come as a
/// `RecordBatch`.
pub trait Rows: Sync {
    /// Brings the values into the order of a statement's `n_params` placeholders. `names` holds the name of each placeholder of a
    /// statement that names them, and nothing for a statement with `?`.
    ///
    /// # Errors
    /// `Config` for a mistake that concerns all rows: a missing column, columns of different lengths.
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>>;
}

/// Rows whose values are in the order of a statement's placeholders.
pub trait BoundRows: Send + Sync {
    /// How many rows there are.
    fn n_rows(&self) -> usize;

    /// Appends the values of row `row`, one for each placeholder.
    ///
    /// # Errors
    /// `Config` if the row does not have a value for each placeholder.
    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()>;
}

/// See [`BoundRows`].
pub type BoxedRows<'a> = Box<dyn BoundRows + 'a>;

impl<B: BoundRows + ?Sized> BoundRows for &B {
    fn n_rows(&self) -> usize {
        (**self).n_rows()
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        (**self).row(row, out)
    }
}

impl<R: Rows + ?Sized> Rows for &R {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        (**self).bind(names, n_params)
    }
}

impl<P: Params + Sync> Rows for [P] {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        Ok(Box::new(Slice { rows: self, names, n_params }))
    }
}

impl<P: Params + Sync> Rows for Vec<P> {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        self.as_slice().bind(names, n_params)
    }
}

impl<P: Params + Sync, const N: usize> Rows for [P; N] {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        self.as_slice().bind(names, n_params)
    }
}

struct Slice<'a, P> {
    rows: &'a [P],
    names: &'a [Box<str>],
    n_params: usize,
}

impl<P: Params + Sync> BoundRows for Slice<'_, P> {
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        let n_before = out.len();
        let values = self.rows[row].values(self.names).map_err(|e| e.at_row(row as u64))?;
        out.extend_from_slice(values.as_ref());
        match out.len() - n_before {
            n if n == self.n_params => Ok(()),
            n => {
                out.truncate(n_before);
                let message = format!("the statement takes {} values, not {n}", self.n_params);
                Err(Error::config(message).at_row(row as u64))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rows: impl Rows, n_params: usize, want: Result<&[&[Value<'_>]], &str>) {
        let bound = rows.bind(&[], n_params).unwrap();
        let mut values = Vec::new();
        let got = (0..bound.n_rows()).try_for_each(|row| bound.row(row, &mut values));
        match want {
            Ok(want) => assert_eq!((got.map_err(|e| e.to_string()), values), (Ok(()), want.concat())),
            Err(message) => assert_eq!(got.unwrap_err().to_string(), message),
        }
    }

    #[test]
    fn tuples_in_order() {
        check([(1, "a"), (2, "b")], 2, Ok(&[&[Value::Int(1), Value::Text("a")], &[Value::Int(2), Value::Text("b")]]));
    }
    #[test]
    fn no_rows() {
        check(Vec::<(i32,)>::new(), 1, Ok(&[]));
    }
    #[test]
    fn a_short_row_is_named() {
        let rows = vec![vec![1, 2], vec![3]];
        check(rows, 2, Err("the statement takes 2 values, not 1 (row 1 of the batch, counted from 0)"));
    }
}
