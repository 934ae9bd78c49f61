//! Indexes that are dropped before a load and rebuilt after it.
//!
//! Unique keys stay, because they decide which rows are stored, except where the server is to sort ([`keyless`](super::keyless)).
//! Indexes that a foreign key or an AUTO_INCREMENT column may need stay too, and so do those with a definition that cannot be
//! parsed. The definitions in the ledger are parsed strictly and written again from the parsed values; their text is never run.

mod definition;

use crate::column::ident::{ident, quote_ident};
use crate::error::{Error, Kind, Result};
use crate::sql::{Dialect, Lexeme, Lexer};
use definition::{Definition, Key};

/// An index that a load may drop and rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// ``KEY `name` (`a`(5) DESC) COMMENT '..'``, written by us.
    pub definition: String,
    /// The column of its first part; `None` if that is an expression.
    first_column: Option<String>,
    /// Of a key that no two rows share: the values in a row that are compared, as SQL.
    pub(super) unique: Option<Vec<String>>,
}

impl Index {
    /// The indexes of a SHOW CREATE TABLE that are neither primary nor unique, in their order.
    pub fn of_table(create: &str) -> Vec<Index> {
        Self::all_of_table(create).into_iter().filter(|index| index.unique.is_none()).collect()
    }

    /// All indexes of a SHOW CREATE TABLE that are understood, in their order.
    pub fn all_of_table(create: &str) -> Vec<Index> {
        let behind_name = create.find('`').and_then(|at| ident(&create[at..])).map_or("", |(_, behind)| behind);
        let body = behind_name.find('(').map_or("", |at| &behind_name[at + 1..]);
        items(body).into_iter().filter_map(|item| Definition::parse(item).map(Index::of)).collect()
    }

    /// Parses what [`add`] wrote, out of a ledger that others may have changed.
    ///
    /// # Errors
    /// `Guarantee` if it is anything but definitions of indexes, which is not run.
    pub fn stored(text: &str) -> Result<Vec<Index>> {
        let all = Definition::parse_all(text).ok_or_else(|| {
            let shown: String = text.chars().take(SHOWN_CHARS).collect();
            Error::new(
                Kind::Guarantee,
                format!(
                    "the ledger keeps a text that is no list of index definitions, so it is not run: `{}`",
                    shown.escape_debug()
                ),
            )
            .with_hint("look at the column `indexes` of `inrush_job`; `inrush load --forget` drops the job, then make missing indexes yourself")
        })?;
        Ok(all.into_iter().map(Index::of).collect())
    }

    /// The same of a job's line, which need not have any.
    ///
    /// # Errors
    /// As [`Index::stored`].
    pub fn stored_of(text: Option<&str>) -> Result<Vec<Index>> {
        text.map_or(Ok(Vec::new()), Index::stored)
    }

    fn of(definition: Definition) -> Index {
        let first_column = match definition.parts.first().map(|part| &part.key) {
            Some(Key::Column { name, .. }) => Some(name.clone()),
            _ => None,
        };
        let is_unique = matches!(definition.kind, definition::Kind::Primary | definition::Kind::Unique);
        let unique = is_unique.then(|| definition.parts.iter().map(definition::Part::value).collect());
        Index { definition: definition.sql(), name: definition.name, first_column, unique }
    }

    /// Whether it is the primary key.
    pub fn is_primary(&self) -> bool {
        self.name == definition::PRIMARY
    }

    /// Whether a load may drop it: `needed` are the first columns of indexes that must stay.
    pub fn may_go(&self, needed: &[String]) -> bool {
        self.first_column.as_ref().is_none_or(|first| !needed.iter().any(|c| c.eq_ignore_ascii_case(first)))
    }
}

/// The definitions as they are added again; they are also stored in this form in between.
pub fn add(indexes: &[Index]) -> String {
    indexes.iter().map(|index| format!("ADD {}", index.definition)).collect::<Vec<_>>().join(",\n")
}

/// Returns one ALTER that drops them all. `table` is quoted.
pub fn drop_statement(table: &str, indexes: &[Index]) -> String {
    format!("ALTER TABLE {table} {}", drops(indexes))
}

/// The clauses of an ALTER that drop them.
pub(super) fn drops(indexes: &[Index]) -> String {
    let drop = |index: &Index| match index.is_primary() {
        true => "DROP PRIMARY KEY".to_owned(),
        false => format!("DROP INDEX {}", quote_ident(&index.name)),
    };
    indexes.iter().map(drop).collect::<Vec<_>>().join(", ")
}

/// Returns one ALTER that makes them all again. InnoDB makes only one FULLTEXT index at a time (1795), so each FULLTEXT index
/// except the first gets an ALTER of its own.
pub fn add_statements(table: &str, indexes: &[Index]) -> Vec<String> {
    let is_fulltext = |index: &Index| index.definition.starts_with("FULLTEXT");
    let first = indexes.iter().position(is_fulltext);
    let of_its_own = |(i, index): &(usize, &Index)| is_fulltext(index) && first != Some(*i);
    let (alone, together): (Vec<_>, Vec<_>) = indexes.iter().enumerate().partition(of_its_own);
    let alter = |indexes: &[Index]| format!("ALTER TABLE {table} {}", add(indexes));
    let together: Vec<Index> = together.into_iter().map(|(_, index)| index.clone()).collect();
    let mut statements = vec![alter(&together)];
    statements.extend(alone.into_iter().map(|(_, index)| alter(std::slice::from_ref(index))));
    statements
}

/// Those of `indexes` that `there` has not, by name.
pub fn missing(indexes: &[Index], there: &[Index]) -> Vec<Index> {
    let is_there = |index: &&Index| there.iter().any(|other| other.name.eq_ignore_ascii_case(&index.name));
    indexes.iter().filter(|index| !is_there(index)).cloned().collect()
}

/// Splits at the commas outside of quotes and brackets, up to the bracket that closes the whole list.
fn items(text: &str) -> Vec<&str> {
    let (mut found, mut from, mut depth) = (Vec::new(), 0, 0_u32);
    let mut end = text.len();
    for token in Lexer::new(text.as_bytes(), Dialect::default()) {
        match token.lexeme {
            Lexeme::Symbol(b'(') => depth += 1,
            Lexeme::Symbol(b')') if depth == 0 => {
                end = token.range.start;
                break;
            }
            Lexeme::Symbol(b')') => depth -= 1,
            Lexeme::Symbol(b',') if depth == 0 => {
                found.push(text[from..token.range.start].trim());
                from = token.range.end;
            }
            _ => {}
        }
    }
    found.push(text[from..end].trim());
    found.retain(|item| !item.is_empty());
    found
}

/// Enough of a refused text to find it.
const SHOWN_CHARS: usize = 200;

#[cfg(test)]
mod tests;
