//! A row of an INSERT as a line of [`escaped`](crate::escaped) cells. Only literals are taken; each becomes the text that stores, in a column of
//! its kind, what the statement would have stored.
//!
//! | literal | becomes |
//! |---|---|
//! | `'..'`, `N'..'`, `_utf8mb4'..'`, `_binary '..'` | its bytes; in a BIT column the number that they are, in a geometry hexadecimal digits, in a VECTOR `[1,2]` |
//! | `0x..`, `X'..'`, `b'..'` | the same; in a column of numbers the number |
//! | numbers | as they are written. In a text only those that a server would write as they are |
//! | `CONVERT('..' USING utf8mb4)` | the bytes of its text |
//! | NULL, TRUE, FALSE | NULL, 1, 0 |
//!
//! Escapes are those of `get_text` in the servers' `sql_lex.cc`.

use crate::escaped;
use inrush_core::column::ColumnType;
use inrush_core::sql::Dialect;
use memchr::{memchr, memchr2, memmem};

/// What a column takes, as far as literals differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not known: neither the dump nor the table says it.
    Unknown,
    /// It computes its values, so those of the dump are left out.
    Generated,
    /// ENUM, SET and JSON: a number would be something else than its text.
    Quoted,
    Text,
    Number,
    Bits,
    Bytes,
    Geometry,
    Vector,
}

/// How far a row was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowEnd {
    /// To its `)`: the bytes and the values.
    At(usize, usize),
    /// The text ends within it.
    Open,
}

impl Kind {
    /// By the word of a type in SQL.
    pub(super) fn of_word(word: &str) -> Self {
        match word {
            "ENUM" | "SET" | "JSON" => Self::Quoted,
            "BIT" => Self::Bits,
            "BINARY" | "VARBINARY" | "BLOB" | "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB" => Self::Bytes,
            "VECTOR" => Self::Vector,
            "GEOMETRY" | "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING" | "MULTIPOLYGON"
            | "GEOMETRYCOLLECTION" | "GEOMCOLLECTION" => Self::Geometry,
            "TINYINT" | "SMALLINT" | "MEDIUMINT" | "INT" | "INTEGER" | "BIGINT" | "DECIMAL" | "DEC" | "NUMERIC"
            | "FIXED" | "FLOAT" | "DOUBLE" | "REAL" | "BOOL" | "BOOLEAN" | "YEAR" | "INT1" | "INT2" | "INT3"
            | "FLOAT4" | "FLOAT8" | "MIDDLEINT" | "INT4" | "INT8" => Self::Number,
            _ => Self::Text,
        }
    }

    /// Of a table's column.
    pub(super) fn of_type(ty: &ColumnType) -> Self {
        match ty {
            ColumnType::Enum { .. } | ColumnType::Set { .. } | ColumnType::Json => Self::Quoted,
            ColumnType::Bit { .. } => Self::Bits,
            ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => Self::Bytes,
            ColumnType::Vector { .. } => Self::Vector,
            ColumnType::Geometry { .. } => Self::Geometry,
            ColumnType::Int { .. }
            | ColumnType::Decimal { .. }
            | ColumnType::Float { .. }
            | ColumnType::Double { .. }
            | ColumnType::Year => Self::Number,
            _ => Self::Text,
        }
    }
}

/// Of a row without an end.
pub(super) const OPEN: &str = "the row does not end";

/// Reads the row that begins at the `(` of a text, and appends its line without an end. `kinds` are those of its columns; values beyond them
/// have no kind. `is_all`: nothing of the statement comes after the text.
///
/// # Errors
/// Why a value is not taken; the text of it.
pub(super) fn row(
    text: &[u8],
    kinds: &[Kind],
    dialect: Dialect,
    is_all: bool,
    out: &mut Vec<u8>,
) -> Result<RowEnd, String> {
    let mut cursor = Cursor { text, at: 1, dialect };
    let (mut n, mut is_first, mut left_out) = (0, true, Vec::new());
    loop {
        cursor.pass_blanks();
        let begin = cursor.at;
        let kind = kinds.get(n).copied().unwrap_or(Kind::Unknown);
        let out: &mut Vec<u8> = match kind {
            Kind::Generated => &mut left_out,
            _ => {
                if !std::mem::take(&mut is_first) {
                    out.push(escaped::DELIMITER);
                }
                &mut *out
            }
        };
        let end = match cursor.value(kind, out) {
            Some(Ok(())) => {
                cursor.pass_blanks();
                cursor.text.get(cursor.at).copied()
            }
            Some(Err(why)) => return Err(why),
            None => None,
        };
        match end {
            Some(b',') => cursor.at += 1,
            Some(b')') => return Ok(RowEnd::At(cursor.at + 1, n + 1)),
            Some(_) => return Err(no_literal(&text[begin..])),
            None if is_all => return Err(OPEN.to_owned()),
            None => return Ok(RowEnd::Open),
        }
        n += 1;
    }
}

