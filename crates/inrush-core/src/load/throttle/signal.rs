//! What a load yields to on its server: each signal is a file, with its name, its unit and how it is computed of what the server reports.
//!
//! Another signal is a file, its module here, a variant and its arm in `rules`.

mod checkpoint_age;
mod commit_latency;
mod flow_control;
mod group_queue;
mod history;
mod threads_running;

use crate::human;
pub use commit_latency::CommitLatency;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

/// What a server reports of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Threads that run a statement, those of the load and the query of the status included.
    ThreadsRunning,
    /// Undo logs that are not purged yet.
    History,
    /// The share of the time in which a Galera node waited for a slower one, since the last reading.
    FlowControl,
    /// The share of the redo log that a checkpoint must not leave behind.
    CheckpointAge,
    /// Transactions that a member of the group (Group Replication) has not certified or not applied yet.
    GroupQueue,
    /// How long a small transaction takes, as a multiple of what it took before the load.
    CommitLatency,
}

/// What a signal is.
pub(super) struct Rules {
    name: &'static str,
    unit: Unit,
    /// The variables of SHOW GLOBAL STATUS that it is computed of; servers differ in them.
    variables: &'static [&'static str],
    /// What to query if the status has no value for it: rows of a name and a value.
    query: Option<&'static str>,
    /// The value, of this reading and the one before. `None`: the server does not report it.
    value: fn(&Status, &Status) -> Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Number,
    Percent,
    /// As many times as before the load.
    Times,
}

impl Signal {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ThreadsRunning,
        Self::History,
        Self::FlowControl,
        Self::CheckpointAge,
        Self::GroupQueue,
        Self::CommitLatency,
    ];

    fn rules(self) -> &'static Rules {
        match self {
            Self::ThreadsRunning => &threads_running::RULES,
            Self::History => &history::RULES,
            Self::FlowControl => &flow_control::RULES,
            Self::CheckpointAge => &checkpoint_age::RULES,
            Self::GroupQueue => &group_queue::RULES,
            Self::CommitLatency => &commit_latency::RULES,
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.rules().name
    }

    pub(super) fn variables(self) -> &'static [&'static str] {
        self.rules().variables
    }

    /// The query to run as well where `status` has no value for it.
    pub(super) fn query(self, status: &Status) -> Option<&'static str> {
        self.rules().query.filter(|_| self.value(status, None).is_none())
    }

    /// A value in words.
    pub(super) fn text(self, value: f64) -> String {
        match self.rules().unit {
            Unit::Number => human::exact(value.max(0.0) as u64),
            Unit::Percent => format!("{value:.0} %"),
            Unit::Times => format!("{value:.1}x"),
        }
    }

    /// The value, in its unit. `None`: the server does not report it.
    pub(super) fn value(self, now: &Status, before: Option<&Status>) -> Option<f64> {
        (self.rules().value)(now, before.unwrap_or(now))
    }
}

/// The most that a signal may be while a load continues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// Of what.
    pub signal: Signal,
    /// A number, percent or a multiple.
    pub most: f64,
}

impl Ceiling {
    /// Parses the name of a signal and its limit with `=` between: a number such as 40 or 1M, a share such as 5%, or a multiple such as 3x.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, most) = text.split_once('=')?;
        let signal = Signal::ALL.into_iter().find(|signal| signal.name() == name.trim())?;
        let most = most.trim();
        let before = |unit: char| most.strip_suffix(unit).map(str::trim_end);
        let most = match signal.rules().unit {
            Unit::Number => human::rate_of(most)? as f64,
            Unit::Percent => before('%')?.parse().ok().filter(|most| *most < 100.0)?,
            Unit::Times => before('x')?.parse().ok().filter(|most| *most > 1.0 && *most < 1e6)?,
        };
        (most > 0.0).then_some(Self { signal, most })
    }
}

impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of at most {}", self.signal.name(), self.signal.text(self.most))
    }
}

/// One reading of what a server reports.
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

    /// The same with how long a small transaction takes, as a multiple of what it took before the load.
    #[must_use]
    pub fn with_commit_latency(mut self, times: f64) -> Self {
        self.values.insert(commit_latency::TIMES.to_owned(), times);
        self
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.values.get(&name.to_ascii_lowercase()).copied()
    }
}

fn percent(part: f64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| 100.0 * part / of)
}
