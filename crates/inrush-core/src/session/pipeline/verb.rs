//! The effect of a statement's text on transactions, as far as a pipeline must know it before it sends the text.

use crate::sql::{Dialect, Lexeme, Lexer};

/// The effect of a statement on transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// BEGIN, START TRANSACTION.
    Begin,
    /// COMMIT.
    Commit,
    /// ROLLBACK, but not to a savepoint.
    Rollback,
    /// None of these. DDL commits as well; the status of its reply says so.
    Other,
}

impl Verb {
    /// Reads the first words. If a text has several statements, only the first counts. The content of a `/*! */` counts: it is executed,
    /// perhaps only from some version on.
    pub fn of(sql: &[u8]) -> Self {
        // These words come before any text in quotes, so the dialect does not matter.
        let tokens = Lexer::new(sql, Dialect::default());
        let mut words = tokens.filter(|token| !is_blank(token.lexeme)).map(|token| &sql[token.range]);
        let is = |word: Option<&[u8]>, want: &str| word.is_some_and(|word| word.eq_ignore_ascii_case(want.as_bytes()));
        let first = words.next();
        if is(first, "COMMIT") {
            return Self::Commit;
        }
        if is(first, "BEGIN") {
            return if is(words.next(), "NOT") { Self::Other } else { Self::Begin };
        }
        if is(first, "START") {
            return if is(words.next(), "TRANSACTION") { Self::Begin } else { Self::Other };
        }
        if is(first, "ROLLBACK") {
            let next = words.next();
            let is_to_savepoint = is(next, "TO") || is(next, "WORK") && is(words.next(), "TO");
            return if is_to_savepoint { Self::Other } else { Self::Rollback };
        }
        Self::Other
    }
}

fn is_blank(lexeme: Lexeme) -> bool {
    matches!(lexeme, Lexeme::Blank | Lexeme::Comment | Lexeme::OpenCondition | Lexeme::CloseCondition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(want: Verb, texts: &[&str]) {
        for text in texts {
            assert_eq!(Verb::of(text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn commits() {
        check(Verb::Commit, &["COMMIT", "commit", " \t\nCoMMit;", "COMMIT AND CHAIN", "COMMIT WORK"]);
        check(Verb::Commit, &["/* x */COMMIT", "# x\nCOMMIT", "-- x\nCOMMIT", "/*!COMMIT*/", "/*!80000 COMMIT */"]);
        check(Verb::Commit, &["/*M!100100 COMMIT*/", "/**/ /**/commit", "--\u{1}x\nCOMMIT"]);
    }
    #[test]
    fn begins() {
        check(Verb::Begin, &["BEGIN", "begin work", "START TRANSACTION", "start /* */ transaction READ ONLY"]);
        check(Verb::Other, &["BEGIN NOT ATOMIC SELECT 1; END", "START SLAVE"]);
    }
    #[test]
    fn rollbacks() {
        check(Verb::Rollback, &["ROLLBACK", "rollback work", "ROLLBACK AND CHAIN"]);
        check(Verb::Other, &["ROLLBACK TO a", "ROLLBACK WORK TO SAVEPOINT a", "rollback to savepoint a"]);
    }
    #[test]
    fn others() {
        check(Verb::Other, &["", " ", "/*", "/* COMMIT */", "-- COMMIT", "--COMMIT", "SELECT 'COMMIT'", "COMMITS"]);
        check(Verb::Other, &["XA COMMIT 'a'", "commit_it()", "`COMMIT`", "#", "-", "/", "é"]);
    }
}
