//! When a load yields to others: limits on what a server reports of itself, and the decision to wait and to continue.
//!
//! Pure: names and values of SHOW GLOBAL STATUS and the lags of replicas come in, decisions go out.

use super::lag::{Lag, ReplicaLag};
use crate::error::Error;
use crate::human;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

/// What a server reports of itself, as SHOW GLOBAL STATUS has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Threads that run a statement, those of the load and the query of the status included (`Threads_running`).
    ThreadsRunning,
    /// Undo logs that are not purged yet (`Innodb_history_list_length`; in MySQL the counter `trx_rseg_history_len` of
    /// information_schema.INNODB_METRICS, for which a user needs the right PROCESS).
    History,
    /// The share of the time in which a Galera node waited for a slower one, since the last reading (`wsrep_flow_control_paused_ns`).
    FlowControl,
    /// The share of the redo log that a checkpoint must not leave behind (MariaDB: `Innodb_checkpoint_age` of
    /// `Innodb_checkpoint_max_age`; MySQL: `Innodb_redo_log_logical_size` of `Innodb_redo_log_capacity_resized`).
    CheckpointAge,
}

impl Signal {
    /// All, with their names.
    pub const ALL: [(&str, Self); 4] = [
        ("threads-running", Self::ThreadsRunning),
        ("history", Self::History),
        ("flow-control", Self::FlowControl),
        ("checkpoint-age", Self::CheckpointAge),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, signal)| *signal == self).map_or("", |(name, _)| name)
    }

    /// The variables that it is computed of.
    fn variables(self) -> &'static [&'static str] {
        match self {
            Self::ThreadsRunning => &["Threads_running"],
            Self::History => &[HISTORY],
            Self::FlowControl => &["wsrep_flow_control_paused_ns"],
            Self::CheckpointAge => &[
                "Innodb_checkpoint_age",
                "Innodb_checkpoint_max_age",
                LOGICAL_SIZE,
                "Innodb_redo_log_capacity_resized",
            ],
        }
    }

    fn is_share(self) -> bool {
        matches!(self, Self::FlowControl | Self::CheckpointAge)
    }

    /// A value in words.
    fn text(self, value: f64) -> String {
        if self.is_share() { format!("{value:.0} %") } else { human::exact(value.max(0.0) as u64) }
    }

    /// The value, in its unit (a number, or percent). `before` is the reading before this one. `None`: the server does not report it.
    fn value(self, now: &Status, before: Option<&Status>) -> Option<f64> {
        let percent = |part: f64, of: f64| (of > 0.0).then(|| 100.0 * part / of);
        match self {
            Self::ThreadsRunning => now.get("Threads_running"),
            Self::History => now.get(HISTORY),
            Self::FlowControl => {
                let (total, before) = (now.get("wsrep_flow_control_paused_ns")?, before.unwrap_or(now));
                let time = now.at.saturating_sub(before.at).as_nanos() as f64;
                // Of a first reading, and of a node that has started again, no share is known.
                let paused = total - before.get("wsrep_flow_control_paused_ns").unwrap_or(total);
                Some(percent(paused.max(0.0), time).unwrap_or(0.0))
            }
            Self::CheckpointAge => match now.get("Innodb_checkpoint_age") {
                Some(age) => percent(age, now.get("Innodb_checkpoint_max_age")?),
                None => percent(now.get(LOGICAL_SIZE)?, now.get("Innodb_redo_log_capacity_resized")?),
            },
        }
    }
}

/// The most that a signal may be while a load continues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// Of what.
    pub signal: Signal,
    /// A number, or percent.
    pub most: f64,
}

impl Ceiling {
    /// Parses the name of a signal and its limit with `=` between: a number such as 40 or 1M, or a share such as 5%.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, most) = text.split_once('=')?;
        let (_, signal) = *Signal::ALL.iter().find(|(known, _)| *known == name.trim())?;
        let most = most.trim();
        let most = match most.strip_suffix('%') {
            Some(percent) if signal.is_share() => percent.trim_end().parse().ok().filter(|most| *most < 100.0)?,
            None if !signal.is_share() => human::rate_of(most)? as f64,
            _ => return None,
        };
        (most > 0.0).then_some(Self { signal, most })
    }
}

impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of at most {}", self.signal.name(), self.signal.text(self.most))
    }
}

/// One reading of the variables.
#[derive(Clone, Debug)]
pub struct Status {
    /// When it was read, on any clock that does not go back.
    at: Duration,
    /// By names in lower case, in which servers differ.
    values: HashMap<String, f64>,
}

impl Status {
    /// What the server reported at this time: names and values. Values that are no numbers are left out.
    pub fn new<'a>(at: Duration, rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let number = |(name, value): (&str, &str)| Some((name.to_ascii_lowercase(), value.parse().ok()?));
        Self { at, values: rows.into_iter().filter_map(number).collect() }
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.values.get(&name.to_ascii_lowercase()).copied()
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
/// so that it does not alternate with each reading. A replica whose lag is not known counts as one that lags.
#[derive(Debug)]
pub struct Throttle {
    ceilings: Vec<Ceiling>,
    max_lag: Duration,
    before: Option<Status>,
    waits: bool,
    over: String,
}

impl Throttle {
    /// With these ceilings; the load does not wait yet.
    pub fn new(ceilings: Vec<Ceiling>) -> Self {
        Self { ceilings, max_lag: Duration::MAX, before: None, waits: false, over: String::new() }
    }

