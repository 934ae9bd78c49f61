//! The strict replay of a chunk: INSERTs in strict mode, of many rows or of one, until every bad row stands alone.
//!
//! A statement that fails by a row's fault undoes only itself; the transaction goes on. So one transaction replays the chunk.
//! Whatever else fails ends the replay, and the chunk is tried again from its start.

use super::control::lock;
use super::lane::{Lane, Undone, some_rows_stay};
use super::prepare::{self, Checked, too_long};
use super::{BadRows, modes};
use crate::fault;
use inrush_core::bulk::batch::Places;
use inrush_core::bulk::encode::multi_row::Next;
use inrush_core::bulk::judge::{Warning, is_row_fault};
use inrush_core::bulk::modes::Counted;
use inrush_core::bulk::search::{Search, Try};
use inrush_core::bulk::{Method, Reject};
use inrush_core::session::Pipeline;
use inrush_core::session::pipeline::{Chosen, Flight, Reply, Turn};
use inrush_core::{Error, Result};
use std::collections::VecDeque;
use std::ops::Range;

/// How a replay ended.
pub(super) enum ReplayEnd {
    /// All rows but the rejected ones are in the open transaction.
    Done { counted: Counted, rejects: Vec<Reject>, noted: Vec<Warning> },
    /// A bad row, and bad rows stop the load.
    BadRow(Reject),
}

/// A bad row, and why it is one.
struct BadRow {
    row: usize,
    fault: Fault,
}

enum Fault {
    /// What the server said of it.
    Refused(Error),
    /// No statement holds it, as long as it is.
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
        let warning = Warning { code: error.code(), message: error.message().to_owned() };
        if !warning.column().is_empty() {
            place.column = Some(warning.column().into());
        }
        let reason = format!("{} (server error {})", error.message(), error.code());
        Reject { code: error.code(), ..prepare::reject(&chunk.batch, self.row, place, reason) }
    }
}

/// A replay that is under way.
#[derive(Default)]
struct Progress {
    counted: Counted,
    bad: Vec<BadRow>,
    noted: Vec<Warning>,
}

impl Lane<'_> {
    /// Replays the rows of `chunk` that our own checks let pass.
    pub(super) fn run_replay(&mut self, chunk: &Checked) -> Result<ReplayEnd> {
        let stops = self.shared.options.bad_rows == BadRows::Stop;
        let mut search = Search::new(0..chunk.batch.rows.num_rows(), *lock(&self.shared.bad_share));
        let mut progress = Progress::default();
        while let Some(next) = search.next() {
            match next {
                Try::Together(rows) => self.insert_together(chunk, rows, &mut search, &mut progress)?,
                Try::Apart(rows) => {
                    let n_bad = progress.bad.len();
                    let n_rows = rows.len();
                    if !self.insert_apart(chunk, rows, &mut progress)? {
                        // What the server warned of is asked for from now on.
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
        *lock(&self.shared.bad_share) = search.bad_share();
        let max_packet = self.shared.max_packet;
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

    /// One statement of as many of `rows` as it holds.
    fn insert_together(
        &mut self,
        chunk: &Checked,
        rows: Range<usize>,
        search: &mut Search,
        progress: &mut Progress,
    ) -> Result<()> {
        let mut statement = Vec::new();
        let (taken, n_rows) = match chunk.insert(rows.clone(), &mut statement) {
            Next::Statement { rows, n_rows } => (rows, n_rows as u64),
            Next::End => return Ok(()),
            // It fits into a LOAD, which is sent in pieces, and not into a statement.
            Next::TooLong { row, bytes } => {
                search.left(row + 1..rows.end);
                progress.bad.push(BadRow { row, fault: Fault::TooLong(bytes) });
                return Ok(());
            }
        };
        search.left(taken.end..rows.end);
        self.waits(Some("INSERT"));
        match modes::store(&mut self.connection, &chunk.plan, &statement, n_rows) {
            Ok((counted, noted)) => {
                progress.counted += counted;
                progress.noted.extend(noted);
                search.stored(n_rows as usize);
            }
            Err(error) if n_rows == 1 => {
                let n_bad = progress.bad.len();
                progress.enter(chunk, taken.end - 1, error)?;
                search.told_apart(1, progress.bad.len() - n_bad);
            }
            Err(error) if is_row_fault(&error) => search.refused(taken),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A statement for each of `rows`. `false`: the server warned of some, and it does not tell any more of what; everything is undone, and from
    /// then on statements travel one by one.
    fn insert_apart(&mut self, chunk: &Checked, rows: Range<usize>, progress: &mut Progress) -> Result<bool> {
        self.waits(Some("INSERT"));
        // What goes through a stage is more than a statement a row.
        if self.one_by_one || chunk.plan.writing.stage(Method::MultiRow).is_some() {
            for row in rows {
                self.insert_alone(chunk, row, progress)?;
            }
            return Ok(true);
        }
        let window = self.shared.control.window(&self.shared.config, rows.len())?;
        let mut singles = Singles::new(chunk, rows);
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

    fn insert_alone(&mut self, chunk: &Checked, row: usize, progress: &mut Progress) -> Result<()> {
        let mut statement = Vec::new();
        match chunk.insert(row..row + 1, &mut statement) {
            Next::Statement { .. } => match modes::store(&mut self.connection, &chunk.plan, &statement, 1) {
                Ok((counted, noted)) => {
                    progress.counted += counted;
                    progress.noted.extend(noted);
                }
                Err(error) => progress.enter(chunk, row, error)?,
            },
            Next::TooLong { row, bytes } => progress.bad.push(BadRow { row, fault: Fault::TooLong(bytes) }),
            Next::End => {}
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
    unsent: Range<usize>,
    /// Rows that are sent and not answered.
    unanswered: VecDeque<usize>,
    statement: Vec<u8>,
    progress: Progress,
    has_warned: bool,
}

impl<'a> Singles<'a> {
    fn new(chunk: &'a Checked, rows: Range<usize>) -> Self {
        Self {
            chunk,
            unsent: rows,
            unanswered: VecDeque::new(),
            statement: Vec::new(),
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
    fn next(&mut self, turn: Turn<'_>) -> Result<Chosen> {
        let singles = &mut **self;
        for row in singles.unsent.by_ref() {
            singles.statement.clear();
            match singles.chunk.insert(row..row + 1, &mut singles.statement) {
                Next::Statement { .. } => {
                    singles.unanswered.push_back(row);
                    return turn.query(&singles.statement);
                }
                Next::TooLong { row, bytes } => {
                    singles.progress.bad.push(BadRow { row, fault: Fault::TooLong(bytes) });
                }
                Next::End => {}
            }
        }
        turn.end()
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
