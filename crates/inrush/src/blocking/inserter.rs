//! Rows of many threads that are sent together: how threads bring them and wait, and the threads that write them.
//!
//! Made of `tokio/inserter.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::shell::{self, Alone, sleep, wait};
use super::{Connection, Pool, PooledConnection};
use crate::inserter::answers::Ticket;
use crate::inserter::attempts::{Attempts, NextStep};
use crate::inserter::shape::{Known, RowShape};
use crate::inserter::shared::{Batch, Entry, Lane, Shared, Stored};
use crate::inserter::workers::{NextJob, Worker, Workers};
use crate::inserter::{Inserted, InserterOptions, InserterStatus, MAX_SPARE_BYTES, batch_options, one_row, unanswered};
use crate::once::{self, Finding, Line, LineLedger, LinePlace};
use crate::{Error, Kind, Params, Result};
use inrush_core::convert::BoundRows;
use inrush_core::profile::Cluster;
use inrush_core::retry::fate::{Over, Stage};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Stores single rows of many threads together: while one batch is on its way, the rows that come form the next, so that a
/// thousand threads share a few commits, and one alone waits no longer than for its own INSERT. Cheap to clone; all clones are the
/// same inserter.
///
/// A row is stored for good once [`insert`](Inserter::insert) returns, and is part of no caller's transaction. A bad row fails alone.
/// The rows are written by threads of the inserter. Once the last clone is dropped, what is queued is
/// still written; [`close`](Inserter::close) waits for it.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// let pool = inrush::blocking::Pool::new(&shop.url())?;
/// let inserter = pool.inserter("people")?;
/// let inserted = inserter.insert(inrush::params! { "name" => "Ann", "age" => 40 })?;
/// println!("stored under {:?}", inserted.id);
/// inserter.close()?;
/// # assert!(inserted.id.is_some());
/// # Ok::<(), inrush::Error>(())
/// ```
#[derive(Clone)]
pub struct Inserter(Arc<Owner>);

/// What all clones have in common; the lanes end with it.
struct Owner {
    shared: Arc<Shared>,
    pool: Pool,
    /// The workers that write for this inserter only.
    workers: Option<Arc<Workers>>,
    /// Locked by the caller that reads the table.
    reading: Alone,
}

