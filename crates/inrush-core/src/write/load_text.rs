//! The statement of LOAD DATA, and what its text is made of: for the values of a batch as for the columns of a load.

use super::block::Special;
use super::{Computed, Separators};
use crate::column::check::Form;
use crate::column::ident::quote_ident;
use crate::column::text_literal::quote_text;
use crate::column::{Column, ColumnType};

/// A column that a field of the text fills.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextField<'a> {
    name: &'a str,
    form: Form,
    auto_increment: bool,
}

impl<'a> TextField<'a> {
    /// `form` is how its values are written.
    pub(crate) fn new(column: &'a Column, form: Form) -> Self {
        Self { name: &column.name, form, auto_increment: column.auto_increment }
    }
}

/// The statement for columns. `into` may say more: `REPLACE INTO TABLE t PARTITION (p)`.
pub(crate) fn statement_of(into: &str, charset: &str, fields: &[TextField<'_>], file_name: &str) -> String {
    statement_with(&Reading { into, charset, separators: ENCODED }, fields, 0, &[], &[], file_name)
}

/// A text that a LOAD reads, as far as the statement depends on it.
#[derive(Clone, Copy, Debug)]
pub struct LoadText<'a> {
    /// The text: valid UTF-8.
    pub text: &'a [u8],
    /// Whether all of it is ASCII; `None` if that was not checked yet.
    pub is_ascii: Option<bool>,
    /// What separates its fields.
    pub separators: Separators,
}

impl<'a> LoadText<'a> {
    /// A text as this crate encodes it.
    pub fn encoded(text: &'a [u8]) -> Self {
        Self { text, is_ascii: None, separators: ENCODED }
    }

    fn is_ascii(&self) -> bool {
        self.is_ascii.unwrap_or_else(|| self.text.is_ascii())
    }
}

/// The target of the text, and how the server reads it.
pub(crate) struct Reading<'a> {
    pub(crate) into: &'a str,
    pub(crate) charset: &'a str,
    pub(crate) separators: Separators,
}

/// The character set that the statement declares for the text. The text is always UTF-8, in which no byte of a longer character
/// equals a byte that ends a field. Where the declaration changes nothing for any column, `binary` saves the servers the pass
/// character by character, which takes up to an eighth of their time (docs/notes/load-speed.md).
pub(crate) fn charset<'a>(
    columns: impl IntoIterator<Item = &'a Column, IntoIter: Clone>,
    text: LoadText<'_>,
) -> &'static str {
    let columns = columns.into_iter();
    let takes_bytes = columns.clone().all(|column| takes_bytes(column, false))
        || columns.clone().all(|column| takes_bytes(column, true)) && text.is_ascii();
    if takes_bytes { AS_BYTES } else { AS_CHARACTERS }
}

/// Whether a column stores a text declared as bytes like the same text declared as characters. Numbers and times are ASCII.
/// Texts, which are checked against the column's own character set, are the same in it. Bytes and bits come through a function
/// that reads ASCII. Exceptions: JSON, which MySQL does not accept as bytes; types of MariaDB that read 16 bytes as the value
/// itself; geometries, whose expression matches a pattern. `checks_oracle` compares what is stored.
fn takes_bytes(column: &Column, is_ascii: bool) -> bool {
    use ColumnType::{
        Binary, Bit, Blob, Char, Date, DateTime, Decimal, Double, Enum, Float, Int, Set, Text, Time, Timestamp,
        VarBinary, VarChar, Year,
    };
    match column.ty {
        Int { .. } | Decimal { .. } | Float { .. } | Double { .. } => true,
        Year | Date | Time { .. } | DateTime { .. } | Timestamp { .. } => true,
        Bit { .. } | Binary { .. } | VarBinary { .. } | Blob { .. } => true,
        Char { .. } | VarChar { .. } | Text { .. } | Enum { .. } | Set { .. } => match column.charset.as_deref() {
            Some("utf8mb4") => true,
            Some(charset) => is_ascii && HOLD_ASCII.contains(&charset),
            None => false,
        },
        _ => false,
    }
}

