//! What a statement of a dump is, by its words: the table and the columns of an INSERT, of a CREATE TABLE, what a SET sets. A comment that
//! servers execute (`/*!40101 .. */`) is read as its content.

use inrush_core::column::ident::quote_ident;
use inrush_core::sql::{Dialect, Lexeme, Lexer, Token};

/// The lexemes of a statement that mean something.
#[derive(Clone)]
pub(super) struct Words<'a> {
    sql: &'a [u8],
    dialect: Dialect,
    lexer: Lexer<'a>,
}

/// The beginning of an INSERT or REPLACE with VALUES.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InsertHead {
    pub(super) table: String,
    /// The columns that it names; `None` for all of the table's.
    pub(super) columns: Option<Vec<String>>,
    /// Where the first row begins.
    pub(super) rows_at: usize,
}

/// A CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CreateTable {
    pub(super) table: String,
    /// The statement as it would be written for a table that is not there, its name in backticks and without a database.
    pub(super) definition: String,
    pub(super) columns: Vec<DefinedColumn>,
    /// The character sets that it names, in lower case.
    pub(super) charsets: Vec<String>,
}

/// A column of a CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DefinedColumn {
    pub(super) name: String,
    /// The word of its type, in upper case.
    pub(super) ty: String,
    pub(super) is_generated: bool,
}

/// What a statement of a dump is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    Insert(InsertHead),
    Create(CreateTable),
    /// DROP TABLE of these.
    Drop(Vec<String>),
    /// A session's own setting.
    Set,
    /// Belongs to the way in which clients play a dump: locks, transactions, indexes that are off meanwhile.
    Frame,
    /// About replication: GTIDs, the binary log.
    Replication,
    /// USE, CREATE DATABASE.
    Database(String),
    Other,
}

/// What a SET says that decides how rows are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    SqlMode(String),
    /// `None`: a variable's.
    TimeZone(Option<String>),
    /// In lower case.
    Names(String),
}

impl<'a> Words<'a> {
    pub(super) fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        Self { sql, dialect, lexer: Lexer::new(sql, dialect) }
    }

    pub(super) fn is_insert(&self) -> bool {
        self.clone().next().is_some_and(|token| self.is_any(&token, &["INSERT", "REPLACE"]))
    }

    fn next(&mut self) -> Option<Token> {
        let is_mark = |token: &Token| matches!(token.lexeme, Lexeme::OpenCondition | Lexeme::CloseCondition);
        loop {
            let token = self.lexer.next_token()?;
            if !is_mark(&token) {
                return Some(token);
            }
        }
    }

    fn peek(&self) -> Option<Token> {
        self.clone().next()
    }

    fn text(&self, token: &Token) -> &'a [u8] {
        &self.sql[token.range.clone()]
    }

    fn is(&self, token: &Token, word: &str) -> bool {
        token.lexeme == Lexeme::Word && self.text(token).eq_ignore_ascii_case(word.as_bytes())
    }

    fn is_any(&self, token: &Token, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(token, word))
    }

    /// Passes over this word, if it is next.
    fn take(&mut self, word: &str) -> bool {
        let is_it = self.peek().is_some_and(|token| self.is(&token, word));
        if is_it {
            self.next();
        }
        is_it
    }

    fn take_symbol(&mut self, symbol: u8) -> bool {
        let is_it = self.peek().is_some_and(|token| token.lexeme == Lexeme::Symbol(symbol));
        if is_it {
            self.next();
        }
        is_it
    }

    /// A name, without its quotes.
    fn name_of(&self, token: &Token) -> Option<String> {
        let text = String::from_utf8_lossy(self.text(token));
        match token.lexeme {
            Lexeme::Word => Some(text.into_owned()),
            Lexeme::Quoted(b'`') => Some(text[1..text.len() - 1].replace("``", "`")),
            Lexeme::Quoted(b'"') if self.dialect.ansi_quotes => Some(text[1..text.len() - 1].replace("\"\"", "\"")),
            _ => None,
        }
    }

    fn name(&mut self) -> Option<String> {
        let token = self.next()?;
        self.name_of(&token)
    }

    /// The last part of `database.table`.
    fn table(&mut self) -> Option<String> {
        let mut name = self.name()?;
        while self.take_symbol(b'.') {
            name = self.name()?;
        }
        Some(name)
    }

    /// Names between brackets, after the first one.
    fn names(&mut self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        loop {
            if self.take_symbol(b')') {
                return Some(names);
            }
            names.push(self.name()?);
            self.take_symbol(b',');
        }
    }

    fn insert(mut self) -> Option<InsertHead> {
        self.next()?;
        while ["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"].iter().any(|word| self.take(word)) {}
        self.take("INTO");
        let table = self.table()?;
        if self.take("PARTITION") {
            self.take_symbol(b'(').then_some(())?;
            self.names()?;
        }
        let columns = if self.take_symbol(b'(') { Some(self.names()?) } else { None };
        (self.take("VALUES") || self.take("VALUE")).then_some(())?;
        let first = self.next().filter(|token| token.lexeme == Lexeme::Symbol(b'('))?;
        Some(InsertHead { table, columns, rows_at: first.range.start })
    }

    /// After CREATE TABLE.
    fn create(mut self) -> Option<CreateTable> {
        if self.take("IF") {
            (self.take("NOT") && self.take("EXISTS")).then_some(())?;
        }
        let table = self.table()?;
        let open = self.next().filter(|token| token.lexeme == Lexeme::Symbol(b'('))?;
        let rest = String::from_utf8(self.sql[open.range.start..].to_vec()).ok()?;
        let definition = format!("CREATE TABLE {} {rest}", quote_ident(&table));
        let charsets = self.clone().charsets();
        let mut columns = Vec::new();
        while let Some((column, is_last)) = self.item() {
            columns.extend(column);
            if is_last {
                return Some(CreateTable { table, definition, columns, charsets });
            }
        }
        None
    }

    /// The column that the next item of a CREATE TABLE makes, if it makes one, and whether it is the last item.
    fn item(&mut self) -> Option<(Option<DefinedColumn>, bool)> {
        let first = self.next()?;
        let is_column = first.lexeme != Lexeme::Word || !self.is_any(&first, &NO_COLUMNS);
        let name = self.name_of(&first);
        let (mut ty, mut depth, mut is_generated) = (None, 0_u64, false);
        loop {
            let token = self.next()?;
            match token.lexeme {
                Lexeme::Symbol(b'(') => depth += 1,
                Lexeme::Symbol(b')' | b',') if depth == 0 => {
                    let is_last = token.lexeme == Lexeme::Symbol(b')');
                    let column = name.filter(|_| is_column).zip(ty);
                    return Some((column.map(|(name, ty)| DefinedColumn { name, ty, is_generated }), is_last));
                }
                Lexeme::Symbol(b')') => depth -= 1,
                Lexeme::Word if ty.is_none() => ty = self.name_of(&token).map(|ty| ty.to_ascii_uppercase()),
                // Otherwise DEFAULT (..) and CHECK (..) hold such words in brackets alone.
                Lexeme::Word if depth == 0 && self.is_any(&token, &["AS", "GENERATED"]) => is_generated = true,
                _ => {}
            }
        }
    }

    fn charsets(mut self) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(token) = self.next() {
            if self.is(&token, "CHARSET") || (self.is(&token, "CHARACTER") && self.take("SET")) {
                self.take_symbol(b'=');
                found.extend(self.name().map(|name| name.to_ascii_lowercase()));
            }
        }
        found
    }
}

