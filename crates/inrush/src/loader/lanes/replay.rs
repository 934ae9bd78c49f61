//! The strict replay of a chunk: INSERTs in strict mode, of many rows or of one, until every bad row stands alone.
//!
//! A statement that fails because of a row undoes only itself; the transaction continues. So one transaction replays the chunk.
//! Whatever else fails ends the replay, and the chunk is tried again from its start.

use super::lane::{Lane, Undone, some_rows_stay};
use crate::fault;
use crate::loader::BadRows;
use crate::loader::control::lock;
use crate::loader::plan::modes;
use crate::loader::read::prepare::{self, Checked, too_long};
use inrush_core::convert::BoundRows;
use inrush_core::load::batch::Places;
use inrush_core::load::modes::Counted;
use inrush_core::load::{Mode, Reject};
use inrush_core::session::Pipeline;
use inrush_core::session::pipeline::{Decision, Flight, NextCommand, Reply};
use inrush_core::write::answer::{LoadWarning, is_row_fault, row_of};
use inrush_core::write::search::{Search, Try};
use inrush_core::write::{CheckedRows, Method, RowSource};
use inrush_core::write::{Command, Next};
use inrush_core::{Error, Result};
use std::collections::VecDeque;
use std::ops::Range;

/// How a replay ended.
pub(crate) enum ReplayEnd {
    /// All rows but the rejected ones are in the open transaction.
    Done { counted: Counted, rejects: Vec<Reject>, noted: Vec<LoadWarning> },
    /// A bad row, and bad rows stop the load.
    BadRow(Reject),
}

/// A bad row, and why it is one.
struct BadRow {
    row: usize,
    fault: Fault,
}

enum Fault {
    /// The server's error for it.
    Refused(Error),
    /// It is too long for any statement.
    TooLong(usize),
}

impl BadRow {
    fn reject(&self, chunk: &Checked, places: &mut Places<'_>, max_packet: usize) -> Reject {
        let mut place = places.of(self.row);
        let error = match &self.fault {
            Fault::TooLong(bytes) => {
                return prepare::reject(&chunk.batch, self.row, place, too_long(*bytes, max_packet));
            }
            Fault::Refused(error) => error,
        };
        let warning = LoadWarning { code: error.code(), message: error.message().to_owned() };
        if !warning.column().is_empty() {
            place.column = Some(warning.column().into());
        }
        let reason = format!("{} (server error {})", error.message(), error.code());
        Reject { code: error.code(), ..prepare::reject(&chunk.batch, self.row, place, reason) }
    }
}

/// The statement of some rows.
enum Insert {
    Text { sql: Vec<u8>, n_rows: usize },
    TooLong { bytes: usize },
}

impl Checked {
    /// The INSERT, as text, of the first rows of `range`, as many as one statement holds.
    fn insert(&self, rows: &CheckedRows<'_>, range: Range<usize>, spare: Vec<u8>) -> Result<Insert> {
        match self.plan.writers.text.statement(RowSource::Checked(rows), range, spare)? {
            Next::Command { command, n_rows } => Ok(Insert::Text { sql: command.into_buffer(), n_rows }),
            Next::TooLong { bytes } => Ok(Insert::TooLong { bytes }),
        }
    }
}

/// A replay in progress.
#[derive(Default)]
struct Progress {
    counted: Counted,
    bad: Vec<BadRow>,
    noted: Vec<LoadWarning>,
}

