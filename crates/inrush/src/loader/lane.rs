//! One connection's job: take a prepared chunk, store it as one transaction, and try again for as long as that may help.
//!
//! Invariants: a transaction is run again from its start, over a new connection if need be, never one statement of it; an
//! attempt is followed by another one only if nothing of it is stored, nor ever will be; a chunk ends in exactly one [`ChunkEnd`].

use super::control::{Control, lock};
use super::modes::Staged;
use super::prepare::{Prepared, encode_again};
use super::send::Sent;
use super::shared::{Notice, Shared};
use super::tally::ChunkEnd;
use crate::blocking::Connection;
use crate::fault;
use inrush_core::bulk::judge::{self, Warning};
use inrush_core::bulk::method::{self, Choice};
use inrush_core::bulk::report::{self, Stop};
use inrush_core::bulk::retry::{Failure, Patience, Verdict};
use inrush_core::{Error, Kind, Result};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A lane: a connection with its session set, and its number.
pub(super) struct Lane<'a> {
    pub(super) number: usize,
    pub(super) connection: Connection,
    pub(super) staged: Staged,
    /// Whether INSERTs travel one by one, because the server warns of them: it tells of the last one only.
    pub(super) one_by_one: bool,
    /// Whether the next attempt needs a new connection.
    pub(super) must_reconnect: bool,
    pub(super) shared: &'a Shared,
}

/// How an attempt to store a chunk ended.
pub(super) enum Attempt {
    /// For good.
    Over(ChunkEnd),
    /// The server refused the method, and there is another one.
    Refused,
    /// Nothing of it is stored, nor ever will be: it was rolled back, or its COMMIT was never sent.
    Failed(Error),
}

/// How a chunk came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Course {
    /// Stored at the first attempt, as it was.
    Straight,
    Crooked,
}

/// What follows an attempt that failed.
enum Another {
    Now,
    /// One with fewer rows.
    Smaller(Error),
    /// Nothing: it would fail again.
    None(Error),
}

/// The server refuses a transaction of this size.
struct TooLarge(Error);

impl<'a> Lane<'a> {
    /// Connects, sets the whole session and checks that the server took it.
    pub(super) fn open(number: usize, shared: &'a Shared) -> Result<Self> {
        let connection = connect(number, shared)?;
        let one_by_one = !shared.table.transactional;
        Ok(Self { number, connection, staged: Staged::default(), one_by_one, must_reconnect: false, shared })
    }

    /// Stores one chunk, in parts where the server refuses it as a whole; `enter` is told what became of it, or of each part. Nothing of
    /// it is tried behind a part that was not stored.
    pub(super) fn deliver(&mut self, chunk: Prepared, mut enter: impl FnMut(Prepared, ChunkEnd)) -> Course {
        let mut course = Course::Straight;
        // A stack, the earliest part on top.
        let mut parts = vec![chunk];
        while let Some(mut part) = parts.pop() {
            let method = lock(&self.shared.choice).method;
            let is_too_large = part.bytes_sent() > self.shared.largest_chunk.load(Relaxed);
            let halves = match is_too_large.then(|| part.halves(method, self.shared)).flatten() {
                Some(halves) => halves,
                None => match self.store(&mut part) {
                    Ok((end, taken)) => {
                        let end = self.unless_taken_over(&part, end);
                        course = course.max(taken);
                        if !matches!(end, ChunkEnd::Stored { .. }) {
                            course = Course::Crooked;
                            parts.clear();
                        }
                        enter(part, end);
                        continue;
                    }
                    Err(TooLarge(error)) => match part.halves(method, self.shared) {
                        Some(halves) => {
                            self.shrink(&part, &error);
                            halves
                        }
                        None => Err(Stop::Failed(error)),
                    },
                },
            };
            course = Course::Crooked;
            match halves {
                Ok([first, second]) => {
                    part.recycle(self.shared);
                    parts.extend([second, first]);
                }
                Err(stop) => {
                    parts.clear();
                    enter(part, ChunkEnd::NotStored(Some(stop)));
                }
            }
        }
        self.waits(None);
        course
    }

    /// From now on chunks as large as this one are cut before they are tried.
    fn shrink(&self, chunk: &Prepared, error: &Error) {
        // More than a half of it, so that the halves are tried as they are.
        self.shared.largest_chunk.fetch_min(chunk.bytes_sent() / 4 * 3, Relaxed);
        self.shared.tuning.refused(chunk.bytes as usize);
        report::count_retry(&mut lock(&self.shared.retries), error);
        self.shared.notify(&Notice::Shrunk {
            place: chunk.place(),
            bytes: chunk.bytes_sent(),
            message: error.to_string(),
        });
    }

