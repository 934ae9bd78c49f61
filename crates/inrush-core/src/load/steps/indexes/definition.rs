//! An index's definition as a value: parsed from SHOW CREATE TABLE or from the ledger, and written from that value.
//!
//! The ledger is data that others may have written, so its text is never run directly. A definition is a kind, a name, key parts
//! and options; any other text is not parsed, and the caller refuses it.

use crate::column::ident::quote_ident;
use crate::sql::{self, Dialect, Lexeme, Lexer};
use std::fmt::Write as _;

/// The kinds of index that a load may drop and rebuild. A primary key has no name but PRIMARY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Primary,
    Unique,
    Plain,
    Fulltext,
    Spatial,
    Vector,
}

/// A key part: a column or an expression, and its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) key: Key,
    descending: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Column { name: String, prefix: Option<u32> },
    Expression(Vec<Token>),
}

/// A token of an expression, and whether a space precedes it: a function's name and its bracket must stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    spaced: bool,
    kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TokenKind {
    Ident(String),
    Text(String),
    /// A keyword, a function, a number, an introducer such as `_utf8mb4`.
    Word(String),
    Sign(char),
}

/// An option that follows the key parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opt {
    Using(&'static str),
    KeyBlockSize(u32),
    Comment(String),
    Parser(String),
    /// MySQL's INVISIBLE, MariaDB's IGNORED.
    Hidden(&'static str),
    /// MariaDB, of a vector index.
    Edges(u32),
    Distance(&'static str),
}

/// All of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) parts: Vec<Part>,
    options: Vec<Opt>,
}

impl Definition {
    /// Parses one definition that is all of `text`. Returns `None` if it is anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader::new(text);
        let definition = reader.definition()?;
        reader.is_over().then_some(definition)
    }

    /// Parses what [`super::add`] wrote: definitions that each follow `ADD`, with commas in between. Returns `None` if anything
    /// is not one.
    pub(super) fn parse_all(text: &str) -> Option<Vec<Self>> {
        let mut reader = Reader::new(text);
        let mut all = Vec::new();
        loop {
            if !reader.word("ADD") {
                return None;
            }
            all.push(reader.definition()?);
            if reader.is_over() {
                return Some(all);
            }
            if !reader.sign(',') {
                return None;
            }
        }
    }

    /// The definition in SQL.
    pub(super) fn sql(&self) -> String {
        let kind = match self.kind {
            Kind::Primary => "PRIMARY ",
            Kind::Unique => "UNIQUE ",
            Kind::Plain => "",
            Kind::Fulltext => "FULLTEXT ",
            Kind::Spatial => "SPATIAL ",
            Kind::Vector => "VECTOR ",
        };
        let parts: Vec<String> = self.parts.iter().map(Part::sql).collect();
        let name = if self.kind == Kind::Primary { String::new() } else { quote_ident(&self.name) + " " };
        let mut sql = format!("{kind}KEY {name}({})", parts.join(","));
        for option in &self.options {
            let _ = match option {
                Opt::Using(method) => write!(sql, " USING {method}"),
                Opt::KeyBlockSize(size) => write!(sql, " KEY_BLOCK_SIZE={size}"),
                Opt::Comment(text) => write!(sql, " COMMENT {}", literal(text)),
                Opt::Parser(name) => write!(sql, " WITH PARSER {}", quote_ident(name)),
                Opt::Hidden(word) => write!(sql, " {word}"),
                Opt::Edges(n) => write!(sql, " `M`={n}"),
                Opt::Distance(name) => write!(sql, " `DISTANCE`={name}"),
            };
        }
        sql
    }
}

impl Part {
    /// Its value in a row, as the index compares it.
    pub(super) fn value(&self) -> String {
        match &self.key {
            Key::Column { name, prefix: Some(n) } => format!("LEFT({},{n})", quote_ident(name)),
            _ => Part { descending: false, ..self.clone() }.sql(),
        }
    }