/// The error for the value at the beginning of a text.
fn no_literal(text: &[u8]) -> String {
    let mut depth = 0_i64;
    let ends = |byte: &u8| {
        depth += i64::from(*byte == b'(') - i64::from(*byte == b')');
        depth < 0 || (depth == 0 && *byte == b',') || *byte == b'\n'
    };
    let text = &text[..text.len().min(60)];
    let end = text.iter().position(ends).unwrap_or(text.len());
    format!("`{}` is no literal, so only a server knows its value", String::from_utf8_lossy(&text[..end]))
}

/// The length of the blanks and comments at the beginning of a text.
pub(super) fn blanks(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        match rest {
            [b'\t'..=b'\r' | b' ', ..] => at += 1,
            // Servers execute what is in it.
            [b'/', b'*', b'!', ..] | [b'/', b'*', b'M', b'!', ..] => return at,
            [b'/', b'*', inside @ ..] => match memmem::find(inside, b"*/") {
                Some(end) => at += end + 4,
                None => return at,
            },
            [b'#', ..] | [b'-', b'-', b'\t'..=b'\r' | b' ', ..] => {
                at += memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            }
            _ => return at,
        }
    }
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    dialect: Dialect,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn pass_blanks(&mut self) {
        self.at += blanks(self.rest());
    }

    /// Appends the value; `None` where the text ends.
    fn value(&mut self, kind: Kind, out: &mut Vec<u8>) -> Option<Result<(), String>> {
        let rest = self.rest();
        match *rest.first()? {
            b'\'' => self.string(kind, out),
            b'"' if !self.dialect.ansi_quotes => self.string(kind, out),
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(kind, out),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => self.word(kind, out),
            _ => Some(Err(no_literal(rest))),
        }
    }

    fn run(&self, is_of_it: impl Fn(u8) -> bool) -> usize {
        self.rest().iter().position(|byte| !is_of_it(*byte)).unwrap_or(self.rest().len())
    }

    fn word(&mut self, kind: Kind, out: &mut Vec<u8>) -> Option<Result<(), String>> {
        let whole = self.rest();
        let n = self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80);
        let word = &whole[..n];
        let is = |other: &str| word.eq_ignore_ascii_case(other.as_bytes());
        let next = *whole.get(n)?;
        self.at += n;
        match () {
            () if is("NULL") => {
                out.extend_from_slice(escaped::NULL);
                Some(Ok(()))
            }
            () if kind != Kind::Quoted && (is("TRUE") || is("FALSE")) => {
                out.push(if is("TRUE") { b'1' } else { b'0' });
                Some(Ok(()))
            }
            () if is("X") && next == b'\'' => self.digits(16, kind, out),
            () if is("B") && next == b'\'' => self.digits(2, kind, out),
            () if is("N") && next == b'\'' => self.string(kind, out),
            () if is("CONVERT") && next == b'(' => self.converted(kind, whole, out),
            () if kind == Kind::Generated && is("DEFAULT") => Some(Ok(())),
            () if word[0] == b'_' => {
                let is_bytes = is("_binary");
                self.pass_blanks();
                let is_text = ["_utf8mb4", "_utf8mb3", "_utf8", "_ascii", "_binary"].into_iter().any(is);
                match *self.rest().first()? {
                    _ if !is_text => Some(Err(no_literal(whole))),
                    // Bytes of a character set that only the column knows.
                    _ if is_bytes && matches!(kind, Kind::Text | Kind::Quoted) => Some(Err(no_literal(whole))),
                    b'\'' => self.string(kind, out),
                    b'"' if !self.dialect.ansi_quotes => self.string(kind, out),
                    b'0' => self.number(kind, out),
                    b'x' | b'X' | b'b' | b'B' => self.word(kind, out),
                    _ => Some(Err(no_literal(whole))),
                }
            }
            () => Some(Err(no_literal(whole))),
        }
    }

    /// The rest of `CONVERT('..' USING utf8mb4)`, as mydumper writes JSON: the text as it is.
    fn converted(&mut self, kind: Kind, whole: &[u8], out: &mut Vec<u8>) -> Option<Result<(), String>> {
        self.at += 1;
        self.pass_blanks();
        let is_quote = match *self.rest().first()? {
            b'\'' => true,
            b'"' => !self.dialect.ansi_quotes,
            _ => false,
        };
        if !is_quote || matches!(kind, Kind::Bits | Kind::Geometry | Kind::Vector) {
            return Some(Err(no_literal(whole)));
        }
        self.decode(&mut |part| escaped::push(part, out))?;
        for words in [&["USING"][..], &["UTF8MB4", "UTF8MB3", "UTF8"]] {
            self.pass_blanks();
            let n = self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let word = &self.rest()[..n];
            self.rest().get(n)?;
            if !words.iter().any(|one| word.eq_ignore_ascii_case(one.as_bytes())) {
                return Some(Err(no_literal(whole)));
            }
            self.at += n;
        }
        self.pass_blanks();
        if *self.rest().first()? != b')' {
            return Some(Err(no_literal(whole)));
        }
        self.at += 1;
        Some(Ok(()))
    }

    /// A number, or `0x..` and `0b..`.
    fn number(&mut self, kind: Kind, out: &mut Vec<u8>) -> Option<Result<(), String>> {
        let whole = self.rest();
        if let [b'0', base @ (b'x' | b'b'), ..] = whole {
            self.at += 2;
            let n = self.run(|byte| byte.is_ascii_alphanumeric());
            let digits = &whole[2..2 + n];
            self.at += n;
            // A byte after it decides that it is whole.
            self.rest().first()?;
            return Some(of_digits(digits, if *base == b'x' { 16 } else { 2 }, kind, out));
        }
        let n = self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-'));
        let number = &whole[..n];
        self.at += n;
        self.rest().first()?;
        let takes = match kind {
            Kind::Number | Kind::Bits | Kind::Generated => is_number(number),
            Kind::Quoted => false,
            _ => is_steady_number(number),
        };
        if !takes {
            return Some(Err(no_literal(whole)));
        }
        out.extend_from_slice(number);
        Some(Ok(()))
    }

    /// `'..'` after X or B.
    fn digits(&mut self, base: u32, kind: Kind, out: &mut Vec<u8>) -> Option<Result<(), String>> {
        let inside = &self.rest()[1..];
        let n = memchr(b'\'', inside)?;
        self.at += n + 2;
        Some(of_digits(&inside[..n], base, kind, out))
    }

    fn string(&mut self, kind: Kind, out: &mut Vec<u8>) -> Option<Result<(), String>> {
        if matches!(kind, Kind::Bits | Kind::Geometry | Kind::Vector) {
            let mut bytes = Vec::new();
            self.decode(&mut |part| bytes.extend_from_slice(part))?;
            return Some(of_bytes(&bytes, kind, out));
        }
        self.decode(&mut |part| escaped::push(part, out))?;
        Some(Ok(()))
    }

    /// Passes over a quoted text, and hands out what it is, in pieces.
    fn decode(&mut self, take: &mut impl FnMut(&[u8])) -> Option<()> {
        let quote = self.text[self.at];
        let escapes = !self.dialect.no_backslash_escapes;
        let mut at = self.at + 1;
        loop {
            let rest = &self.text[at..];
            let n = if escapes { memchr2(quote, b'\\', rest) } else { memchr(quote, rest) }?;
            if n > 0 {
                take(&rest[..n]);
            }
            match rest[n..] {
                [b'\\', escape, ..] if escapes => {
                    match escape {
                        b'0' => take(b"\0"),
                        b'n' => take(b"\n"),
                        b'r' => take(b"\r"),
                        b't' => take(b"\t"),
                        b'b' => take(b"\x08"),
                        b'Z' => take(b"\x1a"),
                        // They keep their backslash, for LIKE.
                        b'%' | b'_' => take(&[b'\\', escape]),
                        other => take(&[other]),
                    }
                    at += n + 2;
                }
                [first, second, ..] if first == quote && second == quote => {
                    take(&[quote]);
                    at += n + 2;
                }
                [first, _, ..] if first == quote => {
                    self.at = at + n + 1;
                    return Some(());
                }
                // What follows decides.
                _ => return None,
            }
        }
    }
}

