//! A query in parts, for readers side by side: ranges of a column, best the first of the primary key, or partitions.
//!
//! Invariant: each row is in exactly one part, whatever the values between the parts are and however they sort.

use crate::blocking::Connection;
use crate::{Error, FromRow, Kind, Result, Row, Value};
use inrush_core::column::ident::quote_ident;
use inrush_core::sql::{Dialect, Lexeme, Lexer};
use std::fmt::Write as _;

/// The queries of `n` parts of `sql`, which together have each of its rows once; `column` is a column of its result. The ends of the ranges
/// are the column's least and greatest value now: later rows below or above them are in the first and the last part, and rows without a
/// value in the first.
///
/// # Errors
/// `Config` for a column that does not hold whole numbers; those of the server.
pub fn of_query(connection: &mut Connection, sql: &str, column: &str, n: usize) -> Result<Vec<String>> {
    let sql = sql.trim_end().trim_end_matches(';');
    let all = format!("({sql}\n) AS part");
    let bounds = whole(connection, &all, column, n)?;
    Ok(bounds
        .conditions()
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
    let rows = TableRows { columns: columns.to_owned(), table: table.to_owned(), condition: None };
    of_rows(connection, &rows, &PartBy::Whole(column.to_owned()), n)
}

/// Rows of a table, as SQL: `SELECT columns FROM table WHERE condition`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRows {
    /// Columns with commas, in backticks.
    pub columns: String,
    /// The table, in backticks.
    pub table: String,
    /// Any condition.
    pub condition: Option<String>,
}

/// What the parts of a table are made of. Names are without backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartBy {
    /// Ranges of a column of whole numbers, of equal width.
    Whole(String),
    /// Ranges of a column of days, of equal width.
    Day(String),
    /// Ranges of a DATETIME or a TIMESTAMP, of equal width.
    Moment(String),
    /// Ranges of a text, of about as many rows each: the column's index is read once.
    Text(String),
    /// The same of bytes.
    Bytes(String),
    /// Partitions, each with an estimate of its rows.
    Partitions(Vec<(String, u64)>),
}

/// The queries of at most `n` parts of a table, which together have each of its rows once.
///
/// # Errors
/// `Config` for a column that does not hold such values, and for a condition whose brackets do not match; those of the server.
pub fn of_rows(connection: &mut Connection, rows: &TableRows, by: &PartBy, n: usize) -> Result<Vec<String>> {
    rows.check()?;
    let table = &rows.table;
    if let PartBy::Partitions(partitions) = by {
        let of = |names: Vec<&str>| {
            let names: Vec<_> = names.into_iter().map(quote_ident).collect();
            rows.select(&format!("{table} PARTITION ({})", names.join(", ")), None)
        };
        return Ok(groups(partitions, n).into_iter().map(of).collect());
    }
    let bounds = Bounds::find(connection, table, by, n)?;
    Ok(bounds.conditions().map(|range| rows.select(table, range.as_deref())).collect())
}

/// Checks a condition of SQL on a table (in backticks), without running it.
///
/// # Errors
/// `Config` for one whose brackets do not match, one with placeholders, and one that the server does not take.
pub fn check_condition(connection: &mut Connection, table: &str, condition: &str) -> Result<()> {
    let rows = TableRows { columns: "1".to_owned(), table: table.to_owned(), condition: Some(condition.to_owned()) };
    match connection.prepare(&rows.query()?) {
        Ok(statement) if statement.marks().is_empty() => Ok(()),
        Ok(_) => Err(Error::config(format!(
            "the condition `{condition}` of {table} has a placeholder, for which there is no value"
        ))
        .with_hint("write the value itself, a text in quotes")),
        Err(error) if error.kind() == Kind::Server && !error.is_fatal() => {
            Err(Error::config(format!("the condition `{condition}` is wrong for {table}: {}", error.message()))
                .with_hint(CONDITION))
        }
        Err(error) => Err(error),
    }
}

/// How many rows the server estimates that a table (in backticks) has.
///
/// # Errors
/// Those of the server.
pub fn estimated_rows(connection: &mut Connection, table: &str) -> Result<u64> {
    let rows = connection.query::<Estimate>(&format!("EXPLAIN FORMAT=TRADITIONAL SELECT * FROM {table}"), ())?;
    Ok(rows.into_iter().map(|Estimate(rows)| rows).sum())
}

impl TableRows {
    /// The query of all rows.
    ///
    /// # Errors
    /// `Config` for a condition whose brackets do not match.
    pub fn query(&self) -> Result<String> {
        self.check()?;
        Ok(self.select(&self.table, None))
    }

