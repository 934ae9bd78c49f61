//! Changes that other sessions make to the table while an atomic load fills its copy must not be lost: they are noticed under a lock, and
//! then nothing is replaced.
//!
//! A lock that lasts as long as the load would die with its connection, and a load may pause between two runs. So the definition is
//! noted before the copy is made and the copied rows with it; when the copy is to take the table's place, both tables are locked, the
//! table is compared with the notes, and the lock lasts until the RENAME.

use super::{check_atomic, rights};
use crate::blocking::Connection;
use crate::fault;
use crate::loader::commit::ledger::Jobs;
use crate::loader::open::preflight;
use crate::loader::options::MinRows;
use crate::loader::plan::target::Target;
use crate::loader::sql;
use inrush_core::column::ident::quote_table;
use inrush_core::load::ledger::JobStep;
use inrush_core::load::steps::copied::{self, MOST_BYTES_A_COLUMN, Tag};
use inrush_core::load::steps::{self, Copied, Kept, Shadow};
use inrush_core::{Error, Kind, Result, human};
use std::thread;
use std::time::Duration;

/// Notes how the table is defined before its copy is made. Returns the next id that it would hand out.
pub(super) fn begin(
    connection: &mut Connection,
    target: &Target,
    jobs: &mut Jobs,
    shadow: &Shadow,
) -> Result<Option<u64>> {
    if jobs.is_done(JobStep::Create) {
        return Ok(None);
    }
    let option = target.load.options.atomic_option();
    if !jobs.can_note_copied() {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "`{option}` notes what it has copied in table `inrush_job`, which an older version made, and this user may not change it"
            ),
        )
        .with_hint(format!("load once as a user with the ALTER right on it, or without `{option}`")));
    }
    if target.table.columns.len() * MOST_BYTES_A_COLUMN > target.max_packet {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "the rows of table `{}` cannot be compared: `max_allowed_packet` is too small for its columns",
                shadow.table
            ),
        )
        .with_hint(format!("load without `{option}`, or raise `max_allowed_packet`")));
    }
    let create = definition(connection, shadow, &shadow.table)?;
    let copied = Copied::of_definition(&create);
    jobs.write_copied(connection, &copied)?;
    connection.execute("COMMIT", ())?;
    jobs.set_copied(copied);
    Ok(copied::next_id(&create))
}

/// What is noted of an existing copy.
pub(super) fn noted(jobs: &Jobs, shadow: &Shadow) -> Result<Copied> {
    jobs.copied().cloned().ok_or_else(|| {
        Error::new(
            Kind::Guarantee,
            format!(
                "nothing is noted of how table `{}` was copied into `{}`: an older version began this load",
                shadow.table, shadow.shadow
            ),
        )
        .with_hint("finish it with that version; or `inrush load --forget` it, see to its copy, and begin anew")
    })
}

/// The rows of one of the tables: how many, and the sum of their hashes.
pub(super) fn rows(connection: &mut Connection, target: &Target, shadow: &Shadow, name: &str) -> Result<(u64, String)> {
    let row = sql::first_row(connection, &shadow.rows_query(name, &target.old_columns()))?;
    match &row[..] {
        [n, sum] => Ok((n.parse().map_err(|_| odd())?, sum.clone())),
        _ => Err(odd()),
    }
}

fn odd() -> Error {
    Error::protocol("the server does not count the rows of the table")
}

/// Notes that the RENAME may be sent, so that a copy that is not there any more is known to be the table.
pub(super) fn intend(connection: &mut Connection, target: &Target, jobs: &mut Jobs, shadow: &Shadow) -> Result<()> {
    if jobs.is_kept() && jobs.is_done(JobStep::Indexes) || !sql::is_there(connection, &shadow.schema, &shadow.shadow)? {
        return Ok(());
    }
    let noted = noted(jobs, shadow)?;
    let keeps = target.load.options.keep_old.is_some();
    if !keeps && sql::is_there(connection, &shadow.schema, &shadow.old)? {
        return Err(Error::new(
            Kind::Guarantee,
            format!("table `{}` is there, which is the name for what `{}` is now", shadow.old, shadow.table),
        )
        .with_hint(
            "this load did not make it: look at what it holds; once it has another name the same command goes on",
        ));
    }
    let kept = keeps.then(|| noted.kept.clone().unwrap_or_else(|| Tag::of(rand::random())));
    let copied = Copied { renames: true, kept, ..noted };
    jobs.write_copied(connection, &copied)?;
    connection.execute("COMMIT", ())?;
    jobs.set_copied(copied);
    Ok(())
}

