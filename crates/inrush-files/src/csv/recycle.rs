//! A buffer pool: reuses the memory of batches after their last user has dropped them.
//!
//! A batch of 4 MiB of text has more than that in views. An allocator returns so much memory to the system each time, and every page of it
//! is faulted in again: a sixth of the time of reading (docs/notes/csv.md). Users do not return buffers explicitly: the pool keeps a
//! reference to each buffer, and the buffer is free when that is the only one.

use arrow_buffer::{ArrowNativeType, Buffer};
use std::collections::VecDeque;

/// Buffers of batches, oldest first, in use or free.
#[derive(Debug)]
pub(super) struct Recycled {
    lent: VecDeque<Buffer>,
    /// The most buffers that are tracked: those of a few batches, because a user of more batches keeps them for long.
    most: usize,
}

impl Recycled {
    pub(super) fn new(most: usize) -> Self {
        Self { lent: VecDeque::new(), most }
    }

    /// Tracks a buffer that is about to be used.
    pub(super) fn lend(&mut self, buffer: &Buffer) {
        if self.lent.len() >= self.most {
            self.lent.pop_front();
        }
        self.lent.push_back(buffer.clone());
    }

    /// The memory of a free buffer, emptied.
    pub(super) fn take<T: ArrowNativeType>(&mut self) -> Option<Vec<T>> {
        for _ in 0..self.lent.len() {
            match self.lent.pop_front()?.into_vec() {
                Ok(mut free) => {
                    free.clear();
                    return Some(free);
                }
                Err(in_use) => self.lent.push_back(in_use),
            }
        }
        None
    }
}

/// More batches than a loader has in progress at a time.
pub(super) const RECYCLED_BATCHES: usize = 16;

#[cfg(test)]
mod tests;