impl Lane<'_> {
    /// Whether a statement of several rows that fails leaves some of them, here or on another node.
    fn leaves_rows(&self) -> bool {
        let replaces = matches!(self.target.load.options.mode, Mode::Replace | Mode::Upsert);
        self.target.table.is_elsewhere() || (replaces && self.target.cluster.sends_undone_rows())
    }

    /// Replays the rows of `chunk` that our own checks let pass.
    pub(crate) fn run_replay(&mut self, chunk: &Checked) -> Result<ReplayEnd> {
        let stops = self.target.load.options.bad_rows == BadRows::Stop;
        let rows = &chunk.rows();
        let mut search = match self.leaves_rows() {
            true => Search::apart(0..rows.n_rows()),
            false => Search::new(0..rows.n_rows(), *lock(&self.target.bad_share)),
        };
        let mut progress = Progress::default();
        while let Some(next) = search.next() {
            match next {
                Try::Together(range) => self.insert_together(chunk, rows, range, &mut search, &mut progress)?,
                Try::OneByOne(range) => {
                    let n_bad = progress.bad.len();
                    let n_rows = range.len();
                    if !self.insert_apart(chunk, rows, range, &mut progress)? {
                        // From now on the warnings of each statement are read.
                        return self.run_replay(chunk);
                    }
                    search.told_apart(n_rows, progress.bad.len() - n_bad);
                }
            }
            fault::point("replay.answered");
            if stops && !progress.bad.is_empty() {
                break;
            }
            if !self.connection.session().in_transaction() && progress.counted.stored > 0 {
                return Err(Error::protocol("the transaction of a replay ended before its COMMIT"));
            }
        }
        *lock(&self.target.bad_share) = search.bad_share();
        let max_packet = self.target.max_packet;
        let mut places = chunk.batch.origin.places();
        let mut rejects = progress.bad.iter().map(|bad| bad.reject(chunk, &mut places, max_packet));
        Ok(match stops {
            true => match rejects.next() {
                Some(first) => ReplayEnd::BadRow(first),
                None => ReplayEnd::Done { counted: progress.counted, rejects: Vec::new(), noted: progress.noted },
            },
            false => {
                let rejects = rejects.collect();
                ReplayEnd::Done { counted: progress.counted, rejects, noted: progress.noted }
            }
        })
    }

    /// One statement of as many of `range` as it holds.
    fn insert_together(
        &mut self,
        chunk: &Checked,
        rows: &CheckedRows<'_>,
        range: Range<usize>,
        search: &mut Search,
        progress: &mut Progress,
    ) -> Result<()> {
        let (insert, n_rows) = match chunk.insert(rows, range.clone(), Vec::new())? {
            Insert::Text { sql, n_rows } => (sql, n_rows),
            // It fits into a LOAD, which is sent in pieces, and not into a statement.
            Insert::TooLong { bytes } => {
                search.left(range.start + 1..range.end);
                progress.bad.push(BadRow { row: rows.row_of_batch(range.start), fault: Fault::TooLong(bytes) });
                return Ok(());
            }
        };
        let taken = range.start..range.start + n_rows;
        search.left(taken.end..range.end);
        self.waits(Some("INSERT"));
        match modes::store(&mut self.connection, &chunk.plan, &insert, n_rows as u64) {
            Ok((counted, noted)) => {
                progress.counted += counted;
                progress.noted.extend(noted);
                search.stored(n_rows);
            }
            Err(error) if n_rows == 1 => {
                let n_bad = progress.bad.len();
                progress.enter(chunk, rows.row_of_batch(taken.start), error)?;
                search.told_apart(1, progress.bad.len() - n_bad);
            }
            Err(error) if is_row_fault(&error) => search.refused(taken, row_of(&error)),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Sends a statement for each row of `range`. Returns `false` if the server warned about some and no longer reports what the warnings
    /// were; everything is undone, and from then on statements are sent one by one.
    fn insert_apart(
        &mut self,
        chunk: &Checked,
        rows: &CheckedRows<'_>,
        range: Range<usize>,
        progress: &mut Progress,
    ) -> Result<bool> {
        self.waits(Some("INSERT"));
        // What goes through a stage is more than a statement a row.
        if self.one_by_one || chunk.plan.writing.stage(Method::MultiRow).is_some() {
            for row in range {
                self.insert_alone(chunk, rows, row, progress)?;
            }
            return Ok(true);
        }
        let window = self.target.load.control.window(&self.target.config, range.len())?;
        let mut singles = Singles::new(chunk, rows, range);
        self.connection.run(Pipeline::new(&mut singles).with_window(window))??;
        if singles.has_warned {
            self.one_by_one = true;
            if let Undone::NotAll = self.roll_back()? {
                return Err(some_rows_stay("the server warned of rows").outcome_unknown());
            }
            return Ok(false);
        }
        singles.enter_into(progress);
        Ok(true)
    }

    fn insert_alone(
        &mut self,
        chunk: &Checked,
        rows: &CheckedRows<'_>,
        row: usize,
        progress: &mut Progress,
    ) -> Result<()> {
        let row_of_batch = rows.row_of_batch(row);
        match chunk.insert(rows, row..row + 1, Vec::new())? {
            Insert::Text { sql, .. } => match modes::store(&mut self.connection, &chunk.plan, &sql, 1) {
                Ok((counted, noted)) => {
                    progress.counted += counted;
                    progress.noted.extend(noted);
                }
                Err(error) => progress.enter(chunk, row_of_batch, error)?,
            },
            Insert::TooLong { bytes } => progress.bad.push(BadRow { row: row_of_batch, fault: Fault::TooLong(bytes) }),
        }
        Ok(())
    }
}

impl Progress {
    /// The server refused `row` when it stood alone. Gives the error back if that is not the row's fault.
    fn enter(&mut self, chunk: &Checked, row: usize, error: Error) -> Result<()> {
        if chunk.plan.writing.skips(error.code()) {
            self.counted += Counted { stored: 0, skipped: 1, changed: Some(0) };
        } else if is_row_fault(&error) {
            self.bad.push(BadRow { row, fault: Fault::Refused(error) });
        } else {
            return Err(error);
        }
        Ok(())
    }
}

/// Rows in statements of their own, in one flight. It ends at the first answer that is no row's fault.
struct Singles<'a> {
    chunk: &'a Checked,
    rows: &'a CheckedRows<'a>,
    unsent: Range<usize>,
    /// Rows that are sent and not answered.
    unanswered: VecDeque<usize>,
    progress: Progress,
    has_warned: bool,
}

