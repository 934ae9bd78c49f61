//! Widens columns that are too narrow for the files (`--widen`), by one ALTER before the first row.
//!
//! The ALTER commits by itself. A run that continues the job finds the columns wide, or widens them; the job's line says which they are. An
//! atomic load widens those of the copy that it fills.
//!
//! Invariant: no row is sent unless the columns have the types that the load has planned. No column gets narrower: loads widen a table one
//! after the other, each by what it finds then.

use super::added::columns;
use super::rights;
use crate::blocking::Connection;
use crate::fault;
use crate::loader::commit::ledger::Jobs;
use crate::loader::options::LoadOptions;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use crate::table::reading::{is_exactly, literal};
use crate::until_stopped::execute_until_stopped;
use inrush_core::column::ident::quote_table;
use inrush_core::column::{Column, ColumnType};
use inrush_core::load::ledger::{JobId, JobStep};
use inrush_core::load::widen::{self, Widened};
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// Decides which columns get which types, and gives them to `table`, against which the load is planned.
///
/// # Errors
/// `Guarantee` for a column that cannot be widened without an effect on something else.
pub(crate) fn plan(connection: &mut Connection, table: &mut Table, options: &LoadOptions) -> Result<Vec<Widened>> {
    let narrow = widen::too_narrow(&table.columns, &options.needed);
    if narrow.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |reasons: &[String]| {
        let message = format!("table `{}` cannot be widened:\n  - {}", table.name, reasons.join("\n  - "));
        Error::new(Kind::Guarantee, message)
            .with_hint("alter the table yourself; or load without `--widen`: rows that do not fit are bad then")
    };
    let gets_scale = |(column, to): &&(&Column, ColumnType)| match (&column.ty, to) {
        (ColumnType::Decimal { scale, .. }, ColumnType::Decimal { scale: more, .. }) => more > scale,
        _ => false,
    };
    if options.atomic
        && !options.truncate
        && let Some((column, to)) = narrow.iter().find(gets_scale)
    {
        return Err(refused(&[format!(
            "column `{}` is {}, and needs {to}: the rows of the copy would not be comparable with those of the table (`--atomic`)",
            column.name, column.ty
        )]));
    }
    let create = in_a_known_mode(connection, |connection| definition(connection, &table.schema, &table.name))?;
    let tied = tied(connection, table)?;
    let widened = widen::plan(&create, &narrow, &tied).map_err(|reasons| refused(&reasons))?;
    if connection.session().profile().shortens_keys {
        let reasons = too_long_keys(connection, table, &widened)?;
        if !reasons.is_empty() {
            return Err(refused(&reasons));
        }
    }
    for one in &widened {
        table
            .columns
            .iter_mut()
            .filter(|column| column.name == one.column)
            .for_each(|column| column.ty = one.to.clone());
    }
    Ok(widened)
}

/// Widens the table, while no other run of these jobs does.
pub(crate) fn to_table(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    if target.widened.is_empty() {
        return Ok(());
    }
    jobs.alone(connection, target, |connection, jobs| {
        alter(connection, target, &target.table.name)?;
        jobs.intend(connection, JobStep::Create)
    })
}

/// Widens the table of this name, which is the target or its copy, and checks what has become of it.
pub(super) fn alter(connection: &mut Connection, target: &Target, table: &str) -> Result<()> {
    if target.widened.is_empty() {
        return Ok(());
    }
    let lock = format!("'inrush {}'", JobId::of(&target.table.schema, table, "the widening of it"));
    target.load.control.waits(0, Some("another load that widens the table"));
    while sql::first_row(connection, &format!("SELECT GET_LOCK({lock}, 1)"))? != ["1"] {
        if target.load.control.is_stopping() {
            return Err(Error::new(Kind::Interrupted, "interrupted before a row was sent"));
        }
    }
    let altered = in_a_known_mode(connection, |connection| alter_locked(connection, target, table));
    let freed = connection.execute(&format!("DO RELEASE_LOCK({lock})"), ()).map(drop);
    altered.and(freed)
}

/// Keeps others from altering the table after its definition was read: the ALTER may wait in line behind one of theirs, and would put the former
/// definition back, also a narrower type. A copy is not known to others.
fn alter_locked(connection: &mut Connection, target: &Target, table: &str) -> Result<()> {
    let can_lock = connection.session().profile().locks_tables && target.cluster.with_local_locks().is_none();
    if table != target.table.name || !can_lock {
        return alter_alone(connection, target, table);
    }
    let lock = format!("LOCK TABLES {} WRITE", quote_table(&target.table.schema, table));
    target.load.control.waits(0, Some("LOCK TABLES"));
    execute_until_stopped(connection, &lock, || target.load.control.is_stopping())
        .map_err(|error| cannot_lock(error, table))?;
    let altered = alter_alone(connection, target, table);
    // If the lock is gone already, nothing is unlocked.
    let unlocked = connection.execute("UNLOCK TABLES", ()).map(drop);
    altered.and(unlocked)
}