/// The table that this load keeps, as far as it is known before the RENAME.
pub(super) fn kept(jobs: &Jobs, shadow: &Shadow) -> Option<Kept> {
    let tag = jobs.copied()?.kept.clone()?;
    Some(Kept {
        schema: shadow.schema.clone(),
        table: shadow.table.clone(),
        tag,
        shape: String::new(),
        is_undone: false,
    })
}

/// Writes the line about the table that is kept, with how the copy is defined that takes its place.
pub(super) fn note_kept(connection: &mut Connection, target: &Target, jobs: &Jobs, shadow: &Shadow) -> Result<()> {
    let Some(kept) = kept(jobs, shadow) else { return Ok(()) };
    let create = definition(connection, shadow, &shadow.shadow)?;
    let kept = Kept { shape: steps::kept::shape(&create, &shadow.shadow), ..kept };
    let seconds = target.load.options.keep_old.map_or(0, |time| time.as_secs());
    jobs.write_kept(connection, &kept, seconds)
}

/// Notes how the table is defined by now that has taken the place of the one that is kept. Part of the transaction of the caller.
pub(super) fn note_shape(connection: &mut Connection, target: &Target, jobs: &Jobs, shadow: &Shadow) -> Result<()> {
    /// ER_NO_SUCH_TABLE
    const IS_GONE: u16 = 1146;
    let Some(kept) = kept(jobs, shadow) else { return Ok(()) };
    match definition(connection, shadow, &shadow.table) {
        Ok(create) => {
            let kept = Kept { shape: steps::kept::shape(&create, &shadow.table), ..kept };
            jobs.rewrite_kept(connection, &kept)?;
            jobs.keep_from_now(connection, &kept, target.load.options.keep_old)
        }
        Err(error) if error.code() == IS_GONE => Ok(()),
        Err(error) => Err(error),
    }
}

/// Refuses rows that are too few to take the place of the table's, before anything is done for that.
pub(super) fn check_rows(connection: &mut Connection, target: &Target, jobs: &Jobs, shadow: &Shadow) -> Result<()> {
    let stored = jobs.stored();
    if jobs.is_kept() && jobs.is_done(JobStep::Indexes) || !sql::is_there(connection, &shadow.schema, &shadow.shadow)? {
        return Ok(());
    }
    if stored == 0 && preflight::refuses_none(target) {
        return Err(preflight::none_to_load(target, "no row is stored"));
    }
    let Some(least) = target.load.options.min_rows else { return Ok(()) };
    let held = match least {
        MinRows::Rows(_) => 0,
        MinRows::Percent(_) => {
            target.load.control.waits(0, Some("the number of rows of the table"));
            let query = format!("SELECT COUNT(*) FROM {}", target.quoted());
            sql::first_row(connection, &query)?.concat().parse().map_err(|_| odd())?
        }
    };
    if least.is_reached(stored, held) {
        return Ok(());
    }
    let required = human::counted(least.least(held), "row");
    let required = match least {
        MinRows::Rows(_) => format!("`--min-rows` requires at least {required}"),
        MinRows::Percent(share) => {
            format!("`--min-rows` requires at least {required} ({share}% of {})", human::exact(held))
        }
    };
    let ids: Vec<String> = jobs.ids().iter().map(ToString::to_string).collect();
    let mut hint = "the same command without `--min-rows` replaces it all the same".to_owned();
    if !ids.is_empty() {
        hint += &format!(
            "; `inrush load --forget {}`, then `DROP TABLE {}` gives the load up",
            ids.join(" "),
            shadow.shadow
        );
    }
    Err(Error::new(
        Kind::Guarantee,
        format!("{} stored, and {required}: table `{}` is as it was", human::counted(stored, "row"), shadow.table),
    )
    .with_hint(hint))
}

