//! Modes on a connection: the keys of the target are read, stages made and emptied, and rows brought from there into the table.
//! The core has the statements and the meaning of the answers (`load::modes`).

use super::source_plan::SourcePlan;
use crate::blocking::Connection;
use crate::loader::options::LoadOptions;
use crate::loader::sql;
use crate::table::reading::{is_exactly, literal};
use inrush_core::column::ident::quote_table;
use inrush_core::load::modes::{Counted, Keys, Stage, Writing};
use inrush_core::load::steps::Shadow;
use inrush_core::load::{LoadPlan, Mode, Source};
use inrush_core::profile::Profile;
use inrush_core::write::answer::LoadWarning;
use inrush_core::write::{Method, Table};
use inrush_core::{Error, Result};

/// Reads the keys and triggers of a table, if the mode depends on them.
pub(crate) fn read_keys(connection: &mut Connection, table: &Table, mode: Mode) -> Result<Keys> {
    if mode == Mode::Insert {
        return Ok(Keys::default());
    }
    let keys = format!(
        "SELECT INDEX_NAME, COALESCE(COLUMN_NAME, ''), SUB_PART IS NOT NULL, COALESCE(NULLABLE, '') \
         FROM information_schema.STATISTICS WHERE {} AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX",
        is_exactly("TABLE_SCHEMA", table)
    );
    let rows = sql::rows(connection, &keys)?.into_iter().filter_map(|row| row.try_into().ok());
    let rows: Vec<[String; 4]> = rows.collect();
    let triggers = format!(
        "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_MANIPULATION = 'UPDATE' \
         AND EVENT_OBJECT_SCHEMA = {} AND EVENT_OBJECT_TABLE = {}",
        literal(&table.schema),
        literal(&table.name)
    );
    let has_triggers = sql::first_row(connection, &triggers)?.first().is_some_and(|count| count != "0");
    Ok(Keys::read(rows, has_triggers))
}

/// Whether a trigger may change a row before it is inserted. An account that may not see triggers sees none.
pub(crate) fn has_insert_trigger(connection: &mut Connection, table: &Table) -> Result<bool> {
    let count = format!(
        "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_MANIPULATION = 'INSERT' \
         AND ACTION_TIMING = 'BEFORE' AND EVENT_OBJECT_SCHEMA = {} AND EVENT_OBJECT_TABLE = {}",
        literal(&table.schema),
        literal(&table.name)
    );
    Ok(sql::first_row(connection, &count)?.first().is_some_and(|count| count != "0"))
}

/// Whether it has triggers at all. An account that may not see triggers sees none.
pub(crate) fn has_triggers(connection: &mut Connection, table: &Table) -> Result<bool> {
    let count = format!(
        "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {} AND EVENT_OBJECT_TABLE = {}",
        literal(&table.schema),
        literal(&table.name)
    );
    Ok(sql::first_row(connection, &count)?.first().is_some_and(|count| count != "0"))
}

/// Whether it has an index besides its primary key.
pub(crate) fn has_secondary_index(connection: &mut Connection, table: &Table) -> Result<bool> {
    let count = format!(
        "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE {} AND INDEX_NAME <> 'PRIMARY'",
        is_exactly("TABLE_SCHEMA", table)
    );
    Ok(sql::first_row(connection, &count)?.first().is_some_and(|count| count != "0"))
}

/// The keys of a table that is still to be made.
pub(crate) fn keys_of_new(key: &[String]) -> Keys {
    Keys::read(key.iter().map(|column| ["PRIMARY".into(), column.clone(), "0".into(), String::new()]), false)
}