/// Appends bytes for a column of this kind.
fn of_bytes(bytes: &[u8], kind: Kind, out: &mut Vec<u8>) -> Result<(), String> {
    match kind {
        Kind::Bits | Kind::Number => {
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            let rest = &bytes[zeros..];
            if rest.len() > 8 {
                return Err(format!("{} bytes are no number of 64 bits", bytes.len()));
            }
            let number = rest.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
            out.extend_from_slice(number.to_string().as_bytes());
        }
        Kind::Geometry => bytes.iter().for_each(|byte| {
            out.extend([byte >> 4, byte & 15].map(|digit| b"0123456789ABCDEF"[usize::from(digit)]));
        }),
        Kind::Vector if is_list(bytes) || !bytes.len().is_multiple_of(4) => escaped::push(bytes, out),
        Kind::Vector => {
            let numbers = bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
            out.extend_from_slice(format!("[{}]", numbers.join(",")).as_bytes());
        }
        Kind::Text | Kind::Quoted | Kind::Bytes | Kind::Unknown | Kind::Generated => escaped::push(bytes, out),
    }
    Ok(())
}

/// The same of hexadecimal or binary digits, the highest first.
fn of_digits(digits: &[u8], base: u32, kind: Kind, out: &mut Vec<u8>) -> Result<(), String> {
    let shown = || String::from_utf8_lossy(&digits[..digits.len().min(20)]).into_owned();
    if matches!(kind, Kind::Text | Kind::Quoted) {
        return Err(format!("`{}` are bytes of a character set that only the column knows", shown()));
    }
    if kind == Kind::Unknown {
        return Err(format!(
            "whether `{}` is a number or bytes depends on the column, which the dump does not define",
            shown()
        ));
    }
    let bits = if base == 16 { 4 } else { 1 };
    let per_byte = 8 / bits;
    let first = digits.len() % per_byte;
    let (head, rest) = digits.split_at(first);
    let mut bytes = Vec::with_capacity(digits.len() / per_byte + 1);
    for group in (!head.is_empty()).then_some(head).into_iter().chain(rest.chunks(per_byte)) {
        let mut byte = 0_u32;
        for digit in group {
            let Some(digit) = char::from(*digit).to_digit(base) else {
                return Err(format!("`{}` is no number of base {base}", shown()));
            };
            byte = byte << bits | digit;
        }
        bytes.push(byte as u8);
    }
    of_bytes(&bytes, kind, out)
}

