//! One connection's job: take a prepared chunk, store it as one transaction, and try again for as long as that may help.
//!
//! Invariants: a transaction is run again from its start, over a new connection if need be, never one statement of it; an
//! attempt is followed by another one only if nothing of it is stored, nor ever will be; a chunk ends in exactly one [`ChunkOutcome`].

use super::retry::{GaveUp, Tried, Why, Work};
use super::sent::Sent;
use crate::blocking::Connection;
use crate::fault;
use crate::loader::control::{Control, lock};
use crate::loader::plan::modes::Staged;
use crate::loader::plan::target::Target;
use crate::loader::read::prepare::{PreparedChunk, encode_again};
use crate::loader::report::counters::ChunkOutcome;
use crate::loader::report::event::LoadEvent;
use crate::loader::report::spans::ChunkSpan;
use inrush_core::load::report::{self, Stop};
use inrush_core::write::Method;
use inrush_core::write::answer::{self, LoadWarning};
use inrush_core::{Error, Kind, Result};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;

/// A lane: a connection with its session set, and its number.
pub(crate) struct Lane<'a> {
    pub(crate) number: usize,
    pub(crate) connection: Connection,
    pub(crate) staged: Staged,
    /// Whether INSERTs are sent one by one because the server warns about them: it reports warnings of the last statement only.
    pub(crate) one_by_one: bool,
    /// Whether the next attempt needs a new connection.
    pub(crate) must_reconnect: bool,
    pub(crate) target: &'a Target,
}

/// How an attempt to store a chunk ended.
pub(crate) enum Attempt {
    /// The outcome is final.
    Over(ChunkOutcome),
    /// The server refused the method, and there is another one.
    Refused,
    /// Nothing of it is stored, nor ever will be: it was rolled back, or its COMMIT was never sent.
    Failed(Error),
}

/// How a chunk got its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Attempts {
    /// Stored at the first attempt, as it was.
    FirstTry,
    Retried,
}

/// The server refuses a transaction of this size.
struct TooLarge(Error);

impl<'a> Lane<'a> {
    /// Connects, sets the whole session and checks that the server took it.
    pub(crate) fn open(number: usize, target: &'a Target) -> Result<Self> {
        let connection = connect(number, target)?;
        let one_by_one = !target.table.transactional;
        Ok(Self { number, connection, staged: Staged::default(), one_by_one, must_reconnect: false, target })
    }

    /// Stores one chunk, in parts where the server refuses it as a whole. Calls `enter` with the outcome of the chunk, or of each part.
    /// Stops at the first part that was not stored.
    pub(crate) fn deliver(
        &mut self,
        chunk: PreparedChunk,
        mut enter: impl FnMut(PreparedChunk, ChunkOutcome),
    ) -> Attempts {
        let mut attempts = Attempts::FirstTry;
        if self.number == 0 {
            self.target.run_lock.show(&mut self.connection);
        }
        // A stack, the earliest part on top.
        let mut parts = vec![chunk];
        while let Some(mut part) = parts.pop() {
            let method = self.target.choice().method;
            let is_too_large = self.target.is_too_large(part.bytes, part.bytes_sent());
            let halves = match is_too_large.then(|| part.halves(method, self.target)).flatten() {
                Some(halves) => halves,
                None => {
                    let span = ChunkSpan::begin(self.number, part.number, part.bytes, method, || part.records());
                    match span.within(|| self.store(&mut part, &span)) {
                        Ok((end, taken)) => {
                            let end = self.unless_taken_over(&part, end);
                            attempts = attempts.max(taken);
                            if !matches!(end, ChunkOutcome::Stored { .. }) {
                                attempts = Attempts::Retried;
                                parts.clear();
                            }
                            span.end(&end, part.rejects().len());
                            span.within(|| enter(part, end));
                            continue;
                        }
                        Err(TooLarge(error)) => {
                            span.too_large(&error);
                            match part.halves(method, self.target) {
                                Some(halves) => {
                                    self.shrink(&part, &error);
                                    halves
                                }
                                None => Err(Stop::Failed(error)),
                            }
                        }
                    }
                }
            };
            attempts = Attempts::Retried;
            match halves {
                Ok([first, second]) => {
                    part.recycle(self.target);
                    parts.extend([second, first]);
                }
                Err(stop) => {
                    parts.clear();
                    enter(part, ChunkOutcome::NotStored(Some(stop)));
                }
            }
        }
        self.waits(None);
        attempts
    }

