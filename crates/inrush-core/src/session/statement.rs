//! A statement as the user writes it: text with placeholders, `?` or `:name`. It belongs to no connection.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::sql::{Dialect, Lexeme, Lexer, Token};

/// A statement with placeholders. Cheap to clone, and valid for every connection: each prepares it once for itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Statement(Arc<Text>);

#[derive(PartialEq, Eq)]
struct Text {
    /// With `?` for each placeholder.
    sql: Box<str>,
    names: Vec<Box<str>>,
    /// The positions in `sql` of each `?`.
    marks: Vec<usize>,
    /// How the quotes in it are read.
    dialect: Dialect,
}

impl Statement {
    /// Reads a text whose placeholders are all `?` or all `:name`. Text in quotes or comments is no placeholder.
    ///
    /// Whether a backslash escapes depends on the session (NO_BACKSLASH_ESCAPES, ANSI_QUOTES), which the text does not show. Of a text
    /// with a backslash the reading is taken in which no quote stays open.
    ///
    /// # Errors
    /// `Config` for `?` together with `:name`.
    pub fn new(sql: &str) -> Result<Self> {
        let text = match memchr::memchr(b'\\', sql.as_bytes()) {
            None => Text::read(sql, Dialect::default()).0,
            Some(_) => Text::read_with_backslashes(sql),
        };
        if !text.names.is_empty() && text.marks.len() > text.names.len() {
            return Err(Error::config(format!("the statement has both `?` and `:{}`", text.names[0]))
                .with_hint("placeholders are all of one kind"));
        }
        Ok(Self(Arc::new(text)))
    }

    /// Builds a statement from a text whose placeholders are known; `marks` are their positions.
    pub(crate) fn with_marks(sql: String, marks: Vec<usize>) -> Self {
        debug_assert!(marks.iter().all(|mark| sql.as_bytes()[*mark] == b'?'));
        Self(Arc::new(Text { sql: sql.into(), names: Vec::new(), marks, dialect: Dialect::default() }))
    }

    /// Returns this statement with a range of it written `n` times, with commas in between. It holds all placeholders, which are
    /// `?` then.
    pub(crate) fn repeated(&self, stretch: Range<usize>, n: usize) -> Self {
        let (before, text, behind) =
            (&self.sql()[..stretch.start], &self.sql()[stretch.clone()], &self.sql()[stretch.end..]);
        let mut sql = String::with_capacity(before.len() + n * (text.len() + 1) + behind.len());
        sql += before;
        for i in 0..n {
            sql += if i > 0 { "," } else { "" };
            sql += text;
        }
        sql += behind;
        let step = text.len() + 1;
        let marks = (0..n).flat_map(|i| self.marks().iter().map(move |mark| mark + i * step)).collect();
        Self::with_marks(sql, marks)
    }

    /// The text as it is prepared, with `?` for each placeholder.
    pub fn sql(&self) -> &str {
        &self.0.sql
    }

    /// Returns the positions in [`Statement::sql`] of the `?` of each placeholder, in order.
    pub fn marks(&self) -> &[usize] {
        &self.0.marks
    }

    /// How the quotes in it are read.
    pub(crate) fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// The name of each placeholder, in order; nothing where they are `?`.
    pub fn names(&self) -> &[Box<str>] {
        &self.0.names
    }
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Statement").field(&self.sql()).finish()
    }
}

impl Text {
    /// Finds the placeholders, and returns whether quotes and backslashes are as a statement may have them: no quote stays open, and
    /// no backslash is outside of quotes.
    fn read(sql: &str, dialect: Dialect) -> (Self, bool) {
        let mut text = String::with_capacity(sql.len());
        let (mut names, mut marks) = (Vec::new(), Vec::new());
        let (mut may_be_statement, mut is_in_comment) = (true, false);
        // What comes before it in `sql` is in `text`.
        let mut end = 0;
        let mut lexer = Lexer::new(sql.as_bytes(), dialect);
        loop {
            lexer.skip_plain();
            let Some(Token { lexeme, range }) = lexer.next() else { break };
            match lexeme {
                Lexeme::Blank | Lexeme::Word | Lexeme::Quoted(_) | Lexeme::Comment => {}
                Lexeme::OpenCondition => is_in_comment = !is_executed_by_all(&sql[range]),
                Lexeme::CloseCondition => is_in_comment = false,
                Lexeme::Unclosed(_) => may_be_statement = false,
                // `\\N` is NULL to some servers.
                Lexeme::Symbol(b'\\') => may_be_statement &= sql[range.end..].starts_with('N'),
                Lexeme::Symbol(b'?') if !is_in_comment => marks.push(text.len() + range.start - end),
                Lexeme::Symbol(b':') if !is_in_comment => {
                    let n = name_length(&sql[range.end..]);
                    // `12:30` is no name, `a::b` holds none.
                    if n > 0 && (range.start == 0 || sql.as_bytes()[range.start - 1] != b':') {
                        text.push_str(&sql[end..range.start]);
                        marks.push(text.len());
                        text.push('?');
                        names.push(sql[range.end..range.end + n].into());
                        end = range.end + n;
                    }
                }
                Lexeme::Symbol(_) => {}
            }
        }
        text.push_str(&sql[end..]);
        (Self { sql: text.into(), names, marks, dialect }, may_be_statement)
    }

