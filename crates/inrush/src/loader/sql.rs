//! The few queries of a load in SQL, as plain texts and numbers.

use crate::blocking::Connection;
use crate::table::TableName;
use crate::table::reading::{NamedObject, Reader, Reading, literal};
use inrush_core::error::Class;
use inrush_core::load::lane;
use inrush_core::session::{LoadCounts, Outcome};
use inrush_core::write::Table;
use inrush_core::write::answer::LoadWarning;
use inrush_core::{Error, Kind, Result};

/// The rows of a query, each value as text, NULL as the empty text.
pub(crate) fn rows(connection: &mut Connection, query: &str) -> Result<Vec<Vec<String>>> {
    connection.texts(query)
}

/// Sets what the answers to the loader's own queries depend on, see [`lane::ANSWERS`].
pub(crate) fn set_answers(connection: &mut Connection) -> Result<()> {
    connection.execute(lane::ANSWERS, ())?;
    let more = lane::more_answers(connection.session().profile());
    if connection.execute(&format!("SET SESSION {}", more.join(", ")), ()).is_ok() {
        return Ok(());
    }
    more.iter().try_for_each(|one| match connection.execute(&format!("SET SESSION {one}"), ()) {
        // Engines refuse a variable that they lack, or may not change, by codes of their own.
        Err(error) if error.is_fatal() || error.kind() != Kind::Server || error.class() != Class::Other => Err(error),
        _ => Ok(()),
    })
}

/// The first row of a query; empty if it has none.
pub(crate) fn first_row(connection: &mut Connection, query: &str) -> Result<Vec<String>> {
    Ok(rows(connection, query)?.into_iter().next().unwrap_or_default())
}

/// Whether there is a table of this name.
pub(crate) fn is_there(connection: &mut Connection, schema: &str, table: &str) -> Result<bool> {
    let query = format!(
        "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
        literal(schema),
        literal(table)
    );
    Ok(first_row(connection, &query)?.first().is_some_and(|count| count != "0"))
}

/// Reads a table's engine and columns; `None` if there is no such table.
///
/// # Errors
/// `Config` for a view or a missing database; else the error of the server.
pub(crate) fn read_table(connection: &mut Connection, name: &TableName) -> Result<Option<Table>> {
    let mut reading = Reading::new(name.clone(), Reader::Load, connection.session().profile());
    while let Some(query) = reading.query() {
        reading.take(rows(connection, &query)?)?;
    }
    match reading.found() {
        NamedObject::Table(table) => Ok(Some(table)),
        NamedObject::View(_) => {
            Err(Error::config(format!("`{}` is a view", name.name)).with_hint("load into the table behind it"))
        }
        NamedObject::NoSchema => {
            Err(Error::config(format!("there is no database `{}`, or this user may not see it", name.schema)))
        }
        NamedObject::NoTable | NamedObject::Temporary => Ok(None),
    }
}

/// SHOW WARNINGS of the last statement.
pub(crate) fn warnings(connection: &mut Connection) -> Result<Vec<LoadWarning>> {
    let warnings = connection.warnings()?;
    Ok(warnings.into_iter().map(|warning| LoadWarning { code: warning.code, message: warning.message }).collect())
}

/// The counts of a LOAD DATA answer. Without them nothing can be compared.
pub(crate) fn load_counts(outcome: &Outcome) -> Result<LoadCounts> {
    LoadCounts::parse(&outcome.info).ok_or_else(|| {
        Error::protocol(format!("the server does not count what it loaded: `{}`", outcome.info))
            .with_hint("`--method multi-row` does not depend on it")
    })
}
