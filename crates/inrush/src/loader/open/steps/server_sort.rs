//! The server sorts: the copy of an atomic load loses its keys before the first row, and gets them by one ALTER after the last one.
//!
//! The keys are noted in the ledger before they are dropped, as indexes are. Rows that the ALTER finds twice are left out in one
//! transaction that changes the chunks' lines too; so a run that continues finds both changes or neither.

use crate::blocking::Connection;
use crate::fault;
use crate::loader::commit::ledger::Jobs;
use crate::loader::lanes::watch;
use crate::loader::options::BadRows;
use crate::loader::plan::target::Target;
use crate::loader::read::prepare::stopping;
use crate::loader::report::counters::too_many;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use crate::trace::Context;
use inrush_core::error::InputFault;
use inrush_core::load::Reject;
use inrush_core::load::ledger::JobStep;
use inrush_core::load::report::Stop;
use inrush_core::load::steps::keyless::{self, Shared, job_and_record};
use inrush_core::load::steps::{Index, Shadow, indexes};
use inrush_core::{Error, Kind, Place, Result};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::thread;

/// Takes all keys of the copy away. Nothing but rows that the table had is in it.
pub(super) fn drop_keys(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    jobs.alone(connection, target, |connection, jobs| {
        if !jobs.is_done(JobStep::Drop) {
            drop_noted(connection, target, jobs)?;
        }
        // After the RENAME of an earlier run there is no copy any more.
        let is_copy = match target.shadow().filter(|_| keeps_records(target)) {
            Some(shadow) => sql::is_there(connection, &shadow.schema, &shadow.shadow)?,
            None => false,
        };
        if !is_copy {
            return Ok(());
        }
        let columns = columns(connection, target)?;
        // An earlier run may have had the option to keep none.
        if keyless::has_notes(&columns)
            && let Some(add) = keyless::keep_records_statement(&target.filled(), &columns)
        {
            connection.execute(&add, ())?;
        }
        Ok(())
    })
}

fn drop_noted(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    let needed = super::needed(connection, target)?;
    let all = Index::all_of_table(&definition(connection, target)?);
    let going: Vec<Index> = all.into_iter().filter(|index| index.may_go(&needed)).collect();
    // What a run noted that ended before it could say that they are dropped.
    let mut kept = jobs.indexes().to_vec();
    kept.extend(indexes::missing(&going, &kept));
    jobs.note_indexes(connection, kept)?;
    jobs.step(connection, JobStep::Drop, |connection, _| {
        if keyless::has_notes(&columns(connection, target)?) {
            return Ok(());
        }
        target.load.control.waits(0, Some("ALTER TABLE .. DROP PRIMARY KEY"));
        let strip = keyless::strip_statement(&target.filled(), &going, keeps_records(target));
        connection.execute(&strip, ()).map_err(|e| e.while_doing("cannot drop the keys of the copy"))?;
        let names = going.iter().map(|index| index.name.clone()).collect();
        target.load.notify(&LoadEvent::IndexesDropped { names });
        Ok(())
    })?;
    Ok(())
}

/// Has the server sort what is stored: makes the keys, and leaves out the rows that they refuse.
///
/// # Errors
/// `Data` for such a row under `--bad-rows stop`, or too many of them.
pub(crate) fn make_keys(connection: &mut Connection, target: &Target, jobs: &mut Jobs) -> Result<()> {
    let Some(shadow) = target.shadow().filter(|_| target.sort.by_server()) else { return Ok(()) };
    let context = Context::current();
    thread::scope(|scope| {
        // It takes long, and the server may say how far it is.
        let (_over, is_over) = channel();
        scope.spawn(move || context.within(|| watch::watch(target, &is_over, None)));
        make_keys_of(connection, target, jobs, &shadow)
    })
}

fn make_keys_of(connection: &mut Connection, target: &Target, jobs: &mut Jobs, shadow: &Shadow) -> Result<()> {
    jobs.alone(connection, target, |connection, jobs| {
        // After the RENAME there is nothing left to do.
        if !sql::is_there(connection, &shadow.schema, &shadow.shadow)? {
            return Ok(());
        }
        loop {
            let missing = indexes::missing(jobs.indexes(), &Index::all_of_table(&definition(connection, target)?));
            let columns = columns(connection, target)?;
            fault::point("keys.before");
            target.load.control.waits(0, Some("ALTER TABLE .. ADD PRIMARY KEY"));
            let mut statements = keyless::finish_statements(&target.filled(), &missing, &columns).into_iter();
            match statements.try_for_each(|statement| connection.execute(&statement, ()).map(drop)) {
                Ok(()) => {
                    fault::point("keys.after");
                    let names = missing.iter().map(|index| index.name.clone()).collect();
                    target.load.notify(&LoadEvent::IndexesRebuilt { names });
                    return Ok(());
                }
                Err(error) if DUPLICATE.contains(&error.code()) && keyless::has_notes(&columns) => {
                    leave_out(connection, target, jobs, &missing, error)?;
                }
                Err(error) => return Err(error.while_doing("the server cannot make the keys of the copy")),
            }
        }
    })
}

