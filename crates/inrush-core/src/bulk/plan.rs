//! The plan: which field of a source goes into which column of the table. Every mistake of a mapping is found up front, and
//! all of them are told at once.

use super::{FieldUse, Mode, Taker};
use crate::error::{Error, Result};
use crate::value::column::{Column, ColumnType};

/// A target table as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The schema (database) it lives in.
    pub schema: String,
    /// Its name as the server spells it.
    pub name: String,
    /// Its storage engine; empty if the server does not tell.
    pub engine: String,
    /// Whether the engine has transactions.
    pub transactional: bool,
    /// Its columns in order.
    pub columns: Vec<Column>,
}

/// What to do with one field of a source, from `--columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldTarget {
    /// It goes into the column of this name.
    Column(String),
    /// `@name`: it goes nowhere.
    Skip,
}

impl FieldTarget {
    /// Reads a `--columns` list: `a,b,@skip`.
    pub fn parse_list(list: &str) -> Result<Vec<FieldTarget>> {
        list.split(',')
            .map(|item| match item.trim() {
                "" => Err(Error::config(format!("`--columns {list}` has an empty name"))
                    .with_hint("write `@skip` for a field that goes nowhere")),
                skipped if skipped.starts_with('@') => Ok(FieldTarget::Skip),
                name => Ok(FieldTarget::Column(name.trim_matches('`').to_owned())),
            })
            .collect()
    }
}

/// How the fields of a source are matched to columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matching {
    /// By the names in the header.
    ByName,
    /// In order: the file has no header.
    ByPosition,
    /// As `--columns` says, in order.
    Listed(Vec<FieldTarget>),
}

/// Which fields of a source are read, and which column each becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The fields to read, in the order of `columns`.
    pub uses: Vec<FieldUse>,
    /// The target columns, in the order of the statement's column list.
    pub columns: Vec<Column>,
}

impl Plan {
    /// Maps the fields of `source` onto `table`, or names every mistake at once. A mode that makes no rows needs no values for them.
    pub fn new(source: &str, fields: &[String], matching: &Matching, table: &Table, mode: Mode) -> Result<Plan> {
        let mut mistakes = Vec::new();
        let targets = match matching {
            Matching::ByName => by_name(fields, table, &mut mistakes),
            Matching::ByPosition => by_position(fields, table, &mut mistakes),
            Matching::Listed(listed) => by_list(fields, listed, table, &mut mistakes),
        };
        named_twice(&targets, &mut mistakes);
        for (_, column) in &targets {
            if column.generated {
                mistakes.push(format!("column `{}` is generated and takes no value", column.name));
            }
        }
        // A wrong count or an unknown name usually leaves columns uncovered as well: one mistake, said once.
        if mistakes.is_empty() {
            let makes_rows = !matches!(mode, Mode::Update | Mode::Delete);
            let missing = |c: &&Column| {
                makes_rows && !c.optional && !c.generated && !targets.iter().any(|(_, t)| t.name == c.name)
            };
            for column in table.columns.iter().filter(missing) {
                mistakes.push(format!("column `{}` is NOT NULL without a default, and no field fills it", column.name));
            }
            if targets.is_empty() {
                mistakes.push("no field goes into any column".into());
            }
        }
        if !mistakes.is_empty() {
            let head = format!("`{source}` does not fit table `{}`", table.name);
            let list = mistakes.iter().map(|m| format!("\n  - {m}")).collect::<String>();
            return Err(Error::config(head + ":" + &list).with_hint(
                "`--columns a,b,@skip` names the column of each field in order; `--no-header` if line 1 is data",
            ));
        }
        let field_use =
            |&(index, c): &(usize, &Column)| FieldUse { index, empty_is_null: empty_is_null(c), taker: taker(&c.ty) };
        let uses = targets.iter().map(field_use).collect();
        Ok(Plan { uses, columns: targets.into_iter().map(|(_, column)| column.clone()).collect() })
    }

    /// Drops the fields of all columns but these: a delete needs nothing but its key.
    pub fn keep(&mut self, columns: &[String]) {
        let kept: Vec<bool> = self.columns.iter().map(|column| columns.contains(&column.name)).collect();
        let mut is_kept = kept.iter();
        self.uses.retain(|_| is_kept.next() == Some(&true));
        let mut is_kept = kept.iter();
        self.columns.retain(|_| is_kept.next() == Some(&true));
    }
}

