//! How long a shell waits for its socket.
//!
//! While connecting there is one deadline for everything. Afterwards the limits are on silence: each byte that moves, in either
//! direction, starts the time anew, so that neither a long statement's stream nor a large result runs into them.

use crate::net::Ready;
use crate::{Config, Error, Kind};
use std::time::{Duration, Instant};

/// The time limits of one exchange.
pub(crate) enum Pace {
    /// Everything must be over by then.
    Until(Instant),
    /// Limits on silence.
    Silence { last_moved: Instant, read: Option<Duration>, write: Option<Duration> },
}

impl Pace {
    pub(crate) fn new(config: &Config) -> Self {
        Self::Silence { last_moved: Instant::now(), read: config.read_timeout, write: config.write_timeout }
    }

    /// When to stop to wait for `interest`.
    pub(crate) fn deadline(&self, interest: Ready) -> Option<Instant> {
        match self {
            Self::Until(deadline) => Some(*deadline),
            Self::Silence { last_moved, read, write } => {
                let limit = if interest.write { write } else { read };
                limit.and_then(|limit| last_moved.checked_add(limit))
            }
        }
    }

    /// Says that bytes moved.
    pub(crate) fn moved(&mut self) {
        if let Self::Silence { last_moved, .. } = self {
            *last_moved = Instant::now();
        }
    }

    /// The error once [`Pace::deadline`] has passed.
    pub(crate) fn timed_out(&self, interest: Ready) -> Error {
        match (self, interest.write) {
            (Self::Until(_), _) => Error::new(Kind::Io, "the server did not let us in within the connect time-out")
                .with_hint("is it a MySQL or MariaDB server? `connect-timeout` gives it more time"),
            (_, true) => Error::new(Kind::Io, "the server took no byte within the write time-out"),
            (_, false) => Error::new(Kind::Io, "the server did not answer within the read time-out"),
        }
    }
}
