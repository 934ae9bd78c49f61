//! Which tables are exported, and which of their columns.

use super::known::Known;
use inrush::blocking::Connection;
use inrush::parts::PartBy;
use inrush::table::TableName;
use inrush_core::column::ColumnType;
use inrush_core::column::ident::quote_ident;
use inrush_core::{Error, Result};

/// A table or a view.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: TableName,
    /// The columns that are written.
    pub(crate) columns: Vec<String>,
    /// Generated columns that are not.
    pub(crate) left_out: Vec<String>,
    /// What ranges may be made of: the first column of the primary key, by its type.
    pub(crate) by: Option<PartBy>,
    /// Whether the primary key is one whole number.
    pub(crate) is_key_one_number: bool,
    /// Its partitions, each with an estimate of its rows.
    pub(crate) partitions: Vec<(String, u64)>,
    /// All columns of the primary key, in its order.
    primary: Vec<String>,
    /// `None` for a view.
    pub(crate) engine: Option<String>,
    pub(crate) known: Known,
    pub(crate) has_transactions: bool,
    /// The name of its files, without number and extension.
    pub(crate) file_name: String,
}

impl Table {
    /// The columns that are written, for SELECT.
    pub(crate) fn select_list(&self) -> String {
        let column = |name: &String| {
            let column = quoted(name);
            // Where '' is a member, the error value has a text of its own.
            match self.known.enums.iter().find(|(known, text)| known == name && !text.is_empty()) {
                Some((_, text)) => format!("IF({column}+0=0,'{text}',{column}) AS {column}"),
                None => column,
            }
        };
        self.columns.iter().map(column).collect::<Vec<_>>().join(", ")
    }

    /// Whether it has a primary key, all of these columns.
    pub(crate) fn has_key_of(&self, columns: &[String]) -> bool {
        !self.primary.is_empty() && self.primary.iter().all(|name| columns.contains(name))
    }

    /// The columns of the primary key, for ORDER BY.
    ///
    /// # Errors
    /// `Config` if it has none.
    pub(crate) fn order(&self) -> Result<String> {
        if self.primary.is_empty() {
            return Err(Error::config(format!("{} has no primary key, so its rows have no order", self.name.quoted()))
                .with_hint("leave `--order` out, or name the other tables"));
        }
        // With the table's name, since a column of the result may have the same one.
        let table = self.name.quoted();
        Ok(self.primary.iter().map(|name| format!("{table}.{}", quote_ident(name))).collect::<Vec<_>>().join(", "))
    }
}

/// The tables of these names and patterns, each once, in this order.
pub(crate) fn find(connection: &mut Connection, wanted: &[String], columns: &[String]) -> Result<Vec<Table>> {
    let default = connection.query_one::<Option<String>>("SELECT DATABASE()", ())?;
    let mut names: Vec<TableName> = Vec::new();
    let mut texts = Vec::new();
    for text in wanted {
        let found = match text.strip_suffix(".*") {
            Some(schema) => all_of(connection, schema)?,
            None => vec![TableName::parse(text)?.in_schema(default.as_deref()).map_err(by_name)?],
        };
        for name in found {
            if !names.contains(&name) {
                names.push(name);
                texts.push(text);
            }
        }
    }
    let is_one_schema = names.windows(2).all(|pair| pair[0].schema == pair[1].schema);
    let describe = |(name, text): (TableName, &String)| {
        describe(connection, name, columns, is_one_schema).map_err(|error| as_dotted(error, text))
    };
    names.into_iter().zip(texts).map(describe).collect()
}

/// A name with a dot may have been meant as that of a table.
fn as_dotted(error: Error, text: &str) -> Error {
    match error.hint().is_none() && text.contains('.') && !text.contains('`') {
        true => error.with_hint(format!("a table whose name has a dot in it is written in backticks: '`{text}`'")),
        false => error,
    }
}

/// The hint of a table's name speaks of `load`.
fn by_name(error: Error) -> Error {
    error.with_hint("name it in the URL (`mysql://user@host/DATABASE`), with `-D DATABASE`, or write `DATABASE.TABLE`")
}