/// Character sets in which each byte of ASCII is that character. In `sjis`, `swe7`, `ucs2`, `utf16`, `utf16le` and `utf32` it is not.
/// `checks_oracle` queries the servers for it.
pub const HOLD_ASCII: [&str; 35] = [
    "armscii8", "ascii", "big5", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "cp932", "dec8",
    "eucjpms", "euckr", "gb18030", "gb2312", "gbk", "geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r", "koi8u",
    "latin1", "latin2", "latin5", "latin7", "macce", "macroman", "tis620", "ujis", "utf8", "utf8mb3", "utf8mb4",
];

const AS_BYTES: &str = "binary";
pub(crate) const AS_CHARACTERS: &str = "utf8mb4";

/// After the fields that go into columns come `n_variables` more; what is computed from all of them goes into the columns
/// `names`.
pub(crate) fn statement_with(
    &Reading { into, charset, separators }: &Reading<'_>,
    fields: &[TextField<'_>],
    n_variables: usize,
    computed: &[Computed<usize>],
    names: &[String],
    file_name: &str,
) -> String {
    let variable = |number: usize| format!("@inrush{}", number + 1);
    let mut name = Vec::new();
    quote_text(file_name.as_bytes(), true, &mut name);
    let mut list = Vec::new();
    let mut set = Vec::new();
    let has_set = !computed.is_empty() || fields.iter().any(|field| expression(field.form, "").is_some());
    for (i, field) in fields.iter().enumerate() {
        let ident = quote_ident(field.name);
        match expression(field.form, &variable(i)) {
            // Of a statement with SET, MariaDB generates a number in place of 0 although NO_AUTO_VALUE_ON_ZERO is on, unless SET gives the value.
            None if field.auto_increment && has_set => {
                list.push(variable(i));
                set.push(format!("{ident}={}", variable(i)));
            }
            None => list.push(ident),
            Some(expression) => {
                list.push(variable(i));
                set.push(format!("{ident}={expression}"));
            }
        }
    }
    list.extend((0..n_variables).map(|i| variable(fields.len() + i)));
    for (name, computed) in names.iter().zip(computed) {
        set.push(format!("{}={}", quote_ident(name), computed.sql(variable)));
    }
    let set = if set.is_empty() { String::new() } else { format!(" SET {}", set.join(",")) };
    let Separators { terminated_by, enclosed_by } = separators;
    let enclosed = enclosed_by.map_or(String::new(), |quote| format!(" OPTIONALLY ENCLOSED BY X'{quote:02X}'"));
    format!(
        "LOAD DATA LOCAL INFILE {} {into} CHARACTER SET {charset} \
         FIELDS TERMINATED BY X'{terminated_by:02X}'{enclosed} ESCAPED BY X'5C' LINES TERMINATED BY X'0A' ({}){set}",
        String::from_utf8_lossy(&name),
        list.join(",")
    )
}

/// Returns the expression for a field that is read into a variable; `None` for a field that goes directly into its column.
fn expression(form: Form, variable: &str) -> Option<String> {
    match form {
        Form::Number | Form::Plain | Form::Text => None,
        Form::Bits => Some(format!("CAST({variable} AS UNSIGNED)")),
        Form::Bytes => Some(format!("UNHEX({variable})")),
        Form::Argument(function) => Some(format!("{function}({variable})")),
        Form::Geometry => {
            Some(format!("IF({variable} REGEXP '^[0-9A-Fa-f]',UNHEX({variable}),ST_GeomFromText({variable}))"))
        }
    }
}

pub(crate) fn escape(byte: u8) -> [u8; 2] {
    let letter = match byte {
        b'\t' => b't',
        b'\n' => b'n',
        0 => b'0',
        other => other,
    };
    [b'\\', letter]
}

/// The separators between the fields of an encoded text.
pub const ENCODED: Separators = Separators { terminated_by: b'\t', enclosed_by: None };

/// How NULL is written.
pub const NULL: &[u8] = b"\\N";

/// Bytes that no field holds bare, in addition to the separators: the escape, and NUL, which is written as an escape.
pub const ESCAPED: [u8; 2] = [b'\\', 0];

pub(crate) const SPECIAL: Special = Special::new([ENCODED.terminated_by, b'\n', ESCAPED[0], ESCAPED[1]]);
