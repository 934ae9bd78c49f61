//! Batches on a connection for threads.
//!
//! Made of `tokio/batch.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::Connection;
use crate::batch::{self, Job, Known, UndoOutcome, Work};
use crate::deadlines::QueryTime;
use crate::pipeline::probe;
use crate::sql::Sql;
use crate::trace::Trace;
use crate::{Error, Result};
use inrush_core::batch::{Attempt, BatchOptions, BatchReport, Checked, Counters, Load, Picked, Scope, Try};
use inrush_core::convert::{BoundRows, Rows};
use inrush_core::session::Pipeline;

impl Connection {
    /// Runs a statement for many sets of values, all of them or none, by the best method.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// let people = [("Ann", 40), ("Bob", 41)];
    /// let report = connection.execute_batch("INSERT INTO people (name, age) VALUES (?, ?)", &people)?;
    /// println!("{} rows by {}", report.n_rows, report.method);
    /// # assert_eq!(report.n_rows, 2);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`execute_batch_with`](Connection::execute_batch_with).
    pub fn execute_batch(&mut self, sql: &(impl Sql + ?Sized), rows: &(impl Rows + ?Sized)) -> Result<BatchReport> {
        self.execute_batch_with(sql, rows, &BatchOptions::new())
    }

    /// Runs a statement for many sets of values.
    ///
    /// `rows` are rows (slices of tuples, of `params!`, of structs with `#[derive(ToRow)]`) or columns (a `RecordBatch`, `columns!`).
    /// Every value is checked against its column before anything is sent. Outside of a transaction the batch is one of its own;
    /// inside of one, a batch that fails is undone up to its start and the transaction continues. The error names the
    /// [row](Error::row).
    ///
    /// # Errors
    /// `Data` for a value that its column cannot hold; `Server` for a row that the server refuses. Both name the [row](crate::Error::row),
    /// and nothing of the batch is stored. `Config` for a statement or a method that cannot be used. `Io` if the connection is lost or a
    /// time-out passes: [`is_outcome_unknown`](crate::Error::is_outcome_unknown) returns whether the batch may be stored.
    pub fn execute_batch_with(
        &mut self,
        sql: &(impl Sql + ?Sized),
        rows: &(impl Rows + ?Sized),
        options: &BatchOptions,
    ) -> Result<BatchReport> {
        let job = Job::new(sql)?;
        let rows = rows.bind(job.statement.names(), job.n_params())?;
        let sql = job.statement.sql().as_bytes();
        let trace = Trace::batch(&self.config, self.session(), sql, rows.n_rows());
        trace.within(|| self.write_checked(&job, &*rows, options))
    }

    fn write_checked(&mut self, job: &Job<'_>, rows: &dyn BoundRows, options: &BatchOptions) -> Result<BatchReport> {
        self.make_ready(QueryTime::new(&self.config))?;
        let mut known = self.learn_target(job, options)?;
        let mut checked = job.check(rows, options, &known);
        // The stored description of the table may be old, so it is read again before a value is refused.
        if let (true, Some(name)) = (checked.as_ref().map_or(true, Checked::has_bad), job.table()) {
            self.forget_target(&name)?;
            known = self.learn_target(job, options)?;
            checked = job.check(rows, options, &known);
        }
        let checked = checked?;
        let picked = checked.picked();
        let sent = picked.as_ref().map_or(checked.rows(), |picked| picked as &dyn BoundRows);
        let end = self.write_batch(job, sent, options, &known);
        let kept = picked.map(Picked::into_numbers);
        checked.result(end, kept)
    }

    fn learn_target(&mut self, job: &Job<'_>, options: &BatchOptions) -> Result<Known> {
        let table = match job.table() {
            Some(name) => self.target(&name)?,
            None => None,
        };
        let increment = match job.needs_increment(options, self.session()) {
            true => Some(self.id_increment()?),
            false => None,
        };
        let splits_loads = match job.may_split_loads(options, self.session()) {
            true => self.splits_loads()?,
            false => false,
        };
        let max_packet = self.settings()?.max_allowed_packet;
        Ok(Known { max_packet, rules: self.rules()?, table, increment, splits_loads })
    }

