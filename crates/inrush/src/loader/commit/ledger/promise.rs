//! Finds out, before a row is sent, where exactly-once cannot be promised. Such a load is refused.

use super::tables::WITHOUT;
use crate::blocking::Connection;
use crate::loader::options::LoadOptions;
use crate::loader::sql;
use inrush_core::load::ledger::{Routine, untransacted};
use inrush_core::profile::{Cluster, Profile};
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// Refuses an engine whose transactions may be committed in part.
pub(crate) fn check_engine(profile: &Profile) -> Result<()> {
    if profile.commits_together {
        return Ok(());
    }
    Err(Error::new(
        Kind::Guarantee,
        format!(
            "{} commits on one server after the other, and a fault between them leaves a part: rows and ledger do not commit together",
            profile.name
        ),
    )
    .with_hint(format!("{WITHOUT}; or load into the tables of the servers behind it, each by itself")))
}

/// Refuses a target whose rows a ROLLBACK or the fence would not hold together.
pub(crate) fn check(connection: &mut Connection, table: &Table, cluster: Cluster, options: &LoadOptions) -> Result<()> {
    if !table.transactional {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "table `{}` is {}, which cannot roll back: a load that fails would leave some of its rows",
                table.name, table.engine
            ),
        )
        .with_hint("`--guarantee at-least-once` accepts that, or `ALTER TABLE .. ENGINE=InnoDB`"));
    }
    if table.is_elsewhere() {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "table `{}` is {}, whose rows are in other tables or on other servers: they do not commit together with the ledger",
                table.name, table.engine
            ),
        )
        .with_hint(format!("{WITHOUT}; or load into the tables of the other servers themselves")));
    }
    if let (Some(cluster), Some(option)) = (cluster.with_local_locks(), commits_by_itself(options)) {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "`{option}` takes statements that commit by themselves, and this server is a node of {cluster}, whose locks do not reach the \
                 other nodes: nothing would keep such a statement of an older run from coming late"
            ),
        )
        .with_hint(format!("load without `{option}` (a statement that runs before the load can DELETE the rows), or {WITHOUT}")));
    }
    if let Some((name, trigger)) = written_by_triggers(connection, table)? {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "trigger `{trigger}` of table `{}` names `{name}`, a table without transactions: what it writes there stays when a chunk \
                 is rolled back",
                table.name
            ),
        )
        .with_hint(format!("`ALTER TABLE {name} ENGINE=InnoDB`, or {WITHOUT}")));
    }
    Ok(())
}

/// The option that takes statements which no fence can undo.
fn commits_by_itself(options: &LoadOptions) -> Option<&'static str> {
    if options.atomic {
        return Some(options.atomic_option());
    }
    [("--truncate", options.truncate), ("--defer-indexes", options.defer_indexes)]
        .into_iter()
        .find_map(|(option, is_on)| is_on.then_some(option))
}

/// A table without transactions that a trigger of the target names, and the trigger. A user who may not see the triggers sees none: then
/// the server's warning after a ROLLBACK (1196) shows it.
fn written_by_triggers(connection: &mut Connection, table: &Table) -> Result<Option<(String, String)>> {
    let (schema, name) = (literal(&table.schema), literal(&table.name));
    let triggers = routines(
        connection,
        &format!(
            "SELECT TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS \
             WHERE EVENT_OBJECT_SCHEMA = {schema} AND EVENT_OBJECT_TABLE = {name}"
        ),
    )?;
    if triggers.is_empty() {
        return Ok(None);
    }
    let tables: Vec<String> = sql::rows(
        connection,
        "SELECT DISTINCT t.TABLE_NAME FROM information_schema.TABLES t JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE \
         WHERE e.TRANSACTIONS <> 'YES' AND t.TABLE_TYPE = 'BASE TABLE' \
         AND t.TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')",
    )?
    .into_iter()
    .flatten()
    .collect();
    if tables.is_empty() {
        return Ok(None);
    }
    let called = routines(
        connection,
        &format!(
            "SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = {schema}"
        ),
    )?;
    let found = triggers.iter().find_map(|trigger| {
        let named = untransacted(std::slice::from_ref(trigger), &called, &tables)?;
        Some((named.to_owned(), trigger.name.clone()))
    });
    Ok(found)
}

fn routines(connection: &mut Connection, query: &str) -> Result<Vec<Routine>> {
    let rows = sql::rows(connection, query)?;
    let routine = |row: Vec<String>| {
        let [name, body] = <[String; 2]>::try_from(row).ok()?;
        Some(Routine { name, body })
    };
    Ok(rows.into_iter().filter_map(routine).collect())
}

fn literal(text: &str) -> String {
    inrush_core::load::ledger::text_literal(text)
}
