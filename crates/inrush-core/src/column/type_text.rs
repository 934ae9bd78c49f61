//! The names of types: [`ColumnType::parse`] reads the server's spelling, `information_schema.columns.column_type` of MySQL and MariaDB
//! alike; `Display` writes the type as people write it in SQL, for messages.
//!
//! An unknown type becomes [`ColumnType::Other`]: then the server alone checks the values. Attributes after the type (`zerofill`,
//! comments such as `/* mariadb-5.3 */`, COMPRESSED) do not change what fits and are ignored.

use super::{Column, ColumnType, GeometryKind};
use std::fmt;

impl Column {
    /// The column of a definition: a type, then CHARACTER SET and COLLATE, then NULL or NOT NULL. A text without a character set is utf8mb4.
    pub fn defined(name: impl Into<String>, definition: &str) -> Column {
        let (ty, words) = split_type(definition);
        let words: Vec<String> = words.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        let nullable = !words.ends_with(&["not".into(), "null".into()]);
        let with_sign =
            if words.iter().any(|word| word == "unsigned") { format!("{ty} unsigned") } else { ty.to_owned() };
        let charset = charset_of(&words).unwrap_or_else(|| "utf8mb4".to_owned());
        Column {
            nullable,
            optional: nullable,
            charset: Some(charset),
            ..Column::new(name, ColumnType::parse(&with_sign))
        }
    }
}

/// A definition as its type, with what is in brackets, and what follows.
pub fn split_type(definition: &str) -> (&str, &str) {
    let definition = definition.trim();
    let word = definition.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(definition.len());
    let open = definition[word..].trim_start();
    if !open.starts_with('(') {
        return definition.split_at(word);
    }
    let mut is_within = false;
    for (at, c) in definition.char_indices().skip_while(|(at, _)| *at < word) {
        match c {
            '\'' => is_within = !is_within,
            ')' if !is_within => return definition.split_at(at + 1),
            _ => {}
        }
    }
    (definition, "")
}

/// The character set that words behind a type name, by itself or by a collation. `None`: that of the table.
fn charset_of(words: &[String]) -> Option<String> {
    let behind = |names: &[&str]| {
        let at =
            words.windows(names.len()).position(|some| some.iter().map(String::as_str).eq(names.iter().copied()))?;
        words.get(at + names.len()).map(String::as_str)
    };
    let named = behind(&["character", "set"]).or_else(|| behind(&["charset"]));
    // The names of MariaDB's newer collations begin with no character set.
    let of_collation = |name: &str| name.split('_').next().filter(|first| *first != "uca1400").map(str::to_owned);
    named.map(str::to_owned).or_else(|| behind(&["collate"]).and_then(of_collation))
}

/// Whether a definition names the character set of its text.
pub fn names_charset(definition: &str) -> bool {
    let words: Vec<String> = split_type(definition).1.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
    charset_of(&words).is_some()
}

impl ColumnType {
    /// Reads a `column_type`, e.g. `int(10) unsigned`, `enum('a','b')`.
    pub fn parse(text: &str) -> ColumnType {
        known(text).unwrap_or_else(|| ColumnType::Other(text.to_owned()))
    }
}

