//! What a statement of a dump is, by its words: the table and the columns of an INSERT, of a CREATE TABLE, what a SET sets. A comment that
//! servers execute (`/*!40101 .. */`) is read as its content.

use super::row_text::RowText;
use inrush_core::column::ident::quote_ident;
use inrush_core::sql::{Dialect, Lexeme, Lexer, Token};
use std::ops::Range;

/// The lexemes of a statement that mean something.
#[derive(Clone)]
pub(super) struct Words<'a> {
    sql: &'a [u8],
    dialect: Dialect,
    lexer: Lexer<'a>,
    /// Within a comment that not every server executes: `/*!80000 .. */`, `/*M! .. */`.
    is_conditional: bool,
}

/// The beginning of an INSERT or REPLACE with VALUES.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InsertHead {
    pub(super) database: Option<String>,
    pub(super) table: String,
    /// The columns that it names; `None` for all of the table's.
    pub(super) columns: Option<Vec<String>>,
    /// Where the first row begins.
    pub(super) rows_at: usize,
}

/// A CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CreateTable {
    pub(super) database: Option<String>,
    pub(super) table: String,
    /// The statement as it would be written for a table that is not there, its name in backticks and without a database.
    pub(super) definition: String,
    pub(super) columns: Vec<DefinedColumn>,
    /// The character sets of its columns of text, also by collations, in lower case; without those that only the database says.
    pub(super) charsets: Vec<String>,
}

/// A column of a CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DefinedColumn {
    pub(super) name: String,
    /// The word of its type, in upper case.
    pub(super) ty: String,
    pub(super) is_generated: bool,
    /// The character set that it names, also by a collation, in lower case.
    pub(super) charset: Option<String>,
}

/// A LOAD DATA, as programs that write dumps in files of their own name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoadData {
    pub(super) file: String,
    pub(super) table: String,
    /// In lower case.
    pub(super) charset: Option<String>,
    pub(super) text: RowText,
}

/// What a statement of a dump is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    Insert(InsertHead),
    Create(CreateTable),
    /// DROP TABLE of these.
    Drop(Vec<String>),
    /// Variables of the session.
    Set,
    /// Belongs to the way in which clients play a dump: locks, transactions, indexes that are off meanwhile.
    Frame,
    /// What is not played: about replication, and about the database itself.
    LeftOut,
    /// USE.
    Use(String),
    /// CREATE DATABASE.
    Database(String),
    /// Views, triggers, routines, events, indexes: they change no row, and may be played after all rows. The table of a trigger or an index.
    Schema(Option<String>),
    /// ALTER TABLE of this table, which may be played after its rows if it comes after them.
    Alter(String),
    /// Anything else. It may change rows, so only a server that plays all of the dump in its order knows what it does.
    Other,
}

/// What a SET says that decides how rows are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// `None`: it is not known.
    SqlMode(Option<String>),
    /// `None`: a variable's.
    TimeZone(Option<String>),
    /// In lower case.
    Names(String),
    /// What is set is kept in a variable of the user's: its name, in upper case.
    Kept(String, Variable),
    /// What was kept in it is set again.
    Back(String, Variable),
}

/// A variable that decides how rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    SqlMode,
    TimeZone,
    /// The character set of statements.
    Client,
}

