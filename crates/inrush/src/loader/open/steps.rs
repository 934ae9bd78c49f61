//! What a load does before its first row and after its last. Each step is noted in the ledger once it is done, so that a run that
//! continues a load does not do it again.
//!
//! Before: the shadow of an atomic load is made and filled, the user's statements are run, indexes are dropped. After: indexes are rebuilt,
//! the shadow takes the table's place, the user's statements are run. What changes rows is in the transaction that notes it; what
//! commits by itself can be done again or queries first what exists.

pub(crate) mod added;
mod guard;
pub(crate) mod rights;
mod server_sort;
pub(crate) mod undone;
pub(crate) mod widened;

use crate::blocking::Connection;
use crate::fault;
use crate::loader::commit::ledger::{Jobs, LastSteps};
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use crate::table::{self, TableName};
use inrush_core::column::ident::quote_table;
use inrush_core::load::ledger::JobStep;
use inrush_core::load::steps::{Index, Kept, Shadow, indexes, redefined};
use inrush_core::session::{Discard, Query};
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// The steps before the first row, once the table exists.
pub(crate) fn first(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    if let Some(shadow) = target.shadow() {
        make_shadow(connection, target, jobs, &shadow)?;
    }
    if !target.load.options.before.is_empty() {
        jobs.step(connection, JobStep::Before, |connection, _| run_all(connection, target, "--before"))?;
    }
    if target.sort.by_server() {
        server_sort::drop_keys(connection, target, jobs)?;
    } else if target.load.options.defer_indexes {
        jobs.alone(connection, target, |connection, jobs| drop_indexes(connection, target, jobs))?;
    }
    Ok(())
}

/// What the end of the jobs runs.
pub(crate) const LAST: LastSteps = LastSteps { has_any: has_last, settle: server_sort::make_keys, run: last, clean_up };

/// Whether something comes after the last row.
fn has_last(target: &Target) -> bool {
    let options = &target.load.options;
    !options.dry_run && (!options.after.is_empty() || options.defer_indexes || options.atomic)
}

/// What comes after the last row is stored.
fn last(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    // This includes indexes that an earlier run with that option has dropped.
    let kept = jobs.indexes().to_vec();
    if !kept.is_empty() || target.load.options.atomic {
        jobs.alone(connection, target, |connection, jobs| {
            if let Some(shadow) = target.shadow() {
                guard::check_rows(connection, target, jobs, &shadow)?;
                guard::intend(connection, target, jobs, &shadow)?;
            }
            jobs.step(connection, JobStep::Indexes, |connection, jobs| {
                if !target.sort.by_server() {
                    rebuild(connection, target, &kept)?;
                }
                fault::point("swap.before");
                match target.shadow() {
                    Some(shadow) => swap(connection, target, jobs, &shadow),
                    None => Ok(()),
                }
            })
        })?;
    }
    if !target.load.options.after.is_empty() {
        jobs.step(connection, JobStep::After, |connection, jobs| {
            run_all(connection, target, "--after")?;
            match target.shadow() {
                // They may have altered the table, which is the load's own doing.
                Some(shadow) => guard::note_shape(connection, target, jobs, &shadow),
                None => Ok(()),
            }
        })?;
    }
    Ok(())
}

/// What an unfinished load has left for the run that continues it, as text for people.
pub(crate) fn pending(target: &Target, jobs: &Jobs) -> Vec<String> {
    let mut pending = Vec::new();
    if let Some(shadow) = target.shadow() {
        pending.push(format!(
            "table `{}` is as it was; what is stored is in `{}` until the load is finished",
            shadow.table, shadow.shadow
        ));
    }
    let kept = jobs.indexes();
    if !kept.is_empty() {
        let names: Vec<_> = kept.iter().map(|index| format!("`{}`", index.name)).collect();
        pending.push(format!("dropped until the load is finished: index {}", names.join(", ")));
    }
    pending
}

