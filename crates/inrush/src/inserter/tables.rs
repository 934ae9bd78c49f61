//! The inserters of many tables, by their names: which exist, and the sum of their states.

use crate::inserter::InserterStatus;
use crate::inserter::shared::Shared;
use crate::{InserterOptions, Result};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Inserters `I` by the names of their tables.
pub(crate) struct Tables<I> {
    options: InserterOptions,
    by_name: Mutex<BTreeMap<String, I>>,
}

impl<I: Clone> Tables<I> {
    /// Without inserters; each will have these options.
    pub(crate) fn new(options: &InserterOptions) -> Self {
        Self { options: options.clone(), by_name: Mutex::default() }
    }

    /// The inserter of this table; makes it if it does not exist.
    pub(crate) fn get(&self, table: &str, make: impl FnOnce(&InserterOptions) -> Result<I>) -> Result<I> {
        let mut by_name = self.by_name();
        if let Some(inserter) = by_name.get(table) {
            return Ok(inserter.clone());
        }
        let inserter = make(&self.options)?;
        by_name.insert(table.to_owned(), inserter.clone());
        Ok(inserter)
    }

    /// Removes the inserter of this table, if it exists.
    pub(crate) fn remove(&self, table: &str) -> Option<I> {
        self.by_name().remove(table)
    }

    /// All inserters, by name.
    pub(crate) fn all(&self) -> Vec<I> {
        self.by_name().values().cloned().collect()
    }

    fn by_name(&self) -> MutexGuard<'_, BTreeMap<String, I>> {
        // Nothing that runs under the lock can panic half-way.
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first error of rows whose callers had gone. That of every inserter is taken, so that the next call does not report it again.
pub(crate) fn heard<'s>(each: impl Iterator<Item = &'s Shared>) -> Result<()> {
    each.map(Shared::hear).fold(Ok(()), Result::and)
}

/// The sum of several inserters' states.
pub(crate) fn sum(each: impl Iterator<Item = InserterStatus>) -> InserterStatus {
    each.fold(InserterStatus::default(), |sum, one| InserterStatus {
        queued: sum.queued + one.queued,
        queued_bytes: sum.queued_bytes + one.queued_bytes,
        in_flight: sum.in_flight + one.in_flight,
        waiting: sum.waiting + one.waiting,
        stored: sum.stored + one.stored,
        failed: sum.failed + one.failed,
        unknown: sum.unknown + one.unknown,
        batches: sum.batches + one.batches,
    })
}
