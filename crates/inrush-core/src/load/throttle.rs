//! When a load yields to others: limits on what a server reports of itself, and the decision to wait and to continue; which of the waits are
//! reported (`wait_reports`), what is read (`signal`).
//!
//! Pure: names and values of SHOW GLOBAL STATUS and the lags of replicas come in, decisions go out.

mod signal;
pub mod wait_reports;

use super::lag::{Lag, Progress, ReplicaLag};
use crate::error::Error;
use crate::human;
pub use signal::{Ceiling, CommitLatency, Signal, Status};
use std::fmt;
use std::time::Duration;

/// A signal that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Which.
    pub signal: Signal,
    /// The server's error; `None`: it does not report the signal.
    pub reason: Option<String>,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.signal.name();
        match &self.reason {
            None => write!(f, "this server does not report `{name}`"),
            Some(reason) => write!(f, "`{name}` cannot be read: {reason}"),
        }
    }
}

/// What follows from a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The load is to wait: the reasons.
    Waits(String),
    /// The load is to continue.
    Continues,
}

/// Decides when a load waits.
///
/// It waits as soon as one signal exceeds its ceiling or a replica the greatest lag, and continues when all are at [`LOW`] of theirs or below,
/// so that it does not alternate with each reading. It also waits when its own backlog would bring a replica to [`BACKLOG`] of the greatest lag, so that the
/// lag stays below it. A replica whose lag is not known counts as one that lags.
#[derive(Debug)]
pub struct Throttle {
    ceilings: Vec<Ceiling>,
    max_lag: Duration,
    before: Option<Status>,
    ignores_unread: bool,
    waits: bool,
    over: String,
    unproven_batch: usize,
}

impl Throttle {
    /// With these ceilings; the load does not wait yet.
    pub fn new(ceilings: Vec<Ceiling>) -> Self {
        Self {
            ceilings,
            max_lag: Duration::MAX,
            before: None,
            ignores_unread: false,
            waits: false,
            over: String::new(),
            unproven_batch: FIRST_BATCH,
        }
    }

    /// The same with the greatest lag that a replica may have.
    #[must_use]
    pub fn with_max_lag(mut self, max_lag: Duration) -> Self {
        self.max_lag = max_lag;
        self
    }

    /// The same that continues while signals cannot be read.
    #[must_use]
    pub fn with_ignored_signals(mut self, ignores_unread: bool) -> Self {
        self.ignores_unread = ignores_unread;
        self
    }

    /// With these ceilings it was made.
    pub fn ceilings(&self) -> &[Ceiling] {
        &self.ceilings
    }

    /// Yields to this signal no longer.
    pub fn leave_out(&mut self, signal: Signal) {
        self.ceilings.retain(|ceiling| ceiling.signal != signal);
    }

