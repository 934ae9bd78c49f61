//! Several statements in one text, joined by `;`: one a row. The server answers each of them, up to the first that fails.

use super::repeat::{Pieces, Repeat, check_quotes};
use super::row_source::RowSource;
use super::template::Template;
use super::{Limits, Next, Writer};
use crate::error::{Error, Result};
use crate::session::Statement;
use std::ops::Range;

/// `UPDATE ..;UPDATE ..`.
#[derive(Clone, Debug)]
pub struct MultiStatement(Repeat);

impl MultiStatement {
    /// `backslash_escapes` is false where the session is in NO_BACKSLASH_ESCAPES.
    ///
    /// # Errors
    /// `Config` for a text that is not one whole statement.
    pub fn new(statement: &Statement, template: &Template, limits: Limits, backslash_escapes: bool) -> Result<Self> {
        check_quotes(statement, backslash_escapes)?;
        let Some(end) = template.end() else {
            return Err(Error::config("the statement leaves quotes or a comment open"));
        };
        if template.is_several() {
            return Err(Error::config("the text has several statements"));
        }
        if end == 0 {
            return Err(Error::config("the statement is empty"));
        }
        Ok(Self(Repeat {
            head: Vec::new(),
            row: Pieces::new(statement, 0..end),
            separator: b';',
            tail: template.comment_behind(statement).into(),
            limits,
            backslash_escapes,
        }))
    }
}

impl Writer for MultiStatement {
    fn next(&mut self, rows: RowSource<'_>, range: Range<usize>, spare: Vec<u8>) -> Result<Next> {
        self.0.next(rows, range, spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::text::tests::{LIMITS, commands};

    #[track_caller]
    fn check(sql: &str, n_rows: i64, limits: Limits, want: &[&str]) {
        let statement = Statement::new(sql).unwrap();
        let writer = MultiStatement::new(&statement, &Template::parse(&statement), limits, true).unwrap();
        let rows: Vec<_> = (0..n_rows).map(|n| (n, "a")).collect();
        assert_eq!(commands(writer, &rows), want);
    }

    #[track_caller]
    fn check_refused(sql: &str, want: &str) {
        let statement = Statement::new(sql).unwrap();
        let error = MultiStatement::new(&statement, &Template::parse(&statement), LIMITS, true).unwrap_err();
        assert_eq!(error.message(), want);
    }

    #[test]
    fn joined() {
        check("CALL p(?, ?)", 2, LIMITS, &["CALL p(0,'a');CALL p(1,'a')"]);
        check("DO ?+?;", 2, LIMITS, &["DO 0+'a';DO 1+'a'"]);
        check("DO ?+? -- c", 2, LIMITS, &["DO 0+'a';DO 1+'a' -- c"]);
        check("DO ?+? # c\n;", 2, LIMITS, &["DO 0+'a';DO 1+'a'"]);
    }
    #[test]
    fn cut() {
        check("DO ?+?", 3, Limits { rows: 2, ..LIMITS }, &["DO 0+'a';DO 1+'a'", "DO 2+'a'"]);
        check("DO ?+?", 3, Limits { bytes: 17, ..LIMITS }, &["DO 0+'a';DO 1+'a'", "DO 2+'a'"]);
        check("DO ?+?", 3, Limits { bytes: 16, ..LIMITS }, &["DO 0+'a'", "DO 1+'a'", "DO 2+'a'"]);
    }
    #[test]
    fn what_is_not_one_statement_is_refused() {
        check_refused("DO ?; DO ?", "the text has several statements");
        check_refused("DO 'a", "the statement leaves quotes or a comment open");
        check_refused("DO /*! 1", "the statement leaves quotes or a comment open");
        check_refused("-- nothing", "the statement is empty");
    }
}
