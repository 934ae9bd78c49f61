//! What an atomic load has copied, so that it can detect changes to the table before the copy replaces it.
//!
//! The definition is SHOW CREATE TABLE without its counter. The rows are their number and a sum of hashes, which does not depend
//! on the order of the rows: of the copy when it was made, of the table when it is to be replaced.

use super::Shadow;
use crate::column::ident::{quote_ident, quote_table};
use crate::column::{Column, ColumnType};
use sha2::{Digest, Sha256};
use std::fmt;

/// What was copied of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// A hash of the table's definition, taken before the copy was made.
    pub definition: String,
    /// How many rows were copied, and the sum of their hashes; `None` where the table's rows are not to be kept.
    pub rows: Option<(u64, String)>,
    /// Whether the RENAME may have been sent.
    pub renames: bool,
    /// Which table it keeps of what it replaces; `None`: it is dropped.
    pub kept: Option<Tag>,
    /// Whether the table was put back since.
    pub is_undone: bool,
    /// Whether the RENAME that puts it back may have been sent: until that is known, no load may begin.
    pub is_being_undone: bool,
}

impl Copied {
    /// Before anything is copied of a table with this SHOW CREATE TABLE.
    pub fn of_definition(create: &str) -> Self {
        Self { definition: definition_hash(create), ..Self::nothing() }
    }

    /// Of a load whose rows were deleted by an undo: so many.
    pub fn of_undone_rows(n: u64) -> Self {
        Self { definition: BY_ROWS.into(), rows: Some((n, NO_SUM.into())), is_undone: true, ..Self::nothing() }
    }

    /// Whether it is [`Copied::of_undone_rows`].
    pub fn is_undone_by_rows(&self) -> bool {
        self.definition == BY_ROWS && self.is_undone
    }

    fn nothing() -> Self {
        Self {
            definition: String::new(),
            rows: None,
            renames: false,
            kept: None,
            is_undone: false,
            is_being_undone: false,
        }
    }

    /// Parses what it displays. Returns `None` for any other text, an empty one too.
    pub fn parse(text: &str) -> Option<Self> {
        let mut copied = Self::nothing();
        for word in text.split(' ') {
            match word.split_once('=')? {
                ("definition", hash) => copied.definition = hash.to_owned(),
                ("rows", rows) => {
                    let (n, sum) = rows.split_once('/')?;
                    copied.rows = Some((n.parse().ok()?, sum.to_owned()));
                }
                ("renames", "1") => copied.renames = true,
                ("kept", tag) => copied.kept = Some(Tag::parse(tag)?),
                ("undone", "1") => copied.is_undone = true,
                ("undoing", "1") => copied.is_being_undone = true,
                _ => return None,
            }
        }
        (!copied.definition.is_empty()).then_some(copied)
    }
}

/// In the place of the definition where nothing was copied; no hash is like that.
const BY_ROWS: &str = "by-rows";
const NO_SUM: &str = "-";

/// What distinguishes the tables that refreshes of the same table keep: eight hex digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag(String);

impl Tag {
    /// Of a random number.
    pub fn of(number: u32) -> Self {
        Self(format!("{number:08x}"))
    }

    /// Reads it; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 8 && text.bytes().all(is_hex)).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "definition={}", self.definition)?;
        if let Some((n, sum)) = &self.rows {
            write!(f, " rows={n}/{sum}")?;
        }
        if self.renames {
            write!(f, " renames=1")?;
        }
        if let Some(tag) = &self.kept {
            write!(f, " kept={tag}")?;
        }
        if self.is_undone {
            write!(f, " undone=1")?;
        }
        if self.is_being_undone {
            write!(f, " undoing=1")?;
        }
        Ok(())
    }
}