fn cannot_lock(error: Error, table: &str) -> Error {
    if error.kind() == Kind::Interrupted {
        return error;
    }
    let is_denied = rights::is_denied(&error);
    let error = error.while_doing(&format!("cannot keep others from altering table `{table}`"));
    match is_denied {
        true => error.with_hint(
            "`--widen` needs the rights LOCK TABLES and SELECT, and ALTER; without it rows that do not fit are bad",
        ),
        false => error,
    }
}

fn alter_alone(connection: &mut Connection, target: &Target, table: &str) -> Result<()> {
    let schema = &target.table.schema;
    let now = columns(connection, target, table)?;
    let mut narrow: Vec<(&Column, ColumnType)> = Vec::new();
    for one in &target.widened {
        match now.iter().find(|column| column.name == one.column) {
            Some(there) if there.ty == one.to => {}
            Some(there) if there.ty == one.from => narrow.push((there, one.to.clone())),
            there => return Err(changed(one, there, "it was altered meanwhile")),
        }
    }
    if narrow.is_empty() {
        return Ok(());
    }
    let before = definition(connection, schema, table)?;
    let widened = widen::plan(&before, &narrow, &[]).map_err(|reasons| Error::config(reasons.join("\n")))?;
    let statement = widen::statement(schema, table, &widened);
    target.load.notify(&LoadEvent::Widens { statement: statement.clone() });
    target.load.control.waits(0, Some("ALTER TABLE .. MODIFY COLUMN"));
    fault::point("widen.before");
    // It may wait for transactions that use the table, and the server would do it after the program has ended.
    execute_until_stopped(connection, &statement, || target.load.control.is_stopping())
        .map_err(|error| cannot_widen(error, table))?;
    fault::point("widen.after");
    let after = definition(connection, schema, table)?;
    match widen::difference(&before, &after, &widened) {
        None => Ok(()),
        Some(difference) => Err(Error::new(
            Kind::Guarantee,
            format!("table `{table}` was widened, and {difference}: no row was sent"),
        )
        .with_hint(
            "compare the table with its definition before, and alter what is missing; then the same command goes on",
        )),
    }
}

/// Refuses to send rows to columns that are not as wide as the load has planned.
pub(super) fn check(connection: &mut Connection, target: &Target, table: &str) -> Result<()> {
    if target.widened.is_empty() {
        return Ok(());
    }
    let now = columns(connection, target, table)?;
    if now.is_empty() && table != target.table.name {
        // An earlier run has put the copy in the table's place.
        return Ok(());
    }
    for one in &target.widened {
        let there = now.iter().find(|column| column.name == one.column);
        if there.is_none_or(|there| there.ty != one.to) {
            return Err(changed(
                one,
                there,
                "an earlier run of this load, without `--widen` or with another sample, has made the copy",
            ));
        }
    }
    Ok(())
}

fn changed(one: &Widened, there: Option<&Column>, why: &str) -> Error {
    let is = there.map_or_else(|| "gone".to_owned(), |there| there.ty.to_string());
    Error::config(format!("column `{}` is {is}, and the load has planned {}: {why}", one.column, one.to)).with_hint(
        "run the same command again, which reads the table anew; `inrush load --forget` gives up a load that has begun",
    )
}

/// SHOW CREATE TABLE.
fn definition(connection: &mut Connection, schema: &str, table: &str) -> Result<String> {
    let row = sql::first_row(connection, &format!("SHOW CREATE TABLE {}", quote_table(schema, table)))?;
    row.into_iter().nth(1).ok_or_else(|| Error::protocol("the server does not show how the table is defined"))
}

/// The columns that foreign keys go by, of this table or of others that point at it.
fn tied(connection: &mut Connection, table: &Table) -> Result<Vec<String>> {
    let (schema, name) = (literal(&table.schema), literal(&table.name));
    let query = format!(
        "SELECT COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND REFERENCED_TABLE_NAME IS NOT NULL \
         UNION SELECT REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_SCHEMA = {schema} AND REFERENCED_TABLE_NAME = {name}"
    );
    Ok(sql::rows(connection, &query)?.into_iter().flatten().collect())
}

