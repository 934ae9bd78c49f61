//! A query in parts, for readers side by side: ranges of a column of whole numbers, best the primary key.

use crate::blocking::Connection;
use crate::{Error, FromRow, Result, Row, Value};
use inrush_core::column::ident::quote_ident;

/// The queries of `n` parts of `sql`, which together have each of its rows once; `column` is a column of its result. The ends of the ranges
/// are the column's least and greatest value now: later rows below or above them are in the first and the last part, and rows without a
/// value in the first.
///
/// # Errors
/// `Config` for a column that does not hold whole numbers; those of the server.
pub fn of_query(connection: &mut Connection, sql: &str, column: &str, n: usize) -> Result<Vec<String>> {
    let sql = sql.trim_end().trim_end_matches(';');
    let all = format!("({sql}\n) AS part");
    let conditions = conditions(connection, &all, column, n)?;
    Ok(conditions
        .into_iter()
        .map(|condition| match condition {
            None => sql.to_owned(),
            Some(condition) => format!("SELECT * FROM {all} WHERE {condition}"),
        })
        .collect())
}

/// The same of columns of a table: `columns` and `table` as SQL has them, in backticks. `column` is any of the table.
///
/// # Errors
/// As of [`of_query`].
pub fn of_table(
    connection: &mut Connection,
    columns: &str,
    table: &str,
    column: &str,
    n: usize,
) -> Result<Vec<String>> {
    let conditions = conditions(connection, table, column, n)?;
    let select = |condition: Option<String>| match condition {
        None => format!("SELECT {columns} FROM {table}"),
        Some(condition) => format!("SELECT {columns} FROM {table} WHERE {condition}"),
    };
    Ok(conditions.into_iter().map(select).collect())
}

/// The condition for the rows of each part; `None`: all rows.
fn conditions(connection: &mut Connection, all: &str, column: &str, n: usize) -> Result<Vec<Option<String>>> {
    let column = quote_ident(column);
    let ends = connection.query_one::<Ends>(&format!("SELECT MIN({column}), MAX({column}) FROM {all}"), ())?;
    let Some(ends) = ends.read(&column)? else { return Ok(vec![None]) };
    Ok(ranges(&column, ends, n))
}

/// The ranges between the least and the greatest value.
fn ranges(column: &str, (least, most): (i128, i128), n: usize) -> Vec<Option<String>> {
    let n = i128::try_from(n.max(1)).unwrap_or(1);
    let step = ((most - least) / n + 1).max(1);
    let bounds: Vec<i128> = (1..n).map(|at| least + at * step).take_while(|bound| *bound <= most).collect();
    let condition = |at: usize| {
        let from = at.checked_sub(1).and_then(|before| bounds.get(before));
        match (from, bounds.get(at)) {
            (None, None) => None,
            (None, Some(to)) => Some(format!("{column} < {to} OR {column} IS NULL")),
            (Some(from), None) => Some(format!("{column} >= {from}")),
            (Some(from), Some(to)) => Some(format!("{column} >= {from} AND {column} < {to}")),
        }
    };
    (0..=bounds.len()).map(condition).collect()
}

/// The least and the greatest value, in the form of the server's answer.
struct Ends {
    numbers: [Option<i128>; 2],
    is_other: bool,
}

impl FromRow<'_> for Ends {
    fn from_row(row: Row<'_>) -> Result<Self> {
        let ends = row.to_array::<2>()?;
        let number = |value: Value<'_>| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
        let is_other = ends.iter().any(|value| !value.is_null() && number(*value).is_none());
        Ok(Self { numbers: ends.map(number), is_other })
    }
}

impl Ends {
    /// `None`: no row has a value.
    fn read(self, column: &str) -> Result<Option<(i128, i128)>> {
        if self.is_other {
            return Err(Error::config(format!("{column} is no column of whole numbers, so it has no ranges"))
                .with_hint("name another one, or read in one part"));
        }
        let [least, most] = self.numbers;
        Ok(least.zip(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ends: (i128, i128), n: usize) -> Vec<String> {
        ranges("c", ends, n).into_iter().map(Option::unwrap_or_default).collect()
    }

    #[test]
    fn every_value_is_in_one_range() {
        assert_eq!(of((1, 10), 1), [""]);
        assert_eq!(of((1, 10), 2), ["c < 6 OR c IS NULL", "c >= 6"]);
        assert_eq!(of((5, 5), 3), [""]);
        assert_eq!(of((0, 2), 3), ["c < 1 OR c IS NULL", "c >= 1 AND c < 2", "c >= 2"]);
        let widest = of((i64::MIN.into(), u64::MAX.into()), 256);
        assert_eq!(widest.len(), 256);
        assert!(widest[0].starts_with("c < -9115"), "{}", widest[0]);
    }
}
