//! Adds the columns that files have and the table lacks, by one ALTER before the first row.
//!
//! The ALTER commits by itself. A run that continues the job finds the columns in the table, or adds them; the job's line says which they
//! are. An atomic load adds them to the copy that it fills.
//!
//! Invariant: no row is sent unless the columns are there as the load has planned them, with the same types and character sets. The checks of
//! cells, and whether texts are sent as bytes, depend on that.

use crate::blocking::Connection;
use crate::fault;
use crate::loader::commit::ledger::Jobs;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use crate::table::TableName;
use crate::table::reading::is_exactly;
use crate::until_stopped::execute_until_stopped;
use inrush_core::column::Column;
use inrush_core::load::drift;
use inrush_core::load::ledger::JobStep;
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// Whether texts of new columns are utf8mb4 if the statement does not say so.
pub(crate) fn is_utf8mb4(connection: &mut Connection, table: &Table) -> Result<bool> {
    let condition = is_exactly("TABLE_SCHEMA", table);
    let query = format!("SELECT TABLE_COLLATION FROM information_schema.TABLES WHERE {condition}");
    Ok(sql::first_row(connection, &query)?.concat().starts_with("utf8mb4_"))
}

/// Adds them to the table, while no other run of these jobs does.
pub(crate) fn to_table(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    if target.to_add.is_empty() {
        return Ok(());
    }
    /// ER_DUP_FIELDNAME
    const IS_THERE: u16 = 1060;
    jobs.alone(connection, target, |connection, jobs| {
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
        added.map_err(|error| cannot_add(error, &target.table.name))?;
        check(connection, target, &target.table.name)?;
        jobs.intend(connection, JobStep::Create)
    })
}

/// The columns of a table, or of the copy that is filled.
pub(super) fn columns(connection: &mut Connection, target: &Target, table: &str) -> Result<Vec<Column>> {
    let name = TableName { schema: target.table.schema.clone(), name: table.to_owned() };
    Ok(sql::read_table(connection, &name)?.map_or_else(Vec::new, |table| table.columns))
}

/// The column that is there in the place of one that is to be added, and what is different about it.
fn compare(target: &Target, name: &str, there: &[Column]) -> Option<Option<String>> {
    let is = |other: &str| other.to_lowercase() == name.to_lowercase();
    let there = there.iter().find(|there| is(&there.name))?;
    let planned = target.table.columns.iter().find(|planned| is(&planned.name));
    Some(planned.and_then(|planned| drift::difference(planned, there)))
}

/// The columns that the table still lacks: an older run, or another load, may have added them since this one read the table.
fn lacking(connection: &mut Connection, target: &Target) -> Result<Vec<(String, String)>> {
    let now = columns(connection, target, &target.table.name)?;
    let mut lacking = Vec::new();
    for column in &target.to_add {
        match compare(target, &column.0, &now) {
            None => lacking.push(column.clone()),
            Some(None) => {}
            Some(Some(difference)) => {
                return Err(Error::config(format!("{difference}: it was added meanwhile"))
                    .with_hint("run the same command again: it reads the table anew"));
            }
        }
    }
    Ok(lacking)
}

/// Refuses to send rows to columns that the server has made in another way than the load has planned.
pub(super) fn check(connection: &mut Connection, target: &Target, table: &str) -> Result<()> {
    if target.to_add.is_empty() {
        return Ok(());
    }
    let now = columns(connection, target, table)?;
    if now.is_empty() && table != target.table.name {
        // An earlier run has put the copy in the table's place.
        return Ok(());
    }
    for (name, _) in &target.to_add {
        let difference = match compare(target, name, &now) {
            None => format!("column `{name}` was added, and is not there any more"),
            Some(None) => continue,
            Some(Some(difference)) => difference,
        };
        return Err(Error::config(format!("{difference}: no row was sent"))
            .with_hint("run the same command again: it reads the table anew, with the columns that are there now"));
    }
    Ok(())
}

/// Adds them to the copy that is filled, which is new.
pub(super) fn to_copy(connection: &mut Connection, target: &Target, (schema, table): (&str, &str)) -> Result<()> {
    add(connection, target, (schema, table), &target.to_add).map_err(|error| cannot_add(error, table))
}

/// Adds them to a table of this name: at once where the server can, else by a rewrite of the table.
fn add(
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
    // It may wait for transactions that use the table, and the server would do it after the program has ended.
    let run = |connection: &mut Connection, at_once: bool| {
        execute_until_stopped(connection, statement(at_once), || target.load.control.is_stopping())
    };
    let added = match run(connection, true) {
        Err(error) if NOT_AT_ONCE.contains(&error.code()) => {
            target.load.notify(&LoadEvent::AddsSlowly { reason: error.to_string() });
            run(connection, false)
        }
        other => other,
    };
    fault::point("add.after");
    added
}

fn cannot_add(error: Error, table: &str) -> Error {
    if error.kind() == Kind::Interrupted {
        return error;
    }
    let hint = match error.code() {
        // ER_TABLEACCESS_DENIED_ERROR
        1142 => "`--new-columns add` needs the right ALTER on the table; `--new-columns ignore` leaves the fields out",
        // ER_DUP_FIELDNAME
        1060 => {
            "names that differ by case and accents alone are one name for the server, and a column may be hidden: `--columns a,b,@skip` \
             gives fields other names or leaves them out"
        }
        // ER_TOO_LONG_IDENT, ER_WRONG_COLUMN_NAME
        1059 | 1166 => "`--columns a,b,@skip` gives fields other names or leaves them out",
        // ER_TOO_MANY_FIELDS; MariaDB's InnoDB refuses them by ER_CANT_CREATE_TABLE.
        code if code == 1117 || code == 1005 && error.message().contains("Too many columns") => {
            "a table has at most 4,096 columns, in InnoDB 1,017: `--columns a,b,@skip` leaves single fields out, `--new-columns ignore` all \
             that the table has no column for"
        }
        // ER_TOO_BIG_ROWSIZE
        1118 => {
            "`--type 'column=TEXT'` takes less room in the row than VARCHAR; `--columns a,b,@skip` leaves single fields out, `--new-columns \
             ignore` all that the table has no column for"
        }
        // ER_VERS_ALTER_NOT_ALLOWED
        4119 => {
            "the table keeps its history: `SET GLOBAL system_versioning_alter_history = KEEP` lets an ALTER add columns; or add them yourself, \
             and run the same command again"
        }
        _ => return error.while_doing(&format!("cannot add columns to table `{table}`")),
    };
    error.while_doing(&format!("cannot add columns to table `{table}`")).with_hint(hint)
}

/// ER_UNKNOWN_ALTER_ALGORITHM, ER_ALTER_OPERATION_NOT_SUPPORTED, ER_ALTER_OPERATION_NOT_SUPPORTED_REASON, and MySQL's
/// ER_INNODB_MAX_ROW_VERSION: 64 changes at once, then the table must be rewritten.
const NOT_AT_ONCE: [u16; 4] = [1800, 1845, 1846, 4092];
