//! The metrics of a pool, under the names of OpenTelemetry's conventions for databases.
//!
//! The recorder that is installed when the pool is made gets all of them; without one each call is a test that does nothing.

use crate::Config;
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, SharedString, Unit, with_recorder};
use std::time::Duration;

/// The handles of one pool.
pub(crate) struct Meters {
    idle: Gauge,
    used: Gauge,
    pending: Gauge,
    timeouts: Counter,
    create_time: Histogram,
    wait_time: Histogram,
    use_time: Histogram,
}

impl Meters {
    pub(crate) fn new(config: &Config) -> Self {
        describe();
        // No user, no password: this is what the conventions suggest for a pool without a name.
        let pool = Label::new("db.client.connection.pool.name", SharedString::from(pool_name(config)));
        let state =
            |state: &'static str| vec![pool.clone(), Label::from_static_parts("db.client.connection.state", state)];
        let plain = || vec![pool.clone()];
        gauge("db.client.connection.max", plain()).set(config.pool.max as f64);
        gauge("db.client.connection.idle.max", plain()).set(config.pool.max as f64);
        gauge("db.client.connection.idle.min", plain()).set(config.pool.min as f64);
        Self {
            idle: gauge("db.client.connection.count", state("idle")),
            used: gauge("db.client.connection.count", state("used")),
            pending: gauge("db.client.connection.pending_requests", plain()),
            timeouts: with_recorder(|to| {
                to.register_counter(&Key::from_parts("db.client.connection.timeouts", plain()), &METADATA)
            }),
            create_time: histogram("db.client.connection.create_time", plain()),
            wait_time: histogram("db.client.connection.wait_time", plain()),
            use_time: histogram("db.client.connection.use_time", plain()),
        }
    }

    pub(crate) fn lent_idle(&self) {
        self.idle.decrement(1.0);
        self.used.increment(1.0);
    }

    pub(crate) fn returned(&self) {
        self.used.decrement(1.0);
        self.idle.increment(1.0);
    }

    pub(crate) fn closed_idle(&self) {
        self.idle.decrement(1.0);
    }

    pub(crate) fn closed_used(&self) {
        self.used.decrement(1.0);
    }

    pub(crate) fn created(&self, took: Duration) {
        self.used.increment(1.0);
        self.create_time.record(took.as_secs_f64());
    }

    pub(crate) fn pending(&self, change: f64) {
        self.pending.increment(change);
    }

    pub(crate) fn timed_out(&self) {
        self.timeouts.increment(1);
    }

    pub(crate) fn waited_for(&self, time: Duration) {
        self.wait_time.record(time.as_secs_f64());
    }

    pub(crate) fn used_for(&self, time: Duration) {
        self.use_time.record(time.as_secs_f64());
    }
}

fn pool_name(config: &Config) -> String {
    match config.database() {
        Some(database) => format!("{}/{database}", config.address()),
        None => config.address(),
    }
}

fn gauge(name: &'static str, labels: Vec<Label>) -> Gauge {
    with_recorder(|to| to.register_gauge(&Key::from_parts(name, labels), &METADATA))
}

fn histogram(name: &'static str, labels: Vec<Label>) -> Histogram {
    with_recorder(|to| to.register_histogram(&Key::from_parts(name, labels), &METADATA))
}

fn describe() {
    with_recorder(|to| {
        let gauges = [
            ("db.client.connection.count", "connections by state"),
            ("db.client.connection.max", "the most connections there may be"),
            ("db.client.connection.idle.max", "the most idle connections there may be"),
            ("db.client.connection.idle.min", "the connections that are kept"),
            ("db.client.connection.pending_requests", "how many wait for a connection"),
        ];
        for (name, text) in gauges {
            to.describe_gauge(KeyName::from_const_str(name), Some(Unit::Count), text.into());
        }
        let timeouts = KeyName::from_const_str("db.client.connection.timeouts");
        to.describe_counter(timeouts, Some(Unit::Count), "how many waited in vain".into());
        let times = [
            ("db.client.connection.create_time", "time to open a connection"),
            ("db.client.connection.wait_time", "time to get a connection"),
            ("db.client.connection.use_time", "time until it was given back"),
        ];
        for (name, text) in times {
            to.describe_histogram(KeyName::from_const_str(name), Some(Unit::Seconds), text.into());
        }
    });
}

static METADATA: Metadata<'_> = Metadata::new("inrush::pool", Level::INFO, Some("inrush::pool"));

#[cfg(test)]
mod tests;