/// Whether it is a vector as text.
fn is_list(bytes: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"[], .-+eE".contains(byte);
    bytes.starts_with(b"[") && bytes.ends_with(b"]") && bytes.iter().all(is_part)
}

/// Whether it is a decimal number, maybe with an exponent.
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let is_mantissa = match mantissa.iter().position(|byte| *byte == b'.') {
        Some(at) => mantissa.len() > 1 && is_digits(&mantissa[..at]) && is_digits(&mantissa[at + 1..]),
        None => !mantissa.is_empty() && is_digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    is_mantissa && is_exponent
}

/// Whether a server makes the same text of it: no exponent, no sign or zeros that it leaves out.
fn is_steady_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, fraction) = match digits.iter().position(|byte| *byte == b'.') {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let is_digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_zero = digits.iter().all(|byte| matches!(byte, b'0' | b'.'));
    is_digits(whole)
        && (whole == b"0" || whole[0] != b'0')
        && fraction.is_none_or(is_digits)
        && !(is_zero && digits.len() < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Bits, Bytes, Generated, Geometry, Number, Quoted, Text, Unknown, Vector};

    fn line(row_text: &str, kinds: &[Kind], dialect: Dialect) -> Result<String, String> {
        let mut out = Vec::new();
        let end = row(row_text.as_bytes(), kinds, dialect, true, &mut out)?;
        assert_eq!(end, RowEnd::At(row_text.len(), kinds.len()), "{row_text}");
        // A text that ends before the row never makes a row of it.
        for at in 1..row_text.len() {
            let cut = row(&row_text.as_bytes()[..at], kinds, dialect, false, &mut Vec::new());
            assert!(!matches!(cut, Ok(RowEnd::At(..))), "{row_text} cut at {at}: {cut:?}");
        }
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn literals_become_cells() {
        let check = |literal: &str, kind: Kind, want: &str| {
            let row = format!("({literal})");
            assert_eq!(line(&row, &[kind], Dialect::default()).as_deref(), Ok(want), "{literal} in {kind:?}");
        };
        check("NULL", Text, r"\N");
        check("null", Number, r"\N");
        check("TRUE", Number, "1");
        check("'a''b'", Text, "a'b");
        check(r#""a""b""#, Text, "a\"b");
        check(r"'a\'b\\c\n\t\r\0\Z\b\x\%\_'", Text, "a'b\\\\c\\n\\t\\r\\0\x1a\x08x\\\\%\\\\_");
        check("''", Text, "");
        check("'NULL'", Text, "NULL");
        check(r"'\\N'", Text, r"\\N");
        check("N'x'", Text, "x");
        check("_utf8mb4'x'", Text, "x");
        check("_binary 'x'", Bytes, "x");
        check("_binary 0x41", Bytes, "A");
        check("_binary'1'", Bits, "49");
        check("b'101'", Bits, "5");
        check("b'101'", Number, "5");
        check("0b101", Bits, "5");
        check("0x4142", Bytes, "AB");
        check("0x10", Number, "16");
        check("X'0a'", Bytes, r"\n");
        check("0x041", Bytes, "\u{0}A".replace('\u{0}', r"\0").as_str());
        check("0x0001F", Geometry, "00001F");
        check("_binary 'A'", Geometry, "41");
        check("0x0000803F0000A0C0", Vector, "[1,-5]");
        check("'[1,2]'", Vector, "[1,2]");
        check("-1.50", Number, "-1.50");
        check("1e+3", Number, "1e+3");
        check(".5", Number, ".5");
        check("12.50", Text, "12.50");
        check(r#"CONVERT("[\"a\\\\n\"]" USING UTF8MB4)"#, Quoted, r#"["a\\\\n"]"#);
        check("convert( 'x' using utf8 )", Text, "x");
        check("/* x */ 7 -- y\n", Unknown, "7");
        assert_eq!(
            line("(1,2,DEFAULT,3)", &[Number, Generated, Generated, Text], Dialect::default()).as_deref(),
            Ok("1\t3")
        );
        assert_eq!(line("(0x41,2)", &[Generated, Text], Dialect::default()).as_deref(), Ok("2"));
        assert_eq!(line("(1, 'a\tb',NULL)", &[Number, Text, Text], Dialect::default()).as_deref(), Ok("1\ta\\tb\t\\N"));
        let plain = Dialect { no_backslash_escapes: true, ansi_quotes: false };
        assert_eq!(line(r"('a\n')", &[Text], plain).as_deref(), Ok(r"a\\n"));
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        let check = |literal: &str, kind: Kind| {
            let why = line(&format!("({literal})"), &[kind], Dialect::default()).unwrap_err();
            assert!(why.contains('`') || why.contains("bytes"), "{literal}: {why}");
        };
        for literal in [
            "NOW()",
            "CONVERT('a' USING latin1)",
            "CONVERT('a', CHAR)",
            "CONVERT(a USING utf8)",
            "DEFAULT",
            "1+1",
            "'a' 'b'",
            "'a' COLLATE utf8mb4_bin",
            "_latin1'x'",
            "@x",
            "(1)",
            "`a`",
            "",
        ] {
            check(literal, Text);
        }
        // A server would write them in another way, or read them as another value.
        for number in ["1e3", "007", "-0", "+5", "1."] {
            check(number, Text);
        }
        for number in ["1x", "1-1", "--1", "e5", "."] {
            check(number, Number);
        }
        for quoted in ["1", "TRUE", "0x41", "_binary 'a'"] {
            check(quoted, Quoted);
        }
        check("0x41", Text);
        check("/*!50000 1 */", Number);
        check("0x41", Unknown);
        check("b'1'", Unknown);
        check("0xfffffffffffffffff", Number);
        check("X'4g'", Bytes);
    }
}
