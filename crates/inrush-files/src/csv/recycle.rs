//! Takes the memory of batches back once their last user has let go of them.
//!
//! A batch of 4 MiB of text has more than that in views. An allocator gives so much back to the system each time, and
//! every page of it is then faulted in anew: a sixth of the time of reading (docs/notes/csv.md). No pool of ours is asked
//! to return anything: we keep a share of each buffer, and it is free when ours is the only one.

use arrow_buffer::{ArrowNativeType, Buffer};
use std::collections::VecDeque;

/// Buffers that batches were made of, oldest first, in use or free.
#[derive(Debug)]
pub(super) struct Recycled {
    lent: VecDeque<Buffer>,
    /// How many are kept in view at most: those of a few batches, for who holds more is not going to return them soon.
    most: usize,
}

impl Recycled {
    pub(super) fn new(most: usize) -> Self {
        Self { lent: VecDeque::new(), most }
    }

    /// Remembers a buffer that is about to be used.
    pub(super) fn lend(&mut self, buffer: &Buffer) {
        if self.lent.len() >= self.most {
            self.lent.pop_front();
        }
        self.lent.push_back(buffer.clone());
    }

    /// The memory of a buffer that is used no more, empty.
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

#[cfg(test)]
mod tests;