/// Puts the copy in the table's place, if that is as it was copied.
pub(super) fn swap(connection: &mut Connection, target: &Target, jobs: &Jobs, shadow: &Shadow) -> Result<()> {
    let noted = noted(jobs, shadow)?;
    target.load.control.waits(0, Some("LOCK TABLES"));
    connection.execute(&shadow.lock_tables(), ()).map_err(|error| match rights::is_denied(&error) {
        true => rights::missing(&error, shadow, target.load.options.atomic_option()),
        false => error.while_doing("cannot keep others out of the table"),
    })?;
    let done = compare(connection, target, shadow, &noted).and_then(|()| {
        fault::point("swap.locked");
        target.load.control.waits(0, Some("RENAME TABLE"));
        rename(connection, target, shadow).map_err(|e| e.while_doing("cannot put the new table in its place"))
    });
    // If the lock is gone already, nothing is unlocked.
    let unlocked = connection.execute("UNLOCK TABLES", ()).map(drop);
    if done.as_ref().is_err_and(|error| error.kind() == Kind::Guarantee) {
        // Nothing was renamed, so a copy that is gone later is gone.
        jobs.write_copied(connection, &Copied { renames: false, ..noted })?;
        connection.execute("COMMIT", ())?;
    }
    done.and(unlocked)
}

/// Refuses a table that is not as it was copied. Both tables are locked.
fn compare(connection: &mut Connection, target: &Target, shadow: &Shadow, noted: &Copied) -> Result<()> {
    target.load.control.waits(0, Some("the comparison of the table with its copy"));
    let create = definition(connection, shadow, &shadow.table)?;
    if copied::definition_hash(&create) != noted.definition {
        return Err(changed(shadow, "another definition than when it was copied"));
    }
    check_atomic(connection, &target.table, target.load.options.atomic_option())?;
    if let Some(was) = &noted.rows {
        let now = rows(connection, target, shadow, &shadow.table)?;
        if now != *was {
            return Err(changed(shadow, &format!("other rows than when it was copied: {} then, {} now", was.0, now.0)));
        }
    }
    // Ids that the table has handed out are not handed out again, of rows that are gone neither.
    if let Some(next) = copied::next_id(&create).filter(|_| !target.load.options.redefines()) {
        let own = copied::next_id(&definition(connection, shadow, &shadow.shadow)?).unwrap_or(1);
        if own < next {
            connection.execute(&shadow.go_on_with_ids(next), ())?;
        }
    }
    Ok(())
}

/// The RENAME, while this connection has both tables locked. Where the session that holds the locks may not rename, another connection
/// does: it waits for the tables before the locks are freed, and the servers let it pass before connections that wait to write.
fn rename(connection: &mut Connection, target: &Target, shadow: &Shadow) -> Result<()> {
    if connection.session().profile().rename_under_lock {
        return connection.execute(&shadow.swap(), ()).map(drop);
    }
    let mut other = target.load.control.connect(&target.config)?;
    target.load.control.aborts(other.aborter());
    other.execute(&format!("SET SESSION lock_wait_timeout = {RENAME_WAIT_SECONDS}"), ())?;
    let waiting = format!(
        "SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = {} AND STATE LIKE 'Waiting for table%'",
        other.connection_id()
    );
    thread::scope(|scope| {
        let renaming = scope.spawn(move || other.execute(&shadow.swap(), ()).map(drop));
        while !renaming.is_finished() && sql::rows(connection, &waiting)?.is_empty() {
            thread::sleep(LOOK_EVERY);
        }
        connection.execute("UNLOCK TABLES", ())?;
        renaming.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// SHOW CREATE TABLE of one of the tables.
pub(super) fn definition(connection: &mut Connection, shadow: &Shadow, name: &str) -> Result<String> {
    let row = sql::first_row(connection, &format!("SHOW CREATE TABLE {}", quote_table(&shadow.schema, name)))?;
    row.into_iter().nth(1).ok_or_else(|| Error::protocol("the server does not show how the table is defined"))
}

fn changed(shadow: &Shadow, what: &str) -> Error {
    Error::new(
        Kind::Guarantee,
        format!("table `{}` has {what}; to replace it would undo what others did, so it is as they left it", shadow.table),
    )
    .with_hint(format!(
        "every row of this load is in `{}`; `inrush load --forget` drops the job, then remove that table and load again while nobody \
         writes",
        shadow.shadow
    ))
}

/// The error for a copy that is neither there nor in the table's place.
pub(super) fn is_gone(shadow: &Shadow) -> Error {
    Error::new(
        Kind::Guarantee,
        format!(
            "table `{}`, which this load has filled, is gone, and `{}` was not replaced",
            shadow.shadow, shadow.table
        ),
    )
    .with_hint("somebody dropped or renamed it; `inrush load --forget` drops the job, then load again")
}

const RENAME_WAIT_SECONDS: u32 = 60;

const LOOK_EVERY: Duration = Duration::from_millis(5);
