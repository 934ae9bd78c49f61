//! One connection's job: take a prepared chunk, store it as one transaction, compare what the server says, commit.
//!
//! Invariants: COMMIT is sent only after every earlier answer was read; the session has autocommit off, so nothing is ever
//! committed by accident; a chunk ends in exactly one [`ChunkEnd`].

use super::control::{Control, lock};
use super::flight::{Inserts, WINDOW};
use super::options::MaxBad;
use super::prepare::{Payload, Prepared, Statement, StatementForm, encode, stopping};
use super::replay::{ReplayEnd, replay};
use super::shared::{Shared, SourcePlan};
use super::tally::{ChunkEnd, too_many};
use crate::blocking::Connection;
use inrush_core::bulk::Reject;
use inrush_core::bulk::judge::{self, Verdict, Warning};
use inrush_core::bulk::method::{self, Choice};
use inrush_core::bulk::report::Stop;
use inrush_core::session::{Pipeline, Prepare, Prepared as PreparedInsert, simple};
use inrush_core::{Error, Kind, Result};
use std::sync::Arc;

/// The prepared INSERT of a plan.
pub(super) struct Bound {
    pub(super) plan: Arc<SourcePlan>,
    pub(super) statement: PreparedInsert,
    /// Whether the server knows the types of the placeholders.
    pub(super) typed: bool,
}

/// A lane: a connection with its session set, and its number.
pub(super) struct Lane<'a> {
    pub(super) number: usize,
    pub(super) connection: Connection,
    bound: Option<Bound>,
    /// Whether INSERTs travel one by one, because the server warns of them: it tells of the last one only.
    one_by_one: bool,
    pub(super) shared: &'a Shared,
}

impl<'a> Lane<'a> {
    /// Connects, sets the whole session and checks that the server took it.
    pub(super) fn open(number: usize, shared: &'a Shared) -> Result<Self> {
        let mut connection = Connection::connect(&shared.config)?;
        shared.control.set_lane(number, connection.connection_id(), connection.aborter());
        for statement in shared.session.setup() {
            connection.exec(&statement, ()).map_err(|e| hint_at_zone(e, &shared.session.time_zone))?;
        }
        let row = super::sql::first_row(&mut connection, shared.session.check_query())?;
        shared.session.check(&row)?;
        let one_by_one = !shared.table.transactional;
        Ok(Self { number, connection, bound: None, one_by_one, shared })
    }

    /// Stores one chunk.
    pub(super) fn deliver(&mut self, chunk: &mut Prepared) -> ChunkEnd {
        if !self.wants(chunk) {
            return ChunkEnd::NotStored(None);
        }
        let choice = lock(&self.shared.choice).clone();
        if chunk.payload.method() != choice.method
            && let Err(stop) = encode(chunk, choice.method, self.shared)
        {
            return ChunkEnd::NotStored(Some(stop));
        }
        let end = match self.send(chunk, &choice) {
            Ok(Sent::All { noted }) => self.commit(chunk, chunk.n_rows(), Vec::new(), &noted),
            Ok(Sent::InDoubt { warnings }) => self.replay(chunk, &warnings),
            Ok(Sent::Refused(error)) => {
                self.fall_back(&choice, &error);
                return self.deliver(chunk);
            }
            Err(error) => self.failed(error),
        };
        self.waits(None);
        end
    }

    /// Takes the connection down politely.
    pub(super) fn close(self) {
        self.connection.close();
    }

    fn send(&mut self, chunk: &Prepared, choice: &Choice) -> Result<Sent> {
        if chunk.n_rows() == 0 {
            // An empty content packet would end a LOAD, and VALUES without rows is no SQL.
            return Ok(Sent::All { noted: Vec::new() });
        }
        match &chunk.payload {
            Payload::LoadData(text) => {
                self.waits(Some("LOAD DATA"));
                let answer = self.connection.load_local(|name| chunk.plan.load_statement(name), text);
                match answer {
                    Ok(outcome) => {
                        let counts = super::sql::load_counts(&outcome)?;
                        match judge::judge_load(chunk.n_rows(), counts) {
                            Verdict::Clean => Ok(Sent::All { noted: Vec::new() }),
                            Verdict::Doubt => Ok(Sent::InDoubt { warnings: Vec::new() }),
                            Verdict::Warned => {
                                let warnings = self.warnings()?;
                                let known = lock(&self.shared.harmless).covers(&warnings, counts.warnings);
                                Ok(if known { Sent::All { noted: Vec::new() } } else { Sent::InDoubt { warnings } })
                            }
                        }
                    }
                    Err(e) if choice.may_fall_back && method::refuses_local_infile(e.code()) => Ok(Sent::Refused(e)),
                    Err(e) if method::refuses_local_infile(e.code()) => Err(e.with_hint(
                        "`--method auto` takes the next best way; `SET GLOBAL local_infile = 1` allows this one",
                    )),
                    Err(e) if judge::is_row_fault(&e) => Ok(Sent::InDoubt { warnings: Vec::new() }),
                    Err(e) => Err(e),
                }
            }
            Payload::MultiRow { statements, .. } => {
                if statements.iter().any(|statement| statement.form == StatementForm::Bound)
                    && let Err(e) = self.prepare_bound(chunk)
                {
                    return if choice.may_fall_back && !e.is_fatal() { Ok(Sent::Refused(e)) } else { Err(e) };
                }
                self.waits(Some("INSERT"));
                let inserted = match self.one_by_one {
                    true => self.insert_one_by_one(statements),
                    false => self.insert_in_flight(statements),
                };
                match inserted {
                    Err(e) if judge::is_row_fault(&e) => Ok(Sent::InDoubt { warnings: Vec::new() }),
                    sent => sent,
                }
            }
        }
    }