impl<'a> Singles<'a> {
    fn new(chunk: &'a Checked, rows: &'a CheckedRows<'a>, range: Range<usize>) -> Self {
        Self {
            chunk,
            rows,
            unsent: range,
            unanswered: VecDeque::new(),
            progress: Progress::default(),
            has_warned: false,
        }
    }

    fn enter_into(mut self, progress: &mut Progress) {
        progress.counted += self.progress.counted;
        // A row that was too long to be sent was found before its neighbours were answered.
        self.progress.bad.sort_by_key(|bad| bad.row);
        progress.bad.append(&mut self.progress.bad);
    }
}

impl Flight for &mut Singles<'_> {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        let singles = &mut **self;
        for row in singles.unsent.by_ref() {
            let row_of_batch = singles.rows.row_of_batch(row);
            match singles.chunk.insert(singles.rows, row..row + 1, Vec::new())? {
                Insert::Text { sql, .. } => {
                    singles.unanswered.push_back(row_of_batch);
                    return next.send_rows(&Command::Query(sql), singles.chunk.plan.effect);
                }
                Insert::TooLong { bytes } => {
                    singles.progress.bad.push(BadRow { row: row_of_batch, fault: Fault::TooLong(bytes) });
                }
            }
        }
        next.end()
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        let row = self.unanswered.pop_front().unwrap_or_default();
        match reply {
            Ok(Reply::Done(outcome)) => {
                self.progress.counted += self.chunk.plan.writing.count_insert(Method::MultiRow, 1, &outcome)?;
                self.has_warned |= outcome.warnings > 0;
            }
            Ok(_) => {}
            Err(error) => self.progress.enter(self.chunk, row, error)?,
        }
        Ok(())
    }
}
