//! Finds out, before a row is sent, where exactly-once cannot be promised. Such a load is refused.

use super::tables::WITHOUT;
use crate::blocking::Connection;
use crate::loader::sql;
use inrush_core::load::ledger::{Routine, untransacted};
use inrush_core::profile::Cluster;
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// Refuses a target whose rows a ROLLBACK or the fence would not hold together.
pub(crate) fn check(connection: &mut Connection, table: &Table, cluster: Cluster) -> Result<()> {
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
    if let Some(cluster) = cluster.with_local_locks() {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "this server is a node of {cluster}, whose row locks do not reach the other nodes: an older run of the same load \
                 could not be kept out"
            ),
        )
        .with_hint(WITHOUT));
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
