//! Results that are collected as record batches, for both shells.

use crate::{Config, Error, Result};
use arrow_array::RecordBatch;

/// Record batches that are kept, up to the limit for results.
pub(crate) struct KeptBatches {
    batches: Vec<RecordBatch>,
    n_bytes: usize,
    max_bytes: usize,
}

impl KeptBatches {
    pub(crate) fn new(config: &Config) -> Self {
        Self { batches: Vec::new(), n_bytes: 0, max_bytes: config.max_result }
    }

    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        self.n_bytes += batch.get_array_memory_size();
        if self.n_bytes > self.max_bytes {
            return Err(Error::config(format!("the result has more than {} bytes", self.max_bytes))
                .with_hint("read it batch by batch with `query_arrow_iter`, or ask for less"));
        }
        self.batches.push(batch);
        Ok(())
    }

    pub(crate) fn into_batches(self) -> Vec<RecordBatch> {
        self.batches
    }
}