    /// Stores one chunk in one transaction.
    fn store(&mut self, chunk: &mut Prepared) -> Result<(ChunkEnd, Course), TooLarge> {
        let mut course = Course::Straight;
        let mut patience = Patience::new(self.shared.options.retry_for);
        loop {
            if !self.wants(chunk) {
                return Ok((ChunkEnd::NotStored(None), course));
            }
            match self.attempt(chunk) {
                Attempt::Over(end) => return Ok((end, course)),
                Attempt::Refused => course = Course::Crooked,
                Attempt::Failed(error) => match self.prepare_another(chunk, &mut patience, error) {
                    Another::Now => course = Course::Crooked,
                    Another::Smaller(error) => return Err(TooLarge(error)),
                    Another::None(error) => return Ok((ChunkEnd::NotStored(Some(Stop::Failed(error))), course)),
                },
            }
        }
    }

    /// The connection alone, its session set.
    pub(super) fn into_connection(self) -> Connection {
        self.connection
    }

    /// Takes the connection down politely.
    pub(super) fn close(self) {
        self.connection.close();
    }

    fn attempt(&mut self, chunk: &mut Prepared) -> Attempt {
        if let Err(error) = self.be_connected() {
            return Attempt::Failed(error);
        }
        let choice = lock(&self.shared.choice).clone();
        if chunk.payload.method() != choice.method
            && let Err(stop) = encode_again(chunk, choice.method, self.shared)
        {
            return Attempt::Over(ChunkEnd::NotStored(Some(stop)));
        }
        fault::point("chunk.begin");
        let sent = self.send(chunk, &choice);
        fault::point("data.answered");
        match sent {
            Ok(Sent::All { counted, noted }) => self.commit(chunk, counted, Vec::new(), &noted),
            Ok(Sent::InDoubt { warnings }) => self.replay(chunk, &warnings),
            Ok(Sent::Refused(error)) => {
                self.fall_back(&choice, &error);
                Attempt::Refused
            }
            Err(error) => self.failed(error),
        }
    }

    /// Waits before the next attempt, if there is to be one. A load that is to end meanwhile makes it wait no longer.
    fn prepare_another(&mut self, chunk: &Prepared, patience: &mut Patience, error: Error) -> Another {
        let control = &self.shared.control;
        let now = control.elapsed();
        let n_failed = patience.failed(now);
        let failure = Failure { error: &error, n_failed, has_stored: control.chunks.load(Relaxed) > 0 };
        let pause = match failure.verdict() {
            Verdict::Again { reconnect } => {
                self.must_reconnect |= reconnect;
                patience.pause(now, rand::random())
            }
            Verdict::Shrink => return Another::Smaller(error),
            Verdict::No => None,
        };
        match pause {
            Some(pause) => {
                self.tell_of_retry(chunk, &error, pause);
                // Where the pause was cut short the chunk is not wanted any more, which is looked at before another attempt.
                let _ = self.sleep(pause, |_| !self.wants(chunk));
                Another::Now
            }
            None if n_failed == 1 => Another::None(error),
            None => Another::None(error.while_doing(&format!("given up after {n_failed} attempts"))),
        }
    }

    pub(super) fn tell_of_retry(&self, chunk: &Prepared, error: &Error, pause: Duration) {
        report::count_retry(&mut lock(&self.shared.retries), error);
        self.shared.notify(&Notice::Retry {
            lane: self.number + 1,
            place: chunk.place(),
            code: error.code(),
            message: error.to_string(),
            pause,
        });
    }

    /// Sleeps before another attempt, see [`Control::pause`].
    #[must_use = "without a pause there must be no other attempt"]
    pub(super) fn sleep(&self, pause: Duration, is_over: impl Fn(&Control) -> bool) -> bool {
        self.waits(None);
        self.shared.control.pause(pause, is_over)
    }

    /// Runs what may be begun again at any step: once more over a new connection whenever the connection is lost under it, for as long
    /// as failures are borne.
    pub(super) fn run_to_its_end<T>(&mut self, mut run: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        let control = &self.shared.control;
        let mut patience = Patience::new(self.shared.options.retry_for);
        loop {
            let error = match self.be_connected().and_then(|()| run(&mut self.connection)) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let now = control.elapsed();
            let failure = Failure { error: &error, n_failed: patience.failed(now), has_stored: false };
            let pause = match failure.verdict() {
                // Else it is an error of a file, or one that the next attempt would meet again.
                Verdict::Again { reconnect: true } if self.connection.session().is_dead() => {
                    patience.pause(now, rand::random())
                }
                _ => None,
            };
            let Some(pause) = pause else { return Err(error) };
            report::count_retry(&mut lock(&self.shared.retries), &error);
            if !self.sleep(pause, Control::is_stopping) {
                let message = format!("interrupted before a row was sent, and not tried again after: {error}");
                return Err(Error::new(Kind::Interrupted, message));
            }
        }
    }

