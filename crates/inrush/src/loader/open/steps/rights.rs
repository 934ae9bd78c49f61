//! The rights that a load with a copy of its table needs when the last row is stored: RENAME (ALTER, DROP, CREATE, INSERT) and LOCK TABLES.
//! They are tried before anything is made or copied.
//!
//! A server checks rights before it looks for a table, so statements that name no existing table, and could change none, answer the
//! question for roles and grants of every kind. Grants of the tables alone that do not reach the copy are found out when it is made.

use crate::blocking::Connection;
use crate::loader::sql;
use inrush_core::load::steps::Shadow;
use inrush_core::{Error, Kind, Result};

/// Refuses an account that could not put the copy into the table's place. If the copy exists, an earlier run has checked this.
pub(crate) fn check(connection: &mut Connection, shadow: &Shadow, option: &str) -> Result<()> {
    if sql::is_there(connection, &shadow.schema, &shadow.shadow)? {
        return Ok(());
    }
    for statement in shadow.try_rights() {
        // It is not there, or (made in between) stays what it is.
        match connection.execute(&statement, ()) {
            Err(error) if is_denied(&error) => return Err(missing(&error, shadow, option)),
            Err(error) if error.is_fatal() => return Err(error),
            _ => {}
        }
    }
    connection.execute("UNLOCK TABLES", ()).map(drop)
}

/// Whether a right is missing.
pub(super) fn is_denied(error: &Error) -> bool {
    /// ER_DBACCESS_DENIED, ER_TABLEACCESS_DENIED
    const DENIED: [u16; 2] = [1044, 1142];
    DENIED.contains(&error.code())
}

/// The error for it.
pub(super) fn missing(error: &Error, shadow: &Shadow, option: &str) -> Error {
    Error::new(
        Kind::Guarantee,
        format!(
            "`{option}` puts a filled copy into the place of table `{}`, and this user may not: {}",
            shadow.table,
            error.message()
        ),
    )
    .with_hint(format!(
        "`GRANT SELECT, INSERT, CREATE, ALTER, DROP, LOCK TABLES` on database `{}`; then run the same command",
        shadow.schema
    ))
}
