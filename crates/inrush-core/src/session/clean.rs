//! Restores a session for its next user, and makes the server report changes from then on.
//!
//! ```text
//! ROLLBACK                                              if that is all
//! COM_RESET_CONNECTION | COM_CHANGE_USER ..             else
//! SET NAMES utf8mb4, time_zone = .., session_track_state_change = 1     a reset undoes them
//! COM_INIT_DB home                                      no server's reset goes back to it
//! ```
//! The commands are sent one after the other, because some proxies answer only the first of two; the first one frees all locks.

use std::collections::VecDeque;

use crate::error::{Error, Kind, Result};
use crate::session::simple::{self, Simple};
use crate::session::{ChangeUser, Cleanup, Conversation, Session, Step, reply};
use crate::wire::{Outbox, command};

/// A clean-up. Any error in it is fatal: a half-cleaned session must not be used.
#[derive(Debug)]
pub struct Clean {
    steps: VecDeque<Task>,
    was_sent: bool,
}

#[derive(Debug)]
enum Task {
    Rollback,
    Reset(Simple),
    ChangeUser(Box<ChangeUser>),
    /// The character set of the login, which MySQL's reset forgets (its bug 97633), the time zone, and reports.
    Report(Zone),
    /// The same for a server that cannot report.
    Names(Zone),
    Schema(String),
}

impl Clean {
    /// Sets up a fresh session: its time zone, if it is to have one of its own, and the server's reports of changes.
    pub fn fresh(zone: Option<&str>) -> Self {
        Self::of([Task::Report(zone.map(str::to_owned))])
    }

    /// The same without reports, for a session that belongs to one user.
    pub fn unreported(zone: Option<&str>) -> Self {
        Self::of([Task::Names(zone.map(str::to_owned))])
    }

    /// Performs `cleanup`; an error if nothing helps. `home` is the default schema, `zone` the session's own time zone; `login`
    /// makes the change of user if one is needed.
    pub fn new(
        cleanup: Cleanup,
        home: Option<&str>,
        zone: Option<&str>,
        login: impl FnOnce() -> Result<ChangeUser>,
    ) -> Result<Option<Self>> {
        let home = home.map(|name| Task::Schema(name.to_owned()));
        let report = Task::Report(zone.map(str::to_owned));
        Ok(Some(match cleanup {
            Cleanup::Nothing => return Ok(None),
            Cleanup::Rollback => Self::of([Task::Rollback]),
            Cleanup::Reset { schema } => {
                let reset = [Task::Reset(simple::reset_connection()), report];
                Self::of(reset.into_iter().chain(home.filter(|_| schema)))
            }
            Cleanup::Discard => return Err(Error::new(Kind::Io, "its last user left it with another account or role")),
            Cleanup::ChangeUser => Self::of([Task::ChangeUser(Box::new(login()?)), report]),
        }))
    }

    fn of(steps: impl IntoIterator<Item = Task>) -> Self {
        Self { steps: steps.into_iter().collect(), was_sent: false }
    }
}

impl Conversation for Clean {
    type Output = ();

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        match self.steps.front_mut() {
            None => return Ok(Step::Done(())),
            Some(Task::ChangeUser(login)) => drop(login.send(session, out)?),
            Some(Task::Reset(reset)) => drop(reset.send(session, out)?),
            Some(_) if self.was_sent => {}
            Some(Task::Rollback) => out.command(|out| command::query(out, b"ROLLBACK")),
            Some(Task::Report(zone)) => out.command(|out| command::query(out, &set(zone.as_deref(), REPORT))),
            Some(Task::Names(zone)) => out.command(|out| command::query(out, &set(zone.as_deref(), ""))),
            Some(Task::Schema(name)) => out.command(|out| command::init_db(out, name.as_bytes())),
        }
        self.was_sent = true;
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        match self.steps.front_mut() {
            None => return Err(reply::unexpected(packet, session).fatal()),
            Some(Task::ChangeUser(login)) => {
                if let Step::More | Step::StartTls = login.receive(packet, session, out).map_err(Error::fatal)? {
                    return Ok(Step::More);
                }
            }
            Some(Task::Reset(reset)) => drop(reset.receive(packet, session, out).map_err(Error::fatal)?),
            Some(Task::Report(zone)) => match reply::plain(packet, session) {
                Ok(_) => {
                    session.dirty.reports = true;
                    session.set_zone(zone.as_deref());
                }
                // The server does not know the variable. Then changes cannot be detected, and each use ends with a reset.
                Err(error) if error.kind() == Kind::Server && !error.is_fatal() => {
                    session.dirty.reports = false;
                    let names = Task::Names(zone.take());
                    self.steps.insert(1, names);
                }
                Err(error) => return Err(error),
            },
            Some(Task::Schema(name)) => {
                reply::plain(packet, session).map_err(Error::fatal)?;
                // Not every server reports it.
                session.schema = Some(std::mem::take(name));
            }
            Some(Task::Names(zone)) => {
                reply::plain(packet, session).map_err(Error::fatal)?;
                session.set_zone(zone.as_deref());
            }
            Some(Task::Rollback) => drop(reply::plain(packet, session).map_err(Error::fatal)?),
        }
        let done = self.steps.pop_front();
        self.was_sent = false;
        if !self.steps.is_empty() {
            return self.send(session, out);
        }
        session.dirty.refused = false;
        session.guards.left(1);
        // After a rollback, prepared statements still exist, and so do their possible effects.
        if !matches!(done, Some(Task::Rollback)) {
            // The changes by these commands themselves are intended.
            session.dirty.changed = false;
            out.forget_dirty_flags();
        }
        Ok(Step::Done(()))
    }
}

/// Returns the statement that sets the variables of every session.
fn set(zone: Option<&str>, more: &str) -> Vec<u8> {
    [after_reset(zone), more.to_owned()].concat().into_bytes()
}

/// The statement that a session needs after a reset: the character set of the login, and its time zone if it has one of its own.
fn after_reset(zone: Option<&str>) -> String {
    // Names of zones have no character that a literal must escape; a text with one is not a zone, and the server refuses it.
    let zone =
        zone.map(|zone| format!(", @@session.time_zone = '{}'", zone.replace(['\'', '\\'], ""))).unwrap_or_default();
    format!("SET NAMES utf8mb4{zone}")
}

/// The time zone of a session, if it has one of its own.
type Zone = Option<String>;

const REPORT: &str = ", @@session.session_track_state_change = 1";
