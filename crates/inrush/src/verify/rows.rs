//! The rows of cells that differ: which are missing, extra, or different, and their values.

use super::side::{Connections, Sql};
use crate::blocking::Connection;
use crate::{Error, Result, Row};
use inrush_core::verify::{Compared, RowDigest};
use std::collections::HashMap;
use std::fmt;

/// What is wrong with a row of the second table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The second table lacks the row.
    Missing,
    /// Only the second table has the row.
    Extra,
    /// The row has other values.
    Different,
}

/// A row in which two tables differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What is wrong with it.
    pub kind: DifferenceKind,
    /// How often: more than once only for rows without a key.
    pub times: u64,
    /// The columns of the key in backticks, each with its value as a literal of SQL; empty without a key, and for rows that have no values
    /// here.
    pub key: Vec<(String, String)>,
    /// The columns in backticks, each with the literals of the first and of the second table: those that differ, or all of a row that is in
    /// one table only. Empty beyond [`with_described`](super::VerifyOptions::with_described).
    pub values: Vec<(String, Option<String>, Option<String>)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, ["here", "there"])
    }
}

impl Difference {
    /// As text for people, with words for the first table and the second one: `in the files`, `in the table`.
    pub fn in_words(&self, sides: [&str; 2]) -> String {
        let mut text = String::new();
        // A text takes everything.
        let _ = self.write(&mut text, sides);
        text
    }

    fn write(&self, f: &mut impl fmt::Write, [here, there]: [&str; 2]) -> fmt::Result {
        let what = match self.kind {
            DifferenceKind::Missing => "missing",
            DifferenceKind::Extra => "extra",
            DifferenceKind::Different => "different",
        };
        f.write_str(what)?;
        if self.times > 1 {
            write!(f, " ({} times)", self.times)?;
        }
        for (i, (column, value)) in self.key.iter().enumerate() {
            write!(f, "{}{column} = {}", if i == 0 { ": " } else { ", " }, short(value))?;
        }
        for (i, (column, one, other)) in self.values.iter().enumerate() {
            let begin = if i > 0 || !self.key.is_empty() { "; " } else { ": " };
            let shown = |value: &Option<String>| value.as_deref().map(short).unwrap_or_default();
            match (one, other) {
                (Some(_), Some(_)) => write!(f, "{begin}{column}: {} {here}, {} {there}", shown(one), shown(other))?,
                (value, None) | (None, value) => write!(f, "{begin}{column} = {}", shown(value))?,
            }
        }
        Ok(())
    }
}

/// Enough of a literal to recognize it.
fn short(value: &str) -> String {
    match value.char_indices().nth(SHOWN_CHARS) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}.. ({} characters)", &value[..end], value.chars().count()),
    }
}

const SHOWN_CHARS: usize = 60;

/// A row of a cell: how often it is there, by digest, and the literals of its key.
struct Found {
    digests: HashMap<String, u64>,
    key: Vec<String>,
}

/// Which rows that only the second table has are differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    All,
    /// Those whose key, or all of whose values, the first table has less often.
    Equal,
}

/// Compares the rows under the conditions of the two sides. `describe` is how many differences may have values; returns how many got them.
pub(super) fn compare(
    connections: &mut Connections,
    sql: &[Sql; 2],
    conditions: &[String; 2],
    (describe, extra): (usize, Extra),
    mut each: impl FnMut(Difference) -> Result<()>,
) -> Result<usize> {
    let [one, mut other] = connections.both(|connection, side| rows(connection, &sql[side], &conditions[side]))?;
    // Key, kind, times, literals of the key, and whether the values are those of one row.
    let mut found = Vec::new();
    let is_keyed = !sql[0].key.is_empty();
    // Rows without a key are found by the server's digest, which does not know documents.
    let is_found = is_keyed || sql[0].documents.is_empty();
    for (key, row) in one {
        match other.remove(&key) {
            None => found.push((key, DifferenceKind::Missing, row.total(), row.key, is_found)),
            Some(theirs) if row.digests == theirs.digests => {}
            Some(theirs) if is_keyed && row.total() == 1 && theirs.total() == 1 => {
                found.push((key, DifferenceKind::Different, 1, row.key, true));
            }
            // Rows without a key, and a key that one table has more than once.
            Some(theirs) => {
                let (missing, more) = (row.beyond(&theirs), theirs.beyond(&row));
                if missing > 0 {
                    found.push((key.clone(), DifferenceKind::Missing, missing, row.key.clone(), !is_keyed && is_found));
                }
                if more > 0 {
                    found.push((key, DifferenceKind::Extra, more, row.key, !is_keyed && is_found));
                }
            }
        }
    }
    if extra == Extra::Equal {
        other.clear();
    }
    found.extend(other.into_iter().map(|(key, row)| (key, DifferenceKind::Extra, row.total(), row.key, is_found)));
    found.sort_by(|one, other| one.3.cmp(&other.3).then(one.0.cmp(&other.0)));
    let mut described = 0;
    for (key, kind, times, literals, is_one) in found {
        let names = sql[0].key.iter().map(|column| column.quoted().to_owned());
        let mut difference = Difference { kind, times, key: names.zip(literals).collect(), values: Vec::new() };
        // Read once more: a row that was being changed may be equal by now. Of several rows with one key it is not known which to read.
        if described < describe && is_one {
            if !read_values(connections, sql, conditions, &key, &mut difference)? {
                continue;
            }
            described += 1;
        }
        each(difference)?;
    }
    Ok(described)
}

impl Found {
    fn total(&self) -> u64 {
        self.digests.values().sum()
    }

