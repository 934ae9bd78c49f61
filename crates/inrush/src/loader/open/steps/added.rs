//! Adds the columns that files have and the table lacks, by one ALTER before the first row.
//!
//! The ALTER commits by itself. A run that continues the job finds the columns in the table, or adds them; the job's line says which they
//! are. An atomic load adds them to the copy that it fills.

use crate::blocking::Connection;
use crate::fault;
use crate::loader::commit::ledger::Jobs;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use crate::table::TableName;
use inrush_core::load::drift;
use inrush_core::{Error, Result};

/// Adds them to the table, while no other run of these jobs does.
pub(super) fn to_table(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    if target.to_add.is_empty() {
        return Ok(());
    }
    /// ER_DUP_FIELDNAME
    const IS_THERE: u16 = 1060;
    jobs.alone(connection, target, |connection, _| {
        let name = (&*target.table.schema, &*target.table.name);
        let mut added = Ok(());
        // Each time another load has added one of them in between.
        for _ in 0..=target.to_add.len() {
            let lacking = lacking(connection, target)?;
            added = add(connection, target, name, &lacking);
            if !added.as_ref().is_err_and(|error| error.code() == IS_THERE) {
                break;
            }
        }
        added
    })
}

/// The columns that the table still lacks: an older run, or another load, may have added them since this one read the table.
fn lacking(connection: &mut Connection, target: &Target) -> Result<Vec<(String, String)>> {
    let name = TableName { schema: target.table.schema.clone(), name: target.table.name.clone() };
    let now = sql::read_table(connection, &name)?.map_or_else(Vec::new, |table| table.columns);
    let mut lacking = Vec::new();
    for column in &target.to_add {
        let is = |other: &str| other.to_lowercase() == column.0.to_lowercase();
        let planned = target.table.columns.iter().find(|planned| is(&planned.name));
        match now.iter().find(|there| is(&there.name)) {
            None => lacking.push(column.clone()),
            Some(there) if planned.is_some_and(|planned| planned.ty == there.ty) => {}
            Some(there) => {
                let message = format!("column `{}` was added meanwhile, as {}", there.name, there.ty);
                return Err(Error::config(message).with_hint("run the same command again: it reads the table anew"));
            }
        }
    }
    Ok(lacking)
}

/// Adds them to a table of this name: at once where the server can, else by a rewrite of the table.
pub(super) fn add(
    connection: &mut Connection,
    target: &Target,
    (schema, table): (&str, &str),
    columns: &[(String, String)],
) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let statement = |at_once| drift::add_statement(schema, table, columns, at_once);
    target.load.notify(&LoadEvent::Adds { statement: statement(false) });
    target.load.control.waits(0, Some("ALTER TABLE .. ADD COLUMN"));
    fault::point("add.before");
    let added = match connection.execute(&statement(true), ()) {
        Err(error) if NOT_AT_ONCE.contains(&error.code()) => {
            target.load.notify(&LoadEvent::AddsSlowly { reason: error.to_string() });
            connection.execute(&statement(false), ())
        }
        other => other,
    };
    fault::point("add.after");
    added.map(drop).map_err(|error| cannot_add(error, table))
}

fn cannot_add(error: Error, table: &str) -> Error {
    /// ER_TABLEACCESS_DENIED_ERROR
    const DENIED: u16 = 1142;
    let is_denied = error.code() == DENIED;
    let error = error.while_doing(&format!("cannot add columns to table `{table}`"));
    match is_denied {
        true => error.with_hint(
            "`--new-columns add` needs the right ALTER on the table; `--new-columns ignore` leaves the fields out",
        ),
        false => error,
    }
}

/// ER_UNKNOWN_ALTER_ALGORITHM, ER_ALTER_OPERATION_NOT_SUPPORTED, ER_ALTER_OPERATION_NOT_SUPPORTED_REASON, and MySQL's
/// ER_INNODB_MAX_ROW_VERSION: 64 changes at once, then the table must be rewritten.
const NOT_AT_ONCE: [u16; 4] = [1800, 1845, 1846, 4092];
