//! The target table: its name as a user writes it, and its columns as the server describes them.

pub(crate) mod kept;
pub(crate) mod reading;

use inrush_core::column::ident::{quote_ident, quote_table};
use inrush_core::profile::Profile;
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
    ///
    /// # Errors
    /// `Config` for an invalid name.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(format!("`{text}` is not a table name"))
                .with_hint("write `table` or `schema.table`, and a name with a dot in it in backticks: '`a.b`'")
        };
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

    /// Sets the schema of the connection if the user named none.
    ///
    /// # Errors
    /// `Config` if neither names a schema.
    pub fn in_schema(mut self, default: Option<&str>) -> Result<Self> {
        if self.schema.is_empty() {
            self.schema = default
                .ok_or_else(|| {
                    Error::config(format!("no database is chosen for table `{}`", self.name)).with_hint(
                        "name it in the URL (`mysql://user@host/DATABASE`), or with the table: `DATABASE.TABLE`",
                    )
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

/// The statement that creates a table with these columns (name, type with NULL or NOT NULL).
pub fn create_statement(name: &TableName, columns: &[(String, String)], key: &[String]) -> String {
    let mut list: Vec<String> = columns.iter().map(|(column, ty)| format!("  {} {ty}", quote_ident(column))).collect();
    if !key.is_empty() {
        let key: Vec<String> = key.iter().map(|column| quote_ident(column)).collect();
        list.push(format!("  PRIMARY KEY ({})", key.join(", ")));
    }
    format!("CREATE TABLE {} (\n{}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4", name.quoted(), list.join(",\n"))
}

/// The columns of a new table with types that the server knows.
pub(crate) fn known_types(columns: &[(String, String)], profile: &Profile) -> Vec<(String, String)> {
    columns.iter().map(|(name, ty)| (name.clone(), known_type(ty, profile))).collect()
}

/// A VECTOR goes into a JSON column where the server has no vectors, a UUID into a CHAR: the same text fits both.
fn known_type(ty: &str, profile: &Profile) -> String {
    if !profile.has_vectors && ty.starts_with("VECTOR") {
        let null = ty.split_once(')').map_or("", |(_, null)| null);
        return format!("JSON{null}");
    }
    match ty.strip_prefix("UUID ").filter(|_| !profile.has_uuids) {
        Some(null) => format!("CHAR(36) {null}"),
        None => ty.to_owned(),
    }
}

#[cfg(test)]
mod tests;
