//! A load as a whole: its options, who watches and stops it, and what is counted over all of its targets.

use super::control::{Control, lock};
use super::options::LoadOptions;
use super::report::counters::Counters;
use super::report::event::{EventHandler, LoadEvent, StoredChunk};
use super::report::spans;
use inrush_core::load::modes::Counted;
use inrush_core::load::report::{Records, Retry};
use inrush_core::load::{Reject, RejectStore};
use inrush_core::write::answer::LoadWarning;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What all threads of a load share, whatever target they work for.
pub(crate) struct Load {
    pub(crate) options: LoadOptions,
    /// The first line of a reject file.
    pub(crate) reject_header: Vec<u8>,
    /// Where bad rows go in the place of a file.
    pub(crate) reject_store: Option<Arc<dyn RejectStore>>,
    pub(crate) control: Arc<Control>,
    pub(crate) handler: EventHandler,
    /// Harmless warnings to be reported, each (code, column) once.
    pub(crate) noted: Mutex<Vec<LoadWarning>>,
    pub(crate) replays: AtomicU64,
    pub(crate) retries: Mutex<Vec<Retry>>,
    pub(crate) counters: Mutex<Counters>,
    pub(crate) buffers: BufferPool,
}

impl Load {
    pub(crate) fn new(
        options: LoadOptions,
        (reject_header, reject_store): (Vec<u8>, Option<Arc<dyn RejectStore>>),
        control: Arc<Control>,
        handler: EventHandler,
    ) -> Self {
        Self {
            options,
            reject_header,
            reject_store,
            control,
            handler,
            noted: Mutex::default(),
            replays: 0.into(),
            retries: Mutex::default(),
            counters: Mutex::default(),
            buffers: BufferPool::default(),
        }
    }

    pub(crate) fn notify(&self, event: &LoadEvent) {
        spans::event(event);
        (self.handler)(event);
    }

    /// Reports a chunk of so many bytes that lane `lane` (from 0) stored, and the `rejects` that it left out.
    pub(crate) fn tell_stored(
        &self,
        lane: usize,
        bytes: u64,
        records: &Records,
        counted: Counted,
        rejects: [&[Reject]; 2],
        elapsed: Duration,
    ) {
        if self.options.dry_run {
            return;
        }
        let stored = StoredChunk {
            lane: lane + 1,
            records: records.clone(),
            rows: counted.stored,
            skipped: counted.skipped,
            rejected: rejects.iter().map(|some| some.len() as u64).sum(),
            bytes,
            elapsed,
        };
        self.notify(&LoadEvent::Stored(stored));
        for reject in rejects.into_iter().flatten() {
            self.notify(&LoadEvent::Rejected(reject.clone()));
        }
    }

    pub(crate) fn count_replay(&self) {
        self.replays.fetch_add(1, Relaxed);
    }
}

/// The memory of texts that were sent, for those to come: fresh memory costs a page fault for every 4 KiB
/// (docs/notes/load-speed.md). There are never more than were once in use at the same time.
#[derive(Default)]
pub(crate) struct BufferPool(Mutex<Vec<Vec<u8>>>);

impl BufferPool {
    /// An empty text with room for `bytes`.
    pub(crate) fn take(&self, bytes: usize) -> Vec<u8> {
        let mut text = lock(&self.0).pop().unwrap_or_default();
        text.reserve_exact(bytes);
        text
    }

    pub(crate) fn put(&self, mut text: Vec<u8>) {
        if text.capacity() <= KEEP {
            text.clear();
            lock(&self.0).push(text);
        }
    }
}

/// The text of an uncommonly long record is given back to the system.
const KEEP: usize = 16 << 20;