    /// What the server warns of it tells of its last statement only: a chunk that it warned of is undone, and from then on
    /// statements travel one by one.
    fn insert_in_flight(&mut self, statements: &[Statement]) -> Result<Sent> {
        let window = self.connection.window(Some(statements.len()))?;
        let window = if window.n_commands > WINDOW.n_commands { WINDOW } else { window };
        let (shared, number) = (self.shared, self.number);
        let mut inserts =
            Inserts::new(statements, self.bound.as_mut(), || shared.control.waits(number, Some("INSERT")));
        self.connection.run(Pipeline::new(&mut inserts).with_window(window))??;
        if !inserts.has_warned {
            return Ok(Sent::All { noted: Vec::new() });
        }
        self.one_by_one = true;
        if let Undone::NotAll = self.roll_back()? {
            return Err(some_rows_stay("the server warned of rows").outcome_unknown());
        }
        self.insert_one_by_one(statements)
    }

    fn insert_one_by_one(&mut self, statements: &[Statement]) -> Result<Sent> {
        let mut noted = Vec::new();
        for statement in statements {
            self.waits(Some("INSERT"));
            let mut inserts = Inserts::new(std::slice::from_ref(statement), self.bound.as_mut(), || ());
            self.connection.run(Pipeline::new(&mut inserts))??;
            if inserts.has_warned {
                noted.extend(self.warnings()?);
            }
        }
        Ok(Sent::All { noted })
    }

    /// Has the server parse the plan's INSERT with placeholders, once for as long as the plan stays the same.
    fn prepare_bound(&mut self, chunk: &Prepared) -> Result<()> {
        if self.bound.as_ref().is_some_and(|bound| bound.plan.index == chunk.plan.index) {
            return Ok(());
        }
        if let Some(bound) = self.bound.take() {
            self.connection.run(simple::close(bound.statement.id))?;
        }
        if let Some(insert) = &chunk.plan.bound {
            self.waits(Some("PREPARE"));
            let statement = self.connection.run(Prepare::new(insert.sql()))?;
            self.bound = Some(Bound { plan: chunk.plan.clone(), statement, typed: false });
        }
        Ok(())
    }

    /// Replays a chunk strictly. Its verdict counts, whatever the first attempt's warnings said.
    fn replay(&mut self, chunk: &Prepared, warnings: &[Warning]) -> ChunkEnd {
        if !self.shared.table.transactional {
            let error = Error::data("the server found fault with rows of this chunk, and its table cannot roll back")
                .at(chunk.work.batch.origin.place(0));
            return ChunkEnd::Unknown(error);
        }
        self.shared.count_replay();
        match self.roll_back() {
            Ok(Undone::All) => {}
            Ok(Undone::NotAll) => return ChunkEnd::Unknown(some_rows_stay("the server found fault with rows")),
            Err(error) => return ChunkEnd::NotStored(Some(Stop::Failed(error))),
        }
        self.waits(Some("INSERT"));
        match replay(&mut self.connection, chunk, self.shared) {
            Ok(ReplayEnd::Done { rows, rejects, noted }) => {
                // Every row went in as strict SQL: what the LOAD warned of does no harm.
                let proved: &[Warning] = if rejects.is_empty() { warnings } else { &[] };
                self.note(proved);
                self.commit(chunk, rows, rejects, &noted)
            }
            Ok(ReplayEnd::BadRow(reject)) => self.failed_as(Stop::BadData(stopping(&reject, 1))),
            Err(error) => self.failed(error),
        }
    }

    fn commit(&mut self, chunk: &Prepared, rows: u64, rejects: Vec<Reject>, noted: &[Warning]) -> ChunkEnd {
        if self.shared.table.transactional && rows > 0 {
            // A chunk after a bad one stays out, so that what is stored ends where the message says.
            if !self.wants_commit(chunk) {
                return self.failed_as_nothing();
            }
            if let Some(stop) = self.too_many_bad(chunk, &rejects) {
                return self.failed_as(stop);
            }
            if !self.connection.session().in_transaction() {
                let error = Error::protocol(
                    "the transaction ended before its COMMIT: the table or a trigger commits by itself",
                );
                return ChunkEnd::Unknown(error);
            }
        }
        self.waits(Some("COMMIT"));
        self.note(noted);
        match self.connection.exec("COMMIT", ()) {
            Ok(_) => ChunkEnd::Stored { rows, rejects },
            // An answer, so the server decided: a COMMIT that failed rolled back.
            Err(error) if !error.is_fatal() && self.shared.table.transactional => self.failed_as(Stop::Failed(error)),
            Err(error) => ChunkEnd::Unknown(error.outcome_unknown()),
        }
    }

