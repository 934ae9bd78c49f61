//! A statement as the user writes it: text with placeholders, `?` or `:name`. It belongs to no connection.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};

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
}

impl Statement {
    /// Reads a text whose placeholders are all `?` or all `:name`. Text in quotes or comments is no placeholder.
    pub fn new(sql: &str) -> Result<Self> {
        let mut text = String::with_capacity(sql.len());
        let mut names = Vec::new();
        let mut marks = Vec::new();
        let mut rest = sql;
        while let Some(first) = rest.bytes().next() {
            let n = match first {
                b'?' => {
                    marks.push(text.len());
                    1
                }
                b':' => match name_length(&rest[1..]) {
                    // `a := b` is an assignment.
                    0 => 1 + usize::from(rest[1..].starts_with([':', '='])),
                    n => {
                        names.push(rest[1..=n].into());
                        marks.push(text.len());
                        text.push('?');
                        rest = &rest[1 + n..];
                        continue;
                    }
                },
                _ => skip(rest.as_bytes()),
            };
            text.push_str(&rest[..n]);
            rest = &rest[n..];
        }
        if !names.is_empty() && marks.len() > names.len() {
            return Err(Error::config(format!("the statement has both `?` and `:{}`", names[0]))
                .with_hint("placeholders are all of one kind"));
        }
        Ok(Self(Arc::new(Text { sql: text.into(), names, marks })))
    }

    /// Builds a statement from a text whose placeholders are known; `marks` are their positions.
    pub(crate) fn with_marks(sql: String, marks: Vec<usize>) -> Self {
        debug_assert!(marks.iter().all(|mark| sql.as_bytes()[*mark] == b'?'));
        Self(Arc::new(Text { sql: sql.into(), names: Vec::new(), marks }))
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

/// The length of a name: a letter or `_`, then letters, digits and `_`.
fn name_length(text: &str) -> usize {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    match text.chars().next() {
        Some(first) if goes_on(first) && !first.is_numeric() => text.find(|c| !goes_on(c)).unwrap_or(text.len()),
        _ => 0,
    }
}

/// Returns how many bytes from here on hold no placeholder: a quoted text, a comment, or the text before the next candidate. Ends
/// at a character's border.
fn skip(text: &[u8]) -> usize {
    match text {
        [b'\'' | b'"' | b'`', ..] => quoted(text).unwrap_or(text.len()),
        _ => comment(text)
            .unwrap_or_else(|| 1 + text[1..].iter().position(|b| b"?:'\"`#-/".contains(b)).unwrap_or(text.len() - 1)),
    }
}

/// The length of the comment that begins here, if one does.
pub(crate) fn comment(text: &[u8]) -> Option<usize> {
    match text {
        [b'#', ..] => Some(line(text)),
        // Only with a blank after it: `5--3` is 8.
        [b'-', b'-', b' ' | b'\t' | b'\n' | b'\r', ..] | [b'-', b'-'] => Some(line(text)),
        [b'/', b'*', inside @ ..] => Some(2 + memchr::memmem::find(inside, b"*/").map_or(inside.len(), |end| end + 2)),
        _ => None,
    }
}

/// The length of the quoted text that begins here; `None` if it does not end.
pub(crate) fn quoted(text: &[u8]) -> Option<usize> {
    let quote = *text.first()?;
    let mut i = 1;
    while i < text.len() {
        match text[i] {
            // Under NO_BACKSLASH_ESCAPES it would be a character like any other. Then `'\'` is read as unfinished, and a
            // placeholder after it is missed; the server reports that as an error.
            b'\\' if quote != b'`' => i += 1,
            // A doubled quote ends one quoted text and begins the next.
            b if b == quote => return Some(i + 1),
            _ => {}
        }
        i += 1;
    }
    None
}

fn line(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1)
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
