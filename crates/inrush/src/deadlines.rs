//! How long a shell waits for its socket, and what it does when the time has passed.
//!
//! While connecting there is one deadline for everything. Afterwards there are limits on silence (each packet that arrives whole, and
//! each few KiB that move in either direction, restart that time, so that neither a long statement's stream nor a large result runs
//! into it, and a server that drips does), and one on the whole of a command: [`QueryTime`].

use crate::net::Ready;
use crate::{Config, Error, Kind, Reason};
use std::time::{Duration, Instant};

/// The time limits of one exchange, or of a part of one.
pub(crate) enum Deadlines {
    /// Everything must be over by then.
    Until(Instant),
    /// Limits on silence, and on the whole.
    Silence { last_moved: Instant, read: Option<Duration>, write: Option<Duration>, query: QueryTime, began: Instant },
}

/// How much of a command's time is left. It passes only while we wait for the server: what the caller does between two rows
/// of a result does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueryTime {
    limit: Option<Duration>,
    used: Duration,
    kills: bool,
    /// How much was used when the server had answered the KILL.
    killed_at: Option<Duration>,
    /// The longest silence, in place of a limit on the whole.
    of_step: Option<Duration>,
}

/// What to do once the time has passed.
#[derive(Debug)]
pub(crate) enum TimeoutAction {
    /// Give the connection up.
    Fail(Error),
    /// Send a KILL QUERY for the statement, then continue to wait for its answer.
    Kill,
}

impl QueryTime {
    /// No limit.
    pub(crate) const NONE: Self =
        Self { limit: None, used: Duration::ZERO, kills: false, killed_at: None, of_step: None };

    /// The time of a command.
    pub(crate) fn new(config: &Config) -> Self {
        Self { limit: config.query_timeout, kills: config.kill_on_timeout, ..Self::NONE }
    }

    /// The same for a command that must not be killed: the effect of a KILL on a COMMIT could not be determined.
    pub(crate) fn without_kill(config: &Config) -> Self {
        Self { limit: config.query_timeout, ..Self::NONE }
    }

    /// The time of each step of a pipeline: the server may not be silent for longer. There is no KILL: it could hit any step of the pipeline.
    pub(crate) fn of_steps(config: &Config) -> Self {
        Self { of_step: config.query_timeout, ..Self::NONE }
    }

    /// Whether a KILL was sent for the statement, and answered.
    pub(crate) fn was_killed(&self) -> bool {
        self.killed_at.is_some()
    }

    /// Whether there is a limit at all.
    pub(crate) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// The limit in words.
    pub(crate) fn limit_text(&self) -> String {
        format!("{:?}", self.limit.unwrap_or_default())
    }

    fn left(&self) -> Option<Duration> {
        let end = match self.killed_at {
            Some(at) => Some(at.saturating_add(KILL_GRACE)),
            None => self.limit,
        };
        end.map(|end| end.saturating_sub(self.used))
    }
}

impl Deadlines {
    pub(crate) fn new(config: &Config, query: QueryTime, now: Instant) -> Self {
        let read = [config.read_timeout, query.of_step].into_iter().flatten().min();
        Self::Silence { last_moved: now, read, write: config.write_timeout, query, began: now }
    }

    /// When to stop waiting for `interest`.
    pub(crate) fn deadline(&self, interest: Ready) -> Option<Instant> {
        match self {
            Self::Until(deadline) => Some(*deadline),
            Self::Silence { query, began, .. } => {
                let whole = query.left().and_then(|left| began.checked_add(left));
                [self.silence_deadline(interest), whole].into_iter().flatten().min()
            }
        }
    }

    /// Records that the exchange has made progress.
    pub(crate) fn moved(&mut self, now: impl FnOnce() -> Instant) {
        match self {
            // Without a limit the time is not needed.
            Self::Until(_) | Self::Silence { read: None, write: None, .. } => {}
            Self::Silence { last_moved, .. } => *last_moved = now(),
        }
    }

    /// A moment at which bytes moved or were waited for, the last one that is known.
    pub(crate) fn last_moved(&self) -> Option<Instant> {
        match self {
            Self::Until(_) => None,
            Self::Silence { last_moved, .. } => Some(*last_moved),
        }
    }

    /// What to do once [`Deadlines::deadline`] has passed.
    pub(crate) fn on_timeout(&self, interest: Ready) -> TimeoutAction {
        let error = match self {
            Self::Until(_) => Error::new(Kind::Io, "the server did not let us in within the connect time-out")
                .because(Reason::ConnectionRefused)
                .with_hint("is it a MySQL or MariaDB server? `connect-timeout` gives it more time"),
            Self::Silence { query, .. } if self.deadline(interest) != self.silence_deadline(interest) => {
                // A statement that is not yet sent in full has nothing to end.
                if query.kills && query.killed_at.is_none() && !interest.write {
                    return TimeoutAction::Kill;
                }
                query.error()
            }
            Self::Silence { .. } if interest.write => {
                Error::new(Kind::Io, "the server took no byte within the write time-out")
            }
            Self::Silence { query, read, .. } if query.of_step.is_some() && query.of_step == *read => {
                let limit = query.of_step.unwrap_or_default();
                Error::new(Kind::Io, format!("query time-out: a step of a pipeline was not over after {limit:?}"))
            }
            Self::Silence { .. } => Error::new(Kind::Io, "the server did not answer within the read time-out"),
        };
        TimeoutAction::Fail(error.timed_out())
    }

    /// Records that the server has answered the KILL: the statement's own answer gets a little more time.
    pub(crate) fn killed(&mut self, now: Instant) {
        let used = self.used(now);
        if let Self::Silence { last_moved, query, .. } = self {
            query.killed_at = Some(used);
            // The silence so far was the statement's.
            *last_moved = now;
        }
    }

    /// What is left of the command's time.
    pub(crate) fn rest(&self, now: Instant) -> QueryTime {
        match self {
            Self::Until(_) => QueryTime::NONE,
            Self::Silence { query, .. } => QueryTime { used: self.used(now), ..*query },
        }
    }

    fn used(&self, now: Instant) -> Duration {
        match self {
            Self::Until(_) => Duration::ZERO,
            Self::Silence { query, began, .. } => query.used.saturating_add(now.saturating_duration_since(*began)),
        }
    }

    fn silence_deadline(&self, interest: Ready) -> Option<Instant> {
        let Self::Silence { last_moved, read, write, .. } = self else { return None };
        let limit = if interest.write { write } else { read };
        limit.and_then(|limit| last_moved.checked_add(limit))
    }
}

impl QueryTime {
    fn error(&self) -> Error {
        let limit = self.limit_text();
        match (self.was_killed(), self.kills) {
            (true, _) => Error::new(
                Kind::Io,
                format!("query time-out: not over after {limit}, nor {KILL_GRACE:?} after KILL QUERY"),
            ),
            (false, true) => Error::new(Kind::Io, format!("query time-out: not even sent in full after {limit}")),
            (false, false) => Error::new(Kind::Io, format!("query time-out: not over after {limit}"))
                .with_hint("`kill-on-timeout` has the server end the statement, and keeps the connection"),
        }
    }
}

/// How long the answer of a statement may take once a KILL was sent for it: the server undoes what it did.
const KILL_GRACE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests;
