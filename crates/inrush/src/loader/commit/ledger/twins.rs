//! Loads of the same part of a named job at the same time. The second one waits until the first one is over, and then finds what it has
//! stored: a part that is loaded, or one to be continued.
//!
//! The wait is for a lock of the session (GET_LOCK), which the server frees when the client has died. Nothing depends on it but who waits:
//! where a client is gone without a word, the lock stays until the server's time-outs, and after `--retry-for` the part is taken over like any other
//! job. The fence keeps the older run out then.

use super::tables::{PROGRAM, is_contended};
use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::Control;
use crate::loader::lanes::retry::{Tried, Why, Work};
use crate::loader::load::Load;
use crate::loader::options::Guarantee;
use crate::loader::sql;
use crate::table::TableName;
use inrush_core::load::ledger::{JobLine, Ledger, NamedJob, Start};
use inrush_core::load::steps::JobLocks;
use inrush_core::{Error, Kind, Result};
use std::mem;

/// Waits until no other load of this part is connected. Returns the connection that keeps twins waiting until it is dropped; `None` where
/// there is nothing to wait for, and where that took too long.
pub(crate) fn wait(load: &Load, config: &Config, name: &TableName) -> Result<Option<Connection>> {
    let options = &load.options;
    let Some(named) = options.job.as_ref().filter(|_| !options.dry_run) else { return Ok(None) };
    if options.guarantee == Guarantee::AtLeastOnce {
        return Ok(None);
    }
    // Names that differ by case may be the same table: such loads wait in vain, at most.
    let locks = JobLocks::of_part(named.id(&name.schema.to_lowercase(), &name.name.to_lowercase()));
    let mut connection = load.control.connect(config)?;
    load.control.set_lane(0, connection.connection_id(), connection.aborter());
    sql::set_answers(&mut connection)?;
    // It does nothing for as long as the load lasts.
    connection.execute(&format!("SET SESSION wait_timeout = {LONG_SECONDS}"), ())?;
    let mut has_waited = false;
    let taken = load.retrying(0, Work::OtherRun).without_back_off().run(Control::is_stopping, |_| {
        if load.control.is_stopping() {
            return Tried::Refused(interrupted());
        }
        if mem::replace(&mut has_waited, true) {
            load.control.waits(0, Some("another load of this part"));
        }
        match locks
            .take_queries(LOOK_AGAIN_SECONDS)
            .iter()
            .try_fold(true, |all, query| Ok::<_, Error>(all && sql::first_row(&mut connection, query)? == ["1"]))
        {
            Ok(true) => Tried::Done(()),
            Ok(false) => Tried::Contended(Error::new(Kind::Server, "another load of this part is at work")),
            Err(error) => Tried::Refused(error),
        }
    });
    load.control.waits(0, None);
    match taken {
        Ok(()) => Ok(Some(connection)),
        Err(gave_up) => match gave_up.why {
            Why::Interrupted => Err(interrupted()),
            Why::TimeIsOver if load.control.is_stopping() => Err(interrupted()),
            Why::TimeIsOver => Ok(None),
            _ if load.control.is_stopping() || gave_up.error.is_fatal() => Err(gave_up.error),
            // A server, or a proxy, without such locks.
            _ => Ok(None),
        },
    }
}

/// Writes the head of a named job, or compares this load with it. Commits.
pub(crate) fn check_head(
    connection: &mut Connection,
    ledger: &Ledger,
    named: &NamedJob,
    (schema, table): (&str, &str),
    target: &str,
) -> Result<()> {
    let head = named.head();
    let id = head.id(schema, table);
    for is_last in [false, true] {
        let lines = sql::rows(connection, &JobLine::query(ledger, Some(&[id]), false))?;
        connection.execute("COMMIT", ())?;
        if let Some(line) = lines.first() {
            return named.check_head(&JobLine::parse(line)?);
        }
        let (source, mapping) = (head.to_string(), head.mapping());
        let start = Start { id, target, source: &source, identity: None, mapping: &mapping, program: PROGRAM };
        match connection.execute(&JobLine::insert_head_statement(ledger, &start), ()) {
            Ok(_) => return connection.execute("COMMIT", ()).map(drop),
            Err(error) if is_last || !is_contended(&error) => return Err(error),
            // Another part was first.
            Err(_) => connection.execute("ROLLBACK", ()).map(drop)?,
        }
    }
    Ok(())
}

fn interrupted() -> Error {
    Error::new(Kind::Interrupted, "interrupted while another load of this part was at work")
}

/// Short, so that the wait is reported soon.
const LOOK_AGAIN_SECONDS: u32 = 5;

/// The most that MySQL and MariaDB take on any system.
const LONG_SECONDS: u32 = 2_147_483;