    fn write_batch(
        &mut self,
        job: &Job<'_>,
        rows: &dyn BoundRows,
        options: &BatchOptions,
        known: &Known,
    ) -> Result<BatchReport> {
        let mut batch = job.batch(rows, options, known, self.session())?;
        if let Some(report) = batch.nothing() {
            return Ok(report);
        }
        loop {
            let off = batch.wants_autocommit_off();
            let (end, in_doubt) = match batch.attempt()? {
                Try::Fly(attempt, scope) => (self.in_scope(scope, Work::Fly(attempt), off), false),
                Try::Load(mut load, scope) => {
                    let end = self.in_scope(scope, Work::Load(&mut load), off);
                    (end, load.is_in_doubt())
                }
            };
            if let Some(end) = batch.ended(end, in_doubt) {
                return end;
            }
        }
    }

    /// Runs the work, and undoes it if it fails.
    fn in_scope(&mut self, scope: Scope, work: Work<'_, '_>, off: bool) -> Result<Counters> {
        match scope {
            Scope::Autocommit => {
                let autocommit = self.session().autocommit() && !self.session().in_transaction();
                self.work(scope, work, false).map_err(|e| batch::autocommit_error(e, autocommit))
            }
            Scope::Transaction => {
                let mut tx = self.begin()?;
                match tx.work(scope, work, off) {
                    Ok(counters) => tx.commit().map(|()| counters),
                    Err(error) => {
                        // If it fails the connection is dead, as its next use shows.
                        let _ = tx.rollback();
                        Err(error)
                    }
                }
            }
            Scope::Savepoint => {
                let off = off && self.session().is_guarded();
                match self.work(scope, work, off) {
                    Ok(counters) => Ok(counters),
                    Err(error) => Err(self.undo_batch(error)),
                }
            }
        }
    }

    fn work(&mut self, scope: Scope, work: Work<'_, '_>, off: bool) -> Result<Counters> {
        match work {
            Work::Fly(attempt) => self.fly(attempt.behind(batch::preludes(scope, off)), off),
            Work::Load(load) => self.load(scope, load),
        }
    }

    fn fly(&mut self, mut attempt: Attempt<'_>, off: bool) -> Result<Counters> {
        attempt = attempt.one_at_a_time(!off && self.session().autocommit());
        let window = match attempt.is_one_at_a_time() {
            true => probe::known_window(&self.config),
            false => self.window(None)?,
        };
        if off {
            self.session_mut().borrow_autocommit();
        }
        let window = attempt.window(window);
        let conversation = Pipeline::new(&mut attempt).with_window(window);
        let end = self.run_within(QueryTime::of_steps(&self.config), conversation)?;
        match end {
            Ok(()) => Ok(attempt.into_counters()),
            // The answers make no sense: only the end of the connection undoes what is stored.
            Err(error) if error.is_fatal() => Err(self.fail(error)),
            Err(error) => Err(error),
        }
    }

    fn load(&mut self, scope: Scope, load: &mut Load<'_>) -> Result<Counters> {
        if scope == Scope::Savepoint {
            self.execute(batch::SAVEPOINT, ())?;
        }
        let mut content = Vec::new();
        while load.content(&mut content)? {
            let outcome = self.load_local(|name| load.sql(&content, name), &content)?;
            load.answered(&outcome)?;
        }
        Ok(load.take_counters())
    }

    /// Undoes everything since the batch began. Returns the error that the batch failed by, or the one that ended the connection.
    fn undo_batch(&mut self, error: Error) -> Error {
        if error.is_fatal() {
            return error;
        }
        let end = self.execute(batch::UNDO, ());
        match UndoOutcome::of(end, self.session()) {
            UndoOutcome::Undone => error,
            UndoOutcome::TransactionOver => {
                self.session_mut().transaction_lost(error.code());
                // If no guard holds the transaction: with autocommit off, commands in flight after a deadlock have opened another transaction.
                if !self.session().is_guarded()
                    && let Err(failed) = self.execute("ROLLBACK", ())
                {
                    return self.fail(batch::not_undone(&error, &failed));
                }
                error
            }
            UndoOutcome::Failed(failed) => self.fail(batch::not_undone(&error, &failed)),
        }
    }
}
