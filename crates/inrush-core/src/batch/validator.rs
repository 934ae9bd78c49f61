//! The rows of a batch against the columns they go into, before anything is sent: all of them once, none copied.
//!
//! A value that the server stores as it is meant is sent unchanged. A value with a certain meaning that a server would not
//! understand is replaced ([`Replaced`]); one buffer for the whole batch holds the replacements. Every other value makes its row
//! bad.

use crate::column::Column;
use crate::column::Rules;
use crate::column::check::{BoundVerdict, Check, Why};
use crate::convert::bounds::Within;
use crate::convert::{BoundRows, Bounds, RowBlockWriter, RowReader, resolve};
use crate::error::{Error, Kind, Place, Result};
use crate::value::{DateTime, Value};
use crate::write::Table;
use crate::write::template::PlaceholderTarget;
use jiff::tz::TimeZone;
use std::fmt;
use std::ops::Range;

/// The checks of a statement's placeholders.
#[derive(Clone, Debug)]
pub struct Validator {
    /// In the order of the placeholders; those that are not checked are left out.
    checks: Vec<(usize, Check)>,
    /// For each placeholder what needs no check.
    bounds: Vec<Bounds>,
    /// That of the session; unknown where it is the server's own.
    zone: TimeZone,
    /// The first one that goes into a generated column.
    generated: Option<(usize, Box<str>)>,
}

/// Rows, with replacements for values that the server would not understand.
pub struct Replaced<'a> {
    rows: &'a dyn BoundRows,
    /// In the order of the rows.
    values: Vec<Replacement>,
    scratch: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Replacement {
    row: usize,
    param: usize,
    with: With,
}

#[derive(Clone, Copy, Debug)]
enum With {
    /// The bytes that it is, as text.
    SameAsText,
    /// A part of the scratch.
    Text {
        start: usize,
        end: usize,
    },
    /// The same.
    Bytes {
        start: usize,
        end: usize,
    },
    UInt(u64),
    DateTime(DateTime),
}

impl Validator {
    /// The checks of values that go into `targets`: for each placeholder its column, or nothing for one that is not checked.
    pub fn new(targets: &[Option<&Column>], rules: &Rules) -> Self {
        let columns = || targets.iter().enumerate().filter_map(|(param, column)| Some((param, (*column)?)));
        let generated = columns().find(|(_, column)| column.generated);
        let generated = generated.map(|(param, column)| (param, column.name.as_str().into()));
        let checks: Vec<_> = columns().map(|(param, column)| (param, Check::new(column, rules))).collect();
        let mut bounds = vec![Bounds::NONE; targets.len()];
        checks.iter().for_each(|(param, check)| bounds[*param] = check.bounds());
        Self { checks, bounds, zone: rules.zone.clone(), generated }
    }

