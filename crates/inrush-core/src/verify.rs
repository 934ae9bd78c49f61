//! Digests of rows as SQL that MySQL and MariaDB compute alike, for comparing tables without fetching them.
//!
//! A row becomes one text, from which its values can be read back, so that two rows with one text are one row: values with commas in
//! between, a text followed by its length in bytes, and a digit for each column that may be NULL. Long values go in by their own digest,
//! because a text beyond max_allowed_packet would be NULL. The row's digest is SHA-256 of that text: MySQL has no MD5() and SHA1() since 9.6.
//! CRC32 would not do: it is affine, so exchanged values can leave a sum of it as it was.
//!
//! Many rows are compared by their number and the sums of two 64-bit parts of their digests. Sums, unlike XOR, count a row that is there twice.

use crate::column::ident::quote_ident;
use crate::column::{Column, ColumnType};
mod json;

use crate::error::{Error, Result};
use sha2::{Digest as _, Sha256};

/// How the values of a column become texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A number or a date: its text has no comma.
    Plain,
    /// Any bytes.
    Bytes,
    /// Any bytes, too long to be joined with others.
    Long,
}

/// A column of two tables that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    quoted: String,
    ty: ColumnType,
    is_utf8: bool,
    nullable: bool,
    is_one_family: bool,
}

impl Compared {
    /// The column as one of the tables has it, for comparing it with that of the other.
    ///
    /// # Errors
    /// `Config` if values of the two types have no common text.
    pub fn new(one: &Column, other: &Column, is_one_family: bool) -> Result<Self> {
        let differ = |why: &str| {
            Error::config(format!("column `{}` cannot be compared: {why}", one.name))
                .with_hint("`--columns` names those that can")
        };
        if kind(&one.ty) != kind(&other.ty) {
            return Err(differ(&format!("it is {} and {}", one.ty, other.ty)));
        }
        let is_utf8 = matches!(one.charset.as_deref(), None | Some("utf8mb4" | "utf8mb3" | "utf8" | "ascii"));
        Ok(Self {
            quoted: quote_ident(&one.name),
            ty: one.ty.clone(),
            is_utf8,
            // Both sides must have the same marks of NULL.
            nullable: one.nullable || other.nullable,
            is_one_family,
        })
    }

    /// SQL of a document whose text the two servers write differently, so that it is no part of the server's digest: [`RowDigest`].
    pub fn document(&self) -> Option<String> {
        (self.ty == ColumnType::Json && !self.is_one_family)
            .then(|| format!("CAST(CONVERT({} USING utf8mb4) AS BINARY)", self.quoted))
    }

    /// Whether two texts of [`Compared::document`] have one value.
    pub fn is_same_document(one: &[u8], other: &[u8]) -> bool {
        json::canonical(one) == json::canonical(other)
    }

    /// The column's name in backticks.
    pub fn quoted(&self) -> &str {
        &self.quoted
    }

    fn text(&self) -> (Form, String) {
        let column = &self.quoted;
        match &self.ty {
            // Without the zeros of ZEROFILL.
            ColumnType::Int { .. } | ColumnType::Year => (Form::Plain, format!("{column}+0")),
            ColumnType::Decimal { .. }
            | ColumnType::Date
            | ColumnType::Time { .. }
            | ColumnType::DateTime { .. }
            | ColumnType::Timestamp { .. } => (Form::Plain, column.clone()),
            ColumnType::Double { .. } => (Form::Plain, self.double(column)),
            // A FLOAT as text has lost digits.
            ColumnType::Float { .. } => (Form::Plain, self.double(&format!("CAST({column} AS DOUBLE)"))),
            ColumnType::Bit { .. } => (Form::Plain, format!("CAST({column} AS UNSIGNED)")),
            ColumnType::Uuid | ColumnType::Inet4 | ColumnType::Inet6 => {
                (Form::Plain, format!("CAST({column} AS CHAR)"))
            }
            ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Set { .. } => (Form::Bytes, self.utf8()),
            // The member of index 0 is no member: not the member ''.
            ColumnType::Enum { .. } => (Form::Bytes, format!("CONCAT({},{column}+0=0)", self.utf8())),
            ColumnType::Text { bytes } if *bytes < LONG => (Form::Bytes, self.utf8()),
            ColumnType::Text { .. } => (Form::Long, self.utf8()),
            ColumnType::Binary { .. } | ColumnType::VarBinary { .. } => (Form::Bytes, column.clone()),
            ColumnType::Blob { bytes } if *bytes < LONG => (Form::Bytes, column.clone()),
            ColumnType::Blob { .. } => (Form::Long, column.clone()),
            ColumnType::Json => (Form::Long, format!("CAST({column} AS CHAR)")),
            ColumnType::Geometry { .. } | ColumnType::Vector { .. } | ColumnType::Other(_) => {
                (Form::Long, format!("HEX({column})"))
            }
        }
    }