    fn sql(&self) -> String {
        let mut sql = match &self.key {
            Key::Column { name, prefix: None } => quote_ident(name),
            Key::Column { name, prefix: Some(n) } => format!("{}({n})", quote_ident(name)),
            Key::Expression(tokens) => {
                let mut sql = "(".to_owned();
                for token in tokens {
                    sql.push_str(if token.spaced { " " } else { "" });
                    match &token.kind {
                        TokenKind::Ident(name) => sql.push_str(&quote_ident(name)),
                        TokenKind::Text(text) => sql.push_str(&literal(text)),
                        TokenKind::Word(word) => sql.push_str(word),
                        TokenKind::Sign(sign) => sql.push(*sign),
                    }
                }
                sql + ")"
            }
        };
        if self.descending {
            sql.push_str(" DESC");
        }
        sql
    }
}

/// A text in quotes, for sessions that escape by a backslash, which a load's is.
fn literal(text: &str) -> String {
    let mut sql = "'".to_owned();
    for c in text.chars() {
        match c {
            '\'' => sql.push_str("''"),
            '\\' => sql.push_str("\\\\"),
            '\n' => sql.push_str("\\n"),
            '\r' => sql.push_str("\\r"),
            '\0' => sql.push_str("\\0"),
            c => sql.push(c),
        }
    }
    sql + "'"
}

/// What servers call a primary key.
pub(super) const PRIMARY: &str = "PRIMARY";