fn all_of(connection: &mut Connection, schema: &str) -> Result<Vec<TableName>> {
    let schema = schema.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(schema).replace("``", "`");
    let tables = connection.query::<String>(
        // MariaDB has a type of its own for tables that keep their history.
        "SELECT TABLE_NAME FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME",
        (&schema,),
    )?;
    if tables.is_empty() {
        return Err(Error::config(format!("there is no table in database `{schema}` that this user may see")));
    }
    Ok(tables.into_iter().map(|name| TableName { schema: schema.clone(), name }).collect())
}

fn describe(connection: &mut Connection, name: TableName, wanted: &[String], is_one_schema: bool) -> Result<Table> {
    let engine = connection.query_opt::<(Option<String>, Option<String>)>(
        "SELECT t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e USING (ENGINE)
         WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ?",
        (&name.schema, &name.name),
    )?;
    let Some((engine, transactions)) = engine else {
        return Err(Error::config(format!("there is no table {} that this user may see", name.quoted())));
    };
    let found = connection.query::<(String, String, String, String)>(
        "SELECT COLUMN_NAME, EXTRA, DATA_TYPE, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
        (&name.schema, &name.name),
    )?;
    // JSON that is text is LONGTEXT with a CHECK that calls json_valid() for the column (MariaDB).
    let definition = if engine.is_some() { definition(connection, &name)? } else { String::new() };
    let is_document = |(column, _, ty, _): &&(String, String, String, String)| {
        ty == "json" || ty == "longtext" && definition.contains(&format!("json_valid({})", quote_ident(column)))
    };
    let documents = found.iter().filter(is_document).map(|(column, ..)| column.clone()).collect();
    let vectors: Vec<_> =
        found.iter().filter(|(_, _, ty, _)| ty == "vector").map(|(column, ..)| column.clone()).collect();
    let is_choice = |ty: &str| matches!(ty, "enum" | "set");
    let choices = found.iter().filter(|(_, _, ty, _)| is_choice(ty)).map(|(column, ..)| column.clone()).collect();
    let years = found.iter().filter(|(_, _, ty, _)| ty == "year").map(|(column, ..)| column.clone()).collect();
    let enums = found.iter().filter_map(|(column, _, _, ty)| Some((column.clone(), error_text(ty)?))).collect();
    let known = Known { documents, vectors, choices, years, enums };
    let found: Vec<_> = found.into_iter().map(|(column, extra, ..)| (column, extra)).collect();
    let (columns, left_out) = chosen(&name, &found, wanted)?;
    let key = connection.query::<(String, String, Option<u64>)>(
        "SELECT k.COLUMN_NAME, c.DATA_TYPE, k.SUB_PART FROM information_schema.STATISTICS k
         JOIN information_schema.COLUMNS c USING (TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME)
         WHERE k.TABLE_SCHEMA = ? AND k.TABLE_NAME = ? AND k.INDEX_NAME = 'PRIMARY' ORDER BY k.SEQ_IN_INDEX",
        (&name.schema, &name.name),
    )?;
    let primary = key.iter().map(|(column, ..)| column.clone()).collect();
    let by = key.first().filter(|(.., prefix)| prefix.is_none()).and_then(|(column, ty, _)| part_by(column, ty));
    let is_key_one_number = key.len() == 1 && matches!(by, Some(PartBy::Whole(_)));
    let partitions = partitions(connection, &name)?;
    let file_name = match is_one_schema {
        true => file_name(&name.name),
        false => format!("{}.{}", file_name(&name.schema), file_name(&name.name)),
    };
    let has_transactions = transactions.is_none_or(|answer| answer != "NO");
    Ok(Table {
        name,
        columns,
        left_out,
        by,
        is_key_one_number,
        partitions,
        primary,
        engine,
        known,
        has_transactions,
        file_name,
    })
}

/// The text by which the error value of an ENUM (index 0) is read: '' if no member is that, else one that is no member. `None`: it is no ENUM.
fn error_text(ty: &str) -> Option<String> {
    let ColumnType::Enum { members } = ColumnType::parse(ty) else { return None };
    let is_member = |text: &str| members.iter().any(|member| member.eq_ignore_ascii_case(text));
    let mut text = if is_member("") { "index 0" } else { "" }.to_owned();
    while is_member(&text) {
        text.push('_');
    }
    Some(text)
}

