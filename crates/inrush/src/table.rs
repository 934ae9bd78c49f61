//! The target table: its name as a user writes it, and its columns as the server describes them.

use crate::blocking::Connection;
use crate::loader::sql;
use inrush_core::bulk::Table;
use inrush_core::value::column::{Column, ColumnType};
use inrush_core::value::ident::{quote_ident, quote_table};
use inrush_core::wire::Vendor;
use inrush_core::{Error, Result};

/// A table's name: `name`, `schema.name`, each part in backticks or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// The schema; empty until [`TableName::in_schema`] fills it.
    pub schema: String,
    /// The table.
    pub name: String,
}

impl TableName {
    /// Reads a name as a user writes it.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong =
            || Error::config(format!("`{text}` is not a table name")).with_hint("write `table` or `schema.table`");
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, after) = if let Some(quoted) = rest.strip_prefix('`') {
                split_quoted(quoted).ok_or_else(wrong)?
            } else {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            };
            if part.is_empty() || part.contains('\0') {
                return Err(wrong());
            }
            parts.push(part);
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None if after.is_empty() => break,
                None => return Err(wrong()),
            }
        }
        match <[String; 2]>::try_from(parts) {
            Ok([schema, name]) => Ok(Self { schema, name }),
            Err(mut parts) if parts.len() == 1 => Ok(Self { schema: String::new(), name: parts.remove(0) }),
            Err(_) => Err(wrong()),
        }
    }

    /// Fills in the schema of the connection where the user named none.
    pub fn in_schema(mut self, default: Option<&str>) -> Result<Self> {
        if self.schema.is_empty() {
            self.schema = default
                .ok_or_else(|| {
                    Error::config(format!("no database is chosen for table `{}`", self.name))
                        .with_hint("name it in the URL (`mysql://user@host/DATABASE`), with `-D DATABASE`, or write `--into DATABASE.TABLE`")
                })?
                .to_owned();
        }
        Ok(self)
    }

    /// `` `schema`.`name` ``.
    pub fn quoted(&self) -> String {
        quote_table(&self.schema, &self.name)
    }
}

/// The part up to the closing backtick, doubled ones undone, and what follows.
fn split_quoted(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('`')?;
        part.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('`') {
            Some(after) => {
                part.push('`');
                rest = after;
            }
            None => return Some((part, rest)),
        }
    }
}

/// Reads a table's engine and columns; `None` if there is no such table.
///
/// # Errors
/// `Config` for a view or a missing database; else what the server said.
pub fn read(connection: &mut Connection, name: &TableName) -> Result<Option<Table>> {
    // The schema of names compares them without case and accents: on most servers it finds `Orders` for `orders`.
    let found = sql::rows(
        connection,
        &format!(
            "SELECT t.TABLE_TYPE, COALESCE(t.ENGINE, ''), COALESCE(e.TRANSACTIONS, ''), t.TABLE_SCHEMA, t.TABLE_NAME, \
             @@lower_case_table_names \
             FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE \
             WHERE t.TABLE_SCHEMA = {} AND t.TABLE_NAME = {}",
            literal(&name.schema),
            literal(&name.name)
        ),
    )?;
    let found = found.into_iter().filter_map(|row| <[String; 6]>::try_from(row).ok()).collect();
    let Some([kind, engine, transactions, schema_name, table_name, _]) = the_one_meant(found, name) else {
        let query = format!("SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {}", literal(&name.schema));
        if sql::rows(connection, &query)?.is_empty() {
            return Err(Error::config(format!("there is no database `{}`, or this user may not see it", name.schema)));
        }
        return Ok(None);
    };
    if kind.contains("VIEW") {
        return Err(Error::config(format!("`{}` is a view", name.name)).with_hint("load into the table behind it"));
    }
    let table = Table {
        columns: columns(connection, &schema_name, &table_name)?,
        schema: schema_name,
        name: table_name,
        engine,
        transactional: transactions == "YES",
    };
    Ok(Some(table))
}

/// Among tables with nearly the same name the one of exactly this name; where the server ignores case (its
/// `lower_case_table_names`, the last column, is not 0), one that differs by case alone.
fn the_one_meant(found: Vec<[String; 6]>, name: &TableName) -> Option<[String; 6]> {
    let is_exact = |row: &[String; 6]| row[3] == name.schema && row[4] == name.name;
    let is_same = |row: &[String; 6]| {
        row[5] != "0"
            && row[3].to_lowercase() == name.schema.to_lowercase()
            && row[4].to_lowercase() == name.name.to_lowercase()
    };
    let at = found.iter().position(is_exact).or_else(|| found.iter().position(is_same))?;
    found.into_iter().nth(at)
}