/// A hash of SHOW CREATE TABLE without the value of AUTO_INCREMENT, which every INSERT changes.
pub fn definition_hash(create: &str) -> String {
    Sha256::digest(without_counter(create).as_bytes())[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHOW CREATE TABLE without the value of AUTO_INCREMENT.
pub(super) fn without_counter(create: &str) -> String {
    match counter(create) {
        Some((at, digits, _)) => format!("{}{}", &create[..at], &create[at + COUNTER.len() + digits..]),
        None => create.to_owned(),
    }
}

/// The next value of AUTO_INCREMENT by SHOW CREATE TABLE; `None` if it is the first.
pub fn next_id(create: &str) -> Option<u64> {
    counter(create).map(|(_, _, next)| next)
}

/// Returns the position of the counter among the table's options, its digits and its value. Line breaks within texts are escaped.
fn counter(create: &str) -> Option<(usize, usize, u64)> {
    let options = create.find("\n) ")?;
    let line = create[options + 1..].find('\n').map_or(create.len(), |end| options + 1 + end);
    let comment = create[options..line].find(" COMMENT=").map_or(line, |at| options + at);
    let at = options + create[options..comment].find(COUNTER)?;
    let digits = create[at + COUNTER.len()..].bytes().take_while(u8::is_ascii_digit).count();
    let next = create[at + COUNTER.len()..][..digits].parse().ok()?;
    Some((at, digits, next))
}

const COUNTER: &str = " AUTO_INCREMENT=";

/// As many bytes as a column adds to what is hashed of a row: a hash, or digits.
pub const MOST_BYTES_A_COLUMN: usize = 100;

impl Shadow {
    /// Counts the rows of one of its tables and sums their hashes: a row of (count, sum). Generated columns follow from the
    /// others.
    pub fn rows_query(&self, name: &str, columns: &[Column]) -> String {
        let values: Vec<String> = columns.iter().filter(|column| !column.generated).map(value).collect();
        let values = if values.is_empty() { "''".to_owned() } else { values.join(",") };
        format!(
            "SELECT COUNT(*), COALESCE(SUM(CAST(CONV(LEFT(SHA2(CONCAT_WS(',',{values}),256),16),16,10) AS UNSIGNED)),0) FROM {}",
            quote_table(&self.schema, name)
        )
    }

    /// Excludes all other sessions from both tables.
    pub fn lock_tables(&self) -> String {
        format!(
            "LOCK TABLES {} WRITE, {} WRITE",
            quote_table(&self.schema, &self.table),
            quote_table(&self.schema, &self.shadow)
        )
    }

    /// Makes the shadow's ids continue after those that the table has handed out.
    pub fn go_on_with_ids(&self, next: u64) -> String {
        format!("ALTER TABLE {} AUTO_INCREMENT = {next}", quote_table(&self.schema, &self.shadow))
    }
}

/// An expression for a column's value as text that differs for different values, in every session: without commas, `-` for NULL.
fn value(column: &Column) -> String {
    let name = quote_ident(&column.name);
    let text = match column.ty {
        ColumnType::Int { .. }
        | ColumnType::Decimal { .. }
        | ColumnType::Year
        | ColumnType::Date
        | ColumnType::Time { .. }
        | ColumnType::DateTime { .. } => name,
        ColumnType::Bit { .. } => format!("{name}+0"),
        // A FLOAT is printed with six digits; as a DOUBLE it has all.
        ColumnType::Float { .. } | ColumnType::Double { .. } => format!("{name}+0E0"),
        // Two moments may look the same in a zone.
        ColumnType::Timestamp { .. } => format!("UNIX_TIMESTAMP({name})"),
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::Binary { .. }
        | ColumnType::VarBinary { .. }
        | ColumnType::Blob { .. }
        | ColumnType::Enum { .. }
        | ColumnType::Set { .. } => format!("SHA2({name},256)"),
        ColumnType::Json => format!("SHA2(CAST({name} AS CHAR),256)"),
        _ => format!("SHA2(HEX({name}),256)"),
    };
    format!("IFNULL({text},'-')")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `t` (\n  `id` int COMMENT 'x AUTO_INCREMENT=1'\n) ENGINE=InnoDB AUTO_INCREMENT=42 DEFAULT CHARSET=utf8mb4 COMMENT='AUTO_INCREMENT=7'";

    #[test]
    fn the_counter_is_no_part_of_a_definition() {
        assert_eq!(next_id(CREATE), Some(42));
        let other = CREATE.replace("=42", "=43");
        assert_eq!(definition_hash(CREATE), definition_hash(&other));
        assert_eq!(definition_hash(CREATE), definition_hash(&CREATE.replace(" AUTO_INCREMENT=42", "")));
        for change in [("`id` int", "`id` bigint"), ("=utf8mb4", "=latin1"), ("=7'", "=8'"), ("x AUTO", "y AUTO")] {
            assert_ne!(definition_hash(CREATE), definition_hash(&CREATE.replace(change.0, change.1)), "{change:?}");
        }
        assert_eq!(next_id("CREATE TABLE `t` (\n  `id` int\n) ENGINE=InnoDB COMMENT='a AUTO_INCREMENT=7'"), None);
        assert_eq!(next_id(""), None);
    }

    #[test]
    fn text_and_back() {
        let bare = Copied::of_definition(CREATE);
        let full = Copied { rows: Some((3, "99999999999999999999".into())), renames: true, ..bare.clone() };
        let undone = Copied { kept: Some(Tag::of(7)), is_undone: true, ..full.clone() };
        let undoing = Copied { is_being_undone: true, ..undone.clone() };
        assert_eq!(Copied::parse(&undoing.to_string()), Some(undoing));
        for copied in [bare, full, undone] {
            assert_eq!(Copied::parse(&copied.to_string()), Some(copied));
        }
        for odd in
            ["definition=a kept=x", "", "x", "definition=", "rows=1/2", "definition=a rows=x/1", "definition=a other=1"]
        {
            assert_eq!(Copied::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_tag_is_eight_hex_digits() {
        assert_eq!(Tag::parse("00abcdef"), Some(Tag::of(0x00ab_cdef)));
        for odd in ["", "00abcde", "00abcdefa", "00ABCDEF", "00abcde`", "../../ab"] {
            assert_eq!(Tag::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn statements() {
        let shadow = Shadow::of("s", "t");
        let column = |name: &str, ty: &str, generated| Column { generated, ..Column::new(name, ColumnType::parse(ty)) };
        let columns = [
            column("a", "int", false),
            column("f", "float", false),
            column("g", "int", true),
            column("b`", "text", false),
        ];
        assert_eq!(
            shadow.rows_query("t", &columns),
            "SELECT COUNT(*), COALESCE(SUM(CAST(CONV(LEFT(SHA2(CONCAT_WS(',',IFNULL(`a`,'-'),IFNULL(`f`+0E0,'-'),\
             IFNULL(SHA2(`b```,256),'-')),256),16),16,10) AS UNSIGNED)),0) FROM `s`.`t`"
        );
        assert_eq!(shadow.lock_tables(), "LOCK TABLES `s`.`t` WRITE, `s`.`t__inrush_new` WRITE");
    }
}