    /// Judged before the COMMIT, so that a small file with too many bad rows leaves nothing behind.
    fn too_many_bad(&self, chunk: &Prepared, late: &[Reject]) -> Option<Stop> {
        let found = (chunk.rejects.len() + late.len()) as u64;
        let done = self.shared.control.snapshot();
        let exceeded = |most: MaxBad| found > 0 && most.is_exceeded(done.rejected + found, done.read, false);
        let first = chunk.rejects.iter().chain(late).min_by_key(|reject| reject.place.line)?;
        self.shared
            .options
            .max_bad
            .filter(|most| exceeded(*most))
            .map(|_| too_many(done.rejected + found, done.read, Some(first)))
    }

    fn failed(&mut self, error: Error) -> ChunkEnd {
        if !self.shared.table.transactional {
            return ChunkEnd::Unknown(error);
        }
        self.failed_as(Stop::Failed(error))
    }

    /// Rolls back. A connection that is gone rolls back on the server by itself.
    fn failed_as(&mut self, stop: Stop) -> ChunkEnd {
        match self.roll_back() {
            Ok(Undone::NotAll) => ChunkEnd::Unknown(match stop {
                Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => some_rows_stay(error.message()),
                Stop::Interrupted => some_rows_stay("interrupted"),
            }),
            Ok(Undone::All) | Err(_) => ChunkEnd::NotStored(Some(stop)),
        }
    }

    fn failed_as_nothing(&mut self) -> ChunkEnd {
        match self.roll_back() {
            Ok(Undone::All) => ChunkEnd::NotStored(None),
            Ok(Undone::NotAll) => ChunkEnd::Unknown(some_rows_stay("an earlier chunk failed")),
            Err(error) => ChunkEnd::NotStored(Some(Stop::Failed(error))),
        }
    }

    /// ROLLBACK. The server warns (1196) if a table without transactions was written to, by a trigger for example.
    fn roll_back(&mut self) -> Result<Undone> {
        self.waits(Some("ROLLBACK"));
        let outcome = self.connection.exec("ROLLBACK", ())?;
        let not_all = outcome.warnings > 0 && self.warnings()?.iter().any(|w| w.code == judge::NOT_ROLLED_BACK);
        Ok(if not_all { Undone::NotAll } else { Undone::All })
    }

    fn fall_back(&mut self, refused: &Choice, error: &Error) {
        let _ = self.roll_back();
        let mut choice = lock(&self.shared.choice);
        // Another lane may have been refused too, and earlier.
        if choice.method == refused.method {
            *choice = method::fall_back(refused.method, error, self.shared.insert);
            drop(choice);
            self.shared.notify_choice();
        }
    }

    fn warnings(&mut self) -> Result<Vec<Warning>> {
        super::sql::warnings(&mut self.connection)
    }

    fn note(&self, warnings: &[Warning]) {
        let new = lock(&self.shared.harmless).learn(warnings);
        lock(&self.shared.noted).extend(new);
    }

    fn waits(&self, what: Option<&'static str>) {
        self.shared.control.waits(self.number, what);
    }

    fn wants(&self, chunk: &Prepared) -> bool {
        let control: &Control = &self.shared.control;
        control.wants(chunk.work.number) && !control.is_stopping()
    }

    /// A stop on request still commits what is on its way; a bad row before this chunk does not.
    fn wants_commit(&self, chunk: &Prepared) -> bool {
        self.shared.control.wants(chunk.work.number)
    }
}

/// What a ROLLBACK undid.
enum Undone {
    All,
    NotAll,
}

fn some_rows_stay(why: &str) -> Error {
    Error::new(Kind::Server, format!("{why}; the chunk was rolled back, but the server says that not every table was"))
        .with_hint("a trigger writes to a table without transactions (MyISAM, Aria, MEMORY): what it wrote stays")
}

/// How the sending of a chunk went.
enum Sent {
    /// Every row is in the open transaction; the server noted this, under strict SQL.
    All { noted: Vec<Warning> },
    /// The answer leaves a doubt about some row.
    InDoubt { warnings: Vec<Warning> },
    /// The server refused the method.
    Refused(Error),
}

fn hint_at_zone(error: Error, zone: &str) -> Error {
    /// ER_UNKNOWN_TIME_ZONE
    const UNKNOWN_ZONE: u16 = 1298;
    if error.code() != UNKNOWN_ZONE {
        return error;
    }
    error.while_doing(&format!("cannot set the time zone `{zone}`")).with_hint(
        "give an offset such as `--time-zone +02:00`, or load the zone tables into the server (`mysql_tzinfo_to_sql`)",
    )
}
