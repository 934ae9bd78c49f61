//! How far replicas are behind: heartbeats that a load writes into a table beside its ledger, and what a replica has of them.
//!
//! Pure: the times are those of the load's own clock, so no clock of a server matters. A heartbeat is a number in a row of the run. It comes to
//! a replica in the order of the binary log, whatever the topology is, with GTIDs or without, and reading it takes no other right than SELECT
//! on the table. Seconds_Behind_Source counts whole seconds of two clocks, is NULL while a thread is stopped, and 0 while the connection to
//! the source hangs. See docs/adr/0041.

use crate::column::ident::quote_table;
use std::collections::VecDeque;
use std::time::Duration;

/// How far a replica is behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lag {
    /// The age of the oldest heartbeat that it lacks, zero if it has all of them.
    Behind(Duration),
    /// It has none of this load yet.
    NoneYet,
    /// It cannot be read: the error.
    Unread(String),
}

/// A replica and how far it is behind.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaLag {
    /// The replica's address, for messages.
    pub replica: String,
    /// How far it is behind.
    pub lag: Lag,
    /// How fast it applies what the load stores.
    pub pace: Pace,
}

impl ReplicaLag {
    /// Of which only the lag is known.
    pub fn new(replica: &str, lag: Lag) -> Self {
        Self { replica: replica.to_owned(), lag, pace: Pace::default() }
    }
}

/// The heartbeats of one run of a load.
#[derive(Clone, Debug)]
pub struct Heartbeats {
    schema: String,
    run: u128,
    /// The number of the oldest of `written`.
    first: u64,
    /// Those that a replica may lack: when each was written, and how many bytes were settled then.
    written: VecDeque<(Duration, u64)>,
    /// The bytes of the last one that was forgotten.
    settled_before: u64,
}

impl Heartbeats {
    /// The name of the table.
    pub const TABLE: &str = "inrush_heartbeat";

    /// Those of a run with this random id, in the schema of the ledger.
    pub fn new(schema: &str, run: u128) -> Self {
        Self { schema: schema.to_owned(), run, first: 1, written: VecDeque::new(), settled_before: 0 }
    }

    /// The schema of the table.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The statement that creates the table.
    pub fn create_statement(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (`run` BINARY(16) NOT NULL PRIMARY KEY, `beat` BIGINT UNSIGNED NOT NULL, \
             `written` DATETIME NOT NULL) ENGINE=InnoDB COMMENT='heartbeats of inrush load --max-lag'",
            self.table()
        )
    }

    /// The statement that removes rows that killed runs left a week ago.
    pub fn clean_statement(&self) -> String {
        format!("DELETE FROM {} WHERE `written` < UTC_TIMESTAMP() - INTERVAL 7 DAY", self.table())
    }

    /// The statement that writes the next heartbeat.
    pub fn next_statement(&self) -> String {
        format!("REPLACE INTO {} VALUES ({}, {}, UTC_TIMESTAMP())", self.table(), self.run(), self.next())
    }

    /// The statement that removes the run's row.
    pub fn end_statement(&self) -> String {
        format!("DELETE FROM {} WHERE `run` = {}", self.table(), self.run())
    }

    /// The query for a replica's last heartbeat: one row with its number, or none.
    pub fn query(&self) -> String {
        format!("SELECT `beat` FROM {} WHERE `run` = {}", self.table(), self.run())
    }

    /// The next heartbeat was written at this time, after so many bytes were settled.
    pub fn written(&mut self, at: Duration, settled: u64) {
        self.written.push_back((at, settled));
    }

    /// How far a replica is behind at this time whose last heartbeat is `last`.
    pub fn lag(&self, last: Option<u64>, now: Duration) -> Lag {
        let Some(last) = last else { return Lag::NoneYet };
        let missing = last.saturating_add(1).saturating_sub(self.first);
        let written = usize::try_from(missing).ok().and_then(|missing| self.written.get(missing));
        Lag::Behind(written.map_or(Duration::ZERO, |(written, _)| now.saturating_sub(*written)))
    }

    /// How many bytes a replica has for sure whose last heartbeat is `last`.
    pub fn applied(&self, last: u64) -> u64 {
        let has = usize::try_from(last.saturating_add(1).saturating_sub(self.first))
            .unwrap_or(usize::MAX)
            .min(self.written.len());
        has.checked_sub(1).map_or(self.settled_before, |newest| self.written[newest].1)
    }

    /// Forgets the heartbeats before this one, which every replica has.
    pub fn forget_before(&mut self, beat: u64) {
        while self.first < beat
            && let Some((_, settled)) = self.written.pop_front()
        {
            self.first += 1;
            self.settled_before = settled;
        }
    }

    fn next(&self) -> u64 {
        self.first + self.written.len() as u64
    }

    fn run(&self) -> String {
        format!("x'{:032x}'", self.run)
    }

    fn table(&self) -> String {
        quote_table(&self.schema, Self::TABLE)
    }
}

/// What a load has sent and stored, in bytes of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that lanes have taken: they come to the replica whatever is decided now.
    pub taken: u64,
    /// Those of them whose chunk is committed, or will not be.
    pub settled: u64,
}

