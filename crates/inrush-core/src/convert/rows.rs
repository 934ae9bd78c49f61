//! Many sets of values for one statement: rows (slices of tuples, of `params!`, of structs) or columns. Their layout is private;
//! writers read rows of values, one at a time or, by a [`RowReader`](crate::convert::RowReader), some ahead.

use crate::convert::params::Order;
use crate::convert::{Bounds, Params, RowBlockWriter, ValueVisitor};
use crate::error::{Error, Result};
use crate::value::Value;
use std::ops::Range;

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
    /// `Config` if the row does not have a value for each placeholder, `Data` if no column can hold one of them. The error names
    /// the row, and nothing is appended.
    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()>;

    /// Appends the values of several rows, one row after the other.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`], of any of the rows; nothing is appended.
    fn rows<'s>(&'s self, rows: Range<usize>, out: &mut Vec<Value<'s>>) -> Result<()> {
        let n_before = out.len();
        for row in rows {
            self.row(row, out).inspect_err(|_| out.truncate(n_before))?;
        }
        Ok(())
    }

    /// Puts the values that [`BoundRows::rows`] appends into existing places, which takes fewer steps. Returns `false` if the
    /// number of values differs, if one of the rows is bad, or if this is not known that quickly; then the content of the places
    /// is undefined.
    fn fill_rows<'s>(&'s self, _rows: Range<usize>, _places: &mut [Value<'s>]) -> bool {
        false
    }

    /// How many of the rows, from the first on, have values that surely are within bounds, one for each placeholder. It may be
    /// fewer, where a fast check cannot decide.
    fn n_within(&self, _rows: Range<usize>, _bounds: &[Bounds]) -> usize {
        0
    }

    /// Puts the rows into a block, from the first on, until one cannot take the fast path or the block is full. Returns how many
    /// were put. It may be fewer, where a fast check cannot decide.
    fn put_common(&self, _rows: Range<usize>, _writer: &mut RowBlockWriter<'_>) -> usize {
        0
    }
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

    fn rows<'s>(&'s self, rows: Range<usize>, out: &mut Vec<Value<'s>>) -> Result<()> {
        (**self).rows(rows, out)
    }

    fn fill_rows<'s>(&'s self, rows: Range<usize>, places: &mut [Value<'s>]) -> bool {
        (**self).fill_rows(rows, places)
    }

    fn n_within(&self, rows: Range<usize>, bounds: &[Bounds]) -> usize {
        (**self).n_within(rows, bounds)
    }

    fn put_common(&self, rows: Range<usize>, writer: &mut RowBlockWriter<'_>) -> usize {
        (**self).put_common(rows, writer)
    }
}

impl<R: Rows + ?Sized> Rows for &R {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        (**self).bind(names, n_params)
    }
}

impl<P: Params + Sync> Rows for [P] {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        let order = self.first().map_or_else(|| Ok(Order::default()), |first| first.order(names))?;
        Ok(Box::new(Slice { rows: self, names, n_params, order }))
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
    order: Order,
}

impl<P: Params + Sync> BoundRows for Slice<'_, P> {
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        let n_before = out.len();
        let result = self.rows[row].append(self.names, &self.order, out);
        if result.is_ok() && out.len() - n_before == self.n_params {
            return Ok(());
        }
        let n_values = out.len() - n_before;
        out.truncate(n_before);
        let message = || format!("the statement takes {} values, not {n_values}", self.n_params);
        Err(result.err().unwrap_or_else(|| Error::config(message())).at_row(row as u64))
    }

    fn rows<'s>(&'s self, rows: Range<usize>, out: &mut Vec<Value<'s>>) -> Result<()> {
        let n_before = out.len();
        out.reserve(rows.len() * self.n_params);
        for row in rows {
            self.row(row, out).inspect_err(|_| out.truncate(n_before))?;
        }
        Ok(())
    }

    fn fill_rows<'s>(&'s self, rows: Range<usize>, places: &mut [Value<'s>]) -> bool {
        let rows = &self.rows[rows];
        let fits = places.len() == rows.len() * self.n_params;
        let mut places = places.chunks_exact_mut(self.n_params.max(1));
        fits && rows
            .iter()
            .zip(&mut places)
            .all(|(row, places)| row.visit(&self.order, self.n_params, &mut Fill(places)))
    }

    fn n_within(&self, rows: Range<usize>, bounds: &[Bounds]) -> usize {
        if bounds.len() != self.n_params {
            return 0;
        }
        let rows = &self.rows[rows];
        let is_out = |row: &P| !row.visit(&self.order, bounds.len(), &mut Hold(bounds));
        rows.iter().position(is_out).unwrap_or(rows.len())
    }

    fn put_common(&self, rows: Range<usize>, writer: &mut RowBlockWriter<'_>) -> usize {
        if writer.n_values() == self.n_params { writer.put(&self.rows[rows], &self.order) } else { 0 }
    }
}

struct Fill<'p, 'v>(&'p mut [Value<'v>]);

