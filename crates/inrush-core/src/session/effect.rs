//! The lasting effects of a statement: they decide whether the outcome is known when the connection is lost before the answer.
//!
//! | effect | statements | the connection is lost before the answer |
//! |---|---|---|
//! | [`Nothing`](Effect::Nothing) | reads, `SHOW`, `SET` of the session, `SAVEPOINT` .. | known: nothing is stored |
//! | [`Rows`](Effect::Rows) | `INSERT`, `UPDATE`, `LOAD DATA`; `SELECT` that calls a function which may write | known inside a transaction, which is rolled back; else unknown |
//! | [`Ends`](Effect::Ends) | `BEGIN`, `LOCK TABLES`, `SET autocommit = 1` | unknown if a transaction was open, which they commit |
//! | [`Lasts`](Effect::Lasts) | `COMMIT`, DDL, `CALL`, everything that is not known | unknown |
//!
//! In doubt a statement has the greater effect. Two cases do not show in the text: a view that calls a function which writes, and
//! tables without transactions (MyISAM, Aria), which keep the rows of a transaction that is rolled back.
//!
//! A text is read only when a connection is lost, not when it is sent. Only a pipeline, which keeps no texts, reads each as far
//! as needed.

use crate::sql::{Dialect, Lexeme, Lexer};

/// The lasting effects that a statement may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that outlives the session.
    #[default]
    Nothing,
    /// Changes that are rolled back with their transaction.
    Rows,
    /// None of its own, but it commits an open transaction.
    Ends,
    /// `SET autocommit = 0`: what follows is not committed by itself.
    AutocommitOff,
    /// `ROLLBACK`.
    Rollback,
    /// COM_RESET_CONNECTION: a rollback, and autocommit is as after login.
    Reset,
    /// A lasting change, whatever happens to the connection.
    Lasts,
}

impl Effect {
    /// The effect of a text, which may hold several statements.
    pub(crate) fn of(sql: &[u8], dialect: Dialect) -> Self {
        let effect = Self::of_text(sql, dialect);
        // MySQL does not report whether double quotes hold names, in which a backslash escapes nothing.
        let is_certain = dialect != Dialect::default() || memchr::memchr(b'"', sql).is_none();
        match memchr::memchr(b'\\', sql) {
            Some(_) if !is_certain && Self::of_text(sql, Dialect { ansi_quotes: true, ..dialect }) != effect => {
                Self::Lasts
            }
            _ => effect,
        }
    }

    fn of_text(sql: &[u8], dialect: Dialect) -> Self {
        let mut tokens = Tokens::new(sql, dialect);
        let mut whole = None;
        loop {
            let (effect, is_last) = statement(&mut tokens);
            let is_empty = tokens.n_words == 0;
            whole = match (whole, effect) {
                (whole, _) if is_empty && is_last => whole,
                (None, effect) => Some(effect),
                (Some(Self::Nothing), Self::Nothing) => Some(Self::Nothing),
                (Some(Self::Nothing | Self::Rows), Self::Nothing | Self::Rows) => Some(Self::Rows),
                // The outcome of several parts depends on each of them.
                _ => Some(Self::Lasts),
            };
            if is_last {
                return whole.unwrap_or_default();
            }
        }
    }

    /// The same from the first word, where that is enough and the text is known to be one statement: then a text of many rows is
    /// not read to its end.
    pub(crate) fn at_a_glance(sql: &[u8], is_one: bool, dialect: Dialect) -> Self {
        let mut tokens = Tokens::new(sql, dialect);
        match tokens.next() {
            Some(Token::Word(word)) if is_one && is_any(word, &["INSERT", "UPDATE", "DELETE", "REPLACE"]) => Self::Rows,
            _ => Self::of(sql, dialect),
        }
    }

    /// The effect of a text that is prepared, so that it is one statement; for all meanings of a backslash.
    pub fn of_prepared(sql: &[u8]) -> Self {
        let effect = |dialect| Self::at_a_glance(sql, true, dialect);
        let first = effect(Dialect::default());
        match memchr::memchr(b'\\', sql) {
            Some(_) if Dialect::ALL[1..].iter().any(|dialect| effect(*dialect) != first) => Self::Lasts,
            _ => first,
        }
    }
}