    /// The query of the variables, rows of a name and a value; `None` if no signal is computed of them.
    pub fn query(&self) -> Option<String> {
        let names = self.ceilings.iter().flat_map(|ceiling| ceiling.signal.variables());
        let names: Vec<_> = names.map(|name| format!("'{name}'")).collect();
        (!names.is_empty()).then(|| format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({})", names.join(", ")))
    }

    /// The queries to run as well for what the status lacks: each has rows of the same kind.
    pub fn more(&self, status: &Status) -> Vec<(Signal, &'static str)> {
        let signals = self.ceilings.iter().map(|ceiling| ceiling.signal);
        signals.filter_map(|signal| Some((signal, signal.query(status)?))).collect()
    }

    /// Whether `signal` is one of those that it yields to.
    pub fn yields_to(&self, signal: Signal) -> bool {
        self.ceilings.iter().any(|ceiling| ceiling.signal == signal)
    }

    /// Nothing is known of the server: the load is to wait for this reason. Returns whether it did not wait before.
    pub fn wait_for(&mut self, reason: &str) -> bool {
        reason.clone_into(&mut self.over);
        !std::mem::replace(&mut self.waits, true)
    }

    /// Whether the load is to wait, by the last reading.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// What exceeded its limit, by the last reading in which something did.
    pub fn over(&self) -> &str {
        &self.over
    }

    /// Takes a reading in. Returns what changes by it. `status`: `None` if it could not be read; then a load that waits because of it
    /// still waits. `lags`: the error of the heartbeat if none could be written; then the load waits.
    ///
    /// # Errors
    /// The signal that the server does not report. The decision stays as it was.
    pub fn take(
        &mut self,
        status: Option<Status>,
        lags: Result<&[ReplicaLag], &Error>,
        progress: Progress,
    ) -> Result<Option<Turn>, Unread> {
        let mut over = Vec::new();
        let mut is_low = status.is_some() || self.ceilings.is_empty() || self.ignores_unread;
        if let Some(status) = &status {
            for Ceiling { signal, most } in &self.ceilings {
                let value = signal.value(status, self.before.as_ref());
                let value = value.ok_or(Unread { signal: *signal, reason: None })?;
                // Of threads one is always the one that asks, and a multiple of 1 is as it was before the load.
                is_low &= value <= if *most < 1.0 { most * LOW } else { (most * LOW).max(1.0) };
                if value > *most {
                    over.push(format!("`{}` is {}, at most {}", signal.name(), signal.text(value), signal.text(*most)));
                }
            }
        }
        match lags {
            Ok(lags) => {
                for replica in lags {
                    is_low &= matches!(&replica.lag, Lag::Behind(lag) if *lag <= self.max_lag.mul_f64(LOW)
                        && replica.pace.expected(*lag, progress) <= self.max_lag.mul_f64(BACKLOG * LOW).max(*lag));
                    over.extend(self.over_max_lag(replica, progress));
                }
            }
            Err(error) => {
                is_low = false;
                over.push(format!("no heartbeat can be written for `--max-lag`: {error}"));
            }
        }
        self.before = status.or(self.before.take());
        if !over.is_empty() {
            self.over = over.join("; ");
        }
        Ok(match self.waits {
            false if !over.is_empty() => {
                self.waits = true;
                Some(Turn::Waits(self.over.clone()))
            }
            true if is_low => {
                self.waits = false;
                Some(Turn::Continues)
            }
            _ => None,
        })
    }

    /// How much may be on its way to replicas until the next reading; `None` while no replica's speed is known.
    pub fn most_taken(&self, lags: &[ReplicaLag]) -> Option<u64> {
        lags.iter().filter_map(|replica| replica.pace.most_taken(self.max_lag)).min()
    }

    /// How large a batch may be, so that the slowest replica applies it in a small part of the greatest lag. While its speed is not known, it grows with
    /// each reading in which no replica lags.
    pub fn most_batch_bytes(&mut self, lags: &[ReplicaLag]) -> usize {
        let slowest = lags.iter().filter_map(|replica| replica.pace.rate()).reduce(f64::min);
        if let Some(slowest) = slowest {
            return ((slowest * self.max_lag.as_secs_f64() * BATCH) as usize).max(LEAST_BATCH);
        }
        let bytes = self.unproven_batch;
        let keeps_up =
            |replica: &ReplicaLag| matches!(replica.lag, Lag::Behind(lag) if lag <= self.max_lag.mul_f64(BATCH));
        if lags.iter().all(keeps_up) {
            self.unproven_batch = bytes.saturating_mul(2);
        }
        bytes
    }

    /// Why the load is to wait for this replica, if it is.
    fn over_max_lag(&self, ReplicaLag { replica, lag, pace }: &ReplicaLag, progress: Progress) -> Option<String> {
        match lag {
            Lag::Behind(lag) => {
                let most = human::time(self.max_lag);
                let expected = pace.expected(*lag, progress);
                if *lag > self.max_lag {
                    let lag = human::time(*lag);
                    return Some(format!("the lag of replica `{replica}` is {lag}, more than {most}"));
                }
                (expected > *lag && expected > self.max_lag.mul_f64(BACKLOG)).then(|| {
                    let expected = human::time(expected);
                    format!(
                        "the lag of replica `{replica}` would grow to {expected} by what is on its way, at most {most}"
                    )
                })
            }
            Lag::NoneYet => Some(format!(
                "replica `{replica}` has no heartbeat of this load yet; are its replication threads running (SHOW REPLICA STATUS)?"
            )),
            Lag::Unread(reason) => Some(format!("the lag of replica `{replica}` is not known: {reason}")),
        }
    }
}

/// The share of the greatest lag to which a load may bring a replica by its own backlog, from one reading to the next.
pub const BACKLOG: f64 = 0.8;

/// The share of the greatest lag that one batch may take a replica: several of them are on their way at the same time.
const BATCH: f64 = 0.1;

/// Smaller transactions cost more than they spare.
const LEAST_BATCH: usize = 64 << 10;

/// The size of a batch before anything is known of the replicas.
const FIRST_BATCH: usize = 256 << 10;

/// The share of a ceiling at which a load that waits continues.
pub const LOW: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: &str = "Innodb_history_list_length";
    const LOGICAL_SIZE: &str = "Innodb_redo_log_logical_size";

