//! An inserter's queue in its mutex, and the values that hold a place in it: [`BlockedProducer`], [`Lane`], [`Taken`]. Each gives
//! back what it holds when it is dropped, so that whatever ends (a task, a thread, a runtime), every row has its answer.

use crate::inserter::answers::{Answers, Ticket, UnreportedErrors};
use crate::inserter::meters::Meters;
use crate::inserter::queue::{Admission, Queue, WakeOrder, Work};
use crate::inserter::shape::RowShape;
use crate::inserter::{Inserted, InserterOptions, InserterStatus};
use crate::once::LineLedger;
use crate::table::TableName;
use crate::waiter::Waiter;
use crate::{Error, Kind, Result};
use inrush_core::batch::BatchReport;
use inrush_core::convert::RowBuffer;
use inrush_core::value::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What all handles and lanes of one inserter share.
pub(crate) struct Shared {
    pub(crate) table: TableName,
    pub(crate) options: InserterOptions,
    /// The number by which its lines in the ledger are known.
    pub(crate) number: u128,
    pub(crate) meters: Meters,
    unreported: Arc<UnreportedErrors>,
    /// Memory of a batch that is kept for the next one.
    max_spare_bytes: usize,
    state: Mutex<State>,
}

struct State {
    queue: Queue<Batch, Arc<Waiter<WakeOrder>>>,
    /// `None` until the table was read.
    shape: Option<Arc<RowShape>>,
    totals: Totals,
    /// The memory of rows that were written, for reuse.
    spare: Vec<RowBuffer>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    stored: u64,
    failed: u64,
    unknown: u64,
    batches: u64,
}

/// Rows that are sent together.
pub(crate) struct Batch {
    pub(crate) shape: Arc<RowShape>,
    pub(crate) rows: RowBuffer,
    answers: Arc<Answers>,
    since: Instant,
}

/// What becomes of a row that was brought.
pub(crate) enum Entry<'s> {
    In(Ticket),
    Blocked(BlockedProducer<'s>),
}

/// A place before a full queue.
pub(crate) struct BlockedProducer<'s> {
    shared: &'s Shared,
    pub(crate) waiter: Arc<Waiter<WakeOrder>>,
    number: u64,
    bytes: usize,
    is_over: bool,
}

/// One of the lanes that write.
pub(crate) struct Lane {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: usize,
    /// The ledger of an inserter that stores exactly once, from the first batch on.
    pub(crate) ledger: Option<LineLedger>,
}

/// What a lane does next.
pub(crate) enum Next {
    Write(Taken),
    /// Sleep until called.
    Rest(Arc<Waiter<WakeOrder>>),
    End,
}

/// A batch that a lane writes. If it is dropped without answers, it reports to its callers that the outcome of their rows is unknown.
pub(crate) struct Taken {
    shared: Arc<Shared>,
    number: u64,
    /// `None` once the outcome was reported.
    batch: Option<Batch>,
    taken_at: Instant,
}

/// What became of the rows of a batch.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    /// The id of each row that has one, by its place; may be short.
    pub(crate) ids: Vec<Option<u64>>,
    /// Those that the server refused, and why.
    pub(crate) bad_rows: BTreeMap<usize, Error>,
}

impl Stored {
    /// The outcome of one row; `id` is what its statement reported.
    pub(crate) fn of_one(id: Option<u64>, has_ids: bool) -> Self {
        Self { ids: vec![id.filter(|_| has_ids)], bad_rows: BTreeMap::new() }
    }

    /// The outcome of a batch. `has_ids`: the server generated the ids; they are not the rows' own.
    pub(crate) fn of(report: BatchReport, has_ids: bool) -> Self {
        let bad = report.bad_rows.into_iter();
        let ids = report.ids.filter(|_| has_ids);
        Self {
            ids: ids.map(|ids| ids.iter().collect()).unwrap_or_default(),
            bad_rows: bad.map(|bad| (bad.row as usize, bad.error.without_row())).collect(),
        }
    }
}

impl Shared {
    pub(crate) fn new(
        table: &str,
        options: InserterOptions,
        number: u128,
        max_spare_bytes: usize,
    ) -> Result<Arc<Self>> {
        options.check()?;
        let state = State {
            queue: Queue::new(options.limits, options.lanes),
            shape: None,
            totals: Totals::default(),
            spare: Vec::new(),
        };
        let meters = Meters::new(table);
        Ok(Arc::new(Self {
            table: TableName::parse(table)?,
            options,
            number,
            meters,
            unreported: Arc::default(),
            max_spare_bytes,
            state: Mutex::new(state),
        }))
    }

    /// What is known of the rows' shape.
    pub(crate) fn shape(&self) -> Option<Arc<RowShape>> {
        self.state().shape.clone()
    }

