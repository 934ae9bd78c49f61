//! Columns of values by name: `columns! { name: &names, age: &ages, country: scalar("NZ") }`, each a slice of Rust values, an
//! Arrow array, or one value for all rows.
//!
//! Columns of different lengths, and names that are missing, unused or duplicate are errors that name the existing ones; nothing
//! is filled up with NULL.

use crate::convert::params::listed;
use crate::convert::{BoundColumn, BoundRows, Bounds, BoxedRows, RowBlockWriter, Rows, ToValue};
use crate::error::{Error, Result};
use crate::value::Value;
use std::ops::Range;

/// Columns by name, as `columns!` makes them.
#[derive(Clone, Debug, Default)]
pub struct Columns<'c>(Vec<(&'c str, BoundColumn<'c>)>);

impl<'c> Columns<'c> {
    /// Columns by name.
    pub fn new(columns: Vec<(&'c str, BoundColumn<'c>)>) -> Self {
        Self(columns)
    }

    /// Adds a column.
    #[must_use]
    pub fn with(mut self, name: &'c str, column: impl IntoColumn<'c>) -> Self {
        self.0.push((name, column.into_column()));
        self
    }
}

impl Rows for Columns<'_> {
    fn bind<'a>(&'a self, names: &'a [Box<str>], n_params: usize) -> Result<BoxedRows<'a>> {
        let known: Vec<&str> = self.0.iter().map(|(name, _)| *name).collect();
        let places = places(&known, names, n_params)?;
        let columns = places.into_iter().map(|i| (self.0[i].0, self.0[i].1.bound())).collect();
        Ok(Box::new(BoundColumns::new(columns, None)?))
    }
}

/// What can be a column: `&[T]`, `&Vec<T>` and `&[T; N]` of values, [`scalar`], and Arrow arrays (`&Int32Array`, `&ArrayRef`,
/// `&dyn Array`, ..).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a column",
    note = "columns are borrowed (`&values`); one value for all rows is `scalar(value)`"
)]
pub trait IntoColumn<'c> {
    /// The column.
    fn into_column(self) -> BoundColumn<'c>;
}

impl<'c> IntoColumn<'c> for BoundColumn<'c> {
    fn into_column(self) -> BoundColumn<'c> {
        self
    }
}

impl<'c, T: ToValue + Sync> IntoColumn<'c> for &'c [T] {
    fn into_column(self) -> BoundColumn<'c> {
        T::column(self)
    }
}

impl<'c, T: ToValue + Sync> IntoColumn<'c> for &'c Vec<T> {
    fn into_column(self) -> BoundColumn<'c> {
        T::column(self)
    }
}

impl<'c, T: ToValue + Sync, const N: usize> IntoColumn<'c> for &'c [T; N] {
    fn into_column(self) -> BoundColumn<'c> {
        T::column(self)
    }
}

/// One value for all rows.
pub fn scalar<'c, T: ToValue + Send + Sync + 'c>(value: T) -> BoundColumn<'c> {
    BoundColumn::scalar(value)
}

/// Columns in the order of a statement's placeholders.
pub(crate) struct BoundColumns<'a> {
    columns: Vec<(&'a str, BoundColumn<'a>)>,
    n_rows: usize,
}

impl<'a> BoundColumns<'a> {
    /// All columns must have the same number of rows. `n_rows`: the number of rows, if the caller knows it and no column does.
    pub(crate) fn new(columns: Vec<(&'a str, BoundColumn<'a>)>, n_rows: Option<usize>) -> Result<Self> {
        for (name, column) in &columns {
            if let Some((why, hint)) = column.refusal() {
                let error = Error::config(format!("column `{name}`: {why}"));
                return Err(hint.into_iter().fold(error, Error::with_hint));
            }
        }
        let mut lengths = columns.iter().filter_map(|(name, column)| Some((*name, column.n_rows()?)));
        let first = lengths.next();
        if let Some((name, n)) = first
            && let Some((other, n_other)) = lengths.find(|(_, n_other)| *n_other != n)
        {
            return Err(Error::config(format!("column `{name}` has {n} rows, and `{other}` has {n_other}"))
                .with_hint("one value for all rows is `scalar(value)`"));
        }
        match n_rows.or(first.map(|(_, n)| n)) {
            Some(n_rows) => Ok(Self { columns, n_rows }),
            None => Err(Error::config("no column says how many rows there are: each is one value for all of them")
                .with_hint("a column of one row is `&[value]`")),
        }
    }