/// Refuses an atomic load where another table in this one's place would not be the same.
pub(crate) fn check_atomic(connection: &mut Connection, table: &Table, option: &str) -> Result<()> {
    const OF_OTHERS: &str = "foreign keys of other tables that point at it, which a copy has not";
    if table.is_elsewhere() {
        let message = format!(
            "`{option}` would fill a copy of table `{}`, which is {}: its rows are in other tables or on other servers, and the copy would have the same ones",
            table.name, table.engine
        );
        return Err(Error::new(Kind::Guarantee, message).with_hint(format!("load without `{option}`")));
    }
    let (schema, name) = (crate::table::reading::literal(&table.schema), crate::table::reading::literal(&table.name));
    let questions = [
        (
            "triggers, which would stay with the old one",
            format!(
                "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {schema} AND EVENT_OBJECT_TABLE = {name}"
            ),
        ),
        (
            OF_OTHERS,
            format!(
                "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE UNIQUE_CONSTRAINT_SCHEMA = {schema} \
                 AND REFERENCED_TABLE_NAME = {name} AND NOT (CONSTRAINT_SCHEMA = {schema} AND TABLE_NAME = {name})"
            ),
        ),
        (
            "foreign keys, which a copy has not",
            format!(
                "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = {schema} AND TABLE_NAME = {name}"
            ),
        ),
        (
            "a history of its rows, which a copy has not",
            format!(
                "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} \
                 AND TABLE_TYPE = 'SYSTEM VERSIONED'"
            ),
        ),
    ];
    for (what, query) in questions {
        if sql::first_row(connection, &query)?.first().is_some_and(|count| count != "0") {
            return Err(Error::new(
                Kind::Guarantee,
                format!("`{option}` would replace table `{}`, which has {what}", table.name),
            )
            .with_hint(match option {
                // TRUNCATE is refused (1701) while foreign keys are checked.
                "--replace-table" if what == OF_OTHERS => {
                    "`--mode upsert` changes the rows in place and deletes none; `--truncate --unchecked foreign-keys` replaces all rows, \
                     and the server does not check that rows of the other tables still have their parent"
                }
                "--atomic" => "load without `--atomic`: it goes on where it stopped if the same command is run again",
                _ => "`--truncate` empties the table and loads into it, which others see at once: it goes on where it stopped if the same command is run again",
            }));
        }
    }
    Ok(())
}

/// Undoes what a load has prepared if no run can continue the load: drops its shadow, rebuilds dropped indexes.
fn clean_up(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    jobs.alone(connection, target, |connection, jobs| match target.shadow() {
        Some(shadow) => connection
            .execute(&format!("DROP TABLE IF EXISTS {}", quote_table(&shadow.schema, &shadow.shadow)), ())
            .map(drop),
        None => rebuild(connection, target, jobs.indexes()),
    })
}

fn make_shadow(connection: &mut Connection, target: &Target, jobs: &mut Jobs, shadow: &Shadow) -> Result<()> {
    target.load.control.waits(0, Some("CREATE TABLE"));
    jobs.alone(connection, target, |connection, jobs| create_shadow(connection, target, jobs, shadow))?;
    let keeps_rows = !target.load.options.truncate && target.to_create.is_none();
    target.load.control.waits(0, Some("the copy of the table"));
    let mut copied = guard::noted(jobs, shadow)?;
    jobs.own_step(connection, JobStep::Truncate, |connection, jobs| {
        if keeps_rows {
            connection.execute(&shadow.copy(&target.old_columns()), ())?;
        }
        // In the transaction of the copy, and of what it holds: none but its rows.
        copied.rows = match target.load.options.truncate {
            true => None,
            false => Some(guard::rows(connection, target, shadow, &shadow.shadow)?),
        };
        jobs.write_copied(connection, &copied)
    })?;
    jobs.set_copied(copied);
    Ok(())
}