/// The effect of the next statement, and whether it is the last one.
fn statement(tokens: &mut Tokens<'_>) -> (Effect, bool) {
    tokens.n_words = 0;
    let first = loop {
        match tokens.next() {
            None => return (Effect::Nothing, true),
            Some(Token::Semicolon) => return (Effect::Nothing, false),
            Some(Token::Open) => {}
            Some(Token::Word(word)) => break word,
            // No statement begins with this.
            Some(_) => return (Effect::Lasts, tokens.skip_statement()),
        }
    };
    let is = |want: &[&str]| is_any(first, want);
    if is(&["INSERT", "UPDATE", "DELETE", "REPLACE"]) {
        return (Effect::Rows, tokens.skip_statement());
    }
    if is(&["SELECT", "WITH", "VALUES", "TABLE", "DO"]) {
        return read(tokens);
    }
    if is(&["SET"]) {
        return set(tokens);
    }
    let effect = if is(&["SHOW", "USE", "HELP", "HANDLER", "SAVEPOINT", "RELEASE", "PREPARE", "DEALLOCATE", "CHECKSUM"])
    {
        Effect::Nothing
    } else if is(&["EXPLAIN", "DESCRIBE", "DESC"]) {
        return explain(tokens);
    } else if is(&["BEGIN"]) {
        // BEGIN NOT ATOMIC is a program, and a program in Oracle mode may begin with any word.
        match tokens.next() {
            None => return (Effect::Ends, true),
            Some(Token::Semicolon) => return (Effect::Ends, false),
            Some(Token::Word(word)) if is_any(word, &["WORK"]) => Effect::Ends,
            _ => Effect::Lasts,
        }
    } else if is(&["START"]) {
        let is_transaction = matches!(tokens.next(), Some(Token::Word(word)) if is_any(word, &["TRANSACTION"]));
        if is_transaction { Effect::Ends } else { Effect::Lasts }
    } else if is(&["LOCK", "UNLOCK"]) {
        Effect::Ends
    } else if is(&["LOAD"]) {
        // LOAD INDEX INTO CACHE commits.
        let is_rows = matches!(tokens.next(), Some(Token::Word(word)) if is_any(word, &["DATA", "XML"]));
        if is_rows { Effect::Rows } else { Effect::Lasts }
    } else if is(&["ROLLBACK"]) {
        rollback(tokens)
    } else {
        Effect::Lasts
    };
    (effect, tokens.skip_statement())
}

/// A statement that reads, unless it says otherwise.
fn read(tokens: &mut Tokens<'_>) -> (Effect, bool) {
    let mut effect = Effect::Nothing;
    // A word that is a function's name because a parenthesis follows, unless a schema precedes it: then it is not a built-in
    // function.
    let mut before = None;
    let mut was_dot = false;
    loop {
        let token = tokens.next();
        match token {
            None => return (effect, true),
            Some(Token::Semicolon) => return (effect, false),
            Some(Token::Word(word)) if is_any(word, &["OUTFILE", "DUMPFILE"]) => effect = Effect::Lasts,
            // Of WITH .. UPDATE; NEXT VALUE FOR, FOR UPDATE and INTO are not read closer.
            Some(Token::Word(word)) if is_any(word, &["UPDATE", "DELETE", "INSERT", "INTO", "FOR"]) && !was_dot => {
                effect = effect.or_rows();
            }
            Some(Token::Open) => {
                let is_harmless = match before {
                    Some(Token::Word(word)) => word_is_harmless(word),
                    Some(Token::Quoted) => false,
                    _ => true,
                };
                if !is_harmless {
                    effect = effect.or_rows();
                }
            }
            Some(_) => {}
        }
        let is_behind_dot = was_dot;
        was_dot = token == Some(Token::Dot);
        before = match token {
            Some(Token::Word(_)) if is_behind_dot => Some(Token::Quoted),
            token => token,
        };
    }
}