    /// How many rows there are more than `other` has of them.
    fn beyond(&self, other: &Self) -> u64 {
        let n_other = |digest| other.digests.get(digest).copied().unwrap_or_default();
        self.digests.iter().map(|(digest, n)| n.saturating_sub(n_other(digest))).sum()
    }
}

fn rows(connection: &mut Connection, sql: &Sql, condition: &str) -> Result<HashMap<String, Found>> {
    let literals: Vec<_> = sql.key.iter().map(|column| format!(",{}", column.literal())).collect();
    let documents: String = sql.documents.iter().map(|document| format!(",{document}")).collect();
    let query = format!(
        "SELECT {},{}{}{documents} FROM {} WHERE {condition}",
        sql.key_digest,
        sql.digest,
        literals.concat(),
        sql.table
    );
    let mut found = HashMap::<String, Found>::new();
    connection.query_each(&query, (), |row| {
        let text = |at: usize| row.get::<Option<String>>(at).map(Option::unwrap_or_default);
        let key = text(0)?;
        let digest = digest(&row, 1, 2 + sql.key.len(), sql)?;
        let Some(digest) = digest.filter(|_| !key.is_empty()) else { return Err(no_digest(&sql.table)) };
        let row = match found.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let key = (0..sql.key.len()).map(|i| text(2 + i)).collect::<Result<_>>()?;
                entry.insert(Found { digests: HashMap::new(), key })
            }
        };
        *row.digests.entry(digest).or_default() += 1;
        Ok(())
    })?;
    Ok(found)
}

/// The digest of a row, with its documents, which begin at a column of the result; `None`: the server could not compute it.
pub(super) fn digest(row: &Row<'_>, at: usize, documents_at: usize, sql: &Sql) -> Result<Option<String>> {
    let digest = row.get::<Option<String>>(at)?;
    let Some(of_server) = digest.as_deref().filter(|_| !sql.documents.is_empty()) else { return Ok(digest) };
    let mut whole = RowDigest::new(of_server.as_bytes());
    for i in 0..sql.documents.len() {
        whole.add(row.get::<Option<Vec<u8>>>(documents_at + i)?.as_deref());
    }
    Ok(Some(whole.finish()))
}

/// A value of a row that differs.
struct Shown {
    literal: String,
    /// Of a document, which both servers write in another way.
    document: Option<Vec<u8>>,
}

impl Shown {
    fn differs(&self, other: &Self) -> bool {
        match (&self.document, &other.document) {
            (Some(one), Some(other)) => !Compared::is_same_document(one, other),
            _ => self.literal != other.literal,
        }
    }
}

/// Reads the values of a row on both sides. Returns whether they still differ.
fn read_values(
    connections: &mut Connections,
    sql: &[Sql; 2],
    conditions: &[String; 2],
    key: &str,
    difference: &mut Difference,
) -> Result<bool> {
    // By the key, so that an index helps; the digest decides.
    let by_key: String = difference.key.iter().map(|(column, value)| format!(" AND {column} <=> {value}")).collect();
    let [one, other] = connections.both(|connection, side| {
        let (sql, condition) = (&sql[side], &conditions[side]);
        let literals: Vec<_> = sql.columns.iter().map(Compared::literal).collect();
        let query = format!(
            "SELECT {},{}{} FROM {} WHERE {condition}{by_key} AND {} = '{key}' LIMIT 1",
            sql.digest,
            literals.join(","),
            sql.documents.iter().map(|document| format!(",{document}")).collect::<String>(),
            sql.table,
            sql.key_digest
        );
        let mut found: Option<(Option<String>, Vec<Shown>)> = None;
        connection.query_each(&query, (), |row| {
            let n = sql.columns.len();
            let text = |at: usize| row.get::<Option<String>>(at).map(Option::unwrap_or_default);
            let mut at = n;
            let shown = |(i, column): (usize, &Compared)| {
                let literal = text(1 + i)?;
                if column.document().is_none() {
                    return Ok(Shown { literal, document: None });
                }
                at += 1;
                Ok(Shown { literal, document: row.get::<Option<Vec<u8>>>(at)? })
            };
            let values = sql.columns.iter().enumerate().map(shown).collect::<Result<_>>()?;
            found = Some((digest(&row, 0, 1 + n, sql)?, values));
            Ok(())
        })?;
        Ok(found)
    })?;
    let is_keyed = !sql[0].key.is_empty();
    let names = || sql[0].columns.iter().map(|column| column.quoted().to_owned());
    difference.values = match (one, other) {
        (None, None) => return Ok(false),
        (Some((_, one)), None) => {
            difference.kind = DifferenceKind::Missing;
            names().zip(one).map(|(name, value)| (name, Some(value.literal), None)).collect()
        }
        (None, Some((_, other))) => {
            difference.kind = DifferenceKind::Extra;
            names().zip(other).map(|(name, value)| (name, None, Some(value.literal))).collect()
        }
        (Some((digest, _)), Some((of_other, _))) if is_keyed && digest == of_other => return Ok(false),
        (Some((_, one)), Some((_, other))) if is_keyed => {
            difference.kind = DifferenceKind::Different;
            names()
                .zip(one.into_iter().zip(other))
                .filter(|(_, (one, other))| one.differs(other))
                .map(|(name, (one, other))| (name, Some(one.literal), Some(other.literal)))
                .collect()
        }
        // Both have it, one of them more often.
        (Some((_, one)), Some(_)) => names().zip(one).map(|(name, value)| (name, Some(value.literal), None)).collect(),
    };
    Ok(true)
}

/// A digest that is NULL would be left out of sums.
pub(super) fn no_digest(table: &str) -> Error {
    Error::new(crate::Kind::Server, format!("the server could not compute the digest of a row of {table}"))
        .with_hint("a row longer than its max_allowed_packet? `--columns` leaves long columns out")
}