    #[cold]
    fn refuse(&self, row: usize, column: usize) -> Error {
        let (name, column) = &self.columns[column];
        Error::data(format!("column `{name}`: {}", column.why(row))).at_row(row as u64)
    }
}

impl BoundRows for BoundColumns<'_> {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        let n_before = out.len();
        out.reserve(self.columns.len());
        for (i, (_, column)) in self.columns.iter().enumerate() {
            match column.value(row) {
                Some(value) => out.push(value),
                None => {
                    out.truncate(n_before);
                    return Err(self.refuse(row, i));
                }
            }
        }
        Ok(())
    }

    fn rows<'s>(&'s self, rows: Range<usize>, out: &mut Vec<Value<'s>>) -> Result<()> {
        let (n_before, stride) = (out.len(), self.columns.len());
        out.resize(n_before + rows.len() * stride, Value::Null);
        for (i, (_, column)) in self.columns.iter().enumerate().filter(|_| !rows.is_empty()) {
            if let Err(row) = column.fill(rows.clone(), &mut out[n_before + i..], stride) {
                out.truncate(n_before);
                return Err(self.refuse(row, i));
            }
        }
        Ok(())
    }

    fn n_within(&self, rows: Range<usize>, bounds: &[Bounds]) -> usize {
        if bounds.len() != self.columns.len() {
            return 0;
        }
        let columns = || self.columns.iter().zip(bounds);
        let mut n = 0;
        while n < rows.len() {
            let start = rows.start + n;
            let several = SEVERAL.min(rows.len() - n);
            let n_held = columns().fold(several, |n, ((_, column), bounds)| column.n_within(start..start + n, bounds));
            n += n_held;
            if n_held < several {
                break;
            }
        }
        n
    }

    fn put_common(&self, rows: Range<usize>, writer: &mut RowBlockWriter<'_>) -> usize {
        writer.put_columns(self.columns.iter().map(|(_, column)| column), rows)
    }
}

/// The number of rows that are checked together, one column after the other.
const SEVERAL: usize = 64;

/// Returns which of the columns each placeholder takes: by name, or by position if the placeholders have none. Upper and lower
/// case is ignored if no column has exactly this name and no two columns differ only in case.
///
/// # Errors
/// `Config` for a column that is missing, that no placeholder takes, or that comes twice.
pub(crate) fn places(columns: &[&str], names: &[Box<str>], n_params: usize) -> Result<Vec<usize>> {
    if names.is_empty() {
        return match columns.len() == n_params {
            true => Ok((0..n_params).collect()),
            false => Err(Error::config(format!("the statement takes {n_params} values a row, not {}", columns.len()))
                .with_hint(format!("the columns are {}", quoted(columns)))),
        };
    }
    if let Some((_, name)) = columns.iter().enumerate().find(|(i, name)| columns[..*i].contains(name)) {
        return Err(Error::config(format!("two columns are named `{name}`"))
            .with_hint(format!("the columns are {}", quoted(columns))));
    }
    let places = names.iter().map(|name| place(columns, name)).collect::<Result<Vec<_>>>()?;
    match (0..columns.len()).find(|i| !places.contains(i)) {
        None => Ok(places),
        Some(i) => Err(Error::config(format!("no placeholder takes column `{}`", columns[i])).with_hint(format!(
            "the statement has {}; leave the column out if it is not to be written",
            listed(names)
        ))),
    }
}

fn place(columns: &[&str], name: &str) -> Result<usize> {
    if let Some(place) = columns.iter().position(|column| *column == name) {
        return Ok(place);
    }
    let mut alike = (0..columns.len()).filter(|i| columns[*i].eq_ignore_ascii_case(name));
    match (alike.next(), alike.next()) {
        (Some(place), None) => Ok(place),
        (Some(one), Some(other)) => {
            Err(Error::config(format!("`:{name}` may be column `{}` or `{}`", columns[one], columns[other]))
                .with_hint("spell it as one of them is spelled"))
        }
        (None, _) => {
            Err(Error::config(format!("no column for `:{name}`"))
                .with_hint(format!("the columns are {}", quoted(columns))))
        }
    }
}

fn quoted(columns: &[&str]) -> String {
    if columns.is_empty() {
        return "none".to_owned();
    }
    columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