    /// The reading of a text with backslashes that may be a statement. If two may, they agree (a test searches for others); if none may,
    /// the server reports what is wrong.
    fn read_with_backslashes(sql: &str) -> Self {
        let mut readings = Dialect::ALL.iter().map(|dialect| Self::read(sql, *dialect));
        let found = readings.find_map(|(text, may_be_statement)| may_be_statement.then_some(text));
        found.unwrap_or_else(|| Self::read(sql, Dialect::default()).0)
    }
}

/// The length of a name: a letter or `_`, then letters, digits and `_`.
fn name_length(text: &str) -> usize {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    match text.chars().next() {
        Some(first) if is_of_name(first) && !first.is_numeric() => text.find(|c| !is_of_name(c)).unwrap_or(text.len()),
        _ => 0,
    }
}

/// Whether every server executes the content of a comment with this mark. MariaDB ignores those for MySQL 5.7 and later; a placeholder in
/// a comment that depends on the server is not found.
fn is_executed_by_all(mark: &str) -> bool {
    let Some(version) = mark.strip_prefix("/*!") else { return false };
    version.is_empty() || version.parse::<u32>().is_ok_and(|version| version < 50_700)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sql: &str, want: &str, names: &[&str]) {
        let statement = Statement::new(sql).unwrap();
        assert_eq!(statement.sql(), want);
        assert_eq!(statement.names().iter().map(|name| &**name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn marks_stay() {
        check("SELECT ? + ?", "SELECT ? + ?", &[]);
    }
    #[test]
    fn names_become_marks() {
        check(
            "INSERT INTO t (a, b) VALUES (:a, :b_2), (:a,:B)",
            "INSERT INTO t (a, b) VALUES (?, ?), (?,?)",
            &["a", "b_2", "a", "B"],
        );
        check(":größe;", "?;", &["größe"]);
        check(":a🦀 :a-:b", "?🦀 ?-?", &["a", "a", "b"]);
    }
    #[test]
    fn not_in_quotes() {
        check("SELECT ':a', \":b\", `:c`, :d", "SELECT ':a', \":b\", `:c`, ?", &["d"]);
        check(r"SELECT 'it''s :a \' :b', :c", r"SELECT 'it''s :a \' :b', ?", &["c"]);
        check("SELECT 'open :a", "SELECT 'open :a", &[]);
        check(r"SELECT 'ends\", r"SELECT 'ends\", &[]);
    }
    #[test]
    fn not_in_comments() {
        check("SELECT 1 -- :a\n, :b # :c\n/* :d */ /* :e", "SELECT 1 -- :a\n, ? # :c\n/* :d */ /* :e", &["b"]);
        check("SELECT 5--:a", "SELECT 5--?", &["a"]);
        check("SELECT 6/:a", "SELECT 6/?", &["a"]);
    }
    #[test]
    fn in_comments_that_every_server_executes() {
        check("SELECT 1 /*! + :a */", "SELECT 1 /*! + ? */", &["a"]);
        check("SELECT 1 /*!50100 + :a */, :b", "SELECT 1 /*!50100 + ? */, ?", &["a", "b"]);
        check("SELECT 1 /*!80000 + :a */, /*M! :b */ :c", "SELECT 1 /*!80000 + :a */, /*M! :b */ ?", &["c"]);
    }
    #[test]
    fn the_reading_that_may_be_a_statement_is_taken() {
        check(r"SELECT '\', :a, 'b'", r"SELECT '\', ?, 'b'", &["a"]);
        check(r#"SELECT "\", :a, "b", 'it\'s :c'"#, r#"SELECT "\", ?, "b", 'it\'s :c'"#, &["a"]);
        check(r"SELECT 'it\'s', :a", r"SELECT 'it\'s', ?", &["a"]);
        check(r"SELECT '\\', :a, '\n'", r"SELECT '\\', ?, '\n'", &["a"]);
    }
    #[test]
    fn readings_that_may_be_statements_agree() {
        let alphabet = b"''`\"\\?,";
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % below).unwrap()
        };
        let mut n_statements = 0;
        for _ in 0..100_000 {
            let length = 4 + random(14);
            let sql: String = (0..length).map(|_| char::from(alphabet[random(alphabet.len() as u64)])).collect();
            let readings = Dialect::ALL.map(|dialect| Text::read(&sql, dialect));
            let marks: Vec<_> = readings.iter().filter(|(_, may_be)| *may_be).map(|(text, _)| &text.marks).collect();
            assert!(marks.windows(2).all(|pair| pair[0] == pair[1]), "{sql}");
            n_statements += marks.len();
        }
        assert!(n_statements > 1000, "{n_statements}");
    }
    #[test]
    fn not_where_a_colon_means_something_else() {
        check("SET @a := 1, @b:=:b", "SET @a := 1, @b:=?", &["b"]);
        check("SELECT '12:30', 12:30, a::b", "SELECT '12:30', 12:30, a::b", &[]);
    }
    #[test]
    fn other_alphabets() {
        check("SELECT 'ä€🦀', ä, :a ä", "SELECT 'ä€🦀', ä, ? ä", &["a"]);
    }
    #[test]
    fn both_kinds_are_refused() {
        assert!(Statement::new("SELECT ?, :a").is_err());
    }
}