fn known(text: &str) -> Option<ColumnType> {
    let word_end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    let word = word.to_ascii_lowercase();
    if word == "enum" || word == "set" {
        let members = members(rest)?;
        return Some(if word == "enum" { ColumnType::Enum { members } } else { ColumnType::Set { members } });
    }
    let (args, rest) = arguments(rest)?;
    let unsigned = rest.split_ascii_whitespace().any(|w| w.eq_ignore_ascii_case("unsigned"));
    let fsp = || fsp(&args);
    let length = || args.first().copied();
    Some(match word.as_str() {
        "tinyint" => ColumnType::Int { bytes: 1, unsigned, bool: args == [1] && !unsigned },
        "bool" | "boolean" if args.is_empty() => ColumnType::Int { bytes: 1, unsigned: false, bool: true },
        "smallint" => ColumnType::Int { bytes: 2, unsigned, bool: false },
        "mediumint" => ColumnType::Int { bytes: 3, unsigned, bool: false },
        "int" | "integer" => ColumnType::Int { bytes: 4, unsigned, bool: false },
        "bigint" => ColumnType::Int { bytes: 8, unsigned, bool: false },
        "decimal" | "numeric" => {
            let (precision, scale) = match args[..] {
                [] => (10, 0),
                [precision] => (precision, 0),
                [precision, scale] => (precision, scale),
                _ => return None,
            };
            ColumnType::Decimal { precision: small(precision, 65)?, scale: small(scale, 38)?, unsigned }
        }
        "float" => ColumnType::Float { unsigned, digits: digits(&args)? },
        "double" | "real" => ColumnType::Double { unsigned, digits: digits(&args)? },
        "bit" => ColumnType::Bit { bits: small(length().unwrap_or(1), 64)? },
        "year" => ColumnType::Year,
        "date" => ColumnType::Date,
        "time" => ColumnType::Time { fsp: fsp()? },
        "datetime" => ColumnType::DateTime { fsp: fsp()? },
        "timestamp" => ColumnType::Timestamp { fsp: fsp()? },
        "char" => ColumnType::Char { chars: length().unwrap_or(1) },
        "varchar" => ColumnType::VarChar { chars: length()? },
        "tinytext" => ColumnType::Text { bytes: 0xff },
        "text" => ColumnType::Text { bytes: 0xffff },
        "mediumtext" => ColumnType::Text { bytes: 0xff_ffff },
        "longtext" => ColumnType::Text { bytes: u32::MAX },
        "binary" => ColumnType::Binary { bytes: length().unwrap_or(1) },
        "varbinary" => ColumnType::VarBinary { bytes: length()? },
        "tinyblob" => ColumnType::Blob { bytes: 0xff },
        "blob" => ColumnType::Blob { bytes: 0xffff },
        "mediumblob" => ColumnType::Blob { bytes: 0xff_ffff },
        "longblob" => ColumnType::Blob { bytes: u32::MAX },
        "json" => ColumnType::Json,
        "vector" => ColumnType::Vector { dim: length()? },
        "uuid" => ColumnType::Uuid,
        "inet4" => ColumnType::Inet4,
        "inet6" => ColumnType::Inet6,
        "geomcollection" => ColumnType::Geometry { kind: GeometryKind::Collection },
        other => {
            let (kind, _) = GeometryKind::NAMES.iter().find(|(_, name)| name.eq_ignore_ascii_case(other))?;
            ColumnType::Geometry { kind: *kind }
        }
    })
}

/// Reads `(10,2) unsigned` into the numbers and what follows; without brackets there are no numbers.
fn arguments(text: &str) -> Option<(Vec<u32>, &str)> {
    let Some(inside) = text.strip_prefix('(') else { return Some((Vec::new(), text)) };
    let (inside, rest) = inside.split_once(')')?;
    let numbers = inside.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
    Some((numbers, rest))
}

/// Reads `('a','b''c')`. The servers double a quote and put a backslash before a backslash and before the letters that
/// stand for NUL, newline and carriage return.
fn members(text: &str) -> Option<Vec<String>> {
    let mut chars = text.strip_prefix('(')?.chars().peekable();
    let mut members = Vec::new();
    loop {
        if chars.next()? != '\'' {
            return None;
        }
        let mut member = String::new();
        loop {
            match chars.next()? {
                '\'' if chars.peek() == Some(&'\'') => {
                    chars.next();
                    member.push('\'');
                }
                '\'' => break,
                '\\' => member.push(match chars.next()? {
                    '0' => '\0',
                    'n' => '\n',
                    'r' => '\r',
                    other => other,
                }),
                other => member.push(other),
            }
        }
        members.push(member);
        match chars.next()? {
            ',' => {}
            ')' => return Some(members),
            _ => return None,
        }
    }
}

