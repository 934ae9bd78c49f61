//! A copy of a table's definition that takes the rows of files for as long as they are compared.
//!
//! Invariant: only tables that this program made are dropped: their comment says so, and no connection holds their lock.

use crate::Output;
use inrush::Config;
use inrush::blocking::Connection;
use inrush::table::TableName;
use inrush_core::write::Table;
use inrush_core::{Error, Result};

/// The copy, which is dropped at the end.
pub(super) struct Copy {
    config: Config,
    pub(super) name: TableName,
    /// Holds the lock by which others see that the copy is in use.
    _connection: Connection,
    output: Output,
}

impl Copy {
    /// Makes an empty copy of a table beside it.
    pub(super) fn make(config: &Config, table: &TableName, output: &Output) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        // A load may take longer than the server waits for an idle connection.
        connection.execute("SET SESSION wait_timeout = 2000000", ())?;
        may_be_copied(&mut connection, table)?;
        drop_left(&mut connection, table, output)?;
        let name = name(table, rand::random());
        lock(&mut connection, &name)?;
        let made = connection.execute(&format!("CREATE TABLE {} LIKE {}", name.quoted(), table.quoted()), ());
        made.map_err(|error| explained(error, table))?;
        let copy = Self { config: config.clone(), name, _connection: connection, output: output.clone() };
        let marked = format!("ALTER TABLE {} COMMENT = '{COMMENT}'", copy.name.quoted());
        Connection::connect(config)?.execute(&marked, ()).map_err(|error| explained(error, table))?;
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let dropped = Connection::connect(&self.config)
            .and_then(|mut connection| connection.execute(&format!("DROP TABLE {}", self.name.quoted()), ()));
        if let Err(error) = dropped {
            self.output.error(&format!("error: table {} is left, please drop it: {error}", self.name.quoted()));
        }
    }
}

/// At most 64 characters, as the servers have it.
fn name(table: &TableName, number: u32) -> TableName {
    let suffix = format!("{MARK}{number:08x}");
    let name = table.name.chars().take(64 - suffix.len()).collect::<String>() + &suffix;
    TableName { schema: table.schema.clone(), name }
}

const MARK: &str = "__inrush_verify_";

const COMMENT: &str = "A copy of inrush verify, which drops it";

/// Refuses a table whose copy would have the same rows, because they are on other servers.
fn may_be_copied(connection: &mut Connection, table: &TableName) -> Result<()> {
    let engine = connection.query_first::<Option<String>>(
        "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
        (&table.schema, &table.name),
    )?;
    match engine.flatten() {
        Some(engine) if Table::is_elsewhere_by(&engine) => Err(Error::config(format!(
            "files are compared by way of a copy of {}, which is {engine}: its rows are in other tables or on other servers, and the copy would have the same ones",
            table.quoted()
        ))
        .with_hint("`inrush verify` compares two tables")),
        _ => Ok(()),
    }
}

/// Drops the copies of runs that were killed.
fn drop_left(connection: &mut Connection, table: &TableName, output: &Output) -> Result<()> {
    let names = connection.query::<String>(
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_COMMENT = ? AND TABLE_NAME LIKE ?",
        (&table.schema, COMMENT, format!("%{}%", MARK.replace('_', "\\_"))),
    )?;
    for name in names {
        let left = TableName { schema: table.schema.clone(), name };
        if lock(connection, &left).is_ok() {
            output.notice(&format!("dropping {}, the copy of a run that was killed", left.quoted()));
            connection.execute(&format!("DROP TABLE IF EXISTS {}", left.quoted()), ())?;
            connection.execute("DO RELEASE_LOCK(?)", (lock_name(&left),))?;
        }
    }
    Ok(())
}

fn lock(connection: &mut Connection, name: &TableName) -> Result<()> {
    match connection.query_one::<Option<i64>>("SELECT GET_LOCK(?, 0)", (lock_name(name),))? {
        Some(1) => Ok(()),
        _ => Err(Error::config(format!("another run uses {}", name.quoted()))),
    }
}

/// At most 64 characters: the end of a copy's name is its number.
fn lock_name(name: &TableName) -> String {
    let chars: Vec<char> = format!("{}.{}", name.schema, name.name).chars().collect();
    chars[chars.len().saturating_sub(64)..].iter().collect()
}

/// The error of a copy that cannot be made.
fn explained(error: Error, table: &TableName) -> Error {
    /// ER_DBACCESS_DENIED, ER_TABLEACCESS_DENIED
    const DENIED: [u16; 2] = [1044, 1142];
    /// ER_WRONG_OBJECT
    const NO_TABLE: u16 = 1347;
    let why = error.message().to_owned();
    match error.code() {
        code if DENIED.contains(&code) => Error::config(format!(
            "files are compared by way of a copy of {}, which this user may not make: {why}",
            table.quoted()
        ))
        .with_hint(format!(
            "`GRANT SELECT, INSERT, CREATE, ALTER, DROP` on database `{}`, or compare as a user who has these rights",
            table.schema
        )),
        NO_TABLE => Error::config(format!("{} is no table that could be copied: {why}", table.quoted())),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_server() {
        let of = |table: &str| name(&TableName { schema: "s".into(), name: table.into() }, 7).name;
        assert_eq!(of("people"), "people__inrush_verify_00000007");
        assert_eq!(of(&"ü".repeat(64)), format!("{}__inrush_verify_00000007", "ü".repeat(40)));
        let long = TableName { schema: "s".repeat(64), name: of(&"t".repeat(64)) };
        assert_eq!(lock_name(&long), long.name);
    }
}