/// How fast a replica applies what the load stores, by its last readings.
///
/// What a load stores now is seen on a replica when that has applied all that was stored before. So the lag that a row comes to is the backlog before
/// it, divided by the speed of the replica. A load that compares the lag itself waits too late if the replica is slow, as the lag grows until
/// the backlog is applied, and continues too late, as the lag falls when there is no backlog any more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    /// What the replica applied while it was busy, and in which time: sums in which older readings count less.
    bytes: f64,
    seconds: f64,
    last: Option<Reading>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    at: Duration,
    /// Bytes that the replica has for sure.
    applied: u64,
    /// It had not all that was committed.
    is_busy: bool,
}

impl Pace {
    /// Takes in that the replica has `applied` bytes at this time.
    pub fn take(&mut self, applied: u64, progress: Progress, now: Duration) {
        let is_busy = applied < progress.settled;
        if let Some(last) = self.last
            && last.is_busy
        {
            let bytes = applied.saturating_sub(last.applied) as f64;
            let seconds = now.saturating_sub(last.at).as_secs_f64();
            // A replica that became idle meanwhile is at least as fast as it looks.
            if is_busy || self.rate().is_none_or(|rate| bytes > rate * seconds) {
                let keeps = 0.5_f64.powf(seconds / HALF_LIFE.as_secs_f64());
                self.bytes = self.bytes * keeps + bytes;
                self.seconds = self.seconds * keeps + seconds;
            }
        }
        self.last = Some(Reading { at: now, applied, is_busy });
    }

    /// Bytes a second; `None` until the replica was busy for [`LEAST_SPAN`] and has applied something.
    pub fn rate(&self) -> Option<f64> {
        (self.seconds >= LEAST_SPAN.as_secs_f64() && self.bytes > 0.0).then(|| self.bytes / self.seconds)
    }

    /// The lag to which a row comes that is stored now: it is at least the present one.
    pub fn expected(&self, lag: Duration, progress: Progress) -> Duration {
        let backlog = progress.taken.saturating_sub(self.last.map_or(0, |last| last.applied));
        let expected = match self.rate() {
            Some(rate) => Duration::try_from_secs_f64(backlog as f64 / rate).unwrap_or(Duration::MAX),
            None if backlog > 0 => lag * UNKNOWN_PACE,
            None => Duration::ZERO,
        };
        expected.max(lag)
    }

    /// How many bytes lanes may have taken, from the start of the load on, before the lag comes to this.
    pub fn most_taken(&self, lag: Duration) -> Option<u64> {
        let applied = self.last?.applied;
        Some(applied.saturating_add((self.rate()? * lag.as_secs_f64()) as u64))
    }
}

/// After this time a reading counts half.
const HALF_LIFE: Duration = Duration::from_secs(3);

/// Of a shorter time a single slow answer would look like a slow replica.
const LEAST_SPAN: Duration = Duration::from_millis(900);

/// While its speed is not known, a replica may need this many times the time in which its backlog came to be.
const UNKNOWN_PACE: u32 = 4;

/// The queries for the replicas that a server knows, in the order to try them: the older one for MariaDB and old MySQL.
pub const REPLICAS: [&str; 2] = ["SHOW REPLICAS", "SHOW SLAVE HOSTS"];

