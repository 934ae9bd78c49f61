//! The reading half of a load: batches in order, as large as the tuner says (smaller near the end), when there is memory for them, the
//! rate lets them go and the load yields to no one.

use super::prepare::UnparsedChunk;
use crate::loader::control::Control;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::plan::target::Target;
use crate::loader::plan::tuning::Tuning;
use inrush_core::load::tuner::batch::bytes_near_the_end;
use inrush_core::load::tuner::pace::Pace;
use inrush_core::load::{RawChunk, Source};
use inrush_core::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

/// A batch that is not parsed yet, and the plan of its source.
pub(crate) type Next = (UnparsedChunk, Arc<SourcePlan>);

/// Reads sources for the lanes.
pub(crate) struct Reader {
    control: Arc<Control>,
    tuning: Arc<Tuning>,
    pace: Option<Pace>,
    /// Bytes of the last batch.
    last_bytes: u64,
    batches: SyncSender<Next>,
}

impl Reader {
    pub(crate) fn new(target: &Target, batches: SyncSender<Next>) -> Self {
        let pace = target.load.options.rate.map(Pace::new);
        Self { control: target.load.control.clone(), tuning: target.tuning.clone(), pace, last_bytes: 0, batches }
    }

    /// Hands on batches in order, each with its number and its source's plan. Returns whether it came to the end; an error has the
    /// number of the batch that could not be read.
    pub(crate) fn read(
        mut self,
        sources: Vec<Box<dyn Source>>,
        plans: &[Arc<SourcePlan>],
    ) -> Result<bool, (u64, Error)> {
        let mut number = 0;
        let mut behind = Behind::new(&sources);
        for (mut source, plan) in sources.into_iter().zip(plans) {
            behind.pass(&*source);
            let unchanged = source.unchanged();
            loop {
                self.make_room(&mut *source, &behind);
                if !self.control.wants_more() {
                    return Ok(false);
                }
                let began = Instant::now();
                let read = source.next_raw_chunk();
                self.control.count_waits(|waits| waits.source += began.elapsed());
                // The stop request may have ended the program that fed us too: then this is not the end of its rows.
                if self.control.is_stopping() && !matches!(read, Ok(Some(_))) {
                    return Ok(false);
                }
                // What was read of a source that was replaced meanwhile may belong to neither of the two; nor is it known where its last record ends.
                if let Some(unchanged) = &unchanged {
                    let is_more = matches!(read, Ok(Some(_)));
                    let compared = if is_more { unchanged.check() } else { unchanged.confirm() };
                    compared.map_err(|error| (number, error))?;
                }
                let Some(raw_chunk) = read.map_err(|error| (number, error))? else { break };
                if !self.hand_on(number, raw_chunk, plan) {
                    return Ok(false);
                }
                number += 1;
            }
        }
        self.control.set_left(Some(0));
        Ok(true)
    }

    /// Sets how large the next batch is to be, and waits until there is memory for it.
    fn make_room(&self, source: &mut dyn Source, behind: &Behind) {
        let left = source.bytes_left().filter(|_| behind.unknown == 0).map(|left| left + behind.bytes);
        self.tuning.set_left(left);
        self.control.set_left(left);
        let mut expected = self.last_bytes;
        if let Some(mut bytes) = self.tuning.batch_bytes() {
            if self.tuning.may_shrink_batches() {
                // What fits into one batch is one transaction: with a bad row in it, none of its rows is stored.
                let is_one = |left: &u64| self.last_bytes == 0 && *left <= bytes as u64;
                let left = left.filter(|left| !is_one(left));
                let near_the_end = left.map(|left| bytes_near_the_end(left, self.tuning.lanes()));
                let paced = self.pace.as_ref().map(Pace::batch_bytes);
                let yielding = Some(self.control.most_batch());
                bytes = [near_the_end, paced, yielding].into_iter().flatten().fold(bytes, usize::min);
            }
            source.set_batch_bytes(bytes);
            expected = bytes as u64;
        }
        self.tuning.budget().wait_for(expected, || self.control.wants_more());
    }

    /// Gives a batch to the lanes, once the rate and others allow it. Returns `false` if no lane takes batches any more.
    fn hand_on(&mut self, number: u64, raw_chunk: Box<dyn RawChunk>, plan: &Arc<SourcePlan>) -> bool {
        let (records, bytes) = (raw_chunk.records(), raw_chunk.bytes());
        self.control.count_read(records, bytes);
        self.last_bytes = bytes;
        let reservation = self.tuning.budget().reserve(bytes);
        if let Some(pace) = &mut self.pace {
            let began = Instant::now();
            while let wait @ 1.. = pace.wait(self.control.elapsed()).as_micros()
                && self.control.wants_more()
            {
                thread::sleep(LOOK_EVERY.min(Duration::from_micros(wait as u64)));
            }
            self.control.count_waits(|waits| waits.rate += began.elapsed());
            pace.let_go(records, bytes, self.control.elapsed());
        }
        while self.control.holds_back() && self.control.wants_more() {
            thread::sleep(HELD_EVERY);
        }
        self.control.taken_bytes.fetch_add(bytes, Relaxed);
        self.batches.send((UnparsedChunk { number, raw_chunk, reservation }, plan.clone())).is_ok()
    }
}

/// What is to come after the source that is being read.
struct Behind {
    /// About so many bytes of text ..
    bytes: u64,
    /// .. and so many sources that do not know their size.
    unknown: usize,
}

impl Behind {
    fn new(sources: &[Box<dyn Source>]) -> Self {
        let known = sources.iter().filter_map(|source| source.bytes_left());
        let (n_known, bytes) = known.fold((0, 0), |(n, sum), bytes| (n + 1, sum + bytes));
        Self { bytes, unknown: sources.len() - n_known }
    }

    /// Removes this source from the sum when its turn comes. Nothing was read from it since the sum was made.
    fn pass(&mut self, source: &dyn Source) {
        match source.bytes_left() {
            Some(bytes) => self.bytes = self.bytes.saturating_sub(bytes),
            None => self.unknown = self.unknown.saturating_sub(1),
        }
    }
}

/// How long a reader that waits for its turn takes to notice it, or that the load is to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The same of a reader that others hold back for a moment.
const HELD_EVERY: Duration = Duration::from_millis(10);
