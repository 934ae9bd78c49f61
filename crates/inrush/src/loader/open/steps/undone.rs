//! What an undo of inserted rows must know of the table before it deletes any: rows of other tables that a DELETE would take along.

use crate::blocking::Connection;
use crate::loader::sql;
use crate::table::reading::literal;
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// Refuses a table to which foreign keys refer that delete or change rows with it. A RESTRICT stops the DELETE itself.
pub(crate) fn check_references(connection: &mut Connection, table: &Table) -> Result<()> {
    let query = format!(
        "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS \
         WHERE UNIQUE_CONSTRAINT_SCHEMA = {} AND REFERENCED_TABLE_NAME = {} AND DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT') \
         ORDER BY 1, 2, 3",
        literal(&table.schema),
        literal(&table.name)
    );
    let found: Vec<String> = sql::rows(connection, &query)?
        .iter()
        .filter_map(|row| match &row[..] {
            [schema, other, name, rule] => Some(format!("`{name}` of `{schema}.{other}` (ON DELETE {rule})")),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Guarantee,
        format!(
            "deleting rows of table `{}.{}` would delete or change rows of others, by the foreign key {}",
            table.schema,
            table.name,
            found.join(", ")
        ),
    )
    .with_hint("remove the rows that refer to those of the load, and the rule of the key; or delete both by statements of your own"))
}
