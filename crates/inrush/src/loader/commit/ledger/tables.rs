//! The ledger's tables: created if they are missing, and tested, so that a missing right shows before a row is sent.

use crate::blocking::Connection;
use crate::loader::sql;
use inrush_core::error::Class;
use inrush_core::load::ledger::Ledger;
use inrush_core::{Error, Kind, Result};

/// Makes sure that the tables exist and that this user may do with them what a load does. DDL commits, so this comes first.
pub(crate) fn provide(connection: &mut Connection, ledger: &mut Ledger) -> Result<()> {
    let there = sql::rows(connection, &ledger.tables_query())?;
    for name in Ledger::TABLES {
        let is_name = |row: &&Vec<String>| row.first().is_some_and(|found| found.eq_ignore_ascii_case(name));
        match there.iter().find(is_name).and_then(|row| row.get(1)) {
            None => {
                connection.execute(&ledger.create_statement(name), ()).map_err(|e| not_possible(e, ledger))?;
            }
            Some(engine) if engine.eq_ignore_ascii_case("InnoDB") => {}
            Some(engine) => {
                return Err(Error::new(
                    Kind::Guarantee,
                    format!("table `{name}` of database `{}` is {engine}, so it is no ledger", ledger.schema),
                )
                .with_hint(format!("`ALTER TABLE {name} ENGINE=InnoDB`, or {WITHOUT}")));
            }
        }
    }
    learn_later_columns(connection, ledger)?;
    if let Some(statement) = ledger.add_columns_statement() {
        add_later_columns(connection, &statement)?;
        learn_later_columns(connection, ledger)?;
    }
    for probe in ledger.probes() {
        connection.execute(&probe, ()).map_err(|e| not_possible(e, ledger))?;
    }
    connection.execute("COMMIT", ()).map(drop)
}

/// Whether the ledger's tables exist. A command that only reads the ledger does not create them.
pub(crate) fn are_there(connection: &mut Connection, ledger: &Ledger) -> Result<bool> {
    Ok(sql::rows(connection, &ledger.tables_query())?.len() == Ledger::TABLES.len())
}

/// Refuses to report that there is no ledger if this user may not see it: a server shows only what one has rights on.
pub(crate) fn may_read(connection: &mut Connection, ledger: &Ledger) -> Result<()> {
    /// ER_DBACCESS_DENIED, ER_TABLEACCESS_DENIED
    const DENIED: [u16; 2] = [1044, 1142];
    match connection.execute(&ledger.first_job_query(), ()) {
        Err(error) if DENIED.contains(&error.code()) => {
            Err(error.while_doing(&format!("cannot see whether database `{}` has a ledger", ledger.schema)).with_hint(
                format!("`GRANT SELECT` on the tables `{}` of `{}`", Ledger::TABLES.join("`, `"), ledger.schema),
            ))
        }
        // No such table, no such database.
        Err(error) if error.is_fatal() => Err(error),
        _ => Ok(()),
    }
}

/// Learns which columns that older versions did not make `inrush_job` has.
pub(crate) fn learn_later_columns(connection: &mut Connection, ledger: &mut Ledger) -> Result<()> {
    ledger.set_later_columns(&sql::rows(connection, &ledger.later_columns_query())?);
    Ok(())
}

/// Adds them. Without the right to do so, or while other sessions use the table, the jobs stay without owners, or without what is known
/// of their last run.
fn add_later_columns(connection: &mut Connection, statement: &str) -> Result<()> {
    connection.execute(&format!("SET SESSION lock_wait_timeout = {SHORT_WAIT_SECONDS}"), ())?;
    let added = connection.execute(statement, ());
    connection.execute(&format!("SET SESSION lock_wait_timeout = {LOCK_WAIT_SECONDS}"), ())?;
    match added {
        Err(error) if error.is_fatal() => Err(error),
        _ => Ok(()),
    }
}

/// Whether the error comes from another run that does the same just now.
pub(crate) fn is_contended(error: &Error) -> bool {
    /// ER_DUP_ENTRY
    const INSERTED: u16 = 1062;
    matches!(error.class(), Class::Conflict | Class::ConflictOrLimit) || error.code() == INSERTED
}

/// The error for a user without the rights; any other error keeps its kind and code.
fn not_possible(error: Error, ledger: &Ledger) -> Error {
    if error.kind() != Kind::Server || !REFUSALS.contains(&error.code()) {
        return error.while_doing("cannot make the ledger of the load ready");
    }
    Error::new(
        Kind::Guarantee,
        format!(
            "a load that is to store every row exactly once keeps a ledger in database `{}`, and this user may not: {}",
            ledger.schema,
            error.message()
        ),
    )
    .with_hint(format!(
        "`GRANT CREATE, SELECT, INSERT, UPDATE, DELETE` on `{}` (once the tables `{}` are there CREATE is not needed), or {WITHOUT}",
        ledger.schema,
        Ledger::TABLES.join("`, `")
    ))
}

/// Our own name and version, as a line has it.
pub(crate) const PROGRAM: &str = concat!("inrush ", env!("CARGO_PKG_VERSION"));

const SHORT_WAIT_SECONDS: u32 = 2;

/// As a lane's session has it.
const LOCK_WAIT_SECONDS: u32 = 31_536_000;

pub(crate) const WITHOUT: &str = "`--guarantee at-least-once` does without";

/// ER_DBACCESS_DENIED, ER_TABLEACCESS_DENIED, ER_COLUMNACCESS_DENIED, ER_SPECIFIC_ACCESS_DENIED, ER_ACCESS_DENIED_NO_PASSWORD; unknown table
/// or column: tables of this name that are not ours.
const REFUSALS: [u16; 7] = [1044, 1142, 1143, 1227, 1045, 1054, 1136];