fn columns(connection: &mut Connection, schema: &str, table: &str) -> Result<Vec<Column>> {
    let rows = sql::rows(
        connection,
        &format!(
            "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT IS NOT NULL, EXTRA, \
             COALESCE(CHARACTER_SET_NAME, ''), COALESCE(GENERATION_EXPRESSION, '') \
             FROM information_schema.COLUMNS WHERE {} ORDER BY ORDINAL_POSITION",
            is_exactly("TABLE_SCHEMA", schema, table)
        ),
    )?;
    let json = mariadb_json_columns(connection, schema, table)?;
    rows.into_iter()
        .map(|row| {
            let [name, ty, nullable, has_default, extra, charset, expression] = <[String; 7]>::try_from(row)
                .map_err(|_| Error::protocol("information_schema.COLUMNS has an odd shape"))?;
            let extra = extra.to_ascii_uppercase();
            let nullable = nullable == "YES";
            let auto_increment = extra.contains("AUTO_INCREMENT");
            let ty = if json.contains(&name) { ColumnType::Json } else { ColumnType::parse(&ty) };
            Ok(Column {
                ty,
                nullable,
                optional: nullable || auto_increment || has_default == "1" || extra.contains("DEFAULT_GENERATED"),
                auto_increment,
                generated: !expression.is_empty()
                    || extra.contains("VIRTUAL GENERATED")
                    || extra.contains("STORED GENERATED"),
                charset: (!charset.is_empty()).then_some(charset),
                name,
            })
        })
        .collect()
}

/// MariaDB's JSON is LONGTEXT with a CHECK that calls json_valid() for the column.
fn mariadb_json_columns(connection: &mut Connection, schema: &str, table: &str) -> Result<Vec<String>> {
    if connection.server_version().vendor != Vendor::MariaDb {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS \
         WHERE {} AND LEVEL = 'Column'",
        is_exactly("CONSTRAINT_SCHEMA", schema, table)
    );
    let column_of = |row: Vec<String>| {
        let clause = row.into_iter().next()?;
        Some(clause.strip_prefix("json_valid(`")?.strip_suffix("`)")?.replace("``", "`"))
    };
    Ok(sql::rows(connection, &query)?.into_iter().filter_map(column_of).collect())
}

/// The statement that creates a table with these columns (name, type with NULL or NOT NULL).
pub fn create_statement(name: &TableName, columns: &[(String, String)]) -> String {
    let list: Vec<String> = columns.iter().map(|(column, ty)| format!("  {} {ty}", quote_ident(column))).collect();
    format!("CREATE TABLE {} (\n{}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4", name.quoted(), list.join(",\n"))
}

/// The condition that a row of information_schema is about exactly this table. Equal names as the server compares them come
/// first, for by those it need not look at every table there is.
fn is_exactly(schema_column: &str, schema: &str, table: &str) -> String {
    let same = |column: &str, text: &str| {
        format!("{column} = {} AND CAST({column} AS BINARY) = {}", literal(text), hex_literal(text))
    };
    format!("{} AND {}", same(schema_column, schema), same("TABLE_NAME", table))
}

/// A string literal that is right in every sql_mode: hex has no escapes.
fn literal(text: &str) -> String {
    if text.is_empty() { "''".into() } else { format!("CONVERT({} USING utf8mb4)", hex_literal(text)) }
}

/// The bytes of a text.
fn hex_literal(text: &str) -> String {
    format!("x'{}'", text.bytes().map(|b| format!("{b:02x}")).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, schema: &str, name: &str) {
        assert_eq!(TableName::parse(text).unwrap(), TableName { schema: schema.into(), name: name.into() });
    }

    #[test]
    fn names() {
        check("people", "", "people");
        check("shop.people", "shop", "people");
        check("`shop`.`peo.ple`", "shop", "peo.ple");
        check("shop.`a``b`", "shop", "a`b");
    }

    #[test]
    fn what_is_no_name() {
        for text in ["", ".", "a.", ".a", "a.b.c", "`a", "`a`b", "``"] {
            assert!(TableName::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_schema_of_the_connection_fills_in() {
        let name = TableName::parse("t").unwrap();
        assert_eq!(name.clone().in_schema(Some("shop")).unwrap().quoted(), "`shop`.`t`");
        assert!(name.in_schema(None).unwrap_err().hint().is_some());
    }

    #[track_caller]
    fn found(lower_case_table_names: &str, names: &[&str], want: Option<&str>) {
        let row =
            |name: &&str| ["BASE TABLE", "InnoDB", "YES", "shop", name, lower_case_table_names].map(str::to_owned);
        let meant = TableName { schema: "shop".into(), name: "Orders".into() };
        let one = the_one_meant(names.iter().map(row).collect(), &meant);
        assert_eq!(one.map(|row| row[4].clone()).as_deref(), want);
    }

    #[test]
    fn among_alike_names_the_exact_one_is_meant() {
        found("0", &["orders", "Orders", "ORDERS"], Some("Orders"));
        found("0", &["orders", "Örders"], None);
        found("1", &["orders"], Some("orders"));
        found("2", &["Örders", "ORDERS"], Some("ORDERS"));
        found("0", &[], None);
    }

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal("a'b"), "CONVERT(x'612762' USING utf8mb4)");
        assert_eq!(literal(""), "''");
    }

    #[test]
    fn a_create_statement() {
        let name = TableName { schema: "s".into(), name: "t".into() };
        let sql = create_statement(&name, &[("a b".into(), "INT NULL".into()), ("c".into(), "DATE NULL".into())]);
        assert_eq!(
            sql,
            "CREATE TABLE `s`.`t` (\n  `a b` INT NULL,\n  `c` DATE NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
        );
    }
}