/// Empty text is a value; an empty number or date is none. AUTO_INCREMENT makes its own from NULL.
fn empty_is_null(column: &Column) -> bool {
    let text = matches!(
        column.ty,
        ColumnType::Char { .. }
            | ColumnType::VarChar { .. }
            | ColumnType::Text { .. }
            | ColumnType::Binary { .. }
            | ColumnType::VarBinary { .. }
            | ColumnType::Blob { .. }
            | ColumnType::Other(_)
    );
    !text && (column.nullable || column.auto_increment)
}

fn taker(ty: &ColumnType) -> Taker {
    match ty {
        ColumnType::Int { .. } | ColumnType::Decimal { .. } | ColumnType::Bit { .. } => Taker::Integer,
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => Taker::Bytes,
        ColumnType::Uuid => Taker::Uuid,
        ColumnType::Json => Taker::Json,
        _ => Taker::Text,
    }
}

type Targets<'a> = Vec<(usize, &'a Column)>;

fn by_name<'a>(fields: &[String], table: &'a Table, mistakes: &mut Vec<String>) -> Targets<'a> {
    let mut targets = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        match find(table, field) {
            Some(column) => targets.push((index, column)),
            None => mistakes.push(unknown_column("field", field, table)),
        }
    }
    targets
}

fn by_position<'a>(fields: &[String], table: &'a Table, mistakes: &mut Vec<String>) -> Targets<'a> {
    let takers: Vec<&Column> = table.columns.iter().filter(|column| !column.generated).collect();
    if takers.len() != fields.len() {
        mistakes.push(format!(
            "it has {}, and the table has {}",
            count(fields.len(), "field"),
            count(takers.len(), "column")
        ));
        return Vec::new();
    }
    takers.into_iter().enumerate().collect()
}

fn by_list<'a>(fields: &[String], listed: &[FieldTarget], table: &'a Table, mistakes: &mut Vec<String>) -> Targets<'a> {
    if listed.len() != fields.len() {
        mistakes.push(format!("it has {}, and `--columns` names {}", count(fields.len(), "field"), listed.len()));
    }
    let mut targets = Vec::new();
    for (index, target) in listed.iter().enumerate() {
        match target {
            FieldTarget::Skip => {}
            FieldTarget::Column(name) => match find(table, name) {
                Some(column) => targets.push((index, column)),
                None => mistakes.push(unknown_column("`--columns`", name, table)),
            },
        }
    }
    targets
}

fn named_twice(targets: &Targets<'_>, mistakes: &mut Vec<String>) {
    for (i, (_, column)) in targets.iter().enumerate() {
        let earlier = targets[..i].iter().filter(|(_, other)| other.name == column.name).count();
        if earlier == 1 {
            mistakes.push(format!("column `{}` is filled by more than one field", column.name));
        }
    }
}

/// Column names are case-insensitive on every server; an exact match wins all the same.
fn find<'a>(table: &'a Table, name: &str) -> Option<&'a Column> {
    let name = name.trim();
    let same = |column: &&Column| column.name.to_lowercase() == name.to_lowercase();
    table.columns.iter().find(|column| column.name == name).or_else(|| table.columns.iter().find(same))
}

fn unknown_column(what: &str, name: &str, table: &Table) -> String {
    match nearest(name, table.columns.iter().map(|column| column.name.as_str())) {
        Some(near) => format!("{what} `{}`: the table has no such column; did you mean `{near}`?", shown(name)),
        None => {
            let known: Vec<_> = table.columns.iter().take(12).map(|c| c.name.as_str()).collect();
            let more = if table.columns.len() > known.len() { ", .." } else { "" };
            format!("{what} `{}`: the table has no such column (it has {}{more})", shown(name), known.join(", "))
        }
    }
}

/// The candidate that `name` is most likely a slip of, if one is near enough.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim().to_lowercase();
    let (steps, near) = candidates.map(|c| (distance(&name, &c.to_lowercase()), c)).min_by_key(|&(steps, _)| steps)?;
    let n_chars = near.chars().count();
    // Fewer steps than characters: a name of one letter is no slip of another.
    (steps <= 1 + n_chars / 4 && steps < n_chars).then_some(near)
}

fn shown(name: &str) -> String {
    let mut short: String = name.chars().take(64).flat_map(char::escape_debug).collect();
    if name.chars().count() > 64 {
        short.push_str("..");
    }
    short
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Levenshtein distance, for "did you mean"; names beyond 64 characters are not worth a guess.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    if b.len() > 64 || a.chars().count() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
