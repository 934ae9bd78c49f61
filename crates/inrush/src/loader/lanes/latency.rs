//! How long a small transaction takes beside a load (`--throttle commit-latency=3x`): one that writes a row of the table of the heartbeats, for
//! this alone.

use super::replicas::make_table;
use crate::Result;
use crate::blocking::Connection;
use inrush_core::load::lag::Heartbeats;
use inrush_core::load::throttle::CommitLatency;
use std::time::{Duration, Instant};

/// The transactions of one run, and how long they took.
pub(super) struct LatencyProbe {
    beats: Heartbeats,
    latency: CommitLatency,
}

impl LatencyProbe {
    /// With a row in this schema.
    pub(super) fn new(schema: &str) -> Self {
        Self { beats: Heartbeats::new(schema, rand::random()), latency: CommitLatency::default() }
    }

    /// Makes the table ready, and measures what a transaction takes before the load.
    pub(super) fn begin(&mut self, connection: &mut Connection) -> Result<()> {
        make_table(connection, &self.beats)?;
        // The first one also opens the table.
        self.write(connection)?;
        self.latency = CommitLatency::default();
        for _ in 0..BEFORE {
            let took = self.write(connection)?;
            self.latency.before(took);
        }
        Ok(())
    }

    /// Measures once more. Returns the multiple of what it was before the load.
    pub(super) fn take(&mut self, connection: &mut Connection) -> Result<f64> {
        let took = self.write(connection)?;
        Ok(self.latency.take(took))
    }

    /// Removes the row.
    pub(super) fn end(&self, connection: &mut Connection) -> Result<()> {
        connection.execute(&self.beats.end_statement(), ()).map(drop)
    }

    fn write(&mut self, connection: &mut Connection) -> Result<Duration> {
        let (statement, began) = (self.beats.next_statement(), Instant::now());
        connection.execute(&statement, ())?;
        let took = began.elapsed();
        // The next one has another number: a row that stays the same is not written.
        self.beats.written(Duration::ZERO, 0);
        self.beats.forget_before(u64::MAX);
        Ok(took)
    }
}

/// Transactions before the load.
const BEFORE: usize = 10;
