//! The unique keys of a table, and which of them a mode uses.

use crate::column::Column;
use crate::column::ident::quote_ident;
use crate::error::{Error, Result};
use crate::load::Mode;
use crate::write::Table;

/// The properties of a table that decide what a mode does with a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Its unique keys, the primary key first.
    pub unique: Vec<UniqueKey>,
    /// Whether triggers run when a row is updated, as far as this user may see.
    pub update_triggers: bool,
}

/// A unique key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueKey {
    /// Its name.
    pub name: String,
    /// Its columns in order; `None` if a part of it is an expression or the beginning of a text.
    pub columns: Option<Vec<String>>,
    /// Whether a part may be NULL; the key can hold many NULLs.
    pub nullable: bool,
}

impl Keys {
    /// Reads rows of `information_schema.STATISTICS` ordered by index and place: name, column (empty for an expression),
    /// whether only a prefix counts, whether NULL is allowed.
    pub fn read(rows: impl IntoIterator<Item = [String; 4]>, update_triggers: bool) -> Self {
        let mut unique: Vec<UniqueKey> = Vec::new();
        for [name, column, is_prefix, nullable] in rows {
            if unique.last().is_none_or(|key| key.name != name) {
                unique.push(UniqueKey { name, columns: Some(Vec::new()), nullable: false });
            }
            let Some(key) = unique.last_mut() else { continue };
            key.nullable |= nullable == "YES";
            key.columns = key.columns.take().filter(|_| is_prefix != "1" && !column.is_empty());
            if let Some(columns) = &mut key.columns {
                columns.push(column);
            }
        }
        unique.sort_by_key(|key| key.name != "PRIMARY");
        Self { unique, update_triggers }
    }

    /// Returns the columns by which `mode` finds a row: the requested ones, else those of the first key whose columns are all in
    /// `mapped`. Empty for modes that need none, and where the table has none to choose.
    ///
    /// # Errors
    /// `Config` if there is no such key.
    pub fn choose(&self, mode: Mode, asked: &[String], mapped: &[Column], table: &Table) -> Result<Vec<String>> {
        let find = |name: &str| mapped.iter().find(|column| column.name.to_lowercase() == name.trim().to_lowercase());
        if mode == Mode::Insert {
            return Ok(Vec::new());
        }
        if self.unique.is_empty() {
            return Err(Error::config(format!(
                "table `{}` has no unique key, so `--mode {mode}` cannot find out whether a row is there",
                table.name
            ))
            .with_hint("add a primary key, or load with `--mode insert`"));
        }
        let by_key = mode.is_by_key();
        if !asked.is_empty() {
            let mut columns = Vec::new();
            for name in asked {
                match find(name) {
                    Some(column) => columns.push(column.name.clone()),
                    None => {
                        return Err(Error::config(format!(
                            "`--key {}`: no field goes into column `{name}`",
                            asked.join(",")
                        ))
                        .with_hint("a key's columns must be among those that are loaded"));
                    }
                }
            }
            return match self.unique.iter().find(|key| key.is(&columns)) {
                Some(_) => Ok(columns),
                None => Err(Error::config(format!(
                    "`--key {}` is not a unique key of table `{}`",
                    asked.join(","),
                    table.name
                ))
                .with_hint(format!("it has {}", self.shown()))),
            };
        }
        let whole = |key: &&UniqueKey| key.columns.iter().flatten().all(|c| find(c).is_some()) && key.columns.is_some();
        // A NULL in a key finds no row: where rows are found by the key alone, only a primary key is chosen without a request.
        let fit = |key: &&UniqueKey| whole(key) && (!by_key || key.name == "PRIMARY");
        match self.unique.iter().find(fit) {
            Some(key) => Ok(key.columns.clone().unwrap_or_default()),
            None if by_key => Err(Error::config(format!(
                "`--mode {mode}` needs the columns of the primary key of table `{}`, and not all of them are loaded",
                table.name
            ))
            .with_hint(format!("`--key a,b` names another unique key; it has {}", self.shown()))),
            None => Ok(Vec::new()),
        }
    }

    fn shown(&self) -> String {
        let key = |key: &UniqueKey| match &key.columns {
            Some(columns) => columns.iter().map(|c| quote_ident(c)).collect::<Vec<_>>().join(", "),
            None => format!("{} (of expressions or prefixes)", quote_ident(&key.name)),
        };
        self.unique.iter().map(|unique| format!("({})", key(unique))).collect::<Vec<_>>().join(", ")
    }
}

impl UniqueKey {
    /// Whether these are its columns, in any order.
    fn is(&self, columns: &[String]) -> bool {
        let sorted = |columns: &[String]| {
            let mut names: Vec<_> = columns.iter().map(|name| name.to_lowercase()).collect();
            names.sort();
            names
        };
        self.columns.as_ref().is_some_and(|own| sorted(own) == sorted(columns))
    }
}

#[cfg(test)]
mod tests;