    /// From now on chunks as large as this one are cut before they are tried.
    fn shrink(&self, chunk: &PreparedChunk, error: &Error) {
        // More than a half of it, so that the halves are tried as they are.
        self.target.largest_chunk.fetch_min(chunk.bytes_sent() / 4 * 3, Relaxed);
        self.target.tuning.refused(chunk.bytes as usize);
        report::count_retry(&mut lock(&self.target.load.retries), error);
        self.target.load.notify(&LoadEvent::Shrunk {
            place: chunk.place(),
            bytes: chunk.bytes_sent(),
            message: error.to_string(),
        });
    }

    /// Stores one chunk in one transaction.
    fn store(&mut self, chunk: &mut PreparedChunk, span: &ChunkSpan) -> Result<(ChunkOutcome, Attempts), TooLarge> {
        let (target, number) = (self.target, chunk.number);
        let (mut attempts, mut has_failed) = (Attempts::FirstTry, false);
        let stored = target.load.retrying(self.number, Work::Chunk(chunk.place())).run(
            |control| !control.wants_now(number),
            |reconnect| {
                if !target.load.control.wants_now(number) {
                    return Tried::Done(ChunkOutcome::NotStored(None));
                }
                self.must_reconnect |= reconnect;
                if mem::take(&mut has_failed) {
                    span.retried();
                }
                match self.attempt(chunk) {
                    Attempt::Over(end) => return Tried::Done(end),
                    Attempt::Refused => attempts = Attempts::Retried,
                    Attempt::Failed(error) => {
                        attempts = Attempts::Retried;
                        has_failed = true;
                        return Tried::Failed(error);
                    }
                }
                Tried::AtOnce
            },
        );
        let end = match stored {
            Ok(end) => end,
            Err(GaveUp { why: Why::TooLarge, error, .. }) => return Err(TooLarge(error)),
            Err(GaveUp { why: Why::Interrupted, .. }) => ChunkOutcome::NotStored(None),
            Err(gave_up) => ChunkOutcome::NotStored(Some(Stop::Failed(gave_up.counted()))),
        };
        Ok((end, attempts))
    }

    /// The connection alone, its session set.
    pub(crate) fn into_connection(self) -> Connection {
        self.connection
    }

    /// Ends a transaction that an error has left open: its locks keep other connections waiting, those of this load too, for as long as
    /// the server lets them.
    pub(crate) fn let_go(&mut self) {
        if !self.connection.session().is_dead() {
            // A connection that cannot do it is lost, and its locks with it.
            let _ = self.connection.execute("ROLLBACK", ());
        }
    }

    /// Takes the connection down politely.
    pub(crate) fn close(self) {
        self.connection.close();
    }

    fn attempt(&mut self, chunk: &mut PreparedChunk) -> Attempt {
        if let Err(error) = self.be_connected() {
            return Attempt::Failed(error);
        }
        let choice = self.target.choice();
        let method = chunk.payload.method();
        if method != choice.method
            && !self.target.tuning.tries(method)
            && let Err(stop) = encode_again(chunk, choice.method, self.target)
        {
            return Attempt::Over(ChunkOutcome::NotStored(Some(stop)));
        }
        fault::point("chunk.begin");
        let sent = self.send(chunk);
        fault::point("data.answered");
        match sent {
            Ok(Sent::All { counted, noted }) => self.commit(chunk, counted, Vec::new(), &noted),
            Ok(Sent::InDoubt { warnings }) => self.replay(chunk, &warnings),
            Ok(Sent::Refused(error)) => {
                self.fall_back(chunk.payload.method(), &error);
                Attempt::Refused
            }
            Err(error) => self.failed(error),
        }
    }

