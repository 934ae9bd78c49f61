//! Rows as text: many in one INSERT, or a statement a row.

use super::repeat::{Pieces, Repeat, check_quotes};
use super::{Limits, Next, Writer};
use crate::bulk::template::Template;
use crate::convert::BoundRows;
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
            separator: b',',
            tail: [&statement.sql()[range.end..end], template.comment_behind(statement)].concat().into(),
            limits,
            backslash_escapes,
        }))
    }
}

impl Writer for MultiRow {
    fn next(&mut self, rows: &dyn BoundRows, range: Range<usize>) -> Result<Next> {
        self.0.next(rows, range)
    }
}

/// A statement a row.
#[derive(Clone, Debug)]
pub struct Row(Repeat);

impl Row {
    /// `backslash_escapes` is false where the session is in NO_BACKSLASH_ESCAPES.
    ///
    /// # Errors
    /// `Config` for a statement that is read in two ways without backslashes that escape.
    pub fn new(statement: &Statement, limits: Limits, backslash_escapes: bool) -> Result<Self> {
        check_quotes(statement, backslash_escapes)?;
        let template = Template::parse(statement);
        Ok(Self(Repeat {
            head: Vec::new(),
            row: Pieces::new(statement, 0..template.end().unwrap_or(statement.sql().len())),
            separator: b';',
            tail: template.comment_behind(statement).into(),
            limits: Limits { rows: 1, ..limits },
            backslash_escapes,
        }))
    }
}

impl Writer for Row {
    fn next(&mut self, rows: &dyn BoundRows, range: Range<usize>) -> Result<Next> {
        self.0.next(rows, range)
    }
}

#[cfg(test)]
pub(super) mod tests;
