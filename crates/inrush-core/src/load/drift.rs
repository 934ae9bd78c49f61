//! Files and a table whose columns differ: what happens to fields that the table has no column for, and to columns that no field fills.
//!
//! New columns are added by one ALTER before the first row. They take NULL, because the rows that are in the table have no value for them.

use crate::column::ident::{quote_ident, quote_table};
use crate::column::{Column, ColumnType, names_charset, split_type};
use crate::write::Table;

/// What happens to fields that the table has no column for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewColumns {
    /// The load is refused.
    #[default]
    Error,
    /// They are left out.
    Ignore,
    /// The table gets a column for each of them.
    Add,
}

impl NewColumns {
    /// The option of this word: `error`, `ignore` or `add`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "error" => Some(Self::Error),
            "ignore" => Some(Self::Ignore),
            "add" => Some(Self::Add),
            _ => None,
        }
    }
}

/// What happens to columns of the table that no field fills. Columns whose values the server generates are not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingColumns {
    /// They get their defaults.
    #[default]
    Default,
    /// They get NULL; one that is NOT NULL is refused.
    Null,
    /// The load is refused.
    Error,
}

impl MissingColumns {
    /// The option of this word: `default`, `null` or `error`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "default" => Some(Self::Default),
            "null" => Some(Self::Null),
            "error" => Some(Self::Error),
            _ => None,
        }
    }

    /// The reason why no row may lack a value for this column; `None` if rows may.
    pub(crate) fn objection(self, column: &Column) -> Option<String> {
        let name = &column.name;
        if column.generated {
            return None;
        }
        match self {
            Self::Error if !column.auto_increment => Some(format!("column `{name}`: no field fills it")),
            Self::Null if !column.nullable && !column.auto_increment => {
                Some(format!("column `{name}` is NOT NULL, and no field fills it"))
            }
            _ if column.optional => None,
            _ => Some(format!("column `{name}` is NOT NULL without a default, and no field fills it")),
        }
    }

    /// Whether the statement must name the column to store NULL in it: without a default the server does that by itself.
    pub(crate) fn stores_null(self, column: &Column) -> bool {
        self == Self::Null && column.has_default && !column.generated && !column.auto_increment
    }
}

/// How a load treats files and a table whose columns differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Fields without a column.
    pub new: NewColumns,
    /// Columns without a field.
    pub missing: MissingColumns,
}

/// The columns of `definitions` (name, type with NULL or NOT NULL) that the table lacks, each once, as they are added: with NULL, and with
/// texts in utf8mb4. `used` names the fields that only expressions use; `is_utf8mb4`: the table's texts are utf8mb4 by default, so that new ones
/// have its collation.
pub fn to_add(
    table: &Table,
    definitions: &[(String, String)],
    used: &[&str],
    is_utf8mb4: bool,
) -> Vec<(String, String)> {
    let mut added: Vec<(String, String)> = Vec::new();
    for (name, definition) in definitions {
        let is = |other: &str| other.trim().to_lowercase() == name.trim().to_lowercase();
        let is_known = table.columns.iter().any(|column| is(&column.name))
            || added.iter().any(|(other, _)| is(other))
            || used.iter().any(|field| is(field));
        if !is_known && !name.trim().is_empty() {
            let definition = taking_null(definition);
            let definition = if is_utf8mb4 { definition } else { in_utf8mb4(&definition) };
            added.push((name.trim().to_owned(), definition));
        }
    }
    added
}

/// `INT NOT NULL` as `INT NULL`.
fn taking_null(definition: &str) -> String {
    match definition.strip_suffix("NOT NULL") {
        Some(ty) => format!("{ty}NULL"),
        None => definition.to_owned(),
    }
}

/// The same with the character set of its text, if it has one and does not name it: the table's may hold less than the files have.
fn in_utf8mb4(definition: &str) -> String {
    let (ty, words) = split_type(definition);
    match has_charset(&ColumnType::parse(ty)) && !names_charset(definition) {
        true => format!("{ty} CHARACTER SET utf8mb4{words}"),
        false => definition.to_owned(),
    }
}

fn has_charset(ty: &ColumnType) -> bool {
    use ColumnType::{Char, Enum, Set, Text, VarChar};
    matches!(ty, Char { .. } | VarChar { .. } | Text { .. } | Enum { .. } | Set { .. })
}

/// What is different between a column as the load has planned it and the one that is there; `None` if rows are stored in both alike.
pub fn difference(planned: &Column, there: &Column) -> Option<String> {
    let charset = |column: &Column| column.charset.clone().unwrap_or_default();
    let attributes = |column: &Column| (column.generated, column.auto_increment, column.has_default, column.nullable);
    let shown = |column: &Column| {
        let mut shown = column.ty.to_string();
        if has_charset(&column.ty) {
            shown.push_str(&format!(" CHARACTER SET {}", charset(column)));
        }
        for (is, word) in [
            (!column.nullable, " NOT NULL"),
            (column.has_default, " with a default"),
            (column.auto_increment, " AUTO_INCREMENT"),
            (column.generated, ", generated"),
        ] {
            shown.push_str(if is { word } else { "" });
        }
        shown
    };
    let is_same = planned.ty == there.ty
        && attributes(planned) == attributes(there)
        && (!has_charset(&planned.ty) || charset(planned) == charset(there));
    (!is_same)
        .then(|| format!("column `{}` is {}, and the load has planned {}", there.name, shown(there), shown(planned)))
}