impl<'a> Words<'a> {
    pub(super) fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        Self { sql, dialect, lexer: Lexer::new(sql, dialect), is_conditional: false }
    }

    pub(super) fn is_insert(&self) -> bool {
        self.clone().next().is_some_and(|token| self.is_any(&token, &["INSERT", "REPLACE"]))
    }

    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.lexer.next_token()?;
            match token.lexeme {
                // A command to MariaDB's client, at the beginning of its dumps: `/*M!999999\- enable the sandbox mode */`.
                Lexeme::OpenCondition if self.sql[token.range.end..].starts_with(b"\\-") => {
                    self.lexer.find(|token| token.lexeme == Lexeme::CloseCondition)?;
                }
                Lexeme::OpenCondition => self.is_conditional = !is_executed_by_all(&self.sql[token.range]),
                Lexeme::CloseCondition => self.is_conditional = false,
                _ => return Some(token),
            }
        }
    }

    fn peek(&self) -> Option<Token> {
        self.clone().next()
    }

    /// All that are left.
    pub(super) fn all(&self) -> Vec<Token> {
        let mut words = self.clone();
        std::iter::from_fn(|| words.next()).collect()
    }

    /// The number of the word that says what is made or dropped, after DEFINER.
    pub(super) fn kind_at(&self, tokens: &[Token]) -> Option<usize> {
        let mut words = self.clone();
        words.pass_definer();
        let kind = words.pass_to(&KINDS)?;
        tokens.iter().position(|token| token.range == kind.range)
    }

    pub(super) fn text(&self, token: &Token) -> &'a [u8] {
        &self.sql[token.range.clone()]
    }

    pub(super) fn is(&self, token: &Token, word: &str) -> bool {
        token.lexeme == Lexeme::Word && self.text(token).eq_ignore_ascii_case(word.as_bytes())
    }

    pub(super) fn is_any(&self, token: &Token, words: &[&str]) -> bool {
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
    pub(super) fn name_of(&self, token: &Token) -> Option<String> {
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

    /// `table` or `database.table`.
    fn table(&mut self) -> Option<(Option<String>, String)> {
        let name = self.name()?;
        match self.take_symbol(b'.') {
            true => Some((Some(name), self.name()?)),
            false => Some((None, name)),
        }
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
        let (database, table) = self.table()?;
        if self.take("PARTITION") {
            self.take_symbol(b'(').then_some(())?;
            self.names()?;
        }
        let columns = if self.take_symbol(b'(') { Some(self.names()?) } else { None };
        (self.take("VALUES") || self.take("VALUE")).then_some(())?;
        let first = self.next().filter(|token| token.lexeme == Lexeme::Symbol(b'('))?;
        Some(InsertHead { database, table, columns, rows_at: first.range.start })
    }

    /// After CREATE TABLE.
    fn create(mut self) -> Option<CreateTable> {
        if self.take("IF") {
            (self.take("NOT") && self.take("EXISTS")).then_some(())?;
        }
        let (database, table) = self.table()?;
        let open = self.next().filter(|token| token.lexeme == Lexeme::Symbol(b'('))?;
        let rest = String::from_utf8(usual_quotes(&self.sql[open.range.start..], self.dialect)).ok()?;
        let definition = format!("CREATE TABLE {} {rest}", quote_ident(&table));
        let mut columns = Vec::new();
        while let Some((column, is_last)) = self.item() {
            columns.extend(column);
            if is_last {
                // The server would fill the table.
                (!self.has(&["SELECT"])).then_some(())?;
                let default = self.charset();
                let is_text = |column: &&DefinedColumn| TEXTS.contains(&&*column.ty);
                let texts = columns.iter().filter(is_text);
                let charsets = texts.filter_map(|column| column.charset.clone().or_else(|| default.clone())).collect();
                return Some(CreateTable { database, table, definition, columns, charsets });
            }
        }
        None
    }

    /// The column that the next item of a CREATE TABLE makes, if it makes one, and whether it is the last item.
    fn item(&mut self) -> Option<(Option<DefinedColumn>, bool)> {
        let first = self.next()?;
        let is_column = first.lexeme != Lexeme::Word || !self.is_any(&first, &NO_COLUMNS);
        // Only a server knows whether it has this column.
        (!is_column || !self.is_conditional).then_some(())?;
        let name = self.name_of(&first);
        let (mut ty, mut depth, mut is_generated, mut charset) = (None, 0_u64, false, None);
        loop {
            let token = self.next()?;
            match token.lexeme {
                Lexeme::Word if depth == 0 && ty.is_some() && charset.is_none() && self.names_charset(&token) => {
                    charset = self.charset_name();
                }
                Lexeme::Symbol(b'(') => depth += 1,
                Lexeme::Symbol(b')' | b',') if depth == 0 => {
                    let is_last = token.lexeme == Lexeme::Symbol(b')');
                    let column = name.filter(|_| is_column).zip(ty);
                    let column = column.map(|(name, ty)| DefinedColumn { name, ty, is_generated, charset });
                    return Some((column, is_last));
                }
                Lexeme::Symbol(b')') => depth -= 1,
                Lexeme::Word if ty.is_none() => ty = self.name_of(&token).map(|ty| ty.to_ascii_uppercase()),
                // Otherwise DEFAULT (..) and CHECK (..) hold such words in brackets alone.
                Lexeme::Word if depth == 0 && self.is_any(&token, &["AS", "GENERATED"]) => is_generated = true,
                _ => {}
            }
        }
    }

    fn load_data(mut self) -> Option<LoadData> {
        (self.take("LOAD") && self.take("DATA")).then_some(())?;
        while ["LOW_PRIORITY", "CONCURRENT", "LOCAL"].iter().any(|word| self.take(word)) {}
        self.take("INFILE").then_some(())?;
        let file = self.quoted_text()?;
        while ["REPLACE", "IGNORE"].iter().any(|word| self.take(word)) {}
        (self.take("INTO") && self.take("TABLE")).then_some(())?;
        let (_, table) = self.table()?;
        let mut charset = None;
        if self.take("CHARACTER") {
            self.take("SET").then_some(())?;
            charset = Some(self.name()?.to_ascii_lowercase());
        }
        let mut text = RowText { delimiter: "\t".into(), escape: "\\".into(), ..RowText::default() };
        if self.take("FIELDS") || self.take("COLUMNS") {
            loop {
                self.take("OPTIONALLY");
                let part = match () {
                    () if self.take("TERMINATED") => &mut text.delimiter,
                    () if self.take("ENCLOSED") => &mut text.quote,
                    () if self.take("ESCAPED") => &mut text.escape,
                    () => break,
                };
                self.take("BY").then_some(())?;
                *part = self.quoted_text()?;
            }
        }
        if self.take("LINES") {
            loop {
                let want = match () {
                    () if self.take("STARTING") => "",
                    () if self.take("TERMINATED") => "\n",
                    () => break,
                };
                (self.take("BY") && self.quoted_text()? == want).then_some(())?;
            }
        }
        let mut names = Vec::new();
        if self.take_symbol(b'(') {
            while !self.take_symbol(b')') {
                self.take_symbol(b'@');
                names.push((self.name()?, None));
                self.take_symbol(b',');
            }
        }
        if self.take("SET") {
            while let Some(name) = self.name() {
                let decoded = self.decoded()?;
                names.iter_mut().find(|(column, _)| *column == name)?.1 = decoded;
                self.take_symbol(b',');
            }
        }
        self.next().is_none().then_some(())?;
        Some(LoadData { file, table, charset, text: RowText { columns: names, ..text } })
    }

    /// The function of `= UNHEX(@name)`; none for `= CONVERT(@name USING utf8mb4)`, which leaves the text as it is.
    fn decoded(&mut self) -> Option<Option<String>> {
        self.take_symbol(b'=').then_some(())?;
        let function = self.name()?.to_ascii_uppercase();
        (self.take_symbol(b'(') && self.take_symbol(b'@')).then_some(())?;
        self.name()?;
        let decoded = match &function[..] {
            "UNHEX" | "FROM_BASE64" => Some(function),
            "CONVERT" => (self.take("USING") && self.take("UTF8MB4")).then_some(None)?,
            _ => return None,
        };
        self.take_symbol(b')').then_some(decoded)
    }

    /// A text in quotes, with its escapes decoded.
    fn quoted_text(&mut self) -> Option<String> {
        let token = self.next().filter(|token| matches!(token.lexeme, Lexeme::Quoted(b'\'' | b'"')))?;
        let text = std::str::from_utf8(self.text(&token)).ok()?;
        let mut decoded = String::new();
        let mut inside = text[1..text.len() - 1].chars();
        while let Some(c) = inside.next() {
            decoded.push(match c {
                '\\' => match inside.next()? {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    other => other,
                },
                // A quote is doubled.
                c if text.starts_with(c) => inside.next()?,
                c => c,
            });
        }
        Some(decoded)
    }

    /// The character set that the options of a table name, by itself or by a collation.
    fn charset(&self) -> Option<String> {
        let mut words = self.clone();
        while let Some(token) = words.next() {
            if words.names_charset(&token) {
                return words.charset_name();
            }
        }
        None
    }

    /// Whether the name of a character set or of a collation comes after this word.
    fn names_charset(&mut self, token: &Token) -> bool {
        self.is_any(token, &["CHARSET", "COLLATE"]) || (self.is(token, "CHARACTER") && self.take("SET"))
    }

    fn charset_name(&mut self) -> Option<String> {
        self.take_symbol(b'=');
        let name = self.name()?.to_ascii_lowercase();
        name.split('_').next().map(str::to_owned)
    }
}

/// The same text with the quotes of the default dialect: names in backticks, and backslashes doubled where they escape nothing.
fn usual_quotes(sql: &[u8], dialect: Dialect) -> Vec<u8> {
    if dialect == Dialect::default() {
        return sql.to_vec();
    }
    let mut usual = Vec::with_capacity(sql.len());
    for token in Lexer::new(sql, dialect) {
        let text = &sql[token.range];
        match token.lexeme {
            Lexeme::Quoted(b'"') if dialect.ansi_quotes => {
                let name = String::from_utf8_lossy(&text[1..text.len() - 1]).replace("\"\"", "\"");
                usual.extend(quote_ident(&name).bytes());
            }
            Lexeme::Quoted(b'\'' | b'"') if dialect.no_backslash_escapes => {
                for byte in text {
                    usual.extend((*byte == b'\\').then_some(b'\\'));
                    usual.push(*byte);
                }
            }
            _ => usual.extend_from_slice(text),
        }
    }
    usual
}

/// Whether a definition, whose quotes are those of the default dialect, has `||` in an expression.
pub(super) fn has_pipes(definition: &str) -> bool {
    let tokens = Words::new(definition.as_bytes(), Dialect::default()).all();
    tokens.windows(2).any(|two| {
        two.iter().all(|token| token.lexeme == Lexeme::Symbol(b'|')) && two[0].range.end == two[1].range.start
    })
}

/// Whether every server executes the content of a comment with this mark. MariaDB passes over those for MySQL 5.7 and later.
fn is_executed_by_all(mark: &[u8]) -> bool {
    let Some(version) = mark.strip_prefix(b"/*!") else { return false };
    let number = std::str::from_utf8(version).ok().and_then(|version| version.parse::<u32>().ok());
    version.is_empty() || number.is_some_and(|version| version < 50_700)
}

/// What a statement is. One within a comment that some servers do not execute is `Other` if it decides how rows are read or which tables there
/// are: only the server knows. The others are played as they are, so the server decides about them.
pub(super) fn statement(sql: &[u8], dialect: Dialect) -> Statement {
    let mut first = Words::new(sql, dialect);
    first.next();
    let what = executed(sql, dialect);
    let is_read_here = match &what {
        Statement::Insert(_) | Statement::Create(_) | Statement::Drop(_) => true,
        Statement::Use(_) | Statement::Database(_) => true,
        // Also where it is about locks or replication, it may set other things as well.
        Statement::Set | Statement::Frame | Statement::LeftOut => {
            first.is_conditional && !settings(sql, dialect).is_empty()
        }
        Statement::Schema(_) | Statement::Alter(_) | Statement::Other => false,
    };
    if first.is_conditional && is_read_here { Statement::Other } else { what }
}

/// The same if the server executes it.
fn executed(sql: &[u8], dialect: Dialect) -> Statement {
    let mut words = Words::new(sql, dialect);
    if words.is_insert() {
        // Dump programs write no INSERT like this.
        let mut ahead = words.clone();
        ahead.next();
        if ahead.lexer.is_in_condition() {
            return Statement::Other;
        }
        return words.insert().map_or(Statement::Other, Statement::Insert);
    }
    let Some(first) = words.next() else { return Statement::Frame };
    let is = |word: &str| words.is(&first, word);
    match () {
        () if is("CREATE") => create(words),
        () if is("DROP") => drop_(words),
        () if is("SET") => set(&words),
        () if is("USE") => words.name().map_or(Statement::Other, Statement::Use),
        () if is("LOCK") || is("UNLOCK") || is("COMMIT") => Statement::Frame,
        () if is("START") && words.clone().take("TRANSACTION") => Statement::Frame,
        () if is("BEGIN") && (words.peek().is_none() || words.clone().take("WORK")) => Statement::Frame,
        () if is("ALTER") => alter(words),
        () if is("CHANGE") => Statement::LeftOut,
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
    if words.take("TABLE") {
        return words.create().map_or(Statement::Other, Statement::Create);
    }
    match words.has_before_names(&KINDS) {
        true => Statement::Schema(words.table_of_part()),
        false => Statement::Other,
    }
}

/// After DROP.
fn drop_(mut words: Words<'_>) -> Statement {
    if KINDS.iter().any(|word| words.clone().take(word)) {
        return Statement::Schema(words.table_of_part());
    }
    if !words.take("TABLE") && !words.take("TABLES") {
        return Statement::Other;
    }
    if words.take("IF") {
        words.take("EXISTS");
    }
    let mut tables = Vec::new();
    while let Some((_, table)) = words.table() {
        tables.push(table);
        words.take_symbol(b',');
    }
    Statement::Drop(tables)
}

/// After ALTER.
fn alter(mut words: Words<'_>) -> Statement {
    if words.take("DATABASE") || words.take("SCHEMA") {
        return Statement::LeftOut;
    }
    if !words.take("TABLE") {
        return if words.has_before_names(&["EVENT", "VIEW"]) { Statement::Schema(None) } else { Statement::Other };
    }
    match words.table() {
        Some(_) if (words.take("DISABLE") || words.take("ENABLE")) && words.take("KEYS") => Statement::Frame,
        // These change rows.
        Some(_) if words.has(&["TRUNCATE", "DROP", "DISCARD", "IMPORT", "EXCHANGE", "RENAME"]) => Statement::Other,
        Some((_, table)) => Statement::Alter(table),
        None => Statement::Other,
    }
}

/// After SET.
fn set(words: &Words<'_>) -> Statement {
    let mut rest = words.clone();
    match () {
        () if words.has(&["GTID_PURGED", "SQL_LOG_BIN", "GTID_SLAVE_POS"]) => Statement::LeftOut,
        () if words.has(&["AUTOCOMMIT"]) => Statement::Frame,
        // SET STATEMENT is another statement with settings of its own; the others are of other kinds of databases, or of all sessions.
        () if rest.take("STATEMENT") || rest.take("ROLE") || rest.take("PASSWORD") => Statement::Other,
        () if words.has(&["GLOBAL", "PERSIST", "STANDARD_CONFORMING_STRINGS", "CLIENT_ENCODING"]) => Statement::Other,
        () => Statement::Set,
    }
}

impl Words<'_> {
    /// Whether one of these words is in the rest of the statement.
    fn has(&self, wanted: &[&str]) -> bool {
        let mut words = self.clone();
        while let Some(token) = words.next() {
            if self.is_any(&token, wanted) {
                return true;
            }
        }
        false
    }

    /// Whether one of these words is among the first ones: what comes before it says how (ALGORITHM, DEFINER = `a`@`b`, SQL SECURITY).
    fn has_before_names(&self, wanted: &[&str]) -> bool {
        let mut words = self.clone();
        for _ in 0..MOST_BEFORE {
            match words.next() {
                Some(token) if self.is_any(&token, wanted) => return true,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }

    /// The table after ON, of a trigger or an index that is made or dropped. DROP TRIGGER has none.
    fn table_of_part(&self) -> Option<String> {
        let mut words = self.clone();
        words.pass_definer();
        let kind = words.pass_to(&KINDS)?;
        if !self.is_any(&kind, &["TRIGGER", "INDEX"]) {
            return None;
        }
        words.pass_to(&["ON"])?;
        words.table().map(|(_, table)| table)
    }

    /// Passes over `DEFINER = ..`, if it comes before what is made; returns where it is.
    fn pass_definer(&mut self) -> Option<Range<usize>> {
        let mut words = self.clone();
        let first = words.pass_to(&["DEFINER", "VIEW", "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "INDEX"])?;
        (words.is(&first, "DEFINER") && words.take_symbol(b'=')).then_some(())?;
        let mut last = words.next()?;
        if words.is_any(&last, &["CURRENT_USER", "CURRENT_ROLE"]) {
            if words.take_symbol(b'(') {
                last = words.next()?;
            }
        } else if words.take_symbol(b'@') {
            last = words.next()?;
            // A host without quotes: `db.example.org`, `10.0.0.1`.
            while let Some(token) = words.peek().filter(|token| token.range.start == last.range.end) {
                words.next();
                last = token;
            }
        }
        *self = words;
        Some(first.range.start..last.range.end)
    }

    /// What a statement is about, as `trigger ` and a name in backticks.
    fn subject(mut self) -> Option<String> {
        let verb = self.next().filter(|token| self.is_any(token, &["CREATE", "DROP", "ALTER"]))?;
        if self.is(&verb, "ALTER") && self.take("TABLE") {
            return self.table().map(|(_, table)| format!("ALTER TABLE {}", quote_ident(&table)));
        }
        self.pass_definer();
        let kind = self.pass_to(&KINDS)?;
        let kind = String::from_utf8_lossy(self.text(&kind)).to_ascii_lowercase();
        if self.take("IF") {
            self.take("NOT");
            self.take("EXISTS");
        }
        let verb = match () {
            () if self.is(&verb, "DROP") => "DROP of ",
            () if self.is(&verb, "ALTER") => "ALTER of ",
            () => "",
        };
        self.table().map(|(_, name)| format!("{verb}{kind} {}", quote_ident(&name)))
    }

    /// The trigger that a statement makes or drops, and whether it drops it.
    fn trigger(mut self) -> Option<(String, bool)> {
        let verb = self.next().filter(|token| self.is_any(token, &["CREATE", "DROP"]))?;
        self.pass_definer();
        let kind = self.pass_to(&KINDS)?;
        self.is(&kind, "TRIGGER").then_some(())?;
        if self.take("IF") {
            self.take("NOT");
            self.take("EXISTS");
        }
        self.table().map(|(_, name)| (name, self.is(&verb, "DROP")))
    }

    /// The view that a statement makes.
    fn view(mut self) -> Option<String> {
        self.take("CREATE").then_some(())?;
        self.pass_definer();
        let kind = self.pass_to(&KINDS)?;
        self.is(&kind, "VIEW").then_some(())?;
        if self.take("IF") {
            self.take("NOT");
            self.take("EXISTS");
        }
        self.table().map(|(_, name)| name)
    }

    /// The next of these words, which is passed over.
    fn pass_to(&mut self, wanted: &[&str]) -> Option<Token> {
        loop {
            let token = self.next()?;
            if self.is_any(&token, wanted) {
                return Some(token);
            }
        }
    }

    /// The text of a literal or a word that is next, if it is the whole value.
    fn literal(&mut self) -> Option<String> {
        let token = self.peek()?;
        let text = String::from_utf8_lossy(self.text(&token)).into_owned();
        let literal = match token.lexeme {
            Lexeme::Quoted(b'\'' | b'"') => text[1..text.len() - 1].to_owned(),
            Lexeme::Word => text,
            _ => return None,
        };
        self.next();
        let is_whole = self
            .peek()
            .is_none_or(|next| matches!(next.lexeme, Lexeme::Symbol(b',' | b';')) || self.is(&next, "COLLATE"));
        is_whole.then_some(literal)
    }

    /// The variable of the user's that is next, in which dumps keep what was set before: `@OLD_SQL_MODE`, `@saved_cs_client`. In upper case.
    fn user_variable(&self) -> Option<String> {
        let mut ahead = self.clone();
        ahead.take_symbol(b'@').then_some(())?;
        ahead.name().map(|name| name.to_ascii_uppercase())
    }

    /// Which variable comes after `=`: `= @@SQL_MODE`.
    fn kept_variable(&self) -> Option<Variable> {
        let mut ahead = self.clone();
        (ahead.takes_equals() && ahead.take_symbol(b'@') && ahead.take_symbol(b'@')).then_some(())?;
        if ahead.take("SESSION") || ahead.take("LOCAL") {
            ahead.take_symbol(b'.');
        }
        let name = ahead.next()?;
        let known = [
            ("SQL_MODE", Variable::SqlMode),
            ("TIME_ZONE", Variable::TimeZone),
            ("CHARACTER_SET_CLIENT", Variable::Client),
        ];
        known.into_iter().find(|(word, _)| ahead.is(&name, word)).map(|(_, variable)| variable)
    }
}

/// Where a statement that makes a view, a trigger, a routine or an event says `DEFINER = ..`.
pub(super) fn definer(sql: &[u8], dialect: Dialect) -> Option<Range<usize>> {
    let mut words = Words::new(sql, dialect);
    (words.take("CREATE") || words.take("ALTER")).then_some(())?;
    words.pass_definer()
}

/// What a statement is about, for a list: `trigger ` and a name in backticks.
pub(super) fn subject(sql: &[u8], dialect: Dialect) -> Option<String> {
    Words::new(sql, dialect).subject()
}

/// The trigger that a statement makes or drops, and whether it drops it.
pub(super) fn trigger(sql: &[u8], dialect: Dialect) -> Option<(String, bool)> {
    Words::new(sql, dialect).trigger()
}

/// The LOAD DATA that a statement is; `None` for others, and for what only a server does: lines with a beginning, expressions.
pub(super) fn load_data(sql: &[u8], dialect: Dialect) -> Option<LoadData> {
    Words::new(sql, dialect).load_data()
}

/// Whether a statement is a LOAD DATA.
pub(super) fn is_load_data(sql: &[u8], dialect: Dialect) -> bool {
    let mut words = Words::new(sql, dialect);
    words.take("LOAD") && words.take("DATA")
}

/// The view that a statement makes.
pub(super) fn view(sql: &[u8], dialect: Dialect) -> Option<String> {
    Words::new(sql, dialect).view()
}

/// The tables and views that queries of a text read: the names after FROM and JOIN, each without a database.
pub(super) fn tables_read(sql: &[u8], dialect: Dialect) -> Vec<String> {
    let words = Words::new(sql, dialect);
    let last = |place: Range<usize>| {
        let tokens = Words::new(&sql[place.clone()], dialect).all();
        let last = tokens.last()?;
        words.name_of(&Token { range: place.start + last.range.start..place.start + last.range.end, ..last.clone() })
    };
    table_places(sql, dialect).into_iter().filter_map(last).collect()
}

/// The same as places in the text, each with a database that is named.
pub(super) fn table_places(sql: &[u8], dialect: Dialect) -> Vec<Range<usize>> {
    let mut words = Words::new(sql, dialect);
    let mut found = Vec::new();
    // For each open bracket, whether the text in it is within a FROM, and whether it has the arguments of a function.
    let (mut within, mut open) = ((false, false), Vec::new());
    // A table comes next, maybe in brackets; a function's name was last.
    let (mut is_next, mut is_function) = (false, false);
    while let Some(token) = words.next() {
        let was_next = std::mem::take(&mut is_next);
        let was_function = std::mem::take(&mut is_function);
        match token.lexeme {
            Lexeme::Symbol(b'(') => {
                open.push(std::mem::replace(&mut within, (was_next, was_function)));
                is_next = was_next;
            }
            Lexeme::Symbol(b')') => within = open.pop().unwrap_or_default(),
            Lexeme::Symbol(b';') => within = (false, false),
            Lexeme::Symbol(b',') => is_next = within.0,
            // `extract(year from x)`, `trim(leading 'a' from x)`.
            Lexeme::Word if within.1 && words.is(&token, "FROM") => {}
            Lexeme::Word if words.is_any(&token, &["FROM", "JOIN", "STRAIGHT_JOIN"]) => {
                (within.0, is_next) = (true, true);
            }
            Lexeme::Word if words.is_any(&token, &AFTER_FROM) => within.0 = false,
            Lexeme::Word if was_next && words.is(&token, "LATERAL") => is_next = true,
            Lexeme::Word if words.is_any(&token, &["EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "MID"]) => {
                is_function = true;
            }
            _ if was_next => {
                let mut place = token.range.clone();
                let mut is_name = words.name_of(&token).is_some();
                while words.take_symbol(b'.') {
                    let next = words.next();
                    is_name = next.as_ref().is_some_and(|token| words.name_of(token).is_some());
                    place.end = next.map_or(place.end, |token| token.range.end);
                }
                found.extend(is_name.then_some(place));
            }
            _ => {}
        }
    }
    found
}

/// What a SET says about how rows are read; nothing of any other statement.
pub(super) fn settings(sql: &[u8], dialect: Dialect) -> Vec<Setting> {
    let mut words = Words::new(sql, dialect);
    let mut found = Vec::new();
    if !words.take("SET") {
        return found;
    }
    // `@@time_zone` is the session's, `@time_zone` a variable of the user's.
    let (mut n_signs, mut is_value) = (0, false);
    while let Some(token) = words.next() {
        match token.lexeme {
            Lexeme::Symbol(b'@') => {
                n_signs += 1;
                continue;
            }
            Lexeme::Symbol(b'=') => is_value = true,
            Lexeme::Symbol(b',') => is_value = false,
            _ if is_value => {}
            _ if n_signs == 1 => {
                let kept = words.name_of(&token).zip(words.kept_variable());
                found.extend(kept.map(|(name, variable)| Setting::Kept(name.to_ascii_uppercase(), variable)));
            }
            _ if words.is(&token, "NAMES") || words.is(&token, "CHARSET") => {
                found.extend(words.literal().map(|name| Setting::Names(name.to_ascii_lowercase())));
            }
            _ if words.is(&token, "CHARACTER") && words.take("SET") => {
                found.extend(words.literal().map(|name| Setting::Names(name.to_ascii_lowercase())));
            }
            _ if words.is(&token, "CHARACTER_SET_CLIENT") && words.takes_equals() => {
                match words.user_variable() {
                    Some(name) => found.push(Setting::Back(name, Variable::Client)),
                    None => found.extend(words.literal().map(|name| Setting::Names(name.to_ascii_lowercase()))),
                }
                is_value = true;
            }
            _ if words.is(&token, "SQL_MODE") && words.takes_equals() => {
                found.push(match words.user_variable() {
                    Some(name) => Setting::Back(name, Variable::SqlMode),
                    None => Setting::SqlMode(words.literal()),
                });
                is_value = true;
            }
            _ if words.is(&token, "TIME_ZONE") && words.takes_equals() => {
                found.push(match words.user_variable() {
                    Some(name) => Setting::Back(name, Variable::TimeZone),
                    None => Setting::TimeZone(words.literal()),
                });
                is_value = true;
            }
            _ => {}
        }
        n_signs = 0;
    }
    found
}

impl Words<'_> {
    fn takes_equals(&mut self) -> bool {
        self.take_symbol(b':');
        self.take_symbol(b'=')
    }
}

/// What ends a FROM.
const AFTER_FROM: [&str; 8] = ["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "SELECT"];

/// The types of text.
const TEXTS: [&str; 9] = ["CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET", "NVARCHAR"];

/// What is made beside tables and databases.
const KINDS: [&str; 6] = ["VIEW", "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "INDEX"];

/// As many lexemes may come before the word that says what is created.
const MOST_BEFORE: usize = 20;

/// What an item of a CREATE TABLE begins with that is no column, unless it is in backticks.
const NO_COLUMNS: [&str; 11] =
    ["CHECK", "CONSTRAINT", "FOREIGN", "FULLTEXT", "INDEX", "KEY", "LIKE", "PERIOD", "PRIMARY", "SPATIAL", "UNIQUE"];
