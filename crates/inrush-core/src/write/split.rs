//! An INSERT or REPLACE of many rows as several statements, each with some of its rows: the text is cut between two rows and never changed.
//!
//! It is cut only where the pieces, run in their order in one transaction, store what the whole would store: its rows consist of literals and of
//! functions whose value depends on their arguments alone. `NOW()`, a variable, a subquery, a placeholder could have another value in a later
//! piece. What servers give to a column by themselves is not seen here: a default of CURRENT_TIMESTAMP is that of its piece.
//!
//! Invariant: the pieces' rows are the statement's, each once and in their order.

use crate::error::Error;
use crate::session::Outcome;
use crate::sql::{Dialect, Lexeme, Lexer, Token};
use std::fmt;
use std::ops::Range;

/// How a long statement is cut. By default into pieces as long as the server takes, which are stored all or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitOptions {
    /// The most bytes of a piece's text; `None` for as many as the server takes.
    pub max_bytes: Option<usize>,
    /// The most rows of a piece; `None` for any number.
    pub max_rows: Option<u64>,
    /// Outside of a transaction each piece is committed by itself: pieces before one that fails stay.
    pub commits_each: bool,
}

impl SplitOptions {
    /// The largest pieces, in one transaction.
    pub fn new() -> Self {
        Self::default()
    }

    /// The limits of a piece on a server that takes statements of so many bytes.
    pub fn limits(&self, statement_bytes: usize) -> PieceLimits {
        PieceLimits {
            max_bytes: self.max_bytes.map_or(statement_bytes, |bytes| bytes.min(statement_bytes)),
            max_rows: self.max_rows.unwrap_or(u64::MAX).max(1),
        }
    }
}

crate::setters!(SplitOptions {
    with_max_bytes => max_bytes: into Option<usize>,
    with_max_rows => max_rows: into Option<u64>,
    with_commits_each => commits_each: as bool,
});

/// What became of a statement that may have been cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitReport {
    /// Rows in its VALUES; of any other statement the rows that it affected.
    pub n_rows: u64,
    /// Affected rows, as the server counts them.
    pub affected: u64,
    /// Warnings, of which the server keeps only those of the last piece.
    pub warnings: u64,
    /// The first id that was generated.
    pub last_insert_id: Option<u64>,
    /// How many statements were sent.
    pub n_statements: u64,
}

impl SplitReport {
    /// That of a statement which was sent whole.
    pub fn of(outcome: &Outcome, n_rows: u64) -> Self {
        let mut report = Self::default();
        report.add(outcome, n_rows);
        report
    }

    /// Adds a piece.
    pub fn add(&mut self, outcome: &Outcome, n_rows: u64) {
        self.n_rows += n_rows;
        self.affected += outcome.affected;
        self.warnings += u64::from(outcome.warnings);
        self.last_insert_id = self.last_insert_id.or(outcome.last_insert_id);
        self.n_statements += 1;
    }
}

/// A statement that may be cut between its rows.
#[derive(Clone, Debug)]
pub struct SplitInsert<'a> {
    sql: &'a [u8],
    dialect: Dialect,
    /// From the verb up to the first row.
    head: Range<usize>,
    /// From the first `(` to the last `)`.
    rows: Range<usize>,
    /// What comes after the rows, without a `;`.
    tail: Range<usize>,
    n_rows: u64,
    /// The number and the bytes of the longest row.
    longest: (u64, usize),
}

/// How large a piece may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceLimits {
    /// Bytes of its text. A row that alone is longer makes a piece of its own.
    pub max_bytes: usize,
    /// Its rows.
    pub max_rows: u64,
}

/// Some rows of the statement, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The number of its first row in the statement, from 1.
    pub first_row: u64,
    /// Its rows in the statement's text.
    rows: Vec<Range<usize>>,
}

/// Why a statement is not cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncut {
    /// It is no INSERT or REPLACE with VALUES, or not only that.
    NoRows,
    /// A value could be another one in another statement.
    Unsteady {
        /// What decides that.
        what: String,
        /// The row, from 1; `None` if it is in what follows the rows.
        row: Option<u64>,
    },
}

impl Uncut {
    /// The error for a statement of so many bytes, where the server takes at most `most`.
    pub fn too_long(&self, bytes: usize, most: usize) -> Error {
        Error::config(format!("the statement has {bytes} bytes, the server takes {most}, and it cannot be cut: {self}"))
            .with_hint(LONGER)
    }
}

const LONGER: &str = "`max_allowed_packet` of the server allows longer ones, up to 1 GiB";

