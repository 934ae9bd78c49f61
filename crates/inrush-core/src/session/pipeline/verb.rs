//! The effect of a statement's text on transactions, as far as a pipeline must know it before it sends the text.

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
    /// Reads the first words, after blanks and comments. If a text has several statements, only the first counts.
    pub fn of(sql: &[u8]) -> Self {
        let (first, rest) = word(sql);
        let (second, rest) = word(rest);
        let is = |word: &[u8], want: &str| word.eq_ignore_ascii_case(want.as_bytes());
        if is(first, "COMMIT") {
            Self::Commit
        } else if is(first, "BEGIN") && !is(second, "NOT") || is(first, "START") && is(second, "TRANSACTION") {
            Self::Begin
        } else if is(first, "ROLLBACK") && !is(second, "TO") && !(is(second, "WORK") && is(word(rest).0, "TO")) {
            Self::Rollback
        } else {
            Self::Other
        }
    }
}

/// Returns the next word and the text after it. Any other character is a word of its own.
fn word(sql: &[u8]) -> (&[u8], &[u8]) {
    let sql = skip_blanks(sql);
    let n = sql.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
    sql.split_at(n.max(1).min(sql.len()))
}

fn skip_blanks(mut sql: &[u8]) -> &[u8] {
    loop {
        sql = match sql {
            [c, rest @ ..] if c.is_ascii_whitespace() || *c == 0x0B => rest,
            // The content of such a comment is executed, perhaps only from some version on.
            [b'/', b'*', b'!', rest @ ..] | [b'/', b'*', b'M', b'!', rest @ ..] => {
                &rest[rest.iter().take_while(|c| c.is_ascii_digit()).count()..]
            }
            [b'/', b'*', rest @ ..] => behind(rest, b"*/"),
            [b'#', rest @ ..] => behind(rest, b"\n"),
            [b'-', b'-', c, ..] if c.is_ascii_whitespace() => behind(sql, b"\n"),
            // The end of an executed comment.
            [b'*', b'/', rest @ ..] => rest,
            _ => return sql,
        };
    }
}

fn behind<'a>(sql: &'a [u8], end: &[u8]) -> &'a [u8] {
    let at = sql.windows(end.len()).position(|bytes| bytes == end);
    at.map_or(&[], |at| &sql[at + end.len()..])
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
        check(Verb::Commit, &["/*M!100100 COMMIT*/", "/**/ /**/commit"]);
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