/// Why servers cannot create a column of this name; `None` if they can.
pub fn unfit_name(name: &str) -> Option<String> {
    let n_chars = name.chars().count();
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return Some("InnoDB uses this name for a column of its own".into());
    }
    if name.chars().any(|c| u32::from(c) > 0xFFFF) {
        return Some("names on the server hold no characters beyond U+FFFF, such as emoji".into());
    }
    if name.contains('\0') {
        return Some("names on the server hold no NUL".into());
    }
    if n_chars > MOST_CHARS {
        return Some(format!("it has {n_chars} characters, and names on the server have at most {MOST_CHARS}"));
    }
    if name.ends_with(' ') {
        return Some("names on the server do not end in a space".into());
    }
    name.is_empty().then(|| "it is empty".into())
}

/// Names that InnoDB has for hidden columns. Servers refuse some of them, and do not survive others.
const RESERVED: [&str; 5] = ["DB_ROW_ID", "DB_TRX_ID", "DB_ROLL_PTR", "DB_ROW_HASH", "FTS_DOC_ID"];

/// The most characters of a column's name.
const MOST_CHARS: usize = 64;

/// The statement that adds columns. `at_once`: without a rewrite of the table, or not at all.
pub fn add_statement(schema: &str, table: &str, columns: &[(String, String)], at_once: bool) -> String {
    let added = columns.iter().map(|(name, definition)| format!("  ADD COLUMN {} {definition}", quote_ident(name)));
    let algorithm = at_once.then(|| "  ALGORITHM=INSTANT".to_owned());
    let parts: Vec<String> = added.chain(algorithm).collect();
    format!("ALTER TABLE {}\n{}", quote_table(schema, table), parts.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, attributes: &str) -> Column {
        let has = |word: &str| attributes.contains(word);
        let nullable = !has("not null");
        Column {
            nullable,
            optional: nullable || has("default") || has("auto") || has("generated"),
            has_default: has("default"),
            auto_increment: has("auto"),
            generated: has("generated"),
            ..Column::new(name, ColumnType::Date)
        }
    }

    #[track_caller]
    fn objects(attributes: &str, want: [Option<&str>; 3]) {
        let column = column("c", attributes);
        let all = [MissingColumns::Default, MissingColumns::Null, MissingColumns::Error];
        let got = all.map(|missing| missing.objection(&column));
        assert_eq!(got.each_ref().map(Option::as_deref), want, "{attributes}");
    }

    const NO_DEFAULT: &str = "column `c` is NOT NULL without a default, and no field fills it";
    const NOT_NULL: &str = "column `c` is NOT NULL, and no field fills it";
    const NO_FIELD: &str = "column `c`: no field fills it";

    #[test]
    fn which_columns_a_file_may_lack() {
        objects("", [None, None, Some(NO_FIELD)]);
        objects("default", [None, None, Some(NO_FIELD)]);
        objects("not null", [Some(NO_DEFAULT), Some(NOT_NULL), Some(NO_FIELD)]);
        objects("not null default", [None, Some(NOT_NULL), Some(NO_FIELD)]);
        objects("not null auto", [None, None, None]);
        objects("generated", [None, None, None]);
        objects("not null generated", [None, None, None]);
    }

    #[test]
    fn null_is_named_where_the_server_would_store_a_default() {
        let named = |attributes: &str| MissingColumns::Null.stores_null(&column("c", attributes));
        assert_eq!(["", "default", "generated", "not null auto"].map(named), [false, true, false, false]);
        assert!(!MissingColumns::Default.stores_null(&column("c", "default")));
    }

    #[track_caller]
    fn adds(definitions: &[(&str, &str)], used: &[&str], want: &str) {
        let table = Table {
            schema: "shop".into(),
            name: "people".into(),
            engine: "InnoDB".into(),
            transactional: true,
            columns: ["id", "Name"].map(|name| column(name, "")).into(),
        };
        let owned = |(name, ty): &(&str, &str)| ((*name).to_owned(), (*ty).to_owned());
        let definitions: Vec<_> = definitions.iter().map(owned).collect();
        let added: Vec<_> =
            to_add(&table, &definitions, used, true).iter().map(|(name, ty)| format!("{name} {ty}")).collect();
        assert_eq!(added.join(", "), want);
    }

    #[test]
    fn what_the_table_lacks_is_added() {
        adds(&[("ID", "INT NULL"), ("name", "INT NULL")], &[], "");
        adds(&[("id", "INT NULL"), (" city ", "DATE NULL"), ("n", "INT NULL")], &[], "city DATE NULL, n INT NULL");
    }
    #[test]
    fn rows_that_are_there_have_no_value() {
        adds(&[("n", "INT NOT NULL")], &[], "n INT NULL");
    }
    #[test]
    fn a_column_is_added_once() {
        adds(&[("n", "INT NULL"), ("N", "DATE NULL"), ("", "INT NULL")], &[], "n INT NULL");
    }
    #[test]
    fn a_field_of_an_expression_is_no_column() {
        adds(&[("price", "INT NULL"), ("n", "INT NULL")], &["Price"], "n INT NULL");
    }

    #[test]
    fn texts_have_a_character_set_of_their_own() {
        let table = Table {
            schema: "shop".into(),
            name: "people".into(),
            engine: "InnoDB".into(),
            transactional: true,
            columns: Vec::new(),
        };
        let added = |definition: &str, is_utf8mb4| {
            to_add(&table, &[("c".into(), definition.into())], &[], is_utf8mb4).remove(0).1
        };
        for (definition, want) in [
            ("VARCHAR(64) NULL", "VARCHAR(64) CHARACTER SET utf8mb4 NULL"),
            ("TEXT NOT NULL", "TEXT CHARACTER SET utf8mb4 NULL"),
            ("enum('a)','it''s NULL') NULL", "enum('a)','it''s NULL') CHARACTER SET utf8mb4 NULL"),
            ("SET('a') NULL", "SET('a') CHARACTER SET utf8mb4 NULL"),
            ("CHAR(3) COLLATE uca1400_ai_ci NULL", "CHAR(3) CHARACTER SET utf8mb4 COLLATE uca1400_ai_ci NULL"),
            ("CHAR(3) CHARACTER SET latin1 NULL", "CHAR(3) CHARACTER SET latin1 NULL"),
            ("CHAR(3) charset latin1 NULL", "CHAR(3) charset latin1 NULL"),
            ("CHAR(3) COLLATE latin1_bin NULL", "CHAR(3) COLLATE latin1_bin NULL"),
            ("VARBINARY(9) NULL", "VARBINARY(9) NULL"),
            ("JSON NULL", "JSON NULL"),
            ("INT UNSIGNED NULL", "INT UNSIGNED NULL"),
        ] {
            assert_eq!(added(definition, false), want);
            assert_eq!(added(definition, true), taking_null(definition));
        }
    }

    #[test]
    fn what_is_there_may_differ_from_the_plan() {
        let text = |charset: &str| Column {
            charset: Some(charset.into()),
            ..Column::new("c", ColumnType::Text { bytes: 255 })
        };
        assert_eq!(difference(&text("utf8mb4"), &text("utf8mb4")), None);
        assert_eq!(
            difference(&text("utf8mb4"), &text("latin1")).unwrap(),
            "column `c` is TINYTEXT CHARACTER SET latin1, and the load has planned TINYTEXT CHARACTER SET utf8mb4"
        );
        let plain = column("c", "");
        assert_eq!(difference(&plain, &Column { charset: None, ..plain.clone() }), None);
        for attributes in ["not null", "default", "auto", "generated"] {
            assert!(difference(&plain, &column("c", attributes)).is_some(), "{attributes}");
        }
        let other = Column::new("c", ColumnType::Json);
        assert_eq!(difference(&plain, &other).unwrap(), "column `c` is JSON, and the load has planned DATE");
    }

    #[test]
    fn names_that_servers_refuse() {
        let is_unfit = |name: &str| unfit_name(name).is_some();
        for name in
            ["DB_ROW_ID", "fts_doc_id", "Db_Trx_Id", "db_roll_ptr", "DB_ROW_HASH", "", "a ", "a\0b", "a\u{1f600}"]
        {
            assert!(is_unfit(name), "{name}");
        }
        assert!(is_unfit(&"ü".repeat(65)) && !is_unfit(&"ü".repeat(64)));
        for name in ["a", " a", "select", "DB_ROW", "a`b", "a\nb", "\u{ffff}"] {
            assert!(!is_unfit(name), "{name}");
        }
    }

    #[test]
    fn statements() {
        let columns = [("a`".to_owned(), "INT NULL".to_owned()), ("b".into(), "DATE NULL".into())];
        let plain = "ALTER TABLE `s`.`t`\n  ADD COLUMN `a``` INT NULL,\n  ADD COLUMN `b` DATE NULL";
        assert_eq!(add_statement("s", "t", &columns, false), plain);
        assert_eq!(add_statement("s", "t", &columns, true), format!("{plain},\n  ALGORITHM=INSTANT"));
    }

    #[test]
    fn words() {
        assert_eq!(
            ["error", "ignore", "add", "all"].map(NewColumns::parse).map(|some| some.is_some()),
            [true, true, true, false]
        );
        assert_eq!(
            ["default", "null", "error", ""].map(MissingColumns::parse).map(|some| some.is_some()),
            [true, true, true, false]
        );
    }
}
