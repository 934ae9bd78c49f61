//! The target table: its name as a user writes it, and its columns as the server describes them.

pub(crate) mod kept;
pub(crate) mod reading;

use crate::blocking::Connection;
use crate::loader::sql;
use inrush_core::bulk::Table;
use inrush_core::value::ident::{quote_ident, quote_table};
use inrush_core::{Error, Result};
use reading::{Found, Reader, Reading};

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
    let mut reading = Reading::new(name.clone(), Reader::Load, connection.session().profile());
    while let Some(query) = reading.query() {
        reading.take(sql::rows(connection, &query)?)?;
    }
    match reading.found() {
        Found::Table(table) => Ok(Some(table)),
        Found::View(_) => {
            Err(Error::config(format!("`{}` is a view", name.name)).with_hint("load into the table behind it"))
        }
        Found::NoSchema => {
            Err(Error::config(format!("there is no database `{}`, or this user may not see it", name.schema)))
        }
        Found::NoTable | Found::Temporary => Ok(None),
    }
}

/// The statement that creates a table with these columns (name, type with NULL or NOT NULL).
pub fn create_statement(name: &TableName, columns: &[(String, String)], key: &[String]) -> String {
    let mut list: Vec<String> = columns.iter().map(|(column, ty)| format!("  {} {ty}", quote_ident(column))).collect();
    if !key.is_empty() {
        let key: Vec<String> = key.iter().map(|column| quote_ident(column)).collect();
        list.push(format!("  PRIMARY KEY ({})", key.join(", ")));
    }
    format!("CREATE TABLE {} (\n{}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4", name.quoted(), list.join(",\n"))
}

#[cfg(test)]
mod tests;
