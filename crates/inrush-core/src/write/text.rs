//! Rows as text: many in one INSERT.

use super::Insert;
use super::repeat::{Pieces, Repeat, check_quotes};
use super::row_source::RowSource;
use super::template::Template;
use super::{Limits, Next, Writer};
use crate::error::Result;
use crate::session::Statement;
use std::ops::Range;

/// `INSERT .. VALUES (..),(..),(..)`.
#[derive(Clone, Debug)]
pub struct MultiRow(Repeat);

impl MultiRow {
    /// `backslash_escapes` is false where the session is in NO_BACKSLASH_ESCAPES.
    ///
    /// # Errors
    /// `Config` for a statement that cannot carry many rows.
    pub fn new(statement: &Statement, template: &Template, limits: Limits, backslash_escapes: bool) -> Result<Self> {
        check_quotes(statement, backslash_escapes)?;
        let range = template.multi_row(statement)?.range.clone();
        let end = template.end().unwrap_or(range.end);
        Ok(Self(Repeat {
            head: statement.sql()[..range.start].into(),
            row: Pieces::new(statement, range.clone()),
            tail: [&statement.sql()[range.end..end], template.comment_behind(statement)].concat().into(),
            limits,
            backslash_escapes,
        }))
    }

    /// For the INSERT of a mapping, in a session in which backslashes escape or not.
    pub fn of_insert(insert: &Insert, limits: Limits, backslash_escapes: bool) -> Self {
        let Insert { statement, list, .. } = insert;
        let sql = statement.sql();
        Self(Repeat {
            head: sql[..list.start].into(),
            row: Pieces::new(statement, list.clone()),
            tail: sql[list.end..].into(),
            limits,
            backslash_escapes,
        })
    }

    /// A statement of the first rows of `range`, as [`Writer::next`] makes it.
    ///
    /// # Errors
    /// Those of bound values; checked cells have none.
    pub fn statement(&self, rows: RowSource<'_>, range: Range<usize>, spare: Vec<u8>) -> Result<Next> {
        self.0.next(rows, range, spare)
    }
}

impl Writer for MultiRow {
    fn next(&mut self, rows: RowSource<'_>, range: Range<usize>, spare: Vec<u8>) -> Result<Next> {
        self.0.next(rows, range, spare)
    }
}

#[cfg(test)]
pub(super) mod tests;