fn create_shadow(connection: &mut Connection, target: &Target, jobs: &mut Jobs, shadow: &Shadow) -> Result<()> {
    /// ER_TABLE_EXISTS_ERROR
    const EXISTS: u16 = 1050;
    let makes_way = jobs.is_kept() && !jobs.is_done(JobStep::Create);
    if makes_way {
        make_way(connection, target, jobs, shadow)?;
    }
    let next_id = guard::begin(connection, target, jobs, shadow)?;
    jobs.own_step(connection, JobStep::Create, |connection, jobs| {
        match connection.execute(&creation(target, shadow), ()) {
            Ok(_) => {}
            Err(error) if error.code() == EXISTS => return Err(in_use(connection, target, jobs, shadow)?),
            Err(error) => return Err(error.while_doing("cannot make the shadow of the table")),
        }
        added::to_copy(connection, target, (&shadow.schema, &shadow.shadow))?;
        widened::alter(connection, target, &shadow.shadow)?;
        if target.load.options.redefines() && target.to_create.is_none() {
            let [old, new] = [&shadow.table, &shadow.shadow].map(|name| guard::definition(connection, shadow, name));
            let changes = redefined::changes(&old?, &new?);
            target.load.notify(&LoadEvent::Redefined { changes });
        }
        // Rows without ids get none that was handed out before.
        match next_id.filter(|_| !target.load.options.truncate && !target.load.options.redefines()) {
            Some(next) => connection.execute(&shadow.go_on_with_ids(next), ()).map(drop),
            None => Ok(()),
        }
    })?;
    if makes_way {
        connection.execute(&shadow.unlock(), ())?;
    }
    // Also those that an earlier run of the job has added.
    added::check(connection, target, &shadow.shadow)?;
    widened::check(connection, target, &shadow.shadow)
}

/// The statement that makes the shadow: like the table, or the new one that replaces it.
fn creation(target: &Target, shadow: &Shadow) -> String {
    let options = &target.load.options;
    match options.create.as_ref().filter(|_| options.replace) {
        None => shadow.create(),
        Some(columns) => {
            let name = TableName { schema: shadow.schema.clone(), name: shadow.shadow.clone() };
            table::create_statement(&name, &table::known_types(columns, &target.session.profile), &options.key)
        }
    }
}

/// Drops a shadow that an earlier run of these jobs made and could not note any more: it said before that it would make one, and it is
/// still empty. Keeps others from making one until it is noted.
fn make_way(connection: &mut Connection, target: &Target, jobs: &mut Jobs, shadow: &Shadow) -> Result<()> {
    if sql::first_row(connection, &shadow.lock())? != ["1"] {
        return Err(in_use(connection, target, jobs, shadow)?);
    }
    if sql::is_there(connection, &shadow.schema, &shadow.shadow)? {
        let is_ours = jobs.is_done(JobStep::Make) && jobs.are_alone(connection, target)?;
        if !is_ours || !sql::rows(connection, &shadow.first_row_query())?.is_empty() {
            return Err(in_use(connection, target, jobs, shadow)?);
        }
        connection.execute(&shadow.drop_unused(), ())?;
    }
    jobs.intend(connection, JobStep::Make)
}

/// The error for a shadow that is there: it names the jobs that fill it, if the ledger has any.
fn in_use(connection: &mut Connection, target: &Target, jobs: &Jobs, shadow: &Shadow) -> Result<Error> {
    let ids: Vec<String> = jobs.others_with_copy(connection, target)?.iter().map(ToString::to_string).collect();
    let (table, copy) = (&shadow.table, &shadow.shadow);
    let refused = |what: String| Error::new(Kind::Guarantee, format!("table `{copy}` is there: {what}"));
    if ids.is_empty() {
        return Ok(refused(format!(
            "another atomic load of `{table}` is at work, or was given up, or somebody made it for something else"
        ))
        .with_hint("`inrush load --status` lists loads that are not finished; where none is meant, look at what the table holds and at who needs it"));
    }
    let (whose, them) = if ids.len() == 1 { ("job", "it") } else { ("jobs", "them") };
    Ok(refused(format!("another atomic load of `{table}`, which is not finished, fills it ({whose} {})", ids.join(", ")))
        .with_hint(format!(
            "run its command again, which continues it (`inrush load --status` shows its files); or give {them} up: `inrush load --forget {}`, \
             then `DROP TABLE {copy}`",
            ids.join(" ")
        )))
}