/// What ranges of a column of this type are made of, if they are.
fn part_by(column: &str, ty: &str) -> Option<PartBy> {
    let column = column.to_owned();
    Some(match ty.to_ascii_lowercase().as_str() {
        ty if ty.ends_with("int") => PartBy::Whole(column),
        "date" => PartBy::Day(column),
        "datetime" | "timestamp" => PartBy::Moment(column),
        "char" | "varchar" => PartBy::Text(column),
        "binary" | "varbinary" => PartBy::Bytes(column),
        _ => return None,
    })
}

/// The partitions of a table, each with an estimate of its rows.
fn partitions(connection: &mut Connection, name: &TableName) -> Result<Vec<(String, u64)>> {
    connection.query::<(String, u64)>(
        "SELECT PARTITION_NAME, CAST(SUM(TABLE_ROWS) AS UNSIGNED) FROM information_schema.PARTITIONS
         WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND PARTITION_NAME IS NOT NULL
         GROUP BY PARTITION_NAME ORDER BY MIN(PARTITION_ORDINAL_POSITION)",
        (&name.schema, &name.name),
    )
}

/// The columns that are written and those that are left out. `found`: the table's columns, each with its `EXTRA`.
fn chosen(table: &TableName, found: &[(String, String)], wanted: &[String]) -> Result<(Vec<String>, Vec<String>)> {
    if wanted.is_empty() {
        // `DEFAULT_GENERATED` marks an ordinary column whose default is an expression.
        let (generated, own): (Vec<_>, Vec<_>) = found.iter().partition(|(_, extra)| extra.contains(" GENERATED"));
        let names = |of: Vec<&(String, String)>| of.into_iter().map(|(name, _)| name.clone()).collect();
        return Ok((names(own), names(generated)));
    }
    let column = |wanted: &String| {
        let same = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(wanted);
        let (name, _) = found.iter().find(same).ok_or_else(|| {
            let names: Vec<_> = found.iter().map(|(name, _)| format!("`{name}`")).collect();
            Error::config(format!("{} has no column `{wanted}`", table.quoted()))
                .with_hint(format!("it has {}", names.join(", ")))
        })?;
        Ok(name.clone())
    };
    Ok((wanted.iter().map(column).collect::<Result<_>>()?, Vec::new()))
}

/// The CREATE statement of a table that is not a view.
pub(crate) fn definition(connection: &mut Connection, name: &TableName) -> Result<String> {
    let (_, text) = connection.query_one::<(String, String)>(&format!("SHOW CREATE TABLE {}", name.quoted()), ())?;
    Ok(text)
}

pub(crate) fn quoted(column: &str) -> String {
    quote_ident(column)
}

/// A name that is valid in every file system, and that no other table has: each byte other than an ASCII letter, a digit, `_` or `-` becomes
/// `%` and two digits.
fn file_name(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => text.push(byte.into()),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_names_of_files() {
        assert_eq!(file_name("orders_2026-01"), "orders_2026-01");
        assert_eq!(file_name("../a.b"), "%2E%2E%2Fa%2Eb");
        assert_eq!(file_name("größe"), "gr%C3%B6%C3%9Fe");
    }

    #[test]
    fn the_error_value_of_an_enum_is_read_by_a_text_that_is_no_member() {
        for (ty, want) in [
            ("enum('a','b')", Some("")),
            ("enum('a','')", Some("index 0")),
            ("enum('','index 0','INDEX 0_')", Some("index 0__")),
            ("set('a')", None),
            ("int", None),
        ] {
            assert_eq!(error_text(ty).as_deref(), want, "{ty}");
        }
    }

    #[test]
    fn generated_columns_are_written_if_they_are_named() {
        let table = TableName { schema: "s".into(), name: "t".into() };
        let found = [("id", ""), ("at", "DEFAULT_GENERATED"), ("Sum", "STORED GENERATED")]
            .map(|(name, extra)| (name.to_owned(), extra.to_owned()));
        let chosen = |wanted: &[&str]| {
            let wanted: Vec<_> = wanted.iter().map(|name| (*name).to_owned()).collect();
            chosen(&table, &found, &wanted).map_err(|error| error.to_string())
        };
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(chosen(&[]), Ok((names(&["id", "at"]), names(&["Sum"]))));
        assert_eq!(chosen(&["sum", "id"]), Ok((names(&["Sum", "id"]), vec![])));
        assert_eq!(chosen(&["x"]), Err("`s`.`t` has no column `x`".into()));
    }
}
