//! What a statement does with its placeholders: which table and columns they go to, and which part of the text one row is.
//!
//! This does not validate SQL. Where it is not certain, it reports nothing: no row, no table or no target, and the statement is
//! sent unchanged, once for each set of values.

mod parser;
mod tokens;

use crate::error::{Error, Result};
use crate::session::Statement;
use parser::Parser;
use std::ops::Range;
use tokens::{Tokens, What};

/// A statement, parsed as far as writing many rows needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// What it begins with.
    pub kind: Kind,
    /// Whether it says IGNORE.
    pub ignore: bool,
    /// Whether it says ON DUPLICATE KEY UPDATE.
    pub on_duplicate: bool,
    /// Whether it gives rows back.
    pub returning: bool,
    /// The one table that it writes to.
    pub table: Option<TableName>,
    /// The columns that an INSERT or REPLACE names, in its order. `None` for all of the table's.
    pub columns: Option<Vec<String>>,
    /// Its VALUES list.
    pub row: Option<RowTemplate>,
    targets: Vec<PlaceholderTarget>,
    /// In the text, the table of an INSERT or REPLACE, with its partitions.
    into: Range<usize>,
    end: Option<usize>,
    is_several: bool,
}

/// What a statement begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// INSERT.
    Insert,
    /// REPLACE.
    Replace,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// Anything else, and several statements in one text.
    Other,
}

/// A table as the statement names it, without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// Its schema, if the statement says it.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
}

/// The VALUES list of an INSERT or REPLACE: what is repeated for each set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTemplate {
    /// In [`Statement::sql`]: from the first `(` to the last `)`.
    pub range: Range<usize>,
    /// How many rows, `(..)`, it has.
    pub n_rows: usize,
    /// What the row consists of. Empty if there are several.
    pub cells: Vec<Cell>,
    /// The placeholders in it.
    pub placeholders: Range<usize>,
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A placeholder and nothing else.
    Placeholder(usize),
    /// DEFAULT.
    Default,
    /// An expression, a literal.
    Other,
}

/// What a placeholder's value is used for, unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceholderTarget {
    /// The column of this name.
    Column(String),
    /// The table's column at this place, counted from 0 and over those that a statement without a column list means.
    Position(usize),
    /// An expression.
    Expression,
}

impl Template {
    /// Parses a statement.
    pub fn parse(statement: &Statement) -> Self {
        let mut template = Self {
            kind: Kind::Other,
            ignore: false,
            on_duplicate: false,
            returning: false,
            table: None,
            columns: None,
            row: None,
            targets: vec![PlaceholderTarget::Expression; statement.marks().len()],
            into: 0..0,
            end: None,
            is_several: false,
        };
        let Some(Tokens { tokens, borders, end }) = Tokens::of(statement) else {
            return template;
        };
        template.end = Some(end);
        let mut parser = Parser::new(statement.sql(), &tokens, &borders);
        template.is_several = tokens.iter().any(|token| token.what == What::Symbol(b';'));
        if template.is_several {
            return template;
        }
        let Some((kind, _)) = KINDS.iter().find(|(_, word)| parser.eat(word)) else {
            return template;
        };
        template.kind = *kind;
        (template.on_duplicate, template.returning) = parser.clauses();
        // The template has what was parsed up to the first mismatch.
        let _ = match kind {
            Kind::Insert | Kind::Replace => parser.insert(&mut template),
            Kind::Update => parser.update(&mut template),
            Kind::Delete | Kind::Other => parser.delete(&mut template),
        };
        template
    }

    /// Returns the VALUES list, if it can be repeated for many rows.
    ///
    /// # Errors
    /// `Config` says why the statement cannot carry many rows.
    pub fn multi_row(&self, statement: &Statement) -> Result<&RowTemplate> {
        let Some(row) = &self.row else {
            let message = match self.kind {
                Kind::Insert | Kind::Replace => "the statement has no VALUES list that could carry many rows",
                Kind::Update => "an UPDATE cannot carry many rows",
                Kind::Delete => "a DELETE cannot carry many rows",
                Kind::Other => "only an INSERT or REPLACE can carry many rows",
            };
            return Err(Error::config(message).with_hint(HINT));
        };
        match (0..statement.marks().len()).find(|number| !row.placeholders.contains(number)) {
            None => Ok(row),
            Some(number) => {
                let name = match statement.names().get(number) {
                    Some(name) => format!("placeholder `:{name}`"),
                    None => format!("placeholder {}", number + 1),
                };
                let message =
                    format!("{name} stands outside of the VALUES list, so many rows cannot share the statement");
                Err(Error::config(message).with_hint(HINT))
            }
        }
    }

    /// What the value of each placeholder is used for.
    pub fn targets(&self) -> &[PlaceholderTarget] {
        &self.targets
    }

    /// The table of an INSERT or REPLACE as its text has it, with its partitions.
    pub fn table_text<'s>(&self, statement: &'s Statement) -> &'s str {
        statement.sql().get(self.into.clone()).unwrap_or_default()
    }

    /// Returns the text after the statement's end, if it is only a comment. If a `;` preceded it, it would be an empty statement
    /// of its own, which a server refuses where several statements may come in one text.
    pub(crate) fn comment_behind<'s>(&self, statement: &'s Statement) -> &'s str {
        let rest = self.end.and_then(|end| statement.sql().get(end..)).unwrap_or_default();
        if rest.contains(';') { "" } else { rest }
    }

    /// Whether the text has several statements.
    pub fn is_several(&self) -> bool {
        self.is_several
    }

    /// Where in the text the statement ends: only `;`, blanks and comments follow. `None` for a text that leaves quotes open.
    pub fn end(&self) -> Option<usize> {
        self.end
    }
}

const KINDS: &[(Kind, &str)] =
    &[(Kind::Insert, "INSERT"), (Kind::Replace, "REPLACE"), (Kind::Update, "UPDATE"), (Kind::Delete, "DELETE")];

const HINT: &str = "`prepared`, `pipelined` and MariaDB's `bulk` take any statement";

#[cfg(test)]
mod tests;
