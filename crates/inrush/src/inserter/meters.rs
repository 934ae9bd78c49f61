//! The metrics of an inserter, under names in the style of OpenTelemetry's.
//!
//! The recorder that is installed when the inserter is made gets all of them; without one each call is a test that does nothing.

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, SharedString, Unit, with_recorder};
use std::time::Duration;

/// The handles of one inserter.
pub(crate) struct Meters {
    stored: Counter,
    failed: Counter,
    unknown: Counter,
    queued: Gauge,
    batch_rows: Histogram,
    wait_time: Histogram,
    write_time: Histogram,
    retries: Counter,
}

impl Meters {
    pub(crate) fn new(table: &str) -> Self {
        describe();
        let table = Label::new("db.collection.name", SharedString::from(table.to_owned()));
        let plain = || vec![table.clone()];
        let outcome = |outcome: &'static str| vec![table.clone(), Label::from_static_parts("outcome", outcome)];
        Self {
            stored: counter("db.client.inserter.rows", outcome("stored")),
            failed: counter("db.client.inserter.rows", outcome("failed")),
            unknown: counter("db.client.inserter.rows", outcome("unknown")),
            queued: gauge("db.client.inserter.queue.rows", plain()),
            batch_rows: histogram("db.client.inserter.batch.rows", plain()),
            wait_time: histogram("db.client.inserter.wait_time", plain()),
            write_time: histogram("db.client.inserter.write_time", plain()),
            retries: counter("db.client.inserter.retries", plain()),
        }
    }

    pub(crate) fn queued(&self, n_rows: usize) {
        self.queued.increment(n_rows as f64);
    }

    /// A lane took a batch whose first row had waited for so long.
    pub(crate) fn taken(&self, n_rows: usize, waited: Duration) {
        self.queued.decrement(n_rows as f64);
        self.batch_rows.record(n_rows as f64);
        self.wait_time.record(waited.as_secs_f64());
    }

    /// Queued rows were given up.
    pub(crate) fn given_up(&self, n_rows: usize) {
        self.queued.decrement(n_rows as f64);
    }

    pub(crate) fn written(&self, took: Duration) {
        self.write_time.record(took.as_secs_f64());
    }

    pub(crate) fn answered(&self, n_stored: usize, n_failed: usize, n_unknown: usize) {
        for (counter, n) in [(&self.stored, n_stored), (&self.failed, n_failed), (&self.unknown, n_unknown)] {
            if n > 0 {
                counter.increment(n as u64);
            }
        }
    }

    pub(crate) fn retried(&self) {
        self.retries.increment(1);
    }
}

fn counter(name: &'static str, labels: Vec<Label>) -> Counter {
    with_recorder(|to| to.register_counter(&Key::from_parts(name, labels), &METADATA))
}

fn gauge(name: &'static str, labels: Vec<Label>) -> Gauge {
    with_recorder(|to| to.register_gauge(&Key::from_parts(name, labels), &METADATA))
}

fn histogram(name: &'static str, labels: Vec<Label>) -> Histogram {
    with_recorder(|to| to.register_histogram(&Key::from_parts(name, labels), &METADATA))
}

fn describe() {
    with_recorder(|to| {
        let name = KeyName::from_const_str;
        let count = Some(Unit::Count);
        to.describe_counter(name("db.client.inserter.rows"), count, "rows by what became of them".into());
        to.describe_counter(name("db.client.inserter.retries"), count, "batches that were tried again".into());
        to.describe_gauge(name("db.client.inserter.queue.rows"), count, "rows that wait to be written".into());
        to.describe_histogram(name("db.client.inserter.batch.rows"), count, "rows of a batch".into());
        let seconds = Some(Unit::Seconds);
        to.describe_histogram(name("db.client.inserter.wait_time"), seconds, "time a batch's first row waited".into());
        to.describe_histogram(name("db.client.inserter.write_time"), seconds, "time until a batch was answered".into());
    });
}

static METADATA: Metadata<'_> = Metadata::new("inrush::inserter", Level::INFO, Some("inrush::inserter"));

#[cfg(test)]
mod tests;