impl Pool {
    /// An inserter for a table, `name` or `schema.name`. Does not wait: the table is read when the first row comes.
    ///
    /// # Errors
    /// `Config` for what is not a name; `Io` if there are no threads.
    pub fn inserter(&self, table: &str) -> Result<Inserter> {
        self.inserter_with(table, &InserterOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// The same, and `Config` for options that make no sense.
    pub fn inserter_with(&self, table: &str, options: &InserterOptions) -> Result<Inserter> {
        let shared = Shared::new(table, options.clone(), rand::random(), MAX_SPARE_BYTES)?;
        let workers = self.workers(options.lanes)?;
        workers.add(&shared)?;
        workers.close();
        Ok(Inserter::new(shared, self, Some(workers)))
    }

    /// Workers for inserters, in threads of their own.
    pub(super) fn workers(&self, n: usize) -> Result<Arc<Workers>> {
        let (workers, each) = Workers::new(n);
        for worker in each {
            let writer = Writer { pool: self.clone(), connection: None, worker };
            if let Err(error) = shell::spawn(move || writer.run()) {
                workers.close();
                return Err(error);
            }
        }
        Ok(workers)
    }
}

impl Inserter {
    pub(super) fn new(shared: Arc<Shared>, pool: &Pool, workers: Option<Arc<Workers>>) -> Self {
        Self(Arc::new(Owner { shared, pool: pool.clone(), workers, reading: Alone::default() }))
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.0.shared
    }

    /// Stores a row, together with those of others, and returns once it is stored for good.
    ///
    /// The values are in the order of the columns, or have their names. Values that their columns cannot hold are refused before
    /// they are queued. While the queue is full it waits.
    ///
    /// # Errors
    /// Those of the row; it is not stored then, unless [`is_outcome_unknown`](Error::is_outcome_unknown) says that the outcome is unknown.
    pub fn insert(&self, row: impl Params) -> Result<Inserted> {
        shell::answer(self.bring(&row)?)
    }

    /// Stores many rows, each by itself, and returns what became of each: if one is bad, the others are stored.
    #[must_use]
    pub fn insert_many<P: Params>(&self, rows: impl IntoIterator<Item = P>) -> Vec<Result<Inserted>> {
        let mut tickets = Vec::new();
        for row in rows {
            let ticket = match tickets.last() {
                // If the table cannot be read, one error is enough.
                Some(Err(error)) if self.0.shared.shape().is_none() => Err(Error::clone(error)),
                _ => self.bring(&row),
            };
            tickets.push(ticket);
        }
        let mut ends = Vec::with_capacity(tickets.len());
        for ticket in tickets {
            ends.push(match ticket {
                Ok(ticket) => shell::answer(ticket),
                Err(error) => Err(error),
            });
        }
        ends
    }

    /// Waits until every row that was brought before has its answer.
    ///
    /// # Errors
    /// Rows that were not stored and whose callers had gone without this error. Each is reported once.
    pub fn flush(&self) -> Result<()> {
        wait(&self.0.shared.flush());
        self.0.shared.hear()
    }

    /// Takes no more rows, writes the queued rows, and waits for that. This applies to all clones.
    ///
    /// # Errors
    /// Those of [`flush`](Inserter::flush).
    pub fn close(&self) -> Result<()> {
        wait(&self.0.shared.close_and_tell());
        if let Some(end) = self.0.workers.as_ref().and_then(|workers| workers.wait_for_end()) {
            wait(&end);
        }
        self.0.shared.hear()
    }

    /// Whether it takes no more rows.
    pub fn is_closed(&self) -> bool {
        self.0.shared.is_closed()
    }

    /// The rows that wait, and what became of the rows so far.
    pub fn status(&self) -> InserterStatus {
        self.0.shared.status()
    }

    /// Puts a row into the queue, once there is room.
    fn bring<P: Params>(&self, row: &P) -> Result<Ticket> {
        let shared = &self.0.shared;
        let mut shape = match shared.shape() {
            Some(shape) => shape,
            None => self.read_table(&row.own_names())?,
        };
        let mut values = Vec::with_capacity(shape.columns.len());
        let replaced = match shape.values(row, &mut values) {
            Ok(replaced) => replaced,
            Err(error) if error.kind() == Kind::Data && shape.is_old(Instant::now()) => {
                // Perhaps another session altered the table.
                shape = self.read_anew(&shape)?;
                values.clear();
                shape.values(row, &mut values)?
            }
            Err(error) => return Err(error),
        };
        if let Some(replaced) = &replaced {
            values.clear();
            replaced.row(0, &mut values)?;
        }
        match shared.bring(&shape, &values)? {
            Entry::In(ticket) => Ok(ticket),
            Entry::Blocked(blocked) => {
                let call = wait(&blocked.waiter);
                blocked.called(call, &shape, &values)
            }
        }
    }

    fn read_table(&self, names: &[&str]) -> Result<Arc<RowShape>> {
        let mut attempts = self.attempts();
        let until = attempts.wait_until(self.0.pool.acquire_timeout());
        let Owner { shared, reading, .. } = &*self.0;
        let _reading = reading.lock();
        loop {
            if let Some(shape) = shared.shape() {
                return Ok(shape);
            }
            match self.read_table_once(names, until) {
                Ok(shape) => return Ok(shared.learn(shape)),
                Err(error) => self.pause(&mut attempts, error)?,
            }
        }
    }

    fn read_table_once(&self, names: &[&str], until: Option<Instant>) -> Result<RowShape> {
        let Owner { shared, pool, .. } = &*self.0;
        let mut connection = pool.get_by(until)?;
        let options = &shared.options;
        if options.exactly_once {
            let cluster = Cluster::read(&connection.texts(Cluster::QUERY)?);
            once::check_cluster(cluster, connection.session().profile())?;
        }
        let table = connection.target(&shared.table)?;
        let known = Known { table: table.as_deref(), rules: &connection.rules()?, at: Instant::now() };
        let asked = options.columns.as_deref();
        RowShape::new(&shared.table, &known, asked, names, options.terms())
    }

    fn read_anew(&self, old: &Arc<RowShape>) -> Result<Arc<RowShape>> {
        let mut attempts = self.attempts();
        let until = attempts.wait_until(self.0.pool.acquire_timeout());
        let Owner { shared, reading, .. } = &*self.0;
        let _reading = reading.lock();
        loop {
            if let Some(shape) = shared.shape().filter(|shape| !Arc::ptr_eq(shape, old)) {
                return Ok(shape);
            }
            match self.read_anew_once(old, until) {
                Ok(shape) => return Ok(shared.learn(shape)),
                Err(error) => self.pause(&mut attempts, error)?,
            }
        }
    }

    fn read_anew_once(&self, old: &RowShape, until: Option<Instant>) -> Result<RowShape> {
        let Owner { shared, pool, .. } = &*self.0;
        let mut connection = pool.get_by(until)?;
        connection.forget_target(&shared.table)?;
        let table = connection.target(&shared.table)?;
        let known = Known { table: table.as_deref(), rules: &connection.rules()?, at: Instant::now() };
        old.renewed(&shared.table, &known, shared.options.terms())
    }

    /// The retries of one caller. Their time begins now, before the caller waits for others that read the table.
    fn attempts(&self) -> Attempts {
        Attempts::new(Instant::now(), self.0.shared.options.retries_for, false)
    }

    /// Waits before the table is read again, like a batch that found no server. Returns the error if there is no other attempt.
    fn pause(&self, attempts: &mut Attempts, error: Error) -> Result<()> {
        match attempts.failed(Stage::Before, error, Instant::now(), rand::random()) {
            NextStep::Tell(error) => Err(error),
            NextStep::Again(pause, _) => {
                self.0.shared.meters.retried();
                sleep(pause);
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Inserter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inserter").field("table", &self.0.shared.table).field("status", &self.status()).finish()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// The state of one worker.
struct Writer {
    pool: Pool,
    /// Kept while there is work.
    connection: Option<PooledConnection>,
    /// Dropped last, which signals that the connection is back.
    worker: Worker,
}

/// How an attempt failed, and how far it had come.
type Failure = (Stage, Error);

/// A batch whose COMMIT was not answered.
struct Doubt {
    /// Where the line was.
    before: u64,
    stored: Stored,
}

impl Writer {
    fn run(mut self) {
        loop {
            match self.worker.next() {
                NextJob::Write(mut held, taken) => {
                    // Several callers are answered at once, and may bring rows again at once.
                    let is_crowd = taken.batch().rows.n_rows() > 1;
                    let lane = held.lane_mut();
                    let end = self.write(lane, taken.batch());
                    taken.tell(end);
                    if is_crowd {
                        shell::let_others_run(&lane.shared);
                    }
                    held.put_back();
                }
                NextJob::Conclude(mut held) => self.conclude(held.lane_mut()),
                NextJob::Rest(waiter) => {
                    self.connection = None;
                    wait(&waiter);
                }
                NextJob::End => break,
            }
        }
    }

    /// Ends the ledger of a lane.
    fn conclude(&mut self, lane: &mut Lane) {
        let Some(ledger) = lane.ledger.take() else { return };
        // A line that stays does no harm.
        if let Ok(connection) = self.connection(None) {
            let _ = connection.execute(&ledger.line.end(), ());
        }
    }

    /// Writes a batch, and retries it as long as that may help.
    fn write(&mut self, lane: &mut Lane, batch: &Batch) -> Result<Stored> {
        let options = &lane.shared.options;
        let mut attempts = Attempts::new(Instant::now(), options.retries_for, options.exactly_once);
        let until = attempts.wait_until(self.pool.acquire_timeout());
        let mut doubt = None;
        loop {
            let (stage, error) = match self.attempt(lane, batch, &mut doubt, until) {
                Ok(stored) => return Ok(stored),
                Err(failure) => failure,
            };
            let step = attempts.failed(stage, error, Instant::now(), rand::random());
            if let NextStep::Again(_, Over::ANewConnection) = step {
                self.part();
            }
            match step {
                NextStep::Tell(error) => return Err(error),
                NextStep::Again(pause, _) => {
                    lane.shared.meters.retried();
                    sleep(pause);
                }
            }
        }
    }

    fn attempt(
        &mut self,
        lane: &mut Lane,
        batch: &Batch,
        doubt: &mut Option<Doubt>,
        until: Option<Instant>,
    ) -> Result<Stored, Failure> {
        let before = if doubt.is_some() { Stage::Settle } else { Stage::Before };
        self.connection(until).map_err(|e| (before, e))?;
        let Lane { shared, number, ledger } = lane;
        let Some(connection) = self.connection.as_deref_mut() else { unreachable!("it was just opened") };
        let wants_ids = shared.options.ids;
        if !shared.options.exactly_once {
            return insert(connection, batch, wants_ids).map_err(|e| (Stage::Write, e));
        }
        let ledger =
            ledger.get_or_insert_with(|| LineLedger::new(Line::new(&batch.shape.schema, shared.number, *number)));
        if let Some(Doubt { before, stored }) = doubt.take() {
            let found = match connection.query_opt::<(u64,)>(&ledger.line.settle(), ()) {
                Ok(found) => found.map(|(at,)| at),
                Err(error) => {
                    *doubt = Some(Doubt { before, stored });
                    return Err((Stage::Settle, error));
                }
            };
            match ledger.settled(before, found) {
                Finding::Committed => return Ok(stored),
                Finding::NotCommitted => {}
                Finding::Unexpected => return Err((Stage::Settle, once::unexpected())),
            }
        }
        let at = find_line(connection, ledger).map_err(|e| (Stage::Before, once::unusable(e)))?;
        let mut tx = connection.begin().map_err(|e| (Stage::Before, e))?;
        let stored = insert(&mut tx, batch, wants_ids).map_err(|e| (Stage::Open, e))?;
        if !advance(&mut tx, &ledger.line, at).map_err(|e| (Stage::Open, once::unusable(e)))? {
            ledger.place = LinePlace::Unsure;
            return Err((Stage::Open, once::unexpected()));
        }
        // Unless the COMMIT is answered, only a locking read shows where the line is.
        ledger.place = LinePlace::Unsure;
        match tx.commit() {
            Ok(()) => {
                ledger.place = LinePlace::At(at + 1);
                Ok(stored)
            }
            Err(error) => {
                *doubt = Some(Doubt { before: at, stored }).filter(|_| error.is_outcome_unknown() || error.is_fatal());
                Err((Stage::Commit, error))
            }
        }
    }

    /// A connection that is open, as far as is known without a query; waits for a pool until this time.
    fn connection(&mut self, until: Option<Instant>) -> Result<&mut Connection> {
        match &self.connection {
            // The closed pool waits for its connections to come back.
            Some(_) if self.pool.is_closed() => self.connection = None,
            Some(connection) if !connection.is_quiet() => self.part(),
            _ => {}
        }
        if self.connection.is_none() {
            self.connection = Some(self.pool.get_by(until)?);
        }
        self.connection.as_deref_mut().ok_or_else(|| unreachable!("it was just opened"))
    }

    /// Drops the connection for good.
    fn part(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(connection.detach());
        }
    }
}

fn insert(connection: &mut Connection, batch: &Batch, wants_ids: bool) -> Result<Stored> {
    let Batch { rows, shape, .. } = batch;
    if let Some(values) = one_row(rows)? {
        let outcome = connection.execute(&shape.statement, &values[..]).map_err(unanswered)?;
        return Ok(Stored::of_one(outcome.last_insert_id, shape.has_ids));
    }
    let profile = connection.session().profile();
    let options = batch_options(rows.n_rows(), profile, wants_ids && shape.has_ids);
    let report = connection.execute_batch_with(&shape.statement, rows, &options)?;
    Ok(Stored::of(report, shape.has_ids))
}

/// Moves the line on. Returns `false` if it is not where this lane left it.
///
/// MariaDB 11.8 answers an UPDATE that KILL QUERY met with an OK and no row (docs/notes/client-traps.md), so the line is read to
/// verify that answer.
pub(super) fn advance(connection: &mut Connection, line: &Line, at: u64) -> Result<bool> {
    loop {
        if connection.execute(&line.advance(at), ())?.affected == 1 {
            return Ok(true);
        }
        let found = connection.query_opt::<(u64,)>(&line.settle(), ())?;
        if found != Some((at,)) {
            return Ok(false);
        }
    }
}

/// Reads where the line is; begins it if it does not exist.
pub(super) fn find_line(connection: &mut Connection, ledger: &mut LineLedger) -> Result<u64> {
    let LineLedger { line, place } = ledger;
    if *place == LinePlace::Unsure {
        let found = connection.query_opt::<(u64,)>(&line.settle(), ())?;
        *place = found.map_or(LinePlace::Unbegun, |(at,)| LinePlace::At(at));
    }
    if let LinePlace::At(at) = *place {
        return Ok(at);
    }
    let begun = match connection.execute(&line.begin(), ()) {
        Err(error) if error.code() == once::NO_SUCH_TABLE => {
            connection.execute(&line.create(), ())?;
            connection.execute(&line.begin(), ())
        }
        begun => begun,
    };
    match begun {
        Ok(_) => {}
        Err(error) if error.code() == once::DUPLICATE => {}
        Err(error) => return Err(error),
    }
    *place = LinePlace::At(0);
    Ok(0)
}