impl<'v> ValueVisitor<'v> for Fill<'_, 'v> {
    #[inline(always)]
    fn take(&mut self, i: usize, value: Value<'v>) -> bool {
        self.0[i] = value;
        true
    }
}

struct Hold<'f>(&'f [Bounds]);

impl ValueVisitor<'_> for Hold<'_> {
    #[inline(always)]
    fn take(&mut self, i: usize, value: Value<'_>) -> bool {
        self.0[i].holds(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::Named;

    #[track_caller]
    fn check(rows: impl Rows, n_params: usize, want: Result<&[&[Value<'_>]], &str>) {
        let bound = rows.bind(&[], n_params).unwrap();
        let mut values = Vec::new();
        let got = (0..bound.n_rows()).try_for_each(|row| bound.row(row, &mut values));
        match want {
            Ok(want) => {
                assert_eq!((got.map_err(|e| e.to_string()), &values), (Ok(()), &want.concat()));
                let mut several = Vec::new();
                bound.rows(0..want.len(), &mut several).unwrap();
                assert_eq!(several, values);
                several.fill(Value::Default);
                assert!(bound.fill_rows(0..want.len(), &mut several));
                assert_eq!(several, values);
                several.push(Value::Null);
                assert!(!bound.fill_rows(0..want.len(), &mut several));
            }
            Err(message) => {
                assert_eq!(got.unwrap_err().to_string(), message);
                let mut several = vec![Value::Null];
                assert_eq!(bound.rows(0..bound.n_rows(), &mut several).unwrap_err().to_string(), message);
                assert_eq!(several, [Value::Null]);
            }
        }
    }

    #[test]
    fn tuples_in_order() {
        check([(1, "a"), (2, "b")], 2, Ok(&[&[Value::Int(1), Value::Text("a")], &[Value::Int(2), Value::Text("b")]]));
    }
    #[track_caller]
    fn check_named(rows: &[&[(&'static str, i64)]], names: &[&str], want: Result<&[&[i64]], &str>) {
        let names: Vec<Box<str>> = names.iter().map(|&name| name.into()).collect();
        let named =
            |row: &&[(&'static str, i64)]| Named::new(row.iter().map(|(name, n)| (*name, Value::Int(*n))).collect());
        let rows: Vec<_> = rows.iter().map(named).collect();
        let bound = rows.bind(&names, names.len()).unwrap();
        let mut values = Vec::new();
        let got = (0..bound.n_rows()).try_for_each(|row| bound.row(row, &mut values));
        match want {
            Ok(want) => {
                let want: Vec<_> = want.concat().into_iter().map(Value::Int).collect();
                assert_eq!((got.map_err(|e| e.to_string()), values), (Ok(()), want));
            }
            Err(message) => assert_eq!(got.unwrap_err().to_string(), message),
        }
    }

    #[test]
    fn names_in_the_same_order_in_each_row() {
        check_named(&[&[("b", 1), ("a", 2)], &[("b", 3), ("a", 4)]], &["a", "b"], Ok(&[&[2, 1], &[4, 3]]));
        check_named(&[&[("b", 1), ("a", 2)], &[("b", 3), ("a", 4)]], &["a", "b", "a"], Ok(&[&[2, 1, 2], &[4, 3, 4]]));
        check_named(&[&[], &[]], &[], Ok(&[]));
    }
    #[test]
    fn names_in_another_order_in_each_row() {
        check_named(
            &[&[("a", 1), ("b", 2)], &[("b", 3), ("a", 4)], &[("a", 5), ("b", 6)]],
            &["a", "b"],
            Ok(&[&[1, 2], &[4, 3], &[5, 6]]),
        );
    }
    #[test]
    fn a_row_whose_names_do_not_fit_is_named() {
        let fits: &[(&'static str, i64)] = &[("a", 1), ("b", 2)];
        let missing = "no value for `:b` (row 1 of the batch, counted from 0)";
        check_named(&[fits, &[("a", 1)]], &["a", "b"], Err(missing));
        let unknown = "the statement has no placeholder `:c` (row 1 of the batch, counted from 0)";
        check_named(&[fits, &[("a", 1), ("c", 2)]], &["a", "b"], Err(unknown));
        check_named(&[fits, &[("a", 1), ("b", 2), ("c", 3)]], &["a", "b"], Err(unknown));
        check_named(&[&[], &[("c", 1)]], &[], Err(unknown));
        check_named(&[&[("a", 1)]], &["a", "b"], Err("no value for `:b` (row 0 of the batch, counted from 0)"));
        let twice = "`:a` is given two values (row 0 of the batch, counted from 0)";
        check_named(&[&[("a", 1), ("a", 2)]], &["a"], Err(twice));
    }
    #[test]
    fn a_placeholder_that_comes_twice_needs_names() {
        let error = [(1, 2)].bind(&["a".into(), "a".into()], 2).err().unwrap();
        assert_eq!(error.to_string(), "placeholder `:a` comes twice, so values need names");
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