    /// The table was read.
    pub(crate) fn learn(&self, shape: RowShape) -> Arc<RowShape> {
        let shape = Arc::new(shape);
        let mut state = self.state();
        if !shape.is_transactional {
            // The rows before a refused row would stay, and be stored a second time with the others.
            state.queue.limit_rows(1);
        }
        Arc::clone(state.shape.insert(shape))
    }

    /// A caller brings a row.
    pub(crate) fn bring(&self, shape: &Arc<RowShape>, values: &[Value<'_>]) -> Result<Entry<'_>> {
        let bytes = size_of_row(values);
        let mut state = self.state();
        match state.queue.admit(bytes) {
            Admission::Enter => self.place(state, shape, values, bytes).map(Entry::In),
            Admission::Wait => {
                let waiter = Arc::new(Waiter::new());
                let number = state.queue.wait(bytes, Arc::clone(&waiter));
                Ok(Entry::Blocked(BlockedProducer { shared: self, waiter, number, bytes, is_over: false }))
            }
            Admission::Closed => Err(closed()),
        }
    }

    fn place(
        &self,
        mut state: MutexGuard<'_, State>,
        shape: &Arc<RowShape>,
        values: &[Value<'_>],
        bytes: usize,
    ) -> Result<Ticket> {
        let State { queue, spare, .. } = &mut *state;
        let make = || Batch::new(shape, spare.pop(), &self.unreported);
        let Some((batch, row)) = queue.place(bytes, make) else {
            self.settle(state);
            return Err(abandoned());
        };
        let pushed = batch.rows.push(values);
        let ticket = batch.answers.ticket(row);
        self.settle(state);
        self.meters.queued(1);
        // It has the values of its shape, which is that of the whole batch.
        pushed.map(|()| ticket)
    }

    /// Waits until every row that is here now has its answer.
    pub(crate) fn flush(&self) -> Arc<Waiter<WakeOrder>> {
        let waiter = Arc::new(Waiter::new());
        let mut state = self.state();
        state.queue.flush(Arc::clone(&waiter));
        self.settle(state);
        waiter
    }

    /// Takes no more rows; what is queued is written.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.queue.close();
        self.settle(state);
    }

    /// Closes it, and waits until its lanes have written everything.
    pub(crate) fn close_and_tell(&self) -> Arc<Waiter<WakeOrder>> {
        self.close();
        let waiter = Arc::new(Waiter::new());
        let mut state = self.state();
        state.queue.wait_for_end(Arc::clone(&waiter));
        self.settle(state);
        waiter
    }

    /// Whether rows are still taken.
    pub(crate) fn is_closed(&self) -> bool {
        !self.state().queue.is_open()
    }

    /// Returns an error, once, if rows were not stored whose callers had gone.
    pub(crate) fn hear(&self) -> Result<()> {
        match self.unreported.take() {
            None => Ok(()),
            Some((n_failed, first)) => {
                let doing = format!("{n_failed} rows of callers that had gone were not acknowledged; the first");
                Err(first.while_doing(&doing))
            }
        }
    }

    pub(crate) fn status(&self) -> InserterStatus {
        let state = self.state();
        let Totals { stored, failed, unknown, batches } = state.totals;
        InserterStatus {
            queued: state.queue.queued().rows,
            queued_bytes: state.queue.queued().bytes,
            in_flight: state.queue.n_in_flight(),
            waiting: state.queue.n_blocked(),
            stored,
            failed,
            unknown,
            batches,
        }
    }

    /// How many rows wait for a lane.
    pub(crate) fn n_queued(&self) -> usize {
        self.state().queue.queued().rows
    }

    /// Calls those who wait, as far as there is something for them.
    fn settle<'a>(&'a self, mut state: MutexGuard<'a, State>) {
        while let Some((waiter, call)) = state.queue.serve() {
            // Waking is the expensive part: not under the lock.
            drop(state);
            let is_gone = waiter.serve(call).is_err();
            state = self.state();
            if is_gone {
                state.queue.undo(call);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that runs under the lock can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Batch {
    fn new(shape: &Arc<RowShape>, spare: Option<RowBuffer>, unreported: &Arc<UnreportedErrors>) -> Self {
        let rows = spare.unwrap_or_else(|| RowBuffer::new(shape.columns.len()));
        Self { shape: Arc::clone(shape), rows, answers: Arc::new(Answers::new(unreported)), since: Instant::now() }
    }
}

impl BlockedProducer<'_> {
    /// Brings the row in, once called.
    pub(crate) fn called(mut self, call: WakeOrder, shape: &Arc<RowShape>, values: &[Value<'_>]) -> Result<Ticket> {
        self.is_over = true;
        match call {
            WakeOrder::Enter(_) => self.shared.place(self.shared.state(), shape, values, self.bytes),
            WakeOrder::Look | WakeOrder::Over | WakeOrder::Closed => Err(closed()),
        }
    }
}

impl Drop for BlockedProducer<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut state = self.shared.state();
        state.queue.leave(self.number);
        if let Some(call) = self.waiter.leave() {
            state.queue.undo(call);
        }
        self.shared.settle(state);
    }
}

impl Lane {
    pub(crate) fn new(shared: &Arc<Shared>, number: usize) -> Self {
        Self { shared: Arc::clone(shared), number, ledger: None }
    }

    /// What to do next; also after a call.
    pub(crate) fn next(&mut self) -> Next {
        let mut state = self.shared.state();
        let next = match state.queue.work(self.number) {
            Work::Batch(number, batch) => {
                let taken_at = Instant::now();
                let waited = taken_at.saturating_duration_since(batch.since);
                self.shared.meters.taken(batch.rows.n_rows(), waited);
                Next::Write(Taken { shared: Arc::clone(&self.shared), number, batch: Some(batch), taken_at })
            }
            Work::Nothing => {
                let waiter = Arc::new(Waiter::new());
                state.queue.rest(self.number, Arc::clone(&waiter));
                Next::Rest(waiter)
            }
            Work::End => Next::End,
        };
        // There is room now for those who wait.
        self.shared.settle(state);
        next
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        let left = state.queue.lane_ended(self.number);
        self.shared.settle(state);
        for batch in left {
            let n_rows = batch.rows.n_rows();
            self.shared.meters.given_up(n_rows);
            self.shared.fail(&batch, &abandoned());
        }
    }
}

impl Taken {
    /// The rows.
    pub(crate) fn batch(&self) -> &Batch {
        self.batch.as_ref().unwrap_or_else(|| unreachable!("a batch is there until it is told"))
    }

    /// Reports to each caller what became of its row.
    pub(crate) fn tell(mut self, end: Result<Stored>) {
        self.finish(end);
    }

    fn finish(&mut self, end: Result<Stored>) {
        let Some(mut batch) = self.batch.take() else { return };
        let shared = &self.shared;
        shared.meters.written(self.taken_at.elapsed());
        match end {
            Ok(Stored { ids, mut bad_rows }) => {
                shared.count(batch.rows.n_rows() - bad_rows.len(), bad_rows.len(), 0);
                shared.tell(&batch, |row| match bad_rows.remove(&row) {
                    Some(error) => Err(error),
                    None => Ok(Inserted { id: ids.get(row).copied().flatten() }),
                });
            }
            Err(error) => shared.fail(&batch, &error),
        }
        let mut state = shared.state();
        state.queue.answered(self.number, batch.rows.n_rows());
        state.totals.batches += 1;
        // Not more than are in use at a time, and no very large ones.
        if state.spare.len() < shared.options.lanes && batch.rows.n_bytes() <= shared.max_spare_bytes {
            batch.rows.clear();
            state.spare.push(batch.rows);
        }
        shared.settle(state);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.finish(Err(abandoned().outcome_unknown()));
    }
}

impl Shared {
    /// Reports to each caller of a batch that its row was not stored, or that the outcome is unknown.
    fn fail(&self, batch: &Batch, error: &Error) {
        let n_rows = batch.rows.n_rows();
        match error.is_outcome_unknown() {
            true => self.count(0, 0, n_rows),
            false => self.count(0, n_rows, 0),
        }
        self.tell(batch, |_| Err(error.clone()));
    }

    fn tell(&self, batch: &Batch, answer: impl FnMut(usize) -> Result<Inserted>) {
        batch.answers.tell(batch.rows.n_rows(), answer);
    }

    /// Called before the answers are delivered, so that a caller that then reads the status finds its row counted.
    fn count(&self, n_stored: usize, n_failed: usize, n_unknown: usize) {
        self.meters.answered(n_stored, n_failed, n_unknown);
        let totals = &mut self.state().totals;
        totals.stored += n_stored as u64;
        totals.failed += n_failed as u64;
        totals.unknown += n_unknown as u64;
    }
}

/// What a row takes in a [`RowBuffer`].
fn size_of_row(values: &[Value<'_>]) -> usize {
    let texts = values.iter().filter_map(Value::as_bytes).map(<[u8]>::len).sum::<usize>();
    texts + size_of_val(values)
}

pub(crate) fn closed() -> Error {
    Error::new(Kind::Interrupted, "the inserter is closed").with_hint("make a new one")
}

pub(crate) fn abandoned() -> Error {
    Error::new(Kind::Interrupted, "the inserter's task ended before the row was written")
        .with_hint("an inserter lives in the runtime that it was made in")
}

#[cfg(test)]
pub(crate) mod tests;