    #[test]
    fn ceilings() {
        let cases = [
            ("threads-running=40", Some("`threads-running` of at most 40")),
            ("history=1M", Some("`history` of at most 1,000,000")),
            (" flow-control = 5% ", Some("`flow-control` of at most 5 %")),
            ("checkpoint-age=75%", Some("`checkpoint-age` of at most 75 %")),
            ("checkpoint-age=0.75", None),
            ("checkpoint-age=100%", None),
            ("threads-running=40%", None),
            ("threads-running=0", None),
            ("group-queue=10k", Some("`group-queue` of at most 10,000")),
            ("group-queue=5%", None),
            ("commit-latency = 1.5x", Some("`commit-latency` of at most 1.5x")),
            ("commit-latency=3 x", Some("`commit-latency` of at most 3.0x")),
            ("commit-latency=1x", None),
            ("commit-latency=infx", None),
            ("commit-latency=3", None),
            ("threads-running", None),
            ("load=3", None),
            ("", None),
        ];
        for (text, want) in cases {
            let parsed = Ceiling::parse(text).map(|ceiling| ceiling.to_string());
            assert_eq!(parsed.as_deref(), want, "{text}");
        }
    }

    /// Readings a second apart of one variable under one ceiling: `.` nothing changes, `w` waits, `g` continues.
    #[track_caller]
    fn check(ceiling: &str, name: &str, readings: &[&str], want: &str) {
        let mut throttle = Throttle::new(vec![Ceiling::parse(ceiling).unwrap()]);
        let turn = |(second, value): (u64, &&str)| {
            let status = Status::new(Duration::from_secs(second), name.split(' ').zip(value.split(' ')));
            match throttle.take(Some(status), Ok(&[]), Progress::default()) {
                Ok(None) => '.',
                Ok(Some(Turn::Waits(_))) => 'w',
                Ok(Some(Turn::Continues)) => 'g',
                Err(_) => '?',
            }
        };
        assert_eq!((0..).zip(readings).map(turn).collect::<String>(), want, "{ceiling} {readings:?}");
    }