    /// The same with the greatest lag that a replica may have.
    #[must_use]
    pub fn with_max_lag(mut self, max_lag: Duration) -> Self {
        self.max_lag = max_lag;
        self
    }

    /// With these ceilings it was made.
    pub fn ceilings(&self) -> &[Ceiling] {
        &self.ceilings
    }

    /// The query of the variables: rows of a name and a value.
    pub fn query(&self) -> String {
        let names = self.ceilings.iter().flat_map(|ceiling| ceiling.signal.variables());
        let names: Vec<_> = names.map(|name| format!("'{name}'")).collect();
        format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({})", names.join(", "))
    }

    /// The query to run as well where the status lacks one that is wanted: rows of the same kind.
    pub fn more(&self, status: &Status) -> Option<String> {
        let wants_history = self.ceilings.iter().any(|ceiling| ceiling.signal == Signal::History);
        (wants_history && status.get(HISTORY).is_none()).then(|| {
            format!(
                "SELECT '{HISTORY}', COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len' AND STATUS = 'enabled'"
            )
        })
    }

    /// Whether the load is to wait, by the last reading.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// What exceeded its limit, by the last reading in which something did since the load waits.
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
    ) -> Result<Option<Turn>, Signal> {
        let mut over = Vec::new();
        let mut is_low = status.is_some() || self.ceilings.is_empty();
        if let Some(status) = &status {
            for Ceiling { signal, most } in &self.ceilings {
                let value = signal.value(status, self.before.as_ref()).ok_or(*signal)?;
                is_low &= value <= most * LOW;
                if value > *most {
                    over.push(format!("`{}` is {}, at most {}", signal.name(), signal.text(value), signal.text(*most)));
                }
            }
        }
        match lags {
            Ok(lags) => {
                for lag in lags {
                    is_low &= matches!(&lag.lag, Lag::Behind(lag) if *lag <= self.max_lag.mul_f64(LOW));
                    over.extend(self.over_max_lag(lag));
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
                self.over.clear();
                Some(Turn::Continues)
            }
            _ => None,
        })
    }

    /// Why the load is to wait for this replica, if it is.
    fn over_max_lag(&self, ReplicaLag { replica, lag }: &ReplicaLag) -> Option<String> {
        match lag {
            Lag::Behind(lag) if *lag <= self.max_lag => None,
            Lag::Behind(lag) => {
                let (lag, most) = (human::time(*lag), human::time(self.max_lag));
                Some(format!("the lag of replica `{replica}` is {lag}, more than {most}"))
            }
            Lag::NoneYet => Some(format!(
                "replica `{replica}` has no heartbeat of this load yet; are its replication threads running (SHOW REPLICA STATUS)?"
            )),
            Lag::Unread(reason) => Some(format!("the lag of replica `{replica}` is not known: {reason}")),
        }
    }
}

/// The share of a ceiling at which a load that waits continues.
pub const LOW: f64 = 0.8;

const HISTORY: &str = "Innodb_history_list_length";
const LOGICAL_SIZE: &str = "Innodb_redo_log_logical_size";

#[cfg(test)]
mod tests {
    use super::*;

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
            match throttle.take(Some(status), Ok(&[])) {
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
    fn all_signals_must_be_low_again() {
        let ceilings = ["threads-running=10", "history=100"].map(|text| Ceiling::parse(text).unwrap());
        let mut throttle = Throttle::new(ceilings.to_vec());
        let mut read = |threads, history| {
            let status = Status::new(Duration::ZERO, [("Threads_running", threads), (HISTORY, history)]);
            throttle.take(Some(status), Ok(&[])).unwrap()
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
            let lags = lags.into_iter().zip(["a", "b"]).map(|(lag, name)| ReplicaLag { replica: name.into(), lag });
            let turn = throttle.take(None, Ok(&lags.collect::<Vec<_>>())).unwrap();
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
        assert_eq!(read([behind(4000), behind(4000)]), (Some(Turn::Continues), String::new()));
        assert_eq!(read([behind(0), behind(61_000)]), waits("the lag of replica `b` is 1 min 1 s, more than 5.0 s"));
    }

    #[test]
    fn a_load_waits_while_no_heartbeat_can_be_written() {
        let ceilings = vec![Ceiling::parse("threads-running=10").unwrap()];
        let mut throttle = Throttle::new(ceilings).with_max_lag(Duration::from_secs(5));
        let low = || Some(Status::new(Duration::ZERO, [("Threads_running", "1")]));
        let error = Error::config("refused");
        let words = "no heartbeat can be written for `--max-lag`: refused";
        assert_eq!(throttle.take(None, Err(&error)), Ok(Some(Turn::Waits(words.into()))));
        assert_eq!(throttle.take(low(), Err(&error)), Ok(None));
        // A signal that cannot be read changes nothing.
        assert_eq!(throttle.take(None, Ok(&[])), Ok(None));
        assert_eq!(throttle.take(low(), Ok(&[])), Ok(Some(Turn::Continues)));
        assert_eq!(throttle.take(None, Ok(&[])), Ok(None));
    }

    #[test]
    fn queries_name_what_is_wanted() {
        let throttle = Throttle::new(vec![Ceiling::parse("history=1").unwrap()]);
        assert_eq!(throttle.query(), "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_history_list_length')");
        assert!(throttle.more(&Status::new(Duration::ZERO, [])).is_some());
        assert_eq!(throttle.more(&Status::new(Duration::ZERO, [(HISTORY, "5")])), None);
    }
}