    /// In brackets of its own the condition is one, so it must not close them.
    fn check(&self) -> Result<()> {
        let condition = self.condition.as_deref().unwrap_or_default();
        let mut depth = 0_i64;
        for token in Lexer::new(condition.as_bytes(), Dialect::default()) {
            let is_wrong = match token.lexeme {
                Lexeme::Symbol(b'(') => {
                    depth += 1;
                    false
                }
                Lexeme::Symbol(b')') => {
                    depth -= 1;
                    depth < 0
                }
                Lexeme::Symbol(b';') | Lexeme::Unclosed(_) => true,
                _ => false,
            };
            if is_wrong {
                depth = -1;
                break;
            }
        }
        match depth {
            0 => Ok(()),
            _ => Err(Error::config(format!("`{condition}` is not one condition: brackets or quotes do not match"))
                .with_hint(CONDITION)),
        }
    }

    fn select(&self, table: &str, range: Option<&str>) -> String {
        let mut sql = format!("SELECT {} FROM {table}", self.columns);
        // A comment at the end of the condition ends with the line.
        let condition = self.condition.as_deref().map(|condition| format!("({condition}\n)"));
        let conditions: Vec<_> = range.map(|range| format!("({range})")).into_iter().chain(condition).collect();
        if !conditions.is_empty() {
            let _ = write!(sql, " WHERE {}", conditions.join(" AND "));
        }
        sql
    }
}

const CONDITION: &str = "it is what stands after WHERE in SQL";

/// Values of a column between which the ranges are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// In backticks.
    pub(crate) column: String,
    /// In SQL, each in one line of ASCII.
    pub(crate) literals: Vec<String>,
    /// Whether each is surely above the one before it.
    pub(crate) ascend: bool,
}

impl Bounds {
    /// At most `n` ranges of about equal size of a table (in backticks).
    ///
    /// # Errors
    /// `Config` for a column that does not hold such values; those of the server.
    pub(crate) fn find(connection: &mut Connection, table: &str, by: &PartBy, n: usize) -> Result<Self> {
        let (column, literals) = match by {
            PartBy::Whole(column) => return whole(connection, table, column, n),
            PartBy::Day(column) => (column, moments(connection, table, column, "DAY", n)?),
            PartBy::Moment(column) => (column, moments(connection, table, column, "SECOND", n)?),
            PartBy::Text(column) => (column, steps(connection, table, column, "_utf8mb4", n)?),
            PartBy::Bytes(column) => (column, steps(connection, table, column, "", n)?),
            PartBy::Partitions(_) => return Ok(Self { column: String::new(), literals: Vec::new(), ascend: true }),
        };
        Ok(Self { column: quote_ident(column), literals, ascend: false })
    }

    /// The condition for the rows of each range; `None`: all rows.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = Option<String>> {
        (0..=self.literals.len()).map(|at| self.condition(at))
    }

    /// The condition of one range. A row is in the first range whose end is above it, so that each is in one, even if the bounds do not ascend.
    pub(crate) fn condition(&self, at: usize) -> Option<String> {
        let column = &self.column;
        let below = self.literals.get(at).map(|bound| format!("{column} < {bound}"));
        let above = if self.ascend { &self.literals[at.saturating_sub(1)..at] } else { &self.literals[..at] };
        let above = above.iter().map(|bound| format!("{column} >= {bound}"));
        if at == 0 {
            return below.map(|below| format!("{below} OR {column} IS NULL"));
        }
        Some(above.chain(below).collect::<Vec<_>>().join(" AND "))
    }
}

fn whole(connection: &mut Connection, all: &str, column: &str, n: usize) -> Result<Bounds> {
    let column = quote_ident(column);
    let ends = connection.query_one::<Ends>(&format!("SELECT MIN({column}), MAX({column}) FROM {all}"), ())?;
    let literals = ends.read(&column)?.map_or(Vec::new(), |ends| between(ends, n));
    Ok(Bounds { column, literals, ascend: true })
}

/// Bounds of equal distance between the least and the greatest value, as literals; none if these are no moments of a calendar.
fn moments(connection: &mut Connection, table: &str, column: &str, unit: &str, n: usize) -> Result<Vec<String>> {
    let column = quote_ident(column);
    let ends =
        format!("SELECT TIMESTAMPDIFF({unit}, MIN({column}), MAX({column})), CAST(MIN({column}) AS CHAR) FROM {table}");
    let (Some(distance), Some(least)) = connection.query_one::<(Option<i64>, Option<String>)>(&ends, ())? else {
        return Ok(Vec::new());
    };
    let mut bounds: Vec<String> = Vec::new();
    for at in 1..n.max(1) {
        let units = i128::from(distance) * i128::try_from(at).unwrap_or(1) / i128::try_from(n).unwrap_or(1);
        let units = i64::try_from(units).unwrap_or(i64::MAX);
        let bound = connection.query_one::<Option<String>>(
            &format!("SELECT CAST(TIMESTAMPADD({unit}, ?, ?) AS CHAR)"),
            (units, &least),
        )?;
        bounds.extend(bound.map(|bound| format!("'{bound}'")));
    }
    bounds.dedup();
    Ok(bounds)
}