    /// Checks all rows.
    ///
    /// # Errors
    /// `Data` for the first value that its column cannot hold, with row and column; `Config` if a column takes no values; those of
    /// [`BoundRows::row`].
    pub fn check<'a>(&self, rows: &'a dyn BoundRows) -> Result<Replaced<'a>> {
        self.run(rows, Err)
    }

    /// Checks all rows and continues after a bad one: returns an error for each, in their order, every one with its row.
    ///
    /// # Errors
    /// What is not the fault of a single value: see [`Validator::check`].
    pub fn bad_rows<'a>(&self, rows: &'a dyn BoundRows) -> Result<(Replaced<'a>, Vec<Error>)> {
        let mut bad = Vec::new();
        let replaced = self.run(rows, |error| {
            if error.kind() != Kind::Data {
                return Err(error);
            }
            bad.push(error);
            Ok(())
        })?;
        Ok((replaced, bad))
    }

    fn run<'a>(&self, rows: &'a dyn BoundRows, mut bad: impl FnMut(Error) -> Result<()>) -> Result<Replaced<'a>> {
        let n_rows = rows.n_rows();
        let mut replaced = Replaced { rows, values: Vec::new(), scratch: Vec::new() };
        let mut reader = RowReader::new(rows, 0..n_rows);
        let mut uncommon = Vec::new();
        let mut row = 0;
        let is_bounded = self.generated.is_none() && self.bounds.iter().all(|bounds| bounds.within != Within::Nothing);
        while row < n_rows {
            if is_bounded {
                row += rows.n_within(row..n_rows, &self.bounds);
                if row == n_rows {
                    break;
                }
            }
            let (n_read, values) = match reader.rows(row) {
                Ok(read) => read,
                Err(error) => {
                    bad(error)?;
                    row += 1;
                    continue;
                }
            };
            // A column at a time: in most cases all of its values pass without a closer check.
            let n_values = values.len() / n_read;
            uncommon.clear();
            uncommon.extend(
                self.checks
                    .iter()
                    .filter(|(param, _)| *param < n_values)
                    .filter(|(param, _)| !self.bounds[*param].holds_all(&values[*param..], n_values)),
            );
            let is_resolved = !values.iter().any(Value::is_deferred);
            if !uncommon.is_empty() || self.generated.is_some() || !is_resolved {
                for (i, values) in values.chunks(n_values.max(1)).enumerate() {
                    let checked = match is_resolved {
                        true => self.check_row(&uncommon, row + i, values, &mut replaced),
                        false => self.make_row(row + i, values, &mut replaced),
                    };
                    if let Err(error) = checked {
                        bad(error)?;
                    }
                }
            }
            row += n_read;
        }
        Ok(replaced)
    }

    /// Converts all values of a row to the form in which they are sent, and checks them.
    #[cold]
    fn make_row(&self, row: usize, values: &[Value<'_>], replaced: &mut Replaced<'_>) -> Result<()> {
        let mut memory = Vec::new();
        let n_before = replaced.values.len();
        let named = |error: Error| error.at_row(row as u64);
        let resolved = resolve::resolve(values, Some(&self.zone), &mut memory).map_err(named)?;
        self.check_row(&self.checks.iter().collect::<Vec<_>>(), row, &resolved, replaced)?;
        for (param, _) in values.iter().enumerate().filter(|(_, value)| value.is_deferred()) {
            let replacement = replaced.values[n_before..].iter_mut().find(|replacement| replacement.param == param);
            let start = replaced.scratch.len();
            let with = match (&replacement, resolved[param]) {
                // Its replacement is in the scratch already.
                (Some(Replacement { with: With::Text { .. } | With::Bytes { .. } | With::UInt(_), .. }), _) => continue,
                (_, Value::DateTime(moment)) => With::DateTime(moment),
                (replacement, value) => {
                    replaced.scratch.extend_from_slice(value.as_bytes().unwrap_or_default());
                    match (replacement, value) {
                        (None, Value::Bytes(_)) => With::Bytes { start, end: replaced.scratch.len() },
                        _ => With::Text { start, end: replaced.scratch.len() },
                    }
                }
            };
            match replacement {
                Some(replacement) => replacement.with = with,
                None => replaced.values.push(Replacement { row, param, with }),
            }
        }
        Ok(())
    }

    /// Checks the values of one row, by these checks.
    fn check_row(
        &self,
        checks: &[&(usize, Check)],
        row: usize,
        values: &[Value<'_>],
        replaced: &mut Replaced<'_>,
    ) -> Result<()> {
        if let Some((param, name)) = &self.generated
            && !matches!(values.get(*param), Some(Value::Default))
        {
            return Err(Error::config(format!("column `{name}` is generated and takes no value")).at_row(row as u64));
        }
        let before = (replaced.values.len(), replaced.scratch.len());
        for (param, check) in checks {
            let Some(value) = values.get(*param) else { continue };
            let start = replaced.scratch.len();
            let replacement = check.validate_value(value, &mut replaced.scratch);
            let end = replaced.scratch.len();
            let with = match replacement {
                BoundVerdict::Keep => continue,
                BoundVerdict::AsText => With::SameAsText,
                BoundVerdict::Text => With::Text { start, end },
                BoundVerdict::Bytes => With::Bytes { start, end },
                BoundVerdict::UInt(n) => With::UInt(n),
                BoundVerdict::Bad(why) => {
                    replaced.values.truncate(before.0);
                    replaced.scratch.truncate(before.1);
                    return Err(bad_value(check, row, value, why));
                }
            };
            replaced.values.push(Replacement { row, param: *param, with });
        }
        Ok(())
    }
}

/// Returns the column that gets each placeholder's value unchanged.
pub fn columns_of<'t>(targets: &[PlaceholderTarget], table: &'t Table) -> Vec<Option<&'t Column>> {
    let named = |name: &str| {
        let exact = table.columns.iter().find(|column| column.name == name);
        // The servers compare names of columns without case.
        exact.or_else(|| table.columns.iter().find(|column| column.name.to_lowercase() == name.to_lowercase()))
    };
    let column = |target: &PlaceholderTarget| match target {
        PlaceholderTarget::Column(name) => named(name),
        PlaceholderTarget::Position(at) => table.columns.get(*at),
        PlaceholderTarget::Expression => None,
    };
    targets.iter().map(column).collect()
}