    /// Connects anew if the connection is gone or leads to the wrong place. The server rolls back what the old one left open.
    pub(super) fn be_connected(&mut self) -> Result<()> {
        if self.must_reconnect || self.connection.session().is_dead() {
            self.waits(Some("the login"));
            self.connection = connect(self.number, self.shared)?;
            self.staged = Staged::default();
            self.must_reconnect = false;
        }
        Ok(())
    }

    /// The attempt has failed: what it sent is undone.
    pub(super) fn failed(&mut self, error: Error) -> Attempt {
        if !self.shared.table.transactional {
            return Attempt::Over(ChunkEnd::Unknown(error));
        }
        match self.undo(&error) {
            Undone::All => Attempt::Failed(error),
            Undone::NotAll => Attempt::Over(ChunkEnd::Unknown(some_rows_stay(error.message()))),
        }
    }

    /// The same where another attempt would end the same way.
    pub(super) fn stopped(&mut self, stop: Stop) -> Attempt {
        Attempt::Over(match self.failed(Error::new(Kind::Interrupted, why(&stop))) {
            Attempt::Over(end) => end,
            _ => ChunkEnd::NotStored(Some(stop)),
        })
    }

    /// The same for a chunk behind one that ended the load.
    pub(super) fn not_wanted(&mut self) -> Attempt {
        Attempt::Over(match self.failed(Error::new(Kind::Interrupted, "an earlier chunk failed")) {
            Attempt::Over(end) => end,
            _ => ChunkEnd::NotStored(None),
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
    pub(super) fn roll_back(&mut self) -> Result<Undone> {
        self.waits(Some("ROLLBACK"));
        let outcome = self.connection.exec("ROLLBACK", ())?;
        let not_all = outcome.warnings > 0 && self.warnings()?.iter().any(|w| w.code == judge::NOT_ROLLED_BACK);
        Ok(if not_all { Undone::NotAll } else { Undone::All })
    }

    fn fall_back(&mut self, refused: &Choice, error: &Error) {
        self.undo(error);
        let mut choice = lock(&self.shared.choice);
        // Another lane may have been refused too, and earlier.
        if choice.method == refused.method {
            *choice = method::fall_back(refused.method, error, self.shared.insert);
            drop(choice);
            self.shared.notify_choice();
        }
    }

    pub(super) fn warnings(&mut self) -> Result<Vec<Warning>> {
        super::sql::warnings(&mut self.connection)
    }

    pub(super) fn note(&self, warnings: &[Warning]) {
        let new = lock(&self.shared.harmless).learn(warnings);
        lock(&self.shared.noted).extend(new);
    }

    pub(super) fn waits(&self, what: Option<&'static str>) {
        self.shared.control.waits(self.number, what);
    }

    fn wants(&self, chunk: &Prepared) -> bool {
        let control: &Control = &self.shared.control;
        control.wants(chunk.number) && !control.is_stopping()
    }
}

/// What a ROLLBACK undid.
#[derive(Clone, Copy)]
pub(super) enum Undone {
    All,
    NotAll,
}

pub(super) fn some_rows_stay(why: &str) -> Error {
    Error::new(Kind::Server, format!("{why}; the chunk was rolled back, but the server says that not every table was"))
        .with_hint("a trigger writes to a table without transactions (MyISAM, Aria, MEMORY): what it wrote stays")
}

fn why(stop: &Stop) -> String {
    match stop {
        Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => error.message().to_owned(),
        Stop::Interrupted => "interrupted".into(),
    }
}

fn connect(number: usize, shared: &Shared) -> Result<Connection> {
    let mut connection = shared.control.connect(&shared.config)?;
    shared.control.set_lane(number, connection.connection_id(), connection.aborter());
    super::sql::set_answers(&mut connection)?;
    for statement in shared.session.setup() {
        connection.exec(&statement, ()).map_err(|e| hint_at_zone(e, &shared.session.time_zone))?;
    }
    /// ER_SPECIFIC_ACCESS_DENIED_ERROR
    const NOT_ALLOWED: u16 = 1227;
    match connection.exec(&shared.session.more_warnings(), ()) {
        Err(error) if error.code() != NOT_ALLOWED => return Err(error),
        _ => {}
    }
    let row = super::sql::first_row(&mut connection, shared.session.check_query())?;
    shared.session.check(&row)?;
    Ok(connection)
}

pub(super) fn hint_at_zone(error: Error, zone: &str) -> Error {
    /// ER_UNKNOWN_TIME_ZONE
    const UNKNOWN_ZONE: u16 = 1298;
    if error.code() != UNKNOWN_ZONE {
        return error;
    }
    error.while_doing(&format!("cannot set the time zone `{zone}`")).with_hint(
        "give an offset such as `--time-zone +02:00`, or load the zone tables into the server (`mysql_tzinfo_to_sql`)",
    )
}