/// SET: of the session only, or of something else.
fn set(tokens: &mut Tokens<'_>) -> (Effect, bool) {
    let mut effect = Effect::Nothing;
    let mut n_words = 0;
    let mut autocommit = false;
    loop {
        match tokens.next() {
            None => return (effect, true),
            Some(Token::Semicolon) => return (effect, false),
            Some(Token::Open) if matches!(effect, Effect::Nothing | Effect::Rows) => effect = Effect::Rows,
            Some(Token::Open) => effect = Effect::Lasts,
            Some(Token::Word(word)) => {
                n_words += 1;
                if is_any(word, &["GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD", "STATEMENT", "RESOURCE"])
                    || (n_words == 1 && is_any(word, &["DEFAULT"]))
                {
                    effect = Effect::Lasts;
                } else if is_any(word, &["AUTOCOMMIT"]) {
                    autocommit = true;
                    if effect != Effect::Lasts {
                        effect = Effect::Ends;
                    }
                } else if autocommit && n_words > 1 && is_any(word, &["0", "OFF", "FALSE"]) {
                    // Nothing else may be set with it.
                    let is_alone = effect == Effect::Ends;
                    match tokens.next() {
                        None if is_alone => return (Effect::AutocommitOff, true),
                        Some(Token::Semicolon) if is_alone => return (Effect::AutocommitOff, false),
                        _ => {}
                    }
                }
            }
            Some(_) => {}
        }
    }
}

/// EXPLAIN: ANALYZE runs what it explains.
fn explain(tokens: &mut Tokens<'_>) -> (Effect, bool) {
    let mut effect = Effect::Nothing;
    loop {
        match tokens.next() {
            None => return (effect, true),
            Some(Token::Semicolon) => return (effect, false),
            Some(Token::Word(word)) if is_any(word, &["ANALYZE"]) => effect = Effect::Rows,
            Some(_) => {}
        }
    }
}

/// ROLLBACK, ROLLBACK TO SAVEPOINT.
fn rollback(tokens: &Tokens<'_>) -> Effect {
    let mut words = tokens.clone();
    match (words.next(), words.next()) {
        (Some(Token::Word(first)), _) if is_any(first, &["TO"]) => Effect::Nothing,
        (Some(Token::Word(_)), Some(Token::Word(second))) if is_any(second, &["TO"]) => Effect::Nothing,
        _ => Effect::Rollback,
    }
}

impl Effect {
    fn or_rows(self) -> Self {
        if self == Self::Lasts { self } else { Self::Rows }
    }
}

fn is_any(word: &[u8], wants: &[&str]) -> bool {
    wants.iter().any(|want| word.eq_ignore_ascii_case(want.as_bytes()))
}

fn word_is_harmless(word: &[u8]) -> bool {
    harmless::HARMLESS.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// A part of a text. Literals and quoted names are not distinguished: the meaning of each quote depends on the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a [u8]),
    Quoted,
    Open,
    Dot,
    Semicolon,
    Other,
}

/// The tokens of a text, without blanks and comments. The content of a comment that servers execute is part of the text.
#[derive(Clone)]
struct Tokens<'a> {
    sql: &'a [u8],
    lexer: Lexer<'a>,
    /// Tokens of the current statement.
    n_words: usize,
}

impl<'a> Tokens<'a> {
    fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        Self { sql, lexer: Lexer::new(sql, dialect), n_words: 0 }
    }

    /// Advances past the statement. Returns whether it was the last one.
    fn skip_statement(&mut self) -> bool {
        loop {
            match self.next() {
                None => return true,
                Some(Token::Semicolon) => return false,
                Some(_) => {}
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let token = loop {
            let token = self.lexer.next()?;
            break match token.lexeme {
                Lexeme::Blank | Lexeme::Comment | Lexeme::OpenCondition | Lexeme::CloseCondition => continue,
                Lexeme::Word => Token::Word(&self.sql[token.range]),
                Lexeme::Quoted(_) | Lexeme::Unclosed(_) => Token::Quoted,
                Lexeme::Symbol(b'(') => Token::Open,
                Lexeme::Symbol(b'.') => Token::Dot,
                Lexeme::Symbol(b';') => Token::Semicolon,
                Lexeme::Symbol(_) => Token::Other,
            };
        };
        self.n_words += usize::from(token != Token::Semicolon);
        Some(token)
    }
}

mod harmless;
#[cfg(test)]
mod tests;