/// Why MariaDB would change an index: without an error it cuts the columns of one that becomes too long, and makes a hash of a UNIQUE one.
fn too_long_keys(connection: &mut Connection, table: &Table, widened: &[Widened]) -> Result<Vec<String>> {
    let longer = |column: &str| {
        widened.iter().find(|one| one.column == column).and_then(|one| match one.to {
            ColumnType::VarChar { chars } => Some((one, u64::from(chars))),
            _ => None,
        })
    };
    if !widened.iter().any(|one| longer(&one.column).is_some()) {
        return Ok(Vec::new());
    }
    let number = |text: &String| text.parse::<u64>().unwrap_or(0);
    let most = match sql::first_row(connection, "SELECT @@GLOBAL.innodb_page_size")?.first().map(number) {
        Some(4_096) => 768,
        Some(8_192) => 1_536,
        _ => 3_072,
    };
    let condition = is_exactly("TABLE_SCHEMA", table);
    let lengths = sql::rows(
        connection,
        &format!(
            "SELECT COLUMN_NAME, COALESCE(CHARACTER_MAXIMUM_LENGTH, 0), COALESCE(CHARACTER_OCTET_LENGTH, 0) \
             FROM information_schema.COLUMNS WHERE {condition}"
        ),
    )?;
    // Those of INDEX_TYPE HASH are hashes already.
    let parts = sql::rows(
        connection,
        &format!(
            "SELECT INDEX_NAME, COLUMN_NAME, COALESCE(SUB_PART, 0) FROM information_schema.STATISTICS \
             WHERE {condition} AND INDEX_TYPE = 'BTREE' ORDER BY INDEX_NAME, SEQ_IN_INDEX"
        ),
    )?;
    let mut keys: Vec<(&str, u64, Option<&Widened>)> = Vec::new();
    for part in &parts {
        let [index, column, prefix] = part.as_slice() else { continue };
        let (chars, octets) = match lengths.iter().find(|length| length.first() == Some(column)).map(Vec::as_slice) {
            Some([_, chars, octets]) => (number(chars), number(octets)),
            _ => (0, 0),
        };
        // A prefix stays as it is.
        let wide = longer(column).filter(|_| number(prefix) == 0);
        let bytes = match (chars, number(prefix), wide) {
            // At most that, if it is no text.
            (0, _, _) => 8,
            (_, 0, Some((_, wide))) => wide * (octets / chars),
            (_, 0, None) => octets,
            (_, prefix, _) => prefix * (octets / chars),
        };
        let wide = wide.map(|(one, _)| one);
        match keys.last_mut() {
            Some((known, sum, one)) if *known == index.as_str() => (*sum, *one) = (*sum + bytes, (*one).or(wide)),
            _ => keys.push((index.as_str(), bytes, wide)),
        }
    }
    let why = |&(index, bytes, one): &(&str, u64, Option<&Widened>)| {
        let one = one.filter(|_| bytes > most)?;
        Some(format!(
            "column `{}` is {}, and needs {}: MariaDB would cut its index `{index}`, or make a hash of it, which would have {bytes} bytes and \
             may have {most}; `--tight` widens the column by less",
            one.column, one.from, one.to
        ))
    };
    Ok(keys.iter().filter_map(why).collect())
}

/// Runs what reads or writes definitions in a mode in which their texts mean the same, and an index that would be cut is an error.
fn in_a_known_mode<T>(connection: &mut Connection, run: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
    let mode = sql::first_row(connection, "SELECT @@SESSION.sql_mode")?.concat();
    connection.execute(&format!("SET SESSION sql_mode = '{MODE}'"), ())?;
    let done = run(connection);
    if done.as_ref().is_err_and(Error::is_fatal) {
        return done;
    }
    let restored = connection.execute(&format!("SET SESSION sql_mode = {}", literal(&mode)), ()).map(drop);
    done.and_then(|done| restored.map(|()| done))
}

/// Strict, and without objections to what columns have as defaults already.
const MODE: &str = "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_ENGINE_SUBSTITUTION";

fn cannot_widen(error: Error, table: &str) -> Error {
    if error.kind() == Kind::Interrupted {
        return error;
    }
    let hint = match error.code() {
        // ER_TABLEACCESS_DENIED_ERROR
        1142 => "`--widen` needs the right ALTER on the table; without it rows that do not fit are bad",
        // ER_TOO_LONG_KEY, ER_INDEX_COLUMN_TOO_LONG
        1071 | 1709 => {
            "an index of the column would be too long: `--tight` widens it by less; or make the index of a prefix of the column first"
        }
        // ER_TOO_BIG_ROWSIZE
        1118 => "a row has no room for it: `--tight` widens the columns by less; or make a column a TEXT yourself",
        // ER_VERS_ALTER_NOT_ALLOWED
        4119 => {
            "the table keeps its history: `SET GLOBAL system_versioning_alter_history = KEEP` lets an ALTER change columns"
        }
        _ => return error.while_doing(&format!("cannot widen columns of table `{table}`")),
    };
    error.while_doing(&format!("cannot widen columns of table `{table}`")).with_hint(hint)
}