    #[test]
    fn a_load_waits_above_its_ceiling_and_goes_on_below_it() {
        let threads = "THREADS_RUNNING";
        check("threads-running=10", threads, &["1", "10", "11", "12", "10", "9", "8", "9", "11"], "..w...g.w");
        check("threads-running=10", threads, &["11", "", "x", "8"], "w??g");
        // The one that asks is running, too.
        check("threads-running=1", threads, &["1", "2", "1"], ".wg");
        check("history=1k", HISTORY, &["1000", "1001", "801", "800"], ".w.g");
        check("flow-control=20%", "wsrep_flow_control_paused_ns", &["900", "900", "250000900", "250000900"], "..wg");
        // A node that starts again counts from 0.
        check("flow-control=20%", "wsrep_flow_control_paused_ns", &["900000000", "5", "6"], "...");
        check(
            "checkpoint-age=50%",
            "Innodb_checkpoint_age Innodb_checkpoint_max_age",
            &["50 100", "51 100", "40 100"],
            ".wg",
        );
        let redo = format!("{LOGICAL_SIZE} Innodb_redo_log_capacity_resized");
        check("checkpoint-age=50%", &redo, &["50 100", "51 100", "41 100", "40 100"], ".w.g");
        check("checkpoint-age=50%", &redo, &["50 0"], "?");
    }

    #[test]
    fn a_queue_of_a_group_and_a_latency() {
        check("group-queue=10", "group_queue", &["0", "11", "9", "8", "NULL"], ".w.g?");
        let mut throttle = Throttle::new(vec![Ceiling::parse("commit-latency=2x").unwrap()]);
        let mut read = |times: Option<f64>| {
            let status = Status::new(Duration::ZERO, []);
            let status = times.map_or(status.clone(), |times| status.with_commit_latency(times));
            throttle.take(Some(status), Ok(&[]), Progress::default()).unwrap()
        };
        // Before the first row nothing is known.
        assert_eq!([None, Some(1.9)].map(&mut read), [None, None]);
        assert_eq!(read(Some(2.1)), Some(Turn::Waits("`commit-latency` is 2.1x, at most 2.0x".into())));
        assert_eq!([1.7, 1.6].map(|times| read(Some(times))), [None, Some(Turn::Continues)]);
    }

    #[test]
    fn a_load_waits_while_nothing_is_known() {
        let mut throttle = Throttle::new(vec![Ceiling::parse("history=10").unwrap()]);
        assert!(throttle.wait_for("gone") && !throttle.wait_for("still gone"));
        assert_eq!((throttle.waits(), throttle.over()), (true, "still gone"));
        let status = Status::new(Duration::ZERO, [(HISTORY, "1")]);
        assert_eq!(throttle.take(Some(status), Ok(&[]), Progress::default()), Ok(Some(Turn::Continues)));
        throttle.leave_out(Signal::History);
        assert_eq!((throttle.ceilings(), throttle.query()), (&[][..], None));
    }

    #[test]
    fn all_signals_must_be_low_again() {
        let ceilings = ["threads-running=10", "history=100"].map(|text| Ceiling::parse(text).unwrap());
        let mut throttle = Throttle::new(ceilings.to_vec());
        let mut read = |threads, history| {
            let status = Status::new(Duration::ZERO, [("Threads_running", threads), (HISTORY, history)]);
            throttle.take(Some(status), Ok(&[]), Progress::default()).unwrap()
        };
        let words = "`threads-running` is 11, at most 10; `history` is 1,200, at most 100";
        assert_eq!(read("11", "1200"), Some(Turn::Waits(words.into())));
        assert_eq!(read("1", "100"), None);
        assert_eq!(read("9", "1"), None);
        assert_eq!(read("8", "80"), Some(Turn::Continues));
    }

