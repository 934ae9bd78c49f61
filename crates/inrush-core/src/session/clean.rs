//! Makes a session as good as new for its next user, and has the server report changes from then on.
//!
//! ```text
//! ROLLBACK                                              if that is all
//! COM_RESET_CONNECTION | COM_CHANGE_USER ..             else
//! SET NAMES utf8mb4, session_track_state_change = 1     a reset undoes both
//! COM_INIT_DB home                                      no server's reset goes back to it
//! ```
//! One command after the other, since some proxies answer only the first of two; the first one frees all locks.

use std::collections::VecDeque;

use crate::error::{Error, Kind, Result};
use crate::session::simple::{self, Simple};
use crate::session::{ChangeUser, Cleanup, Conversation, Session, Step, reply};
use crate::wire::{Outbox, command};

/// A clean-up. Whatever goes wrong in it is fatal: a session that is half clean is none.
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
    /// The character set of the login, which MySQL's reset forgets (its bug 97633), and reports.
    Report,
    /// The same for a server that cannot report.
    Names,
    Schema(String),
}

impl Clean {
    /// What a fresh session needs: that the server reports its changes.
    pub fn fresh() -> Self {
        Self::of([Task::Report])
    }

    /// What `cleanup` asks for; an error if nothing helps. `home` is the default schema; `login` makes the change of user should one be needed.
    pub fn new(
        cleanup: Cleanup,
        home: Option<&str>,
        login: impl FnOnce() -> Result<ChangeUser>,
    ) -> Result<Option<Self>> {
        let home = home.map(|name| Task::Schema(name.to_owned()));
        Ok(Some(match cleanup {
            Cleanup::Nothing => return Ok(None),
            Cleanup::Rollback => Self::of([Task::Rollback]),
            Cleanup::Reset { schema } => {
                let reset = [Task::Reset(simple::reset_connection()), Task::Report];
                Self::of(reset.into_iter().chain(home.filter(|_| schema)))
            }
            Cleanup::Discard => return Err(Error::new(Kind::Io, "its last user left it with another account or role")),
            Cleanup::ChangeUser => Self::of([Task::ChangeUser(Box::new(login()?)), Task::Report]),
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
            Some(Task::Report) => out.command(|out| command::query(out, REPORT)),
            Some(Task::Names) => out.command(|out| command::query(out, NAMES)),
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
            Some(Task::Report) => match reply::plain(packet, session) {
                Ok(_) => session.marks.reports = true,
                // It does not know the variable. Then nobody knows what changed, and each use ends with a reset.
                Err(error) if error.kind() == Kind::Server && !error.is_fatal() => {
                    session.marks.reports = false;
                    self.steps.insert(1, Task::Names);
                }
                Err(error) => return Err(error),
            },
            Some(Task::Schema(name)) => {
                reply::plain(packet, session).map_err(Error::fatal)?;
                // Not every server tells.
                session.schema = Some(std::mem::take(name));
            }
            Some(Task::Rollback | Task::Names) => drop(reply::plain(packet, session).map_err(Error::fatal)?),
        }
        let done = self.steps.pop_front();
        self.was_sent = false;
        if !self.steps.is_empty() {
            return self.send(session, out);
        }
        session.marks.refused = false;
        session.guards.left(1);
        // After a rollback statements that were prepared are still there, and with them what they may do.
        if !matches!(done, Some(Task::Rollback)) {
            // What these commands themselves changed is how it shall be.
            session.marks.changed = false;
            out.forget_traces();
        }
        Ok(Step::Done(()))
    }
}

const REPORT: &[u8] = b"SET NAMES utf8mb4, @@session.session_track_state_change = 1";
const NAMES: &[u8] = b"SET NAMES utf8mb4";