    /// MySQL and MariaDB write a DOUBLE in another notation and now and then with other digits, so for both it is its sign, its digits in base
    /// two as a whole number, and their exponent. All steps are exact: a multiplication by a power of two changes no digit. The exponent
    /// is that of the next power below; the addend keeps numbers just below a power on one side of it, whatever the last digit of LOG2() is.
    fn double(&self, value: &str) -> String {
        if self.is_one_family {
            return format!("CONCAT({value})");
        }
        let exponent = format!("FLOOR(LOG2(ABS({value}))+1e-9)");
        // In two steps, because POW() beyond 2^1023 is an error.
        let digits = format!("ABS({value})*POW(2,LEAST(54-{exponent},500))*POW(2,GREATEST(-446-{exponent},0))");
        format!("IF({value}=0,CONCAT({value}),CONCAT({value}<0,' ',CAST({digits} AS SIGNED),' ',{exponent}))")
    }

    /// A text's bytes in UTF-8, so that neither its collation nor its character set matters.
    fn utf8(&self) -> String {
        match self.is_utf8 {
            true => format!("CAST({} AS BINARY)", self.quoted),
            false => format!("CAST(CONVERT({} USING utf8mb4) AS BINARY)", self.quoted),
        }
    }

    /// SQL whose result is the value as a literal of SQL, for sessions that escape by backslashes.
    pub fn literal(&self) -> String {
        let column = &self.quoted;
        let literal = match &self.ty {
            ColumnType::Int { .. } | ColumnType::Year | ColumnType::Bit { .. } => format!("CONCAT({column}+0)"),
            ColumnType::Decimal { .. } => format!("CONCAT({column})"),
            // `-0` would be the whole number 0.
            ColumnType::Double { .. } => format!("CONCAT({column},IF({column}=0,'e0',''))"),
            ColumnType::Float { .. } => format!("CONCAT(CAST({column} AS DOUBLE),IF({column}=0,'e0',''))"),
            ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Set { .. } | ColumnType::Text { .. } => {
                format!("QUOTE(CONVERT({column} USING utf8mb4))")
            }
            ColumnType::Enum { .. } => format!("IF({column}+0=0,'0',QUOTE(CONVERT({column} USING utf8mb4)))"),
            ColumnType::Binary { .. }
            | ColumnType::VarBinary { .. }
            | ColumnType::Blob { .. }
            | ColumnType::Geometry { .. }
            | ColumnType::Vector { .. }
            | ColumnType::Other(_) => format!("CONCAT('x''',HEX({column}),'''')"),
            ColumnType::Date
            | ColumnType::Time { .. }
            | ColumnType::DateTime { .. }
            | ColumnType::Timestamp { .. }
            | ColumnType::Json
            | ColumnType::Uuid
            | ColumnType::Inet4
            | ColumnType::Inet6 => format!("QUOTE(CAST({column} AS CHAR))"),
        };
        format!("IF({column} IS NULL,'NULL',{literal})")
    }
}

/// The digest of these columns of a row, as SQL: 64 hexadecimal digits. It is NULL if the server cannot make the text of a value, as beyond
/// max_allowed_packet; CONCAT_WS() would leave such a value out, and rows that differ in it would be equal.
pub fn digest(columns: &[Compared]) -> String {
    let mut values = Vec::new();
    for column in columns.iter().filter(|column| column.document().is_none()) {
        let (form, text) = column.text();
        let or_empty = |text: String| match column.nullable {
            true => format!("IF(ISNULL({}),'',{text})", column.quoted),
            false => text,
        };
        match form {
            Form::Plain => values.push(or_empty(text)),
            Form::Bytes => {
                let value = if text == column.utf8() && column.is_utf8 { &column.quoted } else { &text };
                values.extend([or_empty(format!("LENGTH({value})")), or_empty(text.clone())]);
            }
            Form::Long => values.push(or_empty(format!("SHA2({text},256)"))),
        }
    }
    let nulls: Vec<_> =
        columns.iter().filter(|column| column.nullable).map(|column| format!("ISNULL({})", column.quoted)).collect();
    if values.is_empty() {
        values.push("''".to_owned());
    }
    let values = values.join(",',',");
    match nulls.is_empty() {
        true => format!("SHA2(CONCAT({values}),256)"),
        false => format!("SHA2(CONCAT({},',',{values}),256)", nulls.join(",")),
    }
}

/// The digest of a row with documents: that of the server, then the value of each document, NULL or not.
#[derive(Debug)]
pub struct RowDigest(Sha256);

impl RowDigest {
    /// Begins with the server's digest of the other columns.
    pub fn new(digest: &[u8]) -> Self {
        Self(Sha256::new_with_prefix(digest))
    }

    /// Adds the text of [`Compared::document`].
    pub fn add(&mut self, document: Option<&[u8]>) {
        match document {
            None => self.0.update(b"0"),
            Some(text) => {
                let bytes = json::canonical(text);
                self.0.update(format!("1{}:", bytes.len()));
                self.0.update(bytes);
            }
        }
    }