    #[test]
    fn a_load_waits_for_each_replica() {
        let mut throttle = Throttle::new(Vec::new()).with_max_lag(Duration::from_secs(5));
        let mut read = |lags: [Lag; 2]| {
            let lags = lags.into_iter().zip(["a", "b"]).map(|(lag, name)| ReplicaLag::new(name, lag));
            let turn = throttle.take(None, Ok(&lags.collect::<Vec<_>>()), Progress::default()).unwrap();
            (turn, throttle.over().to_owned())
        };
        let behind = |ms| Lag::Behind(Duration::from_millis(ms));
        let waits = |words: &str| (Some(Turn::Waits(words.into())), words.to_owned());
        let still = |words: &str| (None, words.to_owned());
        let none_yet =
            "replica `a` has no heartbeat of this load yet; are its replication threads running (SHOW REPLICA STATUS)?";
        assert_eq!(read([behind(0), behind(5000)]), still(""));
        assert_eq!(read([Lag::NoneYet, behind(0)]), waits(none_yet));
        // Between the two limits the reason is the last one.
        assert_eq!(read([behind(4001), behind(0)]), still(none_yet));
        assert_eq!(
            read([behind(0), Lag::Unread("refused".into())]),
            still("the lag of replica `b` is not known: refused")
        );
        let (turn, last) = read([behind(4000), behind(4000)]);
        assert_eq!((turn, last.as_str()), (Some(Turn::Continues), "the lag of replica `b` is not known: refused"));
        assert_eq!(read([behind(0), behind(61_000)]), waits("the lag of replica `b` is 1 min 1 s, more than 5.0 s"));
    }

    #[test]
    fn a_load_waits_while_no_heartbeat_can_be_written() {
        let ceilings = vec![Ceiling::parse("threads-running=10").unwrap()];
        let mut throttle = Throttle::new(ceilings).with_max_lag(Duration::from_secs(5));
        let low = || Some(Status::new(Duration::ZERO, [("Threads_running", "1")]));
        let error = Error::config("refused");
        let words = "no heartbeat can be written for `--max-lag`: refused";
        let mut take = |status, lags| throttle.take(status, lags, Progress::default());
        assert_eq!(take(None, Err(&error)), Ok(Some(Turn::Waits(words.into()))));
        assert_eq!(take(low(), Err(&error)), Ok(None));
        // A signal that cannot be read changes nothing.
        assert_eq!(take(None, Ok(&[])), Ok(None));
        assert_eq!(take(low(), Ok(&[])), Ok(Some(Turn::Continues)));
        assert_eq!(take(None, Ok(&[])), Ok(None));
    }

    /// A replica that applies 100 bytes a second, of which a load may leave it 5 s behind.
    #[test]
    fn a_load_waits_before_its_backlog_is_the_greatest_lag() {
        let mut throttle = Throttle::new(Vec::new()).with_max_lag(Duration::from_secs(5));
        let mut replica = ReplicaLag::new("a", Lag::Behind(Duration::ZERO));
        let mut read = |half_seconds: u64, taken| {
            let (applied, progress) = (50 * half_seconds, Progress { taken, settled: taken });
            replica.pace.take(applied, progress, Duration::from_millis(500 * half_seconds));
            let lags = [replica.clone()];
            let turn = throttle.take(None, Ok(&lags), progress).unwrap();
            (turn, throttle.most_taken(&lags), throttle.most_batch_bytes(&lags))
        };
        assert_eq!(read(0, 100), (None, None, FIRST_BATCH));
        assert_eq!(read(1, 200), (None, None, 2 * FIRST_BATCH));
        assert_eq!(read(2, 500), (None, Some(600), LEAST_BATCH));
        let words = "the lag of replica `a` would grow to 4.5 s by what is on its way, at most 5.0 s";
        assert_eq!(read(3, 600), (Some(Turn::Waits(words.into())), Some(650), LEAST_BATCH));
        assert_eq!(read(5, 600).0, None);
        assert_eq!(read(6, 600).0, Some(Turn::Continues));
    }

    #[test]
    fn queries_name_what_is_wanted() {
        let throttle = Throttle::new(vec![Ceiling::parse("history=1").unwrap()]);
        let query = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_history_list_length')";
        assert_eq!(throttle.query().as_deref(), Some(query));
        assert_eq!(throttle.more(&Status::new(Duration::ZERO, [])).len(), 1);
        assert_eq!(throttle.more(&Status::new(Duration::ZERO, [(HISTORY, "5")])), []);
    }
}