/// The host and the port in a row of [`REPLICAS`]. The host is empty where the replica has no `report_host`.
pub fn host_and_port(row: &[String]) -> Option<(&str, u16)> {
    // (id, host, port, source, ..), or with show_replica_auth_info (id, host, user, password, port, source, ..).
    let port = if row.len() >= 6 { 4 } else { 2 };
    Some((row.get(1)?, row.get(port)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heartbeats at these seconds, a replica that has the last one, and its lag at a time.
    #[track_caller]
    fn check(written: &[u64], forgotten_before: u64, last: Option<u64>, now: u64, want: &Lag) {
        let mut beats = Heartbeats::new("shop", 7);
        written.iter().for_each(|at| beats.written(Duration::from_secs(*at), 0));
        beats.forget_before(forgotten_before);
        assert_eq!(&beats.lag(last, Duration::from_secs(now)), want, "{written:?} {last:?} {now}");
        assert_eq!(beats.next(), written.len() as u64 + 1);
    }

    #[test]
    fn a_replica_is_as_far_behind_as_the_oldest_heartbeat_it_lacks_is_old() {
        let behind = |seconds| Lag::Behind(Duration::from_secs(seconds));
        check(&[1, 2, 3], 0, None, 9, &Lag::NoneYet);
        check(&[], 0, None, 9, &Lag::NoneYet);
        check(&[1, 2, 3], 0, Some(3), 9, &behind(0));
        check(&[1, 2, 3], 0, Some(2), 9, &behind(6));
        check(&[1, 2, 3], 0, Some(1), 9, &behind(7));
        check(&[1, 2, 3], 0, Some(0), 9, &behind(8));
        // What was forgotten, numbers that were never written, a clock that lags.
        check(&[1, 2, 3], 3, Some(2), 9, &behind(6));
        check(&[1, 2, 3], 3, Some(1), 9, &behind(6));
        check(&[1, 2, 3], 9, Some(3), 9, &behind(0));
        check(&[1, 2, 3], u64::MAX, Some(1), 9, &behind(0));
        check(&[1, 2, 3], 0, Some(u64::MAX), 9, &behind(0));
        check(&[1, 2, 3], 0, Some(1), 0, &behind(0));
    }

    #[test]
    fn a_replica_has_what_was_settled_before_its_last_heartbeat() {
        let mut beats = Heartbeats::new("shop", 7);
        [0, 10, 30].iter().for_each(|settled| beats.written(Duration::ZERO, *settled));
        assert_eq!([0, 1, 2, 3, u64::MAX - 1].map(|last| beats.applied(last)), [0, 0, 10, 30, 30]);
        beats.forget_before(3);
        assert_eq!([1, 2, 3].map(|last| beats.applied(last)), [10, 10, 30]);
    }

    /// Readings half a second apart of (lag in ms, bytes applied, settled, taken), and the lags that are expected, in ms.
    #[track_caller]
    fn expects(readings: &[(u64, u64, u64, u64)], want: &[u64]) -> Pace {
        let mut pace = Pace::default();
        let expected = |(half_seconds, (lag, applied, settled, taken)): (u64, &(u64, u64, u64, u64))| {
            let progress = Progress { taken: *taken, settled: *settled };
            pace.take(*applied, progress, Duration::from_millis(500 * half_seconds));
            pace.expected(Duration::from_millis(*lag), progress).as_millis() as u64
        };
        assert_eq!((10..).zip(readings).map(expected).collect::<Vec<_>>(), want, "{readings:?}");
        pace
    }

    #[test]
    fn a_backlog_is_a_lag_once_the_pace_of_a_replica_is_known() {
        // Nothing was sent by the load: the lag is of others.
        expects(&[(0, 0, 0, 0), (700, 0, 0, 0), (1200, 0, 0, 0)], &[0, 700, 1200]);
        // It keeps up, so that no pace is known: what is on its way counts little.
        expects(&[(0, 0, 0, 50), (0, 50, 50, 100), (10, 100, 100, 150)], &[0, 0, 40]);
        // 100 bytes a second, of 200 that are stored.
        let slow = [(0, 0, 100, 100), (250, 50, 200, 200), (500, 100, 300, 300), (750, 150, 400, 400)];
        let pace = expects(&slow, &[0, 1000, 2000, 2500]);
        assert_eq!(pace.most_taken(Duration::from_secs(3)), Some(450));
        // The load waits: its backlog falls, while the lag still grows.
        let waits = [(1000, 200, 400, 400), (1200, 250, 400, 400), (1200, 400, 400, 400)];
        expects(&[&slow[..], &waits].concat(), &[0, 1000, 2000, 2500, 2000, 1500, 1200]);
        // It applies nothing.
        expects(&[(0, 0, 9, 9), (500, 0, 9, 9), (1000, 0, 9, 9)], &[0, 2000, 4000]);
    }

    #[test]
    fn a_replica_that_was_idle_meanwhile_is_no_slower_for_it() {
        let busy = [(0, 0, 300, 300), (0, 50, 300, 300), (0, 100, 300, 300)];
        let idle = [(0, 110, 110, 300), (0, 110, 110, 300), (0, 120, 120, 300)];
        let pace = expects(&[&busy[..], &idle].concat(), &[0, 0, 2000, 1900, 1900, 1800]);
        assert_eq!(pace.rate(), Some(100.0));
    }

    #[test]
    fn statements() {
        let beats = Heartbeats::new("my`shop", 0xab);
        let run = "x'000000000000000000000000000000ab'";
        assert_eq!(
            beats.next_statement(),
            format!("REPLACE INTO `my``shop`.`inrush_heartbeat` VALUES ({run}, 1, UTC_TIMESTAMP())")
        );
        assert_eq!(beats.query(), format!("SELECT `beat` FROM `my``shop`.`inrush_heartbeat` WHERE `run` = {run}"));
        assert_eq!(beats.end_statement(), format!("DELETE FROM `my``shop`.`inrush_heartbeat` WHERE `run` = {run}"));
    }

    #[test]
    fn addresses_of_replicas() {
        let check = |row: &[&str], want: Option<(&str, u16)>| {
            let row: Vec<String> = row.iter().map(ToString::to_string).collect();
            assert_eq!(host_and_port(&row), want, "{row:?}");
        };
        check(&["2", "db2", "3307", "1"], Some(("db2", 3307)));
        check(&["2", "db2", "3307", "1", "0f3e-uuid"], Some(("db2", 3307)));
        check(&["2", "db2", "7", "7", "3307", "1"], Some(("db2", 3307)));
        check(&["2", "", "3306", "1", "0f3e-uuid"], Some(("", 3306)));
        check(&["2", "db2", "x", "1"], None);
        check(&["2"], None);
    }
}