    /// 64 hexadecimal digits.
    pub fn finish(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

/// Two parts of 64 bits of a digest of 64 hexadecimal digits, for sums like those of [`sums`].
///
/// Each half of a part is the CRC32 of a quarter of the digest, which servers compute four times as fast as they read hexadecimal digits
/// as a number. The quarters are random 64 bits each, so their CRC32s are random 32 bits each.
pub fn parts(digest: &str) -> [u128; 2] {
    let half = |at: usize| u128::from(crc32fast::hash(digest.as_bytes().get(at..at + 16).unwrap_or_default()));
    [half(0) << 32 | half(16), half(32) << 32 | half(48)]
}

/// The number of rows and the sums of their digests, for each beginning of `key` with so many digits (none: of all rows): a query with the
/// columns beginning, rows, digests that are not NULL, sum, sum.
pub fn sums(from: &str, condition: &str, key: Option<(&str, usize)>, digest: &str) -> String {
    let half = |at: usize| format!("CRC32(SUBSTR(h,{},16))", at + 1);
    let part = |at: usize| format!("COALESCE(SUM({}<<32|{}),0)", half(at), half(at + 16));
    let (beginning, end) = match key {
        None => ("''".to_owned(), String::new()),
        Some((key, digits)) => (format!("LEFT({key},{digits})"), " GROUP BY k".to_owned()),
    };
    // The LIMIT keeps the servers from computing the digest once for each use, and as bytes it has a quarter of the size.
    format!(
        "SELECT k,COUNT(*),COUNT(h),{},{} FROM (SELECT {beginning} AS k,CAST({digest} AS BINARY) AS h FROM {from} WHERE {condition} \
         LIMIT 9223372036854775807) AS rows_of{end}",
        part(0),
        part(32)
    )
}

/// A name of a comparison of these texts, the same for the same texts only: 64 hexadecimal digits.
pub fn identity(texts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update(format!("{}:{text}", text.len()));
    }
    hexadecimal(&digest.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Types whose values have the same texts.
fn kind(ty: &ColumnType) -> String {
    match ty {
        ColumnType::Int { .. } | ColumnType::Year | ColumnType::Bit { .. } => "whole number".to_owned(),
        ColumnType::Decimal { scale, .. } => format!("decimal with {scale} digits"),
        ColumnType::Float { .. } => "float".to_owned(),
        ColumnType::Double { .. } => "double".to_owned(),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => format!("time with {fsp} digits"),
        ColumnType::Time { fsp } => format!("duration with {fsp} digits"),
        ColumnType::Char { .. } | ColumnType::VarChar { .. } | ColumnType::Set { .. } => "text".to_owned(),
        ColumnType::Text { bytes } => if *bytes < LONG { "text" } else { "long text" }.to_owned(),
        ColumnType::Enum { .. } => "enum".to_owned(),
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } => "bytes".to_owned(),
        ColumnType::Blob { bytes } => if *bytes < LONG { "bytes" } else { "long bytes" }.to_owned(),
        other => other.to_string(),
    }
}

/// TEXT and BLOB, and what is longer, in bytes. The other columns of a row have 65,535 bytes together.
const LONG: u32 = 65_535;

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, ty: &str, nullable: bool) -> Column {
        Column { nullable, ..Column::new(name, ColumnType::parse(ty)) }
    }

    #[track_caller]
    fn check(ty: &str, want: &str) {
        let column = column("c", ty, false);
        let compared = Compared::new(&column, &column, true).unwrap();
        assert_eq!(digest(&[compared]), format!("SHA2(CONCAT({want}),256)"));
    }

    #[test]
    fn texts_of_types() {
        check("int unsigned zerofill", "`c`+0");
        check("float", "CONCAT(CAST(`c` AS DOUBLE))");
        check("bit(64)", "CAST(`c` AS UNSIGNED)");
        check("datetime(6)", "`c`");
        check("varchar(10)", "LENGTH(`c`),',',CAST(`c` AS BINARY)");
        check("varbinary(10)", "LENGTH(`c`),',',`c`");
        check("longtext", "SHA2(CAST(`c` AS BINARY),256)");
        check("point", "SHA2(HEX(`c`),256)");
    }
    #[test]
    fn null_is_marked_if_either_side_may_have_it() {
        let columns = [("a", false, true), ("b", false, false), ("d", true, false)].map(|(name, one, other)| {
            Compared::new(&column(name, "int", one), &column(name, "int", other), true).unwrap()
        });
        let [a, d] = ["a", "d"].map(|name| format!("IF(ISNULL(`{name}`),'',`{name}`+0)"));
        assert_eq!(digest(&columns), format!("SHA2(CONCAT(ISNULL(`a`),ISNULL(`d`),',',{a},',',`b`+0,',',{d}),256)"));
    }
    #[test]
    fn what_cannot_be_compared() {
        let refused = |one: &str, other: &str, is_one_family| {
            Compared::new(&column("c", one, true), &column("c", other, true), is_one_family).is_err()
        };
        assert!(refused("int", "varchar(3)", true));
        assert!(refused("datetime", "datetime(3)", true));
        assert!(!refused("json", "json", false));
        assert!(!refused("json", "json", true));
        assert!(!refused("int", "bigint unsigned", false));
        assert!(!refused("char(3)", "varchar(90)", false));
    }
}