/// Puts the shadow in the table's place, also if an earlier attempt got no further than the RENAME.
fn swap(connection: &mut Connection, target: &Target, jobs: &Jobs, shadow: &Shadow) -> Result<()> {
    let kept = guard::kept(jobs, shadow);
    if sql::is_there(connection, &shadow.schema, &shadow.shadow)? {
        guard::note_kept(connection, target, jobs, shadow)?;
        let old = kept.as_ref().map_or_else(|| shadow.old.clone(), Kept::name);
        guard::swap(connection, target, jobs, &Shadow { old, ..shadow.clone() })?;
        fault::point("swap.after");
        target.load.notify(&LoadEvent::Swapped);
    } else if !jobs.copied().is_some_and(|copied| copied.renames) {
        // A table that only has the name of the former table must not be dropped.
        return Err(guard::is_gone(shadow));
    }
    if let Some(kept) = &kept {
        if let Some(job) = jobs.ids().first() {
            target.load.notify(&LoadEvent::Kept { table: kept.name(), job: *job });
        }
        jobs.keep_from_now(connection, kept, target.load.options.keep_old)?;
        if target.load.options.truncate {
            jobs.put_others_aside(connection, target, kept)?;
        }
        return Ok(());
    }
    connection.execute(&shadow.drop_old(), ())?;
    if target.load.options.truncate {
        jobs.forget_others(connection, target)?;
    }
    Ok(())
}

fn drop_indexes(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    if jobs.is_done(JobStep::Drop) {
        return Ok(());
    }
    let needed = needed(connection, target)?;
    let going: Vec<Index> = there(connection, target)?.into_iter().filter(|index| index.may_go(&needed)).collect();
    // What a run noted that ended before it could say that they are dropped.
    let mut kept = jobs.indexes().to_vec();
    kept.extend(indexes::missing(&going, &kept));
    if !kept.is_empty() {
        jobs.note_indexes(connection, kept)?;
    }
    jobs.step(connection, JobStep::Drop, |connection, _| {
        if going.is_empty() {
            return Ok(());
        }
        target.load.control.waits(0, Some("ALTER TABLE .. DROP INDEX"));
        connection.execute(&indexes::drop_statement(&target.filled(), &going), ())?;
        target
            .load
            .notify(&LoadEvent::IndexesDropped { names: going.iter().map(|index| index.name.clone()).collect() });
        Ok(())
    })?;
    Ok(())
}

fn rebuild(connection: &mut Connection, target: &Target, kept: &[Index]) -> Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    // After a RENAME whose step was not noted the shadow is not there any more, and its indexes were rebuilt before.
    let Ok(there) = there(connection, target) else { return Ok(()) };
    let missing = indexes::missing(kept, &there);
    if !missing.is_empty() {
        target.load.control.waits(0, Some("ALTER TABLE .. ADD INDEX"));
        for statement in indexes::add_statements(&target.filled(), &missing) {
            connection.execute(&statement, ()).map_err(|e| e.while_doing("cannot rebuild the indexes"))?;
        }
        target
            .load
            .notify(&LoadEvent::IndexesRebuilt { names: missing.iter().map(|index| index.name.clone()).collect() });
    }
    Ok(())
}

fn there(connection: &mut Connection, target: &Target) -> Result<Vec<Index>> {
    let create = sql::first_row(connection, &format!("SHOW CREATE TABLE {}", target.filled()))?;
    Ok(Index::of_table(create.get(1).map_or("", String::as_str)))
}

/// The columns with which indexes begin that must stay.
fn needed(connection: &mut Connection, target: &Target) -> Result<Vec<String>> {
    let (schema, name) =
        (crate::table::reading::literal(&target.table.schema), crate::table::reading::literal(&target.table.name));
    let query = format!(
        "SELECT COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE \
         WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND REFERENCED_TABLE_NAME IS NOT NULL \
         UNION SELECT REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE \
         WHERE REFERENCED_TABLE_SCHEMA = {schema} AND REFERENCED_TABLE_NAME = {name}"
    );
    let of_foreign_keys = sql::rows(connection, &query)?.into_iter().flatten();
    let counted = target.table.columns.iter().filter(|column| column.auto_increment).map(|column| column.name.clone());
    Ok(of_foreign_keys.chain(counted).collect())
}

fn run_all(connection: &mut Connection, target: &Target, option: &'static str) -> Result<()> {
    let statements = if option == "--before" { &target.load.options.before } else { &target.load.options.after };
    for statement in statements {
        target.load.control.waits(0, Some(option));
        connection
            .run(Query::new(statement, &mut Discard))
            .map_err(|e| e.while_doing(&format!("`{option} {statement}` failed")))?;
        target.load.notify(&LoadEvent::Ran { option, statement: statement.clone() });
    }
    Ok(())
}