/// Removes the rows that share a value of a key with one before them.
fn leave_out(connection: &mut Connection, target: &Target, jobs: &Jobs, keys: &[Index], told: Error) -> Result<()> {
    target.load.control.waits(0, Some("the search for duplicates"));
    let mut shared = Shared::default();
    for (number, key) in keys.iter().enumerate() {
        let Some(query) = keyless::shared_query(&target.filled(), key) else { continue };
        connection.query_each(&query, (), |row| {
            let mut values = row.values();
            let mut next = || -> Result<u64> {
                let value = values.next().transpose()?;
                let text = value.as_ref().and_then(|value| value.as_bytes()).unwrap_or_default();
                std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(odd)
            };
            shared.push(number, next()?, next()?);
            Ok(())
        })?;
    }
    let refused = shared.refused();
    let Some((first, _)) = refused.first() else {
        // The server finds a value twice that it calls different in a query.
        return Err(told.while_doing("the server cannot make the keys of the copy"));
    };
    let reason = |key: usize| format!("another row has the same value of key `{}`", keys[key].name);
    let control = &target.load.control;
    let options = &target.load.options;
    let is_too_many =
        |rejected| options.max_bad.is_some_and(|most| most.is_exceeded(rejected, control.read.load(Relaxed), true));
    let rejected = control.rejected.load(Relaxed) + refused.len() as u64;
    if options.bad_rows == BadRows::Stop || is_too_many(rejected) {
        let (_, first) = rejects_of(connection, target, jobs, &[*first], |_| reason(refused[0].1))?.remove(0);
        return Err(match options.bad_rows {
            BadRows::Stop => in_copy(stopping(&first, refused.len()), refused.len()),
            _ => match too_many(rejected, control.read.load(Relaxed), Some(&first)) {
                Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => error,
                Stop::Interrupted => told,
            },
        });
    }
    let mut left_out = Vec::new();
    let at_once = (target.max_packet / BYTES_A_NUMBER).clamp(1, AT_ONCE);
    for piece in refused.chunks(at_once) {
        let numbers: Vec<u64> = piece.iter().map(|(number, _)| *number).collect();
        let key_of =
            |number: u64| piece.binary_search_by_key(&number, |(number, _)| *number).map_or(0, |at| piece[at].1);
        let rejects = rejects_of(connection, target, jobs, &numbers, |number| reason(key_of(number)))?;
        connection.execute(&keyless::remove_statement(&target.filled(), &numbers), ())?;
        left_out.extend(rejects);
    }
    fault::point("keys.left_out");
    jobs.leave_out(connection, target, &left_out)?;
    fault::point("keys.settled");
    for (_, reject) in left_out {
        target.load.notify(&LoadEvent::Rejected(reject));
    }
    Ok(())
}

/// The rows of these numbers, ascending, as rejects.
fn rejects_of(
    connection: &mut Connection,
    target: &Target,
    jobs: &Jobs,
    numbers: &[u64],
    reason: impl Fn(u64) -> String,
) -> Result<Vec<(u64, Reject)>> {
    let mut rejects = Vec::new();
    connection.query_each(&keyless::notes_query(&target.filled(), numbers, keeps_records(target)), (), |row| {
        let fields = row.values().map(|value| Ok(value?.as_bytes().unwrap_or_default().to_vec()));
        let [number, line, raw] = <[Vec<u8>; 3]>::try_from(fields.collect::<Result<Vec<_>>>()?).map_err(|_| odd())?;
        let parse = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(odd);
        let number: u64 = parse(&number)?;
        let source = jobs.source(job_and_record(number).0).ok_or_else(odd)?;
        let place = Place { source, line: parse(&line)?, column: None };
        let reject = Reject::new(place, reason(number), InputFault::Other, raw);
        rejects.push((number, Reject { code: DUPLICATE[0], ..reject }));
        Ok(())
    })?;
    rejects.sort_by_key(|(number, _)| *number);
    if rejects.len() == numbers.len() { Ok(rejects) } else { Err(odd()) }
}

/// What `--bad-rows stop` says of duplicates that only the server has found.
fn in_copy(error: Error, found: usize) -> Error {
    let hint =
        "`--bad-rows skip` or `--bad-rows divert:FILE` in the same command leaves them out and finishes the load";
    let error = error.with_hint(hint);
    if found > 1 { error.while_doing("duplicates were found when the keys were made") } else { error }
}

fn definition(connection: &mut Connection, target: &Target) -> Result<String> {
    let create = sql::first_row(connection, &format!("SHOW CREATE TABLE {}", target.filled()))?;
    create.into_iter().nth(1).ok_or_else(|| Error::protocol("the server does not show how the table is defined"))
}

/// The names of the copy's columns.
fn columns(connection: &mut Connection, target: &Target) -> Result<Vec<String>> {
    let rows = sql::rows(connection, &format!("SHOW COLUMNS FROM {}", target.filled()))?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next()).collect())
}

fn keeps_records(target: &Target) -> bool {
    matches!(target.load.options.bad_rows, BadRows::Divert(_))
}

fn odd() -> Error {
    Error::new(Kind::Protocol, "the notes in the copy of the table are not those of this load")
}

/// ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME, ER_DUP_ENTRY_AUTOINCREMENT_CASE, ER_DUP_UNKNOWN_IN_INDEX
const DUPLICATE: [u16; 4] = [1062, 1586, 1569, 1859];

/// Rows of a statement, which a scan of the table finds all.
const AT_ONCE: usize = 2_000;

/// Digits, a comma, and a share of the other text of a statement.
const BYTES_A_NUMBER: usize = 40;