    /// Runs steps that may be repeated from any of them: repeats them over a new connection whenever the connection is lost.
    pub(crate) fn run_to_its_end<T>(
        &mut self,
        what: &'static str,
        mut run: impl FnMut(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        let done = self.target.load.retrying(self.number, Work::Step(what)).run(Control::is_stopping, |reconnect| {
            self.must_reconnect |= reconnect;
            match self.be_connected().and_then(|()| run(&mut self.connection)) {
                // An error of a file, or one that the next attempt would get again.
                Err(error) if !self.connection.session().is_dead() => Tried::Refused(error),
                end => end.into(),
            }
        });
        done.map_err(|gave_up| match gave_up.why {
            Why::Interrupted => gave_up.interrupted("interrupted before a row was sent"),
            _ => gave_up.error,
        })
    }

    /// Reconnects if the connection is gone or must be replaced. The server rolls back what the old one left open.
    pub(crate) fn be_connected(&mut self) -> Result<()> {
        if self.must_reconnect || self.connection.session().is_dead() {
            self.waits(Some("the login"));
            self.connection = connect(self.number, self.target)?;
            self.staged = Staged::default();
            self.must_reconnect = false;
        }
        Ok(())
    }

    /// The attempt has failed: undoes what it sent.
    pub(crate) fn failed(&mut self, error: Error) -> Attempt {
        if !self.target.table.transactional {
            return Attempt::Over(ChunkOutcome::Unknown(error));
        }
        match self.undo(&error) {
            Undone::All => Attempt::Failed(error),
            Undone::NotAll => Attempt::Over(ChunkOutcome::Unknown(some_rows_stay(error.message()))),
        }
    }

    /// The same if another attempt would end the same way.
    pub(crate) fn stopped(&mut self, stop: Stop) -> Attempt {
        Attempt::Over(match self.failed(Error::new(Kind::Interrupted, why(&stop))) {
            Attempt::Over(end) => end,
            _ => ChunkOutcome::NotStored(Some(stop)),
        })
    }

    /// The same for a chunk after one that ended the load.
    pub(crate) fn not_wanted(&mut self) -> Attempt {
        Attempt::Over(match self.failed(Error::new(Kind::Interrupted, "an earlier chunk failed")) {
            Attempt::Over(end) => end,
            _ => ChunkOutcome::NotStored(None),
        })
    }

    /// Rolls back. A connection that is gone, or refuses even that, is left: then the server rolls back by itself.
    fn undo(&mut self, error: &Error) -> Undone {
        if error.is_fatal() {
            return Undone::All;
        }
        self.roll_back().unwrap_or_else(|_| {
            self.must_reconnect = true;
            Undone::All
        })
    }

    /// ROLLBACK. The server warns (1196) if a table without transactions was written to, by a trigger for example.
    pub(crate) fn roll_back(&mut self) -> Result<Undone> {
        self.waits(Some("ROLLBACK"));
        let outcome = self.connection.execute("ROLLBACK", ())?;
        let not_all = outcome.warnings > 0 && self.warnings()?.iter().any(|w| w.code == answer::NOT_ROLLED_BACK);
        Ok(if not_all { Undone::NotAll } else { Undone::All })
    }

    fn fall_back(&mut self, refused: Method, error: &Error) {
        self.undo(error);
        self.target.tuning.no_more_trials();
        let has_changed = lock(&self.target.chooser).refuse(refused, error);
        if let Ok(true) = has_changed {
            self.target.notify_choice();
        }
    }

    pub(crate) fn warnings(&mut self) -> Result<Vec<LoadWarning>> {
        crate::loader::sql::warnings(&mut self.connection)
    }

    pub(crate) fn note(&self, warnings: &[LoadWarning]) {
        let new = lock(&self.target.accepted_warnings).learn(warnings);
        lock(&self.target.load.noted).extend(new);
    }

    pub(crate) fn waits(&self, what: Option<&'static str>) {
        self.target.load.control.waits(self.number, what);
    }
}

/// What a ROLLBACK undid.
#[derive(Clone, Copy)]
pub(crate) enum Undone {
    All,
    NotAll,
}

pub(crate) fn some_rows_stay(why: &str) -> Error {
    Error::new(Kind::Server, format!("{why}; the chunk was rolled back, but the server says that not every table was"))
        .with_hint("a trigger writes to a table without transactions (MyISAM, Aria, MEMORY): what it wrote stays")
}

fn why(stop: &Stop) -> String {
    match stop {
        Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => error.message().to_owned(),
        Stop::Interrupted => "interrupted".into(),
    }
}

fn connect(number: usize, target: &Target) -> Result<Connection> {
    let mut connection = target.load.control.connect(&target.config)?;
    target.load.control.set_lane(number, connection.connection_id(), connection.aborter());
    crate::loader::sql::set_answers(&mut connection)?;
    for statement in target.session.setup() {
        connection.execute(&statement, ()).map_err(|e| hint_at_zone(e, &target.session.time_zone))?;
    }
    /// ER_SPECIFIC_ACCESS_DENIED_ERROR
    const NOT_ALLOWED: u16 = 1227;
    match connection.execute(&target.session.more_warnings(), ()) {
        Err(error) if error.code() != NOT_ALLOWED => return Err(error),
        _ => {}
    }
    let row = crate::loader::sql::first_row(&mut connection, target.session.check_query())?;
    target.session.check(&row)?;
    if number == 0 {
        target.run_lock.show(&mut connection);
    }
    Ok(connection)
}

pub(crate) fn hint_at_zone(error: Error, zone: &str) -> Error {
    /// ER_UNKNOWN_TIME_ZONE
    const UNKNOWN_ZONE: u16 = 1298;
    if error.code() != UNKNOWN_ZONE {
        return error;
    }
    error.while_doing(&format!("cannot set the time zone `{zone}`")).with_hint(
        "give an offset such as `--time-zone +02:00`, or load the zone tables into the server (`mysql_tzinfo_to_sql`)",
    )
}