/// What a statement is.
pub(super) fn statement(sql: &[u8], dialect: Dialect) -> Statement {
    let mut words = Words::new(sql, dialect);
    if words.is_insert() {
        return words.insert().map_or(Statement::Other, Statement::Insert);
    }
    let Some(first) = words.next() else { return Statement::Frame };
    let has = |wanted: &[&str]| {
        let mut words = words.clone();
        std::iter::from_fn(move || words.next().map(|token| (words.clone(), token)))
            .any(|(words, token)| words.is_any(&token, wanted))
    };
    let is = |word: &str| words.is(&first, word);
    match () {
        () if is("CREATE") => create(words),
        () if is("DROP") => {
            words.take("TEMPORARY");
            let is_table = words.take("TABLE") || words.take("TABLES");
            if words.take("IF") {
                words.take("EXISTS");
            }
            let mut tables = Vec::new();
            while let Some(table) = words.table().filter(|_| is_table) {
                tables.push(table);
                words.take_symbol(b',');
            }
            if is_table { Statement::Drop(tables) } else { Statement::Other }
        }
        () if is("SET") && has(&["GTID_PURGED", "SQL_LOG_BIN", "GTID_SLAVE_POS"]) => Statement::Replication,
        () if is("CHANGE") => Statement::Replication,
        () if is("SET") => Statement::Set,
        () if is("USE") => words.name().map_or(Statement::Other, Statement::Database),
        () if is("LOCK") || is("UNLOCK") || is("COMMIT") || is("START") || is("BEGIN") => Statement::Frame,
        () if is("ALTER") && has(&["KEYS"]) && has(&["DISABLE", "ENABLE"]) => Statement::Frame,
        () => Statement::Other,
    }
}

/// After CREATE.
fn create(mut words: Words<'_>) -> Statement {
    if words.take("OR") {
        words.take("REPLACE");
    }
    if words.take("DATABASE") || words.take("SCHEMA") {
        if words.take("IF") {
            words.take("NOT");
            words.take("EXISTS");
        }
        return words.name().map_or(Statement::Other, Statement::Database);
    }
    match words.take("TABLE") {
        true => words.create().map_or(Statement::Other, Statement::Create),
        false => Statement::Other,
    }
}

/// What a SET says about how rows are read; nothing of any other statement.
pub(super) fn settings(sql: &[u8], dialect: Dialect) -> Vec<Setting> {
    let mut words = Words::new(sql, dialect);
    let mut found = Vec::new();
    if !words.take("SET") {
        return found;
    }
    while let Some(token) = words.next() {
        let literal = |words: &mut Words<'_>| {
            words.take_symbol(b':');
            words.take_symbol(b'=').then(|| words.literal())
        };
        if words.is(&token, "NAMES") {
            found.extend(words.literal().map(|name| Setting::Names(name.to_ascii_lowercase())));
        } else if words.is(&token, "SQL_MODE") {
            found.extend(literal(&mut words).map(|mode| Setting::SqlMode(mode.unwrap_or_default())));
        } else if words.is(&token, "TIME_ZONE") {
            found.extend(literal(&mut words).map(Setting::TimeZone));
        }
    }
    found
}

impl Words<'_> {
    /// The text of a literal or a word that is next; `None` for a variable.
    fn literal(&mut self) -> Option<String> {
        let token = self.peek()?;
        let text = String::from_utf8_lossy(self.text(&token)).into_owned();
        match token.lexeme {
            Lexeme::Quoted(_) => Some(text[1..text.len() - 1].to_owned()),
            Lexeme::Word => Some(text),
            _ => None,
        }
    }
}

/// What an item of a CREATE TABLE begins with that is no column, unless it is in backticks.
const NO_COLUMNS: [&str; 11] =
    ["CHECK", "CONSTRAINT", "FOREIGN", "FULLTEXT", "INDEX", "KEY", "LIKE", "PERIOD", "PRIMARY", "SPATIAL", "UNIQUE"];