impl fmt::Display for Uncut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => f.write_str("it is no plain INSERT or REPLACE with VALUES"),
            Self::Unsteady { what, row: Some(row) } => {
                write!(f, "the value of `{what}` in row {row} might be another one in another statement")
            }
            Self::Unsteady { what, row: None } => {
                write!(f, "the value of `{what}` after the rows might be another one in another statement")
            }
        }
    }
}

impl<'a> SplitInsert<'a> {
    /// Reads a statement. A `;` at its end is left out.
    ///
    /// # Errors
    /// Why it is not cut.
    pub fn parse(sql: &'a [u8], dialect: Dialect) -> Result<Self, Uncut> {
        let mut tokens = Tokens { lexer: Lexer::new(sql, dialect), sql, dialect };
        let head = tokens.head().ok_or(Uncut::NoRows)?;
        let (mut n_rows, mut longest) = (0, (0, 0));
        let (end, tail) = loop {
            let Some(Token { lexeme: Lexeme::Symbol(b'('), range }) = tokens.next() else { return Err(Uncut::NoRows) };
            n_rows += 1;
            let end = tokens.row(n_rows)?;
            if end - range.start > longest.1 {
                longest = (n_rows, end - range.start);
            }
            match tokens.next() {
                Some(Token { lexeme: Lexeme::Symbol(b','), .. }) => {}
                next => break (end, tokens.tail(next, end)?),
            }
        };
        Ok(Self { sql, dialect, rows: head.end..end, head, tail, n_rows, longest })
    }

    /// Checks that each row fits into a statement of so many bytes.
    ///
    /// # Errors
    /// `Config` for the longest row.
    pub fn check_rows(&self, most: usize) -> Result<(), Error> {
        let (row, bytes) = self.longest;
        match self.head.len() + bytes + self.tail.len() > most {
            false => Ok(()),
            true => {
                let message =
                    format!("row {row} of the statement has {bytes} bytes, and the server takes statements of {most}");
                Err(Error::config(message).at_row(row - 1).with_hint(LONGER))
            }
        }
    }

    /// How many rows it has.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Whether it would be more than one piece.
    pub fn exceeds(&self, limits: &PieceLimits) -> bool {
        self.n_rows > limits.max_rows.max(1) || self.tail.end - self.head.start > limits.max_bytes
    }

    /// Its pieces, in their order.
    pub fn pieces(&self, limits: PieceLimits) -> Pieces<'a> {
        let rows = &self.sql[..self.rows.end];
        let mut lexer = Lexer::new(rows, self.dialect);
        lexer.start_at(self.rows.start);
        let around = self.head.len() + self.tail.len();
        Pieces { lexer, limits, around, next: 1, left: None }
    }

    /// Appends the statement with these rows of a piece.
    pub fn write(&self, rows: &[Range<usize>], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.sql[self.head.clone()]);
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            out.extend_from_slice(&self.sql[first.start..last.end]);
        }
        out.extend_from_slice(&self.sql[self.tail.clone()]);
    }
}

impl Piece {
    /// Its rows, for [`SplitInsert::write`].
    pub fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// The error for a row that was refused, counted from 0 in this piece. It was sent as the last one of some or alone.
    pub fn refused(&self, row: usize, error: Error) -> Error {
        let row = self.first_row - 1 + row as u64;
        error.at_row(row).while_doing(&format!("row {} of the statement", row + 1))
    }

    /// The error of a piece that is committed by itself. `named`: the row that the server names, counted from 1 in the piece.
    pub fn failed(&self, named: Option<u64>, error: Error, before: &SplitReport) -> Error {
        let last = self.first_row - 1 + self.rows.len() as u64;
        let stored = match before.n_rows {
            0 => "none before is stored".to_owned(),
            n_rows => format!("rows 1 to {n_rows} are stored"),
        };
        let error = error.while_doing(&format!("rows {} to {last} of the statement ({stored})", self.first_row));
        match named.filter(|row| (1..=self.rows.len() as u64).contains(row)) {
            Some(row) => error.at_row(self.first_row - 2 + row),
            None => error,
        }
    }
}

/// The pieces of a statement.
#[derive(Debug)]
pub struct Pieces<'a> {
    lexer: Lexer<'a>,
    limits: PieceLimits,
    /// Bytes of a piece that are of no row.
    around: usize,
    /// The number of the next row.
    next: u64,
    /// A row that did not fit into the last piece.
    left: Option<Range<usize>>,
}