fn small(number: u32, max: u8) -> Option<u8> {
    u8::try_from(number).ok().filter(|n| *n <= max)
}

fn fsp(args: &[u32]) -> Option<u8> {
    small(args.first().copied().unwrap_or(0), 6)
}

/// FLOAT(24) and FLOAT(53) only choose between the two types; (m,d) rounds.
fn digits(args: &[u32]) -> Option<Option<(u8, u8)>> {
    match args {
        [m, d] => Some(Some((small(*m, 255)?, small(*d, 30)?))),
        _ => Some(None),
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int { bool: true, .. } => f.write_str("BOOL"),
            Self::Int { bytes, unsigned, .. } => write!(f, "{}{}", int_name(*bytes), sign(*unsigned)),
            Self::Decimal { precision, scale, unsigned } => {
                write!(f, "DECIMAL({precision},{scale}){}", sign(*unsigned))
            }
            Self::Float { unsigned, digits } => write!(f, "FLOAT{}{}", Digits(*digits), sign(*unsigned)),
            Self::Double { unsigned, digits } => write!(f, "DOUBLE{}{}", Digits(*digits), sign(*unsigned)),
            Self::Bit { bits } => write!(f, "BIT({bits})"),
            Self::Year => f.write_str("YEAR"),
            Self::Date => f.write_str("DATE"),
            Self::Time { fsp } => write!(f, "TIME({fsp})"),
            Self::DateTime { fsp } => write!(f, "DATETIME({fsp})"),
            Self::Timestamp { fsp } => write!(f, "TIMESTAMP({fsp})"),
            Self::Char { chars } => write!(f, "CHAR({chars})"),
            Self::VarChar { chars } => write!(f, "VARCHAR({chars})"),
            Self::Text { bytes } => write!(f, "{}TEXT", size_prefix(*bytes)),
            Self::Binary { bytes } => write!(f, "BINARY({bytes})"),
            Self::VarBinary { bytes } => write!(f, "VARBINARY({bytes})"),
            Self::Blob { bytes } => write!(f, "{}BLOB", size_prefix(*bytes)),
            Self::Enum { members } => write_members(f, "ENUM", members),
            Self::Set { members } => write_members(f, "SET", members),
            Self::Json => f.write_str("JSON"),
            Self::Geometry { kind } => f.write_str(kind.name()),
            Self::Vector { dim } => write!(f, "VECTOR({dim})"),
            Self::Uuid => f.write_str("UUID"),
            Self::Inet4 => f.write_str("INET4"),
            Self::Inet6 => f.write_str("INET6"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

fn int_name(bytes: u8) -> &'static str {
    match bytes {
        1 => "TINYINT",
        2 => "SMALLINT",
        3 => "MEDIUMINT",
        4 => "INT",
        _ => "BIGINT",
    }
}

fn sign(unsigned: bool) -> &'static str {
    if unsigned { " UNSIGNED" } else { "" }
}

struct Digits(Option<(u8, u8)>);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((m, d)) => write!(f, "({m},{d})"),
            None => Ok(()),
        }
    }
}

fn size_prefix(bytes: u32) -> &'static str {
    match bytes {
        0..=0xff => "TINY",
        0x100..=0xffff => "",
        0x1_0000..=0xff_ffff => "MEDIUM",
        _ => "LONG",
    }
}

/// The first members only: an ENUM may have 65,535 of them, and a message is one line.
fn write_members(f: &mut fmt::Formatter<'_>, word: &str, members: &[String]) -> fmt::Result {
    write!(f, "{word}(")?;
    for (i, member) in members.iter().take(MEMBERS_SHOWN).enumerate() {
        write!(f, "{}'{}'", if i > 0 { "," } else { "" }, member.escape_debug())?;
    }
    f.write_str(if members.len() > MEMBERS_SHOWN { ",..)" } else { ")" })
}

const MEMBERS_SHOWN: usize = 8;

#[cfg(test)]
mod tests;