#[cold]
fn bad_value(check: &Check, row: usize, value: &Value<'_>, why: Why) -> Error {
    let place = Place { column: Some(check.column().name.as_str().into()), ..Place::default() };
    let (reason, fault) = check.reason_of(value, why);
    let error = Error::data(reason).because(why.reason()).with_input_fault(fault).at(place).at_row(row as u64);
    match why.hint() {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

impl Replaced<'_> {
    /// How many values were replaced.
    pub fn n_replaced(&self) -> usize {
        self.values.len()
    }

    /// Returns the rows to be sent; the given ones, if nothing was replaced in them.
    pub fn rows(&self) -> &dyn BoundRows {
        if self.values.is_empty() { self.rows } else { self }
    }

    fn value<'s>(&'s self, with: With, given: Value<'s>) -> Value<'s> {
        // All of these were text when they were checked.
        let text = |bytes: &'s [u8]| std::str::from_utf8(bytes).map_or(Value::Bytes(bytes), Value::Text);
        match with {
            With::SameAsText => given.as_bytes().map_or(given, text),
            With::Text { start, end } => text(&self.scratch[start..end]),
            With::Bytes { start, end } => Value::Bytes(&self.scratch[start..end]),
            With::UInt(n) => Value::UInt(n),
            With::DateTime(moment) => Value::DateTime(moment),
        }
    }
}

impl BoundRows for Replaced<'_> {
    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        let start = out.len();
        self.rows.row(row, out)?;
        let first = self.values.partition_point(|value| value.row < row);
        for replacement in self.values[first..].iter().take_while(|value| value.row == row) {
            let value = &mut out[start + replacement.param];
            *value = self.value(replacement.with, *value);
        }
        Ok(())
    }

    /// Up to the first row in which something is replaced.
    fn put_common(&self, rows: Range<usize>, writer: &mut RowBlockWriter<'_>) -> usize {
        let first = self.values.partition_point(|value| value.row < rows.start);
        let end = self.values.get(first).map_or(rows.end, |value| value.row.min(rows.end));
        self.rows.put_common(rows.start..end, writer)
    }

    fn rows<'s>(&'s self, rows: Range<usize>, out: &mut Vec<Value<'s>>) -> Result<()> {
        let start = out.len();
        self.rows.rows(rows.clone(), out)?;
        let n_values = (out.len() - start) / rows.len().max(1);
        let first = self.values.partition_point(|value| value.row < rows.start);
        for replacement in self.values[first..].iter().take_while(|value| value.row < rows.end) {
            let value = &mut out[start + (replacement.row - rows.start) * n_values + replacement.param];
            *value = self.value(replacement.with, *value);
        }
        Ok(())
    }
}

impl fmt::Debug for Replaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_rows = self.n_rows();
        f.debug_struct("Replaced").field("n_rows", &n_rows).field("n_replaced", &self.values.len()).finish()
    }
}

#[cfg(test)]
mod tests;