impl Pieces<'_> {
    fn row(&mut self) -> Option<Range<usize>> {
        if let Some(row) = self.left.take() {
            return Some(row);
        }
        let (mut start, mut depth) = (None, 0_u64);
        for token in self.lexer.by_ref() {
            match token.lexeme {
                Lexeme::Symbol(b'(') => {
                    start.get_or_insert(token.range.start);
                    depth += 1;
                }
                Lexeme::Symbol(b')') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return start.map(|start| start..token.range.end);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let mut piece = Piece { first_row: self.next, rows: Vec::new() };
        while let Some(row) = self.row() {
            let start = piece.rows.first().map_or(row.start, |first| first.start);
            let is_full = piece.rows.len() as u64 >= self.limits.max_rows
                || self.around + (row.end - start) > self.limits.max_bytes;
            if is_full && !piece.rows.is_empty() {
                self.left = Some(row);
                break;
            }
            piece.rows.push(row);
        }
        self.next += piece.rows.len() as u64;
        (!piece.rows.is_empty()).then_some(piece)
    }
}

/// The lexemes of the statement that are neither blanks nor comments.
struct Tokens<'a> {
    lexer: Lexer<'a>,
    sql: &'a [u8],
    dialect: Dialect,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token> {
        self.lexer.next_token()
    }

    fn text(&self, token: &Token) -> &'a [u8] {
        &self.sql[token.range.clone()]
    }

    /// The word that a lexeme is; nothing for any other.
    fn word(&self, token: &Token) -> Word<'a> {
        Word(if token.lexeme == Lexeme::Word { self.text(token) } else { b"" })
    }

    /// From the verb up to where the first row begins.
    fn head(&mut self) -> Option<Range<usize>> {
        let verb = self.next()?;
        self.word(&verb).is_any(&["INSERT", "REPLACE"]).then_some(())?;
        let mut token = self.next()?;
        while self.word(&token).is_any(&MODIFIERS) {
            token = self.next()?;
        }
        if self.word(&token).is("INTO") {
            token = self.next()?;
        }
        self.is_name(&token).then_some(())?;
        token = self.next()?;
        if token.lexeme == Lexeme::Symbol(b'.') {
            let name = self.next()?;
            self.is_name(&name).then_some(())?;
            token = self.next()?;
        }
        if self.word(&token).is("PARTITION") {
            (self.next()?.lexeme == Lexeme::Symbol(b'(')).then_some(())?;
            self.names()?;
            token = self.next()?;
        }
        if token.lexeme == Lexeme::Symbol(b'(') {
            self.names()?;
            token = self.next()?;
        }
        self.word(&token).is_any(&["VALUES", "VALUE"]).then_some(())?;
        // Without the blanks and comments before the first row.
        let first = self.lexer.clone().next_token()?;
        Some(verb.range.start..first.range.start)
    }

    /// Names up to a `)`, after its `(`.
    fn names(&mut self) -> Option<()> {
        loop {
            let token = self.next()?;
            match token.lexeme {
                Lexeme::Symbol(b')') => return Some(()),
                Lexeme::Symbol(b',' | b'.') => {}
                _ => self.is_name(&token).then_some(())?,
            }
        }
    }

    fn is_name(&self, token: &Token) -> bool {
        match token.lexeme {
            Lexeme::Word | Lexeme::Quoted(b'`') => true,
            Lexeme::Quoted(b'"') => self.dialect.ansi_quotes,
            _ => false,
        }
    }

    /// Reads a row after its `(`, and returns where it ends.
    fn row(&mut self, number: u64) -> Result<usize, Uncut> {
        let (mut depth, mut before) = (1, Word(b""));
        loop {
            let token = self.next().ok_or(Uncut::NoRows)?;
            let word = self.word(&token);
            match token.lexeme {
                Lexeme::Symbol(b'(') => depth += 1,
                Lexeme::Symbol(b')') if depth == 1 => return Ok(token.range.end),
                Lexeme::Symbol(b')') => depth -= 1,
                Lexeme::Symbol(symbol) if b",.+-*/%|&^~<>=!".contains(&symbol) => {}
                Lexeme::Quoted(b'\'') => {}
                Lexeme::Quoted(b'"') if !self.dialect.ansi_quotes => {}
                Lexeme::Word if word.is_steady() || before.is_any(&ANY_NAME_AFTER) => {}
                Lexeme::OpenCondition | Lexeme::CloseCondition | Lexeme::Unclosed(_) => return Err(Uncut::NoRows),
                _ => return Err(self.unsteady(&token, Some(number))),
            }
            before = word;
        }
    }

    /// Reads what follows the rows, whose first lexeme is known, and returns its range.
    fn tail(&mut self, first: Option<Token>, rows_end: usize) -> Result<Range<usize>, Uncut> {
        let (mut next, mut end, mut before, mut is_named) = (first, rows_end, None::<Token>, false);
        while let Some(token) = next {
            let word = self.word(&token);
            match token.lexeme {
                // Only blanks and comments may follow.
                Lexeme::Symbol(b';') => match self.next() {
                    None => break,
                    Some(_) => return Err(Uncut::NoRows),
                },
                Lexeme::OpenCondition | Lexeme::CloseCondition | Lexeme::Unclosed(_) => return Err(Uncut::NoRows),
                Lexeme::Symbol(b'@' | b'?' | b':') => return Err(self.unsteady(&token, None)),
                Lexeme::Symbol(b'(') => {
                    // After AS and a name there is a list of names.
                    let called = before.as_ref().filter(|token| token.lexeme == Lexeme::Word && !is_named);
                    let is_steady = |word: Word<'_>| word.is_steady() || word.is_any(&["VALUES", "IF"]);
                    if let Some(called) = called.filter(|called| !is_steady(self.word(called))) {
                        return Err(self.unsteady(called, None));
                    }
                }
                Lexeme::Word if word.is_any(&UNSTEADY_WORDS) => return Err(self.unsteady(&token, None)),
                Lexeme::Word if before.is_none() && !word.is_any(&["AS", "ON"]) => return Err(Uncut::NoRows),
                Lexeme::Word if word.is("RETURNING") => return Err(Uncut::NoRows),
                _ => {}
            }
            is_named = before.as_ref().is_some_and(|token| self.word(token).is("AS"));
            end = token.range.end;
            before = Some(token);
            next = self.next();
        }
        Ok(rows_end..end)
    }

    fn unsteady(&self, token: &Token, row: Option<u64>) -> Uncut {
        Uncut::Unsteady { what: String::from_utf8_lossy(self.text(token)).into_owned(), row }
    }
}

