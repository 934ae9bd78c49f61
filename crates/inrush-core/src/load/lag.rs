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
    /// The age of the oldest heartbeat that it lacks, zero if it has all of them; or what [`Pace::expected`] makes of it.
    Behind(Duration),
    /// It has none of this load yet.
    NoneYet,
    /// It cannot be read: the error.
    Unread(String),
}

/// A replica and how far it is behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaLag {
    /// The replica's address, for messages.
    pub replica: String,
    /// How far it is behind.
    pub lag: Lag,
}

/// The heartbeats of one run of a load.
#[derive(Clone, Debug)]
pub struct Heartbeats {
    schema: String,
    run: u128,
    /// The number of the oldest of `times`.
    first: u64,
    /// When those were written that a replica may lack.
    times: VecDeque<Duration>,
}

impl Heartbeats {
    /// The name of the table.
    pub const TABLE: &str = "inrush_heartbeat";

    /// Those of a run with this random id, in the schema of the ledger.
    pub fn new(schema: &str, run: u128) -> Self {
        Self { schema: schema.to_owned(), run, first: 1, times: VecDeque::new() }
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

    /// The next heartbeat was written at this time.
    pub fn written(&mut self, at: Duration) {
        self.times.push_back(at);
    }

    /// How far a replica is behind at this time whose last heartbeat is `last`.
    pub fn lag(&self, last: Option<u64>, now: Duration) -> Lag {
        let Some(last) = last else { return Lag::NoneYet };
        let missing = last.saturating_add(1).saturating_sub(self.first);
        let written = usize::try_from(missing).ok().and_then(|missing| self.times.get(missing));
        Lag::Behind(written.map_or(Duration::ZERO, |written| now.saturating_sub(*written)))
    }

    /// Forgets the heartbeats before this one, which every replica has.
    pub fn forget_before(&mut self, beat: u64) {
        while self.first < beat && self.times.pop_front().is_some() {
            self.first += 1;
        }
    }

    fn next(&self) -> u64 {
        self.first + self.times.len() as u64
    }

    fn run(&self) -> String {
        format!("x'{:032x}'", self.run)
    }

    fn table(&self) -> String {
        quote_table(&self.schema, Self::TABLE)
    }
}

/// How fast a replica applies what the source commits, by its last readings.
///
/// A replica of half the source's speed takes two seconds for what the source commits in one. A load that waits only when the lag is at its limit
/// would see it grow to twice the limit.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// When a reading was made, and up to which time the replica had everything then.
    readings: VecDeque<(Duration, Duration)>,
}

impl Pace {
    /// Takes the lag at this time in, and returns the lag that the replica comes to if the load waits from now on. It is the lag itself until
    /// the readings span [`LEAST_SPAN`].
    pub fn expected(&mut self, lag: Duration, now: Duration) -> Duration {
        let has = now.saturating_sub(lag);
        self.readings.push_back((now, has));
        while self.readings.get(1).is_some_and(|(at, _)| now.saturating_sub(*at) >= WINDOW) {
            self.readings.pop_front();
        }
        let (at, had) = self.readings[0];
        let span = now.saturating_sub(at);
        if span < LEAST_SPAN {
            return lag;
        }
        let pace = has.saturating_sub(had).as_secs_f64() / span.as_secs_f64();
        lag.div_f64(pace.clamp(LEAST_PACE, 1.0))
    }
}

/// The readings that count are about as old as this.
const WINDOW: Duration = Duration::from_secs(3);

/// Of a shorter time a single slow answer would look like a slow replica.
const LEAST_SPAN: Duration = Duration::from_millis(1500);

/// A replica that seems slower than this share of the source may only be busy with one long transaction.
const LEAST_PACE: f64 = 0.1;

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
        written.iter().for_each(|at| beats.written(Duration::from_secs(*at)));
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

    /// Lags read half a second apart, in milliseconds, and those that are expected.
    #[track_caller]
    fn expects(lags: &[u64], want: &[u64]) {
        let mut pace = Pace::default();
        let expected = |(half_seconds, lag): (u64, &u64)| {
            pace.expected(Duration::from_millis(*lag), Duration::from_millis(500 * half_seconds)).as_millis() as u64
        };
        assert_eq!((10..).zip(lags).map(expected).collect::<Vec<_>>(), want, "{lags:?}");
    }

    #[test]
    fn a_slow_replica_comes_to_a_greater_lag_once_its_pace_is_known() {
        expects(&[0, 0, 0, 0], &[0, 0, 0, 0]);
        // As fast as the source, with a lag that stays.
        expects(&[700, 700, 700, 700], &[700, 700, 700, 700]);
        // Half as fast: what it lacks takes it twice as long.
        expects(&[0, 250, 500, 750, 1000], &[0, 250, 500, 1500, 2000]);
        // It applies nothing.
        expects(&[0, 500, 1000, 1500, 2000], &[0, 500, 1000, 15_000, 20_000]);
        // It catches up.
        expects(&[0, 500, 1000, 500, 0], &[0, 500, 1000, 750, 0]);
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