/// Reads tokens.
struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    next: Option<sql::Token>,
    /// Where the last token that was taken ends.
    end: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text.as_bytes(), Dialect::default());
        Self { text, next: next(&mut lexer), lexer, end: 0 }
    }

    fn is_over(&self) -> bool {
        self.next.is_none()
    }

    fn peek(&self) -> Option<(Lexeme, &'a str)> {
        self.next.as_ref().map(|token| (token.lexeme, &self.text[token.range.clone()]))
    }

    /// Takes the next token if it fits.
    fn take(&mut self, fits: impl FnOnce(Lexeme, &str) -> bool) -> Option<&'a str> {
        let (lexeme, text) = self.peek()?;
        fits(lexeme, text).then(|| {
            self.end = self.next.as_ref().map_or(self.end, |token| token.range.end);
            self.next = next(&mut self.lexer);
            text
        })
    }

    fn definition(&mut self) -> Option<Definition> {
        let kinds = [
            ("PRIMARY", Kind::Primary),
            ("UNIQUE", Kind::Unique),
            ("FULLTEXT", Kind::Fulltext),
            ("SPATIAL", Kind::Spatial),
            ("VECTOR", Kind::Vector),
        ];
        let kind = kinds.into_iter().find(|(word, _)| self.word(word)).map_or(Kind::Plain, |(_, kind)| kind);
        if !self.word("KEY") {
            return None;
        }
        let name = if kind == Kind::Primary { PRIMARY.to_owned() } else { self.ident()? };
        let mut parts = Vec::new();
        if !self.sign('(') {
            return None;
        }
        loop {
            parts.push(self.part()?);
            if self.sign(')') {
                break;
            }
            if !self.sign(',') {
                return None;
            }
        }
        let mut options = Vec::new();
        while self.peek().is_some_and(|(lexeme, _)| lexeme != Lexeme::Symbol(b',')) {
            options.push(self.option()?);
        }
        Some(Definition { kind, name, parts, options })
    }

    fn part(&mut self) -> Option<Part> {
        let key = if self.sign('(') {
            Key::Expression(self.expression()?)
        } else {
            let name = self.ident()?;
            let prefix = match self.sign('(') {
                true => Some(self.number().filter(|_| self.sign(')'))?),
                false => None,
            };
            Key::Column { name, prefix }
        };
        let descending = self.word("DESC");
        if !descending {
            self.word("ASC");
        }
        Some(Part { key, descending })
    }

    /// Up to the bracket that closes it. No comments, no variables, no second statement: only what an expression is made of.
    fn expression(&mut self) -> Option<Vec<Token>> {
        const SIGNS: &[u8] = b"+-*/%<>=!&|^~.,()";
        let (mut tokens, mut depth) = (Vec::new(), 0_u32);
        loop {
            let spaced = self.next.as_ref()?.range.start > self.end && !tokens.is_empty();
            let (lexeme, text) = self.peek()?;
            let kind = match lexeme {
                Lexeme::Quoted(b'`') => TokenKind::Ident(self.ident()?),
                Lexeme::Quoted(b'\'') => TokenKind::Text(self.text()?),
                Lexeme::Word if text.is_ascii() && !text.starts_with('$') => {
                    if ["SELECT", "INTO"].iter().any(|no| text.eq_ignore_ascii_case(no)) {
                        return None;
                    }
                    TokenKind::Word(self.take(|_, _| true)?.to_owned())
                }
                Lexeme::Symbol(sign) if SIGNS.contains(&sign) => {
                    self.take(|_, _| true)?;
                    match sign {
                        b'(' => depth += 1,
                        b')' if depth == 0 => return (!tokens.is_empty()).then_some(tokens),
                        b')' => depth -= 1,
                        _ => {}
                    }
                    TokenKind::Sign(sign.into())
                }
                _ => return None,
            };
            tokens.push(Token { spaced, kind });
        }
    }

    fn option(&mut self) -> Option<Opt> {
        if let Some(option) = self.versioned() {
            return Some(option);
        }
        if self.word("USING") {
            return ["BTREE", "HASH", "RTREE"].into_iter().find(|method| self.word(method)).map(Opt::Using);
        }
        if self.word("KEY_BLOCK_SIZE") {
            self.sign('=');
            return self.number().map(Opt::KeyBlockSize);
        }
        if self.word("COMMENT") {
            return self.text().map(Opt::Comment);
        }
        if matches!(self.peek(), Some((Lexeme::Quoted(b'`'), _))) {
            let name = self.ident()?;
            self.sign('=').then_some(())?;
            return match name.as_str() {
                "M" => self.number().map(Opt::Edges),
                "DISTANCE" => ["euclidean", "cosine"].into_iter().find(|it| self.word(it)).map(Opt::Distance),
                _ => None,
            };
        }
        self.bare_option()
    }

    fn bare_option(&mut self) -> Option<Opt> {
        if self.word("WITH") {
            return self.word("PARSER").then(|| self.ident())?.map(Opt::Parser);
        }
        ["INVISIBLE", "IGNORED"].into_iter().find(|word| self.word(word)).map(Opt::Hidden)
    }

    /// An option in the comment in which SHOW CREATE TABLE hides it from older servers: ``/*!50100 WITH PARSER `ngram` */``. All of the
    /// comment must be that option.
    fn versioned(&mut self) -> Option<Opt> {
        self.take(|lexeme, mark| {
            lexeme == Lexeme::OpenCondition && matches!(mark.len(), 8 | 9) && !mark.contains('M')
        })?;
        let option = self.bare_option()?;
        self.take(|lexeme, _| lexeme == Lexeme::CloseCondition)?;
        Some(option)
    }

    fn sign(&mut self, sign: char) -> bool {
        self.take(|lexeme, text| matches!(lexeme, Lexeme::Symbol(_)) && text.starts_with(sign)).is_some()
    }

    fn word(&mut self, word: &str) -> bool {
        self.take(|lexeme, text| lexeme == Lexeme::Word && text.eq_ignore_ascii_case(word)).is_some()
    }

    fn number(&mut self) -> Option<u32> {
        self.take(|lexeme, _| lexeme == Lexeme::Word)?.parse().ok()
    }

    /// A name in backticks.
    fn ident(&mut self) -> Option<String> {
        let quoted = self.take(|lexeme, _| lexeme == Lexeme::Quoted(b'`'))?;
        let (name, _) = super::ident(quoted)?;
        (!name.is_empty()).then_some(name)
    }

    /// A text in single quotes, with its escapes undone.
    fn text(&mut self) -> Option<String> {
        let quoted = self.take(|lexeme, _| lexeme == Lexeme::Quoted(b'\''))?;
        let mut chars = quoted[1..quoted.len() - 1].chars();
        let mut text = String::new();
        while let Some(c) = chars.next() {
            text.push(match c {
                // A doubled quote.
                '\'' => chars.next()?,
                '\\' => match chars.next()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    same @ ('\\' | '\'' | '"') => same,
                    _ => return None,
                },
                c => c,
            });
        }
        Some(text)
    }
}

/// The next token. A comment is one too, which nothing takes.
fn next(lexer: &mut Lexer<'_>) -> Option<sql::Token> {
    lexer.find(|token| token.lexeme != Lexeme::Blank)
}