/// Bounds with about as many rows between them, as hexadecimal literals with this introducer.
fn steps(connection: &mut Connection, table: &str, column: &str, introducer: &str, n: usize) -> Result<Vec<String>> {
    let rows = estimated_rows(connection, table)?;
    let step = rows / n.max(1) as u64;
    let column = quote_ident(column);
    let value = if introducer.is_empty() { column.clone() } else { format!("CONVERT({column} USING utf8mb4)") };
    let mut bounds: Vec<String> = Vec::new();
    for _ in 1..n.max(1) {
        let from = bounds.last().map_or(String::new(), |bound| format!(" WHERE {column} >= {bound}"));
        let next = format!("SELECT HEX({value}) FROM {table}{from} ORDER BY {column} LIMIT 1 OFFSET {step}");
        let Some(Some(next)) = connection.query_opt::<Option<String>>(&next, ())? else { break };
        let bound = format!("{introducer} X'{next}'");
        if bounds.last() != Some(&bound) {
            bounds.push(bound);
        }
    }
    Ok(bounds)
}

/// At most `n` groups of partitions, of about as many rows each.
fn groups(partitions: &[(String, u64)], n: usize) -> Vec<Vec<&str>> {
    let mut groups: Vec<(u64, Vec<&str>)> = vec![(0, Vec::new()); n.clamp(1, partitions.len().max(1))];
    let mut largest: Vec<_> = partitions.iter().enumerate().collect();
    largest.sort_by_key(|(at, (_, rows))| (std::cmp::Reverse(*rows), *at));
    for (_, (name, rows)) in largest {
        // An empty partition counts too, or all of them would be in one group.
        if let Some((sum, names)) = groups.iter_mut().min_by_key(|(sum, names)| (*sum, names.len())) {
            *sum += rows;
            names.push(name);
        }
    }
    groups.into_iter().map(|(_, names)| names).filter(|names| !names.is_empty()).collect()
}

/// Bounds of equal distance between the least and the greatest value.
fn between((least, most): (i128, i128), n: usize) -> Vec<String> {
    let n = i128::try_from(n.max(1)).unwrap_or(1);
    let step = ((most - least) / n + 1).max(1);
    (1..n).map(|at| least + at * step).take_while(|bound| *bound <= most).map(|bound| bound.to_string()).collect()
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

/// A line of EXPLAIN: the rows that it estimates.
struct Estimate(u64);

impl FromRow<'_> for Estimate {
    fn from_row(row: Row<'_>) -> Result<Self> {
        let at = row.columns().iter().position(|column| column.name.eq_ignore_ascii_case("rows"));
        Ok(Self(at.map_or(Ok(None), |at| row.get::<Option<u64>>(at))?.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_stay_apart() {
        let rows =
            |condition: &str| TableRows { columns: "*".into(), table: "t".into(), condition: Some(condition.into()) };
        assert_eq!(
            rows("a = 1 OR b = 2 -- x").select("t", Some("c < 5 OR c IS NULL")),
            "SELECT * FROM t WHERE (c < 5 OR c IS NULL) AND (a = 1 OR b = 2 -- x\n)"
        );
        for wrong in ["1) OR (1", "(1", "a = 'x", "1; DROP TABLE t", ")("] {
            assert!(rows(wrong).query().is_err(), "{wrong}");
        }
        for right in ["a = ')'", "a IN (1, 2) /* ) */", "`)` = 1 # )"] {
            assert!(rows(right).query().is_ok(), "{right}");
        }
    }

    #[test]
    fn a_row_is_below_one_bound() {
        let of = |bounds: &[&str]| -> Vec<_> {
            let literals = bounds.iter().map(|bound| (*bound).to_owned()).collect();
            conditions(&Bounds { column: "`c`".into(), literals, ascend: false })
        };
        assert_eq!(of(&[]), [""]);
        assert_eq!(of(&["5"]), ["`c` < 5 OR `c` IS NULL", "`c` >= 5"]);
        assert_eq!(of(&["5", "7"]), ["`c` < 5 OR `c` IS NULL", "`c` >= 5 AND `c` < 7", "`c` >= 5 AND `c` >= 7"]);
    }

    #[test]
    fn partitions_are_shared_out() {
        let of = |rows: &[u64], n: usize| -> Vec<String> {
            let partitions: Vec<_> = rows.iter().enumerate().map(|(at, rows)| (format!("p{at}"), *rows)).collect();
            groups(&partitions, n).into_iter().map(|names| names.join(" ")).collect()
        };
        assert_eq!(of(&[1, 9, 3, 5], 2), ["p1", "p3 p2 p0"]);
        assert_eq!(of(&[0, 0, 0], 2), ["p0 p2", "p1"]);
        assert_eq!(of(&[4, 4], 9), ["p0", "p1"]);
    }

    fn conditions(bounds: &Bounds) -> Vec<String> {
        bounds.conditions().map(Option::unwrap_or_default).collect()
    }

    fn of(ends: (i128, i128), n: usize) -> Vec<String> {
        conditions(&Bounds { column: "c".into(), literals: between(ends, n), ascend: true })
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