/// The plan of a source, and how its rows are written.
pub(crate) fn plan(
    source: &dyn Source,
    options: &LoadOptions,
    table: &Table,
    keys: &Keys,
    profile: &Profile,
) -> Result<(LoadPlan, Writing)> {
    let plan = LoadPlan::new(
        source.name(),
        source.fields(),
        &options.matching,
        &options.set,
        table,
        (options.mode, options.drift()),
    );
    let mut plan = plan.map_err(|error| match error.hint().and_then(|hint| hint.strip_suffix(OF_LINES)) {
        // Typed rows have their names from elsewhere.
        Some(hint) if !source.is_text() => error.clone().with_hint(hint.to_owned()),
        _ => error,
    })?;
    let key = keys.choose(options.mode, &options.key, &plan.filled(), table)?;
    if options.mode == Mode::Delete {
        plan.keep(&key);
    }
    let shadow = options.atomic.then(|| Shadow::of(&table.schema, &table.name).shadow);
    let target = quote_table(&table.schema, shadow.as_ref().unwrap_or(&table.name));
    let stage = quote_table(&table.schema, STAGE);
    let writing = Writing::new(options.mode, &target, &stage, &plan.filled(), key, keys, profile)?;
    Ok((plan, writing))
}

/// What a hint says of files of lines alone.
const OF_LINES: &str = "; `--no-header` if line 1 is data";

/// A lane has one stage at a time. The stage hides a table of this name from the lane only; other connections still see the table.
const STAGE: &str = "inrush_stage";

/// Which stage a connection has.
#[derive(Debug, Default)]
pub(crate) struct Staged(Option<String>);

/// Makes or empties the stage that rows of `plan` go through when `method` writes them. No transaction is open; none is afterwards.
pub(crate) fn ready(connection: &mut Connection, staged: &mut Staged, plan: &SourcePlan, method: Method) -> Result<()> {
    let Some(stage) = plan.writing.stage(method) else { return Ok(()) };
    if staged.0.as_ref() == Some(&stage.create[1]) {
        connection.execute(&stage.truncate, ())?;
        return Ok(());
    }
    staged.0 = None;
    for statement in &stage.create {
        connection.execute(statement, ()).map_err(refused)?;
    }
    connection.execute("COMMIT", ())?;
    staged.0 = Some(stage.create[1].clone());
    Ok(())
}

fn refused(error: Error) -> Error {
    /// ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR
    const DENIED: [u16; 2] = [1044, 1142];
    let is_denied = DENIED.contains(&error.code());
    let error = error.while_doing("cannot make a temporary table for the rows");
    match is_denied {
        true => error
            .with_hint("this mode needs the rights CREATE TEMPORARY TABLES on the database and SELECT on the table"),
        false => error,
    }
}

/// Brings `n_rows` rows from the stage into the table. Returns what became of them, and what the server remarked.
pub(crate) fn apply(
    connection: &mut Connection,
    plan: &SourcePlan,
    stage: &Stage,
    n_rows: u64,
) -> Result<(Counted, Vec<LoadWarning>)> {
    let answer = connection.execute(&stage.apply, ())?;
    let noted = if answer.warnings > 0 { sql::warnings(connection)? } else { Vec::new() };
    Ok((Counted::of_apply(plan.writing.mode, n_rows, &answer)?, noted))
}

/// Stores the `n_rows` rows of one INSERT strictly, in any mode: part of a replay.
pub(crate) fn store(
    connection: &mut Connection,
    plan: &SourcePlan,
    insert: &[u8],
    n_rows: u64,
) -> Result<(Counted, Vec<LoadWarning>)> {
    let stage = plan.writing.stage(Method::MultiRow);
    if let Some(stage) = stage {
        connection.execute(&stage.clear, ())?;
    }
    let answer = connection.execute(insert, ())?;
    let mut noted = if answer.warnings > 0 { sql::warnings(connection)? } else { Vec::new() };
    let mut counted = plan.writing.count_insert(Method::MultiRow, n_rows, &answer)?;
    if let Some(stage) = stage {
        let (applied, more) = apply(connection, plan, stage, n_rows)?;
        counted = applied;
        noted.extend(more);
    }
    Ok((counted, noted))
}