/// A word of the statement.
#[derive(Clone, Copy)]
struct Word<'a>(&'a [u8]);

impl Word<'_> {
    fn is(self, word: &str) -> bool {
        self.0.eq_ignore_ascii_case(word.as_bytes())
    }

    fn is_any(self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether it has the same value in every statement: a number, a name of a character set before its text, a word below.
    fn is_steady(self) -> bool {
        matches!(self.0, [b'0'..=b'9' | b'_', ..]) || self.is_any(&STEADY)
    }
}

const MODIFIERS: [&str; 4] = ["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"];

/// A word after one of these is the name of a character set or a collation.
const ANY_NAME_AFTER: [&str; 4] = ["COLLATE", "USING", "CHARSET", "SET"];

/// Words of the tail whose value depends on the moment, or is of another table.
const UNSTEADY_WORDS: [&str; 11] = [
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "NEXT",
    "SELECT",
    "UTC_DATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
];

/// Literals, types, and functions of their arguments alone.
const STEADY: [&str; 71] = [
    "ABS",
    "AND",
    "AS",
    "ASCII",
    "B",
    "BIN_TO_UUID",
    "BINARY",
    "CAST",
    "CEIL",
    "CHAR",
    "CHARACTER",
    "CHARSET",
    "COALESCE",
    "COLLATE",
    "CONCAT",
    "CONCAT_WS",
    "CONVERT",
    "CRC32",
    "DATE",
    "DATETIME",
    "DEC",
    "DECIMAL",
    "DEFAULT",
    "DOUBLE",
    "FALSE",
    "FLOAT",
    "FLOOR",
    "FROM_BASE64",
    "GEOMETRYFROMTEXT",
    "GEOMFROMTEXT",
    "GEOMFROMWKB",
    "GREATEST",
    "HEX",
    "IFNULL",
    "INET6_ATON",
    "INET_ATON",
    "INTEGER",
    "JSON",
    "JSON_ARRAY",
    "JSON_OBJECT",
    "LEAST",
    "LOWER",
    "MAKEDATE",
    "MAKETIME",
    "MD5",
    "N",
    "NCHAR",
    "NULL",
    "NULLIF",
    "POINT",
    "REPEAT",
    "REVERSE",
    "ROUND",
    "SET",
    "SHA1",
    "SHA2",
    "SIGNED",
    "STRING_TO_VECTOR",
    "STR_TO_DATE",
    "ST_GEOMETRYFROMTEXT",
    "ST_GEOMFROMGEOJSON",
    "ST_GEOMFROMTEXT",
    "ST_GEOMFROMWKB",
    "TIME",
    "TIMESTAMP",
    "TO_BASE64",
    "TRUE",
    "UNHEX",
    "UNSIGNED",
    "USING",
    "X",
];

#[cfg(test)]
mod tests;
