//! An index's definition as a value: parsed from SHOW CREATE TABLE or from the ledger, and written from that value.
//!
//! The ledger is data that others may have written, so its text is never run directly. A definition is a kind, a name, key parts
//! and options; any other text is not parsed, and the caller refuses it.

use crate::value::ident::quote_ident;
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
        let mut reader = Reader { rest: text };
        let definition = reader.definition()?;
        reader.rest.trim_ascii().is_empty().then_some(definition)
    }

    /// Parses what [`super::add`] wrote: definitions that each follow `ADD`, with commas in between. Returns `None` if anything
    /// is not one.
    pub(super) fn parse_all(text: &str) -> Option<Vec<Self>> {
        let mut reader = Reader { rest: text };
        let mut all = Vec::new();
        loop {
            if !reader.word("ADD") {
                return None;
            }
            all.push(reader.definition()?);
            if reader.rest.trim_ascii().is_empty() {
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

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
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
        while let Some(option) = self.option() {
            options.push(option);
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
        const SIGNS: &str = "+-*/%<>=!&|^~.,()";
        let (mut tokens, mut depth) = (Vec::new(), 0_u32);
        loop {
            let trimmed = self.rest.trim_ascii_start();
            let spaced = trimmed.len() != self.rest.len() && !tokens.is_empty();
            self.rest = trimmed;
            if ["/*", "*/", "--"].iter().any(|comment| self.rest.starts_with(comment)) {
                return None;
            }
            let kind = match self.rest.chars().next()? {
                '`' => TokenKind::Ident(self.ident()?),
                '\'' => TokenKind::Text(self.text()?),
                c if c.is_ascii_alphanumeric() || c == '_' => {
                    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
                    let end = self.rest.find(|c| !is_of_word(c)).unwrap_or(self.rest.len());
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    if ["SELECT", "INTO"].iter().any(|no| word.eq_ignore_ascii_case(no)) {
                        return None;
                    }
                    TokenKind::Word(word.to_owned())
                }
                sign if SIGNS.contains(sign) => {
                    self.rest = &self.rest[1..];
                    match sign {
                        '(' => depth += 1,
                        ')' if depth == 0 => return (!tokens.is_empty()).then_some(tokens),
                        ')' => depth -= 1,
                        _ => {}
                    }
                    TokenKind::Sign(sign)
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
            self.space();
            return self.text().map(Opt::Comment);
        }
        if self.rest.trim_ascii_start().starts_with('`') {
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
        let inside = self.rest.trim_ascii_start().strip_prefix("/*!")?;
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        let mut reader = Reader { rest: inside.get(digits..).filter(|_| matches!(digits, 5 | 6))? };
        let option = reader.bare_option()?;
        reader.space();
        self.rest = reader.rest.strip_prefix("*/")?;
        Some(option)
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn sign(&mut self, sign: char) -> bool {
        let found = self.rest.trim_ascii_start().strip_prefix(sign);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_ascii_start();
        let Some((first, behind)) = rest.split_at_checked(word.len()) else { return false };
        let ends = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        let found = ends && first.eq_ignore_ascii_case(word);
        if found {
            self.rest = behind;
        }
        found
    }

    fn number(&mut self) -> Option<u32> {
        self.space();
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        number.parse().ok()
    }

    /// A name in backticks.
    fn ident(&mut self) -> Option<String> {
        self.space();
        let (name, rest) = super::ident(self.rest)?;
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    /// A text in single quotes, with its escapes undone.
    fn text(&mut self) -> Option<String> {
        let mut chars = self.rest.strip_prefix('\'')?.chars();
        let mut text = String::new();
        loop {
            let c = match chars.next()? {
                '\'' if chars.as_str().starts_with('\'') => chars.next()?,
                '\'' => break,
                '\\' => match chars.next()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    same @ ('\\' | '\'' | '"') => same,
                    _ => return None,
                },
                c => c,
            };
            text.push(c);
        }
        self.rest = chars.as_str();
        Some(text)
    }
}
