//! The count of a load: every chunk is entered once, with what became of it.

use super::rejects::RejectFile;
use crate::loader::SHOWN_REJECTS;
use crate::loader::control::Control;
use crate::loader::options::{LoadOptions, MaxBad};
use inrush_core::Error;
use inrush_core::load::Reject;
use inrush_core::load::modes::Counted;
use inrush_core::load::report::{Records, Stop};
use std::sync::atomic::Ordering::Relaxed;

/// What became of a chunk.
pub(crate) enum ChunkOutcome {
    /// Committed, without these rows.
    Stored { counted: Counted, rejects: Vec<Reject> },
    /// Rolled back, or never begun: none of its rows is in the table.
    NotStored(Option<Stop>),
    /// The answer to its COMMIT is missing, or its table has no transactions: its rows may be in the table.
    Unknown(Error),
}

/// What became of the chunks so far.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) stored_records: Vec<Records>,
    pub(crate) unknown_records: Vec<Records>,
    pub(crate) unknown: u64,
    /// The counts of rows that the chunks stored, changed or skipped, by the mode.
    pub(crate) changed: Counted,
    /// The first rejects in the order of the sources, each with the number of its chunk.
    first_rejects: Vec<(u64, Reject)>,
    /// The file for rejects, if no ledger keeps them.
    pub(crate) reject_file: Option<RejectFile>,
    /// Why the load stops, with the number of the chunk: the earliest wins, so that the message is the same in every run.
    pub(crate) stop: Option<(u64, Stop)>,
}

impl Counters {
    /// Enters what became of chunk `number`; `rejects` are those found before anything was sent.
    pub(crate) fn enter(
        &mut self,
        number: u64,
        records: Records,
        mut rejects: Vec<Reject>,
        end: ChunkOutcome,
        options: &LoadOptions,
        control: &Control,
    ) {
        match end {
            ChunkOutcome::Stored { counted, rejects: late } => {
                control.stored.fetch_add(counted.stored, Relaxed);
                control.skipped.fetch_add(counted.skipped, Relaxed);
                control.chunks.fetch_add(u64::from(counted.stored > 0), Relaxed);
                self.changed += counted;
                self.stored_records.push(records);
                rejects.extend(late);
                rejects.sort_by_key(|reject| reject.place.line);
                self.enter_rejects(number, rejects, options.max_bad, control);
            }
            ChunkOutcome::NotStored(None) => {}
            ChunkOutcome::NotStored(Some(stop)) => self.stop_at(number, stop, control),
            ChunkOutcome::Unknown(error) => {
                self.unknown += records.count() - rejects.len() as u64;
                self.unknown_records.push(records);
                self.stop_at(number, Stop::Failed(error), control);
            }
        }
    }

    /// Stops the load because of chunk `number`: nothing after it is committed any more.
    pub(crate) fn stop_at(&mut self, number: u64, stop: Stop, control: &Control) {
        control.stop_after(number);
        if self.stop.as_ref().is_none_or(|(earliest, _)| number < *earliest) {
            self.stop = Some((number, stop));
        }
    }

    /// Checks the share of bad rows at the end, where the share of a small file counts too.
    pub(crate) fn finish(&mut self, options: &LoadOptions, control: &Control) {
        let (read, rejected) = (control.read.load(Relaxed), control.rejected.load(Relaxed));
        if self.stop.is_none() && options.max_bad.is_some_and(|most| most.is_exceeded(rejected, read, true)) {
            self.stop_at(u64::MAX, too_many(rejected, read, None), control);
        }
    }

    /// The first rejects, for the report.
    pub(crate) fn take_first_rejects(&mut self) -> Vec<Reject> {
        std::mem::take(&mut self.first_rejects).into_iter().map(|(_, reject)| reject).collect()
    }

    fn enter_rejects(&mut self, number: u64, rejects: Vec<Reject>, max_bad: Option<MaxBad>, control: &Control) {
        if rejects.is_empty() {
            return;
        }
        let rejected = control.rejected.fetch_add(rejects.len() as u64, Relaxed) + rejects.len() as u64;
        if let Some(file) = &mut self.reject_file
            && let Err(error) = file.add(number, &rejects)
        {
            self.stop_at(number, Stop::Failed(error), control);
        }
        self.first_rejects.extend(rejects.into_iter().take(SHOWN_REJECTS).map(|reject| (number, reject)));
        self.first_rejects.sort_by_key(|(number, reject)| (*number, reject.place.line));
        self.first_rejects.truncate(SHOWN_REJECTS);
        let read = control.read.load(Relaxed);
        if max_bad.is_some_and(|most| most.is_exceeded(rejected, read, false)) {
            self.stop_at(number, too_many(rejected, read, None), control);
        }
    }
}

/// The error for more bad rows than `--max-bad` allows; `first` is the first of the chunk that was too much.
pub(crate) fn too_many(rejected: u64, read: u64, first: Option<&Reject>) -> Stop {
    let message = format!("{rejected} of {read} records are bad, more than `--max-bad` allows");
    let error = match first {
        Some(first) => Error::data(format!("{message}; one of them: {}", first.reason))
            .with_input_fault(first.fault.clone())
            .at(first.place.clone()),
        None => Error::data(message),
    };
    Stop::BadData(error.with_hint("what was stored before stays; mend the rows, or allow more of them"))
}
